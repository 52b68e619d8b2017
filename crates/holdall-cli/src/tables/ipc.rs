//! Arrow's messages, read one by one. The lengths in each are checked before Arrow's crates use them, which would
//! ask for that much memory.

use std::io::Read;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, Message, MessageHeader, root_as_message};
use arrow_schema::SchemaRef;
use holdall::Result;

use super::{failed, of_arrow};

/// What a file begins with. Zeros up to an alignment of the writer's follow, and then the messages of a stream.
const MAGIC: &[u8; 8] = b"ARROW1\0\0";
/// Precedes the length of a message, since version 0.15 of Arrow.
const CONTINUATION: [u8; 4] = [0xFF; 4];
/// The units of memory for each byte of data that rows and decompressed buffers may take, and the least of all, as for
/// holdall's own data.
const UNITS_PER_BYTE: u64 = 1000;
const LEAST_UNITS: u64 = 1 << 26;

/// The batches of a stream, or of a file, which contains a stream.
pub(super) struct IpcBatches<R> {
    input: R,
    decoder: FileDecoder,
    pub(super) schema: SchemaRef,
    /// The bytes that were read, and the units that were charged.
    read: u64,
    charged: u64,
}

impl<R: Read> IpcBatches<R> {
    pub(super) fn open(mut input: R, is_file: bool) -> Result<Self> {
        if is_file {
            let mut magic = Vec::new();
            take(&mut input, MAGIC.len() as u64, &mut magic)?;
            if magic[..6] != MAGIC[..6] {
                return Err(failed("other data than an Arrow file"));
            }
        }
        let first = if is_file { first_head(&mut input) } else { head(&mut input) };
        let first = first?.ok_or_else(|| failed("a stream without a schema"))?;
        let schema = Arc::new(try_schema_from_ipc_buffer(&first).map_err(of_arrow)?);
        let version = message_of(&first)?.version();
        let decoder = FileDecoder::new(Arc::clone(&schema), version);
        Ok(IpcBatches { input, decoder, schema, read: 0, charged: 0 })
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(mut bytes) = head(&mut self.input)? {
            let head_len = bytes.len();
            let body_len = u64::try_from(message_of(&bytes)?.bodyLength())
                .map_err(|_| failed("a message of a negative length"))?;
            take(&mut self.input, body_len, &mut bytes)?;
            self.read += bytes.len() as u64;
            let (message, body) = (message_of(&bytes)?, &bytes[head_len..]);
            let kind = message.header_type();
            let batch = match kind {
                MessageHeader::DictionaryBatch => {
                    message.header_as_dictionary_batch().and_then(|own| own.data())
                }
                _ => message.header_as_record_batch(),
            };
            let units = batch.as_ref().map_or(Ok(0), |batch| checked(batch, body))?;
            self.charge(units)?;
            // The decoder takes the length of the head; it never uses the offset.
            let block = Block::new(0, head_len as i32, body_len.cast_signed());
            let buffer = Buffer::from_vec(bytes);
            if kind == MessageHeader::DictionaryBatch {
                self.decoder.read_dictionary(&block, &buffer).map_err(of_arrow)?;
            } else if let Some(batch) =
                self.decoder.read_record_batch(&block, &buffer).map_err(of_arrow)?
            {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn charge(&mut self, units: u64) -> Result<()> {
        self.charged = self.charged.saturating_add(units);
        let budget = LEAST_UNITS.max(self.read.saturating_mul(UNITS_PER_BYTE));
        let is_within = self.charged <= budget;
        is_within.then_some(()).ok_or_else(|| {
            failed(&format!("rows and buffers of {} bytes in {} bytes", self.charged, self.read))
        })
    }
}

impl<R: Read> Iterator for IpcBatches<R> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Result<RecordBatch>> {
        self.next_batch().transpose()
    }
}

/// Appends this many bytes. Memory is taken as they arrive, and not by the number.
fn take(input: &mut impl Read, count: u64, bytes: &mut Vec<u8>) -> Result<()> {
    let before = bytes.len() as u64;
    input.take(count).read_to_end(bytes)?;
    match bytes.len() as u64 - before == count {
        true => Ok(()),
        false => Err(failed("a file that ends early")),
    }
}

/// The head of the next message with its length; none at the end of the stream.
fn head(input: &mut impl Read) -> Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    input.take(4).read_to_end(&mut bytes)?;
    head_after(bytes, input)
}

/// The head of the first message of a file.
fn first_head(input: &mut impl Read) -> Result<Option<Vec<u8>>> {
    loop {
        let mut bytes = Vec::new();
        take(input, 4, &mut bytes)?;
        if bytes != [0; 4] {
            return head_after(bytes, input);
        }
    }
}

/// The head of a message whose first 4 bytes were read.
fn head_after(mut bytes: Vec<u8>, input: &mut impl Read) -> Result<Option<Vec<u8>>> {
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes == CONTINUATION {
        take(input, 4, &mut bytes)?;
    }
    let len = bytes.last_chunk().map(|len| i32::from_le_bytes(*len));
    match len.and_then(|len| u64::try_from(len).ok()) {
        Some(0) => Ok(None),
        Some(len) => take(input, len, &mut bytes).map(|()| Some(bytes)),
        None => Err(failed("a message without a length")),
    }
}

fn message_of(head: &[u8]) -> Result<Message<'_>> {
    let message = head.strip_prefix(&CONTINUATION).unwrap_or(head).get(4..).unwrap_or_default();
    root_as_message(message).map_err(|error| failed(&format!("a bad message: {error}")))
}

/// Checks that the buffers of a batch are in its body. Returns what its rows and decompressed buffers take.
fn checked(batch: &arrow_ipc::RecordBatch<'_>, body: &[u8]) -> Result<u64> {
    let is_compressed = batch.compression().is_some();
    let size = |number: i64| u64::try_from(number).map_err(|_| failed("a negative length"));
    let mut units = size(batch.length())?;
    for node in batch.nodes().into_iter().flatten() {
        units = units.saturating_add(size(node.length())?);
        if node.null_count() < 0 || node.null_count() > node.length() {
            return Err(failed("more nulls than rows"));
        }
    }
    for buffer in batch.buffers().into_iter().flatten() {
        let (start, len) = (size(buffer.offset())?, size(buffer.length())?);
        let end = start.checked_add(len).filter(|end| *end <= body.len() as u64);
        let Some(end) = end else { return Err(failed("a buffer beyond the body of its message")) };
        let own = &body[start as usize..end as usize];
        if is_compressed && !own.is_empty() {
            // The length of what was compressed; -1 if nothing was.
            let Some(len) = own.first_chunk().map(|len| i64::from_le_bytes(*len)) else {
                return Err(failed("a compressed buffer without its length"));
            };
            units = units.saturating_add(if len == -1 { 0 } else { size(len)? });
        }
    }
    Ok(units)
}
