//! Memory of sites and types that a shredder keeps after their values are gone, to save the next value allocations. It never
//! affects the output.
//!
//! Successive values are often alike. Sites and types are reused in the order in which they were made, so that most of them find
//! columns of their own kind.

use alloc::vec::Vec;

use crate::dynamic::records::RecordType;
use crate::dynamic::row_types::{RowBody, RowType, RowTypeId};
use crate::dynamic::sites::{ShreddedSite, SiteId};
use crate::memory::GrowVec;

/// The most sites and types to keep.
const SITES: usize = 2048;
const TYPES: usize = 512;
/// Longer lists of numbers are not kept.
const NUMBERS: usize = 128;

/// Each list is in reverse order of creation, so that `pop` returns the oldest first.
#[derive(Default)]
pub(super) struct Recycled {
    sites: Vec<ShreddedSite>,
    records: Vec<RecordType>,
    users: Vec<Vec<(SiteId, usize)>>,
    lengths: Vec<Vec<u64>>,
}

impl Recycled {
    /// Takes all sites and row types.
    pub(super) fn take(&mut self, sites: &mut Vec<ShreddedSite>, row_types: &mut Vec<RowType>) {
        for mut row_type in row_types.drain(..).rev() {
            if self.users.len() < TYPES && row_type.users.len() < NUMBERS {
                row_type.users.clear();
                self.users.put(row_type.users);
            }
            match row_type.body {
                RowBody::Record(record) | RowBody::Struct(_, record) => self.keep_record(record),
                RowBody::List { lengths, .. } => self.keep_lengths(lengths),
                _ => {}
            }
        }
        for mut site in sites.drain(..).rev() {
            if self.sites.len() < SITES {
                site.recycle();
                self.sites.put(site);
            }
        }
    }

    fn keep_record(&mut self, mut record: RecordType) {
        if self.records.len() < TYPES && record.recycle() {
            self.records.put(record);
        }
    }

    fn keep_lengths(&mut self, mut lengths: Vec<u64>) {
        if self.lengths.len() < TYPES && lengths.len() < NUMBERS {
            lengths.clear();
            self.lengths.put(lengths);
        }
    }

    #[inline]
    pub(super) fn site(
        &mut self,
        owner: Option<RowTypeId>,
        depth: u8,
        uses_dictionaries: bool,
    ) -> ShreddedSite {
        match self.sites.pop() {
            Some(mut site) => {
                site.reuse(owner, depth, uses_dictionaries);
                site
            }
            None => ShreddedSite::new(owner, depth, uses_dictionaries),
        }
    }

    pub(super) fn record(&mut self) -> RecordType {
        self.records.pop().unwrap_or_else(RecordType::new)
    }

    pub(super) fn users(&mut self) -> Vec<(SiteId, usize)> {
        self.users.pop().unwrap_or_default()
    }

    pub(super) fn lengths(&mut self) -> Vec<u64> {
        self.lengths.pop().unwrap_or_default()
    }
}
