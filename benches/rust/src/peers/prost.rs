use prost::Message;

use super::{Peer, VALID};

/// Protocol Buffers by prost, with its own types, as programs use it.
#[derive(Default)]
pub struct Prost {
    bytes: Vec<u8>,
}

impl<T: Message, R: Message + Default> Peer<T, R> for Prost {
    const NAME: &'static str = "prost";

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        value.encode_to_vec()
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.bytes.clear();
        value.encode(&mut self.bytes).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> R {
        R::decode(bytes).expect(VALID)
    }
}
