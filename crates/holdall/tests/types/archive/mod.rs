//! Fields and items of a message in place are those of the decoded value.

mod damage;
mod kinds;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::common::chance::Chance;
use holdall::archive::{ArchivedList, ArchivedMap};
use holdall::{Alignment, Archive, Code, Decode, Decoder, Encode, Encoder, Limits, Profile};

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[holdall(archive)]
struct Row {
    id: u64,
    small: u8,
    signed: (i8, i16, i32, i64),
    /// With docs of its own.
    name: String,
    born: Option<u32>,
    twice: Option<Option<bool>>,
    active: bool,
    ratio: f64,
    half: f32,
    tags: Vec<String>,
    nested: Vec<Vec<u16>>,
    place: Place,
    #[holdall(flatten)]
    flat: Flat,
    shape: Shape,
    kind: Kind,
    corners: [Point; 3],
    pixels: Vec<Pixel>,
    map: BTreeMap<String, Vec<u8>>,
    set: BTreeSet<u16>,
    result: Result<u8, String>,
    letter: char,
    only: Only,
    even: Even,
    #[holdall(skip)]
    cache: u32,
    #[holdall(skip_if = "Vec::is_empty")]
    rare: Vec<u32>,
    #[holdall(default)]
    added: Box<Point>,
    #[holdall(with = "as_text")]
    port: u16,
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[holdall(archive = "At")]
struct Place {
    city: String,
    at: Option<Point>,
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[holdall(archive)]
struct Flat {
    low: i32,
    r#type: String,
    deep: Point,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Encode, Decode)]
#[holdall(archive)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
#[holdall(packed, archive)]
struct Pixel {
    red: u8,
    at: [u16; 2],
    depth: f32,
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[holdall(archive)]
enum Shape {
    Empty,
    Circle(f64),
    Line { from: Point, to: Point },
    Path(Vec<Point>, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Encode, Decode)]
#[holdall(archive)]
enum Kind {
    A,
    B,
    C,
}

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[holdall(archive)]
struct Only(String);

#[derive(Clone, Debug, PartialEq, Encode, Decode)]
#[holdall(try_from = "u16", into = "u16", archive)]
struct Even(u16);

impl TryFrom<u16> for Even {
    type Error = &'static str;

    fn try_from(number: u16) -> Result<Even, &'static str> {
        if number.is_multiple_of(2) { Ok(Even(number)) } else { Err("odd") }
    }
}

impl From<Even> for u16 {
    fn from(even: Even) -> u16 {
        even.0
    }
}

mod as_text {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "the attribute passes a reference")]
    pub fn encode(number: &u16) -> String {
        number.to_string()
    }

    pub fn decode(text: String) -> Result<u16, std::num::ParseIntError> {
        text.parse()
    }
}

fn text(chance: &mut Chance) -> String {
    // Few different ones, so that some columns are dictionaries.
    let word = ["", "a", "Zoë", "a longer text, which zstd takes", "漢字"];
    chance.pick(&word).repeat(chance.below(3))
}

fn list<T>(chance: &mut Chance, most: usize, mut item: impl FnMut(&mut Chance) -> T) -> Vec<T> {
    (0..chance.below(most + 1)).map(|_| item(chance)).collect()
}

fn point(chance: &mut Chance) -> Point {
    Point { x: chance.below(9) as f32 / 4.0, y: chance.below(3) as f32 }
}

fn shape(chance: &mut Chance) -> Shape {
    match chance.below(4) {
        0 => Shape::Empty,
        1 => Shape::Circle(chance.below(100) as f64 / 8.0),
        2 => Shape::Line { from: point(chance), to: point(chance) },
        _ => Shape::Path(list(chance, 3, point), chance.below(2) == 0),
    }
}

fn row(chance: &mut Chance) -> Row {
    let number = chance.below(70_000) as u64;
    Row {
        id: number << chance.below(40),
        small: number as u8,
        signed: (number as i8, -(number as i16), number as i32, -(number as i64) << 20),
        name: text(chance),
        born: (!number.is_multiple_of(3)).then_some(number as u32),
        twice: (!number.is_multiple_of(5))
            .then_some((!number.is_multiple_of(2)).then_some(!number.is_multiple_of(3))),
        active: number % 7 < 3,
        ratio: number as f64 / 16.0,
        half: number as f32 / 2.0,
        tags: list(chance, 4, text),
        nested: list(chance, 3, |chance| list(chance, 3, |chance| chance.below(5000) as u16)),
        place: Place { city: text(chance), at: number.is_multiple_of(2).then(|| point(chance)) },
        flat: Flat { low: -(number as i32), r#type: text(chance), deep: point(chance) },
        shape: shape(chance),
        kind: *chance.pick(&[Kind::A, Kind::B, Kind::C]),
        corners: [point(chance), point(chance), point(chance)],
        pixels: list(chance, 3, |chance| Pixel {
            red: chance.below(256) as u8,
            at: [1, number as u16],
            depth: 0.5,
        }),
        map: list(chance, 3, |chance| (text(chance), vec![number as u8; chance.below(3)]))
            .into_iter()
            .collect(),
        set: list(chance, 4, |chance| chance.below(1000) as u16).into_iter().collect(),
        result: if number.is_multiple_of(2) { Ok(number as u8) } else { Err(text(chance)) },
        letter: *chance.pick(&['a', '漢']),
        only: Only(text(chance)),
        even: Even(2 * (number as u16 / 2)),
        cache: 0,
        rare: if number.is_multiple_of(4) { vec![number as u32; 3] } else { Vec::new() },
        added: Box::new(point(chance)),
        port: number as u16,
    }
}

fn rows(count: usize, seed: u64) -> Vec<Row> {
    let mut chance = Chance::new(seed);
    (0..count).map(|_| row(&mut chance)).collect()
}

/// A message in each way that a column can be stored.
fn forms<T: Encode + ?Sized>(value: &T) -> Vec<Vec<u8>> {
    let encoders = [
        Encoder::new(),
        Encoder::new().profile(Profile::Balanced).checksum(true),
        Encoder::new().profile(Profile::Small).length(true),
        Encoder::new().aligned(Alignment::On),
    ];
    encoders.into_iter().map(|mut encoder| encoder.encode(value).unwrap()).collect()
}

fn same_point(at: PointRef<'_>, point: &Point) {
    assert_eq!(Point { x: at.x(), y: at.y() }, *point);
}

/// Each item is the same.
#[track_caller]
fn same_list<'a, T: holdall::archive::Archived, U>(
    list: ArchivedList<'a, T>,
    items: &[U],
    same: impl Fn(T::Ref<'a>, &U),
) {
    assert_eq!(list.len(), items.len());
    assert_eq!(list.iter().len(), items.len());
    list.iter().zip(items).for_each(|(at, item)| same(at, item));
    assert!(list.get(items.len()).is_none());
}

fn same_shape(at: ShapeRef<'_>, shape: &Shape) {
    match (at, shape) {
        (ShapeRef::Empty, Shape::Empty) => {}
        (ShapeRef::Circle(at), Shape::Circle(radius)) => assert_eq!(at, *radius),
        (ShapeRef::Line { from, to }, Shape::Line { from: first, to: last }) => {
            same_point(from, first);
            same_point(to, last);
        }
        (ShapeRef::Path(at, closed), Shape::Path(points, is_closed)) => {
            same_list(at, points, same_point);
            assert_eq!(closed, *is_closed);
        }
        _ => panic!("another variant than {shape:?}"),
    }
}

/// Each field in place is that of the value.
fn same(at: RowRef<'_>, row: &Row) {
    assert_eq!((at.id(), at.small(), at.signed()), (row.id, row.small, row.signed));
    assert_eq!((at.name(), at.born(), at.twice()), (&*row.name, row.born, row.twice));
    assert_eq!((at.active(), at.ratio(), at.half()), (row.active, row.ratio, row.half));
    same_list(at.tags(), &row.tags, |at, tag| assert_eq!(at, tag));
    same_list(at.nested(), &row.nested, |at, list| assert_eq!(at.as_slice(), Some(&list[..])));
    assert_eq!(at.place().city(), row.place.city);
    assert_eq!(at.place().at().is_some(), row.place.at.is_some());
    if let Some((at, point)) = at.place().at().zip(row.place.at.as_ref()) {
        same_point(at, point);
    }
    assert_eq!((at.flat().low(), at.flat().r#type()), (row.flat.low, &*row.flat.r#type));
    same_point(at.flat().deep(), &row.flat.deep);
    same_shape(at.shape(), &row.shape);
    assert_eq!(at.kind(), row.kind);
    same_list(at.corners(), &row.corners, same_point);
    same_list(at.pixels(), &row.pixels, |at, pixel| assert_eq!(at, *pixel));
    assert_eq!(at.pixels().to_vec(), row.pixels);
    let map: ArchivedMap<'_, String, Vec<u8>> = at.map();
    assert!(
        map.iter()
            .map(|(key, value)| (key, value.to_vec()))
            .eq(row.map.iter().map(|(key, value)| (&**key, value.clone())))
    );
    for (key, value) in &row.map {
        assert_eq!(map.find(key).unwrap().as_slice(), Some(&value[..]));
    }
    assert!(map.find("none").is_none());
    assert!(at.set().iter().eq(row.set.iter().copied()));
    assert_eq!(at.result(), row.result.as_ref().map(|number| *number).map_err(|text| &**text));
    assert_eq!(at.letter().decode().unwrap(), row.letter);
    assert_eq!((at.only(), at.even()), (&*row.only.0, row.even.0));
    assert_eq!(at.rare().map_or(0, ArchivedList::len), row.rare.len());
    same_point(at.added(), &row.added);
}

#[test]
fn fields_in_place_are_those_of_the_value() {
    for (seed, count) in [0, 1, 2, 3, 4, 9, 60, 600].into_iter().enumerate() {
        let rows = rows(count, 1 + seed as u64);
        for bytes in forms(&rows) {
            let archive = Archive::<Vec<Row>>::new(&bytes).unwrap();
            let root = archive.root();
            assert_eq!((archive.len(), archive.is_empty(), root.len()), (count, count == 0, count));
            same_list(root, &rows, same);
            for (number, row) in rows.iter().enumerate() {
                assert_eq!(archive.get(number).unwrap(), *row);
                assert_eq!(root.decode(number).unwrap(), *row);
            }
            assert_eq!(archive.decode().unwrap(), rows);
        }
    }
}

#[test]
fn a_column_is_one_field_of_all_rows() {
    let rows = rows(100, 7);
    for bytes in forms(&rows) {
        let archive = Archive::<Vec<Row>>::new(&bytes).unwrap();
        let columns = archive.root().columns();
        let ids: Vec<u64> = rows.iter().map(|row| row.id).collect();
        assert_eq!(columns.id().as_slice(), Some(&ids[..]));
        assert_eq!(columns.ratio().to_vec(), rows.iter().map(|row| row.ratio).collect::<Vec<_>>());
        assert!(columns.name().iter().eq(rows.iter().map(|row| &*row.name)));
        assert!(
            columns.place().columns().city().iter().eq(rows.iter().map(|row| &*row.place.city))
        );
        assert!(columns.flat().columns().low().iter().eq(rows.iter().map(|row| row.flat.low)));
        assert!(
            columns
                .flat()
                .columns()
                .deep()
                .columns()
                .x()
                .iter()
                .eq(rows.iter().map(|row| row.flat.deep.x))
        );
        assert!(columns.born().iter().eq(rows.iter().map(|row| row.born)));
        // The fields of the items of one inner list.
        for (corners, row) in columns.corners().iter().zip(&rows) {
            assert!(corners.columns().y().iter().eq(row.corners.iter().map(|point| point.y)));
        }
    }
}

#[cfg(all(target_endian = "little", not(holdall_each_number)))]
#[test]
fn text_and_aligned_numbers_are_borrowed_from_the_message() {
    let names: Vec<String> = (0..2000).map(|number| format!("name {number}")).collect();
    let floats: Vec<f64> = (0..2000).map(|number| f64::from(number) / 3.0).collect();
    let message = Encoder::new().aligned(Alignment::On).encode(&(&names, &floats)).unwrap();
    // As the allocator of a program gives it, the message itself may be at any address.
    let mut room = vec![0_u8; message.len() + 64];
    let start = room.as_ptr().align_offset(64);
    room[start..start + message.len()].copy_from_slice(&message);
    let bytes = &room[start..start + message.len()];
    let archive = Archive::<(Vec<String>, Vec<f64>)>::new(bytes).unwrap();
    let (strings, numbers) = archive.root();
    assert!(bytes.as_ptr_range().contains(&strings.get(1999).unwrap().as_ptr()));
    let slice = numbers.as_slice().unwrap();
    assert!(bytes.as_ptr_range().contains(&slice.as_ptr().cast()));
    assert_eq!(slice, floats);
    // One byte on, it is not aligned: still the same numbers.
    room.copy_within(start..start + message.len(), start + 1);
    let archive =
        Archive::<(Vec<String>, Vec<f64>)>::new(&room[start + 1..][..message.len()]).unwrap();
    assert_eq!((archive.root().1.as_slice(), archive.root().1.to_vec()), (None, floats));
}

#[test]
fn a_row_borrows_its_text() {
    #[derive(Debug, PartialEq, Encode, Decode)]
    #[holdall(archive)]
    struct User<'a> {
        name: &'a str,
        tags: Vec<&'a str>,
    }

    let users: Vec<User<'_>> = ["Ada", "Grace", "Edsger", "Barbara"]
        .map(|name| User { name, tags: vec![name, "x"] })
        .into();
    let bytes = holdall::to_vec(&users).unwrap();
    let user = {
        let archive = Archive::<Vec<User<'_>>>::new(&bytes).unwrap();
        assert_eq!(archive.root().get(3).unwrap().name(), "Barbara");
        assert_eq!(archive.root().get(3).unwrap().tags().get(1), Some("x"));
        archive.get(2).unwrap()
    };
    // The archive is gone, and the text is that of the message.
    assert_eq!(user, users[2]);
    assert!(bytes.as_ptr_range().contains(&user.name.as_ptr()));
}

#[test]
fn an_archive_is_shared_between_threads() {
    let rows = rows(50, 3);
    let bytes = holdall::to_vec(&rows).unwrap();
    let archive = Archive::<Vec<Row>>::new(&bytes).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| same_list(archive.root(), &rows, same));
        }
    });
}

#[test]
fn limits_and_known_schemas_are_those_of_the_decoder() {
    let rows = rows(50, 3);
    let bytes = holdall::to_vec(&rows).unwrap();
    let mut decoder = Decoder::new().limits(Limits::new().budget(100));
    assert_eq!(decoder.archive::<Vec<Row>>(&bytes).unwrap_err().code(), Code::LimitBudget);
    let bytes = Encoder::new().header(holdall::Header::Fingerprint).encode(&rows).unwrap();
    let archive = Decoder::new().archive::<Vec<Row>>(&bytes).unwrap();
    same_list(archive.root(), &rows, same);
    let other = Decoder::new().archive::<Vec<HashMap<String, u8>>>(&bytes);
    assert_eq!(other.unwrap_err().code(), Code::UnknownFingerprint);
}
