//! Objects from the columns of a small message.

use holdall::bindings::{Fields, SmallReader, SmallSchema, SmallType};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use super::unpack::{Maker, Plan};
use super::{VALUES, emptied};
use crate::entries;
use crate::raw;
use crate::sink::{How, Layout};

/// The rows of a message that become objects: more than a small object has values, as each site of
/// an option or union has the row again.
const ROWS: usize = 4 * VALUES;

/// A walk over the sites of a plan. Nothing is returned where reading fails; the general path finds
/// the fault.
pub(super) struct Build<'b, 'py> {
    py: Python<'py>,
    schema: &'b SmallSchema,
    keys: &'b [Py<PyString>],
    records: &'b mut [Maker],
    /// A stack: each site appends its rows.
    values: Vec<Bound<'py, PyAny>>,
    /// How many more rows there may be.
    left: usize,
}

impl<'b, 'py> Build<'b, 'py> {
    pub(super) fn new(py: Python<'py>, plan: &'b mut Plan, memory: Vec<usize>) -> Self {
        let Plan { schema, keys, records, .. } = plan;
        Build { py, schema, keys, records, values: emptied(memory), left: ROWS }
    }

    /// Returns the memory of the stack.
    pub(super) fn into_memory(self) -> Vec<usize> {
        emptied(self.values)
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
            SmallType::Int => PyInt::new(py, reader.int()?).into_any(),
            SmallType::Null => {
                reader.rows(1)?;
                py.None().into_bound(py)
            }
            SmallType::Bool => PyBool::new(py, reader.bool()?).to_owned().into_any(),
            SmallType::F64 => PyFloat::new(py, reader.f64()?).into_any(),
            SmallType::Bytes => PyBytes::new(py, reader.byte_string()?).into_any(),
            SmallType::Option => match reader.bool()? {
                true => self.one(reader, at + 1)?,
                false => py.None().into_bound(py),
            },
            SmallType::List => {
                let len = usize::try_from(reader.number()?).ok()?;
                let start = self.values.len();
                self.rows(reader, at + 1, len)?;
                PyList::new(py, self.values.drain(start..)).ok()?.into_any()
            }
            SmallType::Tuple(items) => {
                reader.rows(1)?;
                let (start, mut inside) = (self.values.len(), at + 1);
                for _ in 0..items {
                    let item = self.one(reader, inside)?;
                    self.values.push(item);
                    inside = self.schema.end_of(inside);
                }
                PyTuple::new(py, self.values.drain(start..)).ok()?.into_any()
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
                if !fields.shapes.is_empty() {
                    self.several(reader, at, 1)?;
                    return self.values.pop();
                }
                reader.rows(1)?;
                self.record(reader, record, fields, at)?
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
            self.values.push(value);
            inside = self.schema.end_of(inside);
        }
        let Maker::Object(layout) = &self.records[record] else { return None };
        object(py, layout, self.values.drain(start..))
    }

    /// Reads any number of rows of a site and appends them.
    fn rows(&mut self, reader: &mut SmallReader<'_>, at: usize, rows: usize) -> Option<()> {
        match rows {
            // A site without rows has no columns (F-25).
            0 => Some(()),
            1 => {
                let value = self.one(reader, at)?;
                self.values.push(value);
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
                values.extend(std::iter::repeat_n(py.None().into_bound(py), rows));
            }
            SmallType::Bool => {
                let bool = |bool| values.push(PyBool::new(py, bool).to_owned().into_any());
                reader.bools(rows, bool)?;
            }
            SmallType::Int => {
                reader.ints(rows, |int| values.push(PyInt::new(py, int).into_any()))?;
            }
            SmallType::F64 => {
                reader.floats(rows, |float| values.push(PyFloat::new(py, float).into_any()))?;
            }
            SmallType::String => {
                let mut known = Vec::new();
                reader.strings(rows, |entry, text| {
                    values.push(shared(&mut known, entry, || raw::text(py, text).ok())?);
                    Some(())
                })?;
            }
            SmallType::Bytes => {
                let mut known = Vec::new();
                reader.byte_strings(rows, |entry, bytes| {
                    let make = || Some(PyBytes::new(py, bytes).into_any());
                    values.push(shared(&mut known, entry, make)?);
                    Some(())
                })?;
            }
            SmallType::Option => return self.options(reader, at, rows),
            SmallType::List => return self.lists(reader, at, rows),
            SmallType::Tuple(items) => {
                reader.rows(rows)?;
                let columns = self.columns(reader, at, std::iter::repeat_n(rows, items))?;
                for row in 0..rows {
                    let items = columns.chunks_exact(rows).map(|column| column[row].clone());
                    self.values.push(PyTuple::new(py, items).ok()?.into_any());
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
    fn columns(
        &mut self,
        reader: &mut SmallReader<'_>,
        at: usize,
        rows: impl Iterator<Item = usize>,
    ) -> Option<Vec<Bound<'py, PyAny>>> {
        let (start, mut inside) = (self.values.len(), at + 1);
        for rows in rows {
            self.rows(reader, inside, rows)?;
            inside = self.schema.end_of(inside);
        }
        Some(self.values.split_off(start))
    }

    fn options(&mut self, reader: &mut SmallReader<'_>, at: usize, rows: usize) -> Option<()> {
        let mut presence = Vec::with_capacity(rows);
        let present = reader.bools(rows, |is_present| presence.push(is_present))?;
        let mut values = self.columns(reader, at, std::iter::once(present))?.into_iter();
        for is_present in presence {
            let null = || Some(self.py.None().into_bound(self.py));
            self.values.push(if is_present { values.next() } else { null() }?);
        }
        Some(())
    }

    fn lists(&mut self, reader: &mut SmallReader<'_>, at: usize, rows: usize) -> Option<()> {
        let lengths = numbers(reader, rows)?;
        let mut total = 0_usize;
        for len in &lengths {
            total = total.checked_add(*len)?;
        }
        let mut items = self.columns(reader, at, std::iter::once(total))?.into_iter();
        for len in lengths {
            let list = PyList::new(self.py, items.by_ref().take(len)).ok()?;
            self.values.push(list.into_any());
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
        let mut counts = vec![0; variants];
        for variant in &of_rows {
            *counts.get_mut(*variant)? += 1;
        }
        let columns = self.columns(reader, at, counts.iter().copied())?;
        let mut next = starts(&counts);
        for variant in of_rows {
            self.values.push(columns[next[variant]].clone());
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
        if !fields.shapes.is_empty() {
            return self.shaped(reader, at, rows, fields);
        }
        reader.rows(rows)?;
        let columns = self.columns(reader, at, std::iter::repeat_n(rows, keys.len()))?;
        let values = |row: usize| columns.chunks_exact(rows).map(move |column| column[row].clone());
        for row in 0..rows {
            let made = match &mut self.records[record] {
                Maker::Dict(dicts) => {
                    let dict = dicts.begin(py, || keys.iter()).ok()?;
                    entries::fill(&dict, keys, values(row)).ok()?;
                    dict.into_any()
                }
                Maker::Object(layout) => object(py, layout, values(row))?,
            };
            self.values.push(made);
        }
        Some(())
    }

    /// Reads records that have several shapes (F-18).
    fn shaped(
        &mut self,
        reader: &mut SmallReader<'_>,
        at: usize,
        rows: usize,
        fields: &Fields,
    ) -> Option<()> {
        let (schema, keys) = (self.schema, &self.keys[fields.names.clone()]);
        let of_rows = numbers(reader, rows)?;
        let mut counts = vec![0; keys.len()];
        for shape in &of_rows {
            if *shape >= fields.shapes.len() {
                return None;
            }
            schema.shape(fields.shapes.start + shape).iter().for_each(|field| counts[*field] += 1);
        }
        let columns = self.columns(reader, at, counts.iter().copied())?;
        let mut next = starts(&counts);
        for shape in of_rows {
            let dict = PyDict::new(self.py);
            for field in schema.shape(fields.shapes.start + shape) {
                dict.set_item(&keys[*field], &columns[next[*field]]).ok()?;
                next[*field] += 1;
            }
            self.values.push(dict.into_any());
        }
        Some(())
    }
}

/// Reads lengths, or numbers of variants or shapes.
fn numbers(reader: &mut SmallReader<'_>, rows: usize) -> Option<Vec<usize>> {
    let mut numbers = Vec::with_capacity(rows);
    reader.numbers(rows, |number| numbers.push(usize::try_from(number).unwrap_or(usize::MAX)))?;
    Some(numbers)
}

/// Where columns of these numbers of rows start, one after the other.
fn starts(counts: &[usize]) -> Vec<usize> {
    let mut start = 0;
    let next = |count: &usize| {
        let end = start + count;
        std::mem::replace(&mut start, end)
    };
    counts.iter().map(next).collect()
}

/// Returns the value of an entry, the same object each time, or a new value without one.
#[inline]
fn shared<'py>(
    known: &mut Vec<Option<Bound<'py, PyAny>>>,
    entry: Option<usize>,
    make: impl FnOnce() -> Option<Bound<'py, PyAny>>,
) -> Option<Bound<'py, PyAny>> {
    let Some(entry) = entry else { return make() };
    if known.len() <= entry {
        known.resize(entry + 1, None);
    }
    match &known[entry] {
        Some(value) => Some(value.clone()),
        None => Some(known[entry].insert(make()?).clone()),
    }
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
