//! Errors as data: their text and those of their sources. What is read has the texts and not the types.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::error::Error as StdError;
use core::fmt;

use crate::error::{Code, Error, Result};
use crate::memory::{self, GrowVec};
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, TypeNumber, Types};

/// The most sources of an error, one inside the other: a source may refer to an error around it.
const SOURCES: usize = 128;

/// An error that was written as data: what `Box<dyn Error>` holds after it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredError {
    message: String,
    source: Option<Box<StoredError>>,
}

impl fmt::Display for StoredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for StoredError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

fn describe(text: TypeNumber, types: &mut Types) -> Description {
    let sources = types.add(Description::list(text));
    Description::structure("Error", [("message", text), ("sources", sources)])
}

fn write(error: &dyn StdError, site: Site, columns: &mut Columns<'_>) -> Result<()> {
    error.to_string().write(columns.child(site, 0), columns)?;
    let (mut sources, mut next) = (Vec::new(), error.source());
    while let Some(source) = next {
        if sources.len() == SOURCES {
            let expected = format!("an error with at most {SOURCES} sources");
            let error = Error::new(Code::UnsupportedValue).expected(expected).got("more");
            return Err(columns.refused(site, error));
        }
        sources.put(source.to_string());
        next = source.source();
    }
    sources.write(columns.child(site, 1), columns)
}

impl<'de> Decode<'de> for StoredError {
    fn describe(types: &mut Types) -> Description {
        let text = types.read::<String>();
        describe(text, types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let message = memory::text(rows.text(rows.child(site, 0))?);
        let sources: Vec<String> = Vec::read(rows.child(site, 1), rows)?;
        if sources.len() > SOURCES {
            let expected = format!("an error with at most {SOURCES} sources");
            return Err(rows.unconvertible(site, expected, sources.len().to_string()));
        }
        let source = sources
            .into_iter()
            .rev()
            .fold(None, |source, message| Some(Box::new(StoredError { message, source })));
        Ok(StoredError { message, source })
    }
}

macro_rules! errors {
    ($($(+ $auto:ident)*;)*) => {$(
        impl Encode for dyn StdError $(+ $auto)* {
            fn describe(types: &mut Types) -> Description {
                let text = types.written::<String>();
                describe(text, types)
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                write(self, site, columns)
            }
        }

        impl<'de> Decode<'de> for Box<dyn StdError $(+ $auto)*> {
            fn describe(types: &mut Types) -> Description {
                Description::alias(types.read::<StoredError>())
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                StoredError::read(site, rows).map(|error| Box::new(error) as _)
            }
        }
    )*};
}

errors! {
    ;
    + Send + Sync;
}

impl Encode for StoredError {
    fn describe(types: &mut Types) -> Description {
        <dyn StdError>::describe(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        write(self, site, columns)
    }
}
