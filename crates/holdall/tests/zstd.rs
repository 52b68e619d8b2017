//! What a build reads and writes of compressed columns: its features change no byte. `make targets` runs this without
//! them.
#![allow(clippy::assertions_on_constants, reason = "features decide them")]

use crate::common::vectors::{Form, valid};
use holdall::{Code, Encoder, Header, Profile, Value, ValueBuilder, from_slice};

/// The result of a build for an input that needs zstd.
#[derive(Debug, PartialEq)]
enum Outcome {
    Done,
    Unsupported,
}

const fn outcome(is_there: bool) -> Outcome {
    if is_there { Outcome::Done } else { Outcome::Unsupported }
}

const READS: Outcome = outcome(cfg!(any(feature = "zstd", feature = "ruzstd")));
const WRITES: Outcome = outcome(cfg!(feature = "zstd"));

#[test]
fn a_column_in_a_zstd_frame_is_read_or_unsupported() {
    let name = |name: &str| name.starts_with("zstd_") && !name.contains("before");
    let vectors: Vec<_> = valid()
        .into_iter()
        .filter(|vector| vector.input.form == Form::Message && name(&vector.name))
        .collect();
    assert!(vectors.len() > 20);
    for vector in vectors {
        let read = vector.input.decode(&mut ValueBuilder::new());
        let Err(error) = read else {
            assert_eq!(Outcome::Done, READS, "{}", vector.name);
            continue;
        };
        assert_eq!(Outcome::Unsupported, READS, "{}: {error}", vector.name);
        let at = vector.input.bytes.windows(5).position(|bytes| bytes.ends_with(&[0x28, 0xB5]));
        assert_eq!(error.code(), Code::Unsupported, "{}: {error}", vector.name);
        let offset = error.offset().unwrap() as usize;
        assert_eq!(vector.input.bytes[offset], 0x70, "{}", vector.name);
        assert!(offset < at.unwrap() + 3, "{}", vector.name);
        assert!(error.to_string().contains("expected a build with the feature zstd or ruzstd"));
    }
}

#[test]
fn profile_small_is_written_or_unsupported() {
    let value = Value::from(vec!["abc"; 100]);
    for header in [Header::Schema, Header::Bare] {
        for checksum in [false, true] {
            let mut encoder = Encoder::new().profile(Profile::Small);
            encoder = encoder.header(header).checksum(checksum);
            let all = [
                encoder.encode(&value),
                encoder.encode(&vec!["abc"; 100]),
                // Also without anything to compress: whether a program works must not depend on its data.
                encoder.encode(&1_u8),
                encoder.body(&mut &value).map(|body| body.bytes),
            ];
            for written in all {
                match written {
                    Ok(_) => assert_eq!(Outcome::Done, WRITES),
                    Err(error) => {
                        assert_eq!(Outcome::Unsupported, WRITES, "{error}");
                        let text = "unsupported: expected a build with the feature zstd, got profile small";
                        assert_eq!(error.to_string(), text);
                    }
                }
            }
        }
    }
}

#[test]
fn the_other_profiles_have_the_same_bytes_in_each_build() {
    // A frame of 4 bits, and 8 differences of 1 in a bit each.
    let bytes: [(_, &[u8]); 2] = [
        (Profile::Fast, b"\xC1\x10\x16\x03\x12\x04\x10\x32\x54\x76\x08"),
        (Profile::Balanced, b"\xC1\x10\x16\x03\x12\x41\x00\x01\xFF"),
    ];
    let value = Value::from((0..9).collect::<Vec<_>>());
    for (profile, bytes) in bytes {
        assert_eq!(Encoder::new().profile(profile).encode(&value).unwrap(), bytes);
        assert!(from_slice::<Value>(bytes).unwrap() == value);
    }
}
