//! Codings that extend another one by values that it lacks.

use holdall::bindings::memory::GrowVec;
use holdall::events::{Event, Sink, Source};
use holdall::value::Extension;
use holdall::{Code, Decoder, Encoder, Error, Result, Value, ValueBuilder};

use crate::coding::{Coding, Emitted, Emitter, Reading, ValueSource};
use crate::{Format, Packer, refuse};

/// What an [`Extended`] coding does with values that the coding below it lacks. It is made anew for each message, so it can keep what
/// it has seen there.
///
/// Both functions are called in the order of the data, for the values inside of a value before that value.
pub trait Actions {
    /// Returns what to write in place of a value, or the value itself. It is called for structs, variants, tensors, logical values,
    /// extensions, and integers beyond 64 bits.
    ///
    /// # Errors
    /// Any, for a value that cannot be written; it gets the path.
    fn encode(&mut self, value: Value) -> Result<Value> {
        Ok(value)
    }

    /// Returns the value that an extension of the coding stands for, or the extension itself. JSON, NDJSON, CSV and DLHN have none: see
    /// [`Extended::encode_only`].
    ///
    /// # Errors
    /// Any, for an extension that is not valid; it gets the path.
    fn decode(&mut self, extension: Extension) -> Result<Value> {
        Ok(extension.into())
    }
}

/// A coding that extends another one by [`Actions`]: they write values that it lacks as extensions of it, and read those again.
///
/// ```
/// use holdall::value::{Extension, Logical};
/// use holdall::{LogicalType, Result, Value};
/// use holdall_convert::{Actions, Extended, Format};
///
/// /// A URL as extension 5 of MessagePack, which has none of its own.
/// #[derive(Default)]
/// struct Urls;
///
/// impl Actions for Urls {
///     fn encode(&mut self, value: Value) -> Result<Value> {
///         let text = match &value {
///             Value::Logical(url) if url.ty().kind() == LogicalType::URL => url.storage().as_str(),
///             _ => None,
///         };
///         let bytes = |text: &str| Value::Bytes(text.as_bytes().to_vec());
///         let pair = text.map(|text| Value::tuple([Value::I8(5), bytes(text)]));
///         Ok(pair.map_or(value, |pair| Extension::new("msgpack.ext", pair).into()))
///     }
///
///     fn decode(&mut self, extension: Extension) -> Result<Value> {
///         match extension.value().as_slice() {
///             Some([Value::I8(5), Value::Bytes(text)]) => {
///                 let text = String::from_utf8_lossy(text).into_owned();
///                 Ok(Logical::new(LogicalType::new(LogicalType::URL, &[])?, Value::from(text)).into())
///             }
///             _ => Ok(extension.into()),
///         }
///     }
/// }
///
/// let format = Format::register(Extended::new("urls", Format::Msgpack, Urls::default))?;
/// let url = Logical::new(LogicalType::new(LogicalType::URL, &[])?, Value::from("a:b"));
/// let data = format.to_vec(&Value::list([url.into()]))?;
/// assert_eq!(data, b"\x91\xC7\x03\x05a:b");
/// assert_eq!(format.to_vec(&format.from_slice::<Value>(&data)?)?, data);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// Values that are referenced from several places are rejected, unless [copies](crate::Unpacker::copies) are requested.
#[derive(Clone, Debug)]
pub struct Extended<F> {
    name: String,
    extends: Format,
    extensions: Vec<&'static str>,
    actions: F,
    is_encode_only: bool,
}

impl<A: Actions, F: Fn() -> A + Send + Sync> Extended<F> {
    /// Extends a format, which can be one that was registered. The function makes the actions of a message.
    ///
    /// The format must have extensions, or [`Format::register`] returns an error, because [`Actions::decode`] would never be called.
    pub fn new(name: impl Into<String>, extends: Format, actions: F) -> Extended<F> {
        Extended {
            name: name.into(),
            extends,
            extensions: Vec::new(),
            actions,
            is_encode_only: false,
        }
    }

    /// Extends a format by [`Actions::encode`] alone: data are read as in that format. It needs no extensions, so it can be JSON, NDJSON,
    /// CSV or DLHN.
    ///
    /// ```
    /// use holdall::value::Logical;
    /// use holdall::{LogicalType, Result, Value};
    /// use holdall_convert::{Actions, Extended, Format};
    ///
    /// /// URLs as their text.
    /// struct Urls;
    ///
    /// impl Actions for Urls {
    ///     fn encode(&mut self, value: Value) -> Result<Value> {
    ///         match &value {
    ///             Value::Logical(url) if url.ty().kind() == LogicalType::URL => Ok(url.storage().clone()),
    ///             _ => Ok(value),
    ///         }
    ///     }
    /// }
    ///
    /// let error = Format::register(Extended::new("json-urls", Format::Json, || Urls)).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "bad_input: expected a format with extensions, which decode gets, or Extended::encode_only, got json, which has none"
    /// );
    /// let format = Format::register(Extended::encode_only("json-urls", Format::Json, || Urls))?;
    /// let url = Logical::new(LogicalType::new(LogicalType::URL, &[])?, Value::from("a:b"));
    /// assert_eq!(format.to_vec(&Value::list([url.into()]))?, br#"["a:b"]"#);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    pub fn encode_only(name: impl Into<String>, extends: Format, actions: F) -> Extended<F> {
        Extended { is_encode_only: true, ..Extended::new(name, extends, actions) }
    }

    /// Sets the extensions of files that have it, in lower case; by default there are none.
    #[must_use]
    pub fn extensions(mut self, extensions: impl IntoIterator<Item = &'static str>) -> Self {
        self.extensions = extensions.into_iter().collect();
        self
    }
}

impl<A: Actions, F: Fn() -> A + Send + Sync> Coding for Extended<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn extensions(&self) -> &[&str] {
        &self.extensions
    }

    fn has_extensions(&self) -> bool {
        self.extends.coding().has_extensions()
    }

    fn is_human_readable(&self) -> bool {
        self.extends.coding().is_human_readable()
    }

    fn has_tuple_structs(&self) -> bool {
        self.extends.coding().has_tuple_structs()
    }

    fn has_newtypes(&self) -> bool {
        self.extends.coding().has_newtypes()
    }

    fn check(&self) -> Result<()> {
        if self.is_encode_only || self.has_extensions() {
            return Ok(());
        }
        Err(Error::new(Code::BadInput)
            .expected("a format with extensions, which decode gets, or Extended::encode_only")
            .got(format!("{}, which has none", self.extends.name())))
    }

    fn read<'i>(&self, input: &'i [u8], reading: &Reading<'_>) -> Result<Box<dyn Source + 'i>> {
        if self.is_encode_only {
            return self.extends.coding().read(input, reading);
        }
        let message = Packer::with(self.extends, *reading).pack(&mut Encoder::new(), input)?;
        let mut actions = (self.actions)();
        let mut acting = Acting::new(|value| match value {
            Value::Extension(extension) => actions.decode(extension),
            other => Ok(other),
        });
        // The offset would be one of the message.
        let read = Decoder::new().message(&message, &mut acting);
        read.map_err(Error::without_offset)?;
        Ok(Box::new(ValueSource(acting.finish()?)))
    }

    fn write(&self, value: &mut Emitter<'_>) -> Result<Vec<u8>> {
        let mut actions = (self.actions)();
        let mut acting = Acting::new(|value| actions.encode(value));
        value.emit_as_is(&mut acting)?;
        let message = holdall::to_vec(&acting.finish()?)?;
        let extended = &mut Emitter {
            decoder: &mut *value.decoder,
            value: Emitted::Message(message.into()),
            copies: false,
            storage: value.storage,
            like_serde: value.like_serde,
            is_of_values: value.is_of_values,
        };
        self.extends.coding().write(extended)
    }
}

/// Builds a value, in which a function replaces those that not every format has.
struct Acting<F> {
    act: F,
    /// The innermost value that the function gets, and those around it, outermost first: the first is the entire value.
    innermost: ValueBuilder,
    around: Vec<ValueBuilder>,
    /// For each open container, whether the function gets it.
    open: Vec<bool>,
}

impl<F: FnMut(Value) -> Result<Value>> Acting<F> {
    fn new(act: F) -> Acting<F> {
        Acting { act, innermost: ValueBuilder::new(), around: Vec::new(), open: Vec::new() }
    }

    fn finish(self) -> Result<Value> {
        self.innermost.finish()
    }

    /// Replaces the innermost value, which is complete.
    fn replace(&mut self) -> Result<()> {
        let around = self.around.pop().unwrap_or_default();
        let value = std::mem::replace(&mut self.innermost, around).finish()?;
        self.innermost.push_value((self.act)(value)?)
    }
}

impl<F: FnMut(Value) -> Result<Value>> Sink for Acting<F> {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        let is_acted = match event {
            // A value that occurs once needs no identity.
            Event::Identity(_) => return Ok(()),
            Event::Reference(_) | Event::Unknown => return Err(refuse::event(event)),
            Event::End => {
                self.innermost.event(event)?;
                return if self.open.pop() == Some(true) { self.replace() } else { Ok(()) };
            }
            Event::Struct(..) | Event::Variant(_) | Event::Logical(_) | Event::Extension(_) => true,
            Event::Tensor(..) | Event::BigInt(..) => true,
            _ => false,
        };
        if is_acted {
            self.around.put(std::mem::take(&mut self.innermost));
        }
        if event.is_begin() {
            self.open.put(is_acted);
        }
        self.innermost.event(event)?;
        if is_acted && !event.is_begin() { self.replace() } else { Ok(()) }
    }

    // Integers of 64 bits need no action.
    fn ints(&mut self, values: &[u64]) -> Result<()> {
        self.innermost.ints(values)
    }
}
