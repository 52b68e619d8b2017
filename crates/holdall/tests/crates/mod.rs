//! Types of other crates: their schemas and bytes, what they read of each other, and what they reject.

mod across;
mod arrays;
mod canonical;
mod containers;
mod geometry;
mod json;
mod made;
mod numbers;
mod parsed;
mod refusals;
mod times;

use std::fmt::Debug;

use holdall::{DecodeOwned, Decoder, Encode, Encoder, Header, Value, from_slice, to_vec};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

/// Each value has these bytes without a schema, and survives through them, through a message and through `Value`.
///
/// Compared by `Debug`, since some types compare equal although their contents differ.
#[track_caller]
fn table<T: Encode + DecodeOwned + Debug>(schema: &str, rows: &[(T, &str)]) {
    assert_eq!(T::schema().unwrap().to_string(), schema);
    for (value, expected) in rows {
        let text = format!("{value:?}");
        let body = Encoder::new().header(Header::Bare).encode(value).unwrap();
        assert_eq!(hex(&body), *expected, "{text}");
        let back: T = Decoder::new().decode_body(&body).unwrap();
        assert_eq!(format!("{back:?}"), text, "from a body");
        let message = to_vec(value).unwrap();
        let back: T = from_slice(&message).unwrap();
        assert_eq!(format!("{back:?}"), text, "from a message");
        let value: Value = from_slice(&message).unwrap();
        let back: T = from_slice(&to_vec(&value).unwrap()).unwrap();
        assert_eq!(format!("{back:?}"), text, "by way of Value");
    }
}

/// Reads a value of one type as a value of another.
#[track_caller]
fn reads<T: DecodeOwned + Debug>(written: &impl Encode, expected: &T) {
    let value: T = from_slice(&to_vec(written).unwrap()).unwrap();
    assert_eq!(format!("{value:?}"), format!("{expected:?}"));
}

/// The code and path of the error when writing a value, or when reading it as another type.
#[track_caller]
fn refused<T: DecodeOwned + Debug>(written: &impl Encode) -> (&'static str, String) {
    let read = to_vec(written).and_then(|message| from_slice::<T>(&message));
    let error = read.expect_err("a refusal");
    (error.code().as_str(), error.path().to_owned())
}
