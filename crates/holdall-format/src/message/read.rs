//! Reads messages up to their checked columns: envelope, schema, block.

use alloc::string::String;
use alloc::vec::Vec;

use crate::block::{Block, row_path};
use crate::column::Place;
use crate::envelope::{Dictionaries, MAGIC, Preamble, VERSION, has_dictionary};
use crate::error::Result;
use crate::input::trace::Part;
use crate::input::{Input, LINE, Scratch};
use crate::limits::{Budget, Limits};
use crate::memory::{self, Collect, GrowVec};
use crate::schema::{Known, Schema, parents, path};

/// What a reader of messages keeps: limits, known schemas and dictionaries, and the schema of the last message.
#[derive(Clone, Debug, Default)]
pub struct MessageReader {
    pub limits: Limits,
    pub known: Known,
    pub dictionaries: Dictionaries,
    /// The last message's schema bytes (if they are few), the flags that describe them, and the schema.
    last: Option<(Vec<u8>, u8, Schema)>,
}

/// A longer schema is parsed for each message.
const SMALL_SCHEMA: usize = 1 << 12;

impl MessageReader {
    /// Reads everything before the block. Returns the schema, and the input at the block.
    pub fn open<'a>(
        &mut self,
        message: &'a [u8],
        scratch: &'a Scratch,
    ) -> Result<(Schema, Input<'a>)> {
        let mut input = Input::new(message, self.limits.budget_for(message.len()), scratch);
        let preamble = Preamble::read(&mut input, &self.dictionaries)?;
        let schema = match self.schema_of_last(&preamble, &mut input) {
            Some(schema) => schema.clone(),
            None => self.read_schema(&preamble, &mut input)?,
        };
        Ok((schema, input))
    }

    /// Does the same for a reader that knows a schema; returns none if the message has that schema.
    pub fn open_as<'a>(
        &mut self,
        own: &Schema,
        message: &'a [u8],
        scratch: &'a Scratch,
    ) -> Result<(Option<Schema>, Input<'a>)> {
        let mut input = Input::new(message, self.limits.budget_for(message.len()), scratch);
        let preamble = Preamble::read(&mut input, &self.dictionaries)?;
        if preamble.takes_fingerprint_of(own, &mut input) {
            return Ok((None, input));
        }
        let schema = match self.schema_of_last(&preamble, &mut input) {
            Some(schema) if schema == own => return Ok((None, input)),
            Some(schema) => schema.clone(),
            None => self.read_schema(&preamble, &mut input)?,
        };
        if schema == *own {
            return Ok((None, input));
        }
        Ok((Some(schema), input))
    }

    /// Returns the schema of the last message if this message has it too, and moves the input past it.
    #[inline]
    fn schema_of_last(&self, preamble: &Preamble, input: &mut Input<'_>) -> Option<&Schema> {
        let (bytes, flags, schema) = self.last.as_ref()?;
        // A schema marks its own end, so equal bytes are the same schema.
        if *flags != preamble.schema_flags() || !input.rest().starts_with(bytes) {
            return None;
        }
        input.advance(bytes.len());
        Some(schema)
    }

    fn read_schema(&mut self, preamble: &Preamble, input: &mut Input<'_>) -> Result<Schema> {
        let flags = preamble.schema_flags();
        let before = input.rest();
        let schema = preamble.schema(input, &self.known)?;
        let bytes = &before[..before.len() - input.remaining()];
        if bytes.len() <= SMALL_SCHEMA {
            self.last = Some((memory::copied(bytes), flags, schema.clone()));
        }
        Ok(schema)
    }

    /// Returns a message without its dictionary: flags, and the decompressed content. None if it has no dictionary.
    ///
    /// # Errors
    /// Those of the envelope.
    pub fn without_dictionary(&self, message: &[u8]) -> Result<Option<Vec<u8>>> {
        if !has_dictionary(message) {
            return Ok(None);
        }
        let scratch = Scratch::default();
        let mut input = Input::new(message, self.limits.budget_for(message.len()), &scratch);
        let preamble = Preamble::read(&mut input, &self.dictionaries)?;
        let mut plain = memory::with_capacity(2 + input.remaining());
        plain.put_slice(&[MAGIC, VERSION << 4 | preamble.schema_flags()]);
        plain.put_slice(input.rest());
        Ok(Some(plain))
    }

    /// The budget in units for an input of this length.
    pub fn budget_for(&self, input: usize) -> Budget {
        self.limits.budget_for(input)
    }
}

/// Reads a block up to the end of the input, with all checks except those of the walk (F-11, F-34). A bare body is only this
/// (F-12).
pub fn read_block<'a>(
    schema: &Schema,
    mut input: Input<'a>,
    roots: u64,
    locate: bool,
) -> Result<Block<'a>> {
    input.enter(Part::Envelope, None);
    input.skip_padding(LINE)?;
    let block = Block::read(&mut input, schema, roots, locate)?;
    input.end()?;
    block.check_definitions()?;
    Ok(block)
}

/// A column of a message: its site, its place and its encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnPlace {
    /// The site, like `$.users[].name`; `#0[]` starts one in a definition.
    pub site: String,
    /// The column's byte range within the message, its encoding and its number of rows.
    pub place: Place,
}

/// Longer paths are cut off, because there can be very many.
const LONGEST_SITE: usize = 400;

/// Finds the columns of a message, in the order of its bytes. A site can have several: presence, lengths, values.
///
/// ```
/// # fn main() -> Result<(), holdall::Error> {
/// let bytes = holdall::to_vec(&holdall::Value::from(vec![1, 2, 3, 4, 5]))?;
/// let columns = holdall::trace::locate_columns(&bytes)?;
/// assert_eq!(columns[1].site, "$[]");
/// assert_eq!(columns[1].place.range, 5..8);
/// assert_eq!(columns[1].place.encoding, Some(0x03)); // a frame of 3 bits
/// # Ok(()) }
/// ```
///
/// # Errors
/// The errors of `Decoder::message`, except those that only a walk over the values finds.
pub fn locate_columns(message: &[u8]) -> Result<Vec<ColumnPlace>> {
    let scratch = Scratch::default();
    let mut input = Input::new(message, Limits::new().budget_for(message.len()), &scratch);
    let preamble = Preamble::read(&mut input, &Dictionaries::default())?;
    let schema = preamble.schema(&mut input, &Known::default())?;
    let block = read_block(&schema, input, 1, true)?;
    let parents = parents(&schema);
    let site = |id| {
        let path = row_path(&schema, &parents, &block.columns, id, None);
        path::shorten(&path, LONGEST_SITE).into_owned()
    };
    let columns = block.places.into_iter();
    Ok(columns.map(|(id, _, place)| ColumnPlace { site: site(id), place }).collected())
}
