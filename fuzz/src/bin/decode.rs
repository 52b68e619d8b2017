//! Laws: no bytes make the decoder panic; a decoded value is written in every profile, unless writers reject it; the
//! result decodes to an equal value, which is written as the same bytes.

#![no_main]

use holdall::{Decoder, Encoder, Limits, Profile, Result, Value, ValueBuilder};
use holdall_fuzz::common::refusals;
use holdall_fuzz::mutate_as;
use holdall_fuzz::mutator::Form;
use libfuzzer_sys::fuzz_target;

mutate_as!(Form::Message);

/// A few bytes can stand for millions of rows, which take seconds in all profiles: a smaller budget than the default tries more inputs.
const BUDGET: u64 = 1 << 20;
/// Another encoding of the same value can need a larger budget than the input's length gives.
const WRITTEN_BUDGET: u64 = 1 << 31;

fn decode(bytes: &[u8], budget: u64) -> Result<Value> {
    let mut builder = ValueBuilder::new();
    Decoder::new().limits(Limits::new().budget(budget)).message(bytes, &mut builder)?;
    Ok(builder.finish().expect("a message is a complete value"))
}

fuzz_target!(|data: &[u8]| {
    let Ok(value) = decode(data, BUDGET) else {
        return;
    };
    let refusals = refusals::refusals(&value);
    for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
        let encode = |value: &Value| Encoder::new().profile(profile).message(&mut &*value);
        match encode(&value) {
            Ok(bytes) => {
                let again = decode(&bytes, WRITTEN_BUDGET).expect("written bytes decode");
                let is_same = again == value || refusals::is_rewritten(&value);
                assert!(is_same, "writing changed the value");
                let bytes_again = encode(&again).expect("an equal value is written");
                assert!(bytes == bytes_again, "an equal value is written differently");
            }
            Err(error) => assert!(refusals.contains(error.code().as_str()), "{error}"),
        }
    }
});
