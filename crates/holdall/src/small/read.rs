//! Reads the columns of a small message.

use crate::column::raw::Of;
use crate::column::text::TextRows;
use crate::input::{Input, Scratch};
use crate::limits::Limits;
use crate::number::{IntKind, unzigzag};
use crate::schema::Scalar;
use crate::typed::InlineRows;

/// Reads the columns of a block, type by type; nothing where that fails.
///
/// Each method that takes a number of rows, at least one, reads a column with that many, and charges them (F-39).
pub struct SmallReader<'m>(InlineRows<'m, 'm>);

impl<'m> SmallReader<'m> {
    /// Calls a function with a reader of the block that ends a message of this length. The result counts only if the
    /// function reads the entire block.
    pub fn read<T>(
        message: usize,
        block: &[u8],
        read: impl for<'r> FnOnce(&mut SmallReader<'r>) -> Option<T>,
    ) -> Option<T> {
        let scratch = Scratch::default();
        let input = Input::new(block, Limits::new().budget_for(message), &scratch);
        let mut reader = SmallReader(InlineRows::new(&input, block, 0));
        let value = read(&mut reader)?;
        reader.0.is_at_end().then_some(value)
    }

    /// Rows of a type without columns.
    #[inline]
    pub fn rows(&mut self, rows: usize) -> Option<()> {
        self.0.charge(rows)
    }

    /// One bool.
    #[inline]
    pub fn bool(&mut self) -> Option<bool> {
        self.0.bit()
    }

    /// Bools, or whether rows are present. Returns how many are true.
    pub fn bools(&mut self, rows: usize, mut take: impl FnMut(bool)) -> Option<usize> {
        let bits = self.0.bits(rows)?;
        bits.decode_rows(0..rows).for_each(&mut take);
        Some(bits.ones())
    }

    /// One integer.
    #[inline]
    pub fn int(&mut self) -> Option<i64> {
        self.0.number().map(unzigzag)
    }

    /// Integers; none if one exceeds 64 bits.
    pub fn ints(&mut self, rows: usize, mut take: impl FnMut(i64)) -> Option<()> {
        self.0.any_ints(IntKind::Int, rows, |bits| take(bits.cast_signed()))
    }

    /// One length, or number of a variant or shape.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        self.0.number()
    }

    /// Lengths, or numbers of variants or shapes.
    pub fn numbers(&mut self, rows: usize, take: impl FnMut(u64)) -> Option<()> {
        self.0.any_ints(IntKind::U64, rows, take)
    }

    /// One float.
    #[inline]
    pub fn f64(&mut self) -> Option<f64> {
        self.0.float().map(f64::from_le_bytes)
    }

    /// Floats.
    pub fn floats(&mut self, rows: usize, mut take: impl FnMut(f64)) -> Option<()> {
        let floats = self.0.floats(8, rows)?;
        (0..rows).for_each(|row| take(f64::from_le_bytes(floats.bytes(row))));
        Some(())
    }

    /// Rows of a scalar type of up to 64 bits as [`SmallWriter::words`](super::SmallWriter::words) takes them.
    pub fn words(&mut self, scalar: Scalar, rows: usize, mut take: impl FnMut(u64)) -> Option<()> {
        match scalar {
            Scalar::Int(kind) => self.0.any_ints(kind, rows, take),
            Scalar::F64 => self.floats(rows, |float| take(float.to_bits())),
            Scalar::Fixed(len) if len > 0 && len % 8 == 0 => {
                let words = self.0.raw(Of::fixed(len), rows)?;
                words.as_chunks().0.iter().for_each(|word| take(u64::from_le_bytes(*word)));
                Some(())
            }
            _ => None,
        }
    }

    /// One string.
    #[inline]
    pub fn string(&mut self) -> Option<&'m str> {
        self.0.text()
    }

    /// One byte string.
    #[inline]
    pub fn byte_string(&mut self) -> Option<&'m [u8]> {
        self.0.byte_string()
    }

    /// Strings, each with the number of its entry if there is a dictionary.
    pub fn strings(
        &mut self,
        rows: usize,
        mut take: impl FnMut(Option<usize>, &str) -> Option<()>,
    ) -> Option<()> {
        let (texts, whole) = self.0.texts(rows)?;
        each(&texts, |entry, (start, end)| take(entry, whole.get(start..end)?))
    }

    /// Byte strings.
    pub fn byte_strings(
        &mut self,
        rows: usize,
        mut take: impl FnMut(Option<usize>, &[u8]) -> Option<()>,
    ) -> Option<()> {
        let (texts, whole) = self.0.byte_texts(rows)?;
        each(&texts, |entry, (start, end)| take(entry, whole.get(start..end)?))
    }
}

/// Calls a function with the entry and the place of each row.
fn each(
    rows: &TextRows,
    mut take: impl FnMut(Option<usize>, (usize, usize)) -> Option<()>,
) -> Option<()> {
    let mut at = 0;
    (0..rows.len()).try_for_each(|row| {
        let span = rows.span(row, at);
        at = span.1;
        take(rows.entry(row), span)
    })
}
