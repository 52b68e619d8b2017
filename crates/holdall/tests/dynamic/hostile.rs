//! Small inputs that claim much are read or rejected in no time (F-38).

use std::time::Duration;

use crate::common::{hex, message, varint};
use cpu_time::ThreadTime;
use holdall::trace::locate_columns;
use holdall::{Schema, Value, from_slice};

/// A megabyte takes a tenth of this limit. Quadratic code would take minutes.
const LONG: Duration = Duration::from_secs(3);

/// Reads a schema, alone and at the head of a message without rows of it.
#[track_caller]
fn check_schema(schema: &[u8]) -> String {
    let alone = [&[0], schema].concat();
    let start = ThreadTime::now();
    let result = Schema::from_bytes(&alone);
    // A list of none, so that only the schema is read.
    let message = message(&[&[0x16], schema].concat(), &[0]);
    let read = from_slice::<Value>(&message);
    let located = locate_columns(&message);
    assert!(start.elapsed() < LONG, "{:?} for {} bytes", start.elapsed(), schema.len());
    // The list is one level and one type more.
    let is_limit = |code: &str| code.starts_with("limit_");
    match (&result, &read, &located) {
        (Ok(_), Ok(_), Ok(_)) => "read".to_owned(),
        (Ok(_), Err(error), Err(_)) if is_limit(error.code().as_str()) => "read".to_owned(),
        (Err(error), Err(_), Err(_)) => error.code().to_string(),
        all => panic!("{all:?}"),
    }
}

/// Reads a message.
#[track_caller]
fn check_message(message: &[u8]) -> String {
    let start = ThreadTime::now();
    let result = from_slice::<Value>(message);
    let located = locate_columns(message);
    assert!(start.elapsed() < LONG, "{:?} for {} bytes", start.elapsed(), message.len());
    match result {
        Ok(_) => {
            assert!(located.is_ok());
            "read".to_owned()
        }
        Err(error) => error.code().to_string(),
    }
}

/// A tuple of this many types.
fn tuple(count: usize, types: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let types: Vec<u8> = types.into_iter().flatten().collect();
    [hex("18"), varint(count as u64), types].concat()
}

/// A type nested in this many others of one code.
fn nested(levels: usize, code: &str, innermost: &str) -> Vec<u8> {
    [hex(code).repeat(levels), hex(innermost)].concat()
}

#[test]
fn a_megabyte_of_tensors_and_packed_types_is_read_in_no_time() {
    for code in ["1D", "1E"] {
        // The maximum depth, as often as possible.
        let deep = [hex(code), nested(120, "18 02", "02")].concat();
        let schema = tuple(2000, vec![deep; 2000]);
        assert_eq!(check_schema(&schema), "read");
        let wide = [hex(code), tuple(100, vec![vec![0x02]; 100])].concat();
        assert_eq!(check_schema(&tuple(2500, vec![wide; 2500])), "read");
        let arrays = [hex(code), nested(100, "17 02", "02")].concat();
        assert_eq!(check_schema(&tuple(2000, vec![arrays; 2000])), "read");
        assert_eq!(check_schema(&nested(1 << 19, code, "02")), "bad_packed");
        // One after the other, until there are too many.
        let schema = tuple(300_000, vec![hex(&format!("{code} 02")); 300_000]);
        assert_eq!(check_schema(&schema), "limit_sites");
    }
}

#[test]
fn bools_in_packed_rows_and_tensors_are_checked_in_no_time() {
    let rows = 8_000;
    for levels in [1, 10, 100] {
        for code in ["18 02", "17 02"] {
            // A list of packed rows of one byte, and tensors of one element.
            let inner = nested(levels, code, "02");
            let list = [hex("16 1E"), inner.clone()].concat();
            let block = [varint(rows), hex("48"), vec![1; rows as usize]].concat();
            assert_eq!(check_message(&message(&list, &block)), "read");
            let list = [hex("16 1D"), inner.clone()].concat();
            let block = [varint(rows), hex("00 50 48"), vec![1; rows as usize]].concat();
            assert_eq!(check_message(&message(&list, &block)), "read");
            // One tensor of a megabyte.
            let tensor = [hex("1D"), inner].concat();
            let block = [hex("02"), varint(1 << 20), hex("00 48"), vec![1; 1 << 20]].concat();
            assert_eq!(check_message(&message(&tensor, &block)), "read");
            let mut bad = message(&tensor, &block);
            *bad.last_mut().unwrap() = 2;
            assert_eq!(check_message(&bad), "bad_bool");
        }
    }
    // Tensors and packed rows as wide as possible, with a bool at the end of each element.
    let width = 1_u64 << 20;
    let wide = [hex("18 04 14"), varint(width - 1), hex("02")].concat();
    let mut elements = vec![7; width as usize];
    *elements.last_mut().unwrap() = 1;
    let tensor = [hex("1D"), wide.clone()].concat();
    assert_eq!(
        check_message(&message(&tensor, &[hex("00 00 48"), elements.clone()].concat())),
        "read"
    );
    let packed = [hex("1E"), wide].concat();
    assert_eq!(check_message(&message(&packed, &[hex("48"), elements].concat())), "read");
}

#[test]
fn names_parameters_and_unknown_types_are_read_in_no_time() {
    // Extensions with ever new names.
    let extensions = (0..100_000).map(|number| {
        let name = format!("e{number}");
        [hex("23"), varint(2 * name.len() as u64), name.into_bytes(), hex("01")].concat()
    });
    assert_eq!(check_schema(&tuple(100_000, extensions)), "read");
    // Logical types and types of later versions, with a megabyte of parameters and with none.
    for code in ["22 E0", "E0"] {
        let parameters = [hex(code), varint(1 << 20), vec![0xFF; 1 << 20], hex("01")].concat();
        let code_of = check_schema(&parameters);
        assert!(["read", "trailing_bytes"].contains(&code_of.as_str()), "{code_of}");
    }
    assert_eq!(check_schema(&tuple(200_000, vec![hex("E0 00"); 200_000])), "read");
    assert_eq!(check_schema(&tuple(100_000, vec![hex("22 0A 00 16 01"); 100_000])), "limit_sites");
    assert_eq!(check_schema(&nested(1 << 18, "22 E0 00", "01")), "limit_nesting");
    assert_eq!(check_schema(&nested(1 << 18, "17 02", "01")), "limit_nesting");
}
