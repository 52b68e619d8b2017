//! A module uses those of the storeys below it alone, and of its neighbours what they give by name.
//!
//! `docs/architecture.md` has the table as a picture.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use super::sources::{
    first_name, group_names, module_files, read, repository, source, without_comments,
};

/// A module, and those of its crate that it may use.
type Module = (&'static str, &'static [&'static str]);

/// Below all values: each module may use all those before it.
const FORMAT: [&str; 13] = [
    "platform", "error", "memory", "limits", "kernel", "number", "input", "schema", "column",
    "block", "envelope", "message", "stream",
];

/// From the lowest on; all may use the crate below.
const HOLDALL: [Module; 14] = [
    ("canonical", &[]),
    // Events are how the ways give values to each other.
    ("dynamic", &[]),
    ("value", &["canonical", "dynamic"]),
    ("resolution", &["dynamic"]),
    ("typed", &["canonical", "dynamic", "value", "resolution"]),
    ("view", &["dynamic", "value"]),
    ("archive", &["value", "typed"]),
    // What users call.
    ("encoder", &["dynamic", "typed"]),
    ("decoder", &["dynamic", "value", "resolution", "typed", "view", "archive"]),
    ("serde", &["dynamic", "value", "resolution", "encoder", "decoder"]),
    ("stream", &["dynamic", "value", "resolution", "typed", "view", "encoder", "decoder"]),
    ("tokio", &["typed", "encoder", "decoder"]),
    // For bindings, and for tests of other crates.
    ("small", &["dynamic", "typed"]),
    ("testing", &["value", "typed", "archive", "encoder", "decoder"]),
];

#[test]
fn the_picture_of_the_architecture_has_every_module() {
    let text = read(repository().join("docs/architecture.md"));
    let picture = text.split("```").nth(1).unwrap();
    let words: Vec<&str> = picture.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let modules = FORMAT.into_iter().chain(HOLDALL.iter().map(|(module, _)| *module));
    let missing: Vec<&str> = modules.filter(|module| !words.contains(module)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn no_module_uses_one_above_it() {
    let mut upwards = Vec::new();
    for (place, module) in FORMAT.iter().enumerate() {
        upwards.extend(strangers("holdall-format", module, &FORMAT[..place]));
    }
    let below = FORMAT.map(|module| module);
    for (place, (module, uses)) in HOLDALL.iter().enumerate() {
        let names = |modules: &[Module]| modules.iter().map(|(name, _)| *name).collect::<Vec<_>>();
        let lower = names(&HOLDALL[..place]);
        assert!(uses.iter().all(|used| lower.contains(used)), "{module} is above {uses:?}");
        upwards.extend(strangers("holdall", module, &[uses, &below[..]].concat()));
    }
    assert_eq!(upwards, Vec::<String>::new());
}

#[test]
fn every_module_has_a_storey() {
    assert_eq!(modules_of("holdall-format"), FORMAT.map(str::to_owned).into());
    assert_eq!(modules_of("holdall"), HOLDALL.map(|(name, _)| name.to_owned()).into());
}

/// A module that takes more of a neighbour than its face must make a part of it public within the crate.
#[test]
fn ways_to_values_use_only_roots_of_each_other() {
    let inner = |line: &&str| line.starts_with("pub(crate) mod ") || line.starts_with("pub mod ");
    for (module, _) in HOLDALL {
        for file in files_of("holdall", module) {
            let code = read(&file);
            assert_eq!(code.lines().find(inner), None, "{}", file.display());
        }
    }
}

#[test]
fn paths_are_found_however_they_are_written() {
    let found = |code: &str| used_modules(code, 1);
    let code = "use crate::{block::Block, error};\n// crate::stream\nlet a = crate::input::LINE;";
    assert_eq!(found(code), ["block", "error", "input"].map(str::to_owned).into());
    assert_eq!(found("pub(crate) fn a(); pub(in crate::typed) fn b();"), ["typed".into()].into());
    assert_eq!(found("use super::super::view::Site;"), ["view".to_owned()].into());
    assert_eq!(found("use super::places::Places;"), BTreeSet::new());
    assert_eq!(used_modules("use super::view::Site;", 0), ["view".to_owned()].into());
    let code = "use crate::error;\n#[cfg(test)]\nmod tests {\n    use crate::view;\n}";
    assert_eq!(found(code), ["error".to_owned()].into());
}

/// What the files of a module use that is not among these, nor the module itself.
fn strangers(of: &str, module: &str, allowed: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files_of(of, module) {
        // The module's own file is no deeper than the crate's root; a folder is one deeper.
        let inside = file.strip_prefix(source(of)).unwrap();
        let named = usize::from(file.file_name().is_some_and(|name| name != "mod.rs"));
        let depth = inside.components().count() + named - 2;
        let used = used_modules(&read(&file), depth);
        let strange = used.iter().filter(|used| *used != module && !allowed.contains(&&***used));
        found.extend(strange.map(|used| format!("{} uses {used}", file.display())));
    }
    found
}

fn modules_of(of: &str) -> BTreeSet<String> {
    let name = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let entries = fs::read_dir(source(of)).unwrap().map(|entry| name(entry.unwrap().path()));
    entries.filter(|name| name != "lib").collect()
}

/// Those that are compiled into the crate; files of unit tests may use everything.
fn files_of(of: &str, module: &str) -> Vec<PathBuf> {
    let mut files = module_files(of, module);
    files.retain(|file| file.file_name().is_some_and(|name| name != "tests.rs"));
    files
}

/// The first names of the paths that begin with `crate::`, or with as many `super::` as lead to the crate's root from a module
/// that is so deep.
fn used_modules(code: &str, depth: usize) -> BTreeSet<String> {
    let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = without_comments(code);
    let mut used = BTreeSet::new();
    for root in ["crate::".to_owned(), "super::".repeat(depth + 1)] {
        for path in code.split(root.as_str()).skip(1) {
            match path.strip_prefix('{') {
                None => drop(used.insert(first_name(path))),
                Some(group) => used.extend(group_names(group).into_iter().map(first_name)),
            }
        }
    }
    used
}
