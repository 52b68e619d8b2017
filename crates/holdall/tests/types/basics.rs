//! Rust types: their schemas, their bytes, and their round trips.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::{Rc, Weak};
use std::time::Duration;

use holdall::{Code, Decode, Decoder, Encode, Encoder, Header, Schema, Value, from_slice, to_vec};

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct User {
    id: u64,
    name: String,
    tags: Vec<String>,
    mail: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
enum Shape {
    Empty,
    Circle(f64),
    Line((i32, i32), (i32, i32)),
    Named { name: String, inner: Box<Shape> },
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Tree {
    value: i32,
    children: Vec<Tree>,
}

fn round<T: Encode + for<'de> Decode<'de> + PartialEq + std::fmt::Debug>(
    value: &T,
    schema: &str,
) -> Vec<u8> {
    let bytes = to_vec(value).unwrap();
    assert_eq!(Schema::of_message(&bytes).unwrap().to_string(), schema);
    assert_eq!(from_slice::<T>(&bytes).unwrap(), *value);
    let dynamic: Value = from_slice(&bytes).unwrap();
    let again: T = from_slice(&to_vec(&dynamic).unwrap()).unwrap();
    assert_eq!(again, *value, "through Value");
    bytes
}

#[test]
fn types_have_their_schemas_and_survive() {
    let user = User { id: 7, name: "Ada".into(), tags: vec!["x".into(), "y".into()], mail: None };
    round(&user, "struct User {id: u64, name: string, tags: list(string), mail: option(string)}");
    round(
        &vec![user.clone(), user.clone()],
        "list(struct User {id: u64, name: string, tags: list(string), mail: option(string)})",
    );
    round(&(1_u8, -1_i64, 'x', true, 1.5_f32), "tuple(u8, i64, char(u32), bool, f32)");
    round(&Duration::new(3, 7), "duration[ns](int)");
    round(&HashMap::from([(1_u32, "a".to_owned())]), "map(u32, string)");
    round(&BTreeMap::from([("k".to_owned(), vec![1_u8])]), "map(string, list(u8))");
    round(&BTreeSet::from([3_u16, 1]), "set(list(u16))");
    round(&VecDeque::from([1_i8]), "list(i8)");
    round(&[[1_u8, 2], [3, 4]], "array(2, array(2, u8))");
    round(&u128::MAX, "u128");
    round(&i128::MIN, "i128");
    round(&(), "null");
}

#[test]
fn enums_are_named_unions() {
    let shapes = vec![
        Shape::Empty,
        Shape::Circle(1.5),
        Shape::Line((0, 1), (2, 3)),
        Shape::Named { name: "n".into(), inner: Box::new(Shape::Circle(2.5)) },
    ];
    round(
        &shapes,
        "list(#0) where #0 = union {Empty: null, Circle: f64, Line: tuple(tuple(i32, i32), tuple(i32, i32)), Named: record {name: string, inner: #0}}",
    );
}

#[test]
fn recursive_types_are_definitions() {
    let leaf = |value| Tree { value, children: vec![] };
    let tree = Tree {
        value: 1,
        children: vec![leaf(2), Tree { value: 3, children: vec![leaf(4)] }, leaf(5)],
    };
    round(&tree, "#0 where #0 = struct Tree {value: i32, children: list(#0)}");
}

#[derive(Debug, Encode, Decode)]
struct Node {
    name: String,
    parent: RefCell<Weak<Node>>,
    children: RefCell<Vec<Rc<Node>>>,
}

#[test]
fn pointers_keep_their_identity_and_their_cycles() {
    let root = Rc::new(Node {
        name: "root".into(),
        parent: RefCell::default(),
        children: RefCell::default(),
    });
    let child = Rc::new(Node {
        name: "child".into(),
        parent: RefCell::new(Rc::downgrade(&root)),
        children: RefCell::default(),
    });
    root.children.borrow_mut().extend([Rc::clone(&child), child]);
    let bytes = to_vec(&root).unwrap();
    let back: Rc<Node> = from_slice(&bytes).unwrap();
    let children = back.children.borrow();
    assert!(Rc::ptr_eq(&children[0], &children[1]));
    assert!(Rc::ptr_eq(&children[0].parent.borrow().upgrade().unwrap(), &back));
    assert_eq!(children[0].name, "child");
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Borrowed<'a> {
    name: &'a str,
    text: std::borrow::Cow<'a, str>,
}

#[test]
fn text_is_borrowed_from_the_message() {
    let value = Borrowed { name: "abc", text: "def".into() };
    let bytes = to_vec(&value).unwrap();
    let back: Borrowed = from_slice(&bytes).unwrap();
    assert_eq!(back, value);
    assert!(bytes.as_ptr_range().contains(&back.name.as_ptr()));
    assert!(matches!(back.text, std::borrow::Cow::Borrowed(_)));
}

#[test]
fn three_values_are_nine_bytes_bare() {
    let bytes = Encoder::new().header(Header::Bare).encode(&(300_u32, "hello", true)).unwrap();
    assert_eq!(bytes.len(), 9);
    let back: (u32, String, bool) = Decoder::new().decode_body(&bytes).unwrap();
    assert_eq!(back, (300, "hello".to_owned(), true));
}

mod old {
    use super::*;

    #[derive(Encode, Decode)]
    pub struct User {
        pub login: String,
        pub id: u16,
        pub removed: Vec<u8>,
    }
}

mod new {
    use super::*;

    fn two() -> u32 {
        2
    }

    #[derive(Debug, PartialEq, Encode, Decode)]
    pub struct User {
        pub id: u64,
        #[holdall(alias = "login")]
        pub name: String,
        #[holdall(default)]
        pub tags: Vec<String>,
        #[holdall(default = "two")]
        pub level: u32,
        pub mail: Option<String>,
        #[holdall(skip)]
        pub cache: u8,
    }
}

#[test]
fn old_data_are_read_into_new_types() {
    let old = vec![old::User { login: "ada".into(), id: 3, removed: vec![1] }];
    let bytes = to_vec(&old).unwrap();
    let back: Vec<new::User> = from_slice(&bytes).unwrap();
    let expected =
        new::User { id: 3, name: "ada".into(), tags: vec![], level: 2, mail: None, cache: 0 };
    assert_eq!(back, [expected]);
}

#[test]
fn incompatible_types_name_path_types_and_rule() {
    let bytes = to_vec(&old::User { login: "ada".into(), id: 3, removed: vec![] }).unwrap();
    let error = from_slice::<User>(&bytes).unwrap_err();
    assert_eq!(error.code(), Code::MissingField);
    let text = "missing_field in $.name: expected a field \"name\" of type string, or a default for it, \
                got struct User {login: string, id: u16, removed: list(u8)} (F-79)";
    assert_eq!(error.to_string(), text);
}

#[derive(Encode, Decode)]
struct Range {
    from: u8,
    to: u8,
}

#[derive(Debug, Decode)]
#[holdall(try_from = "Range")]
struct Span {
    _len: u8,
}

impl TryFrom<Range> for Span {
    type Error = &'static str;

    fn try_from(range: Range) -> Result<Span, &'static str> {
        Ok(Span {
            _len: range.to.checked_sub(range.from).ok_or("a range that ends before it begins")?,
        })
    }
}

#[test]
fn a_failed_conversion_has_its_own_row() {
    let range = |from, to| Range { from, to };
    let bytes = to_vec(&[vec![], vec![range(1, 2)], vec![range(3, 4), range(6, 5)]]).unwrap();
    let error = from_slice::<Vec<Vec<Span>>>(&bytes).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[2][1]"));
    let bytes = to_vec(&(1_u8, [vec![1_u8, 2], vec![3, 3]])).unwrap();
    let error = from_slice::<(u8, Vec<BTreeSet<u8>>)>(&bytes).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[1][1]"));
}

#[derive(Encode, Decode)]
struct Link {
    next: Option<Box<Link>>,
}

fn chain(len: usize) -> Link {
    let mut link = Link { next: None };
    for _ in 1..len {
        link = Link { next: Some(Box::new(link)) };
    }
    link
}

#[test]
fn a_list_of_10000_boxes_needs_no_options() {
    let bytes = to_vec(&chain(10_000)).unwrap();
    let back: Link = from_slice(&bytes).unwrap();
    assert!(back.next.is_some());
}

#[test]
fn reserving_rows_changes_nothing() {
    type Row = ([u16; 3], (), [u32; 0], Option<(bool, f32)>, String, Vec<[u8; 2]>);
    let row = |at: u16| -> Row {
        let option = at.is_multiple_of(3).then_some((at.is_multiple_of(2), f32::from(at)));
        (
            [at; 3],
            (),
            [],
            option,
            "x".repeat(usize::from(at % 9)),
            vec![[1, 2]; usize::from(at % 4)],
        )
    };
    for count in [255, 256, 257, 1000] {
        let rows: Vec<Row> = (0..count).map(row).collect();
        // A list that is not a slice grows its buffer.
        let growing: VecDeque<Row> = rows.iter().cloned().collect();
        let message = to_vec(&rows).unwrap();
        assert_eq!(message, to_vec(&growing).unwrap());
        assert_eq!(from_slice::<Vec<Row>>(&message).unwrap(), rows);
    }
}
