//! Schemas as text (F-55).

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display, Formatter, Write};

use super::{Fields, Form, Schema, Type, TypeId};
use crate::memory::Collect;

impl Display for Schema {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.fmt_type(f, 0)?;
        for (number, &id) in self.definitions().iter().enumerate() {
            f.write_str(if number == 0 { " where " } else { ", " })?;
            write!(f, "#{number} = ")?;
            self.fmt_type(f, id)?;
        }
        Ok(())
    }
}

/// Longer texts of types end in dots: they are for people, and a schema's text can take megabytes.
const MAX_SHOWN_TYPE: usize = 240;

/// A text up to a maximal length.
struct Short(String);

impl Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = MAX_SHOWN_TYPE.saturating_sub(self.0.len());
        if text.len() > room {
            let end = (0..=room).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            self.0.push_str(&text[..end]);
            self.0.push_str("...");
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// The name of a field that is in no data, in the schema of a reader that keeps unknown fields. Errors do not show it.
pub const HIDDEN_FIELD: &str = "$holdall::unknown";

struct TypeText<'s>(&'s Schema, TypeId);

impl Display for TypeText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt_type(f, self.1)
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({self})")
    }
}

impl Schema {
    /// One type as text, for errors. Long texts are cut off.
    pub fn type_text(&self, id: TypeId) -> String {
        let mut short = Short(String::new());
        // It fails only where the text is cut off.
        let _ = write!(short, "{:#}", TypeText(self, id));
        short.0
    }

    /// One type as text, whatever its length.
    pub fn full_text(&self, id: TypeId) -> String {
        TypeText(self, id).to_string()
    }

    /// A short description of a type: two levels deep, cut off if it is long.
    pub fn outline(&self, id: TypeId) -> String {
        match &self.types()[id] {
            Type::Tensor(_) | Type::Packed(_) => self.type_text(id),
            _ => outline(self.types(), id),
        }
    }

    // The recursion ends at the nesting limit of schemas.
    fn fmt_type(&self, f: &mut Formatter<'_>, id: TypeId) -> fmt::Result {
        match &self.types()[id] {
            Type::Never => f.write_str("never"),
            Type::Null => f.write_str("null"),
            Type::Scalar(scalar) => scalar.fmt(f),
            Type::Option(inner) => self.fmt_call(f, "option", &[*inner]),
            Type::List(item) => self.fmt_call(f, "list", &[*item]),
            Type::Tuple(items) => self.fmt_call(f, "tuple", items),
            Type::Map(key, value) => self.fmt_call(f, "map", &[*key, *value]),
            Type::Record(fields) => {
                f.write_str("record ")?;
                self.fmt_fields(f, fields)
            }
            Type::Struct(name, fields) => {
                f.write_str("struct ")?;
                fmt_name(f, name)?;
                f.write_char(' ')?;
                self.fmt_fields(f, fields)
            }
            Type::Union(union) => match &union.names {
                None => self.fmt_call(f, "union", &union.variants),
                Some(names) => {
                    f.write_str("union ")?;
                    self.fmt_named(
                        f,
                        names.iter().map(|name| &**name).zip(union.variants.iter().copied()),
                    )
                }
            },
            Type::Def(number) => write!(f, "#{number}"),
            Type::Shared(number) => write!(f, "shared(#{number})"),
            Type::Array(len, item) => {
                write!(f, "array({len}, ")?;
                self.fmt_type(f, *item)?;
                f.write_char(')')
            }
            Type::Tensor(inner) => self.fmt_call(f, "tensor", &[*inner]),
            Type::Packed(inner) => self.fmt_call(f, "packed", &[*inner]),
            Type::Logical(ty, storage) => {
                ty.fmt(f)?;
                self.fmt_call(f, "", &[*storage])
            }
            Type::Extension(name, inner) => {
                f.write_str("extension ")?;
                fmt_quoted(f, name)?;
                self.fmt_call(f, "", &[*inner])
            }
            Type::Unknown(code, parameters) => fmt_unknown(f, *code, parameters),
        }
    }

    fn fmt_call(&self, f: &mut Formatter<'_>, name: &str, inner: &[TypeId]) -> fmt::Result {
        write!(f, "{name}(")?;
        for (i, &id) in inner.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            self.fmt_type(f, id)?;
        }
        f.write_char(')')
    }

    fn fmt_named<'a>(
        &self,
        f: &mut Formatter<'_>,
        named: impl Iterator<Item = (&'a str, TypeId)>,
    ) -> fmt::Result {
        f.write_char('{')?;
        for (i, (name, id)) in named.enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            fmt_name(f, name)?;
            f.write_str(": ")?;
            self.fmt_type(f, id)?;
        }
        f.write_char('}')
    }

    fn fmt_fields(&self, f: &mut Formatter<'_>, fields: &Fields) -> fmt::Result {
        let is_error = f.alternate();
        let shown = fields.fields.iter().filter(|(name, _)| !is_error || **name != *HIDDEN_FIELD);
        self.fmt_named(f, shown.map(|(name, id)| (&**name, *id)))?;
        match &fields.form {
            Form::One => Ok(()),
            Form::Sparse => f.write_str(" sparse"),
            Form::Several(shapes) => {
                f.write_str(" [")?;
                for (i, shape) in shapes.iter().enumerate() {
                    f.write_str(if i == 0 { "" } else { ", " })?;
                    if shape.is_empty() {
                        f.write_char('-')?;
                    }
                    for (j, field) in shape.iter().enumerate() {
                        f.write_str(if j == 0 { "" } else { " " })?;
                        write!(f, "{field}")?;
                    }
                }
                f.write_char(']')
            }
        }
    }
}

/// A short description of a type, two levels deep, of a schema that is not complete.
pub fn outline(types: &[Type], id: TypeId) -> String {
    let call = |name: &str, inner: &[TypeId]| {
        let inner: Vec<String> = inner.iter().map(|id| word(types, *id)).collected();
        format!("{name}({})", inner.join(", "))
    };
    match &types[id] {
        Type::Option(inner) => call("option", &[*inner]),
        Type::List(item) => call("list", &[*item]),
        Type::Map(key, value) => call("map", &[*key, *value]),
        Type::Logical(_, inner) | Type::Extension(_, inner) => call(&word(types, id), &[*inner]),
        _ => word(types, id),
    }
}

/// A type without the types inside it.
fn word(types: &[Type], id: TypeId) -> String {
    let mut short = Short(String::new());
    // It fails only where the text is cut off.
    let _ = match &types[id] {
        Type::Never => short.write_str("never"),
        Type::Null => short.write_str("null"),
        Type::Scalar(scalar) => write!(short, "{scalar}"),
        Type::Option(_) => short.write_str("option"),
        Type::List(_) => short.write_str("list"),
        Type::Array(len, _) => write!(short, "array({len})"),
        Type::Tuple(_) => short.write_str("tuple"),
        Type::Record(_) => short.write_str("record"),
        Type::Struct(name, _) => {
            short.write_str("struct ").and_then(|()| fmt_name(&mut short, name))
        }
        Type::Map(..) => short.write_str("map"),
        Type::Union(_) => short.write_str("union"),
        Type::Tensor(_) => short.write_str("tensor"),
        Type::Packed(_) => short.write_str("packed"),
        Type::Logical(ty, _) => write!(short, "{ty}"),
        Type::Extension(name, _) => {
            short.write_str("extension ").and_then(|()| fmt_quoted(&mut short, name))
        }
        Type::Def(number) => write!(short, "#{number}"),
        Type::Shared(number) => write!(short, "shared(#{number})"),
        Type::Unknown(code, parameters) => fmt_unknown(&mut short, *code, parameters),
    };
    short.0
}

fn fmt_unknown(f: &mut impl Write, code: u8, parameters: &[u8]) -> fmt::Result {
    write!(f, "unknown[{code:02X}")?;
    parameters.iter().try_for_each(|byte| write!(f, " {byte:02X}"))?;
    f.write_char(']')
}

/// A name: bare if it is an identifier, otherwise as a JSON string.
pub fn fmt_name(f: &mut impl Write, name: &str) -> fmt::Result {
    let mut bytes = name.bytes();
    let starts = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    if starts && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return f.write_str(name);
    }
    fmt_quoted(f, name)
}

/// A name as a JSON string.
pub fn fmt_quoted(f: &mut impl Write, name: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in name.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\0'..='\x1F' => write!(f, "\\u{:04x}", c as u32)?,
            _ => f.write_char(c)?,
        }
    }
    f.write_char('"')
}
