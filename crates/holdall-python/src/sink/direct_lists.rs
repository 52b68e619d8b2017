//! Direct build of lists and strings.

use holdall::IntKind;
use holdall::bindings::memory::{self, Collect, GrowVec};
use holdall::bindings::{BlockReader, RowInt};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::flags::KnownFlags;
use super::steps::{Members, Step, StepId};
use super::{Builder, logical};
use crate::raw::{self, NewList};
use crate::signals::EACH;

/// Lists of up to this many numbers are built at once, without a check for signals.
const MAX_NUMBERS_WITHOUT_SIGNALS: usize = 1 << 20;

impl<'py> Builder<'py, '_> {
    #[inline(never)]
    pub(super) fn make_list(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        item: StepId,
        levels: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        let len = self.got(rows.len(site))?;
        self.container(0)?;
        if len <= MAX_NUMBERS_WITHOUT_SIGNALS
            && let Some(items) = self.scalars(rows, item, len)
        {
            self.count(len)?;
            return Some(self.done(items)?.into_any());
        }
        let list = self.done(NewList::new(py, len))?;
        for some in pieces(len) {
            self.count(some.len())?;
            for at in some {
                let value = self.make_item(rows, item, levels)?;
                self.done(list.set(at, value))?;
            }
        }
        Some(list.into_list().into_any())
    }

    #[inline]
    pub(super) fn make_text(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let (text, number) = self.got(rows.text(site))?;
        let made = match number {
            Some(number) => self.entry_of(site, number, text),
            None => self.text(text),
        };
        self.got(made)
    }

    /// Builds a list of numbers, of dates or times, or of members of an enum. No Python code runs while it is filled.
    pub(super) fn scalars(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        item: StepId,
        len: usize,
    ) -> Option<PyResult<Bound<'py, PyList>>> {
        let py = self.py;
        match self.kept.steps.get(item) {
            (site, Step::Int(IntKind::Int)) => {
                if let Some(ints) = rows.ints(site, len) {
                    let ints = ints.iter().map(|value| raw::int(py, value.cast_signed()));
                    return Some(raw::list_of(py, ints));
                }
                let ints = rows.wide_ints(site, len)?.map(|int| match int {
                    RowInt::Bits(bits) => raw::int(py, bits.cast_signed()),
                    RowInt::Big(big) => raw::int_of_bytes(py, big),
                });
                Some(raw::list_of(py, ints))
            }
            (site, Step::F64) => {
                let floats = rows.floats(site, len)?.map(|value| raw::float(py, value));
                Some(raw::list_of(py, floats))
            }
            (site, Step::Single(ty, storage)) => {
                let ty = &self.kept.steps.types[ty];
                let values = rows.peek_ints(storage, len)?.iter();
                let list = raw::list_of(
                    py,
                    values.map(|value| logical::single(py, ty, i128::from(value.cast_signed()))),
                );
                rows.pass_rows(storage, len);
                rows.pass_rows(site, len);
                Some(list)
            }
            (site, Step::Member(number)) => {
                let Members { choice, members, .. } = &self.kept.steps.members[number];
                // The walk of events reports the members that exist.
                let members = members.iter().map(Option::as_ref).collected::<Option<Vec<_>>>()?;
                let which = rows.variants(*choice, len)?;
                let list = raw::list_of(
                    py,
                    which.iter().map(|&variant| Ok(members[variant as usize].bind(py).clone())),
                );
                rows.pass_rows(site, len);
                Some(list)
            }
            (site, Step::Flags(number, bits)) => {
                let known = self.kept.steps.flags[number].bind(py);
                let values = rows.peek_ints(bits, len)?;
                let mut known = KnownFlags::of(known, len);
                let mut members = memory::with_capacity(len);
                for &value in values {
                    members.put(known.get(value)?);
                }
                let list = raw::list_of(py, members.into_iter().map(Ok));
                rows.pass_rows(bits, len);
                rows.pass_rows(site, len);
                Some(list)
            }
            _ => None,
        }
    }
}

/// Splits values into pieces, between which the builder checks for signals.
pub(super) fn pieces(len: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..len).step_by(EACH).map(move |from| from..len.min(from + EACH))
}
