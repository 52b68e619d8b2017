//! Faults of the envelope: each has its code and offset, and damage never causes a panic.

use super::*;

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
        ("reserved bit 4", hex("C1 18 10 01"), "unsupported @ 2"),
        ("reserved bit 7", hex("C1 18 80 01"), "unsupported @ 2"),
        ("reserved bit before the length", hex("C1 18 12 01"), "unsupported @ 2"),
        ("a dictionary and alignment", hex("C1 1C 08 01"), "bad_flags @ 2"),
        // F-101: dictionaries.
        ("no hash of a dictionary", hex("C1 18 08 00 00 00"), "truncated @ 3"),
        ("no dictionary is known", hex("C1 18 08 0000000000000000"), "unknown_dictionary @ 3"),
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
                    // The checksum detects all damage after the length; flags before it can remove the checksum.
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
