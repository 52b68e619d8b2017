//! Paths to pairs of nodes, and their text (F-41).

use std::collections::HashSet;
use std::fmt::Write;

use holdall::Value;
use holdall_inspect::Pattern;

use super::graph::{ContentKind, Graph, NodeId};
use super::path::{field, variant};
use super::text::{key_text, shorten};

/// A missing node.
pub(super) const NONE: NodeId = NodeId::MAX;

pub(super) type StepId = u32;

/// A pair of nodes, and its position in the pair one step above.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) up: StepId,
    pub(super) nodes: [NodeId; 2],
    places: [u32; 2],
    /// How many steps of the pattern match here; the root is one; all if it continues no further.
    pub(super) matched: u32,
}

/// Longer paths begin with dots: a path of a million steps is unreadable.
const MAX_SHOWN_STEPS: usize = 64;

/// All steps so far.
pub(super) struct Steps<'w, 'a> {
    graphs: [&'w Graph<'a>; 2],
    all: Vec<Step>,
    pattern: Option<&'w Pattern>,
}

impl<'w, 'a> Steps<'w, 'a> {
    pub(super) fn new(graphs: [&'w Graph<'a>; 2], pattern: Option<&'w Pattern>) -> Self {
        let root = Step { up: 0, nodes: [0, 0], places: [0, 0], matched: 1 };
        Steps { graphs, all: vec![root], pattern }
    }

    pub(super) fn get(&self, id: StepId) -> Step {
        self.all[id as usize]
    }

    /// Steps from a pair to one inside it; none if the pattern does not match. No position is the missing node.
    pub(super) fn go(&mut self, up: StepId, places: [Option<usize>; 2]) -> Option<StepId> {
        let above = self.get(up);
        let mut step = Step { up, nodes: [NONE; 2], places: [0; 2], matched: above.matched };
        for (side, place) in places.into_iter().enumerate() {
            if let Some(place) = place {
                step.places[side] = place as u32;
                step.nodes[side] = self.graphs[side].inside(above.nodes[side])[place];
            }
        }
        if let Some(pattern) = self.pattern
            && !self.is_asked_for(up)
        {
            let texts = [0, 1].map(|side| match step.nodes[side] {
                NONE => None,
                _ => Some(self.text(step, side)),
            });
            // A value without its own step, such as that of a date, has the path of the step above.
            if !texts.iter().flatten().all(String::is_empty) {
                let at = step.matched as usize;
                if !texts.iter().flatten().any(|text| pattern.is_step(at, text)) {
                    return None;
                }
                step.matched += 1;
            }
        }
        let id = StepId::try_from(self.all.len()).ok()?;
        self.all.push(step);
        Some(id)
    }

    /// Whether a place matches the pattern, or is inside a match.
    pub(super) fn is_asked_for(&self, id: StepId) -> bool {
        let matched = self.get(id).matched as usize;
        self.pattern.is_none_or(|pattern| matched >= pattern.depth())
    }

    /// The last step of the path on one side.
    fn text(&self, step: Step, side: usize) -> String {
        let above = self.get(step.up).nodes[side];
        text(self.graphs[side], above, step.places[side] as usize)
    }

    /// The path on one side.
    pub(super) fn path(&self, id: StepId, side: usize) -> String {
        let (mut at, mut texts) = (id, Vec::new());
        while at != 0 && texts.len() < MAX_SHOWN_STEPS {
            let step = self.get(at);
            texts.push(self.text(step, side));
            at = step.up;
        }
        let mut path = if at == 0 { "$" } else { "$..." }.to_owned();
        for text in texts.iter().rev() {
            // Writing to a string cannot fail.
            let _ = write!(path, "{}", shorten(text, 100));
        }
        path
    }
}

/// The step of a path from a node to one inside it; none if both have the same path.
fn text(graph: &Graph<'_>, above: NodeId, place: usize) -> String {
    let node = graph.node(above);
    match (node.kind, node.value) {
        (ContentKind::Items, _) => format!("[{place}]"),
        (ContentKind::Fields | ContentKind::Mapping, _) => field(graph.name(above, place)),
        (ContentKind::Entries, _) => {
            let key = graph.node(graph.inside(above)[place / 2 * 2]).value;
            let of_key = if place.is_multiple_of(2) { ".key" } else { "" };
            format!("{{{}}}{of_key}", key_text(key))
        }
        (_, Value::Variant(of)) => variant(of.name()),
        _ => String::new(),
    }
}

/// Whether a pattern matches anything in a value.
pub(super) fn leads_anywhere(graph: &Graph<'_>, pattern: &Pattern) -> bool {
    let mut here = HashSet::from_iter(pattern.is_step(0, "$").then_some(0));
    for at in 1..pattern.depth() {
        let mut next = HashSet::new();
        let mut left: Vec<NodeId> = here.iter().copied().collect();
        while let Some(id) = left.pop() {
            for (place, inner) in graph.inside(id).iter().enumerate() {
                let text = text(graph, id, place);
                if pattern.is_step(at, &text) {
                    next.insert(*inner);
                } else if text.is_empty() && here.insert(*inner) {
                    left.push(*inner);
                }
            }
        }
        here = next;
    }
    !here.is_empty()
}
