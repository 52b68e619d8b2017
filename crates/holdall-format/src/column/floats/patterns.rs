//! Patterns: the bits of floats as numbers (F-30).

use alloc::vec::Vec;

use crate::column::ints::read_inner;
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::kernel::Word;
use crate::memory;

pub(super) fn read(input: &mut Input<'_>, width: usize, rows: usize) -> Result<Vec<u8>> {
    match width {
        2 => read_of(input, rows, u16::to_le_bytes),
        4 => read_of(input, rows, u32::to_le_bytes),
        _ => read_of(input, rows, u64::to_le_bytes),
    }
}

fn read_of<W: Word, const N: usize>(
    input: &mut Input<'_>,
    rows: usize,
    bytes: impl Fn(W) -> [u8; N],
) -> Result<Vec<u8>> {
    let at = input.position();
    let patterns = read_inner(input, "patterns", rows, false)?;
    let most = u64::MAX >> (u64::BITS - W::BITS);
    if let Some(row) = patterns.iter().position(|pattern| *pattern > most) {
        return Err(Error::at(Code::IntOutOfRange, at)
            .expected(format!("patterns of {N} bytes"))
            .got(format!("{:X}", patterns[row])));
    }
    let floats: Vec<[u8; N]> =
        memory::collected(patterns.iter().map(|pattern| bytes(W::truncate(*pattern))));
    input.scratch().take_back(patterns);
    Ok(floats.into_flattened())
}
