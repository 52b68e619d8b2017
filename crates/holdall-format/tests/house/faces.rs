//! The public names of `holdall`: few at its root, and no two equal anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::sources::{files, first_name, group_names, read, source, without_comments};

/// Among more names none is found: what belongs to a topic is in its module.
const MOST_AT_ROOT: usize = 40;

/// What modules of these names show, the root can show again: it is the same.
const SHOWN_TWICE: [&str; 7] =
    ["archive", "dynamic", "resolution", "stream", "typed", "value", "view"];

#[test]
fn the_root_shows_few_names() {
    let mut names: Vec<String> = uses(&root()).into_iter().map(|(_, name)| name).collect();
    names.sort_unstable();
    // A derive and its trait have one name.
    names.dedup();
    assert!(names.len() <= MOST_AT_ROOT, "{} names at the root: {names:?}", names.len());
    for expected in ["Decoder", "Encode", "Value", "bf16"] {
        assert!(names.iter().any(|name| name == expected), "{expected} is not shown");
    }
}

/// In the text of a program a type is known by its last name. Functions of `serde` are named as those of the root are, since they
/// do the same.
#[test]
fn no_two_public_types_have_one_name() {
    let code = root();
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |module: &str, name: String| {
        if name.starts_with(char::is_uppercase) {
            places.entry(name).or_default().push(module.to_owned());
        }
    };
    for (module, inside) in modules(&code) {
        let shows = if inside.is_empty() { face(&module) } else { shown(&inside) };
        shows.into_iter().for_each(|name| add(&module, name));
    }
    let own = uses(&code).into_iter().filter(|(from, _)| !SHOWN_TWICE.contains(&from.as_str()));
    own.for_each(|(_, name)| add("the root", name));
    for expected in ["ViewSite", "Rows", "BlockReader", "Decoder"] {
        assert!(places.contains_key(expected), "{expected} is not shown");
    }
    // A derive and its trait have one name.
    let alike: Vec<_> = places.iter().filter(|(_, modules)| modules.len() > 1).collect();
    let derives = |name: &str| matches!(name, "Encode" | "Decode");
    assert!(alike.iter().all(|(name, _)| derives(name)), "{alike:?}");
}

/// Within a crate a word has one meaning.
#[test]
fn no_two_types_of_a_crate_have_one_name() {
    // What a handle refers to, a container whose end has not come, and what keeps others from implementing a trait: the same in each
    // module.
    let same = ["Inner", "OpenContainer", "Sealed"];
    for (of, least) in [
        ("holdall", 300),
        ("holdall-format", 100),
        ("holdall-python", 100),
        ("holdall-convert", 50),
        ("holdall-cli", 50),
        ("holdall-arrow", 20),
        ("holdall-derive", 10),
        ("holdall-inspect", 10),
    ] {
        let mut places: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
        for file in files(source(of), &["rs"]) {
            for name in defined(&without_comments(&read(&file))) {
                places.entry(name).or_default().insert(file.clone());
            }
        }
        assert!(places.len() > least, "only {} types in {of}", places.len());
        places.retain(|name, files| files.len() > 1 && !same.contains(&name.as_str()));
        assert_eq!(places, BTreeMap::new(), "in {of}");
    }
}

/// The types that code defines, and its names for types outside other definitions.
fn defined(code: &str) -> Vec<String> {
    let definition = |line: &str| {
        let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub"));
        let is_type = match words.next()? {
            "type" => !line.starts_with(' '),
            word => matches!(word, "struct" | "enum" | "trait" | "union"),
        };
        words.next().filter(|_| is_type).map(first_name)
    };
    code.lines().filter_map(definition).collect()
}

#[test]
fn types_are_found_by_their_definition() {
    let code = "pub(crate) struct A<T>(T);\n  enum B {\nlet struct_of = 1;\npub trait C: D {\n    type Of;\n}\ntype E<T> = F<T>;";
    assert_eq!(defined(code), ["A", "B", "C", "E"]);
}

/// The crate's root without comments.
fn root() -> String {
    without_comments(&read(source("holdall").join("lib.rs")))
}

/// The public modules, each with the text between its braces if it is defined at the root.
fn modules(code: &str) -> Vec<(String, String)> {
    let module = |part: &str| {
        let name = first_name(part);
        let inside = part[name.len()..].strip_prefix(" {").unwrap_or_default();
        let inside = inside.split("\n}").next().unwrap_or_default();
        (name, inside.replace("\n    ", "\n"))
    };
    code.split("\npub mod ").skip(1).map(module).collect()
}

/// What a module in a file of its own shows.
fn face(module: &str) -> Vec<String> {
    let folder = source("holdall").join(module);
    let file = if folder.is_dir() { folder.join("mod.rs") } else { folder.with_extension("rs") };
    shown(&without_comments(&read(file)))
}

/// The names that code re-exports and those that it defines, except inside other items.
fn shown(code: &str) -> Vec<String> {
    let defined = |line: &str| {
        let (kind, rest) = line.strip_prefix("pub ")?.split_once(' ')?;
        matches!(kind, "struct" | "enum" | "trait" | "type" | "const").then(|| first_name(rest))
    };
    let used = uses(code).into_iter().map(|(_, name)| name);
    code.lines().filter_map(defined).chain(used).collect()
}

/// The names of `pub use`, each with the first name of its path other than `crate` and `self`.
fn uses(code: &str) -> Vec<(String, String)> {
    let mut names = Vec::new();
    let code = format!("\n{code}");
    for part in code.split("\npub use ").skip(1) {
        let path = part.split(';').next().unwrap_or_default();
        let path = path.trim_start_matches("crate::").trim_start_matches("self::");
        let items = match path.split_once('{') {
            Some((_, group)) => group_names(group),
            None => vec![path],
        };
        for item in items {
            let name = item.rsplit("::").next().unwrap_or_default();
            let name = first_name(name.rsplit(" as ").next().unwrap_or_default());
            names.push((first_name(path), name));
        }
    }
    names.retain(|(_, name)| !name.is_empty());
    names
}

#[test]
fn names_are_found_in_groups_and_on_their_own() {
    let code =
        "pub use a::{\n    B, c::D,\n};\npub use crate::e::F as G;\npub struct H;\nuse i::J;";
    let mut names = shown(code);
    names.sort_unstable();
    assert_eq!(names, ["B", "D", "G", "H"]);
    assert_eq!(uses(code)[2], ("e".to_owned(), "G".to_owned()));
}
