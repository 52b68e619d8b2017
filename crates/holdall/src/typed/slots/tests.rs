//! Slots drop what they hold exactly once, whether reading succeeds, fails or panics; batches and gathered rows fill the right ones.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use core::mem::offset_of;

use super::*;

/// Counts how many of its kind are alive.
struct Counted<'c>(&'c Cell<i32>, u8);

impl<'c> Counted<'c> {
    fn new(alive: &'c Cell<i32>, name: u8) -> Self {
        alive.set(alive.get() + 1);
        Counted(alive, name)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

struct TestPair<'c> {
    small: u8,
    one: Counted<'c>,
    two: Counted<'c>,
}

/// Fills the fields of pairs in turn; fails at the pair with number `end`.
fn fill<'c>(
    slots: &mut Slots<'_, TestPair<'c>>,
    alive: &'c Cell<i32>,
    end: usize,
) -> Result<(), usize> {
    // SAFETY: these are all fields, each taken once.
    let (mut small, mut one, mut two) = unsafe {
        (
            slots.field::<u8>(offset_of!(TestPair<'_>, small)),
            slots.field::<Counted<'_>>(offset_of!(TestPair<'_>, one)),
            slots.field::<Counted<'_>>(offset_of!(TestPair<'_>, two)),
        )
    };
    small.extend((0..).map(|number: usize| number as u8));
    for number in 0..slots.left() {
        one.push(Counted::new(alive, number as u8));
        if number == end {
            return Err(number);
        }
        two.push(Counted::new(alive, (number + 100) as u8));
    }
    small.finish();
    one.finish();
    two.finish();
    // SAFETY: all fields were finished.
    unsafe { slots.complete() };
    Ok(())
}

#[test]
fn values_built_from_fields_own_them() {
    let alive = Cell::new(0);
    let mut list = Vec::new();
    let batch = rows_at_once::<TestPair<'_>>();
    let count = 2 * batch + 1;
    append(&mut list, count, |slots| fill(slots, &alive, usize::MAX)).unwrap();
    assert_eq!((list.len(), alive.get()), (count, 2 * count as i32));
    let numbers: Vec<_> = list.iter().map(|pair| (pair.small, pair.one.1, pair.two.1)).collect();
    let last = (batch - 1) as u8;
    let expected = [(last, last, last.wrapping_add(100)), (0, 0, 100), (1, 1, 101)];
    assert_eq!(numbers[batch - 1..][..3], expected);
    drop(list);
    assert_eq!(alive.get(), 0);
}

#[test]
fn an_error_drops_the_new_values_and_keeps_the_old() {
    let alive = Cell::new(0);
    let mut list = Vec::new();
    append(&mut list, 10, |slots| fill(slots, &alive, usize::MAX)).unwrap();
    assert_eq!(append(&mut list, 70, |slots| fill(slots, &alive, 30)), Err(30));
    assert_eq!((list.len(), alive.get()), (10, 20));
}

#[test]
fn a_panic_drops_the_new_values() {
    let alive = Cell::new(0);
    let outcome = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
        one::<[Counted<'_>; 3], ()>(|slots| {
            slots.fill_items(|items| {
                items.push(Counted::new(&alive, 0));
                items.push(Counted::new(&alive, 1));
                panic!("by a type's own code");
            })
        })
        .map(drop)
    }));
    assert!(outcome.is_err());
    assert_eq!(alive.get(), 0);
}

#[test]
#[should_panic(expected = "all slots are filled")]
fn empty_slots_are_never_taken_for_values() {
    let _ = one::<String, ()>(|_| Ok(()));
}

#[test]
#[should_panic(expected = "a slot is free")]
fn nothing_is_written_after_the_last_slot() {
    let _ = one::<u64, ()>(|slots| {
        slots.push(1);
        slots.push(2);
        Ok(())
    });
}

#[test]
fn arrays_inside_structs_are_filled_item_by_item() {
    struct Holder {
        _name: String,
        items: [String; 2],
    }
    let mut list: Vec<Holder> = Vec::new();
    append::<_, ()>(&mut list, 3, |slots| {
        // SAFETY: these are all fields, each taken once.
        let (mut name, mut items) = unsafe {
            (
                slots.field::<String>(offset_of!(Holder, _name)),
                slots.field::<[String; 2]>(offset_of!(Holder, items)),
            )
        };
        name.extend((0..3).map(|n| format!("name {n}")));
        let mut number = 0;
        items.fill_items(|items| {
            while items.left() > 0 {
                items.push(format!("item {number}"));
                number += 1;
            }
            Ok(())
        })?;
        name.finish();
        items.finish();
        // SAFETY: all fields were finished.
        unsafe { slots.complete() };
        Ok(())
    })
    .unwrap();
    let items: Vec<&str> =
        list.iter().flat_map(|holder| &holder.items).map(String::as_str).collect();
    assert_eq!(items, ["item 0", "item 1", "item 2", "item 3", "item 4", "item 5"]);
}

#[test]
fn values_of_no_size_are_counted() {
    struct Nothing;
    std::thread_local!(static DROPPED: Cell<usize> = const { Cell::new(0) });
    impl Drop for Nothing {
        fn drop(&mut self) {
            DROPPED.set(DROPPED.get() + 1);
        }
    }
    let mut list = Vec::new();
    append::<_, ()>(&mut list, 200, |slots| {
        slots.extend(core::iter::repeat_with(|| Nothing));
        Ok(())
    })
    .unwrap();
    assert_eq!(list.len(), 200);
    drop(list);
    assert_eq!(DROPPED.get(), 200);
    assert_eq!(one::<[u64; 0], ()>(|slots| slots.fill_items(|_| unreachable!())), Ok([]));
}

#[test]
fn slots_are_filled_from_adjacent_and_separate_rows() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Both {
        one: u64,
        two: u8,
    }
    for (slots, rows) in (0..20).flat_map(|slots| (0..20).map(move |rows| (slots, rows))) {
        let rows: Vec<u8> = (0..rows).collect();
        let (mut apart, mut aside) = (vec![Both { one: 77, two: 77 }; slots], vec![77; slots]);
        let as_places = |both: &mut [Both]| {
            // SAFETY: values that may be written over; no byte is made invalid.
            let memory = unsafe { &mut *(core::ptr::from_mut(both) as *mut [MaybeUninit<Both>]) };
            let all = Slots::of(memory);
            // SAFETY: each field is taken once.
            let (mut one, mut two) = unsafe {
                (all.field::<u64>(offset_of!(Both, one)), all.field::<u8>(offset_of!(Both, two)))
            };
            one.extend_from(&rows, |row| u64::from(*row) + 1000);
            two.extend_from(&rows, |row| row + 100);
            assert_eq!(two.left(), slots.saturating_sub(rows.len()));
        };
        as_places(&mut apart);
        // SAFETY: as above.
        let memory =
            unsafe { &mut *(core::ptr::from_mut(&mut aside[..]) as *mut [MaybeUninit<_>]) };
        Slots::of(memory).extend_from(&rows, |row| u64::from(*row) + 1000);
        for place in 0..slots {
            let row = rows.get(place).copied();
            let expected = row.map_or(77, |row| u64::from(row) + 1000);
            let two = row.map_or(77, |row| row + 100);
            assert_eq!((apart[place], aside[place]), (Both { one: expected, two }, expected));
        }
    }
}

/// Fills slots with values by their numbers; fails at number `end`.
fn count<'c>(slots: &mut Slots<'_, Counted<'c>>, alive: &'c Cell<i32>, end: u8) -> Result<(), u8> {
    for number in 0..slots.left() as u8 {
        slots.push(Counted::new(alive, number));
        if number == end {
            return Err(number);
        }
    }
    Ok(())
}

#[test]
fn batched_values_belong_to_their_taker() {
    let alive = Cell::new(0);
    let taken = batch(
        7,
        |slots| count(slots, &alive, u8::MAX),
        |values| {
            let (first, none) = (values.list(3), values.list(0));
            let one = values.take(1).one();
            (first, none, one, values.list(3))
        },
    );
    let (first, none, one, rest) = taken.unwrap();
    assert_eq!(alive.get(), 7);
    assert_eq!(first.iter().map(|value| value.1).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!((none.len(), one.1, rest.len(), rest[2].1), (0, 3, 3, 6));
    drop((first, none, one, rest));
    assert_eq!(alive.get(), 0);
}

#[test]
fn batched_values_are_dropped_after_a_fault() {
    let alive = Cell::new(0);
    assert_eq!(batch(7, |slots| count(slots, &alive, 5), |_| ()), Err(5));
    assert_eq!(alive.get(), 0);
}

/// Fills the slots of each variant with values that have its number; fails in the second value of variant `end`.
fn fill_variants<'c>(
    numbers: &[u64],
    slots: &mut Slots<'_, Counted<'c>>,
    alive: &'c Cell<i32>,
    end: usize,
) -> Result<(), usize> {
    slots.by_variant::<4, _>(numbers, |variant, slots| {
        let mut place = 0;
        slots.fill(slots.left(), || {
            place += 1;
            match (variant, place) == (end, 2) {
                true => Err(variant),
                false => Ok(Counted::new(alive, variant as u8)),
            }
        })
    })
}

#[test]
fn values_of_variants_are_in_the_order_of_their_rows() {
    let alive = Cell::new(0);
    for numbers in [vec![], vec![2], (0..600).map(|row| [3, 0, 3, 1, 1][row % 5]).collect()] {
        let mut list = Vec::new();
        let fill = |slots: &mut Slots<'_, _>| fill_variants(&numbers, slots, &alive, 4);
        append_at_once(&mut list, numbers.len(), fill).unwrap();
        assert!(list.iter().map(|value| u64::from(value.1)).eq(numbers.iter().copied()));
        assert_eq!(alive.get(), numbers.len() as i32);
    }
    assert_eq!(alive.get(), 0);
}

#[test]
fn values_of_variants_are_dropped_after_a_fault() {
    let (alive, numbers) = (Cell::new(0), [3, 0, 3, 1, 1, 0].repeat(50));
    for end in [0, 1, 3] {
        let mut list = vec![Counted::new(&alive, 9)];
        let fill = |slots: &mut Slots<'_, _>| fill_variants(&numbers, slots, &alive, end);
        assert_eq!(append_at_once(&mut list, numbers.len(), fill), Err(end));
        assert_eq!((list.len(), alive.get()), (1, 1));
    }
}

#[test]
#[should_panic = "all slots are filled"]
fn a_variant_whose_slots_are_not_all_filled_panics() {
    let mut list: Vec<u8> = Vec::new();
    let fill =
        |slots: &mut Slots<'_, u8>| slots.by_variant::<1, _>(&[0, 0], |_, _| Ok::<_, ()>(()));
    let _ = append_at_once(&mut list, 2, fill);
}

#[test]
fn values_left_in_a_batch_are_dropped() {
    let alive = Cell::new(0);
    let left = batch(7, |slots| count(slots, &alive, u8::MAX), |values| values.take(1).one().1);
    assert_eq!((left, alive.get()), (Ok(0), 0));
}

#[test]
fn short_lists_are_gathered() {
    assert_eq!(lists_at_once(&[0, 0, 0]), (3, 0));
    assert_eq!(lists_at_once(&[60, 4, 0]), (3, 64));
    assert_eq!(lists_at_once(&[60, 4, 0, 1]), (3, 64));
    assert_eq!(lists_at_once(&[60, 5, 1]), (1, 60));
    assert_eq!(lists_at_once(&[1000, 1]), (1, 1000));
    assert_eq!(lists_at_once(&[1, u64::MAX, u64::MAX]), (1, 1));
}

#[test]
fn separate_arrays_are_filled_at_once() {
    struct Spaced {
        corners: [u16; 3],
        other: u8,
    }
    let mut list: Vec<Spaced> = Vec::new();
    let mut calls = 0;
    append_at_once(&mut list, 100, |slots| {
        // SAFETY: these are all fields, each taken once.
        let (mut corners, mut other) = unsafe {
            (
                slots.field::<[u16; 3]>(offset_of!(Spaced, corners)),
                slots.field::<u8>(offset_of!(Spaced, other)),
            )
        };
        corners.fill_items_at_once(|items| {
            calls += 1;
            items.extend(0..300);
            Ok::<(), ()>(())
        })?;
        other.extend(0..100);
        corners.finish();
        other.finish();
        // SAFETY: all fields were finished.
        unsafe { slots.complete() };
        Ok::<(), ()>(())
    })
    .unwrap();
    assert_eq!((calls, list.len()), (1, 100));
    assert_eq!((list[99].corners, list[99].other), ([297, 298, 299], 99));
}

#[test]
fn present_values_are_put_where_their_bits_are() {
    let alive = Cell::new(0);
    for (bits, count) in
        [(0, 0), (0, 3), (0b101, 3), (1 << 63 | 6, 64), (u64::MAX, 64), (u64::MAX, 5)]
    {
        let present = (0..count).filter(|number| bits >> number & 1 == 1).count();
        let mut list: Vec<(u8, Option<Counted<'_>>)> = Vec::new();
        append_at_once(&mut list, count, |slots| {
            // SAFETY: these are all fields, each taken once.
            let (mut number, mut value) = unsafe {
                (
                    slots.field::<u8>(offset_of!((u8, Option<Counted<'_>>), 0)),
                    slots.field::<Option<Counted<'_>>>(offset_of!((u8, Option<Counted<'_>>), 1)),
                )
            };
            number.extend(0..=u8::MAX);
            batch(
                present,
                |values| {
                    values.extend((0..=u8::MAX).map(|name| Counted::new(&alive, name)));
                    Ok::<(), ()>(())
                },
                |values| value.extend_present(bits, count, values),
            )?;
            number.finish();
            value.finish();
            // SAFETY: all fields were finished.
            unsafe { slots.complete() };
            Ok::<(), ()>(())
        })
        .unwrap();
        let mut next = 0..;
        for (number, value) in &list {
            let expected = if bits >> number & 1 == 1 { next.next() } else { None };
            assert_eq!(value.as_ref().map(|value| value.1), expected);
        }
        assert_eq!(alive.get(), present as i32);
        drop(list);
        assert_eq!(alive.get(), 0);
    }
}
