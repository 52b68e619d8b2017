//! The types that a reader asks for, as `holdall._types` compiled them.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;

use super::class::Class;

/// The number of a node.
pub type NodeId = u32;

/// The node that takes everything as it is.
pub const ANY: NodeId = 0;

/// One type, or several of which a value may be any.
pub struct Node {
    /// The node in Python: it fits what is not plain.
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
    /// A tuple of any length.
    pub row: Option<NodeId>,
    pub tuple: Option<Vec<NodeId>>,
    pub dict: Option<(NodeId, NodeId)>,
    /// What is inside extensions, by their names.
    pub extensions: HashMap<String, NodeId>,
    pub classes: Vec<Arc<Class>>,
    /// Whether something else may become one of the types: Python code tells.
    pub fits: bool,
}

impl Node {
    fn of(node: &Bound<'_, PyAny>) -> PyResult<Node> {
        let mut classes = Vec::new();
        for class in node.getattr("classes")?.try_iter()? {
            classes.push(Class::of(&class?)?);
        }
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
            extensions: node.getattr("extensions")?.extract()?,
            classes,
            fits: node.getattr("fits")?.extract()?,
        })
    }
}

/// All nodes of a type; empty if everything is taken as it is.
pub struct Types(Vec<Node>);

impl Types {
    pub fn of(nodes: Option<&Bound<'_, PyList>>) -> PyResult<Types> {
        let nodes = nodes.map(|nodes| nodes.iter().map(|node| Node::of(&node)).collect());
        Ok(Types(nodes.transpose()?.unwrap_or_default()))
    }

    #[inline]
    pub fn are_asked(&self) -> bool {
        !self.0.is_empty()
    }

    /// The node of the root: number 0 takes everything.
    pub fn root(&self) -> NodeId {
        NodeId::from(self.are_asked())
    }

    #[inline]
    pub fn get(&self, node: NodeId) -> Option<&Node> {
        if node == ANY { None } else { self.0.get(node as usize) }
    }
}
