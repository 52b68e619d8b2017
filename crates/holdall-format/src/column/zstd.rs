//! Columns inside a zstd frame (F-60).

mod prepared;

use alloc::borrow::ToOwned;
use alloc::string::String;
#[cfg(feature = "zstd")]
use alloc::string::ToString;
use alloc::vec::Vec;
#[cfg(feature = "zstd")]
use core::cell::Cell;
#[cfg(feature = "zstd")]
use std::{io, thread::LocalKey};

#[cfg(feature = "zstd")]
use zstd::{
    bulk::Compressor,
    zstd_safe::{DCtx, get_error_name},
};

pub use prepared::{Prepared, ZstdFrame, train};

use super::text::TEMPLATES;
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::input::trace::{FieldForm, field};
#[cfg(feature = "zstd")]
use crate::memory;
use crate::memory::GrowVec;
use crate::number::{varint_len, write_varint};
use crate::schema::code;

pub const ZSTD: u8 = 0x70;
/// Smaller columns are not wrapped.
pub const MIN_COMPRESSED: usize = 256;

/// Wraps the column in `out` from `start` on, if that makes it smaller.
pub fn wrap(out: &mut Vec<u8>, start: usize) {
    let column = &out[start..];
    if column.len() < MIN_COMPRESSED {
        return;
    }
    let Some(packed) = compress(column) else { return };
    let (inside, len) = (column.len() as u64, packed.len() as u64);
    if 1 + varint_len(inside) + varint_len(len) + packed.len() < column.len() {
        out.truncate(start);
        out.put(ZSTD);
        write_varint(out, inside);
        write_varint(out, len);
        out.put_slice(&packed);
    }
}

/// The number of bytes that zstd takes for a part of a column; their own number where it does not pack them.
pub fn packed_len(part: &[u8]) -> usize {
    compress(part).map_or(part.len(), |packed| packed.len().min(part.len()))
}

/// Reads the column inside. The encoding byte, which is at `start`, has been read.
///
/// `read` locates and validates the column; its faults are reported at `start`. Returns none if the input skims.
pub fn inside<'a, T>(
    input: &mut Input<'a>,
    start: usize,
    read: impl FnOnce(&mut Input<'a>) -> Result<T>,
) -> Result<Option<T>> {
    let at = input.position();
    let len = input.varint(field("the size of the column inside", "F-60"))?;
    let packed_len = input.varint(field("the size of the payload", "F-60"))?;
    if len < MIN_COMPRESSED as u64 || packed_len >= len {
        return Err(bad_sizes(len, packed_len).moved_to(at));
    }
    let payload = input.position();
    let bad = |got: String| {
        Error::at(Code::BadZstd, payload).expected(format!("a zstd frame of {len} bytes")).got(got)
    };
    if u128::from(packed_len) <= input.remaining() as u128 {
        input.charge(u128::from(len))?;
    }
    let packed = input
        .payload(u128::from(packed_len), field("a zstd frame", "F-60").form(FieldForm::Rows))?;
    input.located();
    if input.skims() {
        return Ok(None);
    }
    check_single_frame(packed, Some(len)).map_err(bad)?;
    if !READS {
        return Err(Error::at(Code::Unsupported, start)
            .expected("a build with the feature zstd or ruzstd")
            .got("a column in a zstd frame"));
    }
    // The length was charged, so it fits.
    let column = decompress(packed, len as usize).map_err(bad)?;
    if column.len() as u64 != len {
        return Err(bad(format!("{} bytes", column.len())));
    }
    if let (Some(tracer), Some(&byte)) = (input.tracer(), column.first()) {
        tracer.inside(byte);
    }
    let mut within = input.within(column);
    if let Some(&byte) = within.rest().first()
        && (byte == ZSTD || byte == TEMPLATES || byte >= code::LATER)
    {
        return Err(Error::at(Code::BadInnerEncoding, start)
            .expected("neither templates, zstd nor a later encoding within zstd")
            .got(format!("{byte:02X}")));
    }
    let found = read(&mut within).map_err(|error| error.moved_to(start));
    let left = within.remaining();
    input.budget = within.budget;
    match (found?, left) {
        (found, 0) => Ok(Some(found)),
        (_, left) => Err(bad(format!("{left} bytes behind the column"))),
    }
}

#[cold]
fn bad_sizes(len: u64, packed: u64) -> Error {
    Error::at(Code::BadZstd, 0)
        .expected("at least 256 bytes in fewer")
        .got(format!("{len} in {packed}"))
}

/// Whether this build reads zstd frames.
pub const READS: bool = cfg!(any(feature = "zstd", feature = "ruzstd"));

/// Whether this build writes zstd frames.
pub const WRITES: bool = cfg!(feature = "zstd");

#[cfg(feature = "zstd")]
std::thread_local! {
    /// Takes at most 1.3 MB. Making one for each column took about 15 us: more than compressing a few hundred bytes,
    /// and 40 % of the time to write saved games.
    static COMPRESSOR: Cell<Option<Compressor<'static>>> = const { Cell::new(None) };
    /// The same for reading; it has no tables to clear.
    static DECOMPRESSOR: Cell<Option<DCtx<'static>>> = const { Cell::new(None) };
}

/// Reuses the compressor or decompressor that this thread keeps, if there is one.
#[cfg(feature = "zstd")]
fn with_kept<K: 'static, R>(
    place: &'static LocalKey<Cell<Option<K>>>,
    make: impl FnOnce() -> io::Result<K>,
    work: impl FnOnce(&mut K) -> io::Result<R>,
) -> io::Result<R> {
    // A thread that is ending has no thread-local values, but its destructors may still write.
    let mut kept = match place.try_with(Cell::take).ok().flatten() {
        Some(kept) => kept,
        None => make()?,
    };
    let done = work(&mut kept);
    let _ = place.try_with(|place| place.set(Some(kept)));
    done
}

/// zstd's own default: beyond it, columns gain little and cost much.
#[cfg(feature = "zstd")]
const LEVEL: i32 = 3;

#[cfg(feature = "zstd")]
fn compress(column: &[u8]) -> Option<Vec<u8>> {
    let mut packed = memory::with_capacity(zstd::zstd_safe::compress_bound(column.len()));
    with_compressor(|kept| kept.compress_to_buffer(column, &mut packed)).ok().map(|_| packed)
}

#[cfg(feature = "zstd")]
fn with_compressor<R>(
    work: impl FnOnce(&mut Compressor<'static>) -> io::Result<R>,
) -> io::Result<R> {
    with_kept(&COMPRESSOR, || Compressor::new(LEVEL), work)
}

#[cfg(feature = "zstd")]
fn with_decompressor<R>(
    work: impl FnOnce(&mut DCtx<'static>) -> Result<R, usize>,
) -> io::Result<R> {
    let make = || DCtx::try_create().ok_or_else(|| io::ErrorKind::OutOfMemory.into());
    with_kept(&DECOMPRESSOR, make, |kept| work(kept).map_err(of_code))
}

#[cfg(feature = "zstd")]
fn of_code(code: usize) -> io::Error {
    io::Error::other(get_error_name(code))
}

/// Never called: without the feature, profile small is an error.
#[cfg(not(feature = "zstd"))]
fn compress(_: &[u8]) -> Option<Vec<u8>> {
    None
}

#[cfg(feature = "zstd")]
fn decompress(packed: &[u8], len: usize) -> Result<Vec<u8>, String> {
    let mut column = memory::with_capacity(len);
    with_decompressor(|kept| kept.decompress(&mut column, packed))
        .map(|_| column)
        .map_err(|error| error.to_string())
}

#[cfg(all(feature = "ruzstd", not(feature = "zstd")))]
fn decompress(packed: &[u8], len: usize) -> Result<Vec<u8>, String> {
    in_rust::decompress(packed, len)
}

/// Never called: the missing decoder was reported before.
#[cfg(not(any(feature = "zstd", feature = "ruzstd")))]
fn decompress(_: &[u8], _: usize) -> Result<Vec<u8>, String> {
    Err("no decoder".to_owned())
}

/// The decoder in Rust. If the C library is present too, only tests use it.
#[cfg(all(feature = "ruzstd", any(test, not(feature = "zstd"))))]
mod in_rust {
    use alloc::borrow::ToOwned;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;
    use std::io::Read;

    use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

    /// The number of bytes that are decoded at a time.
    const AHEAD: usize = 1 << 20;

    pub(super) fn decompress(packed: &[u8], len: usize) -> Result<Vec<u8>, String> {
        decompress_by(&mut FrameDecoder::new(), packed, len, None)
    }

    /// Decompresses a frame by a decoder that has the dictionary of an ID, if one is given.
    pub(super) fn decompress_by(
        decoder: &mut FrameDecoder,
        mut packed: &[u8],
        len: usize,
        dictionary: Option<u32>,
    ) -> Result<Vec<u8>, String> {
        // A frame of one segment is decoded as a whole. The caller has charged its length, and checked the window of
        // other frames.
        decoder.set_max_window_size((len as u64).max(1 << 27));
        decoder.init(&mut packed).map_err(|error| error.to_string())?;
        if let Some(id) = dictionary {
            decoder.force_dict(id).map_err(|error| error.to_string())?;
        }
        let mut out = Vec::new();
        while !decoder.is_finished() {
            let strategy = BlockDecodingStrategy::UptoBytes(AHEAD);
            decoder.decode_blocks(&mut packed, strategy).map_err(|error| error.to_string())?;
            decoder.by_ref().read_to_end(&mut out).map_err(|error| error.to_string())?;
            if out.len() > len {
                return Err(format!("more than {len} bytes"));
            }
        }
        decoder.read_to_end(&mut out).map_err(|error| error.to_string())?;
        let stored = decoder.get_checksum_from_data();
        if stored.is_some() && stored != decoder.get_calculated_checksum() {
            return Err("another checksum".to_owned());
        }
        Ok(out)
    }
}

/// Checks for one frame as F-60 defines it, with nothing after it and content of this size, if one is known. Returns the
/// size that it states.
fn check_single_frame(packed: &[u8], known: Option<u64>) -> Result<u64, String> {
    let header = FrameHeader::read(packed).ok_or("no frame")?;
    if header.dictionary != 0 {
        return Err("the ID of a dictionary".to_owned());
    }
    let content = match header.content {
        Some(content) if known.is_none_or(|known| known == content) => content,
        _ => return Err("a frame that states another size, or none".to_owned()),
    };
    if header.window > LARGEST_WINDOW {
        return Err("a window beyond 128 MiB".to_owned());
    }
    match header.frame_len(packed) {
        Some(len) if len == packed.len() => Ok(content),
        Some(len) => Err(format!("a frame of {len} bytes and more behind it")),
        None => Err("a frame without its end".to_owned()),
    }
}

/// A Window_Descriptor of 128 MiB.
const LARGEST_WINDOW: u8 = 0x88;

/// The header of a frame (RFC 8878, 3.1.1.1).
struct FrameHeader {
    len: usize,
    has_checksum: bool,
    window: u8,
    dictionary: u32,
    content: Option<u64>,
}

impl FrameHeader {
    fn read(packed: &[u8]) -> Option<FrameHeader> {
        let rest = packed.strip_prefix(&0xFD2F_B528_u32.to_le_bytes())?;
        let (&descriptor, mut rest) = rest.split_first()?;
        // Reserved (3.1.1.1.1.4).
        if descriptor & 8 != 0 {
            return None;
        }
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
        let has_checksum = descriptor & 4 != 0;
        let len = packed.len() - rest.len();
        Some(FrameHeader { len, has_checksum, window, dictionary, content })
    }

    /// The length of the frame, by the heads of its blocks (RFC 8878, 3.1.1.2).
    fn frame_len(&self, packed: &[u8]) -> Option<usize> {
        let mut rest = &packed[self.len..];
        loop {
            let (head, after) = rest.split_first_chunk::<3>()?;
            let head = u32::from_le_bytes([head[0], head[1], head[2], 0]);
            let size = match head >> 1 & 3 {
                // A block of one repeated byte.
                1 => 1,
                // Reserved.
                3 => return None,
                _ => (head >> 3) as usize,
            };
            rest = after.get(size..)?;
            if head & 1 != 0 {
                let checksum = if self.has_checksum { 4 } else { 0 };
                return Some(packed.len() - rest.get(checksum..)?.len());
            }
        }
    }
}

#[cfg(all(test, feature = "zstd", feature = "ruzstd"))]
mod tests {
    use super::*;

    fn word(state: &mut u64) -> u64 {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    /// What both decoders make of damaged frames.
    #[derive(Default)]
    pub(super) struct Tally {
        same: usize,
        refused: usize,
        differ: usize,
    }

    impl Tally {
        /// Adds what they made of a frame: its content, or none if it is refused.
        pub(super) fn add(&mut self, rust: Option<Vec<u8>>, c: Option<Vec<u8>>) {
            match (rust, c) {
                (Some(rust), Some(c)) => {
                    assert!(rust == c, "other bytes from a damaged frame");
                    self.same += 1;
                }
                (None, None) => self.refused += 1,
                // F-60 lets readers choose whether they detect some faults.
                _ => self.differ += 1,
            }
        }

        /// Checks that they read some frames and refused others, and that few are left to their choice.
        pub(super) fn check(&self, least_same: usize) {
            let Tally { same, refused, differ } = *self;
            assert!(same > least_same && refused > 100, "{same} {refused} {differ}");
            assert!(differ < (same + refused) / 10, "{same} {refused} {differ}");
        }
    }

    /// Reads one frame in the sense of F-60, as a decoder does.
    fn read(
        packed: &[u8],
        len: usize,
        decompress: fn(&[u8], usize) -> Result<Vec<u8>, String>,
    ) -> Option<Vec<u8>> {
        check_single_frame(packed, Some(len as u64)).ok()?;
        decompress(packed, len).ok().filter(|column| column.len() == len)
    }

    #[test]
    fn both_decoders_agree_on_intact_and_damaged_frames() {
        let mut state = 1;
        let mut tally = Tally::default();
        for round in 0..400 {
            let len = 256 + word(&mut state) as usize % 6000;
            let kinds = 1 + word(&mut state) % 200;
            let column: Vec<u8> = (0..len).map(|_| (word(&mut state) % kinds) as u8).collect();
            let column = if round % 3 == 0 { column.repeat(60) } else { column };
            let packed = compress(&column).unwrap();
            assert_eq!(read(&packed, column.len(), in_rust::decompress).as_ref(), Some(&column));
            assert_eq!(read(&packed, column.len(), decompress), Some(column.clone()));
            for _ in 0..20 {
                let mut damaged = packed.clone();
                let at = word(&mut state) as usize % damaged.len();
                damaged[at] ^= 1 << (word(&mut state) % 8);
                let c = read(&damaged, column.len(), decompress);
                tally.add(read(&damaged, column.len(), in_rust::decompress), c);
            }
        }
        tally.check(100);
    }

    #[test]
    fn long_frames_are_decoded_step_by_step() {
        let mut state = 1;
        let column: Vec<u8> = (0..5 << 19).map(|_| (word(&mut state) % 200) as u8).collect();
        let packed = compress(&column).unwrap();
        assert!(in_rust::decompress(&packed, column.len()).is_ok_and(|read| read == column));
        // The steps end soon after the length that was claimed.
        assert!(in_rust::decompress(&packed, 1 << 20).is_err());
    }
}
