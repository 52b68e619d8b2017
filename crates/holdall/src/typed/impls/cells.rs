//! Cells and locks, which are stored as the values in them.

use std::cell::{Cell, RefCell};
use std::sync::{Mutex, RwLock};

use crate::error::{Code, Error, Result};
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

macro_rules! cells {
    ($($cell:ident<T $(: $bound:path)?>, |$own:ident, $site:ident, $columns:ident| $write:expr;)*) => {$(
        impl<T: Encode $(+ $bound)?> Encode for $cell<T> {
            fn describe(types: &mut Types) -> Description {
                Description::alias(types.written::<T>())
            }

            fn write(&self, $site: Site, $columns: &mut Columns<'_>) -> Result<()> {
                let $own = self;
                $write
            }
        }

        impl<'de, T: Decode<'de>> Decode<'de> for $cell<T> {
            fn describe(types: &mut Types) -> Description {
                Description::alias(types.read::<T>())
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                T::read(site, rows).map($cell::new)
            }
        }
    )*};
}

cells! {
    Cell<T: Copy>, |cell, site, columns| cell.get().write(site, columns);
    RefCell<T>, |cell, site, columns| match cell.try_borrow() {
        Ok(value) => value.write(site, columns),
        Err(_) => Err(unavailable("one that is mutably borrowed")),
    };
    Mutex<T>, |lock, site, columns| match lock.lock() {
        Ok(value) => columns.behind_lock(|columns| value.write(site, columns)),
        Err(_) => Err(unavailable("one that is poisoned")),
    };
    RwLock<T>, |lock, site, columns| match lock.read() {
        Ok(value) => columns.behind_lock(|columns| value.write(site, columns)),
        Err(_) => Err(unavailable("one that is poisoned")),
    };
}

#[cold]
fn unavailable(got: &'static str) -> Error {
    Error::new(Code::UnsupportedValue).expected("a cell or lock that can be read").got(got)
}
