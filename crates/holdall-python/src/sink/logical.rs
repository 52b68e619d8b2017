//! Logical values as Python objects, from their storage.

use std::fmt::Write;
use std::sync::Arc;

use arrayvec::ArrayString;
use holdall::LogicalType;
use holdall::bindings::memory::GrowMap;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDate, PyDateTime, PyDelta, PyTime, PyTuple, PyType, PyTzInfo};

use super::Builder;
use crate::once::Once;
use crate::source::{WORDS, civil_from_days};
use crate::uuid::UuidParts;
use crate::{decimals, raw, support, unknown};

const US: i64 = 1_000_000;
const DAY: i64 = 86_400 * US;
/// The days of a timedelta.
const MOST_DAYS: u32 = 999_999_999;
/// The unit of which Python's types lose digits.
const NANOS: u8 = 3;
/// Patterns of up to this many characters are kept, to be found again.
const KEPT_PATTERN: usize = 1 << 10;

/// Converts a number of units to microseconds; `None` if that would lose digits.
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
    let (year, month, day) = civil_from_days(micros.div_euclid(DAY))?;
    Some((year, month, day, micros.rem_euclid(DAY)))
}

/// Returns hour, minute, second and microsecond of a time of day.
fn clock(micros: i64) -> (u8, u8, u8, u32) {
    let micros = micros.cast_unsigned();
    let (seconds, rest) = ((micros / US.cast_unsigned()) as u32, micros % US.cast_unsigned());
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    (hour as u8, minute as u8, second as u8, rest as u32)
}

#[cold]
fn too_large(py: Python<'_>, what: &str) -> PyErr {
    let made = support(py, "beyond").and_then(|beyond| beyond.call1((what,)));
    made.map_or_else(|failed| failed, PyErr::from_value)
}

/// Makes a datetime from microseconds, with or without a time zone.
fn date_time<'py>(
    py: Python<'py>,
    micros: i64,
    tz: Option<&Bound<'py, PyTzInfo>>,
) -> PyResult<Bound<'py, PyDateTime>> {
    let (year, month, day, rest) = moment(micros).ok_or_else(|| too_large(py, "timestamp"))?;
    let (hour, minute, second, micro) = clock(rest);
    PyDateTime::new(py, year, month, day, hour, minute, second, micro, tz)
}

/// Makes a logical value that is stored as one integer: a date, a time of day, a duration, or a
/// timestamp in UTC or without a zone.
pub(super) fn single<'py>(
    py: Python<'py>,
    ty: &LogicalType,
    number: i128,
) -> PyResult<Bound<'py, PyAny>> {
    let parameter = |at: usize| ty.parameters().get(at).copied().unwrap_or_default();
    if ty.kind() == LogicalType::DATE {
        let days = i64::try_from(number).ok();
        let civil = days.and_then(|days| days.checked_mul(DAY)).and_then(moment);
        let civil = civil.ok_or_else(|| too_large(py, "date"))?;
        return Ok(PyDate::new(py, civil.0, civil.1, civil.2)?.into_any());
    }
    let Some(micros) = micros(number, parameter(0)) else {
        return plain(py, ty, number.into_pyobject(py)?.into_any());
    };
    let short = i64::try_from(micros);
    match ty.kind() {
        LogicalType::TIME => {
            let micros = short.ok().filter(|micros| (0..DAY).contains(micros));
            let (hour, minute, second, micro) =
                clock(micros.ok_or_else(|| too_large(py, "time of day"))?);
            Ok(PyTime::new(py, hour, minute, second, micro, None)?.into_any())
        }
        LogicalType::DURATION => {
            let (days, rest) =
                (micros.div_euclid(i128::from(DAY)), micros.rem_euclid(i128::from(DAY)) as i64);
            let days = i32::try_from(days).ok().filter(|days| days.unsigned_abs() <= MOST_DAYS);
            let days = days.ok_or_else(|| too_large(py, "length of time"))?;
            let (seconds, micros) = ((rest / US) as i32, (rest % US) as i32);
            Ok(PyDelta::new(py, days, seconds, micros, false)?.into_any())
        }
        _ => {
            let micros = short.map_err(|_| too_large(py, "timestamp"))?;
            if parameter(1) == 0 {
                return Ok(date_time(py, micros, None)?.into_any());
            }
            let utc = PyTzInfo::utc(py)?.to_owned();
            Ok(date_time(py, micros, Some(&utc))?.into_any())
        }
    }
}

/// Whether [`leaf`] makes the values of a type.
pub fn has_leaves(ty: &LogicalType) -> bool {
    match (ty.kind(), ty.parameters()) {
        (LogicalType::TIMESTAMP, [unit, zone]) => *unit != NANOS && *zone < 3,
        (LogicalType::TIME | LogicalType::DURATION, [unit]) => *unit != NANOS,
        (LogicalType::COMPLEX, parameters) => parameters == [8],
        (kind, _) => matches!(kind, LogicalType::DATE | LogicalType::DECIMAL | LogicalType::UUID),
    }
}

/// Makes a logical value by the words of its parts, without Python code; none of rare ones.
pub fn leaf<'py>(
    py: Python<'py>,
    ty: &LogicalType,
    words: &[u64; WORDS],
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let [first, second, third] = *words;
    let int = first.cast_signed();
    Ok(Some(match (ty.kind(), ty.parameters()) {
        (LogicalType::TIMESTAMP, &[unit, 2]) => {
            let seconds = second.cast_signed();
            let micros = micros(int.into(), unit).and_then(|micros| i64::try_from(micros).ok());
            let local = micros.and_then(|micros| micros.checked_add(seconds * US));
            let offset = PyDelta::new(py, 0, seconds as i32, 0, true)?;
            let tz = PyTzInfo::fixed_offset(py, offset)?;
            let local = local.ok_or_else(|| too_large(py, "timestamp"))?;
            date_time(py, local, Some(&tz))?.into_any()
        }
        (LogicalType::DECIMAL, _) => {
            let coefficient = second.cast_signed();
            if first > 1 || coefficient < 0 {
                return Ok(None);
            }
            decimal(py, first == 1, second, third.cast_signed())?
        }
        (LogicalType::COMPLEX, _) => {
            raw::complex(py, f64::from_bits(first), f64::from_bits(second))?
        }
        (LogicalType::UUID, _) => {
            let bytes = (u128::from(second) << 64 | u128::from(first)).to_le_bytes();
            uuid(py, &PyTuple::empty(py), &bytes)?
        }
        _ => single(py, ty, int.into())?,
    }))
}

/// Makes a decimal with a coefficient of 64 bits.
pub(super) fn decimal(
    py: Python<'_>,
    is_negative: bool,
    coefficient: u64,
    exponent: i64,
) -> PyResult<Bound<'_, PyAny>> {
    static DECIMAL: Once<Py<PyType>> = Once::new();
    // No build of Python has a smaller range.
    if exponent.unsigned_abs() > 400_000_000 {
        return support(py, "make_decimal")?.call1((u8::from(is_negative), coefficient, exponent));
    }
    decimals::check(py);
    if let Some(made) = decimals::made(py, is_negative, coefficient, exponent)? {
        return Ok(made);
    }
    let class = DECIMAL.import(py, "decimal", "Decimal")?;
    let sign = if is_negative { "-" } else { "" };
    let mut text = ArrayString::<48>::new();
    // A sign, 20 digits, and 21 characters of the exponent.
    write!(text, "{sign}{coefficient}E{exponent}").map_err(|_| too_large(py, "decimal"))?;
    class.call1((raw::text(py, &text)?,))
}

/// Makes an empty ordered dict.
pub(super) fn ordered_dict<'py>(empty: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: Once<Py<PyType>> = Once::new();
    let py = empty.py();
    let class = CLASS.get_or_try_init(py, || {
        PyResult::Ok(support(py, "new_ordered_dict")?.cast_into::<PyType>()?.unbind())
    })?;
    raw::new_of(class.bind(py), class.bind(py), empty)
}

/// Makes a pure path of a style.
pub(super) fn pure_path<'py>(
    py: Python<'py>,
    text: &str,
    is_windows: bool,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASSES: Once<[Py<PyAny>; 2]> = Once::new();
    let classes = CLASSES.get_or_try_init(py, || {
        let pathlib = py.import("pathlib")?;
        let class = |name| pathlib.getattr(name).map(Bound::unbind);
        PyResult::Ok([class("PurePosixPath")?, class("PureWindowsPath")?])
    })?;
    classes[usize::from(is_windows)].bind(py).call1((raw::text(py, text)?,))
}

/// Makes a UUID.
pub(super) fn uuid<'py>(
    py: Python<'py>,
    empty: &Bound<'py, PyTuple>,
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    static PARTS: Once<Option<UuidParts>> = Once::new();
    let parts = PARTS.get_or_try_init(py, || {
        let class = py.import("uuid")?.getattr("UUID")?.cast_into::<PyType>()?;
        UuidParts::of(&class)
    })?;
    if let (Some(parts), Ok(bytes)) = (parts, <[u8; 16]>::try_from(bytes))
        && let Some(made) = parts.make(empty, bytes)?
    {
        return Ok(made);
    }
    support(py, "make_uuid")?.call1((raw::bytes(py, bytes)?,))
}

/// Makes a `Logical`, for a logical type without a Python type.
fn plain<'py>(
    py: Python<'py>,
    ty: &LogicalType,
    value: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let parameters = raw::bytes(py, ty.parameters())?;
    support(py, "Logical")?.call1((ty.kind(), parameters, value))
}

impl<'py> Builder<'py, '_> {
    pub(super) fn logical(
        &mut self,
        ty: &Arc<LogicalType>,
        value: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        if value.is(unknown(py)?) {
            return Ok(value);
        }
        let parameter = |at: usize| ty.parameters().get(at).copied().unwrap_or_default();
        match ty.kind() {
            LogicalType::DATE | LogicalType::TIME | LogicalType::DURATION => {
                single(py, ty, value.extract()?)
            }
            LogicalType::TIMESTAMP => self.timestamp(ty, value),
            LogicalType::DECIMAL => {
                let (form, coefficient, exponent): (u8, Bound<'py, PyAny>, i64) =
                    value.extract()?;
                if let Ok(coefficient) = coefficient.extract::<u64>()
                    && form < 2
                {
                    return decimal(py, form == 1, coefficient, exponent);
                }
                support(py, "make_decimal")?.call1((form, coefficient, exponent))
            }
            LogicalType::RATIONAL => {
                let parts: (Bound<'py, PyAny>, Bound<'py, PyAny>) = value.extract()?;
                support(py, "make_fraction")?.call1(parts)
            }
            LogicalType::COMPLEX => {
                let (real, imaginary): (f64, f64) = value.extract()?;
                raw::complex(py, real, imaginary)
            }
            LogicalType::UUID => uuid(py, &self.empty, value.cast::<PyBytes>()?.as_bytes()),
            LogicalType::CHAR => support(py, "chr")?.call1((value,)),
            LogicalType::BYTE_ARRAY => {
                Ok(raw::byte_array(py, value.cast::<PyBytes>()?.as_bytes())?.into_any())
            }
            LogicalType::RANGE => {
                let parts = value.cast_into::<PyTuple>()?;
                support(py, "range")?.call1(parts)
            }
            LogicalType::WTF8_STRING => value.call_method1("decode", ("utf-8", "surrogatepass")),
            LogicalType::PATH => support(py, "make_path")?.call1((parameter(0), value)),
            LogicalType::IP_ADDRESS => {
                static OF: Once<Py<PyAny>> = Once::new();
                OF.import(py, "ipaddress", "ip_address")?.call1((value,))
            }
            LogicalType::IP_NETWORK => {
                let parts = value.cast_into::<PyTuple>()?;
                support(py, "make_network")?.call1((parts,))
            }
            LogicalType::REGULAR_EXPRESSION => {
                static MAKE: Once<[Py<PyAny>; 2]> = Once::new();
                let make = MAKE.get_or_try_init(py, || {
                    let of = |name| support(py, name).map(Bound::unbind);
                    PyResult::Ok([of("make_pattern")?, of("make_long_pattern")?])
                })?;
                let parts = value.cast_into::<PyTuple>()?;
                let is_long = parts.get_borrowed_item(0)?.len()? > KEPT_PATTERN;
                make[usize::from(is_long)].bind(py).call1(parts)
            }
            LogicalType::BIT_VECTOR
            | LogicalType::SYMBOL
            | LogicalType::URL
            | LogicalType::LONG_TUPLE => Ok(value),
            _ => plain(py, ty, value),
        }
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
                (whole, (i64::from(seconds), None))
            }
            3 => {
                let (whole, name): (i128, String) = value.extract()?;
                (whole, (0, Some(name)))
            }
            _ => return single(py, ty, value.extract()?),
        };
        let Some(micros) = micros(whole, unit) else { return plain(py, ty, value) };
        let micros = i64::try_from(micros).map_err(|_| too_large(py, "timestamp"))?;
        match tz {
            (seconds, None) => {
                let tz = self.zone(&seconds.to_string(), |py| {
                    support(py, "fixed_zone")?.call1((seconds,))
                })?;
                let local = micros.checked_add(seconds * US);
                let local = local.ok_or_else(|| too_large(py, "timestamp"))?;
                Ok(date_time(py, local, Some(tz.cast::<PyTzInfo>()?))?.into_any())
            }
            (_, Some(name)) => {
                let tz = self.zone(&name, |py| support(py, "named_zone")?.call1((&name,)))?;
                if tz.is_none() {
                    return plain(py, ty, value);
                }
                let utc = date_time(py, micros, Some(tz.cast::<PyTzInfo>()?))?;
                tz.call_method1("fromutc", (utc,)).map_err(|raised| {
                    match raised.is_instance_of::<PyOverflowError>(py) {
                        true => too_large(py, "timestamp"),
                        false => raised,
                    }
                })
            }
        }
    }

    /// Returns a time zone, made once for each message.
    fn zone(
        &mut self,
        name: &str,
        make: impl FnOnce(Python<'py>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(zone) = self.zones.get(name) {
            return Ok(zone.clone());
        }
        let zone = make(self.py)?;
        self.zones.put(name.to_owned(), zone.clone());
        Ok(zone)
    }
}
