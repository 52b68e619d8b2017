//! Command lines as files: `cli/*.txt` has the command, its input, and what comes out.
//!
//! `BLESS=1 cargo test -p holdall-cli` writes what comes out into the files; `git diff` shows it. A file is
//!
//! ```text
//! Words about the case.
//!
//! $ holdall pack users.json | holdall unpack
//! > stdin          input: this, or `file NAME`; with `hex` at the end its bytes are in hexadecimal
//! < status 0       output: this, then `stdout`, `stderr` and each `file NAME` that is new or changed, unless empty
//! ```
//!
//! with contents on the lines after a head.

// The words of the operating system's errors are those of Unix.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Stands as a last line in contents that do not end with a line break.
const NO_LINE_BREAK: &str = "\\ no line break at the end";

#[test]
fn command_lines_give_the_output_in_their_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let bless = std::env::var_os("BLESS").is_some();
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let mut wrong = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let end = text.find("\n< ").map_or(text.len(), |end| end + 1);
        let head = format!("{}\n", text[..end].trim_end_matches('\n'));
        let now = format!("{head}{}", outcome(&head));
        if now == text {
            continue;
        }
        if bless {
            fs::write(&path, now).unwrap();
        } else {
            wrong.push(format!("{}:\n{now}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "BLESS=1 makes it right what comes out now:\n\n{}", wrong.join("\n"));
}

/// Runs a case, and writes down what comes out.
fn outcome(head: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut stdin = Vec::new();
    let mut files = BTreeMap::new();
    for (name, contents) in inputs(head) {
        match name.strip_prefix("file ") {
            Some(file) => {
                fs::write(folder.path().join(file), &contents).unwrap();
                files.insert(file.to_owned(), contents);
            }
            None => stdin = contents,
        }
    }
    let command = head.lines().find_map(|line| line.strip_prefix("$ ")).expect("a command");
    let mut stderr = Vec::new();
    let mut status = None;
    for part in command.split(" | ") {
        let mut words = part.split_whitespace();
        assert_eq!(words.next(), Some("holdall"));
        let mut child = Command::new(env!("CARGO_BIN_EXE_holdall"))
            .args(words)
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Inputs are smaller than a pipe's buffer, so no process waits; a command that fails early closes its end.
        let _ = child.stdin.take().unwrap().write_all(&stdin);
        let output = child.wait_with_output().unwrap();
        stdin = output.stdout;
        stderr.extend(output.stderr);
        status = output.status.code();
    }
    let mut out = format!("< status {}\n", status.expect("no signal"));
    section(&mut out, "stdout", &stdin);
    section(&mut out, "stderr", &stderr);
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in names {
        let contents = fs::read(folder.path().join(&name)).unwrap();
        if files.get(&name) != Some(&contents) {
            section(&mut out, &format!("file {name}"), &contents);
        }
    }
    out
}

/// The names and contents of a case's inputs.
fn inputs(head: &str) -> Vec<(String, Vec<u8>)> {
    let sections = head.split("\n> ").skip(1);
    let section = |section: &str| {
        let (name, contents) = section.split_once('\n').unwrap_or((section, ""));
        let contents = contents.trim_end_matches('\n');
        if let Some(name) = name.strip_suffix(" hex") {
            let digits = contents.split_whitespace();
            let bytes = digits.map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
            return (name.to_owned(), bytes);
        }
        let contents = match contents.strip_suffix(&format!("\n{NO_LINE_BREAK}")) {
            Some(contents) => contents.to_owned(),
            None if contents.is_empty() => String::new(),
            None => format!("{contents}\n"),
        };
        (name.to_owned(), contents.into_bytes())
    };
    sections.map(section).collect()
}

/// Writes an output, as text where that shows it all.
fn section(out: &mut String, name: &str, contents: &[u8]) {
    if contents.is_empty() && !name.starts_with("file ") {
        return;
    }
    let is_plain = |text: &&str| !text.contains(|char: char| char.is_control() && char != '\n');
    match std::str::from_utf8(contents).ok().filter(is_plain) {
        Some(text) => {
            *out += &format!("< {name}\n{text}");
            if !text.ends_with('\n') && !text.is_empty() {
                *out += &format!("\n{NO_LINE_BREAK}\n");
            }
        }
        None => {
            *out += &format!("< {name} hex\n");
            for line in contents.chunks(16) {
                let bytes: Vec<String> = line.iter().map(|byte| format!("{byte:02X}")).collect();
                *out += &format!("{}\n", bytes.join(" "));
            }
        }
    }
}
