//! Schema stores: messages with a fingerprint are read with the store, and faults of a folder are reported.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier};
use std::{process, thread};

use holdall::{Code, Decode, Decoder, Encode, Encoder, Header, Schema, SchemaStore, Value};

/// A folder of one test, which is deleted after it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("holdall-store-{}-{number}", process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Folder(path)
    }

    fn store(&self) -> SchemaStore {
        SchemaStore::folder(&self.0)
    }

    fn file(&self, schema: &Schema) -> PathBuf {
        self.0.join(format!("{:016x}.schema", schema.fingerprint()))
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct User {
    id: u64,
    name: String,
}

fn ada() -> User {
    User { id: 7, name: "Ada".into() }
}

/// All ways to read a message of a type through a store.
fn read<T: for<'de> Decode<'de>>(store: &SchemaStore, message: &[u8]) -> holdall::Result<T> {
    Decoder::new().store(store).decode(message)
}

fn short(store: &SchemaStore) -> Encoder {
    Encoder::new().header(Header::Fingerprint).store(store)
}

#[test]
fn a_message_with_a_fingerprint_is_read_with_the_store() {
    let store = SchemaStore::new();
    let message = short(&store).encode(&ada()).unwrap();
    let fingerprint = User::fingerprint().unwrap().to_le_bytes();
    let block = b"\x0E\x06Ada";
    assert_eq!(message, [b"\xC1\x11", &fingerprint[..], block].concat());
    assert_eq!(read::<User>(&store, &message).unwrap(), ada());
    let dynamic: Value = read(&store, &message).unwrap();
    assert_eq!(dynamic["name"], Value::from("Ada"));
    assert_eq!(Decoder::new().store(&store).schema(&message).unwrap(), User::schema().unwrap());
    assert_eq!(store.fingerprints().unwrap(), [User::fingerprint().unwrap()]);
}

#[test]
fn values_without_a_type_put_their_schemas_too() {
    let store = SchemaStore::new();
    let mut encoder = short(&store);
    let values = [Value::from(1), Value::from("a"), Value::record([("a", Value::from(vec![1]))])];
    for value in &values {
        let message = encoder.encode(value).unwrap();
        assert_eq!(read::<Value>(&store, &message).unwrap(), *value);
    }
    // It has the same schema, so nothing is stored.
    encoder.encode(&Value::from(2)).unwrap();
    assert_eq!(store.fingerprints().unwrap().len(), 3);
}

#[test]
fn schemas_with_definitions_are_stored_completely() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    struct Tree {
        children: Vec<Tree>,
    }
    let folder = Folder::new();
    let tree = Tree { children: vec![Tree { children: vec![] }] };
    let message = short(&folder.store()).encode(&tree).unwrap();
    assert_eq!(read::<Tree>(&folder.store(), &message).unwrap(), tree);
    let bytes = fs::read(folder.file(&Tree::schema().unwrap())).unwrap();
    assert_eq!(bytes, Tree::schema().unwrap().as_bytes());
    assert_eq!(bytes[0], 2); // one definition
}

#[test]
fn only_messages_without_their_schema_put_it() {
    for header in [Header::Schema, Header::Bare] {
        let store = SchemaStore::new();
        Encoder::new().header(header).store(&store).encode(&ada()).unwrap();
        assert_eq!(store.fingerprints().unwrap(), [0_u64; 0]);
    }
}

#[test]
fn a_message_with_checksum_and_length_puts_its_schema() {
    let store = SchemaStore::new();
    let message = short(&store).checksum(true).encode(&ada()).unwrap();
    assert_eq!(read::<User>(&store, &message).unwrap(), ada());
}

#[test]
fn one_process_reads_what_another_wrote_under_one_folder() {
    let folder = Folder::new();
    let (writer, reader) = (folder.store(), folder.store());
    // The reader looked before anything was stored.
    assert_eq!(reader.get(User::fingerprint().unwrap()).unwrap(), None);
    let message = short(&writer).encode(&ada()).unwrap();
    assert_eq!(read::<User>(&reader, &message).unwrap(), ada());

    let schema = User::schema().unwrap();
    assert_eq!(folder.names(), [format!("{:016x}.schema", schema.fingerprint())]);
    assert_eq!(fs::read(folder.file(&schema)).unwrap(), schema.as_bytes());
    assert_eq!(folder.store().fingerprints().unwrap(), [schema.fingerprint()]);
}

#[test]
fn the_first_schema_makes_the_folder() {
    let folder = Folder::new();
    let path = folder.0.join("a").join("b");
    let store = SchemaStore::folder(&path);
    assert_eq!(store.fingerprints().unwrap(), [0_u64; 0]);
    assert_eq!(store.get(0).unwrap(), None);
    assert!(!path.exists());
    store.put(&u8::schema().unwrap()).unwrap();
    assert!(path.is_dir());
}

#[test]
fn an_existing_schema_is_not_rewritten() {
    let folder = Folder::new();
    let schema = User::schema().unwrap();
    folder.store().put(&schema).unwrap();
    let file = folder.file(&schema);
    let mut permissions = fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).unwrap();
    let written = fs::metadata(&file).unwrap().modified().unwrap();
    folder.store().put(&schema).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), written);
    assert!(fs::metadata(&file).unwrap().permissions().readonly());
}

#[test]
fn an_unknown_fingerprint_is_named() {
    let message = short(&SchemaStore::new()).encode(&ada()).unwrap();
    let fingerprint = User::fingerprint().unwrap();
    let error_of = |decoder: Decoder| {
        let mut decoder = decoder;
        // As a type of its own, `User` needs no one to know it.
        let error = decoder.decode::<Value>(&message).unwrap_err();
        assert_eq!((error.code(), error.offset()), (Code::UnknownFingerprint, Some(2)));
        error.to_string()
    };
    let head = "unknown_fingerprint at offset 2: expected the fingerprint of a known schema";
    assert_eq!(error_of(Decoder::new()), format!("{head}, got {fingerprint:016x}"));
    let memory = Decoder::new().store(&SchemaStore::new());
    assert_eq!(error_of(memory), format!("{head}, or of one in the store, got {fingerprint:016x}"));
    let folder = Decoder::new().store(&SchemaStore::folder("no/such/folder"));
    let expected =
        format!("{head}, or of one in the store, no/such/folder, got {fingerprint:016x}");
    assert_eq!(error_of(folder), expected);
}

#[test]
fn added_schemas_take_precedence_over_the_store() {
    let folder = Folder::new();
    let schema = User::schema().unwrap();
    let message = short(&SchemaStore::new()).encode(&ada()).unwrap();
    fs::write(folder.file(&schema), b"damaged").unwrap();
    let mut decoder = Decoder::new().store(&folder.store());
    assert_eq!(decoder.decode::<Value>(&message).unwrap_err().code(), Code::BadStore);
    assert_eq!(decoder.decode::<User>(&message).unwrap(), ada());
    decoder.add_schema(&schema);
    assert!(decoder.decode::<Value>(&message).is_ok());
}

/// The result of each use of a folder's file for a schema, which must be the same.
fn answer(folder: &Folder, schema: &Schema) -> String {
    let got = folder.store().get(schema.fingerprint()).unwrap_err();
    let put = folder.store().put(schema).unwrap_err();
    let message = short(&SchemaStore::new()).encode(&ada()).unwrap();
    let decoded = read::<Value>(&folder.store(), &message).unwrap_err();
    let encoded = short(&folder.store()).encode(&ada()).unwrap_err();
    for error in [&put, &decoded, &encoded] {
        assert_eq!((error.code(), error.to_string()), (got.code(), got.to_string()));
    }
    got.to_string()
}

#[test]
fn a_file_that_does_not_hash_to_its_name_is_an_error() {
    let folder = Folder::new();
    let schema = User::schema().unwrap();
    let (file, fingerprint) = (folder.file(&schema), schema.fingerprint());
    let mut flipped = schema.as_bytes().to_vec();
    flipped[1] ^= 1;
    let other = u8::schema().unwrap();
    let cut = &schema.as_bytes()[..5];
    for bytes in [&flipped[..], other.as_bytes(), cut, &[], &[0; 1 << 20]] {
        fs::write(&file, bytes).unwrap();
        let text = answer(&folder, &schema);
        let head =
            format!("bad_store: expected the schema of the fingerprint {fingerprint:016x}, got ");
        let rest = text.strip_prefix(&head).unwrap_or_else(|| panic!("{text}"));
        assert!(rest.starts_with(&format!("{} bytes of the fingerprint ", bytes.len())), "{text}");
        assert!(rest.ends_with(&format!(", in {}", file.display())), "{text}");
        // The file is left unchanged, for a person to examine.
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
    assert!(answer(&folder, &schema).contains(", got 1048576 bytes"), "the last of them");
    fs::remove_file(&file).unwrap();
    folder.store().put(&schema).unwrap();
    assert_eq!(folder.store().get(fingerprint).unwrap(), Some(schema));
}

#[test]
fn a_file_with_the_right_name_that_is_no_schema_is_an_error() {
    // XXH3-64 of the one byte 3F; there is no such number of definitions.
    let folder = Folder::new();
    let fingerprint = xxhash_rust::xxh3::xxh3_64(b"\x3F");
    fs::write(folder.0.join(format!("{fingerprint:016x}.schema")), b"\x3F").unwrap();
    let error = folder.store().get(fingerprint).unwrap_err();
    assert_eq!(error.code(), Code::BadStore);
    assert!(error.to_string().contains(", got truncated at offset "), "{error}");
}

#[test]
fn a_folder_under_the_name_of_a_schema_is_an_error() {
    let folder = Folder::new();
    let schema = User::schema().unwrap();
    fs::create_dir(folder.file(&schema)).unwrap();
    let text = answer(&folder, &schema);
    assert!(text.starts_with(&format!("io: {}: ", folder.file(&schema).display())), "{text}");
    assert_eq!(folder.names().len(), 1, "nothing unfinished is left");
}

#[test]
fn a_file_instead_of_the_folder_is_an_error() {
    let folder = Folder::new();
    let path = folder.0.join("file");
    fs::write(&path, "").unwrap();
    let store = SchemaStore::folder(&path);
    let all = [
        store.put(&u8::schema().unwrap()).unwrap_err(),
        store.get(0).unwrap_err(),
        store.fingerprints().unwrap_err(),
    ];
    for error in all {
        assert_eq!(error.code(), Code::Io, "{error}");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
}

#[test]
fn foreign_files_are_ignored() {
    let folder = Folder::new();
    let schema = User::schema().unwrap();
    let hex = format!("{:016x}", schema.fingerprint());
    let foreign = [
        "README.md".to_owned(),
        hex.clone(),
        format!("{hex}.schema.bak"),
        format!("0{hex}.schema"),
        format!("+{}.schema", &hex[1..]),
        format!("{}.schema", &hex[1..]),
        ".schema".to_owned(),
        ".unfinished-1-0".to_owned(),
        "x123456789abcdef.schema".to_owned(),
    ];
    for name in &foreign {
        fs::write(folder.0.join(name), "not a schema").unwrap();
    }
    assert_eq!(folder.store().fingerprints().unwrap(), [0_u64; 0]);
    assert_eq!(folder.store().get(schema.fingerprint()).unwrap(), None);
    folder.store().put(&schema).unwrap();
    assert_eq!(folder.store().fingerprints().unwrap(), [schema.fingerprint()]);
    assert_eq!(folder.names().len(), foreign.len() + 1);
}

#[test]
fn unfinished_files_of_another_process_do_no_harm() {
    let folder = Folder::new();
    for number in 0..100 {
        let name = format!(".unfinished-{}-{number}", process::id());
        fs::write(folder.0.join(name), "half").unwrap();
    }
    let schema = User::schema().unwrap();
    folder.store().put(&schema).unwrap();
    assert_eq!(folder.store().get(schema.fingerprint()).unwrap(), Some(schema));
    assert_eq!(folder.names().len(), 101);
}

#[test]
fn threads_and_stores_put_the_same_schemas_at_once() {
    const THREADS: usize = 8;
    let folder = Folder::new();
    let schemas: Arc<Vec<Schema>> = Arc::new(
        (0..40)
            .map(|n| {
                let value = Value::record((0..=n).map(|key| (format!("k{key}"), Value::Null)));
                Schema::of_message(&holdall::to_vec(&value).unwrap()).unwrap()
            })
            .collect(),
    );
    let (shared, memory) = (folder.store(), SchemaStore::new());
    let barrier = Arc::new(Barrier::new(THREADS));
    let threads: Vec<_> = (0..THREADS)
        .map(|number| {
            // Half of them share a store, the others have one each, like separate processes.
            let store = if number % 2 == 0 { shared.clone() } else { folder.store() };
            let (schemas, memory) = (Arc::clone(&schemas), memory.clone());
            let barrier = Arc::clone(&barrier);
            thread::spawn(move || {
                barrier.wait();
                for step in 0..schemas.len() {
                    let schema = &schemas[(step + number * 5) % schemas.len()];
                    store.put(schema).unwrap();
                    memory.put(schema).unwrap();
                    assert_eq!(store.get(schema.fingerprint()).unwrap().as_ref(), Some(schema));
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let mut expected: Vec<u64> = schemas.iter().map(Schema::fingerprint).collect();
    expected.sort_unstable();
    assert_eq!(folder.store().fingerprints().unwrap(), expected);
    assert_eq!(memory.fingerprints().unwrap(), expected);
    assert_eq!(folder.names().len(), schemas.len(), "nothing unfinished is left");
    for schema in schemas.iter() {
        assert_eq!(fs::read(folder.file(schema)).unwrap(), schema.as_bytes());
        assert_path_hashes(&folder.file(schema));
    }
}

fn assert_path_hashes(path: &Path) {
    let bytes = fs::read(path).unwrap();
    let name = format!("{:016x}.schema", xxhash_rust::xxh3::xxh3_64(&bytes));
    assert_eq!(path.file_name().unwrap().to_str().unwrap(), name);
}
