//! Sites whose types the values decide: of [`Value`](crate::Value) inside other types, and of the unknown fields that structs keep.
//!
//! The description of such a type brings the code as a trait object: a program without such types contains nothing of it.

mod gather;
mod read;
mod splice;

use alloc::boxed::Box;
use core::any::Any;
use core::fmt::Debug;

use super::buffers::Buffers;
use super::plan::Plan;
use crate::dynamic::{Event, RowId};
use crate::error::Result;
use crate::message::Written;
use crate::resolution::{Binding, Rest};
use crate::schema::Schema;

/// Makes what gathers the rows of such sites, and what reads them.
pub(crate) trait DynamicSites: Debug + Sync {
    /// Makes memory for the rows of a plan that are written.
    fn rows(&self, plan: &Plan) -> Box<dyn DynamicRows>;

    /// Makes memory for the values of a plan that are read.
    fn values(&self, plan: &Plan) -> Box<dyn DynamicValues>;

    /// Reads the values from what is left of a block of another schema once its columns were used as those of the plan.
    fn bound(
        &self,
        plan: &Plan,
        binding: &Binding,
        writer: &Schema,
        rest: Rest<'_>,
    ) -> Result<Box<dyn DynamicValues>>;
}

/// The rows of all such sites of a plan, while they are gathered.
pub(crate) trait DynamicRows: Any + Send + Sync {
    /// Whether the values decide the schema.
    fn decide(&self) -> bool;

    /// Calls a function with the schema and the rows of all sites of the plan.
    fn written(
        &self,
        plan: &Plan,
        typed: &Buffers,
        with: &mut dyn FnMut(&Schema, &dyn Written) -> Result<()>,
    ) -> Result<()>;

    /// Drops everything.
    fn clear(&mut self);

    /// Drops the rows, and keeps the inferred types.
    fn clear_rows(&mut self);

    /// Begins a root of the typed values.
    fn begin_root(&mut self);

    /// Drops the rows of the current root, before which each type of the plan had as many rows.
    fn cut(&mut self, plan: &Plan, rows: &[u64]);

    /// Drops the names and types of failed values, which would enter the schema: at once, or if there are many.
    fn forget_failures(&mut self, is_last: bool) -> Result<()>;

    /// Returns about how many bytes the rows take in memory.
    fn size(&self) -> usize;
}

/// The values of all such sites of a plan, read from another schema and not taken yet.
pub(crate) trait DynamicValues: Any {
    /// Begins the next value of a site, by the number of the site.
    fn begin(&mut self, number: usize);

    /// Passes an event to the value that began last. Returns whether it is complete.
    fn event(&mut self, event: Event<'_>) -> Result<bool>;

    /// Whether that value has a part with this identity.
    fn knows(&self, row: RowId) -> bool;

    /// Returns how many values of a site were taken, by the number of the site.
    fn taken(&self, number: usize) -> usize;

    /// Returns the same values, to be taken once more.
    fn copied(&self) -> Box<dyn DynamicValues>;
}

/// Those of a plan; none if it has no such sites, or they have no rows.
pub(super) type OptionalValues = Option<Box<dyn DynamicValues>>;

pub(super) use gather::ByValues;
