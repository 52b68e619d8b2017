//! Values of other formats as a Rust type has them: what a format spells for types that it lacks, by the schema of the type. It reads
//! what [`Stored`](crate::stored::Stored) writes.

use std::sync::Arc;

use holdall::bindings::memory::GrowVec;
use holdall::bindings::schema::{Fields, Scalar};
use holdall::bindings::{Type, nearest_float, schema};
use holdall::events::{Event, RowId, Shredder, Sink, Source};
use holdall::{Decoder, IntKind, LogicalType, Result, Schema, Shape};

use crate::addresses::AddressForm;
use crate::number;
use crate::times::TimeForm;

type TypeId = schema::TypeId;

/// A message whose values are those of another format, as a source of values of a type.
pub(crate) struct SpelledSource<'m> {
    pub(crate) message: &'m [u8],
    /// That of the type.
    pub(crate) schema: &'m Schema,
    /// Whether the format is text, in which times, addresses and keys are text, and all numbers are decimals.
    pub(crate) is_text: bool,
}

impl Source for SpelledSource<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        let SpelledSource { schema, is_text, .. } = *self;
        let mut stack = Vec::new();
        stack.put(Frame::Items(0));
        let sink = &mut SpelledSink { target: shredder, schema, is_text, stack, single: None };
        Decoder::new().message(self.message, sink)
    }
}

/// Events with the types that a schema has at their places, if they spell these. All others stay as they are: reading them reports what
/// does not fit.
struct SpelledSink<'s> {
    target: &'s mut Shredder,
    schema: &'s Schema,
    is_text: bool,
    /// The open containers, after a frame for the root.
    stack: Vec<Frame>,
    /// The union that a map of one entry stands for, if its key, which follows, is a name.
    single: Option<TypeId>,
}

/// The types of the values in a container.
enum Frame {
    /// Of these nothing is known.
    Any,
    /// All have one.
    Items(TypeId),
    /// A tuple, and the number of items before the next one.
    Tuple(TypeId, usize),
    /// A record or struct, the names that a row has, and the number of values before the next one.
    Fields(TypeId, Shape, usize),
    /// Those of keys and of values, and whether a key is next.
    Map(TypeId, TypeId, bool),
    /// A map that comes as a record, whose names are its keys.
    Keys(TypeId, TypeId, Shape, usize),
    /// A record or struct that comes as a map, and the type of the next value, unless a name is next.
    Names(TypeId, Option<Option<TypeId>>),
}

impl<'s> SpelledSink<'s> {
    /// The type of the next value, and whether it is a key. Emits the key that precedes the value of a record.
    fn next(&mut self) -> Result<(Option<TypeId>, bool)> {
        let Some(frame) = self.stack.last_mut() else { return Ok((None, false)) };
        Ok(match frame {
            Frame::Any => (None, false),
            Frame::Items(item) => (Some(*item), false),
            Frame::Tuple(tuple, next) => {
                *next += 1;
                let Type::Tuple(items) = &self.schema.types()[*tuple] else {
                    return Ok((None, false));
                };
                (items.get(*next - 1).copied(), false)
            }
            Frame::Fields(id, shape, next) => {
                *next += 1;
                let name = shape.keys().get(*next - 1);
                let fields = fields_of(&self.schema.types()[*id]);
                (name.zip(fields).and_then(|(name, fields)| field(fields, name, *next - 1)), false)
            }
            Frame::Map(key, value, is_key) => {
                let is_this_key = *is_key;
                *is_key = !is_this_key;
                (Some(if is_this_key { *key } else { *value }), is_this_key)
            }
            Frame::Keys(key, value, shape, next) => {
                *next += 1;
                let (key, value) = (*key, *value);
                if let Some(name) = shape.keys().get(*next - 1).map(Arc::clone) {
                    self.scalar(Event::String(&name), self.seen_through(key), true)?;
                }
                (Some(value), false)
            }
            Frame::Names(_, next) => (next.take().flatten(), false),
        })
    }

    /// Notes the name that precedes a value, in a record that comes as a map.
    fn name(&mut self, event: Event<'_>) -> bool {
        let Some(Frame::Names(id, next @ None)) = self.stack.last_mut() else { return false };
        let fields = fields_of(&self.schema.types()[*id]);
        *next = Some(match (event, fields) {
            (Event::String(name), Some(of)) => field(of, name, 0),
            _ => None,
        });
        true
    }

    /// A type, or what is inside of types that other formats do not show.
    fn seen_through(&self, mut id: TypeId) -> Option<TypeId> {
        let types = self.schema.types();
        for _ in 0..types.len() {
            id = match types.get(id)? {
                Type::Option(inner) | Type::Packed(inner) => *inner,
                Type::Def(definition) | Type::Shared(definition) => {
                    *self.schema.definitions().get(*definition)?
                }
                _ => return Some(id),
            };
        }
        None
    }

    /// The same for a type of containers, of which a logical type has the same ones.
    fn container(&self, id: Option<TypeId>) -> Option<(TypeId, &'s Type)> {
        let mut id = self.seen_through(id?)?;
        while let Type::Logical(_, storage) = self.schema.types().get(id)? {
            id = self.seen_through(*storage)?;
        }
        Some((id, self.schema.types().get(id)?))
    }

    /// The named union at a place.
    fn union(&self, id: Option<TypeId>) -> Option<TypeId> {
        let id = self.seen_through(id?)?;
        matches!(&self.schema.types()[id], Type::Union(union) if union.names.is_some())
            .then_some(id)
    }

    /// Begins a variant, whose payload follows.
    fn variant(&mut self, union: TypeId, name: &str) -> Result<()> {
        let Type::Union(union) = &self.schema.types()[union] else { return Ok(()) };
        let place = union.names.iter().flatten().position(|known| **known == *name);
        let known = place.and_then(|place| union.names.as_ref()?.get(place).map(Arc::clone));
        self.target.event(Event::Variant(&known.unwrap_or_else(|| name.into())))?;
        let payload = place.and_then(|place| union.variants.get(place));
        self.stack.put(payload.map_or(Frame::Any, |payload| Frame::Items(*payload)));
        Ok(())
    }

    fn open(&mut self, event: Event<'_>, frame: Frame) -> Result<()> {
        self.target.event(event)?;
        self.stack.put(frame);
        Ok(())
    }

    /// The frame of a list, an array or a tuple.
    fn items(&self, id: Option<TypeId>) -> Frame {
        match self.container(id) {
            Some((_, Type::List(item) | Type::Array(_, item))) => Frame::Items(*item),
            Some((id, Type::Tuple(_))) => Frame::Tuple(id, 0),
            _ => Frame::Any,
        }
    }

    fn record(&mut self, event: Event<'_>, shape: &Shape, id: Option<TypeId>) -> Result<()> {
        if let Some(union) = self.union(id)
            && let [name] = &**shape.keys()
        {
            return self.variant(union, name);
        }
        match self.container(id) {
            Some((id, Type::Record(_) | Type::Struct(..))) => {
                self.open(event, Frame::Fields(id, shape.clone(), 0))
            }
            Some((_, Type::Map(key, value))) => {
                if matches!(self.schema.types()[*key], Type::Scalar(Scalar::String)) {
                    let frame = Frame::Items(*value);
                    return self.open(event, frame);
                }
                let frame = Frame::Keys(*key, *value, shape.clone(), 0);
                self.open(Event::Map(shape.keys().len()), frame)
            }
            _ => self.open(event, Frame::Any),
        }
    }

    fn map(&mut self, event: Event<'_>, len: usize, id: Option<TypeId>) -> Result<()> {
        if len == 1
            && let Some(union) = self.union(id)
        {
            self.single = Some(union);
            return Ok(());
        }
        let frame = match self.container(id) {
            Some((_, Type::Map(key, value))) => Frame::Map(*key, *value, true),
            Some((id, Type::Record(_) | Type::Struct(..))) => Frame::Names(id, None),
            _ => Frame::Any,
        };
        self.open(event, frame)
    }

    /// A value without others inside, where a type is wanted.
    fn scalar(&mut self, event: Event<'_>, id: Option<TypeId>, is_key: bool) -> Result<()> {
        if let Event::String(name) = event
            && let Some(union) = self.union(id)
        {
            if self.is_text && self.address_of_either(name, union)? {
                return Ok(());
            }
            self.variant(union, name)?;
            self.target.event(Event::Null)?;
            self.stack.pop();
            return self.target.event(Event::End);
        }
        match (event, id.map(|id| &self.schema.types()[id])) {
            (Event::String(text), Some(Type::Logical(ty, storage))) => {
                self.text(text, ty, *storage)
            }
            (Event::String(text), Some(Type::Scalar(scalar))) if self.is_text && is_key => {
                self.key(text, *scalar)
            }
            (event, Some(Type::Scalar(scalar))) if self.is_text => {
                self.target.event(nearest_float(*scalar, event).unwrap_or(event))
            }
            _ => self.target.event(event),
        }
    }

    /// The text of a char, and in formats of text that of a time or an address.
    fn text(&mut self, text: &str, ty: &Arc<LogicalType>, storage: TypeId) -> Result<()> {
        let mut chars = text.chars();
        if ty.kind() == LogicalType::CHAR
            && let (Some(char), None) = (chars.next(), chars.next())
        {
            return self.logical(ty, &[Event::FixedInt(IntKind::U32, u32::from(char).into())]);
        }
        if !self.is_text {
            return self.target.event(Event::String(text));
        }
        let bytes = AddressForm::of(ty).and_then(|form| form.bytes(text));
        match (TimeForm::of(ty).and_then(|form| form.number(text)), bytes) {
            (Some((number, None)), _) => self.logical(ty, &[Event::Int(number)]),
            (Some((number, Some(offset))), _) => {
                let parts = [Event::Tuple(2), Event::Int(number), Event::Int(offset), Event::End];
                self.logical(ty, &parts)
            }
            (None, Some(bytes)) if self.is_fixed(storage, bytes.len()) => {
                self.logical(ty, &[Event::Fixed(&bytes)])
            }
            _ => self.target.event(Event::String(text)),
        }
    }

    fn logical(&mut self, ty: &Arc<LogicalType>, storage: &[Event<'_>]) -> Result<()> {
        self.target.event(Event::Logical(ty))?;
        storage.iter().try_for_each(|event| self.target.event(*event))?;
        self.target.event(Event::End)
    }

    fn is_fixed(&self, id: TypeId, len: usize) -> bool {
        self.schema.types()[id] == Type::Scalar(Scalar::Fixed(len as u64))
    }

    /// The text of an address of either version, of which `IpAddr` has a variant each. Returns whether it was one.
    fn address_of_either(&mut self, text: &str, union: TypeId) -> Result<bool> {
        let Type::Union(of) = &self.schema.types()[union] else { return Ok(false) };
        let is_of_addresses = of.names.iter().flatten().map(|name| &**name).eq(["V4", "V6"]);
        let Some(bytes) = AddressForm::Ip.bytes(text).filter(|_| is_of_addresses) else {
            return Ok(false);
        };
        let place = usize::from(bytes.len() > 4);
        let Type::Logical(ty, storage) = &self.schema.types()[of.variants[place]] else {
            return Ok(false);
        };
        if ty.kind() != LogicalType::IP_ADDRESS || !self.is_fixed(*storage, bytes.len()) {
            return Ok(false);
        }
        self.variant(union, ["V4", "V6"][place])?;
        self.logical(ty, &[Event::Fixed(&bytes)])?;
        self.stack.pop();
        self.target.event(Event::End)?;
        Ok(true)
    }

    /// The text of a number or boolean that is a key.
    fn key(&mut self, text: &str, scalar: Scalar) -> Result<()> {
        // In the form in which the key was written: not "+7" or "07".
        let is_integer = || {
            text.parse::<i128>().is_ok_and(|number| number.to_string() == text)
                || text.parse::<u128>().is_ok_and(|number| number.to_string() == text)
        };
        match (scalar, text) {
            (Scalar::Bool, "true" | "false") => self.target.event(Event::Bool(text == "true")),
            (Scalar::Int(_), _) if is_integer() => match text.parse() {
                Ok(number) => self.target.event(Event::Int(number)),
                Err(_) => number::with_big(text, |big| {
                    self.target.event(Event::BigInt(IntKind::Int, big))
                }),
            },
            _ => self.target.event(Event::String(text)),
        }
    }
}

fn fields_of(ty: &Type) -> Option<&Fields> {
    match ty {
        Type::Record(fields) | Type::Struct(_, fields) => Some(fields),
        _ => None,
    }
}

/// The type of a field; often it has the place that it has in the data.
fn field(of: &Fields, name: &str, place: usize) -> Option<TypeId> {
    let here = of.fields.get(place).filter(|(known, _)| **known == *name);
    let found = here.or_else(|| of.fields.iter().find(|(known, _)| **known == *name));
    found.map(|(_, id)| *id)
}

impl Sink for SpelledSink<'_> {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        if let Some(union) = self.single.take() {
            if let Event::String(name) = event {
                return self.variant(union, name);
            }
            self.open(Event::Map(1), Frame::Any)?;
        }
        match event {
            Event::End => {
                self.stack.pop();
                return self.target.event(event);
            }
            // What these say is of the value that follows.
            Event::Identity(_) | Event::Choice(_) => return self.target.event(event),
            _ => {}
        }
        if self.name(event) {
            return match event.is_begin() {
                true => self.open(event, Frame::Any),
                false => self.target.event(event),
            };
        }
        let (id, is_key) = self.next()?;
        match event {
            Event::List(_) | Event::Array(_) | Event::Tuple(_) => {
                let frame = self.items(id);
                self.open(event, frame)
            }
            Event::Record(shape) | Event::Struct(_, shape) => self.record(event, shape, id),
            Event::Map(len) => self.map(event, len, id),
            Event::Variant(name) => match self.union(id) {
                Some(union) => self.variant(union, name),
                None => self.open(event, Frame::Any),
            },
            Event::Logical(_) | Event::Extension(_) => {
                let frame = match id.and_then(|id| self.seen_through(id)) {
                    None => Frame::Any,
                    Some(id) => match &self.schema.types()[id] {
                        Type::Logical(_, inner) | Type::Extension(_, inner) => Frame::Items(*inner),
                        _ => Frame::Items(id),
                    },
                };
                self.open(event, frame)
            }
            _ => {
                let id = id.and_then(|id| self.seen_through(id));
                self.scalar(event, id, is_key)
            }
        }
    }

    fn refers(&self, row: RowId) -> bool {
        self.target.refers(row)
    }
}
