//! `holdall inspect`

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use holdall_inspect::{Inspection, Item, View, printable, redacted};

use crate::files::{Failure, Streams, at, json_line};
use crate::known::Known;
use crate::pick::{LISTED, listed};
use crate::terminal::{Looks, paint};

/// Explain each byte of holdall data
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Inspect {
    /// The file to read; `-` or nothing means standard input. It may be damaged: the output shows what can be read,
    /// and why the rest cannot
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
    /// Show only this path and everything inside it, such as `$.users[].name` or `users`
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Hide all values, so that you can show the output to others. Field names, types, encodings and sizes remain
    #[arg(long)]
    redact: bool,
    /// Print one JSON object, for programs
    #[arg(long)]
    json: bool,
    /// The largest amount of memory to use for the data, as for unpack
    #[arg(long, value_name = "UNITS")]
    budget: Option<u64>,
    #[command(flatten)]
    known: Known,
}

const EXAMPLES: &str = "\
Examples:
  holdall inspect users.hold
  holdall inspect users.hold --path 'users[].name'
  holdall inspect broken.hold --redact
  holdall inspect users.hold --json | jq '.spans[] | select(.rule == \"F-29\")'

Rules such as F-29 are explained in the specification, spec/format.md.";

/// The number of bytes shown of an item.
const BYTES: usize = 8;
/// The maximum width of the columns.
const WIDEST_PATH: usize = 32;
const WIDEST_MEANING: usize = 44;
/// Output is written once it is this long.
const PORTION: usize = 1 << 16;

impl Inspect {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let decoder = self.known.decoder(self.budget, streams)?;
        let message = streams.read_data(&self.file, "reading")?;
        let inspection = Inspection::of(&message, &decoder);
        let mut view = View::default().redact(self.redact);
        if let Some(path) = &self.path {
            view = view.path(path);
        }
        if self.json {
            let text = json_line(&inspection.to_value(&view)).map_err(at(&self.file, "stdin"))?;
            streams.write_stdout(text.as_bytes())?;
        } else {
            self.print(&inspection, &view, streams)?;
        }
        match inspection.errors().first() {
            None => Ok(()),
            Some(error) => {
                let shown = if self.redact { redacted(error) } else { error.clone() };
                Err(at(&self.file, "stdin")(shown).with_hint(self.known.hint(error)))
            }
        }
    }

    fn print(
        &self,
        inspection: &Inspection<'_>,
        view: &View,
        streams: &mut Streams<'_>,
    ) -> Result<(), Failure> {
        let (mut path, mut meaning, mut last, mut count) = (4, 7, 0, 0);
        for item in inspection.items(view) {
            path = path.max(item.path.chars().count()).min(WIDEST_PATH);
            meaning = meaning.max(item.meaning.chars().count()).min(WIDEST_MEANING);
            last = last.max(item.range.start);
            count += 1;
        }
        let offset = last.to_string().len().max(6);
        let hex = 3 * BYTES + 1;
        let looks = Looks::of(streams.shows.colour);
        let mut text = format!(
            "{:>offset$}  {:<hex$}  {:<path$}  {:<meaning$}  rule\n",
            "offset", "hex", "path", "meaning"
        );
        let mut content = inspection.content();
        for item in inspection.items(view) {
            if let Some(range) = content.take_if(|_| item.is_in_content) {
                let _ = writeln!(
                    text,
                    "{:>offset$}  decompressed: {} bytes, whose offsets begin with that of the frame",
                    "",
                    range.len()
                );
            }
            let line = [
                paint(looks.dim, &format!("{:>offset$}", item.range.start)),
                paint(looks.hex, &format!("{:<hex$}", digits(&item))),
                paint(looks.path, &format!("{:<path$}", printable(&item.path))),
                format!("{:<meaning$}", printable(&item.meaning)),
                paint(looks.dim, &item.rule()),
            ];
            text += line.join("  ").trim_end();
            text.push('\n');
            for fault in &item.faults {
                // Writing to a string cannot fail.
                let _ = writeln!(
                    text,
                    "{:>offset$}  {}",
                    "",
                    paint(looks.fault, &format!("fault: {}", printable(fault)))
                );
            }
            if text.len() >= PORTION {
                streams.show(&text)?;
                text.clear();
            }
        }
        if let Some(path) = self.path.as_ref().filter(|_| count == 0) {
            text += &missing(path, inspection);
        }
        if self.redact {
            text += "values are hidden (--redact)\n";
        }
        streams.show(&text)
    }
}

/// What to print for a path that matches nothing. It is not a failure: the status is that of the data.
fn missing(path: &str, inspection: &Inspection<'_>) -> String {
    let mut known: Vec<String> = Vec::new();
    for item in inspection.items(&View::default()) {
        if !item.path.is_empty() && !known.contains(&item.path) {
            known.push(item.path);
        }
        if known.len() > LISTED {
            break;
        }
    }
    let paths = if known.is_empty() {
        String::new()
    } else {
        format!("; the paths are {}", listed(&known))
    };
    printable(&format!("nothing belongs to `{path}`{paths}")) + "\n"
}

/// The first bytes of an item.
fn digits(item: &Item<'_>) -> String {
    if item.is_hidden {
        return format!("({} hidden)", item.range.len());
    }
    let mut text = String::new();
    for byte in item.bytes.iter().take(BYTES) {
        let _ = write!(text, "{byte:02X} ");
    }
    if item.bytes.len() > BYTES {
        text.push('…');
    }
    text.trim_end().to_owned()
}
