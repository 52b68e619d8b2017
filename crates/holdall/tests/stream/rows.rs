//! Many values in one block: identity, other schemas, and traces of earlier values.

use std::rc::Rc;

use holdall::events::{Shredder, Source};
use holdall::{Code, Decode, Encode, Error, Reader, Shared, Value, Writer, WriterOptions};

use super::samples::{reading, stream, values_of, writer};

#[derive(Debug, PartialEq, Encode, Decode)]
struct Pair {
    one: Rc<String>,
    two: Rc<String>,
}

#[test]
fn pointers_are_shared_within_a_value_only() {
    let shared = Rc::new("shared".to_owned());
    let pair = || Pair { one: Rc::clone(&shared), two: Rc::clone(&shared) };
    let mut writer = writer(100);
    (0..3).for_each(|_| writer.write(&pair()).unwrap());
    let bytes = writer.finish().unwrap();
    let pairs: Vec<Pair> = Reader::new(&bytes[..]).values().collect::<Result<_, _>>().unwrap();
    assert_eq!(pairs, [pair(), pair(), pair()]);
    assert!(pairs.iter().all(|pair| Rc::ptr_eq(&pair.one, &pair.two)));
    assert!(!Rc::ptr_eq(&pairs[0].one, &pairs[1].one));
}

#[test]
fn cycles_are_those_of_one_value() {
    let cycle = |n: i64| {
        let own = Shared::cyclic(|weak| Value::list([n.into(), Value::Weak(weak.clone())]));
        Value::Shared(own)
    };
    let mut writer = writer(100);
    (0..4).for_each(|n| writer.write(&cycle(n)).unwrap());
    let bytes = writer.finish().unwrap();
    let values = values_of(&bytes);
    for (n, value) in (0..4).zip(&values) {
        assert_eq!(*value, cycle(n));
    }
}

#[derive(Debug, PartialEq, Decode)]
struct Today {
    value: Option<f64>,
    id: i64,
    extra: Option<u8>,
}

#[derive(Debug, PartialEq, Decode)]
struct Texts {
    #[holdall(alias = "name")]
    title: String,
    #[holdall(default)]
    count: u32,
}

#[test]
fn blocks_of_another_schema_are_resolved() {
    let bytes = stream(100, 30);
    let today: Vec<Today> = Reader::new(&bytes[..]).values().collect::<Result<_, _>>().unwrap();
    assert_eq!(today.len(), 100);
    assert_eq!(today[7], Today { value: Some(1.75), id: 7, extra: None });
    let texts: Vec<Texts> = Reader::new(&bytes[..]).values().collect::<Result<_, _>>().unwrap();
    assert_eq!(texts[99], Texts { title: "sensor 1".to_owned(), count: 0 });
    let error = Reader::new(&bytes[..]).values::<Vec<u8>>().next().unwrap().unwrap_err();
    assert_eq!((error.code().as_str(), error.offset()), ("incompatible", None));
}

#[test]
fn dynamic_records_that_grow_are_read_into_a_type() {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for n in 0..50 {
        let mut fields = vec![("id", Value::from(n)), ("name", format!("{n}").into())];
        if n % 2 == 0 {
            fields.push(("more", Value::from(n)));
        }
        if n > 20 {
            fields.remove(0);
        }
        writer.write(&Value::record(fields)).unwrap();
        if n % 10 == 9 {
            writer.flush().unwrap();
        }
    }
    let bytes = writer.finish().unwrap();
    #[derive(Debug, PartialEq, Decode)]
    struct Row {
        #[holdall(default)]
        id: u32,
        name: String,
    }
    let rows: Vec<Row> = Reader::new(&bytes[..]).values().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows.len(), 50);
    assert_eq!((rows[20].id, rows[21].id, &*rows[49].name), (20, 0, "49"));
}

/// Emits a record with an integer, a list of texts and a field of its own, and then fails.
struct Failing(i64);

impl Source for Failing {
    fn drive(&mut self, shredder: &mut Shredder) -> holdall::Result<()> {
        shredder.begin_mapping(["id", "secret name"].into_iter())?;
        shredder.int(self.0)?;
        shredder.begin_list(3)?;
        shredder.string("secret text")?;
        Err(Error::new(Code::Custom))
    }
}

#[test]
fn a_failed_value_is_not_in_the_stream() {
    let record = |n: i64| {
        let name = Shared::new(Value::from("same"));
        let names = Value::list([Value::Shared(name.clone()), Value::Shared(name)]);
        Value::record([("id", n.into()), ("names", names)])
    };
    for failures in [1, 2000] {
        let mut writer = WriterOptions::new().block_values(7).sync([7; 8]).to(Vec::new()).unwrap();
        let mut without = WriterOptions::new().block_values(7).sync([7; 8]).to(Vec::new()).unwrap();
        for n in 0..20 {
            writer.write(&record(n)).unwrap();
            without.write(&record(n)).unwrap();
            for at in 0..failures {
                let failed = writer.write_source(&mut Failing(at)).unwrap_err();
                assert_eq!(failed.code(), Code::Custom);
            }
        }
        let bytes = writer.finish().unwrap();
        assert_eq!(bytes, without.finish().unwrap());
        assert!(!bytes.windows(6).any(|bytes| bytes == b"secret"));
        assert_eq!(values_of(&bytes), (0..20).map(record).collect::<Vec<_>>());
    }
}

#[test]
fn values_without_columns_are_counted() {
    let mut writer = writer(3);
    (0..8).for_each(|_| writer.write(&()).unwrap());
    let bytes = writer.finish().unwrap();
    assert_eq!(Reader::new(&bytes[..]).values::<()>().count(), 8);
    assert_eq!(values_of(&bytes), vec![Value::Null; 8]);
}

#[test]
fn text_is_borrowed_from_a_block() {
    #[derive(Decode)]
    struct Borrowed<'a> {
        id: u64,
        name: &'a str,
    }
    let bytes = stream(10, 10);
    let block = Reader::new(&bytes[..]).next_block().unwrap().unwrap();
    let rows: Vec<Borrowed<'_>> = block.decode().unwrap();
    assert!(rows.iter().all(|row| row.name == reading(row.id).name));
    assert_eq!((block.len(), block.first()), (10, 0));
}
