//! Decimals of 96 bits.

use alloc::borrow::ToOwned;

use rust_decimal::Decimal;

use super::decimal::{DecimalSites, describe};
use crate::error::Result;
use crate::typed::impls::big_ints::{read_big_int, write_big_int};
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

/// 2^96 - 1.
const MAX_MANTISSA: u128 = (1 << 96) - 1;

/// Returns the number with the scale that it was written with, if the type supports that; otherwise with the nearest
/// scale that keeps the value.
fn decimal_of(coefficient: i128, exponent: i128) -> Option<Decimal> {
    let mut coefficient = u128::try_from(coefficient).ok()?;
    let lowest = -i128::from(Decimal::MAX_SCALE);
    if coefficient == 0 {
        return Some(Decimal::new(0, (-exponent.clamp(lowest, 0)) as u32));
    }
    let mut exponent = exponent;
    while exponent < 0 && (exponent < lowest || coefficient > MAX_MANTISSA) {
        // This loop ends: the 39 digits cannot all be 0.
        if !coefficient.is_multiple_of(10) {
            return None;
        }
        coefficient /= 10;
        exponent += 1;
    }
    if exponent > 0 {
        coefficient =
            coefficient.checked_mul(10_u128.checked_pow(u32::try_from(exponent).ok()?)?)?;
        exponent = 0;
    }
    Decimal::try_from_i128_with_scale(i128::try_from(coefficient).ok()?, (-exponent) as u32).ok()
}

impl Encode for Decimal {
    fn describe(types: &mut Types) -> Description {
        describe(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let parts = DecimalSites::new(site, |site, number| columns.child(site, number));
        // A negative 0 is negative too.
        parts.write_form(self.is_sign_negative(), columns)?;
        write_big_int(self.mantissa().abs(), parts.coefficient, columns)?;
        write_big_int(-i128::from(self.scale()), parts.exponent, columns)
    }
}

impl<'de> Decode<'de> for Decimal {
    fn describe(types: &mut Types) -> Description {
        describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let parts = DecimalSites::new(site, |site, number| rows.child(site, number));
        let is_negative = parts.read_form(rows)?;
        let (coefficient, exponent) =
            (read_big_int(parts.coefficient, rows)?, read_big_int(parts.exponent, rows)?);
        let decimal =
            coefficient.zip(exponent).and_then(|(number, exponent)| decimal_of(number, exponent));
        let mut decimal = decimal.ok_or_else(|| {
            let got = match coefficient.zip(exponent) {
                Some((coefficient, exponent)) => format!("{coefficient}·10^{exponent}"),
                None => "a number beyond 128 bits".to_owned(),
            };
            rows.unconvertible(
                parts.coefficient,
                "a decimal of 96 bits and 28 digits after the point",
                got,
            )
        })?;
        decimal.set_sign_negative(is_negative);
        Ok(decimal)
    }
}
