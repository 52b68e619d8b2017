//! Tests with crashes and faults of simulated files: what was flushed survives the death of the process, what was synced that of
//! the machine, and no value is wrong, doubled or out of order; so it is while what is left is recovered. The seed of a failing run
//! is in its message.

mod disk;
mod recovery;

use alloc::sync::Arc;
use alloc::vec::Vec;
use std::sync::Mutex;

use self::disk::{Disk, FaultChance, File, FileState};
use super::{OnDamage, Reader, Writer, WriterOptions, verify};
use crate::error;
use crate::limits::Limits;
use crate::value::Value;

/// How many values are certain after each kind of crash, and how many were given to a writer.
#[derive(Clone, Copy, Debug, Default)]
struct Certain {
    written: u64,
    flushed: u64,
    synced: u64,
}

/// The value with a number. Schemas change now and then.
fn value(id: u64) -> Value {
    match id / 7 % 3 {
        0 => Value::from(id),
        1 => Value::record([("id", Value::from(id)), ("text", Value::from(format!("value {id}")))]),
        _ => Value::list((0..id % 5).map(Value::from).chain([Value::from(id)])),
    }
}

/// Appends to a stream, several times, until all is done or a fault ends it.
fn run(
    disk: &Arc<Mutex<Disk>>,
    chance: &mut FaultChance,
    certain: &mut Certain,
) -> error::Result<()> {
    for _ in 0..=chance.below(3) {
        let file = File::open(disk, 0);
        let options = WriterOptions::new().block_values(1 + chance.below(6) as u64).sync([3; 8]);
        let mut writer: Writer<File> = options.append_in(file)?;
        certain.written = writer.len();
        assert!(certain.written >= certain.flushed, "flushed values are gone: {certain:?}");
        for _ in 0..chance.below(12) {
            // A write that fails may have written all of it.
            certain.written += 1;
            writer.write(&value(certain.written - 1))?;
            match chance.below(8) {
                0 => writer.flush()?,
                1 => {
                    writer.flush()?;
                    writer.frames.pass_on(File::sync)?;
                    certain.synced = certain.written;
                }
                _ => continue,
            }
            certain.flushed = certain.written;
        }
        if chance.below(3) > 0 {
            writer.finish()?;
            certain.flushed = certain.written;
        }
    }
    Ok(())
}

/// Reads what is left; returns the numbers of the values. Each must be the next, or a later one if some may be missing.
fn numbers(bytes: &[u8], certain: Certain) -> Vec<u64> {
    let mut reader = Reader::new(bytes).whole(true).on_damage(OnDamage::Skip);
    let mut found = Vec::new();
    for each in reader.values::<Value>() {
        let Ok(each) = each else { break };
        let next = found.last().map_or(0, |last| last + 1);
        let number = (next..certain.written.min(next + 200)).find(|id| value(*id) == each);
        found.push(number.expect("a value that was written, after the one before"));
    }
    found
}

/// Checks what a crash left, and that a writer can go on there, unless it is damaged elsewhere.
fn check(bytes: Vec<u8>, least: u64, certain: Certain, ordered: bool) {
    let found = numbers(&bytes, certain);
    let kept: Vec<u64> = (0..least).collect();
    assert!(found.starts_with(&kept), "{least} values are certain, found {found:?}");
    if ordered {
        // Its end is missing, or it has one frame that is not complete.
        let damage = verify(&bytes[..], Limits::new()).map_or(0, |report| report.damage().len());
        assert!(damage <= 1, "{damage} faults");
        assert_eq!(found, (0..found.len() as u64).collect::<Vec<_>>());
    }
    let disk = Arc::new(Mutex::new(Disk::of([FileState::of(bytes)].into(), 1)));
    let open = || File::open(&disk, 0);
    match WriterOptions::new().append_in(open()) {
        Ok(writer) => {
            let next = writer.len();
            assert!(next >= least && next <= certain.written, "{next} values to append to");
            if ordered {
                assert_eq!(next, found.len() as u64);
            }
            // First only the end, which is shorter than most of what it replaces.
            writer.finish().unwrap();
            let mut writer = WriterOptions::new().append_in(open()).unwrap();
            assert_eq!(writer.len(), next);
            writer.write(&value(certain.written)).unwrap();
            writer.finish().unwrap();
            let all = numbers(
                &disk.lock().unwrap().files[0].seen,
                Certain { written: u64::MAX, ..certain },
            );
            // A frame that was lost before the last intact one is still damage.
            assert!(all.starts_with(&kept) && all.last() == Some(&certain.written));
            if ordered {
                assert_eq!(all.len() as u64, next + 1);
                let report =
                    verify(&disk.lock().unwrap().files[0].seen[..], Limits::new()).unwrap();
                assert!(report.is_finished() && report.damage().is_empty(), "{report:?}");
            }
        }
        // What is left is damaged, as only a crash of the machine can do; or the file has no stream yet.
        Err(error) => assert!(!ordered || least == 0, "{error}"),
    }
}

fn crash(seed: u64) {
    let mut chance = FaultChance(seed);
    let mut disk = Disk::of([FileState::default()].into(), chance.0.wrapping_mul(3));
    disk.left = chance.below(200);
    disk.fails = [0, 0, 5, 40][chance.below(4)];
    let disk = Arc::new(Mutex::new(disk));
    let mut certain = Certain::default();
    // A fault ends the run, as it ends a program.
    let _ended = run(&disk, &mut chance, &mut certain);
    let file = disk.lock().unwrap().files[0].clone();
    check(file.seen.clone(), certain.flushed, certain, true);
    recovery::check(&file, certain.flushed, certain, &mut chance);
    let left = file.after_power_loss(&mut chance);
    check(left.clone(), certain.synced, certain, false);
    recovery::check(&FileState::of(left), certain.synced, certain, &mut chance);
}

#[test]
fn no_crash_loses_what_was_flushed_or_synced() {
    let points: u64 = std::env::var("HOLDALL_CRASHES")
        .map_or(2_000, |points| points.parse().expect("a number of crashes"));
    for point in 0..points {
        let seed = point.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let outcome = std::panic::catch_unwind(|| crash(seed));
        assert!(outcome.is_ok(), "seed {seed:#x} of crash {point}");
    }
}
