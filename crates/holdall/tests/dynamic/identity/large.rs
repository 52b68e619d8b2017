//! Large graphs: nothing recurses, and equal parts are compared once.

use std::sync::Arc;

use super::{Transcode, assert_same, ring, row, schema_of, shared};
use crate::common::make::{array, extension, int, later, list, null, set, tuple};
use crate::common::stack::{DEPTH, on_a_small_stack};
use holdall::events::{Event, Sink};
use holdall::{Encoder, Shape, Shared, Value, ValueBuilder, from_slice, to_vec};

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
