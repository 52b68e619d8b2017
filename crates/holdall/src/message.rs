//! Messages: the envelope around schema and block (spec, chapter 3).

use std::collections::HashMap;

use crate::block::Block;
use crate::column::Place;
use crate::dynamic::{Layout, Shredder, Sink, Source, assemble};
use crate::error::{Code, Error, Result};
use crate::input::{Input, unpacked};
use crate::limits::Limits;
use crate::row_path::{parents, row_path};
use crate::schema::{Schema, read_schema};

const MAGIC: u8 = 0xC1;
const VERSION: u8 = 1;
const STREAM: u8 = 15;
const FINGERPRINT: u8 = 1;
const DEFINITIONS: u8 = 2;
const ALIGNED: u8 = 4;
const EXTENDED: u8 = 8;

/// The first two bytes of a message (F-7, F-8).
pub(crate) struct Preamble {
    flags: u8,
}

impl Preamble {
    pub(crate) fn read(input: &mut Input<'_>) -> Result<Preamble> {
        let magic = input.byte("the magic byte C1")?;
        if magic != MAGIC {
            return Err(Error::at(Code::BadMagic, 0).expected("C1").got(format!("{magic:02X}")));
        }
        let byte = input.byte("version and flags")?;
        match byte >> 4 {
            VERSION => {}
            STREAM => {
                return Err(Error::at(Code::Unsupported, 1).expected("a message").got("a stream"));
            }
            version => {
                return Err(Error::at(Code::BadVersion, 1)
                    .expected("version 1")
                    .got(version.to_string()));
            }
        }
        let flags = byte & 15;
        if flags & (ALIGNED | EXTENDED) != 0 {
            return Err(Error::at(Code::Unsupported, 1)
                .expected("no aligned or extended message")
                .got(format!("flags {flags:04b}")));
        }
        if flags & FINGERPRINT != 0 && flags & DEFINITIONS != 0 {
            return Err(Error::at(Code::BadFlags, 1)
                .expected("no definitions beside a fingerprint")
                .got(format!("flags {flags:04b}")));
        }
        Ok(Preamble { flags })
    }

    /// The schema that follows, or the known one of the fingerprint that follows.
    pub(crate) fn schema(
        &self,
        input: &mut Input<'_>,
        known: &HashMap<u64, Schema>,
    ) -> Result<Schema> {
        if self.flags & FINGERPRINT == 0 {
            let counted = self.flags & DEFINITIONS != 0;
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
        bytes.copy_from_slice(input.take(8, "a fingerprint")?);
        let fingerprint = u64::from_le_bytes(bytes);
        known.get(&fingerprint).cloned().ok_or_else(|| {
            Error::at(Code::UnknownFingerprint, at)
                .expected("the fingerprint of a schema at hand")
                .got(format!("{fingerprint:016x}"))
        })
    }
}

/// Which encodings a writer chooses. A reader reads all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// The fastest to write: frames of few widths, plain text. Equal values give equal bytes everywhere.
    #[default]
    Fast,
    /// Also differences for sorted columns, and dictionaries where strings repeat. Equal values give equal bytes everywhere.
    Balanced,
    /// The smallest of all encodings, and zstd where it gains. The bytes are not promised.
    Small,
}

/// What goes ahead of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// The whole schema: the message explains itself.
    #[default]
    Schema,
    /// The schema's fingerprint, 8 bytes: the reader must have the schema.
    Fingerprint,
    /// Nothing, not even the magic byte: the reader must know what comes.
    Bare,
}

/// Writes messages; its buffers are kept from one to the next.
///
/// Values of one kind can share a header: [`Encoder::body`] writes the columns alone, and gives the schema only when it
/// is another than before.
///
/// ```
/// use holdall::{Decoder, Encoder, Value, ValueBuilder};
/// # fn main() -> Result<(), holdall::Error> {
/// let mut encoder = Encoder::new();
/// let mut decoder = Decoder::new();
/// let mut schema = None;
/// for n in 0..3 {
///     let part = encoder.body(&mut &Value::from(vec![n, n + 1]))?;
///     assert_eq!(part.schema.is_some(), n == 0); // only the first needs a header
///     schema = part.schema.or(schema);
///
///     let mut builder = ValueBuilder::new();
///     decoder.body(schema.as_ref().unwrap(), &part.bytes, &mut builder)?;
///     assert_eq!(builder.finish()?, Value::from(vec![n, n + 1]));
/// }
/// # Ok(()) }
/// ```
#[derive(Default)]
pub struct Encoder {
    shredder: Shredder,
    profile: Profile,
    limits: Limits,
    header: Header,
    /// The schema of the body before, without the number of definitions.
    last: Option<(Vec<u8>, usize)>,
    plan: Plan,
}

/// What is kept of the messages before, for small ones that are alike.
#[derive(Default)]
struct Plan {
    /// The layout of the message before, and the extent of its schema, if the next can have it.
    layout: Option<(Layout, usize)>,
    /// The message before was unlike the one before it: so many messages are shredded anew before the next attempt.
    pause: u32,
    /// How long the next pause is.
    next_pause: u32,
}

/// A message with more bytes than this is shredded anew: there the schema's share of the time is small.
const SMALL: usize = 1 << 16;
/// The longest pause after messages that were unlike each other.
const LONGEST_PAUSE: u32 = 64;

/// A body, and its schema if that is another than the body's before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// What the reader needs before the bytes, unless it has it already.
    pub schema: Option<Schema>,
    /// A bare body (F-12).
    pub bytes: Vec<u8>,
}

impl Encoder {
    /// An encoder of profile fast with the schema inline.
    #[must_use]
    pub fn new() -> Self {
        Encoder::default()
    }

    /// Sets which encodings are chosen.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Sets what goes ahead of each message's body.
    #[must_use]
    pub fn header(mut self, header: Header) -> Self {
        self.header = header;
        self
    }

    /// Sets the limits; a writer looks at [`Limits::output`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Writes one value as a message of its own. What was written before does not show in the bytes.
    ///
    /// ```
    /// # fn main() -> Result<(), holdall::Error> {
    /// let bytes = holdall::Encoder::new().message(&mut &holdall::Value::from(300))?;
    /// assert_eq!(bytes, [0xC1, 0x10, 0x03, 0x61, 0x09]);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `limit_output`, `limit_sites`, `unsupported_value`, and the source's own.
    pub fn message(&mut self, source: &mut impl Source) -> Result<Vec<u8>> {
        self.last = None;
        let layout = self.shred(source)?;
        let out = self.write(&layout)?;
        if out.len() <= SMALL && self.shredder.is_repeatable() {
            self.plan.layout = Some((layout, self.shredder.extent()));
        }
        Ok(out)
    }

    /// Shreds a value, in the sites of the message before if it leaves no trace of that.
    fn shred(&mut self, source: &mut impl Source) -> Result<Layout> {
        let plan = &mut self.plan;
        plan.pause = plan.pause.saturating_sub(1);
        if let Some((layout, extent)) = plan.layout.take().filter(|_| plan.pause == 0) {
            self.shredder.clear();
            let told = source.drive(&mut self.shredder);
            if told.is_ok() && self.shredder.extent() == extent && self.shredder.is_repeatable() {
                plan.next_pause = 0;
                return Ok(layout);
            }
            plan.next_pause = (2 * plan.next_pause).clamp(1, LONGEST_PAUSE);
            plan.pause = plan.next_pause;
        }
        self.shredder.forget();
        source.drive(&mut self.shredder)?;
        self.shredder.layout()
    }

    fn write(&self, layout: &Layout) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(2 * layout.schema.len() + 16);
        match self.header {
            Header::Schema => {
                let flags = if layout.definitions == 0 { 0 } else { DEFINITIONS };
                out.extend_from_slice(&[MAGIC, VERSION << 4 | flags]);
                layout.write_schema(&mut out, flags != 0);
            }
            Header::Fingerprint => {
                out.extend_from_slice(&[MAGIC, VERSION << 4 | FINGERPRINT]);
                out.extend_from_slice(&layout.fingerprint().to_le_bytes());
            }
            Header::Bare => {}
        }
        let limit = self.limits.output_bytes();
        self.shredder.write_block(layout, &mut out, self.profile, limit)?;
        Ok(out)
    }

    /// Writes one value's body, under the schema of the body before where that has all the value needs, and else under
    /// one that has both.
    ///
    /// # Errors
    /// As [`Encoder::message`].
    pub fn body(&mut self, source: &mut impl Source) -> Result<Body> {
        self.plan.layout = None;
        match self.last {
            Some(_) => self.shredder.clear(),
            // What a message, or a value that failed, left in the schema must not show.
            None => self.shredder.forget(),
        }
        let last = self.last.take();
        source.drive(&mut self.shredder)?;
        let layout = self.shredder.layout()?;
        let mut bytes = Vec::new();
        self.shredder.write_block(&layout, &mut bytes, self.profile, self.limits.output_bytes())?;
        let same = matches!(&last, Some((schema, count)) if *schema == layout.schema && *count == layout.definitions);
        let schema = if same { None } else { Some(layout.to_schema()?) };
        self.last = Some((layout.schema, layout.definitions));
        Ok(Body { schema, bytes })
    }
}

/// Reads messages.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    limits: Limits,
    known: HashMap<u64, Schema>,
    /// The bytes of the message before up to its body, if they are few, and the schema in them.
    last: Option<(Vec<u8>, Schema)>,
}

/// A schema longer than this is read anew for each message.
const SMALL_HEADER: usize = 1 << 12;

impl Decoder {
    /// A decoder with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Decoder::default()
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How many bytes of text a converter should make of a message at most: [`Limits::output`], or if that is not set the
    /// number of units in the budget.
    #[must_use]
    pub fn output_limit(&self, message: &[u8]) -> usize {
        self.limits.output_for(message.len())
    }

    /// Makes a schema known, for messages that carry only its fingerprint.
    pub fn add_schema(&mut self, schema: &Schema) {
        self.known.insert(schema.fingerprint(), schema.clone());
    }

    /// Reads a whole message into a sink.
    ///
    /// # Errors
    /// Every fault of the spec's chapter 9, with its offset, and the sink's own.
    pub fn message(&mut self, message: &[u8], sink: &mut impl Sink) -> Result<()> {
        let unpacked = unpacked();
        let mut input = Input::new(message, self.limits.budget_for(message.len()), &unpacked);
        // A schema says itself where it ends: equal bytes are the same schema.
        if let Some((header, schema)) = &self.last
            && message.starts_with(header)
        {
            input.advance(header.len());
            return read_body(schema, input, sink);
        }
        let schema = Preamble::read(&mut input)?.schema(&mut input, &self.known)?;
        let header = &message[..input.position()];
        if header.len() <= SMALL_HEADER {
            self.last = Some((header.to_vec(), schema.clone()));
        }
        read_body(&schema, input, sink)
    }

    /// Reads a bare body (F-12), written under this schema, into a sink.
    ///
    /// # Errors
    /// As [`Decoder::message`], offsets counted from the body's first byte.
    pub fn body(&self, schema: &Schema, body: &[u8], sink: &mut impl Sink) -> Result<()> {
        let unpacked = unpacked();
        let input = Input::new(body, self.limits.budget_for(body.len()), &unpacked);
        read_body(schema, input, sink)
    }
}

fn read_body(schema: &Schema, input: Input<'_>, sink: &mut impl Sink) -> Result<()> {
    assemble(schema, read_block(schema, input, false)?, sink)
}

/// A block that ends the input, with all checks but those of the walk.
fn read_block<'a>(schema: &Schema, mut input: Input<'a>, locate: bool) -> Result<Block<'a>> {
    let block = Block::read(&mut input, schema, locate)?;
    if input.remaining() > 0 {
        return Err(Error::at(Code::TrailingBytes, input.position())
            .expected("the end of the message")
            .got(format!("{} more bytes", input.remaining())));
    }
    block.check_definitions()?;
    Ok(block)
}

/// A column of a message: which site's, where it stands, how it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnPlace {
    /// The site, like `$.users[].name`; `#0[]` starts one in a definition.
    pub site: String,
    /// The column's bytes within the message, its encoding and rows.
    pub place: Place,
}

/// Finds the columns of a message, in the order of its bytes. A site can have several: presence, lengths, values.
///
/// ```
/// # fn main() -> Result<(), holdall::Error> {
/// let bytes = holdall::to_vec(&holdall::Value::from(vec![1, 2, 3, 4, 5]))?;
/// let columns = holdall::locate_columns(&bytes)?;
/// assert_eq!(columns[1].site, "$[]");
/// assert_eq!(columns[1].place.range, 5..8);
/// assert_eq!(columns[1].place.encoding, Some(0x03)); // a frame of 3 bits
/// # Ok(()) }
/// ```
///
/// # Errors
/// As [`Decoder::message`], but for what only a walk over the values shows.
pub fn locate_columns(message: &[u8]) -> Result<Vec<ColumnPlace>> {
    let unpacked = unpacked();
    let mut input = Input::new(message, Limits::new().budget_for(message.len()), &unpacked);
    let schema = Preamble::read(&mut input)?.schema(&mut input, &HashMap::new())?;
    let block = read_block(&schema, input, true)?;
    let parents = parents(&schema);
    let columns = block.places.into_iter();
    Ok(columns
        .map(|(id, place)| ColumnPlace { site: row_path(&schema, &parents, &[], id, None), place })
        .collect())
}
