//! Annotations that a program adds to single types of its schema. Two types can be equal and still have different annotations.

use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::choice::Target;
use super::rules::Pairs;
use crate::error::Result;
use crate::memory::GrowVec;
use crate::platform::HashMap;
use crate::schema::{Type, TypeId};

/// The annotation of a type.
#[derive(Clone, Debug)]
pub(crate) enum Annotation {
    /// An option that says whether the data has a field. It is present for every value of the field, null included.
    Field,
    /// A named union of a struct and its older versions.
    Versions(Arc<Versions>),
    /// A named union, and the index of the variant of type null that replaces unknown variants.
    Other(usize),
    /// A type that takes any value unchanged.
    Any,
    /// The same, of the field that takes a record of the fields that r lacks.
    Unknown,
}

/// By the index of the type in the reader's schema.
pub(crate) type Annotations = HashMap<TypeId, Annotation>;

/// The versions of a struct. The name in the data gives the version: `Name` is the first, then `Name@2`, `Name@3` and so on.
#[derive(Debug)]
pub(crate) struct Versions {
    /// The name and the aliases.
    pub(crate) names: Vec<Arc<str>>,
    /// The version of the first variant.
    pub(crate) own: u32,
    /// The versions of the other variants, in their order.
    pub(crate) old: Vec<u32>,
}

/// Returns the name in data of a struct's version.
pub(crate) fn versioned(name: &str, version: u32) -> Arc<str> {
    match version {
        1 => name.into(),
        version => format!("{name}@{version}").into(),
    }
}

impl Versions {
    /// Returns the version in a struct's name in the data, or `None` if the name is another struct's.
    fn of(&self, name: &str) -> Option<u32> {
        if self.names.iter().any(|own| **own == *name) {
            return Some(1);
        }
        let (name, digits) = name.rsplit_once('@')?;
        let number: u32 = digits.parse().ok()?;
        self.names.iter().find(|own| ***own == *name)?;
        // Each version has one spelling, without leading zeros or a sign.
        (number > 1 && number.to_string() == digits).then_some(number)
    }
}

impl Pairs<'_> {
    /// Returns the annotation of a type of the reader.
    pub(super) fn annotation(&self, r: TypeId) -> Option<&Annotation> {
        self.options.annotations.get(&self.types.own_number(1, r)?)
    }

    /// Whether a type of the reader takes any value unchanged.
    pub(super) fn is_any(&self, r: TypeId) -> bool {
        matches!(self.annotation(r), Some(Annotation::Any | Annotation::Unknown))
    }

    fn versions(&self, r: TypeId) -> Option<Arc<Versions>> {
        match self.annotation(r) {
            Some(Annotation::Versions(versions)) => Some(Arc::clone(versions)),
            _ => None,
        }
    }

    /// Returns the version of r that w is read as: the one in its name if r knows it, otherwise the current one.
    pub(super) fn version(
        &mut self,
        w: TypeId,
        writer: &Type,
        r: TypeId,
        path: &mut Vec<TypeId>,
        left: &mut usize,
    ) -> Result<Target> {
        let given = match (writer, self.versions(r)) {
            (Type::Struct(name, _), Some(versions)) => {
                self.look_up([name])?;
                versions.of(name)
            }
            _ => None,
        };
        self.chosen_version(w, r, given, path, left)
    }

    // The recursion is at most DEEPEST levels deep.
    fn chosen_version(
        &mut self,
        w: TypeId,
        r: TypeId,
        given: Option<u32>,
        path: &mut Vec<TypeId>,
        left: &mut usize,
    ) -> Result<Target> {
        let number = match given {
            Some(given) => self.variant_of_version(r, given, &mut Vec::new()).unwrap_or(0),
            None => 0,
        };
        let Type::Union(of) = &*self.types.handle(r) else { return Ok(Target::Dead(r)) };
        let Some(&variant) = of.variants.get(number) else { return Ok(Target::Dead(r)) };
        let variant = self.types.meant(variant);
        // An older version may itself be built from older ones.
        let inner = match self.versions(variant) {
            Some(_) if path.contains(&variant) => Target::Dead(variant),
            Some(_) => {
                path.put(variant);
                let inner = self.chosen_version(w, variant, given, path, left)?;
                path.pop();
                inner
            }
            None => self.target(w, variant, path, left)?,
        };
        Ok(Target::Version { union: r, number, inner: inner.into() })
    }

    /// Returns the variant that leads to a version: the variant of that version, or else the first that leads there.
    fn variant_of_version(&self, r: TypeId, given: u32, seen: &mut Vec<TypeId>) -> Option<usize> {
        let versions = self.versions(r)?;
        if versions.own == given || seen.contains(&r) {
            return None;
        }
        if let Some(place) = versions.old.iter().position(|old| *old == given) {
            return Some(place + 1);
        }
        seen.put(r);
        let Type::Union(of) = self.types.get(r) else { return None };
        let mut older = of.variants.iter().zip(0..).skip(1);
        let leads = |variant: TypeId, seen: &mut Vec<TypeId>| {
            self.variant_of_version(self.types.meant(variant), given, seen).is_some()
        };
        older.find(|(variant, _)| leads(**variant, seen)).map(|(_, number)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_version() {
        let versions =
            Versions { names: vec!["User".into(), "Person".into()], own: 3, old: vec![1, 2] };
        let given = [
            ("User", Some(1)),
            ("Person", Some(1)),
            ("User@2", Some(2)),
            ("Person@17", Some(17)),
            ("User@4294967295", Some(u32::MAX)),
        ];
        for (name, version) in given {
            assert_eq!(versions.of(name), version, "{name}");
        }
        for name in [
            "",
            "user",
            "User@",
            "User@1",
            "User@0",
            "User@02",
            "User@+2",
            "User@2@2",
            "User@4294967296",
        ] {
            assert_eq!(versions.of(name), None, "{name}");
        }
    }
}
