//! What a terminal shows: text, colours on request, and nothing that controls it.

use holdall_cli::{Shows, TextOnly, open_no_url, run_with as run_shown};

use crate::run::{args, run_with};

/// The status, and the texts on both streams.
fn run_at_terminal(words: &[&str], stdin: &[u8], colour: bool) -> (u8, String, String) {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let shows = Shows { text_only: true, colour, ..Shows::default() };
    let mut stdin = stdin;
    let words = args(words);
    let status = run_shown(words, &mut stdin, &mut stdout, &mut stderr, shows, &open_no_url);
    (status, String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn a_comparison_shows_a_terminal_its_colours_and_no_control_characters() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old");
    let [before, after] = ["1", "[\"\\u001b[31m\u{202E}\"]"].map(|value| {
        let json = format!("{{\"a\\u001b[31m\u{202E}\": {value}}}");
        holdall_convert::json::pack(json.as_bytes()).unwrap()
    });
    std::fs::write(&old, before).unwrap();
    for options in [&[][..], &["--json"], &["--values"], &["--values", "--json"]] {
        let shown = |colour: bool| {
            let words = [&["diff", old.to_str().unwrap(), "-"], options].concat();
            let (status, stdout, stderr) = run_at_terminal(&words, &after, colour);
            assert_eq!((status, &*stderr), (1, ""));
            stdout
        };
        let (plain, coloured) = (shown(false), shown(true));
        let is_control = |char: char| (char.is_control() && char != '\n') || char == '\u{202E}';
        assert!(!plain.contains(is_control), "{plain:?}");
        assert_eq!(coloured.contains("\x1B[32m"), !options.contains(&"--json"), "{coloured:?}");
        let colours = ["\x1B[0m", "\x1B[2m", "\x1B[31m", "\x1B[32m", "\x1B[33m"];
        let stripped = colours.iter().fold(coloured, |text, colour| text.replace(colour, ""));
        assert_eq!(stripped, plain);
    }
}

#[test]
fn no_data_goes_to_a_terminal() {
    let mut terminal = TextOnly::new(Vec::new());
    let (status, stderr) = run_with(&["pack", "--from", "json"], &mut &b"1"[..], &mut terminal);
    assert_eq!(status, 1);
    assert_eq!(
        stderr,
        "holdall: stdout: io: this is a terminal, and the data is binary: name a file with -o, or send it through a pipe\n",
    );
    let (status, stdout, stderr) = run_at_terminal(&["pack", "--from", "json"], b"1", false);
    assert_eq!((status, &*stdout), (1, ""));
    assert!(stderr.starts_with("holdall: stdout: io: this is a terminal"));
    let message = holdall_convert::json::pack(b"1").unwrap();
    assert_eq!(
        run_with(&["unpack", "--to", "json"], &mut &message[..], &mut terminal),
        (0, String::new())
    );
}

#[test]
fn only_text_goes_to_a_terminal() {
    let message = holdall_convert::json::pack("[\"a\", \"ä\"]".as_bytes()).unwrap();
    for (format, status) in [("json", 0), ("ndjson", 0), ("msgpack", 1), ("cbor", 1)] {
        let mut terminal = TextOnly::new(Vec::new());
        let words = ["unpack", "--to", format];
        assert_eq!(run_with(&words, &mut &message[..], &mut terminal).0, status, "{format}");
    }
    // Longer than the piece that is examined, in characters of two bytes.
    let text = format!("[\"a{}\"]", "ä".repeat(100_000));
    let message = holdall_convert::json::pack(text.as_bytes()).unwrap();
    let mut terminal = TextOnly::new(Vec::new());
    let words = ["unpack", "--to", "json"];
    assert_eq!(run_with(&words, &mut &message[..], &mut terminal), (0, String::new()));
    // CSV contains control characters unescaped.
    let message = holdall_convert::json::pack(br#"[{"a": "\u001b[31m"}]"#).unwrap();
    let mut terminal = TextOnly::new(Vec::new());
    assert_eq!(run_with(&["unpack", "--to", "csv"], &mut &message[..], &mut terminal).0, 1);
}

#[test]
fn colours_are_used_on_request() {
    let message = holdall_convert::json::pack(b"[1, 2, 3, 4, 5, 6]").unwrap();
    let shown = |command: &str, colour: bool| {
        // They pass what keeps data from a terminal.
        let (status, stdout, stderr) = run_at_terminal(&[command], &message, colour);
        assert_eq!((status, &*stderr), (0, ""));
        stdout
    };
    for command in ["inspect", "stat"] {
        let (plain, coloured) = (shown(command, false), shown(command, true));
        assert!(!plain.contains('\x1B') && coloured.contains("\x1B[36m$[]"));
        let mut stripped = String::new();
        for (number, part) in coloured.split('\x1B').enumerate() {
            stripped += if number == 0 { part } else { part.split_once('m').unwrap().1 };
        }
        let lines =
            |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
        assert_eq!(lines(&stripped), lines(&plain));
    }
}

#[test]
fn no_name_or_value_controls_a_terminal() {
    let json = "{\"a\\u001b[31m\\u009b\u{202E}\": \"\\u001b[31m\u{202E}\"}";
    let message = holdall_convert::json::pack(json.as_bytes()).unwrap();
    for words in [
        &["inspect"][..],
        &["inspect", "--redact"],
        &["inspect", "--json"],
        &["stat"],
        &["stat", "--json"],
        &["stat", "--html"],
        &["verify"],
    ] {
        let mut stdout = Vec::new();
        assert_eq!(run_with(words, &mut &message[..], &mut stdout), (0, String::new()));
        let text = String::from_utf8(stdout).unwrap();
        let is_control = |char: char| (char.is_control() && char != '\n') || char == '\u{202E}';
        assert!(!text.contains(is_control), "{text:?}");
    }
}
