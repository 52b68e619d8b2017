use savefile::{Deserialize, Serialize, WithSchema};

use super::{Peer, VALID};

/// savefile by its derives, without a schema.
#[derive(Default)]
pub struct Savefile {
    bytes: Vec<u8>,
}

impl<T: Serialize + Deserialize> Peer<T> for Savefile {
    const NAME: &'static str = "savefile";

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        let mut bytes = Vec::new();
        savefile::save_noschema(&mut bytes, 0, value).expect(VALID);
        bytes
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.bytes.clear();
        savefile::save_noschema(&mut self.bytes, 0, value).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, mut bytes: &[u8]) -> T {
        savefile::load_noschema(&mut bytes, 0).expect(VALID)
    }
}

/// The same with its schema, version 0 read by version 1.
#[derive(Default)]
pub struct VersionedSavefile {
    bytes: Vec<u8>,
}

impl<T: Serialize + WithSchema, R: Deserialize + WithSchema> Peer<T, R> for VersionedSavefile {
    const NAME: &'static str = "savefile";

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        savefile::save_to_mem(0, value).expect(VALID)
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.bytes.clear();
        savefile::save(&mut self.bytes, 0, value).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> R {
        savefile::load_from_mem(bytes, 1).expect(VALID)
    }
}
