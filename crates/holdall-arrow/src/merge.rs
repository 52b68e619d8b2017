//! The schemas of a stream's blocks as one, and the arrays of a block in it.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray, make_array, new_null_array};
use arrow_schema::{DataType, Field, Fields};
use holdall::Result;

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
        (one, other) => {
            return Err(unmappable(format!("{one} in one block, and {other} in another"), || path));
        }
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

/// Returns an array as one of a merged field.
pub fn adapt(array: &ArrayRef, field: &Field) -> Result<ArrayRef> {
    let target = field.data_type();
    if array.data_type() == target {
        return Ok(Arc::clone(array));
    }
    match (array.data_type(), target) {
        (DataType::Null, _) => Ok(new_null_array(target, array.len())),
        (DataType::Struct(own), DataType::Struct(fields)) => {
            let rows = array.as_struct();
            let columns = fields.iter().map(|field| match own.find(field.name()) {
                Some((at, _)) => adapt(rows.column(at), field),
                None => Ok(new_null_array(field.data_type(), rows.len())),
            });
            let columns: Result<Vec<_>> = columns.collect();
            let (nulls, len) = (rows.nulls().cloned(), rows.len());
            let made = StructArray::try_new_with_length(fields.clone(), columns?, nulls, len);
            made.map(|array| Arc::new(array) as ArrayRef).map_err(|error| of_arrow(&error))
        }
        (DataType::LargeList(_), DataType::LargeList(item)) => {
            let items = adapt(array.as_list::<i64>().values(), item)?;
            let data = array.to_data().into_builder().data_type(target.clone());
            let data = data.child_data(vec![items.to_data()]).build();
            data.map(make_array).map_err(|error| of_arrow(&error))
        }
        (own, _) => Err(unmappable(own.to_string(), || format!("$.{}", field.name()))),
    }
}
