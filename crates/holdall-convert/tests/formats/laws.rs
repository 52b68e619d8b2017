//! Laws of every value and every input.

use holdall::Code;
use holdall_convert::Format::{Cbor, Csv, Msgpack, Ndjson};
use proptest::collection::vec;
use proptest::prelude::*;

use super::bytes::{WITHOUT_HEADERS, pack, read, unpack, write};
use super::values::{of_cbor, of_msgpack, one_of_each, tables};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn values_of_msgpack_survive(value in of_msgpack()) {
        let bytes = write(Msgpack, &value).unwrap();
        prop_assert_eq!(read(Msgpack, &bytes).unwrap(), value);
    }

    #[test]
    fn values_of_cbor_survive(value in of_cbor()) {
        let bytes = write(Cbor, &value).unwrap();
        prop_assert_eq!(read(Cbor, &bytes).unwrap(), value);
    }

    #[test]
    fn tables_survive(table in tables()) {
        let text = write(Csv, &table).unwrap();
        prop_assert_eq!(read(Csv, &text).unwrap(), table, "{}", String::from_utf8_lossy(&text));
    }

    /// A value that was read once has one form.
    #[test]
    fn repeated_round_trips_reach_a_fixed_point(bytes in vec(any::<u8>(), 0..100), format in prop::sample::select(WITHOUT_HEADERS.to_vec())) {
        if let Ok(message) = pack(format, &bytes) {
            let back = unpack(format, &message).unwrap();
            let again = pack(format, &back).unwrap();
            prop_assert_eq!(unpack(format, &again).unwrap(), back);
        }
    }

    /// Inputs that are truncated, or have a changed byte, are rejected at an offset inside or read as another value;
    /// neither panics.
    #[test]
    fn damaged_input_does_not_panic(value in of_cbor(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        for format in [Cbor, Msgpack] {
            let Ok(mut bytes) = write(format, &value) else { continue };
            let at = at.index(bytes.len());
            if cut {
                bytes.truncate(at);
                prop_assert!(pack(format, &bytes).is_err());
            } else {
                bytes[at] = byte;
            }
            match pack(format, &bytes) {
                Ok(message) => {
                    let back = unpack(format, &message).unwrap();
                    prop_assert!(pack(format, &back).unwrap() == message);
                }
                Err(error) => {
                    prop_assert!(matches!(error.code(), Code::BadInput | Code::DuplicateKey), "{error}");
                    prop_assert!(error.offset().is_some_and(|offset| offset <= bytes.len() as u64), "{error}");
                }
            }
        }
    }

    #[test]
    fn no_text_causes_a_panic(text in "[a,\"\r\n{}\\[\\]1: é]{0,40}") {
        for format in [Ndjson, Csv] {
            if let Err(error) = pack(format, text.as_bytes()) {
                prop_assert!(error.offset().is_some_and(|offset| offset <= text.len() as u64), "{error}");
            }
        }
    }
}

/// Values that a format lacks are rejected with their path, and never written in another form.
#[test]
fn values_survive_take_the_nearest_form_or_are_rejected() {
    for value in one_of_each() {
        for format in [Msgpack, Cbor] {
            match write(format, &value) {
                Ok(bytes) => {
                    let back = read(format, &bytes).unwrap();
                    // Once in a form that the format has, it stays.
                    assert_eq!(write(format, &back).unwrap(), bytes, "{value:?}");
                }
                Err(error) => assert_eq!(error.code(), Code::Unrepresentable, "{value:?}"),
            }
        }
    }
}
