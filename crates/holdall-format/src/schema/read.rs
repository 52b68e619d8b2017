//! Parses schema bytes into types, with every check of chapter 4.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::logical::{check_kind, check_parameter_count};
use super::path::shorten;
use super::{
    Fields, Form, LogicalType, Scalar, Schema, Type, TypeId, Union, code, dtype, name_of_code, text,
};
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::input::trace::{Field, FieldForm, Part, field};
use crate::limits::{NESTING, TYPES};
use crate::memory::{self, Collect, GrowVec};
use crate::number::write_varint;
use crate::schema::names::Names;

/// Parses a schema. `counted` says whether it begins with the number of definitions (F-13).
pub fn read_schema(input: &mut Input<'_>, counted: bool) -> Result<Schema> {
    let (start, before) = (input.position(), input.rest());
    let definitions =
        if counted { read_count(input, field("the number of definitions", "F-13"), 0)? } else { 0 };
    let mut reader = Reader {
        input,
        types: Vec::new(),
        widths: Vec::new(),
        packing: false,
        names: Names::default(),
        definitions,
        mentioned: 0,
    };
    reader.read_type(1, None)?;
    let mut bodies = Vec::new();
    for number in 0..definitions {
        bodies.put(reader.read_definition(number)?);
    }
    let Reader { types, input, .. } = reader;
    let mut bytes = Vec::new();
    if !counted {
        write_varint(&mut bytes, 0);
    }
    bytes.put_slice(&before[..input.position() - start]);
    Ok(Schema::new(types, bodies, bytes))
}

struct Reader<'r, 'a> {
    input: &'r mut Input<'a>,
    types: Vec<Type>,
    /// The width of each type inside a packed type or tensor.
    widths: Vec<u64>,
    /// Whether the parser is inside a packed type or tensor.
    packing: bool,
    names: Names,
    definitions: usize,
    mentioned: usize,
}

/// A count of items that follow, each of at least one byte (F-13). `shift` drops the low bits of a head.
pub fn read_count(input: &mut Input<'_>, field: Field, shift: u32) -> Result<usize> {
    let start = input.position();
    let head = input.varint(field)?;
    check_count(input, start, head >> shift)
}

fn check_count(input: &Input<'_>, start: usize, count: u64) -> Result<usize> {
    match usize::try_from(count) {
        Ok(count) if count <= input.remaining() => Ok(count),
        _ => Err(Error::at(Code::Truncated, start)
            .expected(format!("at most {}, the bytes that remain", input.remaining()))
            .got(format!("a count of {count}"))),
    }
}

impl Reader<'_, '_> {
    /// Parses a type at a nesting level. Directly inside an unnamed union, `seen` has a bit for each scalar code so
    /// far.
    // The recursion ends at NESTING levels.
    fn read_type(&mut self, level: usize, seen: Option<&mut u32>) -> Result<TypeId> {
        let at = self.input.position();
        self.enter_next();
        let byte = self.input.byte(field("a type", "F-14").form(FieldForm::Type))?;
        self.check_limits(level, at)?;
        let unnamed_variant = seen.is_some();
        if let Some(seen) = seen {
            check_unnamed_variant(byte, seen, at)?;
        }
        if self.packing && !is_packable(byte) {
            return Err(bad_packed(
                at,
                "a type whose values have a fixed width",
                name_of_code(byte),
            ));
        }
        let id = self.types.len();
        self.types.put(Type::Never);
        self.widths.put(0);
        let inner = level + 1;
        let ty = match byte {
            code::NEVER => Type::Never,
            code::NULL => Type::Null,
            code::FIXED => {
                Type::Scalar(Scalar::Fixed(self.input.varint(field("the length of each", "F-14"))?))
            }
            code::OPTION => Type::Option(self.read_type(inner, None)?),
            code::LIST => Type::List(self.read_type(inner, None)?),
            code::ARRAY => {
                let len = self.input.varint(field("the length of each", "F-14"))?;
                Type::Array(len, self.read_type(inner, None)?)
            }
            code::TUPLE => {
                let count = read_count(self.input, field("the number of items", "F-14"), 0)?;
                let mut items = Vec::new();
                for _ in 0..count {
                    items.put(self.read_type(inner, None)?);
                }
                Type::Tuple(items.into_iter().collected())
            }
            code::STRUCT => {
                let name = self.read_name()?.0;
                Type::Struct(name, self.read_fields(id, inner)?)
            }
            code::RECORD => Type::Record(self.read_fields(id, inner)?),
            code::MAP => {
                let key = self.read_type(inner, None)?;
                Type::Map(key, self.read_type(inner, None)?)
            }
            code::UNION => Type::Union(self.read_union(inner, unnamed_variant)?),
            code::TENSOR => Type::Tensor(self.read_packed(inner)?),
            code::PACKED => Type::Packed(self.read_packed(inner)?),
            code::DEF => Type::Def(self.read_def()?),
            code::SHARED => Type::Shared(self.read_def()?),
            code::LOGICAL => self.read_logical(inner)?,
            code::EXTENSION => {
                let name = self.read_name()?.0;
                Type::Extension(name, self.read_type(inner, None)?)
            }
            code::LATER.. => {
                let len = self.input.varint(field("a length of parameters", "F-73"))?;
                let parameters =
                    field("the parameters of an unknown type", "F-73").form(FieldForm::Later);
                Type::Unknown(byte, self.input.take(u128::from(len), parameters)?.into())
            }
            _ => match Scalar::of_code(byte) {
                Some(scalar) => Type::Scalar(scalar),
                None => return Err(unknown(byte, at)),
            },
        };
        self.types[id] = ty;
        if self.packing {
            self.set_width(id, at)?;
        }
        Ok(id)
    }

    /// Attributes the bytes read next to the next type.
    fn enter_next(&self) {
        self.input.enter(Part::Schema, Some(self.types.len()));
    }

    /// Both checks precede those of the code's value (F-15).
    fn check_limits(&self, level: usize, at: usize) -> Result<()> {
        if level > NESTING {
            return Err(
                Error::at(Code::LimitNesting, at).expected(format!("at most {NESTING} levels"))
            );
        }
        if self.types.len() == TYPES {
            return Err(Error::at(Code::LimitSites, at).expected(format!("at most {TYPES} types")));
        }
        Ok(())
    }

    /// Parses the type of packed rows or of a tensor's elements (F-70).
    fn read_packed(&mut self, level: usize) -> Result<TypeId> {
        // Packed types don't nest, so nothing is left here.
        self.packing = true;
        let inner = self.read_type(level, None)?;
        self.packing = false;
        Ok(inner)
    }

    fn set_width(&mut self, id: TypeId, at: usize) -> Result<()> {
        let width = dtype::width(&self.types, id, |id| self.widths[id]);
        match width.filter(|width| dtype::is_width(*width)) {
            Some(width) => {
                self.widths[id] = width;
                Ok(())
            }
            None => {
                let ty = text::outline(&self.types, id);
                Err(bad_packed(at, "a type whose values have 1 to 2^20 bytes", ty))
            }
        }
    }

    /// Parses kind, parameters and storage (F-72).
    fn read_logical(&mut self, level: usize) -> Result<Type> {
        let at = self.input.position();
        let kind =
            self.input.byte(field("the kind of a logical type", "F-72").form(FieldForm::Kind))?;
        check_kind(kind, at)?;
        let count_at = self.input.position();
        let count = self.input.varint(field("a length of parameters", "F-72"))?;
        check_parameter_count(kind, count, count_at)?;
        let at = self.input.position();
        let what = field("parameters of a logical type", "F-72").form(FieldForm::Parameters);
        let parameters = self.input.take(u128::from(count), what)?;
        let ty = LogicalType::unchecked(kind, parameters);
        ty.check_parameters(at)?;
        let at = self.input.position();
        let storage = self.read_type(level, None)?;
        let expected = ty.storage();
        if !expected.is(&self.types, storage) {
            return Err(Error::at(Code::BadStorage, at)
                .expected(format!("{expected} as the storage of {ty}"))
                .got(text::outline(&self.types, storage)));
        }
        Ok(Type::Logical(Arc::new(ty), storage))
    }

    /// Parses a name. Returns it with the offset of its varint (F-16).
    fn read_name(&mut self) -> Result<(Arc<str>, usize)> {
        let start = self.input.position();
        let v = self.input.varint(field("a name", "F-16").form(FieldForm::NameHead))?;
        if v % 2 == 1 {
            let known = self.names.len();
            return match usize::try_from(v / 2)
                .ok()
                .and_then(|index| self.names.as_slice().get(index))
            {
                Some(name) => Ok((Arc::clone(name), start)),
                None => Err(Error::at(Code::IndexOutOfRange, start)
                    .expected(format!("one of {known} names"))
                    .got((v / 2).to_string())),
            };
        }
        let at = self.input.position();
        let bytes =
            self.input.take(u128::from(v / 2), field("a name", "F-16").form(FieldForm::Name))?;
        let text = core::str::from_utf8(bytes)
            .map_err(|_| Error::at(Code::InvalidUtf8, at).expected("a name in UTF-8"))?;
        if self.names.find(text).is_some() {
            return Err(Error::at(Code::NameRepeated, start)
                .expected("the name's index")
                .got(format!("{:?} twice", shorten(text, 40))));
        }
        let name: Arc<str> = memory::shared(text);
        self.names.add(Arc::clone(&name));
        Ok((name, start))
    }

    /// Parses `count` pairs of a name and a type, with distinct names.
    fn read_named(&mut self, count: usize, level: usize) -> Result<Vec<(Arc<str>, TypeId)>> {
        let mut seen = Names::default();
        let mut named = Vec::new();
        for _ in 0..count {
            self.enter_next();
            let (name, at) = self.read_name()?;
            if seen.find(&name).is_some() {
                return Err(Error::at(Code::DuplicateName, at)
                    .expected("a different name for each")
                    .got(format!("{:?} twice", shorten(&name, 40))));
            }
            seen.add(Arc::clone(&name));
            named.put((name, self.read_type(level, None)?));
        }
        Ok(named)
    }

    /// Parses head, fields and shapes (F-17, F-18).
    fn read_fields(&mut self, id: TypeId, level: usize) -> Result<Fields> {
        let start = self.input.position();
        let head = self.input.varint(field("fields", "F-17").form(FieldForm::FieldsHead))?;
        if head % 4 == 3 {
            return Err(Error::at(Code::BadForm, start).expected("form 0, 1 or 2").got("3"));
        }
        if self.packing && head % 4 != 0 {
            return Err(bad_packed(start, "one shape", "rows with several"));
        }
        let count = check_count(self.input, start, head / 4)?;
        let fields = self.read_named(count, level)?.into_iter().collected();
        self.input.enter(Part::Schema, Some(id));
        let form = match head % 4 {
            0 => Form::One,
            1 => Form::Several(self.read_shapes(count)?),
            _ => Form::Sparse,
        };
        Ok(Fields { fields, form })
    }

    fn read_shapes(&mut self, fields: usize) -> Result<Arc<[Box<[usize]>]>> {
        let start = self.input.position();
        let count = self.input.varint(field("the number of shapes", "F-18"))?;
        if count < 2 {
            return Err(Error::at(Code::BadShape, start)
                .expected("at least 2 shapes")
                .got(count.to_string()));
        }
        let count = check_count(self.input, start, count)?;
        // Records the last shape that had each field, so that no set is cleared for each shape.
        let mut last = memory::filled(usize::MAX, fields);
        let mut shapes = Vec::new();
        for shape in 0..count {
            let len = read_count(self.input, field("the number of fields in a shape", "F-18"), 0)?;
            let mut of = Vec::new();
            for _ in 0..len {
                of.put(self.read_shape_field(shape, &mut last)?);
            }
            shapes.put(of.into_iter().collected());
        }
        Ok(memory::shared_list(shapes))
    }

    fn read_shape_field(&mut self, shape: usize, last: &mut [usize]) -> Result<usize> {
        let at = self.input.position();
        let number = self.input.varint(field("the number of a field", "F-18"))?;
        let field = usize::try_from(number).unwrap_or(usize::MAX);
        match last.get_mut(field) {
            None => Err(Error::at(Code::IndexOutOfRange, at)
                .expected(format!("a field below {}", last.len()))
                .got(number.to_string())),
            Some(before) if *before == shape => Err(Error::at(Code::BadShape, at)
                .expected("each field at most once")
                .got(format!("field {field} twice"))),
            Some(before) => {
                *before = shape;
                Ok(field)
            }
        }
    }

    /// Parses head and variants (F-19).
    fn read_union(&mut self, level: usize, unnamed_variant: bool) -> Result<Union> {
        let start = self.input.position();
        let head = self.input.varint(field("variants", "F-19").form(FieldForm::VariantsHead))?;
        let named = head % 2 == 1;
        if !named && (head / 2 < 2 || unnamed_variant) {
            return Err(Error::at(Code::BadUnion, start)
                .expected("at least 2 unnamed variants, none of them an unnamed union")
                .got(if unnamed_variant {
                    "an unnamed union in another".to_owned()
                } else {
                    (head / 2).to_string()
                }));
        }
        let count = check_count(self.input, start, head / 2)?;
        if named {
            let named = self.read_named(count, level)?;
            let names = named.iter().map(|(name, _)| Arc::clone(name)).collected();
            let variants = named.into_iter().map(|(_, variant)| variant).collected();
            return Ok(Union { names: Some(names), variants });
        }
        let mut seen = 0;
        let mut variants = Vec::new();
        for _ in 0..count {
            variants.put(self.read_type(level, Some(&mut seen))?);
        }
        Ok(Union { names: None, variants: variants.into_iter().collected() })
    }

    /// Parses a reference to a definition (F-20).
    fn read_def(&mut self) -> Result<usize> {
        let at = self.input.position();
        let number = self.input.varint(field("the number of a definition", "F-20"))?;
        match usize::try_from(number) {
            Ok(number) if number < self.mentioned => Ok(number),
            Ok(number) if number == self.mentioned && number < self.definitions => {
                self.mentioned += 1;
                Ok(number)
            }
            _ => Err(Error::at(Code::BadDefinition, at)
                .expected(format!("a definition up to {} of {}", self.mentioned, self.definitions))
                .got(number.to_string())),
        }
    }

    fn read_definition(&mut self, number: usize) -> Result<TypeId> {
        let at = self.input.position();
        if number >= self.mentioned {
            return Err(Error::at(Code::BadDefinition, at)
                .expected("a definition that was mentioned before")
                .got(format!("definition {number}")));
        }
        let aliases = matches!(self.input.rest().first(), Some(&(code::DEF | code::SHARED)));
        if aliases && self.types.len() < TYPES {
            return Err(Error::at(Code::BadDefinition, at)
                .expected("a type of its own")
                .got("only a reference to a definition"));
        }
        self.read_type(1, None)
    }
}

/// Checks a variant of an unnamed union (F-19): no never, null or option, and each scalar once.
fn check_unnamed_variant(byte: u8, seen: &mut u32, at: usize) -> Result<()> {
    let bit = 1u32.checked_shl(u32::from(byte)).unwrap_or(0);
    let refused = matches!(byte, code::NEVER | code::NULL | code::OPTION) || *seen & bit != 0;
    if Scalar::of_code(byte).is_some() {
        *seen |= bit;
    }
    if refused {
        return Err(Error::at(Code::BadUnion, at)
            .expected("a type that is not never, null or option, and each scalar once")
            .got(name_of_code(byte)));
    }
    Ok(())
}

/// Whether a type may be packed, judged by its code (F-70).
fn is_packable(byte: u8) -> bool {
    let is_fixed = Scalar::of_code(byte).is_some_and(|scalar| scalar.width().is_some());
    is_fixed
        || matches!(
            byte,
            code::FIXED
                | code::ARRAY
                | code::TUPLE
                | code::STRUCT
                | code::RECORD
                | code::LOGICAL
                | code::EXTENSION
        )
}

#[cold]
fn bad_packed(
    at: usize,
    expected: &'static str,
    got: impl Into<alloc::borrow::Cow<'static, str>>,
) -> Error {
    Error::at(Code::BadPacked, at).expected(expected).got(got)
}

#[cold]
fn unknown(byte: u8, at: usize) -> Error {
    Error::at(Code::UnknownType, at).expected("the code of a type").got(format!("{byte:02X}"))
}
