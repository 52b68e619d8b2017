//! Varints of an input (F-3, F-4).

use super::Input;
use super::trace::Field;
use crate::error::{Code, Error, Result};
use crate::number::{MAX_VARINT, split_varint, value_of, varint_len};

impl Input<'_> {
    /// Reads a varint (F-3, F-4).
    #[inline]
    pub fn varint(&mut self, field: Field) -> Result<u64> {
        match self.rest().first() {
            Some(&byte) if byte & 1 == 0 => {
                let value = u64::from(byte >> 1);
                self.consume(1, field, Some(value));
                Ok(value)
            }
            _ => self.long_varint(field),
        }
    }

    fn long_varint(&mut self, field: Field) -> Result<u64> {
        match split_varint(self.rest()) {
            Some((value, len)) => {
                self.consume(len, field, Some(value));
                Ok(value)
            }
            None if self.rest().len() < MAX_VARINT && self.fetch_varint()? => self.varint(field),
            None => Err(self.bad_varint()),
        }
    }

    /// Fetches the bytes that a varint can have from the window, if it has more than are in memory.
    #[cold]
    fn fetch_varint(&mut self) -> Result<bool> {
        let count = self.left().min(MAX_VARINT as u128);
        Ok(count > self.rest().len() as u128 && self.refill(count)?)
    }

    #[cold]
    fn bad_varint(&self) -> Error {
        let (start, rest) = (self.position(), self.rest());
        let Some(&first) = rest.first() else { return self.at_end("a varint") };
        let len = first.trailing_ones() as usize + 1;
        if rest.len() < len {
            return Error::at(Code::Truncated, start)
                .expected(format!("a varint of {len} bytes"))
                .got(format!("{} bytes", rest.len()));
        }
        let value = value_of(rest, len);
        Error::at(Code::VarintOverlong, start)
            .expected(format!("{value} in {} bytes", varint_len(value)))
            .got(format!("{len} bytes"))
    }
}
