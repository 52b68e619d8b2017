//! Arrow's arrays as values: in any place of a value, and back with the same types.
//!
//! They are an extension: `arrow.table` for record batches, `arrow.array` for other arrays. Inside is a record.
//!
//! | field | what it holds |
//! |---|---|
//! | `fields` | the Arrow field of the array and, in preorder, those inside: `name`; `format`, the type as in Arrow's C data interface; `flags`, as there; `children`, their number; for some also `metadata`, and whether the type of the `words` of a dictionary follows |
//! | `words` | the values of each dictionary, named by its number in preorder; left out if there are none |
//! | `rows` | a list of the values. Structs are records, each type has its type of `docs/tables.md`, dictionaries have the numbers of their words |

mod collect;
mod finish;
mod leaves;
mod nodes;
mod place;
mod schema;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader, StructArray,
};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use holdall::events::{Event, Sink};
use holdall::events::{Shredder, Source};
use holdall::{Code, Decoder, Error, Result};

use crate::fault::of_arrow;

pub use collect::Collector;
pub use place::Row;

/// The names of the extensions.
pub const TABLE: &str = "arrow.table";
pub const ARRAY: &str = "arrow.array";

/// The names of the parts.
const FIELDS: &str = "fields";
const WORDS: &str = "words";
const ROWS: &str = "rows";

/// The most members of one record, of which a type has at most 256. Wider structs are records of such records.
const GROUP: usize = 256;

/// Arrays of one type, one after the other: record batches, or arrays of any type.
#[derive(Clone, Debug)]
pub struct Arrays {
    field: FieldRef,
    chunks: Vec<ArrayRef>,
    is_table: bool,
}

impl Arrays {
    /// Record batches of a schema.
    #[must_use]
    pub fn of_batches(schema: &Schema, batches: impl IntoIterator<Item = RecordBatch>) -> Arrays {
        let field = Field::new_struct("", schema.fields().clone(), false);
        let field = field.with_metadata(schema.metadata().clone());
        let rows = |batch| Arc::new(StructArray::from(batch)) as ArrayRef;
        let chunks = batches.into_iter().map(rows).collect();
        Arrays { field: Arc::new(field), chunks, is_table: true }
    }

    /// Arrays of a field.
    #[must_use]
    pub fn of_arrays(field: FieldRef, chunks: Vec<ArrayRef>) -> Arrays {
        Arrays { field, chunks, is_table: false }
    }

    /// The rows of a struct as record batches, if all of them are there.
    #[must_use]
    pub fn into_table(mut self) -> Arrays {
        let is_whole = self.chunks.iter().all(|chunk| chunk.null_count() == 0);
        self.is_table |= is_whole && matches!(self.field.data_type(), DataType::Struct(_));
        self
    }

    /// Whether they are record batches.
    #[must_use]
    pub fn is_table(&self) -> bool {
        self.is_table
    }

    /// The field, of a struct if they are record batches.
    #[must_use]
    pub fn field(&self) -> &FieldRef {
        &self.field
    }

    /// The arrays, of structs if they are record batches.
    #[must_use]
    pub fn chunks(&self) -> &[ArrayRef] {
        &self.chunks
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The schema of the record batches; other arrays are the column of one.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        match self.field.data_type() {
            DataType::Struct(fields) if self.is_table => {
                Arc::new(Schema::new_with_metadata(fields.clone(), self.field.metadata().clone()))
            }
            _ => Arc::new(Schema::new(vec![Arc::clone(&self.field)])),
        }
    }

    /// Returns the record batches; other arrays are the column of one.
    ///
    /// # Errors
    /// `unconvertible` if Arrow refuses them.
    pub fn batches(&self) -> Result<impl RecordBatchReader + Send + 'static> {
        let schema = self.schema();
        let batch = |chunk: &ArrayRef| {
            let (own, len) = (Arc::clone(&schema), chunk.len());
            let columns = match chunk.as_any().downcast_ref::<StructArray>() {
                Some(rows) if self.is_table => rows.columns().to_vec(),
                _ => vec![Arc::clone(chunk)],
            };
            let options = RecordBatchOptions::new().with_row_count(Some(len));
            RecordBatch::try_new_with_options(own, columns, &options)
                .map_err(|error| of_arrow(&error))
        };
        let batches = self.chunks.iter().map(batch).collect::<Result<Vec<_>>>()?;
        Ok(arrow_array::RecordBatchIterator::new(batches.into_iter().map(Ok), schema))
    }

    /// Returns all rows as one array.
    ///
    /// # Errors
    /// `unconvertible` if Arrow refuses it.
    pub fn array(&self) -> Result<ArrayRef> {
        match &self.chunks[..] {
            [] => Ok(arrow_array::new_empty_array(self.field.data_type())),
            [only] => Ok(Arc::clone(only)),
            chunks => {
                let chunks: Vec<&dyn Array> = chunks.iter().map(|chunk| &**chunk).collect();
                arrow_select::concat::concat(&chunks).map_err(|error| of_arrow(&error))
            }
        }
    }
}

/// Finds the extension that is a message's value.
struct OfMessage {
    collector: Option<Collector>,
    budget: u64,
    open: usize,
}

impl Sink for OfMessage {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match (&mut self.collector, event) {
            (None, Event::Identity(_)) => Ok(()),
            (None, Event::Extension(name)) => {
                self.collector = Collector::of(name, self.budget);
                self.collector.is_some().then_some(()).ok_or_else(|| not_arrays(&event))
            }
            (None, event) => Err(not_arrays(&event)),
            (Some(_), Event::End) if self.open == 0 => Ok(()),
            (Some(collector), event) => {
                self.open += usize::from(event.is_begin());
                self.open -= usize::from(matches!(event, Event::End));
                collector.event(event)
            }
        }
    }
}

#[cold]
fn not_arrays(event: &Event<'_>) -> Error {
    let expected = format!("{TABLE:?} or {ARRAY:?}");
    Error::new(Code::Unconvertible).expected(expected).got(described(event))
}

impl Arrays {
    /// Reads the arrays that are the value of a message.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use arrow_array::{Int32Array, RecordBatch};
    /// use holdall::{Decoder, Encoder};
    /// use holdall_arrow::Arrays;
    ///
    /// let batch = RecordBatch::try_from_iter([("n", Arc::new(Int32Array::from(vec![1, 2, 3])) as _)])?;
    /// let message = Encoder::new().message(&mut Arrays::of_batches(&batch.schema(), [batch.clone()]))?;
    /// let back = Arrays::read(&message, &mut Decoder::new())?;
    /// assert_eq!(back.batches()?.next().unwrap()?, batch);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `unconvertible` if the value is something else, and the faults of the message.
    pub fn read(message: &[u8], decoder: &mut Decoder) -> Result<Arrays> {
        let budget = decoder.output_limit(message) as u64;
        let mut sink = OfMessage { collector: None, budget, open: 0 };
        let read = decoder.message(message, &mut sink);
        let collector = sink.collector.ok_or_else(|| Error::new(Code::BadSource));
        match (read, collector) {
            (Ok(()), Ok(collector)) => collector.finish(),
            (Err(error), _) | (_, Err(error)) => Err(error),
        }
    }
}

impl Source for Arrays {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        let slot = shredder.take_slot()?;
        let inside = shredder.extension_at(slot, &self.extension().into())?;
        self.place_inside(shredder, inside)
    }
}

/// The name of each member of a struct in records: its own, or one with a number if an earlier member has it.
fn keys<'f>(fields: impl Iterator<Item = &'f Field>) -> Vec<Arc<str>> {
    // For each name, the number to try next: equal names take no longer than others.
    let mut next: HashMap<Arc<str>, usize> = HashMap::new();
    let unique = |field: &Field| {
        let name: Arc<str> = field.name().as_str().into();
        let Some(mut number) = next.get(&name).copied() else {
            next.insert(Arc::clone(&name), 2);
            return name;
        };
        loop {
            let other: Arc<str> = format!("{name}#{number}").into();
            number += 1;
            if !next.contains_key(&other) {
                next.insert(Arc::clone(&other), 2);
                next.insert(name, number);
                return other;
            }
        }
    };
    fields.map(unique).collect()
}

/// What an event is, for errors.
#[cold]
fn described(event: &Event<'_>) -> String {
    const MAX_SHOWN_EVENT: usize = 60;
    let text = format!("{event:?}");
    match text.char_indices().nth(MAX_SHOWN_EVENT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cold]
fn unsupported(got: impl Into<String>) -> Error {
    Error::new(Code::UnsupportedValue)
        .expected("a type of Arrow that can be packed")
        .got(got.into())
}
