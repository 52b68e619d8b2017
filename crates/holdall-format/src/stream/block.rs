//! Blocks: several values in the columns of one schema (F-85 to F-87).

use alloc::string::ToString;
use alloc::vec::Vec;

use crate::memory::{Collect, GrowVec};
use core::ops::Range;

use crate::block::Block;
use crate::block::filler::WrittenBlock;
use crate::column::{Place, Profile, Settings};
use crate::error::{Code, Error, Result};
use crate::input::trace::{Part, Tracer, field};
use crate::input::{Input, Scratch};
use crate::limits::{Budget, Limits, beyond_output};
use crate::message::{TracedColumn, Written, read_block};
use crate::number::write_varint;
use crate::schema::Schema;

/// The flag bits at the head of a block.
const ALIGNED: u64 = 1;
const DIRECTORY: u64 = 2;
/// The alignment of an aligned block's payload.
const MULTIPLE: usize = 8;
/// A block with fewer bytes than this for each site with columns has no directory: it would cost more than it saves.
const BYTES_PER_SITE: usize = 64;

/// The values of one block frame, still encoded.
#[derive(Clone, Debug)]
pub struct StoredBlock {
    bytes: Vec<u8>,
    /// The block after its head.
    body: Range<usize>,
    /// The payload's bytes, and where they begin in the stream.
    payload: Range<usize>,
    at: u64,
    roots: u64,
    /// The number of the first value in the stream.
    first: u64,
    aligned: bool,
    sizes: Vec<Size>,
    schema: Schema,
    limits: Limits,
}

/// An entry of the directory, and its offset in the payload.
#[derive(Clone, Debug)]
pub struct Size {
    bytes: u64,
    at: usize,
}

impl Size {
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl StoredBlock {
    /// Reads the head of a block from part of a stream that begins at `offset`.
    pub fn read(
        bytes: Vec<u8>,
        payload: Range<usize>,
        at: u64,
        schema: Schema,
        limits: Limits,
    ) -> Result<StoredBlock> {
        let scratch = Scratch::default();
        let mut input = Input::new(&bytes[payload.clone()], Budget::default(), &scratch);
        let (roots, aligned, sizes) =
            read_head(&mut input, &schema).map_err(|error| error.moved_by(at))?;
        let body = payload.start + input.position()..payload.end;
        Ok(StoredBlock {
            bytes,
            body,
            payload,
            at,
            roots,
            first: 0,
            aligned,
            sizes,
            schema,
            limits,
        })
    }

    pub fn numbered(self, first: u64) -> StoredBlock {
        StoredBlock { first, ..self }
    }

    /// The number of the first value in the stream, counted from 0. Lost values are not counted.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The number of values, at least 1.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "a block is never empty")]
    pub fn len(&self) -> u64 {
        self.roots
    }

    /// The schema of the values.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Where the block's payload begins in the stream, and its length in bytes.
    #[must_use]
    pub fn place(&self) -> Range<u64> {
        self.at..self.at + self.payload.len() as u64
    }

    /// The limits of the reader.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The payload.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        &self.bytes[self.payload.clone()]
    }

    /// Where the block begins in the stream. Offsets of errors inside it count from there.
    pub fn moved(&self) -> u64 {
        self.at + (self.body.start - self.payload.start) as u64
    }

    fn budget(&self) -> Budget {
        self.limits.budget_for(self.payload.len())
    }

    /// The columns, with all checks of the bytes done.
    pub fn columns<'a>(&'a self, scratch: &'a Scratch) -> Result<Block<'a>> {
        self.read_columns(scratch, None)
    }

    fn read_columns<'a>(
        &'a self,
        scratch: &'a Scratch,
        tracer: Option<&'a Tracer>,
    ) -> Result<Block<'a>> {
        let mut input = Input::new(&self.bytes[self.body.clone()], self.budget(), scratch)
            .of_whole(self.payload.len());
        if let Some(tracer) = tracer {
            input = input.traced(tracer);
        }
        if self.aligned {
            input.align();
        }
        let block = read_block(&self.schema, input, self.roots, tracer.is_some())
            .map_err(|error| error.moved_by(self.moved()))?;
        self.check_directory(&block)?;
        Ok(block)
    }

    /// Records the items of the payload for a schema whose sites have numbers from `first_site` on. Returns the places of
    /// the columns in the stream, in which this is the block with a number.
    pub fn trace(
        &self,
        tracer: &Tracer,
        first_site: usize,
        block: usize,
    ) -> Result<Vec<TracedColumn>> {
        let moved = self.moved() as usize;
        let scratch = Scratch::default();
        tracer.place(self.at as usize, 0);
        tracer.enter(Part::Envelope, None);
        let head = Input::new(self.payload(), Budget::default(), &scratch).traced(tracer);
        read_head(&mut { head }, &self.schema).map_err(|error| error.moved_by(self.at))?;
        tracer.place(moved, first_site);
        let read = self.read_columns(&scratch, Some(tracer))?;
        let columns = read.places.into_iter().map(|(site, role, place)| {
            let range = place.range.start + moved..place.range.end + moved;
            TracedColumn { site: site + first_site, role, place: Place { range, ..place }, block }
        });
        Ok(columns.collected())
    }

    /// The directory has the length of each site's columns in bytes (F-86).
    fn check_directory(&self, block: &Block<'_>) -> Result<()> {
        let mut sizes = self.sizes.iter();
        if self.sizes.is_empty() {
            return Ok(());
        }
        let with_columns = self.schema.with_columns();
        for id in (0..with_columns.len()).filter(|id| with_columns[*id]) {
            let own = (block.starts[id + 1] - block.starts[id]) as u64;
            let entry = sizes.next();
            if let Some(entry) = entry.filter(|entry| entry.bytes != own) {
                return Err(Error::in_stream(Code::BadDirectory, self.at + entry.at as u64)
                    .expected(format!("{own} bytes, the size of the column"))
                    .got(entry.bytes.to_string()));
            }
        }
        Ok(())
    }
}

/// The number of values, and two flags (F-85).
fn read_number(input: &mut Input<'_>) -> Result<u64> {
    let head = input.varint(field("the number of values", "F-85"))?;
    if head >> 2 == 0 {
        return Err(Error::at(Code::BadFrame, 0).expected("at least one value").got("none"));
    }
    Ok(head)
}

/// The number of values, from the beginning of a payload.
pub fn values(input: &mut Input<'_>) -> Result<u64> {
    Ok(read_number(input)? >> 2)
}

/// Reads the part before the columns: number of roots, alignment, directory.
pub fn read_head(input: &mut Input<'_>, schema: &Schema) -> Result<(u64, bool, Vec<Size>)> {
    let head = read_number(input)?;
    let roots = head >> 2;
    let mut sizes = Vec::new();
    if head & DIRECTORY != 0 {
        for _ in schema.with_columns().into_iter().filter(|has_columns| *has_columns) {
            let at = input.position();
            sizes.put(Size { bytes: input.varint(field("the bytes of a site", "F-86"))?, at });
        }
    }
    let aligned = head & ALIGNED != 0;
    if aligned {
        input.align();
        input.skip_padding(MULTIPLE)?;
    }
    Ok((roots, aligned, sizes))
}

/// How the blocks of a stream are written.
#[derive(Clone, Copy, Debug)]
pub struct BlockForm {
    pub profile: Profile,
    pub aligned: bool,
    pub limit: usize,
    /// How many threads encode columns.
    pub threads: usize,
}

/// Appends the payload of a block to a frame. `columns` is a reused buffer: the columns are encoded first, because
/// their lengths precede them.
pub fn write_block(
    frame: &mut Vec<u8>,
    columns: &mut Vec<u8>,
    written: &dyn Written,
    roots: u64,
    form: BlockForm,
) -> Result<()> {
    columns.clear();
    let mut ends = Vec::new();
    let aligned_from = form.aligned.then_some(0);
    let settings = Settings { profile: form.profile, aligned_from, threads: form.threads };
    written.write_block(columns, settings, form.limit, &mut |end| ends.put(end))?;
    let sites = ends.len() - 1;
    let has_directory = sites > 0 && columns.len() >= BYTES_PER_SITE * sites;
    let flags = if form.aligned { ALIGNED } else { 0 } | if has_directory { DIRECTORY } else { 0 };
    let start = frame.len();
    write_varint(frame, roots << 2 | flags);
    if has_directory {
        ends.windows(2).for_each(|own| write_varint(frame, (own[1] - own[0]) as u64));
    }
    if form.aligned {
        let len = frame.len() - start;
        frame.put_fill(start + len.next_multiple_of(MULTIPLE), 0);
    }
    frame.put_slice(columns);
    let block = WrittenBlock {
        most_units: written.most_units(roots),
        schema: &|| written.schema(),
        bytes: columns,
        start: 0,
        roots,
        aligned: form.aligned,
    };
    if let Some(len) = block.wants(frame.len() - start) {
        frame.put_fill(start + len, 0);
    }
    if frame.len() - start > form.limit { Err(beyond_output(form.limit)) } else { Ok(()) }
}
