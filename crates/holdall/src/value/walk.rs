//! Walks over values, to write or clone them.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::{self, Vec};
use core::slice;

use typed_arena::Arena;

use super::containers::is_container;
use super::{Logical, Record, Value, ValueBuilder};
use crate::dynamic::{Event, NullSink, RowId, Sink};
use crate::error::{Code, Error, Refused, Result};
use crate::memory::{Collect, Grow, GrowSet, GrowVec};
use crate::number::{IntKind, shorten_big};
use crate::platform::{HashMap, HashSet};
use crate::schema::{Shape, path};

/// A sink for walks over values.
pub(super) trait Visitor {
    type Sink: Sink;

    fn sink(&mut self) -> &mut Self::Sink;

    /// Called for a handle, strong or weak; returns whether to walk its value.
    fn handle(&mut self, handle: &Value) -> Result<Visit>;

    /// Called when the container behind some handles has begun, with their addresses.
    fn begun(&mut self, _handles: &[usize]) {}

    /// Returns the members of a set in the order of their events, if that is not the order they have.
    fn members<'a>(&mut self, _logical: &'a Logical) -> Result<Option<Vec<&'a Value>>> {
        Ok(None)
    }

    /// Returns the shape of a record, or of a struct with a name. The sinks of this library do not look at its number.
    fn shape(&mut self, _name: Option<&Arc<str>>, keys: &Arc<[Arc<str>]>) -> Shape {
        Shape::new(0, Arc::clone(keys))
    }

    /// A map follows. Its field says whether its keys were emitted, so that only values follow.
    fn keyed(&mut self, _entries: &[(Value, Value)]) -> Result<bool> {
        Ok(false)
    }
}

/// What to do with a handle.
#[derive(PartialEq, Eq)]
pub(super) enum Visit {
    /// It was emitted before.
    Skip,
    /// Emit its value, which has no identity.
    Value,
    /// Emit its value, and remember it.
    Identity,
}

/// The address that is the identity of a handle.
pub(super) fn address(handle: &Value) -> usize {
    match handle {
        Value::Shared(shared) => shared.address(),
        Value::Weak(weak) => weak.address(),
        _ => 0,
    }
}

/// A container, and the rest of it.
struct OpenContainer<'a> {
    container: WalkedContainer<'a>,
    rest: PendingValues<'a>,
}

/// A container, or the fields of one that is no value.
#[derive(Clone, Copy)]
enum WalkedContainer<'a> {
    Value(&'a Value),
    Fields(&'a Record),
}

/// The rest of a container.
pub(super) enum PendingValues<'a> {
    Items(slice::Iter<'a, Value>),
    Values(slice::Iter<'a, (Value, Value)>),
    Entries(slice::Iter<'a, (Value, Value)>, Option<&'a Value>),
    Payload(Option<&'a Value>),
    /// The members of a set, whose list follows: handles lead to the set.
    Set(Vec<&'a Value>),
    /// The rest of them; the list and the set end after it.
    Members(vec::IntoIter<&'a Value>),
}

impl OpenContainer<'_> {
    /// The step to the value that was taken last (F-41).
    fn step(&self) -> String {
        let field = |record: &Record, left: usize| {
            path::field(&record.keys()[record.keys().len() - left - 1])
        };
        let container = match self.container {
            WalkedContainer::Value(value) => value,
            WalkedContainer::Fields(record) => return field(record, self.rest.left()),
        };
        match (&self.rest, container) {
            (PendingValues::Items(rest), Value::Record(record)) => field(record, rest.len()),
            (PendingValues::Items(rest), Value::Struct(of)) => field(of.fields(), rest.len()),
            (PendingValues::Items(rest), items) => {
                let len = items.as_slice().map_or(0, <[Value]>::len);
                format!("[{}]", len - rest.len() - 1)
            }
            (PendingValues::Entries(rest, value), Value::Map(map)) => {
                let key = if value.is_some() { ".key" } else { "" };
                format!("[{}]{key}", map.len() - rest.len() - 1)
            }
            (PendingValues::Payload(_), Value::Variant(variant)) => path::variant(variant.name()),
            _ => String::new(),
        }
    }
}

impl PendingValues<'_> {
    /// Returns how many items are left.
    fn left(&self) -> usize {
        match self {
            PendingValues::Items(items) => items.len(),
            _ => 0,
        }
    }
}

/// Passes a value and everything in it to a visitor, depth-first: rows get their numbers in this order (F-33).
pub(super) fn walk<V: Visitor>(root: &Value, visitor: &mut V) -> Result<()> {
    walked(Some(root), visitor, None)
}

/// The same for the fields of a container that has begun, up to its end.
pub(super) fn walk_fields<V: Visitor>(fields: &Record, visitor: &mut V) -> Result<()> {
    let rest = PendingValues::Items(fields.values().iter());
    walked(None, visitor, Some(OpenContainer { container: WalkedContainer::Fields(fields), rest }))
}

fn walked<V: Visitor>(
    root: Option<&Value>,
    visitor: &mut V,
    begun: Option<OpenContainer<'_>>,
) -> Result<()> {
    // Keeps values behind weak handles alive until the walk ends.
    let kept = Arena::new();
    let mut stack: Vec<OpenContainer<'_>> = begun.into_iter().collected();
    let walked = walk_in(root, visitor, &kept, &mut stack);
    let path = || stack.iter().fold("$".to_owned(), |path, open| path + &open.step());
    walked.map_err(|error| error.with_path(path))
}

fn walk_in<'a, V: Visitor>(
    mut next: Option<&'a Value>,
    visitor: &mut V,
    kept: &'a Arena<Value>,
    stack: &mut Vec<OpenContainer<'a>>,
) -> Result<()> {
    loop {
        if let Some(value) = next
            && let Some(open) = visit(value, visitor, kept)?
        {
            stack.put(open);
        }
        let Some(OpenContainer { rest, .. }) = stack.last_mut() else { return Ok(()) };
        if let PendingValues::Set(members) = rest {
            let members = core::mem::take(members);
            visitor.sink().event(Event::List(members.len()))?;
            *rest = PendingValues::Members(members.into_iter());
        }
        next = match rest {
            PendingValues::Items(items) => items.next(),
            PendingValues::Values(entries) => entries.next().map(|(_, value)| value),
            PendingValues::Entries(entries, value) => value.take().or_else(|| {
                let (key, after) = entries.next()?;
                *value = Some(after);
                Some(key)
            }),
            PendingValues::Payload(value) => value.take(),
            PendingValues::Members(members) => members.next(),
            PendingValues::Set(_) => None,
        };
        if next.is_none() {
            if let Some(OpenContainer { rest: PendingValues::Members(_), .. }) = stack.pop() {
                visitor.sink().event(Event::End)?;
            }
            visitor.sink().event(Event::End)?;
        }
    }
}

/// Emits a scalar, or the beginning of a container.
fn visit<'a, V: Visitor>(
    value: &'a Value,
    visitor: &mut V,
    kept: &'a Arena<Value>,
) -> Result<Option<OpenContainer<'a>>> {
    let (mut value, mut handles) = (value, Vec::new());
    while let Value::Shared(_) | Value::Weak(_) = value {
        match visitor.handle(value)? {
            Visit::Skip => return Ok(None),
            // If the innermost value has no identity, handles to it have none.
            Visit::Value => handles.clear(),
            Visit::Identity => handles.put(address(value)),
        }
        value = match value {
            Value::Shared(shared) => shared.get(),
            Value::Weak(weak) => kept.alloc(weak.upgrade().map_or(Value::Null, Value::Shared)),
            other => other,
        };
    }
    let rest = begin(value, visitor)?;
    if !is_scalar(value) && !handles.is_empty() {
        visitor.begun(&handles);
    }
    Ok(rest.map(|rest| OpenContainer { container: WalkedContainer::Value(value), rest }))
}

pub(super) fn begin<'a, V: Visitor>(
    value: &'a Value,
    visitor: &mut V,
) -> Result<Option<PendingValues<'a>>> {
    if let Value::Map(map) = value
        && visitor.keyed(map)?
    {
        return Ok(Some(PendingValues::Values(map.iter())));
    }
    if let Value::Logical(logical) = value
        && let Some(members) = visitor.members(logical)?
    {
        let sink = visitor.sink();
        sink.event(Event::Logical(logical.ty()))?;
        return Ok(Some(PendingValues::Set(members)));
    }
    let sink = visitor.sink();
    let signed = |kind, value: i64| Event::FixedInt(kind, value.cast_unsigned());
    match value {
        Value::Null => sink.event(Event::Null)?,
        Value::Bool(value) => sink.event(Event::Bool(*value))?,
        Value::Int(value) => sink.event(Event::Int(*value))?,
        Value::BigInt(value) => sink.event(Event::BigInt(IntKind::Int, value.as_le_bytes()))?,
        Value::U8(value) => sink.event(Event::FixedInt(IntKind::U8, u64::from(*value)))?,
        Value::U16(value) => sink.event(Event::FixedInt(IntKind::U16, u64::from(*value)))?,
        Value::U32(value) => sink.event(Event::FixedInt(IntKind::U32, u64::from(*value)))?,
        Value::U64(value) => sink.event(Event::FixedInt(IntKind::U64, *value))?,
        Value::U128(value) => match u64::try_from(**value) {
            Ok(low) => sink.event(Event::FixedInt(IntKind::U128, low))?,
            Err(_) => {
                let mut bytes = [0; 17];
                bytes[..16].copy_from_slice(&value.to_le_bytes());
                sink.event(Event::BigInt(IntKind::U128, shorten_big(&bytes)))?;
            }
        },
        Value::I8(value) => sink.event(signed(IntKind::I8, (*value).into()))?,
        Value::I16(value) => sink.event(signed(IntKind::I16, (*value).into()))?,
        Value::I32(value) => sink.event(signed(IntKind::I32, (*value).into()))?,
        Value::I64(value) => sink.event(signed(IntKind::I64, *value))?,
        Value::I128(value) => match i64::try_from(**value) {
            Ok(low) => sink.event(signed(IntKind::I128, low))?,
            Err(_) => {
                sink.event(Event::BigInt(IntKind::I128, shorten_big(&value.to_le_bytes())))?;
            }
        },
        Value::F16(value) => sink.event(Event::F16(*value))?,
        Value::Bf16(value) => sink.event(Event::Bf16(*value))?,
        Value::F32(value) => sink.event(Event::F32(*value))?,
        Value::F64(value) => sink.event(Event::F64(*value))?,
        Value::String(value) => sink.event(Event::String(value))?,
        Value::Bytes(value) => sink.event(Event::Bytes(value))?,
        Value::Fixed(value) => sink.event(Event::Fixed(value))?,
        Value::Tensor(tensor) => {
            sink.event(Event::Tensor(tensor.by_ref(), Some(tensor.elements())))?;
        }
        Value::Unknown => sink.event(Event::Unknown)?,
        Value::Array(items) => {
            sink.event(Event::Array(items.len()))?;
            return Ok(Some(PendingValues::Items(items.iter())));
        }
        Value::Logical(logical) => {
            sink.event(Event::Logical(logical.ty()))?;
            return Ok(Some(PendingValues::Payload(Some(logical.storage()))));
        }
        Value::Extension(extension) => {
            sink.event(Event::Extension(extension.name()))?;
            return Ok(Some(PendingValues::Payload(Some(extension.value()))));
        }
        Value::List(items) => {
            sink.event(Event::List(items.len()))?;
            return Ok(Some(PendingValues::Items(items.iter())));
        }
        Value::Tuple(items) => {
            sink.event(Event::Tuple(items.len()))?;
            return Ok(Some(PendingValues::Items(items.iter())));
        }
        Value::Record(record) => {
            let shape = visitor.shape(None, record.keys());
            visitor.sink().event(Event::Record(&shape))?;
            return Ok(Some(PendingValues::Items(record.values().iter())));
        }
        Value::Struct(of) => {
            let fields = of.fields();
            let shape = visitor.shape(Some(of.name()), fields.keys());
            visitor.sink().event(Event::Struct(of.name(), &shape))?;
            return Ok(Some(PendingValues::Items(fields.values().iter())));
        }
        Value::Map(map) => {
            sink.event(Event::Map(map.len()))?;
            return Ok(Some(PendingValues::Entries(map.iter(), None)));
        }
        Value::Variant(variant) => {
            sink.event(Event::Variant(variant.name()))?;
            return Ok(Some(PendingValues::Payload(Some(variant.value()))));
        }
        // Handled above.
        Value::Shared(_) | Value::Weak(_) => {}
    }
    Ok(None)
}

/// Null, and scalars.
pub(super) fn is_scalar(value: &Value) -> bool {
    !is_container(value) && !matches!(value, Value::Tensor(_))
}

/// A value emitted to a sink outside this library: with its identities, or with a copy of each shared value at each of
/// its places.
struct Emitting<'s, S> {
    sink: &'s mut S,
    copies: bool,
    /// The numbers of the values with identity so far.
    seen: HashMap<usize, usize>,
    /// The shapes of records and structs so far: each has a number of its own, under which a sink may cache.
    shapes: HashMap<ShapeKey, Shape>,
}

/// A struct's name, if it is one, and the names of the fields.
type ShapeKey = (Option<Arc<str>>, Arc<[Arc<str>]>);

impl<S: Sink> Visitor for Emitting<'_, S> {
    type Sink = S;

    fn shape(&mut self, name: Option<&Arc<str>>, keys: &Arc<[Arc<str>]>) -> Shape {
        let new = self.shapes.len();
        self.shapes.room(1);
        let shape = self.shapes.entry((name.cloned(), Arc::clone(keys)));
        shape.or_insert_with(|| Shape::new(new, Arc::clone(keys))).clone()
    }

    fn sink(&mut self) -> &mut S {
        self.sink
    }

    fn handle(&mut self, handle: &Value) -> Result<Visit> {
        if self.copies {
            return match handle {
                Value::Weak(_) => Err(cycle()),
                _ => Ok(Visit::Value),
            };
        }
        let new = self.seen.len();
        self.seen.room(1);
        let number = *self.seen.entry(address(handle)).or_insert(new);
        let row = RowId { definition: 0, row: number };
        if number < new {
            self.sink.event(Event::Reference(row))?;
            return Ok(Visit::Skip);
        }
        self.sink.event(Event::Identity(row))?;
        Ok(Visit::Value)
    }
}

/// Emits a value to a sink.
pub(crate) fn emit(value: &Value, sink: &mut impl Sink) -> Result<()> {
    let (seen, shapes) = (HashMap::new(), HashMap::new());
    walk(value, &mut Emitting { sink, copies: false, seen, shapes })
}

/// Emits a value that a reader built, with a copy of each shared value at each of its places. In such a value, exactly
/// the handles to incomplete values are weak, so following the others terminates.
///
/// # Errors
/// `unrepresentable` for a value that contains itself; those of the sink.
pub fn emit_copies(value: &Value, sink: &mut impl Sink) -> Result<()> {
    let (seen, shapes) = (HashMap::new(), HashMap::new());
    walk(value, &mut Emitting { sink, copies: true, seen, shapes })
}

#[cold]
fn cycle() -> Error {
    Error::new(Code::Unrepresentable)
        .expected("values that do not contain themselves")
        .got("one that does, which cannot be copied")
        .refusing(Refused::Cycle)
}

/// Checks that a value that a reader built does not contain itself, so that copies of what is shared in it have an end.
///
/// # Errors
/// `unrepresentable`, as of [`emit_copies`].
pub fn check_copies(value: &Value) -> Result<()> {
    walk(value, &mut Checking { sink: NullSink, seen: HashSet::new() })
}

/// A walk that looks for a value inside itself, and passes each shared value once.
struct Checking {
    sink: NullSink,
    seen: HashSet<usize>,
}

impl Visitor for Checking {
    type Sink = NullSink;

    fn sink(&mut self) -> &mut NullSink {
        &mut self.sink
    }

    fn handle(&mut self, handle: &Value) -> Result<Visit> {
        if let Value::Weak(_) = handle {
            return Err(cycle());
        }
        Ok(if self.seen.put(address(handle)) { Visit::Value } else { Visit::Skip })
    }
}

impl Visitor for ValueBuilder {
    type Sink = ValueBuilder;

    fn sink(&mut self) -> &mut ValueBuilder {
        self
    }

    fn handle(&mut self, handle: &Value) -> Result<Visit> {
        self.push_value(match handle {
            Value::Shared(shared) => Value::Shared(shared.clone()),
            Value::Weak(weak) => Value::Weak(weak.clone()),
            _ => Value::Null,
        })?;
        Ok(Visit::Skip)
    }
}

impl Clone for Value {
    fn clone(&self) -> Value {
        let mut builder = ValueBuilder::new();
        // A builder takes every event of a value, so neither step fails.
        let walked = walk(self, &mut builder);
        walked.and_then(|()| builder.finish()).unwrap_or_default()
    }
}
