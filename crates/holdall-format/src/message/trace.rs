//! The meaning of each byte of a message, for inspection.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::{MessageReader, read_block};
use crate::block::site_path;
use crate::column::Place;
use crate::envelope::Preamble;
use crate::error::{Error, Result};
use crate::input::trace::{Content, FieldForm, Part, Span, Tracer};
use crate::input::{Input, Scratch};
use crate::memory::{self, Collect, GrowVec};
use crate::schema::{Schema, Type, TypeId, parents};

/// A column: its site, its purpose, its place and its encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TracedColumn {
    /// The type of the site in the schema, for [`Trace::path`] and [`Trace::type_text`].
    pub site: usize,
    /// The purpose of its rows, such as `"lengths"`; `"values"` for those of the site itself, `"elements"` for those
    /// of tensors.
    pub role: &'static str,
    /// Its byte range within the message, its encoding and its number of rows.
    pub place: Place,
    /// The number of its block in a stream, counted from 0; of a message 0.
    pub block: usize,
}

/// The result of reading a message or a stream for inspection: spans for all its bytes, and the errors.
#[derive(Clone, Debug)]
pub struct Trace {
    /// In the order of the bytes, first those of the message, then those of its decompressed content. Each byte is in one span.
    pub spans: Vec<Span>,
    /// In the order in which they were found. The first is the one that `Decoder::message` or a `Reader` returns, unless
    /// only a walk over the values finds that. Reading continues after an error where the end of the damaged part is
    /// known.
    pub errors: Vec<Error>,
    /// The columns in the order of the bytes; those of a message or a block are missing if reading it stopped before its
    /// end.
    pub columns: Vec<TracedColumn>,
    /// The content of a message with a dictionary, which has its schema and columns.
    pub content: Option<Content>,
    schemas: TracedSchemas,
}

/// The schemas of what is inspected, whose sites are numbered together.
#[derive(Clone, Debug, Default)]
pub struct TracedSchemas(Vec<TracedSchema>);

#[derive(Clone, Debug)]
struct TracedSchema {
    first_site: usize,
    schema: Schema,
    parents: Vec<Option<TypeId>>,
}

impl TracedSchemas {
    /// The number of the next schema's first site.
    pub fn next_site(&self) -> usize {
        self.0.last().map_or(0, |last| last.first_site + last.parents.len())
    }

    pub fn add(&mut self, schema: Schema) {
        let (first_site, parents) = (self.next_site(), parents(&schema));
        self.0.put(TracedSchema { first_site, schema, parents });
    }

    /// The first site of the last schema with a fingerprint.
    pub fn first_site(&self, fingerprint: u64) -> Option<usize> {
        let last = self.0.iter().rfind(|own| own.schema.fingerprint() == fingerprint)?;
        Some(last.first_site)
    }

    /// The schema that has a site, and the site's number in it.
    fn of_site(&self, site: usize) -> Option<(&TracedSchema, TypeId)> {
        let after = self.0.partition_point(|own| own.first_site <= site);
        let own = self.0.get(after.checked_sub(1)?)?;
        let id = site - own.first_site;
        (id < own.parents.len()).then_some((own, id))
    }
}

/// Paths are cut to about this many bytes. Otherwise repeated names and levels would make a trace much longer than the
/// message.
const LONGEST_PATH: usize = 160;

impl Trace {
    /// The trace of as many bytes; those that were not recorded are not read.
    pub fn of(
        tracer: Tracer,
        schemas: TracedSchemas,
        columns: Vec<TracedColumn>,
        len: usize,
    ) -> Trace {
        let (mut spans, errors, mut content) = tracer.finish();
        let inside = content.as_ref().map(|content| spans.split_off(content.first_span));
        // The checksum is verified before the rest of the envelope.
        // A stable sort takes memory even for what is sorted.
        if !spans.is_sorted_by_key(|span| span.range.start) {
            spans.sort_by_key(|span| span.range.start);
        }
        let own = content.as_ref().map_or(errors.len(), |content| content.first_error);
        let mut spans = covering(0..len, spans, &errors[..own]);
        if let (Some(content), Some(inside)) = (&mut content, inside) {
            content.first_span = spans.len();
            let end = content.start + content.bytes.len();
            spans.put_each(covering(content.start..end, inside, &errors));
        }
        Trace { spans, errors, columns, content, schemas }
    }

    /// The spans of the bytes that have the schema and the columns: all, or those of the content.
    #[must_use]
    pub fn spans_with_columns(&self) -> &[Span] {
        let first = self.content.as_ref().map_or(0, |content| content.first_span);
        &self.spans[first..]
    }

    /// The schemas that could be read: at most one of a message, those of a stream in their order.
    pub fn schemas(&self) -> impl ExactSizeIterator<Item = &Schema> {
        self.schemas.0.iter().map(|own| &own.schema)
    }

    /// The path of a site, such as `$.users[].name`, cut at the front if it is very long; empty if the schema could
    /// not be read.
    #[must_use]
    pub fn path(&self, site: usize) -> String {
        let path = |(own, id): (&TracedSchema, TypeId)| {
            site_path(&own.schema, &own.parents, id, LONGEST_PATH)
        };
        self.schemas.of_site(site).map(path).unwrap_or_default()
    }

    /// The code of a site's type (F-56), if the schema could be read.
    #[must_use]
    pub fn type_code(&self, site: usize) -> Option<u8> {
        let (own, id) = self.schemas.of_site(site)?;
        own.schema.types().get(id).map(Type::code)
    }

    /// A short description of a site's type, such as `list(record)`, with the logical type or extension that it
    /// stores; empty if the schema could not be read.
    #[must_use]
    pub fn type_text(&self, site: usize) -> String {
        let Some((own, mut at)) = self.schemas.of_site(site) else { return String::new() };
        let types = own.schema.types();
        let wraps = |id: &TypeId| matches!(types[*id], Type::Logical(..) | Type::Extension(..));
        while let Some(parent) = own.parents[at].filter(wraps) {
            at = parent;
        }
        own.schema.outline(at)
    }
}

/// Spans that cover these bytes, from sorted ones of what was read.
fn covering(range: Range<usize>, spans: Vec<Span>, errors: &[Error]) -> Vec<Span> {
    let mut at = range.start;
    let mut all: Vec<Span> = memory::with_capacity(spans.len() + 1);
    for span in spans {
        all.put_each(unread(at..span.range.start, errors));
        at = span.range.end;
        all.put(span);
    }
    all.put_each(unread(at..range.end, errors));
    all
}

/// A span for bytes that were not read. The reason is the last of the errors before their end.
fn unread(range: Range<usize>, errors: &[Error]) -> Option<Span> {
    let is_before = |error: &Error| error.offset().is_some_and(|at| at < range.end as u64);
    let error = errors.iter().rposition(is_before).or_else(|| errors.len().checked_sub(1));
    (!range.is_empty()).then_some(Span {
        range,
        part: Part::Envelope,
        what: "not read",
        role: "",
        rule: 0,
        form: FieldForm::Unread,
        site: None,
        number: None,
        preview: None,
        error,
        inside: None,
    })
}

impl MessageReader {
    /// Explains each byte of a message as far as possible, with the first of the values. The message may be invalid:
    /// errors are part of the result.
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
        let mut schemas = TracedSchemas::default();
        schema.into_iter().for_each(|schema| schemas.add(schema));
        Trace::of(tracer, schemas, columns, message.len())
    }

    fn read_traced(
        &self,
        mut input: Input<'_>,
        schema: &mut Option<Schema>,
    ) -> Result<Vec<TracedColumn>> {
        let preamble = Preamble::read(&mut input, &self.dictionaries)?;
        let schema = schema.insert(preamble.schema(&mut input, &self.known)?);
        let places = read_block(schema, input, 1, true)?.places.into_iter();
        Ok(places
            .map(|(site, role, place)| TracedColumn { site, role, place, block: 0 })
            .collected())
    }
}
