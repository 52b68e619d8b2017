//! The kinds of errors, one list for all languages (spec, chapter 9).

use core::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// The kind of an error. All languages share this list (spec, chapter 9).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $name,)* }

        impl Code {
            /// Every code, in the order of the spec.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// The code's name as the spec writes it: `Code::VarintOverlong` is `"varint_overlong"`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// The input ends within an item, or a count exceeds the remaining bytes.
    Truncated = "truncated",
    /// A varint that is not in its shortest form.
    VarintOverlong = "varint_overlong",
    /// The input does not start with the magic byte.
    BadMagic = "bad_magic",
    /// A version that this reader does not know.
    BadVersion = "bad_version",
    /// Flags that contradict each other.
    BadFlags = "bad_flags",
    /// A message whose checksum is not that of its bytes.
    BadChecksum = "bad_checksum",
    /// Valid or reserved, but not understood by this reader.
    Unsupported = "unsupported",
    /// No schema is known for a fingerprint.
    UnknownFingerprint = "unknown_fingerprint",
    /// No dictionary is known for a hash.
    UnknownDictionary = "unknown_dictionary",
    /// A type code without meaning.
    UnknownType = "unknown_type",
    /// An encoding byte without meaning.
    UnknownEncoding = "unknown_encoding",
    /// A kind of logical type without meaning.
    UnknownKind = "unknown_kind",
    /// A type inside a tensor or packed that does not take a fixed number of bytes.
    BadPacked = "bad_packed",
    /// A packed bool that is neither 0 nor 1.
    BadBool = "bad_bool",
    /// Parameters that a logical type does not have.
    BadParameters = "bad_parameters",
    /// A logical type over a storage that its kind does not allow.
    BadStorage = "bad_storage",
    /// An encoding that is not allowed inside another.
    BadInnerEncoding = "bad_inner_encoding",
    /// A string or name that is not UTF-8.
    InvalidUtf8 = "invalid_utf8",
    /// A name spelled out although it appeared before.
    NameRepeated = "name_repeated",
    /// Two fields, variants or keys of metadata with the same name.
    DuplicateName = "duplicate_name",
    /// A number of a name, field, shape or variant that does not exist.
    IndexOutOfRange = "index_out_of_range",
    /// A form of record that does not exist.
    BadForm = "bad_form",
    /// A record's shape that is not valid.
    BadShape = "bad_shape",
    /// An invalid union.
    BadUnion = "bad_union",
    /// A reference to a definition out of order, or a definition that is only an alias.
    BadDefinition = "bad_definition",
    /// Definitions are announced, but there are none.
    BadDefinitionCount = "bad_definition_count",
    /// A reference to a row that has not begun yet.
    BadReference = "bad_reference",
    /// Rows of a type that has no values.
    NeverHasRows = "never_has_rows",
    /// Unused bits that are not zero.
    NonzeroPadding = "nonzero_padding",
    /// An integer outside its type's range.
    IntOutOfRange = "int_out_of_range",
    /// A big integer that is not in its shortest form.
    IntNotShortest = "int_not_shortest",
    /// A scale of 0 or 1.
    BadScale = "bad_scale",
    /// Bins, or the numbers of bins, that don't add up.
    BadBins = "bad_bins",
    /// A row with more bits than the numbers of its type have.
    BadWidths = "bad_widths",
    /// Exceptions out of order or number.
    BadPatches = "bad_patches",
    /// A decimal column whose exponent is out of range.
    BadDecimal = "bad_decimal",
    /// A byte plane whose marker has no meaning.
    BadPlanes = "bad_planes",
    /// A dictionary without entries, or with more entries than rows.
    BadDictionary = "bad_dictionary",
    /// Templates whose slots and numbers don't match.
    BadTemplates = "bad_templates",
    /// A compressed column with invalid contents.
    BadZstd = "bad_zstd",
    /// A schema nested deeper than the limit.
    LimitNesting = "limit_nesting",
    /// A schema with more types than the limit.
    LimitSites = "limit_sites",
    /// A tensor of more dimensions than the limit.
    LimitRank = "limit_rank",
    /// More rows or bytes than the budget allows.
    LimitBudget = "limit_budget",
    /// Input after the end of the message or stream.
    TrailingBytes = "trailing_bytes",
    /// Bytes of a stream that are not a frame, where a frame should begin.
    BadSync = "bad_sync",
    /// A frame of a stream that is invalid at its place.
    BadFrame = "bad_frame",
    /// Frames of a stream are missing.
    MissingFrames = "missing_frames",
    /// A frame of a stream is repeated or too late.
    RepeatedFrame = "repeated_frame",
    /// The directory of a block does not match its columns.
    BadDirectory = "bad_directory",
    /// The index of a stream does not match its frames.
    BadIndex = "bad_index",
    /// The number of rows that a definition uses is not the number it has.
    DefinitionRowsMismatch = "definition_rows_mismatch",
    /// Rows of a definition that the root does not reach.
    UnreachableRows = "unreachable_rows",
    /// Two equal keys in one map.
    DuplicateKey = "duplicate_key",
    /// Writing: more bytes than the limit allows.
    LimitOutput = "limit_output",
    /// Values of a recursive Rust type nest deeper than the limit allows.
    LimitDepth = "limit_depth",
    /// A store of schemas holds other bytes than the schema of a fingerprint.
    BadStore = "bad_store",
    /// Writing: a value that the format, or this version of it, cannot represent.
    UnsupportedValue = "unsupported_value",
    /// Writing: a source violates the protocol of events.
    BadSource = "bad_source",
    /// Reading with another schema: no value of one type can be read as the other.
    Incompatible = "incompatible",
    /// Reading with another schema: the data lacks a field that has no default.
    MissingField = "missing_field",
    /// Reading with another schema: the data has a field that the reader neither has nor skips.
    UnknownField = "unknown_field",
    /// Reading with another schema: a value that does not fit the reader's type.
    Unconvertible = "unconvertible",
    /// Converting: invalid text in another format.
    BadInput = "bad_input",
    /// Converting: a value that the target format cannot represent.
    Unrepresentable = "unrepresentable",
    /// A program's own type rejects its value when it is read or written.
    Custom = "custom",
    /// Reading from or writing to a file or pipe failed.
    Io = "io",
    /// Another writer has the stream open.
    Locked = "locked",
    /// The system has no memory left for what the data or the value needs.
    OutOfMemory = "out_of_memory",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
