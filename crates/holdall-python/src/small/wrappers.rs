//! Unpacking values that are more than their storage: logical values, and members of enums.

use holdall::bindings::memory::{self, Collect, GrowVec};
use holdall::bindings::schema::Scalar;
use holdall::bindings::{SmallReader, SmallSchema, SmallType};
use holdall::{IntKind, LogicalType};
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PySet};

use super::build::{Build, held, numbers};
use crate::raw;
use crate::sink::{self, Form, KnownFlags, NodeId};
use crate::source::{LeafPart, WORDS, words_of};

/// What the rows of a logical type become.
pub(super) enum Made {
    /// By the parts of their storage.
    Leaf(Vec<LeafPart>),
    Set,
    FrozenSet,
    LongTuple,
}

/// What the rows of an extension become.
pub(super) enum Named {
    /// Members of an enum, by the numbers of their variants.
    Members(Vec<Option<Py<PyAny>>>),
    Flags(Py<Form>),
}

/// What the rows of wrapped values become.
#[derive(Default)]
pub(super) struct Wrappers {
    /// By the numbers of logical types and extensions.
    pub(super) logical: Vec<Made>,
    pub(super) extensions: Vec<Named>,
    /// The sites at which a type is requested, in ascending order.
    pub(super) asked: Vec<(usize, NodeId)>,
}

impl Wrappers {
    pub(super) fn clear(&mut self) {
        self.logical.clear();
        self.extensions.clear();
        self.asked.clear();
    }
}

impl Made {
    /// Chooses for a logical type and its storage, at a place of the schema.
    pub(super) fn of(schema: &SmallSchema, ty: &LogicalType, storage: usize) -> Option<Made> {
        let parts = match schema.type_at(storage) {
            SmallType::List => {
                let is_simple = is_simple_key(schema, storage + 1);
                return match ty.kind() {
                    LogicalType::LONG_TUPLE => Some(Made::LongTuple),
                    LogicalType::SET if is_simple => Some(Made::Set),
                    LogicalType::FROZEN_SET if is_simple => Some(Made::FrozenSet),
                    _ => None,
                };
            }
            SmallType::Tuple(count) => {
                let mut inside = storage + 1;
                let next = |_| {
                    let part = part_at(schema, inside);
                    inside = schema.end_of(inside);
                    part
                };
                (0..count).map(next).collected::<Option<Vec<_>>>()?
            }
            _ => vec![part_at(schema, storage)?],
        };
        (sink::has_leaves(ty) && parts.iter().map(|part| words_of(*part)).sum::<usize>() <= WORDS)
            .then_some(Made::Leaf(parts))
    }
}

impl Named {
    /// Chooses for an extension by a form, and what it holds, at a place of the schema. `name` returns the name with a number.
    pub(super) fn of<'n>(
        schema: &SmallSchema,
        form: Bound<'_, Form>,
        inside: usize,
        name: impl Fn(usize) -> Option<&'n str>,
    ) -> Option<Named> {
        let (py, own) = (form.py(), form.get());
        match schema.type_at(inside) {
            SmallType::Choice(number) if own.has_members() => {
                let types = &schema.types()[inside + 1..schema.end_of(inside)];
                if types.iter().any(|ty| *ty != SmallType::Null) {
                    return None;
                }
                let names = schema.fields()[number].names.clone();
                let names = schema.field_names()[names].iter();
                let member = |at: &usize| Some(own.member(py, name(*at)?).ok()?.map(Bound::unbind));
                Some(Named::Members(names.map(member).collected::<Option<_>>()?))
            }
            SmallType::Int if own.is_flag() => Some(Named::Flags(form.unbind())),
            _ => None,
        }
    }
}

/// Whether values of a type are equal in Python only if they are in data, and the reverse, and
/// comparing them runs no code of the program.
pub(super) fn is_simple_key(schema: &SmallSchema, at: usize) -> bool {
    matches!(
        schema.type_at(at),
        SmallType::Int | SmallType::String | SmallType::Bytes | SmallType::Never
    )
}

/// Returns the type of a part of a leaf.
fn part_at(schema: &SmallSchema, at: usize) -> Option<LeafPart> {
    Some(match schema.type_at(at) {
        SmallType::Int => Scalar::Int(IntKind::Int),
        SmallType::U8 => Scalar::Int(IntKind::U8),
        SmallType::I32 => Scalar::Int(IntKind::I32),
        SmallType::F64 => Scalar::F64,
        SmallType::Fixed(16) => Scalar::Fixed(16),
        _ => return None,
    })
}

impl<'py> Build<'_, 'py> {
    /// Reads rows of a logical type or an extension. Where a type is requested, all values must be of it.
    pub(super) fn wrapped(
        &mut self,
        reader: &mut SmallReader<'_>,
        at: usize,
        rows: usize,
    ) -> Option<()> {
        let first = self.values.len();
        match self.schema.type_at(at) {
            SmallType::Logical(number) => self.logical_values(reader, at, rows, number)?,
            SmallType::Extension(number) => self.members(reader, rows, number)?,
            _ => return None,
        }
        let asked = &self.wrappers.asked;
        let Ok(found) = asked.binary_search_by_key(&at, |(site, _)| *site) else {
            return Some(());
        };
        let node = self.types.get(asked[found].1)?;
        self.values[first..].iter().flatten().all(|value| node.takes_exactly(value)).then_some(())
    }

    fn logical_values(
        &mut self,
        reader: &mut SmallReader<'_>,
        at: usize,
        rows: usize,
        number: usize,
    ) -> Option<()> {
        reader.rows(rows)?;
        let (py, storage, wrappers) = (self.py, at + 1, self.wrappers);
        match &wrappers.logical[number] {
            Made::Leaf(parts) => {
                let ty = &self.schema.logical()[number];
                for words in self.words(reader, storage, rows, parts)? {
                    self.values.put(Some(sink::leaf(py, ty, &words).ok()??));
                }
                Some(())
            }
            Made::Set => self.lists(reader, storage, rows, |members| {
                let count = members.len();
                let set = PySet::new(py, members).ok()?;
                (set.len() == count).then_some(set.into_any())
            }),
            Made::FrozenSet => self.lists(reader, storage, rows, |members| {
                let count = members.len();
                let set = PyFrozenSet::new(py, members).ok()?;
                (set.len() == count).then_some(set.into_any())
            }),
            Made::LongTuple => self.lists(reader, storage, rows, |items| {
                Some(raw::tuple_of(py, items.map(held)).ok()?.into_any())
            }),
        }
    }

    /// Reads the parts of leaves: the words of each row.
    fn words(
        &self,
        reader: &mut SmallReader<'_>,
        storage: usize,
        rows: usize,
        parts: &[LeafPart],
    ) -> Option<Vec<[u64; WORDS]>> {
        if let SmallType::Tuple(_) = self.schema.type_at(storage) {
            reader.rows(rows)?;
        }
        let mut all = memory::filled([0; WORDS], rows);
        let mut first = 0;
        for part in parts {
            let after = first + words_of(*part);
            let mut places = all.iter_mut().flat_map(|words| &mut words[first..after]);
            reader.words(*part, rows, |word| {
                if let Some(place) = places.next() {
                    *place = word;
                }
            })?;
            first = after;
        }
        Some(all)
    }

    /// Reads members of an enum, or flags.
    fn members(&mut self, reader: &mut SmallReader<'_>, rows: usize, number: usize) -> Option<()> {
        reader.rows(rows)?;
        let wrappers = self.wrappers;
        match &wrappers.extensions[number] {
            Named::Members(members) => {
                let variants = match members.len() {
                    1 => {
                        reader.rows(rows)?;
                        memory::filled(0, rows)
                    }
                    _ => numbers(reader, rows)?,
                };
                // The payloads, which are null.
                reader.rows(rows)?;
                for variant in variants {
                    let member = members.get(variant)?.as_ref()?;
                    self.values.put(Some(member.bind(self.py).clone()));
                }
            }
            Named::Flags(form) => {
                self.left = self.left.checked_sub(rows)?;
                let known = form.get().known_flags(self.py)?;
                let (mut known, mut has_all) = (KnownFlags::of(&known, rows), true);
                reader.ints(rows, |bits| {
                    let member = known.get(bits);
                    has_all &= member.is_some();
                    self.values.put(member);
                })?;
                has_all.then_some(())?;
            }
        }
        Some(())
    }
}
