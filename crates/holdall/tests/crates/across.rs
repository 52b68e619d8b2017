//! Types of one crate read data written by types of another.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, SystemTime};

use arrayvec::{ArrayString, ArrayVec};
use bigdecimal::BigDecimal;
use bytes::{Bytes, BytesMut};
use chrono::{DateTime, FixedOffset, Local, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use holdall::value::Logical;
use holdall::{LogicalType, Value};
use indexmap::{IndexMap, IndexSet};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp, civil};
use ndarray::{Array1, Array2, ArrayD, array};
use num_bigint::{BigInt, BigUint};
use num_complex::Complex;
use num_rational::Ratio;
use rust_decimal::Decimal;
use smallvec::{SmallVec, smallvec};
use time::{Date, OffsetDateTime, PrimitiveDateTime, Time, UtcDateTime, UtcOffset};

use super::reads;

/// Reads each value as each of the others, and as itself.
macro_rules! each_reads_each {
    ($($value:expr),* $(,)?) => {{
        let values = ($($value,)*);
        each_reads_each!(@rows values; $($value),*);
    }};
    (@rows $values:ident; $($value:expr),*) => {
        $(each_reads_each!(@row $values; $value);)*
    };
    (@row $values:ident; $value:expr) => {{
        let written = $value;
        each_reads_each!(@cell $values written 0 1 2);
    }};
    (@cell $values:ident $written:ident $($number:tt)*) => {
        $(reads(&$written, &$values.$number);)*
    };
}

const NANOSECONDS: i128 = 1_700_000_000_123_456_789;

fn utc() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 123_456_789).unwrap()
}

fn timestamp() -> Timestamp {
    Timestamp::from_nanosecond(NANOSECONDS).unwrap()
}

#[test]
fn dates_and_times_are_read_as_each_other() {
    each_reads_each!(
        NaiveDate::from_ymd_opt(2024, 2, 29).unwrap(),
        Date::from_calendar_date(2024, time::Month::February, 29).unwrap(),
        civil::date(2024, 2, 29),
    );
    each_reads_each!(
        NaiveTime::from_hms_nano_opt(23, 59, 58, 7).unwrap(),
        Time::from_hms_nano(23, 59, 58, 7).unwrap(),
        civil::time(23, 59, 58, 7),
    );
    let clock: NaiveDateTime =
        NaiveDate::from_ymd_opt(1969, 12, 31).unwrap().and_hms_opt(1, 2, 3).unwrap();
    each_reads_each!(
        clock,
        PrimitiveDateTime::new(
            Date::from_calendar_date(1969, time::Month::December, 31).unwrap(),
            Time::from_hms(1, 2, 3).unwrap(),
        ),
        civil::date(1969, 12, 31).at(1, 2, 3, 0),
    );
    each_reads_each!(chrono::Weekday::Tue, time::Weekday::Tuesday, civil::Weekday::Tuesday);
    reads(&chrono::Month::March, &time::Month::March);
    reads(&time::Month::March, &chrono::Month::March);
}

#[test]
fn instants_are_read_as_each_other() {
    each_reads_each!(
        utc(),
        UtcDateTime::from_unix_timestamp_nanos(NANOSECONDS).unwrap(),
        timestamp(),
    );
    let std = SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000, 123_456_789);
    each_reads_each!(std, timestamp(), utc().with_timezone(&Local));
    reads(&utc(), &std);
    let there = FixedOffset::east_opt(5400).unwrap();
    let other = UtcOffset::from_whole_seconds(5400).unwrap();
    let offset = OffsetDateTime::from_unix_timestamp_nanos(NANOSECONDS).unwrap().to_offset(other);
    reads(&utc().with_timezone(&there), &offset);
    reads(&offset, &utc().with_timezone(&there));
    each_reads_each!(there, other, Offset::from_seconds(5400).unwrap());
}

#[test]
fn durations_are_read_as_each_other() {
    each_reads_each!(
        TimeDelta::new(-3, 5).unwrap(),
        time::Duration::new(-2, -999_999_995),
        SignedDuration::new(-2, -999_999_995),
    );
    each_reads_each!(Duration::new(3, 5), TimeDelta::new(3, 5).unwrap(), time::Duration::new(3, 5));
}

fn logical(kind: u8, parameters: &[u8], number: i64) -> Value {
    let ty = LogicalType::new(kind, parameters).unwrap();
    Value::from(Logical::new(ty, Value::from(number)))
}

#[test]
fn other_units_are_read_if_the_number_is_an_integer() {
    let micros = logical(LogicalType::TIMESTAMP, &[2, 1], 1_700_000_000_123_456);
    let whole = DateTime::from_timestamp_micros(1_700_000_000_123_456).unwrap();
    reads(&micros, &whole);
    reads(&micros, &Timestamp::from_microsecond(1_700_000_000_123_456).unwrap());
    reads(&logical(LogicalType::TIME, &[1], 1), &civil::time(0, 0, 0, 1_000_000));
    // Beyond 64 bits in nanoseconds.
    reads(
        &logical(LogicalType::TIMESTAMP, &[0, 1], 253_402_300_799),
        &UtcDateTime::from_unix_timestamp(253_402_300_799).unwrap(),
    );
    reads(&logical(LogicalType::DURATION, &[0], -1), &TimeDelta::seconds(-1));
    // An offset is in seconds, a duration in nanoseconds.
    reads(&UtcOffset::from_hms(1, 0, 0).unwrap(), &TimeDelta::hours(1));
    reads(&Duration::from_secs(3600), &UtcOffset::from_hms(1, 0, 0).unwrap());
}

#[test]
fn decimals_are_read_as_each_other() {
    for text in ["0", "0.00", "1.10", "-1.1", "-79228162514264337593543950335", "1E-28"] {
        let small = Decimal::from_scientific(text).or_else(|_| text.parse::<Decimal>()).unwrap();
        let large: BigDecimal = text.parse().unwrap();
        reads(&small, &large);
        reads(&large, &small);
    }
    // A value that a 96-bit decimal cannot hold is read if the number is the same.
    let zeros = BigDecimal::new(BigInt::from(10).pow(30) * 15, 31);
    reads(&zeros, &"1.5000000000000000000000000000".parse::<Decimal>().unwrap());
    reads(&BigDecimal::new(BigInt::from(5), -3), &Decimal::from(5000));
    reads(
        &BigDecimal::new(BigInt::from(0), 99),
        &"0.0000000000000000000000000000".parse::<Decimal>().unwrap(),
    );
}

#[test]
fn numbers_are_read_as_each_other() {
    reads(&7_u8, &BigInt::from(7));
    reads(&BigInt::from(-7), &-7_i8);
    reads(&u128::MAX, &BigUint::from(u128::MAX));
    reads(&BigUint::from(u128::MAX), &u128::MAX);
    reads(&Ratio::new(-1_i8, 3), &Ratio::new(BigInt::from(-1), BigInt::from(3)));
    reads(&Ratio::new(BigInt::from(5), BigInt::from(3)), &Ratio::new(5_u64, 3));
    reads(&Ratio::new(5_u64, 3), &(5_i32, 3_i32));
    reads(&Complex::new(1.5_f32, 2.0), &Complex::new(1.5_f64, 2.0));
    reads(&Complex::new(1.5_f64, 2.0), &Complex::new(1.5_f32, 2.0));
    reads(&Complex::new(1_i32, 2), &Complex::new(1.0_f64, 2.0));
    reads(&Complex::new(1.0_f64, 2.0), &(1.0_f64, 2.0_f64));
}

#[test]
fn containers_are_read_as_each_other() {
    let index = IndexMap::from([("a".to_owned(), 1_u8)]);
    each_reads_each!(
        index.clone(),
        HashMap::from([("a".to_owned(), 1_u8)]),
        BTreeMap::from([("a".to_owned(), 1_u16)]),
    );
    each_reads_each!(IndexSet::from([1_u8]), HashSet::from([1_u8]), BTreeSet::from([1_u16]));
    let small: SmallVec<[u8; 2]> = smallvec![1, 2, 3];
    each_reads_each!(vec![1_u8, 2, 3], small.clone(), ArrayVec::<u8, 3>::from([1, 2, 3]));
    let bytes = Bytes::from_static(&[1, 2, 3]);
    each_reads_each!(vec![1_u8, 2, 3], bytes.clone(), BytesMut::from(&[1_u8, 2, 3][..]));
    reads(&"abc", &ArrayString::<3>::from("abc").unwrap());
    reads(&ArrayString::<3>::from("abc").unwrap(), &"abc".to_owned());
}

#[test]
fn arrays_are_read_as_lists_and_as_arrays_of_other_numbers() {
    reads(&array![1_u8, 2], &vec![1_u8, 2]);
    reads(&vec![1_u8, 2], &array![1_u8, 2]);
    reads(&array![1_u8, 2], &array![1_i64, 2]);
    reads(&Array1::from(vec![1_u8, 0]), &Array1::from(vec![1.0_f64, 0.0]));
    reads(&array![[1_u8, 2], [3, 4]], &ArrayD::from(array![[1_u8, 2], [3, 4]].into_dyn()));
    // The order is kept.
    let columns: Array2<u8> = array![[1, 2, 3], [4, 5, 6]];
    reads(&columns.t(), &columns.mapv(i32::from).reversed_axes());
}
