//! Counts the instructions of holdall with valgrind's callgrind, independently of the machine's load.

use std::io::ErrorKind;
use std::process::Command;

use holdall_bench_measure::table::{Table, thousands};

use crate::access;
use crate::case::{Op, Operation, Who};
use crate::cases::{Size, Wanted, all};

/// The counted ways to use holdall.
const OURS: [&str; 3] = ["holdall", "holdall, bare", "holdall, same"];

/// The counted ways for a case: without the schema if that takes long relative to the data.
fn ways(case: &str) -> &'static [&'static str] {
    match case {
        "struct" | "rows" => &OURS[..2],
        "schema" => &["holdall", "holdall, same"],
        _ => &OURS[..1],
    }
}

/// callgrind counts only inside this function, so it must not be inlined.
#[inline(never)]
fn counted(op: &mut Op) {
    op.run(1);
}

/// Does an operation of one case twice: once to warm up, once to be counted.
///
/// # Errors
/// If there is no such case, operation or way.
pub fn once(case: &str, operation: &str, peer: &str, seed: u64) -> Result<(), String> {
    if case == access::NAME {
        let mut op = access::once(operation, peer, Size::Full, seed)?;
        op.run(1);
        counted(&mut op);
        return Ok(());
    }
    let (_, make) = all().find(|(name, _)| *name == case).ok_or(format!("no case {case}"))?;
    let operation = Operation::ALL.into_iter().find(|known| known.name() == operation);
    let operation = operation.ok_or("operations: serialize, fresh, deserialize, borrow")?;
    let peer = OURS.into_iter().find(|ours| *ours == peer).ok_or(format!("ways: {OURS:?}"))?;
    let mut case = make(&Wanted { size: Size::Full, seed, who: Who::Only(peer) });
    let op = case.entries.first_mut().and_then(|entry| entry.op(operation));
    let op = op.ok_or(format!("{peer} cannot do it"))?;
    op.run(1);
    counted(op);
    Ok(())
}

/// The instructions of one run of an operation; none if it is not part of the case.
pub(crate) fn count(case: &str, operation: &str, peer: &str) -> Result<Option<usize>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(["--collect-atstart=no", "--toggle-collect=*instructions::counted*"])
        .arg(program)
        .args(["once", case, operation, peer])
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err("valgrind is not installed: instructions were not counted".to_owned());
        }
        Err(error) => return Err(format!("valgrind does not run: {error}")),
    };
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return if text.contains("cannot do it") { Ok(None) } else { Err(text.into_owned()) };
    }
    // ==123== Collected : 4567
    let collected = text.lines().find_map(|line| line.split_once("Collected : "));
    let collected = collected.and_then(|(_, count)| count.trim().parse().ok());
    match collected {
        Some(count) if count > 0 => Ok(Some(count)),
        _ => Err(format!("valgrind counted nothing:\n{text}")),
    }
}

/// A table of the instructions of each requested case.
///
/// # Errors
/// If valgrind is missing, or its output is not as expected.
pub fn table(wanted: impl Fn(&str) -> bool) -> Result<String, String> {
    let heading = ["instructions"].into_iter().chain(Operation::ALL.map(Operation::name));
    let mut table = Table::new(&heading.collect::<Vec<_>>());
    for (case, _) in all().filter(|(name, _)| wanted(name)) {
        for peer in ways(case) {
            let mut row = vec![peer.replacen("holdall", case, 1)];
            for operation in Operation::ALL {
                let cell = count(case, operation.name(), peer)?;
                row.push(cell.map_or("-".to_owned(), thousands));
            }
            table.row(row);
        }
    }
    Ok(table.to_string())
}
