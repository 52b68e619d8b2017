//! Arrays of several dimensions: tensors.

use alloc::string::ToString;
use alloc::vec::Vec;

use half::{bf16, f16};
use ndarray::{
    Array, ArrayBase, ArrayD, Data, Dimension, IxDyn, OwnedArcRepr, OwnedRepr, ShapeBuilder,
};

use super::unsupported;
use crate::error::Result;
use crate::kernel::raw;
use crate::limits::RANK;
use crate::memory::{self, Grow, GrowVec};
use crate::number::IntKind;
use crate::schema::DType;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

/// A possible element of a tensor.
trait Packed: Copy {
    fn dtype() -> DType;
    /// Appends their bytes (F-70).
    fn append(out: &mut Vec<u8>, elements: &[Self]);
    /// Reads elements from exactly their bytes, in which bools have been checked.
    fn read(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! numbers {
    ($($ty:ty: $dtype:expr;)*) => {$(
        impl Packed for $ty {
            fn dtype() -> DType {
                $dtype
            }

            fn append(out: &mut Vec<u8>, elements: &[Self]) {
                raw::append(out, elements);
            }

            fn read(bytes: &[u8]) -> Vec<Self> {
                let mut elements = memory::filled(<$ty>::default(), bytes.len() / size_of::<$ty>());
                raw::read(&mut elements, bytes);
                elements
            }
        }
    )*};
}

numbers! {
    u8: DType::Int(IntKind::U8);
    u16: DType::Int(IntKind::U16);
    u32: DType::Int(IntKind::U32);
    u64: DType::Int(IntKind::U64);
    u128: DType::Int(IntKind::U128);
    i8: DType::Int(IntKind::I8);
    i16: DType::Int(IntKind::I16);
    i32: DType::Int(IntKind::I32);
    i64: DType::Int(IntKind::I64);
    i128: DType::Int(IntKind::I128);
    f16: DType::F16;
    bf16: DType::Bf16;
    f32: DType::F32;
    f64: DType::F64;
}

impl Packed for bool {
    fn dtype() -> DType {
        DType::Bool
    }

    fn append(out: &mut Vec<u8>, elements: &[Self]) {
        out.put_each(elements.iter().map(|&element| u8::from(element)));
    }

    fn read(bytes: &[u8]) -> Vec<Self> {
        bytes.iter().map(|&byte| byte == 1).collect()
    }
}

#[cfg(feature = "num-complex")]
mod complex {
    use alloc::vec::Vec;

    use num_complex::Complex;

    use super::Packed;
    use crate::memory::Grow;
    use crate::schema::{DType, LogicalType};

    macro_rules! complex {
        ($($ty:ty, $bytes:literal;)*) => {$(
            impl Packed for Complex<$ty> {
                fn dtype() -> DType {
                    let ty = LogicalType::unchecked(LogicalType::COMPLEX, &[$bytes]);
                    let part = <$ty as Packed>::dtype();
                    DType::Logical(ty, DType::Tuple([part.clone(), part].into()).into())
                }

                fn append(out: &mut Vec<u8>, elements: &[Self]) {
                    out.room(size_of_val(elements));
                    for element in elements {
                        Packed::append(out, &[element.re, element.im]);
                    }
                }

                fn read(bytes: &[u8]) -> Vec<Self> {
                    let parts = <$ty as Packed>::read(bytes);
                    parts.as_chunks().0.iter().map(|&[re, im]| Complex { re, im }).collect()
                }
            }
        )*};
    }

    complex! {
        f32, 4;
        f64, 8;
    }
}

/// Whether an array is contiguous in memory in column-major order, and not in row-major order.
fn is_column_major<A, S: Data<Elem = A>, D: Dimension>(array: &ArrayBase<S, D>) -> bool {
    !array.is_standard_layout() && array.t().is_standard_layout()
}

/// Written in memory order if that is row-major or column-major, otherwise in row-major order.
impl<A: Packed, S: Data<Elem = A>, D: Dimension> Encode for ArrayBase<S, D> {
    fn describe(_: &mut Types) -> Description {
        Description::tensor(A::dtype())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        if self.ndim() as u64 > RANK {
            return Err(unsupported("at most 32 dimensions", self.ndim().to_string()));
        }
        let shape = self.shape().iter().map(|&len| len as u64);
        let column_major = is_column_major(self);
        let in_order = if column_major { self.t() } else { self.view() };
        columns.buffers.tensor(site, shape, column_major, |out| match in_order.as_slice() {
            Some(elements) => A::append(out, elements),
            None => {
                out.room(in_order.len() * size_of::<A>());
                in_order.iter().for_each(|&element| A::append(out, &[element]));
            }
        })
    }
}

impl<'de, A: Packed, D: Dimension> Decode<'de> for Array<A, D> {
    fn describe(_: &mut Types) -> Description {
        Description::tensor(A::dtype())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let tensor = rows.tensor(site)?;
        let shape: Option<Vec<usize>> =
            tensor.shape.iter().map(|&len| usize::try_from(len).ok()).collect();
        // A tensor without elements can have any dimensions; an array rejects dimensions that are too large.
        let array = || {
            let shape = IxDyn(&shape?).set_f(tensor.column_major);
            ArrayD::from_shape_vec(shape, A::read(tensor.elements)).ok()
        };
        if D::NDIM.is_some_and(|rank| rank != tensor.shape.len()) {
            let expected = format!("an array of rank {}", D::NDIM.unwrap_or_default());
            return Err(rows.unconvertible(site, expected, format!("rank {}", tensor.shape.len())));
        }
        rows.allocate::<u8>(tensor.elements.len())?;
        let array = array().and_then(|array| array.into_dimensionality::<D>().ok());
        array.ok_or_else(|| {
            let got = format!("{:?}", tensor.shape);
            rows.unconvertible(site, "dimensions that an array can have", got)
        })
    }
}

impl<'de, A: Packed, D: Dimension> Decode<'de> for ArrayBase<OwnedArcRepr<A>, D> {
    fn describe(_: &mut Types) -> Description {
        Description::tensor(A::dtype())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        ArrayBase::<OwnedRepr<A>, D>::read(site, rows).map(ArrayBase::into_shared)
    }
}
