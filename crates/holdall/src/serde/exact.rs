//! A [`Value`] out of a tape: with everything that it is.

use std::cell::Cell;
use std::collections::HashSet;

use super::tape::{ItemsKind, Node, Tape, TextKind, charge};
use crate::dynamic::{RowId, Sink};
use crate::error::{Code, Error, Result};
use crate::schema::Shape;
use crate::value::{Value, ValueBuilder};

/// What is left of a container, or of a value that is told again.
struct Frame {
    next: usize,
    end: usize,
    is_container: bool,
}

/// The value at a place. What comes again in it is one value; what came before it is copied, within the units left.
pub(super) fn value(tape: &Tape<'_>, at: usize, left: &Cell<u64>) -> Result<Value> {
    let mut builder = ValueBuilder::new();
    let mut told: HashSet<usize> = HashSet::new();
    let mut stack = vec![Frame { next: at, end: tape.behind(at), is_container: false }];
    while let Some(frame) = stack.last_mut() {
        let at = frame.next;
        if at == frame.end {
            if frame.is_container {
                builder.end()?;
            }
            stack.pop();
            continue;
        }
        frame.next = tape.behind(at);
        let row = RowId { definition: 0, row: at };
        if tape.is_again(at) {
            if !told.insert(at) {
                builder.reference(row)?;
                continue;
            }
            builder.identify(row)?;
        }
        if let Node::Ref(to) = tape.nodes[at] {
            if told.contains(&to) {
                builder.reference(RowId { definition: 0, row: to })?;
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

/// Tells a scalar whole, or the begin of a container; whether it was one.
fn begin(tape: &Tape<'_>, at: usize, to: &mut ValueBuilder) -> Result<bool> {
    match tape.nodes[at] {
        // A value has one null.
        Node::Null | Node::Present => to.null()?,
        Node::Bool(value) => to.bool(value)?,
        Node::Int(kind, bits) => to.fixed_int(kind, bits)?,
        Node::Big(kind, span) => to.big_int(kind, tape.bytes_of(span))?,
        Node::F16(value) => to.f16(value)?,
        Node::Bf16(value) => to.bf16(value)?,
        Node::F32(value) => to.f32(value)?,
        Node::F64(value) => to.f64(value)?,
        Node::Text(TextKind::String, text) => {
            to.string(std::str::from_utf8(text).map_err(|_| Error::new(Code::InvalidUtf8))?)?;
        }
        Node::Text(TextKind::Bytes, bytes) => to.bytes(bytes)?,
        Node::Text(TextKind::Fixed, bytes) => to.fixed(bytes)?,
        Node::Kept(TextKind::String, span) => to.string(tape.text_of(span))?,
        Node::Kept(TextKind::Bytes, span) => to.bytes(tape.bytes_of(span))?,
        Node::Kept(TextKind::Fixed, span) => to.fixed(tape.bytes_of(span))?,
        Node::Unknown => to.unknown()?,
        Node::Tensor { number, .. } => tape.tensors[number].tell(to)?,
        Node::Items { kind, len, .. } => {
            match kind {
                ItemsKind::List => to.begin_list(len)?,
                ItemsKind::Tuple => to.begin_tuple(len)?,
                ItemsKind::Array => to.begin_array(len)?,
            }
            return Ok(true);
        }
        Node::Row { shape, .. } => {
            let row = tape.shape(shape);
            let shape = Shape::new(shape, row.keys.clone());
            match &row.name {
                Some(name) => to.begin_struct(name, &shape)?,
                None => to.begin_record(&shape)?,
            }
            return Ok(true);
        }
        Node::Map { len, .. } => {
            to.begin_map(len)?;
            return Ok(true);
        }
        Node::Variant { name, .. } => {
            to.begin_variant(tape.name(name))?;
            return Ok(true);
        }
        Node::Logical { ty, .. } => {
            to.begin_logical(tape.ty(ty))?;
            return Ok(true);
        }
        Node::Extension { name, .. } => {
            to.begin_extension(tape.name(name))?;
            return Ok(true);
        }
        // Neither comes here.
        Node::Ref(_) | Node::Char(_) => return Err(Error::new(Code::BadSource)),
    }
    Ok(false)
}
