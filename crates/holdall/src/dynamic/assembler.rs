//! Columns to values: one walk over a block that drives a sink (spec, chapter 7).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{RowId, Shape, Sink};
use crate::block::{Block, Column};
use crate::column::bits::Bits;
use crate::column::floats::Floats;
use crate::column::ints::{IntBuffer, Offsets};
use crate::column::text::Rows;
use crate::error::{Code, Error, Result};
use crate::number::IntKind;
use crate::path;
use crate::schema::{Fields, Form, Scalar, Schema, Type, TypeId};

/// Reads the root of a block into a sink.
pub(crate) fn assemble<S: Sink>(schema: &Schema, mut block: Block<'_>, sink: &mut S) -> Result<()> {
    let mut assembler = Assembler::new(schema, &mut block, sink);
    assembler.run().map_err(|error| error.with_path(|| assembler.path()))?;
    let taken = |number: usize| assembler.sites[schema.definitions()[number]].row;
    block.check_taken(taken)
}

/// A site with its columns, and the next row to take.
struct Site<'a> {
    row: usize,
    /// Strings and bytes: where the next row's begin. Sparse records: the next row's first field number.
    at: usize,
    kind: Kind<'a>,
}

/// A type together with the columns of its rows.
enum Kind<'a> {
    Empty,
    Null,
    Bool(Bits<'a>),
    Int(IntKind, IntBuffer),
    F32(Floats<'a>),
    F64(Floats<'a>),
    String(Rows, &'a str),
    Bytes(Rows, &'a [u8]),
    Option(Bits<'a>, TypeId),
    List(Vec<u64>, TypeId),
    Tuple(Box<[TypeId]>),
    Record(Option<Arc<str>>, RowShapes),
    Map(Vec<u64>, TypeId, TypeId),
    Union(Option<Vec<u64>>, Box<[TypeId]>),
    Choice(Option<Vec<u64>>, Box<[TypeId]>, Box<[Arc<str>]>),
    /// The number of a definition.
    Def(usize),
    Shared {
        definition: usize,
        numbers: Vec<u64>,
        offsets: Offsets,
    },
}

/// The shapes of a record's or struct's rows, as indices into the assembler's shapes.
enum RowShapes {
    One(usize),
    Several {
        first: usize,
        numbers: Vec<u64>,
    },
    Sparse {
        counts: Vec<u64>,
        numbers: Vec<u64>,
        fields: Box<[(Arc<str>, TypeId)]>,
        known: HashMap<Box<[u64]>, usize>,
    },
}

/// A shape, and the sites of its fields.
struct ShapeSites {
    shape: Shape,
    sites: Box<[TypeId]>,
}

/// The shapes that a schema names: made once for all messages with it.
pub(crate) struct SchemaShapes {
    shapes: Vec<ShapeSites>,
    /// The first shape of each type that has some.
    first: Vec<usize>,
}

impl SchemaShapes {
    pub(crate) fn of(types: &[Type]) -> SchemaShapes {
        let (mut shapes, mut first) = (Vec::new(), Vec::with_capacity(types.len()));
        for ty in types {
            first.push(shapes.len());
            let (Type::Record(of) | Type::Struct(_, of)) = ty else { continue };
            match &of.form {
                Form::One => shapes.push(shape_sites(shapes.len(), &of.fields, 0..of.fields.len())),
                Form::Several(several) => {
                    for shape in several {
                        shapes.push(shape_sites(shapes.len(), &of.fields, shape.iter().copied()));
                    }
                }
                // Each row says it.
                Form::Sparse => {}
            }
        }
        SchemaShapes { shapes, first }
    }
}

/// A container that is begun and not ended.
enum Frame<'a> {
    List { item: TypeId, len: usize, left: usize },
    Tuple { site: TypeId, index: usize },
    Record { shape: usize, index: usize },
    Map(Box<MapFrame<'a>>),
    Choice { site: TypeId, variant: usize, done: bool },
}

struct MapFrame<'a> {
    key: TypeId,
    value: TypeId,
    len: usize,
    left: usize,
    on_value: bool,
    /// The keys so far, if two could be equal and can be compared (F-35).
    seen: Option<HashSet<Key<'a>>>,
    duplicate: bool,
}

/// A scalar key, equal to another if type and value are (F-35).
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Null,
    Bool(bool),
    Int(IntKind, u64),
    Big(IntKind, Box<[u8]>),
    F32(u32),
    F64(u64),
    String(&'a str),
    Bytes(&'a [u8]),
}

struct Assembler<'a, 's, S> {
    types: &'s [Type],
    definitions: &'s [TypeId],
    /// The rows of each definition that come again.
    again: Vec<HashSet<usize>>,
    sites: Vec<Site<'a>>,
    starts: Vec<usize>,
    shapes: Shapes<'s>,
    stack: Vec<Frame<'a>>,
    sink: &'s mut S,
}

impl<'a, 's, S: Sink> Assembler<'a, 's, S> {
    fn new(schema: &'s Schema, block: &mut Block<'a>, sink: &'s mut S) -> Self {
        let of_schema = schema.shapes();
        let columns = std::mem::take(&mut block.columns);
        let sites: Vec<Site<'_>> = schema
            .types()
            .iter()
            .zip(columns)
            .zip(&of_schema.first)
            .map(|((ty, column), &first)| Site { row: 0, at: 0, kind: kind(ty, column, first) })
            .collect();
        let starts = std::mem::take(&mut block.starts);
        let definitions = schema.definitions();
        let again = rows_again(&sites, definitions.len());
        let shapes = Shapes { schema: &of_schema.shapes, own: Vec::new() };
        Assembler {
            types: schema.types(),
            definitions,
            again,
            sites,
            starts,
            shapes,
            stack: Vec::new(),
            sink,
        }
    }

    fn run(&mut self) -> Result<()> {
        self.value(0)?;
        while let Some(frame) = self.stack.last_mut() {
            let next = match frame {
                Frame::List { item, left, .. } => left.checked_sub(1).map(|less| {
                    *left = less;
                    *item
                }),
                Frame::Tuple { site, index } => match &self.sites[*site].kind {
                    Kind::Tuple(items) => {
                        *index += 1;
                        items.get(*index - 1).copied()
                    }
                    _ => None,
                },
                Frame::Record { shape, index } => {
                    *index += 1;
                    self.shapes.get(*shape).sites.get(*index - 1).copied()
                }
                Frame::Map(map) => {
                    if map.left == 0 && map.duplicate {
                        let at = self.starts[map.key];
                        return Err(Error::at(Code::DuplicateKey, at).expected("keys that differ"));
                    }
                    self.next_of_map()
                }
                Frame::Choice { site, variant, done } => {
                    let next = match &self.sites[*site].kind {
                        Kind::Choice(_, variants, _) if !*done => Some(variants[*variant]),
                        _ => None,
                    };
                    *done = true;
                    next
                }
            };
            match next {
                Some(site) => self.value(site)?,
                None => {
                    self.stack.pop();
                    self.sink.end()?;
                }
            }
        }
        Ok(())
    }

    /// The site of a map's next key or value.
    fn next_of_map(&mut self) -> Option<TypeId> {
        let key = match self.stack.last() {
            Some(Frame::Map(map)) if map.left > 0 && !map.on_value && map.seen.is_some() => {
                Some(self.peek(map.key))
            }
            _ => None,
        };
        let Some(Frame::Map(map)) = self.stack.last_mut() else { return None };
        if map.left == 0 {
            return None;
        }
        if map.on_value {
            map.on_value = false;
            map.left -= 1;
            return Some(map.value);
        }
        if let (Some(seen), Some(key)) = (&mut map.seen, key) {
            map.duplicate |= !seen.insert(key);
        }
        map.on_value = true;
        Some(map.key)
    }

    /// The next row of a site: a scalar goes to the sink at once, a container is begun.
    fn value(&mut self, mut id: TypeId) -> Result<()> {
        // The rows that this value is, of those that come again.
        let mut own = Vec::new();
        loop {
            let site = &mut self.sites[id];
            let row = site.row;
            site.row += 1;
            match &mut site.kind {
                Kind::Empty => return Err(Error::new(Code::NeverHasRows)),
                Kind::Null => return self.sink.null(),
                Kind::Bool(bits) => return self.sink.bool(bits.decode_row(row)),
                Kind::Int(kind, ints) => return int(*kind, ints, row, self.sink),
                Kind::F32(floats) => return self.sink.f32(floats.decode_f32(row)),
                Kind::F64(floats) => return self.sink.f64(floats.decode_f64(row)),
                Kind::String(rows, text) => {
                    let (start, end) = rows.span(row, site.at);
                    let value = &text[start..end];
                    site.at = end;
                    return self.sink.string(value);
                }
                Kind::Bytes(rows, bytes) => {
                    let (start, end) = rows.span(row, site.at);
                    let value = &bytes[start..end];
                    site.at = end;
                    return self.sink.bytes(value);
                }
                Kind::Option(bits, inner) => {
                    if !bits.decode_row(row) {
                        return self.sink.null();
                    }
                    id = *inner;
                }
                Kind::Union(which, variants) => {
                    id = variants[which.as_ref().map_or(0, |which| which[row] as usize)];
                }
                Kind::Def(number) => {
                    let number = *number;
                    id = self.new_row(number, &mut own)?;
                }
                Kind::Shared { definition, numbers, offsets } => {
                    let number = *definition;
                    match numbers[row] {
                        0 => id = self.new_row(number, &mut own)?,
                        reference => {
                            let at = offsets.of(row);
                            return self.row_again(number, reference, &own, at);
                        }
                    }
                }
                Kind::List(lengths, item) => {
                    let (len, item) = (lengths[row] as usize, *item);
                    return self.begin_list(item, len);
                }
                Kind::Tuple(items) => {
                    self.sink.begin_tuple(items.len())?;
                    self.stack.push(Frame::Tuple { site: id, index: 0 });
                    return Ok(());
                }
                Kind::Record(name, rows) => {
                    let shape = rows.shape(row, &mut site.at, &mut self.shapes);
                    let known = &self.shapes.get(shape).shape;
                    match name {
                        None => self.sink.begin_record(known)?,
                        Some(name) => self.sink.begin_struct(name, known)?,
                    }
                    self.stack.push(Frame::Record { shape, index: 0 });
                    return Ok(());
                }
                Kind::Map(lengths, key, value) => {
                    let (len, key, value) = (lengths[row] as usize, *key, *value);
                    self.sink.begin_map(len)?;
                    let seen = (len > 1 && is_comparable(self.types, key)).then(HashSet::new);
                    let frame = MapFrame {
                        key,
                        value,
                        len,
                        left: len,
                        on_value: false,
                        seen,
                        duplicate: false,
                    };
                    self.stack.push(Frame::Map(Box::new(frame)));
                    return Ok(());
                }
                Kind::Choice(which, _, names) => {
                    let variant = which.as_ref().map_or(0, |which| which[row] as usize);
                    self.sink.begin_variant(&names[variant])?;
                    self.stack.push(Frame::Choice { site: id, variant, done: false });
                    return Ok(());
                }
            }
        }
    }

    /// The site of a definition whose next row is the value.
    fn new_row(&mut self, definition: usize, own: &mut Vec<RowId>) -> Result<TypeId> {
        let body = self.definitions[definition];
        let row = self.sites[body].row;
        if self.again[definition].contains(&row) {
            own.push(RowId { definition, row });
            self.sink.identify(RowId { definition, row })?;
        }
        Ok(body)
    }

    /// A row that must have been begun, and not as this very value (F-64).
    fn row_again(
        &mut self,
        definition: usize,
        reference: u64,
        own: &[RowId],
        at: usize,
    ) -> Result<()> {
        let begun = self.sites[self.definitions[definition]].row;
        let row = usize::try_from(reference - 1).ok().filter(|row| *row < begun);
        match row.map(|row| RowId { definition, row }) {
            Some(row) if !own.contains(&row) => self.sink.reference(row),
            Some(_) => Err(Error::at(Code::BadReference, at)
                .expected("a value that came before")
                .got("one that is nothing but itself")),
            None => Err(Error::at(Code::BadReference, at)
                .expected(format!("one of {begun} rows of definition {definition}"))
                .got(format!("row {}", reference - 1))),
        }
    }

    fn begin_list(&mut self, item: TypeId, len: usize) -> Result<()> {
        self.sink.begin_list(len)?;
        let site = &mut self.sites[item];
        // Most long lists hold plain numbers: they go over in one piece.
        if let Kind::Int(IntKind::Int, ints) = &site.kind
            && ints.bigs.is_empty()
        {
            let values = &ints.values[site.row..site.row + len];
            site.row += len;
            self.sink.ints(values)?;
            return self.sink.end();
        }
        self.stack.push(Frame::List { item, len, left: len });
        Ok(())
    }

    /// The scalar that comes next at a site.
    fn peek(&self, mut id: TypeId) -> Key<'a> {
        loop {
            let Site { row, at, kind } = &self.sites[id];
            let (row, at) = (*row, *at);
            match kind {
                Kind::Option(bits, inner) if bits.decode_row(row) => id = *inner,
                Kind::Union(which, variants) => {
                    id = variants[which.as_ref().map_or(0, |which| which[row] as usize)];
                }
                Kind::Bool(bits) => return Key::Bool(bits.decode_row(row)),
                Kind::Int(kind, ints) => {
                    return match ints.bigs.binary_search_by_key(&row, |(at, _)| *at) {
                        Ok(index) => Key::Big(*kind, ints.bigs[index].1.clone()),
                        Err(_) => Key::Int(*kind, ints.values[row]),
                    };
                }
                Kind::F32(floats) => return Key::F32(floats.decode_f32(row).to_bits()),
                Kind::F64(floats) => return Key::F64(floats.decode_f64(row).to_bits()),
                Kind::String(rows, text) => {
                    let (start, end) = rows.span(row, at);
                    return Key::String(&text[start..end]);
                }
                Kind::Bytes(rows, bytes) => {
                    let (start, end) = rows.span(row, at);
                    return Key::Bytes(&bytes[start..end]);
                }
                _ => return Key::Null,
            }
        }
    }

    /// Where the walk is: `$.users[3].name`.
    #[cold]
    fn path(&self) -> String {
        let mut text = "$".to_owned();
        for frame in &self.stack {
            match frame {
                Frame::List { len, left, .. } => {
                    text += &format!("[{}]", (len - left).saturating_sub(1));
                }
                Frame::Tuple { index, .. } => text += &format!("[{}]", index.saturating_sub(1)),
                Frame::Record { shape, index } => {
                    if let Some(key) =
                        self.shapes.get(*shape).shape.keys().get(index.saturating_sub(1))
                    {
                        text += &path::field(key);
                    }
                }
                Frame::Map(map) if map.on_value => text += &format!("[{}].key", map.len - map.left),
                Frame::Map(map) => text += &format!("[{}]", (map.len - map.left).saturating_sub(1)),
                Frame::Choice { site, variant, .. } => {
                    if let Kind::Choice(_, _, names) = &self.sites[*site].kind {
                        text += &path::variant(&names[*variant]);
                    }
                }
            }
        }
        text
    }
}

/// The rows of each definition to which references lead.
fn rows_again(sites: &[Site<'_>], definitions: usize) -> Vec<HashSet<usize>> {
    let mut again = vec![HashSet::new(); definitions];
    for site in sites {
        if let Kind::Shared { definition, numbers, .. } = &site.kind {
            let rows =
                numbers.iter().filter_map(|number| usize::try_from(number.checked_sub(1)?).ok());
            again[*definition].extend(rows);
        }
    }
    again
}

/// Whether keys at a site are scalars, an option or an unnamed union of them (F-35).
fn is_comparable(types: &[Type], id: TypeId) -> bool {
    let is_scalar = |id: TypeId| matches!(types[id], Type::Null | Type::Scalar(_));
    let inner = match &types[id] {
        Type::Option(inner) => *inner,
        _ => id,
    };
    match &types[inner] {
        Type::Union(union) => {
            union.names.is_none() && union.variants.iter().all(|variant| is_scalar(*variant))
        }
        _ => is_scalar(inner),
    }
}

#[inline]
fn int<S: Sink>(kind: IntKind, ints: &IntBuffer, row: usize, sink: &mut S) -> Result<()> {
    if !ints.bigs.is_empty()
        && let Ok(index) = ints.bigs.binary_search_by_key(&row, |(at, _)| *at)
    {
        return sink.big_int(kind, &ints.bigs[index].1);
    }
    match kind {
        IntKind::Int => sink.int(ints.values[row].cast_signed()),
        _ => sink.fixed_int(kind, ints.values[row]),
    }
}

/// The shapes of a schema, and those that sparse rows have.
struct Shapes<'s> {
    schema: &'s [ShapeSites],
    own: Vec<ShapeSites>,
}

impl Shapes<'_> {
    #[inline]
    fn get(&self, id: usize) -> &ShapeSites {
        match self.schema.get(id) {
            Some(shape) => shape,
            None => &self.own[id - self.schema.len()],
        }
    }
}

impl RowShapes {
    /// The shape of a row.
    fn shape(&mut self, row: usize, at: &mut usize, shapes: &mut Shapes<'_>) -> usize {
        match self {
            RowShapes::One(shape) => *shape,
            RowShapes::Several { first, numbers } => *first + numbers[row] as usize,
            RowShapes::Sparse { counts, numbers, fields, known } => {
                let end = *at + counts[row] as usize;
                let own = &numbers[*at..end];
                *at = end;
                if let Some(shape) = known.get(own) {
                    return *shape;
                }
                let numbers = own.iter().map(|&field| field as usize);
                let shape = shapes.schema.len() + shapes.own.len();
                shapes.own.push(shape_sites(shape, fields, numbers));
                known.insert(own.into(), shape);
                shape
            }
        }
    }
}

fn shape_sites(
    id: usize,
    fields: &[(Arc<str>, TypeId)],
    numbers: impl Iterator<Item = usize> + Clone,
) -> ShapeSites {
    let keys = numbers.clone().map(|field| Arc::clone(&fields[field].0)).collect();
    let sites = numbers.map(|field| fields[field].1).collect();
    ShapeSites { shape: Shape::new(id, keys), sites }
}

fn rows(first: usize, fields: &Fields, column: Column<'_>) -> RowShapes {
    match column {
        Column::Numbers(numbers) => RowShapes::Several { first, numbers },
        Column::Sparse { counts, numbers } => RowShapes::Sparse {
            counts,
            numbers,
            fields: fields.fields.clone(),
            known: HashMap::new(),
        },
        _ => RowShapes::One(first),
    }
}

fn kind<'a>(ty: &Type, column: Column<'a>, first_shape: usize) -> Kind<'a> {
    match (ty, column) {
        (Type::Null, _) => Kind::Null,
        (Type::Tuple(items), _) => Kind::Tuple(items.clone()),
        (Type::Record(fields), column) => Kind::Record(None, rows(first_shape, fields, column)),
        (Type::Struct(name, fields), column) => {
            Kind::Record(Some(Arc::clone(name)), rows(first_shape, fields, column))
        }
        (Type::Def(number), _) => Kind::Def(*number),
        (Type::Shared(number), Column::References { numbers, offsets }) => {
            Kind::Shared { definition: *number, numbers, offsets }
        }
        (Type::Union(union), column) => {
            let which = match column {
                Column::Numbers(which) => Some(which),
                _ => None,
            };
            match &union.names {
                None => Kind::Union(which, union.variants.clone()),
                Some(names) => Kind::Choice(which, union.variants.clone(), names.clone()),
            }
        }
        (Type::Scalar(Scalar::Bool), Column::Bits(bits)) => Kind::Bool(bits),
        (Type::Scalar(Scalar::Int(kind)), Column::Ints(ints)) => Kind::Int(*kind, ints),
        (Type::Scalar(Scalar::F32), Column::Floats(floats)) => Kind::F32(floats),
        (Type::Scalar(Scalar::F64), Column::Floats(floats)) => Kind::F64(floats),
        (Type::Scalar(Scalar::String), Column::Strings { rows, text }) => Kind::String(rows, text),
        (Type::Scalar(Scalar::Bytes), Column::Bytes { rows, bytes }) => Kind::Bytes(rows, bytes),
        (Type::Option(inner), Column::Bits(bits)) => Kind::Option(bits, *inner),
        (Type::List(item), Column::Numbers(lengths)) => Kind::List(lengths, *item),
        (Type::Map(key, value), Column::Numbers(lengths)) => Kind::Map(lengths, *key, *value),
        // A site without rows is never asked.
        _ => Kind::Empty,
    }
}
