//! Large messages and streams with one thread, and with all.
//!
//! `cargo bench --bench threads` packs and reads log records of a Rust type, the same as values without a type, and a table of
//! columns. A ratio is the median with one thread over that with all, so above 1 threads save time. The bytes and values are checked equal.

use std::time::Duration;

use holdall::{Encode, Encoder, Profile, Reader, Value, WriterOptions};
use holdall_bench_json::requests::{Request, requests};
use holdall_bench_measure::table::{Table, figures, microseconds, thousands};
use holdall_bench_measure::time::{Task, medians};

/// The minimum time for one row.
const LEAST_TIME: Duration = Duration::from_secs(3);
const ROWS: u64 = 300_000;
/// As many as the machine runs at once.
const ALL: usize = 0;

fn packed(of: &impl Encode, profile: Profile, threads: usize) -> Vec<u8> {
    Encoder::new().profile(profile).threads(threads).encode(of).expect("any request is written")
}

fn packed_values(of: &Value, profile: Profile, threads: usize) -> Vec<u8> {
    let mut encoder = Encoder::new().profile(profile).threads(threads);
    encoder.message(&mut &*of).expect("any value is written")
}

/// A table by columns: numbers, and decimals of two digits.
#[derive(Encode)]
struct Columns {
    opened: Vec<u64>,
    closed: Vec<u64>,
    customer: Vec<u32>,
    product: Vec<u32>,
    amount: Vec<f64>,
    price: Vec<f64>,
    discount: Vec<f64>,
    total: Vec<f64>,
}

impl Columns {
    fn new() -> Columns {
        let words = |salt: u64| {
            let word = move |n: u64| {
                let word = (n ^ salt << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                (word ^ word >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
            };
            (0..ROWS).map(word)
        };
        let numbers = |salt| words(salt).map(|word| word >> 44).collect();
        let few = |salt| words(salt).map(|word| (word >> 50) as u32).collect();
        let decimals = |salt| words(salt).map(|word| (word >> 47) as f64 / 100.0).collect();
        Columns {
            opened: numbers(0),
            closed: numbers(1),
            customer: few(2),
            product: few(3),
            amount: decimals(4),
            price: decimals(5),
            discount: decimals(6),
            total: decimals(7),
        }
    }
}

fn stream(of: &[Request], profile: Profile, threads: usize) -> Vec<u8> {
    let options = WriterOptions::new().profile(profile).threads(threads).sync([7; 8]);
    let mut writer = options.to(Vec::new()).expect("memory takes all");
    of.iter().try_for_each(|request| writer.write(request)).expect("any request is written");
    writer.finish().expect("memory takes all")
}

fn read(stream: &[u8], threads: usize) -> Vec<Request> {
    let mut reader = Reader::new(stream).threads(threads);
    reader.values().collect::<holdall::Result<_>>().expect("the stream is whole")
}

/// Reads each value and drops it.
fn read_each(stream: &[u8], threads: usize) -> usize {
    let mut reader = Reader::new(stream).threads(threads);
    reader.values::<Request>().map(|value| value.expect("the stream is whole").path.len()).sum()
}

/// A row of the table: work with one thread and with all, which gives the same.
fn compare<T: PartialEq>(table: &mut Table, name: &str, bytes: usize, work: impl Fn(usize) -> T) {
    assert!(work(1) == work(ALL), "{name}");
    let mut tasks = [Task::new(|| work(1)), Task::new(|| work(ALL))];
    let times = medians(&mut tasks, LEAST_TIME);
    let ratio = times[0].as_secs_f64() / times[1].as_secs_f64();
    let [one, all] = [times[0], times[1]].map(microseconds);
    table.row([name.to_owned(), thousands(bytes), one, all, figures(ratio)]);
}

fn main() {
    let requests = requests(ROWS);
    let value: Value = {
        let bytes = packed(&requests, Profile::Fast, 1);
        holdall::from_slice(&bytes).expect("it was just written")
    };
    let columns = Columns::new();
    let mut table = Table::new(&["", "bytes", "one thread", "all", "ratio"]);
    for (name, profile) in [("small", Profile::Small), ("balanced", Profile::Balanced)] {
        let bytes = packed(&requests, profile, 1);
        compare(&mut table, &format!("pack a type, {name}"), bytes.len(), |threads| {
            packed(&requests, profile, threads)
        });
        let decode = || holdall::from_slice::<Vec<Request>>(&bytes).expect("it is whole");
        let one = microseconds(medians(&mut [Task::new(decode)], LEAST_TIME)[0]);
        let none = || "-".to_owned();
        table.row([format!("read a type, {name}"), thousands(bytes.len()), one, none(), none()]);

        let len = packed_values(&value, profile, 1).len();
        compare(&mut table, &format!("pack values, {name}"), len, |threads| {
            packed_values(&value, profile, threads)
        });
        let len = packed(&columns, profile, 1).len();
        compare(&mut table, &format!("pack columns, {name}"), len, |threads| {
            packed(&columns, profile, threads)
        });
        let bytes = stream(&requests, profile, 1);
        compare(&mut table, &format!("write a stream, {name}"), bytes.len(), |threads| {
            stream(&requests, profile, threads)
        });
        assert!(read(&bytes, 1) == requests, "{name}");
        compare(&mut table, &format!("read a stream, {name}"), bytes.len(), |threads| {
            read_each(&bytes, threads)
        });
        compare(&mut table, &format!("read it into a list, {name}"), bytes.len(), |threads| {
            read(&bytes, threads)
        });
    }
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    print!("{table}\n{ROWS} records; times are microseconds, with 1 and {all} threads\n");
}
