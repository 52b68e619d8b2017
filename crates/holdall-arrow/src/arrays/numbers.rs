//! Numbers: as they are in memory, or as decimals.

use std::borrow::Cow;

use arrow_array::ArrayRef;
use arrow_buffer::{Buffer, MutableBuffer, i256};
use arrow_schema::DataType;
use holdall::bindings::block::Column;
use holdall::bindings::kernel::IS_FORMAT_ORDER;
use holdall::bindings::schema::TypeId;
use holdall::bindings::{IntRows, Type, big_of_bits};
use holdall::{IntKind, Result, bf16};

use super::{Builder, of_buffer};
use crate::mask::Mask;
use crate::memory::MIN_BORROWED_BYTES;
use crate::types::Types;

/// An integer in two's complement, if it has at most 32 bytes.
pub fn wide_of(big: &[u8]) -> Option<i256> {
    let sign = big.last().is_some_and(|last| last & 0x80 != 0);
    let mut bytes = if sign { [0xFF; 32] } else { [0; 32] };
    bytes.get_mut(..big.len())?.copy_from_slice(big);
    Some(i256::from_le_bytes(bytes))
}

/// Integers of one column, each in at most 32 bytes; none where one has more.
fn wides(rows: IntRows<'_>, kind: IntKind) -> Option<Vec<i256>> {
    let ints = rows.into_wide(kind);
    let each = ints.values.iter().enumerate().map(|(row, bits)| match ints.big(row) {
        Some(big) => wide_of(big),
        None => wide_of(big_of_bits(kind, *bits, &mut [0; 9])),
    });
    each.collect()
}

fn decimal_buffer(data_type: &DataType, wides: &[i256]) -> Option<Buffer> {
    Some(match data_type {
        DataType::Decimal128(..) => {
            Buffer::from_vec(wides.iter().map(|wide| wide.to_i128()).collect::<Option<Vec<_>>>()?)
        }
        _ => Buffer::from_vec(wides.to_vec()),
    })
}

/// The numbers of a decimal type, in units of its last place.
pub struct Decimals {
    pub units: Vec<i256>,
    pub digits: usize,
    pub scale: i64,
}

/// Reads the decimals of a place.
pub fn decimals(types: &Types<'_>, storage: TypeId) -> Result<Decimals> {
    let fault = |what: &str| types.unmappable(storage, what);
    let Type::Tuple(members) = types.ty(storage) else { return Err(fault("a decimal")) };
    let ints = |id: TypeId, kind: IntKind| {
        types.read(id, Vec::new(), |column| match column {
            Column::Ints(rows) => wides(rows, kind).ok_or_else(|| fault("a longer decimal")),
            Column::None => Ok(Vec::new()),
            _ => Err(fault("decimals of a later version")),
        })
    };
    let forms = ints(members[0], IntKind::U8)?;
    let coefficients = ints(members[1], IntKind::Int)?;
    let exponents = ints(members[2], IntKind::Int)?;
    if forms.iter().any(|form| *form > i256::ONE) {
        return Err(fault("a decimal that is infinite or not a number"));
    }
    let exponents: Option<Vec<i64>> =
        exponents.iter().map(|e| e.to_i128()?.try_into().ok()).collect();
    let exponents = exponents.ok_or_else(|| fault("a decimal of such an exponent"))?;
    let scale = exponents.iter().map(|e| e.saturating_neg()).max().unwrap_or(0).max(0);
    let mut digits = usize::try_from(scale).unwrap_or(usize::MAX);
    let mut units = Vec::with_capacity(forms.len());
    for ((form, coefficient), exponent) in forms.iter().zip(coefficients).zip(exponents) {
        let power = u32::try_from(exponent.saturating_add(scale)).ok().filter(|power| *power <= 76);
        let scaled = power
            .and_then(|power| coefficient.checked_mul(i256::from_i128(10).checked_pow(power)?));
        let scaled = scaled.ok_or_else(|| fault("a decimal of more than 76 digits"))?;
        digits = digits.max(scaled.to_string().trim_start_matches('-').len());
        units.push(if *form == i256::ONE { scaled.wrapping_neg() } else { scaled });
    }
    Ok(Decimals { units, digits, scale })
}

impl Builder<'_> {
    /// Numbers of a fixed width, in place where the message has them as memory does.
    pub(super) fn numbers(
        &self,
        id: TypeId,
        data_type: &DataType,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        let width = data_type.primitive_width().unwrap_or(8);
        self.charge_absent(id, mask, width)?;
        let dense = match self.unencoded(id, width, mask)? {
            Some(buffer) => buffer,
            None => self.decoded(id, data_type)?,
        };
        of_buffer(data_type, mask.spread(dense, width), mask)
    }

    /// Numbers that are stored as in memory: in place if each row has one, so that nothing here reads them.
    fn unencoded(&self, id: TypeId, width: usize, mask: &Mask) -> Result<Option<Buffer>> {
        if !IS_FORMAT_ORDER {
            return Ok(None);
        }
        let block = self.block;
        block.rows(id)?;
        let Some(range) = block.raw(id)? else { return Ok(None) };
        if range.end - range.start >= MIN_BORROWED_BYTES
            && mask.present() == mask.len
            && let Some(part) = self.memory.and_then(|memory| memory.part(range.clone()))
            && part.as_ptr().addr() % width == 0
        {
            return Ok(Some(part));
        }
        // The range is inside a source whose parts fit memory.
        let mut bytes = MutableBuffer::from_len_zeroed((range.end - range.start) as usize);
        block.read_at(&mut bytes, range.start)?;
        Ok(Some(bytes.into()))
    }

    fn decoded(&self, id: TypeId, data_type: &DataType) -> Result<Buffer> {
        self.block.read(id, |column| {
            Ok(match column {
                Column::None => Buffer::from_vec(Vec::<u8>::new()),
                Column::Ints(IntRows::W8(rows)) => Buffer::from_vec(rows.into_owned()),
                Column::Ints(IntRows::W16(rows)) => Buffer::from_vec(rows),
                Column::Ints(IntRows::W32(rows)) => Buffer::from_vec(rows),
                Column::Ints(IntRows::W64(rows)) => Buffer::from_vec(rows),
                Column::Ints(IntRows::Wide(ints)) if !ints.has_bigs() => {
                    Buffer::from_vec(ints.values)
                }
                Column::Ints(IntRows::Wide(_)) => return Err(self.beyond(id, data_type)),
                Column::Floats(floats) => match floats.into_bytes() {
                    Cow::Owned(bytes) => Buffer::from_vec(bytes),
                    Cow::Borrowed(bytes) => Buffer::from(bytes),
                },
                _ => return Err(self.later(id)),
            })
        })
    }

    /// Whole numbers that Arrow stores in 32 bits.
    pub(super) fn narrow(&self, id: TypeId, data_type: &DataType, mask: &Mask) -> Result<ArrayRef> {
        self.charge_absent(id, mask, 4)?;
        let wide = self.decoded(id, data_type)?;
        let narrow: Result<Vec<i32>, _> =
            wide.typed_data::<i64>().iter().map(|number| i32::try_from(*number)).collect();
        let narrow = narrow.map_err(|_| self.beyond(id, data_type))?;
        of_buffer(data_type, mask.spread(Buffer::from_vec(narrow), 4), mask)
    }

    pub(super) fn bf16(&self, id: TypeId, data_type: &DataType, mask: &Mask) -> Result<ArrayRef> {
        self.charge_absent(id, mask, 4)?;
        let halves = self.decoded(id, data_type)?;
        let (halves, _) = halves.as_slice().as_chunks::<2>();
        let floats = halves.iter().map(|bytes| bf16::from_le_bytes(*bytes).to_f32());
        let floats = Buffer::from_vec(floats.collect::<Vec<f32>>());
        of_buffer(data_type, mask.spread(floats, 4), mask)
    }

    /// Integers as decimals.
    pub(super) fn wide(
        &self,
        id: TypeId,
        kind: IntKind,
        data_type: &DataType,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        let wides = self.block.read(id, |column| match column {
            Column::Ints(rows) => wides(rows, kind).ok_or_else(|| self.beyond(id, data_type)),
            Column::None => Ok(Vec::new()),
            _ => Err(self.later(id)),
        })?;
        self.of_wides(id, &wides, data_type, mask)
    }

    pub(super) fn decimal(
        &self,
        id: TypeId,
        data_type: &DataType,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        self.of_wides(id, &decimals(self.types, id)?.units, data_type, mask)
    }

    fn of_wides(
        &self,
        id: TypeId,
        wides: &[i256],
        data_type: &DataType,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        let width = if matches!(data_type, DataType::Decimal128(..)) { 16 } else { 32 };
        self.charge_absent(id, mask, width)?;
        let dense = decimal_buffer(data_type, wides).ok_or_else(|| self.beyond(id, data_type))?;
        of_buffer(data_type, mask.spread(dense, width), mask)
    }
}
