//! Values with identity: shared by several places, or containing themselves (F-45, F-64, F-65).

mod handles;
mod large;
mod many_types;

use crate::common::chance::{Chance, rounds};
use crate::common::graphs::{graph, same_graph};
use crate::common::is_aligned;
use crate::common::make::{int, list, record};
use crate::common::vectors::{Form, valid};
use holdall::events::RowId;
use holdall::events::{Shredder, Source};
use holdall::{
    Decoder, Encoder, Profile, Result, Schema, Shared, Value, ValueBuilder, from_slice, to_vec,
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
