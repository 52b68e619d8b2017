//! Text of the operating system: `OsString`, stored as a string, and `CString`, stored as bytes.

use alloc::boxed::Box;
use alloc::ffi::CString;
use core::ffi::CStr;
use std::ffi::{OsStr, OsString};

use crate::error::{Code, Error, Result};
use crate::memory;
use crate::schema::Scalar;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

/// Every system can read it, as it can a path.
impl Encode for OsStr {
    fn describe(types: &mut Types) -> Description {
        str::describe(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let text = self.to_str().ok_or_else(|| {
            Error::new(Code::UnsupportedValue)
                .expected("text of the system that is valid Unicode")
                .got(format!("{}", self.display()))
        })?;
        text.write(site, columns)
    }
}

impl Encode for OsString {
    fn describe(types: &mut Types) -> Description {
        str::describe(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self.as_os_str().write(site, columns)
    }
}

impl<'de> Decode<'de> for OsString {
    fn describe(types: &mut Types) -> Description {
        str::describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        rows.text(site).map(|text| memory::text(text).into())
    }
}

impl<'de> Decode<'de> for Box<OsStr> {
    fn describe(types: &mut Types) -> Description {
        str::describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        OsString::read(site, rows).map(OsString::into_boxed_os_str)
    }
}

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
