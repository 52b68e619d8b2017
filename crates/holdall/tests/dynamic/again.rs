//! Rows begun with the fields of one before are the rows that their names would have begun; values written to their places are those of
//! events.

use std::sync::Arc;

use holdall::bindings::{Opened, RowShape};
use holdall::{Code, Encoder, Profile, Result, Shredder, Sink, Source};

/// How the rows after the first are emitted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    ByNames,
    Again,
    InPlace,
}

/// Rows of `{"a": int, "b": string or null}`, or of objects with these fields, then rows with other fields.
struct Rows {
    way: Way,
    is_struct: bool,
    rows: usize,
}

impl Rows {
    fn begin(&self, shredder: &mut Shredder, names: [&str; 2]) -> Result<()> {
        if self.is_struct {
            return shredder.begin_open_struct(&Arc::from("T"));
        }
        shredder.begin_mapping(names.into_iter())
    }

    fn field(&self, shredder: &mut Shredder, name: &str) -> Result<()> {
        if self.is_struct { shredder.field_of_struct(name) } else { Ok(()) }
    }

    fn by_names(&self, shredder: &mut Shredder, names: [&str; 2], row: usize) -> Result<()> {
        self.begin(shredder, names)?;
        self.field(shredder, names[0])?;
        shredder.int(row as i64)?;
        self.field(shredder, names[1])?;
        text(shredder, row)?;
        shredder.end()
    }
}

fn text(shredder: &mut Shredder, row: usize) -> Result<()> {
    if row.is_multiple_of(3) { shredder.null() } else { shredder.string(&format!("row {row}")) }
}

fn in_place(shredder: &mut Shredder, shape: RowShape, row: usize) -> Result<()> {
    let place = shredder.take_place()?;
    let mut open = shredder.open_again(place, shape).expect("the shape is known here");
    let place = open.place(shredder)?;
    shredder.int_at(place, row as i64);
    let place = open.place(shredder)?;
    match row.is_multiple_of(3) {
        true => shredder.null_at(place),
        false => shredder.string_at(place, &format!("row {row}")),
    }
    open.close(shredder)
}

impl Source for Rows {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        shredder.begin_list(self.rows)?;
        // Another shape first, so that the one that is emitted twice has a number of its own.
        self.by_names(shredder, ["b", "c"], 1)?;
        self.by_names(shredder, ["a", "b"], 0)?;
        let shape = shredder.latest_shape().expect("a record or struct was emitted");
        match self.way {
            Way::ByNames => {
                (1..self.rows).try_for_each(|row| self.by_names(shredder, ["a", "b"], row))?;
            }
            Way::Again => {
                for row in 1..self.rows {
                    assert!(shredder.begin_again(shape)?);
                    shredder.int(row as i64)?;
                    text(shredder, row)?;
                    shredder.end()?;
                }
            }
            Way::InPlace => {
                (1..self.rows).try_for_each(|row| in_place(shredder, shape, row))?;
            }
        }
        self.by_names(shredder, ["c", "a"], 2)?;
        shredder.end()
    }
}

#[test]
fn rows_begun_again_or_in_place_have_the_bytes_of_rows_begun_by_names() {
    for is_struct in [false, true] {
        for rows in [4, 40, 400] {
            for profile in [Profile::Fast, Profile::Balanced] {
                let message = |way| {
                    let mut encoder = Encoder::new().profile(profile);
                    encoder.message(&mut Rows { way, is_struct, rows }).unwrap()
                };
                let by_names = message(Way::ByNames);
                assert_eq!(by_names, message(Way::Again), "{is_struct} {rows}");
                assert_eq!(by_names, message(Way::InPlace), "{is_struct} {rows}");
            }
        }
    }
}

#[test]
fn no_two_shredders_have_a_mark() {
    let (one, other) = (Shredder::new(), Shredder::new());
    assert_ne!(one.mark(), other.mark());
}

/// What a source does with the shape of `{"a": 1}`, the first item of a list.
struct After<F>(F);

impl<F: FnMut(&mut Shredder, RowShape) -> Result<()>> Source for After<F> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        shredder.begin_list(2)?;
        shredder.begin_mapping(["a"].into_iter())?;
        shredder.int(1)?;
        shredder.end()?;
        let shape = shredder.latest_shape().expect("a record was emitted");
        (self.0)(shredder, shape)?;
        shredder.end()
    }
}

#[test]
fn a_shape_is_begun_where_rows_of_its_type_are_and_nowhere_else() {
    let told = Encoder::new().message(&mut After(|shredder: &mut Shredder, shape| {
        shredder.begin_list(1)?;
        assert!(!shredder.begin_again(shape)?, "no mapping was in this list");
        let place = shredder.take_place()?;
        assert!(shredder.open_again(place, shape).is_none());
        shredder.give_back(place);
        shredder.null()?;
        shredder.end()
    }));
    assert!(told.is_ok(), "{told:?}");
}

#[test]
fn what_is_open_wants_all_its_values() {
    let told = Encoder::new().message(&mut After(|shredder: &mut Shredder, shape| {
        let place = shredder.take_place()?;
        shredder.open_again(place, shape).expect("the shape is known here").close(shredder)
    }));
    assert_eq!(told.unwrap_err().code(), Code::BadSource, "a row without its value");
    let told = Encoder::new().message(&mut After(|shredder: &mut Shredder, shape| {
        let place = shredder.take_place()?;
        let mut open = shredder.open_again(place, shape).expect("the shape is known here");
        let place = open.place(shredder)?;
        shredder.int_at(place, 2);
        open.place(shredder).map(|_| ())
    }));
    assert_eq!(told.unwrap_err().code(), Code::BadSource, "more values than fields");
    let told = Encoder::new().message(&mut After(|shredder: &mut Shredder, _| {
        let place = shredder.take_place()?;
        drop(shredder.open_list(place));
        Ok(())
    }));
    assert_eq!(told.unwrap_err().code(), Code::BadSource, "a list that was never closed");
}

#[test]
fn a_place_has_one_number_whatever_is_told_there() {
    let told = Encoder::new().message(&mut After(|shredder: &mut Shredder, _| {
        let place = shredder.next_place();
        assert!(place.is_some());
        shredder.null()?;
        assert_eq!(shredder.next_place(), place);
        Ok(())
    }));
    assert!(told.is_ok(), "{told:?}");
}

/// Strings as they come: by themselves, or as entries of a dictionary.
#[derive(Default)]
struct Entries(Vec<(Option<(usize, usize)>, String)>);

impl Sink for Entries {
    fn entry(&mut self, table: usize, number: usize, value: &str) -> Result<()> {
        self.0.push((Some((table, number)), value.to_owned()));
        Ok(())
    }
    fn string(&mut self, value: &str) -> Result<()> {
        self.0.push((None, value.to_owned()));
        Ok(())
    }
    fn null(&mut self) -> Result<()> {
        Ok(())
    }
    fn bool(&mut self, _: bool) -> Result<()> {
        Ok(())
    }
    fn int(&mut self, _: i64) -> Result<()> {
        Ok(())
    }
    fn fixed_int(&mut self, _: holdall::IntKind, _: u64) -> Result<()> {
        Ok(())
    }
    fn big_int(&mut self, _: holdall::IntKind, _: &[u8]) -> Result<()> {
        Ok(())
    }
    fn f32(&mut self, _: f32) -> Result<()> {
        Ok(())
    }
    fn f64(&mut self, _: f64) -> Result<()> {
        Ok(())
    }
    fn bytes(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }
    fn begin_list(&mut self, _: usize) -> Result<()> {
        Ok(())
    }
    fn begin_tuple(&mut self, _: usize) -> Result<()> {
        Ok(())
    }
    fn begin_record(&mut self, _: &holdall::Shape) -> Result<()> {
        Ok(())
    }
    fn begin_struct(&mut self, _: &Arc<str>, _: &holdall::Shape) -> Result<()> {
        Ok(())
    }
    fn begin_map(&mut self, _: usize) -> Result<()> {
        Ok(())
    }
    fn begin_variant(&mut self, _: &Arc<str>) -> Result<()> {
        Ok(())
    }
    fn end(&mut self) -> Result<()> {
        Ok(())
    }
}

struct Texts(Vec<String>);

impl Source for Texts {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        shredder.begin_list(self.0.len())?;
        self.0.iter().try_for_each(|text| shredder.string(text))?;
        shredder.end()
    }
}

#[test]
fn entries_of_a_table_are_the_same_string_where_their_numbers_are_the_same() {
    let texts: Vec<String> = (0..1000).map(|row| format!("city {}", row * row % 37)).collect();
    let message =
        Encoder::new().profile(Profile::Balanced).message(&mut Texts(texts.clone())).unwrap();
    let mut sink = Entries::default();
    holdall::Decoder::new().message(&message, &mut sink).unwrap();
    let mut known = std::collections::HashMap::new();
    for ((entry, value), text) in sink.0.iter().zip(&texts) {
        assert_eq!(value, text);
        let entry = entry.expect("these repeat, so they are a dictionary");
        assert_eq!(known.entry(entry).or_insert(value), &value);
    }
    assert!(known.len() < texts.len());
}
