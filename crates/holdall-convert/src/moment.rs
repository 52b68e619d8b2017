//! Points in time as CBOR has them beside whole seconds: text of RFC 3339, and seconds with a fraction. The same text in formats of text.

use crate::calendar;

const NANOS: i64 = 1_000_000_000;
/// The seconds of a day.
pub(crate) const DAY: i64 = 86_400;

/// A point in time: seconds since 1970 in UTC, and the nanoseconds after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    seconds: i64,
    nanos: i64,
}

impl Moment {
    /// A moment in the years that RFC 3339 has.
    fn new(seconds: i64, nanos: i64) -> Option<Moment> {
        let first = calendar::to_days(0, 0) * DAY;
        let end = calendar::to_days(10_000, 0) * DAY;
        (first..end).contains(&seconds).then_some(Moment { seconds, nanos })
    }

    /// A number of units since 1970, of which a second has `per_second`, at most 10^9.
    pub(crate) fn of_units(units: i128, per_second: i64) -> Option<Moment> {
        let of_second = i128::from(per_second);
        let nanos = units.rem_euclid(of_second) as i64 * (NANOS / per_second);
        Moment::new(i64::try_from(units.div_euclid(of_second)).ok()?, nanos)
    }

    /// A number of seconds, to the nearest microsecond: floats of this century hold no more.
    pub(crate) fn of_seconds(seconds: f64) -> Option<Moment> {
        let whole = seconds.floor();
        // The fraction is exact. `as` makes 0 of NaN, and the nearest i64 of numbers beyond it.
        let micros = ((seconds - whole) * 1e6).round_ties_even() as i64;
        let carried = micros / 1_000_000;
        if !seconds.is_finite() {
            return None;
        }
        Moment::new((whole as i64).checked_add(carried)?, micros % 1_000_000 * 1000)
    }

    /// A date-time of RFC 3339 with capital `T` and `Z`, as RFC 4287 has it. None for other text, leap seconds, and digits beyond
    /// nanoseconds, of which no timestamp holds the value.
    pub(crate) fn parse(text: &str) -> Option<Moment> {
        let (clock, offset) = Moment::parse_local(text)?;
        Moment::new(clock.seconds - offset, clock.nanos)
    }

    /// The same, but as a clock there shows it, and the offset of that in seconds.
    pub(crate) fn parse_local(text: &str) -> Option<(Moment, i64)> {
        let bytes = text.as_bytes();
        let days = parse_date(bytes.get(..10)?)?;
        if [(10, b'T'), (13, b':'), (16, b':')]
            .iter()
            .any(|(at, sign)| bytes.get(*at) != Some(sign))
        {
            return None;
        }
        let two =
            |at: usize, most: i64| digits(bytes.get(at..at + 2)?).filter(|number| *number <= most);
        let (hour, minute, second) = (two(11, 23)?, two(14, 59)?, two(17, 59)?);
        let (nanos, zone) = match bytes.get(19) {
            Some(b'.') => {
                let digits = bytes[20..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let fraction = text[20..20 + digits].trim_end_matches('0');
                if digits == 0 || fraction.len() > 9 {
                    return None;
                }
                (format!("{fraction:0<9}").parse().ok()?, 20 + digits)
            }
            _ => (0, 19),
        };
        let offset = match bytes.get(zone)? {
            b'Z' if bytes.len() == zone + 1 => 0,
            sign @ (b'+' | b'-') if bytes.len() == zone + 6 && bytes[zone + 3] == b':' => {
                let offset = two(zone + 1, 23)? * 3600 + two(zone + 4, 59)? * 60;
                if *sign == b'-' { -offset } else { offset }
            }
            _ => return None,
        };
        let clock = days * DAY + hour * 3600 + minute * 60 + second;
        Some((Moment { seconds: clock, nanos }, offset))
    }

    /// The number of units since 1970, if it is whole and has 64 bits.
    pub(crate) fn units(self, per_second: i64) -> Option<i64> {
        let of_unit = NANOS / per_second;
        let rest = (self.nanos % of_unit == 0).then_some(self.nanos / of_unit)?;
        self.seconds.checked_mul(per_second)?.checked_add(rest)
    }

    /// The shortest date-time of RFC 3339, in UTC.
    pub(crate) fn text(self) -> String {
        self.local_text() + "Z"
    }

    /// The same as a clock without a zone shows it.
    pub(crate) fn local_text(self) -> String {
        let (year, month, day) = calendar::to_date(self.seconds.div_euclid(DAY));
        let second = self.seconds.rem_euclid(DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let fraction = format!(".{:09}", self.nanos);
        let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}")
    }
}

/// The days since 1970 of a full-date of RFC 3339.
pub(crate) fn parse_date(text: &[u8]) -> Option<i64> {
    let &[a, b, c, d, b'-', e, f, b'-', g, h] = text else { return None };
    calendar::of_date(digits(&[a, b, c, d])?, digits(&[e, f])?, digits(&[g, h])?)
}

/// The number of a few digits.
fn digits(text: &[u8]) -> Option<i64> {
    text.iter().try_fold(0, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_as_its_moment_and_written_in_utc() {
        for (text, seconds, nanos, back) in [
            ("1970-01-01T00:00:00Z", 0, 0, "1970-01-01T00:00:00Z"),
            ("2013-03-21T20:04:00Z", 1_363_896_240, 0, "2013-03-21T20:04:00Z"),
            ("2013-03-21T22:04:00+02:00", 1_363_896_240, 0, "2013-03-21T20:04:00Z"),
            ("2013-03-21T19:34:00-00:30", 1_363_896_240, 0, "2013-03-21T20:04:00Z"),
            ("1969-12-31T23:59:59.5Z", -1, 500_000_000, "1969-12-31T23:59:59.5Z"),
            (
                "2020-02-29T23:59:59.000001000000Z",
                1_583_020_799,
                1000,
                "2020-02-29T23:59:59.000001Z",
            ),
            ("1970-01-01T00:00:00.000000001Z", 0, 1, "1970-01-01T00:00:00.000000001Z"),
            ("0000-01-01T00:00:00Z", -62_167_219_200, 0, "0000-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59Z", 253_402_300_799, 0, "9999-12-31T23:59:59Z"),
        ] {
            let moment = Moment { seconds, nanos };
            assert_eq!(Moment::parse(text), Some(moment), "{text}");
            assert_eq!(moment.text(), back);
        }
    }

    #[test]
    fn other_text_is_no_moment() {
        for text in [
            "",
            "2020-01-02",
            "2020-01-02T03:04:05",
            "2020-01-02t03:04:05Z",
            "2020-01-02T03:04:05z",
            "2020-01-02 03:04:05Z",
            "2020-01-02T03:04:05.Z",
            "2020-01-02T03:04:05Z ",
            "2020-01-02T03:04:60Z",
            "2020-01-02T24:00:00Z",
            "2020-02-30T00:00:00Z",
            "2020-01-02T03:04:05+0100",
            "2020-01-02T03:04:05+24:00",
            "2020-01-02T03:04:05+01:60",
            "2020-01-02T03:04:05.0000000001Z",
            "0000-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00",
            "+020-01-02T03:04:05Z",
            "2020-01-02T03:04:05.\u{0663}Z",
            "2020-01-0\u{0663}T03:04:05Z",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }

    #[test]
    fn seconds_are_read_to_the_nearest_microsecond() {
        for (seconds, micros) in [
            (0.0, Some(0)),
            (-0.5, Some(-500_000)),
            (1_363_896_240.5, Some(1_363_896_240_500_000)),
            (1_577_934_245.000_006, Some(1_577_934_245_000_006)),
            (0.999_999_9, Some(1_000_000)),
            (-0.000_000_1, Some(0)),
            (253_402_300_799.0, Some(253_402_300_799_000_000)),
            (253_402_300_800.0, None),
            (1e300, None),
            (f64::INFINITY, None),
            (f64::NAN, None),
        ] {
            let moment = Moment::of_seconds(seconds);
            assert_eq!(moment.and_then(|moment| moment.units(1_000_000)), micros, "{seconds}");
        }
    }

    #[test]
    fn units_come_back() {
        for per_second in [1, 1000, 1_000_000, NANOS] {
            for units in [0, 1, -1, 1_577_934_245, -1_577_934_245, 999_999_999] {
                let moment = Moment::of_units(units.into(), per_second).unwrap();
                assert_eq!(moment.units(per_second), Some(units));
                assert_eq!(Moment::parse(&moment.text()), Some(moment));
            }
        }
    }
}
