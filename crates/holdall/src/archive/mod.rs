//! Archives: single fields and items of a message, in place.

mod impls;
mod list;
mod place;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

pub use self::list::{ArchivedList, ArchivedMap, ArchivedNumber, Iter};
pub use self::place::{Archived, ArchivedFields, ArchivedPlace, Many, One, Position, Undecoded};

use crate::error::{Code, Error, Result};
use crate::memory;
use crate::message::MessageReader;
use crate::typed::{Decode, KeptBlock, Site, TypedReader};

/// A message of a Rust type whose fields and items are read in place, without decoding the others.
///
/// [`Archive::new`] checks the entire message, once: bytes that are not valid fail there. After that, each access takes the
/// same short time wherever the row is, and cannot fail. With `#[holdall(archive)]`, the derive of [`Decode`] makes a type
/// with a method for each field, named after the struct, such as `UserRef`.
///
/// ```
/// use holdall::{Archive, Decode, Encode};
///
/// #[derive(Debug, PartialEq, Encode, Decode)]
/// #[holdall(archive)]
/// struct User { name: String, born: u32, tags: Vec<String> }
///
/// let user = |name: &str, born| User { name: name.into(), born, tags: vec!["math".into()] };
/// let bytes = holdall::to_vec(&vec![user("Ada", 1815), user("Grace", 1906)])?;
///
/// let archive = Archive::<Vec<User>>::new(&bytes)?;
/// let users = archive.root();
/// assert_eq!(users.get(1).unwrap().name(), "Grace");      // one field of one row
/// assert_eq!(users.get(0).unwrap().tags().get(0), Some("math"));
/// assert_eq!(users.iter().map(|user| user.born()).max(), Some(1906));
/// assert_eq!(users.columns().born().as_slice(), Some(&[1815, 1906][..])); // one field of all rows
/// assert_eq!(archive.get(1)?, user("Grace", 1906));       // one row, decoded
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// # Archived forms
/// | type | in an archive |
/// |---|---|
/// | numbers, `bool` | the same; [`Undecoded`] for 128 bits; `u64` and `i64` for `usize` and `isize` |
/// | strings | `&str` |
/// | `Option`, `Result`, `Bound`, `Either`, tuples | the same of the archived forms of their contents |
/// | `Box`, `Cow`, references, cells, locks, atomics | the archived form of what is in them |
/// | `Vec`, slices, arrays, sets and other collections | [`ArchivedList`] |
/// | maps | [`ArchivedMap`] |
/// | a struct `User` with `#[holdall(archive)]` | `UserRef`, with a method for each field |
/// | an enum `Shape` with `#[holdall(archive)]` | an enum `ShapeRef` with the same variants |
/// | `#[holdall(packed, archive)]`; the type must be `Copy` | the same |
/// | `char`, `NonZero`, ranges, paths, times, addresses, and all others | [`Undecoded`] |
///
/// A type of your own with an implementation of [`Decode`] by hand can be [`Undecoded`]; see [`Archived`].
///
/// # What it costs
/// [`Archive::new`] takes the time of reading all columns, without making values of them: it checks UTF-8, and unpacks
/// integers in fewer bits. It needs memory for what it unpacked. The rest is borrowed from the message. The profile and
/// the encodings that it chose change what opening costs, not what access costs:
///
/// | column | in memory |
/// |---|---|
/// | text, plain or in a dictionary | 8 bytes for each row; the text is borrowed |
/// | floats, bytes (`u8`), packed structs, unencoded | nothing; slices are borrowed if they are aligned ([`Alignment`](crate::Alignment)) |
/// | other integers, variants | the integers, in the width of their type; 8 bytes for a variant |
/// | lists and maps | 16 bytes for each, in addition to the items |
/// | bools, presence | nothing, or 1 bit for 8 rows |
/// | all else, such as zstd, decimal floats and templates | the decoded rows |
///
/// An access takes a few look-ups. Options count the bits of at most 64 bytes, enums 64 variants.
///
/// # Other schemas
/// The message must have exactly the schema of the type: an archive converts nothing. Other data is the error `incompatible`;
/// [`from_slice`](crate::from_slice) reads it, [`View`](crate::View) any message. Recursive types, `Rc`, `Arc`, tensors
/// and [`Value`](crate::Value) are `unsupported`: their rows are found only by a walk over all rows before, or have no type.
/// A struct with `#[holdall(archive)]` that has a field of these, except of a recursive type, does not compile.
///
/// # Files
/// Pass a slice of a memory-mapped file, if you can rule out that it changes: its crate says what you must ensure. An
/// archive can be shared between threads.
pub struct Archive<'m, T> {
    block: KeptBlock<'m>,
    value: PhantomData<fn() -> T>,
}

impl<'m, T: Decode<'m>> Archive<'m, T> {
    /// Checks a message, and locates and unpacks its columns.
    ///
    /// ```
    /// use holdall::{Archive, Code};
    ///
    /// let mut bytes = holdall::to_vec(&vec!["one", "two", "three", "four"])?;
    /// *bytes.last_mut().unwrap() = 0xFF;
    /// let error = Archive::<Vec<&str>>::new(&bytes).unwrap_err();
    /// assert_eq!((error.code(), error.path()), (Code::InvalidUtf8, "$[3]"));
    ///
    /// let error = Archive::<Vec<String>>::new(&holdall::to_vec(&vec![7_u32])?).unwrap_err();
    /// assert_eq!(error.code(), Code::Incompatible);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Decoder::decode`](crate::Decoder::decode), except what a type rejects when a value of it is made
    /// (`unconvertible`, `duplicate_key`); `incompatible` for data of another schema; `unsupported` for types without
    /// access to single rows.
    pub fn new(message: &'m [u8]) -> Result<Self> {
        Archive::with(&mut MessageReader::default(), message)
    }

    /// Opens an archive with the limits and known schemas of a decoder.
    pub(crate) fn with(messages: &mut MessageReader, message: &'m [u8]) -> Result<Self> {
        let mut reader = TypedReader { messages, pool: &mut None };
        let block = memory::guarded(|| reader.keep::<T>(message))?;
        Ok(Archive { block, value: PhantomData })
    }

    /// Decodes the entire value.
    ///
    /// # Errors
    /// As [`Decoder::decode`](crate::Decoder::decode), except faults of the bytes.
    pub fn decode(&self) -> Result<T> {
        memory::guarded(|| self.block.read(Site::ROOT, 0))
    }
}

impl<T: Archived> Archive<'_, T> {
    /// Returns the archived form of the value.
    #[inline]
    #[must_use]
    pub fn root(&self) -> T::Ref<'_> {
        T::at(ArchivedPlace { block: &self.block, site: Site::ROOT, rows: One(0) })
    }
}

impl<'m, T: Decode<'m>> Archive<'m, Vec<T>> {
    /// Decodes one item of a list, without the others. It can borrow from the message, as in
    /// [`from_slice`](crate::from_slice). [`ArchivedList::decode`] does the same for inner lists.
    ///
    /// ```
    /// use holdall::{Archive, Decode, Encode};
    ///
    /// #[derive(Debug, PartialEq, Encode, Decode)]
    /// struct User<'a> { name: &'a str, born: u32 }
    ///
    /// let users = ["Ada", "Grace", "Edsger"].map(|name| User { name, born: 1930 });
    /// let bytes = holdall::to_vec(&users[..])?;
    /// let archive = Archive::<Vec<User>>::new(&bytes)?;
    /// assert_eq!(archive.get(1)?, users[1]);
    /// assert_eq!(archive.get(3).unwrap_err().code(), holdall::Code::IndexOutOfRange);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// `index_out_of_range`; as [`Archive::decode`].
    pub fn get(&self, item: usize) -> Result<T> {
        let list = self.root();
        let row = list.row(item).ok_or_else(|| no_item(item, list.len()))?;
        memory::guarded(|| self.block.read(list.site, row))
            .map_err(|error| list.in_item(item, error))
    }

    /// Returns the number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.root().len()
    }

    /// Whether there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T> fmt::Debug for Archive<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Archive({})", core::any::type_name::<T>())
    }
}

#[cold]
fn no_item(item: usize, len: usize) -> Error {
    Error::new(Code::IndexOutOfRange).expected(format!("an item below {len}")).got(item.to_string())
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Archive<'_, Vec<String>>>();
    is_shared::<ArchivedList<'_, alloc::rc::Rc<u8>>>();
};
