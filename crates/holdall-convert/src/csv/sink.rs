//! Events to CSV.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use holdall::bindings::Refused;
use holdall::bindings::memory::GrowVec;
use holdall::bindings::schema::path;
use holdall::events::{Event, Sink};
use holdall::{Error, Result, Schema, Shape};

use super::fields::optional_columns;
use crate::coding::Target;
use crate::nesting::{beyond, protocol};
use crate::number;
use crate::refuse::{self, refuse};

/// Shape ids count up from 0; a larger one is invalid.
const MAX_SHAPES: usize = 1 << 24;

/// A [`Sink`] that writes CSV.
///
/// The names of all rows are in the first line, so nothing is written before the last row. For most uses call
/// [`unpack`](super::unpack). Use the sink for a [`Decoder`](holdall::Decoder) with its own options.
///
/// ```
/// use holdall::Decoder;
/// use holdall_convert::csv::CsvSink;
///
/// let mut sink = CsvSink::new();
/// Decoder::new().message(b"\xC1\x10\x16\x1A\x08\x04a\x03\x02\x04", &mut sink)?;
/// assert_eq!(sink.take()?, b"a\n1\n");
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct CsvSink {
    state: State,
    /// The names in the order of their first row, and their columns.
    names: Vec<Arc<str>>,
    columns: HashMap<Arc<str>, usize>,
    /// The last row, counted from 1, that has each column.
    latest: Vec<usize>,
    /// The columns of rows of one layout, in the row's own order.
    layouts: Vec<Vec<usize>>,
    /// By [`Shape::id`].
    shapes: Vec<Option<Known>>,
    /// The layout of each row.
    rows: Vec<usize>,
    /// All cells as text, one after the other, and their end offsets.
    cells: Vec<u8>,
    ends: Vec<usize>,
    limit: Option<usize>,
    storage: bool,
    /// The columns that a schema says are optional.
    optional: HashSet<Arc<str>>,
}

/// An empty text as a cell.
const EMPTY: &[u8] = b"\"\"";

/// The keys of a shape, and their layout.
type Known = (Arc<[Arc<str>]>, usize);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    #[default]
    Root,
    List,
    /// A record with this many values still missing.
    Record(usize),
    /// A map, whose layout is built entry by entry.
    Map {
        on_value: bool,
    },
    Done,
}

/// What is known of a column.
#[derive(Clone, Copy, Default)]
struct SeenCells {
    has_null: bool,
    /// The first row with an empty text.
    empty_text: Option<usize>,
}

impl CsvSink {
    /// Creates a sink without rows.
    #[must_use]
    pub fn new() -> Self {
        CsvSink::default()
    }

    /// Sets the maximum number of bytes of text. Rows exceed it by at most one cell.
    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = Some(bytes);
        self
    }

    /// Sets whether an empty text is written in a column with nulls, too. Otherwise it is rejected, because who reads it may get null.
    #[must_use]
    pub fn storage(mut self, storage: bool) -> Self {
        self.storage = storage;
        self
    }

    /// Adds the columns that are optional in a schema of the program to those that have nulls.
    #[must_use]
    pub fn types(mut self, schema: &Schema) -> Self {
        self.optional = optional_columns(schema);
        self
    }

    fn check(&self, len: usize) -> Result<()> {
        match self.limit {
            Some(limit) if len > limit => Err(beyond(limit)),
            _ => Ok(()),
        }
    }

    /// Returns the text, and resets the sink.
    ///
    /// # Errors
    /// [`Code::BadSource`](holdall::Code::BadSource) if the value is not complete,
    /// [`Code::Unrepresentable`](holdall::Code::Unrepresentable) for records of which none has a field, and for an empty text in
    /// a column with nulls, [`Code::LimitOutput`](holdall::Code::LimitOutput).
    pub fn take(&mut self) -> Result<Vec<u8>> {
        let (limit, storage, optional) = (self.limit, self.storage, self.optional.clone());
        let empty = CsvSink { limit, storage, optional, ..CsvSink::default() };
        let table = std::mem::replace(self, empty);
        table.write()
    }

    fn write(self) -> Result<Vec<u8>> {
        if self.state != State::Done {
            return Err(protocol("one complete value", "less"));
        }
        let mut out = Vec::new();
        if self.names.is_empty() {
            return match self.rows.len() {
                0 => Ok(out),
                rows => Err(refuse("records with fields", format!("{rows} without any"))),
            };
        }
        for (column, name) in self.names.iter().enumerate() {
            separate(&mut out, column);
            push_text(&mut out, name);
        }
        out.put(b'\n');
        let mut by_column: Vec<&[u8]> = vec![b""; self.names.len()];
        let mut seen = vec![SeenCells::default(); self.names.len()];
        for (name, seen) in self.names.iter().zip(&mut seen) {
            seen.has_null = self.optional.contains(name);
        }
        let (mut next, mut start) = (0, 0);
        for (row, &layout) in self.rows.iter().enumerate() {
            by_column.fill(b"");
            for &column in &self.layouts[layout] {
                by_column[column] = &self.cells[start..self.ends[next]];
                start = self.ends[next];
                next += 1;
            }
            // Rows of a few fields in a table of many columns are mostly commas.
            self.check(out.len())?;
            for (column, cell) in by_column.iter().enumerate() {
                separate(&mut out, column);
                out.put_slice(cell);
                match *cell {
                    b"" => seen[column].has_null = true,
                    EMPTY => seen[column].empty_text = seen[column].empty_text.or(Some(row)),
                    _ => {}
                }
            }
            if matches!(&by_column[..], [b""]) {
                // An empty line would not be a row.
                out.put_slice(EMPTY);
            }
            out.put(b'\n');
        }
        self.check(out.len())?;
        if self.storage { Ok(out) } else { self.check_empty_texts(&seen).map(|()| out) }
    }

    fn check_empty_texts(&self, seen: &[SeenCells]) -> Result<()> {
        let rows = seen.iter().map(|seen| seen.empty_text.filter(|_| seen.has_null));
        let first = rows.zip(&self.names).filter_map(|(row, name)| Some((row?, name)));
        let Some((row, name)) = first.min_by_key(|(row, _)| *row) else { return Ok(()) };
        Err(empty_text().with_path(|| format!("$[{row}]{}", path::field(name))))
    }

    /// Returns the column of a name, which a row may have once.
    fn column(&mut self, name: &Arc<str>) -> Result<usize> {
        let next = self.names.len();
        let column = *self.columns.entry(Arc::clone(name)).or_insert(next);
        if column == next {
            self.names.put(Arc::clone(name));
            self.latest.put(0);
        }
        let row = self.rows.len() + 1;
        if std::mem::replace(&mut self.latest[column], row) == row {
            let words = crate::path::excerpt(name);
            return Err(refuse("each name once in a row", format!("{words} twice")));
        }
        Ok(column)
    }

    /// Begins a cell, to which the next values belong.
    #[inline]
    fn cell(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        match &mut self.state {
            State::Record(left) if *left > 0 => *left -= 1,
            State::Map { on_value: on_value @ true } => *on_value = false,
            State::Map { .. } => {
                return Err(refuse("names that are strings, in CSV as in a record", "another key"));
            }
            _ => return Err(self.misplaced("a scalar")),
        }
        // Counts a comma or line break for each, since null cells are empty.
        self.check(self.cells.len() + self.ends.len())?;
        write(&mut self.cells);
        self.ends.put(self.cells.len());
        Ok(())
    }

    #[cold]
    fn misplaced(&self, got: &'static str) -> Error {
        match self.state {
            State::Root => {
                refuse("a list of records of scalars, because CSV has nothing else", got)
            }
            State::List => refuse("a record for each row of CSV", got),
            State::Record(_) | State::Map { .. } => {
                refuse("a scalar in each cell of CSV; store its text instead", got)
            }
            State::Done => protocol("one complete value", "more"),
        }
    }

    fn begin_rows(&mut self, got: &'static str) -> Result<()> {
        if self.state != State::Root {
            return Err(self.misplaced(got));
        }
        self.state = State::List;
        Ok(())
    }

    fn number(&mut self, value: impl itoa::Integer) -> Result<()> {
        self.cell(|out| out.put_slice(itoa::Buffer::new().format(value).as_bytes()))
    }

    fn float(&mut self, value: f64) -> Result<()> {
        if !value.is_finite() {
            let expected =
                "a finite number, because CSV has no others; store null or a string instead";
            return Err(refuse(expected, value.to_string()));
        }
        self.cell(|out| {
            out.put_slice(zmij::Buffer::new().format_finite(value).as_bytes());
        })
    }

    fn string(&mut self, value: &str) -> Result<()> {
        if self.state == (State::Map { on_value: false }) {
            let column = self.column(&value.into())?;
            if let Some(layout) = self.layouts.last_mut() {
                layout.put(column);
            }
            self.state = State::Map { on_value: true };
            return Ok(());
        }
        self.cell(|out| push_text(out, value))
    }

    fn begin_record(&mut self, shape: &Shape) -> Result<()> {
        if self.state != State::List {
            return Err(self.misplaced("a record"));
        }
        let id = shape.id();
        if id >= MAX_SHAPES {
            return Err(protocol("shapes counted from 0", "a large number"));
        }
        if id >= self.shapes.len() {
            self.shapes.resize_with(id + 1, || None);
        }
        let known = self.shapes[id].as_ref().filter(|(keys, _)| Arc::ptr_eq(keys, shape.keys()));
        let layout = match known {
            Some((_, layout)) => *layout,
            None => {
                let columns = shape.keys().iter().map(|key| self.column(key));
                let columns = columns.collect::<Result<Vec<usize>>>()?;
                self.layouts.put(columns);
                let layout = self.layouts.len() - 1;
                self.shapes[id] = Some((Arc::clone(shape.keys()), layout));
                layout
            }
        };
        self.rows.put(layout);
        self.state = State::Record(shape.keys().len());
        Ok(())
    }

    fn begin_map(&mut self) -> Result<()> {
        if self.state != State::List {
            return Err(self.misplaced("a map"));
        }
        self.layouts.put(Vec::new());
        self.state = State::Map { on_value: false };
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.state = match self.state {
            State::List => State::Done,
            State::Record(0) => State::List,
            State::Map { on_value: false } => {
                self.rows.put(self.layouts.len() - 1);
                State::List
            }
            _ => return Err(protocol("the contents of a container", "its end")),
        };
        Ok(())
    }
}

fn separate(out: &mut Vec<u8>, column: usize) {
    if column > 0 {
        out.put(b',');
    }
}

/// The error for an empty text that would be read as null.
#[cold]
pub(crate) fn empty_text() -> Error {
    let expected =
        "a text that is not empty where others are null, because CSV has one cell for both";
    refuse(expected, "an empty one").refusing(Refused::EmptyText)
}

/// Writes a text as a cell: quoted if it would be read differently, or if it is empty, which unquoted means null.
fn push_text(out: &mut Vec<u8>, text: &str) {
    let is_special = |byte: u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
    // At the beginning of a file, U+FEFF would be a byte order mark.
    if !text.is_empty() && !text.starts_with('\u{FEFF}') && !text.bytes().any(is_special) {
        out.put_slice(text.as_bytes());
        return;
    }
    out.put(b'"');
    for (part, piece) in text.split('"').enumerate() {
        if part > 0 {
            out.put_slice(b"\"\"");
        }
        out.put_slice(piece.as_bytes());
    }
    out.put(b'"');
}

impl Sink for CsvSink {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::Null => self.cell(|_| ()),
            Event::Bool(value) => {
                self.cell(|out| out.put_slice(if value { b"true" } else { b"false" }))
            }
            Event::Int(value) => self.number(value),
            Event::FixedInt(kind, bits) if kind.is_signed() => self.number(bits.cast_signed()),
            Event::FixedInt(_, bits) => self.number(bits),
            Event::BigInt(_, big) => {
                number::check_digits(big)?;
                self.cell(|out| number::push_big(out, big))
            }
            Event::F16(value) => self.float(f64::from(value)),
            Event::Bf16(value) => self.float(f64::from(value)),
            Event::F32(value) => self.float(f64::from(value)),
            Event::F64(value) => self.float(value),
            Event::String(value) => self.string(value),
            Event::List(_) => self.begin_rows("a list"),
            Event::Tuple(_) => self.begin_rows("a tuple"),
            Event::Array(_) => self.begin_rows("an array"),
            Event::Record(shape) | Event::Struct(_, shape) => self.begin_record(shape),
            Event::Map(_) => self.begin_map(),
            Event::End => self.end(),
            Event::Identity(_) | Event::Choice(_) => Ok(()),
            Event::Bytes(value) | Event::Fixed(value) => Err(refuse::bytes("CSV", value)),
            other => Err(refuse::event(other)),
        }
    }
}

impl Target for CsvSink {
    fn is_text(&self) -> bool {
        true
    }
}
