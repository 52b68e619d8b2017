//! A message up to its checked columns.

use crate::block::{Block, row_path};
use crate::column::Place;
use crate::envelope::Preamble;
use crate::error::Result;
use crate::input::trace::Part;
use crate::input::{Input, LINE, Scratch};
use crate::limits::{Budget, Limits};
use crate::schema::{Known, Schema, parents, path};

/// What a reader of messages knows: limits, schemas, and the schema of the message before.
#[derive(Clone, Debug, Default)]
pub struct MessageReader {
    pub limits: Limits,
    pub known: Known,
    /// The schema's bytes in the message before, if they are few, the flags that say what they are, and the schema.
    last: Option<(Vec<u8>, u8, Schema)>,
}

/// A schema longer than this is read anew for each message.
const SMALL_SCHEMA: usize = 1 << 12;

impl MessageReader {
    /// Reads all that stands ahead of the block; gives the schema, and the input from the block on.
    pub fn open<'a>(
        &mut self,
        message: &'a [u8],
        scratch: &'a Scratch,
    ) -> Result<(Schema, Input<'a>)> {
        let mut input = Input::new(message, self.limits.budget_for(message.len()), scratch);
        let preamble = Preamble::read(&mut input)?;
        let schema = match self.schema_of_last(&preamble, &mut input) {
            Some(schema) => schema.clone(),
            None => self.read_schema(&preamble, &mut input)?,
        };
        Ok((schema, input))
    }

    /// The same for who knows a schema; none is given if it is that.
    pub fn open_as<'a>(
        &mut self,
        own: &Schema,
        message: &'a [u8],
        scratch: &'a Scratch,
    ) -> Result<(Option<Schema>, Input<'a>)> {
        let mut input = Input::new(message, self.limits.budget_for(message.len()), scratch);
        let preamble = Preamble::read(&mut input)?;
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

    /// The schema of the message before, if it is this one's too: then the input goes on behind it.
    #[inline]
    fn schema_of_last(&self, preamble: &Preamble, input: &mut Input<'_>) -> Option<&Schema> {
        let (bytes, flags, schema) = self.last.as_ref()?;
        // A schema says itself where it ends: equal bytes are the same schema.
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
            self.last = Some((bytes.to_vec(), flags, schema.clone()));
        }
        Ok(schema)
    }

    /// The units that reading an input of so many bytes may take.
    pub fn budget_for(&self, input: usize) -> Budget {
        self.limits.budget_for(input)
    }
}

/// A block that ends the input, with all checks but those of the walk.
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

/// A column of a message: which site's, where it stands, how it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnPlace {
    /// The site, like `$.users[].name`; `#0[]` starts one in a definition.
    pub site: String,
    /// The column's bytes within the message, its encoding and rows.
    pub place: Place,
}

/// A longer path of a column is cut off, as there can be very many.
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
/// As `Decoder::message`, but for what only a walk over the values shows.
pub fn locate_columns(message: &[u8]) -> Result<Vec<ColumnPlace>> {
    let scratch = Scratch::default();
    let mut input = Input::new(message, Limits::new().budget_for(message.len()), &scratch);
    let schema = Preamble::read(&mut input)?.schema(&mut input, &Known::default())?;
    let block = read_block(&schema, input, 1, true)?;
    let parents = parents(&schema);
    let site = |id| {
        let path = row_path(&schema, &parents, &[], id, None);
        path::shorten(&path, LONGEST_SITE).into_owned()
    };
    let columns = block.places.into_iter();
    Ok(columns.map(|(id, _, place)| ColumnPlace { site: site(id), place }).collect())
}
