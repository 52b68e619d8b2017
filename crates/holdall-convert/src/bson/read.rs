//! A BSON document to a value.

use std::collections::HashSet;
use std::sync::Arc;

use holdall::bindings::memory::{self, GrowSet, GrowVec};
use holdall::value::{Extension, Logical};
use holdall::{Code, Error, LogicalType, Result, Value};

use super::{
    BINARY, CODE, DATETIME, DECIMAL, GENERIC, MAX_KEY, MIN_KEY, OBJECT_ID, REGEX, TIMESTAMP, UUID,
    code,
};
use crate::path::{Step, excerpt, hex, key_twice, not_utf8, path};

/// An open document or array.
struct ReadContainer<'i> {
    is_array: bool,
    /// Where its bytes end.
    end: usize,
    keys: Vec<&'i str>,
    seen: HashSet<&'i str>,
    values: Vec<Value>,
}

/// Reads an entire input, which is one document.
pub(super) fn document(input: &[u8]) -> Result<Value> {
    let mut reader = BsonReader { input, at: 0, end: input.len(), open: Vec::new() };
    reader.open(false)?;
    loop {
        if let Some(value) = reader.step()? {
            if let Some(byte) = input.get(reader.at) {
                let got = format!("{byte:02X}; one input is one document");
                return Err(reader.fault(reader.at, "the end of the input", got));
            }
            return Ok(value);
        }
    }
}

struct BsonReader<'i> {
    input: &'i [u8],
    /// The next byte, and the end of the innermost document.
    at: usize,
    end: usize,
    /// Not by recursion: documents can be nested as deep as they are long.
    open: Vec<ReadContainer<'i>>,
}

impl<'i> BsonReader<'i> {
    /// Reads one element, or the end of a document. Returns the outermost document once it ends.
    fn step(&mut self) -> Result<Option<Value>> {
        let begin = self.at;
        let [code] = self.bytes(begin)?;
        if code == 0 {
            return self.close(begin);
        }
        let key_at = self.at;
        let key = self.c_string(key_at)?;
        let Some(frame) = self.open.last_mut() else { return Ok(None) };
        let is_new = frame.is_array || frame.seen.put(key);
        frame.keys.put(key);
        if !is_new {
            return Err(key_twice(key_at, &excerpt(key)).with_path(|| self.path()));
        }
        if let code::DOCUMENT | code::ARRAY = code {
            self.open(code == code::ARRAY)?;
            return Ok(None);
        }
        let value = self.scalar(code, begin)?;
        if let Some(frame) = self.open.last_mut() {
            frame.values.put(value);
        }
        Ok(None)
    }

    fn open(&mut self, is_array: bool) -> Result<()> {
        let begin = self.at;
        let len = self.len(begin, "a document")?;
        if len < 5 || len > self.end - begin {
            let got = format!("{len} of {} bytes", self.end - begin);
            return Err(self.fault(begin, "the length of a document that fits", got));
        }
        let outer = std::mem::replace(&mut self.end, begin + len);
        // The end of the document around it, while this one is open.
        let (keys, seen, values) = (Vec::new(), HashSet::new(), Vec::new());
        self.open.put(ReadContainer { is_array, end: outer, keys, seen, values });
        Ok(())
    }

    fn close(&mut self, at: usize) -> Result<Option<Value>> {
        if self.at != self.end {
            let got = format!("its end {} bytes before", self.end - self.at);
            return Err(self.fault(at, "a document of as many bytes as its length says", got));
        }
        let Some(frame) = self.open.pop() else { return Ok(None) };
        self.end = frame.end;
        let value = match frame.is_array {
            true => Value::list(frame.values),
            false => Value::record(frame.keys.into_iter().map(Arc::<str>::from).zip(frame.values)),
        };
        match self.open.last_mut() {
            None => Ok(Some(value)),
            Some(outer) => {
                outer.values.put(value);
                Ok(None)
            }
        }
    }

    fn scalar(&mut self, code: u8, begin: usize) -> Result<Value> {
        let at = self.at;
        Ok(match code {
            code::DOUBLE => Value::F64(f64::from_le_bytes(self.bytes(at)?)),
            code::STRING => Value::from(memory::text(self.string(at)?)),
            code::BINARY => self.binary()?,
            code::OBJECT_ID => extension(OBJECT_ID, Value::Fixed(self.bytes::<12>(at)?.to_vec())),
            code::BOOL => match self.bytes(at)? {
                [bit @ (0 | 1)] => Value::from(bit == 1),
                [other] => return Err(self.fault(at, "00 or 01", format!("{other:02X}"))),
            },
            code::DATETIME => {
                let ty = LogicalType::new(LogicalType::TIMESTAMP, &DATETIME)?;
                Logical::new(ty, Value::from(i64::from_le_bytes(self.bytes(at)?))).into()
            }
            code::NULL => Value::Null,
            code::REGEX => {
                let pattern = Value::from(memory::text(self.c_string(at)?));
                let options = Value::from(memory::text(self.c_string(self.at)?));
                extension(REGEX, Value::tuple([pattern, options]))
            }
            code::CODE => extension(CODE, Value::from(memory::text(self.string(at)?))),
            code::INT32 => Value::from(i64::from(i32::from_le_bytes(self.bytes(at)?))),
            code::TIMESTAMP => {
                let increment = Value::U32(u32::from_le_bytes(self.bytes(at)?));
                let seconds = Value::U32(u32::from_le_bytes(self.bytes(self.at)?));
                extension(TIMESTAMP, Value::tuple([seconds, increment]))
            }
            code::INT64 => Value::from(i64::from_le_bytes(self.bytes(at)?)),
            code::DECIMAL => extension(DECIMAL, Value::Fixed(self.bytes::<16>(at)?.to_vec())),
            code::MIN_KEY => extension(MIN_KEY, Value::Null),
            code::MAX_KEY => extension(MAX_KEY, Value::Null),
            0x06 | 0x0C | 0x0E | 0x0F => {
                let got = format!("{code:02X}, which BSON has deprecated");
                return Err(self.fault(begin, "a value", got));
            }
            _ => return Err(self.fault(begin, "a type of BSON", format!("{code:02X}"))),
        })
    }

    fn binary(&mut self) -> Result<Value> {
        let begin = self.at;
        let len = self.len(begin, "binary data")?;
        let [subtype] = self.bytes(self.at)?;
        let data = self.take(begin, len, "binary data")?;
        Ok(match (subtype, data.len()) {
            (GENERIC, _) => Value::Bytes(memory::copied(data)),
            (UUID, 16) => {
                let ty = LogicalType::new(LogicalType::UUID, &[])?;
                Logical::new(ty, Value::Fixed(memory::copied(data))).into()
            }
            _ => {
                let data = Value::Bytes(memory::copied(data));
                extension(BINARY, Value::tuple([Value::U8(subtype), data]))
            }
        })
    }

    fn string(&mut self, begin: usize) -> Result<&'i str> {
        let len = self.len(begin, "a string")?;
        let bytes = self.take(begin, len, "a string")?;
        match bytes.split_last() {
            Some((0, text)) => self.text(begin + 4, text),
            _ => Err(self.fault(begin, "a string that ends with 00", hex(bytes))),
        }
    }

    /// Text up to the next zero.
    fn c_string(&mut self, begin: usize) -> Result<&'i str> {
        let rest = &self.input[begin..self.end];
        let Some(len) = rest.iter().position(|byte| *byte == 0) else {
            return Err(self.fault(begin, "text that ends with 00", "the end of the document"));
        };
        self.at = begin + len + 1;
        self.text(begin, &rest[..len])
    }

    fn text(&self, at: usize, bytes: &'i [u8]) -> Result<&'i str> {
        std::str::from_utf8(bytes).map_err(|_| {
            let (offset, got) = not_utf8(bytes, "the string's end").unwrap_or_default();
            self.fault(at + offset, "UTF-8", got)
        })
    }

    /// A length of 32 bits.
    fn len(&mut self, begin: usize, what: &str) -> Result<usize> {
        let len = i32::from_le_bytes(self.bytes(begin)?);
        usize::try_from(len)
            .map_err(|_| self.fault(begin, format!("the length of {what}"), len.to_string()))
    }

    fn bytes<const N: usize>(&mut self, begin: usize) -> Result<[u8; N]> {
        match self.input[self.at..self.end].first_chunk() {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(self.short(begin, N, "a value")),
        }
    }

    fn take(&mut self, begin: usize, len: usize, what: &str) -> Result<&'i [u8]> {
        if len > self.end - self.at {
            return Err(self.short(begin, len, what));
        }
        self.at += len;
        Ok(&self.input[self.at - len..self.at])
    }

    #[cold]
    fn short(&self, begin: usize, len: usize, what: &str) -> Error {
        let left = self.end - self.at;
        let end = if self.open.is_empty() { "input" } else { "document" };
        let got = format!("the end of the {end} after {left} bytes");
        self.fault(begin, format!("{len} or more bytes of {what}"), got)
    }

    #[cold]
    fn fault(&self, at: usize, expected: impl Into<String>, got: impl Into<String>) -> Error {
        Error::at(Code::BadInput, at)
            .expected(expected.into())
            .got(got.into())
            .with_path(|| self.path())
    }

    /// The path to the value that is read.
    fn path(&self) -> String {
        let steps: Vec<Step<'_>> = self
            .open
            .iter()
            .filter(|frame| frame.keys.len() > frame.values.len())
            .map(|frame| match (frame.is_array, frame.keys.last()) {
                (false, Some(key)) => Step::Key((*key).into()),
                _ => Step::Item(frame.values.len()),
            })
            .collect();
        path(&steps)
    }
}

fn extension(name: &str, value: Value) -> Value {
    Extension::new(name, value).into()
}
