use holdall::{Alignment, Decode, DecodeOwned, Decoder, Encode, Encoder, Header, Profile};

use super::{Borrowing, Peer, VALID};
use crate::data::{Lend, schema};

/// Ways to use holdall: their names, their encoders, and how their messages are read.
macro_rules! ways {
    ($($(#[$doc:meta])* $name:ident, $called:literal, $encoder:expr, $decode:ident $(, $item:item)?;)*) => {$(
        $(#[$doc])*
        pub struct $name {
            encoder: Encoder,
            decoder: Decoder,
            bytes: Vec<u8>,
        }

        impl Default for $name {
            fn default() -> Self {
                $name { encoder: $encoder, decoder: Decoder::new(), bytes: Vec::new() }
            }
        }

        impl<T: Encode, R: DecodeOwned> Peer<T, R> for $name {
            const NAME: &'static str = $called;
            const IN: bool = true;
            const OURS: bool = true;
            $($item)?

            fn to_vec(&mut self, value: &T) -> Vec<u8> {
                // Like a program that keeps nothing between messages.
                $encoder.encode(value).expect(VALID)
            }

            fn write(&mut self, value: &T) -> &[u8] {
                self.encoder.encode_into(value, &mut self.bytes).expect(VALID);
                &self.bytes
            }

            fn read(&mut self, bytes: &[u8]) -> R {
                self.decoder.$decode(bytes).expect(VALID)
            }
        }

        impl<T> Borrowing<T> for $name
        where
            T: Lend + Encode + DecodeOwned,
            for<'a> T::Lent<'a>: Decode<'a>,
        {
            type Lent<'a> = T::Lent<'a>;

            fn borrow<'a>(&mut self, bytes: &'a [u8]) -> T::Lent<'a> {
                self.decoder.$decode(bytes).expect(VALID)
            }

            fn same(value: &T, lent: &T::Lent<'_>) -> bool {
                value.is(lent)
            }
        }
    )*};
}

ways! {
    /// holdall in profile fast, the schema inline.
    Holdall, "holdall", Encoder::new(), decode;
    /// Only the body, for a program that knows the type.
    Bare, "holdall, bare", Encoder::new().header(Header::Bare), decode_body;
    /// With numbers aligned, so that they can be borrowed.
    Aligned, "holdall, aligned", Encoder::new().aligned(Alignment::On), decode;
    /// The profile with the fewest bytes.
    Small, "holdall, small", Encoder::new().profile(Profile::Small), decode, const IS_PROFILE_SMALL: bool = true;;
}

/// Data with the reader's own schema, for comparison with another one.
#[derive(Default)]
pub struct SameSchema(Holdall);

impl Peer<schema::Now> for SameSchema {
    const NAME: &'static str = "holdall, same";
    const IN: bool = true;
    const OURS: bool = true;

    fn to_vec(&mut self, value: &schema::Now) -> Vec<u8> {
        Peer::<schema::Now>::to_vec(&mut self.0, value)
    }

    fn write(&mut self, value: &schema::Now) -> &[u8] {
        Peer::<schema::Now>::write(&mut self.0, value)
    }

    fn read(&mut self, bytes: &[u8]) -> schema::Now {
        Peer::<schema::Now>::read(&mut self.0, bytes)
    }
}
