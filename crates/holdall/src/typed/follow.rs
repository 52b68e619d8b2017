//! A sink that writes values into the columns of a type's schema: data with another schema become Rust types
//! through it.

use std::collections::HashMap;
use std::sync::Arc;

use half::{bf16, f16};

use super::buffers::Buffers;
use super::plan::{Plan, Site};
use crate::dynamic::{RowId, Sink, TensorRef};
use crate::error::{Code, Error, Result};
use crate::number::IntKind;
use crate::schema::{LogicalType, Scalar, Shape, Type};

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
}

#[cold]
fn unfit(ty: &Type) -> Error {
    Error::new(Code::BadSource).expected(format!("a value of the type {ty:?}"))
}

impl<'p> Follower<'p> {
    pub(crate) fn new(plan: &'p Plan, buffers: &'p mut Buffers) -> Self {
        let (identities, rows) = (Vec::new(), HashMap::new());
        Follower { plan, buffers, stack: Vec::new(), identities, choices: 0, rows }
    }

    /// Returns the site of the next value.
    fn place(&self) -> Site {
        match self.stack.last() {
            None => Site::ROOT,
            Some(OpenContainer::Items(item)) => *item,
            Some(OpenContainer::Parts { site, next }) => self.plan.child(*site, *next),
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
        let mut identities = std::mem::take(&mut self.identities);
        let mut choices = std::mem::take(&mut self.choices);
        loop {
            match *self.plan.ty(site) {
                Type::Option(_) => {
                    let is_present = choices > 0 || !is_null;
                    choices = choices.saturating_sub(1);
                    self.buffers.bit(site, is_present)?;
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
                    self.rows.extend(identities.drain(..).map(|own| ((own, definition), row)));
                    site = self.plan.child(site, 0);
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

    fn parts(&mut self, site: Site) {
        self.stack.push(OpenContainer::Parts { site, next: 0 });
    }
}

impl Sink for Follower<'_> {
    fn null(&mut self) -> Result<()> {
        match self.next(true)? {
            None => Ok(()),
            Some(site) => match self.plan.ty(site) {
                Type::Null => Ok(()),
                ty => Err(unfit(ty)),
            },
        }
    }

    fn bool(&mut self, value: bool) -> Result<()> {
        let site = self.present()?;
        self.buffers.bit(site, value)
    }

    fn int(&mut self, value: i64) -> Result<()> {
        let site = self.present()?;
        self.buffers.bits_of_int(site, value.cast_unsigned())
    }

    fn fixed_int(&mut self, _: IntKind, bits: u64) -> Result<()> {
        let site = self.present()?;
        self.buffers.bits_of_int(site, bits)
    }

    fn big_int(&mut self, _: IntKind, twos_complement: &[u8]) -> Result<()> {
        let site = self.present()?;
        self.buffers.big(site, twos_complement)
    }

    fn f32(&mut self, value: f32) -> Result<()> {
        let site = self.present()?;
        self.buffers.f32(site, value)
    }

    fn f64(&mut self, value: f64) -> Result<()> {
        let site = self.present()?;
        self.buffers.f64(site, value)
    }

    fn string(&mut self, value: &str) -> Result<()> {
        let site = self.present()?;
        self.buffers.text(site, value.as_bytes())
    }

    fn bytes(&mut self, value: &[u8]) -> Result<()> {
        let site = self.present()?;
        self.buffers.text(site, value)
    }

    fn f16(&mut self, value: f16) -> Result<()> {
        let site = self.present()?;
        self.buffers.f16(site, value)
    }

    fn bf16(&mut self, value: bf16) -> Result<()> {
        let site = self.present()?;
        self.buffers.bf16(site, value)
    }

    fn fixed(&mut self, value: &[u8]) -> Result<()> {
        let site = self.present()?;
        match self.plan.ty(site) {
            Type::Scalar(Scalar::Fixed(len)) if *len == value.len() as u64 => {
                self.buffers.fixed(site, value)
            }
            ty => Err(unfit(ty)),
        }
    }

    fn tensor(&mut self, tensor: TensorRef<'_>) -> Result<()> {
        let site = self.present()?;
        match self.plan.ty(site) {
            Type::Tensor(_) => {
                let shape = tensor.shape.iter().copied();
                let append = |out: &mut Vec<u8>| out.extend_from_slice(tensor.elements);
                self.buffers.tensor(site, shape, tensor.column_major, append)
            }
            ty => Err(unfit(ty)),
        }
    }

    fn begin_list(&mut self, len: usize) -> Result<()> {
        let site = self.present()?;
        match self.plan.ty(site) {
            Type::List(_) => self.buffers.number(site, len as u64)?,
            ty => return Err(unfit(ty)),
        }
        self.stack.push(OpenContainer::Items(self.plan.child(site, 0)));
        Ok(())
    }

    fn begin_array(&mut self, len: usize) -> Result<()> {
        let site = self.present()?;
        match self.plan.ty(site) {
            Type::Array(own, _) if *own == len as u64 => {}
            ty => return Err(unfit(ty)),
        }
        self.stack.push(OpenContainer::Items(self.plan.child(site, 0)));
        Ok(())
    }

    fn begin_tuple(&mut self, len: usize) -> Result<()> {
        let site = self.present()?;
        match self.plan.ty(site) {
            Type::Tuple(items) if items.len() == len => {}
            ty => return Err(unfit(ty)),
        }
        self.parts(site);
        Ok(())
    }

    fn begin_record(&mut self, shape: &Shape) -> Result<()> {
        let site = self.present()?;
        match self.plan.ty(site) {
            // Rows of the only shape have the fields in its order.
            Type::Record(of) | Type::Struct(_, of) if of.fields.len() == shape.keys().len() => {}
            ty => return Err(unfit(ty)),
        }
        self.parts(site);
        Ok(())
    }

    fn begin_struct(&mut self, _: &Arc<str>, shape: &Shape) -> Result<()> {
        self.begin_record(shape)
    }

    fn begin_map(&mut self, len: usize) -> Result<()> {
        let site = self.present()?;
        match self.plan.ty(site) {
            Type::Map(..) => self.buffers.number(site, len as u64)?,
            ty => return Err(unfit(ty)),
        }
        self.stack.push(OpenContainer::Entries { site, on_value: false });
        Ok(())
    }

    fn begin_variant(&mut self, name: &Arc<str>) -> Result<()> {
        let site = self.present()?;
        let number = match self.plan.ty(site) {
            Type::Union(union) => {
                let names = union.names.as_deref().unwrap_or_default();
                names.iter().position(|own| own == name)
            }
            _ => None,
        };
        let number = number.ok_or_else(|| unfit(self.plan.ty(site)))?;
        self.buffers.number(site, number as u64)?;
        self.stack.push(OpenContainer::Parts { site, next: number });
        Ok(())
    }

    fn begin_logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        let site = self.present()?;
        match self.plan.ty(site) {
            Type::Logical(own, _) if own.kind() == ty.kind() => {}
            own => return Err(unfit(own)),
        }
        self.parts(site);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.stack.pop();
        Ok(())
    }

    fn identify(&mut self, row: RowId) -> Result<()> {
        self.identities.push(row);
        Ok(())
    }

    fn choice(&mut self, _: usize) -> Result<()> {
        self.choices += 1;
        Ok(())
    }

    fn refers(&self, row: RowId) -> bool {
        self.referred(row).is_some()
    }

    fn reference(&mut self, row: RowId) -> Result<()> {
        let known = self
            .referred(row)
            .ok_or_else(|| Error::new(Code::BadSource).expected("a reference where one can be"))?;
        self.choices = 0;
        let mut site = self.take_place();
        while let Type::Option(_) = self.plan.ty(site) {
            self.buffers.bit(site, true)?;
            site = self.plan.child(site, 0);
        }
        self.buffers.number(site, known + 1)
    }
}
