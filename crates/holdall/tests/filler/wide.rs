//! Rows that take more memory than their data suggest: absent values and small variants of large types, empty tables.

use std::collections::HashMap;

use holdall::{Decode, Decoder, Encode, Reader, Writer, from_slice, to_vec};

use super::laws::{BEYOND_BUDGET, is_soak, law, law_once};

/// An absent one takes 264 bytes, and is one row in the data.
type Wide = Option<[u64; 32]>;
/// A type with the same data.
type Narrow = Option<Box<[u64; 32]>>;

#[allow(clippy::large_enum_variant, reason = "that is what is tested")]
#[derive(Encode, Decode, Clone, Debug, PartialEq)]
enum Variant {
    Small,
    Large([u64; 40]),
}

#[derive(Encode, Decode, Clone, Debug, PartialEq)]
struct Skipping {
    own: (),
    #[holdall(skip)]
    found: [u64; 32],
}

#[derive(Encode, Decode, Clone, Debug, Default, PartialEq)]
struct Texts {
    a: [String; 10],
    b: [String; 10],
}

/// Enough rows of a type to take more than 4 times the minimum budget.
fn many<T>() -> usize {
    270_000_000 / size_of::<T>()
}

fn rows<T: Encode + for<'de> Decode<'de> + PartialEq + Clone>(row: T) {
    law(&vec![row; many::<T>()]);
}

#[test]
fn absent_values_of_large_types_are_read() {
    let value: Vec<Narrow> = vec![None; many::<Wide>()];
    let value: Vec<Wide> = from_slice(&to_vec(&value).unwrap()).unwrap();
    assert!(value.len() == many::<Wide>() && value.iter().all(Option::is_none));
}

#[test]
fn small_variants_of_large_types_are_read() {
    rows(Variant::Small);
}

#[test]
fn fields_that_are_not_written_are_read() {
    let bytes = to_vec(&vec![Skipping { own: (), found: [7; 32] }; many::<Skipping>()]).unwrap();
    let rows: Vec<Skipping> = from_slice(&bytes).unwrap();
    assert!(rows.len() == many::<Skipping>() && rows.iter().all(|row| row.found == [0; 32]));
}

#[test]
fn empty_tables_are_read() {
    rows(HashMap::<u8, u8>::new());
}

#[test]
fn lists_of_absent_values_are_read() {
    let inner: Vec<Narrow> = vec![None; 1000];
    let bytes = to_vec(&vec![inner; many::<Wide>() / 1000]).unwrap();
    let value: Vec<Vec<Wide>> = from_slice(&bytes).unwrap();
    assert_eq!(value.iter().flatten().filter(|row| row.is_none()).count(), 1000 * value.len());
}

#[test]
fn absent_values_are_read_in_place_and_from_streams() {
    let value: Vec<Narrow> = vec![None; many::<Wide>()];
    let mut own: Vec<Wide> = vec![Some([7; 32])];
    Decoder::new().decode_into(&to_vec(&value).unwrap(), &mut own).unwrap();
    assert!(own.len() == value.len() && own.iter().all(Option::is_none));
    drop(own);
    // All roots of a block are read at once.
    let mut stream = Writer::new(Vec::new()).unwrap();
    value.iter().for_each(|row| stream.write(row).unwrap());
    let stream = stream.finish().unwrap();
    let mut reader = Reader::new(&stream[..]);
    assert_eq!(reader.values::<Wide>().filter(Result::is_ok).count(), value.len());
}

#[test]
fn rows_of_large_items_are_read() {
    if is_soak() {
        rows([0_u64; 16]);
        rows((String::new(), String::new(), String::new()));
        rows(Texts::default());
        law_once(&vec![None::<[u64; 32]>; BEYOND_BUDGET]);
    }
}

mod earlier {
    #[derive(holdall::Encode, Clone)]
    pub struct Row {
        pub a: (),
    }
}

/// The current version.
#[derive(Decode, PartialEq)]
struct Row {
    a: (),
    #[holdall(default)]
    b: u8,
    c: Option<u64>,
}

#[test]
fn rows_of_an_earlier_type_are_read() {
    let bytes = to_vec(&vec![earlier::Row { a: () }; BEYOND_BUDGET]).unwrap();
    let rows: Vec<Row> = from_slice(&bytes).unwrap();
    assert!(rows.len() == BEYOND_BUDGET && rows[BEYOND_BUDGET - 1] == Row { a: (), b: 0, c: None });
}
