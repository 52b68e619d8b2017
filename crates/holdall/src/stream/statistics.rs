//! Statistics of the blocks of a stream, by which programs leave out blocks (F-100).

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use std::collections::HashMap;

use crate::column::Profile;
use crate::decoder::Decoder;
use crate::encoder::Encoder;
use crate::error::{Code, Error, Result};
use crate::memory::{self, Collect, GrowMap, GrowVec};
use crate::value::Value;
use crate::view::{ColumnBounds, View};

/// What a stream says of the values of one block; see [`View::statistics`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BlockStatistics {
    /// The numbers of its values in the stream.
    pub values: Range<u64>,
    /// Of those columns of which something is known.
    pub columns: Vec<ColumnStatistics>,
}

/// What a stream says of one column of a block: of the values that the fields of a path lead to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColumnStatistics {
    /// The names of the fields; none for values that are no records.
    pub path: Vec<String>,
    /// How many values of the block are null there, or lack the field.
    pub nulls: u64,
    /// No value is less. Null if nothing is known.
    pub lower: Value,
    /// No value is greater. Null if nothing is known.
    pub upper: Value,
}

/// The most bounds that a frame has.
const CELLS: usize = 1 << 14;

/// The statistics of blocks that were written, by column.
#[derive(Default)]
pub(super) struct Gathered {
    first: Vec<u64>,
    rows: Vec<u64>,
    columns: Vec<GatheredColumn>,
    /// The number of each column.
    numbers: HashMap<Vec<Arc<str>>, usize>,
}

struct GatheredColumn {
    path: Vec<Value>,
    nulls: Vec<Value>,
    lower: Vec<Value>,
    upper: Vec<Value>,
}

impl Gathered {
    /// Adds a block.
    pub(super) fn add(&mut self, bounds: Vec<ColumnBounds>, values: Range<u64>) {
        let blocks = self.first.len();
        for bounds in bounds {
            let ColumnBounds { path, nulls, lower, upper } = bounds;
            let number = match self.numbers.get(&path) {
                Some(number) => *number,
                None => {
                    let none = || memory::filled(Value::Null, blocks);
                    let (nulls, lower, upper) = (none(), none(), none());
                    let names = path.iter().map(|name| Value::from(&**name)).collected();
                    self.columns.put(GatheredColumn { path: names, nulls, lower, upper });
                    self.numbers.put(path, self.columns.len() - 1);
                    self.columns.len() - 1
                }
            };
            let column = &mut self.columns[number];
            column.nulls.put(nulls.into());
            column.lower.put(lower);
            column.upper.put(upper);
        }
        self.first.put(values.start);
        self.rows.put(values.end - values.start);
        for column in &mut self.columns {
            for list in [&mut column.nulls, &mut column.lower, &mut column.upper] {
                list.put_fill(blocks + 1, Value::Null);
            }
        }
    }

    /// Whether there is enough for a frame: the memory of a writer does not grow with its stream.
    pub(super) fn is_full(&self) -> bool {
        self.first.len() * self.columns.len().max(1) >= CELLS
    }

    /// Returns the payload of a frame, if there are blocks.
    pub(super) fn payload(self) -> Result<Option<Vec<u8>>> {
        if self.first.is_empty() {
            return Ok(None);
        }
        let columns = self.columns.into_iter().map(|column| {
            Value::record([
                ("path", Value::list(column.path)),
                ("nulls", Value::list(column.nulls)),
                ("lower", Value::list(column.lower)),
                ("upper", Value::list(column.upper)),
            ])
        });
        let all = Value::record([
            ("first", Value::list(self.first.into_iter().map(Value::from))),
            ("rows", Value::list(self.rows.into_iter().map(Value::from))),
            ("columns", Value::list(columns)),
        ]);
        Encoder::new().profile(Profile::Balanced).encode(&all).map(Some)
    }
}

impl View<'_> {
    /// Returns what the stream says of its blocks, if its writer had [`statistics`](super::WriterOptions::statistics): a program that
    /// searches for values can leave out blocks that cannot have them. `None` for a block of which nothing is said.
    ///
    /// # Errors
    /// `bad_frame` of statistics that are none.
    pub fn statistics(&self) -> Result<Vec<Option<BlockStatistics>>> {
        let Some(blocks) = self.blocks_of_stream() else { return Ok(Vec::new()) };
        let mut found: Vec<Option<BlockStatistics>> = (0..blocks.len()).map(|_| None).collected();
        for (at, payload) in blocks.statistics() {
            let wrong = || {
                Error::in_stream(Code::BadFrame, *at)
                    .expected("statistics of blocks")
                    .got("other data")
            };
            let value: Value = Decoder::new().decode(payload).map_err(|_| wrong())?;
            for own in of_value(&value).ok_or_else(wrong)? {
                let number = blocks.block_of(own.values.start);
                let end = match number + 1 < blocks.len() {
                    true => blocks.first(number + 1),
                    false => blocks.values(),
                };
                if number < blocks.len() && own.values == (blocks.first(number)..end) {
                    found[number] = Some(own);
                }
            }
        }
        Ok(found)
    }
}

/// Reads the statistics of blocks from the value of a payload.
fn of_value(value: &Value) -> Option<Vec<BlockStatistics>> {
    let numbers = |name| -> Option<Vec<u64>> {
        list(field(value, name)?)?
            .iter()
            .map(|number| u64::try_from(number.as_i64()?).ok())
            .collected()
    };
    let (first, rows) = (numbers("first")?, numbers("rows")?);
    if first.len() != rows.len() {
        return None;
    }
    let mut blocks = memory::with_capacity(first.len());
    for (first, rows) in first.into_iter().zip(rows) {
        let values = first..first.checked_add(rows)?;
        blocks.put(BlockStatistics { values, columns: Vec::new() });
    }
    for column in list(field(value, "columns")?)? {
        let path = list(field(column, "path")?)?;
        let path: Vec<String> =
            path.iter().map(|name| name.as_str().map(str::to_owned)).collected::<Option<_>>()?;
        let part = |name| list(field(column, name)?).filter(|all| all.len() == blocks.len());
        let (nulls, lower, upper) = (part("nulls")?, part("lower")?, part("upper")?);
        let rows = nulls.iter().zip(lower.iter().zip(upper));
        for (block, (nulls, (lower, upper))) in blocks.iter_mut().zip(rows) {
            if *nulls == Value::Null {
                continue;
            }
            let nulls = u64::try_from(nulls.as_i64()?).ok()?;
            let (lower, upper) = (lower.clone(), upper.clone());
            block.columns.put(ColumnStatistics { path: path.clone(), nulls, lower, upper });
        }
    }
    Some(blocks)
}

fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Record(record) => record.field(name),
        _ => None,
    }
}

fn list(value: &Value) -> Option<&[Value]> {
    match value {
        Value::List(items) => Some(items),
        _ => None,
    }
}
