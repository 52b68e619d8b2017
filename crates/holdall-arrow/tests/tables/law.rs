//! The law of tables: of any bytes, a table has the rows that a reader of the whole gives, or both refuse the bytes. The fuzz
//! target `scans` checks it, too.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use holdall::view::Bytes;
use holdall::{Code, Decoder, Error, Limits, Reader, Value};
use holdall_arrow::{OnUnmappable, Scan};

const BUDGET: u64 = 1 << 20;

/// The error behind one of Arrow's.
pub fn own(error: ArrowError) -> Error {
    match error {
        ArrowError::ExternalError(error) => *error.downcast().expect("an error of holdall"),
        other => panic!("{other}"),
    }
}

fn batches(scan: &Scan) -> Result<Vec<RecordBatch>, Error> {
    scan.batches()?.map(|batch| batch.map_err(own)).collect()
}

fn is_stream(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xC1, 0xF1])
}

/// The number of items of the whole; none if it is no list.
fn whole(bytes: &[u8], decoder: &Decoder, limits: Limits) -> Result<Option<usize>, Error> {
    if is_stream(bytes) {
        let mut reader = Reader::new(bytes).whole(true).limits(limits);
        let values: Result<Vec<Value>, _> = reader.values().collect();
        return Ok(Some(values?.len()));
    }
    Ok(match decoder.clone().decode(bytes)? {
        Value::List(items) => Some(items.len()),
        Value::Array(items) => Some(items.len()),
        _ => None,
    })
}

/// What a reader of the whole checks and a view does not.
fn is_of_the_whole(code: Code) -> bool {
    matches!(
        code,
        Code::BadChecksum
            | Code::TrailingBytes
            | Code::DuplicateKey
            | Code::UnreachableRows
            | Code::LimitBudget
            | Code::LimitDepth
    )
}

/// The bytes, or the first of them.
fn shown(bytes: &[u8]) -> String {
    format!("{:02X?} of {}", &bytes[..bytes.len().min(300)], bytes.len())
}

/// Checks a table of bytes that may be damaged. Returns whether there is one.
pub fn check(bytes: &[u8]) -> bool {
    let limits = Limits::new().budget(BUDGET);
    let decoder = Decoder::new().limits(limits);
    let Ok(view) = decoder.view(Bytes::owned(bytes.to_vec())) else { return false };
    // A list in a definition is one value.
    let has_items = is_stream(bytes) || view.root().items().is_ok();
    let (scan, whole) = (Scan::new(Arc::new(view)), whole(bytes, &decoder, limits));
    for how in [OnUnmappable::Drop, OnUnmappable::Binary] {
        let table = batches(&scan.clone().on_unmappable(how));
        if let (Err(error), Ok(_)) = (table, &whole) {
            assert!(is_arrows_own(&error), "{}: {error}", shown(bytes));
        }
    }
    let table = batches(&scan);
    match (&table, &whole) {
        (Ok(batches), Ok(Some(len))) if has_items => {
            let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
            assert_eq!(rows, *len, "{}", shown(bytes));
        }
        // A view trusts the index of a stream.
        (Ok(_), Err(_)) if is_stream(bytes) => {}
        (Ok(_), Err(error)) => assert!(is_of_the_whole(error.code()), "{}: {error}", shown(bytes)),
        (Err(error), Ok(_)) => assert!(is_arrows_own(error), "{}: {error}", shown(bytes)),
        _ => {}
    }
    table.is_ok()
}

/// Whether Arrow has no place for what holdall can hold.
fn is_arrows_own(error: &Error) -> bool {
    matches!(
        error.code(),
        Code::Unsupported
            | Code::UnsupportedValue
            | Code::Unconvertible
            | Code::LimitBudget
            | Code::Incompatible
    )
}
