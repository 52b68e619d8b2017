//! The golden files: every version reads what every earlier one wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::common::graphs::same_graph;
use crate::common::tagged::read;
use holdall::trace::locate_columns;
use holdall::{Encoder, Profile, Reader, Value, WriterOptions};

const PROFILES: [(&str, Profile); 3] =
    [("fast", Profile::Fast), ("balanced", Profile::Balanced), ("small", Profile::Small)];
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The list whose items are also written as a stream.
const STREAMED: &str = "readings";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../conformance/golden")
}

/// The files of a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path)).collect()
}

fn values() -> BTreeMap<String, Value> {
    let value = |(name, path): (String, PathBuf)| {
        (
            name.trim_end_matches(".json").to_owned(),
            read(fs::read_to_string(path).unwrap().trim_end()),
        )
    };
    files(&folder().join("values")).into_iter().map(value).collect()
}

/// The files of all versions: the name of the value, the profile, whether it is a stream, and the bytes.
fn golden() -> Vec<(String, Golden)> {
    let versions = files(&folder()).into_values().filter(|path| path.is_dir());
    let versions = versions.filter(|path| !path.ends_with("values"));
    let mut all = Vec::new();
    for (file, path) in versions.flat_map(|version| files(&version)) {
        let parts: Vec<&str> = file.trim_end_matches(".hold").split('.').collect();
        let [name, _, rest @ ..] = &parts[..] else { panic!("{file}: not a golden file") };
        let is_stream = rest == ["stream"];
        let name = (*name).to_owned();
        all.push((
            path.display().to_string(),
            Golden { name, is_stream, bytes: fs::read(path).unwrap() },
        ));
    }
    assert!(all.len() >= 25, "{} golden files", all.len());
    all
}

struct Golden {
    name: String,
    is_stream: bool,
    bytes: Vec<u8>,
}

/// The bytes that this version writes, by file name.
fn written() -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for (name, value) in values() {
        for (label, profile) in PROFILES {
            let bytes = Encoder::new().profile(profile).message(&mut &value).unwrap();
            files.insert(format!("{name}.{label}.hold"), bytes);
            let (STREAMED, Value::List(items)) = (&*name, &value) else { continue };
            let options =
                WriterOptions::new().profile(profile).sync(*b"golden\r\n").block_values(150);
            let mut writer = options.to(Vec::new()).unwrap();
            items.iter().for_each(|item| writer.write(item).unwrap());
            files.insert(format!("{name}.{label}.stream.hold"), writer.finish().unwrap());
        }
    }
    files
}

#[test]
fn every_golden_file_reads_as_its_value() {
    let values = values();
    for (path, golden) in golden() {
        let value = &values[&golden.name];
        let read = match golden.is_stream {
            false => holdall::from_slice::<Value>(&golden.bytes),
            true => Reader::new(&golden.bytes[..])
                .whole(true)
                .values()
                .collect::<holdall::Result<Vec<Value>>>()
                .map(Value::from),
        };
        let read = read.unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(read == *value, "{path}: another value");
        same_graph(value, &read).unwrap_or_else(|complaint| panic!("{path}: {complaint}"));
    }
}

/// After a change of bytes before the first release, delete the folder of the version and run with `BLESS=1`.
#[test]
fn this_version_writes_the_promised_bytes() {
    let folder = folder().join(VERSION);
    if env::var_os("BLESS").is_some() {
        fs::create_dir_all(&folder).unwrap();
    }
    for (name, bytes) in written() {
        let path = folder.join(&name);
        if env::var_os("BLESS").is_some() && !path.exists() {
            fs::write(&path, &bytes).unwrap();
        }
        let golden = fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let is_promised = !name.contains(".small.") && !name.contains(".stream.");
        assert!(!is_promised || golden == bytes, "{name}: other bytes than the golden file");
    }
}

/// So that no encoding can become unreadable unnoticed.
#[test]
fn golden_files_have_every_kind_of_encoding() {
    let messages = golden().into_iter().filter(|(_, golden)| !golden.is_stream);
    let places = messages.flat_map(|(_, golden)| locate_columns(&golden.bytes).unwrap());
    let met: BTreeSet<u8> = places.filter_map(|column| column.place.encoding).collect();
    let expected = BTreeSet::from([
        0x41, 0x42, 0x44, 0x45, 0x46, 0x52, 0x58, 0x59, 0x5B, 0x5C, 0x60, 0x61, 0x70,
    ]);
    let missing: Vec<_> = expected.difference(&met).collect();
    assert!(missing.is_empty(), "no golden file has the encodings {missing:02X?}");
}
