//! What the fuzz targets share. Each file in `bin` is a target, which states its laws at its head.

/// What they share with the tests.
#[path = "../../crates/holdall/tests/common"]
pub mod common {
    pub mod chance;
    pub mod mutate;
    pub mod refusals;
    mod varint;

    pub use varint::varint;
}
pub mod frames;
pub mod items;
pub mod mutator;
pub mod pair;

use holdall::{Error, Limits};

/// Limits with which hostile input takes little time. Another encoding of a value can need a larger budget than the
/// input's length gives, so the budget is the same for all.
pub fn limits() -> Limits {
    Limits::new().budget(1 << 22)
}

/// An error as readers of the same bytes must agree on it.
pub fn fault(error: &Error) -> (&'static str, Option<u64>, String) {
    (error.code().as_str(), error.offset(), error.path().to_owned())
}

/// The target of a format whose input, if it packs, unpacks to input that packs to the same bytes.
#[macro_export]
macro_rules! packs_stably {
    ($format:ident) => {
        libfuzzer_sys::fuzz_target!(|input: &[u8]| {
            let Ok(bytes) = $format::pack(input) else {
                return;
            };
            let unpacked = $format::unpack(&bytes).expect("what was packed unpacks");
            let again = $format::pack(&unpacked).expect("what was unpacked packs");
            assert!(bytes == again, "packing is not stable");
        });
    };
}
