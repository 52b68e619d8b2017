//! Messages with a dictionary (F-101): what reads them, what is refused, and what a writer makes of a value.

use holdall::{Code, Decoder, Dictionary, Error, Limits, Schema, Value, ValueBuilder, View};
use serde_json::Value as Json;

use crate::common::tagged::{TaggedSink, compact};
use crate::common::{hex, vectors::fault};

/// The vectors of `conformance/dictionaries`, and the dictionary that their readers have.
fn vectors() -> (Vec<Json>, Dictionary) {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../conformance/dictionaries/messages.json");
    let file: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let dictionary = hex(file["dictionaries"]["events"].as_str().unwrap());
    (file["vectors"].as_array().unwrap().clone(), Dictionary::from_bytes(&dictionary).unwrap())
}

fn text(vector: &Json, name: &str) -> String {
    vector[name].as_str().unwrap_or_default().to_owned()
}

fn decoder(vector: &Json, dictionary: &Dictionary) -> Decoder {
    let limits = vector["budget"].as_u64();
    let limits = limits.map_or_else(Limits::new, |units| Limits::new().budget(units));
    let mut decoder = Decoder::new().limits(limits);
    decoder.add_dictionary(dictionary);
    if vector["schema_hex"].is_string() {
        decoder.add_schema(&Schema::from_bytes(&hex(&text(vector, "schema_hex"))).unwrap());
    }
    decoder
}

/// Each byte of a message, and of its content, is in one span.
fn check_cover(decoder: &Decoder, message: &[u8]) {
    let trace = decoder.trace(message);
    let first = trace.content.as_ref().map_or(trace.spans.len(), |content| content.first_span);
    let content = trace.content.as_ref().map_or(0..0, |own| own.start..own.start + own.bytes.len());
    let (outer, inner) = trace.spans.split_at(first);
    for (spans, range) in [(outer, 0..message.len()), (inner, content)] {
        let end = spans.iter().fold(range.start, |end, span| {
            assert_eq!(span.range.start, end, "{span:?}");
            span.range.end
        });
        assert_eq!(end, range.end);
    }
}

const READS: bool = cfg!(any(feature = "zstd", feature = "ruzstd"));

#[test]
fn vectors_are_read_by_all_readers() {
    let (vectors, dictionary) = vectors();
    assert!(vectors.len() > 45);
    for vector in &vectors {
        let name = text(vector, "name");
        let (bytes, mut decoder) = (hex(&text(vector, "hex")), decoder(vector, &dictionary));
        let mut sink = TaggedSink::default();
        let read = decoder.message(&bytes, &mut sink);
        let outcome = |read: Result<(), Error>| match read {
            Ok(()) => "read".to_owned(),
            Err(error) => fault(&error),
        };
        let expected = match vector["code"].as_str() {
            Some(code) => format!("{code} @ {}", vector["offset"]),
            None => "read".to_owned(),
        };
        if !READS && (expected == "read" || expected.contains("@ 1")) {
            // Without a decoder, faults that precede it are the same.
            let own = outcome(read);
            assert!(own.starts_with("unsupported @") || own == expected, "{name}: {own}");
            continue;
        }
        assert_eq!(outcome(read), expected, "{name}");
        let trace = decoder.trace(&bytes);
        check_cover(&decoder, &bytes);
        let traced = trace.errors.first().map_or("read".to_owned(), fault);
        assert_eq!(traced, expected, "{name}");
        if expected != "read" {
            let view = decoder.view(&bytes[..]).and_then(|view| view.value());
            // A view checks neither the end nor with one budget for all.
            let code = vector["code"].as_str();
            if !matches!(code, Some("trailing_bytes" | "limit_budget")) {
                assert_eq!(fault(&view.unwrap_err()), expected, "{name}");
            }
            continue;
        }
        assert_eq!(sink.finish(), compact(&vector["value"].to_string()), "{name}");
        assert_eq!(decoder.schema(&bytes).unwrap().to_string(), text(vector, "schema"), "{name}");
        let mut builder = ValueBuilder::new();
        decoder.message(&bytes, &mut builder).unwrap();
        let value = builder.finish().unwrap();
        if vector["budget"].is_null() {
            assert_eq!(decoder.decode::<Value>(&bytes).unwrap(), value, "{name}");
            let view = decoder.view(&bytes[..]).unwrap();
            assert_eq!(view.value().unwrap(), value, "{name}");
            assert_eq!(
                view.metadata().iter().count(),
                vector["metadata"].as_array().map_or(0, Vec::len)
            );
        }
    }
}

#[test]
fn each_shorter_prefix_is_refused() {
    let (vectors, dictionary) = vectors();
    for vector in vectors.iter().filter(|vector| vector["code"].is_null()) {
        let bytes = hex(&text(vector, "hex"));
        let mut decoder = decoder(vector, &dictionary);
        for end in 0..bytes.len() {
            let error = decoder.message(&bytes[..end], &mut TaggedSink::default()).unwrap_err();
            let code = error.code();
            assert!(matches!(code, Code::Truncated | Code::BadZstd), "{error}");
            assert!(code == Code::Truncated || end >= 11, "{error}");
        }
    }
}

#[test]
fn a_reader_without_the_dictionary_names_its_hash() {
    let (vectors, dictionary) = vectors();
    let bytes = hex(&text(&vectors[0], "hex"));
    let expected = format!("{:016x}", dictionary.hash());
    let errors = [
        holdall::from_slice::<u8>(&bytes).unwrap_err(),
        holdall::from_slice::<Value>(&bytes).unwrap_err(),
        Schema::of_message(&bytes).unwrap_err(),
        View::new(&bytes).map(drop).unwrap_err(),
        holdall::trace::locate_columns(&bytes).unwrap_err(),
        Decoder::new().trace(&bytes).errors.remove(0),
    ];
    for error in errors {
        assert_eq!(fault(&error), "unknown_dictionary @ 3");
        assert!(error.to_string().contains(&expected), "{error}");
    }
}

#[test]
fn bytes_that_are_no_dictionary_are_refused() {
    let (_, dictionary) = vectors();
    let bytes = dictionary.as_bytes();
    assert_eq!(Dictionary::from_bytes(bytes).unwrap(), dictionary);
    let mut damaged = bytes.to_vec();
    damaged[8..40].fill(0xFF);
    let mut cases = vec![&b""[..], b"\x37\xA4\x30", b"not a dictionary of zstd", &bytes[1..]];
    if READS {
        cases.extend([&damaged[..], &bytes[..8], &bytes[..60]]);
    }
    for bytes in cases {
        let error = Dictionary::from_bytes(bytes).unwrap_err();
        assert_eq!(error.code(), Code::BadInput, "{error}");
    }
}

#[cfg(not(feature = "zstd"))]
#[test]
fn a_build_without_zstd_writes_no_dictionaries() {
    let (_, dictionary) = vectors();
    let errors = [
        Dictionary::train([[0xC1, 0x10, 4, 7]; 100], 1000).unwrap_err(),
        holdall::Encoder::new().dictionary(&dictionary).encode(&7_u8).unwrap_err(),
        holdall::Encoder::new().dictionary(&dictionary).message(&mut &Value::from(7)).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.code(), Code::Unsupported);
        assert!(error.to_string().contains("expected a build with the feature zstd"), "{error}");
    }
}

#[cfg(feature = "zstd")]
mod written {
    use super::{Code, Decoder, Dictionary, Limits, Value, check_cover, fault, vectors};
    use crate::common::chance::{Chance, rounds};
    use crate::common::make::{int, list, record, tensor, text};
    use crate::common::mutate::mutate;
    use crate::common::vectors::{Form, valid};
    use holdall::{Alignment, Encoder, Header, Metadata, Profile, SchemaStore};

    const KINDS: [&str; 3] = ["signed in", "signed out", "password changed"];
    const CITIES: [&str; 4] = ["Paris", "Nairobi", "Lima", "Osaka"];

    fn event(chance: &mut Chance) -> Value {
        record([
            ("id", int(chance.word() as i64 >> 40)),
            ("kind", text(KINDS[chance.below(3)])),
            ("city", text(CITIES[chance.below(4)])),
            ("tags", list((0..chance.below(4)).map(|n| text(CITIES[n])))),
        ])
    }

    fn events(seed: u64, count: usize) -> Vec<Value> {
        let mut chance = Chance::new(seed);
        (0..count).map(|_| event(&mut chance)).collect()
    }

    fn trained() -> Dictionary {
        let samples = events(1, 1000);
        let samples = samples.iter().map(|event| holdall::to_vec(event).unwrap());
        Dictionary::train(samples, 4096).unwrap()
    }

    fn reader(dictionary: &Dictionary) -> Decoder {
        let mut decoder = Decoder::new();
        decoder.add_dictionary(dictionary);
        decoder
    }

    #[test]
    fn an_aligned_message_has_no_dictionary_and_says_that_it_is_aligned() {
        let tensors = tensor("f64", &[5000], || 1);
        let mut encoder = Encoder::new().dictionary(&trained());
        let message = encoder.message(&mut &tensors).unwrap();
        assert_eq!(message[..2], [0xC1, 0x14]);
        assert_eq!(message, holdall::to_vec(&tensors).unwrap());
        assert_eq!(holdall::from_slice::<Value>(&message).unwrap(), tensors);
    }

    #[test]
    fn messages_like_the_samples_shrink_to_a_third() {
        let dictionary = trained();
        assert!((256..=4096).contains(&dictionary.as_bytes().len()));
        let mut encoder = Encoder::new().dictionary(&dictionary);
        let mut decoder = reader(&dictionary);
        let (mut with, mut without) = (0, 0);
        for event in events(2, 300) {
            let message = encoder.encode(&event).unwrap();
            with += message.len();
            without += holdall::to_vec(&event).unwrap().len();
            assert_eq!(message[..3], [0xC1, 0x18, 0x08]);
            assert_eq!(message[3..11], dictionary.hash().to_le_bytes());
            assert_eq!(decoder.decode::<Value>(&message).unwrap(), event);
        }
        assert!(3 * with < 2 * without, "{with} {without}");
    }

    #[test]
    fn every_option_has_the_same_value_and_its_own_head() {
        let dictionary = trained();
        let store = SchemaStore::new();
        let event = &events(3, 1)[0];
        let metadata = Metadata::new([("k", "v")]).unwrap();
        for options in 0..32_u8 {
            let is = |bit: u8| options >> bit & 1 != 0;
            let header = if is(0) { Header::Fingerprint } else { Header::Schema };
            let mut encoder = Encoder::new()
                .dictionary(&dictionary)
                .store(&store)
                .header(header)
                .length(is(1))
                .checksum(is(2))
                .profile(if is(4) { Profile::Small } else { Profile::Balanced });
            if is(3) {
                encoder = encoder.metadata(metadata.clone());
            }
            let message = encoder.encode(event).unwrap();
            assert_eq!(message[1], 0x18 | u8::from(is(0)));
            let length = if is(1) || is(2) { 4 } else { 0 };
            assert_eq!(message[2], 8 | length | u8::from(is(2)) << 1 | u8::from(is(3)));
            let mut decoder = reader(&dictionary).store(&store);
            assert_eq!(decoder.decode::<Value>(&message).unwrap(), *event);
            assert_eq!(Metadata::of_message(&message).unwrap().len(), usize::from(is(3)));
            if length > 0 {
                assert_eq!(holdall::message_len(&message).unwrap(), Some(message.len()));
            }
        }
    }

    #[test]
    fn all_ways_to_write_give_the_same_bytes() {
        let dictionary = trained();
        let mut encoder = Encoder::new().dictionary(&dictionary);
        let rows: Vec<(u32, String)> =
            (0..40).map(|n| (n, CITIES[n as usize % 4].into())).collect();
        let message = encoder.encode(&rows).unwrap();
        assert_eq!(message[2], 8);
        let mut into = vec![1, 2, 3];
        encoder.encode_into(&rows, &mut into).unwrap();
        assert_eq!(into, message);
        assert_eq!(encoder.encode_ref(&rows).unwrap(), message);
        assert_eq!(encoder.encoded_len(&rows).unwrap(), message.len());
        assert_eq!(reader(&dictionary).decode::<Vec<(u32, String)>>(&message).unwrap(), rows);
        // Of a type that is written inline, too.
        let one = (7_u64, "Nairobi, ".repeat(20));
        let message = encoder.encode(&one).unwrap();
        assert_eq!(message[2], 8);
        assert_eq!(encoder.encoded_len(&one).unwrap(), message.len());
        assert_eq!(reader(&dictionary).decode::<(u64, String)>(&message).unwrap(), one);
        // Text of a compressed message cannot be borrowed from it.
        let error = reader(&dictionary).decode::<(u64, &str)>(&message).unwrap_err();
        assert_eq!(error.code(), Code::Unconvertible);
    }

    #[test]
    fn values_of_all_vectors_survive_the_dictionary() {
        let (_, dictionary) = vectors();
        let mut compressed = 0;
        for vector in valid().into_iter().filter(|vector| vector.input.form == Form::Message) {
            let Ok(value) = holdall::from_slice::<Value>(&vector.input.bytes) else { continue };
            for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
                let plain = Encoder::new().profile(profile);
                let plain = { plain }.encode(&value);
                let mut encoder = Encoder::new().profile(profile).dictionary(&dictionary);
                let written = encoder.encode(&value);
                let (Ok(plain), Ok(written)) = (&plain, &written) else {
                    assert_eq!(plain.is_ok(), written.is_ok(), "{}", vector.name);
                    continue;
                };
                assert!(written.len() <= plain.len() + 1, "{}", vector.name);
                compressed += usize::from(written != plain);
                let read = reader(&dictionary).decode::<Value>(written).unwrap();
                assert_eq!(holdall::to_vec(&read).unwrap(), holdall::to_vec(&value).unwrap());
            }
        }
        assert!(compressed > 200, "{compressed}");
    }

    #[test]
    fn what_a_dictionary_cannot_help_is_written_without() {
        let dictionary = trained();
        let mut chance = Chance::new(4);
        let noise: Vec<u64> = (0..40).map(|_| chance.word()).collect();
        let long = "Nairobi ".repeat(1 << 14);
        let nulls = Value::list((0..9_000_000).map(|_| Value::Null));
        let cases = [
            (Encoder::new(), Value::from(7)),
            (Encoder::new(), Value::list(noise.into_iter().map(Value::U64))),
            (Encoder::new().aligned(Alignment::On), text("Nairobi, Nairobi, Nairobi, Nairobi")),
            (Encoder::new().header(Header::Bare), text("Nairobi, Nairobi, Nairobi, Nairobi")),
            (Encoder::new(), text(&long)),
            (Encoder::new().checksum(true), text(&long)),
            // Reading it takes more than the default budget, and needs a filler.
            (Encoder::new(), nulls),
        ];
        for (number, (encoder, value)) in cases.into_iter().enumerate() {
            let mut encoder = encoder;
            let plain = encoder.encode(&value).unwrap();
            let mut encoder = encoder.dictionary(&dictionary);
            assert!(encoder.encode(&value).unwrap() == plain, "case {number}");
        }
    }

    #[test]
    fn the_limit_of_output_is_that_of_the_message() {
        let dictionary = trained();
        let value = text(&"Nairobi ".repeat(100));
        let message = Encoder::new().dictionary(&dictionary).encode(&value).unwrap();
        let limited = |bytes| {
            let limits = Limits::new().output(bytes);
            Encoder::new().dictionary(&dictionary).limits(limits).encode(&value)
        };
        assert!(message.len() < 100);
        assert_eq!(limited(message.len()).unwrap(), message);
        assert_eq!(limited(message.len() - 1).unwrap_err().code(), Code::LimitOutput);
    }

    #[test]
    fn damaged_messages_are_refused_or_read_within_their_budget() {
        let dictionary = trained();
        let mut encoder = Encoder::new().dictionary(&dictionary);
        let messages: Vec<Vec<u8>> =
            events(5, 20).iter().map(|event| encoder.encode(event).unwrap()).collect();
        let mut chance = Chance::new(6);
        let mut decoder = reader(&dictionary).limits(Limits::new().budget(1 << 20));
        let (mut read, mut refused) = (0, 0);
        for round in 0..rounds(100_000) {
            let mut message = messages[round % messages.len()].clone();
            mutate(&mut chance, &mut message, &messages[(round + 1) % messages.len()]);
            match decoder.decode::<Value>(&message) {
                Ok(_) => read += 1,
                Err(error) => {
                    refused += 1;
                    assert!(error.offset().is_some(), "{error}");
                }
            }
            check_cover(&decoder, &message);
        }
        assert!(read > 50 && refused > 50, "{read} {refused}");
    }

    #[test]
    fn a_bomb_is_refused_before_it_is_decompressed() {
        let dictionary = trained();
        let mut bomb = vec![0xC1, 0x18, 8];
        bomb.extend(dictionary.hash().to_le_bytes());
        // One segment of 2^27 bytes: 1,024 blocks of 2^17 equal bytes.
        bomb.extend([0xA0, 0, 0, 0, 8]);
        for block in 0..1024_u32 {
            let head = 1 << 20 | 2 | u32::from(block == 1023);
            bomb.extend(&head.to_le_bytes()[..3]);
            bomb.push(0);
        }
        let error = reader(&dictionary).decode::<Value>(&bomb).unwrap_err();
        assert_eq!(fault(&error), "limit_budget @ 11");
        // With the budget for it, its first type is never, and the rest is too much.
        let limits = Limits::new().budget(1 << 30);
        let error = reader(&dictionary).limits(limits).decode::<Value>(&bomb).unwrap_err();
        assert_eq!(fault(&error), "never_has_rows @ 12");
    }

    #[test]
    fn another_dictionary_is_no_substitute() {
        let (_, other) = vectors();
        let dictionary = trained();
        let event = &events(7, 1)[0];
        let mut message = Encoder::new().dictionary(&dictionary).encode(event).unwrap();
        let error = reader(&other).decode::<Value>(&message).unwrap_err();
        assert_eq!(fault(&error), "unknown_dictionary @ 3");
        // Even if the message claims it.
        message[3..11].copy_from_slice(&other.hash().to_le_bytes());
        let read = reader(&other).decode::<Value>(&message);
        assert_ne!(read.ok().as_ref(), Some(event));
        // A reader can have both.
        let mut both = reader(&other);
        both.add_dictionary(&dictionary);
        let message = Encoder::new().dictionary(&dictionary).encode(event).unwrap();
        assert_eq!(both.decode::<Value>(&message).unwrap(), *event);
    }

    #[test]
    fn training_needs_messages_and_enough_of_them() {
        let samples: Vec<_> =
            events(8, 200).iter().map(|event| holdall::to_vec(event).unwrap()).collect();
        let train = |samples: &[Vec<u8>]| Dictionary::train(samples, 1000);
        assert_eq!(train(&[]).unwrap_err().code(), Code::BadInput);
        assert_eq!(train(&samples[..2]).unwrap_err().code(), Code::BadInput);
        for size in [0, 255] {
            let error = Dictionary::train(&samples, size).unwrap_err().to_string();
            let words = format!("expected a dictionary of 256 bytes or more, got {size}");
            assert!(error.ends_with(&words), "{error}");
        }
        assert!(Dictionary::train(&samples, 256).unwrap().as_bytes().len() <= 256);
        // No machine has as much memory.
        assert_eq!(Dictionary::train(&samples, usize::MAX).unwrap_err().code(), Code::OutOfMemory);
        assert_eq!(train(&[b"{}".to_vec()]).unwrap_err().code(), Code::BadMagic);
        // The same samples give the same dictionary, whatever surrounds their contents.
        let dictionary = train(&samples).unwrap();
        let mut encoder = Encoder::new().checksum(true);
        let events = events(8, 200);
        let checked: Vec<_> = events.iter().map(|event| encoder.encode(event).unwrap()).collect();
        assert_eq!(train(&checked).unwrap(), dictionary);
        // Messages that have a dictionary already are no samples without it.
        let mut encoder = Encoder::new().dictionary(&dictionary);
        let compressed: Vec<_> =
            events.iter().map(|event| encoder.encode(event).unwrap()).collect();
        let error = train(&compressed).unwrap_err().to_string();
        assert!(error.contains("samples that are written without a dictionary"), "{error}");
    }
}

#[cfg(feature = "zstd")]
#[test]
fn an_archive_has_the_rows_of_a_compressed_message() {
    let (_, dictionary) = vectors();
    let words: Vec<String> = (0..50).map(|n| format!("user {} signed in", n % 7)).collect();
    let message = holdall::Encoder::new().dictionary(&dictionary).encode(&words).unwrap();
    assert_eq!(message[..3], [0xC1, 0x18, 0x08]);
    let mut decoder = Decoder::new();
    assert_eq!(
        decoder.archive::<Vec<String>>(&message).unwrap_err().code(),
        Code::UnknownDictionary
    );
    decoder.add_dictionary(&dictionary);
    let archive = decoder.archive::<Vec<String>>(&message).unwrap();
    assert_eq!(archive.root().get(3), Some(&*words[3]));
    assert_eq!(archive.decode().unwrap(), words);
}
