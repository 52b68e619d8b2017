//! Inline values: with one row at each site, as in messages of one struct, written without columns around them.
//!
//! Where each site has one row, a block holds the values in the order of the types: fewer than 4 rows have no
//! encoding ahead (F-28 to F-32). They are written and read one after the other. Lists have more rows: they, and
//! all other types without an inline form, are nested blocks, as the columns of one type are adjacent.
//!
//! Reading reports only whether it succeeded: reading the columns then finds the fault and its offset.

use std::fmt::Display;

use bytemuck::Pod;

use super::buffers::Buffers;
use super::columns::Columns;
use super::plan::{Plan, Site};
use super::refs::Refs;
use super::rows::Rows;
use super::slots::{self, Slots};
use super::{Decode, Encode};
use crate::block::Block;
use crate::column::bits::Bits;
use crate::column::floats::{Float, Floats};
use crate::column::frame::Frame;
use crate::column::text::TextBuffer;
use crate::column::{FEW, Profile, Settings, bits, floats, ints, text};
use crate::error::Result;
use crate::input::{BufferPool, Input, Pooled, Scratch};
use crate::kernel::borrow::text_of;
use crate::kernel::{self, Word};
use crate::limits::Budget;
use crate::number::{IntKind, split_varint, unzigzag, write_varint};

/// The memory kept from one message to the next.
#[derive(Default)]
pub(crate) struct InlineBuffers {
    pub(crate) message: Vec<u8>,
    /// The buffers of each type with columns.
    pub(crate) inside: Vec<(&'static Plan, Buffers)>,
    /// Buffers for one column at a time.
    words: BufferPool,
    bits: Vec<bool>,
    texts: TextBuffer,
    /// An upper bound of the charge for reading, without a unit for each byte (F-26).
    pub(crate) most_units: u64,
    /// The charge for a row and everything inside it, except lists.
    units_per_row: u64,
}

impl InlineBuffers {
    /// Begins a value with one row at each site, except in lists.
    pub(super) fn begin(&mut self, plan: &Plan) {
        self.units_per_row = plan.units_per_row;
        self.most_units = plan.units_per_row;
    }

    fn add_units(&mut self, units: u64) {
        self.most_units = self.most_units.saturating_add(units);
    }
}

/// Lists whose items take more bytes have columns: those read column by column should stay in the nearest cache.
const MAX_INLINE_LIST: usize = 32 << 10;

/// Whether a list of this many items is short enough to be written and read column by column.
fn is_short<T>(len: usize) -> bool {
    len.saturating_mul(size_of::<T>()) <= MAX_INLINE_LIST
}

/// About how many bytes a list takes for its encoding, in addition to its values.
const ENCODING_OVERHEAD: usize = 64;

/// Writes rows that are the only ones of their sites.
#[doc(hidden)]
pub struct InlineColumns<'o> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) settings: Settings,
    depth: usize,
    buffers: &'o mut InlineBuffers,
}

impl<'o> InlineColumns<'o> {
    pub(crate) fn new(
        out: &'o mut Vec<u8>,
        settings: Settings,
        depth: usize,
        buffers: &'o mut InlineBuffers,
    ) -> Self {
        InlineColumns { out, settings, depth, buffers }
    }

    /// Writes the number of a variant, or an integer of more than 8 bits; zigzagged if signed.
    #[inline]
    pub fn number(&mut self, number: u64) {
        write_varint(self.out, number);
    }

    #[inline]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    #[inline]
    pub(crate) fn text(&mut self, text: &str) {
        if self.settings.profile == Profile::Small {
            return self.texts(std::iter::once(text.as_bytes()));
        }
        self.number(text.len() as u64);
        kernel::short::append(self.out, std::iter::once(text.as_bytes()));
    }

    /// Writes or reads a value with columns.
    pub(crate) fn columns<T: Encode + ?Sized>(&mut self, value: &T) -> Result<()> {
        let plan = Plan::of_written::<T>()?;
        let inside = &mut self.buffers.inside;
        let known = inside.iter().position(|(of, _)| std::ptr::eq(*of, plan));
        let at = known.unwrap_or_else(|| {
            inside.push((plan, Buffers::new(plan)));
            inside.len() - 1
        });
        let buffers = &mut inside[at].1;
        buffers.clear();
        value.write(Site::ROOT, &mut Columns::new(plan, buffers, self.depth))?;
        buffers.write_block(self.out, self.settings, &mut |_| {});
        let units = buffers.most_units(&plan.schema, 1);
        self.buffers.add_units(units);
        Ok(())
    }
}

/// Sites with a few rows, one column at a time.
impl InlineColumns<'_> {
    /// A list: inline if possible.
    pub(crate) fn list<T: Encode>(&mut self, list: &Vec<T>) -> Result<()> {
        if T::IS_DIRECT {
            self.number(list.len() as u64);
            self.buffers.add_units(8 * list.len() as u64);
            if !list.is_empty() {
                self.out.reserve(size_of_val(&**list) + ENCODING_OVERHEAD);
                T::write_direct(list, self);
            }
            return Ok(());
        }
        if !T::IS_FLAT || !is_short::<T>(list.len()) {
            return self.columns(list);
        }
        self.number(list.len() as u64);
        self.buffers.add_units(self.buffers.units_per_row.saturating_mul(list.len() as u64));
        // A site without rows has no columns (F-25).
        if list.is_empty() {
            return Ok(());
        }
        T::write_flat(Refs::of(list), self)
    }

    /// Integers of a kind as wide as a word.
    pub(crate) fn ints<T, W: Pooled>(
        &mut self,
        kind: IntKind,
        rows: Refs<'_, T>,
        word: impl Fn(&T) -> W,
    ) {
        let mut words = self.buffers.words.take_any();
        rows.append_to(&mut words, word);
        ints::write_words(self.out, kind, &words, self.settings);
        self.buffers.words.put(words);
    }

    /// Numbers of variants.
    pub fn numbers<T>(&mut self, rows: Refs<'_, T>, number: impl Fn(&T) -> usize) {
        self.ints(IntKind::U64, rows, |row| number(row) as u64);
    }

    pub(crate) fn floats<F: Float + Pod, W: Pooled + Pod>(
        &mut self,
        rows: Refs<'_, F>,
        word: impl Fn(&F) -> W,
    ) {
        let mut words = self.buffers.words.take_any();
        rows.append_to(&mut words, word);
        floats::write::<F>(self.out, bytemuck::cast_slice(&words), self.settings);
        self.buffers.words.put(words);
    }

    /// Adjacent floats.
    pub(crate) fn float_list<F: Float>(&mut self, list: &[F]) {
        floats::write(self.out, list, self.settings);
    }

    pub(crate) fn bits<T>(&mut self, rows: Refs<'_, T>, bit: impl Fn(&T) -> bool) {
        self.buffers.bits.clear();
        rows.append_to(&mut self.buffers.bits, bit);
        bits::write(self.out, &self.buffers.bits, self.settings);
    }

    /// Text straight from its memory, of any size.
    pub(crate) fn text_list<T>(&mut self, list: &[T], text: impl Fn(&T) -> &[u8] + Copy) {
        if self.settings.profile != Profile::Fast {
            return self.texts(list.iter().map(text));
        }
        text::write_list(self.out, &mut self.buffers.texts, list, text);
    }

    pub(crate) fn texts<'t>(&mut self, rows: impl Iterator<Item = &'t [u8]> + Clone) {
        self.buffers.texts.clear();
        self.buffers.texts.extend(rows);
        self.buffers.add_units(self.buffers.texts.size() as u64);
        text::write(self.out, &self.buffers.texts, self.settings);
    }
}

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
    pub(crate) fn new(input: Input<'b>, message: &'de [u8], depth: usize) -> Self {
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

    /// Writes or reads a value with columns.
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
        let mut input = Input::new(self.rest, Budget::of(self.units), self.scratch);
        let done = read(&mut input).ok()?;
        (self.rest, self.units) = (input.rest(), input.budget.left());
        Some(done)
    }
}

/// Sites with a few rows, one column at a time.
impl<'b, 'de> InlineRows<'b, 'de> {
    /// A list: inline if possible.
    pub(crate) fn list<T: Decode<'de>>(&mut self) -> Option<Vec<T>> {
        if !T::IS_FLAT {
            return self.columns();
        }
        let before = (self.rest, self.units);
        let len = usize::try_from(self.number()?).ok()?;
        if !is_short::<T>(len) {
            (self.rest, self.units) = before;
            return self.columns();
        }
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
        if count < FEW {
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
        let before = (self.rest, self.units);
        if self.ints(kind, count, |some: &[u64]| some.iter().copied().for_each(&mut take)).is_some()
        {
            return Some(());
        }
        if count < FEW {
            return None;
        }
        (self.rest, self.units) = before;
        self.charge(count)?;
        let located = self.read(|input| ints::locate(input, kind, count))?;
        located.validate().ok()?;
        let ints = located.decode();
        ints.bigs.is_empty().then(|| ints.values.into_iter().for_each(take))
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
        let mut numbers = Vec::with_capacity(count);
        self.ints(IntKind::U64, count, |some| numbers.extend_from_slice(some))?;
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

    pub(crate) fn bits(&mut self, count: usize) -> Option<Bits<'b>> {
        self.charge(count)?;
        let (place, bits) = self.read(|input| bits::locate(input, count))?;
        bits.validate(place.range.end).ok()?;
        Some(bits)
    }

    /// Reads strings: the entire text, and the part of each row.
    pub(crate) fn texts(&mut self, count: usize) -> Option<(text::Rows, &'b str)> {
        self.charge(count)?;
        let located = self.read(|input| text::locate(input, true, count))?;
        let whole = located.validate_utf8().ok()?;
        Some((located.decode(), whole))
    }

    /// Reads byte strings in the same way.
    pub(crate) fn byte_texts(&mut self, count: usize) -> Option<(text::Rows, &'b [u8])> {
        self.charge(count)?;
        let located = self.read(|input| text::locate(input, false, count))?;
        let whole = located.payload();
        Some((located.decode(), whole))
    }
}
