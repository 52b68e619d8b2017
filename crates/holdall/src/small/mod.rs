//! Messages site by site, for bindings.
//!
//! The schema and the columns of a message have the same order (F-23), so a value whose rows are in memory site after
//! site can be written in one walk: [`SmallWriter`] appends the type of each site to the schema and its columns to the
//! block. A [`SmallSchema`] of a small message is read in one walk, too, and [`SmallReader`] reads the columns of its types. Neither makes
//! the tables that other messages need for each site, which cost several times as much as a row.
//!
//! The values are those of JSON, byte strings, tuples, structs, maps, logical values and extensions of these, and named
//! variants without payload. There are no definitions, so no value may be shared
//! or recursive, and no type may be folded or gathered (F-50, F-51). The caller of [`SmallWriter`] must ensure this: a message
//! that breaks it is valid, but has other bytes than an [`Encoder`](crate::Encoder) writes. Reading says only whether
//! it succeeded: a [`Decoder`](crate::Decoder) then finds the fault and its offset.

mod names;
mod read;
mod schema;
mod write;

#[cfg(test)]
mod tests;

pub use crate::dynamic::is_data;
pub use read::SmallReader;
pub use schema::{Fields, SmallName, SmallSchema, SmallType};
pub use write::{Shapes, SmallWriter};
