//! Dates and times in formats of text, by `storage(true)`.

use std::time::{Duration, SystemTime};

use holdall::value::Logical;
use holdall::{Code, LogicalType, Value};
use holdall_convert::{Format, Unpacker};

const DATE: u8 = LogicalType::DATE;
const TIME: u8 = LogicalType::TIME;
const TIMESTAMP: u8 = LogicalType::TIMESTAMP;
const DURATION: u8 = LogicalType::DURATION;

fn logical(kind: u8, parameters: &[u8], storage: Value) -> Value {
    Logical::new(LogicalType::new(kind, parameters).unwrap(), storage).into()
}

fn int(kind: u8, parameters: &[u8], number: impl Into<Value>) -> Value {
    logical(kind, parameters, number.into())
}

fn at_offset(unit: u8, number: i64, offset: i32) -> Value {
    let parts = Value::tuple([Value::from(number), Value::I32(offset)]);
    logical(TIMESTAMP, &[unit, 2], parts)
}

fn in_zone(number: i64, zone: &str) -> Value {
    logical(TIMESTAMP, &[2, 3], Value::tuple([Value::from(number), Value::from(zone)]))
}

fn stored(format: Format, value: &Value) -> holdall::Result<String> {
    let text = Unpacker::new(format).storage(true).to_vec(value)?;
    Ok(String::from_utf8(text).unwrap())
}

/// 2020-01-02 03:04:05.000006, in microseconds.
const EXACT: i64 = 1_577_934_245_000_006;

/// Values, and what JSON has for them.
fn values() -> Vec<(Value, &'static str)> {
    let large = |digits: &str| {
        let message = holdall_convert::json::pack(digits.as_bytes()).unwrap();
        holdall::from_slice::<Value>(&message).unwrap()
    };
    vec![
        (int(TIMESTAMP, &[2, 1], EXACT), r#""2020-01-02T03:04:05.000006Z""#),
        (int(TIMESTAMP, &[2, 0], EXACT), r#""2020-01-02T03:04:05.000006""#),
        (at_offset(2, EXACT, 7200), r#""2020-01-02T05:04:05.000006+02:00""#),
        (at_offset(0, 0, -1800), r#""1969-12-31T23:30:00-00:30""#),
        (int(TIMESTAMP, &[0, 1], 0), r#""1970-01-01T00:00:00Z""#),
        (int(TIMESTAMP, &[1, 1], 120), r#""1970-01-01T00:00:00.12Z""#),
        (int(TIMESTAMP, &[3, 1], 1), r#""1970-01-01T00:00:00.000000001Z""#),
        (int(TIMESTAMP, &[2, 1], Value::I64(EXACT)), r#""2020-01-02T03:04:05.000006Z""#),
        // Beyond 64 bits.
        (
            logical(TIMESTAMP, &[3, 1], large("253402300799999999999")),
            r#""9999-12-31T23:59:59.999999999Z""#,
        ),
        (int(DATE, &[], 18_263), r#""2020-01-02""#),
        (int(DATE, &[], -719_162), r#""0001-01-01""#),
        (int(TIME, &[2], 3_723_000_004_i64), r#""01:02:03.000004""#),
        (int(TIME, &[0], 0), r#""00:00:00""#),
        // What stores them, where RFC 3339 has no text.
        (int(TIMESTAMP, &[0, 1], 253_402_300_800_i64), "253402300800"),
        (int(TIMESTAMP, &[0, 0], -62_135_596_801_i64), "-62135596801"),
        (logical(TIMESTAMP, &[3, 0], large("253402300800000000000")), "253402300800000000000"),
        (logical(TIMESTAMP, &[3, 0], large(&"9".repeat(50))), NINES),
        (at_offset(2, EXACT, 3601), "[1577934245000006,3601]"),
        (at_offset(0, 0, 86_400), "[0,86400]"),
        (
            logical(
                TIMESTAMP,
                &[3, 2],
                Value::tuple([large("253402300800000000000"), Value::I32(0)]),
            ),
            "[253402300800000000000,0]",
        ),
        (
            logical(TIMESTAMP, &[3, 2], Value::tuple([large(NINES), Value::I32(0)])),
            "[99999999999999999999999999999999999999999999999999,0]",
        ),
        (in_zone(EXACT, "Europe/Berlin"), r#"[1577934245000006,"Europe/Berlin"]"#),
        (int(DATE, &[], -719_163), "-719163"),
        (int(TIME, &[0], 86_400), "86400"),
        (int(DURATION, &[2], 5), "5"),
    ]
}

const NINES: &str = "99999999999999999999999999999999999999999999999999";

#[test]
fn dates_and_times_are_stored_as_text_in_formats_of_text() {
    for (value, json) in values() {
        let list = Value::list([value.clone(), Value::record([("a", value.clone())])]);
        assert_eq!(stored(Format::Json, &list).unwrap(), format!("[{json},{{\"a\":{json}}}]"));
        assert_eq!(stored(Format::Ndjson, &list).unwrap(), format!("{json}\n{{\"a\":{json}}}\n"));
        let rows = stored(Format::Csv, &Value::list([Value::record([("a", value.clone())])]));
        if json.starts_with('[') {
            let error = rows.unwrap_err();
            // Where it is known that there is no text: at the tuple of a zone, a number beyond all times, or an offset.
            let place = match json {
                _ if json.ends_with("\"]") => "",
                _ if json.starts_with(&format!("[{NINES}")) => "[0]",
                _ => "[1]",
            };
            assert_eq!(error.code(), Code::Unrepresentable, "{json}");
            assert_eq!(error.path(), format!("$[0].a{place}"), "{json}");
        } else {
            assert_eq!(rows.unwrap(), format!("a\n{}\n", json.trim_matches('"')));
        }
        let key = stored(Format::Json, &Value::map([(value.clone(), Value::from(1))]));
        if json.starts_with('"') {
            assert_eq!(key.unwrap(), format!("{{{json}:1}}"));
        } else {
            assert_eq!(key.unwrap_err().code(), Code::Unrepresentable, "{json}");
        }
        let copied = Unpacker::new(Format::Json).storage(true).copies(true).to_vec(&list);
        assert_eq!(copied.unwrap(), format!("[{json},{{\"a\":{json}}}]").as_bytes());
        // Not unless it is asked for.
        assert_eq!(Format::Json.to_vec(&list).unwrap_err().path(), "$[0]");
    }
}

#[test]
fn dates_and_times_stay_numbers_in_formats_of_bytes() {
    let local = Value::list([int(TIMESTAMP, &[2, 0], 7), int(TIME, &[2], 7), at_offset(0, 7, 60)]);
    for (format, bytes) in [
        (Format::Msgpack, &b"\x93\x07\x07\x92\x07\x3C"[..]),
        (Format::Cbor, b"\x83\x07\x07\x82\x07\x18\x3C"),
    ] {
        assert_eq!(Unpacker::new(format).storage(true).to_vec(&local).unwrap(), bytes);
    }
}

#[test]
fn texts_of_keys_that_become_equal_are_rejected() {
    let date = int(DATE, &[], 18_263);
    let map = Value::map([(date, Value::from(1)), (Value::from("2020-01-02"), Value::from(2))]);
    let error = stored(Format::Json, &map).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$"));
}

#[test]
fn types_that_holdall_derives_read_numbers_and_text_as_times() {
    type Row = std::collections::BTreeMap<String, SystemTime>;
    let when = [SystemTime::UNIX_EPOCH + Duration::from_secs(1)];
    let read = |data: &[u8]| Format::Json.from_slice::<Vec<SystemTime>>(data);
    assert_eq!(read(b"[1000000000]").unwrap(), when);
    let text = Unpacker::new(Format::Json).storage(true).to_vec(&when).unwrap();
    assert_eq!(read(&text).unwrap(), when);
    assert_eq!(read(br#"["1970-01-01T01:00:01.000+01:00"]"#).unwrap(), when);
    // Clocks without a zone are not points in time.
    let error = read(br#"["1970-01-01T00:00:01"]"#).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Incompatible, "$[]"));
    // In a format of bytes, text is text.
    let data = Format::Msgpack.to_vec(&["1970-01-01T00:00:01Z"]).unwrap();
    assert!(Format::Msgpack.from_slice::<Vec<SystemTime>>(&data).is_err());
    let rows = vec![Row::from([("a".to_owned(), when[0])])];
    let table = Unpacker::new(Format::Csv).storage(true).to_vec(&rows).unwrap();
    assert_eq!(table, b"a\n1970-01-01T00:00:01Z\n");
    assert_eq!(Format::Csv.from_slice::<Vec<Row>>(&table).unwrap(), rows);
}

#[cfg(feature = "serde")]
mod by_serde {
    use std::fmt::Debug;

    use holdall_convert::serde::from_slice;
    use serde::Deserialize;
    use serde::de::DeserializeOwned;

    use super::*;

    /// A type of serde reads what stores a value in each format of text.
    fn reads<T: DeserializeOwned + Debug + PartialEq>(value: &Value, read: &T) {
        for format in [Format::Json, Format::Ndjson] {
            let text = stored(format, &Value::list([value.clone()])).unwrap();
            let back: Vec<T> = from_slice(format, text.as_bytes()).unwrap();
            assert_eq!(&back[0], read, "{format:?}");
        }
        #[derive(Deserialize)]
        struct Row<T> {
            a: T,
        }
        let rows = Value::list([Value::record([("a", value.clone())])]);
        let text = stored(Format::Csv, &rows).unwrap();
        let back: Vec<Row<T>> = from_slice(Format::Csv, text.as_bytes()).unwrap();
        assert_eq!(&back[0].a, read, "csv");
    }

    #[test]
    fn types_of_chrono_jiff_and_time_read_the_text_of_dates_and_times() {
        use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};
        use jiff::{Timestamp, civil};

        let (utc, local) = (int(TIMESTAMP, &[2, 1], EXACT), int(TIMESTAMP, &[2, 0], EXACT));
        let (offset, date) = (at_offset(2, EXACT, 7200), int(DATE, &[], 18_263));
        let time = int(TIME, &[2], 3_723_000_004_i64);

        let moment = DateTime::<Utc>::from_timestamp_micros(EXACT).unwrap();
        reads(&utc, &moment);
        reads(&local, &moment.naive_utc());
        let east = FixedOffset::east_opt(7200).unwrap();
        reads::<DateTime<FixedOffset>>(&offset, &moment.with_timezone(&east));
        reads(&date, &NaiveDate::from_ymd_opt(2020, 1, 2).unwrap());
        reads(&time, &NaiveTime::from_hms_micro_opt(1, 2, 3, 4).unwrap());

        reads(&utc, &Timestamp::from_microsecond(EXACT).unwrap());
        reads(&offset, &Timestamp::from_microsecond(EXACT).unwrap());
        reads(&local, &civil::date(2020, 1, 2).at(3, 4, 5, 6000));
        reads(&date, &civil::date(2020, 1, 2));
        reads(&time, &civil::time(1, 2, 3, 4000));

        #[derive(Debug, PartialEq, Deserialize)]
        struct Rfc(#[serde(with = "time::serde::rfc3339")] time::OffsetDateTime);
        let own = time::OffsetDateTime::from_unix_timestamp_nanos(i128::from(EXACT) * 1000);
        reads(&utc, &Rfc(own.unwrap()));
        reads(&offset, &Rfc(own.unwrap()));

        // A time with a zone is not one without, and the other way round.
        let text = stored(Format::Json, &Value::list([utc])).unwrap();
        let error = from_slice::<Vec<NaiveDateTime>>(Format::Json, text.as_bytes()).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Custom, "$[0]"));
        let text = stored(Format::Json, &Value::list([local])).unwrap();
        let error = from_slice::<Vec<DateTime<Utc>>>(Format::Json, text.as_bytes()).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Custom, "$[0]"));
    }
}
