//! Logical values as objects of Python's own types, from what they are stored as.

use std::sync::Arc;

use holdall::LogicalType;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{
    PyByteArray, PyBytes, PyComplex, PyDate, PyDateTime, PyDelta, PyTime, PyTuple, PyTzInfo,
};

use super::Builder;
use crate::source::civil_from_days;
use crate::support;

const US: i64 = 1_000_000;
const DAY: i64 = 86_400 * US;

/// A number of units as microseconds, and whether anything was lost.
fn micros(value: i128, unit: u8) -> Option<i128> {
    match unit {
        0 => value.checked_mul(1_000_000),
        1 => value.checked_mul(1_000),
        2 => Some(value),
        _ => (value % 1_000 == 0).then_some(value / 1_000),
    }
}

/// Year, month, day, and the microseconds of the day.
type Moment = (i32, u8, u8, i64);

fn moment(micros: i64) -> Option<Moment> {
    let (year, month, day) = civil_from_days(micros.div_euclid(DAY));
    let year = i32::try_from(year).ok().filter(|year| (1..=9999).contains(year))?;
    Some((year, month as u8, day as u8, micros.rem_euclid(DAY)))
}

/// Hour, minute, second, microsecond.
fn clock(micros: i64) -> (u8, u8, u8, u32) {
    let seconds = micros / US;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    (hour as u8, minute as u8, second as u8, (micros % US) as u32)
}

fn too_large(what: &str) -> PyErr {
    PyOverflowError::new_err(format!("a {what} that Python's type cannot hold"))
}

impl<'py> Builder<'py, '_> {
    pub(super) fn logical(
        &mut self,
        ty: &Arc<LogicalType>,
        value: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let parameter = |at: usize| ty.parameters().get(at).copied().unwrap_or_default();
        match ty.kind() {
            LogicalType::DATE => {
                let days: i64 = value.extract()?;
                let civil = days.checked_mul(DAY).and_then(moment);
                let civil = civil.ok_or_else(|| too_large("date"))?;
                Ok(PyDate::new(py, civil.0, civil.1, civil.2)?.into_any())
            }
            LogicalType::TIME => {
                let whole = micros(value.extract()?, parameter(0));
                let Some(micros) = whole.and_then(|micros| i64::try_from(micros).ok()) else {
                    return self.plain(ty, value);
                };
                if !(0..DAY).contains(&micros) {
                    return Err(too_large("time of day"));
                }
                let (hour, minute, second, micro) = clock(micros);
                Ok(PyTime::new(py, hour, minute, second, micro, None)?.into_any())
            }
            LogicalType::DURATION => {
                let Some(micros) = micros(value.extract()?, parameter(0)) else {
                    return self.plain(ty, value);
                };
                let (days, rest) =
                    (micros.div_euclid(i128::from(DAY)), micros.rem_euclid(i128::from(DAY)) as i64);
                let days = i32::try_from(days).map_err(|_| too_large("length of time"))?;
                let (seconds, micros) = ((rest / US) as i32, (rest % US) as i32);
                Ok(PyDelta::new(py, days, seconds, micros, false)?.into_any())
            }
            LogicalType::TIMESTAMP => self.timestamp(ty, value),
            LogicalType::DECIMAL => {
                let (form, coefficient, exponent): (u8, Bound<'py, PyAny>, i64) =
                    value.extract()?;
                if let Ok(coefficient) = coefficient.extract::<u64>()
                    && form < 2
                {
                    let sign = if form == 1 { "-" } else { "" };
                    let text = format!("{sign}{coefficient}E{exponent}");
                    return support(py, "Decimal")?.call1((text,));
                }
                support(py, "make_decimal")?.call1((form, coefficient, exponent))
            }
            LogicalType::RATIONAL => {
                let parts: (Bound<'py, PyAny>, Bound<'py, PyAny>) = value.extract()?;
                support(py, "make_fraction")?.call1(parts)
            }
            LogicalType::COMPLEX => {
                let (real, imaginary): (f64, f64) = value.extract()?;
                Ok(PyComplex::from_doubles(py, real, imaginary).into_any())
            }
            LogicalType::UUID => support(py, "make_uuid")?.call1((value,)),
            LogicalType::CHAR => support(py, "chr")?.call1((value,)),
            LogicalType::BYTE_ARRAY => {
                Ok(PyByteArray::new(py, value.cast::<PyBytes>()?.as_bytes()).into_any())
            }
            LogicalType::RANGE => {
                let parts = value.cast_into::<PyTuple>()?;
                support(py, "range")?.call1(parts)
            }
            LogicalType::WTF8_STRING => value.call_method1("decode", ("utf-8", "surrogatepass")),
            LogicalType::PATH => support(py, "make_path")?.call1((parameter(0), value)),
            LogicalType::IP_ADDRESS => support(py, "ip_address")?.call1((value,)),
            LogicalType::IP_NETWORK => {
                let parts = value.cast_into::<PyTuple>()?;
                support(py, "make_network")?.call1((parts,))
            }
            LogicalType::REGULAR_EXPRESSION => {
                let parts = value.cast_into::<PyTuple>()?;
                support(py, "make_pattern")?.call1(parts)
            }
            LogicalType::BIT_VECTOR
            | LogicalType::SYMBOL
            | LogicalType::URL
            | LogicalType::LONG_TUPLE => Ok(value),
            _ => self.plain(ty, value),
        }
    }

    /// A logical value that Python has no type for.
    fn plain(&self, ty: &LogicalType, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let parameters = PyBytes::new(self.py, ty.parameters());
        support(self.py, "Logical")?.call1((ty.kind(), parameters, value))
    }

    fn timestamp(
        &mut self,
        ty: &LogicalType,
        value: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let (unit, zone) = match ty.parameters() {
            [unit, zone] => (*unit, *zone),
            _ => return Err(PyValueError::new_err("a timestamp without unit and zone")),
        };
        let (whole, tz) = match zone {
            2 => {
                let (whole, seconds): (i128, i32) = value.extract()?;
                (whole, Some((i64::from(seconds), None)))
            }
            3 => {
                let (whole, name): (i128, String) = value.extract()?;
                (whole, Some((0, Some(name))))
            }
            _ => (value.extract()?, None),
        };
        let Some(micros) = micros(whole, unit) else { return self.plain(ty, value) };
        let micros = i64::try_from(micros).map_err(|_| too_large("timestamp"))?;
        let make = |micros: i64, tz: Option<&Bound<'py, PyTzInfo>>| {
            let (year, month, day, rest) = moment(micros).ok_or_else(|| too_large("timestamp"))?;
            let (hour, minute, second, micro) = clock(rest);
            PyDateTime::new(py, year, month, day, hour, minute, second, micro, tz)
        };
        match tz {
            None if zone == 0 => Ok(make(micros, None)?.into_any()),
            None => {
                let utc = PyTzInfo::utc(py)?.to_owned();
                Ok(make(micros, Some(&utc))?.into_any())
            }
            Some((seconds, None)) => {
                let tz = self.zone(&seconds.to_string(), |py| {
                    support(py, "fixed_zone")?.call1((seconds,))
                })?;
                let local = micros.checked_add(seconds * US);
                let local = local.ok_or_else(|| too_large("timestamp"))?;
                Ok(make(local, Some(tz.cast::<PyTzInfo>()?))?.into_any())
            }
            Some((_, Some(name))) => {
                let tz = self.zone(&name, |py| support(py, "named_zone")?.call1((&name,)))?;
                if tz.is_none() {
                    return self.plain(ty, value);
                }
                let utc = make(micros, Some(tz.cast::<PyTzInfo>()?))?;
                tz.call_method1("fromutc", (utc,))
            }
        }
    }

    /// A time zone, made once for each message.
    fn zone(
        &mut self,
        name: &str,
        make: impl FnOnce(Python<'py>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(zone) = self.zones.get(name) {
            return Ok(zone.clone());
        }
        let zone = make(self.py)?;
        self.zones.insert(name.to_owned(), zone.clone());
        Ok(zone)
    }
}
