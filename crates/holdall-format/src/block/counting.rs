//! The number of rows of the types inside other types (F-25), for columns that were read and those that a writer gathers.

use super::Column;
use crate::column::buffer::Buffer;
use crate::kernel::lengths;
use crate::memory;
use crate::schema::{Fields, Form, Type, TypeId};

/// What the column of a type says about the rows inside it. A column of another kind says nothing.
pub trait RowsInside {
    /// How many rows of an option are present.
    fn present(&self) -> u64;

    /// The n-th row of an option that is present.
    fn nth_present(&self, n: usize) -> Option<usize>;

    /// The lengths, variants or shapes of all rows, or the fields of a record with very many shapes: first those stored
    /// as bytes, then the others.
    fn numbers(&self) -> (&[u8], &[u64]);

    /// How many fields each row of a record with very many shapes has.
    fn counts(&self) -> &[u64];
}

impl RowsInside for Column<'_> {
    fn present(&self) -> u64 {
        match self {
            Column::Bits(bits) => bits.ones() as u64,
            _ => 0,
        }
    }

    fn nth_present(&self, n: usize) -> Option<usize> {
        let Column::Bits(bits) = self else { return None };
        (0..bits.len()).filter(|row| bits.decode_row(*row)).nth(n)
    }

    fn numbers(&self) -> (&[u8], &[u64]) {
        match self {
            Column::Numbers(numbers) => (&[], numbers),
            Column::Sparse(sparse) => (&[], &sparse.numbers),
            _ => (&[], &[]),
        }
    }

    fn counts(&self) -> &[u64] {
        if let Column::Sparse(sparse) = self { &sparse.counts } else { &[] }
    }
}

impl RowsInside for Buffer {
    fn present(&self) -> u64 {
        match self {
            Buffer::Bits(bits) => bits.iter().filter(|bit| **bit).count() as u64,
            _ => 0,
        }
    }

    fn nth_present(&self, n: usize) -> Option<usize> {
        let Buffer::Bits(bits) = self else { return None };
        (0..bits.len()).filter(|row| bits[*row]).nth(n)
    }

    fn numbers(&self) -> (&[u8], &[u64]) {
        match self {
            Buffer::Numbers(numbers) => numbers.as_slices(),
            _ => (&[], &[]),
        }
    }

    /// Rust types have no such records, and values of inferred type keep them elsewhere.
    fn counts(&self) -> &[u64] {
        &[]
    }
}

/// Adds the rows of the types directly inside a type whose column is complete.
pub fn count_inside(ty: &Type, column: &impl RowsInside, rows: &mut [u64], id: TypeId) {
    let n = rows[id];
    if n == 0 {
        return;
    }
    match ty {
        Type::Option(inner) => rows[*inner] = column.present(),
        Type::List(item) => rows[*item] = saturating_sum(column.numbers()),
        Type::Map(key, value) => {
            rows[*key] = saturating_sum(column.numbers());
            rows[*value] = rows[*key];
        }
        Type::Tuple(items) => items.iter().for_each(|item| rows[*item] = n),
        Type::Record(fields) | Type::Struct(_, fields) => count_fields(fields, column, n, rows),
        Type::Union(union) => match &union.variants[..] {
            [only] => rows[*only] = n,
            variants => {
                let (short, long) = column.numbers();
                count_variants(variants, short, rows);
                count_variants(variants, long, rows);
            }
        },
        Type::Array(len, item) => rows[*item] = len.saturating_mul(n),
        Type::Logical(_, inner) | Type::Extension(_, inner) => rows[*inner] = n,
        _ => {}
    }
}

/// Counts the rows of each variant. The variant numbers are already checked.
fn count_variants<N: Copy + Into<u64>>(variants: &[TypeId], which: &[N], rows: &mut [u64]) {
    /// For more, a pass for each takes longer than to count row by row.
    const FEW_VARIANTS: usize = 16;
    /// As many as a byte counts.
    const MAX_BYTE_COUNT: usize = 255;
    let (Some((&last, others)), ..=FEW_VARIANTS) = (variants.split_last(), variants.len()) else {
        return which.iter().for_each(|&variant| rows[variants[variant.into() as usize]] += 1);
    };
    let mut bytes = [0; MAX_BYTE_COUNT];
    for which in which.chunks(MAX_BYTE_COUNT) {
        let bytes = &mut bytes[..which.len()];
        bytes.iter_mut().zip(which).for_each(|(byte, &variant)| *byte = variant.into() as u8);
        let mut left = which.len() as u64;
        for (number, &id) in (0..).zip(others) {
            // Compilers vectorise this: a fifth of the instructions of counting row by row.
            let count = bytes.iter().fold(0_u8, |count, byte| count + u8::from(*byte == number));
            rows[id] += u64::from(count);
            left -= u64::from(count);
        }
        rows[last] += left;
    }
}

/// Counts the rows of each field by the shapes of the rows.
fn count_fields(fields: &Fields, column: &impl RowsInside, n: u64, rows: &mut [u64]) {
    match &fields.form {
        Form::One => fields.fields.iter().for_each(|(_, id)| rows[*id] = n),
        Form::Several(shapes) => {
            let mut add = |shape: &[usize], count| {
                shape.iter().for_each(|&field| rows[fields.fields[field].1] += count);
            };
            let (_, numbers) = column.numbers();
            if numbers.len() < shapes.len() {
                // A type with very many shapes must cost no more than its rows.
                return numbers.iter().for_each(|&shape| add(&shapes[shape as usize], 1));
            }
            let mut uses = memory::filled(0, shapes.len());
            numbers.iter().for_each(|&shape| uses[shape as usize] += 1);
            shapes.iter().zip(uses).for_each(|(shape, uses)| add(shape, uses));
        }
        Form::Sparse => {
            let (_, numbers) = column.numbers();
            numbers.iter().for_each(|&field| rows[fields.fields[field as usize].1] += 1);
        }
    }
}

/// Adds up lengths, saturating: beyond 64 bits, no budget allows the rows anyway.
fn saturating_sum((short, long): (&[u8], &[u64])) -> u64 {
    let short = short.iter().map(|&length| u64::from(length)).sum();
    u64::try_from(lengths::sum(long)).map_or(u64::MAX, |long| long.saturating_add(short))
}
