//! Packing values that are more than their storage: leaves of logical types, members of sets and
//! enums.
#![allow(unsafe_code, reason = "objects that others hold; each block has its proof")]

use std::ops::Range;

use arrayvec::ArrayVec;
use holdall::bindings::memory::{Grow, GrowVec};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::classes::{Enum, SmallClass, SmallMember};
use super::pack::{Kind, Walk, held};
use super::records::hash;
use crate::raw;
use crate::source::{self, LeafClass, LeafForm, WORDS, words_of};

/// The most variants of an enum at one site.
const MEMBERS: usize = 32;

impl<'w, 'py> Walk<'w, 'py> {
    pub(super) fn leaf_class(&self, object: Borrowed<'_, 'py, PyAny>) -> Option<&'w LeafClass> {
        let class = self.classes.find(object.get_type_ptr() as usize).ok()??;
        let SmallClass::Leaf(class) = self.classes.get(class) else { return None };
        Some(class)
    }

    /// Writes leaves of one form: part by part.
    pub(super) fn leaves(&mut self, form: &'static LeafForm, rows: Range<usize>) -> Option<()> {
        self.identify(rows.clone())?;
        self.count_sites(1 + form.parts.len())?;
        self.count(rows.len() * form.parts.len())?;
        // No two classes have leaves of one form.
        let class = self.leaf_class(self.cells[rows.start])?;
        self.writer.logical(form.kind, form.parameters);
        self.numbers.clear();
        if let [part] = form.parts
            && words_of(*part) == 1
        {
            self.numbers.room(rows.len());
            for at in rows {
                self.numbers.put(class.leaf(&self.cells[at])?.words[0]);
            }
            self.writer.words(*part, &self.numbers);
            return Some(());
        }
        let (mut few, mut many) = (ArrayVec::<[u64; WORDS], 1>::new(), Vec::new());
        if rows.len() > few.capacity() {
            many.room(rows.len());
        }
        for at in rows.clone() {
            let leaf = class.leaf(&self.cells[at])?;
            match rows.len() {
                1 => few.push(leaf.words),
                _ => many.put(leaf.words),
            }
        }
        let words = if rows.len() == 1 { &few[..] } else { &many };
        if form.parts.len() > 1 {
            self.writer.tuples(form.parts.len());
        }
        let mut first = 0;
        for part in form.parts {
            let after = first + words_of(*part);
            self.numbers.clear();
            self.numbers.put_each(words.iter().flat_map(|words| &words[first..after]).copied());
            self.writer.words(*part, &self.numbers);
            first = after;
        }
        Some(())
    }

    /// Appends the members of a set, in order, or the items of a tuple.
    pub(super) fn push_members(&mut self, object: Borrowed<'w, 'py, PyAny>) -> Option<()> {
        let first = self.cells.len();
        if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            self.count(tuple.len())?;
            // SAFETY: the tuple holds its items.
            self.cells.put_each(tuple.iter_borrowed().map(|item| unsafe { held(item) }));
            return Some(());
        }
        // SAFETY: nothing changes the set during the walk, and it holds its members.
        unsafe {
            let members = raw::members(&object)?;
            self.cells.put_each(members.map(|member| held(member)));
        }
        self.count(self.cells.len() - first)?;
        source::sort(&mut self.cells[first..]).ok()?.then_some(())
    }

    /// Writes members of an enum.
    pub(super) fn members(&mut self, class: usize, rows: Range<usize>) -> Option<()> {
        let SmallClass::Enum(Enum { name, members, .. }) = self.classes.get(class) else {
            return None;
        };
        let py = self.cells[0].py();
        let mut variants = ArrayVec::<&Py<PyString>, MEMBERS>::new();
        self.numbers.clear();
        self.numbers.room(rows.len());
        for at in rows {
            let Some((_, member)) = members.get(&(self.cells[at].as_ptr() as usize)) else {
                self.unknown = Some(self.cells[at]);
                return None;
            };
            let number = match member {
                SmallMember::Flag(bits) => bits.cast_unsigned(),
                SmallMember::Variant(name) => {
                    let known = variants.iter().position(|own| own.is(name));
                    if known.is_none() {
                        variants.try_push(name).ok()?;
                    }
                    known.unwrap_or(variants.len() - 1) as u64
                }
                SmallMember::Other => return None,
            };
            self.numbers.put(number);
        }
        self.count_sites(1 + variants.len())?;
        let name = name.bind(py).as_any().as_borrowed();
        self.writer.extension(hash(name)?, raw::text_of(name)?);
        if variants.is_empty() {
            self.writer.ints(&self.numbers);
            return Some(());
        }
        self.writer.choice(variants.len(), &self.numbers);
        for variant in variants {
            let name = variant.bind(py).as_any().as_borrowed();
            self.writer.variant(hash(name)?, raw::text_of(name)?);
        }
        Some(())
    }

    /// Checks that no two enums among the types at a site have one name: they would have one type.
    pub(super) fn check_names(&self, kinds: &[Kind]) -> Option<()> {
        let mut enums = kinds.iter().filter_map(|kind| match kind {
            Kind::Enum(class) => Some(*class),
            _ => None,
        });
        let Some(first) = enums.next() else { return Some(()) };
        enums.all(|class| !self.have_one_name(first, class)).then_some(())
    }
}
