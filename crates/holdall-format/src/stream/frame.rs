//! Frames, the units of a stream (F-81 to F-84).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::memory::GrowVec;
use crc32c::{crc32c, crc32c_append};

use crate::error::{Code, Error, Result};

/// The first bytes of a stream, followed by its sync.
pub const SIGNATURE: [u8; 8] = *b"\xC1\xF1hold\r\n";
pub const PREAMBLE: usize = 16;
/// The head of a frame: sync, kind, length, sequence, schema, checksum.
pub const HEAD: usize = 32;
/// The shortest frame.
pub const SHORTEST: usize = HEAD + 8;
const CHECKSUM: usize = 4;
/// Every frame takes a multiple of this, and so begins at one.
const MULTIPLE: u64 = 8;

/// The offsets of a head's fields.
pub const KIND: u64 = 8;
pub const LENGTH: u64 = 9;
pub const SEQUENCE: u64 = 15;
pub const SCHEMA: u64 = 20;
pub const HEAD_CHECKSUM: u64 = 28;

/// A head has no room for more frames, or for more bytes in one.
const LARGEST_SEQUENCE: u64 = (1 << 40) - 1;
const LARGEST_LENGTH: u64 = (1 << 48) - 1;

/// Kinds from here on belong to later versions.
const LATER: u8 = 0xE0;

/// The bytes at the beginning of every frame of a stream.
pub type Sync = [u8; 8];

/// What a frame holds (F-84).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Metadata,
    Schema,
    Block,
    /// Bounds of columns (F-100); readers that do not use it skip it.
    Statistics,
    End,
    /// A kind of a later version; readers skip it.
    Later(u8),
}

impl Kind {
    /// The byte of a head.
    fn code(self) -> u8 {
        match self {
            Kind::Metadata => b'M',
            Kind::Schema => b'S',
            Kind::Block => b'B',
            Kind::Statistics => b'T',
            Kind::End => b'E',
            Kind::Later(code) => code,
        }
    }

    fn of_code(code: u8) -> Option<Kind> {
        match code {
            b'M' => Some(Kind::Metadata),
            b'S' => Some(Kind::Schema),
            b'B' => Some(Kind::Block),
            b'T' => Some(Kind::Statistics),
            b'E' => Some(Kind::End),
            LATER.. => Some(Kind::Later(code)),
            _ => None,
        }
    }
}

/// The head before a frame's payload (F-83).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub kind: Kind,
    /// The length of the payload in bytes.
    pub len: u64,
    /// The frame's number, counted from 0.
    pub sequence: u64,
    /// The fingerprint of a block's schema, or of the schema in the frame; otherwise 0.
    pub schema: u64,
}

impl Head {
    /// Reads a head of 32 bytes that begins at an offset of the stream.
    pub fn read(bytes: &[u8; HEAD], sync: Sync, at: u64) -> Result<Head> {
        if bytes[..8] != sync {
            return Err(no_frame(at));
        }
        let (fields, checksum) = bytes.split_at(HEAD_CHECKSUM as usize);
        if checksum != crc32c(fields).to_le_bytes() {
            return Err(Error::in_stream(Code::BadChecksum, at + HEAD_CHECKSUM)
                .expected("the checksum of a frame's head")
                .got("another"));
        }
        let code = bytes[KIND as usize];
        let Some(kind) = Kind::of_code(code) else {
            return Err(Error::in_stream(Code::BadFrame, at + KIND)
                .expected("a kind of frame")
                .got(format!("{code:02X}")));
        };
        let number = |from: u64, to: u64| {
            let mut word = [0; 8];
            let field = &bytes[from as usize..to as usize];
            word[..field.len()].copy_from_slice(field);
            u64::from_le_bytes(word)
        };
        Ok(Head {
            kind,
            len: number(LENGTH, SEQUENCE),
            sequence: number(SEQUENCE, SCHEMA),
            schema: number(SCHEMA, HEAD_CHECKSUM),
        })
    }

    /// Appends the head.
    pub fn write(&self, sync: Sync, out: &mut Vec<u8>) -> Result<()> {
        if self.len > LARGEST_LENGTH || self.sequence > LARGEST_SEQUENCE {
            return Err(Error::new(Code::LimitOutput)
                .expected(format!(
                    "at most {LARGEST_SEQUENCE} frames, of at most {LARGEST_LENGTH} bytes"
                ))
                .got("more"));
        }
        let start = out.len();
        out.put_slice(&sync);
        out.put(self.kind.code());
        out.put_slice(&self.len.to_le_bytes()[..6]);
        out.put_slice(&self.sequence.to_le_bytes()[..5]);
        out.put_slice(&self.schema.to_le_bytes());
        let checksum = crc32c(&out[start..]);
        out.put_slice(&checksum.to_le_bytes());
        Ok(())
    }

    /// The length of the frame in bytes.
    pub fn frame_len(&self) -> u64 {
        HEAD as u64 + (self.len + CHECKSUM as u64).next_multiple_of(MULTIPLE)
    }

    /// Payloads above the limit are not read (F-83).
    pub fn check_len(&self, at: u64, limit: u64) -> Result<()> {
        if self.len <= limit {
            return Ok(());
        }
        Err(Error::in_stream(Code::LimitBudget, at + LENGTH)
            .expected(format!("at most {limit} bytes in a frame"))
            .got(self.len.to_string())
            .by_frame())
    }

    /// Checks what the kind of frame requires of its head (F-84).
    pub fn check_fields(&self, at: u64) -> Result<()> {
        let bad = |field: u64, expected: &'static str, got: String| {
            Err(Error::in_stream(Code::BadFrame, at + field).expected(expected).got(got))
        };
        match self.kind {
            Kind::Metadata if self.sequence != 0 => {
                bad(KIND, "metadata in the first frame", format!("frame {}", self.sequence))
            }
            Kind::Metadata | Kind::Statistics | Kind::End if self.schema != 0 => {
                bad(SCHEMA, "no schema", format!("{:016x}", self.schema))
            }
            _ => Ok(()),
        }
    }
}

#[cold]
pub fn no_frame(at: u64) -> Error {
    Error::in_stream(Code::BadSync, at).expected("a frame").got("other bytes")
}

/// Appends padding and checksum to a frame that has its head and payload and begins at `start`.
pub fn close(out: &mut Vec<u8>, start: usize) {
    let padding = (out.len() - start + CHECKSUM).wrapping_neg() % MULTIPLE as usize;
    out.put_fill(out.len() + padding, 0);
    let checksum = checksum_of(&out[start..]);
    out.put_slice(&checksum.to_le_bytes());
}

/// The checksum of a frame that lacks it (F-82). It leaves out that of the head, which would bring the CRC to the same
/// state for every head.
fn checksum_of(frame: &[u8]) -> u32 {
    let (head, rest) = frame.split_at(HEAD);
    crc32c_append(crc32c(&head[..HEAD_CHECKSUM as usize]), rest)
}

/// Checks a complete frame that begins at an offset of the stream: its checksum, then its padding (F-82).
pub fn check(frame: &[u8], head: &Head, at: u64) -> Result<()> {
    let (covered, checksum) = frame.split_at(frame.len() - CHECKSUM);
    if checksum != checksum_of(covered).to_le_bytes() {
        return Err(Error::in_stream(Code::BadChecksum, at + covered.len() as u64)
            .expected("the checksum of a frame")
            .got("another"));
    }
    let end = HEAD + head.len as usize;
    match covered[end..].iter().position(|byte| *byte != 0) {
        None => Ok(()),
        Some(padding) => Err(Error::in_stream(Code::NonzeroPadding, at + (end + padding) as u64)
            .expected("00")
            .got(format!("{:02X}", covered[end + padding]))),
    }
}
