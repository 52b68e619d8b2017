//! `Either`, which is stored as an enum.

use either::Either;

use crate::error::Result;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

impl<L: Encode, R: Encode> Encode for Either<L, R> {
    fn describe(types: &mut Types) -> Description {
        let (left, right) = (types.written::<L>(), types.written::<R>());
        Description::variants([("Left", left), ("Right", right)])
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        match self {
            Either::Left(value) => {
                columns.number(site, 0)?;
                value.write(columns.child(site, 0), columns)
            }
            Either::Right(value) => {
                columns.number(site, 1)?;
                value.write(columns.child(site, 1), columns)
            }
        }
    }
}

impl<'de, L: Decode<'de>, R: Decode<'de>> Decode<'de> for Either<L, R> {
    fn describe(types: &mut Types) -> Description {
        let (left, right) = (types.read::<L>(), types.read::<R>());
        Description::variants([("Left", left), ("Right", right)])
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        match rows.number(site)? {
            0 => L::read(rows.child(site, 0), rows).map(Either::Left),
            _ => R::read(rows.child(site, 1), rows).map(Either::Right),
        }
    }
}
