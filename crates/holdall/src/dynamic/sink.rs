//! The two ends of all dynamic data: what gives values, and what takes them.
//!
//! Values travel as events. A scalar is one event; a container is a `begin_…` event, its
//! contents in the order of the walk (F-33), and `end`. Neither side recurses.

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

#[cold]
fn unrepresentable(got: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Code::Unrepresentable).expected("a value that this sink can hold").got(got)
}

/// Something that takes values as events: a builder of [`Value`](crate::Value)s, a JSON writer, the shredder itself.
///
/// # Errors
/// Each method returns an error if the sink cannot hold the value; then the assembler stops.
#[allow(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "each event is named after the value it carries; all fail alike"
)]
pub trait Sink {
    fn null(&mut self) -> Result<()>;
    fn bool(&mut self, value: bool) -> Result<()>;
    /// An integer of type int that fits 64 bits.
    fn int(&mut self, value: i64) -> Result<()>;
    /// An integer of a type of fixed width, u8 to i128, that fits 64 bits: the value's low 64 bits, sign-extended for signed kinds.
    fn fixed_int(&mut self, kind: IntKind, bits: u64) -> Result<()>;
    /// An integer of type int, u128 or i128 that does not fit 64 bits (unsigned for u128): a big (F-6).
    fn big_int(&mut self, kind: IntKind, twos_complement: &[u8]) -> Result<()>;
    fn f32(&mut self, value: f32) -> Result<()>;
    fn f64(&mut self, value: f64) -> Result<()>;
    fn string(&mut self, value: &str) -> Result<()>;
    /// A string that is an entry of a dictionary: among those that come with one table, equal numbers are equal strings, so
    /// a sink may keep what it made of them. Numbers count from 0, and tables too.
    fn entry(&mut self, _table: usize, _number: usize, value: &str) -> Result<()> {
        self.string(value)
    }
    fn bytes(&mut self, value: &[u8]) -> Result<()>;
    fn f16(&mut self, _value: f16) -> Result<()> {
        Err(unrepresentable("a float of 16 bits"))
    }
    fn bf16(&mut self, _value: bf16) -> Result<()> {
        Err(unrepresentable("a float of type bf16"))
    }
    /// One of the byte strings that all have the same length.
    fn fixed(&mut self, _value: &[u8]) -> Result<()> {
        Err(unrepresentable("a byte string of fixed length"))
    }
    fn tensor(&mut self, _tensor: TensorRef<'_>) -> Result<()> {
        Err(unrepresentable("a tensor"))
    }
    /// A tensor with a handle to its elements: a sink may keep that in place of a copy.
    fn shared_tensor(&mut self, tensor: TensorRef<'_>, _elements: &Arc<Vec<u8>>) -> Result<()> {
        self.tensor(tensor)
    }
    /// A value of a type or encoding of a later version, which was skipped (F-73, F-77).
    fn unknown(&mut self) -> Result<()> {
        Err(unrepresentable("a value that this version does not know"))
    }

    fn begin_list(&mut self, len: usize) -> Result<()>;
    fn begin_tuple(&mut self, len: usize) -> Result<()>;
    /// A mapping with string keys; one value per key of the shape follows, without key events.
    fn begin_record(&mut self, shape: &Shape) -> Result<()>;
    /// An object of a named type; one value per key of the shape follows.
    fn begin_struct(&mut self, name: &Arc<str>, shape: &Shape) -> Result<()>;
    /// Entries follow: key, value, key, value.
    fn begin_map(&mut self, len: usize) -> Result<()>;
    /// A named variant; its payload follows as one value.
    fn begin_variant(&mut self, name: &Arc<str>) -> Result<()>;
    /// A list of a type whose lists all have this length.
    fn begin_array(&mut self, _len: usize) -> Result<()> {
        Err(unrepresentable("an array of fixed length"))
    }
    /// A value with a meaning: its storage follows as one value (F-72).
    fn begin_logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        Err(unrepresentable(format!("a value of type {ty}")))
    }
    /// A value of a program's own type; what it holds follows as one value.
    fn begin_extension(&mut self, name: &Arc<str>) -> Result<()> {
        Err(unrepresentable(format!("a value of the extension {name:?}")))
    }
    /// The end of the container begun last.
    fn end(&mut self) -> Result<()>;

    /// The next value has this identity: references to it will follow. Several in a row are those of one value; where a reference
    /// comes next, those of the value that it leads to.
    fn identify(&mut self, _row: RowId) -> Result<()> {
        Ok(())
    }

    /// A value that came before, the same one; or one that is begun and not ended, so that it is inside itself.
    ///
    /// A sink that knows no identity answers `unrepresentable`.
    fn reference(&mut self, _row: RowId) -> Result<()> {
        Err(Error::new(Code::Unrepresentable)
            .expected("each value in one place")
            .got("a back-reference"))
    }

    /// Whether the next value, which came before, can be a [`Sink::reference`] to it. A [`Resolver`](crate::Resolver) asks,
    /// and emits a copy of the value if not.
    fn refers(&self, _row: RowId) -> bool {
        true
    }

    /// The next value is of this variant of an unnamed union, or present in an option (then it is 0). Only a sink that
    /// follows the schema has use for it, or distinguishes nulls of several options; all others see the value itself. A [`Resolver`](crate::Resolver) emits it
    /// of the options of its own schema.
    fn choice(&mut self, _variant: usize) -> Result<()> {
        Ok(())
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
        values.iter().try_for_each(|&v| self.int(v.cast_signed()))
    }

    /// Whether the values to come, all of them floats of 64 bits, may come by [`Sink::floats`].
    fn takes_floats(&self) -> bool {
        false
    }

    /// Several floats of 64 bits in a row.
    fn floats(&mut self, values: &[f64]) -> Result<()> {
        values.iter().try_for_each(|&value| self.f64(value))
    }
}
