//! The choices that r offers for one type of w: options, unnamed unions, logical types and extensions (F-78, lines 5, 6, 11 and
//! 15).

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::annotations::Annotation;
use super::floats::FloatKind;
use super::options::Options;
use super::rules::{PairId, Pairs};
use super::types::{ReaderTypes, too_many};
use crate::error::Result;
use crate::memory::{self, GrowVec};
use crate::schema::{Scalar, Type, TypeId};

/// What r's options, unnamed unions, logical types and extensions offer for one type of w.
pub(super) enum Target {
    Pair(PairId),
    /// A null, read as the null of this option.
    Null(TypeId),
    /// A dead end: it leads back to this type without consuming anything.
    Dead(TypeId),
    Option(Box<Target>),
    /// An equal variant, or the variant with the struct's name; no other is tried.
    Only(Box<Target>),
    /// One of this union's variants.
    Union(TypeId, Vec<Candidate>),
    Wrapped(TypeId, Box<Target>),
    /// A variant among the versions of a struct.
    Version {
        union: TypeId,
        number: usize,
        inner: Box<Target>,
    },
}

/// A variant of r.
pub(super) struct Candidate {
    pub(super) target: Target,
    /// Whether the variant is of the same kind as w.
    pub(super) kin: bool,
}

/// The longest chain of options and unions to follow.
pub(super) const DEEPEST: usize = 128;
/// The most variants to compare for one pair.
pub(super) const MOST_TARGETS: usize = 1 << 14;

impl Pairs<'_> {
    /// Returns the choices in r. `path` holds the types passed on the way without consuming any part of w. The recursion is at most
    /// DEEPEST levels deep.
    pub(super) fn target(
        &mut self,
        w: TypeId,
        r: TypeId,
        path: &mut Vec<TypeId>,
        left: &mut usize,
    ) -> Result<Target> {
        let r = self.types.meant(r);
        let (writer, reader) = (self.types.handle(w), self.types.handle(r));
        if !self.leaves_choice(w, &writer, r, &reader)? {
            return Ok(Target::Pair(self.pair(w, r)?));
        }
        *left = left.saturating_sub(1);
        if path.contains(&r) {
            return Ok(Target::Dead(r));
        }
        if path.len() >= DEEPEST || *left == 0 {
            return Err(too_many());
        }
        path.put(r);
        let target = match &*reader {
            Type::Option(_) if *writer == Type::Null => Target::Null(r),
            Type::Option(inner) => Target::Option(self.target(w, *inner, path, left)?.into()),
            Type::Logical(_, inner) | Type::Extension(_, inner) => {
                Target::Wrapped(r, self.target(w, *inner, path, left)?.into())
            }
            Type::Union(of) if of.names.is_some() => self.version(w, &writer, r, path, left)?,
            Type::Union(of) => self.union(w, &writer, (r, &of.variants), path, left)?,
            _ => Target::Dead(r),
        };
        path.pop();
        Ok(target)
    }

    /// Whether r offers choices for w, given that w is neither an option nor an unnamed union.
    pub(super) fn leaves_choice(
        &mut self,
        w: TypeId,
        writer: &Type,
        r: TypeId,
        reader: &Type,
    ) -> Result<bool> {
        if self.is_serde_compat(w, r, reader)? || self.seconds(writer, reader).is_some() {
            return Ok(false);
        }
        let is_inside = matches!(writer, Type::Logical(..) | Type::Extension(..));
        Ok(leaves_choice(writer, reader)
            || !is_inside && matches!(self.annotation(r), Some(Annotation::Versions(_))))
    }

    /// Line 6.
    fn union(
        &mut self,
        w: TypeId,
        writer: &Type,
        (r, variants): (TypeId, &[TypeId]),
        path: &mut Vec<TypeId>,
        left: &mut usize,
    ) -> Result<Target> {
        for variant in variants {
            if self.types.are_equal(w, *variant)? {
                return Ok(Target::Only(self.target(w, *variant, path, left)?.into()));
            }
        }
        let name_of = |types: &ReaderTypes, variant: TypeId| match types.get(variant) {
            Type::Struct(name, _) => Some(Arc::clone(name)),
            _ => None,
        };
        let names: Vec<_> = variants.iter().map(|of| name_of(&self.types, *of)).collect();
        if let Type::Struct(name, _) = writer {
            self.look_up(names.iter().flatten())?;
            let by_alias = |known: &Option<Arc<str>>| {
                known.as_ref().is_some_and(|known| {
                    Options::aliases_of(&self.options.structs, known).contains(name)
                })
            };
            let by_name = names.iter().position(|known| known.as_ref() == Some(name));
            if let Some(number) = by_name.or_else(|| names.iter().position(by_alias)) {
                return Ok(Target::Only(self.target(w, variants[number], path, left)?.into()));
            }
        }
        let mut candidates = memory::with_capacity(variants.len());
        for (number, variant) in variants.iter().enumerate() {
            // A struct is never read as a struct of another name.
            if matches!(writer, Type::Struct(..)) && names[number].is_some() {
                continue;
            }
            let kin = are_kin(writer, self.types.get(*variant));
            let target = self.target(w, *variant, path, left)?;
            candidates.put(Candidate { target, kin });
        }
        Ok(Target::Union(r, candidates))
    }
}

/// Whether one of lines 5, 6, 11 and 15 applies.
fn leaves_choice(w: &Type, r: &Type) -> bool {
    match r {
        Type::Option(_) => true,
        Type::Union(of) => of.names.is_none(),
        Type::Logical(..) => !matches!(w, Type::Logical(..) | Type::Extension(..)),
        Type::Extension(..) => !matches!(w, Type::Extension(..)),
        _ => false,
    }
}

/// Whether two types are of one kind: the same type code, or both integers, or both floats.
pub(super) fn are_kin(w: &Type, r: &Type) -> bool {
    match (w, r) {
        (Type::Scalar(Scalar::Int(_)), Type::Scalar(Scalar::Int(_))) => true,
        (Type::Scalar(w), Type::Scalar(r)) if FloatKind::of(*w).is_some() => {
            FloatKind::of(*r).is_some()
        }
        (Type::Scalar(w), Type::Scalar(r)) => {
            core::mem::discriminant(w) == core::mem::discriminant(r)
        }
        (w, r) => core::mem::discriminant(w) == core::mem::discriminant(r),
    }
}
