//! Mappings with string keys: which record or map takes them (F-49 to F-51).

use std::collections::HashSet;

use super::{Frame, Shredder, bad_source, duplicate};
use crate::dynamic::records::START;
use crate::dynamic::sites::{Body, Kind, Mapping, RowTypeId, SiteId, Variant};
use crate::error::Result;

impl Shredder {
    /// Begins a mapping with string keys, all told now; one value for each key follows, in their order, then [`Sink::end`](crate::Sink::end).
    ///
    /// # Errors
    /// `duplicate_key`.
    pub fn begin_mapping<'a>(&mut self, keys: impl Iterator<Item = &'a str> + Clone) -> Result<()> {
        let site = self.target()?;
        let begun = self.begin_mapping_at(site, keys);
        self.located(begun)
    }

    fn begin_mapping_at<'a>(
        &mut self,
        site: SiteId,
        keys: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<()> {
        let mapping = self.sites[site].mapping;
        if let Some(variant) = mapping.record {
            return self.begin_in_record(site, variant, keys);
        }
        let count = keys.clone().count();
        if count == 0 {
            self.begin_empty(site);
            return Ok(());
        }
        if mapping.map.is_some() || !self.has_room(0, count) || keys.clone().all(is_data) {
            return self.begin_in_map(site, keys);
        }
        if let Some(variant) = mapping.undecided {
            self.decide(site, variant, Kind::Record);
            return self.begin_in_record(site, variant, keys);
        }
        if let Some(row_type) = self.fold(site, keys.clone()) {
            let variant = self.adopt(site, row_type);
            return self.begin_in_record(site, variant, keys);
        }
        if self.is_gathering(site) {
            // The gathered record may have no room: then the site must not get it.
            if let Some(&row_type) = self.gathered.get(&Kind::Record)
                && !self.takes(row_type, keys.clone())
            {
                return self.begin_in_map(site, keys);
            }
        }
        let (variant, _) = self.variant(site, Kind::Record);
        self.begin_in_record(site, variant, keys)
    }

    /// Whether a record takes a mapping with these keys (F-49, case 2).
    fn takes<'a>(&self, row_type: RowTypeId, keys: impl Iterator<Item = &'a str>) -> bool {
        let Body::Record(record) = &self.row_types[row_type].body else { return false };
        let more = keys.filter(|key| record.field(key).is_none()).count();
        more == 0 || self.has_room(record.names().len(), more)
    }

    fn begin_in_record<'a>(
        &mut self,
        site: SiteId,
        variant: usize,
        keys: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<()> {
        let Variant::Row(row_type) = self.sites[site].variants[variant] else {
            return Err(bad_source("a record at its site"));
        };
        let known = self.record_mut(row_type).and_then(|record| record.find(keys.clone()));
        let shape = match known {
            Some(shape) => shape,
            None if self.takes(row_type, keys.clone()) => self.add_record_shape(row_type, keys)?,
            None => return self.begin_in_map(site, keys),
        };
        let row = self.begin_row(site, variant, row_type);
        if let Some(record) = self.record_mut(row_type) {
            record.set_shape(row, shape);
            let of_rows = &record.shapes()[shape as usize];
            let (first, len) = (of_rows.first_member, of_rows.fields.len());
            self.stack.push(Frame::Members { next: first, first, end: first + len });
        }
        Ok(())
    }

    fn add_record_shape<'a>(
        &mut self,
        row_type: RowTypeId,
        keys: impl Iterator<Item = &'a str>,
    ) -> Result<u32> {
        let mut state = START;
        for key in keys {
            let field = self.field(row_type, key);
            let next = self.record_mut(row_type).and_then(|record| record.extend(state, field));
            state = next.ok_or_else(|| duplicate(key))?;
        }
        let mut members = std::mem::take(&mut self.members);
        let shape = self.record_mut(row_type).map(|record| record.add_shape(state, &mut members));
        self.members = members;
        shape.ok_or_else(|| bad_source("a record"))
    }

    /// The field of a name, added if it is new.
    pub(super) fn field(&mut self, row_type: RowTypeId, key: &str) -> u32 {
        if let Some(field) = self.record_mut(row_type).and_then(|record| record.field(key)) {
            return field;
        }
        let site = self.add_site(row_type);
        self.record_mut(row_type).map_or(0, |record| record.add_field(key, site))
    }

    /// An empty mapping at a site without a record.
    fn begin_empty(&mut self, site: SiteId) {
        let mapping = self.sites[site].mapping;
        if mapping.map.is_some() {
            let (variant, row_type) = self.variant(site, Kind::Map);
            self.begin_row(site, variant, row_type);
        } else if mapping.undecided.is_none() && self.is_gathering(site) {
            let (variant, _) = self.variant(site, Kind::Record);
            // No keys: nothing can fail.
            let _ = self.begin_in_record(site, variant, std::iter::empty());
            return;
        } else {
            let own = &mut self.sites[site];
            let variant =
                mapping.undecided.unwrap_or_else(|| own.add_variant(Variant::Undecided(0)));
            own.mapping.undecided = Some(variant);
            if let Variant::Undecided(rows) = &mut own.variants[variant] {
                *rows += 1;
            }
            own.row(variant);
        }
        self.stack.push(Frame::Members { next: 0, first: 0, end: 0 });
    }

    /// The undecided mappings of a site become rows of a record or map made there.
    pub(super) fn decide(&mut self, site: SiteId, variant: usize, kind: Kind) -> RowTypeId {
        let rows = match self.sites[site].variants[variant] {
            Variant::Undecided(rows) => rows,
            _ => 0,
        };
        let row_type = self.add_row_type(site, false, kind);
        for _ in 0..rows {
            self.row_types[row_type].begin();
        }
        if let Body::Record(record) = &mut self.row_types[row_type].body {
            record.add_shape(START, &mut self.members);
        }
        self.row_types[row_type].users = 1;
        let own = &mut self.sites[site];
        own.variants[variant] = Variant::Row(row_type);
        own.mapping.undecided = None;
        match kind {
            Kind::Map => own.mapping.map = Some(variant),
            _ => own.mapping.record = Some(variant),
        }
        row_type
    }

    fn begin_in_map<'a>(
        &mut self,
        site: SiteId,
        keys: impl Iterator<Item = &'a str>,
    ) -> Result<()> {
        let (variant, row_type) = match self.sites[site].mapping {
            Mapping { map: None, undecided: Some(variant), .. } => {
                (variant, self.decide(site, variant, Kind::Map))
            }
            _ => self.variant(site, Kind::Map),
        };
        let keys: Vec<Box<str>> = keys.map(Into::into).collect();
        let mut seen = HashSet::with_capacity(keys.len());
        if let Some(key) = keys.iter().find(|key| !seen.insert(&***key)) {
            return Err(duplicate(key));
        }
        let row = self.begin_row(site, variant, row_type);
        if let Body::Map { key, value, .. } = self.row_types[row_type].body {
            self.stack.push(Frame::KeyedMap {
                row_type,
                row,
                key,
                value,
                len: 0,
                keys: keys.into_iter(),
            });
        }
        Ok(())
    }

    /// The record around a site that has just these keys, if one has: the data is recursive (F-50).
    fn fold<'a>(
        &mut self,
        site: SiteId,
        keys: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<RowTypeId> {
        let mut at = self.sites[site].owner;
        while let Some(row_type) = at {
            let own = &mut self.row_types[row_type];
            if let Body::Record(record) = &mut own.body
                && record.find(keys.clone()).is_some()
            {
                return Some(row_type);
            }
            if own.gathered || matches!(own.body, Body::Struct(..)) {
                return None;
            }
            at = self.sites[own.home].owner;
        }
        None
    }
}

/// Whether a key looks like a number, date, address, hash or UUID, and not like a name (F-49).
fn is_data(key: &str) -> bool {
    let numeric = |byte: u8| matches!(byte, b'0'..=b'9' | b'-' | b'.' | b':');
    let least = if key.bytes().all(numeric) { 4 } else { 8 };
    key.len() >= least
        && key.bytes().all(|byte| numeric(byte) || byte.is_ascii_hexdigit())
        && key.bytes().any(|byte| byte.is_ascii_digit())
}
