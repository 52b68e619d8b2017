//! The events of a message, recorded in their order and readable from any place.
//!
//! Types of serde's take fields in the order of their declaration, a resolver in the order of the reader's schema; both may
//! read a shared value several times, also while it is still open. Cursors on columns cannot do that for recursive types
//! and references, because rows stand in the order of the walk (F-33). So both read from this tape.
//!
//! An entry takes 24 bytes, and a container one entry beside its contents.

mod record;
mod tensor;

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use half::{bf16, f16};

use super::RowId;
use crate::error::{Error, Result};
use crate::number::IntKind;
use crate::schema::LogicalType;

pub(crate) use tensor::SubTensor;

/// A part of the message, or behind its length, of the bytes kept beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    start: usize,
    end: usize,
}

impl Span {
    pub(crate) fn len(self) -> usize {
        self.end - self.start
    }
}

/// What a piece of text or bytes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    String,
    Bytes,
    Fixed,
}

/// What a row of items is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemsKind {
    List,
    Tuple,
    Array,
}

/// A scalar, the begin of a container with the place behind it, or a mark before a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry {
    Null,
    Bool(bool),
    Int(IntKind, u64),
    Big(IntKind, Span),
    F16(f16),
    Bf16(bf16),
    F32(f32),
    F64(f64),
    Text(TextKind, Span),
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
    /// By its number.
    Tensor {
        number: usize,
        end: usize,
    },
    /// The value at another place.
    Ref(usize),
    /// Without marks in line: an option that is present, where its value is null, or is another such option. Elsewhere the
    /// value itself shows that it is present.
    Present,
    /// With marks in line: the variant of an unnamed union, or an option that is present.
    Choice(usize),
    /// With marks in line: the next value has an identity.
    Identity,
    /// Never on a tape: what serde sees a logical `char` as.
    Char(char),
}

impl Entry {
    /// The place behind what is inside, if it is the begin of a container.
    #[inline]
    fn end_mut(&mut self) -> Option<&mut usize> {
        match self {
            Entry::Items { end, .. }
            | Entry::Row { end, .. }
            | Entry::Map { end, .. }
            | Entry::Variant { end, .. }
            | Entry::Logical { end, .. }
            | Entry::Extension { end, .. }
            | Entry::Tensor { end, .. } => Some(end),
            _ => None,
        }
    }
}

// A message of plain numbers becomes three times as large as its columns in memory.
const _: () = assert!(size_of::<Entry>() <= 24);

/// The keys of rows.
#[derive(Clone, Debug)]
pub(crate) struct TapeShape {
    /// None for records.
    pub(crate) name: Option<Arc<str>>,
    pub(crate) keys: Arc<[Arc<str>]>,
    /// Whether it is a struct with keys 0, 1 and so on: a tuple struct.
    pub(crate) is_numbered: bool,
}

/// All events of a message.
#[derive(Clone, Default)]
pub(crate) struct Tape<'m> {
    /// The message, if spans can borrow from it.
    message: &'m [u8],
    pub(crate) entries: Vec<Entry>,
    bytes: Vec<u8>,
    shapes: Vec<TapeShape>,
    /// The last shape of each number that a reader gave.
    shape_numbers: Vec<usize>,
    names: Vec<Arc<str>>,
    name_numbers: HashMap<Arc<str>, usize>,
    last_name: usize,
    types: Vec<Arc<LogicalType>>,
    tensors: Vec<SubTensor<'m>>,
    /// The numbers of the shapes and types of elements, by the address of the element's type: the tensors keep it alive.
    element_types: HashMap<usize, usize>,
    open: Vec<usize>,
    /// Whether identities and choices are entries before their values. A resolver needs each of them and charges for it;
    /// for serde they would make every option longer.
    has_marks: bool,
    has_identities: bool,
    rows: HashMap<RowId, usize>,
    /// Without marks in line: the identities of the next value, each with the number of options around it before; the options
    /// that the next value is present in; and the places of values with an identity.
    pending: Vec<(RowId, usize)>,
    present: usize,
    shared: HashMap<usize, RowId>,
    /// Units for the elements of tensors without dimensions.
    left: u64,
}

/// A length of the tape.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    /// The place of the next entry.
    pub(crate) at: usize,
    bytes: usize,
}

impl<'m> Tape<'m> {
    /// A tape for a message, from which it can borrow, with units for copies.
    pub(crate) fn of(message: &'m [u8], budget: u64) -> Tape<'m> {
        Tape { message, left: budget, ..Tape::default() }
    }

    /// A tape with entries for identities and choices.
    pub(crate) fn with_marks() -> Tape<'m> {
        Tape { has_marks: true, ..Tape::default() }
    }

    /// The place of the next message's first entry. Identities and shapes are counted anew.
    pub(crate) fn begin_message(&mut self) -> usize {
        self.rows.clear();
        self.shape_numbers.clear();
        self.entries.len()
    }

    /// Removes all entries, and what they stand for.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.bytes.clear();
        self.shapes.clear();
        self.shape_numbers.clear();
        self.types.clear();
        self.tensors.clear();
        self.element_types.clear();
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { at: self.entries.len(), bytes: self.bytes.len() }
    }

    /// Removes the entries since a mark.
    pub(crate) fn truncate(&mut self, mark: Mark) {
        self.entries.truncate(mark.at);
        self.bytes.truncate(mark.bytes);
    }

    /// The units that are left for copies.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// A span's bytes in the message, if they lie there.
    pub(crate) fn borrowed(&self, span: Span) -> Option<&'m [u8]> {
        self.message.get(span.start..span.end)
    }

    pub(crate) fn bytes_of(&self, span: Span) -> &[u8] {
        match self.borrowed(span) {
            Some(bytes) => bytes,
            None => {
                let base = self.message.len();
                &self.bytes[span.start - base..span.end - base]
            }
        }
    }

    /// The text of a span: strings are checked before they are recorded.
    pub(crate) fn text_of(&self, span: Span) -> &str {
        std::str::from_utf8(self.bytes_of(span)).unwrap_or_default()
    }

    pub(crate) fn shape(&self, number: usize) -> &TapeShape {
        &self.shapes[number]
    }

    pub(crate) fn name(&self, number: usize) -> &Arc<str> {
        &self.names[number]
    }

    pub(crate) fn ty(&self, number: usize) -> &Arc<LogicalType> {
        &self.types[number]
    }

    pub(crate) fn tensor_at(&self, number: usize) -> &SubTensor<'m> {
        &self.tensors[number]
    }

    /// Whether the value at a place has an identity, on a tape without marks in line.
    pub(crate) fn is_shared(&self, at: usize) -> bool {
        self.shared.contains_key(&at)
    }

    /// Whether any value has an identity.
    pub(crate) fn has_identities(&self) -> bool {
        self.has_identities
    }

    /// How many marks stand before the value at a place.
    #[inline]
    pub(crate) fn marks_at(&self, at: usize) -> usize {
        let is_mark =
            |entry: &&Entry| matches!(entry, Entry::Present | Entry::Choice(_) | Entry::Identity);
        self.entries[at..].iter().take_while(is_mark).count()
    }

    /// The place behind a value and the marks before it.
    #[inline]
    pub(crate) fn behind(&self, at: usize) -> usize {
        self.end_of(at + self.marks_at(at))
    }

    /// The place behind a value without marks.
    #[inline]
    pub(crate) fn end_of(&self, at: usize) -> usize {
        let mut entry = self.entries[at];
        entry.end_mut().map_or(at + 1, |end| *end)
    }
}

/// Takes units.
pub(crate) fn charge(left: &Cell<u64>, units: u64) -> Result<()> {
    match left.get().checked_sub(units) {
        Some(less) => {
            left.set(less);
            Ok(())
        }
        None => Err(Error::over_budget(u128::from(units), left.get())),
    }
}
