//! Strings and byte strings.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::sync::Arc;

use crate::error::Result;
use crate::memory::{self, Grow};
use crate::schema::Scalar;
use crate::typed::{
    Columns, Decode, Description, Encode, InlineColumns, InlineRows, Refs, Rows, Site, Slots, Types,
};

impl Encode for str {
    fn describe(_: &mut Types) -> Description {
        Description::scalar(Scalar::String)
    }

    #[inline]
    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.text(site, self.as_bytes())
    }

    #[inline]
    fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
        columns.text(self);
        Ok(())
    }
}

macro_rules! strings {
    ($($ty:ty, $make:expr $(, over $over:item)?;)*) => {$(
        impl<'de> Decode<'de> for $ty {
            const IS_FLAT: bool = true;

            fn read_flat(
                slots: &mut Slots<'_, Self>,
                rows: &mut InlineRows<'_, 'de>,
            ) -> Option<()> {
                rows.strings(slots, $make)
            }

            fn describe(_: &mut Types) -> Description {
                Description::scalar(Scalar::String)
            }

            #[inline]
            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                Ok($make(rows.text(site)?))
            }

            #[inline]
            fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
                rows.text().map($make)
            }

            #[inline]
            fn read_rows(
                slots: &mut Slots<'_, Self>,
                site: Site,
                rows: &mut Rows<'_, 'de>,
            ) -> Result<()> {
                rows.texts(site, slots, $make)
            }

            $($over)?
        }
    )*};
}

strings! {
    String, memory::text, over
    fn read_over(&mut self, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        let text = rows.text(site)?;
        self.clear();
        self.room(text.len());
        self.push_str(text);
        Ok(())
    };
    Box<str>, |text| memory::text(text).into_boxed_str();
    Rc<str>, memory::shared;
    Arc<str>, memory::shared;
}

macro_rules! owned_strings {
    ($($ty:ty),*) => {$(
        // Text has no identity, whatever pointer holds it.
        impl Encode for $ty {
            const IS_DIRECT: bool = true;

            fn write_direct(list: &[Self], columns: &mut InlineColumns<'_>) {
                columns.text_list(list, |text| text.as_bytes());
            }

            const IS_FLAT: bool = true;

            #[inline]
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
                str::write_inline(self, columns)
            }

            fn write_rows(rows: Refs<'_, Self>, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                columns.buffers.texts(site, rows, |row| row.as_bytes())
            }
        }
    )*};
}

#[cfg(feature = "compact_str")]
pub(super) use owned_strings;

owned_strings! { String, Rc<str>, Arc<str> }

impl<'de: 'a, 'a> Decode<'de> for &'a str {
    fn describe(_: &mut Types) -> Description {
        Description::scalar(Scalar::String)
    }

    #[inline]
    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        rows.borrowed_text(site)?.map_err(|_| rows.not_borrowed(site, "a string"))
    }

    #[inline]
    fn read_rows(slots: &mut Slots<'_, Self>, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        rows.borrowed_texts(site, slots, |text| text)?;
        // The first row that cannot be borrowed reports the error.
        Self::read_row_major(slots, site, rows)
    }

    #[inline]
    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        rows.borrowed_text()
    }
}

impl<'de: 'a, 'a> Decode<'de> for Cow<'a, str> {
    fn describe(_: &mut Types) -> Description {
        Description::scalar(Scalar::String)
    }

    #[inline]
    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        Ok(match rows.borrowed_text(site)? {
            Ok(text) => Cow::Borrowed(text),
            Err(text) => Cow::Owned(memory::text(text)),
        })
    }

    #[inline]
    fn read_rows(slots: &mut Slots<'_, Self>, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        rows.borrowed_texts(site, slots, |text: &'de str| -> Self { Cow::Borrowed(text) })?;
        rows.texts(site, slots, |text| Cow::Owned(memory::text(text)))
    }

    #[inline]
    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        rows.borrowed_text().map(Cow::Borrowed)
    }
}
