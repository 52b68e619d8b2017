//! Ints: numbers of one integer kind (F-29).

use super::frame::{fast_width, pack, payload_len, unpack};
use super::{FEW, Place, unreadable};
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::number::{
    IntKind, big_of_bits, is_shortest_big, read_varint, unzigzag, varint_len, write_varint, zigzag,
};

const WITH_BASE: u8 = 0x80;
const BIG: u8 = 0x44;
/// delta, run length, patched (F-57).
const RESERVED: [u8; 3] = [0x41, 0x42, 0x43];
/// An escape's length is below this.
const ESCAPE_LIMIT: u64 = 1 << 56;

/// Integers as a writer gathers them, and as a reader gets them: 64-bit patterns, and apart from them the few
/// numbers that do not fit, each with its row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IntBuffer {
    pub(crate) values: Vec<u64>,
    pub(crate) bigs: Vec<(usize, Box<[u8]>)>,
}

impl IntBuffer {
    #[inline]
    pub(crate) fn push(&mut self, bits: u64) {
        self.values.push(bits);
    }

    pub(crate) fn push_big(&mut self, big: &[u8]) {
        self.bigs.push((self.values.len(), big.into()));
        self.values.push(0);
    }

    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.bigs.clear();
    }
}

/// Appends a column in profile fast (F-42).
pub(crate) fn write(out: &mut Vec<u8>, kind: IntKind, ints: &IntBuffer) {
    if ints.values.len() < FEW {
        let mut bigs = ints.bigs.iter().peekable();
        for (row, &bits) in ints.values.iter().enumerate() {
            match bigs.next_if(|(at, _)| *at == row) {
                Some((_, big)) => {
                    out.push(0xFF);
                    out.extend_from_slice(&(big.len() as u64).to_le_bytes());
                    out.extend_from_slice(big);
                }
                None if kind.is_byte() => out.push(bits as u8),
                None => write_varint(out, varint_of(kind, bits)),
            }
        }
    } else if ints.bigs.is_empty() {
        write_frame(out, kind, &ints.values);
    } else {
        write_big(out, kind, ints);
    }
}

/// Appends a column of unsigned 64-bit numbers (lengths, indices).
pub(crate) fn write_u64(out: &mut Vec<u8>, values: &[u64]) {
    if values.len() < FEW {
        values.iter().for_each(|&value| write_varint(out, value));
    } else {
        write_frame(out, IntKind::U64, values);
    }
}

fn varint_of(kind: IntKind, bits: u64) -> u64 {
    if kind.is_signed() { zigzag(bits.cast_signed()) } else { bits }
}

fn write_frame(out: &mut Vec<u8>, kind: IntKind, values: &[u64]) {
    // Flipping the sign bit makes signed order the order of unsigned numbers.
    let flip = if kind.is_signed() { 1 << 63 } else { 0 };
    let (low, high, largest) =
        values.iter().fold((u64::MAX, 0, 0), |(low, high, largest): (u64, u64, u64), &value| {
            (low.min(value ^ flip), high.max(value ^ flip), largest.max(value))
        });
    let (base, spread) = (low ^ flip, high - low);
    let plain = (fast_width(largest), 0);
    let based = (fast_width(spread), varint_len(varint_of(kind, base)));
    let size =
        |(width, base_len): (u32, usize)| payload_len(values.len(), width) + base_len as u128;
    if size(based) < size(plain) {
        out.push(WITH_BASE | based.0 as u8);
        write_varint(out, varint_of(kind, base));
        pack(out, values, base, based.0);
    } else {
        out.push(plain.0 as u8);
        pack(out, values, 0, plain.0);
    }
}

fn write_big(out: &mut Vec<u8>, kind: IntKind, ints: &IntBuffer) {
    let (mut lengths, mut bytes) = (Vec::with_capacity(ints.values.len()), Vec::new());
    let mut bigs = ints.bigs.iter().peekable();
    let mut buffer = [0; 9];
    for (row, &bits) in ints.values.iter().enumerate() {
        let big = match bigs.next_if(|(at, _)| *at == row) {
            Some((_, big)) => big,
            None => big_of_bits(kind, bits, &mut buffer),
        };
        lengths.push(big.len() as u64);
        bytes.extend_from_slice(big);
    }
    out.push(BIG);
    write_u64(out, &lengths);
    out.extend_from_slice(&bytes);
}

/// A column that has been located.
#[derive(Clone, Debug)]
pub(crate) struct Ints<'a> {
    pub(crate) place: Place,
    kind: IntKind,
    layout: Layout<'a>,
}

#[derive(Clone, Debug)]
enum Layout<'a> {
    /// Fewer than 4 rows are read, and so checked, at once; with the offset of each.
    Few(IntBuffer, [usize; FEW - 1]),
    Frame {
        base: u64,
        width: u32,
        payload: &'a [u8],
    },
    Big {
        lengths: Vec<u64>,
        payload: &'a [u8],
        payload_start: usize,
    },
}

/// Finds a column of `rows` > 0 rows.
pub(crate) fn locate<'a>(input: &mut Input<'a>, kind: IntKind, rows: usize) -> Result<Ints<'a>> {
    let start = input.position();
    if rows < FEW {
        let layout = locate_few(input, kind, rows)?;
        let place = Place { range: start..input.position(), encoding: None, rows };
        return Ok(Ints { place, kind, layout });
    }
    let byte = input.byte("the encoding of integers")?;
    let layout = match byte {
        0..=0x39 | 0x40 => locate_frame(input, 0, u32::from(byte), rows)?,
        0x80..=0xB9 | 0xC0 => {
            let base = read_varint(input)?;
            let base = if kind.is_signed() { unzigzag(base).cast_unsigned() } else { base };
            locate_frame(input, base, u32::from(byte ^ WITH_BASE), rows)?
        }
        BIG if kind.is_wide() => locate_big(input, rows)?,
        _ => return Err(unreadable(byte, &RESERVED, start)),
    };
    let place = Place { range: start..input.position(), encoding: Some(byte), rows };
    Ok(Ints { place, kind, layout })
}

fn locate_frame<'a>(
    input: &mut Input<'a>,
    base: u64,
    width: u32,
    rows: usize,
) -> Result<Layout<'a>> {
    let payload = input.take(payload_len(rows, width), "a frame's fields")?;
    Ok(Layout::Frame { base, width, payload })
}

/// An inner column of lengths: a frame, decoded at once (F-29, F-32).
pub(crate) fn locate_lengths(input: &mut Input<'_>, rows: usize) -> Result<Vec<u64>> {
    let start = input.position();
    if let Some(&byte) = input.rest().first()
        && !matches!(byte, 0..=0x39 | 0x40 | 0x80..=0xB9 | 0xC0)
    {
        return Err(Error::at(Code::BadInnerEncoding, start)
            .expected("a frame")
            .got(format!("{byte:02X}")));
    }
    let ints = locate(input, IntKind::U64, rows)?;
    ints.validate()?;
    Ok(ints.decode().values)
}

fn locate_big<'a>(input: &mut Input<'a>, rows: usize) -> Result<Layout<'a>> {
    let lengths_start = input.position();
    let lengths = locate_lengths(input, rows)?;
    if lengths.contains(&0) {
        return Err(Error::at(Code::IntNotShortest, lengths_start)
            .expected("lengths of at least 1")
            .got("0"));
    }
    let payload_start = input.position();
    let payload = input.take_charged(sum(&lengths), "big integers")?;
    Ok(Layout::Big { lengths, payload, payload_start })
}

/// The exact sum of numbers below 2^64 (F-27).
pub(crate) fn sum(numbers: &[u64]) -> u128 {
    // Chunks of 2^16 numbers below 2^48 cannot wrap 64 bits; only wilder ones take the slow way.
    numbers
        .chunks(1 << 16)
        .map(|chunk| match chunk.iter().fold(0, |all, n| all | n) {
            0..0x1_0000_0000_0000 => u128::from(chunk.iter().sum::<u64>()),
            _ => chunk.iter().map(|&n| u128::from(n)).sum(),
        })
        .sum()
}

fn locate_few<'a>(input: &mut Input<'a>, kind: IntKind, rows: usize) -> Result<Layout<'a>> {
    let mut ints = IntBuffer::default();
    let mut offsets = [0; FEW - 1];
    if kind.is_byte() {
        let start = input.position();
        for (row, &byte) in input.take(rows as u128, "bytes")?.iter().enumerate() {
            offsets[row] = start + row;
            let signed = i64::from(byte.cast_signed()).cast_unsigned();
            ints.push(if kind.is_signed() { signed } else { u64::from(byte) });
        }
        return Ok(Layout::Few(ints, offsets));
    }
    for offset in offsets.iter_mut().take(rows) {
        let start = input.position();
        *offset = start;
        if let Some(len) = escape(input, kind) {
            input.advance(9);
            read_escaped(input, kind, start, len, &mut ints)?;
            continue;
        }
        let value = read_varint(input)?;
        let bits = if kind.is_signed() { unzigzag(value).cast_unsigned() } else { value };
        if !kind.holds(bits) {
            return Err(out_of_range(kind, start).in_row(ints.values.len()));
        }
        ints.push(bits);
    }
    Ok(Layout::Few(ints, offsets))
}

/// The length of an escaped big, if one stands here.
fn escape(input: &Input<'_>, kind: IntKind) -> Option<u64> {
    let [0xFF, len @ ..] = *input.rest().first_chunk::<9>()? else { return None };
    let len = u64::from_le_bytes(len);
    (kind.is_wide() && len < ESCAPE_LIMIT).then_some(len)
}

fn read_escaped(
    input: &mut Input<'_>,
    kind: IntKind,
    start: usize,
    len: u64,
    ints: &mut IntBuffer,
) -> Result<()> {
    let big = input.take_charged(u128::from(len), "a big integer")?;
    if !is_shortest_big(big) || kind.bits_of_big(big).is_some() {
        return Err(Error::at(Code::IntNotShortest, start)
            .expected("a number beyond 64 bits in its shortest form"));
    }
    if !kind.holds_big(big) {
        return Err(out_of_range(kind, start).in_row(ints.values.len()));
    }
    ints.push_big(big);
    Ok(())
}

#[cold]
fn out_of_range(kind: IntKind, at: usize) -> Error {
    Error::at(Code::IntOutOfRange, at)
        .expected(format!("numbers of {}", kind.name()))
        .got("one outside its range")
}

impl Ints<'_> {
    /// Padding must be zero, every row in its kind's range, every big in shortest form.
    pub(crate) fn validate(&self) -> Result<()> {
        match &self.layout {
            Layout::Few(..) => Ok(()),
            Layout::Frame { base, width, payload } => self.validate_frame(*base, *width, payload),
            Layout::Big { lengths, payload, payload_start } => {
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

    fn validate_frame(&self, base: u64, width: u32, payload: &[u8]) -> Result<()> {
        let used = (self.place.rows as u128 * u128::from(width) % 8) as u32;
        if let (Some(&last), 1..) = (payload.last(), used)
            && last >> used != 0
        {
            return Err(Error::at(Code::NonzeroPadding, self.place.range.end - 1)
                .expected(format!("{} zero bits", 8 - used))
                .got(format!("{last:02X}")));
        }
        // Where the least and the greatest possible field stay in range, so do all; else each row is looked at.
        let widest = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        let kind = self.kind;
        let sure = kind.bounds().is_none_or(|(_, high)| {
            kind.holds(base) && widest <= high && kind.holds(base.wrapping_add(widest))
        });
        let outside = |bits: &u64| !kind.holds(*bits);
        match if sure { None } else { self.decode().values.iter().position(outside) } {
            None => Ok(()),
            Some(row) => Err(out_of_range(kind, self.place.range.start).in_row(row)),
        }
    }

    /// All rows of a valid column.
    pub(crate) fn decode(&self) -> IntBuffer {
        let mut ints = IntBuffer::default();
        match &self.layout {
            Layout::Few(few, _) => ints.clone_from(few),
            Layout::Frame { base, width, payload } => {
                unpack(&mut ints.values, payload, self.place.rows, *base, *width);
            }
            Layout::Big { lengths, payload, .. } => {
                let mut at = 0;
                for &len in lengths {
                    let big = &payload[at..at + len as usize];
                    match self.kind.bits_of_big(big) {
                        Some(bits) => ints.push(bits),
                        None => ints.push_big(big),
                    }
                    at += len as usize;
                }
            }
        }
        ints
    }

    /// Where a fault of a row's number is reported: at its varint, or at the column (F-27).
    pub(crate) fn offset_of(&self, row: usize) -> usize {
        match &self.layout {
            Layout::Few(_, offsets) => offsets[row],
            _ => self.place.range.start,
        }
    }

    /// The rows of a column of indices, each below `bound`, else an error (F-27).
    pub(crate) fn decode_below(&self, bound: u64, what: &'static str) -> Result<Vec<u64>> {
        let values = self.decode().values;
        match values.iter().position(|&value| value >= bound) {
            None => Ok(values),
            Some(row) => Err(Error::at(Code::IndexOutOfRange, self.offset_of(row))
                .expected(format!("{what} below {bound}"))
                .got(values[row].to_string())
                .in_row(row)),
        }
    }
}

/// Finds, checks and decodes a column of lengths or counts.
pub(crate) fn read_u64(input: &mut Input<'_>, rows: usize) -> Result<(Place, Vec<u64>)> {
    let ints = locate(input, IntKind::U64, rows)?;
    ints.validate()?;
    let values = ints.decode().values;
    Ok((ints.place, values))
}

/// Finds, checks and decodes a column of indices below a bound.
pub(crate) fn read_below(
    input: &mut Input<'_>,
    rows: usize,
    bound: u64,
    what: &'static str,
) -> Result<(Place, Vec<u64>)> {
    let ints = locate(input, IntKind::U64, rows)?;
    ints.validate()?;
    let values = ints.decode_below(bound, what)?;
    Ok((ints.place, values))
}
