//! Nodes that point to earlier nodes; most have several pointers to them.

use std::collections::HashMap;
use std::sync::Arc;

use holdall_bench_measure::random::Random;

use super::text;

#[derive(
    Debug,
    holdall::Encode,
    holdall::Decode,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
    fory::ForyStruct,
)]
pub struct Graph {
    pub nodes: Vec<Arc<Node>>,
}

// Without explicit bounds, rkyv's derive makes recursive ones.
#[derive(
    Debug,
    holdall::Encode,
    holdall::Decode,
    rkyv::Archive,
    rkyv::Serialize,
    rkyv::Deserialize,
    fory::ForyStruct,
)]
#[rkyv(
    serialize_bounds(__S: rkyv::ser::Writer + rkyv::ser::Allocator + rkyv::ser::Sharing, __S::Error: rkyv::rancor::Source),
    deserialize_bounds(__D: rkyv::de::Pooling, __D::Error: rkyv::rancor::Source),
    bytecheck(bounds(
        __C: rkyv::validation::ArchiveContext + rkyv::validation::SharedContext,
        __C::Error: rkyv::rancor::Source,
    ))
)]
pub struct Node {
    pub name: String,
    pub weight: f64,
    #[rkyv(omit_bounds)]
    pub edges: Vec<Arc<Node>>,
}

type Flat<'a> = (&'a str, f64, Vec<usize>);

impl Graph {
    /// Each node with the numbers of the nodes it points to. None if one is not among the nodes, because it was
    /// duplicated.
    fn flat(&self) -> Option<Vec<Flat<'_>>> {
        let numbered = self.nodes.iter().enumerate();
        let numbers: HashMap<_, _> =
            numbered.map(|(number, node)| (Arc::as_ptr(node), number)).collect();
        let number = |to: &Arc<Node>| numbers.get(&Arc::as_ptr(to)).copied();
        let flat = |node: &Node| node.edges.iter().map(number).collect::<Option<_>>();
        self.nodes.iter().map(|node| Some((&*node.name, node.weight, flat(node)?))).collect()
    }

    fn unflat<'a>(flat: impl Iterator<Item = Flat<'a>>) -> Graph {
        let mut nodes: Vec<Arc<Node>> = Vec::new();
        for (name, weight, edges) in flat {
            let edges = edges.iter().map(|&number| Arc::clone(&nodes[number])).collect();
            nodes.push(Arc::new(Node { name: name.to_owned(), weight, edges }));
        }
        Graph { nodes }
    }
}

/// The same values with the same pointers between them.
impl PartialEq for Graph {
    fn eq(&self, other: &Graph) -> bool {
        matches!((self.flat(), other.flat()), (Some(own), Some(others)) if own == others)
    }
}

/// Clones the nodes, not only the pointers.
impl Clone for Graph {
    fn clone(&self) -> Graph {
        let flat = self.flat().expect("a graph has all its nodes");
        Graph::unflat(flat.into_iter())
    }
}

#[must_use]
pub fn make(count: usize, seed: u64) -> Graph {
    let random = &mut Random(seed);
    let names: Vec<String> = (0..count).map(|_| text::slug(random, 1000)).collect();
    Graph::unflat((0..count).map(|number| {
        let edges = if number == 0 { 0 } else { random.skewed(6) };
        // Most point to nearby nodes.
        let edges = (0..edges).map(|_| number - 1 - random.skewed(number as u64) as usize);
        let edges = edges.collect();
        (&*names[number], random.unit(), edges)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duplicated_node_makes_another_graph() {
        let graph = make(100, 1);
        let mut doubled = graph.clone();
        assert_eq!(doubled, graph);
        let first = &doubled.nodes[0];
        let first = Node { name: first.name.clone(), weight: first.weight, edges: Vec::new() };
        doubled.nodes[0] = Arc::new(first);
        assert_ne!(doubled, graph);
    }
}
