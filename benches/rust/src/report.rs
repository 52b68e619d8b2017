//! Tables of what was measured.

use std::fmt::Write;

use holdall_bench_measure::table::{Table, figures, microseconds, thousands};

use crate::case::Operation;
use crate::measure::{Figures, Measured};

const LEGEND: &str = "\
Ratios of the best peer to holdall, and who that is: above 1 holdall is faster or smaller.
serialize writes into memory that is kept, fresh into new memory. deserialize gives values that own
all they have and drops them, borrow gives values that borrow from the bytes. zstd is what level 3
leaves of the bytes. copy is the time of memcpy of holdall's bytes over that of serialize, clone
that of cloning and dropping the value over that of deserialize. `bare` writes no schema, as most
peers do; `small` is the profile of the fewest bytes, beside others that compress. A - is what a
peer cannot do.
";

/// A row of numbers that can be compared, the fewer the better; none where the peer cannot do it.
fn scores(peer: &Figures) -> [Option<f64>; 6] {
    let time = |operation: Operation| peer.times[operation as usize].map(|time| time.as_secs_f64());
    [
        time(Operation::Serialize),
        time(Operation::Fresh),
        time(Operation::Deserialize),
        time(Operation::Borrow),
        Some(peer.bytes as f64),
        Some(peer.zstd as f64),
    ]
}

const SCORES: [&str; 6] = ["serialize", "fresh", "deserialize", "borrow", "bytes", "zstd"];

/// The peer with the fewest of a score among those that ours is compared with, and how many times ours that is.
fn best<'m>(measured: &'m Measured, ours: &Figures, score: usize) -> Option<(f64, &'m str)> {
    let own = scores(ours)[score]?;
    let rivals = measured.peers.iter().filter(|peer| !peer.ours && peer.small == ours.small);
    let rivals = rivals.filter_map(|peer| Some((scores(peer)[score]? / own, peer.peer)));
    rivals.min_by(|one, other| one.0.total_cmp(&other.0))
}

fn against<'m>(
    measured: &'m Measured,
    ours: &Figures,
    peer: &str,
    score: usize,
) -> Option<(f64, &'m str)> {
    let own = scores(ours)[score]?;
    let peer = measured.peers.iter().find(|other| other.peer == peer)?;
    Some((scores(peer)[score]? / own, peer.peer))
}

fn row_name(measured: &Measured, ours: &Figures) -> String {
    match ours.peer.split_once(", ") {
        Some((_, way)) => format!("{}, {way}", measured.name),
        None => measured.name.to_owned(),
    }
}

/// The ratios of all cases.
#[must_use]
pub fn ratios(all: &[Measured]) -> String {
    let mut table = Table::new(&[&[""], &SCORES[..], &["copy", "clone"]].concat());
    for measured in all {
        for ours in measured.peers.iter().filter(|peer| peer.ours) {
            let cell = |score| match best(measured, ours, score) {
                Some((ratio, peer)) => format!("{} {peer}", figures(ratio)),
                None => "-".to_owned(),
            };
            let floor = |floor: std::time::Duration, operation: Operation| match ours.times
                [operation as usize]
            {
                Some(time) => figures(floor.as_secs_f64() / time.as_secs_f64()),
                None => "-".to_owned(),
            };
            let floors = [
                floor(measured.copy, Operation::Serialize),
                floor(measured.clone, Operation::Deserialize),
            ];
            table.row(
                [row_name(measured, ours)]
                    .into_iter()
                    .chain((0..SCORES.len()).map(cell))
                    .chain(floors),
            );
        }
    }
    format!("{table}\n{LEGEND}")
}

/// The ratios to bitcode alone.
#[must_use]
pub fn ratios_to_bitcode(all: &[Measured]) -> String {
    let mut table = Table::new(&[&["bitcode / holdall"], &SCORES[..]].concat());
    for measured in all {
        for ours in measured.peers.iter().filter(|peer| peer.ours && !peer.small) {
            let cell = |score| match against(measured, ours, "bitcode", score) {
                Some((ratio, _)) => figures(ratio),
                None => "-".to_owned(),
            };
            table.row([row_name(measured, ours)].into_iter().chain((0..SCORES.len()).map(cell)));
        }
    }
    table.to_string()
}

/// All figures of a case.
#[must_use]
pub fn details(measured: &Measured) -> String {
    let mut table = Table::new(&[
        measured.name,
        "serialize",
        "fresh",
        "deserialize",
        "borrow",
        "bytes",
        "zstd",
        "allocs",
        "peak",
        "allocs",
        "peak",
    ]);
    for peer in &measured.peers {
        let times = peer.times.iter().map(|time| time.map_or("-".to_owned(), microseconds));
        let sizes = [peer.bytes, peer.zstd, peer.writing.allocations, peer.writing.peak];
        let sizes =
            sizes.into_iter().chain([peer.reading.allocations, peer.reading.peak]).map(thousands);
        table.row([peer.peer.to_owned()].into_iter().chain(times).chain(sizes));
    }
    let none = String::new;
    table.row([
        "memcpy, clone".to_owned(),
        microseconds(measured.copy),
        none(),
        microseconds(measured.clone),
    ]);
    format!(
        "{}; microseconds, bytes, and allocations of fresh and deserialize\n{table}",
        measured.about
    )
}

/// The cells in which a peer is better.
#[must_use]
pub fn losses(all: &[Measured]) -> String {
    let mut out = String::new();
    for measured in all {
        for ours in measured.peers.iter().filter(|peer| peer.ours) {
            let lost: Vec<String> = (0..SCORES.len())
                .filter_map(|score| Some((SCORES[score], best(measured, ours, score)?)))
                .filter(|(_, (ratio, _))| *ratio < 1.0)
                .map(|(score, (ratio, peer))| format!("{score} {} ({peer})", figures(ratio)))
                .collect();
            if !lost.is_empty() {
                // A string takes all.
                let _ = writeln!(out, "- {}: {}", row_name(measured, ours), lost.join(", "));
            }
        }
    }
    out
}
