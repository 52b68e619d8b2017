//! Parts of a message that arrays use in place.

use std::ops::Range;
use std::sync::Arc;

use arrow_buffer::Buffer;
use bytes::Bytes;
use holdall::View;

/// Shorter parts are copied: a buffer of its own for each would cost more.
pub const MIN_BORROWED_BYTES: u64 = 1 << 16;

/// Gives parts of a view's bytes as buffers that keep them alive, such as a memory map of its file.
pub trait Memory: Send + Sync {
    /// Returns a part of the bytes in place, if that is possible. A scan does not read it.
    fn part(&self, range: Range<u64>) -> Option<Buffer>;
}

/// The bytes of a view that has them in memory.
pub struct InMemory(pub Arc<View<'static>>);

impl Memory for InMemory {
    fn part(&self, range: Range<u64>) -> Option<Buffer> {
        let start = usize::try_from(range.start).ok()?;
        let range = start..usize::try_from(range.end).ok()?;
        self.0.bytes()?.get(range.clone())?;
        let part = Part { view: Arc::clone(&self.0), range };
        Some(Buffer::from(Bytes::from_owner(part)))
    }
}

struct Part {
    view: Arc<View<'static>>,
    range: Range<usize>,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        self.view.bytes().and_then(|bytes| bytes.get(self.range.clone())).unwrap_or_default()
    }
}
