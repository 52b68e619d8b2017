//! Packed types: values of a fixed width, whose rows are copied in bulk where memory and data have the same layout.
//!
//! The unsafe code here reads values as bytes, and bytes as values, of types whose implementations promise that
//! both are the same.
#![allow(unsafe_code)]

use alloc::vec::Vec;

use half::{bf16, f16};

use super::{Columns, Decode, Description, Encode, InlineColumns, Refs, Rows, Site, Types};
use crate::column::raw::{self, Of};
use crate::error::Result;
use crate::kernel::IS_FORMAT_ORDER;
use crate::memory::GrowVec;

/// A type whose values can be written as packed rows; implement it with `#[derive(holdall::Encode)]` and
/// `#[holdall(packed)]`.
///
/// # Safety
/// If [`Pack::IS_SAME`], the type has a size of [`Pack::WIDTH`] bytes, none of them padding, and a value's bytes in
/// memory are those that [`Pack::pack`] writes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part of a packed type",
    note = "numbers and bools of a fixed width can, arrays of them, and structs with `#[holdall(packed)]`"
)]
pub unsafe trait Pack: Encode {
    /// The bytes of a value in the data.
    const WIDTH: usize;
    /// Whether values have the same bytes in memory as in the data.
    const IS_SAME: bool;

    /// Describes a row for a schema.
    fn describe_row(types: &mut Types) -> Description;

    /// Writes a value into [`Pack::WIDTH`] bytes.
    fn pack(&self, bytes: &mut [u8]);
}

/// A type whose values can be read from packed rows; implement it with `#[derive(holdall::Decode)]` and
/// `#[holdall(packed)]`.
///
/// # Safety
/// If [`Unpack::IS_SAME`], the type has a size of [`Unpack::WIDTH`] bytes, and any bytes are a value: the one that
/// [`Unpack::unpack`] returns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a part of a packed type",
    note = "numbers and bools of a fixed width can, arrays of them, and structs with `#[holdall(packed)]`"
)]
pub unsafe trait Unpack: Sized {
    /// The bytes of a value in the data.
    const WIDTH: usize;
    /// Whether values have the same bytes in memory as in the data.
    const IS_SAME: bool;

    /// Describes a row for a schema.
    fn describe_row(types: &mut Types) -> Description;

    /// Returns the value of [`Unpack::WIDTH`] bytes, in which each bool is 0 or 1.
    fn unpack(bytes: &[u8]) -> Self;
}

/// A type whose lists can be borrowed from a message: `&[T]`. This works if the message holds them in their layout
/// in memory, at an aligned address. Otherwise [`Cow`](std::borrow::Cow) holds a copy.
#[diagnostic::on_unimplemented(
    message = "`&[{Self}]` cannot be borrowed from a message",
    note = "u8, f32, f64 and structs with `#[holdall(packed)]` can; others are read into Vec"
)]
pub trait BorrowList {
    /// Whether values have the same bytes in memory as in the data.
    const IS_SAME: bool = IS_FORMAT_ORDER;
}

impl Columns<'_> {
    /// Writes values as the next packed rows of a site.
    ///
    /// # Errors
    /// `bad_source` at a site that has none.
    #[doc(hidden)]
    pub fn pack<T: Pack>(&mut self, site: Site, rows: Refs<'_, T>) -> Result<()> {
        let column = self.buffers.packed(site)?;
        match rows.as_slice() {
            Some(list) => append(column, list),
            None => rows.for_each(|row| append(column, core::slice::from_ref(row))),
        }
        Ok(())
    }
}

impl InlineColumns<'_> {
    /// Writes the packed rows of a slice.
    #[doc(hidden)]
    pub fn pack_list<T: Pack>(&mut self, list: &[T]) {
        let of = Of::packed(T::WIDTH as u64);
        if self.settings.profile.is_small() {
            let mut rows = Vec::new();
            append(&mut rows, list);
            return raw::write(self.out, of, &rows, self.settings);
        }
        raw::write_head(self.out, list.len() * T::WIDTH, self.settings);
        append(self.out, list);
    }
}

/// Appends the packed rows of a slice.
#[inline]
fn append<T: Pack>(out: &mut Vec<u8>, list: &[T]) {
    if T::IS_SAME {
        // SAFETY: the slice's values have no padding, as `IS_SAME` says, so all its bytes are initialized.
        let bytes =
            unsafe { core::slice::from_raw_parts(list.as_ptr().cast::<u8>(), size_of_val(list)) };
        return out.put_slice(bytes);
    }
    for row in list {
        let start = out.len();
        out.put_fill(start + T::WIDTH, 0);
        row.pack(&mut out[start..]);
    }
}

impl<'de> Rows<'_, 'de> {
    /// Reads the next packed row of a site.
    ///
    /// # Errors
    /// `bad_source` at a site that has none.
    #[doc(hidden)]
    #[inline]
    pub fn unpack<T: Unpack>(&mut self, site: Site) -> Result<T> {
        self.packed(site, 1, T::WIDTH).map(T::unpack)
    }

    /// Reads the next packed rows of a site.
    ///
    /// # Errors
    /// As [`Rows::unpack`]; `limit_budget`.
    #[doc(hidden)]
    pub fn unpack_list<T: Unpack>(&mut self, count: usize, site: Site) -> Result<Vec<T>> {
        const { assert!(T::WIDTH > 0, "packed rows take a byte at least") };
        let mut list: Vec<T> = self.room(count)?;
        let bytes = self.packed(site, count, T::WIDTH)?;
        if !T::IS_SAME {
            list.put_each(bytes.chunks_exact(T::WIDTH).map(T::unpack));
            return Ok(list);
        }
        assert_eq!(bytes.len(), count * size_of::<T>(), "rows as wide as the type");
        // SAFETY: the vector has room for `count` values, which take as many bytes as are copied, and nothing else
        // refers to it. Any bytes are values of T.
        unsafe {
            list.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            list.set_len(count);
        }
        Ok(list)
    }

    /// Borrows the next packed rows of a site; takes none if that is not possible.
    ///
    /// # Errors
    /// As [`Rows::unpack`].
    #[doc(hidden)]
    pub fn borrow_packed<'a, T: Unpack>(
        &mut self,
        count: usize,
        site: Site,
    ) -> Result<Option<&'a [T]>>
    where
        'de: 'a,
    {
        const { assert!(T::WIDTH > 0, "packed rows take a byte at least") };
        self.or_untaken(site, |rows| {
            let bytes = rows.packed(site, count, T::WIDTH)?;
            Ok(rows.borrow(bytes).and_then(|bytes| same_list(bytes)))
        })
    }
}

/// Returns the end of a field in memory if it begins where the fields before it end and has the same bytes in the
/// data. [`Pack::IS_SAME`] of a struct holds if this is true for all fields up to its size.
#[doc(hidden)]
#[must_use]
pub const fn same_end(before: Option<usize>, offset: usize, width: Option<usize>) -> Option<usize> {
    match (before, width) {
        (Some(end), Some(width)) if end == offset => Some(end + width),
        _ => None,
    }
}

/// Reinterprets bytes as values, if both have the same layout and the address is aligned.
pub(crate) fn same_list<T: Unpack>(bytes: &[u8]) -> Option<&[T]> {
    let first = bytes.as_ptr().cast::<T>();
    if !T::IS_SAME || !first.is_aligned() {
        return None;
    }
    // SAFETY: the bytes are aligned for T and as long as this many values, and any bytes are values of T. They live
    // as long as the bytes, which are not changed meanwhile.
    Some(unsafe { core::slice::from_raw_parts(first, bytes.len() / size_of::<T>()) })
}

macro_rules! numbers {
    ($($ty:ty)*) => {$(
        // SAFETY: a number has no padding; if `IS_SAME`, its bytes in memory are in the order that `pack` writes.
        unsafe impl Pack for $ty {
            const WIDTH: usize = size_of::<$ty>();
            const IS_SAME: bool = IS_FORMAT_ORDER || size_of::<$ty>() == 1;

            fn describe_row(types: &mut Types) -> Description {
                <$ty as Encode>::describe(types)
            }

            #[inline]
            fn pack(&self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
        }

        // SAFETY: any bytes are a number; for `IS_SAME` as above.
        unsafe impl Unpack for $ty {
            const WIDTH: usize = size_of::<$ty>();
            const IS_SAME: bool = IS_FORMAT_ORDER || size_of::<$ty>() == 1;

            fn describe_row(types: &mut Types) -> Description {
                <$ty as Decode>::describe(types)
            }

            #[inline]
            fn unpack(bytes: &[u8]) -> Self {
                Self::from_le_bytes(*bytes.first_chunk().expect("as many bytes as the type is wide"))
            }
        }
    )*};
}

numbers! { u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f16 bf16 f32 f64 }

// SAFETY: `IS_SAME` is false, so bytes are never reinterpreted as values, nor values as bytes.
unsafe impl Pack for bool {
    const WIDTH: usize = 1;
    const IS_SAME: bool = false;

    fn describe_row(types: &mut Types) -> Description {
        <bool as Encode>::describe(types)
    }

    fn pack(&self, bytes: &mut [u8]) {
        bytes[0] = u8::from(*self);
    }
}

// SAFETY: as above.
unsafe impl Unpack for bool {
    const WIDTH: usize = 1;
    const IS_SAME: bool = false;

    fn describe_row(types: &mut Types) -> Description {
        <bool as Decode>::describe(types)
    }

    fn unpack(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
}

// SAFETY: an array consists of its items without gaps.
unsafe impl<T: Pack, const LEN: usize> Pack for [T; LEN] {
    const WIDTH: usize = LEN * T::WIDTH;
    const IS_SAME: bool = T::IS_SAME;

    fn describe_row(types: &mut Types) -> Description {
        let item = T::describe_row(types);
        Description::array(LEN, types.add(item))
    }

    #[inline]
    fn pack(&self, bytes: &mut [u8]) {
        for (item, bytes) in self.iter().zip(bytes.chunks_exact_mut(T::WIDTH.max(1))) {
            item.pack(bytes);
        }
    }
}

// SAFETY: as above.
unsafe impl<T: Unpack, const LEN: usize> Unpack for [T; LEN] {
    const WIDTH: usize = LEN * T::WIDTH;
    const IS_SAME: bool = T::IS_SAME;

    fn describe_row(types: &mut Types) -> Description {
        let item = T::describe_row(types);
        Description::array(LEN, types.add(item))
    }

    #[inline]
    fn unpack(bytes: &[u8]) -> Self {
        core::array::from_fn(|item| T::unpack(&bytes[item * T::WIDTH..][..T::WIDTH]))
    }
}
