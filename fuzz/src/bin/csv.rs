//! Law: CSV that packs, unpacks to CSV that packs to the same bytes.

#![no_main]

use holdall_convert::csv;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let Ok(bytes) = csv::pack(text) else {
        return;
    };
    let unpacked = csv::unpack(&bytes).expect("packed text unpacks");
    let again = csv::pack(&unpacked).expect("unpacked text packs");
    assert!(bytes == again, "packing is not stable");
});
