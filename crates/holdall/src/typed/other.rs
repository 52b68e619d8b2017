//! Data with another schema than that of the type: its block becomes one of the type's schema.
//!
//! Without the feature `evolution` it is an error, and programs contain nothing of `resolution`: a quarter of the bytes of one with
//! a single struct.

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::buffers::{Buffers, mismatch};
use super::dynamic_sites::OptionalValues;
use super::follow::Follower;
use super::layout::TypedLayout;
use super::message::TypedReader;
use super::plan::{Plan, Site};
use super::rows::Rows;
use super::{TypeNumber, Types};
use crate::block::Block;
use crate::error::{Code, Error, Result};
use crate::input::Scratch;
use crate::limits::Limits;
use crate::resolution::{self, Resolver};
use crate::schema::Schema;

/// Whether this build reads data with other schemas. If not, the compiler leaves out all that does.
const READS: bool = cfg!(feature = "evolution");

/// Reads data with other schemas.
pub(crate) struct Other {
    resolver: Resolver,
    /// The plan with fields with defaults as options, and structs as unions of their versions; none if there are none of
    /// these.
    lenient: Option<Box<Plan>>,
}

impl Other {
    /// Takes the types of a layout, and how they were described. None in a build that reads no such data.
    pub(super) fn of(
        types: Types,
        layout: &TypedLayout,
        describe: fn(&mut Types) -> TypeNumber,
    ) -> Result<Option<Other>> {
        if !READS {
            return Ok(None);
        }
        if !types.differs {
            let (schema, annotations) = (layout.schema.clone(), layout.annotations.clone());
            return Ok(Some(Other {
                resolver: types.resolver(schema, annotations),
                lenient: None,
            }));
        }
        let mut types = Types::default();
        types.lenient = true;
        let root = describe(&mut types);
        let mut lenient = types.schema(root)?;
        let (schema, annotations) =
            (lenient.schema.clone(), core::mem::take(&mut lenient.annotations));
        let mut plan = Plan::new(lenient, types.has_weak, None);
        plan.is_lenient = true;
        Ok(Some(Other {
            resolver: types.resolver(schema, annotations),
            lenient: Some(Box::new(plan)),
        }))
    }
}

/// How data of one other schema becomes that of a plan.
pub(super) struct Resolved<'p> {
    plan: &'p Plan,
    by: Arc<resolution::ResolutionPlan>,
}

#[cold]
fn unsupported() -> Error {
    Error::new(Code::Unsupported)
        .expected("a build with the feature evolution")
        .got("data with another schema")
}

impl<'p> Resolved<'p> {
    /// Compares the schemas. It is inlined so that the compiler sees what never follows.
    #[inline(always)]
    pub(super) fn of(plan: &'p Plan, schema: &Schema) -> Result<Resolved<'p>> {
        if READS { Self::resolve(plan, schema) } else { Err(unsupported()) }
    }

    fn resolve(plan: &'p Plan, schema: &Schema) -> Result<Resolved<'p>> {
        let Some(Other { resolver, lenient }) = &plan.other else {
            return Err(Error::new(Code::BadSource).expected("a plan for reading"));
        };
        let by = resolver.plan(schema)?;
        Ok(Resolved { plan: lenient.as_deref().unwrap_or(plan), by })
    }

    /// Converts a block with this many roots, of a message of this many bytes. Returns whether its rows are those of the
    /// message: otherwise they are in the memory that is given, and values whose types they decide are apart.
    fn block<'b>(
        &self,
        limits: Limits,
        (block, roots): (Block<'b>, u64),
        len: usize,
        (buffers, scratch): (&'b mut Option<Buffers>, &'b Scratch),
    ) -> Result<(Block<'b>, bool, OptionalValues)> {
        let block = match self.by.binding() {
            Some(binding) => match binding.apply(&self.plan.schema, block, roots) {
                Ok((bound, None)) => return Ok((bound, true, None)),
                Ok((bound, Some(rest))) => {
                    // Only types of such plans take any value.
                    let sites = self.plan.dynamic.ok_or_else(mismatch)?;
                    let values = sites.bound(self.plan, binding, self.by.writer(), rest)?;
                    return Ok((bound, true, Some(values)));
                }
                Err(unbound) => unbound,
            },
            None => block,
        };
        let buffers = buffers.insert(Buffers::new(self.plan));
        let mut follower = Follower::new(self.plan, buffers);
        self.by.roots(limits, block, roots, len, &mut follower, |_| Ok(()))?;
        let values = follower.into_values();
        let budget = &mut limits.budget_for(len);
        Ok((buffers.take_block(&self.plan.schema, roots, budget, scratch)?, false, values))
    }
}

impl TypedReader<'_> {
    /// Reads the rows of a block of another schema, with this many roots, by a function.
    pub(super) fn other_rows<'de, R>(
        &self,
        resolved: &Resolved<'_>,
        (block, roots): (Block<'_>, u64),
        scratch: &Scratch,
        bytes: &'de [u8],
        read: impl FnMut(Site, &mut Rows<'_, 'de>) -> Result<R>,
    ) -> Result<R> {
        let (mut buffers, own) = (None, Scratch::default());
        let memory = (&mut buffers, &own);
        let limits = self.messages.limits;
        let (block, is_bound, values) =
            resolved.block(limits, (block, roots), bytes.len(), memory)?;
        let message = if is_bound { bytes } else { &[] };
        let done = self.block_rows(resolved.plan, (block, values), scratch, message, read);
        done.map_err(|error| if is_bound { error } else { error.without_offset() })
    }
}
