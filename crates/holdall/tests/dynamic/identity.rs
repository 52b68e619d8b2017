//! Values with identity: shared by several places, or containing themselves (F-45, F-64, F-65).

use std::sync::Arc;

use crate::common::chance::{Chance, rounds};
use crate::common::graphs::{graph, same_graph};
use crate::common::is_aligned;
use crate::common::make::{
    array, extension, int, later, list, logical_leaf, map, null, object, record, set, tensor, text,
    tuple, variant,
};
use crate::common::stack::{DEPTH, on_a_small_stack};
use crate::common::vectors::{Form, valid};
use holdall::events::{Event, RowId, Sink};
use holdall::{
    Code, Decoder, Encoder, Header, Profile, Result, Schema, Shape, Shared, Shredder, Source,
    Value, ValueBuilder, from_slice, to_vec,
};

fn graphs() -> u64 {
    rounds(20_000) as u64
}

/// Reports the graph if the code under test panics.
struct ReportOnPanic(u64);

impl Drop for ReportOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("with the graph of seed {}", self.0);
        }
    }
}

/// Checks random graphs, each made from its seed.
fn check(count: u64, test: impl Fn(&mut Chance, &Value)) {
    for seed in 1..=count {
        let _report = ReportOnPanic(seed);
        let mut chance = Chance::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let (value, _kept) = graph(&mut chance);
        test(&mut chance, &value);
    }
}

#[track_caller]
fn assert_same(left: &Value, right: &Value) {
    if let Err(why) = same_graph(left, right) {
        panic!("{why}");
    }
    assert!(left == right, "the same graph is equal");
}

fn schema_of(bytes: &[u8]) -> String {
    Schema::of_message(bytes).unwrap().to_string()
}

/// A message as a source.
struct Transcode<'m>(&'m [u8]);

impl Source for Transcode<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        Decoder::new().message(self.0, shredder)
    }
}

#[test]
fn graphs_keep_identities_and_equal_graphs_give_equal_bytes() {
    let shared = std::cell::Cell::new(0);
    check(graphs(), |_, value| {
        let bytes = to_vec(value).unwrap();
        assert!(to_vec(value).unwrap() == bytes, "twice the same");
        let back = from_slice::<Value>(&bytes).unwrap();
        assert_same(value, &back);
        assert!(to_vec(&back).unwrap() == bytes, "what came back has other bytes");
        let copy = value.clone();
        assert_same(value, &copy);
        assert!(to_vec(&copy).unwrap() == bytes, "a clone has other bytes");
        assert!(!format!("{value:?}").is_empty());
        shared.set(shared.get() + u64::from(schema_of(&bytes).contains("shared(")));
    });
    // Graphs without identities would test little.
    assert!(shared.get() > graphs() / 4, "{} of {}", shared.get(), graphs());
}

#[test]
fn a_graph_survives_every_profile() {
    check(graphs() / 4, |_, value| {
        for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
            let write = |value: &Value| Encoder::new().profile(profile).message(&mut &*value);
            let bytes = write(value).unwrap();
            let back = from_slice::<Value>(&bytes).unwrap();
            assert_same(value, &back);
            if profile != Profile::Small {
                assert!(write(&back).unwrap() == bytes, "{profile:?}: other bytes");
            }
        }
    });
}

#[test]
fn graphs_that_share_a_schema_survive() {
    for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
        for seed in 1..graphs() / 20 {
            let _report = ReportOnPanic(seed);
            let mut chance = Chance::new(seed << 20);
            let mut encoder = Encoder::new().profile(profile);
            let (mut schema, mut latest) = (None, None);
            for _ in 0..8 {
                // Some of them twice, so that the next one can use the same schema.
                let (value, kept) = match latest.take() {
                    Some(value) if chance.below(3) == 0 => value,
                    _ => graph(&mut chance),
                };
                let body = encoder.body(&mut &value).unwrap();
                schema = body.schema.or(schema);
                let mut builder = ValueBuilder::new();
                Decoder::new().body(schema.as_ref().unwrap(), &body.bytes, &mut builder).unwrap();
                assert_same(&value, &builder.finish().unwrap());
                latest = Some((value, kept));
            }
        }
    }
}

#[test]
fn earlier_messages_do_not_change_later_ones() {
    // Alike except for sharing: two lists, the same one twice, a list that contains itself.
    let twice = |one: &Value| record([("a", one.clone()), ("b", one.clone())]);
    let one = list([int(1)]);
    let ring = Value::Shared(Shared::cyclic(|weak| list([Value::Weak(weak.clone())])));
    let plain = list([list([])]);
    let alike = [twice(&one), twice(&shared(one.clone())), twice(&one), ring, plain];
    let mut encoder = Encoder::new();
    let mut chance = Chance::new(20_240_907);
    for _ in 0..2_000 {
        let value = chance.pick(&alike);
        assert!(encoder.message(&mut &*value).unwrap() == to_vec(value).unwrap(), "{value:?}");
    }
    for seed in 1..graphs() / 8 {
        let _report = ReportOnPanic(seed);
        let (value, _kept) = graph(&mut Chance::new(seed << 8));
        for _ in 0..2 {
            assert!(encoder.message(&mut &value).unwrap() == to_vec(&value).unwrap());
        }
    }
}

#[test]
fn a_message_can_be_a_source() {
    check(graphs(), |_, value| {
        let bytes = to_vec(value).unwrap();
        assert!(Encoder::new().message(&mut Transcode(&bytes)).unwrap() == bytes);
    });
    let canonical =
        valid().into_iter().filter(|vector| vector.canonical && vector.input.budget.is_none());
    for vector in canonical.filter(|vector| vector.input.form == Form::Message) {
        if !vector.input.has_fingerprint() {
            let bytes = vector.input.bytes;
            let mut encoder = Encoder::new().profile(vector.profile);
            let again = encoder.message(&mut Transcode(&bytes)).unwrap();
            assert!(again == bytes, "{}", vector.name);
        }
    }
}

#[test]
fn bodies_of_values_from_a_message_are_those_of_the_value() {
    check(graphs() / 4, |_, value| {
        let bytes = to_vec(value).unwrap();
        let mut encoders = [Encoder::new(), Encoder::new()];
        let first = encoders[0].body(&mut &*value).unwrap();
        // Bodies are never aligned (F-69).
        assert!(bytes.ends_with(&first.bytes) || is_aligned(&bytes));
        assert_eq!(first.schema.as_ref().unwrap().to_string(), schema_of(&bytes));
        // In the second round some values find a type that was added later in the first, so both are checked.
        let second = encoders[0].body(&mut &*value).unwrap();
        let back = from_slice::<Value>(&bytes).unwrap();
        for body in [&first, &second] {
            assert!(encoders[1].body(&mut &back).unwrap() == *body);
        }
        assert!(Encoder::new().body(&mut Transcode(&bytes)).unwrap() == first);
    });
}

// Large graphs

/// Does everything that can be done with a graph.
fn check_great(value: Value, least_text: usize) {
    let bytes = to_vec(&value).unwrap();
    let back = from_slice::<Value>(&bytes).unwrap();
    assert_same(&value, &back);
    assert!(to_vec(&back).unwrap() == bytes);
    assert!(Encoder::new().message(&mut Transcode(&bytes)).unwrap() == bytes);
    let copy = back.clone();
    assert!(copy == value);
    drop(value);
    let text = format!("{back:?}");
    assert!(text.len() >= least_text, "{}", text.len());
    drop(text);
    drop(back);
    drop(copy);
}

fn row(row: usize) -> RowId {
    RowId { definition: 0, row }
}

/// A ring of lists, each with its number.
fn ring(len: usize) -> Value {
    Value::Shared(Shared::cyclic(|first| {
        let last = Value::Weak(first.clone());
        (0..len).fold(last, |next, at| {
            let node = list([int(at as i64), next]);
            if at + 1 == len { node } else { Value::Shared(Shared::new(node)) }
        })
    }))
}

#[test]
fn a_large_ring() {
    on_a_small_stack(|| check_great(ring(DEPTH), 4 * DEPTH));
}

#[test]
fn a_long_chain_of_values_each_shared_twice() {
    on_a_small_stack(|| {
        let chain = (0..DEPTH).fold(null(), |next, _| {
            let next = Value::Shared(Shared::new(list([next])));
            tuple([next.clone(), next])
        });
        check_great(chain, 10 * DEPTH);
    });
}

#[test]
fn deep_structs_with_links_to_their_parents() {
    on_a_small_stack(|| {
        let shape = Shape::new(0, Arc::from([Arc::from("up"), Arc::from("down")]));
        let mut builder = ValueBuilder::new();
        for at in 0..DEPTH {
            builder.event(Event::Identity(row(at))).unwrap();
            builder.event(Event::Struct(&Arc::from("Node"), &shape)).unwrap();
            match at.checked_sub(1) {
                Some(parent) => builder.event(Event::Reference(row(parent))).unwrap(),
                None => builder.event(Event::Null).unwrap(),
            }
        }
        builder.event(Event::Null).unwrap();
        (0..DEPTH).for_each(|_| builder.event(Event::End).unwrap());
        let value = builder.finish().unwrap();
        let schema = "#0 where #0 = struct Node {up: option(shared(#0)), down: option(#0)}";
        assert_eq!(schema_of(&to_vec(&value).unwrap()), schema);
        check_great(value, 20 * DEPTH);
    });
}

#[test]
fn doubling_chains_stay_small() {
    let others: [fn(Value) -> Value; 4] = [
        |value| array([value.clone(), value]),
        |value| set([value.clone(), value]),
        |value| extension("e", tuple([value.clone(), value])),
        |value| later(list([value.clone(), value])),
    ];
    for around in others {
        let value = (0..50).fold(list([int(7)]), |value, _| shared(around(value)));
        let bytes = to_vec(&value).unwrap();
        assert!(bytes.len() < 700, "{}", bytes.len());
        let back = from_slice::<Value>(&bytes).unwrap();
        assert_same(&value, &back);
        assert!(to_vec(&back).unwrap() == bytes && format!("{back:?}").len() < 4000);
    }
    let double = |levels: usize, innermost: Value| {
        (0..levels).fold(innermost, |value, _| shared(list([value.clone(), value])))
    };
    let value = double(50, list([int(7)]));
    let bytes = to_vec(&value).unwrap();
    assert!(bytes.len() < 500, "{}", bytes.len());
    let back = from_slice::<Value>(&bytes).unwrap();
    assert_same(&value, &back);
    assert_eq!(value, double(50, list([int(7)])));
    // Equal, whatever is shared.
    let unshared = |value: &Value| list([value[0].clone(), value[0].clone()]);
    assert_eq!(list([value.clone(), value.clone()]), unshared(&list([value.clone()])));
    assert_ne!(value, double(49, list([int(7)])));
    assert_ne!(value, double(50, list([int(8)])));
    assert!(format!("{back:?}").len() < 2000);
}

#[test]
fn rings_of_other_lengths_are_equal_if_they_unroll_to_the_same() {
    // Their lengths have no common divisor: there are 10^10 pairs of nodes.
    let ring = |len| {
        Value::Shared(Shared::cyclic(|first| {
            (1..len).fold(list([Value::Weak(first.clone())]), |next, _| {
                list([Value::Shared(Shared::new(next))])
            })
        }))
    };
    on_a_small_stack(move || {
        assert_eq!(ring(100_000), ring(99_999));
        // One of them has one item more.
        let other = Value::Shared(Shared::cyclic(|first| {
            let last = list([Value::Weak(first.clone()), int(1)]);
            (1..1000).fold(last, |next, _| list([shared(next)]))
        }));
        assert_ne!(ring(1000), other);
        assert_ne!(other, ring(999));
    });
}

// Handles

fn shared(value: Value) -> Value {
    Value::Shared(Shared::new(value))
}

/// The value that is read back has this schema and is the same graph.
#[track_caller]
fn check_schema(value: &Value, schema: &str) {
    let bytes = to_vec(value).unwrap();
    assert_eq!(schema_of(&bytes), schema);
    let back = from_slice::<Value>(&bytes).unwrap();
    assert_same(value, &back);
    assert!(to_vec(&back).unwrap() == bytes);
}

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

#[test]
fn an_undecided_variant_next_to_a_record_stays_undecided() {
    // F-49, case 2: the site's record is full; its undecided variant stays unchanged.
    let empty = shared(record([]));
    let wide = |of: &str, len: usize| {
        Value::record((0..len).map(|at| (format!("{of}{at}"), int(0))).collect::<Vec<_>>())
    };
    let value = tuple([empty.clone(), list([wide("a", 200), empty, wide("b", 200)])]);
    let bytes = to_vec(&value).unwrap();
    let schema = schema_of(&bytes);
    assert!(schema.starts_with("tuple(#0, list(union(record {a0: int"), "{schema}");
    assert!(schema.ends_with("shared(#0), map(string, int)))) where #0 = record {}"), "{schema}");
    assert_same(&value, &from_slice::<Value>(&bytes).unwrap());
}

#[test]
fn an_undecided_variant_is_decided_at_all_its_sites() {
    let [first, second] = [record([]), record([])].map(shared);
    // At the list's items, both are undecided; then the second is decided at its creation, and then the first.
    let value = tuple([
        list([first.clone()]),
        list([second.clone()]),
        list([first, second, record([])]),
        record([]),
    ]);
    check_schema(
        &value,
        "tuple(list(#0), list(#1), list(union(shared(#0), shared(#1))), record {}) \
         where #0 = record {}, #1 = record {}",
    );
    let [first, second] = [record([]), record([])].map(shared);
    let value = list([
        tuple([list([first.clone()]), list([second.clone()]), list([first, second, record([])])]),
        tuple([
            list([]),
            list([record([("x", int(1))])]),
            list([record([("y", int(1))]), record([])]),
        ]),
    ]);
    // The second is a record before the first is decided, so the list's items get that one.
    check_schema(
        &value,
        "list(tuple(list(#0), list(#1), list(union(shared(#0), shared(#1))))) \
         where #0 = record {}, #1 = record {x: int, y: int} [-, 0, 1]",
    );
}

#[test]
fn sites_with_very_many_types_are_fast() {
    // Linear searches would take minutes.
    let many = 100_000;
    let name = |at: usize| format!("S{at}");
    let mut items: Vec<Value> = (0..many).map(|at| object(&name(at), [])).collect();
    items.extend((0..many).flat_map(|at| [int(1), text("a"), record([]), object(&name(at), [])]));
    let value = list(items);
    let bytes = to_vec(&value).unwrap();
    assert!(from_slice::<Value>(&bytes).unwrap() == value);
    for one in [|name: &str| variant(name, null()), |name: &str| extension(name, null())] {
        let value = list((0..3 * many).map(|at| one(&name(at % many))));
        assert!(from_slice::<Value>(&to_vec(&value).unwrap()).unwrap() == value);
    }
    // Lengths that are parts of types.
    let value = list((0..10_000).flat_map(|at| [Value::Fixed(vec![1; at % 3000]), text("a")]));
    assert!(from_slice::<Value>(&to_vec(&value).unwrap()).unwrap() == value);
    let value = list((0..2000).map(|at| array((0..at % 600).map(|_| null()))));
    assert!(from_slice::<Value>(&to_vec(&value).unwrap()).unwrap() == value);
    // The same number of row types repeat at one site.
    let homes: Vec<Value> = (0..10_000).map(|_| shared(list([]))).collect();
    let fields =
        homes.iter().enumerate().map(|(at, home)| (name(at), tuple([list([home.clone()])])));
    let groups: Vec<(String, Value)> = fields.collect();
    let records =
        groups.chunks(200).zip(0..).map(|(chunk, at)| (name(at), Value::record(chunk.to_vec())));
    let records = Value::record(records.collect::<Vec<_>>());
    let again = list((0..30).flat_map(|_| homes.iter().cloned()));
    let value = tuple([records, again]);
    let bytes = to_vec(&value).unwrap();
    assert_same(&value, &from_slice::<Value>(&bytes).unwrap());
}

#[test]
fn columns_of_very_many_types_are_located_fast() {
    let many = 100_000;
    let mut members = Vec::new();
    for at in 0..many {
        members.push(object(&format!("S{at}"), [("x", int(1))]));
    }
    let bytes = to_vec(&list(members)).unwrap();
    let columns = holdall::trace::locate_columns(&bytes).unwrap();
    assert_eq!(columns.len(), many + 2);
    assert_eq!(columns.last().unwrap().site, "$[].x");
}

// Events

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
