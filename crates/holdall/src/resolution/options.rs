//! What the reader's program specifies in addition to its schema.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::annotations::Annotations;
use crate::error::Result;
use crate::platform::{HashMap, HashSet};

/// A field of the reader's schema, in the structs of one name or in all records.
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
    /// Returns the same field of another owner, if it is one of an owner's.
    pub(crate) fn moved(&self, from: Option<&str>, to: Option<&str>) -> Option<Field> {
        let owner = to.map(Arc::from);
        (self.owner.as_deref() == from).then(|| Field { owner, name: Arc::clone(&self.name) })
    }

    /// Selects the field of this name in the reader's structs with that name.
    pub fn of_struct(owner: impl Into<Arc<str>>, name: impl Into<Arc<str>>) -> Field {
        Field { owner: Some(owner.into()), name: name.into() }
    }

    /// Selects the field of this name in the reader's records.
    pub fn of_record(name: impl Into<Arc<str>>) -> Field {
        Field { owner: None, name: name.into() }
    }
}

type AliasesByKey<K> = HashMap<K, Vec<Arc<str>>>;

/// The options of a resolver.
#[derive(Default)]
pub(super) struct Options {
    pub(super) fields: AliasesByKey<Field>,
    pub(super) structs: AliasesByKey<Arc<str>>,
    pub(super) variants: AliasesByKey<Arc<str>>,
    /// The defaults as messages, or the error of making one, in the order given; each field occurs once.
    pub(super) defaults: Vec<(Field, Result<Vec<u8>>)>,
    pub(super) open: HashSet<Field>,
    /// The names of variants of type null that replace variants a union lacks.
    pub(super) others: HashSet<Arc<str>>,
    pub(super) annotations: Annotations,
    pub(super) round: bool,
    pub(super) deny_unknown: bool,
}

impl Options {
    /// The other names of a field, struct or variant.
    pub(super) fn aliases_of<'o, K: core::hash::Hash + Eq>(
        aliases: &'o AliasesByKey<K>,
        of: &K,
    ) -> &'o [Arc<str>] {
        aliases.get(of).map_or(&[], Vec::as_slice)
    }

    /// Returns the index of a field's default.
    pub(super) fn default_of(&self, field: &Field) -> Option<usize> {
        self.defaults.iter().position(|(of, _)| of == field)
    }
}
