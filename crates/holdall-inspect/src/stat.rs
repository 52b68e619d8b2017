//! Where the bytes of a message are: column by column, and beside them.

use holdall::trace::{self, Form, Part, Span, Trace};
use holdall::{Decoder, Result, Value};

use crate::number;
use crate::savings::{Flags, Savings};
use crate::summary::Counter;
use crate::words::of_encoding;

/// How many bytes each column of a valid message has, and what is beside the columns.
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
    /// Zero bytes for alignment (F-69), those inside columns too.
    pub padding: usize,
    /// The columns in the order of their bytes.
    pub columns: Vec<Column>,
    /// The items of the value, if it is a list or map.
    pub items: Option<u64>,
    /// What other profiles would take, if [`Statistics::compare`] has looked.
    pub savings: Option<Savings>,
    flags: Flags,
}

/// One column of a message.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Column {
    /// The place in the value, like `$.users[].name`; the front of a very long one is cut off.
    pub path: String,
    /// The type in a few words, like `list(record)`.
    pub type_text: String,
    /// What its rows are: `values` if they are those of the type themselves, else `lengths`, `presence` and so on.
    pub role: &'static str,
    /// The encoding, as the spec's table F-57 names it; `few rows` where it has none as there are few, `raw` where its type
    /// has none.
    pub encoding: String,
    /// How many rows.
    pub rows: usize,
    /// How many bytes, without padding.
    pub bytes: usize,
    /// The code of its type (F-56).
    code: u8,
}

/// An order of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Those with the most bytes first.
    #[default]
    Bytes,
    /// By their paths.
    Path,
    /// As they stand in the message.
    Order,
}

impl Column {
    /// Whether its rows are values of its type; otherwise they describe other rows.
    #[must_use]
    pub fn is_values(&self) -> bool {
        matches!(self.role, "values" | "elements")
    }

    /// What kind of rows it has: `text`, `integers`, `floats`, `bools`, `raw`, `other`, or `structure` if they only say where
    /// other values are.
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
    /// Looks into a message with a decoder's limits and the schemas that it knows. What [`Statistics::compare`] finds is not
    /// yet in it.
    ///
    /// # Errors
    /// As [`Decoder::message`]: the message must be valid.
    pub fn of(message: &[u8], decoder: &Decoder) -> Result<Statistics> {
        let trace = decoder.trace(message);
        if let Some(error) = trace.errors.first() {
            return Err(error.clone());
        }
        // What only a walk over the values shows.
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

    /// Writes the value again in each profile, to say what another one would save. That takes several times as long as
    /// reading it, and the memory of the value.
    #[must_use]
    pub fn compare(mut self, message: &[u8], decoder: &Decoder) -> Statistics {
        self.savings = Some(Savings::of(message, decoder, self.flags, &self.columns));
        self
    }

    /// What the message is made of, each with its bytes; together they are the message's.
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

    /// The rows of all columns.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.columns.iter().map(|column| column.rows as u64).sum()
    }

    /// The part of the message that this many bytes are, from 0 to 1.
    #[must_use]
    pub fn share(&self, bytes: usize) -> f64 {
        // A valid message has bytes.
        bytes as f64 / self.bytes.max(1) as f64
    }

    /// The numbers of the columns in an order.
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

    /// What a column would save in the next smaller profile, as far as that is known.
    #[must_use]
    pub fn saving(&self, column: usize) -> Option<i64> {
        self.savings.as_ref()?.columns.as_ref()?.get(column).copied()
    }

    /// What all columns together would save there.
    #[must_use]
    pub fn saved(&self) -> Option<i64> {
        Some(self.savings.as_ref()?.columns.as_ref()?.iter().sum())
    }

    /// All of it as a value, for programs: `bytes`, `items`, `rows`, `parts`, `columns`, `profiles`.
    #[must_use]
    pub fn to_value(&self, sort: Sort) -> Value {
        let column = |index: usize| {
            let column = &self.columns[index];
            // Four digits are enough for people, and the exact number is there.
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
            // Byte strings of one length, packed rows, the elements of tensors: perhaps of no bytes.
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
