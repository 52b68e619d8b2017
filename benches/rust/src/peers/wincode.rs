use wincode::config::{self, Configuration};
use wincode::{SchemaRead, SchemaReadOwned, SchemaWrite};

use super::{Borrowing, Peer, VALID};
use crate::data::Lend;

/// With enough memory for the largest case: by default it reserves at most 4 MiB.
type Config = Configuration<true, { 64 << 20 }>;

const CONFIG: Config = Configuration::default().with_preallocation_size_limit();

/// wincode by its derives.
#[derive(Default)]
pub struct Wincode {
    bytes: Vec<u8>,
}

impl<T> Peer<T> for Wincode
where
    T: SchemaWrite<Config, Src = T>
        + SchemaReadOwned<Config>
        + for<'a> SchemaRead<'a, Config, Dst = T>,
{
    const NAME: &'static str = "wincode";
    const IN: bool = true;

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        config::serialize(value, CONFIG).expect(VALID)
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.bytes.clear();
        config::serialize_into(&mut self.bytes, value, CONFIG).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> T {
        config::deserialize(bytes, CONFIG).expect(VALID)
    }
}

impl<T> Borrowing<T> for Wincode
where
    T: Lend,
    Wincode: Peer<T>,
    for<'a> T::Lent<'a>: SchemaRead<'a, Config, Dst = T::Lent<'a>>,
{
    type Lent<'a> = T::Lent<'a>;

    fn borrow<'a>(&mut self, bytes: &'a [u8]) -> T::Lent<'a> {
        config::deserialize(bytes, CONFIG).expect(VALID)
    }

    fn same(value: &T, lent: &T::Lent<'_>) -> bool {
        value.is(lent)
    }
}
