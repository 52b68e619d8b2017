//! Sites with undecided variants, or with very many types.

use super::{assert_same, check_schema, schema_of, shared};
use crate::common::make::{
    array, extension, int, list, null, object, record, text, tuple, variant,
};
use holdall::{Value, from_slice, to_vec};

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
