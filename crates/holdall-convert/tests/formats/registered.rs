//! Codings of the program: how they are registered and found, and those that extend another one.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use holdall::events::Source;
use holdall::value::{Extension, Logical, Struct};
use holdall::{Code, Decoder, Error, LogicalType, Result, Shared, Tensor, Value};
use holdall_convert::{Actions, Coding, Emitter, Extended, Format, Reading, Unpacker, ValueSource};

/// A coding of one value: null, as nothing.
struct Nothing(&'static str, &'static [&'static str]);

impl Coding for Nothing {
    fn name(&self) -> &str {
        self.0
    }

    fn extensions(&self) -> &[&str] {
        self.1
    }

    fn read<'i>(&self, input: &'i [u8], _: &Reading<'_>) -> Result<Box<dyn Source + 'i>> {
        match input {
            [] => Ok(Box::new(ValueSource(Value::Null))),
            _ => Err(Error::at(Code::BadInput, 0).expected("nothing")),
        }
    }

    fn write(&self, _: &mut Emitter<'_>) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }
}

#[test]
fn a_name_is_taken_once() {
    let first = Format::register(Nothing("once", &[])).unwrap();
    assert_eq!((Format::named("once"), first.name()), (Some(first), "once"));
    for name in ["once", "json", "holdall"] {
        let error = Format::register(Nothing(name, &[])).unwrap_err();
        let words = format!("bad_input: expected a name that no format has, got {name:?}");
        assert_eq!(error.to_string(), words);
    }
    assert_eq!(Format::named("once"), Some(first), "the first one stays");
    assert_eq!(first.to_vec(&()).unwrap(), b"");
    assert_eq!(first.from_slice::<Value>(b"").unwrap(), Value::Null);
    assert_eq!(first.from_slice::<Value>(b"x").unwrap_err().offset(), Some(0));
}

#[test]
fn a_coding_is_found_by_the_extension_of_a_file() {
    assert_eq!(Format::of_path(Path::new("a.nothing")), None);
    let own = Format::register(Nothing("by_extension", &["nothing", "json"])).unwrap();
    assert_eq!(Format::of_path(Path::new("folder/a.NOTHING")), Some(own));
    assert_eq!(Format::of_path(Path::new("a.json")), Some(Format::Json), "the built-in one first");
    let extended = Extended::encode_only("extended_json", Format::Json, || Plain);
    let extended = extended.extensions(["xjson"]);
    let extended = Format::register(extended).unwrap();
    assert_eq!(Format::of_path(Path::new("a.xjson")), Some(extended));
}

/// Changes nothing.
struct Plain;

impl Actions for Plain {}

fn logical(kind: u8, storage: Value) -> Value {
    Logical::new(LogicalType::new(kind, &[]).unwrap(), storage).into()
}

fn ext(ty: i8, bytes: &[u8]) -> Value {
    Extension::new("msgpack.ext", Value::tuple([Value::I8(ty), Value::Bytes(bytes.to_vec())]))
        .into()
}

const SYMBOL: i8 = 1;
const AGAIN: i8 = 2;
const STRUCT: i8 = 3;

/// Symbols, each written once and then by its number; structs with their names; integers beyond 64 bits.
#[derive(Default)]
struct Symbols {
    numbers: HashMap<String, u8>,
    texts: Vec<String>,
}

impl Actions for Symbols {
    fn encode(&mut self, value: Value) -> Result<Value> {
        Ok(match &value {
            Value::Logical(own) if own.ty().kind() == LogicalType::SYMBOL => {
                let text = own.storage().as_str().unwrap_or_default();
                if text.is_empty() {
                    return Err(Error::new(Code::Unrepresentable).expected("a symbol with a name"));
                }
                let next = self.numbers.len() as u8;
                match self.numbers.get(text) {
                    Some(number) => ext(AGAIN, &[*number]),
                    None => {
                        self.numbers.insert(text.to_owned(), next);
                        ext(SYMBOL, text.as_bytes())
                    }
                }
            }
            Value::Struct(own) => {
                let name = ext(STRUCT, own.name().as_bytes());
                Value::list([name, Value::Record(own.fields().clone())])
            }
            Value::BigInt(big) => ext(9, big.as_le_bytes()),
            _ => value,
        })
    }

    fn decode(&mut self, extension: Extension) -> Result<Value> {
        let Some([Value::I8(ty), Value::Bytes(bytes)]) = extension.value().as_slice() else {
            return Ok(extension.into());
        };
        let symbol = |text: &str| logical(LogicalType::SYMBOL, Value::from(text));
        match *ty {
            SYMBOL => {
                self.texts.push(String::from_utf8_lossy(bytes).into_owned());
                Ok(symbol(self.texts.last().unwrap()))
            }
            AGAIN => {
                let text = self.texts.get(usize::from(bytes[0]));
                let text = text.ok_or_else(|| {
                    Error::new(Code::BadInput).expected("a symbol that was named before")
                })?;
                Ok(symbol(text))
            }
            9 => Ok(holdall::BigInt::from_le_bytes(bytes).map_or(Value::Null, Value::from)),
            _ => Ok(extension.into()),
        }
    }
}

fn symbols(name: &str) -> Format {
    Format::register(Extended::new(name, Format::Msgpack, Symbols::default)).unwrap()
}

fn symbol(text: &str) -> Value {
    logical(LogicalType::SYMBOL, Value::from(text))
}

#[test]
fn a_format_extends_another_with_state_for_each_message() {
    let format = symbols("symbols");
    let big = Value::from(u64::MAX);
    let value = Value::list([
        symbol("a"),
        Value::record([("k", symbol("bc")), ("l", symbol("a"))]),
        symbol("bc"),
        Value::from(7),
        big,
    ]);
    let expected: &[u8] = b"\x95\xD4\x01a\x82\xA1k\xD5\x01bc\xA1l\xD4\x02\0\xD4\x02\x01\x07\xC7\x09\x09\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0";
    // Each message begins anew.
    for _ in 0..2 {
        assert_eq!(format.to_vec(&value).unwrap(), expected);
        assert_eq!(format.from_slice::<Value>(expected).unwrap(), value);
    }
    assert!(Format::Msgpack.to_vec(&value).is_err(), "the format below lacks them");
}

#[test]
fn values_inside_come_before_the_value_around_them() {
    let format = symbols("structs");
    let fields = [("s".into(), symbol("x"))].into_iter().collect();
    let value = Value::Struct(Struct::new("P", fields));
    let data = format.to_vec(&value).unwrap();
    assert_eq!(data, b"\x92\xD4\x03P\x81\xA1s\xD4\x01x");
    let back: Value = format.from_slice(&data).unwrap();
    assert_eq!(back, Value::list([ext(STRUCT, b"P"), Value::record([("s", symbol("x"))])]));
}

#[test]
fn errors_of_actions_have_the_path_of_the_value() {
    let format = symbols("failing");
    let value = Value::record([("a", Value::list([symbol("x"), symbol("")]))]);
    let error = format.to_vec(&value).unwrap_err();
    assert_eq!((error.code(), error.path()), (Code::Unrepresentable, "$.a[1]"));
    // The first symbol by a number that none has.
    let error = format.from_slice::<Value>(b"\x81\xA1a\x92\x07\xD4\x02\x05").unwrap_err();
    assert_eq!(error.to_string(), "bad_input in $.a[1]: expected a symbol that was named before");
    // Faults of the format below keep their place.
    let error = format.from_slice::<Value>(b"\x92\x07").unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::BadInput, Some(0)));
}

#[test]
fn what_no_action_writes_is_rejected_as_by_the_format_below() {
    let format = symbols("rejecting");
    let date = logical(LogicalType::DATE, Value::from(1));
    let tensor = Value::from(Tensor::of([2], &[1_u8, 2]).unwrap());
    for value in [&date, &tensor] {
        let value = Value::list([Value::Null, value.clone()]);
        let error = format.to_vec(&value).unwrap_err();
        let below = Format::Msgpack.to_vec(&value).unwrap_err();
        assert_eq!(error.to_string(), below.to_string());
        assert_eq!(error.path(), "$[1]");
    }
    let storage = Unpacker::new(format).storage(true);
    assert_eq!(storage.to_vec(&Value::list([date])).unwrap(), b"\x91\x01");
    let shared = Value::Shared(Shared::new(symbol("x")));
    let twice = Value::list([shared.clone(), shared]);
    assert_eq!(format.to_vec(&twice).unwrap_err().path(), "$[1]");
    let copies = Unpacker::new(format).copies(true);
    assert_eq!(copies.to_vec(&twice).unwrap(), b"\x92\xD4\x01x\xD4\x02\0");
}

#[test]
fn an_extended_format_can_be_extended() {
    /// Counts its messages, and writes variants as their names.
    static MESSAGES: AtomicUsize = AtomicUsize::new(0);
    struct Names;
    impl Actions for Names {
        fn encode(&mut self, value: Value) -> Result<Value> {
            Ok(match &value {
                Value::Variant(variant) => Value::from(&**variant.name()),
                _ => value,
            })
        }
    }
    let names = || {
        MESSAGES.fetch_add(1, Ordering::Relaxed);
        Names
    };
    let format = Extended::new("names", symbols("below"), names);
    let format = Format::register(format).unwrap();
    let variant = Value::Variant(holdall::value::Variant::new("V", Value::Null));
    let data = format.to_vec(&Value::list([variant, symbol("x")])).unwrap();
    assert_eq!(data, b"\x92\xA1V\xD4\x01x");
    let back = format.from_slice::<Value>(&data).unwrap();
    assert_eq!(back, Value::list([Value::from("V"), symbol("x")]));
    assert_eq!(MESSAGES.load(Ordering::Relaxed), 2);
}

#[test]
fn a_format_without_extensions_is_extended_by_encode_alone() {
    for below in [Format::Json, Format::Ndjson, Format::Csv, Format::Dlhn] {
        let name = format!("decodes_{}", below.name());
        let error = Format::register(Extended::new(&*name, below, || Plain)).unwrap_err();
        let words = format!(
            "bad_input: expected a format with extensions, which decode gets, or Extended::encode_only, got {}, which has none",
            below.name(),
        );
        assert_eq!(error.to_string(), words);
        assert_eq!(Format::named(&name), None);
        let format = Format::register(Extended::encode_only(&*name, below, || Plain)).unwrap();
        let rows = Value::list([Value::map([(Value::from("a"), Value::from("x"))])]);
        let data = format.to_vec(&rows).unwrap();
        assert_eq!(data, below.to_vec(&rows).unwrap());
        let read = |format: Format| format.from_slice::<Value>(&data).unwrap();
        assert_eq!(read(format), read(below));
        // Neither has one that extends it.
        let above = Extended::new(format!("above_{}", below.name()), format, || Plain);
        assert_eq!(Format::register(above).unwrap_err().code(), Code::BadInput);
    }
    for below in [Format::Msgpack, Format::Cbor, Format::Bson, Format::Holdall] {
        let name = format!("decodes_{}", below.name());
        assert!(Format::register(Extended::new(name, below, || Plain)).is_ok(), "{below:?}");
    }
}

#[test]
fn extensions_inside_each_other_are_each_acted_on() {
    let format = Format::register(Extended::new("deep", Format::Holdall, || Plain)).unwrap();
    let deep = (0..500).fold(Value::Null, |value, _| Extension::new("x.y", value).into());
    let message = holdall::to_vec(&deep).unwrap();
    let unpacked = Unpacker::new(format).unpack(&mut Decoder::new(), &message).unwrap();
    assert_eq!(unpacked, message);
    assert_eq!(format.from_slice::<Value>(&message).unwrap(), deep);
}
