//! Text in profile small: whichever encoding is the smallest (F-63).

use super::dictionary::Dictionary;
use super::{DICTIONARY, PLAIN, TextBuffer, tokens};
use crate::column::ints::{self, Variants, keep_smaller};
use crate::column::zstd;
use crate::number::write_varint;

/// Appends a column of 4 rows or more, with the dictionary if there is one.
pub(super) fn write(out: &mut Vec<u8>, text: &TextBuffer, dictionary: Option<&Dictionary>) {
    let start = out.len();
    let repeats = dictionary.is_some_and(Dictionary::repeats_often);
    let templated = if repeats { None } else { tokens::write(text) };
    let is_enough = templated.as_ref().is_some_and(|found| found.is_far_better);
    if dictionary.is_some() || !is_enough {
        write_untemplated(out, text, dictionary);
    }
    if let Some(found) = templated {
        keep_smaller(out, start, found.column);
    }
}

/// The same without templates.
pub(super) fn write_untemplated(
    out: &mut Vec<u8>,
    text: &TextBuffer,
    dictionary: Option<&Dictionary>,
) {
    let start = out.len();
    let mut add = |mut column: Vec<u8>| {
        zstd::wrap(&mut column, 0);
        keep_smaller(out, start, column);
    };
    if let Some(dictionary) = dictionary {
        let by_frequency =
            (dictionary.entries() > ints::FEWER_BINS).then(|| dictionary.by_frequency());
        for dictionary in [Some(dictionary), by_frequency.as_ref()].into_iter().flatten() {
            let mut head = vec![DICTIONARY];
            write_varint(&mut head, dictionary.entries() as u64);
            let (lengths, indices) = (dictionary.lengths(), dictionary.indices());
            let lengths = Variants::of(&lengths, false);
            let indices = Variants::of(&indices, false);
            add([&head, &lengths.smallest(), dictionary.bytes(), &indices.smallest()].concat());
            let whole_bytes =
                lengths.whole_bytes().next_back().zip(indices.whole_bytes().next_back());
            if let Some((lengths, indices)) = whole_bytes {
                add([&head, &lengths, dictionary.bytes(), &indices].concat());
            }
        }
        if dictionary.repeats_often() {
            return;
        }
    }
    let lengths: Vec<u64> = text.lengths.iter().map(|len| len as u64).collect();
    let lengths = Variants::of(&lengths, false);
    let smallest = lengths.smallest();
    add([&[PLAIN], &smallest[..], &text.bytes].concat());
    if let Some(lengths) = lengths.whole_bytes().next_back().filter(|lengths| *lengths != smallest)
    {
        add([&[PLAIN], &lengths[..], &text.bytes].concat());
    }
}
