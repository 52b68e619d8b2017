//! Events to MessagePack.

use std::io;
use std::sync::Arc;

use holdall::bindings::memory::GrowVec;
use holdall::events::{Event, Sink};
use holdall::{Error, IntKind, LogicalType, Result, Shape};
use rmp::encode::{self, ValueWriteError};

use crate::coding::Target;
use crate::nesting::{Nesting, protocol};
use crate::number;
use crate::refuse::{self, refuse};
use crate::tape::MSGPACK_EXT;

const NANOS: i128 = 1_000_000_000;

/// A [`Sink`] that writes MessagePack.
///
/// For most uses call [`unpack`](super::unpack). Use the sink for a [`Decoder`](holdall::Decoder) with its own options.
///
/// ```
/// use holdall::Decoder;
/// use holdall_convert::msgpack::MsgpackSink;
///
/// let mut sink = MsgpackSink::new();
/// Decoder::new().message(b"\xC1\x10\x1A\x08\x04a\x03\x04", &mut sink)?;
/// assert_eq!(sink.take()?, b"\x81\xA1a\x01");
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct MsgpackSink {
    nesting: Nesting,
    /// A value made of several events.
    part: MsgpackPart,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum MsgpackPart {
    #[default]
    None,
    /// A timestamp follows, with this many units per second.
    Timestamp(i128),
    /// The tuple of an extension follows, then its type, its data, and two ends.
    Tuple,
    Type,
    Data(i8),
    End,
    /// The last end.
    Ends,
}

/// Writes to a vector cannot fail.
fn written<T>(result: Result<T, ValueWriteError>) -> Result<()> {
    result.map(|_| ()).map_err(|_| protocol("memory", "an error"))
}

/// Returns a length, for which MessagePack has 32 bits.
fn len32(len: usize) -> Result<u32> {
    u32::try_from(len)
        .map_err(|_| refuse("a length below 2^32, which MessagePack has", len.to_string()))
}

fn write_str(out: &mut Vec<u8>, value: &str) -> Result<()> {
    written(encode::write_str_len(out, len32(value.len())?))?;
    out.put_slice(value.as_bytes());
    Ok(())
}

impl MsgpackSink {
    /// Creates a sink without a value.
    #[must_use]
    pub fn new() -> Self {
        MsgpackSink::default()
    }

    /// Sets the maximum number of output bytes: names occur once in a message, but here in every row. The output
    /// exceeds the limit by at most one value.
    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.nesting.set_limit(bytes);
        self
    }

    /// Returns the value's bytes and resets the sink, which keeps its templates of shapes.
    ///
    /// # Errors
    /// [`Code::BadSource`](holdall::Code::BadSource) if the value is not complete.
    pub fn take(&mut self) -> Result<Vec<u8>> {
        self.part = MsgpackPart::None;
        self.nesting.take()
    }

    #[inline]
    fn begin_value(&mut self) -> Result<&mut Vec<u8>> {
        if self.part != MsgpackPart::None {
            return Err(self.misfit());
        }
        self.nesting.begin_value()?;
        Ok(&mut self.nesting.out)
    }

    #[cold]
    fn misfit(&self) -> Error {
        match self.part {
            MsgpackPart::Timestamp(_) => refuse("an integer in a timestamp", "another value"),
            _ => refuse("tuple(i8, bytes) in the extension \"msgpack.ext\"", "another value"),
        }
    }

    /// The integer of a timestamp.
    fn timestamp(&mut self, units: i128, per_second: i128) -> Result<()> {
        let (seconds, part) = (units.div_euclid(per_second), units.rem_euclid(per_second));
        let Ok(seconds) = i64::try_from(seconds) else {
            return Err(refuse("a timestamp of 64 bits of seconds", format!("{seconds} seconds")));
        };
        let nanos = (part * (NANOS / per_second)) as u32;
        let out = &mut self.nesting.out;
        match u64::try_from(seconds) {
            Ok(seconds) if seconds >> 34 == 0 => {
                let word = u64::from(nanos) << 34 | seconds;
                let bytes = word.to_be_bytes();
                let bytes = if word >> 32 == 0 { &bytes[4..] } else { &bytes };
                written(encode::write_ext_meta(out, bytes.len() as u32, -1))?;
                out.put_slice(bytes);
            }
            _ => {
                written(encode::write_ext_meta(out, 12, -1))?;
                out.put_slice(&nanos.to_be_bytes());
                out.put_slice(&seconds.to_be_bytes());
            }
        }
        self.part = MsgpackPart::Ends;
        Ok(())
    }

    fn signed(&mut self, value: i64) -> Result<()> {
        if let MsgpackPart::Timestamp(per_second) = self.part {
            return self.timestamp(i128::from(value), per_second);
        }
        if self.part == MsgpackPart::Type {
            return self.ext_type(i8::try_from(value).ok());
        }
        written(encode::write_sint(self.begin_value()?, value))
    }

    /// The type of an ext value: an integer of any kind, if it fits.
    fn ext_type(&mut self, ty: Option<i8>) -> Result<()> {
        match ty {
            None => Err(self.misfit()),
            Some(-1) => {
                let expected = "an extension type other than -1, which is for timestamps";
                Err(refuse(expected, "-1; store a timestamp instead"))
            }
            Some(ty) => {
                self.part = MsgpackPart::Data(ty);
                Ok(())
            }
        }
    }

    fn items(&mut self, len: usize) -> Result<()> {
        written(encode::write_array_len(self.begin_value()?, len32(len)?))?;
        self.nesting.open(len);
        Ok(())
    }

    fn fixed_int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        if kind.is_signed() {
            return self.signed(bits.cast_signed());
        }
        if self.part == MsgpackPart::Type {
            return self.ext_type(i8::try_from(bits).ok());
        }
        written(encode::write_uint(self.begin_value()?, bits))
    }

    fn big_int(&mut self, twos_complement: &[u8]) -> Result<()> {
        let value = number::small(twos_complement);
        if let (MsgpackPart::Timestamp(per_second), Some(value)) = (self.part, value) {
            return self.timestamp(value, per_second);
        }
        match value.and_then(|value| u64::try_from(value).ok()) {
            Some(value) => written(encode::write_uint(self.begin_value()?, value)),
            None => {
                let expected = "an integer of 64 bits, because MessagePack has no larger ones; store a string instead";
                Err(refuse(expected, number::words(twos_complement)))
            }
        }
    }

    fn bytes(&mut self, value: &[u8]) -> Result<()> {
        if let MsgpackPart::Data(ty) = self.part {
            let out = &mut self.nesting.out;
            written(encode::write_ext_meta(out, len32(value.len())?, ty))?;
            out.put_slice(value);
            self.part = MsgpackPart::End;
            return Ok(());
        }
        let out = self.begin_value()?;
        written(encode::write_bin_len(out, len32(value.len())?))?;
        out.put_slice(value);
        Ok(())
    }

    fn tuple(&mut self, len: usize) -> Result<()> {
        if self.part == MsgpackPart::Tuple && len == 2 {
            self.part = MsgpackPart::Type;
            return Ok(());
        }
        self.items(len)
    }

    fn record(&mut self, shape: &Shape) -> Result<()> {
        written(encode::write_map_len(self.begin_value()?, len32(shape.keys().len())?))?;
        self.nesting.open_record(shape, write_str)
    }

    fn logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        if !super::holds(ty) {
            return Err(refuse::event(Event::Logical(ty)));
        }
        self.begin_value()?;
        let unit = ty.parameters().first().copied().unwrap_or_default();
        self.part = MsgpackPart::Timestamp(1000_i128.pow(u32::from(unit)));
        Ok(())
    }

    fn extension(&mut self, name: &Arc<str>) -> Result<()> {
        if **name != *MSGPACK_EXT {
            return Err(refuse::event(Event::Extension(name)));
        }
        self.begin_value()?;
        self.part = MsgpackPart::Tuple;
        Ok(())
    }

    #[inline]
    fn end(&mut self) -> Result<()> {
        self.part = match self.part {
            MsgpackPart::None => return self.nesting.end(),
            MsgpackPart::End => MsgpackPart::Ends,
            MsgpackPart::Ends => MsgpackPart::None,
            _ => return Err(self.misfit()),
        };
        Ok(())
    }

    /// Writes an event that can fail only because of its kind.
    fn marker(&mut self, write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Result<()> {
        written(write(self.begin_value()?).map_err(ValueWriteError::InvalidMarkerWrite))
    }

    fn float(&mut self, value: f64) -> Result<()> {
        written(encode::write_f64(self.begin_value()?, value))
    }

    fn string(&mut self, value: &str) -> Result<()> {
        write_str(self.begin_value()?, value)
    }

    fn map(&mut self, len: usize) -> Result<()> {
        written(encode::write_map_len(self.begin_value()?, len32(len)?))?;
        self.nesting.open_map(len);
        Ok(())
    }
}

impl Sink for MsgpackSink {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::Null => self.marker(encode::write_nil),
            Event::Bool(value) => self.marker(|out| encode::write_bool(out, value)),
            Event::Int(value) => self.signed(value),
            Event::FixedInt(kind, bits) => self.fixed_int(kind, bits),
            Event::BigInt(_, big) => self.big_int(big),
            Event::F16(value) => written(encode::write_f32(self.begin_value()?, value.into())),
            Event::Bf16(value) => written(encode::write_f32(self.begin_value()?, value.into())),
            Event::F32(value) => written(encode::write_f32(self.begin_value()?, value)),
            Event::F64(value) => self.float(value),
            Event::String(value) => self.string(value),
            Event::Bytes(value) | Event::Fixed(value) => self.bytes(value),
            Event::List(len) | Event::Array(len) => self.items(len),
            Event::Tuple(len) => self.tuple(len),
            Event::Record(shape) | Event::Struct(_, shape) => self.record(shape),
            Event::Map(len) => self.map(len),
            Event::Logical(ty) => self.logical(ty),
            Event::Extension(name) => self.extension(name),
            Event::End => self.end(),
            Event::Identity(_) | Event::Choice(_) => Ok(()),
            other => Err(refuse::event(other)),
        }
    }
}

impl Target for MsgpackSink {
    fn holds(&self, ty: &LogicalType) -> bool {
        super::holds(ty)
    }

    fn holds_extension(&self, name: &str) -> bool {
        name == MSGPACK_EXT
    }

    fn map_of_names(&mut self, len: usize) -> Result<()> {
        written(encode::write_map_len(self.begin_value()?, len32(len)?))?;
        self.nesting.open(2 * len);
        Ok(())
    }

    fn unit_struct(&mut self) -> Result<()> {
        self.items(0)?;
        self.end()
    }
}
