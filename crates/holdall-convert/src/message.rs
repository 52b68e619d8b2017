//! Messages of holdall, as a format among the others.

use holdall::events::Source;
use holdall::{Decoder, Encoder, Result, ValueBuilder};

use crate::coding::{Coding, Emitter, Reading, ValueSource};

#[derive(Debug)]
pub(crate) struct Message;

impl Coding for Message {
    fn name(&self) -> &str {
        "holdall"
    }

    fn extensions(&self) -> &[&str] {
        &["hold"]
    }

    fn has_tuple_structs(&self) -> bool {
        false
    }

    fn read<'i>(&self, input: &'i [u8], _: &Reading<'_>) -> Result<Box<dyn Source + 'i>> {
        let mut builder = ValueBuilder::new();
        Decoder::new().message(input, &mut builder)?;
        Ok(Box::new(ValueSource(builder.finish()?)))
    }

    fn write(&self, value: &mut Emitter<'_>) -> Result<Vec<u8>> {
        let mut builder = ValueBuilder::new();
        value.emit_as_is(&mut builder)?;
        Encoder::new().message(&mut &builder.finish()?)
    }
}
