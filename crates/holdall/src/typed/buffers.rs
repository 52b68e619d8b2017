//! Gathers the rows of all sites, and writes them as a block.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::dynamic_sites::DynamicRows;
use super::plan::{Plan, Site};
use super::refs::{Refs, Walk};
use crate::block::count_inside;
use crate::block::filler::is_enough;
use crate::column::Settings;
use crate::column::ahead::{Ahead, Rows};
use crate::column::buffer::{Buffer, FixedRow};
use crate::column::frame::FrameChoice;
use crate::column::numbers::NumberBuffer;
use crate::error::{Code, Error, Result};
use crate::memory::{self, GrowVec};
use crate::number::{IntKind, varint_len, write_varint};
use crate::platform::HashMap;
use crate::schema::{DType, Schema, Type};

/// The buffers of a plan's columns, kept from one message to the next.
pub(crate) struct Buffers {
    pub(super) columns: Vec<Buffer>,
    /// The rows of each definition.
    pub(super) rows: Vec<u64>,
    /// Rows of definitions by the address of their value, for back-references.
    pub(super) seen: HashMap<(usize, usize), u64>,
    /// The rows of sites whose types they decide, if the plan has some; they have no columns here.
    pub(super) values: Option<Box<dyn DynamicRows>>,
    /// The frame of each column's numbers, if its length was computed.
    frames: Vec<Option<FrameChoice>>,
    units_per_row: u64,
}

impl Buffers {
    pub(crate) fn new(plan: &Plan) -> Buffers {
        Buffers {
            columns: (plan.schema.types().iter().zip(&plan.with_columns))
                .map(
                    |(ty, has_column)| {
                        if *has_column { Buffer::of(plan.schema.types(), ty) } else { Buffer::None }
                    },
                )
                .collect(),
            rows: memory::filled(0, plan.schema.definitions().len()),
            seen: HashMap::new(),
            values: plan.dynamic.map(|sites| sites.rows(plan)),
            frames: Vec::new(),
            units_per_row: plan.units_per_row,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.clear_typed();
        self.values.iter_mut().for_each(|values| values.clear());
    }

    /// Drops the rows, and keeps the types that they decided.
    pub(crate) fn clear_rows(&mut self) {
        self.clear_typed();
        self.values.iter_mut().for_each(|values| values.clear_rows());
    }

    fn clear_typed(&mut self) {
        self.columns.iter_mut().for_each(Buffer::clear);
        self.rows.fill(0);
        self.seen.clear();
        self.frames.clear();
    }

    /// Begins another root: its back-references do not reach earlier roots (F-87).
    pub(crate) fn begin_root(&mut self) {
        self.seen.clear();
        self.values.iter_mut().for_each(|values| values.begin_root());
    }

    /// Returns the rows of the sites whose types the values decide, if they decide the schema.
    pub(super) fn deciding_values(&self) -> Option<&dyn DynamicRows> {
        self.values.as_deref().filter(|values| values.decide())
    }

    /// Returns how many rows each definition has.
    pub(crate) fn definition_rows(&self) -> &[u64] {
        &self.rows
    }

    /// Returns about how many bytes the rows take in memory.
    pub(crate) fn size(&self) -> usize {
        let values = self.values.as_ref().map_or(0, |values| values.size());
        self.columns.iter().map(Buffer::size).sum::<usize>() + values
    }

    /// Removes the rows of a failed value: keeps this many roots, and these rows of the definitions.
    pub(crate) fn cut(&mut self, plan: &Plan, roots: usize, definitions: &[u64]) {
        self.rows.copy_from_slice(definitions);
        let types = plan.schema.types();
        let mut rows = self.rows_outside(&plan.schema, roots as u64);
        for id in 0..types.len() {
            // The rows are in memory, so their number fits.
            let n = rows[id] as usize;
            let column = &mut self.columns[id];
            column.truncate(n);
            count_inside(&types[id], column, &mut rows, id);
        }
        self.values.iter_mut().for_each(|values| values.cut(plan, &rows));
        self.seen.clear();
    }

    /// Returns an upper bound of the charge for reading this many roots, without a unit for each byte of the block
    /// (F-26). Counts exactly only if there are very many rows.
    pub(crate) fn most_units(&self, schema: &Schema, roots: u64) -> u64 {
        let all = |sum: u64, rows: u64| sum.saturating_add(rows);
        let rows = self.columns.iter().map(Buffer::most_rows).chain(self.rows.iter().copied());
        let most = rows.fold(roots, all).saturating_mul(self.units_per_row);
        if is_enough(0, most) { most } else { self.counted_units(schema, roots) }
    }

    /// Returns the rows of each site that are in no other site: this many roots, and those of the definitions.
    pub(super) fn rows_outside(&self, schema: &Schema, roots: u64) -> Vec<u64> {
        let mut rows = memory::filled(0, schema.types().len());
        rows[0] = roots;
        for (body, own) in schema.definitions().iter().zip(&self.rows) {
            rows[*body] = *own;
        }
        rows
    }

    #[cold]
    fn counted_units(&self, schema: &Schema, roots: u64) -> u64 {
        let types = schema.types();
        let (mut rows, mut units) = (self.rows_outside(schema, roots), 0_u64);
        for id in 0..types.len() {
            let values = match &types[id] {
                Type::Packed(inner) => DType::of(types, *inner).values(),
                _ => 1,
            };
            let values = u64::try_from(values).unwrap_or(u64::MAX);
            units = units.saturating_add(rows[id].saturating_mul(8).saturating_mul(values));
            count_inside(&types[id], &self.columns[id], &mut rows, id);
        }
        // The contents of the columns are charged again where they are decompressed.
        units.saturating_add((3 * self.size() + 64 * types.len()) as u64)
    }

    /// Returns the bytes of the block in profile fast, not aligned, if known before it is written. Keeps the frames
    /// found for then.
    pub(crate) fn prepare(&mut self) -> Option<usize> {
        self.frames.clear();
        let mut len = self.rows.iter().map(|rows| varint_len(*rows)).sum();
        for column in &self.columns {
            let Some((own, frame)) = column.prepare() else {
                self.frames.clear();
                return None;
            };
            len += own;
            self.frames.put(frame);
        }
        Some(len)
    }

    /// Whether the elements of a tensor take 4,096 bytes or more (F-69).
    pub(crate) fn wants_alignment(&self) -> bool {
        self.columns.iter().any(|column| match column {
            Buffer::Tensors(rows) => rows.wants_alignment(),
            _ => false,
        })
    }

    /// Appends the block (F-23), and reports where the columns begin and where each ends.
    pub(crate) fn write_block(
        &self,
        out: &mut Vec<u8>,
        settings: Settings,
        ends: &mut dyn FnMut(usize),
    ) {
        self.rows.iter().for_each(|rows| write_varint(out, *rows));
        ends(out.len());
        let rows = |number: usize| self.columns.get(number).map(Rows::from);
        let mut ahead = Ahead::encode(self.columns.len(), rows, settings);
        for (number, column) in self.columns.iter().enumerate() {
            match self.frames.get(number) {
                Some(frame) => column.write_prepared(out, settings, *frame),
                None => ahead.write(number, column, out, settings),
            }
            if !matches!(column, Buffer::None) {
                ends(out.len());
            }
        }
    }
}

/// The error if a type writes rows of another kind than it describes.
#[cold]
pub(super) fn mismatch() -> Error {
    Error::new(Code::BadSource).expected("rows of the type that was described")
}

/// Rows of scalars, from `Columns`.
impl Buffers {
    /// Begins a definition's next row, and returns its number.
    pub(crate) fn new_row(&mut self, definition: usize) -> u64 {
        let row = self.rows[definition];
        self.rows[definition] += 1;
        row
    }

    /// Reserves room for rows of a site.
    pub(crate) fn reserve(&mut self, site: Site, rows: usize) {
        self.column(site).reserve(rows);
    }

    #[inline]
    fn column(&mut self, site: Site) -> &mut Buffer {
        &mut self.columns[site.index()]
    }

    /// Appends a row.
    #[inline]
    pub(crate) fn push<W: FixedRow>(&mut self, site: Site, word: W) -> Result<()> {
        self.words(site)?.put(word);
        Ok(())
    }

    /// Returns the rows of a site, to append some.
    #[inline]
    pub(crate) fn words<W: FixedRow>(&mut self, site: Site) -> Result<&mut Vec<W>> {
        W::rows(self.column(site)).ok_or_else(mismatch)
    }

    /// Appends an integer of the site's kind: its low 64 bits, sign-extended.
    pub(crate) fn bits_of_int(&mut self, site: Site, bits: u64) -> Result<()> {
        match self.column(site) {
            Buffer::Ints8 { rows, .. } => rows.put(bits as u8),
            Buffer::Ints16(_, column) => column.put(bits as u16),
            Buffer::Ints32(_, column) => column.put(bits as u32),
            Buffer::Ints64(_, column) => column.put(bits),
            Buffer::Wide(_, column) => column.push(bits),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    /// Appends numbers of u8, to be written raw if the first ones are.
    pub(crate) fn bytes(&mut self, site: Site, bytes: &[u8]) -> Result<()> {
        match self.column(site) {
            Buffer::Ints8 { kind: IntKind::U8, rows, as_is } => {
                *as_is |= rows.is_empty();
                rows.put_slice(bytes);
            }
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    /// Returns the bytes of packed rows.
    pub(crate) fn packed(&mut self, site: Site) -> Result<&mut Vec<u8>> {
        match self.column(site) {
            Buffer::Packed(_, column) => Ok(column),
            _ => Err(mismatch()),
        }
    }

    pub(crate) fn big(&mut self, site: Site, twos_complement: &[u8]) -> Result<()> {
        match self.column(site) {
            Buffer::Wide(_, column) => column.push_big(twos_complement),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    /// Appends a length or the number of a variant.
    #[inline]
    pub(crate) fn number(&mut self, site: Site, number: u64) -> Result<()> {
        match self.column(site) {
            Buffer::Numbers(column) => column.push(number),
            // A union of one variant has no column.
            Buffer::None => {}
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    /// Returns the lengths or numbers of variants of a site, to append some.
    #[inline]
    pub(crate) fn numbers(&mut self, site: Site) -> Result<&mut NumberBuffer> {
        match self.column(site) {
            Buffer::Numbers(column) => Ok(column),
            _ => Err(mismatch()),
        }
    }

    /// Appends the length or the number of the variant of each value.
    #[inline]
    pub(crate) fn append_numbers<'r, T>(
        &mut self,
        site: Site,
        rows: Refs<'r, T>,
        number: impl Fn(&'r T) -> u64 + Copy,
    ) -> Result<()> {
        let column = self.numbers(site)?;
        match rows.walk() {
            Walk::Strided(rows) => column.extend(rows.map(number)),
            Walk::Gathered(rows) => column.extend(rows.map(number)),
        }
        Ok(())
    }

    /// Appends the text of values.
    #[inline]
    pub(crate) fn texts<'r, T>(
        &mut self,
        site: Site,
        rows: Refs<'r, T>,
        text: impl Fn(&'r T) -> &'r [u8] + Copy,
    ) -> Result<()> {
        match (self.column(site), rows.walk()) {
            (Buffer::Text(column), Walk::Strided(rows)) => column.extend(rows.map(text)),
            (Buffer::Text(column), Walk::Gathered(rows)) => column.extend(rows.map(text)),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn text(&mut self, site: Site, text: &[u8]) -> Result<()> {
        match self.column(site) {
            Buffer::Text(column) => column.push(text),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    /// Appends a tensor; `elements` appends the bytes of its elements.
    pub(crate) fn tensor(
        &mut self,
        site: Site,
        shape: impl IntoIterator<Item = u64>,
        column_major: bool,
        elements: impl FnOnce(&mut Vec<u8>),
    ) -> Result<()> {
        match self.column(site) {
            Buffer::Tensors(rows) => rows.append(shape, column_major, elements),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    pub(crate) fn fixed(&mut self, site: Site, bytes: &[u8]) -> Result<()> {
        match self.column(site) {
            Buffer::Fixed(_, column) => column.put_slice(bytes),
            _ => return Err(mismatch()),
        }
        Ok(())
    }
}
