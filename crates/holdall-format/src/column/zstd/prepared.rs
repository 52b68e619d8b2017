//! A dictionary as zstd uses it: digested once, for many frames (F-101).

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
#[cfg(any(feature = "zstd", feature = "ruzstd"))]
use alloc::string::ToString;
use alloc::vec::Vec;
#[cfg(feature = "zstd")]
use std::sync::OnceLock;
#[cfg(all(feature = "ruzstd", not(feature = "zstd")))]
use std::sync::{Mutex, PoisonError};

#[cfg(all(feature = "ruzstd", any(test, not(feature = "zstd"))))]
use ruzstd::decoding::{Dictionary, FrameDecoder};
#[cfg(feature = "zstd")]
use zstd::zstd_safe::{CDict, DDict, compress_bound, train_from_buffer};

use super::check_single_frame;
#[cfg(feature = "zstd")]
use super::{LEVEL, of_code, with_compressor, with_decompressor};
use crate::memory::{self, GrowVec};

/// The first bytes of a dictionary (RFC 8878, chapter 5), before its ID.
const MAGIC: [u8; 4] = 0xEC30_A437_u32.to_le_bytes();
/// The first bytes of a frame, which messages leave out.
const FRAME_MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();
/// A dictionary begins with its magic bytes, its ID and its tables.
const ID: core::ops::Range<usize> = 4..8;

/// The bytes of a dictionary, and its tables.
pub struct Prepared {
    bytes: Box<[u8]>,
    #[cfg(feature = "zstd")]
    reads: DDict<'static>,
    /// Made when a message is written first; none if zstd refuses the dictionary.
    #[cfg(feature = "zstd")]
    writes: OnceLock<Option<CDict<'static>>>,
    /// Decoders that have the dictionary and are not in use: as many as threads were reading at once.
    #[cfg(all(feature = "ruzstd", not(feature = "zstd")))]
    decoders: Mutex<Vec<FrameDecoder>>,
}

impl Prepared {
    /// Digests a dictionary, or returns what is wrong with it.
    pub fn new(bytes: &[u8]) -> Result<Prepared, String> {
        if !bytes.starts_with(&MAGIC) || bytes.len() < ID.end {
            return Err("bytes that do not begin as one".to_owned());
        }
        #[cfg(feature = "zstd")]
        return Ok(Prepared {
            bytes: bytes.into(),
            reads: DDict::try_create(&without_id(bytes)).ok_or("damaged tables")?,
            writes: OnceLock::new(),
        });
        #[cfg(all(feature = "ruzstd", not(feature = "zstd")))]
        return Ok(Prepared {
            bytes: bytes.into(),
            decoders: Mutex::new(vec![decoder_with(bytes)?]),
        });
        #[cfg(not(any(feature = "zstd", feature = "ruzstd")))]
        Ok(Prepared { bytes: bytes.into() })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the content of a frame, whose size was charged.
    pub fn decompress(&self, frame: &ZstdFrame) -> Result<Vec<u8>, String> {
        // It was charged, so it fits.
        let content = self.content(&frame.packed, frame.content_len as usize)?;
        if content.len() as u64 == frame.content_len {
            return Ok(content);
        }
        Err(format!("{} bytes", content.len()))
    }
}

/// A frame whose head was checked, and whose content is not decompressed yet.
pub struct ZstdFrame {
    packed: Vec<u8>,
    /// The size of the content, as the frame states it.
    pub content_len: u64,
}

impl ZstdFrame {
    /// Reads a frame without its magic bytes.
    pub fn read(bytes: &[u8]) -> Result<ZstdFrame, String> {
        let mut packed = memory::with_capacity(FRAME_MAGIC.len() + bytes.len());
        packed.put_slice(&FRAME_MAGIC);
        packed.put_slice(bytes);
        let content_len = check_single_frame(&packed, None)?;
        Ok(ZstdFrame { packed, content_len })
    }
}

#[cfg(feature = "zstd")]
impl Prepared {
    fn content(&self, packed: &[u8], len: usize) -> Result<Vec<u8>, String> {
        let mut content = memory::with_capacity(len);
        with_decompressor(|kept| kept.decompress_using_ddict(&mut content, packed, &self.reads))
            .map(|_| content)
            .map_err(|error| error.to_string())
    }

    /// Returns a frame of this content without its magic bytes.
    pub fn compress(&self, content: &[u8]) -> Result<Vec<u8>, String> {
        let writes = self.writes.get_or_init(|| CDict::try_create(&without_id(&self.bytes), LEVEL));
        let writes = writes.as_ref().ok_or("a dictionary that only readers can use")?;
        let mut packed = memory::with_capacity(compress_bound(content.len()));
        with_compressor(|kept| {
            let compressed = kept.context_mut().compress_using_cdict(&mut packed, content, writes);
            compressed.map_err(of_code)
        })
        .map_err(|error| error.to_string())?;
        packed.drain(..FRAME_MAGIC.len());
        Ok(packed)
    }
}

#[cfg(not(feature = "zstd"))]
impl Prepared {
    /// Never called: without the feature, a writer with a dictionary is an error.
    pub fn compress(&self, _: &[u8]) -> Result<Vec<u8>, String> {
        Err("no encoder".to_owned())
    }
}

#[cfg(all(feature = "ruzstd", not(feature = "zstd")))]
impl Prepared {
    fn content(&self, packed: &[u8], len: usize) -> Result<Vec<u8>, String> {
        let idle = self.decoders.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut decoder = idle.map_or_else(|| decoder_with(&self.bytes), Ok)?;
        let content = super::in_rust::decompress_by(&mut decoder, packed, len, Some(0))?;
        self.decoders.lock().unwrap_or_else(PoisonError::into_inner).push(decoder);
        Ok(content)
    }
}

#[cfg(not(any(feature = "zstd", feature = "ruzstd")))]
impl Prepared {
    /// Never called: the missing decoder was reported before.
    fn content(&self, _: &[u8], _: usize) -> Result<Vec<u8>, String> {
        Err("no decoder".to_owned())
    }
}

/// The dictionary with the ID 0, which frames leave out: a message names its dictionary by the hash.
#[cfg(any(feature = "zstd", feature = "ruzstd"))]
fn without_id(dictionary: &[u8]) -> Vec<u8> {
    let mut bytes = memory::copied(dictionary);
    bytes[ID].fill(0);
    bytes
}

/// A decoder in Rust that has the dictionary. If the C library is present too, only tests use it.
#[cfg(all(feature = "ruzstd", any(test, not(feature = "zstd"))))]
fn decoder_with(dictionary: &[u8]) -> Result<FrameDecoder, String> {
    let tables = Dictionary::decode_dict(&without_id(dictionary));
    let mut decoder = FrameDecoder::new();
    decoder
        .add_dict(tables.map_err(|error| error.to_string())?)
        .map_err(|error| error.to_string())?;
    Ok(decoder)
}

/// Trains a dictionary of at most this many bytes.
#[cfg(feature = "zstd")]
pub fn train(samples: &[u8], lens: &[usize], size: usize) -> Result<Vec<u8>, String> {
    let mut dictionary = memory::with_capacity(size);
    train_from_buffer(&mut dictionary, samples, lens).map_err(|code| of_code(code).to_string())?;
    Ok(dictionary)
}

/// Never called: the missing feature was reported before.
#[cfg(not(feature = "zstd"))]
pub fn train(_: &[u8], _: &[usize], _: usize) -> Result<Vec<u8>, String> {
    Err("no encoder".to_owned())
}

#[cfg(all(test, feature = "zstd", feature = "ruzstd"))]
mod tests {
    use alloc::vec::Vec;

    use super::super::in_rust::decompress_by;
    use super::super::tests::Tally;
    use super::{Prepared, ZstdFrame, decoder_with, train};

    fn sample(n: usize) -> Vec<u8> {
        let words = ["red", "green", "blue", "small", "large", "steel", "cotton"];
        let text = |at: usize| words[(n * 7 + at * n) % words.len()];
        format!("{} {} lamp no. {n} of {}, {} {}", text(0), text(1), n * n, text(2), text(3)).into()
    }

    #[test]
    fn both_decoders_agree_on_frames_of_a_dictionary() {
        let samples: Vec<Vec<u8>> = (0..1000).map(sample).collect();
        let lens: Vec<usize> = samples.iter().map(Vec::len).collect();
        let dictionary = train(&samples.concat(), &lens, 2000).unwrap();
        let prepared = Prepared::new(&dictionary).unwrap();
        let mut decoder = decoder_with(&dictionary).unwrap();
        let mut tally = Tally::default();
        for n in 1000..1200 {
            let content = sample(n).repeat(1 + n % 5);
            let packed = prepared.compress(&content).unwrap();
            for at in 0..=packed.len() {
                let mut damaged = packed.clone();
                // The last one is not damaged.
                if let Some(byte) = damaged.get_mut(at) {
                    *byte ^= 1 << (n % 8);
                }
                let Ok(frame) = ZstdFrame::read(&damaged) else { continue };
                if frame.content_len > 1 << 20 {
                    continue;
                }
                let c = prepared.decompress(&frame).ok();
                let len = frame.content_len as usize;
                let rust = decompress_by(&mut decoder, &frame.packed, len, Some(0)).ok();
                let rust = rust.filter(|found| found.len() == len);
                if at == packed.len() {
                    assert_eq!((c.as_ref(), rust.as_ref()), (Some(&content), Some(&content)));
                }
                tally.add(rust, c);
            }
        }
        tally.check(1000);
    }
}
