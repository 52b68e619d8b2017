use postcard::Error;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Borrowing, Peer, VALID};
use crate::data::Lend;

/// postcard, through serde.
#[derive(Default)]
pub struct Postcard {
    bytes: Vec<u8>,
}

impl<T: Serialize + DeserializeOwned> Peer<T> for Postcard {
    const NAME: &'static str = "postcard";
    const IN: bool = true;

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        postcard::to_stdvec(value).expect(VALID)
    }

    fn write(&mut self, value: &T) -> &[u8] {
        // Writing into a slice is its fastest way; the slice grows until the value fits.
        let len = loop {
            match postcard::to_slice(value, &mut self.bytes) {
                Ok(written) => break written.len(),
                Err(Error::SerializeBufferFull) => self.bytes.resize(self.bytes.len() * 2 + 64, 0),
                Err(error) => panic!("{VALID}: {error}"),
            }
        };
        &self.bytes[..len]
    }

    fn read(&mut self, bytes: &[u8]) -> T {
        postcard::from_bytes(bytes).expect(VALID)
    }
}

impl<T> Borrowing<T> for Postcard
where
    T: Lend + Serialize + DeserializeOwned,
    for<'a> T::Lent<'a>: Deserialize<'a>,
{
    type Lent<'a> = T::Lent<'a>;

    fn borrow<'a>(&mut self, bytes: &'a [u8]) -> T::Lent<'a> {
        postcard::from_bytes(bytes).expect(VALID)
    }

    fn same(value: &T, lent: &T::Lent<'_>) -> bool {
        value.is(lent)
    }
}
