//! Dates and times as numbers, and those that need more than the parts of a leaf.

use std::ops::Range;
use std::sync::Arc;

use holdall::bindings::memory::GrowMap;
use holdall::{LogicalType, Result};
use pyo3::prelude::*;
use pyo3::types::{
    PyDateAccess, PyDateTime, PyDelta, PyDeltaAccess, PyTimeAccess, PyTzInfo, PyTzInfoAccess,
};

use super::{Encoded, Walker};
use crate::support;

pub(super) const US: i64 = 1_000_000;
pub(super) const DAY: i64 = 86_400;
/// The unit of logical types of time: microseconds.
pub(super) const MICRO: u8 = 2;

/// The microseconds from 1970 on that a datetime can have, from year 1 to year 9999.
const UTC_TIMES: Range<i64> = -719_162 * DAY * US..2_932_897 * DAY * US;

/// Returns the number of days from 1970-01-01 to a date, whose year is 1 or later.
///
/// Years are counted from March on, so that the leap day is the last: January and February are months 13 and 14.
pub(super) fn day_of(date: &impl PyDateAccess) -> i64 {
    let (year, month) = (date.get_year().cast_unsigned(), u32::from(date.get_month()));
    let (year, month) = if month <= 2 { (year - 1, month + 12) } else { (year, month) };
    let century = year / 100;
    let first_of_year = 365 * year + year / 4 - century + century / 4;
    let of_year = (153 * month - 457) / 5 + u32::from(date.get_day());
    i64::from(first_of_year + of_year) - 719_469
}

/// The inverse: returns year, month and day of the Gregorian calendar, if Python has that date. From Neri and Schneider,
/// "Euclidean affine functions and their application to calendar algorithms" (2022), figure 12.
pub fn civil_from_days(days: i64) -> Option<(i32, u8, u8)> {
    // From 0001-01-01 to 9999-12-31.
    if !(-719_162..=2_932_896).contains(&days) {
        return None;
    }
    // Since March 1 of the year 0. Years begin in March, so that a leap day is their last.
    let quarters = 4 * (days + 719_468) as u32 + 3;
    let (century, of_century) = (quarters / 146_097, quarters % 146_097 / 4);
    let scaled = 2_939_745 * u64::from(4 * of_century + 3);
    let (year, of_year) = ((scaled >> 32) as u32, scaled as u32 / 2_939_745 / 4);
    let scaled = 2_141 * of_year + 197_913;
    let (month, day) = (scaled >> 16, (scaled & 0xFFFF) / 2_141 + 1);
    let is_next = month > 12;
    let year = 100 * century + year + u32::from(is_next);
    Some((year as i32, (month - if is_next { 12 } else { 0 }) as u8, day as u8))
}

pub(super) fn micros_of(time: &impl PyTimeAccess) -> i64 {
    let minutes = u32::from(time.get_hour()) * 60 + u32::from(time.get_minute());
    let seconds = minutes * 60 + u32::from(time.get_second());
    i64::from(seconds) * US + i64::from(time.get_microsecond())
}

/// Returns the microseconds of a timedelta. Its largest is 1e9 days, which needs more than 64 bits.
pub fn micros_of_delta(delta: &Bound<'_, PyDelta>) -> i128 {
    let seconds = i128::from(delta.get_days()) * i128::from(DAY) + i128::from(delta.get_seconds());
    seconds * i128::from(US) + i128::from(delta.get_microseconds())
}

impl<'py> Walker<'py, '_> {
    /// Encodes an object that is no leaf, of a class whose objects mostly are.
    pub(super) fn not_leaf(&mut self, object: &Bound<'py, PyAny>) -> Result<Encoded<'py>> {
        if let Ok(delta) = object.cast::<PyDelta>() {
            self.begin_logical(LogicalType::DURATION, &[MICRO])?;
            self.wide_int(micros_of_delta(delta))?;
            self.shredder.end()?;
            return Ok(Encoded::Row);
        }
        if let Ok(time) = object.cast::<PyDateTime>()
            && let Some(tz) = time.get_tzinfo()
            && let Some(zone) = self.zone_name(&tz)?
            && self.datetime(time, &zone)?
        {
            return Ok(Encoded::Row);
        }
        self.instead(object)
    }

    /// Encodes a datetime of a zone of the IANA database. Returns false where UTC would not lead back to the local time:
    /// it occurs twice or never, or UTC has no year from 1 to 9999.
    fn datetime(&mut self, time: &Bound<'py, PyDateTime>, zone: &str) -> Result<bool> {
        let offset = support(self.py, "zone_offset")
            .and_then(|function| function.call1((time,))?.extract::<Option<i64>>());
        let Some(offset) = self.py_check(offset)? else { return Ok(false) };
        let utc = day_of(time) * DAY * US + micros_of(time) - offset;
        if !UTC_TIMES.contains(&utc) {
            return Ok(false);
        }
        self.begin_logical(LogicalType::TIMESTAMP, &[MICRO, 3])?;
        self.shredder.begin_tuple(2)?;
        self.shredder.int(utc)?;
        self.shredder.string(zone)?;
        self.shredder.end()?;
        self.shredder.end()?;
        Ok(true)
    }

    /// Returns the name of a time zone, if it is the one of its name.
    fn zone_name(&mut self, tz: &Bound<'py, PyTzInfo>) -> Result<Option<Arc<str>>> {
        let address = tz.as_ptr() as usize;
        if let Some((name, _)) = self.memory.zones.get(&address) {
            return Ok(name.clone());
        }
        let name = support(self.py, "zone_name")
            .and_then(|function| function.call1((tz,))?.extract::<Option<String>>());
        let name = self.py_check(name)?.map(Arc::from);
        self.memory.zones.put(address, (name.clone(), tz.clone().into_any()));
        Ok(name)
    }
}
