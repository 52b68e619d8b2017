//! The envelope: length, checksum, metadata and alignment leave the value unchanged, and their faults are detected.

mod faults;
mod options;
mod padding;

use std::io::Read;

use crate::common::chance::{Chance, rounds};
use crate::common::mutate::mutate;
use crate::common::refusals::{is_rewritten, refusals};
use crate::common::vectors::{Form, fault, valid};
use crate::common::{hex, tagged, varint};
use holdall::trace::locate_columns;
use holdall::{
    Alignment, Code, DType, Decoder, Encoder, Header, IntKind, Limits, Metadata, Profile, Schema,
    Tensor, Value, ValueBuilder, from_slice, message_len, to_vec,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// An aligned message: the block from offset 64 on.
fn aligned(schema: &str, block: &str) -> Vec<u8> {
    let mut out = hex(&format!("C1 14 {schema}"));
    out.resize(64, 0);
    out.extend(hex(block));
    out
}

/// CRC-32C bit by bit: the tests' own.
fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ ((crc & 1) * 0x82F6_3B78))
    })
}

/// A message with its length, `behind` being what follows that, and with the checksum if the flags have it.
fn with_length(flags: u8, extended: u8, behind: &[u8]) -> Vec<u8> {
    let has_checksum = extended & 2 != 0;
    let rest = behind.len() + if has_checksum { 4 } else { 0 };
    let fitting = (1..9)
        .map(|len| (3 + len + rest) as u64)
        .find(|len| varint(*len).len() + 3 + rest == *len as usize);
    let mut out = [&[0xC1, flags, extended][..], &varint(fitting.unwrap()), behind].concat();
    if has_checksum {
        out.extend(crc32c(&out).to_le_bytes());
    }
    out
}

fn metadata(pairs: &[(&str, &str)]) -> Metadata {
    Metadata::new(pairs.iter().copied()).unwrap()
}

/// Encoders with each combination of options.
fn encoders(profile: Profile, header: Header) -> Vec<Encoder> {
    let mut all = Vec::new();
    for options in 0..24 {
        let encoder = Encoder::new().profile(profile).header(header);
        let encoder = encoder.length(options & 1 != 0).checksum(options & 2 != 0);
        let encoder = match options & 4 {
            0 => encoder,
            _ => encoder.metadata(metadata(&[("source", "a test"), ("", "")])),
        };
        all.push(encoder.aligned(match options >> 3 {
            0 => Alignment::Automatic,
            1 => Alignment::Off,
            _ => Alignment::On,
        }));
    }
    all
}

fn decoded(message: &[u8], schema: Option<&Schema>) -> holdall::Result<Value> {
    let mut decoder = Decoder::new();
    schema.into_iter().for_each(|schema| decoder.add_schema(schema));
    let mut builder = ValueBuilder::new();
    decoder.message(message, &mut builder)?;
    builder.finish()
}

fn outcome(message: &[u8]) -> String {
    from_slice::<Value>(message).map_or_else(|error| fault(&error), |value| format!("{value:?}"))
}

fn is_aligned(message: &[u8]) -> bool {
    message[1] & 4 != 0
}

/// The number of bytes before a message's schema.
fn preamble_len(message: &[u8]) -> usize {
    let mut at = 2;
    let number = |at: &mut usize| {
        let len = message[*at].trailing_ones() as usize + 1;
        let mut word = [0; 16];
        word[..len].copy_from_slice(&message[*at..*at + len]);
        *at += len;
        (u128::from_le_bytes(word) >> len.min(8)) as usize & (usize::MAX >> 1)
    };
    if message[1] & 8 != 0 {
        at += 1;
        if message[2] & 4 != 0 {
            number(&mut at);
        }
        if message[2] & 1 != 0 {
            for _ in 0..2 * number(&mut at) {
                let len = number(&mut at);
                at += len;
            }
        }
    }
    at
}

#[test]
fn each_option_has_its_bytes() {
    let seven = &Value::U8(7);
    let foo = || metadata(&[("foo", "bar")]);
    let zeros = |count: usize| "00".repeat(count);
    let table = [
        (Encoder::new(), "C1 10 04 07".to_owned()),
        (Encoder::new().length(true), "C1 18 04 0C 04 07".to_owned()),
        (Encoder::new().checksum(true), "C1 18 06 14 04 07 395F2A50".to_owned()),
        (Encoder::new().metadata(Metadata::default()), "C1 10 04 07".to_owned()),
        (Encoder::new().metadata(foo()), "C1 18 01 02 06666F6F 06626172 04 07".to_owned()),
        (
            Encoder::new().metadata(foo()).length(true),
            "C1 18 05 1E 02 06666F6F 06626172 04 07".to_owned(),
        ),
        // The example of the spec.
        (
            Encoder::new().metadata(foo()).checksum(true),
            "C1 18 07 26 02 06666F6F 06626172 04 07 5B18D048".to_owned(),
        ),
        (Encoder::new().aligned(Alignment::On), format!("C1 14 04 {} 07", zeros(61))),
        (Encoder::new().aligned(Alignment::Off), "C1 10 04 07".to_owned()),
        (Encoder::new().aligned(Alignment::Automatic), "C1 10 04 07".to_owned()),
        // 65 bytes: the head with its length, type, padding to a multiple of 64, row.
        (
            Encoder::new().aligned(Alignment::On).length(true),
            format!("C1 1C 04 82 04 {} 07", zeros(59)),
        ),
        (
            Encoder::new().aligned(Alignment::On).metadata(foo()),
            format!("C1 1C 01 02 06666F6F 06626172 04 {} 07", zeros(51)),
        ),
        (
            Encoder::new().header(Header::Fingerprint).length(true),
            format!("C1 19 04 1A {} 07", fingerprint(seven)),
        ),
        (Encoder::new().header(Header::Bare).checksum(true).metadata(foo()), "07".to_owned()),
        (Encoder::new().header(Header::Bare).aligned(Alignment::On), "07".to_owned()),
    ];
    for (mut encoder, expected) in table {
        let bytes = encoder.message(&mut &*seven).unwrap();
        assert_eq!(bytes, hex(&expected), "{bytes:02X?}");
    }
}

fn fingerprint(value: &Value) -> String {
    let schema = Schema::of_message(&to_vec(value).unwrap()).unwrap();
    schema.fingerprint().to_le_bytes().map(|byte| format!("{byte:02X}")).concat()
}

#[test]
fn the_checksum_is_that_of_the_spec() {
    assert_eq!(crc32c(b"123456789"), 0xE306_9283);
    let bytes = Encoder::new().checksum(true).message(&mut &Value::from("123456789")).unwrap();
    let (before, checksum) = bytes.split_at(bytes.len() - 4);
    assert_eq!(checksum, crc32c(before).to_le_bytes());
}

#[test]
fn definitions_and_extended_flags_go_together() {
    let link = |next| Value::record([("next", next)]);
    let mut value = Value::Null;
    for _ in 0..3 {
        value = link(value);
    }
    for mut encoder in encoders(Profile::Fast, Header::Schema) {
        let bytes = encoder.message(&mut &value).unwrap();
        assert_eq!(bytes[1] & 2, to_vec(&value).unwrap()[1] & 2);
        assert_eq!(from_slice::<Value>(&bytes).unwrap(), value);
    }
}

/// Reads one message, and not a byte more.
fn next_message(connection: &mut impl Read) -> Vec<u8> {
    let mut message = vec![0; 4];
    connection.read_exact(&mut message).unwrap();
    let len = loop {
        match message_len(&message).unwrap() {
            Some(len) => break len,
            None => {
                message.push(0);
                connection
                    .read_exact(message.last_mut().map(std::slice::from_mut).unwrap())
                    .unwrap();
            }
        }
    };
    assert!(message.len() <= 12 && message.len() <= len);
    let here = message.len();
    message.resize(len, 0);
    connection.read_exact(&mut message[here..]).unwrap();
    message
}

#[test]
fn a_reader_takes_no_byte_of_the_next_message() {
    let lengths = [0, 1, 50, 110, 120, 130, 16_000, 16_400, 3_000_000];
    for mut encoder in encoders(Profile::Fast, Header::Schema) {
        encoder = encoder.length(true);
        let mut messages = vec![encoder.message(&mut &Value::Null).unwrap()];
        for len in lengths {
            messages.push(encoder.message(&mut &Value::from("x".repeat(len))).unwrap());
        }
        let stream = messages.concat();
        let mut connection = &stream[..];
        for message in &messages {
            assert!(next_message(&mut connection) == *message);
        }
        assert!(connection.is_empty());
    }
}

#[test]
fn the_length_is_known_after_at_most_12_bytes() {
    let len = |text: &str| message_len(&hex(text)).map_err(|error| fault(&error));
    for short in ["", "C1", "C1 18", "C1 18 04", "C1 18 04 01", "C1 18 04 FF 00000000000000"] {
        assert_eq!(len(short), Ok(None), "{short}");
    }
    assert_eq!(len("C1 18 04 0A"), Ok(Some(5)));
    assert_eq!(len("C1 18 04 08"), Ok(Some(4)));
    assert_eq!(len("C1 18 04 06"), Err("truncated @ 4".to_owned()));
    assert_eq!(len("C1 18 04 00"), Err("truncated @ 4".to_owned()));
    assert_eq!(len("C1 18 06 10"), Ok(Some(8)));
    assert_eq!(len("C1 18 06 0E"), Err("truncated @ 4".to_owned()));
    assert_eq!(len("C1 18 05 0A 00"), Ok(Some(5)));
    assert_eq!(len("C1 1F 07 02").unwrap_err(), "bad_flags @ 1");
    assert_eq!(len("C1 1D 07 FE 00 00"), Ok(Some(127)));
    assert_eq!(len("C1 18 04 01 02"), Ok(Some(128)));
    // The greatest length on a machine of 32 bits.
    let beyond = usize::try_from(1_u64 << 56).unwrap_or(usize::MAX);
    assert_eq!(len("C1 18 04 FF 0000000000000001"), Ok(Some(beyond)));
    assert_eq!(len("C1 18 04 FF FFFFFFFFFFFFFFFF"), Ok(Some(usize::MAX)));
    assert_eq!(len("C1 18 04 05 00"), Err("varint_overlong @ 3".to_owned()));
    assert_eq!(len("C1 10"), Err("unsupported @ 1".to_owned()));
    assert_eq!(len("C1 18 01"), Err("unsupported @ 2".to_owned()));
    assert_eq!(len("C1 18 02"), Err("bad_flags @ 2".to_owned()));
    assert_eq!(len("7B"), Err("bad_magic @ 0".to_owned()));
    assert_eq!(len("C1 F0"), Err("unsupported @ 1".to_owned()));
}

#[test]
fn metadata_are_read_without_what_follows_them() {
    let pairs = metadata(&[("b", "1"), ("a", "2"), ("odd \u{e4} name", ""), ("", "x")]);
    let value = Value::from(vec![1, 2, 3, 4]);
    for encoder in encoders(Profile::Fast, Header::Fingerprint) {
        let message = encoder.metadata(pairs.clone()).message(&mut &value).unwrap();
        let end = preamble_len(&message);
        assert_eq!(Metadata::of_message(&message).unwrap(), pairs);
        assert_eq!(Metadata::of_message(&message[..end]).unwrap(), pairs);
        for end in 0..end {
            let error = Metadata::of_message(&message[..end]).unwrap_err();
            assert_eq!(error.code(), Code::Truncated, "{end} bytes: {error}");
        }
        // Of several messages, those of the first.
        let two = [&message[..], &message].concat();
        assert_eq!(Metadata::of_message(&two).unwrap(), pairs);
    }
    assert_eq!(Metadata::of_message(&[0xC1, 0x10]).unwrap(), Metadata::default());
    assert_eq!(Metadata::of_message(&hex("C1 18 04 0A")).unwrap(), Metadata::default());
    // They do not go on in the next message.
    let cut = Metadata::of_message(&hex("C1 18 05 0E 02 04 61 62 02 63")).unwrap_err();
    assert_eq!(fault(&cut), "truncated @ 6");
    assert_eq!(fault(&Metadata::of_message(b"{}").unwrap_err()), "bad_magic @ 0");
}

#[test]
fn metadata_keep_their_order_and_differ_in_their_keys() {
    let pairs = metadata(&[("b", "1"), ("a", "2")]);
    assert_eq!(pairs.iter().collect::<Vec<_>>(), [("b", "1"), ("a", "2")]);
    assert_eq!((pairs.get("a"), pairs.get("c"), pairs.len()), (Some("2"), None, 2));
    assert!(!pairs.is_empty() && Metadata::default().is_empty());
    let twice = |key: &str| Metadata::new([(key, "1"), ("x", "2"), (key, "1")]).unwrap_err();
    let error = twice("a");
    assert_eq!((error.code(), error.path()), (Code::DuplicateName, "metadata.a"));
    assert_eq!(twice("odd name").path(), "metadata[\"odd name\"]");
}

#[test]
fn a_limit_of_output_counts_the_envelope() {
    let value = Value::from(vec![0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]);
    for header in [Header::Schema, Header::Fingerprint, Header::Bare] {
        for number in 0..encoders(Profile::Fast, header).len() {
            let write = |limits| {
                let encoder = encoders(Profile::Fast, header).swap_remove(number).limits(limits);
                { encoder }.message(&mut &value)
            };
            let bytes = write(Limits::new()).unwrap();
            for len in 0..bytes.len() {
                let error = write(Limits::new().output(len)).unwrap_err();
                assert_eq!(error.code(), Code::LimitOutput, "{len} of {}", bytes.len());
            }
            assert_eq!(write(Limits::new().output(bytes.len())).unwrap(), bytes);
        }
    }
}

#[test]
fn a_decoder_sees_the_schema_of_each_message() {
    let (one, two) = (Value::from(vec![1, 2]), Value::from(vec!["a", "b"]));
    let mut decoder = Decoder::new();
    for value in [&one, &two, &one] {
        for mut encoder in encoders(Profile::Fast, Header::Schema) {
            let mut message = encoder.message(&mut &*value).unwrap();
            let mut builder = ValueBuilder::new();
            decoder.message(&message, &mut builder).unwrap();
            assert_eq!(builder.finish().unwrap(), *value);
            // A known schema does not keep it from looking at the checksum.
            if message[1] & 8 != 0 && message[2] & 2 != 0 {
                *message.last_mut().unwrap() ^= 1;
                let error = decoder.message(&message, &mut ValueBuilder::new()).unwrap_err();
                assert_eq!(error.code(), Code::BadChecksum);
            }
        }
    }
}
