//! Equality of values, by types and bits.

use alloc::vec::Vec;

use typed_arena::Arena;

use super::containers::is_container;
use super::{Extension, Logical, Map, Record, Struct, Value, Variant};
use crate::memory::{GrowMap, GrowVec};
use crate::platform::HashMap;

/// The comparisons still to do.
type ValuePairs<'a> = Vec<(&'a Value, &'a Value)>;

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        let kept = Arena::new();
        let mut pairs = vec![(self, other)];
        let mut classes = Classes::default();
        while let Some((left, right)) = pairs.pop() {
            let is_handle = |value| matches!(value, &Value::Shared(_) | &Value::Weak(_));
            let handles = is_handle(left) || is_handle(right);
            let (Some(left), Some(right)) = (behind(left, &kept), behind(right, &kept)) else {
                // A handle whose value was dropped equals only another such handle.
                if behind(left, &kept).is_none() && behind(right, &kept).is_none() {
                    continue;
                }
                return false;
            };
            // Each pair is compared once. Until the result is known it counts as equal, so that cyclic values
            // terminate.
            if handles && is_container(left) && !classes.unite(left, right) {
                continue;
            }
            if !eq_flat(left, right, &mut pairs, &kept) {
                return false;
            }
        }
        true
    }
}

/// Values assumed to be equal, in classes. This bounds the comparisons by the number of values, whatever the number of
/// paths to them, and also if cycles of different lengths meet.
#[derive(Default)]
struct Classes(HashMap<usize, usize>);

impl Classes {
    /// Merges the classes of two values; `false` if they are in one already.
    fn unite(&mut self, left: &Value, right: &Value) -> bool {
        let [left, right] = [left, right].map(|value| self.find(core::ptr::from_ref(value).addr()));
        left != right && self.0.put(left, right).is_none()
    }

    fn find(&mut self, mut at: usize) -> usize {
        while let Some(&up) = self.0.get(&at) {
            let Some(&top) = self.0.get(&up) else { return up };
            self.0.put(at, top);
            at = top;
        }
        at
    }
}

/// Returns the value behind all handles, kept alive by `kept`; none if it was dropped.
fn behind<'a>(mut value: &'a Value, kept: &'a Arena<Value>) -> Option<&'a Value> {
    loop {
        value = match value {
            Value::Shared(shared) => shared.get(),
            Value::Weak(weak) => kept.alloc(Value::Shared(weak.upgrade()?)),
            value => return Some(value),
        };
    }
}

impl Eq for Value {}

/// Compares two values without their contents, which are added to `pairs`.
fn eq_flat<'a>(
    left: &'a Value,
    right: &'a Value,
    pairs: &mut ValuePairs<'a>,
    kept: &'a Arena<Value>,
) -> bool {
    match (left, right) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::BigInt(a), Value::BigInt(b)) => a == b,
        (Value::U8(a), Value::U8(b)) => a == b,
        (Value::U16(a), Value::U16(b)) => a == b,
        (Value::U32(a), Value::U32(b)) => a == b,
        (Value::U64(a), Value::U64(b)) => a == b,
        (Value::U128(a), Value::U128(b)) => a == b,
        (Value::I8(a), Value::I8(b)) => a == b,
        (Value::I16(a), Value::I16(b)) => a == b,
        (Value::I32(a), Value::I32(b)) => a == b,
        (Value::I64(a), Value::I64(b)) => a == b,
        (Value::I128(a), Value::I128(b)) => a == b,
        (Value::F16(a), Value::F16(b)) => a.to_bits() == b.to_bits(),
        (Value::Bf16(a), Value::Bf16(b)) => a.to_bits() == b.to_bits(),
        (Value::F32(a), Value::F32(b)) => a.to_bits() == b.to_bits(),
        (Value::F64(a), Value::F64(b)) => a.to_bits() == b.to_bits(),
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Bytes(a), Value::Bytes(b)) | (Value::Fixed(a), Value::Fixed(b)) => a == b,
        (Value::Tensor(a), Value::Tensor(b)) => a == b,
        (Value::Unknown, Value::Unknown) => true,
        (Value::Array(a), Value::Array(b)) => eq_items(a, b, pairs),
        (
            Value::Logical(Logical { ty: a, storage: x }),
            Value::Logical(Logical { ty: b, storage: y }),
        ) => {
            pairs.put((x, y));
            a == b
        }
        (
            Value::Extension(Extension { name: a, value: x }),
            Value::Extension(Extension { name: b, value: y }),
        ) => {
            pairs.put((x, y));
            a == b
        }
        (Value::List(a), Value::List(b)) => eq_items(a, b, pairs),
        (Value::Tuple(a), Value::Tuple(b)) => eq_items(a, b, pairs),
        (Value::Record(a), Value::Record(b)) => eq_records(a, b, pairs),
        (
            Value::Struct(Struct { name: a, fields: x }),
            Value::Struct(Struct { name: b, fields: y }),
        ) => a == b && eq_records(x, y, pairs),
        (
            Value::Variant(Variant { name: a, value: x }),
            Value::Variant(Variant { name: b, value: y }),
        ) => {
            pairs.put((x, y));
            a == b
        }
        (Value::Map(a), Value::Map(b)) => {
            pairs.put_each(a.iter().zip(b.iter()).flat_map(|(x, y)| [(&x.0, &y.0), (&x.1, &y.1)]));
            a.len() == b.len()
        }
        (Value::Record(a), Value::Map(b)) | (Value::Map(b), Value::Record(a)) => {
            eq_mixed(a, b, pairs, kept)
        }
        _ => false,
    }
}

fn eq_items<'a>(left: &'a [Value], right: &'a [Value], pairs: &mut ValuePairs<'a>) -> bool {
    pairs.put_each(left.iter().zip(right));
    left.len() == right.len()
}

fn eq_records<'a>(left: &'a Record, right: &'a Record, pairs: &mut ValuePairs<'a>) -> bool {
    left.keys() == right.keys() && eq_items(left.values(), right.values(), pairs)
}

/// A mapping with string keys equals another, whether each is stored as a record or as a map.
fn eq_mixed<'a>(
    left: &'a Record,
    right: &'a Map,
    pairs: &mut ValuePairs<'a>,
    kept: &'a Arena<Value>,
) -> bool {
    pairs.put_each(left.values().iter().zip(right.iter().map(|(_, value)| value)));
    let text = |key: &'a Value| behind(key, kept).and_then(Value::as_str);
    left.values().len() == right.len()
        && left.keys().iter().zip(right.iter()).all(|(key, (other, _))| text(other) == Some(key))
}

impl PartialEq for Record {
    fn eq(&self, other: &Record) -> bool {
        self.keys == other.keys && self.values == other.values
    }
}

impl Eq for Record {}

impl PartialEq for Struct {
    fn eq(&self, other: &Struct) -> bool {
        self.name == other.name && self.fields == other.fields
    }
}

impl Eq for Struct {}

impl PartialEq for Logical {
    fn eq(&self, other: &Logical) -> bool {
        self.ty == other.ty && self.storage == other.storage
    }
}

impl Eq for Logical {}

impl PartialEq for Extension {
    fn eq(&self, other: &Extension) -> bool {
        self.name == other.name && self.value == other.value
    }
}

impl Eq for Extension {}

impl PartialEq for Variant {
    fn eq(&self, other: &Variant) -> bool {
        self.name == other.name && self.value == other.value
    }
}

impl Eq for Variant {}

impl PartialEq for super::Shared {
    fn eq(&self, other: &super::Shared) -> bool {
        Value::Shared(self.clone()) == Value::Shared(other.clone())
    }
}

impl Eq for super::Shared {}
