//! `holdall unpack` of tables

use std::fs::File;
use std::io::Write;

use holdall::Error;
use holdall::view::Bytes;

use super::Unpack;
use crate::files::{Failure, Streams, is_local};
use crate::tables::{self, TableFormat};

impl Unpack {
    pub(super) fn unpack_table(
        &self,
        table: TableFormat,
        streams: &mut Streams<'_>,
    ) -> Result<(), Failure> {
        let decoder = self.known.decoder(self.budget, streams)?;
        let of_input = |error: Error| self.failure(error);
        let bytes = match is_local(&self.file) {
            true => File::open(&self.file).map_err(Error::from).and_then(Bytes::reader),
            false => Ok(Bytes::owned(streams.read_data(&self.file, "unpacking")?)),
        };
        let scan = bytes.and_then(|bytes| tables::scan(&decoder, bytes, self.columns.as_deref()));
        let scan = scan.map_err(of_input)?;
        let write = |out: &mut (dyn Write + Send)| tables::unpack(&scan, table, out);
        streams.write_by(&self.output, write, of_input)
    }
}
