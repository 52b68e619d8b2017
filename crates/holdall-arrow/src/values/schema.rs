//! A field as a list in preorder: the types are as in Arrow's C data interface, whose text has all parameters.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType,
};
use arrow_schema::ffi::{FFI_ArrowSchema, Flags};
use arrow_schema::{DataType, Field, UnionFields, UnionMode};
use holdall::{Code, Error, Result, Value};

use super::unsupported;
use crate::fault::of_arrow;

/// The deepest nesting of types.
pub const LEVELS: usize = 32;

/// One field of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub format: String,
    pub flags: i64,
    pub children: u64,
    /// Whether the next entry is the type of the words, of which the numbers have the type of this one.
    pub words: bool,
    pub metadata: Vec<(String, String)>,
}

/// Describes a field and those inside.
pub fn describe(field: &Field) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    push(field, &mut entries, LEVELS)?;
    Ok(entries)
}

fn push(field: &Field, entries: &mut Vec<Entry>, levels: usize) -> Result<()> {
    let Some(below) = levels.checked_sub(1) else {
        return Err(unsupported(format!("one nested deeper than {LEVELS} levels")));
    };
    let (own, words) = match field.data_type() {
        DataType::Dictionary(numbers, words) => (&**numbers, Some(&**words)),
        own => (own, None),
    };
    if matches!(own, DataType::RunEndEncoded(..)) {
        return Err(unsupported(own.to_string()));
    }
    let described = FFI_ArrowSchema::try_from(own).map_err(|error| of_arrow(&error))?;
    let inside = children(own);
    let mut metadata: Vec<_> = field.metadata().clone().into_iter().collect();
    metadata.sort_unstable();
    let mut flags = Flags::empty();
    flags.set(Flags::NULLABLE, field.is_nullable());
    flags.set(Flags::DICTIONARY_ORDERED, field.dict_is_ordered() == Some(true));
    flags.set(Flags::MAP_KEYS_SORTED, matches!(own, DataType::Map(_, true)));
    entries.push(Entry {
        name: field.name().clone(),
        format: described.format().to_owned(),
        flags: flags.bits(),
        children: inside.len() as u64,
        words: words.is_some(),
        metadata,
    });
    if let Some(words) = words {
        push(&Field::new("", words.clone(), true), entries, below)?;
    }
    inside.into_iter().try_for_each(|child| push(child, entries, below))
}

/// The fields inside a type, in order.
pub fn children(data_type: &DataType) -> Vec<&Field> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => vec![item],
        DataType::Struct(fields) => fields.iter().map(|field| &**field).collect(),
        DataType::Union(members, _) => members.iter().map(|(_, field)| &**field).collect(),
        _ => Vec::new(),
    }
}

#[cold]
fn bad(expected: &'static str, got: impl Into<String>) -> Error {
    Error::new(Code::Unconvertible).expected(expected).got(got.into())
}

/// Reads the list from data.
pub fn entries(value: &Value) -> Result<Vec<Entry>> {
    let read = |value: &Value| {
        let text = |name| Some(value.field(name)?.as_str()?.to_owned());
        let number = |name| value.field(name)?.as_i64();
        let metadata = match value.field("metadata") {
            None => Vec::new(),
            Some(list) => list
                .as_slice()?
                .iter()
                .map(|pair| {
                    let part = |name| Some(pair.field(name)?.as_str()?.to_owned());
                    Some((part("key")?, part("value")?))
                })
                .collect::<Option<_>>()?,
        };
        Some(Entry {
            name: text("name")?,
            format: text("format")?,
            flags: number("flags")?,
            children: number("children")?.try_into().ok()?,
            words: value.field("words").and_then(Value::as_bool).unwrap_or(false),
            metadata,
        })
    };
    let entries = value.as_slice().and_then(|list| list.iter().map(read).collect::<Option<_>>());
    entries.ok_or_else(|| bad("a list of the fields of Arrow", "another value"))
}

/// Returns the field that a list describes.
pub fn parse(entries: &[Entry]) -> Result<Field> {
    let mut rest = entries.iter();
    let field = read(&mut rest, LEVELS)?;
    match rest.next() {
        None => Ok(field),
        Some(more) => Err(bad("one field with those inside", format!("also {:?}", more.name))),
    }
}

fn read(rest: &mut std::slice::Iter<'_, Entry>, levels: usize) -> Result<Field> {
    let Some(below) = levels.checked_sub(1) else {
        return Err(bad("fields of at most 32 levels", "more"));
    };
    let entry = rest.next().ok_or_else(|| bad("as many fields as there are children", "fewer"))?;
    let flags = Flags::from_bits_truncate(entry.flags);
    let words = match entry.words {
        true => Some(read(rest, below)?.data_type().clone()),
        false => None,
    };
    if entry.children > rest.len() as u64 {
        return Err(bad("as many fields as there are children", "fewer"));
    }
    let inside = (0..entry.children).map(|_| read(rest, below)).collect::<Result<Vec<_>>>()?;
    let own = data_type(&entry.format, inside, flags.contains(Flags::MAP_KEYS_SORTED))?;
    let own = match words {
        None => own,
        Some(words) if own.is_integer() => DataType::Dictionary(Box::new(own), Box::new(words)),
        Some(_) => return Err(bad("a dictionary whose numbers are integers", own.to_string())),
    };
    let metadata: HashMap<String, String> = entry.metadata.iter().cloned().collect();
    Ok(Field::new(&entry.name, own, flags.contains(Flags::NULLABLE))
        .with_dict_is_ordered(flags.contains(Flags::DICTIONARY_ORDERED))
        .with_metadata(metadata))
}

/// Returns the type of a format.
fn data_type(format: &str, inside: Vec<Field>, sorted: bool) -> Result<DataType> {
    const EXPECTED: &str = "a format of Arrow's C data interface, and as many children";
    let fault = || bad(EXPECTED, format!("{format:?}"));
    let (kind, parameters) = format.split_once(':').unwrap_or((format, ""));
    if !kind.starts_with('+') {
        if !inside.is_empty() {
            return Err(fault());
        }
        let leaf = FFI_ArrowSchema::try_new(format, Vec::new(), None).map_err(|_| fault())?;
        let found = DataType::try_from(&leaf).map_err(|_| fault())?;
        return if is_valid(&found) { Ok(found) } else { Err(fault()) };
    }
    if kind == "+s" {
        return Ok(DataType::Struct(inside.into()));
    }
    if let "+ud" | "+us" = kind {
        let numbers = parameters.split(',').filter(|number| !number.is_empty());
        let numbers = numbers.map(str::parse::<i8>).collect::<Result<Vec<_>, _>>();
        let numbers = numbers.map_err(|_| fault())?;
        if numbers.len() != inside.len() || numbers.iter().any(|number| *number < 0) {
            return Err(fault());
        }
        let mode = if kind == "+ud" { UnionMode::Dense } else { UnionMode::Sparse };
        let members = UnionFields::try_new(numbers, inside).map_err(|_| fault())?;
        return Ok(DataType::Union(members, mode));
    }
    let [item] = <[Field; 1]>::try_from(inside).map_err(|_| fault())?;
    let item = Arc::new(item);
    Ok(match kind {
        "+l" => DataType::List(item),
        "+L" => DataType::LargeList(item),
        "+vl" => DataType::ListView(item),
        "+vL" => DataType::LargeListView(item),
        "+w" => match parameters.parse::<i32>() {
            Ok(len @ 0..) => DataType::FixedSizeList(item, len),
            _ => return Err(fault()),
        },
        "+m" => match item.data_type() {
            DataType::Struct(parts) if parts.len() == 2 => DataType::Map(item, sorted),
            _ => return Err(fault()),
        },
        _ => return Err(fault()),
    })
}

/// Whether the parameters are in the range of the type.
fn is_valid(data_type: &DataType) -> bool {
    fn decimal<T: DecimalType>(precision: u8, scale: i8) -> bool {
        (1..=T::MAX_PRECISION).contains(&precision)
            && scale <= T::MAX_SCALE
            && (scale <= 0 || scale.unsigned_abs() <= precision)
    }
    match *data_type {
        DataType::FixedSizeBinary(len) => len >= 0,
        DataType::Decimal32(precision, scale) => decimal::<Decimal32Type>(precision, scale),
        DataType::Decimal64(precision, scale) => decimal::<Decimal64Type>(precision, scale),
        DataType::Decimal128(precision, scale) => decimal::<Decimal128Type>(precision, scale),
        DataType::Decimal256(precision, scale) => decimal::<Decimal256Type>(precision, scale),
        _ => true,
    }
}
