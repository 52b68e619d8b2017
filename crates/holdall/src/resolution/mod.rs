//! Reading with another schema (spec, chapter 13).
//!
//! Resolution compares the schemas alone. `types` numbers the types of both, `rules` finds the line of F-78 for each pair (`choice`
//! where r offers several, `fields` for F-79), `solve` finds which pairs can be read, and a [`ResolutionPlan`] holds the result. A message is
//! then recorded on a tape, from which `convert` emits values as the plan describes. For Rust types, `bind` reuses entire columns
//! where no value needs converting.

mod annotations;
mod any;
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

pub use floats::nearest_float;
#[cfg(feature = "serde")]
pub(crate) use floats::{FloatKind, narrow_exactly, nearest, nearest_of_integer, of_integer};
#[cfg(feature = "serde")]
pub(crate) use integers::Integer;
#[cfg(feature = "serde")]
pub(crate) use serde_compat::TIMES;

pub(crate) use annotations::{Annotation, Annotations, Versions, versioned};
pub(crate) use bind::{Binding, Rest};
pub use diff::{Change, ChangeKind, Diff, Reads};

pub use options::Field;
pub use plan::ResolutionPlan;
pub use resolver::Resolver;
pub use runtime_checks::RuntimeCheck;
