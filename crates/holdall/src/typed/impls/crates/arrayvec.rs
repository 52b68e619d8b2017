//! Lists and text with a largest length.

use alloc::string::ToString;

use arrayvec::{ArrayString, ArrayVec};

use crate::error::Result;
use crate::schema::Scalar;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

impl<T: Encode, const CAPACITY: usize> Encode for ArrayVec<T, CAPACITY> {
    fn describe(types: &mut Types) -> Description {
        Description::list(types.written::<T>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self[..].write(site, columns)
    }
}

impl<'de, T: Decode<'de>, const CAPACITY: usize> Decode<'de> for ArrayVec<T, CAPACITY> {
    fn describe(types: &mut Types) -> Description {
        Description::list(types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let len = rows.number(site)?;
        if len > CAPACITY {
            let expected = format!("at most {CAPACITY} items");
            return Err(rows.unconvertible(site, expected, len.to_string()));
        }
        let item = rows.child(site, 0);
        let mut list = ArrayVec::new();
        for _ in 0..len {
            list.push(T::read(item, rows)?);
        }
        Ok(list)
    }
}

impl<const CAPACITY: usize> Encode for ArrayString<CAPACITY> {
    fn describe(types: &mut Types) -> Description {
        str::describe(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self.as_str().write(site, columns)
    }
}

impl<'de, const CAPACITY: usize> Decode<'de> for ArrayString<CAPACITY> {
    fn describe(_: &mut Types) -> Description {
        Description::scalar(Scalar::String)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let text = rows.text(site)?;
        ArrayString::from(text).map_err(|_| {
            let expected = format!("text of at most {CAPACITY} bytes");
            rows.unconvertible(site, expected, format!("{} bytes", text.len()))
        })
    }
}
