//! Widths: each row takes as many bits as it needs (F-29, F-91).

use alloc::string::ToString;
use alloc::vec::Vec;

use crate::memory::{self, GrowVec};

use super::{WIDTHS, check_unused};
use crate::column::frame::{Frame, FrameChoice, locate_frame};
use crate::column::preview::number_text;
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::input::trace::{FieldForm, field};
use crate::kernel::Word;
use crate::kernel::widths::{self, Need, Unpack};
use crate::number::IntKind;

/// The widest row (F-29).
const WIDEST: u64 = 64;

/// Rows and their widths, as a writer encodes them.
pub struct Widths {
    frame: FrameChoice,
    bits: u64,
}

impl Widths {
    pub(super) fn of(values: &[u64], signed: bool) -> Widths {
        let Need { low, high, bits } = widths::measure(values, signed);
        let frame = FrameChoice::between(u64::from(low), u64::from(high), false, values.len());
        Widths { frame, bits }
    }

    /// The bytes after the encoding byte.
    pub(super) fn size(&self) -> u128 {
        1 + self.frame.size() + u128::from(self.bits.div_ceil(8))
    }

    pub(super) fn write(&self, out: &mut Vec<u8>, values: &[u64], signed: bool) {
        out.put(WIDTHS);
        self.frame.write_made(out, values, |value| widths::width(*value, signed));
        widths::pack(out, values, signed);
    }
}

/// A located column: no width is above 64, and the padding is checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocatedWidths<'a> {
    widths: Frame<'a>,
    payload: &'a [u8],
    /// The greatest width.
    widest: u64,
}

pub(super) fn locate<'a>(
    input: &mut Input<'a>,
    rows: usize,
    signed: bool,
) -> Result<LocatedWidths<'a>> {
    let start = input.position();
    let widths = input.depend_on(0, |input| locate_frame(input, "widths", rows, false))?;
    let (widest, bits) = need(&widths, rows);
    if widest > WIDEST {
        return Err(too_wide(widest, start));
    }
    let what = field("the patterns", "F-29").form(FieldForm::Rows);
    let payload = input.payload(bits.div_ceil(8), what)?;
    check_unused(payload, bits as u64, input.position())?;
    let located = LocatedWidths { widths, payload, widest };
    if let Some(tracer) = input.tracer().filter(|_| !payload.is_empty()) {
        let mut values = memory::zeros(rows);
        located.decode(&mut values, signed);
        tracer.preview(rows, |row| Some(number_text(values[row], signed)));
    }
    Ok(located)
}

/// The greatest width, and the number of bits of the rows, which is exact if no width is above 64.
fn need(widths: &Frame<'_>, rows: usize) -> (u64, u128) {
    fn of<W: Word>(widths: &Frame<'_>) -> (u64, u128) {
        let (mut widest, mut bits) = (0, 0_u64);
        widths.decode_some(|words: &[W]| {
            let (high, sum) = widths::sum(words);
            widest = high.max(widest);
            bits = bits.wrapping_add(sum);
        });
        (widest, bits.into())
    }
    // Skipped rows are not charged, so a loop over them could be endless.
    if widths.width == 0 {
        let (widest, bits) = widths::sum(&[widths.base]);
        return (widest, u128::from(bits) * rows as u128);
    }
    // A writer's widths fit bytes, which take an eighth of the time.
    match widths.base.checked_add(widths.widest()) {
        Some(..=0xFF) => of::<u8>(widths),
        _ => of::<u64>(widths),
    }
}

#[cold]
fn too_wide(width: u64, at: usize) -> Error {
    Error::at(Code::BadWidths, at).expected("widths up to 64").got(width.to_string())
}

impl LocatedWidths<'_> {
    /// Whether every row is certainly in a kind's range: a kind of N bits has all patterns of N bits.
    pub(super) fn is_within(&self, kind: IntKind) -> bool {
        self.widest <= kind.width().map_or(WIDEST, |bytes| 8 * bytes)
    }

    /// The rows modulo 2^N, as words of N bits.
    pub(super) fn decode<W: Word>(&self, rows: &mut [W], signed: bool) {
        let mut left = rows;
        let mut unpack = Unpack::new(self.payload, 0);
        self.widths.decode_some(|widths: &[u8]| {
            let (some, rest) = core::mem::take(&mut left).split_at_mut(widths.len());
            unpack.take(some, widths, signed);
            left = rest;
        });
    }
}
