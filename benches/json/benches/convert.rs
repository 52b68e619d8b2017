//! JSON text to holdall and back, beside JSON text to MessagePack and back.
//!
//! `cargo bench --bench convert -- a.json b.json` measures the generated cases and these files. One process, all
//! formats interleaved; a ratio is the peer's median over holdall's, so above 1 holdall is faster.

use std::process::ExitCode;
use std::time::Duration;

use holdall_bench_json::Case;
use holdall_bench_json::formats::{self, MESSAGEPACK};
use holdall_bench_measure::table::{Table, figures, microseconds, thousands};
use holdall_bench_measure::time::{Task, geometric_mean, medians};

/// The minimum time for one case.
const LEAST_TIME: Duration = Duration::from_secs(2);

const LEGEND: &str = "\
pack is JSON text to holdall's bytes, unpack the way back: medians in microseconds, all formats
interleaved in one process. Beside them, how many times as long MessagePack takes: `tree` through
serde_json's Value and rmp-serde, `stream` from parser to writer without a tree. `size` is how
many times as many bytes MessagePack has. The last line is the geometric mean.
";

/// The ratios of one case, in the order of the columns.
fn measure(case: &Case, table: &mut Table) -> [f64; 5] {
    formats::check(case);
    let text = &case.text;
    let ours = formats::pack(text);
    let theirs = MESSAGEPACK.from_text(text);
    let mut tasks = [
        Task::new(|| formats::pack(text)),
        Task::new(|| MESSAGEPACK.from_text(text)),
        Task::new(|| formats::stream_to_messagepack(text)),
        Task::new(|| formats::unpack(&ours)),
        Task::new(|| MESSAGEPACK.to_text(&theirs)),
        Task::new(|| formats::stream_from_messagepack(&theirs)),
    ];
    let times = medians(&mut tasks, LEAST_TIME);
    let ratio = |peer: usize, ours: usize| times[peer].as_secs_f64() / times[ours].as_secs_f64();
    let ratios = [
        theirs.len() as f64 / ours.len() as f64,
        ratio(1, 0),
        ratio(2, 0),
        ratio(4, 3),
        ratio(5, 3),
    ];
    let [size, pack_tree, pack_stream, unpack_tree, unpack_stream] = ratios.map(figures);
    table.row([
        case.name.clone(),
        thousands(text.len()),
        thousands(ours.len()),
        size,
        microseconds(times[0]),
        pack_tree,
        pack_stream,
        microseconds(times[3]),
        unpack_tree,
        unpack_stream,
    ]);
    ratios
}

fn main() -> ExitCode {
    let mut cases = Case::generated();
    // cargo passes `--bench`.
    for path in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        match Case::read(&path) {
            Ok(case) => cases.push(case),
            Err(error) => {
                eprintln!("convert: {error}");
                return ExitCode::FAILURE;
            }
        }
    }

    let mut table = Table::new(&[
        "", "text", "holdall", "size", "pack", "tree", "stream", "unpack", "tree", "stream",
    ]);
    let ratios: Vec<[f64; 5]> = cases.iter().map(|case| measure(case, &mut table)).collect();
    let mean = |column: usize| {
        let column: Vec<f64> = ratios.iter().map(|ratios| ratios[column]).collect();
        figures(geometric_mean(&column))
    };
    let blank = String::new;
    table.row([
        "mean".to_owned(),
        blank(),
        blank(),
        mean(0),
        blank(),
        mean(1),
        mean(2),
        blank(),
        mean(3),
        mean(4),
    ]);
    print!("{table}\n{LEGEND}");
    ExitCode::SUCCESS
}
