//! Rows that are the only ones of their sites: one value, as messages of one struct are, without columns around it.
//!
//! Where each site has one row, a block is the values in the order of the types: no encoding stands ahead of fewer than 4 rows
//! (F-28 to F-32). So they are written and read one after the other. Lists have more rows: they, and all other types that know no
//! better, are blocks of their own at their place, as the columns of one type stand side by side.
//!
//! Reading says no more than that it did not succeed: then the columns are read, which tell every fault at its place.

use std::fmt::Display;
use std::sync::Arc;

use super::buffers::Buffers;
use super::columns::Columns;
use super::plan::{Plan, Site};
use super::rows::Rows;
use super::scalars::part_of;
use super::{Decode, Encode};
use crate::block::Block;
use crate::column::Settings;
use crate::error::Result;
use crate::input::Input;
use crate::number::write_varint;
use crate::trace::{Field, field};

const NUMBER: Field = field("a number", 29);
const TEXT: Field = field("text", 32);

/// What is kept from one message to the next.
#[derive(Default)]
pub(crate) struct LoneBuffers {
    pub(crate) block: Vec<u8>,
    /// For what has columns: the buffers of each such type.
    pub(crate) inside: Vec<(Arc<Plan>, Buffers)>,
}

/// Takes rows that are the only ones of their sites.
#[doc(hidden)]
pub struct LoneColumns<'o> {
    out: &'o mut Vec<u8>,
    settings: Settings,
    depth: usize,
    /// As in [`LoneBuffers`].
    inside: &'o mut Vec<(Arc<Plan>, Buffers)>,
}

impl<'o> LoneColumns<'o> {
    pub(crate) fn new(
        out: &'o mut Vec<u8>,
        settings: Settings,
        depth: usize,
        inside: &'o mut Vec<(Arc<Plan>, Buffers)>,
    ) -> Self {
        LoneColumns { out, settings, depth, inside }
    }

    /// A number of a variant, a number that is not of 8 bits; zigzagged if it is signed.
    #[inline]
    pub fn number(&mut self, number: u64) {
        write_varint(self.out, number);
    }

    #[inline]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// A value that has columns.
    pub(crate) fn columns<T: Encode + ?Sized>(&mut self, value: &T) -> Result<()> {
        let plan = Plan::of_written::<T>()?;
        let known = self.inside.iter().position(|(of, _)| Arc::ptr_eq(of, &plan));
        let at = known.unwrap_or_else(|| {
            self.inside.push((Arc::clone(&plan), Buffers::new(&plan)));
            self.inside.len() - 1
        });
        let buffers = &mut self.inside[at].1;
        buffers.clear();
        value.write(Site::ROOT, &mut Columns::new(&plan, buffers, self.depth))?;
        buffers.write_block(self.out, self.settings);
        Ok(())
    }
}

/// Gives rows that are the only ones of their sites; none where that did not succeed.
#[doc(hidden)]
pub struct LoneRows<'b, 'de> {
    input: Input<'b>,
    message: &'de [u8],
    depth: usize,
    /// Bytes that may still be allocated.
    memory: u64,
}

impl<'b, 'de> LoneRows<'b, 'de> {
    pub(crate) fn new(input: Input<'b>, message: &'de [u8], depth: usize, memory: u64) -> Self {
        LoneRows { input, message, depth, memory }
    }

    /// Whether all was read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.input.remaining() == 0
    }

    /// A row is charged (F-26).
    #[inline]
    #[must_use]
    pub fn row(&mut self) -> Option<()> {
        self.input.budget.charge(8).ok()
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.row()?;
        let byte = *self.input.rest().first()?;
        self.input.advance(1);
        Some(byte)
    }

    /// One bit (F-28).
    #[inline]
    pub(crate) fn bit(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// A number that is not of 8 bits, or that of a variant.
    #[inline]
    #[must_use]
    pub fn number(&mut self) -> Option<u64> {
        self.row()?;
        self.input.varint(NUMBER).ok()
    }

    #[inline]
    pub(crate) fn float<const W: usize>(&mut self) -> Option<[u8; W]> {
        self.row()?;
        let bytes = *self.input.rest().first_chunk()?;
        self.input.advance(W);
        Some(bytes)
    }

    #[inline]
    pub(crate) fn text(&mut self) -> Option<&'b str> {
        let len = self.number()?;
        self.input.budget.charge(u128::from(len)).ok()?;
        let bytes = self.input.take(u128::from(len), TEXT).ok()?;
        std::str::from_utf8(bytes).ok()
    }

    /// The same as a part of the message.
    #[inline]
    pub(crate) fn borrowed_text(&mut self) -> Option<&'de str> {
        let bytes = part_of(self.message, self.text()?.as_bytes())?;
        // They are the same bytes, but of another lifetime; so they are checked to be UTF-8 once more.
        std::str::from_utf8(bytes).ok()
    }

    /// Before a value of a type is allocated.
    #[inline]
    pub(crate) fn allocate<T>(&mut self) -> Option<()> {
        self.memory = self.memory.checked_sub(size_of::<T>() as u64)?;
        Some(())
    }

    /// A value that a function makes of one of another type.
    pub fn converted<T, As: Decode<'de>, E: Display>(
        &mut self,
        convert: impl FnOnce(As) -> Result<T, E>,
    ) -> Option<T> {
        convert(As::read_lone(self)?).ok()
    }

    /// A value that has columns.
    pub(crate) fn columns<T: Decode<'de>>(&mut self) -> Option<T> {
        let plan = Plan::of_read::<T>().ok()?;
        let block = Block::read(&mut self.input, &plan.schema, false).ok()?;
        let mut rows = Rows::new(&plan, &block, self.message, self.depth, self.memory);
        let value = T::read(Site::ROOT, &mut rows).ok()?;
        self.memory = rows.memory;
        Some(value)
    }
}
