//! Integers of any size, of two versions of one crate.

use crate::error::Result;
use crate::memory::GrowVec;
use crate::number::IntKind;
use crate::typed::impls::big_ints::{read_big, write_big};
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

macro_rules! big_ints {
    ($of:ident) => {
        impl Encode for $of::BigInt {
            fn describe(_: &mut Types) -> Description {
                Description::int(IntKind::Int)
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                match i64::try_from(self) {
                    Ok(number) => columns.buffers.bits_of_int(site, number.cast_unsigned()),
                    Err(_) => write_big(&self.to_signed_bytes_le(), site, columns),
                }
            }
        }

        impl<'de> Decode<'de> for $of::BigInt {
            fn describe(_: &mut Types) -> Description {
                Description::int(IntKind::Int)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                read_big(site, rows, $of::BigInt::from_signed_bytes_le)
            }
        }

        impl Encode for $of::BigUint {
            fn describe(_: &mut Types) -> Description {
                Description::int(IntKind::Int)
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                match i64::try_from(self) {
                    Ok(number) => columns.buffers.bits_of_int(site, number.cast_unsigned()),
                    Err(_) => {
                        let mut bytes = self.to_bytes_le();
                        bytes.put(0);
                        write_big(&bytes, site, columns)
                    }
                }
            }
        }

        impl<'de> Decode<'de> for $of::BigUint {
            fn describe(_: &mut Types) -> Description {
                Description::int(IntKind::Int)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                match $of::BigInt::read(site, rows)?.into_parts() {
                    ($of::Sign::Minus, _) => {
                        Err(rows.unconvertible(site, "an integer of 0 or more", "a negative one"))
                    }
                    (_, number) => Ok(number),
                }
            }
        }
    };
}

#[cfg(feature = "num-bigint")]
big_ints!(num_bigint);
#[cfg(feature = "num-bigint-05")]
big_ints!(num_bigint_05);
