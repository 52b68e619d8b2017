//! Numbers that equal values share, so that comparing two values compares two numbers, and no hash can collide.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use holdall::{DType, LogicalType, Value};

/// Begins the words of a container, so that those of two kinds differ.
#[derive(Clone, Copy)]
pub(super) enum Tag {
    Sequence,
    Mapping,
    Struct,
    Map,
    Set,
    Variant,
    Logical,
    Extension,
    Tensor,
    Wide,
    /// A value that contains itself, as seen from a few steps.
    Endless,
}

/// The numbers assigned so far.
#[derive(Default)]
pub(super) struct Classes<'a> {
    next: u32,
    numbers: HashMap<(u8, u64), u32>,
    bytes: HashMap<(u8, &'a [u8]), u32>,
    words: HashMap<Box<[u32]>, u32>,
    dtypes: HashMap<&'a DType, u32>,
    logical: HashMap<&'a LogicalType, u32>,
    /// The classes of the keys of records: rows of one shape share them, so their address identifies them.
    keys: HashMap<*const Arc<str>, Rc<[u32]>>,
}

/// The next number, if none is known.
fn number<K: std::hash::Hash + Eq>(known: &mut HashMap<K, u32>, next: &mut u32, key: K) -> u32 {
    *known.entry(key).or_insert_with(|| {
        *next += 1;
        *next
    })
}

impl<'a> Classes<'a> {
    pub(super) fn of_words(&mut self, words: &[u32]) -> u32 {
        if let Some(class) = self.words.get(words) {
            return *class;
        }
        number(&mut self.words, &mut self.next, words.into())
    }

    /// The class of a string.
    pub(super) fn of_text(&mut self, text: &'a str) -> u32 {
        number(&mut self.bytes, &mut self.next, (0, text.as_bytes()))
    }

    /// The class of a string that was seen before.
    pub(super) fn known_text(&self, text: &str) -> u32 {
        self.bytes.get(&(0, text.as_bytes())).copied().unwrap_or_default()
    }

    pub(super) fn of_keys(&mut self, keys: &'a Arc<[Arc<str>]>) -> Rc<[u32]> {
        let place = keys.as_ptr();
        if let Some(known) = self.keys.get(&place)
            && known.len() == keys.len()
        {
            return Rc::clone(known);
        }
        let classes: Rc<[u32]> = keys.iter().map(|key| self.of_text(key)).collect();
        self.keys.insert(place, Rc::clone(&classes));
        classes
    }

    pub(super) fn of_logical_type(&mut self, ty: &'a LogicalType) -> u32 {
        number(&mut self.logical, &mut self.next, ty)
    }

    /// The class of a value without contents.
    pub(super) fn of_leaf(&mut self, value: &'a Value) -> u32 {
        let (kind, bits) = match value {
            Value::Null => (0, 0),
            Value::Bool(value) => (1, u64::from(*value)),
            Value::Int(value) => (2, value.cast_unsigned()),
            Value::U8(value) => (3, u64::from(*value)),
            Value::U16(value) => (4, u64::from(*value)),
            Value::U32(value) => (5, u64::from(*value)),
            Value::U64(value) => (6, *value),
            Value::I8(value) => (7, i64::from(*value).cast_unsigned()),
            Value::I16(value) => (8, i64::from(*value).cast_unsigned()),
            Value::I32(value) => (9, i64::from(*value).cast_unsigned()),
            Value::I64(value) => (10, value.cast_unsigned()),
            Value::F16(value) => (11, u64::from(value.to_bits())),
            Value::Bf16(value) => (12, u64::from(value.to_bits())),
            Value::F32(value) => (13, u64::from(value.to_bits())),
            Value::F64(value) => (14, value.to_bits()),
            Value::Unknown => (15, 0),
            Value::String(text) => return self.of_text(text),
            Value::Bytes(bytes) => return self.of_bytes(1, bytes),
            Value::Fixed(bytes) => return self.of_bytes(2, bytes),
            Value::BigInt(big) => return self.of_bytes(3, big.as_le_bytes()),
            Value::U128(value) => return self.of_wide(0, **value),
            Value::I128(value) => return self.of_wide(1, value.cast_unsigned()),
            Value::Tensor(tensor) => {
                let elements = self.of_bytes(4, tensor.as_bytes());
                let dtype = number(&mut self.dtypes, &mut self.next, &**tensor.dtype());
                let order = u32::from(tensor.is_column_major());
                let mut words = vec![Tag::Tensor as u32, dtype, order, elements];
                let halves =
                    tensor.shape().iter().flat_map(|&len| [(len >> 32) as u32, len as u32]);
                words.extend(halves);
                return self.of_words(&words);
            }
            // A handle to a dropped value.
            _ => (16, 0),
        };
        number(&mut self.numbers, &mut self.next, (kind, bits))
    }

    fn of_bytes(&mut self, kind: u8, bytes: &'a [u8]) -> u32 {
        number(&mut self.bytes, &mut self.next, (kind, bytes))
    }

    fn of_wide(&mut self, sign: u32, value: u128) -> u32 {
        let quarter = |at: u32| (value >> (32 * at)) as u32;
        let words = [Tag::Wide as u32, sign, quarter(0), quarter(1), quarter(2), quarter(3)];
        self.of_words(&words)
    }
}
