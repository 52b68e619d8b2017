//! Cells, locks and atomics, which are stored as the values in them.

use core::cell::{Cell, RefCell};
use core::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicIsize, AtomicU8, AtomicU16, AtomicU32,
    AtomicUsize, Ordering,
};
#[cfg(target_has_atomic = "64")]
use core::sync::atomic::{AtomicI64, AtomicU64};
#[cfg(feature = "std")]
use std::sync::{Mutex, RwLock};

use crate::error::{Code, Error, Result};
use crate::typed::{
    Columns, Decode, Description, Encode, InlineColumns, RowSizes, Rows, Site, Types,
};

macro_rules! cells {
    ($($cell:ident<T $(: $bound:path)?>, |$own:ident, $site:ident, $columns:ident| $write:expr;)*) => {$(
        impl<T: Encode $(+ $bound)?> Encode for $cell<T> {
            const SIZES: RowSizes = T::SIZES;

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
        Err(_) => Err(unavailable("one that is mutably borrowed", site, columns)),
    };
}

#[cfg(feature = "std")]
cells! {
    Mutex<T>, |lock, site, columns| match lock.lock() {
        Ok(value) => columns.behind_lock(|columns| value.write(site, columns)),
        Err(_) => Err(unavailable("one that is poisoned", site, columns)),
    };
    RwLock<T>, |lock, site, columns| match lock.read() {
        Ok(value) => columns.behind_lock(|columns| value.write(site, columns)),
        Err(_) => Err(unavailable("one that is poisoned", site, columns)),
    };
}

/// A number that changes while it is written is written as one of its values.
macro_rules! atomics {
    ($($atomic:ident: $ty:ty,)*) => {$(
        impl Encode for $atomic {
            const SIZES: RowSizes = <$ty>::SIZES;

            fn describe(types: &mut Types) -> Description {
                Description::alias(types.written::<$ty>())
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                self.load(Ordering::Relaxed).write(site, columns)
            }

            fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
                self.load(Ordering::Relaxed).write_inline(columns)
            }
        }

        impl<'de> Decode<'de> for $atomic {
            fn describe(types: &mut Types) -> Description {
                Description::alias(types.read::<$ty>())
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                <$ty>::read(site, rows).map($atomic::new)
            }
        }
    )*};
}

atomics! {
    AtomicBool: bool,
    AtomicU8: u8,
    AtomicU16: u16,
    AtomicU32: u32,
    AtomicI8: i8,
    AtomicI16: i16,
    AtomicI32: i32,
    AtomicUsize: usize,
    AtomicIsize: isize,
}

#[cfg(target_has_atomic = "64")]
atomics! {
    AtomicU64: u64,
    AtomicI64: i64,
}

#[cold]
fn unavailable(got: &'static str, site: Site, columns: &Columns<'_>) -> Error {
    let error = Error::new(Code::UnsupportedValue);
    columns.refused(site, error.expected("a cell or lock that can be read").got(got))
}
