//! Ranges, bounds, orderings.

use core::cmp::Ordering;
use core::ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};

use crate::error::Result;
use crate::typed::{Columns, Decode, Description, Encode, RowSizes, Rows, Site, Types};

macro_rules! ranges {
    ($($range:ident { $($field:ident $number:literal),* }, |$own:ident| [$($part:expr),*], $make:expr;)*) => {$(
        impl<T: Encode> Encode for $range<T> {
            const SIZES: RowSizes = RowSizes::NOTHING$(.and({
                const _: usize = $number;
                T::SIZES
            }))*;

            fn describe(types: &mut Types) -> Description {
                let end = types.written::<T>();
                Description::structure(stringify!($range), [$((stringify!($field), end)),*])
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                let $own = self;
                $($part.write(columns.child(site, $number), columns)?;)*
                Ok(())
            }
        }

        impl<'de, T: Decode<'de>> Decode<'de> for $range<T> {
            fn describe(types: &mut Types) -> Description {
                let end = types.read::<T>();
                Description::structure(stringify!($range), [$((stringify!($field), end)),*])
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                Ok($make($(T::read(rows.child(site, $number), rows)?),*))
            }
        }
    )*};
}

ranges! {
    Range { start 0, end 1 }, |own| [own.start, own.end], |start, end| start..end;
    RangeInclusive { start 0, end 1 }, |own| [own.start(), own.end()], RangeInclusive::new;
    RangeFrom { start 0 }, |own| [own.start], |start| start..;
    RangeTo { end 0 }, |own| [own.end], |end| ..end;
    RangeToInclusive { end 0 }, |own| [own.end], |end| ..=end;
}

impl<T: Encode> Encode for Bound<T> {
    fn describe(types: &mut Types) -> Description {
        let (nothing, end) = (types.written::<()>(), types.written::<T>());
        Description::variants([("Unbounded", nothing), ("Included", end), ("Excluded", end)])
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let (number, end) = match self {
            Bound::Unbounded => return columns.number(site, 0),
            Bound::Included(end) => (1, end),
            Bound::Excluded(end) => (2, end),
        };
        columns.number(site, number as u64)?;
        end.write(columns.child(site, number), columns)
    }
}

impl<'de, T: Decode<'de>> Decode<'de> for Bound<T> {
    fn describe(types: &mut Types) -> Description {
        let (nothing, end) = (types.read::<()>(), types.read::<T>());
        Description::variants([("Unbounded", nothing), ("Included", end), ("Excluded", end)])
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        match rows.number(site)? {
            0 => Ok(Bound::Unbounded),
            1 => T::read(rows.child(site, 1), rows).map(Bound::Included),
            _ => T::read(rows.child(site, 2), rows).map(Bound::Excluded),
        }
    }
}

const ORDERINGS: [(&str, Ordering); 3] =
    [("Less", Ordering::Less), ("Equal", Ordering::Equal), ("Greater", Ordering::Greater)];

impl Encode for Ordering {
    fn describe(types: &mut Types) -> Description {
        let nothing = types.written::<()>();
        Description::variants(ORDERINGS.map(|(name, _)| (name, nothing)))
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.number(site, (*self as i8 + 1) as u64)
    }
}

impl<'de> Decode<'de> for Ordering {
    fn describe(types: &mut Types) -> Description {
        <Ordering as Encode>::describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        Ok(ORDERINGS[rows.number(site)?].1)
    }
}
