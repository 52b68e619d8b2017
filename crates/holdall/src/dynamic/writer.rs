//! Writes shredded columns in the order of the layout, as a block (F-23, F-24).

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::Shredder;
use super::layout::{Layout, LayoutStep, SHAPES};
use super::records::RecordType;
use super::row_types::RowBody;
use super::sites::ShreddedSite;
use super::variants::RowVariant;
use crate::column::ahead::{Ahead, Rows};
use crate::column::pieces::Apart;
use crate::column::{Settings, bits, ints, tensors};
use crate::error::Result;
use crate::limits::beyond_output;
use crate::memory::{self, GrowVec};
use crate::message::Written;
use crate::number::IntKind;
use crate::schema::Schema;

/// As [`Shredder::size`] counts, a row takes at least an eighth of a byte. Reading charges at most 16 units for a row that takes no
/// memory, and otherwise at most 64 units for each of its bytes. So no default budget is too small for data below this size (F-39).
const SURELY_ENOUGH: usize = (1 << 26) / (128 + 64);

/// Shredded data, and its layout.
struct Shredded<'w> {
    rows: SourceRows<'w>,
    layout: &'w Layout,
    most_units: u64,
}

enum SourceRows<'w> {
    Kept(&'w Shredder),
    /// Each column is released once it is written, so that columns and output are never in memory together.
    Consumed(Box<RefCell<Shredder>>, Option<&'w RefCell<Apart>>),
}

impl Written for Shredded<'_> {
    fn definitions(&self) -> usize {
        self.layout.definitions
    }

    fn write_schema(&self, out: &mut Vec<u8>) {
        self.layout.write_schema(out, self.layout.definitions > 0);
    }

    fn fingerprint(&self) -> u64 {
        self.layout.fingerprint()
    }

    fn self_contained(&self) -> Cow<'_, [u8]> {
        self.layout.self_contained().into()
    }

    fn wants_alignment(&self) -> bool {
        match &self.rows {
            SourceRows::Kept(shredder) => shredder.wants_alignment(),
            SourceRows::Consumed(shredder, _) => shredder.borrow().wants_alignment(),
        }
    }

    fn most_units(&self, _roots: u64) -> u64 {
        self.most_units
    }

    fn schema(&self) -> Result<Schema> {
        self.layout.to_schema()
    }

    fn write_block(
        &self,
        out: &mut Vec<u8>,
        settings: Settings,
        limit: usize,
        ends: &mut dyn FnMut(usize),
    ) -> Result<()> {
        match &self.rows {
            SourceRows::Kept(shredder) => {
                let mut ahead = shredder.encode_ahead(self.layout.steps(), settings);
                self.layout.write_rows(shredder, out, ends);
                self.layout.write_steps(out, limit, ends, |number, step, out| {
                    match shredder.rows_apart(step) {
                        Some(rows) => ahead.write(number, rows, out, settings),
                        None => shredder.write_step(step, out, settings),
                    }
                    shredder.has_columns(step)
                })
            }
            SourceRows::Consumed(shredder, apart) => {
                let shredder = &mut *shredder.borrow_mut();
                let mut apart = apart.map(RefCell::borrow_mut);
                // Columns are rarely larger encoded than in memory.
                let held: usize = shredder.sites.iter().map(ShreddedSite::held).sum();
                let _ = out.try_reserve(held.min(limit.saturating_sub(out.len())));
                let mut ahead = shredder.encode_ahead(self.layout.steps(), settings);
                self.layout.write_rows(shredder, out, ends);
                self.layout.write_steps(out, limit, ends, |number, step, out| {
                    let behind = apart.as_ref().map_or(0, |apart| apart.len());
                    match (shredder.rows_apart(step), &mut apart) {
                        (Some(rows), _) if ahead.has(number) => {
                            ahead.write(number, rows, out, settings.behind(behind));
                        }
                        (_, Some(apart)) => shredder.write_apart(step, out, settings, apart),
                        (_, None) => shredder.write_step(step, out, settings),
                    }
                    shredder.release(step);
                    shredder.has_columns(step)
                })?;
                let all = out.len() + apart.map_or(0, |apart| apart.len());
                if all > limit { Err(beyond_output(limit)) } else { Ok(()) }
            }
        }
    }
}

impl Shredder {
    /// Borrows the shredded data, of this size, to write it in this layout.
    pub(crate) fn written<'w>(&'w self, layout: &'w Layout, size: usize) -> impl Written + use<'w> {
        Shredded { rows: SourceRows::Kept(self), layout, most_units: self.most_units(size) }
    }

    /// Takes the shredded data to write it in this layout, and releases columns while writing. Large payloads go to `apart`,
    /// if given.
    pub(crate) fn consumed<'w>(
        self,
        layout: &'w Layout,
        size: usize,
        apart: Option<&'w RefCell<Apart>>,
    ) -> impl Written + use<'w> {
        let most_units = self.most_units(size);
        let rows = SourceRows::Consumed(Box::new(RefCell::new(self)), apart);
        Shredded { rows, layout, most_units }
    }

    /// Bounds what reading charges (F-26). A row at a site costs 8 units for each of presence, variant, the row itself and its
    /// field number. A row of a row type costs 8 for itself and 8 for its use. Column contents are charged decompressed.
    fn most_units(&self, size: usize) -> u64 {
        if size <= SURELY_ENOUGH { 0 } else { self.units(size) }
    }

    /// The same, for data that others follow in the block.
    pub(crate) fn units(&self, size: usize) -> u64 {
        let of_sites: usize = self.sites.iter().map(|site| 32 * site.row_count() + 64).sum();
        let of_row_types: usize = self.row_types.iter().map(|own| 16 * own.rows + 64).sum();
        (of_sites + of_row_types + 3 * size) as u64
    }

    /// Whether some tensor's elements take 4,096 bytes or more.
    pub(crate) fn wants_alignment(&self) -> bool {
        self.row_types.iter().any(|row_type| match &row_type.body {
            RowBody::Tensor(_, rows) => rows.wants_alignment(),
            _ => false,
        })
    }

    /// Whether a step's types have columns of their own (F-86).
    pub(crate) fn has_columns(&self, step: &LayoutStep) -> bool {
        let LayoutStep::Rows(row_type) = *step else { return true };
        match &self.row_types[row_type].body {
            RowBody::List { .. } | RowBody::Map { .. } | RowBody::Tensor(..) => true,
            RowBody::NamedUnion { payloads, .. } => payloads.len() > 1,
            RowBody::Record(record) | RowBody::Struct(_, record) => record.shapes().len() > 1,
            RowBody::Array { .. }
            | RowBody::Tuple { .. }
            | RowBody::Undecided
            | RowBody::Wrapped(..) => false,
        }
    }

    /// Releases the rows of a written step.
    fn release(&mut self, step: &LayoutStep) {
        match *step {
            // The tags hold both presence and variants, so release them only after the latter.
            LayoutStep::Presence(site) if self.sites[site].variants.len() > 1 => {}
            LayoutStep::Presence(site) | LayoutStep::Which(site) => self.sites[site].release_tags(),
            LayoutStep::Column(site, variant) => self.sites[site].variants[variant].release(),
            LayoutStep::Rows(row_type) => self.row_types[row_type].release(),
        }
    }

    /// Returns the rows of a step that can be encoded apart: scalars, tensors.
    pub(crate) fn rows_apart(&self, step: &LayoutStep) -> Option<Rows<'_>> {
        match *step {
            LayoutStep::Column(site, variant) => match &self.sites[site].variants[variant] {
                RowVariant::Column(column) => Some(column.into()),
                RowVariant::Row(_) => None,
            },
            LayoutStep::Rows(row_type) => match &self.row_types[row_type].body {
                RowBody::Tensor(_, rows) => Some(Rows::Tensors(rows)),
                _ => None,
            },
            _ => None,
        }
    }

    fn encode_ahead(&self, steps: &[LayoutStep], settings: Settings) -> Ahead {
        Ahead::encode(steps.len(), |number| self.rows_apart(&steps[number]), settings)
    }

    /// As [`Shredder::write_step`], but large payloads go to `apart`.
    fn write_apart(
        &mut self,
        step: &LayoutStep,
        out: &mut Vec<u8>,
        settings: Settings,
        apart: &mut Apart,
    ) {
        let settings = settings.behind(apart.len());
        match *step {
            LayoutStep::Column(site, variant) => {
                if let RowVariant::Column(column) = &mut self.sites[site].variants[variant] {
                    return column.write_apart(out, settings, apart);
                }
            }
            LayoutStep::Rows(row_type) => {
                if let RowBody::Tensor(_, rows) = &self.row_types[row_type].body {
                    return tensors::write(out, rows, settings, Some(apart));
                }
            }
            LayoutStep::Presence(_) | LayoutStep::Which(_) => {}
        }
        self.write_step(step, out, settings);
    }

    pub(crate) fn write_step(&self, step: &LayoutStep, out: &mut Vec<u8>, settings: Settings) {
        self.write_behind(step, 0, out, settings);
    }

    /// Writes a step. Of a record or struct, as many other fields are the first of each row.
    pub(crate) fn write_behind(
        &self,
        step: &LayoutStep,
        others: usize,
        out: &mut Vec<u8>,
        settings: Settings,
    ) {
        match *step {
            LayoutStep::Presence(site) => bits::write(out, &self.sites[site].presence(), settings),
            LayoutStep::Which(site) => {
                ints::write_words(out, IntKind::U64, &self.sites[site].which(), settings);
            }
            LayoutStep::Column(site, variant) => match &self.sites[site].variants[variant] {
                RowVariant::Column(column) => column.write(out, settings),
                RowVariant::Row(uses) => ints::write_u64(out, &uses.references(), settings),
            },
            LayoutStep::Rows(row_type) => match &self.row_types[row_type].body {
                RowBody::List { lengths, .. } | RowBody::Map { lengths, .. } => {
                    ints::write_u64(out, lengths, settings);
                }
                RowBody::NamedUnion { which, payloads, .. } if payloads.len() > 1 => {
                    ints::write_u64(out, which, settings);
                }
                RowBody::Record(record) | RowBody::Struct(_, record) => {
                    write_shapes(out, record, others, settings);
                }
                RowBody::Tensor(_, rows) => tensors::write(out, rows, settings, None),
                RowBody::Array { .. }
                | RowBody::Tuple { .. }
                | RowBody::NamedUnion { .. }
                | RowBody::Undecided
                | RowBody::Wrapped(..) => {}
            },
        }
    }
}

/// Writes the shapes of a record's rows (F-31), which begin with as many other fields.
fn write_shapes(out: &mut Vec<u8>, record: &RecordType, others: usize, settings: Settings) {
    let shapes = record.shapes();
    // All numbers are below the limits on fields or shapes (F-49, F-52, F-53), so they fit.
    let mut numbers = |numbers: Vec<u16>| ints::write_words(out, IntKind::U64, &numbers, settings);
    match shapes.len() {
        0 | 1 => {}
        2..=SHAPES => numbers(memory::collected(record.row_shapes().map(|shape| shape as u16))),
        _ => {
            let fields = || record.row_fields();
            let others = others as u16;
            numbers(memory::collected(fields().map(|fields| others + fields.len() as u16)));
            let len = |fields: &[u16]| usize::from(others) + fields.len();
            let mut all = memory::with_capacity(fields().map(len).sum());
            fields().for_each(|fields| {
                all.put_each(0..others);
                all.put_each(fields.iter().map(|field| others + field));
            });
            numbers(all);
        }
    }
}
