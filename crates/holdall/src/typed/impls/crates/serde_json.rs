//! JSON of any form: `serde_json::Value` and its `Map`, at sites whose types the values decide, as those of [`Value`].

use alloc::format;
use alloc::string::{String, ToString};

use serde_json::{Map, Number, Value as Json};

use crate::dynamic::{Shredder, Source};
use crate::error::{Code, Error, Result};
use crate::number::{IntKind, shorten_big};
use crate::typed::{Columns, Decode, Description, Encode, Rows, Site, Types};
use crate::value::Value;

/// The most arrays and objects inside each other, as in the texts that serde_json reads: it drops a value by recursion.
const NESTING: usize = 128;

/// JSON as a source. References to it are none themselves: a program that switches the feature on for one crate must not lose the
/// inference of `&1.into()` in another.
struct JsonSource<'j>(&'j Json);

impl Source for JsonSource<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        emit(self.0, NESTING, shredder)
    }
}

struct ObjectSource<'j>(&'j Map<String, Json>);

impl Source for ObjectSource<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        emit_object(self.0, NESTING, shredder)
    }
}

// The recursion ends at NESTING.
fn emit(value: &Json, left: usize, shredder: &mut Shredder) -> Result<()> {
    match value {
        Json::Null => shredder.null(),
        Json::Bool(value) => shredder.bool(*value),
        Json::Number(number) => emit_number(number, shredder),
        Json::String(text) => shredder.string(text),
        Json::Array(items) => {
            let left = left.checked_sub(1).ok_or_else(too_deep)?;
            shredder.begin_list(items.len())?;
            items.iter().try_for_each(|item| emit(item, left, shredder))?;
            shredder.end()
        }
        Json::Object(entries) => emit_object(entries, left, shredder),
    }
}

fn emit_object(entries: &Map<String, Json>, left: usize, shredder: &mut Shredder) -> Result<()> {
    let left = left.checked_sub(1).ok_or_else(too_deep)?;
    shredder.begin_mapping(entries.keys().map(String::as_str))?;
    entries.values().try_for_each(|value| emit(value, left, shredder))?;
    shredder.end()
}

fn emit_number(number: &Number, shredder: &mut Shredder) -> Result<()> {
    if let Some(value) = number.as_i64() {
        return shredder.int(value);
    }
    if let Some(value) = number.as_u64() {
        return shredder.big_int(IntKind::Int, shorten_big(&i128::from(value).to_le_bytes()));
    }
    // With its feature `arbitrary_precision`, which any program can switch on, a number is its digits.
    let value = number.as_f64().filter(|&value| Number::from_f64(value).as_ref() == Some(number));
    shredder.f64(value.ok_or_else(|| {
        Error::new(Code::UnsupportedValue)
            .expected("a number that u64, i64 or f64 has, in its shortest form")
            .got(number.to_string())
    })?)
}

#[cold]
fn too_deep() -> Error {
    Error::new(Code::LimitNesting)
        .expected(format!("at most {NESTING} arrays and objects of JSON inside each other"))
}

/// What JSON lacks.
struct Lacking(String);

impl Lacking {
    fn value(what: &str) -> Lacking {
        Lacking(what.into())
    }
}

// The recursion ends at NESTING.
fn json_of(value: &Value, left: usize) -> Result<Json, Lacking> {
    let inside = || {
        let too_deep = || Lacking(format!("more than {NESTING} containers inside each other"));
        left.checked_sub(1).ok_or_else(too_deep)
    };
    let array = |items: &[Value]| {
        let left = inside()?;
        Ok(Json::Array(items.iter().map(|item| json_of(item, left)).collect::<Result<_, _>>()?))
    };
    Ok(match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::F16(value) => float(value.to_f64())?,
        Value::Bf16(value) => float(value.to_f64())?,
        Value::F32(value) => float(f64::from(*value))?,
        Value::F64(value) => float(*value)?,
        Value::String(text) => Json::String(text.clone()),
        Value::List(items) => array(items)?,
        Value::Array(items) => array(items)?,
        Value::Tuple(items) => array(items)?,
        Value::Record(of) => object(of.iter().map(Ok), inside()?)?,
        Value::Struct(of) => object(of.fields().iter().map(Ok), inside()?)?,
        Value::Map(entries) => object(entries.iter().map(entry), inside()?)?,
        other => integer(other)?,
    })
}

/// An entry of a map, whose key must be a string.
fn entry((key, value): &(Value, Value)) -> Result<(&str, &Value), Lacking> {
    match key {
        Value::String(key) => Ok((key, value)),
        _ => Err(Lacking::value("a map with another key than a string")),
    }
}

fn object<'v>(
    entries: impl Iterator<Item = Result<(&'v str, &'v Value), Lacking>>,
    left: usize,
) -> Result<Json, Lacking> {
    let mut object = Map::new();
    for entry in entries {
        let (key, value) = entry?;
        object.insert(key.into(), json_of(value, left)?);
    }
    Ok(Json::Object(object))
}

fn float(value: f64) -> Result<Json, Lacking> {
    Number::from_f64(value).map(Json::Number).ok_or_else(|| Lacking(format!("{value}")))
}

/// An integer, if JSON has it.
fn integer(value: &Value) -> Result<Json, Lacking> {
    let number = match value {
        Value::U64(value) => Some(Number::from(*value)),
        Value::U128(value) => u64::try_from(**value).ok().map(Number::from),
        Value::BigInt(big) => match *big.as_le_bytes() {
            // The ninth byte is the sign.
            [a, b, c, d, e, f, g, h, 0] => {
                Some(u64::from_le_bytes([a, b, c, d, e, f, g, h]).into())
            }
            _ => None,
        },
        other => other.as_i64().map(Number::from),
    };
    number.map(Json::Number).ok_or_else(|| {
        Lacking::value(match value {
            Value::BigInt(_) | Value::U128(_) | Value::I128(_) => "an integer beyond 64 bits",
            Value::Bytes(_) | Value::Fixed(_) => "a byte string",
            Value::Variant(_) => "a named variant",
            Value::Tensor(_) => "a tensor",
            Value::Logical(_) => "a logical value",
            Value::Extension(_) => "a value of an extension",
            Value::Shared(_) | Value::Weak(_) => "a value that is referenced from several places",
            _ => "a value of a later version",
        })
    })
}

fn read_as<T>(
    site: Site,
    rows: &mut Rows<'_, '_>,
    convert: impl FnOnce(Value) -> Result<T, Lacking>,
) -> Result<T> {
    let value = rows.value(site)?;
    convert(value).map_err(|Lacking(got)| rows.unconvertible(site, "a value that JSON has", got))
}

impl Encode for Json {
    fn describe(_: &mut Types) -> Description {
        Description::dynamic()
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.value(site, &mut JsonSource(self))
    }

    const DRIVE: Option<fn(&Json, &mut Shredder) -> Result<()>> =
        Some(|value, shredder| JsonSource(value).drive(shredder));
}

impl<'de> Decode<'de> for Json {
    fn describe(_: &mut Types) -> Description {
        Description::dynamic()
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        read_as(site, rows, |value| json_of(&value, NESTING))
    }
}

impl Encode for Map<String, Json> {
    fn describe(_: &mut Types) -> Description {
        Description::dynamic()
    }

    fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
        columns.value(site, &mut ObjectSource(self))
    }

    const DRIVE: Option<fn(&Map<String, Json>, &mut Shredder) -> Result<()>> =
        Some(|value, shredder| ObjectSource(value).drive(shredder));
}

impl<'de> Decode<'de> for Map<String, Json> {
    fn describe(_: &mut Types) -> Description {
        Description::dynamic()
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        read_as(site, rows, |value| match json_of(&value, NESTING)? {
            Json::Object(object) => Ok(object),
            _ => Err(Lacking::value("no object")),
        })
    }
}
