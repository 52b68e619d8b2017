//! Tables in Parquet and Arrow files: each row becomes a value of a stream, and columns become a table.

mod guard;
mod ipc;
mod plain;

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use holdall::view::Bytes;
use holdall::{Code, Decoder, Error, Result, Writer};
use holdall_arrow::{Arrays, Scan};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::ChunkReader;

use guard::guarded;
use ipc::IpcBatches;
use plain::{plain_batch, plain_schema};

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableFormat {
    Parquet,
    /// An Arrow file with an index at its end. A Feather file of version 2 is one.
    Arrow,
    ArrowStream,
}

/// The names of the formats, and the extensions of their files.
const NAMES: [(&str, &str, TableFormat); 4] = [
    ("parquet", "parquet", TableFormat::Parquet),
    ("arrow", "arrow", TableFormat::Arrow),
    ("feather", "feather", TableFormat::Arrow),
    ("arrow-stream", "arrows", TableFormat::ArrowStream),
];

impl TableFormat {
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, ..)| *name)
    }

    pub(crate) fn name(self) -> &'static str {
        let own = NAMES.iter().find(|(.., format)| *format == self);
        own.map_or("a table", |(name, ..)| name)
    }

    pub(crate) fn named(name: &str) -> Option<TableFormat> {
        NAMES.iter().find(|(own, ..)| *own == name).map(|(.., format)| *format)
    }

    pub(crate) fn of_path(path: &Path) -> Option<TableFormat> {
        let extension = path.extension()?;
        NAMES.iter().find(|(_, own, _)| extension == *own).map(|(.., format)| *format)
    }
}

/// Writes the rows of a table file as values, one batch in memory at a time.
pub(crate) fn pack_file<W: Write>(
    file: File,
    format: TableFormat,
    to: &mut Writer<W>,
) -> Result<()> {
    match format {
        TableFormat::Parquet => pack_parquet(file, to),
        _ => pack_ipc(BufReader::new(file), format, to),
    }
}

/// Writes the rows of a table in memory as values.
pub(crate) fn pack_bytes<W: Write>(
    bytes: Vec<u8>,
    format: TableFormat,
    to: &mut Writer<W>,
) -> Result<()> {
    match format {
        TableFormat::Parquet => pack_parquet(bytes::Bytes::from(bytes), to),
        _ => pack_ipc(&bytes[..], format, to),
    }
}

fn pack_parquet<W: Write>(input: impl ChunkReader + 'static, to: &mut Writer<W>) -> Result<()> {
    let size = input.len();
    let builder = guarded(|| {
        let builder = ParquetRecordBatchReaderBuilder::try_new(input).map_err(of_parquet)?;
        check_columns(builder.metadata(), size)?;
        Ok(builder)
    })?;
    let schema = Arc::clone(builder.schema());
    let batches = guarded(|| builder.build().map_err(of_parquet))?;
    pack(&schema, batches.map(|batch| batch.map_err(of_arrow)), to)
}

/// Checks that the columns are in the file: the crate would panic or ask for that much memory.
fn check_columns(metadata: &ParquetMetaData, size: u64) -> Result<()> {
    let columns = metadata.row_groups().iter().flat_map(|group| group.columns());
    let mut places = columns.flat_map(|column| {
        let first = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        [(first, column.compressed_size()), (column.data_page_offset(), 0)]
    });
    let is_inside = |(start, len): (i64, i64)| {
        let (start, len) = (u64::try_from(start).ok()?, u64::try_from(len).ok()?);
        start.checked_add(len).filter(|end| *end <= size)
    };
    match places.all(|place| is_inside(place).is_some()) {
        true => Ok(()),
        false => Err(failed("a column beyond the file")),
    }
}

fn pack_ipc<W: Write>(input: impl Read, format: TableFormat, to: &mut Writer<W>) -> Result<()> {
    let batches = guarded(|| IpcBatches::open(input, format == TableFormat::Arrow))?;
    pack(&Arc::clone(&batches.schema), batches, to)
}

fn pack<W: Write>(
    schema: &Schema,
    mut batches: impl Iterator<Item = Result<RecordBatch>>,
    to: &mut Writer<W>,
) -> Result<()> {
    while let Some(batch) = guarded(|| batches.next().transpose())? {
        let rows = Arrays::of_batches(schema, [batch]);
        rows.rows().try_for_each(|mut row| to.write_source(&mut row))?;
    }
    Ok(())
}

/// The rows of data as a table: with all columns, or with these.
pub(crate) fn scan(
    decoder: &Decoder,
    data: Bytes<'static>,
    columns: Option<&[String]>,
) -> Result<Scan> {
    let scan = Scan::new(Arc::new(decoder.view(data)?));
    Ok(match columns {
        Some(columns) => scan.columns(columns.iter().cloned()),
        None => scan,
    })
}

/// Writes rows into a file of a table, one batch in memory at a time.
pub(crate) fn unpack(scan: &Scan, format: TableFormat, out: &mut (dyn Write + Send)) -> Result<()> {
    let columns = scan.schema()?;
    let schema = plain_schema(&columns);
    let mut out = Out::new(out, format, &schema)?;
    for batch in scan.batches()? {
        out.write(&plain_batch(&batch.map_err(of_arrow)?, &schema)?)?;
    }
    out.finish()
}

/// A file of a table that is being written.
enum Out<W: Write + Send> {
    Parquet(Box<ArrowWriter<W>>),
    Arrow(FileWriter<W>),
    ArrowStream(StreamWriter<W>),
}

impl<W: Write + Send> Out<W> {
    fn new(out: W, format: TableFormat, schema: &SchemaRef) -> Result<Out<W>> {
        Ok(match format {
            TableFormat::Parquet => {
                // What most programs write by default, and all read.
                let properties =
                    WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                let writer = ArrowWriter::try_new(out, Arc::clone(schema), Some(properties));
                Out::Parquet(Box::new(writer.map_err(of_parquet)?))
            }
            TableFormat::Arrow => Out::Arrow(FileWriter::try_new(out, schema).map_err(of_arrow)?),
            TableFormat::ArrowStream => {
                Out::ArrowStream(StreamWriter::try_new(out, schema).map_err(of_arrow)?)
            }
        })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match self {
            Out::Parquet(writer) => writer.write(batch).map_err(of_parquet),
            Out::Arrow(writer) => writer.write(batch).map_err(of_arrow),
            Out::ArrowStream(writer) => writer.write(batch).map_err(of_arrow),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Out::Parquet(writer) => writer.close().map(drop).map_err(of_parquet),
            Out::Arrow(mut writer) => writer.finish().map_err(of_arrow),
            Out::ArrowStream(mut writer) => writer.finish().map_err(of_arrow),
        }
    }
}

/// An error of Arrow's crates, or our own inside it.
fn of_arrow(error: ArrowError) -> Error {
    match error {
        ArrowError::ExternalError(inner) => match inner.downcast::<Error>() {
            Ok(own) => *own,
            Err(other) => failed(&other.to_string()),
        },
        ArrowError::IoError(_, error) => error.into(),
        other => failed(&other.to_string()),
    }
}

fn of_parquet(error: ParquetError) -> Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => (*error).into(),
            Err(other) => failed(&other.to_string()),
        },
        other => failed(&other.to_string()),
    }
}

fn failed(text: &str) -> Error {
    Error::new(Code::Unconvertible).expected("a table").got(text.to_owned())
}
