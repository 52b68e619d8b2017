//! All columns of a value, gathered by walking the value, as the expected result of a view.

use holdall::view::{Values, ViewSite};
use holdall::{BigInt, Result, Value};

/// Compares every column reachable from a place with the values there; each entry has its value, or none. Returns the
/// number of columns.
pub fn compare(site: ViewSite<'_>, entries: &[Option<&Value>]) -> Result<usize> {
    let plain = site.plain();
    // The wrapper of a variant belongs to the variant.
    let text = site.type_text();
    let is_union = text.starts_with("union") || text.starts_with("option(union");
    let within = |value| match value {
        &Value::Null => None,
        value if is_union => Some(value),
        value => inside(value),
    };
    let entries: Vec<Option<&Value>> = entries.iter().map(|entry| entry.and_then(within)).collect();
    let present = || entries.iter().flatten().copied();
    if let Ok(items) = site.items() {
        let own: Vec<Option<&Value>> =
            present().flat_map(|list| items_of(list).iter().map(Some)).collect();
        // The root of a stream has its values, whatever they are.
        if let Some(len) = site.len()?.filter(|_| site.number() > 0) {
            assert_eq!((entries.len(), own.len() as u64), (1, len), "{site:?}");
        }
        let column = site.column()?;
        assert_present(&column, &entries, site);
        match column.values() {
            Values::Lists { offsets } => {
                let mut end = 0;
                let ends = present().map(|list| {
                    end += items_of(list).len() as u64;
                    end
                });
                assert_eq!(*offsets, [0].into_iter().chain(ends).collect::<Vec<_>>(), "{site:?}");
            }
            Values::Arrays { rows, .. } => assert_eq!(*rows, present().count(), "{site:?}"),
            other => panic!("{site:?}: {other:?}"),
        }
        return Ok(1 + compare(items, &own)?);
    }
    if let (Ok(keys), Ok(values)) = (site.keys(), site.values()) {
        let entries = || {
            present().filter_map(|map| match map {
                Value::Map(map) => Some(map.iter()),
                _ => None,
            })
        };
        let of_keys: Vec<_> = entries().flatten().map(|(key, _)| Some(key)).collect();
        let of_values: Vec<_> = entries().flatten().map(|(_, value)| Some(value)).collect();
        return Ok(compare(keys, &of_keys)? + compare(values, &of_values)?);
    }
    let text = plain.type_text();
    if text.starts_with("union") || text.starts_with("enum") || plain.member(0).is_ok() {
        return members(plain, &entries);
    }
    if text.starts_with("record") || text.starts_with("struct") {
        let mut count = 0;
        for name in plain.names() {
            let own: Vec<_> =
                entries.iter().map(|entry| entry.and_then(|value| field(value, name))).collect();
            count += compare(plain.field(name)?, &own)?;
        }
        return Ok(count);
    }
    let column = match site.column() {
        Err(error) if error.code() == holdall::Code::Unsupported => return Ok(0),
        column => column?,
    };
    assert_eq!(column.len(), entries.len(), "{site:?}");
    if let Values::Null(_) = column.values() {
        return Ok(1);
    }
    assert_present(&column, &entries, site);
    let mut row = 0;
    for entry in entries.iter().flatten() {
        if let Values::Packed { dtype, bytes } = column.values() {
            let width = dtype.width().unwrap() as usize;
            let mut packed = Vec::new();
            pack(entry, &mut packed);
            assert_eq!(packed, bytes[row * width..(row + 1) * width], "{site:?}, row {row}");
            row += 1;
            continue;
        }
        assert_eq!(&value_of(column.values(), row), *entry, "{site:?}, row {row}");
        row += 1;
    }
    assert_eq!(column.values().len(), row, "{site:?}");
    Ok(1)
}

/// Members of tuples, and variants.
fn members(site: ViewSite<'_>, entries: &[Option<&Value>]) -> Result<usize> {
    let mut count = 0;
    let which = match site.column() {
        Ok(column) => {
            assert_present(&column, entries, site);
            match column.into_values() {
                Values::Variants(which) => Some(which),
                other => panic!("{site:?}: {other:?}"),
            }
        }
        Err(_) => None,
    };
    for number in 0.. {
        let Ok(member) = site.member(number) else { break };
        let mut row = 0;
        let own: Vec<_> = entries
            .iter()
            .map(|entry| {
                let value = (*entry)?;
                match (&which, value) {
                    (None, value) => items_of(value).get(number),
                    (Some(which), value) => {
                        row += 1;
                        let is_own = which[row - 1] == number as u64;
                        is_own.then_some(match value {
                            Value::Variant(variant) if !site.names().is_empty() => variant.value(),
                            value => value,
                        })
                    }
                }
            })
            .collect();
        count += compare(member, &own)?;
    }
    Ok(count)
}

fn assert_present(
    column: &holdall::view::Column<'_>,
    entries: &[Option<&Value>],
    site: ViewSite<'_>,
) {
    let expected: Vec<bool> = entries.iter().map(Option::is_some).collect();
    let present = column.present().map_or_else(|| vec![true; column.len()], <[bool]>::to_vec);
    assert_eq!(present, expected, "{site:?}");
}

/// The contents of logical types and extensions; null has none.
pub fn inside(mut value: &Value) -> Option<&Value> {
    loop {
        match value {
            Value::Null => return None,
            Value::Logical(logical) => value = logical.storage(),
            Value::Extension(extension) => value = extension.value(),
            _ => return Some(value),
        }
    }
}

/// The bytes of a packed value (F-70).
fn pack(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Bool(value) => out.push(u8::from(*value)),
        Value::U8(value) => out.push(*value),
        Value::U16(value) => out.extend(value.to_le_bytes()),
        Value::U32(value) => out.extend(value.to_le_bytes()),
        Value::U64(value) => out.extend(value.to_le_bytes()),
        Value::U128(value) => out.extend(value.to_le_bytes()),
        Value::I8(value) => out.extend(value.to_le_bytes()),
        Value::I16(value) => out.extend(value.to_le_bytes()),
        Value::I32(value) => out.extend(value.to_le_bytes()),
        Value::I64(value) => out.extend(value.to_le_bytes()),
        Value::I128(value) => out.extend(value.to_le_bytes()),
        Value::F16(value) => out.extend(value.to_le_bytes()),
        Value::Bf16(value) => out.extend(value.to_le_bytes()),
        Value::F32(value) => out.extend(value.to_le_bytes()),
        Value::F64(value) => out.extend(value.to_le_bytes()),
        Value::Fixed(bytes) => out.extend_from_slice(bytes),
        Value::Record(record) => record.values().iter().for_each(|value| pack(value, out)),
        Value::Struct(of) => of.fields().values().iter().for_each(|value| pack(value, out)),
        Value::Logical(logical) => pack(logical.storage(), out),
        Value::Extension(extension) => pack(extension.value(), out),
        other => items_of(other).iter().for_each(|value| pack(value, out)),
    }
}

pub fn items_of(value: &Value) -> &[Value] {
    match value {
        Value::List(items) => items,
        Value::Array(items) => items,
        Value::Tuple(items) => items,
        _ => &[],
    }
}

fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Record(record) => record.field(name),
        Value::Struct(of) => of.fields().field(name),
        // A mapping with string keys can be a record in the schema.
        Value::Map(map) => {
            map.iter().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value)
        }
        _ => None,
    }
}

/// A row as a value of its own.
fn value_of(values: &Values<'_>, row: usize) -> Value {
    match values {
        Values::Null(_) => Value::Null,
        Values::Bools(rows) => Value::Bool(rows[row]),
        Values::U8(rows) => Value::U8(rows[row]),
        Values::U16(rows) => Value::U16(rows[row]),
        Values::U32(rows) => Value::U32(rows[row]),
        Values::U64(rows) => Value::U64(rows[row]),
        Values::I8(rows) => Value::I8(rows[row]),
        Values::I16(rows) => Value::I16(rows[row]),
        Values::I32(rows) => Value::I32(rows[row]),
        Values::I64(rows) => Value::I64(rows[row]),
        Values::Int(rows) => Value::Int(rows[row]),
        Values::Wide(rows) => wide(rows, row),
        Values::F16(rows) => Value::F16(rows[row]),
        Values::Bf16(rows) => Value::Bf16(rows[row]),
        Values::F32(rows) => Value::F32(rows[row]),
        Values::F64(rows) => Value::F64(rows[row]),
        Values::Strings(rows) => Value::String(rows.get(row).unwrap().to_owned()),
        Values::Bytes(rows) => Value::Bytes(rows.get(row).unwrap().to_vec()),
        Values::Fixed { width, bytes, .. } => {
            Value::Fixed(bytes[row * width..(row + 1) * width].to_vec())
        }
        Values::Tensors(rows) => {
            let tensor = rows.get(row).unwrap();
            let elements = tensor.elements.to_vec();
            let dtype = (**tensor.dtype).clone();
            holdall::Tensor::new(dtype, tensor.shape, tensor.column_major, elements).unwrap().into()
        }
        Values::Unknown(_) => Value::Unknown,
        other => panic!("{other:?}"),
    }
}

fn wide(rows: &holdall::view::WideInts, row: usize) -> Value {
    let bytes = rows.get(row).unwrap();
    let sign = if bytes.last().is_some_and(|last| last & 0x80 != 0) { 0xFF } else { 0 };
    let mut word = [sign; 17];
    word[..bytes.len().min(17)].copy_from_slice(&bytes[..bytes.len().min(17)]);
    let low = u128::from_le_bytes(word[..16].try_into().unwrap());
    match rows.kind() {
        holdall::IntKind::U128 => Value::U128(Box::new(low)),
        holdall::IntKind::I128 => Value::I128(Box::new(low.cast_signed())),
        _ => match BigInt::from_le_bytes(&bytes) {
            Some(big) => Value::BigInt(big),
            None => Value::Int(low as i64),
        },
    }
}
