//! A [`Value`] out of a tape: with everything that it is.

use std::cell::Cell;
use std::collections::HashSet;

use crate::dynamic::{Entry, Event, ItemsKind, RowId, Sink, Tape, TextKind, charge};
use crate::error::{Code, Error, Result};
use crate::schema::Shape;
use crate::value::{Value, ValueBuilder};

/// The rest of a container, or of a value that is emitted again.
struct Frame {
    next: usize,
    end: usize,
    is_container: bool,
}

/// The value at a place. Values shared within it stay shared; those from before it are copied, within the units left.
pub(super) fn value(tape: &Tape<'_>, at: usize, left: &Cell<u64>) -> Result<Value> {
    let mut builder = ValueBuilder::new();
    let mut emitted: HashSet<usize> = HashSet::new();
    let mut stack = vec![Frame { next: at, end: tape.behind(at), is_container: false }];
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
            stack.push(Frame { next: to, end, is_container: false });
            continue;
        }
        if begin(tape, at, &mut builder)? {
            stack.push(Frame { next: at + 1, end: tape.behind(at), is_container: true });
        }
    }
    builder.finish()
}

/// Emits a scalar, or the begin of a container. Returns whether it was a container.
fn begin(tape: &Tape<'_>, at: usize, to: &mut ValueBuilder) -> Result<bool> {
    match tape.entries[at] {
        // A value has one null.
        Entry::Null | Entry::Present => to.event(Event::Null)?,
        Entry::Bool(value) => to.event(Event::Bool(value))?,
        Entry::Int(kind, bits) => to.event(Event::FixedInt(kind, bits))?,
        Entry::Big(kind, span) => to.event(Event::BigInt(kind, tape.bytes_of(span)))?,
        Entry::F16(value) => to.event(Event::F16(value))?,
        Entry::Bf16(value) => to.event(Event::Bf16(value))?,
        Entry::F32(value) => to.event(Event::F32(value))?,
        Entry::F64(value) => to.event(Event::F64(value))?,
        Entry::Text(TextKind::String, span) => to.event(Event::String(tape.text_of(span)))?,
        Entry::Text(TextKind::Bytes, span) => to.event(Event::Bytes(tape.bytes_of(span)))?,
        Entry::Text(TextKind::Fixed, span) => to.event(Event::Fixed(tape.bytes_of(span)))?,
        Entry::Unknown => to.event(Event::Unknown)?,
        Entry::Tensor { number, .. } => tape.tensor_at(number).emit(to)?,
        Entry::Items { kind, len, .. } => {
            match kind {
                ItemsKind::List => to.event(Event::List(len))?,
                ItemsKind::Tuple => to.event(Event::Tuple(len))?,
                ItemsKind::Array => to.event(Event::Array(len))?,
            }
            return Ok(true);
        }
        Entry::Row { shape, .. } => {
            let row = tape.shape(shape);
            let shape = Shape::new(shape, row.keys.clone());
            match &row.name {
                Some(name) => to.event(Event::Struct(name, &shape))?,
                None => to.event(Event::Record(&shape))?,
            }
            return Ok(true);
        }
        Entry::Map { len, .. } => {
            to.event(Event::Map(len))?;
            return Ok(true);
        }
        Entry::Variant { name, .. } => {
            to.event(Event::Variant(tape.name(name)))?;
            return Ok(true);
        }
        Entry::Logical { ty, .. } => {
            to.event(Event::Logical(tape.ty(ty)))?;
            return Ok(true);
        }
        Entry::Extension { name, .. } => {
            to.event(Event::Extension(tape.name(name)))?;
            return Ok(true);
        }
        // The caller follows references, and this tape has no marks in line.
        Entry::Ref(_) | Entry::Char(_) | Entry::Choice(_) | Entry::Identity => {
            return Err(Error::new(Code::BadSource));
        }
    }
    Ok(false)
}
