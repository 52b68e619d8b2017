//! Text as a dictionary: each distinct row once, and the entry of each row (F-32).

use alloc::vec::Vec;

use crate::memory::{self, Grow, GrowVec};
use core::hash::{BuildHasher, Hasher};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::{DICTIONARY, TextBuffer};
use crate::column::frame::FrameChoice;
use crate::number::{varint_len, write_varint};

/// If this many first rows all differ, no dictionary is tried (F-62).
const FIRST: usize = 128;
/// Otherwise this many rows decide whether one is tried.
pub(super) const SAMPLE: usize = 1024;
/// At least this many of them must repeat an earlier one.
const REPEATS: usize = 3;
/// At most this many of them may be distinct.
const DIFFERENT: usize = 819;

/// The distinct rows in the order of first appearance, and the entry of each row.
#[derive(Clone, Debug)]
pub(super) struct TextDictionary {
    /// The consecutive entries.
    bytes: Vec<u8>,
    /// Where each entry begins; last, where the last one ends.
    bounds: Vec<usize>,
    /// The entry of each row.
    indices: Vec<u32>,
    /// The number of bytes of all rows.
    total: usize,
    /// The entries' numbers, by the hashes of their bytes.
    numbers: HashTable<u32>,
    /// Seeded at random, so that hostile rows cannot all have the same hash.
    state: RandomState,
}

impl TextDictionary {
    fn new(rows: usize, bytes: usize) -> TextDictionary {
        let mut bounds = memory::with_capacity(rows + 1);
        bounds.put(0);
        let mut numbers = HashTable::new();
        memory::table_room(&mut numbers, rows, |_| 0);
        TextDictionary {
            bytes: memory::with_capacity(bytes),
            bounds,
            indices: memory::with_capacity(rows),
            total: 0,
            numbers,
            state: RandomState::default(),
        }
    }

    /// None if the first rows repeat too little to try it, or if there are too many entries (F-62).
    pub(super) fn of(text: &TextBuffer) -> Option<TextDictionary> {
        TextDictionary::of_rows(text.lengths.len(), text.rows())
    }

    /// The same of this number of rows.
    pub(super) fn of_rows<'r>(
        count: usize,
        mut rows: impl Iterator<Item = &'r [u8]> + Clone,
    ) -> Option<TextDictionary> {
        let first = rows.clone().take(FIRST).map(<[u8]>::len).sum();
        let mut dictionary = TextDictionary::new(count.min(FIRST), first);
        rows.by_ref().take(FIRST).try_for_each(|row| dictionary.push(row))?;
        if count >= FIRST && dictionary.entries() == FIRST {
            return None;
        }
        rows.by_ref().take(SAMPLE - FIRST).try_for_each(|row| dictionary.push(row))?;
        let (sample, different) = (dictionary.indices.len(), dictionary.entries());
        if sample - different < REPEATS || sample == SAMPLE && different > DIFFERENT {
            return None;
        }
        dictionary.indices.room(count - sample);
        rows.try_for_each(|row| dictionary.push(row))?;
        Some(dictionary)
    }

    /// For profile small: none unless a quarter of the rows repeat an earlier one, among all rows and among each power
    /// of two of the first rows.
    pub(super) fn of_most(text: &TextBuffer) -> Option<TextDictionary> {
        let mut dictionary = TextDictionary::new(text.lengths.len().min(SAMPLE), 0);
        for row in text.rows() {
            dictionary.push(row)?;
            let rows = dictionary.len();
            if rows >= SAMPLE && rows.is_power_of_two() && !dictionary.repeats() {
                return None;
            }
        }
        dictionary.repeats().then_some(dictionary)
    }

    fn repeats(&self) -> bool {
        4 * self.entries() <= 3 * self.len()
    }

    /// Whether entries repeat so often, on average, that the rows are not written in another way.
    pub(super) fn repeats_often(&self) -> bool {
        const OFTEN: usize = 8;
        self.len() >= OFTEN * self.entries()
    }

    /// The number of distinct rows.
    pub(super) fn entries(&self) -> usize {
        self.bounds.len() - 1
    }

    fn entry(&self, number: u32) -> &[u8] {
        entry(&self.bytes, &self.bounds, number)
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.indices.len()
    }

    /// The number of bytes of all rows.
    pub(super) fn total(&self) -> usize {
        self.total
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.indices.iter().map(|&number| self.entry(number))
    }

    /// About how many bytes the dictionary takes in memory.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
            + 8 * self.bounds.len()
            + self.numbers.allocation_size()
            + 4 * self.indices.len()
    }

    /// Appends a row; none if its entry would be one too many (F-62).
    #[inline]
    pub(super) fn push(&mut self, row: &[u8]) -> Option<()> {
        let hash = hash_of(&self.state, row);
        let number = match self.numbers.find(hash, |&number| self.entry(number) == row) {
            Some(&number) => number,
            None => self.add(row, hash)?,
        };
        self.indices.put(number);
        self.total += row.len();
        Some(())
    }

    /// Appends an entry; returns its number.
    fn add(&mut self, row: &[u8], hash: u64) -> Option<u32> {
        let number = u32::try_from(self.entries()).ok()?;
        let TextDictionary { bytes, bounds, numbers, state, .. } = self;
        memory::table_room(numbers, 1, |&number| hash_of(state, entry(bytes, bounds, number)));
        numbers.insert_unique(hash, number, |&number| hash_of(state, entry(bytes, bounds, number)));
        bytes.put_slice(row);
        bounds.put(bytes.len());
        Some(number)
    }

    /// The frame of the lengths of all rows.
    pub(super) fn frame_of_rows(&self) -> FrameChoice {
        let lengths = self.lengths();
        let bound = |length: Option<&u64>| length.copied().unwrap_or_default();
        FrameChoice::between(
            bound(lengths.iter().min()),
            bound(lengths.iter().max()),
            false,
            self.len(),
        )
    }

    /// The consecutive entries.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The entry of each row.
    pub(super) fn indices(&self) -> Vec<u64> {
        memory::collected(self.indices.iter().map(|&number| u64::from(number)))
    }

    /// The same dictionary with the most frequent entries first, so that adjacent entries are about equally frequent.
    /// Equally frequent entries keep their order.
    pub(super) fn by_frequency(&self) -> TextDictionary {
        let mut counts = memory::zeros::<u32>(self.entries());
        self.indices.iter().for_each(|&number| counts[number as usize] += 1);
        let mut order = memory::collected(0..counts.len() as u32);
        order.sort_unstable_by_key(|&n| (core::cmp::Reverse(counts[n as usize]), n));
        let mut sorted = TextDictionary::new(0, self.bytes.len());
        let mut ranks = memory::zeros::<u32>(order.len());
        for (rank, &number) in (0..).zip(&order) {
            ranks[number as usize] = rank;
            sorted.bytes.put_slice(self.entry(number));
            sorted.bounds.put(sorted.bytes.len());
        }
        sorted.indices =
            memory::collected(self.indices.iter().map(|&number| ranks[number as usize]));
        sorted.total = self.total;
        sorted
    }

    /// The lengths of the entries.
    pub(super) fn lengths(&self) -> Vec<u64> {
        memory::collected(self.bounds.windows(2).map(|pair| (pair[1] - pair[0]) as u64))
    }

    /// Appends the dictionary, if it takes fewer bytes than `plain` (F-62).
    pub(super) fn write_below(&self, plain: u128, out: &mut Vec<u8>) -> bool {
        let lengths = self.lengths();
        let frames = [FrameChoice::of(&lengths, false), FrameChoice::of(&self.indices, false)];
        let in_frames: u128 = frames.iter().map(|frame| 1 + frame.size()).sum();
        let count = self.entries() as u64;
        if varint_len(count) as u128 + in_frames + self.bytes.len() as u128 >= plain {
            return false;
        }
        out.put(DICTIONARY);
        write_varint(out, count);
        frames[0].write(out, &lengths);
        out.put_slice(&self.bytes);
        frames[1].write(out, &self.indices);
        true
    }
}

#[inline]
fn entry<'a>(bytes: &'a [u8], bounds: &[usize], number: u32) -> &'a [u8] {
    &bytes[bounds[number as usize]..bounds[number as usize + 1]]
}

#[inline]
fn hash_of(state: &RandomState, row: &[u8]) -> u64 {
    let mut hasher = state.build_hasher();
    hasher.write(row);
    hasher.finish()
}
