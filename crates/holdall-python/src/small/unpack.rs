//! Unpacking small messages: by a plan for each of the last schemas.

use std::sync::Arc;

use holdall::Schema;
use holdall::bindings::memory::{Collect, GrowVec, catch};
use holdall::bindings::{SmallReader, SmallSchema, SmallType};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::build::Build;
use super::keys::NameStrings;
use super::wrappers::{Made, Named, Wrappers, is_simple_key};
use super::{Attempts, DOCUMENT_BYTES, SMALL_MESSAGE};
use crate::collector::{self, MANY_CONTAINERS, WithoutCollector};
use crate::entries::Dicts;
use crate::raw;
use crate::sink::{ANY, Class, Form, How, Kept, Layout, Node, NodeId, Types, changes, choose};

/// The number of plans that are kept.
const PLANS: usize = 8;
/// The magic and the flags of a message that has nothing before its schema or fingerprint.
const INLINE: [u8; 2] = [0xC1, 0x10];
const FINGERPRINT: [u8; 2] = [0xC1, 0x11];
/// They, and the fingerprint.
const FINGERPRINT_HEAD: usize = 10;

/// Unpacks small messages.
#[derive(Default)]
pub struct SmallUnpacker {
    plans: Vec<UnpackPlan>,
    /// The plan used last, and the one that is replaced next.
    latest: usize,
    next: usize,
    keys: NameStrings,
    attempts: Attempts,
    /// An empty vector, kept for its memory.
    values: Vec<usize>,
}

/// How messages with the same beginning are unpacked.
#[derive(Default)]
pub(super) struct UnpackPlan {
    /// The bytes before the block.
    head: Vec<u8>,
    is_valid: bool,
    /// The longest message that is read by it.
    longest: usize,
    changes: u64,
    pub(super) schema: SmallSchema,
    /// The keys of all records and structs, one after the other.
    pub(super) keys: Vec<Py<PyString>>,
    /// By the numbers of records and structs.
    pub(super) records: Vec<Maker>,
    pub(super) wrappers: Wrappers,
}

/// What the rows of a record or struct become.
pub(super) enum Maker {
    Dict(Dicts),
    Object(Box<Layout>),
    /// A named tuple.
    Row(Py<Form>),
}

/// What a plan is made from, besides the schema.
pub struct Learning<'l> {
    pub types: &'l Types,
    /// The classes behind names in data.
    pub kept: &'l Kept,
    /// Whether messages are bare.
    pub is_bare: bool,
}

impl SmallUnpacker {
    /// Returns the object of a message, if it is small and valid.
    pub fn unpack<'py>(
        &mut self,
        py: Python<'py>,
        message: &[u8],
        from: &Learning<'_>,
    ) -> Option<Bound<'py, PyAny>> {
        let known = self.find(message);
        let longest = known.map_or(DOCUMENT_BYTES, |at| self.plans[at].longest);
        if message.len() > longest || !self.attempts.begins() {
            return None;
        }
        // Where memory is missing, the reader of any message reports it.
        let object = catch(|| self.attempt(py, message, known, from)).ok().flatten();
        self.attempts.ended(object.is_some());
        object
    }

    fn attempt<'py>(
        &mut self,
        py: Python<'py>,
        message: &[u8],
        known: Option<usize>,
        from: &Learning<'_>,
    ) -> Option<Bound<'py, PyAny>> {
        let at = match known {
            Some(at) => at,
            None => self.plan_inline(py, message, from)?,
        };
        self.latest = at;
        let collector = WithoutCollector::new(py);
        let plan = &mut self.plans[at];
        if message.len() > plan.longest {
            return None;
        }
        let block = message.get(plan.head.len()..)?;
        let mut build = Build::new(py, plan, from.types, std::mem::take(&mut self.values));
        let object = SmallReader::read(message.len(), block, |reader| build.one(reader, 0));
        let containers = build.containers;
        self.values = build.into_memory();
        if object.is_some() && containers >= MANY_CONTAINERS && collector.was_on() {
            collector::settle(py);
        }
        object
    }

    /// Finds the plan of a message's schema.
    #[inline]
    fn find(&self, message: &[u8]) -> Option<usize> {
        let is_of = |plan: &UnpackPlan| {
            plan.is_valid && plan.changes == changes() && message.starts_with(&plan.head)
        };
        if self.plans.get(self.latest).is_some_and(is_of) {
            return Some(self.latest);
        }
        self.plans.iter().position(is_of)
    }

    /// Makes the plan of a message that begins with its schema.
    fn plan_inline(
        &mut self,
        py: Python<'_>,
        message: &[u8],
        from: &Learning<'_>,
    ) -> Option<usize> {
        if from.is_bare || !message.starts_with(&INLINE) {
            return None;
        }
        let schema = &message[INLINE.len()..];
        let (at, plan) = self.free_plan();
        let len = plan.schema.read(schema)?;
        plan.head.put_slice(&message[..INLINE.len() + len]);
        self.complete(py, at, &schema[..len], from)?;
        Some(at)
    }

    /// Learns the schema of a message that does not begin with it and was read.
    pub fn learn(&mut self, py: Python<'_>, message: &[u8], schema: &Schema, from: &Learning<'_>) {
        let head = match message.first_chunk() {
            _ if from.is_bare => &[],
            Some(&FINGERPRINT) => &message[..FINGERPRINT_HEAD],
            _ => return,
        };
        // The number of definitions comes first.
        let [0, schema @ ..] = schema.as_bytes() else { return };
        if self.plans.iter().any(|plan| plan.is_valid && plan.head == head) {
            return;
        }
        let (at, plan) = self.free_plan();
        if plan.schema.read(schema) == Some(schema.len()) {
            plan.head.put_slice(head);
            self.complete(py, at, schema, from);
        }
    }

    /// Returns a plan that is to be made, with its number.
    fn free_plan(&mut self) -> (usize, &mut UnpackPlan) {
        if self.plans.len() < PLANS {
            self.plans.put(UnpackPlan::default());
            self.next = self.plans.len() - 1;
        }
        let at = self.next;
        self.next = (at + 1) % PLANS;
        let plan = &mut self.plans[at];
        plan.is_valid = false;
        plan.head.clear();
        plan.keys.clear();
        plan.records.clear();
        plan.wrappers.clear();
        (at, plan)
    }

    /// Adds to a plan that has a schema what its rows become.
    fn complete(
        &mut self,
        py: Python<'_>,
        at: usize,
        schema: &[u8],
        from: &Learning<'_>,
    ) -> Option<()> {
        let plan = &mut self.plans[at];
        plan.changes = changes();
        let names = plan.schema.names().iter().map(|name| self.keys.get(py, name, schema));
        let names = names.collected::<Option<Vec<_>>>()?;
        let fields = plan.schema.field_names().iter();
        plan.keys.put_each(fields.map(|name| names[*name].clone_ref(py)));
        plan.records.put_fill_with(plan.schema.fields().len(), || Maker::Dict(Dicts::default()));
        plan.wrap(py, &names, from)?;
        let has_structs = plan.schema.fields().iter().any(|fields| fields.struct_name.is_some());
        if from.types.are_asked() || has_structs {
            let mut choice = Choice { py, plan, names: &names, from };
            choice.site(0, from.types.root())?;
        }
        // Objects of a class and lists of scalars alone are left to the general path: it learns where attributes are, and makes
        // a list of numbers from their column.
        let are_dicts = plan.records.iter().all(|maker| matches!(maker, Maker::Dict(_)));
        let is_document = are_dicts && plan.schema.types().len() > 2;
        plan.longest = if is_document { DOCUMENT_BYTES } else { SMALL_MESSAGE };
        plan.is_valid = true;
        Some(())
    }
}

impl UnpackPlan {
    /// Chooses what logical values and extensions become; none for types that small messages cannot have.
    fn wrap(&mut self, py: Python<'_>, names: &[Py<PyString>], from: &Learning<'_>) -> Option<()> {
        let schema = &self.schema;
        for (at, ty) in schema.types().iter().enumerate() {
            match *ty {
                SmallType::Map if !is_simple_key(schema, at + 1) => return None,
                SmallType::Logical(number) => {
                    self.wrappers.logical.put(Made::of(schema, &schema.logical()[number], at + 1)?);
                }
                SmallType::Extension(number) => {
                    let name =
                        |number: usize| raw::text_of(names[number].bind(py).as_any().as_borrowed());
                    let form = from.kept.form_of(py, name(schema.extensions()[number])?)?;
                    self.wrappers.extensions.put(Named::of(schema, form, at + 1, name)?);
                }
                _ => {}
            }
        }
        Some(())
    }
}

/// Chooses the classes of records and structs.
struct Choice<'c, 'py> {
    py: Python<'py>,
    plan: &'c mut UnpackPlan,
    names: &'c [Py<PyString>],
    from: &'c Learning<'c>,
}

impl Choice<'_, '_> {
    /// Chooses for a site at which a node is requested, and for all inside it. Returns where it ends.
    fn site(&mut self, at: usize, wanted: NodeId) -> Option<usize> {
        let node = self.from.types.get(wanted).filter(|node| !node.any);
        let end = self.plan.schema.end_of(at);
        let ty = self.plan.schema.type_at(at);
        let takes = match (node, ty) {
            (_, SmallType::Record(record)) => {
                self.record(record, at, wanted)?;
                return Some(end);
            }
            (_, SmallType::Struct(record)) => {
                self.object_by_name(record, at, wanted)?;
                return Some(end);
            }
            (
                None,
                SmallType::Option
                | SmallType::List
                | SmallType::Map
                | SmallType::Tuple(_)
                | SmallType::Union(_)
                | SmallType::Logical(_)
                | SmallType::Extension(_),
            ) => {
                let mut inside = at + 1;
                while inside < end {
                    inside = self.site(inside, ANY)?;
                }
                return Some(end);
            }
            (Some(Node { check: None, list: Some(item), .. }), SmallType::List) => {
                return self.site(at + 1, *item);
            }
            (Some(Node { check: None, tuple: Some(own), .. }), SmallType::Tuple(items))
                if own.len() == items =>
            {
                return self.inside(at, own.iter().copied());
            }
            (
                Some(Node { check: None, tuple: None, row: Some(item), .. }),
                SmallType::Tuple(items),
            ) => return self.inside(at, std::iter::repeat_n(*item, items)),
            (Some(Node { check: None, dict: Some((key, value)), .. }), SmallType::Map) => {
                return self.inside(at, [*key, *value].into_iter());
            }
            (Some(Node { null: true, .. }), SmallType::Option) => {
                return self.site(at + 1, wanted);
            }
            (Some(_), SmallType::Union(variants)) => {
                return self.inside(at, std::iter::repeat_n(wanted, variants));
            }
            // The values show whether they are of the type.
            (Some(node), SmallType::Logical(number)) => {
                if node.fits && matches!(self.plan.wrappers.logical[number], Made::Leaf(_)) {
                    self.plan.wrappers.asked.put((at, wanted));
                    return Some(end);
                }
                false
            }
            (Some(node), SmallType::Extension(number)) => {
                let name = self.names[self.plan.schema.extensions()[number]].bind(self.py);
                let is_inside = node.extensions.contains_key(name.to_str().ok()?);
                if node.fits && !is_inside {
                    self.plan.wrappers.asked.put((at, wanted));
                    return Some(end);
                }
                false
            }
            (None, _) => true,
            (Some(node), SmallType::Null) => node.null,
            (Some(node), SmallType::Bool) => node.bool,
            (Some(node), SmallType::Int) => node.int,
            (Some(node), SmallType::F64) => node.float,
            (Some(node), SmallType::String) => node.string,
            (Some(node), SmallType::Bytes) => node.bytes,
            // The items of a list that is always empty.
            (Some(_), SmallType::Never) => true,
            _ => false,
        };
        takes.then_some(end)
    }

    fn record(&mut self, record: usize, at: usize, wanted: NodeId) -> Option<()> {
        let from = self.from;
        let keys = self.keys(record);
        let inside = match from.types.get(wanted).filter(|node| !node.any) {
            Some(node) if !node.tags.is_empty() || node.check.is_some() => return None,
            Some(node) => {
                let texts = self.texts(&keys)?;
                let names = texts.iter().map(|text| &**text);
                if let Some(class) = choose(&node.classes, node.must_fit, None, names).ok()? {
                    return self.object(class, record, at, &keys);
                }
                let (key, value) = node.dict.filter(|_| !node.has_checked_keys)?;
                let takes = |key: &Node| key.any || key.string;
                from.types.get(key).is_none_or(takes).then_some(value)?
            }
            None => ANY,
        };
        self.inside(at, std::iter::repeat_n(inside, keys.len())).map(drop)
    }

    fn object_by_name(&mut self, record: usize, at: usize, wanted: NodeId) -> Option<()> {
        let from = self.from;
        let keys = self.keys(record);
        let name = self.plan.schema.fields()[record].struct_name?;
        let name = self.names[name].bind(self.py).to_str().ok()?;
        let class = match from.types.get(wanted).filter(|node| !node.any) {
            Some(node) => {
                let texts = self.texts(&keys)?;
                let names = texts.iter().map(|text| &**text);
                let class = choose(&node.classes, node.must_fit, Some(name), names).ok()??;
                class.at(self.py, name).ok()?
            }
            None => Arc::clone(from.kept.class_of(name)?),
        };
        self.object(&class, record, at, &keys)
    }

    /// Chooses a class whose objects exist before their fields and get these as attributes, a named tuple,
    /// or a TypedDict; no code of the class runs.
    fn object(
        &mut self,
        class: &Arc<Class>,
        record: usize,
        at: usize,
        keys: &[Py<PyString>],
    ) -> Option<()> {
        let layout = class.layout(self.py, keys).ok()?.ok()?;
        // Where rows lack fields, these have defaults.
        let has_all = layout.absent.is_empty()
            && class.post.is_none()
            && !self.plan.schema.fields()[record].is_sparse
            && self.plan.schema.fields()[record].shapes.is_empty();
        let is_plain = matches!(class.how, How::Fields { .. })
            && !layout.into_dict
            && layout.places.iter().all(|(place, _)| place.key().is_none());
        let form = class.form(self.py).filter(|form| form.get().is_row_of(keys, self.py));
        // A TypedDict, whose fields keep their names.
        let is_dict = matches!(class.how, How::Dict)
            && layout.places.iter().zip(keys).all(|((place, _), key)| {
                place.key().is_some_and(|own| {
                    own.bind(self.py).as_any().eq(key.bind(self.py)).unwrap_or(false)
                })
            });
        if !has_all || !is_plain && !is_dict && form.is_none() {
            return None;
        }
        self.inside(at, layout.places.iter().map(|(_, node)| *node))?;
        if is_dict {
            return Some(());
        }
        self.plan.records[record] = match form {
            Some(form) => Maker::Row(form.clone().unbind()),
            None => Maker::Object(Box::new(layout)),
        };
        Some(())
    }

    /// Chooses for the types inside another, such as the fields of a record. Returns where it ends.
    fn inside(&mut self, at: usize, mut wanted: impl Iterator<Item = NodeId>) -> Option<usize> {
        let (mut inside, end) = (at + 1, self.plan.schema.end_of(at));
        while inside < end {
            inside = self.site(inside, wanted.next()?)?;
        }
        Some(end)
    }

    fn keys(&self, record: usize) -> Vec<Py<PyString>> {
        let keys = self.plan.schema.fields()[record].names.clone();
        self.plan.keys[keys].iter().map(|key| key.clone_ref(self.py)).collected()
    }

    fn texts(&self, keys: &[Py<PyString>]) -> Option<Vec<String>> {
        keys.iter().map(|key| key.bind(self.py).extract().ok()).collected()
    }
}
