//! Some rows of a decoded column.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use crate::column::bits::Bits;
use crate::column::ints::{IntBuffer, IntRows};
use crate::column::tensors::Tensors;
use crate::column::text::TextRows;
use crate::input::Scratch;
use crate::memory;
use crate::number::IntKind;

/// Row i as bit i.
pub(super) fn pack(bits: impl Iterator<Item = bool>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (row, bit) in bits.enumerate() {
        if row % 8 == 0 {
            bytes.push(0);
        }
        if let Some(last) = bytes.last_mut() {
            *last |= u8::from(bit) << (row % 8);
        }
    }
    bytes
}

/// Converts 64-bit patterns to rows of their kind.
pub(super) fn of_kind(kind: IntKind, values: Vec<u64>) -> IntRows<'static> {
    match kind.width() {
        Some(1) => {
            IntRows::W8(values.into_iter().map(|bits| bits as u8).collect::<Vec<_>>().into())
        }
        Some(2) => IntRows::W16(values.into_iter().map(|bits| bits as u16).collect()),
        Some(4) => IntRows::W32(values.into_iter().map(|bits| bits as u32).collect()),
        Some(8) => IntRows::W64(values),
        _ => IntRows::Wide(Box::new(IntBuffer::of(values))),
    }
}

pub(super) fn some_ints(ints: &IntRows<'_>, rows: Range<usize>) -> IntRows<'static> {
    match ints {
        IntRows::W8(all) => IntRows::W8(memory::copied(&all[rows]).into()),
        IntRows::W16(all) => IntRows::W16(memory::copied(&all[rows])),
        IntRows::W32(all) => IntRows::W32(memory::copied(&all[rows])),
        IntRows::W64(all) => IntRows::W64(memory::copied(&all[rows])),
        IntRows::Wide(all) => IntRows::Wide(Box::new(all.some(rows))),
    }
}

/// Returns the lengths and the bytes of some rows; `bounds` are those of all rows of plain text.
pub(super) fn some_text(
    all: &TextRows,
    bounds: &[usize],
    bytes: &[u8],
    rows: Range<usize>,
) -> (Vec<u64>, Vec<u8>) {
    let (mut lengths, mut some) = (Vec::new(), Vec::new());
    for row in rows {
        let (start, end) = all.span(row, bounds.get(row).copied().unwrap_or(0));
        lengths.push((end - start) as u64);
        some.extend_from_slice(&bytes[start..end]);
    }
    (lengths, some)
}

pub(super) fn some_tensors<'p>(
    all: &Tensors<'_>,
    rows: Range<usize>,
    scratch: &'p Scratch,
) -> Tensors<'p> {
    let before: u64 = all.ranks[..rows.start].iter().sum();
    let own: u64 = all.ranks[rows.clone()].iter().sum();
    let (start, end) = (before as usize, (before + own) as usize);
    let orders = pack(all.orders.decode_rows(rows.clone()));
    Tensors {
        dtype: Arc::clone(&all.dtype),
        ranks: memory::copied(&all.ranks[rows.clone()]),
        dimensions: memory::copied(&all.dimensions[start..end]),
        orders: Bits::of_raw(scratch.keep(orders), rows.len()),
        elements: all.elements[rows].iter().map(|bytes| scratch.keep(bytes.to_vec())).collect(),
    }
}
