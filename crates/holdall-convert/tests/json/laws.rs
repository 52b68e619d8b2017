//! Laws of every text.

use holdall_convert::json::{JsonSink, pack, unpack};
use proptest::prelude::*;

use super::model::{Json, read, values, write};

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// Cuts, repeats and replaces parts of a text, so that it is nearly JSON.
fn nearly_json() -> impl Strategy<Value = Vec<u8>> {
    let fragments = prop::sample::select(vec![
        "",
        "\"",
        "\\",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "0",
        "-",
        "1e5",
        ".5",
        "e",
        "null",
        "tru",
        "\\u",
        "\\ud800",
        "\\udc00",
        "\t",
        "\n",
        "\u{FEFF}",
        "ä",
        "99999999999999999999",
        "\"a\":",
    ]);
    let bytes = prop_oneof![
        3 => fragments.prop_map(|fragment| fragment.as_bytes().to_vec()),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    (values(), any::<[u8; 8]>(), any::<prop::sample::Index>(), 0_usize..4, bytes).prop_map(
        |(value, seeds, at, cut, fragment)| {
            let mut text = write(&value, &seeds).into_bytes();
            let at = at.index(text.len() + 1);
            let end = (at + cut).min(text.len());
            text.splice(at..end, fragment);
            text
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn values_come_back(value in values(), seeds in any::<[u8; 32]>()) {
        let message = pack(write(&value, &seeds).as_bytes()).unwrap();
        prop_assert_eq!(read(&text(unpack(&message).unwrap())), value);
    }

    #[test]
    fn repeated_round_trips_reach_a_fixed_point(value in values(), seeds in any::<[u8; 32]>()) {
        let message = pack(write(&value, &seeds).as_bytes()).unwrap();
        let back = unpack(&message).unwrap();
        prop_assert_eq!(pack(&back).unwrap(), message);
    }

    #[test]
    fn line_breaks_do_not_change_the_value(value in values(), spaces in 0_usize..5) {
        let message = pack(write(&value, &[]).as_bytes()).unwrap();
        let mut sink = JsonSink::new().indent(spaces);
        holdall::Decoder::new().message(&message, &mut sink).unwrap();
        prop_assert_eq!(pack(&sink.finish().unwrap()).unwrap(), message);
    }

    #[test]
    fn floats_are_rounded_as_the_standard_library_does(
        literal in "-?(0|[1-9][0-9]{0,30})\\.[0-9]{1,30}([eE][+-]?[0-9]{1,3})?"
    ) {
        let value: f64 = literal.parse().unwrap();
        match pack(literal.as_bytes()) {
            Ok(message) => prop_assert_eq!(read(&text(unpack(&message).unwrap())), Json::Float(value.to_bits())),
            Err(_) => prop_assert!(value.is_infinite() || value == 0.0),
        }
    }

    /// serde_json accepts the same texts.
    #[test]
    fn accepts_what_serde_json_accepts(text in nearly_json()) {
        let peer = serde_json::from_slice::<serde_json::Value>(&text);
        match pack(&text) {
            Ok(message) => {
                // It has no integers beyond the range of f64.
                let is_accepted = peer.map_or_else(|error| error.to_string().contains("out of range"), |_| true);
                prop_assert!(is_accepted, "{:?}", String::from_utf8_lossy(&text));
                read(&String::from_utf8(unpack(&message).unwrap()).unwrap());
            }
            Err(error) => {
                prop_assert!(error.offset().is_some_and(|offset| offset <= text.len() as u64));
                // It reads an underflow as 0, and keeps the last of two equal keys.
                let stricter = ["duplicate_key", "range of f64"];
                let is_stricter = stricter.iter().any(|words| error.to_string().contains(words));
                prop_assert!(peer.is_err() || is_stricter, "{:?}: {error}", String::from_utf8_lossy(&text));
            }
        }
    }

    #[test]
    fn no_bytes_cause_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = pack(&bytes);
        let _ = unpack(&bytes);
    }
}
