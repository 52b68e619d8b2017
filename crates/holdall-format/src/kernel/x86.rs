//! Versions for AVX2: the plain loops compiled for it, and two steps by its own instructions.
//!
//! The only unsafe code is calls of functions that require the features, guarded by a token that proves them.
#![allow(unsafe_code)]

use core::arch::x86_64::{
    _mm_cvtsi32_si128, _mm256_and_si256, _mm256_extract_epi64, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set_epi64x,
    _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_sll_epi64,
    _mm256_slli_epi16, _mm256_srli_epi64,
};

use super::narrow::{self, Steps};
use super::widths::Need;
use super::{Word, bits, digits, frame, range, text, widths};

/// Proof that this machine has AVX2, BMI2 and POPCNT: only [`Avx2::detect`] creates one.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// Detects the features. std caches the result.
    #[cfg(feature = "std")]
    #[inline]
    #[must_use]
    pub fn detect() -> Option<Avx2> {
        let has = std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("bmi2")
            && std::arch::is_x86_feature_detected!("popcnt");
        has.then_some(Avx2(()))
    }

    /// Whether the program is compiled for the features: only std asks the machine.
    #[cfg(not(feature = "std"))]
    #[inline]
    #[must_use]
    pub fn detect() -> Option<Avx2> {
        let has =
            cfg!(all(target_feature = "avx2", target_feature = "bmi2", target_feature = "popcnt"));
        has.then_some(Avx2(()))
    }
}

/// Methods of [`Avx2`] whose bodies are compiled with the features.
macro_rules! compiled_for_avx2 {
    ($(
        $(#[$doc:meta])*
        fn $name:ident $(<$word:ident>)? ($avx2:ident, $($arg:ident: $type:ty),*) $(-> $out:ty)? = $body:expr;
    )*) => {
        impl Avx2 {$(
            $(#[$doc])*
            #[inline]
            pub(super) fn $name $(<$word: Word>)? (self, $($arg: $type),*) $(-> $out)? {
                #[target_feature(enable = "avx2,bmi2,popcnt")]
                fn compiled $(<$word: Word>)? ($avx2: Avx2, $($arg: $type),*) $(-> $out)? {
                    $body
                }
                // SAFETY: `compiled` is safe except that it requires the features. There is no `self` without
                // `Avx2::detect`, which found all of them on this machine.
                unsafe { compiled(self, $($arg),*) }
            }
        )*}
    };
}

// The gains over plain, on 256 KiB of decoded rows. Where a width gains less than 20 %, `frame` does not choose them.
compiled_for_avx2! {
    /// Widths below 8: 50 to 200 %; 8, 16 and 32: 28 to 170 %; others: 25 to 100 %.
    fn unpack<W>(avx2, rows: &mut [W], payload: &[u8], base: u64, width: u32) =
        frame::unpack_plain(avx2, rows, payload, base, width);
    /// Widths below 8: 60 to 200 %; 8, 16, 32 and 64: 23 to 190 %; others: 40 to 100 %.
    fn pack<W>(avx2, payload: &mut [u8], rows: &[W], base: u64, width: u32) =
        frame::pack_plain(avx2, payload, rows, base, width);
    /// A part of `unpack`.
    fn unpack_bytes(_avx2, bytes: &mut [u8], packed: &[u8], width: u32) =
        narrow::unpack_bytes(bytes, packed, width);
    /// A part of `pack`.
    fn pack_bytes(avx2, place: &mut [u8], bytes: &[u8], width: u32) =
        narrow::pack_bytes(avx2, place, bytes, width);
    /// 50 to 650 %.
    fn min_max<W>(_avx2, rows: &[W], signed: bool) -> Option<(W, W)> =
        range::min_max_plain(rows, signed);
    /// 95 %.
    fn digits(_avx2, places: &mut [u64], rows: &[f64], power: f64) -> bool =
        digits::digits_plain(places, rows, power);
    /// 90 %; packing by widths gained nothing.
    fn measure(_avx2, rows: &[u64], signed: bool) -> Need = widths::measure_plain(rows, signed);
    /// 75 %.
    fn unpack_widths<W>(
        _avx2, rows: &mut [W], widths: &[u8], payload: &[u8], bit: usize, signed: bool
    ) -> usize = widths::unpack_plain(rows, widths, payload, bit, signed);
    /// 75 to 130 %.
    fn expand(_avx2, rows: &mut [bool], bits: &[u8]) = bits::expand_plain(rows, bits);
    /// 140 to 180 %, by its own instruction; the plain loop gained nothing.
    fn pack_bits(_avx2, bits: &mut [u8], rows: &[bool]) = pack_bits(bits, rows);
    /// 75 to 120 % over std up to 64 KiB; beyond, memory is the limit.
    fn is_ascii(_avx2, bytes: &[u8]) -> bool = text::is_ascii_plain(bytes);
    /// 200 %.
    fn ones(_avx2, bits: &[u8]) -> u64 = bits::ones_plain(bits);
}

impl Steps for Avx2 {
    #[inline(always)]
    fn gather<const WIDTH: u32>(self, words: [u64; 8]) -> [u64; 8] {
        let [a, b, c, d, e, f, g, h] = words;
        // SAFETY: `gather` is safe except that it requires AVX2. There is no `self` without `Avx2::detect`, which
        // found it.
        let [low, high] = unsafe { [gather::<WIDTH>([a, b, c, d]), gather::<WIDTH>([e, f, g, h])] };
        let ([a, b, c, d], [e, f, g, h]) = (low, high);
        [a, b, c, d, e, f, g, h]
    }

    #[inline(always)]
    fn pack(self, place: &mut [u8], bytes: &[u8], width: u32) {
        self.pack_bytes(place, bytes, width);
    }

    #[inline(always)]
    fn unpack(self, bytes: &mut [u8], packed: &[u8], width: u32) {
        self.unpack_bytes(bytes, packed, width);
    }
}

/// Gathers fields by multiplying and adding pairs: a third of the steps of shifts and masks. PEXT was 5 to 20 %
/// faster, but is many times slower on AMD's processors before Zen 3.
#[inline]
#[target_feature(enable = "avx2")]
fn gather<const WIDTH: u32>(words: [u64; 4]) -> [u64; 4] {
    let [a, b, c, d] = words.map(u64::cast_signed);
    let one =
        _mm256_and_si256(_mm256_set_epi64x(d, c, b, a), _mm256_set1_epi8(0x7F >> (7 - WIDTH)));
    let two = _mm256_maddubs_epi16(_mm256_set1_epi16((1 << WIDTH) << 8 | 1), one);
    let four = _mm256_madd_epi16(two, _mm256_set1_epi32((1 << (2 * WIDTH)) << 16 | 1));
    let low = _mm256_and_si256(four, _mm256_set1_epi64x(0xFFFF_FFFF));
    let high = _mm256_srli_epi64::<32>(four);
    let high = _mm256_sll_epi64(high, _mm_cvtsi32_si128(4 * WIDTH.cast_signed()));
    let eight = _mm256_or_si256(low, high);
    let words = [
        _mm256_extract_epi64::<0>(eight),
        _mm256_extract_epi64::<1>(eight),
        _mm256_extract_epi64::<2>(eight),
        _mm256_extract_epi64::<3>(eight),
    ];
    words.map(i64::cast_unsigned)
}

#[target_feature(enable = "avx2")]
fn pack_bits(bits: &mut [u8], rows: &[bool]) {
    let (groups, rest) = rows.as_chunks::<32>();
    let (masks, last) = bits.split_at_mut(4 * groups.len());
    for (place, group) in masks.as_chunks_mut().0.iter_mut().zip(groups) {
        let word = |at: usize| {
            let bytes = group[at..].first_chunk::<8>().map_or([0; 8], |rows| rows.map(u8::from));
            u64::from_le_bytes(bytes).cast_signed()
        };
        let bytes = _mm256_set_epi64x(word(24), word(16), word(8), word(0));
        // The mask takes the highest bits of bytes.
        let mask = _mm256_movemask_epi8(_mm256_slli_epi16::<7>(bytes));
        *place = mask.to_le_bytes();
    }
    bits::pack_plain(last, rest);
}
