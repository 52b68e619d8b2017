//! A [`Value`] out of a tape: with everything that it is.

use alloc::sync::Arc;
use core::cell::Cell;
use std::collections::HashSet;

use super::formats::keys_of;
use crate::dynamic::{Entry, Event, RowId, Sink, Tape, charge};
use crate::error::Result;
use crate::memory::{GrowSet, GrowVec};
use crate::schema::Shape;
use crate::value::{Value, ValueBuilder};

/// The rest of a container, or of a value that is emitted again.
struct OpenContainer {
    next: usize,
    end: usize,
    is_container: bool,
    /// Whether a key, which was emitted at the start, precedes each value.
    is_mapping: bool,
}

impl OpenContainer {
    /// A value, or a copy of one.
    fn of_value(tape: &Tape<'_>, at: usize) -> OpenContainer {
        OpenContainer { next: at, end: tape.behind(at), is_container: false, is_mapping: false }
    }
}

/// The value at a place. Values shared within it stay shared; those from before it are copied, within the units left.
pub(super) fn value(tape: &Tape<'_>, at: usize, left: &Cell<u64>) -> Result<Value> {
    let mut builder = ValueBuilder::new();
    let mut emitted: HashSet<usize> = HashSet::new();
    let mut stack = vec![OpenContainer::of_value(tape, at)];
    while let Some(frame) = stack.last_mut() {
        let mut at = frame.next;
        if at == frame.end {
            if frame.is_container {
                builder.event(Event::End)?;
            }
            stack.pop();
            continue;
        }
        if frame.is_mapping {
            at = tape.behind(at);
        }
        frame.next = tape.behind(at);
        let row = RowId { definition: 0, row: at };
        if tape.is_shared(at) {
            if !emitted.put(at) {
                builder.event(Event::Reference(row))?;
                continue;
            }
            builder.event(Event::Identity(row))?;
        }
        if let Entry::Ref(to) = tape.entries[at] {
            if emitted.contains(&to) {
                builder.event(Event::Reference(RowId { definition: 0, row: to }))?;
                continue;
            }
            let copy = OpenContainer::of_value(tape, to);
            charge(left, 8 * (copy.end - to) as u64)?;
            stack.put(copy);
            continue;
        }
        let entry = tape.entries[at];
        let is_mapping = matches!(entry, Entry::Map { is_mapping: true, .. });
        match is_mapping {
            true => {
                let keys = keys_of(tape, at).flatten().map(Arc::from).collect();
                builder.event(Event::Record(&Shape::new(0, keys)))?;
            }
            false => tape.emit(entry, &mut builder)?,
        }
        if let Some(end) = entry.end_of_begun() {
            stack.put(OpenContainer { next: at + 1, end, is_container: true, is_mapping });
        }
    }
    builder.finish()
}
