//! Fields of 1 to 7 bits, 8 at a time in one word: from adjacent fields to one per byte, and back.

use super::Word;

/// The rows of a block, whose fields fill `WIDTH` words.
const BLOCK: usize = 64;
/// The rows whose fields, one per byte, fill one word.
const GROUP: usize = 8;

/// The lowest `bits` of each lane of `lane` bits.
const fn lanes(bits: u32, lane: u32) -> u64 {
    let mut mask = 0;
    let mut at = 0;
    while at < 64 {
        mask |= ((1 << bits) - 1) << at;
        at += lane;
    }
    mask
}

/// Spreads adjacent fields to one per byte: the halves move apart, then their halves, then theirs.
#[inline(always)]
fn spread<const WIDTH: u32>(word: u64) -> u64 {
    let four = const { lanes(4 * WIDTH, 64) };
    let two = const { lanes(2 * WIDTH, 32) };
    let one = const { lanes(WIDTH, 16) };
    let word = word & four | word << (32 - 4 * WIDTH) & four << 32;
    let word = word & two | word << (16 - 2 * WIDTH) & two << 16;
    word & one | word << (8 - WIDTH) & one << 8
}

/// How fields in the low bits of bytes become adjacent.
pub(super) trait Gather: Copy {
    /// Reverses [`spread`]. The bits above a byte's field are ignored.
    fn gather<const WIDTH: u32>(self, words: [u64; GROUP]) -> [u64; GROUP];
}

/// With shifts and masks.
#[derive(Clone, Copy)]
pub(super) struct Shifts;

impl Gather for Shifts {
    #[inline(always)]
    fn gather<const WIDTH: u32>(self, mut words: [u64; GROUP]) -> [u64; GROUP] {
        let four = const { lanes(4 * WIDTH, 64) };
        let two = const { lanes(2 * WIDTH, 32) };
        let one = const { lanes(WIDTH, 16) };
        for word in &mut words {
            let pairs = *word & one | *word >> (8 - WIDTH) & one << WIDTH;
            let fours = pairs & two | pairs >> (16 - 2 * WIDTH) & two << (2 * WIDTH);
            *word = fours & four | fours >> (32 - 4 * WIDTH) & four << (4 * WIDTH);
        }
        words
    }
}

#[inline(always)]
pub(super) fn unpack<W: Word, const WIDTH: u32>(rows: &mut [W], payload: &[u8], base: W) {
    let block = const { GROUP * WIDTH as usize };
    let (blocks, rest) = rows.as_chunks_mut::<BLOCK>();
    let (whole, packed) = payload.split_at(block * blocks.len());
    for (rows, packed) in blocks.iter_mut().zip(whole.chunks_exact(block)) {
        unpack_block::<W, WIDTH>(rows, packed, base);
    }
    if !rest.is_empty() {
        let (mut last, mut fields) = ([W::default(); BLOCK], [0; BLOCK]);
        fields[..packed.len()].copy_from_slice(packed);
        unpack_block::<W, WIDTH>(&mut last, &fields[..block], base);
        rest.copy_from_slice(&last[..rest.len()]);
    }
}

#[inline(always)]
fn unpack_block<W: Word, const WIDTH: u32>(rows: &mut [W; BLOCK], packed: &[u8], base: W) {
    let width = WIDTH as usize;
    let mut words = [0; GROUP];
    for (group, word) in words.iter_mut().enumerate() {
        // Loads stay inside the block: the last ones begin before their group.
        let at = (group * width).min(8 * width - 8);
        let bytes = packed[at..].first_chunk().copied().unwrap_or_default();
        *word = u64::from_le_bytes(bytes) >> (8 * (group * width - at));
    }
    for word in &mut words {
        *word = spread::<WIDTH>(*word);
    }
    let fields = words.map(u64::to_le_bytes);
    for (row, field) in rows.iter_mut().zip(fields.as_flattened()) {
        *row = W::truncate(u64::from(*field)).plus(base);
    }
}

#[inline(always)]
pub(super) fn pack<W: Word, const WIDTH: u32>(
    payload: &mut [u8],
    rows: &[W],
    base: W,
    gather: impl Gather,
) {
    let block = const { GROUP * WIDTH as usize };
    let (mut blocks, rest) = rows.as_chunks::<BLOCK>();
    let mut at = 0;
    // A group's store takes 8 bytes, and the next one overwrites those beyond the group.
    while let ([rows, more @ ..], Some(place)) = (blocks, payload.get_mut(at..at + block + 8)) {
        pack_block::<W, WIDTH>(place, rows, base, gather);
        blocks = more;
        at += block;
    }
    let mut pack_last = |rows: &[W; BLOCK]| {
        let mut last = [0; BLOCK + 8];
        pack_block::<W, WIDTH>(&mut last[..block + 8], rows, base, gather);
        let place = &mut payload[at..];
        let len = place.len().min(block);
        place[..len].copy_from_slice(&last[..len]);
        at += block;
    };
    blocks.iter().for_each(&mut pack_last);
    if !rest.is_empty() {
        // Padding is 0 because these rows are the base.
        let mut last = [base; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        pack_last(&last);
    }
}

#[inline(always)]
fn pack_block<W: Word, const WIDTH: u32>(
    place: &mut [u8],
    rows: &[W; BLOCK],
    base: W,
    gather: impl Gather,
) {
    let width = WIDTH as usize;
    let mut fields = [[0; 8]; GROUP];
    for (field, row) in fields.as_flattened_mut().iter_mut().zip(rows) {
        *field = row.minus(base).widen() as u8;
    }
    let words = gather.gather::<WIDTH>(fields.map(u64::from_le_bytes));
    for (group, word) in words.iter().enumerate() {
        place[group * width..][..8].copy_from_slice(&word.to_le_bytes());
    }
}
