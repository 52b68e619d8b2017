//! The values at one place, from its columns and those above it.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::block::{BlockPlaces, BlockSource, SitePlace};
use super::column::{Column, Spans, Strings, Tensors, TextBytes, Values, WideInts};
use crate::block::Column as Decoded;
use crate::block::{LONGEST_PATH, site_path};
use crate::column::floats::Floats;
use crate::column::ints::IntRows;
use crate::error::{Code, Error, Result};
use crate::kernel::IS_FORMAT_ORDER;
use crate::kernel::borrow::{part_of, text_of};
use crate::kernel::raw::{self, Number};
use crate::memory::{self, Collect, GrowVec};
use crate::number::IntKind;
use crate::schema::{DType, Form, Scalar, Type, TypeId, parents};

/// Returns the site inside options, logical types and extensions.
pub(super) fn plain(types: &[Type], mut id: TypeId) -> TypeId {
    loop {
        match &types[id] {
            Type::Option(inner) | Type::Logical(_, inner) | Type::Extension(_, inner) => {
                id = *inner;
            }
            _ => return id,
        }
    }
}

/// Returns the column of a site: its values, and which entries have one.
pub(super) fn column<'s>(
    source: BlockSource<'s>,
    block: &BlockPlaces,
    id: TypeId,
) -> Result<Column<'s>> {
    let id = plain(source.schema.types(), id);
    let (len, present) = presence(source, block, id)?;
    let values = values(source, block, id)?;
    Ok(Column { len, present, values })
}

/// Returns the number of entries in a site's column, and which of them have a value.
pub(super) fn presence(
    source: BlockSource<'_>,
    block: &BlockPlaces,
    id: TypeId,
) -> Result<(usize, Option<Vec<bool>>)> {
    let types = source.schema.types();
    let parents = parents(source.schema);
    let mut path = vec![id];
    let mut at = id;
    while let Some(parent) = parents[at].filter(|parent| !multiplies(&types[*parent])) {
        path.put(parent);
        at = parent;
    }
    let len = row_count(block.charged_site(source, at)?.rows)?;
    let mut present: Option<Vec<bool>> = None;
    for pair in path.windows(2).rev() {
        let (inner, outer) = (pair[0], pair[1]);
        if let Some(rows) = present_rows(source, block, outer, inner)? {
            present = Some(match present {
                None => rows,
                Some(above) => within(above, &rows),
            });
        }
    }
    Ok((len, present))
}

/// Whether a value of the type contains a variable number of values.
pub(super) fn multiplies(ty: &Type) -> bool {
    matches!(ty, Type::List(_) | Type::Array(..) | Type::Map(..))
}

/// Returns which rows of a site have a row of another one inside; none if all have.
fn present_rows(
    source: BlockSource<'_>,
    block: &BlockPlaces,
    outer: TypeId,
    inner: TypeId,
) -> Result<Option<Vec<bool>>> {
    let fields = match &source.schema.types()[outer] {
        Type::Option(_) => None,
        Type::Union(union) if union.variants.len() > 1 => {
            let variant = union.variants.iter().position(|id| *id == inner).unwrap_or(0) as u64;
            return block.read(source, outer, |column| {
                let Decoded::Numbers(which) = column else { return Ok(Some(Vec::new())) };
                Ok(Some(memory::collected(which.iter().map(|which| *which == variant))))
            });
        }
        Type::Record(fields) | Type::Struct(_, fields) if fields.form != Form::One => Some(fields),
        _ => return Ok(None),
    };
    let field = fields.and_then(|of| of.fields.iter().position(|(_, id)| *id == inner));
    let field = field.unwrap_or(0);
    block.read(source, outer, |column| {
        Ok(Some(match (column, fields) {
            (Decoded::Bits(bits), _) => memory::collected(bits.decode_rows(0..bits.len())),
            (column, Some(of)) => column.rows_with_field(&of.form, field),
            // There are no rows.
            _ => Vec::new(),
        }))
    })
}

/// Keeps those present rows that are also present further inside.
fn within(mut above: Vec<bool>, rows: &[bool]) -> Vec<bool> {
    let mut rows = rows.iter();
    for present in above.iter_mut().filter(|present| **present) {
        *present = rows.next().is_some_and(|inside| *inside);
    }
    above
}

/// Returns the values of a site's own columns.
fn values<'s>(source: BlockSource<'s>, block: &BlockPlaces, id: TypeId) -> Result<Values<'s>> {
    let ty = &source.schema.types()[id];
    let place = block.charged_site(source, id)?;
    if let Some(values) = raw_values(source, block, id, &place)? {
        return Ok(values);
    }
    let rows = row_count(place.rows)?;
    match ty {
        Type::Null => return Ok(Values::Null(rows)),
        Type::Array(len, _) => {
            block.charge_inside(source, id, place.rows.saturating_mul(*len))?;
            return Ok(Values::Arrays { rows, len: *len });
        }
        Type::Never if rows == 0 => return Ok(Values::Null(0)),
        Type::Record(_) | Type::Struct(..) | Type::Tuple(_) | Type::Def(_) | Type::Shared(_) => {
            return Err(Error::new(Code::Unsupported)
                .expected("a path with one column of values")
                .got(source.schema.outline(id))
                .with_path(|| {
                    site_path(source.schema, &parents(source.schema), id, LONGEST_PATH)
                }));
        }
        _ => {}
    }
    let message = source.reading.in_memory();
    let values = block.read(source, id, |column| Ok(decoded(source, ty, column, rows, message)))?;
    if let Values::Lists { offsets } = &values {
        block.charge_inside(source, id, offsets.last().copied().unwrap_or(0))?;
    }
    Ok(values)
}

fn row_count(rows: u64) -> Result<usize> {
    usize::try_from(rows).map_err(|_| Error::new(Code::LimitBudget))
}

/// Returns rows that are stored in their memory layout: borrowed, or read into memory.
fn raw_values<'s>(
    source: BlockSource<'s>,
    block: &BlockPlaces,
    id: TypeId,
    place: &SitePlace,
) -> Result<Option<Values<'s>>> {
    let Type::Scalar(scalar) = &source.schema.types()[id] else { return Ok(None) };
    let is_raw = match scalar {
        Scalar::Int(kind) => !matches!(kind, IntKind::U128 | IntKind::I128),
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => true,
        _ => false,
    };
    if !is_raw {
        return Ok(None);
    }
    let Some(range) = block.raw(source, id, place)? else { return Ok(None) };
    // The decoder checks the padding before the rows, and what follows them.
    if range.end != place.bytes.end {
        return Ok(None);
    }
    macro_rules! rows {
        ($variant:ident) => {
            Values::$variant(numbers(source, range)?)
        };
    }
    Ok(Some(match scalar {
        Scalar::Int(IntKind::U8) => rows!(U8),
        Scalar::Int(IntKind::I8) => rows!(I8),
        Scalar::Int(IntKind::U16) => rows!(U16),
        Scalar::Int(IntKind::U32) => rows!(U32),
        Scalar::Int(IntKind::U64) => rows!(U64),
        Scalar::Int(IntKind::I64) => rows!(I64),
        Scalar::Int(IntKind::Int) => rows!(Int),
        Scalar::F16 => rows!(F16),
        Scalar::Bf16 => rows!(Bf16),
        Scalar::F32 => rows!(F32),
        Scalar::F64 => rows!(F64),
        _ => return Ok(None),
    }))
}

fn numbers<'s, T: Number<N>, const N: usize>(
    source: BlockSource<'s>,
    range: core::ops::Range<u64>,
) -> Result<Cow<'s, [T]>> {
    let rows = row_count((range.end - range.start) / N as u64)?;
    if source.reading.in_memory().is_some() {
        return Ok(match source.reading.bytes(range)? {
            Cow::Borrowed(bytes) => borrowed(bytes),
            Cow::Owned(bytes) => Cow::Owned(of_bytes(&bytes)),
        });
    }
    let mut numbers = memory::zeros::<T>(rows);
    source.reading.read(bytemuck::cast_slice_mut(&mut numbers), range.start)?;
    if !IS_FORMAT_ORDER {
        numbers = of_bytes(bytemuck::cast_slice(&numbers));
    }
    Ok(Cow::Owned(numbers))
}

/// Casts bytes to numbers, if they are aligned and the machine is little-endian.
fn borrowed<T: Number<N>, const N: usize>(bytes: &[u8]) -> Cow<'_, [T]> {
    match bytemuck::try_cast_slice(bytes) {
        Ok(numbers) if IS_FORMAT_ORDER => Cow::Borrowed(numbers),
        _ => Cow::Owned(of_bytes(bytes)),
    }
}

fn of_bytes<T: Number<N>, const N: usize>(bytes: &[u8]) -> Vec<T> {
    let mut numbers = memory::zeros::<T>(bytes.len() / N);
    raw::read(&mut numbers, bytes);
    numbers
}

/// Decoded bytes: a part of the message, or a copy.
fn kept<'s>(message: Option<&'s [u8]>, bytes: &[u8]) -> Cow<'s, [u8]> {
    match message.and_then(|message| part_of(message, bytes)) {
        Some(part) => Cow::Borrowed(part),
        None => Cow::Owned(memory::copied(bytes)),
    }
}

/// Returns the decoded column; without rows there is none.
fn decoded<'s>(
    source: BlockSource<'_>,
    ty: &Type,
    column: Decoded<'_>,
    rows: usize,
    message: Option<&'s [u8]>,
) -> Values<'s> {
    let none = || Cow::Borrowed(&[][..]);
    match (ty, column) {
        (Type::Scalar(Scalar::Bool), Decoded::Bits(bits)) => {
            Values::Bools(memory::collected(bits.decode_rows(0..bits.len())))
        }
        (Type::Scalar(Scalar::Bool), Decoded::None) => Values::Bools(Vec::new()),
        (Type::Scalar(Scalar::Int(kind)), Decoded::Ints(ints)) => of_ints(*kind, ints),
        (Type::Scalar(Scalar::Int(kind)), Decoded::None) => {
            of_ints(*kind, IntRows::Wide(Box::default()))
        }
        (Type::Scalar(Scalar::F16), Decoded::Floats(of)) => Values::F16(floats(&of)),
        (Type::Scalar(Scalar::Bf16), Decoded::Floats(of)) => Values::Bf16(floats(&of)),
        (Type::Scalar(Scalar::F32), Decoded::Floats(of)) => Values::F32(floats(&of)),
        (Type::Scalar(Scalar::F64), Decoded::Floats(of)) => Values::F64(floats(&of)),
        (Type::Scalar(Scalar::F16), Decoded::None) => Values::F16(Cow::Borrowed(&[])),
        (Type::Scalar(Scalar::Bf16), Decoded::None) => Values::Bf16(Cow::Borrowed(&[])),
        (Type::Scalar(Scalar::F32), Decoded::None) => Values::F32(Cow::Borrowed(&[])),
        (Type::Scalar(Scalar::F64), Decoded::None) => Values::F64(Cow::Borrowed(&[])),
        (_, Decoded::Strings { rows, text }) => {
            let text = match message.and_then(|message| text_of(message, text)) {
                Some(part) => Cow::Borrowed(part),
                None => Cow::Owned(memory::text(text)),
            };
            Values::Strings(Strings { spans: Spans::of(rows), text })
        }
        (Type::Scalar(Scalar::String), Decoded::None) => {
            Values::Strings(Strings { spans: Spans::Plain(Vec::new()), text: Cow::Borrowed("") })
        }
        (_, Decoded::Bytes { rows, bytes }) => {
            let bytes = kept(message, bytes);
            Values::Bytes(TextBytes { spans: Spans::of(rows), bytes })
        }
        (Type::Scalar(Scalar::Bytes), Decoded::None) => {
            Values::Bytes(TextBytes { spans: Spans::Plain(Vec::new()), bytes: none() })
        }
        (Type::Scalar(Scalar::Fixed(width)), column) => {
            let bytes = match column {
                Decoded::Raw(bytes) => kept(message, bytes),
                _ => none(),
            };
            Values::Fixed { rows, width: *width as usize, bytes }
        }
        (Type::Packed(inner), column) => {
            let bytes = match column {
                Decoded::Raw(bytes) => kept(message, bytes),
                _ => none(),
            };
            Values::Packed { dtype: DType::of(source.schema.types(), *inner), bytes }
        }
        (_, Decoded::Tensors(tensors)) => Values::Tensors(of_tensors(&tensors, message)),
        (Type::Tensor(inner), _) => {
            let dtype = Arc::new(DType::of(source.schema.types(), *inner));
            Values::Tensors(Tensors { dtype, rows: Vec::new() })
        }
        (Type::List(_) | Type::Map(..), column) => Values::Lists { offsets: offsets(&column) },
        (Type::Union(_), Decoded::Numbers(which)) => Values::Variants(which),
        // They belong to one variant; its rows were charged.
        (Type::Union(_), _) => Values::Variants(memory::zeros(rows)),
        // A later version wrote the column.
        _ => Values::Unknown(rows),
    }
}

fn of_ints(kind: IntKind, ints: IntRows<'_>) -> Values<'static> {
    match (kind, ints) {
        (IntKind::U8, IntRows::W8(rows)) => Values::U8(Cow::Owned(memory::owned(rows))),
        (IntKind::I8, IntRows::W8(rows)) => {
            Values::I8(Cow::Owned(memory::collected(rows.iter().map(|bits| bits.cast_signed()))))
        }
        (IntKind::U16, IntRows::W16(rows)) => Values::U16(Cow::Owned(rows)),
        (IntKind::I16, IntRows::W16(rows)) => {
            Values::I16(Cow::Owned(memory::collected(rows.into_iter().map(u16::cast_signed))))
        }
        (IntKind::U32, IntRows::W32(rows)) => Values::U32(Cow::Owned(rows)),
        (IntKind::I32, IntRows::W32(rows)) => {
            Values::I32(Cow::Owned(memory::collected(rows.into_iter().map(u32::cast_signed))))
        }
        (IntKind::U64, IntRows::W64(rows)) => Values::U64(Cow::Owned(rows)),
        (IntKind::I64, IntRows::W64(rows)) => {
            Values::I64(Cow::Owned(memory::collected(rows.into_iter().map(u64::cast_signed))))
        }
        (IntKind::Int, IntRows::Wide(ints)) if !ints.has_bigs() => Values::Int(Cow::Owned(
            memory::collected(ints.values.into_iter().map(u64::cast_signed)),
        )),
        (kind, ints) if kind.is_wide() => {
            Values::Wide(WideInts { kind, ints: ints.into_wide(kind) })
        }
        // There are no rows.
        (IntKind::U8, _) => Values::U8(Cow::Borrowed(&[])),
        (IntKind::I8, _) => Values::I8(Cow::Borrowed(&[])),
        (IntKind::U16, _) => Values::U16(Cow::Borrowed(&[])),
        (IntKind::I16, _) => Values::I16(Cow::Borrowed(&[])),
        (IntKind::U32, _) => Values::U32(Cow::Borrowed(&[])),
        (IntKind::I32, _) => Values::I32(Cow::Borrowed(&[])),
        (IntKind::U64, _) => Values::U64(Cow::Borrowed(&[])),
        _ => Values::I64(Cow::Borrowed(&[])),
    }
}

fn floats<T: Number<N>, const N: usize>(floats: &Floats<'_>) -> Cow<'static, [T]> {
    Cow::Owned(match floats.each() {
        Some(bytes) => of_bytes(bytes),
        None => memory::filled(T::of_bytes(floats.bytes(0)), floats.len()),
    })
}

fn of_tensors<'s>(
    tensors: &crate::column::tensors::Tensors<'_>,
    message: Option<&'s [u8]>,
) -> Tensors<'s> {
    let mut dimensions = &tensors.dimensions[..];
    let rows = tensors.ranks.iter().zip(&tensors.elements).enumerate();
    let rows = rows.map(|(row, (rank, elements))| {
        let (shape, after) = dimensions.split_at(*rank as usize);
        dimensions = after;
        (shape.to_vec(), tensors.orders.decode_row(row), kept(message, elements))
    });
    Tensors { dtype: Arc::clone(&tensors.dtype), rows: rows.collected() }
}

/// Where the items of each list begin. A sum beyond 64 bits is more than any budget allows.
fn offsets(column: &Decoded<'_>) -> Vec<u64> {
    let mut end = 0_u64;
    let lengths = match column {
        Decoded::Numbers(lengths) => &lengths[..],
        _ => &[],
    };
    core::iter::once(0)
        .chain(lengths.iter().map(|len| {
            end = end.saturating_add(*len);
            end
        }))
        .collected()
}
