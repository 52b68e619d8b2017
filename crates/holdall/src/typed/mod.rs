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
//! identity, and cycles close through `Weak`; a type with `Weak` inside is read twice, the first time only to see that it can
//! be, so its functions (`with`, `try_from`, `upgrade`) must give the same for the same. Where a message is not valid, they may be
//! called twice, too. A [`Value`] can only be the root.
//!
//! # Types of other crates
//!
//! Each behind a feature of the crate's name. Types of one meaning have one schema, so that one reads what another wrote: a
//! `chrono::DateTime<Utc>`, a `time::UtcDateTime`, a `jiff::Timestamp` and a [`SystemTime`](std::time::SystemTime) are all a
//! timestamp in UTC. A value that a type has no place for (another range, a leap second, a zone that nobody knows) is an error,
//! never another value. No feature changes a byte.
//!
//! | feature | types | |
//! |---|---|---|
//! | `arrayvec` | `ArrayVec`, `ArrayString` | list, string; `unconvertible` if there is no room |
//! | `bigdecimal` | `BigDecimal` | decimal |
//! | `bytes` | `Bytes`, `BytesMut` | bytes, byte array |
//! | `chrono` | `NaiveDate`, `NaiveTime`, `NaiveDateTime`, `DateTime` of `Utc`, `Local`, `FixedOffset`, `TimeDelta`, `FixedOffset`, `Weekday`, `Month` | no leap seconds; `Local` is written in UTC, and read with the clock of the machine |
//! | `indexmap` | `IndexMap`, `IndexSet` | ordered map, set |
//! | `jiff` | `Timestamp`, `Zoned`, `civil::{Date, Time, DateTime, Weekday}`, `SignedDuration`, `Span`, `tz::Offset` | zones by their name in the IANA database |
//! | `ndarray` | `Array` of any rank, `ArcArray`; views are written | tensor, in the order that it has in memory |
//! | `num-bigint` | `BigInt`, `BigUint` | int |
//! | `num-complex` | `Complex` | complex; a tuple, if not of `f32` or `f64` |
//! | `num-rational` | `Ratio` of integers | rational; the denominator is above 0 |
//! | `rust_decimal` | `Decimal` | decimal, with its scale |
//! | `smallvec` | `SmallVec` | list |
//! | `time` | `Date`, `Time`, `PrimitiveDateTime`, `UtcDateTime`, `OffsetDateTime`, `Duration`, `UtcOffset`, `Weekday`, `Month` | |
//! | `uuid` | `Uuid`, `NonNilUuid` | uuid |
//!
//! `f16` and `bf16` of the crate half need no feature.
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
//! | | `packed` | a struct of numbers is written whole, row by row, as it is in memory if nothing is between its fields: fastest to copy and to borrow, but nothing of it is compressed on its own |
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

mod buffers;
mod columns;
mod cursor;
mod describe;
mod follow;
mod impls;
mod inline;
mod layout;
mod message;
mod packed;
mod plan;
mod rows;
mod scalars;
mod slots;
mod unordered;
mod versions;
mod written;

pub use columns::Columns;
pub use describe::{Description, TypeNumber, Types};
#[doc(hidden)]
pub use inline::{InlineColumns, InlineRows};
pub use packed::{BorrowList, Pack, Unpack, same_end};
pub use plan::Site;
pub use rows::Rows;
pub use slots::Slots;
#[doc(hidden)]
pub use versions::{Fallible, Infallible, OldVersion, Upgrade};

pub(crate) use buffers::Buffers;
pub(crate) use message::{TypedReader, TypedWriter, WriteMemory, message_of};
pub(crate) use plan::Plan;
pub(crate) use written::TypedRows;

use self::rows::no_memory;
use crate::dynamic::Shredder;
use crate::error::Result;
use crate::schema::Schema;
use crate::value::Value;

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
    /// [`Value`] has.
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

    /// Writes the items of a slice. Those of `[u8]` are written as they are, so that they can be borrowed; a vector's may take
    /// fewer bits.
    ///
    /// # Errors
    /// As [`Encode::write`].
    #[doc(hidden)]
    #[inline]
    fn write_slice(list: &[Self], site: Site, columns: &mut Columns<'_>) -> Result<()>
    where
        Self: Sized,
    {
        Self::write_list(list, site, columns)
    }

    /// Writes the items of a list as the next rows of a site, a few at a time: what is large is read from memory once.
    ///
    /// # Errors
    /// As [`Encode::write`].
    #[inline]
    fn write_list(list: &[Self], site: Site, columns: &mut Columns<'_>) -> Result<()>
    where
        Self: Sized,
    {
        list.chunks(slots::BATCH_ROWS)
            .try_for_each(|some| Self::write_rows(some.iter(), site, columns))
    }

    /// Writes those values that are there as the next rows of a site, a few at a time.
    ///
    /// # Errors
    /// As [`Encode::write`].
    #[doc(hidden)]
    #[inline]
    fn write_present<'r>(
        mut rows: impl Iterator<Item = Option<&'r Self>>,
        site: Site,
        columns: &mut Columns<'_>,
    ) -> Result<()>
    where
        Self: Sized + 'r,
    {
        let Some(first) = rows.by_ref().flatten().next() else { return Ok(()) };
        // Each place is written, and counted if it holds a value: which ones do, no processor can foretell.
        let (mut some, mut count) = ([first; slots::BATCH_ROWS + 1], 1);
        for row in rows {
            some[count] = row.unwrap_or(first);
            count += usize::from(row.is_some());
            if count == slots::BATCH_ROWS {
                Self::write_rows(some[..count].iter().copied(), site, columns)?;
                count = 0;
            }
        }
        Self::write_rows(some[..count].iter().copied(), site, columns)
    }

    /// Writes the items of lists as the next rows of a site.
    ///
    /// # Errors
    /// As [`Encode::write`].
    #[doc(hidden)]
    #[inline]
    fn write_lists<'r>(
        lists: impl Iterator<Item = &'r [Self]>,
        site: Site,
        columns: &mut Columns<'_>,
    ) -> Result<()>
    where
        Self: Sized + 'r,
    {
        // Items of short lists are gathered, so that there are many of them at once.
        let mut lists = lists.skip_while(|list| list.is_empty());
        let Some(first) = lists.next() else { return Ok(()) };
        let (mut some, mut count) =
            ([&first[0]; slots::BATCH_ROWS + slots::MAX_BRANCHLESS_LIST], 0);
        for list in std::iter::once(first).chain(lists) {
            if count > 0 && count + list.len() > slots::BATCH_ROWS {
                Self::write_rows(some[..count].iter().copied(), site, columns)?;
                count = 0;
            }
            if list.len() > slots::MAX_GATHERED_LIST {
                Self::write_rows(some[..count].iter().copied(), site, columns)?;
                count = 0;
                Self::write_list(list, site, columns)?;
                continue;
            }
            // Of tiny lists as many items as the longest of them has, those it lacks in vain: how many there are, or whether any,
            // no processor can foretell.
            let (tiny, rest) = some[count..].split_at_mut(slots::MAX_BRANCHLESS_LIST);
            for (index, at) in tiny.iter_mut().enumerate() {
                *at = list.get(index).unwrap_or(&first[0]);
            }
            if list.len() > slots::MAX_BRANCHLESS_LIST {
                rest.iter_mut()
                    .zip(&list[slots::MAX_BRANCHLESS_LIST..])
                    .for_each(|(at, item)| *at = item);
            }
            count += list.len();
        }
        Self::write_rows(some[..count].iter().copied(), site, columns)
    }

    /// Whether a value that is all of a message is written without columns, if it can be.
    #[doc(hidden)]
    const IS_INLINE: bool = false;

    /// Writes a value as the only row of a site, one inside which no type is a definition.
    ///
    /// # Errors
    /// As [`Encode::write`].
    #[doc(hidden)]
    fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
        columns.columns(self)
    }

    /// Whether a list of values that is the only row of its site is one column of nothing but them: such lists are written
    /// from where they are, however long.
    #[doc(hidden)]
    const IS_DIRECT: bool = false;

    /// Writes the values of such a list, which are not none.
    #[doc(hidden)]
    fn write_direct(_list: &[Self], _columns: &mut InlineColumns<'_>)
    where
        Self: Sized,
    {
    }

    /// Whether few values are written one column after the other, without any around them: in one of them nothing has more
    /// rows than it has itself.
    #[doc(hidden)]
    const IS_FLAT: bool = false;

    /// Writes values as the rows of a site of so many; of types that are flat.
    ///
    /// # Errors
    /// As [`Encode::write`]; `bad_source` of other types.
    #[doc(hidden)]
    fn write_flat<'r>(
        _rows: impl Iterator<Item = &'r Self> + Clone,
        _columns: &mut InlineColumns<'_>,
    ) -> Result<()>
    where
        Self: Sized + 'r,
    {
        Err(buffers::mismatch())
    }

    /// Emits a value of a type whose values each have a schema of their own, as [`Value`] has.
    #[doc(hidden)]
    const DRIVE: Option<fn(&Self, &mut Shredder) -> Result<()>> = None;
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

    /// Reads the next row of a site in place of a value, with the memory that it has allocated. After an error the value is
    /// partly the old one, partly the other.
    ///
    /// # Errors
    /// As [`Decode::read`].
    #[inline]
    fn read_over(&mut self, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        *self = Self::read(site, rows)?;
        Ok(())
    }

    /// Reads the next rows of a site into all slots that are left.
    ///
    /// # Errors
    /// As [`Decode::read`].
    #[inline]
    fn read_rows(slots: &mut Slots<'_, Self>, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        Self::read_row_major(slots, site, rows)
    }

    /// The same, one whole row after the other.
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

    /// The same, by [`Decode::read_rows`].
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

    /// Reads lists of the next rows of a site, which are so long; at most as many as there are slots.
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
            // Items of short lists are read side by side, and moved.
            let (count, items) = match slots::is_movable::<Self>() {
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

    /// Borrows the next rows of a site from the input; none is taken if that cannot be.
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

    /// Reads the next rows of a site in place of a list, as [`Decode::read_over`].
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
        list.truncate(if std::mem::needs_drop::<Self>() { count } else { 0 });
        list.iter_mut().try_for_each(|value| value.read_over(site, rows))?;
        let more = count - list.len();
        rows.allocate::<Self>(more)?;
        list.try_reserve(more).map_err(|_| no_memory::<Self>(count))?;
        slots::append(list, more, |slots| Self::read_rows(slots, site, rows))
    }

    /// Whether a value that is all of a message is read without columns, if it can be.
    #[doc(hidden)]
    const IS_INLINE: bool = false;

    /// Reads a value that is the only row of a site, one inside which no type is a definition. It is none if it is not valid
    /// or something is not as usual; the columns then tell.
    #[doc(hidden)]
    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        rows.columns()
    }

    /// As [`Encode::IS_FLAT`].
    #[doc(hidden)]
    const IS_FLAT: bool = false;

    /// Reads the rows of a site into all slots, which are as many; of types that are flat. It is none as of
    /// [`Decode::read_inline`].
    #[doc(hidden)]
    fn read_flat(_places: &mut Slots<'_, Self>, _rows: &mut InlineRows<'_, 'de>) -> Option<()> {
        None
    }

    /// Of a type that any schema can be read into: what a value becomes.
    #[doc(hidden)]
    const OF_VALUE: Option<fn(Value) -> Self> = None;
}

/// A type that is read from any input, since it borrows nothing from it.
pub trait DecodeOwned: for<'de> Decode<'de> {}

impl<T: for<'de> Decode<'de>> DecodeOwned for T {}
