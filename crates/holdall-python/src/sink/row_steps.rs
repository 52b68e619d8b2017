//! What the rows of records and structs become, found at the first row of each shape.

use std::sync::Arc;

use foldhash::HashMap;
use holdall::Shape;
use holdall::bindings::BlockReader;
use holdall::bindings::memory::{self, Collect, GrowMap, GrowVec};

use super::Builder;
use super::class::{Class, How};
use super::steps::{FieldSteps, RowForm, RowStep, Step, What};
use super::types::{ANY, Node, NodeId};
use crate::raw;

impl<'py> Builder<'py, '_> {
    pub(super) fn row_step(&mut self, name: Option<Arc<str>>, node: NodeId) -> Step {
        let rows = &mut self.kept.steps.rows;
        rows.put(RowStep { name, node, shapes: HashMap::default(), fields: None });
        Step::Row(rows.len() - 1)
    }

    /// Finds the keys and steps of a site's fields, if its rows list these and become dicts of any values.
    #[cold]
    pub(super) fn find_fields(
        &mut self,
        rows: &BlockReader<'_, '_>,
        row: usize,
        site: usize,
    ) -> Option<FieldSteps> {
        let RowStep { name, node, .. } = &self.kept.steps.rows[row];
        if name.is_some() || self.node(*node).is_some_and(|node| !node.any) {
            return None;
        }
        let first = self.kept.steps.keys.len();
        for (name, _) in rows.fields_of(site) {
            let key = self.kept.key(self.py, name);
            let key = self.done(key)?;
            self.kept.steps.keys.put(key);
        }
        let values = self.steps_of(rows, rows.fields(site).map(|site| (site, ANY)));
        let fields = Some(FieldSteps { first, values });
        self.kept.steps.rows[row].fields = fields;
        fields
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
        let learned = self.kept.learn(self.py, shape);
        self.done(learned)?;
        let (what, nodes, runs_code) = match self.class_of(name.as_ref(), node, shape)? {
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
                (What::Dict, memory::filled(value, sites.len()), false)
            }
        };
        let values = self.steps_of(rows, sites.iter().copied().zip(nodes));
        let form = RowForm { values, what, runs_code };
        let shapes = &mut self.kept.steps.rows[row].shapes;
        shapes.put(number, (Arc::clone(shape.keys()), form));
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

    /// Returns what the objects of a class become, the requested types of their fields, and whether code of the program
    /// makes them.
    fn object_form(
        &mut self,
        class: &Arc<Class>,
        shape: &Shape,
    ) -> Option<(What, Vec<NodeId>, bool)> {
        let id = self.layout_of(class, shape);
        let id = self.got(id)?;
        let layout = self.kept.layout(id);
        let nodes = layout.places.iter().map(|(_, node)| *node).collected();
        let runs_code = layout.runs_code;
        let what = match &class.how {
            _ if runs_code && !matches!(class.how, How::Build(_) | How::Fill { .. }) => {
                return None;
            }
            How::Fields { .. } if !layout.into_dict => What::Object(id),
            How::Dict => What::Fields(id),
            How::Construct(..) => {
                let keys = layout.places.iter().filter_map(|(place, _)| place.key());
                let names: Vec<_> =
                    keys.map(|key| Ok(key.bind(self.py).clone().into_any())).collected();
                let names = raw::tuple_of(self.py, names.into_iter());
                let steps = &mut self.kept.steps;
                steps.names.put(names.ok()?.unbind());
                What::Call(id, steps.names.len() - 1)
            }
            How::Build(_) | How::Fill { .. } if layout.absent.is_empty() => {
                let form = class.form(self.py)?;
                let is_row = form.get().is_row_of(self.kept.keys(shape.id()), self.py);
                match layout.content {
                    Some(_) if !runs_code => What::Holder(id),
                    _ if is_row => What::Items(id),
                    _ => What::Form(id),
                }
            }
            _ => return None,
        };
        Some((what, nodes, runs_code))
    }
}
