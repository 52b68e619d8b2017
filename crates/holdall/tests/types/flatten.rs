//! `flatten` with other attributes, and its mistakes.

use holdall::{Code, Decode, Encode, Value, from_slice, to_vec};

fn nine() -> u8 {
    9
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Deep {
    #[holdall(default = "nine")]
    y: u8,
}

/// Its own default and a field with `flatten`, and it is in such a field itself.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[holdall(default)]
struct Inner {
    x: u8,
    #[holdall(flatten)]
    deep: Deep,
}

impl Default for Inner {
    fn default() -> Inner {
        Inner { x: 5, deep: Deep { y: 50 } }
    }
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[holdall(default)]
struct Outer {
    id: u8,
    #[holdall(flatten)]
    inner: Inner,
    z: u8,
}

impl Default for Outer {
    fn default() -> Outer {
        Outer { id: 1, inner: Inner { x: 70, deep: Deep { y: 71 } }, z: 3 }
    }
}

/// All ways to take some of the names, in every order.
fn selections(names: &[&'static str]) -> Vec<Vec<&'static str>> {
    let mut all = vec![vec![]];
    let mut done = 0;
    while let Some(some) = all.get(done).cloned() {
        let more = names.iter().filter(|name| !some.contains(*name));
        all.extend(more.map(|name| [&some[..], &[*name]].concat()));
        done += 1;
    }
    all
}

#[test]
fn fields_missing_in_a_flat_field_have_the_defaults_of_its_struct() {
    let selections = selections(&["id", "x", "y", "z", "other"]);
    assert_eq!(selections.len(), 326);
    for names in selections {
        let data = |row: i64| {
            let fields = names.iter().zip(0_i64..);
            Value::record(fields.map(|(name, number)| (*name, Value::from(100 + row + number))))
        };
        let expected = |row: u8| {
            let of = |name, default| {
                let number = names.iter().position(|own| *own == name);
                number.map_or(default, |number| 100 + row + number as u8)
            };
            let inner = Inner { x: of("x", 5), deep: Deep { y: of("y", 9) } };
            Outer { id: of("id", 1), inner, z: of("z", 3) }
        };
        for count in [1, 20] {
            let bytes = to_vec(&Value::list((0..count).map(i64::from).map(data))).unwrap();
            let back: Vec<Outer> = from_slice(&bytes).unwrap();
            assert_eq!(back, (0..count).map(expected).collect::<Vec<_>>(), "{names:?}");
        }
        let back: Outer = from_slice(&to_vec(&data(0)).unwrap()).unwrap();
        assert_eq!(back, expected(0), "{names:?}");
    }
    let rows: Vec<Outer> = (0..20).map(|id| Outer { id, ..Outer::default() }).collect();
    assert_eq!(from_slice::<Vec<Outer>>(&to_vec(&rows).unwrap()).unwrap(), rows);
}

#[test]
fn a_flat_field_without_a_default_misses_its_fields_by_name() {
    #[derive(Debug, Default, PartialEq, Encode, Decode)]
    struct Strict {
        x: u8,
    }
    #[derive(Debug, Default, PartialEq, Encode, Decode)]
    #[holdall(default)]
    struct Around {
        id: u8,
        #[holdall(flatten)]
        strict: Strict,
        z: u8,
    }
    #[derive(Encode)]
    struct Other {
        z: u64,
        x: u64,
    }
    let back: Around = from_slice(&to_vec(&Other { z: 9, x: 7 }).unwrap()).unwrap();
    assert_eq!(back, Around { id: 0, strict: Strict { x: 7 }, z: 9 });
    #[derive(Encode)]
    struct Without {
        id: u8,
        z: u8,
    }
    let error = from_slice::<Around>(&to_vec(&Without { id: 1, z: 2 }).unwrap()).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::MissingField, "$.x"));
}

/// Writing and reading the struct around a field of this type are the same error.
macro_rules! refuses {
    ($ty:ty, $value:expr, $text:expr) => {{
        #[derive(Debug, Encode, Decode)]
        struct Around {
            id: u8,
            #[holdall(flatten)]
            part: $ty,
        }
        let error = to_vec(&Around { id: 1, part: $value }).unwrap_err();
        let text = error.to_string();
        let own = std::any::type_name::<Around>();
        let part = std::any::type_name::<$ty>();
        let expected: String = $text.replace("OWN", own).replace("PART", part);
        assert_eq!(text, expected);
        let error = from_slice::<Around>(&to_vec(&1_u8).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), text);
    }};
}

#[test]
fn errors_of_flatten_name_the_field_and_what_is_wrong() {
    #[derive(Clone, Copy, Debug, Encode, Decode)]
    #[holdall(packed)]
    struct Packed {
        x: u8,
    }
    #[derive(Debug, Encode, Decode)]
    enum Choice {
        One { x: u8 },
        Two,
    }
    #[derive(Debug, Encode, Decode)]
    struct Same {
        x: u8,
        #[holdall(flatten)]
        more: More,
    }
    #[derive(Debug, Encode, Decode)]
    struct More {
        id: u8,
    }
    let of = |what: &str| {
        format!(
            "unsupported_value: expected fields with names for `flatten` of the field part of OWN, got PART, {what}"
        )
    };
    refuses!(Packed, Packed { x: 1 }, of("a packed struct, which is stored as its bytes"));
    refuses!(Choice, Choice::One { x: 1 }, of("an enum"));
    refuses!(Option<Deep>, None, of("an option"));
    refuses!(Vec<Deep>, vec![], of("a list"));
    refuses!((u8, u8), (1, 2), of("a tuple"));
    refuses!(u8, 1, of("not a struct"));
    refuses!(std::collections::BTreeMap<String, u8>, [].into(), of("a map"));
    let twice = "duplicate_name: expected each name once in OWN and PART, for `flatten` of its field part, got \"id\" twice";
    refuses!(Same, Same { x: 1, more: More { id: 1 } }, twice);
    _ = Choice::Two;
}
