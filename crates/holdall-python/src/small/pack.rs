//! Packing small objects: a walk that goes from site to site, with all rows of a site at once.
//!
//! Meanwhile no Python code runs, and the garbage collector is off, so containers keep what they
//! hold.
#![allow(unsafe_code, reason = "objects that others hold; each block has its proof")]

use std::ops::Range;

use arrayvec::ArrayVec;
use holdall::bindings::SmallWriter;
use holdall::bindings::memory::{Grow, GrowVec, catch};
use holdall::{Dictionary, Header, LogicalType, Profile};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use super::classes::{Classes, SmallClass};
use super::memory::WalkMemory;
use super::place::{PlaceStep, SitePlace};
use super::scalars::Scalars;
use super::seen::Seen;
use super::{Attempts, emptied};
use crate::bytes;
use crate::collector::WithoutCollector;
use crate::raw;
use crate::source::{LeafForm, Scalar, is_constant, scalar_of};

/// How deep containers may be inside each other: half as deep as types are gathered (F-51).
const LEVELS: usize = 16;
/// The most items of a tuple that is a type of its own (F-52).
const TUPLE_ITEMS: usize = 8;
/// The most sites: with more, rows can have other types (F-49, F-51).
const SITES: usize = 16_000;
/// From this many scalars of one type on, a list is better packed by the general path, which copies large columns less
/// often.
const COLUMN: usize = 1 << 16;
/// Packs small objects.
pub struct SmallPacker {
    writer: SmallWriter,
    header: Header,
    dictionary: Option<Dictionary>,
    /// Whether shared containers have an identity.
    references: bool,
    classes: Classes,
    /// An object that was met, of a class that is not known, or a member of an enum that is not.
    unknown: Option<Py<PyAny>>,
    attempts: Attempts,
    seen: Seen,
    memory: WalkMemory,
    /// The most values of a message.
    values: usize,
}

impl SmallPacker {
    /// Makes a packer for messages of a header and a block alone, in profile fast or balanced, and of up to a number of
    /// values.
    pub fn new(
        profile: Profile,
        header: Header,
        dictionary: Option<Dictionary>,
        references: bool,
        values: usize,
    ) -> SmallPacker {
        SmallPacker {
            writer: SmallWriter::new(profile),
            header,
            dictionary,
            references,
            classes: Classes::default(),
            unknown: None,
            attempts: Attempts::default(),
            seen: Seen::default(),
            memory: WalkMemory::default(),
            values,
        }
    }

    /// Returns the message of an object, if it is small.
    pub fn pack<'py>(
        &mut self,
        object: &Bound<'py, PyAny>,
    ) -> Option<PyResult<Bound<'py, PyBytes>>> {
        if !self.attempts.begins() {
            return None;
        }
        let written = self.write(object);
        self.attempts.ended(written.is_some());
        written?;
        let message = self.writer.message(self.header);
        Some(bytes::of_small(object.py(), &message, self.dictionary.as_ref()))
    }

    /// Learns what the object before had and that was not known. This can run Python code.
    pub fn learn(&mut self, py: Python<'_>) {
        if let Some(object) = self.unknown.take()
            && self.classes.learn(object.bind(py))
        {
            // The next message can succeed.
            self.attempts.ended(true);
        }
    }

    fn write(&mut self, object: &Bound<'_, PyAny>) -> Option<()> {
        self.classes.refresh();
        self.writer.begin();
        self.seen.begin();
        let memory = std::mem::take(&mut self.memory);
        let collector = WithoutCollector::new(object.py());
        let mut walk = Walk {
            writer: &mut self.writer,
            classes: &self.classes,
            seen: self.references.then_some(&mut self.seen),
            cells: emptied(memory.cells),
            keys: emptied(memory.keys),
            numbers: memory.numbers,
            scalars: memory.scalars.into_memory(),
            structs: ArrayVec::new(),
            left: self.values,
            sites_left: SITES,
            unknown: None,
        };
        walk.cells.put(object.as_borrowed());
        // The caller holds the root, so it counts as held by another, too. Where memory is missing, the walk of any
        // object reports it.
        let written = catch(|| walk.site(0..1, &SitePlace::root(LEVELS))).ok().flatten();
        let unknown = walk.unknown.map(|object| object.to_owned().unbind());
        self.memory = WalkMemory {
            cells: emptied(walk.cells),
            keys: emptied(walk.keys),
            numbers: walk.numbers,
            scalars: walk.scalars.into_memory(),
        }
        .bounded();
        drop(collector);
        self.unknown = unknown;
        written
    }
}

/// The type of a value at a site (F-47).
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Null,
    Bool,
    Int,
    Float,
    String,
    Bytes,
    List,
    Tuple(usize),
    LongTuple,
    /// At a site where some are maps, those that are records.
    Dict,
    Map,
    /// By the number of the class.
    Object(usize),
    Enum(usize),
    Leaf(&'static LeafForm),
    /// By the kind of logical type.
    Set(u8),
}

/// A walk over one object. Its vectors are stacks: each site appends the rows of those inside it,
/// and removes them at its end.
pub(super) struct Walk<'w, 'py> {
    pub(super) writer: &'w mut SmallWriter,
    pub(super) classes: &'w Classes,
    /// Containers that something else holds, too, unless they have no identity.
    seen: Option<&'w mut Seen>,
    pub(super) cells: Vec<Borrowed<'w, 'py, PyAny>>,
    /// The keys of the dicts around.
    pub(super) keys: Vec<Borrowed<'w, 'py, PyAny>>,
    pub(super) numbers: Vec<u64>,
    scalars: Scalars<'w>,
    /// The classes that have a struct type: a second use of it needs a definition (F-54).
    pub(super) structs: ArrayVec<usize, 64>,
    /// How many more values there may be.
    left: usize,
    /// How many more sites there may be.
    sites_left: usize,
    pub(super) unknown: Option<Borrowed<'w, 'py, PyAny>>,
}

/// Returns a reference for the time of a walk.
///
/// # Safety
/// The object is the root or held, directly or not, by containers that the root holds, and was found
/// during the walk. It is alive up to the end of the walk, as nothing changes these containers.
#[inline]
pub(super) unsafe fn held<'w, 'py, T>(object: Borrowed<'_, 'py, T>) -> Borrowed<'w, 'py, T> {
    // SAFETY: the pointer is that of an object of this type, alive for 'w as the caller says.
    unsafe { Borrowed::from_ptr(object.py(), object.as_ptr()).cast_unchecked() }
}

impl<'w, 'py> Walk<'w, 'py> {
    pub(super) fn kind(&mut self, at: usize) -> Option<Kind> {
        let object = self.cells[at];
        Some(if object.is_exact_instance_of::<PyString>() {
            Kind::String
        } else if object.is_exact_instance_of::<PyInt>() {
            Kind::Int
        } else if object.is_exact_instance_of::<PyDict>() {
            Kind::Dict
        } else if object.is_exact_instance_of::<PyList>() {
            Kind::List
        } else if object.is_exact_instance_of::<PyFloat>() {
            Kind::Float
        } else if object.is_none() {
            Kind::Null
        } else if object.is_exact_instance_of::<PyBool>() {
            Kind::Bool
        } else if object.is_exact_instance_of::<PyBytes>() {
            Kind::Bytes
        } else if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            let len = tuple.len();
            if len <= TUPLE_ITEMS { Kind::Tuple(len) } else { Kind::LongTuple }
        } else {
            return self.kind_by_class(object);
        })
    }

    fn kind_by_class(&mut self, object: Borrowed<'w, 'py, PyAny>) -> Option<Kind> {
        let Ok(class) = self.classes.find(object.get_type_ptr() as usize) else {
            self.unknown = Some(object);
            return None;
        };
        let number = class?;
        Some(match self.classes.get(number) {
            SmallClass::Object { .. } | SmallClass::Row { .. } => Kind::Object(number),
            SmallClass::Leaf(class) => Kind::Leaf(class.form(&object)?),
            SmallClass::Set(kind) => Kind::Set(*kind),
            SmallClass::Enum(_) => Kind::Enum(number),
        })
    }

    /// Writes a site.
    pub(super) fn site(
        &mut self,
        rows: Range<usize>,
        place: &SitePlace<'_, 'w, 'py>,
    ) -> Option<()> {
        if rows.len() == 1 {
            return self.one(rows.start, place);
        }
        if rows.is_empty() {
            self.writer.never();
            return Some(());
        }
        if self.scalars(rows.clone())? {
            return Some(());
        }
        self.others(rows, place)
    }

    /// Writes rows of which some are no scalars.
    pub(super) fn others(
        &mut self,
        rows: Range<usize>,
        place: &SitePlace<'_, 'w, 'py>,
    ) -> Option<()> {
        let first = self.kind(rows.start)?;
        if let Kind::Leaf(form) = first {
            return match self.leaves(form, rows.clone())? {
                true => Some(()),
                false => self.choice(rows, place),
            };
        }
        let class = self.cells[rows.start].get_type_ptr();
        let is_like_first = |cell: &Borrowed<'_, '_, PyAny>| match first {
            Kind::Tuple(len) => cell.cast_exact::<PyTuple>().is_ok_and(|row| row.len() == len),
            Kind::LongTuple => {
                cell.cast_exact::<PyTuple>().is_ok_and(|row| row.len() > TUPLE_ITEMS)
            }
            _ => cell.get_type_ptr() == class,
        };
        if !self.cells[rows.clone()].iter().all(is_like_first) {
            return self.choice(rows, place);
        }
        self.variant(first, rows, place)
    }

    /// Writes a site that has one row.
    #[inline]
    pub(super) fn one(&mut self, at: usize, place: &SitePlace<'_, 'w, 'py>) -> Option<()> {
        let cell = self.cells[at];
        match scalar_of(&cell) {
            Some(Scalar::Text(text)) => self.writer.string(raw::utf8(text).ok()?)?,
            Some(Scalar::Int(int)) => self.writer.int(raw::int_bits(int).ok()??),
            Some(Scalar::Float(float)) => self.writer.f64(float),
            Some(Scalar::Null) => self.writer.null(),
            Some(Scalar::Bool(bool)) => self.writer.bool(bool),
            Some(Scalar::Bytes(bytes)) => self.writer.byte_string(bytes)?,
            None => {
                let kind = self.kind(at)?;
                return self.variant(kind, at..at + 1, place);
            }
        }
        Some(())
    }

    /// Writes rows of one type.
    pub(super) fn variant(
        &mut self,
        kind: Kind,
        rows: Range<usize>,
        place: &SitePlace<'_, 'w, 'py>,
    ) -> Option<()> {
        match kind {
            Kind::Null => self.writer.null(),
            Kind::List => return self.lists(None, rows, place),
            Kind::Set(kind) => return self.lists(Some(kind), rows, place),
            Kind::LongTuple => {
                let kind = Some(LogicalType::LONG_TUPLE);
                return self.lists(kind, rows, place);
            }
            Kind::Leaf(form) => return self.leaves(form, rows)?.then_some(()),
            Kind::Enum(class) => return self.members(class, rows),
            Kind::Tuple(len) => return self.tuples(len, rows, place),
            Kind::Dict => return self.dicts(rows, place),
            Kind::Map => return self.maps(rows, place),
            Kind::Object(class) => return self.objects(class, rows, place),
            _ if rows.len() == 1 => return self.one(rows.start, place),
            _ => return self.scalars(rows)?.then_some(()),
        }
        Some(())
    }

    /// Writes the rows in some of the cells if all are scalars; returns whether they are. None for values that have
    /// other types here than in a message.
    #[inline]
    pub(super) fn scalars(&mut self, rows: impl Iterator<Item = usize>) -> Option<bool> {
        self.scalars.begin();
        let are_scalars = self.scalars.add(rows.map(|at| self.cells[at]))?;
        if are_scalars {
            self.scalars.write(self.writer)?;
        }
        Some(are_scalars)
    }

    /// Records containers; none if one occurred before: it has an identity, which small messages
    /// cannot express.
    #[inline]
    pub(super) fn identify(&mut self, rows: Range<usize>) -> Option<()> {
        let Some(seen) = &mut self.seen else { return Some(()) };
        for at in rows {
            let object = &self.cells[at];
            // The first cell is the root.
            if raw::is_shared(object, 1) || at == 0 {
                if object.cast_exact::<PyTuple>().is_ok_and(|tuple| is_constant(&tuple)) {
                    continue;
                }
                seen.add(object.as_ptr() as usize)?;
            }
        }
        Some(())
    }

    /// Counts values.
    #[inline]
    pub(super) fn count(&mut self, values: usize) -> Option<()> {
        self.left = self.left.checked_sub(values)?;
        Some(())
    }

    /// Ends a walk early that would have too many values, if the rows of a site have as many each as the first.
    #[inline]
    pub(super) fn check_bound(&self, rows: usize, values: usize) -> Option<()> {
        (rows.saturating_mul(values) <= self.left).then_some(())
    }

    /// Makes room for cells of several kinds, one kind after the other: counts become the places where each kind begins.
    pub(super) fn room_by_kind(&mut self, counts: &mut [usize]) {
        let mut end = self.cells.len();
        for count in counts {
            end += std::mem::replace(count, end);
        }
        self.cells.put_fill(end, self.cells[0]);
    }

    /// Counts sites.
    #[inline]
    pub(super) fn count_sites(&mut self, sites: usize) -> Option<()> {
        self.sites_left = self.sites_left.checked_sub(sites)?;
        Some(())
    }

    /// Writes lists, or sets or long tuples, which are logical values of a kind and stored as lists.
    fn lists(
        &mut self,
        kind: Option<u8>,
        rows: Range<usize>,
        place: &SitePlace<'_, 'w, 'py>,
    ) -> Option<()> {
        self.identify(rows.clone())?;
        self.count_sites(1)?;
        let inside = place.inside(PlaceStep::Items(rows.clone()))?;
        if rows.start == 0 && self.cells[0].cast_exact().is_ok_and(|list| is_one_column(&list)) {
            return None;
        }
        if kind.is_none() && self.lists_of_scalars(rows.clone())? {
            return Some(());
        }
        let start = self.cells.len();
        self.numbers.clear();
        for at in rows {
            let (object, first) = (self.cells[at], self.cells.len());
            if let Ok(list) = object.cast_exact::<PyList>() {
                self.count(list.len())?;
                // SAFETY: the list holds its items, and nothing changes it during the walk.
                self.cells.put_each(unsafe { raw::items_of(&list).iter().map(|item| held(*item)) });
            } else {
                self.push_members(object)?;
            }
            self.numbers.put((self.cells.len() - first) as u64);
        }
        if let Some(kind) = kind {
            self.writer.logical(kind, &[]);
        }
        self.writer.lists(&self.numbers);
        self.site(start..self.cells.len(), &inside)?;
        self.cells.truncate(start);
        Some(())
    }

    /// Writes lists whose items are scalars, which are gathered list by list; returns whether they are.
    fn lists_of_scalars(&mut self, rows: Range<usize>) -> Option<bool> {
        let left = self.left;
        self.numbers.clear();
        self.numbers.room(rows.len());
        self.scalars.begin();
        for at in rows {
            let list = self.cells[at];
            let list = list.cast_exact::<PyList>().ok()?;
            self.count(list.len())?;
            self.numbers.put(list.len() as u64);
            // SAFETY: the list holds its items, and nothing changes it during the walk.
            let items = unsafe { raw::items_of(&list).iter().map(|item| held(*item)) };
            if !self.scalars.add(items)? {
                self.left = left;
                return Some(false);
            }
        }
        self.writer.lists(&self.numbers);
        self.scalars.write(self.writer)?;
        Some(true)
    }

    fn tuples(
        &mut self,
        len: usize,
        rows: Range<usize>,
        place: &SitePlace<'_, 'w, 'py>,
    ) -> Option<()> {
        self.identify(rows.clone())?;
        self.count(len * rows.len())?;
        self.count_sites(len)?;
        let inside = place.inside(PlaceStep::Each)?;
        self.writer.tuples(len);
        let start = self.cells.len();
        for item in 0..len {
            self.cells.room(rows.len());
            for at in rows.clone() {
                let tuple = self.cells[at];
                let tuple = tuple.cast_exact::<PyTuple>().ok()?;
                let item = tuple.get_borrowed_item(item).ok()?;
                // SAFETY: the tuple holds the item.
                self.cells.put(unsafe { held(item) });
            }
            self.site(start..self.cells.len(), &inside)?;
            self.cells.truncate(start);
        }
        Some(())
    }
}

/// Whether a list is one large column, as its first items have it.
fn is_one_column(list: &Bound<'_, PyList>) -> bool {
    let class_at = |at| {
        // SAFETY: nothing changes the list meanwhile.
        let item = unsafe { raw::item_of(list, at) }?;
        scalar_of(&item).map(|_| item.get_type_ptr())
    };
    let first = class_at(0);
    list.len() > COLUMN && first.is_some() && (1..4).all(|at| class_at(at) == first)
}
