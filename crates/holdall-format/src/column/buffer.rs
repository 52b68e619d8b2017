//! A column while it is gathered: its rows in memory, by their kind.

use alloc::boxed::Box;
use alloc::vec::Vec;

use bytemuck::NoUninit;
use half::{bf16, f16};

use super::frame::FrameChoice;
use super::ints::IntBuffer;
use super::numbers::NumberBuffer;
use super::pieces::Apart;
use super::raw::{self, Of};
use super::tensors::{self, TensorRows};
use super::text::{GatheredText, TextBuffer};
use super::{Settings, bits, floats, ints, text};
use crate::memory::Grow;
use crate::number::IntKind;
use crate::schema::{DType, Scalar, Type};

/// The initial capacity of a column of inferred type, in rows.
const ROOM: usize = 16;

/// The rows of one column.
#[derive(Debug)]
pub enum Buffer {
    None,
    Bits(Vec<bool>),
    /// Numbers of u8 or i8; written raw on request.
    Ints8 {
        kind: IntKind,
        rows: Vec<u8>,
        as_is: bool,
    },
    Ints16(IntKind, Vec<u16>),
    Ints32(IntKind, Vec<u32>),
    Ints64(IntKind, Vec<u64>),
    /// Integers of any kind: of one that exceeds 64 bits, or of inferred type.
    Wide(IntKind, IntBuffer),
    F16(Vec<f16>),
    Bf16(Vec<bf16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Text(TextBuffer),
    /// Strings or byte strings of inferred type, which may be kept as a dictionary.
    Gathered(Scalar, GatheredText),
    Fixed(Of, Vec<u8>),
    /// Packed rows.
    Packed(Of, Vec<u8>),
    /// Lengths, variants, references.
    Numbers(NumberBuffer),
    Tensors(Box<TensorRows>),
}

/// Evaluates an expression with the rows of a buffer, whatever their kind. With `else`, only rows that are a vector get
/// it, and the others get the expression after `else`.
macro_rules! each_rows {
    ($column:expr, $rows:ident => $each:expr) => {
        match $column {
            Buffer::Wide(_, $rows) => $each,
            Buffer::Text($rows) => $each,
            Buffer::Gathered(_, $rows) => $each,
            Buffer::Numbers($rows) => $each,
            Buffer::Tensors($rows) => $each,
            column => each_rows! { column, $rows => $each, else => {} },
        }
    };
    ($column:expr, $rows:ident => $each:expr, else => $other:expr) => {
        match $column {
            Buffer::Bits($rows) => $each,
            Buffer::Ints8 { rows: $rows, .. } => $each,
            Buffer::Ints16(_, $rows) => $each,
            Buffer::Ints32(_, $rows) => $each,
            Buffer::Ints64(_, $rows) => $each,
            Buffer::F16($rows) => $each,
            Buffer::Bf16($rows) => $each,
            Buffer::F32($rows) => $each,
            Buffer::F64($rows) => $each,
            Buffer::Fixed(_, $rows) | Buffer::Packed(_, $rows) => $each,
            _ => $other,
        }
    };
}

impl Buffer {
    /// Makes an empty buffer for the column of a type.
    pub fn of(types: &[Type], ty: &Type) -> Buffer {
        match ty {
            Type::Scalar(scalar) => match scalar {
                Scalar::Bool => Buffer::Bits(Vec::new()),
                Scalar::Int(kind) => match kind.width() {
                    Some(1) => Buffer::Ints8 { kind: *kind, rows: Vec::new(), as_is: false },
                    Some(2) => Buffer::Ints16(*kind, Vec::new()),
                    Some(4) => Buffer::Ints32(*kind, Vec::new()),
                    Some(8) => Buffer::Ints64(*kind, Vec::new()),
                    _ => Buffer::Wide(*kind, IntBuffer::default()),
                },
                Scalar::F16 => Buffer::F16(Vec::new()),
                Scalar::Bf16 => Buffer::Bf16(Vec::new()),
                Scalar::F32 => Buffer::F32(Vec::new()),
                Scalar::F64 => Buffer::F64(Vec::new()),
                Scalar::String | Scalar::Bytes => Buffer::Text(TextBuffer::default()),
                Scalar::Fixed(len) => Buffer::Fixed(Of::fixed(*len), Vec::new()),
            },
            Type::Option(_) => Buffer::Bits(Vec::new()),
            Type::Packed(inner) => {
                let width = DType::of(types, *inner).width().unwrap_or(0);
                Buffer::Packed(Of::packed(width), Vec::new())
            }
            Type::List(_) | Type::Map(..) | Type::Shared(_) => {
                Buffer::Numbers(NumberBuffer::default())
            }
            Type::Union(union) if union.variants.len() > 1 => {
                Buffer::Numbers(NumberBuffer::default())
            }
            Type::Tensor(inner) => {
                Buffer::Tensors(TensorRows::of(&DType::of(types, *inner)).into())
            }
            _ => Buffer::None,
        }
    }

    /// Makes an empty buffer for rows of a scalar type that is inferred: integers of one type can have any width, and
    /// text may repeat.
    pub fn inferred(scalar: Scalar) -> Buffer {
        match scalar {
            Scalar::Int(kind) => Buffer::Wide(kind, IntBuffer::default()),
            Scalar::String | Scalar::Bytes => Buffer::Gathered(scalar, GatheredText::default()),
            _ => Buffer::of(&[], &Type::Scalar(scalar)),
        }
    }

    /// Reserves room for the first rows. With many columns of few rows, growing them would dominate.
    #[must_use]
    pub fn with_room(mut self) -> Buffer {
        match &mut self {
            Buffer::Wide(_, column) => column.values.room(ROOM),
            Buffer::F64(column) => column.room(ROOM),
            Buffer::Gathered(_, column) => column.reserve(ROOM),
            _ => {}
        }
        self
    }

    /// Returns the scalar type of the rows, if they are of one and it is known.
    #[inline]
    pub fn scalar(&self) -> Option<Scalar> {
        Some(match self {
            Buffer::Bits(_) => Scalar::Bool,
            Buffer::Ints8 { kind, .. }
            | Buffer::Ints16(kind, _)
            | Buffer::Ints32(kind, _)
            | Buffer::Ints64(kind, _)
            | Buffer::Wide(kind, _) => Scalar::Int(*kind),
            Buffer::F16(_) => Scalar::F16,
            Buffer::Bf16(_) => Scalar::Bf16,
            Buffer::F32(_) => Scalar::F32,
            Buffer::F64(_) => Scalar::F64,
            Buffer::Gathered(scalar, _) => *scalar,
            Buffer::Fixed(of, _) => Scalar::Fixed(of.width),
            Buffer::None
            | Buffer::Text(_)
            | Buffer::Packed(..)
            | Buffer::Numbers(_)
            | Buffer::Tensors(_) => return None,
        })
    }

    /// Drops the rows, and keeps their memory.
    pub fn clear(&mut self) {
        if let Buffer::Ints8 { as_is, .. } = self {
            *as_is = false;
        }
        each_rows! { self, rows => rows.clear() }
    }

    /// Returns about how many bytes the rows take in memory, dictionary text by its rows.
    pub fn size(&self) -> usize {
        match self {
            Buffer::Bits(rows) => rows.len() / 8,
            // This determines where blocks of streams end, so each number counts as 64 bits.
            Buffer::Numbers(rows) => 8 * rows.len(),
            Buffer::Wide(_, rows) => rows.size(),
            Buffer::Text(rows) => rows.size(),
            Buffer::Gathered(_, rows) => rows.size(),
            Buffer::Tensors(rows) => rows.size(),
            rows => each_rows! { rows, rows => size_of_val(&rows[..]), else => 0 },
        }
    }

    /// Returns how many bytes the rows take; counts dictionary text by its entries.
    pub fn held(&self) -> usize {
        match self {
            Buffer::Gathered(_, rows) => rows.held(),
            rows => rows.size(),
        }
    }

    /// An upper bound of the rows, the rows directly inside (of lists and maps) and the bytes of text.
    pub fn most_rows(&self) -> u64 {
        let rows = match self {
            Buffer::Numbers(rows) => return rows.sum().saturating_add(rows.len() as u64),
            Buffer::Wide(_, rows) => rows.size(),
            Buffer::Text(rows) => rows.size(),
            Buffer::Gathered(_, rows) => rows.size(),
            Buffer::Tensors(rows) => rows.size(),
            rows => each_rows! { rows, rows => rows.len(), else => 0 },
        };
        rows as u64
    }

    /// How many rows there are, but for tensors and text of inferred type.
    pub fn rows(&self) -> Option<usize> {
        match self {
            Buffer::Fixed(of, bytes) | Buffer::Packed(of, bytes) => {
                bytes.len().checked_div(of.width as usize)
            }
            Buffer::Wide(_, rows) => Some(rows.len()),
            Buffer::Text(rows) => Some(rows.len()),
            Buffer::Numbers(rows) => Some(rows.len()),
            rows => each_rows! { rows, rows => Some(rows.len()), else => None },
        }
    }

    /// Keeps the first rows.
    pub fn truncate(&mut self, rows: usize) {
        match self {
            Buffer::Fixed(of, bytes) | Buffer::Packed(of, bytes) => {
                bytes.truncate(rows * of.width as usize);
            }
            column => each_rows! { column, column => column.truncate(rows) },
        }
    }

    /// Reserves room for rows of a known width.
    pub fn reserve(&mut self, rows: usize) {
        match self {
            Buffer::Numbers(column) => column.reserve(rows),
            Buffer::Wide(_, column) => column.values.room(rows),
            Buffer::Text(column) => column.reserve(rows),
            Buffer::Gathered(_, column) => column.reserve(rows),
            Buffer::Bits(_) | Buffer::Fixed(..) | Buffer::Packed(..) | Buffer::Tensors(_) => {}
            column => each_rows! { column, column => column.room(rows), else => () },
        }
    }

    /// Returns the bytes of the column in profile fast, not aligned, and the frame of its numbers, if known before
    /// it is written.
    pub fn prepare(&self) -> Option<(usize, Option<FrameChoice>)> {
        let len = match self {
            Buffer::None => 0,
            Buffer::Bits(column) => bits::len_of(column),
            Buffer::Ints8 { rows, as_is: true, .. } => ints::len_of_bytes(rows),
            Buffer::Ints8 { kind, rows, .. } => return Some(ints::prepare_words(*kind, rows)),
            Buffer::Ints16(kind, column) => return Some(ints::prepare_words(*kind, column)),
            Buffer::Ints32(kind, column) => return Some(ints::prepare_words(*kind, column)),
            Buffer::Ints64(kind, column) => return Some(ints::prepare_words(*kind, column)),
            Buffer::Wide(kind, column) => return ints::prepare(*kind, column),
            Buffer::F16(column) => floats::len_of(column),
            Buffer::Bf16(column) => floats::len_of(column),
            Buffer::F32(column) => floats::len_of(column),
            Buffer::F64(column) => floats::len_of(column),
            Buffer::Text(column) => return Some(text::prepare(column)),
            Buffer::Fixed(_, column) | Buffer::Packed(_, column) => raw::len_of(column),
            Buffer::Numbers(column) => return Some(column.prepare()),
            Buffer::Tensors(rows) if rows.rows().next().is_none() => 0,
            Buffer::Tensors(_) | Buffer::Gathered(..) => return None,
        };
        Some((len, None))
    }

    /// Appends the column in profile fast, with the frame already chosen.
    pub fn write_prepared(
        &self,
        out: &mut Vec<u8>,
        settings: Settings,
        frame: Option<FrameChoice>,
    ) {
        match (self, frame) {
            (Buffer::Ints8 { rows, .. }, Some(frame)) => frame.write(out, rows),
            (Buffer::Ints16(_, column), Some(frame)) => frame.write(out, column),
            (Buffer::Ints32(_, column), Some(frame)) => frame.write(out, column),
            (Buffer::Ints64(_, column), Some(frame)) => frame.write(out, column),
            (Buffer::Wide(_, column), Some(frame)) => frame.write(out, &column.values),
            (Buffer::Numbers(column), Some(frame)) => column.write_framed(out, &frame),
            (Buffer::Text(column), Some(frame)) => text::write_plain(out, column, &frame),
            _ => self.write(out, settings),
        }
    }

    /// Appends the column.
    pub fn write(&self, out: &mut Vec<u8>, settings: Settings) {
        match self {
            Buffer::None => {}
            Buffer::Bits(column) => bits::write(out, column, settings),
            Buffer::Ints8 { rows, as_is: true, .. } => ints::write_bytes(out, rows, settings),
            Buffer::Ints8 { kind, rows, .. } => ints::write_words(out, *kind, rows, settings),
            Buffer::Ints16(kind, column) => ints::write_words(out, *kind, column, settings),
            Buffer::Ints32(kind, column) => ints::write_words(out, *kind, column, settings),
            Buffer::Ints64(kind, column) => ints::write_words(out, *kind, column, settings),
            Buffer::Wide(kind, column) => ints::write(out, *kind, column, settings),
            Buffer::F16(column) => floats::write(out, column, settings),
            Buffer::Bf16(column) => floats::write(out, column, settings),
            Buffer::F32(column) => floats::write(out, column, settings),
            Buffer::F64(column) => floats::write(out, column, settings),
            Buffer::Text(column) => text::write(out, column, settings),
            Buffer::Gathered(_, column) => text::write_gathered(out, column, settings),
            Buffer::Fixed(of, column) | Buffer::Packed(of, column) => {
                raw::write(out, *of, column, settings);
            }
            Buffer::Numbers(column) => column.write(out, settings),
            Buffer::Tensors(rows) => tensors::write(out, rows, settings, None),
        }
    }

    /// Appends the column; a large payload becomes a piece of its own, without a copy.
    pub fn write_apart(&mut self, out: &mut Vec<u8>, settings: Settings, apart: &mut Apart) {
        match self {
            Buffer::F64(column) => floats::write_apart(out, column, settings, apart),
            Buffer::Gathered(_, column) => text::write_apart(out, column, settings, apart),
            Buffer::Tensors(rows) => tensors::write(out, rows, settings, Some(apart)),
            column => column.write(out, settings),
        }
    }
}

/// A value of fixed width: one row of a column.
pub trait FixedRow: NoUninit {
    /// Returns the rows of a column, if they are of this kind.
    fn rows(column: &mut Buffer) -> Option<&mut Vec<Self>>;
}

macro_rules! fixed_rows {
    ($($word:ty, $column:pat => $rows:expr;)*) => {$(
        impl FixedRow for $word {
            #[inline(always)]
            fn rows(column: &mut Buffer) -> Option<&mut Vec<Self>> {
                match column {
                    $column => Some($rows),
                    _ => None,
                }
            }
        }
    )*};
}

fixed_rows! {
    bool, Buffer::Bits(rows) => rows;
    u8, Buffer::Ints8 { rows, .. } => rows;
    u16, Buffer::Ints16(_, rows) => rows;
    u32, Buffer::Ints32(_, rows) => rows;
    u64, Buffer::Ints64(_, rows) => rows;
    f16, Buffer::F16(rows) => rows;
    bf16, Buffer::Bf16(rows) => rows;
    f32, Buffer::F32(rows) => rows;
    f64, Buffer::F64(rows) => rows;
}
