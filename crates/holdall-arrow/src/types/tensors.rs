//! Tensors of one shape, and values of a fixed width.

use arrow_schema::{DataType, Field};
use holdall::bindings::block::Column;
use holdall::bindings::schema::TypeId;
use holdall::{DType, IntKind, Result};

use super::{ARROW_EXTENSION, ARROW_EXTENSION_PARAMETERS, Found, Types};

/// The type of elements that are numbers; none for others.
pub(super) fn element_type(dtype: &DType) -> Option<DataType> {
    Some(match dtype {
        DType::Int(IntKind::U8) => DataType::UInt8,
        DType::Int(IntKind::U16) => DataType::UInt16,
        DType::Int(IntKind::U32) => DataType::UInt32,
        DType::Int(IntKind::U64) => DataType::UInt64,
        DType::Int(IntKind::I8) => DataType::Int8,
        DType::Int(IntKind::I16) => DataType::Int16,
        DType::Int(IntKind::I32) => DataType::Int32,
        DType::Int(IntKind::I64) => DataType::Int64,
        DType::F16 => DataType::Float16,
        DType::F32 => DataType::Float32,
        DType::F64 => DataType::Float64,
        _ => return None,
    })
}

/// The shape of all tensors of a place, if they have the same and are row-major.
fn shape_of(tensors: &holdall::bindings::tensors::Tensors<'_>) -> Option<Vec<u64>> {
    let rank = *tensors.ranks.first()?;
    let width = usize::try_from(rank).ok()?;
    let shape = tensors.dimensions.get(..width)?.to_vec();
    let is_same = tensors.ranks.iter().all(|own| *own == rank)
        && (width == 0 || tensors.dimensions.chunks(width).all(|own| own == shape));
    let is_row_major =
        width < 2 || tensors.orders.decode_rows(0..tensors.ranks.len()).all(|bit| !bit);
    (is_same && is_row_major).then_some(shape)
}

impl Types<'_> {
    pub(super) fn tensor(&self, id: TypeId, inner: TypeId) -> Result<Found> {
        let dtype = DType::of(self.schema.types(), inner);
        let Some(element) = element_type(&dtype) else {
            return Err(self.unmappable(id, "a tensor of such elements"));
        };
        let shape = self.read(id, Some(vec![0]), |column| {
            Ok(match column {
                Column::Tensors(tensors) => shape_of(&tensors),
                _ => Some(vec![0]),
            })
        })?;
        let Some(shape) = shape else {
            return Err(self.unmappable(id, "tensors of several shapes, or column-major ones"));
        };
        let len: u128 = shape.iter().map(|of| u128::from(*of)).product();
        let Ok(len) = i32::try_from(len) else {
            return Err(self.unmappable(id, format!("tensors of {len} elements")));
        };
        let list = DataType::FixedSizeList(Field::new("item", element, false).into(), len);
        let shape: Vec<String> = shape.iter().map(u64::to_string).collect();
        Ok(Found::new(list)
            .with(ARROW_EXTENSION, "arrow.fixed_shape_tensor")
            .with(ARROW_EXTENSION_PARAMETERS, format!("{{\"shape\":[{}]}}", shape.join(","))))
    }
}
