//! Reading with another schema: the cost of hostile schemas and messages, and what programs set.

use std::sync::Arc;
use std::time::Duration;

use crate::common::evolving::schema;
use crate::common::make::{list, object, record};
use crate::common::{hex, varint};
use cpu_time::ThreadTime;
use holdall::resolution::Reads;
use holdall::{Field, Resolver, Result, Schema, Value, from_slice, to_vec};

fn code<T>(read: Result<T>) -> String {
    read.map_or_else(|error| error.code().to_string(), |_| "value".to_owned())
}

/// Far more than it takes; without the limits it would take hours.
const SOON: Duration = Duration::from_secs(60);

#[test]
fn keys_with_very_many_paths_are_compared_quickly() {
    // map(#0, null), where each of 60 definitions is a union of 40 times the next, and the last is never.
    let (levels, ways) = (60_u8, 40);
    let mut bytes = vec![2 * levels, 0x1B, 0x1F, 0x00, 0x01];
    for next in 1..levels {
        bytes.push(0x1C);
        bytes.extend(varint(2 * ways));
        bytes.extend([0x1F, 2 * next].repeat(ways as usize));
    }
    bytes.push(0x00);
    let start = ThreadTime::now();
    Resolver::new(schema("00 1B 03 01")).plan(&Schema::from_bytes(&bytes).unwrap()).unwrap();
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

/// A message with a tensor of rank 1 and this many elements of 0, of at least 64 bytes.
fn tensor(element: &[u8], len: u64, width: usize) -> Vec<u8> {
    let head = [&[0xC1, 0x10, 0x1D], element, &[0x02], &varint(len), &[0x00, 0x48]].concat();
    [head, vec![0; len as usize * width]].concat()
}

#[test]
fn each_value_in_an_element_is_charged() {
    // u8 in 120 extensions: 121 values of one byte.
    let element = [&[0x23, 0x04, b'e'][..], &[0x23, 0x02].repeat(119), &[0x04]].concat();
    let resolver = Resolver::new(schema("00 16 04"));
    let small = resolver.read(&tensor(&element, 1000, 1)).unwrap();
    assert_eq!(small, list((0..1000).map(|_| Value::U8(0))));
    // A budget of 300,000,000 units: 8 for each of 36,300,000 values on the tape, and 8 for each intermediate one.
    let start = ThreadTime::now();
    assert_eq!(code(resolver.read(&tensor(&element, 300_000, 1))), "limit_budget");
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn a_long_name_in_elements_is_looked_at_once() {
    // record {a: u8, n...n: u8}
    let len = 1_000_000;
    let name = [varint(2 * len), vec![b'n'; len as usize]].concat();
    let element = [&[0x1A, 0x10, 0x04, b'a', 0x04], &name[..], &[0x04]].concat();
    let start = ThreadTime::now();
    let read = Resolver::new(schema("00 16 1A 08 04 61 04")).read(&tensor(&element, 200_000, 2));
    assert_eq!(read.unwrap()[199_999], record([("a", Value::U8(0))]));
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
}

#[test]
fn plans_are_cached_by_size() {
    // record {a: u8, b: tuple(60,000 times null, array(k, null))}
    let writer = |number: u64| {
        let mut bytes = hex("00 1A 10 04 61 04 04 62 18");
        bytes.extend(varint(60_001));
        bytes.extend([0x01].repeat(60_000));
        bytes.extend([&[0x17], &varint(number)[..], &[0x01]].concat());
        Schema::from_bytes(&bytes).unwrap()
    };
    let resolver = Resolver::new(schema("00 1A 08 04 61 04"));
    let plans: Vec<_> = (0..32).map(|number| resolver.plan(&writer(number)).unwrap()).collect();
    // 60,000 types each: the last is cached, the first was evicted.
    let is_kept = |at: usize| Arc::ptr_eq(&plans[at], &resolver.plan(&writer(at as u64)).unwrap());
    assert!(is_kept(31));
    assert!(!is_kept(0));
}

#[test]
fn a_truncated_diff_says_so() {
    // Below 25 names of 100 bytes each, a tuple of 200,000 items that all changed.
    let schema = |item: u8| {
        let name = [varint(200), vec![b'n'; 100]].concat();
        let mut bytes = [&[0x00, 0x1A, 0x08], &name[..]].concat();
        bytes.extend([0x1A, 0x08, 0x02].repeat(24));
        bytes.push(0x18);
        bytes.extend(varint(200_000));
        bytes.extend([item].repeat(200_000));
        Schema::from_bytes(&bytes).unwrap()
    };
    let diff = holdall::Diff::between(&schema(0x03), &schema(0x04));
    assert!(diff.is_cut && diff.changes.len() > 10_000, "{}", diff.changes.len());
    let text = diff.to_string();
    assert!(text.lines().any(|line| line == "and more"));
    assert!(text.len() < 1 << 28, "{}", text.len());
    let Reads::Depends(checks) = &diff.new_reads_old else { panic!("{:?}", diff.new_reads_old) };
    let last = checks.last().unwrap();
    assert_eq!((&*last.path, &*last.condition), ("$", "with more conditions than these"));
    // One that is not truncated does not.
    let diff = holdall::Diff::between(&self::schema("00 16 03"), &self::schema("00 16 04"));
    assert!(!diff.is_cut && !diff.to_string().contains("and more"), "{diff}");
}

#[test]
fn an_equal_variant_is_the_one_whatever_its_defaults() {
    // Into union(record {x: u8}, record {x: int}); the default of x is not a number.
    let reader = schema("00 1C 08 1A 08 04 78 04 1A 08 02 03");
    let writer = Schema::of_message(&to_vec(&record([("x", Value::U8(1))])).unwrap()).unwrap();
    let resolver = Resolver::new(reader).default(Field::of_record("x"), Value::from(1.5));
    let error = resolver.plan(&writer).unwrap_err();
    assert_eq!(error.to_string(), "incompatible in $.x: expected u8, got f64 (F-78: no line fits)");
}

#[test]
fn an_open_field_takes_what_a_default_does_not_fit() {
    let message = to_vec(&object("S", [("a", object("T", [("x", Value::I32(7))]))])).unwrap();
    let resolver = Resolver::new(schema("00 19 04 53 08 04 61 01"))
        .open(Field::of_struct("S", "a"))
        .default(Field::of_struct("T", "x"), Value::from("no number"));
    assert_eq!(resolver.read(&message).unwrap(), from_slice(&message).unwrap());
}

#[test]
fn a_map_with_possible_duplicate_keys_is_not_always_a_struct() {
    // map(shared(#0), int) where #0 = string, and map(string, int), into record {x: option(int)}.
    let resolver = Resolver::new(schema("00 1A 08 04 78 15 03"));
    let Reads::Depends(checks) = resolver.reads(&schema("02 1B 20 00 03 12")) else { panic!() };
    assert_eq!((checks.len(), &*checks[0].condition), (1, "if no key occurs twice"));
    assert!(matches!(resolver.reads(&schema("00 1B 12 03")), Reads::Always));
}
