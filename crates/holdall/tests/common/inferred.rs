//! The inferred schema of a value as text, for tests of inference.

use holdall::{Schema, Value, from_slice, to_vec};

use super::make::{int, record, record_of};

/// Returns the schema of a value as text; the value must survive a round trip.
pub fn schema_of(value: &Value) -> String {
    let bytes = to_vec(value).unwrap();
    let back = from_slice::<Value>(&bytes).unwrap_or_else(|error| panic!("{value:?}: {error}"));
    assert!(back == *value, "expected {value:?}\n  got      {back:?}");
    assert!(to_vec(&back).unwrap() == bytes, "{value:?} is written as other bytes afterwards");
    Schema::of_message(&bytes).unwrap().to_string()
}

/// Checks all values, and reports all failures together.
pub fn check(table: impl IntoIterator<Item = (Value, &'static str)>) {
    let mut faults = Vec::new();
    for (value, expected) in table {
        let got = schema_of(&value);
        if got != expected {
            faults.push(format!("{value:.300?}\n  expected {expected}\n  got      {got}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A record of these keys, in this order, with the value 0 at each.
pub fn keys(keys: &str) -> Value {
    record_of(keys, &int(0))
}

/// A record of the keys `k<first>` to `k<last>`.
pub fn numbered(keys: std::ops::Range<usize>) -> Value {
    let keys: Vec<String> = keys.map(|key| format!("k{key}")).collect();
    record(keys.iter().map(|key| (&**key, int(0))))
}

/// `name: type` for each of the keys `k<first>` to `k<last>`.
pub fn fields(keys: std::ops::Range<usize>, ty: &str) -> String {
    keys.map(|key| format!("k{key}: {ty}")).collect::<Vec<_>>().join(", ")
}
