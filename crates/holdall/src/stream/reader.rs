//! Reads a stream from its beginning to its end.

use alloc::boxed::Box;
use alloc::vec::{self, Vec};
use std::io::Read;

use holdall_format::stream::{Damage, Event, FrameParser, OnDamage, missing_end, trailing_bytes};

use super::ahead::BlocksAhead;
use super::block::Block;
use super::by_number::BlockOffsets;
use crate::decoder::Decoder;
use crate::envelope::Metadata;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::memory::{self, Grow, GrowVec};
use crate::schema::Schema;
use crate::typed::DecodeOwned;

/// Reserves at most this much before bytes arrive: a length can claim anything.
const ROOM: usize = 4 << 20;

/// Reads the values of a stream, with one block of them in memory, from a file, pipe, socket or slice.
///
/// It takes exactly the bytes of the stream from the input, and none of what follows. It reads a frame's head and
/// then the rest of the frame, so a buffer in between helps only with very small blocks.
///
/// ```
/// use holdall::{Reader, Value, Writer};
///
/// let mut writer = Writer::new(Vec::new())?;
/// writer.write(&Value::from(1))?;
/// writer.write(&Value::from("two"))?;
/// let mut bytes = writer.finish()?;
/// bytes.extend(b"the next bytes");
///
/// let mut input = &bytes[..];
/// let values: Result<Vec<Value>, _> = Reader::new(&mut input).values().collect();
/// assert_eq!(values?, [Value::from(1), Value::from("two")]);
/// assert_eq!(input, b"the next bytes");
/// # Ok::<(), holdall::Error>(())
/// ```
pub struct Reader<R> {
    pub(super) input: R,
    pub(super) parser: FrameParser,
    pub(super) decoder: Decoder,
    pub(super) limits: Limits,
    pub(super) on_damage: OnDamage,
    damage: Vec<Damage>,
    /// Blocks that were read and not returned yet.
    ahead: BlocksAhead,
    /// The number of values of the next block before the one to read next.
    pub(super) skip: u64,
    state: ReaderState,
    takes_unfinished: bool,
    /// Whether more bytes after the stream are an error.
    is_all: bool,
    pub(super) follow: Option<Follow<R>>,
    /// Returns to an offset if the input was read elsewhere.
    pub(super) moved: Option<Seek<R>>,
    /// Where the blocks are, found at the first use.
    pub(super) offsets: Option<BlockOffsets>,
}

/// Seeks to an offset of the input, and returns the input's length.
pub(super) type Seek<R> = fn(&mut R, u64) -> Result<u64>;

/// Waits for more input.
pub(super) struct Follow<R> {
    pub(super) wait: Box<dyn FnMut() -> bool + Send>,
    pub(super) seek: Seek<R>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReaderState {
    Reading,
    Ended,
    /// The input ended before the stream did.
    Stopped,
    /// An error was returned; nothing follows it.
    Failed,
}

impl<R> Reader<R> {
    /// Creates a reader of the stream that begins at the input's position.
    #[must_use]
    pub fn new(input: R) -> Reader<R> {
        Reader {
            input,
            parser: FrameParser::new(),
            decoder: Decoder::new(),
            limits: Limits::new(),
            on_damage: OnDamage::Error,
            damage: Vec::new(),
            ahead: BlocksAhead::default(),
            skip: 0,
            state: ReaderState::Reading,
            takes_unfinished: false,
            is_all: false,
            follow: None,
            moved: None,
            offsets: None,
        }
    }

    /// Creates a reader with the limits and schemas of a decoder.
    #[must_use]
    pub fn with_decoder(input: R, decoder: &Decoder) -> Reader<R> {
        let mut reader = Reader::new(input).limits(decoder.messages.limits);
        reader.parser.know(&decoder.messages.known);
        reader.decoder = decoder.clone();
        reader
    }

    /// Sets how to handle damage.
    #[must_use]
    pub fn on_damage(mut self, on_damage: OnDamage) -> Reader<R> {
        self.on_damage = on_damage;
        self.parser.go_on(on_damage == OnDamage::Skip);
        self
    }

    /// Sets whether a stream may lack its end, because it is still being written or its writer died. By default a
    /// missing end is `truncated`. If it may, bytes at the end that are only the beginning of a frame are ignored, too.
    #[must_use]
    pub fn unfinished(mut self, takes: bool) -> Reader<R> {
        self.takes_unfinished = takes;
        self
    }

    /// Sets whether the stream must be the entire input: then more bytes are `trailing_bytes`. By default they are
    /// left in the input.
    #[must_use]
    pub fn whole(mut self, is_all: bool) -> Reader<R> {
        self.is_all = is_all;
        self
    }

    /// Sets the limits. [`Limits::frame`] bounds the bytes of a frame; all others apply to each block.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Reader<R> {
        self.limits = limits;
        self.parser.limit(limits);
        self.decoder = core::mem::take(&mut self.decoder).limits(limits);
        self
    }

    /// Sets how many threads read: 0 for as many as the machine runs at once, 1 by default. The thread of the program
    /// makes the values; the others read the columns of the blocks that follow, up to two blocks for each thread.
    ///
    /// Values, errors and their order stay the same. [`Reader::offset`] and [`Reader::damage`] count what was read ahead, and so does
    /// the position of the input. A reader that follows a growing stream reads nothing ahead. A pipe or socket is read ahead, too: a
    /// value waits until the blocks behind it have arrived.
    ///
    /// ```
    /// use holdall::{Reader, Writer};
    ///
    /// let mut writer = Writer::new(Vec::new())?;
    /// (0..1000).try_for_each(|n: u64| writer.write(&n))?;
    /// let bytes = writer.finish()?;
    ///
    /// let mut reader = Reader::new(&bytes[..]).threads(0);
    /// let sum = reader.values::<u64>().sum::<Result<u64, _>>()?;
    /// assert_eq!(sum, 499_500);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Reader<R> {
        self.ahead.set_threads(threads);
        self
    }

    /// Adds a schema, for blocks whose own was lost.
    pub fn add_schema(&mut self, schema: &Schema) {
        self.parser.add_schema(schema);
    }

    /// Returns the damage skipped so far, by [`OnDamage::Skip`].
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Whether the end of the stream has been read.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.state == ReaderState::Ended && self.ahead.is_empty()
    }

    /// Returns the number of the next value, counted from 0. Lost values are not counted: their number is unknown.
    #[must_use]
    pub fn position(&self) -> u64 {
        let first = self.ahead.first().map_or(self.parser.values(), Block::first);
        first + self.skip
    }

    /// Returns the offset of the next frame in the stream.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.parser.scanner.offset()
    }

    /// Returns the input, positioned after the bytes read, and bytes that were read but belong to no frame. There
    /// are such bytes only where damage looked like the beginning of a frame.
    #[must_use]
    pub fn into_parts(self) -> (R, Vec<u8>) {
        (self.input, self.parser.scanner.into_rest())
    }

    /// Notes a fault that [`Block::emit`] found in a block as damage: returns it as an error, or reports it in
    /// [`Reader::damage`]. Discard the block's values.
    ///
    /// # Errors
    /// The fault, if damage is an error.
    pub fn note_block(&mut self, block: &Block, error: Error) -> Result<()> {
        let place = block.place();
        let noted = self.note(Damage::new(place.start, place.end - place.start, error));
        if noted.is_err() {
            self.ahead.clear();
        }
        noted
    }

    pub(super) fn restart(&mut self, parser: FrameParser, skip: u64) {
        (self.parser, self.skip) = (parser, skip);
        self.ahead.clear();
        self.state = ReaderState::Reading;
    }

    fn failed(&mut self, error: Error) -> Error {
        self.state = ReaderState::Failed;
        error
    }

    /// Returns damage as an error, or notes it.
    fn note(&mut self, damage: Damage) -> Result<()> {
        if damage.error().code() == Code::OutOfMemory {
            return Err(self.failed(damage.error().clone()));
        }
        match self.on_damage {
            OnDamage::Error => Err(self.failed(damage.error().clone())),
            OnDamage::Skip => {
                self.parser.note_fault();
                self.damage.put(damage);
                Ok(())
            }
        }
    }
}

impl<R: Read> Reader<R> {
    /// Returns the metadata of the stream. Reads no block if there is metadata.
    ///
    /// # Errors
    /// As [`Reader::next_block`].
    pub fn metadata(&mut self) -> Result<&Metadata> {
        if self.parser.scanner.next_sequence() == 0 && self.state == ReaderState::Reading {
            self.advance(|_| true)?;
        }
        Ok(self.parser.metadata())
    }

    /// Returns the schema of the next values without reading a block. None after the last value.
    ///
    /// # Errors
    /// As [`Reader::next_block`].
    pub fn schema(&mut self) -> Result<Option<&Schema>> {
        if self.parser.schema().is_none() && self.state == ReaderState::Reading {
            self.advance(|parser| parser.schema().is_some())?;
        }
        Ok(match self.ahead.first() {
            Some(block) => Some(block.schema()),
            None => self.parser.schema(),
        })
    }

    /// Reads frames until a condition holds or a block arrives, which is then pending.
    fn advance(&mut self, holds: impl Fn(&FrameParser) -> bool) -> Result<()> {
        while self.ahead.is_empty() {
            match self.event()? {
                None => return Ok(()),
                Some(Event::Block(block)) => self.ahead.add(block.into(), self.follow.is_some()),
                Some(_) if holds(&self.parser) => return Ok(()),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Returns the next block; none at the end of the stream.
    ///
    /// # Errors
    /// `io`; every fault of the spec's chapter 14, with its offset in the stream, if damage is an error. Faults of
    /// the preamble are always errors.
    pub fn next_block(&mut self) -> Result<Option<Block>> {
        while self.ahead.wants_more(self.follow.is_some()) {
            match self.event() {
                Ok(None) => break,
                Ok(Some(Event::Block(block))) => {
                    self.ahead.add(block.into(), self.follow.is_some());
                }
                Ok(Some(_)) => {}
                Err(error) => self.ahead.fail(error),
            }
        }
        self.ahead.next().transpose()
    }

    /// Returns the remaining values, each read into a type. A value that the type cannot hold is an error; the
    /// reader then continues with the next block.
    ///
    /// # Errors
    /// Each may be one of [`Reader::next_block`] or [`Block::decode`].
    pub fn values<T: DecodeOwned>(&mut self) -> ValueIter<'_, R, T> {
        ValueIter { reader: self, ready: Vec::new().into_iter() }
    }

    /// Reads the values of the next block, from the one to read next.
    fn next_values<T: DecodeOwned>(&mut self) -> Result<Option<Vec<T>>> {
        loop {
            let Some(block) = self.next_block()? else { return Ok(None) };
            let decoded = block.decode_owned::<T>(&mut self.decoder);
            if let Some(values) = self.taken(&block, decoded)? {
                return Ok(Some(values));
            }
        }
    }

    /// Returns the values of a block that are not to be skipped; none if the bytes have a fault, which is noted.
    pub(super) fn taken<T>(
        &mut self,
        block: &Block,
        decoded: Result<Vec<T>>,
    ) -> Result<Option<Vec<T>>> {
        let skip = core::mem::take(&mut self.skip);
        match decoded {
            Ok(mut values) => {
                // A value's number was checked, so the block has as many.
                values.drain(..values.len().min(usize::try_from(skip).unwrap_or(usize::MAX)));
                Ok(Some(values))
            }
            // An error with an offset is a fault of the bytes; all others are about the type.
            Err(error) if error.offset().is_some() => {
                self.note_block(block, error)?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the next event; none at the end.
    fn event(&mut self) -> Result<Option<Event>> {
        let event = memory::guarded(|| self.next_event());
        event.map_err(|error| match error.code() {
            Code::OutOfMemory => self.failed(error),
            _ => error,
        })
    }

    fn next_event(&mut self) -> Result<Option<Event>> {
        if self.state != ReaderState::Reading {
            return Ok(None);
        }
        let mut ended = false;
        loop {
            let event = match self.parser.step(ended) {
                Ok(Event::Damage(damage)) if self.is_not_whole_yet(damage.error()) => {
                    Event::Nothing
                }
                Err(error) if self.is_not_whole_yet(&error) => Event::Nothing,
                step => step.map_err(|error| self.failed(error))?,
            };
            match event {
                Event::More(bytes) if self.fill(bytes)? => {}
                Event::More(_) | Event::End if self.follow.is_some() => {
                    if !self.wait()? {
                        return Ok(None);
                    }
                }
                Event::More(_) => ended = true,
                Event::Damage(damage) => self.note(damage)?,
                Event::End => {
                    self.state = ReaderState::Ended;
                    self.check_behind()?;
                    return Ok(None);
                }
                Event::Nothing => {
                    self.state = ReaderState::Stopped;
                    self.check_end()?;
                    return Ok(None);
                }
                event => return Ok(Some(event)),
            }
        }
    }

    /// Whether an error says only that the beginning of the stream or the last frame is not complete, and that is allowed.
    fn is_not_whole_yet(&self, error: &Error) -> bool {
        let scanner = &self.parser.scanner;
        self.takes_unfinished
            && error.code() == Code::Truncated
            && (scanner.is_cut_off() || scanner.sync().is_none())
    }

    /// Reads exactly this many bytes. `false` if there are fewer.
    fn fill(&mut self, bytes: usize) -> Result<bool> {
        if let Some(seek) = self.moved.take() {
            let at = self.parser.scanner.end();
            seek(&mut self.input, at)?;
        }
        let buffer = self.parser.scanner.buffer();
        buffer.room(bytes.min(ROOM));
        let read = (&mut self.input).take(bytes as u64).read_to_end(buffer)?;
        Ok(read == bytes)
    }

    /// Waits until there may be more; `false` if nothing waits.
    fn wait(&mut self) -> Result<bool> {
        let Some(follow) = &mut self.follow else { return Ok(false) };
        // Another process may cut off the partial frame and write it again.
        self.parser.scanner.rewind();
        let goes_on = (follow.wait)();
        let at = self.parser.scanner.offset();
        let len = (follow.seek)(&mut self.input, at)?;
        if len < at {
            let error = Error::in_stream(Code::Truncated, len)
                .expected(format!("the {at} bytes that were read"))
                .got(format!("{len} bytes"));
            return Err(self.failed(error));
        }
        Ok(goes_on)
    }

    /// Rejects a stream without its end, unless that is allowed.
    fn check_end(&mut self) -> Result<()> {
        let at = self.offset();
        // A partial frame was reported already.
        if self.takes_unfinished || self.parser.scanner.is_cut_off() {
            return Ok(());
        }
        self.note(Damage::new(at, 0, missing_end(at)))
    }

    /// Rejects bytes after the end of a stream that must be its entire input.
    fn check_behind(&mut self) -> Result<()> {
        if !self.is_all {
            return Ok(());
        }
        let at = self.offset();
        // The search for a frame may have read further.
        let here = self.parser.scanner.end() - at;
        let behind = here + std::io::copy(&mut self.input, &mut std::io::sink())?;
        if behind == 0 {
            return Ok(());
        }
        self.note(Damage::new(at, behind, trailing_bytes(at, behind)))
    }
}

/// An iterator over the values of a stream, read into a type. [`Reader::values`] creates it.
pub struct ValueIter<'r, R, T> {
    reader: &'r mut Reader<R>,
    ready: vec::IntoIter<T>,
}

impl<R: Read, T: DecodeOwned> Iterator for ValueIter<'_, R, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        loop {
            if let Some(value) = self.ready.next() {
                return Some(Ok(value));
            }
            match self.reader.next_values() {
                Ok(Some(values)) => self.ready = values.into_iter(),
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
