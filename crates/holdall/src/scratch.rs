//! What a message is read into besides its value: memory that is used again for the next one.

use std::cell::{OnceCell, RefCell};
use std::fmt;

use typed_arena::Arena;

use crate::kernel::Word;

/// So many bytes of rows a decoder keeps at most from one message to the next: what is larger is fresh memory each time.
const KEPT: usize = 16 << 20;

/// Columns that came out of compressed ones live here as long as the input does; and rows of integers are had from here.
pub(crate) struct Scratch {
    unpacked: OnceCell<Arena<Vec<u8>>>,
    /// None if nothing is kept.
    spare: RefCell<Option<Box<Spare>>>,
}

impl Scratch {
    /// With the rows that were kept of the message before.
    pub(crate) fn of(spare: Option<Box<Spare>>) -> Scratch {
        // Few messages need the arena, and it costs an allocation.
        Scratch { unpacked: OnceCell::new(), spare: RefCell::new(spare) }
    }

    /// Bytes that came out of a compressed column.
    pub(crate) fn keep(&self, unpacked: Vec<u8>) -> &[u8] {
        self.unpacked.get_or_init(Arena::new).alloc(unpacked)
    }

    /// So many rows, of any values.
    pub(crate) fn rows<W: Spared>(&self, count: usize) -> Vec<W> {
        let mut spare = self.spare.borrow_mut();
        let kept = spare.as_mut().and_then(|spare| Some((W::shelf(spare).pop()?, spare)));
        let Some((mut rows, spare)) = kept else {
            // Zeros come from calloc, whose fresh pages are the faster for many rows; for few, glibc's takes 10 to 30 ns more
            // than malloc and these ones.
            return vec![W::truncate(if count < 4096 { u64::MAX } else { 0 }); count];
        };
        spare.bytes -= rows.capacity() * size_of::<W>();
        if rows.capacity() < count {
            return vec![W::default(); count];
        }
        rows.resize(count, W::default());
        rows
    }

    /// Rows that are no longer used.
    pub(crate) fn take_back<W: Spared>(&self, rows: Vec<W>) {
        let mut spare = self.spare.borrow_mut();
        let Some(spare) = spare.as_mut() else { return };
        let bytes = spare.bytes + rows.capacity() * size_of::<W>();
        if bytes <= KEPT && rows.capacity() > 0 {
            spare.bytes = bytes;
            W::shelf(spare).push(rows);
        }
    }

    /// Whether rows are kept for the next message.
    pub(crate) fn keeps_rows(&self) -> bool {
        self.spare.borrow().is_some()
    }

    /// What is kept for the next message.
    pub(crate) fn into_spare(self) -> Option<Box<Spare>> {
        self.spare.into_inner()
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Scratch::of(None)
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}

/// Rows for the next message, by their width.
#[derive(Debug, Default)]
pub(crate) struct Spare {
    w8: Vec<Vec<u8>>,
    w16: Vec<Vec<u16>>,
    w32: Vec<Vec<u32>>,
    w64: Vec<Vec<u64>>,
    bytes: usize,
}

impl Clone for Spare {
    /// A copy of a decoder has no use for copies of rows that mean nothing.
    fn clone(&self) -> Self {
        Spare::default()
    }
}

impl Spare {
    /// Rows to be gathered: none yet.
    pub(crate) fn gather<W: Spared>(&mut self, rows: impl Iterator<Item = W>) -> Vec<W> {
        let mut gathered = W::shelf(self).pop().unwrap_or_default();
        gathered.clear();
        gathered.extend(rows);
        gathered
    }

    /// Rows that were written.
    pub(crate) fn put<W: Spared>(&mut self, rows: Vec<W>) {
        W::shelf(self).push(rows);
    }
}

/// Words whose rows are spared.
pub(crate) trait Spared: Word {
    fn shelf(spare: &mut Spare) -> &mut Vec<Vec<Self>>;
}

macro_rules! spared {
    ($($word:ty, $shelf:ident;)*) => {$(
        impl Spared for $word {
            #[inline(always)]
            fn shelf(spare: &mut Spare) -> &mut Vec<Vec<Self>> {
                &mut spare.$shelf
            }
        }
    )*};
}

spared! {
    u8, w8;
    u16, w16;
    u32, w32;
    u64, w64;
}
