//! The least and the greatest row.

use super::frame::MAX_SINGLE_ROWS;
use super::{Machine, Word};

/// The least and the greatest row, in signed or unsigned order; `None` without rows.
#[inline]
#[must_use]
pub fn min_max<W: Word>(rows: &[W], signed: bool) -> Option<(W, W)> {
    // To look up the machine and to call its version takes as long as these rows do.
    if rows.len() <= MAX_SINGLE_ROWS {
        return min_max_plain(rows, signed);
    }
    min_max_on(Machine::here(), rows, signed)
}

/// [`min_max`] in the version for a machine.
#[inline]
#[must_use]
pub fn min_max_on<W: Word>(machine: Machine, rows: &[W], signed: bool) -> Option<(W, W)> {
    W::min_max(machine, rows, signed)
}

#[inline(always)]
pub(super) fn min_max_of<W: Word>(machine: Machine, rows: &[W], signed: bool) -> Option<(W, W)> {
    match machine {
        Machine::Plain => min_max_plain(rows, signed),
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2(avx2) => avx2.min_max(rows, signed),
    }
}

#[inline(always)]
pub(super) fn min_max_plain<W: Word>(rows: &[W], signed: bool) -> Option<(W, W)> {
    let &first = rows.first()?;
    Some(if signed {
        let (low, high) = both(rows, first.signed(), W::signed);
        (W::unsigned(low), W::unsigned(high))
    } else {
        both(rows, first, |row| row)
    })
}

#[inline(always)]
fn both<W: Word, K: Copy + Ord>(rows: &[W], first: K, key: impl Fn(W) -> K) -> (K, K) {
    let (mut low, mut high) = (first, first);
    for &row in rows {
        low = low.min(key(row));
        high = high.max(key(row));
    }
    (low, high)
}
