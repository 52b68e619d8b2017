//! Times holdall on columns: `columns FILE [SECONDS]`.
//!
//! Each column is a message of its own, a list of one type, in each profile. The output has a line for each: the
//! column's number, the profile, the message's bytes, and the median nanoseconds to write and to read it. The result of
//! reading is compared with the column. As in the peers, strings are read into one buffer with offsets, without an
//! allocation for each.

mod columns;

use std::time::Duration;

use columns::{Column, Texts, columns};
use holdall::view::Values;
use holdall::{Decode, Decoder, Encode, Encoder, Profile, View};
use holdall_bench_measure::time::{Task, medians};

const PROFILES: [(&str, Profile); 3] =
    [("fast", Profile::Fast), ("balanced", Profile::Balanced), ("small", Profile::Small)];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a file of columns");
    let seconds = arguments.next().map_or(0.1, |text| text.parse().expect("seconds"));
    let file = std::fs::read(path).expect("a file that can be read");
    for (number, column) in columns(&file).iter().enumerate() {
        for (profile, [bytes, pack, unpack]) in measured(column, Duration::from_secs_f64(seconds)) {
            println!("{number}\t{profile}\t{bytes}\t{pack}\t{unpack}");
        }
    }
}

/// The bytes, and the nanoseconds of both directions, in each profile.
fn measured(column: &Column, least_time: Duration) -> Vec<(&'static str, [u128; 3])> {
    match column {
        Column::Ints(values) => numbers(values, least_time),
        Column::Floats(values) => numbers(values, least_time),
        Column::SomeFloats(values) => numbers(values, least_time),
        Column::Texts(texts) => match &texts.present {
            None => {
                let values: Vec<&str> = texts.strings().collect();
                timed(&values, least_time, text_column, |found| found == texts)
            }
            Some(present) => {
                let mut strings = texts.strings();
                let values: Vec<Option<&str>> = present
                    .iter()
                    .map(|present| if *present { strings.next() } else { None })
                    .collect();
                timed(&values, least_time, text_column, |found| found == texts)
            }
        },
    }
}

/// Measures numbers, which must be restored exactly. No float is NaN here, and comparing bytes covers the signs of zeros.
fn numbers<T>(values: &Vec<T>, least_time: Duration) -> Vec<(&'static str, [u128; 3])>
where
    T: Encode + PartialEq,
    Vec<T>: Encode + for<'m> Decode<'m>,
{
    let read = |message: &[u8]| Decoder::new().decode::<Vec<T>>(message).expect("what was written");
    timed(values, least_time, read, |found| {
        let again =
            |values: &Vec<T>| Encoder::new().encode(values).expect("values that holdall takes");
        found == values && again(found) == again(values)
    })
}

/// A column of text, in one buffer.
fn text_column(message: &[u8]) -> Texts {
    let view = View::new(message).expect("what was written");
    let items = view.root().items().expect("a list");
    let column = items.column().expect("a column");
    let present = column.present().map(<[bool]>::to_vec);
    let Values::Strings(strings) = column.values() else {
        panic!("not text: {}", items.type_text())
    };
    let mut texts = Texts { present, ..Texts::default() };
    texts.ends.reserve(strings.len());
    for string in strings.iter() {
        texts.text.push_str(string);
        texts.ends.push(texts.text.len());
    }
    texts
}

fn timed<V: Encode, R>(
    values: &V,
    least_time: Duration,
    read: impl Fn(&[u8]) -> R,
    same: impl Fn(&R) -> bool,
) -> Vec<(&'static str, [u128; 3])> {
    let write = |profile| {
        Encoder::new().profile(profile).encode(values).expect("values that holdall takes")
    };
    let messages = PROFILES.map(|(_, profile)| write(profile));
    for ((name, _), message) in PROFILES.iter().zip(&messages) {
        assert!(same(&read(message)), "profile {name} returns other values");
    }
    let mut tasks: Vec<Task<'_>> =
        PROFILES.iter().map(|(_, profile)| Task::new(move || write(*profile))).collect();
    let packs = medians(&mut tasks, least_time);
    let read = &read;
    let mut tasks: Vec<Task<'_>> =
        messages.iter().map(|message| Task::new(move || read(message))).collect();
    let unpacks = medians(&mut tasks, least_time);
    PROFILES
        .iter()
        .zip(messages.iter().zip(packs.iter().zip(&unpacks)))
        .map(|((name, _), (message, (pack, unpack)))| {
            (*name, [message.len() as u128, pack.as_nanos(), unpack.as_nanos()])
        })
        .collect()
}
