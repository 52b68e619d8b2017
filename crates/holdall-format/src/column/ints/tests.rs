//! Columns of all distributions, written in each profile.

use alloc::vec::Vec;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{IntBuffer, locate, read_inner, read_lengths, write, write_inner};
use crate::column::{Profile, Settings};
use crate::error::Result;
use crate::input::{Input, Reading, Scratch, Window};
use crate::limits::Limits;
use crate::number::IntKind;

const PROFILES: [Profile; 3] = [Profile::Fast, Profile::Balanced, Profile::Small];

/// Rows of all distributions, as 64-bit patterns.
fn rows() -> impl Strategy<Value = Vec<u64>> {
    let wide = || vec((any::<u64>(), 0_u32..64), 1..400);
    let narrow = || vec(-90_i64..90, 1..6000);
    prop_oneof![
        vec(any::<u64>(), 1..200),
        wide().prop_map(|rows| rows.into_iter().map(|(row, bits)| row >> bits).collect()),
        wide().prop_map(|rows| {
            let row = |(row, bits): (u64, u32)| (row.cast_signed() >> bits).cast_unsigned();
            rows.into_iter().map(row).collect()
        }),
        // Few distinct numbers, far from each other.
        (vec(any::<u64>(), 1..9), vec(any::<prop::sample::Index>(), 1..3000)).prop_map(
            |(numbers, rows)| rows
                .into_iter()
                .map(|row| numbers[row.index(numbers.len())])
                .collect()
        ),
        // One number repeated, and some others.
        (any::<u64>(), vec(prop_oneof![30 => Just(0), 1 => any::<u64>()], 1..3000))
            .prop_map(|(base, rows)| rows.into_iter().map(|row| base ^ row).collect()),
        // Multiples of a number, and numbers near them.
        (any::<u64>(), any::<u64>(), 0_u32..64, narrow(), any::<bool>()).prop_map(
            |(base, scale, bits, rows, walks)| {
                let mut sum = 0_i64;
                let row = |row: i64| {
                    sum = if walks { sum + row } else { row };
                    base.wrapping_add(sum.cast_unsigned().wrapping_mul(scale >> bits))
                };
                rows.into_iter().map(row).collect()
            }
        ),
        (vec(any::<u64>(), 1..400), 0_u32..64).prop_map(|(mut rows, bits)| {
            rows.iter_mut().for_each(|row| *row >>= bits);
            rows.sort_unstable();
            rows
        }),
    ]
}

fn kinds() -> impl Strategy<Value = IntKind> {
    use IntKind::{I8, I16, I32, I64, Int, U8, U16, U32, U64, U128};
    prop::sample::select(vec![U8, U16, U32, U64, U128, I8, I16, I32, I64, Int])
}

/// The number of a kind whose lowest bits are those of a pattern.
fn of_kind(kind: IntKind, bits: u64) -> u64 {
    let shift = 64 - 8 * kind.width().map_or(8, |width| width.min(8)) as u32;
    match kind.is_signed() {
        true => ((bits << shift).cast_signed() >> shift).cast_unsigned(),
        false => bits << shift >> shift,
    }
}

/// Reads with a separate input; also returns where it ended.
fn reading<T>(
    bytes: &[u8],
    read: impl for<'a> FnOnce(&mut Input<'a>) -> Result<T>,
) -> Result<(T, usize)> {
    let scratch = Scratch::default();
    let mut input = Input::new(bytes, Limits::new().budget_for(0), &scratch);
    let found = read(&mut input)?;
    Ok((found, input.position()))
}

/// Reads with an input that skips payloads.
fn skimming<T>(bytes: &[u8], read: impl FnOnce(&mut Input<'_>) -> Result<T>) -> Result<(T, usize)> {
    let end = bytes.len() as u64;
    let window = Window::new(Reading::Slice(bytes), end, None, Limits::new());
    window.skim(0, read).map(|(found, end)| (found, end as usize))
}

fn end_of(bytes: &[u8], kind: IntKind, rows: usize) -> usize {
    skimming(bytes, |input| locate(input, kind, rows).map(|_| ())).unwrap().1
}

fn read(bytes: &[u8], kind: IntKind, rows: usize) -> Result<(IntBuffer, usize)> {
    reading(bytes, |input| Ok(locate(input, kind, rows)?.into_rows()?.into_wide(kind)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn each_profile_preserves_the_rows(rows in rows(), kind in kinds()) {
        let values: Vec<u64> = rows.into_iter().map(|bits| of_kind(kind, bits)).collect();
        let count = values.len();
        let ints = IntBuffer::of(values);
        for profile in PROFILES {
            let mut bytes = Vec::new();
            write(&mut bytes, kind, &ints, Settings::of(profile));
            let end = bytes.len();
            bytes.extend([7; 9]);
            prop_assert_eq!(read(&bytes, kind, count).unwrap(), (ints.clone(), end));
            prop_assert_eq!(end_of(&bytes, kind, count), end);
        }
    }

    #[test]
    fn an_inner_column_preserves_the_rows(rows in rows(), signed in any::<bool>()) {
        for profile in [Profile::Fast, Profile::Small] {
            let mut bytes = Vec::new();
            write_inner(&mut bytes, &rows, signed, profile);
            let end = bytes.len();
            bytes.extend([7; 9]);
            let inner = reading(&bytes, |input| read_inner(input, "rows", rows.len(), signed));
            prop_assert_eq!(inner.unwrap(), (rows.clone(), end));
            let skimmed = skimming(&bytes, |input| read_inner(input, "rows", rows.len(), signed));
            prop_assert_eq!(skimmed.unwrap(), (Vec::new(), end));
            if !signed {
                let sum = rows.iter().map(|row| u128::from(*row)).sum::<u128>();
                let skimmed = skimming(&bytes, |input| read_lengths(input, "rows", rows.len()));
                prop_assert_eq!(skimmed.unwrap(), ((Vec::new(), sum), end));
            }
        }
    }

    #[test]
    fn damaged_columns_are_read_or_rejected(
        rows in rows(),
        kind in kinds(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let values: Vec<u64> = rows.into_iter().map(|bits| of_kind(kind, bits)).collect();
        let count = values.len();
        let ints = IntBuffer::of(values);
        let mut bytes = Vec::new();
        write(&mut bytes, kind, &ints, Settings::of(Profile::Small));
        for (at, byte) in damage {
            // Mostly the heads of stages.
            let at = at.index(bytes.len()) % if byte % 2 == 0 { 24 } else { usize::MAX };
            bytes[at] = byte;
        }
        bytes.truncate(bytes.len().min(1 + cut.index(4 * bytes.len())));
        if let Ok((read, end)) = read(&bytes, kind, count) {
            prop_assert_eq!(read.values.len(), count);
            prop_assert_eq!(end_of(&bytes, kind, count), end);
        }
    }
}

/// Numbers of 31 bits, the same in every run.
fn noise() -> impl FnMut() -> u64 {
    let mut state = 1_u64;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    }
}

/// The entropy of all rows in bits, from each number's share of the rows.
fn entropy(rows: &[u64]) -> f64 {
    let mut sorted = rows.to_vec();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|a, b| a == b);
    let bits = |run: &[u64]| run.len() as f64 * (rows.len() as f64 / run.len() as f64).log2();
    runs.map(bits).sum()
}

#[test]
fn bins_take_little_more_than_the_entropy() {
    let mut noise = noise();
    let few: Vec<u64> = (0..50_000).map(|_| (noise() % 20) * (noise() % 20) / 8).collect();
    let skewed: Vec<u64> = (0..50_000).map(|_| u64::from((noise() | 1).trailing_zeros())).collect();
    let skewed: Vec<u64> = skewed.iter().map(|row| row + noise() % 3 * (noise() % 5)).collect();
    let sums: Vec<u64> = (0..50_000).map(|_| (0..12).map(|_| noise() % 1000).sum()).collect();
    for (rows, most) in [(few, 1.01), (skewed, 1.01), (sums, 1.02)] {
        let mut column = Vec::new();
        write_inner(&mut column, &rows, false, Profile::Small);
        assert_eq!(column[0], super::BINS);
        let (taken, least) = (8.0 * column.len() as f64, entropy(&rows));
        assert!(taken < most * least + 3000.0, "{taken} bits for {least}");
    }
}

/// The number of zeros at the end of a number, up to 20: each with half the chance of the one before it.
fn zeros(number: u64) -> u64 {
    u64::from((number | 1 << 20).trailing_zeros())
}

/// Each column has stages and a leaf that begin with these bytes, and a length that any other choice changes.
#[test]
fn profile_small_chooses_these_columns() {
    type Noise<'n> = &'n mut dyn FnMut() -> u64;
    // Data, the number of rows, the next row from noise and the row before it, the first bytes, the length.
    type Sample<'s> = (&'s str, usize, fn(Noise<'_>, u64) -> u64, &'s [u8], usize);
    let far: fn(Noise<'_>, u64) -> u64 = |noise, _| 1 + 7_u64.pow((noise() % 20) as u32);
    let tails: fn(Noise<'_>, u64) -> u64 = |noise, _| match noise() % 16 {
        0 => noise(),
        _ => 1000 + noise() % 64,
    };
    let samples: [Sample<'_>; 15] = [
        ("all equally often", 5000, |noise, _| noise() % 1000, &[0x0A], 6251),
        ("each of 12 bits", 5000, |noise, _| noise() % 4096, &[0x0C], 7501),
        ("300 far apart", 5000, |noise, _| (noise() % 300).pow(3), &[0x46, 0xAD], 6293),
        ("steps", 5000, |noise, last| last + noise() % 100, &[0x41, 0x51, 0x02, 0x46], 4187),
        (
            "few long steps",
            5000,
            |noise, last| last + zeros(noise()).pow(3) * (noise() % 5),
            &[0x41, 0x0C, 0x46],
            1728,
        ),
        (
            "multiples",
            5000,
            |noise, _| 17 + 1000 * zeros(noise()).pow(2),
            &[0x42, 0x44, 0xA1, 0x0F, 0x46],
            1311,
        ),
        (
            "steps of multiples",
            5000,
            |noise, last| last + 1000 * (10 + noise() % 3),
            &[0x42, 0x03, 0xEE, 0x02, 0xA1, 0x0F],
            1025,
        ),
        ("of all widths", 200, |noise, _| noise() >> (noise() % 31), &[0x45], 500),
        ("too few for bins", 31, far, &[0x42, 0x08, 0x0C, 0x45], 117),
        ("bins save too little", 32, far, &[0x42, 0x08, 0x0C, 0x45], 123),
        ("enough for bins", 100, far, &[0x42, 0x08, 0x0C, 0x46], 214),
        ("mostly small", 1000, |noise, _| zeros(noise()).pow(5), &[0x46, 0x16], 295),
        ("all in the sample", 4096, tails, &[0x46], 4026),
        ("not all in the sample", 4097, tails, &[0x46], 4026),
        (
            "two ranges",
            3000,
            |noise, _| if noise() % 2 == 1 { noise() % 10 } else { 1_000_000 + noise() % 1000 },
            &[0x46],
            2919,
        ),
    ];
    for (data, count, next, begins, len) in samples {
        let (mut noise, mut last) = (noise(), 0);
        let rows = core::iter::repeat_with(|| {
            last = next(&mut noise, last);
            last
        });
        let rows = IntBuffer::of(rows.take(count).collect());
        let mut column = Vec::new();
        write(&mut column, IntKind::Int, &rows, Settings::of(Profile::Small));
        assert!(column.starts_with(begins), "{data}: {:02X?}", &column[..8]);
        assert_eq!(column.len(), len, "{data}");
    }
}

/// zstd finds what is repeated at a distance, also where the middle of the column is tried first.
#[test]
fn large_columns_that_repeat_are_packed_by_zstd() {
    let mut noise = noise();
    let block: Vec<u64> = core::iter::repeat_with(&mut noise).take(5000).collect();
    let mut column = Vec::new();
    let rows = IntBuffer::of(block.repeat(10));
    write(&mut column, IntKind::Int, &rows, Settings::of(Profile::Small));
    assert_eq!(column[0], crate::column::zstd::ZSTD);
    assert!(column.len() < 21_000, "{}", column.len());
}
