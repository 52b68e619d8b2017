//! Structs with versions: their names in data, and the conversion of older versions to the current one.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use holdall::{Code, Decode, Encode, Resolver, Schema, Value, from_slice, testing, to_vec};

mod v1 {
    #[derive(Clone, Debug, PartialEq, holdall::Encode, holdall::Decode)]
    pub struct User {
        pub name: String,
        pub friends: Vec<User>,
    }
}

mod v2 {
    #[derive(Clone, Debug, PartialEq, holdall::Encode, holdall::Decode)]
    #[holdall(version = 2, upgrade(1 = "User::from_v1"))]
    pub struct User {
        pub first: String,
        pub last: String,
        pub friends: Vec<User>,
    }

    impl User {
        fn from_v1(old: super::v1::User) -> Result<User, String> {
            let (first, last) = old
                .name
                .split_once(' ')
                .ok_or_else(|| format!("no last name in {:?}", old.name))?;
            let friends = old.friends.into_iter().map(User::from_v1).collect::<Result<_, _>>()?;
            Ok(User { first: first.to_owned(), last: last.to_owned(), friends })
        }
    }
}

mod v3 {
    #[derive(Clone, Debug, PartialEq, holdall::Encode, holdall::Decode)]
    #[holdall(version = 3, upgrade(2 = "User::from_v2"))]
    pub struct User {
        pub names: Vec<String>,
        #[holdall(default)]
        pub friends: Vec<User>,
    }

    impl User {
        fn from_v2(old: super::v2::User) -> User {
            let friends = old.friends.into_iter().map(User::from_v2).collect();
            User { names: vec![old.first, old.last], friends }
        }
    }
}

fn v1(name: &str, friends: &[v1::User]) -> v1::User {
    v1::User { name: name.to_owned(), friends: friends.to_vec() }
}

fn v2(first: &str, last: &str, friends: &[v2::User]) -> v2::User {
    v2::User { first: first.to_owned(), last: last.to_owned(), friends: friends.to_vec() }
}

fn v3(names: &[&str], friends: &[v3::User]) -> v3::User {
    let names = names.iter().map(|&name| name.to_owned()).collect();
    v3::User { names, friends: friends.to_vec() }
}

fn read<T: for<'de> Decode<'de>>(value: &(impl Encode + ?Sized)) -> holdall::Result<T> {
    from_slice(&to_vec(value).unwrap())
}

#[test]
fn a_version_from_2_on_is_part_of_the_name() {
    let schemas = [
        (v1::User::schema(), "#0 where #0 = struct User {name: string, friends: list(#0)}"),
        (
            v2::User::schema(),
            "#0 where #0 = struct \"User@2\" {first: string, last: string, friends: list(#0)}",
        ),
        (
            v3::User::schema(),
            "#0 where #0 = struct \"User@3\" {names: list(string), friends: list(#0)}",
        ),
    ];
    for (schema, text) in schemas {
        assert_eq!(schema.unwrap().to_string(), text);
    }
    testing::check::<v2::User>(100);
    testing::check::<Vec<v3::User>>(100);
}

#[derive(Encode, Decode)]
#[holdall(version = 1)]
struct First {
    a: u8,
}

#[derive(Encode, Decode)]
#[holdall(rename = "Other", version = 12)]
struct Pair(u8, u8);

#[derive(Encode, Decode)]
#[holdall(version = 2)]
struct Unit;

#[test]
fn version_1_and_other_structs_have_names_too() {
    assert_eq!(First::schema().unwrap().to_string(), "struct First {a: u8}");
    assert_eq!(Pair::schema().unwrap().to_string(), "struct \"Other@12\" {\"0\": u8, \"1\": u8}");
    assert_eq!(Unit::schema().unwrap().to_string(), "struct \"Unit@2\" {}");
}

#[test]
fn an_older_version_is_read_as_its_type_and_upgraded() {
    let old = v1("Ada Lovelace", &[v1("Grace Hopper", &[])]);
    let new = v2("Ada", "Lovelace", &[v2("Grace", "Hopper", &[])]);
    assert_eq!(read::<v2::User>(&old).unwrap(), new);
    assert_eq!(read::<v2::User>(&new).unwrap(), new);
}

#[test]
fn upgrades_follow_each_other() {
    let old = v1("Ada Lovelace", &[v1("Grace Hopper", &[])]);
    let middle = v2("Ada", "Lovelace", &[v2("Grace", "Hopper", &[])]);
    let new = v3(&["Ada", "Lovelace"], &[v3(&["Grace", "Hopper"], &[])]);
    assert_eq!(read::<v3::User>(&old).unwrap(), new);
    assert_eq!(read::<v3::User>(&middle).unwrap(), new);
    assert_eq!(read::<v3::User>(&new).unwrap(), new);
}

#[test]
fn a_newer_version_and_one_not_listed_are_read_by_their_fields() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    #[holdall(version = 9, upgrade(2 = "upgrade"))]
    struct User {
        #[holdall(default)]
        name: String,
        #[holdall(alias = "names", default)]
        all: Vec<String>,
    }
    fn upgrade(_: v2::User) -> User {
        User { name: "two".into(), all: vec![] }
    }
    let user = |name: &str, all: &[&str]| User {
        name: name.into(),
        all: all.iter().map(|&name| name.to_owned()).collect(),
    };
    // Version 1 is converted through version 2, which lists it.
    assert_eq!(read::<User>(&v1("Ada Lovelace", &[])).unwrap(), user("two", &[]));
    assert_eq!(read::<User>(&v2("a", "b", &[])).unwrap(), user("two", &[]));
    assert_eq!(read::<User>(&v3(&["Ada"], &[])).unwrap(), user("", &["Ada"]));
    // Older programs read newer data in the same way, and fail if these lack a field.
    assert_eq!(read::<v1::User>(&user("Ada", &[])).unwrap_err().code(), Code::MissingField);
    let error = read::<v2::User>(&v3(&["Ada"], &[])).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::MissingField, "$.first"));
}

#[test]
fn structs_of_other_names_and_records_are_the_current_version() {
    #[derive(Encode)]
    struct Person {
        first: String,
        last: String,
        friends: Vec<v1::User>,
    }
    let friends = vec![v1("Grace Hopper", &[])];
    let person = Person { first: "Ada".into(), last: "Lovelace".into(), friends };
    let friends = [v2("Grace", "Hopper", &[])];
    assert_eq!(read::<v2::User>(&person).unwrap(), v2("Ada", "Lovelace", &friends));
    let record = Value::record([
        ("last", Value::from("Lovelace")),
        ("first", Value::from("Ada")),
        ("friends", Value::list([])),
    ]);
    assert_eq!(read::<v2::User>(&record).unwrap(), v2("Ada", "Lovelace", &[]));
    let map = BTreeMap::from([("first", "a"), ("last", "b")]);
    let error = read::<v2::User>(&map).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Incompatible, "$.friends"));
    // A union is not a struct; its old form is ignored.
    let error = read::<v2::User>(&Ok::<u8, u8>(1)).unwrap_err();
    assert_eq!(error.code(), Code::Incompatible);
    assert!(error.to_string().contains("struct \"User@2\""), "{error}");
}

#[derive(Debug, PartialEq, Encode, Decode)]
struct Everywhere<U> {
    list: Vec<U>,
    option: Option<U>,
    boxed: Box<U>,
    map: HashMap<String, U>,
    array: [U; 2],
    tuple: (u8, U),
    result: Result<U, String>,
    variant: Holder<U>,
    nested: Option<Vec<(U,)>>,
    empty: Option<U>,
}

#[derive(Debug, PartialEq, Encode, Decode)]
enum Holder<U> {
    Empty,
    Full(U),
    Named { user: U },
}

fn everywhere<U: Clone>(user: &U) -> Everywhere<U> {
    let user = || user.clone();
    Everywhere {
        list: vec![user(), user()],
        option: Some(user()),
        boxed: Box::new(user()),
        map: HashMap::from([("a".to_owned(), user())]),
        array: [user(), user()],
        tuple: (1, user()),
        result: Ok(user()),
        variant: Holder::Named { user: user() },
        nested: Some(vec![(user(),)]),
        empty: None,
    }
}

#[test]
fn a_version_is_upgraded_at_every_place() {
    let old = v1("Ada Lovelace", &[v1("Grace Hopper", &[])]);
    let middle = v2("Ada", "Lovelace", &[v2("Grace", "Hopper", &[])]);
    let new = v3(&["Ada", "Lovelace"], &[v3(&["Grace", "Hopper"], &[])]);
    assert_eq!(read::<Everywhere<v3::User>>(&everywhere(&old)).unwrap(), everywhere(&new));
    assert_eq!(read::<Everywhere<v3::User>>(&everywhere(&middle)).unwrap(), everywhere(&new));
    assert_eq!(read::<Everywhere<v3::User>>(&everywhere(&new)).unwrap(), everywhere(&new));
    assert_eq!(
        read::<Everywhere<v2::User>>(&everywhere(&old)).unwrap(),
        everywhere(&v2("Ada", "Lovelace", &[v2("Grace", "Hopper", &[])]))
    );
    testing::check::<Everywhere<v3::User>>(30);
}

#[test]
fn shared_values_are_upgraded_once() {
    let old = Rc::new(v1("Ada Lovelace", &[]));
    let new: Vec<Rc<v3::User>> = read(&vec![Rc::clone(&old), old]).unwrap();
    assert_eq!(*new[0], v3(&["Ada", "Lovelace"], &[]));
    assert!(Rc::ptr_eq(&new[0], &new[1]));
}

#[test]
fn data_of_several_versions_in_one_message_are_each_its_own() {
    #[derive(Encode)]
    struct Both {
        a: v1::User,
        b: v2::User,
        c: v3::User,
    }
    #[derive(Debug, PartialEq, Decode)]
    struct All {
        a: v3::User,
        b: v3::User,
        c: v3::User,
    }
    let both = Both { a: v1("A B", &[]), b: v2("C", "D", &[]), c: v3(&["E"], &[]) };
    let all = All { a: v3(&["A", "B"], &[]), b: v3(&["C", "D"], &[]), c: v3(&["E"], &[]) };
    assert_eq!(read::<All>(&both).unwrap(), all);
}

#[test]
fn an_unnamed_union_tells_versions_row_by_row() {
    let [one, two, three] = [
        to_vec(&v1("A B", &[])).unwrap(),
        to_vec(&v2("C", "D", &[])).unwrap(),
        to_vec(&v3(&["E"], &[])).unwrap(),
    ]
    .map(|bytes| from_slice::<Value>(&bytes).unwrap());
    let mixed = Value::list([one, two, Value::Null, three]);
    let schema = Schema::of_message(&to_vec(&mixed).unwrap()).unwrap();
    assert!(schema.to_string().contains("union"), "{schema}");
    let users: Vec<Option<v3::User>> = read(&mixed).unwrap();
    assert_eq!(
        users,
        [Some(v3(&["A", "B"], &[])), Some(v3(&["C", "D"], &[])), None, Some(v3(&["E"], &[]))]
    );
}

#[test]
fn a_failed_upgrade_is_unconvertible_at_its_place() {
    let users = vec![v1("Ada Lovelace", &[]), v1("Ada", &[])];
    let error = read::<Vec<v2::User>>(&users).unwrap_err();
    // The users are rows of a definition.
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "#0[1]"));
    assert!(error.to_string().contains("no last name in \"Ada\""), "{error}");

    #[derive(Encode, Decode)]
    #[holdall(rename = "Even")]
    struct Number {
        of: u8,
    }
    #[derive(Debug, Decode)]
    #[holdall(version = 2, upgrade(1 = "half"))]
    struct Even {
        #[allow(dead_code)]
        half: u8,
    }
    fn half(old: Number) -> Result<Even, &'static str> {
        if old.of.is_multiple_of(2) { Ok(Even { half: old.of / 2 }) } else { Err("an odd number") }
    }
    let numbers = [vec![], vec![2, 4], vec![6, 3]].map(|of| of.into_iter().map(|of| Number { of }));
    let numbers: Vec<Vec<Number>> = numbers.into_iter().map(Iterator::collect).collect();
    let error = read::<Vec<Vec<Even>>>(&numbers).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[2][1]"));
}

#[test]
fn an_alias_names_the_versions_of_a_struct_that_was_renamed() {
    #[derive(Debug, PartialEq, Decode)]
    #[holdall(alias = "User", version = 3, upgrade(1 = "one", 2 = "two"))]
    struct Account {
        id: String,
    }
    fn one(old: v1::User) -> Account {
        Account { id: format!("1 {}", old.name) }
    }
    fn two(old: v2::User) -> Account {
        Account { id: format!("2 {}", old.first) }
    }
    let account = |id: &str| Account { id: id.to_owned() };
    assert_eq!(read::<Account>(&v1("A B", &[])).unwrap(), account("1 A B"));
    assert_eq!(read::<Account>(&v2("A", "B", &[])).unwrap(), account("2 A"));
    let error = read::<Account>(&v3(&[], &[])).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::MissingField, "$.id"));
}

#[test]
fn an_old_type_evolves_by_its_own_rules() {
    #[derive(Encode)]
    #[holdall(rename = "Point")]
    struct Written {
        x: u8,
        more: u8,
    }
    #[derive(Decode)]
    struct Old {
        #[holdall(alias = "x")]
        left: i64,
        #[holdall(default = "seven")]
        top: i64,
    }
    fn seven() -> i64 {
        7
    }
    #[derive(Debug, PartialEq, Decode)]
    #[holdall(version = 2, upgrade(1 = "from_old"))]
    struct Point([i64; 2], Option<u8>);
    fn from_old(old: Old) -> Point {
        Point([old.left, old.top], None)
    }
    assert_eq!(read::<Point>(&Written { x: 3, more: 4 }).unwrap(), Point([3, 7], None));
}

#[test]
fn an_old_type_may_have_a_lifetime() {
    #[derive(Encode, Decode)]
    #[holdall(rename = "Text")]
    struct Old<'a> {
        text: Cow<'a, str>,
    }
    #[derive(Debug, PartialEq, Decode)]
    #[holdall(version = 2, upgrade(1 = "wrap"))]
    struct Text<'a> {
        texts: Vec<Cow<'a, str>>,
    }
    fn wrap(old: Old<'_>) -> Text<'_> {
        Text { texts: vec![old.text] }
    }
    let bytes = to_vec(&Old { text: "a b".into() }).unwrap();
    assert_eq!(from_slice::<Text<'_>>(&bytes).unwrap(), Text { texts: vec!["a b".into()] });
}

#[test]
fn generic_structs_have_versions() {
    #[derive(Encode, Decode)]
    #[holdall(rename = "Box")]
    struct Old<T> {
        only: T,
    }
    #[derive(Debug, PartialEq, Encode, Decode)]
    #[holdall(rename = "Box", version = 2, upgrade(1 = "Many::from_old"))]
    struct Many<T> {
        all: Vec<T>,
    }
    impl<T> Many<T> {
        fn from_old(old: Old<T>) -> Self {
            Many { all: vec![old.only] }
        }
    }
    assert_eq!(read::<Many<u64>>(&Old { only: 7_u8 }).unwrap(), Many { all: vec![7] });
    let read: Vec<Many<String>> = read(&vec![Old { only: "a" }]).unwrap();
    assert_eq!(read, [Many { all: vec!["a".to_owned()] }]);
}

#[test]
fn an_upgrade_from_the_type_itself_is_rejected() {
    #[derive(Debug, Decode)]
    #[holdall(version = 2, upgrade(1 = "again"))]
    struct Ring {
        #[allow(dead_code)]
        a: u8,
    }
    fn again(ring: Ring) -> Ring {
        ring
    }
    #[derive(Encode)]
    #[holdall(rename = "Ring")]
    struct Written {
        a: u8,
    }
    let error = read::<Ring>(&Written { a: 1 }).unwrap_err();
    assert_eq!(error.code(), Code::Incompatible);
}

#[test]
fn a_resolver_recognises_a_version_only_by_its_fields() {
    let resolver = Resolver::new(v2::User::schema().unwrap());
    let error = resolver.plan(&v1::User::schema().unwrap()).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::MissingField, "$.first"));
}
