//! Compares holdall with other serializers of Rust types.
//!
//! - `compare logs mesh` measures the cases with these parts in their names, and counts their instructions. One
//!   process, all peers interleaved. With `--results FILE` the tables are also written to that file.
//! - `compare instructions logs mesh` counts instructions only.
//! - The case `archive` reads fields and rows in place.
//! - `compare once logs serialize holdall` does an operation of holdall twice, for profilers.

use std::process::ExitCode;

use holdall_bench_rust::cases::{Size, Wanted, all};
use holdall_bench_rust::memory::Counting;
use holdall_bench_rust::{access, case, instructions, machine, measure, report};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The seed of all data.
const SEED: u64 = 1;

fn run() -> Result<(), String> {
    // cargo passes `--bench`.
    let mut arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [once, case, operation, peer] = &arguments[..]
        && once == "once"
    {
        return instructions::once(case, operation, peer, SEED);
    }
    let counts_only = arguments.first().is_some_and(|first| first == "instructions");
    if counts_only {
        arguments.remove(0);
    }
    let mut results = None;
    if let Some(at) = arguments.iter().position(|argument| argument == "--results") {
        let mut option = arguments.drain(at..(at + 2).min(arguments.len()));
        results = Some(option.nth(1).ok_or("--results needs a file")?);
    }
    let wanted =
        |name: &str| arguments.is_empty() || arguments.iter().any(|part| name.contains(part));
    let names = || all().map(|(name, _)| *name).chain([access::NAME]);
    if !names().any(wanted) {
        let names: Vec<_> = names().collect();
        return Err(format!("no case has such a name; there are {}", names.join(", ")));
    }
    if counts_only {
        print!("{}", instructions::table(wanted)?);
        if wanted(access::NAME) {
            print!("{}", access::instructions()?);
        }
        return Ok(());
    }

    let machine = machine::machine();
    let mut measured = Vec::new();
    for (name, make) in all() {
        if wanted(name) {
            eprintln!("measuring {name}");
            let mut case = make(&Wanted { size: Size::Full, seed: SEED, who: case::Who::All });
            measured.push(measure::measure(&mut case));
        }
    }
    // Without valgrind the other results are still useful.
    let counts = instructions::table(wanted).unwrap_or_else(|why| why + "\n");
    if !measured.is_empty() {
        print!("{}", report::text(&measured, &counts));
    }
    let mut in_place = String::new();
    if wanted(access::NAME) {
        eprintln!("measuring {}", access::NAME);
        in_place = access::table(Size::Full, SEED);
        in_place += &access::instructions().unwrap_or_else(|why| why + "\n");
    }
    print!("{in_place}");
    if let Some(path) = results {
        let report = report::markdown(&machine, &measured, &counts);
        std::fs::write(&path, format!("{report}\n## In place\n\n```\n{in_place}```\n"))
            .map_err(|error| format!("cannot write {path}: {error}"))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("compare: {why}");
            ExitCode::FAILURE
        }
    }
}
