use rkyv::api::high::{HighDeserializer, HighSerializer, HighValidator, to_bytes_in};
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor::Error;
use rkyv::ser::allocator::ArenaHandle;
use rkyv::{Archive, Deserialize, Serialize};

use super::{Borrowing, Peer, VALID};

/// rkyv, which checks the bytes before use.
#[derive(Default)]
pub struct Rkyv {
    bytes: Vec<u8>,
}

impl<T> Peer<T> for Rkyv
where
    T: Archive + for<'a> Serialize<HighSerializer<Vec<u8>, ArenaHandle<'a>, Error>>,
    T::Archived:
        for<'a> CheckBytes<HighValidator<'a, Error>> + Deserialize<T, HighDeserializer<Error>>,
{
    const NAME: &'static str = "rkyv";
    const IN: bool = true;

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        to_bytes_in::<_, Error>(value, Vec::new()).expect(VALID)
    }

    fn write(&mut self, value: &T) -> &[u8] {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        self.bytes = to_bytes_in::<_, Error>(value, bytes).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> T {
        rkyv::from_bytes::<T, Error>(bytes).expect(VALID)
    }
}

/// Lends the checked bytes themselves.
impl<T> Borrowing<T> for Rkyv
where
    Rkyv: Peer<T>,
    T: Archive + PartialEq,
    T::Archived: for<'a> CheckBytes<HighValidator<'a, Error>>
        + Deserialize<T, HighDeserializer<Error>>
        + 'static,
{
    type Lent<'a> = &'a T::Archived;

    fn borrow<'a>(&mut self, bytes: &'a [u8]) -> &'a T::Archived {
        rkyv::access::<T::Archived, Error>(bytes).expect(VALID)
    }

    fn same(value: &T, lent: &&T::Archived) -> bool {
        rkyv::deserialize::<T, Error>(*lent).expect(VALID) == *value
    }
}
