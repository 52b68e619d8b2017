//! Tables of the results.

use std::fmt::Write;
use std::time::Duration;

use holdall_bench_measure::table::{Table, figures, microseconds, thousands};

use crate::case::Operation;
use crate::machine;
use crate::measure::{Figures, Measured};

const LEGEND: &str = "\
Ratios of the best peer to holdall, and who that is: above 1 holdall is faster or smaller.
serialize writes into memory that is kept, fresh into new memory. deserialize gives values that own
all they have and drops them, borrow gives values that borrow from the bytes: rkyv those bytes once
they are checked, wincode also numbers in place. zstd is what level 3 leaves of the bytes. copy is
the time of memcpy of holdall's bytes over that of serialize, clone that of cloning the value and
dropping it over that of deserialize. `bare` writes no schema, as most peers do; `small` is the
profile of the fewest bytes, beside bitcode and zstd; `same` reads data of the schema that it has.
prost has types of its own, and the time to make them is not counted. `random types` are the
geometric means over 20 types that a generator made, with values. A - is what no peer can
do, `only` what holdall cannot.
";

/// The comparable scores of one peer, for which less is better; none if it cannot do that.
fn scores(peer: &Figures) -> [Option<f64>; 6] {
    let time = |operation: Operation| peer.times[operation as usize].map(|time| time.as_secs_f64());
    let [serialize, fresh, deserialize, borrow] = Operation::ALL.map(time);
    [serialize, fresh, deserialize, borrow, Some(peer.bytes as f64), Some(peer.zstd as f64)]
}

const SCORES: [&str; 6] = ["serialize", "fresh", "deserialize", "borrow", "bytes", "zstd"];

/// The peer with the best score, and its ratio to ours; infinitely small if ours cannot do it.
fn best<'m>(measured: &'m Measured, ours: &Figures, score: usize) -> Option<(f64, &'m str)> {
    let rivals = measured.peers.iter().filter(|peer| !peer.ours && peer.small == ours.small);
    let rivals = rivals.filter_map(|peer| Some((scores(peer)[score]?, peer.peer)));
    let (fewest, peer) = rivals.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some((scores(ours)[score].map_or(0.0, |own| fewest / own), peer))
}

fn cell(ratio: f64, peer: &str) -> String {
    if ratio > 0.0 { format!("{} {peer}", figures(ratio)) } else { format!("only {peer}") }
}

/// A case and a way to use holdall: `logs`, `logs, bare`.
fn row_name(measured: &Measured, ours: &Figures) -> String {
    ours.peer.replacen("holdall", measured.name, 1)
}

/// Whether a case is one of the random types, which the tables show by their geometric mean.
fn is_random(measured: &Measured) -> bool {
    measured.name.starts_with("random")
}

/// The geometric means of ratios over the random types, for each way to use holdall; no rows without such types.
fn means(
    all: &[Measured],
    ratio: impl Fn(&Measured, &Figures, usize) -> Option<f64>,
) -> Vec<Vec<String>> {
    let random: Vec<_> = ours(all).filter(|(measured, _)| is_random(measured)).collect();
    let mut ways: Vec<&str> = Vec::new();
    for (_, ours) in &random {
        if !ways.contains(&ours.peer) {
            ways.push(ours.peer);
        }
    }
    let row = |way: &&str| {
        let mean = |score| {
            let of_way = random.iter().filter(|(_, ours)| ours.peer == *way);
            let logarithms: Vec<f64> =
                of_way.filter_map(|(one, ours)| Some(ratio(one, ours, score)?.ln())).collect();
            match logarithms.len() {
                0 => "-".to_owned(),
                count => figures((logarithms.iter().sum::<f64>() / count as f64).exp()),
            }
        };
        let name = way.replacen("holdall", "random types", 1);
        std::iter::once(name).chain((0..SCORES.len()).map(mean)).collect()
    };
    ways.iter().map(row).collect()
}

fn ours(all: &[Measured]) -> impl Iterator<Item = (&Measured, &Figures)> {
    let ours = |measured| Measured::ours(measured).map(move |figures| (measured, figures));
    all.iter().flat_map(ours)
}

/// The ratios to the best peer.
fn ratios(all: &[Measured]) -> Table {
    let mut table = Table::new(&[&[""], &SCORES[..], &["copy", "clone"]].concat());
    for (measured, ours) in ours(all).filter(|(measured, _)| !is_random(measured)) {
        let best = |score| {
            best(measured, ours, score).map_or("-".to_owned(), |(ratio, peer)| cell(ratio, peer))
        };
        let floor = |floor: Duration, operation: Operation| {
            let time = ours.times[operation as usize];
            time.map_or("-".to_owned(), |time| figures(floor.as_secs_f64() / time.as_secs_f64()))
        };
        let floors = [
            floor(measured.copy, Operation::Serialize),
            floor(measured.clone, Operation::Deserialize),
        ];
        let row = [row_name(measured, ours)].into_iter().chain((0..SCORES.len()).map(best));
        table.row(row.chain(floors));
    }
    let ratio = |measured: &_, ours: &_, score| best(measured, ours, score).map(|(ratio, _)| ratio);
    means(all, ratio).into_iter().for_each(|row| table.row(row));
    table
}

/// The ratios to one peer.
fn ratios_to(peer: &str, all: &[Measured]) -> Table {
    let title = format!("{peer} / holdall");
    let mut table = Table::new(&[&[&*title], &SCORES[..]].concat());
    let named = |(measured, ours): &(&Measured, &Figures)| !ours.small && !is_random(measured);
    for (measured, ours) in ours(all).filter(named) {
        let Some(rival) = measured.peers.iter().find(|other| other.peer == peer) else { continue };
        let cells = scores(rival).into_iter().zip(scores(ours)).map(|pair| match pair {
            (Some(theirs), Some(own)) => figures(theirs / own),
            _ => "-".to_owned(),
        });
        table.row([row_name(measured, ours)].into_iter().chain(cells));
    }
    let ratio = |measured: &Measured, ours: &Figures, score: usize| {
        let rival = measured.peers.iter().find(|other| other.peer == peer)?;
        Some(scores(rival)[score]? / scores(ours)[score]?)
    };
    means(all, ratio).into_iter().for_each(|row| table.row(row));
    table
}

/// How many times longer holdall takes to read data of another schema.
fn other_schema(all: &[Measured]) -> String {
    let time = |measured: &Measured, way: &str| {
        let time =
            measured.ours().find(|ours| ours.peer == way)?.times[Operation::Deserialize as usize];
        time.map(|time| time.as_secs_f64())
    };
    let ratio = |measured| Some(time(measured, "holdall")? / time(measured, "holdall, same")?);
    let say = |ratio| {
        let ratio = figures(ratio);
        format!(
            "Data with another schema takes {ratio} times as long to deserialize as data with the same one.\n"
        )
    };
    all.iter().find_map(ratio).map(say).unwrap_or_default()
}

/// All figures of a case.
fn details(measured: &Measured) -> String {
    let heading = [&[measured.name], &SCORES[..], &["allocs", "peak", "allocs", "peak"]].concat();
    let mut table = Table::new(&heading);
    for peer in &measured.peers {
        let times = peer.times.iter().map(|time| time.map_or("-".to_owned(), microseconds));
        let sizes = [peer.bytes, peer.zstd, peer.writing.allocations, peer.writing.peak];
        let sizes = sizes.into_iter().chain([peer.reading.allocations, peer.reading.peak]);
        table.row([peer.peer.to_owned()].into_iter().chain(times).chain(sizes.map(thousands)));
    }
    let (copy, clone) = (microseconds(measured.copy), microseconds(measured.clone));
    table.row(["memcpy, clone".to_owned(), copy, String::new(), clone]);
    format!("{}\n{table}", measured.about)
}

const DETAILS: &str = "\
Medians in microseconds; bytes; allocations and the most bytes at once, of fresh and of deserialize.
";

/// The cells in which a peer is better.
fn losses(all: &[Measured]) -> String {
    let mut out = String::new();
    for (measured, ours) in ours(all) {
        let best = |score: usize| Some((SCORES[score], best(measured, ours, score)?));
        let lost = (0..SCORES.len()).filter_map(best).filter(|(_, (ratio, _))| *ratio < 1.0);
        let lost: Vec<String> =
            lost.map(|(score, (ratio, peer))| format!("{score} {}", cell(ratio, peer))).collect();
        if !lost.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "- {}: {}", row_name(measured, ours), lost.join(", "));
        }
    }
    if out.is_empty() { "Nowhere.\n".to_owned() } else { out }
}

/// The complete report, for a terminal.
#[must_use]
pub fn text(all: &[Measured], instructions: &str) -> String {
    let mut out = String::new();
    for measured in all {
        out += &details(measured);
        out.push('\n');
    }
    let (best, bitcode, other) = (ratios(all), ratios_to("bitcode", all), other_schema(all));
    format!("{out}{DETAILS}\n{instructions}\n{bitcode}\n{best}\n{other}\n{LEGEND}")
}

/// The complete report, as a file.
#[must_use]
pub fn markdown(machine: &str, all: &[Measured], instructions: &str) -> String {
    let fenced = |text: &dyn std::fmt::Display| format!("```\n{text}```\n");
    let details: Vec<String> = all.iter().map(|measured| fenced(&details(measured))).collect();
    format!(
        "# Rust types: holdall beside its peers\n\n\
         `make bench-rust` on this machine:\n\n{machine}- versions: {}\n\n\
         ## The best peer and holdall\n\n{}\n{}\n{LEGEND}\n\
         ## Where others win\n\n{}\n\
         ## bitcode and holdall\n\n{}\n\
         ## Instructions\n\n{}\n\
         ## All figures\n\n{DETAILS}\n{}",
        machine::versions(),
        fenced(&ratios(all)),
        other_schema(all),
        losses(all),
        fenced(&ratios_to("bitcode", all)),
        fenced(&instructions),
        details.join("\n"),
    )
}
