//! Matches the items of two sequences.

use std::collections::HashSet;

use super::graph::{ContentKind, Graph, NodeId};
use super::runs::{Run, runs};

/// The result for items, by their positions in the old and the new sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Two matching items, equal or not.
    Both(usize, usize),
    Removed(usize),
    Added(usize),
}

/// Up to this many pairs of changed items, the best match is found; otherwise they are matched in order.
const MOST_WAYS: usize = 1 << 10;
/// How many fields or items of two values are compared to estimate their similarity.
const MOST_LOOKS: usize = 32;

/// The items of two sequences, each with its graph.
pub(super) struct Sides<'g, 'a> {
    pub(super) old: (&'g Graph<'a>, &'g [NodeId]),
    pub(super) new: (&'g Graph<'a>, &'g [NodeId]),
}

impl Sides<'_, '_> {
    /// Returns the result for all items, in order.
    pub(super) fn align(&self) -> Vec<Fate> {
        let classes = |(graph, ids): (&Graph<'_>, &[NodeId])| -> Vec<u32> {
            ids.iter().map(|id| graph.node(*id).class).collect()
        };
        let mut fates = Vec::new();
        for run in runs(&classes(self.old), &classes(self.new)) {
            if run.is_equal {
                fates.extend(run.old.zip(run.new).map(|(old, new)| Fate::Both(old, new)));
            } else {
                self.pair_by_name(run, &mut fates);
            }
        }
        fates
    }

    /// Changed records are matched by a field that each has, with a different value in each.
    fn pair_by_name(&self, run: Run, fates: &mut Vec<Fate>) {
        let is_one_way =
            run.old.len().min(run.new.len()) == 0 || run.old.len() + run.new.len() == 2;
        let names = if is_one_way { None } else { self.names(&run) };
        let Some((old, new)) = names else { return self.pair_by_likeness(&run, false, fates) };
        let (first_old, first_new) = (run.old.start, run.new.start);
        for inner in runs(&old, &new) {
            let old = inner.old.start + first_old..inner.old.end + first_old;
            let new = inner.new.start + first_new..inner.new.end + first_new;
            match inner.is_equal {
                true => fates.extend(old.zip(new).map(|(old, new)| Fate::Both(old, new))),
                // Fields with other names are mostly unrelated.
                false => self.pair_by_likeness(&Run { is_equal: false, old, new }, true, fates),
            }
        }
    }

    /// The classes of the first field that distinguishes all items on both sides and that most items share.
    fn names(&self, run: &Run) -> Option<(Vec<u32>, Vec<u32>)> {
        let (graph, ids) = self.old;
        let first = ids[run.old.start];
        if graph.node(first).kind != ContentKind::Fields {
            return None;
        }
        let count = graph.inside(first).len().min(MOST_LOOKS);
        let mut best: Option<(usize, Vec<u32>, Vec<u32>)> = None;
        for at in 0..count {
            let name = graph.name(first, at);
            let Some(old) = column(graph, &ids[run.old.clone()], name, at) else { continue };
            let Some(new) = column(self.new.0, &self.new.1[run.new.clone()], name, at) else {
                continue;
            };
            let known: HashSet<u32> = old.iter().copied().collect();
            let common = new.iter().filter(|class| known.contains(class)).count();
            if common > best.as_ref().map_or(0, |best| best.0) {
                best = Some((common, old, new));
            }
        }
        best.map(|(_, old, new)| (old, new))
    }

    fn pair_by_likeness(&self, run: &Run, by_half: bool, fates: &mut Vec<Fate>) {
        let (rows, columns) = (run.old.len(), run.new.len());
        let likeness = |row: usize, column: usize| {
            let old = self.old.1[run.old.start + row];
            let new = self.new.1[run.new.start + column];
            likeness((self.old.0, old), (self.new.0, new), by_half)
        };
        if rows.saturating_mul(columns) > MOST_WAYS {
            for at in 0..rows.max(columns) {
                match (at < rows, at < columns) {
                    (true, true) if likeness(at, at) > 0 => {
                        fates.push(Fate::Both(run.old.start + at, run.new.start + at));
                    }
                    (is_old, is_new) => {
                        fates.extend(is_old.then_some(Fate::Removed(run.old.start + at)));
                        fates.extend(is_new.then_some(Fate::Added(run.new.start + at)));
                    }
                }
            }
            return;
        }
        // The best total similarity of the items from a row and a column on.
        let mut most = vec![vec![0u32; columns + 1]; rows + 1];
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                let own = likeness(row, column);
                let paired = if own > 0 { own + most[row + 1][column + 1] } else { 0 };
                most[row][column] = paired.max(most[row + 1][column]).max(most[row][column + 1]);
            }
        }
        let (mut row, mut column) = (0, 0);
        while row < rows || column < columns {
            let (old, new) = (run.old.start + row, run.new.start + column);
            let is_pair = row < rows && column < columns && {
                let own = likeness(row, column);
                own > 0 && most[row][column] == own + most[row + 1][column + 1]
            };
            if is_pair {
                fates.push(Fate::Both(old, new));
                (row, column) = (row + 1, column + 1);
            } else if column == columns
                || (row < rows && most[row + 1][column] == most[row][column])
            {
                fates.push(Fate::Removed(old));
                row += 1;
            } else {
                fates.push(Fate::Added(new));
                column += 1;
            }
        }
    }
}

/// Returns the classes of a field in all of these records, if each has it with a different value.
fn column(graph: &Graph<'_>, ids: &[NodeId], name: &str, hint: usize) -> Option<Vec<u32>> {
    let mut seen = HashSet::with_capacity(ids.len());
    let mut classes = Vec::with_capacity(ids.len());
    for id in ids {
        let inside = graph.inside(*id);
        if graph.node(*id).kind != ContentKind::Fields || inside.is_empty() {
            return None;
        }
        // Usually it is at the same position as in the others.
        let is_there = |at: &usize| *at < inside.len() && graph.name(*id, *at) == name;
        let at = Some(hint).filter(is_there);
        let at = at.or_else(|| (0..inside.len().min(MOST_LOOKS)).find(is_there))?;
        let node = graph.node(inside[at]);
        if node.kind != ContentKind::Leaf || !seen.insert(node.class) {
            return None;
        }
        classes.push(node.class);
    }
    Some(classes)
}

/// Returns the similarity of two different items; 0 if they are unrelated, or on request if they share less than half.
fn likeness(
    (old_graph, old): (&Graph<'_>, NodeId),
    (new_graph, new): (&Graph<'_>, NodeId),
    by_half: bool,
) -> u32 {
    let (left, right) = (old_graph.node(old), new_graph.node(new));
    let is_same_type = std::mem::discriminant(left.value) == std::mem::discriminant(right.value);
    if left.kind == ContentKind::Leaf && right.kind == ContentKind::Leaf {
        return if is_same_type { 2 } else { 1 };
    }
    if left.kind != right.kind {
        return 0;
    }
    let (left, right) = (old_graph.inside(old), new_graph.inside(new));
    let half = left.len().max(right.len()).min(MOST_LOOKS).div_ceil(2);
    let mut pairs = left.iter().zip(right).take(MOST_LOOKS);
    let equal = |(left, right): (&NodeId, &NodeId)| {
        old_graph.node(*left).class == new_graph.node(*right).class
    };
    let common = pairs.clone().filter(|pair| equal(*pair)).count() as u32;
    let may_be_alike_inside = pairs.any(|(left, right)| {
        let kinds = (old_graph.node(*left).kind, new_graph.node(*right).kind);
        kinds.0 == kinds.1 && kinds.0 != ContentKind::Leaf
    });
    let is_small = left.len() <= 1 && right.len() <= 1;
    let is_alike = match by_half {
        true => common as usize >= half,
        false => common > 0 || may_be_alike_inside || is_small,
    };
    if is_alike { 2 + 2 * common } else { 0 }
}
