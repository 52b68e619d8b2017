//! Fields and shapes of one record or struct type (F-49, F-53).
//!
//! Shapes are the paths of a trie: each state knows the field that came next the last time, so that a row like one
//! before costs one comparison of strings for each key, and no hashing.

use std::collections::HashMap;
use std::sync::Arc;

use super::sites::SiteId;

/// A state of the trie: the fields so far, in order.
type State = u32;
pub(crate) const START: State = 0;
const NONE: u32 = u32::MAX;

pub(crate) struct RecordType {
    names: Vec<Arc<str>>,
    sites: Vec<SiteId>,
    /// Fields by name: asked only when a row is unlike those before.
    index: HashMap<Arc<str>, u32>,
    states: Vec<Node>,
    shapes: Vec<ShapeOfRows>,
    rows: usize,
    /// The shape of each row, as soon as one is not 0.
    row_shapes: Option<Vec<u32>>,
}

struct Node {
    /// The edge taken last stands first.
    edges: Vec<(u32, State)>,
    shape: u32,
    parent: State,
    field: u32,
}

pub(crate) struct ShapeOfRows {
    pub(crate) fields: Box<[u32]>,
    /// The fields' sites stand in the shredder's list of members from here on.
    pub(crate) first_member: usize,
}

impl Node {
    fn new(parent: State, field: u32) -> Node {
        Node { edges: Vec::new(), shape: NONE, parent, field }
    }
}

impl RecordType {
    pub(crate) fn new() -> RecordType {
        RecordType {
            names: Vec::new(),
            sites: Vec::new(),
            index: HashMap::new(),
            states: vec![Node::new(NONE, NONE)],
            shapes: Vec::new(),
            rows: 0,
            row_shapes: None,
        }
    }

    pub(crate) fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    pub(crate) fn sites(&self) -> &[SiteId] {
        &self.sites
    }

    pub(crate) fn shapes(&self) -> &[ShapeOfRows] {
        &self.shapes
    }

    pub(crate) fn field(&self, key: &str) -> Option<u32> {
        self.index.get(key).copied()
    }

    pub(crate) fn site(&self, field: u32) -> SiteId {
        self.sites[field as usize]
    }

    pub(crate) fn add_field(&mut self, key: &str, site: SiteId) -> u32 {
        let name: Arc<str> = key.into();
        let field = self.names.len() as u32;
        self.names.push(Arc::clone(&name));
        self.sites.push(site);
        self.index.insert(name, field);
        field
    }

    /// The state after one more key, if some row went there before.
    #[inline]
    pub(crate) fn step(&mut self, state: State, key: &str) -> Option<(u32, State)> {
        let edges = &self.states[state as usize].edges;
        let &(field, next) = edges.first()?;
        if *self.names[field as usize] == *key {
            return Some((field, next));
        }
        let found = edges.iter().position(|(field, _)| *self.names[*field as usize] == *key)?;
        let edges = &mut self.states[state as usize].edges;
        edges.swap(0, found);
        Some(edges[0])
    }

    /// The state after one more field, made if no row went there before. `None` if the field stands on the path already.
    pub(crate) fn extend(&mut self, state: State, field: u32) -> Option<State> {
        if let Some((_, next)) = self.states[state as usize].edges.iter().find(|(f, _)| *f == field)
        {
            return Some(*next);
        }
        let mut at = state;
        while at != START {
            let node = &self.states[at as usize];
            if node.field == field {
                return None;
            }
            at = node.parent;
        }
        let next = self.states.len() as State;
        self.states.push(Node::new(state, field));
        let edges = &mut self.states[state as usize].edges;
        edges.push((field, next));
        let last = edges.len() - 1;
        edges.swap(0, last);
        Some(next)
    }

    /// The shape of whole rows that end in a state.
    pub(crate) fn shape(&self, state: State) -> Option<u32> {
        let shape = self.states[state as usize].shape;
        (shape != NONE).then_some(shape)
    }

    /// The shape of a sequence of keys, if a row had it.
    pub(crate) fn find<'a>(&mut self, keys: impl Iterator<Item = &'a str>) -> Option<u32> {
        let mut state = START;
        for key in keys {
            state = self.step(state, key)?.1;
        }
        self.shape(state)
    }

    /// Makes the rows that end in a state a shape; its members are appended to the shredder's list.
    pub(crate) fn add_shape(&mut self, state: State, members: &mut Vec<SiteId>) -> u32 {
        let mut fields = Vec::new();
        let mut at = state;
        while at != START {
            let node = &self.states[at as usize];
            fields.push(node.field);
            at = node.parent;
        }
        fields.reverse();
        let shape = self.shapes.len() as u32;
        let first_member = members.len();
        members.extend(fields.iter().map(|&field| self.sites[field as usize]));
        self.shapes.push(ShapeOfRows { fields: fields.into(), first_member });
        self.states[state as usize].shape = shape;
        shape
    }

    #[inline]
    pub(crate) fn begin_row(&mut self) {
        self.rows += 1;
        if let Some(shapes) = &mut self.row_shapes {
            shapes.push(0);
        }
    }

    #[inline]
    pub(crate) fn set_shape(&mut self, row: usize, shape: u32) {
        if shape != 0 {
            let shapes = self.row_shapes.get_or_insert_with(|| vec![0; self.rows]);
            shapes[row] = shape;
        }
    }

    /// The shape of each row.
    pub(crate) fn row_shapes(&self) -> impl Iterator<Item = u32> + '_ {
        let stored = self.row_shapes.as_deref().unwrap_or_default();
        let implied = if self.row_shapes.is_none() { self.rows } else { 0 };
        stored.iter().copied().chain(std::iter::repeat_n(0, implied))
    }

    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        if let Some(shapes) = &mut self.row_shapes {
            shapes.clear();
        }
    }
}
