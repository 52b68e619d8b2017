//! The bytes that are read: a position in them, a window of a file, memory for what comes of them, and a hook for who wants to know.

mod scratch;
mod source;
pub mod trace;
mod varint;
mod window;

pub use scratch::{Scratch, Spare, Spared};
pub use source::{ReadAt, Reading, Source};
pub use window::Window;

use crate::error::{Code, Error, Result};
use crate::limits::{Budget, may_be_filled};
use trace::{Field, Form, Part, Tracer, field};
use window::Origin;

/// In an aligned message the block starts at a multiple of so many bytes, and so does each payload of raw rows (F-69)
pub const LINE: usize = 64;
/// that has so many.
pub const LARGE: usize = 4096;

/// How many bytes there are from an offset to the next multiple.
pub fn padding(offset: usize, multiple: usize) -> usize {
    offset.wrapping_neg() % multiple
}

/// The input, a position in it, and what may still be made of it.
#[derive(Clone)]
pub struct Input<'a> {
    /// The bytes that are held: all, or some of a window.
    bytes: &'a [u8],
    /// The position in them.
    at: usize,
    /// The position of the first of them.
    base: usize,
    /// Where the other bytes of a window are.
    origin: Option<Origin<'a>>,
    /// Whether payloads are passed over.
    skims: bool,
    /// How many bytes the whole input has, whatever of them is read here: its default budget goes by that (F-39).
    whole: usize,
    scratch: &'a Scratch,
    pub budget: Budget,
    /// Whether padding stands ahead of the block and of large payloads (F-69).
    aligned: bool,
    /// What is told of each read, if someone wants to know.
    tracer: Option<&'a Tracer>,
}

const PADDING: Field = field("padding", "F-69").form(Form::Padding);
const FILLER: Field = field("filler", "F-95").form(Form::Padding);

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8], budget: Budget, scratch: &'a Scratch) -> Self {
        Input {
            bytes,
            at: 0,
            base: 0,
            origin: None,
            skims: false,
            whole: bytes.len(),
            scratch,
            budget,
            aligned: false,
            tracer: None,
        }
    }

    /// The same as a part of an input of so many bytes.
    pub fn of_whole(self, whole: usize) -> Self {
        Input { whole, ..self }
    }

    /// Tells what is read from here on.
    pub fn traced(self, tracer: &'a Tracer) -> Self {
        Input { tracer: Some(tracer), ..self }
    }

    /// An input of bytes that came out of this one; it has the budget until that is given back. Nothing in it is aligned
    /// (F-69), and nothing is told of it: it stands at no place of its own.
    pub fn within(&mut self, bytes: Vec<u8>) -> Input<'a> {
        let budget = std::mem::take(&mut self.budget);
        Input::new(self.scratch.keep(bytes), budget, self.scratch)
    }

    #[inline]
    pub fn position(&self) -> usize {
        self.base + self.at
    }

    /// The unread bytes that are held: all of them, but for the input of a window.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub fn remaining(&self) -> usize {
        usize::try_from(self.left()).unwrap_or(usize::MAX)
    }

    /// The same, on any machine.
    #[inline]
    fn left(&self) -> u128 {
        let held = (self.bytes.len() - self.at) as u128;
        held + self.origin.map_or(0, |origin| u128::from(self.not_held(origin)))
    }

    /// The next bytes, if there are as many; the position stays.
    #[inline]
    pub fn peek<const N: usize>(&mut self) -> Result<Option<[u8; N]>> {
        if self.bytes.len() - self.at < N && self.origin.is_some() {
            self.refill(N as u128)?;
        }
        Ok(self.rest().first_chunk().copied())
    }

    /// Goes on behind bytes that need not be read.
    pub fn advance(&mut self, count: usize) {
        debug_assert!(count <= self.bytes.len() - self.at);
        self.at += count;
    }

    /// Goes on behind bytes that were read, a number if it is one.
    #[inline]
    pub fn consume(&mut self, count: usize, field: Field, number: Option<u64>) {
        let start = self.position();
        self.advance(count);
        if let Some(tracer) = self.tracer {
            tracer.record(start..self.position(), field, number);
        }
    }

    /// Where columns are kept.
    pub fn scratch(&self) -> &'a Scratch {
        self.scratch
    }

    /// Who is told what is read.
    #[inline]
    pub fn tracer(&self) -> Option<&'a Tracer> {
        self.tracer
    }

    /// What is read next belongs to this part of the message, and to this type.
    #[inline]
    pub fn enter(&self, part: Part, site: Option<usize>) {
        if let Some(tracer) = self.tracer {
            tracer.enter(part, site);
        }
    }

    /// What is read next is a column with a role at its site.
    #[inline]
    pub fn column(&self, role: &'static str) {
        if let Some(tracer) = self.tracer {
            tracer.column(role);
        }
    }

    /// The position is behind the column that is read; what is still found is a fault of its contents.
    #[inline]
    pub fn located(&self) {
        if let Some(tracer) = self.tracer {
            tracer.located(self.position());
        }
    }

    /// Passes over a fault where all that is wanted is what the bytes are.
    pub fn pass(&self, error: Error) -> Result<()> {
        match self.tracer {
            Some(tracer) => tracer.fault(error),
            None => Err(error),
        }
    }

    /// The same of a fault of a column, if that ends here.
    pub fn pass_column(&self, error: Error) -> Result<()> {
        match self.tracer {
            Some(tracer) if tracer.is_located(self.position()) => tracer.fault(error),
            _ => Err(error),
        }
    }

    /// From here on padding stands ahead of the block and of large payloads (F-69).
    pub fn align(&mut self) {
        self.aligned = true;
    }

    pub fn is_aligned(&self) -> bool {
        self.aligned
    }

    /// Lets the input end at an offset; gives all bytes before it, and those behind.
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

    /// Takes bytes that need not be looked at to find what is behind them. They are empty where payloads are passed over.
    #[inline]
    pub fn payload(&mut self, count: u128, field: Field) -> Result<&'a [u8]> {
        if self.skims { self.pass_over(count, field) } else { self.take(count, field) }
    }

    /// Where an item is missing (F-2).
    #[cold]
    pub fn at_end(&self, what: &'static str) -> Error {
        Error::at(Code::Truncated, self.position()).expected(what).got("the end of the input")
    }

    /// Where an item is incomplete (F-2).
    #[cold]
    fn cut_off(&self, count: u128, what: &'static str) -> Error {
        Error::at(Code::Truncated, self.position())
            .expected(format!("{count} bytes of {what}"))
            .got(format!("{} bytes", self.remaining()))
    }

    /// A payload of raw rows: the padding ahead of it, then its `len` bytes (F-69).
    pub fn aligned_payload(&mut self, len: u128, field: Field) -> Result<&'a [u8]> {
        self.skip_padding_of(len)?;
        self.payload(len, field)
    }

    /// The padding ahead of a payload of so many bytes, if it has any.
    pub fn skip_padding_of(&mut self, len: u128) -> Result<()> {
        if len >= LARGE as u128 { self.skip_padding(LINE) } else { Ok(()) }
    }

    /// In an aligned message, the zero bytes up to the next multiple; they are one item (F-69).
    pub fn skip_padding(&mut self, multiple: usize) -> Result<()> {
        if !self.aligned {
            return Ok(());
        }
        let start = self.position();
        let padding = self.payload(padding(start, multiple) as u128, PADDING)?;
        match padding.iter().position(|byte| *byte != 0) {
            None => Ok(()),
            Some(at) => self.pass(
                Error::at(Code::NonzeroPadding, start + at)
                    .expected("00")
                    .got(format!("{:02X}", padding[at])),
            ),
        }
    }

    /// The end of the input, behind zero bytes where those may stand (F-11, F-95).
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

    /// Takes units from the budget, for what began at a position. What is passed over takes no memory.
    pub fn charge_at(&mut self, position: usize, units: u128) -> Result<()> {
        if self.skims {
            return Ok(());
        }
        self.budget.charge(units).map_err(|left| Error::over_budget(units, left).moved_to(position))
    }
}
