//! Generated types: those of each language are in its own tests, which compile, lint and use them.
//!
//! `BLESS=1 cargo test -p holdall-cli generate` writes them; `git diff` shows what changed.

use std::fs;
use std::path::{Path, PathBuf};

use super::printed;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a command line prints, or its status and error.
fn run(arguments: &[&str], stdin: &str) -> Result<String, (u8, String)> {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let arguments = std::iter::once("holdall").chain(arguments.iter().copied()).map(Into::into);
    let status = holdall_cli::run(arguments, &mut stdin.as_bytes(), &mut stdout, &mut stderr);
    match status {
        0 => Ok(String::from_utf8(stdout).unwrap()),
        _ => Err((status, String::from_utf8(stderr).unwrap())),
    }
}

fn generated(language: &str, schema: &Path) -> String {
    run(&["generate", language, schema.to_str().unwrap()], "").unwrap()
}

/// A message of the records in `users.json`.
fn users() -> Vec<u8> {
    let json = repository().join("crates/holdall-cli/tests/generated/users.json");
    printed(&["pack", json.to_str().unwrap()], b"").unwrap()
}

/// The types that come from data.
fn of_data(language: &str, data: &[u8]) -> String {
    String::from_utf8(printed(&["generate", language, "--name", "Users"], data).unwrap()).unwrap()
}

#[test]
fn types_are_those_that_each_language_tests() {
    let folder = repository();
    let generated = |language, file: &str| {
        generated(language, &folder.join("crates/holdall-cli/tests/generated").join(file))
    };
    // In the package itself it has no name.
    let own = |code: String| {
        code.replace("\"holdall\"", "\"../src/index.js\"")
            .replace("\"holdall/schema\"", "\"../src/schema.js\"")
    };
    let typescript = |file| own(generated("--typescript", file));
    let users = users();
    let files = [
        ("crates/holdall-cli/tests/generated/shop.rs", generated("--rust", "shop.holds")),
        ("crates/holdall-cli/tests/generated/station.rs", generated("--rust", "station.holds")),
        ("crates/holdall-cli/tests/generated/names.rs", generated("--rust", "names.holds")),
        ("crates/holdall-cli/tests/generated/rare.rs", generated("--rust", "rare.holds")),
        ("crates/holdall-cli/tests/generated/twins.rs", generated("--rust", "twins.holds")),
        ("crates/holdall-cli/tests/generated/links.rs", generated("--rust", "links.holds")),
        ("crates/holdall-cli/tests/generated/users.rs", of_data("--rust", &users)),
        ("python/tests/generated_shop.py", generated("--python", "shop.holds")),
        ("python/tests/generated_names.py", generated("--python", "names.holds")),
        ("python/tests/generated_rare.py", generated("--python", "rare.holds")),
        ("python/tests/generated_twins.py", generated("--python", "twins.holds")),
        ("python/tests/generated_links.py", generated("--python", "links.holds")),
        ("python/tests/generated_users.py", of_data("--python", &users)),
        ("js/tests/generated_shop.ts", typescript("shop.holds")),
        ("js/tests/generated_names.ts", typescript("names.holds")),
        ("js/tests/generated_rare.ts", typescript("rare.holds")),
        ("js/tests/generated_twins.ts", typescript("twins.holds")),
        ("js/tests/generated_links.ts", typescript("links.holds")),
        ("js/tests/generated_users.ts", own(of_data("--typescript", &users))),
    ];
    for (file, code) in files {
        let path = folder.join(file);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &code).unwrap();
        }
        assert_eq!(fs::read_to_string(path).unwrap(), code, "{file}: BLESS=1 writes it");
    }
}

#[test]
fn a_type_that_a_language_lacks_is_an_error_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.holds");
    // A list has no hash, and None stands for one level of options.
    let cases = [
        (
            "struct A {b: set(list(list(int)))}",
            "in $.b[]: expected a type that can be a key in Python, got list(int)",
        ),
        (
            "struct A {b: map(struct K {l: list(int)}, int)}",
            "in $.b[].l: expected a type that can be a key in Python, got list(int)",
        ),
        (
            "struct A {b: set(list(tensor(u8)))}",
            "in $.b[]: expected a type that can be a key in Python, got tensor(u8)",
        ),
        (
            "struct A {b: option(option(int))}",
            "in $.b: expected an option of what is not None in Python, got option(option(int))",
        ),
    ];
    for (schema, expected) in cases {
        fs::write(&file, schema).unwrap();
        let (status, error) =
            run(&["generate", "--python", file.to_str().unwrap()], "").unwrap_err();
        assert_eq!(status, 1);
        assert!(error.contains(expected), "{schema}: {error}");
    }
}

/// rustc denies them in docs and strings.
#[test]
fn what_turns_the_direction_of_text_is_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("turned.holds");
    let turns = "\u{61C}\u{200E}\u{200F}\u{202A}\u{202E}\u{2066}\u{2069}";
    let schema = format!(
        "/// Docs{turns} of it.\nstruct \"S{turns}\" {{\"f{turns}\": union {{\"v\\\\{turns}\": null, W: null}}}}"
    );
    fs::write(&file, schema).unwrap();
    let rust = "\\u{61c}\\u{200e}\\u{200f}\\u{202a}\\u{202e}\\u{2066}\\u{2069}";
    let others = "\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069";
    let rows = [
        ("--rust", rust, vec!["/// Docs@ of it.", "\"S@\"", "\"f@\"", "\"v\\\\@\""]),
        ("--python", others, vec!["Docs@ of it.", "\"S@\"", "\"f@\"", "\"v\\\\@\""]),
        ("--typescript", others, vec!["/** Docs@ of it. */", "\"f@\"", "\"v\\\\@\""]),
    ];
    for (language, escaped, parts) in rows {
        let code = generated(language, &file);
        assert!(!code.contains(|c: char| turns.contains(c)), "{code}");
        for part in parts {
            assert!(code.contains(&part.replace('@', escaped)), "{part} in {code}");
        }
    }
}

/// The characters at which an editor or a language ends a line, but LF.
const LINE_ENDS: [&str; 7] = ["\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}", "\r\n"];

/// Each line of generated code that has these docs is a comment, or inside one.
fn assert_only_docs(language: &str, code: &str) {
    assert!(code.contains("evil"), "{code}");
    let is_end = |c: char| LINE_ENDS.iter().any(|end| end.contains(c));
    for line in code.split(is_end).filter(|line| line.contains("evil")) {
        let line = line.trim_start();
        let begins = match language {
            "--rust" => line.starts_with("///"),
            // A line of a docstring has nothing before it.
            "--python" => line.starts_with('#') || line.starts_with("evil"),
            _ => line.starts_with("/**") || line.starts_with("* "),
        };
        assert!(begins, "{language}: {line:?} in {code}");
    }
}

#[test]
fn docs_stay_comments_whatever_ends_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.holds");
    for end in LINE_ENDS {
        // Schema text has docs of one line each.
        let text = format!("/// note{end}evil()\nrecord {{\n/// note{end}evil()\na: int}}");
        fs::write(&file, text).unwrap();
        let described = serde_json::json!({
            "type": "object",
            "description": format!("note{end}evil(){end}"),
            "properties": {"a": {"type": "integer", "description": format!("note{end}evil()")}},
            "required": ["a"],
        });
        let imported = run(&["schema", "--from-json-schema"], &described.to_string()).unwrap();
        for language in ["--rust", "--python", "--typescript"] {
            assert_only_docs(language, &run(&["generate", language], &imported).unwrap());
            let outcome = run(&["generate", language, file.to_str().unwrap()], "");
            match end {
                "\r" | "\u{B}" | "\u{C}" => {
                    let (status, error) = outcome.unwrap_err();
                    let expected = ": bad_input at offset 8: expected a comment without control characters, got ";
                    assert!(status == 1 && error.contains(expected), "{error}");
                }
                "\r\n" => assert!(outcome.is_err(), "nothing but docs would be no comment"),
                _ => assert_only_docs(language, &outcome.unwrap()),
            }
        }
    }
}

#[test]
fn control_characters_of_descriptions_are_spelled_as_in_json() {
    let described = serde_json::json!({"type": "integer", "description": "a\0b\u{1B}[1m\tc"});
    let imported = run(&["schema", "--from-json-schema"], &described.to_string()).unwrap();
    assert_eq!(imported, "/// a\\u0000b\\u001b[1m\tc\nint\n");
}

/// Each of these schemas took time by the square of its definitions, or more, or a stack as deep as they are many.
#[test]
fn many_definitions_take_time_by_their_number() {
    let count = 20_000;
    // Definitions, each of which names the next one.
    let chain = |root: &str, last: &str, definition: &dyn Fn(usize, String) -> String| {
        let each =
            (0..count).map(|n| format!("#d{n} = {}, ", definition(n, format!("#d{}", n + 1))));
        format!("{root} where {}#d{count} = {last}", each.collect::<String>())
    };
    let schemas = [
        chain("#d0", "int", &|n, next| format!("struct D {{x{n}: option({next})}}")),
        chain("map(#d0, #d9)", "int", &|n, next| format!("struct D{n} {{x: option({next})}}")),
        chain("#d0", "list(int)", &|_, next| format!("list(shared({next}))")),
        chain("#d0", "list(int)", &|_, next| format!("extension \"e\" (shared({next}))")),
        chain("#d0", "list(int)", &|_, next| format!("map(tuple({next}), int)")),
        chain("#d0", "list(int)", &|_, next| format!("tuple(shared({next}), shared({next}))")),
    ];
    for schema in schemas {
        for language in ["--rust", "--python", "--typescript"] {
            let begin = std::time::Instant::now();
            run(&["generate", language], &schema).unwrap();
            assert!(begin.elapsed().as_secs() < 20, "{language}: {}", &schema[..60]);
        }
    }
}

#[test]
fn none_inside_a_container_is_no_other_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("marks.holds");
    fs::write(&file, "record {marks: option(list(option(union(int, string))))}").unwrap();
    let code = generated("--python", &file);
    assert!(code.contains("    marks: list[int | str | None] | None\n"), "{code}");
}

#[test]
fn one_language_must_be_named() {
    assert_eq!(run(&["generate"], "").unwrap_err().0, 2);
    assert_eq!(run(&["generate", "--rust", "--python"], "").unwrap_err().0, 2);
}

#[test]
fn an_enum_of_a_class_of_python_is_an_enum() {
    let schema = "record {colour: extension \"shop.Colour\" (union {RED: null, BLUE: null})}";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("paint.holds");
    fs::write(&file, schema).unwrap();
    let code = generated("--python", &file);
    assert!(code.contains("(enum.Enum):\n    RED = \"RED\"\n    BLUE = \"BLUE\"\n"), "{code}");
}
