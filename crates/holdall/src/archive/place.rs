//! Places of values, and their archived forms.

use core::fmt;
use core::marker::PhantomData;

use crate::error::Result;
use crate::memory;
use crate::typed::{Decode, KeptBlock, Site, Unpack};

use super::list::ArchivedList;

/// A type whose values can be read in place in an [`Archive`](super::Archive); implement it with
/// `#[derive(holdall::Decode)]` and `#[holdall(archive)]`.
///
/// A type with an implementation of [`Decode`] by hand can be decoded on request:
///
/// ```
/// use holdall::archive::{Archived, ArchivedPlace, Undecoded};
/// use holdall::typed::{Description, Rows, Site, Types};
/// use holdall::{Archive, Decode, Result};
///
/// #[derive(Debug, PartialEq)]
/// struct Even(u32);
///
/// impl<'de> Decode<'de> for Even {
///     fn describe(types: &mut Types) -> Description {
///         Description::named(types.read::<u32>())
///     }
///
///     fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
///         rows.converted(site, |number: u32| match number % 2 {
///             0 => Ok(Even(number)),
///             _ => Err("odd"),
///         })
///     }
/// }
///
/// impl Archived for Even {
///     type Ref<'a> = Undecoded<'a, Even>;
///
///     fn at(place: ArchivedPlace<'_>) -> Undecoded<'_, Even> {
///         Undecoded::at(place)
///     }
/// }
///
/// let bytes = holdall::to_vec(&vec![2_u32, 3])?;
/// let archive = Archive::<Vec<Even>>::new(&bytes)?;
/// assert_eq!(archive.root().get(0).unwrap().decode()?, Even(2));
/// let odd = archive.root().get(1).unwrap().decode();
/// assert_eq!(odd.unwrap_err().code(), holdall::Code::Unconvertible);
/// # Ok::<(), holdall::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read in place: it does not implement `holdall::archive::Archived`",
    note = "derive it for a type of your own: `#[derive(holdall::Decode)] #[holdall(archive)]`"
)]
pub trait Archived {
    /// The archived form of a value.
    type Ref<'a>: Copy;

    /// Returns the archived form of the value at a place.
    fn at(place: ArchivedPlace<'_>) -> Self::Ref<'_>;
}

/// A struct whose fields are lists of their own in a list of it; see [`ArchivedList::columns`].
pub trait ArchivedFields: Archived {
    /// The type with a method for each field.
    type Columns<'a>;

    #[doc(hidden)]
    fn columns(place: ArchivedPlace<'_, Many>) -> Self::Columns<'_>;
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct One(pub(super) usize);

/// Consecutive rows.
#[derive(Clone, Copy, Debug)]
pub struct Many {
    pub(super) start: usize,
    pub(super) len: usize,
}

/// Whether a place is that of one value or of many: then a field is a list.
pub trait Position: Copy + sealed::Sealed {
    /// The archived form of a field.
    type Of<'a, T: Archived>;

    #[doc(hidden)]
    fn of<T: Archived>(place: ArchivedPlace<'_, Self>) -> Self::Of<'_, T>;
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::One {}
    impl Sealed for super::Many {}
}

impl Position for One {
    type Of<'a, T: Archived> = T::Ref<'a>;

    #[inline]
    fn of<T: Archived>(place: ArchivedPlace<'_, Self>) -> T::Ref<'_> {
        T::at(place)
    }
}

impl Position for Many {
    type Of<'a, T: Archived> = ArchivedList<'a, T>;

    #[inline]
    fn of<T: Archived>(
        ArchivedPlace { block, site, rows }: ArchivedPlace<'_, Self>,
    ) -> ArchivedList<'_, T> {
        ArchivedList { block, site, rows, items: PhantomData }
    }
}

/// The place of a value in an archive, or that of many values. Derived code and [`Undecoded`] use it.
pub struct ArchivedPlace<'a, P = One> {
    pub(super) block: &'a KeptBlock<'a>,
    pub(super) site: Site,
    pub(super) rows: P,
}

impl<P: Copy> Clone for ArchivedPlace<'_, P> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Copy> Copy for ArchivedPlace<'_, P> {}

impl<P: fmt::Debug> fmt::Debug for ArchivedPlace<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {:?}", self.rows, self.site)
    }
}

impl<'a, P: Position> ArchivedPlace<'a, P> {
    /// Returns the archived form of a field, by its number in the order of description.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn field<T: Archived>(self, number: usize) -> P::Of<'a, T> {
        P::of::<T>(self.inside(number))
    }

    /// As many rows of a site inside.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn inside(self, number: usize) -> Self {
        ArchivedPlace { site: self.block.child(self.site, number), ..self }
    }
}

impl<'a> ArchivedPlace<'a> {
    /// Returns the variant of an enum, and the place of its payload.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn variant(self) -> (usize, ArchivedPlace<'a>) {
        let (number, row) = self.block.variant(self.site, self.rows.0);
        (number, ArchivedPlace { rows: One(row), ..self.inside(number) })
    }

    /// Returns a packed value.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn unpack<T: Unpack>(self) -> T {
        let row = self.rows.0;
        T::unpack(self.block.raw(self.site, row..row + 1).unwrap_or_default())
    }
}

/// A value that is decoded on request: not all that is stored is a value of the type, or making it takes time.
pub struct Undecoded<'a, T> {
    place: ArchivedPlace<'a>,
    value: PhantomData<fn() -> T>,
}

impl<'a, T> Undecoded<'a, T> {
    /// Returns the value at a place.
    #[must_use]
    pub fn at(place: ArchivedPlace<'a>) -> Self {
        Undecoded { place, value: PhantomData }
    }

    /// Decodes the value.
    ///
    /// # Errors
    /// What the type rejects, such as `unconvertible`.
    pub fn decode(self) -> Result<T>
    where
        T: Decode<'a>,
    {
        let ArchivedPlace { block, site, rows: One(row) } = self.place;
        memory::guarded(|| block.read(site, row))
    }
}

impl<T> Clone for Undecoded<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Undecoded<'_, T> {}

impl<T> fmt::Debug for Undecoded<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Undecoded({})", core::any::type_name::<T>())
    }
}
