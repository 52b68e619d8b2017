//! How objects of a class are built. `holdall._impl._classes` finds this once per name and call.

mod names;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use holdall::bindings::memory::{self, Collect, GrowMap, GrowSet, GrowVec};
use holdall::{Code, Error};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use self::names::without_version;
use super::charges;
use super::depth::Weight;
use super::own_form::Form;
use super::types::{ANY, NodeId};
use crate::attributes::{self, Attributes};
use crate::entries::Dicts;
use crate::raw;

/// When an object is created, and from what.
pub enum How {
    /// Created first; each field becomes an attribute.
    Fields { new: Py<PyAny> },
    /// Created first; a function takes all fields at the end.
    Fill { new: Py<PyAny>, fill: Py<PyAny> },
    /// Created at the end, by a function that takes all fields.
    Build(Py<PyAny>),
    /// Created at the end, by calling the class with the fields as keywords. The constructor is not
    /// code of the program.
    Construct(Py<PyType>, Weight),
    /// A dict, created first.
    Dict,
}

pub struct Class {
    pub how: How,
    /// The class, if `object.__new__` creates its objects and the fields are set afterwards.
    ordinary: Option<Py<PyType>>,
    /// Attributes by field. Without it, each field is the attribute of the same name.
    attributes: Option<Py<PyDict>>,
    /// Attributes that are stored in slots.
    slots: HashSet<String>,
    has_dict: bool,
    /// The bytes of an object without its dict and the values of its fields; 0 for one that a function of Python makes, which is
    /// measured.
    size: u64,
    defaults: Vec<Default>,
    required: Vec<String>,
    nodes: HashMap<String, NodeId>,
    pub post: Option<Py<PyAny>>,
    /// Whether code of the class runs when an object is created or deleted.
    has_code: bool,
    /// Whether fields that the class does not have are an error.
    deny_extra: bool,
    /// Whether rows with other fields may be of another plan.
    pub is_by_keys: bool,
    /// Whether the program has the class: otherwise only the data names it.
    pub is_of_program: bool,
    plan: Py<PyAny>,
    /// The current names of the class in data.
    pub names: HashSet<String>,
    /// The same names without versions.
    bases: HashSet<String>,
    /// For each field the number of its attribute.
    fields: HashMap<String, usize>,
    /// The numbers of the attributes that a value must have.
    needed: Vec<usize>,
    /// The string objects by which the class's code names its attributes. Lookups by them need no
    /// comparison of text.
    own_names: HashMap<String, Py<PyString>>,
    attribute_count: usize,
    others: Mutex<HashMap<String, Arc<Class>>>,
}

/// Field, attribute, default, factory of the default.
type Default = (String, Py<PyString>, Py<PyAny>, Py<PyAny>);

/// The destination of a field's value.
pub enum Place {
    /// None: the value is dropped.
    Skip,
    /// Into the object's dict, or the dict of arguments, at this position if no field is missing.
    Key(Py<PyString>, usize),
    /// Into an attribute by `object.__setattr__`, whatever the class defines.
    Attribute(Py<PyString>),
    /// Into the slot of the attribute of this name.
    Slot(raw::Slot, Py<PyString>),
}

impl Place {
    pub fn key(&self) -> Option<&Py<PyString>> {
        match self {
            Place::Key(key, _) => Some(key),
            _ => None,
        }
    }

    /// Returns the name of the attribute or key.
    fn name(&self) -> Option<&Py<PyString>> {
        match self {
            Place::Key(name, _) | Place::Attribute(name) | Place::Slot(_, name) => Some(name),
            Place::Skip => None,
        }
    }

    /// Sets the value, if the target is an attribute.
    #[inline]
    pub fn set<'py>(&self, object: &Bound<'py, PyAny>, value: Bound<'py, PyAny>) -> PyResult<()> {
        let py = object.py();
        match self {
            Place::Attribute(name) => raw::set_attribute(object, name.bind(py), &value),
            Place::Slot(slot, name) => match slot.set(object, value) {
                Ok(()) => Ok(()),
                Err(value) => raw::set_attribute(object, name.bind(py), &value),
            },
            Place::Skip | Place::Key(..) => Ok(()),
        }
    }
}

/// A missing field: its target, default and factory.
type Absent = (Place, Py<PyAny>, Py<PyAny>);

/// Where the values of one shape go in objects of a class.
pub struct Layout {
    pub class: Arc<Class>,
    pub places: Vec<(Place, NodeId)>,
    pub absent: Vec<Absent>,
    /// The bytes of an object beyond what its rows pay for.
    pub beyond: u64,
    pub measured: Measured,
    /// The dicts for fields that do not go into the object's own dict.
    pub dicts: Dicts,
    /// Whether some fields go into the object's dict.
    pub into_dict: bool,
    /// Which field is the content of a builtin class, if all others are plain attributes.
    pub content: Option<usize>,
    /// The positions of attributes, if all fields are attributes; learned from the first object.
    pub attributes: Learned,
    /// Whether creating an object runs code: of the class, of a hook, or a default's factory.
    pub runs_code: bool,
}

/// What functions of Python make for objects, which is measured.
pub enum Measured {
    Nothing,
    /// The values of absent fields.
    Defaults,
    /// All that a complete object has beside the fields of these names.
    Object(Py<PyTuple>),
}

/// The positions of attributes, as far as they are known.
pub enum Learned {
    NotYet,
    Never,
    Known(Attributes),
}

/// Whether Python gives a name a meaning: data must not set it.
pub(super) fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

impl Class {
    /// Reads a plan. `chooses`: it is one of several that a mapping may become.
    pub fn of(plan: &Bound<'_, PyAny>, chooses: bool) -> PyResult<Arc<Class>> {
        let how = match &*plan.getattr("kind")?.extract::<String>()? {
            "fields" => How::Fields { new: plan.getattr("new")?.unbind() },
            "fill" => How::Fill {
                new: plan.getattr("new")?.unbind(),
                fill: plan.getattr("fill")?.unbind(),
            },
            "build" => How::Build(plan.getattr("build")?.unbind()),
            "construct" => {
                let class = plan.getattr("cls")?.cast_into::<PyType>()?;
                let weight = Weight::of_struct(&class)?;
                How::Construct(class.unbind(), weight)
            }
            "dict" => How::Dict,
            other => {
                return Err(PyValueError::new_err(format!("no way to build objects: {other:?}")));
            }
        };
        let class = plan.getattr("cls")?.cast_into::<PyType>().ok();
        let is_at_once = matches!(how, How::Fields { .. });
        let ordinary = class.filter(|class| is_at_once && raw::is_ordinary(class));
        let by_field: HashMap<String, String> =
            if chooses { plan.getattr("fields")?.extract()? } else { HashMap::new() };
        let mut numbers = HashMap::new();
        let mut fields = HashMap::new();
        for (field, attribute) in by_field {
            let next = numbers.len();
            fields.put(field, *numbers.entry(attribute).or_insert(next));
        }
        let needed: Vec<String> =
            if chooses { plan.getattr("needed")?.extract()? } else { Vec::new() };
        let bases: HashSet<String> = plan.getattr("bases")?.extract()?;
        Ok(Arc::new(Class {
            how,
            ordinary: ordinary.map(Bound::unbind),
            attributes: plan.getattr("attributes")?.extract()?,
            slots: plan.getattr("slots")?.extract()?,
            has_dict: plan.getattr("has_dict")?.extract()?,
            size: plan.getattr("size")?.extract()?,
            defaults: plan.getattr("defaults")?.extract()?,
            required: plan.getattr("required")?.extract()?,
            nodes: plan.getattr("nodes")?.extract()?,
            post: plan.getattr("post")?.extract()?,
            has_code: plan.getattr("has_code")?.extract()?,
            deny_extra: plan.getattr("deny_extra")?.extract()?,
            is_by_keys: plan.getattr("is_by_keys")?.extract()?,
            is_of_program: plan.getattr("is_of_program")?.extract()?,
            plan: plan.clone().unbind(),
            names: plan.getattr("names")?.extract()?,
            bases,
            needed: needed.iter().filter_map(|name| fields.get(name).copied()).collected(),
            fields,
            own_names: plan.getattr("own_names")?.extract()?,
            attribute_count: numbers.len(),
            others: Mutex::default(),
        }))
    }

    /// Returns what makes or fills objects, if it is a function of this crate.
    pub fn form<'c, 'py>(&'c self, py: Python<'py>) -> Option<&'c Bound<'py, Form>> {
        match &self.how {
            How::Build(function) | How::Fill { fill: function, .. } => {
                function.bind(py).cast::<Form>().ok()
            }
            _ => None,
        }
    }

    /// Whether the size of an object is known before it is made.
    pub(super) fn has_size(&self) -> bool {
        self.size > 0
    }

    /// Whether a function of Python makes or fills objects.
    fn is_made_by_python(&self, py: Python<'_>) -> bool {
        matches!(self.how, How::Build(_) | How::Fill { .. }) && self.form(py).is_none()
    }

    /// Whether creating an object of these fields runs code of the class, or a hook.
    fn runs_code(&self, py: Python<'_>, keys: &[Py<PyString>]) -> bool {
        let is_plain = match self.how {
            How::Construct(..) | How::Dict => true,
            How::Build(_) | How::Fill { .. } => self.form(py).is_some_and(|form| {
                let keys = keys.iter().filter_map(|key| key.bind(py).to_str().ok());
                form.get().is_passive(py, keys)
            }),
            How::Fields { .. } => self.ordinary.is_some(),
        };
        !is_plain || self.has_code || self.post.is_some()
    }

    /// Returns the name of the class in errors.
    pub fn title(&self, py: Python<'_>) -> PyResult<String> {
        self.plan.bind(py).getattr("title")?.extract()
    }

    /// Returns how data of this name is built, which may be of another version of the class.
    pub fn at(self: &Arc<Self>, py: Python<'_>, name: &str) -> PyResult<Arc<Class>> {
        if self.names.contains(name) || !self.bases.contains(without_version(name)) {
            return Ok(Arc::clone(self));
        }
        let others = || self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(other) = others().get(name) {
            return Ok(Arc::clone(other));
        }
        let plan = self.plan.bind(py).call_method1("of_name", (name,))?;
        let other = if plan.is_none() { Arc::clone(self) } else { Class::of(&plan, false)? };
        others().put(name.to_owned(), Arc::clone(&other));
        Ok(other)
    }

    /// Returns how badly a mapping with these keys fits: the number of unread keys, and of missing
    /// attributes. Returns `None` if a required attribute is missing.
    pub(super) fn misfit<'k>(&self, keys: impl Iterator<Item = &'k str>) -> Option<(usize, usize)> {
        let (mut given, mut count, mut unread) =
            (memory::filled(false, self.attribute_count), 0, 0);
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

    /// Creates an object, for classes whose objects exist before their fields.
    #[inline]
    pub fn new_object<'py>(
        &self,
        new: &Py<PyAny>,
        empty: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = empty.py();
        let ordinary = self.ordinary.as_ref();
        let made = ordinary.and_then(|class| raw::new_object(class.bind(py), empty));
        made.unwrap_or_else(|| new.bind(py).call0())
    }

    /// Returns where the fields of a shape go.
    pub fn layout(
        self: &Arc<Self>,
        py: Python<'_>,
        keys: &[Py<PyString>],
    ) -> PyResult<Result<Layout, Error>> {
        let attributes = keys.iter().map(|key| self.attribute_of(key.bind(py)));
        let attributes = attributes.collected::<PyResult<Vec<_>>>()?;
        let mut places = memory::with_capacity(keys.len());
        let mut given: HashSet<String> = HashSet::new();
        let mut dict_len = 0;
        let mut has_double = false;
        for name in attributes.iter().flatten() {
            has_double |= !given.put(name.to_string());
        }
        for (key, attribute) in keys.iter().zip(attributes) {
            let key = key.bind(py);
            let field = key.to_str()?;
            let node = self.nodes.get(field).copied().unwrap_or(ANY);
            let Some(attribute) = attribute else {
                if self.deny_extra {
                    return Ok(Err(Error::new(Code::UnknownField)
                        .expected("only fields of the class")
                        .got(format!("{field:?}; add it to the class, or allow extra fields"))));
                }
                places.put((Place::Skip, ANY));
                continue;
            };
            if has_double && !self.counts(key, &attribute, keys)? {
                places.put((Place::Skip, ANY));
                continue;
            }
            places.put((self.place(&attribute, dict_len)?, node));
            dict_len += usize::from(matches!(places.last(), Some((Place::Key(..), _))));
        }
        let missing = self.required.iter().find(|name| {
            let is_it = |key: &Py<PyString>| key.bind(py).to_str().is_ok_and(|key| key == **name);
            !keys.iter().any(is_it) && {
                let attribute =
                    self.attributes.as_ref().and_then(|all| all.bind(py).get_item(name).ok()?);
                attribute.is_none_or(|attribute| !given.contains(&attribute.to_string()))
            }
        });
        if let Some(missing) = missing {
            let listed = listed(py, keys)?;
            return Ok(Err(Error::new(Code::MissingField)
                .expected(format!("the field {missing:?}, which has no default"))
                .got(format!("{listed}; give it a default to read data without it"))));
        }
        let mut absent = Vec::new();
        for (_, attribute, default, factory) in &self.defaults {
            let attribute = attribute.bind(py);
            if !given.contains(attribute.to_str()?) {
                let place = match self.place(attribute, dict_len)? {
                    Place::Skip => Place::Key(attribute.clone().unbind(), dict_len),
                    place => place,
                };
                absent.put((place, default.clone_ref(py), factory.clone_ref(py)));
            }
        }
        let all = places.iter().map(|(place, _)| place);
        let mut all = all.chain(absent.iter().map(|(place, ..)| place));
        let into_dict = all.any(|place| matches!(place, Place::Key(..)));
        let has_factory = absent.iter().any(|(.., factory)| !factory.is_none(py));
        let beyond =
            charges::beyond(self.size, places.len(), absent.iter().map(|(place, ..)| place));
        // The class itself fills in missing fields, by rules that are unknown here.
        let is_complete = || {
            let all = self.attributes.as_ref().map(|all| all.bind(py).len());
            places.iter().all(|(place, _)| place.key().is_some()) && all == Some(places.len())
        };
        let is_left_out = matches!(self.how, How::Construct(..)) && !is_complete();
        let runs_code = has_factory || is_left_out || self.runs_code(py, keys);
        let class = Arc::clone(self);
        let are_all = absent.is_empty()
            && places.iter().all(|(place, _)| matches!(place, Place::Attribute(_)));
        let attributes =
            if are_all && attributes::are_known() { Learned::NotYet } else { Learned::Never };
        let dicts = Dicts::default();
        let is_key = |(place, _): &(Place, NodeId)| place.key().is_some();
        let content = self.form(py).filter(|_| places.iter().all(is_key));
        let content = content.and_then(|form| {
            form.get().place_of_content(py, places.iter().filter_map(|(place, _)| place.key()))
        });
        let measured = if is_left_out || self.post.is_some() || self.is_made_by_python(py) {
            let mut given = Vec::new();
            let names = places.iter().filter_map(|(place, _)| place.name());
            given.put_each(names.map(|name| Ok(name.bind(py).clone().into_any())));
            Measured::Object(raw::tuple_of(py, given.into_iter())?.unbind())
        } else if has_factory {
            Measured::Defaults
        } else {
            Measured::Nothing
        };
        Ok(Ok(Layout {
            class,
            places,
            absent,
            beyond,
            measured,
            dicts,
            into_dict,
            content,
            attributes,
            runs_code,
        }))
    }

    /// Returns where an attribute goes; `after` attributes before it go into a dict.
    fn place(&self, attribute: &Bound<'_, PyString>, after: usize) -> PyResult<Place> {
        let name = attribute.to_str()?;
        let own = || attribute.clone().unbind();
        if !matches!(self.how, How::Fields { .. }) {
            return Ok(Place::Key(own(), after));
        }
        let ordinary = self.ordinary.as_ref().map(|class| class.bind(attribute.py()));
        if self.slots.contains(name) {
            let slot = ordinary.and_then(|class| raw::Slot::of(class, attribute));
            return Ok(
                slot.map_or_else(|| Place::Attribute(own()), |slot| Place::Slot(slot, own()))
            );
        }
        if !self.has_dict || is_dunder(name) {
            return Ok(Place::Skip);
        }
        Ok(match ordinary {
            // A property or other descriptor must not run.
            Some(class) if !raw::has_data_descriptor(class, attribute)? => Place::Attribute(own()),
            _ => Place::Key(own(), after),
        })
    }
}

/// How many names of fields an error lists.
const LISTED: usize = 8;

/// Formats the names of fields for an error, as `_errors.py` does.
fn listed(py: Python<'_>, keys: &[Py<PyString>]) -> PyResult<String> {
    let names = keys.iter().take(LISTED).map(|key| Ok(format!("{:?}", key.bind(py).to_str()?)));
    let mut names = names.collected::<PyResult<Vec<_>>>()?;
    if keys.len() > LISTED {
        names.put("...".to_owned());
    }
    Ok(if names.is_empty() { "no field".to_owned() } else { names.join(", ") })
}
