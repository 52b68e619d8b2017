//! Sites as the shredder finds them (spec, chapter 11).

use alloc::vec::Vec;

use foldhash::quality::RandomState;

use super::row_types::{RowKind, RowTypeId};
use super::variants::{Class, Firsts, RowVariant, SCANNED_VARIANTS, Uses};
use crate::column::buffer::Buffer;
use crate::memory::{self, Collect, GrowMap, GrowVec};
use crate::number::IntKind;
use crate::platform::HashMap;
use crate::schema::Scalar;

pub(crate) type SiteId = usize;

/// A place in the schema, and the columns of its rows so far (F-46).
pub(crate) struct ShreddedSite {
    /// The row type that contains the site; `None` for the root.
    pub(crate) owner: Option<RowTypeId>,
    pub(crate) depth: u8,
    /// Whether it is inside the storage of a logical type; types made there stay in place (F-74).
    pub(crate) is_storage: bool,
    /// Whether integers of any width are stored as `int` here, because the logical type's storage has an `int` at this site (F-72).
    pub(crate) widens_to_int: bool,
    /// Whether to keep text as a dictionary once it repeats.
    pub(crate) uses_dictionaries: bool,
    pub(crate) nullable: bool,
    rows: usize,
    /// For each row, 0 (null) or 1 + its variant, once rows differ.
    tags: Option<Vec<u32>>,
    pub(crate) variants: Vec<RowVariant>,
    /// The first variant of each class. A site can have thousands of struct variants, so a search would be slow.
    firsts: Firsts,
    /// The variant of each row type, once there are many.
    of_row_type: Option<HashMap<RowTypeId, usize, RandomState>>,
    /// The variant of the previous row, which most rows repeat.
    latest: usize,
    /// Empty columns from the site's previous use, kept for their memory.
    pooled: Vec<Buffer>,
}

/// How many columns a recycled site keeps, and of how many bytes each.
const MAX_POOLED_COLUMNS: usize = 2;
const MAX_POOLED_BYTES: usize = 1024;

impl ShreddedSite {
    pub(crate) fn new(
        owner: Option<RowTypeId>,
        depth: u8,
        uses_dictionaries: bool,
    ) -> ShreddedSite {
        ShreddedSite {
            owner,
            depth,
            is_storage: false,
            widens_to_int: false,
            uses_dictionaries,
            nullable: false,
            rows: 0,
            tags: None,
            variants: Vec::new(),
            firsts: Firsts::default(),
            of_row_type: None,
            latest: 0,
            pooled: Vec::new(),
        }
    }

    /// Empties the site for reuse, and keeps the memory of small columns.
    pub(super) fn recycle(&mut self) {
        let mut pooled = core::mem::take(&mut self.pooled);
        let mut variants = core::mem::take(&mut self.variants);
        for variant in variants.drain(..) {
            if let RowVariant::Column(mut column) = variant
                && column.size() <= MAX_POOLED_BYTES
                && pooled.len() < MAX_POOLED_COLUMNS
            {
                column.clear();
                pooled.put(column);
            }
        }
        let mut firsts = core::mem::take(&mut self.firsts);
        firsts.clear();
        *self = ShreddedSite { variants, firsts, pooled, ..ShreddedSite::new(None, 0, false) };
    }

    /// Reuses the memory for another site.
    pub(super) fn reuse(&mut self, owner: Option<RowTypeId>, depth: u8, uses_dictionaries: bool) {
        (self.owner, self.depth, self.uses_dictionaries) = (owner, depth, uses_dictionaries);
    }

    /// Makes an empty column of a scalar type.
    fn column(&mut self, scalar: Scalar) -> RowVariant {
        let is_it = |own: &Buffer| own.scalar() == Some(scalar);
        RowVariant::Column(match self.pooled.iter().position(is_it) {
            Some(at) => self.pooled.swap_remove(at),
            None => Buffer::inferred(scalar).with_room(),
        })
    }

    pub(crate) fn null(&mut self) {
        self.nulls(1);
    }

    /// Appends several nulls.
    pub(crate) fn nulls(&mut self, rows: usize) {
        if !self.nullable {
            if self.variants.len() == 1 {
                self.tags = Some(memory::filled(1, self.rows));
            }
            self.nullable = true;
        }
        self.add_rows(0, rows);
    }

    /// Returns the column of a scalar type, after recording that `rows` rows will be appended.
    #[inline]
    pub(crate) fn scalar(&mut self, scalar: Scalar, rows: usize) -> &mut RowVariant {
        if !self.variants.get(self.latest).is_some_and(|variant| variant.scalar() == Some(scalar)) {
            self.latest = match self.first(Class::Scalar(scalar)) {
                Some(variant) => variant,
                None => {
                    let column = self.column(scalar);
                    self.add_variant(column, Some(Class::Scalar(scalar)))
                }
            };
        }
        self.add_rows(self.latest as u32 + 1, rows);
        &mut self.variants[self.latest]
    }

    /// Appends a 64-bit integer.
    #[inline]
    pub(crate) fn int(&mut self, kind: IntKind, bits: u64) {
        if let Some(RowVariant::Column(Buffer::Wide(own, ints))) =
            self.variants.get_mut(self.latest)
            && *own == kind
        {
            ints.push(bits);
            return self.add_row(self.latest);
        }
        if let RowVariant::Column(Buffer::Wide(_, ints)) = self.scalar(Scalar::Int(kind), 1) {
            ints.push(bits);
        }
    }

    /// Appends a 64-bit float.
    #[inline]
    pub(crate) fn f64(&mut self, value: f64) {
        if let Some(RowVariant::Column(Buffer::F64(floats))) = self.variants.get_mut(self.latest) {
            floats.put(value);
            return self.add_row(self.latest);
        }
        if let RowVariant::Column(Buffer::F64(floats)) = self.scalar(Scalar::F64, 1) {
            floats.put(value);
        }
    }

    /// Appends a string or byte string.
    #[inline]
    pub(crate) fn text(&mut self, scalar: Scalar, value: &[u8]) {
        if let Some(RowVariant::Column(Buffer::Gathered(own, text))) =
            self.variants.get_mut(self.latest)
            && *own == scalar
        {
            text.push(value, self.uses_dictionaries);
            return self.add_row(self.latest);
        }
        let uses_dictionaries = self.uses_dictionaries;
        if let RowVariant::Column(Buffer::Gathered(_, text)) = self.scalar(scalar, 1) {
            text.push(value, uses_dictionaries);
        }
    }

    /// Appends several of them. Returns how many.
    pub(crate) fn texts<'t>(
        &mut self,
        scalar: Scalar,
        mut values: impl Iterator<Item = &'t [u8]>,
    ) -> usize {
        let Some(first) = values.next() else { return 0 };
        self.text(scalar, first);
        let more = match self.variants.get_mut(self.latest) {
            Some(RowVariant::Column(Buffer::Gathered(_, text))) => {
                text.extend(values, self.uses_dictionaries)
            }
            _ => 0,
        };
        self.add_rows(self.latest as u32 + 1, more);
        1 + more
    }

    pub(crate) fn bool(&mut self, value: bool) {
        if let RowVariant::Column(Buffer::Bits(bits)) = self.scalar(Scalar::Bool, 1) {
            bits.put(value);
        }
    }

    /// Appends several ints.
    #[inline]
    pub(crate) fn ints(&mut self, values: &[u64]) {
        if !values.is_empty()
            && let RowVariant::Column(Buffer::Wide(_, ints)) =
                self.scalar(Scalar::Int(IntKind::Int), values.len())
        {
            ints.values.put_slice(values);
        }
    }

    /// Appends several 64-bit floats.
    #[inline]
    pub(crate) fn floats(&mut self, values: &[f64]) {
        if !values.is_empty()
            && let RowVariant::Column(Buffer::F64(floats)) = self.scalar(Scalar::F64, values.len())
        {
            floats.put_slice(values);
        }
    }

    /// Appends a new row of a row type's variant.
    #[inline]
    pub(crate) fn row(&mut self, variant: usize) {
        self.add_row(variant);
        if let RowVariant::Row(uses) = &mut self.variants[variant] {
            uses.len += 1;
        }
    }

    /// Appends several new rows.
    pub(crate) fn rows(&mut self, variant: usize, rows: usize) {
        self.add_rows(variant as u32 + 1, rows);
        if let RowVariant::Row(uses) = &mut self.variants[variant] {
            uses.len += rows;
        }
    }

    /// Appends a reference to an earlier row of a row type's variant.
    pub(crate) fn back_reference(&mut self, variant: usize, row: usize) {
        self.add_rows(variant as u32 + 1, 1);
        if let RowVariant::Row(uses) = &mut self.variants[variant] {
            uses.back.put((uses.len, row as u64 + 1));
            uses.len += 1;
            uses.shared = true;
        }
    }

    #[inline]
    fn first(&self, class: Class) -> Option<usize> {
        self.firsts.get(class)
    }

    /// Returns the first variant of a kind of row type.
    #[inline]
    pub(crate) fn of_kind(&self, kind: RowKind) -> Option<(usize, RowTypeId)> {
        let variant = self.first(Class::Row(kind))?;
        match &self.variants[variant] {
            RowVariant::Row(uses) => Some((variant, uses.row_type)),
            RowVariant::Column(_) => None,
        }
    }

    /// Returns the variant of a row type.
    #[inline]
    pub(crate) fn of_row_type(&self, row_type: RowTypeId) -> Option<usize> {
        let is_it =
            |own: &RowVariant| matches!(own, RowVariant::Row(uses) if uses.row_type == row_type);
        match &self.of_row_type {
            Some(variants) => variants.get(&row_type).copied(),
            None => self.variants.iter().position(is_it),
        }
    }

    /// Adds a row type as a new variant. Structs have no kind.
    pub(crate) fn add_row_type(&mut self, row_type: RowTypeId, kind: Option<RowKind>) -> usize {
        let variant = self.add_variant(RowVariant::Row(Uses::of(row_type)), kind.map(Class::Row));
        if self.variants.len() > SCANNED_VARIANTS {
            let rows = self.variants.iter().enumerate().filter_map(|(variant, own)| match own {
                RowVariant::Row(uses) => Some((uses.row_type, variant)),
                RowVariant::Column(_) => None,
            });
            self.of_row_type.get_or_insert_with(|| rows.collected()).put(row_type, variant);
        }
        variant
    }

    /// Records that an undecided variant now has this kind; `next` is the first undecided variant after it.
    pub(crate) fn decided(&mut self, variant: usize, kind: RowKind, next: Option<usize>) {
        let undecided = Class::Row(RowKind::Undecided);
        if self.first(undecided) == Some(variant) {
            match next {
                Some(next) => self.firsts.set(undecided, next),
                None => self.firsts.remove(undecided),
            }
        }
        let class = Class::Row(kind);
        let first = self.first(class).map_or(variant, |first| first.min(variant));
        self.firsts.set(class, first);
    }

    /// Appends a new variant (F-47).
    fn add_variant(&mut self, variant: RowVariant, class: Option<Class>) -> usize {
        if let Some(class) = class
            && self.first(class).is_none()
        {
            self.firsts.set(class, self.variants.len());
        }
        if self.tags.is_none() && (self.nullable || self.variants.len() == 1) {
            self.tags = Some(memory::filled(u32::from(!self.nullable), self.rows));
        }
        self.variants.put(variant);
        self.variants.len() - 1
    }

    /// Appends one row of a variant.
    #[inline]
    fn add_row(&mut self, variant: usize) {
        self.rows += 1;
        if let Some(tags) = &mut self.tags {
            tags.put(variant as u32 + 1);
        }
    }

    #[inline]
    fn add_rows(&mut self, tag: u32, rows: usize) {
        self.rows += rows;
        if let Some(tags) = &mut self.tags {
            tags.put_fill(self.rows, tag);
        }
    }

    /// Returns which rows are not null (F-48).
    pub(crate) fn presence(&self) -> Vec<bool> {
        memory::collected(self.tags.as_deref().unwrap_or_default().iter().map(|&tag| tag != 0))
    }

    /// Returns the variants of the rows that are not null.
    pub(crate) fn which(&self) -> Vec<u32> {
        let tags = self.tags.as_deref().unwrap_or_default();
        if self.nullable {
            return memory::collected(tags.iter().filter_map(|&tag| tag.checked_sub(1)));
        }
        memory::collected(tags.iter().map(|&tag| tag - 1))
    }

    /// Counts the site itself, its types, and null.
    pub(crate) fn extent(&self) -> usize {
        1 + self.variants.len() + usize::from(self.nullable)
    }

    /// Whether a fresh shredder, given these rows, would make the same site: it has at most one type, and rows of everything it
    /// has.
    pub(crate) fn is_repeatable(&self) -> bool {
        let nulls = match &self.tags {
            Some(tags) => tags.iter().filter(|tag| **tag == 0).count(),
            None if self.nullable => self.rows,
            None => 0,
        };
        self.variants.len() <= 1
            && (nulls > 0) == self.nullable
            && (self.rows > nulls) != self.variants.is_empty()
    }

    pub(crate) fn row_count(&self) -> usize {
        self.rows
    }

    /// Estimates the memory of the rows, in bytes.
    pub(crate) fn size(&self) -> usize {
        let tags = self.tags.as_ref().map_or(0, |tags| 4 * tags.len());
        tags + self.variants.iter().map(RowVariant::size).sum::<usize>()
    }

    /// Estimates the memory of the columns in bytes, counting dictionary text by its entries.
    pub(crate) fn held(&self) -> usize {
        self.variants.iter().map(RowVariant::held).sum()
    }

    /// Keeps only the first `rows` rows, and all inferred types.
    pub(crate) fn truncate(&mut self, rows: usize) {
        if rows >= self.rows {
            return;
        }
        self.rows = rows;
        let mut kept = memory::filled(0, self.variants.len());
        match &mut self.tags {
            Some(tags) => {
                tags.truncate(rows);
                let present = tags.iter().filter_map(|tag| (*tag as usize).checked_sub(1));
                present.for_each(|variant| kept[variant] += 1);
            }
            // Without tags, all rows belong to the only variant.
            None => kept.iter_mut().for_each(|kept| *kept = rows),
        }
        for (variant, kept) in self.variants.iter_mut().zip(kept) {
            variant.truncate(kept);
        }
    }

    /// Releases the record of nulls and variants.
    pub(crate) fn release_tags(&mut self) {
        self.tags = None;
    }

    /// Drops the rows but keeps the inferred types.
    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        if let Some(tags) = &mut self.tags {
            tags.clear();
        }
        for variant in &mut self.variants {
            variant.clear();
        }
    }
}
