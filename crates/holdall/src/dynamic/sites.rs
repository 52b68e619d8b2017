//! Sites and row types as the shredder finds them (spec, chapter 11).

use std::sync::Arc;

use super::records::RecordType;
use crate::column::bits::BitBuffer;
use crate::column::ints::IntBuffer;
use crate::column::text::TextBuffer;
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
    /// The variant of the row before: most rows have the same.
    latest: usize,
    pub(crate) mapping: Mapping,
}

/// Which variants of a site take mappings.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mapping {
    pub(crate) record: Option<usize>,
    pub(crate) map: Option<usize>,
    pub(crate) undecided: Option<usize>,
}

/// One type at a site, with the rows of that type if they are scalars.
pub(crate) enum Variant {
    Bool(BitBuffer),
    Int(Scalar, IntBuffer),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Text(Scalar, TextBuffer),
    Row(RowTypeId),
    /// This many empty mappings, so far without a type (F-49).
    Undecided(usize),
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

    fn is(&self, scalar: Scalar) -> bool {
        match self {
            Variant::Bool(_) => scalar == Scalar::Bool,
            Variant::Int(own, _) | Variant::Text(own, _) => scalar == *own,
            Variant::F32(_) => scalar == Scalar::F32,
            Variant::F64(_) => scalar == Scalar::F64,
            Variant::Row(_) | Variant::Undecided(_) => false,
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
            latest: 0,
            mapping: Mapping::default(),
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
            self.latest = match self.variants.iter().position(|variant| variant.is(scalar)) {
                Some(variant) => variant,
                None => self.add_variant(Variant::of(scalar)),
            };
        }
        self.add_rows(self.latest as u32 + 1, rows);
        &mut self.variants[self.latest]
    }

    /// A row of a row type's variant.
    #[inline]
    pub(crate) fn row(&mut self, variant: usize) {
        self.add_rows(variant as u32 + 1, 1);
    }

    /// A new variant, at the end of the list (F-47).
    pub(crate) fn add_variant(&mut self, variant: Variant) -> usize {
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
            && self.mapping.undecided.is_none()
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
                Variant::Row(_) => {}
                Variant::Undecided(rows) => *rows = 0,
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
    Choice,
}

/// A type whose rows are begun and filled.
pub(crate) struct RowType {
    /// The site where it was first made.
    pub(crate) home: SiteId,
    /// One for the whole message, shared by all deep sites (F-51).
    pub(crate) gathered: bool,
    /// How many sites have it as a variant; more than one make it a definition (F-54).
    pub(crate) users: usize,
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
    /// A named union.
    Choice {
        which: Vec<u64>,
        names: Vec<Arc<str>>,
        payloads: Vec<SiteId>,
    },
}

impl RowType {
    pub(crate) fn is(&self, kind: Kind) -> bool {
        match (&self.body, kind) {
            (Body::List { .. }, Kind::List)
            | (Body::Record(_), Kind::Record)
            | (Body::Map { .. }, Kind::Map)
            | (Body::Choice { .. }, Kind::Choice) => true,
            (Body::Tuple { len, .. }, Kind::Tuple(items)) => *len == items,
            _ => false,
        }
    }

    /// Begins a row; gives its number.
    #[inline]
    pub(crate) fn begin(&mut self) -> usize {
        self.rows += 1;
        match &mut self.body {
            // The length is known at the row's end; rows begun meanwhile come behind.
            Body::List { lengths, .. } | Body::Map { lengths, .. } => lengths.push(0),
            Body::Record(record) | Body::Struct(_, record) => record.begin_row(),
            Body::Tuple { .. } | Body::Choice { .. } => {}
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
    /// is one, and gathering depends on more than the rows.
    pub(crate) fn is_repeatable(&self) -> bool {
        !self.gathered
            && self.rows > 0
            && match &self.body {
                Body::List { .. } | Body::Tuple { .. } => true,
                Body::Record(record) | Body::Struct(_, record) => record.shapes().len() == 1,
                Body::Map { .. } => false,
                Body::Choice { names, .. } => names.len() == 1,
            }
    }

    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        match &mut self.body {
            Body::List { lengths, .. } | Body::Map { lengths, .. } => lengths.clear(),
            Body::Choice { which, .. } => which.clear(),
            Body::Record(record) | Body::Struct(_, record) => record.clear(),
            Body::Tuple { .. } => {}
        }
    }
}
