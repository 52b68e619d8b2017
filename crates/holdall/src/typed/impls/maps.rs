//! Maps.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

use crate::error::Result;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types, unordered};

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
                let (keys, values) = (columns.child(site, 0), columns.child(site, 1));
                if columns.row_major_only(site) {
                    return self.iter().try_for_each(|(key, value)| {
                        key.write(keys, columns)?;
                        value.write(values, columns)
                    });
                }
                columns.write_all(self.keys(), keys)?;
                columns.write_all(self.values(), values)
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
                let mut map = Self::default();
                map.read_over(site, rows)?;
                Ok(map)
            }

            fn read_over(&mut self, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
                let len = rows.number(site)?;
                // A hash table keeps spare room.
                rows.allocate::<(K, V)>(2 * len)?;
                let (keys, values) = (rows.child(site, 0), rows.child(site, 1));
                let mut entries = rows.room(len)?;
                for _ in 0..len {
                    let key = K::read(keys, rows)?;
                    entries.push((key, V::read(values, rows)?));
                }
                self.clear();
                $(unordered::reserve_map::<K, V, $hasher>(self, len)?;)?
                self.extend(entries);
                match self.len() < len {
                    true => Err(rows.duplicate_key(keys)),
                    false => Ok(()),
                }
            }
        }
    )*};
}

maps! { BTreeMap<K: Ord>, HashMap<K: Eq, Hash; S>, }
