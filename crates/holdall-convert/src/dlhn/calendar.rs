//! DLHN's dates: a year, and the day in it. In the Gregorian calendar, before its introduction too.

/// The days before the year 1970.
fn days_before(year: i64) -> i64 {
    let before = year - 1;
    let leaps = before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400);
    // Those before 1970 by the same count.
    365 * (year - 1970) + leaps - 477
}

/// The number of days of a year.
pub(super) fn len(year: i64) -> i64 {
    days_before(year + 1) - days_before(year)
}

/// The year and the day in it, from 0, of a number of days since 1970-01-01.
pub(super) fn of_days(days: i64) -> (i64, i64) {
    // The mean year has 146,097/400 days, so this is right or one off.
    let mut year = 1970 + (days.saturating_mul(400)).div_euclid(146_097);
    while days < days_before(year) {
        year -= 1;
    }
    while days >= days_before(year + 1) {
        year += 1;
    }
    (year, days - days_before(year))
}

/// The days since 1970-01-01.
pub(super) fn to_days(year: i64, day: i64) -> i64 {
    days_before(year) + day
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let cases = [
            (0, 1970, 0),
            (-1, 1969, 364),
            (10_957, 2000, 0),
            (11_322, 2000, 365),
            (11_323, 2001, 0),
            (-719_162, 1, 0),
        ];
        for (days, year, day) in cases {
            assert_eq!(of_days(days), (year, day), "{days}");
            assert_eq!(to_days(year, day), days);
        }
        assert_eq!((len(2000), len(1900), len(2024), len(2023)), (366, 365, 366, 365));
        for days in (-1_000_000..1_000_000).step_by(37) {
            let (year, day) = of_days(days);
            assert!((0..len(year)).contains(&day));
            assert_eq!(to_days(year, day), days);
        }
    }
}
