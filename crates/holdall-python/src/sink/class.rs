//! How objects of a named type are built: found once per name and call, by `holdall._classes`.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use holdall::{Code, Error};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::types::{ANY, NodeId};

/// When an object comes into being, and what of.
pub enum How<'py> {
    /// At once; each field becomes an attribute.
    Fields { new: Bound<'py, PyAny> },
    /// At once; a function takes all fields at the end.
    Fill { new: Bound<'py, PyAny>, fill: Bound<'py, PyAny> },
    /// At the end, by a function that takes all fields.
    Build(Bound<'py, PyAny>),
    /// A dict, at once.
    Dict,
}

pub struct Class<'py> {
    pub how: How<'py>,
    /// Attributes by field; without it each field is an attribute of its own name.
    attributes: Option<Bound<'py, PyDict>>,
    /// Attributes that are in slots.
    slots: HashSet<String>,
    has_dict: bool,
    defaults: Vec<Default<'py>>,
    required: Vec<String>,
    nodes: HashMap<String, NodeId>,
    pub post: Option<Bound<'py, PyAny>>,
    /// Fields that the class does not have are an error.
    deny_extra: bool,
    pub names: HashSet<String>,
}

/// Field, attribute, default, factory of the default.
type Default<'py> = (String, Bound<'py, PyString>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// What is not there: attribute, whether it is in a slot, default, factory.
type Absent<'py> = (Bound<'py, PyString>, bool, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Where the value of one field goes.
pub enum Place<'py> {
    /// Nowhere.
    Skip,
    /// Into the object's dict, or the fields that a function takes.
    Key(Bound<'py, PyString>),
    /// Into an attribute that is no key of the dict.
    Slot(Bound<'py, PyString>),
}

/// Where the values of one shape of a class go.
pub struct Layout<'py> {
    pub places: Vec<(Place<'py>, NodeId)>,
    pub absent: Vec<Absent<'py>>,
}

/// A name that Python gives a meaning: data must not.
fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

impl<'py> Class<'py> {
    pub fn of(plan: &Bound<'py, PyAny>) -> PyResult<Rc<Class<'py>>> {
        let how = match &*plan.getattr("kind")?.extract::<String>()? {
            "fields" => How::Fields { new: plan.getattr("new")? },
            "fill" => How::Fill { new: plan.getattr("new")?, fill: plan.getattr("fill")? },
            "build" => How::Build(plan.getattr("build")?),
            _ => How::Dict,
        };
        Ok(Rc::new(Class {
            how,
            attributes: plan.getattr("attributes")?.extract()?,
            slots: plan.getattr("slots")?.extract()?,
            has_dict: plan.getattr("has_dict")?.extract()?,
            defaults: plan.getattr("defaults")?.extract()?,
            required: plan.getattr("required")?.extract()?,
            nodes: plan.getattr("nodes")?.extract()?,
            post: plan.getattr("post")?.extract()?,
            deny_extra: plan.getattr("deny_extra")?.extract()?,
            names: plan.getattr("names")?.extract()?,
        }))
    }

    /// Whether a mapping of these keys has all that the class needs, and how many of them it has a place for.
    pub fn fits<'k>(&self, keys: impl Iterator<Item = &'k str> + Clone) -> Option<usize> {
        let mut required = self.required.iter();
        if !required.all(|name| keys.clone().any(|key| key == name)) {
            return None;
        }
        Some(keys.filter(|key| self.nodes.contains_key(*key)).count())
    }

    /// Where the fields of a shape go.
    pub fn layout(&self, keys: &[Bound<'py, PyString>]) -> PyResult<Result<Layout<'py>, Error>> {
        let mut places = Vec::with_capacity(keys.len());
        let mut given: HashSet<String> = HashSet::new();
        for key in keys {
            let field = key.to_str()?;
            let node = self.nodes.get(field).copied().unwrap_or(ANY);
            let attribute = match &self.attributes {
                Some(attributes) => match attributes.get_item(key)? {
                    Some(attribute) => Some(attribute.cast_into::<PyString>()?),
                    None => None,
                },
                None => Some(key.clone()),
            };
            let attribute = attribute.filter(|attribute| given.insert(attribute.to_string()));
            let Some(attribute) = attribute else {
                if self.deny_extra {
                    return Ok(Err(Error::new(Code::UnknownField)
                        .expected("fields that the type has")
                        .got(format!("{field:?}"))));
                }
                places.push((Place::Skip, ANY));
                continue;
            };
            let name = attribute.to_str()?;
            let place = if !matches!(self.how, How::Fields { .. }) {
                Place::Key(attribute)
            } else if self.slots.contains(name) {
                Place::Slot(attribute)
            } else if self.has_dict && !is_dunder(name) {
                Place::Key(attribute)
            } else {
                Place::Skip
            };
            places.push((place, node));
        }
        let missing = self.required.iter().find(|name| {
            !keys.iter().any(|key| key.to_str().is_ok_and(|key| key == **name)) && {
                let attribute = self.attributes.as_ref().and_then(|all| all.get_item(name).ok()?);
                attribute.is_none_or(|attribute| !given.contains(&attribute.to_string()))
            }
        });
        if let Some(missing) = missing {
            return Ok(Err(Error::new(Code::MissingField)
                .expected(format!("the field {missing:?}"))
                .got("none, and it has no default")));
        }
        let mut absent = Vec::new();
        for (_, attribute, default, factory) in &self.defaults {
            let name = attribute.to_str()?;
            if !given.contains(name) {
                let is_slot = self.slots.contains(name);
                absent.push((attribute.clone(), is_slot, default.clone(), factory.clone()));
            }
        }
        Ok(Ok(Layout { places, absent }))
    }
}
