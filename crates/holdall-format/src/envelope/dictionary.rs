//! Messages whose schema and block are compressed with a dictionary that reader and writer share (F-101).

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use xxhash_rust::xxh3::xxh3_64;

use super::{Preamble, begin};
use crate::column::zstd::{Prepared, READS, WRITES, ZstdFrame, train};
use crate::error::{Code, Error, Result};
use crate::input::trace::{Field, FieldForm, field};
use crate::input::{Input, Scratch};
use crate::limits::{Limits, default_budget};
use crate::memory::{self, GrowMap, GrowVec};
use crate::platform::HashMap;

/// What small messages have in common, for zstd: a message with it is a few bytes longer than what is new in it.
///
/// A dictionary pays for messages of 100 bytes to about 10 kB that are alike, each read by itself. It is made of messages
/// like those to come, some hundred or more, and has about 100 kB. Writer and reader need the same one, and keep it for as
/// long as the messages: a message names it by its hash, and nothing else can read it. A reader can have many.
///
/// ```
/// # #[cfg(feature = "zstd")]
/// # fn main() -> Result<(), holdall::Error> {
/// use holdall::{Decoder, Dictionary, Encoder};
///
/// let event = |n: u32| (n, format!("user {}", n % 50), "signed in from a new device");
/// let samples: Vec<_> = (0..1000).map(|n| holdall::to_vec(&event(n))).collect::<Result<_, _>>()?;
/// let dictionary = Dictionary::train(&samples, 10_000)?;
/// std::fs::write(std::env::temp_dir().join("events.dictionary"), dictionary.as_bytes())?;
///
/// let message = Encoder::new().dictionary(&dictionary).encode(&event(5000))?;
/// assert!(message.len() < samples[0].len());
///
/// let mut decoder = Decoder::new();
/// decoder.add_dictionary(&dictionary);
/// assert_eq!(decoder.decode::<(u32, String, String)>(&message)?.0, 5000);
/// # Ok(()) }
/// # #[cfg(not(feature = "zstd"))]
/// # fn main() {}
/// ```
#[derive(Clone)]
pub struct Dictionary(Arc<Inner>);

struct Inner {
    hash: u64,
    prepared: Prepared,
}

impl Dictionary {
    /// Trains a dictionary of at most `size` bytes: 100,000 are usual. The samples are messages like those to come, with the
    /// same profile and header, at least some ten times as many bytes as the dictionary has. They can have metadata and a
    /// checksum, which the dictionary ignores.
    ///
    /// # Errors
    /// `bad_input` if the samples are too few or too short, have a dictionary themselves, or `size` is less than 256; errors of the
    /// samples' envelopes, such as `bad_magic`; `unsupported` without the feature `zstd`; `out_of_memory`.
    pub fn train(
        samples: impl IntoIterator<Item = impl AsRef<[u8]>>,
        size: usize,
    ) -> Result<Dictionary> {
        Dictionary::check_writes()?;
        if size < MIN_TRAINED_SIZE {
            return Err(Error::new(Code::BadInput)
                .expected(format!("a dictionary of {MIN_TRAINED_SIZE} bytes or more"))
                .got(size.to_string()));
        }
        let trained = memory::guarded(|| {
            let (mut contents, mut lens) = (Vec::new(), Vec::new());
            for sample in samples {
                let start = contents.len();
                append_content(sample.as_ref(), &mut contents)?;
                lens.put(contents.len() - start);
            }
            train(&contents, &lens, size).map_err(|fault| {
                Error::new(Code::BadInput)
                    .expected("samples enough for a dictionary: a hundred or more messages")
                    .got(format!("{}, in all {} bytes: {fault}", lens.len(), contents.len()))
            })
        });
        Dictionary::from_bytes(&trained?)
    }

    /// Reads a dictionary: [`Dictionary::as_bytes`], or any that zstd has trained (RFC 8878, chapter 5), of the contents of
    /// messages.
    ///
    /// # Errors
    /// `bad_input`; `out_of_memory`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Dictionary> {
        let prepared = memory::guarded(|| {
            Prepared::new(bytes)
                .map_err(|got| Error::new(Code::BadInput).expected("a dictionary of zstd").got(got))
        })?;
        Ok(Dictionary(Arc::new(Inner { hash: xxh3_64(bytes), prepared })))
    }

    /// Returns the dictionary, to be stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.prepared.bytes()
    }

    /// Returns the hash that messages name it by.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.0.hash
    }

    /// Whether this build writes with dictionaries.
    pub fn check_writes() -> Result<()> {
        if WRITES {
            return Ok(());
        }
        Err(Error::new(Code::Unsupported)
            .expected("a build with the feature zstd")
            .got("a writer with a dictionary"))
    }

    /// Returns the hash, and a content compressed: what follows the metadata of a message. None if it is no smaller so, or
    /// if it is charged more than the default budget, apart from one unit for each of its bytes: there is no filler.
    pub fn compress(&self, content: &[u8], most_units: u64) -> Result<Option<Vec<u8>>> {
        let units = most_units.saturating_add(2 * content.len() as u64);
        if content.len() > LONGEST_CONTENT || units > default_budget(0) {
            return Ok(None);
        }
        let frame = self.0.prepared.compress(content).map_err(|got| {
            Error::new(Code::BadInput).expected("a dictionary that zstd can compress with").got(got)
        })?;
        // With the byte of extended flags.
        if 1 + HASH_LEN + frame.len() >= content.len() {
            return Ok(None);
        }
        let mut out = memory::with_capacity(HASH_LEN + frame.len());
        out.put_slice(&self.0.hash.to_le_bytes());
        out.put_slice(&frame);
        Ok(Some(out))
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dictionary({:016x}, {} bytes)", self.hash(), self.as_bytes().len())
    }
}

impl PartialEq for Dictionary {
    fn eq(&self, other: &Dictionary) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Dictionary {}

/// The dictionaries that a reader has, by their hashes.
#[derive(Clone, Debug, Default)]
pub struct Dictionaries(HashMap<u64, Dictionary>);

impl Dictionaries {
    pub fn add(&mut self, dictionary: &Dictionary) {
        self.0.put(dictionary.hash(), dictionary.clone());
    }

    /// Returns the one that a message is compressed with, if it is known.
    pub fn of_message(&self, message: &[u8]) -> Option<&Dictionary> {
        let hash = begin(message, |input| {
            let preamble = Preamble::read_flags(input)?;
            preamble.check_length(input)?;
            preamble.metadata(input)?;
            Ok(if preamble.has_dictionary() { input.peek()?.map(u64::from_le_bytes) } else { None })
        });
        self.0.get(&hash.ok()??)
    }

    /// Reads hash and frame, and puts the content in the place of the frame.
    #[cold]
    pub(super) fn open(&self, input: &mut Input<'_>) -> Result<()> {
        let at = input.position();
        let mut hash = [0; HASH_LEN];
        hash.copy_from_slice(input.take(HASH_LEN as u128, HASH)?);
        let hash = u64::from_le_bytes(hash);
        let dictionary = self.0.get(&hash).ok_or_else(|| {
            Error::at(Code::UnknownDictionary, at)
                .expected("the hash of a known dictionary")
                .got(format!("{hash:016x}"))
        })?;
        let start = input.position();
        let bad = |got| {
            Error::at(Code::BadZstd, start)
                .expected("a zstd frame of the dictionary, up to the end")
                .got(got)
        };
        let frame = ZstdFrame::read(input.take(input.remaining() as u128, FRAME)?).map_err(bad)?;
        input.charge_at(start, u128::from(frame.content_len))?;
        if !READS {
            return Err(Error::at(Code::Unsupported, start)
                .expected("a build with the feature zstd or ruzstd")
                .got("a message with a dictionary"));
        }
        let content = dictionary.0.prepared.decompress(&frame).map_err(bad)?;
        input.replace_from(start, content);
        Ok(())
    }
}

/// zstd trains none that is smaller.
const MIN_TRAINED_SIZE: usize = 256;
const HASH_LEN: usize = 8;
const HASH: Field = field("the hash of a dictionary", "F-101");
const FRAME: Field = field("a zstd frame with schema and columns", "F-101").form(FieldForm::Frame);

/// A longer content is written without a dictionary, which has nothing to add to it.
pub const LONGEST_CONTENT: usize = 1 << 17;

/// Whether a message is compressed with a dictionary, judged by its first 3 bytes; not if they are no message.
pub fn has_dictionary(prefix: &[u8]) -> bool {
    begin(prefix, Preamble::read_flags).is_ok_and(|preamble| preamble.has_dictionary())
}

/// Appends the part of a message that a dictionary compresses.
fn append_content(message: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let scratch = Scratch::default();
    let mut input = Input::new(message, Limits::new().budget_for(message.len()), &scratch);
    Preamble::read(&mut input, &Dictionaries::default()).map_err(|error| match error.code() {
        Code::UnknownDictionary => Error::new(Code::BadInput)
            .expected("samples that are written without a dictionary")
            .got("a message that is compressed with one"),
        _ => error,
    })?;
    out.put_slice(input.rest());
    Ok(())
}
