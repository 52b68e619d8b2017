//! Which schemas are variants of a named union.

use holdall::Value;

use super::keyword;

/// A variant of a named union.
pub(super) struct Variant<'v> {
    pub(super) name: &'v str,
    /// Whether its name stands for it.
    pub(super) is_name: bool,
    /// The schema of its payload in an object, which has this number in `oneOf`.
    pub(super) payload: Option<(usize, &'v Value)>,
    /// The schema of its name, or else of the object.
    pub(super) part: &'v Value,
}

/// The variants of `oneOf`, if holdall wrote that it is a union, and each of its schemas is a name or an object with one property. Others are
/// of documents, which have text and objects.
pub(super) fn of(schema: &Value) -> Option<Vec<Variant<'_>>> {
    if schema.field(keyword::HOLDALL).and_then(Value::as_str) != Some(keyword::UNION) {
        return None;
    }
    let others = [keyword::REFERENCE, keyword::ENUM, keyword::CONST, keyword::ANY_OF];
    if others.iter().any(|name| schema.field(name).is_some()) {
        return None;
    }
    let mut variants: Vec<Variant<'_>> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (number, part) in schema.field(keyword::ONE_OF)?.as_slice()?.iter().enumerate() {
        let own = variant(number, part)?;
        let place = *places.entry(own.name).or_insert(variants.len());
        match variants.get_mut(place) {
            None => variants.push(own),
            // The two are one variant, whose payload may be absent.
            Some(before) if before.is_name != own.is_name => {
                before.is_name = true;
                before.payload = before.payload.or(own.payload);
            }
            Some(_) => return None,
        }
    }
    (!variants.is_empty()).then_some(variants)
}

fn variant(number: usize, part: &Value) -> Option<Variant<'_>> {
    if part.field(keyword::REFERENCE).or(part.field(keyword::TITLE)).is_some() {
        return None;
    }
    if let Some(Value::String(name)) = part.field(keyword::CONST) {
        return Some(Variant { name, is_name: true, payload: None, part });
    }
    let Some(Value::Record(properties)) = part.field(keyword::PROPERTIES) else { return None };
    let mut properties = properties.iter();
    let (Some((name, payload)), None) = (properties.next(), properties.next()) else { return None };
    let required = part.field(keyword::REQUIRED).and_then(Value::as_slice)?;
    let is_alone = part.field(keyword::ADDITIONAL) == Some(&Value::Bool(false));
    let is_required = matches!(required, [Value::String(own)] if **own == *name);
    (is_alone && is_required).then_some(Variant {
        name,
        is_name: false,
        payload: Some((number, payload)),
        part,
    })
}
