//! `holdall unpack` of tables

use std::fs::File;

use holdall::Error;
use holdall::view::Bytes;

use super::Unpack;
use crate::files::{Failure, Streams, at, is_stream};
use crate::remote::url_of;
use crate::tables::{self, TableFormat};

impl Unpack {
    pub(super) fn unpack_table(
        &self,
        table: TableFormat,
        streams: &mut Streams<'_>,
    ) -> Result<(), Failure> {
        let decoder = self.known.decoder(self.budget, streams)?;
        let is_elsewhere = is_stream(&self.file) || url_of(&self.file).is_some();
        let bytes = match is_elsewhere {
            true => Ok(Bytes::owned(streams.read_data(&self.file, "unpacking")?)),
            false => File::open(&self.file).map_err(Error::from).and_then(Bytes::reader),
        };
        let input = |error: Error| {
            let hint = self.hint(&error);
            at(&self.file, "stdin")(error).with_hint(hint)
        };
        let scan = tables::scan(&decoder, bytes.map_err(input)?, self.columns.as_deref());
        let scan = scan.map_err(input)?;
        let mut failed = None;
        let written = streams.write_by(&self.output, |out| {
            tables::unpack(&scan, table, out).inspect_err(|error| {
                // Most are errors of the data, such as values that no column holds.
                failed = error.os_error().is_none().then(|| input(error.clone()));
            })
        });
        failed.map_or(written, Err)
    }
}
