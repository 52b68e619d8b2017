//! Law: of any bytes, a table has the rows that a reader of the whole gives, or both refuse the bytes.

#![no_main]

use holdall_fuzz::mutate_as;
use holdall_fuzz::mutator::Form;
use libfuzzer_sys::fuzz_target;

#[path = "../../../crates/holdall-arrow/tests/tables/law.rs"]
mod law;

mutate_as!(Form::Either);

fuzz_target!(|bytes: &[u8]| {
    law::check(bytes);
});
