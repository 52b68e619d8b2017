//! Decides which record or map takes a mapping with string keys (F-49 to F-51).

use alloc::boxed::Box;
use alloc::vec::Vec;

use foldhash::quality::RandomState;

use super::handles::{KeyedMapHandle, RowHandle};
use super::{Handle, Shredder, bad_source, duplicate};
use crate::dynamic::records::START;
use crate::dynamic::row_types::{RowBody, RowKind, RowTypeId};
use crate::dynamic::sites::SiteId;
use crate::dynamic::variants::RowVariant;
use crate::error::Result;
use crate::memory::{self, Collect, Grow, GrowSet};
use crate::platform::HashSet;
use crate::schema::Storage;

/// The variants of a site that take mappings, each with its row type.
#[derive(Clone, Copy)]
struct Mapping {
    record: Option<(usize, RowTypeId)>,
    map: Option<(usize, RowTypeId)>,
    undecided: Option<(usize, RowTypeId)>,
}

impl Shredder {
    /// As [`Shredder::begin_mapping`].
    ///
    /// # Errors
    /// `duplicate_key`.
    pub fn open_mapping<'a>(
        &mut self,
        slot: usize,
        keys: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Handle> {
        self.latest_shape = None;
        let opened = self.open_mapping_at(slot, keys);
        self.located(opened)
    }

    /// Chooses the variant of a site that takes a mapping with these keys (F-49): a record, a map, or one that is undecided
    /// because all its mappings were empty.
    fn open_mapping_at<'a>(
        &mut self,
        site: SiteId,
        keys: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Handle> {
        if self.is_ordered_map(site) {
            return self.open_in_map(site, keys);
        }
        let mapping = self.mapping(site);
        if let Some((variant, row_type)) = mapping.record {
            return self.open_in_record(site, variant, row_type, keys);
        }
        let count = keys.clone().count();
        if count == 0 {
            return self.open_empty(site, mapping);
        }
        if mapping.map.is_some() || !self.has_room(0, count) || keys.clone().all(is_data) {
            return self.open_in_map(site, keys);
        }
        if let Some((variant, row_type)) = mapping.undecided {
            self.decide(row_type, RowKind::Record);
            return self.open_in_record(site, variant, row_type, keys);
        }
        if let Some(row_type) = self.fold(site, keys.clone()) {
            let variant = self.adopt(site, row_type);
            return self.open_in_record(site, variant, row_type, keys);
        }
        if self.is_gathering(site) {
            // The gathered record may have no room; the site must not get it in that case.
            if let Some(&row_type) = self.gathered.get(&RowKind::Record)
                && !self.takes(row_type, keys.clone())
            {
                return self.open_in_map(site, keys);
            }
        }
        let (variant, row_type) = self.variant(site, RowKind::Record);
        self.open_in_record(site, variant, row_type, keys)
    }

    /// Whether a site is the storage of ordered maps, which is always a map, whatever its keys (F-74).
    fn is_ordered_map(&self, site: SiteId) -> bool {
        matches!(self.storage(site), Some(Storage::Map))
    }

    /// Finds the first variant of each kind that takes mappings at a site.
    fn mapping(&self, site: SiteId) -> Mapping {
        let of_kind = |kind| self.sites[site].of_kind(kind);
        Mapping {
            record: of_kind(RowKind::Record),
            map: of_kind(RowKind::Map),
            undecided: of_kind(RowKind::Undecided),
        }
    }

    /// Whether a record takes a mapping with these keys (F-49, case 2).
    fn takes<'a>(&self, row_type: RowTypeId, keys: impl Iterator<Item = &'a str> + Clone) -> bool {
        let RowBody::Record(record) = &self.row_types[row_type].body else { return false };
        let fields = record.names().len();
        if self.has_room(fields, keys.clone().count()) {
            return true;
        }
        let more = keys.filter(|key| record.field(key).is_none()).count();
        more == 0 || self.has_room(fields, more)
    }

    fn open_in_record<'a>(
        &mut self,
        site: SiteId,
        variant: usize,
        row_type: RowTypeId,
        keys: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Handle> {
        if self.is_loose(row_type) && self.takes(row_type, keys.clone()) {
            let fields: Vec<u32> = keys.map(|key| self.field(row_type, key)).collected();
            return self.open_loose_row(site, variant, row_type, &fields).map(Handle::from);
        }
        let known = self.record_mut(row_type).and_then(|record| record.find(keys.clone()));
        if known.is_none() && !self.takes(row_type, keys.clone()) {
            return self.open_in_map(site, keys);
        }
        let shape = self.record_shape(row_type, keys)?;
        let shape = self.row_shape(row_type, shape).ok_or_else(|| bad_source("a record"))?;
        self.latest_shape = Some(shape);
        Ok(self.open_shaped(site, variant, shape).into())
    }

    /// Finds the record of a slot for a table's rows, or makes one; none if there is no room for these keys.
    pub(super) fn record_for<'a>(
        &mut self,
        site: SiteId,
        keys: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<(usize, RowTypeId)> {
        let mapping = self.mapping(site);
        let record = match (mapping.record, mapping.undecided) {
            (Some(record), _) => record,
            (None, Some((variant, row_type))) if mapping.map.is_none() => {
                self.decide(row_type, RowKind::Record);
                (variant, row_type)
            }
            _ if self.has_room(0, keys.clone().count()) => self.variant(site, RowKind::Record),
            _ => return None,
        };
        (self.takes(record.1, keys) && !self.is_loose(record.1)).then_some(record)
    }

    /// Returns the shape of a record's rows with these keys, adding it if needed.
    pub(super) fn record_shape<'a>(
        &mut self,
        row_type: RowTypeId,
        keys: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<u32> {
        match self.record_mut(row_type).and_then(|record| record.find(keys.clone())) {
            Some(shape) => Ok(shape),
            None => self.add_record_shape(row_type, keys),
        }
    }

    fn add_record_shape<'a>(
        &mut self,
        row_type: RowTypeId,
        keys: impl Iterator<Item = &'a str>,
    ) -> Result<u32> {
        let mut state = START;
        for key in keys {
            let stepped = self.record_mut(row_type).and_then(|record| record.step(state, key));
            state = match stepped {
                Some((_, next)) => next,
                None => {
                    let field = self.field(row_type, key);
                    let next =
                        self.record_mut(row_type).and_then(|record| record.extend(state, field));
                    next.ok_or_else(|| duplicate(key))?
                }
            };
        }
        let mut members = core::mem::take(&mut self.members);
        let shape = self.record_mut(row_type).map(|record| record.add_shape(state, &mut members));
        self.members = members;
        shape.ok_or_else(|| bad_source("a record"))
    }

    /// Returns the field with a name, adding it if needed.
    pub(super) fn field(&mut self, row_type: RowTypeId, key: &str) -> u32 {
        if let Some(field) = self.record_mut(row_type).and_then(|record| record.field(key)) {
            return field;
        }
        let site = self.add_site(row_type);
        self.record_mut(row_type).map_or(0, |record| record.add_field(key, site))
    }

    /// Opens an empty mapping at a site without a record.
    fn open_empty(&mut self, site: SiteId, mapping: Mapping) -> Result<Handle> {
        let kind = if mapping.map.is_some() {
            RowKind::Map
        } else if mapping.undecided.is_none() && self.is_gathering(site) {
            let (variant, row_type) = self.variant(site, RowKind::Record);
            return self.open_in_record(site, variant, row_type, core::iter::empty());
        } else {
            RowKind::Undecided
        };
        let (variant, row_type) = self.variant(site, kind);
        self.begin_row(site, variant, row_type);
        self.open += 1;
        Ok(RowHandle::of(0, 0).into())
    }

    /// Turns undecided mappings into rows of a record or map.
    fn decide(&mut self, row_type: RowTypeId, kind: RowKind) {
        let rows = core::mem::take(&mut self.row_types[row_type].rows);
        self.row_types[row_type].body = match kind {
            RowKind::Map => self.map_body(row_type),
            _ => RowBody::Record(self.recycled.record()),
        };
        for _ in 0..rows {
            self.row_types[row_type].begin();
        }
        for at in 0..self.row_types[row_type].users.len() {
            let (site, variant) = self.row_types[row_type].users[at];
            let first = self.sites[site].of_kind(RowKind::Undecided) == Some((variant, row_type));
            let next = if first { self.next_undecided(site, variant) } else { None };
            self.sites[site].decided(variant, kind, next);
        }
        if let RowBody::Record(record) = &mut self.row_types[row_type].body {
            record.add_shape(START, &mut self.members);
        }
    }

    fn next_undecided(&self, site: SiteId, variant: usize) -> Option<usize> {
        let variants = self.sites[site].variants.iter().enumerate().skip(variant + 1);
        let mut undecided = variants.filter(|(_, own)| match own {
            RowVariant::Row(uses) => {
                matches!(self.row_types[uses.row_type].body, RowBody::Undecided)
            }
            RowVariant::Column(_) => false,
        });
        undecided.next().map(|(variant, _)| variant)
    }

    fn open_in_map<'a>(
        &mut self,
        site: SiteId,
        keys: impl Iterator<Item = &'a str>,
    ) -> Result<Handle> {
        let mapping = self.mapping(site);
        let (variant, row_type) = match mapping.undecided {
            // Beside a record, an undecided variant stays undecided (F-49, case 2).
            Some((variant, row_type)) if mapping.map.is_none() && mapping.record.is_none() => {
                self.decide(row_type, RowKind::Map);
                (variant, row_type)
            }
            _ => self.variant(site, RowKind::Map),
        };
        let keys: Vec<Box<str>> = memory::collected(keys.map(Into::into));
        let mut seen = HashSet::with_hasher(RandomState::default());
        seen.room(keys.len());
        if let Some(key) = keys.iter().find(|key| !seen.put(&***key)) {
            return Err(duplicate(key));
        }
        drop(seen);
        let row = self.begin_row(site, variant, row_type);
        let RowBody::Map { key, value, .. } = self.row_types[row_type].body else {
            return Err(bad_source("a map"));
        };
        let keys = keys.into_iter();
        self.open += 1;
        Ok(KeyedMapHandle { row_type, row, key, value, len: 0, keys }.into())
    }

    /// Finds the record around a site that has exactly these keys. If there is one, the data is recursive (F-50).
    fn fold<'a>(
        &mut self,
        site: SiteId,
        keys: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<RowTypeId> {
        if self.sites[site].is_storage {
            return None;
        }
        let mut at = self.sites[site].owner;
        while let Some(row_type) = at {
            let own = &mut self.row_types[row_type];
            if let RowBody::Record(record) = &mut own.body
                && record.has_row(keys.clone())
            {
                return Some(row_type);
            }
            if own.gathered || matches!(own.body, RowBody::Struct(..)) {
                return None;
            }
            at = self.sites[own.home].owner;
        }
        None
    }
}

/// Whether a key looks like a number, date, address, hash or UUID, and not like a name (F-49).
pub fn is_data(key: &str) -> bool {
    let numeric = |byte: u8| matches!(byte, b'0'..=b'9' | b'-' | b'.' | b':');
    let least = if key.bytes().all(numeric) { 4 } else { 8 };
    key.len() >= least
        && key.bytes().all(|byte| numeric(byte) || byte.is_ascii_hexdigit())
        && key.bytes().any(|byte| byte.is_ascii_digit())
}
