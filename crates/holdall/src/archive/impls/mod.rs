//! The archived forms of values of the standard library's types.

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, BinaryHeap, LinkedList, VecDeque};
use alloc::ffi::CString;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::cmp::{Ordering, Reverse};
use core::ffi::CStr;
use core::marker::PhantomData;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use core::num::{NonZero, Saturating, Wrapping};
use core::ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};
use core::sync::atomic;
use core::time::Duration;
#[cfg(feature = "std")]
use std::{
    collections::{HashMap, HashSet},
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::{Mutex, RwLock},
    time::SystemTime,
};

use half::{bf16, f16};

use crate::archive::list::{ArchivedList, ArchivedNumber};
use crate::archive::place::{Archived, ArchivedPlace, One};
use crate::kernel::IS_FORMAT_ORDER;
use crate::typed::StoredError;
use crate::value::BigInt;

macro_rules! ints {
    ($($int:ty as $word:ty;)*) => {$(
        impl Archived for $int {
            type Ref<'a> = Self;

            #[inline]
            fn at(ArchivedPlace { block, site, rows: One(row) }: ArchivedPlace<'_>) -> Self {
                block.words::<$word>(site)[row] as Self
            }
        }

        impl ArchivedNumber for $int {
            #[inline]
            fn slice(ArchivedList { block, site, rows, .. }: ArchivedList<'_, Self>) -> Option<&[Self]> {
                let words = &block.words::<$word>(site)[rows.start..rows.start + rows.len];
                Some(bytemuck::cast_slice(words))
            }
        }
    )*};
}

ints! {
    u8 as u8;
    u16 as u16;
    u32 as u32;
    u64 as u64;
    i8 as u8;
    i16 as u16;
    i32 as u32;
    i64 as u64;
}

macro_rules! floats {
    ($($float:ty)*) => {$(
        impl Archived for $float {
            type Ref<'a> = Self;

            #[inline]
            fn at(ArchivedPlace { block, site, rows: One(row) }: ArchivedPlace<'_>) -> Self {
                Self::from_le_bytes(block.float(site, row))
            }
        }

        impl ArchivedNumber for $float {
            fn slice(ArchivedList { block, site, rows, .. }: ArchivedList<'_, Self>) -> Option<&[Self]> {
                let bytes = block.raw(site, rows.start..rows.start + rows.len)?;
                bytemuck::try_cast_slice(bytes).ok().filter(|_| IS_FORMAT_ORDER)
            }
        }
    )*};
}

floats! { f16 bf16 f32 f64 }

impl Archived for bool {
    type Ref<'a> = bool;

    #[inline]
    fn at(ArchivedPlace { block, site, rows: One(row) }: ArchivedPlace<'_>) -> bool {
        block.bit(site, row)
    }
}

/// The same as for another type: it has the same description.
macro_rules! same {
    ($({$($generic:tt)*} $ty:ty as $of:ty;)*) => {$(
        impl<$($generic)*> crate::archive::Archived for $ty {
            type Ref<'a> = <$of as crate::archive::Archived>::Ref<'a>;

            #[inline]
            fn at(place: crate::archive::ArchivedPlace<'_>) -> Self::Ref<'_> {
                <$of as crate::archive::Archived>::at(place)
            }
        }
    )*};
}

same! {
    {} usize as u64;
    {} isize as i64;
    {} String as str;
    {} Rc<str> as str;
    {} Arc<str> as str;
    {T: Archived + ?Sized} &T as T;
    {T: Archived + ?Sized} Box<T> as T;
    {T: Archived + ToOwned + ?Sized} Cow<'_, T> as T;
    {T: Archived} Wrapping<T> as T;
    {T: Archived} Saturating<T> as T;
    {T: Archived} Reverse<T> as T;
    {T: Archived} Cell<T> as T;
    {T: Archived} RefCell<T> as T;
    {} atomic::AtomicBool as bool;
    {} atomic::AtomicU8 as u8;
    {} atomic::AtomicU16 as u16;
    {} atomic::AtomicU32 as u32;
    {} atomic::AtomicUsize as u64;
    {} atomic::AtomicI8 as i8;
    {} atomic::AtomicI16 as i16;
    {} atomic::AtomicI32 as i32;
    {} atomic::AtomicIsize as i64;
}

#[cfg(target_has_atomic = "64")]
same! {
    {} atomic::AtomicU64 as u64;
    {} atomic::AtomicI64 as i64;
}

#[cfg(feature = "std")]
same! {
    {T: Archived} Mutex<T> as T;
    {T: Archived} RwLock<T> as T;
}

impl Archived for str {
    type Ref<'a> = &'a str;

    #[inline]
    fn at(ArchivedPlace { block, site, rows: One(row) }: ArchivedPlace<'_>) -> &str {
        block.text(site, row)
    }
}

impl<T: Archived> Archived for Option<T> {
    type Ref<'a> = Option<T::Ref<'a>>;

    #[inline]
    fn at(place: ArchivedPlace<'_>) -> Self::Ref<'_> {
        let row = place.block.present(place.site, place.rows.0)?;
        Some(T::at(ArchivedPlace { rows: One(row), ..place.inside(0) }))
    }
}

impl<T: Archived, E: Archived> Archived for Result<T, E> {
    type Ref<'a> = Result<T::Ref<'a>, E::Ref<'a>>;

    fn at(place: ArchivedPlace<'_>) -> Self::Ref<'_> {
        match place.variant() {
            (0, ok) => Ok(T::at(ok)),
            (_, error) => Err(E::at(error)),
        }
    }
}

impl<T: Archived> Archived for Bound<T> {
    type Ref<'a> = Bound<T::Ref<'a>>;

    fn at(place: ArchivedPlace<'_>) -> Self::Ref<'_> {
        match place.variant() {
            (0, _) => Bound::Unbounded,
            (1, end) => Bound::Included(T::at(end)),
            (_, end) => Bound::Excluded(T::at(end)),
        }
    }
}

impl Archived for Ordering {
    type Ref<'a> = Ordering;

    fn at(place: ArchivedPlace<'_>) -> Ordering {
        match place.variant().0 {
            0 => Ordering::Less,
            1 => Ordering::Equal,
            _ => Ordering::Greater,
        }
    }
}

macro_rules! lists {
    ($({$($generic:tt)*} $ty:ty;)*) => {$(
        impl<T, $($generic)*> crate::archive::Archived for $ty {
            type Ref<'a> = crate::archive::ArchivedList<'a, T>;

            #[inline]
            fn at(place: crate::archive::ArchivedPlace<'_>) -> Self::Ref<'_> {
                crate::archive::ArchivedList::at(place)
            }
        }
    )*};
}

lists! {
    {} Vec<T>;
    {} [T];
    {const LEN: usize} [T; LEN];
    {} VecDeque<T>;
    {} LinkedList<T>;
    {} BinaryHeap<T>;
    {} BTreeSet<T>;
}

#[cfg(feature = "std")]
lists! { {S} HashSet<T, S>; }

macro_rules! maps {
    ($({$($hasher:ident)?} $map:ty;)*) => {$(
        impl<K, V $(, $hasher)?> crate::archive::Archived for $map {
            type Ref<'a> = crate::archive::ArchivedMap<'a, K, V>;

            fn at(place: crate::archive::ArchivedPlace<'_>) -> Self::Ref<'_> {
                crate::archive::ArchivedMap::at(place)
            }
        }
    )*};
}

maps! {
    {} BTreeMap<K, V>;
}

#[cfg(feature = "std")]
maps! { {S} HashMap<K, V, S>; }

macro_rules! nothing {
    ($({$($generic:tt)*} $ty:ty;)*) => {$(
        impl<$($generic)*> crate::archive::Archived for $ty {
            type Ref<'a> = ();

            fn at(_: ArchivedPlace<'_>) {}
        }
    )*};
}

nothing! {
    {} ();
    {T: ?Sized} PhantomData<T>;
}

macro_rules! tuples {
    ($($($item:ident $number:literal)+;)*) => {$(
        impl<$($item: Archived),+> Archived for ($($item,)+) {
            type Ref<'a> = ($($item::Ref<'a>,)+);

            #[inline]
            fn at(place: ArchivedPlace<'_>) -> Self::Ref<'_> {
                ($($item::at(place.inside($number)),)+)
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15;
}

macro_rules! undecoded {
    // What is decoded can be another type, which owns its value.
    ($({$($generic:tt)*} $ty:ty as $decoded:ty;)+) => {$(
        impl<$($generic)*> crate::archive::Archived for $ty {
            type Ref<'a> = crate::archive::Undecoded<'a, $decoded>;

            fn at(place: crate::archive::ArchivedPlace<'_>) -> Self::Ref<'_> {
                crate::archive::Undecoded::at(place)
            }
        }
    )+};
    ($({$($generic:tt)*} $ty:ty;)+) => {
        undecoded! { $({$($generic)*} $ty as Self;)+ }
    };
    ($($ty:ty)+) => {
        undecoded! { $({} $ty as Self;)+ }
    };
}

undecoded! {
    u128 i128 char
    NonZero<u8> NonZero<u16> NonZero<u32> NonZero<u64> NonZero<u128> NonZero<usize>
    NonZero<i8> NonZero<i16> NonZero<i32> NonZero<i64> NonZero<i128> NonZero<isize>
    Duration
    IpAddr Ipv4Addr Ipv6Addr SocketAddr SocketAddrV4 SocketAddrV6
    CString StoredError BigInt
}

undecoded! {
    {} CStr as CString;
    {T} Range<T> as Self;
    {T} RangeInclusive<T> as Self;
    {T} RangeFrom<T> as Self;
    {T} RangeTo<T> as Self;
    {T} RangeToInclusive<T> as Self;
}

#[cfg(feature = "std")]
undecoded! { SystemTime PathBuf OsString }

#[cfg(feature = "std")]
undecoded! {
    {} OsStr as OsString;
    {} Path as PathBuf;
}

// Below the macros that it uses.
mod crates;
