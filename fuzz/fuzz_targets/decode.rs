//! Laws: no bytes make the decoder panic; a message that decodes, encodes; what it encodes to decodes to an equal value.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(value) = holdall::from_slice(data) else {
        return;
    };
    let bytes = holdall::to_vec(&value).expect("a decoded value encodes");
    let again = holdall::from_slice(&bytes).expect("an encoded value decodes");
    // A value with a NaN in it is not equal even to itself; the bytes below compare it.
    let itself = &value;
    if value == *itself {
        assert!(value == again, "encoding changed the value");
    }
    let bytes_again = holdall::to_vec(&again).expect("a decoded value encodes");
    assert!(bytes == bytes_again, "an equal value encodes differently");
});
