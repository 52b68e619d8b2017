//! Columns without views of text and bytes, which many programs do not read from files.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, LargeBinaryArray, LargeStringArray,
    MapArray, OffsetSizeTrait, RecordBatch, RecordBatchOptions, StructArray,
};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef};
use holdall::Result;

use super::of_arrow;

pub(super) fn plain_schema(schema: &Schema) -> SchemaRef {
    let fields: Vec<FieldRef> = schema.fields().iter().map(plain_field).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

fn plain_field(field: &FieldRef) -> FieldRef {
    let plain = plain_type(field.data_type());
    Arc::new(Field::clone(field).with_data_type(plain))
}

// The recursion is as deep as the types, which schemas limit.
fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Utf8View => DataType::LargeUtf8,
        DataType::BinaryView => DataType::LargeBinary,
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(plain_field).collect()),
        DataType::List(item) => DataType::List(plain_field(item)),
        DataType::LargeList(item) => DataType::LargeList(plain_field(item)),
        DataType::FixedSizeList(item, len) => DataType::FixedSizeList(plain_field(item), *len),
        DataType::Map(entries, sorted) => DataType::Map(plain_field(entries), *sorted),
        other => other.clone(),
    }
}

/// The columns in the types of a plain schema.
pub(super) fn plain_batch(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| plain_array(column, field.data_type()));
    let columns: std::result::Result<Vec<_>, _> = columns.collect();
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    columns
        .and_then(|columns| {
            RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
        })
        .map_err(of_arrow)
}

type Arrayed = std::result::Result<ArrayRef, ArrowError>;

// As deep as the types.
fn plain_array(array: &ArrayRef, plain: &DataType) -> Arrayed {
    if array.data_type() == plain {
        return Ok(Arc::clone(array));
    }
    let nulls = array.nulls().cloned();
    Ok(match (array.data_type(), plain) {
        (DataType::Utf8View, _) => {
            Arc::new(array.as_string_view().iter().collect::<LargeStringArray>())
        }
        (DataType::BinaryView, _) => {
            Arc::new(array.as_binary_view().iter().collect::<LargeBinaryArray>())
        }
        (_, DataType::Struct(fields)) => {
            let columns = array.as_struct().columns().iter().zip(fields);
            let columns = columns.map(|(column, field)| plain_array(column, field.data_type()));
            let columns = columns.collect::<std::result::Result<Vec<_>, _>>()?;
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, array.len())?)
        }
        (_, DataType::List(item)) => plain_list::<i32>(array, item)?,
        (_, DataType::LargeList(item)) => plain_list::<i64>(array, item)?,
        (_, DataType::FixedSizeList(item, len)) => {
            let values = plain_array(array.as_fixed_size_list().values(), item.data_type())?;
            Arc::new(FixedSizeListArray::try_new(Arc::clone(item), *len, values, nulls)?)
        }
        (_, DataType::Map(entries, sorted)) => {
            let map = array.as_map();
            let own: ArrayRef = Arc::new(map.entries().clone());
            let inside = plain_array(&own, entries.data_type())?.as_struct().clone();
            let (entries, offsets) = (Arc::clone(entries), map.offsets().clone());
            Arc::new(MapArray::try_new(entries, offsets, inside, nulls, *sorted)?)
        }
        (from, to) => {
            return Err(ArrowError::CastError(format!("{from} is no form of {to}")));
        }
    })
}

fn plain_list<O: OffsetSizeTrait>(array: &ArrayRef, item: &FieldRef) -> Arrayed {
    let list = array.as_list::<O>();
    let values = plain_array(list.values(), item.data_type())?;
    let (offsets, nulls) = (list.offsets().clone(), list.nulls().cloned());
    Ok(Arc::new(GenericListArray::try_new(Arc::clone(item), offsets, values, nulls)?))
}
