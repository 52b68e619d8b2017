//! Bit vectors, in the order of their bits, whatever they are stored in.

use bitvec::boxed::BitBox;
use bitvec::order::BitOrder;
use bitvec::slice::BitSlice;
use bitvec::store::BitStore;
use bitvec::vec::BitVec;

use crate::error::Result;
use crate::memory::{Grow, GrowVec};
use crate::schema::LogicalType;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

impl<T: BitStore, O: BitOrder> Encode for BitSlice<T, O> {
    fn describe(types: &mut Types) -> Description {
        let list = types.written::<[bool]>();
        Description::logical(LogicalType::unchecked(LogicalType::BIT_VECTOR, &[]), list)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let list = columns.child(site, 0);
        columns.number(list, self.len() as u64)?;
        let column = columns.buffers.words::<bool>(columns.child(list, 0))?;
        column.room(self.len());
        column.put_each(self.iter().by_vals());
        Ok(())
    }
}

impl<T: BitStore, O: BitOrder> Encode for BitVec<T, O> {
    fn describe(types: &mut Types) -> Description {
        BitSlice::<T, O>::describe(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self.as_bitslice().write(site, columns)
    }
}

impl<'de, T: BitStore, O: BitOrder> Decode<'de> for BitVec<T, O> {
    fn describe(types: &mut Types) -> Description {
        BitSlice::<T, O>::describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let list = rows.child(site, 0);
        let len = rows.number(list)?;
        match len {
            0 => Ok(BitVec::new()),
            _ => Ok(rows.bits(rows.child(list, 0), len)?.collect()),
        }
    }
}

impl<T: BitStore, O: BitOrder> Encode for BitBox<T, O> {
    fn describe(types: &mut Types) -> Description {
        BitSlice::<T, O>::describe(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self.as_bitslice().write(site, columns)
    }
}

impl<'de, T: BitStore, O: BitOrder> Decode<'de> for BitBox<T, O> {
    fn describe(types: &mut Types) -> Description {
        BitSlice::<T, O>::describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        BitVec::read(site, rows).map(BitVec::into_boxed_bitslice)
    }
}
