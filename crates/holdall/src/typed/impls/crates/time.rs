//! Dates and times of the crate time.

use time::{
    Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcDateTime, UtcOffset, Weekday,
};

use super::calendar::{DAY, LOCAL, MONTHS, SECOND, WEEKDAYS, counted, named, seconds_of};
use super::offset::{read_with_offset, with_offset, write_with_offset};
use crate::error::Result;
use crate::schema::LogicalType;
use crate::typed::impls::big_ints::{NANOSECONDS, UTC, over_int, read_as, write_big_int};
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

/// 1970-01-01 as a Julian day.
const EPOCH: i32 = 2_440_588;

fn days(date: Date) -> i128 {
    i128::from(date.to_julian_day()) - i128::from(EPOCH)
}

fn date_of(days: i128) -> Option<Date> {
    Date::from_julian_day(i32::try_from(days).ok()?.checked_add(EPOCH)?).ok()
}

fn since_midnight(time: Time) -> i128 {
    let (hour, minute, second, nanosecond) = time.as_hms_nano();
    let seconds = (i128::from(hour) * 60 + i128::from(minute)) * 60 + i128::from(second);
    seconds * SECOND + i128::from(nanosecond)
}

fn time_of(nanoseconds: i128) -> Option<Time> {
    let (seconds, rest) = seconds_of(nanoseconds)?;
    let seconds = u32::try_from(seconds).ok()?;
    let hour = u8::try_from(seconds / 3600).ok()?;
    Time::from_hms_nano(hour, (seconds / 60 % 60) as u8, (seconds % 60) as u8, rest).ok()
}

fn clock(time: PrimitiveDateTime) -> i128 {
    days(time.date()) * DAY + since_midnight(time.time())
}

fn clock_of(nanoseconds: i128) -> Option<PrimitiveDateTime> {
    let date = date_of(nanoseconds.div_euclid(DAY))?;
    Some(PrimitiveDateTime::new(date, time_of(nanoseconds.rem_euclid(DAY))?))
}

fn duration_of(nanoseconds: i128) -> Option<Duration> {
    let seconds = i64::try_from(nanoseconds / SECOND).ok()?;
    Some(Duration::new(seconds, (nanoseconds % SECOND) as i32))
}

counted! {
    Date: DATE [], "days of a date that time has", |date| days(*date), |days| date_of(days);
    Time: TIME [NANOSECONDS], "nanoseconds of a day",
        |time| since_midnight(*time), |number| time_of(number);
    PrimitiveDateTime: TIMESTAMP [NANOSECONDS, LOCAL], "nanoseconds of a date that time has",
        |time| clock(*time), |number| clock_of(number);
    UtcDateTime: TIMESTAMP [NANOSECONDS, UTC], "nanoseconds of a date that time has",
        |time| clock(PrimitiveDateTime::new(time.date(), time.time())),
        |number| Some(clock_of(number)?.as_utc());
    Duration: DURATION [NANOSECONDS], "nanoseconds of at most 2^63 seconds",
        |duration| duration.whole_nanoseconds(), |number| duration_of(number);
    UtcOffset: DURATION [0], "seconds of less than 26 hours",
        |offset| offset.whole_seconds().into(),
        |number| UtcOffset::from_whole_seconds(i32::try_from(number).ok()?).ok();
}

named! {
    Weekday: WEEKDAYS, |day| day.number_days_from_monday().into(), |number| Some(Weekday::Monday.nth_next(number));
    Month: MONTHS, |month| u64::from(u8::from(*month) - 1), |number| Month::try_from(number + 1).ok();
}

impl Encode for OffsetDateTime {
    fn describe(types: &mut Types) -> Description {
        with_offset(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let (clock, offset) = (
            clock(PrimitiveDateTime::new(self.date(), self.time())),
            self.offset().whole_seconds(),
        );
        // In UTC, the first and last dates may become dates that the type does not have. So the instant is computed as
        // a number.
        write_with_offset((clock - i128::from(offset) * SECOND, offset), site, columns)
    }
}

impl<'de> Decode<'de> for OffsetDateTime {
    fn describe(types: &mut Types) -> Description {
        with_offset(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let expected = "nanoseconds of a date that time has, and an offset of less than 26 hours";
        read_with_offset(site, rows, expected, |number, offset| {
            let clock = clock_of(number.checked_add(i128::from(offset) * SECOND)?)?;
            Some(clock.assume_offset(UtcOffset::from_whole_seconds(offset).ok()?))
        })
    }
}
