//! Packed values as a message of their own, for programs that cannot use their bytes as they are.

use alloc::vec::Vec;

use crate::column::raw::{self, Of};
use crate::column::{Profile, Settings};
use crate::envelope::{MAGIC, VERSION};
use crate::number::write_varint;
use crate::schema::{DType, SchemaWriter, code};

/// Returns a message with packed values as a list, so that a decoder makes values of them.
#[must_use]
pub fn packed_message(dtype: &DType, bytes: &[u8]) -> Vec<u8> {
    let width = dtype.width().unwrap_or(0);
    let mut schema = SchemaWriter::default();
    schema.code(code::LIST);
    schema.code(code::PACKED);
    dtype.write(&mut schema);
    let mut message = vec![MAGIC, VERSION << 4];
    message.append(&mut schema.into_bytes());
    // The only list has its length, and without rows no other column.
    write_varint(&mut message, (bytes.len() as u64).checked_div(width).unwrap_or(0));
    if !bytes.is_empty() {
        let settings = Settings::of(Profile::Fast);
        raw::write(&mut message, Of::packed(width), bytes, settings);
    }
    message
}
