//! Rust types as they are: what they describe, write and read. Derived code uses this; so can code by hand.
//!
//! ```
//! use holdall::{Decode, Encode};
//!
//! #[derive(Debug, PartialEq, Encode, Decode)]
//! struct User {
//!     id: u64,
//!     name: String,
//!     tags: Vec<String>,
//! }
//!
//! let users = vec![User { id: 7, name: "Ada".into(), tags: vec![] }];
//! let bytes = holdall::to_vec(&users)?;
//! assert_eq!(holdall::from_slice::<Vec<User>>(&bytes)?, users);
//! # Ok::<(), holdall::Error>(())
//! ```
//!
//! # What derived types are
//!
//! A struct with named fields is a struct of its name; one without names of fields is its only field, or a struct with the
//! fields `0`, `1` and so on. An enum is a named union; `spec/format.md`, chapter 16, has all types. A type that is inside
//! itself is a definition, and its values may be [`Limits::depth`](crate::Limits::depth) deep. `Rc` and `Arc` keep their
//! identity, and cycles close through `Weak`. A [`Value`](crate::Value) can only be the root.
//!
//! # Attributes
//!
//! | of | `#[holdall(...)]` | |
//! |---|---|---|
//! | types | `rename = "Name"` | the name in the schema |
//! | | `rename_all = "camelCase"` | all fields or variants are spelled like this: `lowercase`, `UPPERCASE`, `PascalCase`, `camelCase`, `snake_case`, `SCREAMING_SNAKE_CASE`, `kebab-case`, `SCREAMING-KEBAB-CASE` |
//! | | `alias = "Old"` | another name that data may have for a struct, where it tells the version or one in an unnamed union |
//! | | `default`, `default = "function"` | fields that the data lack are those of this whole value |
//! | | `transparent` | a struct is what its only field is |
//! | | `from = "T"`, `try_from = "T"`, `into = "T"` | it is written and read as another type |
//! | | `version = 2` | a struct's version, 1 if none is said; from 2 on it stands in the name: `Name@2` |
//! | | `upgrade(1 = "function")` | data of that version are read as the type that the function takes, and become what it gives, or its `Result` |
//! | | `bound = "T: Trait"` | in place of the bounds of all type parameters |
//! | | `crate = "path"` | where the crate is |
//! | variants | `rename`, `rename_all`, `alias` | |
//! | | `other` | one without fields: what variants of the data become that the enum lacks; what they hold is skipped |
//! | fields | `rename`, `alias` | |
//! | | `skip` | not in the data; the default when it is read |
//! | | `default`, `default = "function"` | what it is if the data lack it |
//! | | `with = "module"` | as what `module::encode(&T)` gives; `module::decode` gives it back, as a `Result` |
//!
//! `docs/evolution.md` has examples of those that say how data of other versions are read.

mod columns;
mod describe;
mod follow;
mod impls;
mod layout;
mod message;
mod plan;
mod rows;
mod versions;

pub use columns::Columns;
pub use describe::{Description, TypeNumber, Types};
pub use plan::Site;
pub use rows::Rows;
#[doc(hidden)]
pub use versions::{Always, OldVersion, Perhaps, Upgrade};

pub(crate) use columns::Buffers;
pub(crate) use message::message_of;
pub(crate) use plan::Plan;

use crate::error::Result;
use crate::message::{Decoder, Encoder};
use crate::schema::Schema;

/// A type whose values can be written; by `#[derive(holdall::Encode)]`.
///
/// ```
/// assert_eq!(holdall::to_vec(&300_u32)?, [0xC1, 0x10, 0x06, 0xB1, 0x04]);
/// # Ok::<(), holdall::Error>(())
/// ```
pub trait Encode {
    /// What the type is in a schema.
    fn describe(types: &mut Types) -> Description;

    /// The schema of all values of the type, made once.
    ///
    /// ```
    /// use holdall::Encode;
    ///
    /// assert_eq!(<(u8, Vec<String>)>::schema()?.to_string(), "tuple(u8, list(string))");
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// `limit_sites`, `limit_nesting`; `unsupported_value` of a type whose values have schemas of their own, as
    /// [`Value`](crate::Value) has.
    fn schema() -> Result<Schema> {
        Ok(Plan::of_written::<Self>()?.schema.clone())
    }

    /// The fingerprint of [`Encode::schema`].
    ///
    /// # Errors
    /// As [`Encode::schema`].
    fn fingerprint() -> Result<u64> {
        Ok(Self::schema()?.fingerprint())
    }

    /// Writes one value as the next row of a site.
    ///
    /// # Errors
    /// `limit_depth`, `unsupported_value`.
    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()>;

    /// Writes values as the next rows of a site.
    ///
    /// # Errors
    /// As [`Encode::write`].
    fn write_rows<'r, R>(mut rows: R, site: Site, columns: &mut Columns<'_>) -> Result<()>
    where
        Self: 'r,
        R: Iterator<Item = &'r Self> + Clone,
    {
        rows.try_for_each(|row| row.write(site, columns))
    }

    /// The message of a type whose schema depends on the value.
    #[doc(hidden)]
    fn dynamic_message(&self, _encoder: &mut Encoder) -> Option<Result<Vec<u8>>> {
        None
    }
}

/// A type whose values can be read; by `#[derive(holdall::Decode)]`.
///
/// `'de` is how long the input lives, for values that borrow from it.
pub trait Decode<'de>: Sized {
    /// What the type is in a schema.
    fn describe(types: &mut Types) -> Description;

    /// Reads the next row of a site.
    ///
    /// # Errors
    /// `unconvertible`, `duplicate_key`, `limit_depth`, `limit_budget`.
    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self>;

    /// Reads the next rows of a site.
    ///
    /// # Errors
    /// As [`Decode::read`].
    fn read_list(count: usize, site: Site, rows: &mut Rows<'_, 'de>) -> Result<Vec<Self>> {
        rows.allocate::<Self>(count)?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(Self::read(site, rows)?);
        }
        Ok(list)
    }

    /// A value of a type that any schema can be read into.
    #[doc(hidden)]
    fn dynamic_message(_decoder: &mut Decoder, _message: &'de [u8]) -> Option<Result<Self>> {
        None
    }
}

/// A type that is read from any input, since it borrows nothing from it.
pub trait DecodeOwned: for<'de> Decode<'de> {}

impl<T: for<'de> Decode<'de>> DecodeOwned for T {}
