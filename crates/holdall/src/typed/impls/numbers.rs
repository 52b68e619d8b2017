//! Integers, bools and chars.

use alloc::string::ToString;

use crate::error::Result;
use crate::kernel;
use crate::number::{IntKind, shorten_big, unzigzag, wide_of_big, zigzag};
use crate::schema::{LogicalType, Scalar};
use crate::typed::{
    BorrowList, Columns, Decode, Description, Encode, InlineColumns, InlineRows, Refs, RowSizes,
    Rows, Site, Slots, Types,
};

macro_rules! ints {
    ($(
        $ty:ty as $word:ty, $kind:ident, $inline:ident, |$int:ident| $bits:expr, |$row:ident| $of:expr
        $(, { $($write:item)* } { $($read:item)* })?;
    )*) => {$(
        impl Encode for $ty {
            const IS_FLAT: bool = true;

            #[inline]
            fn write_flat(rows: Refs<'_, Self>, columns: &mut InlineColumns<'_>) -> Result<()> {
                columns.ints(IntKind::$kind, rows, |&value| value as $word);
                Ok(())
            }

            fn describe(_: &mut Types) -> Description {
                Description::int(IntKind::$kind)
            }

            #[inline]
            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                columns.buffers.push(site, *self as $word)
            }

            #[inline]
            fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
                let $int = *self;
                columns.$inline($bits);
                Ok(())
            }

            write_words! { $word, bytemuck::cast_slice }
            $($($write)*)?
        }

        impl<'de> Decode<'de> for $ty {
            const IS_FLAT: bool = true;

            #[inline]
            fn read_flat(
                slots: &mut Slots<'_, Self>,
                rows: &mut InlineRows<'_, 'de>,
            ) -> Option<()> {
                let count = slots.left();
                rows.ints::<$word>(IntKind::$kind, count, |words| {
                    slots.extend_from(words, |&word| word as $ty);
                })
            }

            fn describe(_: &mut Types) -> Description {
                Description::int(IntKind::$kind)
            }

            #[inline]
            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                Ok(rows.one::<$word>(site)? as $ty)
            }

            #[inline]
            fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
                let $row = rows;
                $of
            }

            read_words! { 'de, $word }
            $($($read)*)?
        }
    )*};
}

ints! {
    u8 as u8, U8, bytes, |own| &[own], |rows| rows.byte(), {
        const SIZES: RowSizes = RowSizes::numbers(1);

        #[inline]
        fn write_slice(list: &[Self], site: Site, columns: &mut Columns<'_>) -> Result<()> {
            columns.buffers.bytes(site, list)
        }
    } {
        fn borrow_list<'a>(
            count: usize,
            site: Site,
            rows: &mut Rows<'_, 'de>,
        ) -> Result<Option<&'a [Self]>>
        where
            'de: 'a,
            Self: 'a,
        {
            rows.or_untaken(site, |rows| {
                let bytes = rows.bytes_of_ints(site, count)?;
                Ok(rows.borrow(bytes))
            })
        }
    };
    u16 as u16, U16, number, |own| own.into(), |rows| rows.number()?.try_into().ok();
    u32 as u32, U32, number, |own| own.into(), |rows| rows.number()?.try_into().ok();
    u64 as u64, U64, number, |own| own, |rows| rows.number();
    i8 as u8, I8, bytes, |own| &own.to_le_bytes(), |rows| rows.byte().map(u8::cast_signed), {
        const SIZES: RowSizes = RowSizes::numbers(1);
    } {};
    i16 as u16, I16, number, |own| zigzag(own.into()), |rows| unzigzag(rows.number()?).try_into().ok();
    i32 as u32, I32, number, |own| zigzag(own.into()), |rows| unzigzag(rows.number()?).try_into().ok();
    i64 as u64, I64, number, |own| zigzag(own), |rows| rows.number().map(unzigzag);
}

impl BorrowList for u8 {
    const IS_SAME: bool = true;
}

/// `usize` and `isize`: written in 64 bits, and checked when read where they are narrower.
macro_rules! address_ints {
    ($($ty:ty, $wide:ty, $kind:ident;)*) => {$(
        impl Encode for $ty {
            const IS_FLAT: bool = size_of::<Self>() == size_of::<$wide>();

            #[inline]
            fn write_flat(rows: Refs<'_, Self>, columns: &mut InlineColumns<'_>) -> Result<()> {
                columns.ints(IntKind::$kind, rows, |&value| value as u64);
                Ok(())
            }

            fn describe(types: &mut Types) -> Description {
                <$wide as Encode>::describe(types)
            }

            #[inline]
            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                (*self as $wide).write(site, columns)
            }

            #[inline]
            fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
                (*self as $wide).write_inline(columns)
            }

            fn write_rows(rows: Refs<'_, Self>, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                rows.append_to(columns.buffers.words(site)?, |&value| value as u64);
                Ok(())
            }
        }

        impl<'de> Decode<'de> for $ty {
            const IS_FLAT: bool = size_of::<Self>() == size_of::<$wide>();

            #[inline]
            fn read_flat(
                slots: &mut Slots<'_, Self>,
                rows: &mut InlineRows<'_, 'de>,
            ) -> Option<()> {
                let count = slots.left();
                rows.ints::<u64>(IntKind::$kind, count, |words| {
                    slots.extend_from(words, |&word| word as $ty);
                })
            }

            fn describe(types: &mut Types) -> Description {
                <$wide as Decode>::describe(types)
            }

            #[inline]
            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                let value = <$wide>::read(site, rows)?;
                <$ty>::try_from(value)
                    .map_err(|_| rows.unconvertible(site, stringify!($ty), value.to_string()))
            }

            #[inline]
            fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
                <$wide>::read_inline(rows)?.try_into().ok()
            }

            #[inline]
            fn read_rows(
                slots: &mut Slots<'_, Self>,
                site: Site,
                rows: &mut Rows<'_, 'de>,
            ) -> Result<()> {
                if size_of::<Self>() < size_of::<$wide>() {
                    return Self::read_row_major(slots, site, rows);
                }
                rows.each_part::<u64>(site, slots.left(), |words| {
                    slots.extend_from(words, |&word| word as $ty);
                })
            }
        }
    )*};
}

address_ints! {
    usize, u64, U64;
    isize, i64, I64;
}

macro_rules! wide_ints {
    ($($ty:ty, $kind:ident, $narrow:ty;)*) => {$(
        impl Encode for $ty {
            fn describe(_: &mut Types) -> Description {
                Description::int(IntKind::$kind)
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                match <$narrow>::try_from(*self) {
                    Ok(narrow) => columns.buffers.bits_of_int(site, narrow as u64),
                    Err(_) => {
                        let mut bytes = [0; 17];
                        bytes[..16].copy_from_slice(&self.to_le_bytes());
                        if *self < 0 as $ty {
                            bytes[16] = 0xFF;
                        }
                        columns.buffers.big(site, shorten_big(&bytes))
                    }
                }
            }
        }

        impl<'de> Decode<'de> for $ty {
            fn describe(_: &mut Types) -> Description {
                Description::int(IntKind::$kind)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                Ok(match rows.big(site)? {
                    Ok(bits) => <$ty>::from(bits as $narrow),
                    // The column was checked against the range of its kind.
                    Err(big) => <$ty>::from_le_bytes(wide_of_big(big)),
                })
            }
        }
    )*};
}

wide_ints! {
    u128, U128, u64;
    i128, I128, i64;
}

impl Encode for bool {
    const SIZES: RowSizes = RowSizes::BITS;

    const IS_FLAT: bool = true;

    #[inline]
    fn write_flat(rows: Refs<'_, Self>, columns: &mut InlineColumns<'_>) -> Result<()> {
        columns.bits(rows, |bit| *bit);
        Ok(())
    }

    fn describe(_: &mut Types) -> Description {
        Description::scalar(Scalar::Bool)
    }

    #[inline]
    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.push(site, *self)
    }

    #[inline]
    fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
        columns.bytes(&[u8::from(*self)]);
        Ok(())
    }

    write_words! { bool, core::convert::identity }
}

impl<'de> Decode<'de> for bool {
    const IS_FLAT: bool = true;

    #[inline]
    fn read_flat(slots: &mut Slots<'_, Self>, rows: &mut InlineRows<'_, 'de>) -> Option<()> {
        let count = slots.left();
        let bits = rows.bits(count)?;
        slots.extend(bits.decode_rows(0..count));
        Some(())
    }

    fn describe(_: &mut Types) -> Description {
        Description::scalar(Scalar::Bool)
    }

    #[inline]
    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        rows.bit(site)
    }

    #[inline]
    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        rows.bit()
    }

    fn read_rows(slots: &mut Slots<'_, Self>, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        let mut bits = rows.bits(site, slots.left())?;
        while let (word, count @ 1..) = bits.next_word() {
            let mut expanded = [false; 64];
            kernel::bits::expand(&mut expanded[..count], &word.to_le_bytes());
            slots.extend_from(&expanded[..count], |bit| *bit);
        }
        Ok(())
    }
}

fn char_of(number: crate::typed::TypeNumber) -> Description {
    Description::logical(LogicalType::unchecked(LogicalType::CHAR, &[]), number)
}

impl Encode for char {
    fn describe(types: &mut Types) -> Description {
        char_of(types.written::<u32>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        u32::from(*self).write(columns.child(site, 0), columns)
    }

    #[inline]
    fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
        u32::from(*self).write_inline(columns)
    }
}

impl<'de> Decode<'de> for char {
    fn describe(types: &mut Types) -> Description {
        char_of(types.read::<u32>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let number = u32::read(rows.child(site, 0), rows)?;
        char::from_u32(number).ok_or_else(|| {
            rows.unconvertible(rows.child(site, 0), "a Unicode scalar value", format!("{number:X}"))
        })
    }

    #[inline]
    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        // One charge for the char, one for its number.
        rows.row()?;
        char::from_u32(u32::read_inline(rows)?)
    }
}
