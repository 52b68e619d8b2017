//! The strings that are keys of dicts: messages that follow each other mostly have the same names.

use holdall::bindings::SmallName;
use holdall::bindings::memory::GrowVec;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::raw;

/// The places for strings with the same low bits of their hashes.
const WAYS: usize = 4;
/// The number of such sets: data can name any number of keys, so only that many strings are kept.
const SETS: usize = 512;
/// The longest name that is kept.
const MAX_KEPT_NAME: usize = 64;

/// A string and the hash of its text.
type HashedKey = (u64, Py<PyString>);

/// Strings by the hashes of their text, the latest first.
#[derive(Default)]
pub(super) struct NameStrings {
    sets: Vec<[Option<HashedKey>; WAYS]>,
}

impl NameStrings {
    /// Returns the string of a name in a schema.
    #[inline]
    pub(super) fn get(
        &mut self,
        py: Python<'_>,
        name: &SmallName,
        schema: &[u8],
    ) -> Option<Py<PyString>> {
        if self.sets.is_empty() {
            self.sets.put_fill_with(SETS, Default::default);
        }
        let text = schema.get(name.place.clone())?;
        let set = &mut self.sets[name.hash as usize % SETS];
        for at in 0..WAYS {
            if let Some((hash, key)) = &set[at]
                && *hash == name.hash
                && raw::utf8(key.bind(py)).is_ok_and(|own| own.as_bytes() == text)
            {
                let key = key.clone_ref(py);
                set[..=at].rotate_right(1);
                return Some(key);
            }
        }
        let key = raw::text(py, std::str::from_utf8(text).ok()?).ok()?;
        let key = key.cast_into::<PyString>().ok()?.unbind();
        if text.len() <= MAX_KEPT_NAME {
            set.rotate_right(1);
            set[0] = Some((name.hash, key.clone_ref(py)));
        }
        Some(key)
    }
}
