//! Writes and reads messages of Rust values.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use super::buffers::Buffers;
use super::columns::{Columns, deeper_with_room};
use super::dynamic_sites::OptionalValues;
use super::inline::{InlineBuffers, InlineColumns, InlineRows};
use super::other::Resolved;
use super::plan::{Plan, Site, without_schema};
use super::rows::Rows;
use super::{Decode, Encode};
use crate::block::Block;
use crate::block::filler::is_enough;
use crate::column::Settings;
use crate::error::{Code, Result};
use crate::input::{BufferPool, Input, Scratch};
use crate::limits::beyond_output;
use crate::memory::{self, Grow, GrowVec};
use crate::message::{Header, MessageReader, MessageWriter, Written, read_block};
use crate::schema::Schema;

/// The rows of a Rust value and their schema, ready to be written as a message.
pub(super) struct TypedMessage<'w> {
    pub(super) schema: &'w Schema,
    pub(super) rows: BlockRows<'w>,
}

/// The rows of a value.
#[derive(Clone, Copy)]
pub(super) enum BlockRows<'w> {
    Columns(&'w Buffers),
    /// An inline block, and an upper bound of the charge for reading it.
    Inline(&'w [u8], u64),
}

impl TypedMessage<'_> {
    /// The bytes of the schema in a message: without the 0 that a schema alone begins with if it has no definitions (F-22).
    fn schema_bytes(&self) -> &[u8] {
        let bytes = self.schema.as_bytes();
        if self.schema.definitions().is_empty() { &bytes[1..] } else { bytes }
    }
}

impl Written for TypedMessage<'_> {
    fn definitions(&self) -> usize {
        self.schema.definitions().len()
    }

    fn write_schema(&self, out: &mut Vec<u8>) {
        out.put_slice(self.schema_bytes());
    }

    fn fingerprint(&self) -> u64 {
        self.schema.fingerprint()
    }

    fn self_contained(&self) -> Cow<'_, [u8]> {
        self.schema.as_bytes().into()
    }

    fn wants_alignment(&self) -> bool {
        match self.rows {
            BlockRows::Columns(buffers) => buffers.wants_alignment(),
            BlockRows::Inline(..) => false,
        }
    }

    fn most_units(&self, roots: u64) -> u64 {
        match self.rows {
            BlockRows::Columns(buffers) => buffers.most_units(self.schema, roots),
            BlockRows::Inline(_, most_units) => most_units,
        }
    }

    fn schema(&self) -> Result<Schema> {
        Ok(self.schema.clone())
    }

    fn write_block(
        &self,
        out: &mut Vec<u8>,
        settings: Settings,
        limit: usize,
        ends: &mut dyn FnMut(usize),
    ) -> Result<()> {
        match self.rows {
            BlockRows::Columns(buffers) => buffers.write_block(out, settings, ends),
            BlockRows::Inline(block, _) => out.put_slice(block),
        }
        if out.len() > limit {
            return Err(beyond_output(limit));
        }
        Ok(())
    }
}

/// Returns the message of gathered columns, with its schema.
pub(crate) fn message_of(plan: &Plan, buffers: &Buffers) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    write_columns(&MessageWriter::default(), plan, buffers, &mut out)?;
    Ok(out)
}

/// Writes gathered columns as a message, or as a bare body (F-12).
fn write_columns(
    messages: &MessageWriter,
    plan: &Plan,
    buffers: &Buffers,
    out: &mut Vec<u8>,
) -> Result<()> {
    if let Some(values) = buffers.deciding_values() {
        // Only a schema beside a bare body could say what it has.
        return match messages.header {
            Header::Bare => Err(without_schema(Code::UnsupportedValue)),
            _ => values.written(plan, buffers, &mut |_, written| messages.write(written, out)),
        };
    }
    messages.write(&TypedMessage { schema: &plan.schema, rows: BlockRows::Columns(buffers) }, out)
}

/// The memory that an encoder keeps from one message to the next.
#[derive(Default)]
pub(crate) struct WriteMemory {
    /// The columns of the previous value, and their plan.
    columns: Option<(&'static Plan, Buffers)>,
    /// The memory of inline values.
    inline: InlineBuffers,
}

/// Writes messages of Rust values.
pub(crate) struct TypedWriter<'e> {
    pub(crate) messages: &'e MessageWriter,
    pub(crate) canonical: bool,
    pub(crate) memory: &'e mut WriteMemory,
}

impl TypedWriter<'_> {
    /// Returns a new message, or a bare body (F-12).
    pub(crate) fn encode<T: Encode + ?Sized>(&mut self, value: &T) -> Result<Vec<u8>> {
        let plan = Plan::of_written::<T>()?;
        if self.is_inline::<T>(plan) {
            let mut message = core::mem::take(&mut self.memory.inline.message);
            message.clear();
            message.room(INITIAL_MESSAGE);
            let done = self.encode_inline(value, plan, &mut message);
            if let Ok(true) = done
                && message.len() >= MIN_MESSAGE_MOVED
            {
                message.shrink_to_fit();
                return Ok(message);
            }
            let out = done.map(|is_whole| is_whole.then(|| memory::copied(&message)));
            self.memory.inline.message = message;
            if let Some(out) = out.transpose() {
                return out;
            }
        }
        let mut out = Vec::new();
        let mut buffers = self.gather(value, plan)?;
        if let Some(len) = self.len_of(&plan.schema, &mut buffers) {
            memory::check(out.try_reserve_exact(len));
        }
        let done = write_columns(self.messages, plan, &buffers, &mut out);
        self.memory.columns = Some((plan, buffers));
        // Its length was not known, or filler follows.
        out.shrink_to_fit();
        done.map(|()| out)
    }

    /// Writes a message over the contents of a buffer, which is empty after an error.
    pub(crate) fn encode_into<T: Encode + ?Sized>(
        &mut self,
        value: &T,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        out.clear();
        let plan = Plan::of_written::<T>()?;
        if self.is_inline::<T>(plan) {
            match self.encode_inline(value, plan, out) {
                Ok(true) => return Ok(()),
                // Drops a partial message.
                Ok(false) => out.clear(),
                Err(error) => {
                    out.clear();
                    return Err(error);
                }
            }
        }
        let buffers = self.gather(value, plan)?;
        let done = write_columns(self.messages, plan, &buffers, out);
        self.memory.columns = Some((plan, buffers));
        done.inspect_err(|_| out.clear())
    }

    /// Returns the length of a value's message if that is known without writing it: that of columns, as
    /// [`Self::len_of`] says.
    pub(crate) fn measure<T: Encode + ?Sized>(&mut self, value: &T) -> Result<Option<usize>> {
        let plan = Plan::of_written::<T>()?;
        if self.is_inline::<T>(plan) {
            return Ok(None);
        }
        let mut buffers = self.gather(value, plan)?;
        let most_units = buffers.most_units(&plan.schema, 1);
        let len = self.len_of(&plan.schema, &mut buffers);
        self.memory.columns = Some((plan, buffers));
        let limit = self.messages.limits.output_bytes();
        match len {
            Some(len) if len > limit => Err(beyond_output(limit)),
            // Otherwise filler may follow.
            len => Ok(len.filter(|len| is_enough(*len, most_units))),
        }
    }

    /// Whether a value is written inline: its type can be, nothing is aligned, and one thread writes.
    fn is_inline<T: Encode + ?Sized>(&self, plan: &Plan) -> bool {
        T::IS_INLINE
            && plan.is_inline
            && !self.messages.aligns()
            && !self.canonical
            && self.messages.threads < 2
    }

    /// Writes a message without columns around its rows; false if the value needs columns, because it has unknown fields, or
    /// cannot be written and the error has its path by them.
    fn encode_inline<T: Encode + ?Sized>(
        &mut self,
        value: &T,
        plan: &Plan,
        out: &mut Vec<u8>,
    ) -> Result<bool> {
        let (settings, depth) =
            (self.messages.settings(None)?, self.messages.limits.depth_or_default());
        let limit = self.messages.limits.output_bytes();
        let message = |block, most_units| {
            let rows = BlockRows::Inline(block, most_units);
            TypedMessage { schema: &plan.schema, rows }
        };
        self.memory.inline.begin(plan);
        if self.messages.begins_with_block() {
            let mut block = Vec::new();
            let buffers = &mut self.memory.inline;
            let columns = &mut InlineColumns::new(&mut block, settings, depth, buffers);
            if has_unsupported(value.write_inline(columns))? || self.memory.inline.has_unknown {
                return Ok(false);
            }
            self.messages.write(&message(&block, self.memory.inline.most_units), out)?;
        } else {
            // Only a filler follows the block, and nothing before depends on it.
            self.messages.begin(&message(&[], 0), out)?;
            let start = out.len();
            let buffers = &mut self.memory.inline;
            let columns = &mut InlineColumns::new(out, settings, depth, buffers);
            if has_unsupported(value.write_inline(columns))? || self.memory.inline.has_unknown {
                return Ok(false);
            }
            self.messages.fill(out, start, false, self.memory.inline.most_units, &|| {
                Ok(plan.schema.clone())
            })?;
        }
        if out.len() > limit { Err(beyond_output(limit)) } else { Ok(true) }
    }

    /// Gathers the columns of a value, in the buffers of the previous one if it had the same type.
    fn gather<T: Encode + ?Sized>(&mut self, value: &T, plan: &'static Plan) -> Result<Buffers> {
        let mut buffers = match self.memory.columns.take() {
            Some((of, mut buffers)) if core::ptr::eq(of, plan) => {
                buffers.clear();
                buffers
            }
            _ => Buffers::new(plan),
        };
        let mut columns = Columns::new(plan, &mut buffers, self.messages.limits.depth_or_default())
            .canonical(self.canonical);
        match value.write(Site::ROOT, &mut columns) {
            Ok(()) => Ok(buffers),
            Err(error) => {
                self.memory.columns = Some((plan, buffers));
                Err(error)
            }
        }
    }

    /// Returns the message's length if known before it is written: in profile fast, with only the schema around the
    /// block, and without integers over 64 bits.
    fn len_of(&self, schema: &Schema, buffers: &mut Buffers) -> Option<usize> {
        if buffers.deciding_values().is_some() {
            return None;
        }
        let written = TypedMessage { schema, rows: BlockRows::Columns(buffers) };
        let head = self.messages.plain_head_len(&written, written.schema_bytes().len())?;
        Some(head + buffers.prepare()?)
    }
}

/// Whether a value refused to be written inline: columns say where it is.
fn has_unsupported(done: Result<()>) -> Result<bool> {
    match done {
        Ok(()) => Ok(false),
        Err(error) if error.code() == Code::UnsupportedValue => Ok(true),
        Err(error) => Err(error),
    }
}

/// The initial capacity of an inline message: a buffer that grows from nothing moves six times to reach it.
const INITIAL_MESSAGE: usize = 512;

/// Longer messages move to the caller, shorter ones are copied: allocating for long ones again takes longer.
const MIN_MESSAGE_MOVED: usize = 1 << 16;
/// Shorter messages are read with fresh memory, which is not slower because all of it is small.
const MIN_MESSAGE_POOLED: usize = 4096;

/// Reads messages into Rust values.
pub(crate) struct TypedReader<'d> {
    pub(crate) messages: &'d mut MessageReader,
    /// Memory of the previous value.
    pub(crate) pool: &'d mut Option<Box<BufferPool>>,
}

impl TypedReader<'_> {
    /// Reads a message. Data with another schema are converted by the type's resolver.
    pub(crate) fn decode<'de, T: Decode<'de>>(&mut self, message: &'de [u8]) -> Result<T> {
        let plan = Plan::of_read::<T>()?;
        self.with_scratch(message.len(), |reader, scratch| {
            let (other, input) = reader.messages.open_as(&plan.schema, message, scratch)?;
            match other {
                None => reader.value(plan, input, message),
                Some(schema) => reader.other(plan, &schema, input, message, T::read),
            }
        })
    }

    /// Reads a message over a value, and reuses its memory.
    pub(crate) fn decode_into<'de, T: Decode<'de>>(
        &mut self,
        message: &'de [u8],
        value: &mut T,
    ) -> Result<()> {
        let plan = Plan::of_read::<T>()?;
        let read = |site: Site, rows: &mut Rows<'_, 'de>| {
            // A dry run must not change the value.
            if rows.dry_run { T::read(site, rows).map(drop) } else { value.read_over(site, rows) }
        };
        self.with_scratch(message.len(), |reader, scratch| {
            let (other, input) = reader.messages.open_as(&plan.schema, message, scratch)?;
            match other {
                None => reader.rows(plan, input, message, read),
                Some(schema) => reader.other(plan, &schema, input, message, read),
            }
        })
    }

    /// Reads a message of this many bytes with the memory of the previous one.
    pub(super) fn with_scratch<R>(
        &mut self,
        len: usize,
        read: impl FnOnce(&mut Self, &Scratch) -> R,
    ) -> R {
        if len < MIN_MESSAGE_POOLED {
            return read(self, &Scratch::default());
        }
        let scratch = Scratch::of(Some(self.pool.take().unwrap_or_default()));
        let done = read(self, &scratch);
        *self.pool = scratch.into_pool();
        done
    }

    /// Reads the rows of a message of another schema by a function.
    fn other<'de, R>(
        &self,
        plan: &Plan,
        schema: &Schema,
        input: Input<'_>,
        message: &'de [u8],
        read: impl FnMut(Site, &mut Rows<'_, 'de>) -> Result<R>,
    ) -> Result<R> {
        let (resolved, scratch) = (Resolved::of(plan, schema)?, input.scratch());
        let block = read_block(schema, input, 1, false)?;
        self.other_rows(&resolved, (block, 1), scratch, message, read)
    }

    /// Reads a bare body (F-12) that was written by the same type.
    pub(crate) fn decode_body<'de, T: Decode<'de>>(&mut self, body: &'de [u8]) -> Result<T> {
        let plan = Plan::of_read::<T>()?;
        plan.constant_schema()?;
        self.with_scratch(body.len(), |reader, scratch| {
            let input = Input::new(body, reader.messages.budget_for(body.len()), scratch);
            reader.value(plan, input, body)
        })
    }

    /// Reads the value of a block: inline if that succeeds, otherwise by columns, which find the fault and its offset.
    fn value<'de, T: Decode<'de>>(
        &self,
        plan: &Plan,
        input: Input<'_>,
        message: &'de [u8],
    ) -> Result<T> {
        if T::IS_INLINE && plan.is_inline && !input.is_aligned() {
            let depth = self.messages.limits.depth_or_default();
            let mut rows = InlineRows::new(&input, message, depth);
            match T::read_inline(&mut rows) {
                Some(value) if rows.is_at_end() => return Ok(value),
                _ => {}
            }
        }
        self.rows(plan, input, message, T::read)
    }

    /// Reads the value of a block by its columns.
    fn rows<'de, R>(
        &self,
        plan: &Plan,
        input: Input<'_>,
        message: &'de [u8],
        read: impl FnMut(Site, &mut Rows<'_, 'de>) -> Result<R>,
    ) -> Result<R> {
        let scratch = input.scratch();
        let block = read_block(&plan.schema, input.deferring(), 1, false)?;
        self.block_rows(plan, (block, None), scratch, message, read)
    }

    /// Takes the rows of checked columns, and checks that none is left (F-36).
    pub(super) fn block_rows<'de, R>(
        &self,
        plan: &Plan,
        (block, values): (Block<'_>, OptionalValues),
        scratch: &Scratch,
        message: &'de [u8],
        mut read: impl FnMut(Site, &mut Rows<'_, 'de>) -> Result<R>,
    ) -> Result<R> {
        let depth = self.messages.limits.depth_or_default();
        // The drop of rows kept until the end needs the larger stack, and so does that of a value whose last check fails.
        let value = deeper_with_room(depth.min(block.definition_rows()), || {
            if plan.has_weak {
                let mut dry_run = Rows::new(plan, &block, message, depth);
                dry_run.dry_run = true;
                dry_run.values = values.as_ref().map(|values| values.copied());
                read(Site::ROOT, &mut dry_run)?;
            }
            let mut rows = Rows::new(plan, &block, message, depth);
            rows.values = values;
            let value = read(Site::ROOT, &mut rows)?;
            rows.check_taken()?;
            Ok(value)
        });
        block.recycle(scratch);
        value
    }
}
