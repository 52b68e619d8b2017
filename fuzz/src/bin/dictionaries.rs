//! Laws of messages with a dictionary (F-101): neither bytes of a dictionary nor of a message make a reader panic; all readers
//! agree on what a message says, and a view and the message without its dictionary have the same value; a reader without the
//! dictionary reads none of it. A value written with any dictionary that is accepted is read back.
//!
//! An input is a byte, a dictionary behind its length (2 bytes), and a frame or, if the byte is odd, a message. A dictionary of no
//! bytes stands for that of the vectors.

#![no_main]

use std::sync::LazyLock;

use holdall::{Code, Decoder, Dictionary, Encoder, Value, ValueBuilder};
use holdall_fuzz::common::refusals;
use holdall_fuzz::mutator::Form;
use holdall_fuzz::{fault, limits, mutate_as, pair};
use libfuzzer_sys::fuzz_target;

mutate_as!(Form::NumberDictionaryAndMessage);

static KNOWN: LazyLock<Dictionary> = LazyLock::new(|| {
    let text = include_str!("../../../conformance/dictionaries/messages.json");
    let (_, rest) = text.split_once("\"events\": \"").expect("a dictionary");
    let digits: Vec<u8> = rest.bytes().take_while(|byte| *byte != b'"').collect();
    let digits: Vec<u8> = digits.into_iter().filter(u8::is_ascii_hexdigit).collect();
    let text = |pair: &[u8]| u8::from_str_radix(&String::from_utf8_lossy(pair), 16);
    let bytes = digits.chunks(2).map(text).collect::<Result<Vec<u8>, _>>();
    Dictionary::from_bytes(&bytes.expect("hexadecimal digits")).expect("a dictionary")
});

fuzz_target!(|input: &[u8]| {
    let Some((kind, input)) = input.split_first() else { return };
    let Some((dictionary, rest)) = pair::split(input) else { return };
    let dictionary = match dictionary {
        [] => KNOWN.clone(),
        bytes => match Dictionary::from_bytes(bytes) {
            Ok(dictionary) => dictionary,
            Err(error) => return assert!(error.code() == Code::BadInput, "{error}"),
        },
    };
    let message = match kind % 2 {
        0 => [&[0xC1, 0x18, 8][..], &dictionary.hash().to_le_bytes(), rest].concat(),
        // The trace explains streams, too, which a decoder refuses.
        _ if rest.starts_with(&[0xC1, 0xF1]) => return,
        _ => rest.to_vec(),
    };
    let mut decoder = Decoder::new().limits(limits());
    let mut stranger = decoder.clone();
    decoder.add_dictionary(&dictionary);

    let mut builder = ValueBuilder::new();
    let read = decoder.message(&message, &mut builder).and_then(|()| builder.finish());
    let trace = decoder.trace(&message);
    let plain = decoder.without_dictionary(&message);
    let value = match read {
        Ok(value) => value,
        Err(error) => {
            // Some faults only a walk over the values finds.
            let traced = trace.errors.first();
            assert!(traced.is_none_or(|own| fault(own).0 == fault(&error).0), "{error}");
            assert!(traced.is_none_or(|own| own.offset() == error.offset()), "{error}");
            return;
        }
    };
    assert!(trace.errors.is_empty(), "{}", trace.errors[0]);
    if let Some(plain) = plain.expect("a valid envelope") {
        let own: Value = stranger.decode(&plain).expect("the message without its dictionary");
        assert!(own == value, "without its dictionary a message has another value");
        let error = stranger.decode::<Value>(&message).expect_err("it needs the dictionary");
        assert!(error.code() == Code::UnknownDictionary, "{error}");
        let view = decoder.view(&message).and_then(|view| view.value());
        assert!(view.expect("a view of it") == value, "a view has another value");
    }
    match Encoder::new().dictionary(&dictionary).message(&mut &value) {
        Ok(written) => {
            decoder = decoder.limits(limits().budget(1 << 31));
            let again: Value = decoder.decode(&written).expect("what was written is read");
            assert!(again == value || refusals::is_rewritten(&value), "writing changed the value");
        }
        // A reader can use more dictionaries than a writer.
        Err(error) if error.code() == Code::BadInput => {}
        Err(error) => {
            let refusals = refusals::refusals(&value);
            assert!(refusals.contains(error.code().as_str()), "{error}");
        }
    }
});
