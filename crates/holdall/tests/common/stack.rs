//! A stack small enough to expose recursion on the depth of a value.

/// The depth of a deep value: this many stack frames of at least 16 bytes are three times the size of the stack.
pub const DEPTH: usize = 100_000;

/// Runs a test on a stack of 512 KiB.
pub fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(test).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
