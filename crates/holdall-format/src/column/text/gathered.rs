//! Text gathered row by row; as a dictionary as soon as it repeats.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::memory::{Grow, GrowVec};
use core::mem;

use super::dictionary::{SAMPLE, TextDictionary};
use super::{PLAIN, TextBuffer, small, write, write_dictionary, write_plain};
use crate::column::pieces::{self, Apart, Payload};
use crate::column::{MIN_ENCODED_ROWS, Profile, Settings};
use crate::kernel::short;

/// Rows of text. If they would be written as a dictionary, they are kept as one: repeated rows take no memory and are
/// not copied. 50,000 log records took half the memory.
#[derive(Clone, Debug, Default)]
pub struct GatheredText {
    /// All rows; empty if there is a dictionary.
    plain: TextBuffer,
    dictionary: Option<Box<TextDictionary>>,
}

impl GatheredText {
    /// Reserves room for some short rows.
    pub fn reserve(&mut self, rows: usize) {
        self.plain.lengths.reserve(rows);
        self.plain.bytes.room(8 * rows);
    }

    /// Appends a row; `use_dictionary` says whether a dictionary may be kept.
    #[inline]
    pub fn push(&mut self, text: &[u8], use_dictionary: bool) {
        if let Some(dictionary) = &mut self.dictionary {
            let entries = dictionary.entries();
            if dictionary.push(text).is_some() {
                if dictionary.entries() > entries && entries.is_power_of_two() {
                    self.check();
                }
                return;
            }
            self.unfold();
        }
        self.plain.push(text);
        if self.plain.lengths.len() == SAMPLE && use_dictionary {
            self.fold();
        }
    }

    /// Appends rows in the same way; returns how many.
    #[inline]
    pub fn extend<'t>(
        &mut self,
        mut rows: impl Iterator<Item = &'t [u8]>,
        use_dictionary: bool,
    ) -> usize {
        let mut count = 0;
        while self.dictionary.is_some() || self.plain.lengths.len() < SAMPLE {
            let Some(row) = rows.next() else { return count };
            self.push(row, use_dictionary);
            count += 1;
        }
        // From here on there is no dictionary.
        let TextBuffer { lengths, bytes } = &mut self.plain;
        let rows = rows.inspect(|row| {
            lengths.push(row.len() as u64);
            count += 1;
        });
        short::append(bytes, rows);
        count
    }

    #[cold]
    fn fold(&mut self) {
        if let Some(dictionary) = TextDictionary::of(&self.plain) {
            *self =
                GatheredText { plain: TextBuffer::default(), dictionary: Some(dictionary.into()) };
        }
    }

    /// After the table has grown, it may take more memory than it saves.
    #[cold]
    fn check(&mut self) {
        let takes_more = |own: &TextDictionary| own.size() > own.len() + own.total();
        if self.dictionary.as_deref().is_some_and(takes_more) {
            self.unfold();
        }
    }

    #[cold]
    fn unfold(&mut self) {
        if let Some(dictionary) = self.dictionary.take() {
            self.plain = plain(&dictionary);
        }
    }

    /// About how many bytes the rows would take in memory as plain text. This determines where blocks of streams end,
    /// so each length counts as 64 bits.
    pub fn size(&self) -> usize {
        match &self.dictionary {
            Some(dictionary) => 8 * dictionary.len() + dictionary.total(),
            None => self.plain.size(),
        }
    }

    /// About how many bytes the rows take in memory.
    pub fn held(&self) -> usize {
        match &self.dictionary {
            Some(dictionary) => dictionary.size(),
            None => self.plain.size(),
        }
    }

    /// Keeps the first rows.
    pub fn truncate(&mut self, len: usize) {
        self.unfold();
        self.plain.truncate(len);
    }

    pub fn clear(&mut self) {
        self.dictionary = None;
        self.plain.clear();
    }
}

fn plain(dictionary: &TextDictionary) -> TextBuffer {
    let mut plain = TextBuffer::default();
    dictionary.rows().for_each(|row| plain.push(row));
    plain
}

/// Appends a column.
pub fn write_gathered(out: &mut Vec<u8>, text: &GatheredText, settings: Settings) {
    let Some(dictionary) = &text.dictionary else { return write(out, &text.plain, settings) };
    if settings.profile.is_small() {
        return small::write(out, &plain(dictionary), Some(dictionary));
    }
    let lengths = dictionary.frame_of_rows();
    let plain_len = 1 + lengths.size() + dictionary.total() as u128;
    if settings.profile == Profile::Fast || !dictionary.write_below(plain_len, out) {
        write_plain(out, &plain(dictionary), &lengths);
    }
}

/// Appends a column. A large plain payload becomes a piece of its own, without a copy.
pub fn write_apart(
    out: &mut Vec<u8>,
    text: &mut GatheredText,
    settings: Settings,
    apart: &mut Apart,
) {
    let plain = &mut text.plain;
    let is_many = plain.lengths.len() >= MIN_ENCODED_ROWS && plain.bytes.len() >= pieces::MIN_PIECE;
    if !is_many || settings.profile.is_small() {
        return write_gathered(out, text, settings);
    }
    let lengths = plain.lengths.frame();
    if !write_dictionary(out, plain, &lengths, settings.profile) {
        out.put(PLAIN);
        plain.lengths.write_framed(out, &lengths);
        apart.push(out, Payload::Bytes(mem::take(&mut plain.bytes)));
    }
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;
    use alloc::string::String;
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::{GatheredText, write_apart, write_gathered};
    use crate::column::Profile;
    use crate::column::Settings;
    use crate::column::pieces::{Apart, Pieces};
    use crate::column::text::{TextBuffer, write, write_rows};

    /// Rows of `texts` distinct texts of different lengths; the first 1,500 rows have only `first` distinct ones.
    fn rows(count: usize, first: usize, texts: usize, len: usize) -> Vec<String> {
        let text = |row: usize| {
            let number = row * 7919 % if row < 1500 { first } else { texts };
            format!("{number}{}", "-".repeat(number % len))
        };
        (0..count).map(text).collect()
    }

    fn gathered(rows: &[String], use_dictionary: bool) -> GatheredText {
        let mut text = GatheredText::default();
        rows.iter().for_each(|row| text.push(row.as_bytes(), use_dictionary));
        text
    }

    fn columns(text: &mut GatheredText) -> [Vec<u8>; 3] {
        let settings = |profile| Settings::of(profile);
        let (mut fast, mut balanced) = (vec![7], vec![7]);
        write_gathered(&mut fast, text, settings(Profile::Fast));
        write_gathered(&mut balanced, text, settings(Profile::Balanced));
        let (mut rest, mut apart) = (vec![7], Apart::default());
        write_apart(&mut rest, text, settings(Profile::Balanced), &mut apart);
        let whole = Pieces::new(rest, apart).iter().flatten().copied().collect();
        [fast, balanced, whole]
    }

    proptest! {
        #[test]
        fn a_column_is_the_same_however_it_was_gathered(
            count in 0usize..6000,
            first in 1usize..1200,
            texts in 1usize..6000,
            len in 1usize..400,
            kept in 0usize..6000,
        ) {
            let mut rows = rows(count, first, texts, len);
            let mut text = gathered(&rows, true);
            for _ in 0..2 {
                let mut plain = TextBuffer::default();
                rows.iter().for_each(|row| plain.push(row.as_bytes()));
                let mut expected = [vec![7], vec![7]];
                let profiles = [Profile::Fast, Profile::Balanced];
                for (out, profile) in expected.iter_mut().zip(profiles) {
                    write(out, &plain, Settings::of(profile));
                    let (mut elsewhere, own) = (vec![7], rows.iter().map(String::as_bytes));
                    write_rows(&mut elsewhere, &own.collect::<Vec<_>>(), Settings::of(profile));
                    prop_assert_eq!(&elsewhere, out);
                }
                prop_assert_eq!(text.size(), plain.size());
                let mut at_once = GatheredText::default();
                let (first, rest) = rows.split_at(first.min(rows.len()));
                for some in [first, rest] {
                    let some = some.iter().map(String::as_bytes);
                    prop_assert_eq!(at_once.extend(some.clone(), true), some.len());
                }
                prop_assert_eq!(columns(&mut at_once), columns(&mut text.clone()));
                let [fast, balanced, apart] = columns(&mut text.clone());
                prop_assert!(expected[0] == fast && expected[1] == balanced && expected[1] == apart);
                rows.truncate(kept);
                text.truncate(kept);
            }
            text.clear();
            prop_assert_eq!(text.size(), 0);
        }
    }

    #[test]
    fn a_frame_of_lengths_is_that_of_all_rows_not_of_entries() {
        for texts in [vec!["0"], vec!["0", "11"], vec!["a", "bbb", "cc"]] {
            let rows: Vec<String> =
                (0..2000).map(|row| texts[row % texts.len()].to_owned()).collect();
            let mut plain = TextBuffer::default();
            rows.iter().for_each(|row| plain.push(row.as_bytes()));
            let mut expected = vec![7];
            write(&mut expected, &plain, Settings::of(Profile::Fast));
            assert_eq!(columns(&mut gathered(&rows, true))[0], expected);
        }
    }

    #[test]
    fn text_that_repeats_is_kept_by_its_entries_as_long_as_that_takes_less_memory() {
        let folded =
            |rows: &[String], use_dictionary| gathered(rows, use_dictionary).dictionary.is_some();
        assert!(!folded(&rows(1023, 10, 10, 5), true));
        assert!(folded(&rows(1024, 10, 10, 5), true));
        assert!(!folded(&rows(1024, 10, 10, 5), false));
        assert!(!folded(&rows(5000, 1200, 10, 5), true));
        assert!(!folded(&rows(200_000, 10, 100_000, 5), true));
    }
}
