//! Law: of any bytes, each column and row of a view is what a reader of the whole gives, or the fault is that reader's,
//! whether the bytes are in memory or read in parts.

#![no_main]

use holdall_fuzz::mutate_as;
use holdall_fuzz::mutator::Form;
use libfuzzer_sys::fuzz_target;

#[path = "../../../crates/holdall/tests/dynamic/views/law.rs"]
mod law;
#[path = "../../../crates/holdall/tests/dynamic/views/walk.rs"]
mod walk;

mutate_as!(Form::Either);

fuzz_target!(|bytes: &[u8]| {
    law::check(bytes);
});
