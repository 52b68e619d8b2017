//! Deep, wide and hostile inputs: no recursion, no allocation for unproven lengths, at most linear time.

use std::time::Duration;

use cpu_time::ThreadTime;
use holdall::{BigInt, Code, Decoder, Encoder, Limits, Value};
use holdall_convert::Format::{self, Cbor, Csv, Msgpack, Ndjson};
use holdall_convert::{Packer, Unpacker};

use super::bytes::{hex, pack, unpack};

/// Runs on a stack that recursion would soon exhaust.
fn on_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(run).unwrap();
    thread.join().unwrap();
}

fn comes_back(format: Format, input: &[u8]) {
    let message = pack(format, input).unwrap();
    // No assert_eq: it would print megabytes.
    assert!(unpack(format, &message).unwrap() == input);
    let copied = Unpacker::new(format).copies(true).storage(true);
    assert!(copied.unpack(&mut Decoder::new(), &message).unwrap() == input);
}

const DEPTH: usize = 100_000;

#[test]
fn a_hundred_thousand_levels_of_lists() {
    on_small_stack(|| {
        comes_back(Msgpack, &[&[0x91].repeat(DEPTH)[..], &[0x90]].concat());
        comes_back(Cbor, &[&[0x81].repeat(DEPTH)[..], &[0x80]].concat());
    });
}

#[test]
fn a_hundred_thousand_levels_of_maps() {
    on_small_stack(|| {
        comes_back(Msgpack, &[&b"\x81\xA1a".repeat(DEPTH)[..], b"\x01"].concat());
        comes_back(Cbor, &[&b"\xA1\x61a".repeat(DEPTH)[..], b"\x01"].concat());
        comes_back(Msgpack, &[&b"\x81\x01".repeat(DEPTH)[..], b"\x01"].concat());
    });
}

#[test]
fn a_hundred_thousand_levels_of_keys_and_tags() {
    on_small_stack(|| {
        // Each map is the key of the one around it.
        comes_back(Cbor, &[&b"\xA1".repeat(DEPTH)[..], b"\x01", &b"\x02".repeat(DEPTH)].concat());
        comes_back(Cbor, &[&b"\xD9\xD9\xF8".repeat(DEPTH)[..], b"\x01"].concat());
        comes_back(Cbor, &[&b"\xD9\x01\x02\x81".repeat(DEPTH)[..], b"\x01"].concat());
    });
}

#[test]
fn a_hundred_thousand_levels_of_unknown_length() {
    on_small_stack(|| {
        let message =
            pack(Cbor, &[&[0x9F].repeat(DEPTH)[..], &[0xFF].repeat(DEPTH)].concat()).unwrap();
        assert!(
            unpack(Cbor, &message).unwrap() == [&[0x81].repeat(DEPTH - 1)[..], &[0x80]].concat()
        );
        let error = pack(Cbor, &[0x9F].repeat(DEPTH)).unwrap_err();
        assert_eq!(error.offset(), Some(DEPTH as u64));
    });
}

#[test]
fn a_hundred_thousand_levels_in_a_line() {
    on_small_stack(|| {
        let line = "[".repeat(DEPTH) + &"]".repeat(DEPTH) + "\n";
        comes_back(Ndjson, line.as_bytes());
    });
}

/// Their digits would take longer than linear time, also in errors.
#[test]
fn integers_of_many_digits_are_errors_in_text() {
    let digits = "9".repeat(131_073);
    let rows = format!("a,b\n1,2\n3,{digits}\n");
    let error =
        Packer::new(Csv).infer(true).pack(&mut Encoder::new(), rows.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "bad_input at offset 8 in $[1].b: expected an integer of at most 131072 digits; store text for more, got one of 131073 bytes, in the row of line 3"
    );
    // Text is text.
    assert_eq!(unpack(Csv, &pack(Csv, rows.as_bytes()).unwrap()).unwrap(), rows.as_bytes());
    let line = format!("1\n[{digits}]\n");
    let error = pack(Ndjson, line.as_bytes()).unwrap_err();
    assert_eq!((error.code(), error.offset(), error.path()), (Code::BadInput, Some(3), "$[1][0]"));
    let mut bytes = vec![0; 1_000_000];
    bytes.push(1);
    let row = Value::record([("a", Value::from(BigInt::from_le_bytes(&bytes).unwrap()))]);
    let message = holdall::to_vec(&Value::list([row])).unwrap();
    for (format, words) in [
        (
            Csv,
            "expected an integer of at most 131072 digits; store text for more, got one of 1000001 bytes",
        ),
        (
            Ndjson,
            "expected an integer of at most 131072 digits; store text for more, got one of 1000001 bytes",
        ),
        (
            Msgpack,
            "expected an integer of 64 bits, because MessagePack has no larger ones; store a string instead, got an integer of 1000001 bytes",
        ),
    ] {
        let error = unpack(format, &message).unwrap_err();
        assert_eq!(error.to_string(), format!("unrepresentable in $[0].a: {words}"));
    }
    assert_eq!(pack(Cbor, &unpack(Cbor, &message).unwrap()).unwrap(), message);
}

#[test]
fn impossible_lengths_allocate_nothing() {
    for input in [
        "DD FF FF FF FF",
        "DF FF FF FF FF",
        "DB FF FF FF FF",
        "C6 FF FF FF FF",
        "C9 FF FF FF FF 00",
        "91 DD 7F FF FF FF 01",
    ] {
        assert_eq!(pack(Msgpack, &hex(input)).unwrap_err().code(), Code::BadInput, "{input}");
    }
    for input in [
        "9B 7F FF FF FF FF FF FF FF",
        "BB 7F FF FF FF FF FF FF FF",
        "7B FF FF FF FF FF FF FF FF",
        "5A FF FF FF FF",
        "C2 5A FF FF FF FF",
        "9F 9A FF FF FF FF 01",
    ] {
        assert_eq!(pack(Cbor, &hex(input)).unwrap_err().code(), Code::BadInput, "{input}");
    }
}

#[test]
fn names_repeated_in_every_row_stay_within_the_limit() {
    let name = "n".repeat(10_000);
    let rows = (0..5_000).map(|_| Value::record([(name.as_str(), Value::Null)]));
    let message = holdall::to_vec(&Value::list(rows)).unwrap();
    for format in [Msgpack, Cbor, Ndjson] {
        let unpack = |bytes: usize| {
            let limits = Limits::new().budget(1 << 20).output(bytes);
            Unpacker::new(format).unpack(&mut Decoder::new().limits(limits), &message)
        };
        assert!(unpack(1 << 26).is_ok());
        assert_eq!(unpack(1 << 25).unwrap_err().code(), Code::LimitOutput);
    }
    let mut encoder = Encoder::new().limits(Limits::new().output(10));
    let error = Packer::new(Msgpack).pack(&mut encoder, &hex("A8 6162636465666768")).unwrap_err();
    assert_eq!(error.code(), Code::LimitOutput);
    let mut decoder = Decoder::new().limits(Limits::new().budget(8));
    let message = pack(Cbor, &hex("83010203")).unwrap();
    let error = Unpacker::new(Cbor).unpack(&mut decoder, &message).unwrap_err();
    assert_eq!(error.code(), Code::LimitBudget);
}

/// Ten times the input may take forty times as long, because caches differ; quadratic code would take a
/// hundred.
fn is_linear(format: Format, make: impl Fn(usize) -> Vec<u8>) {
    let time = |input: Vec<u8>| {
        let runs = (0..3).map(|_| {
            let start = ThreadTime::now();
            let message = pack(format, &input).unwrap();
            unpack(format, &message).unwrap();
            start.elapsed()
        });
        runs.min().unwrap_or_default()
    };
    let (small, large) = (time(make(5_000)), time(make(50_000)));
    assert!(large < small * 40 + Duration::from_millis(100), "{small:?}, then {large:?}");
}

#[test]
fn nested_maps_with_siblings_take_linear_time() {
    is_linear(Msgpack, |count| {
        [&b"\x83\xA1a\x01\xA1b\x91\x02\xA1c".repeat(count)[..], b"\x80"].concat()
    });
    is_linear(Cbor, |count| {
        [&b"\xA3\x61a\x01\x61b\x81\x02\x61c".repeat(count)[..], b"\xA0"].concat()
    });
    is_linear(Cbor, |count| {
        [&b"\xA3\x01\x01\x61b\x81\x02\x03".repeat(count)[..], b"\xA0"].concat()
    });
}

/// Comparing keys by all their contents would walk each level once for each level above.
#[test]
fn maps_as_keys_of_maps_take_linear_time() {
    is_linear(Cbor, |count| {
        [&b"\xA2".repeat(count)[..], b"\x01", &b"\x02\x00\x03".repeat(count)].concat()
    });
    is_linear(Msgpack, |count| {
        [&b"\x82".repeat(count)[..], b"\x01", &b"\x02\x90\x03".repeat(count)].concat()
    });
}

#[test]
fn wide_maps_take_linear_time() {
    is_linear(Cbor, |count| {
        let entries =
            (0..count as u32).flat_map(|key| [&[0x1A][..], &key.to_be_bytes(), &[1]].concat());
        [&[0xBA][..], &(count as u32).to_be_bytes()].concat().into_iter().chain(entries).collect()
    });
}

#[test]
fn many_parts_take_linear_time() {
    is_linear(Cbor, |count| [&b"\x7F"[..], &b"\x61a".repeat(count), b"\xFF"].concat());
}

#[test]
fn many_rows_and_lines_take_linear_time() {
    is_linear(Csv, |count| [&b"a,b\n"[..], &b"1,\"x\"\n".repeat(count)].concat());
    is_linear(Ndjson, |count| b"{\"a\":1}\n".repeat(count));
}

/// The names of a message count towards its own limit alone.
#[test]
fn a_sink_writes_any_number_of_unlike_messages() {
    macro_rules! check {
        ($sink:expr) => {
            let mut sink = $sink.limit(1_000);
            for number in 0..100 {
                let row = Value::record([(format!("{number:0>100}"), Value::from(number))]);
                let message = holdall::to_vec(&Value::list([row])).unwrap();
                Decoder::new().message(&message, &mut sink).unwrap();
                sink.take().unwrap();
            }
        };
    }
    check!(holdall_convert::json::JsonSink::new());
    check!(holdall_convert::msgpack::MsgpackSink::new());
    check!(holdall_convert::cbor::CborSink::new());
    check!(holdall_convert::csv::CsvSink::new());
}
