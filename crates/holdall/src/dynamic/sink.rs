//! The two ends of dynamic data: sources emit values, sinks receive them.
//!
//! Values travel as events. A scalar is one event. A container is a begin event, its contents in the order of the walk (F-33), and
//! [`Event::End`]. Neither side recurses.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use half::{bf16, f16};

use super::{BlockReader, Shredder};
use crate::column::tensors::element_count;
use crate::error::{Code, Error, Result};
use crate::limits::RANK;
use crate::number::IntKind;
use crate::schema::{DType, LogicalType, Shape};

/// Emits one value as events. A JSON text, a [`Value`](crate::Value) and an object of another language can be sources.
pub trait Source {
    /// Emits one complete value. An encoder may call this twice and use only the events of the second call, so it must emit the
    /// same value each time.
    ///
    /// # Errors
    /// Returns the shredder's errors and the source's own.
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()>;
}

/// Identifies a value within one message, by its definition and its row there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowId {
    /// The index of the definition.
    pub definition: usize,
    /// The row in the definition.
    pub row: usize,
}

/// A tensor: numbers, or other values of a fixed width, in any number of dimensions.
#[derive(Clone, Copy, Debug)]
pub struct TensorRef<'a> {
    /// The type of the elements.
    pub dtype: &'a Arc<DType>,
    /// The dimensions; empty for a single element.
    pub shape: &'a [u64],
    /// Whether the first dimension varies fastest through the elements; otherwise the last one does.
    pub column_major: bool,
    /// The elements, little-endian, one after the other.
    pub elements: &'a [u8],
}

impl TensorRef<'_> {
    /// Checks that the shape matches the elements.
    pub(crate) fn check(&self) -> Result<()> {
        let bad = |expected: String, got: String| {
            Err(Error::new(Code::UnsupportedValue).expected(expected).got(got))
        };
        if self.shape.len() as u64 > RANK {
            return bad(
                format!("a tensor of at most {RANK} dimensions"),
                self.shape.len().to_string(),
            );
        }
        if let Some(fault) = self.dtype.fault(1) {
            return bad(fault.to_owned(), "a tensor without".to_owned());
        }
        let Some(width) = self.dtype.width() else {
            return bad("elements of a fixed width".to_owned(), "a tensor without".to_owned());
        };
        let len = element_count(self.shape).saturating_mul(u128::from(width));
        if len != self.elements.len() as u128 {
            return bad(format!("{len} bytes of elements"), self.elements.len().to_string());
        }
        if !self.elements.is_empty() && self.dtype.bools().find_bad(self.elements).is_some() {
            return bad("bools that are bytes 0 and 1".to_owned(), "another byte".to_owned());
        }
        Ok(())
    }
}

/// One step of a walk over a value: a scalar, the begin of a container, its end, or a mark about the next value.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Null.
    Null,
    /// A bool.
    Bool(bool),
    /// An integer of type `int` that fits in 64 bits.
    Int(i64),
    /// An integer of a fixed-width type, u8 to i128, that fits in 64 bits: its low 64 bits, sign-extended for signed kinds.
    FixedInt(IntKind, u64),
    /// An integer of type `int`, u128 or i128 that does not fit in 64 bits (unsigned for u128), as a big in two's complement (F-6).
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
    /// A byte string of a type whose byte strings all have this length.
    Fixed(&'a [u8]),
    /// A tensor, optionally with a handle to its elements, which a sink may keep instead of copying them.
    Tensor(TensorRef<'a>, Option<&'a Arc<Vec<u8>>>),
    /// A value of a type or encoding from a later version, skipped by this one (F-73, F-77).
    Unknown,
    /// A list with this many items.
    List(usize),
    /// A tuple with this many items.
    Tuple(usize),
    /// An array: a list of a type whose lists all have this length.
    Array(usize),
    /// A map. This many entries follow, each as its key and its value.
    Map(usize),
    /// A mapping with string keys. One value for each key of the shape follows; the keys have no events.
    Record(&'a Shape),
    /// An object of a named type. One value for each key of the shape follows.
    Struct(&'a Arc<str>, &'a Shape),
    /// A named variant; its payload follows as one value.
    Variant(&'a Arc<str>),
    /// A logical value. Its storage follows as one value (F-72).
    Logical(&'a Arc<LogicalType>),
    /// A value of an extension. The value that it holds follows.
    Extension(&'a Arc<str>),
    /// The end of the innermost open container.
    End,
    /// The identity of the next value, to which later references point. Several in a row belong to the same value; before a
    /// reference, they belong to the value it points to. A sink without a notion of identity ignores this event.
    Identity(RowId),
    /// A reference to an earlier value. It is the same value, not a copy. If that value is still open, it contains itself.
    Reference(RowId),
    /// The next value is this variant of an unnamed union or, with index 0, a present value of an option. It matters to sinks that
    /// follow the schema, or that distinguish the nulls of nested options. Others ignore it and take the value itself. A
    /// [`Resolver`](crate::Resolver) emits it for the options of its own schema.
    Choice(usize),
}

impl Event<'_> {
    /// Whether it begins a container, which [`Event::End`] ends.
    #[must_use]
    pub fn is_begin(&self) -> bool {
        matches!(
            self,
            Event::List(_)
                | Event::Tuple(_)
                | Event::Array(_)
                | Event::Map(_)
                | Event::Record(_)
                | Event::Struct(..)
                | Event::Variant(_)
                | Event::Logical(_)
                | Event::Extension(_)
        )
    }

    /// Returns the `unrepresentable` error for a sink that cannot hold this value.
    #[cold]
    #[must_use]
    pub fn unrepresentable(&self) -> Error {
        let error = Error::new(Code::Unrepresentable);
        let got: Cow<'static, str> = match self {
            Event::Reference(_) => {
                return error.expected("each value only once").got("a back-reference");
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
        error.expected("a value that the target can hold").got(got)
    }
}

/// Receives values as events. Builders of [`Value`](crate::Value)s, JSON writers and the shredder itself are sinks.
///
/// # Errors
/// Each method returns an error if the sink cannot hold the value, which stops the assembler.
#[allow(clippy::missing_errors_doc, reason = "the trait documents them once")]
pub trait Sink {
    /// Takes the units of the budget of a message, a block or a call of a view, before its first event. A sink that makes more of the
    /// rows than they pay for can charge that to a budget of its own, as large as theirs.
    fn budget(&mut self, _units: u64) {}

    /// Takes an event.
    // At hot call sites, `inline(always)` reduces a match over events to the one arm that the caller names.
    fn event(&mut self, event: Event<'_>) -> Result<()>;

    /// Takes a string that is an entry of a dictionary. Within one table, equal numbers mean equal strings, so a sink may cache
    /// what it builds from them. Tables and numbers count from 0.
    #[inline]
    fn entry(&mut self, _table: usize, _number: usize, value: &str) -> Result<()> {
        self.event(Event::String(value))
    }

    /// Whether the next value, which came before, can be an [`Event::Reference`] to it. If not, a [`Resolver`](crate::Resolver)
    /// emits a copy of the value.
    fn refers(&self, _row: RowId) -> bool {
        true
    }

    /// Whether to call [`Sink::take_rows`].
    const READS_ROWS: bool = false;

    /// Offers the next container as rows of a site. Returns whether the sink took it with all its contents and wants no events for
    /// it. If not, it must leave the rows where they were.
    fn take_rows(&mut self, _site: usize, _rows: &mut BlockReader<'_, '_>) -> Result<bool> {
        Ok(false)
    }

    /// Takes references to rows of a definition, which follow each other as items of a list and are numbered from 1. Returns how
    /// many it took; the next comes as an event.
    fn references(&mut self, _definition: usize, _numbers: &[u64]) -> Result<usize> {
        Ok(0)
    }

    /// Whether [`Sink::ints`] may deliver the next values, all of type `int`. A sink that may reject some of them declines, so that
    /// the error names the one at fault.
    fn takes_ints(&self) -> bool {
        true
    }

    /// Takes consecutive integers of type `int`.
    fn ints(&mut self, values: &[u64]) -> Result<()> {
        values.iter().try_for_each(|&v| self.event(Event::Int(v.cast_signed())))
    }

    /// Whether [`Sink::floats`] may deliver the next values, all of them 64-bit floats.
    fn takes_floats(&self) -> bool {
        false
    }

    /// Takes consecutive 64-bit floats.
    fn floats(&mut self, values: &[f64]) -> Result<()> {
        values.iter().try_for_each(|&value| self.event(Event::F64(value)))
    }
}
