//! The columns of a schema without data.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use holdall::view::Bytes;
use holdall::{Code, Encoder, Value, View, WriterOptions};
use holdall_arrow::{OnUnmappable, Scan, schema_of};

fn columns(schema: &str) -> Arc<Schema> {
    schema_of(&schema.parse().unwrap(), OnUnmappable::Error).unwrap()
}

/// A column as the command prints it: its type, and whether it can be null.
fn shown(field: &Field) -> String {
    let null = if field.is_nullable() { "" } else { " not null" };
    format!("{}: {}{null}", field.name(), field.data_type())
}

#[test]
fn a_schema_has_the_columns_of_data_with_it() {
    let int = |n: i64| Value::from(n);
    let date = Value::from(holdall::value::Logical::new(
        holdall::LogicalType::new(holdall::LogicalType::DATE, &[]).unwrap(),
        int(19_000),
    ));
    let row = |n: i64| {
        Value::record([
            ("n", int(n)),
            ("text", if n == 0 { Value::Null } else { Value::from("a") }),
            ("day", date.clone()),
            ("inner", Value::record([("list", Value::list([Value::from(1.5)]))])),
            ("variant", Value::Variant(holdall::value::Variant::new("A", Value::Null))),
        ])
    };
    let list = Value::list([row(0), row(1)]);
    for value in [list, row(1), int(7), Value::list([int(7)]), Value::list([])] {
        let message = Encoder::new().encode(&value).unwrap();
        let schema = holdall::Schema::of_message(&message).unwrap();
        let view = View::new(Bytes::owned(message)).unwrap();
        let expected = Scan::new(Arc::new(view)).schema().unwrap();
        assert_eq!(schema_of(&schema, OnUnmappable::Error).unwrap(), expected, "{schema}");
    }
    let mut writer = WriterOptions::new().to(Vec::new()).unwrap();
    writer.write(&row(1)).unwrap();
    let view = View::new(Bytes::owned(writer.finish().unwrap())).unwrap();
    let own = schema_of(view.schema(), OnUnmappable::Error).unwrap();
    assert_eq!(own, Scan::new(Arc::new(view)).schema().unwrap());
}

#[test]
fn a_field_that_some_rows_can_lack_is_nullable() {
    for (form, expected) in [
        ("", ["a: UInt8 not null", "b: Utf8View not null"]),
        (" [0 1, 0]", ["a: UInt8 not null", "b: Utf8View"]),
        (" sparse", ["a: UInt8", "b: Utf8View"]),
    ] {
        let schema = columns(&format!("list(record {{a: u8, b: string}}{form})"));
        let shown: Vec<_> = schema.fields().iter().map(|field| shown(field)).collect();
        assert_eq!(shown, expected, "{form}");
    }
}

#[test]
fn columns_whose_type_follows_from_the_values_are_marked() {
    for (ty, expected, is_marked) in [
        ("int", "x: Int64 not null", false),
        ("u128", "x: Decimal128(38, 0) not null", false),
        ("decimal", "x: Decimal128(1, 0) not null", true),
        (
            "option(list(decimal))",
            "x: LargeList(non-null Decimal128(1, 0), metadata: {\"holdall:logical\": \"decimal\"})",
            true,
        ),
        ("timestamp[s, utc]", "x: Timestamp(s, \"UTC\") not null", false),
        (
            "timestamp[s, offset]",
            "x: Struct(\"utc\": non-null Timestamp(s, \"UTC\"), \"offset\": non-null Int32) not null",
            false,
        ),
        (
            "timestamp[s, zone]",
            "x: Struct(\"utc\": non-null Timestamp(s, \"UTC\"), \"zone\": non-null Utf8View) not null",
            true,
        ),
        ("tensor(f64)", "x: FixedSizeList(0 x non-null Float64) not null", true),
    ] {
        let schema = columns(&format!("list(record {{x: {ty}, y: bool}})"));
        let field = schema.field(0);
        assert_eq!(shown(field), expected, "{ty}");
        let mark = field.metadata().get("holdall:by").map(String::as_str);
        assert_eq!(mark, is_marked.then_some("values"), "{ty}");
        assert!(schema.field(1).metadata().is_empty());
    }
}

#[test]
fn a_type_that_arrow_lacks_is_refused_with_its_path() {
    for (ty, path) in [
        ("union(int, string)", "$[].x"),
        ("record {y: list(option(option(int)))}", "$[].x.y[]"),
        ("fixed(0)", "$[].x"),
        ("tensor(bf16)", "$[].x"),
    ] {
        let text = format!("list(record {{x: {ty}, z: bool}})");
        let schema: holdall::Schema = text.parse().unwrap();
        let error = schema_of(&schema, OnUnmappable::Error).unwrap_err();
        assert_eq!((error.code(), error.path()), (Code::Unsupported, path), "{text}");
        let names = |how| {
            let columns = schema_of(&schema, how).unwrap();
            columns.fields().iter().map(|own| own.data_type().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(OnUnmappable::Drop), ["Boolean"]);
        assert_eq!(names(OnUnmappable::Json), ["Utf8View", "Boolean"]);
        assert_eq!(names(OnUnmappable::Binary), ["BinaryView", "Boolean"]);
    }
}

#[test]
fn definitions_nest_without_end_and_use_no_stack() {
    let chain = |len: usize| {
        let bodies: Vec<String> = (0..len)
            .map(|at| {
                let inner = if at + 1 < len { format!("#d{}", at + 1) } else { "u8".to_owned() };
                format!("#d{at} = struct D{at} {{x: {inner}}}")
            })
            .collect();
        format!("list(record {{a: #d0, b: u8}}) where {}", bodies.join(", "))
    };
    let mut ty = &columns(&chain(8)).field(0).data_type().clone();
    for _ in 0..8 {
        let DataType::Struct(fields) = ty else { panic!("{ty}") };
        ty = fields[0].data_type();
    }
    assert_eq!(ty, &DataType::UInt8);
    for len in [9, 20_000] {
        let schema: holdall::Schema = chain(len).parse().unwrap();
        let error = schema_of(&schema, OnUnmappable::Error).unwrap_err();
        assert_eq!(error.code(), Code::Unsupported, "{len}");
        let columns = schema_of(&schema, OnUnmappable::Json).unwrap();
        assert_eq!(columns.field(0).data_type(), &DataType::Utf8View);
        assert_eq!(columns.field(1).data_type(), &DataType::UInt8);
    }
}

#[test]
fn each_column_that_arrow_lacks_costs_as_much_as_one() {
    let columns = |len: usize| {
        let fields: Vec<String> =
            (0..len).map(|at| format!("c{at}: tensor(complex[8](tuple(f64, f64)))")).collect();
        let schema: holdall::Schema =
            format!("list(record {{{}}})", fields.join(", ")).parse().unwrap();
        schema_of(&schema, OnUnmappable::Json).unwrap().fields().len()
    };
    // With the parents of all types for each, this took a minute.
    assert_eq!(columns(20_000), 20_000);
}
