//! Types that hold one number: `NonZero`, `Wrapping`, `Saturating` and `Reverse`.
#![allow(
    unsafe_code,
    reason = "references to many of them become references to their numbers, as `refs` says"
)]

use core::cmp::Reverse;
use core::num::{NonZero, Saturating, Wrapping};

use crate::error::Result;
use crate::typed::{
    Columns, Decode, Description, Encode, InlineColumns, InlineRows, Refs, RowSizes, Rows, Site,
    Types,
};

macro_rules! non_zero {
    ($($ty:ty)*) => {$(
        impl Encode for NonZero<$ty> {
            const SIZES: RowSizes = <$ty>::SIZES;

            fn describe(types: &mut Types) -> Description {
                Description::alias(types.written::<$ty>())
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                self.get().write(site, columns)
            }

            #[inline]
            fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
                self.get().write_inline(columns)
            }
        }

        impl<'de> Decode<'de> for NonZero<$ty> {
            fn describe(types: &mut Types) -> Description {
                Description::alias(types.read::<$ty>())
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                let number = <$ty>::read(site, rows)?;
                NonZero::new(number).ok_or_else(|| rows.unconvertible(site, "a number other than 0", "0"))
            }

            #[inline]
            fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
                NonZero::new(<$ty>::read_inline(rows)?)
            }
        }
    )*};
}

non_zero! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

macro_rules! around {
    ($($name:ident)*) => {$(
        impl<T: Encode> Encode for $name<T> {
            const SIZES: RowSizes = T::SIZES;

            fn describe(types: &mut Types) -> Description {
                Description::alias(types.written::<T>())
            }

            #[inline]
            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                self.0.write(site, columns)
            }

            #[inline]
            fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
                self.0.write_inline(columns)
            }

            fn write_rows(rows: Refs<'_, Self>, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                // SAFETY: this is a field.
                T::write_rows(unsafe { rows.field(|row| &row.0) }, site, columns)
            }
        }

        impl<'de, T: Decode<'de>> Decode<'de> for $name<T> {
            fn describe(types: &mut Types) -> Description {
                Description::alias(types.read::<T>())
            }

            #[inline]
            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                T::read(site, rows).map($name)
            }

            #[inline]
            fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
                T::read_inline(rows).map($name)
            }
        }
    )*};
}

around! { Wrapping Saturating Reverse }
