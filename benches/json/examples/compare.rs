//! Compares formats on JSON files: bytes, and times between text, tree and bytes.
//!
//! `cargo run --release --example compare -- a.json b.json`

use std::process::ExitCode;
use std::time::Duration;

use holdall::Profile;
use holdall_bench_json::Case;
use holdall_bench_json::formats::{self, CBOR, JSON, MESSAGEPACK, Peer};
use holdall_bench_measure::table::{Table, milliseconds, percent, thousands};
use holdall_bench_measure::time::{Task, medians};

/// The minimum time for one file.
const LEAST_TIME: Duration = Duration::from_secs(2);

/// Each profile of holdall, with its name in the table.
const PROFILES: [(&str, Profile); 3] =
    [("holdall", Profile::Fast), ("  balanced", Profile::Balanced), ("  small", Profile::Small)];

const LEGEND: &str = "\
Bytes of one file. JSON is the text without white space between its tokens, and `zstd` is the size of
a format's bytes after zstd at level 3. Times are medians in milliseconds, in memory, with all formats
interleaved in one process:
  pack    JSON text to the format's bytes    unpack  the format's bytes to JSON text
  encode  a tree in memory to bytes          decode  bytes to a tree in memory
JSON (serde_json), MessagePack (rmp-serde) and CBOR (ciborium) share one tree, serde_json's Value,
and pack and unpack through it; `streamed` goes from parser to writer without a tree. holdall packs
and unpacks without a tree; its tree is holdall::Value. Its first row is profile fast; balanced adds
dictionaries and differences, small every encoding and zstd.
Before the measurement, every format returned an equal value, and holdall one with the keys of every
object in the same order.
";

/// The results of a format for one file.
struct Row<'a> {
    name: &'a str,
    bytes: Vec<u8>,
    // In the order of the columns; empty if the format has no such way.
    tasks: [Option<Task<'a>>; 4],
}

fn peer_row<'a>(peer: &'a Peer, case: &'a Case, tree: &'a serde_json::Value) -> Row<'a> {
    let bytes = (peer.from_tree)(tree);
    let (unpacked, decoded) = (bytes.clone(), bytes.clone());
    Row {
        name: peer.name,
        tasks: [
            Some(Task::new(|| peer.from_text(&case.text))),
            Some(Task::new(move || peer.to_text(&unpacked))),
            Some(Task::new(|| (peer.from_tree)(tree))),
            Some(Task::new(move || (peer.to_tree)(&decoded))),
        ],
        bytes,
    }
}

fn rows<'a>(
    case: &'a Case,
    tree: &'a serde_json::Value,
    value: &'a holdall::Value,
) -> Vec<Row<'a>> {
    let mut json = peer_row(&JSON, case, tree);
    // Text to text would measure nothing useful.
    json.bytes.clone_from(&case.text);
    json.tasks[0] = None;
    json.tasks[1] = None;

    let streamed = formats::stream_to_messagepack(&case.text);
    let unpacked = streamed.clone();
    let streamed = Row {
        name: "  streamed",
        bytes: streamed,
        tasks: [
            Some(Task::new(|| formats::stream_to_messagepack(&case.text))),
            Some(Task::new(move || formats::stream_from_messagepack(&unpacked))),
            None,
            None,
        ],
    };
    let mut rows =
        vec![json, peer_row(&MESSAGEPACK, case, tree), streamed, peer_row(&CBOR, case, tree)];
    rows.extend(PROFILES.map(|(name, profile)| {
        let bytes = formats::pack_in(profile, &case.text);
        let (unpacked, decoded) = (bytes.clone(), bytes.clone());
        Row {
            name,
            bytes,
            tasks: [
                Some(Task::new(move || formats::pack_in(profile, &case.text))),
                Some(Task::new(move || formats::unpack(&unpacked))),
                Some(Task::new(move || formats::encode_in(profile, value))),
                Some(Task::new(move || {
                    holdall::from_slice::<holdall::Value>(&decoded).expect("it was packed")
                })),
            ],
        }
    }));
    rows
}

fn compare(case: &Case, table: &mut Table) {
    formats::check(case);
    let tree = (JSON.to_tree)(&case.text);
    let ours = formats::pack(&case.text);
    let value = holdall::from_slice::<holdall::Value>(&ours).expect("it was packed");

    let mut rows = rows(case, &tree, &value);
    let mut places = Vec::new();
    let mut tasks = Vec::new();
    for (row, format) in rows.iter_mut().enumerate() {
        for (column, task) in format.tasks.iter_mut().enumerate() {
            if let Some(task) = task.take() {
                places.push((row, column));
                tasks.push(task);
            }
        }
    }
    let times = medians(&mut tasks, LEAST_TIME);

    table.row([case.name.clone()]);
    for (index, row) in rows.iter().enumerate() {
        let zstd = zstd::bulk::compress(&row.bytes, 3).expect("memory suffices");
        let mut cells = vec![
            format!("  {}", row.name),
            thousands(row.bytes.len()),
            percent(row.bytes.len(), case.text.len()),
            thousands(zstd.len()),
        ];
        cells.extend((0..4).map(|column| {
            let task = places.iter().position(|&place| place == (index, column));
            task.map_or_else(|| "-".to_owned(), |task| milliseconds(times[task]))
        }));
        table.row(cells);
    }
}

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        eprintln!("usage: compare FILE.json ...");
        return ExitCode::from(2);
    }
    // All files are read before the first measurement.
    let mut cases = Vec::new();
    for path in &paths {
        match Case::read(path) {
            Ok(case) => cases.push(case),
            Err(error) => {
                eprintln!("compare: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    let mut table =
        Table::new(&["", "bytes", "of JSON", "zstd", "pack", "unpack", "encode", "decode"]);
    for case in &cases {
        compare(case, &mut table);
    }
    print!("{table}\n{LEGEND}");
    ExitCode::SUCCESS
}
