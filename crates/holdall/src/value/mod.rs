//! Any data, without a Rust type for it.

mod build;
mod compare;
mod containers;
mod order;
mod print;
mod shared;
mod shredding;
mod tensor;
mod walk;

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use half::{bf16, f16};

pub use crate::schema::Element;
pub use build::ValueBuilder;
pub(crate) use build::of_message;
pub use containers::{Array, Extension, List, Logical, Map, Record, Struct, Tuple, Variant};
pub(crate) use order::order_of;
pub use shared::{Shared, WeakShared};
pub(crate) use shredding::emit_fields;
pub use tensor::Tensor;
pub(crate) use walk::emit;
#[doc(hidden)]
pub use walk::{check_copies, emit_copies};

use crate::memory::Collect;
use crate::number::{IntKind, is_shortest_big, shorten_big};

/// Any data: the contents of a message, without a Rust type for it.
///
/// A value may be nested as deeply as memory allows: reading, writing, dropping, cloning, comparing and printing do not
/// recurse.
///
/// Two values are equal if they have the same types and bits throughout: `NaN` equals itself, `0.0` differs from
/// `-0.0`, and `1` from `1.0`. Mappings are equal if they have equal entries in the same order.
///
/// ```
/// use holdall::Value;
///
/// let user = Value::record([("name", Value::from("Ada")), ("tags", Value::from(vec!["x", "y"]))]);
/// assert_eq!(user["name"].as_str(), Some("Ada"));
/// assert_eq!(user["tags"][1], Value::from("y"));
/// ```
#[derive(Default)]
#[non_exhaustive]
pub enum Value {
    /// Null.
    #[default]
    Null,
    /// A bool.
    Bool(bool),
    /// An integer of type `int` that fits 64 bits.
    Int(i64),
    /// An integer of type `int` that does not fit 64 bits.
    BigInt(BigInt),
    /// An integer of this width.
    U8(u8),
    /// An integer of this width.
    U16(u16),
    /// An integer of this width.
    U32(u32),
    /// An integer of this width.
    U64(u64),
    /// An integer of this width.
    U128(Box<u128>),
    /// An integer of this width.
    I8(i8),
    /// An integer of this width.
    I16(i16),
    /// An integer of this width.
    I32(i32),
    /// An integer of this width.
    I64(i64),
    /// An integer of this width.
    I128(Box<i128>),
    /// A float of 16 bits.
    F16(f16),
    /// The upper half of a 32-bit float.
    Bf16(bf16),
    /// A float of 32 bits.
    F32(f32),
    /// A float of 64 bits.
    F64(f64),
    /// Text.
    String(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Bytes, in a number that is the same for all values of the type.
    Fixed(Vec<u8>),
    /// Items in order.
    List(List),
    /// Items in order, in a number that is the same for all values of the type.
    Array(Array),
    /// Items that differ in meaning by position.
    Tuple(Tuple),
    /// A mapping whose keys are strings.
    Record(Record),
    /// A mapping with keys of any type.
    Map(Map),
    /// An object of a named type.
    Struct(Struct),
    /// A named variant with its payload.
    Variant(Variant),
    /// Numbers in any number of dimensions.
    Tensor(Box<Tensor>),
    /// A value with a logical type: a date, a decimal number, a set.
    Logical(Logical),
    /// A value of an extension type, which only some programs know.
    Extension(Extension),
    /// A skipped value of a type from a later version of the format; it cannot be written.
    Unknown,
    /// A value with an identity, which can occur in several places.
    Shared(Shared),
    /// A reference to a value that contains it.
    Weak(WeakShared),
}

/// An integer that does not fit 64 bits: two's complement, little-endian, in the shortest form (F-6).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BigInt(Box<[u8]>);

impl BigInt {
    /// Creates an integer from its two's complement bytes, little-endian. `None` if there are no bytes or it fits 64
    /// bits and is thus a [`Value::Int`].
    ///
    /// ```
    /// use holdall::BigInt;
    /// assert_eq!(BigInt::from_le_bytes(&[0, 0, 0, 0, 0, 0, 0, 0, 1]).unwrap().as_le_bytes().len(), 9); // 2^64
    /// assert_eq!(BigInt::from_le_bytes(&[5, 0]), None);
    /// ```
    #[must_use]
    pub fn from_le_bytes(bytes: &[u8]) -> Option<BigInt> {
        let bytes = shorten_big(bytes);
        let fits = IntKind::Int.bits_of_big(bytes).is_some();
        (is_shortest_big(bytes) && !fits).then(|| BigInt(bytes.into()))
    }

    /// Returns the two's complement bytes, little-endian, in the shortest form.
    #[must_use]
    pub fn as_le_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Value {
    /// Creates a mapping with string keys, in this order. A duplicate key is an error when it is written.
    pub fn record<K: Into<Arc<str>>>(fields: impl IntoIterator<Item = (K, Value)>) -> Value {
        Value::Record(fields.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// Creates a list.
    pub fn list(items: impl IntoIterator<Item = Value>) -> Value {
        Value::List(items.into_iter().collected::<Vec<_>>().into())
    }

    /// Creates a tuple.
    pub fn tuple(items: impl IntoIterator<Item = Value>) -> Value {
        Value::Tuple(items.into_iter().collected::<Vec<_>>().into())
    }

    /// Creates a mapping with keys of any type, in this order.
    pub fn map(entries: impl IntoIterator<Item = (Value, Value)>) -> Value {
        Value::Map(entries.into_iter().collected::<Vec<_>>().into())
    }

    /// Returns the value itself, or the one that a [`Shared`] holds.
    #[must_use]
    pub fn get(&self) -> &Value {
        let mut value = self;
        while let Value::Shared(shared) = value {
            value = shared.get();
        }
        value
    }

    /// Returns the bool, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.get() {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the integer, if it is one of any type and fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.get() {
            Value::Int(value) | Value::I64(value) => Some(*value),
            Value::U8(value) => Some(i64::from(*value)),
            Value::U16(value) => Some(i64::from(*value)),
            Value::U32(value) => Some(i64::from(*value)),
            Value::U64(value) => i64::try_from(*value).ok(),
            Value::U128(value) => i64::try_from(**value).ok(),
            Value::I8(value) => Some(i64::from(*value)),
            Value::I16(value) => Some(i64::from(*value)),
            Value::I32(value) => Some(i64::from(*value)),
            Value::I128(value) => i64::try_from(**value).ok(),
            _ => None,
        }
    }

    /// Returns the float, if it is one.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self.get() {
            Value::F16(value) => Some(f64::from(*value)),
            Value::Bf16(value) => Some(f64::from(*value)),
            Value::F32(value) => Some(f64::from(*value)),
            Value::F64(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the text, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self.get() {
            Value::String(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the items of a list, array or tuple.
    #[must_use]
    pub fn as_slice(&self) -> Option<&[Value]> {
        match self.get() {
            Value::List(items) => Some(items),
            Value::Array(items) => Some(items),
            Value::Tuple(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the value of a field of a record or struct, or of a string key in a map.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self.get() {
            Value::Record(record) => record.field(name),
            Value::Struct(of) => of.fields().field(name),
            Value::Map(map) => {
                map.iter().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value)
            }
            _ => None,
        }
    }
}

const NULL: &Value = &Value::Null;

/// Returns the value of a field; null if there is none.
impl core::ops::Index<&str> for Value {
    type Output = Value;
    fn index(&self, name: &str) -> &Value {
        self.field(name).unwrap_or(NULL)
    }
}

/// Returns an item of a list, array or tuple; null if there is none.
impl core::ops::Index<usize> for Value {
    type Output = Value;
    fn index(&self, index: usize) -> &Value {
        self.as_slice().and_then(|items| items.get(index)).unwrap_or(NULL)
    }
}

macro_rules! from {
    ($($from:ty => |$value:ident| $into:expr,)*) => {
        $(impl From<$from> for Value {
            fn from($value: $from) -> Value { $into }
        })*
    };
}

from! {
    bool => |value| Value::Bool(value),
    i8 => |value| Value::Int(i64::from(value)),
    i16 => |value| Value::Int(i64::from(value)),
    i32 => |value| Value::Int(i64::from(value)),
    i64 => |value| Value::Int(value),
    u8 => |value| Value::Int(i64::from(value)),
    u16 => |value| Value::Int(i64::from(value)),
    u32 => |value| Value::Int(i64::from(value)),
    f16 => |value| Value::F16(value),
    bf16 => |value| Value::Bf16(value),
    f32 => |value| Value::F32(value),
    f64 => |value| Value::F64(value),
    &str => |value| Value::String(value.to_owned()),
    String => |value| Value::String(value),
    BigInt => |value| Value::BigInt(value),
    Record => |value| Value::Record(value),
    Tensor => |value| Value::Tensor(Box::new(value)),
    Logical => |value| Value::Logical(value),
    Extension => |value| Value::Extension(value),
}

impl From<u64> for Value {
    fn from(value: u64) -> Value {
        match i64::try_from(value) {
            Ok(value) => Value::Int(value),
            Err(_) => BigInt::from_le_bytes(&i128::from(value).to_le_bytes())
                .map_or(Value::Null, Value::BigInt),
        }
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Value {
        Value::list(items.into_iter().map(Into::into))
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}
