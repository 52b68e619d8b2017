//! The order of a set's members (F-75).

use std::cmp::Ordering;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString, PyTuple};

use crate::raw;

/// What members are ordered by: variants in the order of the types' codes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Null,
    Bool(bool),
    Int(Whole),
    /// The bits of a float such that they are in its total order.
    Float(u64),
    String(&'a str),
    Bytes(&'a [u8]),
    Tuple(usize, Vec<Key<'a>>),
}

/// An integer; the bytes of a large one are in two's complement, the highest first.
#[derive(PartialEq, Eq)]
enum Whole {
    Small(i64),
    Big(bool, Vec<u8>),
}

impl Ord for Whole {
    fn cmp(&self, other: &Self) -> Ordering {
        let side = |big: &Whole| match big {
            Whole::Small(_) => 1,
            Whole::Big(true, _) => 0,
            Whole::Big(false, _) => 2,
        };
        side(self).cmp(&side(other)).then_with(|| match (self, other) {
            (Whole::Small(a), Whole::Small(b)) => a.cmp(b),
            // Of one sign: the longer one is farther from zero, and bytes of one length compare as they stand.
            (Whole::Big(negative, a), Whole::Big(_, b)) => {
                let by_length = a.len().cmp(&b.len());
                (if *negative { by_length.reverse() } else { by_length }).then_with(|| a.cmp(b))
            }
            _ => Ordering::Equal,
        })
    }
}

impl PartialOrd for Whole {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn key<'a>(member: &'a Bound<'_, PyAny>, or_tuple: bool) -> PyResult<Option<Key<'a>>> {
    Ok(Some(if let Ok(text) = member.cast_exact::<PyString>() {
        match text.to_str() {
            Ok(text) => Key::String(text),
            Err(_) => return Ok(None),
        }
    } else if member.is_exact_instance_of::<PyInt>() {
        Key::Int(match raw::int_bits(member)? {
            Some(bits) => Whole::Small(bits),
            None => {
                let mut bytes = super::scalars::big_bytes(member)?;
                bytes.reverse();
                Whole::Big(bytes.first().is_some_and(|byte| byte & 0x80 != 0), bytes)
            }
        })
    } else if let Ok(float) = member.cast_exact::<PyFloat>() {
        let bits = float.value().to_bits();
        Key::Float(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 })
    } else if let Ok(bytes) = member.cast_exact::<PyBytes>() {
        Key::Bytes(bytes.as_bytes())
    } else if member.is_none() {
        Key::Null
    } else if let Ok(bool) = member.cast_exact::<PyBool>() {
        Key::Bool(bool.is_true())
    } else if let Ok(tuple) = member.cast_exact::<PyTuple>() {
        if !or_tuple || tuple.len() > 8 {
            return Ok(None);
        }
        let mut keys = Vec::with_capacity(tuple.len());
        for item in tuple.as_slice() {
            match key(item, false)? {
                Some(key) => keys.push(key),
                None => return Ok(None),
            }
        }
        Key::Tuple(keys.len(), keys)
    } else {
        return Ok(None);
    }))
}

/// Puts members in the format's order, if that knows one for all of them.
pub fn sort(members: &mut Vec<Bound<'_, PyAny>>) -> PyResult<()> {
    let mut keys = Vec::with_capacity(members.len());
    for (number, member) in members.iter().enumerate() {
        match key(member, true)? {
            Some(key) => keys.push((key, number)),
            None => return Ok(()),
        }
    }
    keys.sort_unstable();
    let order: Vec<usize> = keys.into_iter().map(|(_, number)| number).collect();
    *members = order.into_iter().map(|number| members[number].clone()).collect();
    Ok(())
}
