//! Decimals of any size.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::{BigInt, Sign};

use super::decimal::{DecimalSites, describe};
use crate::error::Result;
use crate::memory::GrowVec;
use crate::typed::impls::big_ints::{read_as, read_big, write_big, write_big_int};
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};

impl Encode for BigDecimal {
    fn describe(types: &mut Types) -> Description {
        describe(types)
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        let parts = DecimalSites::new(site, |site, number| columns.child(site, number));
        let (number, scale) = self.as_bigint_and_scale();
        parts.write_form(number.sign() == Sign::Minus, columns)?;
        let mut coefficient = number.magnitude().to_bytes_le();
        coefficient.put(0);
        write_big(&coefficient, parts.coefficient, columns)?;
        write_big_int(-i128::from(scale), parts.exponent, columns)
    }
}

/// The exponent is kept, however large: arithmetic with such a number may take that much memory.
impl<'de> Decode<'de> for BigDecimal {
    fn describe(types: &mut Types) -> Description {
        describe(types)
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        let parts = DecimalSites::new(site, |site, number| rows.child(site, number));
        let is_negative = parts.read_form(rows)?;
        let coefficient = read_big(parts.coefficient, rows, BigInt::from_signed_bytes_le)?;
        let number = match coefficient.sign() {
            Sign::Minus => {
                let expected = "a coefficient of 0 or more";
                return Err(rows.unconvertible(parts.coefficient, expected, "a negative one"));
            }
            Sign::NoSign if is_negative => {
                let expected = "a decimal, whose 0 has no sign";
                return Err(rows.unconvertible(parts.coefficient, expected, "-0"));
            }
            _ if is_negative => -coefficient,
            _ => coefficient,
        };
        let scale =
            read_as(parts.exponent, rows, "an exponent above -2^63, up to 2^63", |exponent| {
                i64::try_from(exponent.checked_neg()?).ok()
            })?;
        Ok(BigDecimal::new(number, scale))
    }
}
