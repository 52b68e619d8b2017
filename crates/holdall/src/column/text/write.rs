//! Text to bytes: plain, or a dictionary where strings repeat.

use std::collections::HashMap;

use super::{DICTIONARY, PLAIN};
use crate::column::FEW;
use crate::column::frame::{Choice, Widths};
use crate::column::ints::write_u64;
use crate::column::zstd;
use crate::message::Profile;
use crate::number::{varint_len, write_varint};

/// A dictionary is tried by the look of this many rows (F-62).
const SAMPLE: usize = 1024;
/// Among them, this many must repeat one before,
const REPEATS: usize = 3;
/// and no more than this many may differ.
const DIFFERENT: usize = 819;

/// Text as a writer gathers it.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextBuffer {
    lengths: Vec<u64>,
    bytes: Vec<u8>,
}

impl TextBuffer {
    #[inline]
    pub(crate) fn push(&mut self, text: &[u8]) {
        self.lengths.push(text.len() as u64);
        self.bytes.extend_from_slice(text);
    }

    pub(crate) fn clear(&mut self) {
        self.lengths.clear();
        self.bytes.clear();
    }

    fn rows(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.bytes[..];
        self.lengths.iter().map(move |&len| {
            let (row, after) = rest.split_at(len as usize);
            rest = after;
            row
        })
    }
}

/// Appends a column.
pub(crate) fn write(out: &mut Vec<u8>, text: &TextBuffer, profile: Profile) {
    if text.lengths.len() < FEW {
        write_u64(out, &text.lengths, profile);
        return out.extend_from_slice(&text.bytes);
    }
    let widths = if profile == Profile::Small { Widths::Any } else { Widths::Fast };
    let lengths = Choice::of(&text.lengths, false, widths);
    let start = out.len();
    let dictionary = if profile == Profile::Fast || !repeats(text) {
        None
    } else {
        Some(Dictionary::of(text, widths))
    };
    let plain_len = 1 + lengths.size() + text.bytes.len() as u128;
    match dictionary.filter(|dictionary| dictionary.size() < plain_len) {
        Some(dictionary) => dictionary.write(out),
        None => {
            out.push(PLAIN);
            lengths.write(out, &text.lengths);
            out.extend_from_slice(&text.bytes);
        }
    }
    if profile == Profile::Small {
        zstd::wrap(out, start);
    }
}

/// Whether the first rows repeat enough to try a dictionary (F-62).
fn repeats(text: &TextBuffer) -> bool {
    let rows = text.lengths.len().min(SAMPLE);
    let mut seen = std::collections::HashSet::with_capacity(rows);
    let different = text.rows().take(rows).filter(|row| seen.insert(*row)).count();
    rows - different >= REPEATS && !(rows == SAMPLE && different > DIFFERENT)
}

/// The different rows in the order of first appearance, and the entry of each row.
struct Dictionary<'t> {
    entries: Vec<&'t [u8]>,
    lengths: Vec<u64>,
    indices: Vec<u64>,
    frames: [Choice; 2],
}

impl<'t> Dictionary<'t> {
    fn of(text: &'t TextBuffer, widths: Widths) -> Dictionary<'t> {
        let mut numbers = HashMap::new();
        let mut entries = Vec::new();
        let indices: Vec<u64> = text
            .rows()
            .map(|row| {
                *numbers.entry(row).or_insert_with(|| {
                    entries.push(row);
                    entries.len() as u64 - 1
                })
            })
            .collect();
        let lengths: Vec<u64> = entries.iter().map(|entry| entry.len() as u64).collect();
        let frames = [Choice::of(&lengths, false, widths), Choice::of(&indices, false, widths)];
        Dictionary { entries, lengths, indices, frames }
    }

    /// The bytes behind the encoding byte.
    fn size(&self) -> u128 {
        let bytes: usize = self.entries.iter().map(|entry| entry.len()).sum();
        let frames: u128 = self.frames.iter().map(|frame| 1 + frame.size()).sum();
        varint_len(self.entries.len() as u64) as u128 + frames + bytes as u128
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(DICTIONARY);
        write_varint(out, self.entries.len() as u64);
        let [lengths, indices] = &self.frames;
        lengths.write(out, &self.lengths);
        self.entries.iter().for_each(|entry| out.extend_from_slice(entry));
        indices.write(out, &self.indices);
    }
}
