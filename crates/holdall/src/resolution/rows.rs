//! Reads rows of structs, records and maps as rows of structs and records (F-79), and as maps.

use alloc::rc::Rc;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::convert::{Converter, ROW, behind};
use super::fields::{Absent, FieldsRule};
use super::frames::OpenContainer;
use super::plan::StepId;
use super::rule_ids::{FIELDS, UNKNOWN};
use super::rules::PairId;
use crate::dynamic::{Entry, Event, Sink, TextKind};
use crate::error::{Code, Error, Result};
use crate::memory::{self, GrowMap, GrowSet, GrowVec};
use crate::platform::{HashMap, HashSet};
use crate::schema::{Shape, path};

/// The fields of a row of r, computed once for each shape of w's rows.
pub(super) struct RowPlan {
    pub(super) shape: Shape,
    pub(super) values: Vec<FieldValue>,
    /// The fields of w's row that r lacks, if r takes them and there are some.
    pub(super) unknown: Option<Rc<RowPlan>>,
}

/// The source of a field's value.
#[derive(Clone, Copy)]
pub(super) enum FieldValue {
    /// The value at this position in w's row.
    Taken(usize, PairId),
    Default(usize, PairId),
    Null,
    /// A record of unknown fields.
    Unknown,
}

/// The shapes so far, so that equal shapes share an index.
#[derive(Default)]
pub(super) struct ShapeIndex(HashMap<Arc<[Arc<str>]>, Shape>);

impl ShapeIndex {
    pub(super) fn of(&mut self, keys: Vec<Arc<str>>) -> Shape {
        let keys: Arc<[_]> = keys.into();
        let new = self.0.len();
        let shape = self.0.entry(Arc::clone(&keys)).or_insert_with(|| Shape::new(new, keys));
        shape.clone()
    }
}

/// Plans of rows, by step and shape.
pub(super) type RowPlans = HashMap<(StepId, usize), Rc<RowPlan>>;

/// The error for a row's fault at one of its fields. Its path is the step to that field.
pub(super) fn fault(code: Code, name: &str) -> Error {
    let error = Error::new(code).by(FIELDS).with_path(|| path::field(name));
    match code {
        Code::MissingField => {
            error.expected(format!("a field {name:?}, or a default for it")).got("neither")
        }
        Code::UnknownField => {
            error.expected("only fields that the reader knows").got(format!("{name:?}"))
        }
        _ => error.expected("each key once").got(format!("{name:?} twice")),
    }
}

/// The best key found for a field, by its name or an alias.
#[derive(Clone, Copy)]
struct Best<'k> {
    /// The position of the key's name among the field's names; the lowest wins.
    rank: usize,
    /// The position of the key in the row.
    place: usize,
    pair: PairId,
    /// The key, if the row has it twice.
    twice: Option<&'k str>,
}

impl FieldsRule {
    /// Plans how to read rows with these keys.
    pub(super) fn row_plan<'k>(
        &self,
        keys: impl Iterator<Item = &'k str>,
        shapes: &mut ShapeIndex,
    ) -> Result<RowPlan> {
        let mut best: Vec<Option<Best<'k>>> = memory::filled(None, self.fields.len());
        let (mut unknown, mut seen) = (Vec::new(), HashSet::new());
        for (place, key) in keys.enumerate() {
            let Some(source) = self.sources.get(key) else {
                if let Some((_, pair)) = self.unknown {
                    unknown.put((Arc::from(key), FieldValue::Taken(place, pair)));
                    if self.of_map && !seen.put(key) {
                        return Err(fault(Code::DuplicateKey, key));
                    }
                }
                if self.of_map && self.deny_unknown {
                    return Err(fault(Code::UnknownField, key));
                }
                continue;
            };
            let Some(pair) = source.pair else { continue };
            let best = &mut best[source.field];
            match best {
                Some(best) if best.rank < source.rank => {}
                // Only maps whose keys readers do not compare can have a key twice. It is an error only if the field takes it
                // (F-79).
                Some(best) if best.rank == source.rank => best.twice = Some(key),
                _ => *best = Some(Best { rank: source.rank, place, pair, twice: None }),
            }
        }
        let mut values: Vec<(usize, FieldValue)> = memory::with_capacity(self.fields.len());
        let mut added = Vec::new();
        for (number, field) in self.fields.iter().enumerate() {
            let value = match (best[number], field.absent) {
                (Some(Best { twice: Some(key), .. }), _) => {
                    return Err(fault(Code::DuplicateKey, key));
                }
                (Some(Best { place, pair, .. }), _) => FieldValue::Taken(place, pair),
                (None, Absent::Default(default, pair)) => FieldValue::Default(default, pair),
                (None, Absent::Null) => FieldValue::Null,
                (None, Absent::Left) => continue,
                (None, Absent::Unknown(_)) => FieldValue::Unknown,
                (None, Absent::Missing) => return Err(fault(Code::MissingField, &field.name)),
            };
            match value {
                FieldValue::Default(..) if self.keeps_shape => added.put((number, value)),
                value => values.put((number, value)),
            }
        }
        if self.keeps_shape {
            values.sort_by_key(|(_, value)| match value {
                FieldValue::Taken(place, _) => *place,
                FieldValue::Default(..) | FieldValue::Null | FieldValue::Unknown => usize::MAX,
            });
        }
        values.append(&mut added);
        let keys =
            values.iter().map(|(number, _)| Arc::clone(&self.fields[*number].name)).collect();
        let values = values.into_iter().map(|(_, value)| value).collect();
        let unknown = (!unknown.is_empty()).then(|| {
            let (keys, values) = unknown.into_iter().unzip();
            Rc::new(RowPlan { shape: shapes.of(keys), values, unknown: None })
        });
        Ok(RowPlan { shape: shapes.of(keys), values, unknown })
    }
}

/// Line 24: makes an entry of each field of a row.
pub(super) fn entries_plan(
    keys: &[Arc<str>],
    entries: &[(Arc<str>, PairId)],
    places: &HashMap<Arc<str>, usize>,
    shapes: &mut ShapeIndex,
) -> RowPlan {
    let known = |key: &Arc<str>| places.get(key).map(|place| entries[*place].1);
    let values = keys
        .iter()
        .enumerate()
        .filter_map(|(place, key)| Some((Arc::clone(key), FieldValue::Taken(place, known(key)?))));
    let (keys, values) = values.unzip();
    RowPlan { shape: shapes.of(keys), values, unknown: None }
}

impl<S: Sink> Converter<'_, '_, S> {
    /// Appends the positions of a row's values to `places`. Returns the index of the first.
    pub(super) fn places_of(&mut self, at: usize, shape: usize) -> Result<usize> {
        let first = self.places.len();
        let mut next = at + 1;
        for _ in 0..self.tape.shape(shape).keys().len() {
            self.places.put(next);
            next = behind(self.tape, next, &mut self.budget)?;
        }
        Ok(first)
    }

    pub(super) fn begin_row(
        &mut self,
        name: Option<&Arc<str>>,
        plan: Rc<RowPlan>,
        first: usize,
    ) -> Result<()> {
        match name {
            Some(name) => self.sink.event(Event::Struct(name, &plan.shape))?,
            None => self.sink.event(Event::Record(&plan.shape))?,
        }
        self.stack.put(OpenContainer::Row { plan, first, index: 0 });
        Ok(())
    }

    /// Emits the fields of an open row that r lacks as a record; null if there are none.
    pub(super) fn unknown(&mut self, plan: &RowPlan, first: usize) -> Result<()> {
        self.charge(ROW)?;
        let Some(unknown) = &plan.unknown else { return self.sink.event(Event::Null) };
        // A row that ends drops the positions of its values, and this one has not ended.
        let own = self.places.len();
        self.places.extend_from_within(first..);
        self.begin_row(None, Rc::clone(unknown), own)
    }

    /// Reads a row of a struct or record as a row of another.
    pub(super) fn row(
        &mut self,
        at: usize,
        step: StepId,
        shape: usize,
        fields: &FieldsRule,
    ) -> Result<()> {
        let row = match self.rows.get(&(step, shape)) {
            Some(row) => Rc::clone(row),
            None => {
                self.charge_names(shape)?;
                let keys = self.tape.shape(shape).keys().iter().map(|key| &**key);
                let row = Rc::new(fields.row_plan(keys, &mut self.shapes)?);
                self.rows.put((step, shape), Rc::clone(&row));
                row
            }
        };
        let first = self.places_of(at, shape)?;
        self.begin_row(fields.name.as_ref(), row, first)
    }

    /// Charges for a shape's names, which are compared once per step.
    fn charge_names(&mut self, shape: usize) -> Result<()> {
        let names = self.tape.shape(shape).keys().iter();
        let bytes = names.fold(0_usize, |sum, name| sum.saturating_add(name.len()));
        self.charge(bytes)
    }

    /// Reads a row as a map.
    pub(super) fn row_as_map(
        &mut self,
        at: usize,
        step: StepId,
        shape: usize,
        entries: &[(Arc<str>, PairId)],
    ) -> Result<()> {
        let row = match (self.rows.get(&(step, shape)), self.plan.names.get(&step)) {
            (Some(row), _) => Rc::clone(row),
            (None, names) => {
                self.charge_names(shape)?;
                let none = HashMap::new();
                let (keys, names) = (self.tape.shape(shape).keys(), names.unwrap_or(&none));
                let row = Rc::new(entries_plan(keys, entries, names, &mut self.shapes));
                self.rows.put((step, shape), Rc::clone(&row));
                row
            }
        };
        let first = self.places_of(at, shape)?;
        self.sink.event(Event::Map(row.values.len()))?;
        self.stack.put(OpenContainer::Entries { plan: row, first, index: 0 });
        Ok(())
    }

    /// Reads a map with string keys as a row.
    pub(super) fn row_of_map(&mut self, at: usize, len: usize, fields: &FieldsRule) -> Result<()> {
        let first = self.places.len();
        let mut keys = memory::with_capacity(len);
        let mut next = at + 1;
        for _ in 0..len {
            let mut key = next;
            // A key that is a row of a definition can be a reference to an earlier one.
            while let Entry::Identity | Entry::Ref(_) = self.tape.entries[key] {
                self.charge(ROW)?;
                key = match self.tape.entries[key] {
                    Entry::Ref(place) => place + 1,
                    _ => key + 1,
                };
            }
            let place = behind(self.tape, next, &mut self.budget)?;
            self.places.put(place);
            keys.put(match self.tape.entries[key] {
                Entry::Text(TextKind::String, span) => {
                    self.charge(span.len())?;
                    span
                }
                _ => {
                    return Err(Error::new(Code::Unconvertible)
                        .expected("string keys")
                        .by(UNKNOWN));
                }
            });
            next = behind(self.tape, place, &mut self.budget)?;
        }
        let keys = keys.into_iter().map(|span| self.tape.text_of(span));
        let row = fields.row_plan(keys, &mut self.shapes)?;
        self.begin_row(fields.name.as_ref(), Rc::new(row), first)
    }
}
