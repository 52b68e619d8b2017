//! Each misuse of an attribute is an error at it that says what to write instead. `TRYBUILD=overwrite` writes the errors
//! anew.
//!
//! Only errors of the derives are there: those of the compiler and of std change with each version.

#[test]
fn misused_attributes_are_errors() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
