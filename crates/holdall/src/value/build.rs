//! Values from events.

use std::collections::HashMap;
use std::sync::Arc;

use half::{bf16, f16};

use super::containers::{Array, Extension, List, Logical, Map, Record, Struct, Tuple, Variant};
use super::{BigInt, Shared, Tensor, Value};
use crate::dynamic::{RowId, Sink, TensorRef, read_message};
use crate::error::{Code, Error, Result};
use crate::message::MessageReader;
use crate::number::{IntKind, wide_of_big};
use crate::schema::{LogicalType, Shape};

/// A [`Sink`] that builds a [`Value`].
#[derive(Default)]
pub struct ValueBuilder {
    stack: Vec<Open>,
    root: Option<Value>,
    /// The identities of the next value, usually none; and the values with identity so far.
    pending: Vec<RowId>,
    known: HashMap<RowId, Shared>,
}

/// An open container, with its contents so far.
struct Open {
    kind: Kind,
    items: Vec<Value>,
    shared: Option<Shared>,
}

enum Kind {
    List,
    Tuple,
    Record(Arc<[Arc<str>]>),
    Map,
    Struct(Arc<str>, Arc<[Arc<str>]>),
    Variant(Arc<str>),
    Array,
    Logical(Arc<LogicalType>),
    Extension(Arc<str>),
}

fn incomplete() -> Error {
    Error::new(Code::BadSource).expected("as many contents as what was begun has")
}

/// The value that was built.
fn only(items: Vec<Value>) -> Result<Value> {
    let mut items = items.into_iter();
    match (items.next(), items.next()) {
        (Some(value), None) => Ok(value),
        _ => Err(incomplete()),
    }
}

/// Reads an entire message into a value.
pub(crate) fn of_message(messages: &mut MessageReader, message: &[u8]) -> Result<Value> {
    let mut builder = ValueBuilder::new();
    read_message(messages, message, &mut builder)?;
    builder.finish()
}

impl ValueBuilder {
    /// Creates a builder without a value.
    #[must_use]
    pub fn new() -> Self {
        ValueBuilder::default()
    }

    /// Returns the value, once it is complete.
    ///
    /// # Errors
    /// `bad_source` if it is missing or incomplete.
    pub fn finish(self) -> Result<Value> {
        match self.root {
            Some(value) if self.stack.is_empty() => Ok(value),
            _ => Err(incomplete()),
        }
    }

    #[inline]
    fn push(&mut self, value: Value) -> Result<()> {
        if !self.pending.is_empty() {
            let shared = self.identity();
            return self.push_whole(value, shared);
        }
        self.push_whole(value, None)
    }

    /// Creates a handle for the next value, if that has an identity.
    fn identity(&mut self) -> Option<Shared> {
        if self.pending.is_empty() {
            return None;
        }
        let shared = Shared::unset();
        self.known.extend(self.pending.drain(..).map(|pending| (pending, shared.clone())));
        Some(shared)
    }

    #[inline]
    fn push_whole(&mut self, value: Value, shared: Option<Shared>) -> Result<()> {
        let value = match shared {
            None => value,
            Some(shared) => {
                shared.set(value);
                Value::Shared(shared)
            }
        };
        match self.stack.last_mut() {
            Some(open) => open.items.push(value),
            None if self.root.is_none() => self.root = Some(value),
            None => return Err(Error::new(Code::BadSource).expected("one value")),
        }
        Ok(())
    }

    fn begin(&mut self, kind: Kind, len: usize) {
        let shared = self.identity();
        self.stack.push(Open { kind, items: Vec::with_capacity(len), shared });
    }

    /// Takes an existing value, with its identity.
    pub(crate) fn handle(&mut self, handle: Value) -> Result<()> {
        self.push_whole(handle, None)
    }
}

impl Sink for ValueBuilder {
    fn null(&mut self) -> Result<()> {
        self.push(Value::Null)
    }

    fn bool(&mut self, value: bool) -> Result<()> {
        self.push(Value::Bool(value))
    }

    fn int(&mut self, value: i64) -> Result<()> {
        self.push(Value::Int(value))
    }

    fn fixed_int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        let signed = bits.cast_signed();
        self.push(match kind {
            IntKind::U8 => Value::U8(bits as u8),
            IntKind::U16 => Value::U16(bits as u16),
            IntKind::U32 => Value::U32(bits as u32),
            IntKind::U64 => Value::U64(bits),
            IntKind::U128 => Value::U128(Box::new(u128::from(bits))),
            IntKind::I8 => Value::I8(signed as i8),
            IntKind::I16 => Value::I16(signed as i16),
            IntKind::I32 => Value::I32(signed as i32),
            IntKind::I64 => Value::I64(signed),
            IntKind::I128 => Value::I128(Box::new(i128::from(signed))),
            IntKind::Int => Value::Int(signed),
        })
    }

    fn big_int(&mut self, kind: IntKind, big: &[u8]) -> Result<()> {
        // A u128 may have a 17th byte, which is zero.
        let wide = wide_of_big(big);
        self.push(match kind {
            IntKind::U128 => Value::U128(Box::new(u128::from_le_bytes(wide))),
            IntKind::I128 => Value::I128(Box::new(i128::from_le_bytes(wide))),
            _ => BigInt::from_le_bytes(big).map(Value::BigInt).ok_or_else(incomplete)?,
        })
    }

    fn f16(&mut self, value: f16) -> Result<()> {
        self.push(Value::F16(value))
    }

    fn bf16(&mut self, value: bf16) -> Result<()> {
        self.push(Value::Bf16(value))
    }

    fn f32(&mut self, value: f32) -> Result<()> {
        self.push(Value::F32(value))
    }

    fn f64(&mut self, value: f64) -> Result<()> {
        self.push(Value::F64(value))
    }

    fn string(&mut self, value: &str) -> Result<()> {
        self.push(Value::String(value.to_owned()))
    }

    fn bytes(&mut self, value: &[u8]) -> Result<()> {
        self.push(Value::Bytes(value.to_vec()))
    }

    fn fixed(&mut self, value: &[u8]) -> Result<()> {
        self.push(Value::Fixed(value.to_vec()))
    }

    fn tensor(&mut self, tensor: TensorRef<'_>) -> Result<()> {
        self.shared_tensor(tensor, &Arc::new(tensor.elements.to_vec()))
    }

    fn shared_tensor(&mut self, tensor: TensorRef<'_>, elements: &Arc<Vec<u8>>) -> Result<()> {
        self.push(Value::Tensor(Box::new(Tensor::from_ref(tensor, Arc::clone(elements)))))
    }

    fn unknown(&mut self) -> Result<()> {
        self.push(Value::Unknown)
    }

    fn begin_array(&mut self, len: usize) -> Result<()> {
        self.begin(Kind::Array, len);
        Ok(())
    }

    fn begin_logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        self.begin(Kind::Logical(Arc::clone(ty)), 1);
        Ok(())
    }

    fn begin_extension(&mut self, name: &Arc<str>) -> Result<()> {
        self.begin(Kind::Extension(Arc::clone(name)), 1);
        Ok(())
    }

    fn begin_list(&mut self, len: usize) -> Result<()> {
        self.begin(Kind::List, len);
        Ok(())
    }

    fn begin_tuple(&mut self, len: usize) -> Result<()> {
        self.begin(Kind::Tuple, len);
        Ok(())
    }

    fn begin_record(&mut self, shape: &Shape) -> Result<()> {
        self.begin(Kind::Record(Arc::clone(shape.keys())), shape.keys().len());
        Ok(())
    }

    fn begin_struct(&mut self, name: &Arc<str>, shape: &Shape) -> Result<()> {
        self.begin(Kind::Struct(Arc::clone(name), Arc::clone(shape.keys())), shape.keys().len());
        Ok(())
    }

    fn begin_map(&mut self, len: usize) -> Result<()> {
        self.begin(Kind::Map, 2 * len);
        Ok(())
    }

    fn begin_variant(&mut self, name: &Arc<str>) -> Result<()> {
        self.begin(Kind::Variant(Arc::clone(name)), 1);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let Some(Open { kind, items, shared }) = self.stack.pop() else {
            return Err(incomplete());
        };
        let value = match kind {
            Kind::List => Value::List(List::from(items)),
            Kind::Tuple => Value::Tuple(Tuple::from(items)),
            Kind::Record(keys) => Value::Record(Record::new(keys, items).ok_or_else(incomplete)?),
            Kind::Struct(name, keys) => {
                let fields = Record::new(keys, items).ok_or_else(incomplete)?;
                Value::Struct(Struct::new(name, fields))
            }
            Kind::Array => Value::Array(Array::from(items)),
            Kind::Variant(name) => Value::Variant(Variant::new(name, only(items)?)),
            Kind::Logical(ty) => Value::Logical(Logical::new(ty, only(items)?)),
            Kind::Extension(name) => Value::Extension(Extension::new(name, only(items)?)),
            Kind::Map => {
                let mut items = items.into_iter();
                let mut entries = Vec::with_capacity(items.len() / 2);
                while let Some(key) = items.next() {
                    entries.push((key, items.next().ok_or_else(incomplete)?));
                }
                Value::Map(Map::from(entries))
            }
        };
        self.push_whole(value, shared)
    }

    fn identify(&mut self, row: RowId) -> Result<()> {
        self.pending.push(row);
        Ok(())
    }

    fn reference(&mut self, row: RowId) -> Result<()> {
        let shared = self.known.get(&row).cloned().ok_or_else(incomplete)?;
        self.known.extend(self.pending.drain(..).map(|pending| (pending, shared.clone())));
        // A complete value cannot lead back to an incomplete one, so strong handles make no cycle.
        let handle = match shared.is_set() {
            true => Value::Shared(shared),
            false => Value::Weak(shared.downgrade()),
        };
        self.push_whole(handle, None)
    }

    fn ints(&mut self, values: &[u64]) -> Result<()> {
        match self.stack.last_mut() {
            Some(open) => {
                open.items.extend(values.iter().map(|&value| Value::Int(value.cast_signed())));
                Ok(())
            }
            None => values.iter().try_for_each(|&value| self.int(value.cast_signed())),
        }
    }
}
