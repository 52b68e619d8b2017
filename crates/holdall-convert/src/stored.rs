//! Writes logical values, extensions and variants in their stored form.

use std::mem::take;
use std::sync::Arc;

use holdall::bindings::memory::GrowVec;
use holdall::events::{Event, RowId, Sink};
use holdall::{LogicalType, Result};

use crate::coding::Target;
use crate::nesting::beyond;

/// Passes events on to a target. A variant without a payload becomes its name, one with a payload a map with one entry, as serde's
/// formats have them.
pub(crate) struct Stored<'t, T> {
    target: &'t mut T,
    /// Whether of logical values and extensions that the target lacks only the events of their contents are passed.
    storage: bool,
    /// Whether chars become text.
    like_serde: bool,
    /// Whether variants without a payload come by [`Target::unit_variant`]. A message shows both as those of null.
    shows_units: bool,
    /// For each open container, whether its beginning was skipped.
    left_out: Vec<bool>,
    /// A variant whose payload comes next.
    variant: Option<Arc<str>>,
    /// Whether the number of a char comes next.
    is_char: bool,
    /// How many more may be skipped. They write nothing, and copies of a few nested ones can be very many.
    left: usize,
    limit: usize,
}

impl<'t, T: Target> Stored<'t, T> {
    /// Skips at most `limit` beginnings.
    pub(crate) fn new(target: &'t mut T, storage: bool, like_serde: bool, limit: usize) -> Self {
        let (left_out, variant, is_char) = (Vec::new(), None, false);
        let shows_units = false;
        Stored {
            target,
            storage,
            like_serde,
            shows_units,
            left_out,
            variant,
            is_char,
            left: limit,
            limit,
        }
    }

    pub(crate) fn shows_units(self, shows_units: bool) -> Self {
        Stored { shows_units, ..self }
    }

    fn leave_out(&mut self) -> Result<()> {
        self.left = self.left.checked_sub(1).ok_or_else(|| beyond(self.limit))?;
        Ok(())
    }

    /// Begins the map of a variant that has a payload.
    fn begin_payload(&mut self) -> Result<()> {
        let Some(variant) = self.variant.take() else { return Ok(()) };
        // Its end is that of the variant.
        if let Some(is_left_out) = self.left_out.last_mut() {
            *is_left_out = false;
        }
        self.target.map_of_names(1)?;
        self.target.event(Event::String(&variant))
    }
}

impl<T: Target> Sink for Stored<'_, T> {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        if matches!(event, Event::Null)
            && !self.shows_units
            && let Some(variant) = self.variant.take()
        {
            return self.target.event(Event::String(&variant));
        }
        self.begin_payload()?;
        if take(&mut self.is_char)
            && let Event::FixedInt(_, number) = event
            && let Some(char) = u32::try_from(number).ok().and_then(char::from_u32)
        {
            return self.target.event(Event::String(char.encode_utf8(&mut [0; 4])));
        }
        let is_left_out = match event {
            Event::Variant(name) => {
                self.variant = Some(Arc::clone(name));
                true
            }
            Event::Logical(ty) if self.like_serde && ty.kind() == LogicalType::CHAR => {
                self.is_char = true;
                true
            }
            Event::Logical(ty) => self.storage && !self.target.holds(ty),
            Event::Extension(name) => self.storage && !self.target.holds_extension(name),
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
        self.begin_payload()?;
        self.left_out.put(false);
        self.target.map_of_names(len)
    }

    fn unit_struct(&mut self) -> Result<()> {
        self.begin_payload()?;
        self.target.unit_struct()
    }

    fn unit_variant(&mut self, name: &str) -> Result<()> {
        self.begin_payload()?;
        self.target.unit_variant(name)
    }
}
