//! Map keys, and which of them can be compared (F-35).

use super::Assembler;
use super::site::{SiteCursor, SiteType};
use crate::dynamic::{ScalarKey, Sink};
use crate::schema::{Type, TypeId};

impl<'a, S: Sink> Assembler<'_, 'a, '_, S> {
    /// Returns the next scalar of a site without taking it.
    pub(super) fn peek(&self, mut id: TypeId) -> Option<ScalarKey<&'a [u8]>> {
        loop {
            let SiteCursor { row, at, kind } = &self.reader.sites[id];
            let (row, at) = (*row, *at);
            match kind {
                SiteType::Option(bits, inner) if bits.decode_row(row) => id = *inner,
                SiteType::Union(which, variants) => {
                    id = variants[which.as_ref().map_or(0, |which| which[row] as usize)];
                }
                SiteType::Bool(bits) => return Some(ScalarKey::Bool(bits.decode_row(row))),
                SiteType::Int(kind, ints) => {
                    return Some(match ints.big(row) {
                        Some(big) => ScalarKey::Big(*kind, big.into()),
                        None => ScalarKey::Int(*kind, ints.values[row]),
                    });
                }
                SiteType::F16(floats) => return Some(ScalarKey::F16(floats.decode_u16(row))),
                SiteType::Bf16(floats) => return Some(ScalarKey::Bf16(floats.decode_u16(row))),
                SiteType::F32(floats) => {
                    return Some(ScalarKey::F32(floats.decode_f32(row).to_bits()));
                }
                SiteType::F64(floats) => {
                    return Some(ScalarKey::F64(floats.decode_f64(row).to_bits()));
                }
                SiteType::String(rows, text) => {
                    let (start, end) = rows.span(row, at);
                    return Some(ScalarKey::String(&text.as_bytes()[start..end]));
                }
                SiteType::Bytes(rows, bytes) => {
                    let (start, end) = rows.span(row, at);
                    return Some(ScalarKey::Bytes(&bytes[start..end]));
                }
                SiteType::Fixed(len, bytes) => {
                    return Some(ScalarKey::Fixed(&bytes[row * *len..(row + 1) * *len]));
                }
                // Not equal to any key (F-35).
                SiteType::Unknown => return None,
                _ => return Some(ScalarKey::Null),
            }
        }
    }
}

/// Whether keys of a type can be compared: scalars, or an option or unnamed union of scalars (F-35). `get` looks a type up by its
/// index.
pub(crate) fn is_comparable<'t>(get: impl Fn(TypeId) -> &'t Type, id: TypeId) -> bool {
    let is_scalar = |id: TypeId| matches!(get(id), Type::Null | Type::Scalar(_));
    let inner = match get(id) {
        Type::Option(inner) => *inner,
        _ => id,
    };
    match get(inner) {
        Type::Union(union) => {
            union.names.is_none() && union.variants.iter().all(|variant| is_scalar(*variant))
        }
        _ => is_scalar(inner),
    }
}
