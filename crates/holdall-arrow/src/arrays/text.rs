//! Text as views: rows of a dictionary share the bytes of their entry.

use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::{ArrayRef, BinaryViewArray, StringViewArray};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::DataType;
use holdall::Result;
use holdall::bindings::block::Column;
use holdall::bindings::kernel::lengths::bounds;
use holdall::bindings::schema::TypeId;
use holdall::bindings::{IntRows, text::TextRows};

use super::Builder;
use crate::fault::of_arrow;
use crate::mask::Mask;
use crate::memory::MIN_BORROWED_BYTES;

/// Shorter texts are in the view itself.
const INLINE: usize = 12;

impl Builder<'_> {
    pub(super) fn text(&self, id: TypeId, data_type: &DataType, mask: &Mask) -> Result<ArrayRef> {
        self.charge_absent(id, mask, 16)?;
        self.block.read(id, |column| match column {
            Column::Strings { rows, text } => {
                self.views(id, &rows, text.as_bytes(), data_type, mask)
            }
            Column::Bytes { rows, bytes } => self.views(id, &rows, bytes, data_type, mask),
            Column::None => of_views(Vec::new(), Vec::new(), data_type, mask),
            _ => Err(self.later(id)),
        })
    }

    fn views(
        &self,
        id: TypeId,
        rows: &TextRows,
        bytes: &[u8],
        data_type: &DataType,
        mask: &Mask,
    ) -> Result<ArrayRef> {
        let bounds = match rows {
            TextRows::Plain(lengths) => bounds(lengths),
            TextRows::Dictionary(entries) => entries.bounds.clone(),
        };
        // A view has 32 bits for its place, so long text is several buffers.
        let mut chunks = vec![0];
        let mut views = Vec::with_capacity(bounds.len());
        for pair in bounds.windows(2) {
            let (start, end) = (pair[0], pair[1]);
            let mut from = chunks[chunks.len() - 1];
            if end - from > i32::MAX as usize {
                from = start;
                chunks.push(from);
            }
            if end - from > i32::MAX as usize {
                return Err(self.beyond(id, data_type));
            }
            let (chunk, at) = (chunks.len() as u32 - 1, (start - from) as u32);
            views.push(make_view(&bytes[start..end], chunk, at));
        }
        if let TextRows::Dictionary(entries) = rows {
            views = entries.indices.iter().map(|entry| views[*entry as usize]).collect();
        }
        let is_inline = bounds.windows(2).all(|pair| pair[1] - pair[0] <= INLINE);
        let mut buffers = Vec::new();
        if !is_inline {
            let whole = self.whole(bytes);
            let ends = chunks.iter().skip(1).copied().chain([bytes.len()]);
            let parts = chunks.iter().zip(ends);
            buffers =
                parts.map(|(start, end)| whole.slice_with_length(*start, end - start)).collect();
        }
        of_views(views, buffers, data_type, mask)
    }

    /// The bytes in place, if they are a part of a message in memory, or a copy.
    fn whole(&self, bytes: &[u8]) -> Buffer {
        let start = self.block.in_memory().and_then(|message| {
            let at = bytes.as_ptr().addr().checked_sub(message.as_ptr().addr())? as u64;
            (at + bytes.len() as u64 <= message.len() as u64).then_some(at)
        });
        let long = start.filter(|_| bytes.len() as u64 >= MIN_BORROWED_BYTES);
        let part = long.and_then(|at| self.memory?.part(at..at + bytes.len() as u64));
        part.unwrap_or_else(|| Buffer::from(bytes))
    }

    /// Unicode scalar values, each as a string.
    pub(super) fn chars(&self, id: TypeId, mask: &Mask) -> Result<ArrayRef> {
        self.charge_absent(id, mask, 16)?;
        let chars = self.block.read(id, |column| match column {
            Column::Ints(IntRows::W32(rows)) => Ok(rows),
            Column::None => Ok(Vec::new()),
            _ => Err(self.later(id)),
        })?;
        let views: Option<Vec<u128>> = chars
            .into_iter()
            .map(|code| {
                let text = char::from_u32(code)?;
                Some(make_view(text.encode_utf8(&mut [0; 4]).as_bytes(), 0, 0))
            })
            .collect();
        let views = views.ok_or_else(|| self.beyond(id, &DataType::Utf8View))?;
        of_views(views, Vec::new(), &DataType::Utf8View, mask)
    }
}

fn of_views(
    views: Vec<u128>,
    buffers: Vec<Buffer>,
    data_type: &DataType,
    mask: &Mask,
) -> Result<ArrayRef> {
    let views = ScalarBuffer::from(mask.spread(Buffer::from_vec(views), 16));
    let made: Result<ArrayRef, _> =
        match data_type {
            DataType::Utf8View => StringViewArray::try_new(views, buffers, mask.nulls())
                .map(|array| Arc::new(array) as _),
            _ => BinaryViewArray::try_new(views, buffers, mask.nulls())
                .map(|array| Arc::new(array) as _),
        };
    made.map_err(|error| of_arrow(&error))
}
