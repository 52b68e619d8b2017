//! Objects from the columns of a small message.

use holdall::bindings::memory::{self, Collect, GrowVec, fail, with_capacity};
use holdall::bindings::{Fields, SmallReader, SmallSchema, SmallType};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString, PyTuple};

use super::unpack::{Maker, UnpackPlan};
use super::wrappers::Wrappers;
use super::{DOCUMENT, VALUES, emptied};
use crate::entries;
use crate::raw;
use crate::sink::{Form, How, Layout, Types, shared};

/// The most rows of a message that become objects: meanwhile other threads and signals wait.
const ROWS: usize = DOCUMENT;
/// How many numbers there is room for before they are read, and how many objects the stack keeps
/// room for afterwards.
const ROOM: usize = 4 * VALUES;

/// An object on the stack, until a container takes it: taking a reference and then releasing the
/// stack's would touch each object of a document twice more.
type Cell<'py> = Option<Bound<'py, PyAny>>;

/// A walk over the sites of a plan. Nothing is returned where reading fails; the general path finds
/// the fault.
pub(super) struct Build<'b, 'py> {
    pub(super) py: Python<'py>,
    pub(super) schema: &'b SmallSchema,
    pub(super) keys: &'b [Py<PyString>],
    records: &'b mut [Maker],
    pub(super) wrappers: &'b Wrappers,
    pub(super) types: &'b Types,
    /// A stack: each site appends its rows.
    pub(super) values: Vec<Cell<'py>>,
    /// How many more rows there may be.
    pub(super) left: usize,
    /// The containers that were made.
    pub(super) containers: u64,
}

impl<'b, 'py> Build<'b, 'py> {
    pub(super) fn new(
        py: Python<'py>,
        plan: &'b mut UnpackPlan,
        types: &'b Types,
        memory: Vec<usize>,
    ) -> Self {
        let UnpackPlan { schema, keys, records, wrappers, .. } = plan;
        let (values, left, containers) = (emptied(memory), ROWS, 0);
        Build { py, schema, keys, records, wrappers, types, values, left, containers }
    }

    /// Returns the memory of the stack.
    pub(super) fn into_memory(self) -> Vec<usize> {
        if self.values.capacity() > ROOM { Vec::new() } else { emptied(self.values) }
    }

    /// Reads the one row of a site.
    pub(super) fn one(
        &mut self,
        reader: &mut SmallReader<'_>,
        at: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        Some(match self.schema.type_at(at) {
            SmallType::String => raw::text(py, reader.string()?).ok()?,
            SmallType::Int => raw::int(py, reader.int()?).ok()?,
            SmallType::Null => {
                reader.rows(1)?;
                py.None().into_bound(py)
            }
            SmallType::Bool => PyBool::new(py, reader.bool()?).to_owned().into_any(),
            SmallType::F64 => raw::float(py, reader.f64()?).ok()?,
            SmallType::Bytes => raw::bytes(py, reader.byte_string()?).ok()?.into_any(),
            SmallType::Option => match reader.bool()? {
                true => self.one(reader, at + 1)?,
                false => py.None().into_bound(py),
            },
            SmallType::List => {
                let len = usize::try_from(reader.number()?).ok()?;
                let start = self.values.len();
                self.rows(reader, at + 1, len)?;
                self.containers += 1;
                raw::list_of(py, self.values.drain(start..).map(held)).ok()?.into_any()
            }
            SmallType::Tuple(items) => {
                reader.rows(1)?;
                let (start, mut inside) = (self.values.len(), at + 1);
                for _ in 0..items {
                    let item = self.one(reader, inside)?;
                    self.values.put(Some(item));
                    inside = self.schema.end_of(inside);
                }
                raw::tuple_of(py, self.values.drain(start..).map(held)).ok()?.into_any()
            }
            SmallType::Union(variants) => {
                let variant = usize::try_from(reader.number()?).ok()?;
                if variant >= variants {
                    return None;
                }
                let inside = (0..variant).fold(at + 1, |inside, _| self.schema.end_of(inside));
                self.one(reader, inside)?
            }
            SmallType::Record(record) | SmallType::Struct(record) => {
                let schema = self.schema;
                let fields = &schema.fields()[record];
                if fields.is_sparse || !fields.shapes.is_empty() {
                    self.several(reader, at, 1)?;
                    return self.values.pop()?;
                }
                reader.rows(1)?;
                self.record(reader, record, fields, at)?
            }
            SmallType::Map | SmallType::Logical(_) | SmallType::Extension(_) => {
                self.several(reader, at, 1)?;
                return self.values.pop()?;
            }
            _ => return None,
        })
    }

    /// Reads one record or struct that has all fields.
    fn record(
        &mut self,
        reader: &mut SmallReader<'_>,
        record: usize,
        fields: &Fields,
        at: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        self.containers += 1;
        let keys = &self.keys[fields.names.clone()];
        let mut inside = at + 1;
        if let Maker::Dict(dicts) = &mut self.records[record] {
            let dict = dicts.begin(py, || keys.iter()).ok()?;
            for (field, key) in keys.iter().enumerate() {
                let value = self.one(reader, inside)?;
                entries::set(&dict, 1, field, key.bind(py), value).ok()?;
                inside = self.schema.end_of(inside);
            }
            return Some(dict.into_any());
        }
        let start = self.values.len();
        for _ in keys {
            let value = self.one(reader, inside)?;
            self.values.put(Some(value));
            inside = self.schema.end_of(inside);
        }
        match &self.records[record] {
            Maker::Object(layout) => object(py, layout, self.values.drain(start..).flatten()),
            Maker::Row(form) => row_of(py, form, self.values.drain(start..)),
            Maker::Dict(_) => None,
        }
    }

    /// Reads any number of rows of a site and appends them.
    pub(super) fn rows(
        &mut self,
        reader: &mut SmallReader<'_>,
        at: usize,
        rows: usize,
    ) -> Option<()> {
        match rows {
            // A site without rows has no columns (F-25).
            0 => Some(()),
            1 => {
                let value = self.one(reader, at)?;
                self.values.put(Some(value));
                Some(())
            }
            _ => self.several(reader, at, rows),
        }
    }

    /// Reads at least one row of a site as columns, and appends them.
    #[inline(never)]
    fn several(&mut self, reader: &mut SmallReader<'_>, at: usize, rows: usize) -> Option<()> {
        self.left = self.left.checked_sub(rows)?;
        let (py, values) = (self.py, &mut self.values);
        match self.schema.type_at(at) {
            SmallType::Null => {
                reader.rows(rows)?;
                values.put_each(std::iter::repeat_n(Some(py.None().into_bound(py)), rows));
            }
            SmallType::Bool => {
                let bool = |bool| values.put(Some(PyBool::new(py, bool).to_owned().into_any()));
                reader.bools(rows, bool)?;
            }
            SmallType::Int => {
                reader.ints(rows, |int| {
                    values.put(Some(raw::int(py, int).unwrap_or_else(|_| fail())));
                })?;
            }
            SmallType::F64 => {
                let float =
                    |float| values.put(Some(raw::float(py, float).unwrap_or_else(|_| fail())));
                reader.floats(rows, float)?;
            }
            SmallType::String => {
                let mut known = Vec::new();
                reader.strings(rows, |entry, text| {
                    values.put(Some(shared(&mut known, entry, || raw::text(py, text).ok())?));
                    Some(())
                })?;
            }
            SmallType::Bytes => {
                let mut known = Vec::new();
                reader.byte_strings(rows, |entry, bytes| {
                    let make = || Some(raw::bytes(py, bytes).ok()?.into_any());
                    values.put(Some(shared(&mut known, entry, make)?));
                    Some(())
                })?;
            }
            SmallType::Option => return self.options(reader, at, rows),
            SmallType::List => {
                return self.lists(reader, at, rows, |items| {
                    Some(raw::list_of(py, items.map(held)).ok()?.into_any())
                });
            }
            SmallType::Map => return self.maps(reader, at, rows),
            SmallType::Logical(_) | SmallType::Extension(_) => {
                return self.wrapped(reader, at, rows);
            }
            SmallType::Tuple(items) => {
                reader.rows(rows)?;
                let mut columns = self.columns(reader, at, std::iter::repeat_n(rows, items))?;
                for row in 0..rows {
                    let items = columns.chunks_exact_mut(rows).map(|column| column[row].take());
                    self.values.put(Some(raw::tuple_of(py, items.map(held)).ok()?.into_any()));
                }
            }
            SmallType::Union(variants) => return self.unions(reader, at, rows, variants),
            SmallType::Record(record) | SmallType::Struct(record) => {
                return self.records(reader, at, rows, record);
            }
            _ => return None,
        }
        Some(())
    }

    /// Reads the types inside another, each with its number of rows.
    pub(super) fn columns(
        &mut self,
        reader: &mut SmallReader<'_>,
        at: usize,
        rows: impl Iterator<Item = usize>,
    ) -> Option<Vec<Cell<'py>>> {
        let (start, mut inside) = (self.values.len(), at + 1);
        for rows in rows {
            self.rows(reader, inside, rows)?;
            inside = self.schema.end_of(inside);
        }
        let mut columns = with_capacity(self.values.len() - start);
        columns.put_each(self.values.drain(start..));
        Some(columns)
    }

    fn options(&mut self, reader: &mut SmallReader<'_>, at: usize, rows: usize) -> Option<()> {
        let mut presence = with_capacity(rows.min(ROOM));
        let present = reader.bools(rows, |is_present| presence.put(is_present))?;
        let mut values = self.columns(reader, at, std::iter::once(present))?.into_iter();
        for is_present in presence {
            let null = || Some(self.py.None().into_bound(self.py));
            self.values.put(if is_present { values.next()? } else { null() });
        }
        Some(())
    }

    /// Reads lists, and makes something of the items of each.
    pub(super) fn lists(
        &mut self,
        reader: &mut SmallReader<'_>,
        at: usize,
        rows: usize,
        make: impl for<'i> Fn(Items<'i, 'py>) -> Option<Bound<'py, PyAny>>,
    ) -> Option<()> {
        let (lengths, total) = lengths(reader, rows)?;
        self.containers += rows as u64;
        let mut items = self.columns(reader, at, std::iter::once(total))?;
        let mut rest = &mut items[..];
        for len in lengths {
            let (row, after) = rest.split_at_mut_checked(len)?;
            rest = after;
            self.values.put(Some(make(
                row.iter_mut().map(Option::take as fn(&mut Cell<'py>) -> Cell<'py>),
            )?));
        }
        Some(())
    }

    fn maps(&mut self, reader: &mut SmallReader<'_>, at: usize, rows: usize) -> Option<()> {
        let (lengths, total) = lengths(reader, rows)?;
        self.containers += rows as u64;
        let mut entries = self.columns(reader, at, [total, total].into_iter())?;
        let (keys, values) = entries.split_at_mut(total);
        let taken = Option::take as fn(&mut Cell<'py>) -> Cell<'py>;
        let mut entries = keys.iter_mut().map(taken).zip(values.iter_mut().map(taken));
        for len in lengths {
            let dict = raw::dict(self.py).ok()?;
            entries
                .by_ref()
                .take(len)
                .try_for_each(|(key, value)| dict.set_item(key, value))
                .ok()?;
            // F-35: two keys were equal.
            (dict.len() == len).then_some(())?;
            self.values.put(Some(dict.into_any()));
        }
        Some(())
    }

    fn unions(
        &mut self,
        reader: &mut SmallReader<'_>,
        at: usize,
        rows: usize,
        variants: usize,
    ) -> Option<()> {
        let of_rows = numbers(reader, rows)?;
        let mut counts = memory::filled(0, variants);
        for variant in &of_rows {
            *counts.get_mut(*variant)? += 1;
        }
        let mut columns = self.columns(reader, at, counts.iter().copied())?;
        let mut next = starts(&counts);
        for variant in of_rows {
            self.values.put(columns[next[variant]].take());
            next[variant] += 1;
        }
        Some(())
    }

    fn records(
        &mut self,
        reader: &mut SmallReader<'_>,
        at: usize,
        rows: usize,
        record: usize,
    ) -> Option<()> {
        let (py, schema) = (self.py, self.schema);
        let fields = &schema.fields()[record];
        let keys = &self.keys[fields.names.clone()];
        self.containers += rows as u64;
        if fields.is_sparse {
            return self.sparse(reader, at, rows, keys);
        }
        if !fields.shapes.is_empty() {
            return self.shaped(reader, at, rows, fields);
        }
        reader.rows(rows)?;
        let mut columns = self.columns(reader, at, std::iter::repeat_n(rows, keys.len()))?;
        for row in 0..rows {
            let values = columns.chunks_exact_mut(rows).map(|column| column[row].take());
            let made = match &mut self.records[record] {
                Maker::Dict(dicts) => {
                    let dict = dicts.begin(py, || keys.iter()).ok()?;
                    entries::fill(&dict, keys, values.flatten()).ok()?;
                    dict.into_any()
                }
                Maker::Object(layout) => object(py, layout, values.flatten())?,
                Maker::Row(form) => row_of(py, form, values)?,
            };
            self.values.put(Some(made));
        }
        Some(())
    }
}

/// The items of a container, which are taken from the stack.
pub(super) type Items<'i, 'py> =
    std::iter::Map<std::slice::IterMut<'i, Cell<'py>>, fn(&mut Cell<'py>) -> Cell<'py>>;

/// Reads the lengths of lists or maps, and returns their sum.
pub(super) fn lengths(reader: &mut SmallReader<'_>, rows: usize) -> Option<(Vec<usize>, usize)> {
    let lengths = numbers(reader, rows)?;
    let mut total = 0_usize;
    for len in &lengths {
        total = total.checked_add(*len)?;
    }
    Some((lengths, total))
}

/// Reads lengths, or numbers of variants or shapes.
pub(super) fn numbers(reader: &mut SmallReader<'_>, rows: usize) -> Option<Vec<usize>> {
    let mut numbers = with_capacity(rows.min(ROOM));
    reader.numbers(rows, |number| numbers.put(usize::try_from(number).unwrap_or(usize::MAX)))?;
    Some(numbers)
}

/// Where columns of these numbers of rows start, one after the other.
pub(super) fn starts(counts: &[usize]) -> Vec<usize> {
    let mut start = 0;
    let next = |count: &usize| {
        let end = start + count;
        std::mem::replace(&mut start, end)
    };
    counts.iter().map(next).collected()
}

/// Takes an object from the stack.
pub(super) fn held<'py>(cell: Cell<'py>) -> PyResult<Bound<'py, PyAny>> {
    cell.ok_or_else(|| PyRuntimeError::new_err("an object was taken twice"))
}

/// Makes a named tuple.
fn row_of<'py>(
    py: Python<'py>,
    form: &Py<Form>,
    values: impl ExactSizeIterator<Item = Cell<'py>>,
) -> Option<Bound<'py, PyAny>> {
    form.get().make_row(raw::tuple_of(py, values.map(held)).ok()?).ok()
}

/// Makes an object of a class and sets its attributes.
fn object<'py>(
    py: Python<'py>,
    layout: &Layout,
    values: impl Iterator<Item = Bound<'py, PyAny>>,
) -> Option<Bound<'py, PyAny>> {
    let How::Fields { new } = &layout.class.how else { return None };
    let object = layout.class.new_object(new, &PyTuple::empty(py)).ok()?;
    for ((place, _), value) in layout.places.iter().zip(values) {
        place.set(&object, value).ok()?;
    }
    Some(object)
}
