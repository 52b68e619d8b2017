//! Parses rows of text into templates and numbers (F-98), in profile small: with only decimal numbers, or also with
//! long or shorter hexadecimal numbers.

use alloc::vec::Vec;

use super::dictionary::TextDictionary;
use super::slot::{MOST_DECIMAL, MOST_HEX, Slot};
use super::{TEMPLATES, TextBuffer, small};
use crate::column::ints::Candidates;
use crate::memory::GrowVec;
use crate::number::write_varint;

/// After this many slots, the digits of a row stay text.
const MOST_SLOTS: usize = 64;
/// The fewest digits of a hexadecimal number: for addresses and hashes, or also for the parts of UUIDs.
const HEX: [usize; 2] = [8, 4];

/// The rules by which numbers are found.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenForm {
    /// The fewest digits of a hexadecimal number, if these are searched for.
    hex: Option<usize>,
    /// For each slot of a row, a bit for each width in which a number has leading zeros. Numbers of these widths are
    /// written with their width, so that rows with and without zeros share a template.
    padded: Vec<u32>,
}

impl TokenForm {
    /// The form that takes the fewest bytes, and the column in it; none if that takes more than `most` bytes.
    pub(super) fn best(text: &TextBuffer, most: usize) -> Option<(TokenForm, Vec<u8>)> {
        let mut best: Option<(TokenForm, Vec<u8>)> = None;
        let mut before = None;
        let hex = if has_hex(text) { &HEX[..] } else { &[] };
        for hex in [None].into_iter().chain(hex.iter().copied().map(Some)) {
            let mut form = TokenForm { hex, padded: Vec::new() };
            let mut parts = Parts::of(text, &form)?;
            if !parts.padded.is_empty() {
                form.padded = core::mem::take(&mut parts.padded);
                parts = Parts::of(text, &form)?;
            }
            // This form finds nothing that the previous one did not.
            if parts.numbers.is_empty() || before.as_ref() == Some(&parts.templates.bytes) {
                continue;
            }
            let column = parts.column();
            if best.as_ref().map_or(column.len() <= most, |(_, best)| column.len() < best.len()) {
                best = Some((form, column));
            }
            before = Some(parts.templates.bytes);
        }
        best
    }

    /// The column in this form; none if a row has a byte that begins a slot.
    pub(super) fn column(&self, text: &TextBuffer) -> Option<Vec<u8>> {
        Some(Parts::of(text, self)?.column())
    }
}

/// Templates, and the numbers in their slots.
#[derive(Debug, Default)]
struct Parts {
    templates: TextBuffer,
    /// For each slot, the numbers of all rows that have it.
    numbers: Vec<Vec<u64>>,
    /// Like `TokenForm::padded`, for these rows.
    padded: Vec<u32>,
    /// The template of the current row.
    template: Vec<u8>,
    /// The number of slots in it.
    slots: usize,
}

impl Parts {
    /// None if a row has a byte that begins a slot.
    fn of(text: &TextBuffer, form: &TokenForm) -> Option<Parts> {
        let mut parts = Parts::default();
        for row in text.rows() {
            parts.push(row, form)?;
        }
        Some(parts)
    }

    fn push(&mut self, row: &[u8], form: &TokenForm) -> Option<()> {
        self.template.clear();
        self.slots = 0;
        let (mut start, mut at) = (0, 0);
        while at < row.len() {
            let byte = row[at];
            if Slot::begins(byte) {
                return None;
            }
            if !byte.is_ascii_alphanumeric() {
                at += 1;
                continue;
            }
            // A word.
            let len = row[at..].iter().position(|byte| !byte.is_ascii_alphanumeric());
            let end = len.map_or(row.len(), |len| at + len);
            let hex = form.hex.filter(|least| end - at >= *least);
            if let Some(slot) = hex.and_then(|_| hexadecimal(&row[at..end])) {
                self.template.put_slice(&row[start..at]);
                start = end;
                self.hexadecimals(&row[at..end], slot);
            }
            // Digits anywhere in another word.
            while at < end && start < end {
                let digits = row[at..end].iter().take_while(|byte| byte.is_ascii_digit()).count();
                if digits > 0 {
                    self.template.put_slice(&row[start..at]);
                    start = at + digits;
                    self.decimals(&row[at..start], form);
                }
                at += digits.max(1);
            }
            at = end;
        }
        self.template.put_slice(&row[start..]);
        self.templates.push(&self.template);
        Some(())
    }

    fn hexadecimals(&mut self, digits: &[u8], slot: fn(u8) -> Slot) {
        for digits in digits.chunks(MOST_HEX) {
            let number = digits.iter().fold(0, |number, digit| {
                16 * number + u64::from(char::from(*digit).to_digit(16).unwrap_or_default())
            });
            self.number(slot(digits.len() as u8), number, digits);
        }
    }

    fn decimals(&mut self, digits: &[u8], form: &TokenForm) {
        for (chunk, digits) in digits.chunks(MOST_DECIMAL).enumerate() {
            let number =
                digits.iter().fold(0, |number, digit| 10 * number + u64::from(digit - b'0'));
            let width = 1 << digits.len();
            let is_padded = digits.len() > 1 && digits[0] == b'0';
            if is_padded && self.slots < MOST_SLOTS {
                self.padded.put_fill(self.padded.len().max(self.slots + 1), 0);
                self.padded[self.slots] |= width;
            }
            let was_padded = form.padded.get(self.slots).is_some_and(|widths| widths & width != 0);
            let slot = match is_padded || was_padded || chunk > 0 {
                true => Slot::Decimal(digits.len() as u8),
                false => Slot::Shortest,
            };
            self.number(slot, number, digits);
        }
    }

    fn number(&mut self, slot: Slot, number: u64, digits: &[u8]) {
        if self.slots == MOST_SLOTS {
            return self.template.put_slice(digits);
        }
        slot.write(&mut self.template);
        if self.slots == self.numbers.len() {
            self.numbers.put(Vec::new());
        }
        self.numbers[self.slots].put(number);
        self.slots += 1;
    }

    fn column(&self) -> Vec<u8> {
        let mut out = vec![TEMPLATES];
        let mut templates = Vec::new();
        let dictionary = TextDictionary::of_most(&self.templates);
        small::write_untemplated(&mut templates, &self.templates, dictionary.as_ref());
        out.put_slice(&templates);
        write_varint(&mut out, self.numbers.len() as u64);
        for numbers in &self.numbers {
            write_varint(&mut out, numbers.len() as u64);
            out.put_slice(&Candidates::of(numbers, false).smallest());
        }
        out
    }
}

/// Whether a word is a hexadecimal number with letters and decimal digits: others are found as decimals.
fn has_hex(text: &TextBuffer) -> bool {
    let least = HEX[HEX.len() - 1];
    text.bytes.split(|byte| !byte.is_ascii_alphanumeric()).any(|word| {
        word.len() >= least
            && hexadecimal(word).is_some()
            && word.iter().any(u8::is_ascii_digit)
            && !word.iter().all(u8::is_ascii_digit)
    })
}

/// The kind of slot for a word that is a hexadecimal number with letters of one case.
fn hexadecimal(word: &[u8]) -> Option<fn(u8) -> Slot> {
    let all = |is: fn(u8) -> bool| word.iter().all(|&byte| byte.is_ascii_digit() || is(byte));
    if all(|byte| (b'a'..=b'f').contains(&byte)) {
        Some(Slot::Lower)
    } else if all(|byte| (b'A'..=b'F').contains(&byte)) {
        Some(Slot::Upper)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::{Parts, TEMPLATES, TextBuffer, TokenForm};
    use crate::column::text::{locate, small};
    use crate::input::Input;
    use crate::input::Scratch;
    use crate::limits::Limits;

    fn text(rows: &[impl AsRef<str>]) -> TextBuffer {
        let mut text = TextBuffer::default();
        rows.iter().for_each(|row| text.push(row.as_ref().as_bytes()));
        text
    }

    fn read(column: &[u8], rows: usize) -> Vec<String> {
        let scratch = Scratch::default();
        let mut input = Input::new(column, Limits::new().budget_for(column.len()), &scratch);
        let found = locate(&mut input, true, rows).unwrap();
        assert_eq!(input.remaining(), 0);
        let (text, rows) = (found.payload(), found.decode());
        let mut at = 0;
        (0..rows.len())
            .map(|row| {
                let (start, end) = rows.span(row, at);
                at = end;
                String::from_utf8(text[start..end].to_vec()).unwrap()
            })
            .collect()
    }

    proptest! {
        #[test]
        fn split_rows_are_joined_unchanged(
            rows in proptest::collection::vec(
                "([a-f0-9]{1,40}|[0-9]{1,45}|0{0,3}[0-9]{1,3}|[A-F0-9]{4,18}|[-.: a-zé]{0,3}){0,6}",
                4..80,
            ),
            hex in proptest::option::of(1usize..9),
            padded in proptest::collection::vec(0u32..1 << 20, 0..5),
        ) {
            let column = Parts::of(&text(&rows), &TokenForm { hex, padded }).unwrap().column();
            prop_assert_eq!(read(&column, rows.len()), rows);
        }
    }

    #[test]
    fn texts_that_differ_only_in_numbers_take_few_bytes() {
        let dates: Vec<String> =
            (0..4000).map(|at| format!("2026-11-{:02}T{:02}:07", at / 200 + 1, at % 24)).collect();
        let urls: Vec<String> =
            (0..4000).map(|at| format!("/item/{at}?session={:08x}", at * 7919)).collect();
        for (rows, most) in [(dates, 300), (urls, 1000)] {
            let mut column = Vec::new();
            small::write(&mut column, &text(&rows), None);
            assert!(column.len() < most, "{} bytes", column.len());
            assert_eq!(read(&column, rows.len()), rows);
        }
    }

    /// Like region codes: a few prefixes have numbers, most have letters.
    #[test]
    fn a_sample_in_which_templates_save_little_does_not_rule_them_out() {
        let letter = |n: u32| char::from(b'A' + (n * 7 % 26) as u8);
        let mixed = |n: u32| n.wrapping_mul(2_654_435_761) >> 7;
        let code = |prefix: u32, at: u32| {
            let region = format!("{}{}", letter(prefix / 26), letter(prefix));
            let hash = mixed(1000 * prefix + at);
            match mixed(prefix) % 5 {
                0 => format!("{region}-{at:02}"),
                _ => {
                    format!("{region}-{}{}{}", letter(hash), letter(hash >> 5), letter(hash >> 10))
                }
            }
        };
        let rows = |prefix| if mixed(prefix) % 5 == 0 { 24 } else { 12 };
        let rows: Vec<String> = (0..300)
            .flat_map(|prefix| (1..=rows(prefix)).map(move |at| code(prefix, at)))
            .collect();
        let text = text(&rows);
        let (mut column, mut otherwise) = (Vec::new(), Vec::new());
        small::write(&mut column, &text, None);
        small::write_untemplated(&mut otherwise, &text, None);
        assert_eq!(column[0], TEMPLATES);
        assert!(8 * column.len() <= 7 * otherwise.len(), "{} of {}", column.len(), otherwise.len());
    }

    #[test]
    fn digits_behind_many_slots_stay_text() {
        let row = (0..200).map(|at| at.to_string()).collect::<Vec<_>>().join(",");
        let rows = vec![row; 4];
        let parts = Parts::of(&text(&rows), &TokenForm::default()).unwrap();
        assert_eq!(parts.numbers.len(), super::MOST_SLOTS);
        assert_eq!(read(&parts.column(), 4), rows);
    }

    #[test]
    fn bytes_that_begin_slots_are_not_template_text() {
        for byte in 0..=255 {
            let mut text = TextBuffer::default();
            text.push(&[b'1', byte]);
            let is_taken = Parts::of(&text, &TokenForm::default()).is_some();
            assert_eq!(is_taken, !(0xF8..=0xFB).contains(&byte));
        }
    }
}
