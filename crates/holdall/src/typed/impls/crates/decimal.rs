//! Shared by rust_decimal and bigdecimal: form, coefficient and exponent (F-72).

use alloc::borrow::ToOwned;

use crate::error::Result;
use crate::number::IntKind;
use crate::schema::LogicalType;
use crate::typed::{Columns, Description, Rows, Site, Types};

/// The form of negative numbers and of negative 0; positive numbers have form 0.
const NEGATIVE: u8 = 1;

pub(super) fn describe(types: &mut Types) -> Description {
    let form = types.add(Description::int(IntKind::U8));
    let big = types.add(Description::int(IntKind::Int));
    let storage = types.add(Description::tuple([form, big, big]));
    Description::logical(LogicalType::unchecked(LogicalType::DECIMAL, &[]), storage)
}

/// The sites of the parts of a decimal.
pub(super) struct DecimalSites {
    pub(super) form: Site,
    pub(super) coefficient: Site,
    pub(super) exponent: Site,
}

impl DecimalSites {
    pub(super) fn new(site: Site, child: impl Fn(Site, usize) -> Site) -> DecimalSites {
        let storage = child(site, 0);
        let [form, coefficient, exponent] = [0, 1, 2].map(|part| child(storage, part));
        DecimalSites { form, coefficient, exponent }
    }

    pub(super) fn write_form(&self, is_negative: bool, columns: &mut Columns<'_>) -> Result<()> {
        columns.buffers.push(self.form, u8::from(is_negative))
    }

    /// Whether the number is negative; an error if it is not a number.
    pub(super) fn read_form(&self, rows: &mut Rows<'_, '_>) -> Result<bool> {
        match rows.one::<u8>(self.form)? {
            0 => Ok(false),
            NEGATIVE => Ok(true),
            form => {
                let got = match form {
                    2 | 3 => "an infinity".to_owned(),
                    4..=7 => "a NaN".to_owned(),
                    _ => format!("form {form}"),
                };
                Err(rows.unconvertible(self.form, "a finite decimal", got))
            }
        }
    }
}
