//! Every kernel, in every version that this machine runs, against a slow and plain model.

use alloc::vec::Vec;
use core::fmt::Debug;

use super::frame::{append, pack_on, payload_len, unpack_on};
use super::widths::{Need, Unpack};
use super::{Machine, Word, bits, digits, lengths, range, raw, text, widths};

/// A few blocks of every kernel, and more than 1,024 rows.
const MAX_ROWS: usize = 1030;
/// Bases that overflow, and bases that do not.
const BASES: [u64; 4] = [0, 7, 1 << 63, u64::MAX - 2];

/// Numbers without a pattern.
fn noise(seed: u64) -> u64 {
    let mixed = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

fn low_bits(width: u32) -> u64 {
    if width == 0 { 0 } else { u64::MAX >> (64 - width) }
}

/// Bit by bit, as F-29 defines it.
fn model_of_payload(fields: &[u64], width: u32) -> Vec<u8> {
    let mut bytes = vec![0; payload_len(fields.len(), width) as usize];
    for (row, field) in fields.iter().enumerate() {
        for bit in 0..width as usize {
            let at = row * width as usize + bit;
            bytes[at / 8] |= ((field >> bit & 1) as u8) << (at % 8);
        }
    }
    bytes
}

/// The payload of the first rows only.
fn cut(payload: &[u8], rows: usize, width: u32) -> Vec<u8> {
    let mut bytes = payload[..payload_len(rows, width) as usize].to_vec();
    if let (Some(last), used @ 1..) = (bytes.last_mut(), rows * width as usize % 8) {
        *last &= (1 << used) - 1;
    }
    bytes
}

/// Runs a check on copies of the bytes at addresses of each alignment.
fn at_any_address(bytes: &[u8], start: usize, check: impl FnOnce(&[u8])) {
    let mut copy = vec![0xFF; start % 8];
    copy.extend_from_slice(bytes);
    check(&copy[start % 8..]);
}

fn check_frames<W: Word + Debug>() {
    for width in (0..=57).chain([64]) {
        let field = |row: u64| match row % 13 {
            0 => low_bits(width),
            5 => 0,
            _ => noise(row) & low_bits(width),
        };
        let fields: Vec<u64> = (0..MAX_ROWS as u64).map(field).collect();
        // Rows with fewer bits than a field have only its lowest ones.
        let short: Vec<u64> = fields.iter().map(|field| field & low_bits(W::BITS)).collect();
        let (full, short) = (model_of_payload(&fields, width), model_of_payload(&short, width));
        let columns = BASES.map(|base| {
            let row = |field: &u64| W::truncate(field.wrapping_add(base));
            fields.iter().map(row).collect::<Vec<W>>()
        });
        for len in 0..=MAX_ROWS {
            let which = (len + len / 8) % BASES.len();
            let (base, rows) = (BASES[which], &columns[which][..len]);
            let mut appended = vec![7];
            append(&mut appended, rows, base, width);
            assert_eq!(appended[1..], cut(&short, len, width), "{len} rows in {width} bits");
            for (name, machine) in Machine::all() {
                let case = || format!("{name}: {len} rows of {} in {width} bits", W::BITS);
                let expected = cut(&short, len, width);
                let mut packed = vec![0xFF; len % 8 + expected.len()];
                pack_on(machine, &mut packed[len % 8..], rows, base, width);
                assert_eq!(packed[len % 8..], expected, "{}", case());
                at_any_address(&cut(&full, len, width), len, |payload| {
                    let mut unpacked = vec![W::default(); len];
                    unpack_on(machine, &mut unpacked, payload, base, width);
                    assert_eq!(unpacked, rows, "{}", case());
                });
            }
        }
    }
}

#[test]
fn digits_divided_by_powers_give_the_rows() {
    let whole = [0, 1, 7, -13, 1 << 40, (1 << 50) - 1, 1 - (1 << 50)];
    let others =
        [0.1 + 0.2, -0.0, f64::NAN, f64::INFINITY, 1e300, 2_f64.powi(51), -(2_f64.powi(52))];
    for power in [1.0, 10.0, 1e3, 1e17] {
        for (name, machine) in Machine::all() {
            for len in 0..70 {
                let rows: Vec<i64> = (0..len).map(|at| whole[at % whole.len()]).collect();
                let mut floats: Vec<f64> = rows.iter().map(|row| *row as f64 / power).collect();
                let mut found = vec![0; len];
                assert!(digits::digits_on(machine, &mut found, &floats, power), "{name}");
                assert!(found.iter().map(|digits| digits.cast_signed()).eq(rows), "{name}");
                for other in others.into_iter().filter(|_| len > 0) {
                    floats[len * 2 / 3] = other;
                    assert!(!digits::digits_on(machine, &mut found, &floats, power), "{other}");
                }
            }
        }
    }
}

#[test]
fn frames_of_u8_are_packed_bit_by_bit() {
    check_frames::<u8>();
}

#[test]
fn frames_of_u16_are_packed_bit_by_bit() {
    check_frames::<u16>();
}

#[test]
fn frames_of_u32_are_packed_bit_by_bit() {
    check_frames::<u32>();
}

#[test]
fn frames_of_u64_are_packed_bit_by_bit() {
    check_frames::<u64>();
}

/// The patterns' bits below their highest, one by one, as F-29 defines them.
fn model_of_widths(patterns: &[u64]) -> Vec<u8> {
    let (mut bytes, mut at) = (Vec::new(), 0);
    for pattern in patterns {
        for bit in 0..(64 - pattern.leading_zeros()).saturating_sub(1) {
            bytes.resize(at / 8 + 1, 0);
            bytes[at / 8] |= ((pattern >> bit & 1) as u8) << (at % 8);
            at += 1;
        }
    }
    bytes
}

fn check_widths<W: Word + Debug>(widths: &[u32], signed: bool) {
    let pattern = |row: usize| match widths[row % widths.len()].min(W::BITS) {
        0 => 0,
        width if row.is_multiple_of(5) => low_bits(width),
        width => 1 << (width - 1) | noise(row as u64) & low_bits(width - 1),
    };
    for count in (0..40).chain([127, 128, 129, MAX_ROWS]) {
        let patterns: Vec<u64> = (0..count).map(pattern).collect();
        let rows: Vec<u64> = patterns
            .iter()
            .map(|u| if signed { u >> 1 ^ (u & 1).wrapping_neg() } else { *u })
            .collect();
        let bits = |pattern: &u64| 64 - pattern.leading_zeros();
        let own: Vec<u8> = patterns.iter().map(|pattern| bits(pattern) as u8).collect();
        assert_eq!(rows.iter().map(|row| widths::width(*row, signed)).collect::<Vec<_>>(), own);

        let mut payload = vec![9];
        widths::pack(&mut payload, &rows, signed);
        assert_eq!(payload[1..], model_of_widths(&patterns), "{count} of {widths:?}");

        let all = patterns.iter().map(|pattern| u64::from(bits(pattern).saturating_sub(1))).sum();
        assert_eq!(widths::sum(&own).1, all);
        let high = own.iter().copied().max().unwrap_or(0);
        let need = Need { low: own.iter().copied().min().unwrap_or(64), high, bits: all };
        for (name, machine) in Machine::all() {
            assert_eq!(widths::measure_on(machine, &rows, signed), need, "{name}");
        }

        // All rows at once, and then in parts.
        let expected: Vec<W> = rows.iter().map(|row| W::truncate(*row)).collect();
        for (name, machine) in Machine::all() {
            for step in [1, 7, 128, 2000] {
                let mut unpack = Unpack::new(&payload[1..], 0);
                let mut found = vec![W::default(); count];
                for (rows, widths) in found.chunks_mut(step).zip(own.chunks(step)) {
                    unpack.take_on(machine, rows, widths, signed);
                }
                assert_eq!(found, expected, "{name}: {count} of {widths:?}");
            }
        }
    }
}

#[test]
fn rows_are_packed_by_their_widths_bit_by_bit() {
    let all: Vec<u32> = (0..=64).collect();
    let ends = [64, 0, 63, 1, 58, 57, 59];
    for signed in [false, true] {
        for widths in [&all[..], &ends, &[0], &[1], &[2], &[58], &[63, 64], &[64], &[9, 1]] {
            check_widths::<u8>(widths, signed);
            check_widths::<u16>(widths, signed);
            check_widths::<u32>(widths, signed);
            check_widths::<u64>(widths, signed);
        }
    }
}

#[test]
fn bits_beyond_a_payload_are_zeros() {
    for len in 0..20 {
        let payload = vec![0xFF; len];
        let mut rows = [1u64; 8];
        Unpack::new(&payload, 0).take(&mut rows, &[64; 8], false);
        let bits = rows.iter().map(|row| (row & !(1 << 63)).count_ones()).sum::<u32>();
        assert_eq!(bits as usize, (8 * len).min(8 * 63));
    }
}

#[test]
fn fields_are_packed_from_the_low_bit() {
    let mut bytes = [0; 2];
    pack_on(Machine::here(), &mut bytes, &[1u64, 2, 3, 4, 5], 0, 3);
    assert_eq!(bytes, [0b1101_0001, 0b0101_1000]);
}

#[test]
fn bits_above_the_width_do_not_reach_other_fields() {
    for (name, machine) in Machine::all() {
        for width in (1..=57).filter(|width| ![8, 16, 32].contains(width)) {
            let mut bytes = vec![0; payload_len(100, width) as usize];
            let mut rows = [1 << width; 100];
            rows[50] |= 1;
            pack_on(machine, &mut bytes, &rows, 0, width);
            let fields = rows.map(|row| row & 1);
            assert_eq!(bytes, model_of_payload(&fields, width), "{name}: {width} bits");
        }
    }
}

#[test]
#[should_panic = "bytes of a frame's payload"]
fn a_payload_too_short_for_its_rows_panics() {
    unpack_on(Machine::here(), &mut [0u8; 3], &[0; 1], 0, 3);
}

#[test]
#[should_panic = "no width of a frame"]
fn a_width_that_no_frame_has_panics() {
    pack_on(Machine::here(), &mut [0; 58], &[0u64; 8], 0, 58);
}

fn check_range<W: Word + Debug>() {
    // Once with the extremes of the type at random places, once without.
    for extremes in [false, true] {
        for len in 0..=MAX_ROWS {
            let mut rows: Vec<W> =
                (0..len as u64).map(|row| W::truncate((noise(row) >> 8 & 0x3F) + 0x10)).collect();
            if extremes && len > 0 {
                for (seed, value) in [u64::MAX, 0, 1 << (W::BITS - 1), low_bits(W::BITS - 1)]
                    .into_iter()
                    .enumerate()
                    .skip(len % 3)
                {
                    let at = noise((4 * len + seed) as u64) as usize % len;
                    rows[at] = W::truncate(value);
                }
            }
            let unsigned = rows.iter().min().copied().zip(rows.iter().max().copied());
            let keys = || rows.iter().map(|row| row.signed());
            let signed = keys().min().map(W::unsigned).zip(keys().max().map(W::unsigned));
            for (name, machine) in Machine::all() {
                let case = format!("{name}: {len} rows of {}", W::BITS);
                assert_eq!(range::min_max_on(machine, &rows, false), unsigned, "{case}");
                assert_eq!(range::min_max_on(machine, &rows, true), signed, "{case}");
            }
        }
    }
}

#[test]
fn min_and_max_are_those_of_the_order() {
    check_range::<u8>();
    check_range::<u16>();
    check_range::<u32>();
    check_range::<u64>();
}

#[test]
fn bits_are_packed_from_the_low_bit_and_survive() {
    let all: Vec<bool> = (0..MAX_ROWS as u64).map(|row| noise(row) >> 40 & 1 == 1).collect();
    for len in 0..=MAX_ROWS {
        for rows in [&all[..len], &vec![true; len], &vec![false; len]] {
            let fields: Vec<u64> = rows.iter().map(|&row| u64::from(row)).collect();
            let expected = model_of_payload(&fields, 1);
            for (name, machine) in Machine::all() {
                let mut packed = vec![0xFF; len % 8 + expected.len()];
                bits::pack_on(machine, &mut packed[len % 8..], rows);
                assert_eq!(packed[len % 8..], expected, "{name}: {len} rows");
                at_any_address(&expected, len, |packed| {
                    let mut back: Vec<bool> = rows.iter().map(|row| !row).collect();
                    bits::expand_on(machine, &mut back, packed);
                    assert_eq!(back, rows, "{name}: {len} rows");
                    let ones = rows.iter().filter(|row| **row).count();
                    assert_eq!(bits::ones_on(machine, packed), ones as u64, "{name}: {len} rows");
                });
            }
        }
    }
}

fn check_text(payload: &[u8], ends: &[usize]) {
    let mut lengths = Vec::new();
    let mut valid = true;
    let mut at = 0;
    for &end in ends.iter().chain([&payload.len()]) {
        lengths.push((end - at) as u64);
        valid &= core::str::from_utf8(&payload[at..end]).is_ok();
        at = end;
    }
    for (name, machine) in Machine::all() {
        at_any_address(payload, payload.len(), |copy| {
            let text = text::rows_in_utf8_on(machine, copy, &lengths);
            assert_eq!(text.map(str::as_bytes), valid.then_some(payload), "{name}: {payload:X?}");
        });
    }
}

#[test]
fn text_is_valid_if_each_row_is_valid() {
    for (word, rest) in [("é", "x"), ("任意", "値"), ("🦀", "é"), ("plain", " ")] {
        let text = format!("{rest}{}", word.repeat(400 / word.len()));
        for cut in 0..=text.len() {
            check_text(text.as_bytes(), &[cut]);
            check_text(text.as_bytes(), &[cut / 2, cut, cut]);
        }
        // An invalid byte anywhere: a superfluous one, a stray one, and one that is never part of UTF-8.
        for at in 0..text.len() {
            for wrong in [0xC3, 0x80, 0xFF] {
                let mut bytes = text.clone().into_bytes();
                bytes[at] = wrong;
                check_text(&bytes, &[at / 2]);
            }
        }
    }
}

#[test]
fn a_short_row_is_text_if_std_accepts_it() {
    let text = "plain text of a row, é任🦀 and more".as_bytes();
    for (start, end) in
        (0..text.len()).flat_map(|start| (start..text.len()).map(move |end| (start, end)))
    {
        let row = &text[start..end];
        assert_eq!(text::short_utf8(row), core::str::from_utf8(row).ok());
    }
}

#[test]
fn text_of_any_length_is_valid_up_to_a_complete_character() {
    let text = "a".repeat(500) + &"é任🦀".repeat(60);
    assert!(text.len() >= MAX_ROWS);
    for len in 0..=MAX_ROWS {
        check_text(&text.as_bytes()[..len], &[]);
        check_text(&text.as_bytes()[text.len() - len..], &[]);
    }
}

#[test]
fn sums_of_lengths_do_not_wrap() {
    let tame: Vec<u64> = (0..5000).map(|row| noise(row) >> 20).collect();
    let wild: Vec<u64> = (0..5000).map(|row| u64::MAX - (noise(row) >> 30)).collect();
    for len in (0..=MAX_ROWS).chain([2048, 5000]) {
        for lengths in [&tame[..len], &wild[..len]] {
            let expected: u128 = lengths.iter().map(|&length| u128::from(length)).sum();
            assert_eq!(lengths::sum(lengths), expected);
        }
        // Their sum fits 32 bits.
        let short: Vec<u64> = tame[..len].iter().map(|length| length >> 25).collect();
        let bounds = lengths::bounds(&short);
        assert_eq!((bounds.len(), bounds[0]), (len + 1, 0));
        assert!(bounds.windows(2).zip(&short).all(|(pair, n)| (pair[1] - pair[0]) as u64 == *n));
    }
}

fn check_raw<T: raw::Number<N> + Default, const N: usize>(of: impl Fn(u64) -> T) {
    for len in 0..=MAX_ROWS {
        let rows: Vec<T> = (0..len as u64).map(|row| of(noise(row))).collect();
        let expected: Vec<u8> = rows.iter().flat_map(|row| row.to_bytes()).collect();
        let (mut copied, mut each) = (vec![7], vec![7]);
        raw::append(&mut copied, &rows);
        raw::append_each(&mut each, &rows);
        assert_eq!(copied[1..], expected);
        assert_eq!(copied, each);
        at_any_address(&expected, len, |bytes| {
            let mut back = vec![T::default(); len];
            raw::read(&mut back, bytes);
            assert!(back.iter().flat_map(|row| row.to_bytes()).eq(expected.iter().copied()));
        });
    }
}

#[test]
fn raw_numbers_keep_every_bit_lowest_byte_first() {
    assert_eq!(raw::Number::to_bytes(0x0102_0304_u32), [4, 3, 2, 1]);
    check_raw(|bits| bits as u8);
    check_raw(|bits| bits as i16);
    check_raw(|bits| bits as u32);
    check_raw(|bits| bits);
    check_raw(|bits| u128::from(bits) << 50);
    check_raw(|bits| f32::from_bits(bits as u32));
    check_raw(f64::from_bits);
}
