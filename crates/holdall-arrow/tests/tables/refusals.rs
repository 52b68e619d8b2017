//! The law of refusals: damaged messages give a table the code and the offset that reading gives.

use std::sync::Arc;

use holdall::view::Bytes;
use holdall::{Code, Error, Value, View};
use holdall_arrow::Scan;

use super::law::own;

fn bytes(digits: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(digit).collect()
}

fn table(message: Vec<u8>) -> Result<(), Error> {
    let view = Arc::new(View::new(Bytes::owned(message))?);
    Scan::new(view).batches()?.try_for_each(|batch| batch.map(drop)).map_err(own)
}

#[test]
fn numbers_behind_a_marker_are_a_table() {
    // One u16, raw.
    table(bytes("c110050100100501")).unwrap();
}

#[test]
fn a_table_is_refused_as_reading_is() {
    for (digits, code) in [
        // Lengths of 2^63 and 5 items, of 2^63 - 1 and 1; of entries of maps.
        ("c11016160104ff00000000000000800a", Code::LimitBudget),
        ("c11016160104ffffffffffffffff7f02", Code::LimitBudget),
        ("c110161b040106ff0000000000000080ff00000000000000800205", Code::LimitBudget),
        // The same inside zstd.
        ("c110161601407009042028b52ffd600200100000c0020308006c", Code::LimitBudget),
        // 2 rows of a definition that is used 6 times, and the other way round.
        ("c11202161f001604040c0202b306", Code::DefinitionRowsMismatch),
        ("c11202161f001612040c020202026162", Code::DefinitionRowsMismatch),
        ("c11202161f001b1204040c0202020261620102", Code::DefinitionRowsMismatch),
        ("c11202161f00040c040102", Code::DefinitionRowsMismatch),
        // Rows of a type without values.
        ("c110180415020000", Code::NeverHasRows),
    ] {
        let message = bytes(digits);
        let read = holdall::from_slice::<Value>(&message).unwrap_err();
        let refused = table(message).expect_err(digits);
        assert_eq!((read.code(), refused.code()), (code, code), "{digits}: {refused}");
        assert_eq!(refused.offset(), read.offset(), "{digits}: {refused}");
    }
}
