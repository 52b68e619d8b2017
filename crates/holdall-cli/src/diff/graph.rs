//! A value as numbered nodes: handles are followed, and a value with identity is one node whatever the number of paths
//! to it.

use std::collections::HashMap;

use holdall::{Code, Error, LogicalType, Result, Shared, Value};
use typed_arena::Arena;

use super::classes::{Classes, Tag};

pub(super) type NodeId = u32;

/// The contents of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ContentKind {
    Leaf,
    /// A list, array or tuple.
    Items,
    /// A record or struct.
    Fields,
    /// A map all of whose keys are strings, which equals a record; only its values are inside.
    Mapping,
    /// Any other map: keys and values, alternating.
    Entries,
    /// A variant, logical value or extension.
    Payload,
}

/// Referenced more than once: only then is its identity visible.
pub(super) const REPEATED: u8 = 1;
/// Is behind a handle, or contains such a value.
const HANDLES: u8 = 2;
/// Contains itself, or a value of a later version: then the class is not precise.
const UNSURE: u8 = 4;
/// A map whose order is part of its value.
pub(super) const ORDERED: u8 = 8;
/// All its contents are known.
const DONE: u8 = 16;

pub(super) struct Node<'a> {
    pub(super) value: &'a Value,
    first: u32,
    len: u32,
    /// Equal values have the same class; others do not, unless it is imprecise.
    pub(super) class: u32,
    pub(super) kind: ContentKind,
    pub(super) flags: u8,
}

impl Node<'_> {
    pub(super) fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(super) fn is_sure(&self) -> bool {
        !self.is(UNSURE)
    }

    pub(super) fn holds_handles(&self) -> bool {
        self.is(HANDLES)
    }
}

pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    edges: Vec<NodeId>,
}

/// The parts of a value that can differ.
impl<'a> Graph<'a> {
    pub(super) fn node(&self, id: NodeId) -> &Node<'a> {
        &self.nodes[id as usize]
    }

    /// The nodes directly inside another one.
    pub(super) fn inside(&self, id: NodeId) -> &[NodeId] {
        let node = self.node(id);
        &self.edges[node.first as usize..][..node.len as usize]
    }

    /// The name of a field, or of a string key.
    pub(super) fn name(&self, id: NodeId, at: usize) -> &'a str {
        match self.node(id).value {
            Value::Record(record) => &record.keys()[at],
            Value::Struct(of) => &of.fields().keys()[at],
            Value::Map(map) => map[at].0.as_str().unwrap_or_default(),
            _ => "",
        }
    }

    /// The list of members, if this is a set.
    pub(super) fn members(&self, id: NodeId) -> Option<NodeId> {
        let Value::Logical(logical) = self.node(id).value else { return None };
        let is_set = matches!(logical.ty().kind(), LogicalType::SET | LogicalType::FROZEN_SET);
        let list = *self.inside(id).first()?;
        (is_set && self.node(list).kind == ContentKind::Items).then_some(list)
    }
}

/// The contents of a value, and their number.
fn kind_of(value: &Value) -> (ContentKind, usize) {
    match value {
        Value::List(items) => (ContentKind::Items, items.len()),
        Value::Array(items) => (ContentKind::Items, items.len()),
        Value::Tuple(items) => (ContentKind::Items, items.len()),
        Value::Record(record) => (ContentKind::Fields, record.values().len()),
        Value::Struct(of) => (ContentKind::Fields, of.fields().values().len()),
        Value::Map(map) if map.iter().all(|(key, _)| key.as_str().is_some()) => {
            (ContentKind::Mapping, map.len())
        }
        Value::Map(map) => (ContentKind::Entries, 2 * map.len()),
        Value::Variant(_) | Value::Logical(_) | Value::Extension(_) => (ContentKind::Payload, 1),
        _ => (ContentKind::Leaf, 0),
    }
}

/// One of those inside.
fn child(value: &Value, at: usize) -> &Value {
    match value {
        Value::List(items) => &items[at],
        Value::Array(items) => &items[at],
        Value::Tuple(items) => &items[at],
        Value::Record(record) => &record.values()[at],
        Value::Struct(of) => &of.fields().values()[at],
        Value::Variant(variant) => variant.value(),
        Value::Logical(logical) => logical.storage(),
        Value::Extension(extension) => extension.value(),
        other => other,
    }
}

fn entry(value: &Value, kind: ContentKind, at: usize) -> &Value {
    match (value, kind) {
        (Value::Map(map), ContentKind::Mapping) => &map[at].1,
        (Value::Map(map), _) if at.is_multiple_of(2) => &map[at / 2].0,
        (Value::Map(map), _) => &map[at / 2].1,
        (value, _) => child(value, at),
    }
}

/// The value behind all handles; a dropped one stays a handle.
fn behind<'a>(mut value: &'a Value, kept: &'a Arena<Shared>) -> &'a Value {
    loop {
        value = match value {
            Value::Shared(shared) => shared.get(),
            Value::Weak(weak) => match weak.upgrade() {
                Some(shared) => kept.alloc(shared).get(),
                None => return value,
            },
            value => return value,
        };
    }
}

/// Whether a value has an identity (F-45): not scalars, nor tuples of up to 8 of them.
fn has_identity<'a>(value: &'a Value, kept: &'a Arena<Shared>) -> bool {
    let is_scalar =
        |value: &Value| kind_of(value).0 == ContentKind::Leaf && !matches!(value, Value::Tensor(_));
    match value {
        Value::Tuple(items) if items.len() <= 8 => {
            !items.iter().all(|item| is_scalar(behind(item, kept)))
        }
        value => !is_scalar(value),
    }
}

/// A node whose contents are being visited.
struct Open {
    node: NodeId,
    next: u32,
}

/// Builds graphs whose classes can be compared.
pub(super) struct Builder<'a> {
    pub(super) classes: Classes<'a>,
    kept: &'a Arena<Shared>,
    ignores_order: bool,
    words: Vec<u32>,
}

fn too_large() -> Error {
    Error::new(Code::LimitBudget).expected("values of at most 4294967295 parts").got("more")
}

impl<'a> Builder<'a> {
    pub(super) fn new(kept: &'a Arena<Shared>, ignores_order: bool) -> Self {
        Builder { classes: Classes::default(), kept, ignores_order, words: Vec::new() }
    }

    /// The graph of a value; its root is node 0.
    pub(super) fn graph(&mut self, root: &'a Value) -> Result<Graph<'a>> {
        let mut graph = Graph { nodes: Vec::new(), edges: Vec::new() };
        let mut known: HashMap<*const Value, NodeId> = HashMap::new();
        let mut stack = Vec::new();
        self.enter(root, false, &mut graph, &mut known, &mut stack)?;
        while let Some(open) = stack.last_mut() {
            let node = graph.node(open.node);
            if open.next == node.len {
                self.finish(&mut graph, open.node);
                stack.pop();
                continue;
            }
            let (at, place) = (open.next, node.first + open.next);
            open.next += 1;
            let value = entry(node.value, node.kind, at as usize);
            let is_ordered = matches!(node.value, Value::Logical(logical) if logical.ty().kind() == LogicalType::ORDERED_MAP);
            let id = self.enter(value, is_ordered, &mut graph, &mut known, &mut stack)?;
            graph.edges[place as usize] = id;
        }
        Ok(graph)
    }

    /// Returns the node of a value, a new one unless it was seen before.
    fn enter(
        &mut self,
        value: &'a Value,
        is_ordered: bool,
        graph: &mut Graph<'a>,
        known: &mut HashMap<*const Value, NodeId>,
        stack: &mut Vec<Open>,
    ) -> Result<NodeId> {
        let is_handle = matches!(value, Value::Shared(_) | Value::Weak(_));
        let value = behind(value, self.kept);
        let id = NodeId::try_from(graph.nodes.len()).map_err(|_| too_large())?;
        let mut flags = if is_ordered { ORDERED } else { 0 };
        if is_handle && has_identity(value, self.kept) {
            flags |= HANDLES;
            if let Some(before) = known.get(&std::ptr::from_ref(value)) {
                graph.nodes[*before as usize].flags |= REPEATED | HANDLES;
                return Ok(*before);
            }
            known.insert(value, id);
        }
        let (kind, len) = kind_of(value);
        let first = graph.edges.len();
        let (first, len) = match (u32::try_from(first), u32::try_from(len)) {
            (Ok(first), Ok(len)) if first.checked_add(len).is_some() => (first, len),
            _ => return Err(too_large()),
        };
        let mut node = Node { value, first, len, class: 0, kind, flags };
        if kind == ContentKind::Leaf {
            node.class = self.classes.of_leaf(value);
            node.flags |= DONE;
            if matches!(value, Value::Unknown) {
                node.flags |= UNSURE;
            }
        } else {
            graph.edges.resize((first + len) as usize, 0);
            stack.push(Open { node: id, next: 0 });
        }
        graph.nodes.push(node);
        Ok(id)
    }

    /// Assigns a node its class and flags, once all nodes inside have theirs.
    fn finish(&mut self, graph: &mut Graph<'a>, id: NodeId) {
        let mut flags = DONE;
        for inner in graph.inside(id) {
            let inner = graph.node(*inner);
            // An unfinished one encloses this one.
            flags |=
                if inner.is(DONE) { inner.flags & (UNSURE | HANDLES) } else { UNSURE | HANDLES };
        }
        graph.nodes[id as usize].flags |= flags;
        if flags & UNSURE == 0 {
            let class = self.class(graph, id, false);
            graph.nodes[id as usize].class = class;
        }
    }

    fn class(&mut self, graph: &Graph<'a>, id: NodeId, is_endless: bool) -> u32 {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        if is_endless {
            words.push(Tag::Endless as u32);
        }
        self.put_words(graph, id, &mut words);
        let class = self.classes.of_words(&words);
        self.words = words;
        class
    }

    fn put_words(&mut self, graph: &Graph<'a>, id: NodeId, words: &mut Vec<u32>) {
        let node = graph.node(id);
        let classes = |id: NodeId| graph.inside(id).iter().map(|inner| graph.node(*inner).class);
        if let (Some(members), Value::Logical(logical)) = (graph.members(id), node.value) {
            words.extend([Tag::Set as u32, self.classes.of_logical_type(logical.ty())]);
            let start = words.len();
            words.extend(classes(members));
            words[start..].sort_unstable();
            return;
        }
        match node.value {
            Value::List(_) => words.extend([Tag::Sequence as u32, 0]),
            Value::Array(_) => words.extend([Tag::Sequence as u32, 1]),
            Value::Tuple(_) => words.extend([Tag::Sequence as u32, 2]),
            Value::Record(record) => {
                words.push(Tag::Mapping as u32);
                let keys = self.classes.of_keys(record.keys());
                return self.put_pairs(node, keys.iter().copied(), classes(id), words);
            }
            Value::Struct(of) => {
                words.extend([Tag::Struct as u32, self.classes.of_text(of.name())]);
                let keys = self.classes.of_keys(of.fields().keys());
                return self.put_pairs(node, keys.iter().copied(), classes(id), words);
            }
            Value::Map(map) if node.kind == ContentKind::Mapping => {
                words.push(Tag::Mapping as u32);
                let keys: Vec<u32> = map
                    .iter()
                    .map(|(key, _)| self.classes.of_text(key.as_str().unwrap_or_default()))
                    .collect();
                return self.put_pairs(node, keys.into_iter(), classes(id), words);
            }
            Value::Map(_) => {
                words.push(Tag::Map as u32);
                let (keys, values) = (classes(id).step_by(2), classes(id).skip(1).step_by(2));
                return self.put_pairs(node, keys, values, words);
            }
            Value::Variant(variant) => {
                words.extend([Tag::Variant as u32, self.classes.of_text(variant.name())]);
            }
            Value::Logical(logical) => {
                words.extend([Tag::Logical as u32, self.classes.of_logical_type(logical.ty())]);
            }
            Value::Extension(extension) => {
                words.extend([Tag::Extension as u32, self.classes.of_text(extension.name())]);
            }
            _ => {}
        }
        words.extend(classes(id));
    }

    fn put_pairs(
        &self,
        node: &Node<'_>,
        keys: impl Iterator<Item = u32>,
        values: impl Iterator<Item = u32>,
        words: &mut Vec<u32>,
    ) {
        if !self.ignores_order || node.is(ORDERED) {
            words.extend(keys.zip(values).flat_map(|(key, value)| [key, value]));
            return;
        }
        let mut pairs: Vec<(u32, u32)> = keys.zip(values).collect();
        pairs.sort_unstable();
        words.extend(pairs.into_iter().flat_map(|(key, value)| [key, value]));
    }

    /// Assigns a class to a value that contains itself, from what a few steps show. Equal values share it, and others
    /// may.
    pub(super) fn settle(&mut self, graphs: [&mut Graph<'a>; 2]) {
        const STEPS: usize = 4;
        for graph in graphs {
            let unsure: Vec<NodeId> = (0..)
                .zip(&graph.nodes)
                .filter(|(_, node)| !node.is_sure() && node.kind != ContentKind::Leaf)
                .map(|(id, _)| id)
                .collect();
            for _ in 0..STEPS {
                let classes: Vec<u32> =
                    unsure.iter().map(|id| self.class(graph, *id, true)).collect();
                for (id, class) in unsure.iter().zip(classes) {
                    graph.nodes[*id as usize].class = class;
                }
            }
        }
    }
}
