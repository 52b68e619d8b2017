//! Inline values: with one row at each site, as in messages of one struct, written without columns around them.
//!
//! Where each site has one row, a block holds the values in the order of the types: fewer than 4 rows have no
//! encoding ahead (F-28 to F-32). They are written and read one after the other. Lists have more rows: they, and
//! all other types without an inline form, are nested blocks, as the columns of one type are adjacent.

mod rows;

use alloc::vec::Vec;

use bytemuck::Pod;

pub use self::rows::InlineRows;
use super::Encode;
use super::buffers::Buffers;
use super::columns::Columns;
use super::plan::{Plan, Site};
use super::refs::Refs;
use crate::column::floats::Float;
use crate::column::text::TextBuffer;
use crate::column::{Profile, Settings, bits, floats, ints, text};
use crate::error::Result;
use crate::input::{BufferPool, Pooled};
use crate::kernel;
use crate::kernel::frame::MAX_SINGLE_ROWS;
use crate::memory::{Grow, GrowVec};
use crate::number::{IntKind, write_varint};
use crate::value::Record;

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
    /// Whether the value has unknown fields, so that only columns can say what it has.
    pub(super) has_unknown: bool,
}

impl InlineBuffers {
    /// Begins a value with one row at each site, except in lists.
    pub(super) fn begin(&mut self, plan: &Plan) {
        self.units_per_row = plan.units_per_row;
        self.most_units = plan.units_per_row;
        self.has_unknown = false;
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

    /// Looks at the unknown fields of a struct.
    #[inline]
    pub fn unknown(&mut self, fields: &Record) {
        self.buffers.has_unknown |= !fields.keys().is_empty();
    }

    #[inline]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.out.put_slice(bytes);
    }

    #[inline]
    pub(crate) fn text(&mut self, text: &str) {
        if self.settings.profile.is_small() {
            return self.texts(core::iter::once(text.as_bytes()));
        }
        self.number(text.len() as u64);
        kernel::short::append(self.out, core::iter::once(text.as_bytes()));
    }

    /// Writes a value with columns.
    pub(crate) fn columns<T: Encode + ?Sized>(&mut self, value: &T) -> Result<()> {
        let plan = Plan::of_written::<T>()?;
        let inside = &mut self.buffers.inside;
        let known = inside.iter().position(|(of, _)| core::ptr::eq(*of, plan));
        let at = known.unwrap_or_else(|| {
            inside.put((plan, Buffers::new(plan)));
            inside.len() - 1
        });
        let buffers = &mut inside[at].1;
        buffers.clear();
        value.write(Site::ROOT, &mut Columns::new(plan, buffers, self.depth))?;
        buffers.write_block(self.out, self.settings, &mut |_| {});
        let (units, has_unknown) =
            (buffers.most_units(&plan.schema, 1), buffers.deciding_values().is_some());
        self.buffers.has_unknown |= has_unknown;
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
                self.out.room(size_of_val(&**list) + ENCODING_OVERHEAD);
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
        let mut few = [W::default(); MAX_SINGLE_ROWS];
        if let Some(few) = few.get_mut(..rows.len()) {
            few.iter_mut().zip(rows.iter()).for_each(|(place, row)| *place = word(row));
            return ints::write_words(self.out, kind, few, self.settings);
        }
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
