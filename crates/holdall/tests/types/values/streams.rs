//! Streams of types with values inside.

use holdall::value::Record;
use holdall::{Code, Decode, Encode, Reader, Value, WriterOptions};

use super::{fields, record};

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Event {
    id: u64,
    bodies: Vec<Value>,
    #[holdall(unknown)]
    rest: Record,
}

fn event(id: u64, bodies: impl IntoIterator<Item = Value>, rest: Record) -> Event {
    Event { id, bodies: bodies.into_iter().collect(), rest }
}

/// Each schema of the blocks of a stream, and its values.
fn read(bytes: &[u8]) -> (Vec<String>, Vec<Event>) {
    let (mut reader, mut schemas, mut all) = (Reader::new(bytes), Vec::new(), Vec::new());
    while let Some(block) = reader.next_block().unwrap() {
        schemas.push(block.schema().to_string());
        all.extend(block.decode::<Event>().unwrap());
    }
    (schemas, all)
}

#[test]
fn a_schema_grows_from_block_to_block() {
    let mut writer = WriterOptions::new().block_values(2).to(Vec::new()).unwrap();
    let events = [
        event(1, [Value::from(1)], fields([])),
        event(2, [], fields([])),
        event(3, [Value::from("x")], fields([])),
        event(4, [Value::from(1)], fields([("a", Value::from(1))])),
        event(5, [], fields([])),
        event(6, [], fields([("b", Value::Null), ("a", Value::from(2))])),
        event(7, [], fields([])),
    ];
    events.iter().for_each(|event| writer.write(event).unwrap());
    let (schemas, read) = read(&writer.finish().unwrap());
    assert_eq!(read, events);
    let both = "union(int, string)";
    let schema =
        |bodies: &str, rest: &str| format!("struct Event {{id: u64, bodies: list({bodies}){rest}");
    assert_eq!(
        schemas,
        [
            schema("int", "}"),
            schema(both, ", a: int} [0 1, 0 1 2]"),
            schema(both, ", a: int, b: null} [0 1, 0 1 2, 0 1 3 2]"),
            schema(both, ", a: int, b: null} [0 1, 0 1 2, 0 1 3 2]"),
        ]
    );
}

#[test]
fn a_value_that_fails_leaves_nothing_in_a_stream() {
    let twice: Record =
        ["a", "a"].map(|key| (key.into(), Value::from("fails"))).into_iter().collect();
    let mut writer = WriterOptions::new().sync([7; 8]).to(Vec::new()).unwrap();
    let mut expected = WriterOptions::new().sync([7; 8]).to(Vec::new()).unwrap();
    for id in 0..2000 {
        let bad = match id % 4 {
            0 => event(id, [Value::from(0.5), Value::Record(twice.clone())], fields([])),
            1 => event(id, [Value::from("x")], fields([("id", Value::from(1))])),
            2 => event(id, [record([("b", Value::from(1))])], twice.clone()),
            _ => event(id, [Value::Unknown], fields([("c", Value::from(1))])),
        };
        assert!(matches!(
            writer.write(&bad).unwrap_err().code(),
            Code::DuplicateKey | Code::UnsupportedValue
        ));
        let rest = if id < 1000 { fields([]) } else { fields([("rest", Value::from(1))]) };
        let good = event(id, [Value::from(1)], rest);
        writer.write(&good).unwrap();
        expected.write(&good).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), expected.finish().unwrap());
}

#[test]
fn values_of_one_type_share_a_block_whether_they_have_unknown_fields_or_not() {
    let mut writer = WriterOptions::new().to(Vec::new()).unwrap();
    let events: Vec<Event> = (0..100)
        .map(|id| match id % 3 {
            0 => event(id, [], fields([])),
            _ => event(id, [Value::from(1)], fields([("a", Value::from(2))])),
        })
        .collect();
    events.iter().for_each(|event| writer.write(event).unwrap());
    writer.flush().unwrap();
    assert_eq!(writer.blocks(), 1);
    assert_eq!(read(&writer.finish().unwrap()).1, events);
}

#[test]
fn statistics_cover_the_sites_of_values() {
    let mut writer = WriterOptions::new().statistics(true).to(Vec::new()).unwrap();
    writer.write(&event(3, [], fields([("a", Value::from(2))]))).unwrap();
    let bytes = writer.finish().unwrap();
    let view = holdall::View::new(&bytes[..]).unwrap();
    let blocks = view.statistics().unwrap();
    let columns = &blocks[0].as_ref().unwrap().columns;
    assert_eq!(
        columns.iter().map(|column| column.lower.as_i64()).collect::<Vec<_>>(),
        [Some(3), Some(2)]
    );
}
