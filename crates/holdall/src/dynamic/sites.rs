//! Sites and row types as the shredder finds them (spec, chapter 11).

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::quality::RandomState;
use half::{bf16, f16};

use super::records::RecordType;
use super::tensors::TensorRows;
use crate::column::bits::BitBuffer;
use crate::column::ints::IntBuffer;
use crate::column::text::GatheredText;
use crate::number::IntKind;
use crate::schema::names::Names;
use crate::schema::{DType, LogicalType, Scalar};

pub(crate) type SiteId = usize;
pub(crate) type RowTypeId = usize;

/// A place in the schema, and the columns of its rows so far (F-46).
pub(crate) struct Site {
    /// The row type that the site is in; the root has none.
    pub(crate) owner: Option<RowTypeId>,
    pub(crate) depth: u8,
    /// Whether it is the storage of a logical type: what is made there stays there (F-74).
    pub(crate) is_storage: bool,
    /// Whether it is a number in such storage that is an int, whatever its width was (F-72).
    pub(crate) widens_to_int: bool,
    /// Whether text is kept by its entries as soon as it repeats.
    pub(crate) by_entries: bool,
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
}

/// Up to this many variants, looking at each is faster than hashing.
const FEW: usize = 12;

/// A new column has room for so many rows.
const ROOM: usize = 16;

/// By what a value finds its variant (F-47); structs find theirs by the row type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Class {
    Scalar(Scalar),
    Row(Kind),
}

/// The first variant of each class; there can be very many, of extensions for instance.
#[derive(Default)]
struct Firsts {
    /// Those of the kinds that there are most of.
    record: Option<usize>,
    list: Option<usize>,
    few: Vec<(Class, usize)>,
    /// All of them, as soon as there are many.
    many: Option<HashMap<Class, usize, RandomState>>,
}

impl Firsts {
    #[inline]
    fn get(&self, class: Class) -> Option<usize> {
        match class {
            Class::Row(Kind::Record) => self.record,
            Class::Row(Kind::List) => self.list,
            class => self.get_other(class),
        }
    }

    fn get_other(&self, class: Class) -> Option<usize> {
        match &self.many {
            Some(many) => many.get(&class).copied(),
            None => self.few.iter().find(|(own, _)| *own == class).map(|(_, variant)| *variant),
        }
    }

    fn set(&mut self, class: Class, variant: usize) {
        match class {
            Class::Row(Kind::Record) => self.record = Some(variant),
            Class::Row(Kind::List) => self.list = Some(variant),
            class => self.set_other(class, variant),
        }
    }

    fn set_other(&mut self, class: Class, variant: usize) {
        if let Some(many) = &mut self.many {
            many.insert(class, variant);
            return;
        }
        match self.few.iter_mut().find(|(own, _)| *own == class) {
            Some((_, first)) => *first = variant,
            None => self.few.push((class, variant)),
        }
        if self.few.len() > FEW {
            self.many = Some(self.few.drain(..).collect());
        }
    }

    /// For what are neither records nor lists: those stay.
    fn remove(&mut self, class: Class) {
        self.few.retain(|(own, _)| *own != class);
        if let Some(many) = &mut self.many {
            many.remove(&class);
        }
    }
}

/// One type at a site, with the rows of that type if they are scalars.
pub(crate) enum Variant {
    Bool(BitBuffer),
    Int(Scalar, IntBuffer),
    F16(Vec<f16>),
    Bf16(Vec<bf16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Text(Scalar, GatheredText),
    /// Byte strings of one length, one after the other.
    Fixed(u64, Vec<u8>),
    Row(Uses),
}

/// The rows of a row type at one site: new ones, and ones that came before (F-65).
pub(crate) struct Uses {
    pub(crate) row_type: RowTypeId,
    len: usize,
    /// Which of them came before, and 1 + the number of that row.
    again: Vec<(usize, u64)>,
    /// Whether one ever did: then the site is shared(i).
    pub(crate) shared: bool,
}

impl Uses {
    pub(crate) fn of(row_type: RowTypeId) -> Uses {
        Uses { row_type, len: 0, again: Vec::new(), shared: false }
    }

    /// For each row 0 if it is new, else 1 + the number of the row that it is (F-64).
    pub(crate) fn references(&self) -> Vec<u64> {
        let mut references = vec![0; self.len];
        for &(row, reference) in &self.again {
            references[row] = reference;
        }
        references
    }
}

impl Variant {
    fn of(scalar: Scalar) -> Variant {
        match scalar {
            Scalar::Bool => Variant::Bool(BitBuffer::default()),
            Scalar::Int(_) => Variant::Int(scalar, IntBuffer::default()),
            Scalar::F16 => Variant::F16(Vec::new()),
            Scalar::Bf16 => Variant::Bf16(Vec::new()),
            Scalar::F32 => Variant::F32(Vec::new()),
            Scalar::F64 => Variant::F64(Vec::new()),
            Scalar::String | Scalar::Bytes => Variant::Text(scalar, GatheredText::default()),
            Scalar::Fixed(len) => Variant::Fixed(len, Vec::new()),
        }
    }

    /// With room for the first rows: where there are few in each of many columns, most of their time is that of growing.
    fn with_room(mut self) -> Variant {
        match &mut self {
            Variant::Int(_, column) => column.values.reserve(ROOM),
            Variant::F64(column) => column.reserve(ROOM),
            Variant::Text(_, column) => column.reserve(ROOM),
            _ => {}
        }
        self
    }

    /// About how many bytes the rows take in memory.
    fn size(&self) -> usize {
        match self {
            Variant::Bool(column) => column.len() / 8,
            Variant::Int(_, column) => column.size(),
            Variant::F16(column) => 2 * column.len(),
            Variant::Bf16(column) => 2 * column.len(),
            Variant::F32(column) => 4 * column.len(),
            Variant::F64(column) => 8 * column.len(),
            Variant::Text(_, column) => column.size(),
            Variant::Fixed(_, bytes) => bytes.len(),
            Variant::Row(uses) => 16 * uses.again.len(),
        }
    }

    /// The same, of text by its entries no more than these take.
    fn held(&self) -> usize {
        match self {
            Variant::Text(_, column) => column.held(),
            other => other.size(),
        }
    }

    /// Gives up the rows and their memory.
    pub(crate) fn give_up(&mut self) {
        *self = match (&*self, self.scalar()) {
            (Variant::Row(uses), _) => Variant::Row(Uses::of(uses.row_type)),
            (_, Some(scalar)) => Variant::of(scalar),
            (_, None) => return,
        };
    }

    /// Keeps so many rows.
    fn truncate(&mut self, rows: usize) {
        match self {
            Variant::Bool(column) => column.truncate(rows),
            Variant::Int(_, column) => column.truncate(rows),
            Variant::F16(column) => column.truncate(rows),
            Variant::Bf16(column) => column.truncate(rows),
            Variant::F32(column) => column.truncate(rows),
            Variant::F64(column) => column.truncate(rows),
            Variant::Text(_, column) => column.truncate(rows),
            Variant::Fixed(len, bytes) => bytes.truncate(rows * *len as usize),
            Variant::Row(uses) => {
                uses.len = rows;
                uses.again.truncate(uses.again.partition_point(|(row, _)| *row < rows));
            }
        }
    }

    /// The scalar type; none of rows.
    #[inline]
    pub(crate) fn scalar(&self) -> Option<Scalar> {
        Some(match self {
            Variant::Bool(_) => Scalar::Bool,
            Variant::Int(scalar, _) | Variant::Text(scalar, _) => *scalar,
            Variant::F16(_) => Scalar::F16,
            Variant::Bf16(_) => Scalar::Bf16,
            Variant::F32(_) => Scalar::F32,
            Variant::F64(_) => Scalar::F64,
            Variant::Fixed(len, _) => Scalar::Fixed(*len),
            Variant::Row(_) => return None,
        })
    }
}

impl Site {
    pub(crate) fn new(owner: Option<RowTypeId>, depth: u8, by_entries: bool) -> Site {
        Site {
            owner,
            depth,
            is_storage: false,
            widens_to_int: false,
            by_entries,
            nullable: false,
            rows: 0,
            tags: None,
            variants: Vec::new(),
            firsts: Firsts::default(),
            of_row_type: None,
            latest: 0,
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
                    self.add_variant(Variant::of(scalar).with_room(), Some(Class::Scalar(scalar)))
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
            text.push(value, self.by_entries);
            return self.add_row(self.latest);
        }
        let by_entries = self.by_entries;
        if let Variant::Text(_, text) = self.scalar(scalar, 1) {
            text.push(value, by_entries);
        }
    }

    /// Several of them, one after the other; answers how many.
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
                text.push(value, self.by_entries);
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
            uses.again.push((uses.len, row as u64 + 1));
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
        if self.variants.len() > FEW {
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

    /// Gives up which rows are null and what their variants are.
    pub(crate) fn give_up_tags(&mut self) {
        self.tags = None;
    }

    /// Forgets the rows, keeps what was found about types.
    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        if let Some(tags) = &mut self.tags {
            tags.clear();
        }
        for variant in &mut self.variants {
            match variant {
                Variant::Bool(bits) => bits.clear(),
                Variant::Int(_, ints) => ints.clear(),
                Variant::F16(floats) => floats.clear(),
                Variant::Bf16(floats) => floats.clear(),
                Variant::F32(floats) => floats.clear(),
                Variant::F64(floats) => floats.clear(),
                Variant::Text(_, text) => text.clear(),
                Variant::Fixed(_, bytes) => bytes.clear(),
                Variant::Row(uses) => {
                    uses.len = 0;
                    uses.again.clear();
                }
            }
        }
    }
}

/// What a row type is, apart from its contents: a site has one of each at most (F-47).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    List,
    Array(usize),
    Tuple(usize),
    Record,
    Map,
    Undecided,
    Choice,
    /// A tensor, logical type or extension, by the number of its label.
    Labelled(usize),
}

/// What tells apart row types of which a message can have any number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Label {
    Tensor(Arc<DType>),
    Logical(Arc<LogicalType>),
    Extension(Arc<str>),
}

/// A type whose rows are begun and filled.
pub(crate) struct RowType {
    /// The site where it was first made.
    pub(crate) home: SiteId,
    /// One for the whole message, shared by all deep sites (F-51).
    pub(crate) gathered: bool,
    /// The sites that have it as a variant, and which; more than one make it a definition (F-54).
    pub(crate) users: Vec<(SiteId, usize)>,
    /// Whether a row came again: that too makes it a definition.
    pub(crate) referenced: bool,
    pub(crate) rows: usize,
    pub(crate) body: Body,
}

pub(crate) enum Body {
    List {
        lengths: Vec<u64>,
        item: SiteId,
    },
    Array {
        item: SiteId,
        len: usize,
    },
    /// The sites of its items stand in the shredder's list of members from `first` on.
    Tuple {
        first: usize,
        len: usize,
    },
    Record(RecordType),
    Struct(Arc<str>, RecordType),
    Map {
        lengths: Vec<u64>,
        key: SiteId,
        value: SiteId,
    },
    /// Empty mappings, so far without a type (F-49).
    Undecided,
    /// A named union.
    Choice {
        which: Vec<u64>,
        names: Names,
        payloads: Vec<SiteId>,
    },
    Tensor(usize, TensorRows),
    /// A logical type or extension: the number of its label, and the site of what is inside.
    Wrapped(usize, SiteId),
}

impl RowType {
    pub(crate) fn new(home: SiteId, gathered: bool, body: Body) -> RowType {
        RowType { home, gathered, users: Vec::new(), referenced: false, rows: 0, body }
    }

    /// Structs have none: they are told apart by their names.
    pub(crate) fn kind(&self) -> Option<Kind> {
        Some(match &self.body {
            Body::List { .. } => Kind::List,
            Body::Tuple { len, .. } => Kind::Tuple(*len),
            Body::Record(_) => Kind::Record,
            Body::Map { .. } => Kind::Map,
            Body::Undecided => Kind::Undecided,
            Body::Choice { .. } => Kind::Choice,
            Body::Array { len, .. } => Kind::Array(*len),
            Body::Tensor(label, _) | Body::Wrapped(label, _) => Kind::Labelled(*label),
            Body::Struct(..) => return None,
        })
    }

    /// Begins a row; gives its number.
    #[inline]
    pub(crate) fn begin(&mut self) -> usize {
        self.rows += 1;
        match &mut self.body {
            // The length is known at the row's end; rows begun meanwhile come behind.
            Body::List { lengths, .. } | Body::Map { lengths, .. } => lengths.push(0),
            Body::Record(record) | Body::Struct(_, record) => record.begin_row(),
            Body::Array { .. }
            | Body::Tuple { .. }
            | Body::Choice { .. }
            | Body::Undecided
            | Body::Tensor(..)
            | Body::Wrapped(..) => {}
        }
        self.rows - 1
    }

    /// Ends a row of a list or map.
    #[inline]
    pub(crate) fn end(&mut self, row: usize, len: u64) {
        if let Body::List { lengths, .. } | Body::Map { lengths, .. } = &mut self.body {
            lengths[row] = len;
        }
    }

    /// Itself and its shapes; its fields are sites.
    pub(crate) fn extent(&self) -> usize {
        match &self.body {
            Body::Record(record) | Body::Struct(_, record) => 1 + record.shapes().len(),
            _ => 1,
        }
    }

    /// Whether a shredder that starts anew with these rows would make the same row type. A map's first keys decide that it
    /// is one, gathering depends on more than the rows, a row that comes again on which it is, and an undecided type
    /// on the mappings to come.
    pub(crate) fn is_repeatable(&self) -> bool {
        !self.gathered
            && !self.referenced
            && self.rows > 0
            && match &self.body {
                Body::List { .. }
                | Body::Array { .. }
                | Body::Tuple { .. }
                | Body::Tensor(..)
                | Body::Wrapped(..) => true,
                Body::Record(record) | Body::Struct(_, record) => record.shapes().len() == 1,
                Body::Map { .. } | Body::Undecided => false,
                Body::Choice { names, .. } => names.len() == 1,
            }
    }

    /// About how many bytes the rows take in memory, those of sites inside aside.
    pub(crate) fn size(&self) -> usize {
        match &self.body {
            Body::List { lengths: numbers, .. }
            | Body::Map { lengths: numbers, .. }
            | Body::Choice { which: numbers, .. } => 8 * numbers.len(),
            Body::Record(record) | Body::Struct(_, record) => record.size(),
            Body::Tensor(_, rows) => rows.size(),
            Body::Array { .. } | Body::Tuple { .. } | Body::Undecided | Body::Wrapped(..) => 0,
        }
    }

    /// Gives up what each row is: what is in rows is in their sites.
    pub(crate) fn give_up(&mut self) {
        match &mut self.body {
            Body::List { lengths: numbers, .. }
            | Body::Map { lengths: numbers, .. }
            | Body::Choice { which: numbers, .. } => *numbers = Vec::new(),
            Body::Record(record) | Body::Struct(_, record) => record.give_up(),
            Body::Tensor(_, rows) => rows.give_up(),
            Body::Array { .. } | Body::Tuple { .. } | Body::Undecided | Body::Wrapped(..) => {}
        }
    }

    /// Keeps so many rows.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.rows = rows;
        match &mut self.body {
            Body::List { lengths: numbers, .. }
            | Body::Map { lengths: numbers, .. }
            | Body::Choice { which: numbers, .. } => numbers.truncate(rows),
            Body::Record(record) | Body::Struct(_, record) => record.truncate(rows),
            Body::Tensor(_, own) => own.truncate(rows),
            Body::Array { .. } | Body::Tuple { .. } | Body::Undecided | Body::Wrapped(..) => {}
        }
    }

    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        match &mut self.body {
            Body::List { lengths, .. } | Body::Map { lengths, .. } => lengths.clear(),
            Body::Choice { which, .. } => which.clear(),
            Body::Record(record) | Body::Struct(_, record) => record.clear(),
            Body::Tensor(_, rows) => rows.give_up(),
            Body::Array { .. } | Body::Tuple { .. } | Body::Undecided | Body::Wrapped(..) => {}
        }
    }
}
