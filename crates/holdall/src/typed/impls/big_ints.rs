//! Integers of type int, of any size, and times, which are stored as such integers.

use alloc::string::ToString;

use crate::error::Result;
use crate::number::{IntKind, shorten_big, wide_of_big};
use crate::schema::LogicalType;
use crate::typed::{Columns, Description, Rows, Site, Types};

pub(in crate::typed) const NANOSECONDS: u8 = 3;
pub(in crate::typed) const UTC: u8 = LogicalType::UTC;

/// Describes a logical type over int.
pub(in crate::typed) fn over_int(kind: u8, parameters: &[u8], types: &mut Types) -> Description {
    let big = types.add(Description::int(IntKind::Int));
    Description::logical(LogicalType::unchecked(kind, parameters), big)
}

pub(in crate::typed) fn write_big_int(
    number: i128,
    site: Site,
    columns: &mut Columns<'_>,
) -> Result<()> {
    match i64::try_from(number) {
        Ok(number) => columns.buffers.bits_of_int(site, number.cast_unsigned()),
        Err(_) => columns.buffers.big(site, shorten_big(&number.to_le_bytes())),
    }
}

/// Reads an integer; none if it exceeds 128 bits.
pub(in crate::typed) fn read_big_int(site: Site, rows: &mut Rows<'_, '_>) -> Result<Option<i128>> {
    Ok(match rows.big(site)? {
        Ok(bits) => Some(i128::from(bits.cast_signed())),
        Err(big) if big.len() <= 16 => Some(i128::from_le_bytes(wide_of_big(big))),
        Err(_) => None,
    })
}

/// Reads an integer, and converts it by a function.
pub(in crate::typed) fn read_as<T>(
    site: Site,
    rows: &mut Rows<'_, '_>,
    expected: &'static str,
    of: impl FnOnce(i128) -> Option<T>,
) -> Result<T> {
    let number = read_big_int(site, rows)?;
    number.and_then(of).ok_or_else(|| {
        let got = number.map_or_else(|| "a number beyond 128 bits".into(), |n| n.to_string());
        rows.unconvertible(site, expected, got)
    })
}

/// Writes an integer from its two's complement, little-endian, of any length.
#[cfg(any(feature = "num-bigint", feature = "num-rational", feature = "bigdecimal"))]
pub(in crate::typed) fn write_big(
    twos_complement: &[u8],
    site: Site,
    columns: &mut Columns<'_>,
) -> Result<()> {
    let big = shorten_big(twos_complement);
    match big.len() {
        0..=8 => {
            let wide = i128::from_le_bytes(wide_of_big(big));
            columns.buffers.bits_of_int(site, (wide as i64).cast_unsigned())
        }
        _ => columns.buffers.big(site, big),
    }
}

/// Reads an integer from its two's complement, little-endian, whose length is charged.
#[cfg(any(feature = "num-bigint", feature = "num-rational", feature = "bigdecimal"))]
pub(in crate::typed) fn read_big<T>(
    site: Site,
    rows: &mut Rows<'_, '_>,
    of: impl FnOnce(&[u8]) -> T,
) -> Result<T> {
    match rows.big(site)? {
        Ok(bits) => Ok(of(&bits.to_le_bytes())),
        Err(big) => {
            rows.allocate::<u8>(big.len())?;
            Ok(of(big))
        }
    }
}
