//! Writes types as schema bytes, in canonical form.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{LogicalType, Scalar, code};
use crate::memory::GrowVec;
use crate::number::write_varint;
use crate::schema::names::Names;

/// Appends a schema's bytes piece by piece in preorder, and keeps its table of names (F-16).
#[derive(Default)]
pub struct SchemaWriter {
    bytes: Vec<u8>,
    names: Names,
    types: usize,
}

impl SchemaWriter {
    /// Appends a type's code (F-14). Its parameters follow by the other methods.
    pub fn code(&mut self, code: u8) {
        self.types += 1;
        self.bytes.put(code);
    }

    pub fn scalar(&mut self, scalar: Scalar) {
        self.code(scalar.code());
        if let Scalar::Fixed(len) = scalar {
            self.varint(len);
        }
    }

    /// Appends a logical type's kind and parameters (F-72). The storage follows.
    pub fn logical(&mut self, ty: &LogicalType) {
        self.code(code::LOGICAL);
        self.bytes.put(ty.kind());
        self.number(ty.parameters().len());
        self.bytes.put_slice(ty.parameters());
    }

    /// Appends the parameters of a type of a later version (F-73), after its code.
    pub fn later(&mut self, parameters: &[u8]) {
        self.number(parameters.len());
        self.bytes.put_slice(parameters);
    }

    pub fn varint(&mut self, number: u64) {
        write_varint(&mut self.bytes, number);
    }

    /// Appends a count, head, or field number.
    pub fn number(&mut self, number: usize) {
        write_varint(&mut self.bytes, number as u64);
    }

    /// Appends a name: spelled out at its first use, as its number later (F-16).
    pub fn name(&mut self, name: &Arc<str>) {
        match self.names.find(name) {
            Some(index) => write_varint(&mut self.bytes, 2 * index as u64 + 1),
            None => {
                write_varint(&mut self.bytes, 2 * name.len() as u64);
                self.bytes.put_slice(name.as_bytes());
                self.names.add(Arc::clone(name));
            }
        }
    }

    /// The number of types written.
    pub fn types(&self) -> usize {
        self.types
    }

    /// The number of bytes so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes of a schema without the number of definitions (F-13).
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
