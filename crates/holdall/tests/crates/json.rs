//! `serde_json::Value` inside types: as `Value`, and what JSON lacks is refused.

use holdall::value::{Extension, Logical, Variant};
use holdall::{
    Code, Decode, Encode, Encoder, LogicalType, Profile, Reader, Schema, Shared, Tensor, Value,
    Writer, from_slice, to_vec,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Event {
    id: u32,
    payload: Json,
    labels: Map<String, Json>,
    other: Option<Box<Json>>,
}

fn numbers() -> impl Strategy<Value = Json> {
    prop_oneof![
        (any::<i64>(), 0_u32..64).prop_map(|(value, shift)| Json::from(value >> shift)),
        any::<u64>().prop_map(Json::from),
        any::<u64>()
            .prop_map(f64::from_bits)
            .prop_filter("finite", |value| value.is_finite())
            .prop_map(Json::from),
    ]
}

fn jsons() -> impl Strategy<Value = Json> {
    let scalar = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        numbers(),
        "\\PC{0,9}".prop_map(Json::from),
    ];
    scalar.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Json::from),
            btree_map("[a-d]{0,2}", inner, 0..6)
                .prop_map(|entries| Json::Object(entries.into_iter().collect())),
        ]
    })
}

/// The same value of ours.
fn own(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::from(*value),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => Value::from(value),
            (None, Some(value)) => Value::from(value),
            (None, None) => Value::from(number.as_f64().unwrap()),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::list(items.iter().map(own)),
        Json::Object(entries) => {
            Value::record(entries.iter().map(|(key, value)| (key.as_str(), own(value))))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn json_is_written_as_the_same_value_of_ours(json in jsons()) {
        let message = to_vec(&json).unwrap();
        prop_assert_eq!(&message, &to_vec(&own(&json)).unwrap());
        prop_assert_eq!(from_slice::<Json>(&message).unwrap(), json.clone());
        let inside = to_vec(&(7_u8, json.clone())).unwrap();
        prop_assert_eq!(&inside, &to_vec(&(7_u8, own(&json))).unwrap());
        prop_assert_eq!(from_slice::<(u8, Json)>(&inside).unwrap(), (7, json));
    }

    #[test]
    fn json_survives_in_fields(rows in vec((jsons(), btree_map("[a-c]", jsons(), 0..3), proptest::option::of(jsons())), 0..5)) {
        let rows: Vec<Event> = rows
            .into_iter()
            .zip(0..)
            .map(|((payload, labels, other), id)| Event {
                id,
                payload,
                labels: labels.into_iter().collect(),
                // An absent value and null are the same.
                other: other.filter(|json| !json.is_null()).map(Box::new),
            })
            .collect();
        for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
            let message = Encoder::new().profile(profile).encode(&rows).unwrap();
            prop_assert_eq!(&from_slice::<Vec<Event>>(&message).unwrap(), &rows);
        }
        let mut writer = Writer::new(Vec::new()).unwrap();
        rows.iter().for_each(|row| writer.write(row).unwrap());
        let bytes = writer.finish().unwrap();
        let back: Result<Vec<Event>, _> = Reader::new(&bytes[..]).values().collect();
        prop_assert_eq!(back.unwrap(), rows);
    }
}

#[test]
fn numbers_keep_their_kind_and_every_bit() {
    let all = json!([
        0,
        -1,
        i64::MIN,
        i64::MAX,
        i64::MAX as u64 + 1,
        u64::MAX,
        1.0,
        -0.0,
        0.1,
        5e-324,
        f64::MAX,
        9_007_199_254_740_993_u64
    ]);
    let back: Json = from_slice(&to_vec(&all).unwrap()).unwrap();
    // The text differs for `1` and `1.0`, and for `0.0` and `-0.0`.
    assert_eq!(back.to_string(), all.to_string());
    assert_eq!(back[6].as_i64(), None);
    assert_eq!(back[5].as_u64(), Some(u64::MAX));
}

#[test]
fn a_field_has_the_types_of_its_values() {
    let event = |payload: Json| Event {
        id: 1,
        payload,
        labels: json!({"a": 1}).as_object().unwrap().clone(),
        other: None,
    };
    let events = vec![event(json!({"x": [1, 2]})), event(json!({"x": []}))];
    let message = to_vec(&events).unwrap();
    assert_eq!(
        Schema::of_message(&message).unwrap().to_string(),
        "list(struct Event {id: u32, payload: record {x: list(int)}, labels: record {a: int}, other: option(never)})"
    );
    assert_eq!(Event::schema().unwrap_err().code(), Code::UnsupportedValue);
}

#[test]
fn types_of_programs_are_read_as_json() {
    #[derive(Encode)]
    struct User {
        id: u8,
        pair: (u16, String),
        ratio: f32,
        large: u128,
        tags: [i8; 2],
    }
    let user = User { id: 7, pair: (1, "a".to_owned()), ratio: 0.5, large: 9, tags: [-1, 2] };
    let back: Json = from_slice(&to_vec(&user).unwrap()).unwrap();
    assert_eq!(back, json!({"id": 7, "pair": [1, "a"], "ratio": 0.5, "large": 9, "tags": [-1, 2]}));
    let map = Value::map([(Value::from("k"), Value::from(1))]);
    assert_eq!(from_slice::<Json>(&to_vec(&map).unwrap()).unwrap(), json!({"k": 1}));
}

#[test]
fn what_json_lacks_is_refused_with_its_path() {
    let twice = Value::Shared(Shared::new(Value::from(vec![1])));
    let lacking = [
        (Value::Bytes(vec![1]), "a byte string"),
        (Value::from(f64::NAN), "NaN"),
        (Value::from(f64::NEG_INFINITY), "-inf"),
        (Value::U128(Box::new(u128::MAX)), "an integer beyond 64 bits"),
        (Value::I128(Box::new(i128::MIN)), "an integer beyond 64 bits"),
        (Value::map([(Value::from(1), Value::Null)]), "a map with another key than a string"),
        (Value::Variant(Variant::new("V", Value::Null)), "a named variant"),
        (Value::from(Tensor::of([1], &[1_u8]).unwrap()), "a tensor"),
        (Extension::new("a.b", Value::Null).into(), "a value of an extension"),
        (
            Logical::new(LogicalType::new(LogicalType::DATE, &[]).unwrap(), Value::from(1)).into(),
            "a logical value",
        ),
        (Value::list([twice.clone(), twice]), "a value that is referenced from several places"),
    ];
    for (value, got) in lacking {
        let data = to_vec(&vec![(1_u8, Value::Null), (2, Value::list([value]))]).unwrap();
        let error = from_slice::<Vec<(u8, Json)>>(&data).unwrap_err();
        let words = format!("unconvertible in $[1][1]: expected a value that JSON has, got {got}");
        assert_eq!(error.to_string(), words);
    }
    let error = from_slice::<Map<String, Json>>(&to_vec(&vec![1]).unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unconvertible in $: expected a value that JSON has, got no object"
    );
}

/// serde_json drops a value by recursion.
#[test]
fn json_nests_as_deeply_as_serde_json_reads_it() {
    let json = |depth| (0..depth).fold(Json::Null, |value, _| Json::from(vec![value]));
    let own = |depth| (0..depth).fold(Value::Null, |value, _| Value::list([value]));
    let deepest = to_vec(&(json(100), 1)).unwrap();
    assert_eq!(from_slice::<(Json, u8)>(&deepest).unwrap().0, json(100));
    assert_eq!(to_vec(&json(129)).unwrap_err().code(), Code::LimitNesting);
    // A recursive type nests in its values alone.
    let linked = |depth| {
        (0..depth)
            .fold(Value::Null, |value, _| Value::record([("next", value), ("id", Value::from(1))]))
    };
    assert!(from_slice::<Json>(&to_vec(&linked(128)).unwrap()).is_ok());
    for value in [linked(129), own(129), linked(100_000)] {
        let error = from_slice::<Json>(&to_vec(&value).unwrap()).unwrap_err();
        assert_eq!(error.code(), Code::Unconvertible);
    }
}
