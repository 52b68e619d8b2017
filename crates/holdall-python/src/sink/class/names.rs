//! The names that data have for a class and its fields.

use pyo3::prelude::*;
use pyo3::types::PyString;

use super::Class;

impl Class {
    /// Whether a name in data means the class, in any version.
    pub(in crate::sink) fn is_named(&self, name: &str) -> bool {
        self.names.contains(name) || self.bases.contains(without_version(name))
    }

    /// The attribute of a name in data.
    pub(super) fn attribute_of<'py>(
        &self,
        key: &Bound<'py, PyString>,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        let attribute = match &self.attributes {
            Some(attributes) => match attributes.bind(key.py()).get_item(key)? {
                Some(attribute) => Some(attribute.cast_into::<PyString>()?),
                None => None,
            },
            None => Some(key.clone()),
        };
        attribute.map(|name| self.own_name(name)).transpose()
    }

    /// Whether a name in data is the first of those of its attribute, in the order in which the class has them (F-79).
    pub(super) fn counts(
        &self,
        key: &Bound<'_, PyString>,
        attribute: &Bound<'_, PyString>,
        keys: &[Py<PyString>],
    ) -> PyResult<bool> {
        let Some(attributes) = &self.attributes else { return Ok(true) };
        for (name, of) in attributes.bind(key.py()).iter() {
            if of.eq(attribute)? {
                for given in keys {
                    if name.eq(given)? {
                        return name.eq(key);
                    }
                }
            }
        }
        Ok(true)
    }

    pub(super) fn own_name<'py>(
        &self,
        name: Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyString>> {
        let own = self.own_names.get(name.to_str()?).map(|own| own.bind(name.py()).clone());
        Ok(own.unwrap_or(name))
    }
}

/// Returns a name in data without the number of its version, `Name@2`.
pub(super) fn without_version(name: &str) -> &str {
    match name.rsplit_once('@') {
        Some((base, number))
            if (1..10).contains(&number.len())
                && !number.starts_with('0')
                && number.bytes().all(|digit| digit.is_ascii_digit()) =>
        {
            base
        }
        _ => name,
    }
}
