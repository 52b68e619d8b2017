use borsh::{BorshDeserialize, BorshSerialize};

use super::{Peer, VALID};

/// borsh by its derives.
#[derive(Default)]
pub struct Borsh {
    bytes: Vec<u8>,
}

impl<T: BorshSerialize + BorshDeserialize> Peer<T> for Borsh {
    const NAME: &'static str = "borsh";

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        borsh::to_vec(value).expect(VALID)
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.bytes.clear();
        borsh::to_writer(&mut self.bytes, value).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> T {
        borsh::from_slice(bytes).expect(VALID)
    }
}
