//! The values gathered for a block: of one Rust type, or any values that arrive as events.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::dynamic::{Shredder, rebuilt};
use crate::error::Result;
use crate::message::Written;
use crate::schema::Schema;
use crate::typed::{self, Encode, TypedRows};

/// The rows gathered since the last block.
#[derive(Default)]
pub(super) struct PendingRows {
    kind: Option<RowsOf>,
    roots: usize,
    /// The schema of the last block of dynamic values, and the bytes that it was made of.
    known: Option<(Vec<u8>, Schema)>,
    /// The number of roots at which to check their size next.
    next_look: usize,
    /// How many values failed since the shredder last held nothing of failed values.
    failures: usize,
}

enum RowsOf {
    Typed(Box<TypedRows>),
    Dynamic(Box<Shredder>),
}

/// After this many failed values the shredder is rebuilt even if no block is written: there can be any number.
const MOST_FAILURES: usize = 1 << 10;

/// The size of a block is checked after at most this many values: half of those that fit, if they are like those
/// before.
const LOOK: usize = 16;

impl PendingRows {
    pub(super) fn len(&self) -> usize {
        self.roots
    }

    /// Whether values of a type must begin a block of their own.
    pub(super) fn is_other<T: Encode + ?Sized>(&self) -> Result<bool> {
        let Some(RowsOf::Typed(rows)) = &self.kind else { return Ok(self.kind.is_some()) };
        Ok(!rows.is_of(typed::Plan::of_written::<T>()?))
    }

    /// Whether events must begin a block of their own.
    pub(super) fn is_typed(&self) -> bool {
        matches!(self.kind, Some(RowsOf::Typed(_)))
    }

    /// Adds a value of a type. A value that fails leaves nothing behind.
    pub(super) fn add<T: Encode + ?Sized>(
        &mut self,
        value: &T,
        depth: usize,
        canonical: bool,
    ) -> Result<()> {
        let plan = typed::Plan::of_written::<T>()?;
        let rows = match &mut self.kind {
            Some(RowsOf::Typed(rows)) if rows.is_of(plan) => rows,
            kind => match kind.insert(RowsOf::Typed(Box::new(TypedRows::new(plan)))) {
                RowsOf::Typed(rows) => rows,
                RowsOf::Dynamic(_) => return Ok(()),
            },
        };
        rows.add(value, self.roots, depth, canonical)?;
        self.roots += 1;
        Ok(())
    }

    /// Adds a value that arrives as events. A value that fails leaves nothing behind.
    pub(super) fn emit(&mut self, emit: impl FnOnce(&mut Shredder) -> Result<()>) -> Result<()> {
        if !matches!(self.kind, Some(RowsOf::Dynamic(_))) {
            self.kind = Some(RowsOf::Dynamic(Box::default()));
        }
        let Some(RowsOf::Dynamic(shredder)) = &mut self.kind else { return Ok(()) };
        shredder.begin_root();
        let done = emit(shredder).and_then(|()| shredder.check_complete());
        if done.is_err() {
            shredder.cut_root(self.roots);
            self.failures += 1;
            if self.failures >= MOST_FAILURES {
                self.forget_failures()?;
            }
        } else {
            self.roots += 1;
        }
        done
    }

    /// Rebuilds the shredder from its rows: otherwise names and types of failed values would enter the schema.
    fn forget_failures(&mut self) -> Result<()> {
        self.failures = 0;
        let Some(RowsOf::Dynamic(shredder)) = &mut self.kind else { return Ok(()) };
        let fresh = match self.roots {
            0 => Shredder::default(),
            roots => rebuilt(shredder, roots as u64)?,
        };
        **shredder = fresh;
        Ok(())
    }

    /// Whether the rows take this many bytes in memory. Not checked for each value, as that asks each column.
    pub(super) fn reaches(&mut self, bytes: usize) -> bool {
        if self.roots < self.next_look {
            return false;
        }
        let size = match &self.kind {
            // Each value counts as at least one bit, as in a shredder.
            Some(RowsOf::Typed(rows)) => rows.size().max(self.roots / 8),
            Some(RowsOf::Dynamic(shredder)) => shredder.size(),
            None => 0,
        };
        let of_one = size.div_ceil(self.roots.max(1)).max(1);
        let room = bytes.saturating_sub(size) / of_one;
        self.next_look = self.roots + (room / 2).clamp(1, LOOK);
        size >= bytes
    }

    /// Calls a function with the schema of the rows and their writer.
    pub(super) fn write(
        &mut self,
        write: &mut dyn FnMut(&Schema, &dyn Written) -> Result<()>,
    ) -> Result<()> {
        if self.failures > 0 {
            self.forget_failures()?;
        }
        match &mut self.kind {
            None => {}
            Some(RowsOf::Typed(rows)) => rows.write(write)?,
            Some(RowsOf::Dynamic(shredder)) => {
                let layout = shredder.layout()?;
                let bytes = layout.self_contained();
                let schema = match self.known.take() {
                    Some((known, schema)) if known == bytes => schema,
                    _ => layout.to_schema()?,
                };
                write(&schema, &shredder.written(&layout, shredder.size()))?;
                self.known = Some((bytes, schema));
            }
        }
        Ok(())
    }

    /// Removes the rows, but keeps the inferred types.
    pub(super) fn clear(&mut self) {
        self.roots = 0;
        self.next_look = 0;
        match &mut self.kind {
            None => {}
            Some(RowsOf::Typed(rows)) => rows.clear(),
            Some(RowsOf::Dynamic(shredder)) => shredder.clear_rows(),
        }
    }
}
