//! Options, results, lists and arrays.

use std::borrow::Cow;
use std::collections::{BTreeSet, BinaryHeap, HashSet, LinkedList, VecDeque};
use std::hash::{BuildHasher, Hash};

use crate::error::Result;
use crate::schema::LogicalType;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

impl<T: Encode> Encode for Option<T> {
    fn describe(types: &mut Types) -> Description {
        Description::option(types.written::<T>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.bit(site, self.is_some())?;
        match self {
            Some(value) => value.write(columns.child(site, 0), columns),
            None => Ok(()),
        }
    }

    fn write_rows<'r, R>(rows: R, site: Site, columns: &mut Columns<'_>) -> Result<()>
    where
        Self: 'r,
        R: Iterator<Item = &'r Self> + Clone,
    {
        columns.buffers.bits(site, rows.clone().map(Option::is_some))?;
        T::write_rows(rows.flatten(), columns.child(site, 0), columns)
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for Option<T> {
    fn describe(types: &mut Types) -> Description {
        Description::option(types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        match rows.bit(site)? {
            true => T::read(rows.child(site, 0), rows).map(Some),
            false => Ok(None),
        }
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
        T::write_rows(self.iter(), columns.child(site, 0), columns)
    }
}

impl<T: Encode, const LEN: usize> Encode for [T; LEN] {
    fn describe(types: &mut Types) -> Description {
        Description::array(LEN, types.written::<T>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        T::write_rows(self.iter(), columns.child(site, 0), columns)
    }

    fn write_rows<'r, R>(rows: R, site: Site, columns: &mut Columns<'_>) -> Result<()>
    where
        Self: 'r,
        R: Iterator<Item = &'r Self> + Clone,
    {
        T::write_rows(rows.flatten(), columns.child(site, 0), columns)
    }
}

impl<'de, T: Decode<'de>, const LEN: usize> Decode<'de> for [T; LEN] {
    fn describe(types: &mut Types) -> Description {
        Description::array(LEN, types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let item = rows.child(site, 0);
        let mut failed = None;
        // An array is made in place; after a fault the rest of it is not.
        let items: [Option<T>; LEN] = std::array::from_fn(|_| {
            if failed.is_some() {
                return None;
            }
            T::read(item, rows).map_err(|error| failed = Some(error)).ok()
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(items.map(|item| item.expect("read, since nothing failed"))),
        }
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for Vec<T> {
    fn describe(types: &mut Types) -> Description {
        Description::list(types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let len = rows.number(site)?;
        T::read_list(len, rows.child(site, 0), rows)
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn describe(types: &mut Types) -> Description {
        Description::list(types.written::<T>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self[..].write(site, columns)
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

impl<'de, T: Decode<'de> + Clone> Decode<'de> for Cow<'_, [T]> {
    fn describe(types: &mut Types) -> Description {
        Description::list(types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        Vec::read(site, rows).map(Cow::Owned)
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
                T::write_rows(self.iter(), columns.child(site, 0), columns)
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

macro_rules! sets {
    ($($set:ident<T: $($bound:path),* $(; $hasher:ident)?>,)*) => {$(
        impl<T: Encode $(, $hasher)?> Encode for $set<T $(, $hasher)?> {
            fn describe(types: &mut Types) -> Description {
                set_of(types.written::<[T]>())
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                let list = columns.child(site, 0);
                columns.number(list, self.len() as u64)?;
                T::write_rows(self.iter(), columns.child(list, 0), columns)
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
                let set: Self = members.into_iter().collect();
                if set.len() < len {
                    return Err(rows.unconvertible(site, "members that differ", "two that are equal"));
                }
                Ok(set)
            }
        }
    )*};
}

sets! { BTreeSet<T: Ord>, HashSet<T: Eq, Hash; S>, }
