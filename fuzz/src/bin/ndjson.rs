//! Laws: NDJSON that packs, unpacks to text that packs to the same bytes; a stream of it has the values of its list.

#![no_main]

use holdall::{Reader, Value, Writer, from_slice};
use holdall_convert::ndjson;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let mut writer = Writer::new(Vec::new()).expect("memory takes a stream");
    let streamed = ndjson::pack_stream(text, &mut writer);
    let Ok(bytes) = ndjson::pack(text) else {
        assert!(streamed.is_err(), "a stream takes what a list does not");
        return;
    };
    let count = streamed.expect("a stream takes what a list takes");
    let stream = writer.finish().expect("memory takes a stream");
    let values: Vec<Value> =
        Reader::new(&stream[..]).values().collect::<Result<_, _>>().expect("a stream is read");
    assert_eq!(values.len() as u64, count);
    let Value::List(items) = from_slice(&bytes).expect("a message is read") else {
        panic!("NDJSON is a list");
    };
    assert!(values == items[..], "a stream has other values");

    let unpacked = ndjson::unpack(&bytes).expect("packed text unpacks");
    let again = ndjson::pack(&unpacked).expect("unpacked text packs");
    assert!(bytes == again, "packing is not stable");
});
