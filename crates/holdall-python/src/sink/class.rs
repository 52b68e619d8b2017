//! How objects of a named type are built: found once per name and call, by `holdall._classes`.

use std::cell::RefCell;
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
    plan: Bound<'py, PyAny>,
    /// Names in data of the class as it is now; and its names without their versions.
    pub names: HashSet<String>,
    bases: HashSet<String>,
    /// The number of the attribute that each field is, and of those that a value of the class has.
    fields: HashMap<String, usize>,
    needed: Vec<usize>,
    attribute_count: usize,
    others: RefCell<HashMap<String, Rc<Class<'py>>>>,
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
    /// With `chooses`, it is one of several that a mapping may become.
    pub fn of(plan: &Bound<'py, PyAny>, chooses: bool) -> PyResult<Rc<Class<'py>>> {
        let how = match &*plan.getattr("kind")?.extract::<String>()? {
            "fields" => How::Fields { new: plan.getattr("new")? },
            "fill" => How::Fill { new: plan.getattr("new")?, fill: plan.getattr("fill")? },
            "build" => How::Build(plan.getattr("build")?),
            _ => How::Dict,
        };
        let by_field: HashMap<String, String> =
            if chooses { plan.getattr("fields")?.extract()? } else { HashMap::new() };
        let mut numbers = HashMap::new();
        let mut fields = HashMap::new();
        for (field, attribute) in by_field {
            let next = numbers.len();
            fields.insert(field, *numbers.entry(attribute).or_insert(next));
        }
        let needed: Vec<String> =
            if chooses { plan.getattr("needed")?.extract()? } else { Vec::new() };
        let bases: HashSet<String> = plan.getattr("bases")?.extract()?;
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
            plan: plan.clone(),
            names: plan.getattr("names")?.extract()?,
            bases,
            needed: needed.iter().filter_map(|name| fields.get(name).copied()).collect(),
            fields,
            attribute_count: numbers.len(),
            others: RefCell::default(),
        }))
    }

    /// How errors name the class.
    pub fn title(&self) -> PyResult<String> {
        self.plan.getattr("title")?.extract()
    }

    /// Whether a name in data is of the class, in any version.
    fn is_named(&self, name: &str) -> bool {
        self.names.contains(name) || self.bases.contains(without_version(name))
    }

    /// How data of this name are made, which may be those of another version.
    pub fn at(self: &Rc<Self>, name: &str) -> PyResult<Rc<Class<'py>>> {
        if self.names.contains(name) || !self.bases.contains(without_version(name)) {
            return Ok(Rc::clone(self));
        }
        if let Some(other) = self.others.borrow().get(name) {
            return Ok(Rc::clone(other));
        }
        let plan = self.plan.call_method1("of_name", (name,))?;
        let other = if plan.is_none() { Rc::clone(self) } else { Class::of(&plan, false)? };
        self.others.borrow_mut().insert(name.to_owned(), Rc::clone(&other));
        Ok(other)
    }

    /// How badly a mapping of these keys fits: the number of keys that nothing reads, and of attributes that it lacks; nothing
    /// if it lacks one that is needed.
    fn misfit<'k>(&self, keys: impl Iterator<Item = &'k str>) -> Option<(usize, usize)> {
        let (mut given, mut count, mut unread) = (vec![false; self.attribute_count], 0, 0);
        for key in keys {
            match self.fields.get(key) {
                Some(&number) if !given[number] => {
                    given[number] = true;
                    count += 1;
                }
                _ => unread += 1,
            }
        }
        let has_all = self.needed.iter().all(|number| given[*number]);
        has_all.then_some((unread, self.attribute_count - count))
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

/// A name in data without the number of its version, `Name@2`.
fn without_version(name: &str) -> &str {
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

/// The class of several that a value with these fields becomes: `holdall._typed.choose` says how. An error is the numbers of
/// those that fit alike.
pub fn choose<'c, 'py, 'k>(
    classes: &'c [Rc<Class<'py>>],
    must_fit: bool,
    name: Option<&str>,
    keys: impl Iterator<Item = &'k str> + Clone,
) -> Result<Option<&'c Rc<Class<'py>>>, Vec<usize>> {
    let is_named = |class: &Rc<Class<'_>>| name.is_some_and(|name| class.is_named(name));
    let mut named = classes.iter().filter(|class| is_named(class));
    let several = match (named.next(), named.next()) {
        (Some(class), None) => return Ok(Some(class)),
        (first, _) => first.is_some(),
    };
    if let ([class], false) = (classes, must_fit) {
        return Ok(Some(class));
    }
    let (mut best, mut chosen) = (None, Vec::new());
    for (number, class) in classes.iter().enumerate() {
        if several && !is_named(class) {
            continue;
        }
        let Some(misfit) = class.misfit(keys.clone()) else { continue };
        if best.is_none_or(|best| misfit < best) {
            best = Some(misfit);
            chosen.clear();
        }
        if best == Some(misfit) {
            chosen.push(number);
        }
    }
    match chosen[..] {
        [] => Ok(None),
        [number] => Ok(classes.get(number)),
        _ => Err(chosen),
    }
}
