//! Damaged messages, read into types of all kinds, give an error or a value, no panic.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use holdall::serde::{from_slice, to_vec};
use holdall::{Tensor, Value};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::laws::{All, all};
use crate::common::chance::{Chance, rounds, step};
use crate::common::mutate::mutate;

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
#[allow(dead_code)]
enum Any {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Any>),
    Map(BTreeMap<String, Any>),
}

#[derive(Debug, Serialize, Deserialize)]
struct Flat {
    x: Option<u8>,
    #[serde(flatten)]
    rest: HashMap<String, Any>,
}

fn read<T: DeserializeOwned + Serialize + Debug>(bytes: &[u8]) {
    if let Ok(value) = from_slice::<T>(bytes) {
        // A value that was read can usually be written; exceptions include a NaN as a key.
        let _ = to_vec(&value);
    }
}

/// Reads bytes as every type.
fn read_all(bytes: &[u8]) {
    if let Err(error) = from_slice::<IgnoredAny>(bytes) {
        let offset = error.offset().expect("every fault of bytes has a place");
        assert!(offset <= bytes.len() as u64);
    }
    read::<All>(bytes);
    read::<Vec<All>>(bytes);
    read::<Any>(bytes);
    read::<Flat>(bytes);
    read::<Value>(bytes);
    read::<serde_json::Value>(bytes);
    read::<Vec<(u8, String)>>(bytes);
    read::<Option<Option<Vec<Vec<f32>>>>>(bytes);
    let _ = from_slice::<Vec<Cow<'_, str>>>(bytes);
    let _ = from_slice::<&[u8]>(bytes);
    let _ = from_slice::<BTreeMap<u64, IgnoredAny>>(bytes);
}

#[test]
fn damaged_messages_never_panic() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let values = proptest::collection::vec(all(), 1..5);
    let mut inputs: Vec<Vec<u8>> = (0..60)
        .map(|_| to_vec(&values.new_tree(&mut runner).unwrap().current()).unwrap())
        .collect();
    let shared = Value::Shared(holdall::Shared::new(Value::from(vec!["x"])));
    let tensor = Value::from(Tensor::of([2, 2, 1], &[1_u16, 2, 3, 4]).unwrap());
    inputs.push(holdall::to_vec(&Value::list([shared.clone(), shared, tensor])).unwrap());
    let ring = holdall::Shared::cyclic(|ring| Value::record([("x", Value::Weak(ring.clone()))]));
    inputs.push(holdall::to_vec(&Value::Shared(ring)).unwrap());

    let mut chance = Chance::new(42);
    for round in 0..rounds(6_000) {
        let other = chance.pick(&inputs).clone();
        let mut bytes = inputs[round % inputs.len()].clone();
        for _ in 0..=chance.below(3) {
            mutate(&mut chance, &mut bytes, &other);
        }
        read_all(&bytes);
    }
}

#[test]
fn every_prefix_is_an_error() {
    let bytes = to_vec(&vec![(1_u8, "x", Some(BTreeMap::from([("a", 1.5)])))]).unwrap();
    for end in 0..bytes.len() {
        let error = from_slice::<IgnoredAny>(&bytes[..end]).unwrap_err();
        assert_eq!(error.code(), holdall::Code::Truncated);
    }
}

#[test]
fn every_valid_vector_is_read_as_every_type() {
    for vector in crate::common::vectors::valid().into_iter().step_by(step(5)) {
        if vector.input.form == crate::common::vectors::Form::Message {
            read_all(&vector.input.bytes);
        }
    }
}
