//! [`Value`]: data of any schema.

use crate::dynamic::{Shredder, Source};
use crate::error::{Code, Error, Result};
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};
use crate::value::Value;

#[cold]
fn only_as_root() -> Error {
    Error::new(Code::UnsupportedValue)
        .expected("a type whose values all have one schema")
        .got("Value inside another type; holdall::serde takes it inside types with serde's derive")
}

impl Encode for Value {
    fn describe(_: &mut Types) -> Description {
        Description::dynamic()
    }

    fn write(&self, _: Site, _: &mut Columns<'_>) -> Result<()> {
        Err(only_as_root())
    }

    const DRIVE: Option<fn(&Value, &mut Shredder) -> Result<()>> =
        Some(|mut value, shredder| value.drive(shredder));
}

impl<'de> Decode<'de> for Value {
    fn describe(_: &mut Types) -> Description {
        Description::dynamic()
    }

    fn read(_: Site, _: &mut Rows<'_, 'de>) -> Result<Self> {
        Err(only_as_root())
    }

    const OF_VALUE: Option<fn(Value) -> Value> = Some(|value| value);
}
