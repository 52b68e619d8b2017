//! CSV to events.

use std::collections::HashSet;
use std::io::Read;
use std::sync::Arc;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};
use holdall::bindings::memory::{GrowSet, GrowVec};
use holdall::events::{Shredder, Source};
use holdall::{Code, Error, IntKind, Result, Schema};

use super::fields::known_columns;
use super::infer::{Column, columns_of};
use super::strict::{Fault, Strict};
use crate::number;
use crate::path::{Step, excerpt, not_utf8, path};

/// CSV in memory as a [`Source`]. Faults are found when it is driven.
#[derive(Debug)]
pub struct CsvSource<'t> {
    text: &'t [u8],
    infer: bool,
    /// The columns whose types a schema says.
    known: Vec<(Arc<str>, Column)>,
}

impl<'t> CsvSource<'t> {
    /// Creates a source of the rows of a text, in which every cell is a string.
    #[must_use]
    pub fn new(text: &'t [u8]) -> CsvSource<'t> {
        CsvSource { text, infer: false, known: Vec::new() }
    }

    /// Sets whether to infer types. Empty cells, quoted or not, become null. The other cells of a column become
    ///
    /// - integers, if each cell is one as JSON writes it: `-12`, not `+1` or `007`;
    /// - otherwise floats, if each cell is a number in JSON's form that an f64 holds exactly: `1.50` and `2e3`, not
    ///   `0.1000000000000000055`;
    /// - otherwise booleans, if each is `true` or `false`;
    /// - otherwise strings.
    ///
    /// So only empty cells change their value; the spelling of numbers can change: `1.50` comes back as `1.5`.
    ///
    /// ```
    /// use holdall::Encoder;
    /// use holdall_convert::csv::CsvSource;
    ///
    /// let mut source = CsvSource::new(b"id,zip,at\n1,02138,\n2,10001,0.5\n").infer(true);
    /// let message = Encoder::new().message(&mut source)?;
    /// assert_eq!(
    ///     holdall_convert::json::unpack(&message)?,
    ///     br#"[{"id":1,"zip":"02138","at":null},{"id":2,"zip":"10001","at":0.5}]"#,
    /// );
    /// # Ok::<(), holdall::Error>(())
    /// ```
    #[must_use]
    pub fn infer(mut self, infer: bool) -> Self {
        self.infer = infer;
        self
    }

    /// Sets the schema of the program's type, a list of records or structs: cells of its text fields stay as they are, whatever is in
    /// them. In an optional one an empty cell becomes null. The types of all other columns are [inferred](CsvSource::infer).
    ///
    /// ```
    /// use holdall::Encoder;
    /// use holdall::schema_text::SchemaText;
    /// use holdall_convert::csv::CsvSource;
    ///
    /// let text = SchemaText::parse("list(record {id: int, zip: string, note: option(string)})")?;
    /// let mut source = CsvSource::new(b"id,zip,note\n1,10001,\n2,,7\n").types(text.schema());
    /// let message = Encoder::new().message(&mut source)?;
    /// assert_eq!(
    ///     holdall_convert::json::unpack(&message)?,
    ///     br#"[{"id":1,"zip":"10001","note":null},{"id":2,"zip":"","note":"7"}]"#,
    /// );
    /// # Ok::<(), holdall::Error>(())
    /// ```
    #[must_use]
    pub fn types(mut self, schema: &Schema) -> Self {
        (self.infer, self.known) = (true, known_columns(schema));
        self
    }
}

impl Source for CsvSource<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        let mut columns = Vec::new();
        if self.infer {
            let mut rows = Rows::new(self.text)?;
            columns = columns_of(rows.names.len(), |see| {
                while rows.next()? {
                    (0..rows.names.len()).for_each(|cell| see(cell, rows.cell(cell)));
                }
                Ok(())
            })?;
            for (column, name) in columns.iter_mut().zip(&rows.names) {
                if let Some((_, known)) = self.known.iter().find(|(known, _)| **known == **name) {
                    *column = *known;
                }
            }
        }
        emit(self.text, shredder, &columns)
    }
}

/// CSV from a reader as a [`Source`], of which only one row is in memory; every cell is a string. It can be driven
/// once, so use a new encoder.
#[derive(Debug)]
pub struct CsvStream<R> {
    reader: Option<R>,
}

impl<R: Read> CsvStream<R> {
    /// Creates a source of the rows of a reader.
    pub fn new(reader: R) -> CsvStream<R> {
        CsvStream { reader: Some(reader) }
    }
}

impl<R: Read> Source for CsvStream<R> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        let reader = self.reader.take().ok_or_else(crate::ndjson::driven_twice)?;
        emit(reader, shredder, &[])
    }
}

fn emit(reader: impl Read, shredder: &mut Shredder, columns: &[Column]) -> Result<()> {
    let mut rows = Rows::new(reader)?;
    shredder.begin_list(0)?;
    while rows.next()? {
        shredder.begin_mapping(rows.names.iter().map(|name| &**name))?;
        for cell in 0..rows.names.len() {
            let text = rows.cell(cell);
            match columns.get(cell) {
                None | Some(Column::Text) => shredder.string(text)?,
                Some(_) if text.is_empty() => shredder.null()?,
                Some(Column::Strings) => shredder.string(text)?,
                Some(Column::Bools) => shredder.bool(text == "true")?,
                // Column inference found a value that is not a number.
                Some(Column::Floats) => shredder.f64(text.parse().unwrap_or_default())?,
                Some(Column::Ints) => match text.parse() {
                    Ok(value) => shredder.int(value)?,
                    Err(_) if number::has_many_digits(text) => return Err(rows.many_digits(cell)),
                    Err(_) => {
                        number::with_big(text, |big| shredder.big_int(IntKind::Int, big))?;
                    }
                },
            }
        }
        shredder.end()?;
    }
    shredder.end()
}

/// The checked rows of an input.
struct Rows<R> {
    reader: Reader<Strict<R>>,
    names: Vec<Box<str>>,
    row: ByteRecord,
    /// The number of rows so far, without the names.
    count: usize,
}

impl<R: Read> Rows<R> {
    fn new(reader: R) -> Result<Self> {
        // Accepts rows of other lengths, so that the error is ours.
        let reader =
            ReaderBuilder::new().has_headers(false).flexible(true).from_reader(Strict::new(reader));
        let mut rows = Rows { reader, names: Vec::new(), row: ByteRecord::new(), count: 0 };
        let mut row = ByteRecord::new();
        rows.reader.read_byte_record(&mut row).map_err(fault)?;
        let left_out = rows.reader.get_ref().left_out();
        let mut seen = HashSet::new();
        for (number, name) in row.iter().enumerate() {
            let text = std::str::from_utf8(name).map_err(|_| {
                cell_not_utf8(&row, left_out, name, format!("the name of column {}", number + 1))
            })?;
            if !seen.put(text) {
                return Err(at_row(Code::DuplicateKey, &row, left_out)
                    .expected("each name once")
                    .got(format!("{} twice, in line {}", excerpt(text), line(&row))));
            }
            rows.names.put(text.into());
        }
        Ok(rows)
    }

    /// Reads the next row; false at the end.
    fn next(&mut self) -> Result<bool> {
        if !self.reader.read_byte_record(&mut self.row).map_err(fault)? {
            return Ok(false);
        }
        let (row, names) = (&self.row, &self.names);
        let left_out = self.reader.get_ref().left_out();
        if row.len() != names.len() {
            let got = format!("{}, in line {}", row.len(), line(row));
            return Err(at_row(Code::BadInput, row, left_out)
                .expected(format!("{} cells, one for each name in the first row", names.len()))
                .got(got)
                .with_path(|| path(&[Step::Item(self.count)])));
        }
        if !is_utf8(row) {
            for (name, cell) in names.iter().zip(row) {
                if std::str::from_utf8(cell).is_err() {
                    let steps = [Step::Item(self.count), Step::Key((&**name).into())];
                    return Err(cell_not_utf8(
                        row,
                        left_out,
                        cell,
                        format!("the cell of {}", excerpt(name)),
                    )
                    .with_path(|| path(&steps)));
                }
            }
        }
        self.count += 1;
        Ok(true)
    }

    /// The error for an integer of too many digits in the last row.
    #[cold]
    fn many_digits(&self, cell: usize) -> Error {
        let left_out = self.reader.get_ref().left_out();
        let steps = [Step::Item(self.count - 1), Step::Key((&*self.names[cell]).into())];
        at_row(Code::BadInput, &self.row, left_out)
            .expected(number::MANY_DIGITS)
            .got(format!(
                "one of {} bytes, in the row of line {}",
                self.row[cell].len(),
                line(&self.row)
            ))
            .with_path(|| path(&steps))
    }

    fn cell(&self, number: usize) -> &str {
        simdutf8::basic::from_utf8(&self.row[number]).unwrap_or_default()
    }
}

/// Checks that each cell is UTF-8. They are contiguous, so one check of all and one of their ends suffice: a character
/// could be split between two cells.
fn is_utf8(row: &ByteRecord) -> bool {
    let Ok(text) = simdutf8::basic::from_utf8(row.as_slice()) else { return false };
    let mut end = 0;
    row.iter().all(|cell| {
        end += cell.len();
        text.is_char_boundary(end)
    })
}

/// Returns an error at the first byte of a row, after this many skipped bytes.
fn at_row(code: Code, row: &ByteRecord, left_out: usize) -> Error {
    let offset = row.position().map_or(0, csv::Position::byte);
    Error::at(code, usize::try_from(offset).unwrap_or(usize::MAX).saturating_add(left_out))
}

fn line(row: &ByteRecord) -> u64 {
    row.position().map_or(1, csv::Position::line)
}

#[cold]
fn cell_not_utf8(row: &ByteRecord, left_out: usize, cell: &[u8], what: String) -> Error {
    let got = not_utf8(cell, "the end of the cell").map(|(_, got)| got).unwrap_or_default();
    at_row(Code::BadInput, row, left_out)
        .expected(format!("UTF-8 in {what}"))
        .got(format!("{got}, in the row of line {}", line(row)))
}

/// Returns the error of the csv reader, which can only be one of reading.
#[cold]
fn fault(error: csv::Error) -> Error {
    let words = error.to_string();
    let ErrorKind::Io(error) = error.into_kind() else {
        return Error::new(Code::BadInput).got(words);
    };
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Fault>()) {
        None => Error::from(error),
        Some(Fault { offset, line, expected, got }) => {
            let got = match *got {
                None => "the end of the input".to_owned(),
                Some(byte) if byte.is_ascii_graphic() => format!("`{}`", char::from(byte)),
                Some(byte) => format!("{byte:02X}"),
            };
            Error::at(Code::BadInput, usize::try_from(*offset).unwrap_or(usize::MAX))
                .expected(*expected)
                .got(format!("{got}, in line {line}"))
        }
    }
}
