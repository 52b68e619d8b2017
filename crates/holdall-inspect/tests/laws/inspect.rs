//! Laws of inspections, over vectors, examples and damaged messages.

use crate::common::chance::{Chance, rounds};
use crate::common::mutate::mutate;
use crate::common::{Input, examples, varint, vectors};
use holdall::stream::is_stream;
use holdall::{Code, Encoder, Metadata, Profile, Value};
use holdall_inspect::{Inspection, Item, Sort, Statistics, Summary, View};

/// Each byte is in exactly one item, and each one of the content after those of the message.
pub fn check_cover(input: &Input, inspection: &Inspection<'_>, view: &View) {
    let items: Vec<Item<'_>> = inspection.items(view).collect();
    let (message, content) =
        items.split_at(items.iter().take_while(|item| !item.is_in_content).count());
    let content_range = inspection.content().unwrap_or_default();
    for (items, range) in [(message, 0..input.bytes.len()), (content, content_range)] {
        let mut end = range.start;
        for item in items {
            assert_eq!(item.range.start, end, "{}: {item:?}", input.name);
            assert!(!item.range.is_empty(), "{}: {item:?}", input.name);
            end = item.range.end;
        }
        assert_eq!(end, range.end, "{}", input.name);
    }
}

#[test]
fn each_byte_of_valid_messages_is_accounted_for_once() {
    for input in vectors("valid").iter().chain(&examples()).chain(&vectors("dictionaries")) {
        let inspection = Inspection::of(&input.bytes, &input.decoder());
        let view = View::default();
        check_cover(input, &inspection, &view);
        let items: Vec<Item<'_>> = inspection.items(&view).collect();
        if !input.is_valid {
            continue;
        }
        assert!(inspection.errors().is_empty(), "{}: {:?}", input.name, inspection.errors());
        for item in items {
            assert!(
                !item.rule().is_empty() && !item.meaning.is_empty(),
                "{}: {item:?}",
                input.name
            );
            assert!(item.faults.is_empty() && !item.meaning.starts_with("not read"), "{item:?}");
        }
        let summary = Summary::of(&input.bytes, &mut input.decoder());
        assert_eq!(summary.unwrap().bytes, input.bytes.len());
    }
}

#[test]
fn the_first_fault_is_the_decoder_s() {
    for input in vectors("invalid").iter().chain(&examples()).chain(&vectors("dictionaries")) {
        let inspection = Inspection::of(&input.bytes, &input.decoder());
        check_cover(input, &inspection, &View::default());
        let place = |error: &holdall::Error| (error.code(), error.offset());
        let expected = Summary::of(&input.bytes, &mut input.decoder()).err();
        let got = inspection.errors().first();
        assert_eq!(got.map(place), expected.as_ref().map(place), "{}", input.name);
    }
}

#[test]
fn damaged_messages_are_covered_and_do_not_panic() {
    let mutations = rounds(20_000);
    let mut all =
        [vectors("valid"), vectors("invalid"), vectors("dictionaries"), examples()].concat();
    all.retain(|input| input.bytes.len() <= 4096);
    let mut chance = Chance::new(20_261_122);
    let (mut valid, mut faults, mut went_on) = (0, 0, 0);
    for number in 0..mutations {
        let mut input = all[number % all.len()].clone();
        for _ in 0..*chance.pick(&[1, 1, 1, 2, 3]) {
            let other = &chance.pick(&all).bytes;
            mutate(&mut chance, &mut input.bytes, other);
        }
        // Its faults are those of streams.
        if is_stream(&input.bytes) {
            continue;
        }
        input.budget = Some(*chance.pick(&[1 << 16, 1 << 14, 500]));
        let decoder = input.decoder();
        let inspection = Inspection::of(&input.bytes, &decoder);
        let view = View::default().redact(number % 4 == 0);
        check_cover(&input, &inspection, &view);
        if number % 8 == 0 {
            let narrow = View::default().path("$[]");
            assert!(inspection.items(&narrow).all(|item| item.path.starts_with("$[")));
            std::hint::black_box(inspection.to_value(&view));
        }
        let statistics = Statistics::of(&input.bytes, &decoder);
        match Summary::of(&input.bytes, &mut decoder.clone()) {
            Ok(_) => {
                valid += 1;
                let statistics = statistics.unwrap().compare(&input.bytes, &decoder);
                let sum: usize = statistics.parts().iter().map(|(_, bytes)| bytes).sum();
                // What a dictionary compressed is counted as it was before.
                let expected = statistics.decompressed.unwrap_or(input.bytes.len());
                assert_eq!(sum, expected, "{} {:02X?}", input.name, input.bytes);
                std::hint::black_box(statistics.to_value(Sort::Bytes));
                std::hint::black_box(statistics.page(&input.name, Sort::Path));
            }
            Err(error) => {
                let first = &inspection.errors()[0];
                let shown = format!("{} {:02X?}", input.name, input.bytes);
                let expected = (error.code(), error.offset());
                assert_eq!((first.code(), first.offset()), expected, "{shown}");
                let own = statistics.unwrap_err();
                assert_eq!((own.code(), own.offset()), expected, "{shown}");
                faults += 1;
                went_on += usize::from(inspection.errors().len() > 1);
            }
        }
    }
    // Damage that is always found at once would test little.
    assert!(
        valid > mutations / 50 && faults > mutations / 2 && went_on > rounds(50),
        "{valid} {faults} {went_on}"
    );
    println!("{valid} valid, {faults} with faults, {went_on} of them with several");
}

const SECRET: &str = "xyzzy-secret";

fn secrets() -> Value {
    let number = 7_463_524_181_i64;
    let row = |text: String, scale: i64| {
        Value::record([
            ("name", Value::from(&*text)),
            ("pin", Value::from(number * scale)),
            ("share", Value::from(0.123_456_789)),
            ("tags", Value::from(vec![Value::from(SECRET), Value::Null, Value::from(true)])),
        ])
    };
    Value::from((0..40).map(|n| row(format!("{SECRET} {n}"), n % 3)).collect::<Vec<_>>())
}

#[test]
fn redacted_output_holds_no_value() {
    let metadata = Metadata::new([("source", SECRET)]).unwrap();
    let dictionary = vectors("dictionaries").remove(0).dictionary.unwrap();
    let mut decoder = holdall::Decoder::new();
    decoder.add_dictionary(&dictionary);
    let profiles = [Profile::Fast, Profile::Balanced, Profile::Small];
    for (profile, is_compressed) in profiles.into_iter().flat_map(|own| [(own, false), (own, true)])
    {
        let mut encoder = Encoder::new().profile(profile).metadata(metadata.clone()).checksum(true);
        if is_compressed {
            encoder = encoder.dictionary(&dictionary);
        }
        let one = encoder_message(encoder);
        assert_eq!(Inspection::of(&one, &decoder).content().is_some(), is_compressed);
        for damage in [None, Some(one.len() / 2), Some(one.len() - 1)] {
            let mut message = one.clone();
            if let Some(at) = damage {
                message[at] ^= 0xFF;
            }
            let inspection = Inspection::of(&message, &decoder);
            let view = View::default().redact(true);
            let shown = format!("{:?}", inspection.to_value(&view));
            for secret in [SECRET, "xyzzy", "7463524181", "0.123456789"] {
                assert!(!shown.contains(secret), "{secret} is shown");
            }
            let digits: Vec<String> = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
            let digits = digits.concat();
            assert!(!shown.contains(&digits));
            // A damaged frame may not be decompressed.
            let is_read = !is_compressed || inspection.content().is_some();
            assert_eq!(shown.contains("name \\\"pin\\\""), is_read, "{shown}");
            assert!(shown.contains("key \\\"source\\\""), "{shown}");
            let open = format!("{:?}", inspection.to_value(&View::default()));
            assert!(open.contains(SECRET), "the test would not notice");
        }
    }
}

fn encoder_message(mut encoder: Encoder) -> Vec<u8> {
    encoder.message(&mut &secrets()).unwrap()
}

/// The meanings of a message's items.
fn meanings(message: &[u8], view: &View) -> Vec<String> {
    let inspection = Inspection::of(message, &holdall::Decoder::new());
    inspection.items(view).map(|item| format!("{} {}", item.path, item.meaning)).collect()
}

#[test]
fn it_continues_after_a_fault_with_a_known_end() {
    // A tuple of a list of 4 u8 in a frame of 16 bits, one of them 256, and a bool.
    let message = b"\xC1\x10\x18\x04\x16\x04\x02\x08\x10\x01\x00\x00\x01\x02\x00\x03\x00\x01";
    let inspection = Inspection::of(message, &holdall::Decoder::new());
    let codes: Vec<Code> = inspection.errors().iter().map(holdall::Error::code).collect();
    assert_eq!(codes, [Code::IntOutOfRange]);
    let items: Vec<Item<'_>> = inspection.items(&View::default()).collect();
    assert_eq!(
        (&*items[items.len() - 1].path, &*items[items.len() - 1].meaning),
        ("$[1]", "bits: true")
    );
    assert_eq!(items.iter().filter(|item| !item.faults.is_empty()).count(), 1);

    // Nor does a wrong checksum hide the rest.
    let mut message = encoder_message(Encoder::new().checksum(true));
    let whole = meanings(&message, &View::default());
    *message.last_mut().unwrap() ^= 1;
    assert_eq!(meanings(&message, &View::default()), whole);
    let inspection = Inspection::of(&message, &holdall::Decoder::new());
    assert_eq!(inspection.errors()[0].code(), Code::BadChecksum);
    let last = inspection.items(&View::default()).last().unwrap();
    assert_eq!((last.range, last.faults.len()), (message.len() - 4..message.len(), 1));
}

#[test]
fn an_unknown_fingerprint_explains_what_is_not_read() {
    let mut encoder = Encoder::new().header(holdall::Header::Fingerprint).checksum(true);
    let message = encoder.message(&mut &Value::from(300)).unwrap();
    let all = meanings(&message, &View::default());
    assert!(all[4].starts_with(" fingerprint of the schema: "), "{all:?}");
    assert!(all[5].starts_with(" not read: unknown_fingerprint at offset 4: "), "{all:?}");
    assert_eq!(all[6], " checksum of all bytes before (CRC-32C)");
    assert_eq!(all.len(), 7);
}

#[test]
fn a_path_narrows_the_output() {
    let all = meanings(&holdall::to_vec(&secrets()).unwrap(), &View::default().path("[3].tags"));
    assert!(all.len() > 5 && all.iter().all(|line| line.starts_with("$[].tags")), "{all:?}");
}

#[test]
fn many_deep_types_with_long_names_take_little_room() {
    // 5,000 records of one field each, with the same name of 100 kB: a few bytes more for each.
    let mut message = vec![0xC1, 0x10, 0x18];
    message.extend(varint(5_000));
    for number in 0..5_000 {
        message.extend([0x1A, 0x08]);
        if number == 0 {
            message.extend(varint(200_000));
            message.extend([b'x'; 100_000]);
        } else {
            message.push(0x02);
        }
        message.push(0x01);
    }
    let inspection = Inspection::of(&message, &holdall::Decoder::new());
    assert!(inspection.errors().is_empty(), "{:?}", inspection.errors());
    let view = View::default();
    let len: usize = inspection.items(&view).map(|item| item.path.len() + item.meaning.len()).sum();
    assert!(len < 100 * message.len(), "{len}");
}
