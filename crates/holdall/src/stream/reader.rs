//! Reads a stream from its beginning to its end.

use std::io::Read;
use std::vec;

use holdall_format::stream::{Damage, Event, OnDamage, Parser};

use super::block::Block;
use super::places::Places;
use crate::decoder::Decoder;
use crate::envelope::Metadata;
use crate::error::{Code, Error, Result};
use crate::limits::Limits;
use crate::schema::Schema;
use crate::typed::DecodeOwned;

/// So many bytes are made room for before they are there: a length can say anything.
const ROOM: usize = 4 << 20;

/// Reads the values of a stream, with one block of them in memory, from a file, pipe, socket or slice.
///
/// It takes from the input what belongs to the stream, and not a byte of what comes next; and it asks for a frame's head and then
/// for the rest of the frame, so a buffer between is of use only for very small blocks.
///
/// ```
/// use holdall::{Reader, Value, Writer};
///
/// let mut writer = Writer::new(Vec::new())?;
/// writer.write(&Value::from(1))?;
/// writer.write(&Value::from("two"))?;
/// let mut bytes = writer.finish()?;
/// bytes.extend(b"what comes next");
///
/// let mut input = &bytes[..];
/// let values: Result<Vec<Value>, _> = Reader::new(&mut input).values().collect();
/// assert_eq!(values?, [Value::from(1), Value::from("two")]);
/// assert_eq!(input, b"what comes next");
/// # Ok::<(), holdall::Error>(())
/// ```
pub struct Reader<R> {
    pub(super) input: R,
    pub(super) parser: Parser,
    pub(super) decoder: Decoder,
    pub(super) limits: Limits,
    pub(super) on_damage: OnDamage,
    damage: Vec<Damage>,
    /// A block that was read while something else was looked for.
    pending: Option<Block>,
    /// So many values of the next block come before the one that was asked for.
    pub(super) skip: u64,
    state: State,
    takes_unfinished: bool,
    /// Whether nothing may stand behind the stream.
    is_all: bool,
    pub(super) follow: Option<Follow<R>>,
    /// How to come back to an offset, if the input was read elsewhere.
    pub(super) moved: Option<Seek<R>>,
    /// Where the blocks are, once that was asked for.
    pub(super) places: Option<Places>,
}

/// Goes to an offset of the input; answers how long that is.
pub(super) type Seek<R> = fn(&mut R, u64) -> Result<u64>;

/// What waits for more.
pub(super) struct Follow<R> {
    pub(super) wait: Box<dyn FnMut() -> bool + Send>,
    pub(super) seek: Seek<R>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Reading,
    Ended,
    /// The input ended, the stream did not.
    Stopped,
    /// An error was given, and nothing comes behind it.
    Failed,
}

impl<R> Reader<R> {
    /// A reader of the stream that an input goes on with.
    #[must_use]
    pub fn new(input: R) -> Reader<R> {
        Reader {
            input,
            parser: Parser::new(),
            decoder: Decoder::new(),
            limits: Limits::new(),
            on_damage: OnDamage::Error,
            damage: Vec::new(),
            pending: None,
            skip: 0,
            state: State::Reading,
            takes_unfinished: false,
            is_all: false,
            follow: None,
            moved: None,
            places: None,
        }
    }

    /// Sets what is done about damage.
    #[must_use]
    pub fn on_damage(mut self, on_damage: OnDamage) -> Reader<R> {
        self.on_damage = on_damage;
        self.parser.go_on(on_damage == OnDamage::Skip);
        self
    }

    /// Sets whether a stream may lack its end: it is being written, or its writer died. Otherwise it is `truncated`. One that is
    /// cut off within a frame is that in any case.
    #[must_use]
    pub fn unfinished(mut self, takes: bool) -> Reader<R> {
        self.takes_unfinished = takes;
        self
    }

    /// Sets whether nothing may stand behind the stream: then more bytes are `trailing_bytes`. Otherwise they are left in the input.
    #[must_use]
    pub fn whole(mut self, is_all: bool) -> Reader<R> {
        self.is_all = is_all;
        self
    }

    /// Sets the limits; [`Limits::frame`] is that of a frame's bytes, all others are those of each block.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Reader<R> {
        self.limits = limits;
        self.parser.limit(limits);
        self.decoder = std::mem::take(&mut self.decoder).limits(limits);
        self
    }

    /// Makes a schema known: for blocks whose own was lost.
    pub fn add_schema(&mut self, schema: &Schema) {
        self.parser.add_schema(schema);
    }

    /// What was passed by so far, by [`OnDamage::Skip`].
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Whether the end of the stream was read.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.state == State::Ended
    }

    /// The number of the value that comes next, counted from 0; values that were lost are not counted, as nobody knows how many
    /// they were.
    #[must_use]
    pub fn position(&self) -> u64 {
        let first = self.pending.as_ref().map_or(self.parser.values(), Block::first);
        first + self.skip
    }

    /// The offset in the stream of the frame that comes next.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.parser.scanner.offset()
    }

    /// The input, behind what was read of the stream, and those bytes that were read and belong to nothing: only where damage
    /// looked like the beginning of a frame there are some.
    #[must_use]
    pub fn into_parts(self) -> (R, Vec<u8>) {
        (self.input, self.parser.scanner.into_rest())
    }

    /// Notes a fault that was found in a block by [`Block::tell`] as damage: an error, or told by [`Reader::damage`]. None of the
    /// block's values must then be taken.
    ///
    /// # Errors
    /// The fault, if damage is an error.
    pub fn note_block(&mut self, block: &Block, error: Error) -> Result<()> {
        let place = block.place();
        self.note(Damage::new(place.start, place.end - place.start, error))
    }

    pub(super) fn restart(&mut self, parser: Parser, skip: u64) {
        (self.parser, self.skip, self.pending) = (parser, skip, None);
        self.state = State::Reading;
    }

    fn failed(&mut self, error: Error) -> Error {
        self.state = State::Failed;
        error
    }

    /// Damage is an error, or noted.
    fn note(&mut self, damage: Damage) -> Result<()> {
        match self.on_damage {
            OnDamage::Error => Err(self.failed(damage.error().clone())),
            OnDamage::Skip => {
                self.parser.note_fault();
                self.damage.push(damage);
                Ok(())
            }
        }
    }
}

impl<R: Read> Reader<R> {
    /// The metadata of the stream; no block is read for it, if there are some.
    ///
    /// # Errors
    /// As [`Reader::next_block`].
    pub fn metadata(&mut self) -> Result<&Metadata> {
        if self.parser.scanner.next_sequence() == 0 && self.state == State::Reading {
            self.advance(|_| true)?;
        }
        Ok(self.parser.metadata())
    }

    /// The schema of the values that come next; no block is read for it. There is none behind the last value.
    ///
    /// # Errors
    /// As [`Reader::next_block`].
    pub fn schema(&mut self) -> Result<Option<&Schema>> {
        if self.parser.schema().is_none() && self.state == State::Reading {
            self.advance(|parser| parser.schema().is_some())?;
        }
        Ok(match &self.pending {
            Some(block) => Some(block.schema()),
            None => self.parser.schema(),
        })
    }

    /// Reads frames until something holds, or a block comes, which then is pending.
    fn advance(&mut self, holds: impl Fn(&Parser) -> bool) -> Result<()> {
        while self.pending.is_none() {
            match self.event()? {
                None => return Ok(()),
                Some(Event::Block(block)) => self.pending = Some(block.into()),
                Some(_) if holds(&self.parser) => return Ok(()),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// The next block; none at the end of the stream.
    ///
    /// # Errors
    /// `io`; every fault of the spec's chapter 14, with its offset in the stream, if damage is an error; those of its preamble in
    /// any case.
    pub fn next_block(&mut self) -> Result<Option<Block>> {
        if let Some(block) = self.pending.take() {
            return Ok(Some(block));
        }
        loop {
            match self.event()? {
                None => return Ok(None),
                Some(Event::Block(block)) => return Ok(Some(block.into())),
                Some(_) => {}
            }
        }
    }

    /// The values that are left, each read into a type. What the type cannot take is an error; the reader then goes on with the
    /// next block.
    ///
    /// # Errors
    /// Each may be one of [`Reader::next_block`] or [`Block::decode`].
    pub fn values<T: DecodeOwned>(&mut self) -> ValueIter<'_, R, T> {
        ValueIter { reader: self, ready: Vec::new().into_iter() }
    }

    /// The values of the next block that were asked for.
    fn next_values<T: DecodeOwned>(&mut self) -> Result<Option<Vec<T>>> {
        loop {
            let Some(block) = self.next_block()? else { return Ok(None) };
            let decoded = block.decode_by::<T>(&mut self.decoder);
            let skip = std::mem::take(&mut self.skip);
            match decoded {
                Ok(mut values) => {
                    // As many as were asked for are there.
                    values.drain(..values.len().min(usize::try_from(skip).unwrap_or(usize::MAX)));
                    return Ok(Some(values));
                }
                // A fault of the bytes; all other errors are about the type.
                Err(error) if error.offset().is_some() => self.note_block(&block, error)?,
                Err(error) => return Err(error),
            }
        }
    }

    /// What comes next; none if that is nothing.
    fn event(&mut self) -> Result<Option<Event>> {
        if self.state != State::Reading {
            return Ok(None);
        }
        let mut ended = false;
        loop {
            match self.parser.step(ended).map_err(|error| self.failed(error))? {
                Event::More(bytes) if self.fill(bytes)? => {}
                Event::More(_) | Event::End if self.follow.is_some() => {
                    if !self.wait()? {
                        return Ok(None);
                    }
                }
                Event::More(_) => ended = true,
                Event::Damage(damage) => self.note(damage)?,
                Event::End => {
                    self.state = State::Ended;
                    self.check_behind()?;
                    return Ok(None);
                }
                Event::Nothing => {
                    self.state = State::Stopped;
                    self.check_end()?;
                    return Ok(None);
                }
                event => return Ok(Some(event)),
            }
        }
    }

    /// Reads so many bytes, and not one more. `false` if there are fewer.
    fn fill(&mut self, bytes: usize) -> Result<bool> {
        if let Some(seek) = self.moved.take() {
            let at = self.parser.scanner.end();
            seek(&mut self.input, at)?;
        }
        let buffer = self.parser.scanner.buffer();
        buffer.reserve(bytes.min(ROOM));
        let read = (&mut self.input).take(bytes as u64).read_to_end(buffer)?;
        Ok(read == bytes)
    }

    /// Waits until there may be more; `false` if that is not wanted.
    fn wait(&mut self) -> Result<bool> {
        let Some(follow) = &mut self.follow else { return Ok(false) };
        // What came of a frame may be cut and written anew.
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

    /// A stream without its end.
    fn check_end(&mut self) -> Result<()> {
        let at = self.offset();
        // What is left of a frame was told.
        if self.takes_unfinished || self.parser.scanner.is_cut_off() {
            return Ok(());
        }
        let error = Error::in_stream(Code::Truncated, at)
            .expected("the end of the stream")
            .got("the end of the input");
        self.note(Damage::new(at, 0, error))
    }

    /// What stands behind the end of a stream that is all of its input.
    fn check_behind(&mut self) -> Result<()> {
        if !self.is_all {
            return Ok(());
        }
        let at = self.offset();
        // Who looks for a frame may have read on.
        let here = self.parser.scanner.end() - at;
        let behind = here + std::io::copy(&mut self.input, &mut std::io::sink())?;
        if behind == 0 {
            return Ok(());
        }
        let error = Error::in_stream(Code::TrailingBytes, at)
            .expected("nothing behind the end of the stream")
            .got(format!("{behind} more bytes"));
        self.note(Damage::new(at, behind, error))
    }
}

/// The values of a stream, read into a type; by [`Reader::values`].
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
