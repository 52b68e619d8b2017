//! Attributes of fields: which are in the data, and as what.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::error::Error as _;
use std::fmt;

use holdall::typed::StoredError;
use holdall::{
    Code, Decode, DecodeOwned, Decoder, Encode, Encoder, Header, Value, from_slice, to_vec,
};

/// A value has this schema and these bytes, and is read as another.
#[track_caller]
fn check<T: Encode + DecodeOwned + fmt::Debug>(value: &T, schema: &str, bytes: &[u8], back: &T) {
    assert_eq!(T::schema().unwrap().to_string(), schema);
    let back = format!("{back:?}");
    let body = Encoder::new().header(Header::Bare).encode(value).unwrap();
    assert_eq!(body, bytes, "{value:?}");
    assert_eq!(format!("{:?}", Decoder::new().decode_body::<T>(&body).unwrap()), back);
    assert_eq!(format!("{:?}", from_slice::<T>(&to_vec(value).unwrap()).unwrap()), back);
    let many = to_vec(&[value; 9]).unwrap();
    assert_eq!(format!("{:?}", from_slice::<Vec<T>>(&many).unwrap()[8]), back);
    let dynamic: Value = from_slice(&to_vec(value).unwrap()).unwrap();
    assert_eq!(format!("{:?}", from_slice::<T>(&to_vec(&dynamic).unwrap()).unwrap()), back);
}

#[derive(Debug, PartialEq, Encode, Decode)]
#[holdall(explicit)]
struct Explicit {
    cache: Vec<u8>,
    #[holdall(keep)]
    id: u8,
    #[holdall(keep, rename = "label", default)]
    name: String,
    #[holdall(default = "seven")]
    count: usize,
}

fn seven() -> usize {
    7
}

#[test]
fn explicit_structs_have_only_marked_fields() {
    let value = Explicit { cache: vec![1], id: 2, name: "a".into(), count: 3 };
    let back = Explicit { cache: vec![], id: 2, name: "a".into(), count: 7 };
    check(&value, "struct Explicit {id: u8, label: string}", b"\x02\x02a", &back);
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Sparse {
    id: u8,
    #[holdall(skip_if = "Vec::is_empty")]
    tags: Vec<u8>,
    #[holdall(skip_if = "is_seven", default = "seven")]
    count: usize,
}

fn is_seven(count: &usize) -> bool {
    *count == 7
}

#[test]
fn skipped_fields_are_absent_and_read_as_their_default() {
    let schema = "struct Sparse {id: u8, tags: option(list(u8)), count: option(u64)}";
    let value = Sparse { id: 1, tags: vec![], count: 7 };
    check(&value, schema, &[1, 0, 0], &value);
    let value = Sparse { id: 1, tags: vec![5], count: 8 };
    check(&value, schema, &[1, 1, 2, 5, 1, 16], &value);
}

#[test]
fn skipped_fields_are_read_from_data_without_them_and_with_plain_values() {
    #[derive(Encode)]
    #[holdall(rename = "Sparse")]
    struct Without {
        id: u8,
    }
    #[derive(Encode)]
    #[holdall(rename = "Sparse")]
    struct Plain {
        id: u8,
        tags: Vec<u8>,
        count: usize,
    }
    let back: Sparse = from_slice(&to_vec(&Without { id: 1 }).unwrap()).unwrap();
    assert_eq!(back, Sparse { id: 1, tags: vec![], count: 7 });
    let plain = Plain { id: 1, tags: vec![], count: 9 };
    let back: Sparse = from_slice(&to_vec(&plain).unwrap()).unwrap();
    assert_eq!(back, Sparse { id: 1, tags: vec![], count: 9 });
}

/// A type of another crate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Foreign(u8);

mod foreign {
    use super::Foreign;

    pub fn encode(value: &Foreign) -> String {
        "x".repeat(value.0.into())
    }

    pub fn decode(text: String) -> Result<Foreign, &'static str> {
        if text.len() > 3 { Err("at most 3") } else { Ok(Foreign(text.len() as u8)) }
    }
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Items {
    #[holdall(items = "foreign")]
    list: Vec<Foreign>,
    #[holdall(items = "foreign")]
    queue: VecDeque<Foreign>,
    #[holdall(items = "foreign", skip_if = "BTreeSet::is_empty")]
    set: BTreeSet<Foreign>,
    #[holdall(with = "foreign", skip_if = "is_none", default = "none")]
    one: Foreign,
}

fn is_none(value: &Foreign) -> bool {
    value.0 == 0
}

fn none() -> Foreign {
    Foreign(0)
}

#[test]
fn items_of_collections_are_converted_one_by_one() {
    let schema = "struct Items {list: list(string), queue: list(string), set: option(list(string)), one: option(string)}";
    let value = Items {
        list: vec![Foreign(1), Foreign(2)],
        queue: VecDeque::from([Foreign(3)]),
        set: BTreeSet::from([Foreign(0)]),
        one: Foreign(1),
    };
    let bytes = b"\x04\x02\x04xxx\x02\x06xxx\x01\x02\x00\x01\x02x";
    check(&value, schema, bytes, &value);
    let empty =
        Items { list: vec![], queue: VecDeque::new(), set: BTreeSet::new(), one: Foreign(0) };
    check(&empty, schema, &[0, 0, 0, 0], &empty);
}

#[test]
fn rejects_an_item_that_its_function_rejects() {
    #[derive(Encode)]
    #[holdall(rename = "Items")]
    struct Other {
        list: Vec<String>,
        queue: Vec<String>,
    }
    let other = Other { list: vec!["xxxx".into()], queue: vec![] };
    let error = from_slice::<Items>(&to_vec(&other).unwrap()).unwrap_err();
    assert_eq!(error.code(), Code::Unconvertible);
    assert!(error.path().starts_with("$.list"), "{error}");
}

type Maybe<T> = Option<T>;

#[derive(Debug, PartialEq, Encode, Decode)]
struct Containers {
    #[holdall(items = "foreign")]
    option: Option<Foreign>,
    #[holdall(items = "foreign")]
    alias: Maybe<Foreign>,
    #[holdall(items = "foreign")]
    array: [Foreign; 2],
    #[holdall(items = "foreign")]
    tree: BTreeMap<u8, Foreign>,
    #[holdall(items = "foreign", skip_if = "HashMap::is_empty")]
    table: HashMap<String, Foreign>,
    #[holdall(items = "Option<foreign>")]
    options: Vec<Option<Foreign>>,
    #[holdall(items = "HashMap<u8, [foreign; 1]>")]
    deep: Option<HashMap<u8, [Foreign; 1]>>,
}

#[test]
fn items_of_containers_are_converted_and_the_containers_keep_their_form() {
    let schema = "struct Containers {option: option(string), alias: option(string), array: array(2, string), \
        tree: map(u8, string), table: option(map(string, string)), options: list(option(string)), \
        deep: option(map(u8, array(1, string)))}";
    let value = Containers {
        option: Some(Foreign(1)),
        alias: Some(Foreign(2)),
        array: [Foreign(0), Foreign(3)],
        tree: BTreeMap::from([(7, Foreign(1)), (8, Foreign(2))]),
        table: HashMap::from([("k".into(), Foreign(1))]),
        options: vec![None, Some(Foreign(1))],
        deep: Some(HashMap::from([(9, [Foreign(2)])])),
    };
    let bytes = b"\x01\x02x\x01\x04xx\x00\x06xxx\x04\x07\x08\x02\x04xxx\x01\x02\x02k\x02x\x04\x02\x02x\x01\x02\x09\x04xx";
    check(&value, schema, bytes, &value);
    let empty = Containers {
        option: None,
        alias: None,
        array: [Foreign(0), Foreign(0)],
        tree: BTreeMap::new(),
        table: HashMap::new(),
        options: vec![],
        deep: None,
    };
    check(&empty, schema, &[0; 8], &empty);
}

#[test]
fn rejects_an_item_of_a_container_that_its_function_rejects() {
    #[derive(Encode)]
    #[holdall(rename = "Containers")]
    struct Other {
        option: Option<String>,
        alias: Option<String>,
        array: [String; 2],
        tree: BTreeMap<u8, String>,
        options: Vec<Option<String>>,
        deep: Option<HashMap<u8, [String; 1]>>,
    }
    let long = || String::from("xxxx");
    for field in ["option", "alias", "array", "tree", "options", "deep"] {
        let text = |own: &str| if own == field { long() } else { String::new() };
        let other = Other {
            option: Some(text("option")),
            alias: Some(text("alias")),
            array: [String::new(), text("array")],
            tree: BTreeMap::from([(1, text("tree"))]),
            options: vec![None, Some(text("options"))],
            deep: Some(HashMap::from([(1, [text("deep")])])),
        };
        let error = from_slice::<Containers>(&to_vec(&other).unwrap()).unwrap_err();
        let path = format!("$.{field}");
        assert_eq!((error.code(), error.path()), (Code::Unconvertible, &*path), "{error}");
    }
}

trait Shape: Any + fmt::Debug {
    fn area(&self) -> f64;
}

#[derive(Debug, Encode, Decode)]
struct Square(f64);

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

#[derive(Debug, Encode, Decode)]
struct Group {
    parts: Vec<Box<dyn Shape>>,
}

impl Shape for Group {
    fn area(&self) -> f64 {
        self.parts.iter().map(|part| part.area()).sum()
    }
}

#[derive(Debug)]
struct Unlisted;

impl Shape for Unlisted {
    fn area(&self) -> f64 {
        0.0
    }
}

holdall::trait_objects!(dyn Shape: "Square" = Square, "Group" = Group);

trait Job: Any + Send + fmt::Debug {}

impl Job for u8 {}

impl Job for u16 {}

holdall::trait_objects!(dyn Job + Sync: "Number" = u8);

#[test]
fn trait_objects_are_enums_of_their_types() {
    let nested: Box<dyn Shape> = Box::new(Group { parts: vec![Box::new(Square(0.0))] });
    check(
        &nested,
        "#0 where #0 = union {Square: f64, Group: struct Group {parts: list(#0)}}",
        &[4, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
        &nested,
    );
    let job: Box<dyn Job + Sync> = Box::new(7_u8);
    check(&job, "union {Number: u8}", &[7], &job);
    let back: Box<dyn Shape> = from_slice(&to_vec(&nested).unwrap()).unwrap();
    assert_eq!(back.area(), 0.0);
}

#[test]
fn rejects_trait_objects_of_types_that_are_not_listed() {
    let shape: Box<dyn Shape> = Box::new(Unlisted);
    assert_eq!(to_vec(&shape).unwrap_err().code(), Code::UnsupportedValue);
    #[derive(Encode)]
    struct Around {
        id: u8,
        jobs: Vec<Box<dyn Job + Sync>>,
    }
    let around = Around { id: 1, jobs: vec![Box::new(7_u8), Box::new(7_u16)] };
    let error = to_vec(&around).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::UnsupportedValue, "$.jobs[1]"));
    #[derive(Encode)]
    enum Other {
        Circle(f64),
    }
    let error = from_slice::<Box<dyn Shape>>(&to_vec(&Other::Circle(1.0)).unwrap()).unwrap_err();
    assert_eq!(error.code(), Code::Incompatible);
}

#[derive(Debug)]
struct Chain(u32);

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} left", self.0)
    }
}

impl std::error::Error for Chain {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // Each refers to one that never goes away.
        const ALL: &[Chain] = &{
            let mut all = [const { Chain(0) }; 130];
            let mut number = 0;
            while number < 130 {
                all[number] = Chain(number as u32);
                number += 1;
            }
            all
        };
        let next = (self.0 as usize).checked_sub(1)?;
        Some(&ALL[next])
    }
}

#[derive(Debug, Encode, Decode)]
struct Failed {
    job: u8,
    why: Box<dyn std::error::Error + Send + Sync>,
    and: Option<Box<dyn std::error::Error>>,
}

#[test]
fn errors_keep_their_text_and_that_of_their_sources() {
    let failed = Failed { job: 1, why: Box::new(Chain(2)), and: Some("text".into()) };
    let bytes = to_vec(&failed).unwrap();
    let error = "struct Error {message: string, sources: list(string)}";
    let schema = format!("struct Failed {{job: u8, why: {error}, and: option({error})}}");
    assert_eq!(Failed::schema().unwrap().to_string(), schema);
    let back: Failed = from_slice(&bytes).unwrap();
    let own: &StoredError = back.why.downcast_ref().unwrap();
    let source = own.source().unwrap();
    let texts = (own.to_string(), source.to_string(), source.source().unwrap().to_string());
    assert_eq!(texts, ("2 left".into(), "1 left".into(), "0 left".into()));
    assert!(source.source().unwrap().source().is_none());
    assert_eq!(back.and.as_ref().unwrap().to_string(), "text");
    // What is read is written as it was.
    assert_eq!(to_vec(&back).unwrap(), bytes);
}

#[test]
fn rejects_errors_with_too_many_sources() {
    let deep = |number| Failed { job: 1, why: Box::new(Chain(number)), and: None };
    let bytes = to_vec(&deep(128)).unwrap();
    from_slice::<Failed>(&bytes).unwrap();
    assert_eq!(to_vec(&deep(129)).unwrap_err().code(), Code::UnsupportedValue);
    #[derive(Encode)]
    #[holdall(rename = "Error")]
    struct Stored {
        message: String,
        sources: Vec<String>,
    }
    // Freeing it would recurse.
    let stored = Stored { message: String::new(), sources: vec![String::new(); 1_000_000] };
    let error = from_slice::<StoredError>(&to_vec(&stored).unwrap()).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$"));
}

#[derive(Clone, Debug, Default, PartialEq, Encode, Decode)]
struct Position {
    x: u8,
    #[holdall(alias = "ypsilon", default)]
    y: u8,
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Meta {
    #[holdall(flatten)]
    position: Position,
    tags: Vec<Meta>,
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Flat {
    id: u8,
    #[holdall(flatten)]
    meta: Meta,
    name: String,
}

fn flat(id: u8) -> Flat {
    let leaf = Meta { position: Position { x: 7, y: 8 }, tags: vec![] };
    let meta = Meta { position: Position { x: id, y: id + 1 }, tags: vec![leaf; 2] };
    Flat { id, meta, name: "n".into() }
}

#[test]
fn flat_fields_are_fields_of_the_struct_around_them() {
    let position = Position { x: 1, y: 2 };
    check(&position, "struct Position {x: u8, y: u8}", &[1, 2], &position);
    #[derive(Clone, Debug, PartialEq, Encode, Decode)]
    struct Named {
        #[holdall(flatten)]
        position: Position,
        name: String,
    }
    let named = Named { position, name: "n".into() };
    check(&named, "struct Named {x: u8, y: u8, name: string}", &[1, 2, 2, b'n'], &named);
    let schema = "struct Flat {id: u8, x: u8, y: u8, tags: list(#0), name: string} where #0 = struct Meta {x: u8, y: u8, tags: list(#0)}";
    assert_eq!(Flat::schema().unwrap().to_string(), schema);
    let rows: Vec<Flat> = (0..100).map(flat).collect();
    assert_eq!(from_slice::<Vec<Flat>>(&to_vec(&rows).unwrap()).unwrap(), rows);
    assert_eq!(from_slice::<Flat>(&to_vec(&rows[3]).unwrap()).unwrap(), rows[3]);
}

#[derive(Encode)]
#[holdall(rename = "Meta")]
struct OtherMeta {
    x: u64,
    tags: Vec<OtherMeta>,
}

#[test]
fn flat_fields_are_read_from_other_data() {
    #[derive(Encode)]
    #[holdall(rename = "Flat")]
    struct Other {
        name: &'static str,
        ypsilon: u64,
        id: u64,
        x: u64,
        tags: Vec<OtherMeta>,
    }
    let other = Other { name: "n", ypsilon: 4, id: 1, x: 3, tags: vec![] };
    let back: Flat = from_slice(&to_vec(&other).unwrap()).unwrap();
    let meta = Meta { position: Position { x: 3, y: 4 }, tags: vec![] };
    assert_eq!(back, Flat { id: 1, meta, name: "n".into() });
    let value = Value::record([
        ("id", Value::from(1)),
        ("x", Value::from(2)),
        ("tags", Value::list([Value::record([("x", Value::from(5)), ("tags", Value::list([]))])])),
        ("name", Value::from("n")),
    ]);
    let back: Flat = from_slice(&to_vec(&value).unwrap()).unwrap();
    assert_eq!((back.meta.position.x, back.meta.position.y), (2, 0));
    assert_eq!(back.meta.tags[0].position, Position { x: 5, y: 0 });
}

#[test]
fn what_a_flat_field_rejects_has_its_path() {
    #[derive(Encode)]
    #[holdall(rename = "Flat")]
    struct Other {
        id: u64,
        x: u64,
        tags: Vec<OtherMeta>,
        name: &'static str,
    }
    let other = Other { id: 1, x: 300, tags: vec![], name: "" };
    let error = from_slice::<Flat>(&to_vec(&other).unwrap()).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$.x"));
}

#[test]
fn only_structs_can_be_flat() {
    #[derive(Debug, Encode, Decode)]
    struct List {
        #[holdall(flatten)]
        list: Vec<u8>,
    }
    let error = to_vec(&List { list: vec![] }).unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedValue);
    assert!(error.to_string().contains("`flatten`"), "{error}");
}
