//! Rows of columns without others inside: decoded in full where all are asked for, otherwise read alone, or taken from a column that
//! was decoded once.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::block::{BlockPlaces, BlockSource, SitePlace};
use super::decoded::Decoded;
use super::ranks::{SparsePlaces, Structure, lengths_of, sums};
use super::rows::SelectedRows;
use super::slice::of_kind;
use super::tensors::KeptTensors;
use crate::block::Column;
use crate::column::bits::Bits;
use crate::column::floats::Floats;
use crate::column::packed::check_bools;
use crate::column::ranks::Ranks;
use crate::column::tensors::Tensors;
use crate::column::text::{self, TextRows};
use crate::error::{Code, Error, Result};
use crate::kernel::borrow::{part_of, text_of};
use crate::memory::{self, Collect, GrowVec};
use crate::schema::{DType, Form, Scalar, Type, TypeId};

impl BlockPlaces {
    /// Finds what leads to some rows of a site, or decodes all of them.
    pub(super) fn find_structure(
        &self,
        source: BlockSource<'_>,
        id: TypeId,
        place: &SitePlace,
    ) -> Result<Structure> {
        let types = source.schema.types();
        let (ty, width) = (&types[id], width_of(types, id));
        match ty {
            Type::Scalar(Scalar::String | Scalar::Bytes) => {
                if let Some(lengths) = self.plain_lengths(source, place)? {
                    return Ok(Structure::Offsets(sums(&lengths)));
                }
            }
            Type::Tensor(_) => {
                if let Some(tensors) = self.tensor_rows(source, id, place)? {
                    return Ok(Structure::Tensors(tensors));
                }
            }
            _ if has_raw_rows(ty) => {
                if let Some(raw) = self.raw(source, id, place)? {
                    return Ok(Structure::Raw(raw.start));
                }
            }
            _ => {}
        }
        self.read(source, id, |column| {
            Ok(match (ty, column) {
                (Type::Option(_), Column::Bits(bits)) => {
                    let numbers = bits.decode_rows(0..bits.len()).map(u32::from);
                    Structure::Numbers(Ranks::new(memory::collected(numbers), 2))
                }
                (Type::Union(union), Column::Numbers(which)) => {
                    numbers(&which, union.variants.len())
                }
                (Type::Record(of) | Type::Struct(_, of), Column::Numbers(shapes)) => {
                    let Form::Several(all) = &of.form else { return Ok(Structure::Unknown) };
                    numbers(&shapes, all.len())
                }
                (Type::Record(of) | Type::Struct(_, of), Column::Sparse(rows)) => {
                    Structure::Sparse(SparsePlaces::of(*rows, of.fields.len()))
                }
                (Type::List(_) | Type::Map(..), Column::Numbers(lengths)) => {
                    Structure::Offsets(sums(&lengths))
                }
                (Type::Tensor(_), Column::Tensors(tensors)) => {
                    Structure::Tensors(KeptTensors::held(&tensors))
                }
                (_, column) => match Decoded::of(column, width) {
                    Some(decoded) => Structure::Rows(decoded),
                    None => Structure::Unknown,
                },
            })
        })
    }
}

fn numbers(all: &[u64], values: usize) -> Structure {
    Structure::Numbers(Ranks::new(memory::collected(all.iter().map(|row| *row as u32)), values))
}

/// The width of a row in bytes, if all have one.
fn width_of(types: &[Type], id: TypeId) -> usize {
    let width = match &types[id] {
        Type::Packed(inner) => DType::of(types, *inner).width(),
        Type::Scalar(scalar) => scalar.width(),
        _ => None,
    };
    width.unwrap_or(0) as usize
}

/// Whether rows can be stored in their memory layout and used as they are.
fn has_raw_rows(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Packed(_)
            | Type::Scalar(
                Scalar::Fixed(_) | Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64
            )
    )
}

impl<'p> SelectedRows<'p> {
    /// Returns the rows of a column.
    pub(super) fn leaf(&mut self, id: TypeId, place: &SitePlace) -> Result<Column<'p>> {
        if self.runs.are_all(id, place.rows) {
            return self.block.read(self.source, id, |column| Ok(self.apart(column)));
        }
        let ty = &self.source.schema.types()[id];
        if let Type::Scalar(Scalar::Int(kind)) = ty
            && let Some(numbers) =
                self.block.some_ints(self.source, place, *kind, self.runs.of(id))?
        {
            self.alone = Some(0);
            return Ok(Column::Ints(of_kind(*kind, numbers)));
        }
        match &*self.structure(id, place)? {
            Structure::Offsets(offsets) => self.text(id, place, offsets),
            Structure::Raw(start) => self.raw(id, *start),
            Structure::Tensors(tensors) => self.tensors(id, tensors),
            Structure::Rows(decoded) => Ok(decoded.rows(&indices(self.runs.of(id))?, self.scratch)),
            _ => Ok(Column::Unknown),
        }
    }

    /// A decoded column, apart from its input.
    fn apart(&self, column: Column<'_>) -> Column<'p> {
        match column {
            Column::Bits(bits) => Column::Bits(self.own_bits(&bits)),
            Column::Ints(ints) => Column::Ints(ints.into_owned()),
            Column::Floats(floats) => Column::Floats(floats.into_owned()),
            Column::Strings { rows, text } => Column::Strings { rows, text: self.own_text(text) },
            Column::Bytes { rows, bytes } => Column::Bytes { rows, bytes: self.own_bytes(bytes) },
            Column::Raw(bytes) => Column::Raw(self.own_bytes(bytes)),
            Column::Tensors(tensors) => {
                let Tensors { dtype, ranks, dimensions, orders, elements } = *tensors;
                let orders = self.own_bits(&orders);
                let elements = elements.into_iter().map(|bytes| self.own_bytes(bytes));
                let elements = memory::collected(elements);
                Column::Tensors(Box::new(Tensors { dtype, ranks, dimensions, orders, elements }))
            }
            _ => Column::Unknown,
        }
    }

    fn own_bits(&self, bits: &Bits<'_>) -> Bits<'p> {
        Bits::of_raw(self.scratch.keep(bits.to_bytes()), bits.len())
    }

    fn own_bytes(&self, bytes: &[u8]) -> &'p [u8] {
        let message = self.source.reading.in_memory();
        let part = message.and_then(|message| part_of(message, bytes));
        part.unwrap_or_else(|| self.scratch.keep(memory::copied(bytes)))
    }

    fn own_text(&self, text: &str) -> &'p str {
        let message = self.source.reading.in_memory();
        let part = message.and_then(|message| text_of(message, text));
        part.unwrap_or_else(|| {
            let bytes = self.scratch.keep(memory::copied(text.as_bytes()));
            core::str::from_utf8(bytes).unwrap_or_default()
        })
    }

    /// Reads rows of plain text by the offsets of all.
    fn text(&mut self, id: TypeId, place: &SitePlace, offsets: &[u64]) -> Result<Column<'p>> {
        let is_string = self.source.schema.types()[id] == Type::Scalar(Scalar::String);
        let runs = self.runs.of(id);
        // The text is the end of the column.
        let start = place.bytes.end - offsets[offsets.len() - 1];
        let mut bytes = Vec::new();
        for run in runs {
            let (first, end) = (offsets[run.start as usize], offsets[run.end as usize]);
            let some = self.source.reading.bytes(start + first..start + end)?;
            if is_string {
                let lengths = lengths_of(offsets, core::slice::from_ref(run));
                text::utf8(&some, (start + first) as usize, &lengths)?;
            }
            bytes.put_slice(&some);
        }
        self.alone = Some(bytes.len() as u64);
        let rows = TextRows::Plain(lengths_of(offsets, runs));
        let bytes = self.scratch.keep(bytes);
        Ok(match is_string {
            true => Column::Strings { rows, text: core::str::from_utf8(bytes).unwrap_or_default() },
            false => Column::Bytes { rows, bytes },
        })
    }

    /// Reads rows that are stored in their memory layout.
    fn raw(&mut self, id: TypeId, start: u64) -> Result<Column<'p>> {
        let types = self.source.schema.types();
        let width = width_of(types, id) as u64;
        let bools = match &types[id] {
            Type::Packed(inner) => Some(DType::of(types, *inner).bools()),
            _ => None,
        };
        let mut bytes = Vec::new();
        for run in self.runs.of(id) {
            let first = start + run.start * width;
            let some = self.source.reading.bytes(first..start + run.end * width)?;
            if let Some(bools) = &bools {
                check_bools(bools, &some, |at| first as usize + at)?;
            }
            bytes.put_slice(&some);
        }
        self.alone = Some(0);
        let bytes = self.scratch.keep(bytes);
        Ok(match &types[id] {
            Type::Packed(_) | Type::Scalar(Scalar::Fixed(_)) => Column::Raw(bytes),
            _ => {
                let count = self.runs.count(id);
                Column::Floats(Floats::of_raw(bytes, index(count)?))
            }
        })
    }

    fn tensors(&mut self, id: TypeId, all: &KeptTensors) -> Result<Column<'p>> {
        let runs = indices(self.runs.of(id))?;
        self.alone = all.units(&runs);
        Ok(Column::Tensors(Box::new(all.rows(&runs, self.source.reading, self.scratch)?)))
    }
}

/// Runs of rows of a column that is in memory.
fn indices(runs: &[Range<u64>]) -> Result<Vec<Range<usize>>> {
    runs.iter().map(|run| Ok(index(run.start)?..index(run.end)?)).collected()
}

fn index(row: u64) -> Result<usize> {
    usize::try_from(row).map_err(|_| Error::new(Code::LimitBudget))
}
