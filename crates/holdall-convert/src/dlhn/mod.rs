//! DLHN 0.1 to holdall and back: a header with the type, and a body.
//!
//! | DLHN | holdall | back |
//! |---|---|---|
//! | Unit; Optional; Boolean | null; the value, or null, and a present null is a variant `Some`; bool | the same |
//! | UInt8 to UInt64, Int8 to Int64 | u8 to u64, i8 to i64 | the same |
//! | BigUInt, BigInt | int | BigInt |
//! | Float32, Float64 | f32, f64 | every bit |
//! | BigDecimal | decimal | the same, with its scale |
//! | String; Binary | string; one that is not UTF-8 is refused; bytes | the same |
//! | Array; Map, whose keys are strings | list; map, and a key twice is refused | the same |
//! | Tuple, which structs are too | tuple; with [names](crate::Packer::names) record or struct, or its only item, where the type has no tuple | the same; records are maps |
//! | Enum | named variant, called by its number without [names](crate::Packer::names) | the same, if all variants are in the schema; types of serde and values of Python do not say them, so variants are refused |
//! | Date; DateTime | date; timestamp in nanoseconds, UTC | the same |
//!
//! The crate dlhn has a newtype as a Tuple of its item, and the only field of a variant without one. Both have the same body, and both headers are
//! read. holdall's schemas have no newtypes, so one is written as its item, and the only field of a variant as a Tuple: the header differs from the
//! crate's, and the body does not. Types of serde do not say their options, but values do: one that is absent everywhere is Unit, without a body,
//! and one that is present everywhere its item, without the byte that says so. A program with the crate reads these by another type.
//!
//! A DLHN struct has no names: a reader knows them by its types. Other holdall data can hold more. The following take the
//! nearest form with the same value: f16 and bf16 as Float32, u128 as BigUInt, int and i128 as BigInt, byte strings of fixed
//! length as Binary, arrays as Array, structs and the fields of a variant as Tuple. A record is a Map, whose values have one type: an
//! Optional if some are null. Records with values of several types (unless their [storage](crate::Unpacker::storage) is
//! requested, which is the tuple of their values), structs that may lack fields, maps with other keys, unnamed unions, types that
//! contain themselves, tensors, decimals that are infinite, NaN or a negative zero, other logical values and extensions (unless their
//! storage is requested, which for an extension of variants without payloads, and for such variants of serde, is their names), and shared values (unless [copies](crate::Unpacker::copies) are requested) are rejected with
//! [`Code::Unrepresentable`].
//!
//! [`Code::Unrepresentable`]: holdall::Code::Unrepresentable

mod header;
mod read;
mod sink;
mod varint;

use std::sync::Arc;

use holdall::bindings::Type;
use holdall::bindings::memory::GrowSet;
use holdall::bindings::schema::{Fields, Scalar};
use holdall::events::{Shredder, Source};
use holdall::{Decoder, Encoder, Result, Schema, Shape};

use crate::coding::{Coding, Emitter, Reading};
use crate::{Format, Packer, Unpacker};
use header::{Head, Header, HeaderOptions, Id, bad};
use read::{DlhnReader, Names};

/// Packs a DLHN header and body into a message.
///
/// ```
/// // A tuple of a boolean, a UInt8 and a string.
/// let message = holdall_convert::dlhn::pack(&[21, 3, 2, 3, 18, 1, 123, 4, b't', b'e', b's', b't'])?;
/// assert_eq!(holdall_convert::json::unpack(&message)?, br#"[true,123,"test"]"#);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// [`Code::BadInput`](holdall::Code::BadInput) for bytes that are not DLHN, with the offset, and those of
/// [`Encoder::message`].
pub fn pack(input: &[u8]) -> Result<Vec<u8>> {
    Packer::new(Format::Dlhn).pack(&mut Encoder::new(), input)
}

/// Unpacks a message into a DLHN header and body.
///
/// ```
/// let message = holdall::to_vec(&(true, 123_u8, "test"))?;
/// let bytes = holdall_convert::dlhn::unpack(&message)?;
/// assert_eq!(bytes, [21, 3, 2, 3, 18, 1, 123, 4, b't', b'e', b's', b't']);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`json::unpack`](crate::json::unpack).
pub fn unpack(message: &[u8]) -> Result<Vec<u8>> {
    Unpacker::new(Format::Dlhn).unpack(&mut Decoder::new(), message)
}

/// DLHN data as a [`Source`].
///
/// ```
/// use holdall::{Encode, Encoder, Decode};
/// use holdall_convert::dlhn::DlhnSource;
///
/// #[derive(Debug, PartialEq, Encode, Decode)]
/// struct Test { a: bool, b: u8, c: String }
///
/// let bytes = [21, 3, 2, 3, 18, 1, 123, 4, b't', b'e', b's', b't'];
/// let message = Encoder::new().message(&mut DlhnSource::new(&bytes)?.names(&Test::schema()?))?;
/// let expected = Test { a: true, b: 123, c: "test".to_owned() };
/// assert_eq!(holdall::from_slice::<Test>(&message)?, expected);
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Debug)]
pub struct DlhnSource<'i> {
    input: &'i [u8],
    header: Header,
    /// Where the next body begins.
    body: usize,
    /// Whether other bodies may follow.
    many: bool,
    names: Names,
}

impl<'i> DlhnSource<'i> {
    /// Reads the header of an input, which must be a header and a body.
    ///
    /// # Errors
    /// [`Code::BadInput`](holdall::Code::BadInput), with the offset. Faults of the body are found when the source is driven.
    pub fn new(input: &'i [u8]) -> Result<DlhnSource<'i>> {
        let (header, body) = Header::read(input)?;
        Ok(DlhnSource { input, header, body, many: false, names: Names::default() })
    }

    /// Reads a header that is apart from its bodies, of which there may be any number: each drive of the source reads the next.
    /// Offsets of errors are those in the bodies.
    ///
    /// ```
    /// use holdall::Encoder;
    /// use holdall_convert::dlhn::DlhnSource;
    ///
    /// // Booleans.
    /// let (header, bodies) = ([2], [1, 0]);
    /// let (mut source, mut read) = (DlhnSource::of_bodies(&header, &bodies)?, Vec::new());
    /// while source.has_more() {
    ///     read.push(holdall::from_slice::<bool>(&Encoder::new().message(&mut source)?)?);
    /// }
    /// assert_eq!(read, [true, false]);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Code::BadInput`](holdall::Code::BadInput), with the offset in the header.
    pub fn of_bodies(header: &[u8], bodies: &'i [u8]) -> Result<DlhnSource<'i>> {
        let (own, end) = Header::read(header)?;
        if end < header.len() {
            return Err(bad(end, "the end of the header", format!("{:02X}", header[end])));
        }
        Ok(DlhnSource { input: bodies, header: own, body: 0, many: true, names: Names::default() })
    }

    /// Whether bytes are left for another body.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.body < self.input.len()
    }

    /// Gives tuples and enums the names that structs, records and unions have at the same places of a schema, where the numbers
    /// of their fields or variants are equal.
    #[must_use]
    pub fn names(mut self, schema: &Schema) -> DlhnSource<'i> {
        self.name(self.header.root(), schema, 0);
        self
    }

    // The recursion ends with the nesting of headers.
    fn name(&mut self, id: Id, schema: &Schema, ty: usize) {
        let own = match &schema.types()[ty] {
            Type::Def(number) | Type::Shared(number) => schema.definitions()[*number],
            Type::Packed(inner) | Type::Logical(_, inner) | Type::Extension(_, inner) => *inner,
            _ => {
                return self.name_inside(id, schema, ty);
            }
        };
        // A definition is never only a reference, so this ends.
        self.name(id, schema, own);
    }

    /// Whether a type of the header is a variant of a union without names, by its outermost two levels.
    fn has_form(&self, id: Id, schema: &Schema, ty: usize) -> bool {
        let types = schema.types();
        let is_alike = |id: Id, ty: usize| match (self.header.head(id), &types[ty]) {
            (Head::Array(_) | Head::Tuple(_), Type::List(_)) | (Head::Map(_), Type::Map(..)) => {
                true
            }
            (Head::Unit | Head::Optional(_), Type::Option(_)) => true,
            (Head::Int(_) | Head::BigInt, Type::Option(inner)) => {
                matches!(types[*inner], Type::Scalar(Scalar::Int(_)))
            }
            (Head::String, Type::Option(inner)) => {
                matches!(types[*inner], Type::Scalar(Scalar::String))
            }
            _ => false,
        };
        match (self.header.head(id), &types[ty]) {
            (Head::Tuple(items), Type::Tuple(types)) => {
                items.len() == types.len()
                    && items.iter().zip(types).all(|(item, ty)| is_alike(*item, *ty))
            }
            _ => is_alike(id, ty),
        }
    }

    /// Names the fields of a variant. The crate has no tuple around an only one.
    fn name_payload(&mut self, id: Id, schema: &Schema, ty: usize) {
        match &schema.types()[ty] {
            Type::Record(of) if !matches!(self.header.head(id), Head::Tuple(items) if items.len() == 1) => {
                if let [(name, field)] = &of.fields[..] {
                    let shape = Shape::new(self.names.shapes(), [Arc::clone(name)].into());
                    self.names.only_fields.push((id, shape));
                    return self.name(id, schema, *field);
                }
            }
            _ => {}
        }
        self.name(id, schema, ty);
    }

    /// Whether a tuple of one is its item, since a newtype of the crate is one: a type has the form of the item, and not that of a tuple.
    fn is_newtype(&self, id: Id, item: Id, schema: &Schema, ty: usize) -> bool {
        let is_sequence = || matches!(self.header.head(item), Head::Array(_) | Head::Tuple(_));
        match &schema.types()[ty] {
            // What is inside is compared, or names nothing.
            Type::Option(_) | Type::Null => false,
            Type::Struct(_, of) | Type::Record(of) => of.fields.len() != 1,
            Type::Tuple(types) => types.len() != 1 && is_sequence(),
            Type::List(_) | Type::Array(..) => self.levels(id) > lists(schema, ty),
            Type::Union(of) => of.names.is_some(),
            _ => true,
        }
    }

    /// The levels of lists that a type of the header has outside.
    fn levels(&self, mut id: Id) -> usize {
        let mut levels = 0;
        loop {
            id = match self.header.head(id) {
                Head::Array(inner) => {
                    levels += 1;
                    *inner
                }
                Head::Tuple(items) if items.len() == 1 => {
                    levels += 1;
                    items[0]
                }
                Head::Optional(inner) => *inner,
                _ => return levels,
            };
        }
    }

    fn name_inside(&mut self, id: Id, schema: &Schema, ty: usize) {
        let own = &schema.types()[ty];
        let head = self.header.head(id).clone();
        if let Head::Tuple(items) = &head
            && let [item] = items[..]
            && self.is_newtype(id, item, schema, ty)
        {
            self.names.newtypes.put(id);
            return self.name(item, schema, ty);
        }
        match (&head, own) {
            (Head::Tuple(items), Type::Struct(..) | Type::Record(_)) => {
                let (Type::Struct(_, of) | Type::Record(of)) = own else { return };
                if of.fields.len() != items.len() {
                    return;
                }
                let name =
                    if let Type::Struct(name, _) = own { Some(Arc::clone(name)) } else { None };
                let keys: Vec<Arc<str>> =
                    of.fields.iter().map(|(name, _)| Arc::clone(name)).collect();
                let shape = Shape::new(self.names.shapes(), keys.into());
                self.names.of_tuples.push((id, name, shape));
                for (item, (_, field)) in items.iter().zip(&of.fields) {
                    self.name(*item, schema, *field);
                }
            }
            (Head::Enum(variants), Type::Union(of)) => {
                if let Some(own) = &of.names
                    && own.len() == variants.len()
                {
                    self.names.of_enums.push((id, own.to_vec()));
                    for (variant, payload) in variants.iter().zip(&of.variants) {
                        self.name_payload(*variant, schema, *payload);
                    }
                }
            }
            (Head::Tuple(items), Type::Tuple(types)) => {
                for (item, ty) in items.iter().zip(types) {
                    self.name(*item, schema, *ty);
                }
            }
            (Head::Optional(inner), Type::Option(ty)) => self.name(*inner, schema, *ty),
            (Head::Optional(inner), _) => self.name(*inner, schema, ty),
            (_, Type::Option(inner)) => self.name(id, schema, *inner),
            (Head::Array(item), Type::List(ty) | Type::Array(_, ty)) => {
                self.name(*item, schema, *ty);
            }
            // Data say whether they were a list or a tuple, which a program may read as the other.
            (Head::Tuple(items), Type::List(ty) | Type::Array(_, ty)) => {
                for item in items {
                    self.name(*item, schema, *ty);
                }
            }
            (Head::Array(item), Type::Tuple(types)) => {
                if let Some(ty) = only(schema, types) {
                    self.name(*item, schema, ty);
                }
            }
            (_, Type::Union(of)) if of.names.is_none() => {
                let mut own = of.variants.iter();
                if let Some(ty) = own.find(|ty| self.has_form(id, schema, **ty)) {
                    self.name(id, schema, *ty);
                }
            }
            (Head::Map(item), Type::Map(_, ty)) => self.name(*item, schema, *ty),
            (Head::Map(item), Type::Struct(_, of) | Type::Record(of)) => {
                if let Some(ty) = names_of_values(schema, of) {
                    self.name(*item, schema, ty);
                }
            }
            _ => {}
        }
    }
}

/// The levels of lists that a type has outside.
fn lists(schema: &Schema, mut ty: usize) -> usize {
    let mut levels = 0;
    loop {
        ty = match &schema.types()[ty] {
            Type::List(inner) | Type::Array(_, inner) => {
                levels += 1;
                *inner
            }
            Type::Option(inner) | Type::Packed(inner) | Type::Logical(_, inner) => *inner,
            _ => return levels,
        };
    }
}

/// The type of all items of a tuple, if they have one.
fn only(schema: &Schema, types: &[usize]) -> Option<usize> {
    let (first, others) = types.split_first()?;
    let text = schema.full_text(*first);
    others.iter().all(|ty| schema.full_text(*ty) == text).then_some(*first)
}

/// The type whose names the values of a map have, where its keys are fields: the one of all fields that have names.
fn names_of_values(schema: &Schema, of: &Fields) -> Option<usize> {
    let named = of.fields.iter().map(|(_, ty)| present(schema, *ty));
    let mut named = named.filter(|ty| !matches!(schema.types()[*ty], Type::Null | Type::Scalar(_)));
    let first = named.next()?;
    let text = schema.full_text(first);
    named.all(|ty| schema.full_text(ty) == text).then_some(first)
}

/// A type without the option around it.
fn present(schema: &Schema, ty: usize) -> usize {
    match schema.types()[ty] {
        Type::Option(inner) => inner,
        _ => ty,
    }
}

impl Source for DlhnSource<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        let mut reader = DlhnReader::new(self.input, self.body, &self.header, &self.names);
        let root = reader.header.root();
        reader.value(root, shredder).map_err(|error| shredder.refuse(error))?;
        let end = reader.at;
        if self.many {
            self.body = end;
            return Ok(());
        }
        match self.input.get(end) {
            None => Ok(()),
            Some(byte) => {
                let got = format!("{byte:02X}; one input is one header and one body");
                Err(bad(end, "the end of the input", got))
            }
        }
    }
}

/// DLHN 0.1.
#[derive(Debug)]
pub(crate) struct Dlhn;

impl Coding for Dlhn {
    fn name(&self) -> &str {
        "dlhn"
    }

    fn extensions(&self) -> &[&str] {
        &["dlhn"]
    }

    fn has_extensions(&self) -> bool {
        false
    }

    // Structs are tuples there, of any number of items. In a message, which is between, long tuples are lists.
    fn has_tuple_structs(&self) -> bool {
        false
    }

    fn has_newtypes(&self) -> bool {
        true
    }

    fn read<'i>(&self, input: &'i [u8], reading: &Reading<'_>) -> Result<Box<dyn Source + 'i>> {
        let source = DlhnSource::new(input)?;
        Ok(Box::new(match reading.names {
            Some(schema) => source.names(schema),
            None => source,
        }))
    }

    fn write(&self, value: &mut Emitter<'_>) -> Result<Vec<u8>> {
        let options = HeaderOptions { storage: value.storage, is_of_values: value.is_of_values };
        let header = Header::of(&value.schema()?, options)?;
        let mut sink = sink::DlhnSink::new(header, value.limit());
        value.emit_as_is(&mut sink)?;
        sink.take()
    }
}
