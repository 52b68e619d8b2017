//! Where the bytes of a message or a stream are: each column, and the other parts.

use std::collections::HashMap;
use std::iter::Peekable;

use holdall::stream::is_stream;
use holdall::trace::{self, FieldForm, Part, Span, Trace};
use holdall::{Decoder, Result, Value};

use crate::number;
use crate::savings::{EnvelopeOptions, Savings};
use crate::summary::walk;
use crate::words::of_encoding;

/// The size of each column of a valid message or stream, and of the other parts.
///
/// ```
/// use holdall::{Decoder, Value};
/// use holdall_inspect::Statistics;
///
/// let row = |n: i64| Value::record([("id", Value::from(n)), ("name", Value::from("Ada"))]);
/// let message = holdall::to_vec(&Value::from((0..100).map(row).collect::<Vec<_>>()))?;
/// let statistics = Statistics::of(&message, &Decoder::new())?;
/// let name = &statistics.columns[2];
/// assert_eq!((&*name.path, &*name.type_text, &*name.encoding), ("$[].name", "string", "plain"));
/// assert_eq!((name.rows, name.bytes), (100, 303));
/// assert_eq!(statistics.parts().map(|(_, bytes)| bytes).iter().sum::<usize>(), message.len());
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Statistics {
    /// The length of the message or stream.
    pub bytes: usize,
    /// The length that the message would have if its schema and columns, which a dictionary compresses (F-101), were not
    /// compressed. All other numbers are of it.
    pub decompressed: Option<usize>,
    /// Magic byte, flags, length and checksum; of a stream what each frame has around its contents, the heads of blocks,
    /// the end and the statistics.
    pub envelope: usize,
    /// The metadata.
    pub metadata: usize,
    /// The schema, or its fingerprint.
    pub schema: usize,
    /// The numbers of rows of definitions (F-23).
    pub row_counts: usize,
    /// Zero bytes for alignment (F-69), also inside columns.
    pub padding: usize,
    /// The columns in the order of their bytes.
    pub columns: Vec<Column>,
    /// The items of the value, if it is a list or map; the values of a stream.
    pub items: Option<u64>,
    /// The number of blocks of a stream.
    pub blocks: Option<usize>,
    /// The sizes in other profiles, after [`Statistics::compare`].
    pub savings: Option<Savings>,
    pub(crate) envelope_options: EnvelopeOptions,
    pub(crate) schemas: Vec<u64>,
}

/// One column of a message, or of all blocks of a stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Column {
    /// The path in the value, such as `$.users[].name`, without the beginning of a very long one.
    pub path: String,
    /// The type in short, such as `list(record)`.
    pub type_text: String,
    /// The kind of its rows: `values` for those of the type itself, otherwise `lengths`, `presence` and so on.
    pub role: &'static str,
    /// The encoding, as the spec's table F-57 names it; `few rows` for short columns without one, `raw` if its type has
    /// none. If those of the blocks of a stream differ, the one with the most bytes and the number of others.
    pub encoding: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of bytes, without padding.
    pub bytes: usize,
    /// The code of its type (F-56).
    code: u8,
}

/// An order of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// The largest first.
    #[default]
    Bytes,
    /// By path.
    Path,
    /// As in the message.
    Order,
}

impl Column {
    /// Whether its rows are values of its type; otherwise they describe other rows.
    #[must_use]
    pub fn is_values(&self) -> bool {
        matches!(self.role, "values" | "elements")
    }

    /// Returns the kind of its rows: `text`, `integers`, `floats`, `bools`, `raw`, `other`, or `structure` if they only
    /// locate other values.
    #[must_use]
    pub fn family(&self) -> &'static str {
        if !self.is_values() {
            return "structure";
        }
        match self.code {
            0x02 => "bools",
            0x03..=0x0D => "integers",
            0x0E..=0x11 => "floats",
            0x12 | 0x13 => "text",
            // Byte strings of one length, tensors, packed rows.
            0x14 | 0x1D | 0x1E => "raw",
            _ => "other",
        }
    }
}

impl Statistics {
    /// Analyses a message or a stream with a decoder's limits and known schemas. [`Statistics::compare`] adds the sizes in
    /// other profiles.
    ///
    /// # Errors
    /// As [`Decoder::message`] or [`holdall::Reader`]: the data must be valid.
    pub fn of(data: &[u8], decoder: &Decoder) -> Result<Statistics> {
        let trace = decoder.trace(data);
        if let Some(error) = trace.errors.first() {
            return Err(error.clone());
        }
        // Faults that only a walk over the values finds.
        walk(data, decoder)?;
        let bytes_of = |is_it: &dyn Fn(&Span) -> bool| {
            let own =
                trace.spans.iter().filter(|span| span.form != FieldForm::Padding && is_it(span));
            own.map(|span| span.range.len()).sum::<usize>()
        };
        let part =
            |part: Part| bytes_of(&|span| span.part == part && span.form != FieldForm::Frame);
        let columns = columns(&trace);
        let block = part(Part::Block);
        let padding = trace.spans.iter().filter(|span| span.form == FieldForm::Padding);
        let is_stream = is_stream(data);
        Ok(Statistics {
            bytes: data.len(),
            decompressed: trace.content.as_ref().map(|content| {
                data.len() - bytes_of(&|span| span.form == FieldForm::Frame) + content.bytes.len()
            }),
            envelope: part(Part::Envelope),
            metadata: part(Part::Metadata),
            schema: part(Part::Schema),
            row_counts: block - columns.iter().map(|column| column.bytes).sum::<usize>(),
            padding: padding.map(|span| span.range.len()).sum(),
            items: if is_stream { Some(values(&trace)) } else { items(&trace) },
            blocks: is_stream.then(|| heads(&trace).count()),
            columns,
            savings: None,
            envelope_options: EnvelopeOptions::of(data, &trace),
            schemas: schemas(&trace),
        })
    }

    /// Writes the value in each profile to compare the sizes. Takes several times as long as reading it, and the memory
    /// of the value.
    #[must_use]
    pub fn compare(mut self, data: &[u8], decoder: &Decoder) -> Statistics {
        self.savings = Some(Savings::of(data, decoder, &self));
        self
    }

    /// Returns the parts with their sizes, which add up to that of the message or stream, decompressed.
    #[must_use]
    pub fn parts(&self) -> [(&'static str, usize); 6] {
        [
            ("columns", self.columns.iter().map(|column| column.bytes).sum()),
            ("schema", self.schema),
            ("metadata", self.metadata),
            ("envelope", self.envelope),
            ("row counts", self.row_counts),
            ("padding", self.padding),
        ]
    }

    /// Returns the number of rows of all columns.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.columns.iter().map(|column| column.rows as u64).sum()
    }

    /// Returns this many bytes as a fraction of all, decompressed, from 0 to 1.
    #[must_use]
    pub fn share(&self, bytes: usize) -> f64 {
        // Valid data have bytes.
        bytes as f64 / self.decompressed.unwrap_or(self.bytes).max(1) as f64
    }

    /// Returns the column indices in an order.
    #[must_use]
    pub fn sorted(&self, sort: Sort) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..self.columns.len()).collect();
        let column = |number: &usize| &self.columns[*number];
        match sort {
            Sort::Bytes => numbers.sort_by_key(|number| std::cmp::Reverse(column(number).bytes)),
            Sort::Path => numbers.sort_by(|one, other| column(one).path.cmp(&column(other).path)),
            Sort::Order => {}
        }
        numbers
    }

    /// Returns what a column would save in the next smaller profile, if known.
    #[must_use]
    pub fn saving(&self, column: usize) -> Option<i64> {
        self.savings.as_ref()?.columns.as_ref()?.get(column).copied()
    }

    /// Returns what all columns together would save there.
    #[must_use]
    pub fn saved(&self) -> Option<i64> {
        Some(self.savings.as_ref()?.columns.as_ref()?.iter().sum())
    }

    /// Returns everything as a value, for programs: `bytes`, `decompressed`, `items`, `blocks`, `rows`, `parts`, `columns`, `profiles`.
    #[must_use]
    pub fn to_value(&self, sort: Sort) -> Value {
        let column = |index: usize| {
            let column = &self.columns[index];
            // Four digits are enough for people; the exact number follows.
            let share = (self.share(column.bytes) * 1e4).round() / 1e4;
            Value::record([
                ("path", Value::from(&*column.path)),
                ("type", Value::from(&*column.type_text)),
                ("role", Value::from(column.role)),
                ("encoding", Value::from(&*column.encoding)),
                ("rows", number(column.rows)),
                ("bytes", number(column.bytes)),
                ("share", Value::from(share)),
                ("saves", self.saving(index).map_or(Value::Null, Value::from)),
            ])
        };
        let columns: Vec<Value> = self.sorted(sort).into_iter().map(column).collect();
        let parts = self.parts().map(|(name, bytes)| (name, number(bytes)));
        Value::record([
            ("bytes", number(self.bytes)),
            ("decompressed", self.decompressed.map_or(Value::Null, number)),
            ("items", self.items.map_or(Value::Null, |items| Value::from(items as i64))),
            ("blocks", self.blocks.map_or(Value::Null, number)),
            ("rows", Value::from(self.rows() as i64)),
            ("parts", Value::record(parts)),
            ("columns", Value::from(columns)),
            ("profiles", self.savings.as_ref().map_or(Value::Null, Savings::to_value)),
        ])
    }
}

/// The columns that a reader has found; those of all blocks of a stream with one path, type and role are one.
pub(crate) fn columns(trace: &Trace) -> Vec<Column> {
    let mut spans = trace.spans_with_columns().iter().peekable();
    let mut all: Vec<Column> = Vec::new();
    // Those of the first of the blocks are the order of all. A block can have several alike.
    let mut numbers: HashMap<(String, String, &str, usize), usize> = HashMap::new();
    let mut alike: HashMap<(String, String, &str), usize> = HashMap::new();
    let mut encodings: Vec<HashMap<String, usize>> = Vec::new();
    let mut block = 0;
    for column in &trace.columns {
        if column.block != block {
            block = column.block;
            alike.clear();
        }
        let own = of_traced(trace, column, &mut spans);
        let (path, type_text) = (own.path.clone(), own.type_text.clone());
        let before = alike.entry((path.clone(), type_text.clone(), own.role)).or_default();
        let key = (path, type_text, own.role, *before);
        *before += 1;
        let number = *numbers.entry(key).or_insert(all.len());
        if number == all.len() {
            encodings.push(HashMap::from([(own.encoding.clone(), own.bytes)]));
            all.push(own);
            continue;
        }
        *encodings[number].entry(own.encoding).or_default() += own.bytes;
        all[number].rows += own.rows;
        all[number].bytes += own.bytes;
    }
    for (column, encodings) in all.iter_mut().zip(encodings) {
        let others = encodings.len() - 1;
        let largest = encodings
            .into_iter()
            .max_by(|(one, bytes), (other, more)| bytes.cmp(more).then_with(|| other.cmp(one)));
        column.encoding = largest.map(|(name, _)| name).unwrap_or_default();
        match others {
            0 => {}
            1 => column.encoding += ", 1 other",
            _ => column.encoding += &format!(", {others} others"),
        }
    }
    all
}

fn of_traced<'t>(
    trace: &Trace,
    column: &trace::TracedColumn,
    spans: &mut Peekable<impl Iterator<Item = &'t Span>>,
) -> Column {
    let range = &column.place.range;
    while spans.next_if(|span| span.range.start < range.start).is_some() {}
    let mut own = Vec::new();
    while let Some(span) = spans.next_if(|span| span.range.end <= range.end) {
        own.extend((span.form != FieldForm::Padding).then_some(span));
    }
    Column {
        path: trace.path(column.site),
        type_text: trace.type_text(column.site),
        role: column.role,
        encoding: encoding(column.place.encoding, &own),
        rows: column.place.rows,
        bytes: own.iter().map(|span| span.range.len()).sum(),
        code: trace.type_code(column.site).unwrap_or_default(),
    }
}

/// The fingerprints of the schemas, each once.
pub(crate) fn schemas(trace: &Trace) -> Vec<u64> {
    let mut all: Vec<u64> = Vec::new();
    for schema in trace.schemas() {
        if !all.contains(&schema.fingerprint()) {
            all.push(schema.fingerprint());
        }
    }
    all
}

/// The numbers at the heads of the blocks of a stream (F-85).
fn heads(trace: &Trace) -> impl Iterator<Item = u64> {
    let is_head = |span: &&Span| span.rule == 85;
    trace.spans.iter().filter(is_head).filter_map(|span| span.number)
}

/// The number of values of a stream.
fn values(trace: &Trace) -> u64 {
    heads(trace).map(|head| head >> 2).sum()
}

/// The name of an encoding, with the number that matters most for its size.
fn encoding(byte: Option<u8>, spans: &[&Span]) -> String {
    const DICTIONARY: u8 = 0x61;
    const ZSTD: u8 = 0x70;
    let number = spans.get(1).and_then(|span| span.number);
    match (byte, number) {
        (Some(ZSTD), _) => {
            let inside = spans.iter().find_map(|span| span.inside);
            let inside = inside.map(|byte| format!(" of {}", of_encoding(byte.into())));
            format!("zstd{}", inside.unwrap_or_default())
        }
        (Some(DICTIONARY), Some(entries)) => format!("dictionary of {entries}"),
        (Some(byte), _) => of_encoding(byte.into()),
        (None, _) => match spans.first().map(|span| span.rule) {
            // Byte strings of one length, packed rows, elements of tensors: possibly no bytes.
            Some(24 | 76) | None => "raw".to_owned(),
            Some(73) => "of a later version".to_owned(),
            Some(_) => "few rows".to_owned(),
        },
    }
}

/// The length of the outermost list or map: the first column of lengths, if that is the root's.
fn items(trace: &Trace) -> Option<u64> {
    let column = trace.columns.first()?;
    let counts = ["lengths", "entries"].contains(&column.role);
    if !counts || trace.path(column.site) != "$" {
        return None;
    }
    let mut spans = trace.spans_with_columns().iter();
    spans.find(|span| span.range.start == column.place.range.start)?.number
}
