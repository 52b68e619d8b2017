//! What a reader tells of a message, kept in its order: a type takes what it wants of it.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use half::{bf16, f16};

use crate::dynamic::{RowId, Sink, TensorRef};
use crate::error::{Code, Error, Result};
use crate::number::IntKind;
use crate::schema::{LogicalType, Shape};

use super::tensor::Tensor;

/// A part of what is kept beside the nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What a piece of text or bytes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    String,
    Bytes,
    Fixed,
}

/// What a row of items is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemsKind {
    List,
    Tuple,
    Array,
}

/// A part of a value: a scalar, or the begin of a container with the place behind it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node<'de> {
    Null,
    Bool(bool),
    Int(IntKind, u64),
    Big(IntKind, Span),
    F16(f16),
    Bf16(bf16),
    F32(f32),
    F64(f64),
    /// In the message as it is.
    Text(TextKind, &'de [u8]),
    /// Not in the message as it is.
    Kept(TextKind, Span),
    Unknown,
    Items {
        kind: ItemsKind,
        len: usize,
        end: usize,
    },
    /// A struct or record, by the number of its shape.
    Row {
        shape: usize,
        end: usize,
    },
    Map {
        len: usize,
        end: usize,
    },
    /// By the number of its name.
    Variant {
        name: usize,
        end: usize,
    },
    /// By the number of its type.
    Logical {
        ty: usize,
        end: usize,
    },
    /// By the number of its name.
    Extension {
        name: usize,
        end: usize,
    },
    /// By its number. One without dimensions is followed by its only element.
    Tensor {
        number: usize,
        end: usize,
    },
    /// An option that is present, where its value is null, or is another such option: else the value says it.
    Present,
    /// The value at another place.
    Ref(usize),
    /// Never on a tape: what a logical value is seen as.
    Char(char),
}

/// The keys of rows.
#[derive(Debug)]
pub(super) struct RowShape {
    /// None for records.
    pub(super) name: Option<Arc<str>>,
    pub(super) keys: Arc<[Arc<str>]>,
    /// Whether it is a struct with keys 0, 1 and so on: a tuple struct.
    pub(super) is_numbered: bool,
}

/// All that a message tells.
#[derive(Default)]
pub(super) struct Tape<'de> {
    /// The message, if what lies in it can be borrowed.
    message: &'de [u8],
    pub(super) nodes: Vec<Node<'de>>,
    text: String,
    bytes: Vec<u8>,
    shapes: Vec<RowShape>,
    /// The last shape of each number that a reader gave.
    shape_numbers: Vec<usize>,
    names: Vec<Arc<str>>,
    name_numbers: HashMap<Arc<str>, usize>,
    last_name: usize,
    types: Vec<Arc<LogicalType>>,
    pub(super) tensors: Vec<Tensor<'de>>,
    open: Vec<usize>,
    /// The identities of the value that comes now, and the options around it that came before each.
    told: Vec<(RowId, usize)>,
    /// The options that the value that comes now is present in.
    present: usize,
    rows: HashMap<RowId, usize>,
    /// The places of values that come again.
    again: HashMap<usize, RowId>,
    /// Units that copies, and other things that are more than what was read, may take.
    pub(super) left: Cell<u64>,
}

/// A reader counts shapes from 0; a number beyond this is none.
const MAX_SHAPES: usize = 1 << 24;

impl<'de> Tape<'de> {
    /// A tape for a message, from which it can borrow.
    pub(super) fn of(message: &'de [u8], budget: u64) -> Tape<'de> {
        Tape { message, left: Cell::new(budget), ..Tape::default() }
    }

    /// Forgets the nodes, and what they stand for.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.text.clear();
        self.bytes.clear();
        self.shapes.clear();
        self.shape_numbers.clear();
        self.types.clear();
        self.tensors.clear();
    }

    /// The part of the message that a reader gave.
    // No other memory has an address inside it; and if it had, this would still be a part of the message, and safe.
    fn borrowed(&self, part: &[u8]) -> Option<&'de [u8]> {
        let start = part.as_ptr().addr().checked_sub(self.message.as_ptr().addr())?;
        self.message.get(start..start.checked_add(part.len())?)
    }

    fn keep(&mut self, bytes: &[u8]) -> Span {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        Span { start, end: self.bytes.len() }
    }

    pub(super) fn bytes_of(&self, span: Span) -> &[u8] {
        &self.bytes[span.start..span.end]
    }

    pub(super) fn text_of(&self, span: Span) -> &str {
        &self.text[span.start..span.end]
    }

    pub(super) fn shape(&self, number: usize) -> &RowShape {
        &self.shapes[number]
    }

    pub(super) fn name(&self, number: usize) -> &Arc<str> {
        &self.names[number]
    }

    pub(super) fn ty(&self, number: usize) -> &Arc<LogicalType> {
        &self.types[number]
    }

    /// Whether the value at a place comes again.
    pub(super) fn is_again(&self, at: usize) -> bool {
        self.again.contains_key(&at)
    }

    /// The place behind a value.
    pub(super) fn behind(&self, mut at: usize) -> usize {
        // What options are present with takes one node.
        while let Node::Present = self.nodes[at] {
            at += 1;
        }
        match self.nodes[at] {
            Node::Items { end, .. }
            | Node::Row { end, .. }
            | Node::Map { end, .. }
            | Node::Variant { end, .. }
            | Node::Logical { end, .. }
            | Node::Extension { end, .. }
            | Node::Tensor { end, .. } => end,
            _ => at + 1,
        }
    }

    pub(super) fn push(&mut self, node: Node<'de>) -> Result<()> {
        let at = self.nodes.len();
        for (row, _) in self.told.drain(..) {
            self.rows.insert(row, at);
            self.again.insert(at, row);
        }
        self.present = 0;
        self.nodes.push(node);
        Ok(())
    }

    /// Null as what is present in options. Only there are they kept: beside null, no value can be taken for an absent one.
    fn push_present(&mut self) {
        let first = self.nodes.len();
        self.nodes.resize(first + self.present, Node::Present);
        // An identity between two options is that of the inner one.
        let (rows, again, present) = (&mut self.rows, &mut self.again, self.present);
        self.told.retain(|&(row, before)| {
            if before < present {
                rows.insert(row, first + before);
                again.insert(first + before, row);
            }
            before >= present
        });
    }

    fn begin(&mut self, node: Node<'de>) -> Result<()> {
        self.open.push(self.nodes.len());
        self.push(node)
    }

    fn text(&mut self, kind: TextKind, bytes: &[u8]) -> Result<()> {
        let node = match self.borrowed(bytes) {
            Some(part) => Node::Text(kind, part),
            None => Node::Kept(kind, self.keep(bytes)),
        };
        self.push(node)
    }

    /// The number of a shape: readers share the keys among the rows of one.
    fn row_shape(&mut self, name: Option<&Arc<str>>, shape: &Shape) -> Result<usize> {
        let (id, keys) = (shape.id(), shape.keys());
        if id >= MAX_SHAPES {
            return Err(Error::new(Code::BadSource).expected("shapes counted from 0"));
        }
        if id >= self.shape_numbers.len() {
            self.shape_numbers.resize(id + 1, usize::MAX);
        }
        let known = self.shape_numbers[id];
        if let Some(row) = self.shapes.get(known)
            && Arc::ptr_eq(&row.keys, keys)
            && row.name.as_ref().map(Arc::as_ptr) == name.map(Arc::as_ptr)
        {
            return Ok(known);
        }
        let numbered =
            |(index, key): (usize, &Arc<str>)| super::compound::number(index) == Some(&**key);
        self.shapes.push(RowShape {
            name: name.cloned(),
            keys: Arc::clone(keys),
            is_numbered: name.is_some()
                && !keys.is_empty()
                && keys.iter().enumerate().all(numbered),
        });
        self.shape_numbers[id] = self.shapes.len() - 1;
        Ok(self.shapes.len() - 1)
    }

    fn name_number(&mut self, name: &Arc<str>) -> usize {
        // Most often the one before comes again.
        if self.names.get(self.last_name).is_some_and(|last| Arc::ptr_eq(last, name)) {
            return self.last_name;
        }
        if let Some(number) = self.name_numbers.get(name) {
            self.last_name = *number;
            return *number;
        }
        self.names.push(Arc::clone(name));
        self.name_numbers.insert(Arc::clone(name), self.names.len() - 1);
        self.names.len() - 1
    }
}

impl Sink for Tape<'_> {
    fn null(&mut self) -> Result<()> {
        self.push_present();
        self.push(Node::Null)
    }

    fn bool(&mut self, value: bool) -> Result<()> {
        self.push(Node::Bool(value))
    }

    fn int(&mut self, value: i64) -> Result<()> {
        self.push(Node::Int(IntKind::Int, value.cast_unsigned()))
    }

    fn fixed_int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        self.push(Node::Int(kind, bits))
    }

    fn big_int(&mut self, kind: IntKind, twos_complement: &[u8]) -> Result<()> {
        let span = self.keep(twos_complement);
        self.push(Node::Big(kind, span))
    }

    fn f16(&mut self, value: f16) -> Result<()> {
        self.push(Node::F16(value))
    }

    fn bf16(&mut self, value: bf16) -> Result<()> {
        self.push(Node::Bf16(value))
    }

    fn f32(&mut self, value: f32) -> Result<()> {
        self.push(Node::F32(value))
    }

    fn f64(&mut self, value: f64) -> Result<()> {
        self.push(Node::F64(value))
    }

    fn string(&mut self, value: &str) -> Result<()> {
        let node = match self.borrowed(value.as_bytes()) {
            Some(part) => Node::Text(TextKind::String, part),
            None => {
                let start = self.text.len();
                self.text.push_str(value);
                Node::Kept(TextKind::String, Span { start, end: self.text.len() })
            }
        };
        self.push(node)
    }

    fn bytes(&mut self, value: &[u8]) -> Result<()> {
        self.text(TextKind::Bytes, value)
    }

    fn fixed(&mut self, value: &[u8]) -> Result<()> {
        self.text(TextKind::Fixed, value)
    }

    fn tensor(&mut self, tensor: TensorRef<'_>) -> Result<()> {
        let elements = self.borrowed(tensor.elements);
        let tensor = Tensor::new(tensor, elements);
        self.push_tensor(tensor)
    }

    fn unknown(&mut self) -> Result<()> {
        self.push(Node::Unknown)
    }

    fn begin_list(&mut self, len: usize) -> Result<()> {
        self.begin(Node::Items { kind: ItemsKind::List, len, end: usize::MAX })
    }

    fn begin_tuple(&mut self, len: usize) -> Result<()> {
        self.begin(Node::Items { kind: ItemsKind::Tuple, len, end: usize::MAX })
    }

    fn begin_array(&mut self, len: usize) -> Result<()> {
        self.begin(Node::Items { kind: ItemsKind::Array, len, end: usize::MAX })
    }

    fn begin_record(&mut self, shape: &Shape) -> Result<()> {
        let shape = self.row_shape(None, shape)?;
        self.begin(Node::Row { shape, end: usize::MAX })
    }

    fn begin_struct(&mut self, name: &Arc<str>, shape: &Shape) -> Result<()> {
        let shape = self.row_shape(Some(name), shape)?;
        self.begin(Node::Row { shape, end: usize::MAX })
    }

    fn begin_map(&mut self, len: usize) -> Result<()> {
        self.begin(Node::Map { len, end: usize::MAX })
    }

    fn begin_variant(&mut self, name: &Arc<str>) -> Result<()> {
        let name = self.name_number(name);
        self.begin(Node::Variant { name, end: usize::MAX })
    }

    fn begin_logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        if !self.types.last().is_some_and(|last| Arc::ptr_eq(last, ty)) {
            self.types.push(Arc::clone(ty));
        }
        let ty = self.types.len() - 1;
        self.begin(Node::Logical { ty, end: usize::MAX })
    }

    fn begin_extension(&mut self, name: &Arc<str>) -> Result<()> {
        let name = self.name_number(name);
        self.begin(Node::Extension { name, end: usize::MAX })
    }

    fn end(&mut self) -> Result<()> {
        let behind = self.nodes.len();
        let open = self.open.pop().and_then(|at| self.nodes.get_mut(at));
        match open {
            Some(
                Node::Items { end, .. }
                | Node::Row { end, .. }
                | Node::Map { end, .. }
                | Node::Variant { end, .. }
                | Node::Logical { end, .. }
                | Node::Extension { end, .. }
                | Node::Tensor { end, .. },
            ) => {
                *end = behind;
                Ok(())
            }
            _ => Err(Error::new(Code::BadSource).expected("an end of what was begun")),
        }
    }

    fn identify(&mut self, row: RowId) -> Result<()> {
        self.told.push((row, self.present));
        Ok(())
    }

    fn choice(&mut self, _variant: usize) -> Result<()> {
        // No variant of an unnamed union is null (F-19) but in a definition, which no writer makes: so those do not matter.
        self.present += 1;
        Ok(())
    }

    fn reference(&mut self, row: RowId) -> Result<()> {
        let Some(&at) = self.rows.get(&row) else {
            return Err(Error::new(Code::BadSource).expected("a value that came before"));
        };
        if let Node::Null | Node::Present = self.nodes[at] {
            self.push_present();
        }
        self.rows.extend(self.told.drain(..).map(|(told, _)| (told, at)));
        self.push(Node::Ref(at))
    }
}

impl<'de> Tape<'de> {
    /// Keeps a tensor; the only element of one without dimensions stands behind it.
    pub(super) fn push_tensor(&mut self, tensor: Tensor<'de>) -> Result<()> {
        let number = self.tensors.len();
        self.begin(Node::Tensor { number, end: usize::MAX })?;
        if tensor.rank() == 0 {
            charge(&self.left, tensor.cost())?;
            tensor.element(0, self)?;
        }
        self.tensors.push(tensor);
        self.end()
    }
}

/// Takes units.
pub(super) fn charge(left: &Cell<u64>, units: u64) -> Result<()> {
    match left.get().checked_sub(units) {
        Some(less) => {
            left.set(less);
            Ok(())
        }
        None => Err(Error::over_budget(u128::from(units), left.get())),
    }
}

// A message of plain numbers becomes three times as large as its columns in memory.
const _: () = assert!(size_of::<Node<'_>>() <= 24);
