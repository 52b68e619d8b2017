//! The values of such sites that are read: only data of another schema have some.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use core::mem::take;

use super::DynamicValues;
use crate::dynamic::{Event, RowId, Sink};
use crate::error::Result;
use crate::memory::GrowVec;
use crate::resolution::{Binding, Rest};
use crate::schema::Schema;
use crate::typed::buffers::mismatch;
use crate::typed::plan::{Plan, Site};
use crate::typed::rows::Rows;
use crate::value::{Record, Value, ValueBuilder};

/// The values of each site, by its number.
pub(super) struct ReadValues {
    sites: Vec<SiteValues>,
    /// The site of the value that is open.
    open: usize,
    builder: ValueBuilder,
}

#[derive(Clone, Default)]
struct SiteValues {
    all: Vec<Value>,
    /// How many were taken.
    taken: usize,
}

impl ReadValues {
    pub(super) fn of(plan: &Plan) -> ReadValues {
        let sites = plan.values.iter().map(|_| SiteValues::default()).collect();
        ReadValues { sites, open: 0, builder: ValueBuilder::new() }
    }

    pub(super) fn bound(
        plan: &Plan,
        binding: &Binding,
        writer: &Schema,
        rest: Rest<'_>,
    ) -> Result<ReadValues> {
        let mut values = ReadValues::of(plan);
        let mut builder = ValueBuilder::new();
        binding.emit_any(writer, rest, &mut builder, |builder, id| {
            let number = plan.values.binary_search(&id).map_err(|_| mismatch())?;
            values.sites[number].all.put(take(builder).finish()?);
            Ok(())
        })?;
        Ok(values)
    }
}

impl DynamicValues for ReadValues {
    fn begin(&mut self, number: usize) {
        (self.open, self.builder) = (number, ValueBuilder::new());
    }

    fn event(&mut self, event: Event<'_>) -> Result<bool> {
        self.builder.event(event)?;
        let is_complete = self.builder.is_complete();
        if is_complete {
            self.sites[self.open].all.put(take(&mut self.builder).finish()?);
        }
        Ok(is_complete)
    }

    fn knows(&self, row: RowId) -> bool {
        self.builder.knows(row)
    }

    fn taken(&self, number: usize) -> usize {
        self.sites[number].taken
    }

    fn copied(&self) -> Box<dyn DynamicValues> {
        // None is open between values.
        let (sites, builder) = (self.sites.clone(), ValueBuilder::new());
        Box::new(ReadValues { sites, open: 0, builder })
    }
}

impl Rows<'_, '_> {
    /// Takes the next value of a site whose type the values decide.
    pub(crate) fn value(&mut self, site: Site) -> Result<Value> {
        self.next_value(site).ok_or_else(mismatch)
    }

    fn next_value(&mut self, site: Site) -> Option<Value> {
        let number = self.plan.value_site(site)?;
        let values: &mut dyn Any = self.values.as_deref_mut()?;
        let SiteValues { all, taken } =
            values.downcast_mut::<ReadValues>()?.sites.get_mut(number)?;
        *taken += 1;
        all.get_mut(*taken - 1).map(take)
    }

    /// Returns the site of the unknown fields of a struct or record with as many fields of its own. Only data of another schema
    /// have some.
    #[doc(hidden)]
    #[must_use]
    pub fn unknown_site(&self, site: Site, own: usize) -> Option<Site> {
        self.plan.is_lenient.then(|| self.plan.child(site, own))
    }

    /// Takes the unknown fields of the next row.
    #[doc(hidden)]
    #[must_use]
    pub fn unknown(&mut self, site: Option<Site>) -> Record {
        // Without any, entire columns may be used as they are.
        match site.and_then(|site| self.next_value(site)) {
            Some(Value::Record(fields)) => fields,
            _ => Record::default(),
        }
    }
}
