//! The walk over values that are written: the next site, the depth, and the values already seen.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::any::Any;

use super::buffers::{Buffers, mismatch};
use super::plan::{Plan, Site};
use crate::block::row_path;
use crate::canonical::Orders;
use crate::error::{Code, Error, Result};
use crate::memory::{GrowMap, GrowVec};
use crate::schema::{Type, parents};

/// Room is reserved for at least this many rows.
const FEWEST_RESERVED: usize = 256;

/// Below this much free stack, deeper values get a new segment of it.
#[cfg(feature = "std")]
const STACK_LEFT: usize = 128 << 10;
#[cfg(feature = "std")]
const STACK_PIECE: usize = 1 << 20;
/// The stack that the recursion of `Drop` needs to free a value, per definition around it: an unoptimised build
/// needs 130 to 400 bytes for boxes, vectors and pointers.
#[cfg(feature = "std")]
const STACK_TO_FREE: usize = 512;

/// Runs work one definition deeper: the stack grows on the heap, up to the limit of depth.
#[cfg(feature = "std")]
pub(crate) fn deeper<R>(work: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(STACK_LEFT, STACK_PIECE, work)
}

/// Like [`deeper`] (F-37), for work that makes values up to this many definitions deep: after an error they are freed on
/// this stack.
#[cfg(feature = "std")]
pub(crate) fn deeper_with_room<R>(levels: usize, work: impl FnOnce() -> R) -> R {
    let room = STACK_LEFT.saturating_add(levels.saturating_mul(STACK_TO_FREE));
    // Large segments, as each needs the room as well.
    stacker::maybe_grow(room, room.saturating_add(STACK_PIECE.max(room / 4)), work)
}

/// Without std the stack does not grow, and the limit of depth is low.
#[cfg(not(feature = "std"))]
pub(crate) fn deeper<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(not(feature = "std"))]
pub(crate) fn deeper_with_room<R>(_: usize, work: impl FnOnce() -> R) -> R {
    work()
}

#[cold]
pub(crate) fn too_deep(limit: usize) -> Error {
    Error::new(Code::LimitDepth)
        .expected(format!("at most {limit} nested values of one type"))
        .got("more")
}

/// Takes the rows of values: the destination that [`Encode`](super::Encode) writes to.
pub struct Columns<'p> {
    pub(super) plan: &'p Plan,
    pub(super) buffers: &'p mut Buffers,
    depth: usize,
    pub(super) limit: usize,
    /// How many locks are held around this value.
    locks: usize,
    /// Values kept alive until all rows are written. They are not in the buffers, so that an encoder can be sent to
    /// another thread.
    kept: Vec<Box<dyn Any>>,
    /// The orders of sets and maps without an order of their own, in canonical order (F-96).
    pub(super) orders: Option<Rc<Orders>>,
}

impl<'p> Columns<'p> {
    pub(crate) fn new(plan: &'p Plan, buffers: &'p mut Buffers, limit: usize) -> Columns<'p> {
        Columns { plan, buffers, depth: 0, limit, locks: 0, kept: Vec::new(), orders: None }
    }

    /// Sets whether members without an order of their own are written in canonical order.
    pub(crate) fn canonical(mut self, canonical: bool) -> Columns<'p> {
        self.orders = canonical.then(Rc::default);
        self
    }

    /// Returns a site inside a site, by its number in the order of description.
    #[inline]
    #[must_use]
    pub fn child(&self, site: Site, number: usize) -> Site {
        self.plan.child(site, number)
    }

    /// Returns the first sites inside a site, in the order of description.
    ///
    /// # Panics
    /// If the type described fewer.
    #[inline]
    #[must_use]
    pub fn sites<const N: usize>(&self, site: Site) -> [Site; N] {
        self.plan.children(site)
    }

    /// Reserves room for many rows of a site, and of the sites with as many rows inside: a column that grows is
    /// copied, and touches twice the memory.
    #[inline]
    pub(crate) fn reserve(&mut self, site: Site, rows: usize) {
        if rows >= FEWEST_RESERVED {
            self.reserve_all(site, rows);
        }
    }

    // The recursion is at most NESTING levels deep.
    fn reserve_all(&mut self, site: Site, rows: usize) {
        self.buffers.reserve(site, rows);
        let plan = self.plan;
        let (inside, rows) = match plan.ty(site) {
            Type::Struct(_, of) => (of.fields.len(), rows),
            Type::Tuple(items) => (items.len(), rows),
            Type::Logical(..) | Type::Extension(..) => (1, rows),
            Type::Array(len, _) => {
                match usize::try_from(*len).ok().and_then(|len| rows.checked_mul(len)) {
                    Some(rows) => (1, rows),
                    None => return,
                }
            }
            _ => return,
        };
        (0..inside).for_each(|number| self.reserve_all(plan.part(site, number), rows));
    }

    /// Whether rows must be written one entire row after the other; otherwise all rows of one site inside may come
    /// before those of the next.
    #[inline]
    #[must_use]
    pub fn row_major_only(&self, site: Site) -> bool {
        self.plan.row_major_only(site)
    }

    /// Writes a row at a site, or at the definition's site if the site uses one.
    ///
    /// # Errors
    /// Those of `row`; `limit_depth`.
    #[inline]
    pub fn enter(
        &mut self,
        site: Site,
        row: impl FnOnce(&mut Columns<'_>, Site) -> Result<()>,
    ) -> Result<()> {
        match *self.plan.ty(site) {
            Type::Def(number) => {
                self.buffers.new_row(number);
                self.enter_definition(site, row)
            }
            _ => row(self, site),
        }
    }

    fn enter_definition(
        &mut self,
        site: Site,
        row: impl FnOnce(&mut Columns<'_>, Site) -> Result<()>,
    ) -> Result<()> {
        if self.depth == self.limit {
            return Err(too_deep(self.limit));
        }
        self.depth += 1;
        let body = self.plan.child(site, 0);
        let done = deeper(|| row(self, body));
        self.depth -= 1;
        done
    }

    /// Writes the value behind a pointer to an address: by `row` the first time, then as a back-reference.
    ///
    /// # Errors
    /// Those of `row`; `limit_depth`.
    pub(crate) fn shared(
        &mut self,
        site: Site,
        address: usize,
        row: impl FnOnce(&mut Columns<'_>, Site) -> Result<()>,
    ) -> Result<()> {
        let Type::Shared(number) = *self.plan.ty(site) else { return Err(mismatch()) };
        if let Some(known) = self.buffers.seen.get(&(number, address)) {
            let reference = known + 1;
            return self.number(site, reference);
        }
        self.number(site, 0)?;
        let own = self.buffers.new_row(number);
        self.buffers.seen.put((number, address), own);
        self.enter_definition(site, row)
    }

    /// Writes the value that a lock guards.
    pub(crate) fn behind_lock(
        &mut self,
        write: impl FnOnce(&mut Columns<'_>) -> Result<()>,
    ) -> Result<()> {
        self.locks += 1;
        let done = write(self);
        self.locks -= 1;
        done
    }

    pub(crate) fn is_behind_lock(&self) -> bool {
        self.locks > 0
    }

    /// Appends a length, or the number of a variant.
    ///
    /// # Errors
    /// `bad_source` at a site that has none.
    #[inline]
    pub fn number(&mut self, site: Site, number: u64) -> Result<()> {
        self.buffers.number(site, number)
    }

    /// Adds the path of a site's next row to the error for a value that cannot be this row.
    #[cold]
    pub(crate) fn refused(&self, site: Site, error: Error) -> Error {
        let (schema, columns) = (&self.plan.schema, &self.buffers.columns);
        let site = self.plan.in_schema(site);
        let row = self.plan.begun(site, &|site| columns[site.index()].rows());
        error.with_path(|| row_path(schema, &parents(schema), columns, site.index(), row))
    }

    /// Keeps a value alive until all rows are written, so that no other value gets its address.
    pub(crate) fn keep(&mut self, what: Box<dyn Any>) {
        self.kept.put(what);
    }
}
