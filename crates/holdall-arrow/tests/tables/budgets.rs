//! The law of budgets: all columns of a batch together take no more than one.

use std::sync::Arc;

use holdall::view::Bytes;
use holdall::{Code, Decoder, Encoder, Limits, Profile, Schema, Value, View, WriterOptions};
use holdall_arrow::{OnUnmappable, Scan};

use super::law::own;

const ROWS: usize = 10_000;

fn records(fields: usize, value: &Value) -> Value {
    let row = Value::record((0..fields).map(|n| (format!("c{n}"), value.clone())));
    Value::list(vec![row; ROWS])
}

/// Rows of a message, read within a budget.
fn scan(message: &[u8], budget: u64) -> Scan {
    let decoder = Decoder::new().limits(Limits::new().budget(budget));
    Scan::new(Arc::new(decoder.view(Bytes::owned(message.to_vec())).unwrap()))
}

/// The rows of all batches, or the code of the first error.
fn rows(scan: &Scan) -> Result<usize, Code> {
    let batches = scan.batches().map_err(|error| error.code())?;
    let each = batches.map(|batch| batch.map(|batch| batch.num_rows()));
    each.sum::<Result<usize, _>>().map_err(|error| own(error).code())
}

#[test]
fn all_columns_of_a_batch_share_a_budget() {
    let message = holdall::to_vec(&records(50, &Value::from(7))).unwrap();
    let least = 8 * ROWS as u64 * 51;
    assert_eq!(rows(&scan(&message, least)), Ok(ROWS));
    assert_eq!(rows(&scan(&message, least - 1)), Err(Code::LimitBudget));
    assert!(scan(&message, least - 1).array().is_err());
    let some = |budget| scan(&message, budget).columns(["c3", "c30"]);
    assert_eq!(rows(&some(8 * ROWS as u64 * 3)), Ok(ROWS));
    assert_eq!(rows(&some(8 * ROWS as u64 * 3 - 1)), Err(Code::LimitBudget));
}

#[test]
fn a_column_that_is_read_more_than_once_is_charged_once() {
    // A scan reads which rows have a value for the schema, for each column, and for the rows.
    let pair = |a: Value| Value::record([("a", a), ("b", Value::from("text"))]);
    let both = (0..ROWS).map(|n| pair(if n % 2 == 0 { Value::Null } else { Value::from(1) }));
    let message = holdall::to_vec(&Value::list(both)).unwrap();
    let least = (1..).map(|n| n * 1000).find(|units| rows(&scan(&message, *units)).is_ok());
    let whole = (1..).map(|n| n * 1000).find(|units| {
        let limits = Limits::new().budget(*units);
        Decoder::new().limits(limits).decode::<Value>(&message).is_ok()
    });
    assert!(least.unwrap().abs_diff(whole.unwrap()) <= 1000);
}

#[test]
fn rows_that_only_arrow_stores_take_up_to_32_bytes_a_unit() {
    let inside = Value::record((0..50).map(|n| (format!("c{n}"), Value::from(1.5))));
    let row = |value| Value::record([("inside", value)]);
    let mut all = vec![row(Value::Null); ROWS - 1];
    all.push(row(inside.clone()));
    let message = holdall::to_vec(&Value::list(all)).unwrap();
    // An option and 50 numbers of 8 bytes; the stream's block has no column for any of them.
    let absent = 8 * 50 * ROWS as u64;
    let (few, enough) = (absent / 32 - 1000, absent / 32 + 30 * ROWS as u64);
    assert_eq!(rows(&scan(&message, few)), Err(Code::LimitBudget));
    assert_eq!(rows(&scan(&message, enough)), Ok(ROWS));

    let mut writer = WriterOptions::new().block_values(ROWS as u64).to(Vec::new()).unwrap();
    (0..ROWS).try_for_each(|_| writer.write(&Value::record([("other", Value::Null)]))).unwrap();
    writer.write(&inside).unwrap();
    let stream = writer.finish().unwrap();
    assert_eq!(rows(&scan(&stream, few)), Err(Code::LimitBudget));
    assert_eq!(rows(&scan(&stream, enough)), Ok(ROWS + 1));
}

#[test]
fn sparse_rows_that_are_written_by_default_are_a_table_by_default() {
    let row = |n: usize| {
        let own = if n.is_multiple_of(10_000) { 60 } else { 0 };
        let cells = (0..own).map(|field| (format!("c{field}"), Value::from(1.5)));
        Value::record(cells.chain([("id".to_owned(), Value::from(7))]))
    };
    let rows_of = Value::list((0..200_000).map(row));
    let message = Encoder::new().profile(Profile::Balanced).encode(&rows_of).unwrap();
    // So the default budget is the least one.
    assert!(message.len() < 60_000, "{}", message.len());
    let view = View::new(Bytes::owned(message)).unwrap();
    assert_eq!(rows(&Scan::new(Arc::new(view))), Ok(200_000));
}

#[test]
fn fields_that_shapes_leave_out_are_charged() {
    // list(record) with the shapes [] and [0]: all rows have the first. For each field, a byte of each row says which have it.
    let fields = 1000_usize;
    let mut message = vec![0xC1, 0x10, 0x16, 0x1A];
    // A varint of two bytes.
    let two = |number: usize| (number as u16 * 4 + 1).to_le_bytes();
    message.extend(two(4 * fields + 1));
    for field in 0..fields {
        message.push(8 << 1);
        message.extend(format!("{field:04}").bytes());
        message.push(0x01);
    }
    message.extend([2_u8, 0, 1, 0].map(|shape| shape << 1));
    message.extend(two(ROWS));
    message.push(0);
    let least = (fields * ROWS) as u64 / 32;
    assert_eq!(rows(&scan(&message, least - 1)), Err(Code::LimitBudget));
    assert_eq!(rows(&scan(&message, least)), Ok(ROWS));
    // Unused columns cost nothing.
    let some = scan(&message, least - 1).columns(["0007"]);
    assert_eq!(rows(&some), Ok(ROWS));
}

#[test]
fn items_of_absent_arrays_are_charged_before_they_are_made() {
    let mut all = vec![Value::Null; ROWS - 1];
    all.push(Value::Array(vec![].into()));
    let mut message = holdall::to_vec(&Value::list(all)).unwrap();
    // The type of the items is never, and follows the length.
    let at = message.windows(3).position(|bytes| bytes == [0x15, 0x17, 0x00]).unwrap();
    let longer: Schema = "option(array(1073741824, null))".parse().unwrap();
    message.splice(at..at + 4, longer.as_bytes()[1..].to_vec());
    assert_eq!(rows(&scan(&message, 1 << 36)), Err(Code::LimitBudget));
}

#[test]
fn rows_as_text_of_json_share_a_budget() {
    let unlike = Value::list((0..10_i64).map(|n| match n % 2 {
        0 => Value::from(n),
        _ => Value::from("text"),
    }));
    let message = holdall::to_vec(&records(1, &unlike)).unwrap();
    let limited = |budget| scan(&message, budget).on_unmappable(OnUnmappable::Json);
    assert_eq!(rows(&limited(1_000_000)), Err(Code::LimitBudget));
    assert_eq!(rows(&limited(8_000_000)), Ok(ROWS));
}
