//! Tagged JSON, the notation of the conformance vectors: `["int","5"]`, `["list",[["null"]]]`.
//!
//! Values nest as deep as the data does, so nothing here recurses.
#![allow(dead_code, reason = "the example writes only, the tests read too")]

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use holdall::events::{Event, RowId, Sink};
use holdall::value::{
    Array, Extension, List, Logical, Map, Record, Struct, Tuple, Variant, WeakShared,
};
use holdall::{BigInt, LogicalType, Result, Shared, Tensor, Value, bf16, f16};
use num_bigint::BigInt as Number;

use super::dtypes::{dtype, kind_name, logical_type};

/// Parses pairs of hexadecimal digits, with spaces anywhere.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let (pairs, rest) = digits.as_chunks::<2>();
    assert!(rest.is_empty(), "an odd number of digits: {text}");
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    pairs.iter().map(byte).collect()
}

/// Formats bytes as pairs of hexadecimal digits.
fn unhex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(digits, "{byte:02x}").expect("strings take everything");
    }
    digits
}

/// A token of JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'t> {
    /// One of `[ ] { } , :`.
    Mark(char),
    /// A string with its quotes and escapes.
    String(&'t str),
    /// `true`, `null`, a number.
    Word(&'t str),
}

/// The tokens of a JSON text. It accepts all JSON, and some text that is not.
#[derive(Clone)]
pub struct Tokens<'t>(pub &'t str);

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        let text = self.0.trim_start();
        let first = text.chars().next()?;
        let len = match first {
            '[' | ']' | '{' | '}' | ',' | ':' => 1,
            '"' => {
                let mut escaped = false;
                let end = text[1..].find(|char| {
                    let ends = char == '"' && !escaped;
                    escaped = char == '\\' && !escaped;
                    ends
                });
                end.map_or(text.len(), |end| end + 2)
            }
            _ => {
                let ends = |char: char| char.is_whitespace() || "[]{},:\"".contains(char);
                text.find(ends).unwrap_or(text.len())
            }
        };
        let (token, rest) = text.split_at(len);
        self.0 = rest;
        Some(match first {
            '[' | ']' | '{' | '}' | ',' | ':' => Token::Mark(first),
            '"' => Token::String(token),
            _ => Token::Word(token),
        })
    }
}

/// Formats a string as JSON, escaping as little as possible.
pub fn quote(text: &str) -> String {
    serde_json::to_string(text).expect("a string is JSON")
}

/// Parses a JSON string.
pub fn unquote(literal: &str) -> String {
    serde_json::from_str(literal).unwrap_or_else(|error| panic!("{literal}: {error}"))
}

/// JSON text without spaces, in the spelling of [`TaggedSink`].
pub fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for token in Tokens(text) {
        match token {
            Token::Mark(mark) => out.push(mark),
            Token::Word(word) => out.push_str(word),
            Token::String(literal) => out.push_str(&quote(&unquote(literal))),
        }
    }
    out
}

/// An unfinished container.
struct Open {
    kind: Kind,
    keys: Vec<Arc<str>>,
    items: Vec<Value>,
}

enum Kind {
    List,
    Tuple,
    Record,
    Struct(String),
    Map,
    Variant(String),
    Array,
    Logical(LogicalType),
    Extension(String),
}

impl Kind {
    /// Whether it contains one value, otherwise a list of them.
    fn is_wrapper(&self) -> bool {
        matches!(self, Kind::Variant(_) | Kind::Logical(_) | Kind::Extension(_))
    }
}

impl Open {
    fn close(self) -> Value {
        let Open { kind, keys, mut items } = self;
        match kind {
            Kind::List => Value::List(List::from(items)),
            Kind::Tuple => Value::Tuple(Tuple::from(items)),
            Kind::Record => Value::Record(Record::new(keys.into(), items).unwrap()),
            Kind::Struct(name) => {
                Value::Struct(Struct::new(name, Record::new(keys.into(), items).unwrap()))
            }
            Kind::Array => Value::Array(Array::from(items)),
            Kind::Variant(name) => Value::Variant(Variant::new(name, items.pop().unwrap())),
            Kind::Logical(ty) => Value::Logical(Logical::new(ty, items.pop().unwrap())),
            Kind::Extension(name) => Value::Extension(Extension::new(name, items.pop().unwrap())),
            Kind::Map => {
                let mut items = items.into_iter();
                let mut entries = Vec::new();
                while let (Some(key), Some(value)) = (items.next(), items.next()) {
                    entries.push((key, value));
                }
                Value::Map(Map::from(entries))
            }
        }
    }
}

/// Parses a tagged value. Panics on errors: a mistake in a vector must show at once.
pub fn read(text: &str) -> Value {
    let mut reader = Reader(Tokens(text), Vec::new());
    let value = reader.value();
    assert_eq!(reader.0.next(), None, "text after the value");
    value
}

/// The text, and the values with identity so far.
struct Reader<'t>(Tokens<'t>, Vec<Handle>);

/// A value with identity; the handle is strong once the value is complete.
enum Handle {
    Weak(WeakShared),
    Strong(Shared),
}

impl Reader<'_> {
    /// Recurses only on values with identity, which nest no deeper than vectors.
    fn value(&mut self) -> Value {
        let mut stack: Vec<Open> = Vec::new();
        loop {
            let mut done = self.begin(&mut stack);
            // A complete value may complete those around it.
            while let Some(value) = done {
                let Some(open) = stack.last_mut() else { return value };
                open.items.push(value);
                done = self.go_on(open).then(|| stack.pop().unwrap().close());
            }
        }
    }

    fn number(&mut self) -> usize {
        match self.0.next() {
            Some(Token::Word(digits)) => digits.parse().unwrap(),
            other => panic!("a number expected, not {other:?}"),
        }
    }

    /// Parses the rest of `["id",k,value]`.
    fn identity(&mut self) -> Value {
        let number = self.number();
        assert_eq!(number, self.1.len(), "identities are numbered as they are begun");
        self.expect(',');
        let shared = Shared::cyclic(|weak| {
            self.1.push(Handle::Weak(weak.clone()));
            self.value()
        });
        self.1[number] = Handle::Strong(shared.clone());
        Value::Shared(shared)
    }

    /// Parses the rest of `["ref",k]`.
    fn reference(&mut self) -> Value {
        let number = self.number();
        match &self.1[number] {
            Handle::Weak(weak) => Value::Weak(weak.clone()),
            Handle::Strong(shared) => Value::Shared(shared.clone()),
        }
    }

    fn expect(&mut self, mark: char) {
        assert_eq!(self.0.next(), Some(Token::Mark(mark)), "before {:.40}", self.0.0);
    }

    /// Skips this mark if it comes next; returns whether it did.
    fn passes(&mut self, mark: char) -> bool {
        let mut ahead = self.0.clone();
        let found = ahead.next() == Some(Token::Mark(mark));
        if found {
            self.0 = ahead;
        }
        found
    }

    fn string(&mut self) -> String {
        match self.0.next() {
            Some(Token::String(literal)) => unquote(literal),
            other => panic!("a string expected, not {other:?}"),
        }
    }

    /// Parses a scalar or the beginning of a container. An empty container is complete.
    fn begin(&mut self, stack: &mut Vec<Open>) -> Option<Value> {
        self.expect('[');
        let tag = self.string();
        if let "null" | "unknown" = tag.as_str() {
            self.expect(']');
            return Some(if tag == "null" { Value::Null } else { Value::Unknown });
        }
        self.expect(',');
        let kind = match tag.as_str() {
            "list" => Kind::List,
            "array" => Kind::Array,
            "tuple" => Kind::Tuple,
            "record" => Kind::Record,
            "map" => Kind::Map,
            "struct" | "variant" | "extension" | "logical" => {
                let name = self.string();
                self.expect(',');
                match tag.as_str() {
                    "struct" => Kind::Struct(name),
                    "variant" => Kind::Variant(name),
                    "extension" => Kind::Extension(name),
                    _ => {
                        let parameters = hex(&self.string());
                        self.expect(',');
                        Kind::Logical(logical_type(&name, &parameters))
                    }
                }
            }
            _ => {
                let value = match tag.as_str() {
                    "id" => self.identity(),
                    "ref" => self.reference(),
                    "tensor" => self.tensor(),
                    tag => self.scalar(tag),
                };
                self.expect(']');
                return Some(value);
            }
        };
        let mut open = Open { kind, keys: Vec::new(), items: Vec::new() };
        if !open.kind.is_wrapper() {
            self.expect('[');
            if self.passes(']') {
                self.expect(']');
                return Some(open.close());
            }
            self.begin_item(&mut open);
        }
        stack.push(open);
        None
    }

    /// Parses what precedes an item: in a record, its key.
    fn begin_item(&mut self, open: &mut Open) {
        match open.kind {
            Kind::Record | Kind::Struct(_) => {
                self.expect('[');
                open.keys.push(self.string().into());
                self.expect(',');
            }
            Kind::Map => self.expect('['),
            _ => {}
        }
    }

    /// Continues after an item; returns whether the container ends.
    fn go_on(&mut self, open: &mut Open) -> bool {
        match open.kind {
            Kind::Variant(_) | Kind::Logical(_) | Kind::Extension(_) => {
                self.expect(']');
                return true;
            }
            Kind::Map if open.items.len() % 2 == 1 => {
                self.expect(',');
                return false;
            }
            Kind::Record | Kind::Struct(_) | Kind::Map => self.expect(']'),
            Kind::List | Kind::Tuple | Kind::Array => {}
        }
        if self.passes(',') {
            self.begin_item(open);
            return false;
        }
        self.expect(']');
        self.expect(']');
        true
    }

    /// Parses the rest of `["tensor","u16",["2","2"],"row","0100020003000400"]`.
    fn tensor(&mut self) -> Value {
        let dtype = dtype(&self.string());
        self.expect(',');
        self.expect('[');
        let mut shape: Vec<u64> = Vec::new();
        if !self.passes(']') {
            loop {
                shape.push(self.string().parse().unwrap());
                if self.passes(']') {
                    break;
                }
                self.expect(',');
            }
        }
        self.expect(',');
        let column_major = match self.string().as_str() {
            "row" => false,
            "column" => true,
            other => panic!("row or column expected, not {other:?}"),
        };
        self.expect(',');
        let elements = hex(&self.string());
        Value::from(Tensor::new(dtype, shape, column_major, elements).unwrap())
    }

    fn scalar(&mut self, tag: &str) -> Value {
        if tag == "bool" {
            return match self.0.next() {
                Some(Token::Word("true")) => Value::Bool(true),
                Some(Token::Word("false")) => Value::Bool(false),
                other => panic!("true or false expected, not {other:?}"),
            };
        }
        let text = self.string();
        let bits = |width: usize| {
            assert_eq!(text.len(), width, "{text}");
            u64::from_str_radix(&text, 16).unwrap()
        };
        match tag {
            "int" => {
                let number: Number = text.parse().unwrap();
                match i64::try_from(&number) {
                    Ok(value) => Value::Int(value),
                    Err(_) => {
                        let bytes = number.to_signed_bytes_le();
                        Value::BigInt(BigInt::from_le_bytes(&bytes).unwrap())
                    }
                }
            }
            "u8" => Value::U8(text.parse().unwrap()),
            "u16" => Value::U16(text.parse().unwrap()),
            "u32" => Value::U32(text.parse().unwrap()),
            "u64" => Value::U64(text.parse().unwrap()),
            "u128" => Value::U128(text.parse::<u128>().unwrap().into()),
            "i8" => Value::I8(text.parse().unwrap()),
            "i16" => Value::I16(text.parse().unwrap()),
            "i32" => Value::I32(text.parse().unwrap()),
            "i64" => Value::I64(text.parse().unwrap()),
            "i128" => Value::I128(text.parse::<i128>().unwrap().into()),
            "f16" => Value::F16(f16::from_bits(u16::try_from(bits(4)).unwrap())),
            "bf16" => Value::Bf16(bf16::from_bits(u16::try_from(bits(4)).unwrap())),
            "f32" => Value::F32(f32::from_bits(u32::try_from(bits(8)).unwrap())),
            "f64" => Value::F64(f64::from_bits(bits(16))),
            "string" => Value::String(text),
            "bytes" => Value::Bytes(hex(&text)),
            "fixed" => Value::Fixed(hex(&text)),
            _ => panic!("there is no tag {tag}"),
        }
    }
}

/// A [`Sink`] that writes tagged JSON without spaces.
///
/// It distinguishes a record from a map as the bytes do; [`Value`] does not.
#[derive(Default)]
pub struct TaggedSink {
    out: String,
    stack: Vec<Frame>,
    identities: HashMap<RowId, usize>,
}

/// An open container: how many values it has, and how many were announced.
enum Frame {
    Items(usize, usize),
    Fields(Arc<[Arc<str>]>, usize),
    Entries(usize, usize),
    Payload(usize),
    Identity,
}

impl TaggedSink {
    /// Returns the text, once a complete value was emitted.
    pub fn finish(self) -> String {
        assert!(self.stack.is_empty(), "a container was not ended: {}", self.out);
        self.out
    }

    /// Writes what precedes a value.
    fn lead(&mut self) {
        match self.stack.last() {
            Some(Frame::Items(count, _)) if *count > 0 => self.out.push(','),
            Some(Frame::Fields(keys, count)) => {
                self.out.push_str(if *count > 0 { ",[" } else { "[" });
                self.out.push_str(&quote(&keys[*count]));
                self.out.push(',');
            }
            Some(Frame::Entries(count, _)) => {
                let text = match count {
                    0 => "[",
                    _ if count % 2 == 0 => ",[",
                    _ => ",",
                };
                self.out.push_str(text);
            }
            Some(Frame::Items(..) | Frame::Payload(_) | Frame::Identity) | None => {}
        }
    }

    /// Writes what follows a value.
    fn trail(&mut self) {
        while let Some(Frame::Identity) = self.stack.last() {
            self.stack.pop();
            self.out.push(']');
        }
        match self.stack.last_mut() {
            Some(Frame::Items(count, _) | Frame::Payload(count)) => *count += 1,
            Some(Frame::Fields(_, count)) => {
                *count += 1;
                self.out.push(']');
            }
            Some(Frame::Entries(count, _)) => {
                *count += 1;
                if *count % 2 == 0 {
                    self.out.push(']');
                }
            }
            Some(Frame::Identity) | None => {}
        }
    }

    fn scalar(&mut self, tag: &str, content: &str) -> Result<()> {
        self.lead();
        self.write(format_args!("[\"{tag}\",{content}]"));
        self.trail();
        Ok(())
    }

    /// A value that is its tag alone.
    fn bare(&mut self, tag: &str) -> Result<()> {
        self.lead();
        self.write(format_args!("[\"{tag}\"]"));
        self.trail();
        Ok(())
    }

    fn digits(&mut self, tag: &str, digits: impl std::fmt::Display) -> Result<()> {
        self.scalar(tag, &format!("\"{digits}\""))
    }

    fn begin(&mut self, text: std::fmt::Arguments<'_>, frame: Frame) -> Result<()> {
        self.lead();
        self.write(text);
        self.stack.push(frame);
        Ok(())
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        self.out.write_fmt(text).expect("strings take everything");
    }

    fn end(&mut self) -> Result<()> {
        let (count, announced, close) = match self.stack.pop() {
            Some(Frame::Payload(count)) => (count, 1, "]"),
            Some(Frame::Fields(keys, count)) => (count, keys.len(), "]]"),
            Some(Frame::Items(count, len) | Frame::Entries(count, len)) => (count, len, "]]"),
            Some(Frame::Identity) | None => panic!("an end without a beginning"),
        };
        assert_eq!(count, announced, "as many values as were announced");
        self.out.push_str(close);
        self.trail();
        Ok(())
    }
}

impl Sink for TaggedSink {
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::Null => self.bare("null"),
            Event::Bool(value) => self.scalar("bool", if value { "true" } else { "false" }),
            Event::Int(value) => self.digits("int", value),
            Event::FixedInt(kind, bits) if kind.is_signed() => {
                self.digits(kind.name(), bits.cast_signed())
            }
            Event::FixedInt(kind, bits) => self.digits(kind.name(), bits),
            Event::BigInt(kind, big) => self.digits(kind.name(), Number::from_signed_bytes_le(big)),
            Event::F16(value) => self.digits("f16", format_args!("{:04x}", value.to_bits())),
            Event::Bf16(value) => self.digits("bf16", format_args!("{:04x}", value.to_bits())),
            Event::F32(value) => self.digits("f32", format_args!("{:08x}", value.to_bits())),
            Event::F64(value) => self.digits("f64", format_args!("{:016x}", value.to_bits())),
            Event::String(value) => self.scalar("string", &quote(value)),
            Event::Bytes(value) => self.digits("bytes", unhex(value)),
            Event::Fixed(value) => self.digits("fixed", unhex(value)),
            Event::Tensor(tensor, _) => {
                let dtype = quote(&tensor.dtype.to_string());
                let shape: Vec<String> =
                    tensor.shape.iter().map(|len| format!("\"{len}\"")).collect();
                let (shape, elements) = (shape.join(","), unhex(tensor.elements));
                let order = if tensor.column_major { "column" } else { "row" };
                self.scalar("tensor", &format!("{dtype},[{shape}],\"{order}\",\"{elements}\""))
            }
            Event::Unknown => self.bare("unknown"),
            Event::List(len) => self.begin(format_args!("[\"list\",["), Frame::Items(0, len)),
            Event::Tuple(len) => self.begin(format_args!("[\"tuple\",["), Frame::Items(0, len)),
            Event::Array(len) => self.begin(format_args!("[\"array\",["), Frame::Items(0, len)),
            Event::Map(len) => self.begin(format_args!("[\"map\",["), Frame::Entries(0, 2 * len)),
            Event::Record(shape) => self
                .begin(format_args!("[\"record\",["), Frame::Fields(Arc::clone(shape.keys()), 0)),
            Event::Struct(name, shape) => {
                let frame = Frame::Fields(Arc::clone(shape.keys()), 0);
                self.begin(format_args!("[\"struct\",{},[", quote(name)), frame)
            }
            Event::Variant(name) => {
                self.begin(format_args!("[\"variant\",{},", quote(name)), Frame::Payload(0))
            }
            Event::Logical(ty) => {
                let (kind, parameters) = (kind_name(ty), unhex(ty.parameters()));
                let text = format_args!("[\"logical\",\"{kind}\",\"{parameters}\",");
                self.begin(text, Frame::Payload(0))
            }
            Event::Extension(name) => {
                self.begin(format_args!("[\"extension\",{},", quote(name)), Frame::Payload(0))
            }
            Event::End => self.end(),
            Event::Identity(row) => {
                let number = self.identities.len();
                assert_eq!(self.identities.insert(row, number), None, "each row is begun once");
                self.begin(format_args!("[\"id\",{number},"), Frame::Identity)
            }
            Event::Reference(row) => {
                let number = self.identities[&row];
                self.scalar("ref", &number.to_string())
            }
            Event::Choice(_) => Ok(()),
        }
    }
}
