//! Columns to values: a reader holds a cursor for each site, and one walk over it drives a sink (spec, chapter 7). The walk does
//! not recurse on the data (F-37).

mod keys;
mod packed;
mod reader;
mod references;
mod rows;
mod site;

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use foldhash::quality::RandomState;
use half::{bf16, f16};

use super::shredder::TUPLE_ITEMS;
use super::{Event, RowId, ScalarKey, Sink, TensorRef};
use crate::block::Block;
use crate::column::text::TextRows;
use crate::error::{Code, Error, Result};
use crate::memory::{GrowSet, GrowVec};
use crate::number::IntKind;
use crate::platform::HashSet;
use crate::schema::{LogicalType, Schema, TypeId, path};

pub(crate) use keys::is_comparable;
pub(crate) use packed::packed_scalar;
pub use reader::{BlockReader, RowInt, SiteForm};
pub(crate) use rows::{assemble_at, assemble_each, assemble_roots, assemble_rows};
use site::SiteType;

/// The most floats of a list that are passed on at once.
const FLOATS_PER_EVENT: usize = 256;

/// Reads the root of a message's block into a sink.
pub(crate) fn assemble<S: Sink>(schema: &Schema, block: Block<'_>, sink: &mut S) -> Result<()> {
    assemble_each(schema, block, 1, sink, |_| Ok(()))
}

/// Reads the next row of a site into a sink.
pub(crate) fn assemble_next<S: Sink>(
    reader: &mut BlockReader<'_, '_>,
    site: TypeId,
    sink: &mut S,
) -> Result<()> {
    Assembler::new(reader, sink).run(site)
}

/// A container that is still open.
enum OpenContainer<'a> {
    List {
        item: TypeId,
        len: usize,
        left: usize,
    },
    Tuple {
        site: TypeId,
        index: usize,
    },
    Record {
        shape: usize,
        index: usize,
    },
    Map(Box<MapFrame<'a>>),
    NamedUnion {
        site: TypeId,
        variant: usize,
        done: bool,
    },
    /// A logical value or extension, with the site inside until that is read.
    Wrapped(Option<TypeId>),
}

struct MapFrame<'a> {
    key: TypeId,
    value: TypeId,
    len: usize,
    left: usize,
    on_value: bool,
    /// The keys so far, if keys can be compared and two could be equal (F-35).
    seen: Option<HashSet<ScalarKey<&'a [u8]>, RandomState>>,
    /// The first entry whose key an earlier one has.
    repeated: Option<usize>,
}

/// The walk over a reader, with an explicit stack.
struct Assembler<'r, 'a, 's, S> {
    reader: &'r mut BlockReader<'a, 's>,
    stack: Vec<OpenContainer<'a>>,
    /// The rows that the next value is, if references point to them; logical types and extensions around it count too (F-64).
    own: Vec<RowId>,
    sink: &'r mut S,
}

impl<'r, 'a, 's, S: Sink> Assembler<'r, 'a, 's, S> {
    fn new(reader: &'r mut BlockReader<'a, 's>, sink: &'r mut S) -> Self {
        Assembler { reader, stack: Vec::new(), own: Vec::new(), sink }
    }

    /// Reads the next root.
    fn root(&mut self) -> Result<()> {
        self.reader.begin_root();
        self.locate(0)
    }

    /// Reads the next row of a site. Adds the path to an error.
    fn locate(&mut self, site: TypeId) -> Result<()> {
        self.run(site).map_err(|error| error.under(|| self.path()))
    }

    /// Reads the next row of a site with all its contents.
    fn run(&mut self, site: TypeId) -> Result<()> {
        self.value(site)?;
        self.rest()
    }

    /// Reads what is left of the open containers.
    fn rest(&mut self) -> Result<()> {
        while let Some(frame) = self.stack.last_mut() {
            let next = match frame {
                OpenContainer::List { item, left, .. } => left.checked_sub(1).map(|less| {
                    *left = less;
                    *item
                }),
                OpenContainer::Tuple { site, index } => match &self.reader.sites[*site].kind {
                    SiteType::Tuple(items) => {
                        *index += 1;
                        items.get(*index - 1).copied()
                    }
                    _ => None,
                },
                OpenContainer::Record { shape, index } => {
                    *index += 1;
                    self.reader.shapes.get(*shape).sites.get(*index - 1).copied()
                }
                OpenContainer::Map(map) => {
                    if let (0, Some(entry)) = (map.left, map.repeated) {
                        let at = self.reader.starts[map.key];
                        // The path leads to that entry.
                        map.left = map.len - entry - 1;
                        return Err(Error::at(Code::DuplicateKey, at).expected("each key once"));
                    }
                    self.next_of_map()
                }
                OpenContainer::NamedUnion { site, variant, done } => {
                    let next = match &self.reader.sites[*site].kind {
                        SiteType::NamedUnion(_, variants, _) if !*done => Some(variants[*variant]),
                        _ => None,
                    };
                    *done = true;
                    next
                }
                OpenContainer::Wrapped(inside) => inside.take(),
            };
            match next {
                Some(site) => self.value(site)?,
                None => {
                    self.stack.pop();
                    self.sink.event(Event::End)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the site of a map's next key or value.
    fn next_of_map(&mut self) -> Option<TypeId> {
        let key = match self.stack.last() {
            Some(OpenContainer::Map(map))
                if map.left > 0 && !map.on_value && map.seen.is_some() =>
            {
                self.peek(map.key)
            }
            _ => None,
        };
        let Some(OpenContainer::Map(map)) = self.stack.last_mut() else { return None };
        if map.left == 0 {
            return None;
        }
        if map.on_value {
            map.on_value = false;
            map.left -= 1;
            return Some(map.value);
        }
        if let (Some(seen), Some(key)) = (&mut map.seen, key) {
            // F-35: the fault is reported at the end of the map.
            if !seen.put(key) {
                map.repeated = map.repeated.or(Some(map.len - map.left));
            }
        }
        map.on_value = true;
        Some(map.key)
    }

    /// Reads the next row of a site: emits a scalar, or begins a container.
    fn value(&mut self, mut id: TypeId) -> Result<()> {
        if !matches!(self.stack.last(), Some(OpenContainer::Wrapped(_))) {
            self.own.clear();
        }
        loop {
            if S::READS_ROWS && self.taken(id)? {
                return Ok(());
            }
            let site = &mut self.reader.sites[id];
            let row = site.row;
            site.row += 1;
            match &mut site.kind {
                SiteType::Empty => return Err(Error::new(Code::NeverHasRows)),
                SiteType::Null => return self.sink.event(Event::Null),
                SiteType::Bool(bits) => return self.sink.event(Event::Bool(bits.decode_row(row))),
                SiteType::Int(kind, ints) => return site::int(*kind, ints, row, self.sink),
                SiteType::F16(floats) => {
                    return self.sink.event(Event::F16(f16::from_bits(floats.decode_u16(row))));
                }
                SiteType::Bf16(floats) => {
                    return self.sink.event(Event::Bf16(bf16::from_bits(floats.decode_u16(row))));
                }
                SiteType::F32(floats) => {
                    return self.sink.event(Event::F32(floats.decode_f32(row)));
                }
                SiteType::F64(floats) => {
                    return self.sink.event(Event::F64(floats.decode_f64(row)));
                }
                SiteType::String(rows, text) => {
                    let (start, end) = rows.span(row, site.at);
                    let value = &text[start..end];
                    if let TextRows::Dictionary(entries) = rows {
                        let number = entries.indices[row] as usize;
                        return self.sink.entry(id, number, value);
                    }
                    site.at = end;
                    return self.sink.event(Event::String(value));
                }
                SiteType::Bytes(rows, bytes) => {
                    let (start, end) = rows.span(row, site.at);
                    let value = &bytes[start..end];
                    site.at = end;
                    return self.sink.event(Event::Bytes(value));
                }
                SiteType::Fixed(len, bytes) => {
                    return self.sink.event(Event::Fixed(&bytes[row * *len..(row + 1) * *len]));
                }
                SiteType::Unknown => return self.sink.event(Event::Unknown),
                SiteType::Tensor(tensors) => {
                    let start = site.at;
                    site.at += tensors.ranks[row] as usize;
                    return self.sink.event(Event::Tensor(
                        TensorRef {
                            dtype: &tensors.dtype,
                            shape: &tensors.dimensions[start..site.at],
                            column_major: tensors.orders.decode_row(row),
                            elements: tensors.elements[row],
                        },
                        None,
                    ));
                }
                SiteType::Packed(inner, width, bytes) => {
                    let (inner, row) = (*inner, &bytes[row * *width..(row + 1) * *width]);
                    return self.packed(inner, row).map(|_| ());
                }
                SiteType::Logical(ty, storage) => {
                    let (ty, storage) = (Arc::clone(ty), *storage);
                    if ty.kind() == LogicalType::LONG_TUPLE && self.begin_long_tuple(storage)? {
                        return Ok(());
                    }
                    let ty = &ty;
                    self.sink.event(Event::Logical(ty))?;
                    self.stack.put(OpenContainer::Wrapped(Some(storage)));
                    return Ok(());
                }
                SiteType::Extension(name, inside) => {
                    self.sink.event(Event::Extension(name))?;
                    self.stack.put(OpenContainer::Wrapped(Some(*inside)));
                    return Ok(());
                }
                SiteType::Array(len, item) => {
                    let (len, item) = (*len, *item);
                    self.sink.event(Event::Array(len))?;
                    return self.items(item, len);
                }
                SiteType::Option(bits, inner) => {
                    if !bits.decode_row(row) {
                        return self.sink.event(Event::Null);
                    }
                    self.sink.event(Event::Choice(0))?;
                    id = *inner;
                }
                SiteType::Union(which, variants) => {
                    let variant = which.as_ref().map_or(0, |which| which[row] as usize);
                    self.sink.event(Event::Choice(variant))?;
                    id = variants[variant];
                }
                SiteType::Def(number) => {
                    let number = *number;
                    id = self.new_row(number)?;
                }
                SiteType::Shared { definition, numbers, offsets } => {
                    let number = *definition;
                    match numbers[row] {
                        0 => id = self.new_row(number)?,
                        reference => {
                            let at = offsets.of(row);
                            let taken = self.references(id, number, row)?;
                            let Some(more) = taken.checked_sub(1) else {
                                return self.row_back_reference(number, reference, at);
                            };
                            self.reader.sites[id].row += more;
                            if let Some(OpenContainer::List { left, .. }) = self.stack.last_mut() {
                                *left -= more;
                            }
                            return Ok(());
                        }
                    }
                }
                SiteType::List(lengths, item) => {
                    let (len, item) = (lengths[row] as usize, *item);
                    return self.begin_list(item, len);
                }
                SiteType::Tuple(items) => {
                    self.sink.event(Event::Tuple(items.len()))?;
                    self.stack.put(OpenContainer::Tuple { site: id, index: 0 });
                    return Ok(());
                }
                SiteType::Record(name, rows) => {
                    let shape = rows.shape(row, &mut site.at, &mut self.reader.shapes);
                    let known = &self.reader.shapes.get(shape).shape;
                    match name {
                        None => self.sink.event(Event::Record(known))?,
                        Some(name) => self.sink.event(Event::Struct(name, known))?,
                    }
                    self.stack.put(OpenContainer::Record { shape, index: 0 });
                    return Ok(());
                }
                SiteType::Map(lengths, key, value) => {
                    let (len, key, value) = (lengths[row] as usize, *key, *value);
                    self.sink.event(Event::Map(len))?;
                    let seen = (len > 1 && is_comparable(|id| &self.reader.types[id], key))
                        .then(HashSet::default);
                    let frame = MapFrame {
                        key,
                        value,
                        len,
                        left: len,
                        on_value: false,
                        seen,
                        repeated: None,
                    };
                    self.stack.put(OpenContainer::Map(Box::new(frame)));
                    return Ok(());
                }
                SiteType::NamedUnion(which, _, names) => {
                    let variant = which.as_ref().map_or(0, |which| which[row] as usize);
                    self.sink.event(Event::Variant(&names[variant]))?;
                    self.stack.put(OpenContainer::NamedUnion { site: id, variant, done: false });
                    return Ok(());
                }
            }
        }
    }

    /// Whether the sink reads the next row of a site, a container, by itself.
    #[inline]
    fn taken(&mut self, site: TypeId) -> Result<bool> {
        let is_container = matches!(
            self.reader.sites[site].kind,
            SiteType::List(..)
                | SiteType::Tuple(_)
                | SiteType::Record(..)
                | SiteType::Map(..)
                | SiteType::Logical(..)
                | SiteType::Extension(..)
        );
        Ok(is_container && self.sink.take_rows(site, self.reader)?)
    }

    /// Begins a list as a tuple, if it is the storage of a tuple with too many items for a tuple type (F-74).
    fn begin_long_tuple(&mut self, storage: TypeId) -> Result<bool> {
        let site = &mut self.reader.sites[storage];
        let SiteType::List(lengths, item) = &site.kind else { return Ok(false) };
        let (len, item) = (lengths[site.row] as usize, *item);
        if len <= TUPLE_ITEMS {
            return Ok(false);
        }
        site.row += 1;
        self.sink.event(Event::Tuple(len))?;
        self.items(item, len)?;
        Ok(true)
    }

    fn begin_list(&mut self, item: TypeId, len: usize) -> Result<()> {
        self.sink.event(Event::List(len))?;
        self.items(item, len)
    }

    /// Reads the items of a list or array.
    fn items(&mut self, item: TypeId, len: usize) -> Result<()> {
        let site = &mut self.reader.sites[item];
        // Most long lists hold plain numbers, which are passed on together.
        if let SiteType::Int(IntKind::Int, ints) = &site.kind
            && !ints.has_bigs()
            && self.sink.takes_ints()
        {
            let values = &ints.values[site.row..site.row + len];
            site.row += len;
            self.sink.ints(values)?;
            return self.sink.event(Event::End);
        }
        if let SiteType::F64(floats) = &site.kind
            && self.sink.takes_floats()
        {
            let end = site.row + len;
            while site.row < end {
                let count = FLOATS_PER_EVENT.min(end - site.row);
                let mut some = [0.0; FLOATS_PER_EVENT];
                let rows = some.iter_mut().zip(site.row..).take(count);
                rows.for_each(|(value, row)| *value = floats.decode_f64(row));
                site.row += count;
                self.sink.floats(&some[..count])?;
            }
            return self.sink.event(Event::End);
        }
        self.stack.put(OpenContainer::List { item, len, left: len });
        Ok(())
    }

    /// Returns the path to the current value, such as `$.users[3].name`.
    #[cold]
    fn path(&self) -> String {
        let mut text = "$".to_owned();
        for frame in &self.stack {
            match frame {
                OpenContainer::List { len, left, .. } => {
                    text += &format!("[{}]", (len - left).saturating_sub(1));
                }
                OpenContainer::Tuple { index, .. } => {
                    text += &format!("[{}]", index.saturating_sub(1));
                }
                OpenContainer::Record { shape, index } => {
                    if let Some(key) =
                        self.reader.shapes.get(*shape).shape.keys().get(index.saturating_sub(1))
                    {
                        text += &path::field(key);
                    }
                }
                OpenContainer::Map(map) if map.on_value => {
                    text += &format!("[{}].key", map.len - map.left);
                }
                OpenContainer::Map(map) => {
                    text += &format!("[{}]", (map.len - map.left).saturating_sub(1));
                }
                OpenContainer::Wrapped(_) => {}
                OpenContainer::NamedUnion { site, variant, .. } => {
                    if let SiteType::NamedUnion(_, _, names) = &self.reader.sites[*site].kind {
                        text += &path::variant(&names[*variant]);
                    }
                }
            }
        }
        text
    }
}
