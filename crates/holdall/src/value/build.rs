//! Values from events.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::containers::{Array, Extension, List, Logical, Map, Record, Struct, Tuple, Variant};
use super::{BigInt, Shared, Tensor, Value};
use crate::dynamic::{Event, RowId, Sink, read_message};
use crate::error::{Code, Error, Result};
use crate::memory::{self, GrowMap, GrowVec};
use crate::message::MessageReader;
use crate::number::{IntKind, wide_of_big};
use crate::platform::HashMap;
use crate::schema::LogicalType;

/// A [`Sink`] that builds a [`Value`].
#[derive(Default)]
pub struct ValueBuilder {
    stack: Vec<OpenContainer>,
    root: Option<Value>,
    /// The identities of the next value, usually none; and the values with identity so far.
    pending: Vec<RowId>,
    known: HashMap<RowId, Shared>,
}

/// An open container, with its contents so far.
struct OpenContainer {
    kind: ContainerKind,
    items: Vec<Value>,
    shared: Option<Shared>,
}

enum ContainerKind {
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
    Error::new(Code::BadSource).expected("as many items as the container declares")
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
        self.known.put_each(self.pending.drain(..).map(|pending| (pending, shared.clone())));
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
            Some(open) => open.items.put(value),
            None if self.root.is_none() => self.root = Some(value),
            None => return Err(Error::new(Code::BadSource).expected("one value")),
        }
        Ok(())
    }

    fn begin(&mut self, kind: ContainerKind, len: usize) -> Result<()> {
        let shared = self.identity();
        self.stack.put(OpenContainer { kind, items: memory::with_capacity(len), shared });
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let Some(OpenContainer { kind, items, shared }) = self.stack.pop() else {
            return Err(incomplete());
        };
        let value = match kind {
            ContainerKind::List => Value::List(List::from(items)),
            ContainerKind::Tuple => Value::Tuple(Tuple::from(items)),
            ContainerKind::Record(keys) => {
                Value::Record(Record::new(keys, items).ok_or_else(incomplete)?)
            }
            ContainerKind::Struct(name, keys) => {
                let fields = Record::new(keys, items).ok_or_else(incomplete)?;
                Value::Struct(Struct::new(name, fields))
            }
            ContainerKind::Array => Value::Array(Array::from(items)),
            ContainerKind::Variant(name) => Value::Variant(Variant::new(name, only(items)?)),
            ContainerKind::Logical(ty) => Value::Logical(Logical::new(ty, only(items)?)),
            ContainerKind::Extension(name) => Value::Extension(Extension::new(name, only(items)?)),
            ContainerKind::Map => {
                let mut items = items.into_iter();
                let mut entries = memory::with_capacity(items.len() / 2);
                while let Some(key) = items.next() {
                    entries.put((key, items.next().ok_or_else(incomplete)?));
                }
                Value::Map(Map::from(entries))
            }
        };
        self.push_whole(value, shared)
    }

    fn reference(&mut self, row: RowId) -> Result<()> {
        let shared = self.known.get(&row).cloned().ok_or_else(incomplete)?;
        self.known.put_each(self.pending.drain(..).map(|pending| (pending, shared.clone())));
        // A complete value cannot lead back to an incomplete one, so strong handles make no cycle.
        let handle = match shared.is_set() {
            true => Value::Shared(shared),
            false => Value::Weak(shared.downgrade()),
        };
        self.push_whole(handle, None)
    }

    /// Whether the value is complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.root.is_some() && self.stack.is_empty()
    }

    /// Whether a value with this identity has begun.
    pub(crate) fn knows(&self, row: RowId) -> bool {
        self.known.contains_key(&row)
    }

    /// Takes a complete value in place of its events.
    ///
    /// ```
    /// use holdall::events::{Event, Sink};
    /// use holdall::{Value, ValueBuilder};
    ///
    /// let mut builder = ValueBuilder::new();
    /// builder.event(Event::List(1))?;
    /// builder.push_value(Value::from("whole"))?;
    /// builder.event(Event::End)?;
    /// assert_eq!(builder.finish()?, Value::from(vec!["whole"]));
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// `bad_source` if the value of the builder is complete.
    pub fn push_value(&mut self, value: Value) -> Result<()> {
        self.push_whole(value, None)
    }
}

/// An integer of a fixed width that fits 64 bits.
fn fixed_int(kind: IntKind, bits: u64) -> Value {
    let signed = bits.cast_signed();
    match kind {
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
    }
}

fn big_int(kind: IntKind, big: &[u8]) -> Result<Value> {
    // A u128 may have a 17th byte, which is zero.
    let wide = wide_of_big(big);
    Ok(match kind {
        IntKind::U128 => Value::U128(Box::new(u128::from_le_bytes(wide))),
        IntKind::I128 => Value::I128(Box::new(i128::from_le_bytes(wide))),
        _ => BigInt::from_le_bytes(big).map(Value::BigInt).ok_or_else(incomplete)?,
    })
}

impl Sink for ValueBuilder {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::Null => self.push(Value::Null),
            Event::Bool(value) => self.push(Value::Bool(value)),
            Event::Int(value) => self.push(Value::Int(value)),
            Event::FixedInt(kind, bits) => self.push(fixed_int(kind, bits)),
            Event::BigInt(kind, big) => self.push(big_int(kind, big)?),
            Event::F16(value) => self.push(Value::F16(value)),
            Event::Bf16(value) => self.push(Value::Bf16(value)),
            Event::F32(value) => self.push(Value::F32(value)),
            Event::F64(value) => self.push(Value::F64(value)),
            Event::String(value) => self.push(Value::String(memory::text(value))),
            Event::Bytes(value) => self.push(Value::Bytes(memory::copied(value))),
            Event::Fixed(value) => self.push(Value::Fixed(memory::copied(value))),
            Event::Tensor(tensor, elements) => {
                let copied = || Arc::new(memory::copied(tensor.elements));
                let elements = elements.map_or_else(copied, Arc::clone);
                self.push(Value::Tensor(Box::new(Tensor::from_ref(tensor, elements))))
            }
            Event::Unknown => self.push(Value::Unknown),
            Event::List(len) => self.begin(ContainerKind::List, len),
            Event::Tuple(len) => self.begin(ContainerKind::Tuple, len),
            Event::Array(len) => self.begin(ContainerKind::Array, len),
            Event::Map(len) => self.begin(ContainerKind::Map, 2 * len),
            Event::Record(shape) => {
                self.begin(ContainerKind::Record(Arc::clone(shape.keys())), shape.keys().len())
            }
            Event::Struct(name, shape) => {
                let kind = ContainerKind::Struct(Arc::clone(name), Arc::clone(shape.keys()));
                self.begin(kind, shape.keys().len())
            }
            Event::Variant(name) => self.begin(ContainerKind::Variant(Arc::clone(name)), 1),
            Event::Logical(ty) => self.begin(ContainerKind::Logical(Arc::clone(ty)), 1),
            Event::Extension(name) => self.begin(ContainerKind::Extension(Arc::clone(name)), 1),
            Event::End => self.end(),
            Event::Identity(row) => {
                self.pending.put(row);
                Ok(())
            }
            Event::Reference(row) => self.reference(row),
            Event::Choice(_) => Ok(()),
        }
    }

    fn ints(&mut self, values: &[u64]) -> Result<()> {
        let mut values = values.iter().map(|&value| Value::Int(value.cast_signed()));
        match self.stack.last_mut() {
            Some(open) => {
                open.items.put_each(values);
                Ok(())
            }
            None => values.try_for_each(|value| self.push(value)),
        }
    }
}
