//! Tables in Parquet and Arrow files.

use std::fs;

use crate::damage::common::chance::{Chance, rounds};
use crate::damage::common::mutate::mutate;
use crate::printed as run;

const FORMATS: [&str; 4] = ["parquet", "arrow", "feather", "arrow-stream"];

/// Rows of all kinds that JSON has.
fn json() -> String {
    let row = |n: usize| {
        let name =
            if n.is_multiple_of(7) { "null".to_owned() } else { format!("\"name {}\"", n % 5) };
        format!(
            "{{\"id\":{n},\"more\":{},\"name\":{name},\"tags\":[\"t{}\"],\"at\":{{\"x\":{},\"on\":{},\"k\":[[\"{}\"]]}}}}\n",
            n as f64 + 0.25,
            n % 3,
            n % 11,
            n.is_multiple_of(2),
            "k".repeat(n % 20)
        )
    };
    (0..300).map(row).collect()
}

#[test]
fn rows_come_back_from_a_table_of_each_format() {
    let json = json();
    let message = run(&["pack", "--from", "ndjson"], json.as_bytes()).unwrap();
    let stream = run(&["pack", "--from", "ndjson", "--stream"], json.as_bytes()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for format in FORMATS {
        for data in [&message, &stream] {
            let table = run(&["unpack", "--to", format], data).unwrap();
            let rows = run(&["pack", "--from", format], &table).unwrap();
            assert_eq!(run(&["unpack", "--to", "ndjson"], &rows).unwrap(), json.as_bytes());
            // The same in files, which are named by the format.
            let extension = if format == "arrow-stream" { "arrows" } else { format };
            let (from, to) = (path("rows.hold"), path(&format!("rows.{extension}")));
            fs::write(&from, data).unwrap();
            assert_eq!(run(&["unpack", &from, "-o", &to], b"").unwrap(), b"");
            assert_eq!(fs::read(&to).unwrap(), table);
            let back = path("back.hold");
            assert_eq!(run(&["pack", &to, "-o", &back, "--meta", "of=rows"], b"").unwrap(), b"");
            assert_eq!(run(&["unpack", &back, "--to", "ndjson"], b"").unwrap(), json.as_bytes());
            assert_eq!(run(&["meta", &back], b"").unwrap(), b"{\"of\":\"rows\"}\n");
            // Each row is a value, so a stream grows.
            let (growing, add) = (path("growing.hold"), ["--stream", "--append"]);
            let _ = fs::remove_file(&growing);
            for times in 1..=2 {
                let words = [&["pack", &to, "-o", &growing][..], &add].concat();
                assert_eq!(run(&words, b"").unwrap(), b"");
                let all = run(&["unpack", &growing, "--to", "ndjson"], b"").unwrap();
                assert_eq!(all, json.repeat(times).into_bytes());
            }
        }
    }
}

#[test]
fn damaged_tables_are_tables_or_errors_of_one_line() {
    let message = run(&["pack", "--from", "ndjson"], json().as_bytes()).unwrap();
    let mut chance = Chance::new(20_261_126);
    for format in ["parquet", "arrow", "arrow-stream"] {
        let table = run(&["unpack", "--to", format], &message).unwrap();
        let mut failed = 0;
        let all = rounds(4000);
        for _ in 0..all {
            let mut damaged = table.clone();
            for _ in 0..*chance.pick(&[1, 1, 1, 2, 3]) {
                mutate(&mut chance, &mut damaged, &table);
            }
            if let Err(error) = run(&["pack", "--from", format], &damaged) {
                failed += 1;
                assert_eq!(error.lines().count(), 1, "{error}");
                assert!(error.starts_with("holdall: stdin: "), "{error}");
            }
        }
        assert!(failed * 3 > all, "{format}: {failed} of {all}");
    }
}

#[test]
fn buffers_between_the_places_of_numbers_are_an_error_of_one_line() {
    let message = run(&["pack", "--from", "json"], b"[{\"a\":\"b\"},{\"a\":\"c\"}]").unwrap();
    for format in ["arrow", "arrow-stream"] {
        let table = run(&["unpack", "--to", format], &message).unwrap();
        // Offsets and lengths of buffers are among these bytes.
        for at in (0..table.len()).step_by(4) {
            let mut damaged = table.clone();
            damaged[at] ^= 1;
            if let Err(error) = run(&["pack", "--from", format], &damaged) {
                assert_eq!(error.lines().count(), 1, "{error}");
            }
        }
    }
}

#[test]
fn claimed_lengths_take_no_memory() {
    let message = run(&["pack", "--from", "json"], b"[{\"a\":1},{\"a\":2}]").unwrap();
    let table = run(&["unpack", "--to", "arrow-stream"], &message).unwrap();
    // The length of the body of the record batch, and every other number of 8 bytes.
    for at in (0..table.len() - 8).step_by(8) {
        for claimed in [i64::MAX, i64::MIN, -1, 1 << 40] {
            let mut damaged = table.clone();
            damaged[at..at + 8].copy_from_slice(&claimed.to_le_bytes());
            if let Err(error) = run(&["pack", "--from", "arrow-stream"], &damaged) {
                assert_eq!(error.lines().count(), 1, "{error}");
            }
        }
    }
}
