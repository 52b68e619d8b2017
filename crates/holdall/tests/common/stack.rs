//! A stack on which recursion on the depth of a value shows.

/// Levels of a deep value: so many frames, of 16 bytes at the least, are three times what the stack has.
pub const DEPTH: usize = 100_000;

/// Runs a test on a stack of 512 KiB.
pub fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(test).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
