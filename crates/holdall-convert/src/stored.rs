//! Writes logical values, extensions and variants in their stored form, and in formats of text dates, times, UUIDs and addresses
//! as text.

use std::mem::{replace, take};
use std::net::IpAddr;
use std::sync::Arc;

use holdall::bindings::memory::GrowVec;
use holdall::bindings::shorten_big;
use holdall::events::{Event, RowId, Sink};
use holdall::{IntKind, LogicalType, Result};

use crate::addresses::{AddressForm, ip};
use crate::coding::Target;
use crate::nesting::beyond;
use crate::number;
use crate::refuse::refuse;
use crate::times::TimeForm;

/// The next part of a value that is text here.
#[derive(Clone, Copy)]
enum Part {
    None,
    Number(TimeForm),
    /// The tuple of a number and an offset.
    Pair(TimeForm),
    /// The number in it.
    First(TimeForm),
    /// The offset, after this number.
    Last(TimeForm, i128),
    /// Bytes, or the tuple of a network.
    Address(AddressForm),
    /// The address in it.
    Base,
    /// The length of the prefix, after this address.
    Prefix(IpAddr),
}

/// Passes events on to a target. A variant without a payload becomes its name, one with a payload a map with one entry, as serde's
/// formats have them.
pub(crate) struct Stored<'t, T> {
    target: &'t mut T,
    /// Whether of logical values and extensions that the target lacks only the events of their contents are passed.
    storage: bool,
    /// Whether chars become text.
    like_serde: bool,
    /// Whether variants without a payload come by [`Target::unit_variant`]. A message shows both as those of null.
    shows_units: bool,
    /// For each open container, whether its beginning was skipped.
    left_out: Vec<bool>,
    /// A variant whose payload comes next.
    variant: Option<Arc<str>>,
    /// Whether the number of a char comes next.
    is_char: bool,
    /// Whether what stores a date, time or address comes next, which is text here.
    part: Part,
    /// How many more may be skipped. They write nothing, and copies of a few nested ones can be very many.
    left: usize,
    limit: usize,
}

impl<'t, T: Target> Stored<'t, T> {
    /// Skips at most `limit` beginnings.
    pub(crate) fn new(target: &'t mut T, storage: bool, like_serde: bool, limit: usize) -> Self {
        let (left_out, variant, is_char) = (Vec::new(), None, false);
        let shows_units = false;
        Stored {
            target,
            storage,
            like_serde,
            shows_units,
            left_out,
            variant,
            is_char,
            part: Part::None,
            left: limit,
            limit,
        }
    }

    pub(crate) fn shows_units(self, shows_units: bool) -> Self {
        Stored { shows_units, ..self }
    }

    fn leave_out(&mut self) -> Result<()> {
        self.left = self.left.checked_sub(1).ok_or_else(|| beyond(self.limit))?;
        Ok(())
    }

    /// The part that comes first of a value that is text here.
    fn first_part(&self, ty: &LogicalType) -> Part {
        if !self.target.is_text() {
            return Part::None;
        }
        match (TimeForm::of(ty), AddressForm::of(ty)) {
            (Some(form @ TimeForm::Offset(_)), _) => Part::Pair(form),
            (Some(form), _) => Part::Number(form),
            (None, Some(form)) => Part::Address(form),
            (None, None) => Part::None,
        }
    }

    /// Takes the next event of a date, time or address: its text when it is complete, or else what stores it. So a target that has
    /// no tuples refuses one at its offset.
    fn part(&mut self, part: Part, event: Event<'_>) -> Result<()> {
        match (part, number_of(&event)) {
            (Part::Number(form), Some(number)) => match form.text(number, 0) {
                Some(text) => self.target.event(Event::String(&text)),
                None => self.target.event(event),
            },
            (Part::Pair(form), _) if matches!(event, Event::Tuple(_)) => {
                self.begin_text(Part::First(form))
            }
            (Part::First(form), Some(number)) => {
                self.part = Part::Last(form, number);
                Ok(())
            }
            (Part::Last(form, number), offset) => {
                let offset = offset.and_then(|offset| i64::try_from(offset).ok());
                if let Some(text) = offset.and_then(|offset| form.text(number, offset)) {
                    return self.target.event(Event::String(&text));
                }
                self.begin_pair()?;
                let big = number.to_le_bytes();
                self.target.event(match i64::try_from(number) {
                    Ok(number) => Event::Int(number),
                    Err(_) => Event::BigInt(IntKind::Int, shorten_big(&big)),
                })?;
                self.event(event)
            }
            (Part::Address(form), _) => match (form.text(&event), form) {
                (Some(text), _) => self.target.event(Event::String(&text)),
                (None, AddressForm::Network) if matches!(event, Event::Tuple(_)) => {
                    self.begin_text(Part::Base)
                }
                _ => self.event(event),
            },
            (Part::Base, _) => match ip(&event) {
                Some(base) => {
                    self.part = Part::Prefix(base);
                    Ok(())
                }
                None => {
                    self.begin_pair()?;
                    self.event(event)
                }
            },
            (Part::Prefix(base), Some(length)) => {
                self.target.event(Event::String(&format!("{base}/{length}")))
            }
            (Part::First(_), None) => {
                self.begin_pair()?;
                self.event(event)
            }
            _ => self.event(event),
        }
    }

    /// Leaves out the beginning and the end of a tuple that becomes text.
    fn begin_text(&mut self, part: Part) -> Result<()> {
        self.part = part;
        self.left_out.put(true);
        self.leave_out()
    }

    /// Begins the tuple of a value that has no text. Its end is not left out.
    fn begin_pair(&mut self) -> Result<()> {
        if let Some(is_left_out) = self.left_out.last_mut() {
            *is_left_out = false;
        }
        self.target.event(Event::Tuple(2))
    }

    /// Begins the map of a variant that has a payload.
    fn begin_payload(&mut self) -> Result<()> {
        let Some(variant) = self.variant.take() else { return Ok(()) };
        // Its end is that of the variant.
        if let Some(is_left_out) = self.left_out.last_mut() {
            *is_left_out = false;
        }
        self.target.map_of_names(1)?;
        self.target.event(Event::String(&variant))
    }
}

/// A whole number of any kind, if it is not too large for a time.
fn number_of(event: &Event<'_>) -> Option<i128> {
    match event {
        Event::Int(value) => Some((*value).into()),
        Event::FixedInt(kind, bits) if kind.is_signed() => Some(bits.cast_signed().into()),
        Event::FixedInt(_, bits) => Some((*bits).into()),
        Event::BigInt(_, big) => number::small(big),
        _ => None,
    }
}

impl<T: Target> Sink for Stored<'_, T> {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match replace(&mut self.part, Part::None) {
            Part::None => {}
            part => return self.part(part, event),
        }
        if matches!(event, Event::Null)
            && !self.shows_units
            && let Some(variant) = self.variant.take()
        {
            return self.target.event(Event::String(&variant));
        }
        self.begin_payload()?;
        if take(&mut self.is_char)
            && let Event::FixedInt(_, number) = event
            && let Some(char) = u32::try_from(number).ok().and_then(char::from_u32)
        {
            return self.target.event(Event::String(char.encode_utf8(&mut [0; 4])));
        }
        let is_left_out = match event {
            Event::Variant(name) => {
                self.variant = Some(Arc::clone(name));
                true
            }
            Event::Logical(ty) if self.like_serde && ty.kind() == LogicalType::CHAR => {
                self.is_char = true;
                true
            }
            Event::Logical(ty) => {
                let is_stored = self.storage && !self.target.holds(ty);
                if is_stored && ty.kind() == LogicalType::WTF8_STRING && self.target.is_text() {
                    return Err(refuse("text that UTF-8 can hold", "text with lone surrogates"));
                }
                if is_stored {
                    self.part = self.first_part(ty);
                }
                is_stored
            }
            Event::Extension(name) => self.storage && !self.target.holds_extension(name),
            Event::List(_) | Event::Tuple(_) | Event::Array(_) | Event::Map(_) => false,
            Event::Record(_) | Event::Struct(..) => false,
            Event::End if self.left_out.pop() == Some(true) => return Ok(()),
            _ => return self.target.event(event),
        };
        self.left_out.put(is_left_out);
        if is_left_out { self.leave_out() } else { self.target.event(event) }
    }

    fn refers(&self, row: RowId) -> bool {
        self.target.refers(row)
    }

    fn ints(&mut self, values: &[u64]) -> Result<()> {
        self.target.ints(values)
    }
}

impl<T: Target> Target for Stored<'_, T> {
    fn map_of_names(&mut self, len: usize) -> Result<()> {
        self.begin_payload()?;
        self.left_out.put(false);
        self.target.map_of_names(len)
    }

    fn unit_struct(&mut self) -> Result<()> {
        self.begin_payload()?;
        self.target.unit_struct()
    }

    fn unit_variant(&mut self, name: &str) -> Result<()> {
        self.begin_payload()?;
        self.target.unit_variant(name)
    }
}
