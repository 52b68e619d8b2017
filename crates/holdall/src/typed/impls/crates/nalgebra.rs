//! Vectors, points, matrices and rotations: arrays of their numbers, matrices by columns. glam's have the same form.

use alloc::vec::Vec;

use nalgebra::{DVector, Point, Quaternion, SMatrix, SVector, Scalar, Translation, Unit};

use crate::error::Result;
use crate::typed::{
    Columns, Decode, Description, Encode, InlineColumns, InlineRows, RowSizes, Rows, Site, Types,
};

/// A vector is an array, any other matrix an array of its columns.
impl<T: Encode + Scalar, const R: usize, const C: usize> Encode for SMatrix<T, R, C> {
    const SIZES: RowSizes = <[[T; R]; C]>::SIZES;

    fn describe(types: &mut Types) -> Description {
        Description::alias(match C {
            1 => types.written::<[T; R]>(),
            _ => types.written::<[[T; R]; C]>(),
        })
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        match &self.data.0[..] {
            [only] => only.write(site, columns),
            _ => self.data.0.write(site, columns),
        }
    }

    fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
        match &self.data.0[..] {
            [only] => only.write_inline(columns),
            _ => self.data.0.write_inline(columns),
        }
    }
}

impl<'de, T: Decode<'de> + Scalar, const R: usize, const C: usize> Decode<'de>
    for SMatrix<T, R, C>
{
    fn describe(types: &mut Types) -> Description {
        Description::alias(match C {
            1 => types.read::<[T; R]>(),
            _ => types.read::<[[T; R]; C]>(),
        })
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        if C != 1 {
            return <[[T; R]; C]>::read(site, rows).map(SMatrix::from);
        }
        let mut column = Some(<[T; R]>::read(site, rows)?);
        let columns: [[T; R]; C] = core::array::from_fn(|_| column.take().expect("one column"));
        Ok(SMatrix::from(columns))
    }
}

/// Types around a vector, a quaternion or a complex number, which have its form.
macro_rules! around {
    ($(<$generic:ident $(: $bound:path)? $(, const $number:ident)?> $ty:ty as $inner:ty, |$own:ident| $get:expr, $make:expr;)*) => {$(
        impl<$generic $(: $bound)? $(, const $number: usize)?> Encode for $ty
        where
            $inner: Encode,
        {
            const SIZES: RowSizes = <$inner>::SIZES;

            fn describe(types: &mut Types) -> Description {
                Description::alias(types.written::<$inner>())
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                let $own = self;
                $get.write(site, columns)
            }

            fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
                let $own = self;
                $get.write_inline(columns)
            }
        }

        impl<'de, $generic $(: $bound)? $(, const $number: usize)?> Decode<'de> for $ty
        where
            $inner: Decode<'de>,
        {
            fn describe(types: &mut Types) -> Description {
                Description::alias(types.read::<$inner>())
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                <$inner>::read(site, rows).map($make)
            }

            fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
                <$inner>::read_inline(rows).map($make)
            }
        }
    )*};
}

around! {
    <T: Scalar, const D> Point<T, D> as SVector<T, D>, |own| own.coords, Point::from;
    <T: Scalar, const D> Translation<T, D> as SVector<T, D>, |own| own.vector, Translation::from;
    // In the order x, y, z, w.
    <T: Scalar> Quaternion<T> as SVector<T, 4>, |own| own.coords, Quaternion::from_vector;
    // Its length was 1 when it was written: every bit is kept.
    <T> Unit<T> as T, |own| own.as_ref(), Unit::new_unchecked;
}

impl<T: Encode + Scalar> Encode for DVector<T> {
    fn describe(types: &mut Types) -> Description {
        Description::list(types.written::<T>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self.as_slice().write(site, columns)
    }
}

impl<'de, T: Decode<'de> + Scalar> Decode<'de> for DVector<T> {
    fn describe(types: &mut Types) -> Description {
        Description::list(types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        Vec::read(site, rows).map(DVector::from_vec)
    }
}
