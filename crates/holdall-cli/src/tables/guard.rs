//! Panics of the crates for Parquet and Arrow, which have asserts that damaged files fail.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use holdall::Result;

use super::failed;

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Runs code of these crates. A panic in it is an error of the file, and nothing is printed.
///
/// What the code had in hand may be unusable after an error, so it must be dropped.
pub(super) fn guarded<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    HOOK.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                print(panic);
            }
        }));
    });
    IS_GUARDED.set(true);
    let done = catch_unwind(AssertUnwindSafe(run));
    IS_GUARDED.set(false);
    done.unwrap_or_else(|_| Err(failed("a damaged file")))
}
