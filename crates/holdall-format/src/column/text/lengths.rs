//! Lengths of text that a writer gathers: one byte each, as long as all fit.

use crate::column::frame::Choice;
use crate::column::ints::prepare_words;
use crate::number::{IntKind, write_varint};

/// Lengths of rows. As 64-bit numbers, the lengths of 200,000 names and addresses were a quarter of all memory
/// accessed, and took 11 % of the time.
#[derive(Clone, Debug, Default)]
pub(super) struct Lengths {
    /// All lengths, if each fits a byte; otherwise empty.
    short: Vec<u8>,
    /// All lengths, if one does not fit a byte; otherwise empty.
    long: Vec<u64>,
}

impl Lengths {
    #[inline]
    pub(super) fn push(&mut self, len: usize) {
        match u8::try_from(len) {
            Ok(short) if self.long.is_empty() => self.short.push(short),
            _ => self.push_long(len),
        }
    }

    #[inline(never)]
    fn push_long(&mut self, len: usize) {
        self.widen();
        self.long.push(len as u64);
    }

    /// Moves all lengths to the wider buffer.
    fn widen(&mut self) {
        self.long.extend(self.short.drain(..).map(u64::from));
    }

    #[inline]
    pub(super) fn extend(&mut self, lens: impl Iterator<Item = usize> + Clone) {
        if self.long.is_empty() {
            let (before, mut all) = (self.short.len(), 0);
            self.short.extend(lens.clone().map(|len| {
                all |= len;
                len as u8
            }));
            if u8::try_from(all).is_ok() {
                return;
            }
            self.short.truncate(before);
            self.widen();
        }
        self.long.extend(lens.map(|len| len as u64));
    }

    pub(super) fn reserve(&mut self, rows: usize) {
        self.short.reserve(rows);
    }

    pub(super) fn len(&self) -> usize {
        self.short.len() + self.long.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.short.truncate(len);
        self.long.truncate(len);
    }

    pub(super) fn clear(&mut self) {
        self.truncate(0);
    }

    /// The lengths are of rows in memory, so each fits.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        let short = self.short.iter().map(|&len| usize::from(len));
        short.chain(self.long.iter().map(|&len| len as usize))
    }

    /// The frame of 4 or more lengths.
    pub(super) fn frame(&self) -> Choice {
        match &self.long[..] {
            [] => Choice::of(&self.short, false),
            long => Choice::of(long, false),
        }
    }

    /// Like [`prepare_words`].
    pub(super) fn prepare(&self) -> (usize, Option<Choice>) {
        match &self.long[..] {
            [] => prepare_words(IntKind::U64, &self.short),
            long => prepare_words(IntKind::U64, long),
        }
    }

    /// Appends the frame of the lengths.
    pub(super) fn write(&self, out: &mut Vec<u8>, frame: &Choice) {
        match &self.long[..] {
            [] => frame.write(out, &self.short),
            long => frame.write(out, long),
        }
    }

    /// Appends fewer than 4 lengths.
    pub(super) fn write_few(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|len| write_varint(out, len as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::Lengths;

    #[test]
    fn lengths_are_the_same_whichever_of_them_are_long() {
        let lists: [&[usize]; 5] =
            [&[], &[0, 255, 3], &[256], &[1, 2, 3, 256, 4], &[70_000, 1, usize::MAX]];
        let mut lengths = Lengths::default();
        for first in lists {
            for second in lists {
                lengths.clear();
                lengths.extend(first.iter().copied());
                second.iter().for_each(|len| lengths.push(*len));
                lengths.extend(first.iter().copied());
                let expected = [first, second, first].concat();
                assert_eq!(lengths.iter().collect::<Vec<_>>(), expected);
                assert_eq!(lengths.len(), expected.len());
                lengths.truncate(first.len());
                assert_eq!(lengths.iter().collect::<Vec<_>>(), first);
            }
        }
    }
}
