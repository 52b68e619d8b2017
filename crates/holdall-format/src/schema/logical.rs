//! Logical types: a meaning for a storage type (F-72).

use alloc::boxed::Box;
use alloc::string::ToString;
use core::fmt::{self, Display, Formatter};

use super::{DType, Scalar, Type, TypeId, code};
use crate::error::{Code, Error, Result};
use crate::number::IntKind;

/// What a logical type means: its kind and the kind's parameters.
///
/// ```
/// use holdall::LogicalType;
///
/// let utc = LogicalType::new(LogicalType::TIMESTAMP, &[2, 1])?;
/// assert_eq!(utc.to_string(), "timestamp[us, utc]");
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LogicalType {
    kind: u8,
    parameters: Box<[u8]>,
}

/// The values that a parameter can have, and their words in a schema's text (F-55).
enum Parameter {
    /// One of these words, by its number.
    Words(&'static [&'static str]),
    /// One of these numbers.
    Numbers(&'static [u8]),
}

const UNIT: Parameter = Parameter::Words(&["s", "ms", "us", "ns"]);
const ZONE: Parameter = Parameter::Words(&["local", "utc", "offset", "zone"]);
const STYLE: Parameter = Parameter::Words(&["any", "posix", "windows"]);
const TEXT: Parameter = Parameter::Words(&["string", "bytes"]);
const VERSION: Parameter = Parameter::Numbers(&[4, 6]);
const BYTES: Parameter = Parameter::Numbers(&[4, 8]);

/// A kind's name and parameters.
type LogicalEntry = (&'static str, &'static [Parameter]);

/// The kinds in the order of their numbers, from 1 on.
const KINDS: [LogicalEntry; 23] = [
    ("date", &[]),
    ("time", &[UNIT]),
    ("timestamp", &[UNIT, ZONE]),
    ("duration", &[UNIT]),
    ("decimal", &[]),
    ("rational", &[]),
    ("complex", &[BYTES]),
    ("uuid", &[]),
    ("char", &[]),
    ("set", &[]),
    ("frozen_set", &[]),
    ("long_tuple", &[]),
    ("byte_array", &[]),
    ("ordered_map", &[]),
    ("bit_vector", &[]),
    ("symbol", &[]),
    ("path", &[STYLE, TEXT]),
    ("url", &[]),
    ("ip_address", &[VERSION]),
    ("ip_network", &[VERSION]),
    ("regular_expression", &[]),
    ("range", &[]),
    ("wtf8_string", &[]),
];

/// The storage that a kind requires.
pub enum Storage {
    Any,
    Scalar(Scalar),
    /// int or i64.
    Whole,
    List,
    /// A list of bool, or one that is always empty.
    BitList,
    Map,
    Tuple(&'static [Storage]),
}

const INT: Storage = Storage::Scalar(Scalar::Int(IntKind::Int));
const U8: Storage = Storage::Scalar(Scalar::Int(IntKind::U8));
const STRING: Storage = Storage::Scalar(Scalar::String);

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $kind:literal,)*) => {
        impl LogicalType {
            $($(#[$doc])* pub const $name: u8 = $kind;)*
        }
    };
}

kinds! {
    /// Days since 1970-01-01.
    DATE = 0x01,
    /// Units since midnight.
    TIME = 0x02,
    /// Units since 1970-01-01 00:00, in a zone.
    TIMESTAMP = 0x03,
    /// A length of time in units.
    DURATION = 0x04,
    /// A decimal number: form, coefficient, exponent.
    DECIMAL = 0x05,
    /// Numerator and denominator.
    RATIONAL = 0x06,
    /// Real and imaginary part.
    COMPLEX = 0x07,
    /// 16 bytes in the order of RFC 9562.
    UUID = 0x08,
    /// A Unicode scalar value.
    CHAR = 0x09,
    /// Distinct members.
    SET = 0x0A,
    /// An immutable set.
    FROZEN_SET = 0x0B,
    /// A tuple of more than 8 items.
    LONG_TUPLE = 0x0C,
    /// Mutable bytes.
    BYTE_ARRAY = 0x0D,
    /// A mapping whose order is part of its value.
    ORDERED_MAP = 0x0E,
    /// Bits.
    BIT_VECTOR = 0x0F,
    /// A name.
    SYMBOL = 0x10,
    /// A path of a file system.
    PATH = 0x11,
    /// A URL.
    URL = 0x12,
    /// An IP address in network order.
    IP_ADDRESS = 0x13,
    /// An IP address and the length of the prefix.
    IP_NETWORK = 0x14,
    /// A pattern and its flags.
    REGULAR_EXPRESSION = 0x15,
    /// Start, stop and step.
    RANGE = 0x16,
    /// Text that may contain lone surrogates, in WTF-8.
    WTF8_STRING = 0x17,
}

impl LogicalType {
    /// The zone of timestamps in UTC.
    pub const UTC: u8 = 1;

    /// Returns a kind with its parameters, as in the table of F-72. Kinds from E0 on accept any parameters.
    ///
    /// # Errors
    /// `unknown_kind`, `bad_parameters`.
    pub fn new(kind: u8, parameters: &[u8]) -> Result<LogicalType> {
        let ty = LogicalType { kind, parameters: parameters.into() };
        check_kind(kind, 0)?;
        check_parameter_count(kind, parameters.len() as u64, 0)?;
        ty.check_parameters(0)?;
        Ok(ty)
    }

    /// A kind whose parameters are not checked yet.
    pub fn unchecked(kind: u8, parameters: &[u8]) -> LogicalType {
        LogicalType { kind, parameters: parameters.into() }
    }

    /// The kind's number.
    #[must_use]
    pub fn kind(&self) -> u8 {
        self.kind
    }

    /// The parameters' bytes.
    #[must_use]
    pub fn parameters(&self) -> &[u8] {
        &self.parameters
    }

    /// The kind's name; none for kinds of later versions.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        LogicalType::kind_name(self.kind)
    }

    /// The name of a kind by its number.
    #[must_use]
    pub fn kind_name(kind: u8) -> Option<&'static str> {
        entry(kind).map(|(name, _)| *name)
    }

    /// The number of a kind by its name.
    pub fn kind_of_name(name: &str) -> Option<u8> {
        KINDS.iter().zip(1..).find(|((own, _), _)| *own == name).map(|(_, kind)| kind)
    }

    /// The number of parameters that a kind has; 0 for kinds of later versions.
    pub fn parameter_count(kind: u8) -> usize {
        entry(kind).map_or(0, |(_, known)| known.len())
    }

    /// A parameter's byte by its word in a schema's text.
    pub fn parameter_of_word(kind: u8, index: usize, word: &str) -> Option<u8> {
        match entry(kind)?.1.get(index)? {
            Parameter::Words(words) => {
                words.iter().zip(0..).find(|(own, _)| **own == word).map(|(_, byte)| byte)
            }
            Parameter::Numbers(numbers) => {
                numbers.iter().copied().find(|number| number.to_string() == word)
            }
        }
    }

    fn entry(&self) -> Option<&'static LogicalEntry> {
        entry(self.kind)
    }

    /// Checks the number and the values of the parameters. An error of one is at its byte, counted from `at`.
    pub fn check_parameters(&self, at: usize) -> Result<()> {
        let Some((name, known)) = self.entry() else { return Ok(()) };
        for (index, (parameter, &byte)) in known.iter().zip(&*self.parameters).enumerate() {
            let has_meaning = match parameter {
                Parameter::Words(words) => usize::from(byte) < words.len(),
                Parameter::Numbers(numbers) => numbers.contains(&byte),
            };
            if !has_meaning {
                return Err(Error::at(Code::BadParameters, at + index)
                    .expected(format!("a parameter of {name}"))
                    .got(format!("{byte:02X}")));
            }
        }
        Ok(())
    }

    pub fn storage(&self) -> Storage {
        const IP: [Storage; 2] =
            [Storage::Scalar(Scalar::Fixed(4)), Storage::Scalar(Scalar::Fixed(16))];
        let parameter = |index: usize| self.parameters.get(index).copied().unwrap_or_default();
        match self.kind {
            LogicalType::DATE | LogicalType::TIME | LogicalType::DURATION => Storage::Whole,
            LogicalType::TIMESTAMP => match parameter(1) {
                2 => Storage::Tuple(
                    const { &[Storage::Whole, Storage::Scalar(Scalar::Int(IntKind::I32))] },
                ),
                3 => Storage::Tuple(const { &[Storage::Whole, STRING] }),
                _ => Storage::Whole,
            },
            LogicalType::DECIMAL => Storage::Tuple(const { &[U8, INT, INT] }),
            LogicalType::RATIONAL => Storage::Tuple(const { &[INT, INT] }),
            LogicalType::COMPLEX => match parameter(0) {
                4 => Storage::Tuple(
                    const { &[Storage::Scalar(Scalar::F32), Storage::Scalar(Scalar::F32)] },
                ),
                _ => Storage::Tuple(
                    const { &[Storage::Scalar(Scalar::F64), Storage::Scalar(Scalar::F64)] },
                ),
            },
            LogicalType::UUID => Storage::Scalar(Scalar::Fixed(16)),
            LogicalType::CHAR => Storage::Scalar(Scalar::Int(IntKind::U32)),
            LogicalType::SET | LogicalType::FROZEN_SET | LogicalType::LONG_TUPLE => Storage::List,
            LogicalType::BYTE_ARRAY | LogicalType::WTF8_STRING => Storage::Scalar(Scalar::Bytes),
            LogicalType::ORDERED_MAP => Storage::Map,
            LogicalType::BIT_VECTOR => Storage::BitList,
            LogicalType::SYMBOL | LogicalType::URL => STRING,
            LogicalType::PATH => match parameter(1) {
                1 => Storage::Scalar(Scalar::Bytes),
                _ => STRING,
            },
            LogicalType::IP_ADDRESS => {
                let [four, sixteen] = IP;
                if parameter(0) == 4 { four } else { sixteen }
            }
            LogicalType::IP_NETWORK => match parameter(0) {
                4 => Storage::Tuple(const { &[Storage::Scalar(Scalar::Fixed(4)), U8] }),
                _ => Storage::Tuple(const { &[Storage::Scalar(Scalar::Fixed(16)), U8] }),
            },
            LogicalType::REGULAR_EXPRESSION => Storage::Tuple(const { &[STRING, STRING] }),
            LogicalType::RANGE => Storage::Tuple(const { &[INT, INT, INT] }),
            _ => Storage::Any,
        }
    }
}

fn entry(kind: u8) -> Option<&'static LogicalEntry> {
    KINDS.get(usize::from(kind).wrapping_sub(1))
}

/// Reads as many parameters as the kind has, without checking them.
pub fn check_parameter_count(kind: u8, count: u64, at: usize) -> Result<()> {
    match entry(kind) {
        Some((name, known)) if known.len() as u64 != count => {
            Err(Error::at(Code::BadParameters, at)
                .expected(format!("{} parameters of {name}", known.len()))
                .got(count.to_string()))
        }
        _ => Ok(()),
    }
}

/// Whether this version knows the kind.
pub fn check_kind(kind: u8, at: usize) -> Result<()> {
    if kind < code::LATER && !(1..=KINDS.len()).contains(&usize::from(kind)) {
        return Err(Error::at(Code::UnknownKind, at)
            .expected("the kind of a logical type")
            .got(format!("{kind:02X}")));
    }
    Ok(())
}

impl Storage {
    /// Whether a type is this storage.
    pub fn is(&self, types: &[Type], id: TypeId) -> bool {
        match (self, &types[id]) {
            (Storage::Any, _) => true,
            (Storage::Scalar(own), Type::Scalar(scalar)) => own == scalar,
            (Storage::Whole, Type::Scalar(Scalar::Int(kind))) => {
                matches!(kind, IntKind::Int | IntKind::I64)
            }
            (Storage::List, Type::List(_)) | (Storage::Map, Type::Map(..)) => true,
            (Storage::BitList, Type::List(item)) => {
                matches!(types[*item], Type::Never | Type::Scalar(Scalar::Bool))
            }
            (Storage::Tuple(own), Type::Tuple(items)) => {
                own.len() == items.len()
                    && own.iter().zip(items).all(|(own, item)| own.is(types, *item))
            }
            _ => false,
        }
    }
}

impl Storage {
    /// Whether it is one type, or `int` where a program has no reason for another.
    pub fn is_one(&self) -> bool {
        matches!(self, Storage::Scalar(_) | Storage::Whole | Storage::Tuple(_))
    }

    /// Does the same for a type of fixed width, which is never a list or map.
    pub fn is_of(&self, dtype: &DType) -> bool {
        match (self, dtype) {
            (Storage::Any, _) => true,
            (Storage::Scalar(own), _) => dtype.scalar() == Some(*own),
            (Storage::Whole, _) => *dtype == DType::Int(IntKind::I64),
            (Storage::Tuple(own), DType::Tuple(items)) => {
                own.len() == items.len() && own.iter().zip(items).all(|(own, item)| own.is_of(item))
            }
            _ => false,
        }
    }
}

impl Display for Storage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Storage::Any => f.write_str("any type"),
            Storage::Scalar(scalar) => scalar.fmt(f),
            Storage::Whole => f.write_str("int or i64"),
            Storage::List => f.write_str("a list"),
            Storage::BitList => f.write_str("list(bool)"),
            Storage::Map => f.write_str("a map"),
            Storage::Tuple(items) => {
                f.write_str("tuple(")?;
                for (index, item) in items.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    item.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

/// The type as in a schema's text (F-55), without its storage.
impl Display for LogicalType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some((name, known)) = self.entry() else {
            write!(f, "logical[{:02X}", self.kind)?;
            self.parameters.iter().try_for_each(|byte| write!(f, " {byte:02X}"))?;
            return f.write_str("]");
        };
        f.write_str(name)?;
        for (index, (parameter, &byte)) in known.iter().zip(&*self.parameters).enumerate() {
            f.write_str(if index == 0 { "[" } else { ", " })?;
            match parameter {
                Parameter::Words(words) => {
                    f.write_str(words.get(usize::from(byte)).copied().unwrap_or("?"))?;
                }
                Parameter::Numbers(_) => write!(f, "{byte}")?,
            }
        }
        f.write_str(if known.is_empty() { "" } else { "]" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name_of_its_own_and_the_number_of_its_place() {
        assert_eq!(KINDS[usize::from(LogicalType::WTF8_STRING) - 1].0, "wtf8_string");
        assert_eq!(KINDS[usize::from(LogicalType::CHAR) - 1].0, "char");
        assert_eq!(KINDS[usize::from(LogicalType::PATH) - 1].0, "path");
        let names: crate::platform::HashSet<_> = KINDS.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), KINDS.len());
    }
}
