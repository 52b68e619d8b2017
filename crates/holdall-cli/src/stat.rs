//! `holdall stat`

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use holdall::{Error, Profile};
use holdall_inspect::{Column, Savings, Statistics, grouped, printable, profile_name};

use crate::files::{Failure, Streams, at, check_distinct, is_stream, json_line};
use crate::known::Known;
use crate::terminal::{Looks, paint};
use crate::verify::count;

/// Show which columns take the bytes of holdall data
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Stat {
    /// The file to read; `-` or nothing means standard input
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
    /// The order of the columns: largest first, by path, or as in the data
    #[arg(long, value_enum, default_value_t)]
    sort: Sort,
    /// Write a self-contained HTML page with a treemap of the bytes
    #[arg(long)]
    html: bool,
    /// Print one JSON object, for programs
    #[arg(long, conflicts_with = "html")]
    json: bool,
    /// Where to write; `-` or nothing means standard output. An existing file is replaced once the new one is
    /// complete
    #[arg(short, long, value_name = "OUT", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Do not show what other profiles would save. Most of the time and memory goes into that, because the value is
    /// packed in each
    #[arg(long)]
    no_savings: bool,
    /// The largest amount of memory to use for the data, as for unpack
    #[arg(long, value_name = "UNITS")]
    budget: Option<u64>,
    #[command(flatten)]
    known: Known,
}

const EXAMPLES: &str = "\
Examples:
  holdall stat users.hold
  holdall stat users.hold --html -o users.html
  holdall stat users.hold --json | jq '.columns[] | select(.share > 0.1) | .path'

One path can have several columns: the lengths of a list, the presence of an option and the values
inside are separate. The last numbers are the bytes that each column would save in the first of the
profiles balanced and small in which the data is smaller; a negative number means a longer column.";

#[derive(Clone, Copy, Default, ValueEnum)]
enum Sort {
    #[default]
    Bytes,
    Path,
    Order,
}

impl From<Sort> for holdall_inspect::Sort {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::Bytes => holdall_inspect::Sort::Bytes,
            Sort::Path => holdall_inspect::Sort::Path,
            Sort::Order => holdall_inspect::Sort::Order,
        }
    }
}

/// Longer paths and types are truncated to this width.
const PATH: usize = 36;
const TYPE: usize = 22;
/// The longest bar, in characters.
const BAR: usize = 12;
/// Parts of a character, from an eighth to all of it.
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

impl Stat {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        check_distinct(&self.file, &self.output)?;
        let decoder = self.known.decoder(self.budget, streams)?;
        let count = |data: &[u8]| {
            let statistics = Statistics::of(data, &decoder)?;
            Ok(if self.no_savings { statistics } else { statistics.compare(data, &decoder) })
        };
        let counted = streams.read_data_into(&self.file, "counting", |bytes| count(&bytes))?;
        let statistics = counted.map_err(|error: Error| {
            let hint = self.known.hint(&error).unwrap_or("`holdall inspect` shows where");
            at(&self.file, "stdin")(error).with_hint(Some(hint))
        })?;
        let text = if self.html {
            statistics.page(&self.name(), self.sort.into())
        } else if self.json {
            json_line(&statistics.to_value(self.sort.into())).map_err(at(&self.file, "stdin"))?
        } else {
            let is_shown = is_stream(&self.output);
            let looks = Looks::of(streams.shows.colour && is_shown);
            let text = self.text(&statistics, &looks);
            if is_shown {
                return streams.show(&text);
            }
            text
        };
        streams.write(&self.output, text.as_bytes())
    }

    fn name(&self) -> String {
        let name = if is_stream(&self.file) { Path::new("stdin") } else { &self.file };
        name.file_name().unwrap_or(name.as_os_str()).to_string_lossy().into_owned()
    }

    fn text(&self, statistics: &Statistics, looks: &Looks) -> String {
        let mut text = format!("{}: {}", self.name(), bytes(statistics.bytes));
        if let Some(items) = statistics.items {
            let [one, many] = match statistics.blocks {
                None => ["item", "items"],
                Some(_) => ["value", "values"],
            };
            text += &format!(", {} {}", grouped(items), if items == 1 { one } else { many });
            if items > 0 {
                text += &format!(" of {:.1} bytes each", statistics.bytes as f64 / items as f64);
            }
        }
        if let Some(blocks) = statistics.blocks {
            text += &format!(", in {}", count(blocks as u64, "block"));
        }
        text = printable(&text) + "\n";
        if let Some(decompressed) = statistics.decompressed {
            text += &format!(
                "compressed with a dictionary; the table shows it decompressed, {}\n",
                bytes(decompressed)
            );
        }
        text.push('\n');
        text += &table(statistics, self.sort.into(), looks);
        if let Some(savings) = &statistics.savings {
            text += &format!("\n{}", profiles(savings, statistics.bytes));
        }
        text
    }
}

fn bytes(bytes: usize) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{} bytes", grouped(bytes as u64)) }
}

/// A line for each column, and for each part of the message.
fn table(statistics: &Statistics, sort: holdall_inspect::Sort, looks: &Looks) -> String {
    let savings = statistics.savings.as_ref().filter(|savings| savings.columns.is_some());
    let next = savings.and_then(|savings| savings.next);
    let saves = next.map_or(String::new(), |next| format!("{} saves", profile_name(next)));
    let mut lines = vec![
        ["path", "type", "encoding", "rows", "bytes", "share", &*saves, ""].map(str::to_owned),
    ];
    let most = statistics.columns.iter().map(|column| column.bytes).max().unwrap_or(0);
    for number in statistics.sorted(sort) {
        let column = &statistics.columns[number];
        lines.push([
            shorten(&printable(&column.path), PATH),
            shorten(&printable(&kind(column)), TYPE),
            column.encoding.replace(" above a base", " + base"),
            grouped(column.rows as u64),
            grouped(column.bytes as u64),
            percent(statistics.share(column.bytes)),
            statistics.saving(number).map_or(String::new(), signed),
            bar(column.bytes, most),
        ]);
    }
    lines.push(Default::default());
    for (name, bytes) in statistics.parts().into_iter().filter(|(_, bytes)| *bytes > 0) {
        let count = statistics.columns.len();
        let (name, rows, saved) = match name {
            "columns" if count == 1 => {
                ("1 column".to_owned(), statistics.rows(), statistics.saved())
            }
            "columns" => (format!("{count} columns"), statistics.rows(), statistics.saved()),
            name => (name.to_owned(), 0, None),
        };
        let rows = if rows == 0 { String::new() } else { grouped(rows) };
        let share = percent(statistics.share(bytes));
        let (bytes, saved) = (grouped(bytes as u64), saved.map_or(String::new(), signed));
        let none = String::new;
        lines.push([name, none(), none(), rows, bytes, share, saved, none()]);
    }
    let widths: [usize; 8] = std::array::from_fn(|column| {
        lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0)
    });
    let mut text = String::new();
    for line in &lines {
        let cell = |(column, cell): (usize, &String)| {
            let width = widths[column];
            match column {
                0..=2 => format!("{cell:<width$}"),
                3..=6 => format!("{cell:>width$}"),
                _ => cell.clone(),
            }
        };
        let mut cells: Vec<String> = line.iter().enumerate().map(cell).collect();
        // The head and the totals have no bar.
        if !line[7].is_empty() {
            cells[0] = paint(looks.path, &cells[0]);
            cells[7] = paint(looks.bar, &cells[7]);
        }
        if saves.is_empty() {
            cells.remove(6);
        }
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// The contents of a column: values of a type, or a property of them.
fn kind(column: &Column) -> String {
    if column.is_values() {
        return column.type_text.clone();
    }
    let (name, _) = column.type_text.split_once('(').unwrap_or((&column.type_text, ""));
    format!("{} of {name}", column.role)
}

/// Truncates a longer text in the middle, since its end says more.
fn shorten(text: &str, widest: usize) -> String {
    let len = text.chars().count();
    if len <= widest {
        return text.to_owned();
    }
    let start: String = text.chars().take(widest / 3).collect();
    let end: String = text.chars().skip(len - (widest - widest / 3 - 1)).collect();
    format!("{start}…{end}")
}

fn bar(bytes: usize, most: usize) -> String {
    let eighths = (bytes as u128 * 8 * BAR as u128).div_ceil(most.max(1) as u128) as usize;
    let mut bar = "█".repeat(eighths / 8);
    bar.extend((eighths % 8).checked_sub(1).map(|part| EIGHTHS[part]));
    bar
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn signed(bytes: i64) -> String {
    format!("{}{}", if bytes < 0 { "-" } else { "" }, grouped(bytes.unsigned_abs()))
}

/// The sizes in all profiles, on one line, and the reason for missing ones.
fn profiles(savings: &Savings, own: usize) -> String {
    let mut text = String::new();
    let size = |&(profile, size): &(Profile, usize)| {
        let change = 100.0 * (size as f64 / own as f64 - 1.0);
        let change = if size == own { "same size".to_owned() } else { format!("{change:+.1} %") };
        format!("{} {} ({change})", profile_name(profile), grouped(size as u64))
    };
    let sizes: Vec<String> = savings.sizes.iter().map(size).collect();
    if !sizes.is_empty() {
        text += &format!("in profile {}\n", sizes.join(", "));
    }
    if let Some(note) = &savings.note {
        text += &printable(&format!("note: {note}"));
        text.push('\n');
    }
    text
}
