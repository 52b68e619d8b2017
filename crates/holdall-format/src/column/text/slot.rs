//! A slot of a template: the place of a number in text (F-98).

use crate::memory::GrowVec;
use alloc::vec::Vec;

/// These bytes begin a slot; UTF-8 never contains them.
const SHORTEST: u8 = 0xF8;
const DECIMAL: u8 = 0xF9;
const LOWER: u8 = 0xFA;
const UPPER: u8 = 0xFB;

/// The most digits of a slot that states their number.
pub(super) const MOST_DECIMAL: usize = 19;
pub(super) const MOST_HEX: usize = 16;

/// All pairs of decimal digits.
const PAIRS: &[u8; 200] = b"\
    0001020304050607080910111213141516171819\
    2021222324252627282930313233343536373839\
    4041424344454647484950515253545556575859\
    6061626364656667686970717273747576777879\
    8081828384858687888990919293949596979899";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// Decimal, without leading zeros.
    Shortest,
    /// This many decimal digits.
    Decimal(u8),
    /// This many hexadecimal digits.
    Lower(u8),
    Upper(u8),
}

impl Slot {
    /// Whether a byte of a template begins a slot.
    #[inline]
    pub(super) fn begins(byte: u8) -> bool {
        (SHORTEST..=UPPER).contains(&byte)
    }

    /// Reads the slot at the front of a template. Returns it with its number of bytes; none if its number of digits is
    /// missing or out of range.
    pub(super) fn read(bytes: &[u8]) -> Option<(Slot, usize)> {
        let (&first, rest) = bytes.split_first()?;
        if first == SHORTEST {
            return Some((Slot::Shortest, 1));
        }
        let digits = *rest.first()?;
        let (slot, most) = match first {
            DECIMAL => (Slot::Decimal(digits), MOST_DECIMAL),
            LOWER => (Slot::Lower(digits), MOST_HEX),
            _ => (Slot::Upper(digits), MOST_HEX),
        };
        (1..=most).contains(&usize::from(digits)).then_some((slot, 2))
    }

    /// Appends the slot to a template.
    pub(super) fn write(self, template: &mut Vec<u8>) {
        match self {
            Slot::Shortest => template.put(SHORTEST),
            Slot::Decimal(digits) => template.put_each([DECIMAL, digits]),
            Slot::Lower(digits) => template.put_each([LOWER, digits]),
            Slot::Upper(digits) => template.put_each([UPPER, digits]),
        }
    }

    /// The number of digits of every number, if the slot states it.
    #[inline]
    pub(super) fn digits(self) -> Option<usize> {
        match self {
            Slot::Shortest => None,
            Slot::Decimal(digits) | Slot::Lower(digits) | Slot::Upper(digits) => {
                Some(digits.into())
            }
        }
    }

    /// The largest number that the slot can hold.
    pub(super) fn most(self) -> u64 {
        match self {
            Slot::Shortest => u64::MAX,
            Slot::Decimal(digits) => 10_u64.pow(digits.into()) - 1,
            Slot::Lower(digits) | Slot::Upper(digits) => u64::MAX >> (64 - 4 * u32::from(digits)),
        }
    }

    /// The number of bytes of text that a number takes in this slot.
    #[inline]
    pub(super) fn len(self, number: u64) -> usize {
        self.digits().unwrap_or_else(|| number.checked_ilog10().map_or(1, |log| log as usize + 1))
    }

    /// Prints a number over as many bytes as it takes.
    #[inline]
    pub(super) fn print(self, mut number: u64, text: &mut [u8]) {
        let letters = match self {
            Slot::Lower(_) => b"0123456789abcdef",
            Slot::Upper(_) => b"0123456789ABCDEF",
            Slot::Shortest | Slot::Decimal(_) => return print_decimal(number, text),
        };
        for digit in text.iter_mut().rev() {
            *digit = letters[(number & 15) as usize];
            number >>= 4;
        }
    }
}

#[inline]
fn print_decimal(mut number: u64, text: &mut [u8]) {
    let (ahead, pairs) = text.as_rchunks_mut::<2>();
    for pair in pairs.iter_mut().rev() {
        let at = 2 * (number % 100) as usize;
        pair.copy_from_slice(&PAIRS[at..at + 2]);
        number /= 100;
    }
    if let [first] = ahead {
        *first = b'0' + number as u8;
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use super::Slot;

    #[test]
    fn a_slot_prints_like_the_standard_library() {
        let numbers = [0, 1, 9, 10, 99, 100, 101, 65_535, 123_456_789, u64::MAX / 7, u64::MAX];
        let print = |slot: Slot, number| {
            let mut text = vec![0; slot.len(number)];
            slot.print(number, &mut text);
            String::from_utf8(text).unwrap()
        };
        for number in numbers {
            assert_eq!(print(Slot::Shortest, number), number.to_string());
            for digits in 1..=19 {
                let slot = Slot::Decimal(digits);
                if number <= slot.most() {
                    let width = usize::from(digits);
                    assert_eq!(print(slot, number), format!("{number:0width$}"));
                }
            }
            for digits in 1..=16 {
                let width = usize::from(digits);
                if number <= Slot::Lower(digits).most() {
                    assert_eq!(print(Slot::Lower(digits), number), format!("{number:0width$x}"));
                    assert_eq!(print(Slot::Upper(digits), number), format!("{number:0width$X}"));
                }
            }
        }
    }

    #[test]
    fn a_slot_reads_as_it_was_written_and_no_other_number_of_digits_does() {
        for digits in 0..=255 {
            for (slot, most) in
                [(Slot::Decimal(digits), 19), (Slot::Lower(digits), 16), (Slot::Upper(digits), 16)]
            {
                let mut template = Vec::new();
                slot.write(&mut template);
                let expected = (1..=most).contains(&digits).then_some((slot, 2));
                assert_eq!(Slot::read(&template), expected);
                assert_eq!(Slot::read(&template[..1]), None);
            }
        }
        assert_eq!(Slot::read(&[0xF8]), Some((Slot::Shortest, 1)));
    }
}
