//! The two ends of all dynamic data: what gives values, and what takes them.
//!
//! Values travel as events. A scalar is one event; a container is the event of its begin, its
//! contents in the order of the walk (F-33), and [`Event::End`]. Neither side recurses.

use std::borrow::Cow;
use std::sync::Arc;

use half::{bf16, f16};

use super::{BlockReader, Shredder};
use crate::column::packed::element_count;
use crate::error::{Code, Error, Result};
use crate::limits::RANK;
use crate::number::IntKind;
use crate::schema::{DType, LogicalType, Shape};

/// Something that can emit its value as events: a JSON text, a [`Value`](crate::Value), an object of
/// another language.
pub trait Source {
    /// Emits one complete value, and the same one if called again. An encoder may call twice, and uses the last events.
    ///
    /// # Errors
    /// What the shredder answers, or the source's own errors.
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()>;
}

/// The identity of a value within one message: the definition and the number of its row there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowId {
    /// The number of the definition.
    pub definition: usize,
    /// The number of the row in the definition.
    pub row: usize,
}

/// A tensor: numbers, or other values of a fixed width, in as many dimensions as its shape has.
#[derive(Clone, Copy, Debug)]
pub struct TensorRef<'a> {
    /// The type of the elements.
    pub dtype: &'a Arc<DType>,
    /// The dimensions; none for a single element.
    pub shape: &'a [u64],
    /// Whether the first dimension runs fastest through the elements, else the last.
    pub column_major: bool,
    /// The elements, little-endian, one after the other.
    pub elements: &'a [u8],
}

impl TensorRef<'_> {
    /// Whether shape and elements go together.
    pub(crate) fn check(&self) -> Result<()> {
        let bad = |expected: String| {
            Err(Error::new(Code::UnsupportedValue).expected(expected).got("a tensor without"))
        };
        if self.shape.len() as u64 > RANK {
            return bad(format!("at most {RANK} dimensions"));
        }
        if let Some(fault) = self.dtype.fault(1) {
            return bad(fault.to_owned());
        }
        let Some(width) = self.dtype.width() else {
            return bad("elements of a fixed width".to_owned());
        };
        let len = element_count(self.shape).saturating_mul(u128::from(width));
        if len != self.elements.len() as u128 {
            return bad(format!("{len} bytes of elements"));
        }
        if !self.elements.is_empty() && self.dtype.bools().find_bad(self.elements).is_some() {
            return bad("bools that are bytes 0 and 1".to_owned());
        }
        Ok(())
    }
}

/// One step of a walk over a value: a scalar, the begin of a container, its end, or what is known of the value that comes next.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Null.
    Null,
    /// A bool.
    Bool(bool),
    /// An integer of type int that fits 64 bits.
    Int(i64),
    /// An integer of a type of fixed width, u8 to i128, that fits 64 bits: the value's low 64 bits, sign-extended for signed kinds.
    FixedInt(IntKind, u64),
    /// An integer of type int, u128 or i128 that does not fit 64 bits (unsigned for u128), as its two's complement: a big (F-6).
    BigInt(IntKind, &'a [u8]),
    /// A float of 16 bits.
    F16(f16),
    /// A float of type bf16.
    Bf16(bf16),
    /// A float of 32 bits.
    F32(f32),
    /// A float of 64 bits.
    F64(f64),
    /// A string.
    String(&'a str),
    /// A byte string.
    Bytes(&'a [u8]),
    /// One of the byte strings that all have the same length.
    Fixed(&'a [u8]),
    /// A tensor, perhaps with a handle to its elements: a sink may keep that in place of a copy.
    Tensor(TensorRef<'a>, Option<&'a Arc<Vec<u8>>>),
    /// A value of a type or encoding of a later version, which was skipped (F-73, F-77).
    Unknown,
    /// A list of so many items.
    List(usize),
    /// A tuple of so many items.
    Tuple(usize),
    /// A list of a type whose lists all have this length.
    Array(usize),
    /// So many entries follow: key, value, key, value.
    Map(usize),
    /// A mapping with string keys; one value per key of the shape follows, without events for the keys.
    Record(&'a Shape),
    /// An object of a named type; one value per key of the shape follows.
    Struct(&'a Arc<str>, &'a Shape),
    /// A named variant; its payload follows as one value.
    Variant(&'a Arc<str>),
    /// A value with a meaning: its storage follows as one value (F-72).
    Logical(&'a Arc<LogicalType>),
    /// A value of a program's own type; what it holds follows as one value.
    Extension(&'a Arc<str>),
    /// The end of the container begun last.
    End,
    /// The next value has this identity: references to it will follow. Several in a row are those of one value; where a reference
    /// comes next, those of the value that it leads to. A sink that knows no identity ignores it.
    Identity(RowId),
    /// A value that came before, the same one; or one that is begun and not ended, so that it is inside itself.
    Reference(RowId),
    /// The next value is of this variant of an unnamed union, or present in an option (then it is 0). Only a sink that
    /// follows the schema has use for it, or distinguishes nulls of several options; all others ignore it and see the value itself.
    /// A [`Resolver`](crate::Resolver) emits it of the options of its own schema.
    Choice(usize),
}

impl Event<'_> {
    /// The error of a sink that cannot hold such a value: `unrepresentable`.
    #[cold]
    #[must_use]
    pub fn unrepresentable(&self) -> Error {
        let error = Error::new(Code::Unrepresentable);
        let got: Cow<'static, str> = match self {
            Event::Reference(_) => {
                return error.expected("each value in one place").got("a back-reference");
            }
            Event::F16(_) => "a float of 16 bits".into(),
            Event::Bf16(_) => "a float of type bf16".into(),
            Event::Fixed(_) => "a byte string of fixed length".into(),
            Event::Tensor(..) => "a tensor".into(),
            Event::Unknown => "a value that this version does not know".into(),
            Event::Array(_) => "an array of fixed length".into(),
            Event::Logical(ty) => format!("a value of type {ty}").into(),
            Event::Extension(name) => format!("a value of the extension {name:?}").into(),
            other => format!("{other:?}").into(),
        };
        error.expected("a value that this sink can hold").got(got)
    }
}

/// Something that takes values as events: a builder of [`Value`](crate::Value)s, a JSON writer, the shredder itself.
///
/// # Errors
/// Each method returns an error if the sink cannot hold the value; then the assembler stops.
#[allow(clippy::missing_errors_doc, reason = "all fail alike")]
pub trait Sink {
    /// Takes an event.
    // Where many values come, `inline(always)` leaves of a match over events the one arm that a caller asks for.
    fn event(&mut self, event: Event<'_>) -> Result<()>;

    /// A string that is an entry of a dictionary: among those that come with one table, equal numbers are equal strings, so
    /// a sink may keep what it made of them. Numbers count from 0, and tables too.
    #[inline]
    fn entry(&mut self, _table: usize, _number: usize, value: &str) -> Result<()> {
        self.event(Event::String(value))
    }

    /// Whether the next value, which came before, can be an [`Event::Reference`] to it. A [`Resolver`](crate::Resolver) asks,
    /// and emits a copy of the value if not.
    fn refers(&self, _row: RowId) -> bool {
        true
    }

    /// Whether [`Sink::take_rows`] is asked.
    const READS_ROWS: bool = false;

    /// The next value is a container, the next row of a site: whether the sink has taken it, with all that is in it, and
    /// wants no events for them. If not, it has left the rows as they were.
    fn take_rows(&mut self, _site: usize, _rows: &mut BlockReader<'_, '_>) -> Result<bool> {
        Ok(false)
    }

    /// Whether the values to come, all of them integers of type int, may come by [`Sink::ints`]. A sink that may refuse some of
    /// them takes them one by one: so an error says which.
    fn takes_ints(&self) -> bool {
        true
    }

    /// Several integers of type int in a row.
    fn ints(&mut self, values: &[u64]) -> Result<()> {
        values.iter().try_for_each(|&v| self.event(Event::Int(v.cast_signed())))
    }

    /// Whether the values to come, all of them floats of 64 bits, may come by [`Sink::floats`].
    fn takes_floats(&self) -> bool {
        false
    }

    /// Several floats of 64 bits in a row.
    fn floats(&mut self, values: &[f64]) -> Result<()> {
        values.iter().try_for_each(|&value| self.event(Event::F64(value)))
    }
}
