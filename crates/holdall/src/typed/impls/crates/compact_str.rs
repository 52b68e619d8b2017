//! Text that is stored in place while short.

use compact_str::CompactString;

use crate::error::Result;
use crate::typed::impls::text::owned_strings;
use crate::typed::{
    Columns, Decode, Description, Encode, InlineColumns, InlineRows, Refs, Rows, Site, Slots, Types,
};

owned_strings! { CompactString }

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
