//! Counts allocations, and the peak of memory in use.

use std::hint::black_box;

use holdall_bench_rust::memory::{Counting, Memory, measure};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let memory = measure(|| {
        let first = black_box(vec![0_u8; 1000]);
        drop(first);
        let second = black_box(vec![0_u8; 600]);
        let mut third = black_box(Vec::<u8>::with_capacity(300));
        third.reserve_exact(700);
        drop(black_box((second, third)));
    });
    assert_eq!(memory, Memory { allocations: 4, peak: 1300 });

    let kept = vec![0_u8; 100];
    let memory = measure(|| drop(black_box(kept)));
    assert_eq!(memory, Memory { allocations: 0, peak: 0 }, "what was there before");
}
