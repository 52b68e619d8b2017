//! The meaning of each byte of a message, for people.
//!
//! There is no second parser: the decoder itself records its reads if it has a tracer.

mod tracer;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

pub use tracer::{Content, Field, Tracer, cut, cut_bytes, field};

/// How to interpret the bytes of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldForm {
    /// Bytes with no meaning of their own here.
    Bytes,
    /// The first byte of a message.
    Magic,
    /// Version and flags (F-8).
    Flags,
    /// Extended flags (F-66).
    ExtendedFlags,
    /// An unsigned number.
    Number,
    /// A signed number, zigzagged (F-5).
    Signed,
    /// The key of a pair of metadata.
    Key,
    /// Its value.
    MetadataValue,
    /// The fingerprint of a schema (F-22).
    Fingerprint,
    /// The code of a type (F-14).
    Type,
    /// The length of a new name, or the number of a known one (F-16).
    NameHead,
    /// A new name.
    Name,
    /// The number of fields and the form of their shapes (F-17).
    FieldsHead,
    /// The number of variants, and whether they are named (F-19).
    VariantsHead,
    /// The kind of a logical type (F-72).
    Kind,
    /// The parameters of a logical type.
    Parameters,
    /// The encoding of a column, or of a frame in it (F-57).
    Encoding,
    /// Rows of a column.
    Rows,
    /// Whether a plane of bytes is the same in all rows (F-30).
    Marker,
    /// Skipped bytes of a later version (F-73, F-77).
    Later,
    /// Zero bytes for alignment (F-69).
    Padding,
    /// The checksum of all bytes before it (F-67), or of a frame (F-82).
    Checksum,
    /// Bounds of the columns of blocks (F-100).
    Statistics,
    /// A zstd frame that has schema and columns (F-101).
    Frame,
    /// Bytes after a fault at which the reader had to stop, or after the message's end.
    Unread,
}

/// The part of a message that a span is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Flags, length, padding, checksum.
    Envelope,
    /// The metadata.
    Metadata,
    /// The schema or its fingerprint.
    Schema,
    /// The columns.
    Block,
}

/// Bytes that are one item of the format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Span {
    /// Which bytes of the message, or of the content of its frame (F-101).
    pub range: Range<usize>,
    /// The part that they are in.
    pub part: Part,
    /// A description of the item, like `"a name"`.
    pub what: &'static str,
    /// The role of the rows that it belongs to, like `"a length"`; empty for the values of the site.
    pub role: &'static str,
    /// The number of the spec's rule that defines it: 29 for F-29; zero if no rule does.
    pub rule: u8,
    /// How to interpret the bytes.
    pub form: FieldForm,
    /// The type in the schema that it belongs to, for `Trace::path`.
    pub site: Option<usize>,
    /// The number that the bytes encode, if any; zigzagged if it is signed.
    pub number: Option<u64>,
    /// The first of the rows that the bytes hold.
    pub preview: Option<Box<Preview>>,
    /// For bytes that were not read, the index in `Trace::errors` of the fault that is the reason.
    pub error: Option<usize>,
    /// For a compressed column, the encoding byte of the column inside.
    pub inside: Option<u8>,
}

/// The first of some rows, as text for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// One text per row, cut if it is long.
    pub rows: Vec<String>,
    /// The number of rows not shown.
    pub more: usize,
}
