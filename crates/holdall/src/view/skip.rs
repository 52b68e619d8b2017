//! The end of a site's columns, found without decoding them.

use std::ops::Range;
use std::sync::Arc;

use crate::block::is_uninhabited;
use crate::column::bits::read_bits;
use crate::column::packed::element_counts;
use crate::column::raw::{self, Of};
use crate::column::{FEW, MARKER, bits, floats, ints, skip_marker, text};
use crate::error::{Code, Error, Result};
use crate::input::trace::field;
use crate::input::{Cursor, Input};
use crate::kernel::lengths;
use crate::limits::RANK;
use crate::number::IntKind;
use crate::schema::{DType, Form, Scalar, Type, TypeId, code};

/// Passes over the columns of a site with `rows` > 0 rows; gives where the rows are, if they stand there as they are.
pub(super) fn skip_site(
    cursor: &mut Cursor<'_>,
    types: &[Type],
    id: TypeId,
    rows: u64,
) -> Result<Option<Range<u64>>> {
    let ty = &types[id];
    if is_uninhabited(ty) {
        return Err(Error::at(Code::NeverHasRows, 0)
            .expected("no rows of a type without values")
            .got(rows.to_string())
            .moved_by(cursor.position()));
    }
    match ty {
        Type::Scalar(scalar) => return skip_scalar(cursor, *scalar, rows),
        Type::Packed(inner) => {
            let width = DType::of(types, *inner).width().unwrap_or(0);
            return raw::skip(cursor, Of::packed(width), u128::from(rows));
        }
        Type::Option(_) => bits::skip(cursor, rows)?,
        Type::List(_) | Type::Map(..) | Type::Shared(_) => skip_ints(cursor, rows)?,
        Type::Union(union) if union.variants.len() > 1 => skip_ints(cursor, rows)?,
        Type::Record(fields) | Type::Struct(_, fields) => match fields.form {
            Form::One => {}
            Form::Several(_) => skip_ints(cursor, rows)?,
            Form::Sparse => {
                let bound = fields.fields.len() as u64 + 1;
                let counts = read_numbers(cursor, rows, bound, "a count of fields")?;
                skip_sum(cursor, &counts)?;
            }
        },
        Type::Tensor(inner) => {
            skip_tensors(cursor, &Arc::new(DType::of(types, *inner)), rows)?;
        }
        Type::Unknown(_) => skip_later(cursor)?,
        Type::Never
        | Type::Null
        | Type::Tuple(_)
        | Type::Union(_)
        | Type::Array(..)
        | Type::Def(_)
        | Type::Logical(..)
        | Type::Extension(..) => {}
    }
    Ok(None)
}

fn skip_scalar(cursor: &mut Cursor<'_>, scalar: Scalar, rows: u64) -> Result<Option<Range<u64>>> {
    let (few, can_be_marked) = match scalar {
        Scalar::Fixed(_) => (true, false),
        Scalar::Bool => (rows <= bits::FEW_BITS as u64, false),
        Scalar::Int(kind) => (rows < FEW as u64, !kind.is_byte()),
        Scalar::String | Scalar::Bytes => (rows < FEW as u64, true),
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => (rows < FEW as u64, false),
    };
    let byte = match few {
        false => cursor.peek()?.map(|[byte]| byte),
        true if can_be_marked => match cursor.peek()? {
            Some([first, second, byte]) if [first, second] == MARKER => Some(byte),
            _ => None,
        },
        true => None,
    };
    if byte.is_some_and(|byte| byte >= code::LATER) {
        skip_marker(cursor, rows)?;
        cursor.byte(field("an encoding", "F-77"))?;
        return skip_later(cursor).map(|()| None);
    }
    match scalar {
        Scalar::Bool => bits::skip(cursor, rows).map(|()| None),
        Scalar::Int(kind) => ints::skip(cursor, kind, rows),
        Scalar::F16 | Scalar::Bf16 => floats::skip(cursor, 2, rows),
        Scalar::F32 => floats::skip(cursor, 4, rows),
        Scalar::F64 => floats::skip(cursor, 8, rows),
        Scalar::String | Scalar::Bytes => text::skip(cursor, rows).map(|()| None),
        Scalar::Fixed(len) => raw::skip(cursor, Of::fixed(len), u128::from(rows)),
    }
}

/// What a later version wrote: a length and as many bytes (F-73, F-77).
fn skip_later(cursor: &mut Cursor<'_>) -> Result<()> {
    let len = cursor.varint(field("a length", "F-77"))?;
    cursor.skip(u128::from(len), field("what a later version wrote", "F-77"))
}

fn skip_ints(cursor: &mut Cursor<'_>, rows: u64) -> Result<()> {
    ints::skip(cursor, IntKind::U64, rows).map(|_| ())
}

/// Passes over a column with as many rows as the numbers add up to.
fn skip_sum(cursor: &mut Cursor<'_>, counts: &[u64]) -> Result<()> {
    match u64::try_from(lengths::sum(counts)).unwrap_or(u64::MAX) {
        0 => Ok(()),
        rows => skip_ints(cursor, rows),
    }
}

/// Reads a column of numbers below a bound, behind which the cursor stands then.
fn read_numbers(
    cursor: &mut Cursor<'_>,
    rows: u64,
    bound: u64,
    what: &'static str,
) -> Result<Vec<u64>> {
    let start = cursor.position();
    skip_ints(cursor, rows)?;
    cursor.read(start, |input| {
        input.charge(8 * u128::from(rows))?;
        ints::read_below(input, row_count(input, rows)?, bound, what).map(|(_, numbers)| numbers)
    })
}

pub(super) fn row_count(input: &Input<'_>, rows: u64) -> Result<usize> {
    usize::try_from(rows).map_err(|_| Error::at(Code::LimitBudget, input.position()))
}

/// A tensor whose elements were not read.
#[derive(Clone, Debug)]
pub struct TensorPlace {
    /// The type of the elements.
    pub dtype: Arc<DType>,
    /// The dimensions.
    pub shape: Box<[u64]>,
    /// Whether the first dimension runs fastest.
    pub column_major: bool,
    /// Where the elements are.
    pub elements: Range<u64>,
}

/// Tensors (F-76): ranks and dimensions say where the elements of each row are; nothing where these are not as they are.
pub(super) fn skip_tensors(
    cursor: &mut Cursor<'_>,
    dtype: &Arc<DType>,
    rows: u64,
) -> Result<Option<Vec<TensorPlace>>> {
    let start = cursor.position();
    skip_ints(cursor, rows)?;
    let (_, ranks) = cursor.read(start, |input| {
        input.charge(8 * u128::from(rows))?;
        let rows = row_count(input, rows)?;
        ints::read_bounded(input, rows, RANK + 1, "a rank", Code::LimitRank)
    })?;
    let mut dimensions = Vec::new();
    // Each is 32 at most.
    let total = lengths::sum(&ranks) as u64;
    if total > 0 {
        let start = cursor.position();
        skip_ints(cursor, total)?;
        dimensions = cursor.read(start, |input| {
            input.charge(8 * u128::from(total))?;
            ints::read_u64(input, row_count(input, total)?).map(|(_, dimensions)| dimensions)
        })?;
    }
    let start = cursor.position();
    bits::skip(cursor, rows)?;
    let orders: Vec<bool> = cursor.read(start, |input| {
        let (_, bits) = read_bits(input, ranks.len(), ["row-major", "column-major"])?;
        Ok(bits.decode_rows(0..ranks.len()).collect())
    })?;
    let (of, counts) = (Of::elements(dtype), element_counts(&ranks, &dimensions));
    let total = counts.iter().fold(0, |sum: u128, count| sum.saturating_add(*count));
    let Some(all) = raw::skip(cursor, of, total)? else { return Ok(None) };
    let (mut rest, mut start) = (&dimensions[..], all.start);
    let mut places = Vec::with_capacity(ranks.len());
    for ((rank, column_major), count) in ranks.into_iter().zip(orders).zip(counts) {
        let (shape, after) = rest.split_at(rank as usize);
        // It is a part of what was passed over, so it fits.
        let elements = start..start + (count * u128::from(of.width)) as u64;
        (rest, start) = (after, elements.end);
        let (dtype, shape) = (Arc::clone(dtype), shape.into());
        places.push(TensorPlace { dtype, shape, column_major, elements });
    }
    Ok(Some(places))
}
