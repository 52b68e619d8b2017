//! Ints: numbers of one integer kind (F-29).

mod rows;
mod skip;
mod small;
mod widths;

pub(crate) use self::rows::IntRows;
use self::rows::check_range;
pub(crate) use self::skip::{skip, some};
use self::widths::Widths;
use super::frame::{Choice, Frame, INNER, is_aligned, is_frame, read_inner, write_inner};
use super::zstd::{self, ZSTD};
use super::{Align, FEW, Place, Settings, unreadable};
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::kernel::Word;
use crate::kernel::frame::payload_len;
use crate::kernel::lengths::sum;
use crate::message::Profile;
use crate::number::{
    IntKind, big_of_bits, is_shortest_big, unzigzag, varint_len, write_varint, zigzag,
};
use crate::trace::{Field, Form, big_text, field, number_text};

const DELTA: u8 = 0x41;
const RUNS: u8 = 0x42;
const PATCHED: u8 = 0x43;
const BIG: u8 = 0x44;
const WIDTHS: u8 = 0x45;
/// Fewer rows, or rows whose frame is of fewer bits, are not written as widths in profile balanced (F-91).
const FEWEST_WIDTHS: usize = 16;
const LEAST_WIDTH: u32 = 16;
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

    /// About how many bytes the rows take in memory.
    pub(crate) fn size(&self) -> usize {
        8 * self.values.len() + self.bigs.iter().map(|(_, big)| 24 + big.len()).sum::<usize>()
    }

    /// Keeps so many rows.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
        self.bigs.truncate(self.bigs.partition_point(|(row, _)| *row < len));
    }

    pub(crate) fn clear(&mut self) {
        self.values.clear();
        self.bigs.clear();
    }
}

/// Appends a column.
pub(crate) fn write(out: &mut Vec<u8>, kind: IntKind, ints: &IntBuffer, settings: Settings) {
    if ints.values.len() < FEW {
        write_few(out, kind, ints);
    } else if ints.bigs.is_empty() {
        write_many(out, &ints.values, kind.is_signed(), settings);
    } else {
        let start = out.len();
        write_big(out, kind, ints);
        if settings.profile == Profile::Small {
            zstd::wrap(out, start);
        }
    }
}

/// Appends a column of unsigned 64-bit numbers (lengths, indices).
pub(crate) fn write_u64(out: &mut Vec<u8>, values: &[u64], settings: Settings) {
    if values.len() < FEW {
        values.iter().for_each(|&value| write_varint(out, value));
    } else {
        write_many(out, values, false, settings);
    }
}

/// Appends a column of a kind as wide as a word.
pub(crate) fn write_words<W: Word>(
    out: &mut Vec<u8>,
    kind: IntKind,
    values: &[W],
    settings: Settings,
) {
    let signed = kind.is_signed();
    if values.len() < FEW {
        values.iter().for_each(|&value| match kind.is_byte() {
            true => out.push(value.widen() as u8),
            false => write_varint(out, varint_of(signed, value.widen_as(kind.is_signed()))),
        });
    } else {
        if settings.profile != Profile::Small {
            let frame = Choice::of(values, signed);
            let in_order = |value: &W| value.widen_as(signed) ^ flip(signed);
            // Neither delta nor widths in profile balanced (F-61, F-91).
            let is_plain = || frame.width() < LEAST_WIDTH && !values.is_sorted_by_key(in_order);
            if settings.profile == Profile::Fast || is_plain() {
                return frame.write_column(out, values, settings);
            }
        }
        // Others are tried in 64 bits.
        let wide: Vec<u64> = values.iter().map(|&value| value.widen_as(signed)).collect();
        write_many(out, &wide, signed, settings);
    }
}

/// How many bytes a column takes in profile fast, not aligned, if that is known before it is written; and its frame, if it
/// is one.
pub(crate) fn prepare(kind: IntKind, ints: &IntBuffer) -> Option<(usize, Option<Choice>)> {
    ints.bigs.is_empty().then(|| prepare_words(kind, &ints.values))
}

/// How many bytes a column of u8 takes that is written as it is.
pub(crate) fn len_of_bytes(bytes: &[u8]) -> usize {
    usize::from(bytes.len() >= FEW) + bytes.len()
}

/// Appends a column of u8 as it is, whatever smaller frame there is, so that it can be read in place.
pub(crate) fn write_bytes(out: &mut Vec<u8>, bytes: &[u8], settings: Settings) {
    let start = out.len();
    if bytes.len() >= FEW {
        out.push(u8::BITS as u8);
    }
    out.extend_from_slice(bytes);
    if bytes.len() >= FEW && settings.profile == Profile::Small {
        zstd::wrap(out, start);
    }
}

/// The same of a kind as wide as a word.
pub(crate) fn prepare_words<W: Word>(kind: IntKind, values: &[W]) -> (usize, Option<Choice>) {
    if values.len() < FEW {
        let len = |&value: &W| match kind.is_byte() {
            true => 1,
            false => varint_len(varint_of(kind.is_signed(), value.widen_as(kind.is_signed()))),
        };
        return (values.iter().map(len).sum(), None);
    }
    let frame = Choice::of(values, kind.is_signed());
    // The rows are in memory, so their payload is a smaller number.
    (1 + frame.size() as usize, Some(frame))
}

fn write_few(out: &mut Vec<u8>, kind: IntKind, ints: &IntBuffer) {
    let mut bigs = ints.bigs.iter().peekable();
    for (row, &bits) in ints.values.iter().enumerate() {
        match bigs.next_if(|(at, _)| *at == row) {
            Some((_, big)) => {
                out.push(0xFF);
                out.extend_from_slice(&(big.len() as u64).to_le_bytes());
                out.extend_from_slice(big);
            }
            None if kind.is_byte() => out.push(bits as u8),
            None => write_varint(out, varint_of(kind.is_signed(), bits)),
        }
    }
}

fn varint_of(signed: bool, bits: u64) -> u64 {
    if signed { zigzag(bits.cast_signed()) } else { bits }
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
    write_inner(out, &lengths, false);
    out.extend_from_slice(&bytes);
}

/// Appends 4 or more rows that fit 64 bits.
fn write_many(out: &mut Vec<u8>, values: &[u64], signed: bool, settings: Settings) {
    match settings.profile {
        Profile::Fast => {
            Choice::of(values, signed).write_column(out, values, settings);
        }
        Profile::Balanced => write_balanced(out, values, signed, settings),
        Profile::Small => {
            let start = out.len();
            small::write(out, values, signed);
            // Which encoding is the smallest is known only now.
            if is_aligned(out[start]) {
                settings.pad_at(out, start + 1, Align::Column);
            }
        }
    }
}

/// What turns the order of unsigned numbers into that of signed ones.
fn flip(signed: bool) -> u64 {
    if signed { 1 << 63 } else { 0 }
}

/// A frame, or delta where the rows are sorted and it is smaller (F-61), or widths where these save an eighth (F-91).
fn write_balanced(out: &mut Vec<u8>, values: &[u64], signed: bool, settings: Settings) {
    let frame = Choice::of(values, signed);
    if values.is_sorted_by_key(|value| value ^ flip(signed)) {
        let delta = Delta::of(values, signed);
        if delta.size() < frame.size() {
            return delta.write(out);
        }
    }
    if values.len() >= FEWEST_WIDTHS && frame.width() >= LEAST_WIDTH {
        let widths = Widths::of(values, signed);
        // The encoding bytes count.
        if 8 * (1 + widths.size()) <= 7 * (1 + frame.size()) {
            return widths.write(out, values, signed);
        }
    }
    frame.write_column(out, values, settings);
}

/// Differences from row to row, as a writer would write them.
struct Delta {
    first: u64,
    differences: Vec<u64>,
    frame: Choice,
}

impl Delta {
    fn of(values: &[u64], signed: bool) -> Delta {
        let differences: Vec<u64> =
            values.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])).collect();
        let first = varint_of(signed, values.first().copied().unwrap_or(0));
        let frame = Choice::of(&differences, true);
        Delta { first, differences, frame }
    }

    /// The bytes behind the encoding byte.
    fn size(&self) -> u128 {
        varint_len(self.first) as u128 + 1 + self.frame.size()
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.push(DELTA);
        write_varint(out, self.first);
        self.frame.write(out, &self.differences);
    }
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
    /// Fewer than 4 rows are read, and so checked, at once; with the offset of each, and the rows as they stand if they are
    /// bytes.
    Few(IntBuffer, [usize; FEW - 1], &'a [u8]),
    Frame(Frame<'a>),
    Delta {
        first: u64,
        differences: Vec<u64>,
    },
    Runs {
        values: Vec<u64>,
        lengths: Vec<u64>,
    },
    Patched {
        frame: Frame<'a>,
        positions: Vec<u64>,
        values: Vec<u64>,
    },
    Big {
        lengths: Vec<u64>,
        payload: &'a [u8],
        payload_start: usize,
    },
    Widths(widths::Located<'a>),
}

/// Finds a column of `rows` > 0 rows.
pub(crate) fn locate<'a>(input: &mut Input<'a>, kind: IntKind, rows: usize) -> Result<Ints<'a>> {
    let start = input.position();
    if rows < FEW {
        let layout = locate_few(input, kind, rows)?;
        let place = Place { range: start..input.position(), encoding: None, rows };
        return Ok(Ints { place, kind, layout });
    }
    let byte = input.byte(field("the encoding of integers", 29).form(Form::Encoding))?;
    let layout = match byte {
        byte if is_frame(byte) => {
            if is_aligned(byte) {
                input.skip_padding_of(payload_len(rows, u32::from(byte)), Align::Column)?;
            }
            Layout::Frame(Frame::locate(input, byte, rows, kind.is_signed())?)
        }
        DELTA => locate_delta(input, kind, rows)?,
        RUNS => locate_runs(input, kind, rows)?,
        PATCHED => locate_patched(input, kind, rows)?,
        BIG if kind.is_wide() => locate_big(input, rows)?,
        WIDTHS => widths::locate(input, kind, rows)?,
        ZSTD => {
            zstd::inside(input, start, |input| {
                let ints = locate(input, kind, rows)?;
                ints.validate()?;
                Ok(ints)
            })?
            .layout
        }
        _ => return Err(unreadable(byte, start)),
    };
    let place = Place { range: start..input.position(), encoding: Some(byte), rows };
    Ok(Ints { place, kind, layout })
}

fn read_number(input: &mut Input<'_>, kind: IntKind, field: Field) -> Result<u64> {
    let value = input.varint(field.number(kind.is_signed()))?;
    Ok(if kind.is_signed() { unzigzag(value).cast_unsigned() } else { value })
}

fn locate_delta<'a>(input: &mut Input<'a>, kind: IntKind, rows: usize) -> Result<Layout<'a>> {
    let first = read_number(input, kind, field("the first row", 29))?;
    Ok(Layout::Delta { first, differences: read_inner(input, "differences", rows - 1, true)? })
}

fn locate_runs<'a>(input: &mut Input<'a>, kind: IntKind, rows: usize) -> Result<Layout<'a>> {
    let runs = read_count(input, field("the number of runs", 29), Code::BadRuns, 1, rows)?;
    let values = read_inner(input, "values of runs", runs, kind.is_signed())?;
    let at = input.position();
    let lengths = read_inner(input, "lengths of runs", runs, false)?;
    if lengths.contains(&0) || sum(&lengths) != rows as u128 {
        return Err(Error::at(Code::BadRuns, at)
            .expected(format!("lengths of at least 1 that add up to {rows}"))
            .got(format!("a sum of {}", sum(&lengths))));
    }
    Ok(Layout::Runs { values, lengths })
}

fn locate_patched<'a>(input: &mut Input<'a>, kind: IntKind, rows: usize) -> Result<Layout<'a>> {
    let at = input.position();
    let byte = input.byte(INNER)?;
    if !is_frame(byte) {
        return Err(Error::at(Code::BadInnerEncoding, at)
            .expected("a frame")
            .got(format!("{byte:02X}")));
    }
    let frame = Frame::locate(input, byte, rows, kind.is_signed())?;
    if let Some(tracer) = input.tracer() {
        let values = frame.decode();
        tracer.preview(rows, |row| Some(number_text(values[row], kind.is_signed())));
    }
    let count = read_count(input, field("the number of patches", 29), Code::BadPatches, 1, rows)?;
    let positions = read_positions(input, count, rows)?;
    let values = read_inner(input, "values of patches", count, kind.is_signed())?;
    Ok(Layout::Patched { frame, positions, values })
}

/// A number of things inside an encoding, from `least` to the number of rows.
pub(crate) fn read_count(
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

/// An inner frame of positions, strictly increasing and below the number of rows.
pub(crate) fn read_positions(input: &mut Input<'_>, count: usize, rows: usize) -> Result<Vec<u64>> {
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

fn locate_big<'a>(input: &mut Input<'a>, rows: usize) -> Result<Layout<'a>> {
    let lengths_start = input.position();
    let lengths = read_inner(input, "lengths", rows, false)?;
    if lengths.contains(&0) {
        return Err(Error::at(Code::IntNotShortest, lengths_start)
            .expected("lengths of at least 1")
            .got("0"));
    }
    let payload_start = input.position();
    let payload = input.take_charged(sum(&lengths), field("big integers", 29).form(Form::Rows))?;
    Ok(Layout::Big { lengths, payload, payload_start })
}

fn locate_few<'a>(input: &mut Input<'a>, kind: IntKind, rows: usize) -> Result<Layout<'a>> {
    let mut ints = IntBuffer { values: Vec::with_capacity(rows), bigs: Vec::new() };
    let mut offsets = [0; FEW - 1];
    if kind.is_byte() {
        let start = input.position();
        let bytes = input.take(rows as u128, field("bytes", 29).form(Form::Rows))?;
        for (row, &byte) in bytes.iter().enumerate() {
            offsets[row] = start + row;
            let signed = i64::from(byte.cast_signed()).cast_unsigned();
            ints.push(if kind.is_signed() { signed } else { u64::from(byte) });
        }
        return Ok(Layout::Few(ints, offsets, bytes));
    }
    for offset in offsets.iter_mut().take(rows) {
        let start = input.position();
        *offset = start;
        if let Some(len) = escape(input, kind) {
            input.consume(9, field("the length of a big integer", 29), Some(len));
            read_escaped(input, kind, start, len, &mut ints)?;
            continue;
        }
        let bits = read_number(input, kind, field("a number", 29))?;
        if !kind.holds(bits) {
            return Err(out_of_range(kind, start).in_row(ints.values.len()));
        }
        ints.push(bits);
    }
    Ok(Layout::Few(ints, offsets, &[]))
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
    let big = input.take_charged(u128::from(len), field("a big integer", 29).form(Form::Rows))?;
    if let Some(tracer) = input.tracer() {
        tracer.preview(1, |_| Some(big_text(big)));
    }
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
            Layout::Frame(frame) => self.validate_rows(Some(frame)),
            Layout::Delta { .. } | Layout::Runs { .. } | Layout::Patched { .. } => {
                self.validate_rows(None)
            }
            Layout::Widths(widths) => widths.validate(self.kind, self.place.range.start),
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

    fn validate_rows(&self, frame: Option<&Frame<'_>>) -> Result<()> {
        if self.kind.bounds().is_none() || frame.is_some_and(|frame| frame.is_within(self.kind)) {
            return Ok(());
        }
        check_range(self.kind, &self.clone().decode().values, self.place.range.start)
    }

    /// All rows of a valid column.
    pub(crate) fn decode(self) -> IntBuffer {
        let mut ints = IntBuffer::default();
        match &self.layout {
            Layout::Few(..) => {}
            Layout::Frame(frame) => ints.values = frame.decode(),
            Layout::Delta { first, differences } => {
                ints.values.reserve(self.place.rows);
                let mut row = *first;
                ints.values.push(row);
                ints.values.extend(differences.iter().map(|difference| {
                    row = row.wrapping_add(*difference);
                    row
                }));
            }
            Layout::Runs { values, lengths } => {
                ints.values.reserve(self.place.rows);
                for (&value, &len) in values.iter().zip(lengths) {
                    ints.values.extend(std::iter::repeat_n(value, len as usize));
                }
            }
            Layout::Patched { frame, positions, values } => {
                ints.values = frame.decode();
                for (&position, &value) in positions.iter().zip(values) {
                    ints.values[position as usize] = value;
                }
            }
            Layout::Widths(widths) => ints.values = widths.decode(self.kind.is_signed()),
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
        match self.layout {
            Layout::Few(few, ..) => few,
            _ => ints,
        }
    }

    /// Where faults of the rows' numbers are reported (F-27).
    pub(crate) fn offsets(&self) -> Offsets {
        match &self.layout {
            Layout::Few(_, offsets, _) => Offsets::Each(*offsets),
            _ => Offsets::All(self.place.range.start),
        }
    }
}

/// Where faults of rows are reported: each at its varint, or all at the column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Offsets {
    Each([usize; FEW - 1]),
    All(usize),
}

impl Offsets {
    pub(crate) fn of(&self, row: usize) -> usize {
        match self {
            Offsets::Each(offsets) => offsets[row],
            Offsets::All(offset) => *offset,
        }
    }
}

/// Shows the rows of a column that is not of a site's own values.
pub(crate) fn show(input: &Input<'_>, values: &[u64]) {
    if let Some(tracer) = input.tracer() {
        tracer.preview_column(values.len(), |row| Some(values[row].to_string()));
    }
}

/// Finds, checks and decodes a column of lengths or counts.
pub(crate) fn read_u64(input: &mut Input<'_>, rows: usize) -> Result<(Place, Vec<u64>)> {
    let ints = locate(input, IntKind::U64, rows)?;
    ints.validate()?;
    let place = ints.place.clone();
    let values = ints.decode().values;
    show(input, &values);
    Ok((place, values))
}

/// Finds, checks and decodes a column of indices, each below a bound, else an error (F-27).
pub(crate) fn read_below(
    input: &mut Input<'_>,
    rows: usize,
    bound: u64,
    what: &'static str,
) -> Result<(Place, Vec<u64>)> {
    read_bounded(input, rows, bound, what, Code::IndexOutOfRange)
}

/// Finds, checks and decodes a column of numbers, each below a bound, else this error (F-27).
pub(crate) fn read_bounded(
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
    match values.iter().position(|&value| value >= bound) {
        None => Ok((place, values)),
        Some(row) => Err(Error::at(code, offsets.of(row))
            .expected(format!("{what} below {bound}"))
            .got(values[row].to_string())
            .in_row(row)),
    }
}
