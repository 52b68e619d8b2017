//! A [`Value`] out of a tape: with everything that it is.

use core::cell::Cell;
use std::collections::HashSet;

use crate::dynamic::{Entry, Event, RowId, Sink, Tape, charge};
use crate::error::Result;
use crate::value::{Value, ValueBuilder};

/// The rest of a container, or of a value that is emitted again.
struct OpenContainer {
    next: usize,
    end: usize,
    is_container: bool,
}

/// The value at a place. Values shared within it stay shared; those from before it are copied, within the units left.
pub(super) fn value(tape: &Tape<'_>, at: usize, left: &Cell<u64>) -> Result<Value> {
    let mut builder = ValueBuilder::new();
    let mut emitted: HashSet<usize> = HashSet::new();
    let mut stack = vec![OpenContainer { next: at, end: tape.behind(at), is_container: false }];
    while let Some(frame) = stack.last_mut() {
        let at = frame.next;
        if at == frame.end {
            if frame.is_container {
                builder.event(Event::End)?;
            }
            stack.pop();
            continue;
        }
        frame.next = tape.behind(at);
        let row = RowId { definition: 0, row: at };
        if tape.is_shared(at) {
            if !emitted.insert(at) {
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
            let end = tape.behind(to);
            charge(left, 8 * (end - to) as u64)?;
            stack.push(OpenContainer { next: to, end, is_container: false });
            continue;
        }
        let entry = tape.entries[at];
        tape.emit(entry, &mut builder)?;
        if let Some(end) = entry.end_of_begun() {
            stack.push(OpenContainer { next: at + 1, end, is_container: true });
        }
    }
    builder.finish()
}
