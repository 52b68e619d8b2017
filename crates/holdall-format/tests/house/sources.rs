//! The files of the repository.

use std::fs;
use std::path::{Path, PathBuf};

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// Where a crate's source is.
pub fn source(of: &str) -> PathBuf {
    repository().join("crates").join(of).join("src")
}

pub fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files with one of the extensions in a folder and those inside it; none if there is no such folder.
pub fn files(folder: impl Into<PathBuf>, extensions: &[&str]) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.into()]);
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                folders.push(path);
            } else if extension.is_some_and(|extension| extensions.contains(&extension)) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The files of a module: its own and those of the modules inside it.
pub fn module_files(of: &str, module: &str) -> Vec<PathBuf> {
    let own = source(of).join(module).with_extension("rs");
    let inside = files(source(of).join(module), &["rs"]);
    Some(own).filter(|own| own.exists()).into_iter().chain(inside).collect()
}

/// Code without its comments, which have lines of their own.
pub fn without_comments(code: &str) -> String {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    code.lines().filter(is_code).collect::<Vec<_>>().join("\n")
}

/// The parts of an open group, between its commas.
pub fn group_names(group: &str) -> Vec<&str> {
    let (mut names, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(&group[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    names
}

/// The name that a text begins with.
pub fn first_name(text: &str) -> String {
    text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}
