//! Byte strings: `Bytes` is stored as bytes, `BytesMut` as a byte array. A `Vec<u8>` is a list, and can be read into
//! either.

use bytes::{Bytes, BytesMut};

use crate::error::Result;
use crate::schema::{LogicalType, Scalar};
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

impl Encode for Bytes {
    fn describe(_: &mut Types) -> Description {
        Description::scalar(Scalar::Bytes)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.text(site, self)
    }
}

impl<'de> Decode<'de> for Bytes {
    fn describe(_: &mut Types) -> Description {
        Description::scalar(Scalar::Bytes)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let bytes = rows.bytes(site)?;
        rows.allocate::<u8>(bytes.len())?;
        Ok(Bytes::copy_from_slice(bytes))
    }
}

impl Encode for BytesMut {
    fn describe(types: &mut Types) -> Description {
        let bytes = types.written::<Bytes>();
        Description::logical(LogicalType::unchecked(LogicalType::BYTE_ARRAY, &[]), bytes)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.text(columns.child(site, 0), self)
    }
}

impl<'de> Decode<'de> for BytesMut {
    fn describe(types: &mut Types) -> Description {
        <BytesMut as Encode>::describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let bytes = rows.bytes(rows.child(site, 0))?;
        rows.allocate::<u8>(bytes.len())?;
        Ok(BytesMut::from(bytes))
    }
}
