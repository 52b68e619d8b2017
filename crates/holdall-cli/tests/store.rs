//! `--store`: messages with fingerprints alone, and a folder with their schemas.

use std::fs;

use crate::printed as run;

#[test]
fn a_folder_of_schemas_is_filled_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("schemas");
    let store = store.to_str().unwrap();
    let json = b"[{\"id\":1,\"name\":\"Ada\"}]";
    let packed = run(&["pack", "--from", "json", "--store", store], json).unwrap();
    assert_eq!(packed[1], 0x11, "a fingerprint in place of the schema");
    assert_eq!(fs::read_dir(store).unwrap().count(), 1);
    let text = run(&["unpack", "--to", "json", "--store", store], &packed).unwrap();
    assert_eq!(text.trim_ascii_end(), json);
    let verified = run(&["verify", "--store", store], &packed).unwrap();
    assert!(String::from_utf8(verified).unwrap().contains("ok, "));
    let error = run(&["unpack", "--to", "json"], &packed).unwrap_err();
    assert!(error.contains("--store and a folder of schemas"), "{error}");
    let empty = folder.path().join("empty");
    let error = run(&["unpack", "--to", "json", "--store", empty.to_str().unwrap()], &packed);
    assert!(error.unwrap_err().contains("unknown_fingerprint"));
}

#[test]
fn dlhn_goes_both_ways() {
    let packed = run(&["pack", "--from", "dlhn"], &[21, 2, 2, 18, 1, 1, b'a']).unwrap();
    assert_eq!(run(&["unpack", "--to", "json"], &packed).unwrap(), b"[true,\"a\"]\n");
    let bytes = run(&["unpack", "--to", "dlhn"], &packed).unwrap();
    assert_eq!(bytes, [21, 2, 2, 18, 1, 1, b'a']);
}
