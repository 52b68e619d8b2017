//! Complex numbers.

use half::{bf16, f16};
use num_complex::Complex;

use crate::error::Result;
use crate::schema::LogicalType;
use crate::typed::{Columns, Decode, Description, Encode, RowSizes, Rows, Site, TypeNumber, Types};

fn complex(bytes: u8, part: TypeNumber, types: &mut Types) -> Description {
    let storage = types.add(Description::tuple([part, part]));
    Description::logical(LogicalType::unchecked(LogicalType::COMPLEX, &[bytes]), storage)
}

macro_rules! floats {
    ($($ty:ty, $bytes:literal;)*) => {$(
        impl Encode for Complex<$ty> {
            const SIZES: RowSizes = <($ty, $ty)>::SIZES;

            fn describe(types: &mut Types) -> Description {
                let part = types.written::<$ty>();
                complex($bytes, part, types)
            }

            #[inline]
            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                let storage = columns.child(site, 0);
                self.re.write(columns.child(storage, 0), columns)?;
                self.im.write(columns.child(storage, 1), columns)
            }
        }

        impl<'de> Decode<'de> for Complex<$ty> {
            fn describe(types: &mut Types) -> Description {
                let part = types.read::<$ty>();
                complex($bytes, part, types)
            }

            #[inline]
            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                let storage = rows.child(site, 0);
                let re = <$ty>::read(rows.child(storage, 0), rows)?;
                Ok(Complex { re, im: <$ty>::read(rows.child(storage, 1), rows)? })
            }
        }
    )*};
}

floats! {
    f32, 4;
    f64, 8;
}

/// The logical type has parts of 4 or 8 bytes. Other types use only its storage, and can also read the logical type.
macro_rules! tuples {
    ($($ty:ty)*) => {$(
        impl Encode for Complex<$ty> {
            fn describe(types: &mut Types) -> Description {
                <($ty, $ty) as Encode>::describe(types)
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                (self.re, self.im).write(site, columns)
            }
        }

        impl<'de> Decode<'de> for Complex<$ty> {
            fn describe(types: &mut Types) -> Description {
                <($ty, $ty) as Decode>::describe(types)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                <($ty, $ty)>::read(site, rows).map(|(re, im)| Complex { re, im })
            }
        }
    )*};
}

tuples! { f16 bf16 u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }
