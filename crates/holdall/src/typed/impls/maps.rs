//! Maps.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use core::hash::{BuildHasher, Hash};
#[cfg(feature = "std")]
use std::collections::HashMap;

use crate::error::Result;
use crate::memory::GrowVec;
use crate::typed::slots::BATCH_ROWS;
#[cfg(feature = "std")]
use crate::typed::unordered;
use crate::typed::{
    Batch, Columns, Decode, Description, Encode, Refs, Rows, Site, Slots, Types, is_movable,
};

/// The entries of maps that are read: of all maps of a site together, in batches.
struct Entries<K, V> {
    keys: Batch<K>,
    values: Batch<V>,
    sites: [Site; 2],
    /// The entries that no batch has read yet.
    left: usize,
    /// Otherwise one entry is read after the other.
    in_batches: bool,
}

impl<'de, K: Decode<'de>, V: Decode<'de>> Entries<K, V> {
    /// Begins to read this many entries.
    fn of(count: usize, map: Site, rows: &Rows<'_, 'de>) -> Self {
        let can_move = is_movable::<K>() && is_movable::<V>();
        Entries {
            keys: Batch::default(),
            values: Batch::default(),
            sites: rows.sites(map),
            left: count,
            in_batches: can_move && !rows.row_major_only(map),
        }
    }

    /// Reads the entries of the next map.
    fn read(&mut self, len: usize, rows: &mut Rows<'_, 'de>) -> Result<Vec<(K, V)>> {
        let [key, value] = self.sites;
        // A hash table keeps spare room.
        rows.allocate::<(K, V)>(2 * len)?;
        let mut entries = rows.room(len)?;
        while entries.len() < len {
            if !self.in_batches {
                let key = K::read(key, rows)?;
                entries.put((key, V::read(value, rows)?));
                continue;
            }
            if self.keys.left() == 0 {
                let count = self.left.min(BATCH_ROWS);
                self.left -= count;
                self.keys.fill(count, |slots| K::read_rows(slots, key, rows))?;
                self.values.fill(count, |slots| V::read_rows(slots, value, rows))?;
            }
            let count = self.keys.left().min(len - entries.len());
            let (mut keys, mut values) = (self.keys.take(count), self.values.take(count));
            entries.put_each((0..count).map(|_| (keys.one(), values.one())));
        }
        Ok(entries)
    }
}

macro_rules! map_from {
    ($entries:ident) => {
        $entries.into_iter().collect()
    };
    ($entries:ident, $hasher:ident) => {
        unordered::map_from::<_, _, $hasher>($entries)?
    };
}

macro_rules! maps {
    ($($map:ident<K: $($bound:path),* $(; $hasher:ident)?>,)*) => {$(
        impl<K: Encode, V: Encode $(, $hasher)?> Encode for $map<K, V $(, $hasher)?> {
            fn describe(types: &mut Types) -> Description {
                let (key, value) = (types.written::<K>(), types.written::<V>());
                Description::map(key, value)
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                $(if let Some(done) = unordered::write_map::<K, V, $hasher>(self, site, columns) {
                    return done;
                })?
                columns.number(site, self.len() as u64)?;
                columns.write_entries(core::iter::once(self.iter()), site)
            }

            fn write_rows(rows: Refs<'_, Self>, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                if columns.row_major_only(site) || columns.orders.is_some() {
                    return rows.iter().try_for_each(|row| row.write(site, columns));
                }
                columns.buffers.append_numbers(site, rows, |row| row.len() as u64)?;
                columns.write_entries(rows.iter().map(Self::iter), site)
            }
        }

        impl<'de, K: Decode<'de> $(+ $bound)*, V: Decode<'de> $(, $hasher: BuildHasher + Default)?>
            Decode<'de> for $map<K, V $(, $hasher)?>
        {
            fn describe(types: &mut Types) -> Description {
                let (key, value) = (types.read::<K>(), types.read::<V>());
                Description::map(key, value)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                let len = rows.number(site)?;
                let entries = Entries::of(len, site, rows).read(len, rows)?;
                let map: Self = map_from!(entries $(, $hasher)?);
                // F-35.
                match map.len() < len {
                    true => Err(rows.duplicate_key(rows.child(site, 0))),
                    false => Ok(map),
                }
            }

            fn read_rows(slots: &mut Slots<'_, Self>, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
                if rows.row_major_only(site) {
                    return Self::read_row_major(slots, site, rows);
                }
                let lens = rows.numbers(site, slots.left())?;
                // Lengths were charged to the budget, so their sum fits.
                let mut all = Entries::of(lens.iter().sum::<u64>() as usize, site, rows);
                for len in lens {
                    let entries = all.read(*len as usize, rows)?;
                    let map: Self = map_from!(entries $(, $hasher)?);
                    // F-35.
                    if (map.len() as u64) < *len {
                        return Err(rows.duplicate_key(rows.child(site, 0)));
                    }
                    slots.push(map);
                }
                Ok(())
            }
        }
    )*};
}

maps! { BTreeMap<K: Ord>, }

#[cfg(feature = "std")]
maps! { HashMap<K: Eq, Hash; S>, }
