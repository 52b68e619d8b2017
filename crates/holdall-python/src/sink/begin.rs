//! Begins containers: decides which Python object a list or mapping becomes, given the requested
//! type.

use std::sync::Arc;

use holdall::bindings::memory::Collect;
use holdall::{LogicalType, Result, Shape};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::choice::choose;
use super::class::{Class, How};
use super::kept::LayoutId;
use super::types::{ANY, Node, NodeId};
use super::{Body, Builder, Recipe};
use crate::once::intern;
use crate::raw::{self, NewTuple};
use crate::support;

impl<'py> Builder<'py, '_> {
    /// Begins a mapping or object that becomes an instance of a class.
    pub(super) fn begin_class(
        &mut self,
        class: &Arc<Class>,
        shape: &Shape,
        node: NodeId,
        fit: bool,
    ) -> Result<()> {
        let py = self.py;
        let id = self.layout_of(class, shape)?;
        let into_dict = self.kept.layout(id).into_dict;
        if self.kept.layout(id).runs_code {
            self.may_run_code()?;
            self.may_cycle = true;
        }
        let made = match &class.how {
            How::Fields { new } => class.new_object(new, &self.empty).and_then(|object| {
                if !into_dict {
                    return Ok((Some(object), None));
                }
                let fields = match object.getattr_opt(intern!(py, "__dict__"))? {
                    Some(fields) => fields.cast_into::<PyDict>()?,
                    None => raw::dict(py)?,
                };
                Ok((Some(object), Some(fields)))
            }),
            How::Fill { new, .. } => {
                let fields = self.kept.begin_fields(py, id);
                let object = new.bind(py).call0();
                object.and_then(|object| Ok((Some(object), Some(fields?))))
            }
            How::Build(_) | How::Construct(..) => {
                self.kept.begin_fields(py, id).map(|fields| (None, Some(fields)))
            }
            How::Dict => {
                let dict = self.kept.begin_fields(py, id);
                dict.map(|dict| (Some(dict.clone().into_any()), Some(dict)))
            }
        };
        let (object, fields) = self.check(made)?;
        let body = Body::Struct { layout: id, next: 0, object, fields, needs: Vec::new() };
        self.begin_with(body, node, ANY, fit)
    }

    /// Makes sure that the strings of a shape's keys exist.
    pub(super) fn learn(&mut self, shape: &Shape) -> Result<()> {
        let learned = self.kept.learn(self.py, shape);
        self.check(learned)
    }

    /// Returns where the fields of a shape go in instances of a class.
    pub(super) fn layout_of(&mut self, class: &Arc<Class>, shape: &Shape) -> Result<LayoutId> {
        let py = self.py;
        self.learn(shape)?;
        if let Some(id) = self.kept.layout_of(shape.id(), class) {
            return Ok(id);
        }
        let layout = class.layout(py, self.kept.keys(shape.id()));
        let layout = self.check(layout)??;
        Ok(self.kept.add_layout(shape.id(), layout))
    }

    /// Returns the class registered under a name in the data.
    pub(super) fn named_class(&mut self, name: &Arc<str>, shape: &Shape) -> Result<Arc<Class>> {
        self.learn(shape)?;
        if let Some(class) = self.kept.named(shape.id()) {
            return Ok(Arc::clone(class));
        }
        if let Some(class) = self.kept.classes.get(name).cloned() {
            self.kept.name(shape.id(), name, &class);
            return Ok(class);
        }
        let keys: Vec<&str> = shape.keys().iter().map(|key| &**key).collected();
        let find = intern!(self.py, "find_struct");
        let found = self.settings.resolver.call_method1(find, (&**name, keys));
        let class = found.and_then(|plan| Class::of(&plan, false));
        let class = self.check(class)?;
        self.kept.name(shape.id(), name, &class);
        Ok(class)
    }

    /// Returns the class, among those of a node, that a mapping or object becomes.
    pub(super) fn chosen(
        &mut self,
        node: NodeId,
        name: Option<&str>,
        shape: &Shape,
    ) -> Result<Option<Arc<Class>>> {
        let py = self.py;
        let Some(own) = self.node(node) else { return Ok(None) };
        self.learn(shape)?;
        if let Some(class) = self.kept.chosen(shape.id(), node) {
            return Ok(Some(Arc::clone(class)));
        }
        let keys = shape.keys().iter().map(|key| &**key);
        match choose(&own.classes, own.must_fit, name, keys) {
            Ok(None) => Ok(None),
            Ok(Some(class)) => {
                let class = name.map_or_else(|| Ok(Arc::clone(class)), |name| class.at(py, name));
                let class = self.check(class)?;
                self.kept.choose(shape.id(), node, &class);
                Ok(Some(class))
            }
            Err(several) => {
                let names = several.iter().map(|at| own.classes[*at].title(py)).collected();
                let names: Vec<_> = self.check(names)?;
                let got = format!("fields that fit {} equally well", names.join(" and "));
                Err(self.mismatch(node, &got))
            }
        }
    }

    /// Begins an empty list.
    pub(super) fn open_list(&mut self, wanted: NodeId, item: NodeId, fit: bool) -> Result<()> {
        let list = raw::list(self.py);
        let body = Body::List(self.check(list)?);
        self.begin_with(body, wanted, item, fit)
    }

    /// Begins a list, tuple or set, as the container that is requested.
    pub(super) fn begin_items(&mut self, len: usize, got: &'static str) -> Result<()> {
        let wanted = self.expected();
        let Some(node) = self.node(wanted) else {
            return self.open_list(ANY, ANY, false);
        };
        if node.any {
            return self.open_list(wanted, ANY, false);
        }
        if let Some(item) = node.list {
            return self.open_list(wanted, item, false);
        }
        if node.tuple.is_some() || node.row.is_some() {
            return self.begin_row(len, wanted);
        }
        if let Some((recipe, item)) = of_set(node) {
            let body = Body::Items { recipe, items: Vec::new(), is_storage: false };
            return self.begin(body, wanted, item);
        }
        if node.fits {
            let item = node.items.unwrap_or(ANY);
            return self.open_list(wanted, item, true);
        }
        Err(self.mismatch(wanted, got))
    }

    pub(super) fn begin_row(&mut self, len: usize, wanted: NodeId) -> Result<()> {
        let (item, is_wrong) = match self.node(wanted) {
            Some(Node { tuple: Some(items), .. }) => (ANY, items.len() != len),
            Some(node) => (node.row.unwrap_or(ANY), false),
            None => (ANY, false),
        };
        if is_wrong {
            return Err(self.mismatch(wanted, &format!("{len} items")));
        }
        let tuple = NewTuple::new(self.py, len);
        let body = Body::Tuple { tuple: self.check(tuple)?, next: 0 };
        self.begin(body, wanted, item)
    }

    /// Returns the type of the open logical value if its storage is the next value.
    pub(super) fn storage_of(&self) -> Option<&Arc<LogicalType>> {
        match &self.stack.last()?.body {
            Body::Holder { ty, .. } => Some(ty),
            Body::Wrap { recipe: Recipe::Logical(ty), .. } => Some(ty),
            _ => None,
        }
    }

    pub(super) fn new_object(&mut self, make: &str) -> Result<Bound<'py, PyAny>> {
        let made = support(self.py, make).and_then(|make| make.call0());
        self.check(made)
    }
}

/// Returns how a node builds a set from items, and the node of the items.
pub(super) fn of_set<'py>(node: &Node) -> Option<(Recipe<'py>, NodeId)> {
    let set = node.set.map(|item| (Recipe::Set, item));
    set.or_else(|| node.frozenset.map(|item| (Recipe::FrozenSet, item)))
}
