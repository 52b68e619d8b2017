//! The order of members that have none of their own (F-75).

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::{BigInt, Logical, Value};
use crate::dynamic::message_of;
use crate::error::Result;
use crate::memory::{self, Collect, GrowVec};
use crate::number::IntKind;
use crate::schema::{LogicalType, Scalar};

impl Value {
    /// Creates a set of these members in the order that the format defines (F-75): null, scalars by type and value,
    /// tuples of them, then others by the bytes of their messages. If a member cannot be written, all keep the order in
    /// which they were passed. It does not check that members differ.
    ///
    /// ```
    /// use holdall::Value;
    ///
    /// let set = Value::set([Value::from("b"), Value::from(7), Value::from("a")]);
    /// assert_eq!(set, Value::set([Value::from(7), Value::from("a"), Value::from("b")]));
    /// ```
    pub fn set(members: impl IntoIterator<Item = Value>) -> Value {
        let mut members: Vec<Value> = members.into_iter().collected();
        let all: Vec<&Value> = members.iter().collected();
        if let Ok(order) = order_of(&all, |member| message_of(&mut &*member, false)) {
            members = order.iter().map(|place| core::mem::take(&mut members[*place])).collected();
        }
        let ty = LogicalType::unchecked(LogicalType::SET, &[]);
        Value::Logical(Logical::new(ty, Value::list(members)))
    }
}

/// The sort key of a member (F-75).
enum Key<'a> {
    /// The member itself.
    Value(&'a Value),
    /// The member's message.
    Message(Vec<u8>),
}

/// Returns the indices of the members in order; equal ones stay in the order in which they were passed (F-75, F-96).
/// `message` encodes a member alone.
pub(crate) fn order_of(
    members: &[&Value],
    mut message: impl FnMut(&Value) -> Result<Vec<u8>>,
) -> Result<Vec<usize>> {
    let mut keys = memory::with_capacity(members.len());
    for &member in members {
        keys.put(match has_order(member, true) {
            true => Key::Value(member),
            false => Key::Message(message(member)?),
        });
    }
    let mut places: Vec<usize> = (0..members.len()).collected();
    let compare = |a: usize, b: usize| match (&keys[a], &keys[b]) {
        (Key::Value(a), Key::Value(b)) => order(a, b),
        (Key::Value(_), Key::Message(_)) => Ordering::Less,
        (Key::Message(_), Key::Value(_)) => Ordering::Greater,
        (Key::Message(a), Key::Message(b)) => a.cmp(b),
    };
    // Without a sort that is stable: it needs memory of its own.
    places.sort_unstable_by(|a, b| compare(*a, *b).then(a.cmp(b)));
    Ok(places)
}

/// Whether a value is null, a scalar with an order, or a tuple of up to 8 of them.
fn has_order(value: &Value, or_tuple: bool) -> bool {
    match value.get() {
        Value::Tuple(items) => {
            or_tuple && items.len() <= 8 && items.iter().all(|item| has_order(item, false))
        }
        value => rank(value).is_some(),
    }
}

/// The rank of a type: smaller ones come first.
fn rank(value: &Value) -> Option<u8> {
    let scalar = match value {
        Value::Null => return Some(0),
        Value::Bool(_) => Scalar::Bool,
        Value::Int(_) | Value::BigInt(_) => Scalar::Int(IntKind::Int),
        Value::U8(_) => Scalar::Int(IntKind::U8),
        Value::U16(_) => Scalar::Int(IntKind::U16),
        Value::U32(_) => Scalar::Int(IntKind::U32),
        Value::U64(_) => Scalar::Int(IntKind::U64),
        Value::U128(_) => Scalar::Int(IntKind::U128),
        Value::I8(_) => Scalar::Int(IntKind::I8),
        Value::I16(_) => Scalar::Int(IntKind::I16),
        Value::I32(_) => Scalar::Int(IntKind::I32),
        Value::I64(_) => Scalar::Int(IntKind::I64),
        Value::I128(_) => Scalar::Int(IntKind::I128),
        Value::F16(_) => Scalar::F16,
        Value::Bf16(_) => Scalar::Bf16,
        Value::F32(_) => Scalar::F32,
        Value::F64(_) => Scalar::F64,
        Value::String(_) => Scalar::String,
        Value::Bytes(_) => Scalar::Bytes,
        Value::Fixed(_) => Scalar::Fixed(0),
        _ => return None,
    };
    Some(scalar.code())
}

/// Compares two values that have an order.
fn order(left: &Value, right: &Value) -> Ordering {
    match (left.get(), right.get()) {
        (Value::Tuple(a), Value::Tuple(b)) => a.len().cmp(&b.len()).then_with(|| {
            let items = a.iter().zip(b.iter()).map(|(a, b)| order(a, b));
            items.fold(Ordering::Equal, Ordering::then)
        }),
        (Value::Tuple(_), _) => Ordering::Greater,
        (_, Value::Tuple(_)) => Ordering::Less,
        (a, b) => rank(a).cmp(&rank(b)).then_with(|| of_one_type(a, b)),
    }
}

fn of_one_type(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) | (Value::I64(a), Value::I64(b)) => a.cmp(b),
        (Value::BigInt(a), Value::BigInt(b)) => of_bigs(a, b),
        // A big integer is beyond all that fit 64 bits, on the side of its sign.
        (Value::BigInt(big), _) => {
            if is_negative(big) {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
        (_, Value::BigInt(big)) => {
            if is_negative(big) {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        }
        (Value::U8(a), Value::U8(b)) => a.cmp(b),
        (Value::U16(a), Value::U16(b)) => a.cmp(b),
        (Value::U32(a), Value::U32(b)) => a.cmp(b),
        (Value::U64(a), Value::U64(b)) => a.cmp(b),
        (Value::U128(a), Value::U128(b)) => a.cmp(b),
        (Value::I8(a), Value::I8(b)) => a.cmp(b),
        (Value::I16(a), Value::I16(b)) => a.cmp(b),
        (Value::I32(a), Value::I32(b)) => a.cmp(b),
        (Value::I128(a), Value::I128(b)) => a.cmp(b),
        (Value::F16(a), Value::F16(b)) => a.total_cmp(b),
        (Value::Bf16(a), Value::Bf16(b)) => a.total_cmp(b),
        (Value::F32(a), Value::F32(b)) => a.total_cmp(b),
        (Value::F64(a), Value::F64(b)) => a.total_cmp(b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bytes(a), Value::Bytes(b)) => a.cmp(b),
        (Value::Fixed(a), Value::Fixed(b)) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
        _ => Ordering::Equal,
    }
}

fn is_negative(big: &BigInt) -> bool {
    big.as_le_bytes().last().is_some_and(|last| last & 0x80 != 0)
}

fn of_bigs(left: &BigInt, right: &BigInt) -> Ordering {
    let (a, b) = (left.as_le_bytes(), right.as_le_bytes());
    let same_sign = || {
        // In shortest form, more bytes mean farther from zero; for equal lengths, the highest byte decides.
        let farther = a.len().cmp(&b.len());
        let farther = if is_negative(left) { farther.reverse() } else { farther };
        farther.then_with(|| a.iter().rev().cmp(b.iter().rev()))
    };
    is_negative(right).cmp(&is_negative(left)).then_with(same_sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_ordered_by_type_then_value_then_as_tuples() {
        let big = |negative: bool, high: u8| {
            let mut bytes = [0; 10];
            bytes[9] = if negative { 0xFF } else { 0 };
            bytes[8] = high;
            Value::BigInt(BigInt::from_le_bytes(&bytes).unwrap())
        };
        let in_order = [
            Value::Null,
            Value::Bool(false),
            Value::Bool(true),
            big(true, 0x10),
            big(true, 0xF0),
            Value::Int(-1),
            Value::Int(0),
            Value::Int(300),
            big(false, 1),
            big(false, 0xFE),
            Value::U8(0),
            Value::F64(-f64::NAN),
            Value::F64(f64::NEG_INFINITY),
            Value::F64(-0.0),
            Value::F64(0.0),
            Value::F64(f64::NAN),
            Value::from("a"),
            Value::from("b"),
            Value::from("ba"),
            Value::Bytes(vec![0]),
            Value::Fixed(vec![9]),
            Value::Fixed(vec![1, 0]),
            Value::tuple([]),
            Value::tuple([Value::from("z")]),
            Value::tuple([Value::Int(1), Value::Int(2)]),
            Value::tuple([Value::Int(1), Value::Int(3)]),
            Value::tuple([Value::from("a"), Value::Int(0)]),
        ];
        let set = Value::set(in_order.iter().rev().cloned());
        let Value::Logical(set) = &set else { panic!() };
        assert_eq!(set.storage().as_slice().unwrap(), in_order);
    }

    #[test]
    fn members_of_other_types_come_last_by_their_messages() {
        let in_order = [
            Value::Int(2),
            Value::tuple([Value::Int(9)]),
            // C1 10 16 00, a list without a type; C1 10 16 03, of ints; C1 10 16 12, of strings.
            Value::list([]),
            Value::list([Value::Int(7)]),
            Value::list([Value::Int(-7), Value::Int(0)]),
            Value::list([Value::from("a")]),
            // C1 10 18, a tuple of a tuple.
            Value::tuple([Value::tuple([])]),
        ];
        let Value::Logical(set) = Value::set(in_order.iter().rev().cloned()) else { panic!() };
        assert_eq!(set.storage().as_slice().unwrap(), in_order);
    }

    #[test]
    fn members_that_cannot_be_written_leave_all_as_they_come() {
        let members = [Value::Int(2), Value::list([Value::Unknown]), Value::Int(1)];
        let Value::Logical(set) = Value::set(members.clone()) else { panic!() };
        assert_eq!(set.storage().as_slice().unwrap(), members);
    }
}
