//! Columns, and the file that passes them.
//!
//! The file has the number of columns in 8 bytes. For each column it has the kind in 1 byte (0 integers, 1 floats, 2
//! text), the number of rows in 8 bytes, and the values: 8 bytes each, or for text 4 bytes for each length (all bits
//! set for an absent string), then the text. All numbers are little-endian. NaN is an absent value.

/// Values of one type; absent ones change the type.
pub enum Column {
    /// Integers of 64 bits.
    Ints(Vec<i64>),
    /// Floats.
    Floats(Vec<f64>),
    /// Floats, some absent.
    SomeFloats(Vec<Option<f64>>),
    /// Strings.
    Texts(Texts),
}

/// Concatenated strings, as readers of columns return them.
#[derive(PartialEq, Eq, Default)]
pub struct Texts {
    /// All of them.
    pub text: String,
    /// The end of each string that is present.
    pub ends: Vec<usize>,
    /// Which strings are present, unless all are.
    pub present: Option<Vec<bool>>,
}

impl Texts {
    /// Each string that is present.
    pub fn strings(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| &self.text[*start..*end])
    }
}

/// Parses the file; panics on errors.
pub fn columns(mut file: &[u8]) -> Vec<Column> {
    let count = number(&mut file);
    let columns = (0..count).map(|_| column(&mut file)).collect();
    assert!(file.is_empty(), "{} bytes after the columns", file.len());
    columns
}

fn column(file: &mut &[u8]) -> Column {
    let kind = taken(file, 1)[0];
    let rows = number(file);
    match kind {
        0 => Column::Ints(wide(file, rows, i64::from_le_bytes)),
        1 => {
            let floats = wide(file, rows, f64::from_le_bytes);
            if floats.iter().any(|float| float.is_nan()) {
                let some = |float: f64| (!float.is_nan()).then_some(float);
                return Column::SomeFloats(floats.into_iter().map(some).collect());
            }
            Column::Floats(floats)
        }
        2 => Column::Texts(texts(file, rows)),
        _ => panic!("{kind} is not a kind of column"),
    }
}

fn texts(file: &mut &[u8], rows: usize) -> Texts {
    let lengths: Vec<u32> = taken(file, 4 * rows)
        .chunks_exact(4)
        .map(|length| u32::from_le_bytes(length.try_into().unwrap()))
        .collect();
    let present: Vec<bool> = lengths.iter().map(|length| *length != u32::MAX).collect();
    let mut end = 0;
    let ends: Vec<usize> = lengths
        .into_iter()
        .filter(|length| *length != u32::MAX)
        .map(|length| {
            end += length as usize;
            end
        })
        .collect();
    let text = String::from_utf8(taken(file, end).to_vec()).expect("text is UTF-8");
    let present = present.contains(&false).then_some(present);
    Texts { text, ends, present }
}

fn wide<T>(file: &mut &[u8], rows: usize, from: impl Fn([u8; 8]) -> T) -> Vec<T> {
    taken(file, 8 * rows).chunks_exact(8).map(|bytes| from(bytes.try_into().unwrap())).collect()
}

fn number(file: &mut &[u8]) -> usize {
    let bytes = taken(file, 8).try_into().unwrap();
    usize::try_from(u64::from_le_bytes(bytes)).expect("a count that fits")
}

fn taken<'f>(file: &mut &'f [u8], count: usize) -> &'f [u8] {
    let (taken, rest) = file.split_at(count);
    *file = rest;
    taken
}
