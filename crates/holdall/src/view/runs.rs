//! Which rows of each site a request reads, as runs of consecutive ones.

use alloc::vec::Vec;
use core::ops::Range;

use super::many::SomeRows;
use crate::memory::{self, GrowVec};
use crate::schema::TypeId;

/// Runs of rows of each site, which ascend. Sites with the same rows, such as the fields of a record, share them.
pub(super) struct SiteRuns {
    runs: Vec<Range<u64>>,
    /// Which runs are those of a site.
    of_site: Vec<Range<usize>>,
}

impl SiteRuns {
    pub(super) fn new(sites: usize) -> SiteRuns {
        SiteRuns { runs: Vec::new(), of_site: memory::filled(0..0, sites) }
    }

    pub(super) fn of(&self, site: TypeId) -> &[Range<u64>] {
        &self.runs[self.of_site[site].clone()]
    }

    /// The number of rows of a site.
    pub(super) fn count(&self, site: TypeId) -> u64 {
        self.of(site).iter().map(|run| run.end - run.start).sum()
    }

    /// Whether these are all rows of a site, which has this many.
    pub(super) fn are_all(&self, site: TypeId, rows: u64) -> bool {
        matches!(self.of(site), [run] if run.start == 0 && run.end == rows)
    }

    /// Gives a site these rows.
    pub(super) fn put_some(&mut self, site: TypeId, some: SomeRows) {
        let SomeRows { first, count, step } = some;
        if step == 1 {
            return self.put(site, core::iter::once(first..first + count));
        }
        self.put(site, (0..count).map(|row| first + step * row).map(|row| row..row + 1));
    }

    pub(super) fn put(&mut self, site: TypeId, runs: impl Iterator<Item = Range<u64>>) {
        let start = self.runs.len();
        self.runs.put_each(runs.filter(|run| !run.is_empty()));
        self.of_site[site] = start..self.runs.len();
    }

    /// Gives a site for each run of another one the run that `inside` makes of it.
    pub(super) fn put_inside(
        &mut self,
        site: TypeId,
        outer: TypeId,
        inside: impl Fn(&Range<u64>) -> Range<u64>,
    ) {
        let start = self.runs.len();
        for at in self.of_site[outer].clone() {
            let run = inside(&self.runs[at]);
            match self.runs[start..].last_mut() {
                Some(last) if last.end == run.start => last.end = run.end,
                _ if run.is_empty() => {}
                _ => self.runs.put(run),
            }
        }
        self.of_site[site] = start..self.runs.len();
    }

    /// Gives a site the rows of another one.
    pub(super) fn share(&mut self, site: TypeId, other: TypeId) {
        self.of_site[site] = self.of_site[other].clone();
    }
}

/// Appends a row to runs.
pub(super) fn append(runs: &mut Vec<Range<u64>>, row: u64) {
    match runs.last_mut() {
        Some(last) if last.end == row => last.end += 1,
        _ => runs.put(row..row + 1),
    }
}
