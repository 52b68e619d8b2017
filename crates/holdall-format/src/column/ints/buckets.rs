//! Cuts rows into buckets of adjacent numbers, from which bins are made.
//!
//! ```text
//! a small range: count each number
//! few rows: sort them
//! else: count the rows in cells of equal breadth; cut the cells with too many rows in turn
//! join adjacent buckets while they have few rows together
//! ```

use alloc::vec::Vec;

use super::flip;
use crate::kernel::range;
use crate::memory::{self, GrowVec};

/// A bucket of fewer rows gains less than its bin costs, unless there are few buckets.
const ROWS_OF_BUCKET: usize = 16;
/// This many buckets suffice to estimate what bins take.
pub(super) const FEWER_BUCKETS: usize = 64;
/// If the rows span fewer numbers than this, each number is counted.
const COUNTED: u64 = 1 << 16;
/// Fewer other rows are sorted.
const SORTED: usize = 1 << 8;
/// The others are counted in about as many cells, and at most 2 to the power of this, which fit the second-level cache.
const CELL_BITS: u32 = 14;

/// Adjacent numbers, in the order of unsigned numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    pub(super) low: u64,
    pub(super) high: u64,
    pub(super) rows: u64,
}

impl Bucket {
    const EMPTY: Bucket = Bucket { low: u64::MAX, high: 0, rows: 0 };

    fn of_number(number: u64, rows: u64) -> Bucket {
        Bucket { low: number, high: number, rows }
    }

    fn take(&mut self, number: u64) {
        self.low = self.low.min(number);
        self.high = self.high.max(number);
        self.rows += 1;
    }
}

/// All numbers with their row counts, in order, cut into about `most` buckets.
pub(super) fn buckets(values: &[u64], signed: bool, most: usize) -> Vec<Bucket> {
    let most = most.min((values.len() / ROWS_OF_BUCKET).max(FEWER_BUCKETS));
    let enough = values.len().div_ceil(most) as u64;
    let mut numbers = Vec::new();
    push_numbers(&mut numbers, values, signed, enough);
    if numbers.len() <= most {
        return numbers;
    }
    let mut buckets: Vec<Bucket> = memory::with_capacity(2 * most);
    for number in numbers {
        match buckets.last_mut() {
            // A number with many rows gets its own bucket.
            Some(last) if last.rows + number.rows <= enough => {
                last.high = number.high;
                last.rows += number.rows;
            }
            _ => buckets.put(number),
        }
    }
    buckets
}

/// Appends a bucket for each number, in order; where adjacent ones have at most `enough` rows, possibly one for all of them.
fn push_numbers(out: &mut Vec<Bucket>, values: &[u64], signed: bool, enough: u64) {
    let Some((low, high)) = range::min_max(values, signed) else { return };
    let flip = flip(signed);
    let (low, high) = (low ^ flip, high ^ flip);
    let in_order = values.iter().map(|value| value ^ flip);
    if high - low < COUNTED.min(4 * values.len() as u64) {
        let mut counts = Counts::new(low, high);
        in_order.for_each(|number| counts.take(number));
        counts.push_to(out);
    } else if values.len() < SORTED {
        let mut sorted = memory::collected(in_order);
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|a, b| a == b);
        out.put_each(runs.map(|run| Bucket::of_number(run[0], run.len() as u64)));
    } else {
        push_cells(out, in_order, values.len(), low, high, enough);
    }
}

/// The rows of each number in a range that is not large.
struct Counts {
    low: u64,
    rows: Vec<u64>,
}

impl Counts {
    fn new(low: u64, high: u64) -> Counts {
        Counts { low, rows: memory::zeros((high - low) as usize + 1) }
    }

    fn take(&mut self, number: u64) {
        self.rows[(number - self.low) as usize] += 1;
    }

    fn push_to(self, out: &mut Vec<Bucket>) {
        let rows = self.rows.into_iter().enumerate().filter(|(_, rows)| *rows > 0);
        // By addition, because a range would continue beyond the greatest number.
        rows.for_each(|(index, rows)| out.put(Bucket::of_number(self.low + index as u64, rows)));
    }
}

/// The rows of a cell that is cut.
enum Inside {
    /// They take no more memory than the rows.
    Counts(Counts),
    Rows(Vec<u64>),
}

fn push_cells(
    out: &mut Vec<Bucket>,
    in_order: impl Iterator<Item = u64> + Clone,
    rows: usize,
    low: u64,
    high: u64,
    enough: u64,
) {
    let cell_bits = (usize::BITS - rows.leading_zeros()).min(CELL_BITS);
    let shift = (64 - (high - low).leading_zeros()).saturating_sub(cell_bits);
    let cell_of = |number: u64| ((number - low) >> shift) as usize;
    let mut cells = memory::filled(Bucket::EMPTY, cell_of(high) + 1);
    in_order.clone().for_each(|number| cells[cell_of(number)].take(number));
    let mut inside: Vec<Inside> = Vec::new();
    // The index of each cell that is cut among these.
    let mut is_cut: Vec<Option<u32>> = memory::filled(None, cells.len());
    for (cell, is_cut) in cells.iter().zip(&mut is_cut) {
        if cell.rows > enough && cell.low < cell.high {
            *is_cut = Some(inside.len() as u32);
            inside.put(if cell.high - cell.low < COUNTED.min(cell.rows) {
                Inside::Counts(Counts::new(cell.low, cell.high))
            } else {
                Inside::Rows(memory::with_capacity(cell.rows as usize))
            });
        }
    }
    if !inside.is_empty() {
        for number in in_order {
            if let Some(index) = is_cut[cell_of(number)] {
                match &mut inside[index as usize] {
                    Inside::Counts(counts) => counts.take(number),
                    Inside::Rows(rows) => rows.put(number),
                }
            }
        }
    }
    // In the order of the cells.
    let mut inside = inside.into_iter();
    for (cell, is_cut) in cells.into_iter().zip(is_cut) {
        match is_cut.and_then(|_| inside.next()) {
            Some(Inside::Counts(counts)) => counts.push_to(out),
            // A cell is narrower by 8 bits at least, so this ends soon.
            Some(Inside::Rows(rows)) => push_numbers(out, &rows, false, enough),
            None if cell.rows > 0 => out.put(cell),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_row_is_in_one_bucket(
            numbers in prop::collection::vec((any::<u64>(), 0_u32..64), 1..60),
            rows in 1_usize..20_000,
            signed in any::<bool>(),
        ) {
            // Some numbers have many rows; others are near them.
            let row = |at: usize| {
                let (number, bits) = numbers[(at * at) % numbers.len()];
                (number >> bits).wrapping_add((at % 7 * at) as u64)
            };
            let rows: Vec<u64> = (0..rows).map(row).collect();
            let buckets = buckets(&rows, signed, 64);
            prop_assert!(buckets.len() <= 2 * 64 + 1);
            prop_assert!(buckets.iter().all(|bucket| bucket.low <= bucket.high));
            prop_assert!(buckets.windows(2).all(|pair| pair[0].high < pair[1].low));
            let mut counts: Vec<u64> = buckets.iter().map(|_| 0).collect();
            for row in rows {
                let number = row ^ flip(signed);
                let at = buckets.partition_point(|bucket| bucket.high < number);
                prop_assert!(buckets[at].low <= number);
                counts[at] += 1;
            }
            prop_assert!(counts.iter().zip(&buckets).all(|(count, bucket)| *count == bucket.rows));
        }
    }

    #[test]
    fn a_number_with_many_rows_has_a_bucket_of_its_own() {
        // In a range of 2^60, half of the rows are one number.
        let row = |at: u64| if at.is_multiple_of(2) { 5 << 40 } else { at << 45 };
        let rows: Vec<u64> = (0..30_000).map(row).collect();
        let buckets = buckets(&rows, false, 512);
        assert!(buckets.iter().any(|bucket| (bucket.low, bucket.high) == (5 << 40, 5 << 40)));
    }

    #[test]
    fn the_greatest_numbers_are_counted() {
        for (signed, greatest) in [(false, u64::MAX), (true, i64::MAX as u64)] {
            let rows: Vec<u64> = (0..100).map(|row| greatest - row % 7).collect();
            let counts: Vec<u64> =
                buckets(&rows, signed, 512).iter().map(|bucket| bucket.rows).collect();
            assert_eq!(counts, [14, 14, 14, 14, 14, 15, 15]);
        }
    }
}
