//! The meaning of each byte of a stream, for inspection.

use alloc::vec::Vec;
use core::ops::Range;

use super::block::StoredBlock;
use super::damage::{missing_end, trailing_bytes};
use super::frame::{
    HEAD, HEAD_CHECKSUM, Head, KIND, Kind, LENGTH, PREAMBLE, SCHEMA, SEQUENCE, SIGNATURE, check,
};
use super::index::Index;
use super::parser::{Event, FrameParser, read_all_metadata, read_all_schema};
use crate::error::Result;
use crate::input::trace::{Field, FieldForm, Part, Tracer, field};
use crate::input::{Input, Scratch};
use crate::limits::Limits;
use crate::memory::GrowVec;
use crate::message::{Trace, TracedColumn, TracedSchemas};
use crate::schema::Known;

/// Bytes that a parser receives at once.
const CHUNK: usize = 1 << 16;

/// Explains each byte of a stream as far as possible, with the first of the values. The stream may be damaged or lack its
/// end: errors are part of the result.
#[must_use]
pub fn trace(stream: &[u8], limits: Limits, known: &Known) -> Trace {
    let mut own = StreamTracer {
        stream,
        limits,
        tracer: Tracer::new(),
        schemas: TracedSchemas::default(),
        columns: Vec::new(),
        blocks: 0,
    };
    let mut parser = FrameParser::new();
    parser.limit(limits);
    parser.go_on(true);
    parser.know(known);
    own.preamble();
    let mut rest = stream;
    loop {
        let at = (parser.scanner.offset() as usize).max(PREAMBLE);
        match parser.step(rest.is_empty()) {
            Ok(Event::More(bytes)) => {
                let (next, later) = rest.split_at(bytes.max(CHUNK).min(rest.len()));
                parser.scanner.buffer().put_slice(next);
                rest = later;
            }
            Ok(Event::Passed) => own.frame(at),
            Ok(Event::Block(block)) => {
                own.frame(at);
                if let Err(error) = own.block(&block) {
                    // F-89: after a fault, the contents of the end are not compared.
                    parser.note_fault();
                    own.tracer.stop(error);
                }
            }
            Ok(Event::Damage(damage)) => {
                own.tracer.stop(damage.error().clone());
                if damage.skipped() > 0 {
                    own.frame(damage.offset() as usize);
                }
            }
            Ok(Event::End) => {
                own.frame(at);
                let (end, len) = (parser.scanner.offset(), stream.len() as u64);
                if end < len {
                    own.tracer.stop(trailing_bytes(end, len - end));
                }
                break;
            }
            Ok(Event::Nothing) => {
                if !parser.scanner.is_cut_off() {
                    own.tracer.stop(missing_end(stream.len() as u64));
                }
                break;
            }
            Err(error) => {
                own.tracer.stop(error);
                break;
            }
        }
    }
    Trace::of(own.tracer, own.schemas, own.columns, stream.len())
}

struct StreamTracer<'s> {
    stream: &'s [u8],
    limits: Limits,
    tracer: Tracer,
    schemas: TracedSchemas,
    columns: Vec<TracedColumn>,
    /// The number of blocks so far.
    blocks: usize,
}

const TEXT: usize = 8;

impl StreamTracer<'_> {
    /// The fields before the frames, as far as they are those of a stream (F-81).
    fn preamble(&mut self) {
        self.tracer.enter(Part::Envelope, None);
        let is = |range: Range<usize>| self.stream.get(range.clone()) == Some(&SIGNATURE[range]);
        let fields = [
            (0..1, field("the magic byte of holdall", "F-81")),
            (1..2, field("a stream, version 1", "F-81")),
            (2..TEXT, field("the text of a stream", "F-81")),
        ];
        for (range, what) in fields {
            if !is(range.clone()) {
                return;
            }
            self.tracer.record(range, what, None);
        }
        if self.stream.len() >= PREAMBLE {
            self.tracer.record(TEXT..PREAMBLE, field("the sync of the frames", "F-81"), None);
        }
    }

    /// A frame at an offset, if the bytes there are the head of one: all fields but the columns of a block.
    fn frame(&mut self, at: usize) {
        let rest = &self.stream[at..];
        let Some(bytes) = rest.first_chunk::<HEAD>() else { return };
        let sync = self.stream[TEXT..PREAMBLE].try_into().unwrap_or_default();
        let Ok(head) = Head::read(bytes, sync, at as u64) else { return };
        self.head(at, &head);
        let Ok(len) = usize::try_from(head.frame_len()) else { return };
        let Some(frame) = rest.get(..len) else { return };
        if check(frame, &head, at as u64).is_err() {
            return;
        }
        let payload = HEAD..HEAD + head.len as usize;
        // The parser has reported the fault, if there is one.
        let _ = self.payload(&head, at, &frame[payload.clone()]);
        self.tracer.place(at, 0);
        self.tracer.enter(Part::Envelope, None);
        let checksum = len - 4;
        let padding = field("padding", "F-82").form(FieldForm::Padding);
        self.tracer.record(payload.end..checksum, padding, None);
        let sum = field("the checksum of the frame (CRC-32C)", "F-82").form(FieldForm::Checksum);
        self.tracer.record(checksum..len, sum, None);
    }

    fn head(&self, at: usize, head: &Head) {
        let kind = match head.kind {
            Kind::Metadata => "a frame of metadata",
            Kind::Schema => "a frame with a schema",
            Kind::Block => "a frame with a block",
            Kind::Statistics => "a frame with statistics",
            Kind::End => "the end",
            Kind::Later(_) => "a frame of a later version",
        };
        let schema = match head.schema {
            0 => field("no schema", "F-83"),
            _ => field("a fingerprint", "F-83").form(FieldForm::Fingerprint),
        };
        self.tracer.place(at, 0);
        self.tracer.enter(Part::Envelope, None);
        let record = |from: u64, to: u64, field: Field, number: Option<u64>| {
            self.tracer.record(from as usize..to as usize, field, number);
        };
        record(0, KIND, field("a frame: the sync", "F-82"), None);
        record(KIND, LENGTH, field(kind, "F-84"), None);
        record(LENGTH, SEQUENCE, field("the length of the payload", "F-83"), Some(head.len));
        record(SEQUENCE, SCHEMA, field("the number of the frame", "F-83"), Some(head.sequence));
        record(SCHEMA, HEAD_CHECKSUM, schema, None);
        let sum = field("the checksum of the head (CRC-32C)", "F-83");
        record(HEAD_CHECKSUM, HEAD as u64, sum, None);
    }

    /// The payload of a frame, by its kind (F-84).
    fn payload(&mut self, head: &Head, at: usize, payload: &[u8]) -> Result<()> {
        let scratch = Scratch::default();
        let next_site = self.schemas.next_site();
        self.tracer.place(at + HEAD, next_site);
        let budget = self.limits.budget_for(payload.len());
        let input = Input::new(payload, budget, &scratch).traced(&self.tracer);
        let all = 0..payload.len();
        match head.kind {
            Kind::Metadata => read_all_metadata(input).map(drop),
            Kind::Schema => {
                self.tracer.enter(Part::Schema, None);
                let schema = read_all_schema(input)?;
                self.schemas.add(schema);
                Ok(())
            }
            Kind::Statistics => {
                let what = field("statistics of blocks", "F-100").form(FieldForm::Statistics);
                self.tracer.record(all, what, None);
                Ok(())
            }
            Kind::Later(_) => {
                let what = field("the payload of a later version", "F-84").form(FieldForm::Later);
                self.tracer.record(all, what, None);
                Ok(())
            }
            Kind::End => Index::read_from(input, head.sequence, at as u64, None, |_| {}).map(drop),
            // Only with its schema does it have a meaning.
            Kind::Block => Ok(()),
        }
    }

    fn block(&mut self, block: &StoredBlock) -> Result<()> {
        let schema = block.schema();
        let first_site = self.schemas.first_site(schema.fingerprint()).unwrap_or_else(|| {
            // One that the caller gave.
            let first_site = self.schemas.next_site();
            self.schemas.add(schema.clone());
            first_site
        });
        self.blocks += 1;
        self.columns.put_each(block.trace(&self.tracer, first_site, self.blocks - 1)?);
        Ok(())
    }
}
