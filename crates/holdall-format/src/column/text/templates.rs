//! Text as templates whose slots are filled with numbers (F-98): log lines, dates, addresses, UUIDs.
//!
//! ```text
//! locate the templates; take each one apart into pieces
//! count the rows with more than 0, 1, ... slots; read a column of numbers for each
//! add up the lengths of the rows, charge them
//! print each row: the bytes ahead of a slot, its number, ...; the bytes behind the last one
//! ```

use super::slot::Slot;
use super::{DICTIONARY, NOWHERE, PLAIN, Rows, Text, locate_encoded};
use crate::column::ints::{read_inner, skip_inner};
use crate::column::zstd::ZSTD;
use crate::error::{Code, Error, Result};
use crate::input::Cursor;
use crate::input::Input;
use crate::input::trace::field;
use crate::kernel;

/// Bytes of a template, then a slot.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Where the bytes end, among those of all templates.
    end: usize,
    slot: Slot,
}

/// A template, taken apart.
#[derive(Clone, Copy, Debug)]
struct Template<'p> {
    pieces: &'p [Piece],
    /// Where its bytes begin and end, among those of all templates.
    start: usize,
    end: usize,
}

/// The templates of a column.
#[derive(Debug)]
struct Templates {
    /// Their bytes without slots, one after the other, and as many behind as one copy takes.
    bytes: Vec<u8>,
    rows: Rows,
    pieces: Vec<Piece>,
    /// Of each template (entry, if there is a dictionary) the number of the piece behind its last one, and where its bytes end.
    ends: Vec<(usize, usize)>,
}

/// Finds a column behind its encoding byte, which stands at `start`, and makes its text.
pub(super) fn locate<'a>(
    input: &mut Input<'a>,
    utf8: bool,
    start: usize,
    rows: usize,
) -> Result<Text<'a>> {
    let templates = locate_templates(input, rows)?;
    let numbers = read_numbers(input, &templates)?;
    // Charged in two parts: the second one needs the text, which is made only where the first is not too much. The numbers, whose
    // digits are all that is not known yet, are charged.
    let least = templates.len_without_numbers();
    input.charge_at(start, least)?;
    let (text, lengths) = templates.print(&numbers, least as usize);
    input.charge_at(start, kernel::lengths::sum(&lengths) - least)?;
    let payload = input.scratch().keep(text);
    let text = Text { place: NOWHERE, payload, payload_start: start, lengths, indices: None };
    if utf8 && let Err(error) = text.validate_utf8() {
        return Err(error.moved_to(start));
    }
    Ok(text)
}

/// Passes over a column behind its encoding byte.
pub(super) fn skip(cursor: &mut Cursor<'_>, rows: u64) -> Result<()> {
    let at = cursor.position();
    let byte = cursor.byte(field("the encoding of templates", "F-98"))?;
    if !is_of_templates(byte) {
        return Err(not_of_templates(byte, 0).moved_by(at));
    }
    super::skip_encoded(cursor, byte, at, rows)?;
    let columns = cursor.varint(field("the number of columns of slots", "F-98"))?;
    for _ in 0..columns {
        let most = Some((Code::BadTemplates, 1, rows));
        let rows = cursor.count(field("the rows with a slot", "F-98"), most)?;
        skip_inner(cursor, rows, false)?;
    }
    Ok(())
}

fn is_of_templates(byte: u8) -> bool {
    matches!(byte, PLAIN | DICTIONARY | ZSTD)
}

#[cold]
fn not_of_templates(byte: u8, at: usize) -> Error {
    Error::at(Code::BadInnerEncoding, at)
        .expected("templates that are plain, a dictionary or in zstd")
        .got(format!("{byte:02X}"))
}

fn locate_templates(input: &mut Input<'_>, rows: usize) -> Result<Templates> {
    let at = input.position();
    if let Some(&byte) = input.rest().first()
        && !is_of_templates(byte)
    {
        return Err(not_of_templates(byte, at));
    }
    let before = input.tracer().map(|tracer| tracer.role("templates"));
    let text = locate_encoded(input, false, rows)?;
    if let (Some(tracer), Some(before)) = (input.tracer(), before) {
        tracer.role(before);
    }
    Templates::take_apart(text).ok_or_else(|| {
        Error::at(Code::BadTemplates, at)
            .expected("slots of 1 to 19 decimal or 1 to 16 hexadecimal digits")
    })
}

/// A column of numbers for each slot of the rows that have most of them.
fn read_numbers(input: &mut Input<'_>, templates: &Templates) -> Result<Vec<Vec<u64>>> {
    let expected = templates.rows_with_slots();
    let at = input.position();
    let count = input.varint(field("the number of columns of slots", "F-98"))?;
    let bad = |at, expected: u64, got: u64| {
        Err(Error::at(Code::BadTemplates, at).expected(expected.to_string()).got(got.to_string()))
    };
    if count != expected.len() as u64 {
        return bad(at, expected.len() as u64, count);
    }
    let mut numbers = Vec::with_capacity(expected.len());
    for (slot, expected) in expected.into_iter().enumerate() {
        let at = input.position();
        let rows = input.varint(field("the rows with a slot", "F-98"))?;
        if rows != expected {
            return bad(at, expected, rows);
        }
        input.charge_at(at, 8 * u128::from(rows))?;
        let at = input.position();
        // There are as many rows in the templates.
        let column = read_inner(input, "numbers", rows as usize, false)?;
        if let Some((row, most)) = templates.first_too_large(slot, &column) {
            return Err(Error::at(Code::BadTemplates, at)
                .expected(format!("a number of at most {most}, which its slot holds"))
                .got(column[row].to_string()));
        }
        numbers.push(column);
    }
    Ok(numbers)
}

/// Of each template whether a row has it; in others no slots are looked for.
fn entries_of_rows(text: &Text<'_>) -> Vec<bool> {
    let Some(indices) = &text.indices else { return vec![true; text.lengths.len()] };
    let mut found = vec![false; text.lengths.len()];
    indices.iter().for_each(|&index| found[index as usize] = true);
    found
}

impl Templates {
    /// None if a slot's number of digits is missing or out of bounds.
    fn take_apart(text: Text<'_>) -> Option<Templates> {
        let mut bytes = Vec::with_capacity(text.payload.len() + Printer::STEP);
        let (mut pieces, mut ends) = (Vec::new(), Vec::with_capacity(text.lengths.len()));
        let mut rest = text.payload;
        let is_of_rows = entries_of_rows(&text);
        for (&len, is_of_rows) in text.lengths.iter().zip(is_of_rows) {
            let (mut template, behind) = rest.split_at(len as usize);
            rest = behind;
            if !is_of_rows {
                template = &[];
            }
            while let Some(at) = template.iter().position(|byte| Slot::begins(*byte)) {
                bytes.extend_from_slice(&template[..at]);
                let (slot, len) = Slot::read(&template[at..])?;
                pieces.push(Piece { end: bytes.len(), slot });
                template = &template[at + len..];
            }
            bytes.extend_from_slice(template);
            ends.push((pieces.len(), bytes.len()));
        }
        bytes.extend([0; Printer::STEP]);
        Some(Templates { bytes, rows: text.decode(), pieces, ends })
    }

    fn template(&self, number: usize) -> Template<'_> {
        let (first, start) = if number == 0 { (0, 0) } else { self.ends[number - 1] };
        let (last, end) = self.ends[number];
        Template { pieces: &self.pieces[first..last], start, end }
    }

    /// That of each row.
    fn each(&self) -> impl Iterator<Item = Template<'_>> {
        (0..self.rows.len()).map(|row| self.template(self.rows.entry(row).unwrap_or(row)))
    }

    /// How many rows have more than 0, 1, ... slots, as long as there is one.
    fn rows_with_slots(&self) -> Vec<u64> {
        let mut counts = Vec::new();
        for template in self.each() {
            let slots = template.pieces.len();
            if slots > counts.len() {
                counts.resize(slots, 0);
            }
            if let Some(last) = slots.checked_sub(1) {
                counts[last] += 1;
            }
        }
        for slot in (1..counts.len()).rev() {
            counts[slot - 1] += counts[slot];
        }
        counts
    }

    /// The first number of a column that its row's slot does not hold, and what that holds at most.
    fn first_too_large(&self, slot: usize, numbers: &[u64]) -> Option<(usize, u64)> {
        let templates = (0..self.ends.len()).map(|number| self.template(number));
        let mosts = templates.filter_map(|template| template.pieces.get(slot));
        let least = mosts.map(|piece| piece.slot.most()).min()?;
        if numbers.iter().all(|number| *number <= least) {
            return None;
        }
        let slots = self.each().filter_map(|template| template.pieces.get(slot));
        let mosts = slots.map(|piece| piece.slot.most());
        let mut of_rows = numbers.iter().zip(mosts).enumerate();
        of_rows.find(|(_, (number, most))| *number > most).map(|(row, (_, most))| (row, most))
    }

    /// How many bytes all rows take but for the numbers in slots that don't say how many digits they have.
    fn len_without_numbers(&self) -> u128 {
        let digits = |template: Template<'_>| {
            template.pieces.iter().filter_map(|piece| piece.slot.digits()).sum::<usize>()
        };
        let len = |template: Template<'_>| template.end - template.start + digits(template);
        let lens: Vec<usize> =
            (0..self.ends.len()).map(|number| len(self.template(number))).collect();
        (0..self.rows.len()).map(|row| lens[self.rows.entry(row).unwrap_or(row)] as u128).sum()
    }

    /// The text of all rows, and the length of each; `least` is what they take without numbers.
    fn print(&self, numbers: &[Vec<u64>], least: usize) -> (Vec<u8>, Vec<u64>) {
        let digits = |column: &Vec<u64>| {
            column.len() * Slot::Shortest.len(column.iter().max().copied().unwrap_or_default())
        };
        let mut text = Printer::new(least + numbers.iter().map(digits).sum::<usize>());
        let mut lengths = Vec::with_capacity(self.rows.len());
        let mut columns: Vec<_> = numbers.iter().map(|column| column.iter()).collect();
        for Template { pieces, mut start, end } in self.each() {
            let before = text.len;
            for (piece, column) in pieces.iter().zip(&mut columns) {
                text.copy(&self.bytes, start, piece.end);
                text.print(piece.slot, column.next().copied().unwrap_or_default());
                start = piece.end;
            }
            text.copy(&self.bytes, start, end);
            lengths.push((text.len - before) as u64);
        }
        (text.finish(), lengths)
    }
}

/// Text that is made piece by piece, most of them of few bytes: each is copied in one step of a fixed number of bytes, of which
/// those behind the piece are written over next. With a copy of as many bytes as there are, dates took 1.5 times as long.
struct Printer {
    /// Behind the text so many bytes more as a step takes.
    bytes: Vec<u8>,
    len: usize,
}

impl Printer {
    const STEP: usize = 32;

    fn new(most: usize) -> Printer {
        Printer { bytes: vec![0; most + Printer::STEP], len: 0 }
    }

    /// Bytes of a source that has a step's more.
    #[inline]
    fn copy(&mut self, source: &[u8], start: usize, end: usize) {
        let len = end - start;
        if len <= Printer::STEP {
            self.bytes[self.len..][..Printer::STEP]
                .copy_from_slice(&source[start..][..Printer::STEP]);
        } else {
            self.bytes[self.len..][..len].copy_from_slice(&source[start..end]);
        }
        self.len += len;
    }

    #[inline]
    fn print(&mut self, slot: Slot, number: u64) {
        let len = slot.len(number);
        slot.print(number, &mut self.bytes[self.len..][..len]);
        self.len += len;
    }

    fn finish(mut self) -> Vec<u8> {
        self.bytes.truncate(self.len);
        self.bytes
    }
}
