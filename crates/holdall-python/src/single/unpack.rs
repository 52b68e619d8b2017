//! Unpacking small messages.

use std::collections::HashMap;
use std::sync::Arc;

use holdall::Schema;
use holdall::bindings::{Single, SingleReader};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::entries::{self, Template};
use crate::raw;
use crate::sink::{ANY, Class, How, Layout, Node, NodeId, Types, changes, choose};

/// How messages with the same beginning are unpacked.
pub struct UnpackPlan {
    /// The bytes before the block.
    head: Vec<u8>,
    root: Part,
    changes: u64,
}

enum Part {
    /// A scalar of this type.
    Scalar(Single),
    /// A list of scalars of this type, or an empty one.
    List(Option<Single>),
    Dict {
        template: Template,
        keys: Vec<Py<PyString>>,
        parts: Vec<Part>,
    },
    Object {
        layout: Layout,
        parts: Vec<Part>,
    },
}

/// What a plan is learned from, besides the types of the values.
pub struct Learning<'l> {
    pub types: &'l Types,
    /// The classes behind names in data.
    pub classes: &'l HashMap<Arc<str>, Arc<Class>>,
}

impl UnpackPlan {
    /// Learns from a message with this schema, which was read in full. A bare message contains no
    /// schema.
    pub fn learn(
        py: Python<'_>,
        message: &[u8],
        schema: &Schema,
        is_bare: bool,
        from: &Learning<'_>,
    ) -> Option<UnpackPlan> {
        let head = if is_bare { &[] } else { head_of(message, schema)? };
        let root = from.part(py, &Single::of(schema)?, from.types.root())?;
        Some(UnpackPlan { head: head.to_vec(), root, changes: changes() })
    }

    /// Whether its knowledge of classes is still valid.
    #[inline]
    pub fn holds(&self) -> bool {
        self.changes == changes()
    }

    /// Returns the object of a message, if the message begins like the plan's and is valid.
    #[inline]
    pub fn unpack<'py>(&self, py: Python<'py>, message: &[u8]) -> Option<Bound<'py, PyAny>> {
        let block = message.strip_prefix(&*self.head)?;
        SingleReader::read(block, |reader| self.root.read(py, reader))
    }
}

/// Returns the bytes before the block, for a message that has nothing before it but its schema or
/// fingerprint.
fn head_of<'m>(message: &'m [u8], schema: &Schema) -> Option<&'m [u8]> {
    // Without definitions, a message omits their number, which is 0.
    let inline = [&[0xC1, 0x10], schema.as_bytes().get(1..)?].concat();
    let known = [&[0xC1, 0x11], &schema.fingerprint().to_le_bytes()[..]].concat();
    let head = [inline, known].into_iter().find(|head| message.starts_with(head))?;
    message.get(..head.len())
}

impl Learning<'_> {
    fn part(&self, py: Python<'_>, single: &Single, wanted: NodeId) -> Option<Part> {
        let node = self.types.get(wanted).filter(|node| !node.any);
        Some(match single {
            Single::List(item) => {
                let inside = match node {
                    Some(Node { check: Some(_), .. }) => return None,
                    Some(node) => node.list?,
                    None => ANY,
                };
                if let Some(item) = item {
                    self.part(py, item, inside)?;
                }
                Part::List(item.as_deref().cloned())
            }
            Single::Record(fields) => {
                let keys: Vec<_> =
                    fields.iter().map(|(name, _)| PyString::new(py, name).unbind()).collect();
                let class = match node {
                    Some(node) if !node.tags.is_empty() || node.check.is_some() => return None,
                    Some(node) => {
                        let names = fields.iter().map(|(name, _)| &**name);
                        choose(&node.classes, node.must_fit, None, names).ok()?
                    }
                    None => None,
                };
                if let Some(class) = class {
                    return self.object(py, class, fields, &keys);
                }
                let inside = match node {
                    Some(node) => {
                        let (key, value) = node.dict.filter(|_| !node.has_checked_keys)?;
                        let takes = |key: &Node| key.any || key.string;
                        self.types.get(key).is_none_or(takes).then_some(value)?
                    }
                    None => ANY,
                };
                let parts = fields.iter().map(|(_, single)| self.part(py, single, inside));
                let parts = parts.collect::<Option<_>>()?;
                Part::Dict { template: Template::new(py, keys.iter()).ok()?, keys, parts }
            }
            Single::Struct(name, fields) => {
                let keys: Vec<_> =
                    fields.iter().map(|(name, _)| PyString::new(py, name).unbind()).collect();
                let class = match node {
                    Some(node) => {
                        let names = fields.iter().map(|(name, _)| &**name);
                        choose(&node.classes, node.must_fit, Some(name), names).ok()??.at(py, name)
                    }
                    None => self.classes.get(name).map(Arc::clone).map(Ok)?,
                };
                self.object(py, &class.ok()?, fields, &keys)?
            }
            scalar => {
                let takes = |node: &Node| match scalar {
                    Single::Null => node.null,
                    Single::Bool => node.bool,
                    Single::Int => node.int,
                    Single::F64 => node.float,
                    Single::String => node.string,
                    Single::Bytes => node.bytes,
                    _ => false,
                };
                node.is_none_or(takes).then(|| Part::Scalar(scalar.clone()))?
            }
        })
    }

    /// Makes an object that exists before its fields, and sets its attributes; no code of the class
    /// runs.
    fn object(
        &self,
        py: Python<'_>,
        class: &Arc<Class>,
        fields: &[(Arc<str>, Single)],
        keys: &[Py<PyString>],
    ) -> Option<Part> {
        let layout = class.layout(py, keys).ok()?.ok()?;
        let is_plain = matches!(class.how, How::Fields { .. })
            && class.post.is_none()
            && layout.absent.is_empty()
            && !layout.into_dict;
        if !is_plain {
            return None;
        }
        let places = layout.places.iter();
        let parts =
            fields.iter().zip(places).map(|((_, single), (_, node))| self.part(py, single, *node));
        Some(Part::Object { parts: parts.collect::<Option<_>>()?, layout })
    }
}

impl Part {
    fn read<'py>(
        &self,
        py: Python<'py>,
        reader: &mut SingleReader<'_>,
    ) -> Option<Bound<'py, PyAny>> {
        match self {
            Part::Scalar(single) => read_scalar(py, single, reader),
            Part::List(item) => read_list(py, item.as_ref(), reader).map(Bound::into_any),
            Part::Dict { template, keys, parts } => {
                let dict = template.copy(py).ok()?;
                for (at, (key, part)) in keys.iter().zip(parts).enumerate() {
                    entries::set(&dict, 1, at, key.bind(py), part.read(py, reader)?).ok()?;
                }
                Some(dict.into_any())
            }
            Part::Object { layout, parts } => {
                let How::Fields { new } = &layout.class.how else { return None };
                let object = layout.class.new_object(new, &PyTuple::empty(py)).ok()?;
                for ((place, _), part) in layout.places.iter().zip(parts) {
                    let value = part.read(py, reader)?;
                    if place.key().is_some() {
                        return None;
                    }
                    place.set(&object, value).ok()?;
                }
                Some(object)
            }
        }
    }
}

#[inline]
fn read_scalar<'py>(
    py: Python<'py>,
    single: &Single,
    reader: &mut SingleReader<'_>,
) -> Option<Bound<'py, PyAny>> {
    Some(match single {
        Single::Null => py.None().into_bound(py),
        Single::Bool => PyBool::new(py, reader.bool()?).to_owned().into_any(),
        Single::Int => PyInt::new(py, reader.int()?).into_any(),
        Single::F64 => PyFloat::new(py, reader.f64()?).into_any(),
        Single::String => raw::text(py, reader.string()?).ok()?,
        Single::Bytes => PyBytes::new(py, reader.bytes()?).into_any(),
        _ => return None,
    })
}

fn read_list<'py>(
    py: Python<'py>,
    item: Option<&Single>,
    reader: &mut SingleReader<'_>,
) -> Option<Bound<'py, PyList>> {
    let len = reader.list()?;
    let list = PyList::empty(py);
    match item {
        // Values of type never: a fault.
        None if len > 0 => return None,
        None => {}
        Some(_) if len == 0 => {}
        Some(Single::String) => {
            for text in reader.each_bytes(len)? {
                list.append(raw::text(py, std::str::from_utf8(text).ok()?).ok()?).ok()?;
            }
        }
        Some(Single::Bytes) => {
            for bytes in reader.each_bytes(len)? {
                list.append(PyBytes::new(py, bytes)).ok()?;
            }
        }
        Some(Single::Bool) => {
            let bits = reader.bools(len)?;
            for at in 0..len {
                list.append(PyBool::new(py, bits >> at & 1 == 1)).ok()?;
            }
        }
        Some(single) => {
            for _ in 0..len {
                list.append(read_scalar(py, single, reader)?).ok()?;
            }
        }
    }
    Some(list)
}
