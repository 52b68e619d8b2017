//! How the direct build makes the values of a site, found once for a site and the requested type.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use holdall::bindings::{BlockReader, SiteForm};
use holdall::{IntKind, LogicalType, Shape};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::Builder;
use super::class::{Class, How};
use super::kept::LayoutId;
use super::own_form::Form;
use super::types::{ANY, Node, NodeId};

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
    /// The value of another step, if the node takes its type unchanged.
    Only(NodeId, StepId),
}

/// What the rows of a record or struct become.
pub struct RowStep {
    name: Option<Arc<str>>,
    node: NodeId,
    /// By the numbers of their shapes.
    shapes: HashMap<usize, ShapeStep>,
}

/// The names of a shape, and what its rows become.
type ShapeStep = (Arc<[Arc<str>]>, RowForm);

/// What the rows of one shape become, and the steps of their values.
#[derive(Clone, Copy)]
pub struct RowForm {
    pub values: Several,
    pub what: What,
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
    /// An object made by a form of a dict of its fields; below, a named tuple of its items.
    Form(LayoutId),
    Items(LayoutId),
}

/// The members of an enum at one site, by the numbers of their variants.
pub struct Members {
    /// The site of the choice among them, and the sites of their payloads, which are null.
    pub choice: usize,
    pub payloads: Box<[usize]>,
    pub members: Box<[Option<Py<PyAny>>]>,
}

/// The members of a class of flags that data have named so far, by their bits.
pub struct FlagMembers {
    pub form: Py<Form>,
    pub known: HashMap<u64, Py<PyAny>>,
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
    rows: Vec<RowStep>,
    names: Vec<Py<PyTuple>>,
    pub types: Vec<Arc<LogicalType>>,
    pub members: Vec<Members>,
    pub flags: Vec<FlagMembers>,
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
        self.several.len() + self.names.len()
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

    /// Sets the step of a definition's body, found with its first value.
    pub fn set_body(&mut self, step: StepId, body: StepId) {
        self.all[step].2 = Step::Body(body);
    }

    pub fn is_refused(&self, site: usize, node: NodeId) -> bool {
        self.refused.contains(&(site, node))
    }

    pub fn refuse(&mut self, site: usize, node: NodeId) {
        self.refused.insert((site, node));
    }

    /// Returns what a value of a site reaches; `None` if a part of it always needs events.
    pub fn reach(&mut self, rows: &BlockReader<'_, '_>, site: usize) -> Option<Arc<Reach>> {
        if let Some(known) = self.reaches.get(&site) {
            return known.clone();
        }
        let mut found = Found::default();
        let is_all = self.follow(rows, site, &mut found).is_some();
        self.followed += found.sites.len();
        if !is_all {
            // All sites on the path need events, so none of them is tried again.
            self.reaches.extend(found.path.into_iter().map(|site| (site, None)));
            return None;
        }
        let Found { sites, definitions, .. } = found;
        let reach = Arc::new(Reach { sites: sites.into(), definitions: definitions.into() });
        self.reaches.insert(site, Some(Arc::clone(&reach)));
        Some(reach)
    }

    fn follow(&self, rows: &BlockReader<'_, '_>, site: usize, found: &mut Found) -> Option<()> {
        if !found.seen.insert(site) {
            return Some(());
        }
        found.path.push(site);
        found.sites.push(site);
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
                found.definitions.push(number);
                self.follow(rows, body, found)?;
            }
            SiteForm::Map(key, value) => {
                self.follow(rows, key, found)?;
                self.follow(rows, value, found)?;
            }
            SiteForm::Union(all) | SiteForm::Tuple(all) | SiteForm::Choice(all, _) => {
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
struct Found {
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
        steps.all.push((site, node, step));
        let id = steps.all.len() - 1;
        steps.known.insert((site, node), id);
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
                    None => vec![ANY; items.len()],
                    Some(Node { tuple: Some(own), check: None, .. })
                        if own.len() == items.len() =>
                    {
                        own.clone()
                    }
                    Some(Node { tuple: None, row: Some(own), check: None, .. }) => {
                        vec![*own; items.len()]
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
                // Keys of other types can be equal in Python and differ in data, or the reverse.
                let is_simple =
                    matches!(rows.form(key), SiteForm::Int(_) | SiteForm::String | SiteForm::Bytes);
                if !is_simple {
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
                        all.push((site, ANY, step));
                        Step::Only(node, all.len() - 1)
                    }
                    Some(_) => Step::Other,
                }
            }
            SiteForm::Extension(name, inside) => {
                self.extension_step(rows, site, name, inside, node)
            }
            SiteForm::Choice(..) | SiteForm::Other => Step::Other,
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

    fn steps_of(
        &mut self,
        rows: &BlockReader<'_, '_>,
        of: impl Iterator<Item = (usize, NodeId)>,
    ) -> Several {
        let all: Vec<StepId> = of.map(|(site, node)| self.step_of(rows, site, node)).collect();
        let several = &mut self.kept.steps.several;
        let first = several.len();
        several.extend(&all);
        Several { first, len: all.len() }
    }

    fn row_step(&mut self, name: Option<Arc<str>>, node: NodeId) -> Step {
        let rows = &mut self.kept.steps.rows;
        rows.push(RowStep { name, node, shapes: HashMap::default() });
        Step::Row(rows.len() - 1)
    }

    /// Finds what the rows of a shape become, at the first such row; `None` if they need events.
    #[cold]
    pub(super) fn find_form(
        &mut self,
        rows: &BlockReader<'_, '_>,
        row: usize,
        number: usize,
    ) -> Option<RowForm> {
        let (shape, sites) = rows.shape_of(number);
        let RowStep { name, node, .. } = &self.kept.steps.rows[row];
        let (name, node) = (name.clone(), *node);
        self.kept.learn(self.py, shape);
        let (what, nodes) = match self.class_of(name.as_ref(), node, shape)? {
            Some(class) => self.object_form(&class, shape)?,
            None => {
                let asked = self.node(node).filter(|node| !node.any);
                let value = match asked {
                    None => ANY,
                    Some(Node { dict: Some((key, value)), check: None, .. })
                        if self.node(*key).is_none_or(|key| key.any || key.string) =>
                    {
                        *value
                    }
                    Some(_) => return None,
                };
                (What::Dict, vec![value; sites.len()])
            }
        };
        let values = self.steps_of(rows, sites.iter().copied().zip(nodes));
        let form = RowForm { values, what };
        let shapes = &mut self.kept.steps.rows[row].shapes;
        shapes.insert(number, (Arc::clone(shape.keys()), form));
        Some(form)
    }

    /// Returns the class of a row's objects, or `Some(None)` for a dict; `None` if the row needs
    /// events.
    fn class_of(
        &mut self,
        name: Option<&Arc<str>>,
        node: NodeId,
        shape: &Shape,
    ) -> Option<Option<Arc<Class>>> {
        let asked = self.node(node);
        if asked.is_some_and(|node| node.is_tagged(shape)) {
            return None;
        }
        let is_asked = asked.is_some_and(|node| !node.any);
        let class = match (self.chosen(node, name.map(|name| &**name), shape), name) {
            (Ok(None), Some(name)) if !is_asked => self.named_class(name, shape).map(Some),
            (Ok(None), Some(_)) => return None,
            (class, _) => class,
        };
        self.got(class)
    }

    /// Returns what the objects of a class become, and the requested types of their fields.
    fn object_form(&mut self, class: &Arc<Class>, shape: &Shape) -> Option<(What, Vec<NodeId>)> {
        let id = self.layout_of(class, shape);
        let id = self.got(id)?;
        let layout = self.kept.layout(id);
        let nodes = layout.places.iter().map(|(_, node)| *node).collect();
        if layout.runs_code {
            return None;
        }
        let what = match &class.how {
            How::Fields { .. } if !layout.into_dict => What::Object(id),
            How::Dict => What::Fields(id),
            How::Construct(_) => {
                let keys = layout.places.iter().filter_map(|(place, _)| place.key());
                let names =
                    PyTuple::new(self.py, keys.map(|key| key.bind(self.py)).collect::<Vec<_>>());
                let steps = &mut self.kept.steps;
                steps.names.push(names.ok()?.unbind());
                What::Call(id, steps.names.len() - 1)
            }
            How::Build(_) | How::Fill { .. } if layout.absent.is_empty() => {
                let form = class.form(self.py)?;
                let is_row = form.get().is_row_of(self.kept.keys(shape.id()), self.py);
                if is_row { What::Items(id) } else { What::Form(id) }
            }
            _ => return None,
        };
        Some((what, nodes))
    }
}
