//! Values from tagged JSON.

use std::sync::Arc;

use holdall::value::{
    Array, Extension, List, Logical, Map, Record, Struct, Tuple, Variant, WeakShared,
};
use holdall::{BigInt, LogicalType, Shared, Tensor, Value, bf16, f16};
use num_bigint::BigInt as Number;

use super::super::dtypes::{dtype, logical_type};
use super::{Token, Tokens, hex, unquote};

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
