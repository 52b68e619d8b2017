//! Law: JSON text that packs, unpacks to text that packs to the same bytes.

#![no_main]

use holdall_convert::json;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let Ok(bytes) = json::pack(text) else {
        return;
    };
    let unpacked = json::unpack(&bytes).expect("packed text unpacks");
    let again = json::pack(&unpacked).expect("unpacked text packs");
    assert!(bytes == again, "packing is not stable");
});
