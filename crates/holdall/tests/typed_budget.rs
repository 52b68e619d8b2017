//! A message can make a reader of Rust types allocate only what its rows take in these types; the budget bounds their
//! number (F-38).

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::rc::Rc;

use crate::common::chance::{Chance, rounds};
use crate::common::mutate::mutate;
use crate::common::varint;
use crate::counting::{LIVE, peak_of};
use holdall::{Code, Decode, DecodeOwned, Decoder, Encode, Limits, to_vec};

#[allow(clippy::large_enum_variant, reason = "that is what is tested")]
#[derive(Encode, Decode, Clone)]
enum Variant {
    Small,
    Large([u64; 40]),
}

#[derive(Encode, Decode, Clone, Default)]
struct Order {
    id: u64,
    name: String,
    lines: Vec<u64>,
    note: Option<String>,
    at: [i32; 3],
    state: (bool, f32),
}

#[derive(Encode, Decode, Clone)]
struct Chain {
    next: Option<Box<Chain>>,
}

/// In addition to the values, decoded columns take at most this many bytes for each unit. Measured: 1.
const MAX_BYTES_PER_UNIT: f64 = 1.5;
/// A constant for any input.
const CONSTANT: usize = 64 << 10;

/// The default budget is 2^26 units or 1,000 times the length of the input: a unit is one byte of 64 MiB, or a
/// thousandth of a byte of the input. A smaller budget takes less time and shows the same.
fn budget() -> usize {
    1 << if std::env::var_os("HOLDALL_SOAK").is_some() { 26 } else { 20 }
}

fn limits() -> Limits {
    Limits::new().budget(budget() as u64)
}

/// Reads a list of as many equal rows as the budget allows, where each costs `units` and takes at most `bytes` of
/// memory.
#[track_caller]
fn check<T: Encode + DecodeOwned + Clone>(row: T, units: usize, bytes: usize) {
    let name = std::any::type_name::<T>();
    let list = |count| to_vec(&vec![row.clone(); count]).unwrap();
    let count = (budget() - 16) / units;
    let message = list(count);
    let before = LIVE.get();
    let (value, peak) = peak_of(|| Decoder::new().limits(limits()).decode::<Vec<T>>(&message));
    let value = value.unwrap();
    let held = usize::try_from(LIVE.get() - before).unwrap();
    assert_eq!(value.len(), count, "{name}");
    let a_unit = |bytes: usize| bytes as f64 / budget() as f64;
    println!("{:6.2} bytes a unit, {:6.2} held: {name}", a_unit(peak), a_unit(held));
    assert!(held <= count * bytes + CONSTANT, "{name} holds {} bytes a row", held / count);
    assert!(
        a_unit(peak - held) <= MAX_BYTES_PER_UNIT,
        "{name} takes {:.1} a unit beside",
        a_unit(peak - held)
    );
    // One more is too much, and is rejected before it is read.
    let more = list(count + 4);
    let (result, peak) = peak_of(|| Decoder::new().limits(limits()).decode::<Vec<T>>(&more));
    assert_eq!(result.err().map(|error| error.code()), Some(Code::LimitBudget), "{name}");
    assert!(peak < 2 * budget() + CONSTANT, "{name} took {peak} bytes to be refused");
}

/// The same for items that own nothing else: a list takes as many as the budget allows, and no more.
#[track_caller]
fn check_plain<T: Encode + DecodeOwned + Clone>(row: T, units: usize) {
    check(row, units, size_of::<T>());
}

#[test]
fn rows_take_no_more_than_their_types() {
    check_plain((), 8);
    check_plain(true, 8);
    check_plain(0_u8, 8);
    check_plain(0_u64, 8);
    check_plain(0_u128, 8);
    check_plain(0.5_f64, 8);
    check_plain(String::new(), 8);
    check_plain(Vec::<()>::new(), 8);
    check_plain(vec![()], 16);
    check_plain(None::<u64>, 8);
    check_plain(Some(0_u64), 16);
    check_plain((0_u8, 0_u64), 24);
    check_plain([0_u64; 4], 40);
    check_plain(Order::default(), 96);
    // The largest values for the fewest units: 13 and 33 bytes a unit.
    check_plain(None::<Order>, 8);
    check_plain(None::<Box<Order>>, 8);
    check_plain(None::<[u64; 32]>, 8);
    check_plain(Variant::Small, 16);
    check_plain(HashMap::<u64, u64>::new(), 8);
    check_plain(BTreeMap::<u64, u64>::new(), 8);
}

#[test]
fn containers_take_no_more_than_a_multiple_of_their_items() {
    check(vec![0_u64], 16, 24 + 8);
    check(VecDeque::from([0_u64]), 16, 32 + 8);
    check(BinaryHeap::from([0_u64]), 16, 24 + 8);
    check(LinkedList::from([0_u64]), 16, 24 + 8 + 16);
    check(Box::new(0_u64), 8, 8 + 8);
    check(Chain { next: None }, 24, 8);
    // A table has at least 4 slots, with control bytes; a node of a tree has 11.
    check(HashMap::from([(0_u64, 0_u64)]), 24, 48 + 4 * 16 + 20);
    check(HashSet::from([0_u64]), 24, 48 + 4 * 8 + 20);
    check(BTreeMap::from([(0_u64, 0_u64)]), 24, 24 + 11 * 16 + 16);
    check(BTreeSet::from([0_u64]), 24, 24 + 11 * 8 + 16);
    check(BTreeMap::from([(0_u64, None::<[u64; 32]>)]), 24, 24 + 11 * (8 + 264) + 16);
}

/// serde's lists grow as they are read: for a moment they exist twice, with room for as many again.
#[cfg(feature = "serde")]
#[test]
fn rows_of_serde_take_no_more_than_a_multiple_of_their_types() {
    fn check<T: Encode + serde::de::DeserializeOwned + Clone>(row: T) {
        let count = (budget() - 16) / 8;
        let message = to_vec(&vec![row; count]).unwrap();
        let (value, peak) = peak_of(|| holdall::serde::from_slice::<Vec<T>>(&message));
        assert_eq!(value.unwrap().len(), count);
        let name = std::any::type_name::<T>();
        println!("{:6.2} bytes a unit: {name}", peak as f64 / budget() as f64);
        assert!(peak <= 3 * count * size_of::<T>() + 6 * budget() + CONSTANT, "{name}: {peak}");
    }
    check(());
    check(0_u64);
    check(String::new());
    check(None::<u64>);
    check(None::<[u64; 32]>);
    check(HashMap::<u64, u64>::new());
}

/// One table; while it is built, its entries are in a list, too.
#[test]
fn tables_take_no_more_than_a_multiple_of_their_entries() {
    type Table = HashMap<u32, Option<[u64; 32]>>;
    // One more than 7 of 8 slots, so it doubles.
    let count = (budget() / 16).next_power_of_two() / 8 * 7 + 1;
    let written: HashMap<u32, Option<Box<[u64; 32]>>> =
        (0..count as u32).map(|key| (key, None)).collect();
    let message = to_vec(&written).unwrap();
    drop(written);
    let (value, peak) = peak_of(|| Decoder::new().limits(limits()).decode::<Table>(&message));
    assert_eq!(value.unwrap().len(), count);
    let entries = count * size_of::<(u32, Option<[u64; 32]>)>();
    println!("{:.2} times its entries", peak as f64 / entries as f64);
    assert!(peak <= 7 * entries / 2 + CONSTANT, "{peak} bytes of {entries}");
}

#[test]
fn the_error_says_what_to_do() {
    let limits = Limits::new().budget(100);
    let message = to_vec(&vec![(); 100]).unwrap();
    let error = Decoder::new().limits(limits).decode::<Vec<()>>(&message).unwrap_err();
    let text = "limit_budget at offset 5 in $[]: reading this takes 800 units of memory (a unit is about a byte), \
        and 92 are left of the budget; if you trust the data, raise Limits::budget";
    assert_eq!(error.to_string(), text);
    let error = Decoder::new().limits(limits).decode::<holdall::Value>(&message).unwrap_err();
    assert_eq!(error.to_string(), text);
    assert!(Decoder::new().limits(limits.budget(808)).decode::<Vec<()>>(&message).is_ok());
}

// On 32 bits the limit of what a program may ask for comes first.
#[cfg(target_pointer_width = "64")]
#[test]
fn more_than_a_machine_holds_is_an_error() {
    let limits = || Limits::new().budget(u64::MAX);
    for count in [1 << 45, 1 << 56, 1 << 60] {
        // Rows of no bytes.
        let mut message = to_vec(&Vec::<Option<[u64; 32]>>::new()).unwrap();
        assert_eq!(message.pop(), Some(0));
        message.extend(varint(count));
        message.push(0x50);
        let read = || Decoder::new().limits(limits()).decode::<Vec<Option<[u64; 32]>>>(&message);
        let (result, peak) = peak_of(read);
        let error = result.unwrap_err();
        let text =
            format!("out_of_memory: expected values that fit in memory, got {count} of 264 bytes");
        assert_eq!((error.to_string(), error.limit()), (text, None));
        assert!(peak < CONSTANT, "{peak} bytes");
        // In place of another value, too.
        let mut own: Vec<Option<[u64; 32]>> = vec![None; 3];
        let into = Decoder::new().limits(limits()).decode_into(&message, &mut own);
        assert_eq!(into.unwrap_err().code(), Code::OutOfMemory);
    }
}

#[test]
fn damaged_messages_take_no_more_than_a_multiple_of_the_budget() {
    type All = Vec<(Order, Vec<Option<Order>>, HashMap<u64, Variant>, Rc<String>, Chain)>;
    // Most of the memory can be in tables, whose entries take 336 bytes for at least 16 units.
    const PER_UNIT: usize = 4 * 336 / 16;
    let order = Order { name: "order".into(), lines: vec![0; 100], ..Order::default() };
    let entries = [(1, Variant::Small), (2, Variant::Large([7; 40]))];
    let chain = Chain { next: Some(Box::new(Chain { next: None })) };
    let row =
        (order, vec![None::<Order>; 50], HashMap::from(entries), Rc::new("text".to_owned()), chain);
    let messages = [to_vec(&vec![row.clone(); 3]).unwrap(), to_vec(&vec![row; 50]).unwrap()];
    let (mut chance, mut read) = (Chance::new(20_241_104), 0);
    for _ in 0..rounds(20_000) {
        let mut bytes = chance.pick(&messages).clone();
        for _ in 0..*chance.pick(&[1, 1, 1, 2, 3]) {
            mutate(&mut chance, &mut bytes, &messages[0]);
        }
        let budget = *chance.pick(&[1 << 18, 1 << 16, 1 << 14]);
        let limits = Limits::new().budget(budget as u64).depth(200);
        let (result, peak) = peak_of(|| Decoder::new().limits(limits).decode::<All>(&bytes));
        read += usize::from(result.is_ok());
        let most = PER_UNIT * budget + 400 * bytes.len() + CONSTANT;
        assert!(peak <= most, "{bytes:02X?} took {peak} bytes with a budget of {budget}");
    }
    assert!(read > rounds(200), "{read} were read");
}
