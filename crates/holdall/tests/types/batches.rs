//! Rows that are written many at a time.

use holdall::{Decode, Encode, Result, from_slice, to_vec};

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
enum Kind {
    Small,
    Large,
    Other,
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Part {
    flags: Vec<bool>,
    pairs: Vec<[bool; 2]>,
    maybe: [Option<i16>; 3],
    grid: [[f32; 2]; 3],
    rows: Vec<[[u16; 2]; 2]>,
    empty: [u32; 0],
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Row {
    id: u64,
    bytes: Vec<u8>,
    signed: Vec<i64>,
    sizes: Vec<usize>,
    short: [u8; 4],
    kinds: Vec<Kind>,
    text: String,
    texts: Vec<String>,
    part: Part,
    parts: Option<Vec<Part>>,
    nested: Vec<Vec<Option<u8>>>,
    pair: (bool, Option<(i8, f64)>),
    boxed: Box<u16>,
    wrapped: std::num::Wrapping<i32>,
}

/// Small numbers, and some that are large.
fn number(seed: u64, most: u64) -> u64 {
    let mixed = (seed ^ (seed >> 3)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 29;
    if mixed.is_multiple_of(97) { mixed } else { mixed % most }
}

fn list<T>(seed: u64, most: u64, make: impl Fn(u64) -> T) -> Vec<T> {
    let len = number(seed, 1 << 20) % most;
    (0..len).map(|index| make(seed * 31 + index)).collect()
}

fn part(seed: u64) -> Part {
    Part {
        flags: list(seed, 70, |seed| number(seed, 3) == 0),
        pairs: list(seed + 1, 5, |seed| [number(seed, 2) == 0, number(seed, 5) == 0]),
        maybe: [0, 1, 2].map(|at| (number(seed + at, 3) > 0).then_some(number(seed, 9) as i16 - 4)),
        grid: [[1.5, seed as f32], [0.0, 2.0], [seed as f32, -1.0]],
        rows: list(seed + 2, 4, |seed| [[seed as u16, 1], [number(seed, 7) as u16, 2]]),
        empty: [],
    }
}

fn row(seed: u64) -> Row {
    Row {
        id: number(seed, 1000),
        bytes: list(seed, 40, |seed| seed as u8),
        signed: list(seed + 1, 6, |seed| number(seed, 100) as i64 - 50),
        sizes: list(seed + 2, 3, |seed| number(seed, 10) as usize),
        short: [1, 2, 3, seed as u8],
        kinds: list(seed + 3, 30, |seed| {
            [Kind::Small, Kind::Large, Kind::Other][seed as usize % 3]
        }),
        text: "text ".repeat(number(seed, 12) as usize % 12),
        texts: list(seed + 4, 4, |seed| format!("number {seed}")),
        part: part(seed),
        parts: (number(seed, 3) == 0).then(|| list(seed + 5, 20, part)),
        nested: list(seed + 6, 4, |seed| list(seed, 6, |seed| seed.is_multiple_of(2).then_some(7))),
        pair: (seed.is_multiple_of(5), seed.is_multiple_of(4).then_some((seed as i8, 0.25))),
        boxed: Box::new(seed as u16),
        wrapped: std::num::Wrapping(-(seed as i32)),
    }
}

#[test]
fn rows_written_many_at_a_time_are_those_written_alone() -> Result<()> {
    for count in [0, 1, 3, 16, 17, 63, 64, 65, 130, 300] {
        let rows: Vec<Row> = (0..count).map(|index| row(count * 7 + index)).collect();
        let bytes = to_vec(&rows)?;
        // A pointer writes its value alone.
        let alone: Vec<Box<Row>> = rows.iter().cloned().map(Box::new).collect();
        assert_eq!(to_vec(&alone)?, bytes, "{count} rows");
        assert_eq!(from_slice::<Vec<Row>>(&bytes)?, rows);
    }
    Ok(())
}

#[test]
fn columns_hold_the_items_of_arrays_and_lists_in_order() -> Result<()> {
    #[derive(Encode)]
    struct Two {
        bits: [bool; 3],
        words: Vec<u16>,
    }
    let row = |at: u16| Two { bits: [at == 1, true, false], words: vec![at; at as usize % 3] };
    let rows: Vec<Two> = (0..6).map(row).collect();
    let bytes = holdall::Encoder::new().header(holdall::Header::Bare).encode(&rows)?;
    // 6 rows; 18 bits.
    assert_eq!(bytes[..5], [0x0C, 0x52, 0b1001_1010, 0b0010_0100, 0b01]);
    // The lengths 0 1 2 0 1 2 in 2 bits each, the words 1 2 2 4 5 5 in 3 bits each.
    assert_eq!(bytes[5..7], [0x02, 0b0010_0100]);
    assert_eq!(bytes[7..], [0b1001, 0x03, 0b1001_0001, 0b1101_1000, 0b10]);
    Ok(())
}
