//! NDJSON: lines, and the places of their faults.

use holdall::{Code, Encoder, Value};
use holdall_convert::Format::{Json, Ndjson};
use holdall_convert::{Packer, ndjson};

use super::bytes::{pack, unpack, write};

#[test]
fn lines_are_the_items_of_a_list() {
    let cases = [
        ("", "[]", ""),
        ("\n \t\r\n\n", "[]", ""),
        ("1\n", "[1]", "1\n"),
        ("1", "[1]", "1\n"),
        ("1\r\n2\r\n", "[1,2]", "1\n2\n"),
        ("1\n\n2", "[1,2]", "1\n2\n"),
        (
            "  {\"a\": [1, 2]}  \n[]\nnull\n\"\\n\"\n",
            r#"[{"a":[1,2]},[],null,"\n"]"#,
            "{\"a\":[1,2]}\n[]\nnull\n\"\\n\"\n",
        ),
    ];
    for (text, json, back) in cases {
        let message = pack(Ndjson, text.as_bytes()).unwrap();
        // Every way gives the bytes of the list.
        assert_eq!(message, pack(Json, json.as_bytes()).unwrap(), "{text:?}");
        assert_eq!(String::from_utf8(unpack(Ndjson, &message).unwrap()).unwrap(), back);
        let streamed = Packer::new(Ndjson).pack_from(&mut Encoder::new(), text.as_bytes()).unwrap();
        assert_eq!(streamed, message);
    }
}

#[test]
fn faults_have_their_line() {
    let cases = [
        (
            "1\n\n{\"a\":}\n",
            "bad_input at offset 8 in $[1].a: expected a value, got `}`, in line 3",
        ),
        (
            "1\n2 3\n",
            "bad_input at offset 4 in $[1]: expected the end of the text, got `3`, in line 2",
        ),
        (
            "[1,\n2]\n",
            "bad_input at offset 3 in $[0][1]: expected a value, got the end of the text, in line 1",
        ),
        (
            "1\n\u{FEFF}2\n",
            "bad_input at offset 2 in $[1]: expected text without a byte order mark, got EF BB BF, in line 2",
        ),
        (
            "{}\n{\"a\":{\"b\":1,\"b\":2}}",
            "duplicate_key at offset 15 in $[1].a.b: expected each key once, got `b` twice, in line 2",
        ),
    ];
    for (text, words) in cases {
        assert_eq!(pack(Ndjson, text.as_bytes()).unwrap_err().to_string(), words);
    }
    let error = ndjson::pack(b"1\n\"\xFF\"\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "bad_input at offset 3 in $[1]: expected UTF-8, got FF, in line 2"
    );
}

#[test]
fn only_lists_have_lines() {
    for json in ["1", "{}", "null", "\"a\""] {
        let message = pack(Json, json.as_bytes()).unwrap();
        let error = unpack(Ndjson, &message).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$"), "{json}");
    }
    let items = || vec![Value::from(1), Value::from(2)];
    assert_eq!(write(Ndjson, &Value::tuple(items())).unwrap(), b"1\n2\n");
    assert_eq!(write(Ndjson, &Value::Array(items().into())).unwrap(), b"1\n2\n");
    assert_eq!(write(Ndjson, &Value::list([Value::list(items())])).unwrap(), b"[1,2]\n");
}

#[test]
fn a_stream_is_converted_only_once() {
    let mut encoder = Encoder::new();
    let packer = Packer::new(Ndjson);
    packer.pack_from(&mut encoder, &b"1\n"[..]).unwrap();
    // A reused encoder first tries the schema of the previous message, which does not fit here.
    let error = packer.pack_from(&mut encoder, &b"\"a\"\n"[..]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "bad_source: expected a new encoder for each stream, which can be read only once, got a second read"
    );
}
