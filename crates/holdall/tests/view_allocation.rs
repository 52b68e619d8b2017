//! The allocations of reading rows of a view.

use crate::common::make::{int, list, map, record, tensor, text};
use crate::counting::allocations_of;
use holdall::view::SomeRows;
use holdall::{Encoder, Profile, Value, ValueBuilder, View};

fn row(n: u64) -> Value {
    let optional = if n.is_multiple_of(3) { Value::Null } else { int(n as i64) };
    let mut fields = vec![
        ("n", int(n as i64)),
        ("text", text(&n.to_string())),
        ("half", Value::from(n as f64 / 2.0)),
        ("optional", optional),
        ("list", list((0..n % 4).map(|item| int(item as i64)))),
        ("map", map([(int(n as i64), text("value"))])),
        ("tensor", tensor("u8", &[n % 5], || n as u8)),
    ];
    fields.truncate(3 + n as usize % 5);
    record(fields)
}

#[test]
fn half_of_the_rows_take_no_more_allocations_than_all() {
    for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
        let value = list((0..1000).map(row));
        let message = Encoder::new().profile(profile).message(&mut &value).unwrap();
        let view = View::new(&message).unwrap();
        let read = |step: u64| {
            let some = SomeRows { first: 0, count: 1000 / step, step };
            let mut builder = ValueBuilder::new();
            view.root().emit_rows(some, &mut builder).unwrap();
            builder.finish().unwrap()
        };
        // Columns that are decoded in full are so now.
        read(2);
        let ((_, all), (_, half)) = (allocations_of(|| read(1)), allocations_of(|| read(2)));
        assert!(half <= all, "{half} allocations in place of {all} in {profile:?}");
    }
}
