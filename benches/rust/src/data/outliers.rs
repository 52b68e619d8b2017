//! Numbers that are mostly small, with a few of any size: latencies in microseconds, by host and code.

use holdall_bench_measure::random::Random;

use super::owned;

owned! {
    #[derive(Copy)]
    pub struct Request {
        pub host: u16,
        pub code: u16,
        pub micros: u64,
        pub bytes: i64,
        pub delay: i32,
    }
}

#[must_use]
pub fn make(count: usize, seed: u64) -> Vec<Request> {
    let random = &mut Random(seed);
    (0..count).map(|_| request(random)).collect()
}

fn request(random: &mut Random) -> Request {
    let rare = random.one_in(200);
    Request {
        host: random.below(40) as u16,
        code: if rare { random.below(65_536) as u16 } else { 200 },
        micros: if rare { random.bits() >> 8 } else { 80 + random.skewed(400) },
        bytes: if random.one_in(100) { -1 } else { random.skewed(4_000) as i64 },
        delay: if rare { random.bits() as i32 } else { random.below(16) as i32 - 8 },
    }
}
