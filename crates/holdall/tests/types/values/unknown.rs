//! Fields of the data that a type lacks, kept and written again.

use holdall::value::Record;
use holdall::{
    Code, Decode, Decoder, Encode, Encoder, Header, Schema, Shared, Value, from_slice, to_vec,
};

use super::{check, fields, record};

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Today {
    id: u64,
    name: String,
    #[holdall(unknown)]
    rest: Record,
}

fn today(id: u64, rest: Record) -> Today {
    Today { id, name: "Ada".into(), rest }
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[holdall(rename = "Today")]
struct Tomorrow {
    id: u64,
    name: String,
    scores: Vec<f64>,
    mail: Option<String>,
}

fn tomorrow(id: u64, mail: Option<&str>) -> Tomorrow {
    let mail = mail.map(str::to_owned);
    Tomorrow { id, name: "Ada".into(), scores: vec![0.5, 2.0], mail }
}

#[test]
fn an_old_program_passes_on_the_fields_of_a_new_one() {
    let all = vec![tomorrow(1, Some("a@b")), tomorrow(2, None)];
    let bytes = to_vec(&all).unwrap();
    let mut read: Vec<Today> = from_slice(&bytes).unwrap();
    let scores = || Value::list([Value::F64(0.5), Value::F64(2.0)]);
    let rest = fields([("scores", scores()), ("mail", Value::from("a@b"))]);
    assert_eq!(read[0], today(1, rest));
    assert_eq!(read[1], today(2, fields([("scores", scores()), ("mail", Value::Null)])));
    // All columns are what the new program wrote.
    assert_eq!(to_vec(&read).unwrap(), bytes);
    read[1].id = 7;
    let seen: Vec<Tomorrow> = from_slice(&to_vec(&read).unwrap()).unwrap();
    assert_eq!(seen, [all[0].clone(), Tomorrow { id: 7, ..all[1].clone() }]);
}

#[test]
fn without_unknown_fields_the_bytes_are_those_of_a_type_that_keeps_none() {
    #[derive(Encode, Decode)]
    #[holdall(rename = "Today")]
    struct Plain {
        id: u64,
        name: String,
    }
    assert_eq!(Today::schema().unwrap(), Plain::schema().unwrap());
    assert_eq!(Today::fingerprint().unwrap(), Plain::fingerprint().unwrap());
    let plain = |id| Plain { id, name: "Ada".into() };
    for header in [Header::Schema, Header::Fingerprint, Header::Bare] {
        let encode = || Encoder::new().header(header);
        let one = encode().encode(&today(3, Record::default())).unwrap();
        assert_eq!(one, encode().encode(&plain(3)).unwrap());
        let many: Vec<_> = (0..300).map(|id| today(id, Record::default())).collect();
        let plain: Vec<_> = (0..300).map(plain).collect();
        assert_eq!(encode().encode(&many).unwrap(), encode().encode(&plain).unwrap());
    }
    check(&today(1, Record::default()), "struct Today {id: u64, name: string}");
    check(&vec![today(1, Record::default())], "list(struct Today {id: u64, name: string})");
    let body = Encoder::new().header(Header::Bare).encode(&plain(3)).unwrap();
    let read: Today = Decoder::new().decode_body(&body).unwrap();
    assert_eq!(read, today(3, Record::default()));
}

#[test]
fn all_rows_have_at_most_256_different_unknown_fields() {
    let unknown = |count: u64, row: u64| -> Record {
        (0..count).map(|n| (format!("field{n}").into(), Value::from(n + row))).collect()
    };
    // Each row has others, so that the type has three times as many.
    let unlike = |count: u64, row: u64| -> Record {
        (0..count).map(|n| (format!("field{n} of {row}").into(), Value::from(n))).collect()
    };
    let rows = |rest: &dyn Fn(u64) -> Record| -> Vec<Today> {
        (0..3).map(|row| today(row, rest(row))).collect()
    };
    for all in [rows(&|row| unknown(256, row)), rows(&|row| unlike(85, row))] {
        assert_eq!(from_slice::<Vec<Today>>(&to_vec(&all).unwrap()).unwrap(), all);
    }
    for all in [rows(&|row| unknown(257, row)), rows(&|row| unlike(86, row))] {
        assert_eq!(to_vec(&all).unwrap_err().code(), Code::UnsupportedValue);
    }
}

#[test]
fn only_some_rows_have_unknown_fields() {
    let rows = vec![
        today(1, fields([])),
        today(2, fields([("a", Value::from(1)), ("b", Value::from("x"))])),
        today(3, fields([("b", Value::Null)])),
        today(4, fields([("b", Value::from("y")), ("a", Value::from(2))])),
        today(5, fields([])),
    ];
    let schema = "list(struct Today {id: u64, name: string, a: int, b: option(string)} [0 1, 0 1 2 3, 0 1 3, 0 1 3 2])";
    let bytes = check(&rows, schema);
    // The same as the type-less objects would have.
    let of = |row: &Today| {
        let own = [("id", Value::U64(row.id)), ("name", Value::from("Ada"))];
        let own = own.map(|(name, value)| (name.into(), value)).into_iter();
        let rest = row.rest.iter().map(|(name, value)| (name.into(), value.clone()));
        Value::Struct(holdall::value::Struct::new("Today", own.chain(rest).collect()))
    };
    assert_eq!(bytes, to_vec(&Value::list(rows.iter().map(of))).unwrap());
}

#[test]
fn each_number_of_shapes_is_read_back() {
    for shapes in [1_u64, 2, 16, 17, 64, 65, 300] {
        let rest = |id: u64| {
            let key = |bit: u64| (id >> bit & 1 == 1).then(|| (format!("k{bit}"), Value::from(id)));
            (0..10).filter_map(key).map(|(key, value)| (key.into(), value)).collect::<Record>()
        };
        let rows: Vec<_> = (0..2 * shapes).map(|id| today(id, rest(id % shapes))).collect();
        let bytes = to_vec(&rows).unwrap();
        assert_eq!(from_slice::<Vec<Today>>(&bytes).unwrap(), rows);
        let values: Value = from_slice(&bytes).unwrap();
        assert_eq!(to_vec(&values).unwrap(), bytes, "{shapes} shapes");
    }
}

#[test]
fn unknown_fields_of_records_and_maps_are_kept() {
    let rest = fields([("x", Value::from(1)), ("y", Value::from(0.5))]);
    let mapping = [
        ("x", Value::from(1)),
        ("name", Value::from("Ada")),
        ("y", Value::from(0.5)),
        ("id", Value::U64(3)),
    ];
    let data = to_vec(&record(mapping.clone())).unwrap();
    assert_eq!(from_slice::<Today>(&data).unwrap(), today(3, rest));
    let map = std::collections::BTreeMap::from([("id", 3), ("more", 4), ("other", 5)]);
    #[derive(Debug, PartialEq, Decode)]
    struct Of {
        id: u8,
        #[holdall(unknown)]
        rest: Record,
    }
    let read: Of = from_slice(&to_vec(&map).unwrap()).unwrap();
    assert_eq!(
        read,
        Of { id: 3, rest: fields([("more", Value::I32(4)), ("other", Value::I32(5))]) }
    );
}

#[test]
fn data_that_lack_nothing_and_have_nothing_more_are_read_by_columns() {
    #[derive(Encode)]
    struct Reordered<'a> {
        name: &'a str,
        id: u8,
    }
    let rows = [Reordered { name: "Ada", id: 1 }, Reordered { name: "Ada", id: 2 }];
    let read: Vec<Today> = from_slice(&to_vec(&rows[..]).unwrap()).unwrap();
    assert_eq!(read, [today(1, Record::default()), today(2, Record::default())]);
}

#[test]
fn a_field_of_the_type_cannot_be_among_the_unknown_ones() {
    let error = to_vec(&today(1, fields([("name", Value::from("Bob"))]))).unwrap_err();
    assert_eq!(error.code(), Code::DuplicateKey);
    assert_eq!(
        error.to_string(),
        "duplicate_key: expected unknown fields of other names than those of the type, got \"name\""
    );
    let twice = ["a", "a"].map(|key| (key.into(), Value::Null)).into_iter().collect();
    assert_eq!(to_vec(&today(1, twice)).unwrap_err().code(), Code::DuplicateKey);
    // A name that the derive uses inside is a name like any other.
    let rest = fields([
        ("$holdall::unknown", Value::from(1)),
        ("rest", Value::from(2)),
        ("", Value::from(3)),
    ]);
    check(
        &today(1, rest),
        "struct Today {id: u64, name: string, \"$holdall::unknown\": int, rest: int, \"\": int}",
    );
}

#[test]
fn aliases_are_known_and_skipped_fields_are_not() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    struct Of {
        #[holdall(alias = "login", rename = "user")]
        name: String,
        #[holdall(skip)]
        cache: u8,
        #[holdall(default)]
        count: u8,
        #[holdall(unknown)]
        rest: Record,
    }
    let data = record([
        ("cache", Value::from(9)),
        ("login", Value::from("Ada")),
        ("name", Value::from(1)),
    ]);
    let read: Of = from_slice(&to_vec(&data).unwrap()).unwrap();
    let rest = fields([("cache", Value::from(9)), ("name", Value::from(1))]);
    assert_eq!(read, Of { name: "Ada".into(), cache: 0, count: 0, rest });
    let schema = Schema::of_message(&to_vec(&read).unwrap()).unwrap();
    assert_eq!(schema.to_string(), "struct Of {user: string, count: u8, cache: int, name: int}");
}

#[test]
fn unknown_fields_have_no_bare_body() {
    let mut encoder = Encoder::new().header(Header::Bare);
    let error = encoder.encode(&today(1, fields([("a", Value::Null)]))).unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedValue);
    assert!(encoder.encode(&today(1, Record::default())).is_ok());
}

#[test]
fn unknown_fields_share_their_parts() {
    let part = Value::Shared(Shared::new(Value::from(vec![1])));
    let value = today(1, fields([("a", part.clone()), ("b", part)]));
    let back: Today = from_slice(&to_vec(&value).unwrap()).unwrap();
    let (Value::Shared(a), Value::Shared(b)) =
        (back.rest.field("a").unwrap(), back.rest.field("b").unwrap())
    else {
        panic!()
    };
    assert!(a.is_same(b));
    // Also of data where a shared part is in fields of both kinds.
    #[derive(Encode)]
    struct Node<'a> {
        id: u64,
        name: &'a str,
        left: std::rc::Rc<Vec<u8>>,
        right: std::rc::Rc<Vec<u8>>,
    }
    let list = std::rc::Rc::new(vec![1]);
    let node = Node { id: 1, name: "Ada", left: list.clone(), right: list };
    let bytes = to_vec(&node).unwrap();
    let read: Today = from_slice(&bytes).unwrap();
    let seen: Value = from_slice(&to_vec(&read).unwrap()).unwrap();
    let (Value::Shared(a), Value::Shared(b)) = (&seen["left"], &seen["right"]) else { panic!() };
    assert!(a.is_same(b));
}

#[test]
fn a_mapping_among_the_unknown_fields_does_not_join_them() {
    let same = || record([("a", Value::from(1))]);
    let rest = fields([("a", record([("a", same())]))]);
    check(
        &vec![today(1, rest.clone()), today(2, rest)],
        "list(struct Today {id: u64, name: string, a: #0}) where #0 = record {a: union(#0, int)}",
    );
}

#[test]
fn errors_show_no_field_for_unknown_ones() {
    let error = from_slice::<Vec<Today>>(&to_vec(&vec![7_u8]).unwrap()).unwrap_err();
    let text = "incompatible in $[]: expected struct Today {id: u64, name: string}, got u8 (F-78: no line fits)";
    assert_eq!(error.to_string(), text);
}
