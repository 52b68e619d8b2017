//! Each rule of F-78, in both directions: whether each schema reads the other's data.

use super::*;

/// Two schemas, whether the second reads the first, and the first the second.
const PAIRS: &[(&str, &str, &str, &str)] = &[
    // 1: list(never), list(int); list(union {}), list(int)
    ("00 16 00", "00 16 03", "always", "incompatible in $[]"),
    ("00 16 1C 02", "00 16 03", "always", "incompatible in $[]"),
    // 2, 3 and 5: int, option(int); option(int), null; option(string), option(int)
    ("00 03", "00 15 03", "always", "$ if no row is null"),
    ("00 15 03", "00 01", "$ if all rows are null", "always"),
    ("00 15 12", "00 15 03", "incompatible in $", "incompatible in $"),
    ("00 01", "00 15 03", "always", "$ if all rows are null"),
    // 4 and 6: union(int, string), int; union(int, string), bool; union(int, string), union(string, int)
    ("00 1C 08 03 12", "00 03", "$ if no row is of type string", "always"),
    ("00 1C 08 03 12", "00 02", "incompatible in $", "incompatible in $"),
    ("00 1C 08 03 12", "00 1C 08 12 03", "always", "always"),
    ("00 1C 08 03 12", "00 1C 0C 03 12 02", "always", "$ if no row is of type bool"),
    // 7: union {A: int}, union {A: int, B: null}; union {A: int}, union {B: int}
    (
        "00 1C 06 02 41 03",
        "00 1C 0A 02 41 03 02 42 01",
        "always",
        "$<B> if no value is this variant, which the reader lacks",
    ),
    ("00 1C 06 02 41 03", "00 1C 06 02 42 03", "incompatible in $", "incompatible in $"),
    // 12 to 15: date(int), date(i64); date(int), duration[s](int); time[s](int), time[ms](int), both of int and i64
    ("00 22 01 00 03", "00 22 01 00 0C", "$ if the numbers are in its range", "always"),
    ("00 22 01 00 03", "00 22 04 02 00 03", "incompatible in $", "incompatible in $"),
    (
        "00 22 02 02 00 03",
        "00 22 02 02 01 03",
        "always",
        "$ if the times are multiples of its unit",
    ),
    (
        "00 22 02 02 00 0C",
        "00 22 02 02 01 0C",
        "$ if the times are in its range",
        "$ if the times are multiples of its unit",
    ),
    // 8 to 10, 14: unknown[E0], unknown[E1]; extension "a"(int), int; extension "a"(int), extension "b"(int); date(int), int
    ("00 E0 00", "00 E1 00", "always", "always"),
    ("00 23 02 61 03", "00 03", "always", "always"),
    ("00 23 02 61 03", "00 23 02 62 03", "incompatible in $", "incompatible in $"),
    ("00 22 01 00 03", "00 03", "always", "always"),
    // 16: null, bool, string, bytes
    ("00 01", "00 02", "incompatible in $", "incompatible in $"),
    ("00 12", "00 13", "incompatible in $", "incompatible in $"),
    // 17: u8, u16; i8, u8; u64, i64; u8, i16; int, i128; u128, int
    ("00 04", "00 05", "always", "$ if the numbers are in its range"),
    ("00 09", "00 04", "$ if the numbers are in its range", "$ if the numbers are in its range"),
    ("00 04", "00 0A", "always", "$ if the numbers are in its range"),
    ("00 03", "00 0D", "$ if the numbers are in its range", "always"),
    ("00 08", "00 03", "always", "$ if the numbers are in its range"),
    // 18: u8, f16; u16, f16; i32, f64; i64, f64; u8, bf16
    ("00 04", "00 0E", "always", "incompatible in $"),
    ("00 05", "00 0E", "$ if it has exactly these numbers", "incompatible in $"),
    ("00 0B", "00 11", "always", "incompatible in $"),
    ("00 0C", "00 11", "$ if it has exactly these numbers", "incompatible in $"),
    ("00 04", "00 0F", "always", "incompatible in $"),
    // 19: f32, f64; f16, bf16; bf16, f32
    ("00 10", "00 11", "always", "$ if it has exactly these numbers"),
    ("00 0E", "00 0F", "$ if it has exactly these numbers", "$ if it has exactly these numbers"),
    ("00 0F", "00 10", "always", "$ if it has exactly these numbers"),
    // 20: fixed(2), bytes; fixed(2), fixed(3)
    ("00 14 04", "00 13", "always", "$ if all rows have 2 bytes"),
    ("00 14 04", "00 14 06", "incompatible in $", "incompatible in $"),
    // 21: tensor(u8), tensor(u16); tensor(bool), tensor(u8)
    ("00 1D 04", "00 1D 05", "always", "$[] if the numbers are in its range"),
    ("00 1D 02", "00 1D 04", "incompatible in $[]", "incompatible in $[]"),
    // tensor(fixed(2)), tensor(fixed(3)); list(fixed(2)), tensor(fixed(2)): elements are not compared one by one
    ("00 1D 14 04", "00 1D 14 06", "incompatible in $", "incompatible in $"),
    ("00 16 14 04", "00 1D 14 04", "incompatible in $", "$ if all rows have rank 1"),
    // 22: list(u8), array(2, u8); list(u8), bytes; list(u8), tensor(u8); tuple(u8), tuple(u8, u8); list(u8), string
    ("00 16 04", "00 17 04 04", "$ if all rows have 2 items", "always"),
    ("00 16 04", "00 13", "always", "always"),
    ("00 16 04", "00 1D 04", "always", "$ if all rows have rank 1"),
    ("00 18 02 04", "00 18 04 04 04", "incompatible in $", "incompatible in $"),
    ("00 16 04", "00 12", "incompatible in $", "incompatible in $"),
    ("00 22 0A 00 16 04", "00 22 0B 00 16 04", "always", "always"),
    // 5: option(union(union {Some: null}, u8)), option(option(u8)); union {Some: null, A: null}, option(option(u8));
    // and option(option(union {A: null}))
    ("00 15 1C 08 1C 06 10 53 6F 6D 65 01 04", "00 15 15 04", "always", "$ if no row is null"),
    (
        "00 1C 0A 10 53 6F 6D 65 01 02 41 01",
        "00 15 15 04",
        "$ if all rows are of variant Some",
        "incompatible in $",
    ),
    (
        "00 1C 0A 10 53 6F 6D 65 01 02 41 01",
        "00 15 15 1C 06 02 41 01",
        "always",
        "$ if no row is null; $ if no row is null",
    ),
    // 14 and 15: struct A {secs: u64, nanos: u32}, duration[ns](int); struct A {secs: i64, nanos: u16}, duration[s](i64)
    (
        "00 19 02 41 10 10 73 65 63 73 07 14 6E 61 6E 6F 73 06",
        "00 22 04 02 03 03",
        "$ if the nanoseconds are below 10^9",
        "$ if the times are in its range",
    ),
    (
        "00 19 02 41 10 10 73 65 63 73 0C 14 6E 61 6E 6F 73 05",
        "00 22 04 02 00 0C",
        "$ if the times are multiples of its unit and the times are in its range",
        "always",
    ),
    // 23: record {a: int}, struct P {a: int, b: option(int)}; record {a: int}, record {a: int, b: int};
    // map(string, int), record {a: int}
    ("00 1A 08 02 61 03", "00 19 02 50 10 02 61 03 02 62 15 03", "always", "always"),
    ("00 1A 08 02 61 03", "00 1A 10 02 61 03 02 62 03", "missing_field in $.b", "always"),
    ("00 1B 12 03", "00 1A 08 02 61 03", "$.a if no row lacks the field", "always"),
    // record {a: int, b: int} sparse, record {a: int, b: int}
    (
        "00 1A 14 02 61 03 02 62 03",
        "00 1A 10 02 61 03 02 62 03",
        "$.a if no row lacks the field; $.b if no row lacks the field",
        "always",
    ),
    // 24 and 25: record {a: int}, map(int, int); map(union(int, u8), null), map(int, null)
    ("00 1A 08 02 61 03", "00 1B 03 03", "incompatible in $", "incompatible in $"),
    ("00 1B 1C 08 03 04 01", "00 1B 03 01", "$ if keys stay different", "always"),
];

#[test]
fn each_rule_gives_the_directions_in_which_it_reads() {
    let mut faults = Vec::new();
    for (old, new, expected, back) in PAIRS {
        let (old, new) = (schema_bytes(old), schema_bytes(new));
        let diff = holdall::Diff::between(&old, &new);
        let got = (verdict(&diff.new_reads_old), verdict(&diff.old_reads_new));
        if (&*got.0, &*got.1) != (*expected, *back) {
            faults.push(format!("{old}, {new}\n  expected {expected}, {back}\n  got      {got:?}"));
        }
        // A schema reads its own data.
        for schema in [old, new] {
            let own = holdall::Diff::between(&schema, &schema);
            assert_eq!(verdict(&own.new_reads_old), "always", "{schema}");
            assert!(own.changes.is_empty(), "{own}");
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
