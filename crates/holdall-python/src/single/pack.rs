//! Packing small objects.

use holdall::bindings::{Single, SingleWriter};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyType};

use crate::raw;
use crate::sink::changes;
use crate::source::{Plan, Scalar, attributes, scalar_of};

/// The number of containers that a small object may have.
const CONTAINERS: usize = 16;

/// How objects of one form are packed.
pub struct PackPlan {
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
    Dict(Fields),
    Object {
        class: Py<PyType>,
        slots: Vec<(raw::Slot, Part)>,
        /// None if the objects have no dict.
        dict: Option<Fields>,
    },
}

/// The entries of a dict that has exactly these keys.
struct Fields {
    keys: Vec<Py<PyString>>,
    parts: Vec<Part>,
}

/// A block that is being written.
struct Writing {
    block: Vec<u8>,
    /// The addresses of the containers in it: a shared one has an identity, which plans leave to
    /// the general path.
    containers: [usize; CONTAINERS],
    count: usize,
}

impl PackPlan {
    /// Learns from an object and its message, whose values are of this type; `None` if the plan
    /// would write other bytes.
    pub fn learn(object: &Bound<'_, PyAny>, single: &Single, message: &[u8]) -> Option<PackPlan> {
        let root = Part::of(object, single)?;
        let mut plan = PackPlan { head: Vec::new(), root, changes: changes() };
        let block = plan.pack(object)?;
        plan.head = message.strip_suffix(&*block)?.to_vec();
        Some(plan)
    }

    /// Whether its knowledge of classes is still valid.
    #[inline]
    pub fn holds(&self) -> bool {
        self.changes == changes()
    }

    /// Returns the message of an object, if it has the form of the plan's.
    #[inline]
    pub fn pack(&self, object: &Bound<'_, PyAny>) -> Option<Vec<u8>> {
        let mut block = Vec::with_capacity(self.head.len() + 128);
        block.extend_from_slice(&self.head);
        let mut writing = Writing { block, containers: [0; CONTAINERS], count: 0 };
        self.root.write(object, &mut writing)?;
        Some(writing.block)
    }
}

impl Part {
    fn of(object: &Bound<'_, PyAny>, single: &Single) -> Option<Part> {
        Some(match single {
            Single::List(None) => Part::List(None),
            Single::List(Some(item)) => Part::List(Some((**item).clone())),
            Single::Record(fields) => {
                let dict = object.cast_exact::<PyDict>().ok()?;
                Part::Dict(Fields::of(dict, fields.iter().map(|(_, single)| single))?)
            }
            Single::Struct(_, fields) => {
                let class = object.get_type();
                let Plan::Instance(instance) = Plan::of(&class).ok()? else { return None };
                let places = instance.is_plain().then(|| instance.positions(&class)).flatten()?;
                let mut singles = fields.iter().map(|(_, single)| single);
                let mut slots = Vec::with_capacity(places.len());
                for place in places {
                    let value = place.get(object)?;
                    let part = Part::of(&value, singles.next()?)?;
                    slots.push((place, part));
                }
                let dict = match instance.has_dict() {
                    true => Some(Fields::of(&attributes(object).ok()?, singles)?),
                    false => None,
                };
                Part::Object { class: class.unbind(), slots, dict }
            }
            scalar => Part::Scalar(scalar.clone()),
        })
    }

    fn write(&self, object: &Bound<'_, PyAny>, out: &mut Writing) -> Option<()> {
        match self {
            Part::Scalar(single) => {
                write_scalar(object, single, &mut SingleWriter::new(&mut out.block))
            }
            Part::List(item) => {
                let list = object.cast_exact::<PyList>().ok()?;
                out.container(object)?;
                write_list(list, item.as_ref(), &mut SingleWriter::new(&mut out.block))
            }
            Part::Dict(fields) => {
                let dict = object.cast_exact::<PyDict>().ok()?;
                out.container(object)?;
                fields.write(dict, out)
            }
            Part::Object { class, slots, dict } => {
                if object.get_type_ptr().cast() != class.as_ptr() {
                    return None;
                }
                out.container(object)?;
                for (slot, part) in slots {
                    part.write(&slot.get(object)?, out)?;
                }
                match dict {
                    Some(fields) => fields.write(&attributes(object).ok()?, out),
                    None => Some(()),
                }
            }
        }
    }
}

impl Fields {
    fn of<'s>(
        dict: &Bound<'_, PyDict>,
        singles: impl Iterator<Item = &'s Single>,
    ) -> Option<Fields> {
        let (mut keys, mut parts, mut singles) = (Vec::new(), Vec::new(), singles);
        let mut position = 0;
        while let Some((key, value)) = raw::next_entry(dict, &mut position) {
            keys.push(key.cast_into_exact::<PyString>().ok()?.unbind());
            parts.push(Part::of(&value, singles.next()?)?);
        }
        singles.next().is_none().then_some(Fields { keys, parts })
    }

    #[inline]
    fn write(&self, dict: &Bound<'_, PyDict>, out: &mut Writing) -> Option<()> {
        if dict.len() != self.keys.len() {
            return None;
        }
        let mut position = 0;
        for (known, part) in self.keys.iter().zip(&self.parts) {
            let (key, value) = raw::next_entry(dict, &mut position)?;
            if !key.is(known) {
                return None;
            }
            part.write(&value, out)?;
        }
        Some(())
    }
}

impl Writing {
    /// Records a container; `None` if it was in the block before, or there are too many.
    #[inline]
    fn container(&mut self, object: &Bound<'_, PyAny>) -> Option<()> {
        let address = object.as_ptr() as usize;
        let (before, after) = self.containers.split_at_mut(self.count);
        if before.contains(&address) {
            return None;
        }
        *after.first_mut()? = address;
        self.count += 1;
        Some(())
    }
}

#[inline]
fn write_scalar(
    object: &Bound<'_, PyAny>,
    single: &Single,
    out: &mut SingleWriter<'_>,
) -> Option<()> {
    match (scalar_of(object)?, single) {
        (Scalar::Text(text), Single::String) => out.text(raw::utf8(text).ok()?.as_bytes()),
        (Scalar::Int(int), Single::Int) => out.int(raw::int_bits(int).ok()??),
        (Scalar::Float(float), Single::F64) => out.f64(float),
        (Scalar::Bool(bool), Single::Bool) => out.bool(bool),
        (Scalar::Null, Single::Null) => {}
        (Scalar::Bytes(bytes), Single::Bytes) => out.text(bytes),
        _ => return None,
    }
    Some(())
}

fn write_list(
    list: &Bound<'_, PyList>,
    item: Option<&Single>,
    out: &mut SingleWriter<'_>,
) -> Option<()> {
    let len = list.len();
    if len >= Single::ITEMS {
        return None;
    }
    out.list(len);
    let Some(single) = item else { return (len == 0).then_some(()) };
    if len == 0 {
        // A list that is always empty has another type.
        return None;
    }
    let items: Vec<_> = list.iter().collect();
    match single {
        Single::String | Single::Bytes => {
            let mut texts = Vec::with_capacity(len);
            for item in &items {
                texts.push(match (scalar_of(item)?, single) {
                    (Scalar::Text(text), Single::String) => raw::utf8(text).ok()?.as_bytes(),
                    (Scalar::Bytes(bytes), Single::Bytes) => bytes,
                    _ => return None,
                });
            }
            out.texts(&texts);
        }
        Single::Bool => {
            let mut bools = Vec::with_capacity(len);
            for item in &items {
                let Scalar::Bool(bool) = scalar_of(item)? else { return None };
                bools.push(bool);
            }
            out.bools(&bools);
        }
        _ => items.iter().try_for_each(|item| write_scalar(item, single, out))?,
    }
    Some(())
}
