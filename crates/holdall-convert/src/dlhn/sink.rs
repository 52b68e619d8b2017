//! Events to DLHN's body.

use std::sync::Arc;

use dashu_int::IBig;
use holdall::bindings::memory::GrowVec;
use holdall::bindings::shorten_big;
use holdall::events::{Event, Sink};
use holdall::{Error, IntKind, LogicalType, Result};

use super::header::{Head, Header, Id};
use super::varint;
use crate::calendar;
use crate::nesting::{beyond, protocol};
use crate::refuse::{self, refuse};

const NANOS: i128 = 1_000_000_000;
/// The years that a date can have are about these, in days; beyond, nothing is calculated.
const MOST_DAYS: i64 = 700_000_000_000;

/// A [`Sink`] that writes the body of a header.
#[derive(Debug)]
pub(super) struct DlhnSink {
    header: Header,
    out: Vec<u8>,
    frames: Vec<OpenContainer>,
    /// The type of the next value: the root's before it.
    next: Option<Id>,
    /// A logical value of which all parts must be known.
    parts: Option<Parts>,
    limit: usize,
    /// How many more values may begin without a byte: copies of a few nested ones can be very many.
    left: usize,
}

/// An open container.
#[derive(Debug)]
enum OpenContainer {
    /// Its end is no value's end: a logical value or extension in its stored form, a packed value.
    Passing,
    Array(Id),
    /// The items that are left, the next one last.
    Tuple(Vec<Id>),
    /// Whether a value follows.
    Map(Id, bool),
    /// A map whose keys are those of a record, and how many are written.
    Record(Id, Arc<[Arc<str>]>, usize),
    Variant,
    /// A variant that is written as its name.
    Name,
}

/// The numbers of a date, time or decimal.
#[derive(Debug)]
struct Parts {
    ty: Arc<LogicalType>,
    head: Head,
    numbers: Vec<IBig>,
    depth: usize,
}

impl DlhnSink {
    /// Creates a sink for a value of this type; it begins with the header.
    pub(super) fn new(header: Header, limit: usize) -> DlhnSink {
        let mut out = Vec::new();
        header.write(&mut out);
        let next = Some(header.root());
        DlhnSink { header, out, frames: Vec::new(), next, parts: None, limit, left: limit }
    }

    pub(super) fn take(self) -> Result<Vec<u8>> {
        match self.frames.is_empty() && self.next.is_none() {
            true => Ok(self.out),
            false => Err(protocol("one complete value", "less")),
        }
    }

    /// The type of the next value.
    fn ty(&mut self) -> Result<Id> {
        let due = match self.frames.last_mut() {
            None => self.next.take(),
            // Of the value around it.
            Some(OpenContainer::Passing | OpenContainer::Variant) => self.next.take(),
            Some(OpenContainer::Name) => None,
            Some(OpenContainer::Array(item)) => self.next.take().or(Some(*item)),
            Some(OpenContainer::Tuple(items)) => self.next.take().or_else(|| items.pop()),
            Some(OpenContainer::Map(item, is_value)) => {
                let own = *item;
                self.next.take().or_else(|| std::mem::replace(is_value, false).then_some(own))
            }
            Some(OpenContainer::Record(item, keys, written)) => self.next.take().or_else(|| {
                let key = keys.get(*written)?;
                *written += 1;
                sized(&mut self.out, key.as_bytes());
                Some(*item)
            }),
        };
        due.ok_or_else(|| protocol("the end of a container", "more"))
    }

    /// The type of the next value that is not null. It begins with a mark in each option around it.
    fn present(&mut self) -> Result<Id> {
        if self.out.len() > self.limit {
            return Err(beyond(self.limit));
        }
        let mut id = self.ty()?;
        while let Head::Optional(inner) = self.header.head(id) {
            self.out.put(1);
            id = *inner;
        }
        Ok(id)
    }

    /// The next value is present in its option, even if it is null.
    fn choose(&mut self) -> Result<()> {
        let id = self.ty()?;
        self.next = Some(match self.header.head(id) {
            Head::Optional(inner) => {
                let inner = *inner;
                self.out.put(1);
                inner
            }
            _ => id,
        });
        Ok(())
    }

    fn null(&mut self) -> Result<()> {
        if let Some(OpenContainer::Name) = self.frames.last() {
            return Ok(());
        }
        if self.out.len() > self.limit {
            return Err(beyond(self.limit));
        }
        let id = self.ty()?;
        match self.header.head(id) {
            Head::Optional(_) => self.out.put(0),
            Head::Unit => {}
            _ => return Err(misfit()),
        }
        Ok(())
    }

    /// A map's key, or any other string.
    fn string(&mut self, value: &str) -> Result<()> {
        if let (Some(OpenContainer::Map(_, is_value)), None) = (self.frames.last_mut(), self.next)
            && !*is_value
        {
            *is_value = true;
        } else {
            self.present()?;
        }
        self.sized(value.as_bytes());
        Ok(())
    }

    fn sized(&mut self, bytes: &[u8]) {
        sized(&mut self.out, bytes);
    }

    fn fixed_int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        if let Some(parts) = &mut self.parts {
            let number =
                if kind.is_signed() { IBig::from(bits.cast_signed()) } else { IBig::from(bits) };
            parts.numbers.put(number);
            return Ok(());
        }
        let id = self.present()?;
        match self.header.head(id) {
            Head::Int(IntKind::U8 | IntKind::I8) => self.out.put(bits as u8),
            Head::Int(own) => {
                let width = own.width().map_or(64, |bytes| 8 * bytes as u32);
                let value = if own.is_signed() { varint::zigzag(bits.cast_signed()) } else { bits };
                varint::write(&mut self.out, width, value);
            }
            Head::BigUint => {
                let bytes = bits.to_le_bytes();
                let len = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                self.sized(&bytes[..len]);
            }
            Head::BigInt => self.signed(&bits.to_le_bytes()),
            _ => return Err(misfit()),
        }
        Ok(())
    }

    fn big_int(&mut self, twos_complement: &[u8]) -> Result<()> {
        if let Some(parts) = &mut self.parts {
            parts.numbers.put(IBig::from_le_bytes(twos_complement));
            return Ok(());
        }
        let id = self.present()?;
        match self.header.head(id) {
            Head::BigUint => {
                let is_sign = twos_complement.last() == Some(&0);
                let len = twos_complement.len() - usize::from(is_sign);
                self.sized(&twos_complement[..len]);
            }
            _ => self.signed(twos_complement),
        }
        Ok(())
    }

    /// An integer in the fewest bytes; 0 has none.
    fn signed(&mut self, twos_complement: &[u8]) {
        match shorten_big(twos_complement) {
            [] | [0] => self.sized(&[]),
            short => self.sized(short),
        }
    }

    fn logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        let id = self.present()?;
        match self.header.head(id) {
            head @ (Head::Date | Head::DateTime | Head::Decimal) => {
                let (ty, head) = (Arc::clone(ty), head.clone());
                self.parts = Some(Parts { ty, head, numbers: Vec::new(), depth: 1 });
            }
            // In its stored form, which has the same type here.
            _ => {
                return self.pass(id);
            }
        }
        Ok(())
    }

    /// Leaves the beginning of a value out: what it holds has the same type here.
    fn pass(&mut self, id: Id) -> Result<()> {
        self.left = self.left.checked_sub(1).ok_or_else(|| beyond(self.limit))?;
        self.next = Some(id);
        self.frames.put(OpenContainer::Passing);
        Ok(())
    }

    /// Writes a value of several parts.
    fn whole(&mut self, parts: &Parts) -> Result<()> {
        let number = |at: usize| parts.numbers.get(at).ok_or_else(misfit);
        match parts.head {
            Head::Date => {
                let days = number(0)?;
                let lacks = || {
                    refuse("a date of a year that has 32 bits", format!("{days} days since 1970"))
                };
                let short = i64::try_from(days).ok().filter(|days| days.abs() < MOST_DAYS);
                let (year, day) = calendar::of_days(short.ok_or_else(lacks)?);
                let year = i32::try_from(year - 2000).map_err(|_| lacks())?;
                varint::write(&mut self.out, 32, varint::zigzag(year.into()));
                varint::write(&mut self.out, 16, day as u64);
            }
            Head::DateTime => {
                let unit = parts.ty.parameters().first().copied().unwrap_or_default();
                let per_second = 1000_i128.pow(u32::from(unit));
                let units = number(0)?;
                let lacks =
                    || refuse("a time whose seconds have 64 bits", format!("{units} units"));
                let all = i128::try_from(units).map_err(|_| lacks())?;
                let seconds = i64::try_from(all.div_euclid(per_second)).map_err(|_| lacks())?;
                let nanos = all.rem_euclid(per_second) * (NANOS / per_second);
                varint::write(&mut self.out, 64, varint::zigzag(seconds));
                varint::write(&mut self.out, 32, nanos as u64);
            }
            _ => {
                let (form, coefficient, exponent) = (number(0)?, number(1)?, number(2)?);
                let is_negative = *form == IBig::ONE;
                if (*form != IBig::ZERO && !is_negative)
                    || (is_negative && *coefficient == IBig::ZERO)
                {
                    let got =
                        if *form > IBig::ONE { "an infinity or NaN" } else { "a negative zero" };
                    return Err(refuse("a finite decimal, and no negative zero", got));
                }
                let lacks = || {
                    refuse("a decimal whose scale has 64 bits", format!("the exponent {exponent}"))
                };
                let scale = i64::try_from(&-exponent.clone()).map_err(|_| lacks())?;
                let signed = if is_negative { -coefficient.clone() } else { coefficient.clone() };
                if signed == IBig::ZERO && scale == 0 {
                    self.sized(&[]);
                } else {
                    self.sized(shorten_big(&padded(&signed)));
                    varint::write(&mut self.out, 64, varint::zigzag(scale));
                }
            }
        }
        Ok(())
    }

    fn open(&mut self, event: &Event<'_>) -> Result<()> {
        if let Some(parts) = &mut self.parts {
            parts.depth += 1;
            return Ok(());
        }
        let id = self.present()?;
        let frame = match (self.header.head(id), event) {
            (Head::Array(item), Event::List(len) | Event::Array(len) | Event::Tuple(len)) => {
                let item = *item;
                varint::write(&mut self.out, 64, *len as u64);
                OpenContainer::Array(item)
            }
            (Head::Map(item), Event::Map(len)) => {
                let item = *item;
                varint::write(&mut self.out, 64, *len as u64);
                OpenContainer::Map(item, false)
            }
            (Head::Map(item), Event::Record(shape)) => {
                let (item, keys) = (*item, Arc::clone(shape.keys()));
                varint::write(&mut self.out, 64, keys.len() as u64);
                OpenContainer::Record(item, keys, 0)
            }
            (Head::Tuple(items), _) => OpenContainer::Tuple(items.iter().rev().copied().collect()),
            _ => return Err(misfit()),
        };
        self.frames.put(frame);
        Ok(())
    }

    fn variant(&mut self, name: &str) -> Result<()> {
        let id = self.present()?;
        if *self.header.head(id) == Head::String {
            self.sized(name.as_bytes());
            self.frames.put(OpenContainer::Name);
            return Ok(());
        }
        let (Some(number), Head::Enum(variants)) =
            (self.header.variant(id, name), self.header.head(id))
        else {
            return Err(misfit());
        };
        self.next = Some(variants[number]);
        varint::write(&mut self.out, 32, number as u64);
        self.frames.put(OpenContainer::Variant);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if let Some(mut parts) = self.parts.take() {
            parts.depth -= 1;
            if parts.depth == 0 {
                return self.whole(&parts);
            }
            self.parts = Some(parts);
            return Ok(());
        }
        match self.frames.pop() {
            Some(_) if self.next.is_none() => Ok(()),
            _ => Err(protocol("the contents of a container", "its end")),
        }
    }
}

/// Bytes after their number.
fn sized(out: &mut Vec<u8>, bytes: &[u8]) {
    varint::write(out, 64, bytes.len() as u64);
    out.put_slice(bytes);
}

/// An integer in two's complement, with a sign: that of 0 has a byte, too.
fn padded(value: &IBig) -> Vec<u8> {
    let mut bytes = value.to_le_bytes().into_vec();
    if bytes.is_empty() {
        bytes.put(0);
    }
    bytes
}

#[cold]
fn misfit() -> Error {
    protocol("a value of its type", "another")
}

impl Sink for DlhnSink {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::Null => self.null(),
            Event::Bool(value) => {
                self.present()?;
                self.out.put(u8::from(value));
                Ok(())
            }
            Event::Int(value) => self.fixed_int(IntKind::I64, value.cast_unsigned()),
            Event::FixedInt(kind, bits) => self.fixed_int(kind, bits),
            Event::BigInt(_, big) => self.big_int(big),
            Event::F16(value) => self.float(&f32::from(value).to_le_bytes()),
            Event::Bf16(value) => self.float(&f32::from(value).to_le_bytes()),
            Event::F32(value) => self.float(&value.to_le_bytes()),
            Event::F64(value) => self.float(&value.to_le_bytes()),
            Event::String(value) => self.string(value),
            Event::Bytes(value) | Event::Fixed(value) => {
                self.present()?;
                self.sized(value);
                Ok(())
            }
            Event::List(_) | Event::Array(_) | Event::Tuple(_) | Event::Map(_) => self.open(&event),
            Event::Record(_) | Event::Struct(..) => self.open(&event),
            Event::Variant(name) => self.variant(name),
            Event::Logical(ty) => self.logical(ty),
            Event::Extension(_) => {
                let id = self.present()?;
                self.pass(id)
            }
            Event::Choice(_) => self.choose(),
            Event::End => self.end(),
            Event::Identity(_) => Ok(()),
            other => Err(refuse::event(other)),
        }
    }
}

impl DlhnSink {
    fn float(&mut self, bytes: &[u8]) -> Result<()> {
        self.present()?;
        self.out.put_slice(bytes);
        Ok(())
    }
}
