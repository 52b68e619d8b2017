//! Packing the dicts and objects of a site: their shapes, and then field by field.
#![allow(unsafe_code, reason = "objects that others hold; each block has its proof")]

use std::ops::Range;

use holdall::bindings::memory::{self, Grow, GrowVec};
use holdall::bindings::{Shapes, is_data};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyString, PyTuple};

use super::classes::SmallClass;
use super::fields::{FIELDS, Gathered, hash_of_shape};
use super::pack::{Kind, Walk, held};
use super::place::{PlaceStep, SitePlace};
use crate::attributes::Own;
use crate::entries::{Entries, Pair};
use crate::raw;

/// The most shapes that the schema has: more are written row by row (F-53).
const SHAPES: usize = 16;

impl<'w, 'py> Walk<'w, 'py> {
    /// Writes dicts.
    pub(super) fn dicts(
        &mut self,
        rows: Range<usize>,
        place: &SitePlace<'_, 'w, 'py>,
    ) -> Option<()> {
        self.identify(rows.clone())?;
        let (keys, cells) = (self.keys.len(), self.cells.len());
        if rows.len() == 1 {
            let dict = self.cells[rows.start].cast_exact::<PyDict>().ok()?;
            if dict.len() > FIELDS
                || self.push_fields(None, rows.start).is_none()
                || is_map(&self.keys[keys..])
            {
                self.keys.truncate(keys);
                self.cells.truncate(cells);
                return self.maps(rows, place);
            }
            self.record(None, (keys, cells), place)?;
        } else {
            let (gathered, kinds) = self.gather_dicts(rows.clone(), place)?;
            match kinds {
                None => self.records(None, &gathered, place)?,
                Some(_) if gathered.rows.is_empty() => self.maps(rows, place)?,
                Some(kinds) => self.divided(rows, &kinds, Some(gathered), place)?,
            }
        }
        self.keys.truncate(keys);
        self.cells.truncate(cells);
        Some(())
    }

    /// Writes objects of a class.
    pub(super) fn objects(
        &mut self,
        class: usize,
        rows: Range<usize>,
        place: &SitePlace<'_, 'w, 'py>,
    ) -> Option<()> {
        self.identify(rows.clone())?;
        let is_known = |own: &usize| self.have_one_name(*own, class);
        if self.structs.iter().any(is_known) {
            return None;
        }
        self.structs.try_push(class).ok()?;
        let (keys, cells) = (self.keys.len(), self.cells.len());
        if rows.len() == 1 {
            self.push_fields(Some(class), rows.start)?;
            self.record(Some(class), (keys, cells), place)?;
        } else {
            let gathered = self.gather_objects(class, rows)?;
            self.records(Some(class), &gathered, place)?;
        }
        self.keys.truncate(keys);
        self.cells.truncate(cells);
        Some(())
    }

    /// Whether two classes have the same name in messages, and so one type.
    pub(super) fn have_one_name(&self, one: usize, other: usize) -> bool {
        let name = |class| raw::text_of(self.name_of(class)?);
        one == other || name(one) == name(other)
    }

    /// Returns the name of a class in messages.
    fn name_of(&self, class: usize) -> Option<Borrowed<'_, 'py, PyAny>> {
        let name = self.classes.get(class).name()?;
        Some(name.bind(self.cells[0].py()).as_any().as_borrowed())
    }

    /// Writes maps: their keys, and then their values.
    pub(super) fn maps(
        &mut self,
        rows: Range<usize>,
        place: &SitePlace<'_, 'w, 'py>,
    ) -> Option<()> {
        self.count_sites(2)?;
        let inside = place.inside(PlaceStep::Items(rows.clone()))?;
        let start = self.cells.len();
        self.numbers.clear();
        for at in rows.clone() {
            let dict = self.cells[at];
            let dict = dict.cast_exact::<PyDict>().ok()?;
            self.count(2 * dict.len())?;
            self.numbers.put(dict.len() as u64);
            self.cells.room(dict.len());
            // SAFETY: nothing changes the dict during the walk, and it holds its keys.
            unsafe {
                self.cells.put_each(Entries::of(&dict).map(|(key, _)| held(key)));
            }
        }
        self.writer.maps(&self.numbers);
        // Two of these are equal in data, but not in Python.
        let is_nan = |key: &Borrowed<'_, '_, PyAny>| {
            key.cast_exact::<PyFloat>().is_ok_and(|key| key.value().is_nan())
        };
        if self.cells[start..].iter().any(is_nan) {
            return None;
        }
        self.site(start..self.cells.len(), &inside)?;
        self.cells.truncate(start);
        for at in rows {
            let dict = self.cells[at];
            let dict = dict.cast_exact::<PyDict>().ok()?;
            self.cells.room(dict.len());
            // SAFETY: as above.
            unsafe {
                self.cells.put_each(Entries::of(&dict).map(|(_, value)| held(value)));
            }
        }
        self.site(start..self.cells.len(), &inside)?;
        self.cells.truncate(start);
        Some(())
    }

    /// Writes one dict or object, whose keys and values begin at these.
    fn record(
        &mut self,
        class: Option<usize>,
        (keys, cells): (usize, usize),
        place: &SitePlace<'_, 'w, 'py>,
    ) -> Option<()> {
        let count = self.keys.len() - keys;
        self.count(count)?;
        self.count_sites(count)?;
        if count > FIELDS {
            return None;
        }
        let step = match class {
            None => PlaceStep::FieldOfOne(self.check_record(keys, 0, place)?),
            Some(_) => PlaceStep::Struct,
        };
        let inside = place.inside(step)?;
        self.begin_records(class, count, Shapes::One)?;
        for field in 0..count {
            let key = self.keys[keys + field];
            self.writer.name(hash(key)?, raw::text_of(key)?);
            self.one(cells + field, &inside)?;
        }
        Some(())
    }

    fn begin_records(
        &mut self,
        class: Option<usize>,
        fields: usize,
        shapes: Shapes<'_>,
    ) -> Option<()> {
        let Some(class) = class else {
            self.writer.records(fields, shapes);
            return Some(());
        };
        let name = self.classes.get(class).name()?;
        let name = name.bind(self.cells[0].py()).as_any().as_borrowed();
        self.writer.structs((hash(name)?, raw::text_of(name)?), fields, shapes);
        Some(())
    }

    /// Checks that the first dict of a site that has entries does not fold into a record around it (F-50). Returns the
    /// hash of its shape.
    fn check_record(&self, keys: usize, row: usize, place: &SitePlace<'_, 'w, 'py>) -> Option<u64> {
        let keys = &self.keys[keys..];
        let shape = hash_of_shape(keys.iter().copied())?;
        (keys.is_empty() || !place.had_shape(shape, row, &self.cells)).then_some(shape)
    }

    /// Gathers the dicts of one site that are records. If some are maps, it also returns the kind of each dict (F-49).
    pub(super) fn gather_dicts(
        &mut self,
        rows: Range<usize>,
        place: &SitePlace<'_, 'w, 'py>,
    ) -> Option<(Gathered<'w, 'py>, Option<Vec<Kind>>)> {
        self.check_bound(rows.len(), self.cells[rows.start].cast_exact::<PyDict>().ok()?.len())?;
        let keys = self.keys.len();
        let mut gathered = Gathered::default();
        let (mut is_decided, mut has_map) = (false, false);
        // The kinds of the rows so far, from the first map on.
        let mut kinds: Option<Vec<Kind>> = None;
        for at in rows.clone() {
            if is_decided && self.push_like(&gathered, at) {
                gathered.add_like_latest(self.cells.len() - gathered.latest.len());
                self.count(gathered.latest.len())?;
                kinds.iter_mut().for_each(|kinds| kinds.put(Kind::Dict));
                continue;
            }
            let (dict, start) = (self.cells[at], self.cells.len());
            let len = dict.cast_exact::<PyDict>().ok()?.len();
            let has_names = self.push_fields(None, at).is_some();
            let mut is_record = has_names && (!has_map || is_decided);
            if is_record && !is_decided && len > 0 {
                // The first dict decides, also for the empty ones before.
                is_record = !is_map(&self.keys[keys..]);
                is_decided = is_record;
                if is_record {
                    self.check_record(keys, at - rows.start, place)?;
                } else {
                    kinds = Some(memory::filled(Kind::Map, at - rows.start));
                    gathered = Gathered::default();
                }
            }
            if is_record {
                is_record = gathered.add(&self.keys[keys..], start)?;
            }
            self.keys.truncate(keys);
            if is_record {
                self.count(len)?;
            } else {
                has_map = true;
                self.cells.truncate(start);
                kinds.get_or_insert_with(|| memory::filled(Kind::Dict, at - rows.start));
            }
            let kind = if is_record { Kind::Dict } else { Kind::Map };
            kinds.iter_mut().for_each(|kinds| kinds.put(kind));
        }
        Some((gathered, kinds))
    }

    fn gather_objects(&mut self, class: usize, rows: Range<usize>) -> Option<Gathered<'w, 'py>> {
        let keys = self.keys.len();
        let mut gathered = Gathered::default();
        for at in rows.clone() {
            let start = self.cells.len();
            self.push_fields(Some(class), at)?;
            if gathered.rows.is_empty() {
                self.check_bound(rows.len(), self.cells.len() - start)?;
            }
            self.count(self.cells.len() - start)?;
            let own = &self.keys[keys..];
            let is_like = own.len() == gathered.latest.len()
                && own.iter().zip(&gathered.latest).all(|(own, latest)| own.is(latest));
            if is_like && !gathered.rows.is_empty() {
                gathered.add_like_latest(start);
            } else if !gathered.add(own, start)? {
                return None;
            }
            self.keys.truncate(keys);
        }
        Some(gathered)
    }

    /// Appends the values of a dict whose keys are those of the row before; otherwise changes nothing.
    #[inline]
    fn push_like(&mut self, gathered: &Gathered<'w, 'py>, at: usize) -> bool {
        let (object, start) = (self.cells[at], self.cells.len());
        let Ok(dict) = object.cast_exact::<PyDict>() else { return false };
        let latest = &gathered.latest[..];
        if latest.is_empty() || dict.len() != latest.len() {
            return false;
        }
        self.cells.room(latest.len());
        // SAFETY: nothing changes the dict during the walk, and it holds its values.
        let entries = unsafe { Entries::of(&dict) };
        for ((key, value), latest) in entries.zip(latest) {
            if !key.is(latest) {
                self.cells.truncate(start);
                return false;
            }
            // SAFETY: as above.
            self.cells.put(unsafe { held(value) });
        }
        true
    }

    /// Writes the records gathered at a site.
    pub(super) fn records(
        &mut self,
        class: Option<usize>,
        gathered: &Gathered<'w, 'py>,
        place: &SitePlace<'_, 'w, 'py>,
    ) -> Option<()> {
        let start = self.cells.len();
        let inside = |field| match class {
            None => place.inside(PlaceStep::Field(gathered, field)),
            Some(_) => place.inside(PlaceStep::Struct),
        };
        let count = gathered.fields.len();
        self.count_sites(count)?;
        match gathered.shape_count() {
            ..=1 => self.begin_records(class, count, Shapes::One)?,
            2..=SHAPES => self.begin_records(class, count, Shapes::Several(&gathered.rows))?,
            _ => {
                let fields = || gathered.row_fields();
                let (mut counts, mut numbers) = (Vec::new(), Vec::new());
                counts.put_each(fields().map(|fields| fields.len() as u64));
                fields().for_each(|fields| {
                    numbers.put_each(fields.iter().map(|field| u64::from(*field)));
                });
                let shapes = Shapes::Sparse { counts: &counts, fields: &numbers };
                self.begin_records(class, count, shapes)?;
            }
        }
        if gathered.shape_count() <= 1 {
            for (field, key) in gathered.fields.iter().enumerate() {
                self.writer.name(hash(*key)?, raw::text_of(*key)?);
                let inside = inside(field)?;
                if self.scalars(gathered.starts.iter().map(|row| row + field))? {
                    continue;
                }
                self.cells.room(gathered.starts.len());
                for row in &gathered.starts {
                    self.cells.put(self.cells[row + field]);
                }
                self.others(start..self.cells.len(), &inside)?;
                self.cells.truncate(start);
            }
        } else {
            self.fields_in_turn(gathered, inside)?;
        }
        if (2..=SHAPES).contains(&gathered.shape_count()) {
            self.writer.shapes((0..gathered.shape_count()).map(|shape| gathered.shape_at(shape)));
        }
        self.cells.truncate(start);
        Some(())
    }

    /// Writes the fields of records that have several shapes.
    fn fields_in_turn<'p>(
        &mut self,
        gathered: &Gathered<'w, 'py>,
        inside: impl Fn(usize) -> Option<SitePlace<'p, 'w, 'py>>,
    ) -> Option<()>
    where
        'w: 'p,
        'py: 'p,
    {
        // Where the cells of each field begin.
        let mut places = memory::filled(0, gathered.fields.len());
        for (shape, rows) in gathered.rows_of_shapes().into_iter().enumerate() {
            gathered.shape_at(shape).iter().for_each(|field| places[*field as usize] += rows);
        }
        let mut start = self.cells.len();
        self.room_by_kind(&mut places);
        for (row, fields) in gathered.starts.iter().zip(gathered.row_fields()) {
            for (at, field) in fields.iter().enumerate() {
                let place = &mut places[*field as usize];
                self.cells[*place] = self.cells[row + at];
                *place += 1;
            }
        }
        for (field, (key, end)) in gathered.fields.iter().zip(places).enumerate() {
            self.writer.name(hash(*key)?, raw::text_of(*key)?);
            self.site(start..end, &inside(field)?)?;
            start = end;
        }
        Some(())
    }

    /// Appends the keys and values of a dict, or the names and values of an object's attributes.
    #[inline]
    fn push_fields(&mut self, class: Option<usize>, at: usize) -> Option<()> {
        let object = self.cells[at];
        if let Ok(dict) = object.cast_exact::<PyDict>() {
            // SAFETY: nothing changes the dict during the walk.
            return self.push_all(unsafe { Entries::of(&dict) });
        }
        let (py, keys) = (object.py(), self.keys.len());
        let (slots, has_dict) = match self.classes.get(class?) {
            SmallClass::Object { slots, has_dict, .. } => (slots, *has_dict),
            SmallClass::Row { fields, .. } => {
                let tuple =
                    object.cast::<PyTuple>().ok().filter(|row| row.len() == fields.len())?;
                for (name, item) in fields.iter().zip(tuple.iter_borrowed()) {
                    // SAFETY: the tuple holds the item, and its class the name.
                    unsafe {
                        self.keys.put(held(name.bind(py).as_any().as_borrowed()));
                        self.cells.put(held(item));
                    }
                }
                return Some(());
            }
            _ => return None,
        };
        for (name, slot) in slots {
            // SAFETY: nothing changes the object during the walk; its class holds the name.
            unsafe {
                if let Some(value) = slot.get_borrowed(&object) {
                    self.keys.put(held(name.bind(py).as_any().as_borrowed()));
                    self.cells.put(held(value));
                }
            }
        }
        if !has_dict {
            return Some(());
        }
        let beside = self.keys.len();
        // SAFETY: as above.
        if let Some(own) = unsafe { Own::of(&object) } {
            self.push_all(own)?;
        } else {
            let dict = raw::dict_of(&object)?;
            // SAFETY: as above, as the object holds the dict.
            self.push_all(unsafe { Entries::of(&dict) })?;
        }
        let (in_slots, in_dict) = self.keys[keys..].split_at(beside - keys);
        let is_double = |key: &Borrowed<'_, '_, PyAny>| {
            in_slots.iter().any(|own| raw::text_of(*own) == raw::text_of(*key))
        };
        (in_slots.is_empty() || !in_dict.iter().any(is_double)).then_some(())
    }

    #[inline]
    fn push_all<'a>(&mut self, fields: impl Iterator<Item = Pair<'a, 'py>>) -> Option<()>
    where
        'py: 'a,
    {
        for (key, value) in fields {
            if !key.is_exact_instance_of::<PyString>() {
                return None;
            }
            // SAFETY: the container of both holds them.
            unsafe {
                self.keys.put(held(key));
                self.cells.put(held(value));
            }
        }
        Some(())
    }
}

/// Whether the first dict of a site that has entries is a map, by its keys, which are text (F-49).
fn is_map(keys: &[Borrowed<'_, '_, PyAny>]) -> bool {
    let is_name =
        |key: &Borrowed<'_, '_, PyAny>| raw::text_of(*key).is_some_and(|key| !is_data(key));
    keys.len() > FIELDS || !(keys.is_empty() || keys.iter().any(is_name))
}

/// The hash of a name, the same in the entire message.
#[inline]
pub(super) fn hash(name: Borrowed<'_, '_, PyAny>) -> Option<u64> {
    Some(raw::hash_of(name)?.cast_unsigned() as u64)
}
