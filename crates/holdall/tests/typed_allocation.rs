//! The allocations of writing and reading Rust types.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::counting::allocations_of;
use holdall::{Decode, Decoder, Encode, Encoder, Header, Profile};

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Order {
    id: u64,
    name: String,
    lines: Vec<Line>,
    note: Option<String>,
    at: [i32; 3],
    weight: f64,
    state: State,
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Line {
    article: String,
    count: u16,
    gift: bool,
    price: (f32, u8),
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
enum State {
    Open,
    Sent { by: String, on: u32 },
    Returned(Vec<u8>),
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Tree {
    name: String,
    inside: Vec<Tree>,
}

fn orders(count: u64) -> Vec<Order> {
    let line = |n: u64| Line {
        article: format!("article {n}"),
        count: n as u16,
        gift: n.is_multiple_of(2),
        price: (n as f32 / 8.0, 19),
    };
    let order = |id: u64| Order {
        id,
        name: format!("customer {}", id * 7919),
        lines: (0..id % 5).map(line).collect(),
        note: id.is_multiple_of(3).then(|| "by hand".to_owned()),
        at: [id as i32, -1, 70_000],
        weight: id as f64 / 3.0,
        state: match id % 3 {
            0 => State::Open,
            1 => State::Sent { by: "post".to_owned(), on: 20_000 },
            _ => State::Returned(vec![id as u8; 3]),
        },
    };
    (0..count).map(order).collect()
}

fn tree(depth: usize) -> Tree {
    let inside = if depth == 0 { vec![] } else { vec![tree(depth - 1), tree(depth - 1)] };
    Tree { name: format!("level {depth}"), inside }
}

/// Writes values of a type in turn; the first ones grow the buffers as far as all need.
fn allocates_nothing<T: Encode>(values: &[T], mut encoder: Encoder) {
    let mut out = Vec::new();
    for value in values {
        encoder.encode_into(value, &mut out).unwrap();
    }
    for value in values {
        let (done, allocations) = allocations_of(|| encoder.encode_into(value, &mut out));
        done.unwrap();
        assert_eq!(allocations, 0, "{}", std::any::type_name::<T>());
        assert!(!out.is_empty());
    }
}

#[test]
fn rewriting_a_type_allocates_nothing() {
    for header in [Header::Schema, Header::Fingerprint, Header::Bare] {
        let encoder = || Encoder::new().header(header);
        allocates_nothing(&[orders(100), orders(0), orders(3), orders(64)], encoder());
        allocates_nothing(&[7_u8, 200], encoder());
        allocates_nothing(&["text".to_owned(), String::new()], encoder());
        allocates_nothing(&[tree(3), tree(5), tree(0)], encoder());
        allocates_nothing(
            &[orders(3).into_iter().enumerate().collect::<BTreeMap<_, _>>()],
            encoder(),
        );
        allocates_nothing(&[vec![i128::MAX / 2, -5, 0, 1].len()], encoder());
    }
    allocates_nothing(&[orders(100)], Encoder::new().profile(Profile::Fast));
}

#[test]
fn rewriting_shared_values_allocates_only_their_handles() {
    let shared = Rc::new("shared".to_owned());
    let value = vec![shared.clone(), Rc::new("own".to_owned()), shared];
    let mut encoder = Encoder::new();
    let mut out = Vec::new();
    encoder.encode_into(&value, &mut out).unwrap();
    let (done, allocations) = allocations_of(|| encoder.encode_into(&value, &mut out));
    done.unwrap();
    assert_eq!(allocations, 0);
}

#[test]
fn a_message_is_one_allocation() {
    let orders = orders(100);
    let mut encoder = Encoder::new();
    encoder.encode(&orders).unwrap();
    // The first call also allocates for things computed once.
    encoder.encode(&orders).unwrap();
    let (bytes, allocations) = allocations_of(|| encoder.encode(&orders).unwrap());
    assert_eq!((allocations, bytes.capacity()), (1, bytes.len()));
}

#[test]
fn memory_of_a_value_is_reused() {
    let (orders, fewer) = (orders(100), orders(90));
    let bytes = [holdall::to_vec(&orders).unwrap(), holdall::to_vec(&fewer).unwrap()];
    let mut decoder = Decoder::new();
    let mut value: Vec<Order> = decoder.decode(&bytes[0]).unwrap();
    let addresses = |value: &Vec<Order>| {
        (
            value.as_ptr(),
            value[4].name.as_ptr(),
            value[4].lines.as_ptr(),
            value[4].lines[3].article.as_ptr(),
        )
    };
    let before = addresses(&value);
    let (_, fresh) = allocations_of(|| decoder.decode::<Vec<Order>>(&bytes[0]).unwrap());
    let (_, again) = allocations_of(|| decoder.decode_into(&bytes[0], &mut value).unwrap());
    assert_eq!((&value, addresses(&value)), (&orders, before));
    // The remaining ones are for the columns of the message, none for the values.
    assert!(again < 25 && fresh > 400, "{fresh} allocations, in place {again}");
    decoder.decode_into(&bytes[1], &mut value).unwrap();
    assert_eq!((&value, addresses(&value)), (&fewer, before));
    decoder.decode_into(&bytes[0], &mut value).unwrap();
    assert_eq!(value, orders);
}

#[test]
fn decode_into_gives_the_result_of_decode() {
    holdall::testing::check::<Vec<Order>>(200);
    holdall::testing::check::<Tree>(200);
    holdall::testing::check::<Vec<State>>(200);
}
