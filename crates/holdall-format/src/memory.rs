//! Memory whose amount the data or the value decide. If the system has none left, that is the error `out_of_memory`.
//!
//! std aborts the process when a vector cannot grow. So vectors and tables that can become large grow by the functions of
//! this module. They unwind with a payload of their own, which [`guarded`] turns into the error at each public function:
//! a `Result` through every loop would cost more than the memory it is about. No message is printed, because no panic
//! begins. A program with `panic = "abort"` still aborts, and without std it panics. So does the failure of a small allocation, such as a node of a
//! `BTreeMap` or a short text: what is left after a large request has failed is mostly enough for those.

#![allow(clippy::disallowed_methods, reason = "there is room")]

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use core::any::Any;
use core::fmt::{Display, Write};
use core::hash::{BuildHasher, Hash};
#[cfg(feature = "std")]
use core::panic::AssertUnwindSafe;
#[cfg(feature = "std")]
use std::panic::{catch_unwind, resume_unwind};

use bytemuck::Zeroable;
use hashbrown::HashTable;

use crate::error::Result;
#[cfg(feature = "std")]
use crate::error::{Code, Error};
use crate::platform::{HashMap, HashSet};

/// The payload of the unwinding. It has no fields, so that its box takes no memory.
#[cfg(feature = "std")]
struct OutOfMemory;

/// Whether unwinding is because of memory, by its payload.
#[cfg(feature = "std")]
#[must_use]
pub fn is_lack(payload: &(dyn Any + Send)) -> bool {
    payload.is::<OutOfMemory>()
}

/// Unwinds to the next [`guarded`].
#[cold]
#[inline(never)]
#[cfg(feature = "std")]
pub fn fail() -> ! {
    resume_unwind(Box::new(OutOfMemory))
}

/// Nothing unwinds without std.
#[cold]
#[inline(never)]
#[cfg(not(feature = "std"))]
pub fn fail() -> ! {
    panic!("out of memory")
}

/// Runs a function whose memory may not suffice. What it changed is in an unspecified state after `out_of_memory`: the
/// caller drops it or makes it unusable.
///
/// # Errors
/// `out_of_memory`, and those of the function.
pub fn guarded<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    catch(run).unwrap_or_else(Err)
}

/// The same for a function with a result of its own.
///
/// # Errors
/// `out_of_memory`.
#[cfg(feature = "std")]
pub fn catch<T>(run: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).or_else(|payload| {
        if is_lack(&*payload) {
            return Err(Error::new(Code::OutOfMemory));
        }
        resume_unwind(payload)
    })
}

/// The same without std, where missing memory does not return.
///
/// # Errors
/// None.
#[cfg(not(feature = "std"))]
pub fn catch<T>(run: impl FnOnce() -> T) -> Result<T> {
    Ok(run())
}

/// Unwinds if memory could not be reserved.
#[inline(always)]
pub fn check<E>(reserved: Result<(), E>) {
    if reserved.is_err() {
        fail();
    }
}

/// A collection that can become large.
pub trait Grow {
    /// Reserves room for this many more items.
    fn room(&mut self, more: usize);
}

/// Out of line: few calls find no room.
#[cold]
#[inline(never)]
fn grow<T>(items: &mut Vec<T>, more: usize) {
    check(items.try_reserve(more));
}

impl<T> Grow for Vec<T> {
    #[inline(always)]
    fn room(&mut self, more: usize) {
        if self.capacity() - self.len() < more {
            grow(self, more);
        }
    }
}

impl<T> Grow for VecDeque<T> {
    #[inline(always)]
    fn room(&mut self, more: usize) {
        check(self.try_reserve(more));
    }
}

impl Grow for String {
    #[inline(always)]
    fn room(&mut self, more: usize) {
        check(self.try_reserve(more));
    }
}

impl<K: Eq + Hash, V, S: BuildHasher> Grow for HashMap<K, V, S> {
    #[inline(always)]
    fn room(&mut self, more: usize) {
        check(self.try_reserve(more));
    }
}

impl<K: Eq + Hash, S: BuildHasher> Grow for HashSet<K, S> {
    #[inline(always)]
    fn room(&mut self, more: usize) {
        check(self.try_reserve(more));
    }
}

/// Sets that can become large.
pub trait GrowSet<T>: Grow {
    /// As `insert`: whether the item is a new one.
    fn put(&mut self, item: T) -> bool;
    /// As `extend`.
    fn put_each(&mut self, items: impl IntoIterator<Item = T>);
}

impl<T: Eq + Hash, S: BuildHasher> GrowSet<T> for HashSet<T, S> {
    #[inline(always)]
    fn put(&mut self, item: T) -> bool {
        self.room(1);
        self.insert(item)
    }

    fn put_each(&mut self, items: impl IntoIterator<Item = T>) {
        items.into_iter().for_each(|item| _ = self.put(item));
    }
}

/// Maps that can become large.
pub trait GrowMap<K, V>: Grow {
    /// As `insert`: the value that the key had before.
    fn put(&mut self, key: K, value: V) -> Option<V>;
    /// As `extend`.
    fn put_each(&mut self, entries: impl IntoIterator<Item = (K, V)>);
}

impl<K: Eq + Hash, V, S: BuildHasher> GrowMap<K, V> for HashMap<K, V, S> {
    #[inline(always)]
    fn put(&mut self, key: K, value: V) -> Option<V> {
        self.room(1);
        self.insert(key, value)
    }

    fn put_each(&mut self, entries: impl IntoIterator<Item = (K, V)>) {
        entries.into_iter().for_each(|(key, value)| _ = self.put(key, value));
    }
}

/// Reserves room for more entries of a table, whose hashes the function returns.
#[inline(always)]
pub fn table_room<T>(table: &mut HashTable<T>, more: usize, hash: impl Fn(&T) -> u64) {
    if table.capacity() - table.len() < more && table.try_reserve(more, hash).is_err() {
        fail();
    }
}

/// Vectors that can become large.
pub trait GrowVec<T>: Grow {
    /// As `push`.
    fn put(&mut self, item: T);
    /// As `extend_from_slice`.
    fn put_slice(&mut self, items: &[T])
    where
        T: Clone;
    /// As `resize`.
    fn put_fill(&mut self, len: usize, item: T)
    where
        T: Clone;
    /// As `resize_with`.
    fn put_fill_with(&mut self, len: usize, item: impl FnMut() -> T);
    /// As `extend`.
    fn put_each(&mut self, items: impl IntoIterator<Item = T>);
}

impl<T> GrowVec<T> for Vec<T> {
    #[inline(always)]
    fn put(&mut self, item: T) {
        self.room(1);
        self.push(item);
    }

    #[inline(always)]
    fn put_slice(&mut self, items: &[T])
    where
        T: Clone,
    {
        self.room(items.len());
        self.extend_from_slice(items);
    }

    #[inline(always)]
    fn put_fill(&mut self, len: usize, item: T)
    where
        T: Clone,
    {
        self.room(len.saturating_sub(self.len()));
        self.resize(len, item);
    }

    #[inline(always)]
    fn put_fill_with(&mut self, len: usize, item: impl FnMut() -> T) {
        self.room(len.saturating_sub(self.len()));
        self.resize_with(len, item);
    }

    #[inline(always)]
    fn put_each(&mut self, items: impl IntoIterator<Item = T>) {
        let items = items.into_iter();
        let (least, most) = items.size_hint();
        self.room(least);
        if most == Some(least) {
            self.extend(items);
        } else {
            items.for_each(|item| self.put(item));
        }
    }
}

/// Fewer bytes are allocated as std does. Its code is inlined, that of growth which can fail is not: to allocate, copy and free a
/// short string takes 19 ns in place of 25, a list of five numbers 17.6 in place of 20.
const MIN_FALLIBLE_ALLOCATION: usize = 4096;

/// As `Vec::with_capacity`.
#[inline(always)]
pub fn with_capacity<T>(capacity: usize) -> Vec<T> {
    match capacity.checked_mul(size_of::<T>()) {
        Some(..MIN_FALLIBLE_ALLOCATION) => Vec::with_capacity(capacity),
        _ => with_large_capacity(capacity),
    }
}

#[inline(never)]
fn with_large_capacity<T>(capacity: usize) -> Vec<T> {
    let mut items = Vec::new();
    check(items.try_reserve_exact(capacity));
    items
}

/// As `vec![item; len]`.
#[inline(always)]
pub fn filled<T: Clone>(item: T, len: usize) -> Vec<T> {
    let mut items = with_capacity(len);
    items.resize(len, item);
    items
}

/// As `vec![0; len]`: pages that are fresh from the system are zero already.
#[inline(always)]
pub fn zeros<T: Zeroable>(len: usize) -> Vec<T> {
    bytemuck::try_zeroed_vec(len).unwrap_or_else(|()| fail())
}

/// As `to_vec`.
#[inline(always)]
pub fn copied<T: Clone>(items: &[T]) -> Vec<T> {
    let mut copy = with_capacity(items.len());
    copy.extend_from_slice(items);
    copy
}

/// As `into_owned`.
pub fn owned<T: Clone>(items: Cow<'_, [T]>) -> Vec<T> {
    match items {
        Cow::Owned(items) => items,
        Cow::Borrowed(items) => copied(items),
    }
}

/// As `to_mut`.
pub fn to_mut<'i, T: Clone>(items: &'i mut Cow<'_, [T]>) -> &'i mut Vec<T> {
    if let Cow::Borrowed(borrowed) = items {
        *items = Cow::Owned(copied(borrowed));
    }
    items.to_mut()
}

/// As `repeat`.
pub fn repeated(row: &[u8], count: usize) -> Vec<u8> {
    let len = row.len().checked_mul(count).unwrap_or_else(|| fail());
    let mut all = with_capacity(len);
    all.extend_from_slice(if count == 0 { &[] } else { row });
    while all.len() < len {
        all.extend_from_within(..all.len().min(len - all.len()));
    }
    all
}

/// As `concat`.
pub fn joined(parts: &[&[u8]]) -> Vec<u8> {
    let mut all = with_capacity(parts.iter().map(|part| part.len()).sum());
    parts.iter().for_each(|part| all.extend_from_slice(part));
    all
}

/// As `to_owned`.
#[inline(always)]
pub fn text(text: &str) -> String {
    if text.len() < MIN_FALLIBLE_ALLOCATION { text.to_owned() } else { large_text(text) }
}

#[inline(never)]
fn large_text(text: &str) -> String {
    let mut copy = String::new();
    check(copy.try_reserve_exact(text.len()));
    copy.push_str(text);
    copy
}

/// As `to_string`.
pub fn shown(value: &impl Display) -> String {
    struct Growing(String);

    impl Write for Growing {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            self.0.room(text.len());
            self.0.push_str(text);
            Ok(())
        }
    }

    let mut out = Growing(String::new());
    // What a `Display` refuses is left out.
    let _ = write!(out, "{value}");
    out.0
}

/// Makes a shared string, for which std has no function that can fail. As much memory is reserved and freed before, so the process ends
/// only if another thread takes it in between.
#[inline]
pub fn shared<'t, T: From<&'t str>>(text: &'t str) -> T {
    if text.len() >= MIN_FALLIBLE_ALLOCATION {
        try_room(text.len());
    }
    T::from(text)
}

/// Makes a shared list in the same way.
pub fn shared_list<T>(items: Vec<T>) -> Arc<[T]> {
    let len = size_of_val(&*items);
    if len >= MIN_FALLIBLE_ALLOCATION {
        try_room(len);
    }
    items.into()
}

#[inline(never)]
fn try_room(len: usize) {
    let mut room = Vec::<u8>::new();
    // The content follows the counts of references, and the whole has their alignment.
    let len = len.saturating_add(2 * size_of::<usize>());
    check(room.try_reserve_exact(len.checked_next_multiple_of(size_of::<usize>()).unwrap_or(len)));
    // Without this the compiler may leave the memory out.
    core::hint::black_box(room.as_mut_ptr());
}

/// As `collect`.
#[inline(always)]
pub fn collected<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut list = with_capacity(items.size_hint().0);
    list.put_each(items);
    list
}

/// Iterators whose items are collected into what can become large.
pub trait Collect: Iterator + Sized {
    /// As `collect`.
    #[inline(always)]
    fn collected<C: FromItems<Self::Item>>(self) -> C {
        C::from_items(self)
    }
}

impl<I: Iterator> Collect for I {}

/// What [`Collect::collected`] makes.
pub trait FromItems<T>: Sized {
    /// As `FromIterator::from_iter`.
    fn from_items(items: impl Iterator<Item = T>) -> Self;
}

impl<T> FromItems<T> for Vec<T> {
    #[inline(always)]
    fn from_items(items: impl Iterator<Item = T>) -> Self {
        collected(items)
    }
}

impl<T> FromItems<T> for Arc<[T]> {
    fn from_items(items: impl Iterator<Item = T>) -> Self {
        shared_list(collected(items))
    }
}

impl<T> FromItems<T> for Box<[T]> {
    fn from_items(items: impl Iterator<Item = T>) -> Self {
        let items = collected(items);
        if items.len() == items.capacity() {
            return items.into_boxed_slice();
        }
        let mut exact = with_capacity(items.len());
        exact.extend(items);
        exact.into_boxed_slice()
    }
}

impl<K: Eq + Hash, V, S: BuildHasher + Default> FromItems<(K, V)> for HashMap<K, V, S> {
    fn from_items(items: impl Iterator<Item = (K, V)>) -> Self {
        let mut map = HashMap::default();
        map.put_each(items);
        map
    }
}

impl<T: Eq + Hash, S: BuildHasher + Default> FromItems<T> for HashSet<T, S> {
    fn from_items(items: impl Iterator<Item = T>) -> Self {
        let mut set = HashSet::default();
        set.put_each(items);
        set
    }
}

impl<T, C: FromItems<T>> FromItems<Option<T>> for Option<C> {
    fn from_items(mut items: impl Iterator<Item = Option<T>>) -> Self {
        let mut is_complete = true;
        let all = core::iter::from_fn(|| {
            let item = items.next()?;
            is_complete = item.is_some();
            item
        });
        let all = C::from_items(all);
        is_complete.then_some(all)
    }
}

impl<T, E, C: FromItems<T>> FromItems<core::result::Result<T, E>> for core::result::Result<C, E> {
    fn from_items(mut items: impl Iterator<Item = core::result::Result<T, E>>) -> Self {
        let mut failed = None;
        let all = core::iter::from_fn(|| match items.next()? {
            Ok(item) => Some(item),
            Err(error) => {
                failed = Some(error);
                None
            }
        });
        let all = C::from_items(all);
        failed.map_or(Ok(all), Err)
    }
}
