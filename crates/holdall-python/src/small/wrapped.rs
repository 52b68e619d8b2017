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
use crate::source::{self, LeafClass, LeafForm, words_of};

/// The most variants of an enum at one site.
const MEMBERS: usize = 32;

impl<'w, 'py> Walk<'w, 'py> {
    pub(super) fn leaf_class(&self, object: Borrowed<'_, 'py, PyAny>) -> Option<&'w LeafClass> {
        let class = self.classes.find(object.get_type_ptr() as usize).ok()??;
        let SmallClass::Leaf(class) = self.classes.get(class) else { return None };
        Some(class)
    }

    /// Writes rows if all are leaves of one form, that of the first; returns whether they are.
    pub(super) fn leaves(&mut self, form: &'static LeafForm, rows: Range<usize>) -> Option<bool> {
        // No two classes have leaves of one form.
        let class = self.cells[rows.start].get_type_ptr();
        let leaves = self.leaf_class(self.cells[rows.start])?;
        let width = form.parts.iter().map(|part| words_of(*part)).sum();
        self.numbers.clear();
        self.numbers.room(rows.len() * width);
        for cell in &self.cells[rows.clone()] {
            if cell.get_type_ptr() != class {
                return Some(false);
            }
            let leaf = leaves.leaf(cell)?;
            if *leaf.form != *form {
                return Some(false);
            }
            leaf.words[..width].iter().for_each(|word| self.numbers.put(*word));
        }
        self.identify(rows.clone())?;
        self.count_sites(1 + form.parts.len())?;
        self.count(rows.len() * form.parts.len())?;
        self.writer.logical(form.kind, form.parameters);
        if form.parts.len() > 1 {
            self.writer.tuples(form.parts.len());
        }
        let (mut column, mut end) = (Vec::new(), 0);
        for part in form.parts {
            let own = end..end + words_of(*part);
            end = own.end;
            let words = if rows.len() == 1 {
                &self.numbers[own]
            } else if own.len() == width {
                &self.numbers
            } else {
                column.clear();
                let leaves = self.numbers.chunks_exact(width);
                column.put_each(leaves.flat_map(|words| &words[own.clone()]).copied());
                &column
            };
            self.writer.words(*part, words);
        }
        Some(true)
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
