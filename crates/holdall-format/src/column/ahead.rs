//! Columns encoded by several threads, before the block that they belong to is written.
//!
//! The bytes are those that one thread writes. Only the padding of aligned payloads depends on what precedes a column,
//! so it is inserted when the column takes its place.

use alloc::vec::Vec;
#[cfg(feature = "std")]
use core::sync::atomic::{AtomicUsize, Ordering};
#[cfg(feature = "std")]
use std::{panic::resume_unwind, thread};

use super::buffer::Buffer;
use super::tensors::{self, TensorRows};
use super::{Profile, Settings, floats, frame, raw};
use crate::memory::{Collect, GrowVec};

/// Smaller columns are encoded in their place: handing one over takes longer.
const MIN_HANDED_OVER: usize = 1 << 14;

/// Below this size of all columns together, starting threads takes longer than they save.
const SMALLEST_BLOCK: usize = 1 << 17;

/// What the columns of one number are encoded from.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'b> {
    Column(&'b Buffer),
    /// Several columns: shapes, orders, elements.
    Tensors(&'b TensorRows),
}

impl<'b> From<&'b Buffer> for Rows<'b> {
    fn from(column: &'b Buffer) -> Rows<'b> {
        match column {
            Buffer::Tensors(rows) => Rows::Tensors(rows),
            column => Rows::Column(column),
        }
    }
}

impl Rows<'_> {
    /// About how many bytes of memory they take.
    fn size(self) -> usize {
        match self {
            Rows::Column(column) => column.held(),
            Rows::Tensors(rows) => rows.size(),
        }
    }

    fn write(self, out: &mut Vec<u8>, settings: Settings) {
        match self {
            Rows::Column(column) => column.write(out, settings),
            Rows::Tensors(rows) => tensors::write(out, rows, settings, None),
        }
    }
}

/// The columns of a block that are encoded already, by their numbers.
#[derive(Debug, Default)]
pub struct Ahead {
    columns: Vec<Option<Vec<u8>>>,
}

impl Ahead {
    /// Encodes large columns with the threads of the settings. With one thread it encodes none.
    ///
    /// The function returns the rows of each number below `count`, if they can be encoded apart.
    #[cfg(feature = "std")]
    pub fn encode<'b>(
        count: usize,
        rows: impl Fn(usize) -> Option<Rows<'b>>,
        settings: Settings,
    ) -> Ahead {
        if settings.threads < 2 {
            return Ahead::default();
        }
        let mut large: Vec<(usize, usize, Rows<'_>)> = (0..count)
            .filter_map(|number| rows(number).map(|rows| (rows.size(), number, rows)))
            .filter(|(size, _, rows)| *size >= MIN_HANDED_OVER && takes_time(*rows, settings))
            .collected();
        let all: usize = large.iter().map(|(size, ..)| size).sum();
        if large.len() < 2 || all < SMALLEST_BLOCK {
            return Ahead::default();
        }
        // The largest first, so that none is left alone at the end.
        large.sort_unstable_by_key(|(size, ..)| core::cmp::Reverse(*size));
        let mut columns = Vec::new();
        columns.put_fill(count, None);
        for (number, bytes) in encoded(&large, settings) {
            columns[number] = Some(bytes);
        }
        Ahead { columns }
    }

    /// Encodes no columns: there are no threads without std.
    #[cfg(not(feature = "std"))]
    pub fn encode<'b>(_: usize, _: impl Fn(usize) -> Option<Rows<'b>>, _: Settings) -> Ahead {
        Ahead::default()
    }

    /// Appends the columns of a number: what was encoded, or the rows now.
    pub fn write<'b>(
        &mut self,
        number: usize,
        rows: impl Into<Rows<'b>>,
        out: &mut Vec<u8>,
        settings: Settings,
    ) {
        let rows = rows.into();
        let Some(bytes) = self.take(number) else { return rows.write(out, settings) };
        let Rows::Column(column) = rows else { return out.put_slice(&bytes) };
        let (encoding, payload) = bytes.split_at(1);
        out.put_slice(encoding);
        if is_padded(column, encoding[0]) {
            settings.pad(out, payload.len());
        }
        out.put_slice(payload);
    }

    /// Whether the column of a number is encoded already.
    pub fn has(&self, number: usize) -> bool {
        matches!(self.columns.get(number), Some(Some(_)))
    }

    fn take(&mut self, number: usize) -> Option<Vec<u8>> {
        self.columns.get_mut(number).and_then(Option::take)
    }
}

/// Returns a number of threads: 0 stands for as many as the machine runs at once.
#[cfg(feature = "std")]
#[must_use]
pub fn usable_threads(threads: usize) -> usize {
    match threads {
        0 => thread::available_parallelism().map_or(1, usize::from),
        given => given,
    }
}

/// Encodes columns, without alignment. Each thread takes the next one.
#[cfg(feature = "std")]
fn encoded(columns: &[(usize, usize, Rows<'_>)], settings: Settings) -> Vec<(usize, Vec<u8>)> {
    let alone = Settings { aligned_from: None, threads: 1, ..settings };
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((_, number, column)) = columns.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut bytes = Vec::new();
            column.write(&mut bytes, alone);
            done.put((*number, bytes));
        }
        done
    };
    thread::scope(|scope| {
        // Where the system starts no more threads, those that there are do the work.
        let others: Vec<_> = (1..settings.threads.min(columns.len()))
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
            .collected();
        let mut all = work();
        for other in others {
            // Missing memory of a thread is missing memory of this one.
            all.put_each(other.join().unwrap_or_else(|payload| resume_unwind(payload)));
        }
        all
    })
}

/// Whether encoding takes longer than copying. Tensors in an aligned message are padded inside.
fn takes_time(rows: Rows<'_>, Settings { profile, aligned_from, .. }: Settings) -> bool {
    let Rows::Column(column) = rows else { return profile.is_small() && aligned_from.is_none() };
    match column {
        Buffer::None | Buffer::Tensors(_) => false,
        Buffer::Bits(_) | Buffer::Ints8 { as_is: true, .. } => profile.is_small(),
        Buffer::F16(_) | Buffer::Bf16(_) | Buffer::F32(_) | Buffer::F64(_) => {
            profile != Profile::Fast
        }
        Buffer::Fixed(..) | Buffer::Packed(..) => profile.is_small(),
        _ => true,
    }
}

/// Whether an aligned message aligns the payload behind this encoding byte of a column (F-69).
fn is_padded(column: &Buffer, encoding: u8) -> bool {
    match column {
        Buffer::Text(_) | Buffer::Gathered(..) | Buffer::Bits(_) => false,
        Buffer::F16(_) | Buffer::Bf16(_) | Buffer::F32(_) | Buffer::F64(_) => {
            encoding == floats::RAW
        }
        Buffer::Fixed(..) | Buffer::Packed(..) => raw::is_aligned(encoding),
        _ => frame::is_aligned(encoding),
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::string::ToString;

    use super::*;
    use crate::column::raw::Of;
    use crate::number::IntKind;
    use crate::schema::{DType, Scalar};

    /// Columns of all kinds that threads encode, with raw payloads, frames and text.
    fn columns() -> Vec<Buffer> {
        let numbers =
            |most: u64| (0..20_000_u64).map(move |n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) % most);
        let mut text = crate::column::text::TextBuffer::default();
        numbers(1 << 20).for_each(|n| text.push(n.to_string().as_bytes()));
        let doubles = |divisor: f64| numbers(1 << 50).map(move |n| n as f64 / divisor).collect();
        let bytes: Vec<u8> = numbers(251).map(|n| n as u8).collect();
        let mut lengths = crate::column::numbers::NumberBuffer::default();
        numbers(1 << 40).for_each(|n| lengths.push(n));
        vec![
            Buffer::Ints64(IntKind::U64, numbers(u64::MAX).collect()),
            Buffer::Ints64(IntKind::I64, numbers(1000).collect()),
            Buffer::Ints32(IntKind::U32, numbers(1 << 32).map(|n| n as u32).collect()),
            Buffer::Ints16(IntKind::U16, numbers(1 << 16).map(|n| n as u16).collect()),
            Buffer::Ints8 { kind: IntKind::U8, rows: bytes.clone(), as_is: true },
            Buffer::None,
            Buffer::F64(doubles(3.0)),
            Buffer::F64(doubles(1.0)),
            Buffer::F32(numbers(1 << 30).map(|n| n as f32 / 7.0).collect()),
            Buffer::Text(text),
            Buffer::Fixed(Of::fixed(4), bytes.clone()),
            Buffer::Packed(Of::packed(8), bytes.clone()),
            Buffer::Bits(numbers(2).map(|n| n == 1).collect()),
            Buffer::Numbers(lengths),
            Buffer::Tensors(Box::new(tensors(&bytes))),
        ]
    }

    fn tensors(bytes: &[u8]) -> TensorRows {
        let mut rows = TensorRows::of(&DType::of_scalar(Scalar::Int(IntKind::U8)));
        rows.append([bytes.len() as u64], false, |all| all.put_slice(bytes));
        rows.append([2, 3], true, |all| all.put_slice(&bytes[..6]));
        rows
    }

    #[test]
    fn threads_write_the_bytes_of_one() {
        let columns = columns();
        for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
            for aligned_from in [None, Some(0), Some(7)] {
                let written = |threads| {
                    let settings = Settings { profile, aligned_from, threads };
                    let rows = |number: usize| columns.get(number).map(Rows::from);
                    let mut ahead = Ahead::encode(columns.len(), rows, settings);
                    let early = (0..columns.len()).filter(|n| ahead.has(*n)).count();
                    let mut out = vec![9; 13];
                    for (number, column) in columns.iter().enumerate() {
                        ahead.write(number, column, &mut out, settings);
                    }
                    (early, out)
                };
                let (none, one) = written(1);
                let (some, several) = written(3);
                assert!(none == 0 && some >= 6, "{some} of {profile:?} by threads");
                assert_eq!(several, one, "{profile:?} {aligned_from:?}");
            }
        }
    }
}
