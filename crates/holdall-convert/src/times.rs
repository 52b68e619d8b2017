//! Dates and times in formats of text: text of ISO 8601, as RFC 3339 has it where they have a zone. Python's years are 1 to 9999.

use holdall::LogicalType;

use crate::moment::{DAY, Moment, parse_date};

/// A date or time whose number comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeForm {
    Date,
    /// Units since midnight, and how many a second has.
    Clock(i64),
    /// A clock in an unknown zone.
    Local(i64),
    Utc(i64),
    /// UTC, and then the offset of the local clock in seconds.
    Offset(i64),
}

impl TimeForm {
    /// The form of a type, if it has text: neither a duration nor a time with the name of its zone has any.
    pub(crate) fn of(ty: &LogicalType) -> Option<TimeForm> {
        let per_second = |unit: u8| 1000_i64.checked_pow(unit.into());
        Some(match (ty.kind(), ty.parameters()) {
            (LogicalType::DATE, _) => TimeForm::Date,
            (LogicalType::TIME, &[unit]) => TimeForm::Clock(per_second(unit)?),
            (LogicalType::TIMESTAMP, &[unit, 0]) => TimeForm::Local(per_second(unit)?),
            (LogicalType::TIMESTAMP, &[unit, LogicalType::UTC]) => TimeForm::Utc(per_second(unit)?),
            (LogicalType::TIMESTAMP, &[unit, 2]) => TimeForm::Offset(per_second(unit)?),
            _ => return None,
        })
    }

    /// The text of a number. None if its year has no four digits, or the time is not one of a day, or the offset not one of RFC 3339.
    pub(crate) fn text(self, number: i128, offset: i64) -> Option<String> {
        match self {
            TimeForm::Date => {
                let midnight = clock_text(number.checked_mul(DAY.into())?, 1)?;
                Some(midnight.split_once('T')?.0.to_owned())
            }
            TimeForm::Clock(per_second) => {
                let is_of_day = (0..i128::from(DAY * per_second)).contains(&number);
                let text = Moment::of_units(number, per_second).filter(|_| is_of_day)?.local_text();
                Some(text.split_once('T')?.1.to_owned())
            }
            TimeForm::Local(per_second) => clock_text(number, per_second),
            TimeForm::Utc(per_second) => Some(clock_text(number, per_second)? + "Z"),
            TimeForm::Offset(per_second) => {
                let minutes = offset.unsigned_abs() / 60;
                if offset % 60 != 0 || minutes >= 24 * 60 {
                    return None;
                }
                let local = number.checked_add(i128::from(offset) * i128::from(per_second))?;
                let sign = if offset < 0 { '-' } else { '+' };
                let (hours, minutes) = (minutes / 60, minutes % 60);
                Some(clock_text(local, per_second)? + &format!("{sign}{hours:02}:{minutes:02}"))
            }
        }
    }

    /// The number that a text stands for, and the offset in seconds where there is one; the inverse of [`TimeForm::text`]. None for other
    /// text, and for a fraction of a unit.
    pub(crate) fn number(self, text: &str) -> Option<(i64, Option<i64>)> {
        Some(match self {
            TimeForm::Date => (parse_date(text.as_bytes())?, None),
            TimeForm::Clock(per_second) => {
                (Moment::parse(&format!("1970-01-01T{text}Z"))?.units(per_second)?, None)
            }
            TimeForm::Local(per_second) => {
                (Moment::parse(&format!("{text}Z"))?.units(per_second)?, None)
            }
            TimeForm::Utc(per_second) => (Moment::parse(text)?.units(per_second)?, None),
            TimeForm::Offset(per_second) => {
                let (clock, offset) = Moment::parse_local(text)?;
                (clock.units(per_second)?.checked_sub(offset * per_second)?, Some(offset))
            }
        })
    }
}

/// What a clock shows this many units after the beginning of 1970.
fn clock_text(units: i128, per_second: i64) -> Option<String> {
    let text = Moment::of_units(units, per_second)?.local_text();
    // RFC 3339 has the year 0, but Python has not.
    (!text.starts_with("0000")).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NANOS: i64 = 1_000_000_000;
    const MICROS: i64 = 1_000_000;
    /// The first second of the year 1, and the first after 9999.
    const FIRST: i128 = -62_135_596_800;
    const END: i128 = 253_402_300_800;

    #[test]
    fn dates_and_times_of_the_years_1_to_9999_have_text() {
        let last = END * i128::from(NANOS) - 1;
        for (form, number, offset, text) in [
            (TimeForm::Date, 18_263, 0, "2020-01-02"),
            (TimeForm::Date, -719_162, 0, "0001-01-01"),
            (TimeForm::Date, 2_932_896, 0, "9999-12-31"),
            (TimeForm::Clock(1), 0, 0, "00:00:00"),
            (TimeForm::Clock(MICROS), 3_723_000_004, 0, "01:02:03.000004"),
            (TimeForm::Clock(NANOS), 86_399_999_999_999, 0, "23:59:59.999999999"),
            (TimeForm::Local(1), 1, 0, "1970-01-01T00:00:01"),
            (TimeForm::Local(MICROS), -1, 0, "1969-12-31T23:59:59.999999"),
            (TimeForm::Utc(1000), 1, 0, "1970-01-01T00:00:00.001Z"),
            (TimeForm::Utc(NANOS), 1, 0, "1970-01-01T00:00:00.000000001Z"),
            (TimeForm::Utc(1), FIRST, 0, "0001-01-01T00:00:00Z"),
            (TimeForm::Utc(NANOS), last, 0, "9999-12-31T23:59:59.999999999Z"),
            (TimeForm::Offset(1), 0, 0, "1970-01-01T00:00:00+00:00"),
            (TimeForm::Offset(MICROS), 0, 7200, "1970-01-01T02:00:00+02:00"),
            (TimeForm::Offset(1), 0, -1800, "1969-12-31T23:30:00-00:30"),
            (TimeForm::Offset(1), 0, 86_340, "1970-01-01T23:59:00+23:59"),
            // The clock is in the year 1, and UTC in 0; in 9999 and 10,000.
            (TimeForm::Offset(1), FIRST - 60, 60, "0001-01-01T00:00:00+00:01"),
            (TimeForm::Offset(1), END, -60, "9999-12-31T23:59:00-00:01"),
        ] {
            assert_eq!(form.text(number, offset).as_deref(), Some(text), "{form:?} {number}");
            let is_local = matches!(form, TimeForm::Offset(_));
            let back =
                i64::try_from(number).ok().map(|number| (number, is_local.then_some(offset)));
            assert_eq!(form.number(text), back, "{text}");
        }
    }

    #[test]
    fn text_that_is_no_time_of_the_form_has_no_number() {
        for (form, text) in [
            (TimeForm::Date, "2020-01-02T00:00:00"),
            (TimeForm::Date, "2020-02-30"),
            (TimeForm::Date, ""),
            (TimeForm::Clock(1), "24:00:00"),
            (TimeForm::Clock(1), "01:02:03Z"),
            (TimeForm::Clock(1), "01:02:03.5"),
            (TimeForm::Local(1), "1970-01-01T00:00:01Z"),
            (TimeForm::Local(1000), "1970-01-01T00:00:00.0001"),
            (TimeForm::Local(1), "1970-01-01T00:00:01+01:00"),
            (TimeForm::Utc(1), "1970-01-01T00:00:01"),
            (TimeForm::Utc(1), "now"),
            (TimeForm::Offset(1), "1970-01-01T00:00:01"),
            (TimeForm::Offset(1), "1970-01-01T00:00:00+24:00"),
        ] {
            assert_eq!(form.number(text), None, "{form:?} {text}");
        }
        // Each clock of UTC is one of all zones.
        assert_eq!(TimeForm::Utc(1).number("1970-01-01T01:00:00+01:00"), Some((0, None)));
        assert_eq!(TimeForm::Offset(1).number("1970-01-01T00:00:00Z"), Some((0, Some(0))));
    }

    #[test]
    fn dates_and_times_that_rfc_3339_lacks_have_no_text() {
        for (form, number, offset) in [
            (TimeForm::Date, -719_163, 0),
            (TimeForm::Date, 2_932_897, 0),
            (TimeForm::Date, i128::MAX, 0),
            (TimeForm::Clock(1), -1, 0),
            (TimeForm::Clock(1), 86_400, 0),
            (TimeForm::Clock(NANOS), i128::MAX, 0),
            (TimeForm::Local(1), FIRST - 1, 0),
            (TimeForm::Utc(1), END, 0),
            (TimeForm::Utc(NANOS), i128::MIN, 0),
            (TimeForm::Offset(1), 0, 86_400),
            (TimeForm::Offset(1), 0, -86_400),
            (TimeForm::Offset(1), 0, 3601),
            (TimeForm::Offset(1), 0, i64::MIN),
            (TimeForm::Offset(1), i128::MAX, 60),
            (TimeForm::Offset(1), FIRST, -60),
        ] {
            assert_eq!(form.text(number, offset), None, "{form:?} {number}");
        }
    }
}
