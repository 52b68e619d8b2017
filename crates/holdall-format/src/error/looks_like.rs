//! Recognition of other formats by their first bytes.

/// The format that input seems to have instead of the expected one: a guess by its first bytes, for the text of an
/// error.
///
/// ```
/// use holdall::{LooksLike, Value};
///
/// let error = holdall::from_slice::<Value>(b"PAR1\x15\x04").unwrap_err();
/// assert_eq!(error.looks_like(), Some(LooksLike::Parquet));
/// assert_eq!(
///     error.to_string(),
///     "bad_magic at offset 0: expected C1, got 50; this looks like a Parquet file: the crate `parquet` reads it",
/// );
/// // Without advice for Rust, for programs that give their own.
/// assert_eq!(
///     format!("{error:#}"),
///     "bad_magic at offset 0: expected C1, got 50; this looks like a Parquet file",
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LooksLike {
    /// A message of holdall in place of a stream.
    Message,
    /// A stream of holdall in place of a message.
    Stream,
    /// A pickle of Python, of protocol 2 or later.
    Pickle,
    /// JSON: an object or array.
    Json,
    /// One MessagePack value: a map or array.
    MessagePack,
    /// A gzip file.
    Gzip,
    /// A Zstandard frame.
    Zstd,
    /// A Parquet file.
    Parquet,
    /// An Arrow file, which is also Feather from version 2 on.
    ArrowFile,
    /// An Arrow stream.
    ArrowStream,
    /// A Feather file of version 1.
    Feather,
    /// A zip archive, such as numpy's `.npz`.
    Zip,
    /// A `.npy` file of numpy.
    Npy,
}

/// The first bytes of files of other formats.
const SIGNATURES: &[(&[u8], LooksLike)] = &[
    (&[0x1F, 0x8B, 0x08], LooksLike::Gzip),
    (&[0x28, 0xB5, 0x2F, 0xFD], LooksLike::Zstd),
    (b"PAR1", LooksLike::Parquet),
    (b"ARROW1", LooksLike::ArrowFile),
    (b"FEA1", LooksLike::Feather),
    (b"PK\x03\x04", LooksLike::Zip),
    (b"\x93NUMPY", LooksLike::Npy),
];

/// No more bytes are examined.
pub const PREFIX: usize = 4096;

impl LooksLike {
    /// The name with an article: `"a pickle"`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            LooksLike::Message => "a message",
            LooksLike::Stream => "a stream",
            LooksLike::Pickle => "a pickle",
            LooksLike::Json => "JSON",
            LooksLike::MessagePack => "MessagePack",
            LooksLike::Gzip => "gzip",
            LooksLike::Zstd => "zstd",
            LooksLike::Parquet => "a Parquet file",
            LooksLike::ArrowFile => "an Arrow file",
            LooksLike::ArrowStream => "an Arrow stream",
            LooksLike::Feather => "a Feather file",
            LooksLike::Zip => "a zip archive",
            LooksLike::Npy => "an npy file",
        }
    }

    /// Advice on what to do with it in Rust.
    pub fn remedy(self) -> &'static str {
        match self {
            LooksLike::Message => "`holdall::from_slice` reads it",
            LooksLike::Stream => "`holdall::Reader` reads it",
            LooksLike::Pickle => "Python's `pickle` reads it",
            LooksLike::Json => "`holdall_convert::json::pack` makes holdall data of it",
            LooksLike::MessagePack => "`holdall_convert::msgpack::pack` makes holdall data of it",
            LooksLike::Gzip | LooksLike::Zstd => "decompress it first",
            LooksLike::Parquet => "the crate `parquet` reads it",
            LooksLike::ArrowFile | LooksLike::ArrowStream => "the crate `arrow` reads it",
            LooksLike::Feather => "Python's `pyarrow.feather` reads it",
            LooksLike::Zip => "extract its files first",
            LooksLike::Npy => "the crate `ndarray-npy` reads it",
        }
    }

    /// Recognises another format by these first bytes.
    #[cold]
    pub fn of(bytes: &[u8]) -> Option<LooksLike> {
        let bytes = &bytes[..bytes.len().min(PREFIX)];
        let signed = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature));
        if let Some((_, known)) = signed {
            return Some(*known);
        }
        match *bytes {
            // PROTO and its argument. In MessagePack `80` is a complete value, with nothing after it.
            [0x80, 2..=5, _, ..] => Some(LooksLike::Pickle),
            // A continuation marker, and the length of a schema, which is padded to 8.
            [0xFF, 0xFF, 0xFF, 0xFF, low, _, _, high, ..] if low % 8 == 0 && high == 0 => {
                Some(LooksLike::ArrowStream)
            }
            _ if is_json(bytes) => Some(LooksLike::Json),
            _ if is_message_pack(bytes) => Some(LooksLike::MessagePack),
            _ => None,
        }
    }
}

/// Whether the bytes begin like an object or array. Scalars cannot be distinguished from other text.
fn is_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut solid = bytes.iter().filter(|byte| !b" \t\r\n".contains(byte));
    match (solid.next(), solid.next()) {
        (Some(b'{'), Some(b'"' | b'}')) => {}
        (Some(b'['), Some(b'{' | b'[' | b'"' | b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')) => {
        }
        _ => return false,
    }
    !bytes.iter().any(|byte| byte.is_ascii_control() && !b"\t\r\n".contains(byte))
}

/// Whether the bytes are one complete, non-empty map or array, or begin with a map, perhaps in an array, whose first
/// key is a name. CBOR has the same first bytes for other lengths, so its values end elsewhere.
fn is_message_pack(bytes: &[u8]) -> bool {
    let is_map = |byte: &u8| matches!(byte, 0x81..=0x8F | 0xDE | 0xDF);
    let is_array = |byte: &u8| matches!(byte, 0x91..=0x9F | 0xDC | 0xDD);
    let head = |byte: &u8| match byte {
        0xDC | 0xDE => 3,
        0xDD | 0xDF => 5,
        _ => 1,
    };
    let Some(first) = bytes.first().filter(|first| is_map(first) || is_array(first)) else {
        return false;
    };
    let Some(end) = message_pack_end(bytes) else { return false };
    if end <= bytes.len() {
        return end == bytes.len() && end < PREFIX;
    }
    let mut at = head(first);
    if is_array(first) {
        match bytes.get(at).filter(|next| is_map(next)) {
            Some(next) => at += head(next),
            None => return false,
        }
    }
    let Some(key @ 0xA1..=0xBF) = bytes.get(at) else { return false };
    let name = bytes.get(at + 1..at + 1 + usize::from(key & 31));
    name.is_some_and(|name| name.iter().all(u8::is_ascii_graphic))
}

/// The end of the MessagePack value that begins here, beyond the bytes if it continues there; `None` at a byte without
/// meaning.
fn message_pack_end(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut left) = (0_usize, 1_u64);
    while left > 0 {
        let Some(byte) = bytes.get(at) else { return Some(usize::MAX) };
        // Missing bytes count as 0: the value ends beyond the bytes in any case.
        let count = |len: usize| {
            let digits = bytes[at + 1..].iter().take(len);
            digits.fold(0, |count, digit| count << 8 | u64::from(*digit))
        };
        let (head, body, items) = match byte {
            0xC1 => return None,
            0x80..=0x8F => (1, 0, 2 * u64::from(byte & 15)),
            0x90..=0x9F => (1, 0, u64::from(byte & 15)),
            0xA0..=0xBF => (1, u64::from(byte & 31), 0),
            0xC4 | 0xD9 => (2, count(1), 0),
            0xC5 | 0xDA => (3, count(2), 0),
            0xC6 | 0xDB => (5, count(4), 0),
            0xC7 => (3, count(1), 0),
            0xC8 => (4, count(2), 0),
            0xC9 => (6, count(4), 0),
            0xCC | 0xD0 => (2, 0, 0),
            0xCD | 0xD1 | 0xD4 => (3, 0, 0),
            0xD5 => (4, 0, 0),
            0xCA | 0xCE | 0xD2 => (5, 0, 0),
            0xD6 => (6, 0, 0),
            0xCB | 0xCF | 0xD3 => (9, 0, 0),
            0xD7 => (10, 0, 0),
            0xD8 => (18, 0, 0),
            0xDC => (3, 0, count(2)),
            0xDD => (5, 0, count(4)),
            0xDE => (3, 0, 2 * count(2)),
            0xDF => (5, 0, 2 * count(4)),
            _ => (1, 0, 0),
        };
        at = at.saturating_add(head).saturating_add(body as usize);
        left = left - 1 + items;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_formats_are_known_by_their_first_bytes() {
        use LooksLike::*;
        for (bytes, expected) in [
            (&b"\x80\x04\x95\x03\0\0\0\0\0\0\0]\x94."[..], Some(Pickle)),
            (b"\x80\x02]q\0.", Some(Pickle)),
            (b"{\"a\": 1}", Some(Json)),
            (b"\xEF\xBB\xBF \n[ 1, 2]", Some(Json)),
            (b"[]", Some(Json)),
            (b"{}", Some(Json)),
            (b"\x1F\x8B\x08\0\0\0\0\0", Some(Gzip)),
            (b"\x28\xB5\x2F\xFD\x04\0", Some(Zstd)),
            (b"PAR1\x15\x04", Some(Parquet)),
            (b"ARROW1\0\0\xFF\xFF\xFF\xFF", Some(ArrowFile)),
            (b"\xFF\xFF\xFF\xFF\x78\0\0\0\x10\0\0\0", Some(ArrowStream)),
            (b"FEA1\0\0\0\0", Some(Feather)),
            (b"PK\x03\x04-\0", Some(Zip)),
            (b"\x93NUMPY\x01\0v\0", Some(Npy)),
            // {"a": 1}, [1, "x"], {"id": [1.5, null]}.
            (b"\x81\xA1a\x01", Some(MessagePack)),
            (b"\x92\x01\xA1x", Some(MessagePack)),
            (b"\x81\xA2id\x92\xCB\x3F\xF8\0\0\0\0\0\0\xC0", Some(MessagePack)),
            (b"\xDE\0\x01\xA1a\xC8\0\x02\x07ab", Some(MessagePack)),
            // The same, truncated.
            (b"\x81\xA2id\x92\xCB\x3F", Some(MessagePack)),
            (b"\xDC\x10\0\x82\xA2id\x01\xA4name", Some(MessagePack)),
            // The CBOR of [{"a": 1}] and of [{"id": 1, "name": "Ada"}].
            (b"\x81\xA1\x61\x61\x01", None),
            (b"\x81\xA2\x62id\x01\x64name\x63Ada", None),
            // Text that is not JSON, numbers, and no bytes.
            (b"[section]\nkey = 1", None),
            (b"{key}", None),
            (b"{\"\0\"}", None),
            (b"id,name\n1,Ada\n", None),
            (b"\x90\x91\x92\x93\x94", None),
            (b"\x81\xC1\x01", None),
            (b"\x80", None),
            (b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", None),
            (b"", None),
        ] {
            assert_eq!(LooksLike::of(bytes), expected, "{bytes:02X?}");
        }
    }
}
