//! Text and paths of the operating system, stored as strings.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::error::{Code, Error, Result};
use crate::memory;
use crate::schema::LogicalType;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, TypeNumber, Types};

/// Every system can read it, as it can a path.
impl Encode for OsStr {
    fn describe(types: &mut Types) -> Description {
        str::describe(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let text = self.to_str().ok_or_else(|| {
            let error = Error::new(Code::UnsupportedValue)
                .expected("text of the system that is valid Unicode")
                .got(format!("{}", self.display()));
            columns.refused(site, error)
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

impl<'de> Decode<'de> for Cow<'_, Path> {
    fn describe(types: &mut Types) -> Description {
        <PathBuf as Decode>::describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        PathBuf::read(site, rows).map(Cow::Owned)
    }
}

/// Describes paths of this system: text if they are UTF-8, so that every system can read them.
fn path_of(text: TypeNumber) -> Description {
    Description::logical(LogicalType::unchecked(LogicalType::PATH, &[0, 0]), text)
}

impl Encode for Path {
    fn describe(types: &mut Types) -> Description {
        path_of(types.written::<str>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let text = self.to_str().ok_or_else(|| {
            let error = Error::new(Code::UnsupportedValue)
                .expected("a path that is valid Unicode")
                .got(format!("{}", self.display()));
            columns.refused(site, error)
        })?;
        text.write(columns.child(site, 0), columns)
    }
}

impl Encode for PathBuf {
    fn describe(types: &mut Types) -> Description {
        Path::describe(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self.as_path().write(site, columns)
    }
}

macro_rules! paths {
    ($($ty:ty),*) => {$(
        impl<'de> Decode<'de> for $ty {
            fn describe(types: &mut Types) -> Description {
                path_of(types.read::<String>())
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                Ok(PathBuf::from(rows.text(rows.child(site, 0))?).into())
            }
        }
    )*};
}

paths! { PathBuf, Box<Path> }
