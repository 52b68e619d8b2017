//! The position in the bytes that are read.

use typed_arena::Arena;

use crate::column::Align;
use crate::error::{Code, Error, Result};
use crate::limits::Budget;

/// Columns that came out of compressed ones; they live as long as the input.
pub(crate) type Unpacked = Arena<Vec<u8>>;

/// None yet; an arena with room for some would cost small messages an allocation.
pub(crate) fn unpacked() -> Unpacked {
    Arena::with_capacity(0)
}

/// The input, a position in it, and what may still be made of it.
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    position: usize,
    unpacked: &'a Unpacked,
    pub(crate) budget: Budget,
    /// Whether padding stands ahead of the block and of large payloads (F-69).
    aligned: bool,
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8], budget: Budget, unpacked: &'a Unpacked) -> Self {
        Input { bytes, position: 0, unpacked, budget, aligned: false }
    }

    /// An input of bytes that came out of this one; it has the budget until that is given back. Nothing in it is aligned
    /// (F-69).
    pub(crate) fn within(&mut self, bytes: Vec<u8>) -> Input<'a> {
        let budget = std::mem::take(&mut self.budget);
        let (bytes, unpacked) = (self.unpacked.alloc(bytes), self.unpacked);
        Input { bytes, position: 0, unpacked, budget, aligned: false }
    }

    pub(crate) fn position(&self) -> usize {
        self.position
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    pub(crate) fn advance(&mut self, count: usize) {
        debug_assert!(count <= self.remaining());
        self.position += count;
    }

    /// From here on padding stands ahead of the block and of large payloads (F-69).
    pub(crate) fn align(&mut self) {
        self.aligned = true;
    }

    /// Lets the input end at an offset; gives all bytes before it, and those behind.
    pub(crate) fn end_at(&mut self, end: usize) -> (&'a [u8], &'a [u8]) {
        let (bytes, behind) = self.bytes.split_at(end);
        self.bytes = bytes;
        (bytes, behind)
    }

    /// The next byte (F-2).
    pub(crate) fn byte(&mut self, what: &'static str) -> Result<u8> {
        let Some(&byte) = self.bytes.get(self.position) else {
            return Err(Error::at(Code::Truncated, self.position)
                .expected(what)
                .got("the end of the input"));
        };
        self.position += 1;
        Ok(byte)
    }

    /// The next `count` bytes as one item (F-2).
    pub(crate) fn take(&mut self, count: u128, what: &'static str) -> Result<&'a [u8]> {
        let here = self.remaining();
        match usize::try_from(count) {
            Ok(count) if count <= here => {
                let bytes = &self.bytes[self.position..self.position + count];
                self.position += count;
                Ok(bytes)
            }
            _ => Err(Error::at(Code::Truncated, self.position)
                .expected(format!("{count} bytes of {what}"))
                .got(format!("{here} bytes"))),
        }
    }

    /// A payload of one of the kinds that are aligned in an aligned message: the padding ahead of it, then its `len` bytes
    /// (F-69).
    pub(crate) fn payload(
        &mut self,
        len: u128,
        align: Align,
        what: &'static str,
    ) -> Result<&'a [u8]> {
        self.skip_padding_of(len, align)?;
        self.take(len, what)
    }

    /// The padding ahead of a payload of so many bytes, if it has any.
    pub(crate) fn skip_padding_of(&mut self, len: u128, align: Align) -> Result<()> {
        if self.aligned && len >= Align::SMALLEST { self.skip_padding(align) } else { Ok(()) }
    }

    /// In an aligned message, the zero bytes up to the next multiple; they are one item (F-69).
    pub(crate) fn skip_padding(&mut self, align: Align) -> Result<()> {
        if !self.aligned {
            return Ok(());
        }
        let start = self.position;
        let padding = self.take(align.padding(start) as u128, "padding")?;
        match padding.iter().position(|byte| *byte != 0) {
            None => Ok(()),
            Some(at) => Err(Error::at(Code::NonzeroPadding, start + at)
                .expected("00")
                .got(format!("{:02X}", padding[at]))),
        }
    }

    /// The next `count` bytes as one item, each charged to the budget (F-39).
    pub(crate) fn take_charged(&mut self, count: u128, what: &'static str) -> Result<&'a [u8]> {
        if count <= self.remaining() as u128 {
            self.charge(count)?;
        }
        self.take(count, what)
    }

    /// Takes units from the budget (F-39).
    pub(crate) fn charge(&mut self, units: u128) -> Result<()> {
        self.charge_at(self.position, units)
    }

    /// Takes units from the budget, for what began at a position.
    pub(crate) fn charge_at(&mut self, position: usize, units: u128) -> Result<()> {
        self.budget.charge(units).map_err(|left| {
            Error::at(Code::LimitBudget, position)
                .expected(format!("at most {left} units more"))
                .got(format!("{units} units"))
        })
    }
}
