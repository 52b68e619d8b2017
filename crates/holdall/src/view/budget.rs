//! The budget of a request: all that it reads together takes no more than one.

use alloc::format;
use alloc::vec::Vec;

use super::block::BlockSource;
use crate::block::{is_uninhabited, no_rows};
use crate::error::{Code, Error, Result};
use crate::limits::Budget;
use crate::memory;
use crate::schema::{DType, Schema, Type, TypeId};

/// The bytes that a program may take for absent rows, for each unit of the budget: as many as Python's objects take.
const ABSENT: u64 = 32;

/// The units that a request may still take, and those that each site has paid once for the whole request.
pub(super) struct CallBudget {
    left: Budget,
    paid: Vec<u64>,
    absent: Budget,
}

impl CallBudget {
    pub(super) fn new(source: BlockSource<'_>) -> CallBudget {
        let left = source.budget();
        let absent = Budget::of(left.left().saturating_mul(ABSENT));
        CallBudget { left, paid: memory::filled(0, source.schema.types().len()), absent }
    }

    pub(super) fn left(&self) -> u64 {
        self.left.left()
    }

    /// Returns what decoding a site may take: what is left, and what the site has paid.
    pub(super) fn left_for(&self, id: TypeId) -> u64 {
        self.left().saturating_add(self.paid[id])
    }

    /// Charges rows of a site, as decoding does (F-26).
    pub(super) fn charge_rows(
        &mut self,
        source: BlockSource<'_>,
        id: TypeId,
        rows: u64,
        at: u64,
    ) -> Result<()> {
        charge(&mut self.left, source.schema, id, rows, at)
    }

    /// Charges units for an item at an offset.
    pub(super) fn charge(&mut self, units: u128, at: u64) -> Result<()> {
        take(&mut self.left, units, at)
    }

    /// Charges bytes for rows that the data do not have.
    pub(super) fn charge_absent(&mut self, bytes: u128) -> Result<()> {
        self.absent.charge(bytes).map_err(|left| {
            Error::new(Code::LimitBudget).got(format!(
                "rows without a value take {bytes} bytes here, and {left} are left: {ABSENT} for each unit of the budget"
            ))
        })
    }

    /// Charges what a site has not paid yet of these units.
    pub(super) fn charge_once(&mut self, id: TypeId, units: u64, at: u64) -> Result<()> {
        self.charge(u128::from(units.saturating_sub(self.paid[id])), at)?;
        self.paid[id] = self.paid[id].max(units);
        Ok(())
    }
}

/// The units of rows of a site (F-26).
pub(super) fn units_of(schema: &Schema, id: TypeId, rows: u64) -> u128 {
    let types = schema.types();
    let values = match &types[id] {
        Type::Packed(inner) => DType::of(types, *inner).values(),
        _ => 1,
    };
    (8 * u128::from(rows)).saturating_mul(values)
}

/// Charges rows of a site, as decoding does (F-26). Rejects rows of a type without values (F-24): a block with a directory is
/// searched without this check.
pub(super) fn charge(
    budget: &mut Budget,
    schema: &Schema,
    id: TypeId,
    rows: u64,
    at: u64,
) -> Result<()> {
    let types = schema.types();
    if rows > 0 && is_uninhabited(&types[id]) {
        return Err(no_rows(0, rows).moved_by(at));
    }
    take(budget, units_of(schema, id, rows), at)
}

fn take(budget: &mut Budget, units: u128, at: u64) -> Result<()> {
    budget.charge(units).map_err(|left| Error::over_budget(units, left).moved_to(0).moved_by(at))
}
