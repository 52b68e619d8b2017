//! The number of rows of the types inside other types (F-25).

use super::Column;
use crate::kernel::lengths;
use crate::schema::{Fields, Form, Type, TypeId};

/// Adds the rows of the types directly inside a type whose column was read.
pub fn count_inside(ty: &Type, column: &Column<'_>, rows: &mut [u64], id: TypeId) {
    let n = rows[id];
    if n == 0 {
        return;
    }
    match (ty, column) {
        (Type::Option(inner), Column::Bits(bits)) => rows[*inner] = bits.ones() as u64,
        (Type::List(item), Column::Numbers(lengths)) => rows[*item] = saturating_sum(lengths),
        (Type::Map(key, value), Column::Numbers(lengths)) => {
            rows[*key] = saturating_sum(lengths);
            rows[*value] = rows[*key];
        }
        (Type::Tuple(items), _) => items.iter().for_each(|item| rows[*item] = n),
        (Type::Record(fields) | Type::Struct(_, fields), column) => {
            count_fields(fields, column, n, rows);
        }
        (Type::Union(union), column) => match (&union.variants[..], column) {
            ([only], _) => rows[*only] = n,
            (variants, Column::Numbers(which)) => count_variants(variants, which, rows),
            _ => {}
        },
        // Beyond 64 bits, no budget allows the rows anyway.
        (Type::Array(len, item), _) => rows[*item] = len.saturating_mul(n),
        (Type::Logical(_, inner) | Type::Extension(_, inner), _) => rows[*inner] = n,
        _ => {}
    }
}

/// Counts the rows of each variant. The variant numbers are already checked.
fn count_variants(variants: &[TypeId], which: &[u64], rows: &mut [u64]) {
    const FEW_VARIANTS: usize = 16;
    if variants.len() > FEW_VARIANTS {
        return which.iter().for_each(|&variant| rows[variants[variant as usize]] += 1);
    }
    // Adjacent rows often have the same variant, and each count would wait for the previous one. So there are four sets
    // of counts.
    let mut counts = [[0; FEW_VARIANTS]; 4];
    for four in which.chunks(4) {
        for (counts, &variant) in counts.iter_mut().zip(four) {
            counts[variant as usize % FEW_VARIANTS] += 1;
        }
    }
    for (number, &id) in variants.iter().enumerate() {
        rows[id] += counts.iter().map(|counts| counts[number]).sum::<u64>();
    }
}

/// Counts the rows of each field by the shapes of the rows.
fn count_fields(fields: &Fields, column: &Column<'_>, n: u64, rows: &mut [u64]) {
    match (&fields.form, column) {
        (Form::One, _) => fields.fields.iter().for_each(|(_, id)| rows[*id] = n),
        (Form::Several(shapes), Column::Numbers(numbers)) => {
            let mut add = |shape: &[usize], count| {
                shape.iter().for_each(|&field| rows[fields.fields[field].1] += count);
            };
            if numbers.len() < shapes.len() {
                // A type with very many shapes must cost no more than its rows.
                return numbers.iter().for_each(|&shape| add(&shapes[shape as usize], 1));
            }
            let mut uses = vec![0; shapes.len()];
            numbers.iter().for_each(|&shape| uses[shape as usize] += 1);
            shapes.iter().zip(uses).for_each(|(shape, uses)| add(shape, uses));
        }
        (Form::Sparse, Column::Sparse(sparse)) => {
            let numbers = sparse.numbers.iter();
            numbers.for_each(|&field| rows[fields.fields[field as usize].1] += 1);
        }
        _ => {}
    }
}

/// Adds up lengths, saturating: beyond 64 bits, no budget allows the rows anyway.
fn saturating_sum(lengths: &[u64]) -> u64 {
    u64::try_from(lengths::sum(lengths)).unwrap_or(u64::MAX)
}
