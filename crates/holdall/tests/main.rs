//! The laws of the library. Tests that need an allocator of their own, or much memory, are in `memory`.

extern crate alloc;

mod common;
#[cfg(feature = "crates")]
mod crates;
#[cfg(feature = "derive")]
mod dynamic;
mod golden;
#[cfg(all(feature = "derive", feature = "evolution"))]
mod no_std;
mod other_schema;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "derive")]
mod stream;
#[cfg(feature = "derive")]
mod typed_packed;
#[cfg(all(feature = "derive", feature = "serde"))]
mod types;
mod vectors;
mod zstd;
mod zstd_dictionaries;

/// A file that no program names would never run.
#[test]
fn every_file_is_in_a_program() {
    let programs = [include_str!("main.rs"), include_str!("memory.rs")].concat();
    let mut folders =
        vec![(std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")), programs.clone())];
    let mut files = 0;
    while let Some((folder, named)) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            if let Ok(module) = std::fs::read_to_string(path.join("mod.rs")) {
                folders.push((path.clone(), [&programs, &module[..]].concat()));
            } else if path.extension().is_none_or(|extension| extension != "rs")
                || ["main", "memory", "mod"].contains(&name)
            {
                continue;
            }
            assert!(named.contains(&format!("mod {name};")), "{}", path.display());
            files += 1;
        }
    }
    assert!(files > 80, "{files} files");
}
