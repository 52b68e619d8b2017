//! All plans, one for each type that a program writes or reads as a root.

#[cfg(not(feature = "std"))]
mod list;
#[cfg(feature = "std")]
mod shared;

use crate::error::Result;
use crate::typed::plan::{Plan, PlanKey};
use crate::typed::{TypeNumber, Types};

/// Returns the plan of a type. It is made once, and lives as long as the program.
#[inline]
pub(super) fn get(key: PlanKey, describe: fn(&mut Types) -> TypeNumber) -> Result<&'static Plan> {
    #[cfg(feature = "std")]
    return shared::get(key, describe);
    #[cfg(not(feature = "std"))]
    list::get(key, describe)
}
