//! A value to a BSON document.

use std::slice;
use std::sync::Arc;

use holdall::bindings::memory::GrowVec;
use holdall::events::Event;
use holdall::value::{Extension, Logical};
use holdall::{LogicalType, Result, Value};

use super::{
    BINARY, CODE, DECIMAL, GENERIC, MAX_KEY, MIN_KEY, OBJECT_ID, REGEX, TIMESTAMP, UUID, code,
    is_utc,
};
use crate::nesting::beyond;
use crate::path::{Step, path};
use crate::refuse::{self, refuse};

/// Writes a value as a document of at most `limit` bytes.
pub(super) fn document(value: &Value, limit: usize) -> Result<Vec<u8>> {
    let mut writer = Writer { out: Vec::new(), open: Vec::new(), limit };
    let Some(Inside::Document(members)) = inside(value) else {
        let error = refuse("a document, because BSON has no other value alone", kind(value));
        return Err(error.with_path(|| "$".to_owned()));
    };
    writer.begin(members);
    while let Some(frame) = writer.open.last_mut() {
        let written = match frame.members.next() {
            None => writer.end(),
            Some((key, value)) => {
                frame.key = Some(key);
                writer.member(key, value)
            }
        };
        written.map_err(|error| error.with_path(|| writer.path()))?;
    }
    Ok(writer.out)
}

/// The members of a document, or the items of an array.
enum Members<'v> {
    Record(std::iter::Zip<slice::Iter<'v, Arc<str>>, slice::Iter<'v, Value>>),
    Map(slice::Iter<'v, (Value, Value)>),
    Items(std::iter::Enumerate<slice::Iter<'v, Value>>),
}

/// The key of a member.
#[derive(Clone, Copy)]
enum Key<'v> {
    Name(&'v str),
    Number(usize),
    /// One of a map that is no string.
    Other(&'v Value),
}

impl<'v> Members<'v> {
    fn next(&mut self) -> Option<(Key<'v>, &'v Value)> {
        match self {
            Members::Record(fields) => fields.next().map(|(key, value)| (Key::Name(key), value)),
            Members::Items(items) => {
                items.next().map(|(number, value)| (Key::Number(number), value))
            }
            Members::Map(entries) => entries.next().map(|(key, value)| match key {
                Value::String(name) => (Key::Name(name), value),
                other => (Key::Other(other), value),
            }),
        }
    }
}

enum Inside<'v> {
    Document(Members<'v>),
    Array(Members<'v>),
}

/// What a value has inside, if it is a document or an array.
fn inside(value: &Value) -> Option<Inside<'_>> {
    Some(match value {
        Value::Record(record) => {
            Inside::Document(Members::Record(record.keys().iter().zip(record.values())))
        }
        Value::Struct(object) => {
            let fields = object.fields();
            Inside::Document(Members::Record(fields.keys().iter().zip(fields.values())))
        }
        Value::Map(map) => Inside::Document(Members::Map(map.iter())),
        Value::List(items) => Inside::Array(Members::Items(items.iter().enumerate())),
        Value::Array(items) => Inside::Array(Members::Items(items.iter().enumerate())),
        Value::Tuple(items) => Inside::Array(Members::Items(items.iter().enumerate())),
        _ => return None,
    })
}

struct WrittenContainer<'v> {
    members: Members<'v>,
    /// Where its length is in the output.
    start: usize,
    /// That of the member that is written.
    key: Option<Key<'v>>,
}

struct Writer<'v> {
    out: Vec<u8>,
    /// Not by recursion: values can be nested as deep as memory holds.
    open: Vec<WrittenContainer<'v>>,
    limit: usize,
}

impl<'v> Writer<'v> {
    fn begin(&mut self, members: Members<'v>) {
        self.open.put(WrittenContainer { members, start: self.out.len(), key: None });
        self.out.put_slice(&[0; 4]);
    }

    fn end(&mut self) -> Result<()> {
        let Some(frame) = self.open.pop() else { return Ok(()) };
        self.out.put(0);
        let len = len32(self.out.len() - frame.start)?;
        self.out[frame.start..frame.start + 4].copy_from_slice(&len);
        Ok(())
    }

    fn member(&mut self, key: Key<'v>, value: &'v Value) -> Result<()> {
        if self.out.len() > self.limit {
            return Err(beyond(self.limit));
        }
        match inside(value) {
            Some(Inside::Document(members)) => {
                self.head(code::DOCUMENT, key)?;
                self.begin(members);
                Ok(())
            }
            Some(Inside::Array(members)) => {
                self.head(code::ARRAY, key)?;
                self.begin(members);
                Ok(())
            }
            None => self.scalar(key, value),
        }
    }

    /// The type and the key of a value.
    fn head(&mut self, code: u8, key: Key<'v>) -> Result<()> {
        self.out.put(code);
        match key {
            Key::Name(name) => self.c_string(name),
            Key::Number(number) => self.c_string(&number.to_string()),
            Key::Other(key) => {
                Err(refuse("a string as key, because BSON has no others", kind(key)))
            }
        }
    }

    fn c_string(&mut self, text: &str) -> Result<()> {
        if text.contains('\0') {
            return Err(refuse("text without NUL, because BSON ends it with one", "one with NUL"));
        }
        self.out.put_slice(text.as_bytes());
        self.out.put(0);
        Ok(())
    }

    fn string(&mut self, text: &str) -> Result<()> {
        self.out.put_slice(&len32(text.len() + 1)?);
        self.out.put_slice(text.as_bytes());
        self.out.put(0);
        Ok(())
    }

    fn binary(&mut self, key: Key<'v>, subtype: u8, data: &[u8]) -> Result<()> {
        self.head(code::BINARY, key)?;
        self.out.put_slice(&len32(data.len())?);
        self.out.put(subtype);
        self.out.put_slice(data);
        Ok(())
    }

    fn int(&mut self, key: Key<'v>, value: i64) -> Result<()> {
        match i32::try_from(value) {
            Ok(short) => self.fixed(code::INT32, key, &short.to_le_bytes()),
            Err(_) => self.fixed(code::INT64, key, &value.to_le_bytes()),
        }
    }

    /// A value of constant size.
    fn fixed(&mut self, code: u8, key: Key<'v>, bytes: &[u8]) -> Result<()> {
        self.head(code, key)?;
        self.out.put_slice(bytes);
        Ok(())
    }

    fn scalar(&mut self, key: Key<'v>, value: &'v Value) -> Result<()> {
        if let Some(float) = float(value) {
            return self.fixed(code::DOUBLE, key, &float.to_le_bytes());
        }
        match value {
            Value::Null => self.head(code::NULL, key),
            Value::Bool(bit) => self.fixed(code::BOOL, key, &[u8::from(*bit)]),
            Value::String(text) => {
                self.head(code::STRING, key)?;
                self.string(text)
            }
            Value::Bytes(data) | Value::Fixed(data) => self.binary(key, GENERIC, data),
            Value::Logical(logical) => self.logical(key, logical),
            Value::Extension(extension) => self.extension(key, extension),
            Value::Variant(variant) => Err(refuse::event(Event::Variant(variant.name()))),
            Value::Tensor(_) => Err(refuse::tensor()),
            _ => match value.as_i64() {
                Some(int) => self.int(key, int),
                None => Err(refuse(
                    "an integer of 64 bits with a sign, because BSON has no larger ones; store a string instead",
                    "a larger one",
                )),
            },
        }
    }

    fn logical(&mut self, key: Key<'v>, logical: &'v Logical) -> Result<()> {
        let ty = logical.ty();
        match logical.storage() {
            Value::Fixed(data) if ty.kind() == LogicalType::UUID => self.binary(key, UUID, data),
            units if is_utc(ty) => {
                let unit = ty.parameters().first().copied().unwrap_or_default();
                match milliseconds(units.as_i64(), unit) {
                    Some(millis) => self.fixed(code::DATETIME, key, &millis.to_le_bytes()),
                    None => Err(refuse(
                        "a timestamp of whole milliseconds of 64 bits, which BSON has",
                        "another",
                    )),
                }
            }
            _ => Err(refuse::event(Event::Logical(ty))),
        }
    }

    /// One of the extensions whose values BSON has.
    fn extension(&mut self, key: Key<'v>, extension: &'v Extension) -> Result<()> {
        let pair = match extension.value() {
            Value::Tuple(pair) => (pair.first(), pair.get(1)),
            _ => (None, None),
        };
        match (&**extension.name(), extension.value(), pair) {
            (OBJECT_ID, Value::Fixed(id), _) if id.len() == 12 => {
                self.fixed(code::OBJECT_ID, key, id)
            }
            (DECIMAL, Value::Fixed(bits), _) if bits.len() == 16 => {
                self.fixed(code::DECIMAL, key, bits)
            }
            (BINARY, _, (Some(Value::U8(subtype)), Some(Value::Bytes(data)))) => {
                self.binary(key, *subtype, data)
            }
            (REGEX, _, (Some(Value::String(pattern)), Some(Value::String(options)))) => {
                self.head(code::REGEX, key)?;
                self.c_string(pattern)?;
                self.c_string(options)
            }
            (CODE, Value::String(text), _) => {
                self.head(code::CODE, key)?;
                self.string(text)
            }
            (TIMESTAMP, _, (Some(Value::U32(seconds)), Some(Value::U32(increment)))) => {
                let bits = u64::from(*seconds) << 32 | u64::from(*increment);
                self.fixed(code::TIMESTAMP, key, &bits.to_le_bytes())
            }
            (MIN_KEY, Value::Null, _) => self.head(code::MIN_KEY, key),
            (MAX_KEY, Value::Null, _) => self.head(code::MAX_KEY, key),
            (name, ..) if super::EXTENSIONS.contains(&name) => {
                let expected =
                    "the contents that this extension has, as the documentation of BSON lists";
                Err(refuse(expected, format!("others in {name:?}")))
            }
            _ => Err(refuse::event(Event::Extension(extension.name()))),
        }
    }

    fn path(&self) -> String {
        let step = |key: Key<'v>| match key {
            Key::Name(name) => Step::Key(name.into()),
            Key::Number(number) => Step::Item(number),
            Key::Other(_) => Step::KeyOf(0),
        };
        path(&self.open.iter().filter_map(|frame| frame.key.map(step)).collect::<Vec<_>>())
    }
}

fn float(value: &Value) -> Option<f64> {
    Some(match value {
        Value::F16(value) => (*value).into(),
        Value::Bf16(value) => (*value).into(),
        Value::F32(value) => (*value).into(),
        Value::F64(value) => *value,
        _ => return None,
    })
}

/// Milliseconds of a number of seconds, milliseconds, microseconds or nanoseconds, if they are whole.
fn milliseconds(units: Option<i64>, unit: u8) -> Option<i64> {
    let (units, divisor) = match unit {
        0 => (units?.checked_mul(1000)?, 1),
        1 => (units?, 1),
        2 => (units?, 1_000),
        _ => (units?, 1_000_000),
    };
    (units % divisor == 0).then_some(units / divisor)
}

/// A length, for which BSON has 31 bits.
fn len32(len: usize) -> Result<[u8; 4]> {
    let len = i32::try_from(len)
        .map_err(|_| refuse("a length below 2^31, which BSON has", len.to_string()))?;
    Ok(len.to_le_bytes())
}

/// What a value is, for errors.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a bool",
        Value::String(_) => "a string",
        Value::Bytes(_) | Value::Fixed(_) => "bytes",
        Value::List(_) | Value::Array(_) | Value::Tuple(_) => "a list",
        Value::Record(_) | Value::Struct(_) | Value::Map(_) => "a mapping",
        value if float(value).is_some() => "a float",
        value if value.as_i64().is_some() => "an integer",
        _ => "another value",
    }
}
