//! The layout of shredded data: its schema in canonical form, and its columns in schema order (F-21, F-48, F-54).

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use foldhash::quality::RandomState;
use xxhash_rust::xxh3::xxh3_64;

use super::Shredder;
use super::records::RecordType;
use super::row_types::{Label, RowBody, RowTypeId};
use super::sites::SiteId;
use super::variants::{RowVariant, Uses};
use crate::column::buffer::Buffer;
use crate::error::{Code, Error, Result};
use crate::limits::{TYPES, beyond_output};
use crate::memory::{self, GrowVec};
use crate::number::{IntKind, write_varint};
use crate::platform::HashMap;
use crate::schema::{LogicalType, Scalar, Schema, SchemaWriter, Storage, code};

/// From this nesting level on, a row type becomes a definition (F-54).
const IN_PLACE_LEVELS: usize = 97;
/// A record with more shapes than this is sparse (F-53).
pub(super) const SHAPES: usize = 16;

/// The inferred schema, and the order of its columns.
pub(crate) struct Layout {
    /// Excludes the number of definitions.
    pub(crate) schema: Vec<u8>,
    pub(crate) definitions: usize,
    bodies: Vec<RowTypeId>,
    steps: Vec<LayoutStep>,
}

/// The columns of one site or row type, without those inside it.
pub(crate) enum LayoutStep {
    Presence(SiteId),
    Which(SiteId),
    /// The rows of a variant: scalars, or references to rows of a definition.
    Column(SiteId, usize),
    Rows(RowTypeId),
}

impl Layout {
    pub(super) fn write_schema(&self, out: &mut Vec<u8>, counted: bool) {
        if counted {
            write_varint(out, self.definitions as u64);
        }
        out.put_slice(&self.schema);
    }

    pub(crate) fn self_contained(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_schema(&mut bytes, true);
        bytes
    }

    pub(super) fn fingerprint(&self) -> u64 {
        xxh3_64(&self.self_contained())
    }

    /// Writes the row count of each definition (F-23, F-34). The columns follow.
    pub(super) fn write_rows(
        &self,
        shredder: &Shredder,
        out: &mut Vec<u8>,
        ends: &mut dyn FnMut(usize),
    ) {
        (0..self.bodies.len()).for_each(|body| write_varint(out, self.rows(shredder, body)));
        ends(out.len());
    }

    /// Returns how many rows a definition has.
    pub(crate) fn rows(&self, shredder: &Shredder, definition: usize) -> u64 {
        shredder.row_types[self.bodies[definition]].rows as u64
    }

    pub(crate) fn steps(&self) -> &[LayoutStep] {
        &self.steps
    }

    /// Passes each step, with its number, to a function that writes it and returns whether the step has columns.
    pub(super) fn write_steps(
        &self,
        out: &mut Vec<u8>,
        limit: usize,
        ends: &mut dyn FnMut(usize),
        mut write: impl FnMut(usize, &LayoutStep, &mut Vec<u8>) -> bool,
    ) -> Result<()> {
        for (number, step) in self.steps.iter().enumerate() {
            if out.len() > limit {
                break;
            }
            if write(number, step, out) {
                ends(out.len());
            }
        }
        if out.len() > limit { Err(beyond_output(limit)) } else { Ok(()) }
    }

    pub(crate) fn to_schema(&self) -> Result<Schema> {
        Schema::from_bytes(&self.self_contained())
    }
}

impl Shredder {
    /// Returns the inferred schema. Requires a complete value.
    pub(crate) fn layout(&self) -> Result<Layout> {
        self.check_complete()?;
        self.layout_at(1)
    }

    /// Returns the inferred schema of any number of complete values, as a part of another schema from this nesting level on.
    pub(crate) fn layout_at(&self, level: usize) -> Result<Layout> {
        let mut builder = Builder {
            shredder: self,
            schema: SchemaWriter::default(),
            numbers: HashMap::default(),
            bodies: Vec::new(),
            steps: memory::with_capacity(self.sites.len() + self.row_types.len()),
            misplaced: None,
        };
        builder.site(0, level);
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
        if let Some(ty) = builder.misplaced {
            return Err(Error::new(Code::UnsupportedValue)
                .expected(format!("{} as the storage of {ty}", ty.storage()))
                .got("another"));
        }
        let Builder { schema, bodies, steps, .. } = builder;
        Ok(Layout { schema: schema.into_bytes(), definitions: bodies.len(), bodies, steps })
    }
}

struct Builder<'s> {
    shredder: &'s Shredder,
    schema: SchemaWriter,
    numbers: HashMap<RowTypeId, usize, RandomState>,
    bodies: Vec<RowTypeId>,
    steps: Vec<LayoutStep>,
    /// The first logical type whose storage is not that of its kind.
    misplaced: Option<Arc<LogicalType>>,
}

// These functions recurse on types. The recursion ends at IN_PLACE_LEVELS, where row types become definitions.
impl Builder<'_> {
    /// Writes a site's type (F-48): that of its only variant, or an unnamed union of several (F-19).
    fn site(&mut self, id: SiteId, mut level: usize) {
        let site = &self.shredder.sites[id];
        if site.variants.is_empty() {
            return self.schema.code(if site.nullable { code::NULL } else { code::NEVER });
        }
        if site.nullable {
            self.schema.code(code::OPTION);
            self.steps.put(LayoutStep::Presence(id));
            level += 1;
        }
        if site.variants.len() > 1 {
            self.schema.code(code::UNION);
            self.schema.number(2 * site.variants.len());
            self.steps.put(LayoutStep::Which(id));
            level += 1;
        }
        for (number, variant) in site.variants.iter().enumerate() {
            match variant {
                RowVariant::Row(uses) => {
                    self.row_type(uses, level);
                    if uses.shared {
                        self.steps.put(LayoutStep::Column(id, number));
                    }
                }
                RowVariant::Column(column) => {
                    column.scalar().into_iter().for_each(|scalar| self.schema.scalar(scalar));
                    self.steps.put(LayoutStep::Column(id, number));
                }
            }
        }
    }

    /// Writes a row type in place, or as a reference to its definition (F-20, F-54), so that no type is nested too deeply (F-15).
    fn row_type(&mut self, uses: &Uses, level: usize) {
        let row_type = &self.shredder.row_types[uses.row_type];
        let is_in_place = level < IN_PLACE_LEVELS || self.shredder.sites[row_type.home].is_storage;
        if row_type.users.len() <= 1 && !row_type.referenced && is_in_place {
            return self.body(uses.row_type, level);
        }
        let next = self.bodies.len();
        let number = *self.numbers.entry(uses.row_type).or_insert(next);
        if number == next {
            self.bodies.put(uses.row_type);
        }
        self.schema.code(if uses.shared { code::SHARED } else { code::DEF });
        self.schema.number(number);
    }

    /// Writes a row type's code, its parameters and the types inside (F-14, F-19).
    fn body(&mut self, id: RowTypeId, level: usize) {
        self.steps.put(LayoutStep::Rows(id));
        match &self.shredder.row_types[id].body {
            RowBody::List { item, .. } => {
                self.schema.code(code::LIST);
                self.site(*item, level + 1);
            }
            RowBody::Array { item, len } => {
                self.schema.code(code::ARRAY);
                self.schema.number(*len);
                self.site(*item, level + 1);
            }
            RowBody::Tensor(label, _) => {
                if let Label::Tensor(dtype) = &self.shredder.labels[*label] {
                    self.schema.code(code::TENSOR);
                    dtype.write(&mut self.schema);
                }
            }
            RowBody::Wrapped(label, inside) => {
                match &self.shredder.labels[*label] {
                    Label::Logical(ty) => {
                        self.schema.logical(ty);
                        if self.misplaced.is_none() && !self.is_storage(*inside, &ty.storage()) {
                            self.misplaced = Some(Arc::clone(ty));
                        }
                    }
                    Label::Extension(name) => {
                        self.schema.code(code::EXTENSION);
                        self.schema.name(name);
                    }
                    Label::Tensor(_) => {}
                }
                self.site(*inside, level + 1);
            }
            RowBody::Tuple { first, len } => {
                self.schema.code(code::TUPLE);
                self.schema.number(*len);
                for &item in &self.shredder.members[*first..*first + *len] {
                    self.site(item, level + 1);
                }
            }
            RowBody::Record(record) => {
                self.schema.code(code::RECORD);
                self.fields(record, level);
            }
            RowBody::Undecided => {
                self.schema.code(code::RECORD);
                self.schema.number(0);
            }
            RowBody::Struct(name, record) => {
                self.schema.code(code::STRUCT);
                self.schema.name(name);
                self.fields(record, level);
            }
            RowBody::Map { key, value, .. } => {
                self.schema.code(code::MAP);
                self.site(*key, level + 1);
                self.site(*value, level + 1);
            }
            RowBody::NamedUnion { names, payloads, .. } => {
                self.schema.code(code::UNION);
                self.schema.number(2 * names.len() + 1);
                for (name, &payload) in names.as_slice().iter().zip(payloads) {
                    self.schema.name(name);
                    self.site(payload, level + 1);
                }
            }
        }
    }

    /// Whether the values found at a site are valid storage for a logical type (F-74).
    fn is_storage(&self, site: SiteId, storage: &Storage) -> bool {
        if matches!(storage, Storage::Any) {
            return true;
        }
        let site = &self.shredder.sites[site];
        let [variant] = &*site.variants else { return false };
        let own = match variant {
            RowVariant::Row(uses) => {
                let row_type = &self.shredder.row_types[uses.row_type];
                if row_type.users.len() > 1 || row_type.referenced {
                    return false;
                }
                Some(&row_type.body)
            }
            RowVariant::Column(_) => None,
        };
        !site.nullable
            && match (storage, own) {
                (Storage::Scalar(scalar), None) => variant.scalar() == Some(*scalar),
                // An i64 was widened to int.
                (Storage::Whole, None) => variant.scalar() == Some(Scalar::Int(IntKind::Int)),
                (Storage::List, Some(RowBody::List { .. }))
                | (Storage::Map, Some(RowBody::Map { .. })) => true,
                (Storage::BitList, Some(RowBody::List { item, .. })) => {
                    let item = &self.shredder.sites[*item];
                    !item.nullable
                        && matches!(*item.variants, [] | [RowVariant::Column(Buffer::Bits(_))])
                }
                (Storage::Tuple(own), Some(RowBody::Tuple { first, len })) => {
                    let items = &self.shredder.members[*first..*first + *len];
                    own.len() == *len
                        && own.iter().zip(items).all(|(own, item)| self.is_storage(*item, own))
                }
                _ => false,
            }
    }

    /// Writes the fields of a record or struct, and its shapes if they are few (F-17, F-18, F-53).
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
                shape.fields.iter().for_each(|&field| self.schema.number(usize::from(field)));
            }
        }
    }
}
