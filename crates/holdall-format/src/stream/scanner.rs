//! Finds frames in bytes that arrive in pieces, and reports bytes that are not a frame (F-82, F-83, F-89).

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::damage::Damage;
use super::frame::{HEAD, Head, PREAMBLE, SEQUENCE, SHORTEST, SIGNATURE, Sync, check, no_frame};
use crate::error::{Code, Error, LooksLike, Result};
use crate::memory;

/// Bytes that were consumed are dropped once there are this many.
const DROPPED: usize = 1 << 16;

/// Takes bytes and yields frames.
#[derive(Debug)]
pub struct Scanner {
    buffer: Vec<u8>,
    /// Where the next frame is expected in the buffer.
    start: usize,
    /// The offset of the buffer's first byte in the stream.
    base: u64,
    sync: Option<Sync>,
    /// The sequence of the next frame.
    next: u64,
    limit: u64,
    /// Whether to continue after bytes that are not a frame.
    goes_on: bool,
    /// Where the damage began, while the next frame is searched for.
    lost: Option<(u64, Error)>,
    /// Whether the input ended within a frame, or during the search for one.
    is_cut_off: bool,
    /// Whether frames are accepted with any sequence.
    in_any_order: bool,
}

/// The next result of a scan.
#[derive(Debug)]
pub enum Step {
    /// At least this many more bytes are needed.
    More(usize),
    /// A complete frame, and its offset.
    Frame(Head, u64),
    Damage(Damage),
    /// There are no more bytes.
    Nothing,
}

/// The bytes at the place of a frame.
enum Found {
    More(usize),
    Whole(Head),
    Nothing,
    Bad(Error),
    /// The input ended within a frame whose bytes so far are right.
    Cut(Error),
}

impl Scanner {
    pub fn new(limit: u64, goes_on: bool) -> Scanner {
        Scanner {
            buffer: Vec::new(),
            start: 0,
            base: 0,
            sync: None,
            next: 0,
            limit,
            goes_on,
            lost: None,
            is_cut_off: false,
            in_any_order: false,
        }
    }

    /// A scanner that starts in the middle of a stream, at a frame of this sequence.
    pub fn within(mut self, sync: Sync, at: u64, next: u64) -> Scanner {
        (self.sync, self.base, self.next) = (Some(sync), at, next);
        self
    }

    /// A scanner that yields all intact frames.
    pub fn in_any_order(self) -> Scanner {
        Scanner { in_any_order: true, ..self }
    }

    pub fn set(&mut self, limit: u64, goes_on: bool) {
        (self.limit, self.goes_on) = (limit, goes_on);
    }

    /// Whether the last bytes of the input were reported as damage: with the code `truncated`, if they are the beginning of a
    /// frame.
    pub fn is_cut_off(&self) -> bool {
        self.is_cut_off
    }

    pub fn sync(&self) -> Option<Sync> {
        self.sync
    }

    /// The sequence of the next frame.
    pub fn next_sequence(&self) -> u64 {
        self.next
    }

    /// The offset of the next frame in the stream.
    pub fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// The offset after all bytes so far.
    pub fn end(&self) -> u64 {
        self.base + self.buffer.len() as u64
    }

    /// The buffer for more bytes.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Drops the bytes of an incomplete frame, which will be delivered a second time.
    pub fn rewind(&mut self) {
        let at = self.lost.take().map_or_else(|| self.offset(), |(at, _)| at);
        (self.base, self.start) = (at, 0);
        self.buffer.clear();
    }

    /// The next result. At the end of the input, it uses the bytes that are there.
    pub fn step(&mut self, ended: bool) -> Result<Step> {
        let sync = match self.sync {
            Some(sync) => sync,
            None => match self.preamble(ended)? {
                Ok(sync) => sync,
                Err(more) => return Ok(more),
            },
        };
        loop {
            let at = self.offset();
            match self.find(sync, ended) {
                Found::More(bytes) => return Ok(Step::More(bytes)),
                Found::Whole(head) => return Ok(self.whole(head, at)),
                Found::Nothing => {
                    return Ok(match self.lost.take() {
                        Some((from, error)) => {
                            self.is_cut_off = true;
                            Step::Damage(Damage::new(from, at - from, error))
                        }
                        None => Step::Nothing,
                    });
                }
                Found::Bad(error) | Found::Cut(error) if self.goes_on => {
                    self.lost.get_or_insert((at, error));
                    self.start += 1;
                    self.start += candidate(&self.buffer[self.start..], sync);
                    self.drop_done();
                }
                Found::Bad(error) => return Ok(Step::Damage(Damage::new(at, 0, error))),
                Found::Cut(error) => {
                    self.is_cut_off = true;
                    return Ok(Step::Damage(Damage::new(at, 0, error)));
                }
            }
        }
    }

    /// Checks the beginning of a stream (F-81).
    fn preamble(&mut self, ended: bool) -> Result<Result<Sync, Step>> {
        let bytes = &self.buffer[..];
        let expected = |code, at, got: String| {
            let guess = match code {
                Code::BadMagic => LooksLike::of(bytes),
                // The version of a message (F-7).
                Code::BadVersion if bytes[1] >> 4 == 1 => Some(LooksLike::Message),
                _ => None,
            };
            Err(Error::in_stream(code, at)
                .expected("the beginning of a stream")
                .got(got)
                .looking_like(guess))
        };
        let hex = |at: usize| format!("{:02X}", bytes[at]);
        if !bytes.is_empty() && bytes[0] != SIGNATURE[0] {
            return expected(Code::BadMagic, 0, hex(0));
        }
        if bytes.len() > 1 && bytes[1] != SIGNATURE[1] {
            return expected(Code::BadVersion, 1, hex(1));
        }
        if bytes.len() >= 8 && bytes[..8] != SIGNATURE {
            return expected(Code::BadMagic, 2, "other bytes".to_owned());
        }
        if let Some(sync) = bytes.get(8..).and_then(|rest| rest.first_chunk()) {
            self.sync = Some(*sync);
            self.start = PREAMBLE;
            return Ok(Ok(*sync));
        }
        if !ended {
            return Ok(Err(Step::More(PREAMBLE - bytes.len())));
        }
        // The items are two single bytes, the rest of the signature, the sync (F-2).
        let item = match bytes.len() {
            len @ 0..2 => len,
            2..8 => 2,
            _ => 8,
        };
        expected(Code::Truncated, item as u64, format!("{} bytes", bytes.len()))
    }

    /// Examines the bytes at the place of a frame.
    fn find(&self, sync: Sync, ended: bool) -> Found {
        let (rest, at) = (&self.buffer[self.start..], self.offset());
        let seen = rest.len().min(sync.len());
        if rest[..seen] != sync[..seen] && (seen == sync.len() || self.lost.is_some()) {
            return Found::Bad(no_frame(at));
        }
        if rest.is_empty() && ended {
            return Found::Nothing;
        }
        let cut_off = |len: u64, of: u64| {
            Found::Cut(
                Error::in_stream(Code::Truncated, of)
                    .expected(format!("{len} bytes of a frame"))
                    .got(format!("{} bytes", rest.len())),
            )
        };
        let Some(bytes) = rest.first_chunk::<HEAD>() else {
            // No frame is shorter, so these bytes all belong to this one.
            return if ended {
                cut_off(HEAD as u64, at + if seen < 8 { 0 } else { 8 })
            } else {
                Found::More(SHORTEST - rest.len())
            };
        };
        let head = match Head::read(bytes, sync, at) {
            Ok(head) => head,
            Err(error) => return Found::Bad(error),
        };
        if let Err(error) = head.check_len(at, self.limit) {
            return Found::Bad(error);
        }
        let len = head.frame_len();
        if (rest.len() as u64) < len {
            return match ended {
                true => cut_off(len, at + HEAD as u64),
                // Within the limit, so it fits.
                false => Found::More((len - rest.len() as u64) as usize),
            };
        }
        match check(&rest[..len as usize], &head, at) {
            Ok(()) => Found::Whole(head),
            Err(error) => Found::Bad(error),
        }
    }

    /// Checks whether an intact frame is the next one.
    fn whole(&mut self, head: Head, at: u64) -> Step {
        let (next, own) = (self.next, head.sequence);
        let found = |code| {
            Error::in_stream(code, at + SEQUENCE)
                .expected(format!("frame {next}"))
                .got(format!("frame {own}"))
        };
        if self.in_any_order {
            return match self.lost.take() {
                Some((from, error)) => Step::Damage(Damage::new(from, at - from, error)),
                None => Step::Frame(head, at),
            };
        }
        if let Some((from, error)) = self.lost.take() {
            let missing = next..own.max(next);
            self.next = missing.end;
            return Step::Damage(Damage::new(from, at - from, error).without(missing));
        }
        if own < next {
            let len = head.frame_len();
            if self.goes_on {
                self.pass(&head);
            }
            return Step::Damage(Damage::new(at, len, found(Code::RepeatedFrame)));
        }
        if own > next {
            if self.goes_on {
                self.next = own;
            }
            return Step::Damage(Damage::new(at, 0, found(Code::MissingFrames)).without(next..own));
        }
        Step::Frame(head, at)
    }

    /// The payload of the next frame, which is complete.
    pub fn payload(&self, head: &Head) -> &[u8] {
        let start = self.start + HEAD;
        &self.buffer[start..start + head.len as usize]
    }

    /// Continues after an intact frame.
    pub fn pass(&mut self, head: &Head) {
        self.start += head.frame_len() as usize;
        self.next = self.next.max(head.sequence + 1);
        self.drop_done();
    }

    /// Continues after it, and returns the payload's bytes: without a copy, if no bytes follow it.
    pub fn take(&mut self, head: &Head) -> (Vec<u8>, Range<usize>) {
        let start = self.start + HEAD;
        let range = start..start + head.len as usize;
        let end = self.start + head.frame_len() as usize;
        self.next = self.next.max(head.sequence + 1);
        if end == self.buffer.len() {
            self.base += end as u64;
            self.start = 0;
            return (core::mem::take(&mut self.buffer), range);
        }
        let payload = memory::copied(&self.buffer[range]);
        self.start = end;
        self.drop_done();
        let len = payload.len();
        (payload, 0..len)
    }

    /// The bytes after the frames that were taken, which do not belong to the stream.
    pub fn into_rest(self) -> Vec<u8> {
        let mut rest = self.buffer;
        rest.drain(..self.start);
        rest
    }

    fn drop_done(&mut self) {
        if self.start == self.buffer.len() {
            self.base += self.start as u64;
            self.start = 0;
            self.buffer.clear();
        } else if self.start >= DROPPED && self.start > self.buffer.len() / 2 {
            // During a search the bytes before it are no longer needed: the offset of the damage is known.
            self.base += self.start as u64;
            self.buffer.drain(..self.start);
            self.start = 0;
        }
    }
}

/// Where a frame could begin in some bytes: at a sync, or at the beginning of a sync that is cut off.
fn candidate(bytes: &[u8], sync: Sync) -> usize {
    let whole = bytes.windows(sync.len()).position(|window| window == sync);
    whole.unwrap_or_else(|| {
        let tail = bytes.len().saturating_sub(sync.len() - 1);
        let cut_off = (tail..bytes.len()).find(|at| sync.starts_with(&bytes[*at..]));
        cut_off.unwrap_or(bytes.len())
    })
}
