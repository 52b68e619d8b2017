//! `holdall::serde`: everything that serde can express survives.

mod attributes;
mod borrowing;
mod containers;
mod errors;
mod evolution;
mod hostile;
mod laws;
mod limits;
mod mapping;
mod reading;
mod std_types;
mod tagging;
mod values;

use std::fmt::Debug;

use holdall::serde::{from_slice, from_value, source, to_value, to_vec};
use holdall::{Encoder, Profile, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;

const PROFILES: [Profile; 3] = [Profile::Fast, Profile::Balanced, Profile::Small];

/// Writes a value in all profiles and reads it, also through a `Value`; returns the bytes.
#[track_caller]
pub fn round<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> Vec<u8> {
    let bytes = to_vec(value).expect("can be written");
    for profile in PROFILES {
        let mut encoder = Encoder::new().profile(profile).checksum(true);
        let message = encoder.message(&mut source(value)).expect("can be written");
        assert_eq!(&from_slice::<T>(&message).expect("can be read"), value, "{profile:?}");
        // The cache of an encoder does not show.
        assert_eq!(encoder.message(&mut source(value)).expect("again"), message);
    }
    let dynamic = to_value(value).expect("is a value");
    assert_eq!(holdall::to_vec(&dynamic).expect("can be written"), bytes);
    assert_eq!(&from_value::<T>(&dynamic).expect("can be read"), value);
    let read = holdall::from_slice(&bytes).expect("can be read");
    assert_eq!(&from_value::<T>(&read).expect("can be read"), value);
    bytes
}

/// The text of a message's schema.
#[track_caller]
pub fn schema(message: &[u8]) -> String {
    Schema::of_message(message).expect("has a schema").to_string()
}

/// A value survives, and has this schema.
#[track_caller]
pub fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T, expected: &str) {
    assert_eq!(schema(&round(&value)), expected);
}
