//! Crashes and faults of `recover`. Its laws:
//!
//! - It does not change the damaged file: after any crash it can run again, into another file or over what it left, and writes
//!   everything that was flushed, or synced if the machine crashed.
//! - Once it has returned and its output was synced, the output survives a crash of the machine.
//! - What it left before that is not taken as whole: a reader reports damage or the missing end. The values that it still reads are
//!   right, in order and under their numbers.

use alloc::sync::Arc;
use alloc::vec::Vec;
use std::io::Cursor;
use std::sync::Mutex;

use super::disk::{Disk, FaultChance, File, FileState};
use super::{Certain, numbers, value};
use crate::error::Result;
use crate::limits::Limits;
use crate::stream::file::Storage;
use crate::stream::{Reader, Report, WriterOptions, recover, verify};
use crate::value::Value;

/// What a recovery without a fault writes.
struct Recovered {
    bytes: Vec<u8>,
    numbers: Vec<u64>,
    operations: usize,
}

/// Recovers a file: once without a fault, then twice with some, the second time over what the first left.
pub(super) fn check(input: &FileState, least: u64, certain: Certain, chance: &mut FaultChance) {
    let Some(whole) = check_whole(input, least, certain, chance) else { return };
    let mut output = FileState::default();
    for _ in 0..2 {
        let mut disk = disk(input, output, chance);
        disk.left = chance.below(whole.operations + 1);
        disk.fails = [0, 0, 5, 40][chance.below(4)];
        let (done, mut disk) = recovered(disk);
        output = disk.files.remove(1);
        assert!(disk.files[0] == *input, "recovery changed its input");
        let later = output.after_power_loss(chance);
        match done {
            Ok(report) => {
                assert_eq!(report.values(), whole.numbers.len() as u64);
                assert!(output.seen == whole.bytes && later == whole.bytes, "a part was recovered");
            }
            Err(_) => {
                check_left(&output.seen, &whole, certain);
                check_left(&later, &whole, certain);
            }
        }
    }
}

/// Checks what a recovery without a fault writes. None if the file is not a stream.
fn check_whole(
    input: &FileState,
    least: u64,
    certain: Certain,
    chance: &mut FaultChance,
) -> Option<Recovered> {
    let found = numbers(&input.seen, certain);
    let (done, disk) = recovered(disk(input, FileState::default(), chance));
    let report = match done {
        Ok(report) => report,
        Err(error) => {
            assert!(least == 0 && found.is_empty(), "{error}");
            return None;
        }
    };
    let operations = usize::MAX - disk.left;
    let bytes = disk.files[1].seen.clone();
    assert!(is_whole(&bytes), "what was recovered is damaged");
    let numbers = numbers(&bytes, certain);
    assert_eq!(report.values(), numbers.len() as u64);
    assert!(numbers.iter().copied().take(least as usize).eq(0..least), "{numbers:?}");
    assert!(found.iter().all(|number| numbers.contains(number)), "{found:?} {numbers:?}");
    let disk = Arc::new(Mutex::new(disk));
    let writer = WriterOptions::new().append_in(File::open(&disk, 1)).unwrap();
    assert_eq!(writer.len(), report.values());
    Some(Recovered { bytes, numbers, operations })
}

/// Checks what a recovery left that did not end.
fn check_left(bytes: &[u8], whole: &Recovered, certain: Certain) {
    assert_eq!(is_whole(bytes), bytes == whole.bytes);
    let read: Result<Vec<Value>> = Reader::new(bytes).whole(true).values().collect();
    assert!(read.is_err() || bytes == whole.bytes, "a part is read as if it were whole");
    let mut rest = whole.numbers.iter();
    assert!(numbers(bytes, certain).iter().all(|number| rest.any(|next| next == number)));
    // By the index at the end, which may be there without what is before it. A stream without its end has the values up to there.
    let mut reader = Reader::new(Cursor::new(bytes)).whole(true);
    for (at, number) in (0..).zip(&whole.numbers) {
        match reader.get::<Value>(at) {
            Ok(Some(found)) => assert!(found == value(*number), "value {at}"),
            _ => assert!(bytes != whole.bytes, "no value {at}"),
        }
    }
}

fn is_whole(bytes: &[u8]) -> bool {
    verify(bytes, Limits::new())
        .is_ok_and(|report| report.is_finished() && report.damage().is_empty())
}

/// A damaged file, and one for what is recovered.
fn disk(input: &FileState, output: FileState, chance: &mut FaultChance) -> Disk {
    Disk::of([input.clone(), output].into(), chance.below(usize::MAX) as u64)
}

/// Recovers the first file of a disk into the second, whose contents it replaces, and syncs that.
fn recovered(disk: Disk) -> (Result<Report>, Disk) {
    let disk = Arc::new(Mutex::new(disk));
    let mut output = File::open(&disk, 1);
    let done = recover_synced(File::open(&disk, 0), &mut output);
    drop(output);
    let disk = Arc::into_inner(disk).expect("no file is open").into_inner().unwrap();
    (done, disk)
}

fn recover_synced(input: File, output: &mut File) -> Result<Report> {
    output.cut(0)?;
    let report = recover(input, &mut *output, &[], Limits::new())?;
    output.sync()?;
    Ok(report)
}
