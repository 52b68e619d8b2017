//! What a reader's program says beside its schema.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::annotations::Annotations;
use crate::error::Result;

/// A field of the reader's schema: of the structs of a name, or of all records.
///
/// ```
/// use holdall::Field;
///
/// let mail = Field::of_struct("User", "mail");
/// let id = Field::of_record("id");
/// # let _ = (mail, id);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    pub(super) owner: Option<Arc<str>>,
    pub(super) name: Arc<str>,
}

impl Field {
    /// The field of this name in the reader's structs of that name.
    pub fn of_struct(owner: impl Into<Arc<str>>, name: impl Into<Arc<str>>) -> Field {
        Field { owner: Some(owner.into()), name: name.into() }
    }

    /// The field of this name in the reader's records.
    pub fn of_record(name: impl Into<Arc<str>>) -> Field {
        Field { owner: None, name: name.into() }
    }
}

type Aliases<K> = HashMap<K, Vec<Arc<str>>>;

/// The options of a resolver.
#[derive(Default)]
pub(super) struct Options {
    pub(super) fields: Aliases<Field>,
    pub(super) structs: Aliases<Arc<str>>,
    pub(super) variants: Aliases<Arc<str>>,
    /// Messages of values, or why there is none; in the order in which they were given, each field once.
    pub(super) defaults: Vec<(Field, Result<Vec<u8>>)>,
    pub(super) open: HashSet<Field>,
    /// Variants for those that a union lacks, of type null.
    pub(super) others: HashSet<Arc<str>>,
    pub(super) marks: Annotations,
    pub(super) round: bool,
    pub(super) deny_unknown: bool,
}

impl Options {
    /// The names that a field, struct or variant has beside its own.
    pub(super) fn aliases_of<'o, K: std::hash::Hash + Eq>(
        aliases: &'o Aliases<K>,
        of: &K,
    ) -> &'o [Arc<str>] {
        aliases.get(of).map_or(&[], Vec::as_slice)
    }

    /// The number of a field's default.
    pub(super) fn default_of(&self, field: &Field) -> Option<usize> {
        self.defaults.iter().position(|(of, _)| of == field)
    }
}
