//! The end of a column of integers, found without decoding it.

use std::ops::Range;

use super::rows::check_range;
use super::{BIG, WIDTHS, stages, sum_inner, widths};
use crate::column::frame::{self, INNER, is_frame};
use crate::column::zstd::{self, ZSTD};
use crate::column::{FEW, skip_marker, unreadable};
use crate::error::Result;
use crate::input::Cursor;
use crate::input::trace::field;
use crate::kernel::frame::payload_len;
use crate::number::IntKind;

/// Passes over a column of `rows` > 0 rows; gives where its rows are, if they stand there as they are.
pub fn skip(cursor: &mut Cursor<'_>, kind: IntKind, rows: u64) -> Result<Option<Range<u64>>> {
    let is_encoded = if kind.is_byte() { rows >= FEW as u64 } else { skip_marker(cursor, rows)? };
    if !is_encoded {
        return skip_few(cursor, kind, rows);
    }
    let start = cursor.position();
    let byte = cursor.byte(field("the encoding of integers", "F-29"))?;
    match byte {
        byte if is_frame(byte) => {
            let fields = frame::skip(cursor, byte, rows)?;
            return Ok(is_raw(kind, byte).then_some(fields));
        }
        BIG if kind.is_wide() => {
            let sum = sum_inner(cursor, rows)?;
            cursor.skip(sum, field("big integers", "F-29"))?;
        }
        byte if stages::is_stage(byte) => stages::skip(cursor, byte, rows, kind.is_signed())?,
        ZSTD => zstd::skip(cursor)?,
        _ => return Err(unreadable(byte, 0).moved_by(start)),
    }
    Ok(None)
}

/// Whether the fields of a frame are the rows as a program of this kind of integers has them in memory. Signed kinds below 64
/// bits are not: each row must be looked at, whether it is in their range.
fn is_raw(kind: IntKind, byte: u8) -> bool {
    let width = match kind {
        IntKind::U8 => 8,
        IntKind::U16 => 16,
        IntKind::U32 => 32,
        IntKind::U64 | IntKind::I64 | IntKind::Int => 64,
        _ => return false,
    };
    byte == width
}

fn skip_few(cursor: &mut Cursor<'_>, kind: IntKind, rows: u64) -> Result<Option<Range<u64>>> {
    if kind.is_byte() {
        return cursor.payload(u128::from(rows), field("bytes", "F-29")).map(Some);
    }
    for _ in 0..rows {
        cursor.varint(field("a number", "F-29"))?;
    }
    Ok(None)
}

/// Some rows of a column of 4 rows or more that is a frame or widths; none of other columns. What the cursor stands at is the
/// column.
pub fn some(
    cursor: &mut Cursor<'_>,
    kind: IntKind,
    rows: u64,
    some: Range<u64>,
) -> Result<Option<Vec<u64>>> {
    let start = cursor.position();
    let byte = match cursor.peek()? {
        Some([byte]) if rows >= FEW as u64 && (is_frame(byte) || byte == WIDTHS) => byte,
        _ => return Ok(None),
    };
    cursor.byte(INNER)?;
    if byte == WIDTHS {
        let Some(numbers) = widths::some(cursor, kind, rows, some)? else { return Ok(None) };
        check_range(kind, &numbers, 0).map_err(|error| error.in_row(None).moved_by(start))?;
        return Ok(Some(numbers));
    }
    let (base, width, fields) = frame::parts(cursor, byte, rows, kind.is_signed())?;
    // Each 8 fields begin at a byte.
    let first = some.start & !7;
    let count = usize::try_from(some.end - first).unwrap_or(usize::MAX);
    let from = fields.start + first / 8 * u64::from(width);
    let bytes = from..from + payload_len(count, width) as u64;
    let mut numbers = cursor.read_bytes(bytes, |bytes| {
        let mut numbers = vec![0; count];
        crate::kernel::frame::unpack(&mut numbers, bytes, base, width);
        numbers
    })?;
    numbers.drain(..(some.start - first) as usize);
    check_range(kind, &numbers, 0).map_err(|error| error.in_row(None).moved_by(start))?;
    Ok(Some(numbers))
}
