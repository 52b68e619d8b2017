//! Rows that contain other rows, and rows of a fixed width.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, FixedSizeListArray, LargeListArray, MapArray, NullArray,
    PrimitiveArray, StringArray, StructArray, UnionArray, new_empty_array,
};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, FieldRef};
use holdall::bindings::block::Column;
use holdall::bindings::schema::{Fields as SchemaFields, Form, TypeId, Union};
use holdall::{Error, Result};

use super::{Builder, of_buffer};
use crate::fault::of_arrow;
use crate::mask::Mask;

fn made<T: arrow_array::Array + 'static>(
    array: Result<T, arrow_schema::ArrowError>,
) -> Result<ArrayRef> {
    array.map(|array| Arc::new(array) as ArrayRef).map_err(|error| of_arrow(&error))
}

/// Which of the rows of a record or struct have each of some fields, by the fields' numbers.
fn rows_with_fields(
    column: &Column<'_>,
    fields: &SchemaFields,
    wanted: &[usize],
    rows: usize,
) -> Vec<BooleanBuffer> {
    match (column, &fields.form) {
        (Column::Numbers(numbers), Form::Several(shapes)) => {
            let mut shapes_of = vec![Vec::new(); fields.fields.len()];
            for (shape, of) in shapes.iter().enumerate() {
                of.iter().for_each(|field| shapes_of[*field].push(shape));
            }
            let mut has = vec![false; shapes.len()];
            let with_field = |number: &usize| {
                shapes_of[*number].iter().for_each(|shape| has[*shape] = true);
                let bits =
                    BooleanBuffer::collect_bool(numbers.len(), |row| has[numbers[row] as usize]);
                shapes_of[*number].iter().for_each(|shape| has[*shape] = false);
                bits
            };
            wanted.iter().map(with_field).collect()
        }
        (Column::Sparse(of), _) => {
            let mut places = vec![None; fields.fields.len()];
            wanted.iter().enumerate().for_each(|(at, number)| places[*number] = Some(at));
            let none = |_| {
                let mut bits = BooleanBufferBuilder::new(of.counts.len());
                bits.append_n(of.counts.len(), false);
                bits
            };
            let mut bits: Vec<_> = wanted.iter().map(none).collect();
            let mut numbers = of.numbers.iter();
            for (row, count) in of.counts.iter().enumerate() {
                for number in numbers.by_ref().take(*count as usize) {
                    if let Some(at) = places[*number as usize] {
                        bits[at].set_bit(row, true);
                    }
                }
            }
            bits.iter_mut().map(BooleanBufferBuilder::finish).collect()
        }
        // There are no rows.
        _ => vec![BooleanBuffer::new_unset(rows); wanted.len()],
    }
}

impl Builder<'_> {
    fn lengths(&self, id: TypeId) -> Result<Vec<u64>> {
        self.block.read(id, |column| match column {
            Column::Numbers(lengths) => Ok(lengths),
            _ => Ok(Vec::new()),
        })
    }

    #[cold]
    fn other(&self, id: TypeId, data_type: &DataType) -> Error {
        self.types.unmappable(id, format!("another type than {data_type}"))
    }

    pub(super) fn list(
        &self,
        id: TypeId,
        item: TypeId,
        data_type: &DataType,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        let DataType::LargeList(field) = data_type else { return Err(self.other(id, data_type)) };
        self.charge_absent(id, mask, 8)?;
        // So the sum of the lengths is a number of rows in memory.
        let len = self.len(item)?;
        let offsets = OffsetBuffer::new(ScalarBuffer::from(mask.offsets(&self.lengths(id)?)));
        let items = self.build(item, field, &Mask::full(len))?;
        made(LargeListArray::try_new(Arc::clone(field), offsets, items, mask.nulls()))
    }

    /// The number of rows of a place, which are charged.
    pub fn len(&self, id: TypeId) -> Result<usize> {
        let rows = self.block.rows(id)?;
        usize::try_from(rows).map_err(|_| Error::new(holdall::Code::LimitBudget))
    }

    pub(super) fn array(
        &self,
        id: TypeId,
        len: u64,
        item: TypeId,
        data_type: &DataType,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        let DataType::FixedSizeList(field, size) = data_type else {
            return Err(self.other(id, data_type));
        };
        // Rows without a value have items in Arrow. Those of the others are charged, so that all of them can be counted.
        self.len(item)?;
        self.charge_absent(id, mask, len as usize)?;
        let items = self.build(item, field, &mask.repeat(len as usize))?;
        let field = Arc::clone(field);
        made(FixedSizeListArray::try_new_with_length(field, *size, items, mask.nulls(), mask.len))
    }

    /// The places of some fields of records, and which rows have them.
    pub fn members(
        &self,
        id: TypeId,
        fields: &SchemaFields,
        wanted: &[usize],
        mask: &Mask,
    ) -> Result<Vec<(TypeId, Mask)>> {
        let place = |number: &usize| fields.fields[*number].1;
        if matches!(fields.form, Form::One) {
            return Ok(wanted.iter().map(|number| (place(number), mask.clone())).collect());
        }
        self.block.charge_absent(id, mask.len as u128 * wanted.len() as u128)?;
        self.block.read(id, |column| {
            let bits = rows_with_fields(&column, fields, wanted, mask.present());
            let members = wanted.iter().zip(&bits);
            Ok(members.map(|(number, bits)| (place(number), mask.within(bits))).collect())
        })
    }

    pub(super) fn fields(
        &self,
        members: &[(TypeId, Mask)],
        data_type: &DataType,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        let DataType::Struct(fields) = data_type else {
            return Err(Error::new(holdall::Code::Unsupported).got(data_type.to_string()));
        };
        let arrays: Result<Vec<ArrayRef>> = members
            .iter()
            .zip(fields)
            .map(|((id, mask), field)| self.build(*id, field, mask))
            .collect();
        made(StructArray::try_new_with_length(fields.clone(), arrays?, mask.nulls(), mask.len))
    }

    pub(super) fn map(
        &self,
        id: TypeId,
        key: TypeId,
        value: TypeId,
        data_type: &DataType,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        let DataType::Map(entries, _) = data_type else { return Err(self.other(id, data_type)) };
        self.charge_absent(id, mask, 4)?;
        let inner = Mask::full(self.len(key)?);
        let offsets: Result<Vec<i32>, _> =
            mask.offsets(&self.lengths(id)?).into_iter().map(i32::try_from).collect();
        let offsets = offsets.map_err(|_| self.beyond(id, data_type))?;
        let members = [(key, inner.clone()), (value, inner.clone())];
        let rows = self.fields(&members, entries.data_type(), &inner)?;
        let rows = StructArray::from(arrow_array::Array::to_data(&rows));
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        made(MapArray::try_new(Arc::clone(entries), offsets, rows, mask.nulls(), false))
    }

    pub(super) fn union(
        &self,
        id: TypeId,
        union: &Union,
        data_type: &DataType,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        // A number and an offset for each row.
        self.charge_absent(id, mask, 5)?;
        let mut which = self.lengths(id)?;
        // A single variant has no column; its rows were charged.
        which.resize(self.len(id)?, 0);
        let names = union.names.as_deref().unwrap_or_default();
        if self.types.is_enumeration(union) {
            let keys: Vec<i32> = which.iter().map(|which| *which as i32).collect();
            let keys = ScalarBuffer::from(mask.spread(Buffer::from_vec(keys), 4));
            let words = StringArray::from_iter_values(names.iter());
            let keys = PrimitiveArray::<Int32Type>::new(keys, mask.nulls());
            return made(DictionaryArray::try_new(keys, Arc::new(words)));
        }
        let DataType::Union(fields, _) = data_type else { return Err(self.other(id, data_type)) };
        // The last member has a row for each that is absent.
        let absent = union.variants.len();
        let (mut numbers, mut offsets) =
            (Vec::with_capacity(mask.len), Vec::with_capacity(mask.len));
        let (mut counts, mut rows) = (vec![0_i32; absent + 1], which.into_iter());
        for row in 0..mask.len {
            let present = mask.is_present(row).then(|| rows.next()).flatten();
            let number = present.map_or(absent, |which| which as usize);
            numbers.push(number as i8);
            offsets.push(counts[number]);
            counts[number] =
                counts[number].checked_add(1).ok_or_else(|| self.beyond(id, data_type))?;
        }
        let mut children: Vec<ArrayRef> = Vec::with_capacity(absent + 1);
        for ((_, field), variant) in fields.iter().zip(&union.variants) {
            children.push(self.build(*variant, field, &Mask::full(self.len(*variant)?))?);
        }
        children.push(Arc::new(NullArray::new(counts[absent] as usize)));
        let (numbers, offsets) = (ScalarBuffer::from(numbers), ScalarBuffer::from(offsets));
        made(UnionArray::try_new(fields.clone(), numbers, Some(offsets), children))
    }

    /// Rows of a fixed width.
    pub(super) fn raw(&self, id: TypeId, data_type: &DataType, mask: &Mask) -> Result<ArrayRef> {
        let width = match data_type {
            DataType::FixedSizeBinary(width) => *width as usize,
            other => other.primitive_width().unwrap_or(1),
        };
        self.charge_absent(id, mask, width)?;
        let dense = self.block.read(id, |column| match column {
            Column::Raw(bytes) => Ok(Buffer::from(bytes)),
            Column::None => Ok(Buffer::from_vec(Vec::<u8>::new())),
            _ => Err(self.later(id)),
        })?;
        of_buffer(data_type, mask.spread(dense, width), mask)
    }

    /// Tensors of one shape.
    pub(super) fn tensors(
        &self,
        id: TypeId,
        data_type: &DataType,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        let DataType::FixedSizeList(field, size) = data_type else {
            return Err(self.other(id, data_type));
        };
        let width = *size as usize * field.data_type().primitive_width().unwrap_or(1);
        self.charge_absent(id, mask, width)?;
        let dense = self.block.read(id, |column| match column {
            Column::Tensors(tensors) => Ok(Buffer::from_vec(tensors.elements.concat())),
            Column::None => Ok(Buffer::from_vec(Vec::<u8>::new())),
            _ => Err(self.later(id)),
        })?;
        self.elements(field, *size, mask.spread(dense, width), mask)
    }

    fn elements(
        &self,
        field: &FieldRef,
        size: i32,
        bytes: Buffer,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        let all = Mask::full(mask.len * size as usize);
        let items = match all.len {
            0 => new_empty_array(field.data_type()),
            _ => of_buffer(field.data_type(), bytes, &all)?,
        };
        let field = Arc::clone(field);
        made(FixedSizeListArray::try_new_with_length(field, size, items, mask.nulls(), mask.len))
    }
}
