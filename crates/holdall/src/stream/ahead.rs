//! Reads the values of a stream by several threads: blocks are decoded while the values before them are taken.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::{self, Vec};
use core::panic::AssertUnwindSafe;
use std::io::Read;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::block::Block;
use super::reader::Reader;
use crate::column::ahead::usable_threads;
use crate::decoder::Decoder;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::typed::DecodeOwned;

/// The blocks in memory for each thread: one that it decodes, and one that waits.
const BLOCKS_PER_THREAD: usize = 2;

/// An iterator over the values of a stream, decoded by several threads. [`Reader::values_ahead`] creates it.
pub struct ValuesAhead<'r, R, T> {
    reader: &'r mut Reader<R>,
    jobs: Sender<Job<T>>,
    /// In the order of the stream.
    pending: VecDeque<Pending<T>>,
    most_pending: usize,
    ready: vec::IntoIter<T>,
}

/// A block to decode, and where to send its values.
type Job<T> = (Block, Sender<Decoded<T>>);

/// A block with its values, or what its decoding panicked with.
type Decoded<T> = thread::Result<(Block, Result<Vec<T>>)>;

enum Pending<T> {
    Block(Receiver<Decoded<T>>),
    /// What the reader reported behind the blocks.
    Failed(Error),
}

impl<R: Read> Reader<R> {
    /// Like [`Reader::values`], with blocks decoded ahead by threads of their own: 0 for as many as the machine runs at
    /// once. Values come in the order of the stream, and so do errors.
    ///
    /// Up to two blocks for each thread are in memory. [`Reader::position`] and [`Reader::damage`] count what was read
    /// ahead, and dropping the iterator drops those values. A reader that follows a growing stream reads only one block ahead.
    ///
    /// ```
    /// use holdall::{Reader, Writer};
    ///
    /// let mut writer = Writer::new(Vec::new())?;
    /// (0..1000).try_for_each(|n: u64| writer.write(&n))?;
    /// let bytes = writer.finish()?;
    ///
    /// let mut reader = Reader::new(&bytes[..]);
    /// let sum = reader.values_ahead::<u64>(0).sum::<Result<u64, _>>()?;
    /// assert_eq!(sum, 499_500);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    pub fn values_ahead<T: DecodeOwned + Send + 'static>(
        &mut self,
        threads: usize,
    ) -> ValuesAhead<'_, R, T> {
        let threads = usable_threads(threads);
        let (jobs, taken) = channel();
        let taken = Arc::new(Mutex::new(taken));
        for _ in 0..threads {
            let (taken, limits) = (Arc::clone(&taken), self.limits);
            // Where the system starts no more threads, those that there are do the work.
            if thread::Builder::new().spawn(move || decode_all::<T>(&taken, limits)).is_err() {
                break;
            }
        }
        let most_pending = if self.follow.is_some() { 1 } else { BLOCKS_PER_THREAD * threads };
        ValuesAhead {
            reader: self,
            jobs,
            pending: VecDeque::new(),
            most_pending,
            ready: Vec::new().into_iter(),
        }
    }
}

/// Decodes one block after the other, until the iterator is dropped.
fn decode_all<T: DecodeOwned>(jobs: &Mutex<Receiver<Job<T>>>, limits: Limits) {
    let mut decoder = Decoder::new().limits(limits);
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((block, done)) = job else { return };
        let decoded = catch_unwind(AssertUnwindSafe(|| {
            let values = block.decode_by::<T>(&mut decoder);
            (block, values)
        }));
        let has_panicked = decoded.is_err();
        // An iterator that was dropped waits for nothing.
        let _ = done.send(decoded);
        if has_panicked {
            decoder = Decoder::new().limits(limits);
        }
    }
}

impl<R: Read, T: DecodeOwned> ValuesAhead<'_, R, T> {
    /// Hands blocks to the threads, as many as may be in memory.
    fn read_ahead(&mut self) {
        while self.pending.len() < self.most_pending
            && !matches!(self.pending.back(), Some(Pending::Failed(_)))
        {
            match self.reader.next_block() {
                Ok(None) => return,
                Ok(Some(block)) => {
                    let (done, decoded) = channel();
                    // Without any thread, this one decodes.
                    if let Err(refused) = self.jobs.send((block, done)) {
                        let (block, done) = refused.0;
                        let values = block.decode_by::<T>(&mut self.reader.decoder);
                        let _ = done.send(Ok((block, values)));
                    }
                    self.pending.push_back(Pending::Block(decoded));
                }
                Err(error) => self.pending.push_back(Pending::Failed(error)),
            }
        }
    }

    fn next_values(&mut self) -> Result<Option<Vec<T>>> {
        loop {
            self.read_ahead();
            let decoded = match self.pending.pop_front() {
                None => return Ok(None),
                Some(Pending::Failed(error)) => return Err(error),
                Some(Pending::Block(decoded)) => decoded,
            };
            // A thread sends what it decoded, even a panic, before it ends.
            let Ok(decoded) = decoded.recv() else {
                return Err(Error::new(Code::Io)
                    .expected("the values of a block")
                    .got("a thread that ended without them"));
            };
            let (block, values) = decoded.unwrap_or_else(|payload| resume_unwind(payload));
            let taken = self.reader.taken(&block, values);
            if taken.is_err() {
                self.pending.clear();
            }
            if let Some(values) = taken? {
                return Ok(Some(values));
            }
        }
    }
}

impl<R: Read, T: DecodeOwned> Iterator for ValuesAhead<'_, R, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        loop {
            if let Some(value) = self.ready.next() {
                return Some(Ok(value));
            }
            match self.next_values() {
                Ok(Some(values)) => self.ready = values.into_iter(),
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
