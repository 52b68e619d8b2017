//! The order of the work in a cycle: which jobs wait for which.
//!
//! What is still to be done is a graph, from what a job completes to what waits for it. A container that many jobs use
//! is one node of it, looked into once, so the time grows with the number of objects alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foldhash::HashMap;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::own_form::Form;
use super::{Content, Fix, Job, Late};
use holdall::bindings::memory::{self, Collect, GrowMap, GrowVec};

/// What is not complete yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// A late value, by its number.
    Late(usize),
    /// One that is to be filled after it was made.
    LateFields(usize),
    /// What is missing of the object with an address.
    Missing(usize, Missing),
    /// What is missing of these kinds, of the object with an address and of what it holds, down to this level.
    Inside(usize, usize, Kinds),
    /// The work of a job is possible, and so on.
    Job(usize, Stage),
}

/// A part of an object that is missing.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Missing {
    /// The entries of a dict, or the members of a set.
    Contents,
    /// Items of a list or tuple, or values of a dict, that are late.
    Items,
    /// Attributes that are late.
    Attributes,
    /// The fields with which a function fills it.
    Fields,
}

/// Kinds of missing parts.
pub(super) type Kinds = &'static [Missing];
const CONTENTS: Kinds = &[Missing::Contents];
const ITEMS: Kinds = &[Missing::Items];
const FIELDS: Kinds = &[Missing::Fields];
const CONTAINED: Kinds = &[Missing::Contents, Missing::Items];
const ALL: Kinds = &[Missing::Contents, Missing::Items, Missing::Attributes];

/// How deep in its key a dict hashes objects: in tuples.
const HASHED_LEVELS: usize = 2;

/// How far a job can be done. A stage has the first job that reached it, before the next stages.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    /// All that it needs exists.
    Possible,
    /// It calls no function that may use something unfinished, and hashes nothing.
    Complete,
    /// It fills a container, and hashes only objects that are filled.
    Hashed,
    /// It fills an object, maybe with a container that is still empty, as pickle does.
    Filling,
    /// It fills a container.
    Hashing,
    /// It makes an object, maybe of a container that is still empty, as pickle does.
    Making,
}

/// The stages of which a job is taken, in their order.
const STAGES: [Stage; 5] =
    [Stage::Complete, Stage::Hashed, Stage::Filling, Stage::Hashing, Stage::Making];

#[derive(Default)]
struct OrderNode<'py> {
    /// For how much it waits.
    pending: usize,
    /// What waits for it.
    waiting: Vec<Part>,
    /// The container that is looked into as soon as its own parts are complete.
    unseen: Option<Bound<'py, PyAny>>,
}

pub(super) struct Order<'py> {
    jobs: Vec<Option<Job<'py>>>,
    nodes: HashMap<Part, OrderNode<'py>>,
    /// Whether a container was looked into. It stays alive, so that no other object gets its address.
    seen: HashMap<Part, Bound<'py, PyAny>>,
    ready: [BinaryHeap<Reverse<usize>>; STAGES.len()],
}

/// A job, and what it completes.
pub(super) struct Next<'py> {
    pub job: Job<'py>,
    pub completes: Vec<Part>,
}

impl<'py> Order<'py> {
    pub fn of(jobs: Vec<Job<'py>>, lates: &[Late<'py>]) -> Order<'py> {
        let mut order = Order {
            jobs: memory::with_capacity(jobs.len()),
            nodes: HashMap::default(),
            seen: HashMap::default(),
            ready: Default::default(),
        };
        for job in &jobs {
            for part in completed_by(job, lates) {
                order.nodes.entry(part).or_default().pending += 1;
            }
        }
        let needs: Vec<_> = jobs.iter().map(|job| needed_by(job, lates)).collected();
        order.jobs.put_each(jobs.into_iter().map(Some));
        for (number, needs) in needs.into_iter().enumerate() {
            for part in &needs {
                order.nodes.entry(*part).or_default();
            }
            order.wait(number, Stage::Possible, needs);
        }
        order
    }

    /// Returns the next job. None if all are done, or none of the rest is possible.
    pub fn next(&mut self, lates: &[Late<'py>]) -> Option<Next<'py>> {
        self.ready.iter_mut().find_map(|ready| {
            while let Some(Reverse(number)) = ready.pop() {
                if let Some(job) = self.jobs[number].take() {
                    let completes = completed_by(&job, lates);
                    return Some(Next { job, completes });
                }
            }
            None
        })
    }

    pub fn are_all_done(&self) -> bool {
        self.jobs.iter().all(Option::is_none)
    }

    /// Lets what waited for the parts that a job completed go on.
    pub fn complete(&mut self, parts: Vec<Part>) {
        let mut left = parts;
        while let Some(part) = left.pop() {
            let Some(node) = self.nodes.get_mut(&part) else { continue };
            node.pending -= 1;
            if node.pending > 0 {
                continue;
            }
            if let Some(container) = node.unseen.take()
                && self.look_into(part, &container)
            {
                continue;
            }
            let node = self.nodes.remove(&part);
            left.put_each(node.map(|node| node.waiting).unwrap_or_default());
            if let Part::Job(number, stage) = part {
                self.reach(number, stage);
            }
        }
    }

    /// Makes a stage of a job wait for parts, or reaches it at once.
    fn wait(&mut self, number: usize, stage: Stage, parts: Vec<Part>) {
        if parts.is_empty() {
            return self.reach(number, stage);
        }
        let part = Part::Job(number, stage);
        self.nodes.put(part, OrderNode { pending: parts.len(), ..OrderNode::default() });
        self.wait_for(part, parts);
    }

    fn wait_for(&mut self, waiting: Part, parts: Vec<Part>) {
        for part in parts {
            if let Some(node) = self.nodes.get_mut(&part) {
                node.waiting.put(waiting);
            }
        }
    }

    fn reach(&mut self, number: usize, stage: Stage) {
        match STAGES.iter().position(|each| *each == stage) {
            Some(at) => self.ready[at].push(Reverse(number)),
            None => self.plan(number),
        }
    }

    /// Finds what the next stages of a possible job wait for.
    fn plan(&mut self, number: usize) {
        let Some(job) = self.jobs[number].take() else { return };
        match &job {
            Job::Entries(_, entries) => {
                let parts = entries.iter().filter_map(|(key, _)| self.hashed(key)).collected();
                self.wait(number, Stage::Hashed, parts);
                self.reach(number, Stage::Hashing);
            }
            Job::Members(_, members) => {
                let parts = members.iter().filter_map(|member| self.hashed(member)).collected();
                self.wait(number, Stage::Hashed, parts);
                self.reach(number, Stage::Hashing);
            }
            Job::Make { .. } | Job::Fill { .. } | Job::Post(..) => {
                let copied = self.copied(&job);
                let mut all = self.used(&job);
                all.put_slice(&copied);
                let is_fill = matches!(job, Job::Fill { .. });
                let stage = if is_fill { Stage::Filling } else { Stage::Making };
                self.wait(number, Stage::Complete, all);
                self.wait(number, stage, copied);
            }
        }
        self.jobs[number] = Some(job);
    }

    /// Returns what is missing of a key or member when it is hashed.
    fn hashed(&mut self, slot: &Content<'py>) -> Option<Part> {
        match slot {
            Content::Now(value) => self.inside(value, HASHED_LEVELS, FIELDS),
            Content::Late(late) => {
                Some(Part::LateFields(*late)).filter(|part| self.nodes.contains_key(part))
            }
        }
    }

    /// Returns what is missing that a job copies: its result would lack it.
    fn copied(&mut self, job: &Job<'py>) -> Vec<Part> {
        match job {
            Job::Make { recipe, inputs, .. } => {
                let Some(levels) = recipe.copied_levels() else { return Vec::new() };
                let mut parts = self.inside_all(inputs, levels, ITEMS);
                parts.put_each(self.inside_all(inputs, levels.min(1), CONTENTS));
                parts
            }
            Job::Fill { function, value: Content::Now(value), layout, .. } => {
                match (function.cast::<Form>(), value.cast_exact::<PyDict>()) {
                    (Ok(form), Ok(fields)) if layout.is_some() => {
                        let copied = form.get().copied_fields(fields);
                        copied.iter().filter_map(|each| self.inside(each, 1, CONTAINED)).collected()
                    }
                    _ => self
                        .inside(value, usize::from(layout.is_none()), CONTAINED)
                        .into_iter()
                        .collected(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// Returns what is missing that a function of a job may use.
    fn used(&mut self, job: &Job<'py>) -> Vec<Part> {
        match job {
            Job::Make { recipe, inputs, .. } => match recipe.copied_levels() {
                Some(levels) => self.inside_all(inputs, levels, ALL),
                None => Vec::new(),
            },
            Job::Fill { function, value: Content::Now(value), .. } => {
                match function.cast::<Form>() {
                    Ok(form) if form.get().sets_state() => {
                        self.inside(value, 1, ALL).into_iter().collected()
                    }
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    fn inside_all(&mut self, slots: &[Content<'py>], levels: usize, kinds: Kinds) -> Vec<Part> {
        let mut parts = Vec::new();
        for slot in slots {
            if let Content::Now(value) = slot {
                parts.put_each(self.inside(value, levels, kinds));
            }
        }
        parts
    }

    /// Returns the node of what is missing of a value and of what it holds, down to a level. None if all is complete.
    fn inside(&mut self, value: &Bound<'py, PyAny>, levels: usize, kinds: Kinds) -> Option<Part> {
        let address = value.as_ptr() as usize;
        let part = Part::Inside(address, levels, kinds);
        if self.nodes.contains_key(&part) {
            return Some(part);
        }
        if self.seen.contains_key(&part) {
            return None;
        }
        let own = kinds.iter().map(|kind| Part::Missing(address, *kind));
        let own: Vec<_> = own.filter(|part| self.nodes.contains_key(part)).collected();
        let is_container = levels > 0
            && (value.is_exact_instance_of::<PyTuple>()
                || value.is_exact_instance_of::<PyList>()
                || value.is_exact_instance_of::<PyDict>());
        if own.is_empty() {
            return (is_container && self.look_into(part, value)).then_some(part);
        }
        let unseen = is_container.then(|| value.clone());
        self.nodes.put(part, OrderNode { pending: own.len(), unseen, ..OrderNode::default() });
        self.wait_for(part, own);
        Some(part)
    }

    /// Looks for what is missing in a container. Returns whether its node has to wait.
    fn look_into(&mut self, part: Part, container: &Bound<'py, PyAny>) -> bool {
        let Part::Inside(_, levels, kinds) = part else { return false };
        let mut parts = Vec::new();
        let mut look =
            |item: &Bound<'py, PyAny>| parts.put_each(self.inside(item, levels - 1, kinds));
        if let Ok(tuple) = container.cast_exact::<PyTuple>() {
            tuple.iter().for_each(|item| look(&item));
        } else if let Ok(list) = container.cast_exact::<PyList>() {
            list.iter().for_each(|item| look(&item));
        } else if let Ok(dict) = container.cast_exact::<PyDict>() {
            dict.values().iter().for_each(|item| look(&item));
        }
        self.seen.put(part, container.clone());
        if parts.is_empty() {
            return false;
        }
        self.nodes.entry(part).or_default().pending = parts.len();
        self.wait_for(part, parts);
        true
    }
}

/// Returns what a job completes.
fn completed_by(job: &Job<'_>, lates: &[Late<'_>]) -> Vec<Part> {
    match job {
        Job::Entries(container, _) | Job::Members(container, _) => {
            vec![Part::Missing(container.as_ptr() as usize, Missing::Contents)]
        }
        Job::Make { late, .. } => {
            let of_slots = lates[*late].fixes.iter().map(|fix| {
                let missing = match fix {
                    Fix::Attribute(..) => Missing::Attributes,
                    _ => Missing::Items,
                };
                Part::Missing(fix.target(), missing)
            });
            of_slots.chain([Part::Late(*late)]).collected()
        }
        Job::Fill { object: Content::Now(object), .. } => {
            vec![Part::Missing(object.as_ptr() as usize, Missing::Fields)]
        }
        Job::Fill { object: Content::Late(late), .. } => vec![Part::LateFields(*late)],
        Job::Post(..) => Vec::new(),
    }
}

/// Returns the late values that a job needs and that do not exist yet.
fn needed_by(job: &Job<'_>, lates: &[Late<'_>]) -> Vec<Part> {
    let of = |slots: &mut dyn Iterator<Item = &Content<'_>>, needs: &[usize]| {
        let slots = slots.filter_map(|slot| match slot {
            Content::Now(_) => None,
            Content::Late(late) => Some(*late),
        });
        let all = slots.chain(needs.iter().copied());
        all.filter(|late| lates[*late].value.is_none()).map(Part::Late).collected()
    };
    match job {
        Job::Entries(_, entries) => {
            of(&mut entries.iter().flat_map(|(key, value)| [key, value]), &[])
        }
        Job::Members(_, members) => of(&mut members.iter(), &[]),
        Job::Make { inputs, needs, .. } => of(&mut inputs.iter(), needs),
        Job::Fill { object, value, needs, .. } => of(&mut [object, value].into_iter(), needs),
        Job::Post(_, object, _) => of(&mut [object].into_iter(), &[]),
    }
}
