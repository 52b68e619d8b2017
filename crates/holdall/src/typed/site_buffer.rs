//! The buffer of one site: its rows in memory, by the kind of its column.

use bytemuck::NoUninit;
use half::{bf16, f16};

use crate::block::RowsInside;
use crate::column::frame::Choice;
use crate::column::ints::IntBuffer;
use crate::column::numbers::NumberBuffer;
use crate::column::raw::{self, Of};
use crate::column::text::TextBuffer;
use crate::column::{Settings, bits, floats, ints, text};
use crate::dynamic::{TensorRows, write_tensors};
use crate::memory::Grow;
use crate::number::IntKind;
use crate::schema::{DType, Scalar, Type};

/// The rows of one site.
#[derive(Debug)]
pub(crate) enum SiteBuffer {
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
    /// Integers of kinds that exceed 64 bits.
    Wide(IntKind, IntBuffer),
    F16(Vec<f16>),
    Bf16(Vec<bf16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Text(TextBuffer),
    Fixed(Of, Vec<u8>),
    /// Packed rows.
    Packed(Of, Vec<u8>),
    /// Lengths, variants, references.
    Numbers(NumberBuffer),
    Tensors(TensorRows),
}

impl RowsInside for SiteBuffer {
    fn present(&self) -> u64 {
        match self {
            SiteBuffer::Bits(bits) => bits.iter().filter(|bit| **bit).count() as u64,
            _ => 0,
        }
    }

    fn numbers(&self) -> (&[u8], &[u64]) {
        match self {
            SiteBuffer::Numbers(numbers) => numbers.as_slices(),
            _ => (&[], &[]),
        }
    }
}

/// Evaluates an expression with the rows of a buffer, whatever their kind. With `else`, only rows that are a vector get
/// it, and the others get the expression after `else`.
macro_rules! each_rows {
    ($column:expr, $rows:ident => $each:expr) => {
        match $column {
            SiteBuffer::Wide(_, $rows) => $each,
            SiteBuffer::Text($rows) => $each,
            SiteBuffer::Numbers($rows) => $each,
            SiteBuffer::Tensors($rows) => $each,
            column => each_rows! { column, $rows => $each, else => {} },
        }
    };
    ($column:expr, $rows:ident => $each:expr, else => $other:expr) => {
        match $column {
            SiteBuffer::Bits($rows) => $each,
            SiteBuffer::Ints8 { rows: $rows, .. } => $each,
            SiteBuffer::Ints16(_, $rows) => $each,
            SiteBuffer::Ints32(_, $rows) => $each,
            SiteBuffer::Ints64(_, $rows) => $each,
            SiteBuffer::F16($rows) => $each,
            SiteBuffer::Bf16($rows) => $each,
            SiteBuffer::F32($rows) => $each,
            SiteBuffer::F64($rows) => $each,
            SiteBuffer::Fixed(_, $rows) | SiteBuffer::Packed(_, $rows) => $each,
            _ => $other,
        }
    };
}

impl SiteBuffer {
    pub(super) fn of(types: &[Type], ty: &Type) -> SiteBuffer {
        match ty {
            Type::Scalar(scalar) => match scalar {
                Scalar::Bool => SiteBuffer::Bits(Vec::new()),
                Scalar::Int(kind) => match kind.width() {
                    Some(1) => SiteBuffer::Ints8 { kind: *kind, rows: Vec::new(), as_is: false },
                    Some(2) => SiteBuffer::Ints16(*kind, Vec::new()),
                    Some(4) => SiteBuffer::Ints32(*kind, Vec::new()),
                    Some(8) => SiteBuffer::Ints64(*kind, Vec::new()),
                    _ => SiteBuffer::Wide(*kind, IntBuffer::default()),
                },
                Scalar::F16 => SiteBuffer::F16(Vec::new()),
                Scalar::Bf16 => SiteBuffer::Bf16(Vec::new()),
                Scalar::F32 => SiteBuffer::F32(Vec::new()),
                Scalar::F64 => SiteBuffer::F64(Vec::new()),
                Scalar::String | Scalar::Bytes => SiteBuffer::Text(TextBuffer::default()),
                Scalar::Fixed(len) => SiteBuffer::Fixed(Of::fixed(*len), Vec::new()),
            },
            Type::Option(_) => SiteBuffer::Bits(Vec::new()),
            Type::Packed(inner) => {
                let width = DType::of(types, *inner).width().unwrap_or(0);
                SiteBuffer::Packed(Of::packed(width), Vec::new())
            }
            Type::List(_) | Type::Map(..) | Type::Shared(_) => {
                SiteBuffer::Numbers(NumberBuffer::default())
            }
            Type::Union(union) if union.variants.len() > 1 => {
                SiteBuffer::Numbers(NumberBuffer::default())
            }
            Type::Tensor(inner) => SiteBuffer::Tensors(TensorRows::of(&DType::of(types, *inner))),
            _ => SiteBuffer::None,
        }
    }

    pub(super) fn clear(&mut self) {
        if let SiteBuffer::Ints8 { as_is, .. } = self {
            *as_is = false;
        }
        each_rows! { self, rows => rows.clear() }
    }

    /// Returns about how many bytes the rows take in memory.
    pub(super) fn size(&self) -> usize {
        match self {
            SiteBuffer::Bits(rows) => rows.len() / 8,
            // This determines where blocks of streams end, so each number counts as 64 bits.
            SiteBuffer::Numbers(rows) => 8 * rows.len(),
            SiteBuffer::Wide(_, rows) => rows.size(),
            SiteBuffer::Text(rows) => rows.size(),
            SiteBuffer::Tensors(rows) => rows.size(),
            rows => each_rows! { rows, rows => size_of_val(&rows[..]), else => 0 },
        }
    }

    /// An upper bound of the rows, the rows directly inside (of lists and maps) and the bytes of text.
    pub(super) fn most_rows(&self) -> u64 {
        let rows = match self {
            SiteBuffer::Numbers(rows) => return rows.sum().saturating_add(rows.len() as u64),
            SiteBuffer::Wide(_, rows) => rows.size(),
            SiteBuffer::Text(rows) => rows.size(),
            SiteBuffer::Tensors(rows) => rows.size(),
            rows => each_rows! { rows, rows => rows.len(), else => 0 },
        };
        rows as u64
    }

    /// Keeps the first rows; `width` is that of a fixed or packed row.
    pub(super) fn truncate(&mut self, rows: usize, width: usize) {
        match self {
            SiteBuffer::Fixed(_, bytes) | SiteBuffer::Packed(_, bytes) => {
                bytes.truncate(rows * width);
            }
            column => each_rows! { column, column => column.truncate(rows) },
        }
    }

    /// Reserves room for rows of a known width.
    pub(super) fn reserve(&mut self, rows: usize) {
        match self {
            SiteBuffer::Numbers(column) => column.reserve(rows),
            SiteBuffer::Wide(_, column) => column.values.room(rows),
            SiteBuffer::Text(column) => column.reserve(rows),
            SiteBuffer::Bits(_)
            | SiteBuffer::Fixed(..)
            | SiteBuffer::Packed(..)
            | SiteBuffer::Tensors(_) => {}
            column => each_rows! { column, column => column.room(rows), else => () },
        }
    }

    /// Returns the bytes of the column in profile fast, not aligned, and the frame of its numbers, if known before
    /// it is written.
    pub(super) fn prepare(&self) -> Option<(usize, Option<Choice>)> {
        let len = match self {
            SiteBuffer::None => 0,
            SiteBuffer::Bits(column) => bits::len_of(column),
            SiteBuffer::Ints8 { rows, as_is: true, .. } => ints::len_of_bytes(rows),
            SiteBuffer::Ints8 { kind, rows, .. } => return Some(ints::prepare_words(*kind, rows)),
            SiteBuffer::Ints16(kind, column) => return Some(ints::prepare_words(*kind, column)),
            SiteBuffer::Ints32(kind, column) => return Some(ints::prepare_words(*kind, column)),
            SiteBuffer::Ints64(kind, column) => return Some(ints::prepare_words(*kind, column)),
            SiteBuffer::Wide(kind, column) => return ints::prepare(*kind, column),
            SiteBuffer::F16(column) => floats::len_of(column),
            SiteBuffer::Bf16(column) => floats::len_of(column),
            SiteBuffer::F32(column) => floats::len_of(column),
            SiteBuffer::F64(column) => floats::len_of(column),
            SiteBuffer::Text(column) => return Some(text::prepare(column)),
            SiteBuffer::Fixed(_, column) | SiteBuffer::Packed(_, column) => raw::len_of(column),
            SiteBuffer::Numbers(column) => return Some(column.prepare()),
            SiteBuffer::Tensors(rows) if rows.rows().next().is_none() => 0,
            SiteBuffer::Tensors(_) => return None,
        };
        Some((len, None))
    }

    /// Appends the column in profile fast, with the frame already chosen.
    pub(super) fn write_prepared(
        &self,
        out: &mut Vec<u8>,
        settings: Settings,
        frame: Option<Choice>,
    ) {
        match (self, frame) {
            (SiteBuffer::Ints8 { rows, .. }, Some(frame)) => frame.write(out, rows),
            (SiteBuffer::Ints16(_, column), Some(frame)) => frame.write(out, column),
            (SiteBuffer::Ints32(_, column), Some(frame)) => frame.write(out, column),
            (SiteBuffer::Ints64(_, column), Some(frame)) => frame.write(out, column),
            (SiteBuffer::Wide(_, column), Some(frame)) => frame.write(out, &column.values),
            (SiteBuffer::Numbers(column), Some(frame)) => column.write_framed(out, &frame),
            (SiteBuffer::Text(column), Some(frame)) => text::write_plain(out, column, &frame),
            _ => self.write(out, settings),
        }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>, settings: Settings) {
        match self {
            SiteBuffer::None => {}
            SiteBuffer::Bits(column) => bits::write(out, column, settings),
            SiteBuffer::Ints8 { rows, as_is: true, .. } => ints::write_bytes(out, rows, settings),
            SiteBuffer::Ints8 { kind, rows, .. } => ints::write_words(out, *kind, rows, settings),
            SiteBuffer::Ints16(kind, column) => ints::write_words(out, *kind, column, settings),
            SiteBuffer::Ints32(kind, column) => ints::write_words(out, *kind, column, settings),
            SiteBuffer::Ints64(kind, column) => ints::write_words(out, *kind, column, settings),
            SiteBuffer::Wide(kind, column) => ints::write(out, *kind, column, settings),
            SiteBuffer::F16(column) => floats::write(out, column, settings),
            SiteBuffer::Bf16(column) => floats::write(out, column, settings),
            SiteBuffer::F32(column) => floats::write(out, column, settings),
            SiteBuffer::F64(column) => floats::write(out, column, settings),
            SiteBuffer::Text(column) => text::write(out, column, settings),
            SiteBuffer::Fixed(of, column) | SiteBuffer::Packed(of, column) => {
                raw::write(out, *of, column, settings);
            }
            SiteBuffer::Numbers(column) => column.write(out, settings),
            SiteBuffer::Tensors(rows) => write_tensors(out, rows, settings, None),
        }
    }
}

/// A value of fixed width that a column gathers.
pub(crate) trait Gathered: NoUninit {
    /// Returns the rows of a column, if they are of this kind.
    fn rows(column: &mut SiteBuffer) -> Option<&mut Vec<Self>>;
}

macro_rules! gathered {
    ($($word:ty, $column:pat => $rows:expr;)*) => {$(
        impl Gathered for $word {
            #[inline(always)]
            fn rows(column: &mut SiteBuffer) -> Option<&mut Vec<Self>> {
                match column {
                    $column => Some($rows),
                    _ => None,
                }
            }
        }
    )*};
}

gathered! {
    bool, SiteBuffer::Bits(rows) => rows;
    u8, SiteBuffer::Ints8 { rows, .. } => rows;
    u16, SiteBuffer::Ints16(_, rows) => rows;
    u32, SiteBuffer::Ints32(_, rows) => rows;
    u64, SiteBuffer::Ints64(_, rows) => rows;
    f16, SiteBuffer::F16(rows) => rows;
    bf16, SiteBuffer::Bf16(rows) => rows;
    f32, SiteBuffer::F32(rows) => rows;
    f64, SiteBuffer::F64(rows) => rows;
}
