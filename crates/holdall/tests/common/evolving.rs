//! Schemas, and faults as text, for tests of reading with another schema.

use holdall::{Error, Result, Schema, Value, to_vec};

use super::hex;

/// A schema on its own, with its number of definitions.
pub fn schema(digits: &str) -> Schema {
    Schema::from_bytes(&hex(digits)).unwrap_or_else(|error| panic!("{digits}: {error}"))
}

pub fn schema_of(value: &Value) -> Schema {
    Schema::of_message(&to_vec(value).unwrap()).unwrap()
}

pub fn fault(error: &Error) -> String {
    format!("{} in {}", error.code(), error.path())
}

pub fn text_value(text: &str) -> Value {
    Value::from(text)
}

pub fn on_error(read: Result<Value>) -> Error {
    read.map(|_| ()).unwrap_err()
}

/// #0 where #0 = struct N {next: option(#0), v: f64}
pub const NODES: &str = "02 1F 00 19 04 4E 10 10 6E 65 78 74 15 1F 00 04 76 11";
