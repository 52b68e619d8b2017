//! Laws of Parquet and Arrow files: no bytes of one make `holdall pack` panic or end its process. It writes a stream that can be
//! read, or says in one line why not.
//!
//! An input is the number of a format and of its file, and edits of this file: where, in 2 bytes, and the byte there. So a file
//! differs from a whole one in few places, as one that is found on the way to a fault.

#![no_main]

use std::sync::LazyLock;

use holdall::{Reader, Value};
use libfuzzer_sys::fuzz_target;

const FORMATS: [&str; 3] = ["parquet", "arrow", "arrow-stream"];

/// Rows of the kinds that JSON has, and few of them.
const ROWS: [&str; 3] = [
    r#"[{"id":1,"name":"a","more":0.5,"on":true},{"id":2,"name":null,"more":1.5,"on":false},{"id":70000,"name":"a","more":-2.0,"on":true}]"#,
    r#"[{"tags":["x","y"],"at":{"x":1,"k":[[1],[]]}},{"tags":[],"at":{"x":2,"k":[]}},{"tags":["x"],"at":{"x":3,"k":[[4,5]]}}]"#,
    r#"[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7},{"id":8},{"id":9}]"#,
];

/// A damaged length makes up to 2^26 rows without columns, which are within the limits; reading all of them takes 20 s here.
const READ_ROWS: usize = 1 << 20;

/// For each format, a file of each of these.
static FILES: LazyLock<Vec<Vec<Vec<u8>>>> = LazyLock::new(|| {
    let message = |rows: &&str| run(&["pack", "--from", "json"], rows.as_bytes());
    let messages: Vec<Vec<u8>> = ROWS.iter().map(|rows| message(rows).expect("JSON")).collect();
    let file = |format: &str, message: &Vec<u8>| run(&["unpack", "--to", format], message);
    let files = |format: &&str| {
        messages.iter().map(|message| file(format, message).expect("a table")).collect()
    };
    FORMATS.iter().map(files).collect()
});

/// What a command prints, or its error.
fn run(words: &[&str], mut stdin: &[u8]) -> Result<Vec<u8>, String> {
    let args = ["holdall"].iter().chain(words).map(Into::into);
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    match holdall_cli::run(args, &mut stdin, &mut stdout, &mut stderr) {
        0 => Ok(stdout),
        _ => Err(String::from_utf8(stderr).expect("text")),
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((number, edits)) = input.split_first() else { return };
    let format = usize::from(*number) % FORMATS.len();
    let mut file = FILES[format][usize::from(*number) / FORMATS.len() % ROWS.len()].clone();
    for edit in edits.as_chunks::<3>().0 {
        let at = usize::from(u16::from_le_bytes([edit[0], edit[1]])) % file.len();
        file[at] = edit[2];
    }
    match run(&["pack", "--from", FORMATS[format]], &file) {
        Ok(stream) => {
            let mut reader = Reader::new(&stream[..]);
            let rows = reader.values::<Value>().take(READ_ROWS);
            rows.for_each(|row| drop(row.expect("what it wrote")));
        }
        Err(text) => assert!(text.lines().count() == 1 && text.starts_with("holdall: "), "{text}"),
    }
});
