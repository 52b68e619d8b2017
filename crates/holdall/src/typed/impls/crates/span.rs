//! Spans of jiff: years, months and so on. No unit is a fixed number of another.

use alloc::string::ToString;

use jiff::Span;

use crate::error::Result;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

macro_rules! units {
    ($($number:literal $unit:ident: $get:ident, $set:ident;)*) => {
        /// Each unit is stored separately, so that nothing is rounded or balanced.
        impl Encode for Span {
            fn describe(types: &mut Types) -> Description {
                let count = types.written::<i64>();
                Description::structure("Span", [$((stringify!($unit), count)),*])
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                $(i64::from(self.$get()).write(columns.child(site, $number), columns)?;)*
                Ok(())
            }
        }

        impl<'de> Decode<'de> for Span {
            fn describe(types: &mut Types) -> Description {
                <Span as Encode>::describe(types)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                let mut span = Span::new();
                $(
                    let unit = rows.child(site, $number);
                    let count = i64::read(unit, rows)?;
                    if count.signum() * i64::from(span.signum()) < 0 {
                        return Err(rows.unconvertible(unit, "units of one sign", count.to_string()));
                    }
                    span = span.$set(count).map_err(|_| {
                        let expected = concat!("as many ", stringify!($unit), " as a span of jiff has");
                        rows.unconvertible(unit, expected, count.to_string())
                    })?;
                )*
                Ok(span)
            }
        }
    };
}

units! {
    0 years: get_years, try_years;
    1 months: get_months, try_months;
    2 weeks: get_weeks, try_weeks;
    3 days: get_days, try_days;
    4 hours: get_hours, try_hours;
    5 minutes: get_minutes, try_minutes;
    6 seconds: get_seconds, try_seconds;
    7 milliseconds: get_milliseconds, try_milliseconds;
    8 microseconds: get_microseconds, try_microseconds;
    9 nanoseconds: get_nanoseconds, try_nanoseconds;
}
