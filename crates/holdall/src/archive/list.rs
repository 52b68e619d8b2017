//! Lists and maps in an archive.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use crate::error::{Error, Result};
use crate::memory;
use crate::typed::{Decode, KeptBlock, Site, Unpack, same_list};

use super::no_item;
use super::place::{Archived, ArchivedFields, ArchivedPlace, Many, One};

/// A list, array or set in an archive, or one field of all items of a list ([`ArchivedList::columns`]).
pub struct ArchivedList<'a, T> {
    pub(super) block: &'a KeptBlock<'a>,
    /// That of the items.
    pub(super) site: Site,
    pub(super) rows: Many,
    pub(super) items: PhantomData<fn() -> T>,
}

impl<'a, T> ArchivedList<'a, T> {
    /// The list at a place.
    #[inline]
    pub(super) fn at(ArchivedPlace { block, site, rows: One(row) }: ArchivedPlace<'a>) -> Self {
        let site = block.storage(site);
        let items = block.items(site, row);
        let rows = Many { start: items.start, len: items.len() };
        ArchivedList { block, site: block.child(site, 0), rows, items: PhantomData }
    }

    /// Returns the number of items.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        self.rows.len
    }

    /// Whether there are no items.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.rows.len == 0
    }

    /// The row of an item.
    #[inline]
    pub(super) fn row(self, item: usize) -> Option<usize> {
        (item < self.rows.len).then(|| self.rows.start + item)
    }

    /// Decodes one item, without the others.
    ///
    /// # Errors
    /// `index_out_of_range`; what the type rejects, such as `unconvertible`.
    pub fn decode(self, item: usize) -> Result<T>
    where
        T: Decode<'a>,
    {
        let row = self.row(item).ok_or_else(|| no_item(item, self.len()))?;
        memory::guarded(|| self.block.read(self.site, row))
            .map_err(|error| self.in_item(item, error))
    }

    /// Returns the packed items as a slice.
    #[doc(hidden)]
    #[must_use]
    pub fn packed(self) -> Option<&'a [T]>
    where
        T: Unpack,
    {
        let rows = self.rows.start..self.rows.start + self.rows.len;
        self.block.raw(self.site, rows).and_then(same_list)
    }

    /// Adds the number of an item to the path of its error.
    #[cold]
    pub(super) fn in_item(self, item: usize, error: Error) -> Error {
        let list = self.block.path(self.site);
        match (list.strip_suffix("[]"), error.path().strip_prefix(&*list)) {
            (Some(list), Some(inside)) => {
                let path = format!("{list}[{item}]{inside}");
                error.at_path(path)
            }
            _ => error,
        }
    }
}

impl<'a, T: Archived> ArchivedList<'a, T> {
    /// Returns the archived form of an item.
    #[inline]
    #[must_use]
    pub fn get(self, item: usize) -> Option<T::Ref<'a>> {
        self.row(item)
            .map(|row| T::at(ArchivedPlace { block: self.block, site: self.site, rows: One(row) }))
    }

    /// Returns the archived form of each item, in order.
    #[inline]
    #[must_use]
    pub fn iter(self) -> Iter<'a, T> {
        Iter { list: self }
    }

    /// Returns one list for each field of the items: `users.columns().name()` is the list of all names.
    #[inline]
    #[must_use]
    pub fn columns(self) -> T::Columns<'a>
    where
        T: ArchivedFields,
    {
        T::columns(ArchivedPlace { block: self.block, site: self.site, rows: self.rows })
    }

    /// Returns the items as a slice of memory. Those of integers always are. Floats and packed structs are if the message
    /// stores them unencoded at an aligned address, as [`Alignment`](crate::Alignment) says, or if they were decoded.
    ///
    /// ```
    /// use holdall::{Alignment, Archive, Encoder};
    ///
    /// let numbers: Vec<f64> = (0..1000).map(f64::from).collect();
    /// let bytes = Encoder::new().aligned(Alignment::On).encode(&numbers)?;
    /// let archive = Archive::<Vec<f64>>::new(&bytes)?;
    /// // If the message itself is at such an address; a mapped file is.
    /// if let Some(slice) = archive.root().as_slice() {
    ///     assert_eq!(slice, numbers);
    /// }
    /// assert_eq!(archive.root().to_vec(), numbers);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn as_slice(self) -> Option<&'a [T]>
    where
        T: ArchivedNumber,
    {
        T::slice(self)
    }

    /// Returns the items in a new vector.
    #[must_use]
    pub fn to_vec(self) -> Vec<T>
    where
        T: ArchivedNumber + Archived<Ref<'a> = T>,
    {
        match T::slice(self) {
            Some(slice) => memory::copied(slice),
            None => memory::collected(self.iter()),
        }
    }
}

/// Numbers, and packed structs: their lists are slices of memory.
pub trait ArchivedNumber: Archived + Copy {
    #[doc(hidden)]
    fn slice(list: ArchivedList<'_, Self>) -> Option<&[Self]>;
}

impl<T> Clone for ArchivedList<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ArchivedList<'_, T> {}

impl<'a, T: Archived> fmt::Debug for ArchivedList<'a, T>
where
    T::Ref<'a>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a, T: Archived> IntoIterator for ArchivedList<'a, T> {
    type Item = T::Ref<'a>;
    type IntoIter = Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// The archived forms of the items of a list.
pub struct Iter<'a, T> {
    list: ArchivedList<'a, T>,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter { list: self.list }
    }
}

impl<T> fmt::Debug for Iter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Iter({} left)", self.list.len())
    }
}

impl<'a, T: Archived> Iterator for Iter<'a, T> {
    type Item = T::Ref<'a>;

    #[inline]
    fn next(&mut self) -> Option<T::Ref<'a>> {
        self.nth(0)
    }

    #[inline]
    fn nth(&mut self, skipped: usize) -> Option<T::Ref<'a>> {
        let item = self.list.get(skipped);
        let taken = skipped.saturating_add(1).min(self.list.rows.len);
        self.list.rows.start += taken;
        self.list.rows.len -= taken;
        item
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.list.len(), Some(self.list.len()))
    }
}

impl<T: Archived> ExactSizeIterator for Iter<'_, T> {}

/// A map in an archive: its entries in the order in which they are stored.
///
/// Whether the keys are distinct is checked when the map is decoded.
pub struct ArchivedMap<'a, K, V> {
    keys: ArchivedList<'a, K>,
    values: ArchivedList<'a, V>,
}

impl<'a, K, V> ArchivedMap<'a, K, V> {
    /// The map at a place.
    pub(super) fn at(ArchivedPlace { block, site, rows: One(row) }: ArchivedPlace<'a>) -> Self {
        let site = block.storage(site);
        let entries = block.items(site, row);
        let rows = Many { start: entries.start, len: entries.len() };
        ArchivedMap {
            keys: ArchivedList { block, site: block.child(site, 0), rows, items: PhantomData },
            values: ArchivedList { block, site: block.child(site, 1), rows, items: PhantomData },
        }
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn len(self) -> usize {
        self.keys.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the keys.
    #[must_use]
    pub fn keys(self) -> ArchivedList<'a, K> {
        self.keys
    }

    /// Returns the values, in the order of the keys.
    #[must_use]
    pub fn values(self) -> ArchivedList<'a, V> {
        self.values
    }
}

impl<'a, K: Archived, V: Archived> ArchivedMap<'a, K, V> {
    /// Returns the entries in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (K::Ref<'a>, V::Ref<'a>)> {
        self.keys.iter().zip(self.values)
    }

    /// Returns the value of a key, by comparing each key in order.
    #[must_use]
    pub fn find(self, key: K::Ref<'a>) -> Option<V::Ref<'a>>
    where
        K::Ref<'a>: PartialEq,
    {
        let item = self.keys.iter().position(|own| own == key)?;
        self.values.get(item)
    }
}

impl<K, V> Clone for ArchivedMap<'_, K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for ArchivedMap<'_, K, V> {}

impl<'a, K: Archived, V: Archived> fmt::Debug for ArchivedMap<'a, K, V>
where
    K::Ref<'a>: fmt::Debug,
    V::Ref<'a>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
