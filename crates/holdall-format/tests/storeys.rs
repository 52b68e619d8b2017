//! A module uses those of the storeys below it alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// From the lowest on. Within a storey, too, modules stand in the order in which they may use each other.
const STOREYS: [&[&str]; 8] = [
    &["kernel", "number", "error", "limits"],
    &["input"],
    &["schema"],
    &["column"],
    &["block"],
    &["envelope"],
    &["message"],
    &["stream"],
];

#[test]
fn no_module_uses_one_above_it() {
    let order = STOREYS.concat();
    let mut upwards = Vec::new();
    for (place, module) in order.iter().enumerate() {
        for file in files_of(module) {
            let code = fs::read_to_string(&file).unwrap();
            for used in used_modules(&code).into_iter().filter(|used| used != module) {
                let found = order.iter().position(|name| *name == used);
                if found.is_none_or(|found| found > place) {
                    upwards.push(format!("{} uses {used}", file.display()));
                }
            }
        }
    }
    assert_eq!(upwards, Vec::<String>::new());
}

#[test]
fn every_module_has_a_storey() {
    let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let entries = fs::read_dir(source()).unwrap().map(|entry| name(entry.unwrap().path()));
    let there: BTreeSet<String> = entries.filter(|name| name != "lib").collect();
    let named = STOREYS.concat().into_iter().map(str::to_owned).collect();
    assert_eq!(there, named);
}

#[test]
fn paths_are_found_in_groups_and_alone_and_not_in_comments() {
    let code = "use crate::{block::Block, error};\n// crate::stream\nlet a = crate::input::LINE;";
    assert_eq!(used_modules(code), ["block", "error", "input"].map(str::to_owned).into());
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files_of(module: &str) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![source().join(module)]);
    files.extend(Some(source().join(module).with_extension("rs")).filter(|file| file.exists()));
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files
}

/// The first names of the paths that begin with `crate::`.
fn used_modules(code: &str) -> BTreeSet<String> {
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let first = |path: &str| {
        path.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
    };
    let mut used = BTreeSet::new();
    for path in code.split("crate::").skip(1) {
        match path.strip_prefix('{') {
            None => drop(used.insert(first(path))),
            Some(group) => used.extend(group_names(group).into_iter().map(first)),
        }
    }
    used
}

/// What stands between the commas of a group that is open.
fn group_names(group: &str) -> Vec<&str> {
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
