//! The compiler's error for a type without the traits says what to do.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The library that this program was linked with: the last that was built.
fn library() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let libraries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_own = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap_or_default();
        name.starts_with("libholdall-") && name.ends_with(".rlib")
    };
    let built = |path: &PathBuf| fs::metadata(path).unwrap().modified().unwrap();
    libraries.filter(is_own).max_by_key(built).expect("the library that is tested")
}

/// The errors of a program.
fn errors(body: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (program, library) = (folder.path().join("program.rs"), library());
    fs::write(&program, format!("pub struct Plain; {body}")).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let done = Command::new(rustc)
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--out-dir"])
        .arg(folder.path())
        .arg("-L")
        .arg(library.parent().unwrap())
        .arg("--extern")
        .arg(format!("holdall={}", library.display()))
        .arg(&program)
        .output()
        .unwrap();
    assert!(!done.status.success(), "{body}");
    String::from_utf8(done.stderr).unwrap()
}

#[cfg_attr(target_pointer_width = "32", ignore = "rustc compiles for its own target")]
#[test]
fn the_error_of_a_type_without_the_traits_says_what_to_do() {
    for (body, what, remedy) in [
        (
            "pub fn f() { holdall::to_vec(&vec![Plain]).unwrap(); }",
            "`Plain` cannot be written: it does not implement `holdall::Encode`",
            "use `holdall::serde::to_vec`",
        ),
        (
            "pub fn f() { holdall::from_slice::<Plain>(&[]).unwrap(); }",
            "`Plain` cannot be read: it does not implement `holdall::Decode`",
            "use `holdall::serde::from_slice`",
        ),
        (
            "#[derive(holdall::Encode)] pub struct Around { inner: Plain }",
            "`Plain` cannot be written: it does not implement `holdall::Encode`",
            "derive it for a type of your own: `#[derive(holdall::Encode)]`",
        ),
    ] {
        let errors = errors(body);
        for expected in [what, remedy] {
            assert!(errors.contains(expected), "{expected:?} is not in {errors}");
        }
    }
}
