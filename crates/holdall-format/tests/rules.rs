//! Code cites the rules that it implements by their names, `F-29`, so that a search for a rule finds its code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn code_cites_every_rule_and_no_other() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let spec = fs::read_to_string(crates.parent().unwrap().join("spec/format.md")).unwrap();
    // A rule begins with its name in bold.
    let is_head = |line: &&str| line.starts_with("**F-");
    let rules: BTreeSet<u32> =
        spec.lines().filter(is_head).filter_map(|line| cited(line).first().copied()).collect();
    assert!(rules.len() > 90, "only {} rules", rules.len());

    let mut cites = BTreeSet::new();
    for folder in fs::read_dir(crates).unwrap() {
        // The tables in these two files name every rule.
        let is_table = |file: &PathBuf| {
            ["holdall/src/lib.rs", "holdall-format/src/lib.rs"].iter().any(|of| file.ends_with(of))
        };
        let files = rust_files(folder.unwrap().path().join("src")).into_iter();
        for file in files.filter(|file| !is_table(file)) {
            cites.extend(cited(&fs::read_to_string(file).unwrap()));
        }
    }
    assert_eq!(rules.difference(&cites).collect::<Vec<_>>(), Vec::<&u32>::new(), "not cited");
    assert_eq!(cites.difference(&rules).collect::<Vec<_>>(), Vec::<&u32>::new(), "not in the spec");
}

/// The numbers of the rules that a text names, in its order; UTF-8 is none.
fn cited(text: &str) -> Vec<u32> {
    let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
    let is_name = |at: &usize| !text[..*at].ends_with(char::is_alphanumeric);
    let names = text.match_indices("F-").map(|(at, _)| at).filter(is_name);
    names.filter_map(|at| digits(&text[at + 2..]).parse().ok()).collect()
}

#[test]
fn names_of_rules_are_words_of_their_own() {
    assert_eq!(cited("UTF-8 (F-1, F-29): \"F-3\", F-"), [1, 29, 3]);
}

fn rust_files(folder: PathBuf) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}
