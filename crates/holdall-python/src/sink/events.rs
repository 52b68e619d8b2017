//! The builder as a sink of events.

use std::sync::Arc;

use holdall::bindings::memory::{GrowMap, GrowVec};
use holdall::bindings::{BlockReader, SiteForm};
use holdall::events::{Event, Sink, TensorRef};
use holdall::{IntKind, LogicalType, Result, Shape};
use holdall_arrow::Collector;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};

use super::begin::of_set;
use super::charges;
use super::types::{ANY, Node, NodeId};
use super::{Body, Builder, Recipe};
use crate::arrays;
use crate::once::intern;
use crate::raw::{self, NewTuple};
use crate::tensor;
use crate::{support, unknown};

impl<'py> Builder<'py, '_> {
    /// Adds a scalar, which must be of the requested type.
    #[inline]
    fn scalar(
        &mut self,
        value: Bound<'py, PyAny>,
        takes: impl FnOnce(&Node) -> bool,
    ) -> Result<()> {
        let wanted = self.expected();
        if wanted == ANY {
            return self.leaf(value);
        }
        let value = match self.node(wanted) {
            Some(node) if !node.any && !takes(node) => self.fit(wanted, value)?,
            _ => value,
        };
        self.leaf(value)
    }

    #[inline]
    fn float(&mut self, value: f64) -> Result<()> {
        let value = self.check(raw::float(self.py, value))?;
        self.scalar(value, |node| node.float)
    }

    #[inline]
    fn string(&mut self, value: &str) -> Result<()> {
        let value = self.text(value)?;
        self.scalar(value, |node| node.string)
    }

    #[inline]
    fn int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        let value = self.check(int(self.py, kind, bits))?;
        self.scalar(value, |node| node.int)
    }

    fn big_int(&mut self, big: &[u8]) -> Result<()> {
        let value = raw::int_of_bytes(self.py, big);
        let value = self.check(value)?;
        self.scalar(value, |node| node.int)
    }

    fn tensor(&mut self, tensor: TensorRef<'_>) -> Result<()> {
        let py = self.py;
        let made = tensor::describe(py, tensor.dtype).and_then(|dtype| {
            let shape = raw::tuple_of(py, tensor.shape.iter().map(|&len| raw::unsigned(py, len)))?;
            // The array owns these bytes and can be written to.
            let elements = raw::byte_array(py, tensor.elements)?;
            support(py, "make_tensor")?.call1((dtype, shape, tensor.column_major, elements))
        });
        let value = self.check(made)?;
        self.scalar(value, |_| false)
    }

    fn begin_list(&mut self, len: usize) -> Result<()> {
        if let Some(ty) = self.storage_of() {
            let (is_tuple, is_bits) =
                (ty.kind() == LogicalType::LONG_TUPLE, ty.kind() == LogicalType::BIT_VECTOR);
            let (node, child) = self.stack.last().map_or((ANY, ANY), |top| (top.node, top.child));
            if is_tuple {
                let tuple = NewTuple::new(self.py, len);
                let body = Body::Tuple { tuple: self.check(tuple)?, next: 0 };
                return self.begin(body, node, child);
            }
            if is_bits || ty.kind() >= 0xE0 {
                return self.open_list(ANY, ANY, false);
            }
            let body = Body::Items { recipe: Recipe::Same, items: Vec::new(), is_storage: true };
            return self.begin(body, node, child);
        }
        self.begin_items(len, "a list")
    }

    fn begin_tuple(&mut self, len: usize) -> Result<()> {
        let wanted = self.expected();
        match self.node(wanted) {
            None => self.begin_row(len, ANY),
            Some(node) if node.any || node.tuple.is_some() || node.row.is_some() => {
                self.begin_row(len, wanted)
            }
            Some(node) if node.list.is_some() || of_set(node).is_some() => {
                self.begin_items(len, "a tuple")
            }
            Some(node) if node.fits => {
                let tuple = NewTuple::new(self.py, len);
                let body = Body::Tuple { tuple: self.check(tuple)?, next: 0 };
                self.begin_fitted(body, wanted)
            }
            Some(_) => Err(self.mismatch(wanted, "a tuple")),
        }
    }

    fn begin_record(&mut self, shape: &Shape) -> Result<()> {
        let wanted = self.expected();
        let is_tagged = self.node(wanted).is_some_and(|node| node.is_tagged(shape));
        if !is_tagged && let Some(class) = self.chosen(wanted, None, shape)? {
            return self.begin_class(&class, shape, wanted, false);
        }
        let (child, is_fitted) = match self.node(wanted) {
            None => (ANY, false),
            Some(node) if node.any => (ANY, false),
            Some(_) if is_tagged => (ANY, true),
            Some(node) => match node.dict {
                // Python's side handles keys that are more than text.
                Some((key, value))
                    if node.has_checked_keys
                        || self.node(key).is_none_or(|key| key.any || key.string) =>
                {
                    (value, false)
                }
                Some((_, value)) => (value, true),
                None if node.fits => (node.entries.map_or(ANY, |(_, value)| value), true),
                None => return Err(self.mismatch(wanted, "a mapping")),
            },
        };
        self.learn(shape)?;
        let dict = self.kept.begin_dict(self.py, shape.id());
        let body = Body::Dict { dict: self.check(dict)?, shape: shape.id(), next: 0 };
        self.begin_with(body, wanted, child, is_fitted)
    }

    fn begin_struct(&mut self, name: &Arc<str>, shape: &Shape) -> Result<()> {
        let wanted = self.expected();
        if let Some(class) = self.chosen(wanted, Some(name), shape)? {
            return self.begin_class(&class, shape, wanted, false);
        }
        let fit = match self.node(wanted) {
            None => false,
            Some(node) if node.any => false,
            Some(node) if node.takes_entries => return self.begin_record(shape),
            Some(node) if node.fits => true,
            Some(_) => return Err(self.mismatch(wanted, &format!("an object of {name:?}"))),
        };
        let class = self.named_class(name, shape)?;
        self.begin_class(&class, shape, wanted, fit)
    }

    fn begin_map(&mut self) -> Result<()> {
        if self.storage_of().is_some_and(|ty| ty.kind() == LogicalType::ORDERED_MAP)
            && let Some(Body::Holder { object: Some(object), .. }) =
                self.stack.last().map(|top| &top.body)
        {
            let map = object.clone();
            let node = self.stack.last().and_then(|top| self.node(top.node));
            let nodes = node.and_then(|node| node.entries).unwrap_or_default();
            let body = Body::Map { map, key: None, waiting: Vec::new(), nodes, count: 0 };
            return self.begin(body, ANY, ANY);
        }
        let wanted = self.expected();
        let (nodes, is_fitted) = match self.node(wanted) {
            None => ((ANY, ANY), false),
            Some(node) if node.any => ((ANY, ANY), false),
            Some(node) => match node.dict {
                Some(nodes) => (nodes, false),
                None if node.fits || !node.classes.is_empty() => {
                    (node.entries.unwrap_or_default(), true)
                }
                None => return Err(self.mismatch(wanted, "a mapping")),
            },
        };
        let made = raw::dict(self.py);
        let map = self.check(made)?.into_any();
        let body = Body::Map { map, key: None, waiting: Vec::new(), nodes, count: 0 };
        if is_fitted { self.begin_fitted(body, wanted) } else { self.begin(body, wanted, ANY) }
    }

    fn begin_variant(&mut self, name: &Arc<str>) -> Result<()> {
        let wanted = self.expected();
        if let Some(node) = self.node(wanted)
            && !node.any
        {
            // The variants of a Rust enum can be classes of a union: then the payload is the
            // object.
            if let Some(number) =
                node.classes.iter().position(|class| class.names.contains(&**name))
            {
                let only =
                    node.object.call_method1(self.py, intern!(self.py, "class_node"), (number,));
                let only = only.and_then(|only| only.bind(self.py).extract::<NodeId>());
                let only = self.check(only)?;
                return self.begin(Body::Through(None), wanted, only);
            }
            if !node.fits {
                return Err(self.mismatch(wanted, &format!("the variant {name:?}")));
            }
        }
        let made = support(self.py, "new_variant").and_then(|make| make.call1((&**name,)));
        let object = self.check(made)?;
        let fill = support(self.py, "set_value");
        let fill = self.check(fill)?;
        let body = Body::Filled { object, fill, value: None };
        if self.node(wanted).is_some_and(|node| !node.any) {
            return self.begin_fitted(body, wanted);
        }
        self.begin(body, wanted, ANY)
    }

    fn begin_logical(&mut self, ty: &Arc<LogicalType>) -> Result<()> {
        let wanted = self.expected();
        let node = self.node(wanted).filter(|node| !node.any);
        let kind = ty.kind();
        // A tuple reads as any sequence.
        if kind == LogicalType::LONG_TUPLE && node.is_some() {
            return self.begin(Body::Through(None), wanted, wanted);
        }
        let mut is_frozen = kind == LogicalType::FROZEN_SET;
        let mut child = ANY;
        let mut is_fitted = node.is_some();
        if let Some(node) = node {
            if matches!(kind, LogicalType::SET | LogicalType::FROZEN_SET) {
                // A set reads as a frozen set, and the reverse, where only that is requested.
                let own = if is_frozen { node.frozenset } else { node.set };
                let other = if is_frozen { node.set } else { node.frozenset };
                if let Some(item) = own.or(other) {
                    is_frozen ^= own.is_none();
                    (child, is_fitted) = (item, false);
                }
            }
            // Text with lone surrogates is a str, which `fit` takes or refuses as it does other text.
            if is_fitted && !node.fits && kind != LogicalType::WTF8_STRING {
                return Err(self.mismatch(wanted, &format!("a value of type {ty}")));
            }
        }
        let ty = Arc::clone(ty);
        let body = match kind {
            LogicalType::SET | LogicalType::FROZEN_SET if is_frozen => {
                Body::Holder { object: None, ty, items: None }
            }
            LogicalType::SET | LogicalType::FROZEN_SET => {
                Body::Holder { object: Some(self.new_object("new_set")?), ty, items: None }
            }
            LogicalType::ORDERED_MAP => {
                Body::Holder { object: Some(self.new_object("new_ordered_dict")?), ty, items: None }
            }
            _ => Body::Wrap { recipe: Recipe::Logical(ty), value: None },
        };
        if is_fitted { self.begin_fitted(body, wanted) } else { self.begin(body, wanted, child) }
    }

    fn begin_extension(&mut self, name: &Arc<str>) -> Result<()> {
        let wanted = self.expected();
        let node = self.node(wanted).filter(|node| !node.any);
        if let Some(node) = node
            && !node.fits
            && !node.extensions.contains_key(&**name)
        {
            // The content may be of the requested type (F-78, line 10).
            return self.begin(Body::Through(None), wanted, wanted);
        }
        self.may_cycle = true;
        let child = node.and_then(|node| node.extensions.get(&**name)).copied();
        let plan = self.extension_plan(name)?;
        let body = Ok(plan).and_then(|plan| {
            if plan.len() == 1 {
                let recipe = Recipe::Call(plan.get_item(0)?, None);
                return Ok(Body::Wrap { recipe, value: None });
            }
            let object = plan.get_item(0)?.call0()?;
            Ok(Body::Filled { object, fill: plan.get_item(1)?, value: None })
        });
        let body = self.check(body)?;
        if node.is_some() {
            self.begin_fitted(body, wanted)?;
            if let (Some(child), Some(frame)) = (child, self.stack.last_mut()) {
                frame.child = child;
            }
            return Ok(());
        }
        self.begin(body, wanted, ANY)
    }

    fn unknown(&mut self) -> Result<()> {
        let unknown = self.check(unknown(self.py))?.clone();
        self.scalar(unknown, |_| false)
    }
}

impl<'py> Sink for Builder<'py, '_> {
    fn budget(&mut self, units: u64) {
        charges::begin(units);
    }

    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        let py = self.py;
        match event {
            Event::Null => self.scalar(py.None().into_bound(py), |node| node.null),
            Event::Bool(value) => {
                self.scalar(PyBool::new(py, value).to_owned().into_any(), |node| node.bool)
            }
            Event::Int(value) => self.int(IntKind::Int, value.cast_unsigned()),
            Event::FixedInt(kind, bits) => self.int(kind, bits),
            Event::BigInt(_, big) => self.big_int(big),
            Event::F16(value) => self.float(value.to_f64()),
            Event::Bf16(value) => self.float(value.to_f64()),
            Event::F32(value) => self.float(wide(value)),
            Event::F64(value) => self.float(value),
            Event::String(value) => self.string(value),
            Event::Bytes(value) | Event::Fixed(value) => {
                let value = self.check(raw::bytes(py, value))?;
                self.scalar(value.into_any(), |node| node.bytes)
            }
            Event::Tensor(tensor, _) => self.tensor(tensor),
            Event::Unknown => self.unknown(),
            Event::List(len) => self.begin_list(len),
            Event::Tuple(len) => self.begin_tuple(len),
            Event::Array(len) => self.begin_items(len, "an array"),
            Event::Map(_) => self.begin_map(),
            Event::Record(shape) => self.begin_record(shape),
            Event::Struct(name, shape) => self.begin_struct(name, shape),
            Event::Variant(name) => self.begin_variant(name),
            Event::Logical(ty) => self.begin_logical(ty),
            Event::Extension(name) => self.begin_extension(name),
            Event::End => self.close(),
            Event::Identity(row) => {
                self.pending_ids.put(row);
                Ok(())
            }
            Event::Reference(row) => self.refer(row),
            Event::Choice(_) => Ok(()),
        }
    }

    #[inline]
    fn entry(&mut self, table: usize, number: usize, value: &str) -> Result<()> {
        let value = self.entry_of(table, number, value)?;
        self.scalar(value, |node| node.string)
    }

    const READS_ROWS: bool = true;

    fn take_rows(&mut self, site: usize, rows: &mut BlockReader<'_, '_>) -> Result<bool> {
        Ok(self.take_arrays(site, rows)? || self.build_directly(site, rows)?)
    }

    fn references(&mut self, definition: usize, numbers: &[u64]) -> Result<usize> {
        self.refer_to_several(definition, numbers)
    }

    fn takes_ints(&self) -> bool {
        self.takes_several(|node| node.int)
    }

    fn ints(&mut self, values: &[u64]) -> Result<()> {
        let py = self.py;
        self.several(values, |value| raw::int(py, value.cast_signed()))
    }

    fn takes_floats(&self) -> bool {
        self.takes_several(|node| node.float)
    }

    fn floats(&mut self, values: &[f64]) -> Result<()> {
        let py = self.py;
        self.several(values, |value| raw::float(py, value))
    }
}

impl<'py> Builder<'py, '_> {
    /// Builds the next value of a site, if it is an extension of Arrow's arrays: their columns become no objects.
    pub fn take_arrays(&mut self, site: usize, rows: &mut BlockReader<'_, '_>) -> Result<bool> {
        let SiteForm::Extension(name, inside) = rows.form(site) else { return Ok(false) };
        let wanted = self.node(self.expected());
        if wanted.is_some_and(|node| !node.any && !node.fits) {
            return Ok(false);
        }
        let Some(mut collector) = Collector::of(name, self.settings.budget) else {
            return Ok(false);
        };
        rows.pass(site);
        rows.emit_below(inside, &mut collector)?;
        let made = arrays::object(self.py, collector.finish()?);
        let value = self.check(made)?;
        self.scalar(value, |_| false)?;
        Ok(true)
    }

    /// Returns what extensions of a name become: a function, or one that makes an object and one that
    /// fills it.
    pub(super) fn extension_plan(&mut self, name: &Arc<str>) -> Result<Bound<'py, PyTuple>> {
        if let Some(plan) = self.kept.extensions.get(name) {
            return Ok(plan.bind(self.py).clone());
        }
        let resolver = &self.settings.resolver;
        let found = resolver.call_method1(intern!(self.py, "find_extension"), (&**name,));
        let plan = found.and_then(|plan| Ok(plan.cast_into::<PyTuple>()?));
        let plan = self.check(plan)?;
        self.kept.extensions.put(Arc::clone(name), plan.clone().unbind());
        Ok(plan)
    }

    /// Returns the string of a dictionary's entry, made once for each message.
    #[inline]
    pub(super) fn entry_of(
        &mut self,
        table: usize,
        number: usize,
        value: &str,
    ) -> Result<Bound<'py, PyAny>> {
        if let Some(Some(known)) = self.tables.get(table).and_then(|entries| entries.get(number)) {
            return Ok(known.clone());
        }
        let made = self.text(value)?;
        if self.tables.len() <= table {
            self.tables.put_fill_with(table + 1, Vec::new);
        }
        let entries = &mut self.tables[table];
        if entries.len() <= number {
            entries.put_fill(number + 1, None);
        }
        entries[number] = Some(made.clone());
        Ok(made)
    }

    /// Makes a string.
    #[inline]
    pub(super) fn text(&mut self, value: &str) -> Result<Bound<'py, PyAny>> {
        let made = raw::text(self.py, value);
        self.check(made)
    }
}

/// Makes an integer of 64 bits.
#[inline]
pub(super) fn int(py: Python<'_>, kind: IntKind, bits: u64) -> PyResult<Bound<'_, PyAny>> {
    match kind {
        IntKind::U64 | IntKind::U128 => raw::unsigned(py, bits),
        _ => raw::int(py, bits.cast_signed()),
    }
}

/// Converts f32 to f64. A NaN is converted bit by bit, with its sign, payload and signalling bit:
/// the processor's conversion would quieten it.
pub fn wide(value: f32) -> f64 {
    if !value.is_nan() {
        return f64::from(value);
    }
    let bits = u64::from(value.to_bits());
    let (sign, fraction) = (bits >> 31 << 63, (bits & 0x007F_FFFF) << 29);
    f64::from_bits(sign | 0x7FF0_0000_0000_0000 | fraction)
}
