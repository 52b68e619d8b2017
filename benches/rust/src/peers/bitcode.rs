use bitcode::{Buffer, Decode, DecodeOwned, Encode};

use super::{Borrowing, Peer, VALID};
use crate::data::Lend;

/// bitcode by its derives.
#[derive(Default)]
pub struct Bitcode {
    buffer: Buffer,
}

impl<T: Encode + DecodeOwned> Peer<T> for Bitcode {
    const NAME: &'static str = "bitcode";
    const IN: bool = true;

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        bitcode::encode(value)
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.buffer.encode(value)
    }

    fn read(&mut self, bytes: &[u8]) -> T {
        self.buffer.decode(bytes).expect(VALID)
    }
}

impl<T> Borrowing<T> for Bitcode
where
    T: Lend + Encode + DecodeOwned,
    for<'a> T::Lent<'a>: Decode<'a>,
{
    type Lent<'a> = T::Lent<'a>;

    fn borrow<'a>(&mut self, bytes: &'a [u8]) -> T::Lent<'a> {
        self.buffer.decode(bytes).expect(VALID)
    }

    fn same(value: &T, lent: &T::Lent<'_>) -> bool {
        value.is(lent)
    }
}
