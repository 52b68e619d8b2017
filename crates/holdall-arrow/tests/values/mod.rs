//! The laws of arrays as values: what goes in comes out, whatever the type, and faults have a code.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeListBuilder, Int32Builder, ListBuilder, ListViewBuilder, MapBuilder, StringBuilder,
};
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal128Type, Decimal256Type, DurationSecondType,
    Float16Type, Int8Type, Int32Type, IntervalDayTimeType, IntervalMonthDayNanoType,
    IntervalYearMonthType, Time32MillisecondType, Time64NanosecondType, TimestampMillisecondType,
    TimestampNanosecondType, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, DictionaryArray, FixedSizeBinaryArray,
    Float64Array, Int8Array, Int32Array, Int64Array, LargeStringArray, NullArray, PrimitiveArray,
    RecordBatch, StringArray, StringViewArray, StructArray, UnionArray,
};
use arrow_buffer::{IntervalDayTime, IntervalMonthDayNano, NullBuffer, ScalarBuffer, i256};
use arrow_schema::{DataType, Field, Fields, Schema, UnionFields};
use holdall::{Code, Decoder, Encoder, Limits, Profile, Value, f16};
use holdall_arrow::Arrays;

fn write(arrays: &Arrays) -> Vec<u8> {
    Encoder::new().message(&mut arrays.clone()).unwrap()
}

fn back(arrays: &Arrays) -> Arrays {
    Arrays::read(&write(arrays), &mut Decoder::new()).unwrap()
}

fn of(array: ArrayRef) -> Arrays {
    let field = Field::new("x", array.data_type().clone(), true);
    Arrays::of_arrays(Arc::new(field), vec![array])
}

fn words(list: &[Option<&str>]) -> ArrayRef {
    Arc::new(list.iter().copied().collect::<StringArray>())
}

/// An array of each type, with and without nulls, and with values at the ends of the range.
fn arrays() -> Vec<ArrayRef> {
    let mut list = ListBuilder::new(Int32Builder::new());
    list.extend([Some(vec![Some(1), None]), None, Some(vec![]), Some(vec![Some(i32::MIN)])]);
    let mut views = ListViewBuilder::new(Int32Builder::new());
    for row in [vec![Some(1), None], vec![], vec![Some(3)]] {
        row.into_iter().for_each(|item| views.values().append_option(item));
        views.append(true);
    }
    views.append(false);
    let mut fixed = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    for row in [[Some(1), Some(2)], [None, Some(3)]] {
        row.into_iter().for_each(|item| fixed.values().append_option(item));
        fixed.append(true);
    }
    (0..2).for_each(|_| fixed.values().append_null());
    fixed.append(false);
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    // Arrow allows a key twice.
    for key in ["a", "a"] {
        map.keys().append_value(key);
        map.values().append_value(7);
    }
    map.append(true).unwrap();
    map.append(false).unwrap();
    let fields = Fields::from(vec![
        Field::new("n", DataType::Int32, true),
        Field::new("text", DataType::Utf8, false),
    ]);
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]));
    let present = NullBuffer::from(vec![true, true, false]);
    let columns = vec![numbers, words(&[Some("a"), Some("b"), Some("")])];
    let rows = StructArray::new(fields, columns, Some(present));
    let members = UnionFields::try_new(
        [0, 5],
        [Field::new("int", DataType::Int32, true), Field::new("text", DataType::Utf8, true)],
    )
    .unwrap();
    let which: ScalarBuffer<i8> = vec![0, 5, 0].into();
    let ints: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None]));
    let dense = UnionArray::try_new(
        members.clone(),
        which.clone(),
        Some(vec![0, 0, 1].into()),
        vec![ints, words(&[Some("b")])],
    );
    let ints: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, None]));
    let sparse =
        UnionArray::try_new(members, which, None, vec![ints, words(&[None, Some("b"), None])]);
    let keys = Int8Array::from(vec![Some(1), None, Some(0), Some(1)]);
    // The last word is used nowhere.
    let all = words(&[Some("red"), Some("green"), Some("blue")]);
    let dictionary = DictionaryArray::<Int8Type>::try_new(keys, all).unwrap();
    let zoned = PrimitiveArray::<TimestampNanosecondType>::from(vec![Some(i64::MIN), None])
        .with_timezone("Europe/Berlin");
    let decimal = |precision, scale| {
        PrimitiveArray::<Decimal128Type>::from(vec![
            Some(-12_345),
            None,
            Some(0),
            Some(10_i128.pow(30)),
        ])
        .with_precision_and_scale(precision, scale)
        .unwrap()
    };
    let largest = i256::from_i128(10).wrapping_pow(75);
    vec![
        Arc::new(NullArray::new(3)),
        Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
        Arc::new(Int8Array::from(vec![i8::MIN, i8::MAX])),
        Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(i64::MAX)])),
        Arc::new(PrimitiveArray::<UInt64Type>::from(vec![0, u64::MAX])),
        Arc::new(PrimitiveArray::<Float16Type>::from(vec![f16::from_bits(0x7E01), f16::ONE])),
        Arc::new(Float64Array::from(vec![-0.0, f64::from_bits(0x7FF8_0000_0000_0001)])),
        words(&[Some("a"), None, Some(""), Some("Zoë")]),
        Arc::new(LargeStringArray::from(vec![Some("a"), None])),
        Arc::new(StringViewArray::from(vec![Some("a text beyond twelve bytes"), None, Some("b")])),
        Arc::new(BinaryArray::from(vec![Some(&b"\0\xFF"[..]), None])),
        Arc::new(FixedSizeBinaryArray::try_from_iter([[1_u8, 2], [3, 4]].into_iter()).unwrap()),
        Arc::new(PrimitiveArray::<Date32Type>::from(vec![Some(i32::MIN), None])),
        Arc::new(PrimitiveArray::<Date64Type>::from(vec![86_400_000, -1])),
        Arc::new(PrimitiveArray::<Time32MillisecondType>::from(vec![5])),
        Arc::new(PrimitiveArray::<Time64NanosecondType>::from(vec![5])),
        Arc::new(PrimitiveArray::<TimestampMillisecondType>::from(vec![Some(-1), None])),
        Arc::new(zoned),
        Arc::new(PrimitiveArray::<DurationSecondType>::from(vec![i64::MAX])),
        Arc::new(
            PrimitiveArray::<Decimal32Type>::from(vec![-7, 999_999_999])
                .with_precision_and_scale(9, 9)
                .unwrap(),
        ),
        Arc::new(decimal(38, 2)),
        Arc::new(decimal(38, -3)),
        Arc::new(
            PrimitiveArray::<Decimal256Type>::from(vec![largest, largest.wrapping_neg()])
                .with_precision_and_scale(76, 0)
                .unwrap(),
        ),
        Arc::new(PrimitiveArray::<IntervalYearMonthType>::from(vec![-14])),
        Arc::new(PrimitiveArray::<IntervalDayTimeType>::from(vec![
            Some(IntervalDayTime::new(-1, i32::MAX)),
            None,
        ])),
        Arc::new(PrimitiveArray::<IntervalMonthDayNanoType>::from(vec![
            IntervalMonthDayNano::new(1, -2, i64::MIN),
        ])),
        Arc::new(list.finish()),
        Arc::new(views.finish()),
        Arc::new(fixed.finish()),
        Arc::new(map.finish()),
        Arc::new(rows),
        Arc::new(dense.unwrap()),
        Arc::new(sparse.unwrap()),
        Arc::new(dictionary),
    ]
}

#[test]
fn an_array_of_each_type_comes_back() {
    for array in arrays() {
        let back = back(&of(Arc::clone(&array)));
        assert_eq!(back.field().data_type(), array.data_type());
        assert_eq!(&back.array().unwrap(), &array, "{}", array.data_type());
        for nested in [array.slice(1, array.len() - 1), array.slice(0, 0)] {
            assert_eq!(&self::back(&of(Arc::clone(&nested))).array().unwrap(), &nested);
        }
    }
}

/// A struct of columns, in lists so deep that types are shared.
fn deep(columns: Vec<(&str, ArrayRef)>, levels: usize) -> ArrayRef {
    let rows = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, column)| (name, column, true)),
    );
    let mut array: ArrayRef = Arc::new(StructArray::from(rows.unwrap()));
    for level in 0..levels {
        let field = Arc::new(Field::new("item", array.data_type().clone(), true));
        let len = array.len() as i32;
        // The outermost lists are of unequal lengths.
        let ends = if level + 1 == levels { vec![0, 1, 1, len] } else { (0..=len).collect() };
        let offsets = arrow_buffer::OffsetBuffer::new(ends.into());
        array = Arc::new(arrow_array::ListArray::new(field, offsets, array, None));
    }
    array
}

#[test]
fn nested_columns_keep_their_rows_where_types_are_shared() {
    let lists = |first: i32| {
        let mut list = ListBuilder::new(ListBuilder::new(Int32Builder::new()));
        for row in 0..4 {
            list.values().append_value((0..row).map(|item| Some(first + item)));
            list.append(true);
        }
        Arc::new(list.finish()) as ArrayRef
    };
    for levels in [0, 1, 5, 14, 27] {
        let array =
            deep(vec![("a", lists(10)), ("b", lists(20)), ("c", words(&[Some("x"); 4]))], levels);
        let whole = of(Arc::clone(&array));
        assert_eq!(&back(&whole).array().unwrap(), &array, "{levels} levels");
    }
}

#[test]
fn record_batches_come_back_with_their_schema() {
    let metadata = [("about".to_owned(), "a test".to_owned())];
    let columns: Vec<(String, ArrayRef)> = arrays()
        .into_iter()
        .enumerate()
        .map(|(at, array)| (format!("{}", 1000 + at), array))
        .collect();
    let len = columns.iter().map(|(_, column)| column.len()).min().unwrap();
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, column)| {
            Field::new(name, column.data_type().clone(), true)
                .with_metadata(HashMap::from(metadata.clone()))
        })
        .collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, HashMap::from(metadata)));
    let columns = columns.iter().map(|(_, column)| column.slice(0, len)).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let arrays = Arrays::of_batches(&schema, [batch.clone(), batch.slice(0, 0), batch.clone()]);
    let back = back(&arrays);
    assert!(back.is_table());
    assert_eq!(back.schema(), schema);
    let all = arrow_select::concat::concat_batches(&schema, [&batch, &batch]).unwrap();
    assert_eq!(back.batches().unwrap().next().unwrap().unwrap(), all);
}

#[test]
fn equal_names_and_wide_structs_come_back() {
    let column = |n: i32| Arc::new(Int32Array::from(vec![n, -n])) as ArrayRef;
    for names in [
        vec!["a".to_owned(), "a".to_owned(), "a#2".to_owned(), String::new(), String::new()],
        (0..700).map(|n| format!("c{n}")).collect(),
        (0..300).map(|n| format!("2026-01-{n}")).collect(),
    ] {
        let fields: Vec<Field> =
            names.iter().map(|name| Field::new(name, DataType::Int32, false)).collect();
        let schema = Arc::new(Schema::new(fields));
        let columns = (0..names.len()).map(|n| column(n as i32)).collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
        let back = back(&Arrays::of_batches(&schema, [batch.clone()]));
        assert_eq!(back.batches().unwrap().next().unwrap().unwrap(), batch);
    }
}

#[test]
fn tables_without_columns_or_rows_come_back() {
    let schema = Arc::new(Schema::empty());
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(3));
    let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), vec![], &options).unwrap();
    assert_eq!(back(&Arrays::of_batches(&schema, [batch])).len(), 3);
    let schema = Schema::new(vec![Field::new("n", DataType::Int32, true)]);
    let back = back(&Arrays::of_batches(&schema, []));
    assert_eq!((back.len(), &*back.schema()), (0, &schema));
}

#[test]
fn a_run_encoded_array_is_refused() {
    let ends = Int32Array::from(vec![2, 3]);
    let runs = arrow_array::RunArray::<Int32Type>::try_new(&ends, &Int32Array::from(vec![1, 2]));
    let error = Encoder::new().message(&mut of(Arc::new(runs.unwrap()))).unwrap_err();
    assert_eq!(error.code(), Code::UnsupportedValue);
}

fn field(format: &str, flags: i64, children: i64) -> Value {
    Value::record([
        ("name", Value::from("x")),
        ("format", Value::from(format)),
        ("flags", Value::from(flags)),
        ("children", Value::from(children)),
    ])
}

fn message(fields: Vec<Value>, rows: Value) -> Vec<u8> {
    let inside = Value::record([("fields", Value::list(fields)), ("rows", rows)]);
    let value = Value::from(holdall::value::Extension::new("arrow.array", inside));
    holdall::to_vec(&value).unwrap()
}

#[test]
fn a_wrong_record_is_an_error_with_a_path() {
    let int = |n: i64| Value::from(n);
    let list = |rows: Vec<Value>| Value::list(rows);
    let record = |name: &'static str| Value::record([(name, int(1))]);
    let table: Vec<(Vec<Value>, Value, Code, &str)> = vec![
        (
            vec![field("i", 2, 0)],
            list(vec![Value::I32(1), int(2)]),
            Code::Unconvertible,
            "$.rows[1]",
        ),
        (
            vec![field("i", 0, 0)],
            list(vec![Value::I32(1), Value::Null]),
            Code::Unconvertible,
            "$.rows[1]",
        ),
        (vec![field("i", 2, 0)], int(1), Code::Unconvertible, "$.rows"),
        (vec![field("q", 2, 0)], list(vec![]), Code::Unconvertible, "$.fields"),
        (vec![field("+l", 2, 0)], list(vec![]), Code::Unconvertible, "$.fields"),
        (vec![field("+l", 2, 9)], list(vec![]), Code::Unconvertible, "$.fields"),
        (vec![field("+s", 2, -1)], list(vec![]), Code::Unconvertible, "$.fields"),
        (vec![field("+s", 2, i64::MAX)], list(vec![]), Code::Unconvertible, "$.fields"),
        (vec![field("+r", 2, 0)], list(vec![]), Code::Unconvertible, "$.fields"),
        (vec![field("+m", 2, 1), field("i", 2, 0)], list(vec![]), Code::Unconvertible, "$.fields"),
        (
            vec![field("+w:-1", 2, 1), field("i", 2, 0)],
            list(vec![]),
            Code::Unconvertible,
            "$.fields",
        ),
        (
            vec![field("+ud:0,0", 2, 2), field("i", 2, 0), field("i", 2, 0)],
            list(vec![]),
            Code::Unconvertible,
            "$.fields",
        ),
        (
            vec![field("+ud:-5", 2, 1), field("i", 2, 0)],
            list(vec![]),
            Code::Unconvertible,
            "$.fields",
        ),
        (vec![field("w:-1", 2, 0)], list(vec![]), Code::Unconvertible, "$.fields"),
        (vec![field("d:99,0", 2, 0)], list(vec![]), Code::Unconvertible, "$.fields"),
        (vec![field("i", 2, 0), field("i", 2, 0)], list(vec![]), Code::Unconvertible, "$.fields"),
        (vec![], list(vec![]), Code::Unconvertible, "$.fields"),
        (vec![int(1)], list(vec![]), Code::Unconvertible, "$.fields"),
        (
            vec![field("+s", 0, 1), field("l", 2, 0)],
            list(vec![record("y")]),
            Code::Unconvertible,
            "$.rows[0]",
        ),
        (
            vec![field("+s", 0, 1), field("l", 2, 0)],
            list(vec![record("x")]),
            Code::Unconvertible,
            "$.rows[0].x",
        ),
        (
            vec![field("u", 0, 0)],
            list(vec![Value::Bytes(vec![0xFF])]),
            Code::Unconvertible,
            "$.rows[0]",
        ),
        (
            vec![field("+w:2", 0, 1), field("l", 2, 0)],
            list(vec![Value::list([int(1)])]),
            Code::Unconvertible,
            "$.rows[0]",
        ),
    ];
    for (fields, rows, code, path) in table {
        let message = message(fields.clone(), rows);
        let error = Arrays::read(&message, &mut Decoder::new()).unwrap_err();
        assert_eq!((error.code(), error.path()), (code, path), "{fields:?}: {error}");
    }
    for levels in [31, 32, 100_000] {
        let mut fields = vec![field("+l", 2, 1); levels];
        fields.push(field("i", 2, 0));
        let read = Arrays::read(&message(fields, Value::list([])), &mut Decoder::new());
        assert_eq!(read.is_ok(), levels < 32);
    }
}

#[test]
fn rows_that_no_bytes_are_behind_stay_within_the_budget() {
    let nulls = || Value::list((0..1000).map(|_| Value::Null));
    for fields in [
        vec![field("+w:2000000000", 2, 1), field("l", 2, 0)],
        vec![field("w:2000000000", 2, 0)],
        [vec![field("+s", 2, 60_000)], vec![field("l", 2, 0); 60_000]].concat(),
    ] {
        let limits = Limits::new().budget(1 << 24);
        let read = Arrays::read(&message(fields, nulls()), &mut Decoder::new().limits(limits));
        assert_eq!(read.unwrap_err().code(), Code::LimitBudget);
    }
}

#[test]
fn the_numbers_of_a_dictionary_have_words() {
    let mut fields = vec![field("c", 2, 0), field("u", 2, 0)];
    if let Value::Record(own) = &fields[0] {
        let mut all: Vec<(String, Value)> =
            own.iter().map(|(name, value)| (name.to_owned(), value.clone())).collect();
        all.push(("words".to_owned(), Value::from(true)));
        fields[0] = Value::record(all);
    }
    for (number, expected) in
        [(0, None), (1, Some(Code::Unconvertible)), (-1, Some(Code::Unconvertible))]
    {
        let words = Value::record([("0", Value::list([Value::from("a")]))]);
        let inside = Value::record([
            ("fields", Value::list(fields.clone())),
            ("words", words),
            ("rows", Value::list([Value::I8(number)])),
        ]);
        let value = Value::from(holdall::value::Extension::new("arrow.array", inside));
        let message = holdall::to_vec(&value).unwrap();
        let read = Arrays::read(&message, &mut Decoder::new());
        assert_eq!(read.err().map(|error| error.code()), expected);
    }
}

#[test]
fn columns_are_encoded_as_columns() {
    let numbers: Vec<i64> = (0..100_000).map(|n| 1_700_000_000 + n * 60).collect();
    let batch =
        RecordBatch::try_from_iter([("at", Arc::new(Int64Array::from(numbers)) as ArrayRef)]);
    let batch = batch.unwrap();
    let mut arrays = Arrays::of_batches(&batch.schema(), [batch.clone()]);
    let message = Encoder::new().profile(Profile::Balanced).message(&mut arrays).unwrap();
    assert!(message.len() < 1000, "{} bytes", message.len());
}
