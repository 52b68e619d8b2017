use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Borrowing, Peer, VALID};
use crate::data::Lend;

/// JSON by serde_json.
#[derive(Default)]
pub struct Json {
    bytes: Vec<u8>,
}

impl<T: Serialize, R: DeserializeOwned> Peer<T, R> for Json {
    const NAME: &'static str = "serde_json";

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        let mut bytes = Vec::new();
        serde_json::to_writer(&mut bytes, value).expect(VALID);
        bytes
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.bytes.clear();
        serde_json::to_writer(&mut self.bytes, value).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> R {
        serde_json::from_slice(bytes).expect(VALID)
    }
}

impl<T> Borrowing<T> for Json
where
    T: Lend + Serialize + DeserializeOwned,
    for<'a> T::Lent<'a>: Deserialize<'a>,
{
    type Lent<'a> = T::Lent<'a>;

    fn borrow<'a>(&mut self, bytes: &'a [u8]) -> T::Lent<'a> {
        serde_json::from_slice(bytes).expect(VALID)
    }

    fn same(value: &T, lent: &T::Lent<'_>) -> bool {
        value.is(lent)
    }
}
