//! Law: CBOR that packs, unpacks to CBOR that packs to the same bytes.

#![no_main]

use holdall_convert::cbor;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(bytes) = cbor::pack(input) else {
        return;
    };
    let unpacked = cbor::unpack(&bytes).expect("packed values unpack");
    let again = cbor::pack(&unpacked).expect("unpacked values pack");
    assert!(bytes == again, "packing is not stable");
});
