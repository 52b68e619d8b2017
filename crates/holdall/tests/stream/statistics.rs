//! Statistics of blocks (F-100).

use holdall::stream::BlockStatistics;
use holdall::value::Logical;
use holdall::{Encode, LogicalType, Profile, Value, View, Writer, WriterOptions};

fn written<T: Encode>(options: WriterOptions, values: impl IntoIterator<Item = T>) -> Vec<u8> {
    let mut writer = options.statistics(true).to(Vec::new()).unwrap();
    values.into_iter().for_each(|value| writer.write(&value).unwrap());
    writer.finish().unwrap()
}

fn statistics(bytes: &[u8]) -> Vec<Option<BlockStatistics>> {
    View::new(bytes).unwrap().statistics().unwrap()
}

/// Path, nulls, and both bounds of each column of a block.
fn columns(block: &Option<BlockStatistics>) -> Vec<(String, u64, Value, Value)> {
    let columns = &block.as_ref().expect("known").columns;
    let row = |column: &holdall::stream::ColumnStatistics| {
        (column.path.join("."), column.nulls, column.lower.clone(), column.upper.clone())
    };
    columns.iter().map(row).collect()
}

fn of_one(values: Vec<Value>) -> (u64, Value, Value) {
    let bytes = written(WriterOptions::new(), values);
    let (path, nulls, lower, upper) = columns(&statistics(&bytes)[0]).remove(0);
    assert_eq!(path, "");
    (nulls, lower, upper)
}

#[test]
fn each_type_has_its_order() {
    let ints = [3_i64, -4, 5].map(Value::from).to_vec();
    assert_eq!(of_one(ints), (0, Value::Int(-4), Value::Int(5)));
    let small = vec![Value::U8(200), Value::U8(7)];
    assert_eq!(of_one(small), (0, Value::U8(7), Value::U8(200)));
    let words = vec![Value::U64(u64::MAX), Value::U64(1)];
    assert_eq!(of_one(words), (0, Value::U64(1), Value::U64(u64::MAX)));
    let bools = vec![Value::Bool(true), Value::Bool(false)];
    assert_eq!(of_one(bools), (0, Value::Bool(false), Value::Bool(true)));
    let floats = vec![Value::F64(2.5), Value::F64(f64::NEG_INFINITY)];
    assert_eq!(of_one(floats), (0, Value::F64(f64::NEG_INFINITY), Value::F64(2.5)));
    let texts = ["b", "\u{e9}", "a"].map(Value::from).to_vec();
    assert_eq!(of_one(texts), (0, Value::from("a"), Value::from("\u{e9}")));
    let bytes = vec![Value::Bytes(vec![255]), Value::Bytes(vec![])];
    assert_eq!(of_one(bytes), (0, Value::Bytes(vec![]), Value::Bytes(vec![255])));
    let date = |day: i64| {
        let ty = LogicalType::new(LogicalType::DATE, &[]).unwrap();
        Value::Logical(Logical::new(ty, Value::Int(day)))
    };
    assert_eq!(of_one(vec![date(5), date(-1)]), (0, date(-1), date(5)));
}

#[test]
fn nulls_are_counted_and_bound_nothing() {
    let values = vec![Value::Null, Value::Int(3), Value::Null];
    assert_eq!(of_one(values), (2, Value::Int(3), Value::Int(3)));
}

#[test]
fn a_column_with_a_nan_has_no_bounds() {
    let values = vec![Value::F64(1.0), Value::F64(f64::NAN)];
    assert_eq!(of_one(values), (0, Value::Null, Value::Null));
}

#[test]
fn long_text_has_a_beginning_as_lower_bound_and_no_upper_one() {
    // Two bytes each, so the 64th byte is inside a character.
    let long = format!("a{}", "\u{e9}".repeat(40));
    let (_, lower, upper) = of_one(vec![Value::from(long.clone()), Value::from("z")]);
    assert_eq!((lower, upper), (Value::from(&long[..63]), Value::from("z")));
    let (_, lower, upper) = of_one(vec![Value::from("a"), Value::from("z".repeat(65))]);
    assert_eq!((lower, upper), (Value::from("a"), Value::Null));
    let (_, lower, upper) = of_one(vec![Value::Bytes(vec![7; 65])]);
    assert_eq!((lower, upper), (Value::Bytes(vec![7; 64]), Value::Null));
}

#[test]
fn fields_lead_to_columns_and_lists_do_not() {
    let row = |id: i64, name: Option<&str>| {
        let inner = Value::record([("name", name.map_or(Value::Null, Value::from))]);
        let mut fields = vec![("id", Value::from(id)), ("of", inner)];
        if id > 1 {
            fields.push(("late", Value::Bool(true)));
        }
        fields.push(("tags", Value::list([Value::from("x")])));
        Value::record(fields)
    };
    let bytes = written(WriterOptions::new(), [row(1, Some("b")), row(2, None), row(3, Some("a"))]);
    let mut found = columns(&statistics(&bytes)[0]);
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [
        ("id".to_owned(), 0, Value::Int(1), Value::Int(3)),
        ("late".to_owned(), 1, Value::Bool(true), Value::Bool(true)),
        ("of.name".to_owned(), 1, Value::from("a"), Value::from("b")),
    ];
    assert_eq!(found, expected);
}

#[test]
fn typed_values_and_all_profiles_have_the_same_statistics() {
    for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
        let options = WriterOptions::new().profile(profile).block_values(100);
        let bytes = written(options, (0..250_u32).map(|n| (n, f64::from(n) / 2.0)));
        // Items of tuples have no names.
        assert!(statistics(&bytes).iter().all(|block| columns(block).is_empty()));
        let options = WriterOptions::new().profile(profile).block_values(100);
        let bytes = written(options, 0..250_u32);
        let found: Vec<_> =
            statistics(&bytes).iter().map(|block| columns(block).remove(0)).collect();
        let bounds = |from, to| (String::new(), 0, Value::U32(from), Value::U32(to));
        assert_eq!(found, [bounds(0, 99), bounds(100, 199), bounds(200, 249)]);
    }
}

#[test]
fn blocks_of_other_schemas_say_nothing_of_a_column_that_they_lack() {
    let mut writer = WriterOptions::new().statistics(true).to(Vec::new()).unwrap();
    writer.write(&1_u8).unwrap();
    writer.write(&"text").unwrap();
    writer.write(&vec![1_u8]).unwrap();
    let bytes = writer.finish().unwrap();
    let blocks = statistics(&bytes);
    assert_eq!(columns(&blocks[0]), [(String::new(), 0, Value::U8(1), Value::U8(1))]);
    assert_eq!(columns(&blocks[1]), [(String::new(), 0, "text".into(), "text".into())]);
    assert_eq!(columns(&blocks[2]), []);
}

#[test]
fn long_streams_have_several_frames_and_bounded_memory() {
    let bytes = written(WriterOptions::new().block_values(1), 0..20_000_u32);
    let frames = bytes
        .windows(8)
        .zip(bytes[8..].iter())
        .filter(|(own, kind)| own == &&bytes[8..16] && **kind == b'T');
    assert_eq!(frames.count(), 2);
    for (n, block) in (0_u32..).zip(statistics(&bytes)) {
        assert_eq!(columns(&block), [(String::new(), 0, Value::U32(n), Value::U32(n))]);
    }
}

#[test]
fn an_appended_stream_keeps_its_statistics() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers.hold");
    let options = || WriterOptions::new().block_values(2);
    for (statistics, values) in [(true, 0..4_u32), (false, 4..6), (true, 6..8)] {
        let mut writer = options().statistics(statistics).append(&path).unwrap();
        values.for_each(|n| writer.write(&n).unwrap());
        writer.finish().unwrap();
    }
    let blocks = View::open(&path).unwrap().statistics().unwrap();
    let starts: Vec<_> =
        blocks.iter().map(|block| block.as_ref().map(|own| own.values.start)).collect();
    assert_eq!(starts, [Some(0), Some(2), None, Some(6)]);
}

#[test]
fn without_the_option_nothing_is_said() {
    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.write(&1_u8).unwrap();
    let bytes = writer.finish().unwrap();
    assert_eq!(statistics(&bytes), [None]);
    assert_eq!(statistics(&holdall::to_vec(&1_u8).unwrap()), []);
}
