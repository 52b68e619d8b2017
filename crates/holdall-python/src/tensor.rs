//! The element types of tensors in Python: a name, or a tuple that begins with one.
//!
//! `"f64"`, `("array", 3, "u8")`, `("record", [("x", "f32"), ("y", "f32")])`, `("logical", 7,
//! b"\x08", ("tuple", ["f64", "f64"]))`.

use std::sync::Arc;

use holdall::bindings::memory::GrowVec;
use holdall::{DType, IntKind, LogicalType};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::raw;

const SCALARS: [(&str, DType); 15] = [
    ("bool", DType::Bool),
    ("u8", DType::Int(IntKind::U8)),
    ("u16", DType::Int(IntKind::U16)),
    ("u32", DType::Int(IntKind::U32)),
    ("u64", DType::Int(IntKind::U64)),
    ("u128", DType::Int(IntKind::U128)),
    ("i8", DType::Int(IntKind::I8)),
    ("i16", DType::Int(IntKind::I16)),
    ("i32", DType::Int(IntKind::I32)),
    ("i64", DType::Int(IntKind::I64)),
    ("i128", DType::Int(IntKind::I128)),
    ("f16", DType::F16),
    ("bf16", DType::Bf16),
    ("f32", DType::F32),
    ("f64", DType::F64),
];

/// The format rejects types nested deeper than 32 levels. This limit only protects the stack until
/// that check.
const LEVELS: usize = 40;

pub fn dtype(described: &Bound<'_, PyAny>) -> PyResult<Arc<DType>> {
    parse(described, 0).map(Arc::new)
}

type DTypeFields = Box<[(Arc<str>, DType)]>;

fn parse(described: &Bound<'_, PyAny>, level: usize) -> PyResult<DType> {
    let unknown = || PyValueError::new_err(format!("unknown element type: {described}"));
    if level > LEVELS {
        return Err(unknown());
    }
    if let Ok(name) = described.cast::<PyString>() {
        let name = name.to_str()?;
        let known = SCALARS.iter().find(|(own, _)| *own == name);
        return known.map(|(_, dtype)| dtype.clone()).ok_or_else(unknown);
    }
    let parts = described.cast::<PyTuple>()?;
    let inner = |at: usize| parse(&parts.get_item(at)?, level + 1);
    let fields = |at: usize| -> PyResult<DTypeFields> {
        let fields = parts.get_item(at)?;
        let mut all = Vec::new();
        for field in fields.try_iter()? {
            let (name, dtype): (String, Bound<'_, PyAny>) = field?.extract()?;
            all.put((name.into(), parse(&dtype, level + 1)?));
        }
        Ok(all.into())
    };
    let kind = parts.get_item(0)?.extract::<String>()?;
    Ok(match &*kind {
        "fixed" => DType::Fixed(parts.get_item(1)?.extract()?),
        "array" => DType::Array(parts.get_item(1)?.extract()?, Box::new(inner(2)?)),
        "tuple" => {
            let mut items = Vec::new();
            for item in parts.get_item(1)?.try_iter()? {
                items.put(parse(&item?, level + 1)?);
            }
            DType::Tuple(items.into())
        }
        "record" => DType::Record(fields(1)?),
        "struct" => DType::Struct(parts.get_item(1)?.extract::<String>()?.into(), fields(2)?),
        "logical" => {
            let parameters = parts.get_item(2)?.extract::<Vec<u8>>()?;
            let ty = LogicalType::new(parts.get_item(1)?.extract()?, &parameters);
            let ty = ty.map_err(|error| PyValueError::new_err(error.to_string()))?;
            DType::Logical(ty, Box::new(inner(3)?))
        }
        "extension" => {
            DType::Extension(parts.get_item(1)?.extract::<String>()?.into(), Box::new(inner(2)?))
        }
        _ => return Err(unknown()),
    })
}

/// The inverse; the library has bounded the depth.
pub fn describe<'py>(py: Python<'py>, dtype: &DType) -> PyResult<Bound<'py, PyAny>> {
    let fields = |fields: &[(Arc<str>, DType)]| -> PyResult<Bound<'py, PyList>> {
        let list = raw::list(py)?;
        for (name, dtype) in fields {
            list.append((&**name, describe(py, dtype)?))?;
        }
        Ok(list)
    };
    if let Some((name, _)) = SCALARS.iter().find(|(_, own)| own == dtype) {
        return Ok(PyString::intern(py, name).into_any());
    }
    Ok(match dtype {
        DType::Fixed(len) => ("fixed", *len).into_pyobject(py)?.into_any(),
        DType::Array(len, item) => {
            ("array", *len, describe(py, item)?).into_pyobject(py)?.into_any()
        }
        DType::Tuple(items) => {
            let list = raw::list(py)?;
            for item in items {
                list.append(describe(py, item)?)?;
            }
            ("tuple", list).into_pyobject(py)?.into_any()
        }
        DType::Record(own) => ("record", fields(own)?).into_pyobject(py)?.into_any(),
        DType::Struct(name, own) => ("struct", &**name, fields(own)?).into_pyobject(py)?.into_any(),
        DType::Logical(ty, storage) => {
            let parameters = raw::bytes(py, ty.parameters())?;
            ("logical", ty.kind(), parameters, describe(py, storage)?).into_pyobject(py)?.into_any()
        }
        DType::Extension(name, inner) => {
            ("extension", &**name, describe(py, inner)?).into_pyobject(py)?.into_any()
        }
        other => {
            return Err(PyValueError::new_err(format!("unknown element type: {other}")));
        }
    })
}
