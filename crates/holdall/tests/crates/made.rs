//! Values of the types, made by their schemas, survive every way of writing and reading; damaged ones are rejected or
//! read.

use arrayvec::{ArrayString, ArrayVec};
use bigdecimal::BigDecimal;
use bytes::{Bytes, BytesMut};
use chrono::{DateTime, FixedOffset, Local, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use holdall::testing::check;
use indexmap::{IndexMap, IndexSet};
use jiff::{SignedDuration, Span, Timestamp, civil, tz::Offset};
use ndarray::{ArcArray, Array0, Array1, Array2, Array3, ArrayD, Ix1};
use num_bigint::{BigInt, BigUint};
use num_complex::Complex;
use num_rational::Ratio;
use rust_decimal::Decimal;
use smallvec::SmallVec;
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime, Time, UtcDateTime, UtcOffset};
use uuid::{NonNilUuid, Uuid};

macro_rules! types {
    ($($name:ident: $($ty:ty),*;)*) => {$(
        #[test]
        fn $name() {
            $(check::<$ty>(150);)*
        }
    )*};
}

types! {
    chrono_comes_back: NaiveDate, NaiveTime, NaiveDateTime, DateTime<Utc>, DateTime<Local>, DateTime<FixedOffset>, TimeDelta, FixedOffset, chrono::Weekday, chrono::Month;
    time_comes_back: Date, Time, PrimitiveDateTime, UtcDateTime, OffsetDateTime, Duration, UtcOffset, time::Weekday, time::Month;
    // Random bytes contain no valid zone.
    jiff_comes_back: civil::Date, civil::Time, civil::DateTime, Timestamp, SignedDuration, Span, Offset, civil::Weekday, Option<jiff::Zoned>;
    numbers_come_back: BigInt, BigUint, Ratio<i32>, Ratio<u128>, Ratio<BigInt>, Complex<f32>, Complex<f64>, Complex<u8>, Uuid, NonNilUuid;
    containers_come_back: IndexMap<String, u8>, IndexMap<u8, Vec<Option<bool>>>, IndexSet<u16>, SmallVec<[String; 2]>, ArrayVec<u8, 4>, ArrayString<6>, Bytes, BytesMut, Vec<Bytes>;
    arrays_come_back: Array0<u8>, Array1<f32>, Array2<bool>, Array3<i16>, ArrayD<Complex<f32>>, ArcArray<u128, Ix1>, Vec<ArrayD<u8>>, Vec<Option<ArrayD<f64>>>;
    many_rows_come_back: Vec<Uuid>, Vec<Decimal>, Vec<DateTime<FixedOffset>>, Vec<BigInt>, IndexMap<Uuid, NaiveDate>;
}

#[test]
fn decimals_survive() {
    // Only 2 bytes are the form of a number, and few exponents are those of 28 digits.
    check::<Decimal>(2000);
    check::<BigDecimal>(400);
}
