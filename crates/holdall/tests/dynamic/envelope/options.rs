//! No combination of options changes the value.

use super::*;

/// Reads back a message with each combination of options, and compares it with the message without any.
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
