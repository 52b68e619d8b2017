//! A message in pieces: large payloads are moved into it, and copied only where the pieces are joined.

use crate::memory::GrowVec;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Debug;

/// A message in consecutive pieces, from `Taken::pieces`.
#[derive(Debug, Default)]
pub struct Pieces {
    /// Everything except the separate payloads.
    rest: Vec<u8>,
    apart: Apart,
}

/// Payloads kept apart from the other bytes.
#[derive(Debug, Default)]
pub struct Apart {
    /// Each payload, and the position in the other bytes that it precedes.
    payloads: Vec<(usize, Payload)>,
    len: usize,
}

/// The payload of a column, as the column stores it.
#[derive(Debug)]
pub enum Payload {
    Bytes(Vec<u8>),
    /// Used only if memory has the byte order of the format.
    Doubles(Vec<f64>),
    Shared(Arc<dyn SharedBytes>),
}

/// Bytes that others hold, too.
pub trait SharedBytes: AsRef<[u8]> + Debug + Send + Sync {}

impl<T: AsRef<[u8]> + Debug + Send + Sync> SharedBytes for T {}

/// Smaller payloads are copied.
pub const MIN_PIECE: usize = 1 << 16;

impl Payload {
    fn bytes(&self) -> &[u8] {
        match self {
            Payload::Bytes(bytes) => bytes,
            Payload::Doubles(doubles) => bytemuck::cast_slice(doubles),
            Payload::Shared(bytes) => (**bytes).as_ref(),
        }
    }
}

impl Apart {
    /// Adds the payload that follows everything in `out` so far.
    pub fn push(&mut self, out: &[u8], payload: Payload) {
        self.len += payload.bytes().len();
        self.payloads.put((out.len(), payload));
    }

    /// The number of bytes in the payloads.
    pub fn len(&self) -> usize {
        self.len
    }
}

impl Pieces {
    pub fn new(rest: Vec<u8>, apart: Apart) -> Pieces {
        Pieces { rest, apart }
    }

    /// The number of bytes in the message.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rest.len() + self.apart.len
    }

    /// Whether the message is empty, as a bare body can be.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entire message, if it is one piece.
    #[must_use]
    pub fn whole(&self) -> Option<&[u8]> {
        self.apart.payloads.is_empty().then_some(&self.rest)
    }

    /// The pieces in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let ends = self.apart.payloads.iter().map(|(end, _)| *end).chain([self.rest.len()]);
        let starts = core::iter::once(0).chain(self.apart.payloads.iter().map(|(end, _)| *end));
        let payloads = self.apart.payloads.iter().map(|(_, payload)| payload.bytes());
        let rest = starts.zip(ends).map(|(start, end)| &self.rest[start..end]);
        rest.zip(payloads.chain([&[][..]])).flat_map(|(rest, payload)| [rest, payload])
    }
}

/// A message in one piece.
impl From<Vec<u8>> for Pieces {
    fn from(message: Vec<u8>) -> Pieces {
        Pieces::new(message, Apart::default())
    }
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;
    use alloc::vec::Vec;

    use super::{Apart, Payload, Pieces};

    #[test]
    fn separate_payloads_keep_their_place() {
        let mut apart = Apart::default();
        apart.push(&[1, 2], Payload::Bytes(vec![10, 11]));
        apart.push(&[1, 2], Payload::Doubles(vec![0.0]));
        apart.push(&[1, 2, 3], Payload::Shared(Arc::new([12])));
        let pieces = Pieces::new(vec![1, 2, 3], apart);
        let whole: Vec<u8> = pieces.iter().flatten().copied().collect();
        assert_eq!(whole, [1, 2, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0, 3, 12]);
        assert_eq!(pieces.len(), whole.len());
        assert!(Pieces::from(Vec::new()).is_empty());
    }
}
