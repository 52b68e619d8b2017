//! A sink that writes values into the columns of a type's schema: data with another schema become Rust types
//! through it.

use alloc::vec::Vec;

use super::buffers::Buffers;
use super::dynamic_sites::OptionalValues;
use super::plan::{Plan, Site};
use crate::dynamic::{Event, RowId, Sink};
use crate::error::{Code, Error, Result};
use crate::memory::{GrowMap, GrowVec};
use crate::platform::HashMap;
use crate::schema::{Scalar, Type};

/// An open container, and the sites of the values in it.
enum OpenContainer {
    /// All values at one site.
    Items(Site),
    /// Values at the sites inside one, in turn.
    Parts { site: Site, next: usize },
    /// Keys and values in turn.
    Entries { site: Site, on_value: bool },
}

/// Follows a schema. The events are those of its values, as [`Resolver`](crate::Resolver) emits them.
pub(crate) struct Follower<'p> {
    plan: &'p Plan,
    buffers: &'p mut Buffers,
    stack: Vec<OpenContainer>,
    /// The ids of the next value.
    identities: Vec<RowId>,
    /// How many options around the next value are present, not counting those that are null.
    choices: usize,
    /// Rows of definitions for back-references: a value can have one in several definitions.
    rows: HashMap<(RowId, usize), u64>,
    /// The values of sites whose types the values decide.
    values: OptionalValues,
    /// Whether one of them is open.
    in_value: bool,
}

#[cold]
fn unfit(ty: &Type) -> Error {
    Error::new(Code::BadSource).expected(format!("a value of the type {ty:?}"))
}

impl<'p> Follower<'p> {
    pub(crate) fn new(plan: &'p Plan, buffers: &'p mut Buffers) -> Self {
        let (identities, rows) = (Vec::new(), HashMap::new());
        let values = plan.dynamic.map(|sites| sites.values(plan));
        let (stack, choices, in_value) = (Vec::new(), 0, false);
        Follower { plan, buffers, stack, identities, choices, rows, values, in_value }
    }

    /// Returns the values of sites whose types the values decide.
    pub(super) fn into_values(self) -> OptionalValues {
        self.values
    }

    /// Begins a value at a site whose type the values decide.
    #[cold]
    fn begin_value(&mut self, site: Site, identities: Vec<RowId>) -> Result<()> {
        let (Some(number), Some(values)) = (self.plan.value_site(site), &mut self.values) else {
            return Err(unfit(self.plan.ty(site)));
        };
        values.begin(number);
        for own in identities {
            values.event(Event::Identity(own))?;
        }
        self.in_value = true;
        Ok(())
    }

    /// Passes an event to the open value.
    fn value_event(&mut self, event: Event<'_>) -> Result<()> {
        let Some(values) = &mut self.values else {
            return Err(Error::new(Code::BadSource).expected("an open value"));
        };
        self.in_value = !values.event(event)?;
        Ok(())
    }

    /// Returns the site of the next value.
    fn place(&self) -> Site {
        match self.stack.last() {
            None => Site::ROOT,
            Some(OpenContainer::Items(item)) => *item,
            Some(OpenContainer::Parts { site, next }) => self.plan.part(*site, *next),
            Some(OpenContainer::Entries { site, on_value }) => {
                self.plan.child(*site, usize::from(*on_value))
            }
        }
    }

    /// Takes the site of the next value, and moves on to the one after it.
    fn take_place(&mut self) -> Site {
        let site = self.place();
        match self.stack.last_mut() {
            None | Some(OpenContainer::Items(_)) => {}
            Some(OpenContainer::Parts { next, .. }) => *next += 1,
            Some(OpenContainer::Entries { on_value, .. }) => *on_value = !*on_value,
        }
        site
    }

    /// Returns the site of the next value inside options, definitions and pointers, after writing their rows.
    fn next(&mut self, is_null: bool) -> Result<Option<Site>> {
        let mut site = self.take_place();
        let mut identities = core::mem::take(&mut self.identities);
        let mut choices = core::mem::take(&mut self.choices);
        loop {
            match *self.plan.ty(site) {
                Type::Option(_) => {
                    let is_present = choices > 0 || !is_null;
                    choices = choices.saturating_sub(1);
                    self.buffers.push(site, is_present)?;
                    if !is_present {
                        return Ok(None);
                    }
                    site = self.plan.child(site, 0);
                }
                Type::Def(definition) => {
                    self.buffers.new_row(definition);
                    site = self.plan.child(site, 0);
                }
                Type::Shared(definition) => {
                    self.buffers.number(site, 0)?;
                    let row = self.buffers.new_row(definition);
                    self.rows.put_each(identities.drain(..).map(|own| ((own, definition), row)));
                    site = self.plan.child(site, 0);
                }
                Type::Never => {
                    self.begin_value(site, identities)?;
                    return Ok(Some(site));
                }
                _ => return Ok(Some(site)),
            }
        }
    }

    /// Returns the row that a reference at the next site refers to, if there is one.
    fn referred(&self, row: RowId) -> Option<u64> {
        let mut site = self.place();
        while let Type::Option(_) = self.plan.ty(site) {
            site = self.plan.child(site, 0);
        }
        match *self.plan.ty(site) {
            Type::Shared(definition) => self.rows.get(&(row, definition)).copied(),
            _ => None,
        }
    }

    fn present(&mut self) -> Result<Site> {
        self.next(false)?.ok_or_else(|| Error::new(Code::BadSource))
    }

    fn null(&mut self) -> Result<()> {
        match self.next(true)? {
            None => Ok(()),
            Some(site) => match self.plan.ty(site) {
                Type::Null => Ok(()),
                Type::Never => self.value_event(Event::Null),
                ty => Err(unfit(ty)),
            },
        }
    }

    /// A scalar that is not null, or the begin of a container.
    #[inline(always)]
    fn value(&mut self, event: Event<'_>) -> Result<()> {
        let site = self.present()?;
        if self.in_value {
            return self.value_event(event);
        }
        match event {
            Event::Bool(value) => self.buffers.push(site, value),
            Event::Int(value) => self.buffers.bits_of_int(site, value.cast_unsigned()),
            Event::FixedInt(_, bits) => self.buffers.bits_of_int(site, bits),
            Event::BigInt(_, twos_complement) => self.buffers.big(site, twos_complement),
            Event::F16(value) => self.buffers.push(site, value),
            Event::Bf16(value) => self.buffers.push(site, value),
            Event::F32(value) => self.buffers.push(site, value),
            Event::F64(value) => self.buffers.push(site, value),
            Event::String(value) => self.buffers.text(site, value.as_bytes()),
            Event::Bytes(value) => self.buffers.text(site, value),
            Event::Fixed(value) => match self.plan.ty(site) {
                Type::Scalar(Scalar::Fixed(len)) if *len == value.len() as u64 => {
                    self.buffers.fixed(site, value)
                }
                ty => Err(unfit(ty)),
            },
            Event::Tensor(tensor, _) => match self.plan.ty(site) {
                Type::Tensor(_) => {
                    let shape = tensor.shape.iter().copied();
                    let append = |out: &mut Vec<u8>| out.put_slice(tensor.elements);
                    self.buffers.tensor(site, shape, tensor.column_major, append)
                }
                ty => Err(unfit(ty)),
            },
            Event::Unknown | Event::Extension(_) => Err(event.unrepresentable()),
            _ => self.begin(site, event),
        }
    }

    fn begin(&mut self, site: Site, event: Event<'_>) -> Result<()> {
        let open = match (event, self.plan.ty(site)) {
            (Event::List(len), Type::List(_)) => {
                self.buffers.number(site, len as u64)?;
                OpenContainer::Items(self.plan.child(site, 0))
            }
            (Event::Array(len), Type::Array(own, _)) if *own == len as u64 => {
                OpenContainer::Items(self.plan.child(site, 0))
            }
            (Event::Map(len), Type::Map(..)) => {
                self.buffers.number(site, len as u64)?;
                OpenContainer::Entries { site, on_value: false }
            }
            (Event::Variant(name), Type::Union(union)) => {
                let names = union.names.as_deref().unwrap_or_default();
                let number = names.iter().position(|own| own == name);
                let number = number.ok_or_else(|| unfit(self.plan.ty(site)))?;
                self.buffers.number(site, number as u64)?;
                OpenContainer::Parts { site, next: number }
            }
            (Event::Tuple(len), Type::Tuple(items)) if items.len() == len => {
                OpenContainer::Parts { site, next: 0 }
            }
            // Rows of the only shape have the fields in its order.
            (
                Event::Record(shape) | Event::Struct(_, shape),
                Type::Record(of) | Type::Struct(_, of),
            ) if of.fields.len() == shape.keys().len() => OpenContainer::Parts { site, next: 0 },
            (Event::Logical(ty), Type::Logical(own, _)) if own.kind() == ty.kind() => {
                OpenContainer::Parts { site, next: 0 }
            }
            (_, ty) => return Err(unfit(ty)),
        };
        self.stack.put(open);
        Ok(())
    }

    fn reference(&mut self, row: RowId) -> Result<()> {
        let known = self
            .referred(row)
            .ok_or_else(|| Error::new(Code::BadSource).expected("a reference where one can be"))?;
        self.choices = 0;
        let mut site = self.take_place();
        while let Type::Option(_) = self.plan.ty(site) {
            self.buffers.push(site, true)?;
            site = self.plan.child(site, 0);
        }
        self.buffers.number(site, known + 1)
    }
}

impl Sink for Follower<'_> {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        if self.in_value {
            return self.value_event(event);
        }
        match event {
            Event::Null => return self.null(),
            Event::Reference(row) => return self.reference(row),
            Event::Identity(row) => self.identities.put(row),
            Event::Choice(_) => self.choices += 1,
            Event::End => drop(self.stack.pop()),
            _ => return self.value(event),
        }
        Ok(())
    }

    fn refers(&self, row: RowId) -> bool {
        match &self.values {
            // A value refers only to its own parts.
            Some(values) if self.in_value => values.knows(row),
            _ => self.referred(row).is_some(),
        }
    }
}
