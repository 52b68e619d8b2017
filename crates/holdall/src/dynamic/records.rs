//! Fields and shapes of one record or struct type (F-49, F-53).
//!
//! A trie holds the shapes as paths. Each state caches the field that followed it last, so a row like the previous one costs one
//! string comparison per key and no hashing.

use std::sync::Arc;

use super::sites::SiteId;
use crate::schema::names::Names;

/// A state of the trie: the fields so far, in order.
type State = u32;
pub(crate) const START: State = 0;
const NONE: u32 = u32::MAX;

pub(crate) struct RecordType {
    names: Names,
    sites: Vec<SiteId>,
    states: Vec<Node>,
    shapes: Vec<ShapeOfRows>,
    rows: usize,
    /// The shape of each row, once one is not 0.
    row_shapes: Option<Vec<u32>>,
    /// The names of the type that last used this memory; the new type often has the same names in the same order.
    before: Vec<Arc<str>>,
}

/// A type with more states than this is not recycled.
const SPARE_STATES: usize = 1024;

struct Node {
    /// The field that followed last, and the state after it.
    latest: (u32, State),
    /// The other fields and their states.
    edges: Vec<(u32, State)>,
    shape: u32,
    parent: State,
    field: u32,
}

pub(crate) struct ShapeOfRows {
    pub(crate) fields: Box<[u32]>,
    /// The index of the first field's site in the shredder's list of members.
    pub(crate) first_member: usize,
}

impl Node {
    fn new(parent: State, field: u32) -> Node {
        Node { latest: (NONE, NONE), edges: Vec::new(), shape: NONE, parent, field }
    }
}

impl RecordType {
    pub(crate) fn new() -> RecordType {
        RecordType {
            names: Names::default(),
            sites: Vec::new(),
            states: vec![Node::new(NONE, NONE)],
            shapes: Vec::new(),
            rows: 0,
            row_shapes: None,
            before: Vec::new(),
        }
    }

    /// Empties the type for reuse and keeps its memory. Returns whether that memory is worth keeping.
    pub(super) fn recycle(&mut self) -> bool {
        let is_small = self.states.len() <= SPARE_STATES;
        self.names.move_to(&mut self.before);
        self.sites.clear();
        self.states.clear();
        self.states.push(Node::new(NONE, NONE));
        self.shapes.clear();
        (self.rows, self.row_shapes) = (0, None);
        is_small
    }

    pub(crate) fn names(&self) -> &[Arc<str>] {
        self.names.as_slice()
    }

    pub(crate) fn sites(&self) -> &[SiteId] {
        &self.sites
    }

    pub(crate) fn shapes(&self) -> &[ShapeOfRows] {
        &self.shapes
    }

    pub(crate) fn field(&self, key: &str) -> Option<u32> {
        self.names.find(key).map(|field| field as u32)
    }

    pub(crate) fn site(&self, field: u32) -> SiteId {
        self.sites[field as usize]
    }

    pub(crate) fn add_field(&mut self, key: &str, site: SiteId) -> u32 {
        let before = self.before.get(self.names.len()).filter(|name| name.as_ref() == key);
        self.names.add(before.map_or_else(|| key.into(), Arc::clone));
        self.sites.push(site);
        self.names.len() as u32 - 1
    }

    /// Returns the state after one more key, if an earlier row took that step.
    #[inline]
    pub(crate) fn step(&mut self, state: State, key: &str) -> Option<(u32, State)> {
        let names = self.names.as_slice();
        let node = &mut self.states[state as usize];
        if *names.get(node.latest.0 as usize)?.as_ref() != *key {
            let other = |(field, _): &(u32, State)| *names[*field as usize] == *key;
            let found = node.edges.iter().position(other)?;
            std::mem::swap(&mut node.latest, &mut node.edges[found]);
        }
        Some(node.latest)
    }

    /// Returns the state after one more field, adding it if no earlier row took that step. Returns `None` if the path already has
    /// the field.
    pub(crate) fn extend(&mut self, state: State, field: u32) -> Option<State> {
        let node = &self.states[state as usize];
        let mut edges = std::iter::once(&node.latest).chain(&node.edges);
        if let Some((_, next)) = edges.find(|(own, _)| *own == field) {
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
        let node = &mut self.states[state as usize];
        if node.latest.0 != NONE {
            node.edges.push(node.latest);
        }
        node.latest = (field, next);
        Some(next)
    }

    /// Returns the name of the last field on the path to a state.
    pub(crate) fn last_name(&self, state: State) -> Option<&Arc<str>> {
        self.names().get(self.states[state as usize].field as usize)
    }

    /// Returns the shape of complete rows that end in a state.
    pub(crate) fn shape(&self, state: State) -> Option<u32> {
        let shape = self.states[state as usize].shape;
        (shape != NONE).then_some(shape)
    }

    /// Ensures that every field is in some shape. A field whose rows were all cut may be in none; it gets a shape without rows.
    pub(crate) fn cover_fields(&mut self, members: &mut Vec<SiteId>) {
        let mut covered = vec![false; self.names.len()];
        self.shapes
            .iter()
            .flat_map(|shape| &shape.fields)
            .for_each(|at| covered[*at as usize] = true);
        if covered.iter().all(|is_covered| *is_covered) {
            return;
        }
        let all = (0..self.names.len() as u32).try_fold(START, |state, at| self.extend(state, at));
        if let Some(state) = all.filter(|state| self.shape(*state).is_none()) {
            self.add_shape(state, members);
        }
    }

    /// Returns the shape of a sequence of keys, if some row had it.
    pub(crate) fn find<'a>(&mut self, keys: impl Iterator<Item = &'a str>) -> Option<u32> {
        let mut state = START;
        for key in keys {
            state = self.step(state, key)?.1;
        }
        self.shape(state)
    }

    /// Makes a shape for the rows that end in a state, and appends its sites to the shredder's list of members.
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

    /// Iterates over the shape of each row.
    pub(crate) fn row_shapes(&self) -> impl Iterator<Item = u32> + '_ {
        let stored = self.row_shapes.as_deref().unwrap_or_default();
        let implied = if self.row_shapes.is_none() { self.rows } else { 0 };
        stored.iter().copied().chain(std::iter::repeat_n(0, implied))
    }

    /// Estimates the memory of the row shapes, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.row_shapes.as_ref().map_or(0, |shapes| 4 * shapes.len())
    }

    /// Releases the row shapes.
    pub(crate) fn release(&mut self) {
        self.row_shapes = None;
    }

    /// Keeps only the first `rows` rows.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.rows = rows;
        if let Some(shapes) = &mut self.row_shapes {
            shapes.truncate(rows);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        if let Some(shapes) = &mut self.row_shapes {
            shapes.clear();
        }
    }
}
