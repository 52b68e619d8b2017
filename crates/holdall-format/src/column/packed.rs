//! Packed rows: adjacent values of a fixed width.

use crate::column::raw::{self, Of};
use crate::column::{Place, preview};
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::schema::{Bools, DType};

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
