//! Columns inside a zstd frame (F-60).

use zstd::bulk;

use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::number::{varint_len, write_varint};
use crate::schema::code;
use crate::trace::{Form, field};

pub(crate) const ZSTD: u8 = 0x70;
/// Columns below this many bytes are not wrapped.
const SMALLEST: usize = 256;
/// zstd's own default: beyond it, columns of this kind gain little and cost much.
const LEVEL: i32 = 3;

/// Wraps the column that stands in `out` from `start` on, if that makes it smaller.
pub(crate) fn wrap(out: &mut Vec<u8>, start: usize) {
    let column = &out[start..];
    if column.len() < SMALLEST {
        return;
    }
    let Ok(packed) = bulk::compress(column, LEVEL) else { return };
    let (inside, len) = (column.len() as u64, packed.len() as u64);
    if 1 + varint_len(inside) + varint_len(len) + packed.len() < column.len() {
        out.truncate(start);
        out.push(ZSTD);
        write_varint(out, inside);
        write_varint(out, len);
        out.extend_from_slice(&packed);
    }
}

/// Reads the column inside, `start` being where the encoding byte stands, which has been read.
///
/// `read` locates and validates it; a fault there is reported at `start`.
pub(crate) fn inside<'a, T>(
    input: &mut Input<'a>,
    start: usize,
    read: impl FnOnce(&mut Input<'a>) -> Result<T>,
) -> Result<T> {
    let at = input.position();
    let len = input.varint(field("the size of the column inside", 60))?;
    let packed_len = input.varint(field("the size of the payload", 60))?;
    if len < SMALLEST as u64 || packed_len >= len {
        return Err(Error::at(Code::BadZstd, at)
            .expected("at least 256 bytes in fewer")
            .got(format!("{len} in {packed_len}")));
    }
    let payload = input.position();
    let bad = |got: String| {
        Error::at(Code::BadZstd, payload).expected(format!("a zstd frame of {len} bytes")).got(got)
    };
    if u128::from(packed_len) <= input.remaining() as u128 {
        input.charge(u128::from(len))?;
    }
    let packed = input.take(u128::from(packed_len), field("a zstd frame", 60).form(Form::Rows))?;
    input.located();
    check_single_frame(packed, len).map_err(bad)?;
    // Charged, so it fits.
    let column = bulk::decompress(packed, len as usize).map_err(|error| bad(error.to_string()))?;
    if column.len() as u64 != len {
        return Err(bad(format!("{} bytes", column.len())));
    }
    if let (Some(tracer), Some(&byte)) = (input.tracer(), column.first()) {
        tracer.inside(byte);
    }
    let mut within = input.within(column);
    if let Some(&byte) = within.rest().first()
        && (byte == ZSTD || byte >= code::LATER)
    {
        return Err(Error::at(Code::BadInnerEncoding, start)
            .expected("neither zstd nor a later encoding within zstd")
            .got(format!("{byte:02X}")));
    }
    let found = read(&mut within).map_err(|error| error.moved_to(start));
    let left = within.remaining();
    input.budget = within.budget;
    match left {
        _ if found.is_err() => found,
        0 => found,
        left => Err(bad(format!("{left} bytes behind the column"))),
    }
}

/// One frame as F-60 has it, and nothing behind it.
fn check_single_frame(packed: &[u8], content: u64) -> Result<(), String> {
    let header = FrameHeader::read(packed).ok_or("no frame")?;
    if header.dictionary != 0 {
        return Err("a dictionary".to_owned());
    }
    if header.content != Some(content) {
        return Err("a frame that states another size, or none".to_owned());
    }
    if header.window > LARGEST_WINDOW {
        return Err("a window beyond 128 MiB".to_owned());
    }
    match zstd::zstd_safe::find_frame_compressed_size(packed) {
        Ok(len) if len == packed.len() => Ok(()),
        Ok(len) => Err(format!("a frame of {len} bytes and more behind it")),
        Err(code) => Err(zstd::zstd_safe::get_error_name(code).to_owned()),
    }
}

/// A Window_Descriptor of 128 MiB.
const LARGEST_WINDOW: u8 = 0x88;

/// What the header of a frame says (RFC 8878, 3.1.1.1).
struct FrameHeader {
    window: u8,
    dictionary: u32,
    content: Option<u64>,
}

impl FrameHeader {
    fn read(packed: &[u8]) -> Option<FrameHeader> {
        let rest = packed.strip_prefix(&0xFD2F_B528_u32.to_le_bytes())?;
        let (&descriptor, mut rest) = rest.split_first()?;
        let single_segment = descriptor & 0x20 != 0;
        let mut field = |len: usize| {
            let (bytes, after) = rest.split_at_checked(len)?;
            rest = after;
            let mut word = [0; 8];
            word[..len].copy_from_slice(bytes);
            Some(u64::from_le_bytes(word))
        };
        let window = if single_segment { 0 } else { field(1)? as u8 };
        let dictionary = field([0, 1, 2, 4][usize::from(descriptor & 3)])? as u32;
        let content = match (descriptor >> 6, single_segment) {
            (0, false) => None,
            (0, true) => Some(field(1)?),
            (1, _) => Some(field(2)? + 256),
            (2, _) => Some(field(4)?),
            _ => Some(field(8)?),
        };
        Some(FrameHeader { window, dictionary, content })
    }
}
