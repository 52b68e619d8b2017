//! Map keys that are scalars: how all readers and writers compare them (F-35).

use alloc::boxed::Box;

use super::{Event, Sink};
use crate::error::Result;
use crate::number::IntKind;

/// A scalar key, with its text borrowed or owned. Keys are equal if type and value are (F-35).
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum ScalarKey<B> {
    Null,
    Bool(bool),
    Int(IntKind, u64),
    Big(IntKind, Box<[u8]>),
    F16(u16),
    Bf16(u16),
    F32(u32),
    F64(u64),
    String(B),
    Bytes(B),
    Fixed(B),
}

impl<'a> ScalarKey<&'a [u8]> {
    /// Returns the key that an event is, or `None` for containers and for unknown values, which are not equal to any key.
    pub(crate) fn of(event: Event<'a>) -> Option<Self> {
        Some(match event {
            Event::Null => ScalarKey::Null,
            Event::Bool(value) => ScalarKey::Bool(value),
            Event::Int(value) => ScalarKey::Int(IntKind::Int, value.cast_unsigned()),
            Event::FixedInt(kind, bits) => ScalarKey::Int(kind, bits),
            Event::BigInt(kind, big) => ScalarKey::Big(kind, big.into()),
            Event::F16(value) => ScalarKey::F16(value.to_bits()),
            Event::Bf16(value) => ScalarKey::Bf16(value.to_bits()),
            Event::F32(value) => ScalarKey::F32(value.to_bits()),
            Event::F64(value) => ScalarKey::F64(value.to_bits()),
            Event::String(value) => ScalarKey::String(value.as_bytes()),
            Event::Bytes(value) => ScalarKey::Bytes(value),
            Event::Fixed(value) => ScalarKey::Fixed(value),
            _ => return None,
        })
    }

    pub(crate) fn into_owned(self) -> ScalarKey<Box<[u8]>> {
        match self {
            ScalarKey::Null => ScalarKey::Null,
            ScalarKey::Bool(value) => ScalarKey::Bool(value),
            ScalarKey::Int(kind, bits) => ScalarKey::Int(kind, bits),
            ScalarKey::Big(kind, big) => ScalarKey::Big(kind, big),
            ScalarKey::F16(bits) => ScalarKey::F16(bits),
            ScalarKey::Bf16(bits) => ScalarKey::Bf16(bits),
            ScalarKey::F32(bits) => ScalarKey::F32(bits),
            ScalarKey::F64(bits) => ScalarKey::F64(bits),
            ScalarKey::String(text) => ScalarKey::String(text.into()),
            ScalarKey::Bytes(bytes) => ScalarKey::Bytes(bytes.into()),
            ScalarKey::Fixed(bytes) => ScalarKey::Fixed(bytes.into()),
        }
    }
}

/// Takes the key that a scalar is.
#[derive(Default)]
pub(crate) struct KeyOf(pub(crate) Option<ScalarKey<Box<[u8]>>>);

impl Sink for KeyOf {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        self.0 = ScalarKey::of(event).map(ScalarKey::into_owned);
        Ok(())
    }
}
