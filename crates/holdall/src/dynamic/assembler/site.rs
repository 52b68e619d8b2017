//! A site with its columns, and the shapes of its rows.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use foldhash::quality::RandomState;

use crate::block::{Column, References, SparseRows};
use crate::column::bits::Bits;
use crate::column::floats::Floats;
use crate::column::ints::{IntBuffer, Offsets};
use crate::column::tensors::Tensors;
use crate::column::text::TextRows;
use crate::dynamic::{Event, Sink};
use crate::error::Result;
use crate::memory::{Collect, GrowMap, GrowVec};
use crate::number::IntKind;
use crate::platform::HashMap;
use crate::schema::{
    DType, Fields, LogicalType, Scalar, Shape, ShapeSites, Type, TypeId, shape_sites,
};

/// A site with its columns, and the next row to take.
pub(super) struct SiteCursor<'a> {
    pub(super) row: usize,
    /// Strings and bytes: the offset of the next row. Sparse records: the index of the next row's first field number.
    pub(super) at: usize,
    pub(super) kind: SiteType<'a>,
}

/// A type together with the columns of its rows.
pub(super) enum SiteType<'a> {
    Empty,
    Null,
    Bool(Bits<'a>),
    Int(IntKind, IntBuffer),
    F16(Floats<'a>),
    Bf16(Floats<'a>),
    F32(Floats<'a>),
    F64(Floats<'a>),
    String(TextRows, &'a str),
    Bytes(TextRows, &'a [u8]),
    /// Byte strings of one length.
    Fixed(usize, &'a [u8]),
    Tensor(Tensors<'a>),
    /// Packed rows of a type of this width.
    Packed(TypeId, usize, &'a [u8]),
    Logical(Arc<LogicalType>, TypeId),
    Extension(Arc<str>, TypeId),
    Array(usize, TypeId),
    Unknown,
    Option(Bits<'a>, TypeId),
    List(Vec<u64>, TypeId),
    Tuple(Box<[TypeId]>),
    Record(Option<Arc<str>>, RowShapes),
    Map(Vec<u64>, TypeId, TypeId),
    Union(Option<Vec<u64>>, Box<[TypeId]>),
    NamedUnion(Option<Vec<u64>>, Box<[TypeId]>, Box<[Arc<str>]>),
    /// The index of a definition.
    Def(usize),
    Shared {
        definition: usize,
        numbers: Vec<u64>,
        offsets: Offsets,
    },
}

/// The shapes of a record's or struct's rows, as indices into the assembler's shapes.
pub(super) enum RowShapes {
    One(usize),
    Several {
        first: usize,
        numbers: Vec<u64>,
    },
    Sparse {
        counts: Vec<u64>,
        numbers: Vec<u64>,
        fields: Box<[(Arc<str>, TypeId)]>,
        known: HashMap<Box<[u64]>, usize, RandomState>,
    },
}

/// The shapes of a schema, and those of sparse rows.
pub(super) struct SiteShapes<'s> {
    pub(super) schema: &'s [ShapeSites],
    /// The index of the first shape of each type that has shapes.
    pub(super) first: &'s [usize],
    pub(super) own: Vec<ShapeSites>,
}

impl<'s> SiteShapes<'s> {
    /// Returns the only shape of a type.
    pub(super) fn of_type(&self, id: TypeId) -> &'s Shape {
        &self.schema[self.first[id]].shape
    }

    fn add(
        &mut self,
        fields: &[(Arc<str>, TypeId)],
        numbers: impl Iterator<Item = usize> + Clone,
    ) -> usize {
        let id = self.schema.len() + self.own.len();
        self.own.put(shape_sites(id, fields, numbers));
        id
    }

    #[inline]
    pub(super) fn get(&self, id: usize) -> &ShapeSites {
        match self.schema.get(id) {
            Some(shape) => shape,
            None => &self.own[id - self.schema.len()],
        }
    }
}

impl RowShapes {
    /// Returns the shape of a row.
    pub(super) fn shape(
        &mut self,
        row: usize,
        at: &mut usize,
        shapes: &mut SiteShapes<'_>,
    ) -> usize {
        match self {
            RowShapes::One(shape) => *shape,
            RowShapes::Several { first, numbers } => *first + numbers[row] as usize,
            RowShapes::Sparse { counts, numbers, fields, known } => {
                let end = *at + counts[row] as usize;
                let own = &numbers[*at..end];
                *at = end;
                if let Some(shape) = known.get(own) {
                    return *shape;
                }
                let shape = shapes.add(fields, own.iter().map(|&field| field as usize));
                known.put(own.into(), shape);
                shape
            }
        }
    }
}

pub(super) fn rows(first: usize, fields: &Fields, column: Column<'_>) -> RowShapes {
    match column {
        Column::Numbers(numbers) => RowShapes::Several { first, numbers },
        Column::Sparse(rows) => {
            let SparseRows { counts, numbers } = *rows;
            RowShapes::Sparse {
                counts,
                numbers,
                fields: fields.fields.iter().cloned().collected(),
                known: HashMap::default(),
            }
        }
        _ => RowShapes::One(first),
    }
}

pub(super) fn kind<'a>(
    types: &[Type],
    id: TypeId,
    column: Column<'a>,
    first_shape: usize,
) -> SiteType<'a> {
    match (&types[id], column) {
        (Type::Null, _) => SiteType::Null,
        (Type::Tuple(items), _) => SiteType::Tuple(items.clone()),
        (Type::Record(fields), column) => SiteType::Record(None, rows(first_shape, fields, column)),
        (Type::Struct(name, fields), column) => {
            SiteType::Record(Some(Arc::clone(name)), rows(first_shape, fields, column))
        }
        (Type::Def(number), _) => SiteType::Def(*number),
        (Type::Shared(number), Column::References(references)) => {
            let References { numbers, offsets } = *references;
            SiteType::Shared { definition: *number, numbers, offsets }
        }
        (Type::Union(union), column) => {
            let which = match column {
                Column::Numbers(which) => Some(which),
                _ => None,
            };
            match &union.names {
                None => SiteType::Union(which, union.variants.clone()),
                Some(names) => SiteType::NamedUnion(which, union.variants.clone(), names.clone()),
            }
        }
        (Type::Scalar(Scalar::Bool), Column::Bits(bits)) => SiteType::Bool(bits),
        (Type::Scalar(Scalar::Int(kind)), Column::Ints(ints)) => {
            SiteType::Int(*kind, ints.into_wide(*kind))
        }
        (_, Column::Unknown) => SiteType::Unknown,
        (Type::Scalar(Scalar::F16), Column::Floats(floats)) => SiteType::F16(floats),
        (Type::Scalar(Scalar::Bf16), Column::Floats(floats)) => SiteType::Bf16(floats),
        (Type::Scalar(Scalar::Fixed(len)), Column::Raw(bytes)) => {
            SiteType::Fixed(*len as usize, bytes)
        }
        (Type::Packed(inner), Column::Raw(bytes)) => {
            let width = DType::of(types, *inner).width().unwrap_or(0);
            SiteType::Packed(*inner, width as usize, bytes)
        }
        (Type::Tensor(_), Column::Tensors(tensors)) => SiteType::Tensor(*tensors),
        (Type::Array(len, item), _) => SiteType::Array(*len as usize, *item),
        (Type::Logical(ty, storage), _) => SiteType::Logical(Arc::clone(ty), *storage),
        (Type::Extension(name, inside), _) => SiteType::Extension(Arc::clone(name), *inside),
        (Type::Scalar(Scalar::F32), Column::Floats(floats)) => SiteType::F32(floats),
        (Type::Scalar(Scalar::F64), Column::Floats(floats)) => SiteType::F64(floats),
        (Type::Scalar(Scalar::String), Column::Strings { rows, text }) => {
            SiteType::String(rows, text)
        }
        (Type::Scalar(Scalar::Bytes), Column::Bytes { rows, bytes }) => {
            SiteType::Bytes(rows, bytes)
        }
        (Type::Option(inner), Column::Bits(bits)) => SiteType::Option(bits, *inner),
        (Type::List(item), Column::Numbers(lengths)) => SiteType::List(lengths, *item),
        (Type::Map(key, value), Column::Numbers(lengths)) => SiteType::Map(lengths, *key, *value),
        // A site without rows is never read.
        _ => SiteType::Empty,
    }
}

/// Emits a row of integers.
#[inline]
pub(super) fn int<S: Sink>(
    kind: IntKind,
    ints: &IntBuffer,
    row: usize,
    sink: &mut S,
) -> Result<()> {
    if let Some(big) = ints.big(row) {
        return sink.event(Event::BigInt(kind, big));
    }
    match kind {
        IntKind::Int => sink.event(Event::Int(ints.values[row].cast_signed())),
        _ => sink.event(Event::FixedInt(kind, ints.values[row])),
    }
}
