//! Finds where two sequences of numbers are equal, in little more than linear time.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Parts of two sequences that differ or are equal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) is_equal: bool,
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// Finding the fewest changes takes time with the power of 1.5, so longer parts are divided first: a million random
/// numbers as one part took minutes.
const MAX_COMPARED_AT_ONCE: usize = 1 << 12;

/// Returns the runs of two sequences, alternating. The result is deterministic: there is no deadline.
pub(super) fn runs(old: &[u32], new: &[u32]) -> Vec<Run> {
    let mut equal = Vec::new();
    add_equal((old, 0), (new, 0), Anchors::Unique, &mut equal);
    let mut runs: Vec<Run> = Vec::new();
    let (mut old_end, mut new_end) = (0, 0);
    for (left, right) in equal.into_iter().chain([(old.len(), new.len())]) {
        if left > old_end || right > new_end {
            runs.push(Run { is_equal: false, old: old_end..left, new: new_end..right });
        }
        if left == old.len() {
            break;
        }
        match runs.last_mut() {
            Some(last) if last.is_equal => (last.old.end, last.new.end) = (left + 1, right + 1),
            _ => runs.push(Run { is_equal: true, old: left..left + 1, new: right..right + 1 }),
        }
        (old_end, new_end) = (left + 1, right + 1);
    }
    runs
}

/// Where long sequences are divided.
#[derive(Clone, Copy)]
enum Anchors {
    /// Numbers that occur once in both.
    Unique,
    /// The k-th of a number in both.
    Counted,
    /// Nowhere.
    None,
}

/// Adds the pairs of equal items, by position. Each sequence has the position where it begins.
fn add_equal(
    (mut old, mut old_start): (&[u32], usize),
    (mut new, mut new_start): (&[u32], usize),
    anchors: Anchors,
    equal: &mut Vec<(usize, usize)>,
) {
    let head = old.iter().zip(new).take_while(|(left, right)| left == right).count();
    equal.extend((0..head).map(|at| (old_start + at, new_start + at)));
    (old, new) = (&old[head..], &new[head..]);
    (old_start, new_start) = (old_start + head, new_start + head);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(left, right)| left == right);
    let tail = tail.count();
    (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    if !old.is_empty() && !new.is_empty() {
        if old.len() + new.len() <= MAX_COMPARED_AT_ONCE {
            for op in capture_diff_slices(Algorithm::Myers, old, new) {
                if let DiffOp::Equal { old_index, new_index, len } = op {
                    let pair = |at| (old_start + old_index + at, new_start + new_index + at);
                    equal.extend((0..len).map(pair));
                }
            }
        } else {
            let (pairs, next) = match anchors {
                Anchors::Unique => (unique(old, new), Anchors::Counted),
                Anchors::Counted => (counted(old, new), Anchors::None),
                Anchors::None => (Vec::new(), Anchors::None),
            };
            let chain = longest_rising(&pairs);
            let (mut left, mut right) = (0, 0);
            // The recursion ends when there are no more anchors.
            let gap = |old_gap: Range<usize>, new_gap: Range<usize>, equal: &mut Vec<_>| {
                if !matches!(anchors, Anchors::None) {
                    let old = (&old[old_gap.clone()], old_start + old_gap.start);
                    add_equal(old, (&new[new_gap.clone()], new_start + new_gap.start), next, equal);
                }
            };
            for (old_at, new_at) in chain {
                gap(left..old_at, right..new_at, equal);
                equal.push((old_start + old_at, new_start + new_at));
                (left, right) = (old_at + 1, new_at + 1);
            }
            gap(left..old.len(), right..new.len(), equal);
        }
    }
    let (old_end, new_end) = (old_start + old.len(), new_start + new.len());
    equal.extend((0..tail).map(|at| (old_end + at, new_end + at)));
}

/// Returns the positions of numbers that occur once in both, in the order of the old ones.
fn unique(old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
    let places = |numbers: &[u32]| {
        let mut places: HashMap<u32, Option<usize>> = HashMap::with_capacity(numbers.len());
        for (at, number) in numbers.iter().enumerate() {
            places.entry(*number).and_modify(|place| *place = None).or_insert(Some(at));
        }
        places
    };
    let (in_old, in_new) = (places(old), places(new));
    let pair = |(at, number): (usize, &u32)| {
        let own = in_old.get(number).copied().flatten();
        let other = in_new.get(number).copied().flatten();
        own.and(other).map(|other| (at, other))
    };
    old.iter().enumerate().filter_map(pair).collect()
}

/// Returns the positions of the k-th of each number in both, in the order of the old ones.
fn counted(old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
    let mut places: HashMap<u32, Vec<usize>> = HashMap::new();
    // The first one last.
    for (at, number) in new.iter().enumerate().rev() {
        places.entry(*number).or_default().push(at);
    }
    let pair = |(at, number): (usize, &u32)| Some((at, places.get_mut(number)?.pop()?));
    old.iter().enumerate().filter_map(pair).collect()
}

/// Returns the longest chain of pairs that increase on both sides; on the left they all do.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the last pair of the chain with the lowest end; and for each pair, the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, (_, right)) in pairs.iter().enumerate() {
        let len = ends.partition_point(|end| pairs[*end].1 < *right);
        before.push(len.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(len) {
            Some(end) => *end = number,
            None => ends.push(number),
        }
    }
    let mut chain = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(number) = at {
        chain.push(pairs[number]);
        at = before[number];
    }
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks that the runs cover both, alternate, and are equal where they should be.
    fn check(old: &[u32], new: &[u32]) -> usize {
        let (mut left, mut right, mut equal) = (0, 0, 0);
        let mut last = None;
        for run in runs(old, new) {
            assert_eq!((run.old.start, run.new.start), (left, right));
            assert_ne!(last, Some(run.is_equal));
            (left, right, last) = (run.old.end, run.new.end, Some(run.is_equal));
            if run.is_equal {
                equal += run.old.len();
                assert_eq!(old[run.old], new[run.new]);
            } else {
                assert!(!run.old.is_empty() || !run.new.is_empty());
            }
        }
        assert_eq!((left, right), (old.len(), new.len()));
        equal
    }

    #[test]
    fn long_sequences_are_split_at_unique_items() {
        let old: Vec<u32> = (0..100_000).collect();
        let mut new = old.clone();
        for at in (0..1000).rev() {
            new.insert(at * 97, 200_000 + at as u32);
        }
        assert_eq!(check(&old, &new), 100_000);
        assert_eq!(check(&new, &old), 100_000);
        let backwards: Vec<u32> = old.iter().rev().copied().collect();
        assert!(check(&old, &backwards) >= 1);
    }

    #[test]
    fn most_common_runs_of_long_sequences_are_found() {
        let old: Vec<u32> =
            (0..100_000u32).map(|at| at.wrapping_mul(2_654_435_761) >> 30).collect();
        let mut new = old.clone();
        new.insert(50_000, 9);
        new.insert(100, 8);
        assert_eq!(check(&old, &new), 100_000);
    }

    proptest! {
        #[test]
        fn runs_cover_both_sequences(
            old in prop::collection::vec(0u32..9, 0..60),
            new in prop::collection::vec(0u32..9, 0..60),
        ) {
            check(&old, &new);
            prop_assert_eq!(check(&old, &old), old.len());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn runs_cover_both_long_sequences(
            old in prop::collection::vec(0u32..999, 3000..9000),
            new in prop::collection::vec(0u32..999, 3000..9000),
        ) {
            check(&old, &new);
        }
    }
}
