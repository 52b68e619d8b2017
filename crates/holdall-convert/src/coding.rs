//! One interface for all formats: how an input becomes events, and how a value becomes bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::BufRead;
#[cfg(feature = "serde")]
use std::sync::Arc;
use std::sync::{OnceLock, PoisonError, RwLock};

use holdall::bindings::{check_copies, emit_copies};
use holdall::events::{Event, Shredder, Sink, Source};
#[cfg(feature = "serde")]
use holdall::serde::{EventReader, EventTarget, RecordedValue};
use holdall::{Code, Decoder, Error, LogicalType, Result, Schema, Value, ValueBuilder};
#[cfg(feature = "serde")]
use holdall::{Encoder, Shape};

#[cfg(feature = "serde")]
use crate::nesting::protocol;
use crate::stored::Stored;

/// A coding of values as bytes.
///
/// Implement it for a format of your own, and [`register`](crate::Format::register) it under its name.
///
/// ```
/// use holdall::events::Source;
/// use holdall::{Decoder, Encoder, Result, Value, ValueBuilder};
/// use holdall_convert::{Coding, Emitter, Format, Packer, Reading, ValueSource};
///
/// /// A text in capitals.
/// struct Loud;
///
/// impl Coding for Loud {
///     fn name(&self) -> &str {
///         "loud"
///     }
///
///     fn read<'i>(&self, input: &'i [u8], _: &Reading<'_>) -> Result<Box<dyn Source + 'i>> {
///         let text = String::from_utf8_lossy(input).to_lowercase();
///         Ok(Box::new(ValueSource(Value::from(text))))
///     }
///
///     fn write(&self, value: &mut Emitter<'_>) -> Result<Vec<u8>> {
///         let mut builder = ValueBuilder::new();
///         value.emit_as_is(&mut builder)?;
///         Ok(format!("{:?}", builder.finish()?).to_uppercase().into_bytes())
///     }
/// }
///
/// let loud = Format::register(Loud)?;
/// assert_eq!(Format::named("loud"), Some(loud));
/// let message = Packer::new(loud).pack(&mut Encoder::new(), b"HELLO")?;
/// assert_eq!(holdall::from_slice::<Value>(&message)?, Value::from("hello"));
/// # Ok::<(), holdall::Error>(())
/// ```
pub trait Coding: Send + Sync {
    /// The name, by which options and programs choose it.
    fn name(&self) -> &str;

    /// The extensions of files that have it, in lower case.
    fn extensions(&self) -> &[&str] {
        &[]
    }

    /// Whether its data can have [extensions](holdall::value::Extension), which [`Actions::decode`](crate::Actions::decode) gets.
    fn has_extensions(&self) -> bool {
        true
    }

    /// Whether it is text for people, so that types of serde that ask, such as addresses and UUIDs, are written as text and read from it,
    /// as in JSON. Then the keys of maps are read as numbers and booleans, too, and a fraction as the nearest float of any type.
    fn is_human_readable(&self) -> bool {
        false
    }

    /// Whether a struct of serde without names of fields is a tuple, and not a struct with numbers as names.
    #[doc(hidden)]
    fn has_tuple_structs(&self) -> bool {
        true
    }

    /// Whether newtypes of serde are read from tuples of one, too.
    #[doc(hidden)]
    fn has_newtypes(&self) -> bool {
        false
    }

    /// Checks it before it is registered.
    ///
    /// # Errors
    /// [`Code::BadInput`] for one that cannot do what its parts are for.
    #[doc(hidden)]
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Reads an input in memory.
    ///
    /// # Errors
    /// [`Code::BadInput`] with the offset; faults may also be found when the source is driven.
    fn read<'i>(&self, input: &'i [u8], reading: &Reading<'_>) -> Result<Box<dyn Source + 'i>>;

    /// Reads row by row from a reader; none if an input must be in memory.
    fn read_rows<'r>(
        &self,
        _: &'r mut dyn BufRead,
        _: &Reading<'_>,
    ) -> Option<Box<dyn Source + 'r>> {
        None
    }

    /// Emits an input in memory to a reader of serde's types; false if it must become a message first.
    ///
    /// # Errors
    /// As [`Coding::read`], and faults that are found when its source is driven.
    #[cfg(feature = "serde")]
    #[doc(hidden)]
    fn read_events(&self, _: &[u8], _: &mut EventReader<'_>) -> Result<bool> {
        Ok(false)
    }

    /// Writes a value.
    ///
    /// # Errors
    /// [`Code::Unrepresentable`] with the path for what the coding cannot hold.
    fn write(&self, value: &mut Emitter<'_>) -> Result<Vec<u8>>;
}

/// A value as a [`Source`].
#[derive(Clone, Debug)]
pub struct ValueSource(pub Value);

impl Source for ValueSource {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        (&self.0).drive(shredder)
    }
}

/// A source of whatever type.
pub(crate) struct AnySource<'s>(pub(crate) Box<dyn Source + 's>);

impl Source for AnySource<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        self.0.drive(shredder)
    }
}

/// How an input is read.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Reading<'s> {
    /// Whether text becomes numbers, booleans and null where all of a column are ([`Packer::infer`](crate::Packer::infer)).
    pub infer: bool,
    /// The schema of the program, for a coding without names or without types ([`Packer::names`](crate::Packer::names)).
    pub names: Option<&'s Schema>,
}

/// A value to write, and what to do with what the coding lacks.
pub struct Emitter<'m> {
    pub(crate) value: Emitted<'m>,
    pub(crate) decoder: &'m mut Decoder,
    pub(crate) storage: bool,
    pub(crate) like_serde: bool,
    pub(crate) copies: bool,
    /// Whether its schema is that of values, which do not show the variants that they could have had.
    pub(crate) is_of_values: bool,
}

/// Where the value comes from.
pub(crate) enum Emitted<'m> {
    Message(Cow<'m, [u8]>),
    /// A type of serde. It becomes a message where its schema is needed, or what is shared in it.
    #[cfg(feature = "serde")]
    Recorded(&'m mut RecordedValue),
}

impl Emitter<'_> {
    /// The most bytes to write.
    #[must_use]
    pub fn limit(&self) -> usize {
        match &self.value {
            Emitted::Message(message) => self.decoder.output_limit(message),
            // The program's own value.
            #[cfg(feature = "serde")]
            Emitted::Recorded(_) => usize::MAX,
        }
    }

    /// The schema of the value.
    ///
    /// # Errors
    /// As [`Decoder::schema`].
    pub fn schema(&mut self) -> Result<Schema> {
        let (decoder, message) = self.message()?;
        decoder.schema(message)
    }

    /// Makes a message of the value, if it is none.
    pub(crate) fn message(&mut self) -> Result<(&mut Decoder, &[u8])> {
        #[cfg(feature = "serde")]
        if let Emitted::Recorded(recorded) = &mut self.value {
            self.value = Emitted::Message(Encoder::new().message(*recorded)?.into());
        }
        match &self.value {
            Emitted::Message(message) => Ok((&mut *self.decoder, message)),
            #[cfg(feature = "serde")]
            Emitted::Recorded(_) => Err(protocol("a message", "events")),
        }
    }

    /// The error for a value that contains itself, if one does: then copies are no remedy for what is shared.
    #[cold]
    pub(crate) fn cycle(&mut self) -> Option<Error> {
        let (decoder, message) = self.message().ok()?;
        let mut builder = ValueBuilder::new();
        decoder.message(message, &mut builder).ok()?;
        check_copies(&builder.finish().ok()?).err()
    }

    /// Whether logical values and extensions that the coding lacks are written in their stored form.
    #[must_use]
    pub fn is_storage(&self) -> bool {
        self.storage
    }

    /// Emits the value to a sink, in the stored form where the sink lacks a type and that is wanted. The maps of a type of serde whose
    /// keys are strings come by [`Target::map_of_names`].
    ///
    /// # Errors
    /// Those of the sink and of [`Decoder::message`].
    pub fn emit(&mut self, target: &mut impl Target) -> Result<()> {
        let limit = self.limit();
        let (storage, like_serde) = (self.storage, self.like_serde);
        if storage || like_serde && self.may_have_forms() {
            let shows_units = self.is_replayed();
            let target =
                &mut Stored::new(target, storage, like_serde, limit).shows_units(shows_units);
            return self.emit_to(target);
        }
        self.emit_to(target)
    }

    /// Whether a type of serde is emitted as it was recorded, without a message.
    fn is_replayed(&self) -> bool {
        match &self.value {
            Emitted::Message(_) => false,
            #[cfg(feature = "serde")]
            Emitted::Recorded(recorded) => recorded.is_plain(),
        }
    }

    /// Whether the forms of serde's formats are wanted.
    pub(crate) fn is_like_serde(&self) -> bool {
        self.like_serde
    }

    /// Whether there may be values that serde's formats have a form for.
    fn may_have_forms(&self) -> bool {
        match &self.value {
            Emitted::Message(_) => true,
            #[cfg(feature = "serde")]
            Emitted::Recorded(recorded) => recorded.has_forms(),
        }
    }

    fn emit_to(&mut self, target: &mut impl Target) -> Result<()> {
        #[cfg(feature = "serde")]
        if let Emitted::Recorded(recorded) = &mut self.value
            && recorded.is_plain()
        {
            return recorded.emit(&mut ReplayTarget(target));
        }
        self.emit_as_is(target)
    }

    /// Emits the value to a sink that decides itself what to do with logical values and extensions.
    ///
    /// # Errors
    /// Those of the sink and of [`Decoder::message`].
    pub fn emit_as_is(&mut self, sink: &mut impl Sink) -> Result<()> {
        let copies = self.copies;
        let (decoder, message) = self.message()?;
        if !copies {
            return decoder.message(message, sink);
        }
        let mut builder = ValueBuilder::new();
        decoder.message(message, &mut builder)?;
        emit_copies(&builder.finish()?, sink)
    }
}

/// A sink of a format that may have logical values and extensions of its own.
pub trait Target: Sink {
    /// Whether the format has its own type for these logical values.
    fn holds(&self, _ty: &LogicalType) -> bool {
        false
    }

    /// Whether this extension represents a value that the format has.
    fn holds_extension(&self, _name: &str) -> bool {
        false
    }

    /// Whether the format is text, so that what stores a date or time is its text in ISO 8601, if it has one, and not a number.
    fn is_text(&self) -> bool {
        false
    }

    /// Begins a map of this many entries whose keys are text and differ, as the caller ensures. They follow as those of
    /// [`Event::Map`](holdall::events::Event::Map).
    ///
    /// # Errors
    /// As [`Sink::event`].
    fn map_of_names(&mut self, len: usize) -> Result<()> {
        self.event(Event::Map(len))
    }

    /// Writes a unit struct of serde.
    ///
    /// # Errors
    /// As [`Sink::event`].
    #[doc(hidden)]
    fn unit_struct(&mut self) -> Result<()> {
        self.event(Event::Null)
    }

    /// Writes a variant of serde without a payload.
    ///
    /// # Errors
    /// As [`Sink::event`].
    #[doc(hidden)]
    fn unit_variant(&mut self, name: &str) -> Result<()> {
        self.event(Event::String(name))
    }
}

/// Takes what was recorded of a type of serde for a target.
#[cfg(feature = "serde")]
struct ReplayTarget<'t, T>(&'t mut T);

#[cfg(feature = "serde")]
impl<T: Target> Sink for ReplayTarget<'_, T> {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        self.0.event(event)
    }
}

#[cfg(feature = "serde")]
impl<T: Target> EventTarget for ReplayTarget<'_, T> {
    fn mapping(&mut self, keys: &[&str]) -> Result<bool> {
        self.0.map_of_names(keys.len())?;
        Ok(true)
    }

    fn unit_variant(&mut self, name: &Arc<str>) -> Result<()> {
        self.0.unit_variant(name)
    }

    fn unit_struct(&mut self, _: &Arc<str>, _: &Shape) -> Result<()> {
        self.0.unit_struct()
    }

    // As the formats of serde have them: a present option is its value.
    fn begin_some(&mut self) -> Result<bool> {
        Ok(false)
    }

    fn value(&mut self, _: &Value) -> Result<()> {
        Err(protocol("events", "a whole value"))
    }
}

type Registry = RwLock<BTreeMap<String, &'static dyn Coding>>;

fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(Registry::default)
}

/// Registers a coding for the rest of the process.
pub(crate) fn register(coding: Box<dyn Coding>) -> Result<&'static dyn Coding> {
    coding.check()?;
    let mut registry = registry().write().unwrap_or_else(PoisonError::into_inner);
    let name = coding.name().to_owned();
    if registry.contains_key(&name) || crate::Format::built_in(&name).is_some() {
        return Err(Error::new(Code::BadInput)
            .expected("a name that no format has")
            .got(format!("{name:?}")));
    }
    let coding: &'static dyn Coding = Box::leak(coding);
    registry.insert(name, coding);
    Ok(coding)
}

/// The coding that was registered under a name.
pub(crate) fn registered(name: &str) -> Option<&'static dyn Coding> {
    registry().read().unwrap_or_else(PoisonError::into_inner).get(name).copied()
}

/// All codings that were registered.
pub(crate) fn all_registered() -> Vec<&'static dyn Coding> {
    registry().read().unwrap_or_else(PoisonError::into_inner).values().copied().collect()
}
