//! Describes each byte of holdall data for people: offset, length, path, meaning, and rule of the spec. Also shows the
//! bytes of each column ([`Statistics`]), on request as a page with a treemap.
//!
//! There is no parser here. The decoder reports what it reads ([`holdall::Decoder::trace`]); this crate describes it.
//!
//! ```
//! use holdall::{Decoder, Value};
//! use holdall_inspect::{Inspection, View};
//!
//! let message = holdall::to_vec(&Value::record([("name", Value::from("Ada"))]))?;
//! let inspection = Inspection::of(&message, &Decoder::new());
//! let item = inspection.items(&View::default()).last().unwrap();
//! assert_eq!((item.range.clone(), &*item.path), (11..14, "$.name"));
//! assert_eq!((&*item.meaning, item.rule()), ("text: \"Ada\"", "F-32".to_owned()));
//!
//! let hidden = inspection.items(&View::default().redact(true)).last().unwrap();
//! assert_eq!((&*hidden.meaning, hidden.is_hidden), ("text (hidden)", true));
//! # Ok::<(), holdall::Error>(())
//! ```

mod meaning;
mod page;
mod path;
mod savings;
mod stat;
mod summary;
mod tree;
mod treemap;
mod words;

use std::collections::HashMap;
use std::ops::Range;

use holdall::trace::{FieldForm, Part, Span, Trace};
use holdall::{Decoder, Error, Value};

pub use path::Pattern;
pub use savings::{Savings, profile_name};
pub use stat::{Column, Sort, Statistics};
pub use summary::Summary;
pub use words::{grouped, is_control, printable};

/// What an [`Inspection`] shows.
#[derive(Clone, Debug, Default)]
pub struct View {
    pattern: Option<Pattern>,
    redact: bool,
}

impl View {
    /// Shows only the bytes of a path, such as `$.users[].name`, and of everything inside it: see [`Pattern::new`]. The
    /// number of an item matches any item, since a column holds all of them.
    #[must_use]
    pub fn path(mut self, path: &str) -> View {
        self.pattern = Some(Pattern::new(path));
        self
    }

    /// Hides values in columns, values of metadata, the checksum, and unknown bytes. Types, field names, keys of
    /// metadata, encodings and sizes remain.
    #[must_use]
    pub fn redact(mut self, redact: bool) -> View {
        self.redact = redact;
        self
    }
}

/// Bytes of a message or a stream that form one item, with their meaning.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Item<'i> {
    /// Which bytes: of the message, or of its [content](Inspection::content).
    pub range: Range<usize>,
    /// The bytes; none if they are hidden.
    pub bytes: &'i [u8],
    /// The path in the value, such as `$.users[].name`; empty if there is none.
    pub path: String,
    /// The meaning, with the first values.
    pub meaning: String,
    /// The faults in these bytes.
    pub faults: Vec<String>,
    /// Whether bytes and values are hidden.
    pub is_hidden: bool,
    /// Whether the bytes are decompressed ones.
    pub is_in_content: bool,
    rule: u8,
}

impl Item<'_> {
    /// Returns the rule of the spec, such as `F-29`; empty if there is none.
    #[must_use]
    pub fn rule(&self) -> String {
        if self.rule == 0 { String::new() } else { format!("F-{}", self.rule) }
    }
}

/// An inspected message or stream.
pub struct Inspection<'m> {
    data: &'m [u8],
    trace: Trace,
    errors: Vec<Error>,
    /// The faults inside spans, by the number of the span.
    faults: HashMap<usize, Vec<usize>>,
    /// Where each schema begins, and the ranges of the names in it.
    names: Vec<(usize, Vec<Range<usize>>)>,
}

impl<'m> Inspection<'m> {
    /// Inspects a message or a stream with a decoder's limits and known schemas.
    #[must_use]
    pub fn of(data: &'m [u8], decoder: &Decoder) -> Inspection<'m> {
        let trace = decoder.trace(data);
        let mut errors = trace.errors.clone();
        if errors.is_empty() {
            // Faults that only a walk over the values finds.
            errors.extend(summary::walk(data, decoder).err());
        }
        let mut faults: HashMap<usize, Vec<usize>> = HashMap::new();
        for (number, error) in errors.iter().enumerate() {
            let offset = error.offset().and_then(|offset| usize::try_from(offset).ok());
            // Offsets in the content begin with that of its frame, so they are those of other bytes of the message, too.
            let spans = match &trace.content {
                Some(content) if number >= content.first_error => {
                    content.first_span..trace.spans.len()
                }
                Some(content) => 0..content.first_span,
                None => 0..trace.spans.len(),
            };
            let span = offset.and_then(|offset| {
                let found =
                    trace.spans[spans.clone()].binary_search_by(|span| order(&span.range, offset));
                Some(spans.start + found.ok()?)
            });
            if let Some(span) = span.filter(|span| trace.spans[*span].form != FieldForm::Unread) {
                faults.entry(span).or_default().push(number);
            }
        }
        let names = names(trace.spans_with_columns());
        Inspection { data, trace, errors, faults, names }
    }

    /// The names so far in the schema that has the byte at this offset.
    fn names_at(&self, offset: usize) -> &[Range<usize>] {
        let after = self.names.partition_point(|(start, _)| *start <= offset);
        after.checked_sub(1).map_or(&[], |own| &self.names[own].1)
    }

    /// Returns the faults, the first as a decoder or a reader reports it.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// Returns the bytes that a dictionary decompressed, if the message has one: its schema and its columns. Their offsets begin
    /// with that of the frame, whose place they take; errors have such offsets, too.
    #[must_use]
    pub fn content(&self) -> Option<Range<usize>> {
        let content = self.trace.content.as_ref()?;
        Some(content.start..content.start + content.bytes.len())
    }

    /// The bytes of the span with this number.
    fn bytes(&self, number: usize) -> &[u8] {
        let range = self.trace.spans[number].range.clone();
        let first = self.trace.content.as_ref().map_or(0, |content| content.first_span);
        if number < first { &self.data[range] } else { self.bytes_with_columns(range) }
    }

    /// Bytes of the schema or the columns.
    fn bytes_with_columns(&self, range: Range<usize>) -> &[u8] {
        match &self.trace.content {
            Some(content) => &content.bytes[range.start - content.start..range.end - content.start],
            None => &self.data[range],
        }
    }

    /// Returns the items in the order of the bytes, those of the [content](Inspection::content) after those of the message.
    /// Without a path in the view, they cover each byte once.
    pub fn items<'i, 'v>(
        &'i self,
        view: &'v View,
    ) -> impl Iterator<Item = Item<'i>> + use<'i, 'v, 'm> {
        let first_in_content = self.trace.content.as_ref().map(|content| content.first_span);
        let mut before: Option<(usize, String)> = None;
        self.trace.spans.iter().enumerate().filter_map(move |(number, span)| {
            // Spans of one site are mostly adjacent.
            let path = match (span.site, &before) {
                (None, _) => String::new(),
                (Some(site), Some((known, path))) if site == *known => path.clone(),
                (Some(site), _) => {
                    let path = self.trace.path(site);
                    before = Some((site, path.clone()));
                    path
                }
            };
            if view.pattern.as_ref().is_some_and(|pattern| !pattern.matches(&path)) {
                return None;
            }
            let is_hidden = view.redact && is_secret(span);
            let faults = self.faults.get(&number).into_iter().flatten();
            let words = |error: &usize| error_text(&self.errors[*error], view);
            Some(Item {
                range: span.range.clone(),
                bytes: if is_hidden { &[] } else { self.bytes(number) },
                path,
                meaning: self.meaning(number, is_hidden, view),
                faults: faults.map(words).collect(),
                is_hidden,
                is_in_content: first_in_content.is_some_and(|first| number >= first),
                rule: span.rule,
            })
        })
    }

    /// Returns everything as a value, for programs: `bytes`, `redacted`, `spans`, `content`, `errors`. Bytes are hexadecimal,
    /// at most the first 64 of an item.
    #[must_use]
    pub fn to_value(&self, view: &View) -> Value {
        let (mut own, mut inside): (Vec<Value>, Vec<Value>) = Default::default();
        for item in self.items(view) {
            if item.is_in_content { &mut inside } else { &mut own }.push(item_value(&item));
        }
        let content = self.content().map_or(Value::Null, |range| {
            Value::record([
                ("offset", number(range.start)),
                ("bytes", number(range.len())),
                ("spans", Value::from(inside)),
            ])
        });
        let errors: Vec<Value> = self.errors.iter().map(|error| error_value(error, view)).collect();
        Value::record([
            ("bytes", number(self.data.len())),
            ("redacted", Value::from(view.redact)),
            ("spans", Value::from(own)),
            ("content", content),
            ("errors", Value::from(errors)),
        ])
    }
}

/// The fault without the value found, if values are hidden.
#[must_use]
pub fn redacted(error: &Error) -> Error {
    let place = Error::new(error.code());
    let place = match error.offset().and_then(|offset| usize::try_from(offset).ok()) {
        Some(offset) => Error::at(error.code(), offset),
        None => place,
    };
    place.with_path(|| error.path().to_owned())
}

fn error_text(error: &Error, view: &View) -> String {
    if view.redact { redacted(error).to_string() } else { format!("{error:#}") }
}

fn number(number: usize) -> Value {
    Value::from(number as u64 as i64)
}

/// JSON has at most this many of an item's bytes.
const BYTES: usize = 64;

fn item_value(item: &Item<'_>) -> Value {
    let shown = &item.bytes[..item.bytes.len().min(BYTES)];
    let hex = words::hex(shown);
    let faults: Vec<Value> = item.faults.iter().map(|text| Value::from(&**text)).collect();
    Value::record([
        ("offset", number(item.range.start)),
        ("length", number(item.range.len())),
        ("hex", if item.is_hidden { Value::Null } else { Value::from(&*hex) }),
        ("path", Value::from(&*item.path)),
        ("meaning", Value::from(&*item.meaning)),
        ("rule", Value::from(&*item.rule())),
        ("faults", Value::from(faults)),
    ])
}

fn error_value(error: &Error, view: &View) -> Value {
    let offset = error.offset().map_or(Value::Null, |offset| Value::from(offset as i64));
    Value::record([
        ("code", Value::from(error.code().as_str())),
        ("offset", offset),
        ("path", Value::from(error.path())),
        ("text", Value::from(&*error_text(error, view))),
    ])
}

/// A range relative to an offset.
fn order(range: &Range<usize>, offset: usize) -> std::cmp::Ordering {
    if range.end <= offset {
        std::cmp::Ordering::Less
    } else if range.start > offset {
        std::cmp::Ordering::Greater
    } else {
        std::cmp::Ordering::Equal
    }
}

/// Whether a span can contain a value, or a part of one.
fn is_secret(span: &Span) -> bool {
    match span.form {
        FieldForm::MetadataValue
        | FieldForm::Checksum
        | FieldForm::Statistics
        | FieldForm::Frame
        | FieldForm::Later
        | FieldForm::Unread => true,
        FieldForm::Encoding | FieldForm::Padding | FieldForm::Marker => false,
        // The rows of definitions have no role and no encoding; the block starts with them.
        _ => span.part == Part::Block && span.rule != 23,
    }
}

/// Of each schema, where it begins and the ranges of its spelled-out names (F-16); a name without bytes has no span.
fn names(spans: &[Span]) -> Vec<(usize, Vec<Range<usize>>)> {
    let mut all: Vec<(usize, Vec<Range<usize>>)> = Vec::new();
    let mut is_within = false;
    for (number, span) in spans.iter().enumerate() {
        let is_schema = span.part == Part::Schema;
        if is_schema && !is_within {
            all.push((span.range.start, Vec::new()));
        }
        is_within = is_schema;
        let is_new = span.form == FieldForm::NameHead && span.number.is_some_and(|v| v % 2 == 0);
        if let (true, Some((_, names))) = (is_new, all.last_mut()) {
            names.push(match spans.get(number + 1) {
                Some(name) if name.form == FieldForm::Name => name.range.clone(),
                _ => span.range.end..span.range.end,
            });
        }
    }
    all
}
