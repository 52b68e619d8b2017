//! Law: MessagePack that packs, unpacks to MessagePack that packs to the same bytes.

#![no_main]

use holdall_convert::msgpack;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(bytes) = msgpack::pack(input) else {
        return;
    };
    let unpacked = msgpack::unpack(&bytes).expect("packed values unpack");
    let again = msgpack::pack(&unpacked).expect("unpacked values pack");
    assert!(bytes == again, "packing is not stable");
});
