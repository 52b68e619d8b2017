//! Turns frames into blocks, keeps the state between them, and reports damage (F-81 to F-89).

use super::block::StoredBlock;
use super::damage::Damage;
use super::frame::{HEAD, Head, Kind, SCHEMA};
use super::index::Index;
use super::scanner::{Scanner, Step};
use crate::envelope::{Metadata, read_metadata};
use crate::error::{Code, Error, Result};
use crate::input::{Input, Scratch};
use crate::limits::Limits;
use crate::memory::GrowMap;
use crate::schema::{Known, Schema, read_schema};

/// Reads the frames of a stream that arrives in pieces.
#[derive(Debug)]
pub struct FrameParser {
    pub scanner: Scanner,
    limits: Limits,
    /// Schemas that the reader has in addition to those of the stream.
    known: Known,
    /// The last schema read.
    schema: Option<Schema>,
    metadata: Metadata,
    /// The frames so far, unless one was damaged or not read.
    index: Option<Index>,
    /// The number of values before the next block.
    values: u64,
    goes_on: bool,
    /// Whether an end frame may be followed by more frames, as after an append.
    follows: bool,
    /// Whether an end frame was read, valid or not.
    is_ended: bool,
}

/// The next step of a reader.
#[derive(Debug)]
pub enum Event {
    /// At least this many more bytes are needed.
    More(usize),
    /// A frame without values was read.
    Passed,
    Block(StoredBlock),
    Damage(Damage),
    /// The end of the stream.
    End,
    /// The input has ended before the stream.
    Nothing,
}

impl FrameParser {
    pub fn new() -> FrameParser {
        let limits = Limits::new();
        FrameParser {
            scanner: Scanner::new(limits.frame_bytes(), false),
            limits,
            known: Known::default(),
            schema: None,
            metadata: Metadata::default(),
            index: Some(Index::default()),
            values: 0,
            goes_on: false,
            follows: false,
            is_ended: false,
        }
    }

    /// A parser of the same stream from its beginning.
    pub fn anew(&self) -> FrameParser {
        let mut parser = FrameParser::new();
        (parser.limits, parser.known) = (self.limits, self.known.clone());
        parser.go_on(self.goes_on);
        parser
    }

    /// A parser of the same stream from a later frame.
    pub fn within(mut self, scanner: Scanner, values: u64) -> FrameParser {
        (self.scanner, self.index, self.values) = (scanner, None, values);
        self.go_on(self.goes_on);
        self
    }

    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
        self.go_on(self.goes_on);
    }

    pub fn go_on(&mut self, goes_on: bool) {
        self.goes_on = goes_on;
        // Bytes that have not arrived look like damage until more follow.
        self.scanner.set(self.limits.frame_bytes(), goes_on || self.follows);
    }

    pub fn follow(&mut self) {
        self.follows = true;
        self.go_on(self.goes_on);
    }

    pub fn add_schema(&mut self, schema: &Schema) {
        self.known.added.put(schema.fingerprint(), schema.clone());
    }

    /// Replaces the schemas that the reader has in addition to those of the stream.
    pub fn know(&mut self, known: &Known) {
        self.known = known.clone();
    }

    /// Records that a block was damaged, as its reader found (F-89).
    pub fn note_fault(&mut self) {
        self.index = None;
    }

    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    pub fn set_schema(&mut self, schema: Schema) {
        self.schema = Some(schema);
    }

    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The number of the next block's first value.
    pub fn values(&self) -> u64 {
        self.values
    }

    /// The next step. At the end of the input, it uses the bytes that are there.
    pub fn step(&mut self, ended: bool) -> Result<Event> {
        if self.is_ended {
            return Ok(Event::End);
        }
        let (head, at) = match self.scanner.step(ended)? {
            Step::More(bytes) => return Ok(Event::More(bytes)),
            Step::Nothing => return Ok(Event::Nothing),
            Step::Damage(damage) => {
                self.index = None;
                return Ok(Event::Damage(damage));
            }
            Step::Frame(head, at) => (head, at),
        };
        match self.frame(&head, at) {
            Ok(event) => Ok(event),
            Err(error) => {
                self.index = None;
                if self.goes_on {
                    // A block's bytes may have been taken; the block then precedes the buffer.
                    if self.scanner.offset() == at {
                        self.scanner.pass(&head);
                    }
                    self.is_ended = head.kind == Kind::End;
                }
                let own = head.sequence..head.sequence + 1;
                Ok(Event::Damage(Damage::new(at, head.frame_len(), error).without(own)))
            }
        }
    }

    /// Reads the payload of an intact frame by its kind (F-84), and checks that it may follow the frames before it (F-90).
    fn frame(&mut self, head: &Head, at: u64) -> Result<Event> {
        head.check_fields(at)?;
        let payload_at = at + HEAD as u64;
        let moved = |error: Error| error.moved_by(payload_at);
        let event = match head.kind {
            Kind::Metadata => {
                let payload = self.scanner.payload(head);
                self.metadata = metadata_of(payload, self.limits).map_err(moved)?;
                Event::Passed
            }
            Kind::Schema => {
                let payload = self.scanner.payload(head);
                let schema = schema_of(payload, self.limits).map_err(moved)?;
                if schema.fingerprint() != head.schema {
                    return Err(Error::in_stream(Code::BadFrame, at + SCHEMA)
                        .expected(format!("the fingerprint {:016x}", schema.fingerprint()))
                        .got(format!("{:016x}", head.schema)));
                }
                self.schema = Some(schema);
                Event::Passed
            }
            Kind::Statistics | Kind::Later(_) => Event::Passed,
            Kind::Block => {
                let schema = self.schema_of_block(head, at)?;
                let (bytes, payload) = self.scanner.take(head);
                let (limits, first) = (self.limits, self.values);
                let block = StoredBlock::read(bytes, payload, payload_at, schema, limits)?;
                let block = block.numbered(first);
                // More than the largest possible number are not counted.
                self.values = first.saturating_add(block.len());
                if let Some(index) = &mut self.index {
                    index.add(head.frame_len(), block.len());
                }
                return Ok(Event::Block(block));
            }
            Kind::End => {
                if self.follows {
                    // The end is cut off before an append, and read again otherwise.
                    return Ok(Event::End);
                }
                // F-89: after damage, the end's counts are not compared.
                if let known @ Some(_) = self.index.as_ref() {
                    let payload = self.scanner.payload(head);
                    Index::read(payload, head.sequence, at, known, |_| {}).map_err(moved)?;
                }
                self.is_ended = true;
                Event::End
            }
        };
        self.scanner.pass(head);
        if let (Some(index), false) = (&mut self.index, head.kind == Kind::End) {
            index.add(head.frame_len(), 0);
        }
        Ok(event)
    }

    /// The last schema read, or a schema that the reader knows (F-84).
    fn schema_of_block(&self, head: &Head, at: u64) -> Result<Schema> {
        match &self.schema {
            Some(schema) if schema.fingerprint() == head.schema => Ok(schema.clone()),
            // No machine's memory reaches such an offset. The error's offset is set below.
            _ => self.known.schema(head.schema, 0).map_err(|error| error.moved_by(at + SCHEMA)),
        }
    }
}

pub fn metadata_of(payload: &[u8], limits: Limits) -> Result<Metadata> {
    let scratch = Scratch::default();
    read_all_metadata(Input::new(payload, limits.budget_for(payload.len()), &scratch))
}

pub fn schema_of(payload: &[u8], limits: Limits) -> Result<Schema> {
    let scratch = Scratch::default();
    read_all_schema(Input::new(payload, limits.budget_for(payload.len()), &scratch))
}

pub fn read_all_metadata(mut input: Input<'_>) -> Result<Metadata> {
    let pairs = read_metadata(&mut input)?;
    at_end(&input)?;
    Ok(Metadata::of_distinct(&pairs))
}

pub fn read_all_schema(mut input: Input<'_>) -> Result<Schema> {
    let schema = read_schema(&mut input, true)?;
    at_end(&input)?;
    Ok(schema)
}

fn at_end(input: &Input<'_>) -> Result<()> {
    match input.remaining() {
        0 => Ok(()),
        left => Err(Error::at(Code::TrailingBytes, input.position())
            .expected("the end of the frame's payload")
            .got(format!("{left} more bytes"))),
    }
}
