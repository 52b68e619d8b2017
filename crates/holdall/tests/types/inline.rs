//! A value that fills a message is written and read without columns around it; bytes and errors are those of columns.

use std::collections::BTreeMap;

use holdall::{Code, Decode, DecodeOwned, Decoder, Encode, Encoder, Header, Limits, Profile};

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Row {
    id: u64,
    small: (u8, i8, bool),
    signed: (i16, i32, i64, isize),
    wide: (u128, i128),
    floats: (f32, f64),
    letter: char,
    name: String,
    parent: Option<u32>,
    twice: Option<Option<i8>>,
    kind: Kind,
    shape: Shape,
    tags: Vec<String>,
    points: Vec<Point>,
    corners: [Point; 3],
    nested: Vec<Vec<u16>>,
    map: BTreeMap<String, Vec<u8>>,
    boxed: Box<Point>,
    only: Only,
    nothing: (),
    wrapped: Meters,
    #[holdall(with = "text")]
    port: u16,
    #[holdall(skip)]
    cache: u32,
    #[holdall(default)]
    added: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
struct Meters(f64);

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
enum Kind {
    A,
    B,
    C,
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
enum Shape {
    Empty,
    Circle(f64),
    Line { from: Point, to: Point },
    Path(Vec<Point>, bool),
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
enum Only {
    One { name: String },
}

mod text {
    pub fn encode(port: &u16) -> String {
        port.to_string()
    }

    pub fn decode(text: String) -> Result<u16, std::num::ParseIntError> {
        text.parse()
    }
}

fn row(seed: u64) -> Row {
    let point = |at: u64| Point { x: at as f32, y: -0.5 };
    Row {
        id: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (seed % 64),
        small: (seed as u8, (seed as i8).wrapping_neg(), seed.is_multiple_of(2)),
        signed: (-300, i32::MIN + seed as i32, i64::MAX - seed as i64, -1),
        wide: (u128::MAX >> (seed % 128), i128::MIN >> (seed % 128)),
        floats: (f32::MIN_POSITIVE, -0.0),
        letter: if seed.is_multiple_of(3) { '𝄞' } else { 'a' },
        name: "ä".repeat(seed as usize % 9),
        parent: (!seed.is_multiple_of(3)).then_some(seed as u32),
        twice: [None, Some(None), Some(Some(-3))][seed as usize % 3],
        kind: [Kind::A, Kind::B, Kind::C][seed as usize % 3],
        shape: match seed % 4 {
            0 => Shape::Empty,
            1 => Shape::Circle(1.5),
            2 => Shape::Line { from: point(1), to: point(2) },
            _ => Shape::Path((0..seed % 7).map(point).collect(), true),
        },
        tags: (0..seed % 6).map(|at| format!("tag {at}")).collect(),
        points: (0..seed % 5).map(point).collect(),
        corners: [point(1), point(2), point(seed)],
        nested: (0..seed % 5).map(|at| (0..at as u16).collect()).collect(),
        map: (0..seed % 4).map(|at| (at.to_string(), vec![at as u8; at as usize])).collect(),
        boxed: Box::new(point(3)),
        only: Only::One { name: "only".into() },
        nothing: (),
        wrapped: Meters(2.5),
        port: seed as u16,
        cache: 0,
        added: 7,
    }
}

/// An array of one value has the value's columns and none of its own (F-24); arrays always use columns.
fn is_written_as_columns<T: Encode + DecodeOwned + PartialEq + std::fmt::Debug>(value: T) {
    let array = [value];
    let [value] = &array;
    for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
        let mut encoder = Encoder::new().header(Header::Bare).profile(profile);
        let inline = encoder.encode(value).unwrap();
        assert_eq!(inline, encoder.encode(&array).unwrap());
        assert_eq!(Decoder::new().decode_body::<T>(&inline).unwrap(), *value);
        let mut into = Vec::new();
        encoder.encode_into(value, &mut into).unwrap();
        assert_eq!(into, inline);
    }
}

#[test]
fn an_inline_value_has_the_bytes_of_columns() {
    for seed in 0..200 {
        is_written_as_columns(row(seed));
        is_written_as_columns((row(seed), row(seed + 1)));
        is_written_as_columns(row(seed).shape);
    }
}

/// Has the same layout in memory and in data.
#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
#[holdall(packed)]
#[repr(C)]
struct Corner {
    at: [f32; 2],
    colour: u32,
}

/// Does not: it has a byte of padding.
#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
#[holdall(packed)]
#[repr(C)]
struct Padded {
    kind: u8,
    size: u16,
}

#[test]
fn inline_lists_of_any_length_have_the_bytes_of_columns() {
    for len in [0, 1, 3, 4, 5, 1024, 1025, 20_000] {
        is_written_as_columns(vec![0.5_f64; len]);
        is_written_as_columns((0..len).map(|at| at as f64 / 3.0).collect::<Vec<f64>>());
        is_written_as_columns((0..len).map(|at| at as f32 / 3.0).collect::<Vec<f32>>());
        let corner = |at: usize| Corner { at: [at as f32, 0.5], colour: at as u32 };
        is_written_as_columns((0..len).map(corner).collect::<Vec<_>>());
        is_written_as_columns((0..len).map(corner).map(Some).collect::<Vec<_>>());
        let padded = |at: usize| Padded { kind: at as u8, size: at as u16 };
        is_written_as_columns((0..len).map(padded).collect::<Vec<_>>());
    }
}

#[test]
fn a_buffer_is_empty_after_an_error() {
    let limits = Limits::new().output(4);
    for mut encoder in [Encoder::new(), Encoder::new().header(Header::Bare)] {
        encoder = encoder.limits(limits);
        let mut into = vec![1, 2, 3];
        let error = encoder.encode_into(&row(1), &mut into).unwrap_err();
        assert_eq!((error.code(), &*into), (Code::LimitOutput, &[][..]));
        into.push(1);
        let error = encoder.encode_into(&[row(1)], &mut into).unwrap_err();
        assert_eq!((error.code(), &*into), (Code::LimitOutput, &[][..]));
    }
}

/// The item types of lists that are written and read without columns around them.
#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Flat {
    small: (u8, i8, bool),
    wide: (u16, i32, u64, isize),
    floats: [f32; 2],
    text: String,
    perhaps: Option<i64>,
    twice: Option<Option<Meters>>,
    kind: Kind,
    point: Point,
    #[holdall(skip)]
    cache: u32,
    #[holdall(default)]
    added: usize,
}

fn flat(count: u64) -> Vec<Flat> {
    let one = |seed: u64| Flat {
        small: (seed as u8, (seed as i8).wrapping_neg(), seed.is_multiple_of(2)),
        wide: (300, -(seed as i32), seed << (seed % 60), i64::MIN as isize + seed as isize),
        floats: [1.5, seed as f32],
        text: "ö".repeat(seed as usize * 7 % 40),
        perhaps: (!seed.is_multiple_of(3)).then_some(-(seed as i64)),
        twice: [None, Some(None), Some(Some(Meters(seed as f64)))][seed as usize % 3],
        kind: [Kind::A, Kind::B, Kind::C][seed as usize % 3],
        point: Point { x: 0.0, y: -0.0 },
        cache: 0,
        added: 7,
    };
    (0..count).map(one).collect()
}

#[test]
fn short_lists_have_the_bytes_of_columns() {
    let lens = [0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 63, 64, 65, 127, 129, 500, 1024, 1025];
    for len in lens {
        is_written_as_columns(flat(len));
        is_written_as_columns((flat(len), 7_u8, vec![-1_i16; len as usize]));
        is_written_as_columns((0..len).map(|at| (at % 3 == 0).then_some(at)).collect::<Vec<_>>());
        is_written_as_columns((0..len).map(|at| "x".repeat(at as usize)).collect::<Vec<_>>());
        is_written_as_columns(vec![[true, false, true]; len as usize]);
        is_written_as_columns(vec![None::<String>; len as usize]);
        is_written_as_columns(vec![Option::<u8>::Some(7); len as usize]);
    }
}

#[test]
fn inline_values_report_the_errors_of_columns() {
    reports_the_errors_of_columns(&row(11));
    reports_the_errors_of_columns(&flat(3));
    reports_the_errors_of_columns(&flat(11));
}

fn reports_the_errors_of_columns<T: Encode + DecodeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let body = Encoder::new().header(Header::Bare).encode(value).unwrap();
    let decoder = |units| Decoder::new().limits(Limits::new().budget(units));
    // The array is a site of its own.
    let (mut decoder, mut with_array) = (decoder(1 << 20), decoder((1 << 20) + 8));
    let mut fails = |body: &[u8]| {
        let one = decoder.decode_body::<T>(body).map_err(|error| error.to_string());
        let array = with_array.decode_body::<[T; 1]>(body);
        // The path of an array has one more index.
        let array = array
            .map(|[row]| row)
            .map_err(|error| error.to_string().replacen("$[0]", "$", 1).replacen("$[]", "$", 1));
        // As text: a float may have become NaN.
        assert_eq!(format!("{one:?}"), format!("{array:?}"));
        one.is_err()
    };
    assert!((0..body.len()).all(|len| fails(&body[..len])));
    assert!(fails(&[&body[..], &[0]].concat()));
    for at in 0..body.len() {
        for bit in 0..8 {
            let mut damaged = body.clone();
            damaged[at] ^= 1 << bit;
            fails(&damaged);
        }
    }
}

#[test]
fn an_inline_value_takes_the_units_of_columns() {
    takes_the_units_that_columns_take(&row(6));
    takes_the_units_that_columns_take(&flat(2));
    takes_the_units_that_columns_take(&flat(9));
}

fn takes_the_units_that_columns_take<T: Encode + DecodeOwned>(value: &T) {
    let body = Encoder::new().header(Header::Bare).encode(value).unwrap();
    let mut both = [false; 2];
    for units in (0..6000).step_by(3) {
        let mut decoder = Decoder::new().limits(Limits::new().budget(units));
        let one = decoder.decode_body::<T>(&body).map_err(|error| error.code());
        // The array is a site of its own.
        let mut with_array = Decoder::new().limits(Limits::new().budget(units + 8));
        let array = with_array.decode_body::<[T; 1]>(&body).map_err(|error| error.code());
        assert_eq!(one.is_ok(), array.is_ok(), "with {units} units");
        both[usize::from(one.is_ok())] = true;
    }
    assert_eq!(both, [true; 2]);
}
