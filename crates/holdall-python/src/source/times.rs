//! Dates and times as numbers.

use holdall::{IntKind, LogicalType, Result};
use pyo3::prelude::*;
use pyo3::types::{
    PyDate, PyDateAccess, PyDateTime, PyDelta, PyDeltaAccess, PyTime, PyTimeAccess, PyTzInfo,
    PyTzInfoAccess,
};

use super::{Native, Walker};
use crate::support;

const US: i64 = 1_000_000;
const DAY: i64 = 86_400;
/// The unit of logical types of time: microseconds.
const MICRO: u8 = 2;

/// Returns the number of days from 1970-01-01 to a date of the Gregorian calendar.
///
/// Years are counted from March on, so that the leap day is the last; 400 of them have 146,097
/// days.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The inverse: returns year, month and day.
pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let years = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = years + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

fn day_of(date: &impl PyDateAccess) -> i64 {
    days_from_civil(
        i64::from(date.get_year()),
        i64::from(date.get_month()),
        i64::from(date.get_day()),
    )
}

fn micros_of(time: &impl PyTimeAccess) -> i64 {
    let minutes = i64::from(time.get_hour()) * 60 + i64::from(time.get_minute());
    (minutes * 60 + i64::from(time.get_second())) * US + i64::from(time.get_microsecond())
}

/// Returns the microseconds of a timedelta. Its largest is 1e9 days, which needs more than 64 bits.
pub fn micros_of_delta(delta: &Bound<'_, PyDelta>) -> i128 {
    let seconds = i128::from(delta.get_days()) * i128::from(DAY) + i128::from(delta.get_seconds());
    seconds * i128::from(US) + i128::from(delta.get_microseconds())
}

/// How the datetimes of a time zone are encoded.
#[derive(Clone)]
pub enum Zone {
    Utc,
    /// Seconds to UTC.
    Offset(i32),
    /// A zone of the IANA database.
    Named(String),
    /// The datetime is encoded as an object.
    Other,
}

/// A date or time that is one number, and its logical type.
#[derive(Clone, Copy)]
pub struct Single {
    pub kind: u8,
    pub parameters: &'static [u8],
    pub number: i64,
}

impl<'py> Walker<'py, '_> {
    /// Returns a date or time as one number, if it is one and needs no Python code.
    #[inline]
    pub(super) fn single_time(&self, object: &Bound<'py, PyAny>, native: Native) -> Option<Single> {
        let single = |kind, parameters, number| Some(Single { kind, parameters, number });
        match native {
            Native::Date => single(LogicalType::DATE, &[], day_of(object.cast::<PyDate>().ok()?)),
            Native::Time => {
                let time = object.cast::<PyTime>().ok()?;
                let is_plain = time.get_tzinfo().is_none() && !time.get_fold();
                single(LogicalType::TIME, &[MICRO], micros_of(time)).filter(|_| is_plain)
            }
            Native::TimeDelta => {
                let micros = micros_of_delta(object.cast::<PyDelta>().ok()?);
                single(LogicalType::DURATION, &[MICRO], i64::try_from(micros).ok()?)
            }
            Native::DateTime => {
                let time = object.cast::<PyDateTime>().ok()?;
                let parameters = match time.get_tzinfo() {
                    None => &[MICRO, 0],
                    Some(tz) if tz.as_ptr() as usize == self.memory.utc => &[MICRO, 1],
                    Some(tz) => match self.memory.zones.get(&(tz.as_ptr() as usize))? {
                        (Zone::Utc, _) => &[MICRO, 1],
                        _ => return None,
                    },
                };
                let local = day_of(time) * DAY * US + micros_of(time);
                single(LogicalType::TIMESTAMP, parameters, local).filter(|_| !time.get_fold())
            }
            _ => None,
        }
    }

    /// Encodes a date, time of day or duration. Returns false if the format has no type for it.
    pub(super) fn time(&mut self, object: &Bound<'py, PyAny>, native: Native) -> Result<bool> {
        let zone = match object.cast::<PyDateTime>().ok().and_then(PyTzInfoAccess::get_tzinfo) {
            Some(tz) => Some(self.zone(&tz)?),
            None => None,
        };
        if let Some(single) = self.single_time(object, native) {
            self.begin_logical(single.kind, single.parameters)?;
            self.shredder.int(single.number)?;
        } else if let Ok(delta) = object.cast::<PyDelta>() {
            self.begin_logical(LogicalType::DURATION, &[MICRO])?;
            self.wide_int(micros_of_delta(delta))?;
        } else if let (Ok(time), Some(zone)) = (object.cast::<PyDateTime>(), zone) {
            return self.datetime(time, &zone);
        } else {
            return Ok(false);
        }
        self.shredder.end()?;
        Ok(true)
    }

    /// Encodes a datetime of a zone other than UTC.
    fn datetime(&mut self, time: &Bound<'py, PyDateTime>, zone: &Zone) -> Result<bool> {
        let local = day_of(time) * DAY * US + micros_of(time);
        match zone {
            Zone::Offset(seconds) if !time.get_fold() => {
                let seconds = i64::from(*seconds);
                self.begin_logical(LogicalType::TIMESTAMP, &[MICRO, 2])?;
                self.shredder.begin_tuple(2)?;
                self.shredder.int(local - seconds * US)?;
                self.shredder.fixed_int(IntKind::I32, seconds.cast_unsigned())?;
            }
            Zone::Named(name) => {
                // None where the local time occurs twice or never, so that UTC would not lead back
                // to it.
                let offset = support(self.py, "zone_offset")
                    .and_then(|function| function.call1((time,))?.extract::<Option<i64>>());
                let Some(offset) = self.py_check(offset)? else { return Ok(false) };
                self.begin_logical(LogicalType::TIMESTAMP, &[MICRO, 3])?;
                self.shredder.begin_tuple(2)?;
                self.shredder.int(local - offset)?;
                self.shredder.string(name)?;
            }
            Zone::Utc | Zone::Offset(_) | Zone::Other => return Ok(false),
        }
        self.shredder.end()?;
        self.shredder.end()?;
        Ok(true)
    }

    fn zone(&mut self, tz: &Bound<'py, PyTzInfo>) -> Result<Zone> {
        let address = tz.as_ptr() as usize;
        if let Some((zone, _)) = self.memory.zones.get(&address) {
            return Ok(zone.clone());
        }
        let kind = support(self.py, "zone_kind").and_then(|function| function.call1((tz,)));
        let kind = self.py_check(kind)?;
        let zone = if let Ok(seconds) = kind.extract::<i32>() {
            if seconds == 0 { Zone::Utc } else { Zone::Offset(seconds) }
        } else if let Ok(name) = kind.extract::<String>() {
            Zone::Named(name)
        } else {
            Zone::Other
        };
        if let Zone::Utc = zone {
            self.memory.utc = address;
        }
        self.memory.zones.insert(address, (zone.clone(), tz.clone().into_any()));
        Ok(zone)
    }
}
