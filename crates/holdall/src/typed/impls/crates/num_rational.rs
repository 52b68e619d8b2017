//! Fractions.

use alloc::string::ToString;

use num_rational::Ratio;

use super::unsupported;
use crate::error::Result;
use crate::number::IntKind;
use crate::schema::LogicalType;
use crate::typed::impls::big_ints::{read_as, write_big, write_big_int};
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

/// An integer at a site of type int.
trait Whole: Sized + Default + PartialOrd {
    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()>;
    fn read(site: Site, rows: &mut Rows<'_, '_>) -> Result<Self>;

    fn is_positive(&self) -> bool {
        *self > Self::default()
    }
}

macro_rules! wholes {
    ($($ty:ident)*) => {$(
        impl Whole for $ty {
            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                write_big_int((*self).into(), site, columns)
            }

            fn read(site: Site, rows: &mut Rows<'_, '_>) -> Result<Self> {
                let expected = concat!("an integer in the range of ", stringify!($ty));
                read_as(site, rows, expected, |number| $ty::try_from(number).ok())
            }
        }
    )*};
}

wholes! { u8 u16 u32 u64 i8 i16 i32 i64 i128 }

macro_rules! address_wholes {
    ($($ty:ident $wide:ident,)*) => {$(
        impl Whole for $ty {
            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                Whole::write(&(*self as $wide), site, columns)
            }

            fn read(site: Site, rows: &mut Rows<'_, '_>) -> Result<Self> {
                let expected = concat!("an integer in the range of ", stringify!($ty));
                read_as(site, rows, expected, |number| $ty::try_from(number).ok())
            }
        }
    )*};
}

address_wholes! { usize u64, isize i64, }

impl Whole for u128 {
    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let mut bytes = [0; 17];
        bytes[..16].copy_from_slice(&self.to_le_bytes());
        write_big(&bytes, site, columns)
    }

    fn read(site: Site, rows: &mut Rows<'_, '_>) -> Result<Self> {
        let number = crate::typed::impls::big_ints::read_big(site, rows, |bytes| {
            let (low, high) = bytes.split_at(bytes.len().min(16));
            let mut wide = [0; 16];
            wide[..low.len()].copy_from_slice(low);
            let is_negative = bytes.last().is_some_and(|last| last >> 7 == 1);
            (!is_negative && matches!(high, [] | [0])).then_some(u128::from_le_bytes(wide))
        })?;
        let expected = "an integer in the range of u128";
        number.ok_or_else(|| rows.unconvertible(site, expected, "one outside of it"))
    }
}

#[cfg(feature = "num-bigint")]
mod big {
    use num_bigint::{BigInt, BigUint};

    use super::Whole;
    use crate::error::Result;
    use crate::typed::{Columns, Decode, Encode, Rows, Site};

    macro_rules! big {
        ($($ty:ident)*) => {$(
            impl Whole for $ty {
                fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                    Encode::write(self, site, columns)
                }

                fn read(site: Site, rows: &mut Rows<'_, '_>) -> Result<Self> {
                    Decode::read(site, rows)
                }
            }
        )*};
    }

    big! { BigInt BigUint }
}

fn describe(types: &mut Types) -> Description {
    let whole = types.add(Description::int(IntKind::Int));
    let storage = types.add(Description::tuple([whole, whole]));
    Description::logical(LogicalType::unchecked(LogicalType::RATIONAL, &[]), storage)
}

macro_rules! ratios {
    ($($(#[$cfg:meta])? $ty:ty;)*) => {$(
        /// Written without reduction; the denominator must be above 0.
        $(#[$cfg])?
        impl Encode for Ratio<$ty> {
            fn describe(types: &mut Types) -> Description {
                describe(types)
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                if !Whole::is_positive(self.denom()) {
                    return Err(unsupported("a denominator above 0", self.denom().to_string()));
                }
                let storage = columns.child(site, 0);
                Whole::write(self.numer(), columns.child(storage, 0), columns)?;
                Whole::write(self.denom(), columns.child(storage, 1), columns)
            }
        }

        /// Read without reduction, like the crate's own serde implementation.
        $(#[$cfg])?
        impl<'de> Decode<'de> for Ratio<$ty> {
            fn describe(types: &mut Types) -> Description {
                describe(types)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                let storage = rows.child(site, 0);
                let numerator: $ty = Whole::read(rows.child(storage, 0), rows)?;
                let below = rows.child(storage, 1);
                let denominator: $ty = Whole::read(below, rows)?;
                match Whole::is_positive(&denominator) {
                    true => Ok(Ratio::new_raw(numerator, denominator)),
                    false => {
                        let got = denominator.to_string();
                        Err(rows.unconvertible(below, "a denominator above 0", got))
                    }
                }
            }
        }
    )*};
}

ratios! {
    u8; u16; u32; u64; u128; usize;
    i8; i16; i32; i64; i128; isize;
    #[cfg(feature = "num-bigint")] num_bigint::BigInt;
    #[cfg(feature = "num-bigint")] num_bigint::BigUint;
}
