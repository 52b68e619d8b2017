//! Integers that can exceed 64 bits: decimals where they do.

use arrow_schema::{DECIMAL128_MAX_PRECISION, DECIMAL256_MAX_PRECISION, DataType};
use holdall::bindings::block::Column;
use holdall::bindings::schema::TypeId;
use holdall::bindings::{IntBuffer, IntRows};
use holdall::{IntKind, Result};

use super::Types;

impl Types<'_> {
    /// Returns the type of integers of a kind.
    pub(super) fn int(&self, id: TypeId, kind: IntKind) -> Result<DataType> {
        Ok(match kind {
            IntKind::U8 => DataType::UInt8,
            IntKind::U16 => DataType::UInt16,
            IntKind::U32 => DataType::UInt32,
            IntKind::U64 => DataType::UInt64,
            IntKind::I8 => DataType::Int8,
            IntKind::I16 => DataType::Int16,
            IntKind::I32 => DataType::Int32,
            IntKind::I64 => DataType::Int64,
            IntKind::Int => match self.digits(id)? {
                None => DataType::Int64,
                Some(digits) => self.decimal_of(id, digits)?,
            },
            IntKind::U128 | IntKind::I128 => self.decimal_of(id, self.digits(id)?.unwrap_or(0))?,
        })
    }

    fn decimal_of(&self, id: TypeId, digits: usize) -> Result<DataType> {
        if digits <= usize::from(DECIMAL128_MAX_PRECISION) {
            return Ok(DataType::Decimal128(DECIMAL128_MAX_PRECISION, 0));
        }
        if digits <= usize::from(DECIMAL256_MAX_PRECISION) {
            return Ok(DataType::Decimal256(DECIMAL256_MAX_PRECISION, 0));
        }
        Err(self.unmappable(id, format!("an integer of {digits} digits")))
    }

    /// The digits of the longest integer that exceeds 64 bits, if one does. Only columns whose encoding can hold one are read.
    fn digits(&self, id: TypeId) -> Result<Option<usize>> {
        const BIG: u8 = 0x44;
        const ZSTD: u8 = 0x70;
        let Some(block) = self.block else { return Ok(None) };
        if !matches!(block.encoding(id)?, Some(BIG | ZSTD)) {
            return Ok(None);
        }
        block.read(id, |column| match column {
            Column::Ints(IntRows::Wide(ints)) if ints.has_bigs() => Ok(Some(longest(&ints))),
            _ => Ok(None),
        })
    }
}

fn longest(ints: &IntBuffer) -> usize {
    ints.bigs().map(|(_, big)| wide_digits(big)).max().unwrap_or(0)
}

/// The number of decimal digits of an integer; more than any decimal has if it is beyond 32 bytes.
fn wide_digits(big: &[u8]) -> usize {
    let Some(number) = crate::arrays::wide_of(big) else { return usize::MAX };
    number.to_string().trim_start_matches('-').len()
}
