//! Records events as entries.

use alloc::string::ToString;
use alloc::sync::Arc;

use super::{Entry, ItemsKind, Span, SubTensor, Tape, TapeShape, TextKind};
use crate::dynamic::{Event, RowId, Sink};
use crate::error::{Code, Error, Result};
use crate::memory::{GrowMap, GrowVec};
use crate::number::IntKind;
use crate::schema::Shape;

/// Readers count shapes from 0, so no reader emits a number this large.
const MAX_SHAPES: usize = 1 << 24;

/// The end of a container that is still open.
const OPEN: usize = usize::MAX;

impl<'m> Tape<'m> {
    pub(super) fn begin(&mut self, entry: Entry) -> Result<()> {
        self.open.put(self.entries.len());
        self.push(entry)
    }

    #[inline]
    pub(crate) fn push(&mut self, entry: Entry) -> Result<()> {
        if !self.pending.is_empty() {
            self.identify_next();
        }
        self.present = 0;
        self.entries.put(entry);
        Ok(())
    }

    #[cold]
    fn identify_next(&mut self) {
        let at = self.entries.len();
        for (row, _) in self.pending.drain(..) {
            self.rows.put(row, at);
            self.shared.put(at, row);
        }
    }

    /// Records the options around a null. Other values need no entries: they cannot be confused with an absent one.
    fn push_present(&mut self) {
        let first = self.entries.len();
        self.entries.put_fill(first + self.present, Entry::Present);
        // An identity between two options is that of the inner option.
        let (rows, shared, present) = (&mut self.rows, &mut self.shared, self.present);
        self.pending.retain(|&(row, before)| {
            if before < present {
                rows.put(row, first + before);
                shared.put(first + before, row);
            }
            before >= present
        });
    }

    fn text(&mut self, kind: TextKind, bytes: &[u8]) -> Result<()> {
        let span = self.span_in_message(bytes).unwrap_or_else(|| self.keep(bytes));
        self.push(Entry::Text(kind, span))
    }

    /// Locates bytes from a reader in the message. No other memory can have an address inside the message; and even if it did, the
    /// span would still be a safe part of the message.
    fn span_in_message(&self, part: &[u8]) -> Option<Span> {
        let start = part.as_ptr().addr().checked_sub(self.message.as_ptr().addr())?;
        let end = start.checked_add(part.len())?;
        (end <= self.message.len()).then_some(Span { start, end })
    }

    /// Copies bytes beside the message.
    fn keep(&mut self, bytes: &[u8]) -> Span {
        let start = self.message.len() + self.bytes.len();
        self.bytes.put_slice(bytes);
        Span { start, end: start + bytes.len() }
    }

    /// Returns the index of a row's shape. Readers share the keys among all rows of one shape, so the address identifies it.
    fn shape_number(&mut self, name: Option<&Arc<str>>, shape: &Shape) -> Result<usize> {
        let (id, keys) = (shape.id(), shape.keys());
        if id >= MAX_SHAPES {
            return Err(Error::new(Code::BadSource).expected("shapes counted from 0"));
        }
        if id >= self.shape_numbers.len() {
            self.shape_numbers.put_fill(id + 1, usize::MAX);
        }
        let known = self.shape_numbers[id];
        if let Some(row) = self.shapes.get(known)
            && Arc::ptr_eq(row.shape.keys(), keys)
            && row.name.as_ref().map(Arc::as_ptr) == name.map(Arc::as_ptr)
        {
            return Ok(known);
        }
        let number = self.push_shape(name, Arc::clone(keys));
        self.shape_numbers[id] = number;
        Ok(number)
    }

    pub(crate) fn push_shape(&mut self, name: Option<&Arc<str>>, keys: Arc<[Arc<str>]>) -> usize {
        let is_number = |(index, key): (usize, &Arc<str>)| **key == *index.to_string();
        let is_numbered =
            name.is_some() && !keys.is_empty() && keys.iter().enumerate().all(is_number);
        let number = self.shapes.len();
        let shape = Shape::new(number, keys);
        self.shapes.put(TapeShape { name: name.cloned(), shape, is_numbered });
        number
    }

    pub(super) fn begin_items(&mut self, kind: ItemsKind, len: usize) -> Result<()> {
        self.begin(Entry::Items { kind, len, end: OPEN })
    }

    fn begin_row(&mut self, name: Option<&Arc<str>>, shape: &Shape) -> Result<()> {
        let shape = self.shape_number(name, shape)?;
        self.begin(Entry::Row { shape, end: OPEN })
    }

    /// Begins a mapping, of which each key precedes its value as a string.
    #[cfg(feature = "serde")]
    pub(crate) fn begin_mapping(&mut self, len: usize) -> Result<()> {
        self.begin(Entry::Map { len, end: OPEN, is_mapping: true })
    }

    /// Records a variant without a payload.
    #[cfg(feature = "serde")]
    pub(crate) fn push_unit_variant(&mut self, name: &Arc<str>) -> Result<()> {
        let name = self.name_number(name);
        self.push(Entry::UnitVariant(name))
    }

    /// Begins a present option whose value could be mistaken for an absent one.
    #[cfg(feature = "serde")]
    pub(crate) fn begin_some(&mut self) -> Result<()> {
        self.begin(Entry::Some { end: OPEN })
    }

    /// Begins a row of a shape of the tape.
    #[cfg(feature = "serde")]
    pub(crate) fn begin_row_of(&mut self, shape: usize) -> Result<()> {
        self.begin(Entry::Row { shape, end: OPEN })
    }

    /// Ends a list or map of which only now the length is known.
    #[cfg(feature = "serde")]
    pub(crate) fn end_with(&mut self, count: usize) -> Result<()> {
        let open = self.open.last().and_then(|at| self.entries.get_mut(*at));
        match open {
            Some(Entry::Items { kind: ItemsKind::Tuple, len, .. }) if *len != count => {
                return Err(Error::new(Code::BadSource).expected("one value for each item"));
            }
            Some(Entry::Items { len, .. } | Entry::Map { len, .. }) => *len = count,
            _ => {}
        }
        self.end()
    }

    /// The innermost open container, and its position.
    #[cfg(feature = "serde")]
    pub(crate) fn innermost(&self) -> Option<(usize, Entry)> {
        let at = *self.open.last()?;
        Some((at, self.entries[at]))
    }

    /// Ends the innermost open container.
    pub(super) fn end(&mut self) -> Result<()> {
        let behind = self.entries.len();
        let open = self.open.pop().and_then(|at| self.entries.get_mut(at));
        let end = open.and_then(Entry::end_mut);
        *end.ok_or_else(|| {
            Error::new(Code::BadSource).expected("an open container before its end")
        })? = behind;
        Ok(())
    }

    fn identify(&mut self, row: RowId) -> Result<()> {
        self.has_identities = true;
        if self.is_detailed {
            self.rows.put(row, self.entries.len());
            return self.push(Entry::Identity);
        }
        self.pending.put((row, self.present));
        Ok(())
    }

    fn reference(&mut self, row: RowId) -> Result<()> {
        let Some(&at) = self.rows.get(&row) else {
            return Err(Error::new(Code::BadSource).expected("a value that came before"));
        };
        if let Entry::Null | Entry::Present = self.entries[at] {
            self.push_present();
        }
        self.rows.put_each(self.pending.drain(..).map(|(pending, _)| (pending, at)));
        self.push(Entry::Ref(at))
    }

    fn name_number(&mut self, name: &Arc<str>) -> usize {
        // The previous name is usually repeated.
        if self.names.get(self.last_name).is_some_and(|last| Arc::ptr_eq(last, name)) {
            return self.last_name;
        }
        let next = self.names.len();
        let number = *self.name_numbers.entry(Arc::clone(name)).or_insert(next);
        if number == next {
            self.names.put(Arc::clone(name));
        }
        self.last_name = number;
        number
    }
}

impl Sink for Tape<'_> {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::Null => {
                self.push_present();
                self.push(Entry::Null)
            }
            Event::Bool(value) => self.push(Entry::Bool(value)),
            Event::Int(value) => self.push(Entry::Int(IntKind::Int, value.cast_unsigned())),
            Event::FixedInt(kind, bits) => self.push(Entry::Int(kind, bits)),
            Event::BigInt(kind, big) => {
                let span = self.keep(big);
                self.push(Entry::Big(kind, span))
            }
            Event::F16(value) => self.push(Entry::F16(value)),
            Event::Bf16(value) => self.push(Entry::Bf16(value)),
            Event::F32(value) => self.push(Entry::F32(value)),
            Event::F64(value) => self.push(Entry::F64(value)),
            Event::String(value) => self.text(TextKind::String, value.as_bytes()),
            Event::Bytes(value) => self.text(TextKind::Bytes, value),
            Event::Fixed(value) => self.text(TextKind::Fixed, value),
            Event::Tensor(tensor, _) => {
                let span = self.span_in_message(tensor.elements);
                let elements = span.and_then(|span| self.borrowed(span));
                self.push_tensor(SubTensor::new(tensor, elements))
            }
            Event::Unknown => self.push(Entry::Unknown),
            Event::List(len) => self.begin_items(ItemsKind::List, len),
            Event::Tuple(len) => self.begin_items(ItemsKind::Tuple, len),
            Event::Array(len) => self.begin_items(ItemsKind::Array, len),
            Event::Map(len) => self.begin(Entry::Map { len, end: OPEN, is_mapping: false }),
            Event::Record(shape) => self.begin_row(None, shape),
            Event::Struct(name, shape) => self.begin_row(Some(name), shape),
            Event::Variant(name) => {
                let name = self.name_number(name);
                self.begin(Entry::Variant { name, end: OPEN })
            }
            Event::Logical(ty) => {
                if !self.types.last().is_some_and(|last| Arc::ptr_eq(last, ty)) {
                    self.types.put(Arc::clone(ty));
                }
                let ty = self.types.len() - 1;
                self.begin(Entry::Logical { ty, end: OPEN })
            }
            Event::Extension(name) => {
                let name = self.name_number(name);
                self.begin(Entry::Extension { name, end: OPEN })
            }
            Event::End => self.end(),
            Event::Identity(row) => self.identify(row),
            Event::Reference(row) => self.reference(row),
            Event::Choice(variant) if self.is_detailed => self.push(Entry::Choice(variant)),
            Event::Choice(_) => {
                // A variant of an unnamed union is null (F-19) only within a definition, which no writer emits, so those can be
                // ignored.
                self.present += 1;
                Ok(())
            }
        }
    }
}
