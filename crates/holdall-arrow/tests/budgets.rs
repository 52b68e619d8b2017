//! The law of budgets: all columns of a batch together take no more than one.

use std::sync::Arc;

use holdall::view::Bytes;
use holdall::{Code, Decoder, Error, Limits, Schema, Value, WriterOptions};
use holdall_arrow::{OnUnmappable, Scan};

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
    let mut rows = 0;
    for batch in batches {
        let batch = batch.map_err(|error| match error {
            arrow_schema::ArrowError::ExternalError(error) => {
                error.downcast_ref::<Error>().map_or(Code::Unsupported, Error::code)
            }
            other => panic!("{other}"),
        })?;
        rows += batch.num_rows();
    }
    Ok(rows)
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
    // Arrow stores 8 bytes for each row without a number.
    let absent = 8 * ROWS as u64 / 2;
    assert!(least.unwrap().abs_diff(whole.unwrap() + absent) <= 1000);
}

#[test]
fn rows_that_only_arrow_stores_are_charged() {
    let inside = Value::record((0..50).map(|n| (format!("c{n}"), Value::from(1.5))));
    let row = |value| Value::record([("inside", value)]);
    let mut all = vec![row(Value::Null); ROWS - 1];
    all.push(row(inside.clone()));
    let message = holdall::to_vec(&Value::list(all)).unwrap();
    let limits = Limits::new().budget(400_000);
    assert!(Decoder::new().limits(limits).decode::<Value>(&message).is_ok());
    assert_eq!(rows(&scan(&message, 400_000)), Err(Code::LimitBudget));
    assert_eq!(rows(&scan(&message, 8 * ROWS as u64 * 54)), Ok(ROWS));

    // The first block has none of the columns.
    let mut writer = WriterOptions::new().block_values(ROWS as u64).to(Vec::new()).unwrap();
    (0..ROWS).try_for_each(|_| writer.write(&Value::record([("other", Value::Null)]))).unwrap();
    writer.write(&inside).unwrap();
    let stream = writer.finish().unwrap();
    assert_eq!(rows(&scan(&stream, 400_000)), Err(Code::LimitBudget));
    assert_eq!(rows(&scan(&stream, 8 * ROWS as u64 * 54)), Ok(ROWS + 1));
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
    let limits = Limits::new().budget(1 << 40);
    assert!(Decoder::new().limits(limits).view(&message).is_ok());
    assert_eq!(rows(&scan(&message, 1 << 40)), Err(Code::LimitBudget));
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
