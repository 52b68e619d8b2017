//! Complete nodes as arrays, which Arrow checks.

use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, NullArray, StringViewArray, StructArray,
    UnionArray, make_array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer, i256};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;
use holdall::Result;

use super::nodes::{Form, Node, NodeId, Nodes, unconvertible};
use crate::fault::of_arrow;

fn checked(builder: ArrayDataBuilder) -> Result<ArrayRef> {
    builder.align_buffers(true).build().map(make_array).map_err(|error| of_arrow(&error))
}

fn made<T: Array + 'static>(array: Result<T, arrow_schema::ArrowError>) -> Result<ArrayRef> {
    array.map(|array| Arc::new(array) as ArrayRef).map_err(|error| of_arrow(&error))
}

/// Numbers in as many bits as the type has.
fn narrow<T: TryFrom<i128>>(values: Vec<i256>) -> Option<Vec<T>> {
    values.into_iter().map(|value| T::try_from(value.to_i128()?).ok()).collect()
}

impl Nodes {
    /// Returns the array of a node, taking its rows.
    pub fn finish(&mut self, id: NodeId) -> Result<ArrayRef> {
        let node = &mut self.all[id];
        let (field, len) = (Arc::clone(&node.field), node.len);
        let nulls = node.valid.take().map(|mut valid| NullBuffer::new(valid.finish()));
        let form = std::mem::replace(&mut node.form, Form::Null);
        let data_type = field.data_type();
        if let DataType::Dictionary(..) = data_type {
            let words = self.words.iter().find(|(_, numbers)| *numbers == id);
            let (words, _) = *words.ok_or_else(|| unconvertible("a dictionary", "no words"))?;
            let words = self.finish(words)?;
            let Form::Ints { bytes, .. } = form else {
                return Err(unconvertible("numbers of words", "other values"));
            };
            return checked(
                builder(data_type, len, nulls)
                    .add_buffer(Buffer::from_vec(bytes))
                    .add_child_data(words.to_data()),
            );
        }
        match form {
            Form::Null => Ok(Arc::new(NullArray::new(len))),
            Form::Bool(mut bits) => {
                let bits: BooleanBuffer = bits.finish();
                Ok(Arc::new(BooleanArray::new(bits, nulls)))
            }
            Form::Ints { bytes, .. } | Form::Fixed { bytes, .. } | Form::Parts { bytes, .. } => {
                checked(builder(data_type, len, nulls).add_buffer(Buffer::from_vec(bytes)))
            }
            Form::Decimals { values, .. } => {
                let buffer = match data_type {
                    DataType::Decimal32(..) => narrow::<i32>(values).map(Buffer::from_vec),
                    DataType::Decimal64(..) => narrow::<i64>(values).map(Buffer::from_vec),
                    DataType::Decimal128(..) => narrow::<i128>(values).map(Buffer::from_vec),
                    _ => Some(Buffer::from_vec(values)),
                };
                let buffer =
                    buffer.ok_or_else(|| unconvertible(data_type.to_string(), "more digits"))?;
                checked(builder(data_type, len, nulls).add_buffer(buffer))
            }
            Form::Text { ends, bytes } => text(data_type, len, nulls, &ends, bytes),
            Form::List { ends, item } => {
                let items = self.finish(item)?;
                list(data_type, len, nulls, &ends, &items)
            }
            Form::Array { item, .. } => {
                let items = self.finish(item)?;
                checked(builder(data_type, len, nulls).add_child_data(items.to_data()))
            }
            Form::Struct { members, is_grouped, .. } => {
                let members = match is_grouped {
                    false => members,
                    true => members.into_iter().flat_map(|group| self.members(group)).collect(),
                };
                let columns: Result<Vec<ArrayRef>> =
                    members.into_iter().map(|member| self.finish(member)).collect();
                let DataType::Struct(fields) = data_type else {
                    return Err(unconvertible(data_type.to_string(), "records"));
                };
                made(StructArray::try_new_with_length(fields.clone(), columns?, nulls, len))
            }
            Form::Union { members, which, offsets, sparse, .. } => {
                let columns: Result<Vec<ArrayRef>> =
                    members.into_iter().map(|member| self.finish(member)).collect();
                let DataType::Union(fields, _) = data_type else {
                    return Err(unconvertible(data_type.to_string(), "variants"));
                };
                let offsets = (!sparse).then(|| ScalarBuffer::from(offsets));
                let which = ScalarBuffer::from(which);
                made(UnionArray::try_new(fields.clone(), which, offsets, columns?))
            }
        }
    }

    /// The members of one of the records of a wide struct.
    fn members(&self, group: NodeId) -> Vec<NodeId> {
        match &self.all[group] {
            Node { form: Form::Struct { members, .. }, .. } => members.clone(),
            _ => Vec::new(),
        }
    }
}

fn builder(data_type: &DataType, len: usize, nulls: Option<NullBuffer>) -> ArrayDataBuilder {
    ArrayData::builder(data_type.clone()).len(len).nulls(nulls)
}

/// Where each row begins, in as many bits as the type has.
fn offsets(data_type: &DataType, ends: &[i64], is_wide: bool) -> Result<Buffer> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    if is_wide {
        return Ok(Buffer::from_vec(starts.collect::<Vec<i64>>()));
    }
    let narrow: Result<Vec<i32>, _> = starts.map(i32::try_from).collect();
    let beyond = |_| unconvertible(data_type.to_string(), "more than it can hold");
    Ok(Buffer::from_vec(narrow.map_err(beyond)?))
}

fn text(
    data_type: &DataType,
    len: usize,
    nulls: Option<NullBuffer>,
    ends: &[i64],
    bytes: Vec<u8>,
) -> Result<ArrayRef> {
    let is_wide = matches!(data_type, DataType::LargeUtf8 | DataType::LargeBinary);
    if !matches!(data_type, DataType::Utf8View | DataType::BinaryView) {
        return checked(
            builder(data_type, len, nulls)
                .add_buffer(offsets(data_type, ends, is_wide)?)
                .add_buffer(Buffer::from_vec(bytes)),
        );
    }
    // A view has 32 bits for its place, so long text is several buffers.
    let (mut chunks, mut views, mut start) = (vec![0], Vec::with_capacity(ends.len()), 0);
    for end in ends.iter().map(|end| *end as usize) {
        let mut from = chunks[chunks.len() - 1];
        if end - from > i32::MAX as usize {
            from = start;
            chunks.push(from);
        }
        let at = u32::try_from(start - from).unwrap_or(u32::MAX);
        views.push(make_view(&bytes[start..end], chunks.len() as u32 - 1, at));
        start = end;
    }
    let whole = Buffer::from_vec(bytes);
    let ends = chunks.iter().skip(1).copied().chain([whole.len()]);
    let parts = chunks.iter().zip(ends);
    let buffers: Vec<Buffer> =
        parts.map(|(start, end)| whole.slice_with_length(*start, end - start)).collect();
    let views = ScalarBuffer::from(views);
    match data_type {
        DataType::Utf8View => made(StringViewArray::try_new(views, buffers, nulls)),
        _ => made(BinaryViewArray::try_new(views, buffers, nulls)),
    }
}

fn list(
    data_type: &DataType,
    len: usize,
    nulls: Option<NullBuffer>,
    ends: &[i64],
    items: &ArrayRef,
) -> Result<ArrayRef> {
    let is_wide = matches!(data_type, DataType::LargeList(_) | DataType::LargeListView(_));
    let starts = offsets(data_type, ends, is_wide)?;
    let mut builder = builder(data_type, len, nulls);
    builder = match data_type {
        DataType::ListView(_) | DataType::LargeListView(_) => {
            let before = std::iter::once(0).chain(ends.iter().copied());
            let sizes = before.zip(ends).map(|(start, end)| end - start);
            let sizes = match is_wide {
                true => Buffer::from_vec(sizes.collect::<Vec<i64>>()),
                false => Buffer::from_vec(sizes.map(|size| size as i32).collect::<Vec<i32>>()),
            };
            let width = if is_wide { 8 } else { 4 };
            builder.add_buffer(starts.slice_with_length(0, width * len)).add_buffer(sizes)
        }
        _ => builder.add_buffer(starts),
    };
    checked(builder.add_child_data(items.to_data()))
}
