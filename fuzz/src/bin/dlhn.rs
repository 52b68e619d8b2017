//! Laws: DLHN that packs is a message. It unpacks to DLHN that packs and unpacks to the same bytes, or is refused, because a header
//! says less than a schema. The first bytes can differ: a header names variants that no value has, and types of absent values.

#![no_main]

use holdall::{Code, Value};
use holdall_convert::dlhn;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(bytes) = dlhn::pack(input) else {
        return;
    };
    holdall::from_slice::<Value>(&bytes).expect("what was packed is a message");
    let unpacked = match dlhn::unpack(&bytes) {
        Ok(unpacked) => unpacked,
        Err(error) => return assert_eq!(error.code(), Code::Unrepresentable, "{error}"),
    };
    let again = dlhn::pack(&unpacked).expect("what was unpacked packs");
    let back = dlhn::unpack(&again).expect("what was packed again unpacks");
    assert!(back == unpacked, "unpacking is not stable");
});
