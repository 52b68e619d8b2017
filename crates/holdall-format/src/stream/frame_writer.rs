//! Writes the frames of a stream.

use alloc::vec::Vec;

use crate::memory::{self, GrowVec};
use std::io::{self, Write};

use super::frame::{self, Head, Kind, SIGNATURE, Sync};
use super::index::Index;
use crate::envelope::Metadata;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::schema::Schema;

/// The schema is written again after this many blocks (F-90), so that a damaged frame costs no more than these.
const BLOCKS_PER_SCHEMA: u64 = 64;

/// Writes frames in order and numbers them (F-90). After a frame that was only partly written, no frame can follow.
#[derive(Debug)]
pub struct FrameWriter<W: Write> {
    out: W,
    /// Returns the length of the output, if it is a file that others could truncate.
    len_of: Option<fn(&W) -> io::Result<u64>>,
    sync: Sync,
    /// The fingerprint of the last schema written.
    schema: Option<u64>,
    /// The number of blocks that this writer wrote, and of those since the last schema.
    blocks: u64,
    since_schema: u64,
    index: Index,
    /// A reused buffer for a frame.
    frame: Vec<u8>,
    /// The largest frame in bytes.
    largest: u64,
    failed: bool,
}

impl<W: Write> FrameWriter<W> {
    /// Begins a stream: the signature, then a frame of metadata if there are some (F-81, F-84).
    pub fn begin(
        out: W,
        sync: Sync,
        metadata: &Metadata,
        limits: Limits,
    ) -> Result<FrameWriter<W>> {
        let mut writer = FrameWriter::within(out, sync, Index::default(), None, limits);
        let mut bytes = [SIGNATURE, sync].concat();
        if !metadata.is_empty() {
            let (start, mut payload) = (bytes.len(), Vec::new());
            metadata.write(&mut payload);
            writer.head(Kind::Metadata, payload.len(), 0).write(sync, &mut bytes)?;
            bytes.put_slice(&payload);
            frame::close(&mut bytes, start);
            writer.index.add((bytes.len() - start) as u64, 0);
        }
        writer.put(&bytes)?;
        Ok(writer)
    }

    /// Continues a stream that already has frames, the last schema among them.
    pub fn within(
        out: W,
        sync: Sync,
        index: Index,
        schema: Option<u64>,
        limits: Limits,
    ) -> FrameWriter<W> {
        FrameWriter {
            out,
            len_of: None,
            sync,
            schema,
            blocks: 0,
            since_schema: 0,
            index,
            frame: Vec::new(),
            largest: limits.frame_bytes(),
            failed: false,
        }
    }

    /// Checks before each frame that the output still has all frames, by this function that returns its length.
    #[must_use]
    pub fn checked_by(mut self, len_of: fn(&W) -> io::Result<u64>) -> FrameWriter<W> {
        self.len_of = Some(len_of);
        self
    }

    /// The number of values in all blocks of the stream.
    pub fn values(&self) -> u64 {
        self.index.values()
    }

    /// The number of blocks that this writer has written.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Flushes all frames to the output.
    pub fn flush(&mut self) -> Result<()> {
        self.pass_on(W::flush)
    }

    /// Flushes with a function of the output.
    pub fn pass_on(&mut self, by: impl FnOnce(&mut W) -> io::Result<()>) -> Result<()> {
        let done = by(&mut self.out);
        self.done(done)
    }

    /// Writes a frame with statistics of blocks (F-100).
    pub fn put_statistics(&mut self, payload: &[u8]) -> Result<()> {
        let mut bytes = memory::with_capacity(payload.len() + 64);
        self.head(Kind::Statistics, payload.len(), 0).write(self.sync, &mut bytes)?;
        bytes.put_slice(payload);
        frame::close(&mut bytes, 0);
        self.put(&bytes)?;
        self.index.add(bytes.len() as u64, 0);
        Ok(())
    }

    /// Writes the end of the stream.
    pub fn finish(mut self) -> Result<W> {
        let mut payload = Vec::new();
        self.index.write(&mut payload);
        let mut bytes = memory::with_capacity(payload.len() + 64);
        self.head(Kind::End, payload.len(), 0).write(self.sync, &mut bytes)?;
        bytes.put_slice(&payload);
        frame::close(&mut bytes, 0);
        self.put(&bytes)?;
        self.flush()?;
        Ok(self.out)
    }

    /// Writes a block of `values` values; `payload` appends its payload to a frame. A changed schema is written first.
    pub fn put_block(
        &mut self,
        schema: &Schema,
        values: u64,
        payload: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let mut frame = core::mem::take(&mut self.frame);
        frame.clear();
        self.schema_frame(schema, &mut frame)?;
        let start = frame.len();
        frame.put_fill(start + frame::HEAD, 0);
        payload(&mut frame)?;
        let sequence = self.index.frames() + u64::from(start > 0);
        let (len, most) = ((frame.len() - start - frame::HEAD) as u64, self.largest);
        if len > most {
            // No reader would accept it by default.
            return Err(Error::new(Code::LimitOutput)
                .expected(format!("a block of at most {most} bytes, as Limits::frame says"))
                .got(format!("{len} bytes")));
        }
        let schema = schema.fingerprint();
        let head = Head { kind: Kind::Block, len, sequence, schema };
        let mut bytes = memory::with_capacity(frame::HEAD);
        head.write(self.sync, &mut bytes)?;
        frame[start..start + frame::HEAD].copy_from_slice(&bytes);
        frame::close(&mut frame, start);
        self.put(&frame)?;
        if start > 0 {
            self.index.add(start as u64, 0);
            self.since_schema = 0;
        }
        self.index.add((frame.len() - start) as u64, values);
        self.schema = Some(schema);
        self.blocks += 1;
        self.since_schema += 1;
        self.frame = frame;
        Ok(())
    }

    /// Appends the frame of a schema (F-84), if the next block needs one before it.
    fn schema_frame(&self, schema: &Schema, out: &mut Vec<u8>) -> Result<()> {
        let is_known = self.schema == Some(schema.fingerprint());
        if is_known && self.since_schema < BLOCKS_PER_SCHEMA {
            return Ok(());
        }
        let bytes = schema.as_bytes();
        self.head(Kind::Schema, bytes.len(), schema.fingerprint()).write(self.sync, out)?;
        out.put_slice(bytes);
        frame::close(out, 0);
        Ok(())
    }

    fn head(&self, kind: Kind, len: usize, schema: u64) -> Head {
        Head { kind, len: len as u64, sequence: self.index.frames(), schema }
    }

    /// Accepts no more frames: the last one may be incomplete.
    pub fn stop(&mut self) {
        self.failed = true;
    }

    pub fn check(&self) -> Result<()> {
        match self.failed {
            false => Ok(()),
            true => Err(Error::new(Code::Io)
                .expected("a stream whose earlier writes succeeded")
                .got("one with a failed write")),
        }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some(len_of) = self.len_of {
            let (expected, len) = (self.index.end(), len_of(&self.out)?);
            if len < expected {
                self.failed = true;
                return Err(Error::new(Code::Io)
                    .expected(format!("the {expected} bytes that were written to the file"))
                    .got(format!("{len} bytes: something else truncated it")));
            }
        }
        let written = self.out.write_all(bytes);
        self.done(written)
    }

    pub fn done(&mut self, done: io::Result<()>) -> Result<()> {
        self.failed |= done.is_err();
        Ok(done?)
    }
}
