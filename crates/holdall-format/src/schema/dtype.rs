//! Types whose values take a fixed number of bytes (F-70): elements of tensors and packed rows.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::{self, Display, Formatter, Write};

use half::{bf16, f16};

use super::{Fields, Form, LogicalType, Scalar, SchemaWriter, Type, TypeId, code, fmt_name};
use crate::memory::{Collect, GrowVec};
use crate::number::IntKind;
use crate::platform::HashSet;

/// The most bytes that one value may take.
pub const WIDEST: u64 = 1 << 20;

/// The most levels of a tensor's element type: readers accept this many below a tensor inside a message (F-54, F-15).
const LEVELS: usize = 32;

/// The type of a tensor's elements.
///
/// ```
/// use holdall::{DType, IntKind};
///
/// let point = DType::Tuple([DType::F32, DType::F32].into());
/// assert_eq!(point.width(), Some(8));
/// assert_eq!(DType::Int(IntKind::Int).width(), None); // of any size
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DType {
    /// A byte 0 or 1.
    Bool,
    /// An integer of a fixed width.
    Int(IntKind),
    /// A float of 16 bits.
    F16,
    /// A bfloat16: the upper half of a 32-bit float.
    Bf16,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
    /// This many bytes.
    Fixed(u64),
    /// This many values of a type.
    Array(u64, Box<DType>),
    /// One value of each of these types, in order.
    Tuple(Box<[DType]>),
    /// A tuple whose items have names.
    Record(Box<[(Arc<str>, DType)]>),
    /// An object of a named type.
    Struct(Arc<str>, Box<[(Arc<str>, DType)]>),
    /// A meaning for a type.
    Logical(LogicalType, Box<DType>),
    /// A type that a program defines.
    Extension(Arc<str>, Box<DType>),
}

/// A Rust type that can be a tensor's element.
pub trait Element: Copy {
    /// Its type.
    const DTYPE: DType;
    /// Appends its bytes, little-endian.
    fn write(self, out: &mut Vec<u8>);
    /// Decodes an element from exactly as many bytes as its type is wide.
    fn read(bytes: &[u8]) -> Option<Self>;
}

macro_rules! elements {
    ($($ty:ty => $dtype:expr,)*) => {
        $(impl Element for $ty {
            const DTYPE: DType = $dtype;
            fn write(self, out: &mut Vec<u8>) {
                out.put_slice(&self.to_le_bytes());
            }
            fn read(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(<$ty>::from_le_bytes)
            }
        })*
    };
}

elements! {
    u8 => DType::Int(IntKind::U8),
    u16 => DType::Int(IntKind::U16),
    u32 => DType::Int(IntKind::U32),
    u64 => DType::Int(IntKind::U64),
    u128 => DType::Int(IntKind::U128),
    i8 => DType::Int(IntKind::I8),
    i16 => DType::Int(IntKind::I16),
    i32 => DType::Int(IntKind::I32),
    i64 => DType::Int(IntKind::I64),
    i128 => DType::Int(IntKind::I128),
    f16 => DType::F16,
    bf16 => DType::Bf16,
    f32 => DType::F32,
    f64 => DType::F64,
}

impl Element for bool {
    const DTYPE: DType = DType::Bool;
    fn write(self, out: &mut Vec<u8>) {
        out.put(u8::from(self));
    }
    fn read(bytes: &[u8]) -> Option<bool> {
        match bytes {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

impl DType {
    /// The number of bytes of a value; none unless that is 1 to 2^20, here and for each type inside it.
    #[must_use]
    pub fn width(&self) -> Option<u64> {
        let sum =
            || self.inner().try_fold(0u64, |sum, inner| Some(sum.saturating_add(inner.width()?)));
        let width = match self {
            DType::Array(len, item) => len.saturating_mul(item.width()?),
            _ => match self.scalar() {
                Some(scalar) => scalar.width()?,
                None => sum()?,
            },
        };
        is_width(width).then_some(width)
    }

    /// The reason why a schema cannot hold the type: a writer accepts only types that a reader accepts.
    // The recursion ends at LEVELS.
    pub fn fault(&self, level: usize) -> Option<&'static str> {
        if level > LEVELS {
            return Some("elements whose type nests at most 32 deep");
        }
        let fault = match self {
            DType::Record(fields) | DType::Struct(_, fields) => {
                let names: HashSet<&str> = fields.iter().map(|(name, _)| &**name).collected();
                (names.len() < fields.len()).then_some("elements with distinct field names")
            }
            DType::Logical(ty, storage) => {
                let fits = ty.storage().is_of(storage);
                (!fits).then_some("elements of a logical type over its storage")
            }
            _ => None,
        };
        fault.or_else(|| self.inner().find_map(|inner| inner.fault(level + 1)))
    }

    /// The type as a schema has it, after every check of F-70.
    pub fn of(types: &[Type], id: TypeId) -> DType {
        let fields = |fields: &Fields| {
            fields
                .fields
                .iter()
                .map(|(name, id)| (Arc::clone(name), DType::of(types, *id)))
                .collected()
        };
        match &types[id] {
            Type::Scalar(scalar) => DType::of_scalar(*scalar),
            Type::Array(len, item) => DType::Array(*len, Box::new(DType::of(types, *item))),
            Type::Tuple(items) => {
                DType::Tuple(items.iter().map(|item| DType::of(types, *item)).collected())
            }
            Type::Record(of) => DType::Record(fields(of)),
            Type::Struct(name, of) => DType::Struct(Arc::clone(name), fields(of)),
            Type::Logical(ty, storage) => {
                DType::Logical((**ty).clone(), Box::new(DType::of(types, *storage)))
            }
            Type::Extension(name, inner) => {
                DType::Extension(Arc::clone(name), Box::new(DType::of(types, *inner)))
            }
            // bool; nothing else is packable.
            _ => DType::Bool,
        }
    }

    /// A scalar type. Tensors hold none without a fixed width.
    pub fn of_scalar(scalar: Scalar) -> DType {
        match scalar {
            Scalar::Bool | Scalar::String | Scalar::Bytes => DType::Bool,
            Scalar::Int(kind) => DType::Int(kind),
            Scalar::F16 => DType::F16,
            Scalar::Bf16 => DType::Bf16,
            Scalar::F32 => DType::F32,
            Scalar::F64 => DType::F64,
            Scalar::Fixed(len) => DType::Fixed(len),
        }
    }

    /// Appends the type to a schema.
    pub fn write(&self, schema: &mut SchemaWriter) {
        let fields = |schema: &mut SchemaWriter, fields: &[(Arc<str>, DType)]| {
            schema.number(4 * fields.len());
            for (name, field) in fields {
                schema.name(name);
                field.write(schema);
            }
        };
        if let Some(scalar) = self.scalar() {
            return schema.scalar(scalar);
        }
        match self {
            DType::Array(len, item) => {
                schema.code(code::ARRAY);
                schema.varint(*len);
                item.write(schema);
            }
            DType::Tuple(items) => {
                schema.code(code::TUPLE);
                schema.number(items.len());
                items.iter().for_each(|item| item.write(schema));
            }
            DType::Record(of) => {
                schema.code(code::RECORD);
                fields(schema, of);
            }
            DType::Struct(name, of) => {
                schema.code(code::STRUCT);
                schema.name(name);
                fields(schema, of);
            }
            DType::Logical(ty, storage) => {
                schema.logical(ty);
                storage.write(schema);
            }
            DType::Extension(name, inner) => {
                schema.code(code::EXTENSION);
                schema.name(name);
                inner.write(schema);
            }
            _ => {}
        }
    }

    /// Which bytes of a value are bools. Call this only if there is at least one value, because the result is as long
    /// as a value.
    pub fn bools(&self) -> Bools {
        let mut bools = Vec::new();
        if self.has_bool() {
            self.add_bools(&mut bools);
        }
        Bools(bools.into())
    }

    fn add_bools(&self, bools: &mut Vec<bool>) {
        match (self, self.scalar()) {
            (_, Some(scalar)) => {
                let end = bools.len() + scalar.width().unwrap_or(0) as usize;
                bools.put_fill(end, scalar == Scalar::Bool);
            }
            (DType::Array(len, item), None) => {
                let start = bools.len();
                item.add_bools(bools);
                let end = bools.len();
                (1..*len).for_each(|_| bools.extend_from_within(start..end));
            }
            _ => self.inner().for_each(|inner| inner.add_bools(bools)),
        }
    }

    /// The scalar type, if this is one.
    pub fn scalar(&self) -> Option<Scalar> {
        Some(match self {
            DType::Bool => Scalar::Bool,
            DType::Int(kind) => Scalar::Int(*kind),
            DType::F16 => Scalar::F16,
            DType::Bf16 => Scalar::Bf16,
            DType::F32 => Scalar::F32,
            DType::F64 => Scalar::F64,
            DType::Fixed(len) => Scalar::Fixed(*len),
            _ => return None,
        })
    }

    /// The number of values inside one value, itself included.
    pub fn values(&self) -> u128 {
        let inside = self.inner().fold(0, |sum: u128, inner| sum.saturating_add(inner.values()));
        let times = match self {
            DType::Array(len, _) => u128::from(*len),
            _ => 1,
        };
        inside.saturating_mul(times).saturating_add(1)
    }

    /// The integer or float that this type is or wraps in logical types and extensions (F-94).
    pub fn number(&self) -> Option<Scalar> {
        match self {
            DType::Logical(_, inner) | DType::Extension(_, inner) => inner.number(),
            DType::Bool | DType::Fixed(_) => None,
            _ => self.scalar(),
        }
    }

    pub fn has_bool(&self) -> bool {
        matches!(self, DType::Bool) || self.inner().any(DType::has_bool)
    }

    /// The types directly inside this one.
    fn inner(&self) -> Box<dyn Iterator<Item = &DType> + '_> {
        match self {
            DType::Array(_, inner) | DType::Logical(_, inner) | DType::Extension(_, inner) => {
                Box::new(core::iter::once(&**inner))
            }
            DType::Tuple(items) => Box::new(items.iter()),
            DType::Record(fields) | DType::Struct(_, fields) => {
                Box::new(fields.iter().map(|(_, field)| field))
            }
            _ => Box::new(core::iter::empty()),
        }
    }
}

/// Which bytes of a value are bools; empty if no byte is.
pub struct Bools(Box<[bool]>);

impl Bools {
    /// The offset of the first bool that is neither 0 nor 1, in values that follow each other.
    pub fn find_bad(&self, values: &[u8]) -> Option<usize> {
        let bools = &*self.0;
        match bools {
            [] => return None,
            // The one byte is one.
            [_] => return values.iter().position(|byte| *byte > 1),
            _ => {}
        }
        let bad = |value: &[u8]| value.iter().zip(bools).position(|(byte, is)| *is && *byte > 1);
        let mut rows = values.chunks_exact(bools.len()).enumerate();
        rows.find_map(|(row, value)| Some(row * bools.len() + bad(value)?))
    }
}

/// Whether a value may take this many bytes.
pub fn is_width(width: u64) -> bool {
    (1..=WIDEST).contains(&width)
}

/// The type as in a schema's text (F-55).
impl Display for DType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(scalar) = self.scalar() {
            return scalar.fmt(f);
        }
        match self {
            DType::Array(len, item) => write!(f, "array({len}, {item})"),
            DType::Tuple(items) => {
                f.write_str("tuple(")?;
                for (index, item) in items.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    item.fmt(f)?;
                }
                f.write_char(')')
            }
            DType::Record(fields) => {
                f.write_str("record ")?;
                fmt_fields(f, fields)
            }
            DType::Struct(name, fields) => {
                f.write_str("struct ")?;
                fmt_name(f, name)?;
                f.write_char(' ')?;
                fmt_fields(f, fields)
            }
            DType::Logical(ty, storage) => write!(f, "{ty}({storage})"),
            DType::Extension(name, inner) => {
                f.write_str("extension ")?;
                super::text::fmt_quoted(f, name)?;
                write!(f, "({inner})")
            }
            _ => Ok(()),
        }
    }
}

fn fmt_fields(f: &mut Formatter<'_>, fields: &[(Arc<str>, DType)]) -> fmt::Result {
    f.write_char('{')?;
    for (index, (name, field)) in fields.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { ", " })?;
        fmt_name(f, name)?;
        write!(f, ": {field}")?;
    }
    f.write_char('}')
}

/// The width of a type in a schema, from the widths of the types inside it; none if it is not packable.
pub fn width(types: &[Type], id: TypeId, of: impl Fn(TypeId) -> u64) -> Option<u64> {
    let sum = |ids: &mut dyn Iterator<Item = TypeId>| {
        Some(ids.fold(0u64, |sum, id| sum.saturating_add(of(id))))
    };
    match &types[id] {
        Type::Scalar(scalar) => scalar.width(),
        Type::Array(len, item) => Some(len.saturating_mul(of(*item))),
        Type::Tuple(items) => sum(&mut items.iter().copied()),
        Type::Record(Fields { fields, form: Form::One })
        | Type::Struct(_, Fields { fields, form: Form::One }) => {
            sum(&mut fields.iter().map(|(_, field)| *field))
        }
        Type::Logical(_, inner) | Type::Extension(_, inner) => Some(of(*inner)),
        _ => None,
    }
}
