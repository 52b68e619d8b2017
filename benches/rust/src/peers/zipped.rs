use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::compress_bound;

use super::{Bitcode, Peer, VALID};
use crate::measure::ZSTD_LEVEL;

/// bitcode's bytes in zstd, for fewer bytes.
pub struct ZippedBitcode {
    peer: Bitcode,
    compressor: Compressor<'static>,
    decompressor: Decompressor<'static>,
    bytes: Vec<u8>,
    plain: Vec<u8>,
}

impl Default for ZippedBitcode {
    fn default() -> Self {
        ZippedBitcode {
            peer: Bitcode::default(),
            compressor: Compressor::new(ZSTD_LEVEL).expect("a level of zstd"),
            decompressor: Decompressor::new().expect("zstd has memory"),
            bytes: Vec::new(),
            plain: Vec::new(),
        }
    }
}

impl<T> Peer<T> for ZippedBitcode
where
    Bitcode: Peer<T>,
{
    const NAME: &'static str = "bitcode + zstd";
    const IN: bool = true;
    const IS_PROFILE_SMALL: bool = true;

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        zstd::bulk::compress(&self.peer.to_vec(value), ZSTD_LEVEL).expect("zstd takes all")
    }

    fn write(&mut self, value: &T) -> &[u8] {
        let plain = self.peer.write(value);
        self.bytes.clear();
        self.bytes.reserve(compress_bound(plain.len()));
        self.compressor.compress_to_buffer(plain, &mut self.bytes).expect("it has room");
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> T {
        let len = zstd::decompressed_size(bytes).expect(VALID);
        self.plain.clear();
        self.plain.reserve(usize::try_from(len).expect(VALID));
        self.decompressor.decompress_to_buffer(bytes, &mut self.plain).expect(VALID);
        self.peer.read(&self.plain)
    }
}
