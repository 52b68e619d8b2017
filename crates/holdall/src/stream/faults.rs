//! Tests with crashes and faults of a simulated file: what was flushed survives the death of the process, what was synced that of
//! the machine, and no value is wrong, doubled or out of order. The seed of a failing run is in its message.

use alloc::sync::Arc;
use alloc::vec::Vec;
use std::io::{Cursor, Error, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::sync::Mutex;

use super::file::Storage;
use super::{OnDamage, Reader, Writer, WriterOptions, recover, verify};
use crate::error;
use crate::limits::Limits;
use crate::value::Value;

/// Marsaglia's xorshift64*.
struct FaultChance(u64);

impl FaultChance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let word = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D);
        ((u128::from(word) * bound as u128) >> 64) as usize
    }
}

/// A change that the device does not have for certain yet.
enum FileChange {
    Write(usize, Vec<u8>),
    Cut(usize),
}

impl FileChange {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            FileChange::Write(at, new) => {
                let end = at + new.len();
                bytes.resize(bytes.len().max(end), 0);
                bytes[*at..end].copy_from_slice(new);
            }
            FileChange::Cut(len) => bytes.truncate(*len),
        }
    }
}

/// What a file has, as its process sees it and on the device.
struct Disk {
    chance: FaultChance,
    seen: Vec<u8>,
    synced: Vec<u8>,
    pending: Vec<FileChange>,
    /// How many operations succeed before the crash.
    left: usize,
    /// One operation in this many fails without a crash; 0 for none.
    fails: usize,
}

impl Disk {
    /// Counts an operation; fails if the process is dead, or now and then.
    fn operate(&mut self) -> Result<()> {
        if self.left == 0 {
            return Err(Error::other("the process is dead"));
        }
        self.left -= 1;
        if self.fails > 0 && self.chance.below(self.fails) == 0 {
            let kinds = [ErrorKind::StorageFull, ErrorKind::Other, ErrorKind::Interrupted];
            return Err(kinds[self.chance.below(3)].into());
        }
        Ok(())
    }

    fn change(&mut self, change: FileChange) {
        change.apply(&mut self.seen);
        self.pending.push(change);
    }

    /// The bytes after the machine has crashed: each change since the last sync happened whole, in part, as zeros or
    /// not at all, in any order.
    fn after_power_loss(&mut self) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        let mut changes = core::mem::take(&mut self.pending);
        while !changes.is_empty() {
            // Mostly in order.
            let next = if self.chance.below(3) == 0 { self.chance.below(changes.len()) } else { 0 };
            let mut change = changes.remove(next);
            let fate = self.chance.below(5);
            if let FileChange::Write(_, new) = &mut change {
                match fate {
                    0 => new.truncate(self.chance.below(new.len() + 1)),
                    1 => {
                        let from = self.chance.below(new.len() + 1);
                        new[from..].fill(0);
                    }
                    _ => {}
                }
            }
            if fate != 2 {
                change.apply(&mut bytes);
            }
        }
        bytes
    }
}

/// An open file of the disk.
struct File {
    disk: Arc<Mutex<Disk>>,
    at: usize,
}

impl Read for File {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let mut disk = self.disk.lock().unwrap();
        disk.operate()?;
        let rest = disk.seen.get(self.at..).unwrap_or_default();
        let len = rest.len().min(into.len());
        // Short reads.
        let most = if len > 1 { 1 + disk.chance.below(len) } else { len };
        into[..most].copy_from_slice(&disk.seen[self.at..][..most]);
        self.at += most;
        Ok(most)
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        let mut disk = self.disk.lock().unwrap();
        let fault = disk.operate().err();
        let is_whole = fault.is_none() && disk.chance.below(4) > 0;
        // The operation at which the process dies, or which fails, may have written some bytes.
        let len = if is_whole { bytes.len() } else { disk.chance.below(bytes.len() + 1) };
        let is_interrupted =
            matches!(&fault, Some(fault) if fault.kind() == ErrorKind::Interrupted);
        if len > 0 && !is_interrupted {
            disk.change(FileChange::Write(self.at, bytes[..len].to_vec()));
            self.at += len;
        }
        match fault {
            Some(fault) => Err(fault),
            None if len == 0 && !bytes.is_empty() => Err(ErrorKind::Interrupted.into()),
            None => Ok(len),
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.disk.lock().unwrap().operate()
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let mut disk = self.disk.lock().unwrap();
        disk.operate()?;
        self.at = match to {
            SeekFrom::Start(at) => at as usize,
            SeekFrom::End(by) => disk.seen.len().strict_add_signed(by as isize),
            SeekFrom::Current(by) => self.at.strict_add_signed(by as isize),
        };
        Ok(self.at as u64)
    }
}

impl Storage for File {
    fn cut(&mut self, len: u64) -> Result<()> {
        let mut disk = self.disk.lock().unwrap();
        disk.operate()?;
        disk.change(FileChange::Cut(len as usize));
        Ok(())
    }
}

impl File {
    fn sync(&mut self) -> Result<()> {
        let mut disk = self.disk.lock().unwrap();
        disk.operate()?;
        disk.synced = disk.seen.clone();
        disk.pending.clear();
        Ok(())
    }
}

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
        let file = File { disk: Arc::clone(disk), at: 0 };
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
    let reader = Reader::new(bytes).whole(true).on_damage(OnDamage::Skip);
    numbers_of(reader, certain)
}

fn numbers_of<R: Read>(mut reader: Reader<R>, certain: Certain) -> Vec<u64> {
    let mut found = Vec::new();
    for each in reader.values::<Value>() {
        let Ok(each) = each else { break };
        let next = found.last().map_or(0, |last| last + 1);
        let number = (next..certain.written.min(next + 200)).find(|id| value(*id) == each);
        found.push(number.expect("a value that was written, after the one before"));
    }
    found
}

/// Checks what a crash left, and that a writer can go on there, or that recovery leads to a stream where one can.
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
    let disk = Disk {
        chance: FaultChance(1),
        synced: bytes.clone(),
        seen: bytes.clone(),
        pending: Vec::new(),
        left: usize::MAX,
        fails: 0,
    };
    let disk = Arc::new(Mutex::new(disk));
    let open = || File { disk: Arc::clone(&disk), at: 0 };
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
            let all = numbers(&disk.lock().unwrap().seen, Certain { written: u64::MAX, ..certain });
            // A frame that was lost before the last intact one is still damage.
            assert!(all.starts_with(&kept) && all.last() == Some(&certain.written));
            if ordered {
                assert_eq!(all.len() as u64, next + 1);
                let report = verify(&disk.lock().unwrap().seen[..], Limits::new()).unwrap();
                assert!(report.is_finished() && report.damage().is_empty(), "{report:?}");
            }
        }
        // What is left is damaged, as only a crash of the machine can do; or the file has no stream yet.
        Err(error) => {
            assert!(!ordered || least == 0, "{error}");
            let mut output = Vec::new();
            if let Err(error) = recover(Cursor::new(&bytes), &mut output, &[], Limits::new()) {
                assert_eq!(least, 0, "{error}");
                return;
            }
            let reader = Reader::new(&output[..]).whole(true);
            assert!(numbers_of(reader, certain).starts_with(&kept));
        }
    }
}

fn crash(seed: u64) {
    let mut chance = FaultChance(seed);
    let disk = Disk {
        chance: FaultChance(chance.0.wrapping_mul(3) | 1),
        seen: Vec::new(),
        synced: Vec::new(),
        pending: Vec::new(),
        left: chance.below(200),
        fails: [0, 0, 5, 40][chance.below(4)],
    };
    let disk = Arc::new(Mutex::new(disk));
    let mut certain = Certain::default();
    // A fault ends the run, as it ends a program.
    let _ended = run(&disk, &mut chance, &mut certain);
    let mut disk = disk.lock().unwrap();
    check(disk.seen.clone(), certain.flushed, certain, true);
    let left = disk.after_power_loss();
    check(left, certain.synced, certain, false);
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
