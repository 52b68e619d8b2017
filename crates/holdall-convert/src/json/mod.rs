//! JSON text to holdall and back, value by value, without a tree in between.
//!
//! A text is one value as RFC 8259 describes it, in UTF-8 without a byte order mark. It comes back as the same value,
//! without spaces:
//!
//! | JSON | holdall | back |
//! |---|---|---|
//! | integers, without fraction and exponent | int, exact, of at most 131,072 digits | the same digits |
//! | `-0` | f64, since an integer has no negative zero | `-0.0` |
//! | other numbers | the nearest f64; one beyond its range, or too small for it, is refused | the shortest decimal that reads back as the same f64; always with `.` or `e` |
//! | strings | string; a lone surrogate is refused | only `"`, `\` and control characters escaped |
//! | arrays | list | the same order |
//! | objects | record; a duplicate key is an error | the same order of keys |
//!
//! Text can be nested to any depth. Other holdall data can hold more than JSON. The following take the nearest form
//! with the same value: integers of all widths, floats of 16 and 32 bits, tuples and arrays as arrays, structs and maps
//! with string keys as objects. Bytes, NaN and the infinities, tensors, maps with other keys, named variants, logical
//! values and extensions (unless their [storage](crate::Unpacker::storage), which of dates, times, UUIDs and addresses is text, is requested), and shared values (unless
//! [copies](crate::Unpacker::copies) are requested) are rejected with [`Code::Unrepresentable`].
//!
//! [`Code::Unrepresentable`]: holdall::Code::Unrepresentable

mod escape;
mod fault;
mod index;
mod sink;
mod source;

use std::cell::RefCell;

use holdall::bindings::memory;
use holdall::events::Source;
#[cfg(feature = "serde")]
use holdall::serde::EventReader;
use holdall::{Decoder, Encoder, Result};

use crate::coding::{Coding, Emitter, Reading};

pub(crate) use escape::push_string;
pub use sink::JsonSink;
pub use source::JsonSource;

/// Memory is kept for the next message only after messages of up to this many bytes.
const MAX_KEPT_MESSAGE: usize = 1 << 16;

thread_local! {
    // Consecutive messages often have the same schema; these remember the last one's.
    static ENCODER: RefCell<Encoder> = RefCell::default();
    static UNPACKING: RefCell<(Decoder, JsonSink)> = RefCell::default();
}

/// Packs a JSON text into a message.
///
/// ```
/// let message = holdall_convert::json::pack(br#"{"a": 1}"#)?;
/// assert_eq!(message, b"\xC1\x10\x1A\x08\x04a\x03\x04");
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// [`Code::BadInput`](holdall::Code::BadInput) for text that is not JSON,
/// [`Code::DuplicateKey`](holdall::Code::DuplicateKey), both with the offset in the text, and those of
/// [`Encoder::message`].
pub fn pack(text: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = ENCODER.take();
    let message = pack_with(&mut encoder, text);
    // Keeps the memory of a small message, not of a large one.
    if text.len() <= MAX_KEPT_MESSAGE {
        ENCODER.set(encoder);
    }
    message
}

/// Packs a JSON text like [`pack`], with an encoder that has its own profile, header or limits.
///
/// ```
/// use holdall::{Encoder, Profile};
/// let text = br#"["red", "red", "red", "red", "red", "red", "red", "red"]"#;
/// let balanced = holdall_convert::json::pack_with(&mut Encoder::new().profile(Profile::Balanced), text)?;
/// assert!(balanced.len() < holdall_convert::json::pack(text)?.len());
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`pack`].
pub fn pack_with(encoder: &mut Encoder, text: &[u8]) -> Result<Vec<u8>> {
    memory::guarded(|| encoder.message(&mut JsonSource::new(text)?))
}

/// Unpacks a message into compact JSON text, without a line break at its end.
///
/// ```
/// let text = holdall_convert::json::unpack(b"\xC1\x10\x1A\x08\x04a\x03\x04")?;
/// assert_eq!(text, br#"{"a":1}"#);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// [`Code::Unrepresentable`](holdall::Code::Unrepresentable) for values that JSON cannot hold,
/// [`Code::LimitOutput`](holdall::Code::LimitOutput) for more text than [`Decoder::output_limit`], and those of
/// [`Decoder::message`].
pub fn unpack(message: &[u8]) -> Result<Vec<u8>> {
    let (mut decoder, mut sink) = UNPACKING.take();
    let text = unpack_into(&mut decoder, &mut sink, message);
    // Keeps the memory of a small message, not of a large one.
    if message.len() <= MAX_KEPT_MESSAGE {
        UNPACKING.set((decoder, sink));
    }
    text
}

/// Unpacks a message like [`unpack`], with a decoder that has its own limits or schemas.
///
/// ```
/// use holdall::{Code, Decoder, Limits};
/// let mut decoder = Decoder::new().limits(Limits::new().budget(8));
/// let message = holdall_convert::json::pack(b"[1, 2, 3]")?;
/// let error = holdall_convert::json::unpack_with(&mut decoder, &message).unwrap_err();
/// assert_eq!(error.code(), Code::LimitBudget);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Errors
/// As [`unpack`].
pub fn unpack_with(decoder: &mut Decoder, message: &[u8]) -> Result<Vec<u8>> {
    unpack_into(decoder, &mut JsonSink::new(), message)
}

fn unpack_into(decoder: &mut Decoder, sink: &mut JsonSink, message: &[u8]) -> Result<Vec<u8>> {
    sink.set_limit(decoder.output_limit(message));
    let emitted = memory::guarded(|| {
        // Small messages are mostly schema; large ones grow much on the way to text.
        sink.reserve(message.len() + 64);
        decoder.message(message, sink)
    });
    let text = sink.take();
    emitted.and(text)
}

/// JSON.
#[derive(Debug)]
pub(crate) struct Json;

impl Coding for Json {
    fn name(&self) -> &str {
        "json"
    }

    fn extensions(&self) -> &[&str] {
        &["json"]
    }

    fn has_extensions(&self) -> bool {
        false
    }

    fn is_human_readable(&self) -> bool {
        true
    }

    fn read<'i>(&self, input: &'i [u8], _: &Reading<'_>) -> Result<Box<dyn Source + 'i>> {
        Ok(Box::new(JsonSource::new(input)?))
    }

    #[cfg(feature = "serde")]
    fn read_events(&self, input: &[u8], to: &mut EventReader<'_>) -> Result<bool> {
        JsonSource::new(input)?.emit(to)?;
        Ok(true)
    }

    fn write(&self, value: &mut Emitter<'_>) -> Result<Vec<u8>> {
        let mut sink = JsonSink::new().limit(value.limit()).like_serde(value.is_like_serde());
        value.emit(&mut sink)?;
        sink.take()
    }
}
