//! Enums whose rows are written variant by variant.

use holdall::typed::{Columns, Description, Site, Types};
use holdall::{Decode, Encode, Result, from_slice, to_vec};

mod as_text {
    pub fn encode(number: &u32) -> String {
        number.to_string()
    }

    pub fn decode(text: String) -> Result<u32, std::num::ParseIntError> {
        text.parse()
    }
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
enum Event<I> {
    Nothing,
    Moved {
        x: i16,
        y: i16,
        tags: Vec<String>,
        by: Option<u32>,
    },
    Named(String),
    Pair(u8, Option<I>),
    Counted(#[holdall(with = "as_text")] u32),
    Wide {
        a: u8,
        b: i8,
        c: u16,
        d: i32,
        e: u64,
        f: bool,
        g: f32,
        h: f64,
        i: [u16; 2],
        j: (u8, u8),
        k: char,
    },
    Flags(Vec<bool>),
    Bytes(Vec<u8>),
    Empty {},
}

impl<I> Event<I> {
    fn of(number: u32, inner: impl Fn(u32) -> I) -> Self {
        let byte = number as u8;
        match number * 7 % 11 {
            0 => Event::Nothing,
            1 | 9 => Event::Moved {
                x: -(number as i16),
                y: 3,
                tags: vec!["tag".repeat(number as usize % 4); number as usize % 3],
                by: number.is_multiple_of(2).then_some(number),
            },
            2 | 10 => Event::Named(format!("name {number}")),
            3 => Event::Pair(byte, number.is_multiple_of(3).then(|| inner(number))),
            4 => Event::Counted(number),
            5 => Event::Wide {
                a: byte,
                b: -3,
                c: 2,
                d: -(number as i32),
                e: 1 << (number % 64),
                f: number % 4 == 1,
                g: 0.5,
                h: number.into(),
                i: [number as u16, 7],
                j: (1, byte),
                k: 'k',
            },
            6 => Event::Flags((0..number % 150).map(|bit| bit % 3 == 0).collect()),
            7 => Event::Bytes((0..number % 20).map(|at| at as u8).collect()),
            _ => Event::Empty {},
        }
    }
}

/// Recursive: its rows are written one by one.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Nested {
    event: Event<Box<Nested>>,
}

fn nested(number: u32) -> Nested {
    Nested { event: Event::of(number, |number| Box::new(nested(number / 3))) }
}

/// Written as the value in it, but each row by itself.
struct RowByRow<T>(T);

impl<T: Encode> Encode for RowByRow<T> {
    fn describe(types: &mut Types) -> Description {
        Description::named(types.written::<T>())
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        self.0.write(site, columns)
    }
}

fn check<T: Encode + for<'de> Decode<'de> + Clone + PartialEq + std::fmt::Debug>(of: fn(u32) -> T) {
    // In batches that are full, and that are not.
    for count in [0, 1, 2, 5, 63, 64, 65, 127, 128, 129, 500] {
        let events: Vec<T> = (0..count).map(of).collect();
        let bytes = to_vec(&events).unwrap();
        assert_eq!(from_slice::<Vec<T>>(&bytes).unwrap(), events, "{count} rows");
        let each: Vec<_> = events.iter().cloned().map(RowByRow).collect();
        assert_eq!(to_vec(&each).unwrap(), bytes, "{count} rows");
        let nested: Vec<Vec<T>> = events.chunks(3).map(<[T]>::to_vec).collect();
        assert_eq!(from_slice::<Vec<Vec<T>>>(&to_vec(&nested).unwrap()).unwrap(), nested);
    }
}

#[test]
fn rows_written_variant_by_variant_have_the_bytes_of_rows_one_by_one() {
    check(|number| Event::of(number, u64::from));
    check(nested);
}
