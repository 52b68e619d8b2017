//! `holdall recover`

use std::fs::File;
use std::path::PathBuf;

use clap::Args;
use holdall::stream::recover;
use holdall_inspect::printable;

use crate::files::{Failure, Streams, at, check_file};
use crate::known::Known;
use crate::verify::count;

/// Copy the intact blocks of a damaged stream to a new file, and report the losses
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Recover {
    /// The damaged file
    #[arg(value_name = "IN")]
    file: PathBuf,
    /// The new file, which must not exist yet. Blocks are in the order in which they were written
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The largest amount of memory to use for a block, as for unpack
    #[arg(long, value_name = "UNITS")]
    budget: Option<u64>,
    #[command(flatten)]
    known: Known,
}

const EXAMPLES: &str = "\
Examples:
  holdall recover log.hold whole.hold
  holdall recover log.hold whole.hold --schema other.hold    for blocks whose schema is lost

Exit status: 1 if anything was lost. The intact blocks are written in any case.";

impl Recover {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        let words = "recover needs a file, and this is none: write what the pipe or device has to a file, and recover that";
        check_file(&self.file, words)?;
        let schemas = self.known.read(streams)?;
        let input = File::open(&self.file).map_err(at(&self.file, "stdin"))?;
        let output = File::create_new(&self.output).map_err(at(&self.output, "stdout"))?;
        let report = recover(input, &output, &schemas, self.known.limits(self.budget));
        let report = report.map_err(|error| {
            // If the input is not a stream, there is nothing to write; a leftover file is the lesser evil.
            let _ = std::fs::remove_file(&self.output);
            self.known.failure(&self.file, error)
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
