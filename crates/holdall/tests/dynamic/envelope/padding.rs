//! Alignment: which payloads have padding, and where they start (F-69).

use super::*;
use crate::common::make::{list, tensor};

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

/// Rows are freed as they are written, before the length that precedes them is known.
#[test]
fn a_message_says_that_it_is_aligned_also_if_its_length_is_written_last() {
    let tensors = list([9, 5000].map(|len| tensor("f64", &[len], || 1)));
    for profile in [Profile::Fast, Profile::Balanced] {
        let encoders = [
            Encoder::new(),
            Encoder::new().length(true),
            Encoder::new().checksum(true),
            Encoder::new().metadata(metadata(&[("key", "text")])).length(true),
        ];
        for encoder in encoders {
            let mut encoder = encoder.profile(profile);
            let message = encoder.message(&mut &tensors).unwrap();
            assert_eq!(message[1] & 4, 4);
            assert_eq!(message, encoder.encode(&tensors).unwrap());
            assert_eq!(from_slice::<Value>(&message).unwrap(), tensors);
        }
    }
}
