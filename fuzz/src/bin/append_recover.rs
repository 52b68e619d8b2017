//! Laws of files that are cut off, damaged, recovered and continued, by a script of random steps: everything that is read
//! was written, in this order and once; of a file that is cut off, the first values. What `append` rejects stays as it
//! was. What it accepts keeps each value that was read, and all that were flushed since. `recover` keeps each value that
//! was read, too, and writes what is read without a fault and can be continued.

#![no_main]

use std::fs;
use std::io::Cursor;
use std::path::PathBuf;

use holdall::stream::recover;
use holdall::{Decode, Encode, OnDamage, Reader, WriterOptions};
use holdall_fuzz::limits;
use libfuzzer_sys::fuzz_target;

const SYNC: [u8; 8] = *b"\x01sync\xFE\xFF\x02";

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Reading {
    id: u64,
    name: String,
    value: Option<f64>,
}

/// The bytes of the input, one for each choice; zeros after them.
struct Script<'s>(std::slice::Iter<'s, u8>);

impl Script<'_> {
    fn is_done(&self) -> bool {
        self.0.as_slice().is_empty()
    }

    fn next(&mut self) -> u8 {
        self.0.next().copied().unwrap_or_default()
    }

    fn below(&mut self, bound: usize) -> usize {
        let number = usize::from(self.next()) << 8 | usize::from(self.next());
        number % bound.max(1)
    }
}

struct Test<'s> {
    script: Script<'s>,
    path: PathBuf,
    written: Vec<Reading>,
    /// The values that are read from the file, by their numbers.
    ids: Vec<u64>,
}

impl Test<'_> {
    fn options() -> WriterOptions {
        WriterOptions::new().sync(SYNC).limits(limits()).block_values(3)
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).expect("a file")
    }

    /// Reads what is there, without what is damaged.
    fn read(&self) -> Vec<u64> {
        let bytes = self.bytes();
        let mut reader = Reader::new(&bytes[..]).whole(true).limits(limits());
        reader = reader.on_damage(OnDamage::Skip);
        // A damaged preamble is that of no stream.
        let values: Vec<Reading> = reader.values().map_while(Result::ok).collect();
        let ids: Vec<u64> = values.iter().map(|value| value.id).collect();
        assert!(ids.is_sorted_by(|one, two| one < two), "{ids:?}");
        assert!(values.iter().all(|value| *value == self.written[value.id as usize]));
        ids
    }

    /// Replaces the values that are read; those before must be among them.
    fn keeps(&mut self, before: &[u64]) {
        self.ids = self.read();
        let kept = before.iter().all(|id| self.ids.binary_search(id).is_ok());
        assert!(kept, "{before:?} became {:?}", self.ids);
    }

    /// Continues the file, unless it is damaged; returns whether it did.
    fn append(&mut self) -> bool {
        let before = self.bytes();
        let Ok(mut writer) = Self::options().append(&self.path) else {
            assert!(self.bytes() == before, "a rejected file is changed");
            return false;
        };
        let mut kept = self.ids.clone();
        let start = self.written.len();
        let mut flushed = start;
        for _ in 0..=self.script.next() % 8 {
            let (id, kind) = (self.written.len() as u64, self.script.next());
            // Letters only, so that no value contains the sync.
            let name = "sensor".repeat(usize::from(kind % 8));
            let value = (kind > 99).then(|| f64::from(kind) / 3.0);
            self.written.push(Reading { id, name, value });
            writer.write(&self.written[id as usize]).expect("a file takes values");
            if kind.is_multiple_of(3) {
                writer.flush().expect("a file takes blocks");
                flushed = self.written.len();
            }
        }
        // A writer that is dropped is one whose process ended: what was not flushed may be lost.
        if !self.script.next().is_multiple_of(3) {
            writer.finish().expect("a file takes its end");
            flushed = self.written.len();
        }
        kept.extend(start as u64..flushed as u64);
        self.keeps(&kept);
        true
    }

    fn recover(&mut self) {
        let (before, mut whole) = (self.ids.clone(), Vec::new());
        let Ok(report) = recover(Cursor::new(self.bytes()), &mut whole, &[], limits()) else {
            assert!(before.is_empty(), "{before:?} cannot be recovered");
            return;
        };
        let mut reader = Reader::new(&whole[..]).whole(true).limits(limits());
        let strictly = reader.values::<Reading>();
        let values: Vec<_> =
            strictly.collect::<Result<_, _>>().expect("what was recovered is read");
        assert_eq!(report.values(), values.len() as u64);
        fs::write(&self.path, whole).expect("a file");
        self.keeps(&before);
        assert!(self.append(), "what was recovered cannot be continued");
    }

    fn cut(&mut self) {
        let mut bytes = self.bytes();
        bytes.truncate(self.script.below(bytes.len() + 1));
        fs::write(&self.path, &bytes).expect("a file");
        let read = self.read();
        assert!(self.ids.starts_with(&read), "{:?} became {read:?}", self.ids);
        self.ids = read;
    }

    /// Flips, removes, repeats, clears or moves bytes.
    fn damage(&mut self) {
        let mut bytes = self.bytes();
        let from = self.script.below(bytes.len() + 1);
        let to = (from + self.script.below(200)).min(bytes.len());
        match self.script.next() % 5 {
            0 if from < bytes.len() => bytes[from] ^= self.script.next().max(1),
            1 => drop(bytes.drain(from..to)),
            2 => bytes.extend_from_within(from..to),
            3 => bytes[from..to].fill(0),
            _ => bytes.rotate_left(from),
        }
        fs::write(&self.path, &bytes).expect("a file");
        self.ids = self.read();
    }
}

fuzz_target!(|script: &[u8]| {
    let name = format!("holdall-fuzz-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let file = Test::options().create(&path).expect("a file");
    drop(file);
    let script = Script(script.iter());
    let mut test = Test { script, path, written: Vec::new(), ids: Vec::new() };
    for _ in 0..40 {
        if test.script.is_done() {
            break;
        }
        match test.script.next() % 8 {
            0..3 => drop(test.append()),
            3 => test.recover(),
            4 | 5 => test.cut(),
            _ => test.damage(),
        }
    }
    test.recover();
});
