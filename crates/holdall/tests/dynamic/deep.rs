//! Deep values on a small stack: nothing recurses on the depth of the data (F-37).

use crate::common::chance::rounds;
use crate::common::make::{
    array, extension, int, later, list, logical, map, null, object, record, set, tensor, tuple,
    variant,
};
use crate::common::stack::{DEPTH, on_a_small_stack};
use holdall::{Decoder, Encoder, LogicalType, Schema, Shared, Value, ValueBuilder, to_vec};

/// A value wrapped repeatedly.
fn nest(innermost: Value, around: impl FnMut(usize, Value) -> Value) -> Value {
    nest_to(DEPTH, innermost, around)
}

fn nest_to(depth: usize, innermost: Value, mut around: impl FnMut(usize, Value) -> Value) -> Value {
    (0..depth).fold(innermost, |value, level| around(level, value))
}

/// Does everything that can be done with a value.
fn check(value: &Value, schema: &str) {
    let copy = value.clone();
    assert!(copy == *value, "a clone differs");
    drop(copy);

    let bytes = to_vec(value).unwrap();
    let known = Schema::of_message(&bytes).unwrap();
    assert_eq!(known.to_string(), schema);
    let back = holdall::from_slice::<Value>(&bytes).unwrap();
    assert!(back == *value, "what came back differs");

    let mut encoder = Encoder::new();
    assert!(encoder.body(&mut &*value).unwrap().schema.is_some());
    let body = encoder.body(&mut &back).unwrap();
    assert!(body.schema.is_none(), "the schema is the same");
    assert!(bytes.ends_with(&body.bytes), "the body is that of the message");
    drop(back);
    let mut builder = ValueBuilder::new();
    Decoder::new().body(&known, &body.bytes, &mut builder).unwrap();
    assert!(builder.finish().unwrap() == *value, "what came back from the body differs");

    assert!(format!("{value:?}").len() >= DEPTH);
}

/// A text repeated and nested, around the last.
fn levels(count: usize, before: &str, innermost: &str, after: &str) -> String {
    format!("{}{innermost}{}", before.repeat(count), after.repeat(count))
}

#[test]
fn deep_lists() {
    on_a_small_stack(|| {
        let value = nest(list([]), |_, value| list([value]));
        // The 33rd, at depth 32, is the first that is gathered (F-51).
        check(&value, &format!("{} where #0 = list(#0)", levels(32, "list(", "#0", ")")));
    });
}

#[test]
fn deep_tuples() {
    on_a_small_stack(|| {
        let value = nest(null(), |_, value| tuple([value]));
        let schema = levels(32, "tuple(", "#0", ")");
        check(&value, &format!("{schema} where #0 = tuple(option(#0))"));
    });
}

#[test]
fn a_long_linked_list_of_records() {
    on_a_small_stack(|| {
        let value = nest(null(), |i, next| record([("v", int(i as i64)), ("next", next)]));
        // The second record is folded into the first (F-50).
        check(&value, "#0 where #0 = record {v: int, next: option(#0)}");
    });
}

#[test]
fn deep_records_of_ever_other_keys() {
    on_a_small_stack(|| {
        let value = nest(null(), |i, next| record([(["a", "b", "c"][i % 3], next)]));
        // The fourth is folded into the first, past two others between them.
        check(&value, "#0 where #0 = record {a: option(record {c: record {b: #0}})}");
    });
}

#[test]
fn deep_structs() {
    on_a_small_stack(|| {
        let value = nest(null(), |i, next| object("Node", [("v", int(i as i64)), ("next", next)]));
        check(&value, "#0 where #0 = struct Node {v: int, next: option(#0)}");
    });
}

#[test]
fn deep_maps() {
    on_a_small_stack(|| {
        let value = nest(null(), |i, next| map([(int(i as i64), next)]));
        let schema = levels(32, "map(int, ", "#0", ")");
        check(&value, &format!("{schema} where #0 = map(int, option(#0))"));
    });
}

#[test]
fn deep_maps_in_keys_of_maps() {
    on_a_small_stack(|| {
        let value = nest(null(), |_, key| map([(key, null())]));
        let schema = levels(32, "map(", "#0", ", null)");
        check(&value, &format!("{schema} where #0 = map(option(#0), null)"));
    });
}

#[test]
fn deep_variants() {
    on_a_small_stack(|| {
        let value = nest(null(), |_, value| variant("Some", value));
        let schema = levels(32, "union {Some: ", "#0", "}");
        check(&value, &format!("{schema} where #0 = union {{Some: option(#0)}}"));
    });
}

#[test]
fn deep_arrays() {
    on_a_small_stack(|| {
        let value = nest(null(), |_, value| array([value]));
        let schema = levels(32, "array(1, ", "#0", ")");
        check(&value, &format!("{schema} where #0 = array(1, option(#0))"));
    });
}

#[test]
fn deep_extensions() {
    on_a_small_stack(|| {
        let value = nest(null(), |_, value| extension("e", value));
        let schema = levels(32, "extension \"e\"(", "#0", ")");
        check(&value, &format!("{schema} where #0 = extension \"e\"(option(#0))"));
    });
}

#[test]
fn deep_sets() {
    on_a_small_stack(|| {
        let value = nest(null(), |_, value| set([value]));
        let schema = levels(32, "set(list(", "#0", "))");
        check(&value, &format!("{schema} where #0 = set(list(option(#0)))"));
    });
}

#[test]
fn deep_long_tuples() {
    on_a_small_stack(|| {
        let value = nest(null(), |_, value| tuple((0..8).map(int).chain([value])));
        let schema = levels(32, "long_tuple(list(union(int, ", "#0", ")))");
        check(&value, &format!("{schema} where #0 = long_tuple(list(option(union(int, #0))))"));
    });
}

#[test]
fn deep_ordered_maps() {
    on_a_small_stack(|| {
        let value =
            nest(null(), |_, value| logical(LogicalType::ORDERED_MAP, record([("k", value)])));
        let schema = levels(32, "ordered_map(map(string, ", "#0", "))");
        check(&value, &format!("{schema} where #0 = ordered_map(map(string, option(#0)))"));
    });
}

#[test]
fn deep_values_of_a_later_kind() {
    on_a_small_stack(|| {
        let value = nest(null(), |_, value| later(value));
        let schema = levels(32, "logical[E0](", "#0", ")");
        check(&value, &format!("{schema} where #0 = logical[E0](option(#0))"));
    });
}

#[test]
fn deep_containers_with_tensors_in_them() {
    on_a_small_stack(|| {
        let value = nest(null(), |i, value| {
            let tensor = tensor("bool", &[2], || i as u8);
            match i % 4 {
                0 => array([tensor, value]),
                1 => set([tensor, value]),
                2 => extension("e", tuple([tensor, value])),
                _ => later(list([tensor, value])),
            }
        });
        let bytes = to_vec(&value).unwrap();
        let back = holdall::from_slice::<Value>(&bytes).unwrap();
        assert!(back == value && back.clone() == value);
        assert!(to_vec(&back).unwrap() == bytes);
        assert!(format!("{back:?}").len() > DEPTH);
    });
}

#[test]
fn a_million_containers_of_all_kinds() {
    on_a_small_stack(|| {
        let value = nest_to(rounds(1_000_000), null(), |i, value| match i % 6 {
            0 => list([int(1), value]),
            1 => tuple([value, null()]),
            2 => record([("r", value)]),
            3 => map([(int(2), value)]),
            4 => object("S", [("s", value)]),
            _ => variant("V", value),
        });
        // Inside the struct nothing folds into records outside (F-50), and depths start from 0 again (F-46).
        let outside = "map(int, record {r: tuple(list(union(int, union {V: #0})), null)})";
        let inside = "map(int, record {r: tuple(list(option(union(int, union {V: #0}))), null)})";
        check(&value, &format!("{outside} where #0 = struct S {{s: {inside}}}"));
    });
}

#[test]
fn deep_shared_values() {
    on_a_small_stack(|| {
        let value = nest(null(), |_, value| list([Value::Shared(Shared::new(value))]));
        let plain = nest(null(), |_, value| list([value]));
        assert!(value == plain, "identity does not count");
        assert!(to_vec(&value).unwrap() == to_vec(&plain).unwrap(), "identity is not written");
        assert!(format!("{value:?}").starts_with("[&1 = [&2 = ["));
        drop(value.clone());
        drop(value);
        // Handles of handles.
        let value = nest(null(), |_, value| Value::Shared(Shared::new(value)));
        assert_eq!(value.get(), &Value::Null);
        assert!(value == Value::Null);
        drop(value);
    });
}

#[test]
fn an_error_in_a_deep_value_has_a_path() {
    on_a_small_stack(|| {
        let innermost = record([("a", int(1)), ("a", int(2))]);
        let error = to_vec(&nest(innermost, |_, value| list([value]))).unwrap_err();
        assert_eq!(error.code().as_str(), "duplicate_key");
        assert_eq!(error.path().len(), 1 + 3 * DEPTH);

        // A map with two equal keys in many lists.
        let innermost = map([(int(1), int(1)), (int(2), int(2))]);
        let mut bytes = to_vec(&nest(innermost, |_, value| list([value]))).unwrap();
        let keys = bytes.windows(4).rposition(|bytes| bytes == [4, 8, 4, 8]).unwrap();
        bytes[keys + 1] = 4;
        let error = holdall::from_slice::<Value>(&bytes).unwrap_err();
        assert_eq!(error.code().as_str(), "duplicate_key");
        assert!(error.path().len() > 3 * DEPTH);
    });
}

#[test]
fn a_sink_that_fails_in_a_deep_value_stops_the_walk() {
    on_a_small_stack(|| {
        let bytes = to_vec(&nest(int(7), |_, value| list([value]))).unwrap();
        // The schema has nothing to read from, so every input is an error.
        let mut shredder = holdall::events::Shredder::new();
        shredder.null().unwrap();
        let error = Decoder::new().message(&bytes, &mut shredder).unwrap_err();
        assert_eq!(error.code().as_str(), "bad_source");
        assert_eq!(error.path(), "$");
    });
}
