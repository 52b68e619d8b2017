//! A schema as JSON Schema.

use std::collections::HashSet;
use std::sync::Arc;

use holdall::bindings::Type;
use holdall::bindings::schema::{Fields, Form, Scalar, Union};
use holdall::schema_text::SchemaText;
use holdall::{Decoder, IntKind, LogicalType, Result, Value};
use holdall_convert::json::JsonSink;

use super::keyword;
use crate::generate::unsupported;

/// The dialect that the text names.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Keywords and their values.
type Keywords = Vec<(String, Value)>;

/// The text of a schema's JSON Schema, with its docs. A type that JSON cannot hold is an error.
pub(crate) fn of(text: &SchemaText) -> Result<String> {
    let writer = JsonSchemaWriter { text };
    let mut all = vec![keyword("$schema", Value::from(DIALECT))];
    all.extend(writer.keywords(0)?);
    let definitions = text.schema().definitions().iter().enumerate();
    let definitions: Vec<(String, Value)> = definitions
        .map(|(number, id)| Ok((writer.label(number), writer.schema(*id)?)))
        .collect::<Result<_>>()?;
    if !definitions.is_empty() {
        all.push(keyword(keyword::DEFINITIONS, Value::record(definitions)));
    }
    let mut sink = JsonSink::new().indent(2);
    Decoder::new().message(&holdall::to_vec(&Value::record(all))?, &mut sink)?;
    Ok(String::from_utf8_lossy(&sink.finish()?).into_owned() + "\n")
}

fn keyword(name: &str, value: Value) -> (String, Value) {
    (name.to_owned(), value)
}

fn of_type(name: &str) -> Keywords {
    vec![keyword(keyword::TYPE, Value::from(name))]
}

struct JsonSchemaWriter<'t> {
    text: &'t SchemaText,
}

impl JsonSchemaWriter<'_> {
    fn ty(&self, id: usize) -> &Type {
        &self.text.schema().types()[id]
    }

    fn label(&self, definition: usize) -> String {
        self.text.label(definition).map_or_else(|| definition.to_string(), str::to_owned)
    }

    fn schema(&self, id: usize) -> Result<Value> {
        Ok(match self.ty(id) {
            Type::Never => Value::Bool(false),
            _ => Value::record(self.keywords(id)?),
        })
    }

    // The recursion ends at the nesting limit of schemas.
    fn keywords(&self, id: usize) -> Result<Keywords> {
        let mut all = self.of_type(id)?;
        if let Some(doc) = self.text.doc(id) {
            all.push(keyword(keyword::DESCRIPTION, Value::from(doc)));
        }
        Ok(all)
    }

    fn of_type(&self, id: usize) -> Result<Keywords> {
        Ok(match self.ty(id) {
            Type::Null => of_type("null"),
            Type::Scalar(scalar) => scalar_keywords(*scalar).ok_or_else(|| self.unsupported(id))?,
            Type::Option(inner) => {
                let null = Value::record(of_type("null"));
                vec![keyword(keyword::ANY_OF, Value::list([null, self.schema(*inner)?]))]
            }
            Type::List(item) => self.array(*item)?,
            Type::Array(len, item) => {
                let mut all = self.array(*item)?;
                all.push(keyword(keyword::MIN_ITEMS, Value::from(*len)));
                all.push(keyword(keyword::MAX_ITEMS, Value::from(*len)));
                all
            }
            Type::Tuple(items) => self.tuple(items)?,
            Type::Map(key, value) if self.is_text(*key) => {
                let mut all = of_type("object");
                all.push(keyword(keyword::ADDITIONAL, self.schema(*value)?));
                all
            }
            Type::Record(of) => self.object(None, of)?,
            Type::Struct(name, of) => self.object(Some(name), of)?,
            Type::Union(of) => self.union(of)?,
            Type::Def(number) | Type::Shared(number) => {
                let place = format!("#/{}/{}", keyword::DEFINITIONS, escaped(&self.label(*number)));
                vec![keyword(keyword::REFERENCE, Value::from(place))]
            }
            Type::Logical(ty, inner) => match address(ty) {
                Some(text) => text,
                None => with_text(ty, self.keywords(*inner)?),
            },
            Type::Packed(inner) | Type::Extension(_, inner) => self.keywords(*inner)?,
            _ => return Err(self.unsupported(id)),
        })
    }

    fn array(&self, item: usize) -> Result<Keywords> {
        let mut all = of_type("array");
        all.push(keyword(keyword::ITEMS, self.schema(item)?));
        Ok(all)
    }

    fn tuple(&self, items: &[usize]) -> Result<Keywords> {
        let mut all = of_type("array");
        if !items.is_empty() {
            let each = items.iter().map(|id| self.schema(*id)).collect::<Result<Vec<_>>>()?;
            all.push(keyword(keyword::PREFIX_ITEMS, Value::list(each)));
        }
        all.push(keyword(keyword::ITEMS, Value::Bool(false)));
        all.push(keyword(keyword::MIN_ITEMS, Value::from(items.len() as u64)));
        Ok(all)
    }

    fn object(&self, name: Option<&str>, of: &Fields) -> Result<Keywords> {
        let fields = of.fields.iter().map(|(name, id)| Ok((name.to_string(), self.schema(*id)?)));
        let fields = fields.collect::<Result<Vec<_>>>()?;
        let in_all_rows = |field: &usize| match &of.form {
            Form::One => true,
            Form::Sparse => false,
            Form::Several(shapes) => shapes.iter().all(|shape| shape.contains(field)),
        };
        let required = (0..of.fields.len()).filter(in_all_rows);
        let mut all = object_of(fields, required.map(|field| Value::from(&*of.fields[field].0)));
        if let Some(name) = name {
            all.insert(1, keyword(keyword::TITLE, Value::from(name)));
        }
        Ok(all)
    }

    fn union(&self, of: &Union) -> Result<Keywords> {
        let Some(names) = &of.names else {
            // Variants that differ in holdall can be equal in JSON, such as two extensions of integers.
            let (mut each, mut known) = (Vec::new(), HashSet::new());
            for id in &of.variants {
                let own = self.schema(*id)?;
                if known.insert(holdall::to_vec(&own)?) {
                    each.push((*id, own));
                }
            }
            return match &*each {
                [(only, _)] => self.keywords(*only),
                _ => {
                    let each = each.into_iter().map(|(_, own)| own);
                    Ok(vec![keyword(keyword::ANY_OF, Value::list(each))])
                }
            };
        };
        self.variants(names.iter().zip(&of.variants))
    }

    /// Variants without payloads are their names, those with payloads objects with one property.
    fn variants<'s>(
        &self,
        variants: impl Iterator<Item = (&'s Arc<str>, &'s usize)>,
    ) -> Result<Keywords> {
        let mut each = Vec::new();
        for (name, id) in variants {
            let ty = self.ty(*id);
            // An absent payload is none.
            if matches!(ty, Type::Null | Type::Option(_)) {
                let mut own = vec![keyword(keyword::CONST, Value::from(&**name))];
                if let Some(doc) = self.text.doc(*id) {
                    own.push(keyword(keyword::DESCRIPTION, Value::from(doc)));
                }
                each.push(Value::record(own));
            }
            if !matches!(ty, Type::Null) {
                let properties = vec![(name.to_string(), self.schema(*id)?)];
                each.push(Value::record(object_of(properties, [Value::from(&**name)])));
            }
        }
        Ok(match each.is_empty() {
            // A schema has at least one in `oneOf`.
            true => vec![keyword(keyword::ENUM, Value::list([]))],
            false => {
                let is_union = keyword(keyword::HOLDALL, Value::from(keyword::UNION));
                vec![is_union, keyword(keyword::ONE_OF, Value::list(each))]
            }
        })
    }

    fn is_text(&self, id: usize) -> bool {
        match self.ty(id) {
            Type::Scalar(Scalar::String) => true,
            // Of the years beyond its text only numbers are written, which are no keys.
            Type::Logical(ty, _) if is_time(ty) || address(ty).is_some() => true,
            Type::Logical(_, inner) | Type::Extension(_, inner) => self.is_text(*inner),
            _ => false,
        }
    }

    #[cold]
    fn unsupported(&self, id: usize) -> holdall::Error {
        unsupported(self.text.schema(), id, "a type that JSON can hold")
    }
}

/// Whether text is what stores the dates and times of a type, but for those that RFC 3339 lacks.
fn is_time(ty: &LogicalType) -> bool {
    match ty.kind() {
        LogicalType::DATE | LogicalType::TIME => true,
        // The name of a zone has no place in such text.
        LogicalType::TIMESTAMP => ty.parameters().get(1) != Some(&3),
        _ => false,
    }
}

/// The keywords of a UUID or an address, which text stores always. Networks have no format in JSON Schema.
fn address(ty: &LogicalType) -> Option<Keywords> {
    let format = match (ty.kind(), ty.parameters()) {
        (LogicalType::UUID, _) => Some("uuid"),
        (LogicalType::IP_ADDRESS, [4]) => Some("ipv4"),
        (LogicalType::IP_ADDRESS, _) => Some("ipv6"),
        (LogicalType::IP_NETWORK, _) => None,
        _ => return None,
    };
    let mut all = of_type("string");
    all.extend(format.map(|format| keyword(keyword::FORMAT, Value::from(format))));
    Some(all)
}

/// The keywords of what stores a logical type, and of text in its place. Times without a zone have no format in JSON Schema.
fn with_text(ty: &LogicalType, mut all: Keywords) -> Keywords {
    if !is_time(ty) {
        return all;
    }
    if let Some((_, name)) = all.iter_mut().find(|(own, _)| own == keyword::TYPE) {
        *name = Value::list([Value::from("string"), name.clone()]);
    }
    let format = match (ty.kind(), ty.parameters().get(1)) {
        (LogicalType::DATE, _) => "date",
        (LogicalType::TIMESTAMP, Some(1 | 2)) => "date-time",
        _ => return all,
    };
    all.insert(1, keyword(keyword::FORMAT, Value::from(format)));
    all
}

/// An object with these properties and no others.
fn object_of(
    properties: Vec<(String, Value)>,
    required: impl IntoIterator<Item = Value>,
) -> Keywords {
    let mut all = of_type("object");
    all.push(keyword(keyword::PROPERTIES, Value::record(properties)));
    let required: Vec<Value> = required.into_iter().collect();
    if !required.is_empty() {
        all.push(keyword(keyword::REQUIRED, Value::list(required)));
    }
    all.push(keyword(keyword::ADDITIONAL, Value::Bool(false)));
    all
}

fn scalar_keywords(scalar: Scalar) -> Option<Keywords> {
    Some(match scalar {
        Scalar::Bool => of_type("boolean"),
        Scalar::Int(kind) => {
            let mut all = of_type("integer");
            if let Some((least, most)) = bounds(kind) {
                all.push(keyword(keyword::MINIMUM, least));
                all.push(keyword(keyword::MAXIMUM, most));
            }
            all
        }
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => of_type("number"),
        Scalar::String => of_type("string"),
        Scalar::Bytes | Scalar::Fixed(_) => return None,
    })
}

/// The least and the largest integer of a kind that has them.
pub(super) fn bounds(kind: IntKind) -> Option<(Value, Value)> {
    macro_rules! of {
        ($($kind:ident $ty:ty),*) => {
            match kind {
                IntKind::Int => None,
                $(IntKind::$kind => {
                    Some((exact(<$ty>::MIN.to_string()), exact(<$ty>::MAX.to_string())))
                })*
            }
        };
    }
    of!(U8 u8, U16 u16, U32 u32, U64 u64, U128 u128, I8 i8, I16 i16, I32 i32, I64 i64, I128 i128)
}

/// An integer by its digits, as JSON has it.
fn exact(digits: String) -> Value {
    let message = holdall_convert::json::pack(digits.as_bytes());
    message.and_then(|message| holdall::from_slice(&message)).unwrap_or(Value::Null)
}

/// A name as a step of a JSON pointer in a URI fragment (RFC 6901).
fn escaped(name: &str) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    for byte in name.replace('~', "~0").replace('/', "~1").bytes() {
        // Writing to a string cannot fail.
        let _ = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                write!(out, "{}", char::from(byte))
            }
            _ => write!(out, "%{byte:02X}"),
        };
    }
    out
}
