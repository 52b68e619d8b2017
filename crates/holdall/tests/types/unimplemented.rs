//! The compiler's error for a type without the traits says what to do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library with all features that was built last: builds with fewer can be beside it.
fn library() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let libraries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_own = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap_or_default();
        name.starts_with("libholdall-") && name.ends_with(".rlib")
    };
    let built = |path: &PathBuf| fs::metadata(path).unwrap().modified().unwrap();
    let mut libraries: Vec<PathBuf> = libraries.filter(is_own).collect();
    libraries.sort_by_key(built);
    let has_all = |path: &PathBuf| {
        compile("#[derive(holdall::Encode)] pub struct Own; pub use holdall::serde;", path).is_ok()
    };
    libraries.into_iter().rev().find(has_all).expect("the library that is tested")
}

/// Compiles a program with a library, or returns the errors.
fn compile(program: &str, library: &Path) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.rs");
    fs::write(&file, program).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let done = Command::new(rustc)
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--out-dir"])
        .arg(folder.path())
        .arg("-L")
        .arg(library.parent().unwrap())
        .arg("--extern")
        .arg(format!("holdall={}", library.display()))
        .arg(&file)
        .output()
        .unwrap();
    if done.status.success() { Ok(()) } else { Err(String::from_utf8(done.stderr).unwrap()) }
}

#[cfg_attr(target_pointer_width = "32", ignore = "rustc compiles for its own target")]
#[test]
fn the_error_of_a_type_without_the_traits_says_what_to_do() {
    let library = library();
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
        (
            "mod m { pub fn encode(_: &crate::Plain) -> u8 { 0 } }
            #[derive(holdall::Encode)] pub struct Around { #[holdall(items = \"m\")] inner: Box<Plain> }",
            "`items` finds no items to convert in `Box<Plain>`",
            "let a module convert the entire field: `with = \"module\"`",
        ),
        (
            "mod m { pub fn decode(_: u8) -> Result<crate::Plain, u8> { Err(0) } }
            #[derive(holdall::Decode)] pub struct Around { #[holdall(items = \"m\")] inner: Box<Plain> }",
            "`items` cannot make a `Box<Plain>` of its items",
            "let a module convert the entire field: `with = \"module\"`",
        ),
    ] {
        let errors = compile(&format!("pub struct Plain; {body}"), &library).expect_err(body);
        for expected in [what, remedy] {
            assert!(errors.contains(expected), "{expected:?} is not in {errors}");
        }
    }
}
