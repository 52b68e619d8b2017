//! Laws of all values inside types, also of damaged ones.

use std::collections::BTreeMap;

use holdall::value::Record;
use holdall::{
    Code, Decode, Decoder, Encode, Encoder, Limits, Profile, Shared, Value, from_slice, to_vec,
};

use crate::common::chance::{Chance, rounds};
use crate::common::graphs::{graph, same_graph};
use crate::common::mutate::mutate;
use crate::common::refusals::is_rewritten;
use crate::common::vectors;

#[derive(Clone, Debug, Encode, Decode)]
struct Event {
    id: u16,
    body: Value,
    inside: Vec<Event>,
    #[holdall(unknown)]
    rest: Record,
}

/// Makes events, and keeps what their weak handles refer to.
struct Maker {
    chance: Chance,
    kept: Vec<Shared>,
}

impl Maker {
    fn value(&mut self) -> Value {
        let (value, kept) = graph(&mut self.chance);
        self.kept.extend(kept);
        value
    }

    fn event(&mut self, depth: usize) -> Event {
        let inside = if depth > 0 { self.chance.below(4) } else { 0 };
        let (id, body) = (self.chance.word() as u16, self.value());
        let inside = (0..inside).map(|_| self.event(depth - 1)).collect();
        let count = self.chance.below(2) * self.chance.below(4);
        let rest = (0..count).map(|at| (format!("k{at}").into(), self.value())).collect();
        Event { id, body, inside, rest }
    }
}

/// Compares two events as graphs.
fn same(left: &Event, right: &Event) -> Result<(), String> {
    same_graph(&left.body, &right.body)?;
    same_graph(&Value::Record(left.rest.clone()), &Value::Record(right.rest.clone()))?;
    assert_eq!((left.id, left.inside.len()), (right.id, right.inside.len()));
    left.inside.iter().zip(&right.inside).try_for_each(|(left, right)| same(left, right))
}

#[test]
fn any_values_inside_types_are_read_as_they_were() {
    for seed in 1..=rounds(2000) as u64 {
        let mut maker = Maker { chance: Chance::new(seed), kept: Vec::new() };
        let event = maker.event(3);
        let profile = *maker.chance.pick(&[Profile::Fast, Profile::Balanced, Profile::Small]);
        let bytes = Encoder::new().profile(profile).encode(&event).unwrap();
        let back: Event = from_slice(&bytes).unwrap();
        same(&event, &back).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        assert_eq!(to_vec(&back).unwrap(), to_vec(&event).unwrap(), "seed {seed}");
    }
}

#[test]
fn each_value_of_the_vectors_can_be_inside_a_type() {
    let mut count = 0;
    for vector in vectors::valid() {
        let mut builder = holdall::ValueBuilder::new();
        if vector.input.decode(&mut builder).is_err() {
            continue;
        }
        let Ok(value) = builder.finish() else { continue };
        if is_rewritten(&value) || to_vec(&value).is_err() {
            continue;
        }
        let rest: Record = [("more".into(), value.clone())].into_iter().collect();
        let event = Event { id: 1, body: value, inside: vec![], rest };
        let decoder = || Decoder::new().limits(Limits::new().budget(1 << 30));
        let back: Event = decoder().decode(&to_vec(&event).unwrap()).unwrap();
        same(&event, &back).unwrap_or_else(|why| panic!("{}: {why}", vector.name));
        count += 1;
    }
    assert!(count > 200, "{count}");
}

#[test]
fn damaged_values_inside_types_are_read_or_refused() {
    let mut maker = Maker { chance: Chance::new(7), kept: Vec::new() };
    let messages: Vec<_> = (0..20).map(|_| to_vec(&maker.event(2)).unwrap()).collect();
    let messages: Vec<_> = messages.into_iter().filter(|message| message.len() < 4000).collect();
    let mut chance = maker.chance;
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    let mutations = rounds(30_000);
    for number in 0..mutations {
        let mut bytes = messages[number % messages.len()].clone();
        for _ in 0..*chance.pick(&[1, 1, 2]) {
            let other = chance.pick(&messages).clone();
            mutate(&mut chance, &mut bytes, &other);
        }
        let budget = *chance.pick(&[1 << 18, 1 << 14, 500]);
        let mut decoder = Decoder::new().limits(Limits::new().budget(budget).depth(200));
        let end = match decoder.decode::<Event>(&bytes) {
            Ok(event) => {
                match to_vec(&event) {
                    Ok(bytes) => drop(from_slice::<Event>(&bytes).expect("it was written")),
                    // Storage of another kind, and maps whose keys a reader does not compare.
                    Err(error) => assert!(
                        matches!(error.code(), Code::UnsupportedValue | Code::DuplicateKey),
                        "{error}"
                    ),
                }
                "event".to_owned()
            }
            Err(error) => error.code().to_string(),
        };
        *met.entry(end).or_default() += 1;
    }
    assert!(met.get("event").is_some_and(|count| *count > mutations / 100), "{met:?}");
    assert!(met.len() >= 20 && met.contains_key("limit_budget"), "{met:?}");
}
