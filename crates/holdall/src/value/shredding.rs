//! Values on their way into a message: identities, sets in canonical order, mappings, and keys that must differ.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::walk::{Visit, Visitor, address, begin, is_scalar, walk, walk_fields};
use super::{Logical, Record, Value, order_of};
use crate::canonical::{Orders, address as address_of};
use crate::dynamic::{KeyOf, Row, ScalarKey, Shredder, Source, message_of};
use crate::error::{Code, Error, Result};
use crate::memory::{Collect, Grow, GrowMap, GrowSet};
use crate::platform::{HashMap, HashSet};
use crate::schema::{LogicalType, Shape};

/// A value being written to a message.
struct Shredding<'s> {
    shredder: &'s mut Shredder,
    /// The rows of the values with identity so far.
    seen: HashMap<usize, Row>,
    /// Those of its sets, if they are in canonical order (F-96).
    orders: Option<Rc<Orders>>,
}

/// A member of a set, written alone.
struct Alone<'a> {
    member: &'a Value,
    orders: &'a Rc<Orders>,
}

impl Source for Alone<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        let orders = Some(Rc::clone(self.orders));
        walk(self.member, &mut Shredding { shredder, seen: HashMap::new(), orders })
    }
}

/// Whether a value has no identity (F-45): scalars, and tuples of up to 8 of them.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Tuple(items) => items.len() <= 8 && items.iter().all(|item| item.behind(is_scalar)),
        value => is_scalar(value),
    }
}

impl Visitor for Shredding<'_> {
    type Sink = Shredder;

    fn sink(&mut self) -> &mut Shredder {
        self.shredder
    }

    fn handle(&mut self, handle: &Value) -> Result<Visit> {
        if let Some(row) = self.seen.get(&address(handle)) {
            self.shredder.back_reference(*row)?;
            return Ok(Visit::Skip);
        }
        let plain = match handle {
            Value::Weak(weak) => match weak.upgrade() {
                Some(shared) => is_plain(shared.get()),
                None => {
                    let error = Error::new(Code::UnsupportedValue)
                        .expected("a weak handle whose value still exists")
                        .got("one whose value was dropped");
                    return Err(self.shredder.refuse(error));
                }
            },
            Value::Shared(shared) => is_plain(shared.get()),
            _ => true,
        };
        Ok(if plain { Visit::Value } else { Visit::Identity })
    }

    fn begun(&mut self, handles: &[usize]) {
        if let Some(row) = self.shredder.latest_row() {
            self.seen.put_each(handles.iter().map(|handle| (*handle, row)));
        }
    }

    fn members<'a>(&mut self, logical: &'a Logical) -> Result<Option<Vec<&'a Value>>> {
        let (Some(orders), Value::List(items)) = (&self.orders, logical.storage().get()) else {
            return Ok(None);
        };
        let is_set = matches!(logical.ty().kind(), LogicalType::SET | LogicalType::FROZEN_SET);
        if !is_set || items.len() < 2 {
            return Ok(None);
        }
        let members: Vec<&Value> = items.iter().collected();
        let message = |member: &Value| message_of(&mut Alone { member, orders }, false);
        let order = orders.of(address_of(&**items), items.len(), || order_of(&members, message));
        // A path would be relative to the member.
        let order = order.map_err(|error| self.shredder.refuse(error.unplaced()))?;
        Ok(Some(order.iter().map(|place| members[*place]).collected()))
    }

    fn keyed(&mut self, entries: &[(Value, Value)]) -> Result<bool> {
        let keys = || entries.iter().map_while(|(key, _)| key.as_str());
        if keys().count() == entries.len() {
            self.shredder.begin_mapping(keys())?;
            return Ok(true);
        }
        let text = |key: &Value| key.as_str().map(str::to_owned);
        let weak: Option<Vec<String>> = entries.iter().map(|(key, _)| key.behind(text)).collected();
        if let Some(keys) = weak {
            self.shredder.begin_mapping(keys.iter().map(String::as_str))?;
            return Ok(true);
        }
        check_keys(entries).map_err(|error| self.shredder.refuse(error))?;
        Ok(false)
    }
}

/// A reader refuses maps with equal scalar keys (F-35), so a writer must not make them.
fn check_keys(entries: &[(Value, Value)]) -> Result<()> {
    let mut seen = HashSet::new();
    seen.room(entries.len());
    for (key, _) in entries {
        let Some(scalar) = key.behind(scalar_key) else { continue };
        if !seen.put(scalar) {
            return Err(Error::new(Code::DuplicateKey)
                .expected("each key once")
                .got(format!("{key:?} twice")));
        }
    }
    Ok(())
}

impl Visitor for KeyOf {
    type Sink = KeyOf;

    fn sink(&mut self) -> &mut KeyOf {
        self
    }

    fn handle(&mut self, _handle: &Value) -> Result<Visit> {
        Ok(Visit::Skip)
    }
}

/// Returns the key that a value is, if it is a scalar.
fn scalar_key(value: &Value) -> Option<ScalarKey<Box<[u8]>>> {
    let mut key = KeyOf::default();
    begin(value, &mut key).ok()?;
    key.0
}

impl Source for &Value {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        let orders = shredder.is_canonical().then(Rc::default);
        walk(self, &mut Shredding { shredder, seen: HashMap::new(), orders })
    }
}

/// Emits a record as the fields of a root that [`Shredder::begin_object`] began, whatever its keys: not as a mapping, which could
/// become a map (F-49).
pub(crate) fn emit_fields(row: usize, fields: &Record, shredder: &mut Shredder) -> Result<()> {
    let orders = shredder.is_canonical().then(Rc::default);
    shredder.begin_fields(row, &Shape::new(0, Arc::clone(fields.keys())));
    walk_fields(fields, &mut Shredding { shredder, seen: HashMap::new(), orders })
}
