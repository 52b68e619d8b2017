//! What a reader keeps from one message to the next: the classes that names stand for, and where fields go.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::quality::RandomState;
use holdall::{Schema, Shape};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::class::{Class, Layout, Learned, Place};
use super::steps::Steps;
use super::types::NodeId;
use crate::attributes::Attributes;
use crate::entries::Dicts;

/// After so many layouts, those of rows that name their own fields among them, all is learned anew.
const LAYOUTS: usize = 1024;
/// And after so many steps.
const STEPS: usize = 1 << 16;

/// Counts the changes of what classes are registered and how.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// What was found out about classes may have changed.
#[pyfunction]
pub fn forget() {
    CHANGES.fetch_add(1, Ordering::Relaxed);
}

/// How often that was so.
#[inline]
pub fn changes() -> u64 {
    CHANGES.load(Ordering::Relaxed)
}

/// The number of a layout among those that are kept.
pub type LayoutId = usize;

/// The keys of one shape as Python has them.
#[derive(Default)]
pub struct Keys {
    names: Arc<[Arc<str>]>,
    pub keys: Vec<Py<PyString>>,
    dicts: Dicts,
    /// Where they go in objects of classes that have had the shape.
    layouts: Vec<LayoutId>,
    /// The classes that they became where nodes asked for one of several: a shape is of one type, so of one name.
    chosen: Vec<(NodeId, Arc<Class>)>,
}

#[derive(Default)]
pub struct Kept {
    changes: u64,
    /// All is of messages with this schema: what data name is bounded by it.
    schema: Option<Schema>,
    /// By the numbers of shapes.
    shapes: Vec<Option<Keys>>,
    layouts: Vec<Layout>,
    pub steps: Steps,
    /// The names of fields as Python has them: rows of many shapes share them.
    texts: HashMap<Arc<str>, Py<PyString>, RandomState>,
    /// By the names in data.
    pub classes: HashMap<Arc<str>, Arc<Class>>,
    pub extensions: HashMap<Arc<str>, Py<PyAny>>,
}

impl Kept {
    /// Ready for a message: what may not be true of it is forgotten.
    pub fn refresh(&mut self, schema: &Schema) {
        let changes = changes();
        if self.changes != changes
            || self.schema.as_ref() != Some(schema)
            || self.layouts.len() > LAYOUTS
            || self.steps.size() > STEPS
        {
            *self = Kept { changes, schema: Some(schema.clone()), ..Kept::default() };
        }
    }

    /// The schema of the messages.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// Has the keys of a shape, as `shape` answers them from now on.
    #[inline]
    pub fn learn(&mut self, py: Python<'_>, shape: &Shape) {
        let id = shape.id();
        let known = self.shapes.get(id).and_then(Option::as_ref);
        // The names are held, so no others have their address.
        if known.is_some_and(|keys| Arc::ptr_eq(&keys.names, shape.keys())) {
            return;
        }
        self.learn_anew(py, shape);
    }

    #[cold]
    fn learn_anew(&mut self, py: Python<'_>, shape: &Shape) {
        let names = Arc::clone(shape.keys());
        // Not interned: interned strings stay for ever on 3.12, and data could have any number of them.
        let keys = names.iter().map(|key| {
            let made = || PyString::new(py, key).unbind();
            self.texts.entry(Arc::clone(key)).or_insert_with(made).clone_ref(py)
        });
        let keys = keys.collect();
        if self.shapes.len() <= shape.id() {
            self.shapes.resize_with(shape.id() + 1, || None);
        }
        self.shapes[shape.id()] = Some(Keys { names, keys, ..Keys::default() });
    }

    /// The keys of a shape that was learned.
    #[inline]
    pub fn keys(&self, shape: usize) -> &[Py<PyString>] {
        self.shapes.get(shape).and_then(Option::as_ref).map_or(&[], |keys| &keys.keys)
    }

    /// A dict to be filled with the keys of a shape that was learned.
    #[inline]
    pub fn begin_dict<'py>(
        &mut self,
        py: Python<'py>,
        shape: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        match self.shapes.get_mut(shape) {
            Some(Some(Keys { keys, dicts, .. })) => dicts.begin(py, || keys.iter()),
            _ => Ok(PyDict::new(py)),
        }
    }

    /// The same for the fields of a layout that go into a dict.
    pub fn begin_fields<'py>(
        &mut self,
        py: Python<'py>,
        layout: LayoutId,
    ) -> PyResult<Bound<'py, PyDict>> {
        let Layout { places, dicts, .. } = &mut self.layouts[layout];
        dicts.begin(py, || places.iter().filter_map(|(place, _)| place.key()))
    }

    /// Where a shape that was learned goes in objects of a class.
    #[inline]
    pub fn layout_of(&self, shape: usize, class: &Arc<Class>) -> Option<LayoutId> {
        let keys = self.shapes.get(shape)?.as_ref()?;
        let is_it = |id: &&LayoutId| Arc::ptr_eq(&self.layouts[**id].class, class);
        keys.layouts.iter().find(is_it).copied()
    }

    /// The class that a shape that was learned became for a node.
    #[inline]
    pub fn chosen(&self, shape: usize, node: NodeId) -> Option<&Arc<Class>> {
        let keys = self.shapes.get(shape)?.as_ref()?;
        keys.chosen.iter().find(|(own, _)| *own == node).map(|(_, class)| class)
    }

    pub fn choose(&mut self, shape: usize, node: NodeId, class: &Arc<Class>) {
        if let Some(Some(keys)) = self.shapes.get_mut(shape) {
            keys.chosen.push((node, Arc::clone(class)));
        }
    }

    pub fn add_layout(&mut self, shape: usize, layout: Layout) -> LayoutId {
        let id = self.layouts.len();
        self.layouts.push(layout);
        if let Some(Some(keys)) = self.shapes.get_mut(shape) {
            keys.layouts.push(id);
        }
        id
    }

    /// Learns where the attributes of a layout are, from the first object that has them.
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
                .collect();
            let learned = Attributes::learn(object, &names);
            layout.attributes = learned.map_or(Learned::Never, Learned::Places);
        }
    }

    #[inline]
    pub fn layout(&self, id: LayoutId) -> &Layout {
        &self.layouts[id]
    }
}
