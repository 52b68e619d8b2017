//! Handles of open containers, the only way to begin, fill and end rows.
//!
//! Every value fills a slot. [`Shredder::take_slot`] returns the slot of the root or of the next item of an event walk; a handle
//! returns the slots inside its container. [`Shredder::at`] places a scalar. `Shredder::open_list` and its siblings open a
//! container and return its handle; [`Container::slot`] returns one slot after another, and [`Container::close`] ends the row:
//!
//! ```text
//! list = open_list(slot); for each item { place it at list.slot() }; list.close()
//! ```
//!
//! Events are an adapter over this: a stack of handles. A source that walks recursively keeps the handles itself. At any point it
//! can push them on the stack, the outermost first ([`Shredder::resume`]), and send the rest as events.

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::{Row, Shredder, bad_source};
use crate::dynamic::records::START;
use crate::dynamic::row_types::RowTypeId;
use crate::dynamic::sites::{ShreddedSite, SiteId};
use crate::error::{Error, Result};
use crate::schema::Scalar;

/// An open container.
pub trait Container: Into<Handle> {
    /// Returns the slot of the next value. Fill it, or return it with [`Shredder::return_slot`].
    ///
    /// # Errors
    /// `bad_source` if the container has no more slots.
    fn slot(&mut self, shredder: &mut Shredder) -> Result<usize>;

    /// Ends the container.
    ///
    /// # Errors
    /// `bad_source` if values are missing.
    fn close(self, shredder: &mut Shredder) -> Result<()>;
}

/// The handle of any container.
#[must_use = "a container has to be closed or resumed"]
pub enum Handle {
    /// A list, or a tuple of many items.
    List(ListHandle),
    /// A record, object of known fields, or tuple.
    Row(RowHandle),
    /// A map with keys of any type.
    Map(MapHandle),
    /// A mapping with string keys that became a map.
    KeyedMap(KeyedMapHandle),
    /// An object whose fields come one by one.
    Struct(StructHandle),
    /// An array of fixed length.
    Array(ArrayHandle),
    /// A variant of a named union.
    Variant(VariantHandle),
    /// A logical value or extension.
    Wrapped(WrappedHandle),
    /// Not a container: a returned slot.
    Slot(SiteId),
}

/// An open list.
#[must_use = "a container has to be closed or resumed"]
pub struct ListHandle {
    pub(super) row_type: RowTypeId,
    pub(super) row: usize,
    pub(super) item: SiteId,
    pub(super) len: u64,
}

/// An open record, object or tuple. Its slots are among the shredder's members.
#[must_use = "a container has to be closed or resumed"]
pub struct RowHandle {
    pub(super) next: usize,
    pub(super) first: usize,
    end: usize,
    /// Whether no other row has these members.
    is_loose: bool,
}

/// An open map, which takes keys and values in turn.
#[must_use = "a container has to be closed or resumed"]
pub struct MapHandle {
    pub(super) row_type: RowTypeId,
    pub(super) row: usize,
    pub(super) key: SiteId,
    pub(super) value: SiteId,
    pub(super) len: u64,
    pub(super) on_value: bool,
}

/// An open mapping that became a map; its keys were passed at its start.
#[must_use = "a container has to be closed or resumed"]
pub struct KeyedMapHandle {
    pub(super) row_type: RowTypeId,
    pub(super) row: usize,
    pub(super) key: SiteId,
    pub(super) value: SiteId,
    pub(super) len: u64,
    pub(super) keys: alloc::vec::IntoIter<Box<str>>,
}

/// An open object, and the slot of the last named field until that is filled.
#[must_use = "a container has to be closed or resumed"]
pub struct StructHandle {
    pub(super) fields: FieldCursor,
    pub(super) slot: Option<SiteId>,
    /// The names, if all were passed at the start, and how many are used.
    pub(super) keys: Option<(Arc<[Arc<str>]>, usize)>,
}

/// A row of a struct, and its state in the trie of its type's fields.
#[derive(Clone, Copy)]
pub(super) struct FieldCursor {
    pub(super) row_type: RowTypeId,
    pub(super) row: usize,
    pub(super) state: u32,
}

impl FieldCursor {
    pub(super) fn new(row_type: RowTypeId, row: usize) -> FieldCursor {
        FieldCursor { row_type, row, state: START }
    }
}

/// An open array.
#[must_use = "a container has to be closed or resumed"]
pub struct ArrayHandle {
    pub(super) item: SiteId,
    pub(super) len: usize,
    pub(super) left: usize,
}

/// An open variant of a named union: the site of its payload, and whether the payload is missing.
#[must_use = "a container has to be closed or resumed"]
pub struct VariantHandle {
    pub(super) payload: SiteId,
    pub(super) is_due: bool,
}

/// An open logical value or extension: its row, the site inside, and whether the value inside is missing.
#[must_use = "a container has to be closed or resumed"]
pub struct WrappedHandle {
    pub(super) row: Option<Row>,
    pub(super) inside: SiteId,
    pub(super) is_due: bool,
}

// These methods borrow only the parts of the shredder that they need, so that they also work for a handle on its own stack.

impl ListHandle {
    #[inline]
    pub(super) fn next(&mut self) -> SiteId {
        self.len += 1;
        self.item
    }

    /// Appends several items, as [`Shredder::ints`].
    pub fn ints(&mut self, shredder: &mut Shredder, values: &[u64]) {
        self.len += values.len() as u64;
        shredder.sites[self.item].ints(values);
    }

    /// Appends several items, as [`Shredder::strings`].
    pub fn strings<'t>(&mut self, shredder: &mut Shredder, values: impl Iterator<Item = &'t str>) {
        let values = values.map(str::as_bytes);
        self.len += shredder.sites[self.item].texts(Scalar::String, values) as u64;
    }

    /// Appends several items, as [`Shredder::floats`].
    pub fn floats(&mut self, shredder: &mut Shredder, values: &[f64]) {
        self.len += values.len() as u64;
        shredder.sites[self.item].floats(values);
    }
}

impl RowHandle {
    /// Makes the handle of a row whose slots are `len` members from `first` on.
    pub(super) fn of(first: usize, len: usize) -> RowHandle {
        RowHandle { next: first, first, end: first + len, is_loose: false }
    }

    /// Makes the handle of a row whose slots were just appended to the members, for it alone.
    pub(super) fn of_loose(first: usize, len: usize) -> RowHandle {
        RowHandle { is_loose: true, ..RowHandle::of(first, len) }
    }

    #[inline]
    pub(super) fn next(&mut self, members: &[SiteId]) -> Result<SiteId> {
        if self.next < self.end {
            self.next += 1;
            return Ok(members[self.next - 1]);
        }
        Err(bad_source("one value for each key or item"))
    }
}

impl MapHandle {
    pub(super) fn next(&mut self) -> SiteId {
        self.on_value = !self.on_value;
        if self.on_value {
            self.len += 1;
            return self.key;
        }
        self.value
    }
}

impl KeyedMapHandle {
    /// Places the next key. Returns the slot of its value.
    pub(super) fn next(&mut self, sites: &mut [ShreddedSite]) -> Result<SiteId> {
        let text = self.keys.next().ok_or_else(|| bad_source("one value for each key"))?;
        self.len += 1;
        sites[self.key].text(Scalar::String, text.as_bytes());
        Ok(self.value)
    }
}

impl StructHandle {
    /// Takes the name of the next field, if all were passed at the start.
    pub(super) fn next_key(&mut self) -> Result<Arc<str>> {
        let Some((names, next)) = &mut self.keys else {
            return Err(bad_source("a field before its value"));
        };
        let name = names.get(*next).ok_or_else(|| bad_source("one value for each field"))?;
        *next += 1;
        Ok(Arc::clone(name))
    }

    fn is_complete(&self) -> bool {
        self.slot.is_none() && self.keys.as_ref().is_none_or(|(keys, next)| keys.len() == *next)
    }
}

impl ArrayHandle {
    pub(super) fn next(&mut self) -> Result<SiteId> {
        self.left =
            self.left.checked_sub(1).ok_or_else(|| bad_source("one value for each item"))?;
        Ok(self.item)
    }
}

impl VariantHandle {
    pub(super) fn next(&mut self) -> Result<SiteId> {
        match core::mem::take(&mut self.is_due) {
            true => Ok(self.payload),
            false => Err(bad_source("one payload")),
        }
    }
}

impl WrappedHandle {
    pub(super) fn next(&mut self) -> Result<SiteId> {
        match core::mem::take(&mut self.is_due) {
            true => Ok(self.inside),
            false => Err(bad_source("one value inside")),
        }
    }
}

impl Container for ListHandle {
    #[inline]
    fn slot(&mut self, _: &mut Shredder) -> Result<usize> {
        Ok(self.next())
    }

    #[inline]
    fn close(self, shredder: &mut Shredder) -> Result<()> {
        shredder.open -= 1;
        shredder.row_types[self.row_type].end(self.row, self.len);
        Ok(())
    }
}

impl Container for RowHandle {
    #[inline]
    fn slot(&mut self, shredder: &mut Shredder) -> Result<usize> {
        self.next(&shredder.members)
    }

    #[inline]
    fn close(self, shredder: &mut Shredder) -> Result<()> {
        if self.is_loose && shredder.members.len() == self.end {
            shredder.members.truncate(self.first);
        }
        shredder.close_if(self.next == self.end)
    }
}

impl Container for Handle {
    #[inline]
    fn slot(&mut self, shredder: &mut Shredder) -> Result<usize> {
        match self {
            Handle::List(list) => Ok(list.next()),
            Handle::Row(row) => row.next(&shredder.members),
            Handle::Map(map) => Ok(map.next()),
            Handle::KeyedMap(map) => map.next(&mut shredder.sites),
            Handle::Struct(of) => match of.slot.take() {
                Some(slot) => Ok(slot),
                None => {
                    let name = of.next_key()?;
                    shredder.field_slot(&mut of.fields, &name)
                }
            },
            Handle::Array(array) => array.next(),
            Handle::Variant(variant) => variant.next(),
            Handle::Wrapped(wrapped) => wrapped.next(),
            Handle::Slot(_) => Err(bad_source("one value")),
        }
    }

    #[inline]
    fn close(self, shredder: &mut Shredder) -> Result<()> {
        match self {
            Handle::Row(row) => row.close(shredder),
            Handle::List(list) => list.close(shredder),
            other => other.close_other(shredder),
        }
    }
}

impl Handle {
    fn close_other(self, shredder: &mut Shredder) -> Result<()> {
        let is_complete = match &self {
            Handle::List(_) | Handle::Row(_) => true,
            Handle::Map(map) => !map.on_value,
            Handle::KeyedMap(map) => map.keys.len() == 0,
            Handle::Struct(of) => of.is_complete(),
            Handle::Array(array) => array.left == 0,
            Handle::Variant(variant) => !variant.is_due,
            Handle::Wrapped(wrapped) => !wrapped.is_due,
            Handle::Slot(_) => false,
        };
        shredder.close_if(is_complete)?;
        match self {
            Handle::Map(MapHandle { row_type, row, len, .. })
            | Handle::KeyedMap(KeyedMapHandle { row_type, row, len, .. }) => {
                shredder.row_types[row_type].end(row, len);
            }
            Handle::Struct(of) => shredder.end_struct(of.fields),
            _ => {}
        }
        Ok(())
    }
}

impl Shredder {
    /// Ends a container if it has all its values.
    #[inline]
    fn close_if(&mut self, is_complete: bool) -> Result<()> {
        if !is_complete {
            return Err(self.incomplete());
        }
        self.open -= 1;
        Ok(())
    }

    #[cold]
    pub(super) fn incomplete(&mut self) -> Error {
        self.failed = true;
        bad_source("all contents of the container before its end")
    }
}

macro_rules! into_handle {
    ($($variant:ident($handle:ident)),*) => {$(
        impl From<$handle> for Handle {
            #[inline]
            fn from(handle: $handle) -> Handle {
                Handle::$variant(handle)
            }
        }
    )*};
}

into_handle!(
    List(ListHandle),
    Row(RowHandle),
    Map(MapHandle),
    KeyedMap(KeyedMapHandle),
    Struct(StructHandle),
    Array(ArrayHandle),
    Variant(VariantHandle),
    Wrapped(WrappedHandle)
);
