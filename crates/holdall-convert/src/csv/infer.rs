//! Infers the types of columns from their cells.

use holdall::Result;

/// The type of all non-empty cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// Strings, also if they are empty.
    Text,
    Strings,
    Bools,
    Ints,
    Floats,
}

/// The types that the cells of a column can have, so far.
#[derive(Clone, Copy)]
struct Seen {
    any: bool,
    bools: bool,
    ints: bool,
    floats: bool,
}

/// Infers the types of `count` columns; `rows` emits all cells, each with the number of its column.
pub(super) fn columns_of(
    count: usize,
    rows: impl FnOnce(&mut dyn FnMut(usize, &str)) -> Result<()>,
) -> Result<Vec<Column>> {
    let mut columns = vec![Seen { any: false, bools: true, ints: true, floats: true }; count];
    rows(&mut |number, cell| {
        if cell.is_empty() {
            return;
        }
        let column = &mut columns[number];
        column.any = true;
        column.bools = column.bools && matches!(cell, "true" | "false");
        column.ints = column.ints && is_int(cell);
        column.floats = column.floats && is_float(cell);
    })?;
    Ok(columns
        .into_iter()
        .map(|column| match column {
            Seen { any: true, ints: true, .. } => Column::Ints,
            Seen { any: true, floats: true, .. } => Column::Floats,
            Seen { any: true, bools: true, .. } => Column::Bools,
            _ => Column::Strings,
        })
        .collect())
}

/// Whether a cell is an integer in its one spelling.
fn is_int(cell: &str) -> bool {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    match digits.as_bytes() {
        [b'0'] => cell == "0",
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Whether a cell is a number in JSON's form whose digits an f64 prints again.
fn is_float(cell: &str) -> bool {
    let Some(decimal) = Decimal::of(cell) else { return false };
    let value: f64 = cell.parse().unwrap_or(f64::NAN);
    if !value.is_finite() {
        return false;
    }
    Decimal::of(zmij::Buffer::new().format_finite(value)) == Some(decimal)
}

/// The digits of a number, without zeros at either end.
#[derive(PartialEq, Eq)]
struct Decimal {
    is_negative: bool,
    digits: Vec<u8>,
    /// The power of ten of the last digit; 0 for zero.
    exponent: i64,
}

impl Decimal {
    fn of(text: &str) -> Option<Decimal> {
        let (is_negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)?),
            None => (text, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        let has_form = whole == "0" || !whole.starts_with('0') && !whole.is_empty();
        let mut digits = [whole, fraction].concat().into_bytes();
        if !has_form || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut exponent = exponent - i64::try_from(fraction.len()).ok()?;
        while digits.last() == Some(&b'0') {
            digits.pop();
            exponent += 1;
        }
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        if digits.is_empty() {
            exponent = 0;
        }
        Some(Decimal { is_negative, digits, exponent })
    }
}

/// An exponent with its sign; `None` beyond those of f64.
fn exponent_of(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let value: i64 = text.parse().ok().filter(|_| is_number)?;
    (-1_000_000..1_000_000).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{is_float, is_int};

    #[test]
    fn integers_have_one_spelling() {
        for cell in ["0", "7", "-12", "9223372036854775808", &"9".repeat(50)] {
            assert!(is_int(cell), "{cell}");
        }
        for cell in ["", "-", "+1", "007", "-0", "1.0", "1e3", " 1", "1 ", "1_000", "٣"] {
            assert!(!is_int(cell), "{cell}");
        }
    }

    #[test]
    fn floats_keep_their_digits() {
        for cell in ["1.5", "1.50", "-0.0", "0", "100", "2e3", "1E+5", "-1.5e-10", "0.1", "5e-324"]
        {
            assert!(is_float(cell), "{cell}");
        }
        let others = [
            "",
            "1.",
            ".5",
            "01.5",
            "+1.5",
            "NaN",
            "inf",
            "1e400",
            "1e-400",
            "9007199254740993",
            "0.1000000000000000055",
            "1.5 ",
            "1,5",
            "0x1p3",
            "1e",
            "1e+",
            "1e+-5",
            "--1",
            "1e99999999999999999999",
        ];
        for cell in others {
            assert!(!is_float(cell), "{cell}");
        }
    }
}
