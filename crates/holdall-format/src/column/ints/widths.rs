//! Widths: each row takes the bits that it needs (F-29, F-91).

use std::ops::Range;

use super::{WIDTHS, check_unused, row_count};
use crate::column::frame::{Choice, Frame, INNER, SOME, is_frame, locate_frame, skip_frame};
use crate::column::preview::number_text;
use crate::error::{Code, Error, Result};
use crate::input::trace::{Form, field};
use crate::input::{Cursor, Input};
use crate::kernel::Word;
use crate::kernel::widths::{self, Need, Unpack};
use crate::number::IntKind;

/// The widest row (F-29).
const WIDEST: u64 = 64;

/// Rows and their widths, as a writer would write them.
pub struct Widths {
    frame: Choice,
    bits: u64,
}

impl Widths {
    pub(super) fn of(values: &[u64], signed: bool) -> Widths {
        let Need { low, high, bits } = widths::measure(values, signed);
        let frame = Choice::between(u64::from(low), u64::from(high), false, values.len());
        Widths { frame, bits }
    }

    /// The bytes behind the encoding byte.
    pub(super) fn size(&self) -> u128 {
        1 + self.frame.size() + u128::from(self.bits.div_ceil(8))
    }

    pub(super) fn write(&self, out: &mut Vec<u8>, values: &[u64], signed: bool) {
        out.push(WIDTHS);
        self.frame.write_made(out, values, |value| widths::width(*value, signed));
        widths::pack(out, values, signed);
    }
}

/// Rows that have been located; no width is above 64, and the padding is checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located<'a> {
    widths: Frame<'a>,
    payload: &'a [u8],
    /// The greatest width.
    widest: u64,
}

pub(super) fn locate<'a>(input: &mut Input<'a>, rows: usize, signed: bool) -> Result<Located<'a>> {
    let start = input.position();
    let widths = locate_frame(input, "widths", rows, false)?;
    let (widest, bits) = need(&widths);
    if widest > WIDEST {
        return Err(too_wide(widest, start));
    }
    let what = field("the patterns", "F-29").form(Form::Rows);
    let payload = input.take(u128::from(bits.div_ceil(8)), what)?;
    check_unused(payload, bits, input.position())?;
    let located = Located { widths, payload, widest };
    if let Some(tracer) = input.tracer().filter(|_| !payload.is_empty()) {
        let mut values = vec![0_u64; rows];
        located.decode(&mut values, signed);
        tracer.preview(rows, |row| Some(number_text(values[row], signed)));
    }
    Ok(located)
}

/// The greatest of some widths, and the bits of their rows, which are right if that is no more than 64.
fn need(widths: &Frame<'_>) -> (u64, u64) {
    fn of<W: Word>(widths: &Frame<'_>) -> (u64, u64) {
        let (mut widest, mut bits) = (0, 0_u64);
        widths.decode_some(|words: &[W]| {
            let (high, sum) = widths::sum(words);
            widest = high.max(widest);
            bits = bits.wrapping_add(sum);
        });
        (widest, bits)
    }
    // What a writer writes fits bytes, which are done 8 times as fast.
    match widths.base.checked_add(widths.widest()) {
        Some(..=0xFF) => of::<u8>(widths),
        _ => of::<u64>(widths),
    }
}

/// The bytes of the rows whose widths stand at a cursor, which passes over these, not over the rows.
pub(super) fn skip_inner_widths(cursor: &mut Cursor<'_>, rows: u64) -> Result<u128> {
    let start = cursor.position();
    skip_frame(cursor, rows)?;
    cursor.read(start, |input| {
        let at = input.position();
        let byte = input.byte(INNER)?;
        // As many as its fields, or all the same.
        let is_one = Frame::width_of_byte(byte) == 0;
        let count = if is_one { 1 } else { row_count(rows)? };
        let frame = Frame::locate(input, byte, count, false)?;
        let (widest, bits) = need(&frame);
        if widest > WIDEST {
            return Err(too_wide(widest, at));
        }
        let bits = u128::from(bits) * if is_one { u128::from(rows) } else { 1 };
        Ok(bits.div_ceil(8))
    })
}

/// Some rows of a column whose encoding byte the cursor stands behind; none if all rows have the same width, which few columns
/// have.
pub(super) fn some(
    cursor: &mut Cursor<'_>,
    kind: IntKind,
    rows: u64,
    some: Range<u64>,
) -> Result<Option<Vec<u64>>> {
    let start = cursor.position();
    let Some([byte]) = cursor.peek()? else { return Ok(None) };
    if !is_frame(byte) || Frame::width_of_byte(byte) == 0 {
        return Ok(None);
    }
    let bytes = skip_inner_widths(cursor, rows)?;
    // The widths of these rows, and the bits of those before.
    let mut before = 0;
    let mut widths = Vec::new();
    cursor.read(start, |input| {
        let byte = input.byte(INNER)?;
        let mut first_row = 0;
        Frame::locate(input, byte, row_count(rows)?, false)?.decode_some(|words: &[u8]| {
            let at = |row: u64| row.saturating_sub(first_row).min(words.len() as u64) as usize;
            let (first, end) = (at(some.start), at(some.end));
            before += widths::sum(&words[..first]).1;
            widths.extend_from_slice(&words[first..end]);
            first_row += words.len() as u64;
        });
        Ok(())
    })?;
    let what = field("the patterns", "F-29");
    let payload = cursor.payload(bytes, what)?;
    let bits = before % 8 + widths::sum(&widths).1;
    let from = payload.start + before / 8;
    cursor.read_bytes(from..from + bits.div_ceil(8), |bytes| {
        let mut numbers = vec![0; widths.len()];
        let mut unpack = Unpack::new(bytes, before as usize % 8);
        for (numbers, widths) in numbers.chunks_mut(SOME).zip(widths.chunks(SOME)) {
            unpack.take(numbers, widths, kind.is_signed());
        }
        Some(numbers)
    })
}

#[cold]
fn too_wide(width: u64, at: usize) -> Error {
    Error::at(Code::BadWidths, at).expected("widths up to 64").got(width.to_string())
}

impl Located<'_> {
    /// Whether every row must be in a kind's range: that of N bits has the patterns of N bits.
    pub(super) fn is_within(&self, kind: IntKind) -> bool {
        self.widest <= kind.width().map_or(WIDEST, |bytes| 8 * bytes)
    }

    /// The rows modulo 2^N, as words of N bits.
    pub(super) fn decode<W: Word>(&self, rows: &mut [W], signed: bool) {
        let mut left = rows;
        let mut unpack = Unpack::new(self.payload, 0);
        self.widths.decode_some(|widths: &[u8]| {
            let (some, rest) = std::mem::take(&mut left).split_at_mut(widths.len());
            unpack.take(some, widths, signed);
            left = rest;
        });
    }
}
