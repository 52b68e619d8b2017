//! What `holdall generate --rust` makes of `station.holds`: it compiles, has this schema, and goes round.

mod station;

use std::collections::{HashMap, HashSet};

use holdall::{Encode, Schema, from_slice, to_vec};

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
