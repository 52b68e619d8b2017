//! Values between serde and other formats, without a message between: for the crate `holdall-convert`.

use alloc::sync::Arc;
use std::collections::HashSet;

use serde::de::DeserializeOwned;
use serde::ser::Serialize;

use super::events::{EventTarget, Recorder};
use super::out::Out;
use super::read;
use super::serializer::ValuePlace;
use crate::decoder::Decoder;
use crate::dynamic::{Entry, Event, OtherTypes, Shredder, Sink, Source, Tape};
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::memory::{self, GrowSet};
use crate::schema::Shape;
use crate::value::Value;

/// What a format has for types of serde that are not the same everywhere. The default is what a message has.
#[derive(Clone, Copy, Default)]
pub struct SerdeForms {
    /// Whether types that ask are text for people, such as addresses.
    pub is_human_readable: bool,
    /// Whether a struct without names of fields is a tuple, and not a struct with numbers as names.
    pub has_tuple_structs: bool,
    /// The error for an empty text in a `Some`, where the format would read it as `None`.
    pub empty_some: Option<fn() -> Error>,
}

/// The events of a value with serde's derives.
pub struct RecordedValue(Recorder);

impl RecordedValue {
    /// Records a value for a format with these forms.
    ///
    /// # Errors
    /// As [`to_value`](super::to_value), and that for an empty text.
    pub fn of<T: Serialize + ?Sized>(value: &T, forms: SerdeForms) -> Result<RecordedValue> {
        memory::guarded(|| {
            let mut out = Out::default();
            out.forms = forms;
            ValuePlace::root(&mut out).emit(value).map_err(Error::rooted)?;
            out.into_recorder().map(RecordedValue)
        })
    }

    /// Whether there is no [`Value`] inside, which may have shared values and shapes of its own.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        !self.0.has_values()
    }

    /// Whether there may be variants or chars inside.
    #[must_use]
    pub fn has_forms(&self) -> bool {
        !self.is_plain() || self.0.has_forms()
    }

    /// Emits the value.
    ///
    /// # Errors
    /// `duplicate_key`; those of the target, with the path of the value that it does not take.
    pub fn emit(&mut self, to: &mut impl EventTarget) -> Result<()> {
        self.0.replay(&mut KeysChecked(to)).map_err(Error::rooted)
    }
}

impl Source for RecordedValue {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        // It checks keys itself.
        self.0.replay(shredder).map_err(Error::rooted)
    }
}

/// Passes events on, after a check that the keys of mappings differ.
struct KeysChecked<'t, T>(&'t mut T);

impl<T: EventTarget> Sink for KeysChecked<'_, T> {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        self.0.event(event)
    }
}

impl<T: EventTarget> EventTarget for KeysChecked<'_, T> {
    fn mapping(&mut self, keys: &[&str]) -> Result<bool> {
        count_distinct(keys.iter().copied())?;
        self.0.mapping(keys)
    }

    fn char(&mut self, value: char) -> Result<()> {
        self.0.char(value)
    }

    fn unit_variant(&mut self, name: &Arc<str>) -> Result<()> {
        self.0.unit_variant(name)
    }

    fn unit_struct(&mut self, name: &Arc<str>, shape: &Shape) -> Result<()> {
        self.0.unit_struct(name, shape)
    }

    fn begin_some(&mut self) -> Result<bool> {
        self.0.begin_some()
    }

    fn value(&mut self, value: &Value) -> Result<()> {
        self.0.value(value)
    }
}

/// Takes the events of another format, from which a type of serde is then read. Lists and maps need not say their lengths, and the keys of a
/// map differ.
pub struct EventReader<'i> {
    tape: Tape<'i>,
    /// By [`place_of`] of the first key.
    known: [KnownKeys; PLACES],
}

/// The keys of the last mapping with such a first key.
#[derive(Clone, Copy, Default)]
enum KnownKeys {
    #[default]
    None,
    /// Those of a mapping at this position.
    Of(usize),
    /// Those of a shape. Keys become one when they are repeated: data are often keys, which are not.
    Shape(usize),
}

const PLACES: usize = 16;

fn place_of(first_key: &str) -> usize {
    let bytes = first_key.as_bytes();
    let ends = bytes.first().zip(bytes.last()).map_or(0, |(first, last)| first ^ (last << 1));
    (usize::from(ends) ^ bytes.len()) % PLACES
}

/// The keys of a mapping that are compared pair by pair; more are hashed.
const FEW_KEYS: usize = 16;

impl<'i> EventReader<'i> {
    /// One for this input, in which most strings are.
    #[must_use]
    pub fn new(input: &'i [u8]) -> EventReader<'i> {
        let tape = Tape::of(input, Limits::new().budget_for(input.len()).left());
        EventReader { tape, known: Default::default() }
    }

    /// Says that the format is text for people, where fractions are decimals, read as the nearest float of any type, the keys of maps are
    /// text, read as numbers and booleans, too, and types that ask are read from their text.
    pub fn of_text(&mut self) {
        self.tape.other_types = OtherTypes::Text;
    }

    /// Says that bytes, 16 of them and the highest first, are read as integers of 128 bits, too.
    pub fn of_wide_bytes(&mut self) {
        self.tape.other_types = OtherTypes::WideBytes;
    }

    /// Says that a newtype may be a tuple of one.
    pub fn of_newtypes(&mut self) {
        self.tape.other_types = OtherTypes::Newtypes;
    }

    /// Begins a mapping with these keys. Each also comes before its value ([`EventReader::key`]).
    ///
    /// # Errors
    /// `duplicate_key`.
    pub fn mapping<'k>(&mut self, keys: impl Iterator<Item = &'k str> + Clone) -> Result<()> {
        let Some(first) = keys.clone().next() else { return self.tape.begin_mapping(0) };
        let place = place_of(first);
        match self.known[place] {
            KnownKeys::Shape(shape) => {
                let known = self.tape.shape(shape).keys().iter().map(|key| &**key);
                if known.eq(keys.clone()) {
                    return self.tape.begin_row_of(shape);
                }
            }
            KnownKeys::Of(at) if has_keys(&self.tape, at, keys.clone()) => {
                let shape = self.tape.push_shape(None, keys.map(Arc::from).collect());
                self.known[place] = KnownKeys::Shape(shape);
                return self.tape.begin_row_of(shape);
            }
            _ => {}
        }
        self.tape.begin_mapping(count_distinct(keys)?)
    }

    /// Takes the key of the next value of a mapping.
    ///
    /// # Errors
    /// As [`Sink::event`].
    pub fn key<'k>(&mut self, key: impl FnOnce() -> &'k str) -> Result<()> {
        match self.tape.innermost() {
            Some((_, Entry::Map { .. })) => self.tape.event(Event::String(key())),
            // Its shape has the keys.
            _ => Ok(()),
        }
    }

    /// Takes a value whole.
    ///
    /// # Errors
    /// As [`from_value`](super::from_value).
    pub fn value(&mut self, value: &Value) -> Result<()> {
        crate::value::emit(value, &mut self.tape)
    }

    /// Takes a message, which is the input.
    ///
    /// # Errors
    /// As [`Decoder::message`].
    pub fn message(&mut self, message: &'i [u8]) -> Result<()> {
        Decoder::new().message(message, &mut self.tape)
    }

    /// Reads a type.
    ///
    /// # Errors
    /// As [`from_slice`](super::from_slice), without faults of bytes.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T> {
        read(&self.tape)
    }
}

impl Sink for EventReader<'_> {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::End => self.end(),
            event => self.tape.event(event),
        }
    }
}

impl EventReader<'_> {
    /// Ends a container. Only now its parts can be counted.
    fn end(&mut self) -> Result<()> {
        let tape = &mut self.tape;
        let count = match tape.innermost() {
            Some((at, Entry::Items { .. })) => parts(tape, at).count(),
            Some((at, Entry::Map { is_mapping: false, .. })) => parts(tape, at).count() / 2,
            Some((at, Entry::Map { len: 1.., .. })) => {
                tape.event(Event::End)?;
                let first = tape.string_at(at + 1).unwrap_or_default();
                self.known[place_of(first)] = KnownKeys::Of(at);
                return Ok(());
            }
            _ => return tape.event(Event::End),
        };
        tape.end_with(count)
    }
}

/// The keys of a mapping that is on the tape.
pub(super) fn keys_of<'t>(
    tape: &'t Tape<'_>,
    mapping: usize,
) -> impl Iterator<Item = Option<&'t str>> {
    let end = tape.end_of(mapping);
    let mut at = mapping + 1;
    core::iter::from_fn(move || {
        let key = at;
        (key < end).then(|| {
            at = tape.behind(key + 1);
            tape.string_at(key)
        })
    })
}

fn has_keys<'k>(tape: &Tape<'_>, mapping: usize, mut keys: impl Iterator<Item = &'k str>) -> bool {
    let mut known = keys_of(tape, mapping);
    keys.all(|key| known.next() == Some(Some(key))) && known.next().is_none()
}

/// Counts keys that differ.
pub(super) fn count_distinct<'k>(keys: impl Iterator<Item = &'k str> + Clone) -> Result<usize> {
    let duplicate = || Err(Error::new(Code::DuplicateKey).expected("each key once"));
    let (mut few, mut count) = ([""; FEW_KEYS], 0);
    for key in keys.clone() {
        if count == FEW_KEYS {
            let mut seen = HashSet::new();
            let total = keys.clone().count();
            return if keys.clone().all(|key| seen.put(key)) { Ok(total) } else { duplicate() };
        }
        if few[..count].contains(&key) {
            return duplicate();
        }
        few[count] = key;
        count += 1;
    }
    Ok(count)
}

/// The positions of what is in an open container.
fn parts(tape: &Tape<'_>, container: usize) -> impl Iterator<Item = usize> {
    let end = tape.entries.len();
    let mut at = container + 1;
    core::iter::from_fn(move || {
        let part = at;
        (part < end).then(|| {
            at = tape.behind(part);
            part
        })
    })
}
