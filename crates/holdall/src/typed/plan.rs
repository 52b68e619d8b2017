//! The schema of a Rust type, with the sites inside each site and the order of rows.

use alloc::vec::Vec;
use core::any::TypeId;

use super::dynamic_sites::DynamicSites;
use super::layout::{Member, TypedLayout};
use super::other::Other;
use super::plans;
use super::{Decode, Encode, TypeNumber, Types};
use crate::error::{Code, Error, Result};
use crate::memory::{self, GrowVec};
use crate::schema::{Schema, Type};

/// A type's place in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site(u32);

impl Site {
    pub(crate) const ROOT: Site = Site(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A Rust type's schema, ready to write and read rows.
pub(crate) struct Plan {
    pub(crate) schema: Schema,
    /// Where the sites inside each site begin in `children`, in the order of description.
    first: Vec<u32>,
    children: Vec<Site>,
    /// The same in the order of the schema, which differs where fields are flat.
    in_schema: Vec<u32>,
    /// The struct that each flat field is a part of. Their sites follow those of the schema, and have no columns.
    flat: Vec<Site>,
    /// Sites whose rows must be written and read one entire row at a time, because a definition is inside: its rows
    /// are in the order of the walk, from whichever site.
    row_major_only: Vec<bool>,
    /// An upper bound of the charge for a row of any site, with everything inside except in lists, maps and
    /// definitions (F-26).
    pub(crate) units_per_row: u64,
    /// Whether each type has a column of its own.
    pub(crate) with_columns: Vec<bool>,
    /// Whether a weak pointer can refer to a value that is not complete.
    pub(crate) has_weak: bool,
    /// Whether the plan is for data with another schema: fields with defaults are options.
    pub(crate) is_lenient: bool,
    /// The types that values decide, and the structs and records that keep unknown fields, in ascending order.
    pub(super) values: Vec<usize>,
    pub(super) unknown: Vec<usize>,
    /// What both need.
    pub(super) dynamic: Option<&'static dyn DynamicSites>,
    /// Whether a value that is an entire message can be inline: it has no definitions, no tensors, and no types that values
    /// decide.
    pub(crate) is_inline: bool,
    /// How to read data with other schemas; of a type that is read.
    pub(super) other: Option<Other>,
}

impl Plan {
    pub(super) fn new(layout: TypedLayout, has_weak: bool, other: Option<Other>) -> Plan {
        let TypedLayout { schema, flat, values, unknown, dynamic, .. } = layout;
        let types = schema.types();
        let (mut first, mut children) = (memory::with_capacity(types.len()), Vec::new());
        // At most 2^18 types.
        let site = |id: usize| Site(id as u32);
        for ty in types {
            first.put(children.len() as u32);
            match ty {
                // A tensor's elements are not rows of a site.
                Type::Tensor(_) => {}
                Type::Def(number) | Type::Shared(number) => {
                    children.put(site(schema.definitions()[*number]));
                }
                ty => children.put_each(ty.children().map(site)),
            }
        }
        let mut row_major_only = memory::filled(false, types.len());
        // Types precede the types inside them.
        for (id, ty) in types.iter().enumerate().rev() {
            let last = first.get(id + 1).map_or(children.len(), |next| *next as usize);
            let inside = &children[first[id] as usize..last];
            row_major_only[id] = matches!(ty, Type::Def(_) | Type::Shared(_))
                || inside.iter().any(|site| row_major_only[site.index()]);
        }
        let is_inline = schema.definitions().is_empty()
            && !types.iter().any(|ty| matches!(ty, Type::Tensor(_)))
            && values.is_empty();
        let with_columns = schema.with_columns();
        let mut items = memory::filled(1_u64, types.len());
        for (id, ty) in types.iter().enumerate() {
            let last = first.get(id + 1).map_or(children.len(), |next| *next as usize);
            let own = match ty {
                Type::Def(_) | Type::Shared(_) => continue,
                Type::Array(len, _) => items[id].saturating_mul(*len),
                _ => items[id],
            };
            children[first[id] as usize..last].iter().for_each(|site| items[site.index()] = own);
        }
        let units_per_row =
            items.iter().fold(0, |sum: u64, own| sum.saturating_add(own.saturating_mul(8)));
        let mut plan = Plan {
            in_schema: first.clone(),
            flat: Vec::new(),
            schema,
            first,
            children,
            row_major_only,
            units_per_row,
            with_columns,
            has_weak,
            is_lenient: false,
            values,
            unknown,
            dynamic,
            is_inline,
            other,
        };
        for (id, members) in flat {
            let mut parts = plan.in_schema[id] as usize;
            plan.first[id] = plan.add_members(site(id), &members, &mut parts);
        }
        plan
    }

    /// Adds the sites of the fields of a struct, or of a flat field, in the order of description. Returns where they begin.
    fn add_members(&mut self, owner: Site, members: &[Member], parts: &mut usize) -> u32 {
        let mut sites = memory::with_capacity(members.len());
        for member in members {
            sites.put(match member {
                Member::Own => {
                    *parts += 1;
                    self.children[*parts - 1]
                }
                Member::Flat(inside) => {
                    let first = self.add_members(owner, inside, parts);
                    self.flat.put(owner);
                    self.first.put(first);
                    self.row_major_only.put(self.row_major_only[owner.index()]);
                    Site(self.first.len() as u32 - 1)
                }
            });
        }
        let first = self.children.len() as u32;
        self.children.append(&mut sites);
        first
    }

    /// Returns a site inside a site, by its number in the schema.
    pub(crate) fn part(&self, site: Site, number: usize) -> Site {
        self.children[self.in_schema[site.index()] as usize + number]
    }

    /// Returns the site of the schema that a site is a part of, or the site itself.
    #[inline]
    pub(crate) fn in_schema(&self, site: Site) -> Site {
        match site.index().checked_sub(self.in_schema.len()) {
            None => site,
            Some(number) => self.flat[number],
        }
    }

    /// Returns a site inside a site, by its number in the order of description.
    #[inline]
    pub(crate) fn child(&self, site: Site, number: usize) -> Site {
        self.children[self.first[site.index()] as usize + number]
    }

    /// Returns the first sites inside a site.
    #[inline]
    pub(crate) fn children<const N: usize>(&self, site: Site) -> [Site; N] {
        let first = self.first[site.index()] as usize;
        let children = self.children.get(first..).and_then(<[Site]>::first_chunk);
        *children.expect("a description for each type")
    }

    #[inline]
    pub(crate) fn row_major_only(&self, site: Site) -> bool {
        self.row_major_only[site.index()]
    }

    #[inline]
    pub(crate) fn ty(&self, site: Site) -> &Type {
        let types = self.schema.types();
        // The comparison that indexing takes anyway: only flat fields have sites beyond those of the schema.
        types.get(site.index()).unwrap_or_else(|| &types[self.in_schema(site).index()])
    }

    /// Returns the number of a site among those whose types the values decide.
    #[inline]
    pub(super) fn value_site(&self, site: Site) -> Option<usize> {
        self.values.binary_search(&site.index()).ok()
    }

    /// Returns how many rows of a site were begun: those of the first site inside with as many for which `of` knows it.
    // The recursion is at most NESTING levels deep.
    pub(super) fn begun(&self, site: Site, of: &dyn Fn(Site) -> Option<usize>) -> Option<usize> {
        let inside = |number: usize| self.begun(self.part(site, number), of);
        match self.ty(site) {
            Type::Record(of) | Type::Struct(_, of) => (0..of.fields.len()).find_map(inside),
            Type::Tuple(items) => (0..items.len()).find_map(inside),
            Type::Logical(..) | Type::Extension(..) | Type::Packed(_) => inside(0),
            Type::Array(len, _) => inside(0).and_then(|rows| rows.checked_div(*len as usize)),
            Type::Union(of) if of.variants.len() == 1 => inside(0),
            _ => of(site),
        }
    }

    /// Returns the schema that all values have.
    ///
    /// # Errors
    /// `unsupported_value` if the values decide it.
    pub(crate) fn constant_schema(&self) -> Result<&Schema> {
        match self.values[..] {
            [] => Ok(&self.schema),
            _ => Err(without_schema(Code::UnsupportedValue)),
        }
    }

    /// Returns the plan of a type that is written.
    pub(crate) fn of_written<T: Encode + ?Sized>() -> Result<&'static Plan> {
        plans::get((typeid::of::<T>(), Direction::Write), Types::written::<T>)
    }

    /// Returns the plan of a type that is read.
    pub(crate) fn of_read<'de, T: Decode<'de>>() -> Result<&'static Plan> {
        plans::get((typeid::of::<T>(), Direction::Read), Types::read::<T>)
    }

    pub(super) fn make(
        describe: fn(&mut Types) -> TypeNumber,
        direction: Direction,
    ) -> Result<Plan> {
        let mut types = Types::default();
        let root = describe(&mut types);
        let (mut layout, has_weak) = (types.schema(root)?, types.has_weak);
        let other = match direction {
            Direction::Write => None,
            Direction::Read => {
                // Data of this schema have none.
                layout.unknown.clear();
                Other::of(types, &layout, describe)?
            }
        };
        Ok(Plan::new(layout, has_weak, other))
    }
}

/// The error for a type that contains a [`Value`](crate::Value), where a schema is needed before the values.
#[cold]
pub(super) fn without_schema(code: Code) -> Error {
    Error::new(code)
        .expected("a type whose values all have one schema")
        .got("one whose values decide it: it has Value or unknown fields inside")
}

/// A type can have one schema for writing and another for reading.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    Write,
    Read,
}

pub(super) type PlanKey = (TypeId, Direction);
