//! The index in a stream's end: the length of each frame, and its number of values (F-88).

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::frame::{PREAMBLE, SHORTEST};
use crate::error::{Code, Error, Result};
use crate::input::trace::field;
use crate::input::{Input, Scratch};
use crate::limits::Budget;
use crate::memory::GrowVec;
use crate::number::write_varint;

/// Frames take multiples of this.
const MULTIPLE: u64 = 8;

/// The frames of a stream so far, as the end will list them. One takes 3 to 6 bytes, because a stream can have very
/// many.
#[derive(Clone, Debug, Default)]
pub struct Index {
    entries: Vec<u8>,
    frames: u64,
    values: u64,
    /// The length of all frames in bytes.
    len: u64,
}

/// A frame, as the index describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub at: u64,
    pub len: u64,
    /// None for frames that are not blocks.
    pub values: u64,
}

impl Index {
    pub fn add(&mut self, len: u64, values: u64) {
        write_varint(&mut self.entries, len / MULTIPLE);
        write_varint(&mut self.entries, values);
        self.frames += 1;
        self.values += values;
        self.len += len;
    }

    /// The number of frames, which is the sequence of the next one.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The number of values in all blocks.
    pub fn values(&self) -> u64 {
        self.values
    }

    /// The offset of the next frame.
    pub fn end(&self) -> u64 {
        PREAMBLE as u64 + self.len
    }

    /// Appends the payload of an end that begins where the last frame ends.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        write_varint(out, self.frames);
        out.put_slice(&self.entries);
        // The last field directly precedes the frame's checksum.
        let len = out.len() - start;
        out.put_fill(start + (len + 4).next_multiple_of(MULTIPLE as usize) - 4, 0);
        out.put_slice(&self.end().to_le_bytes());
    }

    /// Reads the payload of an end, a frame of this sequence at an offset of the stream, and passes each frame on.
    /// They must match the frames that were read, if they were.
    pub fn read(
        payload: &[u8],
        sequence: u64,
        at: u64,
        known: Option<&Index>,
        entry: impl FnMut(Entry),
    ) -> Result<Index> {
        let scratch = Scratch::default();
        let input = Input::new(payload, Budget::default(), &scratch);
        Index::read_from(input, sequence, at, known, entry)
    }

    /// Like [`Index::read`], from an input.
    pub fn read_from(
        mut input: Input<'_>,
        sequence: u64,
        at: u64,
        known: Option<&Index>,
        mut entry: impl FnMut(Entry),
    ) -> Result<Index> {
        let payload = input.rest();
        let bad = |at: usize, expected: String, got: String| {
            Err(Error::at(Code::BadIndex, at).expected(expected).got(got))
        };
        let frames = input.varint(field("the number of frames", "F-88"))?;
        if frames != sequence {
            return bad(0, format!("{sequence} frames"), frames.to_string());
        }
        let first = input.position();
        let mut index = Index::default();
        for _ in 0..frames {
            let start = input.position();
            let len = input.varint(field("the length of a frame", "F-88"))?;
            let values = input.varint(field("the values of a frame", "F-88"))?;
            let (place, left) = (index.end(), at.saturating_sub(index.end()));
            let is_new = known.is_some_and(|known| {
                let own = start - first..input.position() - first;
                known.entries.get(own) != Some(&payload[start..input.position()])
            });
            if is_new || len < SHORTEST as u64 / MULTIPLE || len > left / MULTIPLE {
                return bad(start, "a frame that is there".to_owned(), format!("{len}"));
            }
            if index.values.checked_add(values).is_none() {
                return bad(start, "fewer values".to_owned(), values.to_string());
            }
            let len = len * MULTIPLE;
            entry(Entry { at: place, len, values });
            index.add(len, values);
        }
        let padding = (input.position() + 4).wrapping_neg() % MULTIPLE as usize;
        let start = input.position();
        let zeros = input.take(padding as u128, field("padding", "F-88"))?;
        if let Some(own) = zeros.iter().position(|byte| *byte != 0) {
            return Err(Error::at(Code::NonzeroPadding, start + own).expected("00"));
        }
        let last = input.position();
        let mut own = [0; 8];
        own.copy_from_slice(input.take(8, field("the end's own offset", "F-88"))?);
        let own = u64::from_le_bytes(own);
        if own != at || index.end() != at {
            let expected = format!("the offset {at}, where the frames before end");
            return bad(last, expected, own.to_string());
        }
        if input.remaining() > 0 {
            return Err(Error::at(Code::TrailingBytes, input.position())
                .expected("the end of the index")
                .got(format!("{} more bytes", input.remaining())));
        }
        Ok(index)
    }
}
