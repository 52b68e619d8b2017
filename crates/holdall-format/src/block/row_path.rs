//! Where a row of a column is in the value, for errors: `$.users[3].name` (F-41).
//!
//! A column knows only its site and row. So the path is built upwards: at each enclosing type, it finds the row that
//! contains the current one. The columns of these types were read before.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::block::Column;
use crate::memory::GrowVec;
use crate::schema::{Fields, Form, Schema, Type, TypeId, path};

/// The path of a site, or of one of its rows. Without a row, an item is `[]`.
#[cold]
pub fn row_path(
    schema: &Schema,
    parents: &[Option<TypeId>],
    columns: &[Column<'_>],
    site: TypeId,
    row: Option<usize>,
) -> String {
    let (mut at, mut row) = (site, row);
    let mut steps = Vec::new();
    while let Some(parent) = parents[at] {
        let column = columns.get(parent).unwrap_or(&Column::None);
        let (step, above) = step_up(&schema.types()[parent], column, at, row);
        steps.put(step);
        (at, row) = (parent, above);
    }
    steps.put(root(schema, at, row));
    steps.into_iter().rev().collect()
}

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
        let step = step_up(&schema.types()[parent], &Column::None, at, None).0;
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

/// The step from a row of `parent` to its row of `site`, and the number of that row of `parent`. Types are numbered in
/// preorder, so those inside one are in order.
fn step_up(
    parent: &Type,
    column: &Column<'_>,
    site: TypeId,
    row: Option<usize>,
) -> (String, Option<usize>) {
    let nth = |rows: &mut dyn Iterator<Item = bool>| {
        let mut inside = rows.enumerate().filter(|(_, is_inside)| *is_inside);
        inside.nth(row?).map(|(above, _)| above)
    };
    match (parent, column) {
        (Type::Option(_), Column::Bits(bits)) => {
            (String::new(), nth(&mut (0..bits.len()).map(|above| bits.decode_row(above))))
        }
        (Type::List(_), column) => {
            let (above, index) = item(column, row);
            (format!("[{}]", number_text(index)), above)
        }
        (Type::Map(key, _), column) => {
            let (above, index) = item(column, row);
            let key = if *key == site { ".key" } else { "" };
            (format!("[{}]{key}", number_text(index)), above)
        }
        (Type::Array(len, _), _) => {
            let len = usize::try_from(*len).unwrap_or(usize::MAX);
            let place = row.and_then(|row| Some((row.checked_div(len)?, row.checked_rem(len)?)));
            (
                format!("[{}]", number_text(place.map(|(_, index)| index))),
                place.map(|(above, _)| above),
            )
        }
        (Type::Logical(..) | Type::Extension(..), _) => (String::new(), row),
        (Type::Tuple(items), _) => {
            let index = items.binary_search(&site).ok();
            (format!("[{}]", number_text(index)), row)
        }
        (Type::Record(fields) | Type::Struct(_, fields), column) => {
            let Ok(field) = fields.fields.binary_search_by_key(&site, |(_, field)| *field) else {
                return (String::new(), None);
            };
            (path::field(&fields.fields[field].0), row_with(fields, column, field, &nth, row))
        }
        (Type::Union(union), column) => {
            let variant = union.variants.binary_search(&site).ok();
            let step = match (&union.names, variant) {
                (Some(names), Some(variant)) => path::variant(&names[variant]),
                _ => String::new(),
            };
            let above = match (column, variant) {
                (Column::Numbers(which), Some(variant)) => {
                    nth(&mut which.iter().map(|&which| which == variant as u64))
                }
                _ => row,
            };
            (step, above)
        }
        _ => (String::new(), None),
    }
}

/// The row of a record that contains this row of the field.
fn row_with(
    fields: &Fields,
    column: &Column<'_>,
    field: usize,
    nth: &dyn Fn(&mut dyn Iterator<Item = bool>) -> Option<usize>,
    row: Option<usize>,
) -> Option<usize> {
    match (&fields.form, column) {
        (Form::Several(shapes), Column::Numbers(numbers)) => {
            nth(&mut numbers.iter().map(|&shape| shapes[shape as usize].contains(&field)))
        }
        (Form::Sparse, Column::Sparse(rows)) => {
            let mut rest = &rows.numbers[..];
            nth(&mut rows.counts.iter().map(|&count| {
                let (own, after) = rest.split_at(count as usize);
                rest = after;
                own.contains(&(field as u64))
            }))
        }
        _ => row,
    }
}

/// The list or map that an item's row belongs to, and its index there.
fn item(column: &Column<'_>, row: Option<usize>) -> (Option<usize>, Option<usize>) {
    let (Column::Numbers(lengths), Some(row)) = (column, row) else { return (None, None) };
    let mut left = row as u64;
    for (above, &len) in lengths.iter().enumerate() {
        if left < len {
            return (Some(above), Some(left as usize));
        }
        left -= len;
    }
    (None, None)
}
