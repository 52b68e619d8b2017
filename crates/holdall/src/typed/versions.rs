//! Structs with several versions: data of an older version are read as its type, and converted to the current one.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::fmt::Display;

use super::{Decode, Description, Rows, Site, TypeNumber, Types};
use crate::error::Result;
use crate::memory::GrowVec;
use crate::resolution::{Annotation, Versions, versioned};
use crate::schema::Type;

/// Converts a value of an older version to the current one: by a function that returns it or a `Result`. `How`
/// distinguishes these.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "an upgrade is a function from an older type to `{New}`, or to a `Result` of it whose error is `Display`",
    label = "not such a function"
)]
pub trait Upgrade<Old, New, How> {
    /// Calls the function.
    ///
    /// # Errors
    /// The function's error as text.
    fn upgrade(self, old: Old) -> Result<New, String>;
}

/// A function that returns the value.
#[doc(hidden)]
pub struct Infallible;

/// A function that returns a `Result`.
#[doc(hidden)]
pub struct Fallible<E>(core::marker::PhantomData<E>);

impl<F: FnOnce(Old) -> New, Old, New> Upgrade<Old, New, Infallible> for F {
    fn upgrade(self, old: Old) -> Result<New, String> {
        Ok(self(old))
    }
}

impl<F, Old, New, E> Upgrade<Old, New, Fallible<E>> for F
where
    F: FnOnce(Old) -> Result<New, E>,
    E: Display,
{
    fn upgrade(self, old: Old) -> Result<New, String> {
        self(old).map_err(|error| error.to_string())
    }
}

/// An older version, and the function that describes its type.
#[doc(hidden)]
pub type OldVersion = (u32, fn(&mut Types) -> TypeNumber);

impl Types {
    /// Returns the number of the type that a function converts to a `New`.
    pub fn read_upgrade<'de, New, Old: Decode<'de>, How>(
        &mut self,
        _: impl Upgrade<Old, New, How>,
    ) -> TypeNumber {
        self.read::<Old>()
    }

    /// Describes a struct with its older versions. `names` are its own without a version, and the aliases.
    pub fn versions(
        &mut self,
        current: Description,
        version: u32,
        names: &[&str],
        old: &[OldVersion],
    ) -> Description {
        self.differs = true;
        let Some(name) = names.first().filter(|_| self.lenient) else { return current };
        let mut variants = vec![(versioned(name, version), self.add(current.in_place()))];
        for (version, describe) in old {
            variants.put((versioned(name, *version), describe(self)));
        }
        let versions = Versions {
            names: names.iter().map(|&name| name.into()).collect(),
            own: version,
            old: old.iter().map(|(version, _)| *version).collect(),
        };
        Description::variants(variants.iter().map(|(name, number)| (&**name, *number)))
            .entered()
            .annotated(Annotation::Versions(Arc::new(versions)))
    }
}

impl<'de> Rows<'_, 'de> {
    /// Whether the rows of a struct can have older versions: only in data with another schema.
    #[must_use]
    pub fn has_versions(&self, site: Site) -> bool {
        matches!(self.plan.ty(site), Type::Union(_))
    }

    /// Returns the version of a row of a struct, 0 for the current one or else in the order of description, and its
    /// site.
    ///
    /// # Errors
    /// `bad_source` at a site of another type.
    pub fn version(&mut self, site: Site) -> Result<(usize, Site)> {
        match self.plan.ty(site) {
            Type::Union(_) => {
                let number = self.number(site)?;
                Ok((number, self.child(site, number)))
            }
            _ => Ok((0, site)),
        }
    }

    /// Reads a value of an older version at the site `old`, for a row of `site`, and converts it to the current
    /// version.
    ///
    /// # Errors
    /// As [`Decode::read`]; `unconvertible` with the function's error.
    pub fn upgraded<New, Old: Decode<'de>, How>(
        &mut self,
        site: Site,
        old: Site,
        upgrade: impl Upgrade<Old, New, How>,
    ) -> Result<New> {
        let (place, begun) = self.begun(site);
        let old = Old::read(old, self)?;
        let row = begun.map(|begun| begun.saturating_sub(1));
        upgrade.upgrade(old).map_err(|why| self.refused::<New>(place, row, why))
    }
}
