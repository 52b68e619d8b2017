//! Integers in profile small: whichever encoding is the smallest (F-63).
//!
//! ```text
//! for the rows, and their quotients if they have a factor; and for the differences of both:
//!     estimate the bits of the best leaf, by a sample
//! write the best with the smallest of frame, widths and bins
//! a column of its own: zstd over frames of whole bytes, if that is smaller still
//! ```

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::balanced::differences;
use super::binning::{self, Binning};
use super::scale::{self, Divisor};
use super::write::varint_of;
use super::{DELTA, SCALED, Widths};
use crate::column::frame::FrameChoice;
use crate::column::{repeats, zstd};
use crate::kernel::range;
use crate::memory::{self, Collect, GrowVec};
use crate::number::write_varint;

/// Fewer rows are not written as bins: the tables and states take more than they save.
const FEWEST_BINS: usize = 32;
/// Longer columns are estimated from this many stretches of [`STRETCH`] rows.
const STRETCHES: usize = 8;
const STRETCH: usize = 128;

/// Appends a column of 4 rows or more.
pub(super) fn write(out: &mut Vec<u8>, values: &[u64], signed: bool) {
    Candidates::of(values, signed).wrap_smallest(out, &[], &[]);
}

/// Appends an inner column of 1 row or more.
pub(super) fn write_inner(out: &mut Vec<u8>, values: &[u64], signed: bool) {
    out.put_slice(&Candidates::of(values, signed).smallest());
}

/// The possible forms of an inner column: by itself, or inside a column that zstd packs.
///
/// The candidates whose estimates are near the best; those without differences come last.
pub struct Candidates<'v>(Vec<(Candidate<'v>, f32)>);

/// A candidate estimated at more than this many times the best is dropped.
const FAR: f32 = 1.3;

impl<'v> Candidates<'v> {
    pub fn of(values: &'v [u64], signed: bool) -> Candidates<'v> {
        let mut candidates: Vec<(Candidate<'v>, f32)> = Candidate::all(values, signed)
            .into_iter()
            .map(|candidate| {
                let estimate = candidate.estimate();
                (candidate, estimate)
            })
            .collected();
        let least = candidates.iter().map(|(_, estimate)| *estimate).fold(f32::INFINITY, f32::min);
        candidates.retain(|(_, estimate)| *estimate <= FAR * least);
        Candidates(candidates)
    }

    /// Encodes the candidate with the smallest estimate.
    pub fn smallest(&self) -> Vec<u8> {
        let mut column = Vec::new();
        if let Some((best, _)) = self.0.iter().min_by(|a, b| a.1.total_cmp(&b.1)) {
            best.write(&mut column);
        }
        column
    }

    /// Encodes the form that takes the fewest bytes inside a column that zstd packs: the smallest one, which zstd cannot pack much
    /// further, or a frame of whole bytes.
    pub fn smallest_within(&self) -> PackedForm {
        let smallest = self.smallest();
        let best = PackedForm { packed: smallest.len(), column: smallest };
        // Differences gain little there.
        let Some((last, _)) = self.0.last() else { return best };
        let Some(column) = last.whole_bytes(best.packed) else { return best };
        let packed = zstd::packed_len(&column) + TWO_KINDS;
        if packed < best.packed { PackedForm { column, packed } } else { best }
    }

    /// Appends a column that holds this inner column between other bytes, in the smallest form of all.
    pub fn wrap_smallest(&self, out: &mut Vec<u8>, ahead: &[u8], behind: &[u8]) {
        let start = out.len();
        out.put_slice(ahead);
        out.put_slice(&self.smallest());
        out.put_slice(behind);
        for (candidate, _) in &self.0 {
            let Some(inner) = candidate.whole_bytes(out.len() - start) else { continue };
            let mut column = memory::joined(&[ahead, &inner, behind]);
            zstd::wrap(&mut column, 0);
            keep_smaller(out, start, &column);
        }
    }
}

/// A form of an inner column, and about how many bytes it takes once zstd has packed it with others.
pub struct PackedForm {
    pub column: Vec<u8>,
    pub packed: usize,
}

/// In one frame with other bytes, those of a part share their codes, and take some bytes more than by themselves.
const TWO_KINDS: usize = 12;

/// Replaces the last column, which begins at `start`, if the other column is smaller; appends it if there is none.
pub fn keep_smaller(out: &mut Vec<u8>, start: usize, column: &[u8]) {
    if out.len() == start || column.len() < out.len() - start {
        out.truncate(start);
        out.put_slice(column);
    }
}

/// The stages above a leaf, and the leaf's rows.
struct Candidate<'v> {
    /// The bytes of the stages.
    stages: Vec<u8>,
    rows: Cow<'v, [u64]>,
    signed: bool,
}

impl<'v> Candidate<'v> {
    fn all(values: &'v [u64], signed: bool) -> Vec<Candidate<'v>> {
        let plain = Candidate { stages: Vec::new(), rows: Cow::Borrowed(values), signed };
        let least = range::min_max(values, signed).map_or(0, |(least, _)| least);
        let factor = if values.len() > 1 { scale::factor(values, least, signed) } else { 1 };
        let scaled = (factor >= 2).then(|| plain.scaled(least, factor));
        // From this many rows on, the quotients save more than their scale takes.
        let is_many = scaled.is_some() && values.len() >= FEWEST_BINS;
        let heads = Some(plain).filter(|_| !is_many).into_iter().chain(scaled);
        heads.flat_map(|head| [head.delta(), Some(head)]).flatten().collected()
    }

    fn scaled(&self, base: u64, factor: u64) -> Candidate<'v> {
        let mut stages = vec![SCALED];
        write_varint(&mut stages, varint_of(self.signed, base));
        write_varint(&mut stages, factor);
        let rows = Divisor::of(factor).quotients(&self.rows, base).into();
        Candidate { stages, rows, signed: false }
    }

    fn delta(&self) -> Option<Candidate<'v>> {
        if self.rows.len() < 2 {
            return None;
        }
        let mut stages = self.stages.clone();
        stages.put(DELTA);
        write_varint(&mut stages, varint_of(self.signed, self.rows[0]));
        Some(Candidate { stages, rows: differences(&self.rows).into(), signed: true })
    }

    /// About how many bytes the candidate takes.
    fn estimate(&self) -> f32 {
        let rows = &self.rows;
        let (sample, share) = if rows.len() <= STRETCHES * STRETCH {
            (Cow::Borrowed(&rows[..]), 1.0)
        } else {
            let step = (rows.len() - STRETCH) / (STRETCHES - 1);
            let stretch = |at: usize| &rows[at * step..][..STRETCH];
            let mut sample = memory::with_capacity(STRETCHES * STRETCH);
            (0..STRETCHES).for_each(|at| sample.put_slice(stretch(at)));
            (sample.into(), rows.len() as f32 / (STRETCHES * STRETCH) as f32)
        };
        let frame = FrameChoice::of(&sample, self.signed).width() as f32 * sample.len() as f32;
        let widths = 8.0 * Widths::of(&sample, self.signed).size() as f32;
        let mut bits = frame.min(widths);
        if rows.len() >= FEWEST_BINS {
            // The states, the counts and the heads of frames.
            let head = 8.0 * 24.0 / share;
            bits = bits.min(head + binning::estimate(&sample, self.signed, rows.len()));
        }
        self.stages.len() as f32 + bits / 8.0 * share
    }

    /// Appends the candidate with the smallest leaf.
    fn write(&self, out: &mut Vec<u8>) {
        let (rows, signed) = (&self.rows[..], self.signed);
        out.put_slice(&self.stages);
        let frame = FrameChoice::of(rows, signed);
        let widths = Widths::of(rows, signed);
        let size = frame.size().min(widths.size());
        // A column of one distinct number is a frame of no bits.
        if rows.len() >= FEWEST_BINS && frame.width() > 0 {
            // Bins are slower to read.
            let Binning { bins, counts } = binning::choose(rows, signed);
            if 33 * bins.size(&counts, signed) < 32 * (1 + size) {
                return bins.write(out, rows, signed);
            }
        }
        if widths.size() < frame.size() {
            return widths.write(out, rows, signed);
        }
        frame.write(out, rows);
    }

    /// Encodes the candidate with a leaf of whole bytes, in which zstd finds repeats; none if that is not worth a try beside
    /// `best` bytes.
    fn whole_bytes(&self, best: usize) -> Option<Vec<u8>> {
        let frame = FrameChoice::of_whole_bytes(&self.rows, self.signed);
        let width = frame.width() as usize / 8;
        if self.rows.len() * width < zstd::MIN_COMPRESSED {
            return None;
        }
        let mut column = memory::copied(&self.stages);
        frame.write(&mut column, &self.rows);
        let payload = &column[column.len() - self.rows.len() * width..];
        repeats::is_worthwhile(repeats::packed_len(payload, width), best).then_some(column)
    }
}
