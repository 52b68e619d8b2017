//! Symbols coded by range asymmetric numeral systems (Duda 2013), and numbers coded as a symbol's least number plus an
//! offset.
//!
//! Four states take turns, so that a processor works on four symbols at once:
//!
//! ```text
//! x = states[i % 4]
//! slot = x % 2^t; symbol = the one that has the slot
//! x = weight * (x / 2^t) + slot - start; if x < 2^16: x = x * 2^16 + the next word
//! ```
//!
//! There are no versions for AVX2: with its compiler flags decoding took twice as long, and offsets of up to 57 bits
//! took the same time.

use alloc::vec::Vec;

use super::Word;
use crate::memory::{self, Collect, GrowVec};

/// States are at least this, and exactly this in the end.
pub const LOWEST_STATE: u32 = 1 << 16;
/// How many states take turns.
pub const STATES: usize = 4;
/// The most bits of a slot: a table of 2^12 entries fits the first-level cache.
pub const MOST_BITS: u32 = 12;

/// The content of a slot: its symbol, the symbol's weight, and the slot's index within the symbol.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableSlot {
    symbol: u32,
    weight: u16,
    within: u16,
}

/// The slots of symbols of these weights, which add up to 2^t with t of at most [`MOST_BITS`].
#[must_use]
pub fn slots(weights: &[u64]) -> Vec<TableSlot> {
    let mut slots = memory::with_capacity(weights.iter().sum::<u64>().min(1 << MOST_BITS) as usize);
    for (symbol, &weight) in (0..).zip(weights) {
        let weight = weight as u16;
        slots.put_each((0..weight).map(|within| TableSlot { symbol, weight, within }));
    }
    slots
}

/// Decodes symbols. Returns how many words they took: more than there are, if those are too few.
///
/// # Panics
/// If the number of slots is not a power of two up to 2^[`MOST_BITS`].
pub fn decode(
    symbols: &mut [u16],
    slots: &[TableSlot],
    states: &mut [u32; STATES],
    words: &[[u8; 2]],
) -> usize {
    assert!(slots.len().is_power_of_two() && slots.len() <= 1 << MOST_BITS, "slots");
    let mask = slots.len().wrapping_sub(1);
    let bits = slots.len().trailing_zeros();
    let mut taken = 0;
    let step = |state: &mut u32, window: &mut u64, taken: &mut usize| {
        let slot = slots[*state as usize & mask];
        // Below 2^32, as the weight is at most 2^t.
        let next = u32::from(slot.weight) * (*state >> bits) + u32::from(slot.within);
        let is_low = next < LOWEST_STATE;
        *state = if is_low { next << 16 | (*window as u32 & 0xFFFF) } else { next };
        *window = if is_low { *window >> 16 } else { *window };
        *taken += usize::from(is_low);
        slot.symbol as u16
    };
    let mut states_now = *states;
    let (groups, rest) = symbols.as_chunks_mut::<STATES>();
    for group in groups {
        let mut window = window(words, taken);
        for (symbol, state) in group.iter_mut().zip(&mut states_now) {
            *symbol = step(state, &mut window, &mut taken);
        }
    }
    let mut window = window(words, taken);
    for (symbol, state) in rest.iter_mut().zip(&mut states_now) {
        *symbol = step(state, &mut window, &mut taken);
    }
    *states = states_now;
    taken
}

/// Four words from an index, the first lowest. Missing words are 0.
#[inline(always)]
fn window(words: &[[u8; 2]], from: usize) -> u64 {
    match words.get(from..).and_then(<[_]>::first_chunk::<4>) {
        Some([a, b, c, d]) => u64::from_le_bytes([a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]]),
        None => {
            let rest = words.get(from..).unwrap_or_default();
            rest.iter().rev().fold(0, |all, word| all << 16 | u64::from(u16::from_le_bytes(*word)))
        }
    }
}

/// Encodes symbols. The weights add up to 2^`bits`, and each symbol in use has one. Returns the states and the words.
#[must_use]
pub fn encode(symbols: &[u16], weights: &[u64], bits: u32) -> ([u32; STATES], Vec<u16>) {
    let mut before = 0;
    // For each symbol, its weight and the sum of the weights before it.
    let table: Vec<(u32, u32)> = weights
        .iter()
        .map(|&weight| {
            let start = before;
            before += weight as u32;
            (weight as u32, start)
        })
        .collected();
    let mut states = [LOWEST_STATE; STATES];
    let mut words = Vec::new();
    // In reverse: the last symbol is encoded first.
    for (row, &symbol) in symbols.iter().enumerate().rev() {
        let state = &mut states[row % STATES];
        let (weight, start) = table[usize::from(symbol)];
        if u64::from(*state) >= u64::from(weight) << (32 - bits) {
            words.put(*state as u16);
            *state >>= 16;
        }
        *state = ((*state / weight) << bits) + *state % weight + start;
    }
    words.reverse();
    (states, words)
}

/// The numbers of a symbol: the least one, and the width of the offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The least number.
    pub lower: u64,
    /// The bits of an offset, 0 to 64.
    pub width: u8,
}

/// The total width of the offsets of rows with these symbols.
#[must_use]
pub fn offset_bits(symbols: &[u16], bins: &[Bin]) -> u64 {
    symbols.iter().map(|&symbol| u64::from(bins[usize::from(symbol)].width)).sum()
}

/// Decodes row i as the least number of its bin plus its offset, modulo 2^N for rows of N bits. Bits beyond the
/// payload are 0.
pub fn unpack<W: Word>(rows: &mut [W], symbols: &[u16], bins: &[Bin], payload: &[u8]) {
    // No row has an offset, so a table lookup suffices, which takes a third of the time.
    if payload.is_empty() {
        for (row, &symbol) in rows.iter_mut().zip(symbols) {
            *row = W::truncate(bins[usize::from(symbol)].lower);
        }
        return;
    }
    // One load holds an offset of up to 57 bits, whichever bit of its first byte it starts at.
    if bins.iter().all(|bin| bin.width <= 57) {
        return unpack_each(rows, symbols, bins, payload, |bytes, at| {
            let word = bytes.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
            word >> at
        });
    }
    unpack_each(rows, symbols, bins, payload, |bytes, at| {
        let word = bytes.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        word >> at | u64::from(bytes[8]) << 1 << (63 - at)
    });
}

/// The bytes that a load touches.
const LOAD: usize = 9;

#[inline(always)]
fn unpack_each<W: Word>(
    rows: &mut [W],
    symbols: &[u16],
    bins: &[Bin],
    payload: &[u8],
    load: impl Fn(&[u8; LOAD], u32) -> u64,
) {
    // In 64 bits, because memory of a 32-bit machine can hold more bits than 32 bits count.
    let mut bit = 0_u64;
    for (row, &symbol) in rows.iter_mut().zip(symbols) {
        let bin = bins[usize::from(symbol)];
        let rest = payload.get((bit / 8) as usize..).unwrap_or_default();
        let word = match rest.first_chunk() {
            Some(bytes) => load(bytes, (bit % 8) as u32),
            None => {
                let mut bytes = [0; LOAD];
                bytes[..rest.len()].copy_from_slice(rest);
                load(&bytes, (bit % 8) as u32)
            }
        };
        let mask = u64::MAX.checked_shr(64 - u32::from(bin.width)).unwrap_or(0);
        *row = W::truncate(bin.lower.wrapping_add(word & mask));
        bit += u64::from(bin.width);
    }
}

/// Appends the offsets of rows with these symbols. Unused bits of the last byte become 0.
pub fn pack(out: &mut Vec<u8>, rows: &[u64], symbols: &[u16], bins: &[Bin]) {
    // Bits that do not fill a word yet.
    let (mut word, mut used) = (0, 0);
    for (row, &symbol) in rows.iter().zip(symbols) {
        let Bin { lower, width } = bins[usize::from(symbol)];
        let offset = row.wrapping_sub(lower);
        word |= offset << used;
        let end = used + u32::from(width);
        if end >= 64 {
            out.put_slice(&word.to_le_bytes());
            word = offset.checked_shr(64 - used).unwrap_or(0);
        }
        used = end % 64;
    }
    out.put_slice(&word.to_le_bytes()[..used.div_ceil(8) as usize]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition (F-29), step by step.
    fn slow(
        count: usize,
        weights: &[u64],
        bits: u32,
        mut states: [u32; STATES],
        words: &[u16],
    ) -> Option<Vec<u16>> {
        let mut words = words.iter();
        let mut symbols = Vec::new();
        for row in 0..count {
            let x = states[row % STATES];
            let slot = u64::from(x % (1 << bits));
            let start = |k: usize| weights[..k].iter().sum::<u64>();
            let k = (0..weights.len()).find(|k| slot < start(k + 1))?;
            let mut next = weights[k] * u64::from(x >> bits) + slot - start(k);
            if next < 1 << 16 {
                next = next << 16 | u64::from(*words.next()?);
            }
            states[row % STATES] = next.try_into().unwrap();
            symbols.push(k as u16);
        }
        (words.len() == 0 && states == [LOWEST_STATE; STATES]).then_some(symbols)
    }

    fn bytes(words: &[u16]) -> Vec<[u8; 2]> {
        words.iter().map(|word| word.to_le_bytes()).collect()
    }

    /// Weights that add up to a power of two.
    fn weights() -> impl Strategy<Value = (u32, Vec<u64>)> {
        (0..=MOST_BITS, any::<prop::sample::Index>(), any::<u64>()).prop_map(
            |(bits, count, seed)| {
                let total = 1_u64 << bits;
                let count = 1 + count.index(total.min(300) as usize) as u64;
                let mut weights = vec![1; count as usize];
                let mut state = seed | 1;
                for _ in count..total {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    // Skewed towards the first symbols.
                    let at = (state >> 33) % count * ((state >> 13) % count) / count;
                    weights[at as usize] += 1;
                }
                (bits, weights)
            },
        )
    }

    proptest! {
        #[test]
        fn symbols_survive(
            (bits, weights) in weights(),
            symbols in prop::collection::vec(any::<prop::sample::Index>(), 0..600),
        ) {
            let symbols: Vec<u16> =
                symbols.iter().map(|symbol| symbol.index(weights.len()) as u16).collect();
            let (states, words) = encode(&symbols, &weights, bits);
            prop_assert!(words.len() <= symbols.len());
            prop_assert!(states.iter().all(|state| *state >= LOWEST_STATE));
            let mut own = vec![0; symbols.len()];
            let mut after = states;
            prop_assert_eq!(decode(&mut own, &slots(&weights), &mut after, &bytes(&words)), words.len());
            prop_assert_eq!(after, [LOWEST_STATE; STATES]);
            prop_assert_eq!(&own, &symbols);
            prop_assert_eq!(slow(symbols.len(), &weights, bits, states, &words), Some(symbols));
        }

        #[test]
        fn the_decoder_agrees_on_any_words_and_states(
            (bits, weights) in weights(),
            count in 0_usize..300,
            states in prop::array::uniform4(LOWEST_STATE..),
            words in prop::collection::vec(any::<u16>(), 0..40),
        ) {
            let mut own = vec![0; count];
            let mut after = states;
            let taken = decode(&mut own, &slots(&weights), &mut after, &bytes(&words));
            let is_right = taken == words.len() && after == [LOWEST_STATE; STATES];
            prop_assert_eq!(is_right.then_some(own), slow(count, &weights, bits, states, &words));
        }

        #[test]
        fn offsets_survive(
            bins in prop::collection::vec((any::<u64>(), 0_u8..=64), 1..20),
            rows in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 0..100),
        ) {
            let bins: Vec<Bin> =
                bins.into_iter().map(|(lower, width)| Bin { lower, width }).collect();
            let symbols: Vec<u16> =
                rows.iter().map(|(symbol, _)| symbol.index(bins.len()) as u16).collect();
            let rows: Vec<u64> = rows
                .iter()
                .zip(&symbols)
                .map(|((_, noise), symbol)| {
                    let Bin { lower, width } = bins[usize::from(*symbol)];
                    let mask = u64::MAX.checked_shr(64 - u32::from(width)).unwrap_or(0);
                    lower.wrapping_add(noise & mask)
                })
                .collect();
            let mut payload = Vec::new();
            pack(&mut payload, &rows, &symbols, &bins);
            prop_assert_eq!(payload.len() as u64, offset_bits(&symbols, &bins).div_ceil(8));
            let mut own = vec![0_u64; rows.len()];
            unpack(&mut own, &symbols, &bins, &payload);
            prop_assert_eq!(&own, &rows);
            let mut narrow = vec![0_u16; rows.len()];
            unpack(&mut narrow, &symbols, &bins, &payload);
            prop_assert!(narrow.iter().zip(&rows).all(|(own, row)| *own == *row as u16));
        }
    }
}
