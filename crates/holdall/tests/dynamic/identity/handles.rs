//! Which handles are identities, and what a message keeps of them.

use super::{Transcode, assert_same, check_schema, ring, row, shared};
use crate::common::make::{
    array, extension, int, later, list, logical_leaf, map, null, record, set, tensor, text, tuple,
};
use holdall::events::{Event, Sink};
use holdall::events::{Shredder, Source};
use holdall::{
    Code, Decoder, Encoder, Header, Result, Schema, Shared, Value, ValueBuilder, from_slice, to_vec,
};

#[test]
fn dropping_frees_all_values_of_a_graph() {
    for value in [ring(3), ring(1), list([ring(2), ring(2)])] {
        let back = from_slice::<Value>(&to_vec(&value).unwrap()).unwrap();
        let mut handles = Vec::new();
        let mut left = vec![&back];
        while let Some(value) = left.pop() {
            if let Value::Shared(shared) = value {
                handles.push(shared.downgrade());
            }
            left.extend(value.as_slice().unwrap_or_default());
        }
        assert!(!handles.is_empty() && handles.iter().all(|handle| handle.upgrade().is_some()));
        drop(back);
        assert!(
            handles.iter().all(|handle| handle.upgrade().is_none()),
            "a cycle keeps itself alive"
        );
    }
}

#[test]
fn a_dropped_value_is_rejected() {
    let weak = Shared::new(list([])).downgrade();
    let error = to_vec(&list([int(1), Value::Weak(weak.clone())])).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::UnsupportedValue, "$[1]"));
    let error = to_vec(&map([(Value::Weak(weak.clone()), null())])).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::UnsupportedValue, "$[0].key"));
    assert_eq!(format!("{:?}", Value::Weak(weak.clone())), "<gone>");
    assert_eq!(Value::Weak(weak.clone()), shared(Value::Weak(weak.clone())));
    assert_ne!(Value::Weak(weak), null());
}

#[test]
fn a_value_that_would_be_nothing_but_itself_is_null() {
    let itself = Shared::cyclic(|weak| Value::Weak(weak.clone()));
    let strong = Shared::cyclic(|weak| Value::Shared(weak.upgrade().unwrap()));
    let by_another =
        Shared::cyclic(|weak| Value::Shared(Shared::cyclic(|_| shared(Value::Weak(weak.clone())))));
    for value in [itself, strong, by_another] {
        let value = Value::Shared(value);
        assert_eq!(value, null());
        assert_ne!(value, int(1));
        assert_eq!(to_vec(&value).unwrap(), to_vec(&null()).unwrap());
        assert!(format!("{value:?}").ends_with("null"));
    }
}

#[test]
fn handles_of_handles_are_one_identity() {
    let inner = shared(list([]));
    let (outer, other) = (shared(inner.clone()), shared(shared(inner.clone())));
    check_schema(
        &list([outer.clone(), inner.clone(), outer, other]),
        "list(shared(#0)) where #0 = list(never)",
    );
    // The outer handles are shared, but their value has no identity.
    for plain in [int(1), null(), text("a"), tuple([int(1), shared(int(2))]), tuple([])] {
        let outer = shared(shared(plain.clone()));
        let value = list([outer.clone(), outer.clone()]);
        assert_eq!(to_vec(&value).unwrap(), to_vec(&list([plain.clone(), plain])).unwrap());
    }
}

#[test]
fn a_tuple_of_weak_handles_to_scalars_is_without_identity() {
    let scalar = Shared::new(int(5));
    let weak = shared(tuple([Value::Weak(scalar.downgrade()), int(6)]));
    let plain = tuple([int(5), int(6)]);
    let value = list([weak.clone(), weak]);
    assert_eq!(to_vec(&value).unwrap(), to_vec(&list([plain.clone(), plain])).unwrap());
}

#[test]
fn all_but_scalars_and_small_tuples_have_an_identity() {
    for (value, schema) in [
        (array([int(1)]), "array(1, int)"),
        (tensor("bool", &[2], || 1), "tensor(bool)"),
        (tensor("bool", &[], || 1), "tensor(bool)"),
        (logical_leaf(0, 1), "date(int)"),
        (logical_leaf(6, 1), "decimal(tuple(u8, int, int))"),
        (set([int(1)]), "set(list(int))"),
        (later(int(1)), "logical[E0](int)"),
        (extension("e", int(1)), "extension \"e\"(int)"),
        (tuple((0..9).map(int)), "long_tuple(list(int))"),
        (tuple([list([])]), "tuple(list(never))"),
    ] {
        let one = shared(value.clone());
        check_schema(
            &list([one.clone(), int(1), one.clone()]),
            &format!("list(union(shared(#0), int)) where #0 = {schema}"),
        );
        // Its place does not matter.
        check_schema(
            &tuple([one.clone(), record([("a", one.clone())]), one]),
            &format!("tuple(#0, record {{a: shared(#0)}}, shared(#0)) where #0 = {schema}"),
        );
        // Equal lists that are not the same are two.
        let equal = list([shared(value.clone()), shared(value.clone())]);
        check_schema(&equal, &format!("list({schema})"));
    }
    for plain in [Value::Fixed(vec![1]), Value::F16(holdall::f16::ONE), tuple((0..8).map(int))] {
        let one = shared(plain.clone());
        let value = list([one.clone(), one]);
        assert_eq!(to_vec(&value).unwrap(), to_vec(&list([plain.clone(), plain])).unwrap());
    }
}

#[test]
fn containers_of_all_kinds_can_be_inside_themselves() {
    let around: [fn(Value) -> Value; 7] = [
        |value| array([value]),
        |value| set([value]),
        |value| later(list([value])),
        |value| extension("e", list([value])),
        |value| extension("e", tuple([int(1), value])),
        |value| tuple((0..9).map(int).chain([value])),
        |value| array([extension("e", value)]),
    ];
    for outer in around {
        let ring = Value::Shared(Shared::cyclic(|weak| outer(Value::Weak(weak.clone()))));
        let bytes = to_vec(&ring).unwrap();
        let back = from_slice::<Value>(&bytes).unwrap();
        assert_same(&ring, &back);
        assert!(to_vec(&back).unwrap() == bytes && back.clone() == ring);
        assert!(Encoder::new().message(&mut Transcode(&bytes)).unwrap() == bytes);
        for inner in around {
            let ring = Value::Shared(Shared::cyclic(|weak| {
                outer(list([shared(inner(Value::Weak(weak.clone()))), Value::Weak(weak.clone())]))
            }));
            assert_same(&ring, &from_slice::<Value>(&to_vec(&ring).unwrap()).unwrap());
        }
    }
}

#[test]
fn an_extension_that_is_only_itself_is_rejected() {
    // Readers reject it (F-64).
    let itself = |make: fn(Value) -> Value| {
        Value::Shared(Shared::cyclic(|weak| make(Value::Weak(weak.clone()))))
    };
    for value in [
        itself(|itself| extension("a", itself)),
        itself(|itself| extension("a", extension("b", itself))),
        itself(|itself| extension("a", shared(extension("b", shared(itself))))),
        list([int(1), itself(|itself| extension("a", itself))]),
    ] {
        let error = to_vec(&value).unwrap_err();
        assert_eq!(error.code(), Code::UnsupportedValue, "{error}");
    }
}

#[test]
fn weak_handles_to_strings_make_a_mapping() {
    let key = Shared::new(text("a"));
    let weak = || Value::Weak(key.downgrade());
    let value = map([(weak(), int(1)), (shared(text("b")), int(2))]);
    let plain = record([("a", int(1)), ("b", int(2))]);
    assert_eq!(value, plain);
    assert_eq!(to_vec(&value).unwrap(), to_vec(&plain).unwrap());
    let error = to_vec(&map([(weak(), int(1)), (text("a"), int(2))])).unwrap_err();
    assert_eq!(error.code(), Code::DuplicateKey);
    let five = Shared::new(int(5));
    let error =
        to_vec(&map([(Value::Weak(five.downgrade()), null()), (int(5), null())])).unwrap_err();
    assert_eq!(error.code(), Code::DuplicateKey);
}

/// Rows of definitions of any type, which only typed data has.
#[test]
fn several_identities_of_one_value_are_one() {
    let mut builder = ValueBuilder::new();
    builder.event(Event::List(0)).unwrap();
    builder.event(Event::Identity(row(0))).unwrap();
    builder.event(Event::Identity(row(1))).unwrap();
    builder.event(Event::List(0)).unwrap();
    builder.event(Event::End).unwrap();
    builder.event(Event::Reference(row(1))).unwrap();
    builder.event(Event::Reference(row(0))).unwrap();
    builder.event(Event::Identity(row(2))).unwrap();
    builder.event(Event::Reference(row(0))).unwrap();
    builder.event(Event::Int(1)).unwrap();
    builder.event(Event::Reference(row(2))).unwrap();
    builder.event(Event::End).unwrap();
    let value = builder.finish().unwrap();
    let one = shared(list([]));
    let again = || one.clone();
    assert_same(&value, &list([again(), again(), again(), again(), int(1), again()]));
}

#[test]
fn a_shredder_forgets_the_identity_of_a_scalar() {
    // list(shared(#0)) where #0 = option(list(never)): null, the same, [], []
    struct Events;
    impl Source for Events {
        fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
            shredder.begin_list(3)?;
            shredder.event(Event::Identity(row(0)))?;
            shredder.null()?;
            shredder.begin_list(0)?;
            shredder.end()?;
            shredder.event(Event::Reference(row(0)))
        }
    }
    let error = Encoder::new().message(&mut Events).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::UnsupportedValue, "$[1]"));
}

#[test]
fn every_header_keeps_identities() {
    let value = ring(5);
    for header in [Header::Schema, Header::Fingerprint] {
        let bytes = Encoder::new().header(header).message(&mut &value).unwrap();
        let mut decoder = Decoder::new();
        decoder.add_schema(&Schema::of_message(&to_vec(&value).unwrap()).unwrap());
        let mut builder = ValueBuilder::new();
        decoder.message(&bytes, &mut builder).unwrap();
        assert_same(&value, &builder.finish().unwrap());
    }
}
