//! The columns of a place as one Arrow array.

mod nested;
mod numbers;
mod text;

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, NullArray, make_array};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use holdall::bindings::block::Column;
use holdall::bindings::schema::{Scalar, TypeId};
use holdall::bindings::{Bits, Type};
use holdall::view::ViewBlock;
use holdall::{LogicalType, Result};

use crate::fault::{beyond, of_arrow};
use crate::mask::Mask;
use crate::memory::Memory;
use crate::types::Types;

pub use numbers::{Decimals, decimals, wide_of};

/// Makes arrays of a block.
pub struct Builder<'b> {
    pub types: &'b Types<'b>,
    pub block: &'b ViewBlock<'b>,
    pub memory: Option<&'b dyn Memory>,
}

fn bits_of(bits: &Bits<'_>) -> BooleanBuffer {
    BooleanBuffer::new(Buffer::from_vec(bits.to_bytes()), 0, bits.len())
}

/// An array of one buffer.
fn of_buffer(data_type: &DataType, buffer: Buffer, mask: &Mask) -> Result<ArrayRef> {
    let data = ArrayData::builder(data_type.clone())
        .len(mask.len)
        .nulls(mask.nulls())
        .add_buffer(buffer)
        // A buffer of bytes may begin anywhere.
        .align_buffers(true)
        .build();
    data.map(make_array).map_err(|error| of_arrow(&error))
}

impl Builder<'_> {
    /// Makes the array of a place, whose type `field` has, for the rows of a mask. The recursion ends where that of
    /// `Types::find` ends.
    pub fn build(&self, id: TypeId, field: &Field, mask: &Mask) -> Result<ArrayRef> {
        let data_type = field.data_type();
        match self.types.ty(id) {
            Type::Never | Type::Null => {
                self.block.rows(id)?;
                Ok(Arc::new(NullArray::new(mask.len)))
            }
            Type::Scalar(scalar) => self.scalar(id, *scalar, data_type, mask),
            Type::Option(inner) => self.build(*inner, field, &self.presence(id, mask)?),
            Type::List(item) => self.list(id, *item, data_type, mask),
            Type::Array(len, item) => self.array(id, *len, *item, data_type, mask),
            Type::Tuple(members) => {
                let members: Vec<_> = members.iter().map(|id| (*id, mask.clone())).collect();
                self.fields(&members, data_type, mask)
            }
            Type::Record(fields) | Type::Struct(_, fields) => {
                let all: Vec<usize> = (0..fields.fields.len()).collect();
                let members = self.members(id, fields, &all, mask)?;
                self.fields(&members, data_type, mask)
            }
            Type::Map(key, value) => self.map(id, *key, *value, data_type, mask),
            Type::Union(union) => self.union(id, union, data_type, mask),
            Type::Tensor(_) => self.tensors(id, data_type, mask),
            Type::Packed(_) => self.raw(id, data_type, mask),
            Type::Def(number) => match self.types.inlined[*number] {
                Some(body) => {
                    self.block.check_definition(*number, id)?;
                    self.build(body, field, mask)
                }
                None => Err(self.types.unmappable(id, "a type of several places")),
            },
            Type::Logical(ty, storage) => self.logical(ty, *storage, field, mask),
            Type::Extension(_, inner) => self.build(*inner, field, mask),
            Type::Shared(_) | Type::Unknown(..) => {
                Err(self.types.unmappable(id, "a place without a type"))
            }
        }
    }

    /// Charges the rows that have no value, for which Arrow has `width` bytes each and holdall none.
    fn charge_absent(&self, id: TypeId, mask: &Mask, width: usize) -> Result<()> {
        let absent = mask.len - mask.present();
        self.block.charge_absent(id, absent as u128 * width as u128)
    }

    pub fn presence(&self, id: TypeId, mask: &Mask) -> Result<Mask> {
        self.charge_absent(id, mask, 1)?;
        self.block.read(id, |column| {
            Ok(match column {
                Column::Bits(bits) if bits.constant() == Some(true) => mask.clone(),
                Column::Bits(bits) => mask.within(&bits_of(&bits)),
                _ => mask.clone(),
            })
        })
    }

    fn scalar(
        &self,
        id: TypeId,
        scalar: Scalar,
        data_type: &DataType,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        match scalar {
            Scalar::Bool => {
                self.charge_absent(id, mask, 1)?;
                self.block.read(id, |column| {
                    let bits = match column {
                        Column::Bits(bits) => bits_of(&bits),
                        Column::None => BooleanBuffer::new_unset(0),
                        _ => return Err(self.later(id)),
                    };
                    let bits = mask.spread_bits(&bits);
                    Ok(Arc::new(BooleanArray::new(bits, mask.nulls())) as ArrayRef)
                })
            }
            Scalar::Int(kind) if kind.is_wide() && *data_type != DataType::Int64 => {
                self.wide(id, kind, data_type, mask)
            }
            Scalar::Int(_) | Scalar::F16 | Scalar::F32 | Scalar::F64 => {
                self.numbers(id, data_type, mask)
            }
            Scalar::Bf16 => self.bf16(id, data_type, mask),
            Scalar::String | Scalar::Bytes => self.text(id, data_type, mask),
            Scalar::Fixed(_) => self.raw(id, data_type, mask),
        }
    }

    fn logical(
        &self,
        ty: &LogicalType,
        storage: TypeId,
        field: &Field,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        let data_type = field.data_type();
        match (ty.kind(), self.types.ty(storage)) {
            (LogicalType::DATE | LogicalType::TIME, _)
                if matches!(data_type, DataType::Date32 | DataType::Time32(_)) =>
            {
                self.narrow(storage, data_type, mask)
            }
            (LogicalType::TIME | LogicalType::DURATION, _) => {
                self.numbers(storage, data_type, mask)
            }
            (LogicalType::TIMESTAMP, Type::Tuple(members)) => match data_type {
                DataType::Struct(_) => {
                    let members = [(members[0], mask.clone()), (members[1], mask.clone())];
                    self.fields(&members, data_type, mask)
                }
                _ => self.numbers(members[0], data_type, mask),
            },
            (LogicalType::TIMESTAMP, _) => self.numbers(storage, data_type, mask),
            (LogicalType::DECIMAL, _) => self.decimal(storage, data_type, mask),
            (LogicalType::CHAR, _) => self.chars(storage, mask),
            _ => self.build(storage, field, mask),
        }
    }

    #[cold]
    fn later(&self, id: TypeId) -> holdall::Error {
        self.types.unmappable(id, "a column in an encoding of a later version")
    }

    #[cold]
    fn beyond(&self, id: TypeId, data_type: &DataType) -> holdall::Error {
        beyond(data_type.to_string(), || self.block.path(id))
    }
}
