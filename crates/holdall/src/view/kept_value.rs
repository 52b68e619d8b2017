//! Rows inside definitions that values before them use, too: only the walk knows which rows are theirs, so the entire value, or all
//! values of a block of a stream, are decoded once, and kept.

use alloc::vec::Vec;
use std::sync::OnceLock;

use super::block::{BlockPlaces, BlockSource};
use super::many::SomeRows;
use crate::dynamic::{Sink, assemble, assemble_each};
use crate::error::{Code, Error, Result};
use crate::memory::{Collect, GrowVec};
use crate::schema::{Schema, Type, TypeId, parents};
use crate::value::{Value, ValueBuilder, emit};

/// The entire value of a block, once an item needed it, and the units of its budget.
#[derive(Default)]
pub(super) struct KeptValue(OnceLock<(Value, u64)>);

/// The values of a block of a stream, once one was needed: those before the first fault, and the fault; and the units of the budget.
#[derive(Default)]
pub(super) struct KeptRoots(OnceLock<Roots>);

struct Roots {
    values: Vec<Value>,
    fault: Option<Error>,
    units: u64,
}

/// Whether there is a definition in values of a type.
pub(super) fn uses_definitions(schema: &Schema, id: TypeId) -> bool {
    // Most schemas have none, and this is checked for each row.
    if schema.definitions().is_empty() {
        return false;
    }
    let types = &schema.types()[schema.inside(id)];
    types.iter().any(|ty| matches!(ty, Type::Def(_) | Type::Shared(_)))
}

impl BlockPlaces {
    /// Emits an item of the only list at a site.
    pub(super) fn emit_item(
        &self,
        source: BlockSource<'_>,
        list: TypeId,
        number: u64,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let (list, units) = self.list(source, list)?;
        let items = list.and_then(items).unwrap_or(&[]);
        sink.budget(units);
        emit(item(items, number)?, sink)
    }

    /// Emits some items of the only list at a site as a list, in which they share what they share in the value.
    pub(super) fn emit_items(
        &self,
        source: BlockSource<'_>,
        list: TypeId,
        some: SomeRows,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let (Some(list), units) = self.list(source, list)? else { return Err(none()) };
        let items = items(list).unwrap_or(&[]);
        sink.budget(units);
        if some.step == 1 && some.count == items.len() as u64 {
            return emit(list, sink);
        }
        let some: Result<Vec<Value>> =
            some.numbers()?.map(|number| item(items, number).cloned()).collected();
        emit(&Value::list(some?), sink)
    }

    /// Emits a value of a block of a stream.
    pub(super) fn emit_root(
        &self,
        source: BlockSource<'_>,
        kept: &KeptRoots,
        number: u64,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let Roots { values, fault, units } = match kept.0.get() {
            Some(known) => known,
            None => {
                let found = self.all_roots(source)?;
                // Another thread may have decoded them meanwhile.
                kept.0.get_or_init(|| found)
            }
        };
        sink.budget(*units);
        match (item(values, number), fault) {
            (Err(_), Some(fault)) => Err(fault.clone()),
            (root, _) => emit(root?, sink),
        }
    }

    /// Returns the values before the first fault, and the fault. One before all of them can be of the source, and pass.
    fn all_roots(&self, source: BlockSource<'_>) -> Result<Roots> {
        let (mut values, mut builder, mut units) = (Vec::new(), ValueBuilder::new(), 0);
        let mut after = |builder: &mut ValueBuilder| {
            values.put(core::mem::replace(builder, ValueBuilder::new()).finish()?);
            Ok(())
        };
        let read = self.whole(source, |block| {
            units = block.units;
            assemble_each(source.schema, block, self.roots, &mut builder, &mut after)
        });
        match read {
            Err(fault) if values.is_empty() => Err(fault),
            read => Ok(Roots { values, fault: read.err(), units }),
        }
    }

    /// Returns the only list at a site, and the units of the budget.
    fn list(&self, source: BlockSource<'_>, list: TypeId) -> Result<(Option<&Value>, u64)> {
        let types = source.schema.types();
        let parents = parents(source.schema);
        let mut path: Vec<TypeId> =
            core::iter::successors(Some(list), |inner| parents[*inner]).collected();
        path.reverse();
        let (root, units) = self.value(source)?;
        Ok((path.windows(2).try_fold(root, |value, pair| inside(value, types, pair)), *units))
    }

    fn value(&self, source: BlockSource<'_>) -> Result<&(Value, u64)> {
        if let Some(known) = self.value.0.get() {
            return Ok(known);
        }
        let mut builder = ValueBuilder::new();
        let units = self.whole(source, |block| {
            let units = block.units;
            assemble(source.schema, block, &mut builder).map(|()| units)
        })?;
        let value = builder.finish()?;
        // Another thread may have decoded it meanwhile.
        Ok(self.value.0.get_or_init(|| (value, units)))
    }
}

/// The list has one row with this many items.
#[cold]
fn none() -> Error {
    Error::new(Code::IndexOutOfRange)
}

fn item(items: &[Value], number: u64) -> Result<&Value> {
    usize::try_from(number).ok().and_then(|number| items.get(number)).ok_or_else(none)
}

fn items(value: &Value) -> Option<&[Value]> {
    match value {
        Value::List(items) => Some(items),
        Value::Array(items) => Some(items),
        _ => None,
    }
}

/// Returns the value of an inner type in the only one of the type around it.
fn inside<'v>(value: &'v Value, types: &[Type], pair: &[TypeId]) -> Option<&'v Value> {
    let (outer, inner) = (&types[pair[0]], pair[1]);
    match (outer, value) {
        (Type::Logical(..), Value::Logical(logical)) => Some(logical.storage()),
        (Type::Extension(..), Value::Extension(extension)) => Some(extension.value()),
        (Type::Record(of), Value::Record(record)) => {
            record.field(&of.fields.iter().find(|(_, id)| *id == inner)?.0)
        }
        (Type::Struct(_, of), Value::Struct(of_value)) => {
            of_value.fields().field(&of.fields.iter().find(|(_, id)| *id == inner)?.0)
        }
        (Type::Tuple(members), Value::Tuple(items)) => {
            items.get(members.iter().position(|id| *id == inner)?)
        }
        (Type::Union(_), Value::Variant(variant)) => Some(variant.value()),
        // Options and unnamed unions show the value inside.
        (Type::Option(_) | Type::Union(_), value) => Some(value),
        _ => None,
    }
}
