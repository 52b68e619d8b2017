//! The columns of a message as a tree by path, laid out on a map.

use std::collections::HashMap;

use crate::path::steps;
use crate::stat::Statistics;
use crate::treemap::{Area, divide};

/// A rectangle on the map.
#[derive(Debug)]
pub(crate) struct Tile {
    pub(crate) area: Area,
    /// The last steps of the path, or the name of the part of the message.
    pub(crate) label: String,
    pub(crate) bytes: usize,
    pub(crate) what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Other tiles, which come after it.
    Group {
        /// Whether there is room for the label above them.
        has_strip: bool,
    },
    /// The column of this number.
    Column(usize),
    /// A part of the message other than a column.
    Part,
}

/// The border of a group,
const FRAME: f64 = 2.0;
/// the strip for its label,
const STRIP: f64 = 16.0;
/// and the smallest group with a label.
const STRIP_FROM: (f64, f64) = (36.0, 48.0);

struct Node {
    label: String,
    bytes: usize,
    what: What,
    inside: Vec<usize>,
}

struct Tree {
    nodes: Vec<Node>,
    /// Returns the group one step below another.
    groups: HashMap<(usize, String), usize>,
}

const ROOT: usize = 0;
const GROUP: What = What::Group { has_strip: true };

impl Tree {
    fn add(&mut self, parent: usize, label: &str, bytes: usize, what: What) -> usize {
        let number = self.nodes.len();
        self.nodes.push(Node { label: label.to_owned(), bytes, what, inside: Vec::new() });
        self.nodes[parent].inside.push(number);
        number
    }

    fn of(statistics: &Statistics) -> Tree {
        let root = Node { label: String::new(), bytes: 0, what: GROUP, inside: Vec::new() };
        let mut tree = Tree { nodes: vec![root], groups: HashMap::new() };
        for (number, column) in statistics.columns.iter().enumerate() {
            let mut at = ROOT;
            // The items of a list share the group of its lengths: one border less for each list.
            for step in steps(&column.path).into_iter().filter(|step| *step != "[]") {
                let known = tree.groups.get(&(at, step.to_owned())).copied();
                at = known.unwrap_or_else(|| {
                    let group = tree.add(at, step, 0, GROUP);
                    tree.groups.insert((at, step.to_owned()), group);
                    group
                });
            }
            let label = if column.is_values() { &column.type_text } else { column.role };
            tree.add(at, label, column.bytes, What::Column(number));
        }
        for (name, bytes) in statistics.parts() {
            if name != "columns" && bytes > 0 {
                tree.add(ROOT, name, bytes, What::Part);
            }
        }
        tree.fold(statistics);
        tree
    }

    /// Adds up the bytes of groups, sorts their contents, and merges a group with its only subgroup.
    fn fold(&mut self, statistics: &Statistics) {
        // A group precedes its contents.
        for number in (0..self.nodes.len()).rev() {
            let mut inside = std::mem::take(&mut self.nodes[number].inside);
            inside.sort_by_key(|node| std::cmp::Reverse(self.nodes[*node].bytes));
            if !inside.is_empty() {
                self.nodes[number].bytes = inside.iter().map(|node| self.nodes[*node].bytes).sum();
            }
            if let ([only], true) = (&inside[..], number != ROOT) {
                let only = &mut self.nodes[*only];
                let (label, what) = (std::mem::take(&mut only.label), only.what);
                let deeper = std::mem::take(&mut only.inside);
                let own = &mut self.nodes[number];
                match what {
                    What::Group { .. } => own.label += &label,
                    // For values, the path says enough.
                    What::Column(column) if statistics.columns[column].is_values() => {}
                    _ => own.label += &format!(" {label}"),
                }
                (own.what, own.inside) = (what, deeper);
                continue;
            }
            self.nodes[number].inside = inside;
        }
    }

    /// Lays out a group, recursively; the depth is that of paths.
    fn lay(&mut self, number: usize, area: Area, tiles: &mut Vec<Tile>) {
        let node = &mut self.nodes[number];
        let inside = std::mem::take(&mut node.inside);
        let (label, bytes) = (std::mem::take(&mut node.label), node.bytes);
        let What::Group { .. } = node.what else {
            tiles.push(Tile { area, label, bytes, what: node.what });
            return;
        };
        let has_strip = area.width >= STRIP_FROM.0 && area.height >= STRIP_FROM.1;
        let within = if number == ROOT {
            area
        } else {
            let what = What::Group { has_strip };
            tiles.push(Tile { area, label, bytes, what });
            area.within(FRAME.min(area.width / 4.0), if has_strip { STRIP } else { 0.0 })
        };
        let sizes: Vec<usize> = inside.iter().map(|node| self.nodes[*node].bytes).collect();
        for (node, area) in inside.into_iter().zip(divide(&sizes, within)) {
            self.lay(node, area, tiles);
        }
    }
}

/// Returns the map of a message's bytes: a tile for each column and each other part, groups before their contents.
pub(crate) fn tiles(statistics: &Statistics, width: f64, height: f64) -> Vec<Tile> {
    let mut tiles = Vec::new();
    Tree::of(statistics).lay(ROOT, Area { x: 0.0, y: 0.0, width, height }, &mut tiles);
    tiles
}
