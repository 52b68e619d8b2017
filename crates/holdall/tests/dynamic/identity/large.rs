//! Large and deep graphs, in linear time and without recursion.

use super::*;

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
            builder.identify(row(at)).unwrap();
            builder.begin_struct(&Arc::from("Node"), &shape).unwrap();
            match at.checked_sub(1) {
                Some(parent) => builder.reference(row(parent)).unwrap(),
                None => builder.null().unwrap(),
            }
        }
        builder.null().unwrap();
        (0..DEPTH).for_each(|_| builder.end().unwrap());
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
