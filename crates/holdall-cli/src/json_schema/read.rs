//! JSON Schema as schema text.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write;

use holdall::bindings::schema::path;
use holdall::schema_text::SchemaText;
use holdall::{Code, Error, IntKind, Result, Value};
use holdall_convert::json;

use super::keyword;
use super::pointer::{at, pointer};
use super::variants::{self, Variant};
use super::write::bounds;
use crate::schema::lines_of_docs;

/// The deepest nesting of schemas, that of holdall's own.
const MAX_DEPTH: usize = 128;

/// The deepest nesting of the text, before anything is made of it: a schema and its properties are two levels, and values that are not
/// read, such as examples, can have some more.
const MAX_LEVELS: usize = 8 * MAX_DEPTH;

/// How many fields of a record may be missing, each by itself: more are any.
const MAX_OPTIONAL: usize = 4;

/// The integers with bounds, the smallest first.
const KINDS: [IntKind; 10] = [
    IntKind::U8,
    IntKind::I8,
    IntKind::U16,
    IntKind::I16,
    IntKind::U32,
    IntKind::I32,
    IntKind::U64,
    IntKind::I64,
    IntKind::U128,
    IntKind::I128,
];

/// The schema that the text of a JSON Schema describes, with its descriptions as docs.
pub(crate) fn parse(text: &[u8]) -> Result<SchemaText> {
    check_levels(text)?;
    let root: Value = holdall::from_slice(&json::pack(text)?)?;
    let mut reader = Reader {
        root: &root,
        labels: HashMap::new(),
        alike: HashMap::new(),
        pending: VecDeque::new(),
    };
    let whole = reader.ty(&root, "#", 0)?;
    let mut definitions = String::new();
    // Each may mention others.
    while let Some((place, label)) = reader.pending.pop_front() {
        if let Some(own) = reader.target(&place).filter(|_| place != "#") {
            let ty = reader.ty(own, &place, 0)?;
            let _ = writeln!(definitions, "{}#{label} = {ty},", docs_of(own));
        }
    }
    let mut schema = docs_of(&root) + &whole;
    // A root that something names is a definition, and is written once.
    if let Some(label) = reader.labels.get("#") {
        definitions = format!("{}#{label} = {whole},\n{definitions}", docs_of(&root));
        schema = format!("#{label}");
    }
    if !definitions.is_empty() {
        let _ = write!(schema, "\nwhere\n{definitions}");
    }
    SchemaText::parse(&schema).map_err(|error| {
        let (expected, got) = ("a JSON Schema whose types holdall has", error.to_string());
        Error::new(Code::BadInput).expected(expected).got(got)
    })
}

/// Checks that a value is of the type that the schema around it names.
fn check_type(value: &Value, schema: &Value, place: &str) -> Result<()> {
    let names = match schema.field(keyword::TYPE) {
        Some(Value::String(name)) => vec![&**name],
        Some(names) => {
            names.as_slice().unwrap_or_default().iter().filter_map(Value::as_str).collect()
        }
        None => return Ok(()),
    };
    let own: &[&str] = match value {
        Value::Null => &["null"],
        Value::Bool(_) => &["boolean"],
        Value::Int(_) | Value::BigInt(_) => &["integer", "number"],
        Value::F64(number) if number.fract() == 0.0 => &["integer", "number"],
        Value::F64(_) => &["number"],
        Value::String(_) => &["string"],
        // These are refused for other reasons.
        _ => return Ok(()),
    };
    if names.iter().any(|name| own.contains(name)) {
        return Ok(());
    }
    Err(bad(place, format!("a value of type {}", names.join(" or ")), described(value)))
}

/// The names of properties that must be there.
fn required<'v>(schema: &'v Value, place: &str) -> Result<HashSet<&'v str>> {
    let Some(given) = schema.field(keyword::REQUIRED) else { return Ok(HashSet::new()) };
    let names = given.as_slice().map(|names| names.iter().map(Value::as_str).collect());
    names.flatten().ok_or_else(|| bad(place, "a list of names in `required`", described(given)))
}

fn check_levels(text: &[u8]) -> Result<()> {
    let (mut levels, mut in_string, mut at) = (0_usize, false, 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => in_string = !in_string,
            // An escape.
            b'\\' if in_string => at += 1,
            b'{' | b'[' if !in_string => levels += 1,
            b'}' | b']' if !in_string => levels = levels.saturating_sub(1),
            _ => {}
        }
        if levels > MAX_LEVELS {
            let expected = format!("at most {MAX_LEVELS} levels");
            return Err(Error::at(Code::LimitNesting, at).expected(expected));
        }
        at += 1;
    }
    Ok(())
}

struct Reader<'v> {
    root: &'v Value,
    /// The labels of definitions, by the places that references name.
    labels: HashMap<String, String>,
    /// How many definitions have names that make the same label.
    alike: HashMap<String, usize>,
    /// Definitions still to be read: their places and labels.
    pending: VecDeque<(String, String)>,
}

impl<'v> Reader<'v> {
    /// The schema that a reference leads to.
    fn target(&self, reference: &str) -> Option<&'v Value> {
        at(self.root, reference.strip_prefix('#')?)
    }

    /// The type of a schema at a place.
    fn ty(&mut self, schema: &Value, place: &str, depth: usize) -> Result<String> {
        if depth > MAX_DEPTH {
            return Err(nested(place));
        }
        if *schema == Value::Bool(false) {
            return Ok("never".to_owned());
        }
        let Value::Record(_) = schema else {
            let expected = "a schema that names a type: any value at all has no type in holdall";
            return Err(bad(place, expected, described(schema)));
        };
        let depth = depth + 1;
        let given = |name: &str| schema.field(name);
        if let Some(reference) = given(keyword::REFERENCE) {
            return self.reference(reference, place);
        }
        if let Some(variants) = variants::of(schema) {
            return self.variants(&variants, place, depth);
        }
        if let Some(types) = self.alternatives(schema, place, depth)? {
            return Ok(any_of(types));
        }
        if let Some(value) = given(keyword::CONST) {
            check_type(value, schema, place)?;
            return scalar(value, place);
        }
        match given(keyword::TYPE) {
            Some(Value::String(name)) => self.named(name, schema, place, depth),
            None if given(keyword::PROPERTIES).is_some() => self.object(schema, place, depth),
            None if given(keyword::ITEMS).or(given(keyword::PREFIX_ITEMS)).is_some() => {
                self.array(schema, place, depth)
            }
            other => Err(bad(
                place,
                "a schema with `type`, `$ref`, `enum`, `const`, `anyOf`, `oneOf`, `properties` or `items`",
                other.map_or_else(|| "none of these".to_owned(), described),
            )),
        }
    }

    /// The types of which a value of a schema has one, if the schema lists several. Unions in it are part of the list.
    fn alternatives(
        &mut self,
        schema: &Value,
        place: &str,
        depth: usize,
    ) -> Result<Option<Vec<String>>> {
        let given = |name: &str| schema.field(name).and_then(Value::as_slice);
        if schema.field(keyword::REFERENCE).is_some() || variants::of(schema).is_some() {
            return Ok(None);
        }
        if let Some(values) = given(keyword::ENUM) {
            if values.is_empty() {
                return Ok(Some(vec!["union {}".to_owned()]));
            }
            let typed = values.iter().map(|value| {
                check_type(value, schema, place)?;
                scalar(value, place)
            });
            return typed.collect::<Result<_>>().map(Some);
        }
        if schema.field(keyword::CONST).is_some() {
            return Ok(None);
        }
        let mut types = Vec::new();
        for name in [keyword::ANY_OF, keyword::ONE_OF, "allOf"] {
            let Some(parts) = given(name) else { continue };
            if parts.is_empty() {
                return Err(bad(place, format!("schemas in {name}"), "an empty list"));
            }
            if name == "allOf" && parts.len() != 1 {
                return Err(bad(place, "one schema in allOf", parts.len().to_string()));
            }
            for (number, part) in parts.iter().enumerate() {
                let place = format!("{place}/{name}/{number}");
                if depth > MAX_DEPTH {
                    return Err(nested(&place));
                }
                match self.alternatives(part, &place, depth + 1)? {
                    Some(inner) => types.extend(inner),
                    None => types.push(self.ty(part, &place, depth)?),
                }
            }
            return Ok(Some(types));
        }
        let Some(names) = given(keyword::TYPE) else { return Ok(None) };
        if names.is_empty() {
            return Err(bad(place, "names in `type`", "an empty list"));
        }
        for name in names {
            types.push(self.named(name.as_str().unwrap_or_default(), schema, place, depth)?);
        }
        Ok(Some(types))
    }

    /// A named union. A variant that is both a name and an object has a payload that may be absent.
    fn variants(&mut self, variants: &[Variant<'_>], place: &str, depth: usize) -> Result<String> {
        let mut text = "union {\n".to_owned();
        for variant in variants {
            let mut types = Vec::new();
            if variant.is_name {
                types.push("null".to_owned());
            }
            if let Some((number, payload)) = variant.payload {
                let name = pointer(variant.name);
                let place =
                    format!("{place}/{}/{number}/{}/{name}", keyword::ONE_OF, keyword::PROPERTIES);
                types.push(self.ty(payload, &place, depth)?);
            }
            let docs = variant.payload.map_or_else(String::new, |(_, payload)| docs_of(payload));
            let docs = if docs.is_empty() { docs_of(variant.part) } else { docs };
            let name = spelled(variant.name);
            let _ = writeln!(text, "{docs}{name}: {},", any_of(types));
        }
        Ok(text + "}")
    }

    fn named(&mut self, name: &str, schema: &Value, place: &str, depth: usize) -> Result<String> {
        Ok(match name {
            "null" => "null".to_owned(),
            "boolean" => "bool".to_owned(),
            "integer" => integer(schema),
            "number" => "f64".to_owned(),
            "string" => "string".to_owned(),
            "array" => return self.array(schema, place, depth),
            "object" => return self.object(schema, place, depth),
            _ => return Err(bad(place, "the name of a type of JSON Schema", format!("{name:?}"))),
        })
    }

    fn array(&mut self, schema: &Value, place: &str, depth: usize) -> Result<String> {
        if let Some(items) = schema.field(keyword::PREFIX_ITEMS).and_then(Value::as_slice) {
            if schema.field(keyword::ITEMS) != Some(&Value::Bool(false)) {
                let expected = "`items: false` beside `prefixItems`";
                return Err(bad(place, expected, "items of any number"));
            }
            let mut types = Vec::with_capacity(items.len());
            for (number, item) in items.iter().enumerate() {
                let place = format!("{place}/{}/{number}", keyword::PREFIX_ITEMS);
                types.push(self.ty(item, &place, depth)?);
            }
            return Ok(format!("tuple({})", types.join(", ")));
        }
        let length = |name| schema.field(name).and_then(Value::as_i64);
        let Some(items) = schema.field(keyword::ITEMS) else {
            return Err(bad(place, "`items`, the schema of the items", "an array of any items"));
        };
        // A tuple of no items has no `prefixItems`, but its length.
        if *items == Value::Bool(false) && length(keyword::MIN_ITEMS) == Some(0) {
            return Ok("tuple()".to_owned());
        }
        let item = self.ty(items, &format!("{place}/{}", keyword::ITEMS), depth)?;
        Ok(match (length(keyword::MIN_ITEMS), length(keyword::MAX_ITEMS)) {
            (Some(least), Some(most)) if least == most && least > 0 => {
                format!("array({least}, {item})")
            }
            _ => format!("list({item})"),
        })
    }

    fn object(&mut self, schema: &Value, place: &str, depth: usize) -> Result<String> {
        let Some(Value::Record(properties)) = schema.field(keyword::PROPERTIES) else {
            return match schema.field(keyword::ADDITIONAL) {
                Some(value @ Value::Record(_)) => {
                    let place = format!("{place}/{}", keyword::ADDITIONAL);
                    Ok(format!("map(string, {})", self.ty(value, &place, depth)?))
                }
                Some(Value::Bool(false)) => Ok("record {}".to_owned()),
                _ => Err(bad(
                    place,
                    "`properties`, or `additionalProperties` with a schema",
                    "an object of any properties",
                )),
            };
        };
        if let Some(value @ Value::Record(_)) = schema.field(keyword::ADDITIONAL) {
            let expected = "either named properties or `additionalProperties` with a schema";
            return Err(bad(place, expected, format!("both, {}", described(value))));
        }
        let required = required(schema, place)?;
        if let Some(name) = required.iter().find(|name| properties.field(name).is_none()) {
            let expected = "a schema in `properties` for each name in `required`";
            return Err(bad(place, expected, format!("none for {name:?}")));
        }
        let (mut fields, mut optional) = (String::new(), Vec::new());
        for (number, (name, property)) in properties.iter().enumerate() {
            let place = format!("{place}/{}/{}", keyword::PROPERTIES, pointer(name));
            let ty = self.ty(property, &place, depth)?;
            if !required.contains(&name) {
                optional.push(number);
            }
            let _ = writeln!(fields, "{}{}: {ty},", docs_of(property), spelled(name));
        }
        let title = schema.field(keyword::TITLE).and_then(Value::as_str);
        let head =
            title.map_or_else(|| "record".to_owned(), |name| format!("struct {}", spelled(name)));
        Ok(format!("{head} {{\n{fields}}}{}", form(properties.keys().len(), &optional)))
    }

    /// A reference to another place of the same text.
    fn reference(&mut self, reference: &Value, place: &str) -> Result<String> {
        let target = reference.as_str().unwrap_or_default();
        if self.target(target).is_none() {
            let expected = "a reference to a place in this text, such as `#/$defs/name`";
            return Err(bad(place, expected, described(reference)));
        }
        if let Some(label) = self.labels.get(target) {
            return Ok(format!("#{label}"));
        }
        let label = self.label(target);
        self.labels.insert(target.to_owned(), label.clone());
        self.pending.push_back((target.to_owned(), label.clone()));
        Ok(format!("#{label}"))
    }

    /// A label for the definition of a place, which no other has.
    fn label(&mut self, target: &str) -> String {
        let last = target.rsplit('/').next().unwrap_or_default();
        let mut label: String =
            last.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if target == "#" || label.is_empty() {
            "root".clone_into(&mut label);
        }
        loop {
            let count = self.alike.entry(label.clone()).or_default();
            *count += 1;
            if *count == 1 {
                return label;
            }
            // Another name may have this label already.
            label = format!("{label}_{count}");
        }
    }
}

#[cold]
fn nested(place: &str) -> Error {
    bad(place, format!("schemas nested at most {MAX_DEPTH} deep"), "more")
}

/// Which fields rows may lack: each choice of a few, or else any field.
fn form(count: usize, optional: &[usize]) -> String {
    match optional.len() {
        0 => return String::new(),
        1..=MAX_OPTIONAL => {}
        _ => return " sparse".to_owned(),
    }
    let shape = |choice: usize| {
        let lacks = |field: &usize| {
            optional.iter().position(|own| own == field).is_some_and(|bit| choice >> bit & 1 == 1)
        };
        let fields: Vec<String> =
            (0..count).filter(|field| !lacks(field)).map(|field| field.to_string()).collect();
        if fields.is_empty() { "-".to_owned() } else { fields.join(" ") }
    };
    let shapes: Vec<String> = (0..1 << optional.len()).map(shape).collect();
    format!(" [{}]", shapes.join(", "))
}

/// The kind of integers whose bounds are those of the schema, or else one of any size.
fn integer(schema: &Value) -> String {
    let given = (schema.field(keyword::MINIMUM), schema.field(keyword::MAXIMUM));
    let is_it = |kind: &&IntKind| {
        bounds(**kind).is_some_and(|(least, most)| given == (Some(&least), Some(&most)))
    };
    KINDS.iter().find(is_it).map_or_else(|| "int".to_owned(), |kind| kind.name().to_owned())
}

/// The type of a value that the text lists.
fn scalar(value: &Value, place: &str) -> Result<String> {
    let name = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::BigInt(_) => "int",
        Value::F64(_) => "f64",
        Value::String(_) => "string",
        _ => return Err(bad(place, "values without values inside", described(value))),
    };
    Ok(name.to_owned())
}

/// A type that each of these is.
fn any_of(types: Vec<String>) -> String {
    let (mut each, mut known) = (Vec::new(), HashSet::new());
    let mut has_null = false;
    for ty in types {
        let inner = ty.strip_prefix("option(").and_then(|rest| rest.strip_suffix(')'));
        has_null |= ty == "null" || inner.is_some();
        let own = inner.map_or_else(|| ty.clone(), str::to_owned);
        if own != "null" && known.insert(own.clone()) {
            each.push(own);
        }
    }
    let ty = match &*each {
        [] => return "null".to_owned(),
        [one] => one.clone(),
        _ => format!("union({})", each.join(", ")),
    };
    if has_null { format!("option({ty})") } else { ty }
}

/// A name as schema text has it.
fn spelled(name: &str) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = holdall::bindings::schema::fmt_name(&mut out, name);
    out
}

/// The lines of a description, as docs: comments, which cannot have other control characters than tab (F-99). The others are spelled as
/// in JSON.
fn docs_of(schema: &Value) -> String {
    let text = schema.field(keyword::DESCRIPTION).and_then(Value::as_str).unwrap_or_default();
    let mut docs = String::new();
    for line in lines_of_docs(&text.replace("\r\n", "\n")) {
        let begin = docs.len();
        docs.push_str("/// ");
        for c in line.chars() {
            match c {
                '\t' | ' '.. => docs.push(c),
                c => docs += &format!("\\u{:04x}", u32::from(c)),
            }
        }
        docs.truncate(begin + docs[begin..].trim_end().len());
        docs.push('\n');
    }
    docs
}

fn described(value: &Value) -> String {
    match value {
        Value::Bool(value) => format!("`{value}`"),
        Value::String(text) => path::shorten(&format!("{text:?}"), 60).into_owned(),
        Value::Record(_) => "an object".to_owned(),
        _ if value.as_slice().is_some() => "an array".to_owned(),
        _ => "another value".to_owned(),
    }
}

#[cold]
fn bad(place: &str, expected: impl Into<String>, got: impl Into<String>) -> Error {
    let place = path::shorten(place, 200).into_owned();
    Error::new(Code::BadInput).expected(expected.into()).got(got.into()).with_path(|| place)
}
