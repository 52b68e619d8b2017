//! Bins: the numbers of bins coded by rANS, and offsets in them (F-29).

use alloc::string::ToString;
use alloc::vec::Vec;

use super::BINS;
use crate::column::frame::{FrameChoice, read_frame};
use crate::column::preview::number_text;
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::input::trace::{FieldForm, field};
use crate::kernel::Word;
use crate::kernel::rans::{self, Bin, LOWEST_STATE, STATES};
use crate::memory::{self, Collect, GrowVec};
use crate::number::{IntKind, varint_len, write_varint};

/// The most bins (F-29).
pub(super) const MAX_BINS: u64 = 1 << rans::MOST_BITS;
const WIDEST: u64 = 64;

/// Bins and their weights, as a writer encodes them.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    /// Sorted by their least numbers, in the order of the kind.
    pub(super) bins: Vec<Bin>,
    /// Each at least 1; their sum is 2^`bits`.
    pub(super) weights: Vec<u64>,
    pub(super) bits: u32,
}

impl Bins {
    /// Appends rows, each of which is in a bin; `flip` turns the order of the kind into that of unsigned numbers.
    pub(super) fn write(&self, out: &mut Vec<u8>, values: &[u64], signed: bool) {
        let flip = super::flip(signed);
        let symbols: Vec<u16> = {
            let lowers: Vec<u64> = self.bins.iter().map(|bin| bin.lower ^ flip).collected();
            let find = Find::of(&lowers);
            memory::collected(values.iter().map(|value| find.bin(value ^ flip)))
        };
        let (states, words) = rans::encode(&symbols, &self.weights, self.bits);
        let lowers: Vec<u64> = self.bins.iter().map(|bin| bin.lower).collected();
        let widths: Vec<u64> = self.bins.iter().map(|bin| u64::from(bin.width)).collected();
        out.put(BINS);
        write_varint(out, self.bins.len() as u64);
        out.put(self.bits as u8);
        FrameChoice::of(&lowers, signed).write(out, &lowers);
        FrameChoice::of(&widths, false).write(out, &widths);
        FrameChoice::of(&self.weights, false).write(out, &self.weights);
        write_varint(out, words.len() as u64);
        states.iter().for_each(|state| out.put_slice(&state.to_le_bytes()));
        words.iter().for_each(|word| out.put_slice(&word.to_le_bytes()));
        rans::pack(out, values, &symbols, &self.bins);
    }

    /// About how many bytes the rows take; `counts` has the number of rows in each bin.
    pub(super) fn size(&self, counts: &[u64], signed: bool) -> u128 {
        let lowers: Vec<u64> = self.bins.iter().map(|bin| bin.lower).collected();
        let frame = |numbers: &[u64], signed| 1 + FrameChoice::of(numbers, signed).size();
        let widths: Vec<u64> = self.bins.iter().map(|bin| u64::from(bin.width)).collected();
        let tables = frame(&lowers, signed) + frame(&widths, false) + frame(&self.weights, false);
        let (mut words, mut offsets) = (0.0, 0);
        for ((bin, &weight), &count) in self.bins.iter().zip(&self.weights).zip(counts) {
            words += count as f64 * (f64::from(self.bits) - libm::log2(weight as f64));
            offsets += u128::from(count) * u128::from(bin.width);
        }
        let words = (words / 16.0) as u128;
        let head = 1 + varint_len(self.bins.len() as u64) + 1 + varint_len(words as u64);
        head as u128 + tables + 4 * STATES as u128 + 2 * words + offsets.div_ceil(8)
    }
}

/// Finds the bin of a number: by a table, if the few bits above the least number determine it.
struct Find<'l> {
    lowers: &'l [u64],
    /// The number of bits below the table's index.
    shift: u32,
    /// For each index, the last bin that begins at or before it.
    table: Vec<u16>,
}

/// The table's index has this many bits.
const FIND_BITS: u32 = 12;

impl<'l> Find<'l> {
    fn of(lowers: &'l [u64]) -> Find<'l> {
        let (least, most) = (lowers[0], lowers[lowers.len() - 1]);
        let shift = (64 - (most - least).leading_zeros()).saturating_sub(FIND_BITS);
        let count = ((most - least) >> shift) as usize + 1;
        let mut table = memory::zeros(count);
        let mut bin = 0;
        for (index, place) in table.iter_mut().enumerate() {
            let from = least + ((index as u64) << shift);
            while lowers.get(bin + 1).is_some_and(|lower| *lower <= from) {
                bin += 1;
            }
            *place = bin as u16;
        }
        Find { lowers, shift, table }
    }

    #[inline]
    fn bin(&self, value: u64) -> u16 {
        let index = ((value - self.lowers[0]) >> self.shift) as usize;
        let mut bin = usize::from(self.table[index.min(self.table.len() - 1)]);
        while self.lowers.get(bin + 1).is_some_and(|lower| *lower <= value) {
            bin += 1;
        }
        bin as u16
    }
}

/// A located column: the bin numbers are read, and the offsets found.
#[derive(Clone, Debug)]
pub(super) struct LocatedBins<'a> {
    table: Vec<Bin>,
    symbols: Vec<u16>,
    offsets: &'a [u8],
}

pub(super) fn locate<'a>(
    input: &mut Input<'a>,
    rows: usize,
    signed: bool,
) -> Result<LocatedBins<'a>> {
    let units = 8 * rows as u128;
    let (table, symbols) = input.depend_on(units, |input| read_symbols(input, rows, signed))?;
    let bits = rans::offset_bits(&symbols, &table);
    let what = field("the offsets in bins", "F-29").form(FieldForm::Rows);
    let offsets = input.payload(u128::from(bits.div_ceil(8)), what)?;
    super::check_unused(offsets, bits, input.position())?;
    let located = LocatedBins { table, symbols, offsets };
    if let Some(tracer) = input.tracer().filter(|_| !offsets.is_empty()) {
        let mut values = memory::zeros(rows);
        located.decode(&mut values);
        tracer.preview(rows, |row| Some(number_text(values[row], signed)));
    }
    Ok(located)
}

/// Reads everything except the offsets: the bins, and the bin number of each row.
fn read_symbols(input: &mut Input<'_>, rows: usize, signed: bool) -> Result<(Vec<Bin>, Vec<u16>)> {
    let at = input.position();
    let count = input.varint(field("the number of bins", "F-29"))?;
    if !(1..=MAX_BINS).contains(&count) {
        return Err(bad_bins(at).expected(format!("1 to {MAX_BINS} bins")).got(count.to_string()));
    }
    let count = count as usize;
    let at = input.position();
    let bits = input.byte(field("the bits of the weights' sum", "F-29"))?;
    if u32::from(bits) > rans::MOST_BITS {
        return Err(bad_bins(at).expected("up to 12 bits").got(bits.to_string()));
    }
    let lowers = read_frame(input, "least numbers of bins", count, signed)?;
    let at = input.position();
    let widths = read_frame(input, "widths of bins", count, false)?;
    if let Some(width) = widths.iter().find(|width| **width > WIDEST) {
        return Err(bad_bins(at).expected("widths up to 64").got(width.to_string()));
    }
    let at = input.position();
    let weights = read_frame(input, "weights of bins", count, false)?;
    let sum: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    if weights.contains(&0) || sum != 1 << bits {
        return Err(bad_bins(at)
            .expected(format!("weights of at least 1 that add up to {}", 1 << bits))
            .got(format!("a sum of {sum}")));
    }
    let at = input.position();
    let words = input.varint(field("the number of words", "F-29"))?;
    if words > rows as u64 {
        return Err(bad_bins(at).expected(format!("up to {rows} words")).got(words.to_string()));
    }
    let at = input.position();
    let bytes = input.take(4 * STATES as u128, field("states", "F-29"))?;
    let mut states = [LOWEST_STATE; STATES];
    for (state, bytes) in states.iter_mut().zip(bytes.as_chunks().0) {
        *state = u32::from_le_bytes(*bytes);
    }
    if let Some(state) = states.iter().find(|state| **state < LOWEST_STATE) {
        return Err(bad_bins(at).expected("states from 65536").got(state.to_string()));
    }
    let words = input.take(2 * u128::from(words), field("words", "F-29"))?.as_chunks().0;
    let bin = |(lower, width): (&u64, &u64)| Bin { lower: *lower, width: *width as u8 };
    let table = lowers.iter().zip(&widths).map(bin).collected();
    let mut symbols = memory::zeros(rows);
    let taken = rans::decode(&mut symbols, &rans::slots(&weights), &mut states, words);
    if taken != words.len() || states != [LOWEST_STATE; STATES] {
        return Err(bad_bins(at).expected("states and words that end with the rows"));
    }
    Ok((table, symbols))
}

#[cold]
fn bad_bins(at: usize) -> Error {
    Error::at(Code::BadBins, at)
}

impl LocatedBins<'_> {
    /// Whether every number that the bins can hold is in a kind's range.
    pub(super) fn is_within(&self, kind: IntKind) -> bool {
        let Some((_, high)) = kind.bounds() else { return true };
        self.table.iter().all(|bin| {
            let widest = u64::MAX.checked_shr(64 - u32::from(bin.width)).unwrap_or(0);
            kind.holds(bin.lower) && widest <= high && kind.holds(bin.lower.wrapping_add(widest))
        })
    }

    /// The rows modulo 2^N, as words of N bits.
    pub(super) fn decode<W: Word>(&self, rows: &mut [W]) {
        rans::unpack(rows, &self.symbols, &self.table, self.offsets);
    }
}
