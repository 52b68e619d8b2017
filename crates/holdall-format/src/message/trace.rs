//! The meaning of each byte of a message, for inspection.

use std::ops::Range;

use super::{MessageReader, read_block};
use crate::block::site_path;
use crate::column::Place;
use crate::envelope::Preamble;
use crate::error::{Error, Result};
use crate::input::trace::{Form, Part, Span, Tracer};
use crate::input::{Input, Scratch};
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
}

/// The result of reading a message for inspection: spans for all its bytes, and the errors.
#[derive(Clone, Debug)]
pub struct Trace {
    /// In the order of the bytes. Each byte is in one span.
    pub spans: Vec<Span>,
    /// In the order in which they were found. The first is the one that `Decoder::message` returns, unless only a walk
    /// over the values finds that. Reading continues after an error where the end of the damaged part is known.
    pub errors: Vec<Error>,
    /// The columns in the order of the bytes; empty if reading stopped before the end.
    pub columns: Vec<TracedColumn>,
    schema: Option<Schema>,
    parents: Vec<Option<TypeId>>,
}

/// Paths are cut to about this many bytes. Otherwise repeated names and levels would make a trace much longer than the
/// message.
const LONGEST_PATH: usize = 160;

impl Trace {
    fn new(
        tracer: Tracer,
        schema: Option<Schema>,
        columns: Vec<TracedColumn>,
        len: usize,
    ) -> Trace {
        let parents = schema.as_ref().map(parents).unwrap_or_default();
        let (mut spans, errors) = tracer.finish();
        // The checksum is verified before the rest of the envelope.
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

    /// The path of a site, such as `$.users[].name`, cut at the front if it is very long; empty if the schema could
    /// not be read.
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

    /// A short description of a site's type, such as `list(record)`, with the logical type or extension that it
    /// stores; empty if the schema could not be read.
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
        Trace::new(tracer, schema, columns, message.len())
    }

    fn read_traced(
        &self,
        mut input: Input<'_>,
        schema: &mut Option<Schema>,
    ) -> Result<Vec<TracedColumn>> {
        let preamble = Preamble::read(&mut input)?;
        let schema = schema.insert(preamble.schema(&mut input, &self.known)?);
        let places = read_block(schema, input, 1, true)?.places.into_iter();
        Ok(places.map(|(site, role, place)| TracedColumn { site, role, place }).collect())
    }
}
