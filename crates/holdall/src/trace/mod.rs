//! What each byte of a message is, for people who look into one.
//!
//! There is no second parser: the decoder itself tells what it reads, if it is asked to.

mod preview;
mod tracer;

use std::ops::Range;

use crate::column::Place;
use crate::envelope::Preamble;
use crate::error::{Error, Result};
use crate::input::Input;
use crate::message::{Decoder, read_block};
use crate::row_path::{parents, site_path};
use crate::schema::{Schema, Type, TypeId};
use crate::scratch::Scratch;

pub(crate) use preview::{big_text, column, entries, number_text, rows_of};
pub(crate) use tracer::{Field, Tracer, field};

/// How the bytes of a span are to be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// Bytes with no meaning of their own here.
    Bytes,
    /// The first byte of a message.
    Magic,
    /// Version and flags (F-8).
    Flags,
    /// Extended flags (F-66).
    ExtendedFlags,
    /// An unsigned number.
    Number,
    /// A signed number, zigzagged (F-5).
    Signed,
    /// The key of a pair of metadata.
    Key,
    /// Its value.
    MetadataValue,
    /// The fingerprint of a schema (F-22).
    Fingerprint,
    /// The code of a type (F-14).
    Type,
    /// The length of a new name, or the number of a known one (F-16).
    NameHead,
    /// A new name.
    Name,
    /// The number of fields and the form of their shapes (F-17).
    FieldsHead,
    /// The number of variants, and whether they are named (F-19).
    VariantsHead,
    /// The kind of a logical type (F-72).
    Kind,
    /// The parameters of a logical type.
    Parameters,
    /// The encoding of a column, or of a frame in it (F-57).
    Encoding,
    /// Rows of a column.
    Rows,
    /// Whether a plane of bytes is the same in all rows (F-30).
    Marker,
    /// What a later version wrote, which is skipped (F-73, F-77).
    Later,
    /// Zero bytes for alignment (F-69).
    Padding,
    /// The checksum of all bytes before it (F-67).
    Checksum,
    /// Bytes behind a fault that the reader could not go on from, or behind the message's end.
    Unread,
}

/// Where in a message a span stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Flags, length, padding, checksum.
    Envelope,
    /// The metadata.
    Metadata,
    /// The schema or its fingerprint.
    Schema,
    /// The columns.
    Block,
}

/// Bytes that are one item of the format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Span {
    /// Which bytes of the message.
    pub range: Range<usize>,
    /// Where they stand.
    pub part: Part,
    /// What the item is, like `"a name"`.
    pub what: &'static str,
    /// What the rows that it belongs to are for, like `"a length"`; empty if they are the values of the site themselves.
    pub role: &'static str,
    /// The number of the rule of the spec that has it: 29 for F-29. Zero for what no rule has.
    pub rule: u8,
    /// How the bytes are to be understood.
    pub form: Form,
    /// The type in the schema that it belongs to, for [`Trace::path`].
    pub site: Option<usize>,
    /// The number that the bytes are, if they are one: as it is written, so zigzagged if it is signed.
    pub number: Option<u64>,
    /// The first of the rows that the bytes hold.
    pub preview: Option<Box<Preview>>,
    /// Of bytes that were not read, the fault among [`Trace::errors`] that is the reason.
    pub error: Option<usize>,
    /// Of a compressed column, the encoding byte of the column inside.
    pub inside: Option<u8>,
}

/// A column: its site, what it is for, where it stands and how it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    /// The type in the schema that it belongs to, for [`Trace::path`] and [`Trace::type_text`].
    pub site: usize,
    /// What its rows are, like `"lengths"`; `"values"` if they are those of the site themselves, `"elements"` of tensors.
    pub role: &'static str,
    /// Its bytes within the message, its encoding and rows.
    pub place: Place,
}

/// The first of some rows, as text for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// A row each, cut where it is long.
    pub rows: Vec<String>,
    /// How many rows there are beside these.
    pub more: usize,
}

/// What a reader met in a message: spans for all its bytes, and the faults.
#[derive(Clone, Debug)]
pub struct Trace {
    /// In the order of the bytes; each byte is in one.
    pub spans: Vec<Span>,
    /// In the order in which they were met, the first as [`Decoder::message`](crate::Decoder::message) gives it, but for
    /// what only a walk over the values shows. It goes on after a fault where the end of what is faulty is known.
    pub errors: Vec<Error>,
    /// The columns in the order of the bytes; none if the reader stopped before the end.
    pub columns: Vec<Column>,
    schema: Option<Schema>,
    parents: Vec<Option<TypeId>>,
}

/// Paths are cut to about this many bytes, or names and levels that repeat would make a trace very much longer than the
/// message.
const LONGEST_PATH: usize = 160;

impl Trace {
    pub(crate) fn new(
        tracer: Tracer,
        schema: Option<Schema>,
        columns: Vec<Column>,
        len: usize,
    ) -> Trace {
        let parents = schema.as_ref().map(parents).unwrap_or_default();
        let (mut spans, errors) = tracer.finish();
        // The checksum is looked at before what stands ahead of it.
        spans.sort_by_key(|span| span.range.start);
        let mut at = 0;
        let mut all: Vec<Span> = Vec::with_capacity(spans.len() + 1);
        for span in spans {
            all.extend(unread(at..span.range.start, errors.len().checked_sub(1)));
            at = span.range.end;
            all.push(span);
        }
        all.extend(unread(at..len, errors.len().checked_sub(1)));
        Trace { spans: all, errors, columns, schema, parents }
    }

    /// The schema, if it could be read.
    #[must_use]
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// The path of a site, like `$.users[].name`, cut at the front where it is very long; empty if the schema could not be read.
    #[must_use]
    pub fn path(&self, site: usize) -> String {
        match &self.schema {
            Some(schema) if site < self.parents.len() => {
                site_path(schema, &self.parents, site, LONGEST_PATH)
            }
            _ => String::new(),
        }
    }

    /// The code of a site's type (F-56), if the schema could be read.
    #[must_use]
    pub fn type_code(&self, site: usize) -> Option<u8> {
        self.schema.as_ref()?.types().get(site).map(Type::code)
    }

    /// The type of a site in a few words, like `list(record)`, with the logical type or extension whose storage it is;
    /// empty if the schema could not be read.
    #[must_use]
    pub fn type_text(&self, site: usize) -> String {
        let Some(schema) = self.schema.as_ref().filter(|_| site < self.parents.len()) else {
            return String::new();
        };
        let types = schema.types();
        let wraps = |id: &TypeId| matches!(types[*id], Type::Logical(..) | Type::Extension(..));
        let mut at = site;
        while let Some(parent) = self.parents[at].filter(wraps) {
            at = parent;
        }
        schema.outline(at)
    }
}

impl Decoder {
    /// Tells what each byte of a message is, as far as that can be told, with the first of the values. The message need not
    /// be valid; an error is a part of the answer.
    ///
    /// ```
    /// let trace = holdall::Decoder::new().trace(b"\xC1\x10\x1A\x08\x04a\x03\x04");
    /// let span = trace.spans.last().unwrap();
    /// assert_eq!((span.range.clone(), span.rule, span.number), (7..8, 29, Some(2))); // F-29; zigzag 2 is 1
    /// assert_eq!(trace.path(span.site.unwrap()), "$.a");
    /// assert!(trace.errors.is_empty());
    /// ```
    #[must_use]
    pub fn trace(&self, message: &[u8]) -> Trace {
        let (tracer, scratch) = (Tracer::new(), Scratch::default());
        let mut schema = None;
        let input = Input::new(message, self.limits.budget_for(message.len()), &scratch);
        let columns = match self.read_traced(input.traced(&tracer), &mut schema) {
            Ok(columns) => columns,
            Err(error) => {
                tracer.stop(error);
                Vec::new()
            }
        };
        Trace::new(tracer, schema, columns, message.len())
    }

    fn read_traced(
        &self,
        mut input: Input<'_>,
        schema: &mut Option<Schema>,
    ) -> Result<Vec<Column>> {
        let preamble = Preamble::read(&mut input)?;
        let schema = schema.insert(preamble.schema(&mut input, &self.known)?);
        let places = read_block(schema, input, 1, true)?.places.into_iter();
        Ok(places.map(|(site, role, place)| Column { site, role, place }).collect())
    }
}

/// A span for bytes that were not read.
fn unread(range: Range<usize>, error: Option<usize>) -> Option<Span> {
    (!range.is_empty()).then_some(Span {
        range,
        part: Part::Envelope,
        what: "not read",
        role: "",
        rule: 0,
        form: Form::Unread,
        site: None,
        number: None,
        preview: None,
        error,
        inside: None,
    })
}
