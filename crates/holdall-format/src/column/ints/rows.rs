//! The rows of a located column, checked, decoded, and as wide as their kind.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::memory::{self, Collect};
use alloc::borrow::Cow;

use super::{IntBuffer, Ints, IntsLayout, out_of_range};
use crate::column::frame::{Frame, FrameFields};
use crate::column::preview::{big_text, number_text};
use crate::error::Result;
use crate::input::{Pooled, Scratch};
use crate::kernel::Word;
use crate::number::IntKind;

/// The rows of a column, as wide as their kind; signed rows in two's complement.
#[derive(Debug)]
pub enum IntRows<'a> {
    /// Borrows the bytes of the input, if the rows are stored unencoded.
    W8(Cow<'a, [u8]>),
    W16(Vec<u16>),
    W32(Vec<u32>),
    W64(Vec<u64>),
    /// Rows of kinds that have numbers beyond 64 bits.
    Wide(Box<IntBuffer>),
}

impl IntRows<'_> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            IntRows::W8(rows) => rows.len(),
            IntRows::W16(rows) => rows.len(),
            IntRows::W32(rows) => rows.len(),
            IntRows::W64(rows) => rows.len(),
            IntRows::Wide(rows) => rows.values.len(),
        }
    }

    /// The same rows, apart from the input.
    pub fn into_owned(self) -> IntRows<'static> {
        match self {
            IntRows::W8(rows) => IntRows::W8(Cow::Owned(memory::owned(rows))),
            IntRows::W16(rows) => IntRows::W16(rows),
            IntRows::W32(rows) => IntRows::W32(rows),
            IntRows::W64(rows) => IntRows::W64(rows),
            IntRows::Wide(rows) => IntRows::Wide(rows),
        }
    }

    /// Returns the memory to the scratch.
    pub fn recycle(self, scratch: &Scratch) {
        match self {
            IntRows::W8(Cow::Borrowed(_)) | IntRows::Wide(_) => {}
            IntRows::W8(Cow::Owned(rows)) => scratch.take_back(rows),
            IntRows::W16(rows) => scratch.take_back(rows),
            IntRows::W32(rows) => scratch.take_back(rows),
            IntRows::W64(rows) => scratch.take_back(rows),
        }
    }

    /// The rows of a kind as 64-bit patterns.
    pub fn into_wide(self, kind: IntKind) -> IntBuffer {
        fn wide<W: Word>(rows: &[W], kind: IntKind) -> Vec<u64> {
            memory::collected(rows.iter().map(|row| row.widen_as(kind.is_signed())))
        }
        let values = match self {
            IntRows::W8(rows) => wide(&rows, kind),
            IntRows::W16(rows) => wide(&rows, kind),
            IntRows::W32(rows) => wide(&rows, kind),
            IntRows::W64(rows) => rows,
            IntRows::Wide(rows) => return *rows,
        };
        IntBuffer::of(values)
    }

    /// Whether another kind has all rows of a kind, and none exceeds 64 bits.
    pub fn fit(&self, from: IntKind, into: IntKind) -> bool {
        fn all<W: Word>(rows: &[W], from: IntKind, into: IntKind) -> bool {
            rows.iter().all(|row| {
                let bits = row.widen_as(from.is_signed());
                // Signed and unsigned patterns mean the same numbers below 2^63.
                (from.is_signed() == into.is_signed() || bits >> 63 == 0) && into.holds(bits)
            })
        }
        match self {
            IntRows::W8(rows) => all(rows, from, into),
            IntRows::W16(rows) => all(rows, from, into),
            IntRows::W32(rows) => all(rows, from, into),
            IntRows::W64(rows) => all(rows, from, into),
            IntRows::Wide(_) => false,
        }
    }

    /// The rows of a kind as those of another kind, which has all of them.
    pub fn converted(self, from: IntKind, into: IntKind) -> IntRows<'static> {
        fn words<W: Word>(rows: Vec<u64>) -> Vec<W> {
            memory::collected(rows.into_iter().map(W::truncate))
        }
        let rows = self.into_wide(from);
        match into.width() {
            Some(1) => IntRows::W8(Cow::Owned(words(rows.values))),
            Some(2) => IntRows::W16(words(rows.values)),
            Some(4) => IntRows::W32(words(rows.values)),
            Some(8) => IntRows::W64(rows.values),
            _ => IntRows::Wide(Box::new(rows)),
        }
    }

    /// The text of a row of a kind.
    pub fn text_of(&self, row: usize, kind: IntKind) -> String {
        let bits = match self {
            IntRows::W8(rows) => rows[row].widen_as(kind.is_signed()),
            IntRows::W16(rows) => rows[row].widen_as(kind.is_signed()),
            IntRows::W32(rows) => rows[row].widen_as(kind.is_signed()),
            IntRows::W64(rows) => rows[row],
            IntRows::Wide(ints) => match ints.big(row) {
                Some(big) => return big_text(big),
                None => ints.values[row],
            },
        };
        number_text(bits, kind.is_signed())
    }
}

/// Columns that take more bytes when they are decoded exceed the second-level cache, so those that are used once, in order, are
/// decoded a part at a time. For smaller ones that costs more than it saves: five of up to 800 KB took a fifth more instructions.
const LARGE: usize = 1 << 20;

impl<'a> Ints<'a> {
    /// The fields of a large column of words of 16 to 64 bits, if its frame shows that all rows are in the kind's range.
    pub fn fields(&self) -> Option<FrameFields<'a>> {
        let width = self.kind.width().filter(|width| (2..=8).contains(width))?;
        if self.place.rows.saturating_mul(width as usize) <= LARGE {
            return None;
        }
        let IntsLayout::Stages(stages) = &self.layout else { return None };
        let frame = stages.frame().filter(|frame| frame.is_within(self.kind))?;
        Some(frame.fields(8 * width as u32))
    }

    /// The rows, checked and decoded.
    pub fn into_rows(self) -> Result<IntRows<'a>> {
        let kind = self.kind;
        Ok(match kind.width() {
            Some(1) => IntRows::W8(match &self.layout {
                IntsLayout::Few(_, _, bytes) => Cow::Borrowed(*bytes),
                IntsLayout::Stages(stages) if kind == IntKind::U8 => {
                    match stages.frame().and_then(Frame::bytes) {
                        Some(bytes) => Cow::Borrowed(bytes),
                        None => Cow::Owned(self.into_words()?),
                    }
                }
                _ => Cow::Owned(self.into_words()?),
            }),
            Some(2) => IntRows::W16(self.into_words()?),
            Some(4) => IntRows::W32(self.into_words()?),
            Some(8) => IntRows::W64(self.into_words()?),
            _ => {
                self.validate()?;
                IntRows::Wide(Box::new(self.decode()))
            }
        })
    }

    /// Does the same for a kind as wide as a word.
    fn into_words<W: Pooled>(self) -> Result<Vec<W>> {
        match &self.layout {
            IntsLayout::Few(few, ..) => Ok(few.iter().map(|bits| W::truncate(*bits)).collected()),
            IntsLayout::Stages(stages) if stages.is_within(self.kind) => Ok(stages.decode()),
            layout => {
                if let IntsLayout::Stages(stages) = layout
                    && let Some(frame) = stages.frame()
                {
                    let rows = frame.decode();
                    if frame.are_within(self.kind, &rows) {
                        return Ok(rows);
                    }
                }
                let (kind, start) = (self.kind, self.start);
                let rows = self.decode().values;
                check_range(kind, &rows, start)?;
                Ok(memory::collected(rows.into_iter().map(W::truncate)))
            }
        }
    }
}

/// Checks that every row is in its kind's range.
pub(super) fn check_range(kind: IntKind, rows: &[u64], start: usize) -> Result<()> {
    if kind.bounds().is_none() {
        return Ok(());
    }
    match rows.iter().position(|bits| !kind.holds(*bits)) {
        None => Ok(()),
        Some(row) => Err(out_of_range(kind, start).in_row(row)),
    }
}
