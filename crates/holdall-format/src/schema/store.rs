//! Schemas by fingerprint, for messages that carry only the 8 bytes (F-9).

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{PoisonError, RwLock};

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Code, Error, Result};
use crate::memory::{Collect, GrowMap, GrowVec};
use crate::platform::HashMap;
use crate::schema::Schema;

/// Schemas by fingerprint, in memory or in a folder, for messages that carry only the 8 bytes.
///
/// A clone shares the same store, for use by other threads. A folder can be shared with other processes: each schema
/// is a file named by its fingerprint, such as `1b4f5d0e9a7c3362.schema`, which holds [`Schema::as_bytes`]. A file
/// gets its name once it is complete, and is never changed or removed while the store is in use. So several processes
/// can put schemas into one folder, and you can copy folders into each other.
///
/// ```
/// use holdall::{Decoder, Encoder, Header, SchemaStore};
///
/// let store = SchemaStore::new();
/// let mut encoder = Encoder::new().header(Header::Fingerprint).store(&store);
/// let message = encoder.encode(&300_u32)?;
/// assert_eq!(message[..2], [0xC1, 0x11]);
/// assert_eq!(message[2..10], store.fingerprints()?[0].to_le_bytes());
/// assert_eq!(message[10..], [0xB1, 0x04]);
///
/// let mut decoder = Decoder::new().store(&store);
/// assert_eq!(decoder.decode::<u32>(&message)?, 300);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// Fingerprints distinguish schemas, unless someone crafted two that collide. Put no schema into a store from a source
/// that could want to confuse your readers.
#[derive(Clone, Debug, Default)]
pub struct SchemaStore(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    folder: Option<PathBuf>,
    /// All schemas; for a folder, those that were put or read.
    known: RwLock<HashMap<u64, Schema>>,
}

/// The extension of a schema's file.
const SUFFIX: &str = ".schema";

/// Makes the names of incomplete files unique.
static UNFINISHED: AtomicU32 = AtomicU32::new(0);

impl SchemaStore {
    /// Returns an empty store in memory.
    #[must_use]
    pub fn new() -> Self {
        SchemaStore::default()
    }

    /// Returns the store in a folder. The folder may be missing: the first schema that is put creates it.
    ///
    /// ```
    /// # fn main() -> Result<(), holdall::Error> {
    /// use holdall::{Encode, SchemaStore};
    ///
    /// # let folder = std::env::temp_dir().join(format!("holdall-doc-{}", std::process::id()));
    /// SchemaStore::folder(&folder).put(&u32::schema()?)?;
    ///
    /// // Another program:
    /// let schema = SchemaStore::folder(&folder).get(u32::fingerprint()?)?;
    /// assert_eq!(schema, Some(u32::schema()?));
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn folder(path: impl Into<PathBuf>) -> Self {
        let folder = Some(path.into());
        SchemaStore(Arc::new(Inner { folder, known: RwLock::default() }))
    }

    /// Stores a schema. One that is stored already is not changed.
    ///
    /// # Errors
    /// `bad_store` if another schema has its fingerprint, or its file holds other bytes; `io`.
    pub fn put(&self, schema: &Schema) -> Result<()> {
        self.put_bytes(schema.fingerprint(), schema.as_bytes(), || Ok(schema.clone()))
    }

    /// Stores a schema by its bytes. The schema is made only if it is not stored yet.
    pub fn put_bytes(
        &self,
        fingerprint: u64,
        bytes: &[u8],
        schema: impl FnOnce() -> Result<Schema>,
    ) -> Result<()> {
        if let Some(there) = self.get(fingerprint)? {
            if there.as_bytes() == bytes {
                return Ok(());
            }
            return Err(Error::new(Code::BadStore)
                .expected(format!("one schema of the fingerprint {fingerprint:016x}"))
                .got("another"));
        }
        if let Some(folder) = &self.0.folder {
            let name = folder.join(file_name(fingerprint));
            write_whole(folder, &name, bytes).map_err(|error| at(&name, &error))?;
        }
        self.remember(schema()?);
        Ok(())
    }

    /// Returns the schema of a fingerprint, if the store has it.
    ///
    /// # Errors
    /// `bad_store` if the file of that name holds other bytes; `io`.
    pub fn get(&self, fingerprint: u64) -> Result<Option<Schema>> {
        let known = self.0.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(schema) = known.get(&fingerprint) {
            return Ok(Some(schema.clone()));
        }
        drop(known);
        let Some(folder) = &self.0.folder else { return Ok(None) };
        let name = folder.join(file_name(fingerprint));
        let bytes = match fs::read(&name) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(at(&name, &error)),
        };
        let schema = checked(fingerprint, &bytes).map_err(|got| {
            Error::new(Code::BadStore)
                .expected(format!("the schema of the fingerprint {fingerprint:016x}"))
                .got(format!("{got}, in {}", name.display()))
        })?;
        self.remember(schema.clone());
        Ok(Some(schema))
    }

    /// Returns the fingerprints of all schemas, in ascending order. Other files in the folder are ignored.
    ///
    /// # Errors
    /// `io`.
    pub fn fingerprints(&self) -> Result<Vec<u64>> {
        let mut all: Vec<u64> = match &self.0.folder {
            None => {
                let known = self.0.known.read().unwrap_or_else(PoisonError::into_inner);
                known.keys().copied().collected()
            }
            Some(folder) => in_folder(folder).map_err(|error| at(folder, &error))?,
        };
        all.sort_unstable();
        Ok(all)
    }

    /// Where the folder is, for errors.
    pub(super) fn place(&self) -> String {
        let folder = self.0.folder.as_ref();
        folder.map(|path| format!(", {}", path.display())).unwrap_or_default()
    }

    fn remember(&self, schema: Schema) {
        let mut known = self.0.known.write().unwrap_or_else(PoisonError::into_inner);
        known.put(schema.fingerprint(), schema);
    }
}

fn file_name(fingerprint: u64) -> String {
    format!("{fingerprint:016x}{SUFFIX}")
}

/// The fingerprint in a file's name.
fn of_file_name(name: &str) -> Option<u64> {
    let fingerprint = u64::from_str_radix(name.strip_suffix(SUFFIX)?, 16).ok()?;
    // Each schema has one name: no capitals, no sign, all leading zeros.
    (file_name(fingerprint) == name).then_some(fingerprint)
}

fn in_folder(folder: &Path) -> std::io::Result<Vec<u64>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut all = Vec::new();
    for entry in entries {
        all.put_each(entry?.file_name().to_str().and_then(of_file_name));
    }
    Ok(all)
}

/// Parses bytes that should have this fingerprint. Returns the schema, or the mismatch.
fn checked(fingerprint: u64, bytes: &[u8]) -> Result<Schema, String> {
    let own = xxh3_64(bytes);
    if own != fingerprint {
        return Err(format!("{} bytes of the fingerprint {own:016x}", bytes.len()));
    }
    Schema::from_bytes(bytes).map_err(|error| error.to_string())
}

/// Writes a new file atomically: other processes see none or all of it.
fn write_whole(folder: &Path, name: &Path, bytes: &[u8]) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let (unfinished, mut file) = loop {
        let number = UNFINISHED.fetch_add(1, Ordering::Relaxed);
        let name = folder.join(format!(".unfinished-{}-{number}", process::id()));
        match File::create_new(&name) {
            Ok(file) => break (name, file),
            // A process with the same number left this file.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    };
    // Without this synchronisation, a crash soon afterwards could leave an empty file under the name.
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    drop(file);
    // If another process wrote the file in the meantime, it wrote the same bytes.
    let done = written.and_then(|()| fs::rename(&unfinished, name)).and_then(|()| sync(folder));
    if done.is_err() {
        // The error to report is that of the write, not that of the removal.
        let _ = fs::remove_file(&unfinished);
    }
    done
}

/// Makes the names in a folder durable, on systems where a folder is a file.
fn sync(folder: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn at(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Code::Io).got(format!("{}: {error}", path.display()))
}
