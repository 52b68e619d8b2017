//! [`Value`]: data of any schema.

use crate::dynamic::{Shredder, Source};
use crate::error::Result;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};
use crate::value::Value;

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
