//! `holdall verify`

use std::io::BufRead;
use std::path::{Path, PathBuf};

use clap::Args;
use holdall::Decoder;
use holdall::stream::{self, Report};
use holdall_inspect::{Summary, printable};

use crate::files::{Failure, Streams, at, take_data, words as worded};
use crate::known::Known;

/// Check every byte of holdall data
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Verify {
    /// The files to check; `-` or nothing means standard input. All are checked, even if one is bad
    #[arg(default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,
    /// The largest amount of memory to use for each file, as for unpack
    #[arg(long, value_name = "UNITS")]
    budget: Option<u64>,
    #[command(flatten)]
    known: Known,
}

const EXAMPLES: &str = "\
Examples:
  holdall verify users.hold
  holdall verify backup/*.hold && echo all is well
  holdall inspect users.hold    shows the fault and its place

Exit status: 1 if any file is bad or cannot be read.";

impl Verify {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let mut decoder = self.known.decoder(self.budget, streams)?;
        let mut bad = 0;
        for path in &self.files {
            let name = name(path);
            let checked = self.check(path, &mut decoder, streams);
            let is_bad = match &checked {
                Ok(Checked::Stream(report)) => !report.damage().is_empty(),
                checked => checked.is_err(),
            };
            bad += usize::from(is_bad);
            let line = match checked {
                Ok(Checked::Message(summary)) => format!("{name}: ok, {}", words(&summary)),
                Ok(Checked::Stream(report)) => {
                    for damage in report.damage() {
                        let line = printable(&format!("{name}: bad, {}", self.known.words(damage)));
                        streams.write_stdout(format!("{line}\n").as_bytes())?;
                    }
                    let is = if is_bad { "intact part" } else { "ok" };
                    format!("{name}: {is}, {}", words_of_stream(&report))
                }
                Err(Failure::At(_, error)) => format!("{name}: bad, {}", worded(&error)),
                Err(Failure::Hint(_, error, hint)) => format!("{name}: bad, {error:#}; {hint}"),
                Err(failure) => return Err(failure),
            };
            streams.write_stdout(format!("{}\n", printable(&line)).as_bytes())?;
        }
        let all = self.files.len();
        if bad == 0 { Ok(()) } else { Err(Failure::Bad(format!("{bad} of {}", files(all)))) }
    }

    fn check(
        &self,
        path: &Path,
        decoder: &mut Decoder,
        streams: &mut Streams<'_>,
    ) -> Result<Checked, Failure> {
        let failure = |error: holdall::Error| self.known.failure(path, error);
        // A stream need not fit into memory.
        {
            let mut input = streams.open(path, "checking")?;
            let start = input.fill_buf().map_err(at(path, "stdin"))?;
            if stream::is_stream(start) {
                let report = stream::verify(input, self.known.limits(self.budget));
                return report.map(Checked::Stream).map_err(failure);
            }
            let mut bytes = Vec::new();
            take_data(&mut input, &mut bytes).map_err(at(path, "stdin"))?;
            Summary::of(&bytes, decoder).map(Checked::Message).map_err(failure)
        }
    }
}

/// What was found of data.
enum Checked {
    Message(Summary),
    Stream(Report),
}

fn words_of_stream(report: &Report) -> String {
    let end = if report.is_finished() { "" } else { ", without its end" };
    format!(
        "a stream of {}, {} in {}{end}",
        count(report.bytes(), "byte"),
        count(report.values(), "value"),
        count(report.blocks(), "block")
    )
}

pub(crate) fn count(count: u64, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

fn name(path: &Path) -> String {
    if path == Path::new("-") { "stdin".to_owned() } else { path.display().to_string() }
}

fn files(count: usize) -> String {
    if count == 1 { "1 file is bad".to_owned() } else { format!("{count} files are bad") }
}

fn words(summary: &Summary) -> String {
    let mut parts = vec![
        count(summary.bytes as u64, "byte"),
        count(summary.values, "value"),
        count(summary.sites as u64, "type"),
        (if summary.has_checksum { "checksum correct" } else { "no checksum" }).to_owned(),
    ];
    if summary.metadata > 0 {
        parts.push(format!("metadata of {}", count(summary.metadata as u64, "key")));
    }
    let by = if summary.has_fingerprint { " by its fingerprint:" } else { "" };
    parts.push(format!("schema{by} {}", summary.schema));
    parts.join(", ")
}
