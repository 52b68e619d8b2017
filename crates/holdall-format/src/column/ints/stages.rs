//! Numbers of 64 bits in stages (F-29): the numbers of a leaf, summed row by row, times a scale.
//!
//! A column of integers consists of such stages, and so do inner columns (F-59). Stages have this order, and each
//! occurs at most once:
//!
//! ```text
//! scaled: base + g * quotient     (optional)
//! delta: the sum of differences   (optional)
//! a leaf: frame, widths or bins
//! ```

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::Range;

use super::{BINS, DELTA, SCALED, WIDTHS, bins, read_number, widths};
use crate::column::frame::{Frame, INNER, is_frame, locate_frame};
use crate::error::{Code, Error, Result};
use crate::input::trace::field;
use crate::input::{Input, Pooled, Scratch};
use crate::kernel::lengths::sum;
use crate::memory::GrowVec;
use crate::number::IntKind;

/// Stages that have been located; the padding is checked.
#[derive(Clone, Debug)]
pub(super) struct Stages<'a> {
    scale: Option<Scale>,
    /// The first row, with delta.
    first: Option<u64>,
    leaf: Leaf<'a>,
    /// Whether the leaf's rows are signed.
    signed: bool,
    rows: usize,
    scratch: &'a Scratch,
}

#[derive(Clone, Copy, Debug)]
struct Scale {
    base: u64,
    factor: u64,
}

#[derive(Clone, Debug)]
enum Leaf<'a> {
    Frame(Frame<'a>),
    Widths(widths::LocatedWidths<'a>),
    /// Boxed, because few columns have bins, and all columns would take more words to move.
    Bins(Box<bins::LocatedBins<'a>>),
    /// One row has no differences.
    Nothing,
}

/// The nesting of an encoding byte: a stage inside another one is a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    Scaled,
    Delta,
    Leaf,
}

impl Depth {
    /// The depth of an encoding byte, if it is a stage.
    fn of(byte: u8) -> Option<Depth> {
        match byte {
            SCALED => Some(Depth::Scaled),
            DELTA => Some(Depth::Delta),
            WIDTHS | BINS => Some(Depth::Leaf),
            byte if is_frame(byte) => Some(Depth::Leaf),
            _ => None,
        }
    }
}

/// Whether an encoding byte is a stage.
pub(super) fn is_stage(byte: u8) -> bool {
    Depth::of(byte).is_some()
}

/// Reads the encoding byte of a stage inside another one, or of the first stage of an inner column.
fn inner_byte(input: &mut Input<'_>, least: Depth) -> Result<u8> {
    let at = input.position();
    let byte = input.byte(INNER)?;
    match Depth::of(byte) {
        Some(depth) if depth >= least => Ok(byte),
        _ => Err(bad_inner(byte, least).moved_to(at)),
    }
}

#[cold]
fn bad_inner(byte: u8, least: Depth) -> Error {
    let expected = match least {
        Depth::Scaled => "a frame, scaled, delta, widths or bins",
        Depth::Delta => "a frame, delta, widths or bins",
        Depth::Leaf => "a frame, widths or bins",
    };
    Error::at(Code::BadInnerEncoding, 0).expected(expected).got(format!("{byte:02X}"))
}

/// Locates stages after the first encoding byte.
pub(super) fn locate<'a>(
    input: &mut Input<'a>,
    mut byte: u8,
    rows: usize,
    mut signed: bool,
) -> Result<Stages<'a>> {
    let mut outer = None;
    let mut role = |input: &Input<'_>, role| {
        let before = input.tracer().map(|tracer| tracer.role(role));
        outer = outer.or(before);
    };
    let (mut scale, mut first, mut left) = (None, None, rows);
    if byte == SCALED {
        let base = read_number(input, signed, field("the base", "F-29"))?;
        let at = input.position();
        let factor = input.varint(field("the scale", "F-29"))?;
        if factor < 2 {
            return Err(Error::at(Code::BadScale, at)
                .expected("a scale of at least 2")
                .got(factor.to_string()));
        }
        scale = Some(Scale { base, factor });
        role(input, "quotients");
        byte = inner_byte(input, Depth::Delta)?;
        signed = false;
    }
    if byte == DELTA {
        first = Some(read_number(input, signed, field("the first row", "F-29"))?);
        left = rows - 1;
        signed = true;
        role(input, "differences");
        if left > 0 {
            byte = inner_byte(input, Depth::Leaf)?;
        }
    }
    let leaf = match byte {
        _ if left == 0 => Leaf::Nothing,
        WIDTHS => Leaf::Widths(widths::locate(input, left, signed)?),
        BINS => Leaf::Bins(bins::locate(input, left, signed)?.into()),
        _ => {
            let frame = Frame::locate(input, byte, left, signed)?;
            if let Some(tracer) = input.tracer() {
                frame.show(tracer, signed);
            }
            Leaf::Frame(frame)
        }
    };
    if let (Some(tracer), Some(outer)) = (input.tracer(), outer) {
        tracer.role(outer);
    }
    Ok(Stages { scale, first, leaf, signed, rows, scratch: input.scratch() })
}

impl<'a> Stages<'a> {
    /// Stages that are only a frame.
    pub(super) fn of_frame(frame: Frame<'a>, rows: usize, scratch: &'a Scratch) -> Stages<'a> {
        let leaf = Leaf::Frame(frame);
        // A frame's rows are the same, whether signed or not.
        Stages { scale: None, first: None, leaf, signed: false, rows, scratch }
    }

    /// Returns the leaf, if there are no other stages.
    fn alone(&self) -> Option<&Leaf<'a>> {
        (self.scale.is_none() && self.first.is_none()).then_some(&self.leaf)
    }

    /// Returns the frame, if there are no other stages.
    pub(super) fn frame(&self) -> Option<&Frame<'a>> {
        match self.alone() {
            Some(Leaf::Frame(frame)) => Some(frame),
            _ => None,
        }
    }

    /// Whether every row is certainly in a kind's range, without testing each.
    pub(super) fn is_within(&self, kind: IntKind) -> bool {
        kind.bounds().is_none()
            || match self.alone() {
                Some(Leaf::Frame(frame)) => frame.is_within(kind),
                Some(Leaf::Widths(widths)) => widths.is_within(kind),
                Some(Leaf::Bins(bins)) => bins.is_within(kind),
                Some(Leaf::Nothing) | None => false,
            }
    }

    /// Reads some rows of a frame without other stages that the input just skipped; returns none if it is none.
    pub(super) fn passed_rows(
        &self,
        input: &Input<'_>,
        runs: &[Range<u64>],
    ) -> Result<Option<Vec<u64>>> {
        let Some(Leaf::Frame(frame)) = self.alone() else { return Ok(None) };
        let mut numbers = Vec::new();
        for run in runs {
            numbers.put_slice(&frame.passed_rows(input, run.clone())?);
        }
        Ok(Some(numbers))
    }

    /// The rows modulo 2^N, as words of N bits.
    pub(super) fn decode<W: Pooled>(&self) -> Vec<W> {
        let mut rows = self.scratch.rows(self.rows);
        let of_leaf = &mut rows[usize::from(self.first.is_some())..];
        match &self.leaf {
            Leaf::Frame(frame) => frame.decode_into(of_leaf),
            Leaf::Widths(widths) => widths.decode(of_leaf, self.signed),
            Leaf::Bins(bins) => bins.decode(of_leaf),
            Leaf::Nothing => {}
        }
        if let Some(first) = self.first {
            let mut row = W::truncate(first);
            rows[0] = row;
            for place in &mut rows[1..] {
                row = row.plus(*place);
                *place = row;
            }
        }
        if let Some(Scale { base, factor }) = self.scale {
            let (base, factor) = (W::truncate(base), W::truncate(factor));
            rows.iter_mut().for_each(|row| *row = row.times(factor).plus(base));
        }
        rows
    }
}

/// Locates an inner column of `rows` > 0 rows and decodes it, unless the input skims (F-59).
pub fn read_inner(
    input: &mut Input<'_>,
    role: &'static str,
    rows: usize,
    signed: bool,
) -> Result<Vec<u64>> {
    let before = input.tracer().map(|tracer| tracer.role(role));
    let byte = inner_byte(input, Depth::Scaled)?;
    // Not through stages: every text column reads its lengths here, and they are mostly frames.
    let values = if is_frame(byte) && before.is_none() {
        let frame = Frame::locate(input, byte, rows, signed)?;
        if input.skims() { Vec::new() } else { frame.decode() }
    } else {
        let stages = locate(input, byte, rows, signed)?;
        if input.skims() { Vec::new() } else { stages.decode() }
    };
    if let (Some(tracer), Some(before)) = (input.tracer(), before) {
        tracer.role(before);
    }
    Ok(values)
}

/// Locates an inner column of lengths. Returns their sum, and the lengths unless the input skims. If it skims, a frame
/// is summed without allocating.
pub fn read_lengths(
    input: &mut Input<'_>,
    role: &'static str,
    rows: usize,
) -> Result<(Vec<u64>, u128)> {
    if !input.skims() {
        let lengths = read_inner(input, role, rows, false)?;
        let sum = sum(&lengths);
        return Ok((lengths, sum));
    }
    let sum = input.depend_on(0, |input| {
        if !matches!(input.peek()?, Some([byte]) if is_frame(byte)) {
            input.charge(8 * rows as u128)?;
            return Ok(sum(&read_inner(input, role, rows, false)?));
        }
        let frame = locate_frame(input, role, rows, false)?;
        // The rows are not charged, so a loop over them could be endless.
        if frame.width == 0 {
            return Ok(u128::from(frame.base) * rows as u128);
        }
        let mut all = 0;
        frame.decode_some(|words: &[u64]| all += sum(words));
        Ok(all)
    })?;
    Ok((Vec::new(), sum))
}
