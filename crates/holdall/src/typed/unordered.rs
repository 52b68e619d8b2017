//! Canonical order for members of sets and keys of maps without an order of their own (F-75, F-96).

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash};
use std::collections::{HashMap, HashSet};

use super::Encode;
use super::buffers::Buffers;
use super::columns::{Columns, deeper};
use super::plan::{Plan, Site, without_schema};
use super::rows::no_memory;
use crate::canonical::{Orders, address};
use crate::dynamic::{assemble, message_of};
use crate::error::{Code, Result};
use crate::input::Scratch;
use crate::limits::Budget;
use crate::value::{Value, ValueBuilder, order_of};

/// Writes a map in canonical order, if that is on.
pub(super) fn write_map<K: Encode, V: Encode, S>(
    map: &HashMap<K, V, S>,
    site: Site,
    columns: &mut Columns<'_>,
) -> Option<Result<()>> {
    let orders = orders(columns, map.len())?;
    let (keys, entries): (Vec<&K>, Vec<(&K, &V)>) =
        map.iter().map(|entry| (entry.0, entry)).unzip();
    Some((|| {
        let order = order(&keys, address(map), &orders, columns.limit)?;
        columns.number(site, map.len() as u64)?;
        columns.write_entries(core::iter::once(order.iter().map(|index| entries[*index])), site)
    })())
}

/// Writes a set in canonical order, into the list that is its storage.
pub(super) fn write_set<T: Encode, S>(
    set: &HashSet<T, S>,
    list: Site,
    columns: &mut Columns<'_>,
) -> Option<Result<()>> {
    let orders = orders(columns, set.len())?;
    let members: Vec<&T> = set.iter().collect();
    Some((|| {
        let order = order(&members, address(set), &orders, columns.limit)?;
        columns.number(list, set.len() as u64)?;
        let members = &members;
        columns.write_all(order.iter().map(|index| members[*index]), columns.child(list, 0))
    })())
}

/// Makes a map of entries that were read.
pub(super) fn map_from<K: Eq + Hash, V, S: BuildHasher + Default>(
    entries: Vec<(K, V)>,
) -> Result<HashMap<K, V, S>> {
    let mut map = HashMap::default();
    map.try_reserve(entries.len()).map_err(|_| no_memory::<(K, V)>(entries.len()))?;
    map.extend(entries);
    Ok(map)
}

/// Makes a set of members that were read.
pub(super) fn set_from<T: Eq + Hash, S: BuildHasher + Default>(
    members: Vec<T>,
) -> Result<HashSet<T, S>> {
    let mut set = HashSet::default();
    set.try_reserve(members.len()).map_err(|_| no_memory::<T>(members.len()))?;
    set.extend(members);
    Ok(set)
}

fn orders(columns: &Columns<'_>, len: usize) -> Option<Rc<Orders>> {
    columns.orders.clone().filter(|_| len > 1)
}

/// Returns the indices of members in canonical order: that of the dynamic values of their message, so that
/// languages without types have the same. Members that differ only by type, `None` and `Some(None)`, are ordered by
/// their messages.
fn order<T: Encode>(
    members: &[&T],
    address: usize,
    orders: &Rc<Orders>,
    limit: usize,
) -> Result<Rc<[usize]>> {
    let find = || {
        let list = list_of(members, orders, limit)?;
        let values: Vec<&Value> = list.as_slice().unwrap_or_default().iter().collect();
        // Sets within the members are in order already.
        let mut indices = order_of(&values, |member| message_of(&mut &*member, false))?;
        for equal in indices.chunk_by_mut(|a, b| values[*a] == values[*b]) {
            if equal.len() > 1 {
                let alone = |index: &usize| {
                    Ok((message(&members[*index..=*index], orders, limit)?, *index))
                };
                let mut messages = equal.iter().map(alone).collect::<Result<Vec<_>>>()?;
                messages.sort();
                messages.iter().zip(equal).for_each(|((_, from), index)| *index = *from);
            }
        }
        Ok(indices)
    };
    orders.of(address, members.len(), || deeper(find)).map_err(|error| error.unplaced())
}

/// Returns the columns of a list of members.
fn gathered<T: Encode>(
    members: &[&T],
    orders: &Rc<Orders>,
    limit: usize,
) -> Result<(&'static Plan, Buffers)> {
    let plan = Plan::of_written::<[&T]>()?;
    let mut buffers = Buffers::new(plan);
    let mut columns = Columns::new(plan, &mut buffers, limit);
    columns.orders = Some(Rc::clone(orders));
    members.write(Site::ROOT, &mut columns)?;
    drop(columns);
    match buffers.deciding_values() {
        Some(_) => Err(without_schema(Code::UnsupportedValue)),
        None => Ok((plan, buffers)),
    }
}

/// Returns members as values without types.
fn list_of<T: Encode>(members: &[&T], orders: &Rc<Orders>, limit: usize) -> Result<Value> {
    let (plan, mut buffers) = gathered(members, orders, limit)?;
    let (scratch, mut builder) = (Scratch::default(), ValueBuilder::new());
    let block = buffers.take_block(&plan.schema, 1, &mut Budget::of(u64::MAX), &scratch)?;
    assemble(&plan.schema, block, &mut builder)?;
    builder.finish()
}

/// Returns the message of a list of members.
fn message<T: Encode>(members: &[&T], orders: &Rc<Orders>, limit: usize) -> Result<Vec<u8>> {
    let (plan, buffers) = gathered(members, orders, limit)?;
    super::message_of(plan, &buffers)
}
