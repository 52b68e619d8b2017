//! Reads some rows of a site and everything inside them, without the other rows.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use super::block::{BlockPlaces, BlockSource, SitePlace};
use super::budget::CallBudget;
use super::many::SomeRows;
use super::ranks::{SparsePlaces, Structure, lengths_of};
use super::runs::{SiteRuns, append};
use super::slice::pack;
use crate::block::{Block, Column, LONGEST_PATH, SparseRows, site_path};
use crate::column::bits::Bits;
use crate::dynamic::{Sink, assemble_at, assemble_rows};
use crate::error::{Code, Error, Result};
use crate::input::Scratch;
use crate::memory::{self, Collect, GrowVec};
use crate::schema::{Fields, Form, Type, TypeId, parents};

impl BlockPlaces {
    /// Returns a budget that has paid for the sites around this one.
    pub(super) fn budget_inside(&self, source: BlockSource<'_>, id: TypeId) -> Result<CallBudget> {
        let (mut budget, parents) = (CallBudget::new(source), parents(source.schema));
        let mut above: Vec<TypeId> =
            core::iter::successors(parents[id], |above| parents[*above]).collected();
        while let Some(id) = above.pop() {
            let place = self.site(source, id)?;
            budget.charge_rows(source, id, place.rows, place.bytes.start).map_err(|error| {
                error.with_path(|| site_path(source.schema, &parents, id, LONGEST_PATH))
            })?;
        }
        Ok(budget)
    }

    /// Emits one row of a site, within a budget of its own.
    pub(super) fn emit_row(
        &self,
        source: BlockSource<'_>,
        item: TypeId,
        row: u64,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let (scratch, some) = (Scratch::default(), SomeRows { first: row, count: 1, step: 1 });
        let block = self.columns_of(source, item, some, &mut CallBudget::new(source), &scratch)?;
        assemble_at(source.schema, block, item, sink)
    }

    /// Emits rows of a site as a list.
    pub(super) fn emit_some(
        &self,
        source: BlockSource<'_>,
        item: TypeId,
        some: SomeRows,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let (scratch, count) = (Scratch::default(), some.numbers()?.len());
        let budget = &mut self.budget_inside(source, item)?;
        let block = self.columns_of(source, item, some, budget, &scratch)?;
        assemble_rows(source.schema, block, item, count, sink)
    }

    /// Returns the columns of some rows of a site and everything inside it.
    fn columns_of<'p>(
        &'p self,
        source: BlockSource<'p>,
        item: TypeId,
        some: SomeRows,
        budget: &mut CallBudget,
        scratch: &'p Scratch,
    ) -> Result<Block<'p>> {
        let (types, units) = (source.schema.types(), budget.left());
        let runs = SiteRuns::new(types.len());
        let mut selected = SelectedRows { source, block: self, scratch, runs, alone: None };
        let (mut columns, mut starts) = (Vec::new(), Vec::new());
        for id in 0..types.len() {
            let count = if id == item { some.count } else { selected.runs.count(id) };
            if count == 0 {
                columns.put(Column::None);
                starts.put(0);
                continue;
            }
            let place = self.site(source, id)?;
            starts.put(usize::try_from(place.bytes.start).unwrap_or(usize::MAX));
            // What is decoded for the rows takes no more than is left, their own units included: all rows of a column never take
            // less than some.
            selected.source.limits = source.limits.budget(budget.left());
            let column = budget.charge_rows(source, id, count, place.bytes.start).and_then(|()| {
                if id == item {
                    // Not before: there may be more rows than memory has room for runs.
                    selected.runs.put_some(item, some);
                }
                let column = selected.column(id, &place)?;
                let beyond = selected.alone.take().unwrap_or_else(|| self.contents(id));
                budget.charge(u128::from(beyond), place.bytes.end)?;
                Ok(column)
            });
            let path = || site_path(source.schema, &parents(source.schema), id, LONGEST_PATH);
            columns.put(column.map_err(|error| error.with_path(path))?);
        }
        let mut block = Block::of_columns(columns, starts);
        block.units = units;
        Ok(block)
    }
}

/// Selected rows of some sites.
pub(super) struct SelectedRows<'p> {
    pub(super) source: BlockSource<'p>,
    pub(super) block: &'p BlockPlaces,
    pub(super) scratch: &'p Scratch,
    pub(super) runs: SiteRuns,
    /// What the rows of the last column take beyond 8 units each (F-26), if they were read without the others.
    pub(super) alone: Option<u64>,
}

impl<'p> SelectedRows<'p> {
    /// Reads rows of a site; finds which rows of the inner types belong to them.
    fn column(&mut self, id: TypeId, place: &SitePlace) -> Result<Column<'p>> {
        let types = self.source.schema.types();
        Ok(match &types[id] {
            Type::Never | Type::Null => Column::None,
            Type::Scalar(_) | Type::Packed(_) | Type::Tensor(_) | Type::Unknown(..) => {
                self.leaf(id, place)?
            }
            Type::Tuple(members) => {
                members.iter().for_each(|member| self.runs.share(*member, id));
                Column::None
            }
            Type::Logical(_, inner) | Type::Extension(_, inner) => {
                self.runs.share(*inner, id);
                Column::None
            }
            Type::Array(len, item) => {
                // No budget allows more than 64 bits.
                let end = self.runs.of(id).last().map_or(0, |run| run.end);
                if end.checked_mul(*len).is_none() {
                    return Err(Error::at(Code::LimitBudget, 0).moved_by(place.bytes.start));
                }
                self.runs.put_inside(*item, id, |run| run.start * len..run.end * len);
                Column::None
            }
            Type::List(item) => self.lengths(id, &[*item])?,
            Type::Map(key, value) => self.lengths(id, &[*key, *value])?,
            Type::Option(inner) => {
                let inside = |number| (number == 1).then_some(0);
                let numbers = self.numbered(id, core::iter::once(*inner), inside)?;
                let bytes = pack(numbers.iter().map(|number| *number == 1));
                Column::Bits(Bits::of_raw(self.scratch.keep(bytes), numbers.len()))
            }
            Type::Union(union) => {
                if let [only] = &*union.variants {
                    self.runs.share(*only, id);
                    return Ok(Column::None);
                }
                Column::Numbers(self.numbered(id, union.variants.iter().copied(), Some)?)
            }
            Type::Record(fields) | Type::Struct(_, fields) => self.shapes(id, fields)?,
            Type::Def(number) | Type::Shared(number) => {
                return Err(Error::new(Code::Unsupported)
                    .expected("rows outside recursive and shared types")
                    .got(format!("definition {number}")));
            }
        })
    }

    /// Returns the structure of a site's rows, found at its first use.
    pub(super) fn structure(&self, id: TypeId, place: &SitePlace) -> Result<Arc<Structure>> {
        let find = || self.block.find_structure(self.source, id, place);
        self.block.kept.get(id, find)
    }

    fn lengths(&mut self, id: TypeId, inside: &[TypeId]) -> Result<Column<'p>> {
        let structure = self.structure(id, &self.block.site(self.source, id)?)?;
        let Structure::Offsets(offsets) = &*structure else { return Ok(Column::None) };
        for inner in inside {
            let items = |run: &Range<u64>| offsets[run.start as usize]..offsets[run.end as usize];
            self.runs.put_inside(*inner, id, items);
        }
        Ok(Column::Numbers(lengths_of(offsets, self.runs.of(id))))
    }

    /// The numbers of the rows, and the rows inside them: a row with a number is one of those sites that `inside` counts up.
    fn numbered<I: IntoIterator<Item = usize>>(
        &mut self,
        id: TypeId,
        sites: impl ExactSizeIterator<Item = TypeId>,
        inside: impl Fn(usize) -> I,
    ) -> Result<Vec<u64>> {
        let structure = self.structure(id, &self.block.site(self.source, id)?)?;
        let Structure::Numbers(ranks) = &*structure else { return Ok(Vec::new()) };
        let mut next = memory::filled(0_u64, sites.len());
        let mut runs: Vec<Vec<Range<u64>>> = memory::filled(Vec::new(), sites.len());
        let (mut numbers, mut at) = (Vec::new(), 0);
        for run in self.runs.of(id) {
            let (start, end) = (run.start as usize, run.end as usize);
            ranks.between(at..start, |number, count| {
                inside(number).into_iter().for_each(|site| next[site] += count as u64);
            });
            for number in &ranks.numbers()[start..end] {
                for site in inside(*number as usize) {
                    append(&mut runs[site], next[site]);
                    next[site] += 1;
                }
                numbers.put(u64::from(*number));
            }
            at = end;
        }
        for (site, runs) in sites.zip(runs) {
            self.runs.put(site, runs.into_iter());
        }
        Ok(numbers)
    }

    fn shapes(&mut self, id: TypeId, fields: &Fields) -> Result<Column<'p>> {
        let sites = fields.fields.iter().map(|(_, field)| *field);
        match &fields.form {
            Form::One => {
                sites.for_each(|field| self.runs.share(field, id));
                Ok(Column::None)
            }
            Form::Several(shapes) => {
                let inside = |shape: usize| shapes[shape].iter().copied();
                Ok(Column::Numbers(self.numbered(id, sites, inside)?))
            }
            Form::Sparse => {
                let structure = self.structure(id, &self.block.site(self.source, id)?)?;
                let Structure::Sparse(SparsePlaces { starts, numbers, rows }) = &*structure else {
                    return Ok(Column::None);
                };
                let mut runs: Vec<Vec<Range<u64>>> = memory::filled(Vec::new(), sites.len());
                let mut own = Vec::new();
                for run in self.runs.of(id) {
                    let some =
                        starts[run.start as usize] as usize..starts[run.end as usize] as usize;
                    for (number, row) in numbers[some.clone()].iter().zip(&rows[some.clone()]) {
                        append(&mut runs[*number as usize], *row);
                    }
                    own.put_slice(&numbers[some]);
                }
                for (site, runs) in sites.zip(runs) {
                    self.runs.put(site, runs.into_iter());
                }
                let counts = lengths_of(starts, self.runs.of(id));
                Ok(Column::Sparse(Box::new(SparseRows { counts, numbers: own })))
            }
        }
    }
}
