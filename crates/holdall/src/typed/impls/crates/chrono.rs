//! Dates and times of chrono.

use chrono::{
    DateTime, Datelike, FixedOffset, Local, Month, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta,
    TimeZone, Timelike, Utc, Weekday,
};

use super::calendar::{LOCAL, MONTHS, SECOND, WEEKDAYS, counted, named, seconds_of};
use super::offset::{read_with_offset, with_offset, write_with_offset};
use super::unsupported;
use crate::error::Result;
use crate::schema::LogicalType;
use crate::typed::impls::big_ints::{NANOSECONDS, UTC, over_int, read_as, write_big_int};
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

/// 1970-01-01, counted from the day before 0001-01-01.
const EPOCH: i32 = 719_163;

/// Chrono represents a leap second as the second before it with a billion nanoseconds or more. The stored number cannot
/// represent it.
fn check_leap(nanosecond: u32) -> Result<i128> {
    match i128::from(nanosecond) {
        nanosecond if nanosecond < SECOND => Ok(nanosecond),
        _ => Err(unsupported("a time outside of leap seconds", "one in a leap second")),
    }
}

fn nanoseconds<Tz: TimeZone>(time: &DateTime<Tz>) -> Result<i128> {
    Ok(i128::from(time.timestamp()) * SECOND + check_leap(time.timestamp_subsec_nanos())?)
}

fn instant_of(nanoseconds: i128) -> Option<DateTime<Utc>> {
    let (seconds, rest) = seconds_of(nanoseconds)?;
    DateTime::from_timestamp(seconds, rest)
}

fn time_of(nanoseconds: i128) -> Option<NaiveTime> {
    let (seconds, rest) = seconds_of(nanoseconds)?;
    NaiveTime::from_num_seconds_from_midnight_opt(u32::try_from(seconds).ok()?, rest)
}

fn date_of(days: i128) -> Option<NaiveDate> {
    let days = i32::try_from(days).ok()?;
    NaiveDate::from_num_days_from_ce_opt(days.checked_add(EPOCH)?)
}

fn since_midnight(time: &NaiveTime) -> Result<i128> {
    Ok(i128::from(time.num_seconds_from_midnight()) * SECOND + check_leap(time.nanosecond())?)
}

fn delta_of(nanoseconds: i128) -> Option<TimeDelta> {
    let (seconds, rest) = seconds_of(nanoseconds)?;
    TimeDelta::new(seconds, rest)
}

counted! {
    NaiveDate: DATE [], "days of a date that chrono has",
        |date| i128::from(date.num_days_from_ce()) - i128::from(EPOCH), |days| date_of(days);
    NaiveTime: TIME [NANOSECONDS], "nanoseconds of a day",
        |time| since_midnight(time)?, |number| time_of(number);
    NaiveDateTime: TIMESTAMP [NANOSECONDS, LOCAL], "nanoseconds of a date and time that chrono has",
        |time| nanoseconds(&time.and_utc())?, |number| Some(instant_of(number)?.naive_utc());
    DateTime<Utc>: TIMESTAMP [NANOSECONDS, UTC], "nanoseconds of a date and time that chrono has",
        |time| nanoseconds(time)?, |number| instant_of(number);
    // An instant; reading shows it in the machine's local time.
    DateTime<Local>: TIMESTAMP [NANOSECONDS, UTC], "nanoseconds of a date and time that chrono has",
        |time| nanoseconds(time)?, |number| Some(instant_of(number)?.with_timezone(&Local));
    TimeDelta: DURATION [NANOSECONDS], "nanoseconds of a duration that chrono has",
        |delta| i128::from(delta.num_seconds()) * SECOND + i128::from(delta.subsec_nanos()),
        |number| delta_of(number);
    FixedOffset: DURATION [0], "seconds of less than a day",
        |offset| offset.local_minus_utc().into(),
        |number| FixedOffset::east_opt(i32::try_from(number).ok()?);
}

named! {
    Weekday: WEEKDAYS, |day| day.num_days_from_monday().into(), |number| Weekday::try_from(number).ok();
    Month: MONTHS, |month| u64::from(month.number_from_month() - 1), |number| Month::try_from(number + 1).ok();
}

impl Encode for DateTime<FixedOffset> {
    fn describe(types: &mut Types) -> Description {
        with_offset(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let offset = self.offset().local_minus_utc();
        write_with_offset((nanoseconds(self)?, offset), site, columns)
    }
}

impl<'de> Decode<'de> for DateTime<FixedOffset> {
    fn describe(types: &mut Types) -> Description {
        with_offset(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let expected =
            "nanoseconds of a date and time that chrono has, and an offset of less than a day";
        read_with_offset(site, rows, expected, |number, offset| {
            Some(instant_of(number)?.with_timezone(&FixedOffset::east_opt(offset)?))
        })
    }
}
