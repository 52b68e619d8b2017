//! Ints: numbers of one integer kind (F-29).

mod balanced;
mod binning;
mod bins;
mod buckets;
mod buffer;
mod rows;
mod scale;
mod small;
mod stages;
#[cfg(test)]
mod tests;
mod widths;
mod write;

use alloc::string::ToString;
use alloc::vec::Vec;

pub use self::balanced::{choose as choose_balanced, saves};
pub use self::binning::BUCKETS as FEWER_BINS;
pub use self::buffer::IntBuffer;
pub use self::rows::IntRows;
use self::rows::check_range;
pub use self::small::{Candidates, keep_smaller};
use self::stages::Stages;
pub use self::stages::{read_inner, read_lengths};
use self::widths::Widths;
pub use self::write::{
    len_of_bytes, prepare, prepare_words, write, write_bytes, write_inner, write_u64, write_words,
};
use core::ops::Range;

use super::frame::{Frame, is_aligned, is_frame};
use super::zstd::{self, ZSTD};
use super::{MIN_ENCODED_ROWS, Place, is_encoded, unreadable};
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::input::trace::{Field, FieldForm, field};
use crate::kernel::frame::payload_len;
use crate::kernel::range;
use crate::memory::{self, GrowVec};
use crate::number::{IntKind, is_shortest_big, unzigzag};

const DELTA: u8 = 0x41;
const SCALED: u8 = 0x42;
const BIG: u8 = 0x44;
const WIDTHS: u8 = 0x45;
const BINS: u8 = 0x46;

/// A column that has been located.
#[derive(Clone, Debug)]
pub struct Ints<'a> {
    pub place: Place,
    /// Where to report faults of the column: at its first byte after a marker.
    start: usize,
    kind: IntKind,
    layout: IntsLayout<'a>,
}

#[derive(Clone, Debug)]
enum IntsLayout<'a> {
    /// Fewer than 4 rows, read and checked at once; with the offset of each, and the rows as they are in the input if
    /// they are bytes.
    Few(Vec<u64>, [usize; MIN_ENCODED_ROWS - 1], &'a [u8]),
    Stages(Stages<'a>),
    Big {
        lengths: Vec<u64>,
        payload: &'a [u8],
        payload_start: usize,
    },
}

impl IntsLayout<'_> {
    /// The layout of a skipped column.
    const NONE: Self = IntsLayout::Few(Vec::new(), [0; MIN_ENCODED_ROWS - 1], &[]);
}

/// Locates a column of `rows` > 0 rows.
pub fn locate<'a>(input: &mut Input<'a>, kind: IntKind, rows: usize) -> Result<Ints<'a>> {
    let start = input.position();
    if !kind.is_byte() && is_encoded(input, rows)? || rows >= MIN_ENCODED_ROWS {
        let mut ints = locate_encoded(input, kind, rows)?;
        ints.place.range.start = start;
        if input.skims() {
            ints.layout = IntsLayout::NONE;
        }
        return Ok(ints);
    }
    let layout = locate_few(input, kind, rows)?;
    let place = Place { range: start..input.position(), encoding: None, rows };
    Ok(Ints { place, start, kind, layout })
}

/// Locates a column from its encoding byte on.
fn locate_encoded<'a>(input: &mut Input<'a>, kind: IntKind, rows: usize) -> Result<Ints<'a>> {
    let start = input.position();
    let byte = input.byte(field("the encoding of integers", "F-29").form(FieldForm::Encoding))?;
    let layout = match byte {
        byte if is_frame(byte) => {
            if is_aligned(byte) {
                input.skip_padding_of(payload_len(rows, u32::from(byte)))?;
            }
            let frame = Frame::locate(input, byte, rows, kind.is_signed())?;
            IntsLayout::Stages(Stages::of_frame(frame, rows, input.scratch()))
        }
        BIG if kind.is_wide() => locate_big(input, rows)?,
        byte if stages::is_stage(byte) => {
            IntsLayout::Stages(stages::locate(input, byte, rows, kind.is_signed())?)
        }
        ZSTD => zstd::inside(input, start, |input| {
            let ints = locate_encoded(input, kind, rows)?;
            ints.validate()?;
            Ok(ints)
        })?
        .map_or(IntsLayout::NONE, |ints| ints.layout),
        _ => return Err(unreadable(byte, start)),
    };
    let place = Place { range: start..input.position(), encoding: Some(byte), rows };
    Ok(Ints { place, start, kind, layout })
}

fn read_number(input: &mut Input<'_>, signed: bool, field: Field) -> Result<u64> {
    let value = input.varint(field.number(signed))?;
    Ok(if signed { unzigzag(value).cast_unsigned() } else { value })
}

/// Returns the mask that turns the order of unsigned numbers into that of signed ones.
fn flip(signed: bool) -> u64 {
    if signed { 1 << 63 } else { 0 }
}

/// Checks that the bits of a payload that belong to no row are 0; `end` is the position after the payload.
fn check_unused(payload: &[u8], bits: u64, end: usize) -> Result<()> {
    let used = bits % 8;
    match payload.last() {
        Some(last) if used > 0 && last >> used != 0 => {
            Err(Error::at(Code::NonzeroPadding, end - 1)
                .expected(format!("{} zero bits", 8 - used))
                .got(format!("{last:02X}")))
        }
        _ => Ok(()),
    }
}

/// Reads a count inside an encoding, from `least` to the number of rows.
pub fn read_count(
    input: &mut Input<'_>,
    field: Field,
    code: Code,
    least: u64,
    rows: usize,
) -> Result<usize> {
    let at = input.position();
    let count = input.varint(field)?;
    match usize::try_from(count) {
        Ok(small) if (least..=rows as u64).contains(&count) => Ok(small),
        _ => Err(Error::at(code, at).expected(format!("{least} to {rows}")).got(count.to_string())),
    }
}

/// Reads an inner column of positions, strictly increasing and below the number of rows.
pub fn read_positions(input: &mut Input<'_>, count: usize, rows: usize) -> Result<Vec<u64>> {
    let at = input.position();
    let positions = read_inner(input, "positions", count, false)?;
    let increasing = positions.windows(2).all(|pair| pair[0] < pair[1]);
    if !increasing || positions.last().is_some_and(|&last| last >= rows as u64) {
        return Err(
            Error::at(Code::BadPatches, at).expected(format!("increasing positions below {rows}"))
        );
    }
    Ok(positions)
}

fn locate_big<'a>(input: &mut Input<'a>, rows: usize) -> Result<IntsLayout<'a>> {
    let lengths_start = input.position();
    let (lengths, sum) = read_lengths(input, "lengths", rows)?;
    if lengths.contains(&0) {
        return Err(Error::at(Code::IntNotShortest, lengths_start)
            .expected("lengths of at least 1")
            .got("0"));
    }
    let payload_start = input.position();
    let payload =
        input.charged_payload(sum, field("big integers", "F-29").form(FieldForm::Rows))?;
    Ok(IntsLayout::Big { lengths, payload, payload_start })
}

fn locate_few<'a>(input: &mut Input<'a>, kind: IntKind, rows: usize) -> Result<IntsLayout<'a>> {
    let mut ints = memory::with_capacity(rows);
    let mut offsets = [0; MIN_ENCODED_ROWS - 1];
    if kind.is_byte() {
        let start = input.position();
        let bytes = input.payload(rows as u128, field("bytes", "F-29").form(FieldForm::Rows))?;
        for (row, &byte) in bytes.iter().enumerate() {
            offsets[row] = start + row;
            let signed = i64::from(byte.cast_signed()).cast_unsigned();
            ints.put(if kind.is_signed() { signed } else { u64::from(byte) });
        }
        return Ok(IntsLayout::Few(ints, offsets, bytes));
    }
    for offset in offsets.iter_mut().take(rows) {
        let start = input.position();
        *offset = start;
        let bits = read_number(input, kind.is_signed(), field("a number", "F-29"))?;
        if !kind.holds(bits) {
            return Err(out_of_range(kind, start).in_row(ints.len()));
        }
        ints.put(bits);
    }
    Ok(IntsLayout::Few(ints, offsets, &[]))
}

#[cold]
fn out_of_range(kind: IntKind, at: usize) -> Error {
    Error::at(Code::IntOutOfRange, at)
        .expected(format!("numbers of {}", kind.name()))
        .got("one outside its range")
}

impl Ints<'_> {
    /// Checks that padding is zero, every row is in its kind's range, and every big is in shortest form.
    pub fn validate(&self) -> Result<()> {
        match &self.layout {
            IntsLayout::Few(..) => Ok(()),
            IntsLayout::Stages(stages) => match stages.is_within(self.kind) {
                true => Ok(()),
                false => check_range(self.kind, &stages.decode::<u64>(), self.start),
            },
            IntsLayout::Big { lengths, payload, payload_start } => {
                let mut at = 0;
                for (row, &len) in lengths.iter().enumerate() {
                    let big = &payload[at..at + len as usize];
                    if !is_shortest_big(big) {
                        return Err(Error::at(Code::IntNotShortest, payload_start + at)
                            .expected("a big integer in its shortest form")
                            .in_row(row));
                    }
                    if !self.kind.holds_big(big) {
                        return Err(out_of_range(self.kind, payload_start + at).in_row(row));
                    }
                    at += len as usize;
                }
                Ok(())
            }
        }
    }

    /// All rows of a valid column.
    pub fn decode(self) -> IntBuffer {
        match self.layout {
            IntsLayout::Few(values, ..) => IntBuffer::of(values),
            IntsLayout::Stages(stages) => IntBuffer::of(stages.decode()),
            IntsLayout::Big { lengths, payload, .. } => {
                let mut ints = IntBuffer::with_room(lengths.len(), payload.len());
                let mut at = 0;
                for len in lengths {
                    let big = &payload[at..at + len as usize];
                    match self.kind.bits_of_big(big) {
                        Some(bits) => ints.push(bits),
                        None => ints.push_big(big),
                    }
                    at += len as usize;
                }
                ints
            }
        }
    }

    /// Where to report faults of the rows' numbers (F-27).
    pub fn offsets(&self) -> Offsets {
        match &self.layout {
            IntsLayout::Few(_, offsets, _) => Offsets::Each(*offsets),
            _ => Offsets::All(self.start),
        }
    }
}

/// Where to report faults of rows: each at its varint, or all at the column.
#[derive(Clone, Copy, Debug)]
pub enum Offsets {
    Each([usize; MIN_ENCODED_ROWS - 1]),
    All(usize),
}

impl Offsets {
    pub fn of(&self, row: usize) -> usize {
        match self {
            Offsets::Each(offsets) => offsets[row],
            Offsets::All(offset) => *offset,
        }
    }
}

/// Locates some rows of a column of 4 rows or more in a frame; returns none for other encodings. The input skims.
pub fn locate_some(
    input: &mut Input<'_>,
    kind: IntKind,
    rows: usize,
    runs: &[Range<u64>],
) -> Result<Option<Vec<u64>>> {
    match input.peek()? {
        Some([byte]) if rows >= MIN_ENCODED_ROWS && is_frame(byte) => {}
        _ => return Ok(None),
    }
    let ints = locate_encoded(input, kind, rows)?;
    let IntsLayout::Stages(stages) = &ints.layout else { return Ok(None) };
    let Some(numbers) = stages.passed_rows(input, runs)? else { return Ok(None) };
    check_range(kind, &numbers, ints.start).map_err(|error| error.in_row(None))?;
    Ok(Some(numbers))
}

/// Whether the stored rows have the layout of a program's memory. Signed kinds below 64 bits never count: each row must
/// be checked against the range.
pub fn is_raw(kind: IntKind, encoding: Option<u8>) -> bool {
    let width = match kind {
        IntKind::U8 => 8,
        IntKind::U16 => 16,
        IntKind::U32 => 32,
        IntKind::U64 | IntKind::I64 | IntKind::Int => 64,
        _ => return kind.is_byte() && encoding.is_none(),
    };
    encoding.map_or(kind.is_byte(), |byte| byte == width)
}

/// Shows the rows of a column that does not hold a site's own values.
pub fn show(input: &Input<'_>, values: &[u64]) {
    if let Some(tracer) = input.tracer() {
        tracer.preview_column(values.len(), |row| Some(values[row].to_string()));
    }
}

/// Locates, checks and decodes a column of lengths or counts.
pub fn read_u64(input: &mut Input<'_>, rows: usize) -> Result<(Place, Vec<u64>)> {
    let ints = locate(input, IntKind::U64, rows)?;
    ints.validate()?;
    let place = ints.place.clone();
    let values = ints.decode().values;
    show(input, &values);
    Ok((place, values))
}

/// Locates, checks and decodes a column of indices. An index at or above the bound is an error (F-27).
pub fn read_below(
    input: &mut Input<'_>,
    rows: usize,
    bound: u64,
    what: &'static str,
) -> Result<(Place, Vec<u64>)> {
    read_bounded(input, rows, bound, what, Code::IndexOutOfRange)
}

/// Locates, checks and decodes a column of numbers. A number at or above the bound is an error with this code (F-27).
pub fn read_bounded(
    input: &mut Input<'_>,
    rows: usize,
    bound: u64,
    what: &'static str,
    code: Code,
) -> Result<(Place, Vec<u64>)> {
    input.column(what);
    let ints = locate(input, IntKind::U64, rows)?;
    ints.validate()?;
    let (place, offsets) = (ints.place.clone(), ints.offsets());
    let values = ints.decode().values;
    show(input, &values);
    // The greatest is found in a third of the instructions of the first that is too great.
    if range::min_max(&values, false).is_none_or(|(_, greatest)| greatest < bound) {
        return Ok((place, values));
    }
    match values.iter().position(|&value| value >= bound) {
        None => Ok((place, values)),
        Some(row) => Err(Error::at(code, offsets.of(row))
            .expected(format!("{what} below {bound}"))
            .got(values[row].to_string())
            .in_row(row)),
    }
}
