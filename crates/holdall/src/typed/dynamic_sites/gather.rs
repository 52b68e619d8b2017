//! The rows of sites whose types the values decide, while they are gathered: of [`Value`] inside other types, and of the
//! unknown fields that structs keep. Each site has a shredder of its own, to which its rows are roots.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;

use super::read::ReadValues;
use super::splice::Spliced;
use super::{DynamicRows, DynamicSites, DynamicValues};
use crate::dynamic::{Shredder, Source, rebuilt};
use crate::error::{Code, Error, Result};
use crate::memory::GrowVec;
use crate::message::Written;
use crate::resolution::{Binding, Rest};
use crate::schema::{Fields, Schema, Type};
use crate::typed::buffers::{Buffers, mismatch};
use crate::typed::columns::Columns;
use crate::typed::plan::{Plan, Site};
#[cfg(doc)]
use crate::value::Value;
use crate::value::{Record, emit_fields};

/// After this many failed values the shredders are rebuilt even if nothing is written: there can be any number.
const MOST_FAILURES: usize = 1 << 10;

/// The rows of all such sites of a plan.
#[derive(Default)]
pub(super) struct ValueRows {
    /// By the numbers of the plan's types that values decide.
    pub(super) values: Vec<Shredder>,
    /// By the numbers of the plan's structs that keep unknown fields.
    pub(super) unknown: Vec<UnknownRows>,
    /// How many values failed since the shredders last held nothing of failed values.
    failures: usize,
}

/// The unknown fields of the rows of a struct.
#[derive(Default)]
pub(super) struct UnknownRows {
    /// Each row as a struct of its own, once one has unknown fields.
    pub(super) shredder: Option<Box<Shredder>>,
    /// How many rows began before that.
    before: usize,
    /// The rows that began and have not ended: those of a recursive type nest, and the unknown fields are their last.
    open: Vec<usize>,
    /// Whether that was within the current root.
    is_new: bool,
    /// The last names that were compared with those of the struct.
    compared: Option<Arc<[Arc<str>]>>,
}

/// The code for all types.
#[derive(Debug)]
pub(in crate::typed) struct ByValues;

impl DynamicSites for ByValues {
    fn rows(&self, plan: &Plan) -> Box<dyn DynamicRows> {
        Box::new(ValueRows {
            values: plan.values.iter().map(|_| Shredder::default()).collect(),
            unknown: plan.unknown.iter().map(|_| UnknownRows::default()).collect(),
            failures: 0,
        })
    }

    fn values(&self, plan: &Plan) -> Box<dyn DynamicValues> {
        Box::new(ReadValues::of(plan))
    }

    fn bound(
        &self,
        plan: &Plan,
        binding: &Binding,
        writer: &Schema,
        rest: Rest<'_>,
    ) -> Result<Box<dyn DynamicValues>> {
        Ok(Box::new(ReadValues::bound(plan, binding, writer, rest)?))
    }
}

impl ValueRows {
    pub(super) fn shredders(&self) -> impl Iterator<Item = &Shredder> {
        let unknown = self.unknown.iter().filter_map(|of| of.shredder.as_deref());
        self.values.iter().chain(unknown)
    }

    fn shredders_mut(&mut self) -> impl Iterator<Item = &mut Shredder> {
        let unknown = self.unknown.iter_mut().filter_map(|of| of.shredder.as_deref_mut());
        self.values.iter_mut().chain(unknown)
    }
}

impl DynamicRows for ValueRows {
    fn decide(&self) -> bool {
        !self.values.is_empty() || self.unknown.iter().any(|of| of.shredder.is_some())
    }

    fn written(
        &self,
        plan: &Plan,
        typed: &Buffers,
        with: &mut dyn FnMut(&Schema, &dyn Written) -> Result<()>,
    ) -> Result<()> {
        let spliced = Spliced::of(plan, typed, self)?;
        with(&spliced.schema, &spliced)
    }

    fn clear(&mut self) {
        self.values.iter_mut().for_each(Shredder::forget);
        self.unknown.iter_mut().for_each(|of| *of = UnknownRows::default());
        self.failures = 0;
    }

    fn clear_rows(&mut self) {
        self.shredders_mut().for_each(Shredder::clear_rows);
        self.unknown.iter_mut().for_each(|of| of.before = 0);
    }

    fn begin_root(&mut self) {
        self.shredders_mut().for_each(Shredder::mark_rows);
        self.unknown.iter_mut().for_each(|of| of.is_new = false);
    }

    fn cut(&mut self, plan: &Plan, rows: &[u64]) {
        // The rows are in memory, so their number fits.
        for (shredder, id) in self.values.iter_mut().zip(&plan.values) {
            shredder.cut_root(rows[*id] as usize);
        }
        for (own, id) in self.unknown.iter_mut().zip(&plan.unknown) {
            own.open.clear();
            match &mut own.shredder {
                Some(shredder) if !own.is_new => shredder.cut_root(rows[*id] as usize),
                _ => *own = UnknownRows { before: rows[*id] as usize, ..UnknownRows::default() },
            }
        }
        self.failures += 1;
    }

    fn forget_failures(&mut self, is_last: bool) -> Result<()> {
        if self.failures == 0 || !is_last && self.failures < MOST_FAILURES {
            return Ok(());
        }
        self.failures = 0;
        self.shredders_mut().try_for_each(|shredder| {
            *shredder = match shredder.roots() {
                0 => Shredder::default(),
                roots => rebuilt(shredder, roots as u64)?,
            };
            Ok(())
        })
    }

    fn size(&self) -> usize {
        self.shredders().map(Shredder::size).sum()
    }
}

impl UnknownRows {
    fn begin(&mut self) {
        self.open.put(match &mut self.shredder {
            Some(shredder) => shredder.begin_object(),
            None => {
                self.before += 1;
                self.before - 1
            }
        });
    }

    fn end(&mut self, fields: &Record, own: &Fields, canonical: bool) -> Result<()> {
        let row = self.open.pop().ok_or_else(mismatch)?;
        if self.shredder.is_none() {
            if fields.keys().is_empty() {
                return Ok(());
            }
            let (mut shredder, none) = (Box::<Shredder>::default(), Record::default());
            for _ in 0..self.before {
                shredder.begin_object();
            }
            // Those that have not ended are in ascending order.
            let has_ended = |at: &usize| *at != row && self.open.binary_search(at).is_err();
            let mut ended = (0..self.before).filter(has_ended);
            ended.try_for_each(|row| emit_fields(row, &none, &mut shredder))?;
            (self.shredder, self.is_new) = (Some(shredder), true);
        }
        self.compare(fields.keys(), own)?;
        let Some(shredder) = &mut self.shredder else { return Ok(()) };
        shredder.set_canonical(canonical);
        emit_fields(row, fields, shredder)
    }

    /// Checks that the struct has no field of these names. Rows of one shape share their names.
    fn compare(&mut self, names: &Arc<[Arc<str>]>, own: &Fields) -> Result<()> {
        if self.compared.as_ref().is_some_and(|compared| Arc::ptr_eq(compared, names)) {
            return Ok(());
        }
        let is_own = |name: &&Arc<str>| own.fields.iter().any(|(own, _)| own == *name);
        if let Some(name) = names.iter().find(is_own) {
            return Err(Error::new(Code::DuplicateKey)
                .expected("unknown fields of other names than those of the type")
                .got(format!("{name:?}")));
        }
        self.compared = Some(Arc::clone(names));
        Ok(())
    }
}

impl Columns<'_> {
    fn value_rows(&mut self) -> Result<&mut ValueRows> {
        let rows: &mut dyn Any = self.buffers.values.as_deref_mut().ok_or_else(mismatch)?;
        rows.downcast_mut().ok_or_else(mismatch)
    }

    /// Writes the next row of a site whose type the values decide.
    ///
    /// # Errors
    /// Those of the source; `bad_source` at another site.
    pub(crate) fn value(&mut self, site: Site, value: &mut impl Source) -> Result<()> {
        let number = self.plan.value_site(site).ok_or_else(mismatch)?;
        let canonical = self.orders.is_some();
        let shredder = &mut self.value_rows()?.values[number];
        shredder.begin_value();
        shredder.set_canonical(canonical);
        // A path would be relative to the value.
        value.drive(shredder).map_err(Error::unplaced)
    }

    /// Begins the next row of a struct or record that keeps unknown fields.
    ///
    /// # Errors
    /// `bad_source` for another type.
    #[doc(hidden)]
    pub fn begin_unknown(&mut self, site: Site) -> Result<()> {
        let number = self.plan.unknown.binary_search(&site.index()).map_err(|_| mismatch())?;
        self.value_rows()?.unknown[number].begin();
        Ok(())
    }

    /// Writes the unknown fields of the row that began last, behind its own.
    ///
    /// # Errors
    /// `duplicate_key` if the type has a field of such a name, those of the values; `bad_source` for another type.
    #[doc(hidden)]
    pub fn unknown(&mut self, site: Site, fields: &Record) -> Result<()> {
        let (Type::Struct(_, own) | Type::Record(own)) = self.plan.ty(site) else {
            return Err(mismatch());
        };
        let number = self.plan.unknown.binary_search(&site.index()).map_err(|_| mismatch())?;
        let canonical = self.orders.is_some();
        self.value_rows()?.unknown[number].end(fields, own, canonical).map_err(Error::unplaced)
    }
}
