//! What the shredder found to bytes: the schema in canonical form, then the columns in its order (F-21, F-48, F-54).

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::Shredder;
use super::records::RecordType;
use super::sites::{Body, Label, RowTypeId, Site, SiteId, Uses, Variant};
use super::tensors::write_tensors;
use crate::column::pieces::Apart;
use crate::column::raw::{self, Of};
use crate::column::{Settings, bits, floats, ints, text};
use crate::error::{Code, Error, Result};
use crate::limits::{TYPES, beyond_output};
use crate::message::Written;
use crate::number::{IntKind, write_varint};
use crate::schema::{LogicalType, Scalar, Schema, SchemaWriter, Storage, code};

/// In place, a row type's code stands above this nesting level (F-54).
const IN_PLACE_LEVELS: usize = 97;
/// A record with more shapes than this is sparse (F-53).
const SHAPES: usize = 16;

/// As [`Shredder::size`] counts, a row takes an eighth of a byte at least. It is charged 16 units at most where it takes no memory, and
/// else 64 for each byte of that at most: so no default budget is too small for rows of this size (F-39).
const SURELY_ENOUGH: usize = (1 << 26) / (128 + 64);

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
    fn write_schema(&self, out: &mut Vec<u8>, counted: bool) {
        if counted {
            write_varint(out, self.definitions as u64);
        }
        out.extend_from_slice(&self.schema);
    }

    pub(crate) fn stand_alone(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_schema(&mut bytes, true);
        bytes
    }

    fn fingerprint(&self) -> u64 {
        xxh3_64(&self.stand_alone())
    }

    /// Writes how many rows each definition has (F-54), which is where the columns begin.
    fn write_rows(&self, shredder: &Shredder, out: &mut Vec<u8>, ends: &mut dyn FnMut(usize)) {
        for &row_type in &self.bodies {
            write_varint(out, shredder.row_types[row_type].rows as u64);
        }
        ends(out.len());
    }

    /// Writes each step, by a function that answers whether it has columns of its own.
    fn write_steps(
        &self,
        out: &mut Vec<u8>,
        limit: usize,
        ends: &mut dyn FnMut(usize),
        mut write: impl FnMut(&Step, &mut Vec<u8>) -> bool,
    ) -> Result<()> {
        for step in &self.steps {
            if out.len() > limit {
                break;
            }
            if write(step, out) {
                ends(out.len());
            }
        }
        if out.len() > limit { Err(beyond_output(limit)) } else { Ok(()) }
    }

    pub(crate) fn to_schema(&self) -> Result<Schema> {
        Schema::from_bytes(&self.stand_alone())
    }
}

/// What was shredded, and its layout.
struct Shredded<'w> {
    rows: Rows<'w>,
    layout: &'w Layout,
    most_units: u64,
}

enum Rows<'w> {
    Kept(&'w Shredder),
    /// Given up column by column as they are written: then the columns and the bytes are not in memory together.
    GivenUp(Box<RefCell<Shredder>>, Option<&'w RefCell<Apart>>),
}

impl Written for Shredded<'_> {
    fn definitions(&self) -> usize {
        self.layout.definitions
    }

    fn write_schema(&self, out: &mut Vec<u8>) {
        self.layout.write_schema(out, self.layout.definitions > 0);
    }

    fn fingerprint(&self) -> u64 {
        self.layout.fingerprint()
    }

    fn stand_alone(&self) -> Cow<'_, [u8]> {
        self.layout.stand_alone().into()
    }

    fn wants_alignment(&self) -> bool {
        match &self.rows {
            Rows::Kept(shredder) => shredder.wants_alignment(),
            Rows::GivenUp(shredder, _) => shredder.borrow().wants_alignment(),
        }
    }

    fn most_units(&self, _roots: u64) -> u64 {
        self.most_units
    }

    fn schema(&self) -> Result<Schema> {
        self.layout.to_schema()
    }

    fn write_block(
        &self,
        out: &mut Vec<u8>,
        settings: Settings,
        limit: usize,
        ends: &mut dyn FnMut(usize),
    ) -> Result<()> {
        match &self.rows {
            Rows::Kept(shredder) => {
                self.layout.write_rows(shredder, out, ends);
                self.layout.write_steps(out, limit, ends, |step, out| {
                    shredder.write_step(step, out, settings);
                    shredder.has_columns(step)
                })
            }
            Rows::GivenUp(shredder, apart) => {
                let shredder = &mut *shredder.borrow_mut();
                let mut apart = apart.map(RefCell::borrow_mut);
                // Hardly any column has more bytes than it takes in memory.
                let held: usize = shredder.sites.iter().map(Site::held).sum();
                let _ = out.try_reserve(held.min(limit.saturating_sub(out.len())));
                self.layout.write_rows(shredder, out, ends);
                self.layout.write_steps(out, limit, ends, |step, out| {
                    match &mut apart {
                        Some(apart) => shredder.write_apart(step, out, settings, apart),
                        None => shredder.write_step(step, out, settings),
                    }
                    shredder.give_up(step);
                    shredder.has_columns(step)
                })?;
                let all = out.len() + apart.map_or(0, |apart| apart.len());
                if all > limit { Err(beyond_output(limit)) } else { Ok(()) }
            }
        }
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
            misplaced: None,
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
        if let Some(ty) = builder.misplaced {
            return Err(Error::new(Code::UnsupportedValue)
                .expected(format!("{} as the storage of {ty}", ty.storage()))
                .got("another"));
        }
        let Builder { schema, bodies, steps, .. } = builder;
        Ok(Layout { schema: schema.into_bytes(), definitions: bodies.len(), bodies, steps })
    }

    /// What was shredded and has this size, to be written in this layout.
    pub(crate) fn written<'w>(&'w self, layout: &'w Layout, size: usize) -> impl Written + use<'w> {
        Shredded { rows: Rows::Kept(self), layout, most_units: self.most_units(size) }
    }

    /// The same, given up meanwhile; large payloads go apart if there is where.
    pub(crate) fn given_up<'w>(
        self,
        layout: &'w Layout,
        size: usize,
        apart: Option<&'w RefCell<Apart>>,
    ) -> impl Written + use<'w> {
        let most_units = self.most_units(size);
        let rows = Rows::GivenUp(Box::new(RefCell::new(self)), apart);
        Shredded { rows, layout, most_units }
    }

    /// What reading is charged at most (F-26): of each row at a site 8 units for its presence, its variant, itself, and its field's
    /// number; of each row of a row type 8 for itself and for its use; and what stands in columns, decompressed too.
    fn most_units(&self, size: usize) -> u64 {
        if size <= SURELY_ENOUGH {
            return 0;
        }
        let of_sites: usize = self.sites.iter().map(|site| 32 * site.row_count() + 64).sum();
        let of_row_types: usize = self.row_types.iter().map(|own| 16 * own.rows + 64).sum();
        (of_sites + of_row_types + 3 * size) as u64
    }

    /// The elements of some tensors take 4,096 bytes or more.
    fn wants_alignment(&self) -> bool {
        self.row_types.iter().any(|row_type| match &row_type.body {
            Body::Tensor(_, rows) => rows.wants_alignment(),
            _ => false,
        })
    }

    /// Whether the types of a step have columns of their own (F-86).
    fn has_columns(&self, step: &Step) -> bool {
        let Step::Rows(row_type) = *step else { return true };
        match &self.row_types[row_type].body {
            Body::List { .. } | Body::Map { .. } | Body::Tensor(..) => true,
            Body::Choice { payloads, .. } => payloads.len() > 1,
            Body::Record(record) | Body::Struct(_, record) => record.shapes().len() > 1,
            Body::Array { .. } | Body::Tuple { .. } | Body::Undecided | Body::Wrapped(..) => false,
        }
    }

    /// Gives up the rows of a step that is written.
    fn give_up(&mut self, step: &Step) {
        match *step {
            // Both are of the tags.
            Step::Presence(site) if self.sites[site].variants.len() > 1 => {}
            Step::Presence(site) | Step::Which(site) => self.sites[site].give_up_tags(),
            Step::Column(site, variant) => self.sites[site].variants[variant].give_up(),
            Step::Rows(row_type) => self.row_types[row_type].give_up(),
        }
    }

    /// As [`Shredder::write_step`], with large payloads apart.
    fn write_apart(
        &mut self,
        step: &Step,
        out: &mut Vec<u8>,
        settings: Settings,
        apart: &mut Apart,
    ) {
        let settings = settings.behind(apart.len());
        match *step {
            Step::Column(site, variant) => match &mut self.sites[site].variants[variant] {
                Variant::F64(column) => return floats::write_apart(out, column, settings, apart),
                Variant::Text(_, column) => return text::write_apart(out, column, settings, apart),
                _ => {}
            },
            Step::Rows(row_type) => {
                if let Body::Tensor(_, rows) = &self.row_types[row_type].body {
                    return write_tensors(out, rows, settings, Some(apart));
                }
            }
            Step::Presence(_) | Step::Which(_) => {}
        }
        self.write_step(step, out, settings);
    }

    fn write_step(&self, step: &Step, out: &mut Vec<u8>, settings: Settings) {
        match *step {
            Step::Presence(site) => bits::write(out, &self.sites[site].presence(), settings),
            Step::Which(site) => {
                ints::write_words(out, IntKind::U64, &self.sites[site].which(), settings);
            }
            Step::Column(site, variant) => match &self.sites[site].variants[variant] {
                Variant::Bool(column) => bits::write(out, column, settings),
                Variant::Int(Scalar::Int(kind), column) => {
                    ints::write(out, *kind, column, settings);
                }
                Variant::F16(column) => floats::write(out, column, settings),
                Variant::Bf16(column) => floats::write(out, column, settings),
                Variant::F32(column) => floats::write(out, column, settings),
                Variant::F64(column) => floats::write(out, column, settings),
                Variant::Text(_, column) => text::write_gathered(out, column, settings),
                Variant::Fixed(len, bytes) => raw::write(out, Of::fixed(*len), bytes, settings),
                Variant::Row(uses) => ints::write_u64(out, &uses.references(), settings),
                Variant::Int(..) => {}
            },
            Step::Rows(row_type) => match &self.row_types[row_type].body {
                Body::List { lengths, .. } | Body::Map { lengths, .. } => {
                    ints::write_u64(out, lengths, settings);
                }
                Body::Choice { which, payloads, .. } if payloads.len() > 1 => {
                    ints::write_u64(out, which, settings);
                }
                Body::Record(record) | Body::Struct(_, record) => {
                    write_shapes(out, record, settings);
                }
                Body::Tensor(_, rows) => write_tensors(out, rows, settings, None),
                Body::Array { .. }
                | Body::Tuple { .. }
                | Body::Choice { .. }
                | Body::Undecided
                | Body::Wrapped(..) => {}
            },
        }
    }
}

/// The shapes of a record's rows (F-31).
fn write_shapes(out: &mut Vec<u8>, record: &RecordType, settings: Settings) {
    let shapes = record.shapes();
    // All are below the number of fields or shapes (F-49, F-52, F-53), so they fit.
    let mut numbers = |numbers: Vec<u16>| ints::write_words(out, IntKind::U64, &numbers, settings);
    match shapes.len() {
        0 | 1 => {}
        2..=SHAPES => numbers(record.row_shapes().map(|shape| shape as u16).collect()),
        _ => {
            let fields = || record.row_shapes().map(|shape| &shapes[shape as usize].fields);
            numbers(fields().map(|fields| fields.len() as u16).collect());
            let mut all = Vec::with_capacity(fields().map(|fields| fields.len()).sum());
            fields().for_each(|fields| all.extend(fields.iter().map(|&field| field as u16)));
            numbers(all);
        }
    }
}

struct Builder<'s> {
    shredder: &'s Shredder,
    schema: SchemaWriter,
    numbers: HashMap<RowTypeId, usize>,
    bodies: Vec<RowTypeId>,
    steps: Vec<Step>,
    /// The first logical type over another storage than its kind's.
    misplaced: Option<Arc<LogicalType>>,
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
            match (variant, variant.scalar()) {
                (Variant::Row(uses), _) => {
                    self.row_type(uses, level);
                    if uses.shared {
                        self.steps.push(Step::Column(id, number));
                    }
                }
                (_, Some(scalar)) => {
                    self.schema.scalar(scalar);
                    self.steps.push(Step::Column(id, number));
                }
                (_, None) => {}
            }
        }
    }

    /// A row type in place, or a reference to it as a definition (F-54).
    fn row_type(&mut self, uses: &Uses, level: usize) {
        let row_type = &self.shredder.row_types[uses.row_type];
        let is_in_place = level < IN_PLACE_LEVELS || self.shredder.sites[row_type.home].is_storage;
        if row_type.users.len() <= 1 && !row_type.referenced && is_in_place {
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
            Body::Array { item, len } => {
                self.schema.code(code::ARRAY);
                self.schema.number(*len);
                self.site(*item, level + 1);
            }
            Body::Tensor(label, _) => {
                if let Label::Tensor(dtype) = &self.shredder.labels[*label] {
                    self.schema.code(code::TENSOR);
                    dtype.write(&mut self.schema);
                }
            }
            Body::Wrapped(label, inside) => {
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

    /// Whether what was found at a site is a logical type's storage (F-74).
    fn is_storage(&self, site: SiteId, storage: &Storage) -> bool {
        if matches!(storage, Storage::Any) {
            return true;
        }
        let site = &self.shredder.sites[site];
        let [variant] = &*site.variants else { return false };
        let own = match variant {
            Variant::Row(uses) => {
                let row_type = &self.shredder.row_types[uses.row_type];
                if row_type.users.len() > 1 || row_type.referenced {
                    return false;
                }
                Some(&row_type.body)
            }
            _ => None,
        };
        !site.nullable
            && match (storage, own) {
                (Storage::Scalar(scalar), None) => variant.scalar() == Some(*scalar),
                // An i64 came to be an int.
                (Storage::Whole, None) => variant.scalar() == Some(Scalar::Int(IntKind::Int)),
                (Storage::List, Some(Body::List { .. }))
                | (Storage::Map, Some(Body::Map { .. })) => true,
                (Storage::BitList, Some(Body::List { item, .. })) => {
                    let item = &self.shredder.sites[*item];
                    !item.nullable && matches!(*item.variants, [] | [Variant::Bool(_)])
                }
                (Storage::Tuple(own), Some(Body::Tuple { first, len })) => {
                    let items = &self.shredder.members[*first..*first + *len];
                    own.len() == *len
                        && own.iter().zip(items).all(|(own, item)| self.is_storage(*item, own))
                }
                _ => false,
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
