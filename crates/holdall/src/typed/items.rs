//! Collections whose items are converted, as fields with the attribute `items` are.

use alloc::vec::Vec;

/// Converts each item of a collection, as a field with `items` is written.
#[doc(hidden)]
pub fn items_to<'c, C, T: 'c, As>(collection: &'c C, encode: impl Fn(&'c T) -> As) -> Vec<As>
where
    &'c C: IntoIterator<Item = &'c T>,
{
    collection.into_iter().map(encode).collect()
}

/// Converts each item back.
///
/// # Errors
/// Those of the function.
#[doc(hidden)]
pub fn items_from<C: FromIterator<T>, T, As, E>(
    items: Vec<As>,
    decode: impl Fn(As) -> Result<T, E>,
) -> Result<C, E> {
    items.into_iter().map(decode).collect()
}
