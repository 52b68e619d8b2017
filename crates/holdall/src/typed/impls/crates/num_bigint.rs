//! Integers of any size.

use num_bigint::{BigInt, BigUint, Sign};

use crate::error::Result;
use crate::number::IntKind;
use crate::typed::impls::big_ints::{read_big, write_big};
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

impl Encode for BigInt {
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

impl<'de> Decode<'de> for BigInt {
    fn describe(_: &mut Types) -> Description {
        Description::int(IntKind::Int)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        read_big(site, rows, BigInt::from_signed_bytes_le)
    }
}

impl Encode for BigUint {
    fn describe(_: &mut Types) -> Description {
        Description::int(IntKind::Int)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        match i64::try_from(self) {
            Ok(number) => columns.buffers.bits_of_int(site, number.cast_unsigned()),
            Err(_) => {
                let mut bytes = self.to_bytes_le();
                bytes.push(0);
                write_big(&bytes, site, columns)
            }
        }
    }
}

impl<'de> Decode<'de> for BigUint {
    fn describe(_: &mut Types) -> Description {
        Description::int(IntKind::Int)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        match BigInt::read(site, rows)?.into_parts() {
            (Sign::Minus, _) => {
                Err(rows.unconvertible(site, "an integer of 0 or more", "a negative one"))
            }
            (_, number) => Ok(number),
        }
    }
}
