//! Tuples of up to 16 items, and the empty one.
#![allow(
    unsafe_code,
    reason = "the items of many tuples are written and read item by item, as `refs` and `slots` say"
)]

use core::marker::PhantomData;

use crate::error::Result;
use crate::typed::{
    Columns, Decode, Description, Encode, InlineColumns, InlineRows, Refs, RowSizes, Rows, Site,
    Slots, Types,
};

macro_rules! nothing {
    ($($ty:ty, $value:expr $(, $generic:ident)?;)*) => {$(
        impl$(<$generic: ?Sized>)? Encode for $ty {
            const SIZES: RowSizes = RowSizes::NOTHING;

            fn describe(_: &mut Types) -> Description {
                Description::null()
            }

            fn write(&self, _: Site, _: &mut Columns<'_>) -> Result<()> {
                Ok(())
            }

            fn write_inline(&self, _: &mut InlineColumns<'_>) -> Result<()> {
                Ok(())
            }

            fn write_rows(_: Refs<'_, Self>, _: Site, _: &mut Columns<'_>) -> Result<()> {
                Ok(())
            }
        }

        impl<'de $(, $generic: ?Sized)?> Decode<'de> for $ty {
            fn describe(_: &mut Types) -> Description {
                Description::null()
            }

            fn read(_: Site, _: &mut Rows<'_, 'de>) -> Result<Self> {
                Ok($value)
            }

            fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
                rows.row().map(|()| $value)
            }
        }
    )*};
}

nothing! {
    (), ();
    PhantomData<T>, PhantomData, T;
}

macro_rules! tuples {
    ($($($item:ident $number:tt)*;)*) => {$(
        impl<$($item: Encode),*> Encode for ($($item,)*) {
            const IS_INLINE: bool = true;
            const IS_FLAT: bool = $($item::IS_FLAT)&&*;
            const SIZES: RowSizes = RowSizes::NOTHING$(.and($item::SIZES))*;

            fn write_flat(rows: Refs<'_, Self>, columns: &mut InlineColumns<'_>) -> Result<()> {
                // SAFETY: this is a field.
                $($item::write_flat(unsafe { rows.field(|row| &row.$number) }, columns)?;)*
                Ok(())
            }

            fn describe(types: &mut Types) -> Description {
                Description::tuple([$(types.written::<$item>()),*])
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                $(self.$number.write(columns.child(site, $number), columns)?;)*
                Ok(())
            }

            #[inline]
            fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
                $(self.$number.write_inline(columns)?;)*
                Ok(())
            }

            fn write_rows(rows: Refs<'_, Self>, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                if columns.row_major_only(site) {
                    return rows.iter().try_for_each(|row| row.write(site, columns));
                }
                $(
                    // SAFETY: this is a field.
                    let items = unsafe { rows.field(|row| &row.$number) };
                    $item::write_rows(items, columns.child(site, $number), columns)?;
                )*
                Ok(())
            }
        }

        impl<'de, $($item: Decode<'de>),*> Decode<'de> for ($($item,)*) {
            const IS_INLINE: bool = true;
            const IS_FLAT: bool = $($item::IS_FLAT)&&*;

            #[allow(non_snake_case, reason = "the slots of an item are named after its type")]
            fn read_flat(
                slots: &mut Slots<'_, Self>,
                rows: &mut InlineRows<'_, 'de>,
            ) -> Option<()> {
                rows.charge(slots.left())?;
                // SAFETY: each item is a field of its type at its offset, and each is taken once.
                let ($(mut $item,)*) = unsafe {
                    ($(slots.field::<$item>(core::mem::offset_of!(Self, $number)),)*)
                };
                $($item::read_flat(&mut $item, rows)?;)*
                $($item.finish();)*
                // SAFETY: all items were read.
                unsafe { slots.complete() };
                Some(())
            }

            fn describe(types: &mut Types) -> Description {
                Description::tuple([$(types.read::<$item>()),*])
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                Ok(($($item::read(rows.child(site, $number), rows)?,)*))
            }

            #[inline]
            fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
                rows.row()?;
                Some(($($item::read_inline(rows)?,)*))
            }

            fn read_over(&mut self, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
                $(self.$number.read_over(rows.child(site, $number), rows)?;)*
                Ok(())
            }

            #[inline]
            #[allow(non_snake_case, reason = "the slots of an item are named after its type")]
            fn read_rows(
                slots: &mut Slots<'_, Self>,
                site: Site,
                rows: &mut Rows<'_, 'de>,
            ) -> Result<()> {
                if rows.row_major_only(site) {
                    return Self::read_row_major(slots, site, rows);
                }
                // SAFETY: each item is a field of its type at its offset, and each is taken once.
                let ($(mut $item,)*) = unsafe {
                    ($(slots.field::<$item>(core::mem::offset_of!(Self, $number)),)*)
                };
                $($item::read_rows(&mut $item, rows.child(site, $number), rows)?;)*
                $($item.finish();)*
                // SAFETY: all items were read.
                unsafe { slots.complete() };
                Ok(())
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15;
}
