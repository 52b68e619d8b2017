//! Types of serde in other formats, beside the crates that people use for those.
//!
//! `cargo bench --bench codings` writes and reads the same values by `holdall_convert::serde` and by `serde_json`, `rmp-serde` and `ciborium`.
//! A ratio is the peer's time over ours, so below 1 the peer is faster. What one writes the other reads.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

use holdall_bench_json::requests::requests;
use holdall_bench_measure::table::{Table, figures, microseconds};
use holdall_bench_measure::time::{Task, medians};
use holdall_convert::{Format, serde as converted};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The minimum time for one row.
const LEAST_TIME: Duration = Duration::from_secs(2);

/// A part of a machine, with parts of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Part {
    id: u32,
    name: String,
    weight: Option<f64>,
    labels: BTreeMap<String, String>,
    parts: Vec<Part>,
}

fn part(id: u32, depth: u32) -> Part {
    let label = |number: u32| (format!("label {number}"), format!("of {id}"));
    Part {
        id,
        name: format!("part {id}"),
        weight: (!id.is_multiple_of(3)).then(|| f64::from(id) / 8.0),
        labels: (0..id % 4).map(label).collect(),
        parts: (0..if depth == 0 { 0 } else { 6 }).map(|at| part(id * 6 + at, depth - 1)).collect(),
    }
}

fn peer_writes<T: Serialize>(format: Format, value: &T) -> Vec<u8> {
    match format {
        Format::Json => serde_json::to_vec(value).expect("JSON holds it"),
        Format::Msgpack => rmp_serde::to_vec_named(value).expect("MessagePack holds it"),
        _ => {
            let mut data = Vec::new();
            ciborium::into_writer(value, &mut data).expect("CBOR holds it");
            data
        }
    }
}

fn peer_reads<T: DeserializeOwned>(format: Format, data: &[u8]) -> T {
    match format {
        Format::Json => serde_json::from_slice(data).expect("it is JSON"),
        Format::Msgpack => rmp_serde::from_slice(data).expect("it is MessagePack"),
        _ => ciborium::from_reader(data).expect("it is CBOR"),
    }
}

fn compare<T>(table: &mut Table, name: &str, value: &T)
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    for (format, peer) in
        [(Format::Json, "serde_json"), (Format::Msgpack, "rmp-serde"), (Format::Cbor, "ciborium")]
    {
        let write = || converted::to_vec(format, value).expect("the format holds it");
        let data = write();
        assert!(peer_reads::<T>(format, &data) == *value, "{name}, {peer}");
        let theirs = peer_writes(format, value);
        let read = || converted::from_slice::<T>(format, &theirs).expect("it is whole");
        assert!(read() == *value, "{name}, {peer}");
        let mut tasks = [
            Task::new(write),
            Task::new(|| peer_writes(format, value)),
            Task::new(read),
            Task::new(|| peer_reads::<T>(format, &theirs)),
        ];
        let times = medians(&mut tasks, LEAST_TIME);
        let ratio = |at: usize| figures(times[at + 1].as_secs_f64() / times[at].as_secs_f64());
        table.row([
            format!("{name}, {}", format.name()),
            microseconds(times[0]),
            ratio(0),
            microseconds(times[2]),
            ratio(2),
            peer.to_owned(),
        ]);
    }
}

fn main() {
    let mut table = Table::new(&["", "write", "peer/ours", "read", "peer/ours", "peer"]);
    compare(&mut table, "one request", &requests(1)[0]);
    compare(&mut table, "10,000 requests", &requests(10_000));
    compare(&mut table, "a tree of 9,331 parts", &part(1, 5));
    compare(&mut table, "100,000 ints", &(0..100_000_u32).map(|n| n * 7919).collect::<Vec<_>>());
    print!("{table}\nTimes are microseconds.\n");
}
