use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Borrowing, Peer, VALID};
use crate::data::Lend;

/// MessagePack by rmp-serde, with structs as arrays: its fastest way.
#[derive(Default)]
pub struct MessagePack {
    bytes: Vec<u8>,
}

impl<T: Serialize + DeserializeOwned> Peer<T> for MessagePack {
    const NAME: &'static str = "rmp-serde";

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        let mut bytes = Vec::new();
        rmp_serde::encode::write(&mut bytes, value).expect(VALID);
        bytes
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.bytes.clear();
        rmp_serde::encode::write(&mut self.bytes, value).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> T {
        rmp_serde::from_slice(bytes).expect(VALID)
    }
}

impl<T> Borrowing<T> for MessagePack
where
    T: Lend + Serialize + DeserializeOwned,
    for<'a> T::Lent<'a>: Deserialize<'a>,
{
    type Lent<'a> = T::Lent<'a>;

    fn borrow<'a>(&mut self, bytes: &'a [u8]) -> T::Lent<'a> {
        rmp_serde::from_slice(bytes).expect(VALID)
    }

    fn same(value: &T, lent: &T::Lent<'_>) -> bool {
        value.is(lent)
    }
}

/// The same with structs as maps of their fields, which another type can read.
#[derive(Default)]
pub struct NamedMessagePack {
    bytes: Vec<u8>,
}

impl<T: Serialize, R: DeserializeOwned> Peer<T, R> for NamedMessagePack {
    const NAME: &'static str = "rmp-serde named";

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        rmp_serde::to_vec_named(value).expect(VALID)
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.bytes.clear();
        rmp_serde::encode::write_named(&mut self.bytes, value).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> R {
        rmp_serde::from_slice(bytes).expect(VALID)
    }
}
