//! The order of a set's members (F-75), and of those that only the option `canonical` asks for (F-96).

use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

use foldhash::HashMap;
use holdall::Encoder;
use holdall::bindings::{DEEPEST, without_order};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString, PyTuple};

use super::{Object, Options};
use crate::fault::Raised;
use crate::raw;

/// The orders of the sets of one value. To order the members of one, each is written alone, with the sets in it: without a
/// memory of these, the time would double with each level.
#[derive(Default)]
pub struct Orders {
    /// By their addresses; they are kept alive, so that an address names no other set meanwhile.
    found: HashMap<usize, (Py<PyAny>, Vec<Py<PyAny>>)>,
    /// Those that are being ordered, from the outermost on.
    open: Vec<usize>,
}

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
    /// What has none of these, by its message.
    Message(Vec<u8>),
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

/// Puts members in the order of their values, if all have such a one; says whether.
pub fn sort(members: &mut Vec<Bound<'_, PyAny>>) -> PyResult<bool> {
    let mut keys = Vec::with_capacity(members.len());
    for (number, member) in members.iter().enumerate() {
        match key(member, true)? {
            Some(key) => keys.push((key, number)),
            None => return Ok(false),
        }
    }
    keys.sort_unstable();
    *members = in_order(keys, members);
    Ok(true)
}

fn in_order<'py>(
    keys: Vec<(Key<'_>, usize)>,
    members: &[Bound<'py, PyAny>],
) -> Vec<Bound<'py, PyAny>> {
    keys.into_iter().map(|(_, number)| members[number].clone()).collect()
}

/// The members of a set in canonical order, of equal ones in that of the set.
pub fn canonical<'py>(
    set: &Bound<'py, PyAny>,
    members: &[Bound<'py, PyAny>],
    options: &Options,
    orders: &Rc<RefCell<Orders>>,
    raised: &mut Raised,
) -> holdall::Result<Vec<Bound<'py, PyAny>>> {
    let py = set.py();
    let address = set.as_ptr() as usize;
    {
        let mut orders = orders.borrow_mut();
        if let Some((_, found)) = orders.found.get(&address) {
            return Ok(found.iter().map(|member| member.bind(py).clone()).collect());
        }
        let is_deep = orders.open.len() == DEEPEST;
        if is_deep || orders.open.contains(&address) {
            return Err(without_order(is_deep));
        }
        orders.open.push(address);
    }
    let keys = members.iter().enumerate().map(|(number, member)| {
        let key = match raised.check(key(member, true))? {
            Some(key) => key,
            None => Key::Message(alone(member, options, orders, raised)?),
        };
        Ok((key, number))
    });
    let keys = keys.collect::<holdall::Result<Vec<_>>>();
    orders.borrow_mut().open.pop();
    let mut keys = keys?;
    keys.sort_unstable();
    let found = in_order(keys, members);
    let kept = found.iter().map(|member| member.clone().unbind()).collect();
    orders.borrow_mut().found.insert(address, (set.clone().unbind(), kept));
    Ok(found)
}

/// The message of a member alone.
fn alone(
    member: &Bound<'_, PyAny>,
    options: &Options,
    orders: &Rc<RefCell<Orders>>,
    raised: &mut Raised,
) -> holdall::Result<Vec<u8>> {
    let member = member.clone().unbind();
    let mut source = Object::within(&member, options, Rc::clone(orders));
    // A new one: one that knows a message before tries first whether this is like it, and what fails then fails twice for each
    // set around it.
    Encoder::new().message(&mut source).map_err(|fault| match source.raised.take() {
        Some(exception) => raised.keep(exception),
        // A path would be that in the member.
        None => fault.unplaced(),
    })
}
