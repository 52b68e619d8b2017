//! Shared by chrono, time and jiff: nanoseconds, and names of days and months.

pub(super) const SECOND: i128 = 1_000_000_000;
#[cfg(any(feature = "time", feature = "jiff"))]
pub(super) const DAY: i128 = 86_400 * SECOND;

/// Times of a clock in an unknown zone.
pub(super) const LOCAL: u8 = 0;

pub(super) const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

#[cfg(any(feature = "chrono", feature = "time"))]
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Splits nanoseconds into seconds and the rest, which is at least 0.
pub(super) fn seconds_of(nanoseconds: i128) -> Option<(i64, u32)> {
    let seconds = i64::try_from(nanoseconds.div_euclid(SECOND)).ok()?;
    Some((seconds, nanoseconds.rem_euclid(SECOND) as u32))
}

/// A type that is stored as an int: its description, and the conversions to and from that number.
macro_rules! counted {
    ($($ty:ty: $kind:ident [$($parameter:expr),*], $expected:literal, |$own:ident| $to:expr, |$number:ident| $from:expr;)*) => {$(
        impl Encode for $ty {
            fn describe(types: &mut Types) -> Description {
                over_int(LogicalType::$kind, &[$($parameter),*], types)
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                let $own = self;
                write_big_int($to, columns.child(site, 0), columns)
            }
        }

        impl<'de> Decode<'de> for $ty {
            fn describe(types: &mut Types) -> Description {
                <$ty as Encode>::describe(types)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                read_as(rows.child(site, 0), rows, $expected, |$number| $from)
            }
        }
    )*};
}

/// A type with a few values, each with a name.
macro_rules! named {
    ($($ty:ty: $names:ident, |$own:ident| $to:expr, |$number:ident| $from:expr;)*) => {$(
        impl Encode for $ty {
            fn describe(types: &mut Types) -> Description {
                let nothing = types.written::<()>();
                Description::variants($names.map(|name| (name, nothing)))
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                let $own = self;
                columns.number(site, $to)
            }
        }

        impl<'de> Decode<'de> for $ty {
            fn describe(types: &mut Types) -> Description {
                <$ty as Encode>::describe(types)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                // The column was checked: it has only the numbers of the names.
                let $number = rows.number(site)? as u8;
                $from.ok_or_else(|| rows.no_variant(site))
            }
        }
    )*};
}

pub(super) use {counted, named};
