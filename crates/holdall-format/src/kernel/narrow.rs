//! Fields of 1 to 7 bits, by way of a byte for each row: rows become bytes, and 8 bytes at a time become adjacent fields in one
//! word, and back.
//!
//! The second step is the same for rows of every size, so it is compiled once for each width: for each size and width
//! it took 190 KB of a program. Loops of their own for each size, which keep a block in registers, take 7 to 25 % less time for
//! 8,192 rows, 0.01 to 0.03 ns a row, and up to twice as long for 100.

use super::Word;

/// The rows of a block, whose fields fill `WIDTH` words.
const BLOCK: usize = 64;
/// The rows whose fields, one per byte, fill one word.
const GROUP: usize = 8;
/// This many rows are bytes at a time: they stay in the nearest cache, and the second step is one call for all of them. To pack
/// bytes takes 15 % longer with a quarter as many.
const ROWS_OF_LONG_COLUMNS: usize = 16 * BLOCK;
/// Fewer rows need less memory, which is set to 0 first.
const ROWS_OF_SHORT_COLUMNS: usize = 2 * BLOCK;

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

/// The second step: bytes, of entire blocks, to fields and back.
pub(super) trait Steps: Copy {
    /// Reverses [`spread`]. The bits above a byte's field are ignored.
    fn gather<const WIDTH: u32>(self, words: [u64; GROUP]) -> [u64; GROUP];

    /// Makes the fields of bytes adjacent. The 8 bytes behind them are overwritten.
    fn pack(self, place: &mut [u8], bytes: &[u8], width: u32);

    /// Reverses [`Steps::pack`], without bytes behind.
    fn unpack(self, bytes: &mut [u8], packed: &[u8], width: u32);

    /// Unpacks groups of rows of wider fields, while the payload has a window of bytes for each. Returns how many.
    #[inline(always)]
    fn unpack_groups<W: Word>(
        self,
        _groups: &mut [[W; GROUP]],
        _payload: &[u8],
        _base: W,
        _width: usize,
    ) -> usize {
        0
    }
}

/// With shifts and masks.
#[derive(Clone, Copy)]
pub(super) struct Shifts;

impl Steps for Shifts {
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

    #[inline(never)]
    fn pack(self, place: &mut [u8], bytes: &[u8], width: u32) {
        pack_bytes(self, place, bytes, width);
    }

    #[inline(never)]
    fn unpack(self, bytes: &mut [u8], packed: &[u8], width: u32) {
        unpack_bytes(bytes, packed, width);
    }
}

/// The rows of entire blocks, and the bytes that their fields take.
#[inline(always)]
fn blocks_of(rows: usize, width: u32) -> (usize, usize) {
    let rows = rows.next_multiple_of(BLOCK);
    (rows, rows / 8 * width as usize)
}

#[inline(always)]
pub(super) fn unpack<W: Word>(
    rows: &mut [W],
    payload: &[u8],
    base: W,
    width: u32,
    steps: impl Steps,
) {
    match rows.len() <= ROWS_OF_SHORT_COLUMNS {
        true => unpack_pieces::<W, ROWS_OF_SHORT_COLUMNS>(rows, payload, base, width, steps),
        false => unpack_pieces::<W, ROWS_OF_LONG_COLUMNS>(rows, payload, base, width, steps),
    }
}

#[inline(always)]
fn unpack_pieces<W: Word, const PIECE: usize>(
    rows: &mut [W],
    mut payload: &[u8],
    base: W,
    width: u32,
    steps: impl Steps,
) {
    let mut bytes = [0; PIECE];
    for rows in rows.chunks_mut(PIECE) {
        let (blocks, len) = blocks_of(rows.len(), width);
        match payload.split_at_checked(len) {
            Some((packed, rest)) => {
                steps.unpack(&mut bytes[..blocks], packed, width);
                payload = rest;
            }
            None => {
                let mut last = [0; PIECE];
                last[..payload.len()].copy_from_slice(payload);
                steps.unpack(&mut bytes[..blocks], &last[..len], width);
            }
        }
        for (row, byte) in rows.iter_mut().zip(&bytes) {
            *row = W::truncate(u64::from(*byte)).plus(base);
        }
    }
}

#[inline(always)]
pub(super) fn pack<W: Word>(
    payload: &mut [u8],
    rows: &[W],
    base: W,
    width: u32,
    steps: impl Steps,
) {
    match rows.len() <= ROWS_OF_SHORT_COLUMNS {
        true => pack_pieces::<W, ROWS_OF_SHORT_COLUMNS>(payload, rows, base, width, steps),
        false => pack_pieces::<W, ROWS_OF_LONG_COLUMNS>(payload, rows, base, width, steps),
    }
}

#[inline(always)]
fn pack_pieces<W: Word, const PIECE: usize>(
    payload: &mut [u8],
    rows: &[W],
    base: W,
    width: u32,
    steps: impl Steps,
) {
    let (mut bytes, mut at) = ([0; PIECE], 0);
    for rows in rows.chunks(PIECE) {
        let (blocks, len) = blocks_of(rows.len(), width);
        for (byte, row) in bytes.iter_mut().zip(rows) {
            *byte = row.minus(base).widen() as u8;
        }
        // Padding is 0.
        bytes[rows.len()..blocks].fill(0);
        match payload.get_mut(at..at + len + 8) {
            Some(place) => steps.pack(place, &bytes[..blocks], width),
            None => {
                // The fields are shorter than the rows by 8 bytes or more.
                let mut last = [0; PIECE];
                steps.pack(&mut last, &bytes[..blocks], width);
                let place = &mut payload[at..];
                let len = place.len().min(len);
                place[..len].copy_from_slice(&last[..len]);
            }
        }
        at += len;
    }
}

#[inline(always)]
pub(super) fn unpack_bytes(bytes: &mut [u8], packed: &[u8], width: u32) {
    match width {
        1 => unpack_blocks::<1>(bytes, packed),
        2 => unpack_blocks::<2>(bytes, packed),
        3 => unpack_blocks::<3>(bytes, packed),
        4 => unpack_blocks::<4>(bytes, packed),
        5 => unpack_blocks::<5>(bytes, packed),
        6 => unpack_blocks::<6>(bytes, packed),
        _ => unpack_blocks::<7>(bytes, packed),
    }
}

#[inline(always)]
fn unpack_blocks<const WIDTH: u32>(bytes: &mut [u8], packed: &[u8]) {
    let width = WIDTH as usize;
    let blocks = bytes.as_chunks_mut::<BLOCK>().0;
    for (bytes, packed) in blocks.iter_mut().zip(packed.chunks_exact(GROUP * width)) {
        for (group, place) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
            // Loads stay inside the block: the last ones begin before their group.
            let at = (group * width).min(8 * width - 8);
            let word = packed[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
            *place = spread::<WIDTH>(word >> (8 * (group * width - at))).to_le_bytes();
        }
    }
}

#[inline(always)]
pub(super) fn pack_bytes(steps: impl Steps, place: &mut [u8], bytes: &[u8], width: u32) {
    match width {
        1 => pack_blocks::<1>(steps, place, bytes),
        2 => pack_blocks::<2>(steps, place, bytes),
        3 => pack_blocks::<3>(steps, place, bytes),
        4 => pack_blocks::<4>(steps, place, bytes),
        5 => pack_blocks::<5>(steps, place, bytes),
        6 => pack_blocks::<6>(steps, place, bytes),
        _ => pack_blocks::<7>(steps, place, bytes),
    }
}

#[inline(always)]
fn pack_blocks<const WIDTH: u32>(steps: impl Steps, place: &mut [u8], bytes: &[u8]) {
    let width = WIDTH as usize;
    for (block, bytes) in bytes.as_chunks::<BLOCK>().0.iter().enumerate() {
        let groups: &[[u8; GROUP]] = bytes.as_chunks().0;
        let words = core::array::from_fn(|group| u64::from_le_bytes(groups[group]));
        // A group's store takes 8 bytes, and the next one overwrites those beyond the group.
        let place = &mut place[block * GROUP * width..][..GROUP * width + 8];
        for (group, word) in steps.gather::<WIDTH>(words).iter().enumerate() {
            place[group * width..][..8].copy_from_slice(&word.to_le_bytes());
        }
    }
}
