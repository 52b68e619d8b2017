//! Walks two values at once, without recursion.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use holdall::Value;

use super::align::{Fate, Sides};
use super::classes::Classes;
use super::graph::{ContentKind, Graph, Node, NodeId, ORDERED, REPEATED};
use super::steps::{NONE, StepId, Steps};
use super::text::{tensor_note, type_name, value_text, value_texts};
use super::values::{Difference, DifferenceKind, Differences, Options, Side};

/// The work left, the next item last.
enum Task {
    /// Compares two values; inside a copy of the same value, identities are not reported again.
    Compare(StepId, bool),
    Report(DifferenceKind, StepId),
}

/// Paths to shared values are followed up to this many times the number of values, plus a constant.
const MOST_TIMES: usize = 8;
const MOST_ANYWAY: usize = 1 << 20;

/// From here on logical types are those of later versions (F-72).
const LATER: u8 = 0xE0;

const OLD: usize = 0;
const NEW: usize = 1;

pub(super) struct Walk<'w, 'a> {
    graphs: [&'w Graph<'a>; 2],
    classes: &'w Classes<'a>,
    options: &'w Options,
    steps: Steps<'w, 'a>,
    tasks: Vec<Task>,
    /// The pairs of shared values, with the position in the pattern where they were reached.
    seen: HashSet<(NodeId, NodeId, u32)>,
    /// Where, and paired with what, a shared value was reached first; for both sides.
    met: [HashMap<NodeId, (NodeId, StepId)>; 2],
    work: usize,
    out: Differences,
}

impl<'w, 'a> Walk<'w, 'a> {
    pub(super) fn new(
        graphs: [&'w Graph<'a>; 2],
        classes: &'w Classes<'a>,
        options: &'w Options,
    ) -> Self {
        let size: usize = graphs.iter().map(|graph| graph.nodes.len()).sum();
        Walk {
            graphs,
            classes,
            options,
            steps: Steps::new(graphs, options.pattern.as_ref()),
            tasks: Vec::new(),
            seen: HashSet::new(),
            met: [HashMap::new(), HashMap::new()],
            work: size.saturating_mul(MOST_TIMES).saturating_add(MOST_ANYWAY),
            out: Differences::default(),
        }
    }

    pub(super) fn run(mut self) -> Differences {
        if self.may_differ(0, false) {
            self.tasks.push(Task::Compare(0, false));
        }
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Report(kind, step) => self.report(kind, step),
                Task::Compare(step, is_copy) => {
                    let Some(left) = self.work.checked_sub(self.cost(step)) else {
                        self.out.is_cut = true;
                        break;
                    };
                    self.work = left;
                    let above = self.tasks.len();
                    self.compare(step, is_copy);
                    self.tasks[above..].reverse();
                }
            }
        }
        self.out
    }

    /// The number of nodes to visit for a pair.
    fn cost(&self, step: StepId) -> usize {
        let nodes = self.steps.get(step).nodes;
        let cost = |side: usize| {
            let graph = self.graphs[side];
            let members = graph.members(nodes[side]).map_or(0, |list| graph.inside(list).len());
            graph.inside(nodes[side]).len() + members
        };
        1 + cost(OLD) + cost(NEW)
    }

    fn node(&self, side: usize, step: StepId) -> &'w Node<'a> {
        self.graphs[side].node(self.steps.get(step).nodes[side])
    }

    /// Whether two need a comparison: not if they are equal, and no identity in them could differ.
    fn may_differ(&self, step: StepId, is_copy: bool) -> bool {
        let (old, new) = (self.node(OLD, step), self.node(NEW, step));
        let is_equal = old.class == new.class && old.is_sure() && new.is_sure();
        let identity = !is_copy && !self.options.ignores_identity;
        !is_equal || (identity && (old.holds_handles() || new.holds_handles()))
    }

    /// Compares a pair inside another one, by position.
    fn go(&mut self, up: StepId, old: usize, new: usize, is_copy: bool) {
        if let Some(step) = self.steps.go(up, [Some(old), Some(new)])
            && self.may_differ(step, is_copy)
        {
            self.tasks.push(Task::Compare(step, is_copy));
        }
    }

    /// Reports a value that has no counterpart.
    fn unmatched(&mut self, up: StepId, kind: DifferenceKind, at: usize) {
        let places =
            if kind == DifferenceKind::Removed { [Some(at), None] } else { [None, Some(at)] };
        if let Some(step) = self.steps.go(up, places) {
            self.tasks.push(Task::Report(kind, step));
        }
    }

    fn compare(&mut self, step: StepId, is_copy: bool) {
        let (old, new) = (self.node(OLD, step), self.node(NEW, step));
        let Some(is_copy) = self.identify(step, is_copy) else { return };
        if matches!(old.value, Value::Unknown) || matches!(new.value, Value::Unknown) {
            return self.report(DifferenceKind::Unknown, step);
        }
        if old.class == new.class && old.is_sure() && new.is_sure() && old.kind == ContentKind::Leaf
        {
            return;
        }
        match (old.kind, new.kind) {
            (ContentKind::Items, ContentKind::Items) => self.items(step, is_copy),
            (
                ContentKind::Fields | ContentKind::Mapping | ContentKind::Entries,
                ContentKind::Fields | ContentKind::Mapping | ContentKind::Entries,
            ) => self.entries(step, is_copy),
            (ContentKind::Payload, ContentKind::Payload) => self.payload(step, is_copy),
            _ => self.report(DifferenceKind::Changed, step),
        }
    }

    /// Reports a value that is shared on one side only. Returns whether the contents are a copy; none if the two were
    /// compared before.
    fn identify(&mut self, step: StepId, is_copy: bool) -> Option<bool> {
        let place = self.steps.get(step);
        let [old, new] = place.nodes;
        let (left, right) = (self.node(OLD, step), self.node(NEW, step));
        if !left.is(REPEATED) && !right.is(REPEATED) {
            return Some(is_copy);
        }
        let is_new = self.seen.insert((old, new, place.matched));
        if is_copy || self.options.ignores_identity || left.kind != right.kind {
            return is_new.then_some(is_copy);
        }
        let with = [new, old];
        let is_other = [0, 1].map(|side| {
            let first = self.met[side].entry(place.nodes[side]).or_insert((with[side], step));
            first.0 != with[side]
        });
        if !is_other.contains(&true) {
            return is_new.then_some(false);
        }
        self.report(DifferenceKind::Identity, step);
        // A copy of something that was compared; only new differences matter.
        (is_new && self.may_differ(step, true)).then_some(true)
    }

    /// Reports two different types around contents that can be compared.
    fn retype(&mut self, step: StepId) {
        let [old, new] = [OLD, NEW].map(|side| type_name(self.node(side, step).value));
        if old != new {
            self.report(DifferenceKind::Retyped, step);
        }
    }

    fn items(&mut self, step: StepId, is_copy: bool) {
        self.retype(step);
        let (old, new) = (self.node(OLD, step), self.node(NEW, step));
        let [left, right] = self.inside(step);
        let are_tuples = matches!((old.value, new.value), (Value::Tuple(_), Value::Tuple(_)));
        if !are_tuples {
            let sides = Sides { old: (self.graphs[OLD], left), new: (self.graphs[NEW], right) };
            for fate in sides.align() {
                match fate {
                    Fate::Both(old, new) => self.go(step, old, new, is_copy),
                    Fate::Removed(at) => self.unmatched(step, DifferenceKind::Removed, at),
                    Fate::Added(at) => self.unmatched(step, DifferenceKind::Added, at),
                }
            }
            return;
        }
        let both = left.len().min(right.len());
        (0..both).for_each(|at| self.go(step, at, at, is_copy));
        (both..left.len()).for_each(|at| self.unmatched(step, DifferenceKind::Removed, at));
        (both..right.len()).for_each(|at| self.unmatched(step, DifferenceKind::Added, at));
    }

    fn inside(&self, step: StepId) -> [&'w [NodeId]; 2] {
        let nodes = self.steps.get(step).nodes;
        [self.graphs[OLD].inside(nodes[OLD]), self.graphs[NEW].inside(nodes[NEW])]
    }

    /// The keys of a mapping by their classes.
    fn keys(&self, side: usize, id: NodeId) -> Vec<u32> {
        let graph = self.graphs[side];
        let count = graph.inside(id).len();
        match graph.node(id).kind {
            ContentKind::Entries => {
                graph.inside(id).iter().step_by(2).map(|key| graph.node(*key).class).collect()
            }
            _ => (0..count).map(|at| self.classes.known_text(graph.name(id, at))).collect(),
        }
    }

    fn entries(&mut self, step: StepId, is_copy: bool) {
        let (old, new) = (self.node(OLD, step), self.node(NEW, step));
        if old.kind != ContentKind::Entries && new.kind != ContentKind::Entries {
            self.retype(step);
        }
        if let (Some(old_keys), Some(new_keys)) = (field_names(old.value), field_names(new.value))
            && old_keys == new_keys
        {
            (0..old_keys.len()).for_each(|at| self.go(step, at, at, is_copy));
            return;
        }
        let nodes = self.steps.get(step).nodes;
        let keys = [self.keys(OLD, nodes[OLD]), self.keys(NEW, nodes[NEW])];
        // The position of an entry's value.
        let place = |node: &Node<'_>, at: usize| match node.kind {
            ContentKind::Entries => 2 * at + 1,
            _ => at,
        };
        let Matches { pairs, removed, added } = match_up(&keys[OLD], &keys[NEW]);
        let is_ordered = !self.options.ignores_order || (old.is(ORDERED) && new.is(ORDERED));
        if is_ordered && !pairs.is_sorted_by_key(|(_, new)| *new) {
            self.report(DifferenceKind::Reordered, step);
        }
        let mut pairs = pairs.into_iter().peekable();
        let mut removed = removed.into_iter().peekable();
        // Both in the order of the old ones.
        loop {
            match (pairs.peek().copied(), removed.peek().copied()) {
                (Some((at, into)), unmatched) if unmatched.is_none_or(|other| at < other) => {
                    pairs.next();
                    if old.kind == ContentKind::Entries && new.kind == ContentKind::Entries {
                        // Keys whose classes do not distinguish them.
                        self.go(step, 2 * at, 2 * into, is_copy);
                    }
                    self.go(step, place(old, at), place(new, into), is_copy);
                }
                (_, Some(at)) => {
                    removed.next();
                    self.unmatched(step, DifferenceKind::Removed, place(old, at));
                }
                _ => break,
            }
        }
        added
            .into_iter()
            .for_each(|at| self.unmatched(step, DifferenceKind::Added, place(new, at)));
    }

    fn payload(&mut self, step: StepId, is_copy: bool) {
        let nodes = self.steps.get(step).nodes;
        let (old, new) = (self.node(OLD, step), self.node(NEW, step));
        let members = [OLD, NEW].map(|side| self.graphs[side].members(nodes[side]));
        if let [Some(old), Some(new)] = members {
            return self.members(step, [old, new], is_copy);
        }
        let is_same_type = match (old.value, new.value) {
            (Value::Variant(old), Value::Variant(new)) => old.name() == new.name(),
            (Value::Extension(old), Value::Extension(new)) => old.name() == new.name(),
            (Value::Logical(old), Value::Logical(new)) => old.ty() == new.ty(),
            _ => false,
        };
        // A date or a decimal is read as one value.
        let is_whole = |side: usize| {
            let node = self.node(side, step);
            let inner = self.graphs[side].node(self.graphs[side].inside(nodes[side])[0]);
            let of_this_version =
                matches!(node.value, Value::Logical(of) if of.ty().kind() < LATER);
            of_this_version
                && (inner.kind == ContentKind::Leaf || matches!(inner.value, Value::Tuple(_)))
                && inner.is_sure()
        };
        if !is_same_type || (old.class != new.class && is_whole(OLD) && is_whole(NEW)) {
            return self.report(DifferenceKind::Changed, step);
        }
        self.go(step, 0, 0, is_copy);
    }

    /// Compares the members of sets, which have no order.
    fn members(&mut self, step: StepId, lists: [NodeId; 2], is_copy: bool) {
        self.retype(step);
        let Some(list) = self.steps.go(step, [Some(0), Some(0)]) else { return };
        let classes = [0, 1].map(|side| {
            let graph = self.graphs[side];
            let members = graph.inside(lists[side]).iter();
            members.map(|id| graph.node(*id).class).collect::<Vec<u32>>()
        });
        let Matches { pairs, removed, added } = match_up(&classes[OLD], &classes[NEW]);
        pairs.into_iter().for_each(|(old, new)| self.go(list, old, new, is_copy));
        removed.into_iter().for_each(|at| self.unmatched(list, DifferenceKind::Removed, at));
        added.into_iter().for_each(|at| self.unmatched(list, DifferenceKind::Added, at));
    }

    fn report(&mut self, kind: DifferenceKind, step: StepId) {
        // Changes around the requested path matter only if they replace the entire value.
        let is_about_itself = matches!(
            kind,
            DifferenceKind::Retyped | DifferenceKind::Reordered | DifferenceKind::Identity
        );
        if is_about_itself && !self.steps.is_asked_for(step) {
            return;
        }
        self.out.counts[kind as usize] += 1;
        if self.out.list.len() >= self.options.limit {
            return;
        }
        let nodes = self.steps.get(step).nodes;
        let value = |side: usize| match nodes[side] {
            NONE => None,
            id => Some(self.graphs[side].node(id).value),
        };
        let mut note = String::new();
        let mut texts = match (value(OLD), value(NEW)) {
            (Some(old), Some(new)) if kind == DifferenceKind::Changed => value_texts(old, new),
            _ if matches!(
                kind,
                DifferenceKind::Added | DifferenceKind::Removed | DifferenceKind::Unknown
            ) =>
            {
                [OLD, NEW].map(|side| value(side).map(value_text).unwrap_or_default())
            }
            _ => [String::new(), String::new()],
        };
        if let (Some(Value::Tensor(old)), Some(Value::Tensor(new))) = (value(OLD), value(NEW)) {
            note = tensor_note(old, new).unwrap_or_default();
        }
        if kind == DifferenceKind::Identity {
            texts = [OLD, NEW].map(|side| match self.met[side].get(&nodes[side]) {
                Some((_, first)) if *first != step => self.steps.path(*first, side),
                _ => String::new(),
            });
        }
        let mut texts = texts.into_iter();
        let [old, new] = [OLD, NEW].map(|side| {
            let text = texts.next().unwrap_or_default();
            let path = || self.steps.path(step, side);
            value(side).map(|value| Side { path: path(), ty: type_name(value), text })
        });
        self.out.list.push(Difference { kind, old, new, note });
    }
}

/// The names of a record's or struct's fields.
fn field_names(value: &Value) -> Option<&[Arc<str>]> {
    match value {
        Value::Record(record) => Some(record.keys()),
        Value::Struct(of) => Some(of.fields().keys()),
        _ => None,
    }
}

/// Matches items, by position.
#[derive(Default)]
struct Matches {
    pairs: Vec<(usize, usize)>,
    removed: Vec<usize>,
    added: Vec<usize>,
}

/// The k-th of a class on one side matches the k-th on the other. All are in the order of the old ones, or of the new.
fn match_up(old: &[u32], new: &[u32]) -> Matches {
    let mut matches = Matches::default();
    if old == new {
        matches.pairs = (0..old.len()).map(|at| (at, at)).collect();
        return matches;
    }
    let numbered = |classes: &[u32]| -> Vec<(u32, u32)> {
        let mut counts: HashMap<u32, u32> = HashMap::with_capacity(classes.len());
        let count = |class: &u32| {
            let count = counts.entry(*class).or_default();
            *count += 1;
            (*class, *count)
        };
        classes.iter().map(count).collect()
    };
    let mut places: HashMap<(u32, u32), usize> = numbered(new).into_iter().zip(0..).collect();
    for (at, class) in numbered(old).into_iter().enumerate() {
        match places.remove(&class) {
            Some(into) => matches.pairs.push((at, into)),
            None => matches.removed.push(at),
        }
    }
    matches.added = places.into_values().collect();
    matches.added.sort_unstable();
    matches
}
