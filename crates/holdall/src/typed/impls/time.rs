//! Durations and times: nanoseconds as an integer of any size.

use std::time::{Duration, SystemTime};

use crate::error::Result;
use crate::number::{IntKind, shorten_big, wide_of_big};
use crate::schema::LogicalType;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

const NANOSECONDS: u8 = 3;
const UTC: u8 = 1;

fn of_nanoseconds(kind: u8, parameters: &[u8], types: &mut Types) -> Description {
    let whole = types.add(Description::int(IntKind::Int));
    Description::logical(LogicalType::unchecked(kind, parameters), whole)
}

fn write_whole(number: i128, site: Site, columns: &mut Columns<'_>) -> Result<()> {
    match i64::try_from(number) {
        Ok(number) => columns.buffers.int(site, number.cast_unsigned()),
        Err(_) => columns.buffers.big(site, shorten_big(&number.to_le_bytes())),
    }
}

/// None if it is beyond 128 bits.
fn read_whole(site: Site, rows: &mut Rows<'_, '_>) -> Result<Option<i128>> {
    Ok(match rows.big(site)? {
        Ok(bits) => Some(i128::from(bits.cast_signed())),
        Err(big) if big.len() <= 16 => Some(i128::from_le_bytes(wide_of_big(big))),
        Err(_) => None,
    })
}

/// Nanoseconds, if they are 0 or more and not too many.
fn duration_of(nanoseconds: u128) -> Option<Duration> {
    let seconds = u64::try_from(nanoseconds / 1_000_000_000).ok()?;
    Some(Duration::new(seconds, (nanoseconds % 1_000_000_000) as u32))
}

impl Encode for Duration {
    fn describe(types: &mut Types) -> Description {
        of_nanoseconds(LogicalType::DURATION, &[NANOSECONDS], types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        // At most 2^64 seconds.
        write_whole(self.as_nanos().cast_signed(), columns.child(site, 0), columns)
    }
}

impl<'de> Decode<'de> for Duration {
    fn describe(types: &mut Types) -> Description {
        of_nanoseconds(LogicalType::DURATION, &[NANOSECONDS], types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let whole = rows.child(site, 0);
        let number = read_whole(whole, rows)?.and_then(|number| u128::try_from(number).ok());
        number
            .and_then(duration_of)
            .ok_or_else(|| rows.unconvertible(whole, "0 to 2^64 seconds", "another duration"))
    }
}

impl Encode for SystemTime {
    fn describe(types: &mut Types) -> Description {
        of_nanoseconds(LogicalType::TIMESTAMP, &[NANOSECONDS, UTC], types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let number = match self.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => after.as_nanos().cast_signed(),
            Err(before) => -before.duration().as_nanos().cast_signed(),
        };
        write_whole(number, columns.child(site, 0), columns)
    }
}

impl<'de> Decode<'de> for SystemTime {
    fn describe(types: &mut Types) -> Description {
        of_nanoseconds(LogicalType::TIMESTAMP, &[NANOSECONDS, UTC], types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let whole = rows.child(site, 0);
        let number = read_whole(whole, rows)?;
        let time = number.and_then(|number| {
            let distance = duration_of(number.unsigned_abs())?;
            if number < 0 {
                SystemTime::UNIX_EPOCH.checked_sub(distance)
            } else {
                SystemTime::UNIX_EPOCH.checked_add(distance)
            }
        });
        time.ok_or_else(|| rows.unconvertible(whole, "a time that this system has", "another"))
    }
}
