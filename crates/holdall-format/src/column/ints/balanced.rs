//! Integers in profile balanced, which promises its bytes (F-61, F-91, F-92).

use alloc::vec::Vec;

use super::scale::{self, Divisor};
use super::widths::Widths;
use super::write::varint_of;
use super::{DELTA, SCALED, flip};
use crate::column::Settings;
use crate::column::frame::FrameChoice;
use crate::kernel::{Word, range};
use crate::memory::{self, GrowVec};
use crate::number::{varint_len, write_varint};

/// Widths need at least this many rows, and a frame of at least this many bits (F-91).
const FEWEST_WIDTHS: usize = 16;
const LEAST_WIDTH: u32 = 16;

/// Whether taking `bytes` instead of `others` saves an eighth.
pub fn saves(bytes: u128, others: u128) -> bool {
    8 * bytes <= 7 * others
}

/// The encoding of a column of 4 or more rows.
pub enum BalancedColumn {
    Unscaled(Unscaled),
    Scaled { low: u64, signed: bool, factor: u64, inner: Unscaled },
}

/// An encoding without a scale.
pub enum Unscaled {
    Frame(FrameChoice),
    Delta(Delta),
    Widths(Widths, bool),
}

/// The frame, if it is certainly the choice without trying any other encoding (F-61, F-91, F-92).
pub(super) fn plain_frame<W: Word>(values: &[W], signed: bool) -> Option<FrameChoice> {
    let rows = BalancedRows::of(values, signed);
    let is_plain = rows.is_plain(&rows.frame) && !rows.is_scaled(values, rows.frame.size());
    is_plain.then_some(rows.frame)
}

/// The choice for rows of 64 bits.
pub fn choose(values: &[u64], signed: bool) -> BalancedColumn {
    let rows = BalancedRows::of(values, signed);
    let unscaled = rows.unscaled(values, signed);
    let factor = scale::factor(values, rows.low, signed);
    if factor < 2 {
        return BalancedColumn::Unscaled(unscaled);
    }
    rows.scaled(values, factor, &unscaled).unwrap_or(BalancedColumn::Unscaled(unscaled))
}

/// Facts about rows that are computed before an encoding is chosen.
struct BalancedRows {
    low: u64,
    /// The difference between the greatest and the least row.
    spread: u64,
    signed: bool,
    count: usize,
    is_sorted: bool,
    frame: FrameChoice,
}

impl BalancedRows {
    fn of<W: Word>(values: &[W], signed: bool) -> BalancedRows {
        let (low, high) = range::min_max(values, signed).unwrap_or_default();
        let (low, high) = (low.widen_as(signed), high.widen_as(signed));
        let count = values.len();
        let in_order = |value: &W| value.widen_as(signed) ^ flip(signed);
        BalancedRows {
            low,
            spread: high.wrapping_sub(low),
            signed,
            count,
            is_sorted: values.is_sorted_by_key(in_order),
            frame: FrameChoice::between(low, high, signed, count),
        }
    }

    /// Whether rows with this frame, sorted or not as these are, can use neither delta (F-61) nor widths (F-91).
    fn is_plain(&self, frame: &FrameChoice) -> bool {
        !self.is_sorted && (self.count < FEWEST_WIDTHS || frame.width() < LEAST_WIDTH)
    }

    /// The frame of the quotients.
    fn frame_by(&self, factor: u64) -> FrameChoice {
        FrameChoice::between(0, self.spread / factor, false, self.count)
    }

    /// The bytes of a scaled column without its inner column.
    fn scale_size(&self, factor: u64) -> u128 {
        1 + varint_len(varint_of(self.signed, self.low)) as u128 + varint_len(factor) as u128
    }

    /// Whether a scale saves enough bytes for plain rows.
    fn is_scaled<W: Word>(&self, values: &[W], frame: u128) -> bool {
        let factor = scale::factor(values, self.low, self.signed);
        factor >= 2 && saves(self.scale_size(factor) + 1 + self.frame_by(factor).size(), 1 + frame)
    }

    /// Delta if the rows are sorted and delta is smaller (F-61), widths if they save an eighth (F-91), otherwise the
    /// frame.
    fn unscaled(&self, values: &[u64], signed: bool) -> Unscaled {
        let frame = self.frame;
        if self.is_sorted {
            let delta = Delta::of(values, signed);
            if delta.size() < frame.size() {
                return Unscaled::Delta(delta);
            }
        }
        if values.len() >= FEWEST_WIDTHS && frame.width() >= LEAST_WIDTH {
            let widths = Widths::of(values, signed);
            // The encoding bytes count.
            if saves(1 + widths.size(), 1 + frame.size()) {
                return Unscaled::Widths(widths, signed);
            }
        }
        Unscaled::Frame(frame)
    }

    /// The column scaled by the factor of its differences, if that saves an eighth (F-92).
    fn scaled(&self, values: &[u64], factor: u64, unscaled: &Unscaled) -> Option<BalancedColumn> {
        let frame = self.frame_by(factor);
        let saves = |inner| saves(self.scale_size(factor) + inner, unscaled.size());
        // For most columns, the choice is known before the rows are divided.
        let inner = if self.is_plain(&frame) {
            Unscaled::Frame(frame)
        } else {
            let quotients = Divisor::of(factor).quotients(values, self.low);
            let rows = BalancedRows {
                low: 0,
                spread: self.spread / factor,
                signed: false,
                frame,
                ..*self
            };
            rows.unscaled(&quotients, false)
        };
        let BalancedRows { low, signed, .. } = *self;
        saves(inner.size()).then_some(BalancedColumn::Scaled { low, signed, factor, inner })
    }
}

impl BalancedColumn {
    /// The number of bytes without padding.
    pub fn size(&self) -> u128 {
        match self {
            BalancedColumn::Unscaled(unscaled) => unscaled.size(),
            BalancedColumn::Scaled { low, signed, factor, inner } => {
                let base = varint_of(*signed, *low);
                1 + varint_len(base) as u128 + varint_len(*factor) as u128 + inner.size()
            }
        }
    }

    /// Appends the column.
    pub fn write(&self, out: &mut Vec<u8>, values: &[u64], settings: Settings) {
        match self {
            BalancedColumn::Unscaled(Unscaled::Frame(frame)) => {
                frame.write_column(out, values, settings);
            }
            BalancedColumn::Unscaled(unscaled) => unscaled.write(out, values),
            BalancedColumn::Scaled { low, signed, factor, inner } => {
                out.put(SCALED);
                write_varint(out, varint_of(*signed, *low));
                write_varint(out, *factor);
                let divisor = Divisor::of(*factor);
                match inner {
                    // Rows are divided while they are packed: storing the quotients first took a third of the time.
                    Unscaled::Frame(frame) => frame.write_made(out, values, |value| {
                        divisor.quotient(value.wrapping_sub(*low))
                    }),
                    inner => inner.write(out, &divisor.quotients(values, *low)),
                }
            }
        }
    }

    /// Appends the column as an inner column.
    pub fn write_inner(&self, out: &mut Vec<u8>, values: &[u64]) {
        let settings = Settings::of(crate::column::Profile::Balanced);
        self.write(out, values, settings);
    }
}

impl Unscaled {
    fn size(&self) -> u128 {
        1 + match self {
            Unscaled::Frame(frame) => frame.size(),
            Unscaled::Delta(delta) => delta.size(),
            Unscaled::Widths(widths, _) => widths.size(),
        }
    }

    fn write(&self, out: &mut Vec<u8>, values: &[u64]) {
        match self {
            Unscaled::Frame(frame) => frame.write(out, values),
            Unscaled::Delta(delta) => delta.write(out),
            Unscaled::Widths(widths, signed) => widths.write(out, values, *signed),
        }
    }
}

/// The differences from row to row, as a writer encodes them.
pub struct Delta {
    first: u64,
    differences: Vec<u64>,
    frame: FrameChoice,
}

impl Delta {
    fn of(values: &[u64], signed: bool) -> Delta {
        let differences = differences(values);
        let first = varint_of(signed, values.first().copied().unwrap_or(0));
        let frame = FrameChoice::of(&differences, true);
        Delta { first, differences, frame }
    }

    /// The bytes after the encoding byte.
    fn size(&self) -> u128 {
        varint_len(self.first) as u128 + 1 + self.frame.size()
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.put(DELTA);
        write_varint(out, self.first);
        self.frame.write(out, &self.differences);
    }
}

/// The differences from row to row, modulo 2^64.
pub(super) fn differences(values: &[u64]) -> Vec<u64> {
    memory::collected(values.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])))
}
