//! Deep, wide and long texts: no recursion, and at most linear time.

use std::time::Duration;

use cpu_time::ThreadTime;
use holdall::{BigInt, Code, Value};
use holdall_convert::json::{pack, unpack};

fn comes_back(text: &str) {
    let message = pack(text.as_bytes()).unwrap();
    // No assert_eq: it would print megabytes.
    assert!(unpack(&message).unwrap() == text.as_bytes());
}

/// Runs on a stack that recursion would soon exhaust.
fn on_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap();
    thread.join().unwrap();
}

#[test]
fn a_hundred_thousand_levels_of_arrays() {
    on_small_stack(|| comes_back(&("[".repeat(100_000) + &"]".repeat(100_000))));
}

#[test]
fn a_hundred_thousand_levels_of_objects() {
    on_small_stack(|| comes_back(&("{\"a\":".repeat(100_000) + "1" + &"}".repeat(100_000))));
}

#[test]
fn a_hundred_thousand_levels_of_both() {
    on_small_stack(|| comes_back(&("[1,{\"a\":".repeat(50_000) + "null" + &"}]".repeat(50_000))));
}

#[test]
fn a_hundred_thousand_levels_end_in_an_error() {
    on_small_stack(|| {
        let error = pack("[{\"a\":".repeat(50_000).as_bytes()).unwrap_err();
        assert_eq!(error.offset(), Some(300_000));
    });
}

#[test]
fn integers_of_a_hundred_thousand_digits() {
    let digits = "1234567890".repeat(10_000);
    comes_back(&digits);
    comes_back(&format!("[-{digits},1,{digits}0]"));
    // jiter reads integers of up to 4,300 digits.
    for len in [4299, 4300, 4301, 4302] {
        comes_back(&digits[..len]);
        comes_back(&format!("-{}", &digits[..len]));
        let error = pack(format!("{}.5", &digits[..len]).as_bytes()).unwrap_err();
        assert_eq!(error.offset(), Some(0));
    }
    assert_eq!(
        unpack(&pack(format!("{digits}e-99999").as_bytes()).unwrap()).unwrap(),
        b"1.2345678901234567"
    );
}

/// More would take longer than linear time.
#[test]
fn integers_have_at_most_131072_digits() {
    let digits = "9".repeat(131_072);
    comes_back(&format!("[{digits},-{digits}]"));
    for (text, bytes) in [
        (format!("{{\"a\":[1,9{digits}]}}"), 131_073),
        (format!("{{\"a\":[1,-9{digits}]}}"), 131_074),
    ] {
        let error = pack(text.as_bytes()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "bad_input at offset 8 in $.a[1]: expected an integer of at most 131072 digits; store text for more, got one of {bytes} bytes"
            )
        );
    }
    // Integers of 54,427 bytes have 131,072 digits or one more.
    let mut bytes = vec![0; 54_426];
    for (last, has_many) in [(13, false), (14, true), (0xF3, false), (0xF2, true)] {
        bytes.push(last);
        let value = Value::list([BigInt::from_le_bytes(&bytes).unwrap().into()]);
        let written = unpack(&holdall::to_vec(&value).unwrap());
        assert_eq!(written.is_err(), has_many, "{last}");
        if let Err(error) = written {
            assert_eq!(
                error.to_string(),
                "unrepresentable in $[0]: expected an integer of at most 131072 digits; store text for more, got one of 54427 bytes"
            );
        }
        bytes.pop();
    }
    bytes.resize(1_000_000, 0);
    bytes.push(1);
    let value = Value::from(BigInt::from_le_bytes(&bytes).unwrap());
    let error = unpack(&holdall::to_vec(&value).unwrap()).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$"));
}

#[test]
fn decimals_of_a_hundred_thousand_digits() {
    let text = format!("0.{}1e100000", "0".repeat(100_000));
    assert_eq!(unpack(&pack(text.as_bytes()).unwrap()).unwrap(), b"0.1");
}

/// The time for a text of this size, the best of a few.
fn time(text: &str) -> Duration {
    let runs = (0..3).map(|_| {
        let start = ThreadTime::now();
        let message = pack(text.as_bytes()).unwrap();
        assert!(unpack(&message).unwrap() == text.as_bytes());
        start.elapsed()
    });
    runs.min().unwrap_or_default()
}

/// Ten times the text may take forty times as long, because caches differ; quadratic code would take a
/// hundred.
fn is_linear(make: impl Fn(usize) -> String) {
    let (small, large) = (time(&make(5_000)), time(&make(50_000)));
    assert!(large < small * 40 + Duration::from_millis(100), "{small:?}, then {large:?}");
}

#[test]
fn nested_objects_with_siblings_take_linear_time() {
    // Finding an inner object's keys by reading its values would walk each level once for each level above.
    is_linear(|count| "{\"a\":1,\"b\":[2],\"c\":".repeat(count) + "{}" + &"}".repeat(count));
}

#[test]
fn wide_objects_take_linear_time() {
    is_linear(|count| {
        let entries: Vec<String> =
            (0..count).map(|key| format!("\"k{key}\":{{\"v\":[1]}}")).collect();
        format!("{{{}}}", entries.join(","))
    });
}

#[test]
fn long_strings_of_escapes_take_linear_time() {
    is_linear(|count| format!("[\"{}\",\"{}\"]", "\\n".repeat(count), "a".repeat(count)));
}

#[test]
fn many_escaped_strings_take_linear_time() {
    is_linear(|count| format!("[{}0]", "\"\\n\",".repeat(count)));
}
