//! Writes logical values, extensions and members of enums in their stored form.

use std::sync::Arc;

use holdall::Result;
use holdall::bindings::memory::GrowVec;
use holdall::events::{Event, RowId, Sink};

use crate::coding::Target;
use crate::nesting::beyond;
use crate::refuse;

/// Passes events on to a target. For logical values and extensions that the target lacks, it passes only the events of their contents;
/// for variants without a payload, their names.
pub(crate) struct Stored<'t, T> {
    target: &'t mut T,
    /// For each open container, whether its beginning was skipped.
    left_out: Vec<bool>,
    /// A variant whose payload follows.
    variant: Option<Arc<str>>,
    /// How many more may be skipped. They write nothing, and copies of a few nested ones can be very many.
    left: usize,
    limit: usize,
}

impl<'t, T: Target> Stored<'t, T> {
    /// Skips at most `limit` beginnings.
    pub(crate) fn new(target: &'t mut T, limit: usize) -> Self {
        Stored { target, left_out: Vec::new(), variant: None, left: limit, limit }
    }

    fn leave_out(&mut self) -> Result<()> {
        self.left = self.left.checked_sub(1).ok_or_else(|| beyond(self.limit))?;
        Ok(())
    }
}

impl<T: Target> Sink for Stored<'_, T> {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        if let Some(variant) = self.variant.take() {
            return match event {
                Event::Null => self.target.event(Event::String(&variant)),
                _ => Err(refuse::event(Event::Variant(&variant))),
            };
        }
        let is_left_out = match event {
            Event::Variant(name) => {
                self.variant = Some(Arc::clone(name));
                true
            }
            Event::Logical(ty) => !self.target.holds(ty),
            Event::Extension(name) => !self.target.holds_extension(name),
            Event::List(_) | Event::Tuple(_) | Event::Array(_) | Event::Map(_) => false,
            Event::Record(_) | Event::Struct(..) => false,
            Event::End if self.left_out.pop() == Some(true) => return Ok(()),
            _ => return self.target.event(event),
        };
        self.left_out.put(is_left_out);
        if is_left_out { self.leave_out() } else { self.target.event(event) }
    }

    fn refers(&self, row: RowId) -> bool {
        self.target.refers(row)
    }

    fn ints(&mut self, values: &[u64]) -> Result<()> {
        self.target.ints(values)
    }
}

impl<T: Target> Target for Stored<'_, T> {
    fn map_of_names(&mut self, len: usize) -> Result<()> {
        if let Some(variant) = self.variant.take() {
            return Err(refuse::event(Event::Variant(&variant)));
        }
        self.left_out.put(false);
        self.target.map_of_names(len)
    }
}
