//! Bounds of the columns of a block, for its statistics (F-100).

use alloc::sync::Arc;
use alloc::vec::Vec;

use holdall_format::stream::BlockHead;

use super::column::{Column, Values};
use super::gather;
use super::stream::OpenBlock;
use crate::error::Result;
use crate::input::Reading;
use crate::limits::Limits;
use crate::memory::GrowVec;
use crate::schema::{LogicalType, Scalar, Schema, Type, TypeId};
use crate::value::{Logical, Value};

/// Longer text and bytes have no upper bound; of a lower one, these are the first bytes.
const MAX_BOUND: usize = 64;

/// The nulls of a column of a block, and its bounds: null where there is none.
pub(crate) struct ColumnBounds {
    /// The names of the fields that lead to the column.
    pub(crate) path: Vec<Arc<str>>,
    pub(crate) nulls: u64,
    pub(crate) lower: Value,
    pub(crate) upper: Value,
}

/// Returns the bounds of the columns in the payload of a block.
pub(crate) fn of_block(schema: &Schema, payload: &[u8]) -> Result<Vec<ColumnBounds>> {
    let head = BlockHead::of_payload(payload, schema)?;
    let (roots, limits) = (head.roots, Limits::new());
    let (block, reading) = (OpenBlock::new(head), Reading::Slice(payload));
    let mut found = Vec::new();
    let mut left = vec![(0, Vec::new())];
    while let Some((id, path)) = left.pop() {
        let (inner, logical) = leaf(schema.types(), id);
        match &schema.types()[inner] {
            Type::Scalar(Scalar::Fixed(_)) => {}
            Type::Scalar(_) => {
                let column = gather::column(block.source(reading, limits), &block.places, id)?;
                let Column { values, .. } = column;
                let nulls = roots.saturating_sub(values.len() as u64);
                let (lower, upper) = of_values(&values).unwrap_or_default();
                let meant = |bound: Value| match (logical, bound) {
                    (Some(ty), bound) if bound != Value::Null => {
                        Value::Logical(Logical::new(Arc::clone(ty), bound))
                    }
                    (_, bound) => bound,
                };
                found.put(ColumnBounds { path, nulls, lower: meant(lower), upper: meant(upper) });
            }
            Type::Record(fields) | Type::Struct(_, fields) if logical.is_none() => {
                for (name, field) in fields.fields.iter().rev() {
                    let mut path = path.clone();
                    path.put(Arc::clone(name));
                    left.put((*field, path));
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Returns the type inside options, and inside a logical type whose values have the order of its storage.
fn leaf(types: &[Type], mut id: TypeId) -> (TypeId, Option<&Arc<LogicalType>>) {
    let mut logical = None;
    loop {
        match &types[id] {
            Type::Option(inner) => id = *inner,
            Type::Logical(ty, inner)
                if logical.is_none()
                    && matches!(
                        ty.kind(),
                        LogicalType::DATE
                            | LogicalType::TIME
                            | LogicalType::TIMESTAMP
                            | LogicalType::DURATION
                    ) =>
            {
                (id, logical) = (*inner, Some(ty));
            }
            _ => return (id, logical),
        }
    }
}

/// Returns values that no row is below or above.
fn of_values(values: &Values<'_>) -> Option<(Value, Value)> {
    match values {
        Values::Bools(rows) => of_rows(rows, |row| Value::Bool(*row)),
        Values::U8(rows) => of_rows(rows, |row| Value::U8(*row)),
        Values::U16(rows) => of_rows(rows, |row| Value::U16(*row)),
        Values::U32(rows) => of_rows(rows, |row| Value::U32(*row)),
        Values::U64(rows) => of_rows(rows, |row| Value::U64(*row)),
        Values::I8(rows) => of_rows(rows, |row| Value::I8(*row)),
        Values::I16(rows) => of_rows(rows, |row| Value::I16(*row)),
        Values::I32(rows) => of_rows(rows, |row| Value::I32(*row)),
        Values::I64(rows) => of_rows(rows, |row| Value::I64(*row)),
        Values::Int(rows) => of_rows(rows, |row| Value::Int(*row)),
        Values::F16(rows) => of_floats(rows, |row| row.is_nan(), Value::F16),
        Values::Bf16(rows) => of_floats(rows, |row| row.is_nan(), Value::Bf16),
        Values::F32(rows) => of_floats(rows, |row| row.is_nan(), Value::F32),
        Values::F64(rows) => of_floats(rows, |row| row.is_nan(), Value::F64),
        Values::Strings(rows) => {
            let (least, most) = ends(rows.iter())?;
            let cut = (0..=MAX_BOUND.min(least.len())).rfind(|at| least.is_char_boundary(*at))?;
            let upper = if most.len() > MAX_BOUND { Value::Null } else { Value::from(most) };
            Some((Value::from(&least[..cut]), upper))
        }
        Values::Bytes(rows) => {
            let (least, most) = ends(rows.iter())?;
            let upper =
                if most.len() > MAX_BOUND { Value::Null } else { Value::Bytes(most.to_vec()) };
            Some((Value::Bytes(least[..least.len().min(MAX_BOUND)].to_vec()), upper))
        }
        _ => None,
    }
}

fn of_rows<T: Ord + Copy>(rows: &[T], value: impl Fn(&T) -> Value) -> Option<(Value, Value)> {
    Some((value(rows.iter().min()?), value(rows.iter().max()?)))
}

/// A NaN has no place in the order, so there are no bounds with one.
fn of_floats<T: PartialOrd + Copy>(
    rows: &[T],
    is_nan: impl Fn(&T) -> bool,
    value: impl Fn(T) -> Value,
) -> Option<(Value, Value)> {
    let (mut least, mut most) = (*rows.first()?, *rows.first()?);
    for row in rows {
        if is_nan(row) {
            return None;
        }
        if *row < least {
            least = *row;
        }
        if *row > most {
            most = *row;
        }
    }
    Some((value(least), value(most)))
}

/// Returns the least and the greatest row.
fn ends<T: Ord + Copy>(mut rows: impl Iterator<Item = T>) -> Option<(T, T)> {
    let first = rows.next()?;
    Some(rows.fold((first, first), |(least, most), row| (least.min(row), most.max(row))))
}
