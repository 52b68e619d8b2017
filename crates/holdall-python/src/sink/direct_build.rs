//! Direct build: recursive functions that build values from rows, without events and frames.
//!
//! It builds values that do not depend on others: values without identity that run no code of the
//! program, which must not run twice. All other values are built from events, and so is everything
//! in faulty data, because only the walk of events knows paths and which error comes first. When
//! something unexpected turns up, the build is undone, and then
//!
//! | [`Stop`] | what happens |
//! |---|---|
//! | `Other` | the value and all direct builds around it are built from events, and not tried
//! directly again; after too many of these, as for `Fault` |
//! | `Fault` | everything from there on is built from events |
//! | `Raised` | the call ends |
//!
//! Where recursion would be too deep, only the inner value is built from events
//! ([`Builder::build_by_events`]).

use holdall::bindings::memory::GrowVec;
use holdall::bindings::{BlockReader, RowInt};
use holdall::{IntKind, Result};
use pyo3::prelude::*;
use pyo3::types::PyBool;

use super::charges;
use super::events::{int, wide};
use super::steps::{Several, Step, StepId};
use super::stop::Stop;
use super::types::{ANY, NodeId};
use super::{Body, Builder, Content};
use crate::raw;

/// The depth of recursion: threads may have stacks of 256 KiB, and a build without optimisation takes 5 KiB a level.
const DEPTH: usize = 40;
/// After this many undone values, everything is built from events.
const WASTED: u64 = 1 << 16;
/// The number of sites that may be marked for each container that was built.
const MARKED: u64 = 256;

impl<'py> Builder<'py, '_> {
    /// Builds the next value of a site, if no part of it needs events.
    pub(super) fn build_directly(
        &mut self,
        site: usize,
        rows: &mut BlockReader<'_, '_>,
    ) -> Result<bool> {
        // Values with identity, and the storage of logical values, need events.
        if self.direct.is_off
            || self.direct.is_by_events
            || !self.pending_ids.is_empty()
            || self.storage_of().is_some()
        {
            return Ok(false);
        }
        let node = self.expected();
        if self.kept.steps.is_refused(site, node) {
            return Ok(false);
        }
        let Some(reach) = self.kept.steps.reach(rows, site) else { return Ok(false) };
        // Bounds the time for marking sites by that for building values, however many sites there
        // are.
        let cost = reach.sites.len() as u64;
        if self.direct.marked + cost > MARKED * (MARKED + self.frames)
            || reach.definitions.iter().any(|&number| rows.is_referenced(number))
        {
            return Ok(false);
        }
        self.direct.marked += cost;
        rows.mark(&reach.sites, &mut self.direct.marks);
        let (before, frames, left) = (self.direct.made, self.frames, charges::left());
        let step = self.step_of(rows, site, node);
        self.forget_depth();
        let made = match self.kept.steps.get(step) {
            (_, Step::Row(row)) => self.make_row(rows, site, row, DEPTH - 1, true),
            _ => self.make_value(rows, step, DEPTH),
        };
        if let Some(value) = made {
            self.put_deep(Content::Now(value), self.depth_of_direct(DEPTH))?;
            return Ok(true);
        }
        self.direct.values.clear();
        self.direct.fields.clear();
        rows.go_back(&reach.sites, &self.direct.marks);
        self.frames = frames;
        charges::undo(left);
        self.direct.wasted += self.direct.made - before;
        self.direct.is_off |= self.direct.wasted > WASTED;
        match self.direct.stop.take() {
            Some(Stop::Raised(error)) => return Err(*error),
            Some(Stop::Other | Stop::Code) => self.kept.steps.refuse(site, node),
            Some(Stop::Fault) | None => self.direct.is_off = true,
        }
        Ok(false)
    }

    /// Builds the next value of a step inside a container. Most are strings and ints: without a call of a larger function for each.
    #[inline]
    pub(super) fn make_item(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        step: StepId,
        levels: usize,
    ) -> Option<Bound<'py, PyAny>> {
        match self.kept.steps.get(step) {
            (site, Step::Text) => self.make_text(rows, site),
            (site, Step::Int(kind)) => self.make_int(rows, site, kind),
            _ => self.make_value(rows, step, levels),
        }
    }

    #[inline]
    fn make_int(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        kind: IntKind,
    ) -> Option<Bound<'py, PyAny>> {
        let made = match self.got(rows.int(site))? {
            RowInt::Bits(bits) => int(self.py, kind, bits),
            RowInt::Big(big) => raw::int_of_bytes(self.py, big),
        };
        self.done(made)
    }

    pub(super) fn make_value(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        step: StepId,
        levels: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        let number = step;
        let (site, step) = self.kept.steps.get(number);
        Some(match step {
            Step::Other => return self.stop(Stop::Other),
            Step::Null => {
                rows.pass(site);
                py.None().into_bound(py)
            }
            Step::Bool => PyBool::new(py, self.got(rows.bool(site))?).to_owned().into_any(),
            Step::Int(kind) => self.make_int(rows, site, kind)?,
            Step::F32 => {
                let value = wide(self.got(rows.f32(site))?);
                self.done(raw::float(py, value))?
            }
            Step::F64 => {
                let value = self.got(rows.f64(site))?;
                self.done(raw::float(py, value))?
            }
            Step::Text => self.make_text(rows, site)?,
            Step::Bytes => {
                let value = self.got(rows.bytes(site))?;
                self.done(raw::bytes(py, value))?.into_any()
            }
            Step::Option(inside, takes_none) => {
                if self.got(rows.is_there(site))? {
                    return self.make_value(rows, inside, levels);
                }
                if !takes_none {
                    return self.stop(Stop::Other);
                }
                py.None().into_bound(py)
            }
            Step::Union(variants) => {
                let variant = self.got(rows.variant(site))?;
                let inside = self.kept.steps.at(variants, variant);
                return self.make_value(rows, inside, levels);
            }
            Step::Definition(body) if levels > 0 => {
                let body = self.step_of(rows, body, self.kept.steps.asked(number));
                self.kept.steps.set_body(number, body);
                return self.make_value(rows, number, levels);
            }
            Step::Body(body) if levels > 0 => {
                rows.pass(site);
                // A container counts itself.
                let is_chain = matches!(
                    self.kept.steps.get(body),
                    (_, Step::Option(..) | Step::Union(_) | Step::Definition(_) | Step::Body(_))
                );
                return self.make_value(rows, body, levels - usize::from(is_chain));
            }
            Step::Only(node, inside) => {
                let value = self.make_value(rows, inside, levels)?;
                if !self.node(node).is_some_and(|node| node.takes_exactly(&value)) {
                    return self.stop(Stop::Other);
                }
                value
            }
            _ if levels == 0 => {
                return self.build_by_events(rows, site, self.kept.steps.asked(number));
            }
            _ => {
                // No function in between: most nested values are rows and lists.
                let made = match step {
                    Step::Row(row) => self.make_row(rows, site, row, levels - 1, false),
                    Step::List(item) => self.make_list(rows, site, item, levels - 1),
                    _ => self.make_container(rows, site, step, levels - 1),
                };
                match self.direct.stop {
                    Some(Stop::Other) if made.is_none() => {
                        let node = self.kept.steps.asked(number);
                        self.kept.steps.refuse(site, node);
                    }
                    // The row itself can be the outermost value of a direct build, those around it cannot be built directly.
                    Some(Stop::Code) if made.is_none() => self.direct.stop = Some(Stop::Other),
                    _ => {}
                }
                return made;
            }
        })
    }

    /// Builds a value from events, where recursion would be too deep.
    #[cold]
    fn build_by_events(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        node: NodeId,
    ) -> Option<Bound<'py, PyAny>> {
        let (depth, jobs) = (self.stack.len(), self.jobs.len());
        self.direct.is_by_events = true;
        let begun = self.begin(Body::Through(None), ANY, node);
        let emitted = begun.and_then(|()| rows.emit(site, self));
        self.direct.is_by_events = false;
        let frame = self.stack.pop();
        self.note_depth(frame.as_ref());
        let is_complete = self.stack.len() == depth;
        if let (Ok(()), true, Some(Body::Through(Some(Content::Now(value))))) =
            (&emitted, is_complete, frame.map(|frame| frame.body))
        {
            return Some(value);
        }
        self.stack.truncate(depth);
        self.jobs.truncate(jobs);
        self.pending_ids.clear();
        self.got(emitted);
        // The build failed even though there is no error.
        self.direct.stop.get_or_insert(Stop::Fault);
        None
    }

    /// Begins a container and builds its contents. Returns the number of the first of these values.
    #[inline]
    pub(super) fn gather(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        steps: Several,
        levels: usize,
    ) -> Option<usize> {
        self.container(steps.len)?;
        let first = self.direct.values.len();
        for at in 0..steps.len {
            let value = self.make_item(rows, self.kept.steps.at(steps, at), levels)?;
            self.direct.values.put(value);
        }
        Some(first)
    }
}
