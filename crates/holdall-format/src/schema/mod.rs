//! Schemas: the types of a message, as a compact header (spec, chapter 4).

mod dtype;
mod known;
mod logical;
pub mod names;
mod parse;
pub mod path;
mod read;
#[cfg(feature = "serde")]
mod serde_error;
mod shapes;
#[cfg(feature = "std")]
mod store;
mod text;
mod write;

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::{self, Display, Formatter};
use core::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Code, Error, Result};
use crate::input::{Input, Scratch};
use crate::limits::Limits;
use crate::memory::{self, Collect};
use crate::number::IntKind;
use crate::platform::OnceLock;

pub use dtype::Bools;
pub use dtype::{DType, Element};
pub use known::Known;
pub use logical::LogicalType;
pub use logical::Storage;
pub use parse::SchemaText;
pub use read::{read_count, read_schema};
pub use shapes::{SchemaShapes, Shape, ShapeSites, shape_sites};
#[cfg(feature = "std")]
pub use store::SchemaStore;
pub use text::{HIDDEN_FIELD, fmt_name, fmt_quoted};
pub use write::SchemaWriter;

/// The codes of types (F-14, F-56).
pub mod code {
    pub const NEVER: u8 = 0x00;
    pub const NULL: u8 = 0x01;
    pub const BOOL: u8 = 0x02;
    pub const INT: u8 = 0x03;
    pub const U8: u8 = 0x04;
    pub const U16: u8 = 0x05;
    pub const U32: u8 = 0x06;
    pub const U64: u8 = 0x07;
    pub const U128: u8 = 0x08;
    pub const I8: u8 = 0x09;
    pub const I16: u8 = 0x0A;
    pub const I32: u8 = 0x0B;
    pub const I64: u8 = 0x0C;
    pub const I128: u8 = 0x0D;
    pub const F16: u8 = 0x0E;
    pub const BF16: u8 = 0x0F;
    pub const F32: u8 = 0x10;
    pub const F64: u8 = 0x11;
    pub const STRING: u8 = 0x12;
    pub const BYTES: u8 = 0x13;
    pub const FIXED: u8 = 0x14;
    pub const OPTION: u8 = 0x15;
    pub const LIST: u8 = 0x16;
    pub const ARRAY: u8 = 0x17;
    pub const TUPLE: u8 = 0x18;
    pub const STRUCT: u8 = 0x19;
    pub const RECORD: u8 = 0x1A;
    pub const MAP: u8 = 0x1B;
    pub const UNION: u8 = 0x1C;
    pub const TENSOR: u8 = 0x1D;
    pub const PACKED: u8 = 0x1E;
    pub const DEF: u8 = 0x1F;
    pub const SHARED: u8 = 0x20;
    pub const LOGICAL: u8 = 0x22;
    pub const EXTENSION: u8 = 0x23;
    /// From here on types, kinds of logical types and encodings belong to later versions (F-72, F-73, F-77).
    pub const LATER: u8 = 0xE0;
}

/// The word of a schema's text that begins the type of a code, for errors; the code itself where there is none.
pub fn name_of_code(code: u8) -> String {
    let word = match code {
        code::NEVER => "never",
        code::NULL => "null",
        code::FIXED => "fixed",
        code::OPTION => "option",
        code::LIST => "list",
        code::ARRAY => "array",
        code::TUPLE => "tuple",
        code::STRUCT => "struct",
        code::RECORD => "record",
        code::MAP => "map",
        code::UNION => "union",
        code::TENSOR => "tensor",
        code::PACKED => "packed",
        code::DEF => "a reference to a definition",
        code::SHARED => "shared",
        code::LOGICAL => "a logical type",
        code::EXTENSION => "extension",
        _ => {
            let scalar = Scalar::of_code(code);
            return scalar.map_or_else(|| format!("{code:02X}"), |scalar| scalar.to_string());
        }
    };
    word.to_owned()
}

/// A type's number: its position in the order of the schema's code bytes. Each type is one site.
pub type TypeId = usize;

/// A scalar type. Its rows are single values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    Bool,
    Int(IntKind),
    F16,
    Bf16,
    F32,
    F64,
    String,
    Bytes,
    /// This many bytes each.
    Fixed(u64),
}

impl Scalar {
    /// All scalars without parameters, in the order of their codes.
    pub const ALL: [(Scalar, u8); 18] = [
        (Scalar::Bool, code::BOOL),
        (Scalar::Int(IntKind::Int), code::INT),
        (Scalar::Int(IntKind::U8), code::U8),
        (Scalar::Int(IntKind::U16), code::U16),
        (Scalar::Int(IntKind::U32), code::U32),
        (Scalar::Int(IntKind::U64), code::U64),
        (Scalar::Int(IntKind::U128), code::U128),
        (Scalar::Int(IntKind::I8), code::I8),
        (Scalar::Int(IntKind::I16), code::I16),
        (Scalar::Int(IntKind::I32), code::I32),
        (Scalar::Int(IntKind::I64), code::I64),
        (Scalar::Int(IntKind::I128), code::I128),
        (Scalar::F16, code::F16),
        (Scalar::Bf16, code::BF16),
        (Scalar::F32, code::F32),
        (Scalar::F64, code::F64),
        (Scalar::String, code::STRING),
        (Scalar::Bytes, code::BYTES),
    ];

    pub fn of_code(byte: u8) -> Option<Scalar> {
        Scalar::ALL.iter().find(|(_, code)| *code == byte).map(|(scalar, _)| *scalar)
    }

    pub fn code(self) -> u8 {
        match self {
            Scalar::Bool => code::BOOL,
            Scalar::Int(IntKind::Int) => code::INT,
            Scalar::Int(IntKind::U8) => code::U8,
            Scalar::Int(IntKind::U16) => code::U16,
            Scalar::Int(IntKind::U32) => code::U32,
            Scalar::Int(IntKind::U64) => code::U64,
            Scalar::Int(IntKind::U128) => code::U128,
            Scalar::Int(IntKind::I8) => code::I8,
            Scalar::Int(IntKind::I16) => code::I16,
            Scalar::Int(IntKind::I32) => code::I32,
            Scalar::Int(IntKind::I64) => code::I64,
            Scalar::Int(IntKind::I128) => code::I128,
            Scalar::F16 => code::F16,
            Scalar::Bf16 => code::BF16,
            Scalar::F32 => code::F32,
            Scalar::F64 => code::F64,
            Scalar::String => code::STRING,
            Scalar::Bytes => code::BYTES,
            Scalar::Fixed(_) => code::FIXED,
        }
    }

    /// The width of a value in bytes, if it is the same for all values (F-70).
    pub fn width(self) -> Option<u64> {
        match self {
            Scalar::Bool => Some(1),
            Scalar::Int(kind) => kind.width(),
            Scalar::F16 | Scalar::Bf16 => Some(2),
            Scalar::F32 => Some(4),
            Scalar::F64 => Some(8),
            Scalar::Fixed(len) => Some(len),
            Scalar::String | Scalar::Bytes => None,
        }
    }
}

impl Display for Scalar {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scalar::Bool => "bool",
            Scalar::Int(kind) => kind.name(),
            Scalar::F16 => "f16",
            Scalar::Bf16 => "bf16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::String => "string",
            Scalar::Bytes => "bytes",
            Scalar::Fixed(len) => return write!(f, "fixed({len})"),
        })
    }
}

/// A type, by its position in the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Never,
    Null,
    Scalar(Scalar),
    Option(TypeId),
    List(TypeId),
    Tuple(Box<[TypeId]>),
    Record(Fields),
    Struct(Arc<str>, Fields),
    Map(TypeId, TypeId),
    Union(Union),
    Def(usize),
    /// The next row of a definition, or a back-reference to an earlier one.
    Shared(usize),
    Array(u64, TypeId),
    /// A type whose elements have no columns, like that of packed rows.
    Tensor(TypeId),
    Packed(TypeId),
    Logical(Arc<LogicalType>, TypeId),
    Extension(Arc<str>, TypeId),
    /// A type of a later version: its code and parameters.
    Unknown(u8, Box<[u8]>),
}

impl Type {
    /// The code in the schema (F-14).
    pub fn code(&self) -> u8 {
        match self {
            Type::Never => code::NEVER,
            Type::Null => code::NULL,
            Type::Scalar(scalar) => scalar.code(),
            Type::Option(_) => code::OPTION,
            Type::List(_) => code::LIST,
            Type::Array(..) => code::ARRAY,
            Type::Tuple(_) => code::TUPLE,
            Type::Struct(..) => code::STRUCT,
            Type::Record(_) => code::RECORD,
            Type::Map(..) => code::MAP,
            Type::Union(_) => code::UNION,
            Type::Tensor(_) => code::TENSOR,
            Type::Packed(_) => code::PACKED,
            Type::Def(_) => code::DEF,
            Type::Shared(_) => code::SHARED,
            Type::Logical(..) => code::LOGICAL,
            Type::Extension(..) => code::EXTENSION,
            Type::Unknown(code, _) => *code,
        }
    }

    /// The types directly inside this one, in order. A reference to a definition has none: the definition is a separate
    /// type.
    pub fn children(&self) -> impl Iterator<Item = TypeId> {
        type Children<'t> = ([Option<TypeId>; 2], &'t [TypeId], &'t [(Arc<str>, TypeId)]);
        let (few, many, fields): Children<'_> = match self {
            Type::Option(inner)
            | Type::List(inner)
            | Type::Array(_, inner)
            | Type::Tensor(inner)
            | Type::Packed(inner)
            | Type::Logical(_, inner)
            | Type::Extension(_, inner) => ([Some(*inner), None], &[], &[]),
            Type::Map(key, value) => ([Some(*key), Some(*value)], &[], &[]),
            Type::Tuple(items) => ([None; 2], items, &[]),
            Type::Union(union) => ([None; 2], &union.variants, &[]),
            Type::Record(of) | Type::Struct(_, of) => ([None; 2], &[], &of.fields),
            Type::Never
            | Type::Null
            | Type::Scalar(_)
            | Type::Def(_)
            | Type::Shared(_)
            | Type::Unknown(..) => ([None; 2], &[], &[]),
        };
        let fields = fields.iter().map(|(_, field)| *field);
        few.into_iter().flatten().chain(many.iter().copied()).chain(fields)
    }

    /// Shifts the types directly inside by an offset, to copy the type into the types of other schemas.
    pub fn moved(&self, by: usize) -> Type {
        let fields = |of: &Fields| Fields {
            fields: of.fields.iter().map(|(name, id)| (Arc::clone(name), id + by)).collected(),
            form: of.form.clone(),
        };
        let all = |ids: &[TypeId]| ids.iter().map(|id| id + by).collected();
        match self {
            Type::Option(inner) => Type::Option(inner + by),
            Type::List(item) => Type::List(item + by),
            Type::Tuple(items) => Type::Tuple(all(items)),
            Type::Record(of) => Type::Record(fields(of)),
            Type::Struct(name, of) => Type::Struct(Arc::clone(name), fields(of)),
            Type::Map(key, value) => Type::Map(key + by, value + by),
            Type::Union(union) => {
                Type::Union(Union { names: union.names.clone(), variants: all(&union.variants) })
            }
            Type::Array(len, item) => Type::Array(*len, item + by),
            Type::Tensor(inner) => Type::Tensor(inner + by),
            Type::Packed(inner) => Type::Packed(inner + by),
            Type::Logical(ty, storage) => Type::Logical(Arc::clone(ty), storage + by),
            Type::Extension(name, inner) => Type::Extension(Arc::clone(name), inner + by),
            Type::Never
            | Type::Null
            | Type::Scalar(_)
            | Type::Def(_)
            | Type::Shared(_)
            | Type::Unknown(..) => self.clone(),
        }
    }
}

/// The fields of a record or struct (F-17).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    pub fields: Box<[(Arc<str>, TypeId)]>,
    pub form: Form,
}

/// The fields that a row has (F-18).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// All fields, in order.
    One,
    /// The fields of one of these shapes.
    Several(Arc<[Box<[usize]>]>),
    /// Each row lists its fields.
    Sparse,
}

/// The variants of a union (F-19).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Union {
    pub names: Option<Box<[Arc<str>]>>,
    pub variants: Box<[TypeId]>,
}

/// The types of a message: readable as text, identified by a fingerprint.
///
/// ```
/// let bytes = holdall::to_vec(&holdall::Value::from(vec![1.5, 2.5]))?;
/// let schema = holdall::Schema::of_message(&bytes)?;
/// assert_eq!(schema.to_string(), "list(f64)");
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Clone)]
pub struct Schema(Arc<Inner>);

struct Inner {
    /// In the order of their code bytes: the root, the types inside it, the definitions.
    types: Vec<Type>,
    /// The types of the definitions.
    definitions: Vec<TypeId>,
    /// The stand-alone bytes, which begin with the number of definitions.
    bytes: Vec<u8>,
    fingerprint: u64,
    shapes: OnceLock<SchemaShapes>,
}

/// Schemas are equal if their bytes are equal.
impl PartialEq for Schema {
    fn eq(&self, other: &Schema) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.bytes == other.0.bytes
    }
}

impl Eq for Schema {}

impl Schema {
    pub fn new(types: Vec<Type>, definitions: Vec<TypeId>, bytes: Vec<u8>) -> Self {
        let fingerprint = xxh3_64(&bytes);
        Schema(Arc::new(Inner { types, definitions, bytes, fingerprint, shapes: OnceLock::new() }))
    }

    /// Reads stand-alone schema bytes, as [`Schema::as_bytes`] returns them.
    ///
    /// # Errors
    /// The errors of the spec's chapter 4, with their offsets; `trailing_bytes` after the schema.
    pub fn from_bytes(bytes: &[u8]) -> Result<Schema> {
        memory::guarded(|| {
            let scratch = Scratch::default();
            let mut input = Input::new(bytes, Limits::new().budget_for(bytes.len()), &scratch);
            let schema = read_schema(&mut input, true)?;
            match input.remaining() {
                0 => Ok(schema),
                left => Err(Error::at(Code::TrailingBytes, input.position())
                    .expected("the end of the schema")
                    .got(format!("{left} more bytes"))),
            }
        })
    }

    /// The stand-alone bytes: the number of definitions, the root, the definitions (F-13, F-22).
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0.bytes
    }

    /// The number of types, one for each position.
    #[must_use]
    pub fn sites(&self) -> usize {
        self.0.types.len()
    }

    /// XXH3-64 of [`Schema::as_bytes`] (F-22).
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.0.fingerprint
    }

    /// Whether each type has columns of its own (F-86). Types inside tensors and packed types have none.
    pub fn with_columns(&self) -> Vec<bool> {
        let types = self.types();
        let mut inside_one = memory::filled(false, types.len());
        let own = types.iter().enumerate().map(|(id, ty)| {
            if !inside_one[id] && matches!(ty, Type::Packed(_) | Type::Tensor(_)) {
                inside_one[self.inside(id)][1..].fill(true);
            }
            let has = match ty {
                Type::Scalar(_)
                | Type::Option(_)
                | Type::List(_)
                | Type::Map(..)
                | Type::Shared(_)
                | Type::Tensor(_)
                | Type::Packed(_)
                | Type::Unknown(..) => true,
                Type::Record(of) | Type::Struct(_, of) => !matches!(of.form, Form::One),
                Type::Union(of) => of.variants.len() > 1,
                Type::Never
                | Type::Null
                | Type::Tuple(_)
                | Type::Array(..)
                | Type::Def(_)
                | Type::Logical(..)
                | Type::Extension(..) => false,
            };
            has && !inside_one[id]
        });
        own.collected()
    }

    pub fn types(&self) -> &[Type] {
        &self.0.types
    }

    pub fn shapes(&self) -> &SchemaShapes {
        self.0.shapes.get_or_init(|| SchemaShapes::of(&self.0.types))
    }

    pub fn definitions(&self) -> &[TypeId] {
        &self.0.definitions
    }

    /// A type and all inside it, without what references to definitions stand for. Types are in preorder, so these are
    /// consecutive.
    pub fn inside(&self, id: TypeId) -> Range<TypeId> {
        let last_child = |id: &TypeId| self.types()[*id].children().last();
        let last = core::iter::successors(Some(id), last_child).last();
        id..last.map_or(id, |last| last + 1)
    }
}

/// For each type, the one that directly contains it; none for the root and definitions.
pub fn parents(schema: &Schema) -> Vec<Option<TypeId>> {
    let types = schema.types();
    let mut parents = memory::filled(None, types.len());
    for (parent, ty) in types.iter().enumerate() {
        ty.children().for_each(|site| parents[site] = Some(parent));
    }
    parents
}
