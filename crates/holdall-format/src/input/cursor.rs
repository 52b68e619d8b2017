//! A position in the bytes of a view: what is passed over is not read.

use std::borrow::Cow;
use std::ops::Range;

use super::source::Reading;
use super::{Input, LARGE, LINE, Scratch};
use crate::error::{Code, Error, Result};
use crate::input::trace::Field;
use crate::limits::Limits;
use crate::number::MAX_VARINT;

/// So many bytes are read at once from a file where few are wanted: heads of columns that are near each other.
const AHEAD: u64 = 64;

/// A position in a part of a source, and what may be made of what is read there.
pub struct Cursor<'s> {
    reading: Reading<'s>,
    /// From where alignment counts (F-69).
    origin: u64,
    position: u64,
    end: u64,
    aligned: bool,
    limits: Limits,
    /// Bytes of a file that were read ahead, and where they are.
    ahead: (u64, Vec<u8>),
}

impl<'s> Cursor<'s> {
    /// At the begin of a part of a source that is a message, or a block by itself; offsets of alignment count from `origin`.
    pub fn new(
        reading: Reading<'s>,
        origin: u64,
        part: Range<u64>,
        aligned: bool,
        limits: Limits,
    ) -> Cursor<'s> {
        let (position, end) = (part.start, part.end);
        Cursor { reading, origin, position, end, aligned, limits, ahead: (0, Vec::new()) }
    }

    pub fn position(&self) -> u64 {
        self.position
    }

    pub fn end(&self) -> u64 {
        self.end
    }

    /// Goes to another place of the part.
    pub fn go_to(&mut self, position: u64) {
        self.position = position.min(self.end);
    }

    fn remaining(&self) -> u64 {
        self.end - self.position
    }

    /// Few bytes, read with those that follow them.
    fn near(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        if let Reading::Slice(_) = self.reading {
            return self.reading.bytes(range);
        }
        let (start, bytes) = &self.ahead;
        if range.start < *start || range.end > start + bytes.len() as u64 {
            let end = range.end.max(range.start.saturating_add(AHEAD)).min(self.end);
            let bytes = self.reading.bytes(range.start..end)?.into_owned();
            self.ahead = (range.start, bytes);
        }
        let (start, bytes) = &self.ahead;
        let at = (range.start - start) as usize;
        Ok(Cow::Borrowed(&bytes[at..at + (range.end - range.start) as usize]))
    }

    /// Reads an item of up to so many bytes.
    fn item<T>(
        &mut self,
        most: usize,
        read: impl FnOnce(&mut Input<'_>) -> Result<T>,
    ) -> Result<T> {
        let (start, limits) = (self.position, self.limits);
        let end = self.end.min(start.saturating_add(most as u64));
        let bytes = self.near(start..end)?;
        let scratch = Scratch::default();
        let mut input = Input::new(&bytes, limits.budget_for(0), &scratch);
        let item = read(&mut input).map_err(|error| error.moved_by(start))?;
        let count = input.position() as u64;
        self.position = start + count;
        Ok(item)
    }

    /// The next byte (F-2).
    pub fn byte(&mut self, field: Field) -> Result<u8> {
        self.item(1, |input| input.byte(field))
    }

    /// A varint (F-3, F-4).
    pub fn varint(&mut self, field: Field) -> Result<u64> {
        self.item(MAX_VARINT, |input| input.varint(field))
    }

    /// A varint, and if bounds are given the code of the error for a number outside them.
    pub fn count(&mut self, field: Field, bounds: Option<(Code, u64, u64)>) -> Result<u64> {
        let at = self.position;
        let count = self.varint(field)?;
        match bounds {
            Some((code, least, most)) if !(least..=most).contains(&count) => {
                Err(Error::at(code, 0)
                    .expected(format!("{least} to {most}"))
                    .got(count.to_string())
                    .moved_by(at))
            }
            _ => Ok(count),
        }
    }

    /// The next bytes, if there are so many; they stay the next.
    pub fn peek<const N: usize>(&mut self) -> Result<Option<[u8; N]>> {
        if self.remaining() < N as u64 {
            return Ok(None);
        }
        let start = self.position;
        Ok(self.near(start..start + N as u64)?.first_chunk().copied())
    }

    /// Passes over an item of so many bytes (F-2).
    pub fn skip(&mut self, count: u128, field: Field) -> Result<()> {
        self.payload(count, field).map(|_| ())
    }

    /// Passes over a payload of raw rows and the padding ahead of it (F-69); gives where it is.
    pub fn aligned_payload(&mut self, count: u128, field: Field) -> Result<Range<u64>> {
        if count >= LARGE as u128 {
            self.pad()?;
        }
        self.payload(count, field)
    }

    /// Passes over a payload; gives where it is.
    pub fn payload(&mut self, count: u128, field: Field) -> Result<Range<u64>> {
        if count > u128::from(self.remaining()) {
            return Err(self.cut_off(count, field.what));
        }
        let start = self.position;
        self.position += count as u64;
        Ok(start..self.position)
    }

    /// Passes over the padding up to the next multiple (F-69).
    fn pad(&mut self) -> Result<()> {
        if !self.aligned {
            return Ok(());
        }
        let padding = (self.position - self.origin).wrapping_neg() % LINE as u64;
        if padding > self.remaining() {
            return Err(self.cut_off(u128::from(padding), "padding"));
        }
        self.position += padding;
        Ok(())
    }

    /// Passes over what is inside an encoding: nothing there is aligned.
    pub fn unaligned<T>(&mut self, pass: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let aligned = std::mem::replace(&mut self.aligned, false);
        let passed = pass(self);
        self.aligned = aligned;
        passed
    }

    /// Looks at bytes that were passed over.
    pub fn read_bytes<T>(&self, range: Range<u64>, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
        Ok(read(&self.reading.bytes(range)?))
    }

    /// Reads again what stands from a place up to the position, by what decodes it.
    pub fn read<T>(&self, start: u64, read: impl FnOnce(&mut Input<'_>) -> Result<T>) -> Result<T> {
        self.read_to(start, self.position, read)
    }

    /// The same up to a place.
    pub fn read_to<T>(
        &self,
        start: u64,
        end: u64,
        read: impl FnOnce(&mut Input<'_>) -> Result<T>,
    ) -> Result<T> {
        // Where padding is as it is here.
        let ahead = (start - self.origin) % LINE as u64;
        let base = if self.aligned { start - ahead } else { start };
        let bytes = self.reading.bytes_after(base, start..end)?;
        let scratch = Scratch::default();
        let size = usize::try_from(self.reading.size()).unwrap_or(usize::MAX);
        let mut input = Input::new(&bytes, self.limits.budget_for(size), &scratch).of_whole(size);
        if self.aligned {
            input.align();
        }
        input.advance((start - base) as usize);
        read(&mut input).map_err(|error| error.moved_by(base))
    }

    /// Where an item is incomplete (F-2).
    #[cold]
    fn cut_off(&self, count: u128, what: &'static str) -> Error {
        Error::at(Code::Truncated, 0)
            .expected(format!("{count} bytes of {what}"))
            .got(format!("{} bytes", self.remaining()))
            .moved_by(self.position)
    }
}
