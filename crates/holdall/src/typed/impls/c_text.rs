//! Text of C, stored as bytes.

use alloc::boxed::Box;
use alloc::ffi::CString;
use core::ffi::CStr;

use crate::error::Result;
use crate::memory;
use crate::schema::Scalar;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

/// Without the 0 at its end.
impl Encode for CStr {
    fn describe(_: &mut Types) -> Description {
        Description::scalar(Scalar::Bytes)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.text(site, self.to_bytes())
    }
}

impl Encode for CString {
    fn describe(types: &mut Types) -> Description {
        CStr::describe(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self.as_c_str().write(site, columns)
    }
}

impl<'de> Decode<'de> for CString {
    fn describe(types: &mut Types) -> Description {
        CStr::describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let bytes = rows.bytes(site)?;
        CString::new(memory::copied(bytes)).map_err(|error| {
            let got = format!("a 0 at {}", error.nul_position());
            rows.unconvertible(site, "bytes other than 0", got)
        })
    }
}

impl<'de> Decode<'de> for Box<CStr> {
    fn describe(types: &mut Types) -> Description {
        CStr::describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        CString::read(site, rows).map(CString::into_boxed_c_str)
    }
}
