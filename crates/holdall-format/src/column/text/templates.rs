//! Text as templates with slots for numbers (F-98): log lines, dates, addresses, UUIDs.
//!
//! ```text
//! locate the templates; take each one apart into pieces
//! count the rows with more than 0, 1, ... slots; read a column of numbers for each
//! add up the lengths of the rows, charge them
//! if all rows have one template and the same length: repeat it, then print the numbers slot by slot
//! otherwise print each row: the bytes ahead of a slot, its number, ...; the bytes behind the last one
//! ```

use alloc::string::ToString;
use alloc::vec::Vec;

use super::slot::Slot;
use super::{DICTIONARY, NOWHERE, PLAIN, Text, TextRows, locate_encoded};
use crate::column::ints::{read_count, read_inner};
use crate::column::zstd::ZSTD;
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::input::trace::field;
use crate::kernel;
use crate::memory::{self, Collect, GrowVec};

/// Bytes of a template, followed by a slot.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Where the bytes end, in the bytes of all templates.
    end: usize,
    slot: Slot,
}

/// A parsed template.
#[derive(Clone, Copy, Debug)]
struct Template<'p> {
    pieces: &'p [Piece],
    /// Where its bytes begin and end, in the bytes of all templates.
    start: usize,
    end: usize,
}

/// The templates of a column.
#[derive(Debug)]
struct Templates {
    /// The consecutive bytes of the templates without slots, and after them as many bytes as one copy step takes.
    bytes: Vec<u8>,
    rows: TextRows,
    pieces: Vec<Piece>,
    /// For each template (entry, if there is a dictionary): the index after its last piece, and where its bytes end.
    ends: Vec<(usize, usize)>,
    /// The number of rows of each template.
    counts: Vec<u64>,
}

/// The numbers in one slot, for all rows that have it: at least 1.
#[derive(Debug)]
struct Numbers {
    rows: Vec<u64>,
    most: u64,
    /// The number of digits without leading zeros, if it is the same for all numbers.
    digits: Option<usize>,
}

impl Numbers {
    fn of(rows: Vec<u64>) -> Numbers {
        let (least, most) = kernel::range::min_max(&rows, false).unwrap_or_default();
        let digits = Slot::Shortest.len(most);
        let digits = (Slot::Shortest.len(least) == digits).then_some(digits);
        Numbers { rows, most, digits }
    }
}

/// Locates a column after its encoding byte, which is at `start`, and prints its text.
pub(super) fn locate<'a>(
    input: &mut Input<'a>,
    utf8: bool,
    start: usize,
    rows: usize,
) -> Result<Text<'a>> {
    let mut templates = locate_templates(input, rows)?;
    let numbers = read_numbers(input, &templates, rows)?;
    if input.skims() {
        return Ok(Text::NONE);
    }
    // Charged in two parts. The second part depends on the text, which is printed only if the budget covers the first.
    // At this point, only the digits of the numbers are unknown, and the numbers have been charged.
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
    if let Some([byte]) = input.peek()?
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

/// Reads a column of numbers for each slot, up to the most slots of a row.
fn read_numbers(
    input: &mut Input<'_>,
    templates: &Templates,
    all_rows: usize,
) -> Result<Vec<Numbers>> {
    let expected = templates.rows_with_slots();
    let at = input.position();
    let count = input.varint(field("the number of columns of slots", "F-98"))?;
    let bad = |at, expected: u64, got: u64| {
        Err(Error::at(Code::BadTemplates, at).expected(expected.to_string()).got(got.to_string()))
    };
    // An input that skims does not know the templates.
    if count != expected.len() as u64 && !input.skims() {
        return bad(at, expected.len() as u64, count);
    }
    let mut numbers = memory::with_capacity(expected.len());
    for slot in 0..count {
        let slot = slot as usize;
        let at = input.position();
        let what = field("the rows with a slot", "F-98");
        let rows = read_count(input, what, Code::BadTemplates, 1, all_rows)?;
        if let Some(expected) = expected.get(slot).filter(|expected| **expected != rows as u64) {
            return bad(at, *expected, rows as u64);
        }
        input.charge_at(at, 8 * rows as u128)?;
        let at = input.position();
        let column = Numbers::of(read_inner(input, "numbers", rows, false)?);
        if let Some((row, most)) = templates.first_too_large(slot, &column) {
            return Err(Error::at(Code::BadTemplates, at)
                .expected(format!("a number of at most {most}, which its slot holds"))
                .got(column.rows[row].to_string()));
        }
        numbers.put(column);
    }
    Ok(numbers)
}

/// The number of rows of each template.
fn counts(text: &Text<'_>) -> Vec<u64> {
    let Some(indices) = &text.indices else { return memory::filled(1, text.lengths.len()) };
    let mut counts = memory::zeros(text.lengths.len());
    indices.iter().for_each(|&index| counts[index as usize] += 1);
    counts
}

impl Templates {
    /// Parses the templates; none if a slot's number of digits is missing or out of range.
    fn take_apart(text: Text<'_>) -> Option<Templates> {
        let mut bytes = memory::with_capacity(text.payload.len() + Printer::STEP);
        let (mut pieces, mut ends) = (Vec::new(), memory::with_capacity(text.lengths.len()));
        let mut rest = text.payload;
        let counts = counts(&text);
        for (&len, &rows) in text.lengths.iter().zip(&counts) {
            let (mut template, behind) = rest.split_at(len as usize);
            rest = behind;
            // Unused templates are not searched for slots.
            if rows == 0 {
                template = &[];
            }
            while let Some(at) = template.iter().position(|byte| Slot::begins(*byte)) {
                bytes.put_slice(&template[..at]);
                let (slot, len) = Slot::read(&template[at..])?;
                pieces.put(Piece { end: bytes.len(), slot });
                template = &template[at + len..];
            }
            bytes.put_slice(template);
            ends.put((pieces.len(), bytes.len()));
        }
        bytes.put_each([0; Printer::STEP]);
        Some(Templates { bytes, rows: text.decode(), pieces, ends, counts })
    }

    fn template(&self, number: usize) -> Template<'_> {
        let (first, start) = if number == 0 { (0, 0) } else { self.ends[number - 1] };
        let (last, end) = self.ends[number];
        Template { pieces: &self.pieces[first..last], start, end }
    }

    /// The template of each row.
    fn each(&self) -> impl Iterator<Item = Template<'_>> {
        (0..self.rows.len()).map(|row| self.template(self.rows.entry(row).unwrap_or(row)))
    }

    /// Each template that is in use, and its number of rows.
    fn counted(&self) -> impl Iterator<Item = (Template<'_>, u64)> {
        let counts = self.counts.iter().enumerate().filter(|(_, rows)| **rows > 0);
        counts.map(|(number, rows)| (self.template(number), *rows))
    }

    /// The number of rows with more than 0, 1, ... slots, while it is above 0.
    fn rows_with_slots(&self) -> Vec<u64> {
        let mut counts = Vec::new();
        for (template, rows) in self.counted() {
            let slots = template.pieces.len();
            if slots > counts.len() {
                counts.put_fill(slots, 0);
            }
            if let Some(last) = slots.checked_sub(1) {
                counts[last] += rows;
            }
        }
        for slot in (1..counts.len()).rev() {
            counts[slot - 1] += counts[slot];
        }
        counts
    }

    /// The row of the first number that is too large for its slot, and the largest number that the slot holds.
    fn first_too_large(&self, slot: usize, numbers: &Numbers) -> Option<(usize, u64)> {
        let slots = self.counted().filter_map(|(template, _)| template.pieces.get(slot));
        if numbers.most <= slots.map(|piece| piece.slot.most()).min()? {
            return None;
        }
        let slots = self.each().filter_map(|template| template.pieces.get(slot));
        let mosts = slots.map(|piece| piece.slot.most());
        let mut of_rows = numbers.rows.iter().zip(mosts).enumerate();
        of_rows.find(|(_, (number, most))| *number > most).map(|(row, (_, most))| (row, most))
    }

    /// The number of bytes of all rows, without the numbers in slots that don't state their number of digits.
    fn len_without_numbers(&self) -> u128 {
        let len = |template: Template<'_>| {
            let digits = template.pieces.iter().filter_map(|piece| piece.slot.digits());
            template.end - template.start + digits.sum::<usize>()
        };
        self.counted().map(|(template, rows)| len(template) as u128 * u128::from(rows)).sum()
    }

    /// The text of all rows, and the length of each; `least` is the length without numbers.
    fn print(&mut self, numbers: &[Numbers], least: usize) -> (Vec<u8>, Vec<u64>) {
        // In most slots all numbers have the same number of digits, which is then found once instead of for each
        // number.
        let mut first = 0;
        for &(last, _) in &self.ends {
            for (piece, numbers) in self.pieces[first..last].iter_mut().zip(numbers) {
                if let (Slot::Shortest, Some(digits)) = (piece.slot, numbers.digits) {
                    piece.slot = Slot::Decimal(digits as u8);
                }
            }
            first = last;
        }
        match self.counted().next() {
            Some((template, rows))
                if rows == self.rows.len() as u64 && template.is_of_one_len() =>
            {
                let text = self.print_alike(template, numbers);
                let len = (text.len() / self.rows.len()) as u64;
                (text, memory::filled(len, self.rows.len()))
            }
            _ => self.print_each(numbers, least),
        }
    }

    /// Prints rows of one template and one length: dates take half the time of printing them row by row.
    fn print_alike(&self, template: Template<'_>, numbers: &[Numbers]) -> Vec<u8> {
        let mut row = Vec::new();
        let (mut start, mut slots) = (template.start, Vec::new());
        for (piece, numbers) in template.pieces.iter().zip(numbers) {
            row.put_slice(&self.bytes[start..piece.end]);
            start = piece.end;
            let digits = piece.slot.digits().unwrap_or_default();
            slots.put((piece.slot, row.len()..row.len() + digits, &numbers.rows));
            row.put_fill(row.len() + digits, 0);
        }
        row.put_slice(&self.bytes[start..template.end]);
        let mut text = memory::repeated(&row, self.rows.len());
        // As many rows at a time as fit the first-level cache.
        for (block, text) in text.chunks_mut(row.len() * BLOCK).enumerate() {
            for (slot, place, numbers) in &slots {
                let rows = text.chunks_exact_mut(row.len());
                for (row, number) in rows.zip(&numbers[block * BLOCK..]) {
                    slot.print(*number, &mut row[place.clone()]);
                }
            }
        }
        text
    }

    fn print_each(&self, numbers: &[Numbers], least: usize) -> (Vec<u8>, Vec<u64>) {
        let digits = |column: &Numbers| column.rows.len() * Slot::Shortest.len(column.most);
        let mut text = Printer::new(least + numbers.iter().map(digits).sum::<usize>());
        let mut lengths = memory::with_capacity(self.rows.len());
        let mut columns: Vec<_> = numbers.iter().map(|column| column.rows.iter()).collected();
        for Template { pieces, mut start, end } in self.each() {
            let before = text.len;
            for (piece, column) in pieces.iter().zip(&mut columns) {
                text.copy(&self.bytes, start, piece.end);
                text.print(piece.slot, column.next().copied().unwrap_or_default());
                start = piece.end;
            }
            text.copy(&self.bytes, start, end);
            lengths.put((text.len - before) as u64);
        }
        (text.finish(), lengths)
    }
}

/// The number of rows that are printed slot by slot.
const BLOCK: usize = 256;

impl Template<'_> {
    /// Whether the template has slots, and all its rows have the same number of bytes.
    fn is_of_one_len(self) -> bool {
        !self.pieces.is_empty() && self.pieces.iter().all(|piece| piece.slot.digits().is_some())
    }
}

/// Text printed piece by piece. Most pieces are short, so each is copied in one step of a fixed number of bytes, and
/// the next piece overwrites the excess. Copying exactly the piece's bytes made dates take 1.5 times as long.
struct Printer {
    /// The text, followed by as many bytes as a step takes.
    bytes: Vec<u8>,
    len: usize,
}

impl Printer {
    const STEP: usize = 32;

    fn new(most: usize) -> Printer {
        Printer { bytes: memory::zeros(most + Printer::STEP), len: 0 }
    }

    /// Copies bytes from a source that is longer by one step.
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
