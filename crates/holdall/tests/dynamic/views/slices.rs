//! Slices of a view are those of the value, whatever their step.

use holdall::view::{Bytes, SomeRows, View};
use holdall::{Encoder, Profile, Value, ValueBuilder};

use super::touched::Counted;
use crate::common::make::{big, int, list, map, null, record, set, tensor, text, tuple, variant};

/// A name, and the value of a row.
type Kind = (&'static str, fn(u64) -> Value);

/// The kinds that rows can have.
fn kinds() -> Vec<Kind> {
    vec![
        ("nulls", |_| null()),
        ("bools", |n| Value::Bool(n % 3 == 0)),
        ("ints", |n| int(n as i64)),
        ("widths", |n| int((n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24 >> (n % 40)) as i64)),
        ("bigs", |n| big(&format!("{n}0000000000000000000000"))),
        ("floats", |n| Value::from(n as f64 / 100.0)),
        ("text", |n| text(&format!("{n} of them"))),
        ("dictionary", |n| text(["red", "green", "blue"][n as usize * 7 % 3])),
        ("bytes", |n| Value::Bytes(vec![n as u8; n as usize % 5])),
        ("options", |n| if n % 3 == 0 { null() } else { int(n as i64) }),
        ("unions", |n| if n % 3 == 0 { text("three") } else { int(n as i64) }),
        ("variants", |n| variant(["A", "B"][n as usize % 2], int(n as i64))),
        ("lists", |n| list((0..n % 4).map(|item| int((n * item) as i64)))),
        ("lists of lists", |n| list((0..n % 3).map(|len| list((0..len).map(|_| text("x")))))),
        ("tuples", |n| tuple([int(n as i64), text(&n.to_string())])),
        ("maps", |n| map((0..n % 3).map(|key| (int(key as i64), int(n as i64))))),
        ("sets", |n| set((0..n % 3).map(|key| int(key as i64)))),
        ("records", |n| record([("n", int(n as i64)), ("half", Value::from(n as f64 / 2.0))])),
        ("shapes", |n| record(NAMES[..=n as usize % 4].iter().map(|name| (*name, text("x"))))),
        ("sparse records", |n| {
            let has = |at: &usize| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (40 + at) & 3 == 0;
            record((0..NAMES.len()).filter(has).map(|at| (NAMES[at], int((n * at as u64) as i64))))
        }),
        ("tensors", |n| tensor("i32", &[n % 3, 2], || n as u8)),
    ]
}

const NAMES: [&str; 16] =
    ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"];

fn slice(view: &View<'_>, some: SomeRows) -> Value {
    let mut builder = ValueBuilder::new();
    view.root().emit_rows(some, &mut builder).unwrap();
    builder.finish().unwrap()
}

#[test]
fn slices_are_those_of_the_value() {
    for (name, kind) in kinds() {
        for (rows, profile) in [1, 3, 7, 500].into_iter().flat_map(|rows| {
            [Profile::Fast, Profile::Balanced, Profile::Small].map(|of| (rows, of))
        }) {
            let value = list((0..rows).map(kind));
            let message = Encoder::new().profile(profile).message(&mut &value).unwrap();
            let counted = Counted::of(&message);
            let view = View::new(&message).unwrap();
            let parts = View::new(Bytes::reader(&counted).unwrap()).unwrap();
            let items = value.as_slice().unwrap();
            for (first, step) in [(0, 1), (0, 2), (1, 2), (2, 1), (5, 3), (100, 129), (0, 400)] {
                for less in [0, 1] {
                    let count = rows.saturating_sub(first + less).div_ceil(step);
                    if count == 0 {
                        continue;
                    }
                    let own = items[first as usize..].iter().step_by(step as usize).cloned();
                    let wanted = list(own.take(count as usize));
                    let some = SomeRows { first, count, step };
                    assert_eq!(slice(&view, some), wanted, "{name}: {some:?} in {profile:?}");
                    assert_eq!(slice(&parts, some), wanted, "{name}: {some:?} in {profile:?}");
                }
            }
        }
    }
}
