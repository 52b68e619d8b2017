//! Dates: days since 1970, and years with a month or the day in it. In the Gregorian calendar, before its introduction too.

/// The days before the year 1970.
fn days_before(year: i64) -> i64 {
    let before = year - 1;
    let leaps = before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400);
    // Those before 1970 by the same count.
    365 * (year - 1970) + leaps - 477
}

/// The number of days of a year.
pub(crate) fn len(year: i64) -> i64 {
    days_before(year + 1) - days_before(year)
}

/// The year and the day in it, from 0, of a number of days since 1970-01-01.
pub(crate) fn of_days(days: i64) -> (i64, i64) {
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
pub(crate) fn to_days(year: i64, day: i64) -> i64 {
    days_before(year) + day
}

/// The lengths of the months of a year.
fn months(year: i64) -> [i64; 12] {
    [31, len(year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

/// The days since 1970-01-01 of a day of a month, both from 1; none if there is no such day.
pub(crate) fn of_date(year: i64, month: i64, day: i64) -> Option<i64> {
    let months = months(year);
    let before = usize::try_from(month - 1).ok()?;
    let is_day = (1..=*months.get(before)?).contains(&day);
    is_day.then(|| to_days(year, months[..before].iter().sum::<i64>() + day - 1))
}

/// The year, month and day, the last two from 1, of a number of days since 1970-01-01.
pub(crate) fn to_date(days: i64) -> (i64, i64, i64) {
    let (year, mut day) = of_days(days);
    let mut month = 1;
    for len in months(year) {
        if day < len {
            break;
        }
        day -= len;
        month += 1;
    }
    (year, month, day + 1)
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

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (days, date) in [
            (0, (1970, 1, 1)),
            (-1, (1969, 12, 31)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (18_263, (2020, 1, 2)),
            (-719_528, (0, 1, 1)),
            (2_932_896, (9999, 12, 31)),
        ] {
            assert_eq!(to_date(days), date, "{days}");
            assert_eq!(of_date(date.0, date.1, date.2), Some(days), "{date:?}");
        }
        for (year, month, day) in
            [(2023, 2, 29), (1900, 2, 29), (2020, 0, 1), (2020, 13, 1), (2020, 1, 0), (2020, 4, 31)]
        {
            assert_eq!(of_date(year, month, day), None, "{year} {month} {day}");
        }
        for days in (-1_000_000..1_000_000).step_by(37) {
            let (year, month, day) = to_date(days);
            assert_eq!(of_date(year, month, day), Some(days));
        }
    }
}
