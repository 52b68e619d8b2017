//! Views of files that are deleted, replaced, truncated or overwritten.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use holdall::{Code, Value, View, to_vec};

use crate::common::make::record;

/// A temporary file, deleted at the end.
struct Scrap(PathBuf);

impl Scrap {
    fn new(name: &str, bytes: &[u8]) -> Scrap {
        let name = format!("holdall-view-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, bytes).unwrap();
        Scrap(path)
    }
}

impl Drop for Scrap {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn message(by: f64) -> Vec<u8> {
    let floats =
        |from: f64| Value::from((0..50_000).map(|n| f64::from(n) * by + from).collect::<Vec<_>>());
    to_vec(&record([("first", floats(0.0)), ("second", floats(0.5))])).unwrap()
}

fn second(view: &View<'_>) -> holdall::Result<Vec<f64>> {
    let column = view.site("second")?.items()?.column()?;
    Ok(column.values().as_slice::<f64>().unwrap().to_vec())
}

#[test]
fn a_removed_or_replaced_file_stays_readable() {
    let scrap = Scrap::new("replaced", &message(1.0));
    let view = View::open(&scrap.0).unwrap();
    let other = Scrap::new("replacing", &message(2.0));
    fs::rename(&other.0, &scrap.0).unwrap();
    assert_eq!(second(&view).unwrap()[1], 1.5);
    assert_eq!(second(&View::open(&scrap.0).unwrap()).unwrap()[1], 2.5);
    fs::remove_file(&scrap.0).unwrap();
    assert_eq!(second(&view).unwrap()[3], 3.5);
}

#[test]
fn a_truncated_file_is_an_error_and_read_columns_stay() {
    let bytes = message(1.0);
    let scrap = Scrap::new("truncated", &bytes);
    let view = View::open(&scrap.0).unwrap();
    let first = view.site("first").unwrap().items().unwrap().column().unwrap();
    for len in [bytes.len() as u64 - 1, 450_000, 5_000, 0] {
        OpenOptions::new().write(true).open(&scrap.0).unwrap().set_len(len).unwrap();
        let error = second(&view).unwrap_err();
        assert_eq!(error.code(), Code::Io, "{len}: {error}");
        assert!(error.to_string().contains("a shorter one"), "{error}");
        assert_eq!(first.values().as_slice::<f64>().unwrap()[49_999], 49_999.0);
    }
}

#[test]
fn an_overwritten_file_gives_its_new_bytes() {
    let scrap = Scrap::new("overwritten", &message(1.0));
    let view = View::open(&scrap.0).unwrap();
    let before = second(&view).unwrap();
    File::options().write(true).open(&scrap.0).unwrap().write_all(&message(2.0)).unwrap();
    assert_eq!(before[1], 1.5);
    assert_eq!(second(&view).unwrap()[1], 2.5);
}

#[test]
#[cfg(unix)]
fn what_is_no_regular_file_has_no_parts_to_read() {
    let error = View::open("/dev/null").err().unwrap();
    assert_eq!(error.code(), Code::Io);
    assert!(error.to_string().contains("this is no regular file"), "{error}");
}
