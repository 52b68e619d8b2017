//! Dates and times of jiff.

use alloc::string::String;

use jiff::civil::{Date, DateTime, Time, Weekday, date};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, Zoned};

use super::calendar::{DAY, LOCAL, SECOND, WEEKDAYS, counted, named, seconds_of};
use super::unsupported;
use crate::error::Result;
use crate::number::IntKind;
use crate::schema::LogicalType;
use crate::typed::impls::big_ints::{NANOSECONDS, UTC, over_int, read_as, write_big_int};
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, TypeNumber, Types};

const EPOCH: Date = date(1970, 1, 1);

fn days(date: Date) -> i128 {
    (date.duration_since(EPOCH).as_secs() / 86_400).into()
}

fn date_of(days: i128) -> Option<Date> {
    let seconds = i64::try_from(days).ok()?.checked_mul(86_400)?;
    EPOCH.checked_add(SignedDuration::from_secs(seconds)).ok()
}

fn since_midnight(time: Time) -> i128 {
    time.duration_since(Time::midnight()).as_nanos()
}

fn time_of(nanoseconds: i128) -> Option<Time> {
    let (seconds, rest) = seconds_of(nanoseconds)?;
    let seconds = u32::try_from(seconds).ok()?;
    let hour = i8::try_from(seconds / 3600).ok()?;
    Time::new(hour, (seconds / 60 % 60) as i8, (seconds % 60) as i8, rest.cast_signed()).ok()
}

fn clock_of(nanoseconds: i128) -> Option<DateTime> {
    let date = date_of(nanoseconds.div_euclid(DAY))?;
    Some(DateTime::from_parts(date, time_of(nanoseconds.rem_euclid(DAY))?))
}

fn duration_of(nanoseconds: i128) -> Option<SignedDuration> {
    let seconds = i64::try_from(nanoseconds / SECOND).ok()?;
    Some(SignedDuration::new(seconds, (nanoseconds % SECOND) as i32))
}

counted! {
    Date: DATE [], "days of a date that jiff has", |date| days(*date), |days| date_of(days);
    Time: TIME [NANOSECONDS], "nanoseconds of a day",
        |time| since_midnight(*time), |number| time_of(number);
    DateTime: TIMESTAMP [NANOSECONDS, LOCAL], "nanoseconds of a date that jiff has",
        |time| days(time.date()) * DAY + since_midnight(time.time()), |number| clock_of(number);
    Timestamp: TIMESTAMP [NANOSECONDS, UTC], "nanoseconds of a time that jiff has",
        |time| time.as_nanosecond(), |number| Timestamp::from_nanosecond(number).ok();
    SignedDuration: DURATION [NANOSECONDS], "nanoseconds of at most 2^63 seconds",
        |duration| duration.as_nanos(), |number| duration_of(number);
    Offset: DURATION [0], "seconds of less than 26 hours",
        |offset| offset.seconds().into(),
        |number| Offset::from_seconds(i32::try_from(number).ok()?).ok();
}

named! {
    Weekday: WEEKDAYS, |day| day.to_monday_zero_offset().cast_unsigned().into(),
        |number| Weekday::from_monday_zero_offset(number.cast_signed()).ok();
}

/// UTC, and the name of the zone.
const ZONE: u8 = 3;

fn zoned(name: TypeNumber, types: &mut Types) -> Description {
    let big = types.add(Description::int(IntKind::Int));
    let storage = types.add(Description::tuple([big, name]));
    let ty = LogicalType::unchecked(LogicalType::TIMESTAMP, &[NANOSECONDS, ZONE]);
    Description::logical(ty, storage)
}

/// Writes zones of the IANA database only: other zones have no name that all readers know.
impl Encode for Zoned {
    fn describe(types: &mut Types) -> Description {
        let name = types.written::<str>();
        zoned(name, types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let zone = self.time_zone();
        let name = zone.iana_name().ok_or_else(|| {
            unsupported("a time zone with a name of the IANA database", format!("{zone:?}"))
        })?;
        let storage = columns.child(site, 0);
        write_big_int(self.timestamp().as_nanosecond(), columns.child(storage, 0), columns)?;
        name.write(columns.child(storage, 1), columns)
    }
}

/// Reads zones that jiff finds on this machine.
impl<'de> Decode<'de> for Zoned {
    fn describe(types: &mut Types) -> Description {
        let name = types.read::<String>();
        zoned(name, types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let storage = rows.child(site, 0);
        let (big, name) = (rows.child(storage, 0), rows.child(storage, 1));
        let time = read_as(big, rows, "nanoseconds of a time that jiff has", |number| {
            Timestamp::from_nanosecond(number).ok()
        })?;
        let text = rows.text(name)?;
        let zone = TimeZone::get(text).map_err(|_| {
            rows.unconvertible(name, "a time zone that this program knows", format!("{text:?}"))
        })?;
        Ok(time.to_zoned(zone))
    }
}
