//! The laws of tables: each type has the Arrow type of `docs/tables.md`, and each value its place.

mod tables;
mod values;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Decimal256Type, DecimalType, Float64Type, Int32Type, Int64Type,
};
use arrow_array::{Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use holdall::value::{Logical, Variant};
use holdall::view::Bytes;
use holdall::{BigInt, Code, Encoder, LogicalType, Profile, Shared, Tensor, Value, View, Writer};
use holdall_arrow::{OnUnmappable, Scan};

fn view(bytes: Vec<u8>) -> Arc<View<'static>> {
    Arc::new(View::new(Bytes::owned(bytes)).unwrap())
}

fn scan(value: &Value) -> Scan {
    Scan::new(view(holdall::to_vec(value).unwrap()))
}

fn rows(scan: &Scan) -> RecordBatch {
    let batches: Vec<_> = scan.batches().unwrap().map(|batch| batch.unwrap()).collect();
    let schema = scan.schema().unwrap();
    arrow_select::concat::concat_batches(&schema, &batches).unwrap()
}

fn logical(kind: u8, parameters: &[u8], storage: Value) -> Value {
    Value::from(Logical::new(LogicalType::new(kind, parameters).unwrap(), storage))
}

fn null() -> Value {
    Value::Null
}

#[test]
fn each_type_has_its_arrow_type() {
    let int = |n: i64| Value::from(n);
    let table = [
        (Value::Null, "Null"),
        (Value::from(true), "Boolean"),
        (int(-7), "Int64"),
        (Value::from(1.5), "Float64"),
        (Value::from("Zoë"), "Utf8View"),
        (Value::Bytes(b"\0\xFF".to_vec()), "BinaryView"),
        (logical(LogicalType::DATE, &[], int(19_000)), "Date32"),
        (logical(LogicalType::TIME, &[2], int(5)), "Time64(µs)"),
        (logical(LogicalType::TIME, &[1], int(5)), "Time32(ms)"),
        (logical(LogicalType::TIMESTAMP, &[3, 0], int(5)), "Timestamp(ns)"),
        (logical(LogicalType::TIMESTAMP, &[2, 1], int(5)), "Timestamp(µs, \"UTC\")"),
        (logical(LogicalType::DURATION, &[0], int(5)), "Duration(s)"),
        (Value::list([int(1), int(2)]), "LargeList(non-null Int64)"),
        (logical(LogicalType::SET, &[], Value::list([int(1)])), "LargeList(non-null Int64)"),
    ];
    for (value, expected) in table {
        let scan = scan(&Value::list([Value::record([("x", value.clone())])]));
        let schema = scan.schema().unwrap();
        assert_eq!(schema.field(0).data_type().to_string(), expected, "{value:?}");
        let batch = rows(&scan);
        assert_eq!(
            (batch.num_rows(), batch.column(0).data_type()),
            (1, schema.field(0).data_type())
        );
    }
}

#[test]
fn an_absent_value_is_null_at_each_level() {
    let row = |x: Value, y: Value| Value::record([("x", x), ("in", Value::record([("y", y)]))]);
    let list = Value::list([
        row(Value::from(1), Value::from("a")),
        row(null(), null()),
        Value::record([("x", Value::from(3)), ("in", null())]),
        row(Value::from(4), Value::from("a text of more than 12 bytes")),
        Value::record([("x", Value::from(5))]),
    ]);
    let batch = rows(&scan(&list));
    let x = batch.column(0).as_primitive::<Int64Type>();
    assert_eq!(x.iter().collect::<Vec<_>>(), [Some(1), None, Some(3), Some(4), Some(5)]);
    let inner = batch.column(1).as_struct();
    assert_eq!(
        (0..5).map(|row| inner.is_valid(row)).collect::<Vec<_>>(),
        [true, true, false, true, false]
    );
    let y = inner.column(0).as_string_view();
    let long = Some("a text of more than 12 bytes");
    assert_eq!(y.iter().collect::<Vec<_>>(), [Some("a"), None, None, long, None]);
}

#[test]
fn integers_beyond_64_bits_are_decimals() {
    // The least powers of 2 that take this many bytes.
    let power = |bytes: usize| {
        let big = [vec![0; bytes - 1], vec![1]].concat();
        Value::from(BigInt::from_le_bytes(&big).unwrap())
    };
    for (bytes, expected, text) in [
        (9, DataType::Decimal128(38, 0), "18446744073709551616"),
        (17, DataType::Decimal256(76, 0), "340282366920938463463374607431768211456"),
    ] {
        let list = Value::list([power(bytes), Value::from(7)].map(|n| Value::record([("x", n)])));
        let batch = rows(&scan(&list));
        assert_eq!(batch.column(0).data_type(), &expected);
        let texts = match expected {
            DataType::Decimal128(..) => decimals::<Decimal128Type>(&batch),
            _ => decimals::<Decimal256Type>(&batch),
        };
        assert_eq!(texts, [text, "7"]);
    }
    let error = scan(&Value::list([Value::record([("x", power(33))])])).schema().unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unsupported, "$[].x"));
}

fn decimals<T: DecimalType>(batch: &RecordBatch) -> Vec<String> {
    let array = batch.column(0).as_primitive::<T>();
    (0..array.len()).map(|row| array.value_as_string(row)).collect()
}

/// Columns of which Arrow has no type: values of unlike types, and a value that is there twice.
fn unlike_rows() -> Vec<Value> {
    let shared = Value::Shared(Shared::new(Value::list([Value::from(7)])));
    let cell = |n: i64| match n % 4 {
        0 => Value::from(n),
        1 => Value::from("text"),
        2 => Value::Null,
        _ => shared.clone(),
    };
    (0..8).map(|n| Value::record([("x", cell(n)), ("y", Value::from(n))])).collect()
}

/// The rows as a message, and as a stream of blocks in which a column has one type or several.
fn unlike_scans() -> [Scan; 2] {
    let mut writer = holdall::WriterOptions::new().block_values(3).to(Vec::new()).unwrap();
    unlike_rows().iter().try_for_each(|row| writer.write(row)).unwrap();
    let stream = View::new(Bytes::owned(writer.finish().unwrap())).unwrap();
    [scan(&Value::list(unlike_rows())), Scan::new(Arc::new(stream))]
}

#[test]
fn a_column_without_an_arrow_type_is_an_error_or_left_out() {
    for scan in unlike_scans() {
        let error = scan.schema().unwrap_err();
        assert_eq!(error.code(), Code::Unsupported);
        assert!(error.path().ends_with(".x"), "{error}");
        let schema = scan.on_unmappable(OnUnmappable::Drop).schema().unwrap();
        let names: Vec<&str> = schema.fields().iter().map(|field| &**field.name()).collect();
        assert_eq!(names, ["y"]);
    }
}

#[test]
fn a_column_without_an_arrow_type_can_be_text_of_json() {
    let expected = [
        Some("0"),
        Some("\"text\""),
        None,
        Some("[7]"),
        Some("4"),
        Some("\"text\""),
        None,
        Some("[7]"),
    ];
    for scan in unlike_scans() {
        let batch = rows(&scan.on_unmappable(OnUnmappable::Json));
        let texts: Vec<_> = batch.column_by_name("x").unwrap().as_string_view().iter().collect();
        assert_eq!(texts, expected);
        let numbers = batch.column_by_name("y").unwrap().as_primitive::<Int64Type>();
        assert_eq!(numbers.values().to_vec(), (0..8).collect::<Vec<_>>());
    }
    // Some of the rows, and rows that are no records.
    let [message, stream] = unlike_scans();
    for scan in [message, stream] {
        let batch = rows(&scan.on_unmappable(OnUnmappable::Json).columns(["x"]).rows(4..6));
        let texts: Vec<_> = batch.column(0).as_string_view().iter().collect();
        assert_eq!(texts, expected[4..6]);
    }
    let list = Value::list([Value::from(1), Value::from("a"), Value::record([("z", Value::Null)])]);
    let batch = rows(&scan(&list).on_unmappable(OnUnmappable::Json));
    let texts: Vec<_> = batch.column_by_name("value").unwrap().as_string_view().iter().collect();
    assert_eq!(texts, [Some("1"), Some("\"a\""), Some("{\"z\":null}")]);
}

#[test]
fn a_column_without_an_arrow_type_can_be_messages() {
    for scan in unlike_scans() {
        let batch = rows(&scan.on_unmappable(OnUnmappable::Binary));
        let column = batch.column_by_name("x").unwrap().as_binary_view();
        for (row, message) in unlike_rows().iter().zip(column) {
            let value = message.map_or(Value::Null, |own| holdall::from_slice(own).unwrap());
            assert_eq!(&value, row.field("x").unwrap());
        }
    }
}

#[test]
fn variants_are_words_or_members_of_a_union() {
    let variant = |name: &str, value: Value| Value::Variant(Variant::new(name, value));
    let x = |value: Value| Value::record([("x", value)]);
    let words = [variant("Red", null()), variant("Blue", null()), null(), variant("Red", null())];
    let batch = rows(&scan(&Value::list(words.map(x))));
    let words = batch.column(0).as_dictionary::<Int32Type>();
    let texts: Vec<_> = words.downcast_dict::<StringArray>().unwrap().into_iter().collect();
    assert_eq!(texts, [Some("Red"), Some("Blue"), None, Some("Red")]);

    let members = [
        variant("A", Value::from(7)),
        null(),
        variant("B", Value::from("b")),
        variant("A", Value::from(8)),
    ];
    let batch = rows(&scan(&Value::list(members.map(x))));
    let union = batch.column(0).as_union();
    assert_eq!(union.type_ids()[..], [0, 2, 1, 0]);
    let number = union.value(3);
    assert_eq!(number.as_primitive::<Int64Type>().value(0), 8);
    assert_eq!(union.value(2).as_string_view().value(0), "b");
}

#[test]
fn tensors_of_one_shape_are_of_fixed_size() {
    let tensor = |a: f64| Value::from(Tensor::of([2, 2], &[a, 1.0, 2.0, 3.0]).unwrap());
    let scan = scan(&Value::list([
        Value::record([("t", tensor(0.0))]),
        Value::record([("t", tensor(9.0))]),
    ]));
    let batch = rows(&scan);
    let lists = batch.column(0).as_fixed_size_list();
    assert_eq!(
        lists.values().as_primitive::<Float64Type>().values()[..],
        [0.0, 1.0, 2.0, 3.0, 9.0, 1.0, 2.0, 3.0]
    );
    assert_eq!(batch.schema().field(0).metadata()["ARROW:extension:metadata"], "{\"shape\":[2,2]}");
}

#[test]
fn a_stream_is_one_table_whatever_its_blocks_have() {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for n in 0..10_i64 {
        writer.write(&Value::record([("n", Value::from(n))])).unwrap();
    }
    writer.flush().unwrap();
    for n in 10..20_i64 {
        let n = if n % 2 == 0 { Value::from(n) } else { Value::Null };
        writer.write(&Value::record([("m", Value::from("text")), ("n", n)])).unwrap();
    }
    let scan = Scan::new(view(writer.finish().unwrap()));
    let batch = rows(&scan);
    let n = batch.column_by_name("n").unwrap().as_primitive::<Int64Type>();
    assert_eq!((n.len(), n.null_count(), n.value(9), n.value(10)), (20, 5, 9, 10));
    assert_eq!(batch.column_by_name("m").unwrap().null_count(), 10);
    let some = rows(&scan.clone().rows(8..12).columns(["m"]));
    assert_eq!((some.num_rows(), some.column(0).null_count()), (4, 2));
}

#[test]
fn all_profiles_have_the_same_table() {
    let row = |n: i64| {
        Value::record([
            ("n", Value::from(n * 3)),
            ("word", Value::from(["red", "green", "a long word of many letters"][n as usize % 3])),
            ("half", if n % 5 == 0 { Value::Null } else { Value::from(n as f64 / 4.0) }),
            ("tags", Value::list((0..n % 4).map(Value::from))),
        ])
    };
    let list = Value::list((0..2000).map(row));
    let tables = [Profile::Fast, Profile::Balanced, Profile::Small].map(|profile| {
        rows(&Scan::new(view(Encoder::new().profile(profile).encode(&list).unwrap())))
    });
    assert_eq!(tables[0], tables[1]);
    assert_eq!(tables[0], tables[2]);
    assert_eq!(tables[0].column(1).as_string_view().value(1999), "green");
}
