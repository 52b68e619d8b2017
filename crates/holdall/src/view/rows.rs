//! Reads one row of a site and everything inside it, without the other rows.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use super::block::{BlockPlaces, BlockSource, SitePlace};
use super::budget::CallBudget;
use super::decoded::Decoded;
use super::ranks::{Structure, sums};
use super::slice::{of_kind, pack, some_tensors};
use crate::block::{Block, Column, SparseRows, site_path};
use crate::column::bits::Bits;
use crate::column::floats::Floats;
use crate::column::ranks::Ranks;
use crate::column::text::{self, TextRows};
use crate::dynamic::{Sink, assemble_at, assemble_rows};
use crate::error::{Code, Error, Result};
use crate::input::Scratch;
use crate::memory;
use crate::schema::{DType, Fields, Form, Scalar, Type, TypeId, parents};

impl BlockPlaces {
    /// Returns a budget that has paid for the sites around this one.
    pub(super) fn budget_inside(&self, source: BlockSource<'_>, id: TypeId) -> Result<CallBudget> {
        let (mut budget, parents) = (CallBudget::new(source), parents(source.schema));
        let mut above: Vec<TypeId> =
            core::iter::successors(parents[id], |above| parents[*above]).collect();
        while let Some(id) = above.pop() {
            let place = self.site(source, id)?;
            budget
                .charge_rows(source, id, place.rows, place.bytes.start)
                .map_err(|error| error.with_path(|| site_path(source.schema, &parents, id, 400)))?;
        }
        Ok(budget)
    }

    /// Emits one row of a site.
    pub(super) fn emit_row(
        &self,
        source: BlockSource<'_>,
        item: TypeId,
        row: u64,
        budget: &mut CallBudget,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let scratch = Scratch::default();
        let block = self.columns_of(source, item, row..row + 1, budget, &scratch)?;
        assemble_at(source.schema, block, item, sink)
    }

    /// Emits rows of a site as a list.
    pub(super) fn emit_rows(
        &self,
        source: BlockSource<'_>,
        item: TypeId,
        rows: Range<u64>,
        budget: &mut CallBudget,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let (scratch, count) = (Scratch::default(), index(&rows)?.len());
        let block = self.columns_of(source, item, rows, budget, &scratch)?;
        assemble_rows(source.schema, block, item, count, sink)
    }

    /// Returns the columns of some rows of a site and everything inside it.
    fn columns_of<'p>(
        &'p self,
        source: BlockSource<'p>,
        item: TypeId,
        rows: Range<u64>,
        budget: &mut CallBudget,
        scratch: &'p Scratch,
    ) -> Result<Block<'p>> {
        let types = source.schema.types();
        let mut selected = SelectedRows { source, block: self, scratch, rows: Vec::new(), text: 0 };
        selected.rows.resize(types.len(), 0..0);
        selected.rows[item] = rows;
        let (mut columns, mut starts) = (Vec::new(), Vec::new());
        for id in 0..types.len() {
            let rows = selected.rows[id].clone();
            if rows.is_empty() {
                columns.push(Column::None);
                starts.push(0);
                continue;
            }
            let place = self.site(source, id)?;
            starts.push(usize::try_from(place.bytes.start).unwrap_or(usize::MAX));
            // What is decoded for the rows takes no more than is left.
            selected.source.limits = source.limits.budget(budget.left());
            let count = rows.end - rows.start;
            let column = budget
                .charge_rows(source, id, count, place.bytes.start)
                .and_then(|()| selected.column(id, &place, rows))
                .and_then(|column| {
                    let text = core::mem::take(&mut selected.text);
                    self.pay(id, &place, text, budget).map(|()| column)
                });
            let path = || site_path(source.schema, &parents(source.schema), id, 400);
            columns.push(column.map_err(|error| error.with_path(path))?);
        }
        Ok(Block::of_columns(columns, starts))
    }

    /// Charges the plain text of some rows (F-32), and what a decoded column holds beyond its rows: that once in a call.
    fn pay(&self, id: TypeId, place: &SitePlace, text: u64, budget: &mut CallBudget) -> Result<()> {
        budget.charge(u128::from(text), place.bytes.end)?;
        budget.charge_once(id, self.contents(id), place.bytes.end)
    }
}

/// Selected rows of some sites.
struct SelectedRows<'p> {
    source: BlockSource<'p>,
    block: &'p BlockPlaces,
    scratch: &'p Scratch,
    rows: Vec<Range<u64>>,
    /// The bytes of plain text in the last column.
    text: u64,
}

impl<'p> SelectedRows<'p> {
    /// Reads rows of a site; returns which rows of the inner types belong to them.
    fn column(&mut self, id: TypeId, place: &SitePlace, rows: Range<u64>) -> Result<Column<'p>> {
        let some = index(&rows)?;
        let types = self.source.schema.types();
        Ok(match &types[id] {
            Type::Never | Type::Null => Column::None,
            Type::Scalar(scalar) => self.scalar(id, *scalar, place, &rows)?,
            Type::Packed(inner) => {
                let width = DType::of(types, *inner).width().unwrap_or(0);
                self.whole_or_raw(id, place, &rows, width)?
            }
            Type::Tensor(_) | Type::Unknown(..) => self.whole(id, some)?,
            Type::Tuple(members) => {
                members.iter().for_each(|member| self.rows[*member] = rows.clone());
                Column::None
            }
            Type::Logical(_, inner) | Type::Extension(_, inner) => {
                self.rows[*inner] = rows;
                Column::None
            }
            Type::Array(len, item) => {
                // No budget allows more than 64 bits.
                let end = rows
                    .end
                    .checked_mul(*len)
                    .ok_or_else(|| Error::at(Code::LimitBudget, 0).moved_by(place.bytes.start))?;
                self.rows[*item] = rows.start * len..end;
                Column::None
            }
            Type::List(item) => self.lengths(id, some, &[*item])?,
            Type::Map(key, value) => self.lengths(id, some, &[*key, *value])?,
            Type::Option(inner) => {
                let numbers = self.ranks(id, &some, |value, before, count| {
                    (value == 1).then_some((*inner, before..before + count)).into_iter().collect()
                })?;
                let bytes = pack(numbers.iter().map(|number| *number == 1));
                Column::Bits(Bits::of_raw(self.scratch.keep(bytes), numbers.len()))
            }
            Type::Union(union) => {
                if let [only] = &*union.variants {
                    self.rows[*only] = rows;
                    return Ok(Column::None);
                }
                let variants = &union.variants;
                Column::Numbers(self.ranks(id, &some, |value, before, count| {
                    vec![(variants[value], before..before + count)]
                })?)
            }
            Type::Record(fields) | Type::Struct(_, fields) => {
                self.shapes(id, fields, rows, some)?
            }
            Type::Def(number) | Type::Shared(number) => {
                return Err(Error::new(Code::Unsupported)
                    .expected("rows outside recursive and shared types")
                    .got(format!("definition {number}")));
            }
        })
    }

    /// Returns the structure of a site's rows, computed at its first use.
    fn structure(&self, id: TypeId) -> Result<Arc<Structure>> {
        let ty = &self.source.schema.types()[id];
        let find = || {
            self.block
                .read(self.source, id, |column| {
                    Ok(match (ty, column) {
                        (Type::Option(_), Column::Bits(bits)) => {
                            let numbers =
                                memory::collected(bits.decode_rows(0..bits.len()).map(u32::from));
                            Structure::Numbers(Ranks::new(numbers, 2))
                        }
                        (Type::Union(union), Column::Numbers(which)) => {
                            let numbers =
                                memory::collected(which.iter().map(|which| *which as u32));
                            Structure::Numbers(Ranks::new(numbers, union.variants.len()))
                        }
                        (Type::Record(of) | Type::Struct(_, of), Column::Numbers(shapes)) => {
                            let values = match &of.form {
                                Form::Several(all) => all.len(),
                                Form::One | Form::Sparse => 0,
                            };
                            let numbers =
                                memory::collected(shapes.iter().map(|shape| *shape as u32));
                            Structure::Numbers(Ranks::new(numbers, values))
                        }
                        (_, Column::Sparse(rows)) => Structure::Sparse(*rows),
                        (_, Column::Numbers(lengths)) => Structure::Offsets(sums(&lengths)),
                        _ => Structure::Offsets(vec![0]),
                    })
                })
                .map(Some)
        };
        let none = || Arc::new(Structure::Offsets(vec![0]));
        Ok(self.block.kept.get(id, find)?.unwrap_or_else(none))
    }

    fn lengths(&mut self, id: TypeId, rows: Range<usize>, inside: &[TypeId]) -> Result<Column<'p>> {
        let structure = self.structure(id)?;
        let Structure::Offsets(offsets) = &*structure else { return Ok(Column::None) };
        let some = &offsets[rows.start..=rows.end];
        let all = some[0]..some[some.len() - 1];
        inside.iter().for_each(|inner| self.rows[*inner] = all.clone());
        Ok(Column::Numbers(memory::collected(some.windows(2).map(|pair| pair[1] - pair[0]))))
    }

    /// The numbers of the rows. For each one, `inside` returns the rows of inner sites that it stands for, from the
    /// count of the same number before it and in total.
    fn ranks(
        &mut self,
        id: TypeId,
        rows: &Range<usize>,
        inside: impl Fn(usize, u64, u64) -> Vec<(TypeId, Range<u64>)>,
    ) -> Result<Vec<u64>> {
        let structure = self.structure(id)?;
        let Structure::Numbers(ranks) = &*structure else { return Ok(Vec::new()) };
        let (from, to) = (ranks.all_before(rows.start), ranks.all_before(rows.end));
        let numbers = &ranks.numbers()[rows.clone()];
        for (value, (from, to)) in from.into_iter().zip(to).enumerate() {
            for (site, rows) in inside(value, from as u64, (to - from) as u64) {
                self.rows[site] = rows;
            }
        }
        Ok(memory::collected(numbers.iter().map(|number| u64::from(*number))))
    }

    fn shapes(
        &mut self,
        id: TypeId,
        fields: &Fields,
        rows: Range<u64>,
        some: Range<usize>,
    ) -> Result<Column<'p>> {
        let fields = (&fields.fields, &fields.form);
        match fields.1 {
            Form::One => {
                fields.0.iter().for_each(|(_, field)| self.rows[*field] = rows.clone());
                Ok(Column::None)
            }
            Form::Several(shapes) => {
                let structure = self.structure(id)?;
                let Structure::Numbers(ranks) = &*structure else { return Ok(Column::None) };
                let (from, to) = (ranks.all_before(some.start), ranks.all_before(some.end));
                // A field's rows are those of all shapes that have it.
                let mut starts = vec![0; fields.0.len()];
                let mut ends = vec![0; fields.0.len()];
                for (shape, (from, to)) in shapes.iter().zip(from.into_iter().zip(to)) {
                    for field in shape.iter().filter(|_| to > 0) {
                        starts[*field] += from as u64;
                        ends[*field] += to as u64;
                    }
                }
                for ((_, field), (start, end)) in fields.0.iter().zip(starts.into_iter().zip(ends))
                {
                    self.rows[*field] = start..end;
                }
                let numbers = ranks.numbers()[some].iter().map(|number| u64::from(*number));
                Ok(Column::Numbers(memory::collected(numbers)))
            }
            Form::Sparse => {
                let structure = self.structure(id)?;
                let Structure::Sparse(all) = &*structure else { return Ok(Column::None) };
                let count = |counts: &[u64]| counts.iter().sum::<u64>() as usize;
                let start = count(&all.counts[..some.start]);
                let end = start + count(&all.counts[some.clone()]);
                let mut starts = vec![0; fields.0.len()];
                all.numbers[..start].iter().for_each(|field| starts[*field as usize] += 1);
                let mut ends = starts.clone();
                let numbers = memory::copied(&all.numbers[start..end]);
                numbers.iter().for_each(|field| ends[*field as usize] += 1);
                for ((_, field), (start, end)) in fields.0.iter().zip(starts.into_iter().zip(ends))
                {
                    self.rows[*field] = start..end;
                }
                let counts = memory::copied(&all.counts[some]);
                Ok(Column::Sparse(Box::new(SparseRows { counts, numbers })))
            }
        }
    }

    fn scalar(
        &mut self,
        id: TypeId,
        scalar: Scalar,
        place: &SitePlace,
        rows: &Range<u64>,
    ) -> Result<Column<'p>> {
        match scalar {
            Scalar::Fixed(width) => self.whole_or_raw(id, place, rows, width),
            Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => {
                self.whole_or_raw(id, place, rows, scalar.width().unwrap_or(0))
            }
            Scalar::Int(kind) => {
                match self.block.some_ints(self.source, place, kind, rows.clone())? {
                    Some(numbers) => Ok(Column::Ints(of_kind(kind, numbers))),
                    None => self.whole(id, index(rows)?),
                }
            }
            Scalar::String | Scalar::Bytes => self.text(id, scalar, place, rows),
            Scalar::Bool => self.whole(id, index(rows)?),
        }
    }

    /// Reads rows of this width directly if they are stored in their memory layout, otherwise from the decoded column.
    fn whole_or_raw(
        &mut self,
        id: TypeId,
        place: &SitePlace,
        rows: &Range<u64>,
        width: u64,
    ) -> Result<Column<'p>> {
        let Some(raw) = self.block.raw(self.source, id, place)? else {
            return self.whole(id, index(rows)?);
        };
        let start = raw.start + rows.start * width;
        let bytes = self.source.reading.bytes(start..start + (rows.end - rows.start) * width)?;
        let bytes = self.scratch.keep(memory::owned(bytes));
        Ok(match &self.source.schema.types()[id] {
            Type::Packed(inner) => {
                let dtype = DType::of(self.source.schema.types(), *inner);
                crate::column::packed::check_bools(&dtype.bools(), bytes, |at| {
                    start as usize + at
                })?;
                Column::Raw(bytes)
            }
            Type::Scalar(Scalar::Fixed(_)) => Column::Raw(bytes),
            _ => Column::Floats(Floats::of_raw(bytes, index(rows)?.len())),
        })
    }

    /// Reads plain text by its offsets, which are kept; a dictionary from the decoded column.
    fn text(
        &mut self,
        id: TypeId,
        scalar: Scalar,
        place: &SitePlace,
        rows: &Range<u64>,
    ) -> Result<Column<'p>> {
        let some = index(rows)?;
        let find = || {
            let lengths = self.block.plain_lengths(self.source, place)?;
            Ok(lengths.map(|lengths| Structure::Offsets(sums(&lengths))))
        };
        let Some(structure) = self.block.kept.get(id, find)? else { return self.whole(id, some) };
        let Structure::Offsets(offsets) = &*structure else { return self.whole(id, some) };
        let total = offsets[offsets.len() - 1];
        // The text is the end of the column.
        let start = place.bytes.end - total + offsets[some.start];
        let end = place.bytes.end - total + offsets[some.end];
        self.text = end - start;
        let lengths: Vec<u64> =
            offsets[some.start..=some.end].windows(2).map(|pair| pair[1] - pair[0]).collect();
        let bytes = self.scratch.keep(memory::owned(self.source.reading.bytes(start..end)?));
        Ok(match scalar {
            Scalar::String => {
                let text = text::utf8(bytes, start as usize, &lengths)?;
                Column::Strings { rows: TextRows::Plain(lengths), text }
            }
            _ => Column::Bytes { rows: TextRows::Plain(lengths), bytes },
        })
    }

    /// Takes some rows from the decoded column.
    fn whole(&self, id: TypeId, rows: Range<usize>) -> Result<Column<'p>> {
        let (scratch, types) = (self.scratch, self.source.schema.types());
        let width = match &types[id] {
            Type::Packed(inner) => DType::of(types, *inner).width(),
            Type::Scalar(scalar) => scalar.width(),
            _ => {
                return self.block.read(self.source, id, |column| {
                    Ok(match column {
                        Column::Tensors(all) => {
                            Column::Tensors(Box::new(some_tensors(&all, rows, scratch)))
                        }
                        _ => Column::Unknown,
                    })
                });
            }
        };
        let width = width.unwrap_or(0) as usize;
        let find = || {
            self.block
                .read(self.source, id, |column| Ok(Decoded::of(column, width).map(Structure::Rows)))
        };
        Ok(match self.block.kept.get(id, find)?.as_deref() {
            Some(Structure::Rows(decoded)) => decoded.rows(rows, scratch),
            _ => Column::Unknown,
        })
    }
}

fn index(rows: &Range<u64>) -> Result<Range<usize>> {
    let fits = |row: u64| usize::try_from(row).map_err(|_| Error::new(Code::LimitBudget));
    Ok(fits(rows.start)?..fits(rows.end)?)
}
