//! Frames of reference: n fields of w bits, packed from the low bit (F-29, F-59).

use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::number::{read_varint, unzigzag, varint_len, write_varint, zigzag};

const WITH_BASE: u8 = 0x80;

/// The widths that profiles fast and balanced write (F-42).
const FAST_WIDTHS: [u32; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64];
/// The widest field that one load of 8 bytes holds wherever it starts; then only 64 (F-29).
const WIDEST: u32 = 57;

/// Which widths a writer may choose.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Widths {
    /// Those that are fast to pack (F-42).
    Fast,
    /// All (F-63).
    Any,
    /// Whole bytes, which zstd packs best.
    Bytes,
}

impl Widths {
    /// The smallest width that holds a field.
    pub(crate) fn holding(self, largest: u64) -> u32 {
        let bits = 64 - largest.leading_zeros();
        match self {
            Widths::Fast => FAST_WIDTHS.into_iter().find(|&width| width >= bits).unwrap_or(64),
            Widths::Any if bits > WIDEST => 64,
            Widths::Any => bits,
            Widths::Bytes => [0, 8, 16, 32].into_iter().find(|&w| w >= bits).unwrap_or(64),
        }
    }
}

/// How many bytes `rows` fields take; in 128 bits, so that no product wraps.
pub(crate) fn payload_len(rows: usize, width: u32) -> u128 {
    (rows as u128 * u128::from(width)).div_ceil(8)
}

/// A frame that a writer has chosen for a column: base and width.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    /// Written as a varint, unless `None`: then it is 0.
    base: Option<u64>,
    signed: bool,
    width: u32,
    rows: usize,
}

impl Choice {
    /// The frame with or without base, whichever is smaller (F-42).
    pub(crate) fn of(values: &[u64], signed: bool, widths: Widths) -> Choice {
        // Flipping the sign bit makes signed order the order of unsigned numbers.
        let flip = if signed { 1 << 63 } else { 0 };
        let (low, high, largest) =
            values.iter().fold((u64::MAX, 0, 0), |(low, high, most), &value| {
                (low.min(value ^ flip), high.max(value ^ flip), value.max(most))
            });
        let rows = values.len();
        let plain = Choice { base: None, signed, width: widths.holding(largest), rows };
        let spread = high.wrapping_sub(low);
        let based = Choice { base: Some(low ^ flip), width: widths.holding(spread), ..plain };
        if rows > 0 && based.size() < plain.size() { based } else { plain }
    }

    /// The bytes of base and payload.
    pub(crate) fn size(&self) -> u128 {
        let base = self.base.map_or(0, |base| varint_len(self.varint(base)));
        base as u128 + payload_len(self.rows, self.width)
    }

    fn varint(&self, base: u64) -> u64 {
        if self.signed { zigzag(base.cast_signed()) } else { base }
    }

    /// Appends encoding byte, base and payload.
    pub(crate) fn write(&self, out: &mut Vec<u8>, values: &[u64]) {
        match self.base {
            None => out.push(self.width as u8),
            Some(base) => {
                out.push(WITH_BASE | self.width as u8);
                write_varint(out, self.varint(base));
            }
        }
        pack(out, values, self.base.unwrap_or(0), self.width);
    }
}

/// Appends an inner frame (F-44, F-59).
pub(crate) fn write_inner(out: &mut Vec<u8>, values: &[u64], signed: bool, widths: Widths) {
    Choice::of(values, signed, widths).write(out, values);
}

/// A frame that has been located; its padding is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    pub(crate) base: u64,
    pub(crate) width: u32,
    rows: usize,
    payload: &'a [u8],
}

/// Whether an encoding byte is that of a frame.
pub(crate) fn is_frame(byte: u8) -> bool {
    matches!(byte, 0..=0x39 | 0x40 | 0x80..=0xB9 | 0xC0)
}

impl<'a> Frame<'a> {
    /// Finds what stands behind a frame's encoding byte.
    pub(crate) fn locate(
        input: &mut Input<'a>,
        byte: u8,
        rows: usize,
        signed: bool,
    ) -> Result<Frame<'a>> {
        let base = match byte & WITH_BASE {
            0 => 0,
            _ if signed => unzigzag(read_varint(input)?).cast_unsigned(),
            _ => read_varint(input)?,
        };
        let width = u32::from(byte & !WITH_BASE);
        let payload = input.take(payload_len(rows, width), "a frame's fields")?;
        let used = (rows as u128 * u128::from(width) % 8) as u32;
        if let (Some(&last), 1..) = (payload.last(), used)
            && last >> used != 0
        {
            return Err(Error::at(Code::NonzeroPadding, input.position() - 1)
                .expected(format!("{} zero bits", 8 - used))
                .got(format!("{last:02X}")));
        }
        Ok(Frame { base, width, rows, payload })
    }

    /// The largest field that the width allows.
    pub(crate) fn widest(&self) -> u64 {
        if self.width == 64 { u64::MAX } else { (1 << self.width) - 1 }
    }

    pub(crate) fn decode(&self) -> Vec<u64> {
        let mut rows = Vec::new();
        unpack(&mut rows, self.payload, self.rows, self.base, self.width);
        rows
    }
}

/// Finds and decodes an inner frame of `rows` > 0 rows (F-59).
pub(crate) fn read_inner(input: &mut Input<'_>, rows: usize, signed: bool) -> Result<Vec<u64>> {
    let start = input.position();
    let byte = input.byte("the encoding of a frame")?;
    if !is_frame(byte) {
        return Err(Error::at(Code::BadInnerEncoding, start)
            .expected("a frame")
            .got(format!("{byte:02X}")));
    }
    Ok(Frame::locate(input, byte, rows, signed)?.decode())
}

/// Appends the fields `value - base` of all rows.
pub(crate) fn pack(out: &mut Vec<u8>, values: &[u64], base: u64, width: u32) {
    let fields = values.iter().map(|value| value.wrapping_sub(base));
    match width {
        0 => {}
        8 => out.extend(fields.map(|field| field as u8)),
        16 => {
            out.reserve(2 * values.len());
            fields.for_each(|field| out.extend_from_slice(&(field as u16).to_le_bytes()));
        }
        32 => {
            out.reserve(4 * values.len());
            fields.for_each(|field| out.extend_from_slice(&(field as u32).to_le_bytes()));
        }
        64 => {
            out.reserve(8 * values.len());
            fields.for_each(|field| out.extend_from_slice(&field.to_le_bytes()));
        }
        _ => {
            // Fields are gathered in a word; what does not fit into it starts the next.
            let end = out.len() + payload_len(values.len(), width) as usize;
            let (mut word, mut used) = (0u64, 0);
            for field in fields {
                word |= field << used;
                used += width;
                if used >= 64 {
                    out.extend_from_slice(&word.to_le_bytes());
                    used -= 64;
                    word = if used == 0 { 0 } else { field >> (width - used) };
                }
            }
            if used > 0 {
                out.extend_from_slice(&word.to_le_bytes());
            }
            out.truncate(end);
        }
    }
}

/// Appends the rows `base + field` of a payload to `out`.
pub(crate) fn unpack(out: &mut Vec<u64>, payload: &[u8], rows: usize, base: u64, width: u32) {
    out.reserve(rows);
    let add = |field: u64| base.wrapping_add(field);
    match width {
        0 => out.resize(out.len() + rows, base),
        8 => out.extend(payload.iter().map(|&b| add(u64::from(b)))),
        16 => {
            out.extend(
                payload.as_chunks().0.iter().map(|&b| add(u64::from(u16::from_le_bytes(b)))),
            );
        }
        32 => {
            out.extend(
                payload.as_chunks().0.iter().map(|&b| add(u64::from(u32::from_le_bytes(b)))),
            );
        }
        64 => out.extend(payload.as_chunks().0.iter().map(|&b| add(u64::from_le_bytes(b)))),
        _ => {
            // One load of 8 bytes holds any field of up to 57 bits, wherever in its first byte it starts.
            let mask = (1 << width) - 1;
            let width = width as usize;
            let whole = payload.len().saturating_sub(7) * 8 / width;
            let whole = whole.min(rows);
            out.extend((0..whole).map(|row| {
                let bit = row * width;
                let word = payload[bit / 8..].first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
                add(word >> (bit % 8) & mask)
            }));
            out.extend((whole..rows).map(|row| {
                let bit = row * width;
                let mut bytes = [0; 8];
                let tail = &payload[bit / 8..];
                let len = tail.len().min(8);
                bytes[..len].copy_from_slice(&tail[..len]);
                add(u64::from_le_bytes(bytes) >> (bit % 8) & mask)
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_length_and_base_comes_back() {
        for width in (0..=57).chain([64]) {
            let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
            for rows in 0..=130usize {
                for base in [0, 7, u64::MAX - 2] {
                    let values: Vec<u64> = (0..rows as u64)
                        .map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) & mask).wrapping_add(base))
                        .collect();
                    let mut bytes = Vec::new();
                    pack(&mut bytes, &values, base, width);
                    assert_eq!(bytes.len() as u128, payload_len(rows, width));
                    let mut back = Vec::new();
                    unpack(&mut back, &bytes, rows, base, width);
                    assert_eq!(back, values, "width {width}, {rows} rows, base {base}");
                }
            }
        }
    }

    #[test]
    fn fields_are_packed_from_the_low_bit() {
        let mut bytes = Vec::new();
        pack(&mut bytes, &[1, 2, 3, 4, 5], 0, 3);
        assert_eq!(bytes, [0b1101_0001, 0b0101_1000]);
    }
}
