//! Values as short text.

use std::borrow::Cow;
use std::fmt::{self, Write};

use holdall::value::Element;
use holdall::{BigInt, DType, IntKind, Tensor, Value, bf16, f16};

/// Values are truncated to this many bytes of text.
const MAX_SHOWN_TEXT: usize = 72;
const LONGEST_KEY: usize = 40;
/// The number of bytes shown of a byte string.
const BYTES: usize = 16;
/// The length shown of the common part of two long texts, before they differ.
const BEFORE: usize = 12;

/// Returns a text, truncated to this many bytes.
pub(super) fn shorten(text: &str, longest: usize) -> Cow<'_, str> {
    if text.len() <= longest {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}…", &text[..floor(text, longest)]))
}

/// Returns the last character boundary up to this offset.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Text up to a length.
struct Short {
    text: String,
    longest: usize,
}

impl Write for Short {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let room = self.longest.saturating_sub(self.text.len());
        if piece.len() > room {
            self.text.push_str(&piece[..floor(piece, room)]);
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}

/// Returns as much of a value as fits, and whether that is all of it.
fn begin(value: &impl fmt::Debug, longest: usize) -> (String, bool) {
    let mut short = Short { text: String::new(), longest };
    let is_all = write!(short, "{value:?}").is_ok();
    (short.text, is_all)
}

/// A key as a step of a path.
pub(super) fn key_text(key: &Value) -> String {
    let (text, is_all) = begin(key, LONGEST_KEY);
    if is_all { text } else { text + "…" }
}

/// The type of a value.
pub(super) fn type_name(value: &Value) -> String {
    let name = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::BigInt(_) => "int",
        Value::U8(_) => "u8",
        Value::U16(_) => "u16",
        Value::U32(_) => "u32",
        Value::U64(_) => "u64",
        Value::U128(_) => "u128",
        Value::I8(_) => "i8",
        Value::I16(_) => "i16",
        Value::I32(_) => "i32",
        Value::I64(_) => "i64",
        Value::I128(_) => "i128",
        Value::F16(_) => "f16",
        Value::Bf16(_) => "bf16",
        Value::F32(_) => "f32",
        Value::F64(_) => "f64",
        Value::String(_) => "string",
        Value::Bytes(_) => "bytes",
        Value::Fixed(bytes) => return format!("fixed({})", bytes.len()),
        Value::List(_) => "list",
        Value::Array(_) => "array",
        Value::Tuple(_) => "tuple",
        Value::Record(_) => "record",
        Value::Map(map) if map.iter().all(|(key, _)| key.as_str().is_some()) => "record",
        Value::Map(_) => "map",
        Value::Struct(of) => return format!("struct {}", shorten(of.name(), LONGEST_KEY)),
        Value::Variant(of) => return format!("variant {}", shorten(of.name(), LONGEST_KEY)),
        Value::Tensor(tensor) => {
            return shorten(&format!("tensor({})", tensor.dtype()), MAX_SHOWN_TEXT).into_owned();
        }
        Value::Logical(logical) => {
            return shorten(&logical.ty().to_string(), LONGEST_KEY).into_owned();
        }
        Value::Extension(of) => return format!("extension {}", shorten(of.name(), LONGEST_KEY)),
        Value::Unknown => "unknown",
        _ => "gone",
    };
    name.to_owned()
}

/// A value and, if it is long, its length.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::BigInt(big) => big_text(big),
        Value::Bytes(bytes) | Value::Fixed(bytes) => bytes_text(bytes, 0),
        Value::String(text) => string_text(text, 0),
        Value::Tensor(tensor) => tensor_text(tensor),
        value => {
            let (text, is_all) = begin(value, MAX_SHOWN_TEXT);
            if is_all { text } else { format!("{text}…{}", size_text(value)) }
        }
    }
}

fn size_text(value: &Value) -> String {
    let (count, what) = match value {
        Value::Record(record) => (record.values().len(), "fields"),
        Value::Struct(of) => (of.fields().values().len(), "fields"),
        Value::Map(map) => (map.len(), "entries"),
        Value::Logical(logical) if logical.storage().as_slice().is_some() => {
            (logical.storage().as_slice().map_or(0, <[Value]>::len), "members")
        }
        value => match value.as_slice() {
            Some(items) => (items.len(), "items"),
            None => return String::new(),
        },
    };
    if count > 1 { format!(" ({count} {what})") } else { String::new() }
}

/// Two values, each from where they differ.
pub(super) fn value_texts(old: &Value, new: &Value) -> [String; 2] {
    match (old, new) {
        (Value::String(old), Value::String(new)) => {
            let common = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
            [old, new].map(|text| string_text(text, common))
        }
        (Value::Bytes(old), Value::Bytes(new)) | (Value::Fixed(old), Value::Fixed(new)) => {
            let common = old.iter().zip(new).take_while(|(old, new)| old == new).count();
            [old, new].map(|bytes| bytes_text(bytes, common))
        }
        (old, new) => [value_text(old), value_text(new)],
    }
}

/// A text, if it is long from shortly before this byte.
fn string_text(text: &str, from: usize) -> String {
    let start = if from + BEFORE > MAX_SHOWN_TEXT && text.len() > MAX_SHOWN_TEXT {
        floor(text, from - BEFORE)
    } else {
        0
    };
    let (mut out, is_all) = begin(&&text[start..], MAX_SHOWN_TEXT);
    if start > 0 {
        out.insert(1, '…');
    }
    if !is_all {
        out += "…\"";
    }
    if start > 0 || !is_all { format!("{out} ({} bytes)", text.len()) } else { out }
}

fn bytes_text(bytes: &[u8], from: usize) -> String {
    let start = if from >= BYTES { from - BYTES / 4 } else { 0 };
    let part = &bytes[start..(start + BYTES).min(bytes.len())];
    let mut out = if start > 0 { "0x…" } else { "0x" }.to_owned();
    for byte in part {
        // Writing to a string cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    if part.len() == bytes.len() {
        return out;
    }
    let dots = if start + part.len() < bytes.len() { "…" } else { "" };
    let place = if start > 0 { format!(", from byte {start} on") } else { String::new() };
    format!("{out}{dots} ({} bytes{place})", bytes.len())
}

/// In decimal digits, up to a readable length.
fn big_text(big: &BigInt) -> String {
    let bytes = big.as_le_bytes();
    let digits = || {
        let message = holdall::to_vec(&Value::BigInt(big.clone())).ok()?;
        String::from_utf8(holdall_convert::json::unpack(&message).ok()?).ok()
    };
    if bytes.len() <= 2 * BYTES
        && let Some(digits) = digits()
    {
        return digits;
    }
    let high: Vec<u8> = bytes.iter().rev().copied().collect();
    format!("int {}", bytes_text(&high, 0))
}

fn tensor_text(tensor: &Tensor) -> String {
    let order = if tensor.is_column_major() { " column-major" } else { "" };
    let dtype = tensor.dtype().to_string();
    format!("tensor({}) {:?}{order}", shorten(&dtype, MAX_SHOWN_TEXT), tensor.shape())
}

/// Returns the number of different elements in two tensors of one type and shape, and the first of them.
pub(super) fn tensor_note(old: &Tensor, new: &Tensor) -> Option<String> {
    let is_same_form = old.dtype() == new.dtype()
        && old.shape() == new.shape()
        && old.is_column_major() == new.is_column_major();
    let width = usize::try_from(old.dtype().width()?).ok().filter(|_| is_same_form)?;
    let elements = || old.as_bytes().chunks_exact(width).zip(new.as_bytes().chunks_exact(width));
    let first = elements().position(|(old, new)| old != new)?;
    let count = elements().skip(first).filter(|(old, new)| old != new).count();
    let (from, into) = elements().nth(first)?;
    let all = old.as_bytes().len() / width;
    let [from, into] = [from, into].map(|bytes| element_text(old.dtype(), bytes));
    let place = place(old, first);
    Some(format!("{count} of {all} elements, the first at {place:?}: {from} -> {into}"))
}

/// The indexes of an element by its number.
fn place(tensor: &Tensor, number: usize) -> Vec<u64> {
    let (mut left, mut indexes) = (number as u64, Vec::new());
    let mut take = |len: &u64| {
        indexes.push(left.checked_rem(*len).unwrap_or_default());
        left = left.checked_div(*len).unwrap_or_default();
    };
    if tensor.is_column_major() {
        tensor.shape().iter().for_each(&mut take);
    } else {
        tensor.shape().iter().rev().for_each(&mut take);
        indexes.reverse();
    }
    indexes
}

fn element_text(dtype: &DType, bytes: &[u8]) -> String {
    fn of<E: Element + fmt::Debug>(bytes: &[u8]) -> Option<String> {
        Some(format!("{:?}", E::read(bytes)?))
    }
    let text = match dtype {
        DType::Bool => of::<bool>(bytes),
        DType::F16 => of::<f16>(bytes),
        DType::Bf16 => of::<bf16>(bytes),
        DType::F32 => of::<f32>(bytes),
        DType::F64 => of::<f64>(bytes),
        DType::Int(IntKind::U8) => of::<u8>(bytes),
        DType::Int(IntKind::U16) => of::<u16>(bytes),
        DType::Int(IntKind::U32) => of::<u32>(bytes),
        DType::Int(IntKind::U64) => of::<u64>(bytes),
        DType::Int(IntKind::U128) => of::<u128>(bytes),
        DType::Int(IntKind::I8) => of::<i8>(bytes),
        DType::Int(IntKind::I16) => of::<i16>(bytes),
        DType::Int(IntKind::I32) => of::<i32>(bytes),
        DType::Int(IntKind::I64) => of::<i64>(bytes),
        DType::Int(IntKind::I128) => of::<i128>(bytes),
        _ => None,
    };
    text.unwrap_or_else(|| bytes_text(bytes, 0))
}
