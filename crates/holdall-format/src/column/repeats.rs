//! Estimates what zstd leaves of rows of whole bytes, in a fraction of the time that zstd takes.
//!
//! ```text
//! rows that begin with the same 6 bytes as an earlier row: matches; adjacent ones of adjacent rows are one sequence
//! bytes left = the sequences, and the entropy of the bytes that do not match
//! ```

use crate::memory;

/// Whether zstd is worth a try, where it leaves about `estimate` bytes and another encoding takes `best`.
pub(super) fn is_worthwhile(estimate: f32, best: usize) -> bool {
    estimate < FAR * best as f32
}

/// Estimates are seldom this much too high.
const FAR: f32 = 1.1;

/// About how many bytes zstd leaves of rows of `width` bytes.
pub(super) fn packed_len(bytes: &[u8], width: usize) -> f32 {
    let Matches { rows, of, sequences } = matches(bytes, width);
    let literals = (of - rows) as f32 / of.max(1) as f32 * bytes.len() as f32;
    literals * entropy(bytes) + sequences as f32 * SEQUENCE
}

/// The bytes of a sequence: the numbers of its literals and matches, and the distance, coded by the commonest cases.
const SEQUENCE: f32 = 1.5;
/// zstd finds matches from about this many bytes on.
const MATCH_LEN: usize = 6;
/// The last rows are found by 2 to the power of at most this many places, which fit the second-level cache.
const MOST_PLACE_BITS: u32 = 14;

struct Matches {
    /// The rows that are within a match, and all that were examined.
    rows: usize,
    of: usize,
    sequences: usize,
}

fn matches(bytes: &[u8], width: usize) -> Matches {
    let of = bytes.len().saturating_sub(7).div_ceil(width);
    let place_bits = (usize::BITS - of.leading_zeros()).clamp(1, MOST_PLACE_BITS);
    // For two rows of each place, the latest first: what it begins with, and its number.
    let mut last = memory::filled([(0_u64, u32::MAX); 2], 1 << place_bits);
    let (mut rows, mut sequences) = (0, 0);
    // The number of the row that the one before matched.
    let mut before = u32::MAX;
    let rows_of_match = (MATCH_LEN / width).max(1);
    let mut end_of_match = 0;
    for row in 0..of {
        let begin = begin_of(bytes, row * width);
        let hash = begin.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - place_bits);
        let place = &mut last[hash as usize];
        let [latest, other] = *place;
        let (earlier, behind) = match begin {
            _ if begin == latest.0 => (latest.1, other),
            _ if begin == other.0 => (other.1, latest),
            _ => (u32::MAX, latest),
        };
        *place = [(begin, row as u32), behind];
        // A match goes on as long as it can.
        if before != u32::MAX && begin == begin_of(bytes, (before as usize + 1) * width) {
            before += 1;
        } else {
            before = earlier;
            sequences += usize::from(earlier != u32::MAX);
        }
        if before != u32::MAX {
            end_of_match = row + rows_of_match;
        }
        rows += usize::from(row < end_of_match);
    }
    Matches { rows, of, sequences }
}

/// The bytes at a place that are compared; there are 8 there.
fn begin_of(bytes: &[u8], at: usize) -> u64 {
    let begin = bytes[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    begin << (8 * (8 - MATCH_LEN))
}

/// About this many bytes are counted, in stretches from all over the column.
const COUNTED: usize = 1 << 13;
const STRETCH: usize = 64;

/// The entropy of the bytes, in bytes for each.
fn entropy(bytes: &[u8]) -> f32 {
    let mut counts = [0_u32; 256];
    let step = (bytes.len() / COUNTED).max(1);
    for stretch in bytes.chunks(STRETCH).step_by(step) {
        stretch.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    }
    let counts = counts.iter().filter(|count| **count > 0).map(|count| *count as f32);
    let all = counts.clone().sum::<f32>().max(1.0);
    let bits: f32 = counts.map(|count| count * libm::log2f(all / count)).sum();
    bits / 8.0 / all
}

#[cfg(all(test, feature = "zstd"))]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::column::zstd;

    fn noise(row: u64) -> u64 {
        let mixed = row.wrapping_add(7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 20
    }

    fn bytes(rows: impl Iterator<Item = u64>, width: usize) -> Vec<u8> {
        rows.flat_map(|row| row.to_le_bytes().into_iter().take(width)).collect()
    }

    /// What repeats at a distance, what repeats nearby, few numbers, and noise, in rows of each width.
    #[test]
    fn the_estimate_is_near_what_zstd_leaves() {
        type Row = fn(u64) -> u64;
        let kinds: [(&str, Row, f32); 6] = [
            ("a block again and again", |row| noise(row % 700), 1.8),
            ("runs of a number", |row| noise(row / 40), 2.5),
            ("parts of a block", |row| noise(row / 60 * 7919 % 500 + row % 60), 1.5),
            ("one of 8 numbers, where bins are smaller", |row| noise(row) % 8, 2.2),
            ("noise of 12 bits", |row| noise(row) % 4096, 1.3),
            ("noise", noise, 1.3),
        ];
        for (kind, row, factor) in kinds {
            for width in [1, 2, 4, 8] {
                let rows = bytes((0..6000).map(row), width);
                let (estimate, left) = (packed_len(&rows, width), zstd::packed_len(&rows) as f32);
                let is_near = left / factor - 64.0 < estimate && estimate < left * factor + 64.0;
                assert!(is_near, "{kind}, {width} bytes: {estimate} for {left} of {}", rows.len());
            }
        }
    }

    #[test]
    fn noise_is_not_worth_a_try() {
        let rows = bytes((0..5000).map(noise), 8);
        // Of 8 bytes, 44 bits are noise.
        assert!(!is_worthwhile(packed_len(&rows, 8), 5000 * 44 / 8));
        assert!(is_worthwhile(packed_len(&rows.repeat(3), 8), 3 * 5000 * 44 / 8));
    }
}
