//! Sites and row types as the shredder finds them (spec, chapter 11).

use std::collections::HashMap;
use std::sync::Arc;

use super::records::RecordType;
use crate::column::bits::BitBuffer;
use crate::column::ints::IntBuffer;
use crate::column::text::TextBuffer;
use crate::names::Names;
use crate::schema::Scalar;

pub(crate) type SiteId = usize;
pub(crate) type RowTypeId = usize;

/// A place in the schema, and the columns of its rows so far.
pub(crate) struct Site {
    /// The row type that the site is in; the root has none.
    pub(crate) owner: Option<RowTypeId>,
    pub(crate) depth: u8,
    pub(crate) nullable: bool,
    rows: usize,
    /// For each row 0 (null) or 1 + its variant, as soon as there is a choice.
    tags: Option<Vec<u32>>,
    pub(crate) variants: Vec<Variant>,
    /// The first variant of each class, so that none has to be searched: a site can have very many of structs.
    firsts: Vec<(Class, usize)>,
    /// The variant of each row type, as soon as there are many.
    of_row_type: Option<HashMap<RowTypeId, usize>>,
    /// The variant of the row before: most rows have the same.
    latest: usize,
}

/// Up to this many variants, looking at each is faster than hashing.
const FEW: usize = 12;

/// By what a value finds its variant (F-47); structs find theirs by the row type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Scalar(Scalar),
    Row(Kind),
}

/// One type at a site, with the rows of that type if they are scalars.
pub(crate) enum Variant {
    Bool(BitBuffer),
    Int(Scalar, IntBuffer),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Text(Scalar, TextBuffer),
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
            Scalar::F32 => Variant::F32(Vec::new()),
            Scalar::F64 => Variant::F64(Vec::new()),
            Scalar::String | Scalar::Bytes => Variant::Text(scalar, TextBuffer::default()),
        }
    }

    #[inline]
    fn is(&self, scalar: Scalar) -> bool {
        match self {
            Variant::Bool(_) => scalar == Scalar::Bool,
            Variant::Int(own, _) | Variant::Text(own, _) => scalar == *own,
            Variant::F32(_) => scalar == Scalar::F32,
            Variant::F64(_) => scalar == Scalar::F64,
            Variant::Row(_) => false,
        }
    }
}

impl Site {
    pub(crate) fn new(owner: Option<RowTypeId>, depth: u8) -> Site {
        Site {
            owner,
            depth,
            nullable: false,
            rows: 0,
            tags: None,
            variants: Vec::new(),
            firsts: Vec::new(),
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
        if !self.variants.get(self.latest).is_some_and(|variant| variant.is(scalar)) {
            self.latest = match self.first(Class::Scalar(scalar)) {
                Some(variant) => variant,
                None => self.add_variant(Variant::of(scalar), Some(Class::Scalar(scalar))),
            };
        }
        self.add_rows(self.latest as u32 + 1, rows);
        &mut self.variants[self.latest]
    }

    /// A new row of a row type's variant.
    #[inline]
    pub(crate) fn row(&mut self, variant: usize) {
        self.add_rows(variant as u32 + 1, 1);
        if let Variant::Row(uses) = &mut self.variants[variant] {
            uses.len += 1;
        }
    }

    /// A row of a row type's variant that came before.
    pub(crate) fn row_again(&mut self, variant: usize, row: usize) {
        self.add_rows(variant as u32 + 1, 1);
        if let Variant::Row(uses) = &mut self.variants[variant] {
            uses.again.push((uses.len, row as u64 + 1));
            uses.len += 1;
            uses.shared = true;
        }
    }

    fn first(&self, class: Class) -> Option<usize> {
        self.firsts.iter().find(|(own, _)| *own == class).map(|(_, variant)| *variant)
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
        let undecided = (Class::Row(Kind::Undecided), variant);
        if let Some(at) = self.firsts.iter().position(|own| *own == undecided) {
            match next {
                Some(next) => self.firsts[at].1 = next,
                None => drop(self.firsts.swap_remove(at)),
            }
        }
        match self.firsts.iter_mut().find(|(own, _)| *own == Class::Row(kind)) {
            Some((_, first)) => *first = variant.min(*first),
            None => self.firsts.push((Class::Row(kind), variant)),
        }
    }

    /// A new variant, at the end of the list (F-47).
    fn add_variant(&mut self, variant: Variant, class: Option<Class>) -> usize {
        if let Some(class) = class
            && self.first(class).is_none()
        {
            self.firsts.push((class, self.variants.len()));
        }
        if self.tags.is_none() && (self.nullable || self.variants.len() == 1) {
            self.tags = Some(vec![u32::from(!self.nullable); self.rows]);
        }
        self.variants.push(variant);
        self.variants.len() - 1
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
    pub(crate) fn which(&self) -> Vec<u64> {
        self.tags.iter().flatten().filter(|tag| **tag != 0).map(|&tag| u64::from(tag) - 1).collect()
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
                Variant::F32(floats) => floats.clear(),
                Variant::F64(floats) => floats.clear(),
                Variant::Text(_, text) => text.clear(),
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
    Tuple(usize),
    Record,
    Map,
    Undecided,
    Choice,
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
}

impl RowType {
    /// Structs have none: they are told apart by their names.
    pub(crate) fn kind(&self) -> Option<Kind> {
        Some(match &self.body {
            Body::List { .. } => Kind::List,
            Body::Tuple { len, .. } => Kind::Tuple(*len),
            Body::Record(_) => Kind::Record,
            Body::Map { .. } => Kind::Map,
            Body::Undecided => Kind::Undecided,
            Body::Choice { .. } => Kind::Choice,
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
            Body::Tuple { .. } | Body::Choice { .. } | Body::Undecided => {}
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
                Body::List { .. } | Body::Tuple { .. } => true,
                Body::Record(record) | Body::Struct(_, record) => record.shapes().len() == 1,
                Body::Map { .. } | Body::Undecided => false,
                Body::Choice { names, .. } => names.len() == 1,
            }
    }

    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        match &mut self.body {
            Body::List { lengths, .. } | Body::Map { lengths, .. } => lengths.clear(),
            Body::Choice { which, .. } => which.clear(),
            Body::Record(record) | Body::Struct(_, record) => record.clear(),
            Body::Tuple { .. } | Body::Undecided => {}
        }
    }
}
