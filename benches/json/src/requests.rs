//! The log of a server, by a seed.

use holdall::{Decode, Encode};
use holdall_bench_measure::random::Random;
use serde::{Deserialize, Serialize};

const STATUSES: [u16; 6] = [200, 200, 200, 304, 404, 500];

/// A request in the log of a server.
#[derive(Clone, Debug, PartialEq, Encode, Decode, Serialize, Deserialize)]
pub struct Request {
    /// Milliseconds since 1970.
    pub at: u64,
    /// An address.
    pub host: String,
    /// What was asked for.
    pub path: String,
    /// A status of HTTP.
    pub status: u16,
    /// The length of the answer.
    pub bytes: u32,
    /// How long it took.
    pub seconds: f64,
}

/// Returns this many requests, the same in every run.
///
/// # Panics
/// Never: all numbers are below their bounds.
#[must_use]
pub fn requests(count: u64) -> Vec<Request> {
    let random = &mut Random(1);
    let mut at = 1_700_000_000_000;
    let request = |_| {
        at += random.below(50);
        Request {
            at,
            host: format!("10.0.{}.{}", random.below(20), random.below(256)),
            path: format!("/shop/{}/item/{}", random.below(30), random.below(40_000)),
            status: STATUSES[usize::try_from(random.below(6)).expect("it is below 6")],
            bytes: u32::try_from(random.below(1 << 20)).expect("it is below 2^20"),
            seconds: random.below(3_000_000) as f64 / 1e6,
        }
    };
    (0..count).map(request).collect()
}
