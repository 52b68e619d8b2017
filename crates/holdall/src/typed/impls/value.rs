//! [`Value`]: data of any schema.

use crate::decoder::Decoder;
use crate::dynamic::{Shredder, Source};
use crate::encoder::Encoder;
use crate::error::{Code, Error, Result};
use crate::stream;
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};
use crate::value::{Value, ValueBuilder};

#[cold]
fn only_as_root() -> Error {
    Error::new(Code::UnsupportedValue)
        .expected("types whose values all have one schema")
        .got("Value inside another type")
}

impl Encode for Value {
    fn describe(_: &mut Types) -> Description {
        Description::dynamic()
    }

    fn write(&self, _: Site, _: &mut Columns<'_>) -> Result<()> {
        Err(only_as_root())
    }

    const IS_DYNAMIC: bool = true;

    fn drive_dynamic(&self, shredder: &mut Shredder) -> Option<Result<()>> {
        Some((&*self).drive(shredder))
    }

    fn dynamic_message(&self, encoder: &mut Encoder) -> Option<Result<Vec<u8>>> {
        Some(encoder.message(&mut &*self))
    }
}

impl<'de> Decode<'de> for Value {
    fn describe(_: &mut Types) -> Description {
        Description::dynamic()
    }

    fn read(_: Site, _: &mut Rows<'_, 'de>) -> Result<Self> {
        Err(only_as_root())
    }

    fn dynamic_roots(block: &'de stream::Block) -> Option<Result<Vec<Self>>> {
        Some(block.to_values())
    }

    fn dynamic_message(decoder: &mut Decoder, message: &'de [u8]) -> Option<Result<Self>> {
        let mut builder = ValueBuilder::new();
        Some(decoder.message(message, &mut builder).and_then(|()| builder.finish()))
    }
}
