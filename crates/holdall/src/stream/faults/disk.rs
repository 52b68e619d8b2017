//! A simulated disk with files: any operation can be the last one of the process, or fail.

use alloc::sync::Arc;
use alloc::vec::Vec;
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom, Write};
use std::sync::Mutex;

use crate::stream::file::Storage;

/// Marsaglia's xorshift64*.
pub(super) struct FaultChance(pub(super) u64);

impl FaultChance {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let word = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D);
        ((u128::from(word) * bound as u128) >> 64) as usize
    }
}

/// A change that the device does not have for certain yet.
#[derive(Clone, Debug, PartialEq)]
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

/// What a file has, as processes see it and on the device.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FileState {
    pub(super) seen: Vec<u8>,
    synced: Vec<u8>,
    pending: Vec<FileChange>,
}

impl FileState {
    /// A file that the device has.
    pub(super) fn of(bytes: Vec<u8>) -> FileState {
        FileState { synced: bytes.clone(), seen: bytes, pending: Vec::new() }
    }

    fn change(&mut self, change: FileChange) {
        change.apply(&mut self.seen);
        self.pending.push(change);
    }

    /// The bytes after the machine has crashed: each change since the last sync happened whole, in part, as zeros or
    /// not at all, in any order.
    pub(super) fn after_power_loss(&self, chance: &mut FaultChance) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        let mut changes = self.pending.clone();
        while !changes.is_empty() {
            // Mostly in order.
            let next = if chance.below(3) == 0 { chance.below(changes.len()) } else { 0 };
            let mut change = changes.remove(next);
            let fate = chance.below(5);
            if let FileChange::Write(_, new) = &mut change {
                match fate {
                    0 => new.truncate(chance.below(new.len() + 1)),
                    1 => {
                        let from = chance.below(new.len() + 1);
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

/// The files of a process, and when it dies.
pub(super) struct Disk {
    pub(super) chance: FaultChance,
    pub(super) files: Vec<FileState>,
    /// How many operations succeed before the crash.
    pub(super) left: usize,
    /// One operation in this many fails without a crash; 0 for none.
    pub(super) fails: usize,
}

impl Disk {
    /// A disk without faults, but for short reads and writes.
    pub(super) fn of(files: Vec<FileState>, seed: u64) -> Disk {
        Disk { chance: FaultChance(seed | 1), files, left: usize::MAX, fails: 0 }
    }

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
}

/// An open file of the disk.
pub(super) struct File {
    disk: Arc<Mutex<Disk>>,
    number: usize,
    at: usize,
}

impl File {
    pub(super) fn open(disk: &Arc<Mutex<Disk>>, number: usize) -> File {
        File { disk: Arc::clone(disk), number, at: 0 }
    }

    pub(super) fn sync(&mut self) -> Result<()> {
        let mut disk = self.disk.lock().unwrap();
        disk.operate()?;
        let file = &mut disk.files[self.number];
        file.synced.clone_from(&file.seen);
        file.pending.clear();
        Ok(())
    }
}

impl Read for File {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let mut disk = self.disk.lock().unwrap();
        disk.operate()?;
        let Disk { chance, files, .. } = &mut *disk;
        let rest = files[self.number].seen.get(self.at..).unwrap_or_default();
        let len = rest.len().min(into.len());
        // Short reads.
        let most = if len > 1 { 1 + chance.below(len) } else { len };
        into[..most].copy_from_slice(&rest[..most]);
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
            let change = FileChange::Write(self.at, bytes[..len].to_vec());
            disk.files[self.number].change(change);
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
            SeekFrom::End(by) => disk.files[self.number].seen.len().strict_add_signed(by as isize),
            SeekFrom::Current(by) => self.at.strict_add_signed(by as isize),
        };
        Ok(self.at as u64)
    }
}

impl Storage for File {
    fn cut(&mut self, len: u64) -> Result<()> {
        let mut disk = self.disk.lock().unwrap();
        disk.operate()?;
        disk.files[self.number].change(FileChange::Cut(len as usize));
        Ok(())
    }
}
