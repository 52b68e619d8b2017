//! Reads blocks ahead: threads read their columns while the values before them are made.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::{process, thread};

use holdall_format::stream::StoredBlock;

use super::block::{Block, ReadColumns};
use crate::column::ahead::usable_threads;
use crate::error::Error;

/// The blocks in memory for each thread: one whose columns it reads, and one that waits.
const BLOCKS_PER_THREAD: usize = 2;

/// Blocks that are not returned yet, in the order of the stream.
#[derive(Default)]
pub(super) struct BlocksAhead {
    /// How many threads to use, that of the reader among them; below 2, none reads ahead.
    count: usize,
    /// From the first block on.
    threads: Option<Threads>,
    waiting: VecDeque<Waiting>,
}

struct Threads {
    jobs: Sender<Job>,
    /// The process that has them: one that it forks has not.
    process: u32,
}

impl Threads {
    /// Starts as many as there are beside that of the reader, which makes values meanwhile.
    fn start(count: usize) -> Threads {
        let (jobs, taken) = channel();
        let taken = Arc::new(Mutex::new(taken));
        for _ in 1..count {
            let taken = Arc::clone(&taken);
            // Where the system starts no more threads, those that there are do the work, or the reader itself.
            if thread::Builder::new().spawn(move || read_all(&taken)).is_err() {
                break;
            }
        }
        Threads { jobs, process: process::id() }
    }
}

/// A block whose columns to read, and where to send them.
type Job = (Arc<StoredBlock>, Sender<ReadColumns>);

enum Waiting {
    Block(Block, Option<Receiver<ReadColumns>>),
    /// What is wrong behind the blocks.
    Failed(Error),
}

impl BlocksAhead {
    /// Sets how many threads to use; 0 for as many as the machine runs at once. One reads none ahead.
    pub(super) fn set_threads(&mut self, threads: usize) {
        self.count = usable_threads(threads);
        self.threads = None;
    }

    /// Whether another block is to be read before one is returned.
    pub(super) fn wants_more(&self, follows: bool) -> bool {
        let most = if follows || self.count < 2 { 1 } else { BLOCKS_PER_THREAD * self.count };
        self.waiting.len() < most && !matches!(self.waiting.back(), Some(Waiting::Failed(_)))
    }

    /// Adds a block. That of a reader that follows is returned next, so its columns are read with the values.
    pub(super) fn add(&mut self, block: Block, follows: bool) {
        self.forget_lost_threads();
        let columns = (self.count >= 2 && !follows).then(|| {
            let threads = self.threads.get_or_insert_with(|| Threads::start(self.count));
            let (done, columns) = channel();
            // Without any thread, nothing is sent, and the columns are read with the values.
            let _ = threads.jobs.send((block.stored(), done));
            columns
        });
        self.waiting.push_back(Waiting::Block(block, columns));
    }

    /// After a fork the threads are in the other process, which nothing can be awaited from.
    fn forget_lost_threads(&mut self) {
        if self.threads.as_ref().is_none_or(|threads| threads.process == process::id()) {
            return;
        }
        (self.count, self.threads) = (1, None);
        for waiting in &mut self.waiting {
            if let Waiting::Block(_, columns) = waiting {
                *columns = None;
            }
        }
    }

    pub(super) fn fail(&mut self, error: Error) {
        self.waiting.push_back(Waiting::Failed(error));
    }

    /// The next block, without its columns.
    pub(super) fn first(&self) -> Option<&Block> {
        match self.waiting.front()? {
            Waiting::Block(block, _) => Some(block),
            Waiting::Failed(_) => None,
        }
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// Takes the next block, once its columns are read, or the error behind all.
    pub(super) fn next(&mut self) -> Option<Result<Block, Error>> {
        self.forget_lost_threads();
        Some(match self.waiting.pop_front()? {
            Waiting::Failed(error) => Err(error),
            Waiting::Block(mut block, columns) => {
                // A thread that panicked sends nothing: then the reader meets the same panic.
                if let Some(Ok(columns)) = columns.map(|columns| columns.recv()) {
                    block.set_columns(columns);
                }
                Ok(block)
            }
        })
    }
}

/// Reads the columns of one block after the other, until the reader is dropped.
fn read_all(jobs: &Mutex<Receiver<Job>>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((block, done)) = job else { return };
        // A reader that was dropped waits for nothing.
        let _ = done.send(ReadColumns::of(block));
    }
}
