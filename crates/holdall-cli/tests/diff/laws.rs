//! Laws over the values of the vectors and random ones.

use super::*;
use crate::damage::common::chance::step;

/// Whether a set, whose order means nothing, or a value of a later version is in it.
fn is_special(value: &Value) -> bool {
    let text = format!("{value:?}");
    text.contains("set(") || text.contains("<unknown>")
}

#[test]
fn the_values_of_the_conformance_vectors_differ_unless_they_are_equal() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/valid");
    let mut all = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read(file.unwrap().path()).unwrap();
        let vectors = value(std::str::from_utf8(&text).unwrap());
        for vector in vectors["vectors"].as_slice().unwrap() {
            let digits = vector["hex"].as_str().unwrap_or_default().split_whitespace();
            let message: Vec<u8> =
                digits.map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
            let mut builder = ValueBuilder::new();
            let limits = Limits::new().budget(1 << 12);
            let read = Decoder::new().limits(limits).message(&message, &mut builder);
            // Some need their schema to be read, some are large.
            let Some(read) = read.ok().and_then(|()| builder.finish().ok()) else { continue };
            if !is_special(&read) {
                let again = holdall::from_slice(&message).unwrap();
                assert_eq!(
                    lines_of(&read, &again),
                    [""; 0],
                    "{}",
                    vector["name"].as_str().unwrap()
                );
                all.push(read);
            }
        }
    }
    assert!(all.len() > 300, "{}", all.len());
    let options = Options::new().ignore_identity(true).limit(usize::MAX);
    let step = 17 * step(5);
    for (number, old) in all.iter().enumerate() {
        for new in all.iter().skip(number % step).step_by(step) {
            let lines = lines_with(old, new, &options);
            assert_eq!(lines.is_empty(), old == new, "{old:?} {new:?} {lines:?}");
        }
    }
}

/// Values of which many are equal.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..4i64).prop_map(Value::from),
        (0..2u8).prop_map(Value::U8),
        prop::sample::select(vec![0.0, -0.0, f64::NAN, 1.0]).prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
        prop::collection::vec(0..2u8, 0..3).prop_map(Value::Bytes),
        prop::collection::vec(0..2u8, 0..4).prop_map(|elements| {
            Value::from(Tensor::of([elements.len() as u64], &elements).unwrap())
        }),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let items = || prop::collection::vec(inner.clone(), 0..4);
        let fields = || prop::collection::btree_map("[a-c]", inner.clone(), 0..4);
        prop_oneof![
            items().prop_map(Value::list),
            items().prop_map(Value::tuple),
            items().prop_map(|items| Value::Array(items.into())),
            fields().prop_map(Value::record),
            fields().prop_map(|fields| {
                let fields = fields.into_iter().map(|(name, value)| (name.into(), value));
                Value::Struct(Struct::new("S", fields.collect()))
            }),
            prop::collection::btree_map(0..3i64, inner.clone(), 0..4).prop_map(|entries| {
                Value::map(entries.into_iter().map(|(key, value)| (Value::from(key), value)))
            }),
            inner.clone().prop_map(|value| Value::Variant(Variant::new("V", value))),
            inner.clone().prop_map(|value| Value::from(Extension::new("e", value))),
            // One value in two places.
            inner.clone().prop_map(|value| {
                let shared = Value::Shared(Shared::new(value));
                Value::list([shared.clone(), shared])
            }),
        ]
    })
}

proptest! {
    #[test]
    fn equal_values_have_no_difference(value in any_value()) {
        prop_assert_eq!(lines_of(&value, &value.clone()), [""; 0]);
        let message = holdall::to_vec(&value).unwrap();
        let read = holdall::from_slice(&message).unwrap();
        prop_assert_eq!(lines_of(&value, &read), [""; 0]);
    }

    #[test]
    fn values_are_equal_if_only_identities_differ(
        old in any_value(),
        new in any_value(),
    ) {
        let options = Options::new().ignore_identity(true);
        let (there, back) = (lines_with(&old, &new, &options), lines_with(&new, &old, &options));
        prop_assert_eq!(there.is_empty(), old == new);
        prop_assert_eq!(back.is_empty(), old == new);
        // In a larger value, beside equal parts.
        let pair = |value: Value| Value::list([Value::from("x"), value, Value::from("y")]);
        let lines = lines_with(&pair(old.clone()), &pair(new.clone()), &options);
        prop_assert_eq!(lines.is_empty(), old == new);
    }

    #[test]
    fn an_edited_list_has_no_more_differences_than_edits(
        len in 0..40usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3u8), 0..6),
    ) {
        let old: Vec<i64> = (0..len as i64).collect();
        let mut new = old.clone();
        for (number, (place, edit)) in edits.iter().enumerate() {
            let other = 1000 + number as i64;
            let at = place.index(new.len() + 1);
            match edit {
                0 => new.insert(at, other),
                1 if at < new.len() => drop(new.remove(at)),
                _ if at < new.len() => new[at] = other,
                _ => {}
            }
        }
        let lines = lines_of(&Value::from(old), &Value::from(new));
        prop_assert!(lines.len() <= edits.len(), "{lines:?}");
    }
}
