//! What a reader keeps between messages: the classes behind names, and where fields go.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::quality::RandomState;
use holdall::bindings::memory::{Collect, GrowMap, GrowVec};
use holdall::{Schema, Shape};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use super::class::{Class, Layout, Learned, Place};
use super::own_form::Form;
use super::steps::Steps;
use super::types::NodeId;
use crate::attributes::Attributes;
use crate::entries::Dicts;
use crate::raw;

/// The number of layouts, including those of rows with their own field names, after which
/// everything is learned anew.
const LAYOUTS: usize = 1024;
/// The number of steps after which all are found anew.
const STEPS: usize = 1 << 16;
/// The number of names of fields and classes after which all are looked up anew.
const NAMES: usize = 1 << 12;
/// A field name is kept for this many new schemas after its last use.
const MESSAGES: u32 = 8;
/// Longer field names are not kept.
const LONGEST_NAME: usize = 64;

/// Counts the changes of registered classes.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// Records that classes may have changed.
#[pyfunction]
pub fn forget() {
    CHANGES.fetch_add(1, Ordering::Relaxed);
}

/// Returns the number of such changes so far.
#[inline]
pub fn changes() -> u64 {
    CHANGES.load(Ordering::Relaxed)
}

/// The number of a kept layout.
pub type LayoutId = usize;

/// The keys of a shape as Python strings.
#[derive(Default)]
pub struct ShapeKeys {
    names: Arc<[Arc<str>]>,
    pub keys: Vec<Py<PyString>>,
    dicts: Dicts,
    /// The layouts of this shape in objects of classes.
    layouts: Vec<LayoutId>,
    /// The classes chosen for this shape by node. A shape belongs to one type, so to one name.
    chosen: Vec<(NodeId, Arc<Class>)>,
    /// The class that the name of its type means.
    named: Option<Arc<Class>>,
}

#[derive(Default)]
pub struct Kept {
    changes: u64,
    /// The schema of all messages: it bounds what data can name.
    schema: Option<Schema>,
    /// By the numbers of shapes.
    shapes: Vec<Option<ShapeKeys>>,
    layouts: Vec<Layout>,
    pub steps: Steps,
    /// Names of fields as Python strings, shared by rows of many shapes. Each has the number of
    /// the last message that used it.
    texts: HashMap<Arc<str>, (Py<PyString>, u32), RandomState>,
    /// How many messages had another schema than the one before.
    messages: u32,
    /// By the names in data.
    pub classes: HashMap<Arc<str>, Arc<Class>>,
    pub extensions: HashMap<Arc<str>, Py<PyTuple>>,
}

impl Kept {
    /// Prepares for a message: drops what may be wrong for it. Names that the program defines mean
    /// the same for any schema; everything else belongs to one schema. Names that occur only in
    /// data are not kept for long.
    pub fn refresh(&mut self, py: Python<'_>, schema: &Schema) {
        let changes = changes();
        let is_small = self.layouts.len() <= LAYOUTS && self.steps.size() <= STEPS;
        let is_same = is_small && self.schema.as_ref() == Some(schema);
        if self.changes == changes && is_same {
            return;
        }
        let before = std::mem::take(self);
        (self.changes, self.schema) = (changes, Some(schema.clone()));
        if before.changes != changes || before.texts.len() + before.classes.len() > NAMES {
            return;
        }
        self.messages = before.messages.wrapping_add(1);
        (self.texts, self.classes) = (before.texts, before.classes);
        self.extensions = before.extensions;
        let messages = self.messages;
        self.texts.retain(|name, (_, latest)| {
            name.len() <= LONGEST_NAME && messages.wrapping_sub(*latest) <= MESSAGES
        });
        self.classes.retain(|_, class| class.is_of_program);
        self.extensions.retain(|_, plan| {
            plan.bind(py).iter().next_back().is_some_and(|last| last.is_instance_of::<Form>())
        });
    }

    /// Returns the class that a name in data stands for, if that is known and up to date.
    pub fn class_of(&self, name: &str) -> Option<&Arc<Class>> {
        if self.changes == changes() { self.classes.get(name) } else { None }
    }

    /// Returns the form of an extension with a name, if that is known and up to date.
    pub fn form_of<'py>(&self, py: Python<'py>, name: &str) -> Option<Bound<'py, Form>> {
        let plan = self.extensions.get(name).filter(|_| self.changes == changes())?;
        plan.bind(py).iter().next_back()?.cast_into().ok()
    }

    /// Returns the schema of the messages.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// Makes sure that `keys` knows a shape.
    #[inline]
    pub fn learn(&mut self, py: Python<'_>, shape: &Shape) -> PyResult<()> {
        let id = shape.id();
        let known = self.shapes.get(id).and_then(Option::as_ref);
        // The names are kept alive, so no others have their address.
        if known.is_some_and(|keys| Arc::ptr_eq(&keys.names, shape.keys())) {
            return Ok(());
        }
        self.learn_anew(py, shape)
    }

    #[cold]
    fn learn_anew(&mut self, py: Python<'_>, shape: &Shape) -> PyResult<()> {
        let names = Arc::clone(shape.keys());
        let keys = names.iter().map(|key| self.key(py, key)).collected::<PyResult<_>>()?;
        if self.shapes.len() <= shape.id() {
            self.shapes.put_fill_with(shape.id() + 1, || None);
        }
        self.shapes[shape.id()] = Some(ShapeKeys { names, keys, ..ShapeKeys::default() });
        Ok(())
    }

    /// Returns the string of a name in data. It is not interned: on 3.12 interned strings are never freed, and data can name
    /// any number of them.
    pub fn key(&mut self, py: Python<'_>, name: &Arc<str>) -> PyResult<Py<PyString>> {
        if let Some((text, latest)) = self.texts.get_mut(name) {
            *latest = self.messages;
            return Ok(text.clone_ref(py));
        }
        let text = raw::name(py, name)?.unbind();
        self.texts.put(Arc::clone(name), (text.clone_ref(py), self.messages));
        Ok(text)
    }

    /// Returns the keys of a learned shape.
    #[inline]
    pub fn keys(&self, shape: usize) -> &[Py<PyString>] {
        self.shapes.get(shape).and_then(Option::as_ref).map_or(&[], |keys| &keys.keys)
    }

    /// Returns a dict to be filled with the keys of a learned shape.
    #[inline]
    pub fn begin_dict<'py>(
        &mut self,
        py: Python<'py>,
        shape: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        match self.shapes.get_mut(shape) {
            Some(Some(ShapeKeys { keys, dicts, .. })) => dicts.begin(py, || keys.iter()),
            _ => raw::dict(py),
        }
    }

    /// Returns a dict for the fields of a layout.
    pub fn begin_fields<'py>(
        &mut self,
        py: Python<'py>,
        layout: LayoutId,
    ) -> PyResult<Bound<'py, PyDict>> {
        let Layout { places, dicts, .. } = &mut self.layouts[layout];
        dicts.begin(py, || places.iter().filter_map(|(place, _)| place.key()))
    }

    /// Returns where a learned shape goes in objects of a class.
    #[inline]
    pub fn layout_of(&self, shape: usize, class: &Arc<Class>) -> Option<LayoutId> {
        let keys = self.shapes.get(shape)?.as_ref()?;
        let is_it = |id: &&LayoutId| Arc::ptr_eq(&self.layouts[**id].class, class);
        keys.layouts.iter().find(is_it).copied()
    }

    /// Returns the class chosen for a learned shape and a node.
    #[inline]
    pub fn chosen(&self, shape: usize, node: NodeId) -> Option<&Arc<Class>> {
        let keys = self.shapes.get(shape)?.as_ref()?;
        keys.chosen.iter().find(|(own, _)| *own == node).map(|(_, class)| class)
    }

    pub fn choose(&mut self, shape: usize, node: NodeId, class: &Arc<Class>) {
        if let Some(Some(keys)) = self.shapes.get_mut(shape) {
            keys.chosen.put((node, Arc::clone(class)));
        }
    }

    /// Returns the class that the name of a learned shape's type stands for.
    #[inline]
    pub fn named(&self, shape: usize) -> Option<&Arc<Class>> {
        self.shapes.get(shape)?.as_ref()?.named.as_ref()
    }

    /// Keeps the class behind a name: for one shape, or for all where those do not matter.
    pub fn name(&mut self, shape: usize, name: &Arc<str>, class: &Arc<Class>) {
        if let Some(Some(keys)) = self.shapes.get_mut(shape) {
            keys.named = Some(Arc::clone(class));
        }
        if !class.is_by_keys {
            self.classes.put(Arc::clone(name), Arc::clone(class));
        }
    }

    pub fn add_layout(&mut self, shape: usize, layout: Layout) -> LayoutId {
        let id = self.layouts.len();
        self.layouts.put(layout);
        if let Some(Some(keys)) = self.shapes.get_mut(shape) {
            keys.layouts.put(id);
        }
        id
    }

    /// Learns the positions of a layout's attributes from the first object that has them.
    pub fn learn_attributes(&mut self, id: LayoutId, object: &Bound<'_, PyAny>) {
        let layout = &mut self.layouts[id];
        if matches!(layout.attributes, Learned::NotYet) {
            let names: Vec<_> = layout
                .places
                .iter()
                .filter_map(|(place, _)| match place {
                    Place::Attribute(name) => Some(name.bind(object.py())),
                    _ => None,
                })
                .collected();
            let learned = Attributes::learn(object, &names);
            layout.attributes = learned.map_or(Learned::Never, Learned::Known);
        }
    }

    #[inline]
    pub fn layout(&self, id: LayoutId) -> &Layout {
        &self.layouts[id]
    }
}
