//! Unsafe code is only where CONTRIBUTING lists it.

use std::collections::BTreeSet;

use super::sources::{files, read, repository, without_comments};

#[test]
fn unsafe_code_stands_only_in_files_that_are_listed() {
    let mut found = BTreeSet::new();
    for folder in ["crates", "benches", "fuzz"] {
        for file in files(repository().join(folder), &["rs"]) {
            let path = file.strip_prefix(repository()).unwrap().to_str().unwrap().to_owned();
            let is_built = path.split('/').any(|part| part == "target");
            if !is_built && has_unsafe(&read(file)) {
                found.insert(path);
            }
        }
    }
    assert_eq!(found, listed(&read(repository().join("CONTRIBUTING.md"))));
}

/// The files of the table under the heading `Unsafe code`: the first cell of each row.
fn listed(contributing: &str) -> BTreeSet<String> {
    let section = contributing.split("\n## Unsafe code\n").nth(1).expect("there is such a section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let files = rows.filter_map(|row| Some(row.split_once('`')?.0.to_owned()));
    files.filter(|file| file.contains('/')).collect()
}

/// Whether code has an unsafe block, function, implementation or attribute, or text of such for a derive.
fn has_unsafe(code: &str) -> bool {
    let code = without_comments(code);
    let begins = |(at, word): (usize, &str)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].trim_start();
        let is_word = !before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let starts = ["{", "fn ", "impl", "extern", "trait", "("];
        is_word && starts.iter().any(|start| after.starts_with(start))
    };
    code.match_indices("unsafe").any(begins)
}

#[test]
fn unsafe_code_is_found_in_all_its_forms() {
    // This file has none.
    let with = |code: &str| has_unsafe(&code.replace("UNSAFE", "unsafe"));
    for code in ["UNSAFE { a() }", "UNSAFE fn a()", "pub UNSAFE impl A", "#[UNSAFE(no_mangle)]"] {
        assert!(with(code), "{code}");
    }
    for code in ["// UNSAFE { a() }", "#![allow(UNSAFE_code)]", "let UNSAFEly = 1;"] {
        assert!(!with(code), "{code}");
    }
}
