//! What `holdall generate --rust` makes of `station.holds`, of `shop.holds`, which needs the types of other crates, of `names.holds`, whose names the
//! code uses itself, of `twins.holds`, where several types have one name, of `links.holds`, whose root is a definition, of `rare.holds`, whose types
//! Rust has in part, and of the data of `users.json`: it compiles, has this schema, and goes round.

mod links;
mod names;
mod rare;
mod shop;
mod station;
mod twins;
mod users;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use holdall::value::{Logical, Map, Tuple};
use holdall::{Encode, LogicalType, Schema, Value, from_slice, to_vec};

use shop::{Category, Colours, Line, Order, Payment, Shop};
use station::{Part, Reading, Sensors, State, Station};

fn part(name: &str, inside: Vec<Part>) -> Part {
    let best = inside.first().cloned().map(Box::new);
    Part { name: name.to_owned(), inside, best }
}

fn station(state: State) -> Station {
    Station {
        id: 7,
        place: (51.5, -0.1),
        readings: vec![Reading { at: -5, values: [0.5, -0.0, 1e30], note: None }],
        state,
        sensors: HashMap::from([("north".to_owned(), Sensors::Dry)]),
        parts: part("all", vec![part("mast", vec![]), part("vane", vec![])]),
        tags: HashSet::from(["a".to_owned()]),
        type_: Some("small".to_owned()),
    }
}

#[test]
fn generated_types_have_the_schema_that_they_come_from() {
    let written: Schema = include_str!("station.holds").parse().unwrap();
    assert_eq!(Station::schema().unwrap().to_string(), written.to_string());
    // Times of chrono have nanoseconds.
    let text = include_str!("shop.holds").replace("timestamp[us, utc]", "timestamp[ns, utc]");
    let written: Schema = text.parse().unwrap();
    assert_eq!(Shop::schema().unwrap().to_string(), written.to_string());
}

#[test]
fn generated_types_go_round() {
    let states =
        [State::Off, State::On { since: 9, by: "Ada".to_owned() }, State::BrokenDown(('x', true))];
    for value in states.map(station) {
        let bytes = to_vec(&value).unwrap();
        assert_eq!(from_slice::<Station>(&bytes).unwrap(), value);
    }
}

#[test]
fn generated_types_of_other_crates_go_round() {
    let tea = Category { name: "tea".to_owned(), inside: vec![], best: None };
    let payments = [Payment::Cash, Payment::Card { last4: "1234".to_owned(), valid: (12, 2030) }];
    let order = |(id, payment)| {
        let line =
            Line { product: "tea".to_owned(), amount: 2, unit_price: "4.90".parse().unwrap() };
        let placed = "2024-05-06T07:08:09.000010Z".parse().unwrap();
        (id, Order { id, placed, lines: vec![line], payment })
    };
    let shop = Shop {
        orders: (1..).zip(payments).map(order).collect(),
        colours: vec![Colours::Green, Colours::Red],
        categories: Category {
            name: "all".to_owned(),
            inside: vec![tea.clone()],
            best: Some(Box::new(tea)),
        },
        tags: HashSet::from(["a".to_owned()]),
        open: "09:30:00".parse().unwrap(),
        since: "1999-12-31".parse().unwrap(),
        logo: bytes::Bytes::from_static(b"PNG"),
        key: uuid::Uuid::from_u128(5),
        type_: None,
        scores: [0.5, -0.0, 2.5],
    };
    assert_eq!(from_slice::<Shop>(&to_vec(&shop).unwrap()).unwrap(), shop);
}

#[test]
fn generated_types_have_other_names_than_the_code_uses() {
    let place = names::Place {
        name: "mast".to_owned(),
        at: names::Point { x: names::Axis { n: -3 }, y: 4 },
    };
    let value = names::Names {
        vec: names::Vec2 { a: vec![1, 2] },
        option: names::Option2 { a: None },
        string: names::String2 { a: "s".to_owned() },
        schema: names::Schema { a: 5 },
        map: names::Map { a: HashMap::from([("m".to_owned(), 1)]) },
        decimal: names::Decimal { a: "0.5".parse().unwrap() },
        tuple: names::Tuple { a: (1, 2) },
        self_: names::Self2 { a: true },
        int: 6,
        float: 0.5,
        str: Some("t".to_owned()),
        state: names::State::Self2,
        places: HashSet::from([place.clone()]),
        date: "1999-12-31".parse().unwrap(),
        owners: HashMap::from([(place, "Ada".to_owned())]),
    };
    assert_eq!(from_slice::<names::Names>(&to_vec(&value).unwrap()).unwrap(), value);
}

#[test]
fn types_of_one_name_go_round() {
    let table = twins::Table {
        paid: vec![twins::Paid::Cash, twins::Paid::Card { last4: "1234".to_owned() }],
        dealt: vec![twins::Dealt::Card { suit: "hearts".to_owned(), rank: 7 }, twins::Dealt::None],
        points: vec![twins::Line { x: 5 }],
        verses: vec![twins::Line2 { y: "Arma virumque cano".to_owned() }],
    };
    let written: Schema = include_str!("twins.holds").parse().unwrap();
    assert_eq!(twins::Table::schema().unwrap(), written);
    assert_eq!(from_slice::<twins::Table>(&to_vec(&table).unwrap()).unwrap(), table);
}

#[test]
fn a_root_that_is_a_definition_goes_round() {
    let of = |title: &str, next, others| links::Link {
        title: title.to_owned(),
        weight: Some(0.5),
        next,
        others,
    };
    let inner = of("inner", None, vec![]);
    let link = of("outer", Some(Box::new(inner.clone())), vec![inner]);
    assert_eq!(from_slice::<links::Link>(&to_vec(&link).unwrap()).unwrap(), link);
}

fn rare() -> rare::Rare {
    let logical = |kind, storage: Value| {
        Value::from(Logical::new(LogicalType::new(kind, &[]).unwrap(), storage))
    };
    let tuple = |items: Vec<Value>| Value::Tuple(Tuple::from(items));
    let codes = vec![Value::from(1), Value::from("one")];
    rare::Rare {
        amounts: vec![Value::from(1), Value::from(2.5)],
        key: Value::Fixed(b"12345".to_vec()),
        share: logical(LogicalType::RATIONAL, tuple(vec![1.into(), 3.into()])),
        kinds: vec![
            rare::Kinds::A,
            rare::Kinds::B(5),
            rare::Kinds::C { x: -1 },
            rare::Kinds::D("d".to_owned()),
            rare::Kinds::E((1, "e".to_owned())),
            rare::Kinds::F(rare::Inner { n: 6 }),
            rare::Kinds::G(rare::G { n: 7 }),
        ],
        waiting: (vec![1, 2], None),
        row: ndarray::arr1(&[0.5, 1.5]).into_dyn(),
        grid: Some(ndarray::arr2(&[[1, 2], [3, 4]]).into_dyn()),
        document: rare::Json(Some(vec![Value::from("a"), Value::from(Vec::<Value>::new())].into())),
        codes: logical(LogicalType::SET, codes.clone().into()),
        words: Rc::new(rare::Words(codes)),
        places: Value::Map(Map::from(vec![(0.5.into(), "half".into())])),
        nothing: tuple(vec![]),
    }
}

#[test]
fn types_that_rust_lacks_are_values_and_go_round() {
    let bytes = to_vec(&rare()).unwrap();
    assert_eq!(from_slice::<rare::Rare>(&bytes).unwrap(), rare());
}

#[test]
fn types_generated_from_data_read_them_and_go_round() {
    let data = holdall_convert::json::pack(include_bytes!("users.json")).unwrap();
    let users: users::UsersRoot = from_slice(&data).unwrap();
    let ages: Vec<_> = users.iter().map(|user| (&*user.home_town.name, user.age)).collect();
    assert_eq!(ages, [("Oslo", None), ("Rome", Some(5))]);
    assert_eq!(from_slice::<users::UsersRoot>(&to_vec(&users).unwrap()).unwrap(), users);
}
