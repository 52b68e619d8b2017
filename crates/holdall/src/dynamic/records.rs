//! Fields and shapes of one record or struct type (F-49, F-53).
//!
//! A trie holds the shapes as paths. Each state caches the field that followed it last, so a row like the previous one costs one
//! string comparison per key and no hashing. Rows that differ each time would only add to the trie: from [`MAX_TRIE_SHAPES`] shapes on, the
//! fields of new ones are kept row by row.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use foldhash::quality::RandomState;

use super::sites::SiteId;
use crate::memory::{self, Collect, GrowSet, GrowVec};
use crate::platform::HashSet;
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
    /// The shape of each row, once one is not 0; or [`LOOSE`] and the number of a loose row.
    row_shapes: Option<Vec<u32>>,
    loose: LooseRows,
    /// The names of the type that last used this memory; the new type often has the same names in the same order.
    before: Vec<Arc<str>>,
}

/// The fields of rows without a shape in the trie, one row after the other.
#[derive(Default)]
struct LooseRows {
    fields: Vec<u16>,
    ends: Vec<usize>,
    /// Those of rows before the last [`RecordType::clear`], once each.
    before: HashSet<Box<[u16]>, RandomState>,
    /// For each field, the number of the last row that had it.
    latest: Vec<u32>,
}

impl LooseRows {
    fn get(&self, row: usize) -> &[u16] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.fields[start..self.ends[row]]
    }

    fn iter(&self) -> impl Iterator<Item = &[u16]> {
        (0..self.ends.len()).map(|row| self.get(row))
    }
}

/// Marks loose rows.
const LOOSE: u32 = 1 << 31;
/// A record with this many shapes has rows that differ. It is more than the schema lists (F-53).
const MAX_TRIE_SHAPES: usize = 64;

/// A type with more states than this is not recycled.
const MAX_KEPT_STATES: usize = 1024;

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
    pub(crate) fields: Box<[u16]>,
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
            loose: LooseRows::default(),
            before: Vec::new(),
        }
    }

    /// Empties the type for reuse and keeps its memory. Returns whether that memory is worth keeping.
    pub(super) fn recycle(&mut self) -> bool {
        let is_small = self.states.len() <= MAX_KEPT_STATES;
        self.names.move_to(&mut self.before);
        self.sites.clear();
        self.states.clear();
        self.states.put(Node::new(NONE, NONE));
        self.shapes.clear();
        (self.rows, self.row_shapes) = (0, None);
        self.loose = LooseRows::default();
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
        self.names.add(before.map_or_else(|| memory::shared(key), Arc::clone));
        self.sites.put(site);
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
            core::mem::swap(&mut node.latest, &mut node.edges[found]);
        }
        Some(node.latest)
    }

    /// Returns the state after one more field, adding it if no earlier row took that step. Returns `None` if the path already has
    /// the field.
    pub(crate) fn extend(&mut self, state: State, field: u32) -> Option<State> {
        let node = &self.states[state as usize];
        let mut edges = core::iter::once(&node.latest).chain(&node.edges);
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
        self.states.put(Node::new(state, field));
        let node = &mut self.states[state as usize];
        if node.latest.0 != NONE {
            node.edges.put(node.latest);
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
        let mut covered = memory::filled(false, self.names.len());
        self.shapes
            .iter()
            .flat_map(|shape| &shape.fields)
            .for_each(|at| covered[usize::from(*at)] = true);
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

    /// Whether some row had exactly these keys.
    pub(crate) fn has_row<'a>(&mut self, keys: impl Iterator<Item = &'a str> + Clone) -> bool {
        if self.find(keys.clone()).is_some() {
            return true;
        }
        if !self.is_loose() {
            return false;
        }
        let fields = keys.map(|key| self.field(key).map(|field| field as u16));
        let fields = fields.collected::<Option<Vec<u16>>>();
        fields.is_some_and(|fields| {
            self.loose.before.contains(&*fields) || self.loose.iter().any(|own| *own == *fields)
        })
    }

    /// Whether the fields of new shapes are kept row by row.
    #[inline]
    pub(crate) fn is_loose(&self) -> bool {
        self.shapes.len() >= MAX_TRIE_SHAPES && self.loose.ends.len() < LOOSE as usize
    }

    /// Sets the fields of a row begun last, with which a loose record is asked. Returns a field that comes twice.
    pub(crate) fn set_loose(&mut self, row: usize, fields: &[u32]) -> Option<u32> {
        let LooseRows { fields: all, ends, latest, .. } = &mut self.loose;
        let own = ends.len() as u32 + 1;
        latest.put_fill(self.names.len(), 0);
        for &field in fields {
            if core::mem::replace(&mut latest[field as usize], own) == own {
                return Some(field);
            }
        }
        all.put_each(fields.iter().map(|&field| field as u16));
        ends.put(all.len());
        let shapes = self.row_shapes.get_or_insert_with(|| memory::zeros(self.rows));
        shapes[row] = LOOSE | (own - 1);
        None
    }

    /// Makes a shape for the rows that end in a state, and appends its sites to the shredder's list of members.
    pub(crate) fn add_shape(&mut self, state: State, members: &mut Vec<SiteId>) -> u32 {
        let mut fields = Vec::new();
        let mut at = state;
        while at != START {
            let node = &self.states[at as usize];
            fields.put(node.field as u16);
            at = node.parent;
        }
        fields.reverse();
        let shape = self.shapes.len() as u32;
        let first_member = members.len();
        members.put_each(fields.iter().map(|&field| self.sites[usize::from(field)]));
        self.shapes.put(ShapeOfRows { fields: fields.into(), first_member });
        self.states[state as usize].shape = shape;
        shape
    }

    #[inline]
    pub(crate) fn begin_row(&mut self) {
        self.rows += 1;
        if let Some(shapes) = &mut self.row_shapes {
            shapes.put(0);
        }
    }

    #[inline]
    pub(crate) fn set_shape(&mut self, row: usize, shape: u32) {
        if shape != 0 {
            let shapes = self.row_shapes.get_or_insert_with(|| memory::zeros(self.rows));
            shapes[row] = shape;
        }
    }

    /// Appends several rows of a shape.
    pub(crate) fn append_rows(&mut self, rows: usize, shape: u32) {
        if self.row_shapes.is_none() && shape != 0 {
            self.row_shapes = Some(memory::zeros(self.rows));
        }
        self.rows += rows;
        if let Some(shapes) = &mut self.row_shapes {
            shapes.put_fill(self.rows, shape);
        }
    }

    /// Iterates over the fields of each row.
    pub(crate) fn row_fields(&self) -> impl Iterator<Item = &[u16]> {
        self.row_shapes().map(|shape| match shape & LOOSE {
            // A record that had only empty rows may have no shape.
            0 => self.shapes.get(shape as usize).map_or(&[][..], |shape| &shape.fields),
            _ => self.loose.get((shape & !LOOSE) as usize),
        })
    }

    /// Iterates over the shape of each row, where all have one in the trie.
    pub(crate) fn row_shapes(&self) -> impl Iterator<Item = u32> + '_ {
        let stored = self.row_shapes.as_deref().unwrap_or_default();
        let implied = if self.row_shapes.is_none() { self.rows } else { 0 };
        stored.iter().copied().chain(core::iter::repeat_n(0, implied))
    }

    /// Estimates the memory of the row shapes, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.row_shapes.as_ref().map_or(0, |shapes| 4 * shapes.len())
    }

    /// Releases the row shapes.
    pub(crate) fn release(&mut self) {
        self.row_shapes = None;
        self.loose = LooseRows::default();
    }

    /// Keeps only the first `rows` rows.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.rows = rows;
        if let Some(shapes) = &mut self.row_shapes {
            shapes.truncate(rows);
            let loose = shapes.iter().rev().find(|shape| **shape & LOOSE != 0);
            let loose = loose.map_or(0, |shape| (shape & !LOOSE) as usize + 1);
            self.loose.ends.truncate(loose);
            self.loose.fields.truncate(self.loose.ends.last().copied().unwrap_or(0));
        }
    }

    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        let mut loose = core::mem::take(&mut self.loose);
        loose.before.put_each(loose.ends.iter().scan(0, |start, end| {
            Some(Box::from(&loose.fields[core::mem::replace(start, *end)..*end]))
        }));
        self.loose.before = loose.before;
        if let Some(shapes) = &mut self.row_shapes {
            shapes.clear();
        }
    }
}
