//! [`Value`]: data of any schema; and the integers that it has a type for.

use alloc::borrow::ToOwned;
use alloc::string::ToString;

use crate::dynamic::{Shredder, Source};
use crate::error::Result;
use crate::number::IntKind;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};
use crate::value::{BigInt, Value};

impl Encode for BigInt {
    fn describe(_: &mut Types) -> Description {
        Description::int(IntKind::Int)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.big(site, self.as_le_bytes())
    }
}

/// An integer that fits 64 bits is none, as in a [`Value`].
impl<'de> Decode<'de> for BigInt {
    fn describe(_: &mut Types) -> Description {
        Description::int(IntKind::Int)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let got = match rows.big(site)? {
            Ok(bits) => bits.cast_signed().to_string(),
            Err(big) => {
                rows.allocate::<u8>(big.len())?;
                match BigInt::from_le_bytes(big) {
                    Some(big) => return Ok(big),
                    None => "a smaller one".to_owned(),
                }
            }
        };
        Err(rows.unconvertible(site, "an integer beyond 64 bits", got))
    }
}

impl Encode for Value {
    fn describe(_: &mut Types) -> Description {
        Description::dynamic()
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.value(site, &mut &*self)
    }

    const DRIVE: Option<fn(&Value, &mut Shredder) -> Result<()>> =
        Some(|mut value, shredder| value.drive(shredder));
}

impl<'de> Decode<'de> for Value {
    fn describe(_: &mut Types) -> Description {
        Description::dynamic()
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        rows.value(site)
    }

    const OF_VALUE: Option<fn(Value) -> Value> = Some(|value| value);
}
