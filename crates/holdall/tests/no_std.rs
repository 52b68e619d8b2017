//! The values that the library without std is tested with: both write the same bytes.

use std::{env, fs, path::Path};

#[path = "../no-std/src/values.rs"]
mod values;

/// `BLESS=1` writes the file, which the tests without std compare with, too.
#[test]
fn written_bytes_are_those_without_std() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../no-std/bytes.txt");
    let written = values::written().join("\n") + "\n";
    if env::var_os("BLESS").is_some() {
        fs::write(&file, &written).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), written);
}

#[test]
fn damage_is_reported_as_without_std() {
    values::check_faults();
    values::check_ways();
}

#[test]
fn values_nest_10_000_deep_by_default() {
    values::check_depth(10_000);
}
