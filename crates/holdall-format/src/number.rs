//! Varints, zigzag, and integers of any size (spec, chapter 2).

use alloc::vec::Vec;

use crate::memory::GrowVec;

/// The longest varint, in bytes.
pub const MAX_VARINT: usize = 9;

/// The kinds of integer columns: fixed widths, and `int` of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after the types they are")]
pub enum IntKind {
    U8,
    U16,
    U32,
    U64,
    U128,
    I8,
    I16,
    I32,
    I64,
    I128,
    /// Signed, of any size.
    Int,
}

impl IntKind {
    /// Whether the kind has negative numbers.
    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            IntKind::I8 | IntKind::I16 | IntKind::I32 | IntKind::I64 | IntKind::I128 | IntKind::Int
        )
    }

    /// Whether the kind has numbers beyond 64 bits.
    #[must_use]
    pub fn is_wide(self) -> bool {
        matches!(self, IntKind::U128 | IntKind::I128 | IntKind::Int)
    }

    /// The width in bytes, if it is the same for all numbers.
    #[must_use]
    pub fn width(self) -> Option<u64> {
        match self {
            IntKind::U8 | IntKind::I8 => Some(1),
            IntKind::U16 | IntKind::I16 => Some(2),
            IntKind::U32 | IntKind::I32 => Some(4),
            IntKind::U64 | IntKind::I64 => Some(8),
            IntKind::U128 | IntKind::I128 => Some(16),
            IntKind::Int => None,
        }
    }

    pub fn is_byte(self) -> bool {
        matches!(self, IntKind::U8 | IntKind::I8)
    }

    /// The kind's type name in schema text.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            IntKind::U8 => "u8",
            IntKind::U16 => "u16",
            IntKind::U32 => "u32",
            IntKind::U64 => "u64",
            IntKind::U128 => "u128",
            IntKind::I8 => "i8",
            IntKind::I16 => "i16",
            IntKind::I32 => "i32",
            IntKind::I64 => "i64",
            IntKind::I128 => "i128",
            IntKind::Int => "int",
        }
    }

    /// The smallest and largest 64-bit pattern of a narrow kind, or `None` where every pattern is in range.
    pub fn bounds(self) -> Option<(u64, u64)> {
        match self {
            IntKind::U8 => Some((0, u64::from(u8::MAX))),
            IntKind::U16 => Some((0, u64::from(u16::MAX))),
            IntKind::U32 => Some((0, u64::from(u32::MAX))),
            IntKind::I8 => Some((i64::from(i8::MIN).cast_unsigned(), i8::MAX as u64)),
            IntKind::I16 => Some((i64::from(i16::MIN).cast_unsigned(), i16::MAX as u64)),
            IntKind::I32 => Some((i64::from(i32::MIN).cast_unsigned(), i32::MAX as u64)),
            _ => None,
        }
    }

    /// Whether a 64-bit pattern (sign-extended for signed kinds) is a number of this kind.
    pub fn holds(self, bits: u64) -> bool {
        // Patterns in order: a signed kind's begin with its least number, and wrap around.
        self.bounds().is_none_or(|(low, high)| bits.wrapping_sub(low) <= high.wrapping_sub(low))
    }

    /// Whether a big, in shortest form, is in this kind's range.
    pub fn holds_big(self, big: &[u8]) -> bool {
        match self {
            IntKind::Int => true,
            IntKind::I128 => big.len() <= 16,
            IntKind::U128 => {
                !is_negative(big) && (big.len() <= 16 || (big.len() == 17 && big[16] == 0))
            }
            _ => self.bits_of_big(big).is_some_and(|bits| self.holds(bits)),
        }
    }

    /// The 64-bit pattern of a big, if it fits 64 bits: unsigned for unsigned kinds, otherwise signed.
    pub fn bits_of_big(self, big: &[u8]) -> Option<u64> {
        let fits = if self.is_signed() {
            big.len() <= 8
        } else {
            !is_negative(big) && (big.len() <= 8 || (big.len() == 9 && big[8] == 0))
        };
        fits.then(|| {
            let mut word = if is_negative(big) { [0xFF; 8] } else { [0; 8] };
            let len = big.len().min(8);
            word[..len].copy_from_slice(&big[..len]);
            u64::from_le_bytes(word)
        })
    }
}

fn is_negative(big: &[u8]) -> bool {
    big.last().is_some_and(|last| last & 0x80 != 0)
}

/// Whether bytes are the shortest form of a big (F-6).
pub fn is_shortest_big(big: &[u8]) -> bool {
    match big {
        [] => false,
        [_] => true,
        [.., before, last] => {
            let sign_before = before & 0x80 != 0;
            *last != if sign_before { 0xFF } else { 0 }
        }
    }
}

/// The first 16 bytes of a big, extended by its sign.
pub fn wide_of_big(big: &[u8]) -> [u8; 16] {
    let mut wide = if is_negative(big) { [0xFF; 16] } else { [0; 16] };
    let len = big.len().min(16);
    wide[..len].copy_from_slice(&big[..len]);
    wide
}

/// Shortens two's complement bytes to the shortest form (F-6).
pub fn shorten_big(mut bytes: &[u8]) -> &[u8] {
    while bytes.len() > 1 && !is_shortest_big(bytes) {
        bytes = &bytes[..bytes.len() - 1];
    }
    bytes
}

/// The shortest big of a 64-bit pattern of a kind.
pub fn big_of_bits(kind: IntKind, bits: u64, buffer: &mut [u8; 9]) -> &[u8] {
    buffer[..8].copy_from_slice(&bits.to_le_bytes());
    buffer[8] = if kind.is_signed() && bits >> 63 != 0 { 0xFF } else { 0 };
    shorten_big(buffer)
}

/// Maps signed to unsigned, and small numbers to small ones (F-5).
pub fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// Reverses [`zigzag`].
pub fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

/// The number of bytes that [`write_varint`] writes.
pub fn varint_len(value: u64) -> usize {
    let bits = 64 - (value | 1).leading_zeros() as usize;
    if bits > 56 { MAX_VARINT } else { bits.div_ceil(7) }
}

/// Appends a varint (F-3): 300 is `B1 04`.
#[inline]
pub fn write_varint(out: &mut Vec<u8>, value: u64) {
    // Most numbers are short; without the call, small messages take a tenth less time.
    if value < 0x80 { out.put((value as u8) << 1) } else { write_long_varint(out, value) }
}

fn write_long_varint(out: &mut Vec<u8>, value: u64) {
    let len = varint_len(value);
    if len == MAX_VARINT {
        out.put(0xFF);
        out.put_slice(&value.to_le_bytes());
    } else {
        let tag = (1u64 << (len - 1)) - 1;
        let word = (value << len) | tag;
        // Appends all 8 bytes and drops some: a copy of variable length takes a call.
        let end = out.len() + len;
        out.put_slice(&word.to_le_bytes());
        out.truncate(end);
    }
}

/// The varint at the head of some bytes, and its length; none if it is cut off or not the shortest.
#[inline]
pub fn split_varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let len = bytes.first()?.trailing_ones() as usize + 1;
    if bytes.len() < len {
        return None;
    }
    let value = value_of(bytes, len);
    (varint_len(value) == len).then_some((value, len))
}

/// The value of a varint of this length, whose bytes exist.
#[inline]
pub fn value_of(bytes: &[u8], len: usize) -> u64 {
    let bytes = if len == MAX_VARINT { &bytes[1..] } else { bytes };
    let word =
        bytes.first_chunk().map_or_else(|| last_word(bytes), |word| u64::from_le_bytes(*word));
    if len == MAX_VARINT {
        return word;
    }
    // The bytes after the varint are shifted out at the top.
    let spare = 64 - 8 * len as u32;
    word << spare >> spare >> len
}

/// The word of fewer than 8 bytes, at least one: of loads that overlap, because a loop over the last bytes of a message
/// is a fifth of the time to read a small struct.
#[inline]
fn last_word(bytes: &[u8]) -> u64 {
    let end = bytes.len() - 1;
    if let (Some(low), Some(high)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let [low, high] = [low, high].map(|half| u64::from(u32::from_le_bytes(*half)));
        return low | high << (8 * (end - 3));
    }
    [0, end / 2 + end % 2, end]
        .into_iter()
        .fold(0, |word, at| word | u64::from(bytes[at]) << (8 * at))
}
