//! Shapes of geography: a coordinate is a struct of `x` and `y`, everything else lists and structs of these.

use alloc::vec::Vec;

use geo_types::{
    Coord, CoordNum, Geometry, GeometryCollection, Line, LineString, MultiLineString, MultiPoint,
    MultiPolygon, Point, Polygon, Rect, Triangle,
};

use crate::error::Result;
use crate::typed::{Columns, Decode, Description, Encode, RowSizes, Rows, Site, Types};

/// Structs with these fields, in order.
macro_rules! structs {
    ($($ty:ident { $($field:ident $number:literal: $part:ty = |$own:ident| $get:expr),* }, $make:expr;)*) => {$(
        impl<T: Encode + CoordNum> Encode for $ty<T> {
            const SIZES: RowSizes = RowSizes::NOTHING$(.and(<$part as Encode>::SIZES))*;

            fn describe(types: &mut Types) -> Description {
                let fields = [$((stringify!($field), types.written::<$part>())),*];
                Description::structure(stringify!($ty), fields)
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                $(
                    let $own = self;
                    Encode::write(&$get, columns.child(site, $number), columns)?;
                )*
                Ok(())
            }
        }

        impl<'de, T: Decode<'de> + CoordNum> Decode<'de> for $ty<T> {
            fn describe(types: &mut Types) -> Description {
                let fields = [$((stringify!($field), types.read::<$part>())),*];
                Description::structure(stringify!($ty), fields)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                $(let $field = <$part>::read(rows.child(site, $number), rows)?;)*
                Ok($make($($field),*))
            }
        }
    )*};
}

structs! {
    Coord { x 0: T = |own| own.x, y 1: T = |own| own.y }, |x, y| Coord { x, y };
    Line { start 0: Coord<T> = |own| own.start, end 1: Coord<T> = |own| own.end }, |start, end| Line { start, end };
    Polygon {
        exterior 0: LineString<T> = |own| own.exterior(),
        interiors 1: Vec<LineString<T>> = |own| own.interiors()
    }, Polygon::new;
}

/// Types that are stored as what is in them.
macro_rules! around {
    ($($ty:ident of $inner:ty;)*) => {$(
        impl<T: Encode + CoordNum> Encode for $ty<T> {
            const SIZES: RowSizes = <$inner as Encode>::SIZES;

            fn describe(types: &mut Types) -> Description {
                Description::alias(types.written::<$inner>())
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                self.0.write(site, columns)
            }
        }

        impl<'de, T: Decode<'de> + CoordNum> Decode<'de> for $ty<T> {
            fn describe(types: &mut Types) -> Description {
                Description::alias(types.read::<$inner>())
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                <$inner>::read(site, rows).map($ty)
            }
        }
    )*};
}

around! {
    Point of Coord<T>;
    LineString of Vec<Coord<T>>;
    MultiPoint of Vec<Point<T>>;
    MultiLineString of Vec<LineString<T>>;
    MultiPolygon of Vec<Polygon<T>>;
    GeometryCollection of Vec<Geometry<T>>;
}

impl<T: Encode + CoordNum> Encode for Rect<T> {
    const SIZES: RowSizes = Coord::<T>::SIZES.and(Coord::<T>::SIZES);

    fn describe(types: &mut Types) -> Description {
        let corner = types.written::<Coord<T>>();
        Description::structure("Rect", [("min", corner), ("max", corner)])
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self.min().write(columns.child(site, 0), columns)?;
        self.max().write(columns.child(site, 1), columns)
    }
}

impl<'de, T: Decode<'de> + CoordNum> Decode<'de> for Rect<T> {
    fn describe(types: &mut Types) -> Description {
        let corner = types.read::<Coord<T>>();
        Description::structure("Rect", [("min", corner), ("max", corner)])
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let min = Coord::read(rows.child(site, 0), rows)?;
        let max = Coord::read(rows.child(site, 1), rows)?;
        if !(min.x <= max.x && min.y <= max.y) {
            let expected = "a rectangle whose min is at most its max";
            return Err(rows.unconvertible(site, expected, format!("{min:?} and {max:?}")));
        }
        // `new` exchanges -0 and 0, which are equal.
        let mut rect = Rect::new(min, max);
        rect.set_min(min);
        rect.set_max(max);
        Ok(rect)
    }
}

impl<T: Encode + CoordNum> Encode for Triangle<T> {
    const SIZES: RowSizes = <[Coord<T>; 3]>::SIZES;

    fn describe(types: &mut Types) -> Description {
        Description::alias(types.written::<[Coord<T>; 3]>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self.to_array().write(site, columns)
    }
}

impl<'de, T: Decode<'de> + CoordNum> Decode<'de> for Triangle<T> {
    fn describe(types: &mut Types) -> Description {
        Description::alias(types.read::<[Coord<T>; 3]>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        <[Coord<T>; 3]>::read(site, rows).map(Triangle::from)
    }
}

macro_rules! geometries {
    ($($variant:ident $number:literal,)*) => {
        impl<T: Encode + CoordNum> Encode for Geometry<T> {
            fn describe(types: &mut Types) -> Description {
                let variants = [$((stringify!($variant), types.written::<$variant<T>>())),*];
                Description::variants(variants).entered()
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                columns.enter(site, |columns, site| match self {
                    $(Geometry::$variant(shape) => {
                        columns.number(site, $number)?;
                        shape.write(columns.child(site, $number), columns)
                    })*
                })
            }
        }

        impl<'de, T: Decode<'de> + CoordNum> Decode<'de> for Geometry<T> {
            fn describe(types: &mut Types) -> Description {
                let variants = [$((stringify!($variant), types.read::<$variant<T>>())),*];
                Description::variants(variants).entered()
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                rows.enter(site, |rows, site| match rows.number(site)? {
                    $($number => $variant::read(rows.child(site, $number), rows).map(Geometry::$variant),)*
                    _ => Err(rows.unconvertible(site, "a geometry", "another variant")),
                })
            }
        }
    };
}

geometries! {
    Point 0,
    Line 1,
    LineString 2,
    Polygon 3,
    MultiPoint 4,
    MultiLineString 5,
    MultiPolygon 6,
    GeometryCollection 7,
    Rect 8,
    Triangle 9,
}
