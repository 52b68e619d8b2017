//! Puts values into the innermost open container.

use holdall::bindings::memory::GrowVec;
use holdall::events::RowId;
use holdall::{Code, Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyString, PyTuple};

use super::charges;
use super::class::Place;
use super::types::ANY;
use super::{Body, Builder, Content, Depth, Fix, Known, OpenContainer};
use crate::{entries, raw};

impl<'py> Builder<'py, '_> {
    /// Adds a value that is complete.
    #[inline]
    pub(super) fn leaf(&mut self, value: Bound<'py, PyAny>) -> Result<()> {
        self.tick()?;
        if !self.pending_ids.is_empty() {
            let node = self.expected();
            for id in std::mem::take(&mut self.pending_ids) {
                let depth = Depth::default();
                let known = Known { value: Content::Now(value.clone()), node, depth, open: None };
                self.known.put(id, known);
            }
        }
        self.put(Content::Now(value))
    }

    /// Puts a value into the innermost open container.
    #[inline]
    pub(super) fn put(&mut self, slot: Content<'py>) -> Result<()> {
        let py = self.py;
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(slot);
            return Ok(());
        };
        let placed = match &mut frame.body {
            Body::List(list) => match slot {
                Content::Now(value) => list.append(value),
                Content::Late(late) => {
                    let fix = Fix::Item(list.clone(), list.len());
                    self.lates[late].fixes.put(fix);
                    list.append(py.None())
                }
            },
            Body::Tuple { tuple, next } => {
                match slot {
                    Content::Now(value) => tuple.set(*next, value),
                    Content::Late(late) => {
                        self.lates[late].fixes.put(Fix::Member(tuple.share(), *next));
                    }
                }
                *next += 1;
                Ok(())
            }
            Body::Dict { dict, shape, next } => {
                *next += 1;
                match self.kept.keys(*shape).get(*next - 1).map(|key| key.bind(py)) {
                    Some(key) => match slot {
                        Content::Now(value) => entries::set(dict, 1, *next - 1, key, value),
                        Content::Late(late) => {
                            self.lates[late].fixes.put(Fix::Entry(dict.clone(), key.clone()));
                            dict.set_item(key, py.None())
                        }
                    },
                    None => Ok(()),
                }
            }
            Body::Map { map, key, waiting, count, .. } => match (key.take(), slot) {
                (None, slot) => {
                    *key = Some(slot);
                    Ok(())
                }
                (Some(Content::Now(key)), Content::Now(value))
                    if waiting.is_empty() && is_simple(&key) =>
                {
                    *count += 1;
                    match map.cast_exact::<PyDict>() {
                        Ok(dict) => dict.set_item(key, value),
                        Err(_) => map.set_item(key, value),
                    }
                }
                (Some(key), value) => {
                    waiting.put((key, value));
                    Ok(())
                }
            },
            Body::Items { items, .. } => {
                items.put(slot);
                Ok(())
            }
            Body::Struct { layout, next, object, fields, needs, .. } => {
                *next += 1;
                let place = self.kept.layout(*layout).places.get(*next - 1);
                match (place.map(|(place, _)| place), slot, &object, &fields) {
                    (
                        Some(place @ (Place::Attribute(_) | Place::Slot(..))),
                        Content::Now(value),
                        Some(object),
                        _,
                    ) => place.set(object, value),
                    (Some(Place::Key(key, at)), Content::Now(value), object, Some(fields)) => {
                        let is_object = object.as_ref().is_some_and(|object| object.is(fields));
                        let own = 1 + isize::from(is_object);
                        entries::set(fields, own, *at, key.bind(py), value)
                    }
                    (Some(Place::Key(key, _)), Content::Late(late), _, Some(fields)) => {
                        let key = key.bind(py);
                        self.lates[late].fixes.put(Fix::Entry(fields.clone(), key.clone()));
                        needs.put(late);
                        fields.set_item(key, py.None())
                    }
                    (Some(Place::Attribute(name)), Content::Late(late), Some(object), _) => {
                        let name = name.bind(py);
                        let fix = Fix::Attribute(object.clone(), name.clone());
                        self.lates[late].fixes.put(fix);
                        // The attribute keeps its position among the others.
                        raw::set_attribute(object, name, py.None().bind(py))
                    }
                    (Some(Place::Slot(_, name)), Content::Late(late), Some(object), _) => {
                        let fix = Fix::Attribute(object.clone(), name.bind(py).clone());
                        self.lates[late].fixes.put(fix);
                        Ok(())
                    }
                    _ => Ok(()),
                }
            }
            Body::Wrap { value, .. } | Body::Filled { value, .. } | Body::Through(value) => {
                *value = Some(slot);
                Ok(())
            }
            // The end of its storage sets the members.
            Body::Holder { .. } => Ok(()),
        };
        match placed {
            Ok(()) => Ok(()),
            Err(exception) => Err(self.fail(exception)),
        }
    }

    /// Adds back-references to complete values to the innermost open list, if it is one of any values. Returns how many.
    pub(super) fn refer_to_several(&mut self, definition: usize, numbers: &[u64]) -> Result<usize> {
        if self.expected() != ANY || !self.pending_ids.is_empty() {
            return Ok(0);
        }
        let Some(OpenContainer { body: Body::List(list), depth, .. }) = self.stack.last_mut()
        else {
            return Ok(0);
        };
        let mut taken = 0;
        for &number in numbers {
            let row = RowId { definition, row: number as usize - 1 };
            let Some(Known { value: Content::Now(value), depth: own, open: None, .. }) =
                self.known.get(row)
            else {
                break;
            };
            if !depth.add_known(*own) || list.append(value).is_err() {
                break;
            }
            taken += 1;
        }
        self.ticks(taken)?;
        Ok(taken)
    }

    /// Charges the scalars of a value that is the content of a logical value or extension, or a part of it, and is elsewhere, too: what
    /// these make of their content can be a copy. No writer of Python shares scalars.
    fn charge_shared(&mut self, value: &Bound<'py, PyAny>) -> Result<()> {
        let wraps = |body: &Body<'py>| matches!(body, Body::Wrap { .. } | Body::Filled { .. });
        let is_content = match self.stack.as_slice() {
            [.., outer, OpenContainer { body: Body::Tuple { .. }, .. }] => wraps(&outer.body),
            [.., inner] => wraps(&inner.body),
            [] => false,
        };
        if !is_content {
            return Ok(());
        }
        let charged = match value.cast_exact::<PyTuple>() {
            Ok(parts) => parts.as_slice().iter().try_for_each(charges::shared_scalar),
            Err(_) => charges::shared_scalar(value),
        };
        self.check(charged)
    }

    /// Adds a back-reference.
    pub(super) fn refer(&mut self, row: RowId) -> Result<()> {
        self.tick()?;
        let wanted = self.expected();
        let Some(known) = self.known.get(row) else {
            return Err(Error::new(Code::BadSource).expected("an earlier value"));
        };
        let (mut value, node, open) = (known.value.share(), known.node, known.open);
        let mut depth = known.depth;
        if let Content::Late(late) = value
            && let Some(made) = &self.lates[late].value
        {
            value = Content::Now(made.clone());
        }
        for id in std::mem::take(&mut self.pending_ids) {
            self.known.put(id, Known { value: value.share(), node, depth, open });
        }
        if let Some((target, number)) = open
            && self.stack.get(target).is_some_and(|frame| frame.number == number)
            && let Some(frame) = self.stack.last_mut()
        {
            frame.low = frame.low.min(target);
            depth = self.depth_of_loop(row, target, depth)?;
        } else {
            depth = self.depth_of_complete(depth, open.is_some());
        }
        if let Content::Now(value) = &value {
            self.charge_shared(value)?;
        }
        if wanted != node && wanted != ANY {
            value = match value {
                Content::Now(object) => {
                    let fitted = self.fit(wanted, object.clone())?;
                    // A copy would lose the identity.
                    if !fitted.is(&object) {
                        return Err(
                            self.mismatch(wanted, "a shared value that has another type elsewhere")
                        );
                    }
                    Content::Now(fitted)
                }
                Content::Late(_) => {
                    return Err(
                        self.mismatch(wanted, "a shared value that has another type elsewhere")
                    );
                }
            };
        }
        self.put_deep(value, depth)
    }
}

/// Whether a key's hash depends on nothing that could be incomplete.
pub(super) fn is_simple(key: &Bound<'_, PyAny>) -> bool {
    let is_scalar = |key: &Bound<'_, PyAny>| {
        key.is_exact_instance_of::<PyString>()
            || key.is_exact_instance_of::<PyInt>()
            || key.is_exact_instance_of::<PyFloat>()
            || key.is_exact_instance_of::<PyBytes>()
            || key.is_none()
    };
    is_scalar(key)
        || key.cast_exact::<PyTuple>().is_ok_and(|tuple| tuple.as_slice().iter().all(is_scalar))
}
