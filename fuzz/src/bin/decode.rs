//! Laws: no bytes make the decoder panic; a decoded value is written in every profile, unless writers reject it; the
//! result decodes to an equal value, which is written as the same bytes.

#![no_main]

use holdall::{Decoder, Encoder, Limits, Profile, Value, ValueBuilder};
use holdall_fuzz::common::refusals;
use holdall_fuzz::mutate_as;
use holdall_fuzz::mutator::Form;
use libfuzzer_sys::fuzz_target;

mutate_as!(Form::Message);

/// Another encoding of the same value can need a larger budget than the input's length gives.
fn decode(bytes: &[u8]) -> Value {
    let mut builder = ValueBuilder::new();
    let mut decoder = Decoder::new().limits(Limits::new().budget(1 << 31));
    decoder.message(bytes, &mut builder).expect("written bytes decode");
    builder.finish().expect("a message is a complete value")
}

/// A few bytes can stand for millions of rows, which take seconds in all profiles: a smaller budget than the default tries more inputs.
const BUDGET: u64 = 1 << 20;

fuzz_target!(|data: &[u8]| {
    let mut builder = ValueBuilder::new();
    let mut decoder = Decoder::new().limits(Limits::new().budget(BUDGET));
    if decoder.message(data, &mut builder).is_err() {
        return;
    }
    let value = builder.finish().expect("a message is a complete value");
    let refusals = refusals::refusals(&value);
    for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
        let encode = |value: &Value| Encoder::new().profile(profile).message(&mut &*value);
        match encode(&value) {
            Ok(bytes) => {
                let again = decode(&bytes);
                let is_same = again == value || refusals::is_rewritten(&value);
                assert!(is_same, "writing changed the value");
                let bytes_again = encode(&again).expect("an equal value is written");
                assert!(bytes == bytes_again, "an equal value is written differently");
            }
            Err(error) => assert!(refusals.contains(error.code().as_str()), "{error}"),
        }
    }
});
