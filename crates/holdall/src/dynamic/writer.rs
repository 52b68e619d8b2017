//! What the shredder found to bytes: the schema in canonical form, then the columns in its order (F-48, F-54).

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::Shredder;
use super::records::RecordType;
use super::sites::{Body, RowTypeId, SiteId, Uses, Variant};
use crate::column::{bits, floats, ints, text};
use crate::error::{Code, Error, Result};
use crate::limits::TYPES;
use crate::message::Profile;
use crate::number::write_varint;
use crate::schema::{Scalar, Schema, SchemaWriter, code};

/// In place, a row type's code stands above this nesting level (F-54).
const IN_PLACE_LEVELS: usize = 97;
/// A record with more shapes than this is sparse (F-53).
const SHAPES: usize = 16;

/// The schema of what was shredded, and the order of its columns.
pub(crate) struct Layout {
    /// Without the number of definitions.
    pub(crate) schema: Vec<u8>,
    pub(crate) definitions: usize,
    bodies: Vec<RowTypeId>,
    steps: Vec<Step>,
}

/// One site's or row type's own columns.
enum Step {
    Presence(SiteId),
    Which(SiteId),
    /// The rows of a variant: scalars, or references to rows of a definition.
    Column(SiteId, usize),
    Rows(RowTypeId),
}

impl Layout {
    pub(crate) fn write_schema(&self, out: &mut Vec<u8>, counted: bool) {
        if counted {
            write_varint(out, self.definitions as u64);
        }
        out.extend_from_slice(&self.schema);
    }

    fn stand_alone(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_schema(&mut bytes, true);
        bytes
    }

    pub(crate) fn fingerprint(&self) -> u64 {
        xxh3_64(&self.stand_alone())
    }

    pub(crate) fn to_schema(&self) -> Result<Schema> {
        Schema::from_bytes(&self.stand_alone())
    }
}

impl Shredder {
    /// The schema found, once one whole value has been told.
    pub(crate) fn layout(&self) -> Result<Layout> {
        if !self.is_complete() {
            return Err(Error::new(Code::BadSource).expected("one whole value"));
        }
        let mut builder = Builder {
            shredder: self,
            schema: SchemaWriter::default(),
            numbers: HashMap::new(),
            bodies: Vec::new(),
            steps: Vec::new(),
        };
        builder.site(0, 1);
        let mut next = 0;
        while let Some(&row_type) = builder.bodies.get(next) {
            builder.body(row_type, 1);
            next += 1;
        }
        if builder.schema.types() > TYPES {
            return Err(Error::new(Code::LimitSites)
                .expected(format!("at most {TYPES} types"))
                .got(builder.schema.types().to_string()));
        }
        let Builder { schema, bodies, steps, .. } = builder;
        Ok(Layout { schema: schema.into_bytes(), definitions: bodies.len(), bodies, steps })
    }

    /// Appends the block (F-23); `limit` is the most bytes that `out` may have.
    pub(crate) fn write_block(
        &self,
        layout: &Layout,
        out: &mut Vec<u8>,
        profile: Profile,
        limit: usize,
    ) -> Result<()> {
        for &row_type in &layout.bodies {
            write_varint(out, self.row_types[row_type].rows as u64);
        }
        for step in &layout.steps {
            self.write_step(step, out, profile);
            if out.len() > limit {
                break;
            }
        }
        if out.len() > limit {
            return Err(Error::new(Code::LimitOutput)
                .expected(format!("at most {limit} bytes"))
                .got("more"));
        }
        Ok(())
    }

    fn write_step(&self, step: &Step, out: &mut Vec<u8>, profile: Profile) {
        match *step {
            Step::Presence(site) => bits::write(out, &self.sites[site].presence(), profile),
            Step::Which(site) => ints::write_u64(out, &self.sites[site].which(), profile),
            Step::Column(site, variant) => match &self.sites[site].variants[variant] {
                Variant::Bool(column) => bits::write(out, column, profile),
                Variant::Int(Scalar::Int(kind), column) => ints::write(out, *kind, column, profile),
                Variant::F32(column) => floats::write(out, column, profile),
                Variant::F64(column) => floats::write(out, column, profile),
                Variant::Text(_, column) => text::write(out, column, profile),
                Variant::Row(uses) => ints::write_u64(out, &uses.references(), profile),
                Variant::Int(..) => {}
            },
            Step::Rows(row_type) => match &self.row_types[row_type].body {
                Body::List { lengths, .. } | Body::Map { lengths, .. } => {
                    ints::write_u64(out, lengths, profile);
                }
                Body::Choice { which, payloads, .. } if payloads.len() > 1 => {
                    ints::write_u64(out, which, profile);
                }
                Body::Record(record) | Body::Struct(_, record) => {
                    write_shapes(out, record, profile);
                }
                Body::Tuple { .. } | Body::Choice { .. } | Body::Undecided => {}
            },
        }
    }
}

/// The shapes of a record's rows (F-31).
fn write_shapes(out: &mut Vec<u8>, record: &RecordType, profile: Profile) {
    let shapes = record.shapes();
    let mut numbers = |numbers: Vec<u64>| ints::write_u64(out, &numbers, profile);
    match shapes.len() {
        0 | 1 => {}
        2..=SHAPES => numbers(record.row_shapes().map(u64::from).collect()),
        _ => {
            let fields = || record.row_shapes().map(|shape| &shapes[shape as usize].fields);
            numbers(fields().map(|fields| fields.len() as u64).collect());
            numbers(fields().flatten().map(|&field| u64::from(field)).collect());
        }
    }
}

struct Builder<'s> {
    shredder: &'s Shredder,
    schema: SchemaWriter,
    numbers: HashMap<RowTypeId, usize>,
    bodies: Vec<RowTypeId>,
    steps: Vec<Step>,
}

// The recursion of these ends where row types become definitions, at IN_PLACE_LEVELS.
impl Builder<'_> {
    /// A site's type (F-48).
    fn site(&mut self, id: SiteId, mut level: usize) {
        let site = &self.shredder.sites[id];
        if site.variants.is_empty() {
            return self.schema.code(if site.nullable { code::NULL } else { code::NEVER });
        }
        if site.nullable {
            self.schema.code(code::OPTION);
            self.steps.push(Step::Presence(id));
            level += 1;
        }
        if site.variants.len() > 1 {
            self.schema.code(code::UNION);
            self.schema.number(2 * site.variants.len());
            self.steps.push(Step::Which(id));
            level += 1;
        }
        for (number, variant) in site.variants.iter().enumerate() {
            let scalar = match variant {
                Variant::Bool(_) => Scalar::Bool,
                Variant::Int(scalar, _) | Variant::Text(scalar, _) => *scalar,
                Variant::F32(_) => Scalar::F32,
                Variant::F64(_) => Scalar::F64,
                Variant::Row(uses) => {
                    self.row_type(uses, level);
                    if uses.shared {
                        self.steps.push(Step::Column(id, number));
                    }
                    continue;
                }
            };
            self.schema.code(scalar.code());
            self.steps.push(Step::Column(id, number));
        }
    }

    /// A row type in place, or a reference to it as a definition (F-54).
    fn row_type(&mut self, uses: &Uses, level: usize) {
        let row_type = &self.shredder.row_types[uses.row_type];
        if row_type.users.len() <= 1 && !row_type.referenced && level < IN_PLACE_LEVELS {
            return self.body(uses.row_type, level);
        }
        let next = self.bodies.len();
        let number = *self.numbers.entry(uses.row_type).or_insert(next);
        if number == next {
            self.bodies.push(uses.row_type);
        }
        self.schema.code(if uses.shared { code::SHARED } else { code::DEF });
        self.schema.number(number);
    }

    fn body(&mut self, id: RowTypeId, level: usize) {
        self.steps.push(Step::Rows(id));
        match &self.shredder.row_types[id].body {
            Body::List { item, .. } => {
                self.schema.code(code::LIST);
                self.site(*item, level + 1);
            }
            Body::Tuple { first, len } => {
                self.schema.code(code::TUPLE);
                self.schema.number(*len);
                for &item in &self.shredder.members[*first..*first + *len] {
                    self.site(item, level + 1);
                }
            }
            Body::Record(record) => {
                self.schema.code(code::RECORD);
                self.fields(record, level);
            }
            Body::Undecided => {
                self.schema.code(code::RECORD);
                self.schema.number(0);
            }
            Body::Struct(name, record) => {
                self.schema.code(code::STRUCT);
                self.schema.name(name);
                self.fields(record, level);
            }
            Body::Map { key, value, .. } => {
                self.schema.code(code::MAP);
                self.site(*key, level + 1);
                self.site(*value, level + 1);
            }
            Body::Choice { names, payloads, .. } => {
                self.schema.code(code::UNION);
                self.schema.number(2 * names.len() + 1);
                for (name, &payload) in names.as_slice().iter().zip(payloads) {
                    self.schema.name(name);
                    self.site(payload, level + 1);
                }
            }
        }
    }

    fn fields(&mut self, record: &RecordType, level: usize) {
        let shapes = record.shapes();
        let form = match shapes.len() {
            0 | 1 => 0,
            2..=SHAPES => 1,
            _ => 2,
        };
        self.schema.number(4 * record.names().len() + form);
        for (name, &site) in record.names().iter().zip(record.sites()) {
            self.schema.name(name);
            self.site(site, level + 1);
        }
        if form == 1 {
            self.schema.number(shapes.len());
            for shape in shapes {
                self.schema.number(shape.fields.len());
                shape.fields.iter().for_each(|&field| self.schema.number(field as usize));
            }
        }
    }
}
