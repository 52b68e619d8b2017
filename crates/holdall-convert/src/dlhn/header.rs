//! DLHN's headers: the type of a body, from and to bytes, and from a schema of holdall.

use holdall::bindings::memory::GrowVec;
use holdall::bindings::schema::{Fields, Form, Scalar, path};
use holdall::bindings::{Refused, Type};
use holdall::events::Event;
use holdall::{Code, Error, IntKind, LogicalType, Result, Schema};

use super::varint;
use crate::refuse::{self, refuse};

/// The most levels that types nest, as in a schema of holdall.
const LEVELS: usize = 128;
/// The most types of a header.
const TYPES: usize = 1 << 18;

/// A type, by its number.
pub(super) type Id = usize;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Head {
    /// The items of an empty list, which have no type. It is written as Unit.
    Never,
    Unit,
    Optional(Id),
    Bool,
    /// An integer of 8 to 64 bits.
    Int(IntKind),
    F32,
    F64,
    BigUint,
    BigInt,
    Decimal,
    String,
    Binary,
    Array(Id),
    Tuple(Vec<Id>),
    /// A map whose keys are strings.
    Map(Id),
    Enum(Vec<Id>),
    Date,
    DateTime,
}

const UNIT: u8 = 0;
const OPTIONAL: u8 = 1;
const ARRAY: u8 = 20;
const TUPLE: u8 = 21;
const MAP: u8 = 23;
const ENUM: u8 = 24;

/// The types without others inside, and their codes.
const LEAVES: [(u8, Head); 19] = [
    (UNIT, Head::Unit),
    (2, Head::Bool),
    (3, Head::Int(IntKind::U8)),
    (4, Head::Int(IntKind::U16)),
    (5, Head::Int(IntKind::U32)),
    (6, Head::Int(IntKind::U64)),
    (8, Head::Int(IntKind::I8)),
    (9, Head::Int(IntKind::I16)),
    (10, Head::Int(IntKind::I32)),
    (11, Head::Int(IntKind::I64)),
    (13, Head::F32),
    (14, Head::F64),
    (15, Head::BigUint),
    (16, Head::BigInt),
    (17, Head::Decimal),
    (18, Head::String),
    (19, Head::Binary),
    (25, Head::Date),
    (26, Head::DateTime),
];

/// What the writer of a header knows besides the schema.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HeaderOptions {
    /// Whether logical values, extensions and records that DLHN lacks have their stored form.
    pub(super) storage: bool,
    /// Whether the schema is that of values, which do not show the variants that they could have had.
    pub(super) is_of_values: bool,
}

/// The types of a body; the last one is the root.
#[derive(Clone, Debug, Default)]
pub(super) struct Header {
    options: HeaderOptions,
    heads: Vec<Head>,
    /// For each enum, the names of its variants.
    names: Vec<(Id, Vec<std::sync::Arc<str>>)>,
    /// The definitions of the schema that are being written.
    open: Vec<usize>,
}

impl Header {
    pub(super) fn root(&self) -> Id {
        self.heads.len().saturating_sub(1)
    }

    pub(super) fn head(&self, id: Id) -> &Head {
        &self.heads[id]
    }

    /// The number of a variant, by its name.
    pub(super) fn variant(&self, id: Id, name: &str) -> Option<usize> {
        self.names_of(id)?.iter().position(|own| **own == *name)
    }

    fn add(&mut self, head: Head) -> Result<Id> {
        if self.heads.len() == TYPES {
            return Err(Error::new(Code::LimitSites).expected(format!("at most {TYPES} types")));
        }
        self.heads.put(head);
        Ok(self.heads.len() - 1)
    }

    /// Reads the header at the beginning of an input. Returns it with its length.
    pub(super) fn read(input: &[u8]) -> Result<(Header, usize)> {
        let mut header = Header::default();
        let mut at = 0;
        header.read_type(input, &mut at, 1)?;
        Ok((header, at))
    }

    // The recursion ends at LEVELS.
    fn read_type(&mut self, input: &[u8], at: &mut usize, level: usize) -> Result<Id> {
        let begin = *at;
        let Some(&code) = input.get(begin) else {
            return Err(bad(begin, "the code of a type", "the end of the input"));
        };
        if level > LEVELS {
            return Err(
                Error::at(Code::LimitNesting, begin).expected(format!("at most {LEVELS} levels"))
            );
        }
        *at += 1;
        let inner = level + 1;
        let head = match code {
            OPTIONAL => Head::Optional(self.read_type(input, at, inner)?),
            ARRAY => Head::Array(self.read_type(input, at, inner)?),
            MAP => Head::Map(self.read_type(input, at, inner)?),
            TUPLE => Head::Tuple(self.read_types(input, at, inner)?),
            ENUM => Head::Enum(self.read_types(input, at, inner)?),
            _ => match LEAVES.iter().find(|(own, _)| *own == code) {
                Some((_, head)) => head.clone(),
                None => return Err(bad(begin, "the code of a type", format!("{code:02X}"))),
            },
        };
        self.add(head).map_err(|error| error.moved_to(begin))
    }

    fn read_types(&mut self, input: &[u8], at: &mut usize, level: usize) -> Result<Vec<Id>> {
        let begin = *at;
        let len = input.get(begin).map_or(1, |first| varint::len(*first, 16));
        let Some(bytes) = input.get(begin..begin + len) else {
            return Err(bad(begin, "a number of types", "the end of the input"));
        };
        *at += len;
        (0..varint::read(bytes, 16)).map(|_| self.read_type(input, at, level)).collect()
    }

    /// Appends the header's bytes.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        self.write_type(self.root(), out);
    }

    // The recursion ends with the nesting of headers.
    fn write_type(&self, id: Id, out: &mut Vec<u8>) {
        let head = self.head(id);
        let (code, inner): (u8, &[Id]) = match head {
            Head::Optional(inner) => (OPTIONAL, std::slice::from_ref(inner)),
            Head::Array(inner) => (ARRAY, std::slice::from_ref(inner)),
            Head::Map(inner) => (MAP, std::slice::from_ref(inner)),
            Head::Tuple(inner) => (TUPLE, inner),
            Head::Enum(inner) => (ENUM, inner),
            Head::Never => (UNIT, &[]),
            leaf => {
                (LEAVES.iter().find(|(_, own)| own == leaf).map_or(UNIT, |(code, _)| *code), &[])
            }
        };
        out.put(code);
        if matches!(head, Head::Tuple(_) | Head::Enum(_)) {
            varint::write(out, 16, inner.len() as u64);
        }
        inner.iter().for_each(|inner| self.write_type(*inner, out));
    }

    /// The header of a schema's values.
    ///
    /// # Errors
    /// `unrepresentable` for a type that DLHN lacks, with its path.
    pub(super) fn of(schema: &Schema, options: HeaderOptions) -> Result<Header> {
        let mut header = Header { options, ..Header::default() };
        header.of_type(schema, 0, "$")?;
        Ok(header)
    }

    fn inside(&mut self, schema: &Schema, id: usize, at: &str, step: &str) -> Result<Id> {
        self.of_type(schema, id, &path::join(at, step))
    }

    // The recursion ends at the nesting limit of schemas, since no definition is open twice.
    fn of_type(&mut self, schema: &Schema, id: usize, at: &str) -> Result<Id> {
        let lacks = |expected: &'static str| {
            Err(refuse(expected, schema.type_text(id)).with_path(|| at.to_owned()))
        };
        let lacks_type =
            |ty: String| Err(refuse::lacks(ty, schema.type_text(id)).with_path(|| at.to_owned()));
        let head = match &schema.types()[id] {
            Type::Never => Head::Never,
            Type::Null => Head::Unit,
            Type::Scalar(scalar) => of_scalar(*scalar),
            Type::Option(item) => Head::Optional(self.inside(schema, *item, at, "")?),
            Type::List(item) | Type::Array(_, item) => {
                Head::Array(self.inside(schema, *item, at, "[]")?)
            }
            Type::Tuple(items) => {
                let items = items.iter().enumerate();
                Head::Tuple(short(
                    items
                        .map(|(number, item)| {
                            self.inside(schema, *item, at, &format!("[{number}]"))
                        })
                        .collect::<Result<_>>()?,
                )?)
            }
            Type::Struct(_, of) if matches!(of.form, Form::One) => {
                Head::Tuple(short(self.fields(schema, of, at)?)?)
            }
            Type::Struct(..) => return lacks("rows that have all fields; use a map for others"),
            // Its keys are data, which a tuple would lose.
            Type::Record(of) => {
                let fields = self.fields(schema, of, at)?;
                let is_tuple = matches!(of.form, Form::One);
                match self.one_type(&fields)? {
                    Some(item) => Head::Map(item),
                    None if is_tuple && self.options.storage => Head::Tuple(short(fields)?),
                    None => {
                        let error = lacks("a struct, or a record whose values have one type");
                        let keys = |error: Error| error.refusing(Refused::Keys);
                        return if is_tuple { error.map_err(keys) } else { error };
                    }
                }
            }
            Type::Map(key, item)
                if matches!(schema.types()[*key], Type::Scalar(Scalar::String)) =>
            {
                Head::Map(self.inside(schema, *item, at, "[]")?)
            }
            Type::Map(..) => return lacks("a map whose keys are strings"),
            Type::Union(of) => {
                let Some(names) = &of.names else {
                    return lacks("values of one type, or named variants");
                };
                if self.options.is_of_values {
                    if self.options.storage && is_of_names(schema, id) {
                        return self.add(Head::String);
                    }
                    let expected = "a type whose variants are all known, which values do not show";
                    let got = names.first().map_or("none", |name| &**name);
                    return Err(
                        refuse(expected, format!("variant {got}")).with_path(|| at.to_owned())
                    );
                }
                let variants = names.iter().zip(&of.variants);
                let variants = variants.map(|(name, item)| {
                    let step = path::variant(name);
                    match &schema.types()[*item] {
                        // The fields of a variant.
                        Type::Record(of) if matches!(of.form, Form::One) => {
                            let fields = self.fields(schema, of, &path::join(at, &step))?;
                            self.add(Head::Tuple(short(fields)?))
                        }
                        _ => self.inside(schema, *item, at, &step),
                    }
                });
                let variants = short(variants.collect::<Result<_>>()?)?;
                let id = self.add(Head::Enum(variants))?;
                self.names.put((id, names.to_vec()));
                return Ok(id);
            }
            Type::Packed(item) => return self.inside(schema, *item, at, ""),
            Type::Logical(ty, item) => match (ty.kind(), ty.parameters()) {
                (LogicalType::DATE, _) => Head::Date,
                (LogicalType::TIMESTAMP, [_, LogicalType::UTC]) => Head::DateTime,
                (LogicalType::DECIMAL, _) => Head::Decimal,
                (LogicalType::LONG_TUPLE, _) => return self.inside(schema, *item, at, ""),
                _ if self.options.storage => return self.inside(schema, *item, at, ""),
                _ => return lacks_type(ty.to_string()),
            },
            // An enum of another language, which knows its members by name.
            Type::Extension(_, item) if self.options.storage && is_of_names(schema, *item) => {
                Head::String
            }
            Type::Extension(_, item) if self.options.storage => {
                return self.inside(schema, *item, at, "");
            }
            Type::Def(number) | Type::Shared(number) if self.open.contains(number) => {
                return lacks("a type that does not contain itself");
            }
            // Headers have no definitions: the type is there each time.
            Type::Def(number) | Type::Shared(number) => {
                self.open.put(*number);
                let id = self.of_type(schema, schema.definitions()[*number], at);
                self.open.pop();
                return id;
            }
            Type::Extension(name, _) => return lacks_type(name.to_string()),
            Type::Tensor(_) => return Err(refuse::tensor().with_path(|| at.to_owned())),
            Type::Unknown(..) => {
                return Err(refuse::event(Event::Unknown).with_path(|| at.to_owned()));
            }
        };
        self.add(head)
    }

    fn fields(&mut self, schema: &Schema, of: &Fields, at: &str) -> Result<Vec<Id>> {
        let fields = of.fields.iter();
        fields.map(|(name, item)| self.inside(schema, *item, at, &path::field(name))).collect()
    }

    /// The type that has the values of all of these, if there is one. It is an Optional where some are null, and the items of
    /// an empty list have any type.
    fn one_type(&mut self, ids: &[Id]) -> Result<Option<Id>> {
        let Some((first, others)) = ids.split_first() else {
            return self.add(Head::Never).map(Some);
        };
        others.iter().try_fold(Some(*first), |one, other| match one {
            Some(one) => self.both(one, *other),
            None => Ok(None),
        })
    }

    /// The type that has the values of both. It is the first one if that has.
    // The recursion ends with the nesting of headers.
    fn both(&mut self, one: Id, other: Id) -> Result<Option<Id>> {
        let (head, others) = (self.head(one).clone(), self.head(other).clone());
        let inside = match (&head, &others) {
            (_, Head::Never) | (Head::Optional(_), Head::Unit) => return Ok(Some(one)),
            (Head::Never, _) | (Head::Unit, Head::Optional(_)) => return Ok(Some(other)),
            (Head::Unit, Head::Unit) => return Ok(Some(one)),
            (Head::Unit, _) => return self.add(Head::Optional(other)).map(Some),
            (_, Head::Unit) => return self.add(Head::Optional(one)).map(Some),
            (Head::Optional(own), Head::Optional(inner)) => self.both(*own, *inner)?,
            (Head::Optional(own), _) => self.both(*own, other)?,
            (_, Head::Optional(inner)) => {
                let inside = self.both(one, *inner)?;
                return inside.map(|inside| self.add(Head::Optional(inside))).transpose();
            }
            (Head::Array(own), Head::Array(item)) | (Head::Map(own), Head::Map(item)) => {
                self.both(*own, *item)?
            }
            (Head::Tuple(own), Head::Tuple(items)) | (Head::Enum(own), Head::Enum(items)) => {
                if own.len() != items.len() || self.names_of(one) != self.names_of(other) {
                    return Ok(None);
                }
                let mut both = Vec::new();
                for (own, item) in own.iter().zip(items) {
                    let Some(item) = self.both(*own, *item)? else { return Ok(None) };
                    both.put(item);
                }
                if both == *own {
                    return Ok(Some(one));
                }
                if matches!(head, Head::Tuple(_)) {
                    return self.add(Head::Tuple(both)).map(Some);
                }
                let names = self.names_of(one).unwrap_or_default().to_vec();
                let id = self.add(Head::Enum(both))?;
                self.names.put((id, names));
                return Ok(Some(id));
            }
            _ => return Ok((head == others).then_some(one)),
        };
        let Some(inside) = inside else { return Ok(None) };
        let head = match head {
            Head::Optional(own) | Head::Array(own) | Head::Map(own) if own == inside => {
                return Ok(Some(one));
            }
            Head::Optional(_) => Head::Optional(inside),
            Head::Array(_) => Head::Array(inside),
            _ => Head::Map(inside),
        };
        self.add(head).map(Some)
    }

    /// The names of an enum's variants.
    fn names_of(&self, id: Id) -> Option<&[std::sync::Arc<str>]> {
        let (_, names) = self.names.iter().find(|(own, _)| *own == id)?;
        Some(names)
    }
}

/// Whether a type's values are variants without payloads.
fn is_of_names(schema: &Schema, id: usize) -> bool {
    let is_null = |item: &usize| matches!(schema.types()[*item], Type::Null);
    match &schema.types()[id] {
        Type::Union(of) => of.names.is_some() && of.variants.iter().all(is_null),
        _ => false,
    }
}

fn of_scalar(scalar: Scalar) -> Head {
    match scalar {
        Scalar::Bool => Head::Bool,
        Scalar::Int(IntKind::Int | IntKind::I128) => Head::BigInt,
        Scalar::Int(IntKind::U128) => Head::BigUint,
        Scalar::Int(kind) => Head::Int(kind),
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 => Head::F32,
        Scalar::F64 => Head::F64,
        Scalar::String => Head::String,
        Scalar::Bytes | Scalar::Fixed(_) => Head::Binary,
    }
}

/// A header counts in 16 bits.
fn short(ids: Vec<Id>) -> Result<Vec<Id>> {
    match u16::try_from(ids.len()) {
        Ok(_) => Ok(ids),
        Err(_) => Err(refuse("at most 65535 fields, items or variants", ids.len().to_string())),
    }
}

#[cold]
pub(super) fn bad(
    at: usize,
    expected: impl Into<std::borrow::Cow<'static, str>>,
    got: impl Into<std::borrow::Cow<'static, str>>,
) -> Error {
    Error::at(Code::BadInput, at).expected(expected).got(got)
}
