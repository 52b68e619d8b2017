//! Adjacent values of a fixed width: packed rows and tensors.

use std::sync::Arc;

use crate::column::bits::{Bits, read_bits};
use crate::column::raw::{self, Of};
use crate::column::{Place, ints, preview};
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::kernel::lengths;
use crate::limits::RANK;
use crate::schema::{Bools, DType};

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

/// Reads packed rows (F-24, F-70).
pub fn read_packed<'a>(
    input: &mut Input<'a>,
    dtype: &DType,
    rows: usize,
) -> Result<(Place, &'a [u8])> {
    let width = dtype.width().unwrap_or(0);
    let column = raw::read(input, Of::packed(width), rows as u128)?;
    input.located();
    if let Some(tracer) = input.tracer() {
        preview::rows_of(tracer, dtype.scalar(), width, column.bytes);
    }
    check_bools(&dtype.bools(), column.bytes, |at| column.offset_of(at))?;
    Ok((column.place(input, rows), column.bytes))
}

/// Checks that bools in rows are 0 or 1; the function returns where to report a fault of a byte.
pub fn check_bools(
    bools: &Bools,
    rows: &[u8],
    offset_of: impl FnOnce(usize) -> usize,
) -> Result<()> {
    match bools.find_bad(rows) {
        None => Ok(()),
        Some(at) => Err(Error::at(Code::BadBool, offset_of(at))
            .expected("00 or 01")
            .got(format!("{:02X}", rows[at]))),
    }
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
        counts.into_iter().map(|count| (count * u128::from(of.width)) as usize).collect();
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
    let elements = elements.collect();
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
    counts.collect()
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
