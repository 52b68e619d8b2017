//! Tensors whose elements are not read, or of which some are.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use super::block::{BlockPlaces, BlockSource, SitePlace, check_padding};
use super::ranks::sums;
use super::slice::some_bits;
use crate::block::Column;
use crate::column::bits::Bits;
use crate::column::packed::check_bools;
use crate::column::raw::{self, Of};
use crate::column::tensors::{Tensors, element_counts};
use crate::error::Result;
use crate::input::{Reading, Scratch};
use crate::memory::{self, GrowVec};
use crate::schema::{DType, TypeId};

/// A tensor whose elements were not read.
#[derive(Clone, Debug)]
pub struct TensorPlace {
    /// The type of the elements.
    pub dtype: Arc<DType>,
    /// The dimensions.
    pub shape: Box<[u64]>,
    /// Whether the first dimension runs fastest.
    pub column_major: bool,
    /// The range of the elements.
    pub elements: Range<u64>,
}

/// The tensors of a site: their shapes, and where their elements are.
pub(super) struct KeptTensors {
    dtype: Arc<DType>,
    /// Where the dimensions of each row begin, and those of the last one end.
    shapes: Vec<u64>,
    dimensions: Vec<u64>,
    orders: Vec<u8>,
    /// Where the elements of each row begin, and those of the last one end: in the source, or in what is held.
    elements: Vec<u64>,
    /// The elements, if they are not stored in their memory layout.
    held: Option<Vec<u8>>,
}

impl KeptTensors {
    fn of(all: &Tensors<'_>, lens: &[u64], start: u64, held: Option<Vec<u8>>) -> KeptTensors {
        let mut elements = sums(lens);
        elements.iter_mut().for_each(|at| *at += start);
        KeptTensors {
            dtype: Arc::clone(&all.dtype),
            shapes: sums(&all.ranks),
            dimensions: memory::copied(&all.dimensions),
            orders: all.orders.to_bytes(),
            elements,
            held,
        }
    }

    /// Keeps decoded tensors.
    pub(super) fn held(all: &Tensors<'_>) -> KeptTensors {
        let lens = memory::collected(all.elements.iter().map(|bytes| bytes.len() as u64));
        KeptTensors::of(all, &lens, 0, Some(memory::joined(&all.elements)))
    }

    /// Finds tensors whose elements were skipped: they end the columns of the site (F-76).
    fn located(all: &Tensors<'_>, encoding: Option<u8>, place: &SitePlace) -> Option<KeptTensors> {
        let of = Of::elements(&all.dtype);
        if !raw::is_raw(of, encoding) {
            return None;
        }
        let counts = element_counts(&all.ranks, &all.dimensions);
        // They are part of the site's bytes, so each length fits.
        let lens = counts.into_iter().map(|count| (count * u128::from(of.width)) as u64);
        let lens = memory::collected(lens);
        let start = place.bytes.end - lens.iter().sum::<u64>();
        Some(KeptTensors::of(all, &lens, start, None))
    }

    fn len(&self) -> usize {
        self.shapes.len() - 1
    }

    fn shape(&self, row: usize) -> &[u64] {
        &self.dimensions[self.shapes[row] as usize..self.shapes[row + 1] as usize]
    }

    /// What rows take beyond 8 units each, if their elements are read without the others.
    pub(super) fn units(&self, runs: &[Range<usize>]) -> Option<u64> {
        let dimensions = |run: &Range<usize>| self.shapes[run.end] - self.shapes[run.start];
        self.held.is_none().then(|| 8 * runs.iter().map(dimensions).sum::<u64>())
    }

    /// Returns some rows.
    pub(super) fn rows<'p>(
        &self,
        runs: &[Range<usize>],
        reading: Reading<'p>,
        scratch: &'p Scratch,
    ) -> Result<Tensors<'p>> {
        let (mut ranks, mut dimensions, mut elements) = (Vec::new(), Vec::new(), Vec::new());
        let bools = self.dtype.bools();
        for run in runs {
            let all = self.elements[run.start]..self.elements[run.end];
            let bytes = match &self.held {
                Some(held) => {
                    Cow::Owned(memory::copied(&held[all.start as usize..all.end as usize]))
                }
                None => reading.bytes(all.clone())?,
            };
            if self.held.is_none() {
                check_bools(&bools, &bytes, |at| all.start as usize + at)?;
            }
            let mut rest = match bytes {
                Cow::Borrowed(bytes) => bytes,
                Cow::Owned(bytes) => scratch.keep(bytes),
            };
            for row in run.clone() {
                ranks.put(self.shapes[row + 1] - self.shapes[row]);
                dimensions.put_slice(self.shape(row));
                let (own, after) =
                    rest.split_at((self.elements[row + 1] - self.elements[row]) as usize);
                elements.put(own);
                rest = after;
            }
        }
        let orders = some_bits(&Bits::of_raw(&self.orders, self.len()), runs, scratch);
        Ok(Tensors { dtype: Arc::clone(&self.dtype), ranks, dimensions, orders, elements })
    }
}

impl BlockPlaces {
    /// Returns the tensors of a site, without their elements; `None` if these are not stored in their memory layout.
    pub(super) fn tensor_rows(
        &self,
        source: BlockSource<'_>,
        id: TypeId,
        place: &SitePlace,
    ) -> Result<Option<KeptTensors>> {
        let (found, padding) = self.skim(source, id, place, |column, encoding, padding| {
            let found = match column {
                Column::Tensors(tensors) => KeptTensors::located(&tensors, encoding, place),
                _ => None,
            };
            Ok((found, padding))
        })?;
        check_padding(source, id, padding)?;
        Ok(found)
    }

    /// The same, one by one.
    pub(crate) fn tensors(
        &self,
        source: BlockSource<'_>,
        id: TypeId,
    ) -> Result<Option<Vec<TensorPlace>>> {
        let place = self.site(source, id)?;
        if place.rows == 0 {
            return Ok(Some(Vec::new()));
        }
        let Some(all) = self.tensor_rows(source, id, &place)? else { return Ok(None) };
        let orders = Bits::of_raw(&all.orders, all.len());
        let places = (0..all.len()).map(|row| TensorPlace {
            dtype: Arc::clone(&all.dtype),
            shape: all.shape(row).into(),
            column_major: orders.decode_row(row),
            elements: all.elements[row]..all.elements[row + 1],
        });
        Ok(Some(memory::collected(places)))
    }
}
