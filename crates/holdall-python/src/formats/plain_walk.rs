//! Writes plain objects in another format without a message between: None, bools, ints of 64 bits, floats, text, bytes,
//! lists, tuples, and dicts whose keys are text, where no container is in two places.
//!
//! Meanwhile no Python code runs, and the garbage collector is off, so containers keep what they hold. For any other
//! object, and for what the format cannot hold, the walk has no effect: a message knows all objects and the path of a
//! fault.
#![allow(unsafe_code, reason = "objects that others hold; each block has its proof")]

use holdall::Result;
use holdall::bindings::memory::catch;
use holdall::events::Event;
use holdall_convert::Target;
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::collector::WithoutCollector;
use crate::entries::Entries;
use crate::raw;
use crate::small::{DOCUMENT, Seen};
use crate::source::{Scalar, is_constant, scalar_of};

/// How deep containers may be inside each other: threads may have small stacks.
const LEVELS: usize = 64;

/// Returns the bytes that a sink makes of an object, if it is plain and the sink can hold it.
pub(super) fn write<S: Target>(
    object: &Bound<'_, PyAny>,
    mut sink: S,
    take: fn(&mut S) -> Result<Vec<u8>>,
) -> Option<Vec<u8>> {
    let collector = WithoutCollector::new(object.py());
    let root = object.as_ptr() as usize;
    let mut walk = PlainWalk { sink: &mut sink, root, seen: Seen::default(), left: DOCUMENT };
    // Where memory is missing, the walk of any object reports it.
    let emitted = catch(|| walk.value(object.as_borrowed(), LEVELS)).ok().flatten();
    drop(collector);
    emitted?;
    take(&mut sink).ok()
}

struct PlainWalk<'s, S> {
    sink: &'s mut S,
    /// The address of the object, which the caller holds, too.
    root: usize,
    /// Other containers that something else holds, too.
    seen: Seen,
    /// How many more values there may be: other threads and signals wait meanwhile.
    left: usize,
}

impl<S: Target> PlainWalk<'_, S> {
    fn value(&mut self, object: Borrowed<'_, '_, PyAny>, levels: usize) -> Option<()> {
        let event = match scalar_of(&object) {
            Some(Scalar::Text(text)) => Event::String(raw::utf8(text).ok()?),
            Some(Scalar::Int(int)) => Event::Int(raw::int_bits(int).ok()??),
            Some(Scalar::Float(float)) => Event::F64(float),
            Some(Scalar::Null) => Event::Null,
            Some(Scalar::Bool(bool)) => Event::Bool(bool),
            Some(Scalar::Bytes(bytes)) => Event::Bytes(bytes),
            None => return self.container(object, levels),
        };
        self.sink.event(event).ok()
    }

    fn container(&mut self, object: Borrowed<'_, '_, PyAny>, levels: usize) -> Option<()> {
        let inside = levels.checked_sub(1)?;
        if let Ok(dict) = object.cast_exact::<PyDict>() {
            self.begin(object, dict.len(), levels)?;
            self.sink.map_of_names(dict.len()).ok()?;
            // SAFETY: nothing changes dicts or frees objects during the walk.
            for (key, value) in unsafe { Entries::of(&dict) } {
                self.sink.event(Event::String(raw::text_of(key)?)).ok()?;
                self.value(value, inside)?;
            }
        } else if let Ok(list) = object.cast_exact::<PyList>() {
            self.begin(object, list.len(), levels)?;
            self.sink.event(Event::List(list.len())).ok()?;
            for item in 0..list.len() {
                // SAFETY: the list holds the item, and nothing changes it during the walk.
                let item = unsafe { raw::item_of(&list, item) }?;
                self.value(item.as_borrowed(), inside)?;
            }
        } else {
            let tuple = object.cast_exact::<PyTuple>().ok()?;
            if !is_constant(&tuple) {
                self.begin(object, tuple.len(), levels)?;
            }
            self.sink.event(Event::Tuple(tuple.len())).ok()?;
            tuple.iter_borrowed().try_for_each(|item| self.value(item, inside))?;
        }
        self.sink.event(Event::End).ok()
    }

    /// Counts the values of a container; none if it occurred before.
    fn begin(&mut self, object: Borrowed<'_, '_, PyAny>, len: usize, levels: usize) -> Option<()> {
        self.left = self.left.checked_sub(len)?;
        if levels < LEVELS && raw::is_shared(&object, 1) {
            let address = object.as_ptr() as usize;
            if address == self.root {
                return None;
            }
            self.seen.add(address)?;
        }
        Some(())
    }
}
