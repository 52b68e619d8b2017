//! Tensors: gathered row by row and written, and read as columns.

use alloc::borrow::Cow;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use super::bits::{self, Bits, read_bits};
use super::packed::check_bools;
use super::pieces::{self, Apart, Payload, SharedBytes};
use super::raw::{self, Of};
use super::{Place, Settings, ints, preview};
use crate::error::{Code, Error, Result};
use crate::input::{Input, MIN_ALIGNED_PAYLOAD};
use crate::kernel::lengths;
use crate::limits::RANK;
use crate::memory::{Collect, GrowVec};
use crate::schema::DType;

/// The columns of tensors (F-76).
#[derive(Debug)]
pub struct TensorRows {
    /// What the elements are.
    of: Of,
    pub ranks: Vec<u64>,
    pub dimensions: Vec<u64>,
    pub orders: Vec<bool>,
    /// The elements of small rows, concatenated.
    small: Vec<u8>,
    rows: Vec<Elements>,
}

/// Rows with fewer bytes are copied, which is cheaper than counting references.
const SHARED: usize = 4096;

/// The elements of one row.
#[derive(Debug)]
enum Elements {
    Small(Range<usize>),
    /// Kept by reference: copying them would cost as much as writing them.
    Shared(Arc<dyn SharedBytes>),
}

impl TensorRows {
    /// Makes empty columns for elements of this type.
    pub fn of(dtype: &DType) -> TensorRows {
        let (ranks, dimensions, orders) = Default::default();
        let of = Of::elements(dtype);
        TensorRows { of, ranks, dimensions, orders, small: Vec::new(), rows: Vec::new() }
    }

    /// Releases the rows and their memory.
    pub fn release(&mut self) {
        let (ranks, dimensions, orders) = Default::default();
        let of = self.of;
        *self = TensorRows { of, ranks, dimensions, orders, small: Vec::new(), rows: Vec::new() };
    }

    /// Appends a row; `elements` appends the bytes of its elements.
    pub fn append(
        &mut self,
        shape: impl IntoIterator<Item = u64>,
        column_major: bool,
        elements: impl FnOnce(&mut Vec<u8>),
    ) {
        self.shape(shape, column_major);
        let start = self.small.len();
        elements(&mut self.small);
        self.rows.put(Elements::Small(start..self.small.len()));
    }

    /// Appends a row whose elements others hold, too.
    pub fn append_shared(
        &mut self,
        shape: &[u64],
        column_major: bool,
        elements: Arc<dyn SharedBytes>,
    ) {
        let bytes = (*elements).as_ref();
        if bytes.len() < SHARED {
            let copy = |all: &mut Vec<u8>| all.put_slice(bytes);
            return self.append(shape.iter().copied(), column_major, copy);
        }
        self.shape(shape.iter().copied(), column_major);
        self.rows.put(Elements::Shared(elements));
    }

    fn shape(&mut self, shape: impl IntoIterator<Item = u64>, column_major: bool) {
        let before = self.dimensions.len();
        self.dimensions.put_each(shape);
        let rank = self.dimensions.len() - before;
        self.ranks.put(rank as u64);
        self.orders.put(column_major && rank > 1);
    }

    /// Estimates the memory of the rows, in bytes.
    pub fn size(&self) -> usize {
        let shared = self.rows.iter().map(|row| match row {
            Elements::Small(_) => 0,
            Elements::Shared(shared) => (**shared).as_ref().len(),
        });
        32 * self.ranks.len() + 8 * self.dimensions.len() + self.small.len() + shared.sum::<usize>()
    }

    /// Keeps only the first `len` rows.
    pub fn truncate(&mut self, len: usize) {
        self.rows.truncate(len);
        self.ranks.truncate(len);
        self.orders.truncate(len);
        self.dimensions.truncate(self.ranks.iter().sum::<u64>() as usize);
        let end = self.rows.iter().rev().find_map(|row| match row {
            Elements::Small(range) => Some(range.end),
            Elements::Shared(_) => None,
        });
        self.small.truncate(end.unwrap_or(0));
    }

    pub fn clear(&mut self) {
        self.ranks.clear();
        self.dimensions.clear();
        self.orders.clear();
        self.small.clear();
        self.rows.clear();
    }

    /// Whether the elements take 4,096 bytes or more (F-69).
    pub fn wants_alignment(&self) -> bool {
        self.len() >= MIN_ALIGNED_PAYLOAD
    }

    /// Returns the size of the elements in bytes.
    fn len(&self) -> usize {
        self.rows().map(<[u8]>::len).sum()
    }

    /// Iterates over the elements of each row.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.rows.iter().map(|row| self.elements(row))
    }

    fn elements<'r>(&'r self, row: &'r Elements) -> &'r [u8] {
        match row {
            Elements::Small(range) => &self.small[range.clone()],
            Elements::Shared(shared) => (**shared).as_ref(),
        }
    }
}

/// Appends the columns (F-76). Shared elements become pieces of `apart`, if given.
pub fn write(
    out: &mut Vec<u8>,
    rows: &TensorRows,
    settings: Settings,
    mut apart: Option<&mut Apart>,
) {
    ints::write_u64(out, &rows.ranks, settings);
    ints::write_u64(out, &rows.dimensions, settings);
    bits::write(out, &rows.orders, settings);
    let len = rows.len();
    if settings.profile.is_small() {
        let mut all = rows.rows();
        let elements = match (all.next(), all.next()) {
            (Some(only), None) => Cow::Borrowed(only),
            _ => {
                let mut all = Vec::new();
                rows.rows().for_each(|row| all.put_slice(row));
                Cow::Owned(all)
            }
        };
        return raw::write(out, rows.of, &elements, settings);
    }
    raw::write_head(out, len, settings);
    for row in &rows.rows {
        match (row, &mut apart) {
            (Elements::Shared(shared), Some(apart))
                if rows.elements(row).len() >= pieces::MIN_PIECE =>
            {
                apart.push(out, Payload::Shared(Arc::clone(shared)));
            }
            _ => out.put_slice(rows.elements(row)),
        }
    }
}

/// The tensors of one site.
pub struct Tensors<'a> {
    pub dtype: Arc<DType>,
    pub ranks: Vec<u64>,
    /// The dimensions of all rows.
    pub dimensions: Vec<u64>,
    /// Whether a row is in column-major order.
    pub orders: Bits<'a>,
    /// The elements of each row.
    pub elements: Vec<&'a [u8]>,
}

/// Reads tensors (F-76).
pub fn read_tensors<'a>(
    input: &mut Input<'a>,
    dtype: Arc<DType>,
    rows: usize,
    mut place: impl FnMut(&'static str, Place),
) -> Result<Tensors<'a>> {
    let units = 8 * rows as u128;
    let (at, ranks) = input.depend_on(units, |input| {
        ints::read_bounded(input, rows, RANK + 1, "a rank", Code::LimitRank)
    })?;
    place("ranks", at);
    let total = lengths::sum(&ranks);
    let mut dimensions = Vec::new();
    if total > 0 {
        input.charge(8 * total)?;
        let start = input.position();
        let total = usize::try_from(total).map_err(|_| Error::at(Code::LimitBudget, start))?;
        input.column("a dimension");
        let units = 8 * total as u128;
        let (at, read) = input
            .depend_on(units, |input| ints::read_u64(input, total))
            .map_err(|error| error.in_row(None))?;
        place("dimensions", at);
        dimensions = read;
    }
    input.column("orders");
    let (at, orders) =
        input.depend_on(0, |input| read_bits(input, rows, ["row-major", "column-major"]))?;
    place("orders", at);
    let of = Of::elements(&dtype);
    input.column("");
    let counts = element_counts(&ranks, &dimensions);
    let total = counts.iter().fold(0, |sum: u128, count| sum.saturating_add(*count));
    let column = raw::read(input, of, total).map_err(|error| error.in_row(None))?;
    place("elements", column.place(input, rows));
    if let Some(tracer) = input.tracer().filter(|_| total > 0) {
        preview::rows_of(tracer, dtype.scalar(), of.width, column.bytes);
    }
    // The elements exist, so the lengths of the rows fit.
    let lens: Vec<usize> =
        counts.into_iter().map(|count| (count * u128::from(of.width)) as usize).collected();
    if input.skims() {
        return Ok(Tensors { dtype, ranks, dimensions, orders, elements: Vec::new() });
    }
    if total > 0 {
        let mut at = 0;
        let bools = dtype.bools();
        check_bools(&bools, column.bytes, |bad| {
            at = bad;
            column.offset_of(bad)
        })
        .map_err(|error| error.in_row(row_of(&lens, at)))?;
    }
    let mut rest = column.bytes;
    let elements = lens.into_iter().map(|len| {
        let (elements, after) = rest.split_at(len);
        rest = after;
        elements
    });
    let elements = elements.collected();
    Ok(Tensors { dtype, ranks, dimensions, orders, elements })
}

/// The number of elements of each row.
pub fn element_counts(ranks: &[u64], dimensions: &[u64]) -> Vec<u128> {
    let mut rest = dimensions;
    let counts = ranks.iter().map(|&rank| {
        // There are as many dimensions as the sum of the ranks.
        let (shape, after) = rest.split_at(rank as usize);
        rest = after;
        element_count(shape)
    });
    counts.collected()
}

/// The row that contains a byte, if the rows have these lengths.
fn row_of(lens: &[usize], byte: usize) -> Option<usize> {
    let mut end = 0;
    lens.iter().position(|len| {
        end += len;
        byte < end
    })
}

/// The product of a tensor's dimensions, saturating: no input has 2^128 elements.
pub fn element_count(shape: &[u64]) -> u128 {
    if shape.contains(&0) {
        return 0;
    }
    shape.iter().fold(1, |product: u128, &dimension| product.saturating_mul(u128::from(dimension)))
}
