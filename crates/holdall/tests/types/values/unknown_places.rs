//! Where types that keep unknown fields can be: in lists, enums, recursive types and others.

use std::collections::BTreeMap;
use std::rc::Rc;

use holdall::value::Record;
use holdall::{Code, Decode, Encode, Value, from_slice, to_vec};

use super::{check, fields};

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Item {
    id: u8,
    #[holdall(unknown)]
    rest: Record,
}

fn item(id: u8, more: Option<i32>) -> Item {
    let rest = more.map_or_else(Record::default, |more| fields([("more", Value::from(more))]));
    Item { id, rest }
}

#[test]
fn nested_records_in_lists_keep_the_fields_of_their_rows() {
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    struct Order {
        items: Vec<Item>,
        first: Option<Item>,
        by_name: BTreeMap<String, Item>,
        pair: (Item, [Item; 2]),
        #[holdall(unknown)]
        rest: Record,
    }
    let order = |n: u8| Order {
        items: (0..n).map(|id| item(id, (id % 2 == 1).then_some(7))).collect(),
        first: (n > 1).then(|| item(1, Some(1))),
        by_name: BTreeMap::from([
            ("a".into(), item(2, None)),
            ("b".into(), item(3, Some(n.into()))),
        ]),
        pair: (item(4, None), [item(5, None), item(6, (n > 2).then_some(8))]),
        rest: if n > 0 { fields([("note", Value::from("x"))]) } else { fields([]) },
    };
    let orders: Vec<_> = (0..4).map(order).collect();
    let one = "struct Item {id: u8, more: int} [0, 0 1]";
    check(
        &orders,
        &format!(
            "list(struct Order {{items: list({one}), first: option(struct Item {{id: u8, more: int}}), \
             by_name: map(string, {one}), pair: tuple(struct Item {{id: u8}}, array(2, {one})), note: string}} [0 1 2 3, 0 1 2 3 4])"
        ),
    );
    check(&orders[0].items, "list(struct Item {id: u8})");
}

#[test]
fn variants_keep_unknown_fields() {
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    enum Shape {
        Dot,
        Circle {
            radius: f64,
            #[holdall(unknown)]
            rest: Record,
        },
        Other {
            #[holdall(unknown)]
            all: Record,
        },
        Pair(u8, u8),
    }
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    enum Tomorrow {
        Dot,
        Circle { center: (f64, f64), radius: f64, colour: u32 },
        Other { size: u8 },
        Pair(u8, u8),
    }
    let tomorrow = vec![
        Tomorrow::Circle { center: (0.0, 1.0), radius: 2.0, colour: 7 },
        Tomorrow::Dot,
        Tomorrow::Other { size: 3 },
        Tomorrow::Circle { center: (5.0, 1.0), radius: 3.0, colour: 8 },
        Tomorrow::Pair(1, 2),
    ];
    let bytes = to_vec(&tomorrow).unwrap();
    let read: Vec<Shape> = from_slice(&bytes).unwrap();
    assert_eq!(read[2], Shape::Other { all: fields([("size", Value::U8(3))]) });
    let written = to_vec(&read).unwrap();
    assert_eq!(from_slice::<Vec<Tomorrow>>(&written).unwrap(), tomorrow);
    assert_eq!(from_slice::<Vec<Shape>>(&written).unwrap(), read);
    for shape in &read {
        assert_eq!(&from_slice::<Shape>(&to_vec(shape).unwrap()).unwrap(), shape);
    }
    check(&vec![Shape::Dot, Shape::Circle { radius: 0.5, rest: fields([]) }], {
        "list(union {Dot: null, Circle: record {radius: f64}, Other: record {}, Pair: tuple(u8, u8)})"
    });
}

#[test]
fn recursive_and_shared_types_keep_unknown_fields() {
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    struct Tree {
        inside: Vec<Tree>,
        shared: Option<Rc<Item>>,
        #[holdall(unknown)]
        rest: Record,
    }
    let shared = Rc::new(item(1, Some(2)));
    let tree = |inside, rest| Tree { inside, shared: Some(Rc::clone(&shared)), rest };
    let note = |text: &str| fields([("note", Value::from(text))]);
    let all = tree(
        vec![tree(vec![], note("a")), tree(vec![tree(vec![], fields([]))], note("b"))],
        fields([("ring", Value::list([Value::Null]))]),
    );
    let bytes = to_vec(&all).unwrap();
    let back: Tree = from_slice(&bytes).unwrap();
    assert_eq!(back, all);
    let (a, b) = (back.shared.unwrap(), back.inside[1].inside[0].shared.clone().unwrap());
    assert!(Rc::ptr_eq(&a, &b));
}

#[test]
fn flat_fields_and_versions_go_with_unknown_ones() {
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    struct Position {
        x: f64,
        y: f64,
    }
    mod v1 {
        #[derive(holdall::Encode, holdall::Decode)]
        pub struct City {
            pub title: String,
        }
    }
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    #[holdall(version = 2, upgrade(1 = "City::of_v1"))]
    struct City {
        name: String,
        #[holdall(unknown)]
        rest: Record,
        #[holdall(flatten)]
        position: Position,
    }
    impl City {
        fn of_v1(old: v1::City) -> City {
            let position = Position { x: 0.0, y: 0.0 };
            City { name: old.title, rest: Record::default(), position }
        }
    }
    #[derive(Debug, PartialEq, Encode, Decode)]
    #[holdall(rename = "City", version = 3)]
    struct Tomorrow {
        x: f64,
        height: f64,
        y: f64,
        name: String,
    }
    let tomorrow = Tomorrow { x: 1.0, height: 3.0, y: 2.0, name: "Rome".into() };
    let city: City = from_slice(&to_vec(&tomorrow).unwrap()).unwrap();
    let position = Position { x: 1.0, y: 2.0 };
    let rest = fields([("height", Value::F64(3.0))]);
    assert_eq!(city, City { name: "Rome".into(), rest, position });
    check(&city, r#"struct "City@2" {name: string, x: f64, y: f64, height: f64}"#);
    assert_eq!(from_slice::<Tomorrow>(&to_vec(&city).unwrap()).unwrap(), tomorrow);
    let old = to_vec(&[v1::City { title: "Bonn".into() }]).unwrap();
    assert_eq!(from_slice::<Vec<City>>(&old).unwrap()[0].name, "Bonn");
}

#[test]
fn a_flat_field_keeps_no_unknown_ones() {
    #[derive(Debug, Encode, Decode)]
    struct Around {
        #[holdall(flatten)]
        item: Item,
    }
    let value = Around { item: item(1, None) };
    assert_eq!(to_vec(&value).unwrap_err().code(), Code::UnsupportedValue);
    let error = from_slice::<Around>(&to_vec(&item(1, None)).unwrap()).unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedValue);
    let _ = value.item;
}

#[test]
fn a_struct_can_have_unknown_fields_alone() {
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    struct All {
        #[holdall(unknown)]
        all: Record,
    }
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    #[holdall(explicit, rename_all = "camelCase", default)]
    struct Explicit<T: Default> {
        #[holdall(keep)]
        my_id: T,
        cache: u8,
        #[holdall(unknown)]
        rest: Record,
    }
    impl<T: Default> Default for Explicit<T> {
        fn default() -> Self {
            Explicit { my_id: T::default(), cache: 0, rest: fields([("default", Value::Null)]) }
        }
    }
    let all = |value: i32| All { all: fields([("a", Value::from(value))]) };
    check(&vec![all(1), all(2), All { all: fields([]) }], "list(struct All {a: int} [0, -])");
    check(&All { all: fields([]) }, "struct All {}");
    let explicit = Explicit { my_id: 7_u8, cache: 0, rest: fields([("more", Value::from(1))]) };
    check(&explicit, "struct Explicit {myId: u8, more: int}");
    let read: Explicit<u8> = from_slice(&to_vec(&item(1, None)).unwrap()).unwrap();
    assert_eq!(read, Explicit { my_id: 0, cache: 0, rest: fields([("id", Value::U8(1))]) });
}

#[test]
fn lists_read_over_a_value_take_its_unknown_fields() {
    let (old, new) = (
        vec![item(1, Some(1)), item(2, None)],
        vec![item(3, None), item(4, Some(4)), item(5, None)],
    );
    let mut value = old;
    let mut decoder = holdall::Decoder::new();
    decoder.decode_into(&to_vec(&new).unwrap(), &mut value).unwrap();
    assert_eq!(value, new);
    let none = vec![item(6, None)];
    decoder.decode_into(&to_vec(&none).unwrap(), &mut value).unwrap();
    assert_eq!(value, none);
}
