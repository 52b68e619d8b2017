//! Values by their number: where the blocks of a stream are, from its end frame or by a scan (F-88).

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;
use std::io::{Read, Seek, SeekFrom};

use holdall_format::stream::{
    Entry, Event, FrameParser, HEAD, Head, Index, Kind, OnDamage, PREAMBLE, SIGNATURE, Scanner,
    Sync, check, schema_of,
};

use super::block::Block;
use super::reader::{Follow, Reader};
use crate::error::{Code, Error, Result};
use crate::memory::{self, GrowVec};
use crate::schema::Schema;
use crate::typed::DecodeOwned;

/// Where the blocks of a stream are.
#[derive(Debug, Default)]
pub(super) struct BlockOffsets {
    sync: Sync,
    /// The blocks, in the order of the stream.
    blocks: Vec<BlockOffset>,
    /// The other frames: schemas are among them.
    others: Vec<u64>,
    values: u64,
}

#[derive(Clone, Copy, Debug)]
struct BlockOffset {
    first: u64,
    at: u64,
    sequence: u64,
}

impl BlockOffsets {
    fn add(&mut self, entry: Entry, sequence: u64) {
        if entry.values == 0 {
            return self.others.put(entry.at);
        }
        self.blocks.put(BlockOffset { first: self.values, at: entry.at, sequence });
        self.values += entry.values;
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Returns the number of values, from the end frame, or by one scan of the entire stream if that is missing.
    /// With [`OnDamage::Skip`] lost values are not counted. A frame that is cut off at the end is no error here: another process may still be
    /// writing it.
    ///
    /// ```
    /// use holdall::{Reader, Writer};
    /// use std::io::Cursor;
    ///
    /// let mut writer = Writer::new(Vec::new())?;
    /// for n in 0..1000_u32 {
    ///     writer.write(&n)?;
    /// }
    /// let mut reader = Reader::new(Cursor::new(writer.finish()?));
    /// assert_eq!(reader.len()?, 1000);
    /// assert_eq!(reader.get::<u32>(700)?, Some(700));
    /// reader.go_to(998)?;
    /// assert_eq!(reader.values::<u32>().collect::<Result<Vec<_>, _>>()?, [998, 999]);
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// `io`; without the end, every fault of the spec's chapter 14 but that, if damage is an error.
    pub fn len(&mut self) -> Result<u64> {
        Ok(self.offsets()?.values)
    }

    /// Whether the stream has no values.
    ///
    /// # Errors
    /// As [`Reader::len`].
    pub fn is_empty(&mut self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Returns a value by its number, counted from 0; none if there are fewer. Reads only the block of the value,
    /// and does not move the reader.
    ///
    /// # Errors
    /// As [`Reader::len`] and [`Block::decode`].
    pub fn get<T: DecodeOwned>(&mut self, number: u64) -> Result<Option<T>> {
        let Some((block, skip)) = self.block_of(number)? else { return Ok(None) };
        let values = block.decode_owned::<T>(&mut self.decoder)?;
        Ok(usize::try_from(skip).ok().and_then(|skip| values.into_iter().nth(skip)))
    }

    /// Returns the block that holds a value, and the value's number within it.
    ///
    /// # Errors
    /// As [`Reader::len`].
    pub fn block_of(&mut self, number: u64) -> Result<Option<(Block, u64)>> {
        memory::guarded(|| self.read_block_of(number))
    }

    fn read_block_of(&mut self, number: u64) -> Result<Option<(Block, u64)>> {
        let Some((mut parser, skip)) = self.at_block(number)? else { return Ok(None) };
        let mut ended = false;
        loop {
            match parser.step(ended)? {
                Event::More(bytes) => {
                    let buffer = parser.scanner.buffer();
                    ended = (&mut self.input).take(bytes as u64).read_to_end(buffer)? < bytes;
                }
                Event::Block(block) => break Ok(Some((block.into(), skip))),
                Event::Damage(damage) => break Err(damage.error().clone()),
                Event::Passed | Event::End | Event::Nothing => {
                    let at = parser.scanner.offset();
                    break Err(Error::in_stream(Code::BadIndex, at)
                        .expected("a block")
                        .got("none"));
                }
            }
        }
    }

    /// Moves the reader to a value by its number, counted from 0, or to the end. [`Reader::next_block`] then
    /// returns the block that holds it; [`Reader::values`] starts with it.
    ///
    /// # Errors
    /// As [`Reader::len`]; `index_out_of_range` if there are fewer values.
    pub fn go_to(&mut self, number: u64) -> Result<()> {
        let values = self.len()?;
        let last = match number == values {
            true => number.saturating_sub(1),
            false => number,
        };
        let Some((parser, skip)) = self.at_block(last)? else {
            if number == 0 {
                let parser = self.parser.anew();
                self.restart(parser, 0);
                return Ok(());
            }
            return Err(Error::new(Code::IndexOutOfRange)
                .expected(format!("a number up to {values}"))
                .got(number.to_string()));
        };
        self.restart(parser, skip + (number - last));
        Ok(())
    }

    /// Returns a parser at the block that holds a value, and the value's number within it.
    fn at_block(&mut self, number: u64) -> Result<Option<(FrameParser, u64)>> {
        let offsets = self.offsets()?;
        if number >= offsets.values {
            return Ok(None);
        }
        let found = offsets.blocks.partition_point(|block| block.first <= number) - 1;
        let (block, sync) = (offsets.blocks[found], offsets.sync);
        let behind = offsets.others.partition_point(|at| *at < block.at);
        let others: Vec<u64> = memory::copied(&offsets.others[..behind]);
        let head = self.head_at(block.at, sync)?;
        let mut parser = self.parser.anew();
        let schema = match self.parser.schema() {
            Some(schema) if schema.fingerprint() == head.schema => Some(schema.clone()),
            _ => self.schema_before(&others, head.schema, sync)?,
        };
        if let Some(schema) = schema {
            parser.set_schema(schema);
        }
        let scanner =
            Scanner::new(self.limits.frame_bytes(), false).within(sync, block.at, block.sequence);
        self.go(block.at)?;
        self.moved = Some(seek);
        Ok(Some((parser.within(scanner, block.first), number - block.first)))
    }

    /// Returns the schema with this fingerprint from the last of these frames that holds it.
    fn schema_before(
        &mut self,
        others: &[u64],
        fingerprint: u64,
        sync: Sync,
    ) -> Result<Option<Schema>> {
        for &at in others.iter().rev() {
            let head = self.head_at(at, sync)?;
            if head.kind != Kind::Schema || head.schema != fingerprint {
                continue;
            }
            let payload = self.payload_at(at, &head)?;
            let schema = schema_of(&payload, self.limits)?;
            return Ok(Some(schema).filter(|schema| schema.fingerprint() == fingerprint));
        }
        Ok(None)
    }

    fn go(&mut self, at: u64) -> Result<()> {
        self.input.seek(SeekFrom::Start(at))?;
        Ok(())
    }

    fn head_at(&mut self, at: u64, sync: Sync) -> Result<Head> {
        self.go(at)?;
        let mut bytes = [0; HEAD];
        exact(&mut self.input, &mut bytes, at)?;
        let head = Head::read(&bytes, sync, at)?;
        head.check_len(at, self.limits.frame_bytes())?;
        Ok(head)
    }

    /// The payload of a frame whose head was read.
    fn payload_at(&mut self, at: u64, head: &Head) -> Result<Vec<u8>> {
        self.go(at)?;
        let (len, mut frame) = (head.frame_len(), Vec::new());
        (&mut self.input).take(len).read_to_end(&mut frame)?;
        if (frame.len() as u64) < len {
            return Err(cut_off(at));
        }
        check(&frame, head, at)?;
        // The frame is in memory.
        Ok(memory::copied(&frame[HEAD..HEAD + head.len as usize]))
    }

    fn offsets(&mut self) -> Result<&BlockOffsets> {
        let offsets = match self.offsets.take() {
            Some(offsets) => offsets,
            None => {
                let offsets = self.find_offsets();
                self.moved = Some(seek);
                offsets?
            }
        };
        Ok(self.offsets.insert(offsets))
    }

    /// Finds the blocks from the end frame if that is valid, else by a scan of all frames.
    fn find_offsets(&mut self) -> Result<BlockOffsets> {
        self.go(0)?;
        let mut preamble = [0; PREAMBLE];
        exact(&mut self.input, &mut preamble, 0)?;
        let mut sync = Sync::default();
        sync.copy_from_slice(&preamble[SIGNATURE.len()..]);
        if preamble.starts_with(&SIGNATURE)
            && let Ok(Some(offsets)) = self.offsets_of_end(sync)
        {
            return Ok(offsets);
        }
        self.offsets_by_scan()
    }

    /// Reads the end frame; none, or an error, if it is missing or not valid.
    fn offsets_of_end(&mut self, sync: Sync) -> Result<Option<BlockOffsets>> {
        let len = self.input.seek(SeekFrom::End(0))?;
        // The end frame's own offset precedes its checksum.
        let Some(last) = len.checked_sub(12) else { return Ok(None) };
        self.go(last)?;
        let mut own = [0; 8];
        exact(&mut self.input, &mut own, last)?;
        let at = u64::from_le_bytes(own);
        if at >= last {
            return Ok(None);
        }
        let head = self.head_at(at, sync)?;
        if head.kind != Kind::End || at + head.frame_len() != len {
            return Ok(None);
        }
        let payload = self.payload_at(at, &head)?;
        let (mut offsets, mut sequence) = (BlockOffsets { sync, ..BlockOffsets::default() }, 0);
        Index::read(&payload, head.sequence, at, None, |entry| {
            offsets.add(entry, sequence);
            sequence += 1;
        })?;
        Ok(Some(offsets))
    }

    fn offsets_by_scan(&mut self) -> Result<BlockOffsets> {
        self.go(0)?;
        let mut parser = self.parser.anew();
        let (mut offsets, mut ended) = (BlockOffsets::default(), false);
        loop {
            let (at, sequence) = (parser.scanner.offset(), parser.scanner.next_sequence());
            match parser.step(ended)? {
                Event::More(bytes) => {
                    let buffer = parser.scanner.buffer();
                    ended = (&mut self.input).take(bytes as u64).read_to_end(buffer)? < bytes;
                }
                Event::Passed => offsets.add(Entry { at, len: 0, values: 0 }, sequence),
                Event::Block(block) => {
                    offsets.add(Entry { at, len: 0, values: block.len() }, sequence);
                }
                // An incomplete frame at the end may still be being written.
                Event::Damage(damage)
                    if self.on_damage == OnDamage::Error && damage.code() != Code::Truncated =>
                {
                    return Err(damage.error().clone());
                }
                Event::Damage(_) if self.on_damage == OnDamage::Skip => {}
                Event::Damage(_) | Event::End | Event::Nothing => {
                    offsets.sync = parser.scanner.sync().unwrap_or_default();
                    return Ok(offsets);
                }
            }
        }
    }

    /// Makes the reader wait at the end of the stream for data that another process appends. Calls `wait` when
    /// everything was read: it waits as long as it likes, and returns whether to look again. An incomplete frame
    /// and an end frame both count as "not yet".
    ///
    /// ```
    /// use holdall::{Reader, Writer};
    /// use std::thread::sleep;
    /// use std::time::Duration;
    ///
    /// # let path = std::env::temp_dir().join(format!("holdall-follow-{}", std::process::id()));
    /// let mut writer = Writer::create(&path)?;
    /// writer.write(&1_u8)?;
    /// writer.flush()?;
    ///
    /// let mut left = 3; // a real program waits for ever, or until it is stopped
    /// let mut reader = Reader::open(&path)?.follow(move || {
    ///     sleep(Duration::from_millis(10));
    ///     left -= 1;
    ///     left > 0
    /// });
    /// assert_eq!(reader.values::<u8>().next().unwrap()?, 1);
    /// writer.write(&2_u8)?;
    /// writer.finish()?;
    /// assert_eq!(reader.values::<u8>().next().unwrap()?, 2);
    /// assert!(reader.values::<u8>().next().is_none()); // `wait` returned false
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), holdall::Error>(())
    /// ```
    #[must_use]
    pub fn follow(mut self, wait: impl FnMut() -> bool + Send + 'static) -> Reader<R> {
        self.parser.follow();
        self.follow = Some(Follow { wait: Box::new(wait), seek });
        self
    }
}

fn cut_off(at: u64) -> Error {
    Error::in_stream(Code::Truncated, at).expected("a frame").got("the end of the input")
}

fn exact(input: &mut impl Read, bytes: &mut [u8], at: u64) -> Result<()> {
    match input.read_exact(bytes) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(cut_off(at)),
        Err(error) => Err(error.into()),
    }
}

fn seek<R: Seek>(input: &mut R, at: u64) -> Result<u64> {
    let len = input.seek(SeekFrom::End(0))?;
    input.seek(SeekFrom::Start(at))?;
    Ok(len)
}
