//! Schemas as text (F-55).

use std::fmt::{self, Display, Formatter, Write};

use super::{Fields, Form, Schema, Type, TypeId};

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

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({self})")
    }
}

impl Schema {
    // The recursion ends at the nesting limit of schemas.
    fn fmt_type(&self, f: &mut Formatter<'_>, id: TypeId) -> fmt::Result {
        match &self.types()[id] {
            Type::Never => f.write_str("never"),
            Type::Null => f.write_str("null"),
            Type::Scalar(scalar) => f.write_str(scalar.name()),
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
        self.fmt_named(f, fields.fields.iter().map(|(name, id)| (&**name, *id)))?;
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

/// A name: bare if it is an identifier, else as a JSON string.
pub(crate) fn fmt_name(f: &mut impl Write, name: &str) -> fmt::Result {
    let mut bytes = name.bytes();
    let starts = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    if starts && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return f.write_str(name);
    }
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
