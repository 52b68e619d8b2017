//! Text: strings and byte strings, with the lengths separate from the bytes (F-32).

mod dictionary;
mod gathered;
mod list;
mod slot;
mod small;
mod templates;
mod tokens;

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use self::dictionary::TextDictionary;
pub use self::gathered::{GatheredText, write_apart, write_gathered};
pub use self::list::write_list;
use super::frame::FrameChoice;
use super::ints::{read_count, read_inner, read_lengths, read_u64};
use super::numbers::NumberBuffer;
use super::zstd::{self, ZSTD};
use super::{MARKER, MIN_ENCODED_ROWS, Place, Settings, is_encoded, unreadable};
use crate::column::Profile;
use crate::column::preview::entries;
use crate::error::{Code, Error, Result};
use crate::input::trace::{FieldForm, field};
use crate::input::{Input, Scratch};
use crate::kernel;
use crate::kernel::lengths::{bounds, sum};
use crate::memory::{self, Grow, GrowVec};

/// The encoding of text that is not repeated: the lengths of the rows, then their bytes.
pub const PLAIN: u8 = 0x60;
const DICTIONARY: u8 = 0x61;
pub(super) const TEMPLATES: u8 = 0x62;

/// Text that a writer gathers.
#[derive(Clone, Debug, Default)]
pub struct TextBuffer {
    lengths: NumberBuffer,
    bytes: Vec<u8>,
}

impl TextBuffer {
    #[inline]
    pub fn push(&mut self, text: &[u8]) {
        self.lengths.push(text.len() as u64);
        kernel::short::append(&mut self.bytes, core::iter::once(text));
    }

    /// Appends rows.
    #[inline]
    pub fn extend<'t>(&mut self, rows: impl Iterator<Item = &'t [u8]> + Clone) {
        self.lengths.extend(rows.clone().map(|row| row.len() as u64));
        kernel::short::append(&mut self.bytes, rows);
    }

    /// Reserves room for rows, whatever their lengths.
    pub fn reserve(&mut self, rows: usize) {
        self.lengths.reserve(rows);
    }

    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// About how many bytes the rows take in memory. This determines where blocks of streams end, so each length counts
    /// as 64 bits.
    pub fn size(&self) -> usize {
        8 * self.lengths.len() + self.bytes.len()
    }

    /// Keeps the first rows.
    pub fn truncate(&mut self, len: usize) {
        let cut: u64 = self.lengths.iter().skip(len).sum();
        self.bytes.truncate(self.bytes.len() - cut as usize);
        self.lengths.truncate(len);
    }

    pub fn clear(&mut self) {
        self.lengths.clear();
        self.bytes.clear();
    }

    pub fn lengths(&self) -> Vec<u64> {
        memory::collected(self.lengths.iter())
    }

    /// The consecutive bytes of all rows.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn rows(&self) -> impl Iterator<Item = &[u8]> + Clone {
        let mut rest = &self.bytes[..];
        self.lengths.iter().map(move |len| {
            // The lengths are of rows in memory, so each fits.
            let (row, after) = rest.split_at(len as usize);
            rest = after;
            row
        })
    }
}

/// Appends a column.
pub fn write(out: &mut Vec<u8>, text: &TextBuffer, settings: Settings) {
    if text.lengths.len() < MIN_ENCODED_ROWS {
        return write_few(out, text, settings);
    }
    if settings.profile.is_small() {
        return small::write(out, text, TextDictionary::of_most(text).as_ref());
    }
    let lengths = text.lengths.frame();
    if !write_dictionary(out, text, &lengths, settings.profile) {
        write_plain(out, text, &lengths);
    }
}

/// Appends a column of rows that are elsewhere in memory, in profile fast or balanced.
pub fn write_rows(out: &mut Vec<u8>, rows: &[&[u8]], settings: Settings) {
    let mut lengths = NumberBuffer::default();
    lengths.extend(rows.iter().map(|row| row.len() as u64));
    let total = rows.iter().map(|row| row.len()).sum();
    if rows.len() < MIN_ENCODED_ROWS {
        lengths.write_few(out);
    } else {
        let frame = lengths.frame();
        let plain_len = 1 + frame.size() + total as u128;
        if settings.profile != Profile::Fast
            && let Some(dictionary) = TextDictionary::of_rows(rows.len(), rows.iter().copied())
            && dictionary.write_below(plain_len, out)
        {
            return;
        }
        out.put(PLAIN);
        lengths.write_framed(out, &frame);
    }
    out.room(total);
    kernel::short::append(out, rows.iter().copied());
}

/// Appends fewer than 4 rows: without an encoding, unless zstd makes them smaller.
fn write_few(out: &mut Vec<u8>, text: &TextBuffer, settings: Settings) {
    let start = out.len();
    if settings.profile.is_small() && text.bytes.len() >= zstd::MIN_COMPRESSED {
        out.put_slice(&MARKER);
        write_plain(out, text, &text.lengths.frame());
        zstd::wrap(out, start + MARKER.len());
        if out.len() - start < text.bytes.len() {
            return;
        }
        out.truncate(start);
    }
    text.lengths.write_few(out);
    out.put_slice(&text.bytes);
}

/// Appends a column as a dictionary, if the profile chooses that (F-62); `lengths` is the frame of the column's
/// lengths.
fn write_dictionary(
    out: &mut Vec<u8>,
    text: &TextBuffer,
    lengths: &FrameChoice,
    profile: Profile,
) -> bool {
    let plain_len = 1 + lengths.size() + text.bytes.len() as u128;
    profile != Profile::Fast
        && TextDictionary::of(text).is_some_and(|dictionary| dictionary.write_below(plain_len, out))
}

/// The number of bytes that a column takes in profile fast; and the frame of its lengths, if it has one.
pub fn prepare(text: &TextBuffer) -> (usize, Option<FrameChoice>) {
    let (lengths, frame) = text.lengths.prepare();
    (usize::from(frame.is_some()) + lengths + text.bytes.len(), frame)
}

/// Appends a plain column, with the frame of its lengths.
pub fn write_plain(out: &mut Vec<u8>, text: &TextBuffer, lengths: &FrameChoice) {
    out.put(PLAIN);
    text.lengths.write_framed(out, lengths);
    out.put_slice(&text.bytes);
}

/// A column that has been located.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    pub place: Place,
    /// The consecutive bytes of all rows, or of all entries.
    payload: &'a [u8],
    /// Where the payload begins.
    payload_start: usize,
    /// The lengths of the rows or entries in the payload.
    lengths: Vec<u64>,
    /// The entry of each row, with a dictionary.
    indices: Option<Vec<u64>>,
}

/// The part of the payload that each row is.
#[derive(Clone, Debug)]
pub enum TextRows {
    /// Consecutive parts of these lengths.
    Plain(Vec<u64>),
    /// The part of an entry.
    Dictionary(Box<Entries>),
}

/// The entries of a dictionary, and the entry of each row.
#[derive(Clone, Debug)]
pub struct Entries {
    /// Where each entry begins; last, where the last one ends.
    pub bounds: Vec<usize>,
    /// The entry of each row.
    pub indices: Vec<u64>,
}

impl TextRows {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            TextRows::Plain(lengths) => lengths.len(),
            TextRows::Dictionary(entries) => entries.indices.len(),
        }
    }

    /// Returns the memory to the scratch.
    pub fn recycle(self, scratch: &Scratch) {
        match self {
            TextRows::Plain(lengths) => scratch.take_back(lengths),
            TextRows::Dictionary(entries) => scratch.take_back(entries.indices),
        }
    }

    /// The number of a row's entry, if it is one of a dictionary.
    #[inline]
    pub fn entry(&self, row: usize) -> Option<usize> {
        match self {
            TextRows::Plain(_) => None,
            TextRows::Dictionary(entries) => Some(entries.indices[row] as usize),
        }
    }

    /// The bytes of a row; `at` is where the next plain row begins.
    #[inline]
    pub fn span(&self, row: usize, at: usize) -> (usize, usize) {
        match self {
            TextRows::Plain(lengths) => (at, at + lengths[row] as usize),
            TextRows::Dictionary(entries) => {
                let entry = entries.indices[row] as usize;
                (entries.bounds[entry], entries.bounds[entry + 1])
            }
        }
    }
}

/// The place until the column's end is known.
const NOWHERE: Place = Place { range: 0..0, encoding: None, rows: 0 };

/// Locates a column of `rows` > 0 rows; `utf8` says whether they must be UTF-8.
pub fn locate<'a>(input: &mut Input<'a>, utf8: bool, rows: usize) -> Result<Text<'a>> {
    let start = input.position();
    if is_encoded(input, rows)? {
        let mut text = locate_encoded(input, utf8, rows)?;
        text.place.range.start = start;
        return Ok(text);
    }
    let before = input.tracer().map(|tracer| tracer.role("a length"));
    let (_, lengths) = input.depend_on(0, |input| read_u64(input, rows))?;
    if let (Some(tracer), Some(before)) = (input.tracer(), before) {
        tracer.role(before);
    }
    let sum = sum(&lengths);
    let mut text = locate_plain(input, lengths, sum)?;
    text.place = Place { range: start..input.position(), encoding: None, rows };
    Ok(text)
}

/// Locates a column from its encoding byte on.
fn locate_encoded<'a>(input: &mut Input<'a>, utf8: bool, rows: usize) -> Result<Text<'a>> {
    let start = input.position();
    let byte = input.byte(field("the encoding of text", "F-32").form(FieldForm::Encoding))?;
    let mut text = match byte {
        PLAIN => {
            let (lengths, sum) = read_lengths(input, "lengths", rows)?;
            locate_plain(input, lengths, sum)?
        }
        DICTIONARY => locate_dictionary(input, utf8, start, rows)?,
        TEMPLATES => templates::locate(input, utf8, start, rows)?,
        ZSTD => zstd::inside(input, start, |input| {
            let text = locate_encoded(input, utf8, rows)?;
            if utf8 {
                text.validate_utf8()?;
            }
            Ok(text)
        })?
        .unwrap_or(Text::NONE),
        _ => return Err(unreadable(byte, start)),
    };
    text.place = Place { range: start..input.position(), encoding: Some(byte), rows };
    Ok(text)
}

fn locate_plain<'a>(input: &mut Input<'a>, lengths: Vec<u64>, sum: u128) -> Result<Text<'a>> {
    let payload_start = input.position();
    let payload = input.charged_payload(sum, field("text", "F-32").form(FieldForm::Rows))?;
    if input.skims() {
        return Ok(Text::NONE);
    }
    Ok(Text { place: NOWHERE, payload, payload_start, lengths, indices: None })
}

fn locate_dictionary<'a>(
    input: &mut Input<'a>,
    utf8: bool,
    start: usize,
    rows: usize,
) -> Result<Text<'a>> {
    let count =
        read_count(input, field("the number of entries", "F-32"), Code::BadDictionary, 1, rows)?;
    let (lengths, sum) = read_lengths(input, "lengths of entries", count)?;
    let payload_start = input.position();
    let payload = input.payload(sum, field("entries", "F-32").form(FieldForm::Rows))?;
    if let Some(tracer) = input.tracer().filter(|_| !payload.is_empty()) {
        entries(tracer, &lengths, payload);
    }
    let mut text = Text { place: NOWHERE, payload, payload_start, lengths, indices: None };
    if utf8 {
        text.validate_utf8()?;
    }
    let at = input.position();
    let indices = read_inner(input, "entries of the rows", rows, false)?;
    if let Some(row) = indices.iter().position(|&index| index >= count as u64) {
        return Err(Error::at(Code::IndexOutOfRange, at)
            .expected(format!("an entry below {count}"))
            .got(indices[row].to_string())
            .in_row(row));
    }
    let total = indices.iter().map(|&index| u128::from(text.lengths[index as usize])).sum();
    input.charge_at(start, total)?;
    text.indices = Some(indices);
    Ok(text)
}

/// Checks rows of plain text at an offset in a column: each must be UTF-8 by itself.
pub fn utf8<'a>(payload: &'a [u8], payload_start: usize, lengths: &[u64]) -> Result<&'a str> {
    let lengths = memory::copied(lengths);
    Text { place: NOWHERE, payload, payload_start, lengths, indices: None }.validate_utf8()
}

/// Returns the lengths at the head of a column of text, if it is plain: the text follows.
pub fn plain_lengths(input: &mut Input<'_>, rows: usize) -> Result<Option<Vec<u64>>> {
    let is_encoded = is_encoded(input, rows)?;
    if is_encoded && input.byte(field("the encoding of text", "F-32"))? != PLAIN {
        return Ok(None);
    }
    input.charge(8 * rows as u128)?;
    Ok(Some(match is_encoded {
        true => read_inner(input, "lengths", rows, false)?,
        false => read_u64(input, rows)?.1,
    }))
}

impl<'a> Text<'a> {
    /// The text of a skipped column.
    const NONE: Text<'a> =
        Text { place: NOWHERE, payload: &[], payload_start: 0, lengths: Vec::new(), indices: None };

    /// Checks that every row (entry) is UTF-8 by itself; returns the payload as one string.
    pub fn validate_utf8(&self) -> Result<&'a str> {
        if let Some(text) = kernel::text::rows_in_utf8(self.payload, &self.lengths) {
            return Ok(text);
        }
        Err(self.first_invalid())
    }

    #[cold]
    fn first_invalid(&self) -> Error {
        let start = self.payload_start;
        let mut at = 0;
        for (row, &len) in self.lengths.iter().enumerate() {
            let end = at + len as usize;
            if core::str::from_utf8(&self.payload[at..end]).is_err() {
                let row = self.indices.is_none().then_some(row);
                return Error::at(Code::InvalidUtf8, start + at)
                    .expected("UTF-8")
                    .got("other bytes")
                    .in_row(row);
            }
            at = end;
        }
        Error::at(Code::InvalidUtf8, start).expected("UTF-8")
    }

    /// The bytes of all rows, or of all entries.
    pub fn payload(&self) -> &'a [u8] {
        self.payload
    }

    /// The part of the payload that each row is.
    pub fn decode(self) -> TextRows {
        let Some(indices) = self.indices else { return TextRows::Plain(self.lengths) };
        TextRows::Dictionary(Box::new(Entries { bounds: bounds(&self.lengths), indices }))
    }
}

#[cfg(all(test, feature = "zstd"))]
mod tests {
    use super::*;

    #[test]
    fn a_few_texts_are_compressed_only_if_that_is_shorter_than_their_bytes() {
        let settings = Settings::of(Profile::Small);
        let mut bytes: Vec<u8> =
            (1..400_u64).map(|n| (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect();
        let mut as_long = 0;
        for _ in 0..100 {
            bytes.push(b'a');
            let mut text = TextBuffer::default();
            text.push(&bytes);
            let (mut out, mut packed) = (Vec::new(), MARKER.to_vec());
            write_few(&mut out, &text, settings);
            write_plain(&mut packed, &text, &text.lengths.frame());
            zstd::wrap(&mut packed, MARKER.len());
            assert_eq!(out.ends_with(&bytes), packed.len() >= bytes.len());
            as_long += usize::from(packed.len() == bytes.len());
        }
        assert!(as_long > 0);
    }
}
