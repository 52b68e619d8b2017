use holdall::{Alignment, Decode, DecodeOwned, Decoder, Encode, Encoder, Header, Profile};

use super::{Borrowing, Peer, VALID};
use crate::data::{Lend, schema};

/// holdall in profile fast, the schema inline.
#[derive(Default)]
pub struct Holdall {
    encoder: Encoder,
    decoder: Decoder,
    bytes: Vec<u8>,
}

impl<T: Encode, R: DecodeOwned> Peer<T, R> for Holdall {
    const NAME: &'static str = "holdall";
    const IN: bool = true;
    const OURS: bool = true;

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        holdall::to_vec(value).expect(VALID)
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.encoder.encode_into(value, &mut self.bytes).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> R {
        self.decoder.decode(bytes).expect(VALID)
    }
}

impl<T> Borrowing<T> for Holdall
where
    T: Lend + Encode + DecodeOwned,
    for<'a> T::Lent<'a>: Decode<'a>,
{
    type Lent<'a> = T::Lent<'a>;

    fn borrow<'a>(&mut self, bytes: &'a [u8]) -> T::Lent<'a> {
        self.decoder.decode(bytes).expect(VALID)
    }

    fn same(value: &T, lent: &T::Lent<'_>) -> bool {
        value.is(lent)
    }
}

/// The body alone, as for a program that knows the type.
pub struct Bare {
    encoder: Encoder,
    decoder: Decoder,
    bytes: Vec<u8>,
}

impl Default for Bare {
    fn default() -> Self {
        Bare {
            encoder: Encoder::new().header(Header::Bare),
            decoder: Decoder::new(),
            bytes: Vec::new(),
        }
    }
}

impl<T: Encode + DecodeOwned> Peer<T> for Bare {
    const NAME: &'static str = "holdall, bare";
    const IN: bool = true;
    const OURS: bool = true;

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        Encoder::new().header(Header::Bare).encode(value).expect(VALID)
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.encoder.encode_into(value, &mut self.bytes).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> T {
        self.decoder.decode_body(bytes).expect(VALID)
    }
}

impl<T> Borrowing<T> for Bare
where
    T: Lend + Encode + DecodeOwned,
    for<'a> T::Lent<'a>: Decode<'a>,
{
    type Lent<'a> = T::Lent<'a>;

    fn borrow<'a>(&mut self, bytes: &'a [u8]) -> T::Lent<'a> {
        self.decoder.decode_body(bytes).expect(VALID)
    }

    fn same(value: &T, lent: &T::Lent<'_>) -> bool {
        value.is(lent)
    }
}

/// With payloads of numbers at addresses that they can be borrowed from.
pub struct Aligned {
    encoder: Encoder,
    decoder: Decoder,
    bytes: Vec<u8>,
}

impl Default for Aligned {
    fn default() -> Self {
        Aligned {
            encoder: Encoder::new().aligned(Alignment::On),
            decoder: Decoder::new(),
            bytes: Vec::new(),
        }
    }
}

impl<T: Encode + DecodeOwned> Peer<T> for Aligned {
    const NAME: &'static str = "holdall, aligned";
    const IN: bool = true;
    const OURS: bool = true;

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        Encoder::new().aligned(Alignment::On).encode(value).expect(VALID)
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.encoder.encode_into(value, &mut self.bytes).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> T {
        self.decoder.decode(bytes).expect(VALID)
    }
}

impl<T> Borrowing<T> for Aligned
where
    T: Lend + Encode + DecodeOwned,
    for<'a> T::Lent<'a>: Decode<'a>,
{
    type Lent<'a> = T::Lent<'a>;

    fn borrow<'a>(&mut self, bytes: &'a [u8]) -> T::Lent<'a> {
        self.decoder.decode(bytes).expect(VALID)
    }

    fn same(value: &T, lent: &T::Lent<'_>) -> bool {
        value.is(lent)
    }
}

/// The profile of the fewest bytes.
pub struct Small {
    encoder: Encoder,
    decoder: Decoder,
    bytes: Vec<u8>,
}

impl Default for Small {
    fn default() -> Self {
        Small {
            encoder: Encoder::new().profile(Profile::Small),
            decoder: Decoder::new(),
            bytes: Vec::new(),
        }
    }
}

impl<T: Encode + DecodeOwned> Peer<T> for Small {
    const NAME: &'static str = "holdall, small";
    const IN: bool = true;
    const OURS: bool = true;
    const SMALL: bool = true;

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        Encoder::new().profile(Profile::Small).encode(value).expect(VALID)
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.encoder.encode_into(value, &mut self.bytes).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> T {
        self.decoder.decode(bytes).expect(VALID)
    }
}

/// Data of the schema that is read, beside those of another one.
#[derive(Default)]
pub struct SameSchema(Holdall);

impl Peer<schema::Now> for SameSchema {
    const NAME: &'static str = "holdall, same";
    const IN: bool = true;
    const OURS: bool = true;

    fn to_vec(&mut self, value: &schema::Now) -> Vec<u8> {
        holdall::to_vec(value).expect(VALID)
    }

    fn write(&mut self, value: &schema::Now) -> &[u8] {
        self.0.encoder.encode_into(value, &mut self.0.bytes).expect(VALID);
        &self.0.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> schema::Now {
        self.0.decoder.decode(bytes).expect(VALID)
    }
}
