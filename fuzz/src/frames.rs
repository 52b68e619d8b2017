//! Streams as their frames (F-81 to F-88), to be changed and written with the lengths and checksums that they then have.

use crc32c::{crc32c, crc32c_append};
use holdall::Schema;

use crate::common::varint;

/// The bytes before the frames: magic, version, text and sync.
const PREAMBLE: usize = 16;
/// A frame's bytes before its payload.
const HEAD: usize = 32;

pub const SCHEMA: u8 = b'S';
pub const BLOCK: u8 = b'B';
pub const END: u8 = b'E';

#[derive(Clone)]
pub struct Frame {
    pub kind: u8,
    pub sequence: u64,
    pub schema: u64,
    pub payload: Vec<u8>,
}

impl Frame {
    /// The frame that begins at an offset, and where it ends; none if its length leads beyond the input.
    fn read(bytes: &[u8], at: usize) -> Option<(Frame, usize)> {
        let head = bytes.get(at..at + HEAD)?;
        let number = |range: std::ops::Range<usize>| {
            let mut word = [0; 8];
            word[..range.len()].copy_from_slice(&head[range]);
            u64::from_le_bytes(word)
        };
        let start = at + HEAD;
        let len = usize::try_from(number(9..15)).ok()?;
        let payload = bytes.get(start..start.checked_add(len)?)?.to_vec();
        let end = start + (len + 4).next_multiple_of(8);
        let frame =
            Frame { kind: head[8], sequence: number(15..20), schema: number(20..28), payload };
        (end <= bytes.len()).then_some((frame, end))
    }

    fn write(&self, sync: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(sync);
        out.push(self.kind);
        out.extend_from_slice(&(self.payload.len() as u64).to_le_bytes()[..6]);
        out.extend_from_slice(&self.sequence.to_le_bytes()[..5]);
        out.extend_from_slice(&self.schema.to_le_bytes());
        let head = crc32c(&out[start..]);
        out.extend_from_slice(&head.to_le_bytes());
        out.extend_from_slice(&self.payload);
        let padding = (out.len() - start + 4).wrapping_neg() % 8;
        out.resize(out.len() + padding, 0);
        let frame = crc32c_append(head, &out[start + HEAD..]);
        out.extend_from_slice(&frame.to_le_bytes());
    }

    fn len(&self) -> usize {
        HEAD + (self.payload.len() + 4).next_multiple_of(8)
    }

    /// The number of a block's roots (F-85).
    fn roots(&self) -> u64 {
        let first = self.payload.first().copied().unwrap_or_default();
        let len = (first.trailing_ones() as usize + 1).min(self.payload.len());
        let mut word = [0; 16];
        word[..len].copy_from_slice(&self.payload[..len]);
        (u128::from_le_bytes(word) >> len.min(8)) as u64 >> 2
    }
}

pub struct Stream {
    preamble: Vec<u8>,
    pub frames: Vec<Frame>,
    /// What follows the last complete frame.
    rest: Vec<u8>,
}

impl Stream {
    pub fn read(bytes: &[u8]) -> Option<Stream> {
        let (preamble, _) = bytes.split_at_checked(PREAMBLE)?;
        let (mut frames, mut at) = (Vec::new(), PREAMBLE);
        while let Some((frame, end)) = Frame::read(bytes, at) {
            frames.push(frame);
            at = end;
        }
        Some(Stream { preamble: preamble.to_vec(), frames, rest: bytes[at..].to_vec() })
    }

    pub fn write(&self) -> Vec<u8> {
        let mut out = self.preamble.clone();
        self.frames.iter().for_each(|frame| frame.write(&self.preamble[8..], &mut out));
        out.extend_from_slice(&self.rest);
        out
    }

    /// Numbers the frames in their order.
    pub fn number(&mut self) {
        (0..).zip(&mut self.frames).for_each(|(number, frame)| frame.sequence = number);
    }

    /// Gives each schema its fingerprint, and each block that of the schema before it.
    pub fn fingerprint(&mut self) {
        let mut last = 0;
        for frame in &mut self.frames {
            if let (SCHEMA, Ok(schema)) = (frame.kind, Schema::from_bytes(&frame.payload)) {
                last = schema.fingerprint();
            }
            if matches!(frame.kind, SCHEMA | BLOCK) {
                frame.schema = last;
            }
        }
    }

    /// Lists the frames before it in the end, if there is one (F-88).
    pub fn index(&mut self) {
        let Some(end) = self.frames.iter().position(|frame| frame.kind == END) else { return };
        let mut payload = varint(end as u64);
        let mut offset = PREAMBLE;
        for frame in &self.frames[..end] {
            payload.extend(varint(frame.len() as u64 / 8));
            payload.extend(varint(if frame.kind == BLOCK { frame.roots() } else { 0 }));
            offset += frame.len();
        }
        let padding = 4_usize.wrapping_sub(payload.len()) % 8;
        payload.resize(payload.len() + padding, 0);
        payload.extend((offset as u64).to_le_bytes());
        self.frames[end].payload = payload;
    }
}
