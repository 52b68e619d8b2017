//! `SmallVec`: lists stored in place while short.

use smallvec::{Array, SmallVec};

use crate::error::Result;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

impl<A: Array<Item: Encode>> Encode for SmallVec<A> {
    fn describe(types: &mut Types) -> Description {
        Description::list(types.written::<A::Item>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self[..].write(site, columns)
    }
}

impl<'de, A: Array<Item: Decode<'de>>> Decode<'de> for SmallVec<A> {
    fn describe(types: &mut Types) -> Description {
        Description::list(types.read::<A::Item>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let len = rows.number(site)?;
        let item = rows.child(site, 0);
        if len > A::size() {
            return A::Item::read_list(len, item, rows).map(SmallVec::from_vec);
        }
        let mut list = SmallVec::new();
        for _ in 0..len {
            list.push(A::Item::read(item, rows)?);
        }
        Ok(list)
    }
}
