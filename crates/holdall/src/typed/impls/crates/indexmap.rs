//! Maps and sets whose order is that of insertion.

use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash};

use foldhash::fast::RandomState;
use indexmap::{IndexMap, IndexSet};

use crate::error::Result;
use crate::schema::LogicalType;
use crate::typed::rows::no_memory;
use crate::typed::{Columns, Decode, Description, Each, Encode, Rows, Site, TypeNumber, Types};

fn ordered(map: TypeNumber) -> Description {
    Description::logical(LogicalType::unchecked(LogicalType::ORDERED_MAP, &[]), map)
}

impl<K: Encode, V: Encode, S> Encode for IndexMap<K, V, S> {
    fn describe(types: &mut Types) -> Description {
        let (key, value) = (types.written::<K>(), types.written::<V>());
        ordered(types.add(Description::map(key, value)))
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let map = columns.child(site, 0);
        columns.number(map, self.len() as u64)?;
        columns.write_entries(core::iter::once(self.iter()), map)
    }
}

impl<'de, K, V, S> Decode<'de> for IndexMap<K, V, S>
where
    K: Decode<'de> + Eq + Hash,
    V: Decode<'de>,
    S: BuildHasher + Default,
{
    fn describe(types: &mut Types) -> Description {
        let (key, value) = (types.read::<K>(), types.read::<V>());
        ordered(types.add(Description::map(key, value)))
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let map = rows.child(site, 0);
        let len = rows.number(map)?;
        // An entry also takes its hash and an index, with spare room.
        rows.allocate::<(K, V, [usize; 3])>(len)?;
        let (keys, values) = (rows.child(map, 0), rows.child(map, 1));
        let mut entries = IndexMap::with_hasher(S::default());
        entries.try_reserve_exact(len).map_err(|_| no_memory::<(K, V)>(len))?;
        for _ in 0..len {
            let key = K::read(keys, rows)?;
            // F-35.
            if entries.insert(key, V::read(values, rows)?).is_some() {
                return Err(rows.duplicate_key(keys));
            }
        }
        Ok(entries)
    }
}

impl<K: Eq + Hash, T, S> Each<IndexMap<K, T, S>> {
    #[doc(hidden)]
    pub fn items_to<'c, As>(
        map: &'c IndexMap<K, T, S>,
        encode: impl Fn(&'c T) -> As,
    ) -> IndexMap<&'c K, As, RandomState> {
        map.iter().map(|(key, value)| (key, encode(value))).collect()
    }

    /// # Errors
    /// Those of the function.
    #[doc(hidden)]
    pub fn items_from<As, E>(
        map: IndexMap<K, As, RandomState>,
        decode: impl Fn(As) -> Result<T, E>,
    ) -> Result<IndexMap<K, T, S>, E>
    where
        S: BuildHasher + Default,
    {
        map.into_iter().map(|(key, value)| Ok((key, decode(value)?))).collect()
    }
}

fn set(list: TypeNumber) -> Description {
    Description::logical(LogicalType::unchecked(LogicalType::SET, &[]), list)
}

impl<T: Encode, S> Encode for IndexSet<T, S> {
    fn describe(types: &mut Types) -> Description {
        set(types.written::<[T]>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let list = columns.child(site, 0);
        columns.number(list, self.len() as u64)?;
        columns.write_all(self.iter(), columns.child(list, 0))
    }
}

impl<'de, T: Decode<'de> + Eq + Hash, S: BuildHasher + Default> Decode<'de> for IndexSet<T, S> {
    fn describe(types: &mut Types) -> Description {
        set(types.read::<Vec<T>>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let list = rows.child(site, 0);
        let len = rows.number(list)?;
        rows.allocate::<(T, [usize; 3])>(len)?;
        let member = rows.child(list, 0);
        let mut members = IndexSet::with_hasher(S::default());
        members.try_reserve_exact(len).map_err(|_| no_memory::<T>(len))?;
        for _ in 0..len {
            if !members.insert(T::read(member, rows)?) {
                let error = rows.unconvertible(site, "distinct members", "two equal ones");
                return Err(error);
            }
        }
        Ok(members)
    }
}
