//! A block of a Rust type with sites whose types the values decide: the schema of the type, with what was inferred for each of
//! these sites in its place, and their columns between those of the type.
//!
//! The schema is copied type by type, in the order of its bytes, which is also that of the columns (F-23). Definitions are
//! numbered anew, in the order in which they are mentioned (F-20). Their rows keep their order: those of a definition
//! inside such a site have only this site around them, whose rows are in the order of the walk.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::gather::ValueRows;
use crate::column::Settings;
use crate::column::ahead::{Ahead, Rows};
use crate::dynamic::{Layout, Shredder};
use crate::error::Result;
use crate::limits::beyond_output;
use crate::memory::{self, GrowVec};
use crate::message::Written;
use crate::number::write_varint;
use crate::platform::HashMap;
use crate::schema::{DType, Fields, Form, Schema, SchemaWriter, Type, TypeId, code};
use crate::typed::buffers::{Buffers, mismatch};
use crate::typed::plan::Plan;

/// Gathered rows, ready to be written.
pub(super) struct Spliced<'w> {
    pub(super) schema: Schema,
    plan: &'w Plan,
    typed: &'w Buffers,
    values: &'w ValueRows,
    sources: Vec<InferredSite<'w>>,
    /// The definitions: the source and the number there.
    bodies: Vec<(SourceId, usize)>,
    steps: Vec<Step>,
}

/// The number of a source; the first is the type itself.
type SourceId = usize;
const TYPED: SourceId = 0;

/// What was inferred for a site.
struct InferredSite<'w> {
    shredder: &'w Shredder,
    layout: Layout,
    schema: Schema,
    /// The step that writes the columns of each type.
    steps: Vec<Option<usize>>,
}

/// The columns of one type.
enum Step {
    /// By the number of the type.
    Typed(TypeId),
    /// By the number of the layout's step. The rows of a record begin with as many fields of the type itself.
    Inferred { source: SourceId, step: usize, others: usize },
}

impl<'w> Spliced<'w> {
    /// Joins the rows of a plan.
    pub(super) fn of(
        plan: &'w Plan,
        typed: &'w Buffers,
        values: &'w ValueRows,
    ) -> Result<Spliced<'w>> {
        let mut splicer = Splicer {
            plan,
            values,
            with_columns: plan.schema.with_columns(),
            schema: SchemaWriter::default(),
            sources: Vec::new(),
            numbers: HashMap::new(),
            bodies: Vec::new(),
            steps: Vec::new(),
        };
        splicer.copy(TYPED, 0, 1)?;
        let mut next = 0;
        while let Some(&(source, number)) = splicer.bodies.get(next) {
            let body = splicer.schema_of(source).definitions()[number];
            splicer.copy(source, body, 1)?;
            next += 1;
        }
        let Splicer { schema, sources, bodies, steps, .. } = splicer;
        let mut bytes = memory::with_capacity(schema.len() + 2);
        write_varint(&mut bytes, bodies.len() as u64);
        bytes.put_each(schema.into_bytes());
        let schema = Schema::from_bytes(&bytes).map_err(crate::error::Error::unplaced)?;
        Ok(Spliced { schema, plan, typed, values, sources, bodies, steps })
    }

    /// Returns the rows of a step that can be encoded apart.
    fn rows_apart(&self, step: &Step) -> Option<Rows<'_>> {
        match *step {
            Step::Typed(id) => Some(Rows::from(&self.typed.columns[id])),
            Step::Inferred { source, step, .. } => {
                let InferredSite { shredder, layout, .. } = &self.sources[source - 1];
                shredder.rows_apart(&layout.steps()[step])
            }
        }
    }
}

impl Written for Spliced<'_> {
    fn definitions(&self) -> usize {
        self.bodies.len()
    }

    fn write_schema(&self, out: &mut Vec<u8>) {
        let bytes = self.schema.as_bytes();
        out.put_slice(if self.bodies.is_empty() { &bytes[1..] } else { bytes });
    }

    fn fingerprint(&self) -> u64 {
        self.schema.fingerprint()
    }

    fn self_contained(&self) -> Cow<'_, [u8]> {
        self.schema.as_bytes().into()
    }

    fn wants_alignment(&self) -> bool {
        self.typed.wants_alignment() || self.values.shredders().any(Shredder::wants_alignment)
    }

    fn most_units(&self, roots: u64) -> u64 {
        let inferred = self.values.shredders();
        inferred.fold(self.typed.most_units(&self.plan.schema, roots), |sum, shredder| {
            sum.saturating_add(shredder.units(shredder.size()))
        })
    }

    fn schema(&self) -> Result<Schema> {
        Ok(self.schema.clone())
    }

    fn write_block(
        &self,
        out: &mut Vec<u8>,
        settings: Settings,
        limit: usize,
        ends: &mut dyn FnMut(usize),
    ) -> Result<()> {
        for &(source, number) in &self.bodies {
            write_varint(
                out,
                match source {
                    TYPED => self.typed.definition_rows()[number],
                    source => {
                        let InferredSite { shredder, layout, .. } = &self.sources[source - 1];
                        layout.rows(shredder, number)
                    }
                },
            );
        }
        ends(out.len());
        let rows = |number: usize| self.rows_apart(&self.steps[number]);
        let mut ahead = Ahead::encode(self.steps.len(), rows, settings);
        for (number, step) in self.steps.iter().enumerate() {
            match (self.rows_apart(step), step) {
                (Some(rows), _) => ahead.write(number, rows, out, settings),
                (None, &Step::Inferred { source, step, others }) => {
                    let InferredSite { shredder, layout, .. } = &self.sources[source - 1];
                    shredder.write_behind(&layout.steps()[step], others, out, settings);
                }
                (None, Step::Typed(_)) => {}
            }
            if out.len() > limit {
                return Err(beyond_output(limit));
            }
            ends(out.len());
        }
        Ok(())
    }
}

struct Splicer<'w> {
    plan: &'w Plan,
    values: &'w ValueRows,
    with_columns: Vec<bool>,
    schema: SchemaWriter,
    sources: Vec<InferredSite<'w>>,
    numbers: HashMap<(SourceId, usize), usize>,
    bodies: Vec<(SourceId, usize)>,
    steps: Vec<Step>,
}

impl<'w> Splicer<'w> {
    fn schema_of(&self, source: SourceId) -> Schema {
        match source.checked_sub(1) {
            None => self.plan.schema.clone(),
            Some(inferred) => self.sources[inferred].schema.clone(),
        }
    }

    /// Adds what was inferred for a site on a nesting level.
    fn add(&mut self, shredder: &'w Shredder, level: usize) -> Result<SourceId> {
        let layout = shredder.layout_at(level)?;
        let schema = layout.to_schema()?;
        // Both are in the order of the schema's bytes.
        let mut steps =
            (0..layout.steps().len()).filter(|step| shredder.has_columns(&layout.steps()[*step]));
        let steps =
            schema.with_columns().into_iter().map(|has| if has { steps.next() } else { None });
        let steps = steps.collect();
        self.sources.put(InferredSite { shredder, layout, schema, steps });
        Ok(self.sources.len())
    }

    /// Adds the step of a type that has columns.
    fn step(&mut self, source: SourceId, id: TypeId, others: usize) {
        let step = match source.checked_sub(1) {
            None => self.with_columns[id].then_some(Step::Typed(id)),
            Some(inferred) => {
                self.sources[inferred].steps[id].map(|step| Step::Inferred { source, step, others })
            }
        };
        self.steps.put_each(step);
    }

    /// Copies a type. The recursion is at most twice NESTING levels deep: both schemas are valid by themselves.
    fn copy(&mut self, source: SourceId, id: TypeId, level: usize) -> Result<()> {
        let plan = self.plan;
        if source == TYPED {
            if let Ok(number) = plan.values.binary_search(&id) {
                let inferred = self.add(&self.values.values[number], level)?;
                return self.copy(inferred, 0, level);
            }
            if let Ok(number) = plan.unknown.binary_search(&id)
                && let Some(shredder) = &self.values.unknown[number].shredder
            {
                let unknown = self.add(shredder, level)?;
                return self.fields_with(id, unknown, level);
            }
        }
        self.step(source, id, 0);
        let (of, inside) = (self.schema_of(source), level + 1);
        match &of.types()[id] {
            Type::Scalar(scalar) => self.schema.scalar(*scalar),
            Type::Def(number) | Type::Shared(number) => {
                self.schema.code(of.types()[id].code());
                self.definition(source, *number);
            }
            Type::Tensor(inner) => {
                self.schema.code(code::TENSOR);
                DType::of(of.types(), *inner).write(&mut self.schema);
            }
            Type::Logical(ty, storage) => {
                self.schema.logical(ty);
                self.copy(source, *storage, inside)?;
            }
            Type::Unknown(code, parameters) => {
                self.schema.code(*code);
                self.schema.later(parameters);
            }
            Type::Struct(name, fields) => {
                self.schema.code(code::STRUCT);
                self.schema.name(name);
                self.fields(source, fields, inside)?;
            }
            Type::Record(fields) => {
                self.schema.code(code::RECORD);
                self.fields(source, fields, inside)?;
            }
            Type::Union(union) => {
                self.schema.code(code::UNION);
                self.schema.number(2 * union.variants.len() + usize::from(union.names.is_some()));
                for (number, variant) in union.variants.iter().enumerate() {
                    union.names.iter().for_each(|names| self.schema.name(&names[number]));
                    self.copy(source, *variant, inside)?;
                }
            }
            ty => {
                self.schema.code(ty.code());
                match ty {
                    Type::Array(len, _) => self.schema.varint(*len),
                    Type::Tuple(items) => self.schema.number(items.len()),
                    Type::Extension(name, _) => self.schema.name(name),
                    _ => {}
                }
                ty.children().try_for_each(|inner| self.copy(source, inner, inside))?;
            }
        }
        Ok(())
    }

    fn definition(&mut self, source: SourceId, number: usize) {
        let next = self.bodies.len();
        let definition = *self.numbers.entry((source, number)).or_insert(next);
        if definition == next {
            self.bodies.put((source, number));
        }
        self.schema.number(definition);
    }

    fn named(&mut self, source: SourceId, fields: &Fields, level: usize) -> Result<()> {
        fields.fields.iter().try_for_each(|(name, field)| {
            self.schema.name(name);
            self.copy(source, *field, level)
        })
    }

    fn fields(&mut self, source: SourceId, fields: &Fields, level: usize) -> Result<()> {
        self.schema.number(4 * fields.fields.len() + form(fields));
        self.named(source, fields, level)?;
        self.shapes(fields, 0);
        Ok(())
    }

    /// Copies a struct or record of the type: its own fields, which each row has, then the unknown ones.
    fn fields_with(&mut self, id: TypeId, unknown: SourceId, level: usize) -> Result<()> {
        let (of, inferred) = (self.schema_of(TYPED), self.schema_of(unknown));
        let (own, name) = match &of.types()[id] {
            Type::Struct(name, own) => (own, Some(name)),
            Type::Record(own) => (own, None),
            _ => return Err(mismatch()),
        };
        // The rows are objects of one name.
        let Type::Struct(_, others) = &inferred.types()[0] else { return Err(mismatch()) };
        let count = own.fields.len();
        self.step(unknown, 0, count);
        self.schema.code(of.types()[id].code());
        name.into_iter().for_each(|name| self.schema.name(name));
        self.schema.number(4 * (count + others.fields.len()) + form(others));
        self.named(TYPED, own, level + 1)?;
        self.named(unknown, others, level + 1)?;
        self.shapes(others, count);
        Ok(())
    }

    /// Writes the shapes of a type, of rows that begin with as many other fields (F-18).
    fn shapes(&mut self, fields: &Fields, others: usize) {
        let Form::Several(shapes) = &fields.form else { return };
        self.schema.number(shapes.len());
        for shape in Arc::clone(shapes).iter() {
            self.schema.number(others + shape.len());
            let fields = (0..others).chain(shape.iter().map(|field| others + field));
            fields.for_each(|field| self.schema.number(field));
        }
    }
}

/// The form of a record or struct in the schema (F-17).
fn form(fields: &Fields) -> usize {
    match fields.form {
        Form::One => 0,
        Form::Several(_) => 1,
        Form::Sparse => 2,
    }
}
