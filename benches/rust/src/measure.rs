//! Times a case, with all peers in turn.

use std::time::Duration;

use holdall_bench_measure::time::{Task, medians};

use crate::case::{Case, Entry, Operation};
use crate::memory::{self, Memory};

/// The minimum time for one operation of one case, all peers together.
const LEAST_TIME: Duration = Duration::from_millis(500);

/// The level of zstd for all messages.
pub const ZSTD_LEVEL: i32 = 3;

/// The results of one peer in a case.
pub struct Figures {
    /// The peer's name.
    pub peer: &'static str,
    /// Whether it is holdall.
    pub ours: bool,
    /// Whether it aims at few bytes.
    pub small: bool,
    /// Medians, in the order of [`Operation::ALL`].
    pub times: [Option<Duration>; 4],
    /// The size of its message.
    pub bytes: usize,
    /// The size of its message after zstd.
    pub zstd: usize,
    /// The allocations of writing into new memory.
    pub writing: Memory,
    /// The allocations of reading, including the value.
    pub reading: Memory,
}

/// The allocations of one run of an operation, once the peer has filled its caches.
fn memory_of(entry: &mut Entry, operation: Operation) -> Memory {
    let Some(op) = entry.op(operation) else { return Memory::default() };
    op.run(1);
    memory::measure(|| op.run(1))
}

/// The results of a case.
pub struct Measured {
    /// The case's name.
    pub name: &'static str,
    /// The data in a few words.
    pub about: String,
    /// The peers.
    pub peers: Vec<Figures>,
    /// The time to copy holdall's bytes.
    pub copy: Duration,
    /// The time to clone the value and drop it.
    pub clone: Duration,
}

impl Measured {
    /// The ways to use holdall.
    pub fn ours(&self) -> impl Iterator<Item = &Figures> {
        self.peers.iter().filter(|peer| peer.ours)
    }
}

/// Measures everything in a case.
#[must_use]
pub fn measure(case: &mut Case) -> Measured {
    let mut peers: Vec<Figures> = case
        .entries
        .iter_mut()
        .map(|entry| Figures {
            peer: entry.peer,
            ours: entry.ours,
            small: entry.small,
            times: [None; 4],
            bytes: entry.bytes.len(),
            zstd: zstd::bulk::compress(&entry.bytes, ZSTD_LEVEL).expect("zstd takes all").len(),
            writing: memory_of(entry, Operation::Fresh),
            reading: memory_of(entry, Operation::Deserialize),
        })
        .collect();

    let (mut copy, mut clone) = (Duration::ZERO, Duration::ZERO);
    for operation in Operation::ALL {
        let mut tasks = Vec::new();
        let mut who = Vec::new();
        for (index, entry) in case.entries.iter_mut().enumerate() {
            if let Some(op) = entry.op(operation) {
                tasks.push(Task::repeated(|times| op.run(times)));
                who.push(index);
            }
        }
        // The lower bounds come last.
        let floor = match operation {
            Operation::Serialize => Some((&mut case.copy, &mut copy)),
            Operation::Deserialize => Some((&mut case.clone, &mut clone)),
            Operation::Fresh | Operation::Borrow => None,
        };
        let floor = floor.map(|(op, time)| {
            tasks.push(Task::repeated(|times| op.run(times)));
            time
        });
        let times = medians(&mut tasks, LEAST_TIME);
        for (index, time) in who.iter().zip(&times) {
            peers[*index].times[operation as usize] = Some(*time);
        }
        if let Some(floor) = floor {
            *floor = times[who.len()];
        }
    }
    Measured { name: case.name, about: case.about.clone(), peers, copy, clone }
}
