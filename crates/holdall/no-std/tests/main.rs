//! The library without std does what it does with it.

mod vectors;

use holdall_no_std::values;

#[test]
fn written_bytes_are_those_with_std() {
    assert_eq!(values::written().join("\n"), include_str!("../bytes.txt").trim_end());
}

#[test]
fn damage_is_reported_with_code_and_offset() {
    values::check_faults();
}

#[test]
fn values_nest_32_deep_by_default() {
    values::check_depth(32);
}

#[test]
fn other_types_slices_schemas_and_archives_read_the_same() {
    values::check_ways();
}
