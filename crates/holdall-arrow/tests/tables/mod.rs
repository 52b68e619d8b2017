//! Tables of any bytes: their budgets, and what is refused.

mod budgets;
#[allow(dead_code, reason = "the tests of holdall-inspect use all of it")]
#[path = "../../../holdall-inspect/tests/laws/common/mod.rs"]
mod common;
mod damage;
mod law;
mod refusals;
mod schemas;
