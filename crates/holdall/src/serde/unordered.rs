//! Sets and maps without an order of their own, in canonical order (F-75, F-96).
//!
//! serde does not show which these are, because it serializes a `HashSet` like a `Vec`. The names of the types do.

use alloc::vec::Vec;
use core::any::type_name;

use serde::ser::Serialize;

use super::out::Out;
use super::serializer::ValuePlace;
use crate::dynamic::message_of;
use crate::error::Result;
use crate::value::{Value, order_of};

/// Types that serialize as their contents.
const AROUND: &[&str] = &[
    "&",
    "mut ",
    "alloc::boxed::Box<",
    "alloc::rc::Rc<",
    "alloc::sync::Arc<",
    "alloc::borrow::Cow<",
];
const UNORDERED: &[&str] = &[
    "std::collections::hash::set::HashSet<",
    "std::collections::hash::map::HashMap<",
    "hashbrown::set::HashSet<",
    "hashbrown::map::HashMap<",
];

/// Whether a type is a set or map without an order of its own.
pub(super) fn is<T: ?Sized>() -> bool {
    let mut name = type_name::<T>();
    while let Some(inner) = AROUND.iter().find_map(|around| name.strip_prefix(around)) {
        name = inner;
    }
    UNORDERED.iter().any(|unordered| name.starts_with(unordered))
}

/// Emits a set or map in canonical order.
pub(super) fn emit<T: Serialize + ?Sized>(value: &T, place: ValuePlace<'_, '_>) -> Result<()> {
    let mut out = Out::canonical();
    value.serialize(ValuePlace::at(&mut out, place.depth))?;
    let value = in_order(out.into_value()?).map_err(|error| error.unplaced())?;
    place.out.whole(value)
}

fn in_order(value: Value) -> Result<Value> {
    let mut message = |member: &Value| message_of(&mut &*member, true);
    Ok(match value {
        Value::List(items) => {
            let order = order_of(&items.iter().collect::<Vec<_>>(), message)?;
            let mut items = items.into_vec();
            Value::list(order.iter().map(|place| core::mem::take(&mut items[*place])))
        }
        Value::Record(record) => {
            let mut entries: Vec<_> = record.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            Value::record(entries.into_iter().map(|(key, value)| (key, value.clone())))
        }
        Value::Map(map) => {
            let keys: Vec<&Value> = map.iter().map(|(key, _)| key).collect();
            let order = order_of(&keys, &mut message)?;
            let mut entries = map.into_vec();
            Value::map(order.iter().map(|place| core::mem::take(&mut entries[*place])))
        }
        value => value,
    })
}
