//! Options, results, lists and arrays.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::{BTreeSet, BinaryHeap, LinkedList, VecDeque};
use alloc::vec::Vec;
#[cfg(feature = "std")]
use core::hash::{BuildHasher, Hash};
#[cfg(feature = "std")]
use std::collections::HashSet;

use crate::error::Result;
use crate::schema::LogicalType;
use crate::typed::refs::Lists;
#[cfg(feature = "std")]
use crate::typed::unordered;
use crate::typed::{
    BorrowList, Columns, Decode, Description, Encode, InlineColumns, InlineRows, Refs, RowSizes,
    Rows, Site, Slots, Types, slots,
};

impl<T: Encode> Encode for Option<T> {
    const IS_FLAT: bool = T::IS_FLAT;

    fn describe(types: &mut Types) -> Description {
        Description::option(types.written::<T>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.push(site, self.is_some())?;
        match self {
            Some(value) => value.write(columns.child(site, 0), columns),
            None => Ok(()),
        }
    }

    #[inline]
    fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
        self.is_some().write_inline(columns)?;
        match self {
            Some(value) => value.write_inline(columns),
            None => Ok(()),
        }
    }

    fn write_rows(rows: Refs<'_, Self>, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.write_present(rows, site, Option::as_ref)
    }

    fn write_flat(rows: Refs<'_, Self>, columns: &mut InlineColumns<'_>) -> Result<()> {
        columns.bits(rows, Option::is_some);
        let present: Vec<&T> = rows.iter().flatten().collect();
        if present.is_empty() { Ok(()) } else { T::write_flat(Refs::gathered(&present), columns) }
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for Option<T> {
    const IS_FLAT: bool = T::IS_FLAT;

    fn read_flat(slots: &mut Slots<'_, Self>, rows: &mut InlineRows<'_, 'de>) -> Option<()> {
        let bits = rows.bits(slots.left())?;
        let mut present = Vec::new();
        if bits.ones() > 0 {
            let fill = |values: &mut Slots<'_, T>| T::read_flat(values, rows).ok_or(());
            slots::append_at_once(&mut present, bits.ones(), fill).ok()?;
        }
        let mut present = present.into_iter();
        let row = |is_present| if is_present { present.next() } else { None };
        slots.extend(bits.decode_rows(0..bits.len()).map(row));
        Some(())
    }

    fn describe(types: &mut Types) -> Description {
        Description::option(types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        match rows.bit(site)? {
            true => T::read(rows.child(site, 0), rows).map(Some),
            false => Ok(None),
        }
    }

    #[inline]
    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        match rows.bit()? {
            true => T::read_inline(rows).map(Some),
            false => Some(None),
        }
    }

    #[inline]
    fn read_rows(slots: &mut Slots<'_, Self>, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        if rows.row_major_only(site) {
            return Self::read_row_major(slots, site, rows);
        }
        let inner = rows.child(site, 0);
        let mut bits = rows.bits(site, slots.left())?;
        if !slots::is_movable::<T>() {
            for is_present in bits {
                slots.push(if is_present { Some(T::read(inner, rows)?) } else { None });
            }
            return Ok(());
        }
        while let (word, count @ 1..) = bits.next_word() {
            slots::batch(
                word.count_ones() as usize,
                |values| T::read_rows(values, inner, rows),
                |values| slots.extend_present(word, count, values),
            )?;
        }
        Ok(())
    }

    fn read_over(&mut self, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        match (rows.bit(site)?, &mut *self) {
            (true, Some(value)) => return value.read_over(rows.child(site, 0), rows),
            (true, None) => *self = Some(T::read(rows.child(site, 0), rows)?),
            (false, _) => *self = None,
        }
        Ok(())
    }
}

impl<T: Encode, E: Encode> Encode for Result<T, E> {
    fn describe(types: &mut Types) -> Description {
        let (ok, err) = (types.written::<T>(), types.written::<E>());
        Description::variants([("Ok", ok), ("Err", err)])
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        match self {
            Ok(value) => {
                columns.number(site, 0)?;
                value.write(columns.child(site, 0), columns)
            }
            Err(error) => {
                columns.number(site, 1)?;
                error.write(columns.child(site, 1), columns)
            }
        }
    }
}

impl<'de, T: Decode<'de>, E: Decode<'de>> Decode<'de> for Result<T, E> {
    fn describe(types: &mut Types) -> Description {
        let (ok, err) = (types.read::<T>(), types.read::<E>());
        Description::variants([("Ok", ok), ("Err", err)])
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        match rows.number(site)? {
            0 => T::read(rows.child(site, 0), rows).map(Ok),
            _ => E::read(rows.child(site, 1), rows).map(Err),
        }
    }
}

impl<T: Encode> Encode for [T] {
    fn describe(types: &mut Types) -> Description {
        Description::list(types.written::<T>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.number(site, self.len() as u64)?;
        columns.reserve(columns.child(site, 0), self.len());
        T::write_slice(self, columns.child(site, 0), columns)
    }
}

impl<T: Encode, const LEN: usize> Encode for [T; LEN] {
    const IS_FLAT: bool = T::IS_FLAT && LEN > 0;
    const SIZES: RowSizes = T::SIZES.arrays(LEN);

    fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
        if Self::IS_FLAT { T::write_flat(Refs::of(self), columns) } else { columns.columns(self) }
    }

    fn write_flat(rows: Refs<'_, Self>, columns: &mut InlineColumns<'_>) -> Result<()> {
        let items: Vec<&T> = rows.iter().flatten().collect();
        T::write_flat(Refs::gathered(&items), columns)
    }

    fn describe(types: &mut Types) -> Description {
        Description::array(LEN, types.written::<T>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        T::write_lists(&[self], columns.child(site, 0), columns)
    }

    fn write_rows(rows: Refs<'_, Self>, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let item = columns.child(site, 0);
        match rows.as_slice() {
            Some(adjacent) => T::write_lists(&[adjacent.as_flattened()], item, columns),
            None => T::write_arrays(rows, item, columns),
        }
    }

    fn write_lists(lists: &[&[Self]], site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let item = columns.child(site, 0);
        Refs::of(lists).batches().try_for_each(|lists| {
            T::write_lists(Lists::default().of(lists, |list| list.as_flattened()), item, columns)
        })
    }
}

impl<'de, T: Decode<'de>, const LEN: usize> Decode<'de> for [T; LEN] {
    const IS_FLAT: bool = T::IS_FLAT && LEN > 0;

    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        if Self::IS_FLAT {
            slots::one(|slots| Self::read_flat(slots, rows).ok_or(())).ok()
        } else {
            rows.columns()
        }
    }

    fn read_flat(slots: &mut Slots<'_, Self>, rows: &mut InlineRows<'_, 'de>) -> Option<()> {
        rows.charge(slots.left())?;
        slots.fill_items_at_once(|items| T::read_flat(items, rows).ok_or(())).ok()
    }

    fn describe(types: &mut Types) -> Description {
        Description::array(LEN, types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        slots::one(|slots| Self::read_rows(slots, site, rows))
    }

    #[inline]
    fn read_rows(slots: &mut Slots<'_, Self>, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        slots.fill_items(|items| T::read_rows(items, rows.child(site, 0), rows))
    }

    fn read_over(&mut self, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        self.iter_mut().try_for_each(|item| item.read_over(rows.child(site, 0), rows))
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for Vec<T> {
    const IS_INLINE: bool = T::IS_FLAT;

    fn describe(types: &mut Types) -> Description {
        Description::list(types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let len = rows.number(site)?;
        T::read_list(len, rows.child(site, 0), rows)
    }

    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        rows.list()
    }

    #[inline]
    fn read_rows(slots: &mut Slots<'_, Self>, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        if rows.row_major_only(site) {
            return Self::read_row_major(slots, site, rows);
        }
        let lens = rows.numbers(site, slots.left())?;
        T::read_lists(lens, slots, rows.child(site, 0), rows)
    }

    fn read_over(&mut self, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        let len = rows.number(site)?;
        T::read_list_over(self, len, rows.child(site, 0), rows)
    }
}

impl<T: Encode> Encode for Vec<T> {
    const IS_INLINE: bool = T::IS_FLAT || T::IS_DIRECT;

    fn describe(types: &mut Types) -> Description {
        Description::list(types.written::<T>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.number(site, self.len() as u64)?;
        columns.reserve(columns.child(site, 0), self.len());
        T::write_lists(&[self], columns.child(site, 0), columns)
    }

    fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
        columns.list(self)
    }

    fn write_rows(rows: Refs<'_, Self>, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        if columns.row_major_only(site) {
            return rows.iter().try_for_each(|row| row.write(site, columns));
        }
        let item = columns.child(site, 0);
        for rows in rows.batches() {
            columns.buffers.append_numbers(site, rows, |row| row.len() as u64)?;
            T::write_lists(Lists::default().of(rows, Vec::as_slice), item, columns)?;
        }
        Ok(())
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for Box<[T]> {
    fn describe(types: &mut Types) -> Description {
        Description::list(types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        Vec::read(site, rows).map(Vec::into_boxed_slice)
    }
}

impl<'de: 'a, 'a, T: Decode<'de> + Clone> Decode<'de> for Cow<'a, [T]> {
    fn describe(types: &mut Types) -> Description {
        Description::list(types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let (len, item) = (rows.number(site)?, rows.child(site, 0));
        match T::borrow_list(len, item, rows)? {
            Some(list) => Ok(Cow::Borrowed(list)),
            None => T::read_list(len, item, rows).map(Cow::Owned),
        }
    }
}

impl<'de: 'a, 'a, T: Decode<'de> + BorrowList> Decode<'de> for &'a [T] {
    fn describe(types: &mut Types) -> Description {
        Description::list(types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        const { assert!(T::IS_SAME, "a list of a type whose memory layout differs from the data") };
        let len = rows.number(site)?;
        T::borrow_list(len, rows.child(site, 0), rows)?
            .ok_or_else(|| rows.not_borrowed(site, "a list"))
    }
}

macro_rules! lists {
    ($($list:ident<T $(: $bound:path)?>,)*) => {$(
        impl<T: Encode> Encode for $list<T> {
            fn describe(types: &mut Types) -> Description {
                Description::list(types.written::<T>())
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                columns.number(site, self.len() as u64)?;
                columns.write_all(self.iter(), columns.child(site, 0))
            }
        }

        impl<'de, T: Decode<'de> $(+ $bound)?> Decode<'de> for $list<T> {
            fn describe(types: &mut Types) -> Description {
                Description::list(types.read::<T>())
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                Ok(Vec::read(site, rows)?.into_iter().collect())
            }
        }
    )*};
}

lists! { VecDeque<T>, LinkedList<T>, BinaryHeap<T: Ord>, }

fn set_of(list: crate::typed::TypeNumber) -> Description {
    Description::logical(LogicalType::unchecked(LogicalType::SET, &[]), list)
}

macro_rules! set_from {
    ($members:ident) => {
        $members.into_iter().collect()
    };
    ($members:ident, $hasher:ident) => {
        unordered::set_from::<_, $hasher>($members)?
    };
}

macro_rules! sets {
    ($($set:ident<T: $($bound:path),* $(; $hasher:ident)?>,)*) => {$(
        impl<T: Encode $(, $hasher)?> Encode for $set<T $(, $hasher)?> {
            fn describe(types: &mut Types) -> Description {
                set_of(types.written::<[T]>())
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                let list = columns.child(site, 0);
                $(if let Some(done) = unordered::write_set::<T, $hasher>(self, list, columns) {
                    return done;
                })?
                columns.number(list, self.len() as u64)?;
                columns.write_all(self.iter(), columns.child(list, 0))
            }
        }

        impl<'de, T: Decode<'de> $(+ $bound)* $(, $hasher: BuildHasher + Default)?> Decode<'de>
            for $set<T $(, $hasher)?>
        {
            fn describe(types: &mut Types) -> Description {
                set_of(types.read::<Vec<T>>())
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                let members: Vec<T> = Vec::read(rows.child(site, 0), rows)?;
                let len = members.len();
                let set: Self = set_from!(members $(, $hasher)?);
                if set.len() < len {
                    return Err(rows.unconvertible(site, "distinct members", "two equal ones"));
                }
                Ok(set)
            }
        }
    )*};
}

sets! { BTreeSet<T: Ord>, }

#[cfg(feature = "std")]
sets! { HashSet<T: Eq, Hash; S>, }
