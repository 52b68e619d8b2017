//! Some rows of a decoded column.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use crate::column::bits::Bits;
use crate::column::ints::{IntBuffer, IntRows};
use crate::column::text::TextRows;
use crate::input::Scratch;
use crate::memory::{Collect, GrowVec};
use crate::number::IntKind;

/// Row i as bit i.
pub(super) fn pack(bits: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (row, bit) in bits.enumerate() {
        if row % 8 == 0 {
            bytes.put(0);
        }
        if let Some(last) = bytes.last_mut() {
            *last |= u8::from(bit) << (row % 8);
        }
    }
    bytes
}

/// Converts 64-bit patterns to rows of their kind.
pub(super) fn of_kind(kind: IntKind, values: Vec<u64>) -> IntRows<'static> {
    match kind.width() {
        Some(1) => {
            IntRows::W8(values.into_iter().map(|bits| bits as u8).collected::<Vec<_>>().into())
        }
        Some(2) => IntRows::W16(values.into_iter().map(|bits| bits as u16).collected()),
        Some(4) => IntRows::W32(values.into_iter().map(|bits| bits as u32).collected()),
        Some(8) => IntRows::W64(values),
        _ => IntRows::Wide(Box::new(IntBuffer::of(values))),
    }
}

/// Bits of some rows.
pub(super) fn some_bits<'p>(
    all: &Bits<'_>,
    runs: &[Range<usize>],
    scratch: &'p Scratch,
) -> Bits<'p> {
    let bytes = pack(runs.iter().flat_map(|run| all.decode_rows(run.clone())));
    Bits::of_raw(scratch.keep(bytes), runs.iter().map(ExactSizeIterator::len).sum())
}

pub(super) fn some_ints(ints: &IntRows<'_>, runs: &[Range<usize>]) -> IntRows<'static> {
    fn some<W: Clone>(all: &[W], runs: &[Range<usize>]) -> Vec<W> {
        let mut some = Vec::new();
        runs.iter().for_each(|run| some.put_slice(&all[run.clone()]));
        some
    }
    match ints {
        IntRows::W8(all) => IntRows::W8(some(all, runs).into()),
        IntRows::W16(all) => IntRows::W16(some(all, runs)),
        IntRows::W32(all) => IntRows::W32(some(all, runs)),
        IntRows::W64(all) => IntRows::W64(some(all, runs)),
        IntRows::Wide(all) => IntRows::Wide(Box::new(all.some(runs))),
    }
}

/// Returns the lengths and the bytes of some rows; `bounds` are those of all rows of plain text.
pub(super) fn some_text(
    all: &TextRows,
    bounds: &[usize],
    bytes: &[u8],
    runs: &[Range<usize>],
) -> (Vec<u64>, Vec<u8>) {
    let (mut lengths, mut some) = (Vec::new(), Vec::new());
    for row in runs.iter().flat_map(Clone::clone) {
        let (start, end) = all.span(row, bounds.get(row).copied().unwrap_or(0));
        lengths.put((end - start) as u64);
        some.put_slice(&bytes[start..end]);
    }
    (lengths, some)
}
