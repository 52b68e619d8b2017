//! Dates, times and durations.

use std::time::SystemTime;

use chrono::{DateTime, FixedOffset, Local, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use jiff::civil;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Span, Timestamp, Zoned};
use time::{Date, OffsetDateTime, PrimitiveDateTime, Time, UtcDateTime, UtcOffset};

use super::table;

const DATE: &str = "date(int)";
const TIME: &str = "time[ns](int)";
const CLOCK: &str = "timestamp[ns, local](int)";
const INSTANT: &str = "timestamp[ns, utc](int)";
const OFFSET: &str = "timestamp[ns, offset](tuple(int, i32))";
const DURATION: &str = "duration[ns](int)";
const SECONDS: &str = "duration[s](int)";
const WEEKDAY: &str = "union {Monday: null, Tuesday: null, Wednesday: null, Thursday: null, Friday: null, Saturday: null, Sunday: null}";
const MONTH: &str = "union {January: null, February: null, March: null, April: null, May: null, June: null, July: null, August: null, September: null, October: null, November: null, December: null}";

fn utc(seconds: i64, nanoseconds: u32) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, nanoseconds).unwrap()
}

#[test]
fn types_of_chrono_have_their_bytes() {
    let date = |year, month, day| NaiveDate::from_ymd_opt(year, month, day).unwrap();
    let midnight = NaiveTime::MIN;
    table(
        DATE,
        &[
            (date(1970, 1, 1), "00"),
            (date(1969, 12, 31), "02"),
            (date(2024, 2, 29), "63 D4 04"),
            (NaiveDate::MIN, "77 31 FE B7"),
            (NaiveDate::MAX, "87 87 3F B5"),
        ],
    );
    table(
        TIME,
        &[
            (midnight, "00"),
            (NaiveTime::from_hms_nano_opt(0, 0, 0, 1).unwrap(), "04"),
            (
                NaiveTime::from_hms_nano_opt(23, 59, 59, 999_999_999).unwrap(),
                "3F FF FF 4E 91 94 4E",
            ),
        ],
    );
    table(
        CLOCK,
        &[
            (date(1970, 1, 1).and_time(midnight), "00"),
            (NaiveDateTime::MIN, "01 00 44 04 0A 00 00 CC 29 04 35 2C 2E 3C FE"),
            (NaiveDateTime::MAX, "01 00 44 04 0A FF FF D2 63 97 70 57 14 BD 01"),
        ],
    );
    table(
        INSTANT,
        &[
            (utc(0, 0), "00"),
            (utc(-1, 999_999_999), "02"),
            (utc(1_700_000_000, 123_456_789), "FF 2A 9A 0B 7B FC 39 2F 2F"),
            (DateTime::<Utc>::MIN_UTC, "01 00 44 04 0A 00 00 CC 29 04 35 2C 2E 3C FE"),
            (DateTime::<Utc>::MAX_UTC, "01 00 44 04 0A FF FF D2 63 97 70 57 14 BD 01"),
        ],
    );
    table(INSTANT, &[(utc(1_700_000_000, 0).with_timezone(&Local), "FF 00 00 54 6C FC 39 2F 2F")]);
    let east = |seconds| FixedOffset::east_opt(seconds).unwrap();
    table(
        OFFSET,
        &[
            (utc(0, 0).with_timezone(&east(3600)), "00 81 70"),
            (utc(0, 1).with_timezone(&east(0)), "04 00"),
            (utc(0, 0).with_timezone(&east(-86_399)), "00 EB 17 15"),
            (
                DateTime::<Utc>::MAX_UTC.with_timezone(&east(86_399)),
                "01 00 44 04 0A FF FF D2 63 97 70 57 14 BD 01 F3 17 15",
            ),
        ],
    );
    table(
        DURATION,
        &[
            (TimeDelta::zero(), "00"),
            (TimeDelta::nanoseconds(-1), "02"),
            (TimeDelta::MIN, "01 00 44 04 0B 40 42 0F 00 00 00 00 00 E0 5E F8"),
            (TimeDelta::MAX, "01 00 44 04 0B C0 BD F0 FF FF FF FF FF 1F A1 07"),
        ],
    );
    table(SECONDS, &[(east(3600), "81 70"), (east(-1), "02"), (east(86_399), "F3 17 15")]);
    table(WEEKDAY, &[(chrono::Weekday::Mon, "00"), (chrono::Weekday::Sun, "0C")]);
    table(MONTH, &[(chrono::Month::January, "00"), (chrono::Month::December, "16")]);
}

#[test]
fn types_of_time_have_their_bytes() {
    let date = |days| Date::from_julian_day(2_440_588 + days).unwrap();
    table(
        DATE,
        &[
            (date(0), "00"),
            (date(-1), "02"),
            (date(19_782), "63 D4 04"),
            (Date::MIN, "57 90 56 08"),
            (Date::MAX, "07 14 98 05"),
        ],
    );
    table(
        TIME,
        &[
            (Time::MIDNIGHT, "00"),
            (Time::from_hms_nano(0, 0, 0, 1).unwrap(), "04"),
            (Time::MAX, "3F FF FF 4E 91 94 4E"),
        ],
    );
    table(
        CLOCK,
        &[
            (date(0).midnight(), "00"),
            (PrimitiveDateTime::MIN, "01 00 44 04 09 00 00 93 18 70 DD 49 86 EB"),
            (PrimitiveDateTime::MAX, "01 00 44 04 09 FF FF AE A2 FE D1 A9 BC 0D"),
        ],
    );
    let utc = |number| UtcDateTime::from_unix_timestamp_nanos(number).unwrap();
    table(
        INSTANT,
        &[
            (UtcDateTime::UNIX_EPOCH, "00"),
            (utc(-1), "02"),
            (utc(1_700_000_000_123_456_789), "FF 2A 9A 0B 7B FC 39 2F 2F"),
            (UtcDateTime::MIN, "01 00 44 04 09 00 00 93 18 70 DD 49 86 EB"),
            (UtcDateTime::MAX, "01 00 44 04 09 FF FF AE A2 FE D1 A9 BC 0D"),
        ],
    );
    let east = |seconds| UtcOffset::from_whole_seconds(seconds).unwrap();
    table(
        OFFSET,
        &[
            (OffsetDateTime::UNIX_EPOCH.to_offset(east(3600)), "00 81 70"),
            (OffsetDateTime::UNIX_EPOCH.to_offset(east(-93_599)), "00 EB D9 16"),
            // In UTC these would be in years that the type lacks.
            (
                PrimitiveDateTime::MAX.assume_offset(east(-93_599)),
                "01 00 44 04 09 FF 75 D4 59 1F 27 AA BC 0D EB D9 16",
            ),
            (
                PrimitiveDateTime::MIN.assume_offset(east(93_599)),
                "01 00 44 04 09 00 8A 6D 61 4F 88 49 86 EB F3 D9 16",
            ),
        ],
    );
    table(
        DURATION,
        &[
            (time::Duration::ZERO, "00"),
            (time::Duration::new(-1, -5), "2F 81 B2 E6 0E"),
            (time::Duration::MIN, "01 00 44 04 0C 01 36 65 C4 FF FF FF FF FF 9A 32 E2"),
            (time::Duration::MAX, "01 00 44 04 0C FF FF FF FF FF FF FF FF FF 64 CD 1D"),
        ],
    );
    table(SECONDS, &[(east(3600), "81 70"), (east(-93_599), "EB D9 16")]);
    table(WEEKDAY, &[(time::Weekday::Monday, "00"), (time::Weekday::Sunday, "0C")]);
    table(MONTH, &[(time::Month::January, "00"), (time::Month::December, "16")]);
}

#[test]
fn types_of_jiff_have_their_bytes() {
    table(
        DATE,
        &[
            (civil::date(1970, 1, 1), "00"),
            (civil::date(1969, 12, 31), "02"),
            (civil::date(2024, 2, 29), "63 D4 04"),
            (civil::Date::MIN, "57 90 56 08"),
            (civil::Date::MAX, "07 14 98 05"),
        ],
    );
    table(
        TIME,
        &[
            (civil::Time::MIN, "00"),
            (civil::time(0, 0, 0, 1), "04"),
            (civil::Time::MAX, "3F FF FF 4E 91 94 4E"),
        ],
    );
    table(
        CLOCK,
        &[
            (civil::date(1970, 1, 1).at(0, 0, 0, 0), "00"),
            (civil::DateTime::MIN, "01 00 44 04 09 00 00 93 18 70 DD 49 86 EB"),
            (civil::DateTime::MAX, "01 00 44 04 09 FF FF AE A2 FE D1 A9 BC 0D"),
        ],
    );
    let at = |number| Timestamp::from_nanosecond(number).unwrap();
    table(
        INSTANT,
        &[
            (Timestamp::UNIX_EPOCH, "00"),
            (at(-1), "02"),
            (at(1_700_000_000_123_456_789), "FF 2A 9A 0B 7B FC 39 2F 2F"),
            (Timestamp::MIN, "01 00 44 04 09 00 76 B8 CF 90 32 4A 86 EB"),
            (Timestamp::MAX, "01 00 44 04 09 FF 89 89 EB DD 7C A9 BC 0D"),
        ],
    );
    table(
        "timestamp[ns, zone](tuple(int, string))",
        &[
            (Timestamp::UNIX_EPOCH.to_zoned(TimeZone::UTC), "00 06 55 54 43"),
            (at(1).in_tz("Europe/Berlin").unwrap(), "04 1A 45 75 72 6F 70 65 2F 42 65 72 6C 69 6E"),
            // The repeated hour: the first and the second one.
            (
                at(1_730_593_800_000_000_000).in_tz("America/New_York").unwrap(),
                "FF 00 A0 FC B6 C8 9B 08 30 20 41 6D 65 72 69 63 61 2F 4E 65 77 5F 59 6F 72 6B",
            ),
            (
                at(1_730_597_400_000_000_000).in_tz("America/New_York").unwrap(),
                "FF 00 E0 6D 18 55 A2 08 30 20 41 6D 65 72 69 63 61 2F 4E 65 77 5F 59 6F 72 6B",
            ),
        ],
    );
    table(
        DURATION,
        &[
            (SignedDuration::ZERO, "00"),
            (SignedDuration::new(-1, -5), "2F 81 B2 E6 0E"),
            (SignedDuration::MIN, "01 00 44 04 0C 01 36 65 C4 FF FF FF FF FF 9A 32 E2"),
            (SignedDuration::MAX, "01 00 44 04 0C FF FF FF FF FF FF FF FF FF 64 CD 1D"),
        ],
    );
    table(
        SECONDS,
        &[(Offset::constant(1), "81 70"), (Offset::MIN, "EB D9 16"), (Offset::MAX, "F3 D9 16")],
    );
    table(WEEKDAY, &[(civil::Weekday::Monday, "00"), (civil::Weekday::Sunday, "0C")]);
}

#[test]
fn a_span_keeps_each_unit() {
    let all = Span::new().years(1).months(2).weeks(3).days(4).hours(5).minutes(6).seconds(7);
    let all = all.milliseconds(8).microseconds(9).nanoseconds(10);
    table(
        "struct Span {years: i64, months: i64, weeks: i64, days: i64, hours: i64, minutes: i64, seconds: i64, milliseconds: i64, microseconds: i64, nanoseconds: i64}",
        &[
            (Span::new(), "00 00 00 00 00 00 00 00 00 00"),
            (all, "04 08 0C 10 14 18 1C 20 24 28"),
            (-all, "02 06 0A 0E 12 16 1A 1E 22 26"),
            (Span::new().hours(36), "00 00 00 00 90 00 00 00 00 00"),
            (
                Span::new().years(-19_998).nanoseconds(i64::MIN + 1),
                "DB E1 04 00 00 00 00 00 00 00 00 FF FD FF FF FF FF FF FF FF",
            ),
        ],
    );
}

#[test]
fn the_instants_of_all_crates_have_the_bytes_of_std() {
    let std = SystemTime::UNIX_EPOCH + std::time::Duration::new(1_700_000_000, 123_456_789);
    let bytes = holdall::to_vec(&std).unwrap();
    let nanoseconds = 1_700_000_000_123_456_789;
    let same = [
        holdall::to_vec(&utc(1_700_000_000, 123_456_789)),
        holdall::to_vec(&UtcDateTime::from_unix_timestamp_nanos(nanoseconds).unwrap()),
        holdall::to_vec(&Timestamp::from_nanosecond(nanoseconds).unwrap()),
    ];
    same.into_iter().for_each(|other| assert_eq!(other.unwrap(), bytes));
}

#[test]
fn a_zone_is_written_by_the_name_that_the_database_has() {
    let zoned: Zoned = Timestamp::UNIX_EPOCH.in_tz("europe/BERLIN").unwrap();
    let value: holdall::Value = holdall::from_slice(&holdall::to_vec(&zoned).unwrap()).unwrap();
    assert!(format!("{value:?}").contains("Europe/Berlin"), "{value:?}");
}
