//! Prints tables for people.

use std::fmt::Write;
use std::time::Duration;

/// Rows of cells: the first column flush left, the others flush right.
#[derive(Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with only its heading.
    #[must_use]
    pub fn new(heading: &[&str]) -> Self {
        let mut table = Table::default();
        table.row(heading.iter().map(ToString::to_string));
        table
    }

    /// Adds a row; it may be shorter than the heading.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        // A row of one cell is a title, which may extend over other columns.
        let width = |column: usize| {
            let cells = self.rows.iter().filter(|row| row.len() > 1);
            cells
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                if column == 0 {
                    write!(line, "{cell:<width$}")?;
                } else {
                    write!(line, "  {cell:>width$}")?;
                }
            }
            writeln!(formatter, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// `1234567` as `1,234,567`.
#[must_use]
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Milliseconds with three figures: `0.00123`, `1.23`, `123`.
#[must_use]
pub fn milliseconds(time: Duration) -> String {
    figures(time.as_secs_f64() * 1e3)
}

/// Microseconds with three figures.
#[must_use]
pub fn microseconds(time: Duration) -> String {
    figures(time.as_secs_f64() * 1e6)
}

/// A number with three digits, or with all digits before the point: `0.0123`, `1.23`, `12.3`, `1234`.
#[must_use]
pub fn figures(number: f64) -> String {
    let places = if number > 0.0 {
        // Rounded first, so that 9.999 becomes 10.0 and not 10.00.
        let rounded: f64 = format!("{number:.2e}").parse().unwrap_or(number);
        (2.0 - rounded.log10().floor()).clamp(0.0, 6.0) as usize
    } else {
        0
    };
    format!("{number:.places$}")
}

/// A fraction in percent: `45.1 %`.
#[must_use]
pub fn percent(part: usize, whole: usize) -> String {
    format!("{:.1} %", part as f64 * 100.0 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_flush_right() {
        let mut table = Table::new(&["what", "n"]);
        table.row(["a title that is long".to_owned()]);
        table.row(["é".to_owned(), "1".to_owned()]);
        table.row(["ten".to_owned(), "10".to_owned()]);
        let expected = "what   n\na title that is long\né      1\nten   10\n";
        assert_eq!(table.to_string(), expected);
    }

    #[test]
    fn thousands_are_grouped_from_the_right() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")];
        for (number, text) in cases {
            assert_eq!(thousands(number), text);
        }
    }

    #[test]
    fn figures_are_three() {
        let cases = [
            (0.0, "0"),
            (0.001_234, "0.00123"),
            (0.5, "0.500"),
            (9.999, "10.0"),
            (12.34, "12.3"),
            (1234.5, "1234"),
        ];
        for (number, text) in cases {
            assert_eq!(figures(number), text);
        }
    }

    #[test]
    fn percent_has_one_place() {
        assert_eq!(percent(451, 1000), "45.1 %");
    }
}
