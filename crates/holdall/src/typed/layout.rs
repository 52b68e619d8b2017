//! From descriptions to a schema: the definitions, the order of types, and the annotations for resolution.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::describe::{Described, Description, FlatField, TypeNumber, Types};
use super::dynamic_sites::DynamicSites;
use crate::error::{Code, Error, Result};
use crate::limits::{NESTING, TYPES};
use crate::memory::{self, GrowMap, GrowVec};
use crate::number::write_varint;
use crate::platform::HashMap;
use crate::resolution::{Annotation, Annotations};
use crate::schema::{Schema, SchemaWriter, code};

impl Types {
    /// Returns the schema with a type at its root.
    pub(crate) fn schema(&self, root: TypeNumber) -> Result<TypedLayout> {
        let root = self.meant(root)?;
        let mut shape = DefinitionFinder {
            types: self,
            definitions: memory::filled(false, self.described.len()),
            state: memory::filled(LayoutState::New, self.described.len()),
            above: Vec::new(),
        };
        shape.visit(root)?;
        let mut writer = LayoutWriter {
            types: self,
            is_definition: shape.definitions,
            schema: SchemaWriter::default(),
            numbers: HashMap::new(),
            bodies: Vec::new(),
            annotations: Vec::new(),
            flat: Vec::new(),
            values: Vec::new(),
            unknown: Vec::new(),
            dynamic: None,
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
        bytes.put_each(writer.schema.into_bytes());
        let schema = Schema::from_bytes(&bytes)?;
        debug_assert_eq!(types, schema.types().len(), "each type has its number");
        let LayoutWriter { annotations, flat, values, unknown, dynamic, .. } = writer;
        Ok(TypedLayout {
            schema,
            annotations: annotations.into_iter().collect(),
            flat,
            values,
            unknown,
            dynamic,
        })
    }

    /// Returns the type at the end of a chain of aliases.
    fn meant(&self, mut number: TypeNumber) -> Result<TypeNumber> {
        for _ in 0..=self.described.len() {
            match self.described[number.0].kind {
                Described::Alias(of) => number = of,
                _ => return Ok(number),
            }
        }
        Err(Error::new(Code::UnsupportedValue)
            .expected("a type that has values")
            .got("a type that contains only itself"))
    }

    /// Returns the fields of a field that is flat.
    fn flat_fields(&self, flat: &FlatField) -> Result<&[(Arc<str>, TypeNumber)]> {
        let FlatField { inner, owner, name, ty } = *flat;
        match self.behind_names(inner) {
            Some(Description { keeps_unknown: true, .. }) => {
                Err(Error::new(Code::UnsupportedValue)
                    .expected(format!("`unknown` in {owner}, for `flatten` of its field {name}"))
                    .got(format!("`unknown` in {ty}")))
            }
            Some(Description { kind: Described::Fields(_, fields), .. }) => Ok(fields),
            other => Err(Error::new(Code::UnsupportedValue)
                .expected(format!("fields with names for `flatten` of the field {name} of {owner}"))
                .got(format!("{ty}, {}", other.map_or("an unknown type", unfit_for_flat)))),
        }
    }

    /// Checks that a struct with flat fields has each name once.
    fn check_names(&self, fields: &[(Arc<str>, TypeNumber)]) -> Result<()> {
        let mut owners: HashMap<Arc<str>, Option<FlatField>> = HashMap::new();
        self.add_names(fields, None, &mut owners)
    }

    // The recursion is at most NESTING levels deep.
    fn add_names(
        &self,
        fields: &[(Arc<str>, TypeNumber)],
        of: Option<FlatField>,
        owners: &mut HashMap<Arc<str>, Option<FlatField>>,
    ) -> Result<()> {
        for (field, number) in fields {
            if let Described::Flat(flat) = &self.described[number.0].kind {
                self.add_names(self.flat_fields(flat)?, of.or(Some(*flat)), owners)?;
            } else if let Some(earlier) = owners.put(field.clone(), of)
                && let Some(FlatField { owner, name, ty, .. }) = of.or(earlier)
            {
                return Err(Error::new(Code::DuplicateName)
                    .expected(format!(
                        "each name once in {owner} and {ty}, for `flatten` of its field {name}"
                    ))
                    .got(format!("{field:?} twice")));
            }
        }
        Ok(())
    }

    /// Returns what the fields of a struct are, in the order of description.
    fn members(&self, fields: &[(Arc<str>, TypeNumber)]) -> Result<Vec<Member>> {
        let member = |(_, number): &(Arc<str>, TypeNumber)| match self.described[number.0].kind {
            Described::Flat(flat) => self.members(self.flat_fields(&flat)?).map(Member::Flat),
            _ => Ok(Member::Own),
        };
        fields.iter().map(member).collect()
    }

    fn inside(&self, number: TypeNumber) -> Result<Vec<TypeNumber>> {
        let inside: Vec<TypeNumber> = match &self.described[number.0].kind {
            Described::Open
            | Described::Never
            | Described::Null
            | Described::Scalar(_)
            | Described::Tensor(_)
            | Described::Dynamic => vec![],
            Described::Alias(inner)
            | Described::Named(inner)
            | Described::Option(inner)
            | Described::List(inner)
            | Described::Array(_, inner)
            | Described::Packed(inner)
            | Described::Logical(_, inner)
            | Described::Shared(inner) => vec![*inner],
            Described::Flat(flat) => {
                self.flat_fields(flat)?.iter().map(|(_, number)| *number).collect()
            }
            Described::Tuple(items) => items.clone(),
            Described::Fields(_, named) | Described::Variants(named) => {
                named.iter().map(|(_, number)| *number).collect()
            }
            Described::Map(key, value) => vec![*key, *value],
        };
        inside.into_iter().map(|number| self.meant(number)).collect()
    }
}

/// The schema of a type, and what else its plan needs.
pub(crate) struct TypedLayout {
    pub(crate) schema: Schema,
    /// The annotations of its types for resolution.
    pub(crate) annotations: Annotations,
    /// The structs with flat fields, by their number in the schema.
    pub(crate) flat: Vec<(usize, Vec<Member>)>,
    /// The types that values decide, in ascending order. In the schema they are `never`, which has no columns.
    pub(crate) values: Vec<usize>,
    /// The structs and records that keep unknown fields, in ascending order.
    pub(crate) unknown: Vec<usize>,
    /// What both need; none if there are none.
    pub(crate) dynamic: Option<&'static dyn DynamicSites>,
}

/// What a field of a struct is in the schema.
pub(crate) enum Member {
    Own,
    /// These fields in its place.
    Flat(Vec<Member>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LayoutState {
    New,
    Above,
    Done,
}

/// Finds the types that must be definitions: shared types, and one in each cycle of types.
struct DefinitionFinder<'t> {
    types: &'t Types,
    definitions: Vec<bool>,
    state: Vec<LayoutState>,
    /// The types around the visited one.
    above: Vec<TypeNumber>,
}

impl DefinitionFinder<'_> {
    // The recursion is at most a multiple of NESTING levels deep.
    fn visit(&mut self, number: TypeNumber) -> Result<()> {
        match self.state[number.0] {
            LayoutState::Done => return Ok(()),
            LayoutState::Above => return self.ring(number),
            LayoutState::New => {}
        }
        check_nesting(self.above.len())?;
        self.state[number.0] = LayoutState::Above;
        self.above.put(number);
        for inner in self.types.inside(number)? {
            if let Described::Shared(_) = self.types.described[number.0].kind {
                self.definitions[inner.0] = true;
            }
            self.visit(inner)?;
        }
        self.above.pop();
        self.state[number.0] = LayoutState::Done;
        Ok(())
    }

    /// Makes one type of a cycle a definition.
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
                .expected("a derived type in each cycle of recursive types")
                .got("none")),
        }
    }
}

/// What a type is that has no fields for the struct around it.
fn unfit_for_flat(other: &Description) -> &'static str {
    match (&other.kind, &other.annotation) {
        (Described::Packed(_), _) => "a packed struct, which is stored as its bytes",
        (_, Some(Annotation::Versions(_))) => {
            "a struct with `upgrade`, whose data can have other fields"
        }
        (Described::Variants(_), _) => "an enum",
        (Described::Option(_), _) => "an option",
        (Described::Map(..), _) => "a map",
        (Described::List(_) | Described::Array(..), _) => "a list",
        (Described::Tuple(_), _) => "a tuple",
        (Described::Shared(_), _) => "a pointer that keeps its identity",
        _ => "not a struct",
    }
}

fn check_nesting(level: usize) -> Result<()> {
    // A definition's types start again at level 1, so a schema with this many nested types may be valid; no program
    // has one.
    if level > 4 * NESTING {
        return Err(Error::new(Code::LimitNesting).expected("types nested less deeply"));
    }
    Ok(())
}

struct LayoutWriter<'t> {
    types: &'t Types,
    is_definition: Vec<bool>,
    schema: SchemaWriter,
    numbers: HashMap<TypeNumber, usize>,
    bodies: Vec<TypeNumber>,
    annotations: Vec<(usize, Annotation)>,
    flat: Vec<(usize, Vec<Member>)>,
    values: Vec<usize>,
    unknown: Vec<usize>,
    dynamic: Option<&'static dyn DynamicSites>,
}

impl LayoutWriter<'_> {
    /// Writes a type at a site: the type itself, or a use of its definition (F-20).
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
            self.bodies.put(number);
        }
        self.schema.number(definition);
        Ok(())
    }

    // The recursion is at most NESTING levels deep.
    fn write(&mut self, number: TypeNumber, level: usize) -> Result<()> {
        check_nesting(level)?;
        let inner_level = level + 1;
        let id = self.schema.types();
        if id == TYPES {
            return Err(Error::new(Code::LimitSites)
                .expected(format!("at most {TYPES} types"))
                .got("more; a struct counts once for each place where it is used"));
        }
        let description = &self.types.described[number.0];
        self.annotations
            .put_each(description.annotation.clone().map(|annotation| (id, annotation)));
        self.dynamic = self.dynamic.or(description.dynamic);
        if description.keeps_unknown {
            self.unknown.put(id);
        }
        match &description.kind {
            Described::Named(inner) => return self.place(*inner, level),
            Described::Open | Described::Alias(_) | Described::Flat(_) => {
                return Err(Error::new(Code::UnsupportedValue)
                    .expected("a type that has values")
                    .got("a type that contains only itself"));
            }
            Described::Dynamic => {
                self.values.put(id);
                self.schema.code(code::NEVER);
            }
            Described::Never => self.schema.code(code::NEVER),
            Described::Null => self.schema.code(code::NULL),
            Described::Scalar(scalar) => self.schema.scalar(*scalar),
            Described::Option(inner) => {
                self.schema.code(code::OPTION);
                self.place(*inner, inner_level)?;
            }
            Described::List(item) => {
                self.schema.code(code::LIST);
                self.place(*item, inner_level)?;
            }
            Described::Packed(row) => {
                self.schema.code(code::PACKED);
                self.place(*row, inner_level)?;
            }
            Described::Array(len, item) => {
                self.schema.code(code::ARRAY);
                self.schema.varint(*len);
                self.place(*item, inner_level)?;
            }
            Described::Tuple(items) => {
                self.schema.code(code::TUPLE);
                self.schema.number(items.len());
                items.iter().try_for_each(|item| self.place(*item, inner_level))?;
            }
            Described::Fields(Some(name), fields) => {
                self.schema.code(code::STRUCT);
                self.schema.name(name);
                self.fields(id, fields, inner_level)?;
            }
            Described::Fields(None, fields) => {
                self.schema.code(code::RECORD);
                self.fields(id, fields, inner_level)?;
            }
            Described::Map(key, value) => {
                self.schema.code(code::MAP);
                self.place(*key, inner_level)?;
                self.place(*value, inner_level)?;
            }
            Described::Variants(variants) => {
                self.schema.code(code::UNION);
                self.schema.number(2 * variants.len() + 1);
                self.named(variants, inner_level)?;
            }
            Described::Logical(ty, storage) => {
                self.schema.logical(ty);
                self.place(*storage, inner_level)?;
            }
            Described::Tensor(elements) => {
                self.schema.code(code::TENSOR);
                elements.write(&mut self.schema);
            }
            Described::Shared(own) => {
                // Its values can be rows of a definition themselves, and a definition is not another one (F-20).
                if let Some(Description { kind: Described::Dynamic, .. }) =
                    self.types.behind_names(*own)
                {
                    return Err(Error::new(Code::UnsupportedValue)
                        .expected("Value without Rc or Arc around it; Value::Shared keeps identity")
                        .got("a pointer to one"));
                }
                self.schema.code(code::SHARED);
                let target = match self.types.described[own.0].kind {
                    // A type that is a definition anyway is used as that.
                    Described::Named(inner) => self.types.meant(inner)?,
                    _ => *own,
                };
                let target = if self.is_definition[target.0] { target } else { *own };
                self.definition(target)?;
            }
        }
        Ok(())
    }

    /// Writes one shape: all fields in their order (F-17).
    fn fields(&mut self, id: usize, fields: &[(Arc<str>, TypeNumber)], level: usize) -> Result<()> {
        let members = self.types.members(fields)?;
        self.schema.number(4 * count(&members));
        if members.iter().any(|member| matches!(member, Member::Flat(_))) {
            self.types.check_names(fields)?;
            self.flat.put((id, members));
        }
        self.named(fields, level)
    }

    fn named(&mut self, named: &[(Arc<str>, TypeNumber)], level: usize) -> Result<()> {
        let types = self.types;
        named.iter().try_for_each(|(name, number)| {
            if let Described::Flat(flat) = &types.described[number.0].kind {
                return self.named(types.flat_fields(flat)?, level);
            }
            self.schema.name(name);
            self.place(*number, level)
        })
    }
}

/// Returns how many fields the schema has.
fn count(members: &[Member]) -> usize {
    let own = |member: &Member| match member {
        Member::Own => 1,
        Member::Flat(inside) => count(inside),
    };
    members.iter().map(own).sum()
}
