//! Where the bytes of a message are: each column, and the other parts.

use holdall::trace::{self, Form, Part, Span, Trace};
use holdall::{Decoder, Result, Value};

use crate::number;
use crate::savings::{Flags, Savings};
use crate::summary::Counter;
use crate::words::of_encoding;

/// The size of each column of a valid message, and of the other parts.
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
    /// The message's length.
    pub bytes: usize,
    /// Magic byte, flags, length and checksum.
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
    /// The items of the value, if it is a list or map.
    pub items: Option<u64>,
    /// The sizes in other profiles, after [`Statistics::compare`].
    pub savings: Option<Savings>,
    flags: Flags,
}

/// One column of a message.
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
    /// none.
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
    /// Analyses a message with a decoder's limits and known schemas. [`Statistics::compare`] adds the sizes in other
    /// profiles.
    ///
    /// # Errors
    /// As [`Decoder::message`]: the message must be valid.
    pub fn of(message: &[u8], decoder: &Decoder) -> Result<Statistics> {
        let trace = decoder.trace(message);
        if let Some(error) = trace.errors.first() {
            return Err(error.clone());
        }
        // Faults that only a walk over the values finds.
        decoder.clone().message(message, &mut Counter::default())?;
        let bytes_of = |is_it: &dyn Fn(&Span) -> bool| {
            let own = trace.spans.iter().filter(|span| span.form != Form::Padding && is_it(span));
            own.map(|span| span.range.len()).sum::<usize>()
        };
        let part = |part: Part| bytes_of(&|span| span.part == part);
        let columns = columns(&trace);
        let block = part(Part::Block);
        let flags = |form: Form| {
            let span = trace.spans.iter().find(|span| span.form == form);
            span.and_then(|span| span.number).unwrap_or(0)
        };
        let padding = trace.spans.iter().filter(|span| span.form == Form::Padding);
        Ok(Statistics {
            bytes: message.len(),
            envelope: part(Part::Envelope),
            metadata: part(Part::Metadata),
            schema: part(Part::Schema),
            row_counts: block - columns.iter().map(|column| column.bytes).sum::<usize>(),
            padding: padding.map(|span| span.range.len()).sum(),
            items: items(&trace),
            columns,
            savings: None,
            flags: Flags { first: flags(Form::Flags), extended: flags(Form::ExtendedFlags) },
        })
    }

    /// Writes the value in each profile to compare the sizes. Takes several times as long as reading it, and the memory
    /// of the value.
    #[must_use]
    pub fn compare(mut self, message: &[u8], decoder: &Decoder) -> Statistics {
        self.savings = Some(Savings::of(message, decoder, self.flags, &self.columns));
        self
    }

    /// Returns the parts of the message with their sizes, which add up to the message's.
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

    /// Returns this many bytes as a fraction of the message, from 0 to 1.
    #[must_use]
    pub fn share(&self, bytes: usize) -> f64 {
        // A valid message has bytes.
        bytes as f64 / self.bytes.max(1) as f64
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

    /// Returns everything as a value, for programs: `bytes`, `items`, `rows`, `parts`, `columns`, `profiles`.
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
            ("items", self.items.map_or(Value::Null, |items| Value::from(items as i64))),
            ("rows", Value::from(self.rows() as i64)),
            ("parts", Value::record(parts)),
            ("columns", Value::from(columns)),
            ("profiles", self.savings.as_ref().map_or(Value::Null, Savings::to_value)),
        ])
    }
}

/// The columns that a reader has found.
pub(crate) fn columns(trace: &Trace) -> Vec<Column> {
    let mut spans = trace.spans.iter().peekable();
    let column = |column: &trace::TracedColumn| {
        let range = &column.place.range;
        while spans.next_if(|span| span.range.start < range.start).is_some() {}
        let mut own = Vec::new();
        while let Some(span) = spans.next_if(|span| span.range.end <= range.end) {
            own.extend((span.form != Form::Padding).then_some(span));
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
    };
    trace.columns.iter().map(column).collect()
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
    trace.spans.iter().find(|span| span.range.start == column.place.range.start)?.number
}
