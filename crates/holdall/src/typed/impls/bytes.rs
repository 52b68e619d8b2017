//! u8: the number whose lists are bytes.

use crate::error::Result;
use crate::number::IntKind;
use crate::typed::{BorrowList, Columns, Decode, Description, Encode, Places, Rows, Site, Types};

impl Encode for u8 {
    fn describe(_: &mut Types) -> Description {
        Description::int(IntKind::U8)
    }

    #[inline]
    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.int(site, u64::from(*self))
    }

    #[inline]
    fn write_rows<'r, R>(rows: R, site: Site, columns: &mut Columns<'_>) -> Result<()>
    where
        R: Iterator<Item = &'r Self> + Clone,
    {
        columns.buffers.ints(site, rows.map(|&value| u64::from(value)))
    }

    #[inline]
    fn write_list(list: &[Self], site: Site, columns: &mut Columns<'_>) -> Result<()> {
        Self::write_rows(list.iter(), site, columns)
    }

    #[inline]
    fn write_slice(list: &[Self], site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.bytes(site, list)
    }
}

impl<'de> Decode<'de> for u8 {
    const IS_FLAT: bool = true;

    fn describe(_: &mut Types) -> Description {
        Description::int(IntKind::U8)
    }

    #[inline]
    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        match rows.byte_rows(site, 1)? {
            Some(bytes) => Ok(bytes[0]),
            // The column was checked to be in the range of its kind.
            None => Ok(rows.int(site)? as u8),
        }
    }

    #[inline]
    fn read_rows(
        places: &mut Places<'_, Self>,
        site: Site,
        rows: &mut Rows<'_, 'de>,
    ) -> Result<()> {
        let count = places.left();
        match rows.byte_rows(site, count)? {
            Some(bytes) => places.extend(bytes.iter().copied()),
            None => places.extend(rows.ints(site, count)?.iter().map(|&bits| bits as u8)),
        }
        Ok(())
    }

    fn read_list(count: usize, site: Site, rows: &mut Rows<'_, 'de>) -> Result<Vec<Self>> {
        rows.allocate::<Self>(count)?;
        if count == 0 {
            return Ok(Vec::new());
        }
        Ok(match rows.byte_rows(site, count)? {
            Some(bytes) => bytes.to_vec(),
            None => rows.ints(site, count)?.iter().map(|&bits| bits as u8).collect(),
        })
    }

    fn borrow_list<'a>(
        count: usize,
        site: Site,
        rows: &mut Rows<'_, 'de>,
    ) -> Result<Option<&'a [Self]>>
    where
        'de: 'a,
        Self: 'a,
    {
        if count == 0 {
            return Ok(Some(&[]));
        }
        rows.or_untaken(site, |rows| {
            Ok(rows.byte_rows(site, count)?.and_then(|bytes| rows.borrow(bytes)))
        })
    }
}

impl BorrowList for u8 {}
