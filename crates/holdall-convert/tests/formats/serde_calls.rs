//! What a type of serde can say, as random calls of a serializer.

use std::collections::BTreeMap;

use holdall::Value;
use proptest::collection::vec;
use proptest::prelude::*;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde::{Serialize, Serializer};

/// Each call that a type can make of a serializer.
#[derive(Clone, Debug)]
pub(super) enum Call {
    Unit,
    Bool(bool),
    I8(i8),
    U16(u16),
    I32(i32),
    U64(u64),
    I64(i64),
    U128(u128),
    I128(i128),
    F32(f32),
    F64(f64),
    Char(char),
    Str(String),
    Bytes(Vec<u8>),
    None,
    Some(Box<Call>),
    UnitStruct,
    UnitVariant,
    Newtype(Box<Call>),
    NewtypeVariant(Box<Call>),
    /// With or without its length.
    Seq(bool, Vec<Call>),
    Tuple(Vec<Call>),
    TupleStruct(Vec<Call>),
    TupleVariant(Vec<Call>),
    Map(Vec<(Call, Call)>),
    Names(bool, BTreeMap<String, Call>),
    Struct(Vec<Option<Call>>),
    StructVariant(Vec<Call>),
    Whole(Value),
}

const FIELDS: [&str; 4] = ["a", "b\"", "", "id"];

impl Serialize for Call {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Call::Unit => to.serialize_unit(),
            Call::Bool(value) => to.serialize_bool(*value),
            Call::I8(value) => to.serialize_i8(*value),
            Call::U16(value) => to.serialize_u16(*value),
            Call::I32(value) => to.serialize_i32(*value),
            Call::U64(value) => to.serialize_u64(*value),
            Call::I64(value) => to.serialize_i64(*value),
            Call::U128(value) => to.serialize_u128(*value),
            Call::I128(value) => to.serialize_i128(*value),
            Call::F32(value) => to.serialize_f32(*value),
            Call::F64(value) => to.serialize_f64(*value),
            Call::Char(value) => to.serialize_char(*value),
            Call::Str(value) => to.serialize_str(value),
            Call::Bytes(value) => to.serialize_bytes(value),
            Call::None => to.serialize_none(),
            Call::Some(value) => to.serialize_some(value),
            Call::UnitStruct => to.serialize_unit_struct("Empty"),
            Call::UnitVariant => to.serialize_unit_variant("Kind", 0, "Plain"),
            Call::Newtype(value) => to.serialize_newtype_struct("New", value),
            Call::NewtypeVariant(value) => to.serialize_newtype_variant("Kind", 1, "Of", value),
            Call::Seq(has_len, items) => {
                let mut seq = to.serialize_seq(has_len.then_some(items.len()))?;
                items.iter().try_for_each(|item| seq.serialize_element(item))?;
                seq.end()
            }
            Call::Tuple(items) => {
                let mut tuple = to.serialize_tuple(items.len())?;
                items.iter().try_for_each(|item| tuple.serialize_element(item))?;
                tuple.end()
            }
            Call::TupleStruct(items) => {
                let mut tuple = to.serialize_tuple_struct("Pair", items.len())?;
                items.iter().try_for_each(|item| tuple.serialize_field(item))?;
                tuple.end()
            }
            Call::TupleVariant(items) => {
                let mut tuple = to.serialize_tuple_variant("Kind", 2, "Pair", items.len())?;
                items.iter().try_for_each(|item| tuple.serialize_field(item))?;
                tuple.end()
            }
            Call::Map(entries) => {
                let mut map = to.serialize_map(Some(entries.len()))?;
                entries.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
                map.end()
            }
            Call::Names(has_len, entries) => {
                let mut map = to.serialize_map(has_len.then_some(entries.len()))?;
                entries.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
                map.end()
            }
            Call::Struct(fields) => {
                let len = fields.iter().flatten().count();
                let mut row = to.serialize_struct("Row", len)?;
                for (name, field) in FIELDS.iter().zip(fields) {
                    match field {
                        Some(field) => row.serialize_field(name, field)?,
                        None => row.skip_field(name)?,
                    }
                }
                row.end()
            }
            Call::StructVariant(fields) => {
                let mut row = to.serialize_struct_variant("Kind", 3, "Row", fields.len())?;
                let mut fields = FIELDS.iter().zip(fields);
                fields.try_for_each(|(name, field)| row.serialize_field(name, field))?;
                row.end()
            }
            Call::Whole(value) => value.serialize(to),
        }
    }
}

pub(super) fn calls() -> impl Strategy<Value = Call> {
    let scalars = prop_oneof![
        Just(Call::Unit),
        Just(Call::None),
        Just(Call::UnitStruct),
        Just(Call::UnitVariant),
        any::<bool>().prop_map(Call::Bool),
        any::<i8>().prop_map(Call::I8),
        any::<u16>().prop_map(Call::U16),
        any::<i32>().prop_map(Call::I32),
        any::<u64>().prop_map(Call::U64),
        any::<i64>().prop_map(Call::I64),
        any::<u128>().prop_map(Call::U128),
        any::<i128>().prop_map(Call::I128),
        any::<f32>().prop_map(Call::F32),
        any::<f64>().prop_map(Call::F64),
        any::<char>().prop_map(Call::Char),
        "\\PC{0,8}".prop_map(Call::Str),
        vec(any::<u8>(), 0..4).prop_map(Call::Bytes),
        vec(any::<u8>(), 0..3).prop_map(|list| Call::Whole(list.into())),
    ];
    scalars.prop_recursive(4, 40, 10, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let items = || vec(inner.clone(), 0..10);
        prop_oneof![
            boxed().prop_map(Call::Some),
            boxed().prop_map(Call::Newtype),
            boxed().prop_map(Call::NewtypeVariant),
            (any::<bool>(), items()).prop_map(|(has_len, items)| Call::Seq(has_len, items)),
            items().prop_map(Call::Tuple),
            items().prop_map(Call::TupleStruct),
            items().prop_map(Call::TupleVariant),
            vec((inner.clone(), inner.clone()), 0..4).prop_map(Call::Map),
            // Keys that are often repeated.
            vec(("[ab]".prop_map(Call::Str), inner.clone()), 0..4).prop_map(Call::Map),
            (any::<bool>(), prop::collection::btree_map("[a-c]{0,2}", inner.clone(), 0..4))
                .prop_map(|(has_len, entries)| Call::Names(has_len, entries)),
            vec(prop::option::of(inner.clone()), 0..5).prop_map(Call::Struct),
            vec(inner.clone(), 0..5).prop_map(Call::StructVariant),
        ]
    })
}

/// The same without what a message does not distinguish, but other formats do: a variant of null from one without a payload, a present
/// option of null, a unit struct from one without fields, a struct without names of fields from one with numbers.
pub(super) fn kept_by_messages(call: Call) -> Call {
    let all = |calls: Vec<Call>| calls.into_iter().map(kept_by_messages).collect();
    match call {
        Call::UnitStruct => Call::Struct(Vec::new()),
        Call::Some(inner) => match kept_by_messages(*inner) {
            inner if is_null(&inner) => Call::None,
            inner => Call::Some(inner.into()),
        },
        Call::NewtypeVariant(inner) => match kept_by_messages(*inner) {
            inner if is_null(&inner) => Call::UnitVariant,
            inner => Call::NewtypeVariant(inner.into()),
        },
        Call::Newtype(inner) => Call::Newtype(kept_by_messages(*inner).into()),
        Call::Seq(has_len, items) => Call::Seq(has_len, all(items)),
        Call::Tuple(items) => Call::Tuple(all(items)),
        // In a message it has numbers as names.
        Call::TupleStruct(items) => Call::Tuple(all(items)),
        Call::TupleVariant(items) => Call::TupleVariant(all(items)),
        Call::StructVariant(fields) => Call::StructVariant(all(fields)),
        Call::Struct(fields) => {
            Call::Struct(fields.into_iter().map(|field| field.map(kept_by_messages)).collect())
        }
        Call::Map(entries) => {
            let kept = |(key, value)| (kept_by_messages(key), kept_by_messages(value));
            Call::Map(entries.into_iter().map(kept).collect())
        }
        Call::Names(has_len, entries) => {
            let kept = |(key, value)| (key, kept_by_messages(value));
            Call::Names(has_len, entries.into_iter().map(kept).collect())
        }
        scalar => scalar,
    }
}

pub(super) fn is_null(call: &Call) -> bool {
    match call {
        Call::Unit | Call::None => true,
        Call::Newtype(inner) | Call::Some(inner) => is_null(inner),
        _ => false,
    }
}

/// Values that most formats hold.
pub(super) fn plain_calls() -> impl Strategy<Value = Call> {
    let scalars = prop_oneof![
        Just(Call::None),
        any::<bool>().prop_map(Call::Bool),
        any::<i64>().prop_map(Call::I64),
        (-1e9..1e9).prop_map(Call::F64),
        "\\PC{0,8}".prop_map(Call::Str),
    ];
    scalars.prop_recursive(4, 40, 10, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..10).prop_map(|items| Call::Seq(false, items)),
            prop::collection::btree_map("[a-c]{0,2}", inner.clone(), 0..4)
                .prop_map(|entries| Call::Names(true, entries)),
            vec(prop::option::of(inner), 0..5).prop_map(Call::Struct),
        ]
    })
}
