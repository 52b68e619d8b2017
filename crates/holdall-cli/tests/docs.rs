//! The commands in the documentation run, and print what it shows.
//!
//! The blocks of a page run one after the other in a folder with the files that the page takes for granted. In a block of `console` the lines
//! after a command are its output; a block of `sh` shows none, and is left out if it begins with another program, such as an installation.

// They are those of a shell.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files that a page takes for granted, as the commands that make them.
const FILES: [(&str, &str); 4] = [
    (
        "docs/command-line.md",
        r#"
        echo '[{"id": 1, "name": "Ada", "age": 3}, {"id": 2, "name": "Bob", "age": 4}, {"id": 3, "name": "Cy", "age": 5}]' |
            holdall pack --from json -o old.hold
        echo '[{"id": 9, "name": "Zoe", "age": 3}, {"id": 1, "name": "Ada", "age": 4}, {"id": 3, "name": "Cyd", "age": 6}]' |
            holdall pack --from json -o new.hold
        echo '{"level": "error", "message": "disk full"}' > log.ndjson
        echo '{"level": "info", "message": "started"}' >> log.ndjson
        "#,
    ),
    (
        "docs/dictionaries.md",
        r#"
        for n in $(seq 300); do
            echo '{"id": '$n', "user": "user '$n'", "text": "signed in from a new device"}'
        done > events.ndjson
        head -n 1 events.ndjson > event.json
        "#,
    ),
    (
        "docs/files.md",
        r#"
        echo '{"level": "error", "message": "disk full"}' > log.ndjson
        echo '{"level": "info", "message": "started"}' >> log.ndjson
        "#,
    ),
    (
        "docs/schemas.md",
        r#"
        echo '[{"id": 1, "lines": [{"product": "tea", "amount": 2}]}]' | holdall pack --from json -o orders.hold
        echo 'record {id: int}' > old.holds
        echo 'record {id: int, note: option(string)}' > new.holds
        mkdir src
        "#,
    ),
];

/// A command whose data are not in the repository, and the file with what it printed.
const PRINTED: (&str, &str) = ("holdall stat cars.hold | head -n 7", "docs/cars/stat.txt");

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A command line, and the output that the page shows; none in a block of `sh`.
type Line = (String, Option<String>);

/// The command lines of a page, with the contents of its first block of text.
fn lines(page: &str) -> (Vec<Line>, Option<String>) {
    let (mut lines, mut text): (Vec<Line>, _) = (Vec::new(), None);
    for block in page.split("\n```").skip(1).step_by(2) {
        let (language, block) = block.split_once('\n').unwrap_or((block, ""));
        match language {
            "console" => {
                for part in format!("\n{block}").split("\n$ ").skip(1) {
                    let (command, output) = part.split_once('\n').unwrap_or((part, ""));
                    lines.push((command.to_owned(), Some(output.trim_end().to_owned())));
                }
            }
            "sh" if block.starts_with("holdall ") => {
                lines.extend(block.lines().map(|command| (command.to_owned(), None)));
            }
            "text" => text = text.or_else(|| Some(format!("{block}\n"))),
            _ => {}
        }
    }
    (lines, text)
}

/// Runs a command line in a folder: whether it succeeds, and what it prints.
fn run(command: &str, folder: &Path) -> (Option<i32>, String) {
    let built = Path::new(env!("CARGO_BIN_EXE_holdall")).parent().unwrap();
    let others = std::env::var("PATH").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-euc", command]).current_dir(folder);
    let output = shell.env("PATH", format!("{}:{others}", built.display())).output().unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(printed).unwrap())
}

/// Runs the commands of a page: how many, and what is wrong with them.
fn replay(name: &str, page: &str) -> (usize, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let (lines, text) = lines(page);
    if lines.is_empty() {
        return (0, Vec::new());
    }
    let files = FILES.iter().find(|(own, _)| *own == name);
    if let Some((_, script)) = files {
        assert_eq!(run(script, folder.path()), (Some(0), String::new()), "{name}");
    }
    if name == "docs/schemas.md" {
        fs::write(folder.path().join("orders.holds"), text.unwrap()).unwrap();
    }
    let mut wrong = Vec::new();
    for (command, expected) in &lines {
        if command == PRINTED.0 {
            let printed = fs::read_to_string(repository().join(PRINTED.1)).unwrap();
            let first: Vec<&str> = printed.lines().take(7).collect();
            assert_eq!(expected.as_deref(), Some(first.join("\n").as_str()), "{name}: {command}");
            continue;
        }
        let (status, printed) = run(command, folder.path());
        // 1 is for a difference, which is then printed.
        let is_done = status == Some(0) || status == Some(1) && !printed.is_empty();
        let is_shown = expected.as_ref().is_none_or(|expected| printed.trim_end() == expected);
        if !is_done || !is_shown || (expected.is_none() && status != Some(0)) {
            wrong.push(format!("{name}: {command}\nstatus {status:?}\n{printed}"));
        }
    }
    (lines.len(), wrong)
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

#[test]
fn commands_in_pages_print_what_the_pages_show() {
    let root = repository();
    let mut paths = vec![root.join("README.md")];
    pages(&root.join("docs"), &mut paths);
    paths.sort();
    let (mut count, mut wrong) = (0, Vec::new());
    for path in paths {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        let (own, failed) = replay(&name, &fs::read_to_string(&path).unwrap());
        count += own;
        wrong.extend(failed);
    }
    assert!(count > 20, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_page_with_another_output_is_wrong() {
    let page = "\n```console\n$ echo a\nb\n```\n\n```sh\nholdall schema nothing.hold\n```\n";
    let (count, wrong) = replay("x.md", page);
    assert_eq!((count, wrong.len()), (2, 2), "{wrong:?}");
}
