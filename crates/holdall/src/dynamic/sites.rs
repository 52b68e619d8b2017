//! Sites as the shredder finds them (spec, chapter 11).

use std::collections::HashMap;

use foldhash::quality::RandomState;

use super::row_types::{Kind, RowTypeId};
use super::variants::{Class, Firsts, SCANNED_VARIANTS, Uses, Variant};
use crate::column::bits::BitBuffer;
use crate::number::IntKind;
use crate::schema::Scalar;

pub(crate) type SiteId = usize;

/// A place in the schema, and the columns of its rows so far (F-46).
pub(crate) struct Site {
    /// The row type that the site is in; the root has none.
    pub(crate) owner: Option<RowTypeId>,
    pub(crate) depth: u8,
    /// Whether it is the storage of a logical type: what is made there stays there (F-74).
    pub(crate) is_storage: bool,
    /// Whether it is a number in such storage that is an int, whatever its width was (F-72).
    pub(crate) widens_to_int: bool,
    /// Whether text is kept as a dictionary as soon as it repeats.
    pub(crate) uses_dictionaries: bool,
    pub(crate) nullable: bool,
    rows: usize,
    /// For each row 0 (null) or 1 + its variant, as soon as there is a choice.
    tags: Option<Vec<u32>>,
    pub(crate) variants: Vec<Variant>,
    /// The first variant of each class: a site can have very many of structs.
    firsts: Firsts,
    /// The variant of each row type, as soon as there are many.
    of_row_type: Option<HashMap<RowTypeId, usize, RandomState>>,
    /// The variant of the row before: most rows have the same.
    latest: usize,
    /// Empty columns of a site that was forgotten, for their memory.
    spare: Vec<Variant>,
}

/// The most columns that a forgotten site leaves, and of how many bytes each.
const SPARE_COLUMNS: usize = 2;
const SPARE_BYTES: usize = 1024;

impl Site {
    pub(crate) fn new(owner: Option<RowTypeId>, depth: u8, uses_dictionaries: bool) -> Site {
        Site {
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
            spare: Vec::new(),
        }
    }

    /// Forgets everything, and keeps the memory of small columns for the site that it becomes next.
    pub(super) fn recycle(&mut self) {
        let mut spare = std::mem::take(&mut self.spare);
        let mut variants = std::mem::take(&mut self.variants);
        for mut variant in variants.drain(..) {
            let is_small = variant.scalar().is_some() && variant.size() <= SPARE_BYTES;
            if is_small && spare.len() < SPARE_COLUMNS {
                variant.clear();
                spare.push(variant);
            }
        }
        let mut firsts = std::mem::take(&mut self.firsts);
        firsts.clear();
        *self = Site { variants, firsts, spare, ..Site::new(None, 0, false) };
    }

    /// Becomes the site of a place.
    pub(super) fn reuse(&mut self, owner: Option<RowTypeId>, depth: u8, uses_dictionaries: bool) {
        (self.owner, self.depth, self.uses_dictionaries) = (owner, depth, uses_dictionaries);
    }

    /// An empty column of a scalar type.
    fn column(&mut self, scalar: Scalar) -> Variant {
        let is_it = |own: &Variant| own.scalar() == Some(scalar);
        match self.spare.iter().position(is_it) {
            Some(at) => self.spare.swap_remove(at),
            None => Variant::of(scalar).with_room(),
        }
    }

    pub(crate) fn null(&mut self) {
        if !self.nullable {
            if self.variants.len() == 1 {
                self.tags = Some(vec![1; self.rows]);
            }
            self.nullable = true;
        }
        self.add_rows(0, 1);
    }

    /// The column of a scalar type, `rows` rows of it being about to be appended.
    #[inline]
    pub(crate) fn scalar(&mut self, scalar: Scalar, rows: usize) -> &mut Variant {
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

    /// An integer of 64 bits.
    #[inline]
    pub(crate) fn int(&mut self, kind: IntKind, bits: u64) {
        if let Some(Variant::Int(Scalar::Int(own), ints)) = self.variants.get_mut(self.latest)
            && *own == kind
        {
            ints.push(bits);
            return self.add_row(self.latest);
        }
        if let Variant::Int(_, ints) = self.scalar(Scalar::Int(kind), 1) {
            ints.push(bits);
        }
    }

    /// A float of 64 bits.
    #[inline]
    pub(crate) fn f64(&mut self, value: f64) {
        if let Some(Variant::F64(floats)) = self.variants.get_mut(self.latest) {
            floats.push(value);
            return self.add_row(self.latest);
        }
        if let Variant::F64(floats) = self.scalar(Scalar::F64, 1) {
            floats.push(value);
        }
    }

    /// A string or byte string.
    #[inline]
    pub(crate) fn text(&mut self, scalar: Scalar, value: &[u8]) {
        if let Some(Variant::Text(own, text)) = self.variants.get_mut(self.latest)
            && *own == scalar
        {
            text.push(value, self.uses_dictionaries);
            return self.add_row(self.latest);
        }
        let uses_dictionaries = self.uses_dictionaries;
        if let Variant::Text(_, text) = self.scalar(scalar, 1) {
            text.push(value, uses_dictionaries);
        }
    }

    /// Several of them, one after the other. Returns how many.
    pub(crate) fn texts<'t>(
        &mut self,
        scalar: Scalar,
        mut values: impl Iterator<Item = &'t [u8]>,
    ) -> usize {
        let Some(first) = values.next() else { return 0 };
        self.text(scalar, first);
        let mut more = 0;
        if let Some(Variant::Text(_, text)) = self.variants.get_mut(self.latest) {
            values.for_each(|value| {
                text.push(value, self.uses_dictionaries);
                more += 1;
            });
        }
        self.add_rows(self.latest as u32 + 1, more);
        1 + more
    }

    pub(crate) fn bool(&mut self, value: bool) {
        if let Variant::Bool(bits) = self.scalar(Scalar::Bool, 1) {
            bits.push(value);
        }
    }

    /// Several ints.
    #[inline]
    pub(crate) fn ints(&mut self, values: &[u64]) {
        if !values.is_empty()
            && let Variant::Int(_, ints) = self.scalar(Scalar::Int(IntKind::Int), values.len())
        {
            ints.values.extend_from_slice(values);
        }
    }

    /// Several floats of 64 bits.
    #[inline]
    pub(crate) fn floats(&mut self, values: &[f64]) {
        if !values.is_empty()
            && let Variant::F64(floats) = self.scalar(Scalar::F64, values.len())
        {
            floats.extend_from_slice(values);
        }
    }

    /// A new row of a row type's variant.
    #[inline]
    pub(crate) fn row(&mut self, variant: usize) {
        self.add_row(variant);
        if let Variant::Row(uses) = &mut self.variants[variant] {
            uses.len += 1;
        }
    }

    /// So many new rows.
    pub(crate) fn rows(&mut self, variant: usize, rows: usize) {
        self.add_rows(variant as u32 + 1, rows);
        if let Variant::Row(uses) = &mut self.variants[variant] {
            uses.len += rows;
        }
    }

    /// A reference to a row of a row type's variant.
    pub(crate) fn back_reference(&mut self, variant: usize, row: usize) {
        self.add_rows(variant as u32 + 1, 1);
        if let Variant::Row(uses) = &mut self.variants[variant] {
            uses.back.push((uses.len, row as u64 + 1));
            uses.len += 1;
            uses.shared = true;
        }
    }

    #[inline]
    fn first(&self, class: Class) -> Option<usize> {
        self.firsts.get(class)
    }

    /// The first variant of a kind of row type.
    #[inline]
    pub(crate) fn of_kind(&self, kind: Kind) -> Option<(usize, RowTypeId)> {
        let variant = self.first(Class::Row(kind))?;
        match &self.variants[variant] {
            Variant::Row(uses) => Some((variant, uses.row_type)),
            _ => None,
        }
    }

    /// The variant of a row type.
    #[inline]
    pub(crate) fn of_row_type(&self, row_type: RowTypeId) -> Option<usize> {
        let is_it = |own: &Variant| matches!(own, Variant::Row(uses) if uses.row_type == row_type);
        match &self.of_row_type {
            Some(variants) => variants.get(&row_type).copied(),
            None => self.variants.iter().position(is_it),
        }
    }

    /// A row type as a new variant; structs have no kind.
    pub(crate) fn add_row_type(&mut self, row_type: RowTypeId, kind: Option<Kind>) -> usize {
        let variant = self.add_variant(Variant::Row(Uses::of(row_type)), kind.map(Class::Row));
        if self.variants.len() > SCANNED_VARIANTS {
            let rows = self.variants.iter().enumerate().filter_map(|(variant, own)| match own {
                Variant::Row(uses) => Some((uses.row_type, variant)),
                _ => None,
            });
            self.of_row_type.get_or_insert_with(|| rows.collect()).insert(row_type, variant);
        }
        variant
    }

    /// An undecided variant became one of this kind; `next` is the undecided one that comes first behind it.
    pub(crate) fn decided(&mut self, variant: usize, kind: Kind, next: Option<usize>) {
        let undecided = Class::Row(Kind::Undecided);
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

    /// A new variant, at the end of the list (F-47).
    fn add_variant(&mut self, variant: Variant, class: Option<Class>) -> usize {
        if let Some(class) = class
            && self.first(class).is_none()
        {
            self.firsts.set(class, self.variants.len());
        }
        if self.tags.is_none() && (self.nullable || self.variants.len() == 1) {
            self.tags = Some(vec![u32::from(!self.nullable); self.rows]);
        }
        self.variants.push(variant);
        self.variants.len() - 1
    }

    /// One row of a variant.
    #[inline]
    fn add_row(&mut self, variant: usize) {
        self.rows += 1;
        if let Some(tags) = &mut self.tags {
            tags.push(variant as u32 + 1);
        }
    }

    #[inline]
    fn add_rows(&mut self, tag: u32, rows: usize) {
        self.rows += rows;
        if let Some(tags) = &mut self.tags {
            tags.resize(self.rows, tag);
        }
    }

    /// Which rows are not null (F-48).
    pub(crate) fn presence(&self) -> BitBuffer {
        self.tags.iter().flatten().map(|&tag| tag != 0).collect()
    }

    /// The variants of the rows that are not null.
    pub(crate) fn which(&self) -> Vec<u32> {
        let tags = self.tags.as_deref().unwrap_or_default();
        if self.nullable {
            return tags.iter().filter_map(|&tag| tag.checked_sub(1)).collect();
        }
        tags.iter().map(|&tag| tag - 1).collect()
    }

    /// Itself, its types, and null.
    pub(crate) fn extent(&self) -> usize {
        1 + self.variants.len() + usize::from(self.nullable)
    }

    /// Whether a shredder that starts anew with these rows would make the same site: it has one type at most, and rows of
    /// all that it has.
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

    /// About how many bytes the rows take in memory.
    pub(crate) fn size(&self) -> usize {
        let tags = self.tags.as_ref().map_or(0, |tags| 4 * tags.len());
        tags + self.variants.iter().map(Variant::size).sum::<usize>()
    }

    /// About how many bytes the columns take in memory, where text is kept by its entries.
    pub(crate) fn held(&self) -> usize {
        self.variants.iter().map(Variant::held).sum()
    }

    /// Keeps so many rows, and what was found about types.
    pub(crate) fn truncate(&mut self, rows: usize) {
        if rows >= self.rows {
            return;
        }
        self.rows = rows;
        let mut kept = vec![0; self.variants.len()];
        match &mut self.tags {
            Some(tags) => {
                tags.truncate(rows);
                let present = tags.iter().filter_map(|tag| (*tag as usize).checked_sub(1));
                present.for_each(|variant| kept[variant] += 1);
            }
            // Without tags all rows are of the one variant.
            None => kept.iter_mut().for_each(|kept| *kept = rows),
        }
        for (variant, kept) in self.variants.iter_mut().zip(kept) {
            variant.truncate(kept);
        }
    }

    /// Releases which rows are null and what their variants are.
    pub(crate) fn release_tags(&mut self) {
        self.tags = None;
    }

    /// Forgets the rows, keeps what was found about types.
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
