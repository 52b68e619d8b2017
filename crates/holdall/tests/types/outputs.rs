//! Where messages go, and how long they are: every way gives the bytes of `to_vec`.

use std::collections::VecDeque;
use std::fmt::Debug;

use holdall::{
    Code, Decode, DecodeOwned, Decoder, Encode, Encoder, Header, Limits, Metadata, Profile, Value,
    encoded_len, to_array, to_buf, to_extend, to_slice, to_vec, to_writer,
};

use crate::common::chance::{Chance, rounds};

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
struct Row {
    id: u32,
    name: String,
    tags: Vec<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
#[holdall(packed)]
struct Corner {
    x: f32,
    y: f32,
}

fn rows(count: u32) -> Vec<Row> {
    (0..count)
        .map(|id| Row { id, name: format!("row {id}"), tags: vec![7; id as usize % 3] })
        .collect()
}

/// Runs a law for values that are written inline, in columns, with integers over 64 bits, in packed rows, and by events.
macro_rules! for_each_value {
    (|$value:ident| $law:expr) => {{
        let law = |$value: &_| $law;
        law(&300_u32);
        let law = |$value: &_| $law;
        law("hello");
        let law = |$value: &_| $law;
        law(&rows(0));
        let law = |$value: &_| $law;
        law(&rows(1000));
        let law = |$value: &_| $law;
        law(&(u128::MAX, rows(3)));
        let law = |$value: &_| $law;
        law(&vec![0.5_f64; 20_000]);
        // Below and above the length from which raw rows have an encoding.
        for corners in [1, 1000] {
            let law = |$value: &_| $law;
            law(&vec![Corner { x: 1.5, y: -2.0 }; corners]);
        }
        let law = |$value: &_| $law;
        law(&Value::list((0..300).map(Value::from)));
        let law = |$value: &_| $law;
        // Its charge exceeds the budget of so few bytes, so filler follows (F-95).
        law(&vec![(); 9_000_000]);
    }};
}

#[test]
fn every_way_of_writing_gives_the_same_bytes() {
    fn check<T: Encode + ?Sized>(value: &T) {
        let bytes = to_vec(value).unwrap();

        let mut written = Vec::new();
        to_writer(&mut written, value).unwrap();
        assert_eq!(written, bytes);

        let mut room = vec![0xEE; bytes.len() + 3];
        assert_eq!(to_slice(value, &mut room).unwrap(), bytes);
        assert_eq!(room[bytes.len()..], [0xEE; 3]);

        let mut queue = VecDeque::from([1]);
        to_extend(value, &mut queue).unwrap();
        assert_eq!(queue, [&[1], &bytes[..]].concat());

        let mut buffer = bytes::BytesMut::from(&[1][..]);
        to_buf(value, &mut buffer).unwrap();
        assert_eq!(buffer, [&[1], &bytes[..]].concat());

        let mut encoder = Encoder::new();
        for _ in 0..2 {
            assert_eq!(encoder.encode_ref(value).unwrap(), bytes);
            let mut grown = Vec::new();
            let message = encoder.encode_to(value, |len| {
                grown.resize(len, 0);
                Ok(&mut grown[..])
            });
            assert_eq!(message.unwrap(), bytes);
        }
        assert_eq!(encoded_len(value).unwrap(), bytes.len());
    }
    for_each_value!(|value| check(value));
}

#[test]
fn the_length_is_known_with_any_options() {
    fn check<T: Encode + ?Sized>(value: &T) {
        let options = || {
            [
                Encoder::new(),
                Encoder::new().header(Header::Bare),
                Encoder::new().header(Header::Fingerprint),
                Encoder::new().length(true),
                Encoder::new().checksum(true),
                Encoder::new().metadata(Metadata::new([("a", "b")]).unwrap()),
                Encoder::new().canonical(true),
                Encoder::new().aligned(holdall::Alignment::On),
                Encoder::new().profile(Profile::Balanced),
                Encoder::new().profile(Profile::Small),
            ]
        };
        for (mut encoder, mut measuring) in options().into_iter().zip(options()) {
            let bytes = encoder.encode(value).unwrap();
            assert_eq!(measuring.encoded_len(value).unwrap(), bytes.len());
            // Measuring leaves nothing behind.
            assert_eq!(measuring.encode(value).unwrap(), bytes);
        }
    }
    for_each_value!(|value| check(value));
}

#[test]
fn the_length_is_within_the_limit_of_output() {
    let value = rows(1000);
    let len = encoded_len(&value).unwrap();
    let measure = |most| Encoder::new().limits(Limits::new().output(most)).encoded_len(&value);
    assert_eq!(measure(len).unwrap(), len);
    assert_eq!(measure(len - 1).unwrap_err().code(), Code::LimitOutput);
}

#[test]
fn a_vector_has_no_room_to_spare() {
    fn check<T: Encode + ?Sized>(value: &T) {
        let bytes = to_vec(value).unwrap();
        assert_eq!(bytes.capacity(), bytes.len());
    }
    check(&300_u32);
    check(&rows(5));
    check(&rows(1000));
    check(&(u128::MAX, rows(3)));
    check(&vec![0.5_f64; 20_000]);
    check(&vec![(); 9_000_000]);
    check(&Value::list((0..1000).map(Value::from)));
}

#[test]
fn what_is_too_long_for_its_place_says_how_many_bytes_are_missing() {
    let missing = "limit_output: expected room for 12 bytes, got 8 bytes: 4 are missing";
    let mut room = [0xEE; 8];
    assert_eq!(to_slice("too long", &mut room).unwrap_err().to_string(), missing);
    assert_eq!(room, [0xEE; 8]);
    let mut buffer = &mut room[..];
    assert_eq!(to_buf("too long", &mut buffer).unwrap_err().to_string(), missing);
    assert_eq!(buffer.len(), 8);
    assert_eq!(room, [0xEE; 8]);
    let error = to_writer(&mut room[..], "too long").unwrap_err();
    assert_eq!(error.code(), Code::Io);
}

#[test]
fn a_value_that_fails_writes_nothing() {
    let locked = std::cell::RefCell::new(1);
    let _held = locked.borrow_mut();
    let value = (rows(100), &locked);
    let mut written = Vec::new();
    let error = to_writer(&mut written, &value).unwrap_err();
    assert_eq!((error.code(), written), (Code::UnsupportedValue, vec![]));
    let mut encoder = Encoder::new();
    assert_eq!(encoder.encode_ref(&value).unwrap_err().code(), Code::UnsupportedValue);
    assert_eq!(encoder.encode_ref(&7_u8).unwrap(), to_vec(&7_u8).unwrap());
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
#[holdall(packed)]
struct Packed {
    a: u64,
    b: [i16; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
#[holdall(packed)]
struct Wide([u32; 30]);

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
enum Side {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
enum Only {
    One,
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
enum OnlyFloat {
    A(f32),
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
enum OnlyStruct {
    A { x: f32, y: u8 },
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
struct Unit;

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
struct Named<T> {
    position: (f64, f64, f64),
    side: Side,
    on: bool,
    inner: T,
    #[holdall(skip)]
    skipped: u64,
}

fn named<T>(inner: T) -> Named<T> {
    Named { position: (0.5, -1.5, f64::MAX), side: Side::Right, on: true, inner, skipped: 0 }
}

#[test]
fn bare_bodies_of_types_with_a_size_have_it() {
    fn check<T: Encode + DecodeOwned + PartialEq + Debug + 'static, const SIZE: usize>(value: T) {
        let bare = || Encoder::new().header(Header::Bare);
        let bytes = bare().encode(&value).unwrap();
        assert_eq!(to_array::<T, SIZE>(&value).unwrap()[..], bytes, "{value:?}");
        let balanced = bare().profile(Profile::Balanced).encode(&value).unwrap();
        assert_eq!(balanced.len(), SIZE, "{value:?}");
        assert_eq!(Decoder::new().decode_body::<T>(&bytes).unwrap(), value);
        // Columns have the size that inline values have.
        let shared = std::rc::Rc::new(value);
        let columns = bare().encode(&shared).unwrap();
        assert_eq!(columns.len(), SIZE + 2, "one row, new: {shared:?}");
    }
    check::<_, 1>(0_u8);
    check::<_, 1>(-128_i8);
    check::<_, 1>(true);
    check::<_, 4>(f32::NEG_INFINITY);
    check::<_, 8>(f64::MAX);
    check::<_, 2>(holdall::f16::MAX);
    check::<_, 0>(());
    check::<_, 0>(Unit);
    check::<_, 0>(Only::One);
    check::<_, 1>(Side::Left);
    check::<_, 14>(Packed { a: u64::MAX, b: [-1; 3] });
    check::<_, 14>(Packed { a: 0, b: [0; 3] });
    check::<_, 121>(Wide([u32::MAX; 30]));
    check::<_, 3>([0_u8, 255, 7]);
    check::<_, 24>([0.0_f64; 3]);
    check::<_, 1>([true, false, true]);
    check::<_, 3>([Side::Left, Side::Right, Side::Left]);
    check::<_, 17>([(1.5_f64, true), (2.5, false)]);
    check::<_, 56>([Packed { a: 7, b: [1, 2, 3] }; 4]);
    check::<_, 71>([Packed { a: 7, b: [1, 2, 3] }; 5]);
    check::<_, 85>([[Packed { a: 7, b: [1, 2, 3] }; 2]; 3]);
    check::<_, 82>(named([Packed { a: 7, b: [1, 2, 3] }; 4]));
    check::<_, 4>(OnlyFloat::A(1.5));
    check::<_, 5>(OnlyStruct::A { x: 1.5, y: 7 });
    check::<_, 15>([OnlyStruct::A { x: 1.5, y: 7 }; 3]);
    check::<_, 0>([0_u8; 0]);
    check::<_, 0>([(); 40]);
    check::<_, 42>([Packed { a: 0, b: [0; 3] }; 3].map(|row| (row, Unit)));
    check::<_, 8>(Box::new(1.5_f64));
    check::<_, 8>(std::cell::Cell::new(1.5_f64));
    check::<_, 4>(std::num::Wrapping(1.5_f32));
    check::<_, 8>(std::cmp::Reverse(1.5_f64));
    check::<_, 1>(std::num::NonZero::<u8>::MAX);
    check::<_, 16>(uuid::Uuid::from_u128(7));
    check::<_, 129>([uuid::Uuid::from_u128(7); 8]);
    check::<_, 4>(std::net::Ipv4Addr::LOCALHOST);
    check::<_, 16>(std::net::Ipv6Addr::LOCALHOST);
    check::<_, 16>(0.5_f64..1.5);
    check::<_, 1>(..=7_u8);
    let (corner, other) =
        (geo_types::coord! { x: 0.5, y: 1.5 }, geo_types::coord! { x: 2.5, y: 3.5 });
    check::<_, 16>(geo_types::Point(corner));
    check::<_, 32>(geo_types::Line::new(corner, other));
    check::<_, 32>(geo_types::Rect::new(corner, other));
    check::<_, 48>(geo_types::Triangle::new(corner, other, corner));
    check::<_, 16>(num_complex::Complex { re: 1.0_f64, im: 2.0 });
    check::<_, 27>(named(7_u8));
    check::<_, 53>(named(named([9_u8; 1])));
    check::<_, 26>(named(std::marker::PhantomData::<String>));
}

#[test]
fn random_values_have_the_size_of_their_type() {
    fn check<T: Encode + Debug>(value: &T) {
        let size = T::SIZE.expect("a size");
        for profile in [Profile::Fast, Profile::Balanced] {
            let body = Encoder::new().header(Header::Bare).profile(profile).encode(value).unwrap();
            assert_eq!(body.len(), size, "{value:?}");
        }
    }
    let mut chance = Chance::new(7);
    for _ in 0..rounds(1000) {
        // Often zeros or equal rows, which encodings would make shorter.
        let mut word = || chance.word() >> (chance.below(4) * 21);
        let mut row = || Packed { a: word(), b: [word() as i16; 3] };
        let rows = [row(), row(), row(), row(), row(), row(), row(), row(), row()];
        check(&rows);
        check(&[rows, [rows[0]; 9], rows, rows]);
        check(&rows.first_chunk::<4>().unwrap().map(|row| [row; 5]));
        check(&(rows, OnlyFloat::A(word() as f32), word() as u8));
        check(&[OnlyStruct::A { x: f32::from_bits(word() as u32), y: word() as u8 }; 3]);
        check(&[word(); 9].map(|word| std::net::Ipv4Addr::from(word as u32)));
    }
}

#[test]
fn types_whose_bodies_differ_in_length_have_no_size() {
    fn check<T: Encode>(one: &T, other: &T) {
        let mut bare = Encoder::new().header(Header::Bare);
        assert_ne!(bare.encode(one).unwrap().len(), bare.encode(other).unwrap().len());
        assert_eq!(T::SIZE, None);
    }
    check(&1_u16, &300);
    check(&1_i64, &i64::MAX);
    check(&'a', &'é');
    check(&Some(1.5_f64), &None);
    check(&vec![1_u8], &vec![]);
    check(&[0.0_f64; 8], &[1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5]);
    check(&String::new(), &"a".to_owned());
    check(&named(1_u32), &named(1000));
    check(&Ok::<u8, f32>(1), &Err(1.5));
}
