//! Floats: IEEE 754 numbers of 4 or 8 bytes, every bit pattern kept (F-30).

use super::{FEW, Place, unreadable};
use crate::error::Result;
use crate::input::Input;

const RAW: u8 = 0x58;
const CONSTANT: u8 = 0x59;
/// narrowed, decimal, byte planes (F-57).
const RESERVED: [u8; 3] = [0x5A, 0x5B, 0x5C];

/// A float as its bytes on the wire.
pub(crate) trait Float: Copy {
    type Bytes: AsRef<[u8]> + PartialEq;
    fn wire(self) -> Self::Bytes;
}

impl Float for f32 {
    type Bytes = [u8; 4];
    fn wire(self) -> [u8; 4] {
        self.to_le_bytes()
    }
}

impl Float for f64 {
    type Bytes = [u8; 8];
    fn wire(self) -> [u8; 8] {
        self.to_le_bytes()
    }
}

/// Appends a column in profile fast (F-43).
pub(crate) fn write<F: Float>(out: &mut Vec<u8>, values: &[F]) {
    let Some(&first) = values.first() else { return };
    if values.len() >= FEW {
        let first = first.wire();
        if values.iter().all(|value| value.wire() == first) {
            out.push(CONSTANT);
            return out.extend_from_slice(first.as_ref());
        }
        out.push(RAW);
    }
    out.reserve(size_of_val(values));
    values.iter().for_each(|value| out.extend_from_slice(value.wire().as_ref()));
}

/// A column that has been located. There is nothing to validate: every bit pattern is a float.
#[derive(Clone, Debug)]
pub(crate) struct Floats<'a> {
    pub(crate) place: Place,
    payload: &'a [u8],
    constant: bool,
}

/// Finds a column of `rows` > 0 rows of `width` bytes.
pub(crate) fn locate<'a>(input: &mut Input<'a>, width: usize, rows: usize) -> Result<Floats<'a>> {
    let start = input.position();
    let all = rows as u128 * width as u128;
    let (encoding, constant) = if rows < FEW {
        (None, false)
    } else {
        match input.byte("the encoding of floats")? {
            byte @ RAW => (Some(byte), false),
            byte @ CONSTANT => (Some(byte), true),
            byte => return Err(unreadable(byte, &RESERVED, start)),
        }
    };
    let payload = input.take(if constant { width as u128 } else { all }, "floats")?;
    Ok(Floats {
        place: Place { range: start..input.position(), encoding, rows },
        payload,
        constant,
    })
}

impl Floats<'_> {
    #[inline]
    fn bytes<const W: usize>(&self, row: usize) -> [u8; W] {
        let at = if self.constant { 0 } else { row * W };
        self.payload[at..].first_chunk().copied().unwrap_or([0; W])
    }

    /// The value of a row of a column with 4 bytes each.
    #[inline]
    pub(crate) fn decode_f32(&self, row: usize) -> f32 {
        f32::from_le_bytes(self.bytes(row))
    }

    /// The value of a row of a column with 8 bytes each.
    #[inline]
    pub(crate) fn decode_f64(&self, row: usize) -> f64 {
        f64::from_le_bytes(self.bytes(row))
    }
}
