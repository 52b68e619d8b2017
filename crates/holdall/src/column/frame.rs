//! Frames of reference: n fields of w bits, packed from the low bit (F-29).

/// The widths that profile fast writes (F-42).
const FAST_WIDTHS: [u32; 12] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64];

/// The smallest of the fast widths that holds a field.
pub(crate) fn fast_width(largest: u64) -> u32 {
    let bits = 64 - largest.leading_zeros();
    FAST_WIDTHS.into_iter().find(|&width| width >= bits).unwrap_or(64)
}

/// How many bytes `rows` fields take; in 128 bits, so that no product wraps.
pub(crate) fn payload_len(rows: usize, width: u32) -> u128 {
    (rows as u128 * u128::from(width)).div_ceil(8)
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
