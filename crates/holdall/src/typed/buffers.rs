//! The rows of all sites as they are gathered, and from them a block.

use std::collections::HashMap;

use half::{bf16, f16};

use super::plan::{Plan, Site};
use crate::block::filler::is_enough;
use crate::column::bits::BitBuffer;
use crate::column::frame::Choice;
use crate::column::ints::IntBuffer;
use crate::column::raw::{self, Of};
use crate::column::text::TextBuffer;
use crate::column::{Settings, bits, floats, ints, text};
use crate::dynamic::{TensorRows, write_tensors};
use crate::error::{Code, Error, Result};
use crate::kernel::Word;
use crate::number::{IntKind, varint_len, write_varint};
use crate::schema::{DType, Scalar, Schema, Type};

/// The rows of one site.
#[derive(Debug)]
pub(crate) enum Column {
    None,
    Bits(BitBuffer),
    /// Numbers of u8 or i8; written as they are, if that was asked for.
    Ints8 {
        kind: IntKind,
        rows: Vec<u8>,
        as_is: bool,
    },
    Ints16(IntKind, Vec<u16>),
    Ints32(IntKind, Vec<u32>),
    Ints64(IntKind, Vec<u64>),
    /// Of kinds that have numbers beyond 64 bits.
    Wide(IntKind, IntBuffer),
    F16(Vec<f16>),
    Bf16(Vec<bf16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Text(TextBuffer),
    Fixed(Of, Vec<u8>),
    /// Packed rows.
    Packed(Of, Vec<u8>),
    /// Lengths, variants, references.
    Numbers(Vec<u64>),
    Tensors(TensorRows),
}

impl Column {
    fn of(types: &[Type], ty: &Type) -> Column {
        match ty {
            Type::Scalar(scalar) => match scalar {
                Scalar::Bool => Column::Bits(BitBuffer::default()),
                Scalar::Int(kind) => match kind.width() {
                    Some(1) => Column::Ints8 { kind: *kind, rows: Vec::new(), as_is: false },
                    Some(2) => Column::Ints16(*kind, Vec::new()),
                    Some(4) => Column::Ints32(*kind, Vec::new()),
                    Some(8) => Column::Ints64(*kind, Vec::new()),
                    _ => Column::Wide(*kind, IntBuffer::default()),
                },
                Scalar::F16 => Column::F16(Vec::new()),
                Scalar::Bf16 => Column::Bf16(Vec::new()),
                Scalar::F32 => Column::F32(Vec::new()),
                Scalar::F64 => Column::F64(Vec::new()),
                Scalar::String | Scalar::Bytes => Column::Text(TextBuffer::default()),
                Scalar::Fixed(len) => Column::Fixed(Of::fixed(*len), Vec::new()),
            },
            Type::Option(_) => Column::Bits(BitBuffer::default()),
            Type::Packed(inner) => {
                let width = DType::of(types, *inner).width().unwrap_or(0);
                Column::Packed(Of::packed(width), Vec::new())
            }
            Type::List(_) | Type::Map(..) | Type::Shared(_) => Column::Numbers(Vec::new()),
            Type::Union(union) if union.variants.len() > 1 => Column::Numbers(Vec::new()),
            Type::Tensor(inner) => Column::Tensors(TensorRows::of(&DType::of(types, *inner))),
            _ => Column::None,
        }
    }

    fn clear(&mut self) {
        match self {
            Column::None => {}
            Column::Bits(column) => column.clear(),
            Column::Ints8 { rows, as_is, .. } => {
                rows.clear();
                *as_is = false;
            }
            Column::Ints16(_, column) => column.clear(),
            Column::Ints32(_, column) => column.clear(),
            Column::Ints64(_, column) => column.clear(),
            Column::Wide(_, column) => column.clear(),
            Column::F16(column) => column.clear(),
            Column::Bf16(column) => column.clear(),
            Column::F32(column) => column.clear(),
            Column::F64(column) => column.clear(),
            Column::Text(column) => column.clear(),
            Column::Fixed(_, column) | Column::Packed(_, column) => column.clear(),
            Column::Numbers(column) => column.clear(),
            Column::Tensors(rows) => rows.clear(),
        }
    }

    /// About how many bytes the rows take in memory.
    fn size(&self) -> usize {
        match self {
            Column::None => 0,
            Column::Bits(column) => column.len() / 8,
            Column::Ints8 { rows, .. } => rows.len(),
            Column::Ints16(_, column) => 2 * column.len(),
            Column::Ints32(_, column) => 4 * column.len(),
            Column::Ints64(_, column) | Column::Numbers(column) => 8 * column.len(),
            Column::Wide(_, column) => column.size(),
            Column::F16(column) => 2 * column.len(),
            Column::Bf16(column) => 2 * column.len(),
            Column::F32(column) => 4 * column.len(),
            Column::F64(column) => 8 * column.len(),
            Column::Text(column) => column.size(),
            Column::Fixed(_, column) | Column::Packed(_, column) => column.len(),
            Column::Tensors(rows) => rows.size(),
        }
    }

    /// No fewer than there are rows, rows right inside (of lists and maps), and bytes of text.
    fn most_rows(&self) -> u64 {
        let rows = match self {
            Column::None => 0,
            Column::Bits(column) => column.len(),
            Column::Ints8 { rows, .. } => rows.len(),
            Column::Ints16(_, column) => column.len(),
            Column::Ints32(_, column) => column.len(),
            Column::Ints64(_, column) => column.len(),
            Column::Wide(_, column) => column.size(),
            Column::F16(column) => column.len(),
            Column::Bf16(column) => column.len(),
            Column::F32(column) => column.len(),
            Column::F64(column) => column.len(),
            Column::Text(column) => column.size(),
            Column::Fixed(_, rows) | Column::Packed(_, rows) => rows.len(),
            Column::Numbers(numbers) => {
                let inside = numbers.iter().fold(0, |sum: u64, number| sum.saturating_add(*number));
                return inside.saturating_add(numbers.len() as u64);
            }
            Column::Tensors(rows) => rows.size(),
        };
        rows as u64
    }

    /// Keeps so many rows; of fixed and packed ones, each has a width.
    fn truncate(&mut self, rows: usize, width: usize) {
        match self {
            Column::None => {}
            Column::Bits(column) => column.truncate(rows),
            Column::Ints8 { rows: column, .. } => column.truncate(rows),
            Column::Ints16(_, column) => column.truncate(rows),
            Column::Ints32(_, column) => column.truncate(rows),
            Column::Ints64(_, column) | Column::Numbers(column) => column.truncate(rows),
            Column::Wide(_, column) => column.truncate(rows),
            Column::F16(column) => column.truncate(rows),
            Column::Bf16(column) => column.truncate(rows),
            Column::F32(column) => column.truncate(rows),
            Column::F64(column) => column.truncate(rows),
            Column::Text(column) => column.truncate(rows),
            Column::Tensors(column) => column.truncate(rows),
            Column::Fixed(_, column) | Column::Packed(_, column) => column.truncate(rows * width),
        }
    }

    /// Makes room for rows, where they have a width.
    fn reserve(&mut self, rows: usize) {
        match self {
            Column::Ints8 { rows: column, .. } => column.reserve(rows),
            Column::Ints16(_, column) => column.reserve(rows),
            Column::Ints32(_, column) => column.reserve(rows),
            Column::Ints64(_, column) | Column::Numbers(column) => column.reserve(rows),
            Column::Wide(_, column) => column.values.reserve(rows),
            Column::F16(column) => column.reserve(rows),
            Column::Bf16(column) => column.reserve(rows),
            Column::F32(column) => column.reserve(rows),
            Column::F64(column) => column.reserve(rows),
            Column::Text(column) => column.reserve(rows),
            Column::None
            | Column::Bits(_)
            | Column::Fixed(..)
            | Column::Packed(..)
            | Column::Tensors(_) => {}
        }
    }

    /// How many bytes it takes in profile fast, not aligned, if that is known before it is written; and the frame of its
    /// numbers.
    fn prepare(&self) -> Option<(usize, Option<Choice>)> {
        let len = match self {
            Column::None => 0,
            Column::Bits(column) => bits::len_of(column),
            Column::Ints8 { rows, as_is: true, .. } => ints::len_of_bytes(rows),
            Column::Ints8 { kind, rows, .. } => return Some(ints::prepare_words(*kind, rows)),
            Column::Ints16(kind, column) => return Some(ints::prepare_words(*kind, column)),
            Column::Ints32(kind, column) => return Some(ints::prepare_words(*kind, column)),
            Column::Ints64(kind, column) => return Some(ints::prepare_words(*kind, column)),
            Column::Wide(kind, column) => return ints::prepare(*kind, column),
            Column::F16(column) => floats::len_of(column),
            Column::Bf16(column) => floats::len_of(column),
            Column::F32(column) => floats::len_of(column),
            Column::F64(column) => floats::len_of(column),
            Column::Text(column) => return Some(text::prepare(column)),
            Column::Fixed(_, column) | Column::Packed(_, column) => raw::len_of(column),
            Column::Numbers(column) => return Some(ints::prepare_words(IntKind::U64, column)),
            Column::Tensors(rows) if rows.rows().next().is_none() => 0,
            Column::Tensors(_) => return None,
        };
        Some((len, None))
    }

    /// Appends the column in profile fast, with the frame that was found for it.
    fn write_prepared(&self, out: &mut Vec<u8>, settings: Settings, frame: Option<Choice>) {
        match (self, frame) {
            (Column::Ints8 { rows, .. }, Some(frame)) => frame.write(out, rows),
            (Column::Ints16(_, column), Some(frame)) => frame.write(out, column),
            (Column::Ints32(_, column), Some(frame)) => frame.write(out, column),
            (Column::Ints64(_, column), Some(frame)) => frame.write(out, column),
            (Column::Wide(_, column), Some(frame)) => frame.write(out, &column.values),
            (Column::Numbers(column), Some(frame)) => frame.write(out, column),
            (Column::Text(column), Some(frame)) => text::write_plain(out, column, &frame),
            _ => self.write(out, settings),
        }
    }

    fn write(&self, out: &mut Vec<u8>, settings: Settings) {
        match self {
            Column::None => {}
            Column::Bits(column) => bits::write(out, column, settings),
            Column::Ints8 { rows, as_is: true, .. } => ints::write_bytes(out, rows, settings),
            Column::Ints8 { kind, rows, .. } => ints::write_words(out, *kind, rows, settings),
            Column::Ints16(kind, column) => ints::write_words(out, *kind, column, settings),
            Column::Ints32(kind, column) => ints::write_words(out, *kind, column, settings),
            Column::Ints64(kind, column) => ints::write_words(out, *kind, column, settings),
            Column::Wide(kind, column) => ints::write(out, *kind, column, settings),
            Column::F16(column) => floats::write(out, column, settings),
            Column::Bf16(column) => floats::write(out, column, settings),
            Column::F32(column) => floats::write(out, column, settings),
            Column::F64(column) => floats::write(out, column, settings),
            Column::Text(column) => text::write(out, column, settings),
            Column::Fixed(of, column) | Column::Packed(of, column) => {
                raw::write(out, *of, column, settings);
            }
            Column::Numbers(column) => ints::write_u64(out, column, settings),
            Column::Tensors(rows) => write_tensors(out, rows, settings, None),
        }
    }
}

/// The buffers of a plan's columns, kept from one message to the next.
pub(crate) struct Buffers {
    columns: Vec<Column>,
    /// Of each definition.
    rows: Vec<u64>,
    /// Rows of definitions that may come again, by where they are in memory.
    pub(super) seen: HashMap<(usize, usize), u64>,
    /// Of each column, the frame of its numbers, if its length was asked for.
    frames: Vec<Option<Choice>>,
    units_per_row: u64,
}

impl Buffers {
    pub(crate) fn new(plan: &Plan) -> Buffers {
        Buffers {
            columns: (plan.schema.types().iter().zip(&plan.with_columns))
                .map(
                    |(ty, has_column)| {
                        if *has_column { Column::of(plan.schema.types(), ty) } else { Column::None }
                    },
                )
                .collect(),
            rows: vec![0; plan.schema.definitions().len()],
            seen: HashMap::new(),
            frames: Vec::new(),
            units_per_row: plan.units_per_row,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.columns.iter_mut().for_each(Column::clear);
        self.rows.fill(0);
        self.seen.clear();
        self.frames.clear();
    }

    /// What comes is another root, whose pointers lead to nothing of those before (F-87).
    pub(crate) fn begin_root(&mut self) {
        self.seen.clear();
    }

    /// How many rows each definition has.
    pub(crate) fn definition_rows(&self) -> &[u64] {
        &self.rows
    }

    /// About how many bytes the rows take in memory.
    pub(crate) fn size(&self) -> usize {
        self.columns.iter().map(Column::size).sum()
    }

    /// Forgets what came after so many roots, when the definitions had so many rows: a value that could not be written whole.
    pub(crate) fn cut(&mut self, plan: &Plan, roots: usize, definitions: &[u64]) {
        let types = plan.schema.types();
        let mut rows = vec![0; types.len()];
        rows[0] = roots as u64;
        for (body, own) in plan.schema.definitions().iter().zip(definitions) {
            rows[*body] = *own;
        }
        self.rows.copy_from_slice(definitions);
        for id in 0..types.len() {
            // They are in memory.
            let n = rows[id] as usize;
            let column = &mut self.columns[id];
            let width = match &types[id] {
                Type::Scalar(Scalar::Fixed(width)) => Some(*width),
                Type::Packed(inner) => DType::of(types, *inner).width(),
                _ => None,
            };
            column.truncate(n, width.unwrap_or(0) as usize);
            count_inside(types, id, column, &mut rows);
        }
        self.seen.clear();
    }

    /// Reading so many roots is charged no more than this and a unit for each byte of the block (F-26): the rows tell at a
    /// glance, unless there are very many.
    pub(crate) fn most_units(&self, schema: &Schema, roots: u64) -> u64 {
        let all = |sum: u64, rows: u64| sum.saturating_add(rows);
        let rows = self.columns.iter().map(Column::most_rows).chain(self.rows.iter().copied());
        let most = rows.fold(roots, all).saturating_mul(self.units_per_row);
        if is_enough(0, most) { most } else { self.counted_units(schema, roots) }
    }

    #[cold]
    fn counted_units(&self, schema: &Schema, roots: u64) -> u64 {
        let types = schema.types();
        let (mut rows, mut units) = (vec![0; types.len()], 0_u64);
        rows[0] = roots;
        for (body, own) in schema.definitions().iter().zip(&self.rows) {
            rows[*body] = *own;
        }
        for id in 0..types.len() {
            let values = match &types[id] {
                Type::Packed(inner) => DType::of(types, *inner).values(),
                _ => 1,
            };
            let values = u64::try_from(values).unwrap_or(u64::MAX);
            units = units.saturating_add(rows[id].saturating_mul(8).saturating_mul(values));
            count_inside(types, id, &self.columns[id], &mut rows);
        }
        // What is in the columns, and is charged once more where it is decompressed.
        units.saturating_add((3 * self.size() + 64 * types.len()) as u64)
    }

    /// How many bytes the block takes in profile fast, not aligned, if that is known before it is written. What was found on
    /// the way is kept for then.
    pub(crate) fn prepare(&mut self) -> Option<usize> {
        self.frames.clear();
        let mut len = self.rows.iter().map(|rows| varint_len(*rows)).sum();
        for column in &self.columns {
            let Some((own, frame)) = column.prepare() else {
                self.frames.clear();
                return None;
            };
            len += own;
            self.frames.push(frame);
        }
        Some(len)
    }

    /// The elements of some tensors take 4,096 bytes or more (F-69).
    pub(crate) fn wants_alignment(&self) -> bool {
        self.columns.iter().any(|column| match column {
            Column::Tensors(rows) => rows.wants_alignment(),
            _ => false,
        })
    }

    /// Appends the block (F-23), and tells where the columns begin and where each ends.
    pub(crate) fn write_block(
        &self,
        out: &mut Vec<u8>,
        settings: Settings,
        ends: &mut dyn FnMut(usize),
    ) {
        self.rows.iter().for_each(|rows| write_varint(out, *rows));
        ends(out.len());
        for (number, column) in self.columns.iter().enumerate() {
            match self.frames.get(number) {
                Some(frame) => column.write_prepared(out, settings, *frame),
                None => column.write(out, settings),
            }
            if !matches!(column, Column::None) {
                ends(out.len());
            }
        }
    }
}

/// The rows of the types inside one, whose own are gathered.
fn count_inside(types: &[Type], id: usize, column: &Column, rows: &mut [u64]) {
    let n = rows[id];
    match (&types[id], column) {
        (Type::Option(inner), Column::Bits(bits)) => rows[*inner] = bits.ones() as u64,
        (Type::List(item), Column::Numbers(lengths)) => rows[*item] = lengths.iter().sum(),
        (Type::Map(key, value), Column::Numbers(lengths)) => {
            rows[*key] = lengths.iter().sum();
            rows[*value] = rows[*key];
        }
        (Type::Union(of), column) => match (&of.variants[..], column) {
            ([only], _) => rows[*only] = n,
            (variants, Column::Numbers(which)) => {
                which.iter().for_each(|&variant| rows[variants[variant as usize]] += 1);
            }
            _ => {}
        },
        (Type::Array(len, item), _) => rows[*item] = len.saturating_mul(n),
        (Type::Tuple(items), _) => items.iter().for_each(|item| rows[*item] = n),
        (Type::Record(of) | Type::Struct(_, of), _) => {
            of.fields.iter().for_each(|(_, field)| rows[*field] = n);
        }
        (Type::Logical(_, inner) | Type::Extension(_, inner), _) => rows[*inner] = n,
        _ => {}
    }
}

/// The column of a site is of another kind: what a type describes is not what it writes.
#[cold]
pub(super) fn mismatch() -> Error {
    Error::new(Code::BadSource).expected("rows of the type that was described")
}

/// Rows of scalars, as `Columns` passes them on.
impl Buffers {
    /// The number of a definition's next row, which begins.
    pub(crate) fn new_row(&mut self, definition: usize) -> u64 {
        let row = self.rows[definition];
        self.rows[definition] += 1;
        row
    }

    /// Makes room for rows of a site.
    pub(crate) fn reserve(&mut self, site: Site, rows: usize) {
        self.column(site).reserve(rows);
    }

    #[inline]
    fn column(&mut self, site: Site) -> &mut Column {
        &mut self.columns[site.index()]
    }

    #[inline]
    pub(crate) fn bit(&mut self, site: Site, bit: bool) -> Result<()> {
        match self.column(site) {
            Column::Bits(column) => column.push(bit),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn bits(&mut self, site: Site, bits: impl Iterator<Item = bool>) -> Result<()> {
        match self.column(site) {
            Column::Bits(column) => column.extend(bits),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    /// A number of whatever kind the site has: its low 64 bits, sign-extended.
    pub(crate) fn bits_of_int(&mut self, site: Site, bits: u64) -> Result<()> {
        match self.column(site) {
            Column::Ints8 { rows, .. } => rows.push(bits as u8),
            Column::Ints16(_, column) => column.push(bits as u16),
            Column::Ints32(_, column) => column.push(bits as u32),
            Column::Ints64(_, column) => column.push(bits),
            Column::Wide(_, column) => column.push(bits),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    /// A number of a kind as wide as a word.
    #[inline]
    pub(crate) fn int<W: Gathered>(&mut self, site: Site, word: W) -> Result<()> {
        match W::rows(self.column(site)) {
            Some(rows) => rows.push(word),
            None => return Err(mismatch()),
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn ints<W: Gathered>(
        &mut self,
        site: Site,
        words: impl Iterator<Item = W>,
    ) -> Result<()> {
        match W::rows(self.column(site)) {
            Some(rows) => rows.extend(words),
            None => return Err(mismatch()),
        }
        Ok(())
    }

    /// Numbers of u8 that are to be written as they are, if the first of them come so.
    pub(crate) fn bytes(&mut self, site: Site, bytes: &[u8]) -> Result<()> {
        match self.column(site) {
            Column::Ints8 { kind: IntKind::U8, rows, as_is } => {
                *as_is |= rows.is_empty();
                rows.extend_from_slice(bytes);
            }
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    /// The bytes of packed rows.
    pub(crate) fn packed(&mut self, site: Site) -> Result<&mut Vec<u8>> {
        match self.column(site) {
            Column::Packed(_, column) => Ok(column),
            _ => Err(mismatch()),
        }
    }

    pub(crate) fn big(&mut self, site: Site, twos_complement: &[u8]) -> Result<()> {
        match self.column(site) {
            Column::Wide(_, column) => column.push_big(twos_complement),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    /// A length, the number of a variant.
    #[inline]
    pub(crate) fn number(&mut self, site: Site, number: u64) -> Result<()> {
        match self.column(site) {
            Column::Numbers(column) => column.push(number),
            // A union of one variant has no column.
            Column::None => {}
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn texts<'t>(
        &mut self,
        site: Site,
        rows: impl Iterator<Item = &'t [u8]> + Clone,
    ) -> Result<()> {
        match self.column(site) {
            Column::Text(column) => column.extend(rows),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    /// Lengths.
    #[inline]
    pub(crate) fn numbers(&mut self, site: Site, rows: impl Iterator<Item = u64>) -> Result<()> {
        match self.column(site) {
            Column::Numbers(column) => column.extend(rows),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn text(&mut self, site: Site, text: &[u8]) -> Result<()> {
        match self.column(site) {
            Column::Text(column) => column.push(text),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    /// A tensor; its elements are appended to bytes.
    pub(crate) fn tensor(
        &mut self,
        site: Site,
        shape: impl IntoIterator<Item = u64>,
        column_major: bool,
        elements: impl FnOnce(&mut Vec<u8>),
    ) -> Result<()> {
        match self.column(site) {
            Column::Tensors(rows) => rows.append(shape, column_major, elements),
            _ => return Err(mismatch()),
        }
        Ok(())
    }

    pub(crate) fn fixed(&mut self, site: Site, bytes: &[u8]) -> Result<()> {
        match self.column(site) {
            Column::Fixed(_, column) => column.extend_from_slice(bytes),
            _ => return Err(mismatch()),
        }
        Ok(())
    }
}

/// Words that a column gathers.
pub(crate) trait Gathered: Word {
    /// The rows of a column, if they are of this width.
    fn rows(column: &mut Column) -> Option<&mut Vec<Self>>;
}

macro_rules! gathered {
    ($($word:ty, $column:pat => $rows:expr;)*) => {$(
        impl Gathered for $word {
            #[inline(always)]
            fn rows(column: &mut Column) -> Option<&mut Vec<Self>> {
                match column {
                    $column => Some($rows),
                    _ => None,
                }
            }
        }
    )*};
}

gathered! {
    u8, Column::Ints8 { rows, .. } => rows;
    u16, Column::Ints16(_, rows) => rows;
    u32, Column::Ints32(_, rows) => rows;
    u64, Column::Ints64(_, rows) => rows;
}

macro_rules! floats {
    ($($name:ident, $names:ident, $column:ident, $float:ty;)*) => {
        impl Buffers {$(
            #[inline]
            pub(crate) fn $name(&mut self, site: Site, value: $float) -> Result<()> {
                match self.column(site) {
                    Column::$column(column) => column.push(value),
                    _ => return Err(mismatch()),
                }
                Ok(())
            }

            #[inline]
            pub(crate) fn $names(
                &mut self,
                site: Site,
                rows: impl Iterator<Item = $float>,
            ) -> Result<()> {
                match self.column(site) {
                    Column::$column(column) => column.extend(rows),
                    _ => return Err(mismatch()),
                }
                Ok(())
            }
        )*}
    };
}

floats! {
    f16, f16s, F16, f16;
    bf16, bf16s, Bf16, bf16;
    f32, f32s, F32, f32;
    f64, f64s, F64, f64;
}
