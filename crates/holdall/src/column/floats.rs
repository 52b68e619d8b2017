//! Floats: IEEE 754 numbers of 2, 4 or 8 bytes, every bit pattern kept (F-30).

use std::borrow::Cow;
use std::mem;
use std::ops::Range;

use half::{bf16, f16};

use super::frame::{read_inner, skip_inner, write_inner};
use super::ints::{read_count, read_positions};
use super::zstd::{self, ZSTD};
use super::{Align, FEW, Place, Settings, unreadable};
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::kernel::raw;
use crate::message::Profile;
use crate::number::write_varint;
use crate::pieces::{self, Apart, Payload};
use crate::trace::{Field, Form, field};
use crate::view::Cursor;

const RAW: u8 = 0x58;
const CONSTANT: u8 = 0x59;
const NARROWED: u8 = 0x5A;
const DECIMAL: u8 = 0x5B;
const PLANES: u8 = 0x5C;

const ROWS: Field = field("floats", 30).form(Form::Rows);

/// 10 to the power of the index: all that are exact as f64.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Numbers whose digits are whole numbers up to this are exact in f64.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Rows from which an exponent is guessed.
const SAMPLE: usize = 64;

/// A float as its bytes on the wire.
pub(crate) trait Float: Copy {
    type Bytes: AsRef<[u8]> + PartialEq;
    fn wire(self) -> Self::Bytes;
    /// Appends rows as they stand in a raw column.
    fn write_raw(out: &mut Vec<u8>, values: &[Self]);
    /// Appends encodings of profile small that only this width has, if they are smaller than raw.
    fn write_special(values: &[Self], candidates: &mut Vec<Vec<u8>>);
}

macro_rules! without_special {
    ($($float:ty),*) => {
        $(impl Float for $float {
            type Bytes = [u8; size_of::<$float>()];
            fn wire(self) -> Self::Bytes {
                self.to_le_bytes()
            }
            fn write_raw(out: &mut Vec<u8>, values: &[$float]) {
                raw::append(out, values);
            }
            fn write_special(_values: &[$float], _candidates: &mut Vec<Vec<u8>>) {}
        })*
    };
}

without_special!(f16, bf16, f32);

impl Float for f64 {
    type Bytes = [u8; 8];
    fn wire(self) -> [u8; 8] {
        self.to_le_bytes()
    }
    fn write_raw(out: &mut Vec<u8>, values: &[f64]) {
        raw::append(out, values);
    }
    fn write_special(values: &[f64], candidates: &mut Vec<Vec<u8>>) {
        candidates.extend(narrowed(values));
        candidates.extend(decimal(values));
    }
}

/// How many bytes a column takes in profile fast, not aligned.
pub(crate) fn len_of<F: Float>(values: &[F]) -> usize {
    match values {
        [first, _, _, _, ..] if is_constant(*first, values) => 1 + size_of::<F>(),
        _ => usize::from(values.len() >= FEW) + size_of_val(values),
    }
}

fn is_constant<F: Float>(first: F, values: &[F]) -> bool {
    let first = first.wire();
    values.iter().all(|value| value.wire() == first)
}

/// Appends a column; its payload goes apart if it is large and stands in memory as it is written.
pub(crate) fn write_apart(
    out: &mut Vec<u8>,
    values: &mut Vec<f64>,
    settings: Settings,
    apart: &mut Apart,
) {
    let len = size_of_val(&values[..]);
    let is_raw = cfg!(target_endian = "little") && settings.profile != Profile::Small;
    if len < pieces::SMALLEST || !is_raw || is_constant(values[0], values) {
        return write(out, values, settings);
    }
    out.push(RAW);
    settings.pad(out, len, Align::Column);
    apart.push(out, Payload::Doubles(mem::take(values)));
}

/// Appends a column.
pub(crate) fn write<F: Float>(out: &mut Vec<u8>, values: &[F], settings: Settings) {
    let Some(&first) = values.first() else { return };
    let start = out.len();
    if values.len() >= FEW {
        if is_constant(first, values) {
            out.push(CONSTANT);
            return out.extend_from_slice(first.wire().as_ref());
        }
        out.push(RAW);
        if settings.profile != Profile::Small {
            settings.pad(out, size_of_val(values), Align::Column);
        }
    }
    F::write_raw(out, values);
    if values.len() >= FEW && settings.profile == Profile::Small {
        write_small(out, start, values);
        // Which encoding is the smallest is known only now.
        if out[start] == RAW {
            settings.pad_at(out, start + 1, Align::Column);
        }
    }
}

/// Puts the smallest of all encodings in the place of a raw column (F-63).
fn write_small<F: Float>(out: &mut Vec<u8>, start: usize, values: &[F]) {
    let mut candidates = vec![planes(&out[start + 1..], values.len())];
    F::write_special(values, &mut candidates);
    zstd::wrap(out, start);
    for mut candidate in candidates {
        zstd::wrap(&mut candidate, 0);
        if candidate.len() < out.len() - start {
            out.truncate(start);
            out.extend_from_slice(&candidate);
        }
    }
}

fn planes(raw: &[u8], rows: usize) -> Vec<u8> {
    let width = raw.len() / rows;
    let mut out = vec![PLANES];
    for byte in 0..width {
        let plane = || raw.iter().skip(byte).step_by(width);
        match plane().next() {
            Some(first) if plane().all(|byte| byte == first) => out.extend([1, *first]),
            _ => {
                out.push(0);
                out.extend(plane());
            }
        }
    }
    out
}

fn narrowed(values: &[f64]) -> Option<Vec<u8>> {
    let mut out = vec![NARROWED];
    for value in values {
        let narrow = narrow(value.to_bits())?;
        out.extend_from_slice(&narrow.to_le_bytes());
    }
    Some(out)
}

/// The f32 that widens to just these bits.
fn narrow(bits: u64) -> Option<u32> {
    let float = f64::from_bits(bits);
    let narrow = if float.is_nan() {
        ((bits >> 63) as u32) << 31 | 0xFF << 23 | (bits >> 29) as u32 & 0x7F_FFFF
    } else {
        (float as f32).to_bits()
    };
    (widen(narrow) == bits).then_some(narrow)
}

/// Digits and a common exponent, where most rows are decimal numbers; the idea is that of ALP (Afroozeh, Kuffo and Boncz,
/// "ALP: Adaptive Lossless floating-Point Compression", 2023), with a division, which is rounded correctly.
fn decimal(values: &[f64]) -> Option<Vec<u8>> {
    let step = (values.len() / SAMPLE).max(1);
    let sample: Vec<f64> = values.iter().copied().step_by(step).take(SAMPLE).collect();
    let fitting = |exponent: &u8| {
        let fits = sample.iter().filter(|value| digits(**value, *exponent).is_some()).count();
        // Of equal ones the smaller exponent: its digits are fewer.
        (fits, u8::MAX - exponent)
    };
    let exponent = (0..POWERS.len() as u8).max_by_key(fitting)?;
    if fitting(&exponent).0 * 4 < sample.len() * 3 {
        return None;
    }
    let (mut rows, mut positions, mut exceptions) =
        (Vec::with_capacity(values.len()), Vec::new(), Vec::new());
    let filler = sample.iter().find_map(|value| digits(*value, exponent)).unwrap_or(0);
    for (position, &value) in (0u64..).zip(values) {
        rows.push(digits(value, exponent).unwrap_or_else(|| {
            positions.push(position);
            exceptions.push(value);
            filler
        }));
    }
    let mut out = vec![DECIMAL, exponent];
    write_inner(&mut out, &rows, true);
    write_varint(&mut out, positions.len() as u64);
    if !positions.is_empty() {
        write_inner(&mut out, &positions, false);
        exceptions.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
    }
    Some(out)
}

/// The whole number that, divided by the power of ten, is just this float.
fn digits(value: f64, exponent: u8) -> Option<u64> {
    let power = POWERS[usize::from(exponent)];
    let scaled = (value * power).round_ties_even();
    // By way of the integer, which has no -0.
    let whole = scaled as i64;
    let exact = scaled.abs() <= EXACT && (whole as f64 / power).to_bits() == value.to_bits();
    exact.then_some(whole.cast_unsigned())
}

/// A column that has been located. There is nothing to validate: every bit pattern is a float.
#[derive(Clone, Debug)]
pub(crate) struct Floats<'a> {
    count: usize,
    /// The rows as they stand in a raw column; one row if they are all the same.
    rows: Cow<'a, [u8]>,
    constant: bool,
}

/// Finds a column of `rows` > 0 rows of `width` bytes.
pub(crate) fn locate<'a>(
    input: &mut Input<'a>,
    width: usize,
    rows: usize,
) -> Result<(Place, Floats<'a>)> {
    let start = input.position();
    let all = rows as u128 * width as u128;
    let (encoding, payload, constant) = if rows < FEW {
        (None, Cow::Borrowed(input.take(all, ROWS)?), false)
    } else {
        let byte = input.byte(field("the encoding of floats", 30).form(Form::Encoding))?;
        let (payload, constant) = match byte {
            RAW => (Cow::Borrowed(input.payload(all, Align::Column, ROWS)?), false),
            CONSTANT => (
                Cow::Borrowed(input.take(width as u128, field("a float", 30).form(Form::Rows))?),
                true,
            ),
            NARROWED if width == 8 => (Cow::Owned(read_narrowed(input, rows)?), false),
            DECIMAL if width == 8 => (Cow::Owned(read_decimal(input, rows)?), false),
            PLANES => (Cow::Owned(read_planes(input, width, rows)?), false),
            ZSTD => {
                let (_, inside) = zstd::inside(input, start, |input| locate(input, width, rows))?;
                (inside.rows, inside.constant)
            }
            _ => return Err(unreadable(byte, start)),
        };
        (Some(byte), payload, constant)
    };
    let place = Place { range: start..input.position(), encoding, rows };
    Ok((place, Floats { count: rows, rows: payload, constant }))
}

/// A raw column at the start of some bytes, and what is behind it; nothing if it is another one.
#[inline]
pub(crate) fn split_raw(bytes: &[u8], width: usize, rows: usize) -> Option<(Floats<'_>, &[u8])> {
    let bytes = if rows < FEW { bytes } else { bytes.strip_prefix(&[RAW])? };
    let (payload, rest) = bytes.split_at_checked(rows.checked_mul(width)?)?;
    Some((Floats { count: rows, rows: Cow::Borrowed(payload), constant: false }, rest))
}

/// Passes over a column of `rows` > 0 rows of `width` bytes; gives where its rows are, if they stand there as they are.
pub(crate) fn skip(cursor: &mut Cursor<'_>, width: usize, rows: u64) -> Result<Option<Range<u64>>> {
    let all = u128::from(rows) * width as u128;
    if rows < FEW as u64 {
        return cursor.payload(all, None, ROWS).map(Some);
    }
    let start = cursor.position();
    match cursor.byte(field("the encoding of floats", 30))? {
        RAW => return cursor.payload(all, Some(Align::Column), ROWS).map(Some),
        CONSTANT => cursor.skip(width as u128, field("a float", 30))?,
        NARROWED if width == 8 => {
            cursor.skip(4 * u128::from(rows), field("floats of 4 bytes", 30))?;
        }
        DECIMAL if width == 8 => {
            cursor.byte(field("an exponent", 30))?;
            skip_inner(cursor, rows)?;
            let most = Some((Code::BadPatches, 0, rows));
            let count = cursor.count(field("the number of exceptions", 30), most)?;
            if count > 0 {
                skip_inner(cursor, count)?;
                cursor.skip(8 * u128::from(count), field("floats", 30))?;
            }
        }
        PLANES => {
            for _ in 0..width {
                let at = cursor.position();
                match cursor.byte(field("a plane's marker", 30))? {
                    0 => cursor.skip(u128::from(rows), field("a plane of bytes", 30))?,
                    1 => cursor.skip(1, field("a plane's byte", 30))?,
                    marker => return Err(bad_marker(marker).moved_by(at)),
                }
            }
        }
        ZSTD => zstd::skip(cursor)?,
        byte => return Err(unreadable(byte, 0).moved_by(start)),
    }
    Ok(None)
}

fn bad_marker(marker: u8) -> Error {
    Error::at(Code::BadPlanes, 0).expected("00 or 01").got(format!("{marker:02X}"))
}

/// An f32 as f64: the number, or of a NaN the sign and the fraction's bits, highest first.
fn widen(bits: u32) -> u64 {
    let float = f32::from_bits(bits);
    if float.is_nan() {
        // The conversion of the language may change a signalling NaN.
        return u64::from(bits >> 31) << 63 | 0x7FF << 52 | u64::from(bits & 0x7F_FFFF) << 29;
    }
    f64::from(float).to_bits()
}

fn read_narrowed(input: &mut Input<'_>, rows: usize) -> Result<Vec<u8>> {
    let payload = input.take(4 * rows as u128, field("floats of 4 bytes", 30).form(Form::Rows))?;
    let narrow = payload.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
    Ok(narrow.flat_map(|bits| widen(bits).to_le_bytes()).collect())
}

fn read_decimal(input: &mut Input<'_>, rows: usize) -> Result<Vec<u8>> {
    let at = input.position();
    let exponent = input.byte(field("an exponent", 30))?;
    let Some(&power) = POWERS.get(usize::from(exponent)) else {
        return Err(Error::at(Code::BadDecimal, at)
            .expected("an exponent up to 22")
            .got(exponent.to_string()));
    };
    let digits = read_inner(input, "digits", rows, true)?;
    let mut floats: Vec<[u8; 8]> = digits
        .into_iter()
        .map(|digits| (digits.cast_signed() as f64 / power).to_le_bytes())
        .collect();
    let count =
        read_count(input, field("the number of exceptions", 30), Code::BadPatches, 0, rows)?;
    if count > 0 {
        let positions = read_positions(input, count, rows)?;
        let exceptions = input.take(8 * count as u128, field("floats", 30))?.as_chunks().0;
        for (&position, exception) in positions.iter().zip(exceptions) {
            floats[position as usize] = *exception;
        }
    }
    Ok(floats.into_flattened())
}

fn read_planes(input: &mut Input<'_>, width: usize, rows: usize) -> Result<Vec<u8>> {
    let mut floats = Vec::new();
    for byte in 0..width {
        let at = input.position();
        let plane = match input.byte(field("a plane's marker", 30).form(Form::Marker))? {
            0 => Cow::Borrowed(input.take(rows as u128, field("a plane of bytes", 30))?),
            1 => Cow::Owned(vec![input.byte(field("a plane's byte", 30))?; rows]),
            marker => {
                return Err(bad_marker(marker).moved_to(at));
            }
        };
        floats.resize(rows * width, 0);
        for (float, &of_plane) in floats.chunks_exact_mut(width).zip(&*plane) {
            float[byte] = of_plane;
        }
    }
    Ok(floats)
}

/// Some rows of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rows<'a, const W: usize> {
    Each(&'a [[u8; W]]),
    Same([u8; W]),
}

impl<'a> Floats<'a> {
    /// Rows as they stand in a raw column.
    pub(crate) fn of_raw(rows: &'a [u8], count: usize) -> Floats<'a> {
        Floats { count, rows: Cow::Borrowed(rows), constant: false }
    }
}

impl Floats<'_> {
    /// The bytes of the first row.
    pub(crate) fn one(&self) -> &[u8] {
        &self.rows[..self.width()]
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// How many bytes a row has.
    pub(crate) fn width(&self) -> usize {
        self.rows.len() / if self.constant { 1 } else { self.count }
    }

    /// The rows one after the other, if they are not all the same.
    pub(crate) fn each(&self) -> Option<&[u8]> {
        (!self.constant).then_some(&*self.rows)
    }

    /// Rows of a column with so many bytes each.
    #[inline]
    pub(crate) fn decode_rows<const W: usize>(&self, rows: Range<usize>) -> Rows<'_, W> {
        match self.constant {
            true => Rows::Same(self.bytes(0)),
            false => Rows::Each(&self.rows.as_chunks().0[rows]),
        }
    }

    #[inline]
    pub(crate) fn bytes<const W: usize>(&self, row: usize) -> [u8; W] {
        let at = if self.constant { 0 } else { row * W };
        self.rows[at..].first_chunk().copied().unwrap_or([0; W])
    }

    /// The bits of a row of a column with 2 bytes each.
    #[inline]
    pub(crate) fn decode_u16(&self, row: usize) -> u16 {
        u16::from_le_bytes(self.bytes(row))
    }

    /// The value of a row of a column with 4 bytes each.
    #[inline]
    pub(crate) fn decode_f32(&self, row: usize) -> f32 {
        f32::from_le_bytes(self.bytes(row))
    }

    /// The value of a row of a column with 8 bytes each.
    #[inline]
    pub(crate) fn decode_f64(&self, row: usize) -> f64 {
        f64::from_le_bytes(self.bytes(row))
    }
}
