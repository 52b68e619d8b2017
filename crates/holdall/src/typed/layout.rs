//! From descriptions to a schema: which types are definitions, where each stands, what resolution is told of it.

use std::collections::HashMap;
use std::sync::Arc;

use super::describe::{Kind, TypeNumber, Types};
use crate::error::{Code, Error, Result};
use crate::limits::{NESTING, TYPES};
use crate::number::write_varint;
use crate::resolution::{Mark, Marks};
use crate::schema::{Schema, SchemaWriter, code};

impl Types {
    /// The schema with a type at its root, and what resolution is told of the types in it.
    pub(crate) fn schema(&self, root: TypeNumber) -> Result<(Schema, Marks)> {
        let root = self.meant(root)?;
        let mut shape = Shape {
            types: self,
            definitions: vec![false; self.described.len()],
            state: vec![State::New; self.described.len()],
            above: Vec::new(),
        };
        shape.visit(root)?;
        let mut writer = Writer {
            types: self,
            is_definition: shape.definitions,
            schema: SchemaWriter::default(),
            numbers: HashMap::new(),
            bodies: Vec::new(),
            marks: Vec::new(),
        };
        writer.place(root, 1)?;
        let mut next = 0;
        while let Some(&body) = writer.bodies.get(next) {
            writer.write(body, 1)?;
            next += 1;
        }
        let mut bytes = Vec::new();
        write_varint(&mut bytes, writer.bodies.len() as u64);
        let types = writer.schema.types();
        bytes.extend(writer.schema.into_bytes());
        let schema = Schema::from_bytes(&bytes)?;
        debug_assert_eq!(types, schema.types().len(), "each type has its number");
        Ok((schema, writer.marks.into_iter().collect()))
    }

    /// The type that a chain of aliases leads to.
    fn meant(&self, mut number: TypeNumber) -> Result<TypeNumber> {
        for _ in 0..=self.described.len() {
            match self.described[number.0].kind {
                Kind::Alias(of) => number = of,
                _ => return Ok(number),
            }
        }
        Err(Error::new(Code::UnsupportedValue)
            .expected("a type that has values")
            .got("one that is nothing but itself"))
    }

    fn inside(&self, number: TypeNumber) -> Result<Vec<TypeNumber>> {
        let inside: Vec<TypeNumber> = match &self.described[number.0].kind {
            Kind::Open
            | Kind::Never
            | Kind::Null
            | Kind::Scalar(_)
            | Kind::Tensor(_)
            | Kind::Dynamic => vec![],
            Kind::Alias(inner)
            | Kind::Named(inner)
            | Kind::Option(inner)
            | Kind::List(inner)
            | Kind::Array(_, inner)
            | Kind::Packed(inner)
            | Kind::Logical(_, inner)
            | Kind::Shared(inner) => vec![*inner],
            Kind::Tuple(items) => items.clone(),
            Kind::Fields(_, named) | Kind::Variants(named) => {
                named.iter().map(|(_, number)| *number).collect()
            }
            Kind::Map(key, value) => vec![*key, *value],
        };
        inside.into_iter().map(|number| self.meant(number)).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Above,
    Done,
}

/// Finds the types that must be definitions: what is shared, and one in each ring of types that are inside each other.
struct Shape<'t> {
    types: &'t Types,
    definitions: Vec<bool>,
    state: Vec<State>,
    /// The types around the one that is visited.
    above: Vec<TypeNumber>,
}

impl Shape<'_> {
    // The recursion ends at a multiple of NESTING levels.
    fn visit(&mut self, number: TypeNumber) -> Result<()> {
        match self.state[number.0] {
            State::Done => return Ok(()),
            State::Above => return self.ring(number),
            State::New => {}
        }
        check_nesting(self.above.len())?;
        self.state[number.0] = State::Above;
        self.above.push(number);
        for inner in self.types.inside(number)? {
            if let Kind::Shared(_) = self.types.described[number.0].kind {
                self.definitions[inner.0] = true;
            }
            self.visit(inner)?;
        }
        self.above.pop();
        self.state[number.0] = State::Done;
        Ok(())
    }

    /// A type is inside itself.
    fn ring(&mut self, number: TypeNumber) -> Result<()> {
        let start = self.above.iter().position(|above| *above == number).unwrap_or(0);
        let ring = &self.above[start..];
        if ring.iter().any(|number| self.definitions[number.0]) {
            return Ok(());
        }
        match ring.iter().find(|number| self.types.described[number.0].enters) {
            Some(number) => {
                self.definitions[number.0] = true;
                Ok(())
            }
            None => Err(Error::new(Code::UnsupportedValue)
                .expected("a derived type in each ring of types that are inside each other")
                .got("none")),
        }
    }
}

fn check_nesting(level: usize) -> Result<()> {
    // A definition's types start at level 1 again, so a schema of this many types in a row may be fine; no program has it.
    if level > 4 * NESTING {
        return Err(Error::new(Code::LimitNesting).expected("types that nest less deeply"));
    }
    Ok(())
}

struct Writer<'t> {
    types: &'t Types,
    is_definition: Vec<bool>,
    schema: SchemaWriter,
    numbers: HashMap<TypeNumber, usize>,
    bodies: Vec<TypeNumber>,
    marks: Vec<(usize, Mark)>,
}

impl Writer<'_> {
    /// A type where it stands: itself, or the definition that it is.
    fn place(&mut self, number: TypeNumber, level: usize) -> Result<()> {
        let number = self.types.meant(number)?;
        if self.is_definition[number.0] {
            self.schema.code(code::DEF);
            return self.definition(number);
        }
        self.write(number, level)
    }

    fn definition(&mut self, number: TypeNumber) -> Result<()> {
        let next = self.bodies.len();
        let definition = *self.numbers.entry(number).or_insert(next);
        if definition == next {
            self.bodies.push(number);
        }
        self.schema.number(definition);
        Ok(())
    }

    // The recursion ends at NESTING levels.
    fn write(&mut self, number: TypeNumber, level: usize) -> Result<()> {
        check_nesting(level)?;
        let inner_level = level + 1;
        let id = self.schema.types();
        if id == TYPES {
            return Err(Error::new(Code::LimitSites)
                .expected(format!("at most {TYPES} types"))
                .got("a type with more, each struct counted in each of its places"));
        }
        if let Some(mark) = &self.types.described[number.0].mark {
            self.marks.push((id, mark.clone()));
        }
        match &self.types.described[number.0].kind {
            Kind::Named(inner) => return self.place(*inner, level),
            Kind::Open | Kind::Alias(_) => {
                return Err(Error::new(Code::UnsupportedValue)
                    .expected("a type that has values")
                    .got("one that is nothing but itself"));
            }
            Kind::Dynamic => {
                return Err(Error::new(Code::UnsupportedValue)
                    .expected("types whose values all have one schema")
                    .got("Value inside another type"));
            }
            Kind::Never => self.schema.code(code::NEVER),
            Kind::Null => self.schema.code(code::NULL),
            Kind::Scalar(scalar) => self.schema.scalar(*scalar),
            Kind::Option(inner) => {
                self.schema.code(code::OPTION);
                self.place(*inner, inner_level)?;
            }
            Kind::List(item) => {
                self.schema.code(code::LIST);
                self.place(*item, inner_level)?;
            }
            Kind::Packed(row) => {
                self.schema.code(code::PACKED);
                self.place(*row, inner_level)?;
            }
            Kind::Array(len, item) => {
                self.schema.code(code::ARRAY);
                self.schema.varint(*len);
                self.place(*item, inner_level)?;
            }
            Kind::Tuple(items) => {
                self.schema.code(code::TUPLE);
                self.schema.number(items.len());
                items.iter().try_for_each(|item| self.place(*item, inner_level))?;
            }
            Kind::Fields(Some(name), fields) => {
                self.schema.code(code::STRUCT);
                self.schema.name(name);
                self.fields(fields, inner_level)?;
            }
            Kind::Fields(None, fields) => {
                self.schema.code(code::RECORD);
                self.fields(fields, inner_level)?;
            }
            Kind::Map(key, value) => {
                self.schema.code(code::MAP);
                self.place(*key, inner_level)?;
                self.place(*value, inner_level)?;
            }
            Kind::Variants(variants) => {
                self.schema.code(code::UNION);
                self.schema.number(2 * variants.len() + 1);
                self.named(variants, inner_level)?;
            }
            Kind::Logical(ty, storage) => {
                self.schema.logical(ty);
                self.place(*storage, inner_level)?;
            }
            Kind::Tensor(elements) => {
                self.schema.code(code::TENSOR);
                elements.write(&mut self.schema);
            }
            Kind::Shared(own) => {
                self.schema.code(code::SHARED);
                let target = match self.types.described[own.0].kind {
                    // A type that is a definition anyway is the one.
                    Kind::Named(inner) => self.types.meant(inner)?,
                    _ => *own,
                };
                let target = if self.is_definition[target.0] { target } else { *own };
                self.definition(target)?;
            }
        }
        Ok(())
    }

    /// One shape: all fields in their order (F-17).
    fn fields(&mut self, fields: &[(Arc<str>, TypeNumber)], level: usize) -> Result<()> {
        self.schema.number(4 * fields.len());
        self.named(fields, level)
    }

    fn named(&mut self, named: &[(Arc<str>, TypeNumber)], level: usize) -> Result<()> {
        named.iter().try_for_each(|(name, number)| {
            self.schema.name(name);
            self.place(*number, level)
        })
    }
}
