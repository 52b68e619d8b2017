//! A part of a view's source in which columns are located and read: an input reads no more bytes of a file than it
//! needs.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::ops::Range;

use super::source::Reading;
use super::trace::Field;
use super::{Input, LINE, Scratch};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::memory;

/// A file is read at least this many bytes at a time, because heads of columns are near each other.
const AHEAD: u64 = 64;

/// A part of a source, up to its end.
pub struct Window<'s> {
    reading: Reading<'s>,
    /// Alignment counts from here (F-69), if the part is aligned.
    aligned_from: Option<u64>,
    end: u64,
    limits: Limits,
    /// Bytes read ahead from a file, and the offset where they start.
    ahead: RefCell<(u64, Vec<u8>)>,
}

/// The position of an input in a window.
#[derive(Clone, Copy)]
pub(super) struct Origin<'w> {
    window: &'w Window<'w>,
    /// The offset in the source of the input's position 0.
    offset: u64,
}

impl<'s> Window<'s> {
    pub fn new(
        reading: Reading<'s>,
        end: u64,
        aligned_from: Option<u64>,
        limits: Limits,
    ) -> Window<'s> {
        Window { reading, aligned_from, end, limits, ahead: RefCell::default() }
    }

    pub fn end(&self) -> u64 {
        self.end
    }

    /// Reads from an offset of the source on. Offsets of errors are those in the source.
    pub fn read<T>(&self, start: u64, read: impl FnOnce(&mut Input<'_>) -> Result<T>) -> Result<T> {
        self.input(start..start, false, read)
    }

    /// Reads a range, which is fetched from a file in one read.
    pub fn read_range<T>(
        &self,
        range: Range<u64>,
        read: impl FnOnce(&mut Input<'_>) -> Result<T>,
    ) -> Result<T> {
        let part = Window::new(self.reading, range.end, self.aligned_from, self.limits);
        part.input(range, false, read)
    }

    /// Reads from an offset on, and skips payloads: they are empty slices. Also returns the offset at the end.
    pub fn skim<T>(
        &self,
        start: u64,
        read: impl FnOnce(&mut Input<'_>) -> Result<T>,
    ) -> Result<(T, u64)> {
        self.input(start..start, true, |input| {
            let found = read(input)?;
            Ok((found, input.source_offset(input.position())))
        })
    }

    fn input<T>(
        &self,
        loaded: Range<u64>,
        skims: bool,
        read: impl FnOnce(&mut Input<'_>) -> Result<T>,
    ) -> Result<T> {
        let start = loaded.start;
        // Position 0 is chosen so that padding is as in the source.
        let base = self.aligned_from.map_or(0, |from| (start - from) % LINE as u64);
        let offset = start - base;
        let scratch = Scratch::default();
        let bytes = match self.reading.in_memory() {
            Some(_) => self.reading.bytes(start..self.end)?,
            None => self.reading.bytes(loaded)?,
        };
        let size = usize::try_from(self.reading.size()).unwrap_or(usize::MAX);
        let mut input = Input::new(&bytes, self.limits.budget_for(size), &scratch).of_whole(size);
        (input.base, input.aligned) = (base as usize, self.aligned_from.is_some());
        (input.origin, input.skims) = (Some(Origin { window: self, offset }), skims);
        read(&mut input).map_err(|error| error.moved_by(offset))
    }

    /// Reads bytes of a file: at least `count`, if the window has as many.
    fn fetch(&self, start: u64, count: u64) -> Result<Vec<u8>> {
        let mut ahead = self.ahead.borrow_mut();
        let (at, held) = &*ahead;
        let held = start.checked_sub(*at).and_then(|from| held.get(usize::try_from(from).ok()?..));
        if let Some(held) = held.filter(|held| held.len() as u64 >= count) {
            return Ok(memory::copied(held));
        }
        let end = self.end.min(start.saturating_add(count.max(AHEAD)));
        let bytes = memory::owned(self.reading.bytes(start..end)?);
        if bytes.len() as u64 <= AHEAD {
            *ahead = (start, bytes.clone());
        }
        Ok(bytes)
    }
}

impl<'a> Input<'a> {
    /// The number of bytes in the window after those in memory.
    #[cold]
    pub(super) fn not_held(&self, origin: Origin<'_>) -> u64 {
        let held = origin.offset + (self.base + self.bytes.len()) as u64;
        origin.window.end.saturating_sub(held)
    }

    /// Fetches bytes from the window so that the next `count` are in memory, if the window has as many.
    #[cold]
    pub(super) fn refill(&mut self, count: u128) -> Result<bool> {
        let Some(origin) = self.origin.filter(|_| count <= self.left()) else {
            return Ok(false);
        };
        let start = origin.offset + self.position() as u64;
        // At most what the window has, so it fits.
        let bytes = origin.window.fetch(start, count as u64);
        let bytes = bytes.map_err(|error| error.moved_to(self.position()))?;
        (self.base, self.at, self.bytes) = (self.position(), 0, self.scratch.keep(bytes));
        Ok(true)
    }

    /// Skips a payload.
    #[cold]
    pub(super) fn pass_over(&mut self, count: u128, field: Field) -> Result<&'a [u8]> {
        if count > self.left() {
            return Err(self.cut_off(count, field.what));
        }
        let held = self.bytes.len() - self.at;
        if count <= held as u128 {
            self.at += count as usize;
            return Ok(&[]);
        }
        let end = usize::try_from(count).ok().and_then(|count| self.position().checked_add(count));
        // Fails only on machines with small addresses.
        let end = end.ok_or_else(|| Error::at(Code::LimitBudget, self.position()))?;
        (self.base, self.at, self.bytes) = (end, 0, &[]);
        Ok(&[])
    }

    /// Reads an item that the end of a column depends on, even if payloads are skipped. Only then charges its units, to
    /// a fresh budget: if columns are decoded, they are charged elsewhere.
    #[inline]
    pub fn depend_on<T>(
        &mut self,
        units: u128,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let Some(origin) = self.origin.filter(|_| self.skims) else { return read(self) };
        self.skims = false;
        self.budget = origin.window.limits.budget_for(self.whole);
        let done = self.charge(units).and_then(|()| read(self));
        self.skims = true;
        done
    }

    /// Whether payloads are skipped: they are empty slices, and nothing may be allocated for their rows.
    #[inline]
    pub fn skims(&self) -> bool {
        self.skims
    }

    /// Reads a range of the `len` bytes before the position, which were skipped.
    pub fn passed(&self, len: u64, some: Range<u64>) -> Result<Cow<'a, [u8]>> {
        let Some(origin) = self.origin else { return Ok(Cow::Borrowed(&[])) };
        let start = origin.offset + self.position() as u64 - len;
        let bytes = origin.window.reading.bytes(start + some.start..start + some.end);
        bytes.map_err(|error| error.moved_to(self.position()))
    }

    /// The offsets of the last padding that was skipped, and so not checked.
    pub fn skipped_padding(&self) -> Range<u64> {
        let Range { start, end } = self.skipped_padding;
        self.source_offset(start)..self.source_offset(end)
    }

    /// The offset of a position in the view's source.
    pub fn source_offset(&self, position: usize) -> u64 {
        self.origin.map_or(0, |origin| origin.offset) + position as u64
    }
}
