//! The schemas that a reader knows before its messages.

#[cfg(feature = "std")]
use super::SchemaStore;
use crate::error::{Code, Error, Result};
use crate::platform::HashMap;
use crate::schema::Schema;

/// The schemas that a reader knows in addition to those of its message.
#[derive(Clone, Debug, Default)]
pub struct Known {
    pub added: HashMap<u64, Schema>,
    #[cfg(feature = "std")]
    pub store: Option<SchemaStore>,
}

impl Known {
    /// The schema of a fingerprint that is at an offset.
    pub fn schema(&self, fingerprint: u64, offset: usize) -> Result<Schema> {
        if let Some(schema) = self.added.get(&fingerprint) {
            return Ok(schema.clone());
        }
        #[cfg(feature = "std")]
        if let Some(store) = &self.store {
            return store.get(fingerprint)?.ok_or_else(|| {
                let expected = format!(
                    "the fingerprint of a known schema, or of one in the store{}",
                    store.place()
                );
                unknown(fingerprint, offset).expected(expected)
            });
        }
        Err(unknown(fingerprint, offset).expected("the fingerprint of a known schema"))
    }
}

#[cold]
fn unknown(fingerprint: u64, offset: usize) -> Error {
    Error::at(Code::UnknownFingerprint, offset).got(format!("{fingerprint:016x}"))
}
