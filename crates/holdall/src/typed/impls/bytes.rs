//! `u8`: the number whose lists are byte strings.

use crate::error::Result;
use crate::number::IntKind;
use crate::typed::{
    BorrowList, Columns, Decode, Description, Encode, InlineColumns, InlineRows, Refs, Rows, Site,
    Slots, Types,
};

impl Encode for u8 {
    const IS_FLAT: bool = true;

    #[inline]
    fn write_flat(rows: Refs<'_, Self>, columns: &mut InlineColumns<'_>) -> Result<()> {
        columns.ints(IntKind::U8, rows, |byte| *byte);
        Ok(())
    }

    fn describe(_: &mut Types) -> Description {
        Description::int(IntKind::U8)
    }

    #[inline]
    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.push(site, *self)
    }

    #[inline]
    fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
        columns.bytes(&[*self]);
        Ok(())
    }

    write_words! { u8, std::convert::identity }

    #[inline]
    fn write_slice(list: &[Self], site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.bytes(site, list)
    }
}

impl<'de> Decode<'de> for u8 {
    const IS_FLAT: bool = true;

    #[inline]
    fn read_flat(slots: &mut Slots<'_, Self>, rows: &mut InlineRows<'_, 'de>) -> Option<()> {
        let count = slots.left();
        rows.ints(IntKind::U8, count, |bytes| slots.extend_from(bytes, |byte| *byte))
    }

    fn describe(_: &mut Types) -> Description {
        Description::int(IntKind::U8)
    }

    #[inline]
    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        rows.one(site)
    }

    #[inline]
    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        rows.byte()
    }

    read_words! { 'de, u8 }

    fn borrow_list<'a>(
        count: usize,
        site: Site,
        rows: &mut Rows<'_, 'de>,
    ) -> Result<Option<&'a [Self]>>
    where
        'de: 'a,
        Self: 'a,
    {
        rows.or_untaken(site, |rows| {
            let bytes = rows.several(site, count)?;
            Ok(rows.borrow(bytes))
        })
    }
}

impl BorrowList for u8 {}
