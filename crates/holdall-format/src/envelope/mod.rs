//! The envelope around schema and block: flags, length, checksum and padding (spec, chapter 3).

mod dictionary;
mod metadata;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub use dictionary::{Dictionaries, Dictionary, LONGEST_CONTENT, has_dictionary};
pub use metadata::{Metadata, read_metadata};

use crate::error::{Code, Error, LooksLike, Result};
use crate::input::trace::{Field, FieldForm, Part, field};
use crate::input::{Input, LINE, Scratch, padding};
use crate::limits::Limits;
use crate::memory;
use crate::number::{MAX_VARINT, varint_len};
use crate::platform::checksum;
use crate::schema::{Known, Schema, read_schema};

pub const MAGIC: u8 = 0xC1;
pub const VERSION: u8 = 1;
const STREAM: u8 = 15;

/// The flags of the second byte (F-8).
pub mod flag {
    pub const FINGERPRINT: u8 = 1;
    pub const DEFINITIONS: u8 = 2;
    pub const ALIGNED: u8 = 4;
    pub const EXTENDED: u8 = 8;
}

/// The extended flags (F-66).
pub mod extended {
    pub const METADATA: u8 = 1;
    pub const CHECKSUM: u8 = 2;
    pub const LENGTH: u8 = 4;
    pub const DICTIONARY: u8 = 8;
    pub const RESERVED: u8 = 0xF0;
}

/// The length of a checksum in bytes.
pub const CHECKSUM_LEN: usize = 4;

const LENGTH: Field = field("the message's length", "F-67");
const CHECKSUM: Field = field("the checksum", "F-67").form(FieldForm::Checksum);
/// The bytes after the end that the length specifies.
const BEHIND: Field = field("not read", "F-67").form(FieldForm::Unread);

/// The part of a message before its schema (F-7).
pub struct Preamble {
    flags: u8,
    extended: u8,
}

impl Preamble {
    /// Reads all of it, and checks length and checksum. From then on the input ends with the block, and what a dictionary
    /// compressed is in its place.
    pub fn read(input: &mut Input<'_>, dictionaries: &Dictionaries) -> Result<Preamble> {
        let preamble = Preamble::read_flags(input)?;
        preamble.check_length(input)?;
        preamble.metadata(input)?;
        if preamble.has_dictionary() {
            dictionaries.open(input)?;
        }
        preamble.align(input);
        Ok(preamble)
    }

    /// Magic, version and flags (F-7, F-8, F-58, F-66).
    fn read_flags(input: &mut Input<'_>) -> Result<Preamble> {
        let all = input.rest();
        let magic = input.byte(field("the magic byte C1", "F-7").form(FieldForm::Magic))?;
        if magic != MAGIC {
            return Err(Error::at(Code::BadMagic, 0)
                .expected("C1")
                .got(format!("{magic:02X}"))
                .looking_like(LooksLike::of(all)));
        }
        let byte = input.byte(field("version and flags", "F-8").form(FieldForm::Flags))?;
        match byte >> 4 {
            VERSION => {}
            STREAM => {
                return Err(Error::at(Code::Unsupported, 1)
                    .expected("a message")
                    .got(format!("{byte:02X}"))
                    .looking_like(LooksLike::Stream));
            }
            version => {
                return Err(Error::at(Code::BadVersion, 1)
                    .expected("version 1")
                    .got(version.to_string()));
            }
        }
        let flags = byte & 15;
        if flags & flag::FINGERPRINT != 0 && flags & flag::DEFINITIONS != 0 {
            return Err(Error::at(Code::BadFlags, 1)
                .expected("no definitions beside a fingerprint")
                .got(format!("flags {flags:04b}")));
        }
        let mut extended = 0;
        if flags & flag::EXTENDED != 0 {
            let at = input.position();
            extended =
                input.byte(field("extended flags", "F-66").form(FieldForm::ExtendedFlags))?;
            check_extended(extended, flags).map_err(|error| error.moved_to(at))?;
        }
        Ok(Preamble { flags, extended })
    }

    /// Checks that the length is that of the input, and that the checksum, which ends the input, is that of the bytes
    /// before it (F-67).
    fn check_length(&self, input: &mut Input<'_>) -> Result<()> {
        if self.extended & extended::LENGTH == 0 {
            return Ok(());
        }
        let length = input.varint(LENGTH)?;
        let start = input.position();
        let has_checksum = self.extended & extended::CHECKSUM != 0;
        let least = self.least_length(input);
        let here = start + input.remaining();
        let wrong = |code, at| {
            Error::at(code, at)
                .expected(format!("{length} bytes, as the length says"))
                .got(format!("{here} bytes"))
        };
        if length < least as u64 {
            return input.pass(too_short(length, least, start));
        }
        if length > here as u64 {
            return input.pass(wrong(Code::Truncated, start));
        }
        let mut end = here;
        if length < here as u64 {
            // Less than the bytes in memory, so it fits.
            end = length as usize;
            input.pass(wrong(Code::TrailingBytes, end))?;
            input.end_at(end, BEHIND);
        }
        if !has_checksum {
            return Ok(());
        }
        let end = end - CHECKSUM_LEN;
        let (bytes, stored) = input.end_at(end, CHECKSUM);
        let computed = checksum(bytes).to_le_bytes();
        if stored != computed {
            return input.pass(
                Error::at(Code::BadChecksum, end)
                    .expected(format!("the checksum {}", hex(&computed)))
                    .got(hex(stored)),
            );
        }
        Ok(())
    }

    /// Reads what precedes the schema from only the first bytes of a message of `size` bytes: the metadata, and where
    /// the block ends. The checksum covers all bytes, so only its presence is checked.
    pub fn read_head(input: &mut Input<'_>, size: u64) -> Result<(Preamble, Metadata, u64)> {
        let preamble = Preamble::read_flags(input)?;
        let mut end = size;
        if preamble.extended & extended::LENGTH != 0 {
            let length = input.varint(LENGTH)?;
            let least = preamble.least_length(input);
            if length < least as u64 {
                return Err(too_short(length, least, input.position()));
            }
            let wrong = |code| {
                Error::at(code, input.position())
                    .expected(format!("{length} bytes, as the length says"))
                    .got(format!("{size} bytes"))
            };
            if length > size {
                return Err(wrong(Code::Truncated));
            }
            if length < size {
                return Err(wrong(Code::TrailingBytes).moved_to(length as usize));
            }
            if preamble.extended & extended::CHECKSUM != 0 {
                end -= CHECKSUM_LEN as u64;
                let here = input.position() + input.remaining();
                if here as u64 > end {
                    input.end_at(end as usize, BEHIND);
                }
            }
        }
        let metadata = Metadata::of_distinct(&preamble.metadata(input)?);
        preamble.align(input);
        Ok((preamble, metadata, end))
    }

    /// Whether the block and large payloads are aligned (F-69).
    pub fn is_aligned(&self) -> bool {
        self.flags & flag::ALIGNED != 0
    }

    /// Whether schema and block are compressed with a dictionary (F-101).
    pub fn has_dictionary(&self) -> bool {
        self.extended & extended::DICTIONARY != 0
    }

    fn align(&self, input: &mut Input<'_>) {
        if self.is_aligned() {
            input.align();
        }
    }

    /// The least length of a message that was read up to its length.
    fn least_length(&self, input: &Input<'_>) -> usize {
        let has_checksum = self.extended & extended::CHECKSUM != 0;
        input.position() + if has_checksum { CHECKSUM_LEN } else { 0 }
    }

    /// The metadata, each key with its value (F-68).
    fn metadata<'a>(&self, input: &mut Input<'a>) -> Result<Vec<(&'a str, &'a str)>> {
        if self.extended & extended::METADATA == 0 { Ok(Vec::new()) } else { read_metadata(input) }
    }

    /// The flags that describe the schema.
    pub fn schema_flags(&self) -> u8 {
        self.flags & (flag::FINGERPRINT | flag::DEFINITIONS)
    }

    /// Whether the fingerprint of a schema follows (F-9), and moves the input past it then.
    pub fn takes_fingerprint_of(&self, schema: &Schema, input: &mut Input<'_>) -> bool {
        let fingerprint = schema.fingerprint().to_le_bytes();
        let follows = self.flags & flag::FINGERPRINT != 0 && input.rest().starts_with(&fingerprint);
        if follows {
            input.advance(fingerprint.len());
        }
        follows
    }

    /// Returns the schema that follows, or the known one for the fingerprint that follows (F-9, F-10, F-22).
    pub fn schema(&self, input: &mut Input<'_>, known: &Known) -> Result<Schema> {
        input.enter(Part::Schema, None);
        if self.flags & flag::FINGERPRINT == 0 {
            let counted = self.flags & flag::DEFINITIONS != 0;
            // A count of 0 is the byte 00 (F-13).
            if counted && input.rest().first() == Some(&0) {
                return Err(Error::at(Code::BadDefinitionCount, input.position())
                    .expected("at least one definition, as the flag says")
                    .got("0"));
            }
            return read_schema(input, counted);
        }
        let at = input.position();
        let mut bytes = [0; 8];
        bytes.copy_from_slice(
            input.take(8, field("a fingerprint", "F-9").form(FieldForm::Fingerprint))?,
        );
        known.schema(u64::from_le_bytes(bytes), at)
    }
}

fn check_extended(flags: u8, first: u8) -> Result<()> {
    let (code, expected) = if flags & extended::RESERVED != 0 {
        (Code::Unsupported, "no extended flags but metadata, checksum, length and dictionary")
    } else if flags == 0 {
        (Code::BadFlags, "at least one extended flag")
    } else if flags & extended::CHECKSUM != 0 && flags & extended::LENGTH == 0 {
        (Code::BadFlags, "a length beside the checksum")
    } else if flags & extended::DICTIONARY != 0 && first & flag::ALIGNED != 0 {
        (Code::BadFlags, "no alignment beside a dictionary")
    } else {
        return Ok(());
    };
    Err(Error::new(code).expected(expected).got(format!("extended flags {flags:08b}")))
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    digits.join(" ")
}

/// Functions that read only the beginning of a message.
fn begin<T>(prefix: &[u8], read: impl FnOnce(&mut Input<'_>) -> Result<T>) -> Result<T> {
    let scratch = Scratch::default();
    let budget = Limits::new().budget_for(prefix.len());
    memory::guarded(|| read(&mut Input::new(prefix, budget, &scratch)))
}

impl Metadata {
    /// Reads the metadata at the head of a message. The bytes after them may be missing and are ignored, so length and
    /// checksum are not checked. A message without metadata has none.
    ///
    /// ```
    /// let message = b"\xC1\x18\x01\x02\x06foo\x06bar\x04\x07";
    /// let metadata = holdall::Metadata::of_message(&message[..12])?;
    /// assert_eq!(metadata.get("foo"), Some("bar"));
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of the spec's chapter 3, with their offsets; `truncated` if the metadata continue after the last
    /// byte.
    pub fn of_message(prefix: &[u8]) -> Result<Metadata> {
        begin(prefix, |input| {
            let preamble = Preamble::read_flags(input)?;
            if preamble.extended & extended::LENGTH != 0 {
                let length = input.varint(LENGTH)?;
                let here = input.position() + input.remaining();
                // Metadata do not continue in the next message.
                if length < here as u64 {
                    input.end_at(input.position().max(length as usize), BEHIND);
                }
            }
            Ok(Metadata::of_distinct(&preamble.metadata(input)?))
        })
    }
}

/// Returns the length in bytes of the message that begins with these bytes; `None` if they are too few. 12 bytes
/// always suffice.
///
/// The message must begin with its length, as `Encoder::length` writes it. It then has at least 5 bytes: read 4 bytes
/// from a socket, then one more as long as the result is `None`, and you read nothing of the next message. Compare the
/// result with a limit of your own before you allocate: it can be up to [`usize::MAX`].
///
/// ```
/// use std::io::Read;
///
/// /// The next message of a connection.
/// fn next(connection: &mut impl Read) -> holdall::Result<Vec<u8>> {
///     let mut message = vec![0; 4];
///     connection.read_exact(&mut message)?;
///     let len = loop {
///         match holdall::message_len(&message)? {
///             Some(len) => break len,
///             None => {
///                 let end = message.len();
///                 message.push(0);
///                 connection.read_exact(&mut message[end..])?;
///             }
///         }
///     };
///     if len > 1 << 20 {
///         return Err(holdall::Error::new(holdall::Code::LimitBudget));
///     }
///     let here = message.len();
///     message.resize(len, 0);
///     connection.read_exact(&mut message[here..])?;
///     Ok(message)
/// }
///
/// let mut encoder = holdall::Encoder::new().length(true);
/// let (one, two) = (encoder.message(&mut &1.into())?, encoder.message(&mut &2.into())?);
/// let mut connection = &[&one[..], &two].concat()[..];
/// assert_eq!(next(&mut connection)?, one);
/// assert_eq!(next(&mut connection)?, two);
/// # Ok::<(), holdall::Error>(())
/// ```
///
/// Errors of magic, version and flags; `unsupported` for a message without its length; `truncated` for a length that
/// is less than its own offset.
pub fn message_len(prefix: &[u8]) -> Result<Option<usize>> {
    let read = begin(prefix, |input| {
        let preamble = Preamble::read_flags(input)?;
        if preamble.extended & extended::LENGTH == 0 {
            let at = if preamble.extended == 0 { 1 } else { 2 };
            return Err(Error::at(Code::Unsupported, at)
                .expected("a message with its length at its head")
                .got("one without"));
        }
        let length = input.varint(LENGTH)?;
        Ok((length, preamble.least_length(input), input.position()))
    });
    match read {
        Ok((length, least, at)) if length < least as u64 => Err(too_short(length, least, at)),
        Ok((length, ..)) => Ok(Some(usize::try_from(length).unwrap_or(usize::MAX))),
        Err(error) if error.code() == Code::Truncated => Ok(None),
        Err(error) => Err(error),
    }
}

impl Schema {
    /// Reads the schema at the head of a message. The body is ignored, except that length and checksum are checked if
    /// the message has them.
    ///
    /// # Errors
    /// The errors of the spec's chapters 3 and 4; `unknown_fingerprint` if the message holds only a fingerprint.
    pub fn of_message(message: &[u8]) -> Result<Schema> {
        let scratch = Scratch::default();
        let mut input = Input::new(message, Limits::new().budget_for(message.len()), &scratch);
        Preamble::read(&mut input, &Dictionaries::default())?.schema(&mut input, &Known::default())
    }
}

#[cold]
fn too_short(length: u64, least: usize, at: usize) -> Error {
    Error::at(Code::Truncated, at)
        .expected(format!("a length of {least} bytes or more"))
        .got(length.to_string())
}

/// Whether a message ends with a checksum, judged by its first 3 bytes or fewer.
///
/// # Errors
/// Errors of magic, version and flags.
pub fn has_checksum(prefix: &[u8]) -> Result<bool> {
    begin(prefix, |input| Ok(Preamble::read_flags(input)?.extended & extended::CHECKSUM != 0))
}

/// Whether a message begins with its length, judged by its first 3 bytes or fewer.
///
/// # Errors
/// Errors of magic, version and flags.
pub fn has_length(prefix: &[u8]) -> Result<bool> {
    begin(prefix, |input| Ok(Preamble::read_flags(input)?.extended & extended::LENGTH != 0))
}

/// As [`message_len`], within a limit of the bytes of a message.
///
/// # Errors
/// Those, and `limit_budget`.
pub fn message_len_within(prefix: &[u8], limits: Limits) -> Result<Option<usize>> {
    let len = message_len(prefix)?;
    if let Some(len) = len {
        check_message_len(len as u64, limits).map_err(|error| error.moved_to(3))?;
    }
    Ok(len)
}

/// Checks the length of a message that arrives in pieces against [`Limits::frame`].
///
/// # Errors
/// `limit_budget`.
pub fn check_message_len(len: u64, limits: Limits) -> Result<()> {
    let limit = limits.frame_bytes();
    if len <= limit {
        return Ok(());
    }
    Err(Error::new(Code::LimitBudget)
        .expected(format!("a message of at most {limit} bytes"))
        .got(len.to_string())
        .by_frame())
}

/// The length (F-67), and the number of padding bytes before the block (F-69), of a message with `head` between length
/// and padding and `rest` after the padding. The padding depends on how long the length is, and the length on the
/// padding.
pub fn lengths(head: usize, rest: usize, aligned: bool) -> (u64, usize) {
    let with = |len: usize| {
        let padding = if aligned { padding(3 + len + head, LINE) } else { 0 };
        ((3 + len + head + padding + rest) as u64, padding)
    };
    // A message does not get shorter with a longer varint, so some length fits. The first is the smallest.
    let fitting = (1..MAX_VARINT).find(|len| varint_len(with(*len).0) == *len);
    with(fitting.unwrap_or(MAX_VARINT))
}

/// The smallest filler (F-95) that gives a message this length. `length` returns the length for a filler: one more
/// byte of filler can add more than one byte.
pub fn least_filler(least: u64, length: impl Fn(usize) -> u64) -> usize {
    // The missing bytes always suffice, because filler never shortens a message. A longer varint adds one byte, or one
    // more line of padding.
    let mut filler = least.saturating_sub(length(0)) as usize;
    while filler > 0 && length(filler - 1) >= least {
        filler -= 1;
    }
    filler
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filler_is_the_shortest_that_is_enough() {
        for (head, rest, aligned) in
            [(0, 0, false), (5, 100, false), (7, 120, true), (1, 16_300, true)]
        {
            let length = |filler| lengths(head, rest + filler, aligned).0;
            for least in (0..300).chain(16_380..16_500) {
                let filler = least_filler(least, length);
                assert!(length(filler) >= least);
                assert!(filler == 0 || length(filler - 1) < least);
            }
        }
    }

    #[test]
    fn a_length_fits_its_own_varint() {
        let ends = [0, 1, 60, 120, 127, 128, 16_383, 16_384, (1 << 21) - 1, 1 << 21];
        for (head, rest) in ends.into_iter().flat_map(|head| ends.map(|rest| (head, rest))) {
            for rest in rest..rest + 130 {
                for aligned in [false, true] {
                    let (length, padding) = lengths(head, rest, aligned);
                    let block = 3 + varint_len(length) + head + padding;
                    assert_eq!(length, (block + rest) as u64);
                    assert!(padding < 64 && (!aligned || block.is_multiple_of(64)));
                }
            }
        }
    }
}
