//! Inline values that are read.
//!
//! Reading reports only whether it succeeded: reading the columns then finds the fault and its offset.

use alloc::vec::Vec;
use core::fmt::Display;

use super::is_short;
use crate::block::Block;
use crate::column::bits::Bits;
use crate::column::floats::Floats;
use crate::column::frame::Frame;
use crate::column::{MIN_ENCODED_ROWS, bits, floats, frame, ints, raw, text};
use crate::error::Result;
use crate::input::{Input, Scratch};
use crate::kernel::borrow::text_of;
use crate::kernel::{self, Word};
use crate::limits::Budget;
use crate::memory::{self, GrowVec};
use crate::number::{IntKind, split_varint, unzigzag};
use crate::typed::plan::{Plan, Site};
use crate::typed::slots::{self, Slots};
use crate::typed::{Decode, Rows};

/// The most strings whose lengths are read without memory of their own.
const MAX_LENGTHS: usize = 64;

/// Reads rows that are the only ones of their sites; none where that fails.
#[doc(hidden)]
pub struct InlineRows<'b, 'de> {
    /// The rest of the input. No more of it is kept, so that all fields fit in registers.
    rest: &'b [u8],
    /// The remaining units of the budget.
    units: u64,
    scratch: &'b Scratch,
    message: &'de [u8],
    depth: usize,
}

impl<'b, 'de> InlineRows<'b, 'de> {
    pub(crate) fn new(input: &Input<'b>, message: &'de [u8], depth: usize) -> Self {
        let (rest, units, scratch) = (input.rest(), input.budget.left(), input.scratch());
        InlineRows { rest, units, scratch, message, depth }
    }

    /// Whether everything was read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Charges a row (F-26).
    #[inline]
    #[must_use]
    pub fn row(&mut self) -> Option<()> {
        self.charge(1)
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.row()?;
        self.take_byte()
    }

    #[inline]
    fn take_byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*byte)
    }

    /// One bit (F-28).
    #[inline]
    pub(crate) fn bit(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Reads an integer of more than 8 bits, or the number of a variant.
    #[inline]
    #[must_use]
    pub fn number(&mut self) -> Option<u64> {
        self.row()?;
        self.varint()
    }

    #[inline]
    fn varint(&mut self) -> Option<u64> {
        match self.rest.split_first()? {
            (byte, rest) if byte & 1 == 0 => {
                self.rest = rest;
                Some(u64::from(byte >> 1))
            }
            _ => {
                let (value, len) = split_varint(self.rest)?;
                self.rest = &self.rest[len..];
                Some(value)
            }
        }
    }

    #[inline]
    pub(crate) fn float<const W: usize>(&mut self) -> Option<[u8; W]> {
        self.row()?;
        let (bytes, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*bytes)
    }

    #[inline]
    pub(crate) fn text(&mut self) -> Option<&'b str> {
        kernel::text::short_utf8(self.byte_string()?)
    }

    #[inline]
    pub(crate) fn byte_string(&mut self) -> Option<&'b [u8]> {
        let len = self.number()?;
        self.take_charged(len)
    }

    /// Takes bytes, of which each is charged.
    #[inline]
    fn take_charged(&mut self, len: u64) -> Option<&'b [u8]> {
        self.units = self.units.checked_sub(len)?;
        let (bytes, rest) = self.rest.split_at_checked(usize::try_from(len).ok()?)?;
        self.rest = rest;
        Some(bytes)
    }

    /// Reads text borrowed from the message.
    #[inline]
    pub(crate) fn borrowed_text(&mut self) -> Option<&'de str> {
        text_of(self.message, self.text()?)
    }

    /// Reads a value of another type, and converts it by a function.
    pub fn converted<T, As: Decode<'de>, E: Display>(
        &mut self,
        convert: impl FnOnce(As) -> Result<T, E>,
    ) -> Option<T> {
        convert(As::read_inline(self)?).ok()
    }

    /// Reads a value with columns.
    pub(crate) fn columns<T: Decode<'de>>(&mut self) -> Option<T> {
        let plan = Plan::of_read::<T>().ok()?;
        let block = self.read(|input| Block::read(input, &plan.schema, 1, false))?;
        let mut rows = Rows::new(plan, &block, self.message, self.depth);
        let value = T::read(Site::ROOT, &mut rows).ok()?;
        block.recycle(self.scratch);
        Some(value)
    }

    /// Reads with an input, which locates faults.
    fn read<R>(&mut self, read: impl FnOnce(&mut Input<'b>) -> Result<R>) -> Option<R> {
        let mut input = Input::new(self.rest, Budget::of(self.units), self.scratch).deferring();
        let done = read(&mut input).ok()?;
        (self.rest, self.units) = (input.rest(), input.budget.left());
        Some(done)
    }
}

fn begins_with_frame(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|byte| frame::is_frame(*byte))
}

/// Sites with a few rows, one column at a time.
impl<'b, 'de> InlineRows<'b, 'de> {
    /// A list: inline if possible.
    pub(crate) fn list<T: Decode<'de>>(&mut self) -> Option<Vec<T>> {
        if !T::IS_FLAT {
            return self.columns();
        }
        let (len, _) = split_varint(self.rest)?;
        if !is_short::<T>(usize::try_from(len).ok()?) {
            return self.columns();
        }
        let len = usize::try_from(self.number()?).ok()?;
        let mut list = Vec::new();
        // A site without rows has no columns (F-25).
        if len > 0 {
            list.try_reserve_exact(len).ok()?;
            let fill = |slots: &mut Slots<'_, T>| T::read_flat(slots, self).ok_or(());
            slots::append_at_once(&mut list, len, fill).ok()?;
        }
        Some(list)
    }

    /// Charges rows (F-26).
    #[inline]
    #[must_use]
    pub fn charge(&mut self, count: usize) -> Option<()> {
        self.units = self.units.checked_sub((count as u64).checked_mul(8)?)?;
        Some(())
    }

    /// Reads integers of a kind as wide as a word, in pieces.
    #[inline]
    pub(crate) fn ints<W: Word>(
        &mut self,
        kind: IntKind,
        count: usize,
        mut take: impl FnMut(&[W]),
    ) -> Option<()> {
        self.charge(count)?;
        if count < MIN_ENCODED_ROWS {
            for _ in 0..count {
                take(&[W::truncate(self.few(kind)?)]);
            }
            return Some(());
        }
        // Not through an input: that took 80 instructions more, of 3700 for 100 rows of three numbers.
        let (frame, rest) = Frame::split(self.rest, count, kind.is_signed(), self.scratch)?;
        self.rest = rest;
        let mut is_valid = true;
        frame.decode_some(|some| {
            is_valid = is_valid && frame.are_within(kind, some);
            if is_valid {
                take(some);
            }
        });
        is_valid.then_some(())
    }

    /// Reads integers of a kind of 64 bits or more in any encoding; none if one exceeds 64 bits.
    pub(crate) fn any_ints(
        &mut self,
        kind: IntKind,
        count: usize,
        mut take: impl FnMut(u64),
    ) -> Option<()> {
        if count < MIN_ENCODED_ROWS || begins_with_frame(self.rest) {
            return self.ints(kind, count, |some: &[u64]| some.iter().copied().for_each(&mut take));
        }
        self.charge(count)?;
        let located = self.read(|input| ints::locate(input, kind, count))?;
        located.validate().ok()?;
        let ints = located.decode();
        (!ints.has_bigs()).then(|| ints.values.into_iter().for_each(take))
    }

    /// Reads a number of a column without an encoding.
    fn few(&mut self, kind: IntKind) -> Option<u64> {
        if kind.is_byte() {
            return self.take_byte().map(u64::from);
        }
        let number = self.varint()?;
        let bits = if kind.is_signed() { unzigzag(number).cast_unsigned() } else { number };
        kind.holds(bits).then_some(bits)
    }

    /// Numbers of variants, each below a bound.
    #[must_use]
    pub fn numbers(&mut self, count: usize, bound: u64) -> Option<Vec<u64>> {
        let mut numbers = memory::with_capacity(count);
        self.ints(IntKind::U64, count, |some| numbers.put_slice(some))?;
        numbers.iter().all(|number| *number < bound).then_some(numbers)
    }

    pub(crate) fn floats(&mut self, width: usize, count: usize) -> Option<Floats<'b>> {
        self.charge(count)?;
        if let Some((floats, rest)) = floats::split_raw(self.rest, width, count) {
            self.rest = rest;
            return Some(floats);
        }
        self.read(|input| floats::locate(input, width, count)).map(|(_, floats)| floats)
    }

    /// Byte strings of one length, one after the other.
    pub(crate) fn raw(&mut self, of: raw::Of, count: usize) -> Option<&'b [u8]> {
        self.charge(count)?;
        self.read(|input| raw::read(input, of, count as u128)).map(|raw| raw.bytes)
    }

    pub(crate) fn bits(&mut self, count: usize) -> Option<Bits<'b>> {
        self.charge(count)?;
        let (place, bits) = self.read(|input| bits::locate(input, count))?;
        bits.validate(place.range.end).ok()?;
        Some(bits)
    }

    /// Fills all slots with strings.
    pub(crate) fn strings<T>(
        &mut self,
        slots: &mut Slots<'_, T>,
        make: impl Fn(&'b str) -> T,
    ) -> Option<()> {
        let count = slots.left();
        let mut lens = [0; MAX_LENGTHS];
        if count < MIN_ENCODED_ROWS || count <= MAX_LENGTHS && self.has_plain_text() {
            let lens = lens.get_mut(..count)?;
            let mut rest = self.plain_text(lens)?;
            slots.extend(lens.iter().map(|&len| {
                let (row, after) = rest.split_at(len as usize);
                rest = after;
                make(row)
            }));
            return Some(());
        }
        let (texts, whole) = self.texts(count)?;
        let mut at = 0;
        slots.extend((0..count).map(|row| {
            let (start, end) = texts.span(row, at);
            at = end;
            make(&whole[start..end])
        }));
        Some(())
    }

    /// Whether a column of text begins with its encoding and a frame of lengths.
    fn has_plain_text(&self) -> bool {
        matches!(self.rest, [text::PLAIN, lengths @ ..] if begins_with_frame(lengths))
    }

    /// Reads a few strings without a dictionary: their lengths, and the entire text.
    fn plain_text(&mut self, lens: &mut [u64]) -> Option<&'b str> {
        self.charge(lens.len())?;
        if lens.len() < MIN_ENCODED_ROWS {
            for len in &mut *lens {
                *len = self.varint()?;
            }
        } else {
            let (_, lengths) = self.rest.split_first()?;
            let (frame, rest) = Frame::split(lengths, lens.len(), false, self.scratch)?;
            frame.decode_into(lens);
            self.rest = rest;
        }
        let len = lens.iter().try_fold(0, |sum: u64, len| sum.checked_add(*len))?;
        kernel::text::rows_in_utf8(self.take_charged(len)?, lens)
    }

    /// Reads strings: the entire text, and the part of each row.
    pub(crate) fn texts(&mut self, count: usize) -> Option<(text::TextRows, &'b str)> {
        self.charge(count)?;
        let located = self.read(|input| text::locate(input, true, count))?;
        let whole = located.validate_utf8().ok()?;
        Some((located.decode(), whole))
    }

    /// Reads byte strings in the same way.
    pub(crate) fn byte_texts(&mut self, count: usize) -> Option<(text::TextRows, &'b [u8])> {
        self.charge(count)?;
        let located = self.read(|input| text::locate(input, false, count))?;
        let whole = located.payload();
        Some((located.decode(), whole))
    }
}
