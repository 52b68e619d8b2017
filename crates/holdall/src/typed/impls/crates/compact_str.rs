//! Text that is stored in place while short.

use compact_str::CompactString;

use crate::error::Result;
use crate::typed::{
    Columns, Decode, Description, Encode, InlineColumns, InlineRows, Refs, Rows, Site, Slots, Types,
};

impl Encode for CompactString {
    const IS_FLAT: bool = true;

    fn write_flat(rows: Refs<'_, Self>, columns: &mut InlineColumns<'_>) -> Result<()> {
        columns.texts(rows.iter().map(|row| row.as_bytes()));
        Ok(())
    }

    fn describe(types: &mut Types) -> Description {
        str::describe(types)
    }

    #[inline]
    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.text(site, self.as_bytes())
    }

    #[inline]
    fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
        self.as_str().write_inline(columns)
    }

    fn write_rows(rows: Refs<'_, Self>, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.texts(site, rows, |row| row.as_bytes())
    }
}

impl<'de> Decode<'de> for CompactString {
    const IS_FLAT: bool = true;

    fn read_flat(slots: &mut Slots<'_, Self>, rows: &mut InlineRows<'_, 'de>) -> Option<()> {
        rows.strings(slots, CompactString::from)
    }

    fn describe(types: &mut Types) -> Description {
        str::describe(types)
    }

    #[inline]
    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        rows.text(site).map(CompactString::from)
    }

    #[inline]
    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        rows.text().map(CompactString::from)
    }

    fn read_rows(slots: &mut Slots<'_, Self>, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        rows.texts(site, slots, CompactString::from)
    }
}
