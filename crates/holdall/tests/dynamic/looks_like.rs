//! Errors name the format of bytes that are neither message nor stream, and what reads them.

use std::io::Write as _;

use holdall::{LooksLike, Reader, Value, Writer};

/// The errors of readers of messages and of streams.
fn texts(bytes: &[u8]) -> (String, String) {
    let of_message = holdall::from_slice::<Value>(bytes).unwrap_err();
    let of_stream = Reader::new(bytes).values::<Value>().next().unwrap().unwrap_err();
    assert_eq!(of_message.looks_like(), of_stream.looks_like());
    (of_message.to_string(), of_stream.to_string())
}

#[test]
fn other_formats_are_named_with_their_readers() {
    let pack = "makes holdall data of it";
    for (bytes, got, tail) in [
        (
            &b"\x80\x04\x95\x05\0\0\0\0\0\0\0]\x94K\x01a."[..],
            "80",
            "a pickle: Python's `pickle` reads it".to_owned(),
        ),
        (b"{\"a\": 1}", "7B", format!("JSON: `holdall_convert::json::pack` {pack}")),
        (b"\x81\xA1a\x01", "81", format!("MessagePack: `holdall_convert::msgpack::pack` {pack}")),
        (b"\x1F\x8B\x08\0\0\0\0\0\0\x03", "1F", "gzip: decompress it first".to_owned()),
        (b"\x28\xB5\x2F\xFD\x04\0\x09\0\0\x31", "28", "zstd: decompress it first".to_owned()),
        (b"PAR1\x15\x04", "50", "a Parquet file: the crate `parquet` reads it".to_owned()),
        (b"ARROW1\0\0", "41", "an Arrow file: the crate `arrow` reads it".to_owned()),
        (
            b"\xFF\xFF\xFF\xFF\x78\0\0\0\x10",
            "FF",
            "an Arrow stream: the crate `arrow` reads it".to_owned(),
        ),
        (b"FEA1\0\0\0\0", "46", "a Feather file: Python's `pyarrow.feather` reads it".to_owned()),
        (b"PK\x03\x04-\0\0\0", "50", "a zip archive: extract its files first".to_owned()),
        (b"\x93NUMPY\x01\0", "93", "an npy file: the crate `ndarray-npy` reads it".to_owned()),
    ] {
        let (of_message, of_stream) = texts(bytes);
        let head =
            |expected: &str| format!("bad_magic at offset 0: expected {expected}, got {got}");
        assert_eq!(of_message, format!("{}; this looks like {tail}", head("C1")));
        assert_eq!(
            of_stream,
            format!("{}; this looks like {tail}", head("the beginning of a stream"))
        );
    }
    let (of_message, of_stream) = texts(b"id = 7\n");
    assert_eq!(of_message, "bad_magic at offset 0: expected C1, got 69");
    assert_eq!(of_stream, "bad_magic at offset 0: expected the beginning of a stream, got 69");
}

#[test]
fn messages_and_streams_are_distinguished() {
    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.write(&7_u8).unwrap();
    let stream = writer.finish().unwrap();
    let text = "unsupported at offset 1: expected a message, got F1; this looks like a stream: `holdall::Reader` reads it";
    let error = holdall::from_slice::<u8>(&stream).unwrap_err();
    assert_eq!(error.to_string(), text);
    assert_eq!(error.looks_like(), Some(LooksLike::Stream));
    assert_eq!(holdall::message_len(&stream).unwrap_err().to_string(), text);
    assert_eq!(holdall::Schema::of_message(&stream).unwrap_err().to_string(), text);
    assert_eq!(holdall::Metadata::of_message(&stream).unwrap_err().to_string(), text);

    let message = holdall::to_vec(&7_u8).unwrap();
    let text = "bad_version at offset 1: expected the beginning of a stream, got 10; \
                this looks like a message: `holdall::from_slice` reads it";
    let error = Reader::new(&message[..]).values::<u8>().next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), text);
    assert_eq!(error.looks_like(), Some(LooksLike::Message));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.hold");
    std::fs::File::create(&path).unwrap().write_all(&message).unwrap();
    assert_eq!(Writer::append(&path).err().unwrap().to_string(), text);
    // Nothing is known about other versions.
    let error = Reader::new(&b"\xC1\x20\x01"[..]).values::<u8>().next().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "bad_version at offset 1: expected the beginning of a stream, got 20"
    );
}

#[test]
fn a_feeder_examines_all_bytes_passed() {
    let error = holdall::stream::Feeder::new().feed(b"[{\"id\": 1}]").unwrap_err();
    assert_eq!(error.looks_like(), Some(LooksLike::Json));
    let error = holdall::stream::Feeder::new().feed(b"[section]").unwrap_err();
    assert_eq!(error.looks_like(), None);
}
