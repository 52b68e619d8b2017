//! Text in profile small: whichever encoding is the smallest (F-63).
//!
//! ```text
//! few rows, few digits, or entries that repeat often: leave templates out
//! not many rows: try templates beside the other encodings
//! many: take stretches of them; if templates are better there: try templates of that form for all rows
//!     unless templates are far better there: try the other encodings
//! ```
//!
//! Templates are slower to read than the others, so they have to save an eighth.

use alloc::vec::Vec;

use super::dictionary::TextDictionary;
use super::tokens::TokenForm;
use super::{DICTIONARY, PLAIN, TextBuffer};
use crate::column::ints::{self, Candidates, keep_smaller};
use crate::column::zstd;
use crate::memory::{self, GrowVec};
use crate::number::write_varint;

/// Columns of fewer rows are not tried as templates.
const MIN_TEMPLATE_ROWS: usize = 16;
/// Text with less than one digit in this many bytes is not tried either.
const DIGITS: usize = 32;
/// Longer columns are judged by this many stretches of [`STRETCH`] rows.
const STRETCHES: usize = 4;
const STRETCH: usize = 256;
/// If templates take at most this percentage of a sample's bytes in other encodings, no other encoding is tried.
const FAR_BETTER: usize = 75;

/// Appends a column of 4 rows or more, with the dictionary if there is one.
pub(super) fn write(out: &mut Vec<u8>, text: &TextBuffer, dictionary: Option<&TextDictionary>) {
    let (start, rows) = (out.len(), text.lengths.len());
    if rows < MIN_TEMPLATE_ROWS
        || dictionary.is_some_and(TextDictionary::repeats_often)
        || !has_digits(text)
    {
        return write_untemplated(out, text, dictionary);
    }
    if rows <= STRETCHES * STRETCH {
        write_untemplated(out, text, dictionary);
        if let Some((_, column)) = TokenForm::best(text, saving(out.len() - start)) {
            out.truncate(start);
            out.put_slice(&column);
        }
        return;
    }
    let sample = sample(text);
    let mut otherwise = Vec::new();
    write_untemplated(&mut otherwise, &sample, TextDictionary::of_most(&sample).as_ref());
    let best = TokenForm::best(&sample, otherwise.len());
    let templated = best.and_then(|(form, of_sample)| {
        let is_far_better = 100 * of_sample.len() <= FAR_BETTER * otherwise.len();
        Some((form.column(text)?, is_far_better))
    });
    if dictionary.is_some() || !matches!(templated, Some((_, true))) {
        write_untemplated(out, text, dictionary);
    }
    if let Some((column, _)) = templated
        && (out.len() == start || column.len() <= saving(out.len() - start))
    {
        out.truncate(start);
        out.put_slice(&column);
    }
}

/// The most bytes that templates may take if the best other encoding takes `otherwise` bytes.
fn saving(otherwise: usize) -> usize {
    otherwise / 8 * 7
}

fn has_digits(text: &TextBuffer) -> bool {
    let digits = text.bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    DIGITS * digits >= text.bytes.len()
}

fn sample(text: &TextBuffer) -> TextBuffer {
    let step = (text.lengths.len() - STRETCH) / (STRETCHES - 1);
    let mut sample = TextBuffer::default();
    text.rows()
        .enumerate()
        .filter(|(row, _)| row % step < STRETCH && row / step < STRETCHES)
        .for_each(|(_, row)| sample.push(row));
    sample
}

/// Appends the smallest column without templates.
pub(super) fn write_untemplated(
    out: &mut Vec<u8>,
    text: &TextBuffer,
    dictionary: Option<&TextDictionary>,
) {
    let start = out.len();
    let mut add = |mut column: Vec<u8>| {
        zstd::wrap(&mut column, 0);
        keep_smaller(out, start, &column);
    };
    if let Some(dictionary) = dictionary {
        let by_frequency =
            (dictionary.entries() > ints::FEWER_BINS).then(|| dictionary.by_frequency());
        let ordered = [Some(dictionary), by_frequency.as_ref()].into_iter().flatten();
        let columns = ordered.map(|dictionary| {
            let (lengths, indices) = (dictionary.lengths(), dictionary.indices());
            let lengths = Candidates::of(&lengths, false).smallest_within();
            let indices = Candidates::of(&indices, false).smallest_within();
            (lengths, dictionary.bytes(), indices)
        });
        let least = columns.min_by_key(|(lengths, _, indices)| lengths.packed + indices.packed);
        if let Some((lengths, bytes, indices)) = least {
            let mut head = vec![DICTIONARY];
            write_varint(&mut head, dictionary.entries() as u64);
            add(memory::joined(&[&head, &lengths.column, bytes, &indices.column]));
        }
        if dictionary.repeats_often() {
            return;
        }
    }
    let lengths = text.lengths();
    let lengths = Candidates::of(&lengths, false).smallest_within();
    add(memory::joined(&[&[PLAIN], &lengths.column, &text.bytes]));
}
