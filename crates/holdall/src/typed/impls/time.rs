//! Durations and times: nanoseconds as an integer of any size.

use core::time::Duration;
#[cfg(feature = "std")]
use std::time::SystemTime;

use super::big_ints::{NANOSECONDS, UTC, over_int, read_as, write_big_int};
use crate::error::Result;
use crate::schema::LogicalType;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

/// Converts nanoseconds, if their number is in range.
fn duration_of(nanoseconds: u128) -> Option<Duration> {
    let seconds = u64::try_from(nanoseconds / 1_000_000_000).ok()?;
    Some(Duration::new(seconds, (nanoseconds % 1_000_000_000) as u32))
}

impl Encode for Duration {
    fn describe(types: &mut Types) -> Description {
        over_int(LogicalType::DURATION, &[NANOSECONDS], types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        // A duration has at most 2^64 seconds.
        write_big_int(self.as_nanos().cast_signed(), columns.child(site, 0), columns)
    }
}

impl<'de> Decode<'de> for Duration {
    fn describe(types: &mut Types) -> Description {
        over_int(LogicalType::DURATION, &[NANOSECONDS], types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let whole = rows.child(site, 0);
        read_as(whole, rows, "0 to 2^64 seconds", |number| {
            duration_of(u128::try_from(number).ok()?)
        })
    }
}

#[cfg(feature = "std")]
impl Encode for SystemTime {
    fn describe(types: &mut Types) -> Description {
        over_int(LogicalType::TIMESTAMP, &[NANOSECONDS, UTC], types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let number = match self.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => after.as_nanos().cast_signed(),
            Err(before) => -before.duration().as_nanos().cast_signed(),
        };
        write_big_int(number, columns.child(site, 0), columns)
    }
}

#[cfg(feature = "std")]
impl<'de> Decode<'de> for SystemTime {
    fn describe(types: &mut Types) -> Description {
        over_int(LogicalType::TIMESTAMP, &[NANOSECONDS, UTC], types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let whole = rows.child(site, 0);
        read_as(whole, rows, "a time that this system can represent", |number| {
            let distance = duration_of(number.unsigned_abs())?;
            if number < 0 {
                SystemTime::UNIX_EPOCH.checked_sub(distance)
            } else {
                SystemTime::UNIX_EPOCH.checked_add(distance)
            }
        })
    }
}
