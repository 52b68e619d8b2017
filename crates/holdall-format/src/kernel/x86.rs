//! Versions for AVX2: the plain loops compiled for it, and two steps by its own instructions.
//!
//! The only unsafe code is calls of functions that require the features, guarded by a token that proves them.
#![allow(unsafe_code)]

use core::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi16, _mm_cvtsi32_si128, _mm_packus_epi32, _mm_set1_epi16,
    _mm256_add_epi32, _mm256_add_epi64, _mm256_and_si256, _mm256_castps_si256, _mm256_castsi256_ps,
    _mm256_castsi256_si128, _mm256_extract_epi64, _mm256_extracti128_si256, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_movemask_epi8, _mm256_or_si256, _mm256_permute4x64_epi64,
    _mm256_set_epi64x, _mm256_set_m128i, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32,
    _mm256_set1_epi64x, _mm256_shuffle_epi8, _mm256_shuffle_ps, _mm256_sll_epi64,
    _mm256_slli_epi16, _mm256_srli_epi64, _mm256_srlv_epi32, _mm256_srlv_epi64,
};

use super::frame::{GROUP, WINDOW};
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

    #[inline(always)]
    fn unpack_groups<W: Word>(
        self,
        groups: &mut [[W; GROUP]],
        payload: &[u8],
        base: W,
        width: usize,
    ) -> usize {
        // SAFETY: as in `gather`.
        unsafe { unpack_groups(groups, payload, base, width) }
    }
}

/// Where the fields of a group of rows are, for lanes of 64 bits: a load of 16 bytes has the fields of two rows, whichever bit
/// they start at.
struct WideLanes {
    /// The bytes of each row's field in its load.
    bytes: [[u8; 32]; 2],
    /// The bit of its first byte.
    bits: [[u64; 4]; 2],
}

/// The same for lanes of 32 bits, for fields of at most [`WIDEST_NARROW`] bits: a load has those of four rows.
struct NarrowLanes {
    bytes: [u8; 32],
    bits: [u32; 8],
}

const WIDEST_NARROW: usize = 25;

/// By width. Computed for each column, compilers compute them again for each group.
static WIDE: [WideLanes; 58] = {
    let mut all = [const { WideLanes { bytes: [[0; 32]; 2], bits: [[0; 4]; 2] } }; 58];
    let mut at = 0;
    while at < 58 * GROUP {
        let (width, row) = (at / GROUP, at % GROUP);
        let first = row * width / 8 - row / 2 * 2 * width / 8;
        let mut byte = 0;
        while byte < 8 {
            all[width].bytes[row / 4][row % 4 * 8 + byte] = (first + byte) as u8;
            byte += 1;
        }
        all[width].bits[row / 4][row % 4] = (row * width % 8) as u64;
        at += 1;
    }
    all
};

static NARROW: [NarrowLanes; WIDEST_NARROW + 1] = {
    let mut all = [const { NarrowLanes { bytes: [0; 32], bits: [0; 8] } }; WIDEST_NARROW + 1];
    let mut at = 0;
    while at < all.len() * GROUP {
        let (width, row) = (at / GROUP, at % GROUP);
        let first = row * width / 8 - row / 4 * 4 * width / 8;
        let mut byte = 0;
        while byte < 4 {
            all[width].bytes[4 * row + byte] = (first + byte) as u8;
            byte += 1;
        }
        all[width].bits[row] = (row * width % 8) as u32;
        at += 1;
    }
    all
};

/// 16 bytes of a window.
#[inline(always)]
fn load(window: &[u8; WINDOW], at: usize) -> __m128i {
    // The bound is known to hold. Repeating it here saves a check.
    bytemuck::pod_read_unaligned(&window[at.min(WINDOW - 16)..][..16])
}

/// The fields of a group.
#[inline]
#[target_feature(enable = "avx2")]
fn wide_fields(lanes: &WideLanes, window: &[u8; WINDOW], width: usize) -> [__m256i; 2] {
    let mask = _mm256_set1_epi64x((1 << width) - 1);
    let low = _mm256_set_m128i(load(window, 2 * width / 8), load(window, 0));
    let high = _mm256_set_m128i(load(window, 6 * width / 8), load(window, 4 * width / 8));
    let low = _mm256_shuffle_epi8(low, bytemuck::cast(lanes.bytes[0]));
    let high = _mm256_shuffle_epi8(high, bytemuck::cast(lanes.bytes[1]));
    let low = _mm256_srlv_epi64(low, bytemuck::cast(lanes.bits[0]));
    let high = _mm256_srlv_epi64(high, bytemuck::cast(lanes.bits[1]));
    [_mm256_and_si256(low, mask), _mm256_and_si256(high, mask)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn narrow_fields(lanes: &NarrowLanes, window: &[u8; WINDOW], width: usize) -> __m256i {
    let both = _mm256_set_m128i(load(window, 4 * width / 8), load(window, 0));
    let both = _mm256_shuffle_epi8(both, bytemuck::cast(lanes.bytes));
    let fields = _mm256_srlv_epi32(both, bytemuck::cast(lanes.bits));
    _mm256_and_si256(fields, _mm256_set1_epi32((1 << width) - 1))
}

/// Takes the bytes of each field to its lane by one instruction, and shifts all lanes by another: a third of the steps of a load
/// and a shift for each row. Without closures, into which no instruction of AVX2 is inlined.
#[inline]
#[target_feature(enable = "avx2")]
fn unpack_groups<W: Word>(
    groups: &mut [[W; GROUP]],
    payload: &[u8],
    base: W,
    width: usize,
) -> usize {
    let windows = (payload.len() + width).saturating_sub(WINDOW) / width;
    let count = windows.min(groups.len());
    if count == 0 || W::BITS == 8 {
        return 0;
    }
    let (groups, mut rest) = (&mut groups[..count], payload);
    let base = base.widen().cast_signed();
    if W::BITS == 64 {
        let (lanes, base) = (&WIDE[width], _mm256_set1_epi64x(base));
        for rows in groups {
            let Some(window) = rest.first_chunk() else { break };
            let [low, high] = wide_fields(lanes, window, width);
            *rows = bytemuck::cast([_mm256_add_epi64(low, base), _mm256_add_epi64(high, base)]);
            rest = &rest[width..];
        }
    } else if W::BITS == 32 && width > WIDEST_NARROW {
        let (lanes, base) = (&WIDE[width], _mm256_set1_epi32(base as i32));
        for rows in groups {
            let Some(window) = rest.first_chunk() else { break };
            let [low, high] = wide_fields(lanes, window, width);
            let (low, high) = (_mm256_castsi256_ps(low), _mm256_castsi256_ps(high));
            // The low half of each lane.
            let fields = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(low, high));
            let fields = _mm256_permute4x64_epi64::<0b11_01_10_00>(fields);
            *rows = bytemuck::cast(_mm256_add_epi32(fields, base));
            rest = &rest[width..];
        }
    } else if W::BITS == 32 {
        let (lanes, base) = (&NARROW[width], _mm256_set1_epi32(base as i32));
        for rows in groups {
            let Some(window) = rest.first_chunk() else { break };
            *rows = bytemuck::cast(_mm256_add_epi32(narrow_fields(lanes, window, width), base));
            rest = &rest[width..];
        }
    } else {
        let (lanes, base) = (&NARROW[width], _mm_set1_epi16(base as i16));
        for rows in groups {
            let Some(window) = rest.first_chunk() else { break };
            let fields = narrow_fields(lanes, window, width);
            let low = _mm256_castsi256_si128(fields);
            let fields = _mm_packus_epi32(low, _mm256_extracti128_si256::<1>(fields));
            *rows = bytemuck::cast(_mm_add_epi16(fields, base));
            rest = &rest[width..];
        }
    }
    count
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
