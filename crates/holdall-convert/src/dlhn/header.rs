//! DLHN's headers: the type of a body, from and to bytes, and from a schema of holdall.

use holdall::bindings::Type;
use holdall::bindings::memory::GrowVec;
use holdall::bindings::schema::{Fields, Form, Scalar, path};
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

/// How a schema becomes a header.
#[derive(Clone, Copy)]
pub(super) struct Options {
    /// Whether logical values and extensions that DLHN lacks are written in their stored form.
    pub(super) storage: bool,
    /// Whether records are maps, whose keys must not be lost.
    pub(super) records_are_maps: bool,
}

/// The types of a body; the last one is the root.
#[derive(Clone, Debug, Default)]
pub(super) struct Header {
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
        let (_, names) = self.names.iter().find(|(own, _)| *own == id)?;
        names.iter().position(|own| **own == *name)
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
    pub(super) fn of(schema: &Schema, options: Options) -> Result<Header> {
        let mut header = Header::default();
        header.of_type(schema, 0, "$", options)?;
        Ok(header)
    }

    fn inside(
        &mut self,
        schema: &Schema,
        id: usize,
        at: &str,
        options: Options,
        step: &str,
    ) -> Result<Id> {
        self.of_type(schema, id, &path::join(at, step), options)
    }

    // The recursion ends at the nesting limit of schemas, since no definition is open twice.
    fn of_type(&mut self, schema: &Schema, id: usize, at: &str, options: Options) -> Result<Id> {
        let lacks = |expected: &'static str| {
            Err(refuse(expected, schema.type_text(id)).with_path(|| at.to_owned()))
        };
        let lacks_type =
            |ty: String| Err(refuse::lacks(ty, schema.type_text(id)).with_path(|| at.to_owned()));
        let head = match &schema.types()[id] {
            // An empty list has no items of any type.
            Type::Null | Type::Never => Head::Unit,
            Type::Scalar(scalar) => of_scalar(*scalar),
            Type::Option(item) => Head::Optional(self.inside(schema, *item, at, options, "")?),
            Type::List(item) | Type::Array(_, item) => {
                Head::Array(self.inside(schema, *item, at, options, "[]")?)
            }
            Type::Tuple(items) => {
                let items = items.iter().enumerate();
                Head::Tuple(short(
                    items
                        .map(|(number, item)| {
                            self.inside(schema, *item, at, options, &format!("[{number}]"))
                        })
                        .collect::<Result<_>>()?,
                )?)
            }
            Type::Record(_) if options.records_are_maps => {
                return lacks(
                    "a struct; DLHN keeps the keys of a map only if its type is known before its values",
                );
            }
            Type::Record(of) | Type::Struct(_, of) if matches!(of.form, Form::One) => {
                self.fields(schema, of, at, options)?
            }
            Type::Record(_) | Type::Struct(..) => {
                return lacks("rows that have all fields; use a map for others");
            }
            Type::Map(key, item)
                if matches!(schema.types()[*key], Type::Scalar(Scalar::String)) =>
            {
                Head::Map(self.inside(schema, *item, at, options, "[]")?)
            }
            Type::Map(..) => return lacks("a map whose keys are strings"),
            Type::Union(of) => {
                let Some(names) = &of.names else {
                    return lacks("values of one type, or named variants");
                };
                let variants = names.iter().zip(&of.variants);
                let variants = variants.map(|(name, item)| {
                    let step = path::variant(name);
                    match &schema.types()[*item] {
                        // The fields of a variant.
                        Type::Record(of) if matches!(of.form, Form::One) => {
                            let head = self.fields(schema, of, &path::join(at, &step), options)?;
                            self.add(head)
                        }
                        _ => self.inside(schema, *item, at, options, &step),
                    }
                });
                let variants = short(variants.collect::<Result<_>>()?)?;
                let id = self.add(Head::Enum(variants))?;
                self.names.put((id, names.to_vec()));
                return Ok(id);
            }
            Type::Packed(item) => return self.inside(schema, *item, at, options, ""),
            Type::Logical(ty, item) => match (ty.kind(), ty.parameters()) {
                (LogicalType::DATE, _) => Head::Date,
                (LogicalType::TIMESTAMP, [_, LogicalType::UTC]) => Head::DateTime,
                (LogicalType::DECIMAL, _) => Head::Decimal,
                (LogicalType::LONG_TUPLE, _) => return self.inside(schema, *item, at, options, ""),
                _ if options.storage => return self.inside(schema, *item, at, options, ""),
                _ => return lacks_type(ty.to_string()),
            },
            Type::Extension(_, item) if options.storage => {
                return self.inside(schema, *item, at, options, "");
            }
            Type::Def(number) | Type::Shared(number) if self.open.contains(number) => {
                return lacks("a type that does not contain itself");
            }
            // Headers have no definitions: the type is there each time.
            Type::Def(number) | Type::Shared(number) => {
                self.open.put(*number);
                let id = self.of_type(schema, schema.definitions()[*number], at, options);
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

    fn fields(&mut self, schema: &Schema, of: &Fields, at: &str, options: Options) -> Result<Head> {
        let fields = of
            .fields
            .iter()
            .map(|(name, item)| self.inside(schema, *item, at, options, &path::field(name)));
        Ok(Head::Tuple(short(fields.collect::<Result<_>>()?)?))
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
