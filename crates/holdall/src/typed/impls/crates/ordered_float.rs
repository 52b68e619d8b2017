//! Floats with an order: stored as the floats in them, with every bit.

use ordered_float::{FloatCore, NotNan, OrderedFloat};

use crate::error::Result;
use crate::typed::{
    Columns, Decode, Description, Encode, InlineColumns, InlineRows, RowSizes, Rows, Site, Types,
};

macro_rules! around {
    ($($name:ident $(: $bound:ident)?, |$own:ident| $number:expr;)*) => {$(
        impl<T: Encode $(+ $bound)?> Encode for $name<T> {
            const SIZES: RowSizes = T::SIZES;

            fn describe(types: &mut Types) -> Description {
                Description::alias(types.written::<T>())
            }

            #[inline]
            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                let $own = self;
                $number.write(site, columns)
            }

            #[inline]
            fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
                let $own = self;
                $number.write_inline(columns)
            }
        }
    )*};
}

around! {
    OrderedFloat, |own| own.0;
    NotNan: FloatCore, |own| own.into_inner();
}

impl<'de, T: Decode<'de>> Decode<'de> for OrderedFloat<T> {
    fn describe(types: &mut Types) -> Description {
        Description::alias(types.read::<T>())
    }

    #[inline]
    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        T::read(site, rows).map(OrderedFloat)
    }

    #[inline]
    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        T::read_inline(rows).map(OrderedFloat)
    }
}

impl<'de, T: Decode<'de> + FloatCore> Decode<'de> for NotNan<T> {
    fn describe(types: &mut Types) -> Description {
        Description::alias(types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let number = T::read(site, rows)?;
        NotNan::new(number).map_err(|_| rows.unconvertible(site, "a number", "NaN"))
    }

    #[inline]
    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        NotNan::new(T::read_inline(rows)?).ok()
    }
}
