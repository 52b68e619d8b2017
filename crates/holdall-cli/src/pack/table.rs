//! `holdall pack` of tables

use std::fs::File;
use std::io::Write;

use holdall::{Error, Writer};

use super::Pack;
use crate::files::{Failure, Streams, at, is_local, is_stream};
use crate::tables::{self, TableFormat};

impl Pack {
    pub(super) fn pack_table(
        &self,
        table: TableFormat,
        streams: &mut Streams<'_>,
    ) -> Result<(), Failure> {
        let unfit = [
            (self.checksum, "--checksum is for messages; each frame of a stream has a checksum"),
            (self.aligned, "--aligned is for messages; a table becomes a stream"),
            (self.store.is_some(), "--store is for messages; a stream has its schema"),
            (self.dictionary.is_some(), "--dictionary is for messages; a table becomes a stream"),
        ];
        if let Some((_, words)) = unfit.iter().find(|(is_given, _)| *is_given) {
            return Err(Failure::Arguments((*words).to_owned()));
        }
        let options = self.stream_options()?;
        let of_input = |error: Error| at(&self.file, "stdin")(error);
        // The standard input, or the content of a URL.
        let bytes = match is_local(&self.file) {
            true => None,
            false => Some(streams.read(&self.file)?),
        };
        if self.stream && !is_stream(&self.output) {
            let mut writer = self.open(options)?;
            let packed = self.rows(table, bytes, &mut writer).map_err(of_input);
            // The rows before a bad one were written.
            writer.finish().map_err(|error| at(&self.output, "stdout")(error))?;
            return packed;
        }
        let write = |out: &mut (dyn Write + Send)| {
            let mut writer = options.to(out)?;
            self.rows(table, bytes, &mut writer)?;
            writer.finish().map(drop)
        };
        streams.write_by(&self.output, write, of_input)
    }

    /// The rows of a table to the values of a stream.
    fn rows<W: Write>(
        &self,
        table: TableFormat,
        bytes: Option<Vec<u8>>,
        writer: &mut Writer<W>,
    ) -> holdall::Result<()> {
        match bytes {
            Some(bytes) => tables::pack_bytes(bytes, table, writer),
            None => tables::pack_file(File::open(&self.file)?, table, writer),
        }
    }
}
