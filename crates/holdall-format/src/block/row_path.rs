//! Where a row of a column is in the value, for errors: `$.users[3].name` (F-41).
//!
//! A column knows only its site and row. So the path is built upwards: at each enclosing type, it finds the row that
//! contains the current one. The columns of these types were read before; a writer has at least the rows that contain this one.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Column, RowsInside};
use crate::memory::GrowVec;
use crate::schema::{Fields, Form, Schema, Type, TypeId, path};

/// The path of a site, or of one of its rows. Without a row, an item is `[]`, as it is if there are no columns.
#[cold]
pub fn row_path(
    schema: &Schema,
    parents: &[Option<TypeId>],
    columns: &[impl RowsInside],
    site: TypeId,
    row: Option<usize>,
) -> String {
    let (mut at, mut row) = (site, row);
    let mut steps = Vec::new();
    while let Some(parent) = parents[at] {
        let row_at = row.zip(columns.get(parent));
        let (step, above) = step_up(&schema.types()[parent], at, row_at);
        steps.put(step);
        (at, row) = (parent, above);
    }
    steps.put(root(schema, at, row));
    steps.into_iter().rev().collect()
}

/// Paths in errors are cut to about this many bytes.
pub const LONGEST_PATH: usize = 400;

/// The path of a site, cut at the front if it is longer than about `longest` bytes.
pub fn site_path(
    schema: &Schema,
    parents: &[Option<TypeId>],
    site: TypeId,
    longest: usize,
) -> String {
    let (mut at, mut len) = (site, 0);
    let mut steps = Vec::new();
    while let Some(parent) = parents[at] {
        if len > longest {
            steps.put("…".to_owned());
            return steps.into_iter().rev().collect();
        }
        let step = step_up::<Column<'_>>(&schema.types()[parent], at, None).0;
        len += step.len();
        steps.put(step);
        at = parent;
    }
    steps.put(root(schema, at, None));
    steps.into_iter().rev().collect()
}

fn root(schema: &Schema, at: TypeId, row: Option<usize>) -> String {
    match schema.definitions().binary_search(&at) {
        Ok(number) => format!("#{number}[{}]", number_text(row)),
        Err(_) => "$".to_owned(),
    }
}

fn number_text(number: Option<usize>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// The step from a row of `parent` to its row of `site`, which is known with the column of `parent`, and the number of that row
/// of `parent`. Types are numbered in preorder, so those inside one are in order.
fn step_up<C: RowsInside>(
    parent: &Type,
    site: TypeId,
    row: Option<(usize, &C)>,
) -> (String, Option<usize>) {
    let same = row.map(|(row, _)| row);
    match parent {
        Type::Option(_) => (String::new(), row.and_then(|(row, column)| column.nth_present(row))),
        Type::List(_) => {
            let (above, index) = item(row);
            (format!("[{}]", number_text(index)), above)
        }
        Type::Map(key, _) => {
            let (above, index) = item(row);
            let key = if *key == site { ".key" } else { "" };
            (format!("[{}]{key}", number_text(index)), above)
        }
        Type::Array(len, _) => {
            let len = usize::try_from(*len).unwrap_or(usize::MAX);
            let place = same.and_then(|row| Some((row.checked_div(len)?, row.checked_rem(len)?)));
            (
                format!("[{}]", number_text(place.map(|(_, index)| index))),
                place.map(|(above, _)| above),
            )
        }
        Type::Logical(..) | Type::Extension(..) => (String::new(), same),
        Type::Tuple(items) => {
            let index = items.binary_search(&site).ok();
            (format!("[{}]", number_text(index)), same)
        }
        Type::Record(fields) | Type::Struct(_, fields) => {
            let Ok(field) = fields.fields.binary_search_by_key(&site, |(_, field)| *field) else {
                return (String::new(), None);
            };
            let above = row.and_then(|(row, column)| row_with(fields, column, field, row));
            (path::field(&fields.fields[field].0), above)
        }
        Type::Union(union) => {
            let variant = union.variants.binary_search(&site).ok();
            let step = match (&union.names, variant) {
                (Some(names), Some(variant)) => path::variant(&names[variant]),
                _ => String::new(),
            };
            let above = match (row, variant) {
                (Some((row, column)), Some(variant)) if union.variants.len() > 1 => {
                    nth(numbers(column).map(|which| which == variant as u64), row)
                }
                _ => same,
            };
            (step, above)
        }
        _ => (String::new(), None),
    }
}

/// The row of a record that contains this row of the field.
fn row_with(fields: &Fields, column: &impl RowsInside, field: usize, row: usize) -> Option<usize> {
    match &fields.form {
        Form::One => Some(row),
        Form::Several(shapes) => {
            nth(numbers(column).map(|shape| shapes[shape as usize].contains(&field)), row)
        }
        Form::Sparse => {
            let mut fields = numbers(column);
            let mut has = |&count: &u64| {
                (0..count).fold(false, |has, _| (fields.next() == Some(field as u64)) | has)
            };
            nth(column.counts().iter().map(&mut has), row)
        }
    }
}

/// The list or map that an item's row belongs to, and its index there.
fn item(row: Option<(usize, &impl RowsInside)>) -> (Option<usize>, Option<usize>) {
    let Some((row, column)) = row else { return (None, None) };
    let mut left = row as u64;
    for (above, len) in numbers(column).enumerate() {
        if left < len {
            return (Some(above), Some(left as usize));
        }
        left -= len;
    }
    (None, None)
}

fn numbers(column: &impl RowsInside) -> impl Iterator<Item = u64> {
    let (short, long) = column.numbers();
    short.iter().map(|&number| u64::from(number)).chain(long.iter().copied())
}

/// Which row is the n-th of those that contain one.
fn nth(rows: impl Iterator<Item = bool>, n: usize) -> Option<usize> {
    rows.enumerate().filter(|(_, contains)| *contains).nth(n).map(|(row, _)| row)
}
