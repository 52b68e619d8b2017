//! The envelope: length, checksum, metadata and alignment leave the value as it is, and what is wrong with them is noticed.

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

/// How many bytes stand ahead of a message's schema.
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

/// An aligned message: the block from offset 64 on.
fn aligned(schema: &str, block: &str) -> Vec<u8> {
    let mut out = hex(&format!("C1 14 {schema}"));
    out.resize(64, 0);
    out.extend(hex(block));
    out
}

#[test]
fn each_fault_has_its_code_and_offset() {
    let sealed = |behind: &str| with_length(0x18, 6, &hex(behind));
    let block = |block: String| aligned("16 11", &block);
    let row = "00 00 00 00 00 00 F0 3F";
    let floats = |rows: usize| row.repeat(rows);
    let short = |message: Vec<u8>, len: usize| message[..len].to_vec();
    let set = |mut message: Vec<u8>, at: usize, byte: u8| {
        message[at] = byte;
        message
    };
    let many = || block(format!("0108 58 {} {}", "00".repeat(61), floats(512)));
    let shorts =
        || aligned("16 05", &format!("0120 10 {} {}", "00".repeat(61), "07 00".repeat(2048)));
    let checksum_of_3 = with_length(0x18, 6, &[]);
    let table: Vec<(&str, Vec<u8>, &str)> = vec![
        // F-7, F-8, F-66: flags.
        ("no extended flags", hex("C1 18"), "truncated @ 2"),
        ("no extended flag set", hex("C1 18 00 01"), "bad_flags @ 2"),
        ("reserved bit 3", hex("C1 18 08 01"), "unsupported @ 2"),
        ("reserved bit 7", hex("C1 18 80 01"), "unsupported @ 2"),
        ("reserved bit before the length", hex("C1 18 0A 01"), "unsupported @ 2"),
        ("checksum without length", hex("C1 18 02 01"), "bad_flags @ 2"),
        ("checksum and metadata without length", hex("C1 18 03 01"), "bad_flags @ 2"),
        ("flags before extended flags", hex("C1 1B 00 01"), "bad_flags @ 1"),
        ("aligned, fingerprint and definitions", hex("C1 17 01"), "bad_flags @ 1"),
        ("version before flags", hex("C1 2F 00"), "bad_version @ 1"),
        ("a stream with extended flags", hex("C1 F8 00"), "unsupported @ 1"),
        // F-67: length.
        ("no length", hex("C1 18 04"), "truncated @ 3"),
        ("length cut", hex("C1 18 04 01"), "truncated @ 3"),
        ("length overlong", hex("C1 18 04 05 00 01"), "varint_overlong @ 3"),
        ("one byte too few", hex("C1 18 04 0C 01"), "truncated @ 4"),
        ("one byte too many", hex("C1 18 04 0A 01 01"), "trailing_bytes @ 5"),
        ("a length of nothing", hex("C1 18 04 08"), "truncated @ 4"),
        ("a length of nothing and a schema", hex("C1 18 04 08 01"), "trailing_bytes @ 4"),
        ("2^64 - 1 bytes", hex("C1 18 04 FF FFFFFFFFFFFFFFFF 01"), "truncated @ 12"),
        ("2^63 bytes", hex("C1 18 04 FF 0000000000000080 01"), "truncated @ 12"),
        ("length before the schema", hex("C1 18 04 0C 3F"), "truncated @ 4"),
        ("length within the block", hex("C1 18 04 0E 04 07 00"), "trailing_bytes @ 6"),
        // F-67: checksum.
        ("no room for a checksum", hex("C1 18 06 0E 01 00 00"), "truncated @ 4"),
        ("no room at all", hex("C1 18 06 08"), "truncated @ 4"),
        ("nothing but a checksum", checksum_of_3, "truncated @ 4"),
        ("nothing but a wrong checksum", hex("C1 18 06 10 00 00 00 00"), "bad_checksum @ 4"),
        ("a wrong checksum", hex("C1 18 06 14 04 07 39 5F 2A 51"), "bad_checksum @ 6"),
        (
            "a checksum in big-endian order",
            hex("C1 18 06 14 04 07 50 2A 5F 39"),
            "bad_checksum @ 6",
        ),
        ("a checksum before the schema", hex("C1 18 06 12 3F 00 00 00 00"), "bad_checksum @ 5"),
        ("a checksum before the metadata", hex("C1 18 07 12 FF 00 00 00 00"), "bad_checksum @ 5"),
        ("a checksum cut", hex("C1 18 06 14 04 07 39 5F 2A"), "truncated @ 4"),
        ("a checksum and more", hex("C1 18 06 14 04 07 39 5F 2A 50 00"), "trailing_bytes @ 10"),
        ("the row in the checksum", sealed("04"), "truncated @ 5"),
        ("the count in the checksum", sealed("18 04 01"), "truncated @ 5"),
        ("a byte before the checksum", sealed("04 07 00"), "trailing_bytes @ 6"),
        ("a fault under a checksum", sealed("3F"), "unknown_type @ 4"),
        // F-68: metadata.
        ("no number of pairs", hex("C1 18 01"), "truncated @ 3"),
        ("number of pairs overlong", hex("C1 18 01 05 00"), "varint_overlong @ 3"),
        ("more pairs than bytes", hex("C1 18 01 08 00 00 01"), "truncated @ 3"),
        ("2^64 - 1 pairs", hex("C1 18 01 FF FFFFFFFFFFFFFFFF 01"), "truncated @ 3"),
        ("no schema after no pairs", hex("C1 18 01 00"), "truncated @ 4"),
        ("a key without length", hex("C1 18 01 04 00 00"), "truncated @ 6"),
        ("a key cut", hex("C1 18 01 02 06 61 62"), "truncated @ 5"),
        ("a key of 2^64 - 1 bytes", hex("C1 18 01 02 FF FFFFFFFFFFFFFFFF 01"), "truncated @ 13"),
        ("a value without length", hex("C1 18 01 02 02 61"), "truncated @ 6"),
        ("a value cut", hex("C1 18 01 02 02 61 04 62"), "truncated @ 7"),
        ("a key that is not UTF-8", hex("C1 18 01 02 04 61 FF 00 01"), "invalid_utf8 @ 5"),
        ("a value that is not UTF-8", hex("C1 18 01 02 02 61 04 62 FF 01"), "invalid_utf8 @ 7"),
        ("a surrogate as a key", hex("C1 18 01 02 06 EDA080 00 01"), "invalid_utf8 @ 5"),
        ("a key again", hex("C1 18 01 04 02 61 00 02 61 00 01"), "duplicate_name @ 7"),
        ("the empty key again", hex("C1 18 01 04 00 00 00 00 01"), "duplicate_name @ 6"),
        (
            "a key again, and a bad value",
            hex("C1 18 01 04 02 61 00 02 61 02 FF 01"),
            "duplicate_name @ 7",
        ),
        ("metadata beyond the length", with_length(0x18, 5, &hex("02 06 61")), "truncated @ 6"),
        // F-69: ahead of the block.
        ("no padding", hex("C1 14 01"), "truncated @ 3"),
        ("a byte less of padding", short(aligned("04", "07"), 63), "truncated @ 3"),
        ("no block after the padding", short(aligned("04", "07"), 64), "truncated @ 64"),
        (
            "a bit in the first byte of padding",
            set(aligned("04", "07"), 3, 1),
            "nonzero_padding @ 3",
        ),
        (
            "a bit in the last byte of padding",
            set(aligned("04", "07"), 63, 0x80),
            "nonzero_padding @ 63",
        ),
        ("padding first short", set(short(aligned("04", "07"), 4), 3, 1), "truncated @ 3"),
        ("a byte after an aligned block", aligned("04", "07 00"), "trailing_bytes @ 65"),
        ("padding of a block without columns", aligned("01", "00"), "trailing_bytes @ 64"),
        // F-69: ahead of raw floats.
        ("a bit ahead of floats", set(many(), 67, 1), "nonzero_padding @ 67"),
        ("a bit right ahead of floats", set(many(), 127, 1), "nonzero_padding @ 127"),
        ("padding of floats cut", short(many(), 127), "truncated @ 67"),
        ("no padding of floats", short(many(), 67), "truncated @ 67"),
        ("floats cut", short(many(), 4223), "truncated @ 128"),
        ("no floats", short(many(), 128), "truncated @ 128"),
        (
            "floats without padding",
            block(format!("0108 58 {}", "07".repeat(4096))),
            "nonzero_padding @ 67",
        ),
        (
            "4,088 bytes with padding",
            block(format!("FD07 58 {} {}", "00".repeat(61), floats(511))),
            "trailing_bytes @ 4155",
        ),
        (
            "2^40 floats",
            block(format!("1F 00 00 00 00 40 58 {}", "00".repeat(70))),
            "limit_budget @ 70",
        ),
        // F-69: ahead of wide frames.
        ("a bit ahead of a frame", set(shorts(), 67, 1), "nonzero_padding @ 67"),
        ("padding of a frame cut", short(shorts(), 126), "truncated @ 67"),
        ("a frame cut", short(shorts(), 4223), "truncated @ 128"),
        (
            "4,094 bytes with padding",
            aligned("16 05", &format!("FD1F 10 {} {}", "00".repeat(61), "07 00".repeat(2047))),
            "trailing_bytes @ 4161",
        ),
    ];
    let mut wrong = Vec::new();
    for (name, message, expected) in table {
        let got = outcome(&message);
        if got != expected {
            wrong.push(format!("{name}: expected {expected}, got {got}"));
        }
        // Whatever does not need a walk finds the same.
        assert_eq!(locate_columns(&message).map_err(|error| fault(&error)), Err(got), "{name}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_these_payloads_are_padded() {
    let padding = "00".repeat(61);
    let table = [
        (
            "512 f64",
            "16 11",
            format!("0108 58 {padding} {}", "00 00 00 00 00 00 F0 3F".repeat(512)),
        ),
        ("1,024 f32", "16 10", format!("0110 58 {padding} {}", "00 00 80 3F".repeat(1024))),
        ("511 f64", "16 11", format!("FD07 58 {}", "00 00 00 00 00 00 F0 3F".repeat(511))),
        ("a frame of 16 bits", "16 05", format!("0120 10 {padding} {}", "07 00".repeat(2048))),
        (
            "a frame of 32 bits",
            "16 06",
            format!("0110 20 {padding} {}", "07 00 00 00".repeat(1024)),
        ),
        ("a frame of 64 bits", "16 07", format!("0108 40 {padding} {}", "07".repeat(4096))),
        ("2,047 rows of 16 bits", "16 05", format!("FD1F 10 {}", "07 00".repeat(2047))),
        ("a frame of 16 bits with base", "16 05", format!("0120 90 02 {}", "07 00".repeat(2048))),
        ("a frame of 64 bits with base 0", "16 07", format!("0108 C0 00 {}", "07".repeat(4096))),
        ("a frame of 8 bits", "16 04", format!("0140 08 {}", "07".repeat(4096))),
        ("a frame of 24 bits", "16 06", format!("0120 18 {}", "07 00 00".repeat(2048))),
        ("a frame of 48 bits", "16 07", format!("0110 30 {}", "07 00 00 00 00 00".repeat(1024))),
        ("differences", "16 05", format!("0520 41 00 10 {}", "01 00".repeat(2048))),
        ("quotients", "16 05", format!("0120 42 00 04 10 {}", "07 00".repeat(2048))),
        ("patterns of floats", "16 11", format!("0108 5C 40 {}", "07".repeat(4096))),
        ("digits", "16 11", format!("0120 5B 00 10 {} 00", "07 00".repeat(2048))),
        (
            "texts and their lengths",
            "16 12",
            format!("0120 60 10 {} {}", "02 00".repeat(2048), "6161".repeat(2048)),
        ),
        ("bytes", "13", format!("0140 {}", "07".repeat(4096))),
        ("bits", "16 02", format!("030004 52 {}", "07".repeat(4096))),
        ("raw rows", "14 0140", format!("48 {} {}", "00".repeat(63), "07".repeat(4096))),
        ("few raw rows", "14 FD3F", format!("48 {}", "07".repeat(4095))),
        ("planes of rows", "16 14 04", format!("0120 49 00 {0} 00 {0}", "07".repeat(2048))),
    ];
    for (name, schema, block) in table {
        let message = aligned(schema, &block);
        let value = from_slice::<Value>(&message).unwrap_or_else(|error| panic!("{name}: {error}"));
        let unpadded = block.replace(&format!(" {}", "00".repeat(63)), "");
        let unpadded = hex(&unpadded.replace(&format!(" {padding}"), ""));
        let plain = [&[0xC1, 0x10], &hex(schema)[..], &unpadded].concat();
        assert_eq!(from_slice::<Value>(&plain).unwrap(), value, "{name}");
        let columns = locate_columns(&message).unwrap();
        assert_eq!(columns.last().unwrap().place.range.end, message.len(), "{name}");
    }
}

#[test]
fn lengths_of_lists_are_columns_too() {
    // A list of 33,000 nulls ahead of 2,047 empty ones: a frame of 16 bits.
    let value = Value::list(
        (0..2048).map(|n| Value::list(vec![Value::Null; if n == 0 { 33_000 } else { 0 }])),
    );
    let bytes = Encoder::new().aligned(Alignment::On).message(&mut &value).unwrap();
    let lengths = &locate_columns(&bytes).unwrap()[1].place;
    assert_eq!(lengths.encoding, Some(0x10));
    assert_eq!(lengths.range, 66..4224);
    assert_eq!(bytes[128..130], 33_000_u16.to_le_bytes());
    assert_eq!(from_slice::<Value>(&bytes).unwrap(), value);
}

#[test]
fn the_padding_of_a_length_counts_in_the_length() {
    // 63 to 67 bytes behind the padding: the whole message has 127 to 131, so the length takes 1 or 2 bytes.
    let bytes = |rows: u8| Value::list((0..rows).map(|n| Value::U8(n * 3)));
    let mut encoder = Encoder::new().aligned(Alignment::On).length(true);
    for rows in 60..=67 {
        let message = encoder.message(&mut &bytes(rows)).unwrap();
        assert_eq!(from_slice::<Value>(&message).unwrap(), bytes(rows));
        assert!(is_aligned(&message));
        assert_eq!(message_len(&message).unwrap(), Some(message.len()));
    }
}

#[test]
fn the_contents_of_zstd_are_not_padded() {
    let value = Value::list((0..500).map(|n| Value::F64(f64::from_bits((n % 7) << 50))));
    let written = |alignment| {
        let mut encoder = Encoder::new().profile(Profile::Small).aligned(alignment);
        encoder.message(&mut &value).unwrap()
    };
    let (plain, padded) = (written(Alignment::Off), written(Alignment::On));
    assert_eq!(locate_columns(&padded).unwrap()[1].place.encoding, Some(0x70));
    assert_eq!(padded[64..], plain[4..]);
    assert_eq!(from_slice::<Value>(&padded).unwrap(), value);
}

#[test]
fn large_elements_always_start_at_a_multiple_of_64() {
    let tensor = |(count, byte): (u64, u8)| {
        let elements = vec![byte; count as usize];
        Value::from(Tensor::new(DType::Int(IntKind::U8), [count], false, elements).unwrap())
    };
    for count in [4096, 20_000] {
        let tensors = [(65, 0xA1), (count, 0xA2), (4095, 0xA3), (count, 0xA4)];
        let value = Value::list(tensors.map(tensor));
        for mut encoder in encoders(Profile::Fast, Header::Schema) {
            let bytes = encoder.message(&mut &value).unwrap();
            assert_eq!(from_slice::<Value>(&bytes).unwrap(), value);
            let is_aligned = bytes[1] & 4 != 0;
            let start = |byte| bytes.windows(60).position(|some| some == [byte; 60]).unwrap();
            let starts = tensors.map(|(_, byte)| start(byte));
            // One column for all of them.
            assert!(!is_aligned || starts[0] % 64 == 0);
            let ends = tensors.map(|(count, byte)| start(byte) + count as usize);
            assert_eq!(starts[1..], ends[..3]);
        }
    }
}

#[test]
fn a_flipped_bit_of_a_message_with_a_checksum_is_rejected() {
    let values = [
        Value::Null,
        Value::U8(7),
        Value::from(vec![1, 2, 3, 4, 5]),
        Value::from(vec![0.5; 20]),
        Value::record([("name", Value::from("holdall")), ("list", Value::from(vec![1.5, 2.5]))]),
    ];
    for value in &values {
        for header in [Header::Schema, Header::Fingerprint] {
            let schema = Schema::of_message(&to_vec(value).unwrap()).unwrap();
            for encoder in encoders(Profile::Fast, header) {
                let message = encoder.checksum(true).message(&mut &*value).unwrap();
                assert_eq!(&decoded(&message, Some(&schema)).unwrap(), value);
                for bit in 0..8 * message.len() {
                    let mut damaged = message.clone();
                    damaged[bit / 8] ^= 1 << (bit % 8);
                    let error = decoded(&damaged, Some(&schema)).unwrap_err();
                    // Behind the length all is found by the checksum; ahead of it stand flags that take that away.
                    let code = error.code();
                    if bit / 8 > 3 + varint(message.len() as u64).len() {
                        assert_eq!(code, Code::BadChecksum, "bit {bit}: {error}");
                        assert_eq!(error.offset(), Some(message.len() as u64 - 4));
                        continue;
                    }
                    let envelope = [
                        Code::BadMagic,
                        Code::BadVersion,
                        Code::BadFlags,
                        Code::BadChecksum,
                        Code::Unsupported,
                        Code::Truncated,
                        Code::TrailingBytes,
                        Code::VarintOverlong,
                    ];
                    // Without the flag extended, what follows is read as a schema: any fault of one.
                    assert!(envelope.contains(&code) || bit == 11, "bit {bit}: {error}");
                }
            }
        }
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
    assert_eq!(len("C1 18 04 FF 0000000000000001"), Ok(Some(1 << 56)));
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

/// Reads back what is written with each combination of options, and compares it with the message without any.
fn check_options(value: &Value, profile: Profile) {
    let plain = Encoder::new().profile(profile).aligned(Alignment::Off);
    let plain = { plain }.message(&mut &*value).unwrap();
    let schema = Schema::of_message(&plain).unwrap();
    let columns = locate_columns(&plain).unwrap();
    for mut encoder in encoders(profile, Header::Schema) {
        let message = encoder.message(&mut &*value).unwrap();
        assert!(decoded(&message, None).unwrap() == *value, "{message:02X?}");
        assert_eq!(Schema::of_message(&message).unwrap(), schema);
        let has_length = message[1] & 8 != 0 && message[2] & 4 != 0;
        if has_length {
            assert_eq!(message_len(&message).unwrap(), Some(message.len()));
        }
        let checksum = if has_length && message[2] & 2 != 0 { 4 } else { 0 };
        let (body, checksum) = message.split_at(message.len() - checksum);
        if !checksum.is_empty() {
            assert_eq!(checksum, crc32c(body).to_le_bytes());
        }
        let body = &body[preamble_len(&message)..];
        if is_aligned(&message) {
            check_columns(&plain, &columns, &message);
        } else {
            assert!(*body == plain[2..], "{message:02X?}");
        }
        // A second message is as the first.
        assert!(encoder.message(&mut &*value).unwrap() == message);
    }
    for mut encoder in encoders(profile, Header::Fingerprint) {
        let message = encoder.message(&mut &*value).unwrap();
        assert!(decoded(&message, Some(&schema)).unwrap() == *value, "{message:02X?}");
    }
    let bare = Encoder::new().profile(profile).header(Header::Bare).message(&mut &*value).unwrap();
    for mut encoder in encoders(profile, Header::Bare) {
        assert!(encoder.message(&mut &*value).unwrap() == bare);
        assert!(encoder.body(&mut &*value).unwrap().bytes == bare);
    }
}

/// The columns of an aligned message are those of the other one, with padding where F-69 has it.
fn check_columns(plain: &[u8], columns: &[holdall::trace::ColumnPlace], message: &[u8]) {
    let found = locate_columns(message).unwrap();
    assert_eq!(found.len(), columns.len());
    for (column, aligned) in columns.iter().zip(&found) {
        let (place, aligned) = (&column.place, &aligned.place);
        assert_eq!(place.encoding, aligned.encoding);
        let (before, after) = (&plain[place.range.clone()], &message[aligned.range.clone()]);
        if place.encoding.is_none() && after.len() > before.len() {
            // Elements of tensors, each row behind its padding, or packed rows: their values were compared.
            continue;
        }
        let padding = match place.encoding {
            Some(0x10 | 0x20 | 0x40 | 0x48 | 0x58) if before.len() > 4096 => {
                63 - aligned.range.start % 64
            }
            _ => 0,
        };
        assert_eq!(after.len() - before.len(), padding);
        if padding > 0 {
            assert_eq!(after[..=padding], [&before[..1], &vec![0; padding]].concat());
            assert_eq!((aligned.range.start + 1 + padding) % 64, 0);
        }
        let head = after.len() - before.len() + 1;
        assert!(padding == 0 && after == before || after[head..] == before[1..]);
    }
}

#[test]
fn every_value_of_the_vectors_survives_every_option() {
    for vector in valid().iter().filter(|vector| vector.input.bytes.len() < 4096) {
        let Some(value) = &vector.value else { continue };
        let value = tagged::read(value);
        let comes_back = to_vec(&value).is_ok() && !is_rewritten(&value);
        if comes_back && vector.input.form == Form::Message {
            check_options(&value, vector.profile);
        }
    }
}

/// Long columns of every kind that is aligned, and some that are not, at all offsets.
fn columns() -> impl Strategy<Value = Value> {
    let bits = prop::sample::select(vec![3_u32, 8, 15, 16, 31, 32, 48, 63]);
    let ints = (bits, vec(any::<i64>(), 0..80)).prop_map(|(bits, rows)| {
        Value::list(rows.into_iter().map(|row| Value::Int(row >> (63 - bits))))
    });
    let fixed =
        vec(any::<u64>(), 0..80).prop_map(|rows| Value::list(rows.into_iter().map(Value::U64)));
    let floats = prop_oneof![
        vec(any::<f64>(), 0..80).prop_map(Value::from),
        vec(any::<f64>(), 500..600).prop_map(Value::from),
        vec(any::<f32>(), 0..80).prop_map(|rows| Value::list(rows.into_iter().map(Value::F32))),
    ];
    let texts =
        vec("[a-c]{0,3}", 0..20).prop_map(|rows| Value::list(rows.into_iter().map(Value::from)));
    vec(prop_oneof![ints, fixed, floats, texts, Just(Value::Null)], 0..8).prop_map(Value::tuple)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn options_do_not_change_the_value(
        value in columns(),
        profile in prop::sample::select(vec![Profile::Fast, Profile::Balanced, Profile::Small]),
    ) {
        check_options(&value, profile);
    }

    #[test]
    fn similar_messages_are_written_as_if_each_were_the_first(sequence in vec(0_usize..9, 2..12)) {
        for number in 0..24 {
            let fresh = || encoders(Profile::Fast, Header::Schema).swap_remove(number);
            let (mut encoder, mut decoder) = (fresh(), Decoder::new());
            for &rows in &sequence {
                let value = Value::record([("rows", Value::from(vec![0.1; rows])), ("n", 300.into())]);
                let message = encoder.message(&mut &value).unwrap();
                prop_assert_eq!(&message, &fresh().message(&mut &value).unwrap());
                let mut builder = ValueBuilder::new();
                decoder.message(&message, &mut builder).unwrap();
                prop_assert_eq!(builder.finish().unwrap(), value);
            }
        }
    }

    #[test]
    fn metadata_survive(pairs in prop::collection::btree_map(".{0,5}", ".{0,9}", 0..20)) {
        let pairs = Metadata::new(pairs.iter().map(|(key, value)| (&**key, &**value))).unwrap();
        for encoder in encoders(Profile::Fast, Header::Schema) {
            let message = encoder.metadata(pairs.clone()).message(&mut &Value::Null).unwrap();
            prop_assert_eq!(&Metadata::of_message(&message).unwrap(), &pairs);
            prop_assert_eq!(from_slice::<Value>(&message).unwrap(), Value::Null);
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

#[test]
fn every_prefix_is_truncated_and_a_byte_more_is_trailing() {
    let value = Value::record([("x", Value::from(vec![0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]))]);
    for mut encoder in encoders(Profile::Fast, Header::Schema) {
        let mut message = encoder.message(&mut &value).unwrap();
        for end in 0..message.len() {
            let error = from_slice::<Value>(&message[..end]).unwrap_err();
            assert_eq!(error.code(), Code::Truncated, "{end} bytes: {error}");
            assert!(error.offset().unwrap() <= end as u64);
        }
        let end = message.len();
        message.push(0);
        assert_eq!(outcome(&message), format!("trailing_bytes @ {end}"));
    }
}

#[test]
fn damaged_envelopes_are_rejected_or_read_as_a_writable_value() {
    let values = [
        Value::Null,
        Value::from(vec![0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]),
        Value::list((0..40).map(|n| Value::Int(n * n * 40))),
        Value::record([("name", Value::from("holdall")), ("rows", Value::from(vec![1, 2, 3, 4]))]),
    ];
    let mut messages = Vec::new();
    for profile in [Profile::Fast, Profile::Small] {
        for mut encoder in encoders(profile, Header::Schema) {
            messages.extend(values.iter().map(|value| encoder.message(&mut &*value).unwrap()));
        }
    }
    let mut chance = Chance::new(20_240_910);
    let mut read = 0;
    let count = rounds(60_000);
    for number in 0..count {
        let mut message = messages[number % messages.len()].clone();
        let other = chance.pick(&messages).clone();
        mutate(&mut chance, &mut message, &other);
        // Half of those with a length get the right one again, and the right checksum.
        if number % 2 == 0 && message.len() > 8 && message[1] & 8 != 0 && message[2] & 4 != 0 {
            let len = message[3].trailing_ones() as usize + 1;
            let end = message.len() - if message[2] & 2 != 0 { 4 } else { 0 };
            if 3 + len <= end {
                message = with_length(message[1], message[2] & 7, &message[3 + len..end]);
            }
        }
        let _ = Metadata::of_message(&message);
        let _ = message_len(&message);
        let _ = Schema::of_message(&message);
        match from_slice::<Value>(&message) {
            Ok(value) => {
                read += 1;
                assert!(Metadata::of_message(&message).is_ok(), "{message:02X?}");
                assert!(locate_columns(&message).is_ok(), "{message:02X?}");
                match to_vec(&value) {
                    Ok(bytes) => {
                        assert!(
                            from_slice::<Value>(&bytes).unwrap() == value || is_rewritten(&value)
                        );
                    }
                    Err(error) => assert!(refusals(&value).contains(error.code().as_str())),
                }
            }
            Err(error) => {
                assert!(error.offset().is_some_and(|at| at <= message.len() as u64), "{error}");
            }
        }
    }
    assert!(read > count / 20, "{read}");
}
