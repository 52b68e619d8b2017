//! Numbers of rows that choose among a few, such as variants, and how often each occurs before a row: so the rows inside one are
//! found without those before it.

use alloc::vec::Vec;
use core::ops::Range;

use crate::kernel::Word;
use crate::memory::{self, GrowVec};

/// The numbers of rows, with counts of all numbers kept at intervals.
pub struct Ranks<W> {
    numbers: Vec<W>,
    /// How many different numbers there can be.
    values: usize,
    /// The length of an interval.
    step: usize,
    /// For each interval, and for the end of the last one, how often each number occurs before it.
    counts: Vec<usize>,
}

/// The smallest interval. With many different numbers it is their number, so that there are no more counts than rows.
const STEP: usize = 64;

impl<W: Word> Ranks<W> {
    /// Each number is below the number of values.
    pub fn new(numbers: Vec<W>, values: usize) -> Ranks<W> {
        let step = values.max(STEP);
        let mut counts = memory::with_capacity((numbers.len().div_ceil(step) + 1) * values);
        let mut before = memory::filled(0, values);
        for some in numbers.chunks(step) {
            counts.put_slice(&before);
            count(some, &mut before);
        }
        counts.put_slice(&before);
        Ranks { numbers, values, step, counts }
    }

    /// The numbers of all rows.
    pub fn numbers(&self) -> &[W] {
        &self.numbers
    }

    /// How often a number occurs before this row. It can be that behind the last.
    #[inline]
    pub fn before(&self, row: usize, number: usize) -> usize {
        let kept = row / self.step;
        let between = self.numbers[kept * self.step..row].iter();
        let count = between.filter(|own| own.widen() == number as u64).count();
        self.counts[kept * self.values + number] + count
    }

    /// The same for each number.
    fn all_before(&self, row: usize) -> Vec<usize> {
        let kept = row / self.step;
        let mut counts = memory::copied(&self.counts[kept * self.values..][..self.values]);
        count(&self.numbers[kept * self.step..row], &mut counts);
        counts
    }

    /// Calls `each` with numbers that occur in some rows and how often, in steps as few as the rows or the numbers allow.
    pub fn between(&self, rows: Range<usize>, mut each: impl FnMut(usize, usize)) {
        if rows.len() <= self.step {
            return self.numbers[rows].iter().for_each(|number| each(number.widen() as usize, 1));
        }
        let counts = self.all_before(rows.start).into_iter().zip(self.all_before(rows.end));
        for (number, (before, all)) in counts.enumerate().filter(|(_, (before, all))| all > before)
        {
            each(number, all - before);
        }
    }
}

/// Adds how often each number occurs.
fn count<W: Word>(numbers: &[W], counts: &mut [usize]) {
    numbers.iter().for_each(|number| counts[number.widen() as usize] += 1);
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::Ranks;

    #[test]
    fn counts_before_each_row_are_those_of_the_rows() {
        for values in [1, 3, 63, 64, 65, 200] {
            for rows in [0_usize, 1, 63, 64, 65, 128, 199, 200, 201, 400, 512] {
                let numbers: Vec<u32> =
                    (0..rows).map(|row| (row * row % 7 * row % values) as u32).collect();
                let ranks = Ranks::new(numbers.clone(), values);
                assert_eq!(ranks.numbers(), numbers);
                let mut counts = vec![0; values];
                for row in 0..=rows {
                    assert_eq!(ranks.all_before(row), counts, "{row} of {rows}, {values}");
                    let each = (0..values).map(|number| ranks.before(row, number));
                    assert!(each.eq(counts.iter().copied()), "{row} of {rows}, {values}");
                    for start in (0..=row).step_by(7) {
                        let mut rest = counts.clone();
                        ranks.between(start..row, |number, count| rest[number] -= count);
                        assert_eq!(ranks.all_before(start), rest, "{start} to {row}");
                    }
                    numbers.get(row).iter().for_each(|number| counts[**number as usize] += 1);
                }
            }
        }
    }
}
