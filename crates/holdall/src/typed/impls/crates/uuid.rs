//! UUIDs.

use uuid::{NonNilUuid, Uuid};

use crate::error::Result;
use crate::schema::{LogicalType, Scalar};
use crate::typed::{Columns, Decode, Description, Encode, RowSizes, Rows, Site, Types};

impl Encode for Uuid {
    const SIZES: RowSizes = RowSizes::raw(16);

    fn describe(types: &mut Types) -> Description {
        let bytes = types.add(Description::scalar(Scalar::Fixed(16)));
        Description::logical(LogicalType::unchecked(LogicalType::UUID, &[]), bytes)
    }

    #[inline]
    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.fixed(columns.child(site, 0), self.as_bytes())
    }
}

impl<'de> Decode<'de> for Uuid {
    fn describe(types: &mut Types) -> Description {
        <Uuid as Encode>::describe(types)
    }

    #[inline]
    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        rows.fixed(rows.child(site, 0)).map(Uuid::from_bytes)
    }
}

impl Encode for NonNilUuid {
    const SIZES: RowSizes = Uuid::SIZES;

    fn describe(types: &mut Types) -> Description {
        Description::alias(types.written::<Uuid>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self.get().write(site, columns)
    }
}

impl<'de> Decode<'de> for NonNilUuid {
    fn describe(types: &mut Types) -> Description {
        Description::alias(types.read::<Uuid>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let uuid = Uuid::read(site, rows)?;
        NonNilUuid::new(uuid).ok_or_else(|| {
            rows.unconvertible(rows.child(site, 0), "a UUID other than nil", "the nil UUID")
        })
    }
}
