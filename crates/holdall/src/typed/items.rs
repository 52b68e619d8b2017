//! Containers whose items are converted, as fields with the attribute `items` are.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use core::hash::{BuildHasher, Hash};
use core::marker::PhantomData;
#[cfg(feature = "std")]
use std::collections::HashMap;

/// The conversions of the items of a container.
///
/// A container that keeps its form has `items_to` and `items_from` as functions of this type, which the compiler prefers to those of
/// [`EachOfCollection`]. All other types have these, and their items are a list. So a derive knows no container by its name, and an
/// alias is what it stands for.
#[doc(hidden)]
pub struct Each<C>(PhantomData<C>);

impl<T> Each<Option<T>> {
    pub fn items_to<'c, As>(option: &'c Option<T>, encode: impl Fn(&'c T) -> As) -> Option<As> {
        option.as_ref().map(encode)
    }

    /// # Errors
    /// Those of the function.
    pub fn items_from<As, E>(
        option: Option<As>,
        decode: impl Fn(As) -> Result<T, E>,
    ) -> Result<Option<T>, E> {
        option.map(decode).transpose()
    }
}

impl<T, const N: usize> Each<[T; N]> {
    pub fn items_to<'c, As>(array: &'c [T; N], encode: impl Fn(&'c T) -> As) -> [As; N] {
        array.each_ref().map(encode)
    }

    /// # Errors
    /// Those of the function.
    pub fn items_from<As, E>(
        array: [As; N],
        decode: impl Fn(As) -> Result<T, E>,
    ) -> Result<[T; N], E> {
        let items: Vec<T> = array.into_iter().map(decode).collect::<Result<_, E>>()?;
        Ok(items.try_into().ok().expect("as many items as the array has"))
    }
}

impl<K: Ord, T> Each<BTreeMap<K, T>> {
    pub fn items_to<'c, As>(
        map: &'c BTreeMap<K, T>,
        encode: impl Fn(&'c T) -> As,
    ) -> BTreeMap<&'c K, As> {
        map.iter().map(|(key, value)| (key, encode(value))).collect()
    }

    /// # Errors
    /// Those of the function.
    pub fn items_from<As, E>(
        map: BTreeMap<K, As>,
        decode: impl Fn(As) -> Result<T, E>,
    ) -> Result<BTreeMap<K, T>, E> {
        map.into_iter().map(|(key, value)| Ok((key, decode(value)?))).collect()
    }
}

#[cfg(feature = "std")]
impl<K: Eq + Hash, T, S> Each<HashMap<K, T, S>> {
    pub fn items_to<'c, As>(
        map: &'c HashMap<K, T, S>,
        encode: impl Fn(&'c T) -> As,
    ) -> HashMap<&'c K, As> {
        map.iter().map(|(key, value)| (key, encode(value))).collect()
    }

    /// # Errors
    /// Those of the function.
    pub fn items_from<As, E>(
        map: HashMap<K, As>,
        decode: impl Fn(As) -> Result<T, E>,
    ) -> Result<HashMap<K, T, S>, E>
    where
        S: BuildHasher + Default,
    {
        map.into_iter().map(|(key, value)| Ok((key, decode(value)?))).collect()
    }
}

/// What [`Each`] has for a type that is no container with a form of its own.
#[doc(hidden)]
pub trait EachOfCollection<C> {
    fn items_to<'c, T: 'c, As>(collection: &'c C, encode: impl Fn(&'c T) -> As) -> Vec<As>
    where
        C: HasItems<'c, T>,
    {
        collection.items().map(encode).collect()
    }

    /// # Errors
    /// Those of the function.
    fn items_from<T, As, E>(items: Vec<As>, decode: impl Fn(As) -> Result<T, E>) -> Result<C, E>
    where
        C: TakesItems<T>,
    {
        C::of_items(items.into_iter().map(decode))
    }
}

impl<C> EachOfCollection<C> for Each<C> {}

/// A collection whose reference iterates over its items. No more than a name for that, so that the compiler's error says what to do.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`items` finds no items to convert in `{Self}`",
    note = "`items` converts the values of an option, an array, a map or a collection whose reference iterates over its items",
    note = "for the items of containers in a container name these: `items = \"Option<module>\"` for a `Vec<Option<T>>`",
    note = "let a module convert the entire field: `with = \"module\"`"
)]
pub trait HasItems<'c, T: 'c> {
    fn items(&'c self) -> impl Iterator<Item = &'c T>;
}

#[diagnostic::do_not_recommend]
impl<'c, T: 'c, C: 'c> HasItems<'c, T> for C
where
    &'c C: IntoIterator<Item = &'c T>,
{
    fn items(&'c self) -> impl Iterator<Item = &'c T> {
        self.into_iter()
    }
}

/// A collection that can be collected from its items.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`items` cannot make a `{Self}` of its items",
    note = "`items` makes an option, an array, a map or a collection that is collected from its items",
    note = "for the items of containers in a container name these: `items = \"Option<module>\"` for a `Vec<Option<T>>`",
    note = "let a module convert the entire field: `with = \"module\"`"
)]
pub trait TakesItems<T>: Sized {
    /// # Errors
    /// The first of the items that is one.
    fn of_items<E>(items: impl Iterator<Item = Result<T, E>>) -> Result<Self, E>;
}

#[diagnostic::do_not_recommend]
impl<T, C: FromIterator<T>> TakesItems<T> for C {
    fn of_items<E>(items: impl Iterator<Item = Result<T, E>>) -> Result<Self, E> {
        items.collect()
    }
}
