//! Arrow's arrays of other packages, by the capsules of its PyCapsule interface.
#![allow(unsafe_code, reason = "structs of Arrow's C interface, moved out of capsules")]

use arrow_array::ffi::from_ffi;
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, Field};
use holdall_arrow::Arrays;
use pyo3::ffi::c_str;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Checks what the package vouches for: nothing later expects wrong offsets, or text that is not UTF-8.
fn checked(array: ArrayRef) -> Result<ArrayRef, ArrowError> {
    array.to_data().validate_full()?;
    Ok(array)
}

/// Takes a stream of arrays. The arrays stay where they are.
pub fn stream_of(
    capsule: &Bound<'_, PyCapsule>,
) -> PyResult<Result<ArrayStreamReader, ArrowError>> {
    let stream = capsule.pointer_checked(Some(c_str!("arrow_array_stream")))?;
    // SAFETY: a capsule of this name holds such a struct, and a program that takes the capsule may move it out. The stream is empty
    // then, as its release function notes.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr().cast()) };
    Ok(ArrayStreamReader::try_new(stream))
}

/// Reads the next array of a stream.
pub fn next(reader: &mut ArrayStreamReader) -> Option<Result<ArrayRef, ArrowError>> {
    Some(reader.next()?.and_then(checked))
}

/// Takes one array.
pub fn of_array(
    schema: &Bound<'_, PyCapsule>,
    array: &Bound<'_, PyCapsule>,
) -> PyResult<Result<Arrays, ArrowError>> {
    let schema = schema.pointer_checked(Some(c_str!("arrow_schema")))?;
    let array = array.pointer_checked(Some(c_str!("arrow_array")))?;
    // SAFETY: as above, for both capsules.
    let (schema, array) = unsafe {
        (
            FFI_ArrowSchema::from_raw(schema.as_ptr().cast()),
            FFI_ArrowArray::from_raw(array.as_ptr().cast()),
        )
    };
    let read = || {
        let field = Field::try_from(&schema)?;
        // SAFETY: the package returned both for the same array; `checked` looks at what it says.
        let data = unsafe { from_ffi(array, &schema)? };
        Ok(Arrays::of_arrays(field.into(), vec![checked(make_array(data))?]))
    };
    Ok(read())
}
