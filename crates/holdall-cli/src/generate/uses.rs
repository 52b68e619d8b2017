//! Which declared types others name.

use std::collections::{HashMap, HashSet};

use super::Model;

/// The declared types that others name: nothing names those inside a type of any value. Each is declared again once it turns out to be a
/// key, so all are declared at most twice.
pub(super) struct Uses<'m> {
    ids: HashMap<&'m str, usize>,
    used: HashSet<usize>,
    keys: HashSet<usize>,
    pending: Vec<usize>,
}

impl<'m> Uses<'m> {
    pub(super) fn new(model: &'m Model<'_>) -> Self {
        let declared = model.names.declared().iter();
        let ids = declared.filter_map(|id| Some((model.name(*id)?, *id))).collect();
        Uses { ids, used: HashSet::new(), keys: HashSet::new(), pending: Vec::new() }
    }

    /// Notes that a type is named, as a key or not.
    pub(super) fn note(&mut self, name: &str, is_key: bool) {
        let Some(&id) = self.ids.get(name) else { return };
        let is_new = self.used.insert(id) | (is_key && self.keys.insert(id));
        if is_new {
            self.pending.push(id);
        }
    }

    pub(super) fn is_key(&self, name: &str) -> bool {
        self.ids.get(name).is_some_and(|id| self.keys.contains(id))
    }

    /// The next type to declare.
    pub(super) fn next(&mut self) -> Option<usize> {
        self.pending.pop()
    }
}
