//! `holdall recover`

use std::fs::File;
use std::path::PathBuf;

use clap::Args;
use holdall::stream::recover;
use holdall_inspect::printable;

use crate::files::{Failure, Streams, at};
use crate::known::Known;
use crate::verify::count;

/// Write what is whole of a damaged stream as a stream of its own, and report what is lost
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Recover {
    /// The damaged file
    #[arg(value_name = "IN")]
    file: PathBuf,
    /// Where the whole blocks go, in the order in which they were written. It must not be there yet
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// How much may be made of each block, as for unpack
    #[arg(long, value_name = "UNITS")]
    budget: Option<u64>,
    #[command(flatten)]
    known: Known,
}

const EXAMPLES: &str = "\
Examples:
  holdall recover log.hold whole.hold
  holdall recover log.hold whole.hold --schema other.hold    for blocks whose schema is lost

Exit status: 1 if something was lost; what is whole is written all the same.";

impl Recover {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let schemas = self.known.read(streams)?;
        let input = File::open(&self.file).map_err(at(&self.file, "stdin"))?;
        let output = File::create_new(&self.output).map_err(at(&self.output, "stdout"))?;
        let report = recover(input, &output, &schemas, self.known.limits(self.budget));
        let report = report.map_err(|error| {
            // What is no stream gives none; that a file is left behind is the lesser evil.
            let _ = std::fs::remove_file(&self.output);
            let hint = self.known.hint(&error);
            at(&self.file, "stdin")(error).with_hint(hint)
        })?;
        output.sync_all().map_err(at(&self.output, "stdout"))?;
        let name = self.file.display();
        for damage in report.damage() {
            let line = format!("{name}: {}", self.known.words(damage));
            streams.write_stdout(format!("{}\n", printable(&line)).as_bytes())?;
        }
        let (values, blocks) = (count(report.values(), "value"), count(report.blocks(), "block"));
        let line = format!("{}: {values} in {blocks}", self.output.display());
        streams.write_stdout(format!("{}\n", printable(&line)).as_bytes())?;
        match report.damage().len() {
            0 => Ok(()),
            1 => Err(Failure::Bad(format!("{name} has 1 fault"))),
            count => Err(Failure::Bad(format!("{name} has {count} faults"))),
        }
    }
}
