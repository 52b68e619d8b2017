//! Rows opened with the shape of an earlier one equal rows begun with their names.

use std::sync::Arc;

use holdall::bindings::{Container, RowShape};
use holdall::events::{Event, Sink};
use holdall::events::{Shredder, Source};
use holdall::{Code, Encoder, Profile, Result};

/// How the rows after the first are written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    ByNames,
    WithShape,
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

fn with_shape(shredder: &mut Shredder, shape: RowShape, row: usize) -> Result<()> {
    let slot = shredder.take_slot()?;
    let mut open = shredder.open_with_shape(slot, shape).expect("the shape is known here");
    let slot = open.slot(shredder)?;
    shredder.at(slot).int(row as i64);
    let slot = open.slot(shredder)?;
    match row.is_multiple_of(3) {
        true => shredder.at(slot).null(),
        false => shredder.at(slot).string(&format!("row {row}")),
    }
    open.close(shredder)
}

impl Source for Rows {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        shredder.begin_list(self.rows)?;
        // Another shape first, so that the repeated one is not the first.
        self.by_names(shredder, ["b", "c"], 1)?;
        self.by_names(shredder, ["a", "b"], 0)?;
        let shape = shredder.latest_shape().expect("a record or struct was emitted");
        match self.way {
            Way::ByNames => {
                (1..self.rows).try_for_each(|row| self.by_names(shredder, ["a", "b"], row))?;
            }
            Way::WithShape => {
                (1..self.rows).try_for_each(|row| with_shape(shredder, shape, row))?;
            }
        }
        self.by_names(shredder, ["c", "a"], 2)?;
        shredder.end()
    }
}

#[test]
fn rows_opened_with_a_shape_have_the_bytes_of_rows_begun_by_names() {
    for is_struct in [false, true] {
        for rows in [4, 40, 400] {
            for profile in [Profile::Fast, Profile::Balanced] {
                let message = |way| {
                    let mut encoder = Encoder::new().profile(profile);
                    encoder.message(&mut Rows { way, is_struct, rows }).unwrap()
                };
                let by_names = message(Way::ByNames);
                assert_eq!(by_names, message(Way::WithShape), "{is_struct} {rows}");
            }
        }
    }
}

#[test]
fn no_two_shredders_have_a_mark() {
    let (one, other) = (Shredder::new(), Shredder::new());
    assert_ne!(one.mark(), other.mark());
}

/// The uses that a source makes of the shape of `{"a": 1}`, the first item of a list.
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
fn a_shape_is_opened_only_where_rows_have_its_type() {
    let written = Encoder::new().message(&mut After(|shredder: &mut Shredder, shape| {
        shredder.begin_list(1)?;
        let slot = shredder.take_slot()?;
        assert!(shredder.open_with_shape(slot, shape).is_none());
        shredder.return_slot(slot);
        shredder.null()?;
        shredder.end()
    }));
    assert!(written.is_ok(), "{written:?}");
}

#[test]
fn an_open_shape_needs_all_its_values() {
    let written = Encoder::new().message(&mut After(|shredder: &mut Shredder, shape| {
        let slot = shredder.take_slot()?;
        shredder.open_with_shape(slot, shape).expect("the shape is known here").close(shredder)
    }));
    assert_eq!(written.unwrap_err().code(), Code::BadSource, "a row without its value");
    let written = Encoder::new().message(&mut After(|shredder: &mut Shredder, shape| {
        let slot = shredder.take_slot()?;
        let mut open = shredder.open_with_shape(slot, shape).expect("the shape is known here");
        let slot = open.slot(shredder)?;
        shredder.at(slot).int(2);
        open.slot(shredder).map(|_| ())
    }));
    assert_eq!(written.unwrap_err().code(), Code::BadSource, "more values than fields");
    let written = Encoder::new().message(&mut After(|shredder: &mut Shredder, _| {
        let slot = shredder.take_slot()?;
        drop(shredder.open_list(slot));
        Ok(())
    }));
    assert_eq!(written.unwrap_err().code(), Code::BadSource, "a list that was never closed");
}

/// Strings as emitted: directly, or as entries of a dictionary.
#[derive(Default)]
struct Entries(Vec<(Option<(usize, usize)>, String)>);

impl Sink for Entries {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        if let Event::String(value) = event {
            self.0.push((None, value.to_owned()));
        }
        Ok(())
    }

    fn entry(&mut self, table: usize, number: usize, value: &str) -> Result<()> {
        self.0.push((Some((table, number)), value.to_owned()));
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

/// Rows of many shapes, each with two of 20 fields; those of loose records by their fields.
struct Loose {
    by_fields: bool,
    opened: usize,
}

impl Source for Loose {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        shredder.begin_list(0)?;
        for row in 0..400_usize {
            let names = [row % 20, (row % 20 + 1 + row / 20 % 19) % 20].map(|at| format!("k{at}"));
            let slot = shredder.take_slot()?;
            let record = shredder.loose_at(slot).filter(|_| self.by_fields);
            let fields = record.and_then(|record| {
                let field = |name: &String| shredder.field_of(record, name);
                names.iter().map(field).collect::<Option<Vec<u32>>>()
            });
            if let Some(fields) = fields {
                self.opened += 1;
                let mut open = shredder.open_loose(slot, &fields)?;
                for number in 0..2 {
                    let slot = open.slot(shredder)?;
                    shredder.at(slot).int(number);
                }
                open.close(shredder)?;
                continue;
            }
            shredder.return_slot(slot);
            shredder.begin_mapping(names.iter().map(String::as_str))?;
            shredder.int(0)?;
            shredder.int(1)?;
            shredder.end()?;
        }
        shredder.end()
    }
}

#[test]
fn rows_opened_by_their_fields_have_the_bytes_of_rows_begun_by_names() {
    let message = |by_fields| {
        let mut rows = Loose { by_fields, opened: 0 };
        (Encoder::new().message(&mut rows).unwrap(), rows.opened)
    };
    let ((by_names, none), (by_fields, some)) = (message(false), message(true));
    assert_eq!(by_names, by_fields);
    assert_eq!((none, some), (0, 400 - 64));
}

#[test]
fn a_loose_row_has_each_field_once() {
    let written = Encoder::new().message(&mut Twice);
    let error = written.unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::DuplicateKey, "$[80]"));
}

/// Eighty rows of different shapes, and then one that has a field twice.
struct Twice;

impl Source for Twice {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        shredder.begin_list(0)?;
        for row in 0..80 {
            shredder.begin_mapping([format!("k{row}").as_str()].into_iter())?;
            shredder.null()?;
            shredder.end()?;
        }
        shredder.begin_mapping(["k1", "k2", "k1"].into_iter())
    }
}
