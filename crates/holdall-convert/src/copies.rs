//! Copies of shared values, one at each place.

use std::borrow::Cow;
use std::collections::HashMap;
use std::slice::Iter;
use std::sync::Arc;

use holdall::events::{Event, TensorRef};
use holdall::{Error, IntKind, Result, Shape, Sink, Value};

use crate::path::{self, Step};
use crate::refuse;

/// The rest of a container, and the number of values so far.
struct Frame<'v> {
    rest: Rest<'v>,
    count: usize,
}

enum Rest<'v> {
    Items(Iter<'v, Value>),
    Fields(&'v [Arc<str>], Iter<'v, Value>),
    Entries(Iter<'v, (Value, Value)>, Option<&'v Value>),
    One(Option<&'v Value>),
    Payload(&'v str, Option<&'v Value>),
}

/// Emits a value that a reader built, with a copy of each shared value at each of its places. In such a value, exactly the
/// handles to incomplete values are weak, so following the others terminates.
pub(crate) fn emit(value: &Value, sink: &mut impl Sink) -> Result<()> {
    let mut walk = Walk { frames: Vec::new(), shapes: HashMap::new() };
    walk.run(value, sink).map_err(|error| walk.locate(error))
}

struct Walk<'v> {
    frames: Vec<Frame<'v>>,
    /// The numbers of shapes, by the addresses of their keys.
    shapes: HashMap<*const Arc<str>, usize>,
}

impl<'v> Walk<'v> {
    fn run(&mut self, root: &'v Value, sink: &mut impl Sink) -> Result<()> {
        let mut next = Some(root);
        loop {
            if let Some(value) = next
                && let Some(rest) = self.begin(value, sink)?
            {
                self.frames.push(Frame { rest, count: 0 });
            }
            let Some(frame) = self.frames.last_mut() else { return Ok(()) };
            next = match &mut frame.rest {
                Rest::Items(items) | Rest::Fields(_, items) => items.next(),
                Rest::Entries(entries, value) => value.take().or_else(|| {
                    let (key, after) = entries.next()?;
                    *value = Some(after);
                    Some(key)
                }),
                Rest::One(value) | Rest::Payload(_, value) => value.take(),
            };
            frame.count += 1;
            if next.is_none() {
                self.frames.pop();
                sink.event(Event::End)?;
            }
        }
    }

    fn shape(&mut self, keys: &Arc<[Arc<str>]>) -> Shape {
        let next = self.shapes.len();
        let id = *self.shapes.entry(keys.as_ptr()).or_insert(next);
        Shape::new(id, Arc::clone(keys))
    }

    /// Emits a scalar, or the beginning of a container.
    fn begin(&mut self, value: &'v Value, sink: &mut impl Sink) -> Result<Option<Rest<'v>>> {
        let signed = |kind, value: i64| Event::FixedInt(kind, value.cast_unsigned());
        match value.get() {
            Value::Null => sink.event(Event::Null)?,
            Value::Bool(value) => sink.event(Event::Bool(*value))?,
            Value::Int(value) => sink.event(Event::Int(*value))?,
            Value::BigInt(value) => sink.event(Event::BigInt(IntKind::Int, value.as_le_bytes()))?,
            Value::U8(value) => sink.event(Event::FixedInt(IntKind::U8, u64::from(*value)))?,
            Value::U16(value) => sink.event(Event::FixedInt(IntKind::U16, u64::from(*value)))?,
            Value::U32(value) => sink.event(Event::FixedInt(IntKind::U32, u64::from(*value)))?,
            Value::U64(value) => sink.event(Event::FixedInt(IntKind::U64, *value))?,
            Value::I8(value) => sink.event(signed(IntKind::I8, (*value).into()))?,
            Value::I16(value) => sink.event(signed(IntKind::I16, (*value).into()))?,
            Value::I32(value) => sink.event(signed(IntKind::I32, (*value).into()))?,
            Value::I64(value) => sink.event(signed(IntKind::I64, *value))?,
            Value::U128(value) => match u64::try_from(**value) {
                Ok(low) => sink.event(Event::FixedInt(IntKind::U128, low))?,
                Err(_) => {
                    let mut bytes = [0; 17];
                    bytes[..16].copy_from_slice(&value.to_le_bytes());
                    sink.event(Event::BigInt(IntKind::U128, crate::number::shortest(&bytes)))?;
                }
            },
            Value::I128(value) => match i64::try_from(**value) {
                Ok(low) => sink.event(signed(IntKind::I128, low))?,
                Err(_) => {
                    let bytes = value.to_le_bytes();
                    sink.event(Event::BigInt(IntKind::I128, crate::number::shortest(&bytes)))?;
                }
            },
            Value::F16(value) => sink.event(Event::F16(*value))?,
            Value::Bf16(value) => sink.event(Event::Bf16(*value))?,
            Value::F32(value) => sink.event(Event::F32(*value))?,
            Value::F64(value) => sink.event(Event::F64(*value))?,
            Value::String(value) => sink.event(Event::String(value))?,
            Value::Bytes(value) => sink.event(Event::Bytes(value))?,
            Value::Fixed(value) => sink.event(Event::Fixed(value))?,
            Value::Tensor(tensor) => sink.event(Event::Tensor(
                TensorRef {
                    dtype: tensor.dtype(),
                    shape: tensor.shape(),
                    column_major: tensor.is_column_major(),
                    elements: tensor.as_bytes(),
                },
                None,
            ))?,
            Value::List(items) => {
                sink.event(Event::List(items.len()))?;
                return Ok(Some(Rest::Items(items.iter())));
            }
            Value::Array(items) => {
                sink.event(Event::Array(items.len()))?;
                return Ok(Some(Rest::Items(items.iter())));
            }
            Value::Tuple(items) => {
                sink.event(Event::Tuple(items.len()))?;
                return Ok(Some(Rest::Items(items.iter())));
            }
            Value::Record(record) => {
                sink.event(Event::Record(&self.shape(record.keys())))?;
                return Ok(Some(Rest::Fields(record.keys(), record.values().iter())));
            }
            Value::Struct(of) => {
                let fields = of.fields();
                sink.event(Event::Struct(of.name(), &self.shape(fields.keys())))?;
                return Ok(Some(Rest::Fields(fields.keys(), fields.values().iter())));
            }
            Value::Map(map) => {
                sink.event(Event::Map(map.len()))?;
                return Ok(Some(Rest::Entries(map.iter(), None)));
            }
            Value::Variant(variant) => {
                sink.event(Event::Variant(variant.name()))?;
                return Ok(Some(Rest::Payload(variant.name(), Some(variant.value()))));
            }
            Value::Logical(logical) => {
                sink.event(Event::Logical(logical.ty()))?;
                return Ok(Some(Rest::One(Some(logical.storage()))));
            }
            Value::Extension(extension) => {
                sink.event(Event::Extension(extension.name()))?;
                return Ok(Some(Rest::One(Some(extension.value()))));
            }
            Value::Weak(_) => return Err(refuse::within_itself()),
            // Handled by `get`; and all later kinds.
            _ => sink.event(Event::Unknown)?,
        }
        Ok(None)
    }

    #[cold]
    fn locate(&self, error: Error) -> Error {
        let step = |frame: &Frame<'v>| {
            let at = frame.count.saturating_sub(1);
            match &frame.rest {
                Rest::Items(_) => Some(Step::Item(at)),
                Rest::Fields(keys, _) => Some(Step::Key(Cow::Owned(keys.get(at)?.to_string()))),
                Rest::Entries(_, Some(_)) => Some(Step::KeyOf(at / 2)),
                Rest::Entries(_, None) => Some(Step::Item(at / 2)),
                Rest::Payload(name, _) => Some(Step::Variant(Cow::Borrowed(name))),
                Rest::One(_) => None,
            }
        };
        error.with_path(|| {
            // Before the path is the container itself.
            let steps: Vec<Step<'_>> =
                self.frames.iter().filter(|frame| frame.count > 0).filter_map(step).collect();
            path::path(&steps)
        })
    }
}
