//! `Value` inside derived types, and fields that a type keeps without knowing them.

mod laws;
mod sites;
mod streams;
mod unknown;
mod unknown_places;

use std::fmt::Debug;

use holdall::value::Record;
use holdall::{DecodeOwned, Decoder, Encode, Encoder, Profile, Schema, Value, from_slice, to_vec};

/// A value has this schema, and is read back.
#[track_caller]
fn check<T: Encode + DecodeOwned + Debug + PartialEq>(value: &T, schema: &str) -> Vec<u8> {
    let bytes = to_vec(value).unwrap();
    assert_eq!(Schema::of_message(&bytes).unwrap().to_string(), schema);
    assert_eq!(&from_slice::<T>(&bytes).unwrap(), value);
    assert_eq!(holdall::encoded_len(value).unwrap(), bytes.len());
    let mut encoder = Encoder::new();
    for _ in 0..2 {
        assert_eq!(encoder.encode_ref(value).unwrap(), bytes, "an earlier message changes nothing");
    }
    for profile in [Profile::Balanced, Profile::Small] {
        let encoder = Encoder::new().profile(profile).length(true).checksum(true);
        let bytes = encoder.threads(2).encode(value).unwrap();
        let mut back: T = from_slice(&bytes).unwrap();
        assert_eq!(&back, value);
        Decoder::new().decode_into(&bytes, &mut back).unwrap();
        assert_eq!(&back, value);
    }
    bytes
}

fn record<const N: usize>(all: [(&str, Value); N]) -> Value {
    Value::record(all)
}

fn fields<const N: usize>(all: [(&str, Value); N]) -> Record {
    all.into_iter().map(|(name, value)| (name.into(), value)).collect()
}
