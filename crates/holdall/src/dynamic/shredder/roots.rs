//! Several values, one after the other, as the roots of one block (F-85).

use alloc::vec::Vec;

use super::{Shredder, bad_source};
use crate::dynamic::row_types::RowBody;
use crate::error::Result;
use crate::memory::{self, GrowVec};

impl Shredder {
    /// Begins another root, to which [`Shredder::cut_root`] can return. Back-references are only to values of this root (F-87).
    pub(crate) fn begin_root(&mut self) {
        self.begin_value();
        self.mark_rows();
    }

    /// Begins another root of several that [`Shredder::cut_root`] drops together: those since [`Shredder::mark_rows`].
    pub(crate) fn begin_value(&mut self) {
        self.begun = false;
        self.open = 0;
        self.identities.clear();
        self.identified.clear();
        self.latest = None;
        self.latest_shape = None;
    }

    /// Notes the rows to which [`Shredder::cut_root`] returns.
    pub(crate) fn mark_rows(&mut self) {
        self.before_root.clear();
        self.before_root.put_each(self.row_types.iter().map(|row_type| row_type.rows));
    }

    /// Checks that a complete root has arrived.
    pub(crate) fn check_complete(&self) -> Result<()> {
        match self.is_complete() {
            true => Ok(()),
            false => Err(bad_source("one complete value")),
        }
    }

    /// Drops the rows since those were noted, when there were `roots` complete roots. Their types stay, since types without rows
    /// do no harm.
    pub(crate) fn cut_root(&mut self, roots: usize) {
        self.stack.clear();
        self.open = 0;
        self.failed = false;
        self.begun = roots > 0;
        self.identities.clear();
        self.identified.clear();
        let rows = self.rows_of_sites(roots);
        for (site, rows) in self.sites.iter_mut().zip(rows) {
            site.truncate(rows);
        }
        for (number, row_type) in self.row_types.iter_mut().enumerate() {
            row_type.truncate(self.before_root.get(number).copied().unwrap_or(0));
            if let RowBody::Record(record) | RowBody::Struct(_, record) = &mut row_type.body {
                record.cover_fields(&mut self.members);
            }
        }
    }

    /// Computes how many rows each site had before the root. All rows of row types were complete then, so they determine it.
    fn rows_of_sites(&self, roots: usize) -> Vec<usize> {
        let mut rows = memory::filled(0, self.sites.len());
        rows[0] = roots;
        for (row_type, &n) in self.row_types.iter().zip(&self.before_root) {
            match &row_type.body {
                RowBody::List { lengths, item } => rows[*item] = sum(&lengths[..n]),
                RowBody::Map { lengths, key, value } => {
                    rows[*key] = sum(&lengths[..n]);
                    rows[*value] = rows[*key];
                }
                RowBody::Array { item, len } => rows[*item] = n * len,
                RowBody::Tuple { first, len } => {
                    self.members[*first..*first + *len].iter().for_each(|item| rows[*item] = n);
                }
                RowBody::Record(record) | RowBody::Struct(_, record) => {
                    let fields = record.row_fields().take(n).flatten();
                    fields.for_each(|&field| rows[record.site(u32::from(field))] += 1);
                }
                RowBody::NamedUnion { which, payloads, .. } => {
                    which[..n].iter().for_each(|variant| rows[payloads[*variant as usize]] += 1);
                }
                RowBody::Wrapped(_, inside) => rows[*inside] = n,
                RowBody::Undecided | RowBody::Tensor(..) => {}
            }
        }
        rows
    }

    /// Returns how many roots have begun.
    pub(crate) fn roots(&self) -> usize {
        self.sites[0].row_count()
    }

    /// Estimates the memory of the rows in bytes, and counts at least one bit per row, because rows that take no memory here still
    /// take some when they are read.
    pub(crate) fn size(&self) -> usize {
        let of_row_types = self.row_types.iter().map(|row_type| (row_type.size(), row_type.rows));
        let of_sites = self.sites.iter().map(|site| (site.size(), site.row_count()));
        let add = |(size, rows), own: (usize, usize)| (size + own.0, rows + own.1);
        let (size, rows) = of_sites.chain(of_row_types).fold((0, 0), add);
        size.max(rows / 8)
    }
}

fn sum(lengths: &[u64]) -> usize {
    // The rows are in memory.
    lengths.iter().sum::<u64>() as usize
}
