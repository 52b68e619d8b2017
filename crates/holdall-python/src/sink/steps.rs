//! How the direct build makes the values of a site, found once for a site and the requested type.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use holdall::bindings::memory::{self, Collect, GrowMap, GrowSet, GrowVec};
use holdall::bindings::{BlockReader, SiteForm};
use holdall::{IntKind, LogicalType, Shape};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use super::Builder;
use super::kept::LayoutId;
use super::own_form::Form;
use super::types::{ANY, Node, NodeId};
use super::wrapped_steps::is_simple_key;

/// The depth of types up to definitions: threads may have small stacks.
const LEVELS: usize = 48;

/// The number of sites that are followed for one schema, whatever the number of containers.
const FOLLOWED: usize = 1 << 18;

/// The number of a step.
pub type StepId = usize;

/// Consecutive steps.
#[derive(Clone, Copy)]
pub struct Several {
    pub first: usize,
    pub len: usize,
}

#[derive(Clone, Copy)]
pub enum Step {
    /// The value needs events.
    Other,
    Null,
    Bool,
    Int(IntKind),
    F32,
    F64,
    Text,
    Bytes,
    /// A value or None; the flag says whether None is accepted.
    Option(StepId, bool),
    Union(Several),
    List(StepId),
    Tuple(Several),
    /// A row, by its number in [`Steps`].
    Row(usize),
    Map(StepId, StepId),
    /// A map, into an ordered dict; the site of the map comes first.
    OrderedMap(usize, StepId, StepId),
    /// A set, by the site of the list of its members and their step; the flag says whether it is frozen.
    Set(usize, StepId, bool),
    /// A pure path, by the sites of the path and its text; the flag says whether it is of Windows.
    PurePath(usize, usize, bool),
    /// A value of a definition whose body has no step yet, by the body's site; the first value
    /// replaces it by `Body`.
    Definition(usize),
    Body(StepId),
    /// A logical value stored as one integer: the number of its type, and the integer's site.
    Single(usize, usize),
    Uuid(usize),
    /// The sites of the tuple and of its items.
    Decimal(usize, [usize; 3]),
    /// Another logical value, by the number of its type.
    Logical(usize, StepId),
    /// A member of an enum, by its number in [`Steps`].
    Member(usize),
    /// Flags, by their number in [`Steps`], and the site of their bits.
    Flags(usize, usize),
    /// What an extension becomes by a form, by its number in [`Steps`], and what it holds.
    Extension(usize, StepId),
    /// A defaultdict or counter, by the number of its form, the sites of the tuple around its content and of the name of its
    /// factory, and the step of its content. A counter has no tuple.
    Collection(usize, Option<(usize, StepId)>, StepId),
    /// The value of another step, if the node takes its type unchanged.
    Only(NodeId, StepId),
}

/// What the rows of a record or struct become.
pub struct RowStep {
    pub(super) name: Option<Arc<str>>,
    pub(super) node: NodeId,
    /// By the numbers of their shapes.
    pub(super) shapes: HashMap<usize, ShapeStep>,
    /// Of dicts, where rows list their fields: what is known of these, once a row was met.
    pub(super) fields: Option<FieldSteps>,
}

/// The keys and steps of all fields of a row, for rows that list theirs.
#[derive(Clone, Copy)]
pub struct FieldSteps {
    /// The number of the first key.
    pub(super) first: usize,
    pub values: Several,
}

/// The names of a shape, and what its rows become.
type ShapeStep = (Arc<[Arc<str>]>, RowForm);

/// What the rows of one shape become, and the steps of their values.
#[derive(Clone, Copy)]
pub struct RowForm {
    pub values: Several,
    pub what: What,
    /// Whether code of the program makes the object.
    pub runs_code: bool,
}

#[derive(Clone, Copy)]
pub enum What {
    Dict,
    /// A dict with defaults.
    Fields(LayoutId),
    /// An object whose attributes are set one by one.
    Object(LayoutId),
    /// An object that its class makes from values with these names.
    Call(LayoutId, usize),
    /// An object that a form makes of a dict of its fields.
    Form(LayoutId),
    /// An object of a subclass of a builtin class, filled with the content of that class while this is read.
    Holder(LayoutId),
    /// A named tuple that a form makes of its items.
    Items(LayoutId),
}

impl What {
    /// Returns the layout of the objects of a class.
    pub fn layout(self) -> Option<LayoutId> {
        match self {
            What::Dict => None,
            What::Fields(id)
            | What::Object(id)
            | What::Call(id, _)
            | What::Form(id)
            | What::Holder(id)
            | What::Items(id) => Some(id),
        }
    }
}

/// The members of an enum at one site, by the numbers of their variants.
pub struct Members {
    /// The site of the choice among them, and the sites of their payloads, which are null.
    pub choice: usize,
    pub payloads: Box<[usize]>,
    pub members: Box<[Option<Py<PyAny>>]>,
}

/// The sites from which a value takes rows, and the numbers of the definitions among them.
pub struct Reach {
    pub sites: Box<[usize]>,
    pub definitions: Box<[usize]>,
}

#[derive(Default)]
pub struct Steps {
    pub(super) all: Vec<(usize, NodeId, Step)>,
    /// The steps behind [`Several`].
    several: Vec<StepId>,
    pub(super) rows: Vec<RowStep>,
    /// The keys behind [`FieldSteps`].
    pub(super) keys: Vec<Py<PyString>>,
    pub(super) names: Vec<Py<PyTuple>>,
    pub types: Vec<Arc<LogicalType>>,
    pub members: Vec<Members>,
    /// The members of classes of flags, by their bits.
    pub flags: Vec<Py<PyDict>>,
    pub forms: Vec<Py<Form>>,
    known: HashMap<(usize, NodeId), StepId>,
    /// By the sites of containers; `None` if a site there needs events.
    reaches: HashMap<usize, Option<Arc<Reach>>>,
    /// Where the direct build found that it needs events.
    refused: HashSet<(usize, NodeId)>,
    /// How many sites were followed.
    followed: usize,
}

impl Steps {
    /// Returns how much is kept: rows with their own field names add to it with each message.
    pub fn size(&self) -> usize {
        self.several.len() + self.keys.len() + self.names.len()
    }

    #[inline]
    pub fn get(&self, step: StepId) -> (usize, Step) {
        let (site, _, step) = self.all[step];
        (site, step)
    }

    /// Returns the requested type of a step.
    pub fn asked(&self, step: StepId) -> NodeId {
        self.all[step].1
    }

    #[inline]
    pub fn at(&self, several: Several, at: usize) -> StepId {
        self.several[several.first + at]
    }

    pub fn names(&self, number: usize) -> &Py<PyTuple> {
        &self.names[number]
    }

    /// Returns what the rows of a shape become, if that is known.
    #[inline]
    pub fn form_of(&self, row: usize, number: usize, shape: &Shape) -> Option<RowForm> {
        match self.rows[row].shapes.get(&number) {
            // The names are kept alive, so no others have their address.
            Some((names, form)) if Arc::ptr_eq(names, shape.keys()) => Some(*form),
            _ => None,
        }
    }

    /// Returns what is known of a row's fields, where rows list these.
    #[inline]
    pub fn fields_of(&self, row: usize) -> Option<FieldSteps> {
        self.rows[row].fields
    }

    /// Returns the key of a field.
    #[inline]
    pub fn key_of(&self, fields: FieldSteps, at: usize) -> &Py<PyString> {
        &self.keys[fields.first + at]
    }

    /// Sets the step of a definition's body, found with its first value.
    pub fn set_body(&mut self, step: StepId, body: StepId) {
        self.all[step].2 = Step::Body(body);
    }

    pub fn is_refused(&self, site: usize, node: NodeId) -> bool {
        self.refused.contains(&(site, node))
    }

    pub fn refuse(&mut self, site: usize, node: NodeId) {
        self.refused.put((site, node));
    }

    /// Returns what a value of a site reaches; `None` if a part of it always needs events.
    pub fn reach(&mut self, rows: &BlockReader<'_, '_>, site: usize) -> Option<Arc<Reach>> {
        if let Some(known) = self.reaches.get(&site) {
            return known.clone();
        }
        let mut found = SearchedSites::default();
        let is_all = self.follow(rows, site, &mut found).is_some();
        self.followed += found.sites.len();
        if !is_all {
            // All sites on the path need events, so none of them is tried again.
            self.reaches.put_each(found.path.into_iter().map(|site| (site, None)));
            return None;
        }
        let SearchedSites { sites, definitions, .. } = found;
        let reach = Arc::new(Reach { sites: sites.into(), definitions: definitions.into() });
        self.reaches.put(site, Some(Arc::clone(&reach)));
        Some(reach)
    }

    fn follow(
        &self,
        rows: &BlockReader<'_, '_>,
        site: usize,
        found: &mut SearchedSites,
    ) -> Option<()> {
        if !found.seen.put(site) {
            return Some(());
        }
        found.path.put(site);
        found.sites.put(site);
        if found.path.len() > LEVELS
            || found.sites.len() + self.followed > FOLLOWED
            || matches!(self.reaches.get(&site), Some(None))
        {
            return None;
        }
        match rows.form(site) {
            SiteForm::Other => return None,
            SiteForm::Option(inside)
            | SiteForm::List(inside)
            | SiteForm::Logical(_, inside)
            | SiteForm::Extension(_, inside) => {
                self.follow(rows, inside, found)?;
            }
            SiteForm::Definition(number, body) => {
                found.definitions.put(number);
                self.follow(rows, body, found)?;
            }
            SiteForm::Map(key, value) => {
                self.follow(rows, key, found)?;
                self.follow(rows, value, found)?;
            }
            SiteForm::Union(all) | SiteForm::Tuple(all) | SiteForm::NamedUnion(all, _) => {
                for &one in all {
                    self.follow(rows, one, found)?;
                }
            }
            SiteForm::Record | SiteForm::Struct(_) => {
                for field in rows.fields(site) {
                    self.follow(rows, field, found)?;
                }
            }
            SiteForm::Null
            | SiteForm::Bool
            | SiteForm::Int(_)
            | SiteForm::F32
            | SiteForm::F64
            | SiteForm::String
            | SiteForm::Bytes => {}
        }
        found.path.pop();
        Some(())
    }
}

/// What was found on the path to a site that needs events, or to the end.
#[derive(Default)]
struct SearchedSites {
    path: Vec<usize>,
    seen: HashSet<usize>,
    sites: Vec<usize>,
    definitions: Vec<usize>,
}

impl<'py> Builder<'py, '_> {
    /// Returns the step for a site and a requested type.
    pub(super) fn step_of(
        &mut self,
        rows: &BlockReader<'_, '_>,
        site: usize,
        node: NodeId,
    ) -> StepId {
        if let Some(&known) = self.kept.steps.known.get(&(site, node)) {
            return known;
        }
        let step = self.find_step(rows, site, node);
        let steps = &mut self.kept.steps;
        steps.all.put((site, node, step));
        let id = steps.all.len() - 1;
        steps.known.put((site, node), id);
        id
    }

    fn find_step(&mut self, rows: &BlockReader<'_, '_>, site: usize, node: NodeId) -> Step {
        let asked = self.node(node).filter(|node| !node.any);
        let scalar = |takes: fn(&Node) -> bool, step| {
            if asked.is_none_or(takes) { step } else { Step::Other }
        };
        match rows.form(site) {
            SiteForm::Null => scalar(|node| node.null, Step::Null),
            SiteForm::Bool => scalar(|node| node.bool, Step::Bool),
            SiteForm::Int(kind) => scalar(|node| node.int, Step::Int(kind)),
            SiteForm::F32 => scalar(|node| node.float, Step::F32),
            SiteForm::F64 => scalar(|node| node.float, Step::F64),
            SiteForm::String => scalar(|node| node.string, Step::Text),
            SiteForm::Bytes => scalar(|node| node.bytes, Step::Bytes),
            SiteForm::Option(inside) => {
                let takes_none = asked.is_none_or(|node| node.null);
                self.with(rows, inside, node, |inside| Step::Option(inside, takes_none))
            }
            SiteForm::Definition(_, body) => Step::Definition(body),
            SiteForm::Union(all) => {
                Step::Union(self.steps_of(rows, all.iter().map(|&site| (site, node))))
            }
            SiteForm::List(item) => match asked {
                None => self.with(rows, item, ANY, Step::List),
                Some(Node { list: Some(own), check: None, .. }) => {
                    self.with(rows, item, *own, Step::List)
                }
                Some(_) => Step::Other,
            },
            SiteForm::Tuple(items) => {
                let nodes = match asked {
                    None => memory::filled(ANY, items.len()),
                    Some(Node { tuple: Some(own), check: None, .. })
                        if own.len() == items.len() =>
                    {
                        own.clone()
                    }
                    Some(Node { tuple: None, row: Some(own), check: None, .. }) => {
                        memory::filled(*own, items.len())
                    }
                    Some(_) => return Step::Other,
                };
                let items = self.steps_of(rows, items.iter().copied().zip(nodes));
                let steps = &self.kept.steps;
                if (0..items.len)
                    .any(|at| matches!(steps.get(steps.at(items, at)), (_, Step::Other)))
                {
                    return Step::Other;
                }
                Step::Tuple(items)
            }
            SiteForm::Record => self.row_step(None, node),
            SiteForm::Struct(name) => self.row_step(Some(Arc::clone(name)), node),
            SiteForm::Map(key, value) => {
                let nodes = match asked {
                    None => (ANY, ANY),
                    Some(Node { dict: Some(nodes), check: None, .. }) => *nodes,
                    Some(_) => return Step::Other,
                };
                if !is_simple_key(rows, key) {
                    return Step::Other;
                }
                let key = self.step_of(rows, key, nodes.0);
                self.with(rows, value, nodes.1, |value| Step::Map(key, value))
            }
            SiteForm::Logical(ty, storage) => {
                let takes_others = asked.map(|node| node.fits);
                let step = self.logical_step(rows, ty, storage);
                match takes_others {
                    None => step,
                    Some(true) if !matches!(step, Step::Other) => {
                        let all = &mut self.kept.steps.all;
                        all.put((site, ANY, step));
                        Step::Only(node, all.len() - 1)
                    }
                    Some(_) => Step::Other,
                }
            }
            SiteForm::Extension(name, inside) => {
                self.extension_step(rows, site, name, inside, node)
            }
            SiteForm::NamedUnion(..) | SiteForm::Other => Step::Other,
        }
    }

    /// Returns a step with another one inside, unless the inner one needs events.
    pub(super) fn with(
        &mut self,
        rows: &BlockReader<'_, '_>,
        site: usize,
        node: NodeId,
        step: impl FnOnce(StepId) -> Step,
    ) -> Step {
        let inside = self.step_of(rows, site, node);
        match self.kept.steps.get(inside) {
            (_, Step::Other) => Step::Other,
            _ => step(inside),
        }
    }

    pub(super) fn steps_of(
        &mut self,
        rows: &BlockReader<'_, '_>,
        of: impl Iterator<Item = (usize, NodeId)>,
    ) -> Several {
        let all: Vec<StepId> = of.map(|(site, node)| self.step_of(rows, site, node)).collected();
        let several = &mut self.kept.steps.several;
        let first = several.len();
        several.put_slice(&all);
        Several { first, len: all.len() }
    }
}
