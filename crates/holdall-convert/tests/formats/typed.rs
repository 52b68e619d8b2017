//! Values of Rust types straight to every format and back, by holdall's derives and by serde's.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::{Duration, SystemTime};

use holdall::{Code, Decode, DecodeOwned, Encode, Value};
use holdall_convert::{Format, Packer, Unpacker};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Encode, Decode, Serialize, Deserialize)]
struct Row {
    id: i64,
    small: u8,
    large: u64,
    ratio: f64,
    single: f32,
    name: String,
    is_on: bool,
    note: Option<String>,
    score: Option<f64>,
}

/// With others inside.
#[derive(Clone, Debug, PartialEq, Encode, Decode, Serialize, Deserialize)]
struct Document {
    title: String,
    rows: Vec<Row>,
    by_name: BTreeMap<String, i32>,
    pair: (u8, String),
    nested: Vec<Vec<u16>>,
}

/// Texts that a table without types does not take for numbers, booleans or null.
fn words() -> impl Strategy<Value = String> {
    "[x-z][\\PC,\"\n]{0,9}"
}

fn rows(text: BoxedStrategy<String>) -> impl Strategy<Value = Vec<Row>> {
    let finite = any::<f64>().prop_filter("finite", |value| value.is_finite());
    let single = any::<f32>().prop_filter("finite", |value| value.is_finite());
    let numbers = (any::<i64>(), any::<u8>(), any::<u64>(), 0_u32..64, finite, single);
    let rest = (
        text.clone(),
        any::<bool>(),
        // In CSV an absent text and an empty one are the same.
        proptest::option::of(text.prop_filter("not empty", |text| !text.is_empty())),
        proptest::option::of(-1e9..1e9),
    );
    let row = (numbers, rest).prop_map(|(numbers, (name, is_on, note, score))| {
        let (id, small, large, shift, ratio, single) = numbers;
        let (id, large) = (id >> shift, large >> shift);
        Row { id, small, large, ratio, single, name, is_on, note, score }
    });
    vec(row, 0..6)
}

fn documents() -> impl Strategy<Value = Document> {
    let names = btree_map("[a-c]{0,2}", any::<i32>(), 0..4);
    let pair = (any::<u8>(), words());
    (words(), rows(words().boxed()), names, pair, vec(vec(any::<u16>(), 0..3), 0..3)).prop_map(
        |(title, rows, by_name, pair, nested)| Document { title, rows, by_name, pair, nested },
    )
}

/// A value comes back from a format, or is refused at this path.
fn comes_back<T: Encode + DecodeOwned + Debug + PartialEq>(
    format: Format,
    value: &T,
    refused_at: Option<&str>,
) -> Option<Vec<u8>> {
    let written = format.to_vec(value);
    match refused_at {
        None => {
            let bytes = written.unwrap_or_else(|error| panic!("{format:?}: {error}"));
            let back = format.from_slice::<T>(&bytes);
            let back = back.unwrap_or_else(|error| panic!("{format:?}: {error}"));
            assert_eq!(back, *value, "{format:?}");
            Some(bytes)
        }
        Some(path) => {
            let error = written.expect_err("a value that the format lacks");
            assert_eq!((error.code(), error.path()), (Code::Unrepresentable, path), "{format:?}");
            assert_eq!(error.offset(), None, "of a message that no caller has");
            None
        }
    }
}

/// Where a format refuses a table.
fn refusal_of_rows(format: Format) -> Option<&'static str> {
    // A document is the root of BSON.
    (format == Format::Bson).then_some("$")
}

/// Where a format refuses a document.
fn refusal_of_document(format: Format, document: &Document) -> Option<String> {
    match format {
        Format::Ndjson | Format::Csv => Some("$".to_owned()),
        Format::Bson => {
            let is_large = |row: &Row| i64::try_from(row.large).is_err();
            let at = document.rows.iter().position(is_large)?;
            Some(format!("$.rows[{at}].large"))
        }
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn rows_come_back_from_every_format_or_are_refused(rows in rows(".{0,9}".boxed())) {
        for format in [Format::ALL, &[Format::Holdall]].concat() {
            comes_back(format, &rows, refusal_of_rows(format));
        }
    }

    #[test]
    fn documents_come_back_from_every_format_or_are_refused(document in documents()) {
        for format in [Format::ALL, &[Format::Holdall]].concat() {
            comes_back(format, &document, refusal_of_document(format, &document).as_deref());
        }
    }
}

#[cfg(feature = "serde")]
mod by_serde {
    use holdall_convert::serde::{from_slice, to_vec};

    use super::*;

    /// A value comes back by serde, too, and is written as by holdall's derive in the forms of serde where no type is around it.
    fn also<T>(format: Format, value: &T, refused_at: Option<&str>)
    where
        T: Encode + DecodeOwned + Serialize + for<'de> Deserialize<'de> + Debug + PartialEq,
    {
        let derived = comes_back(format, value, refused_at);
        let written = to_vec(format, value);
        if derived.is_none() {
            let error = written.unwrap_err();
            let path = refused_at.unwrap_or_default();
            assert_eq!((error.code(), error.path()), (Code::Unrepresentable, path), "{format:?}");
            return;
        }
        let bytes = written.unwrap_or_else(|error| panic!("{format:?}: {error}"));
        let like_serde = Unpacker::new(format).like_serde(true).to_vec(value);
        let is_same = like_serde.is_ok_and(|derived| derived == bytes);
        assert!(is_same || matches!(format, Format::Dlhn | Format::Holdall), "{format:?}");
        let back = from_slice::<T>(format, &bytes);
        let back = back.unwrap_or_else(|error| panic!("{format:?}: {error}"));
        assert_eq!(back, *value, "{format:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn values_of_serde_come_back_from_every_format(rows in rows(words().boxed()), document in documents()) {
            for format in [Format::ALL, &[Format::Holdall]].concat() {
                also(format, &rows, refusal_of_rows(format));
                let refused_at = refusal_of_document(format, &document);
                also(format, &document, refused_at.as_deref());
            }
        }
    }

    #[test]
    fn errors_of_serde_have_their_place_in_the_value_or_the_input() {
        let error = from_slice::<Vec<u8>>(Format::Json, b"[1, 2,").unwrap_err();
        assert_eq!((error.code(), error.offset()), (Code::BadInput, Some(6)));
        let error = from_slice::<Vec<Row>>(Format::Csv, b"id\nx\n").unwrap_err();
        assert_eq!((error.code(), error.offset()), (Code::Unconvertible, None));
        assert_eq!(error.path(), "$[0].id");
        // Cells that are all numbers are no text, unless a schema says so.
        #[derive(Debug, PartialEq, Deserialize)]
        struct Place {
            zip: String,
        }
        let error = from_slice::<Vec<Place>>(Format::Csv, b"zip\n10001\n").unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[0].zip"));
        let text = holdall::schema_text::SchemaText::parse("list(record {zip: string})").unwrap();
        let packer = Packer::new(Format::Csv).names(text.schema());
        let places: Vec<Place> = from_slice(packer, b"zip\n10001\n").unwrap();
        assert_eq!(places, [Place { zip: "10001".to_owned() }]);
    }
}

#[test]
fn times_are_in_the_formats_that_have_them() {
    let when = vec![SystemTime::UNIX_EPOCH + Duration::from_secs(86_400)];
    for (format, is_held) in [
        (Format::Json, false),
        (Format::Ndjson, false),
        (Format::Msgpack, true),
        (Format::Cbor, true),
        (Format::Dlhn, true),
    ] {
        comes_back(format, &when, (!is_held).then_some("$[0]"));
    }
    let storage = Unpacker::new(Format::Json).storage(true);
    assert_eq!(storage.to_vec(&when).unwrap(), br#"["1970-01-02T00:00:00Z"]"#);
}

/// CSV has only text, so the type of the program says what is text.
#[test]
fn text_in_a_table_stays_text() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    struct Cell {
        text: String,
        some: Option<String>,
        number: f64,
    }
    let cell = |text: &str, some: Option<&str>, number| {
        let (text, some) = (text.to_owned(), some.map(str::to_owned));
        Cell { text, some, number }
    };
    let cells = vec![cell("7", Some("1.5"), 1.0), cell("", None, 2.0), cell("true", None, -0.0)];
    let csv = Format::Csv.to_vec(&cells).unwrap();
    assert_eq!(csv, b"text,some,number\n7,1.5,1.0\n\"\",,2.0\ntrue,,-0.0\n");
    assert_eq!(Format::Csv.from_slice::<Vec<Cell>>(&csv).unwrap(), cells);
    // Of a program that knows less.
    #[derive(Debug, PartialEq, Encode, Decode)]
    struct Less {
        text: String,
    }
    let less: Vec<Less> = Format::Csv.from_slice(&csv).unwrap();
    assert_eq!(less[1], Less { text: String::new() });
}

#[test]
fn values_of_any_type_take_what_the_data_have() {
    let value = Value::record([("a", Value::from(vec![1, 2])), ("b", Value::Null)]);
    #[derive(Debug, PartialEq, Encode, Decode)]
    struct Around {
        any: Value,
    }
    for format in [Format::Json, Format::Msgpack, Format::Cbor, Format::Bson] {
        comes_back(format, &value, None);
        comes_back(format, &Around { any: value.clone() }, None);
    }
}

#[test]
fn errors_have_their_place_in_the_value_or_the_input() {
    let cases: [(Format, &[u8], &str); 6] = [
        (Format::Json, b"[1, 2", "bad_input at offset 5 in $[2]"),
        (Format::Json, b"[1, 300]", "unconvertible in $[1]: expected u8, got 300"),
        (Format::Ndjson, b"1\nx\n", "bad_input at offset 2 in $[1]"),
        (Format::Csv, b"a\n1,2\n", "bad_input at offset 2 in $[0]"),
        (Format::Cbor, b"\x82\x01", "bad_input at offset 0 in $"),
        (Format::Dlhn, b"\x14\x03\x01", "bad_input at offset 3 in $[0]"),
    ];
    for (format, input, begin) in cases {
        let error = format.from_slice::<Vec<u8>>(input).unwrap_err();
        assert!(error.to_string().starts_with(begin), "{error}");
    }
}
