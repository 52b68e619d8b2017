//! Schemas of one type, inferred from different values, read each other's data.

use holdall::serde::{from_value, to_value, to_vec};
use holdall::{Resolver, Schema, Value};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct User {
    id: u64,
    name: Option<String>,
    tags: Vec<Tag>,
    at: (f64, f64),
    pair: Pair,
    initial: char,
    big: i128,
    bytes: [u8; 16],
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Pair(u8, Unit);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Unit;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Tag {
    Plain,
    Of(u16),
    Two(u8, u8),
    Full { level: u8 },
}

fn user(name: Option<&str>, tags: Vec<Tag>) -> User {
    User {
        id: 1,
        name: name.map(str::to_owned),
        tags,
        at: (0.5, 1.5),
        pair: Pair(1, Unit),
        initial: 'A',
        big: i128::MIN,
        bytes: [7; 16],
    }
}

fn schema(value: &impl Serialize) -> Schema {
    Schema::of_message(&to_vec(value).unwrap()).unwrap()
}

/// The schema that a derive gives the type: that of values in which everything is present.
fn whole() -> (Vec<User>, Schema) {
    let tags = vec![Tag::Plain, Tag::Of(1), Tag::Two(1, 2), Tag::Full { level: 1 }];
    let users = vec![user(Some("x"), tags), user(None, vec![])];
    let schema = schema(&users);
    (users, schema)
}

#[test]
fn partial_and_complete_schemas_of_a_type_read_each_other() {
    let (_, whole) = whole();
    for users in [
        vec![],
        vec![user(None, vec![])],
        vec![user(Some("x"), vec![Tag::Plain])],
        vec![user(Some("x"), vec![Tag::Of(1)]), user(None, vec![Tag::Full { level: 2 }])],
    ] {
        let bytes = to_vec(&users).unwrap();
        let read: Value = Resolver::new(whole.clone()).read(&bytes).unwrap();
        assert_eq!(from_value::<Vec<User>>(&read).unwrap(), users);
    }
    // Everything that the part has is read from the complete data.
    let part = vec![user(Some("x"), vec![Tag::Plain, Tag::Of(2)]), user(None, vec![])];
    let read = Resolver::new(schema(&part)).convert(&to_value(&part).unwrap()).unwrap();
    assert_eq!(from_value::<Vec<User>>(&read).unwrap(), part);
    assert!(Resolver::new(schema(&part)).plan(&whole).is_ok());
}

#[test]
fn schemas_of_equal_types_are_equal() {
    let (users, whole) = whole();
    assert_eq!(
        whole.to_string(),
        "list(struct User {id: u64, name: option(string), \
         tags: list(union {Plain: null, Of: u16, Two: tuple(u8, u8), Full: record {level: u8}}), at: tuple(f64, f64), \
         pair: struct Pair {\"0\": u8, \"1\": struct Unit {}}, initial: char(u32), big: i128, \
         bytes: long_tuple(list(u8))})"
    );
    let again = users.iter().cycle().take(10).cloned().collect::<Vec<_>>();
    assert_eq!(schema(&again), whole);
    assert!(holdall::Diff::between(&whole, &schema(&again)).changes.is_empty());
}
