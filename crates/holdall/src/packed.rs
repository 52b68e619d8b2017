//! Values of a fixed width, side by side: packed rows and tensors.

use std::sync::Arc;

use crate::block::read_bits;
use crate::column::bits::Bits;
use crate::column::{Align, Place, ints};
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::kernel::lengths;
use crate::limits::RANK;
use crate::schema::{Bools, DType};
use crate::trace::{self, Form as Reads, field};

/// The tensors of one site.
pub(crate) struct Tensors<'a> {
    pub(crate) dtype: Arc<DType>,
    pub(crate) ranks: Vec<u64>,
    /// Of all rows.
    pub(crate) dimensions: Vec<u64>,
    /// Whether a row is in column-major order.
    pub(crate) orders: Bits<'a>,
    /// Of each row.
    pub(crate) elements: Vec<&'a [u8]>,
}

/// Packed rows (F-24).
pub(crate) fn read_packed<'a>(input: &mut Input<'a>, dtype: &DType, rows: u64) -> Result<&'a [u8]> {
    let len = u128::from(rows) * u128::from(dtype.width().unwrap_or(0));
    let rows = field("packed rows", 24).form(Reads::Rows);
    let payload = input.payload(len, Align::Column, rows)?;
    input.located();
    if let Some(tracer) = input.tracer() {
        trace::rows_of(tracer, dtype.scalar(), dtype.width().unwrap_or(0), payload);
    }
    check_bools(&dtype.bools(), payload, input.position() - payload.len())?;
    Ok(payload)
}

pub(crate) fn check_bools(bools: &Bools, values: &[u8], start: usize) -> Result<()> {
    match bools.find_bad(values) {
        None => Ok(()),
        Some(at) => Err(Error::at(Code::BadBool, start + at)
            .expected("00 or 01")
            .got(format!("{:02X}", values[at]))),
    }
}

/// Tensors (F-76).
pub(crate) fn read_tensors<'a>(
    input: &mut Input<'a>,
    dtype: Arc<DType>,
    rows: usize,
    mut place: impl FnMut(&'static str, Place),
) -> Result<Tensors<'a>> {
    let (at, ranks) = ints::read_bounded(input, rows, RANK + 1, "a rank", Code::LimitRank)?;
    place("ranks", at);
    let total = lengths::sum(&ranks);
    let mut dimensions = Vec::new();
    if total > 0 {
        input.charge(8 * total)?;
        let start = input.position();
        let total = usize::try_from(total).map_err(|_| Error::at(Code::LimitBudget, start))?;
        input.column("a dimension");
        let (at, read) = ints::read_u64(input, total).map_err(|error| error.in_row(None))?;
        place("dimensions", at);
        dimensions = read;
    }
    input.column("orders");
    let (at, orders) = read_bits(input, rows, ["row-major", "column-major"])?;
    place("orders", at);
    let width = u128::from(dtype.width().unwrap_or(0));
    input.column("");
    let start = input.position();
    let mut bools = None;
    let mut elements = Vec::new();
    let mut rest = &dimensions[..];
    for (row, &rank) in ranks.iter().enumerate() {
        let (shape, after) = rest.split_at(rank as usize);
        rest = after;
        let len = element_count(shape).saturating_mul(width);
        let bytes = input
            .payload(len, Align::Tensor, field("a tensor's elements", 76).form(Reads::Rows))
            .map_err(|error| error.in_row(row))?;
        if let Some(tracer) = input.tracer().filter(|_| len > 0) {
            trace::rows_of(tracer, dtype.scalar(), dtype.width().unwrap_or(0), bytes);
        }
        if !bytes.is_empty() {
            let bools = bools.get_or_insert_with(|| dtype.bools());
            check_bools(bools, bytes, input.position() - bytes.len())
                .map_err(|error| error.in_row(row))?;
        }
        elements.push(bytes);
    }
    place("elements", Place { range: start..input.position(), encoding: None, rows });
    Ok(Tensors { dtype, ranks, dimensions, orders, elements })
}

/// The product of a tensor's dimensions; one that has no end in 128 bits fits no input.
pub(crate) fn element_count(shape: &[u64]) -> u128 {
    if shape.contains(&0) {
        return 0;
    }
    shape.iter().fold(1, |product: u128, &dimension| product.saturating_mul(u128::from(dimension)))
}
