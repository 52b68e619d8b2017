//! Reading with another schema (spec, chapter 13).
//!
//! Resolution looks at the schemas alone: `types` gives the types of both one numbering, `rules` finds for each pair
//! the line of F-78 (`choice` for what r leaves open, `fields` for F-79), `solve` which pairs can be read, and a [`Plan`] is what comes of it. Then a
//! message is recorded on a tape, which `convert` reads as the plan says; or, for Rust types, `bind` gives its
//! columns to the types of the reader, where no value has to be looked at.

mod annotations;
mod bind;
mod choice;
mod convert;
mod diff;
mod enter;
mod fields;
mod floats;
mod frames;
mod integers;
mod options;
mod plan;
mod resolver;
mod rows;
mod rule_ids;
mod rules;
mod runtime_checks;
mod scalars;
mod sequences;
mod serde_compat;
mod solve;
mod types;

#[cfg(feature = "serde")]
pub(crate) use floats::{FloatKind, narrow_exactly, of_integer};
#[cfg(feature = "serde")]
pub(crate) use integers::Integer;
#[cfg(feature = "serde")]
pub(crate) use serde_compat::TIMES;

pub(crate) use annotations::{Annotation, Annotations, Versions, versioned};
pub use diff::{Change, ChangeKind, Diff, Reads};

pub use options::Field;
pub use plan::Plan;
pub use resolver::Resolver;
pub use runtime_checks::RuntimeCheck;
