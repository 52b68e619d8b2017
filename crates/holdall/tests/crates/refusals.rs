//! Values that the types reject, by codes and paths.

use std::time::Duration;

use arrayvec::{ArrayString, ArrayVec};
use bigdecimal::BigDecimal;
use chrono::{DateTime, FixedOffset, Local, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use holdall::value::Logical;
use holdall::{Decoder, Limits, LogicalType, Tensor, Value, to_vec};
use indexmap::{IndexMap, IndexSet};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Span, Timestamp, Zoned, civil};
use ndarray::{Array1, Array2, ArrayD, IxDyn};
use num_bigint::{BigInt, BigUint};
use num_rational::Ratio;
use rust_decimal::Decimal;
use time::{Date, OffsetDateTime, PrimitiveDateTime, Time, UtcDateTime, UtcOffset};
use uuid::{NonNilUuid, Uuid};

use super::refused;

const UNCONVERTIBLE: &str = "unconvertible";
const INCOMPATIBLE: &str = "incompatible";
const UNSUPPORTED: &str = "unsupported_value";
const DAY: i64 = 86_400_000_000_000;

fn logical(kind: u8, parameters: &[u8], storage: impl Into<Value>) -> Value {
    Value::from(Logical::new(LogicalType::new(kind, parameters).unwrap(), storage.into()))
}

/// 2 to this power.
fn big(exponent: usize) -> Value {
    let bytes = [&vec![0; exponent / 8][..], &[1]].concat();
    Value::from(holdall::BigInt::from_le_bytes(&bytes).unwrap())
}

#[track_caller]
fn is(error: (&'static str, String), code: &str, path: &str) {
    assert_eq!(error, (code, path.to_owned()));
}

#[test]
fn chrono_writes_no_leap_second() {
    let leap = NaiveTime::from_hms_nano_opt(23, 59, 59, 1_000_000_000).unwrap();
    let clock: NaiveDateTime = NaiveDate::from_ymd_opt(2016, 12, 31).unwrap().and_time(leap);
    let utc: DateTime<Utc> = clock.and_utc();
    is(refused::<NaiveTime>(&leap), UNSUPPORTED, "");
    is(refused::<NaiveDateTime>(&clock), UNSUPPORTED, "");
    is(refused::<DateTime<Utc>>(&utc), UNSUPPORTED, "");
    is(refused::<DateTime<Local>>(&utc.with_timezone(&Local)), UNSUPPORTED, "");
    is(refused::<DateTime<FixedOffset>>(&utc.fixed_offset()), UNSUPPORTED, "");
}

#[test]
fn dates_that_a_crate_lacks_are_unconvertible() {
    let date = |days: i64| logical(LogicalType::DATE, &[], days);
    is(refused::<NaiveDate>(&date(i64::MAX)), UNCONVERTIBLE, "$");
    is(refused::<NaiveDate>(&date(i64::from(i32::MAX))), UNCONVERTIBLE, "$");
    is(refused::<NaiveDate>(&date(-96_465_293)), UNCONVERTIBLE, "$");
    is(refused::<Date>(&NaiveDate::MAX), UNCONVERTIBLE, "$");
    is(refused::<Date>(&date(i64::from(i32::MIN))), UNCONVERTIBLE, "$");
    is(refused::<civil::Date>(&NaiveDate::MIN), UNCONVERTIBLE, "$");
    is(refused::<civil::Date>(&date(i64::MAX)), UNCONVERTIBLE, "$");
    is(refused::<civil::Date>(&logical(LogicalType::DATE, &[], big(128))), UNCONVERTIBLE, "$");
    is(refused::<(u8, Vec<Date>)>(&(1_u8, vec![NaiveDate::MAX])), UNCONVERTIBLE, "$[1][0]");
}

#[test]
fn times_beyond_a_day_are_unconvertible() {
    for number in [DAY, -1, i64::MAX, i64::MIN] {
        let time = logical(LogicalType::TIME, &[3], number);
        is(refused::<NaiveTime>(&time), UNCONVERTIBLE, "$");
        is(refused::<Time>(&time), UNCONVERTIBLE, "$");
        is(refused::<civil::Time>(&time), UNCONVERTIBLE, "$");
    }
}

#[test]
fn instants_that_a_crate_lacks_are_unconvertible() {
    let (first, last) = (DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC);
    for utc in [first, last] {
        is(refused::<UtcDateTime>(&utc), UNCONVERTIBLE, "$");
        is(refused::<Timestamp>(&utc), UNCONVERTIBLE, "$");
        is(refused::<PrimitiveDateTime>(&utc.naive_utc()), UNCONVERTIBLE, "$");
        is(refused::<civil::DateTime>(&utc.naive_utc()), UNCONVERTIBLE, "$");
        is(refused::<OffsetDateTime>(&utc.fixed_offset()), UNCONVERTIBLE, "$[0]");
    }
    for storage in [big(72), big(96), big(128)] {
        let utc = logical(LogicalType::TIMESTAMP, &[3, 1], storage.clone());
        is(
            refused::<DateTime<Utc>>(&logical(LogicalType::TIMESTAMP, &[3, 1], big(96))),
            UNCONVERTIBLE,
            "$",
        );
        is(refused::<UtcDateTime>(&utc), UNCONVERTIBLE, "$");
        is(refused::<Timestamp>(&utc), UNCONVERTIBLE, "$");
        let offset = Value::Tuple(vec![storage, Value::I32(0)].into());
        is(
            refused::<OffsetDateTime>(&logical(LogicalType::TIMESTAMP, &[3, 2], offset)),
            UNCONVERTIBLE,
            "$[0]",
        );
    }
}

#[test]
fn offsets_that_a_crate_lacks_are_unconvertible() {
    let at = |seconds: i32| {
        let storage = Value::Tuple(vec![Value::from(0), Value::I32(seconds)].into());
        logical(LogicalType::TIMESTAMP, &[3, 2], storage)
    };
    is(refused::<DateTime<FixedOffset>>(&at(86_400)), UNCONVERTIBLE, "$[0]");
    is(refused::<OffsetDateTime>(&at(i32::MIN)), UNCONVERTIBLE, "$[0]");
    for seconds in [93_600, i64::MAX, i64::MIN] {
        let offset = logical(LogicalType::DURATION, &[0], seconds);
        is(refused::<FixedOffset>(&offset), UNCONVERTIBLE, "$");
        is(refused::<UtcOffset>(&offset), UNCONVERTIBLE, "$");
        is(refused::<Offset>(&offset), UNCONVERTIBLE, "$");
    }
    // Not whole seconds.
    is(refused::<UtcOffset>(&Duration::from_nanos(1)), UNCONVERTIBLE, "$");
}

#[test]
fn zones_are_those_of_the_database() {
    let fixed = Timestamp::UNIX_EPOCH.to_zoned(TimeZone::fixed(Offset::constant(1)));
    is(refused::<Zoned>(&fixed), UNSUPPORTED, "");
    let rules = TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap();
    is(refused::<Zoned>(&Timestamp::UNIX_EPOCH.to_zoned(rules)), UNSUPPORTED, "");
    for name in ["", "Europe/Atlantis", "../../etc/passwd"] {
        let storage = Value::Tuple(vec![Value::from(0), Value::from(name)].into());
        let zoned = logical(LogicalType::TIMESTAMP, &[3, 3], storage);
        is(refused::<Zoned>(&zoned), UNCONVERTIBLE, "$[1]");
    }
    let storage = Value::Tuple(vec![big(96), Value::from("UTC")].into());
    is(refused::<Zoned>(&logical(LogicalType::TIMESTAMP, &[3, 3], storage)), UNCONVERTIBLE, "$[0]");
}

#[test]
fn durations_that_a_type_lacks_are_unconvertible() {
    is(refused::<TimeDelta>(&time::Duration::MAX), UNCONVERTIBLE, "$");
    is(refused::<TimeDelta>(&SignedDuration::MIN), UNCONVERTIBLE, "$");
    is(refused::<Duration>(&TimeDelta::nanoseconds(-1)), UNCONVERTIBLE, "$");
    is(refused::<time::Duration>(&Duration::MAX), UNCONVERTIBLE, "$");
    is(refused::<SignedDuration>(&Duration::MAX), UNCONVERTIBLE, "$");
    is(
        refused::<SignedDuration>(&logical(LogicalType::DURATION, &[3], big(128))),
        UNCONVERTIBLE,
        "$",
    );
}

#[test]
fn spans_have_one_sign_and_a_largest_number_of_each_unit() {
    #[derive(holdall::Encode)]
    #[holdall(rename = "Span")]
    struct Units {
        years: i64,
        months: i64,
        weeks: i64,
        days: i64,
        hours: i64,
        minutes: i64,
        seconds: i64,
        milliseconds: i64,
        microseconds: i64,
        nanoseconds: i64,
    }
    let units = |years, days, nanoseconds| Units {
        years,
        months: 0,
        weeks: 0,
        days,
        hours: 0,
        minutes: 0,
        seconds: 0,
        milliseconds: 0,
        microseconds: 0,
        nanoseconds,
    };
    is(refused::<Span>(&units(1, -1, 0)), UNCONVERTIBLE, "$.days");
    is(refused::<Span>(&units(-1, 0, 1)), UNCONVERTIBLE, "$.nanoseconds");
    is(refused::<Span>(&units(19_999, 0, 0)), UNCONVERTIBLE, "$.years");
    is(refused::<Span>(&units(0, i64::MIN, 0)), UNCONVERTIBLE, "$.days");
    is(refused::<Span>(&units(0, 0, i64::MIN)), UNCONVERTIBLE, "$.nanoseconds");
}

fn decimal(form: u8, coefficient: impl Into<Value>, exponent: impl Into<Value>) -> Value {
    let storage = Value::Tuple(vec![Value::U8(form), coefficient.into(), exponent.into()].into());
    logical(LogicalType::DECIMAL, &[], storage)
}

#[test]
fn decimals_that_a_type_lacks_are_unconvertible() {
    for form in 2..9 {
        is(refused::<Decimal>(&decimal(form, 0, 0)), UNCONVERTIBLE, "$[0]");
        is(refused::<BigDecimal>(&decimal(form, 0, 0)), UNCONVERTIBLE, "$[0]");
    }
    is(refused::<Decimal>(&decimal(0, -1, 0)), UNCONVERTIBLE, "$[1]");
    is(refused::<BigDecimal>(&decimal(0, -1, 0)), UNCONVERTIBLE, "$[1]");
    // 2^96, and 28 digits after the point that are not all 0.
    is(refused::<Decimal>(&decimal(0, big(96), 0)), UNCONVERTIBLE, "$[1]");
    is(refused::<Decimal>(&decimal(0, big(96), -5)), UNCONVERTIBLE, "$[1]");
    is(refused::<Decimal>(&decimal(0, 11, -29)), UNCONVERTIBLE, "$[1]");
    is(refused::<Decimal>(&decimal(0, 1, 29)), UNCONVERTIBLE, "$[1]");
    is(refused::<Decimal>(&decimal(0, 1, i64::MAX)), UNCONVERTIBLE, "$[1]");
    is(refused::<Decimal>(&decimal(0, 1, i64::MIN)), UNCONVERTIBLE, "$[1]");
    is(refused::<Decimal>(&decimal(0, big(128), 0)), UNCONVERTIBLE, "$[1]");
    is(refused::<Decimal>(&decimal(0, 1, big(128))), UNCONVERTIBLE, "$[1]");
    is(refused::<BigDecimal>(&decimal(0, 1, big(64))), UNCONVERTIBLE, "$[2]");
    is(refused::<BigDecimal>(&decimal(0, 1, i64::MIN)), UNCONVERTIBLE, "$[2]");
    let mut negative_zero = Decimal::ZERO;
    negative_zero.set_sign_negative(true);
    is(refused::<BigDecimal>(&negative_zero), UNCONVERTIBLE, "$[1]");
}

#[test]
fn integers_and_fractions_are_checked() {
    is(refused::<BigUint>(&-1_i8), UNCONVERTIBLE, "$");
    is(refused::<i64>(&(BigInt::from(1) << 63)), UNCONVERTIBLE, "$");
    is(refused::<Ratio<i32>>(&Ratio::new_raw(1, 0)), UNSUPPORTED, "");
    is(refused::<Ratio<i32>>(&Ratio::new_raw(1, -2)), UNSUPPORTED, "");
    is(
        refused::<Ratio<BigInt>>(&Ratio::new_raw(BigInt::from(1), BigInt::from(0))),
        UNSUPPORTED,
        "",
    );
    let raw = |above: i64, below: i64| {
        logical(
            LogicalType::RATIONAL,
            &[],
            Value::Tuple(vec![Value::from(above), Value::from(below)].into()),
        )
    };
    is(refused::<Ratio<i32>>(&raw(1, 0)), UNCONVERTIBLE, "$[1]");
    is(refused::<Ratio<BigInt>>(&raw(1, -1)), UNCONVERTIBLE, "$[1]");
    is(refused::<Ratio<u8>>(&raw(-1, 2)), UNCONVERTIBLE, "$[0]");
    is(refused::<Ratio<u8>>(&raw(256, 2)), UNCONVERTIBLE, "$[0]");
    is(refused::<Ratio<u128>>(&raw(-1, 2)), UNCONVERTIBLE, "$[0]");
    is(refused::<Ratio<BigUint>>(&raw(-1, 2)), UNCONVERTIBLE, "$[0]");
    let above = Ratio::new(BigInt::from(1) << 128, BigInt::from(3));
    is(refused::<Ratio<u128>>(&above), UNCONVERTIBLE, "$[0]");
    is(refused::<Ratio<i128>>(&above), UNCONVERTIBLE, "$[0]");
    is(refused::<NonNilUuid>(&Uuid::nil()), UNCONVERTIBLE, "$");
}

#[test]
fn values_longer_than_their_capacity_are_unconvertible() {
    is(refused::<ArrayVec<u8, 2>>(&vec![1_u8, 2, 3]), UNCONVERTIBLE, "$");
    is(refused::<Vec<ArrayVec<u8, 2>>>(&vec![vec![1_u8], vec![1, 2, 3]]), UNCONVERTIBLE, "$[1]");
    is(refused::<ArrayString<3>>(&"éé"), UNCONVERTIBLE, "$");
}

#[test]
fn keys_and_members_differ() {
    let message = [0xC1, 0x10, 0x22, 0x0E, 0x00, 0x1B, 0x04, 0x01, 0x04, 0x07, 0x07];
    let error = holdall::from_slice::<IndexMap<u8, ()>>(&message).unwrap_err();
    assert_eq!((error.code().as_str(), error.offset()), ("duplicate_key", Some(9)));
    let twice = logical(LogicalType::SET, &[], vec![1, 1]);
    is(refused::<IndexSet<u8>>(&twice), UNCONVERTIBLE, "$");
}

#[test]
fn arrays_have_their_rank_and_dimensions() {
    is(refused::<Array2<u8>>(&Array1::from(vec![1_u8])), UNCONVERTIBLE, "$");
    is(refused::<Array1<u8>>(&Array2::<u8>::zeros((1, 1))), UNCONVERTIBLE, "$");
    is(refused::<Array1<u8>>(&Array1::from(vec![256_u16])), UNCONVERTIBLE, "$[0]");
    let deep = ArrayD::<u8>::zeros(IxDyn(&[1; 33]));
    is(refused::<ArrayD<u8>>(&deep), UNSUPPORTED, "");
    // No elements, but dimensions whose product without the 0 overflows.
    let empty = Tensor::of([u64::MAX, 2, 0], &[] as &[u8]).unwrap();
    is(refused::<ArrayD<u8>>(&Value::from(empty)), UNCONVERTIBLE, "$");
}

#[test]
fn hostile_lengths_allocate_nothing() {
    // A list of 2^40 nulls as rows of at least 24 bytes each.
    let limits = Limits::new().budget(1 << 20);
    for schema in [&[0x16, 0x01][..], &[0x22, 0x0A, 0x00, 0x16, 0x01]] {
        let message = [&[0xC1, 0x10], schema, &[0xFB, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]].concat();
        let code = |error: holdall::Error| error.code().as_str();
        let mut decoder = Decoder::new().limits(limits);
        let list = decoder.decode::<ArrayVec<(), 4>>(&message).map(|_| ()).map_err(code);
        let set = decoder.decode::<IndexSet<()>>(&message).map(|_| ()).map_err(code);
        assert_eq!((list, set), (Err("limit_budget"), Err("limit_budget")));
    }
    // The bytes are charged before they are copied.
    let bytes = to_vec(&bytes::Bytes::from(vec![7; 4096])).unwrap();
    let mut decoder = Decoder::new().limits(Limits::new().budget(4200));
    assert!(decoder.decode::<bytes::Bytes>(&bytes).is_ok());
}

#[test]
fn an_instant_is_not_read_as_a_time_with_offset_or_zone() {
    let utc = DateTime::<Utc>::UNIX_EPOCH;
    let offset = OffsetDateTime::UNIX_EPOCH;
    is(refused::<OffsetDateTime>(&utc), INCOMPATIBLE, "$");
    is(refused::<Timestamp>(&offset), INCOMPATIBLE, "$");
    is(refused::<Zoned>(&Timestamp::UNIX_EPOCH), INCOMPATIBLE, "$");
    is(refused::<NaiveDateTime>(&utc), INCOMPATIBLE, "$");
}
