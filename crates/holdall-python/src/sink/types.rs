//! The types that a reader requests, as `holdall._impl._types` compiled them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use holdall::Shape;
use holdall::bindings::memory::Collect;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};

use super::class::Class;

/// The number of a node.
pub type NodeId = u32;

/// The node that accepts any value unchanged.
pub const ANY: NodeId = 0;

/// One type, or a union of several.
pub struct Node {
    /// The node in Python: it converts values that are not plain.
    pub object: Py<PyAny>,
    pub text: String,
    pub any: bool,
    pub null: bool,
    pub bool: bool,
    pub int: bool,
    pub float: bool,
    pub string: bool,
    pub bytes: bool,
    pub list: Option<NodeId>,
    pub set: Option<NodeId>,
    pub frozenset: Option<NodeId>,
    /// The items of a tuple of any length.
    pub row: Option<NodeId>,
    pub tuple: Option<Vec<NodeId>>,
    pub dict: Option<(NodeId, NodeId)>,
    /// Whether fields may become entries: of `dict`, or of one of several dicts among which Python code chooses.
    pub takes_entries: bool,
    /// The nodes inside extensions, by their names.
    pub extensions: HashMap<String, NodeId>,
    pub classes: Vec<Arc<Class>>,
    /// The items of lists, and entries of mappings, from which Python code makes other collections.
    pub items: Option<NodeId>,
    pub entries: Option<(NodeId, NodeId)>,
    /// Checks complete containers: their length, or keys that are text.
    pub check: Option<Py<PyAny>>,
    pub has_checked_keys: bool,
    /// Fields whose values select the class. Python code chooses once all are decoded.
    pub tags: HashSet<String>,
    /// Whether a mapping that matches no class may become something else.
    pub must_fit: bool,
    /// Whether other values may become one of the types: Python code decides.
    pub fits: bool,
    /// Types whose values `fit` returns unchanged.
    exact: Vec<Py<PyType>>,
}

impl Node {
    fn of(node: &Bound<'_, PyAny>) -> PyResult<Node> {
        let plans = node.getattr("classes")?.cast_into::<PyList>()?;
        let must_fit = node.getattr("must_fit")?.extract()?;
        // A class that takes any fields does not need to know them.
        let chooses = must_fit || plans.len() > 1;
        let classes =
            plans.iter().map(|plan| Class::of(&plan, chooses)).collected::<PyResult<_>>()?;
        Ok(Node {
            object: node.clone().unbind(),
            text: node.getattr("text")?.extract()?,
            any: node.getattr("any")?.extract()?,
            null: node.getattr("null")?.extract()?,
            bool: node.getattr("bool")?.extract()?,
            int: node.getattr("int")?.extract()?,
            float: node.getattr("float")?.extract()?,
            string: node.getattr("string")?.extract()?,
            bytes: node.getattr("bytes")?.extract()?,
            list: node.getattr("list")?.extract()?,
            set: node.getattr("set")?.extract()?,
            frozenset: node.getattr("frozenset")?.extract()?,
            row: node.getattr("row")?.extract()?,
            tuple: node.getattr("tuple")?.extract()?,
            dict: node.getattr("dict")?.extract()?,
            takes_entries: node.getattr("takes_entries")?.extract()?,
            extensions: node.getattr("extensions")?.extract()?,
            classes,
            items: node.getattr("items")?.extract()?,
            entries: node.getattr("entries")?.extract()?,
            check: node.getattr("checks")?.extract()?,
            has_checked_keys: node.getattr("has_checked_keys")?.extract()?,
            tags: node.getattr("tags")?.extract()?,
            must_fit,
            fits: node.getattr("fits")?.extract()?,
            exact: node.getattr("exact")?.extract()?,
        })
    }
}

impl Node {
    /// Whether `fit` returns a value unchanged, as far as its type shows.
    #[inline]
    pub fn takes_exactly(&self, value: &Bound<'_, PyAny>) -> bool {
        let ty = value.get_type_ptr();
        self.exact.iter().any(|own| own.as_ptr() == ty.cast())
    }

    /// Whether a mapping has a field whose value selects its class.
    pub fn is_tagged(&self, shape: &Shape) -> bool {
        !self.tags.is_empty() && shape.keys().iter().any(|key| self.tags.contains(&**key))
    }
}

/// All nodes of a type; empty if any value is accepted.
pub struct Types(Vec<Node>);

impl Types {
    pub fn of(nodes: Option<&Bound<'_, PyList>>) -> PyResult<Types> {
        let nodes = nodes.map(|nodes| nodes.iter().map(|node| Node::of(&node)).collected());
        Ok(Types(nodes.transpose()?.unwrap_or_default()))
    }

    #[inline]
    pub fn are_asked(&self) -> bool {
        !self.0.is_empty()
    }

    /// Returns the node of the root. Number 0 accepts any value.
    pub fn root(&self) -> NodeId {
        NodeId::from(self.are_asked())
    }

    #[inline]
    pub fn get(&self, node: NodeId) -> Option<&Node> {
        if node == ANY { None } else { self.0.get(node as usize) }
    }
}
