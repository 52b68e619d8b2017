//! Packed structs, lists borrowed from the message, and messages whose length is known in advance.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::path::Path;

use holdall::bindings::kernel::IS_FORMAT_ORDER;
use holdall::{
    Alignment, Code, Decode, Decoder, Encode, Encoder, Header, Value, from_slice, to_vec,
};

/// Has the same layout in memory and in data.
#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
#[holdall(packed)]
struct Point {
    x: f32,
    y: f32,
}

/// Contains another packed struct, an array, and padding in memory.
#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
#[holdall(packed)]
struct Mixed {
    on: bool,
    at: Point,
    tag: [u8; 3],
    big: u64,
    #[holdall(skip)]
    cache: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
#[holdall(packed)]
struct Meters(f64);

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
#[holdall(packed)]
struct Pair<T> {
    one: T,
    two: T,
}

/// The fields of [`Point`], not packed.
#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
struct Place {
    x: f64,
    y: f64,
}

fn points(count: u8) -> Vec<Point> {
    (0..count).map(|n| Point { x: f32::from(n), y: -f32::from(n) }).collect()
}

fn mixed(n: u8) -> Mixed {
    let at = Point { x: f32::from(n), y: 0.5 };
    Mixed { on: n % 2 == 1, at, tag: [n, 0, 255], big: u64::MAX - u64::from(n), cache: 0 }
}

#[test]
fn packed_structs_are_rows_of_their_fields_bytes() {
    let schema = <Vec<Mixed>>::schema().unwrap();
    assert_eq!(
        schema.to_string(),
        "list(packed(struct Mixed {on: bool, at: struct Point {x: f32, y: f32}, tag: array(3, u8), big: u64}))"
    );
    assert_eq!(<Vec<Meters>>::schema().unwrap().to_string(), "list(packed(f64))");
    assert_eq!(
        Pair::<Meters>::schema().unwrap().to_string(),
        "packed(struct Pair {one: f64, two: f64})"
    );

    let bare = Encoder::new().header(Header::Bare).encode(&vec![mixed(1)]).unwrap();
    let row = [
        &[0x01][..],                   // on
        &1_f32.to_le_bytes(),          // at.x
        &0.5_f32.to_le_bytes(),        // at.y
        &[1, 0, 255],                  // tag
        &(u64::MAX - 1).to_le_bytes(), // big
    ]
    .concat();
    assert_eq!(bare, [&[0x02][..], &row].concat());
}

#[test]
fn packed_structs_survive_in_lists_fields_and_roots() {
    let all: Vec<Mixed> = (0..200).map(mixed).collect();
    assert_eq!(from_slice::<Vec<Mixed>>(&to_vec(&all).unwrap()).unwrap(), all);
    assert_eq!(from_slice::<Vec<Point>>(&to_vec(&points(100)).unwrap()).unwrap(), points(100));
    assert_eq!(from_slice::<Mixed>(&to_vec(&mixed(7)).unwrap()).unwrap(), mixed(7));

    let nested = vec![(1_u8, points(3)), (2, vec![]), (3, points(1))];
    let back: Vec<(u8, Vec<Point>)> = from_slice(&to_vec(&nested).unwrap()).unwrap();
    assert_eq!(back, nested);
    let pairs = [Pair { one: Meters(1.5), two: Meters(-0.0) }; 5];
    assert_eq!(from_slice::<[Pair<Meters>; 5]>(&to_vec(&pairs).unwrap()).unwrap(), pairs);
}

#[test]
fn packed_structs_survive_in_every_way() {
    holdall::testing::check::<Vec<Mixed>>(100);
    holdall::testing::check::<(Point, Option<Meters>, Vec<Pair<Meters>>, [Point; 3])>(100);
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[holdall(packed)]
struct Checked {
    number: u32,
    /// Has no size, and is created only by its function.
    #[holdall(skip, default = "Token::new")]
    token: Token,
}

#[derive(Clone, Debug, PartialEq)]
struct Token(());

thread_local!(static TOKENS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });

impl Token {
    fn new() -> Token {
        TOKENS.set(TOKENS.get() + 1);
        Token(())
    }
}

#[test]
fn skipped_fields_of_packed_structs_use_their_functions() {
    assert_eq!(size_of::<Checked>(), size_of::<u32>());
    let all: Vec<Checked> = (0..100).map(|number| Checked { number, token: Token(()) }).collect();
    let bytes = to_vec(&all).unwrap();
    assert_eq!(from_slice::<Vec<Checked>>(&bytes).unwrap(), all);
    assert_eq!(TOKENS.get(), 100);
    assert_eq!(*from_slice::<Cow<'_, [Checked]>>(&bytes).unwrap(), *all);
    assert_eq!(TOKENS.get(), 200);
}

#[test]
fn packed_data_read_as_values_and_as_structs_that_are_not_packed_and_back() {
    let bytes = to_vec(&points(2)).unwrap();
    let value: Value = from_slice(&bytes).unwrap();
    let text = format!("{value:?}");
    assert!(text.contains("Point") && text.contains('x'), "{text}");

    let places: Vec<Place> = from_slice(&bytes).unwrap();
    assert_eq!(places, [Place { x: 0.0, y: -0.0 }, Place { x: 1.0, y: -1.0 }]);
    let back: Vec<Point> = from_slice(&to_vec(&places).unwrap()).unwrap();
    assert_eq!(back, points(2));
    assert_eq!(from_slice::<Vec<Point>>(&to_vec(&value).unwrap()).unwrap(), points(2));

    let error =
        from_slice::<Vec<Point>>(&to_vec(&[Place { x: 0.1, y: 0.0 }]).unwrap()).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$[0].x"));
}

#[test]
fn packed_bools_are_checked() {
    let mut bytes = to_vec(&vec![mixed(1)]).unwrap();
    let at = bytes.len() - 20;
    assert_eq!(bytes[at], 1);
    bytes[at] = 2;
    let error = from_slice::<Vec<Mixed>>(&bytes).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::BadBool, Some(at as u64)));
}

/// A copy of a message at an address with this remainder modulo 64.
fn at_address(bytes: &[u8], remainder: usize) -> (Vec<u8>, usize) {
    let mut room = vec![0; bytes.len() + 128];
    let start = (64 + remainder - room.as_ptr().addr() % 64) % 64;
    room[start..start + bytes.len()].copy_from_slice(bytes);
    (room, start)
}

// The compiler refuses to borrow lists whose layouts differ.
#[cfg(all(target_endian = "little", not(holdall_each_number)))]
#[derive(Debug, PartialEq, Encode, Decode)]
struct Borrowed<'a> {
    points: &'a [Point],
    floats: &'a [f64],
    bytes: &'a [u8],
}

#[cfg(all(target_endian = "little", not(holdall_each_number)))]
#[derive(Debug, PartialEq, Encode, Decode)]
struct Owned {
    points: Vec<Point>,
    floats: Vec<f64>,
    bytes: Vec<u8>,
}

#[cfg(all(target_endian = "little", not(holdall_each_number)))]
#[test]
fn aligned_lists_are_borrowed_and_others_rejected() {
    let points: Vec<Point> = (0..10).flat_map(|_| points(200)).collect();
    let floats: Vec<f64> = (0..2000).map(f64::from).collect();
    let value = Borrowed { points: &points, floats: &floats, bytes: b"seven bits" };
    let bytes = Encoder::new().aligned(Alignment::On).encode(&value).unwrap();

    let (room, start) = at_address(&bytes, 0);
    let message = &room[start..start + bytes.len()];
    let back: Borrowed<'_> = from_slice(message).unwrap();
    assert_eq!(back, value);
    for borrowed in
        [back.points.as_ptr().addr(), back.floats.as_ptr().addr(), back.bytes.as_ptr().addr()]
    {
        assert!(message.as_ptr_range().contains(&std::ptr::without_provenance(borrowed)));
    }

    let (room, start) = at_address(&bytes, 1);
    let error = from_slice::<Borrowed<'_>>(&room[start..start + bytes.len()]).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unconvertible, "$.points"));
    // Owned values are read from the same data at any address.
    let owned: Owned = from_slice(&room[start..start + bytes.len()]).unwrap();
    assert_eq!((owned.points, owned.floats, owned.bytes), (points, floats, b"seven bits".to_vec()));
}

#[test]
fn cow_lists_are_borrowed_or_copied() {
    let floats: Vec<f64> = (0..600).map(f64::from).collect();
    let bytes = Encoder::new().aligned(Alignment::On).encode(&floats).unwrap();
    // On some 32-bit machines they need only be aligned to 4 bytes.
    for (remainder, is_borrowed) in [(0, IS_FORMAT_ORDER), (align_of::<f64>() / 2, false)] {
        let (room, start) = at_address(&bytes, remainder);
        let back: Cow<'_, [f64]> = from_slice(&room[start..start + bytes.len()]).unwrap();
        assert_eq!(*back, *floats);
        assert_eq!(matches!(back, Cow::Borrowed(_)), is_borrowed, "{remainder}");
    }
    // Compressed columns are copied, and so are types whose layout in memory no message has.
    let texts: Cow<'_, [String]> = Cow::Owned(vec!["a".into(); 9]);
    let bytes = to_vec(&texts).unwrap();
    assert_eq!(from_slice::<Cow<'_, [String]>>(&bytes).unwrap(), texts);
    let constant = to_vec(&vec![1.5_f64; 9]).unwrap();
    assert_eq!(*from_slice::<Cow<'_, [f64]>>(&constant).unwrap(), [1.5; 9]);
}

#[test]
fn cows_are_read_as_their_contents() {
    let value = (Cow::Borrowed(Path::new("a/b")), Cow::Owned::<'_, Mixed>(mixed(3)));
    let bytes = to_vec(&value).unwrap();
    assert_eq!(bytes, to_vec(&(Path::new("a/b"), mixed(3))).unwrap());
    assert_eq!(from_slice::<(Cow<'_, Path>, Cow<'_, Mixed>)>(&bytes).unwrap(), value);
}

#[test]
fn slices_of_bytes_are_written_as_they_are_and_vectors_in_fewer_bits() {
    let bare = |value: &dyn Fn(&mut Encoder) -> holdall::Result<Vec<u8>>| {
        value(&mut Encoder::new().header(Header::Bare)).unwrap()
    };
    let bytes = [1_u8, 2, 3, 1, 2, 3, 1, 2];
    assert_eq!(
        bare(&|encoder| encoder.encode(&bytes[..])),
        b"\x10\x08\x01\x02\x03\x01\x02\x03\x01\x02"
    );
    assert_eq!(
        bare(&|encoder| encoder.encode(&Cow::Borrowed(&bytes[..]))),
        bare(&|encoder| encoder.encode(&bytes[..]))
    );
    assert_eq!(bare(&|encoder| encoder.encode(&bytes.to_vec())), b"\x10\x02\x79\x9E");
    assert_eq!(<&[u8]>::schema().unwrap(), <Vec<u8>>::schema().unwrap());

    // Few and many, as slices: always borrowed.
    for len in [0, 1, 3, 4, 300] {
        let own = vec![7_u8; len];
        let message = to_vec(&own[..]).unwrap();
        assert_eq!(from_slice::<&[u8]>(&message).unwrap(), own);
        assert_eq!(from_slice::<Vec<u8>>(&message).unwrap(), own);
    }
    let error = from_slice::<&[u8]>(&to_vec(&bytes.to_vec()).unwrap()).unwrap_err();
    assert_eq!(error.code(), Code::Unconvertible);
    assert_eq!(*from_slice::<Cow<'_, [u8]>>(&to_vec(&bytes.to_vec()).unwrap()).unwrap(), bytes);
}

#[derive(Encode, Decode)]
struct Everything {
    bools: Vec<bool>,
    ints: Vec<i32>,
    few: (u8, i64, u64),
    floats: Vec<f32>,
    same: Vec<f64>,
    texts: Vec<String>,
    points: Vec<Point>,
    maybe: Vec<Option<u16>>,
    bytes: Box<[u8]>,
}

#[test]
fn a_message_takes_one_allocation_of_its_length() {
    let counts = [0_i32, 1, 3, 4, 7, 8, 9, 63, 64, 65, 127, 1000];
    // An interpreter such as Miri is slow.
    for &count in if cfg!(miri) { &counts[..7] } else { &counts } {
        let numbers = || 0..count;
        let value = Everything {
            bools: numbers().map(|n| n % 3 == 0).collect(),
            ints: numbers().map(|n| n * n - 50).collect(),
            few: (200, i64::MIN, 300),
            floats: numbers().map(|n| n as f32).collect(),
            same: numbers().map(|_| 0.5).collect(),
            texts: numbers().map(|n| n.to_string()).collect(),
            points: points((count % 256) as u8),
            maybe: numbers().map(|n| (n % 2 == 0).then_some(n as u16)).collect(),
            bytes: numbers().map(|n| n as u8).collect(),
        };
        for header in [Header::Schema, Header::Fingerprint, Header::Bare] {
            let mut encoder = Encoder::new().header(header);
            let bytes = encoder.encode(&value).unwrap();
            assert_eq!(bytes.capacity(), bytes.len(), "{header:?}, {count}");
            let mut into = Vec::new();
            encoder.encode_into(&value, &mut into).unwrap();
            assert_eq!(into, bytes);
        }
        let bytes = to_vec(&value).unwrap();
        let back: Everything = Decoder::new().decode(&bytes).unwrap();
        assert_eq!(to_vec(&back).unwrap(), bytes);
    }
}
