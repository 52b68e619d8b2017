//! Input: bytes with a position, a window of a file, memory for decoded columns, a budget and a tracer.

#[cfg(feature = "std")]
mod read_at;
mod scratch;
mod source;
pub mod trace;
mod varint;
mod window;

use alloc::vec::Vec;
use core::ops::Range;

#[cfg(feature = "std")]
pub use read_at::ReadAt;
pub use scratch::{BufferPool, Pooled, Scratch};
pub use source::Reading;
#[cfg(feature = "std")]
pub use source::Source;
pub use window::Window;

use crate::error::{Code, Error, Result};
use crate::limits::{Budget, may_be_filled};
use trace::{Field, FieldForm, Part, Tracer, field};
use window::Origin;

/// The alignment in an aligned message of the block, and of each large payload of raw rows (F-69).
pub const LINE: usize = 64;
/// A payload is large from this many bytes on.
pub const MIN_ALIGNED_PAYLOAD: usize = 4096;

/// Returns the bytes from an offset to the next multiple.
pub fn padding(offset: usize, multiple: usize) -> usize {
    offset.wrapping_neg() % multiple
}

/// Bytes, a position in them, and the budget left for decoding them.
#[derive(Clone)]
pub struct Input<'a> {
    /// The bytes in memory: all of them, or some of a window.
    bytes: &'a [u8],
    /// The position in them.
    at: usize,
    /// The position of the first of them.
    base: usize,
    /// Where the other bytes of a window are.
    origin: Option<Origin<'a>>,
    /// Whether payloads are skipped.
    skims: bool,
    /// Whether the rows of large columns stay packed.
    defers: bool,
    /// The size of the entire input, of which this may be a part: it determines the default budget (F-39).
    whole: usize,
    scratch: &'a Scratch,
    pub budget: Budget,
    /// Whether padding precedes the block and large payloads (F-69).
    aligned: bool,
    /// The last padding, unchecked if payloads are skipped.
    skipped_padding: Range<usize>,
    /// Records each read, if there is one.
    tracer: Option<&'a Tracer>,
}

const PADDING: Field = field("padding", "F-69").form(FieldForm::Padding);
const FILLER: Field = field("filler", "F-95").form(FieldForm::Padding);

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8], budget: Budget, scratch: &'a Scratch) -> Self {
        Input {
            bytes,
            at: 0,
            base: 0,
            origin: None,
            skims: false,
            defers: false,
            whole: bytes.len(),
            scratch,
            budget,
            aligned: false,
            skipped_padding: 0..0,
            tracer: None,
        }
    }

    /// Makes this a part of an input of this size.
    pub fn of_whole(self, whole: usize) -> Self {
        Input { whole, ..self }
    }

    /// Leaves the rows of large columns packed, for a reader that unpacks some at a time.
    pub fn deferring(self) -> Self {
        Input { defers: true, ..self }
    }

    /// Whether the rows of large columns stay packed. A tracer shows them, so then they do not.
    pub fn defers(&self) -> bool {
        self.defers && self.tracer.is_none()
    }

    /// Records every read from here on.
    pub fn traced(self, tracer: &'a Tracer) -> Self {
        Input { tracer: Some(tracer), ..self }
    }

    /// Returns an input over decompressed bytes. It takes the budget, which the caller moves back. Nothing in it is
    /// aligned (F-69) or traced, because it has no offsets of its own.
    pub fn within(&mut self, bytes: Vec<u8>) -> Input<'a> {
        let budget = core::mem::take(&mut self.budget);
        Input::new(self.scratch.keep(bytes), budget, self.scratch)
    }

    /// Continues with decompressed bytes in the place of what follows a position: offsets count on from there. They have no
    /// filler.
    pub fn replace_from(&mut self, start: usize, bytes: Vec<u8>) {
        let tracer = self.tracer;
        let inner = self.within(bytes);
        if let Some(tracer) = tracer {
            tracer.begin_content(start, inner.bytes);
        }
        *self = Input { base: start, whole: 0, tracer, ..inner };
    }

    #[inline]
    pub fn position(&self) -> usize {
        self.base + self.at
    }

    /// The unread bytes in memory: all of them, except for the input of a window.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub fn remaining(&self) -> usize {
        usize::try_from(self.left()).unwrap_or(usize::MAX)
    }

    /// Like [`Input::remaining`], but exact where addresses are small.
    #[inline]
    fn left(&self) -> u128 {
        let held = (self.bytes.len() - self.at) as u128;
        held + self.origin.map_or(0, |origin| u128::from(self.not_held(origin)))
    }

    /// The next bytes, if there are enough; the position stays.
    #[inline]
    pub fn peek<const N: usize>(&mut self) -> Result<Option<[u8; N]>> {
        if self.bytes.len() - self.at < N && self.origin.is_some() {
            self.refill(N as u128)?;
        }
        Ok(self.rest().first_chunk().copied())
    }

    /// Skips bytes that need not be read.
    pub fn advance(&mut self, count: usize) {
        debug_assert!(count <= self.bytes.len() - self.at);
        self.at += count;
    }

    /// Moves past bytes that were read, and records them with their number, if they are one.
    #[inline]
    pub fn consume(&mut self, count: usize, field: Field, number: Option<u64>) {
        let start = self.position();
        self.advance(count);
        if let Some(tracer) = self.tracer {
            tracer.record(start..self.position(), field, number);
        }
    }

    /// The memory for decoded columns.
    pub fn scratch(&self) -> &'a Scratch {
        self.scratch
    }

    /// The tracer, if reads are recorded.
    #[inline]
    pub fn tracer(&self) -> Option<&'a Tracer> {
        self.tracer
    }

    /// Assigns the next reads to a part of the message and a type.
    #[inline]
    pub fn enter(&self, part: Part, site: Option<usize>) {
        if let Some(tracer) = self.tracer {
            tracer.enter(part, site);
        }
    }

    /// Assigns the next reads to a column with a role at its site.
    #[inline]
    pub fn column(&self, role: &'static str) {
        if let Some(tracer) = self.tracer {
            tracer.column(role);
        }
    }

    /// Marks the end of the current column: later errors of it are faults of its contents.
    #[inline]
    pub fn located(&self) {
        if let Some(tracer) = self.tracer {
            tracer.located(self.position());
        }
    }

    /// Records a fault and continues if there is a tracer; else returns it.
    pub fn pass(&self, error: Error) -> Result<()> {
        match self.tracer {
            Some(tracer) => tracer.fault(error),
            None => Err(error),
        }
    }

    /// Like [`Input::pass`], for a fault of a column that ends at the position.
    pub fn pass_column(&self, error: Error) -> Result<()> {
        match self.tracer {
            Some(tracer) if tracer.is_located(self.position()) => tracer.fault(error),
            _ => Err(error),
        }
    }

    /// Expects padding before the block and before large payloads from here on (F-69).
    pub fn align(&mut self) {
        self.aligned = true;
    }

    pub fn is_aligned(&self) -> bool {
        self.aligned
    }

    /// Ends the input at an offset; returns the bytes before and after it.
    pub fn end_at(&mut self, end: usize, behind: Field) -> (&'a [u8], &'a [u8]) {
        let (bytes, after) = self.bytes.split_at(end - self.base);
        if let Some(tracer) = self.tracer {
            tracer.record(end..end + after.len(), behind, None);
        }
        self.bytes = bytes;
        (bytes, after)
    }

    /// The next byte (F-2).
    #[inline]
    pub fn byte(&mut self, field: Field) -> Result<u8> {
        match self.bytes.get(self.at) {
            Some(&byte) => {
                self.consume(1, field, Some(u64::from(byte)));
                Ok(byte)
            }
            None => self.next_byte(field),
        }
    }

    #[cold]
    fn next_byte(&mut self, field: Field) -> Result<u8> {
        match self.refill(1)? {
            true => self.byte(field),
            false => Err(self.at_end(field.what)),
        }
    }

    /// The next `count` bytes as one item (F-2).
    #[inline]
    pub fn take(&mut self, count: u128, field: Field) -> Result<&'a [u8]> {
        if count > (self.bytes.len() - self.at) as u128 && !self.refill(count)? {
            return Err(self.cut_off(count, field.what));
        }
        let (start, count) = (self.at, count as usize);
        self.consume(count, field, None);
        Ok(&self.bytes[start..start + count])
    }

    /// Takes bytes that do not determine where the next item starts. If the input skims, the slice is empty.
    #[inline]
    pub fn payload(&mut self, count: u128, field: Field) -> Result<&'a [u8]> {
        if self.skims { self.pass_over(count, field) } else { self.take(count, field) }
    }

    /// The error if an item is missing (F-2).
    #[cold]
    pub fn at_end(&self, what: &'static str) -> Error {
        Error::at(Code::Truncated, self.position()).expected(what).got("the end of the input")
    }

    /// The error if an item is incomplete (F-2).
    #[cold]
    fn cut_off(&self, count: u128, what: &'static str) -> Error {
        Error::at(Code::Truncated, self.position())
            .expected(format!("{count} bytes of {what}"))
            .got(format!("{} bytes", self.remaining()))
    }

    /// Takes a payload of raw rows: the padding before it, then its `len` bytes (F-69).
    pub fn aligned_payload(&mut self, len: u128, field: Field) -> Result<&'a [u8]> {
        self.skip_padding_of(len)?;
        self.payload(len, field)
    }

    /// Skips the padding before a payload of this length, if it has any.
    pub fn skip_padding_of(&mut self, len: u128) -> Result<()> {
        if len >= MIN_ALIGNED_PAYLOAD as u128 { self.skip_padding(LINE) } else { Ok(()) }
    }

    /// In an aligned message, the zero bytes up to the next multiple; they are one item (F-69).
    pub fn skip_padding(&mut self, multiple: usize) -> Result<()> {
        if !self.aligned {
            return Ok(());
        }
        let start = self.position();
        let padding = self.payload(padding(start, multiple) as u128, PADDING)?;
        self.skipped_padding = start..self.position();
        match padding.iter().position(|byte| *byte != 0) {
            None => Ok(()),
            Some(at) => self.pass(
                Error::at(Code::NonzeroPadding, start + at)
                    .expected("00")
                    .got(format!("{:02X}", padding[at])),
            ),
        }
    }

    /// Checks that the input ends here, after zero bytes where they are allowed (F-11, F-95).
    pub fn end(&mut self) -> Result<()> {
        if self.remaining() == 0 {
            return Ok(());
        }
        if may_be_filled(self.whole) && self.rest().iter().all(|byte| *byte == 0) {
            self.consume(self.rest().len(), FILLER, None);
            return Ok(());
        }
        Err(Error::at(Code::TrailingBytes, self.position())
            .expected("the end of the message")
            .got(format!("{} more bytes", self.remaining())))
    }

    /// The next `count` bytes as one item, each charged to the budget (F-39).
    pub fn charged_payload(&mut self, count: u128, field: Field) -> Result<&'a [u8]> {
        if count <= self.left() {
            self.charge(count)?;
        }
        self.payload(count, field)
    }

    /// Takes units from the budget (F-39).
    pub fn charge(&mut self, units: u128) -> Result<()> {
        self.charge_at(self.position(), units)
    }

    /// Takes units from the budget, for an item that starts at a position. Skipped payloads are not charged.
    pub fn charge_at(&mut self, position: usize, units: u128) -> Result<()> {
        if self.skims {
            return Ok(());
        }
        self.budget.charge(units).map_err(|left| Error::over_budget(units, left).moved_to(position))
    }
}
