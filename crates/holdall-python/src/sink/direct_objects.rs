//! Direct build of dicts and objects from rows.

use holdall::bindings::BlockReader;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Builder;
use super::charges;
use super::class::{How, Learned, Place};
use super::own_form::Form;
use super::steps::{FieldSteps, RowForm, Several, What};
use super::stop::Stop;
use crate::{entries, raw};

impl<'py> Builder<'py, '_> {
    #[inline(never)]
    pub(super) fn make_row(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        row: usize,
        levels: usize,
        is_outermost: bool,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        if rows.is_sparse(site)
            && let Some(fields) = self.fields_of(rows, row, site)
        {
            let made = raw::dict(py);
            let dict = self.done(made)?;
            self.fill_sparse(rows, site, fields, &dict, levels)?;
            return Some(dict.into_any());
        }
        let shape = self.got(rows.shape(site))?;
        let known = self.kept.steps.form_of(row, shape, rows.shape_of(shape).0);
        let RowForm { values, what, runs_code } = match known {
            Some(known) => known,
            None => match self.find_form(rows, row, shape) {
                Some(found) => found,
                None => {
                    self.direct.stop.get_or_insert(Stop::Other);
                    return None;
                }
            },
        };
        if runs_code && !is_outermost {
            return self.stop(Stop::Code);
        }
        if let What::Holder(layout) = what {
            return self.make_holder(rows, values, layout, levels);
        }
        let first = self.gather(rows, values, levels)?;
        self.made_of_values(shape, what, runs_code, first)
    }

    /// Builds an object of a subclass of a builtin class. The entries of a dict go into the object itself: to copy them from another
    /// dict took a fifteenth of the time.
    #[inline(never)]
    fn make_holder(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        values: Several,
        layout: usize,
        levels: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        self.container(values.len)?;
        let own = self.kept.layout(layout);
        let (beyond, content) = (own.beyond, own.content);
        let Some(form) = own.class.form(py).cloned() else { return self.stop(Stop::Other) };
        // Since the layout was learned, the class can have changed.
        if form.get().runs_code_when_freed(py) {
            return self.stop(Stop::Other);
        }
        self.got(charges::take(beyond))?;
        let made = form.get().new_object(py);
        let object = self.done(made)?;
        for at in 0..values.len {
            let step = self.kept.steps.at(values, at);
            if Some(at) == content
                && let Some(dict) = form.get().dict_in(&object)
            {
                self.fill_dict(rows, step, dict, levels)?;
                continue;
            }
            let value = self.make_item(rows, step, levels)?;
            let set = match self.kept.layout(layout).places[at].0.key() {
                _ if Some(at) == content => form.get().fill_content(&object, value),
                Some(name) if form.get().has_descriptor(name.bind(py)) => {
                    return self.stop(Stop::Other);
                }
                Some(name) => raw::set_attribute(&object, name.bind(py), &value),
                None => Ok(()),
            };
            self.done(set)?;
        }
        let made = Ok(object);
        self.note_weight(&made);
        made.ok()
    }

    /// Builds a dict or object of the values from `first` on.
    #[inline(never)]
    fn made_of_values(
        &mut self,
        shape: usize,
        what: What,
        runs_code: bool,
        first: usize,
    ) -> Option<Bound<'py, PyAny>> {
        let py = self.py;
        if let Some(layout) = what.layout() {
            let beyond = self.kept.layout(layout).beyond;
            if beyond > 0 {
                self.got(charges::take(beyond))?;
            }
        }
        if runs_code {
            self.may_cycle = true;
            let What::Form(layout) = what else { return self.stop(Stop::Other) };
            let made = match &self.kept.layout(layout).class.how {
                How::Fill { new, .. } => {
                    let new = new.clone_ref(py);
                    self.fill_by_form(layout, first, new.bind(py))
                }
                _ => self.make_by_form(layout, first),
            };
            self.note_weight(&made);
            return match made {
                Ok(made) => Some(made),
                // It would run again if events built the value.
                Err(exception) => {
                    let error = self.fail(exception);
                    self.stop(Stop::Raised(Box::new(error)))
                }
            };
        }
        let made = match what {
            What::Dict => self.kept.begin_dict(py, shape).and_then(|dict| {
                let values = self.direct.values.drain(first..);
                entries::fill(&dict, self.kept.keys(shape), values)?;
                Ok(dict.into_any())
            }),
            What::Fields(layout) => self.kept.begin_fields(py, layout).and_then(|dict| {
                let places = &self.kept.layout(layout).places;
                for ((place, _), value) in places.iter().zip(self.direct.values.drain(first..)) {
                    if let Place::Key(key, at) = place {
                        entries::set(&dict, 1, *at, key.bind(py), value)?;
                    }
                }
                self.set_absent(layout, None, Some(&dict), None)?;
                Ok(dict.into_any())
            }),
            What::Object(layout) => self.make_object(layout, first),
            What::Call(layout, names) => {
                let How::Construct(class, _) = &self.kept.layout(layout).class.how else {
                    return self.stop(Stop::Other);
                };
                let names = self.kept.steps.names(names).bind(py);
                let made = raw::call_by_names(class.bind(py), &self.direct.values[first..], names);
                self.direct.values.truncate(first);
                made
            }
            What::Items(layout) => {
                let items = raw::tuple_of(py, self.direct.values.drain(first..).map(Ok));
                match (items, self.kept.layout(layout).class.form(py)) {
                    (Ok(items), Some(form)) => form.get().make_row(items),
                    (items, _) => items.map(Bound::into_any),
                }
            }
            // Its content is read into it.
            What::Holder(_) => return self.stop(Stop::Other),
            What::Form(layout) => {
                let made = self.make_by_form(layout, first);
                self.note_weight(&made);
                made
            }
        };
        self.done(made)
    }

    /// Returns the keys and steps of a row's fields, for rows that list theirs and become dicts.
    #[inline]
    pub(super) fn fields_of(
        &mut self,
        rows: &BlockReader<'_, '_>,
        row: usize,
        site: usize,
    ) -> Option<FieldSteps> {
        match self.kept.steps.fields_of(row) {
            None => self.find_fields(rows, row, site),
            known => known,
        }
    }

    /// Fills a dict from a row that lists its fields.
    pub(super) fn fill_sparse(
        &mut self,
        rows: &mut BlockReader<'_, '_>,
        site: usize,
        of: FieldSteps,
        dict: &Bound<'py, PyDict>,
        levels: usize,
    ) -> Option<()> {
        let py = self.py;
        let first = self.direct.fields.len();
        rows.sparse(site, &mut self.direct.fields);
        let count = self.direct.fields.len() - first;
        self.container(count)?;
        for at in 0..count {
            let field = self.direct.fields[first + at];
            let value = self.make_item(rows, self.kept.steps.at(of.values, field), levels)?;
            let set = dict.set_item(self.kept.steps.key_of(of, field).bind(py), value);
            self.done(set)?;
        }
        self.direct.fields.truncate(first);
        Some(())
    }

    /// Builds an object by the form of its class, from the fields that are the values from `first` on.
    pub(super) fn make_by_form(
        &mut self,
        layout: usize,
        first: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let own = self.kept.layout(layout);
        if let ([(place, _)], [value]) = (&own.places[..], &self.direct.values[first..])
            && let (Some(key), Some(form)) = (place.key(), own.class.form(py))
            && let Some(made) = form.get().make_of_arguments(key.bind(py), value)
        {
            self.direct.values.truncate(first);
            return made;
        }
        let (fields, form) = self.fields_and_form(layout, first)?;
        form.get().make(fields.into_any())
    }

    /// Builds an object by a function of its class, and fills it by the form.
    fn fill_by_form(
        &mut self,
        layout: usize,
        first: usize,
        new: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (fields, form) = self.fields_and_form(layout, first)?;
        let object = new.call0()?;
        form.get().fill(&object, fields.into_any())?;
        Ok(object)
    }

    /// Returns the fields that are the values from `first` on, and the form of their class.
    fn fields_and_form(
        &mut self,
        layout: usize,
        first: usize,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, Form>)> {
        let py = self.py;
        let fields = self.kept.begin_fields(py, layout)?;
        let own = self.kept.layout(layout);
        for ((place, _), value) in own.places.iter().zip(self.direct.values.drain(first..)) {
            if let Place::Key(key, at) = place {
                entries::set(&fields, 1, *at, key.bind(py), value)?;
            }
        }
        let Some(form) = own.class.form(py) else {
            return Err(PyTypeError::new_err("a class without a form"));
        };
        Ok((fields, form.clone()))
    }

    /// Builds an object whose attributes are the values from `first` on.
    pub(super) fn make_object(
        &mut self,
        layout: usize,
        first: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let own = self.kept.layout(layout);
        let How::Fields { new } = &own.class.how else {
            return Err(PyTypeError::new_err("no object of attributes"));
        };
        let object = own.class.new_object(new, &self.empty)?;
        if let Learned::Known(places) = &own.attributes
            && places.fill(&object, &mut self.direct.values, first)
        {
            return Ok(object);
        }
        for ((place, _), value) in own.places.iter().zip(self.direct.values.drain(first..)) {
            place.set(&object, value)?;
        }
        // None is made by a factory: that is code of the program.
        self.set_absent(layout, Some(&object), None, None)?;
        self.kept.learn_attributes(layout, &object);
        Ok(object)
    }
}
