//! Streams and messages from bytes that are pushed in, for event loops.

use alloc::boxed::Box;
use alloc::vec::Vec;

use holdall_format::stream::{Event, FrameParser};

use super::block::Block;
use crate::envelope::{MAGIC, message_len_within};
use crate::error::{Code, Error, LooksLike, PREFIX, Result};
use crate::limits::Limits;
use crate::memory::{self, GrowVec};
use crate::schema::Schema;

/// The first byte of a stream, which no message begins with.
const STREAM: u8 = 0xF1;

/// Takes the bytes of a connection in pieces of any size, and returns blocks of streams and complete messages, in
/// order. It takes no byte past an item: [`Feeder::feed`] returns how many it took.
///
/// Messages must begin with their length; see [`Encoder::length`](crate::Encoder::length).
///
/// ```
/// use holdall::stream::{Feeder, Item};
/// use holdall::{Encoder, Writer};
///
/// let mut bytes = Encoder::new().length(true).encode(&1_u8)?;
/// let mut writer = Writer::new(Vec::new())?;
/// writer.write(&2_u8)?;
/// bytes.extend(writer.finish()?);
///
/// let (mut feeder, mut got) = (Feeder::new(), Vec::new());
/// for piece in bytes.chunks(3) {
///     let mut piece = piece;
///     while !piece.is_empty() {
///         let (taken, item) = feeder.feed(piece)?;
///         piece = &piece[taken..];
///         match item {
///             None => {}
///             Some(Item::Message(message)) => got.push(holdall::from_slice::<u8>(&message)?),
///             Some(Item::Block(block)) => got.extend(block.decode::<u8>()?),
///             Some(Item::End) => got.push(0), // of the stream
///         }
///     }
/// }
/// assert_eq!(got, [1, 2, 0]);
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Debug)]
pub struct Feeder {
    limits: Limits,
    schemas: Vec<Schema>,
    state: FeederState,
    failed: Option<Error>,
}

#[derive(Debug)]
enum FeederState {
    /// Nothing yet, or the first bytes of an item.
    Begun(Vec<u8>),
    /// A message of this many bytes.
    Message(Vec<u8>, usize),
    Stream(Box<FrameParser>),
}

/// An item of a connection.
#[derive(Clone, Debug)]
pub enum Item {
    /// A complete message.
    Message(Vec<u8>),
    /// Values of a stream.
    Block(Block),
    /// The end of a stream; another stream or a message can follow.
    End,
}

impl Default for Feeder {
    fn default() -> Self {
        Feeder::new()
    }
}

impl Feeder {
    /// Creates a feeder, which expects a stream or a message.
    #[must_use]
    pub fn new() -> Feeder {
        let state = FeederState::Begun(Vec::new());
        Feeder { limits: Limits::new(), schemas: Vec::new(), state, failed: None }
    }

    /// Sets the limits. [`Limits::frame`] also bounds the bytes of a message.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Feeder {
        self.limits = limits;
        self
    }

    /// Adds a schema, for blocks whose own did not arrive.
    pub fn add_schema(&mut self, schema: &Schema) {
        self.schemas.put(schema.clone());
    }

    /// Whether an item is incomplete: then the connection must not end here.
    #[must_use]
    pub fn is_within(&self) -> bool {
        !matches!(&self.state, FeederState::Begun(bytes) if bytes.is_empty())
    }

    /// Takes bytes up to the end of the next item, or all of them. Returns how many, and the item. Feed the rest
    /// again.
    ///
    /// # Errors
    /// The faults of the spec's chapters 3 and 14, with offsets from the first byte of the stream or message; every
    /// later call returns the same error. `limit_budget` for a message longer than [`Limits::frame`].
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(usize, Option<Item>)> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let mut taken = 0;
        loop {
            let (needed, item) = match memory::guarded(|| self.step()) {
                Ok(step) => step,
                Err(mut error) => {
                    if let (FeederState::Begun(begun), Code::BadMagic) = (&self.state, error.code())
                    {
                        // Too few bytes to recognise a wrong format; more say better which one it is.
                        let rest = &bytes[taken..];
                        let rest = &rest[..rest.len().min(PREFIX)];
                        error = error.looking_like(LooksLike::of(&[begun, rest].concat()));
                    }
                    self.failed = Some(error.clone());
                    return Err(error);
                }
            };
            if item.is_some() {
                return Ok((taken, item));
            }
            let count = needed.min(bytes.len() - taken);
            if count == 0 {
                return Ok((taken, None));
            }
            let buffer = match &mut self.state {
                FeederState::Begun(buffer) | FeederState::Message(buffer, _) => buffer,
                FeederState::Stream(parser) => parser.scanner.buffer(),
            };
            if buffer.try_reserve(count).is_err() {
                let error = Error::new(Code::OutOfMemory);
                self.failed = Some(error.clone());
                return Err(error);
            }
            buffer.put_slice(&bytes[taken..taken + count]);
            taken += count;
        }
    }

    /// Returns how many bytes are needed next, or a complete item.
    fn step(&mut self) -> Result<(usize, Option<Item>)> {
        match &mut self.state {
            FeederState::Begun(bytes) => match bytes[..] {
                // Every message and stream has at least 2 bytes.
                [] | [_] => Ok((2 - bytes.len(), None)),
                [MAGIC, STREAM, ..] => {
                    let mut parser = Box::new(FrameParser::new());
                    parser.limit(self.limits);
                    self.schemas.iter().for_each(|schema| parser.add_schema(schema));
                    parser.scanner.buffer().append(bytes);
                    self.state = FeederState::Stream(parser);
                    self.step()
                }
                _ => match message_len_within(bytes, self.limits)? {
                    None => Ok((1, None)),
                    Some(len) => {
                        self.state = FeederState::Message(core::mem::take(bytes), len);
                        self.step()
                    }
                },
            },
            FeederState::Message(bytes, len) => match *len - bytes.len() {
                0 => {
                    let message = core::mem::take(bytes);
                    self.state = FeederState::Begun(Vec::new());
                    Ok((0, Some(Item::Message(message))))
                }
                left => Ok((left, None)),
            },
            FeederState::Stream(parser) => loop {
                match parser.step(false)? {
                    Event::More(bytes) => return Ok((bytes, None)),
                    Event::Block(block) => return Ok((0, Some(Item::Block(block.into())))),
                    Event::Damage(damage) => return Err(damage.error().clone()),
                    Event::Passed => {}
                    Event::End | Event::Nothing => {
                        self.state = FeederState::Begun(Vec::new());
                        return Ok((0, Some(Item::End)));
                    }
                }
            },
        }
    }
}
