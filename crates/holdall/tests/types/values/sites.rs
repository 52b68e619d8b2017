//! Values as fields, items, options and entries of derived types.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use holdall::value::Struct;
use holdall::{
    Code, Decode, Decoder, Encode, Encoder, Header, Limits, LogicalType, Shared, Value, from_slice,
    to_vec, value,
};

use super::{check, fields, record};

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Event<T = Value> {
    id: u64,
    body: T,
    last: bool,
}

fn event<T>(id: u64, body: T) -> Event<T> {
    Event { id, body, last: id > 1 }
}

#[test]
fn a_value_has_the_bytes_of_a_field_of_its_type() {
    #[track_caller]
    fn same<T: Encode + Clone>(typed: &[T], values: &[Value]) {
        let typed: Vec<_> =
            typed.iter().cloned().zip(0..).map(|(own, id)| event(id, own)).collect();
        let values: Vec<_> =
            values.iter().cloned().zip(0..).map(|(own, id)| event(id, own)).collect();
        assert_eq!(to_vec(&values).unwrap(), to_vec(&typed).unwrap());
        assert_eq!(from_slice::<Vec<Event>>(&to_vec(&typed).unwrap()).unwrap(), values);
    }
    same(&[0.5, -0.0], &[Value::F64(0.5), Value::F64(-0.0)]);
    same(&[1_u16, 500], &[Value::U16(1), Value::U16(500)]);
    same(&["a", "", "ä"], &["a".into(), "".into(), "ä".into()]);
    same(&[(), ()], &[Value::Null, Value::Null]);
    same(&[Some(true), None], &[Value::Bool(true), Value::Null]);
    same(&[vec![1_u8], vec![]], &[Value::list([Value::U8(1)]), Value::list([])]);
    #[derive(Clone, Encode)]
    struct Point {
        x: f32,
        y: f32,
    }
    let point = |x, y| {
        let all = fields([("x", Value::F32(x)), ("y", Value::F32(y))]);
        Value::Struct(Struct::new("Point", all))
    };
    same(
        &[Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }],
        &[point(1.0, 2.0), point(3.0, 4.0)],
    );
    #[derive(Clone, Encode)]
    enum Shape {
        Dot,
        Circle { radius: f64 },
    }
    let variant = |name: &str, value| Value::Variant(value::Variant::new(name, value));
    same(
        &[Shape::Dot, Shape::Circle { radius: 0.5 }],
        &[variant("Dot", Value::Null), variant("Circle", record([("radius", Value::F64(0.5))]))],
    );
}

#[test]
fn values_have_types_and_bytes_of_their_own_site() {
    let bytes =
        check(&event(1, Value::from("x")), "struct Event {id: u64, body: string, last: bool}");
    assert_eq!(bytes, b"\xC1\x10\x19\x14Event\x18\x08id\x07\x10body\x12\x10last\x02\x02\x02x\x00");
    check(
        &vec![event(1, Value::from(1)), event(2, Value::Null), event(3, Value::from("x"))],
        "list(struct Event {id: u64, body: option(union(int, string)), last: bool})",
    );
    check(
        &vec![
            event(1, record([("a", Value::from(1))])),
            event(2, record([("b", Value::from(true))])),
        ],
        "list(struct Event {id: u64, body: record {a: int, b: bool} [0, 1], last: bool})",
    );
    check(&Vec::<Event>::new(), "list(struct Event {id: u64, body: never, last: bool})");
    check(&vec![Value::from(1), Value::from("x")], "list(union(int, string))");
    check(&Vec::<Value>::new(), "list(never)");
    check(&[Value::from(1), Value::Null], "array(2, option(int))");
    check(&(1_u8, Value::from(2)), "tuple(u8, int)");
    let nested = vec![None, Some(Value::Null), Some(Value::from(1))];
    check(&nested, "list(option(option(int)))");
    check(&Some(Box::new(Value::from(1))), "option(int)");
    check(&HashMap::from([("k".to_owned(), Value::from(0.5))]), "map(string, f64)");
    let map = BTreeMap::from([(1, vec![Value::from(1)]), (2, vec![])]);
    check(&map, "map(i32, list(int))");
}

#[test]
fn a_list_of_values_is_the_list_of_a_value() {
    let items = vec![
        record([("a", Value::from(1)), ("b", Value::from(vec!["x"]))]),
        record([("a", Value::Null)]),
        Value::from(vec![Value::from(0.5), record([("a", Value::from(2))])]),
        Value::tuple((0..9).map(Value::from)),
    ];
    assert_eq!(to_vec(&items).unwrap(), to_vec(&Value::list(items.clone())).unwrap());
    assert_eq!(to_vec(&(3_u8, items.clone())).unwrap(), {
        to_vec(&Value::tuple([Value::U8(3), Value::list(items)])).unwrap()
    });
}

#[test]
fn two_values_have_two_sites() {
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    struct Two {
        left: Value,
        between: Vec<Rc<String>>,
        right: Option<Value>,
    }
    let text = Rc::new("shared".to_owned());
    let ring = |number: i32| Value::Shared(Shared::new(Value::list([Value::from(number)])));
    let (a, b) = (ring(1), ring(2));
    let value = vec![
        Two { left: Value::list([a.clone(), a]), between: vec![text.clone(), text], right: None },
        Two { left: Value::Null, between: vec![], right: Some(Value::list([b.clone(), b])) },
    ];
    let schema = "list(struct Two {left: option(list(shared(#0))), between: list(shared(#1)), right: option(list(shared(#2)))}) \
                  where #0 = list(int), #1 = string, #2 = list(int)";
    let bytes = to_vec(&value).unwrap();
    assert_eq!(holdall::Schema::of_message(&bytes).unwrap().to_string(), schema);
    let back: Vec<Two> = from_slice(&bytes).unwrap();
    assert_eq!(back, value);
    let (Value::Shared(a), Value::Shared(b)) = (&back[0].left[0], &back[0].left[1]) else {
        panic!()
    };
    assert!(a.is_same(b));
    assert!(Rc::ptr_eq(&back[0].between[0], &back[0].between[1]));
}

#[test]
fn recursive_types_and_values_have_definitions_of_their_own() {
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    struct Tree {
        inside: Vec<Tree>,
        label: Value,
        more: Option<Rc<Event>>,
    }
    let node = |items: Vec<Value>| {
        Value::Struct(Struct::new("Node", fields([("all", Value::list(items))])))
    };
    let shared = Rc::new(event(7, node(vec![node(vec![]), node(vec![node(vec![])])])));
    let leaf = |label| Tree { inside: vec![], label, more: Some(Rc::clone(&shared)) };
    let tree = Tree {
        inside: vec![
            leaf(node(vec![])),
            Tree { inside: vec![leaf(Value::from(1))], ..leaf(Value::Null) },
        ],
        label: node(vec![node(vec![])]),
        more: None,
    };
    let bytes = to_vec(&vec![tree.clone(), leaf(Value::from("x"))]).unwrap();
    let back: Vec<Tree> = from_slice(&bytes).unwrap();
    assert_eq!(back, [tree, leaf(Value::from("x"))]);
    let more = |tree: &Tree| Rc::clone(tree.more.as_ref().unwrap());
    assert!(Rc::ptr_eq(&more(&back[1]), &more(&back[0].inside[1].inside[0])));
    // The data alone, without the type, say the same.
    let value: Value = from_slice(&bytes).unwrap();
    assert_eq!(from_slice::<Vec<Tree>>(&to_vec(&value).unwrap()).unwrap(), back);
}

#[test]
fn a_value_keeps_the_identity_of_its_parts_alone() {
    let part = Value::Shared(Shared::new(Value::from(vec![1])));
    let ring = Value::Shared(Shared::cyclic(|own| {
        Value::list([Value::Weak(own.clone()), part.clone(), part.clone()])
    }));
    let events = vec![event(1, ring), event(2, part.clone()), event(3, part)];
    let back: Vec<Event> = from_slice(&to_vec(&events).unwrap()).unwrap();
    let Value::Shared(ring) = &back[0].body else { panic!() };
    let items = ring.get().as_slice().unwrap();
    let (Value::Weak(own), Value::Shared(a), Value::Shared(b)) = (&items[0], &items[1], &items[2])
    else {
        panic!()
    };
    assert!(own.upgrade().unwrap().is_same(ring) && a.is_same(b));
    assert_eq!((&back[1].body, &back[2].body), (&Value::from(vec![1]), &Value::from(vec![1])));
}

#[test]
fn shared_data_are_read_into_each_value() {
    #[derive(Encode)]
    struct Old {
        all: Vec<Rc<Vec<u8>>>,
        again: Rc<Vec<u8>>,
    }
    #[derive(Debug, PartialEq, Decode)]
    struct New {
        all: Value,
        again: Value,
    }
    let bytes = Rc::new(vec![1]);
    let old = Old { all: vec![Rc::clone(&bytes), Rc::clone(&bytes)], again: bytes };
    let new: New = from_slice(&to_vec(&old).unwrap()).unwrap();
    let one = || Value::list([Value::U8(1)]);
    assert_eq!(new, New { all: Value::list([one(), one()]), again: one() });
    let (Value::Shared(a), Value::Shared(b)) = (&new.all[0], &new.all[1]) else { panic!() };
    assert!(a.is_same(b));
}

#[test]
fn any_type_of_data_is_read_into_a_value() {
    #[derive(Encode)]
    struct Many<T> {
        id: u64,
        body: T,
        last: bool,
    }
    let body = (
        None::<Option<u8>>,
        [0.5_f32, 1.5],
        &b"ab"[..],
        'x',
        std::time::Duration::from_secs(1),
        1_u128 << 100,
    );
    let bytes = to_vec(&Many { id: 1, body, last: false }).unwrap();
    let whole: Value = from_slice(&bytes).unwrap();
    let read: Event = from_slice(&bytes).unwrap();
    assert_eq!(read.body, whole["body"]);
    assert_eq!(from_slice::<Event>(&to_vec(&read).unwrap()).unwrap(), read);
    // What was skipped because it is of a later version cannot be written.
    assert_eq!(to_vec(&event(1, Value::Unknown)).unwrap_err().code(), Code::UnsupportedValue);
}

#[test]
fn values_are_the_same_from_columns_and_row_by_row() {
    #[derive(Encode)]
    struct Data<'a, T> {
        id: u64,
        extra: T,
        body: (Option<&'a str>, [u16; 2], Vec<f64>),
        last: bool,
        more: BTreeMap<u8, bool>,
    }
    #[derive(Debug, PartialEq, Decode)]
    struct Read<'a> {
        #[holdall(default)]
        name: Option<&'a str>,
        last: bool,
        body: Value,
        #[holdall(unknown)]
        rest: value::Record,
    }
    fn data<T: Clone>(extra: T) -> Vec<Data<'static, T>> {
        let of = |n: u64| Data {
            id: n,
            extra: extra.clone(),
            body: ((n > 1).then_some("x"), [7, n as u16], vec![0.5; n as usize]),
            last: n == 2,
            more: [(n as u8, true)].into(),
        };
        (0..3).map(of).collect()
    }
    let (columns, rows) = (to_vec(&data(7_u8)).unwrap(), to_vec(&data(Rc::new(7_u8))).unwrap());
    let read: Vec<Read> = from_slice(&columns).unwrap();
    assert_eq!(read, from_slice::<Vec<Read>>(&rows).unwrap());
    let whole: Value = from_slice(&columns).unwrap();
    for (n, read) in read.iter().enumerate() {
        assert_eq!(read.body, whole[n]["body"]);
        assert_eq!(
            read.rest,
            ["id", "extra", "more"]
                .map(|key| (key.into(), whole[n][key].clone()))
                .into_iter()
                .collect()
        );
    }
}

#[test]
fn text_beside_a_value_is_borrowed() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    struct Named<'a> {
        name: &'a str,
        body: Value,
    }
    let all =
        vec![Named { name: "a", body: Value::from(1) }, Named { name: "b", body: Value::Null }];
    assert_eq!(from_slice::<Vec<Named>>(&to_vec(&all).unwrap()).unwrap(), all);
}

#[test]
fn values_are_read_with_other_changes_of_the_type() {
    #[derive(Encode)]
    struct Old<'a> {
        last: u8,
        body: Vec<(u8, &'a str)>,
        id: i8,
    }
    #[derive(Debug, PartialEq, Decode)]
    struct New {
        id: u64,
        #[holdall(alias = "body")]
        content: Option<Value>,
        #[holdall(default)]
        more: Value,
        extra: Option<Value>,
    }
    let old =
        vec![Old { last: 1, body: vec![(1, "a")], id: 1 }, Old { last: 1, body: vec![], id: 2 }];
    let new: Vec<New> = from_slice(&to_vec(&old).unwrap()).unwrap();
    let content = Value::list([Value::tuple([Value::U8(1), Value::from("a")])]);
    let of = |id, content| New { id, content: Some(content), more: Value::Null, extra: None };
    assert_eq!(new, [of(1, content), of(2, Value::list([]))]);
    let error =
        from_slice::<Event>(&to_vec(&record([("id", Value::from(1))])).unwrap()).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::MissingField, "$.body"));
}

#[test]
fn a_message_by_fingerprint_has_the_schema_of_its_values() {
    let value = event(1, Value::from("x"));
    let schema = holdall::Schema::of_message(&to_vec(&value).unwrap()).unwrap();
    let mut encoder = Encoder::new().header(Header::Fingerprint);
    let bytes = encoder.encode(&value).unwrap();
    let mut decoder = Decoder::new();
    decoder.add_schema(&schema);
    assert_eq!(decoder.decode::<Event>(&bytes).unwrap(), value);
}

#[test]
fn a_type_with_values_has_no_schema_and_no_bare_body() {
    assert_eq!(Event::<Value>::schema().unwrap_err().code(), Code::UnsupportedValue);
    assert_eq!(Vec::<Value>::fingerprint().unwrap_err().code(), Code::UnsupportedValue);
    assert_eq!(Event::<Value>::SIZE, None);
    let error = Encoder::new().header(Header::Bare).encode(&event(1, Value::Null)).unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedValue);
    let error = Decoder::new().decode_body::<Event>(&[0]).unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedValue);
}

#[test]
fn a_pointer_with_identity_to_a_value_is_refused() {
    let error = to_vec(&vec![Rc::new(Value::from(1))]).unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedValue);
    // Around a type that has one, it is not.
    let pair = Rc::new(event(1, Value::from(2)));
    let back: Vec<Rc<Event>> = from_slice(&to_vec(&vec![pair.clone(), pair]).unwrap()).unwrap();
    assert!(Rc::ptr_eq(&back[0], &back[1]));
}

#[test]
fn pointers_and_variants_have_values_inside() {
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    enum Any {
        Nothing,
        One(Value),
        Two(Value, u8),
        Named { value: Value },
    }
    let all = vec![
        Any::One(Value::from(1)),
        Any::Nothing,
        Any::Two(Value::from("x"), 7),
        Any::Named { value: record([("a", Value::Null)]) },
        Any::One(Value::Null),
    ];
    check(
        &all,
        "list(union {Nothing: null, One: option(int), Two: tuple(string, u8), Named: record {value: record {a: null}}})",
    );
    all.iter().for_each(|any| assert_eq!(&from_slice::<Any>(&to_vec(any).unwrap()).unwrap(), any));
    let value = record([("a", Value::from(vec![1, 2]))]);
    let bytes = to_vec(&value).unwrap();
    assert_eq!(to_vec(&&value).unwrap(), bytes);
    assert_eq!(to_vec(&Box::new(value.clone())).unwrap(), bytes);
    assert_eq!(from_slice::<Box<Value>>(&bytes).unwrap(), Box::new(value));
}

#[test]
fn failures_of_values_leave_the_encoder_as_it_was() {
    let mut encoder = Encoder::new();
    let before = encoder.encode(&vec![event(1, Value::from(1))]).unwrap();
    let twice = Value::Record(
        [("a", 1), ("a", 2)].map(|(k, v)| (k.into(), Value::from(v))).into_iter().collect(),
    );
    let error = encoder.encode(&vec![event(1, Value::from("x")), event(2, twice)]).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::DuplicateKey, ""));
    assert_eq!(encoder.encode(&vec![event(1, Value::from(1))]).unwrap(), before);
}

#[test]
fn deep_values_are_written_and_read_without_recursion() {
    let deep = (0..100_000).fold(Value::Null, |value, _| Value::list([value]));
    let back: Event = from_slice(&to_vec(&event(1, deep)).unwrap()).unwrap();
    let mut depth = 0;
    let mut value = &back.body;
    while let Some([inner]) = value.as_slice() {
        (value, depth) = (inner, depth + 1);
    }
    assert_eq!(depth, 100_000);
}

#[test]
fn types_nested_deeply_around_a_value_stay_within_the_limit() {
    type T5<T> = Option<Option<Option<Option<Option<T>>>>>;
    type T25<T> = T5<T5<T5<T5<T5<T>>>>>;
    let around: T25<T25<Value>> = None;
    let mut value = to_vec(&vec![around]).unwrap();
    assert!(from_slice::<Vec<T25<T25<Value>>>>(&value).is_ok());
    let deep = (0..120).fold(Value::Null, |value, _| Value::list([value]));
    value = to_vec(&vec![(T25::<Value>::None, deep.clone())]).unwrap();
    let back: Vec<(T25<Value>, Value)> = from_slice(&value).unwrap();
    assert_eq!(back[0].1, deep);
}

#[test]
fn copies_of_shared_data_are_charged() {
    // Each level doubles.
    let bomb = (0..40).fold(Value::list([]), |value, _| {
        let shared = Value::Shared(Shared::new(value));
        Value::list([shared.clone(), shared])
    });
    let bytes =
        to_vec(&record([("id", Value::from(1)), ("body", bomb), ("last", Value::from(true))]));
    // Within one value they are shared.
    let read: Event = from_slice(&bytes.unwrap()).unwrap();
    assert!(matches!(read.body[0], Value::Shared(_)));
    // In values of their own they are copies.
    let part = Value::Shared(Shared::new(Value::list((0..1000).map(Value::from))));
    let bytes = to_vec(&Value::list((0..1000).map(|_| part.clone()))).unwrap();
    let limits = Limits::new().budget(1 << 20);
    let error = Decoder::new().limits(limits).decode::<Vec<Value>>(&bytes).unwrap_err();
    assert_eq!(error.code(), Code::LimitBudget);
}

#[test]
fn sets_inside_values_are_in_canonical_order() {
    let set = |items: [i32; 2]| {
        let ty = LogicalType::new(LogicalType::SET, &[]).unwrap();
        Value::from(value::Logical::new(ty, Value::list(items.map(Value::from))))
    };
    let bytes = |items| Encoder::new().canonical(true).encode(&event(1, set(items))).unwrap();
    assert_eq!(bytes([2, 1]), bytes([1, 2]));
    assert_ne!(to_vec(&event(1, set([2, 1]))).unwrap(), to_vec(&event(1, set([1, 2]))).unwrap());
}
