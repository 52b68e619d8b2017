//! Data of another schema whose columns are taken unchanged give the same result as reading value by value.

use std::collections::BTreeMap;
use std::fmt::Debug;

use holdall::{Code, Decode, DecodeOwned, Encode, Resolver, from_slice, to_vec};

/// Reads a value into another type by columns, and value by value.
fn both<W: Encode, R: DecodeOwned + Encode + PartialEq + Debug>(value: &W, expected: &R) {
    let message = to_vec(value).unwrap();
    assert_eq!(from_slice::<R>(&message).unwrap(), *expected);
    let resolved = Resolver::new(R::schema().unwrap()).read(&message).unwrap();
    assert_eq!(
        resolved,
        Resolver::new(R::schema().unwrap()).read(&to_vec(expected).unwrap()).unwrap()
    );
}

mod old {
    use super::*;

    #[derive(Clone, Encode)]
    pub struct Order {
        pub id: u16,
        pub note: String,
        pub customer: Option<Customer>,
        pub items: Vec<(u8, f64)>,
        pub state: State,
        pub tags: BTreeMap<String, i8>,
        pub corners: [u16; 2],
        pub gone: Vec<Vec<String>>,
    }

    #[derive(Clone, Encode)]
    pub struct Customer {
        pub name: String,
        pub age: u8,
    }

    #[derive(Clone, Copy, Encode)]
    pub enum State {
        New,
        Paid(u32),
        Sent { day: u16 },
    }
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Order {
    corners: [u64; 2],
    state: State,
    customer: Option<Customer>,
    rating: Option<u8>,
    items: Vec<(i32, f64)>,
    id: Option<u64>,
    tags: BTreeMap<String, i64>,
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Customer {
    age: i16,
    #[holdall(alias = "name")]
    full_name: String,
    mail: Option<String>,
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum State {
    Lost,
    Sent { day: u32, by: Option<String> },
    New,
    Paid(u64),
}

fn order(seed: usize) -> old::Order {
    old::Order {
        id: seed as u16,
        note: "not read".repeat(seed % 3),
        customer: seed
            .is_multiple_of(2)
            .then(|| old::Customer { name: format!("name {}", seed % 10), age: seed as u8 }),
        items: (0..seed % 5).map(|at| (at as u8, at as f64 / 3.0)).collect(),
        state: match seed % 3 {
            0 => old::State::New,
            1 => old::State::Paid(seed as u32),
            _ => old::State::Sent { day: seed as u16 },
        },
        tags: (0..seed % 4).map(|at| (at.to_string(), -(at as i8))).collect(),
        corners: [seed as u16, 0],
        gone: vec![vec!["gone".into()]; seed % 2],
    }
}

fn now(old: &old::Order) -> Order {
    Order {
        corners: old.corners.map(u64::from),
        state: match old.state {
            old::State::New => State::New,
            old::State::Paid(sum) => State::Paid(sum.into()),
            old::State::Sent { day } => State::Sent { day: day.into(), by: None },
        },
        customer: old.customer.as_ref().map(|old| Customer {
            age: old.age.into(),
            full_name: old.name.clone(),
            mail: None,
        }),
        rating: None,
        items: old.items.iter().map(|(number, value)| ((*number).into(), *value)).collect(),
        id: Some(old.id.into()),
        tags: old.tags.iter().map(|(tag, value)| (tag.clone(), (*value).into())).collect(),
    }
}

#[test]
fn columns_of_changed_types_equal_value_by_value_reading() {
    for count in [0, 1, 2, 3, 4, 10, 1000] {
        let old: Vec<old::Order> = (0..count).map(order).collect();
        let new: Vec<Order> = old.iter().map(now).collect();
        both_aliased(&old, &new);
    }
    both_aliased(&order(7), &now(&order(7)));
}

/// A resolver of your own knows no aliases.
fn both_aliased<W: Encode, R: DecodeOwned + PartialEq + Debug>(value: &W, expected: &R) {
    assert_eq!(from_slice::<R>(&to_vec(value).unwrap()).unwrap(), *expected);
}

#[test]
fn integers_of_another_width_or_sign_are_equal_or_an_error() {
    both(&vec![0_u8, 1, 255], &vec![0_i64, 1, 255]);
    both(&vec![-1_i8, 127, 0, 3, -128], &vec![-1_i16, 127, 0, 3, -128]);
    both(&vec![1_u64 << 40, 3, 4, 5], &vec![1_i64 << 40, 3, 4, 5]);
    both(&vec![300_u64, 1, 2, 3, 4, 5], &vec![300_u16, 1, 2, 3, 4, 5]);
    both(&vec![7_u128, 1], &vec![7_u8, 1]);
    both(&vec![1_u8, 2], &vec![1_i128, 2]);
    for (message, path) in [
        (to_vec(&vec![1_u64, 256]).unwrap(), "$[1]"),
        (to_vec(&vec![0_i8, 0, 0, -1, 0]).unwrap(), "$[3]"),
    ] {
        let error = from_slice::<Vec<u8>>(&message).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unconvertible, path));
    }
    let error = from_slice::<Vec<i64>>(&to_vec(&vec![u64::MAX]).unwrap()).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[0]"));
}

#[test]
fn a_variant_that_the_type_lacks_is_an_error_only_if_it_occurs() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    enum Known {
        Paid(u32),
        New,
    }
    both(&vec![old::State::New, old::State::Paid(1)], &vec![Known::New, Known::Paid(1)]);
    let message = to_vec(&vec![old::State::New, old::State::Sent { day: 1 }]).unwrap();
    let error = from_slice::<Vec<Known>>(&message).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[1]<Sent>"));
}

#[test]
fn text_of_another_schema_can_be_borrowed() {
    #[derive(Debug, PartialEq, Decode)]
    struct Name<'a> {
        name: &'a str,
    }
    let message = to_vec(&old::Customer { name: "Ada".into(), age: 36 }).unwrap();
    assert_eq!(from_slice::<Name<'_>>(&message).unwrap(), Name { name: "Ada" });
}
