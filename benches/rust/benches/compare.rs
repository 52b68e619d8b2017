//! holdall beside other serializers of Rust types.
//!
//! `cargo bench --bench compare -- logs mesh` measures the cases with that in their name. One process, all peers
//! interleaved.

use holdall_bench_rust::cases::{CASES, Size};
use holdall_bench_rust::memory::Counting;
use holdall_bench_rust::{measure, report};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The seed of all data.
const SEED: u64 = 1;

fn main() {
    // cargo passes `--bench`.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let mut all = Vec::new();
    for (name, make) in CASES {
        if wanted.is_empty() || wanted.iter().any(|part| name.contains(part)) {
            let measured = measure::measure(&mut make(Size::Full, SEED));
            println!("{}", report::details(&measured));
            all.push(measured);
        }
    }
    println!("{}", report::ratios(&all));
    println!("{}", report::ratios_to_bitcode(&all));
    print!("{}", report::losses(&all));
}
