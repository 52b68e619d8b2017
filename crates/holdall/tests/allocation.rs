//! A message can make a reader allocate at most a multiple of its budget and of its own length (F-38).

use crate::common::chance::{Chance, rounds};
use crate::common::graphs::graph;
use crate::common::mutate::mutate;
use crate::common::vectors::{Form, Input, inputs};
use crate::common::{hex, message, varint};
use crate::counting::{LIVE, peak_of};
use holdall::{Value, ValueBuilder};

fn decode(input: &Input) -> holdall::Result<Value> {
    let mut builder = ValueBuilder::new();
    input.decode(&mut builder)?;
    builder.finish()
}

/// The maximum number of bytes for each unit of the budget. Measured: 7 for a list of nulls, which are values of 56
/// bytes for 8 units; 10 for deep lists; 17 for one map of u128, whose keys are kept for comparison.
const PER_UNIT: usize = 20;
/// The maximum number of bytes for each byte of the input. Measured: 331 for types of one byte without rows.
const PER_BYTE: usize = 400;
/// A constant for any input.
const CONSTANT: usize = 64 << 10;

/// Decodes an input with a budget, and checks the memory that it took; returns the result.
fn check(name: &str, input: &Input) -> String {
    let budget = input.budget.expect("a budget");
    let (result, peak) = peak_of(|| decode(input));
    let outcome = result.map_or_else(|error| error.code().to_string(), |_| "value".to_owned());
    let bound =
        PER_UNIT * usize::try_from(budget).unwrap() + PER_BYTE * input.bytes.len() + CONSTANT;
    assert!(
        peak <= bound,
        "{name} took {peak} bytes, {:.1} times its budget of {budget}, and has {} bytes ({outcome})",
        peak as f64 / budget as f64,
        input.bytes.len(),
    );
    outcome
}

const BUDGET: u64 = 1 << 20;

fn input(bytes: Vec<u8>) -> Input {
    Input { form: Form::Message, bytes, schema: None, budget: Some(BUDGET) }
}

/// A list with as many items as the budget allows, where each costs `units`; `columns` follow the list's length.
fn list(item: &str, units: u64, columns: &str) -> Vec<u8> {
    let len = varint((BUDGET - 16) / units);
    message(&hex(&format!("16 {item}")), &[len, hex(columns)].concat())
}

/// A list of records with fields of type null, of this form.
fn records(fields: usize, form: usize, behind: &[u8], block: &[u8]) -> Vec<u8> {
    let mut schema = [hex("16 1A"), varint((4 * fields + form) as u64)].concat();
    for field in 0..fields {
        let name = field.to_string();
        schema.extend([varint(2 * name.len() as u64), name.into_bytes(), vec![0x01]].concat());
    }
    message(&[&schema, behind].concat(), block)
}

/// The most memory for the least cost: each of these is read as a value.
fn expensive() -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<(String, Vec<u8>)> = [
        ("nulls", "01", 8, ""),
        ("bools", "02", 8, "51"),
        ("f32", "10", 8, "59 00000000"),
        ("f64", "11", 8, "59 0000000000000000"),
        ("empty strings", "12", 8, "60 00"),
        ("empty bytes", "13", 8, "60 00"),
        ("present options", "15 01", 16, "51"),
        ("absent options", "15 01", 8, "50"),
        ("empty lists", "16 01", 8, "00"),
        ("lists of 1", "16 01", 16, "80 02"),
        ("empty tuples", "18 00", 8, ""),
        ("tuples of 1", "18 02 01", 16, ""),
        ("empty structs", "19 00 00", 8, ""),
        ("empty records", "1A 00", 8, ""),
        ("records of 1", "1A 08 00 01", 16, ""),
        ("empty sparse records", "1A 04", 8, "00"),
        ("empty maps", "1B 01 01", 8, "00"),
        ("maps of 1", "1B 01 01", 24, "80 02"),
        ("variants of 1", "1C 06 00 01", 16, ""),
        ("variants of 2", "1C 0A 00 01 04 61 01", 16, "00"),
        ("union of lists and bools", "1C 08 16 01 02", 16, "00 00"),
        ("f16", "0E", 8, "59 0000"),
        ("empty byte strings of a type", "14 00", 8, ""),
        ("empty arrays", "17 00 01", 8, ""),
        ("arrays of 1 null", "17 02 01", 16, ""),
        ("arrays of 7 nulls", "17 0E 01", 64, ""),
        ("arrays of arrays of null", "17 02 17 02 17 02 01", 32, ""),
        ("extensions", "23 04 61 01", 16, ""),
        ("sets of none", "22 0A 00 16 01", 16, "00"),
        ("sets of 1", "22 0A 00 16 01", 24, "80 02"),
        ("long tuples of 9", "22 0C 00 16 01", 88, "80 12"),
        ("ordered maps of none", "22 0E 00 1B 01 01", 16, "00"),
        ("dates", "22 01 00 03", 16, "00"),
        ("logical values of a later kind", "22 E0 00 01", 16, ""),
        ("unknown values", "E0 00", 8, "00"),
        ("unknown bools", "02", 8, "E0 00"),
        ("unknown strings", "12", 8, "E0 00"),
        ("empty tensors", "1D 04", 16, "80 02 00 50"),
    ]
    .into_iter()
    .map(|(name, item, units, columns)| (name.to_owned(), list(item, units, columns)))
    .collect();
    // u128 and i128 are boxed.
    all.extend((0x03..=0x0D).map(|code| {
        (format!("integers of code {code:02X}"), list(&format!("{code:02x}"), 8, "00"))
    }));
    let mut add = |name: &str, bytes: Vec<u8>| all.push((name.to_owned(), bytes));

    let n = (BUDGET - 8) / 16;
    let keys: Vec<u8> = (0..n as u32).flat_map(u32::to_le_bytes).collect();
    let keyed = |types: &str, values: &[u8]| {
        message(&hex(types), &[&varint(n), &[0x20][..], &keys, values].concat())
    };
    add("a map of tuples", message(&hex("1B 18 00 01"), &varint(n)));
    add("a map of ints", keyed("1B 03 01", &[]));
    add("a map of u128", keyed("1B 08 08", &[0]));

    let n = (BUDGET - 16) / 9;
    let text = vec![b'a'; n as usize];
    add("strings of 1 byte", message(&hex("16 12"), &[varint(n), hex("60 80 02"), text].concat()));
    let n = (BUDGET - 16) / 17;
    let bigs = [0, 0, 0, 0, 0, 0, 0, 0x80, 0].repeat(n as usize);
    add("big integers", message(&hex("16 03"), &[varint(n), hex("44 80 12"), bigs].concat()));

    // Each list or variant contains the next one; the last contains nothing.
    let bits = |units: u64| {
        let n = (BUDGET - 16) / units / 8 * 8;
        let mut bits = vec![0xFF; n as usize / 8];
        *bits.last_mut().unwrap() = 0x7F;
        (varint(n), bits)
    };
    let (n, ones) = bits(16);
    add("a chain of lists", [hex("C1 12 02 1F 00 16 1F 00"), n, vec![1], ones].concat());
    let (n, ones) = bits(24);
    let head = hex("C1 12 02 1F 00 1C 06 00 15 1F 00");
    add("a chain of variants", [head, n, vec![0x52], ones].concat());

    // Each value occurs twice, as a new row and as a back-reference, in a frame of 32 bits.
    let shared = |item: &str, units: u64, columns: &str| {
        let n = (BUDGET - 16) / (16 + units);
        let refs = (0..n as u32).flat_map(|row| [0, row + 1]).flat_map(u32::to_le_bytes);
        let head = hex(&format!("C1 12 02 16 20 00 {item}"));
        [head, varint(n), varint(2 * n), vec![0x20], refs.collect(), hex(columns)].concat()
    };
    add("values held twice", shared("01", 8, ""));
    add("lists held twice", shared("16 01", 8, "00"));
    add("records held twice", shared("1A 08 00 01", 16, ""));
    add("variants held twice", shared("1C 06 00 01", 16, ""));
    add("u128 held twice", shared("08", 8, "00"));
    // All of them contain the same row, which contains itself.
    let n = (BUDGET - 24) / 8;
    add("a list of itself", [hex("C1 12 02 1F 00 16 20 00 02"), varint(n), hex("80 02")].concat());
    // Each list contains the first and the next one, the last only the first: lengths 2, references 1 and 0 in turn.
    let n = (BUDGET - 16) / 24 / 8 * 8;
    let lengths = [vec![0xAA; n as usize / 4 - 1], vec![0x6A]].concat();
    let refs = vec![0x55; n as usize / 4];
    let head = hex("C1 12 02 1F 00 16 20 00");
    add(
        "a chain of lists that hold the first",
        [head, varint(n), vec![2], lengths, vec![1], refs].concat(),
    );

    let bools = [vec![0x48], vec![1; 1 << 16]].concat();
    let wide = message(&[hex("1E 17"), varint(1 << 16), hex("02")].concat(), &bools);
    add("a packed array of 2^16 bools", wide);
    let n = (BUDGET - 16) / 8;
    let block = [varint(n), hex("00 50 48"), vec![1; n as usize]].concat();
    add("tensors of rank 0", message(&hex("16 1D 02"), &block));
    let n = (BUDGET - 16) / (8 + 8 * 32);
    let ones = vec![0xFF; 4 * n as usize];
    let block = [varint(n), hex("80 40 01"), ones, hex("50 48"), vec![1; n as usize]].concat();
    add("tensors of rank 32", message(&hex("16 1D 02"), &block));

    // Shapes, fields, types without rows and metadata cost no budget, only bytes.
    let pairs = (0..4096).flat_map(|n| [&[6], format!("{n:03X}").as_bytes(), &[0]].concat());
    let bytes = [hex("C1 18 01"), varint(4096), pairs.collect(), hex("01")].concat();
    add("4,096 keys of metadata", bytes);
    let none = vec![0; 100_000];
    let schema = [hex("1A 0A 00 01"), varint(none.len() as u64), none].concat();
    add("100,000 shapes without a row", message(&schema, &[0]));
    let types = [0x16, 0x02].repeat(100_000);
    let schema = [hex("16 18"), varint(100_000), types].concat();
    add("200,000 types without a row", message(&schema, &[0]));
    add("10,000 fields without a row", records(10_000, 2, &[], &[0]));
    let n = (BUDGET - 16) / 40;
    let numbers =
        (0..n as u16).flat_map(|row| [row % 1000, if row % 1001 == 0 { 999 } else { row / 1000 }]);
    let numbers: Vec<u8> = numbers.flat_map(u16::to_le_bytes).collect();
    let block = [varint(n), hex("80 04 10"), numbers].concat();
    add("sparse records of as many shapes", records(1000, 2, &[], &block));
    all
}

#[test]
fn dropping_a_graph_frees_all_of_it() {
    let mut chance = Chance::new(20_240_906);
    for _ in 0..rounds(5_000) {
        let before = LIVE.get();
        let (value, kept) = graph(&mut chance);
        let bytes = holdall::to_vec(&value).unwrap();
        let read = LIVE.get();
        let back = holdall::from_slice::<Value>(&bytes).unwrap();
        let copy = back.clone();
        assert!(copy == value);
        drop((back, copy));
        assert_eq!(LIVE.get(), read, "what was read is not freed: {value:?}");
        drop((value, kept, bytes));
        assert_eq!(LIVE.get(), before, "what was made is not freed");
    }
}

/// More than any machine has, or more than the budget allows.
fn bombs() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for shift in [24, 31, 32, 48, 60, 61, 62, 63] {
        let count = varint(1 << shift);
        let mut add = |name: &str, head: &str, tail: &str| {
            let bytes = [hex(head), count.clone(), hex(tail)].concat();
            all.push((format!("2^{shift} {name}"), bytes));
        };
        add("nulls", "C1 10 16 01", "");
        add("bools", "C1 10 16 02", "51");
        add("integers", "C1 10 16 03", "00");
        add("floats", "C1 10 16 11", "59 0000000000000000");
        add("empty strings", "C1 10 16 12", "60 00");
        add("bytes in one string", "C1 10 12", "");
        add("bytes in one of bytes", "C1 10 13", "61");
        add("options", "C1 10 16 15 15 15 01", "51 51 51");
        add("empty lists", "C1 10 16 16 01", "00");
        add("empty tuples", "C1 10 16 18 00", "");
        add("empty records", "C1 10 16 1A 00", "");
        add("entries", "C1 10 1B 01 01", "");
        add("maps", "C1 10 16 1B 01 01", "80 02");
        add("variants", "C1 10 16 1C 06 00 01", "");
        add("items in each of 4 lists", "C1 10 16 16 01 08 80", "");
        add("bytes in each of 4 strings", "C1 10 16 12 08 60 80", "");
        add("bytes in each of 4 big integers", "C1 10 16 03 08 44 80", "");
        add("bytes in a big integer", "C1 10 03 FF", "");
        add("sparse records", "C1 10 16 1A 0A 04 61 01", "00");
        add("references", "C1 12 02 16 20 00 16 01 02", "80 02");
        add("rows of a shared definition", "C1 12 02 20 00 16 01", "00 00");
        add("rows of a definition", "C1 12 02 1F 00 01", "");
        add("definitions", "C1 12", "1F 00 01 02");
        add("fields", "C1 10 1A", "04 61 01");
        add("variants of a type", "C1 10 1C", "01 02 03");
        add("members", "C1 10 18", "01 01");
        add("shapes", "C1 10 1A 0A 04 61 01", "00 00");
        add("numbers in a shape", "C1 10 1A 0A 04 61 01 04", "00 00");
        add("letters of a name", "C1 10 1A 08", "61 01");
        add("arrays of null", "C1 10 16 17 02 01", "");
        add("nulls in an array", "C1 10 17", "01");
        add("nulls in each of 4 arrays", "C1 10 16 17", "01 08");
        add("bytes of a type of one length", "C1 10 14", "");
        add("byte strings of no bytes", "C1 10 16 14 00", "");
        add("bytes of a packed type", "C1 10 1E 14", "");
        add("items of a packed array", "C1 10 1E 17", "02");
        add("packed rows", "C1 10 16 1E 02", "");
        add("tensors", "C1 10 16 1D 02", "80 02 00 50");
        add("dimensions of a tensor", "C1 10 1D 02", "");
        add("elements of a tensor", "C1 10 1D 04 02", "00");
        add("elements of a column-major tensor", "C1 10 1D 04 04 02", "01");
        add("sets", "C1 10 16 22 0A 00 16 01", "00");
        add("members of a set", "C1 10 22 0A 00 16 01", "");
        add("items of a long tuple", "C1 10 22 0C 00 16 01", "");
        add("extensions", "C1 10 16 23 04 61 01", "");
        add("parameters of a logical type", "C1 10 22 E0", "01");
        add("parameters of an unknown type", "C1 10 E0", "00");
        add("bytes of an unknown row", "C1 10 E0 00", "00");
        add("bytes of an unknown column", "C1 10 16 03 08 E0", "00");
        add("bytes in a message", "C1 18 04", "01");
        add("bytes in a message with checksum", "C1 18 06", "01 00 00 00 00");
        add("pairs of metadata", "C1 18 01", "00 00 01");
        add("letters of a key", "C1 18 01 02", "61 00 01");
        add("letters of a value", "C1 18 01 02 02 61", "61 01");
    }
    let arrays = [hex("17"), varint(1 << 12)].concat().repeat(60);
    all.push(("arrays to the 60th".to_owned(), message(&[arrays, vec![0x01]].concat(), &[])));
    let huge = [hex("40 40"), vec![0xFF; 8 * 32], vec![0]].concat();
    all.push(("a tensor of 32 dimensions of 2^64".to_owned(), message(&hex("1D 02"), &huge)));
    // Lists of lists of lists: 2^12 at each level.
    let levels = vec![0x16; 60];
    let block = [varint(1 << 12), [0xC0].into(), varint(1 << 12)].concat();
    all.push(("lists to the 12th".to_owned(), message(&[levels, vec![0x01]].concat(), &block)));
    all
}

#[test]
fn the_costliest_inputs_take_no_more_than_a_multiple_of_the_budget() {
    for (name, bytes) in expensive() {
        assert_eq!(check(&name, &input(bytes)), "value", "{name}");
    }
}

#[test]
fn packed_rows_take_no_more_than_a_multiple_of_the_budget() {
    // One byte for each row, and values nested in each other.
    for levels in [0, 1, 10, 100] {
        let n = (BUDGET - 16) / (8 * (1 + levels as u64));
        let schema = [hex("16 1E"), hex("18 02").repeat(levels), hex("02")].concat();
        let block = [varint(n), vec![0x48], vec![1; n as usize]].concat();
        let name = format!("tuples packed {levels} deep");
        assert_eq!(check(&name, &input(message(&schema, &block))), "value");
        // The maximum number, by the rows alone.
        let n = (BUDGET - 16) / 8 - 8;
        let block = [varint(n), vec![0x48], vec![1; n as usize]].concat();
        check(&name, &input(message(&schema, &block)));
    }
}

#[test]
fn excessive_claims_are_rejected_before_allocation() {
    for (name, bytes) in bombs() {
        let input = input(bytes);
        let (result, peak) = peak_of(|| decode(&input));
        let error = result.expect_err(&name);
        assert!(
            ["limit_budget", "limit_rank", "truncated", "varint_overlong", "bad_packed"]
                .contains(&error.code().as_str()),
            "{name}: {error}"
        );
        assert!(peak < CONSTANT, "{name} took {peak} bytes: {error}");
    }
}

#[test]
fn damaged_inputs_take_no_more_than_a_multiple_of_the_budget() {
    let all = inputs();
    let small: Vec<&Input> = all.iter().filter(|input| input.bytes.len() <= 4096).collect();
    let expensive: Vec<Input> = expensive()
        .into_iter()
        .chain(bombs())
        .map(|(_, bytes)| input(bytes))
        .filter(|input| input.bytes.len() <= 4096)
        .collect();
    let mut chance = Chance::new(20_240_903);
    for number in 0..rounds(60_000) {
        let mut input = match number % 4 {
            0 => chance.pick(&expensive).clone(),
            _ => (*chance.pick(&small)).clone(),
        };
        for _ in 0..*chance.pick(&[1, 1, 1, 2, 3]) {
            let other = &chance.pick(&small).bytes;
            mutate(&mut chance, &mut input.bytes, other);
        }
        input.budget = Some(*chance.pick(&[1 << 18, 1 << 16, 1 << 14, 500]));
        if input.form != Form::Schema {
            check(&format!("{:02X?}", input.bytes), &input);
        }
    }
}
