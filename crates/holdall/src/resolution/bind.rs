//! Uses the columns of one schema as those of another, without reading rows: where a type of r holds what a type of w holds, it
//! takes over its column.
//!
//! This covers most changes of types: added, removed and reordered fields, numbers of another width, values made optional,
//! reordered variants. If a rule needs more, or a row does not fit, nothing is bound and each value is converted.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::fields::{Absent, FieldRule, FieldsRule};
use super::plan::{PlanStep, ResolutionPlan, StepId};
use super::rules::{Rule, Sequence};
use crate::block::{Block, Column, count_inside};
use crate::column::bits::Bits;
use crate::dynamic::{BlockReader, Event, Sink, assemble_next};
use crate::error::Result;
use crate::memory::{self, GrowVec};
use crate::number::IntKind;
use crate::platform::HashMap;
use crate::schema::{Fields, Form, Scalar, Schema, Shape, Type, TypeId};

/// Where the columns of r come from.
pub(crate) struct Binding {
    /// For each type of r.
    sources: Vec<ColumnSource>,
    /// The types of r that take any value, which have no columns.
    any: Vec<AnyRows>,
}

/// A type of r that takes any value, and what its rows are.
struct AnyRows {
    reader: TypeId,
    values: AnyValue,
}

enum AnyValue {
    /// A row of this type of w.
    Row(TypeId),
    /// A record of the fields that r lacks.
    Record(Shape, Vec<TypeId>),
}

/// The columns of w that those of r did not take, and the number of rows of each type of r that takes any value.
pub(crate) struct Rest<'a> {
    block: Block<'a>,
    rows: Vec<u64>,
}

/// The source of a column.
#[derive(Clone)]
enum ColumnSource {
    /// The type has no column, or no rows.
    None,
    /// The complete column of a type of w.
    Column(TypeId),
    /// Integers of another kind, if all are within its range.
    Ints(TypeId, IntKind, IntKind),
    /// An option that is always present, or never.
    Presence(bool),
    /// Variants renumbered, indexed by w's numbers; `None` for variants that r lacks.
    Variants(TypeId, Vec<Option<u64>>),
}

/// Makes a binding; fails if a rule needs rows.
struct Binder<'p> {
    plan: &'p ResolutionPlan,
    sources: Vec<ColumnSource>,
    any: Vec<AnyRows>,
}

impl Binding {
    pub(super) fn of(plan: &ResolutionPlan) -> Option<Binding> {
        let (w, r) = (plan.writer(), plan.reader());
        if !(w.definitions().is_empty() && r.definitions().is_empty()) {
            return None;
        }
        let sources = memory::filled(ColumnSource::None, r.types().len());
        let mut binder = Binder { plan, sources, any: Vec::new() };
        binder.bind(plan.step_for(0), 0, 0)?;
        Some(Binding { sources: binder.sources, any: binder.any })
    }

    /// Emits the values of the types of r that take any, and calls a function with the type after each.
    pub(crate) fn emit_any<S: Sink>(
        &self,
        writer: &Schema,
        mut rest: Rest<'_>,
        sink: &mut S,
        mut after: impl FnMut(&mut S, TypeId) -> Result<()>,
    ) -> Result<()> {
        let mut reader = BlockReader::new(writer, &mut rest.block);
        for (any, rows) in self.any.iter().zip(rest.rows) {
            for _ in 0..rows {
                match &any.values {
                    AnyValue::Row(w) => assemble_next(&mut reader, *w, sink)?,
                    AnyValue::Record(shape, fields) => {
                        sink.event(Event::Record(shape))?;
                        fields.iter().try_for_each(|w| assemble_next(&mut reader, *w, sink))?;
                        sink.event(Event::End)?;
                    }
                }
                after(sink, any.reader)?;
            }
        }
        Ok(())
    }

    /// Returns the columns of r for a block of w with this many roots, and what is left for [`Binding::emit_any`]; the block
    /// itself if a row does not fit.
    pub(crate) fn apply<'a>(
        &self,
        reader: &Schema,
        mut block: Block<'a>,
        roots: u64,
    ) -> core::result::Result<(Block<'a>, Option<Rest<'a>>), Block<'a>> {
        if !self.sources.iter().all(|source| source.fits(&block)) {
            return Err(block);
        }
        let types = reader.types();
        let mut rows = memory::filled(0_u64, types.len());
        rows[0] = roots;
        let (mut columns, mut starts) = (memory::with_capacity(types.len()), Vec::new());
        for (id, source) in self.sources.iter().enumerate() {
            let n = rows[id];
            let mut take = |w: TypeId| {
                starts.put_fill(id, 0);
                starts.put(block.starts[w]);
                core::mem::replace(&mut block.columns[w], Column::None)
            };
            let column = match source {
                _ if n == 0 => Column::None,
                ColumnSource::None => Column::None,
                ColumnSource::Column(w) => take(*w),
                ColumnSource::Ints(w, from, into) => match take(*w) {
                    Column::Ints(ints) => Column::Ints(ints.converted(*from, *into)),
                    column => column,
                },
                ColumnSource::Presence(is_present) => {
                    Column::Bits(Bits::same(*is_present, n as usize))
                }
                ColumnSource::Variants(w, numbers) => Column::Numbers(match take(*w) {
                    Column::Numbers(which) => {
                        which.iter().filter_map(|which| numbers[*which as usize]).collect()
                    }
                    // w has one variant.
                    _ => memory::filled(numbers[0].unwrap_or_default(), n as usize),
                }),
            };
            count_inside(&types[id], &column, &mut rows, id);
            columns.put(column);
        }
        starts.put_fill(types.len(), 0);
        let rest = (!self.any.is_empty()).then(|| {
            let rows = self.any.iter().map(|any| rows[any.reader]).collect();
            Rest { block, rows }
        });
        Ok((Block::of_columns(columns, starts), rest))
    }
}

impl ColumnSource {
    /// Whether all rows of the column can be taken.
    fn fits(&self, block: &Block<'_>) -> bool {
        match self {
            ColumnSource::None | ColumnSource::Presence(_) => true,
            ColumnSource::Column(w) => !matches!(block.columns[*w], Column::Unknown),
            ColumnSource::Ints(w, from, into) => match &block.columns[*w] {
                Column::Ints(ints) => ints.fit(*from, *into),
                column => matches!(column, Column::None),
            },
            ColumnSource::Variants(w, numbers) => match &block.columns[*w] {
                Column::Numbers(which) => {
                    which.iter().all(|which| numbers[*which as usize].is_some())
                }
                _ => numbers.len() != 1 || numbers[0].is_some(),
            },
        }
    }
}

fn all_have_all(fields: &Fields) -> bool {
    matches!(fields.form, Form::One)
}

impl Binder<'_> {
    /// Binds a type of r, and those inside it, to a type of w. The recursion is at most NESTING levels deep in both.
    fn bind(&mut self, step: StepId, w: TypeId, r: TypeId) -> Option<()> {
        let (plan, own) = (self.plan, step);
        let (writer, reader) = (&plan.writer().types()[w], &plan.reader().types()[r]);
        let rule = match plan.step(step) {
            PlanStep::Rule(rule) => rule,
            PlanStep::Present(inner) => return self.present(*inner, w, r),
            PlanStep::Logical(_, inner) | PlanStep::Extension(_, inner) => {
                let (Type::Logical(_, into) | Type::Extension(_, into)) = reader else {
                    return None;
                };
                return self.bind(*inner, w, *into);
            }
            PlanStep::Fail | PlanStep::Null | PlanStep::Variant(..) => return None,
        };
        let pair = |pair: &usize| plan.step_for(*pair);
        match (rule, writer, reader) {
            (Rule::Never, ..) => {}
            (Rule::Any, ..) => self.any.put(AnyRows { reader: r, values: AnyValue::Row(w) }),
            (Rule::Present(inner), ..) => self.present(pair(inner), w, r)?,
            (Rule::Same, Type::Scalar(_) | Type::Null, _) => {
                self.sources[r] = ColumnSource::Column(w);
            }
            (Rule::Int(_), Type::Scalar(Scalar::Int(from)), Type::Scalar(Scalar::Int(into))) => {
                self.sources[r] = match from == into {
                    true => ColumnSource::Column(w),
                    false if from.is_wide() || into.is_wide() => return None,
                    false => ColumnSource::Ints(w, *from, *into),
                };
            }
            (Rule::Float(_) | Rule::Blob(_), Type::Scalar(from), Type::Scalar(into))
                if from == into =>
            {
                self.sources[r] = ColumnSource::Column(w);
            }
            (Rule::Options(some), Type::Option(from), Type::Option(into)) => {
                self.sources[r] = ColumnSource::Column(w);
                self.bind(pair(some), *from, *into)?;
            }
            (
                Rule::Logical { storage, scale: None, .. },
                Type::Logical(_, from),
                Type::Logical(_, into),
            ) => self.bind(pair(storage), *from, *into)?,
            (Rule::Extension(_, inner), Type::Extension(_, from), Type::Extension(_, into)) => {
                self.bind(pair(inner), *from, *into)?;
            }
            (Rule::Inside(inner), Type::Logical(_, from) | Type::Extension(_, from), _) => {
                self.bind(pair(inner), *from, r)?;
            }
            (Rule::Items(Sequence::List, item), Type::List(from), Type::List(into)) => {
                self.sources[r] = ColumnSource::Column(w);
                self.bind(pair(item), *from, *into)?;
            }
            (Rule::Items(Sequence::Array(_), item), Type::Array(_, from), Type::Array(_, into)) => {
                self.bind(pair(item), *from, *into)?;
            }
            (Rule::Each(Sequence::Tuple(_), items), Type::Tuple(from), Type::Tuple(into)) => {
                for ((item, from), into) in items.iter().zip(from).zip(into) {
                    self.bind(pair(item), *from, *into)?;
                }
            }
            (
                Rule::Fields(fields),
                Type::Record(from) | Type::Struct(_, from),
                Type::Record(into) | Type::Struct(_, into),
            ) if all_have_all(from) && all_have_all(into) => self.fields(fields, from, into)?,
            (Rule::Map { key, value }, Type::Map(from, of), Type::Map(into, with))
                if !plan.compared.contains(&own) =>
            {
                self.sources[r] = ColumnSource::Column(w);
                self.bind(pair(key), *from, *into)?;
                self.bind(pair(value), *of, *with)?;
            }
            (Rule::Variants(variants), Type::Union(from), Type::Union(into)) => {
                let names = into.names.as_ref()?;
                let number = |name| names.iter().position(|own| own == name);
                let (mut numbers, mut taken) = (Vec::new(), memory::filled(false, names.len()));
                for ((_, known), payload) in variants.iter().zip(&from.variants) {
                    let Some((name, inner)) = known else {
                        numbers.put(None);
                        continue;
                    };
                    let number = number(name)?;
                    numbers.put(Some(number as u64));
                    let Some(inner) = inner else { continue };
                    // The payloads of two variants would have to be merged.
                    if core::mem::replace(&mut taken[number], true) {
                        return None;
                    }
                    self.bind(pair(inner), *payload, into.variants[number])?;
                }
                self.sources[r] = match into.variants.len() {
                    1 if numbers.iter().all(Option::is_some) => ColumnSource::None,
                    1 => return None,
                    _ => ColumnSource::Variants(w, numbers),
                };
            }
            _ => return None,
        }
        Some(())
    }

    /// Binds an option of r whose values are all present.
    fn present(&mut self, step: StepId, w: TypeId, r: TypeId) -> Option<()> {
        let Type::Option(inner) = self.plan.reader().types()[r] else { return None };
        self.sources[r] = ColumnSource::Presence(true);
        self.bind(step, w, inner)
    }

    fn fields(&mut self, rule: &FieldsRule, from: &Fields, into: &Fields) -> Option<()> {
        let places: HashMap<&str, TypeId> =
            from.fields.iter().map(|(name, field)| (&**name, *field)).collect();
        let mut sources = memory::filled(None, rule.fields.len());
        for (name, source) in &rule.sources {
            if let Some(pair) = source.pair {
                sources[source.field] = Some((pair, *places.get(&**name)?));
            }
        }
        for ((field, source), (_, r)) in rule.fields.iter().zip(sources).zip(&into.fields) {
            let FieldRule { pairs, absent, .. } = field;
            match (source, &pairs[..]) {
                (Some((pair, w)), [only]) if *only == pair => {
                    self.bind(self.plan.step_for(pair), w, *r)?;
                }
                (None, []) if matches!(absent, Absent::Unknown(true)) => {
                    let unknown =
                        |(name, _): &&(Arc<str>, TypeId)| !rule.sources.contains_key(name);
                    let (names, fields): (Vec<_>, _) =
                        from.fields.iter().filter(unknown).cloned().unzip();
                    let values = AnyValue::Record(Shape::new(0, names.into()), fields);
                    self.any.put(AnyRows { reader: *r, values });
                }
                (None, []) => self.absent(*absent, *r)?,
                _ => return None,
            }
        }
        Some(())
    }

    /// Binds a field that w lacks.
    fn absent(&mut self, absent: Absent, r: TypeId) -> Option<()> {
        match (absent, &self.plan.reader().types()[r]) {
            (Absent::Null, Type::Option(_)) => self.sources[r] = ColumnSource::Presence(false),
            (Absent::Null, Type::Null) | (Absent::Unknown(false), _) => {}
            _ => return None,
        }
        Some(())
    }
}
