use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Peer, VALID};

/// DLHN, its body alone, through serde.
#[derive(Default)]
pub struct Dlhn {
    bytes: Vec<u8>,
}

impl<T: Serialize + DeserializeOwned> Peer<T> for Dlhn {
    const NAME: &'static str = "dlhn";

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        let mut bytes = Vec::new();
        value.serialize(&mut dlhn::Serializer::new(&mut bytes)).expect(VALID);
        bytes
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.bytes.clear();
        value.serialize(&mut dlhn::Serializer::new(&mut self.bytes)).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> T {
        let mut rest = bytes;
        T::deserialize(&mut dlhn::Deserializer::new(&mut rest)).expect(VALID)
    }
}
