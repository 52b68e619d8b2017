//! Records the events of a message in order, and reads them from any position.
//!
//! serde types take fields in declaration order; a resolver takes them in the order of the reader's schema. Both may read a shared
//! value several times, even while it is still open. Column cursors cannot do that for recursive types and references, because rows
//! follow the order of the walk (F-33), so both read from this tape.
//!
//! serde writes maps through it, too: which of them are mappings, and all keys, are known only at their end.
//!
//! An entry takes 24 bytes. A container costs one entry in addition to its contents.

mod record;
mod replay;
mod tensor;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::Cell;

use foldhash::quality::RandomState;
use half::{bf16, f16};

use super::RowId;
use crate::error::{Error, Result};
use crate::kernel;
use crate::number::IntKind;
use crate::platform::HashMap;
use crate::schema::{LogicalType, Shape};

pub(crate) use tensor::SubTensor;

/// A range of the message or, beyond the message's length, of the bytes copied beside it; serde keeps text of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) fn len(self) -> usize {
        self.end - self.start
    }
}

/// What a piece of text or bytes represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    String,
    Bytes,
    Fixed,
}

/// What a sequence of items represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemsKind {
    List,
    Tuple,
    Array,
}

/// A scalar, the begin of a container with the position after it, or a mark that precedes a value.
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
    /// A struct or record, by the index of its shape.
    Row {
        shape: usize,
        end: usize,
    },
    Map {
        len: usize,
        end: usize,
        /// Whether its keys are names, all of them strings: a mapping of another format, in which they precede the values.
        is_mapping: bool,
    },
    /// By the index of its name.
    Variant {
        name: usize,
        end: usize,
    },
    /// By the index of its type.
    Logical {
        ty: usize,
        end: usize,
    },
    /// By the index of its name.
    Extension {
        name: usize,
        end: usize,
    },
    /// By its index.
    Tensor {
        number: usize,
        end: usize,
    },
    /// The value at another position.
    Ref(usize),
    /// Without inline marks: a present option whose value is null or another such option. Other values show by themselves that they
    /// are present.
    Present,
    /// With inline marks: the variant of an unnamed union, or a present option.
    Choice(usize),
    /// With inline marks: the next value has an identity.
    Identity,
    /// What serde writes for a `char`, and sees for a logical one.
    Char(char),
    /// A value that serde passes on whole, by its number.
    Kept(usize),
    /// What serde writes for a variant without a payload, by the index of its name.
    UnitVariant(usize),
    /// What serde writes for a unit struct, by the index of its shape.
    UnitStruct(usize),
    /// What serde writes for a present option whose value could be mistaken for an absent one.
    Some {
        end: usize,
    },
}

impl Entry {
    /// Returns the position after the contents, if this begins a container.
    #[inline]
    fn end_mut(&mut self) -> Option<&mut usize> {
        match self {
            Entry::Items { end, .. }
            | Entry::Row { end, .. }
            | Entry::Map { end, .. }
            | Entry::Variant { end, .. }
            | Entry::Logical { end, .. }
            | Entry::Extension { end, .. }
            | Entry::Tensor { end, .. }
            | Entry::Some { end } => Some(end),
            _ => None,
        }
    }
}

// Keeps a message of plain numbers within three times the size of its columns in memory.
const _: () = assert!(size_of::<Entry>() <= 24);

/// The other types in which a format has what serde asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OtherTypes {
    #[default]
    None,
    /// Those of text for people, such as JSON: fractions are decimals, and keys of maps and types that ask are text.
    Text,
    /// MessagePack's: integers of 128 bits are bytes.
    WideBytes,
    /// DLHN's: newtypes may be tuples of one.
    Newtypes,
}

/// The keys of a row.
#[derive(Clone, Debug)]
pub(crate) struct TapeShape {
    /// `None` for records.
    pub(crate) name: Option<Arc<str>>,
    /// Its number is that of the tape.
    pub(crate) shape: Shape,
    /// Whether it is a tuple struct, with keys 0, 1 and so on.
    pub(crate) is_numbered: bool,
}

impl TapeShape {
    pub(crate) fn keys(&self) -> &[Arc<str>] {
        self.shape.keys()
    }
}

/// All events of a message.
#[derive(Clone, Default)]
pub(crate) struct Tape<'m> {
    /// The message, if spans can borrow from it.
    message: &'m [u8],
    pub(crate) entries: Vec<Entry>,
    bytes: Vec<u8>,
    shapes: Vec<TapeShape>,
    /// For each shape number of a reader, the last shape that had it.
    shape_numbers: Vec<usize>,
    names: Vec<Arc<str>>,
    name_numbers: HashMap<Arc<str>, usize, RandomState>,
    last_name: usize,
    types: Vec<Arc<LogicalType>>,
    tensors: Vec<SubTensor<'m>>,
    /// The index of each element shape or type, by the address of the element type, which the tensors keep alive.
    element_types: HashMap<usize, usize>,
    open: Vec<usize>,
    /// Whether identities and choices are entries before their values. A resolver needs every one and charges for it; for serde,
    /// they would add an entry to every option.
    is_detailed: bool,
    has_identities: bool,
    rows: HashMap<RowId, usize>,
    /// Without inline marks: the identities of the next value, each with the number of options that precede it; how many options
    /// the next value is present in; and the positions of values with an identity.
    pending: Vec<(RowId, usize)>,
    present: usize,
    shared: HashMap<usize, RowId>,
    /// The remaining units, for elements of tensors without dimensions.
    left: u64,
    pub(crate) other_types: OtherTypes,
}

/// A length to which the tape can be truncated.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mark {
    /// The position of the next entry.
    pub(crate) at: usize,
    bytes: usize,
}

impl<'m> Tape<'m> {
    /// Makes a tape for a message. It borrows from the message and pays for copies with units.
    pub(crate) fn of(message: &'m [u8], budget: u64) -> Tape<'m> {
        Tape { message, left: budget, ..Tape::default() }
    }

    /// Makes a tape with entries for identities and choices.
    pub(crate) fn detailed() -> Tape<'m> {
        Tape { is_detailed: true, ..Tape::default() }
    }

    /// Begins another message, whose identities and shapes count from 0. Returns the position of its first entry.
    pub(crate) fn begin_message(&mut self) -> usize {
        self.rows.clear();
        self.shape_numbers.clear();
        self.entries.len()
    }

    /// Removes all entries and everything they refer to.
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

    /// Removes the entries after a mark.
    pub(crate) fn truncate(&mut self, mark: Mark) {
        self.entries.truncate(mark.at);
        self.bytes.truncate(mark.bytes);
    }

    /// Returns the units left for copies.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// Returns a span's bytes borrowed from the message, if they lie there.
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

    /// Returns the text of a span. Strings were checked as UTF-8 before they were recorded.
    pub(crate) fn text_of(&self, span: Span) -> &str {
        kernel::text::short_utf8(self.bytes_of(span)).unwrap_or_default()
    }

    /// The string at a position, if there is one.
    pub(crate) fn string_at(&self, at: usize) -> Option<&str> {
        match self.entries[at] {
            Entry::Text(TextKind::String, span) => Some(self.text_of(span)),
            _ => None,
        }
    }

    pub(crate) fn shape(&self, number: usize) -> &TapeShape {
        &self.shapes[number]
    }

    /// Whether there were variants or extensions.
    pub(crate) fn has_names(&self) -> bool {
        !self.names.is_empty()
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

    /// Whether the value at a position has an identity, on a tape without inline marks.
    pub(crate) fn is_shared(&self, at: usize) -> bool {
        self.shared.contains_key(&at)
    }

    /// Whether any value has an identity.
    pub(crate) fn has_identities(&self) -> bool {
        self.has_identities
    }

    /// Counts the marks before the value at a position.
    #[inline]
    pub(crate) fn marks_at(&self, at: usize) -> usize {
        let is_mark =
            |entry: &&Entry| matches!(entry, Entry::Present | Entry::Choice(_) | Entry::Identity);
        self.entries[at..].iter().take_while(is_mark).count()
    }

    /// Returns the position after a value and the marks before it.
    #[inline]
    pub(crate) fn behind(&self, at: usize) -> usize {
        self.end_of(at + self.marks_at(at))
    }

    /// Returns the position after a value without marks.
    #[inline]
    pub(crate) fn end_of(&self, at: usize) -> usize {
        let mut entry = self.entries[at];
        entry.end_mut().map_or(at + 1, |end| *end)
    }
}

/// Spends units.
pub(crate) fn charge(left: &Cell<u64>, units: u64) -> Result<()> {
    match left.get().checked_sub(units) {
        Some(less) => {
            left.set(less);
            Ok(())
        }
        None => Err(Error::over_budget(u128::from(units), left.get())),
    }
}
