//! The schemas of a stream's blocks as one, and the arrays of a block in it.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Decimal256Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, Decimal128Array, Decimal256Array, StructArray, make_array, new_null_array,
};
use arrow_buffer::i256;
use arrow_schema::{DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION, DataType, Field, Fields};
use holdall::{Error, Result};

use crate::fault::{of_arrow, unmappable};

/// Returns a field that holds the values of two: it has the members of both, and null where one has none.
pub fn merge(one: &Field, other: &Field, path: &str) -> Result<Field> {
    let path = format!("{path}.{}", one.name());
    let data_type = match (one.data_type(), other.data_type()) {
        (one, other) if one == other => one.clone(),
        (DataType::Null, other) => other.clone(),
        (one, DataType::Null) => one.clone(),
        (DataType::Struct(fields), DataType::Struct(others)) => {
            DataType::Struct(merge_all(fields, others, &path)?)
        }
        (DataType::LargeList(item), DataType::LargeList(other)) => {
            DataType::LargeList(Arc::new(merge(item, other, &path)?))
        }
        (one, other) => match decimal_of_both(one, other) {
            Some(decimal) => decimal,
            None => {
                let text = format!("{one} in one block, and {other} in another");
                return Err(unmappable(text, || path));
            }
        },
    };
    let nullable = one.is_nullable() || other.is_nullable() || data_type == DataType::Null;
    let mut metadata = one.metadata().clone();
    metadata.retain(|key, value| other.metadata().get(key) == Some(value));
    if *other.data_type() == DataType::Null {
        metadata.clone_from(one.metadata());
    } else if *one.data_type() == DataType::Null {
        metadata.clone_from(other.metadata());
    }
    Ok(Field::new(one.name(), data_type, nullable).with_metadata(metadata))
}

fn merge_all(fields: &Fields, others: &Fields, path: &str) -> Result<Fields> {
    let mut merged = Vec::with_capacity(fields.len());
    for field in fields {
        merged.push(match others.find(field.name()) {
            Some((_, other)) => merge(field, other, path)?,
            None => (**field).clone().with_nullable(true),
        });
    }
    let new = others.iter().filter(|other| fields.find(other.name()).is_none());
    merged.extend(new.map(|other| (**other).clone().with_nullable(true)));
    Ok(merged.into())
}

/// The digits of a type of exact numbers, and those of them after the point.
fn digits(data_type: &DataType) -> Option<(i16, i16)> {
    match data_type {
        DataType::Int64 => Some((19, 0)),
        DataType::Decimal128(digits, scale) | DataType::Decimal256(digits, scale) => {
            Some((i16::from(*digits), i16::from(*scale)))
        }
        _ => None,
    }
}

/// The decimal type that has the digits of two types, before and after the point.
fn decimal_of_both(one: &DataType, other: &DataType) -> Option<DataType> {
    let ((digits, scale), (others, other_scale)) = (digits(one)?, digits(other)?);
    let both = scale.max(other_scale);
    let digits = u8::try_from((digits - scale).max(others - other_scale) + both).ok()?;
    let scale = i8::try_from(both).ok()?;
    if digits <= DECIMAL128_MAX_PRECISION {
        return Some(DataType::Decimal128(digits, scale));
    }
    (digits <= DECIMAL256_MAX_PRECISION).then_some(DataType::Decimal256(digits, scale))
}

/// Returns exact numbers as decimals with at least as many places.
fn adapt_decimals(array: &ArrayRef, digits: u8, scale: i8, is_wide: bool) -> Option<ArrayRef> {
    let own = self::digits(array.data_type())?.1;
    let factor = i256::from(10).checked_pow(u32::try_from(i16::from(scale) - own).ok()?)?;
    let wides: Vec<i256> = match array.data_type() {
        DataType::Int64 => {
            array.as_primitive::<Int64Type>().values().iter().copied().map(i256::from).collect()
        }
        DataType::Decimal128(..) => array
            .as_primitive::<Decimal128Type>()
            .values()
            .iter()
            .copied()
            .map(i256::from_i128)
            .collect(),
        _ => array.as_primitive::<Decimal256Type>().values().to_vec(),
    };
    // What a null has in its place is no number.
    let scaled = wides.iter().map(|wide| wide.wrapping_mul(factor));
    let nulls = array.nulls().cloned();
    if is_wide {
        let made = Decimal256Array::new(scaled.collect(), nulls);
        return Some(Arc::new(made.with_precision_and_scale(digits, scale).ok()?));
    }
    let made = Decimal128Array::new(scaled.map(i256::as_i128).collect(), nulls);
    Some(Arc::new(made.with_precision_and_scale(digits, scale).ok()?))
}

/// The bytes that a null takes in an array.
fn null_width(data_type: &DataType) -> u128 {
    match data_type {
        DataType::Null => 0,
        DataType::Boolean => 1,
        DataType::FixedSizeBinary(width) => u128::from(width.unsigned_abs()),
        DataType::FixedSizeList(item, len) => {
            u128::from(len.unsigned_abs()).saturating_mul(null_width(item.data_type()))
        }
        DataType::Struct(fields) => fields
            .iter()
            .fold(0, |sum: u128, field| sum.saturating_add(null_width(field.data_type()))),
        other => other.primitive_width().unwrap_or(16) as u128,
    }
}

/// Returns an array of nulls, which no column of the block holds: its bytes are charged.
pub fn nulls(
    data_type: &DataType,
    len: usize,
    charge: &impl Fn(u128) -> Result<()>,
) -> Result<ArrayRef> {
    charge(null_width(data_type).saturating_mul(len as u128))?;
    Ok(new_null_array(data_type, len))
}

/// Returns an array as one of a merged field.
pub fn adapt(
    array: &ArrayRef,
    field: &Field,
    charge: &impl Fn(u128) -> Result<()>,
) -> Result<ArrayRef> {
    let target = field.data_type();
    if array.data_type() == target {
        return Ok(Arc::clone(array));
    }
    match (array.data_type(), target) {
        (DataType::Null, _) => nulls(target, array.len(), charge),
        (DataType::Struct(own), DataType::Struct(fields)) => {
            let rows = array.as_struct();
            let columns = fields.iter().map(|field| match own.find(field.name()) {
                Some((at, _)) => adapt(rows.column(at), field, charge),
                None => nulls(field.data_type(), rows.len(), charge),
            });
            let columns: Result<Vec<_>> = columns.collect();
            let (nulls, len) = (rows.nulls().cloned(), rows.len());
            let made = StructArray::try_new_with_length(fields.clone(), columns?, nulls, len);
            made.map(|array| Arc::new(array) as ArrayRef).map_err(|error| of_arrow(&error))
        }
        (DataType::LargeList(_), DataType::LargeList(item)) => {
            let items = adapt(array.as_list::<i64>().values(), item, charge)?;
            let data = array.to_data().into_builder().data_type(target.clone());
            let data = data.child_data(vec![items.to_data()]).build();
            data.map(make_array).map_err(|error| of_arrow(&error))
        }
        (own, DataType::Decimal128(digits, scale)) => {
            adapt_decimals(array, *digits, *scale, false).ok_or_else(|| refused(own, field))
        }
        (own, DataType::Decimal256(digits, scale)) => {
            adapt_decimals(array, *digits, *scale, true).ok_or_else(|| refused(own, field))
        }
        (own, _) => Err(refused(own, field)),
    }
}

#[cold]
fn refused(own: &DataType, field: &Field) -> Error {
    unmappable(own.to_string(), || format!("$.{}", field.name()))
}
