//! Floats: `f16`, `bf16`, `f32` and `f64`.

use alloc::vec::Vec;

use half::{bf16, f16};

use crate::column::floats::FloatRows;
use crate::error::Result;
use crate::kernel::IS_FORMAT_ORDER;
use crate::memory;
use crate::schema::Scalar;
use crate::typed::{
    BorrowList, Columns, Decode, Description, Encode, InlineColumns, InlineRows, Refs, RowSizes,
    Rows, Site, Slots, Types,
};

/// Fills the slots with floats: a column of them, or one constant.
#[inline]
fn put_floats<T: Copy, const WIDTH: usize>(
    slots: &mut Slots<'_, T>,
    floats: FloatRows<'_, WIDTH>,
    float: impl Fn([u8; WIDTH]) -> T,
) {
    match floats {
        FloatRows::Each(each) => slots.extend_from(each, |bytes| float(*bytes)),
        FloatRows::Same(bytes) => {
            slots.extend(core::iter::repeat_n(float(bytes), slots.left()));
        }
    }
}

macro_rules! floats {
    ($($ty:ident, $scalar:ident, $bits:ident;)*) => {$(
        impl Encode for $ty {
            const SIZES: RowSizes = RowSizes::numbers(size_of::<$ty>());

            const IS_DIRECT: bool = true;

            fn write_direct(list: &[Self], columns: &mut InlineColumns<'_>) {
                columns.float_list(list);
            }

            const IS_FLAT: bool = true;

            #[inline]
            fn write_flat(rows: Refs<'_, Self>, columns: &mut InlineColumns<'_>) -> Result<()> {
                columns.floats::<$ty, $bits>(rows, |value| value.to_bits());
                Ok(())
            }

            fn describe(_: &mut Types) -> Description {
                Description::scalar(Scalar::$scalar)
            }

            #[inline]
            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                columns.buffers.push(site, *self)
            }

            #[inline]
            fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
                columns.bytes(&self.to_le_bytes());
                Ok(())
            }

            write_words! { $ty, core::convert::identity }
        }

        impl<'de> Decode<'de> for $ty {
            const IS_FLAT: bool = true;

            #[inline]
            fn read_flat(
                slots: &mut Slots<'_, Self>,
                rows: &mut InlineRows<'_, 'de>,
            ) -> Option<()> {
                let count = slots.left();
                let floats = rows.floats(size_of::<Self>(), count)?;
                put_floats(slots, floats.decode_rows(0..count), Self::from_le_bytes);
                Some(())
            }

            fn describe(_: &mut Types) -> Description {
                Description::scalar(Scalar::$scalar)
            }

            #[inline]
            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                rows.$ty(site)
            }

            #[inline]
            fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
                rows.float().map(Self::from_le_bytes)
            }

            #[inline]
            fn read_rows(
                slots: &mut Slots<'_, Self>,
                site: Site,
                rows: &mut Rows<'_, 'de>,
            ) -> Result<()> {
                let count = slots.left();
                put_floats(slots, rows.floats(site, count)?, Self::from_le_bytes);
                Ok(())
            }

            fn read_list(count: usize, site: Site, rows: &mut Rows<'_, 'de>) -> Result<Vec<Self>> {
                rows.allocate::<Self>(count)?;
                Ok(match rows.floats(site, count)? {
                    FloatRows::Each(each) => {
                        memory::collected(each.iter().map(|bytes| Self::from_le_bytes(*bytes)))
                    }
                    FloatRows::Same(bytes) => memory::filled(Self::from_le_bytes(bytes), count),
                })
            }

            fn borrow_list<'a>(
                count: usize,
                site: Site,
                rows: &mut Rows<'_, 'de>,
            ) -> Result<Option<&'a [Self]>>
where
    'de: 'a,
    Self: 'a,
{
                rows.or_untaken(site, |rows| match rows.floats::<{ size_of::<$ty>() }>(site, count)? {
                    FloatRows::Each(each) if IS_FORMAT_ORDER => {
                        let bytes = rows.borrow(each.as_flattened());
                        Ok(bytes.and_then(|bytes| bytemuck::try_cast_slice(bytes).ok()))
                    }
                    _ => Ok(None),
                })
            }
        }
    )*};
}

floats! {
    f16, F16, u16;
    bf16, Bf16, u16;
    f32, F32, u32;
    f64, F64, u64;
}

impl BorrowList for f32 {}
impl BorrowList for f64 {}
