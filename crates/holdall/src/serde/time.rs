//! serde's forms of `Duration` and `SystemTime`, from the logical types that derives and other languages write.

use super::deserializer::Spot;
use crate::dynamic::Entry;
use crate::error::{Code, Error, Result};
use crate::number::{IntKind, wide_of_big};
use crate::resolution::TIMES;
use crate::schema::LogicalType;

/// Units in a second, by the parameter of the type (F-72).
const PER_SECOND: [i128; 4] = [1, 1_000, 1_000_000, 1_000_000_000];

/// std's types as serde sees them: their names, the kind of the logical type, and the fields for seconds and
/// nanoseconds.
const FORMS: [(&str, (u8, [&str; 2])); 2] = [("Duration", TIMES[0]), ("SystemTime", TIMES[1])];

/// Returns the fields of a struct in one of these forms, if the value has its logical type; `node` is its storage.
///
/// Serialized values stay structs: serde's calls show that a type is std's only after its fields, and a type that
/// examines a value before it knows its own (an untagged enum) must see what serde wrote. A derive reads these (F-78).
pub(super) fn fields(
    spot: Spot<'_, '_>,
    node: Entry,
    name: &str,
    fields: &'static [&'static str],
) -> Option<Result<[(&'static str, u64); 2]>> {
    let (_, (kind, own)) = FORMS.iter().find(|(own, ..)| *own == name)?;
    // A logical value's storage follows it directly.
    let Entry::Logical { ty, .. } = spot.tape.entries[spot.at.checked_sub(1)?] else { return None };
    let ty = spot.tape.ty(ty);
    let is_utc =
        ty.kind() != LogicalType::TIMESTAMP || ty.parameters().get(1) == Some(&LogicalType::UTC);
    if fields != own || ty.kind() != *kind || !is_utc {
        return None;
    }
    let unit = *PER_SECOND.get(usize::from(*ty.parameters().first()?))?;
    let number = match node {
        Entry::Int(IntKind::Int | IntKind::I64, bits) => Some(i128::from(bits.cast_signed())),
        Entry::Big(_, span) => {
            let big = spot.tape.bytes_of(span);
            (big.len() <= 16).then(|| i128::from_le_bytes(wide_of_big(big)))
        }
        _ => return None,
    };
    let parts = number.and_then(|number| {
        let seconds = u64::try_from(number.div_euclid(unit)).ok()?;
        // Below 10^9.
        Some([seconds, (number.rem_euclid(unit) * (1_000_000_000 / unit)) as u64])
    });
    Some(match parts {
        Some([seconds, nanoseconds]) => Ok([(own[0], seconds), (own[1], nanoseconds)]),
        None => Err(Error::new(Code::Unconvertible)
            .expected("0 to 2^64 seconds")
            .got(format!("another {}", ty.name().unwrap_or_default()))),
    })
}
