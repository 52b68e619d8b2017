//! Reads and writes Rust types without a [`Value`] in between. Derived code uses this module; so can code by hand.
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
//! # How derived types are stored
//!
//! A struct with named fields is a struct with its name; one with unnamed fields is its only field, or a struct
//! with the fields `0`, `1` and so on. An enum is a named union; `spec/format.md`, chapter 16, has all types. A
//! recursive type is a definition, and its values can nest up to [`Limits::depth`](crate::Limits::depth) levels.
//! `Rc` and `Arc` keep their identity, but not `Rc<str>` and `Arc<str>`, which are text. Cycles close through
//! `Weak`. A type with `Weak` inside is read twice, first as a dry run, so its functions (`with`, `try_from`,
//! `upgrade`) must return the same result for the same input. They may also be called twice for a message that is
//! not valid.
//!
#![doc = include_str!("guide.md")]

mod block;
mod buffers;
mod columns;
mod cursor;
mod describe;
mod dynamic_sites;
mod fields;
mod follow;
mod gathered;
mod impls;
mod inline;
mod items;
mod kept;
mod layout;
mod message;
mod objects;
mod other;
mod packed;
mod plan;
mod plans;
mod refs;
mod rows;
mod scalars;
mod sizes;
mod slots;
#[cfg(feature = "std")]
mod unordered;
mod versions;
#[cfg(feature = "std")]
mod written;

use alloc::vec::Vec;

/// What derived code makes vectors of: a program's own crate may have no name for it.
#[doc(hidden)]
pub extern crate alloc;
pub use columns::Columns;
pub use describe::{Description, TypeNumber, Types};
pub use impls::StoredError;
#[doc(hidden)]
pub use inline::{InlineColumns, InlineRows};
#[doc(hidden)]
pub use items::{Each, EachOfCollection, HasItems, TakesItems};
#[doc(hidden)]
pub use objects::Done;
pub use packed::{BorrowList, Pack, Unpack, same_end};
pub use plan::Site;
pub use refs::Refs;
pub use rows::Rows;
#[doc(hidden)]
pub use sizes::RowSizes;
pub use slots::Slots;
#[doc(hidden)]
pub use slots::{Batch, Drained, Scattered, is_movable};
#[doc(hidden)]
pub use versions::{Fallible, Infallible, OldVersion, Upgrade};

pub(crate) use buffers::Buffers;
pub(crate) use kept::KeptBlock;
pub(crate) use message::{TypedReader, TypedWriter, WriteMemory, message_of};
pub(crate) use packed::same_list;
pub(crate) use plan::Plan;
#[cfg(feature = "std")]
pub(crate) use written::TypedRows;

use self::rows::no_memory;
use crate::dynamic::Shredder;
use crate::error::Result;
use crate::schema::Schema;
use crate::value::Value;

/// A type whose values can be written; implement it with `#[derive(holdall::Encode)]`.
///
/// ```
/// assert_eq!(holdall::to_vec(&300_u32)?, [0xC1, 0x10, 0x06, 0xB1, 0x04]);
/// # Ok::<(), holdall::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written: it does not implement `holdall::Encode`",
    note = "derive it for a type of your own: `#[derive(holdall::Encode)]`",
    note = "for a type with serde's `Serialize`, use `holdall::serde::to_vec` (feature `serde`), or `#[holdall(with = \"module\")]` for a field",
    note = "types of other crates have features, which the documentation of `holdall::typed` lists"
)]
pub trait Encode {
    /// Describes the type for a schema.
    fn describe(types: &mut Types) -> Description;

    /// Returns the schema of all values of the type. It is made once.
    ///
    /// ```
    /// use holdall::Encode;
    ///
    /// assert_eq!(<(u8, Vec<String>)>::schema()?.to_string(), "tuple(u8, list(string))");
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// `limit_sites`, `limit_nesting`; `unsupported_value` for a type whose values decide their schema: [`Value`], and types
    /// that contain one.
    fn schema() -> Result<Schema> {
        Ok(Plan::of_written::<Self>()?.constant_schema()?.clone())
    }

    /// Returns the fingerprint of [`Encode::schema`].
    ///
    /// # Errors
    /// As [`Encode::schema`].
    fn fingerprint() -> Result<u64> {
        Ok(Self::schema()?.fingerprint())
    }

    /// The length in bytes of the bare body ([`Header::Bare`](crate::Header)) of every value of the type, in profile fast;
    /// none if it differs from value to value. The compiler knows it: [`to_array`](crate::to_array) returns the bodies of such
    /// types as arrays.
    ///
    /// It differs for
    /// - integers of more than 8 bits, options, lists, maps and text;
    /// - arrays of 4 or more items: from 4 rows on, a column has the encoding that makes it shortest. That of packed structs,
    ///   UUIDs and addresses has one encoding in this profile, so their arrays have a size;
    /// - enums of several variants with fields, even if these are equally long, as they can be recursive.
    ///
    /// A struct of integers has one if it is `packed`.
    ///
    /// ```
    /// use holdall::Encode;
    ///
    /// #[derive(Encode)]
    /// #[holdall(packed)]
    /// struct Reading { sensor: u32, time: u64, value: f32 }
    ///
    /// assert_eq!(Reading::SIZE, Some(16));
    /// assert_eq!(<[Reading; 4]>::SIZE, Some(65)); // a byte for the encoding, from 64 bytes on
    /// assert_eq!(<(u8, [f64; 3], bool)>::SIZE, Some(26));
    /// assert_eq!(<[f64; 4]>::SIZE, None);
    /// assert_eq!(u32::SIZE, None);
    /// ```
    const SIZE: Option<usize> = Self::SIZES.of_one();

    /// [`Encode::SIZE`] of several rows of one site.
    #[doc(hidden)]
    const SIZES: RowSizes = RowSizes::VARIABLE;

    /// Writes one value as the next row of a site.
    ///
    /// # Errors
    /// `limit_depth`, `unsupported_value`.
    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()>;

    /// Writes values as the next rows of a site.
    ///
    /// # Errors
    /// As [`Encode::write`].
    fn write_rows(rows: Refs<'_, Self>, site: Site, columns: &mut Columns<'_>) -> Result<()>
    where
        Self: Sized,
    {
        rows.iter().try_for_each(|row| row.write(site, columns))
    }

    /// Writes the items of lists as the next rows of a site, in batches: large items are then loaded from memory
    /// once.
    ///
    /// # Errors
    /// As [`Encode::write`].
    #[inline]
    fn write_lists(lists: &[&[Self]], site: Site, columns: &mut Columns<'_>) -> Result<()>
    where
        Self: Sized,
    {
        columns.write_lists(lists, site)
    }

    /// Writes the items of arrays as the next rows of a site.
    ///
    /// # Errors
    /// As [`Encode::write`].
    #[doc(hidden)]
    fn write_arrays<const LEN: usize>(
        rows: Refs<'_, [Self; LEN]>,
        site: Site,
        columns: &mut Columns<'_>,
    ) -> Result<()>
    where
        Self: Sized,
    {
        match LEN <= slots::MAX_GATHERED_LIST {
            true => columns.write_all(rows.iter().flatten(), site),
            false => rows.iter().try_for_each(|row| Self::write_lists(&[row], site, columns)),
        }
    }

    /// Writes the items of a slice. Those of `[u8]` are written raw, so that they can be borrowed; those of a
    /// vector may take fewer bits.
    ///
    /// # Errors
    /// As [`Encode::write`].
    #[doc(hidden)]
    #[inline]
    fn write_slice(list: &[Self], site: Site, columns: &mut Columns<'_>) -> Result<()>
    where
        Self: Sized,
    {
        Self::write_lists(&[list], site, columns)
    }

    /// Whether a value that is an entire message can be written inline, without columns.
    #[doc(hidden)]
    const IS_INLINE: bool = false;

    /// Writes a value as the only row of a site without definitions inside.
    ///
    /// # Errors
    /// As [`Encode::write`].
    #[doc(hidden)]
    fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
        columns.columns(self)
    }

    /// Whether a list that is the only row of its site has one column of its items alone: such lists, of any
    /// length, are written straight from their memory.
    #[doc(hidden)]
    const IS_DIRECT: bool = false;

    /// Writes the items of such a list, at least one.
    #[doc(hidden)]
    fn write_direct(_list: &[Self], _columns: &mut InlineColumns<'_>)
    where
        Self: Sized,
    {
    }

    /// Whether a few values can be written one column after the other without buffers: no site inside has more rows
    /// than there are values.
    #[doc(hidden)]
    const IS_FLAT: bool = false;

    /// Writes values as all the rows of a site; for flat types.
    ///
    /// # Errors
    /// As [`Encode::write`]; `bad_source` for other types.
    #[doc(hidden)]
    fn write_flat(_rows: Refs<'_, Self>, _columns: &mut InlineColumns<'_>) -> Result<()>
    where
        Self: Sized,
    {
        Err(buffers::mismatch())
    }

    /// Emits a value of a type whose values each have their own schema, as [`Value`] has.
    #[doc(hidden)]
    const DRIVE: Option<fn(&Self, &mut Shredder) -> Result<()>> = None;
}

/// A type whose values can be read; implement it with `#[derive(holdall::Decode)]`.
///
/// `'de` is the lifetime of the input, for values that borrow from it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read: it does not implement `holdall::Decode`",
    note = "derive it for a type of your own: `#[derive(holdall::Decode)]`",
    note = "for a type with serde's `Deserialize`, use `holdall::serde::from_slice` (feature `serde`), or `#[holdall(with = \"module\")]` for a field",
    note = "types of other crates have features, which the documentation of `holdall::typed` lists"
)]
pub trait Decode<'de>: Sized {
    /// Describes the type for a schema.
    fn describe(types: &mut Types) -> Description;

    /// Reads the next row of a site.
    ///
    /// # Errors
    /// `unconvertible`, `duplicate_key`, `limit_depth`, `limit_budget`.
    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self>;

    /// Reads the next row of a site over a value, and reuses its memory. After an error, parts of the value may be
    /// overwritten.
    ///
    /// # Errors
    /// As [`Decode::read`].
    #[inline]
    fn read_over(&mut self, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        *self = Self::read(site, rows)?;
        Ok(())
    }

    /// Reads the next rows of a site into all free slots.
    ///
    /// # Errors
    /// As [`Decode::read`].
    #[inline]
    fn read_rows(slots: &mut Slots<'_, Self>, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        Self::read_row_major(slots, site, rows)
    }

    /// Like [`Decode::read_rows`], one entire row after the other.
    ///
    /// # Errors
    /// As [`Decode::read`].
    #[doc(hidden)]
    #[inline]
    fn read_row_major(
        slots: &mut Slots<'_, Self>,
        site: Site,
        rows: &mut Rows<'_, 'de>,
    ) -> Result<()> {
        while slots.left() > 0 {
            slots.push(Self::read(site, rows)?);
        }
        Ok(())
    }

    /// Reads the next rows of a site.
    ///
    /// # Errors
    /// As [`Decode::read`].
    fn read_list(count: usize, site: Site, rows: &mut Rows<'_, 'de>) -> Result<Vec<Self>> {
        Self::read_list_in_slots(count, site, rows)
    }

    /// Like [`Decode::read_list`], with [`Decode::read_rows`].
    ///
    /// # Errors
    /// As [`Decode::read`].
    #[doc(hidden)]
    #[inline]
    fn read_list_in_slots(count: usize, site: Site, rows: &mut Rows<'_, 'de>) -> Result<Vec<Self>> {
        let mut list = rows.room(count)?;
        slots::append(&mut list, count, |slots| Self::read_rows(slots, site, rows))?;
        Ok(list)
    }

    /// Reads lists of these lengths from the next rows of a site; at most as many as there are slots.
    ///
    /// # Errors
    /// As [`Decode::read`].
    #[doc(hidden)]
    #[inline]
    fn read_lists(
        mut lens: &[u64],
        lists: &mut Slots<'_, Vec<Self>>,
        site: Site,
        rows: &mut Rows<'_, 'de>,
    ) -> Result<()> {
        while let Some(&first) = lens.first() {
            // Reads the items of several short lists in one batch, and moves them.
            let (count, items) = match is_movable::<Self>() {
                true => slots::lists_at_once(lens),
                false => (1, first as usize),
            };
            if count == 1 {
                lists.push(match first {
                    0 => Vec::new(),
                    len => Self::read_list(len as usize, site, rows)?,
                });
                lens = &lens[1..];
                continue;
            }
            let (some, rest) = lens.split_at(count);
            rows.allocate::<Self>(items)?;
            slots::batch(
                items,
                |slots| Self::read_rows(slots, site, rows),
                |items| lists.extend(some.iter().map(|&len| items.list(len as usize))),
            )?;
            lens = rest;
        }
        Ok(())
    }

    /// Borrows the next rows of a site from the input; takes none if that is not possible.
    ///
    /// # Errors
    /// As [`Decode::read`].
    #[doc(hidden)]
    fn borrow_list<'a>(
        _count: usize,
        _site: Site,
        _rows: &mut Rows<'_, 'de>,
    ) -> Result<Option<&'a [Self]>>
    where
        'de: 'a,
        Self: 'a,
    {
        Ok(None)
    }

    /// Reads the next rows of a site over a list, as [`Decode::read_over`].
    ///
    /// # Errors
    /// As [`Decode::read`].
    #[doc(hidden)]
    fn read_list_over(
        list: &mut Vec<Self>,
        count: usize,
        site: Site,
        rows: &mut Rows<'_, 'de>,
    ) -> Result<()> {
        list.truncate(if core::mem::needs_drop::<Self>() { count } else { 0 });
        list.iter_mut().try_for_each(|value| value.read_over(site, rows))?;
        let more = count - list.len();
        rows.allocate::<Self>(more)?;
        list.try_reserve(more).map_err(|_| no_memory::<Self>(count))?;
        slots::append(list, more, |slots| Self::read_rows(slots, site, rows))
    }

    /// Whether a value that is an entire message can be read inline, without columns.
    #[doc(hidden)]
    const IS_INLINE: bool = false;

    /// Reads a value that is the only row of a site without definitions inside. Returns none if it is not valid or
    /// not in plain form: then reading the columns finds the fault.
    #[doc(hidden)]
    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        rows.columns()
    }

    /// As [`Encode::IS_FLAT`].
    #[doc(hidden)]
    const IS_FLAT: bool = false;

    /// Reads all rows of a site, one into each slot; for flat types. Returns none as [`Decode::read_inline`] does.
    #[doc(hidden)]
    fn read_flat(_slots: &mut Slots<'_, Self>, _rows: &mut InlineRows<'_, 'de>) -> Option<()> {
        None
    }

    /// For a type that any schema can be read into: converts from a value.
    #[doc(hidden)]
    const OF_VALUE: Option<fn(Value) -> Self> = None;
}

/// A type that borrows nothing from its input, so that it can be read from any.
pub trait DecodeOwned: for<'de> Decode<'de> {}

impl<T: for<'de> Decode<'de>> DecodeOwned for T {}
