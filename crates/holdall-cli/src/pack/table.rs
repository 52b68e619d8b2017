//! `holdall pack` of tables

use std::fs::File;
use std::io::Write;

use holdall::Writer;

use super::Pack;
use crate::files::{Failure, Streams, at, is_stream};
use crate::remote::url_of;
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
        ];
        if let Some((_, words)) = unfit.iter().find(|(is_given, _)| *is_given) {
            return Err(Failure::Arguments((*words).to_owned()));
        }
        let options = self.stream_options()?;
        if self.stream && !is_stream(&self.output) {
            let mut writer = self.open(options)?;
            let packed = self.rows(table, &mut writer, streams);
            writer.finish().map_err(|error| at(&self.output, "stdout")(error))?;
            return packed;
        }
        let mut failed = None;
        let bytes = self.table_bytes(streams)?;
        let written = streams.write_by(&self.output, |out| {
            let mut writer = options.to(out)?;
            self.rows_of(table, bytes, &mut writer).inspect_err(|error| {
                // Others than the system's are errors of the input.
                let input = || at(&self.file, "stdin")(error.clone());
                failed = error.os_error().is_none().then(input);
            })?;
            writer.finish().map(drop)
        });
        failed.map_or(written, Err)
    }

    /// The rows of a table to the values of a stream.
    fn rows<W: Write>(
        &self,
        table: TableFormat,
        writer: &mut Writer<W>,
        streams: &mut Streams<'_>,
    ) -> Result<(), Failure> {
        let bytes = self.table_bytes(streams)?;
        self.rows_of(table, bytes, writer).map_err(|error| at(&self.file, "stdin")(error))
    }

    /// The bytes of the input, if it is no file of this machine.
    fn table_bytes(&self, streams: &mut Streams<'_>) -> Result<Option<Vec<u8>>, Failure> {
        let is_elsewhere = is_stream(&self.file) || url_of(&self.file).is_some();
        is_elsewhere.then(|| streams.read(&self.file)).transpose()
    }

    fn rows_of<W: Write>(
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
