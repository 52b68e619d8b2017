//! Types that are stored as their text, and parsed when they are read.

#[cfg(feature = "semver")]
use alloc::string::ToString;

use crate::error::Result;
#[cfg(feature = "url")]
use crate::schema::LogicalType;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

/// A type that is written as a string: how to get and parse it, and what it is called in errors.
#[cfg(feature = "semver")]
macro_rules! strings {
    ($($ty:ty, $what:literal;)*) => {$(
        impl Encode for $ty {
            fn describe(types: &mut Types) -> Description {
                str::describe(types)
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                self.to_string().write(site, columns)
            }
        }

        impl<'de> Decode<'de> for $ty {
            fn describe(types: &mut Types) -> Description {
                str::describe(types)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                let text = rows.text(site)?;
                text.parse().map_err(|error| rows.unconvertible(site, $what, format!("{text:?}: {error}")))
            }
        }
    )*};
}

#[cfg(feature = "semver")]
strings! {
    semver::Version, "a semantic version";
    semver::VersionReq, "a requirement of semantic versions";
}

#[cfg(feature = "url")]
impl Encode for url::Url {
    fn describe(types: &mut Types) -> Description {
        let text = types.written::<str>();
        Description::logical(LogicalType::unchecked(LogicalType::URL, &[]), text)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self.as_str().write(columns.child(site, 0), columns)
    }
}

#[cfg(feature = "url")]
impl<'de> Decode<'de> for url::Url {
    fn describe(types: &mut Types) -> Description {
        <url::Url as Encode>::describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let text = rows.text(rows.child(site, 0))?;
        url::Url::parse(text)
            .map_err(|error| rows.unconvertible(site, "a URL", format!("{text:?}: {error}")))
    }
}
