//! How Rust types are described in a schema.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::{TypeId, type_name};

use super::dynamic_sites::{ByValues, DynamicSites};
use super::{Decode, Encode};
use crate::error::Result;
use crate::memory::{GrowMap, GrowVec};
use crate::number::IntKind;
use crate::platform::HashMap;
use crate::resolution::{Annotation, Annotations, Field, Resolver};
use crate::schema::{DType, HIDDEN_FIELD, LogicalType, Scalar, Schema};

/// The number of a type in [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeNumber(pub(super) usize);

/// The description of a Rust type; types inside it are referred to by number.
#[derive(Clone, Debug)]
pub struct Description {
    pub(super) kind: Described,
    pub(super) enters: bool,
    /// Whether a struct or record keeps the fields of the data that it lacks.
    pub(super) keeps_unknown: bool,
    /// What that, and a type that the values decide, needs.
    pub(super) dynamic: Option<&'static dyn DynamicSites>,
    pub(super) annotation: Option<Annotation>,
}

#[derive(Clone, Debug)]
pub(super) enum Described {
    /// Not described yet: the type is recursive.
    Open,
    /// An alias of another Rust type.
    Alias(TypeNumber),
    /// A name for another type, possibly a definition.
    Named(TypeNumber),
    /// A field whose own fields are those of the struct around it.
    Flat(FlatField),
    Never,
    Null,
    Scalar(Scalar),
    Option(TypeNumber),
    List(TypeNumber),
    Array(u64, TypeNumber),
    Tuple(Vec<TypeNumber>),
    /// A struct if it has a name, otherwise a record.
    Fields(Option<Arc<str>>, Vec<(Arc<str>, TypeNumber)>),
    Map(TypeNumber, TypeNumber),
    Variants(Vec<(Arc<str>, TypeNumber)>),
    Packed(TypeNumber),
    Logical(Arc<LogicalType>, TypeNumber),
    Shared(TypeNumber),
    #[cfg_attr(not(feature = "ndarray"), allow(dead_code, reason = "no type of std is one"))]
    Tensor(DType),
    /// A type that the values decide.
    Dynamic,
}

/// A field with `flatten`, and how errors name it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlatField {
    pub(super) inner: TypeNumber,
    pub(super) owner: &'static str,
    pub(super) name: &'static str,
    pub(super) ty: &'static str,
}

/// Constructors for derived code; a type is described by the types inside it.
#[allow(missing_docs, reason = "each is named after the type that it describes")]
impl Description {
    fn of(kind: Described) -> Description {
        Description { kind, enters: false, keeps_unknown: false, dynamic: None, annotation: None }
    }

    /// Says that the type enters its rows by [`Columns::enter`](super::Columns::enter) and
    /// [`Rows::enter`](super::Rows::enter): it can be recursive.
    #[must_use]
    pub fn entered(mut self) -> Description {
        self.enters = true;
        self
    }

    /// Says that a struct or record keeps the fields of the data that it lacks: they are written by
    /// [`Columns::unknown`](super::Columns::unknown).
    #[doc(hidden)]
    #[must_use]
    pub fn keeping_unknown(mut self) -> Description {
        self.keeps_unknown = true;
        self.dynamic = Some(&ByValues);
        self
    }

    /// Says that the rows of the type are entered with those of the type around it.
    pub(super) fn in_place(mut self) -> Description {
        self.enters = false;
        self
    }

    /// Adds an annotation for resolution.
    pub(super) fn annotated(mut self, annotation: Annotation) -> Description {
        self.annotation = Some(annotation);
        self
    }

    /// Sets the variant for unknown variants in the data.
    #[must_use]
    pub fn other(self, variant: usize) -> Description {
        self.annotated(Annotation::Other(variant))
    }

    /// Describes a distinct type that is written as another.
    pub fn named(of: TypeNumber) -> Description {
        Description::of(Described::Named(of))
    }

    pub fn alias(of: TypeNumber) -> Description {
        Description::of(Described::Alias(of))
    }

    pub fn null() -> Description {
        Description::of(Described::Null)
    }

    pub fn never() -> Description {
        Description::of(Described::Never)
    }

    pub fn int(kind: IntKind) -> Description {
        Description::of(Described::Scalar(Scalar::Int(kind)))
    }

    pub(crate) fn dynamic() -> Description {
        let own = Description::of(Described::Dynamic).annotated(Annotation::Any);
        Description { dynamic: Some(&ByValues), ..own }
    }

    pub(crate) fn scalar(scalar: Scalar) -> Description {
        Description::of(Described::Scalar(scalar))
    }

    pub fn option(inner: TypeNumber) -> Description {
        Description::of(Described::Option(inner))
    }

    pub fn list(item: TypeNumber) -> Description {
        Description::of(Described::List(item))
    }

    pub fn array(len: usize, item: TypeNumber) -> Description {
        Description::of(Described::Array(len as u64, item))
    }

    pub fn tuple(items: impl IntoIterator<Item = TypeNumber>) -> Description {
        Description::of(Described::Tuple(items.into_iter().collect()))
    }

    pub fn structure<'n>(
        name: &str,
        fields: impl IntoIterator<Item = (&'n str, TypeNumber)>,
    ) -> Description {
        Description::of(Described::Fields(Some(name.into()), named(fields)))
    }

    pub fn record<'n>(fields: impl IntoIterator<Item = (&'n str, TypeNumber)>) -> Description {
        Description::of(Described::Fields(None, named(fields)))
    }

    /// Describes packed rows of a type of fixed width (F-70).
    pub fn packed(row: TypeNumber) -> Description {
        Description::of(Described::Packed(row))
    }

    pub fn map(key: TypeNumber, value: TypeNumber) -> Description {
        Description::of(Described::Map(key, value))
    }

    pub fn variants<'n>(variants: impl IntoIterator<Item = (&'n str, TypeNumber)>) -> Description {
        Description::of(Described::Variants(named(variants)))
    }

    /// Describes a tensor of scalar elements, or of logical types over them: nothing with a name.
    #[cfg(feature = "ndarray")]
    pub(crate) fn tensor(elements: DType) -> Description {
        Description::of(Described::Tensor(elements))
    }

    pub fn logical(ty: LogicalType, storage: TypeNumber) -> Description {
        Description::of(Described::Logical(Arc::new(ty), storage))
    }

    /// Describes the value behind a pointer that keeps its identity.
    pub fn shared(inner: TypeNumber, types: &mut Types) -> Description {
        // A distinct type: without a pointer the same type is stored in place.
        let own = types.add(Description::named(inner));
        Description::of(Described::Shared(own))
    }
}

fn named<'n>(
    named: impl IntoIterator<Item = (&'n str, TypeNumber)>,
) -> Vec<(Arc<str>, TypeNumber)> {
    named.into_iter().map(|(name, number)| (name.into(), number)).collect()
}

/// Collects the types that are inside a Rust type.
#[derive(Default)]
pub struct Types {
    pub(super) described: Vec<Description>,
    known: HashMap<TypeId, TypeNumber>,
    /// Whether a weak pointer is among them.
    pub(crate) has_weak: bool,
    /// For data with another schema: fields with defaults are options, so that the data can lack them; structs with
    /// older versions are unions of all versions; unknown fields have a field; nothing is packed.
    pub(crate) lenient: bool,
    /// Whether any of these occurs.
    pub(crate) differs: bool,
    aliases: Aliases,
}

/// Other names of fields, structs and variants.
#[derive(Default)]
struct Aliases {
    fields: Vec<(Field, Vec<String>)>,
    structs: Vec<(String, Vec<String>)>,
    variants: Vec<(String, Vec<String>)>,
}

impl Types {
    /// Returns the number of a type that is written.
    pub fn written<T: Encode + ?Sized>(&mut self) -> TypeNumber {
        self.number(typeid::of::<T>(), T::describe)
    }

    /// Returns the number of a type that is read.
    pub fn read<'de, T: Decode<'de>>(&mut self) -> TypeNumber {
        self.number(typeid::of::<T>(), T::describe)
    }

    /// Returns the number of the type of a field with a default.
    pub fn read_or_default<'de, T: Decode<'de>>(&mut self) -> TypeNumber {
        self.differs = true;
        let own = self.read::<T>();
        match self.lenient {
            true => self.add(Description::option(own).annotated(Annotation::Field)),
            false => own,
        }
    }

    /// Whether to describe a type as packed for reading: not for data with another schema, whose values arrive
    /// field by field.
    #[doc(hidden)]
    pub fn reads_packed(&mut self) -> bool {
        self.differs = true;
        !self.lenient
    }

    /// Returns the number of a field whose own fields are written as those of the struct around it.
    pub fn written_flat<Owner: ?Sized, T: Encode>(&mut self, name: &'static str) -> TypeNumber {
        let inner = self.written::<T>();
        self.add_flat::<Owner, T>(inner, name)
    }

    fn add_flat<Owner: ?Sized, T>(&mut self, inner: TypeNumber, name: &'static str) -> TypeNumber {
        let (owner, ty) = (type_name::<Owner>(), type_name::<T>());
        self.add(Description::of(Described::Flat(FlatField { inner, owner, name, ty })))
    }

    /// Returns the number of a field whose own fields are read from those of the struct around it, which has this name.
    pub fn read_flat<'de, Owner: ?Sized, T: Decode<'de>>(
        &mut self,
        owner: Option<&str>,
        name: &'static str,
    ) -> TypeNumber {
        let inner = self.read::<T>();
        if let Some(Described::Fields(from, _)) = self.behind_names(inner).map(|of| &of.kind) {
            let (from, all) = (from.as_deref(), self.aliases.fields.iter());
            let moved = |(field, names): &(Field, Vec<String>)| {
                Some((field.moved(from, owner)?, names.clone()))
            };
            let moved: Vec<_> = all.filter_map(moved).collect();
            self.aliases.fields.put_each(moved);
        }
        self.add_flat::<Owner, T>(inner, name)
    }

    /// Returns the description at the end of a chain of names.
    pub(super) fn behind_names(&self, mut number: TypeNumber) -> Option<&Description> {
        for _ in 0..=self.described.len() {
            let description = &self.described[number.0];
            match description.kind {
                Described::Alias(of) | Described::Named(of) => number = of,
                _ => return Some(description),
            }
        }
        None
    }

    /// Returns the field that takes the fields of the data that a struct lacks. Only data with another schema have some.
    #[doc(hidden)]
    pub fn read_unknown(&mut self) -> Option<(&'static str, TypeNumber)> {
        self.differs = true;
        let unknown = Description::dynamic().annotated(Annotation::Unknown);
        self.lenient.then(|| (HIDDEN_FIELD, self.add(unknown)))
    }

    /// Returns the number of the type that a function converts a written type to.
    pub fn written_by<'t, T: 't, As: Encode>(&mut self, _: impl FnOnce(&'t T) -> As) -> TypeNumber {
        self.written::<As>()
    }

    /// Returns the number of the type that a function converts a read type from.
    pub fn read_by<'de, T, As: Decode<'de>, E>(
        &mut self,
        _: impl FnOnce(As) -> Result<T, E>,
    ) -> TypeNumber {
        self.read::<As>()
    }

    /// Like [`Types::read_by`], for a field with a default.
    pub fn read_by_or_default<'de, T, As: Decode<'de>, E>(
        &mut self,
        _: impl FnOnce(As) -> Result<T, E>,
    ) -> TypeNumber {
        self.read_or_default::<As>()
    }

    /// Adds other names of a field of a struct, or of all records.
    pub fn alias_field(&mut self, owner: Option<&str>, name: &str, aliases: &[&str]) {
        let field = match owner {
            Some(owner) => Field::of_struct(owner, name),
            None => Field::of_record(name),
        };
        let aliases = aliases.iter().map(|&alias| alias.to_owned()).collect();
        self.aliases.fields.put((field, aliases));
    }

    /// Adds other names of a struct.
    pub fn alias_struct(&mut self, name: &str, aliases: &[&str]) {
        let aliases = aliases.iter().map(|&alias| alias.to_owned()).collect();
        self.aliases.structs.put((name.to_owned(), aliases));
    }

    /// Adds other names of a variant.
    pub fn alias_variant(&mut self, name: &str, aliases: &[&str]) {
        let aliases = aliases.iter().map(|&alias| alias.to_owned()).collect();
        self.aliases.variants.put((name.to_owned(), aliases));
    }

    /// Returns a resolver for data with another schema, with the aliases of the types.
    pub(crate) fn resolver(self, schema: Schema, annotations: Annotations) -> Resolver {
        let Aliases { fields, structs, variants } = self.aliases;
        let resolver = Resolver::new(schema).annotations(annotations);
        let resolver =
            fields.into_iter().fold(resolver, |all, (field, names)| all.alias(field, names));
        let resolver =
            structs.into_iter().fold(resolver, |all, (name, names)| all.struct_alias(name, names));
        variants.into_iter().fold(resolver, |all, (name, names)| all.variant_alias(name, names))
    }

    /// Adds a type without a Rust type of its own.
    pub fn add(&mut self, description: Description) -> TypeNumber {
        self.described.put(description);
        TypeNumber(self.described.len() - 1)
    }

    fn number(&mut self, id: TypeId, describe: fn(&mut Types) -> Description) -> TypeNumber {
        if let Some(number) = self.known.get(&id) {
            return *number;
        }
        let number = self.add(Description::of(Described::Open));
        self.known.put(id, number);
        self.described[number.0] = describe(self);
        number
    }
}
