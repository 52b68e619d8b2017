//! Values that cannot be written: the error has the path of the very one.

#![cfg(unix)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use holdall::{Code, Encode, to_vec};

/// A path that is refused.
fn no_text() -> PathBuf {
    OsString::from_vec(vec![0xFF]).into()
}

#[test]
fn a_value_that_is_refused_is_found_by_its_path() {
    #[derive(Encode)]
    struct File {
        size: u32,
        place: Option<PathBuf>,
    }
    #[derive(Encode)]
    enum Entry {
        Folder(Vec<File>),
        Link { to: RefCell<File> },
    }
    fn check(value: &impl Encode, path: &str) {
        let error = to_vec(value).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::UnsupportedValue, path));
    }
    let file = |place| File { size: 1, place };
    let known = || file(Some("a".into()));
    let many = |count: usize| (0..count).map(|_| known()).collect::<Vec<_>>();
    check(&no_text(), "$");
    check(&(1, [PathBuf::new(), no_text()]), "$[1][1]");
    for before in [0, 1, 5, 63, 64, 300] {
        let mut files = many(before);
        files.push(file(Some(no_text())));
        check(&files, &format!("$[{before}].place"));
        files.extend(many(70));
        check(&files, &format!("$[{before}].place"));
        files.insert(0, file(None));
        check(&files, &format!("$[{}].place", before + 1));
        let folders = vec![Entry::Folder(many(3)), Entry::Folder(vec![]), Entry::Folder(files)];
        check(&folders, &format!("$[2]<Folder>[{}].place", before + 1));
    }
    let links = [
        Entry::Link { to: RefCell::new(known()) },
        Entry::Folder(many(2)),
        Entry::Link { to: RefCell::new(known()) },
    ];
    let [.., Entry::Link { to }] = &links else { unreachable!("the last is a link") };
    let borrowed = to.borrow_mut();
    check(&&links[..], "$[2]<Link>.to");
    drop(borrowed);
    let map = BTreeMap::from([(1_u8, known()), (7, file(Some(no_text())))]);
    check(&map, "$[1].place");
}
