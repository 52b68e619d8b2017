//! The order of a set's members (F-75), and the one that only the option `canonical` requests
//! (F-96).

use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

use foldhash::HashMap;
use holdall::Encoder;
use holdall::bindings::memory::{self, Collect, GrowMap, GrowVec};
use holdall::bindings::{DEEPEST, without_order};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyString, PyTuple};

use super::hook::Answers;
use super::{Object, Options};
use crate::fault::Raised;
use crate::once::intern;
use crate::{raw, record_class};

/// The orders of the sets in one value. To order a set, each member is encoded by itself, including
/// the sets in it: without this memory, the time would double with each level.
#[derive(Default)]
pub struct Orders {
    /// By their addresses; they are kept alive, so that addresses stay unique.
    found: HashMap<usize, (Py<PyAny>, Vec<Py<PyAny>>)>,
    /// The sets that are being ordered, the outermost first.
    open: Vec<usize>,
}

/// The sort key of a member: variants in the order of the types' codes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Null,
    Bool(bool),
    Int(Integer),
    /// The bits of a float, changed so that they sort in its total order.
    Float(u64),
    String(&'a str),
    Bytes(&'a [u8]),
    Tuple(usize, Vec<Key<'a>>),
    /// Any other member, by its message.
    Message(Vec<u8>),
}

/// An integer; a large one as big-endian two's complement.
#[derive(PartialEq, Eq)]
enum Integer {
    Small(i64),
    Big(bool, Vec<u8>),
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> Ordering {
        let side = |big: &Integer| match big {
            Integer::Small(_) => 1,
            Integer::Big(true, _) => 0,
            Integer::Big(false, _) => 2,
        };
        side(self).cmp(&side(other)).then_with(|| match (self, other) {
            (Integer::Small(a), Integer::Small(b)) => a.cmp(b),
            // Same sign: the longer one is farther from zero, and equally long bytes compare
            // directly.
            (Integer::Big(negative, a), Integer::Big(_, b)) => {
                let by_length = a.len().cmp(&b.len());
                (if *negative { by_length.reverse() } else { by_length }).then_with(|| a.cmp(b))
            }
            _ => Ordering::Equal,
        })
    }
}

impl PartialOrd for Integer {
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
            Some(bits) => Integer::Small(bits),
            None => {
                let mut bytes = raw::big_bytes(member, &mut Vec::new())?.to_vec();
                bytes.reverse();
                Integer::Big(bytes.first().is_some_and(|byte| byte & 0x80 != 0), bytes)
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
        let mut keys = memory::with_capacity(tuple.len());
        for item in tuple.as_slice() {
            match key(item, false)? {
                Some(key) => keys.put(key),
                None => return Ok(None),
            }
        }
        Key::Tuple(keys.len(), keys)
    } else {
        return Ok(None);
    }))
}

/// Returns the members in order, if all are ints of 64 bits; `None` for no members.
pub fn ints(members: &[Bound<'_, PyAny>]) -> Option<Vec<u64>> {
    let int = |member: &Bound<'_, PyAny>| {
        member.is_exact_instance_of::<PyInt>().then(|| raw::int_bits(member).ok()?)?
    };
    let mut ints = members.iter().map(int).collected::<Option<Vec<i64>>>()?;
    ints.sort_unstable();
    (!ints.is_empty()).then(|| ints.into_iter().map(i64::cast_unsigned).collected())
}

/// Returns the members of a set in order, if all are strings.
pub fn texts<'m>(members: &'m [Bound<'_, PyAny>]) -> Option<Vec<&'m str>> {
    let text = |member: &'m Bound<'_, PyAny>| raw::text_of(member.as_borrowed());
    let mut texts = members.iter().map(text).collected::<Option<Vec<&'m str>>>()?;
    texts.sort_unstable();
    (!texts.is_empty()).then_some(texts)
}

/// The most members that are sorted in place, without memory for their keys.
const FEW: usize = 16;

/// Sorts a few members by a key, if all have it; returns whether they have.
fn sort_few<'m, 'py, K: Ord>(
    members: &mut [Borrowed<'m, 'py, PyAny>],
    key: impl Fn(Borrowed<'m, 'py, PyAny>) -> Option<K>,
) -> bool {
    let have_all = members.len() <= FEW && members.iter().all(|member| key(*member).is_some());
    if have_all {
        members.sort_unstable_by_key(|member| key(*member));
    }
    have_all
}

/// Sorts members by value, if all have a sort key; returns whether they have.
pub fn sort(members: &mut [Borrowed<'_, '_, PyAny>]) -> PyResult<bool> {
    if members.len() < 2 {
        return Ok(true);
    }
    let bits = |member: Borrowed<'_, '_, PyAny>| {
        member.is_exact_instance_of::<PyInt>().then(|| raw::int_bits(&member).ok()?)?
    };
    if sort_few(members, bits) || sort_few(members, raw::text_of) {
        return Ok(true);
    }
    let mut keys = memory::with_capacity(members.len());
    for (number, member) in members.iter().enumerate() {
        match key(member, true)? {
            Some(key) => keys.put((key, number)),
            None => return Ok(false),
        }
    }
    keys.sort_unstable();
    let sorted: Vec<_> = keys.into_iter().map(|(_, number)| members[number]).collected();
    members.copy_from_slice(&sorted);
    Ok(true)
}

fn in_order<'py>(
    keys: Vec<(Key<'_>, usize)>,
    members: &[Bound<'py, PyAny>],
) -> Vec<Bound<'py, PyAny>> {
    keys.into_iter().map(|(_, number)| members[number].clone()).collected()
}

/// Returns the members of a set in canonical order; equal ones keep their order.
pub fn canonical<'py>(
    set: &Bound<'py, PyAny>,
    members: &[Bound<'py, PyAny>],
    options: &Options,
    (orders, answers): (&Rc<RefCell<Orders>>, Option<&Rc<RefCell<Answers>>>),
    raised: &mut Raised,
) -> holdall::Result<Vec<Bound<'py, PyAny>>> {
    let py = set.py();
    let address = set.as_ptr() as usize;
    {
        let mut orders = orders.borrow_mut();
        if let Some((_, found)) = orders.found.get(&address) {
            return Ok(found.iter().map(|member| member.bind(py).clone()).collected());
        }
        let is_deep = orders.open.len() == DEEPEST;
        if is_deep || orders.open.contains(&address) {
            return Err(without_order(is_deep));
        }
        orders.open.put(address);
    }
    let keys = members.iter().enumerate().map(|(number, member)| {
        let key = match raised.check(key(member, true))? {
            Some(key) => key,
            None => Key::Message(message_of(member, options, (orders, answers), raised)?),
        };
        Ok((key, number))
    });
    let keys = keys.collected::<holdall::Result<Vec<_>>>();
    orders.borrow_mut().open.pop();
    let mut keys = keys?;
    keys.sort_unstable();
    let found = in_order(keys, members);
    let kept = found.iter().map(|member| member.clone().unbind()).collected();
    orders.borrow_mut().found.put(address, (set.clone().unbind(), kept));
    Ok(found)
}

/// Encodes a member by itself.
fn message_of(
    member: &Bound<'_, PyAny>,
    options: &Options,
    (orders, answers): (&Rc<RefCell<Orders>>, Option<&Rc<RefCell<Answers>>>),
    raised: &mut Raised,
) -> holdall::Result<Vec<u8>> {
    let member = member.clone().unbind();
    let mut source = Object::within(&member, options, Rc::clone(orders), answers.cloned());
    // A new encoder: one that knows a message first tries to encode the next like it, and a failure
    // would then fail twice for each enclosing set.
    Encoder::new().message(&mut source).map_err(|fault| match source.raised.take() {
        Some(exception) => raised.keep(exception),
        // A path would start at the member.
        None => fault.unplaced(),
    })
}

/// Sorts the records among the members of a set that was read by their places there; others keep the order of the set.
pub fn by_place<'py>(set: &Bound<'py, PyAny>, members: &mut [Bound<'py, PyAny>]) -> PyResult<()> {
    let py = set.py();
    let record = record_class(py)?;
    if !members.iter().any(|member| member.get_type().is(record)) {
        return Ok(());
    }
    let place_of = |member: &Bound<'py, PyAny>| -> PyResult<usize> {
        if !member.get_type().is(record) {
            return Ok(usize::MAX);
        }
        let places = member.getattr_opt(intern!(py, "__holdall_places__"))?;
        let Some(places) = places else { return Ok(usize::MAX) };
        let place = places.cast::<PyDict>()?.get_item(set.as_ptr() as usize)?;
        let Some(place) = place else { return Ok(usize::MAX) };
        let (of_set, place): (Bound<'py, PyAny>, usize) = place.extract()?;
        Ok(if of_set.call0()?.is(set) { place } else { usize::MAX })
    };
    let places = members.iter().map(place_of).collected::<PyResult<Vec<_>>>()?;
    // Without a sort that is stable: it needs memory of its own.
    let mut placed: Vec<(usize, usize)> = places.into_iter().zip(0..).collected();
    placed.sort_unstable();
    let sorted: Vec<_> = placed.into_iter().map(|(_, number)| members[number].clone()).collected();
    members.clone_from_slice(&sorted);
    Ok(())
}
