//! Every column and row of a view is what the decoder gives.

use holdall::bindings::kernel::IS_FORMAT_ORDER;
use holdall::view::{Bytes, Values};
use holdall::{Alignment, Code, Decoder, Encoder, Profile, Value, View, to_vec};
use proptest::prelude::*;

use super::law::check_rows;
use super::touched::Counted;
use super::walk;
use crate::common::make::{int, list, record};
use crate::common::vectors::{self, Form};
use crate::dynamic::properties::{alike_values, few_values, long_lists, values};

/// Compares all columns and rows of a message in memory and of one read in parts; returns the number of columns.
fn check(message: &[u8], decoder: &Decoder, value: &Value) -> usize {
    let counted = Counted::of(message);
    let views = [decoder.view(message), decoder.view(Bytes::reader(counted).unwrap())];
    let mut count = 0;
    for view in views {
        let view = view.unwrap();
        let own = view.value().unwrap();
        assert_eq!(own, *value);
        // A record can become a map in the schema.
        count = walk::compare(view.root(), &[Some(&own)]).unwrap();
        check_rows(&view, value);
    }
    count
}

#[test]
fn every_column_and_row_of_the_vectors_equals_the_decoder_s() {
    let (mut messages, mut columns) = (0, 0);
    for vector in vectors::valid() {
        if vector.input.form != Form::Message {
            continue;
        }
        let mut decoder = Decoder::new().limits(vector.input.limits());
        vector.input.known_schema().unwrap().iter().for_each(|schema| decoder.add_schema(schema));
        let mut builder = holdall::ValueBuilder::new();
        decoder.message(&vector.input.bytes, &mut builder).unwrap();
        let value = builder.finish().unwrap();
        messages += 1;
        columns += check(&vector.input.bytes, &decoder, &value);
    }
    assert!(messages > 400 && columns > 400, "{messages} messages, {columns} columns");
}

fn encoded(value: &Value) -> impl Iterator<Item = Vec<u8>> {
    let profiles = [Profile::Fast, Profile::Balanced, Profile::Small];
    let all = profiles.into_iter().flat_map(|profile| {
        [Alignment::Off, Alignment::On]
            .map(|aligned| (profile, aligned, false))
            .into_iter()
            .chain([(profile, Alignment::Automatic, true)])
    });
    all.map(|(profile, aligned, checksum)| {
        let encoder = Encoder::new().profile(profile).aligned(aligned).checksum(checksum);
        let mut encoder = encoder;
        encoder.message(&mut &*value).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_column_and_row_equals_the_value(
        value in prop_oneof![values(), few_values(), alike_values(), long_lists()]
    ) {
        for message in encoded(&value) {
            check(&message, &Decoder::new(), &value);
        }
    }
}

#[test]
fn columns_of_long_lists_of_records_are_found_in_every_profile() {
    let user = |n: i64| {
        let city = if n % 3 == 0 { Value::Null } else { Value::from(format!("city {}", n % 7)) };
        let mut fields = vec![
            ("id", int(n)),
            ("score", Value::from(n as f64 / 4.0)),
            ("small", int(n % 5 - 2)),
            ("far", int(if n % 200 == 7 { 1 << 50 } else { n % 2 })),
            ("tags", list((0..n % 4).map(|tag| Value::from(format!("tag {tag} of {n}"))))),
            ("address", record([("city", city), ("ok", Value::from(n % 2 == 0))])),
        ];
        if n % 10 == 0 {
            fields.push(("rare", Value::from("seldom")));
        }
        record(fields)
    };
    let value = record([("users", list((0..500).map(user))), ("end", int(7))]);
    for message in encoded(&value) {
        assert!(check(&message, &Decoder::new(), &value) >= 10);
        let view = View::new(&message).unwrap();
        let ids = view.site("users.id").unwrap().column().unwrap();
        assert_eq!(ids.values().as_slice::<i64>().unwrap(), (0..500).collect::<Vec<_>>());
        let rare = view.site("users.rare").unwrap().column().unwrap();
        assert_eq!((rare.len(), rare.values().len()), (500, 50));
        let row = view.site("users").unwrap().row(333).unwrap();
        assert_eq!(row, user(333));
        let all = view.columns();
        let paths: Vec<String> = all.iter().map(|site| site.path()).collect();
        assert_eq!(paths[0], "$.users[].id");
        assert!(paths.contains(&"$.users[].address.city".to_owned()), "{paths:?}");
    }
}

#[test]
fn raw_columns_are_slices_of_the_message_where_they_are_aligned() {
    let floats: Vec<f64> = (0..1000).map(f64::from).collect();
    let message = Encoder::new().aligned(Alignment::On).encode(&floats).unwrap();
    let view = View::new(&message).unwrap();
    let column = view.root().items().unwrap().column().unwrap();
    let Values::F64(rows) = column.values() else { panic!("{column:?}") };
    assert_eq!(**rows, floats[..]);
    let (inside, at) = (message.as_ptr_range(), rows.as_ptr().cast());
    let is_aligned = message.as_ptr().addr().is_multiple_of(8);
    assert_eq!(inside.contains(&at), is_aligned && IS_FORMAT_ORDER);
}

#[test]
fn a_missing_place_is_an_error_that_names_the_others() {
    let message = to_vec(&record([("a", int(1)), ("b c", list([int(2)]))])).unwrap();
    let view = View::new(&message).unwrap();
    let cases = [
        (view.site("x"), "missing_field in $: expected one of a, b c, got x"),
        (view.site("a.b"), "missing_field in $.a: expected a place with fields, got int"),
        (view.root().keys(), "missing_field in $: expected a place with keys, got record"),
    ];
    for (site, text) in cases {
        let error = site.unwrap_err();
        assert_eq!(error.to_string(), text);
    }
    let error = view.root().column().unwrap_err();
    assert_eq!(error.code(), Code::Unsupported);
    assert_eq!(view.root().len().unwrap(), None);
}

#[test]
fn a_list_inside_another_is_a_row_and_has_no_items_of_its_own() {
    let some = || list([int(5), int(6)]);
    let row = |value| record([("a", value)]);
    let tables = [
        list([row(Value::Null), row(some())]),
        list([record([]), row(some())]),
        list([row(some())]),
    ];
    for value in tables {
        let message = to_vec(&value).unwrap();
        let view = View::new(&message).unwrap();
        let place = view.root().field("a").unwrap();
        assert_eq!(place.len().unwrap(), None, "{value:?}");
        assert_eq!(place.row(0).unwrap_err().code(), Code::IndexOutOfRange, "{value:?}");
        let rows = view.root().len().unwrap().unwrap();
        assert_eq!(place.column().unwrap().len() as u64, rows, "{value:?}");
    }
    for (value, path) in
        [(row(some()), &["a"][..]), (record([("outer", row(some()))]), &["outer", "a"])]
    {
        let message = to_vec(&value).unwrap();
        let view = View::new(&message).unwrap();
        let place = path.iter().fold(view.root(), |place, name| place.field(name).unwrap());
        assert_eq!(place.len().unwrap(), Some(2));
        assert_eq!(place.row(1).unwrap(), int(6));
    }
}
