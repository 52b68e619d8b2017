//! The arrays of a table while its rows arrive: a node for each field.

use std::sync::Arc;

use arrow_buffer::{BooleanBufferBuilder, i256};
use arrow_schema::{DataType, Field, FieldRef, IntervalUnit};
use holdall::{Code, Error, IntKind, LogicalType, Result};

use super::leaves::logical_of;
use super::{GROUP, keys};

pub type NodeId = usize;

/// A field, and its rows so far.
pub struct Node {
    pub field: FieldRef,
    pub len: usize,
    /// Which rows have a value, from the first null on.
    pub valid: Option<BooleanBufferBuilder>,
    pub form: Form,
    pub known: Option<Known>,
}

/// The names in the last row of a struct, and the nodes that they have.
pub struct Known {
    pub names: Arc<[Arc<str>]>,
    pub members: Arc<[NodeId]>,
}

pub enum Form {
    Null,
    Bool(BooleanBufferBuilder),
    /// Integers of this many bytes, which data has as this kind; inside a logical type, if there is one.
    Ints {
        kind: IntKind,
        width: usize,
        logical: Option<LogicalType>,
        bytes: Vec<u8>,
    },
    /// Floats, or byte strings of a fixed length.
    Fixed {
        width: usize,
        bytes: Vec<u8>,
    },
    /// Strings or byte strings; where each ends.
    Text {
        ends: Vec<i64>,
        bytes: Vec<u8>,
    },
    Decimals {
        scale: i8,
        values: Vec<i256>,
    },
    /// Intervals of this many parts.
    Parts {
        unit: IntervalUnit,
        bytes: Vec<u8>,
    },
    List {
        ends: Vec<i64>,
        item: NodeId,
    },
    Array {
        size: usize,
        item: NodeId,
    },
    /// Records, or one of several records that a wide struct has.
    Struct {
        names: Vec<Arc<str>>,
        members: Vec<NodeId>,
        is_grouped: bool,
    },
    Union {
        names: Vec<Arc<str>>,
        members: Vec<NodeId>,
        ids: Vec<i8>,
        which: Vec<i8>,
        offsets: Vec<i32>,
        sparse: bool,
    },
}

/// All nodes of a table, and the words of its dictionaries.
#[derive(Default)]
pub struct Nodes {
    pub all: Vec<Node>,
    /// The nodes of words, and those of the numbers, in preorder.
    pub words: Vec<(NodeId, NodeId)>,
    /// How many more bytes rows without data may take.
    pub budget: u64,
}

#[cold]
pub fn unconvertible(expected: impl Into<String>, got: impl Into<String>) -> Error {
    Error::new(Code::Unconvertible).expected(expected.into()).got(got.into())
}

/// The kind and width of integers in data.
fn ints(data_type: &DataType) -> Option<(IntKind, usize)> {
    Some(match data_type {
        DataType::Int8 => (IntKind::I8, 1),
        DataType::Int16 => (IntKind::I16, 2),
        DataType::Int32 | DataType::Interval(IntervalUnit::YearMonth) => (IntKind::I32, 4),
        DataType::Int64 => (IntKind::I64, 8),
        DataType::UInt8 => (IntKind::U8, 1),
        DataType::UInt16 => (IntKind::U16, 2),
        DataType::UInt32 => (IntKind::U32, 4),
        DataType::UInt64 => (IntKind::U64, 8),
        DataType::Date32 | DataType::Time32(_) => (IntKind::Int, 4),
        DataType::Date64
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Duration(_) => (IntKind::Int, 8),
        _ => return None,
    })
}

impl Nodes {
    /// Makes the nodes of a field. The recursion is bounded by the depth that the list of fields may have.
    pub fn add(&mut self, field: &FieldRef) -> Result<NodeId> {
        let form = self.form(field)?;
        Ok(self.push(field, form))
    }

    fn push(&mut self, field: &FieldRef, form: Form) -> NodeId {
        self.all.push(Node { field: Arc::clone(field), len: 0, valid: None, form, known: None });
        self.all.len() - 1
    }

    fn form(&mut self, field: &FieldRef) -> Result<Form> {
        let data_type = field.data_type();
        if let Some((kind, width)) = ints(data_type) {
            let logical = logical_of(data_type);
            return Ok(Form::Ints { kind, width, logical, bytes: Vec::new() });
        }
        Ok(match data_type {
            DataType::Null => Form::Null,
            DataType::Boolean => Form::Bool(BooleanBufferBuilder::new(0)),
            DataType::Float16 => Form::Fixed { width: 2, bytes: Vec::new() },
            DataType::Float32 => Form::Fixed { width: 4, bytes: Vec::new() },
            DataType::Float64 => Form::Fixed { width: 8, bytes: Vec::new() },
            DataType::FixedSizeBinary(width) => {
                Form::Fixed { width: *width as usize, bytes: Vec::new() }
            }
            DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView => Form::Text { ends: Vec::new(), bytes: Vec::new() },
            DataType::Decimal32(_, scale)
            | DataType::Decimal64(_, scale)
            | DataType::Decimal128(_, scale)
            | DataType::Decimal256(_, scale) => {
                Form::Decimals { scale: *scale, values: Vec::new() }
            }
            DataType::Interval(unit) => Form::Parts { unit: *unit, bytes: Vec::new() },
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::ListView(item)
            | DataType::LargeListView(item)
            | DataType::Map(item, _) => Form::List { ends: Vec::new(), item: self.add(item)? },
            DataType::FixedSizeList(item, size) => {
                Form::Array { size: *size as usize, item: self.add(item)? }
            }
            DataType::Struct(fields) => {
                let names = keys(fields.iter().map(|field| &**field));
                let members: Result<Vec<NodeId>> =
                    fields.iter().map(|field| self.add(field)).collect();
                self.grouped(field, names, members?)
            }
            DataType::Union(fields, mode) => {
                let members: Result<Vec<NodeId>> =
                    fields.iter().map(|(_, field)| self.add(field)).collect();
                Form::Union {
                    names: keys(fields.iter().map(|(_, field)| &**field)),
                    members: members?,
                    ids: fields.iter().map(|(id, _)| id).collect(),
                    which: Vec::new(),
                    offsets: Vec::new(),
                    sparse: *mode == arrow_schema::UnionMode::Sparse,
                }
            }
            DataType::Dictionary(numbers, words) => {
                let own: FieldRef = Arc::new(Field::new("", (**words).clone(), true));
                let at = self.words.len();
                self.words.push((0, 0));
                let words = self.add(&own)?;
                let form = self.form(&Arc::new(Field::new("", (**numbers).clone(), true)))?;
                // The node of the numbers is the next one.
                self.words[at] = (words, self.all.len());
                form
            }
            other => return Err(unconvertible("a type that is packed", other.to_string())),
        })
    }

    /// The form of a struct: wide ones are records of records.
    fn grouped(&mut self, field: &FieldRef, names: Vec<Arc<str>>, members: Vec<NodeId>) -> Form {
        if names.len() <= GROUP {
            return Form::Struct { names, members, is_grouped: false };
        }
        let (mut groups, mut of_groups) = (Vec::new(), Vec::new());
        for (number, (names, members)) in names.chunks(GROUP).zip(members.chunks(GROUP)).enumerate()
        {
            of_groups.push((number * GROUP).to_string().into());
            let (names, members) = (names.to_vec(), members.to_vec());
            let field = Arc::new((**field).clone().with_nullable(false));
            groups.push(self.push(&field, Form::Struct { names, members, is_grouped: false }));
        }
        Form::Struct { names: of_groups, members: groups, is_grouped: true }
    }

    /// Appends a null.
    pub fn null(&mut self, id: NodeId) -> Result<()> {
        let node = &self.all[id];
        if !node.field.is_nullable() || matches!(node.form, Form::Union { .. }) {
            let what = format!("a value of {}", node.field.data_type());
            return Err(unconvertible(what, "null"));
        }
        self.fill(id, 1)
    }

    /// Appends rows without data: nulls where the field can have them. They are charged, because no bytes are behind them.
    pub fn fill(&mut self, id: NodeId, rows: usize) -> Result<()> {
        let node = &mut self.all[id];
        let width = match &node.form {
            Form::Fixed { width, .. } => *width as u64,
            _ => 8,
        };
        let units = width.saturating_mul(rows as u64);
        self.budget = self
            .budget
            .checked_sub(units)
            .ok_or_else(|| Error::over_budget(u128::from(units), self.budget))?;
        if node.field.is_nullable() {
            let valid = node.valid.get_or_insert_with(|| {
                let mut valid = BooleanBufferBuilder::new(node.len + rows);
                valid.append_n(node.len, true);
                valid
            });
            valid.append_n(rows, false);
        }
        node.len += rows;
        let inside: Vec<(NodeId, usize)> = match &mut node.form {
            Form::Null => Vec::new(),
            Form::Bool(bits) => {
                bits.append_n(rows, false);
                Vec::new()
            }
            Form::Ints { width, bytes, .. } | Form::Fixed { width, bytes } => {
                bytes.resize(bytes.len() + *width * rows, 0);
                Vec::new()
            }
            Form::Text { ends, .. } | Form::List { ends, .. } => {
                let end = ends.last().copied().unwrap_or(0);
                ends.resize(ends.len() + rows, end);
                Vec::new()
            }
            Form::Decimals { values, .. } => {
                values.resize(values.len() + rows, i256::ZERO);
                Vec::new()
            }
            Form::Parts { unit, bytes } => {
                bytes.resize(bytes.len() + width_of(*unit) * rows, 0);
                Vec::new()
            }
            Form::Array { size, item } => vec![(*item, size.saturating_mul(rows))],
            Form::Struct { members, .. } => members.iter().map(|member| (*member, rows)).collect(),
            Form::Union { members, ids, which, .. } => {
                let (Some(first), Some(number)) = (members.first(), ids.first()) else {
                    return Err(unconvertible("a variant of a union", "a union without variants"));
                };
                which.resize(which.len() + rows, *number);
                let first = *first;
                return self.fill_union(id, first, rows);
            }
        };
        inside.into_iter().try_for_each(|(inside, rows)| self.fill(inside, rows))
    }
}

impl Nodes {
    /// Appends rows of the first variant, and of the others if the union is sparse.
    fn fill_union(&mut self, id: NodeId, first: NodeId, rows: usize) -> Result<()> {
        let start = self.all[first].len;
        let Form::Union { members, offsets, sparse, .. } = &mut self.all[id].form else {
            return Ok(());
        };
        offsets.extend((start..start + rows).map(|at| at as i32));
        let inside = if *sparse { members.clone() } else { vec![first] };
        inside.into_iter().try_for_each(|member| self.fill(member, rows))
    }
}

/// The bytes of an interval.
pub fn width_of(unit: IntervalUnit) -> usize {
    match unit {
        IntervalUnit::YearMonth => 4,
        IntervalUnit::DayTime => 8,
        IntervalUnit::MonthDayNano => 16,
    }
}

impl Node {
    /// Counts a row with a value.
    #[inline]
    pub fn present(&mut self) {
        self.len += 1;
        if let Some(valid) = &mut self.valid {
            valid.append(true);
        }
    }
}
