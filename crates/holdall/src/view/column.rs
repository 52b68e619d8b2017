//! Columns as a view returns them.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;

use half::{bf16, f16};

use crate::column::ints::IntBuffer;
use crate::column::text::TextRows;
use crate::dynamic::TensorRef;
use crate::memory::{self, Collect};
use crate::number::{IntKind, big_of_bits};
use crate::schema::DType;

/// The values of a column; see [`ViewSite::column`](super::ViewSite::column).
#[derive(Clone, Debug)]
pub struct Column<'v> {
    pub(super) len: usize,
    pub(super) present: Option<Vec<bool>>,
    pub(super) values: Values<'v>,
}

impl<'v> Column<'v> {
    /// A column in which every entry is absent.
    pub(super) fn absent(len: usize) -> Column<'static> {
        Column { len, present: Some(memory::filled(false, len)), values: Values::Null(0) }
    }

    /// Returns the number of entries, absent ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns which entries have a value: the values belong to these, in order. `None` if all have one.
    #[must_use]
    pub fn present(&self) -> Option<&[bool]> {
        self.present.as_deref()
    }

    /// Returns the values, without gaps for absent ones.
    #[must_use]
    pub fn values(&self) -> &Values<'v> {
        &self.values
    }

    /// Returns the values.
    #[must_use]
    pub fn into_values(self) -> Values<'v> {
        self.values
    }

    /// Returns both.
    #[must_use]
    pub fn into_parts(self) -> (Option<Vec<bool>>, Values<'v>) {
        (self.present, self.values)
    }
}

/// The values of a column, by their type. A slice is borrowed if the message is in memory and stores it unencoded and
/// aligned for its type; otherwise it is decoded.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is named after the type of its values")]
pub enum Values<'v> {
    /// A number of nulls.
    Null(usize),
    Bools(Vec<bool>),
    U8(Cow<'v, [u8]>),
    U16(Cow<'v, [u16]>),
    U32(Cow<'v, [u32]>),
    U64(Cow<'v, [u64]>),
    I8(Cow<'v, [i8]>),
    I16(Cow<'v, [i16]>),
    I32(Cow<'v, [i32]>),
    I64(Cow<'v, [i64]>),
    /// Values of type int that all fit 64 bits.
    Int(Cow<'v, [i64]>),
    /// Values of u128, i128, or of type int if one needs more than 64 bits.
    Wide(WideInts),
    F16(Cow<'v, [f16]>),
    Bf16(Cow<'v, [bf16]>),
    F32(Cow<'v, [f32]>),
    F64(Cow<'v, [f64]>),
    Strings(Strings<'v>),
    Bytes(TextBytes<'v>),
    /// A number of byte strings of `width` bytes each, one after the other.
    Fixed {
        rows: usize,
        width: usize,
        bytes: Cow<'v, [u8]>,
    },
    /// Packed values of a type, one after the other.
    Packed {
        dtype: DType,
        bytes: Cow<'v, [u8]>,
    },
    Tensors(Tensors<'v>),
    /// Lists or maps. The items or entries of value i are those from `offsets[i]` to `offsets[i + 1]` in the column of
    /// [`ViewSite::items`](super::ViewSite::items), or in those of keys and values.
    Lists {
        offsets: Vec<u64>,
    },
    /// Lists of `len` items each.
    Arrays {
        rows: usize,
        len: u64,
    },
    /// The variant of each value; the payloads are the columns of [`ViewSite::member`](super::ViewSite::member).
    Variants(Vec<u64>),
    /// A number of values of a type or encoding that this version does not know.
    Unknown(usize),
}

impl Values<'_> {
    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Values::Null(rows)
            | Values::Unknown(rows)
            | Values::Fixed { rows, .. }
            | Values::Arrays { rows, .. } => *rows,
            Values::Bools(rows) => rows.len(),
            Values::U8(rows) => rows.len(),
            Values::U16(rows) => rows.len(),
            Values::U32(rows) => rows.len(),
            Values::U64(rows) => rows.len(),
            Values::I8(rows) => rows.len(),
            Values::I16(rows) => rows.len(),
            Values::I32(rows) => rows.len(),
            Values::I64(rows) | Values::Int(rows) => rows.len(),
            Values::Wide(rows) => rows.len(),
            Values::F16(rows) => rows.len(),
            Values::Bf16(rows) => rows.len(),
            Values::F32(rows) => rows.len(),
            Values::F64(rows) => rows.len(),
            Values::Strings(rows) => rows.len(),
            Values::Bytes(rows) => rows.len(),
            Values::Packed { dtype, bytes } => {
                let width = dtype.width().and_then(|width| usize::try_from(width).ok());
                width.and_then(|width| bytes.len().checked_div(width)).unwrap_or(0)
            }
            Values::Tensors(rows) => rows.len(),
            Values::Lists { offsets } => offsets.len().saturating_sub(1),
            Values::Variants(rows) => rows.len(),
        }
    }

    /// Whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns numbers as a slice, if they have this type; those of type int are `i64`.
    ///
    /// ```
    /// let message = holdall::to_vec(&vec![0.5, 1.5])?;
    /// let view = holdall::View::new(&message)?;
    /// let column = view.root().items()?.column()?;
    /// assert_eq!(column.values().as_slice::<f64>(), Some(&[0.5, 1.5][..]));
    /// assert_eq!(column.values().as_slice::<f32>(), None);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    #[must_use]
    pub fn as_slice<T: Numbers>(&self) -> Option<&[T]> {
        T::of(self)
    }
}

/// A type of numbers that a column can return as a slice.
pub trait Numbers: Copy + sealed::Sealed + 'static {
    #[doc(hidden)]
    fn of<'a>(values: &'a Values<'_>) -> Option<&'a [Self]>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($number:ty: $($variant:ident)|*;)*) => {$(
        impl sealed::Sealed for $number {}

        impl Numbers for $number {
            fn of<'a>(values: &'a Values<'_>) -> Option<&'a [Self]> {
                match values {
                    $(Values::$variant(rows) => Some(rows),)*
                    _ => None,
                }
            }
        }
    )*};
}

numbers! {
    bool: Bools;
    u8: U8;
    u16: U16;
    u32: U32;
    u64: U64;
    i8: I8;
    i16: I16;
    i32: I32;
    i64: I64 | Int;
    f16: F16;
    bf16: Bf16;
    f32: F32;
    f64: F64;
}

/// Integers of types that can exceed 64 bits.
#[derive(Clone, Debug)]
pub struct WideInts {
    pub(super) kind: IntKind,
    pub(super) ints: IntBuffer,
}

impl WideInts {
    /// Returns their type.
    #[must_use]
    pub fn kind(&self) -> IntKind {
        self.kind
    }

    /// Returns the number of integers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ints.values.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ints.values.is_empty()
    }

    /// Returns an integer: two's complement, little-endian, in the shortest form (F-6).
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Cow<'_, [u8]>> {
        let bits = *self.ints.values.get(row)?;
        Some(match self.ints.big(row) {
            Some(big) => Cow::Borrowed(big),
            None => Cow::Owned(big_of_bits(self.kind, bits, &mut [0; 9]).to_vec()),
        })
    }
}

/// How the bytes of all rows divide into rows.
#[derive(Clone, Debug)]
pub(super) enum Spans {
    /// Each row extends from one bound to the next.
    Plain(Vec<usize>),
    /// Each row has an entry, which extends from one bound to the next.
    Entries { bounds: Vec<usize>, entries: Vec<u64> },
}

impl Spans {
    pub(super) fn of(rows: TextRows) -> Spans {
        match rows {
            TextRows::Plain(lengths) => Spans::Plain(crate::kernel::lengths::bounds(&lengths)),
            TextRows::Dictionary(entries) => {
                Spans::Entries { bounds: entries.bounds, entries: entries.indices }
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Spans::Plain(bounds) => bounds.len().saturating_sub(1),
            Spans::Entries { entries, .. } => entries.len(),
        }
    }

    fn get(&self, row: usize) -> Option<(usize, usize)> {
        let (bounds, at) = match self {
            Spans::Plain(bounds) => (bounds, row),
            Spans::Entries { bounds, entries } => (bounds, *entries.get(row)? as usize),
        };
        Some((*bounds.get(at)?, *bounds.get(at.checked_add(1)?)?))
    }
}

/// Strings, without an allocation for each.
#[derive(Clone, Debug)]
pub struct Strings<'v> {
    pub(super) spans: Spans,
    pub(super) text: Cow<'v, str>,
}

impl Strings<'_> {
    /// Returns a copy that owns its memory.
    #[must_use]
    pub fn into_owned(self) -> Strings<'static> {
        Strings {
            spans: self.spans,
            text: Cow::Owned(match self.text {
                Cow::Owned(text) => text,
                Cow::Borrowed(text) => memory::text(text),
            }),
        }
    }

    /// Returns the number of strings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a string.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<&str> {
        let (start, end) = self.spans.get(row)?;
        self.text.get(start..end)
    }

    /// Returns all strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|row| self.get(row))
    }
}

/// Byte strings, without an allocation for each.
#[derive(Clone, Debug)]
pub struct TextBytes<'v> {
    pub(super) spans: Spans,
    pub(super) bytes: Cow<'v, [u8]>,
}

impl TextBytes<'_> {
    /// Returns a copy that owns its memory.
    #[must_use]
    pub fn into_owned(self) -> TextBytes<'static> {
        TextBytes { spans: self.spans, bytes: Cow::Owned(memory::owned(self.bytes)) }
    }

    /// Returns the number of byte strings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a byte string.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        let (start, end) = self.spans.get(row)?;
        self.bytes.get(start..end)
    }

    /// Returns all byte strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|row| self.get(row))
    }
}

/// Tensors with one type of elements.
#[derive(Clone, Debug)]
pub struct Tensors<'v> {
    pub(super) dtype: Arc<DType>,
    pub(super) rows: Vec<(Vec<u64>, bool, Cow<'v, [u8]>)>,
}

impl Tensors<'_> {
    /// Returns a copy that owns its memory.
    #[must_use]
    pub fn into_owned(self) -> Tensors<'static> {
        let owned = |(shape, order, elements): (_, _, Cow<'_, [u8]>)| {
            (shape, order, Cow::Owned(memory::owned(elements)))
        };
        Tensors { dtype: self.dtype, rows: self.rows.into_iter().map(owned).collected() }
    }

    /// Returns the type of the elements.
    #[must_use]
    pub fn dtype(&self) -> &Arc<DType> {
        &self.dtype
    }

    /// Returns the number of tensors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns a tensor.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<TensorRef<'_>> {
        let (shape, column_major, elements) = self.rows.get(row)?;
        let (dtype, column_major) = (&self.dtype, *column_major);
        Some(TensorRef { dtype, shape, column_major, elements })
    }
}
