//! Rows to arrays: events fill the nodes that the list of fields describes.

use std::sync::Arc;

use arrow_buffer::i256;
use arrow_schema::IntervalUnit;
use holdall::events::{Event, RowId, Sink};
use holdall::{Code, Error, IntKind, LogicalType, Result, Shape, ValueBuilder};

use super::nodes::{Form, Known, NodeId, Nodes, unconvertible};
use super::schema::{entries, parse};
use super::{Arrays, FIELDS, ROWS, WORDS, described};

/// The parts of a decimal or an interval.
const PARTS: usize = 3;

/// A container that is still open.
enum Open {
    /// The record of the extension: the names of its parts, and the next one.
    Head {
        names: Arc<[Arc<str>]>,
        next: usize,
    },
    /// The words of all dictionaries.
    Words {
        names: Arc<[Arc<str>]>,
        next: usize,
    },
    /// Items of a node, which are all its rows or those of a list's row.
    Items {
        item: NodeId,
        of: Option<NodeId>,
    },
    Record {
        of: NodeId,
        members: Arc<[NodeId]>,
        next: usize,
    },
    /// A record whose names come one by one.
    Map {
        of: NodeId,
        seen: usize,
        member: Option<NodeId>,
    },
    Payload {
        member: NodeId,
        of: NodeId,
    },
    /// A logical value.
    Wrapped {
        of: NodeId,
    },
    /// The parts of a decimal or an interval.
    Parts {
        of: NodeId,
        count: usize,
        next: usize,
    },
}

/// What takes the next value.
enum Target {
    Node(NodeId),
    Fields,
    Words,
    Rows,
    Part(usize),
    Storage(NodeId),
}

/// Takes the value inside an extension as events, and returns its arrays.
pub struct Collector {
    is_table: bool,
    nodes: Nodes,
    stack: Vec<Open>,
    /// The list of fields as it arrives, and how many of its containers are open.
    fields: Option<(ValueBuilder, usize)>,
    root: Option<NodeId>,
    parts: [i256; PARTS],
    /// Whether all rows came.
    done: bool,
}

impl Collector {
    /// Makes a collector for an extension of this name, if it has arrays inside. Rows that no bytes of the data are
    /// behind can take as many bytes as the budget.
    #[must_use]
    pub fn of(extension: &str, budget: u64) -> Option<Collector> {
        let is_table = extension == super::TABLE;
        if !is_table && extension != super::ARRAY {
            return None;
        }
        let nodes = Nodes { budget, ..Nodes::default() };
        Some(Collector {
            is_table,
            nodes,
            stack: Vec::new(),
            fields: None,
            root: None,
            parts: [i256::ZERO; PARTS],
            done: false,
        })
    }

    /// Returns the arrays.
    ///
    /// # Errors
    /// `unconvertible` if the value was none of this form.
    pub fn finish(mut self) -> Result<Arrays> {
        let root = self
            .root
            .filter(|_| self.done)
            .ok_or_else(|| unconvertible("a record of fields and rows", "another value"))?;
        let field = Arc::clone(&self.nodes.all[root].field);
        let array = self.nodes.finish(root)?;
        let arrays = Arrays::of_arrays(field, vec![array]);
        if !self.is_table {
            return Ok(arrays);
        }
        let arrays = arrays.into_table();
        if !arrays.is_table() {
            return Err(unconvertible("a table", arrays.field().data_type().to_string()));
        }
        Ok(arrays)
    }

    fn target(&mut self) -> Result<Target> {
        let none = || unconvertible("one value", "more");
        let Some(frame) = self.stack.last_mut() else { return Err(none()) };
        Ok(match frame {
            Open::Items { item, .. } => Target::Node(*item),
            Open::Record { members, next, .. } => {
                *next += 1;
                Target::Node(*members.get(*next - 1).ok_or_else(none)?)
            }
            Open::Head { names, next } => {
                *next += 1;
                match names.get(*next - 1).map(|name| &**name) {
                    Some(FIELDS) => Target::Fields,
                    Some(WORDS) => Target::Words,
                    Some(ROWS) => Target::Rows,
                    _ => return Err(unconvertible("fields, words and rows", "another name")),
                }
            }
            Open::Words { names, next } => {
                *next += 1;
                let number = names.get(*next - 1).and_then(|name| name.parse::<usize>().ok());
                let words = number.and_then(|number| self.nodes.words.get(number));
                let (words, _) = words
                    .ok_or_else(|| unconvertible("the words of a dictionary", "another name"))?;
                Target::Node(*words)
            }
            Open::Map { member, .. } => match member.take() {
                Some(member) => Target::Node(member),
                None => return Err(unconvertible("the name of a field", "another value")),
            },
            Open::Payload { member, .. } => Target::Node(*member),
            Open::Wrapped { of } => Target::Storage(*of),
            Open::Parts { count, next, .. } => {
                *next += 1;
                if next > count {
                    return Err(none());
                }
                Target::Part(*next - 1)
            }
        })
    }

    #[cold]
    fn mismatch(&self, node: NodeId, event: &Event<'_>) -> Error {
        let expected = self.nodes.all[node].field.data_type().to_string();
        unconvertible(expected, described(event))
    }

    /// Passes an event on to the list of fields. Reads the list when it is complete.
    fn field(&mut self, event: Event<'_>) -> Result<()> {
        let Some((builder, open)) = &mut self.fields else { return Ok(()) };
        *open += usize::from(event.is_begin());
        *open -= usize::from(matches!(event, Event::End));
        builder.event(event)?;
        if *open > 0 || matches!(event, Event::Identity(_) | Event::Choice(_)) {
            return Ok(());
        }
        let Some((builder, _)) = self.fields.take() else { return Ok(()) };
        if self.root.is_some() {
            return Err(unconvertible("fields once", "twice"));
        }
        let field = Arc::new(parse(&entries(&builder.finish()?)?)?);
        self.root = Some(self.nodes.add(&field)?);
        Ok(())
    }

    /// Begins the container of all rows of a node.
    fn begin_all(&mut self, node: Option<NodeId>, event: &Event<'_>) -> Result<()> {
        match (node, event) {
            (Some(item), Event::List(_)) if self.nodes.all[item].len == 0 => {
                self.stack.push(Open::Items { item, of: None });
                Ok(())
            }
            _ => Err(unconvertible("fields, and then a list", described(event))),
        }
    }

    fn begin_head(&mut self, event: &Event<'_>) -> Result<()> {
        match event {
            Event::Record(shape) => {
                let names = Arc::clone(shape.keys());
                self.stack.push(Open::Head { names, next: 0 });
                Ok(())
            }
            _ => Err(unconvertible("a record of fields and rows", described(event))),
        }
    }

    /// The nodes of the names of a record.
    fn members(&mut self, of: NodeId, shape: &Shape) -> Result<Arc<[NodeId]>> {
        let node = &mut self.nodes.all[of];
        let shape = shape.keys();
        if let Some(known) = &node.known
            && Arc::ptr_eq(&known.names, shape)
        {
            return Ok(Arc::clone(&known.members));
        }
        let Form::Struct { names, members, .. } = &node.form else {
            return Err(unconvertible(node.field.data_type().to_string(), "a record"));
        };
        let by_name: std::collections::HashMap<&str, NodeId> =
            names.iter().map(|name| &**name).zip(members.iter().copied()).collect();
        let found = shape.iter().map(|name| by_name.get(&**name).copied());
        let found = found.collect::<Option<Arc<[NodeId]>>>().filter(|own| own.len() == names.len());
        let found = found.ok_or_else(|| {
            unconvertible(format!("a record of {names:?}"), format!("one of {shape:?}"))
        })?;
        node.known = Some(Known { names: Arc::clone(shape), members: Arc::clone(&found) });
        Ok(found)
    }

    fn value(&mut self, id: NodeId, event: Event<'_>) -> Result<()> {
        if let Event::Null = event {
            return self.nodes.null(id);
        }
        // The words of a dictionary are a list.
        if matches!(self.stack.last(), Some(Open::Words { .. })) {
            return self.begin_all(Some(id), &event);
        }
        let node = &mut self.nodes.all[id];
        match (&mut node.form, event) {
            (Form::Bool(bits), Event::Bool(bit)) => bits.append(bit),
            (Form::Ints { kind, width, logical: None, bytes }, Event::FixedInt(own, bits))
                if own == *kind =>
            {
                bytes.extend_from_slice(&bits.to_le_bytes()[..*width]);
            }
            (Form::Fixed { width: 2, bytes }, Event::F16(value)) => {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
            (Form::Fixed { width: 4, bytes }, Event::F32(value)) => {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
            (Form::Fixed { width: 8, bytes }, Event::F64(value)) => {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
            (Form::Fixed { width, bytes }, Event::Fixed(value)) if value.len() == *width => {
                bytes.extend_from_slice(value);
            }
            (Form::Text { ends, bytes }, Event::String(value)) if is_text(&node.field) => {
                bytes.extend_from_slice(value.as_bytes());
                ends.push(bytes.len() as i64);
            }
            (Form::Text { ends, bytes }, Event::Bytes(value)) if !is_text(&node.field) => {
                bytes.extend_from_slice(value);
                ends.push(bytes.len() as i64);
            }
            (Form::Ints { logical: Some(own), .. }, Event::Logical(ty)) if **ty == *own => {
                self.stack.push(Open::Wrapped { of: id });
                return Ok(());
            }
            (Form::Decimals { .. }, Event::Logical(ty)) if ty.kind() == LogicalType::DECIMAL => {
                self.stack.push(Open::Wrapped { of: id });
                return Ok(());
            }
            (Form::Parts { unit, .. }, Event::Tuple(len)) if len == parts_of(*unit) => {
                self.stack.push(Open::Parts { of: id, count: len, next: 0 });
                return Ok(());
            }
            (Form::List { item, .. }, Event::List(_)) => {
                self.stack.push(Open::Items { item: *item, of: Some(id) });
                return Ok(());
            }
            (Form::Array { size, item }, Event::Array(len)) if len == *size => {
                self.stack.push(Open::Items { item: *item, of: Some(id) });
                return Ok(());
            }
            (Form::Struct { .. }, Event::Record(shape)) => {
                let members = self.members(id, shape)?;
                self.stack.push(Open::Record { of: id, members, next: 0 });
                return Ok(());
            }
            (Form::Struct { .. }, Event::Map(_)) => {
                self.stack.push(Open::Map { of: id, seen: 0, member: None });
                return Ok(());
            }
            (Form::Union { .. }, Event::Variant(name)) => return self.variant(id, name),
            (_, event) => return Err(self.mismatch(id, &event)),
        }
        node.present();
        Ok(())
    }

    fn variant(&mut self, of: NodeId, name: &str) -> Result<()> {
        let node = &mut self.nodes.all[of];
        let Form::Union { names, members, ids, which, sparse, .. } = &mut node.form else {
            return Ok(());
        };
        let number = names.iter().position(|own| &**own == name);
        let Some(number) = number else {
            let expected = format!("one of the variants {names:?}");
            return Err(unconvertible(expected, format!("{name:?}")));
        };
        let (member, sparse) = (members[number], *sparse);
        which.push(ids[number]);
        let others: Vec<NodeId> =
            members.iter().copied().filter(|own| sparse && *own != member).collect();
        let at = self.nodes.all[member].len;
        let at = i32::try_from(at).map_err(|_| unconvertible("2^31 rows of a variant", "more"))?;
        if let Form::Union { offsets, .. } = &mut self.nodes.all[of].form {
            offsets.push(at);
        }
        others.into_iter().try_for_each(|other| self.nodes.fill(other, 1))?;
        self.stack.push(Open::Payload { member, of });
        Ok(())
    }

    /// Takes the number inside a logical type.
    fn storage(&mut self, of: NodeId, event: Event<'_>) -> Result<()> {
        let node = &mut self.nodes.all[of];
        match (&mut node.form, event) {
            (Form::Decimals { .. }, Event::Tuple(PARTS)) => {
                self.stack.push(Open::Parts { of, count: PARTS, next: 0 });
                Ok(())
            }
            (Form::Ints { width, bytes, .. }, Event::Int(number)) => {
                let fits = *width == 8 || i32::try_from(number).is_ok();
                if !fits {
                    return Err(unconvertible("a number of 32 bits", number.to_string()));
                }
                bytes.extend_from_slice(&number.to_le_bytes()[..*width]);
                node.present();
                Ok(())
            }
            (_, event) => Err(self.mismatch(of, &event)),
        }
    }

    fn part(&mut self, number: usize, event: &Event<'_>) -> Result<()> {
        let small = |number: i64| i256::from_i128(i128::from(number));
        self.parts[number] = match event {
            Event::Int(value) => small(*value),
            Event::FixedInt(IntKind::U8 | IntKind::I32 | IntKind::I64, bits) => {
                small(bits.cast_signed())
            }
            Event::BigInt(IntKind::Int, big) => crate::arrays::wide_of(big)
                .ok_or_else(|| unconvertible("digits of at most 256 bits", "more"))?,
            other => return Err(unconvertible("a number", described(other))),
        };
        Ok(())
    }

    /// Ends the parts of a decimal or an interval.
    fn end_parts(&mut self, of: NodeId) -> Result<()> {
        let [first, second, third] = self.parts;
        let node = &mut self.nodes.all[of];
        let bad = |what: &'static str| unconvertible(what, format!("{first}, {second}, {third}"));
        match &mut node.form {
            Form::Decimals { scale, values } => {
                let exponent = i256::from_i128(-i128::from(*scale));
                if third != exponent || first.wrapping_abs() > i256::ONE || first.is_negative() {
                    return Err(bad("a sign, digits, and the places of the type"));
                }
                values.push(if first == i256::ONE { second.wrapping_neg() } else { second });
            }
            Form::Parts { unit, bytes } => {
                let whole = |part: i256| part.to_i128().and_then(|part| i32::try_from(part).ok());
                let (Some(one), Some(third)) = (whole(first), third.to_i128()) else {
                    return Err(bad("parts of an interval"));
                };
                let two = whole(second).ok_or_else(|| bad("parts of an interval"))?;
                bytes.extend_from_slice(&one.to_le_bytes());
                bytes.extend_from_slice(&two.to_le_bytes());
                if *unit == IntervalUnit::MonthDayNano {
                    let third = i64::try_from(third).map_err(|_| bad("parts of an interval"))?;
                    bytes.extend_from_slice(&third.to_le_bytes());
                }
            }
            _ => return Ok(()),
        }
        node.present();
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        match self.stack.pop() {
            Some(Open::Items { item, of: Some(of) }) => {
                let end = self.nodes.all[item].len as i64;
                let node = &mut self.nodes.all[of];
                if let Form::List { ends, .. } = &mut node.form {
                    ends.push(end);
                }
                node.present();
            }
            Some(Open::Record { of, .. } | Open::Payload { of, .. }) => {
                self.nodes.all[of].present();
            }
            Some(Open::Map { of, seen, .. }) => {
                let node = &mut self.nodes.all[of];
                if let Form::Struct { names, .. } = &node.form
                    && names.len() != seen
                {
                    let expected = format!("a mapping of {names:?}");
                    return Err(unconvertible(expected, format!("one of {seen} names")));
                }
                node.present();
            }
            Some(Open::Parts { of, .. }) => self.end_parts(of)?,
            Some(Open::Items { item, of: None }) => self.done |= self.root == Some(item),
            Some(Open::Wrapped { .. } | Open::Words { .. } | Open::Head { .. }) => {}
            None => return Err(Error::new(Code::BadSource)),
        }
        Ok(())
    }

    /// Takes the name of a record's next field, if names come one by one.
    fn name(&mut self, name: &str) -> Result<bool> {
        let Some(Open::Map { of, seen, member: member @ None }) = self.stack.last_mut() else {
            return Ok(false);
        };
        let Form::Struct { names, members, .. } = &self.nodes.all[*of].form else {
            return Ok(false);
        };
        let at = names.iter().position(|own| &**own == name);
        let at = at.ok_or_else(|| {
            unconvertible(format!("one of the names {names:?}"), format!("{name:?}"))
        })?;
        *member = Some(members[at]);
        *seen += 1;
        Ok(true)
    }
}

fn is_text(field: &arrow_schema::Field) -> bool {
    use arrow_schema::DataType;
    matches!(field.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn parts_of(unit: IntervalUnit) -> usize {
    if unit == IntervalUnit::DayTime { 2 } else { 3 }
}

impl Sink for Collector {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        if self.fields.is_some() {
            return self.field(event);
        }
        match event {
            Event::End => return self.end(),
            Event::Identity(_) | Event::Choice(_) => return Ok(()),
            Event::Reference(_) => {
                return Err(unconvertible("values of a table, each once", "a back-reference"));
            }
            Event::String(name) if self.name(name)? => return Ok(()),
            _ => {}
        }
        if self.stack.is_empty() {
            return self.begin_head(&event);
        }
        match self.target()? {
            Target::Node(id) => self.value(id, event),
            Target::Fields => {
                self.fields = Some((ValueBuilder::new(), 0));
                self.field(event)
            }
            Target::Words => match event {
                Event::Record(shape) => {
                    let names = Arc::clone(shape.keys());
                    self.stack.push(Open::Words { names, next: 0 });
                    Ok(())
                }
                other => Err(unconvertible("a record of words", described(&other))),
            },
            Target::Rows => self.begin_all(self.root, &event),
            Target::Part(number) => self.part(number, &event),
            Target::Storage(of) => self.storage(of, event),
        }
    }

    fn refers(&self, _: RowId) -> bool {
        false
    }
}
