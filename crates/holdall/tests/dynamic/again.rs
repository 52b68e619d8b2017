//! Rows begun with the fields of one before are the rows that their names would have begun.

use std::sync::Arc;

use holdall::{Code, Encoder, Profile, Result, RowShape, Shredder, Sink, Source};

/// How the rows after the first are told.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    ByNames,
    Again,
    Several,
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

fn several(shredder: &mut Shredder, shape: RowShape, rows: std::ops::Range<usize>) -> Result<()> {
    let mut of_rows = shredder.begin_several(shape, rows.len()).expect("the shape is known here");
    let mut ints = of_rows.field(0);
    rows.clone().for_each(|row| ints.int(row as i64));
    let mut texts = of_rows.field(1);
    for row in rows {
        if row.is_multiple_of(3) { texts.null() } else { texts.string(&format!("row {row}")) }
    }
    of_rows.end()
}

impl Source for Rows {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        shredder.begin_list(self.rows)?;
        // Another shape first, so that the one that is told again has a number of its own.
        self.by_names(shredder, ["b", "c"], 1)?;
        self.by_names(shredder, ["a", "b"], 0)?;
        let shape = shredder.latest_shape().expect("a record or struct was told");
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
            Way::Several => {
                several(shredder, shape, 1..self.rows / 2)?;
                several(shredder, shape, self.rows / 2..self.rows)?;
            }
        }
        self.by_names(shredder, ["c", "a"], 2)?;
        shredder.end()
    }
}

#[test]
fn rows_begun_again_or_together_have_the_bytes_of_rows_begun_by_names() {
    for is_struct in [false, true] {
        for rows in [4, 40, 400] {
            for profile in [Profile::Fast, Profile::Balanced] {
                let message = |way| {
                    let mut encoder = Encoder::new().profile(profile);
                    encoder.message(&mut Rows { way, is_struct, rows }).unwrap()
                };
                let by_names = message(Way::ByNames);
                assert_eq!(by_names, message(Way::Again), "{is_struct} {rows}");
                assert_eq!(by_names, message(Way::Several), "{is_struct} {rows}");
            }
        }
    }
}

/// Rows of `{"a": int, "in": {"b": string or null, "c": [int]} or null}`, one by one or together.
struct Nested {
    together: bool,
    rows: usize,
}

impl Nested {
    fn lists(row: usize) -> usize {
        row % 4
    }

    fn by_events(shredder: &mut Shredder, row: usize) -> Result<()> {
        shredder.begin_mapping(["a", "in"].into_iter())?;
        shredder.int(row as i64)?;
        if row.is_multiple_of(5) && row > 0 {
            shredder.null()?;
        } else {
            shredder.begin_mapping(["b", "c"].into_iter())?;
            text(shredder, row)?;
            shredder.begin_list(Nested::lists(row))?;
            (0..Nested::lists(row)).try_for_each(|item| shredder.int((row + item) as i64))?;
            shredder.end()?;
            shredder.end()?;
        }
        shredder.end()
    }

    fn together(shredder: &mut Shredder, shapes: [RowShape; 2], rows: &[usize]) -> Result<()> {
        let [inner, outer] = shapes;
        let place = shredder.place_of_field(outer, 1).expect("the second field");
        assert!(shredder.takes_inside(place, inner));
        let there: Vec<usize> =
            rows.iter().copied().filter(|row| !row.is_multiple_of(5) || *row == 0).collect();
        let mut of_rows = shredder.begin_several(outer, rows.len()).expect("the shape is known");
        assert!(of_rows.first_row().is_some());
        let mut ints = of_rows.field(0);
        rows.iter().for_each(|row| ints.int(*row as i64));
        let mut field = of_rows.field(1);
        let present = rows.iter().map(|row| there.contains(row));
        let mut inside = field.begin_several(inner, present).expect("the shape is known inside");
        let mut texts = inside.field(0);
        for row in &there {
            if row.is_multiple_of(3) { texts.null() } else { texts.string(&format!("row {row}")) }
        }
        let mut field = inside.field(1);
        let lengths = there.iter().map(|row| Some(Nested::lists(*row)));
        let mut lists = field.begin_lists(lengths).expect("lists are known here");
        let mut items = lists.items();
        for row in &there {
            (0..Nested::lists(*row)).for_each(|item| items.int((row + item) as i64));
        }
        lists.end()?;
        inside.end()?;
        of_rows.end()
    }
}

impl Source for Nested {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        shredder.begin_list(self.rows)?;
        shredder.begin_mapping(["a", "in"].into_iter())?;
        shredder.int(0)?;
        shredder.begin_mapping(["b", "c"].into_iter())?;
        let inner = shredder.latest_shape().expect("a record");
        text(shredder, 0)?;
        shredder.begin_list(0)?;
        shredder.end()?;
        shredder.end()?;
        shredder.end()?;
        Nested::by_events(shredder, 1)?;
        let rows: Vec<usize> = (2..self.rows).collect();
        if self.together {
            shredder.begin_mapping(["a", "in"].into_iter())?;
            let outer = shredder.latest_shape().expect("a record");
            shredder.int(2)?;
            shredder.null()?;
            shredder.end()?;
            for rows in rows[1..].chunks(7) {
                Nested::together(shredder, [inner, outer], rows)?;
            }
        } else {
            shredder.begin_mapping(["a", "in"].into_iter())?;
            shredder.int(2)?;
            shredder.null()?;
            shredder.end()?;
            rows[1..].iter().try_for_each(|row| Nested::by_events(shredder, *row))?;
        }
        shredder.end()
    }
}

#[test]
fn rows_and_lists_inside_rows_told_together_have_the_bytes_of_events() {
    for rows in [4, 11, 300] {
        for profile in [Profile::Fast, Profile::Balanced] {
            let message = |together| {
                Encoder::new().profile(profile).message(&mut Nested { together, rows }).unwrap()
            };
            assert_eq!(message(false), message(true), "{rows}");
        }
    }
}

/// Records inside records: the type of both is one, so its rows have no one place.
struct Recursive;

impl Source for Recursive {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        let keys = ["value", "next"].into_iter();
        shredder.begin_mapping(keys.clone())?;
        let shape = shredder.latest_shape().expect("a record");
        shredder.int(1)?;
        shredder.begin_mapping(keys.clone())?;
        let place = shredder.place_of_field(shape, 1).expect("the second field");
        assert!(!shredder.takes_inside(place, shape));
        shredder.int(2)?;
        shredder.null()?;
        shredder.end()?;
        shredder.end()
    }
}

#[test]
fn rows_of_a_type_with_two_places_are_not_told_inside_others() {
    Encoder::new().message(&mut Recursive).unwrap();
}

#[test]
fn lists_begun_together_want_all_their_items() {
    for given in [0, 2, 4] {
        let told = Encoder::new().message(&mut After(|shredder: &mut Shredder, shape| {
            shredder.begin_mapping(["a"].into_iter())?;
            shredder.begin_list(1)?;
            shredder.int(1)?;
            shredder.end()?;
            shredder.end()?;
            let mut rows = shredder.begin_several(shape, 2).expect("the shape is known here");
            let mut field = rows.field(0);
            let mut lists = field.begin_lists([Some(1), Some(2)].into_iter()).expect("lists");
            (0..given).for_each(|item| lists.items().int(item));
            lists.end()
        }));
        assert_eq!(told.unwrap_err().code(), Code::BadSource, "{given} items for 3");
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
        let shape = shredder.latest_shape().expect("a record was told");
        (self.0)(shredder, shape)?;
        shredder.end()
    }
}

#[test]
fn a_shape_is_begun_where_rows_of_its_type_are_and_nowhere_else() {
    let told = Encoder::new().message(&mut After(|shredder: &mut Shredder, shape| {
        shredder.begin_list(1)?;
        assert!(!shredder.begin_again(shape)?, "no mapping was in this list");
        assert!(shredder.begin_several(shape, 1).is_none());
        shredder.null()?;
        shredder.end()
    }));
    assert!(told.is_ok(), "{told:?}");
}

#[test]
fn rows_begun_together_want_a_value_of_each_field_for_each_row() {
    for given in [0, 1, 3] {
        let told = Encoder::new().message(&mut After(|shredder: &mut Shredder, shape| {
            let mut rows = shredder.begin_several(shape, 2).expect("the shape is known here");
            (0..given).for_each(|row| rows.field(0).int(row));
            rows.end()
        }));
        assert_eq!(told.unwrap_err().code(), Code::BadSource, "{given} values for 2 rows");
    }
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
