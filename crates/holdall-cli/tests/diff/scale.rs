//! Large values, deep values and many differences: linear time, and no recursion.

use super::*;

/// A ring of `len` lists, each with this item and the next list.
fn ring(len: usize, item: i64) -> Value {
    let ring = Shared::cyclic(|weak| {
        let mut value = Value::Weak(weak.clone());
        for _ in 1..len {
            value = Value::Shared(Shared::new(Value::list([item.into(), value])));
        }
        Value::list([item.into(), value])
    });
    Value::Shared(ring)
}

#[test]
fn comparing_rings_terminates() {
    assert_eq!(lines_of(&ring(1, 7), &ring(1, 7)), [""; 0]);
    assert_eq!(lines_of(&ring(5, 7), &ring(5, 7)), [""; 0]);
    assert_eq!(lines_of(&ring(1, 7), &ring(1, 8)), ["changed: $[0] int 7 -> $[0] int 8"]);
    // Of other lengths they are equal, but other values are the same.
    let lines = lines_of(&ring(2, 7), &ring(3, 7));
    assert!(
        lines.iter().all(|line| line.starts_with("identity")) && !lines.is_empty(),
        "{lines:?}"
    );
    assert_eq!(
        lines_with(&ring(2, 7), &ring(3, 7), &Options::new().ignore_identity(true)),
        [""; 0]
    );
    // A value inside itself has an identity, however few items it has.
    let alone = || Value::Shared(Shared::cyclic(|weak| Value::tuple([Value::Weak(weak.clone())])));
    assert_eq!(lines_of(&alone(), &alone()), [""; 0]);
    let set = |value| Value::set([value]);
    assert_eq!(lines_of(&set(ring(4, 1)), &set(ring(4, 1))), [""; 0]);
    let lines = lines_of(&set(ring(40, 1)), &set(ring(40, 2)));
    assert!(!lines.is_empty());
}

#[test]
fn all_differences_are_counted_beyond_the_limit() {
    let list = |factor: i64| Value::list((0..100).map(|item| Value::from(item * factor)));
    let differences = differences(&list(1), &list(1000), &Options::new().limit(3)).unwrap();
    assert_eq!(differences.list.len(), 3);
    assert_eq!(differences.counts[DifferenceKind::Changed as usize], 99);
}

#[test]
fn a_hundred_thousand_levels_need_no_stack() {
    let deep = |last: i64| {
        (0..100_000).fold(Value::from(last), |value, level| match level % 3 {
            0 => Value::list([value]),
            1 => Value::record([("a", value)]),
            _ => Value::Variant(Variant::new("V", value)),
        })
    };
    let (old, new) = (deep(1), deep(2));
    let compare = move || {
        let lines = lines_of(&old, &new);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].starts_with("changed: $...") && lines[0].len() < 1000, "{lines:?}");
        assert_eq!(lines_of(&old, &old), [""; 0]);
        let all = Options::new().path("[][]");
        assert!(differences(&old, &new, &all).is_err());
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(compare).unwrap().join().unwrap();
}

/// Runs it, and refuses what takes minutes, also on a busy machine, where seconds would do.
fn in_time<T>(run: impl FnOnce() -> T) -> T {
    let start = ThreadTime::now();
    let out = run();
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    out
}

/// Numbers that look like chance, the same each time.
fn numbers(mut seed: u64, len: usize, below: u64) -> Vec<i64> {
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 33) % below).cast_signed()
    };
    (0..len).map(|_| next()).collect()
}

#[test]
fn long_lists_take_linear_time_whatever_their_items() {
    const LEN: usize = 50_000;
    let list = |items: Vec<i64>| Value::list(items.into_iter().map(Value::from));
    let count = |old: &Value, new: &Value| {
        in_time(|| differences(old, new, &Options::new()).unwrap().count())
    };
    let in_order: Vec<i64> = (0..LEN as i64).collect();
    let old = list(in_order.clone());
    // One in the middle.
    let mut one_more = in_order.clone();
    one_more.insert(LEN / 2, -1);
    assert_eq!(count(&old, &list(one_more)), 1);
    // Nothing in common; reversed; random, with many values and with few.
    assert_eq!(count(&old, &list(in_order.iter().map(|item| -1 - item).collect())), LEN);
    assert!(count(&old, &list(in_order.iter().rev().copied().collect())) > LEN / 2);
    for below in [2, 30, 1000, 1 << 20] {
        let [old, new] = [1, 2].map(|seed| list(numbers(seed, LEN, below)));
        assert!(count(&old, &new) > 1000);
        assert!(count(&old, &list(in_order.clone())) > 1000);
    }
    let records = |factor: i64| {
        let record = |id: i64| Value::record([("id", id.into()), ("x", (id * factor).into())]);
        Value::list((0..LEN as i64).map(record))
    };
    assert_eq!(count(&records(1), &records(2)), LEN - 1);
}

#[test]
fn many_paths_to_shared_values_do_not_multiply() {
    // Each level holds the next one twice: as many ways as 2 to the power of the levels.
    let levels = |levels: usize, skip: usize, last: i64| {
        let mut all = vec![Value::Shared(Shared::new(Value::from(vec![last])))];
        for level in 0..levels {
            let items = [all[level].clone(), all[level.saturating_sub(skip)].clone()];
            all.push(Value::Shared(Shared::new(Value::list(items))));
        }
        all.pop().unwrap()
    };
    assert_eq!(lines_of(&levels(1000, 0, 1), &levels(1000, 0, 1)), [""; 0]);
    assert_eq!(lines_of(&levels(1000, 0, 1), &levels(1000, 0, 2)).len(), 1);
    // As many pairs as the product.
    let options = Options::new();
    let found =
        in_time(|| differences(&levels(20_000, 0, 1), &levels(20_000, 1, 2), &options).unwrap());
    assert!(found.is_cut && !found.is_empty());
}
