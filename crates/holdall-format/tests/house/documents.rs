//! What documents name is there: files by their path, functions as `module::function()`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::sources::{files, module_files, read, repository, source};

const CRATES: [&str; 8] = [
    "holdall",
    "holdall-format",
    "holdall-python",
    "holdall-derive",
    "holdall-arrow",
    "holdall-convert",
    "holdall-inspect",
    "holdall-cli",
];
/// The chapters of the spec whose rules say what a writer or a reader does.
const CHAPTERS: [&str; 14] =
    ["1.", "2.", "3.", "4.", "5.", "6.", "7.", "8.", "9.", "10.", "11.", "12.", "13.", "14."];

/// The extensions of files with code.
const CODE: &[&str] = &["rs", "py", "pyi", "ts", "mjs"];

#[test]
fn everything_the_architecture_names_exists() {
    let text = read(repository().join("docs/architecture.md"));
    assert_eq!(missing(&text), Vec::<String>::new());
    assert!(spans(&text).filter(|span| span.ends_with("()")).count() > 40);
}

#[test]
fn everything_the_walks_of_typescript_name_exists() {
    let text = read(repository().join("docs/architecture.md"));
    let (_, walks) = text.split_once("### `dumps` in TypeScript").unwrap();
    let (walks, _) = walks.split_once("\n## ").unwrap();
    let code: String = files(repository().join("js/src"), &["ts"]).into_iter().map(read).collect();
    let names = spans(walks).filter(|span| !is_path(span)).flat_map(|span| span.split('.'));
    let lost: Vec<&str> = names.filter(|name| !code.contains(*name)).collect();
    assert_eq!(lost, Vec::<&str>::new());
    assert!(spans(walks).count() > 20);
}

#[test]
fn paths_in_contributor_documents_exist() {
    let text = read(repository().join("CONTRIBUTING.md"));
    assert_eq!(missing(&text), Vec::<String>::new());
}

#[test]
fn files_have_at_most_500_lines() {
    let folders = ["crates", "python", "js", "spec/reference", "benches", "fuzz", "demo", "docs"];
    let own = |path: &Path| {
        let outside = ["target", "node_modules", "dist"];
        let path = path.strip_prefix(repository()).unwrap();
        !path.iter().any(|part| outside.iter().any(|folder| part == *folder))
    };
    let all = folders.iter().flat_map(|of| files(repository().join(of), CODE));
    let all: Vec<PathBuf> = all.filter(|path| own(path)).collect();
    assert!(all.len() > 1000, "{} files", all.len());
    let long = all.iter().filter(|path| read(path).lines().count() > 500);
    assert_eq!(long.collect::<Vec<_>>(), Vec::<&PathBuf>::new(), "two ideas in one file");
}

#[test]
fn names_of_today_in_the_glossary_exist() {
    let text = read(repository().join("docs/glossary.md"));
    let (_, table) = text.split_once("## Names that changed").unwrap();
    let sources = ["crates", "python", "js/src", "spec/reference", "benches/python"]
        .iter()
        .flat_map(|of| files(repository().join(of), CODE));
    let mut code = String::new();
    for file in sources {
        code += &file.to_string_lossy();
        code += &read(file);
    }
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let names = rows.clone().filter_map(|row| row.split('|').nth(2)).flat_map(spans);
    let last = |name: &str| name.rsplit([':', '.']).next().unwrap_or(name).to_owned();
    let is_gone = |name: &&str| !code.contains(*name) && !code.contains(&last(name));
    let gone: Vec<&str> = names.filter(is_gone).collect();
    assert_eq!(gone, Vec::<&str>::new());
    let places = rows.filter_map(|row| row.split('|').nth(3)).flat_map(spans);
    let lost: Vec<&str> = places.filter(|place| !repository().join(place).exists()).collect();
    assert_eq!(lost, Vec::<&str>::new());
}

#[test]
fn each_rule_has_its_writer_and_reader_in_a_table() {
    let (format, ways) = ("holdall-format", "holdall");
    let tables = [format, ways].map(|of| rows(&read(source(of).join("lib.rs"))));
    let (mut in_tables, mut gone) = (BTreeSet::new(), Vec::new());
    for (rules, rest) in tables.iter().flatten() {
        assert!(rest.contains("()"), "{rules} names no function");
        gone.extend(missing(rest));
        in_tables.extend(numbers(rules));
    }
    assert_eq!(gone, Vec::<String>::new());
    let spec = read(repository().join("spec/format.md"));
    let chapters = spec
        .split("\n## ")
        .filter(|chapter| CHAPTERS.iter().any(|number| chapter.split(' ').next() == Some(*number)));
    let rules: BTreeSet<u32> = chapters
        .flat_map(str::lines)
        .filter_map(|line| line.strip_prefix("**F-")?.split_once("**")?.0.parse().ok())
        .collect();
    assert!(rules.len() > 80, "only {} rules", rules.len());
    let lost: Vec<_> = rules.difference(&in_tables).collect();
    assert_eq!(lost, Vec::<&u32>::new(), "not in a table");
}

/// The rows of a table of rules, without any prefix of their line: the first cell, and the others.
fn rows(code: &str) -> Vec<(String, String)> {
    let row = |line: &str| {
        let cells = line.trim_start_matches(['/', '!', ' ']).strip_prefix("| F-")?;
        let (rules, rest) = cells.split_once('|')?;
        Some((format!("F-{rules}"), rest.to_owned()))
    };
    code.lines().filter_map(row).collect()
}

/// The numbers of rules: `F-3, F-5 to F-7`.
fn numbers(rules: &str) -> Vec<u32> {
    let number = |rule: &str| rule.trim().strip_prefix("F-").and_then(|rule| rule.parse().ok());
    let range = |part: &str| match part.split_once(" to ") {
        Some((first, last)) => Some(number(first)?..=number(last)?),
        None => number(part).map(|only| only..=only),
    };
    rules.split(',').flat_map(|part| range(part).unwrap_or_else(|| panic!("{part}"))).collect()
}

/// The functions and paths that a text names as code and that do not exist.
fn missing(text: &str) -> Vec<String> {
    let is_there = |span: &&str| match span.strip_suffix("()") {
        Some(path) => has_function(path),
        None if is_path(span) => repository().join(span).exists(),
        None => true,
    };
    spans(text).filter(|span| !is_there(span)).map(str::to_owned).collect()
}

/// The text between backticks, outside code blocks.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    let blocks = text.split("```").step_by(2);
    blocks.flat_map(|part| part.split('`').skip(1).step_by(2))
}

/// Whether a span is a path of the repository: it begins with one of its folders, and has nothing that no path has.
fn is_path(span: &str) -> bool {
    let folders = [
        "crates/",
        "python/",
        "js/",
        "spec/",
        "conformance/",
        "docs/",
        "benches/",
        "fuzz/",
        "demo/",
        ".ci/",
    ];
    folders.iter().any(|folder| span.starts_with(folder))
        && !span.contains(['*', ' ', '<', '{', '='])
}

/// Whether a module (the first name of a path) of one of the crates has a function (the last one), also as a method. Names between
/// are those of files or folders in the module.
fn has_function(path: &str) -> bool {
    let names: Vec<&str> = path.split("::").collect();
    let [module, between @ .., name] = &names[..] else { return false };
    let is_within = |file: &Path| {
        let file = file.with_extension("");
        between.iter().all(|inner| file.iter().any(|part| part == *inner))
    };
    let has = |file: &Path| {
        let code = read(file);
        let heads = ["fn", "def"].map(|word| ["(", "<"].map(|open| format!("{word} {name}{open}")));
        heads.iter().flatten().any(|head| code.contains(head.as_str()))
    };
    let root = |of: &str| Some(source(of).join("lib.rs")).filter(|_| *module == of);
    let rust = CRATES.iter().flat_map(|of| module_files(of, module).into_iter().chain(root(of)));
    let python = files(repository().join("python/holdall"), &["py"]);
    let python = python.into_iter().filter(|file| file.file_stem().is_some_and(|it| it == *module));
    rust.chain(python).any(|file| is_within(&file) && has(&file))
}

#[test]
fn missing_names_are_reported() {
    let text =
        "`column::write_nothing()` `ints::write` `docs/nothing.md` `docs/files.md` `unknown()`";
    assert_eq!(missing(text), ["column::write_nothing()", "docs/nothing.md", "unknown()"]);
    assert_eq!(missing("```\n`docs/nothing.md`\n```"), Vec::<String>::new());
    assert_eq!(numbers("F-3, F-5 to F-7"), [3, 5, 6, 7]);
}
